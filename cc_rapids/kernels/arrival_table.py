"""The table of ids that arrive in batches, which gives each new one the next number.

table    : (c,) vertex, open addressing: slot s is FREE, or holds a number below n, of the id
           arrived[number], or n + i, of the id column[i], new with the rows that are being claimed.
           A slot is taken once, by compare-and-swap, and belongs to the same id from then on.
arrived  : (>= n,) uint64, the bits of each id by number.
numbers  : (m,) vertex, of the rows whose id is new: first its slot, and then its number.

Ids that lie close together have the slot of their own place, less ``base``; others that of their
hash, or the next one free. Rows of one id agree on who claims the slot, as the swap has one winner,
and an id whose slot is taken is found there: so each new id is claimed by exactly one of its rows.
"""

from typing import Any

import numpy as np

from .id_hash import home
from .primitives import SOON

ONE, ZERO = np.uint64(1), np.uint64(0)


def free(vertex: type) -> Any:
    """Return what a slot holds that no id has: all bits set."""
    return vertex(np.iinfo(vertex).max)


def key_of(on: Any) -> Any:
    """Return the bits of an id: those of int64, to which signed types are extended."""

    @on.device
    def key_of(column, i):
        return np.uint64(np.int64(column[i]))

    return key_of


def by_place(on: Any) -> Any:
    """Return the slot function of ids with a slot each, and a predicate that is always true.

    The last slot is that of all ids out of range, which only columns that change have.
    """

    @on.device
    def place(key, base, size):
        return min(key - np.uint64(base), size - ONE)

    @on.device
    def same(code, key, n, arrived, column):
        return True

    return place, same


def by_hash(on: Any) -> Any:
    """Return functions for ids that share slots: the first one, and whether one is an id's own."""
    read_key = key_of(on)

    @on.device
    def same(code, key, n, arrived, column):
        at, new = np.uint64(code), np.uint64(code) - np.uint64(n)
        if at < np.uint64(n):
            return arrived[at] == key
        return new < np.uint64(column.size) and read_key(column, new) == key

    begin = home(on)

    @on.device
    def place(key, base, size):
        return begin(key, size)

    return place, same


def no_prefetch(on: Any) -> Any:
    """Prefetch nothing: a GPU has other threads to run while one waits for a slot."""

    @on.device
    def prefetch_row(i, column, base, n, table, arrived):
        return

    return prefetch_row


def prefetch_place(on: Any) -> Any:
    """Prefetch the place of a later id, because a CPU would otherwise stall on each slot."""
    (begin, _), read_key, prefetch = by_place(on), key_of(on), on.prefetch

    @on.device
    def prefetch_row(i, column, base, n, table, arrived):
        j = i + SOON
        if j < np.uint64(column.size):
            prefetch(table, begin(read_key(column, j), base, np.uint64(table.size)))

    return prefetch_row


def prefetch_hashed(on: Any) -> Any:
    """Prefetch the slot of a later id, and the id in the slot of one half as far ahead."""
    (begin, _), read_key, prefetch = by_hash(on), key_of(on), on.prefetch

    @on.device
    def prefetch_row(i, column, base, n, table, arrived):
        rows, size, j = np.uint64(column.size), np.uint64(table.size), i + SOON
        if j + SOON < rows:
            prefetch(table, begin(read_key(column, j + SOON), base, size))
        if j < rows:
            code = np.uint64(table[begin(read_key(column, j), base, size)])
            if code < np.uint64(n):
                prefetch(arrived, code)

    return prefetch_row


AHEAD = {by_place: prefetch_place, by_hash: prefetch_hashed}


def prefetch_of(on: Any, way: Any) -> Any:
    """Return what prefetches for a later row."""
    return (AHEAD[way] if on.prefetch is not None else no_prefetch)(on)


def enter(on: Any, vertex: type, way: Any) -> Any:
    """Return the slot of an id and what it held before; an id without a slot claims a free one.

    Linear probing from the first slot. Ends with the id's own slot or a free one, as the table is
    never full; a stale read shows FREE at worst, and the swap then tells what is there.
    """
    place, same = way(on)
    none, cas = free(vertex), on.atomic_cas

    @on.device
    def enter(key, code, base, n, table, arrived, column):
        size = np.uint64(table.size)
        s = place(key, base, size)
        while True:
            stored = table[s]
            if stored == none:
                stored = cas(table, s, none, code)
            if stored == none or same(stored, key, n, arrived, column):
                return s, stored
            s = s + ONE if s + ONE < size else ZERO

    return enter


def claim(on: Any, vertex: type, way: Any) -> Any:
    """Write for each row what the slot of its id holds, which new ids take; flag those that do."""
    slot, read_key, none = enter(on, vertex, way), key_of(on), free(vertex)
    prefetch_row = prefetch_of(on, way)

    @on.elementwise
    def claim(i, column, base, n, table, arrived, out, is_new, numbers):
        prefetch_row(i, column, base, n, table, arrived)
        code, flag = vertex(np.uint64(n) + i), np.uint8(0)
        s, stored = slot(read_key(column, i), code, base, n, table, arrived, column)
        if stored == none:
            stored, flag, numbers[i] = code, np.uint8(1), vertex(s)
        out[i], is_new[i] = stored, flag

    return claim


def settle(on: Any, vertex: type) -> Any:
    """Give the next number to the id of each row that has claimed a slot."""
    read_key = key_of(on)

    @on.elementwise
    def settle(k, claimed, column, n, table, arrived, numbers):
        i, number = claimed[k], np.uint64(n) + k
        arrived[number] = read_key(column, i)
        table[numbers[i]] = vertex(number)
        numbers[i] = vertex(number)

    return settle


def number_claimed(on: Any, vertex: type) -> Any:
    """Write the number of each row whose id was claimed by one of these rows."""

    @on.elementwise
    def number_claimed(i, n, numbers, out):
        code = np.uint64(out[i])
        if code >= np.uint64(n):
            out[i] = numbers[code - np.uint64(n)]

    return number_claimed


def fill(on: Any, vertex: type, way: Any) -> Any:
    """Enter different ids with their numbers into a table that has none of them."""
    slot, read_key = enter(on, vertex, way), key_of(on)

    @on.elementwise
    def fill(i, arrived, base, n, table):
        slot(read_key(arrived, i), vertex(i), base, n, table, arrived, arrived)

    return fill


def look_up(on: Any, vertex: type, way: Any) -> Any:
    """Write the number of each id that has one below n, and that it has.

    What a table holds from n on has come later: no id below n has its slot beyond one of these.
    """
    place, same = way(on)
    read_key, none, prefetch_row = key_of(on), free(vertex), prefetch_of(on, way)

    @on.elementwise
    def look_up(i, column, base, n, table, arrived, out, valid):
        prefetch_row(i, column, base, n, table, arrived)
        key, size = read_key(column, i), np.uint64(table.size)
        s = place(key, base, size)
        while True:
            code = table[s]
            if code == none or np.uint64(code) >= np.uint64(n):
                break
            if same(code, key, n, arrived, column):
                out[i], valid[i] = code, np.uint8(1)
                break
            s = s + ONE if s + ONE < size else ZERO

    return look_up
