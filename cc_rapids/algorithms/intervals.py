"""The least of some values in a row, by a backend's array library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..backends import Array

BLOCK = 16  # values


@dataclass(frozen=True)
class Minima:
    """Values with range minimum queries, many at once.

    They take two words a value beside it, whatever the number of intervals, and that of a block of
    values another one.

    Attributes
    ----------
    values : (n,) array of integers
        As they were given.
    since_begin, until_end : (n,) arrays
        The least from the first value of its block to each one, and from each to the last.
    of_block : (b,) array
        The least of each block.

    Examples
    --------
    >>> minima = Minima.of(np.array([5, 2, 7, 4]), np)
    >>> minima.over(np.array([0, 2, 3]), np.array([3, 3, 3]), np)
    array([2, 4, 4])
    """

    values: Array
    since_begin: Array
    until_end: Array
    of_block: Array

    @classmethod
    def of(cls, values: Array, xp: Any) -> Minima:
        """Return what is known of values beforehand."""
        n, none = int(values.size), np.iinfo(values.dtype).max
        padded = xp.full((-(-n // BLOCK), BLOCK), none, values.dtype)
        padded.reshape(-1)[:n] = values
        forward, backward, step = padded, padded, 1
        while step < BLOCK:
            before, after = forward, backward
            forward, backward = before.copy(), after.copy()
            forward[:, step:] = xp.minimum(before[:, step:], before[:, :-step])
            backward[:, :-step] = xp.minimum(after[:, :-step], after[:, step:])
            step *= 2
        return cls(values, forward.reshape(-1), backward.reshape(-1), backward[:, 0].copy())

    def over(self, begin: Array, end: Array, xp: Any) -> Array:
        """Return the least value of each interval.

        Parameters
        ----------
        begin, end : (p,) arrays of integers
            The places of its first and its last value; the first is not after the last.
        """
        left, right = begin // BLOCK, end // BLOCK
        least = xp.minimum(self.until_end[begin], self.since_begin[end])
        longer = xp.flatnonzero(right - left > 1)
        inner = left[longer] + 1, right[longer] - left[longer] - 1
        between = _least_of_each(self.of_block, *inner, xp)
        least[longer] = xp.minimum(least[longer], between)
        within = xp.flatnonzero(left == right)
        at, last = begin[within], end[within]
        minima = self.values[at]
        for _ in range(1, BLOCK):
            at = xp.minimum(at + 1, last)
            minima = xp.minimum(minima, self.values[at])
        least[within] = minima
        return least


def _least_of_each(values: Array, begin: Array, length: Array, xp: Any) -> Array:
    """Return the least value of each interval, of one value or more.

    An interval is the union of two of the greatest power of two that it holds, and the least values
    of all intervals of such a length follow from those of half the length.
    """
    minima = xp.empty(begin.size, values.dtype)
    longest = int(length.max()) if length.size else 0
    for k in range(longest.bit_length()):
        half = 1 << k
        now = xp.flatnonzero(length >> k == 1)
        at = begin[now]
        minima[now] = xp.minimum(values[at], values[at + length[now] - half])
        values = xp.minimum(values[:-half], values[half:])
    return minima
