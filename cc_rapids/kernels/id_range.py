"""Scans before the edges are linked: the range of the ids and the order of an edge list."""

from typing import Any

import numpy as np

from . import edges

ZERO, ONE = np.uint64(0), np.uint64(1)
FIRST, SECOND = ZERO, ONE  # positions in bounds and counts; a literal would compile again
NO_INDEX = np.uint64(2**64 - 1)
MASK = 2**64 - 1
LOCALITY = np.uint64(1 << 15)  # ids that differ by less are "near": the size of two vertex blocks


def bounds_of(on: Any, wide: type, row_index: Any) -> Any:
    """Return the least and the greatest id of both columns in one thread's share of the rows.

    One loop reads both columns, so that two loads are in flight at a time. ``left`` and ``right``
    are the columns, and ``row_index`` maps i to a row. Index i goes from ``first`` in strides of
    ``step`` up to n.
    """

    @on.device
    def bounds_of(first, n, step, left, right):
        # A thread without rows starts from the last row and changes no bound.
        low = high = wide(left[row_index(min(first, n - ONE))])
        i = first
        while i < n:
            e = row_index(i)
            u, v = wide(left[e]), wide(right[e])
            low, high = min(low, u, v), max(high, u, v)
            i += step
        return low, high

    return bounds_of


def locality_of(on: Any, wide: type) -> Any:
    """Return the numbers of near and of descending rows in a thread's share of n sampled rows.

    A row is near if its source differs by less than LOCALITY from its destination and from the
    source of the next row. A row is descending if its source exceeds the source of the row m // 2
    rows later, or of the last row. The loads are independent of each other. The sampled rows are
    multiples of ``spacing`` below m; a thread takes every ``step``-th sample from ``first`` on.
    """

    @on.device
    def locality_of(first, n, step, m, spacing, src, dst):
        i, near, descending, last = first, np.uint64(0), np.uint64(0), np.uint64(m) - ONE
        while i < np.uint64(n):
            e = i * np.uint64(spacing)
            u, v, next_u = wide(src[e]), wide(dst[e]), wide(src[min(e + ONE, last)])
            later_u = wide(src[min(e + (np.uint64(m) >> ONE), last)])
            near_ends = np.uint64(max(u, v)) - np.uint64(min(u, v)) < LOCALITY
            near_next = np.uint64(max(u, next_u)) - np.uint64(min(u, next_u)) < LOCALITY
            near += np.uint64(near_ends & near_next)
            descending += np.uint64(later_u < u)
            i += step
        return near, descending

    return locality_of


def find_bounds(on: Any, wide: type, sign: int, row_index: Any) -> Any:
    """Find the least and the greatest id of two columns, as 64-bit ``wide`` integers.

    ``sign`` is the sign bit of signed ids, otherwise 0, so that the order of the unsigned integers
    ``id ^ sign`` is the order of the ids. ``bounds`` is [low ^ sign, ~(high ^ sign)], initially all
    bits set; both elements are lowered by each block of threads. ``row_index`` maps i to a row.
    """
    block_min, sign_bit = on.block_reduce_min, np.uint64(sign)
    bounds_of_share = bounds_of(on, wide, row_index)

    @on.grid_stride
    def find_bounds(first, n, step, left, right, bounds):
        low, high = bounds_of_share(first, n, step, left, right)
        block_min(bounds, FIRST, np.uint64(low) ^ sign_bit)
        block_min(bounds, SECOND, ~(np.uint64(high) ^ sign_bit))

    def by_numpy(n, left, right, bounds):
        least = min(wide(np.min(column[:n])) for column in (left, right))
        greatest = max(wide(np.max(column[:n])) for column in (left, right))
        low, high = (np.uint64(int(bound) & MASK) ^ sign_bit for bound in (least, greatest))
        bounds[:2] = min(bounds[0], low), min(bounds[1], ~high)

    # NumPy reads all rows. It cannot read a sample, for which ``row_index`` is another function.
    find_bounds.by_numpy = by_numpy if row_index.function.__name__ == "edge_index" else None
    return find_bounds


def sampled_scan(on: Any, wide: type, sign: int, row_index: Any) -> Any:
    """Find the range of the ids and count near and descending rows of a sample, in one launch.

    ``sign``, n and ``bounds`` are as in :func:`find_bounds`. The numbers of near and of descending
    rows, among ``probes`` sampled rows of m, are added to ``counts``.
    """
    block_min, block_add, sign_bit = on.block_reduce_min, on.block_reduce_add, np.uint64(sign)
    bounds_of_share, locality_of_share = bounds_of(on, wide, row_index), locality_of(on, wide)

    @on.grid_stride
    def sampled_scan(first, n, step, probes, m, spacing, src, dst, bounds, counts):
        near, descending = locality_of_share(first, probes, step, m, spacing, src, dst)
        low, high = bounds_of_share(first, n, step, src, dst)
        block_min(bounds, FIRST, np.uint64(low) ^ sign_bit)
        block_min(bounds, SECOND, ~(np.uint64(high) ^ sign_bit))
        block_add(counts, FIRST, near)
        block_add(counts, SECOND, descending)

    return sampled_scan


def sampled_order(on: Any, wide: type) -> Any:
    """Count the near and the descending rows of a sample of an edge list."""
    block_add, locality_of_share = on.block_reduce_add, locality_of(on, wide)

    @on.grid_stride
    def sampled_order(first, n, step, m, spacing, src, dst, counts):
        near, descending = locality_of_share(first, n, step, m, spacing, src, dst)
        block_add(counts, FIRST, near)
        block_add(counts, SECOND, descending)

    return sampled_order


def note_outside(on: Any, wide: type) -> Any:
    """Set ``out_of_range`` if an id of a column is not one of the n ids low .. low + n - 1.

    Only the greatest distance from ``low`` is needed, because the distances of smaller ids wrap
    around to n or more. Each step of the loop reads four ids, so that four loads are in flight;
    past the end it rereads the last row. All threads that write the flag write the same value.
    """
    at = edges.distance(on, wide)

    @on.grid_stride
    def note_outside(first, m, step, column, low, n, out_of_range):
        i, last, greatest = first, m - ONE, wide(0)
        while i < m:
            a, b = at(column, i, low), at(column, min(i + step, last), low)
            c = at(column, min(i + step + step, last), low)
            d = at(column, min(i + step + step + step, last), low)
            greatest = max(max(greatest, a, b), c, d)
            i += step + step + step + step
        if greatest >= wide(n):
            out_of_range[0] = 1

    return note_outside


def first_wrong_offset(on: Any) -> Any:
    """Lower ``wrong_offsets[0]`` to the index of the first invalid offset.

    Valid offsets start at 0, never decrease and end at m, the number of entries.
    """
    block_min = on.block_reduce_min

    @on.grid_stride
    def first_wrong_offset(i, last, step, m, offsets, wrong_offsets):
        wrong, entries, size = NO_INDEX, np.uint64(m), np.uint64(offsets.size)
        while i < last:
            here = np.uint64(offsets[i])
            least = most = ZERO
            if i > ZERO:
                least, most = np.uint64(offsets[i - ONE]), entries
            if i + ONE == size:  # the last offset must be m
                least = max(least, entries)
            if here < least or here > most:
                wrong = min(wrong, i)
            i += step
        block_min(wrong_offsets, FIRST, wrong)

    return first_wrong_offset
