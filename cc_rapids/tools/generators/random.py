"""Random graphs: those of the benchmarks by name, and three families."""

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
    """Make a graph of the benchmarks' table, at full or at a smaller scale.

    Parameters
    ----------
    name : str
        One of ``generators.REFERENCES``. kron21: R-MAT .57 .19 .19, 2^21 vertices, 91.0 M edges.
        social22: R-MAT .45 .22 .22, 2^22 vertices, 69.0 M edges. rmat24: R-MAT .45 .15 .15, 2^24
        vertices, 100 M edges. uniform25M: 100 M random pairs of 25 M vertices. road: a grid of
        4900 x 4900 whose edges are each kept with probability 0.6. The vertices of R-MAT graphs
        are permuted at random. pairs60M and pairs1M: 100 M near-duplicate pairs of 60 M documents,
        and 2 M of 1 M. bands10M: 10 M pairs of 10 M documents, each found in 10 bands. records50M:
        50 M records, each joined to 2 of 60 M keys. These four are made by
        :func:`near_duplicate_pairs`, :func:`banded_pairs` and :func:`record_keys`, of which the
        other arguments are as by default.
    scale : number, optional
        Make a smaller or larger graph of the same kind, with 2^scale vertices (road: a square grid
        of about as many) and the same number of edges per vertex. For R-MAT, an integer.
    seed : int
        Any number from 0 on.
    dtype : numpy.dtype
        An integer type that holds every vertex.
    engine : {"threads", "cuda"}
        Where the edges are made, and lie.

    Returns
    -------
    Graph
        ``components`` is known at full scale for seed 0; that of pairs of documents, and their
        labels, always.

    Raises
    ------
    InputError
        An unknown name, or an argument that cannot be used.

    See Also
    --------
    cc_rapids.generators.rmat : R-MAT graphs of any size.
    cc_rapids.generators.uniform : Random pairs of vertices.
    cc_rapids.generators.grid : Grids of any size.
    cc_rapids.generators.near_duplicate_pairs : Pairs of documents of any number.
    cc_rapids.generators.record_keys : Records and keys of any number.

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
    """Make an R-MAT graph: 2^scale vertices of very different degrees.

    Parameters
    ----------
    scale : int
        From 0 to 32.
    num_edges : int
        The number of rows; some may be equal.
    a, b, c : float
        The probabilities of the quadrants (0, 0), (0, 1) and (1, 0) of the adjacency matrix at
        each level, rounded to 2^-16; (1, 1) has the remaining probability.
    seed : int
        Any number from 0 on.
    permute : bool
        Give the vertices random numbers; otherwise small numbers have large degrees.
    dtype : data type
        As for :func:`reference`.
    engine : {"threads", "cuda"}, optional
        As for :func:`reference`.

    Returns
    -------
    Graph
        The edges; some may be equal, or self-loops.

    Raises
    ------
    InputError
        An argument is out of its range.

    See Also
    --------
    cc_rapids.generators.uniform : Random pairs of vertices.
    cc_rapids.generators.reference : The graphs of the benchmarks by name.
    """
    return pieces.rmat(scale, num_edges, a, b, c, seed, permute).graph(dtype, engine)


def uniform(
    num_vertices: int,
    num_edges: int,
    seed: int = 0,
    *,
    dtype: npt.DTypeLike = np.uint32,
    engine: str = "threads",
) -> Graph:
    """Make random pairs of vertices, independent of each other.

    See :func:`rmat` for the arguments.

    Parameters
    ----------
    num_vertices, num_edges : int
        The size of the graph; at most 2^32 vertices.
    seed : int
        Any number from 0 on.
    dtype : numpy.dtype
        An integer type that holds every vertex.
    engine : {"threads", "cuda"}
        Where the edges are made, and lie.

    Returns
    -------
    Graph
        The edges, drawn one by one: some may be equal, or self-loops.

    See Also
    --------
    cc_rapids.generators.rmat : Graphs whose vertices have very different degrees.
    cc_rapids.generators.reference : The graphs of the benchmarks by name.
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
    """Make a grid, each vertex joined to the right and downwards, or a random part of it.

    Parameters
    ----------
    rows, columns : int
        Vertex r * columns + c is in row r, column c.
    keep : float
        The probability with which each edge is kept. Edges are in the order of their first vertex,
        the one to the right before the one downwards, each at most once.
    seed : int
        As for :func:`reference`.
    dtype : data type
        As for :func:`reference`.
    engine : {"threads", "cuda"}, optional
        As for :func:`reference`.

    Returns
    -------
    Graph
        The edges that were kept, in the order of their first vertices.

    See Also
    --------
    cc_rapids.generators.torus2d : A grid whose sides are joined.
    cc_rapids.generators.reference : The graphs of the benchmarks by name.
    """
    return pieces.grid(rows, columns, keep, seed).graph(dtype, engine)
