"""Pages of an answer in notebooks: its largest components, some of their vertices, and sizes.

However large the answer, a few rows of it are fetched: it is searched where it lies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..data import html
from ..data.frame_access import on_host, only, values_of
from ..tuning import tuning

if TYPE_CHECKING:
    from .components import Components

LARGEST, MEMBERS = 5, 6  # components, and vertices of each
MACHINERY = "design", "ids", "engine", "device", "memory", "ledger", "peak_bytes"


def preview(found: Components) -> str:
    """Return the largest components and the sizes of all as HTML; empty if there are none."""
    if not len(found):
        return ""
    with found._backend.scope():
        return _largest(found) + _histogram(found)


def machinery(facts: dict[str, Any]) -> str:
    """Return the facts of a summary about how an answer was found, folded."""
    rows = {name: facts[name] for name in MACHINERY if facts[name] is not None}
    for name, value in facts["seconds"].items() if isinstance(facts["seconds"], dict) else ():
        if value is not None:
            rows[f"{name}, seconds"] = f"{value:.4f}"
    for name in ("resumed", "taken"):
        if name in facts:
            rows[name] = facts[name]
    return html.folded("how it was found", html.facts(rows))


def _largest(found: Components) -> str:
    backend, count = found._backend, len(found)
    component = found._by_size[:LARGEST]
    sizes = backend.to_host(found._counts[component]).tolist()
    labels = found._kind.columns(found, "labels", found._kind.of_component(found, component))
    frame = found._held_frame(labels | {"size": found._counts[component]})
    names = values_of(only(on_host(frame), "labels"))
    rows = [
        (_name(label), size, ", ".join(map(_name, some)) + (", ..." if size > len(some) else ""))
        for label, size, some in zip(names, sizes, _members(found, component, sizes), strict=True)
    ]
    words = "all components" if count <= LARGEST else f"the {LARGEST} largest of {count:,}"
    return html.table(words, ("label", "vertices", "some of them"), rows)


def _name(value: Any) -> str:
    """Return an id as text; one of several columns with a comma between."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_name, value))})"
    text = str(value)
    return text if len(text) <= 24 else text[:21] + "..."


def _members(found: Components, component: Any, sizes: list[int]) -> list[list[Any]]:
    """Return the first vertices of some components.

    Rows are looked at in blocks until there are enough of each, and only those are fetched.
    """
    backend, (vertex, dense) = found._backend, found._numbered
    rows: list[list[int]] = [[] for _ in sizes]
    wanted = dict(enumerate(backend.to_host(component).tolist()))
    for begin in range(0, int(dense.size), tuning.iterated_rows):
        block = dense[begin : begin + tuning.iterated_rows]
        for k, number in list(wanted.items()):
            most = min(sizes[k], MEMBERS)
            at = backend.xp.flatnonzero(block == number)[: most - len(rows[k])]
            rows[k] += (backend.to_host(at) + begin).tolist()
            if len(rows[k]) == most:
                del wanted[k]
        if not wanted:
            break
    every = backend.asarray(np.array([row for own in rows for row in own], np.int64))
    ids = found._held_frame(found._columns("vertex", vertex[every]))
    named = iter(values_of(only(on_host(ids), "vertex")))
    return [[next(named) for _ in own] for own in rows]


def _histogram(found: Components) -> str:
    """Return how many components have 1, 2 to 3, 4 to 7, ... vertices, as bars."""
    backend, xp = found._backend, found._backend.xp
    lows = xp.asarray(np.left_shift(np.int64(1), np.arange(1, 63)))
    power = xp.searchsorted(lows, found._counts, side="right")
    counts = backend.to_host(xp.bincount(power)).tolist()
    rows = []
    for k, many in enumerate(counts):
        low, high = 1 << k, (2 << k) - 1
        if many:
            rows.append((f"{low:,}" if low == high else f"{low:,} to {high:,}", many))
    return html.bars("components by their number of vertices", rows)
