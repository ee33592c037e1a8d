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
    """Return functions for ids that have a slot each: the slot, and that it is nobody else's.

    The last slot is that of all ids out of range, which only columns that change have.
    """

    @on.device
    def place(key, base, size):
        return min(key - np.uint64(base), size - ONE)

    @on.device
    def same(held, key, n, arrived, column):
        return True

    return place, same


def by_hash(on: Any) -> Any:
    """Return functions for ids that share slots: the first one, and whether one is an id's own."""
    own = key_of(on)

    @on.device
    def same(held, key, n, arrived, column):
        at, new = np.uint64(held), np.uint64(held) - np.uint64(n)
        if at < np.uint64(n):
            return arrived[at] == key
        return new < np.uint64(column.size) and own(column, new) == key

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
    """Prefetch the place of a later id, as a processor waits for one slot at a time else."""
    (begin, _), own, prefetch = by_place(on), key_of(on), on.prefetch

    @on.device
    def prefetch_row(i, column, base, n, table, arrived):
        j = i + SOON
        if j < np.uint64(column.size):
            prefetch(table, begin(own(column, j), base, np.uint64(table.size)))

    return prefetch_row


def prefetch_hashed(on: Any) -> Any:
    """Prefetch the slot of a later id, and of one half as far the id that its slot names."""
    (begin, _), own, prefetch = by_hash(on), key_of(on), on.prefetch

    @on.device
    def prefetch_row(i, column, base, n, table, arrived):
        rows, size, j = np.uint64(column.size), np.uint64(table.size), i + SOON
        if j + SOON < rows:
            prefetch(table, begin(own(column, j + SOON), base, size))
        if j < rows:
            held = np.uint64(table[begin(own(column, j), base, size)])
            if held < np.uint64(n):
                prefetch(arrived, held)

    return prefetch_row


AHEAD = {by_place: prefetch_place, by_hash: prefetch_hashed}


def prefetch_of(on: Any, way: Any) -> Any:
    """Return what prefetches for a later row."""
    return (AHEAD[way] if on.prefetch is not None else no_prefetch)(on)


def enter(on: Any, vertex: type, way: Any) -> Any:
    """Return the slot of an id, which takes a free one by a code, and what it held before.

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
            held = table[s]
            if held == none:
                held = cas(table, s, none, code)
            if held == none or same(held, key, n, arrived, column):
                return s, held
            s = s + ONE if s + ONE < size else ZERO

    return enter


def claim(on: Any, vertex: type, way: Any) -> Any:
    """Write for each row what the slot of its id holds, which new ids take; flag those that do."""
    slot, own, none = enter(on, vertex, way), key_of(on), free(vertex)
    prefetch_row = prefetch_of(on, way)

    @on.elementwise
    def claim(i, column, base, n, table, arrived, out, is_new, numbers):
        prefetch_row(i, column, base, n, table, arrived)
        code, flag = vertex(np.uint64(n) + i), np.uint8(0)
        s, held = slot(own(column, i), code, base, n, table, arrived, column)
        if held == none:
            held, flag, numbers[i] = code, np.uint8(1), vertex(s)
        out[i], is_new[i] = held, flag

    return claim


def settle(on: Any, vertex: type) -> Any:
    """Give the next number to the id of each row that has claimed a slot."""
    own = key_of(on)

    @on.elementwise
    def settle(k, claimed, column, n, table, arrived, numbers):
        i, number = claimed[k], np.uint64(n) + k
        arrived[number] = own(column, i)
        table[numbers[i]] = vertex(number)
        numbers[i] = vertex(number)

    return settle


def number_claimed(on: Any, vertex: type) -> Any:
    """Write the number of each row whose id was claimed by one of these rows."""

    @on.elementwise
    def number_claimed(i, n, numbers, out):
        held = np.uint64(out[i])
        if held >= np.uint64(n):
            out[i] = numbers[held - np.uint64(n)]

    return number_claimed


def fill(on: Any, vertex: type, way: Any) -> Any:
    """Enter different ids with their numbers into a table that has none of them."""
    slot, own = enter(on, vertex, way), key_of(on)

    @on.elementwise
    def fill(i, arrived, base, n, table):
        slot(own(arrived, i), vertex(i), base, n, table, arrived, arrived)

    return fill


def look_up(on: Any, vertex: type, way: Any) -> Any:
    """Write the number of each id that has one below n, and that it has.

    What a table holds from n on has come later: no id below n has its slot beyond one of these.
    """
    place, same = way(on)
    own, none, prefetch_row = key_of(on), free(vertex), prefetch_of(on, way)

    @on.elementwise
    def look_up(i, column, base, n, table, arrived, out, known):
        prefetch_row(i, column, base, n, table, arrived)
        key, size = own(column, i), np.uint64(table.size)
        s = place(key, base, size)
        while True:
            held = table[s]
            if held == none or np.uint64(held) >= np.uint64(n):
                break
            if same(held, key, n, arrived, column):
                out[i], known[i] = held, np.uint8(1)
                break
            s = s + ONE if s + ONE < size else ZERO

    return look_up
