"""Checks of edge weights."""

from typing import Any

import numpy as np

PART = 4  # weights per thread


def note_nan(on: Any) -> Any:
    """Write ``value`` to ``flag[0]`` if a weight is NaN, the only value that differs from itself.

    The kernel is launched for a quarter of the weights, rounded up. A thread reads one weight of
    each quarter, so that four loads are in flight at a time.
    """
    one, parts = np.uint64(1), np.uint64(PART)

    @on.elementwise
    def note_nan(i, weights, value, flag):
        size = np.uint64(weights.size)
        part, last = (size + parts - one) // parts, size - one
        a, b = weights[i], weights[min(i + part, last)]
        c, d = weights[min(i + part + part, last)], weights[min(i + part + part + part, last)]
        if a != a or b != b or c != c or d != d:
            flag[0] = np.uint64(value)

    return note_nan
