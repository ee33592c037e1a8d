"""Coverage: how much the first step of hook-based sampling would join, seen at some vertices."""

from typing import Any

import numpy as np

ONE = np.uint64(1)
SPREAD, LOW_WORD = np.uint64(2654435761), np.uint64(0xFFFFFFFF)  # Knuth's multiplicative hash


def first_roots(on: Any) -> Any:
    """For some vertices, where climbing from each to its first neighbour ends, while that is less.

    Nothing is written but the answer: the tree that hooking would make is climbed as it is read.
    """

    @on.each
    def first_roots(i, n, offsets, indices, roots):
        v = ((i * SPREAD) & LOW_WORD) % np.uint64(n)
        e = np.uint64(offsets[v])
        while e < np.uint64(offsets[v + ONE]) and np.uint64(indices[e]) < v:
            v = np.uint64(indices[e])
            e = np.uint64(offsets[v])
        roots[i] = v

    return first_roots
