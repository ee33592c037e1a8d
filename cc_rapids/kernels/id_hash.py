"""Hash table that maps 64-bit ids to slots, for ids too sparse for an array over their range.

keys  : (c + 1,) uint64, the id in each slot, or EMPTY. The additional last slot is for the id whose
        bits equal EMPTY, so every 64-bit id is valid. A slot is claimed by compare-and-swap and
        never changes afterwards.
full  : (1,) uint32, set to 1 when an id finds no slot.
out   : (m,) unsigned, the vertex of each row: the slot of its id.
"""

from typing import Any

import numpy as np

from . import by_numpy
from .primitives import SOON, no_prefetch

EMPTY, ZERO, ONE = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0), np.uint64(1)
PROBES = np.uint64(by_numpy.PROBES)
MIX_SHIFT = np.uint64(33)
THREE, EIGHT = np.uint64(3), np.uint64(8)  # bytes of a bit set, 8 slots each
MIX_1, MIX_2 = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
HALF, LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
REGISTERS, REGISTER_BITS = 1 << 14, np.uint64(14)  # of HyperLogLog; standard error 0.8 %
LAST_REGISTER = np.uint64(REGISTERS - 1)
TAIL_BITS = np.uint32(64 - REGISTER_BITS)  # bits of a hash above the number of its register


def mix(on: Any) -> Any:
    """Return the hash of an id: the bijective 64-bit finaliser of MurmurHash3."""

    @on.device
    def mix(key):
        key = (key ^ (key >> MIX_SHIFT)) * MIX_1
        key = (key ^ (key >> MIX_SHIFT)) * MIX_2
        return key ^ (key >> MIX_SHIFT)

    return mix


def home(on: Any) -> Any:
    """Return the home slot of an id among ``size`` slots: ``(hash >> 32) * size >> 32``.

    The product is the sum of two parts that do not overflow. It is cheaper than a remainder.
    """
    hashed = mix(on)

    @on.device
    def home(key, size):
        h = hashed(key) >> HALF
        return h * (size >> HALF) + (h * (size & LOW) >> HALF)

    return home


def update_registers(on: Any) -> Any:
    """Update the HyperLogLog registers with each id (Flajolet et al. 2007).

    A register holds the maximum, over its hashes, of the position of the lowest set bit. Most
    hashes have a set bit at or below this position and are rejected without an atomic operation.
    """
    hashed, atomic_max = mix(on), on.atomic_max

    @on.elementwise
    def update_registers(i, column, registers):
        h = hashed(np.uint64(np.int64(column[i])))
        register, tail, position = h & LAST_REGISTER, h >> REGISTER_BITS, np.uint32(1)
        if tail & ((ONE << np.uint64(registers[register])) - ONE) == ZERO:
            while tail & ONE == ZERO and position < TAIL_BITS:
                tail >>= ONE
                position += np.uint32(1)
            atomic_max(registers, register, position)

    return update_registers


def prefetch_ahead(on: Any) -> Any:
    """Prefetch the home slot of a later id."""
    if on.prefetch is None:
        return no_prefetch(on)
    home_slot, prefetch = home(on), on.prefetch

    @on.device
    def prefetch_slot(i, column, table, size):
        j = i + SOON
        if j < np.uint64(column.size):
            prefetch(table, home_slot(np.uint64(np.int64(column[j])), size))

    return prefetch_slot


def insert(on: Any) -> Any:
    """Return the slot of an id by linear probing; insert the id if it is new.

    A claimed slot never changes, so a stale read can only show EMPTY, and the swap returns the
    current key. After PROBES slots the search ends, and the table counts as full.
    """
    home_slot, cas = home(on), on.atomic_cas

    @on.device
    def insert(keys, full, key):
        size, probe = np.uint64(keys.size) - ONE, ZERO
        if key == EMPTY:
            keys[size] = ZERO  # any key but EMPTY: the extra slot is taken
            return size
        s = home_slot(key, size)
        while probe < min(size, PROBES):
            stored = keys[s]
            if stored == EMPTY:
                stored = cas(keys, s, EMPTY, key)
                if stored == EMPTY:
                    return s
            if stored == key:
                return s
            s = s + ONE if s + ONE < size else ZERO
            probe += ONE
        full[0] = np.uint32(1)
        return ZERO

    return insert


def number_slots(on: Any) -> Any:
    """Write the vertex of each row: the slot of its id."""
    slot, prefetch_slot = insert(on), prefetch_ahead(on)
    first_slots = by_numpy.array_function(home(on))

    @on.elementwise
    def number_slots(i, column, keys, full, out):
        prefetch_slot(i, column, keys, np.uint64(keys.size) - ONE)
        out[i] = slot(keys, full, np.uint64(np.int64(column[i])))

    def number_slots_by_numpy(m, column, keys, full, out):
        words = column[:m].astype(np.int64).view(np.uint64)
        ids, group = np.unique(words, return_inverse=True)
        extra_slot = keys.size - 1
        if ids[-1] == EMPTY:
            keys[extra_slot] = ZERO
            ids = ids[:-1]
        start = first_slots(ids, np.uint64(extra_slot))
        slots, _, complete = by_numpy.insert(
            ids, start, keys[:extra_slot], EMPTY, lambda stored, at: stored == ids[at]
        )
        full[0] |= not complete
        out[:m] = np.append(slots, extra_slot)[group]  # EMPTY, the greatest word, is the last group

    number_slots.by_numpy = number_slots_by_numpy
    return number_slots


def claim_slots(on: Any) -> Any:
    """Insert each id of a column into the hash table."""
    slot, prefetch_slot = insert(on), prefetch_ahead(on)

    @on.elementwise
    def claim_slots(i, column, keys, full):
        prefetch_slot(i, column, keys, np.uint64(keys.size) - ONE)
        slot(keys, full, np.uint64(np.int64(column[i])))

    return claim_slots


def mark_occupied(on: Any) -> Any:
    """Mark the slots that hold an id; each thread owns a byte of the set and needs no atomics."""

    @on.elementwise
    def mark_occupied(b, keys, octets):
        s, bit, octet = b << THREE, np.uint8(1), np.uint8(0)
        last = min(s + EIGHT, np.uint64(keys.size))
        while s < last:
            if keys[s] != EMPTY:
                octet |= bit
            bit = np.uint8(bit << ONE)
            s += ONE
        octets[b] = octet

    return mark_occupied
