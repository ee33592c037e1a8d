"""Choose one row for each distinct integer of a column.

column : (m,) integers of any type.
table  : (c,) uint64 with c > m slots. A slot holds the lower half of the integer's hash in its
         upper 32 bits and a row number in its lower 32 bits, or EMPTY. A slot is claimed by
         compare-and-swap and never changes afterwards, so a stale read can only show EMPTY.
chosen : (m,) uint32, for each row the row stored in the slot of its integer.
"""

from typing import Any

import numpy as np

from .id_hash import EMPTY, HALF, LOW, ONE, ZERO, home, mix, prefetch_ahead


def choose_rows(on: Any) -> Any:
    """Choose one row of each group of equal integers, by linear probing.

    The upper half of a hash selects the first slot. Two integers are compared only if the lower
    halves of their hashes agree. The search ends, because there are more slots than rows.
    """
    hashed, home_slot, prefetch_slot, cas = mix(on), home(on), prefetch_ahead(on), on.atomic_cas

    @on.elementwise
    def choose_rows(i, column, table, chosen):
        size, key = np.uint64(table.size), np.uint64(np.int64(column[i]))
        prefetch_slot(i, column, table, size)
        s, entry, row = home_slot(key, size), (hashed(key) << HALF) | i, i
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

    def by_numpy(m, column, table, chosen):
        _, first_rows, group = np.unique(column[:m], return_index=True, return_inverse=True)
        chosen[:m] = first_rows[group]

    choose_rows.by_numpy = by_numpy
    return choose_rows
