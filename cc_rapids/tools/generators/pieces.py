"""The same edge lists as the other generators', piece by piece: lists larger than memory.

An edge is a function of the seed and of its own index, so a piece is made without those before it.
All generators are here but :func:`~cc_rapids.generators.duplicated`, whose order leads all over
the list; it takes a list in memory, and its pieces are cut from one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from . import graph, random, shapes
from . import kernels as generate
from .graph import bit_length, count, keys, launch

Ends = tuple[npt.NDArray[Any], npt.NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Pieces:
    """An edge list over the vertices 0 .. num_vertices - 1 that is made when it is asked for.

    Attributes
    ----------
    name : str
        What the graph is, for tables and messages.
    num_vertices, num_edges : int
    cut : callable
        Takes the number of edges of a piece (about; the pieces of a grid vary) and gives an
        iterator over ``(src, dst)``, two new NumPy arrays of one length, int32 where all vertices
        fit and else int64.
    whole : bool
        Whether all edges lie in memory anyway.
    """

    name: str
    num_vertices: int
    num_edges: int
    cut: Callable[[int], Iterator[Ends]]
    whole: bool = False

    def gather(self) -> Ends:
        """Gather all edges: ``src`` and ``dst``, NumPy arrays of ``num_edges``."""
        parts = [_empty(0, self.num_vertices), *self.cut(1 << 20)]
        return np.concatenate([src for src, _ in parts]), np.concatenate([dst for _, dst in parts])


def uniform(num_vertices: int, num_edges: int, seed: int = 0) -> Pieces:
    """Make :func:`cc_rapids.generators.uniform` in pieces."""
    whole = random.uniform(num_vertices, 0, seed)
    if count("num_edges", num_edges) and not num_vertices:
        raise InputError(f"{num_edges} edges need at least one vertex")
    arguments = keys(seed)[0], num_vertices
    return _by_index(whole, num_edges, generate.uniform, *arguments)


def rmat(
    scale: int, num_edges: int, a: float, b: float, c: float, seed: int = 0, permute: bool = True
) -> Pieces:
    """Make :func:`cc_rapids.generators.rmat` in pieces."""
    whole = random.rmat(scale, 0, a, b, c, seed)
    shares = random.running_shares(a, b, c)
    arguments = keys(seed)[0], whole.num_vertices, -(-scale // generate.LEVELS), *shares
    pieces = _by_index(whole, num_edges, generate.rmat, *arguments)
    return permuted(pieces, seed) if permute else pieces


def gnm(num_vertices: int, num_edges: int, seed: int = 0) -> Pieces:
    """Make the random graph G(n, m): distinct pairs of vertices, no self-loops, in random order.

    Parameters
    ----------
    num_vertices : int
    num_edges : int
        At most ``num_vertices * (num_vertices - 1) / 2``, where every vertex is joined to all.
    seed : int

    Raises
    ------
    InputError
        An argument is out of its range.

    Examples
    --------
    >>> complete = gnm(5, 10)
    >>> len({frozenset(pair) for pair in zip(*map(list, complete.gather()))})
    10
    """
    n, m = count("num_vertices", num_vertices), count("num_edges", num_edges)
    pairs = n * (n - 1) // 2
    if m > pairs:
        raise InputError(f"{n:,} vertices have {pairs:,} pairs, and {m:,} edges are asked for")
    shapes.isolated(n)  # refuses too many vertices
    key, dtype = keys(seed)[0], _dtype(n)

    def part(first: int, size: int) -> Ends:
        pair = np.arange(first, first + size, dtype=np.uint64)
        launch(generate.relabel, "threads", size, key, pairs, bit_length(pairs), pair, pair)
        # As in a clique: vertex k is joined to those 1, 2, ... places further on around a circle
        hop, k = np.divmod(pair, np.uint64(max(n, 1)))
        far = (k + hop + np.uint64(1)) % np.uint64(max(n, 1))
        return k.astype(dtype), far.astype(dtype)

    return Pieces(f"gnm({n}, {m})", n, m, _cutter(part, m))


def grid(rows: int, columns: int, keep: float = 1.0, seed: int = 0) -> Pieces:
    """Make :func:`cc_rapids.generators.grid` in pieces.

    Its edges are counted before they are made.
    """
    random.grid(0, 0, keep, seed)
    n = count("rows", rows) * count("columns", columns)
    whole, share, key = shapes.isolated(n), round(keep * (1 << 32)), keys(seed)[0]

    def kept(first: int, size: int) -> npt.NDArray[np.uint8]:
        out = np.empty(2 * size, np.uint8)
        arguments = key, n, columns, share, _window(out, 2 * first)
        launch(_later(generate.keep_grid), "threads", size, first, *arguments)
        return out

    def cut(size: int) -> Iterator[Ends]:
        step = max(size // 2, 1)  # a vertex has two edges at most
        for first in range(0, n, step):
            places = np.flatnonzero(kept(first, min(step, n - first))) + 2 * first
            src, dst = _empty(places.size, n)
            launch(generate.grid, "threads", places.size, columns, places, src, dst)
            yield src, dst

    step = 1 << 20
    edges = sum(int(kept(v, min(step, n - v)).sum(dtype=int)) for v in range(0, n, step))
    return Pieces(f"grid({rows} x {columns})", whole.num_vertices, edges, cut)


def torus2d(rows: int, columns: int) -> Pieces:
    """Make :func:`cc_rapids.generators.torus2d` in pieces."""
    whole = shapes.isolated(count("rows", rows) * count("columns", columns))
    whole, n = replace(whole, name=f"torus2d({rows} x {columns})"), whole.num_vertices
    return _by_index(whole, 2 * n, generate.torus, n, columns)


def reference(name: str, scale: float | None = None, seed: int = 0) -> Pieces:
    """Make :func:`cc_rapids.generators.reference` in pieces."""
    random.reference(name, 0, seed)
    full = random.REFERENCES[name]
    n = full.vertices if scale is None else round(2**scale)
    m = round(full.edges * n / full.vertices)
    pieces = _FAMILIES[name](n, m, seed)
    return replace(pieces, name=name if scale is None else f"{name} at scale {scale}")


def path(n: int, shuffle: int | None = None) -> Pieces:
    """Make :func:`cc_rapids.generators.path` in pieces."""
    pieces = _by_steps(shapes.path(0), n, n - 1, f"path({n})", (0, 1), (1, 1))
    return pieces if shuffle is None else permuted(pieces, shuffle)


def star(n: int) -> Pieces:
    """Make :func:`cc_rapids.generators.star` in pieces."""
    return _by_steps(shapes.star(0), n, n - 1, f"star({n})", (0, 0), (1, 1))


def self_loops(n: int) -> Pieces:
    """Make :func:`cc_rapids.generators.self_loops` in pieces."""
    return _by_steps(shapes.self_loops(0), n, n, f"self_loops({n})", (0, 1), (0, 1))


def isolated(n: int) -> Pieces:
    """Make :func:`cc_rapids.generators.isolated` in pieces, of which there are none."""
    return _by_steps(shapes.isolated(0), n, 0, f"isolated({n})", (0, 0), (0, 0))


def cliques(sizes: Sequence[int]) -> Pieces:
    """Make :func:`cc_rapids.generators.cliques` in pieces."""
    size, vertices, edges = shapes.clique_starts(sizes)
    n = int(vertices[-1])
    whole = replace(shapes.isolated(n), name=f"cliques({size.size} of {n} vertices)")
    return _by_index(whole, int(edges[-1]), generate.cliques, size.size, vertices, edges)


def permuted(pieces: Pieces, seed: int = 0) -> Pieces:
    """Make :func:`cc_rapids.generators.permuted` of a list in pieces, in pieces."""
    n, (_, key) = pieces.num_vertices, keys(seed)

    def cut(size: int) -> Iterator[Ends]:
        for ends in pieces.cut(size):
            for column in ends:
                arguments = key, n, bit_length(n), column, column
                launch(generate.relabel, "threads", column.size, *arguments)
            yield ends

    return replace(pieces, cut=cut)


def duplicated(pieces: Pieces, times: int, seed: int = 0) -> Pieces:
    """Make :func:`cc_rapids.generators.duplicated` of a list in pieces, gathered in memory."""
    total = pieces.num_edges * count("times", times)

    @cache
    def made() -> graph.Graph:
        held = graph.Graph(*pieces.gather(), pieces.num_vertices, pieces.name)
        return shapes.duplicated(held, times, seed)

    def cut(size: int) -> Iterator[Ends]:
        src, dst = made().edges
        for first in range(0, total, size):
            part = slice(first, first + size)
            yield src[part].copy(), dst[part].copy()  # a piece is the caller's to change

    return replace(pieces, num_edges=total, cut=cut, whole=True)


_FAMILIES: dict[str, Callable[[int, int, int], Pieces]] = {
    "kron21": lambda n, m, seed: rmat(n.bit_length() - 1, m, 0.57, 0.19, 0.19, seed),
    "social22": lambda n, m, seed: rmat(n.bit_length() - 1, m, 0.45, 0.22, 0.22, seed),
    "road": lambda n, m, seed: grid(math.isqrt(n), math.isqrt(n), 0.6, seed),
    "uniform25M": uniform,
    "rmat24": lambda n, m, seed: rmat(n.bit_length() - 1, m, 0.45, 0.15, 0.15, seed),
}


def _dtype(n: int) -> Any:
    return np.int32 if n <= 1 << 31 else np.int64


def _empty(size: int, n: int) -> Ends:
    return np.empty(size, _dtype(n)), np.empty(size, _dtype(n))


def _cutter(part: Callable[[int, int], Ends], m: int) -> Callable[[int], Iterator[Ends]]:
    def cut(size: int) -> Iterator[Ends]:
        return (part(first, min(size, m - first)) for first in range(0, m, size))

    return cut


def _by_index(whole: graph.Graph, num_edges: int, make: Any, *arguments: Any) -> Pieces:
    """Return pieces by a kernel that writes edge i to src[i] and dst[i]."""
    n, m = whole.num_vertices, count("num_edges", num_edges)

    def part(first: int, size: int) -> Ends:
        src, dst = _empty(size, n)
        windows = _window(src, first), _window(dst, first)
        launch(_later(make), "threads", size, first, *arguments, *windows)
        return src, dst

    return Pieces(whole.name, n, m, _cutter(part, m))


def _by_steps(
    like: graph.Graph, n: int, m: int, name: str, src: tuple[int, int], dst: tuple[int, int]
) -> Pieces:
    """Return pieces of edges whose ends each go up in equal steps, given as (first, step)."""
    vertices = shapes.isolated(n).num_vertices

    def part(first: int, size: int) -> Ends:
        u, v = (start + step * np.arange(first, first + size) for start, step in (src, dst))
        return u.astype(_dtype(n)), v.astype(_dtype(n))

    return Pieces(name, vertices, max(m, 0), _cutter(part, max(m, 0)))


@cache
def _later(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the kernel of ``make`` from another index on, which comes ahead of its arguments."""

    def later(on: Any) -> Any:
        run = make(on).part

        @on.elementwise
        def later(i, first, *arguments):  # type: ignore[no-untyped-def]
            run(i + np.uint64(first), *arguments)

        return later

    return later


class _Shifted:
    """Memory under an address ``first`` elements before its own."""

    def __init__(self, array: npt.NDArray[Any], first: int) -> None:
        self.array = array  # which keeps the memory
        address = array.ctypes.data - first * array.itemsize
        self.__array_interface__ = array.__array_interface__ | {
            "data": (address, False),
            "shape": (first + array.size,),
        }


def _window(array: npt.NDArray[Any], first: int) -> npt.NDArray[Any]:
    """Return the array as a kernel sees it that writes to the indices from ``first`` on.

    It writes to no other: what lies before the window is not there.
    """
    return np.asarray(_Shifted(array, first))
