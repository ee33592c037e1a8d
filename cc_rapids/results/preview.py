"""The summary of an answer, and its HTML page with the largest components and a size histogram.

The components and their vertices are selected on the backend. Only these rows are copied to the
host.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data import html
from ..data.frame_access import answer_column, on_host, values_of
from ..errors import counted
from .answer import Answer

ITERATED_ROWS = 1 << 20  # rows of the answer in one block of a scan: 8 MiB of int64
MAX_COMPONENTS, MAX_MEMBERS = 5, 6  # how many components a page shows, and vertices of each
RUN_FACTS = "design", "ids", "engine", "device", "memory", "ledger", "peak_bytes"


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
    return html.panel("Components", html.facts(counts), preview(answer), run_facts_html(facts))


def summary(answer: Answer) -> dict[str, Any]:
    """Return the facts about a run: see :meth:`cc_rapids.Components.summary`.

    Facts that do not apply, such as "resumed" for a run from the start, are left out.
    """
    names = "resumed", "chosen_again"
    extra = {name: value for name in names if (value := getattr(answer.facts, name))}
    formats = [source_format.facts() for source_format in answer.given.formats]
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
        **({"taken": formats} if formats else {}),  # how the files were read
    }


def counts_in_words(answer: Answer, component: str = "component", vertex: str = "vertex") -> str:
    """Return the counts of an answer as text, without launching a kernel.

    If the components are not counted yet, the text says so. ``component`` and ``vertex`` are the
    words for one component and for one vertex.
    """
    # cached properties are in vars() only if they were computed
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


def run_facts_html(facts: dict[str, Any]) -> str:
    """Return the facts of a summary about the run, as a folded section of HTML."""
    rows = {name: facts[name] for name in RUN_FACTS if facts[name] is not None}
    for name, value in facts["seconds"].items():
        if value is not None:
            rows[f"{name}, seconds"] = f"{value:.4f}"
    for name in ("resumed", "taken"):
        if name in facts:
            rows[name] = facts[name]
    return html.folded("how it was found", html.facts(rows))


def _largest(answer: Answer) -> str:
    """Return the largest components as an HTML table."""
    backend, count = answer.backend, len(answer)
    component = answer.by_size[:MAX_COMPONENTS]
    sizes = backend.to_host(answer.counts[component]).tolist()
    labels = answer.kind.columns(answer, "labels", answer.kind.of_component(answer, component))
    frame = answer.in_memory_frame(labels | {"size": answer.counts[component]})
    values, rows = values_of(answer_column(on_host(frame), "labels")), []
    for label, size, ids in zip(values, sizes, _members(answer, component, sizes), strict=True):
        ellipsis = ", ..." if size > len(ids) else ""
        rows.append((_shortened(label), size, ", ".join(map(_shortened, ids)) + ellipsis))
    caption = "all components"
    if count > MAX_COMPONENTS:
        caption = f"the {MAX_COMPONENTS} largest of {count:,}"
    return html.table(caption, ("label", "vertices", "some of them"), rows)


def _shortened(value: Any) -> str:
    """Return an id or a label as text of at most 24 characters per column."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_shortened, value))})"
    text = str(value)
    return text if len(text) <= 24 else text[:21] + "..."


def _members(answer: Answer, component: Any, sizes: list[int]) -> list[list[Any]]:
    """Return the ``MAX_MEMBERS`` least ids of each component; all ids of a smaller component.

    ``component`` has the numbers of the components, and ``sizes`` their sizes. The rows of the
    answer are searched in blocks until every component has enough vertices.
    """
    backend, (vertex, dense) = answer.backend, answer.numbered
    rows_of: list[list[int]] = [[] for _ in sizes]  # the rows that each component has so far
    # the numbers of the components that need more vertices, by their positions in ``component``
    remaining = dict(enumerate(backend.to_host(component).tolist()))
    for begin in range(0, int(dense.size), ITERATED_ROWS):
        block = dense[begin : begin + ITERATED_ROWS]
        for k, number in list(remaining.items()):
            count = min(sizes[k], MAX_MEMBERS)
            members = backend.xp.flatnonzero(block == number)[: count - len(rows_of[k])]
            rows_of[k] += (backend.to_host(members) + begin).tolist()
            if len(rows_of[k]) == count:
                del remaining[k]
        if not remaining:
            break
    all_rows = backend.asarray(np.concatenate(rows_of).astype(np.int64))
    frame = answer.in_memory_frame(answer.columns("vertex", vertex[all_rows]))
    ids = iter(values_of(answer_column(on_host(frame), "vertex")))
    return [[next(ids) for _ in rows] for rows in rows_of]


def _histogram(answer: Answer) -> str:
    """Return the numbers of components with 1, 2 to 3, 4 to 7, ... vertices, as HTML bars."""
    backend, xp = answer.backend, answer.backend.xp
    powers_of_two = xp.asarray(np.left_shift(np.int64(1), np.arange(1, 63)))
    exponents = xp.searchsorted(powers_of_two, answer.counts, side="right")
    counts = backend.to_host(xp.bincount(exponents)).tolist()
    rows = []
    for exponent, count in enumerate(counts):
        low, high = 1 << exponent, (2 << exponent) - 1
        if count:
            rows.append((f"{low:,}" if low == high else f"{low:,} to {high:,}", count))
    return html.bars("components by their number of vertices", rows)
