"""Read a column of strings, eight bytes at a time.

The kernels take chars, words and offsets together, although some kernels do not use ``words``.

chars   : (c,) uint8, the bytes of all strings, one string after another.
words   : (c // 8,) uint64, the same memory as whole little-endian words; the last c % 8 bytes are
          read one by one.
offsets : (m + 1,) integers: string i is chars[offsets[i]:offsets[i + 1]].
chosen  : (m,) integers, for each string a row that should hold an equal string.
rows    : (k,) integers, the strings to sort. The strings of group g share their first depth[g]
          bytes.
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
SOONER = np.uint64(SOON // 2)  # prefetch distance in rows for the bytes of a string
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
    """Return the eight bytes at a position, the first in the lowest bits; zeros past the end.

    The second word is shifted twice, because a shift by 64 bits is undefined.
    """

    @on.device
    def eight_bytes(chars, words, at):
        w, shift = at >> THREE, (at & SEVEN) << THREE
        if w + ONE < np.uint64(words.size):
            return (words[w] >> shift) | ((words[w + ONE] << ONE) << (WORD - ONE - shift))
        word, b = ZERO, ZERO
        while b < EIGHT and at + b < np.uint64(chars.size):
            word |= np.uint64(chars[at + b]) << (b << THREE)
            b += ONE
        return word

    return eight_bytes


def first_bytes(on: Any) -> Any:
    """Return the first ``size`` >= 1 bytes, at most eight; zeros in the higher bytes."""
    read = eight_bytes(on)

    @on.device
    def first_bytes(chars, words, at, size):
        unused = (EIGHT - min(size, EIGHT)) << THREE
        return (read(chars, words, at) << unused) >> unused

    return first_bytes


def hash_rows(on: Any) -> Any:
    """Write the hash of each string: its length and a seed, mixed with each eight bytes in turn.

    The mixing function is bijective, so two strings of equal length and at most eight bytes never
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

    mixed_arrays, places = by_numpy.array_function(mixed), np.arange(8)

    def hash_rows_by_numpy(n, chars, words, offsets, seed, hashes):
        at, end = by_numpy.entries(offsets, chars, np.arange(n))
        padded = np.append(chars[: end.max()], np.zeros(8, np.uint8))
        hashes[:n] = mixed_arrays(np.uint64(seed) ^ (end - at).astype(np.uint64))
        left = np.flatnonzero(at < end)
        while left.size:
            read = padded[at[left, None] + places].view(np.uint64)[:, 0]
            unused = (EIGHT - np.minimum(end[left] - at[left], 8).astype(np.uint64)) << THREE
            hashes[left] = mixed_arrays(hashes[left] ^ (read << unused >> unused))
            at[left] += 8
            left = left[at[left] < end[left]]

    hash_rows.by_numpy = hash_rows_by_numpy
    return hash_rows


def common_prefix(on: Any) -> Any:
    """Return the length of the common prefix of the bytes at a and at b, at most ``most``."""
    read = first_bytes(on)

    @on.device
    def common_prefix(chars, words, a, b, most):
        done = ZERO
        while done < most:
            left = most - done
            differ = read(chars, words, a + done, left) ^ read(chars, words, b + done, left)
            if differ != ZERO:
                while differ & BYTE == ZERO:
                    differ >>= BYTE_BITS
                    done += ONE
                return done
            done += min(left, EIGHT)
        return done

    return common_prefix


def equal(on: Any) -> Any:
    """Return whether ``size`` bytes of two columns of strings are equal."""
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
    """Prefetch the chosen string's offset for row i + SOON, and its bytes for row i + SOONER."""
    if on.prefetch is None:
        return no_prefetch(on)
    prefetch = on.prefetch

    @on.device
    def prefetch_row(i, chars, offsets, chosen):
        if i + SOON < np.uint64(chosen.size):
            prefetch(offsets, np.uint64(chosen[i + SOON]))
            prefetch(chars, np.uint64(offsets[chosen[i + SOONER]]))

    return prefetch_row


def compare(on: Any) -> Any:
    """Set ``differ`` if a string differs from the string in row ``chosen[i]``.

    All threads that write the flag write the same value.
    """
    same, entries, prefetch_row = equal(on), entries_of(on), prefetch_ahead(on)

    @on.elementwise
    def compare(i, chars, words, offsets, chosen, differ):
        prefetch_row(i, chars, offsets, chosen)
        j = np.uint64(chosen[i])
        if j != i:
            a, a_end = entries(offsets, chars, i)
            b, b_end = entries(offsets, chars, j)
            size = a_end - a
            if b_end - b != size or not same(chars, words, a, chars, words, b, size):
                differ[0] = np.uint32(1)

    return compare


def compare_kept(on: Any) -> Any:
    """Set ``differs[i]`` if string i differs from the kept string ``numbers[i]``.

    The kept strings have the arrays ``kept_chars``, ``kept_words`` and ``kept_offsets``.
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
            same = np.flatnonzero(differs[piece] == 0)
            sizes = (a_end - a)[same]
            at, kept_at = (by_numpy.ranges(begins[same], sizes) for begins in (a, b))
            row = np.repeat(piece[same], sizes)
            differs[row[chars[at] != kept_chars[kept_at]]] = 1

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

    At most ``starts[k + 1] - starts[k]`` bytes are written, even if the string has changed.
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
    """Compute the length ``deeper[g]`` of the common prefix of the strings of each group g.

    Thread ``run`` compares RUN strings with the first string of their group and lowers
    ``deeper[g]`` once. With one atomic operation per string, all threads would contend for one
    word, because a group may contain all strings. Bytes are compared only up to the least prefix so
    far. String ``rows[k]`` is in group ``group[k]``, and ``first[g]`` is the position of the first
    string of group g in ``rows``.
    """
    shared, lessen_word, entries = common_prefix(on), lessen(on), entries_of(on)

    @on.elementwise
    def advance_prefix(run, chars, words, offsets, rows, group, first, depth, deeper):
        k = run * RUN
        end, g, least = min(k + RUN, np.uint64(rows.size)), group[k], ALL
        while k < end:
            if group[k] != g:
                lessen_word(deeper, g, least)
                g, least = group[k], ALL
            a, a_end = entries(offsets, chars, np.uint64(rows[k]))
            b, b_end = entries(offsets, chars, np.uint64(rows[first[g]]))
            size = min(a_end - a, b_end - b, least)
            depth_of_group = min(depth[g], size)
            least = depth_of_group + shared(
                chars, words, a + depth_of_group, b + depth_of_group, size - depth_of_group
            )
            k += ONE
        lessen_word(deeper, g, least)

    return advance_prefix


def sort_keys(on: Any) -> Any:
    """Write the next seven bytes of each string and their count as one sort key.

    The upper seven bytes of the key are the bytes of the string, the first one highest, with zeros
    past its end. The lowest byte is the number of these bytes, or eight if more bytes follow. A
    prefix therefore sorts before its extensions, even before extensions by zero bytes. Two strings
    that end within the seven bytes have equal keys only if they are equal.
    """
    read, entries = first_bytes(on), entries_of(on)

    @on.elementwise
    def sort_keys(k, chars, words, offsets, rows, group, depth, out):
        at, end = entries(offsets, chars, np.uint64(rows[k]))
        prefix, word = depth[group[k]], ZERO
        if prefix < end - at:
            at += prefix
            x = read(chars, words, at, min(end - at, SEVEN))
            # Reverse the order of the bytes: swap the bytes of pairs, the pairs, then the halves.
            x = ((x & BYTES) << BYTE_BITS) | ((x >> BYTE_BITS) & BYTES)
            x = ((x & PAIRS) << PAIR_BITS) | ((x >> PAIR_BITS) & PAIRS)
            word = (x << HALVES) | (x >> HALVES) | min(end - at, EIGHT)
        out[k] = word

    return sort_keys
