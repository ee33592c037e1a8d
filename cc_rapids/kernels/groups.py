"""One row for each group of rows that hold the same integer.

column : (m,) integers of any type.
table  : (c,) uint64, c > m: the lower half of an integer's hash above the number of its row, or
         EMPTY. Slots are taken by compare-and-swap and never given back, so a slot that is seen
         with a row keeps it, and a stale read shows EMPTY at worst.
chosen : (m,) uint32, for each row the one that the slot of its integer holds.
"""

from typing import Any

import numpy as np

from .id_hash import EMPTY, HALF, LOW, ONE, ZERO, home, mix, prefetch_ahead


def choose_rows(on: Any) -> Any:
    """Choose one row of each group of equal integers, by linear probing.

    Integers are compared only if the lower halves of their hashes are equal; the upper ones say
    where a search begins. As there are more slots than rows, a free one is always found.
    """
    hashed, begin, prefetch_slot, cas = mix(on), home(on), prefetch_ahead(on), on.atomic_cas

    @on.elementwise
    def choose_rows(i, column, table, chosen):
        size, key = np.uint64(table.size), np.uint64(np.int64(column[i]))
        prefetch_slot(i, column, table, size)
        s, entry, row = begin(key, size), (hashed(key) << HALF) | i, i
        while True:
            stored = table[s]
            if stored == EMPTY:
                stored = cas(table, s, EMPTY, entry)
                if stored == EMPTY:
                    break
            if stored >> HALF == entry >> HALF and column[stored & LOW] == column[i]:
                row = stored & LOW
                break
            s = s + ONE if s + ONE < size else ZERO
        chosen[i] = row

    return choose_rows
