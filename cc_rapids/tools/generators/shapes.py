"""Generate shapes with known components, and transform graphs without changing components."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from . import pieces
from .graph import Graph


def path(
    n: int, shuffle: int | None = None, *, dtype: npt.DTypeLike = np.uint32, engine: str = "threads"
) -> Graph:
    """Make the path 0 - 1 - ... - n-1, or a path with its vertices in random order.

    Parameters
    ----------
    n : int
        The number of vertices.
    shuffle : int, optional
        The seed of a random permutation of the vertices; by default, they are not permuted.
    dtype, engine : numpy.dtype and str
        As for :func:`cc_rapids.generators.reference`.

    Returns
    -------
    Graph
        One component of ``n`` vertices and ``n - 1`` edges.

    See Also
    --------
    cc_rapids.generators.star : Make the flattest tree.
    """
    return pieces.path(n, shuffle).graph(dtype, engine)


def torus2d(
    rows: int, columns: int, *, dtype: npt.DTypeLike = np.uint32, engine: str = "threads"
) -> Graph:
    """Make a grid whose opposite sides are joined; each vertex has edges to the right and down.

    With one row, the edges downwards are self-loops; with two rows, each edge downwards occurs
    twice. With one or two columns, the same is true of the edges to the right.

    Parameters
    ----------
    rows, columns : int
        The sides of the grid.
    dtype, engine : numpy.dtype and str
        As for :func:`cc_rapids.generators.reference`.

    Returns
    -------
    Graph
        One component with two edges per vertex.

    See Also
    --------
    cc_rapids.generators.grid : Make a grid whose sides are not joined.
    """
    return pieces.torus2d(rows, columns).graph(dtype, engine)


def star(n: int, *, dtype: npt.DTypeLike = np.uint32, engine: str = "threads") -> Graph:
    """Make a star: vertex 0 is joined to each other vertex.

    Parameters
    ----------
    n : int
        The number of vertices.
    dtype, engine : numpy.dtype and str
        As for :func:`cc_rapids.generators.reference`.

    Returns
    -------
    Graph
        One component of ``n`` vertices and ``n - 1`` edges.

    See Also
    --------
    cc_rapids.generators.path : Make the deepest tree.
    """
    return pieces.star(n).graph(dtype, engine)


def isolated(n: int, *, dtype: npt.DTypeLike = np.uint32, engine: str = "threads") -> Graph:
    """Make vertices without edges.

    Parameters
    ----------
    n : int
        The number of vertices.
    dtype : numpy.dtype
        As for :func:`cc_rapids.generators.reference`.
    engine : {"threads", "cuda"}
        The engine on which the empty arrays of edges are stored.

    Returns
    -------
    Graph
        One component per vertex.

    See Also
    --------
    cc_rapids.generators.self_loops : Make a self-loop at each vertex.
    """
    return pieces.isolated(n).graph(dtype, engine)


def self_loops(n: int, *, dtype: npt.DTypeLike = np.uint32, engine: str = "threads") -> Graph:
    """Make a self-loop at each vertex, and no other edges.

    Parameters
    ----------
    n : int
        The number of vertices.
    dtype, engine : numpy.dtype and str
        As for :func:`cc_rapids.generators.reference`.

    Returns
    -------
    Graph
        One component and one edge per vertex.

    See Also
    --------
    cc_rapids.generators.isolated : Make vertices without edges.
    """
    return pieces.self_loops(n).graph(dtype, engine)


def cliques(
    sizes: Sequence[int], *, dtype: npt.DTypeLike = np.uint32, engine: str = "threads"
) -> Graph:
    """Make disjoint cliques of consecutive vertices; each pair in a clique is an edge once.

    Parameters
    ----------
    sizes : sequence of int
        The number of vertices of each clique.
    dtype, engine : numpy.dtype and str
        As for :func:`cc_rapids.generators.reference`.

    Returns
    -------
    Graph
        One component per nonempty clique.

    See Also
    --------
    cc_rapids.generators.star : Make a component with the fewest possible edges.
    """
    return pieces.cliques(sizes).graph(dtype, engine)


def permuted(graph: Graph, seed: int = 0) -> Graph:
    """Permute the vertices of a graph at random; the order of edges does not change.

    Parameters
    ----------
    graph : Graph
        The graph, which is not changed.
    seed : int
        Any nonnegative integer.

    Returns
    -------
    Graph
        A graph with the same numbers of components and edges.

    See Also
    --------
    cc_rapids.generators.duplicated : Repeat each edge of a graph.
    """
    return pieces.permuted(pieces.of_graph(graph), seed).graph(graph.src.dtype, graph.engine)


def duplicated(graph: Graph, times: int, seed: int = 0) -> Graph:
    """Repeat each edge of a graph ``times`` times, in random order and directions.

    Parameters
    ----------
    graph : Graph
        The graph, which is not changed.
    times : int
        The number of copies of each edge. With 0, the result has no edges.
    seed : int
        Any nonnegative integer.

    Returns
    -------
    Graph
        ``times`` copies of each edge. Unless ``times`` is 0, the components are the same.

    See Also
    --------
    cc_rapids.generators.permuted : Permute the vertices of a graph.
    """
    copies = pieces.duplicated(pieces.of_graph(graph), times, seed)
    return copies.graph(graph.src.dtype, graph.engine)
