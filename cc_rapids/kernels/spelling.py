"""Encode short strings as numbers in lexicographic order, and decode them.

The code of a string is its rank among all strings that have, at each position, a byte that occurs
at this position in the column. Strings with a common prefix have consecutive codes: first the
prefix itself, if it is as long as the shortest string of the column or longer, then the strings
with the least next byte, and so on.

seen    : (SEEN,) uint8. seen[256 p + b] is set if byte b occurs at position p, seen[LENGTHS + p] if
          a string has length p. Then follow the flags WRONG and TOO_LONG.
worth   : (256 width,) uint64, at 256 p + b the amount that byte b at position p adds to a code; all
          bits set if b does not occur there.
below   : (width,) uint64, at p the number of strings with a common prefix of p + 1 bytes.
letters : (256 width,) uint8, the bytes that occur at position p, in order, from index 256 p.
numbers : (m,) uint32 or uint64, the codes; arbitrary for a string that has no code.
chars, words, offsets : the strings, as in strings.py.
step    : the distance between the rows that are examined, all rows or a sample.
"""

from typing import Any

import numpy as np

from .edges import entries_of
from .strings import ALL, BYTE, BYTE_BITS, EIGHT, ONE, ZERO, first_bytes

MAX_BYTES = 64  # maximum length of a string in bytes
LIMIT, LENGTHS = np.uint64(MAX_BYTES), np.uint64(MAX_BYTES << 8)
WRONG, TOO_LONG, SEEN = (int(LENGTHS + LIMIT) + k for k in (1, 2, 3))


def note_letters(on: Any) -> Any:
    """Record the bytes and the length of every ``step``-th string, and whether offsets are invalid.

    All threads that write a flag write the same value. Flags of bytes and lengths are tested first,
    because most are set by many strings, and stores would contend for their cache lines.
    """
    read, entries = first_bytes(on), entries_of(on)

    @on.elementwise
    def note_letters(i, chars, words, offsets, step, seen):
        row = i * np.uint64(step)
        begin, stop = np.uint64(offsets[row]), np.uint64(offsets[row + ONE])
        if begin > stop or stop > np.uint64(chars.size):
            seen[WRONG] = np.uint8(1)
        at, end = entries(offsets, chars, row)
        size = end - at
        if size > LIMIT:
            seen[TOO_LONG] = np.uint8(1)
        else:
            p = ZERO
            while p < size:
                x = read(chars, words, at + p, size - p)
                last = min(size, p + EIGHT)
                while p < last:
                    k = (p << BYTE_BITS) | (x & BYTE)
                    if seen[k] == np.uint8(0):
                        seen[k] = np.uint8(1)
                    x >>= BYTE_BITS
                    p += ONE
            if seen[LENGTHS + size] == np.uint8(0):
                seen[LENGTHS + size] = np.uint8(1)

    return note_letters


def number_of(on: Any) -> Any:
    """Return the code of string i, and whether the string has a code."""
    read, entries = first_bytes(on), entries_of(on)

    @on.device
    def number_of(chars, words, offsets, i, least, width, worth):
        at, end = entries(offsets, chars, i)
        size, number, p = end - at, ZERO, ZERO
        if size < np.uint64(least) or size > np.uint64(width):
            return number, False
        while p < size:
            x = read(chars, words, at + p, size - p)
            last = min(size, p + EIGHT)
            while p < last:
                more = worth[(p << BYTE_BITS) | (x & BYTE)]
                if more == ALL:
                    return number, False
                number += more
                x >>= BYTE_BITS
                p += ONE
        return number, True

    return number_of


def number_spelt(on: Any) -> Any:
    """Write the code of each string; set ``uncoded`` if a string has no code."""
    number = number_of(on)

    @on.elementwise
    def number_spelt(i, chars, words, offsets, least, width, worth, out, uncoded):
        value, spelt = number(chars, words, offsets, i, least, width, worth)
        if not spelt:
            uncoded[0] = np.uint64(1)
        out[i] = value

    return number_spelt


def look_up_spelt(on: Any) -> Any:
    """Write the code of each string, and whether the string has a code."""
    number = number_of(on)

    @on.elementwise
    def look_up_spelt(i, chars, words, offsets, least, width, worth, out, valid):
        value, spelt = number(chars, words, offsets, i, least, width, worth)
        out[i] = value
        valid[i] = np.uint8(spelt)

    return look_up_spelt


def spelt_sizes(on: Any) -> Any:
    """Write the length in bytes of the string of each code to ``sizes``.

    All strings have at least ``same`` bytes. If strings may end at position p, the first code is
    that of the string which ends there. Then there are ``below[p]`` codes for each next byte.
    """

    @on.elementwise
    def spelt_sizes(i, numbers, least, width, same, below, sizes):
        rest, p = np.uint64(numbers[i]), np.uint64(same)
        while p < np.uint64(width):
            if p >= np.uint64(least):
                if rest == ZERO:
                    break
                rest -= ONE
            rest %= below[p]
            p += ONE
        sizes[i] = p

    return spelt_sizes


def spell(on: Any) -> Any:
    """Write the string of each code; the first ``same`` bytes are equal in all strings.

    The digits of a code are the positions of the bytes in ``letters``.
    """

    @on.elementwise
    def spell(i, numbers, offsets, least, same, below, letters, chars):
        rest, p = np.uint64(numbers[i]), ZERO
        at = np.uint64(offsets[i])
        size = np.uint64(offsets[i + ONE]) - at
        while p < np.uint64(same):
            chars[at + p] = letters[p << BYTE_BITS]
            p += ONE
        while p < size:
            if p >= np.uint64(least):
                rest -= ONE
            digit = rest // below[p]
            chars[at + p] = letters[(p << BYTE_BITS) | (digit & BYTE)]
            rest -= digit * below[p]
            p += ONE

    return spell
