"""Shapes whose components are known, and what leaves the components of any graph alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from .. import engines
from ..errors import InputError
from ..kernels import generate
from .graph import Graph, Labels, apart, connected, count, empty, keys, launch


def path(
    n: int,
    shuffle: int | None = None,
    *,
    dtype: npt.DTypeLike = np.uint32,
    engine: str = "threads",
) -> Graph:
    """The path 0 - 1 - ... - n-1; with ``shuffle``, a seed, its vertices in random order."""
    graph = empty(n, max(n - 1, 0), f"path({n})", dtype, engine)
    graph.src[:] = engines.get(engine).xp.arange(graph.num_edges)
    graph.dst[:] = graph.src + 1
    graph = connected(graph)
    return graph if shuffle is None else permuted(graph, shuffle)


def star(n: int, *, dtype: npt.DTypeLike = np.uint32, engine: str = "threads") -> Graph:
    """Vertex 0 joined to each of the others."""
    graph = empty(n, max(n - 1, 0), f"star({n})", dtype, engine)
    graph.src[:] = 0
    graph.dst[:] = engines.get(engine).xp.arange(1, graph.num_edges + 1)
    return connected(graph)


def cliques(
    sizes: Sequence[int], *, dtype: npt.DTypeLike = np.uint32, engine: str = "threads"
) -> Graph:
    """Disjoint cliques of so many vertices each, one after the other, every pair joined once."""
    size = np.array([count("size", size) for size in sizes], np.int64)
    vertices, edges = (
        np.concatenate([[0], np.cumsum(part)]).astype(np.uint64)
        for part in (size, size * (size - 1) // 2)
    )
    n, m, runner = int(vertices[-1]), int(edges[-1]), engines.get(engine)
    graph = empty(n, m, f"cliques({size.size} of {n} vertices)", dtype, engine)
    starts = [runner.asarray(part) for part in (vertices, edges)]
    launch(generate.cliques, engine, m, size.size, *starts, *graph.edges)
    return replace(
        graph,
        components=int(np.count_nonzero(size)),
        expected=lambda: np.repeat(vertices[:-1].astype(np.int64), size),
    )


def isolated(n: int, *, dtype: npt.DTypeLike = np.uint32, engine: str = "threads") -> Graph:
    """Vertices without edges."""
    return apart(empty(n, 0, f"isolated({n})", dtype, engine))


def self_loops(n: int, *, dtype: npt.DTypeLike = np.uint32, engine: str = "threads") -> Graph:
    """A self-loop at each vertex, and no other edge."""
    graph = empty(n, n, f"self_loops({n})", dtype, engine)
    graph.src[:] = graph.dst[:] = engines.get(engine).xp.arange(n)
    return apart(graph)


def permuted(graph: Graph, seed: int = 0) -> Graph:
    """The same graph under random numbers for its vertices; the edges stay in their order."""
    n, key = graph.num_vertices, keys(seed, 2)[1]
    out = empty(n, graph.num_edges, graph.name, graph.src.dtype, graph.engine)
    for column, new in zip(graph.edges, out.edges, strict=True):
        bits = max(n - 1, 0).bit_length()
        launch(generate.relabel, graph.engine, column.size, key, n, bits, column, new)

    def expected() -> Labels:
        old, place = graph.labels(), np.arange(n)
        launch(generate.relabel, "threads", n, key, n, bits, place, place)
        least, labels = np.full(n, n), np.empty(n, np.int64)
        np.minimum.at(least, old, place)
        labels[place] = least[old]
        return labels

    known = expected if graph.expected else None
    return replace(out, components=graph.components, expected=known)


def duplicated(graph: Graph, times: int, seed: int = 0) -> Graph:
    """The same graph with each edge ``times`` times, in random order and random directions."""
    m, total = graph.num_edges, graph.num_edges * count("times", times)
    out = empty(graph.num_vertices, total, graph.name, graph.src.dtype, graph.engine)
    bits, keys = max(total - 1, 0).bit_length(), keys(seed, 2)
    launch(generate.repeat, graph.engine, total, *keys, total, bits, m, *graph.edges, *out.edges)
    return replace(out, components=graph.components, expected=graph.expected)
