"""Bit maps of ids and of pages of ids, with ranks.

If ids lie in clusters, as in OpenStreetMap, most of their range is empty. A page is ``2 ** shift``
neighbouring ids. A bit per page of the range shows which pages occur, and only pages that occur get
a bit per id. The ids stay in order, so they need not be sorted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backends import Array, Backend
from ..graph.forest import blocks_of, rank
from ..kernels import id_bitmap, primitives

if TYPE_CHECKING:
    from .range import IdRange

LEAST_SHIFT, MOST_SHIFT = 9, 12  # a page has 512 to 4,096 ids; 512 bits are a cache line
SMALL_MAP = 1 << 18  # max. bytes of a map of pages, if the columns have fewer bytes
RANKED = 4  # bits per byte of a map with ranks: 32 bits and their rank take a word of 64 bits


def page_shift(range_size: int, column_bytes: int) -> int:
    """Return the ``shift`` of the smallest pages whose map is small enough, or 0 if none is."""
    for shift in range(LEAST_SHIFT, MOST_SHIFT + 1):
        pages = range_size >> shift
        if pages // RANKED <= max(SMALL_MAP, column_bytes):
            return shift
    return 0


def ranked_bits(size: int, mark: Callable[[Array], None], backend: Backend) -> tuple[Array, int]:
    """Return a bit set with a rank in each word, and the number of its members.

    A word has 32 bits of the set and their rank, which is the number of members in earlier words.

    Parameters
    ----------
    size : int
        The members are among 0 .. size - 1, and fewer than 2 ** 32.
    mark : callable
        Sets the bits of the members in an array of words, which are 0.
    """
    words = backend.fill(backend.empty(-(-size // primitives.WORD), np.uint32), 0)
    mark(words)
    before = backend.empty(blocks_of(words.size), np.uint32)
    rank(backend, words, before)  # members before each block; the total at the end
    ranked = backend.empty(words.size, np.uint64)
    backend.kernel(id_bitmap.pack_ranks)(before.size - 1, words, before, ranked)
    return ranked, int(backend.to_host(before[-1:])[0])


def mark_ids(
    column: Array,
    ids: IdRange,
    words: Array,
    out_of_range: Array,
    backend: Backend,
    shift: int = 0,
) -> None:
    """Add the ids of a column to a bit set over the range; add their pages if ``shift`` is not 0.

    ``out_of_range`` is set if an id is outside the range.
    """
    mark = backend.kernel(id_bitmap.mark_ids, ids.vertex)
    mark(column.size, column, ids.first, ids.size, shift, words, out_of_range)


def members_of(
    ranked: Array, count: int, low: int, dtype: np.dtype[Any], backend: Backend
) -> Array:
    """Return ``low`` plus each of the ``count`` members of a bit set, in ascending order."""
    members = backend.empty(count, dtype)
    backend.kernel(id_bitmap.members)(ranked.size, ranked, low, members)
    return members
