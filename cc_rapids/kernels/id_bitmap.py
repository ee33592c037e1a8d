"""Bit maps of ids: present ids, their ranks, and the ids in order.

If the ids form clusters that lie far apart, the range is divided into pages of ``2 ** shift`` ids.
One map has a bit for each page. A second map has a bit for each id of the pages that occur, one
page after another.

words  : (span // 32 + 1,) uint32, bit i is set if the id low + i occurs, or for pages, an id of
         page i.
before : the number of members before each block of words (see scan.py).
ranked : uint64, each word in the lower half, and the number of members before it in the upper half,
         so that a rank takes one read.
out_of_range : (1,) integers, set to 1 if an id lies outside the range.
"""

from typing import Any

import numpy as np

from . import by_numpy, primitives
from .edges import distance
from .id_hash import HALF, LOW
from .primitives import SOON, no_prefetch

ONE, FIVE, LAST = np.uint64(1), np.uint64(5), np.uint64(31)
BIT, NO_BITS = np.uint32(1), np.uint32(0)
NO_PLACE = LOW  # the position of an id that is in no page


def mark_ids(on: Any, vertex: type) -> Any:
    """Mark the pages of ``2 ** shift`` ids that contain the ids of a column.

    With shift 0, a page is a single id. Only the n ids from ``low`` are in range.
    """
    at, mark = distance(on, np.uint64), primitives.mark(on)

    @on.elementwise
    def mark_ids(i, column, low, n, shift, present, out_of_range):
        v = at(column, i, low)
        if v < np.uint64(n):
            mark(present, vertex(v >> np.uint64(shift)))
        else:
            out_of_range[0] = 1

    def mark_ids_by_numpy(m, column, low, n, shift, present, out_of_range):
        vertices = (column[:m].astype(np.int64) - low).view(np.uint64)
        within = vertices < np.uint64(n)
        by_numpy.mark(present, vertices[within] >> np.uint64(shift))
        out_of_range[0] |= not within.all()

    mark_ids.by_numpy = mark_ids_by_numpy
    return mark_ids


def mark_range(on: Any, vertex: type) -> Any:
    """Mark the vertices first, first + step, first + 2 step, ..."""
    mark = primitives.mark(on)

    @on.elementwise
    def mark_range(i, first, step, present):
        mark(present, vertex(first + np.int64(i) * step))

    def mark_range_by_numpy(n, first, step, present):
        by_numpy.mark(present, (first + np.arange(n) * step).astype(np.uint64))

    mark_range.by_numpy = mark_range_by_numpy
    return mark_range


def pack_ranks(on: Any) -> Any:
    """Write ``ranked``; a thread writes one block of words."""
    ones, block = primitives.count(on), np.uint64(primitives.RANK_BLOCK)

    @on.elementwise
    def pack_ranks(b, words, before, ranked):
        w, members = b * block, np.uint64(before[b])
        last = min(w + block, np.uint64(words.size))
        while w < last:
            ranked[w] = members << HALF | np.uint64(words[w])
            members += np.uint64(ones(words[w]))
            w += ONE

    return pack_ranks


def has_ranked(on: Any) -> Any:
    """Return whether v is in the set with ranks."""

    @on.device
    def has_ranked(ranked, v):
        return (ranked[v >> FIVE] >> (v & LAST)) & ONE != 0

    return has_ranked


def rank_of(on: Any) -> Any:
    """Return the number of members smaller than v."""
    ones = primitives.count(on)

    @on.device
    def rank_of(ranked, v):
        word = ranked[v >> FIVE]
        below = word & ((ONE << (v & LAST)) - ONE)
        return (word >> HALF) + np.uint64(ones(np.uint32(below)))

    return rank_of


def prefetch_ahead(on: Any) -> Any:
    """Prefetch the word of a later id."""
    if on.prefetch is None:
        return no_prefetch(on)
    at, prefetch = distance(on, np.uint64), on.prefetch

    @on.device
    def prefetch_word(i, column, low, size, shift, ranked):
        j = i + SOON
        if j < np.uint64(column.size):
            v = at(column, j, low)
            if v < np.uint64(size):
                prefetch(ranked, v >> np.uint64(shift) >> FIVE)

    return prefetch_word


def place_in_pages(on: Any) -> Any:
    """Write the position of each id among the ids of all pages that occur; mark it in ``present``.

    ``ranked`` has a bit per page of the range. The position of an id is the rank of its page times
    ``2 ** shift``, plus its position in the page. An id in no page gets NO_PLACE.
    """
    at, has, rank, mark = distance(on, np.uint64), has_ranked(on), rank_of(on), primitives.mark(on)
    prefetch_word = prefetch_ahead(on)

    @on.elementwise
    def place_in_pages(i, column, low, size, shift, ranked, present, out):
        prefetch_word(i, column, low, size, shift, ranked)
        d, place = at(column, i, low), NO_PLACE
        page = d >> np.uint64(shift)
        if d < np.uint64(size) and has(ranked, page):
            within = d - (page << np.uint64(shift))
            place = (rank(ranked, page) << np.uint64(shift)) + within
            mark(present, np.uint32(place))
        out[i] = place

    return place_in_pages


def number_ranks(on: Any) -> Any:
    """Write the vertex of each row: the rank of its id in the bit map ``ranked``.

    The map covers ``size`` ids. An id that is not in the map gets n, which is not a vertex. ``out``
    may be the column.
    """
    at, has, rank = distance(on, np.uint64), has_ranked(on), rank_of(on)
    prefetch_word, no_shift = prefetch_ahead(on), np.uint64(0)

    @on.elementwise
    def number_ranks(i, column, low, size, n, ranked, out):
        prefetch_word(i, column, low, size, no_shift, ranked)
        d, number = at(column, i, low), np.uint64(n)
        if d < np.uint64(size) and has(ranked, d):
            number = rank(ranked, d)
        out[i] = number

    return number_ranks


def members(on: Any) -> Any:
    """Write the ids of the set in order, one word per thread."""
    ones = primitives.count(on)

    @on.elementwise
    def members(w, ranked, low, ids):
        k, word = ranked[w] >> HALF, np.uint32(ranked[w] & LOW)
        first = np.int64(w << FIVE) + low
        while word != NO_BITS:
            rest = np.uint32(word & np.uint32(word - BIT))  # without the lowest set bit
            below = np.uint32((word ^ rest) - BIT)  # ones in all positions below that bit
            ids[k] = first + np.int64(ones(below))
            word = rest
            k += ONE

    return members


def ids_of_places(on: Any) -> Any:
    """Write the ids whose positions among the ids of all pages are ``places``.

    ``pages`` are the numbers of the pages that occur. ``ids`` may be the memory of ``places``.
    """

    @on.elementwise
    def ids_of_places(k, places, pages, low, shift, ids):
        place = np.uint64(places[k])
        page = place >> np.uint64(shift)
        within = place - (page << np.uint64(shift))
        ids[k] = np.int64((np.uint64(pages[page]) << np.uint64(shift)) + within) + low

    return ids_of_places
