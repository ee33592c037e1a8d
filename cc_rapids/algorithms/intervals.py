"""Range minimum queries by a backend's array library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..backends import Array

BLOCK = 16  # values per block


@dataclass(frozen=True)
class Minima:
    """Values that are prepared for range minimum queries.

    The preparation takes two words per value besides the values. Queries temporarily take one more
    word per block of values, and a few words per interval.

    Examples
    --------
    >>> minima = Minima.of(np.array([5, 2, 7, 4]), np)
    >>> minima.over(np.array([0, 2, 3]), np.array([3, 3, 3]), np)
    array([2, 4, 4])
    """

    values: Array  # (n,) integers
    since_begin: Array  # (n,) the minimum from the start of the block of a value up to the value
    until_end: Array  # (n,) the minimum from a value to the end of its block
    of_block: Array  # (b,) the minimum of each block

    @classmethod
    def of(cls, values: Array, xp: Any) -> Minima:
        """Return the values with the minima that queries read."""
        n, greatest = int(values.size), np.iinfo(values.dtype).max
        block_count = -(-n // BLOCK)  # rounded up
        since_begin = xp.full((block_count, BLOCK), greatest, values.dtype)
        since_begin.reshape(-1)[:n] = values
        until_end, step = since_begin.copy(), 1
        while step < BLOCK:  # each round doubles the number of values that a minimum covers
            since_begin[:, step:] = xp.minimum(since_begin[:, step:], since_begin[:, :-step])
            until_end[:, :-step] = xp.minimum(until_end[:, :-step], until_end[:, step:])
            step *= 2
        return cls(values, since_begin.reshape(-1), until_end.reshape(-1), until_end[:, 0].copy())

    def over(self, begin: Array, end: Array, xp: Any) -> Array:
        """Return the least value of each interval.

        ``begin`` and ``end``, (p,) arrays of integers, are the positions of the first and the last
        value of each interval; begin <= end.
        """
        left, right = begin // BLOCK, end // BLOCK
        least = xp.minimum(self.until_end[begin], self.since_begin[end])
        with_blocks = xp.flatnonzero(right - left > 1)  # intervals that contain whole blocks
        first_block = left[with_blocks] + 1
        block_count = right[with_blocks] - first_block
        of_blocks = _least_of_each(self.of_block, first_block, block_count, xp)
        least[with_blocks] = xp.minimum(least[with_blocks], of_blocks)
        in_block = xp.flatnonzero(left == right)  # intervals of at most BLOCK values
        position, last = begin[in_block], end[in_block]
        minima = self.values[position]
        for _ in range(1, BLOCK):
            position = xp.minimum(position + 1, last)
            minima = xp.minimum(minima, self.values[position])
        least[in_block] = minima
        return least


def _least_of_each(values: Array, begin: Array, length: Array, xp: Any) -> Array:
    """Return the least value of each interval; ``length`` is at least 1.

    An interval is the union of the two runs at its begin and at its end, which may overlap. The
    length of both runs is the greatest power of two that does not exceed the length of the
    interval. Each round doubles the length of all runs.
    """
    least = xp.empty(begin.size, values.dtype)
    longest = int(length.max()) if length.size else 0
    for k in range(longest.bit_length()):
        run = 1 << k  # the length of the runs; values[i] is the minimum of the run that starts at i
        covered = xp.flatnonzero(length >> k == 1)  # intervals of run to 2 * run - 1 values
        first_run = begin[covered]
        last_run = first_run + length[covered] - run
        least[covered] = xp.minimum(values[first_run], values[last_run])
        values = xp.minimum(values[:-run], values[run:])
    return least
