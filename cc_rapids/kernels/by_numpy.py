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


def array_function(device_function: Any) -> Any:
    """Return a device function as a Python function, which also takes arrays.

    The device function must not use branches or atomic operations.
    """
    return device_function.compiled(lambda function: function, {})


def has(words: Array, vertices: Array) -> Array:
    """Return whether each vertex is in a set."""
    return (words[vertices >> FIVE] >> (vertices & LAST).astype(np.uint32)) & ONE != 0


def mark(words: Array, vertices: Array) -> None:
    """Put vertices into a set."""
    np.bitwise_or.at(words, vertices >> FIVE, ONE << (vertices & LAST).astype(np.uint32))


def rank(words: Array, members_before_block: Array, vertices: Array) -> Array:
    """Return the number of set members smaller than each vertex, as int64."""
    count, own_word = np.zeros(vertices.size, np.int64), vertices >> FIVE
    all_bits, smaller_bits = ~np.uint32(0), (ONE << (vertices & LAST).astype(np.uint32)) - ONE
    for k in range(primitives.RANK_BLOCK):  # the words of the block, up to the word of the vertex
        word = (vertices >> BLOCK_SHIFT) * np.uint64(primitives.RANK_BLOCK) + np.uint64(k)
        bits = words[np.minimum(word, own_word)]
        mask = np.where(word == own_word, smaller_bits, all_bits)
        count += np.where(word <= own_word, np.bitwise_count(bits & mask), 0)
    return count + members_before_block[vertices >> BLOCK_SHIFT].astype(np.int64)


def insert(
    codes: Array, start: Array, table: Array, free: Any, is_key: Callable[..., Array]
) -> tuple[Array, Array, bool]:
    """Find the slots of distinct keys by linear probing, and insert the keys that are new.

    A new key is inserted by writing its element of ``codes`` into a slot that contains ``free``.
    The search of a key begins at its element of ``start``. ``is_key`` takes the contents of slots
    and indices of keys, and returns for each pair whether the slot belongs to the key. Returns the
    slot of each key, whether each key is new, and whether every key found a slot.
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

    Negative offsets are clamped too, because as unsigned integers they exceed this number.
    """
    begins = offsets[rows].astype(np.int64).view(np.uint64)
    ends = offsets[rows + 1].astype(np.int64).view(np.uint64)
    ends = np.minimum(ends, np.uint64(values.size))
    return np.minimum(begins, ends).astype(np.int64), ends.astype(np.int64)


def pieces(n: int) -> Iterator[Array]:
    """Yield the numbers 0 .. n - 1 in arrays of at most PIECE numbers, to limit memory."""
    for start in range(0, n, PIECE):
        yield np.arange(start, min(start + PIECE, n))


def ranges(begins: Array, sizes: Array) -> Array:
    """Return the numbers ``begins[i] .. begins[i] + sizes[i] - 1`` of all ranges, concatenated."""
    starts = np.cumsum(sizes) - sizes
    return np.repeat(begins - starts, sizes) + np.arange(int(sizes.sum()))
