"""Shapes whose components are known, and what leaves the components of any graph alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ... import backends
from . import kernels as generate
from .graph import Graph, Labels, bit_length, count, empty, keys, launch

Starts = npt.NDArray[np.uint64]


def path(
    n: int, shuffle: int | None = None, *, dtype: npt.DTypeLike = np.uint32, engine: str = "threads"
) -> Graph:
    """Make the path 0 - 1 - ... - n-1; with ``shuffle``, a seed, its vertices in random order.

    Parameters
    ----------
    n : int
        The number of vertices.
    shuffle : int, optional
        A seed, by which the vertices get random numbers.
    dtype : numpy.dtype
        An integer type that holds every vertex.
    engine : {"threads", "cuda"}
        Where the edges are made, and lie.

    Returns
    -------
    Graph
        One component of ``n`` vertices and ``n - 1`` edges.

    See Also
    --------
    cc_rapids.generators.star : A tree that is as flat as a path is deep.
    """
    graph = _steps(n, n - 1, f"path({n})", dtype, engine, (0, 1), (1, 1))
    graph = replace(graph, components=min(n, 1), expected=_together(n))
    return graph if shuffle is None else permuted(graph, shuffle)


def torus2d(
    rows: int, columns: int, *, dtype: npt.DTypeLike = np.uint32, engine: str = "threads"
) -> Graph:
    """Make a grid whose sides are joined: each vertex to the right and downwards, two edges each.

    With one row or column these are self-loops, with two each is there twice.

    Parameters
    ----------
    rows, columns : int
        The sides of the grid.
    dtype : numpy.dtype
        An integer type that holds every vertex.
    engine : {"threads", "cuda"}
        Where the edges are made, and lie.

    Returns
    -------
    Graph
        One component, with two edges a vertex.

    See Also
    --------
    cc_rapids.generators.grid : A grid with sides, or a random part of it.
    """
    n = count("rows", rows) * count("columns", columns)
    graph = empty(n, 2 * n, f"torus2d({rows} x {columns})", dtype, engine)
    launch(generate.torus, engine, 2 * n, n, columns, *graph.edges)
    return replace(graph, components=min(n, 1), expected=_together(n))


def star(n: int, *, dtype: npt.DTypeLike = np.uint32, engine: str = "threads") -> Graph:
    """Make a star: vertex 0 joined to each of the others.

    Parameters
    ----------
    n : int
        The number of vertices.
    dtype : numpy.dtype
        An integer type that holds every vertex.
    engine : {"threads", "cuda"}
        Where the edges are made, and lie.

    Returns
    -------
    Graph
        One component of ``n`` vertices and ``n - 1`` edges.

    See Also
    --------
    cc_rapids.generators.path : A tree that is as deep as a star is flat.
    """
    graph = _steps(n, n - 1, f"star({n})", dtype, engine, (0, 0), (1, 1))
    return replace(graph, components=min(n, 1), expected=_together(n))


def isolated(n: int, *, dtype: npt.DTypeLike = np.uint32, engine: str = "threads") -> Graph:
    """Make vertices without edges.

    Parameters
    ----------
    n : int
        The number of vertices.
    dtype : numpy.dtype
        An integer type that holds every vertex.
    engine : {"threads", "cuda"}
        Where the edges are made, and lie.

    Returns
    -------
    Graph
        As many components as vertices, and no edge.

    See Also
    --------
    cc_rapids.generators.self_loops : Vertices each with an edge to itself.
    """
    graph = empty(n, 0, f"isolated({n})", dtype, engine)
    return replace(graph, components=n, expected=lambda: np.arange(n))


def self_loops(n: int, *, dtype: npt.DTypeLike = np.uint32, engine: str = "threads") -> Graph:
    """Make a self-loop at each vertex, and no other edge.

    Parameters
    ----------
    n : int
        The number of vertices.
    dtype : numpy.dtype
        An integer type that holds every vertex.
    engine : {"threads", "cuda"}
        Where the edges are made, and lie.

    Returns
    -------
    Graph
        As many components as vertices and edges.

    See Also
    --------
    cc_rapids.generators.isolated : Vertices without edges.
    """
    graph = _steps(n, n, f"self_loops({n})", dtype, engine, (0, 1), (0, 1))
    return replace(graph, components=n, expected=lambda: np.arange(n))


def cliques(
    sizes: Sequence[int], *, dtype: npt.DTypeLike = np.uint32, engine: str = "threads"
) -> Graph:
    """Make disjoint cliques, one after the other, in which every pair is joined once.

    Parameters
    ----------
    sizes : sequence of int
        The number of vertices of each clique.
    dtype : numpy.dtype
        An integer type that holds every vertex.
    engine : {"threads", "cuda"}
        Where the edges are made, and lie.

    Returns
    -------
    Graph
        A component for each clique that is not empty.

    See Also
    --------
    cc_rapids.generators.star : A component with as few edges as there can be.
    """
    size, vertices, edges = clique_starts(sizes)
    n, m, runner = int(vertices[-1]), int(edges[-1]), backends.get(engine)
    graph = empty(n, m, f"cliques({size.size} of {n} vertices)", dtype, engine)
    starts = [runner.asarray(part) for part in (vertices, edges)]
    launch(generate.cliques, engine, m, size.size, *starts, *graph.edges)
    return replace(
        graph,
        components=int(np.count_nonzero(size)),
        expected=lambda: np.repeat(vertices[:-1].astype(np.int64), size),
    )


def clique_starts(sizes: Sequence[int]) -> tuple[Labels, Starts, Starts]:
    """Return the sizes (k,) of cliques, and where each begins.

    That is the first vertex and edge of each and their ends (k + 1,).
    """
    size = np.array([count("size", size) for size in sizes], np.int64)
    vertices, edges = (
        np.concatenate([[0], np.cumsum(part)]).astype(np.uint64)
        for part in (size, size * (size - 1) // 2)
    )
    return size, vertices, edges


def permuted(graph: Graph, seed: int = 0) -> Graph:
    """Make the same graph under random numbers for its vertices; the edges stay in their order.

    Parameters
    ----------
    graph : Graph
        Not changed.
    seed : int
        Any number from 0 on.

    Returns
    -------
    Graph
        As many components and edges as before.

    See Also
    --------
    cc_rapids.generators.duplicated : Give each edge several times.
    """
    n, (_, key) = graph.num_vertices, keys(seed)
    out = empty(n, graph.num_edges, graph.name, graph.src.dtype, graph.engine)
    for column, new in zip(graph.edges, out.edges, strict=True):
        launch(generate.relabel, graph.engine, column.size, key, n, bit_length(n), column, new)

    def expected() -> Labels:
        old, place = graph.labels(), np.arange(n)
        launch(generate.relabel, "threads", n, key, n, bit_length(n), place, place)
        least, labels = np.full(n, n), np.empty(n, np.int64)
        np.minimum.at(least, old, place)
        labels[place] = least[old]
        return labels

    known = expected if graph.expected else None
    return replace(out, components=graph.components, expected=known)


def duplicated(graph: Graph, times: int, seed: int = 0) -> Graph:
    """Make the same graph with each edge ``times`` times, in random order and random directions.

    With ``times`` 0 no edge is left, and the components are those of :func:`isolated`.

    Parameters
    ----------
    graph : Graph
        Not changed.
    times : int
        How often each edge comes.
    seed : int
        Any number from 0 on.

    Returns
    -------
    Graph
        The same components, and ``times`` as many edges.

    See Also
    --------
    cc_rapids.generators.permuted : Give the vertices random numbers.
    """
    m, total = graph.num_edges, graph.num_edges * count("times", times)
    if not times:
        return isolated(graph.num_vertices, dtype=graph.src.dtype, engine=graph.engine)
    out = empty(graph.num_vertices, total, graph.name, graph.src.dtype, graph.engine)
    order, turn = keys(seed)
    shape = order, turn, total, bit_length(total), m
    launch(generate.repeat, graph.engine, total, *shape, *graph.edges, *out.edges)
    return replace(out, components=graph.components, expected=graph.expected)


def _steps(
    n: int,
    m: int,
    name: str,
    dtype: npt.DTypeLike,
    engine: str,
    src: tuple[int, int],
    dst: tuple[int, int],
) -> Graph:
    """Make edges whose ends each go up in equal steps, given as (first, step)."""
    graph = empty(n, max(m, 0), name, dtype, engine)
    for (first, step), column in zip((src, dst), graph.edges, strict=True):
        launch(generate.steps, engine, column.size, first, step, column)
    return graph


def _together(n: int) -> Callable[[], Labels]:
    return lambda: np.zeros(n, np.int64)
