"""Read a column of strings, eight bytes at a time.

All kernels take chars, words and offsets, even those that do not use ``words``.

chars   : (c,) uint8, the bytes of all strings, one string after another.
words   : (c // 8,) uint64, the memory of ``chars`` as little-endian words. The last c % 8 bytes are
          in no word and are read one by one.
offsets : (m + 1,) integers: string i is chars[offsets[i]:offsets[i + 1]].
chosen  : (m,) integers, for each string the row of a string that should be equal, maybe itself.
rows    : (k,) integers, the strings to sort or copy. When strings are sorted, string rows[k] is in
          group[k], and the strings of group g share their first depth[g] bytes.
"""

from typing import Any

import numpy as np

from . import by_numpy
from .edges import entries_of
from .id_hash import mix
from .primitives import SOON, lessen, no_prefetch

ZERO, ONE, THREE, SEVEN, EIGHT = map(np.uint64, (0, 1, 3, 7, 8))
WORD, BYTE = np.uint64(64), np.uint64(0xFF)  # bits of a word; mask of its lowest byte
HALVES, ALL = np.uint64(32), np.uint64(0xFFFFFFFFFFFFFFFF)
SOON_BYTES = np.uint64(SOON // 2)  # prefetch distance in rows for the bytes of a string
RUN = np.uint64(16)  # strings that one thread compares with the first of their group
BYTES, BYTE_BITS = np.uint64(0x00FF00FF00FF00FF), np.uint64(8)
PAIRS, PAIR_BITS = np.uint64(0x0000FFFF0000FFFF), np.uint64(16)


def note_wrong_places(on: Any) -> Any:
    """Set ``wrong`` if a string has invalid offsets."""

    @on.elementwise
    def note_wrong_places(i, chars, words, offsets, wrong):
        end = np.uint64(offsets[i + ONE])
        if np.uint64(offsets[i]) > end or end > np.uint64(chars.size):
            wrong[0] = np.uint64(1)

    def note_wrong_places_by_numpy(n, chars, words, offsets, wrong):
        begins, ends = offsets[:n].astype(np.uint64), offsets[1 : n + 1].astype(np.uint64)
        wrong[0] |= np.uint64((begins > ends).any() or (ends > np.uint64(chars.size)).any())

    note_wrong_places.by_numpy = note_wrong_places_by_numpy
    return note_wrong_places


def eight_bytes(on: Any) -> Any:
    """Return the eight bytes from a position, the first in the lowest bits; zeros past ``chars``.

    The next word is shifted twice, because a shift by 64 bits is undefined.
    """

    @on.device
    def eight_bytes(chars, words, at):
        w, shift = at >> THREE, (at & SEVEN) << THREE  # the word and the bit in it
        if w + ONE < np.uint64(words.size):
            return (words[w] >> shift) | ((words[w + ONE] << ONE) << (WORD - ONE - shift))
        word, b = ZERO, ZERO
        while b < EIGHT and at + b < np.uint64(chars.size):
            word |= np.uint64(chars[at + b]) << (b << THREE)
            b += ONE
        return word

    return eight_bytes


def first_bytes(on: Any) -> Any:
    """Return the next min(size, 8) bytes from a position, and zeros above; ``size`` >= 1."""
    read = eight_bytes(on)

    @on.device
    def first_bytes(chars, words, at, size):
        unused = (EIGHT - min(size, EIGHT)) << THREE
        return (read(chars, words, at) << unused) >> unused

    return first_bytes


def hash_rows(on: Any) -> Any:
    """Write the hash of each string.

    A hash begins as the length XOR a seed, mixed. Each eight bytes are added by XOR, and mixed. The
    mixing function is bijective, so two strings of equal length and at most eight bytes never
    share a hash. The hashes of other strings collide as rarely as random 64-bit numbers.
    """
    read, mixed, entries = first_bytes(on), mix(on), entries_of(on)

    @on.elementwise
    def hash_rows(i, chars, words, offsets, seed, hashes):
        at, end = entries(offsets, chars, i)
        h = mixed(np.uint64(seed) ^ (end - at))
        while at < end:
            h = mixed(h ^ read(chars, words, at, end - at))
            at += EIGHT
        hashes[i] = h

    mix_array, byte_positions = by_numpy.array_function(mixed), np.arange(8)

    def hash_rows_by_numpy(n, chars, words, offsets, seed, hashes):
        at, end = by_numpy.entries(offsets, chars, np.arange(n))
        padded = np.append(chars[: end.max()], np.zeros(8, np.uint8))
        hashes[:n] = mix_array(np.uint64(seed) ^ (end - at).astype(np.uint64))
        unread = np.flatnonzero(at < end)  # the strings with bytes that are not hashed yet
        while unread.size:
            next_bytes = padded[at[unread, None] + byte_positions].view(np.uint64)[:, 0]
            past_end = (EIGHT - np.minimum(end[unread] - at[unread], 8).astype(np.uint64)) << THREE
            hashes[unread] = mix_array(hashes[unread] ^ (next_bytes << past_end >> past_end))
            at[unread] += 8
            unread = unread[at[unread] < end[unread]]

    hash_rows.by_numpy = hash_rows_by_numpy
    return hash_rows


def common_prefix(on: Any) -> Any:
    """Return the length of the common prefix of the bytes from a and from b, at most ``limit``."""
    read = first_bytes(on)

    @on.device
    def common_prefix(chars, words, a, b, limit):
        length = ZERO
        while length < limit:
            left = limit - length
            bits = read(chars, words, a + length, left) ^ read(chars, words, b + length, left)
            if bits != ZERO:
                while bits & BYTE == ZERO:  # this byte is equal
                    bits >>= BYTE_BITS
                    length += ONE
                return length
            length += min(left, EIGHT)
        return length

    return common_prefix


def equal(on: Any) -> Any:
    """Return whether the ``size`` bytes from a equal the bytes from b, maybe of another column."""
    read = first_bytes(on)

    @on.device
    def equal(chars, words, a, other_chars, other_words, b, size):
        done = ZERO
        while done < size:
            left = size - done
            if read(chars, words, a + done, left) != read(other_chars, other_words, b + done, left):
                return False
            done += EIGHT
        return True

    return equal


def prefetch_ahead(on: Any) -> Any:
    """Prefetch the offset and the first bytes of the chosen strings of later rows.

    The bytes are prefetched for a nearer row, whose offset was prefetched before.
    """
    if on.prefetch is None:
        return no_prefetch(on)
    prefetch = on.prefetch

    @on.device
    def prefetch_row(i, chars, offsets, chosen):
        if i + SOON < np.uint64(chosen.size):
            prefetch(offsets, np.uint64(chosen[i + SOON]))
            prefetch(chars, np.uint64(offsets[chosen[i + SOON_BYTES]]))

    return prefetch_row


def compare(on: Any) -> Any:
    """Set ``differ`` if a string differs from the string in row ``chosen[i]``.

    All threads that write the flag write the same value.
    """
    same, entries, prefetch_row = equal(on), entries_of(on), prefetch_ahead(on)

    @on.elementwise
    def compare(i, chars, words, offsets, chosen, differ):
        prefetch_row(i, chars, offsets, chosen)
        row = np.uint64(chosen[i])
        if row != i:
            a, a_end = entries(offsets, chars, i)
            b, b_end = entries(offsets, chars, row)
            size = a_end - a
            if b_end - b != size or not same(chars, words, a, chars, words, b, size):
                differ[0] = np.uint32(1)

    return compare


def compare_kept(on: Any) -> Any:
    """Set ``differs[i]`` if string i differs from string ``numbers[i]`` of another column.

    The arrays of the other column are ``kept_chars``, ``kept_words`` and ``kept_offsets``.
    """
    same, entries, prefetch_row = equal(on), entries_of(on), prefetch_ahead(on)

    @on.elementwise
    def compare_kept(
        i, chars, words, offsets, kept_chars, kept_words, kept_offsets, numbers, differs
    ):
        prefetch_row(i, kept_chars, kept_offsets, numbers)
        a, a_end = entries(offsets, chars, i)
        b, b_end = entries(kept_offsets, kept_chars, np.uint64(numbers[i]))
        size = a_end - a
        if b_end - b != size or not same(chars, words, a, kept_chars, kept_words, b, size):
            differs[i] = np.uint8(1)

    def compare_kept_by_numpy(
        n, chars, words, offsets, kept_chars, kept_words, kept_offsets, numbers, differs
    ):
        for piece in by_numpy.pieces(n):
            a, a_end = by_numpy.entries(offsets, chars, piece)
            b, b_end = by_numpy.entries(kept_offsets, kept_chars, numbers[piece].astype(np.int64))
            differs[piece] |= a_end - a != b_end - b
            same_size = np.flatnonzero(differs[piece] == 0)
            sizes = (a_end - a)[same_size]
            at, kept_at = (by_numpy.ranges(begins[same_size], sizes) for begins in (a, b))
            row_of_byte = np.repeat(piece[same_size], sizes)
            differs[row_of_byte[chars[at] != kept_chars[kept_at]]] = 1

    compare_kept.by_numpy = compare_kept_by_numpy
    return compare_kept


def row_sizes(on: Any) -> Any:
    """Write the length in bytes of the string in each row of ``rows``."""
    entries = entries_of(on)

    @on.elementwise
    def row_sizes(k, chars, words, offsets, rows, sizes):
        at, end = entries(offsets, chars, np.uint64(rows[k]))
        sizes[k] = end - at

    def row_sizes_by_numpy(n, chars, words, offsets, rows, sizes):
        at, end = by_numpy.entries(offsets, chars, rows[:n].astype(np.int64))
        sizes[:n] = end - at

    row_sizes.by_numpy = row_sizes_by_numpy
    return row_sizes


def copy_rows(on: Any) -> Any:
    """Copy the string of each row ``rows[k]`` to the bytes ``out``, beginning at ``starts[k]``.

    At most ``starts[k + 1] - starts[k]`` bytes are written, even if ``offsets`` were changed.
    """
    entries, prefetch_row = entries_of(on), prefetch_ahead(on)

    @on.elementwise
    def copy_rows(k, chars, words, offsets, rows, starts, out):
        prefetch_row(k, chars, offsets, rows)
        at, end = entries(offsets, chars, np.uint64(rows[k]))
        to = np.uint64(starts[k])
        size = min(end - at, np.uint64(starts[k + ONE]) - to)
        b = ZERO
        while b < size:
            out[to + b] = chars[at + b]
            b += ONE

    def copy_rows_by_numpy(n, chars, words, offsets, rows, starts, out):
        for piece in by_numpy.pieces(n):
            at, end = by_numpy.entries(offsets, chars, rows[piece].astype(np.int64))
            first, last = starts[piece].astype(np.int64), starts[piece + 1].astype(np.int64)
            sizes = np.minimum(end - at, last - first)
            out[by_numpy.ranges(first, sizes)] = chars[by_numpy.ranges(at, sizes)]

    copy_rows.by_numpy = copy_rows_by_numpy
    return copy_rows


def advance_prefix(on: Any) -> Any:
    """Lower ``new_depth[g]`` to the length of the common prefix of the strings of each group g.

    Thread ``run`` compares RUN strings with the first string of their group, ``rows[first[g]]``,
    and lowers ``new_depth[g]`` once for all strings of one group. With one atomic operation per
    string, all threads would contend for one word, because a group may contain all strings. Bytes
    are compared only up to the shortest common prefix that the thread has found in the group.
    """
    prefix_length, lower_to, entries = common_prefix(on), lessen(on), entries_of(on)

    @on.elementwise
    def advance_prefix(run, chars, words, offsets, rows, group, first, depth, new_depth):
        k = run * RUN
        end, g, shortest = min(k + RUN, np.uint64(rows.size)), group[k], ALL
        while k < end:
            if group[k] != g:
                lower_to(new_depth, g, shortest)
                g, shortest = group[k], ALL
            a, a_end = entries(offsets, chars, np.uint64(rows[k]))
            b, b_end = entries(offsets, chars, np.uint64(rows[first[g]]))
            limit = min(a_end - a, b_end - b, shortest)
            equal_bytes = min(depth[g], limit)  # need not be compared again
            shortest = equal_bytes + prefix_length(
                chars, words, a + equal_bytes, b + equal_bytes, limit - equal_bytes
            )
            k += ONE
        lower_to(new_depth, g, shortest)

    return advance_prefix


def sort_keys(on: Any) -> Any:
    """Write a sort key for each string: its next seven bytes after the common prefix, and a count.

    The upper seven bytes of the key are bytes of the string, the first one highest, and zeros after
    its end. The lowest byte is the number of bytes that the string has left, at most eight. A
    prefix therefore sorts before its extensions, even before extensions by zero bytes. Two strings
    of a group that end within the seven bytes have equal keys only if they are equal.
    """
    read, entries = first_bytes(on), entries_of(on)

    @on.elementwise
    def sort_keys(k, chars, words, offsets, rows, group, depth, keys):
        at, end = entries(offsets, chars, np.uint64(rows[k]))
        prefix, key = depth[group[k]], ZERO
        if prefix < end - at:
            at += prefix
            x = read(chars, words, at, min(end - at, SEVEN))
            # Reverse the order of the bytes: swap the bytes of pairs, the pairs, then the halves.
            x = ((x & BYTES) << BYTE_BITS) | ((x >> BYTE_BITS) & BYTES)
            x = ((x & PAIRS) << PAIR_BITS) | ((x >> PAIR_BITS) & PAIRS)
            key = (x << HALVES) | (x >> HALVES) | min(end - at, EIGHT)
        keys[k] = key

    return sort_keys
