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
    word per block of values, for any number of queries.

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
        padded = xp.full((-(-n // BLOCK), BLOCK), greatest, values.dtype)
        padded.reshape(-1)[:n] = values
        forward, backward, step = padded, padded, 1
        while step < BLOCK:  # each round doubles the number of values that a minimum covers
            before, after = forward, backward
            forward, backward = before.copy(), after.copy()
            forward[:, step:] = xp.minimum(before[:, step:], before[:, :-step])
            backward[:, :-step] = xp.minimum(after[:, :-step], after[:, step:])
            step *= 2
        return cls(values, forward.reshape(-1), backward.reshape(-1), backward[:, 0].copy())

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
        in_block = xp.flatnonzero(left == right)  # intervals inside one block
        position, last = begin[in_block], end[in_block]
        minima = self.values[position]
        for _ in range(1, BLOCK):
            position = xp.minimum(position + 1, last)
            minima = xp.minimum(minima, self.values[position])
        least[in_block] = minima
        return least


def _least_of_each(values: Array, begin: Array, length: Array, xp: Any) -> Array:
    """Return the least value of each interval of at least one value.

    An interval is the union of two runs, which may overlap. The length of both runs is the greatest
    power of two that does not exceed the length of the interval. The minima of all runs of a length
    are computed from the minima of the runs of half that length.
    """
    minima = xp.empty(begin.size, values.dtype)
    longest = int(length.max()) if length.size else 0
    for k in range(longest.bit_length()):
        run = 1 << k  # values[i] is now the minimum of the run that starts at i
        covered = xp.flatnonzero(length >> k == 1)  # intervals of run to 2 * run - 1 values
        at = begin[covered]
        minima[covered] = xp.minimum(values[at], values[at + length[covered] - run])
        values = xp.minimum(values[:-run], values[run:])
    return minima
