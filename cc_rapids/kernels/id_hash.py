"""The hash table of ids that are too far apart for a word each.

keys  : (c + 1,) uint64, the table of ids: slot s holds the id keys[s], or is EMPTY. The last slot
        stands for the id whose bits are those of EMPTY, so that all of the 64-bit range is taken.
        Slots are taken by compare-and-swap and never given back.
full  : (1,) uint32, not 0 once an id has found no slot.
out   : (m,) unsigned, the vertex of each row.
"""

from typing import Any

import numpy as np

from .primitives import SOON

EMPTY, ZERO, ONE = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0), np.uint64(1)
PROBES = np.uint64(2048)  # slots that are looked at before a table counts as full
TAIL = np.uint64(33)
THREE, EIGHT = np.uint64(3), np.uint64(8)  # slots of a byte of a set
MIX_1, MIX_2 = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
HALF, LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
REGISTERS, REGISTER_BITS = 1 << 14, np.uint64(14)  # of the estimate; standard error 0.8 %
LAST_REGISTER = np.uint64(REGISTERS - 1)


def mix(on: Any) -> Any:
    """Spread the bits of an id: MurmurHash3's 64-bit finaliser, which maps one to one."""

    @on.device
    def mix(key):
        key = (key ^ (key >> TAIL)) * MIX_1
        key = (key ^ (key >> TAIL)) * MIX_2
        return key ^ (key >> TAIL)

    return mix


def home(on: Any) -> Any:
    """Return the slot where the search for an id begins, of ``size`` slots, by its hash.

    That is the upper half of a product, by parts that do not overflow; a remainder takes longer.
    """
    hashed = mix(on)

    @on.device
    def home(key, size):
        h = hashed(key) >> HALF
        return h * (size >> HALF) + (h * (size & LOW) >> HALF)

    return home


def estimate(on: Any) -> Any:
    """Raise the registers of HyperLogLog to the longest run of zeros (Flajolet et al. 2007).

    Testing as many bits as the register holds rejects most hashes without an atomic.
    """
    hashed, high = mix(on), on.atomic_max

    @on.elementwise
    def estimate(i, column, registers):
        h = hashed(np.uint64(np.int64(column[i])))
        register, tail, zeros = h & LAST_REGISTER, h >> REGISTER_BITS, np.uint32(1)
        if tail & ((ONE << np.uint64(registers[register])) - ONE) == ZERO:
            while tail & ONE == ZERO and zeros < np.uint32(50):
                tail >>= ONE
                zeros += np.uint32(1)
            high(registers, register, zeros)

    return estimate


def prefetch_ahead(on: Any) -> Any:
    """Prefetch the slot of a later id.

    A CPU would otherwise stall on each slot; a GPU runs other threads meanwhile.
    """
    if on.prefetch is None:
        return no_prefetch(on)
    begin, prefetch = home(on), on.prefetch

    @on.device
    def prefetch_slot(i, column, table, size):
        j = i + SOON
        if j < np.uint64(column.size):
            prefetch(table, begin(np.uint64(np.int64(column[j])), size))

    return prefetch_slot


def no_prefetch(on: Any) -> Any:
    """Prefetch nothing."""

    @on.device
    def prefetch_slot(i, column, table, size):
        return

    return prefetch_slot


def insert(on: Any) -> Any:
    """Return the slot of an id, inserted if new, by linear probing from the place of its hash.

    A slot once seen with a key keeps it, so a stale read shows EMPTY at worst, and the swap then
    tells what is there. Ends with a slot, or when PROBES slots are passed: the table is full.
    """
    begin, cas = home(on), on.atomic_cas

    @on.device
    def insert(keys, full, key):
        size, probe = np.uint64(keys.size) - ONE, ZERO
        if key == EMPTY:
            keys[size] = ZERO
            return size
        s = begin(key, size)
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

    @on.elementwise
    def number_slots(i, column, keys, full, out):
        prefetch_slot(i, column, keys, np.uint64(keys.size) - ONE)
        out[i] = slot(keys, full, np.uint64(np.int64(column[i])))

    return number_slots


def take_slots(on: Any) -> Any:
    """Insert each id of a column."""
    slot, prefetch_slot = insert(on), prefetch_ahead(on)

    @on.elementwise
    def take_slots(i, column, keys, full):
        prefetch_slot(i, column, keys, np.uint64(keys.size) - ONE)
        slot(keys, full, np.uint64(np.int64(column[i])))

    return take_slots


def mark_taken(on: Any) -> Any:
    """Mark the slots that hold an id: a thread owns a byte of the set, so no bit is lost.

    ``octets`` are the words of the set byte by byte.
    """

    @on.elementwise
    def mark_taken(b, keys, octets):
        s, one, octet = b << THREE, np.uint8(1), np.uint8(0)
        last = min(s + EIGHT, np.uint64(keys.size))
        while s < last:
            if keys[s] != EMPTY:
                octet |= one
            one = np.uint8(one << ONE)
            s += ONE
        octets[b] = octet

    return mark_taken
