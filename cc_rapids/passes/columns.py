"""Columns: what has to be known of the ids before the first edge is linked, in one pass each."""

from typing import Any

import numpy as np

from .. import bits
from ..reading import index

ONE = np.uint64(1)


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
