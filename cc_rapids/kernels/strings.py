"""Readers of a column of strings, eight bytes at a time.

chars   : (c,) uint8, the bytes of all strings, one after the other.
words   : (c // 8,) uint64, the same memory as whole words, little-endian; the last bytes are read
          one by one.
offsets : (m + 1,) integers: string i is chars[offsets[i]:offsets[i + 1]], as a row of an adjacency
          list is of its indices.
chosen  : (m,) for each string a row that should hold the same.
rows    : (k,) the strings that are put in order; those of a group have their first depth[group]
          bytes in common.
"""

from typing import Any

import numpy as np

from .edges import entries_of
from .id_hash import mix
from .primitives import SOON, lessen

ZERO, ONE, THREE, SEVEN, EIGHT = map(np.uint64, (0, 1, 3, 7, 8))
WORD, BYTE = np.uint64(64), np.uint64(0xFF)  # the bits of a word, and the last byte of one
HALVES, ALL = np.uint64(32), np.uint64(0xFFFFFFFFFFFFFFFF)
SOONER = np.uint64(SOON // 2)  # rows between asking for the bytes of a string and reading them
RUN = np.uint64(16)  # strings that one thread compares with the first of their group
BYTES, BYTE_BITS = np.uint64(0x00FF00FF00FF00FF), np.uint64(8)
PAIRS, PAIR_BITS = np.uint64(0x0000FFFF0000FFFF), np.uint64(16)


def note_wrong_places(on: Any) -> Any:
    """Note whether any string has invalid offsets."""

    @on.elementwise
    def note_wrong_places(i, chars, words, offsets, wrong):
        end = np.uint64(offsets[i + ONE])
        if np.uint64(offsets[i]) > end or end > np.uint64(chars.size):
            wrong[0] = np.uint64(1)

    return note_wrong_places


def eight(on: Any) -> Any:
    """Return eight bytes from a place on, the first in the lowest bits.

    Beyond the last of all they are zeros.
    """

    @on.device
    def eight(chars, words, at):
        w, shift = at >> THREE, (at & SEVEN) << THREE
        if w + ONE < np.uint64(words.size):
            return (words[w] >> shift) | ((words[w + ONE] << ONE) << (WORD - ONE - shift))
        word, b = ZERO, ZERO
        while b < EIGHT and at + b < np.uint64(chars.size):
            word |= np.uint64(chars[at + b]) << (b << THREE)
            b += ONE
        return word

    return eight


def some(on: Any) -> Any:
    """Return the first bytes from a place on, at most eight and at least one.

    Zeros for the others.
    """
    read = eight(on)

    @on.device
    def some(chars, words, at, size):
        unused = (EIGHT - min(size, EIGHT)) << THREE
        return (read(chars, words, at) << unused) >> unused

    return some


def hash_rows(on: Any) -> Any:
    """Write the hash of each string: its length and a seed, mixed with each eight bytes in turn.

    The mixing maps one to one, so that strings of up to eight bytes and of one length never share
    a hash; others do as rarely as random numbers of 64 bits.
    """
    read, mixed, entries = some(on), mix(on), entries_of(on)

    @on.elementwise
    def hash_rows(i, chars, words, offsets, seed, hashes):
        at, end = entries(offsets, chars, i)
        h = mixed(np.uint64(seed) ^ (end - at))
        while at < end:
            h = mixed(h ^ read(chars, words, at, end - at))
            at += EIGHT
        hashes[i] = h

    return hash_rows


def common(on: Any) -> Any:
    """Return how many of ``most`` bytes from two places on are the same.

    Those before the first that differ.
    """
    read = some(on)

    @on.device
    def common(chars, words, a, b, most):
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

    return common


def prefetch_ahead(on: Any) -> Any:
    """Prefetch where a later row's string begins, and the bytes of one that comes sooner."""
    if on.prefetch is None:
        return no_prefetch(on)
    prefetch = on.prefetch

    @on.device
    def prefetch_row(i, chars, offsets, chosen):
        if i + SOON < np.uint64(chosen.size):
            prefetch(offsets, np.uint64(chosen[i + SOON]))
            prefetch(chars, np.uint64(offsets[chosen[i + SOONER]]))

    return prefetch_row


def no_prefetch(on: Any) -> Any:
    """Prefetch nothing."""

    @on.device
    def prefetch_row(i, chars, offsets, chosen):
        return

    return prefetch_row


def compare(on: Any) -> Any:
    """Note whether any string differs from that of the row chosen for it.

    All who find one write the same.
    """
    same, entries, prefetch_row = common(on), entries_of(on), prefetch_ahead(on)

    @on.elementwise
    def compare(i, chars, words, offsets, chosen, differ):
        prefetch_row(i, chars, offsets, chosen)
        j = np.uint64(chosen[i])
        if j != i:
            a, a_end = entries(offsets, chars, i)
            b, b_end = entries(offsets, chars, j)
            size = a_end - a
            if b_end - b != size or same(chars, words, a, b, size) != size:
                differ[0] = np.uint32(1)

    return compare


def advance_prefix(on: Any) -> Any:
    """Find how many bytes the strings of each group have in common with its first one: deeper[g].

    For RUN strings at a time, of one group or of several: a group may hold all strings, and its
    word would be what all threads wait for. No more bytes are compared than may yet be common.
    """
    shared, lessen_word, entries = common(on), lessen(on), entries_of(on)

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
    """Write the next seven bytes of each string and how many there are, as one number to sort by.

    Bytes come first, zeros beyond the end; then their count, or eight if more follow. So a prefix
    comes before what it begins, also where that goes on with zeros, and two strings that both end
    here have the same number only if they are the same.
    """
    read, entries = some(on), entries_of(on)

    @on.elementwise
    def sort_keys(k, chars, words, offsets, rows, group, depth, out):
        at, end = entries(offsets, chars, np.uint64(rows[k]))
        prefix, word = depth[group[k]], ZERO
        if prefix < end - at:
            at += prefix
            x = read(chars, words, at, min(end - at, SEVEN))
            x = ((x & BYTES) << BYTE_BITS) | ((x >> BYTE_BITS) & BYTES)
            x = ((x & PAIRS) << PAIR_BITS) | ((x >> PAIR_BITS) & PAIRS)
            word = (x << HALVES) | (x >> HALVES) | min(end - at, EIGHT)
        out[k] = word

    return sort_keys
