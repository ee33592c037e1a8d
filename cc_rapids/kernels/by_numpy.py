"""Parts of the ``by_numpy`` functions of kernels, which run until the kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import primitives

Array = Any
FIVE, LAST = np.uint64(5), np.uint64(31)
BLOCK_SHIFT = np.uint64(primitives.BLOCK_SHIFT)
ONE = np.uint32(1)
PIECE = 1 << 14  # strings whose bytes are compared or copied in one step
PROBES = 2048  # slots probed before a table counts as full


def plain(part: Any) -> Any:
    """Return the Python function of the device function ``part``, for use with arrays.

    The device function must not use branches or atomic operations.
    """
    return part.compiled(lambda function: function, {})


def has(words: Array, vertices: Array) -> Array:
    """Return whether each vertex is in a set."""
    return (words[vertices >> FIVE] >> (vertices & LAST).astype(np.uint32)) & ONE != 0


def mark(words: Array, vertices: Array) -> None:
    """Put vertices into a set."""
    np.bitwise_or.at(words, vertices >> FIVE, ONE << (vertices & LAST).astype(np.uint32))


def rank(words: Array, before: Array, vertices: Array) -> Array:
    """Return the number of set members smaller than each vertex, as int64."""
    count, own_word = np.zeros(vertices.size, np.int64), vertices >> FIVE
    for k in range(primitives.RANK_BLOCK):  # the words of the block, up to the word of the vertex
        word = (vertices >> BLOCK_SHIFT << np.uint64(3)) + np.uint64(k)
        bits = words[np.minimum(word, own_word)]
        all_bits, smaller = ~np.uint32(0), (ONE << (vertices & LAST).astype(np.uint32)) - ONE
        below = np.where(word == own_word, smaller, all_bits)
        count += np.where(word <= own_word, np.bitwise_count(bits & below), 0)
    return count + before[vertices >> BLOCK_SHIFT].astype(np.int64)


def insert(
    codes: Array, start: Array, table: Array, free: Any, is_key: Callable[..., Array]
) -> tuple[Array, Array, bool]:
    """Find the slots of distinct keys by linear probing; give free slots the codes of the keys.

    ``codes`` and ``start`` have, for each key, the code that a new key writes into its slot, and
    the first slot of its search. ``is_key`` takes the contents of slots and indices of keys, and
    returns for each pair whether the slot belongs to the key. Returns the slot of each key, whether
    this slot was free before, and whether every key found a slot.
    """
    slots, new = start.astype(np.int64), np.zeros(codes.size, bool)
    left = np.arange(codes.size)  # the keys without a slot
    for _ in range(min(table.size, PROBES)):
        if not left.size:
            break
        at = slots[left]
        empty = table[at] == free
        table[at[empty]] = codes[left[empty]]  # of several codes for one slot, the last one stays
        content = table[at]
        won = empty & (content == codes[left])
        new[left[won]] = True
        left = left[~(won | is_key(content, left))]
        slots[left] = (slots[left] + 1) % table.size
    return slots, new, not left.size


def entries(offsets: Array, values: Array, rows: Array) -> tuple[Array, Array]:
    """Return the first and the past-the-end entry of each row, clamped to the number of values.

    As unsigned integers, negative offsets are greater than any number of values.
    """
    begins, ends = (offsets[at].astype(np.int64).view(np.uint64) for at in (rows, rows + 1))
    ends = np.minimum(ends, np.uint64(values.size))
    return np.minimum(begins, ends).astype(np.int64), ends.astype(np.int64)


def pieces(n: int) -> Iterator[Array]:
    """Yield the numbers below n in pieces of PIECE.

    Pieces limit the memory for arrays with several words per byte of a string.
    """
    for start in range(0, n, PIECE):
        yield np.arange(start, min(start + PIECE, n))


def ranges(begins: Array, sizes: Array) -> Array:
    """Return the numbers ``begins[i] .. begins[i] + sizes[i] - 1`` of all ranges, concatenated."""
    starts = np.cumsum(sizes) - sizes
    return np.repeat(begins - starts, sizes) + np.arange(int(sizes.sum()))
