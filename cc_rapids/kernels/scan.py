"""Prefix sums over vertex sets, used to rank their members.

words  : the set, 32 vertices per word.
before : the number of members before each block of 8 words. A rank takes one load and at most 8 bit
         counts.
"""

from typing import Any

import numpy as np

from . import primitives

ONE = np.uint64(1)


def count_blocks(on: Any) -> Any:
    """Write the number of members in each block b of words to ``before[b + 1]``.

    ``present`` is the set, and ``words`` its number of words.
    """
    ones = primitives.count(on)

    @on.elementwise
    def count_blocks(b, words, present, before):
        w = b * np.uint64(primitives.RANK_BLOCK)
        last = min(w + np.uint64(primitives.RANK_BLOCK), np.uint64(words))
        count = ones(np.uint32(0))  # 0, in the type that ``ones`` returns
        while w < last:
            count += ones(present[w])
            w += np.uint64(1)
        before[b + np.uint64(1)] = count
        if b == 0:
            before[b] = 0

    return count_blocks


def sum_runs(on: Any) -> Any:
    """Compute the prefix sums inside each run of ``length`` values, and the sum of each run."""

    @on.elementwise
    def sum_runs(r, length, size, values, sums):
        i = r * np.uint64(length)
        last = min(i + np.uint64(length), np.uint64(size))
        total = values[i]
        i += np.uint64(1)
        while i < last:
            total += values[i]
            values[i] = total
            i += np.uint64(1)
        sums[r] = total

    return sum_runs


def add_runs(on: Any) -> Any:
    """Add the sum of all earlier runs to each value; ``sums`` are prefix sums of the run sums."""

    @on.elementwise
    def add_runs(i, length, sums, values):
        r = i // np.uint64(length)
        if r > 0:
            values[i] += sums[r - np.uint64(1)]

    return add_runs


def write_totals(on: Any) -> Any:
    """Write the last prefix sum and ``other[0]`` to ``totals``, for one transfer to the host."""

    @on.elementwise
    def write_totals(i, sums, other, totals):
        last = np.uint64(sums.size) - ONE
        totals[i], totals[i + ONE] = np.uint64(sums[last]), np.uint64(other[i])

    return write_totals


def sum_all(on: Any) -> Any:
    """Compute prefix sums in place; each thread sums one run.

    ``sums[t]`` is the sum of the run of thread t. The prefix sums of ``sums`` take log2(threads)
    rounds: each thread adds ``sums[t - distance]``, and ``distance`` doubles from round to round.
    Then each thread writes the prefix sums of its run.
    """
    block_sync = on.block_sync

    @on.single_block
    def sum_all(t, size, step, values, sums):
        length = (size + step - ONE) // step
        first, last, distance = t * length, min((t + ONE) * length, size), ONE
        i, subtotal = first, np.uint64(0)
        while i < last:
            subtotal += np.uint64(values[i])
            i += ONE
        sums[t] = subtotal
        block_sync()
        while distance < step:
            addend = sums[t - distance] if t >= distance else np.uint64(0)
            block_sync()
            sums[t] += addend
            block_sync()
            distance += distance
        i, total = first, sums[t] - subtotal
        while i < last:
            total += np.uint64(values[i])
            values[i] = total
            i += ONE

    return sum_all
