"""Encode short strings as integers in lexicographic order, and decode the integers.

The code of a string is its rank among all possible strings. These have ``least`` to ``width``
bytes, the lengths of the shortest and of the longest string of the column, and at each position a
byte that the column has there. Other strings have no code. Possible strings that begin with the
same p bytes have consecutive codes: if p is ``least`` or more, first the string that ends there;
then the strings with the least next byte, and so on.

seen    : (SEEN,) uint8 flags. seen[256 p + b] is set if byte b occurs at position p, and
          seen[LENGTHS + p] if a string has length p. seen[WRONG] is set if offsets are invalid, and
          seen[TOO_LONG] if a string has more than MAX_BYTES bytes.
worth   : (256 width,) uint64, at 256 p + b the amount that byte b at position p adds to a code; all
          bits set if b does not occur there.
below   : (width,) uint64, at p the number of possible strings that begin with the same p + 1 bytes.
letters : (256 width,) uint8, the bytes that occur at position p, in order, from index 256 p.
codes   : (m,) uint32 or uint64, the codes; arbitrary for a string that has no code.
same    : the number of bytes of the common prefix of all strings.
chars, words, offsets : the strings, as in strings.py.
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

    All threads that write a flag write the same value. The flag of a byte or length is written only
    if it is not set yet: many strings share a flag, and their stores would contend for its cache
    line.
    """
    read, entries = first_bytes(on), entries_of(on)

    @on.elementwise
    def note_letters(i, chars, words, offsets, step, seen):
        row = i * np.uint64(step)
        begin, stop = np.uint64(offsets[row]), np.uint64(offsets[row + ONE])
        if begin > stop or stop > np.uint64(chars.size):
            seen[WRONG] = np.uint8(1)
        first, end = entries(offsets, chars, row)  # clamps invalid offsets
        size = end - first
        if size > LIMIT:
            seen[TOO_LONG] = np.uint8(1)
        else:
            p = ZERO
            while p < size:
                next_bytes = read(chars, words, first + p, size - p)
                end_of_word = min(size, p + EIGHT)
                while p < end_of_word:
                    flag = (p << BYTE_BITS) | (next_bytes & BYTE)
                    if seen[flag] == np.uint8(0):
                        seen[flag] = np.uint8(1)
                    next_bytes >>= BYTE_BITS
                    p += ONE
            if seen[LENGTHS + size] == np.uint8(0):
                seen[LENGTHS + size] = np.uint8(1)

    return note_letters


def code_of(on: Any) -> Any:
    """Return the code of string i, and True; or an arbitrary number and False if it has no code."""
    read, entries = first_bytes(on), entries_of(on)

    @on.device
    def code_of(chars, words, offsets, i, least, width, worth):
        first, end = entries(offsets, chars, i)
        size, code, p = end - first, ZERO, ZERO
        if size < np.uint64(least) or size > np.uint64(width):
            return code, False
        while p < size:
            next_bytes = read(chars, words, first + p, size - p)
            end_of_word = min(size, p + EIGHT)
            while p < end_of_word:
                amount = worth[(p << BYTE_BITS) | (next_bytes & BYTE)]
                if amount == ALL:
                    return code, False
                code += amount
                next_bytes >>= BYTE_BITS
                p += ONE
        return code, True

    return code_of


def write_codes(on: Any) -> Any:
    """Write the code of each string; set one flag, ``uncoded[0]``, if any string has no code."""
    code_of_string = code_of(on)

    @on.elementwise
    def write_codes(i, chars, words, offsets, least, width, worth, codes, uncoded):
        code, has_code = code_of_string(chars, words, offsets, i, least, width, worth)
        if not has_code:
            uncoded[0] = np.uint64(1)
        codes[i] = code

    return write_codes


def look_up_codes(on: Any) -> Any:
    """Write the code of each string, and to ``valid[i]`` whether string i has a code."""
    code_of_string = code_of(on)

    @on.elementwise
    def look_up_codes(i, chars, words, offsets, least, width, worth, codes, valid):
        code, has_code = code_of_string(chars, words, offsets, i, least, width, worth)
        codes[i] = code
        valid[i] = np.uint8(has_code)

    return look_up_codes


def decoded_sizes(on: Any) -> Any:
    """Write the length in bytes of the string of each code to ``sizes``.

    ``rest`` is the rank among the possible strings that begin with the same p bytes.
    """

    @on.elementwise
    def decoded_sizes(i, codes, least, width, same, below, sizes):
        rest, p = np.uint64(codes[i]), np.uint64(same)
        while p < np.uint64(width):
            if p >= np.uint64(least):  # rank 0 is the string that ends here
                if rest == ZERO:
                    break
                rest -= ONE
            rest %= below[p]
            p += ONE
        sizes[i] = p

    return decoded_sizes


def decode(on: Any) -> Any:
    """Write the string of each code to the bytes ``chars``, beginning at ``offsets[i]``.

    ``rest`` is the rank among the possible strings that begin with the same p bytes. The mask BYTE
    keeps the index of a letter in range.
    """

    @on.elementwise
    def decode(i, codes, offsets, least, same, below, letters, chars):
        rest, p = np.uint64(codes[i]), ZERO
        first = np.uint64(offsets[i])
        size = np.uint64(offsets[i + ONE]) - first
        while p < np.uint64(same):
            chars[first + p] = letters[p << BYTE_BITS]
            p += ONE
        while p < size:
            if p >= np.uint64(least):  # rank 0 was the string that ends here
                rest -= ONE
            letter = rest // below[p]
            chars[first + p] = letters[(p << BYTE_BITS) | (letter & BYTE)]
            rest -= letter * below[p]
            p += ONE

    return decode
