"""Weights of edges, as they come."""

from typing import Any

import numpy as np

PART = 4  # of all weights, that one thread looks at


def note_nan(on: Any) -> Any:
    """Note whether a weight is nan.

    Launched for a fourth of them, rounded up: a thread reads one of each fourth, so that four loads
    are under way at a time.
    """
    one, parts = np.uint64(1), np.uint64(PART)

    @on.elementwise
    def note_nan(i, weights, mark, noted):
        size = np.uint64(weights.size)
        part, last = (size + parts - one) // parts, size - one
        a, b = weights[i], weights[min(i + part, last)]
        c, d = weights[min(i + part + part, last)], weights[min(i + part + part + part, last)]
        if a != a or b != b or c != c or d != d:
            noted[0] = np.uint64(mark)

    return note_nan
