"""Ranks: for a set of vertices as bits, how many of it come before each block of its words."""

from __future__ import annotations

from . import kernels
from .bits import BLOCK
from .engines import Array, Engine
from .passes import answer

RUN = 32  # values that one thread sums


def blocks_of(words: int) -> int:
    """The number of ranks for a set of so many words: one a block, and one for the whole."""
    return -(-words // BLOCK) + 1


def rank(engine: Engine, words: Array, before: Array) -> None:
    """Fill ``before``: for each block of the words, how many members of the set come before it."""
    if not words.size:
        engine.fill(before, 0)
    else:
        count = kernels.kernel(answer.count_blocks, engine)
        count(before.size - 1, words.size, words, before)
        _running_sum(engine, before)


def _running_sum(engine: Engine, values: Array) -> None:
    """In place, in runs that one thread sums, and runs of their sums, and so on."""
    size = values.size
    runs = -(-size // RUN)
    sums = engine.empty(runs, values.dtype)
    kernels.kernel(answer.sum_runs, engine)(runs, RUN, size, values, sums)
    if runs > 1:
        _running_sum(engine, sums)
        kernels.kernel(answer.add_runs, engine)(size, RUN, sums, values)
