"""Ranks: for a set of vertices as bits, how many of it come before each block of its words."""

from __future__ import annotations

import numpy as np

from ..backends import ALONE, Array, Engine
from ..kernels import scan
from ..kernels.primitives import BLOCK

RUN = 32  # values that one thread sums
FEW = 1 << 14  # that one block does


def blocks_of(words: int) -> int:
    """The number of ranks for a set of so many words: one a block, and one for the whole."""
    return -(-words // BLOCK) + 1


def rank(engine: Engine, words: Array, before: Array) -> None:
    """Fill ``before``: for each block of the words, how many members of the set come before it."""
    if not words.size:
        engine.fill(before, 0)
    else:
        count = engine.kernel(scan.count_blocks)
        count(before.size - 1, words.size, words, before)
        _running_sum(engine, before)


def _running_sum(engine: Engine, values: Array) -> None:
    """In place: by one block of threads, or in runs that one thread sums each, and their sums."""
    size = values.size
    if size <= FEW:
        sums = engine.empty(ALONE, np.uint64)
        engine.kernel(scan.sum_all)(size, values, sums)
        return
    runs = -(-size // RUN)
    sums = engine.empty(runs, values.dtype)
    engine.kernel(scan.sum_runs)(runs, RUN, size, values, sums)
    _running_sum(engine, sums)
    engine.kernel(scan.add_runs)(size, RUN, sums, values)
