"""A design on a small graph from the first launch to the last, and what its answer has to be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from cc_rapids.algorithms import compiled
from cc_rapids.algorithms import run as solve
from cc_rapids.algorithms.design import Design
from cc_rapids.graph.edges import Adjacency, Edges
from cc_rapids.graph.forest import Forest
from cc_rapids.kernels.primitives import WORD

from .runs import Outcomes, every_run
from .scenes import Edge, components

PROBES = 8  # enough to find the giant of a graph so small
FREE = np.iinfo(np.uint64).max


def symmetric_rows(n: int, edges: Sequence[Edge]) -> list[list[int]]:
    """The rows of an edge list, each edge in those of both ends."""
    rows: list[list[int]] = [[] for _ in range(n)]
    for u, v in edges:
        rows[u].append(v)
        rows[v].append(u)
    return rows


def rows_of(n: int, edges: Sequence[Edge]) -> list[list[int]]:
    """The rows of an edge list, each edge in that of its first end."""
    return [[v for u, v in edges if u == row] for row in range(n)]


def adjacency(rows: Sequence[Sequence[int]], symmetric: bool) -> Adjacency:
    """Rows as a design takes them."""
    offsets = np.cumsum([0, *map(len, rows)])
    indices = np.array([w for row in rows for w in row], np.uint32)
    return Adjacency(offsets.astype(np.int64), indices, symmetric)


def entries(rows: Adjacency) -> list[Edge]:
    ends = [(v, range(*pair)) for v, pair in enumerate(pairwise(rows.offsets.tolist()))]
    return [(v, int(rows.indices[e])) for v, own in ends for e in own]


def wrong(
    design: Design, backend: Outcomes, n: int, edges: Sequence[Edge], rows: Adjacency | None
) -> Iterator[str]:
    """What is wrong with the answers of a design, over all outcomes of all of its launches."""
    noted = design.makes_forests
    if rows is not None:
        edges = entries(rows)
    ends = np.array(edges, np.int32).reshape(-1, 2)
    label = components(n, edges)
    occur = {v for edge in edges for v in edge}

    def run() -> str | None:
        forest = Forest(backend, n)
        listed = Edges(ends[:, 0].copy(), ends[:, 1].copy(), 0)
        chosen = backend.fill(backend.empty(n, np.uint64), 0xFF) if noted else None
        made = compiled.build(design, backend, np.uint32, np.uint32, rows is not None, noted)
        solve.run(made, solve.prepare(made, listed, forest, rows, chosen))
        if forest.parent.tolist() != label:
            return f"{design}: {forest.parent} where {label} is right"
        if not _roots_seen(forest, label, occur):
            return f"{design}: {forest.present} are seen"
        return _forest_wrong(design, chosen.tolist(), edges, label) if noted else None

    return every_run(backend, run)


def _roots_seen(forest: Forest, label: list[int], occur: set[int]) -> bool:
    """Roots with children have bits, and no vertex has that occurs nowhere."""
    seen = {v for v in range(len(label)) if forest.present[v // WORD] >> (v % WORD) & 1}
    roots = {label[v] for v in occur if label[v] != v}
    return roots <= seen <= occur


def _forest_wrong(
    design: Design, chosen: list[int], edges: Sequence[Edge], label: list[int]
) -> str | None:
    noted = [edges[e] for e in chosen if e != FREE]
    if len(noted) == len(label) - len(set(label)) and components(len(label), noted) == label:
        return None
    return f"{design}: {noted} are no spanning forest of {edges}"
