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
SPARSE = 8  # the ends of a list are renumbered if there are more than 8 vertices per edge
MERGED = 4  # a batch is merged edge by edge if there are at least 4 vertices per edge
MAX_VERTICES = 1 << 32  # a pair of vertices, or a vertex and a row, fits into 64 bits


@dataclass(frozen=True)
class KeptForest:
    """The edges of a spanning forest of n vertices; there are at most n - 1 edges.

    If edges have expiry times, it is a maximum spanning forest by time.
    """

    src: Array  # (k,) int64
    dst: Array  # (k,) int64
    until: Array = None  # (k,) int64 or float64: the expiry times
    expiry: str | None = None  # the name of the column of expiry times
    # the type of the expiry times: "integers", "floats", "datetimes" (in microseconds) or
    # "nanoseconds"; "" before the first batch
    kind: str = ""
    cut: Any = None  # the latest time passed to ``expire``; edges with a lesser time have expired
    # (n,) uint64: links for merging batches, see cc_rapids.kernels.lasting. They exist if edges
    # have expiry times and a batch was small.
    links: Array = field(default=None, compare=False)
    # (k,) int64: among edges with equal times, the edge with the smaller number is kept
    order: Array = field(default=None, compare=False)
    ordered: int = 0  # the next number in ``order``
    # An index from the key of each edge, see :func:`.removed.pair_keys`, to its row. It is built
    # when edges outside the forest are removed often, and grows with the forest.
    pairs: Integers | None = field(default=None, compare=False)
    # the number of scans of all edges, since the last removal of an edge, that found no edge
    scans: int = field(default=0, compare=False)

    @classmethod
    def empty(cls, backend: Backend, expiry: str | None) -> KeptForest:
        """Return a forest without edges."""
        no_edges = backend.empty(0, np.int64)
        return cls(no_edges, no_edges, None if expiry is None else no_edges, expiry)

    def to(self, backend: Backend) -> KeptForest:
        """Return the same edges, without the index ``pairs``, on another backend."""
        ends = backend.asarray(self.src), backend.asarray(self.dst)
        until = None if self.until is None else backend.asarray(self.until)
        moved = self._with_columns(*ends, until)
        if self.links is None:
            return moved
        arrays = backend.asarray(self.links), backend.asarray(self.order)
        return replace(moved, links=arrays[0], order=arrays[1], ordered=self.ordered)

    def _with_columns(self, src: Array, dst: Array, until: Array) -> KeptForest:
        """Return a forest of other edges with the same expiry column, without links or index."""
        return replace(
            self, src=src, dst=dst, until=until, links=None, order=None, ordered=0, pairs=None
        )

    def where(self, rows: Array) -> KeptForest:
        """Return some of the edges, selected by a mask or by row numbers."""
        until = None if self.until is None else self.until[rows]
        return self._with_columns(self.src[rows], self.dst[rows], until)

    def without(self, rows: Array, backend: Backend) -> KeptForest:
        """Return the forest without the edges in the given sorted rows.

        The last edges of the forest move into these rows.
        """
        src, dst, until, _ = self._columns_without(rows, backend)
        return replace(self._with_columns(src, dst, until), scans=0)

    def _columns_without(self, rows: Array, backend: Backend) -> list[Array]:
        """Return new columns src, dst, until and order without sorted rows; None if missing."""
        size = self.src.size - rows.size
        moves = rows_to_move(rows, size, backend)
        columns = self.src, self.dst, self.until, self.order
        return [
            None if column is None else move_rows(column[:size].copy(), column, *moves)
            for column in columns
        ]

    def without_expired(self, rows: Array, backend: Backend) -> KeptForest:
        """Return the forest without the sorted ``rows``, whose edges expire before all others.

        Links of other edges stay valid: each relies only on edges that expire after its own edge.
        """
        src, dst, until, order = self._columns_without(rows, backend)
        remaining = self._with_columns(src, dst, until)
        if self.links is None:
            return remaining
        targets, sources = rows_to_move(rows, src.size, backend)
        # the row of each edge in the new forest; REMOVED for an expired edge
        new_rows = backend.xp.arange(self.src.size, dtype=np.uint32)
        new_rows[rows] = kernels.REMOVED
        new_rows[sources] = targets
        links = self.links.copy()
        backend.kernel(kernels.renumber)(links.size, 0, new_rows, links)
        return replace(remaining, links=links, order=order, ordered=self.ordered)

    def merged(self, src: Array, dst: Array, until: Array, n: int, backend: Backend) -> KeptForest:
        """Return the maximum spanning forest, by expiry time, of the kept edges and a batch.

        ``src``, ``dst`` and ``until`` are the batch, and n is the number of vertices. The first
        call builds links by merging all edges. Later calls merge only the batch.
        """
        xp = backend.xp
        all_edges = self.with_edges(src, dst, until, backend)  # new arrays, modified below
        links = backend.fill(backend.empty(n, np.uint64), 0xFF)  # all vertices are roots
        if self.links is None:
            first_merged, next_order = 0, all_edges.src.size
            order = xp.arange(next_order)
        else:
            links[: self.links.size] = self.links
            first_merged, next_order = self.src.size, self.ordered + src.size
            order = xp.concatenate([self.order, xp.arange(self.ordered, next_order)])
        # the row of the edge that each merged edge evicts from the forest, or NONE
        evicted = backend.empty(all_edges.src.size - first_merged, np.uint64)
        columns = all_edges.src, all_edges.dst, all_edges.until, order
        backend.kernel(kernels.merge)(evicted.size, first_merged, *columns, links, evicted)
        evicted_rows = xp.sort(evicted[evicted != NONE]).astype(np.int64)
        size = all_edges.src.size - evicted_rows.size
        targets, sources = rows_to_move(evicted_rows, size, backend)
        # the new row of each edge from row ``size`` on; REMOVED for an evicted edge
        new_rows = backend.fill(backend.empty(evicted_rows.size, np.uint32), 0xFF)
        new_rows[sources - size] = targets
        backend.kernel(kernels.renumber)(n, size, new_rows, links)
        src, dst, until, order = (
            move_rows(column, column, targets, sources)[:size] for column in columns
        )
        merged = all_edges._with_columns(src, dst, until)
        return replace(merged, links=links, order=order, ordered=next_order)

    def should_merge(self, size: int, n: int) -> bool:
        """Return whether a batch of ``size`` edges is to be passed to :meth:`merged`.

        For a larger batch, the forest of n vertices is solved again from all edges.
        """
        return MERGED * size <= n and max(n, self.src.size + size) < MAX_VERTICES

    def rows_of(self, keys: Array, backend: Backend) -> Array:
        """Return the distinct rows of the edges with the given keys, in ascending order."""
        assert self.pairs is not None
        rows, is_kept = self.pairs.lookup(keys, backend)
        return backend.xp.unique(rows[is_kept]).astype(np.int64)

    def valid(self, until: Array, backend: Backend) -> Array:
        """Return a mask of the times that are ``cut`` or later, which have not expired."""
        return until >= self.cut if self.cut is not None else backend.xp.ones(until.size, bool)

    def renumbered(self, new_number: Array) -> KeptForest:
        """Return the same edges with each vertex v renumbered to ``new_number[v]``."""
        return self._with_columns(new_number[self.src], new_number[self.dst], self.until)

    def with_edges(self, src: Array, dst: Array, until: Array, backend: Backend) -> KeptForest:
        """Return the edges of this forest followed by other edges.

        Without expiry times, the index ``pairs`` grows too: all edges together must be a forest.
        """
        concatenate = backend.xp.concatenate
        if self.until is not None:  # the first edges determine the type of times
            times = self.until if self.src.size else self.until.astype(until.dtype)
            until = concatenate([times, until])
        all_src = concatenate([self.src, src.astype(np.int64)])
        all_dst = concatenate([self.dst, dst.astype(np.int64)])
        kept = self._with_columns(all_src, all_dst, until)
        if self.pairs is None or until is not None:
            return kept
        keys = pair_keys(src, dst, backend)
        return replace(kept, pairs=self.pairs.insert([keys], backend)[0])

    def maximum_forest(self, n: int, backend: Backend) -> KeptForest:
        """Return the maximum spanning forest by expiry time; of equal times, the first is kept."""
        return self.where(forest_of(self.src, self.dst, self.until, n, backend))


def rows_to_move(removed: Array, size: int, backend: Backend) -> tuple[Array, Array]:
    """Return the removed rows below ``size``, and as many remaining rows from ``size`` on.

    ``size`` is the number of remaining rows. If the second rows are copied to the first, all
    remaining rows are in 0 .. size - 1.
    """
    is_source = backend.xp.ones(removed.size, bool)  # of the rows from ``size`` on
    is_source[removed[removed >= size] - size] = False
    return removed[removed < size], size + backend.xp.flatnonzero(is_source)


def move_rows(column: Array, values: Array, targets: Array, sources: Array) -> Array:
    """Copy the rows ``sources`` of ``values`` to the rows ``targets`` of a column; return it."""
    column[targets] = values[sources]
    return column


def forest_of(src: Array, dst: Array, weights: Array, n: int, backend: Backend) -> Array:
    """Return the rows of a maximum spanning forest, or of any forest if ``weights`` is None.

    Among edges of equal weight, the first row is preferred.
    """
    xp = backend.xp
    if not src.size:
        return backend.empty(0, np.int64)
    if SPARSE * src.size < n:  # the time would otherwise depend on n
        ends = xp.unique(xp.concatenate([src, dst]), return_inverse=True)[1].ravel()
        src, dst, n = ends[: src.size], ends[src.size :], int(2 * src.size)
    if weights is None:
        rows, _ = any_forest(src, dst, n, backend)
        return rows
    return forest_of_weights(src, dst, n, weights, greatest=True, backend=backend)
