"""Columns: what has to be known of the ids before the first edge is linked, in one pass each."""

from typing import Any

import numpy as np

from .. import bits
from ..reading import index

ONE = np.uint64(1)
NEAR = np.uint64(1 << 12)  # ids that two ends are apart at most: a quarter of a tile
HALVINGS = 5  # how far on the rows stand that a row is held against: a half, ... of the list


def span(on: Any, wide: type, sign: int, place: Any) -> Any:
    """The least and the greatest id of two columns, as ``wide`` integers of 64 bits.

    bounds = [low ^ sign, ~(high ^ sign)], in the order of unsigned integers: both are the least
    of something, so that all bits set is where they begin. ``place`` is which row the i-th is. Both
    columns are read in one loop, so
    that two loads are under way at a time.
    """
    all_min, bias = on.all_min, np.uint64(sign)

    @on.sweep
    def span(first, n, step, left, right, bounds):
        low = high = wide(left[place(min(first, n - ONE))])
        i = first
        while i < n:
            e = place(i)
            u, v = wide(left[e]), wide(right[e])
            low, high = min(low, u, v), max(high, u, v)
            i += step
        all_min(bounds, 0, np.uint64(low) ^ bias)
        all_min(bounds, 1, ~(np.uint64(high) ^ bias))

    return span


def in_order(on: Any, wide: type) -> Any:
    """Count, of some rows evenly apart, those whose ends are near each other and whose source is
    not far beyond those of later rows: what tiles are for (see tiles.py).
    """
    all_add = on.all_add

    @on.sweep
    def in_order(first, n, step, m, src, dst, count):
        i, found, last = first, np.uint64(0), np.uint64(m) - ONE
        while i < n:
            e, k = i * np.uint64(m) // n, ONE
            u, v = wide(src[e]), wide(dst[e])
            good = np.uint64(max(u, v)) - np.uint64(min(u, v)) < NEAR
            while good and k <= HALVINGS:
                w = wide(src[min(e + (np.uint64(m) >> k), last)])
                good = w >= u or np.uint64(u) - np.uint64(w) < NEAR
                k += ONE
            found += np.uint64(good)
            i += step
        all_add(count, 0, found)

    return in_order


def mark_column(on: Any, vertex: type) -> Any:
    """Note the vertices that a column names."""
    at, mark = index(on, vertex), bits.mark(on)

    @on.each
    def mark_column(i, column, low, seen):
        mark(seen, at(column, i, low))

    return mark_column


def mark_range(on: Any, vertex: type) -> Any:
    """Note the vertices first, first + step, first + 2 step, ..."""
    mark = bits.mark(on)

    @on.each
    def mark_range(i, first, step, seen):
        mark(seen, vertex(first + np.int64(i) * step))

    return mark_range


def mark_rows(on: Any, vertex: type) -> Any:
    """The set of the vertices whose row is not empty."""
    mark = bits.mark(on)

    @on.each
    def mark_rows(v, offsets, seen):
        if offsets[v] != offsets[v + ONE]:
            mark(seen, vertex(v))

    return mark_rows
