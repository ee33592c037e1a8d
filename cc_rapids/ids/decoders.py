"""Decoders of vertices 0 .. n - 1 to the caller's ids.

:meth:`Forest.rows` adds ``id_base`` to each vertex, and ``decode`` converts these sums to ids.
``lookup`` returns the vertex of each id, and an arbitrary number for an unknown id.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ..backends import Array, Backend
from ..kernels import gather, lookup

IDS_PER_LOOKUP = 8  # max. sorted ids per id to look up for building an index, see dedup.jsonl


class IdDecoder(Protocol):
    """Interface of decoders, which convert vertices to ids and look up ids."""

    @property
    def id_base(self) -> int:
        """The number that is added to a vertex before it is decoded."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the vertices after adding ``id_base``."""

    def decode(self, vertices: Array, backend: Backend, /) -> Any:
        """Return the ids of the given vertices, as a column or a list of columns."""

    def lookup(self, ids: Any, backend: Backend, /) -> tuple[Array, Array]:
        """Return the vertex of each id, and a mask of the known ids."""


@dataclass(frozen=True)
class OffsetDecoder:
    """Decoder of integer ids: the id of vertex v is v + id_base."""

    id_base: int
    dtype: np.dtype[Any]

    def decode(self, ids: Array, backend: Backend) -> Array:
        """Return the ids of given vertices."""
        return ids

    def lookup(self, ids: Array, backend: Backend) -> tuple[Array, Array]:
        """Return the vertices of integers, and a mask of the integers that fit into 64 bits.

        An integer that fits but is not an id of the n vertices gets a number of n or more.
        """
        wide, fits = to_64_bits(ids, self.dtype)
        low = np.uint64(self.id_base & 0xFFFFFFFFFFFFFFFF)
        return wide.view(np.uint64) - low, fits


@dataclass(frozen=True)
class SortedDecoder:
    """Decoder of integer ids: the id of vertex v is ``ids[v]``, an array on the backend."""

    ids: Array
    dtype: np.dtype[Any]  # of the vertices, not of ``ids``
    id_base: int = 0
    _ahead: list[tuple[Array, Array]] = field(default_factory=list, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickling, without rows decoded ahead."""
        return vars(self) | {"_ahead": []}

    @classmethod
    def of(cls, ids: Array) -> SortedDecoder:
        """Return the decoder of a sorted array of distinct ids; the array is kept, not copied."""
        return cls(ids, np.dtype(np.uint32 if ids.size <= 1 << 32 else np.uint64))

    def decode(self, vertices: Array, backend: Backend) -> Array:
        """Return the ids of the given vertices, as a new array."""
        return self.ids[vertices]

    def decode_all(self, parent: Array, backend: Backend) -> tuple[Array, Array]:
        """Return new arrays with the id of each vertex and the id of its root.

        ``parent`` has the root of each vertex.
        """
        with contextlib.suppress(IndexError):  # raised if nothing was decoded ahead
            return self._ahead.pop()
        ids, labels = backend.alloc_packed(*[(self.ids.size, self.ids.dtype)] * 2)
        decode = backend.kernel(gather.decode_rows)
        decode(self.ids.size, self.ids, parent, ids, labels)
        return ids, labels

    def decode_ahead(self, parent: Array, backend: Backend) -> None:
        """Launch the kernel of the next :meth:`decode_all`, if there is memory for its results.

        On an asynchronous backend, the host does not wait for the kernel.
        """
        with contextlib.suppress(MemoryError):
            self._ahead.append(self.decode_all(parent, backend))

    def lookup(self, ids: Array, backend: Backend) -> tuple[Array, Array]:
        """Return the vertices of integers of any type, by binary search.

        If there are many ids to look up, a bucket index over the sorted ids is built first.
        """
        wide, valid = to_64_bits(ids, self.ids.dtype)
        if not self.ids.size:
            return wide.view(np.uint64), backend.xp.zeros(ids.size, bool)
        if ids.size * IDS_PER_LOOKUP >= self.ids.size:
            return _search(self.ids, wide, valid, backend)
        sorted_ids, xp = self.ids.astype(wide.dtype, copy=False), backend.xp
        vertices = xp.minimum(xp.searchsorted(sorted_ids, wide), sorted_ids.size - 1)
        return vertices.astype(np.uint64), valid & (sorted_ids[vertices] == wide)


def at_places(values: Array, positions: Array, backend: Backend) -> Array:
    """Return the values at the given positions, as a new array that all threads fill."""
    out = backend.empty(positions.size, values.dtype)
    backend.kernel(lookup.take)(positions.size, positions, values, out)
    return out


def _search(ids: Array, queries: Array, valid: Array, backend: Backend) -> tuple[Array, Array]:
    """Return the positions of 64-bit queries in sorted distinct ids, and a mask of those found.

    Queries for which ``valid`` is False are skipped.
    """
    low, high = backend.to_host(ids[[0, -1]]).tolist()
    span, size = high - low, ids.size
    shift = max(span.bit_length() - size.bit_length(), 0)  # about one bucket of 2^shift per id
    starts = backend.empty((span >> shift) + 2, np.uint32 if size < 1 << 32 else np.uint64)
    backend.kernel(lookup.index_sorted)(size, ids, as_word(low), shift, starts)
    out, valid = backend.empty(queries.size, np.uint64), valid.astype(np.uint8)
    search = backend.kernel(lookup.search_sorted)
    search(queries.size, queries, ids, as_word(low), as_word(span), shift, starts, out, valid)
    return out, valid.view(bool)


def as_word(number: int) -> int:
    """Return the int64 with the same bits as an unsigned number, as kernels expect it."""
    return number - (1 << 64) if number >= 1 << 63 else number


def same_integers(first: Array, second: Array) -> bool:
    """Return whether two integer arrays of equal length have equal values; types may differ."""
    kind = np.dtype(np.uint64 if np.uint64 in (first.dtype, second.dtype) else np.int64)
    (left, left_fits), (right, right_fits) = (to_64_bits(array, kind) for array in (first, second))
    return bool(((left == right) & left_fits & right_fits).all())


def to_64_bits(ids: Array, dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """Return integers as uint64 if ``dtype`` is uint64, otherwise as int64, and a mask.

    The mask is True for integers that fit into this type.
    """
    if dtype == np.uint64:
        return ids.astype(np.uint64), ids >= 0
    # Only uint64 may not fit into int64. ``ids == ids`` is True everywhere, on the ids' device.
    fits = ids <= np.iinfo(np.int64).max if ids.dtype == np.uint64 else ids == ids
    return ids.astype(np.int64), fits
