"""Checks of edge weights."""

from typing import Any

import numpy as np

PART = 4  # weights per thread


def note_nan(on: Any) -> Any:
    """Write ``value`` to ``flag[0]`` if a weight is NaN, the only value that differs from itself.

    One thread per PART weights reads a weight of each quarter, so that four loads are in flight at
    a time.
    """
    one, parts = np.uint64(1), np.uint64(PART)

    @on.elementwise
    def note_nan(i, weights, value, flag):
        size = np.uint64(weights.size)
        step, last = (size + parts - one) // parts, size - one
        a, b = weights[i], weights[min(i + step, last)]
        c, d = weights[min(i + step + step, last)], weights[min(i + step + step + step, last)]
        if a != a or b != b or c != c or d != d:
            flag[0] = np.uint64(value)

    return note_nan
