"""The summary of an answer, and its HTML page with the largest components and their sizes.

The answer is searched on its backend, and only a few rows are copied to the host.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data import html
from ..data.frame_access import on_host, only, values_of
from ..errors import counted
from .answer import Answer

ITERATED_ROWS = 1 << 20  # vertices per block: 8 MiB of int64
LARGEST, MEMBERS = 5, 6  # components on the page, and vertices of each
MACHINERY = "design", "ids", "engine", "device", "memory", "ledger", "peak_bytes"


def preview(answer: Answer) -> str:
    """Return the largest components and a histogram of sizes as HTML; empty without components."""
    if not len(answer):
        return ""
    with answer.backend.scope():
        return _largest(answer) + _histogram(answer)


def panel(answer: Answer) -> str:
    """Return the page of an answer as HTML."""
    facts = summary(answer)
    counts = {name: facts[name] for name in ("components", "vertices", "edges", "largest")}
    return html.panel("Components", html.facts(counts), preview(answer), machinery(facts))


def summary(answer: Answer) -> dict[str, Any]:
    """Return the facts about a run: see :meth:`cc_rapids.Components.summary`."""
    names = "resumed", "chosen_again"
    extra = {name: value for name in names if (value := getattr(answer.facts, name))}
    sources = [sources.facts() for sources in answer.given.formats]
    columns = answer.given.end_columns
    return {
        "engine": answer.backend.name,
        "device": answer.backend.device_name,
        "memory": answer.facts.memory,
        "design": answer.facts.design,
        "ids": answer.facts.ids,
        "vertices": answer.forest.vertices,
        "edges": answer.facts.edges,
        "components": len(answer),
        "largest": answer.largest_size,
        "dropped": answer.given.dropped_rows,
        "ledger": str(answer.facts.rows),
        "seconds": dict(answer.facts.seconds),
        "peak_bytes": answer.backend.peak_bytes(),
        **extra,
        **({"columns": columns} if columns else {}),
        **({"taken": sources} if sources else {}),
    }


def counts_in_words(answer: Answer, component: str = "component", vertex: str = "vertex") -> str:
    """Return the counts that are on the host already as text, without a launch or a copy."""
    forest, largest = vars(answer.forest), vars(answer).get("largest_size")
    if not {"components", "vertices"} <= forest.keys():
        return f"{_plural(component)} are not counted yet"
    counts = (
        f"{counted(forest['components'], component, _plural(component))} of"
        f" {counted(forest['vertices'], vertex, _plural(vertex))}"
    )
    return counts if largest is None else f"{counts}, the largest of {largest:,}"


def _plural(word: str) -> str:
    return {"vertex": "vertices", "entity": "entities"}.get(word, f"{word}s")


def machinery(facts: dict[str, Any]) -> str:
    """Return the facts of a summary about how an answer was found, as folded HTML."""
    rows = {name: facts[name] for name in MACHINERY if facts[name] is not None}
    for name, value in facts["seconds"].items() if isinstance(facts["seconds"], dict) else ():
        if value is not None:
            rows[f"{name}, seconds"] = f"{value:.4f}"
    for name in ("resumed", "taken"):
        if name in facts:
            rows[name] = facts[name]
    return html.folded("how it was found", html.facts(rows))


def _largest(answer: Answer) -> str:
    """Return the largest components as an HTML table."""
    backend, count = answer.backend, len(answer)
    component = answer.by_size[:LARGEST]
    sizes = backend.to_host(answer.counts[component]).tolist()
    labels = answer.kind.columns(answer, "labels", answer.kind.of_component(answer, component))
    frame = answer.in_memory_frame(labels | {"size": answer.counts[component]})
    names = values_of(only(on_host(frame), "labels"))
    rows = [
        (_name(label), size, ", ".join(map(_name, some)) + (", ..." if size > len(some) else ""))
        for label, size, some in zip(names, sizes, _members(answer, component, sizes), strict=True)
    ]
    words = "all components" if count <= LARGEST else f"the {LARGEST} largest of {count:,}"
    return html.table(words, ("label", "vertices", "some of them"), rows)


def _name(value: Any) -> str:
    """Return an id as text of at most 24 characters per column."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_name, value))})"
    text = str(value)
    return text if len(text) <= 24 else text[:21] + "..."


def _members(answer: Answer, component: Any, sizes: list[int]) -> list[list[Any]]:
    """Return up to ``MEMBERS`` vertices of each given component, the least ids first.

    Rows are scanned in blocks until each component has enough, and only those are copied.
    """
    backend, (vertex, dense) = answer.backend, answer.numbered
    rows: list[list[int]] = [[] for _ in sizes]
    remaining = dict(enumerate(backend.to_host(component).tolist()))
    for begin in range(0, int(dense.size), ITERATED_ROWS):
        block = dense[begin : begin + ITERATED_ROWS]
        for k, number in list(remaining.items()):
            most = min(sizes[k], MEMBERS)
            at = backend.xp.flatnonzero(block == number)[: most - len(rows[k])]
            rows[k] += (backend.to_host(at) + begin).tolist()
            if len(rows[k]) == most:
                del remaining[k]
        if not remaining:
            break
    every = backend.asarray(
        np.array([row for rows_of_component in rows for row in rows_of_component], np.int64)
    )
    ids = answer.in_memory_frame(answer.columns("vertex", vertex[every]))
    named = iter(values_of(only(on_host(ids), "vertex")))
    return [[next(named) for _ in rows_of_component] for rows_of_component in rows]


def _histogram(answer: Answer) -> str:
    """Return how many components have 1, 2 to 3, 4 to 7, ... vertices, as HTML bars."""
    backend, xp = answer.backend, answer.backend.xp
    lows = xp.asarray(np.left_shift(np.int64(1), np.arange(1, 63)))
    power = xp.searchsorted(lows, answer.counts, side="right")
    counts = backend.to_host(xp.bincount(power)).tolist()
    rows = []
    for k, number in enumerate(counts):
        low, high = 1 << k, (2 << k) - 1
        if number:
            rows.append((f"{low:,}" if low == high else f"{low:,} to {high:,}", number))
    return html.bars("components by their number of vertices", rows)
