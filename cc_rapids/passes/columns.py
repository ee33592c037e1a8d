"""Columns: what has to be known of the ids before the first edge is linked, in one pass each."""

from typing import Any

import numpy as np

from .. import bits
from ..reading import index

ONE = np.uint64(1)
FIRST, SECOND = np.uint64(0), ONE  # for each literal, Numba compiles what takes it anew
NEAR = np.uint64(1 << 15)  # how far apart ids are at most: two tiles
HALVINGS = 5


def bounds_of(on: Any, wide: type, place: Any) -> Any:
    """The least and the greatest id of the share of a thread, of both columns.

    Both are read in one loop, so that two loads are under way at a time.
    """

    @on.device
    def bounds_of(first, n, step, left, right):
        low = high = wide(left[place(min(first, n - ONE))])
        i = first
        while i < n:
            e = place(i)
            u, v = wide(left[e]), wide(right[e])
            low, high = min(low, u, v), max(high, u, v)
            i += step
        return low, high

    return bounds_of


def order_of(on: Any, wide: type) -> Any:
    """Count, of the share of a thread of n rows evenly apart, those in order, and those whose ends
    are near each other too.

    In order is a row whose source is not far beyond those of later rows: the first halving of the
    list, the next one, and so on. No load waits for another one.
    """

    @on.device
    def order_of(first, n, step, m, apart, src, dst):
        i, ordered, both, last = first, np.uint64(0), np.uint64(0), np.uint64(m) - ONE
        while i < np.uint64(n):
            e, good = i * np.uint64(apart), True
            u, v = wide(src[e]), wide(dst[e])
            for k in range(1, HALVINGS + 1):
                w = wide(src[min(e + (np.uint64(m) >> np.uint64(k)), last)])
                good &= (w >= u) | (np.uint64(u) - np.uint64(w) < NEAR)
            ordered += np.uint64(good)
            both += np.uint64(good & (np.uint64(max(u, v)) - np.uint64(min(u, v)) < NEAR))
            i += step
        return ordered, both

    return order_of


def span(on: Any, wide: type, sign: int, place: Any) -> Any:
    """The least and the greatest id of two columns, as ``wide`` integers of 64 bits.

    found = [low ^ sign, ~(high ^ sign)], in the order of unsigned integers: both are the least of
    something, so that all bits set is where they begin. ``place`` is which row the i-th is.
    """
    all_min, bias, bounds_of_share = on.all_min, np.uint64(sign), bounds_of(on, wide, place)

    @on.sweep
    def span(first, n, step, left, right, found):
        low, high = bounds_of_share(first, n, step, left, right)
        all_min(found, FIRST, np.uint64(low) ^ bias)
        all_min(found, SECOND, ~(np.uint64(high) ^ bias))

    return span


def glance(on: Any, wide: type, sign: int, place: Any) -> Any:
    """The span of a list, and of some of its rows how many are in order, and near, in one launch.

    ends = [low ^ sign, ~(high ^ sign)], see ``span``; counts are added to what stands there.
    """
    all_min, all_add, bias = on.all_min, on.all_add, np.uint64(sign)
    bounds_of_share, order_of_share = bounds_of(on, wide, place), order_of(on, wide)

    @on.sweep
    def glance(first, n, step, looks, m, apart, src, dst, ends, counts):
        ordered, both = order_of_share(first, looks, step, m, apart, src, dst)
        low, high = bounds_of_share(first, n, step, src, dst)
        all_min(ends, FIRST, np.uint64(low) ^ bias)
        all_min(ends, SECOND, ~(np.uint64(high) ^ bias))
        all_add(counts, FIRST, ordered)
        all_add(counts, SECOND, both)

    return glance


def in_order(on: Any, wide: type) -> Any:
    """Of some rows of a list how many are in order, and near."""
    all_add, order_of_share = on.all_add, order_of(on, wide)

    @on.sweep
    def in_order(first, n, step, m, apart, src, dst, counts):
        ordered, both = order_of_share(first, n, step, m, apart, src, dst)
        all_add(counts, FIRST, ordered)
        all_add(counts, SECOND, both)

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
