"""The edges of a forest that is kept beside the trees, with the time at which each expires."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..algorithms import boruvka
from ..backends import Array, Backend
from ..graph.edges import Edges
from ..graph.forest import Forest
from ..ids.growing import Integers

NONE = np.iinfo(np.uint64).max
FEW = 8  # times the edges of a batch: more vertices than these are not looked at
MOST = 1 << 32  # vertices, of which two make a number of 64 bits
HALF, LOWER = np.uint64(32), np.uint64(MOST - 1)


@dataclass(frozen=True)
class KeptForest:
    """The edges of a spanning forest, which are at most n - 1.

    Attributes
    ----------
    src, dst : (k,) arrays of int64
        The vertices of both ends.
    until : (k,) array of int64 or float64, or None
        The time at which each edge expires; the forest is then one of greatest times.
    expiry : str, optional
        The column of these times.
    kind : {"", "integers", "floats", "datetimes"}
        What the column holds; empty as long as no batch has come. Datetimes are microseconds.
    cut : int or float, optional
        Edges whose time is less have expired.
    pairs : Integers, optional
        From the pair of ends of each edge to its row, where edges outside the forest have been
        removed before; it grows with the forest.
    """

    src: Array
    dst: Array
    until: Array = None
    expiry: str | None = None
    kind: str = ""
    cut: Any = None
    pairs: Integers | None = field(default=None, compare=False)

    @classmethod
    def empty(cls, backend: Backend, expiry: str | None) -> KeptForest:
        """Return a forest without edges."""
        none = backend.empty(0, np.int64)
        return cls(none, none, None if expiry is None else none, expiry)

    def to(self, backend: Backend) -> KeptForest:
        """Return the same edges on another backend."""
        until = None if self.until is None else backend.asarray(self.until)
        ends = backend.asarray(self.src), backend.asarray(self.dst)
        return replace(self, src=ends[0], dst=ends[1], until=until, pairs=None)

    def where(self, rows: Array) -> KeptForest:
        """Return some of the edges, by a mask or by their numbers."""
        until = None if self.until is None else self.until[rows]
        return replace(self, src=self.src[rows], dst=self.dst[rows], until=until, pairs=None)

    def without(self, rows: Array, backend: Backend) -> KeptForest:
        """Return all edges but those of some rows, whose places others at the end take."""
        xp, size = backend.xp, self.src.size - rows.size
        moved = xp.ones(rows.size, bool)
        moved[rows[rows >= size] - size] = False
        last, free = size + xp.flatnonzero(moved), rows[rows < size]

        def left(column: Array) -> Array:
            found = column[:size].copy()
            found[free] = column[last]
            return found

        until = None if self.until is None else left(self.until)
        return replace(self, src=left(self.src), dst=left(self.dst), until=until, pairs=None)

    def with_table(self, keys: Array, backend: Backend) -> KeptForest:
        """Return the same edges with a table of their pairs, whose keys these are."""
        return replace(self, pairs=Integers.empty(backend).insert([keys], backend)[0])

    def rows_of(self, keys: Array, backend: Backend) -> Array:
        """Return the rows of the edges with some keys, by the table."""
        assert self.pairs is not None
        rows, known = self.pairs.lookup(keys, backend)
        return rows[known].astype(np.int64)

    def valid(self, until: Array, backend: Backend) -> Array:
        """Return a mask of the edges with these times that have not expired."""
        return until >= self.cut if self.cut is not None else backend.xp.ones(until.size, bool)

    def among(self, number: Array) -> KeptForest:
        """Return the same edges between vertices that have other numbers now."""
        return replace(self, src=number[self.src], dst=number[self.dst], pairs=None)

    def with_edges(self, src: Array, dst: Array, until: Array, backend: Backend) -> KeptForest:
        """Return the edges of this forest and further ones.

        Where a forest is kept by pairs, they have to be one together.
        """
        join_up = backend.xp.concatenate
        if self.until is not None:
            held = self.until if self.src.size else self.until.astype(until.dtype)
            until = join_up([held, until])
        ends = (src, self.src), (dst, self.dst)
        both = [join_up([held, more.astype(np.int64)]) for more, held in ends]
        kept = replace(self, src=both[0], dst=both[1], until=until)
        if self.pairs is not None and src.size:
            keys = pair_keys(src.astype(np.int64), dst.astype(np.int64), backend)
            kept = replace(kept, pairs=self.pairs.insert([keys], backend)[0])
        return kept

    def lasting(self, n: int, backend: Backend) -> KeptForest:
        """Return a forest of those edges that expire last, among equal ones of the first."""
        return self.where(forest_of(self.src, self.dst, self.until, n, backend))


def forest_of(src: Array, dst: Array, weights: Array, n: int, backend: Backend) -> Array:
    """Return the rows of a spanning forest of greatest weight; weights may be None, all equal.

    Among equal weights the first rows are taken. Of few edges the ends are numbered anew, so that
    no more than these are looked at.
    """
    xp = backend.xp
    if not src.size:
        return backend.empty(0, np.int64)
    if FEW * src.size < n:
        ends = xp.unique(xp.concatenate([src, dst]), return_inverse=True)[1].ravel()
        src, dst, n = ends[: src.size], ends[src.size :], int(2 * src.size)
    if weights is None:
        weights = backend.fill(backend.empty(src.size, np.uint8), 0)
    order = boruvka.WeightOrder.of(weights, True, backend)
    forest, hook_edge = Forest(backend, n), backend.fill(backend.empty(n, np.uint64), 0xFF)
    boruvka.solve(Edges(src, dst, 0), forest, n, order, hook_edge)
    return xp.sort(hook_edge[hook_edge != NONE]).astype(np.int64)


def pair_keys(src: Array, dst: Array, backend: Backend) -> Array:
    """Return a number for each pair of vertices below 2^32, the same in both directions."""
    xp = backend.xp
    low, high = xp.minimum(src, dst).astype(np.uint64), xp.maximum(src, dst).astype(np.uint64)
    return (low << HALF) | high
