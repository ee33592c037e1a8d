"""Hash table that numbers ids in the order of their arrival, batch by batch.

table    : (c,) vertex, open addressing. A slot is FREE, with all bits set, or has a code: a number
           below n, for the id arrived[number], or n + i, for the id column[i], which is new in the
           current batch. A slot is claimed once, by compare-and-swap, and then always belongs to
           the same id.
arrived  : (>= n,) uint64, the bits of each id by number.
numbers  : (m,) vertex, for each row that claims a slot: the slot at first, later the number.
n        : the number of ids that had numbers before the batch.
base     : the id of the first slot of a table of dense ids, as an int64 with the same bits.

Dense ids use the slot ``id - base``. Sparse ids use linear probing from the slot of their hash. The
swap has one winner, so exactly one row claims a slot for each new id; others find it claimed.
"""

from typing import Any

import numpy as np

from . import by_numpy
from .id_hash import home
from .primitives import SOON, no_prefetch, none_of

ONE, ZERO = np.uint64(1), np.uint64(0)
MASK = 2**64 - 1


def key_of(on: Any) -> Any:
    """Return the bits of an id, sign-extended or zero-extended to 64 bits."""

    @on.device
    def key_of(column, i):
        return np.uint64(np.int64(column[i]))

    return key_of


def by_place(on: Any) -> Any:
    """Return two functions for dense ids: the slot of an id, and whether a slot belongs to an id.

    Each id in range has its own slot, so no ids are compared. Ids out of range share the last slot;
    they occur only if a column changes during the run.
    """

    @on.device
    def place(key, base, size):
        return min(key - np.uint64(base), size - ONE)

    @on.device
    def same(code, key, n, arrived, column):
        return True

    return place, same


def by_hash(on: Any) -> Any:
    """Return two functions for sparse ids: the first slot, and whether a slot belongs to an id."""
    read_key = key_of(on)

    @on.device
    def same(code, key, n, arrived, column):
        number = np.uint64(code)
        if number < np.uint64(n):
            return arrived[number] == key
        row = number - np.uint64(n)
        return row < np.uint64(column.size) and read_key(column, row) == key

    begin = home(on)

    @on.device
    def place(key, base, size):
        return begin(key, size)

    return place, same


def prefetch_place(on: Any) -> Any:
    """Prefetch the slot of row i + SOON, for dense ids."""
    (begin, _), read_key, prefetch = by_place(on), key_of(on), on.prefetch

    @on.device
    def prefetch_row(i, column, base, n, table, arrived):
        j = i + SOON
        if j < np.uint64(column.size):
            prefetch(table, begin(read_key(column, j), base, np.uint64(table.size)))

    return prefetch_row


def prefetch_hashed(on: Any) -> Any:
    """Prefetch the first slot of row i + 2 * SOON, and the id in the first slot of row i + SOON."""
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


PREFETCH = {by_place: prefetch_place, by_hash: prefetch_hashed}


def prefetch_of(on: Any, slots_by: Any) -> Any:
    """Return the prefetch function for dense or sparse ids (``by_place`` or ``by_hash``)."""
    make = no_prefetch if on.prefetch is None else PREFETCH[slots_by]
    return make(on)


def enter(on: Any, vertex: type, slots_by: Any) -> Any:
    """Return the slot of an id and the slot's previous code; write ``code`` to a free slot.

    The search probes one slot after another, from the first slot of the id. It ends at the slot of
    the id or at a free slot, because the table is never full. A stale read can only show FREE, and
    the swap then returns the current code.
    """
    place, same = slots_by(on)
    none, cas = none_of(vertex), on.atomic_cas

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


def claim(on: Any, vertex: type, slots_by: Any) -> Any:
    """Write the code in each row's slot to ``out``; set ``is_new`` for rows that claimed a slot."""
    slot, read_key, none = enter(on, vertex, slots_by), key_of(on), none_of(vertex)
    prefetch_row = prefetch_of(on, slots_by)
    first_slots, is_key = _array_functions(on, slots_by)

    @on.elementwise
    def claim(i, column, base, n, table, arrived, out, is_new, numbers):
        prefetch_row(i, column, base, n, table, arrived)
        code, claims = vertex(np.uint64(n) + i), np.uint8(0)
        s, stored = slot(read_key(column, i), code, base, n, table, arrived, column)
        if stored == none:
            stored, claims, numbers[i] = code, np.uint8(1), vertex(s)
        out[i], is_new[i] = stored, claims

    def claim_by_numpy(m, column, base, n, table, arrived, out, is_new, numbers):
        ids = column[:m].astype(np.int64).view(np.uint64)
        keys, first_rows, group = np.unique(ids, return_index=True, return_inverse=True)
        codes, start = (n + first_rows).astype(vertex), first_slots(keys, base, table.size)
        slots, is_claimed, _ = by_numpy.insert(
            codes, start, table, none, lambda stored, k: is_key(stored, keys[k], n, arrived, column)
        )
        claiming_rows = first_rows[is_claimed]
        out[:m], is_new[:m] = table[slots][group], 0
        is_new[claiming_rows], numbers[claiming_rows] = 1, slots[is_claimed]

    claim.by_numpy = claim_by_numpy
    return claim


def assign_numbers(on: Any, vertex: type) -> Any:
    """Assign the next numbers to the ids of the rows that claimed a slot."""
    read_key = key_of(on)

    @on.elementwise
    def assign_numbers(k, claimed, column, n, table, arrived, numbers):
        i, number = claimed[k], np.uint64(n) + k
        arrived[number] = read_key(column, i)
        table[numbers[i]] = vertex(number)
        numbers[i] = vertex(number)

    def assign_numbers_by_numpy(count, claimed, column, n, table, arrived, numbers):
        rows, new_numbers = claimed[:count], n + np.arange(count)
        arrived[new_numbers] = column[rows].astype(np.int64).view(np.uint64)
        table[numbers[rows]] = new_numbers
        numbers[rows] = new_numbers

    assign_numbers.by_numpy = assign_numbers_by_numpy
    return assign_numbers


def number_claimed(on: Any, vertex: type) -> Any:
    """Replace the codes of new ids in ``out``: n + i becomes the number of the id in row i."""

    @on.elementwise
    def number_claimed(i, n, numbers, out):
        code = np.uint64(out[i])
        if code >= np.uint64(n):
            out[i] = numbers[code - np.uint64(n)]

    def number_claimed_by_numpy(m, n, numbers, out):
        new = np.flatnonzero(out[:m] >= n)
        out[new] = numbers[out[new].astype(np.int64) - n]

    number_claimed.by_numpy = number_claimed_by_numpy
    return number_claimed


def fill(on: Any, vertex: type, slots_by: Any) -> Any:
    """Insert distinct ids with their numbers into an empty table."""
    slot, read_key = enter(on, vertex, slots_by), key_of(on)
    first_slots, _ = _array_functions(on, slots_by)

    @on.elementwise
    def fill(i, arrived, base, n, table):
        # the column to enter is ``arrived`` itself
        slot(read_key(arrived, i), vertex(i), base, n, table, arrived, arrived)

    def fill_by_numpy(m, arrived, base, n, table):
        start, codes = first_slots(arrived[:m], base, table.size), np.arange(m, dtype=vertex)
        # The code of an id is its index, and the ids are distinct.
        by_numpy.insert(codes, start, table, none_of(vertex), lambda stored, k: stored == k)

    fill.by_numpy = fill_by_numpy
    return fill


def look_up(on: Any, vertex: type, slots_by: Any) -> Any:
    """Write the numbers of the ids that have a number below n, and set ``valid`` for these ids.

    A slot with a code of n or more belongs to an id of a later batch. The search for a sparse id
    goes on behind this slot, because a table that was built again has its ids in any order. A dense
    id has only one slot.
    """
    (place, same), is_dense = slots_by(on), slots_by is by_place
    read_key, none, prefetch_row = key_of(on), none_of(vertex), prefetch_of(on, slots_by)
    first_slots, is_key = _array_functions(on, slots_by)

    @on.elementwise
    def look_up(i, column, base, n, table, arrived, out, valid):
        prefetch_row(i, column, base, n, table, arrived)
        key, size = read_key(column, i), np.uint64(table.size)
        s = place(key, base, size)
        while True:
            code = table[s]
            is_later = np.uint64(code) >= np.uint64(n)
            if code == none or (is_dense and is_later):
                break
            if not is_later and same(code, key, n, arrived, column):
                out[i], valid[i] = code, np.uint8(1)
                break
            s = s + ONE if s + ONE < size else ZERO

    def look_up_by_numpy(m, column, base, n, table, arrived, out, valid):
        keys = column[:m].astype(np.int64).view(np.uint64)
        slots = first_slots(keys, base, table.size).astype(np.int64)
        left = np.arange(m)  # the rows whose search has not ended
        while left.size:
            codes = table[slots[left]]
            has_number = codes < n  # not FREE, and not the code of a later id
            rows, numbers = left[has_number], codes[has_number]
            is_match = is_key(numbers, keys[rows], n, arrived, column)
            out[rows[is_match]], valid[rows[is_match]] = numbers[is_match], 1
            goes_on = (codes != none) & (not is_dense)
            goes_on[has_number] = ~is_match
            left = left[goes_on]
            slots[left] = (slots[left] + 1) % table.size

    look_up.by_numpy = look_up_by_numpy
    return look_up


def _array_functions(on: Any, slots_by: Any) -> tuple[Any, Any]:
    """Return two functions of arrays for dense or sparse ids: ``first_slots`` and ``is_key``.

    ``first_slots`` returns the first slot of each id. ``is_key`` takes the codes of claimed slots
    and an id for each, and returns which slots belong to their ids: all if dense, see ``by_place``.
    """
    if slots_by is by_place:

        def dense_slots(keys, base, size):
            return np.minimum(keys - np.uint64(base & MASK), np.uint64(size - 1))

        def is_dense_key(codes, keys, n, arrived, column):
            return np.ones(codes.size, bool)

        return dense_slots, is_dense_key
    home_slots = by_numpy.array_function(home(on))

    def first_slots(keys, base, size):
        return home_slots(keys, np.uint64(size))

    def is_key(codes, keys, n, arrived, column):
        is_new, codes = codes >= n, codes.astype(np.int64)
        ids = np.empty(codes.size, np.uint64)
        ids[~is_new] = arrived[codes[~is_new]]
        ids[is_new] = column[codes[is_new] - n].astype(np.int64).view(np.uint64)
        return ids == keys

    return first_slots, is_key
