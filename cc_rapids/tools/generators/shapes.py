"""Shapes with known components, and changes of graphs that keep the components."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from . import pieces
from .graph import Graph


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
    return pieces.path(n, shuffle).graph(dtype, engine)


def torus2d(
    rows: int, columns: int, *, dtype: npt.DTypeLike = np.uint32, engine: str = "threads"
) -> Graph:
    """Make a grid whose sides are joined: each vertex to the right and downwards, two edges each.

    With one row or column, edges across it are self-loops; with two, each of them occurs twice.

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
    return pieces.torus2d(rows, columns).graph(dtype, engine)


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
    return pieces.star(n).graph(dtype, engine)


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
        As many components as vertices, without edges.

    See Also
    --------
    cc_rapids.generators.self_loops : Vertices each with an edge to itself.
    """
    return pieces.isolated(n).graph(dtype, engine)


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
    return pieces.self_loops(n).graph(dtype, engine)


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
    cc_rapids.generators.star : A component with the fewest possible edges.
    """
    return pieces.cliques(sizes).graph(dtype, engine)


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
        A graph with as many components and edges.

    See Also
    --------
    cc_rapids.generators.duplicated : Give each edge several times.
    """
    return pieces.permuted(pieces.of_graph(graph), seed).graph(graph.src.dtype, graph.engine)


def duplicated(graph: Graph, times: int, seed: int = 0) -> Graph:
    """Make the same graph with each edge ``times`` times, in random order and random directions.

    With ``times=0`` no edges remain, and every vertex is a component.

    Parameters
    ----------
    graph : Graph
        Not changed.
    times : int
        The number of times that each edge occurs.
    seed : int
        Any number from 0 on.

    Returns
    -------
    Graph
        A graph with the same components, and ``times`` as many edges.

    See Also
    --------
    cc_rapids.generators.permuted : Give the vertices random numbers.
    """
    many = pieces.duplicated(pieces.of_graph(graph), times, seed)
    return many.graph(graph.src.dtype, graph.engine)
