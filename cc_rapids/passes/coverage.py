"""Coverage: how much the first step of hook-based sampling would join, seen at some vertices."""

from typing import Any

import numpy as np

from ..reading import entries_of

SPREAD, LOW_WORD = np.uint64(2654435761), np.uint64(0xFFFFFFFF)  # Knuth's multiplicative hash


def first_roots(on: Any) -> Any:
    """For some vertices, where climbing from each to its first neighbour ends, while that is less.

    Nothing is written but the answer: the tree that hooking would make is climbed as it is read.
    """
    entries = entries_of(on)

    @on.each
    def first_roots(i, n, offsets, indices, roots):
        v, down = ((i * SPREAD) & LOW_WORD) % np.uint64(n), True
        while down:
            e, last = entries(offsets, indices, v)
            w = np.uint64(indices[e]) if e < last else v
            down = w < v
            v = min(v, w)
        roots[i] = v

    return first_roots
