"""Range minimum queries by a backend's array library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..backends import Array

BLOCK = 16  # values per block


@dataclass(frozen=True)
class Minima:
    """Values that answer many range minimum queries at once.

    Uses two words per value besides the values, and temporarily one word per block of values. The
    memory does not depend on the number of queries.

    Attributes
    ----------
    values : (n,) array of integers
        The values.
    since_begin, until_end : (n,) arrays
        The minimum from the begin of a value's block to the value, and from the value to the end.
    of_block : (b,) array
        The minimum of each block.

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
        """Preprocess values for queries."""
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
            The positions of its first and its last value; begin <= end.
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
    """Return the least value of each interval of at least one value.

    An interval is the union of two runs, which may overlap. Their length is the greatest power of
    two that is not longer than the interval. The minima of runs of one length are computed from
    those of half the length.
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
