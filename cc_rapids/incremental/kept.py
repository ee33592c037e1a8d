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

NONE = np.iinfo(np.uint64).max  # stands for no evicted edge
FEW = 8  # the ends of a batch are renumbered if there are more than 8 vertices per edge
MERGED = 4  # a batch is merged edge by edge if there are at least 4 vertices per edge
MOST = 1 << 32  # max. vertices: a pair of vertices fits into 64 bits


@dataclass(frozen=True)
class KeptForest:
    """The edges of a spanning forest of n vertices; there are at most n - 1 edges.

    If edges have expiry times, it is a maximum spanning forest by time.
    """

    src: Array  # (k,) int64
    dst: Array  # (k,) int64
    until: Array = None  # (k,) int64 or float64: the expiry times
    expiry: str | None = None  # the name of the column of expiry times
    # "integers", "floats", "datetimes" in microseconds, "nanoseconds"; "" before the first batch
    kind: str = ""
    cut: Any = None  # the latest time passed to ``expire``; edges with a lesser time have expired
    # (n,) uint64: links for merging batches, see cc_rapids.kernels.lasting. They exist if edges
    # have expiry times and a batch was small.
    links: Array = field(default=None, compare=False)
    # (k,) int64: among edges with equal times, the edge with the smaller number is kept
    order: Array = field(default=None, compare=False)
    ordered: int = 0  # the next number in ``order``
    # An index from the key of each edge to its row, see :func:`.removed.pair_keys`. It is built
    # when edges outside the forest are removed often, and grows with the forest.
    pairs: Integers | None = field(default=None, compare=False)
    # how many scans of all edges the index ``pairs`` would have saved
    scans: int = field(default=0, compare=False)

    @classmethod
    def empty(cls, backend: Backend, expiry: str | None) -> KeptForest:
        """Return a forest without edges."""
        no_edges = backend.empty(0, np.int64)
        return cls(no_edges, no_edges, None if expiry is None else no_edges, expiry)

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
        """Return a forest of other edges with the same expiry column, without links or index."""
        return replace(
            self, src=src, dst=dst, until=until, links=None, order=None, ordered=0, pairs=None
        )

    def where(self, rows: Array) -> KeptForest:
        """Return some of the edges, selected by a mask or by row numbers."""
        until = None if self.until is None else self.until[rows]
        return self._of(self.src[rows], self.dst[rows], until)

    def without(self, rows: Array, backend: Backend) -> KeptForest:
        """Return the forest without the edges in the given sorted rows.

        The last edges of the forest move into these rows.
        """
        src, dst, until, _ = self._columns_without(rows, backend)
        return replace(self._of(src, dst, until), scans=0)

    def _columns_without(self, rows: Array, backend: Backend) -> list[Array]:
        """Return new columns without the given sorted rows: src, dst, until and order.

        A missing column is None.
        """
        size = self.src.size - rows.size
        moves = moved_rows(rows, size, backend)
        columns = self.src, self.dst, self.until, self.order
        return [
            None if column is None else move_rows(column[:size].copy(), column, *moves)
            for column in columns
        ]

    def expired(self, rows: Array, backend: Backend) -> KeptForest:
        """Return the forest without the edges in ``rows``, which must be those that expire first.

        The rows must be sorted. The links of the remaining edges stay valid.
        """
        src, dst, until, order = self._columns_without(rows, backend)
        remaining = self._of(src, dst, until)
        if self.links is None:
            return remaining
        new_rows = backend.fill(backend.empty(self.src.size, np.uint32), 0xFF)
        targets, moved = moved_rows(rows, src.size, backend)
        # the row of each edge in the new forest; REMOVED for an expired edge
        new_rows[: src.size] = backend.xp.arange(src.size, dtype=np.uint32)
        new_rows[rows] = kernels.REMOVED
        new_rows[moved] = targets
        links = self.links.copy()
        backend.kernel(kernels.renumber)(links.size, 0, new_rows, links)
        return replace(remaining, links=links, order=order, ordered=self.ordered)

    def merged(self, src: Array, dst: Array, until: Array, n: int, backend: Backend) -> KeptForest:
        """Return the maximum spanning forest, by expiry time, of the kept edges and a batch.

        The first call builds links by merging all edges. Later calls merge only the batch.
        """
        xp = backend.xp
        all_edges = self.with_edges(src, dst, until, backend)  # new arrays, modified below
        links = backend.fill(backend.empty(n, np.uint64), 0xFF)
        if self.links is None:
            first_row, next_order = 0, all_edges.src.size
            order = xp.arange(next_order)
        else:
            links[: self.links.size] = self.links
            first_row, next_order = self.src.size, self.ordered + src.size
            order = xp.concatenate([self.order, xp.arange(self.ordered, next_order)])
        # the row of the edge that each merged edge evicts from the forest, or NONE
        evicted = backend.empty(all_edges.src.size - first_row, np.uint64)
        columns = all_edges.src, all_edges.dst, all_edges.until, order
        backend.kernel(kernels.merge)(evicted.size, first_row, *columns, links, evicted)
        rows = xp.sort(evicted[evicted != NONE]).astype(np.int64)
        size = all_edges.src.size - rows.size
        targets, moved = moved_rows(rows, size, backend)
        new_rows = backend.fill(backend.empty(rows.size, np.uint32), 0xFF)
        new_rows[moved - size] = targets
        backend.kernel(kernels.renumber)(n, size, new_rows, links)
        src, dst, until, order = (
            move_rows(column, column, targets, moved)[:size] for column in columns
        )
        return replace(all_edges._of(src, dst, until), links=links, order=order, ordered=next_order)

    def merges(self, size: int, n: int) -> bool:
        """Return whether a batch of ``size`` edges is merged into the forest edge by edge.

        A larger batch is solved together with all edges of the forest of n vertices.
        """
        return MERGED * size <= n and max(n, self.src.size + size) < MOST

    def rows_of(self, keys: Array, backend: Backend) -> Array:
        """Return the distinct rows of the edges with the given keys, in ascending order."""
        assert self.pairs is not None
        rows, is_kept = self.pairs.lookup(keys, backend)
        return backend.xp.unique(rows[is_kept]).astype(np.int64)

    def valid(self, until: Array, backend: Backend) -> Array:
        """Return a mask of the times that have not expired, which are ``cut`` or later."""
        return until >= self.cut if self.cut is not None else backend.xp.ones(until.size, bool)

    def among(self, number: Array) -> KeptForest:
        """Return the same edges with each vertex v renumbered to ``number[v]``."""
        return self._of(number[self.src], number[self.dst], self.until)

    def with_edges(self, src: Array, dst: Array, until: Array, backend: Backend) -> KeptForest:
        """Return the edges of this forest followed by other edges.

        If the index ``pairs`` exists, all edges together must be a forest.
        """
        concatenate = backend.xp.concatenate
        if self.until is not None:
            times = self.until if self.src.size else self.until.astype(until.dtype)
            until = concatenate([times, until])
        all_src = concatenate([self.src, src.astype(np.int64)])
        all_dst = concatenate([self.dst, dst.astype(np.int64)])
        kept = self._of(all_src, all_dst, until)
        if self.pairs is None or until is not None:
            return kept
        keys = pair_keys(src, dst, backend)
        return replace(kept, pairs=self.pairs.insert([keys], backend)[0])

    def lasting(self, n: int, backend: Backend) -> KeptForest:
        """Return the maximum spanning forest of these edges by expiry time.

        Of edges with equal times, the first is preferred.
        """
        return self.where(forest_of(self.src, self.dst, self.until, n, backend))


def moved_rows(removed: Array, size: int, backend: Backend) -> tuple[Array, Array]:
    """Return the rows to overwrite, and the rows to copy there.

    The rows to overwrite are the removed rows below ``size``; those to copy are the remaining rows
    of ``size`` or above. Afterwards, the rows 0 .. size - 1 are the remaining rows.
    """
    is_moved = backend.xp.ones(removed.size, bool)
    is_moved[removed[removed >= size] - size] = False
    return removed[removed < size], size + backend.xp.flatnonzero(is_moved)


def move_rows(column: Array, values: Array, targets: Array, moved: Array) -> Array:
    """Return a column after copying the rows ``moved`` of ``values`` to its rows ``targets``."""
    column[targets] = values[moved]
    return column


def forest_of(src: Array, dst: Array, weights: Array, n: int, backend: Backend) -> Array:
    """Return the rows of a maximum spanning forest, or of any one if ``weights`` is None.

    Among edges of equal weight, the first row is preferred. The vertices of a short list are
    renumbered, because the time would otherwise depend on n.
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
