"""Vertex sets as bits in 32-bit words, and atomic minima of words.

bits : ((n + 31) // 32,) uint32, shared by all threads. Bits are only ever set. A read may miss a
       bit that another thread has just set; that costs one more atomic operation and changes
       nothing.
"""

from typing import Any

import numpy as np

SHIFT, LAST, ONE = np.uint32(5), np.uint32(31), np.uint32(1)
WORD = 32  # vertices in a word
SOON = np.uint64(32)  # prefetch distance in rows
SOONER = np.uint64(8)  # prefetch distance in rows for data that a prefetched word points to
RANK_BLOCK, BLOCK_SHIFT = 8, np.uint32(8)  # words of a rank block; shift from vertex to rank block


def has(on: Any) -> Any:
    """Return whether v is in the set."""

    @on.device
    def has(bits, v):
        return (bits[v >> SHIFT] >> np.uint32(v & LAST)) & ONE != 0

    return has


def mark(on: Any) -> Any:
    """Put v into the set."""
    test, bit_or = has(on), on.atomic_or

    @on.device
    def mark(bits, v):
        if not test(bits, v):
            bit_or(bits, v >> SHIFT, np.uint32(ONE << np.uint32(v & LAST)))

    return mark


def count(on: Any) -> Any:
    """Return the number of set bits of a 32-bit word (population count)."""
    m1, m2, m4 = np.uint32(0x55555555), np.uint32(0x33333333), np.uint32(0x0F0F0F0F)
    bytes_at_once = np.uint32(0x01010101)  # a factor that adds the four bytes of a word

    @on.device
    def count(x):
        x = np.uint32(x - ((x >> np.uint32(1)) & m1))
        x = np.uint32((x & m2) + ((x >> np.uint32(2)) & m2))
        x = np.uint32((x + (x >> np.uint32(4))) & m4)
        return np.uint32(np.uint64(x) * np.uint64(bytes_at_once) >> np.uint64(24)) & np.uint32(255)

    return count


def rank(on: Any) -> Any:
    """Return the number of set members smaller than v.

    ``before`` has the number of members before each block of words. Only v's own block is counted.
    """
    ones = count(on)

    @on.device
    def rank(bits, before, v):
        word, w = np.uint64(v >> SHIFT), np.uint64(v >> BLOCK_SHIFT) << np.uint64(3)
        set_bits = before[v >> BLOCK_SHIFT]
        while w < word:
            set_bits += ones(bits[w])
            w += np.uint64(1)
        below = np.uint32((ONE << np.uint32(v & LAST)) - ONE)
        return set_bits + ones(np.uint32(bits[word] & below))

    return rank


def no_prefetch(on: Any, *parts: Any) -> Any:
    """Prefetch nothing; the parameters are those of any prefetch."""

    @on.device
    def no_prefetch(*arguments):
        return

    return no_prefetch


def none_of(vertex: type) -> Any:
    """Return the greatest number of an unsigned type, which a link returns if it hooked no root."""
    return vertex((1 << 8 * vertex(0).itemsize) - 1)


def lessen(on: Any) -> Any:
    """Lower ``values[i]`` to at most ``value``; a stale read costs one more atomic operation."""
    atomic_min = on.atomic_min

    @on.device
    def lessen(values, i, value):
        if value < values[i]:
            atomic_min(values, i, value)

    return lessen
