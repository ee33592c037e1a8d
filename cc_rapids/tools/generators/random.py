"""Random graphs: those of the benchmarks by name, and their three families."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ... import backends
from ...errors import InputError, unknown
from . import kernels as generate
from .graph import Graph, count, empty, keys, launch


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
    name : {"kron21", "social22", "road", "uniform25M", "rmat24"}
        kron21: R-MAT .57 .19 .19, 2^21 vertices, 91.0 M edges. social22: R-MAT .45 .22 .22, 2^22
        vertices, 69.0 M edges. rmat24: R-MAT .45 .15 .15, 2^24 vertices, 100 M edges. uniform25M:
        100 M random pairs of 25 M vertices. road: a grid of 4900 x 4900 whose edges are each kept
        with probability 0.6. The vertices of R-MAT graphs are permuted at random.
    scale : number, optional
        Make a smaller or larger one of its kind: 2^scale vertices (road: a square grid of about
        so many) with as many edges a vertex as the full graph has. A whole number for R-MAT.
    seed : int
        Any number from 0 on.
    dtype : numpy.dtype
        An integer type that holds every vertex.
    engine : {"threads", "cuda"}
        Where the edges are made, and lie.

    Returns
    -------
    Graph
        ``components`` is known at full scale for seed 0.

    Raises
    ------
    InputError
        An unknown name, or an argument that cannot be used.

    See Also
    --------
    cc_rapids.generators.rmat : R-MAT graphs of any size.
    cc_rapids.generators.uniform : Random pairs of vertices.
    cc_rapids.generators.grid : Grids of any size.

    Examples
    --------
    >>> reference("road", scale=10)
    Graph(num_vertices=1024, name='road at scale 10', components=None)
    """
    if name not in REFERENCES:
        raise InputError(unknown("reference graph", name, REFERENCES))
    full = REFERENCES[name]
    if scale is None:
        graph = full.make(full.vertices, full.edges, seed, dtype, engine)
        return replace(graph, name=name, components=None if seed else full.components)
    n = round(2**scale)
    graph = full.make(n, round(full.edges * n / full.vertices), seed, dtype, engine)
    return replace(graph, name=f"{name} at scale {scale}")


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
        each level, used to the nearest 2^-16; (1, 1) has what is left to 1.
    seed : int
        Any number from 0 on.
    permute : bool
        Give the vertices random numbers; otherwise small numbers have large degrees.
    dtype, engine
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
    if not (isinstance(scale, int) and 0 <= scale <= 32):
        raise InputError(f"an R-MAT scale is a whole number from 0 to 32, not {scale!r}")
    if min(a, b, c) < 0 or a + b + c > 1 + 1e-9:
        raise InputError(f"a, b, c are probabilities with a sum of at most 1, not {a}, {b}, {c}")
    n = 1 << scale
    draws = -(-scale // generate.LEVELS)
    shares = running_shares(a, b, c)
    graph = empty(n, num_edges, f"rmat(scale={scale})", dtype, engine)
    launch(generate.rmat, engine, num_edges, keys(seed)[0], n, draws, *shares, *graph.edges)
    if permute:
        for column in graph.edges:
            launch(generate.relabel, engine, num_edges, keys(seed)[1], n, scale, column, column)
    return graph


def running_shares(a: float, b: float, c: float) -> list[int]:
    """Return a, a + b and a + b + c in units of the R-MAT kernel."""
    return [round(x * (1 << generate.SHARE_BITS)) for x in (a, a + b, a + b + c)]


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
    graph = empty(num_vertices, num_edges, f"uniform({num_vertices})", dtype, engine)
    if num_edges and not num_vertices:
        raise InputError(f"{num_edges} edges need at least one vertex")
    launch(generate.uniform, engine, num_edges, keys(seed)[0], num_vertices, *graph.edges)
    return graph


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
        The probability of each edge to be there. Edges are in the order of their first vertex,
        right before down, each at most once.
    seed, dtype, engine
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
    n = count("rows", rows) * count("columns", columns)
    if not 0 <= keep <= 1:
        raise InputError(f"keep is a probability from 0 to 1, not {keep}")
    runner, share = backends.get(engine), round(keep * (1 << 32))
    with runner.scope():
        kept = runner.empty(2 * n, np.uint8)
        launch(generate.keep_grid, engine, n, keys(seed)[0], n, columns, share, kept)
        places = runner.xp.flatnonzero(kept)
    graph = empty(n, int(places.size), f"grid({rows} x {columns})", dtype, engine)
    launch(generate.grid, engine, graph.num_edges, columns, places, *graph.edges)
    if share < 1 << 32:
        return graph
    return replace(graph, components=min(n, 1), expected=lambda: np.zeros(n, np.int64))


def _rmat(a: float, b: float, c: float) -> Callable[..., Graph]:
    def make(n: int, m: int, seed: int, dtype: npt.DTypeLike, engine: str) -> Graph:
        if n.bit_count() != 1:
            raise InputError(f"an R-MAT graph has 2^scale vertices with a whole scale, not {n:,}")
        return rmat(n.bit_length() - 1, m, a, b, c, seed, dtype=dtype, engine=engine)

    return make


def _uniform(n: int, m: int, seed: int, dtype: npt.DTypeLike, engine: str) -> Graph:
    return uniform(n, m, seed, dtype=dtype, engine=engine)


def _road(n: int, m: int, seed: int, dtype: npt.DTypeLike, engine: str) -> Graph:
    side = math.isqrt(n)
    return grid(side, side, 0.6, seed, dtype=dtype, engine=engine)


@dataclass(frozen=True)
class Reference:
    """A reference graph at full scale, and the components that it has there with seed 0."""

    vertices: int
    edges: int
    components: int
    make: Callable[..., Graph]


REFERENCES = {
    "kron21": Reference(1 << 21, 91_000_000, 589_791, _rmat(0.57, 0.19, 0.19)),
    "social22": Reference(1 << 22, 69_000_000, 383_209, _rmat(0.45, 0.22, 0.22)),
    "road": Reference(4900 * 4900, 28_800_000, 810_959, _road),
    "uniform25M": Reference(25_000_000, 100_000_000, 8_225, _uniform),
    "rmat24": Reference(1 << 24, 100_000_000, 677_744, _rmat(0.45, 0.15, 0.15)),
}
