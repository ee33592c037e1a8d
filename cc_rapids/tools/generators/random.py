"""Generate random graphs: reference graphs, R-MAT, Barabási-Albert, uniform pairs and grids."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from . import pieces
from .graph import Graph


def reference(
    name: str,
    scale: float | None = None,
    seed: int = 0,
    *,
    dtype: npt.DTypeLike = np.uint32,
    engine: str = "threads",
) -> Graph:
    """Make a reference graph of the benchmarks, at full or another scale.

    Parameters
    ----------
    name : str
        One of ``generators.REFERENCES``. kron21: R-MAT .57 .19 .19, 2^21 vertices, 91.0 M edges.
        social22: R-MAT .45 .22 .22, 2^22 vertices, 69.0 M edges. rmat24: R-MAT .45 .15 .15, 2^24
        vertices, 100 M edges. uniform25M: 100 M random pairs of 25 M vertices. road: a grid of
        4900 x 4900 whose edges are each kept with probability 0.6. The vertices of R-MAT graphs
        are permuted at random. pairs60M: 100 M near-duplicate pairs of 60 M documents. pairs1M: 2 M
        near-duplicate pairs of 1 M documents. bands10M: 10 M pairs of 10 M documents, each in 10
        rows, one for each band. records50M: 50 M records, each joined to 2 of 60 M keys. The last
        four graphs are made by :func:`near_duplicate_pairs`, :func:`banded_pairs` and
        :func:`record_keys` with default values of the other arguments.
    scale : number, optional
        Make a graph of the same kind with 2^scale vertices (for road, a square grid of about
        2^scale vertices) and the same number of edges per vertex. For R-MAT graphs, the scale must
        be an integer.
    seed : int
        Any nonnegative integer.
    dtype : numpy.dtype
        The integer type of the vertices; the greatest vertex must fit it.
    engine : {"threads", "cuda"}
        The engine that makes and stores the edges.

    Returns
    -------
    Graph
        The graph. At full scale with seed 0, ``components`` is known. For pairs of documents,
        ``components`` and the labels are always known.

    Raises
    ------
    InputError
        The name is unknown, or an argument is out of range.

    See Also
    --------
    cc_rapids.generators.rmat : Make an R-MAT graph of any size.
    cc_rapids.generators.uniform : Make random pairs of vertices.
    cc_rapids.generators.grid : Make a grid of any size.
    cc_rapids.generators.near_duplicate_pairs : Make any number of pairs of documents.
    cc_rapids.generators.record_keys : Make any number of records and keys.

    Examples
    --------
    >>> reference("road", scale=10)
    Graph(num_vertices=1024, name='road at scale 10', components=None)
    """
    return pieces.reference(name, scale, seed).graph(dtype, engine)


def rmat(
    scale: int,
    num_edges: int,
    a: float,
    b: float,
    c: float,
    seed: int = 0,
    *,
    permute: bool = True,
    dtype: npt.DTypeLike = np.uint32,
    engine: str = "threads",
) -> Graph:
    """Make an R-MAT graph of 2^scale vertices, whose degrees differ widely.

    Parameters
    ----------
    scale : int
        The binary logarithm of the number of vertices, from 0 to 32.
    num_edges : int
        The number of rows, including duplicates.
    a, b, c : float
        The probabilities of the quadrants (0, 0), (0, 1) and (1, 0) of the adjacency matrix at
        each level, rounded to multiples of 2^-16. Quadrant (1, 1) has the remaining probability.
    permute : bool
        Permute the vertices at random; otherwise vertices with small numbers have large degrees.
    seed, dtype, engine : int, numpy.dtype and str
        As for :func:`cc_rapids.generators.reference`.

    Returns
    -------
    Graph
        The edges, possibly with duplicates and self-loops.

    Raises
    ------
    InputError
        An argument is out of range.

    See Also
    --------
    cc_rapids.generators.barabasi_albert : Make a graph that grows by preferential attachment.
    cc_rapids.generators.uniform : Make random pairs of vertices.
    cc_rapids.generators.reference : Make a graph of the benchmarks by name.
    """
    return pieces.rmat(scale, num_edges, a, b, c, seed, permute).graph(dtype, engine)


def barabasi_albert(
    num_vertices: int,
    each: int,
    seed: int = 0,
    *,
    dtype: npt.DTypeLike = np.uint32,
    engine: str = "threads",
) -> Graph:
    """Make a Barabási-Albert graph, which grows by preferential attachment.

    Vertices are added in order, each with ``each`` edges. The other end of an edge is an earlier
    vertex or the new vertex itself, with a probability proportional to its degree so far.

    Parameters
    ----------
    num_vertices : int
        The number of vertices; at most 2^32.
    each : int
        The number of edges that are added with each vertex.
    seed, dtype, engine : int, numpy.dtype and str
        As for :func:`cc_rapids.generators.reference`.

    Returns
    -------
    Graph
        The ``num_vertices * each`` edges, sorted by ``src``, the added vertex. Edges may
        be duplicates or self-loops; the first edge is always a self-loop.

    Raises
    ------
    InputError
        An argument is out of range.

    See Also
    --------
    cc_rapids.generators.rmat : Make another graph whose degrees differ widely.
    cc_rapids.generators.permuted : Number the vertices at random.

    Examples
    --------
    >>> graph = barabasi_albert(5, 2)
    >>> graph.src.tolist()
    [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    >>> bool((graph.dst <= graph.src).all())
    True
    """
    return pieces.barabasi_albert(num_vertices, each, seed).graph(dtype, engine)


def uniform(
    num_vertices: int,
    num_edges: int,
    seed: int = 0,
    *,
    dtype: npt.DTypeLike = np.uint32,
    engine: str = "threads",
) -> Graph:
    """Make independent random pairs of vertices.

    Parameters
    ----------
    num_vertices, num_edges : int
        The number of vertices, at most 2^32, and the number of edges.
    seed, dtype, engine : int, numpy.dtype and str
        As for :func:`cc_rapids.generators.reference`.

    Returns
    -------
    Graph
        The edges, possibly with duplicates and self-loops.

    See Also
    --------
    cc_rapids.generators.rmat : Make a graph whose degrees differ widely.
    cc_rapids.generators.reference : Make a graph of the benchmarks by name.
    """
    return pieces.uniform(num_vertices, num_edges, seed).graph(dtype, engine)


def grid(
    rows: int,
    columns: int,
    keep: float = 1.0,
    seed: int = 0,
    *,
    dtype: npt.DTypeLike = np.uint32,
    engine: str = "threads",
) -> Graph:
    """Make a grid, or a random subset of its edges.

    Parameters
    ----------
    rows, columns : int
        The sides of the grid. The vertex in row r and column c is r * columns + c. It has edges to
        the vertices on the right and below.
    keep : float
        The probability that an edge is kept.
    seed, dtype, engine : int, numpy.dtype and str
        As for :func:`cc_rapids.generators.reference`.

    Returns
    -------
    Graph
        The kept edges, sorted by ``src``; the edge to the right precedes the edge downwards.

    See Also
    --------
    cc_rapids.generators.torus2d : Make a grid whose sides are joined.
    cc_rapids.generators.reference : Make a graph of the benchmarks by name.
    """
    return pieces.grid(rows, columns, keep, seed).graph(dtype, engine)
