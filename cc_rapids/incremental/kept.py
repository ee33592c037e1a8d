"""The edges of a kept spanning forest, with their expiry times."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backends import Array, Backend
from ..kernels import lasting as kernels
from ..solver.run import any_forest, forest_of_weights
from .removed import pair_keys

if TYPE_CHECKING:
    from ..ids.growing import Integers

NONE = np.iinfo(np.uint64).max
FEW = 8  # renumber the ends of a batch if there are more than this many vertices per edge
MERGED = 4  # merge a batch edge by edge if there are at least this many vertices per edge
MOST = 1 << 32  # the most vertices: a pair of vertices fits into 64 bits


@dataclass(frozen=True)
class KeptForest:
    """The edges of a spanning forest, at most n - 1.

    Attributes
    ----------
    src, dst : (k,) arrays of int64
        The vertices of both ends.
    until : (k,) array of int64 or float64, or None
        The expiry time of each edge; the forest is then a maximum spanning forest by time.
    expiry : str, optional
        The column of these times.
    kind : {"", "integers", "floats", "datetimes", "nanoseconds"}
        The type of the column; empty before the first batch. "datetimes" are in microseconds, and
        "nanoseconds" are datetimes in nanoseconds.
    cut : int or float, optional
        Edges with a time below this have expired.
    links : (n,) array of uint64, optional
        Links for merging batches, see :mod:`cc_rapids.kernels.lasting`. Present if times are kept
        and a batch was small.
    order : (k,) array of int64, optional
        The tie-breaker among edges with equal times: an edge with a smaller number is stronger.
    ordered : int
        The number of edges with a tie-breaker.
    pairs : Integers, optional
        An index from the pair of ends of each edge to its row. It is built when edges outside the
        forest are removed often, and grows with the forest.
    scans : int
        The number of scans of the edges that an index would have saved.
    """

    src: Array
    dst: Array
    until: Array = None
    expiry: str | None = None
    kind: str = ""
    cut: Any = None
    links: Array = field(default=None, compare=False)
    order: Array = field(default=None, compare=False)
    ordered: int = 0
    pairs: Integers | None = field(default=None, compare=False)
    scans: int = field(default=0, compare=False)

    @classmethod
    def empty(cls, backend: Backend, expiry: str | None) -> KeptForest:
        """Return a forest without edges."""
        none = backend.empty(0, np.int64)
        return cls(none, none, None if expiry is None else none, expiry)

    def to(self, backend: Backend) -> KeptForest:
        """Return the same edges on another backend."""
        ends = backend.asarray(self.src), backend.asarray(self.dst)
        until = None if self.until is None else backend.asarray(self.until)
        moved = self._of(*ends, until)
        if self.links is None:
            return moved
        arrays = backend.asarray(self.links), backend.asarray(self.order)
        return replace(moved, links=arrays[0], order=arrays[1], ordered=self.ordered)

    def _of(self, src: Array, dst: Array, until: Array) -> KeptForest:
        """Return other edges with the same expiry column, without links or an index."""
        return replace(
            self, src=src, dst=dst, until=until, links=None, order=None, ordered=0, pairs=None
        )

    def where(self, rows: Array) -> KeptForest:
        """Return some of the edges, selected by a mask or by row numbers."""
        until = None if self.until is None else self.until[rows]
        return self._of(self.src[rows], self.dst[rows], until)

    def without(self, rows: Array, backend: Backend) -> KeptForest:
        """Return all edges except some sorted rows, which the last rows replace."""
        src, dst, until, _ = self._columns_without(rows, backend)
        return replace(self._of(src, dst, until), scans=0)

    def _columns_without(self, rows: Array, backend: Backend) -> list[Array]:
        """Return new columns without the given rows: both ends, and times and order if present."""
        size = self.src.size - rows.size
        moves = moved_rows(rows, size, backend)
        columns = self.src, self.dst, self.until, self.order
        return [
            None if column is None else move_rows(column[:size].copy(), column, *moves)
            for column in columns
        ]

    def expired(self, rows: Array, backend: Backend) -> KeptForest:
        """Return the forest without the earliest expired rows; the other links stay valid."""
        src, dst, until, order = self._columns_without(rows, backend)
        left = self._of(src, dst, until)
        if self.links is None:
            return left
        numbers = backend.fill(backend.empty(self.src.size, np.uint32), 0xFF)
        free, last = moved_rows(rows, src.size, backend)
        numbers[: src.size] = backend.xp.arange(src.size, dtype=np.uint32)
        numbers[rows], numbers[last] = kernels.GOES, free
        links = self.links.copy()
        backend.kernel(kernels.renumber)(links.size, 0, numbers, links)
        return replace(left, links=links, order=order, ordered=self.ordered)

    def merged(self, src: Array, dst: Array, until: Array, n: int, backend: Backend) -> KeptForest:
        """Return the maximum spanning forest by expiry time of the kept edges and a batch.

        The first call builds links by merging all edges. Later calls merge only the batch.
        """
        xp = backend.xp
        every = self.with_edges(src, dst, until, backend)  # new arrays, modified below
        links, first = backend.fill(backend.empty(n, np.uint64), 0xFF), 0
        ordered = every.src.size
        order = xp.arange(ordered)
        if self.links is not None:
            links[: self.links.size], first = self.links, self.src.size
            ordered = self.ordered + src.size
            order = xp.concatenate([self.order, xp.arange(self.ordered, ordered)])
        evicted = backend.empty(every.src.size - first, np.uint64)
        columns = every.src, every.dst, every.until, order
        backend.kernel(kernels.merge)(evicted.size, first, *columns, links, evicted)
        rows = xp.sort(evicted[evicted != NONE]).astype(np.int64)
        size = every.src.size - rows.size
        free, last = moved_rows(rows, size, backend)
        numbers = backend.fill(backend.empty(rows.size, np.uint32), 0xFF)
        numbers[last - size] = free
        backend.kernel(kernels.renumber)(n, size, numbers, links)
        src, dst, until, order = (move_rows(each, each, free, last)[:size] for each in columns)
        return replace(every._of(src, dst, until), links=links, order=order, ordered=ordered)

    def merges(self, size: int, n: int) -> bool:
        """Return whether a batch of a size is merged edge by edge, not solved with all edges."""
        return MERGED * size <= n and max(n, self.src.size + size) < MOST

    def rows_of(self, keys: Array, backend: Backend) -> Array:
        """Return the rows of the kept edges with the given keys, sorted and without repeats."""
        assert self.pairs is not None
        rows, is_kept = self.pairs.lookup(keys, backend)
        return backend.xp.unique(rows[is_kept]).astype(np.int64)

    def valid(self, until: Array, backend: Backend) -> Array:
        """Return a mask of the times that have not expired."""
        return until >= self.cut if self.cut is not None else backend.xp.ones(until.size, bool)

    def among(self, number: Array) -> KeptForest:
        """Return the same edges with renumbered vertices."""
        return self._of(number[self.src], number[self.dst], self.until)

    def with_edges(self, src: Array, dst: Array, until: Array, backend: Backend) -> KeptForest:
        """Return the edges of this forest and further ones.

        If the index of pairs exists, the union must be a forest.
        """
        join_up = backend.xp.concatenate
        if self.until is not None:
            times = self.until if self.src.size else self.until.astype(until.dtype)
            until = join_up([times, until])
        ends = (src, self.src), (dst, self.dst)
        both = [join_up([times, more.astype(np.int64)]) for more, times in ends]
        kept = self._of(both[0], both[1], until)
        if self.pairs is None or until is not None:
            return kept
        keys = pair_keys(src, dst, backend)
        return replace(kept, pairs=self.pairs.insert([keys], backend)[0])

    def lasting(self, n: int, backend: Backend) -> KeptForest:
        """Return the maximum spanning forest by expiry time; ties go to the first edge."""
        return self.where(forest_of(self.src, self.dst, self.until, n, backend))


def moved_rows(removed: Array, size: int, backend: Backend) -> tuple[Array, Array]:
    """Return the freed rows below a size, and the rows beyond it that move into them."""
    moves = backend.xp.ones(removed.size, bool)
    moves[removed[removed >= size] - size] = False
    return removed[removed < size], size + backend.xp.flatnonzero(moves)


def move_rows(column: Array, values: Array, free: Array, last: Array) -> Array:
    """Copy the last rows of ``values`` into the free rows of a column, and return the column."""
    column[free] = values[last]
    return column


def forest_of(src: Array, dst: Array, weights: Array, n: int, backend: Backend) -> Array:
    """Return the rows of a maximum spanning forest, or of any forest if ``weights`` is None.

    Ties of weights go to the first rows. The vertices of a small list are renumbered first, so that
    the cost depends on its edges and not on n.
    """
    xp = backend.xp
    if not src.size:
        return backend.empty(0, np.int64)
    if FEW * src.size < n:
        ends = xp.unique(xp.concatenate([src, dst]), return_inverse=True)[1].ravel()
        src, dst, n = ends[: src.size], ends[src.size :], int(2 * src.size)
    if weights is None:
        return any_forest(src, dst, n, backend)[0]
    return forest_of_weights(src, dst, n, weights, True, backend)
