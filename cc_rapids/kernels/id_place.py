"""The table of evenly spread ids, whose slots are in the order of the ids but for clusters.

keys  : (c + 1,) uint64, the ids as words in whose unsigned order they are; or EMPTY. The last slot
        stands for the id that has the bits of EMPTY then, which is the greatest of all.
low, span, shift, share : where the search for an id begins: at its distance from ``low``, at most
        ``span``, less its ``shift`` lowest bits, times ``share``, less 32 bits. A greater id begins
        no earlier.
full  : (1,) uint32, not 0 once an id has found no slot.

A search goes to the next slot until one is free or the id's own, never back to the first. So the
slots between two free ones, a cluster, hold the ids that begin there, each of which is greater than
all ids of the clusters before: the order of the ids is that of the slots, but within a cluster.
Where ids are spread evenly, clusters are of a few slots.
"""

from typing import Any

import numpy as np

from . import primitives
from .id_hash import EMPTY, HALF, ONE, ZERO, mix
from .primitives import SOON

BIT, FIVE, LAST = np.uint32(1), np.uint64(5), np.uint64(31)  # of sets in words of 32 bits
PROBES = np.uint64(512)  # slots that are looked at before ids count as bunched
MARGIN = 1024  # slots behind the last one where a search may begin
SEEN_BITS = 20  # of a hash, by which ids are told apart where some are looked at


def begin(on: Any) -> Any:
    """Return the slot where the search for an id begins; ids out of range begin at an end."""

    @on.device
    def begin(key, low, span, shift, share):
        far = min(key - low, span) if key > low else ZERO
        return (far >> shift) * share >> HALF

    return begin


def key_of(on: Any) -> Any:
    """Return the word of an id of a column: its bits, the sign flipped if it has one."""

    @on.device
    def key_of(column, i, bias):
        return np.uint64(np.int64(column[i])) ^ bias

    return key_of


def prefetch_ahead(on: Any, bias: np.uint64) -> Any:
    """Prefetch the slot of a later id.

    A CPU would otherwise stall on each slot; a GPU runs other threads meanwhile.
    """
    if on.prefetch is None:

        @on.device
        def no_slot(i, column, keys, low, span, shift, share):
            return

        return no_slot
    first, read_key, prefetch = begin(on), key_of(on), on.prefetch

    @on.device
    def prefetch_slot(i, column, keys, low, span, shift, share):
        j = i + SOON
        if j < np.uint64(column.size):
            prefetch(keys, first(read_key(column, j, bias), low, span, shift, share))

    return prefetch_slot


def count_parts(on: Any, sign: int) -> Any:
    """Count the different ids of some rows by the part of the range that they are in.

    Parts are what slots are for a table. Of ids whose hashes begin with the same bits one counts.
    seen : (2^SEEN_BITS / 32,) uint32, at first 0.
    """
    bias, first, read_key, mixed = np.uint64(sign), begin(on), key_of(on), mix(on)
    bit_or, add, drop = on.atomic_or, on.atomic_add, np.uint64(64 - SEEN_BITS)

    @on.elementwise
    def count_parts(i, column, every, low, span, shift, share, seen, counts):
        key = read_key(column, i * np.uint64(every), bias)
        low, span, shift, share = (
            np.uint64(low),
            np.uint64(span),
            np.uint64(shift),
            np.uint64(share),
        )
        h = mixed(key) >> drop
        bit = np.uint32(BIT << np.uint32(h & LAST))
        if bit_or(seen, h >> FIVE, bit) & bit == 0:
            add(counts, first(key, low, span, shift, share), BIT)

    return count_parts


def slot_of(on: Any) -> Any:
    """Return the slot of an id, inserted if new.

    A slot once seen with a key keeps it, so a stale read shows EMPTY at worst, and the swap then
    tells what is there. Ends with a slot, or when PROBES slots are passed: ids are bunched, which
    is noted in ``full``, and the slot is of no use.
    """
    first, cas = begin(on), on.atomic_cas

    @on.device
    def slot_of(keys, full, key, low, span, shift, share):
        size, probe = np.uint64(keys.size) - ONE, ZERO
        if key == EMPTY:
            keys[size] = ZERO
            return size
        s = first(key, low, span, shift, share)
        while s < size:
            stored = keys[s]
            if stored == EMPTY:
                stored = cas(keys, s, EMPTY, key)
                if stored == EMPTY:
                    break
            if stored == key:
                break
            s += ONE
            probe += ONE
            if s == size or probe == PROBES:
                full[0] = np.uint32(1)
                break
        return s

    return slot_of


def place_ids(on: Any, sign: int) -> Any:
    """Write the slot of each id, inserted if new, as :func:`slot_of` finds it.

    Once an id has found none, all rows that follow are left out.
    """
    bias = np.uint64(sign)
    read_key, slot, prefetch_slot = key_of(on), slot_of(on), prefetch_ahead(on, bias)

    @on.elementwise
    def place_ids(i, column, keys, low, span, shift, share, full, out):
        low, span, shift, share = (
            np.uint64(low),
            np.uint64(span),
            np.uint64(shift),
            np.uint64(share),
        )
        if full[0] != 0:
            return
        prefetch_slot(i, column, keys, low, span, shift, share)
        out[i] = slot(keys, full, read_key(column, i, bias), low, span, shift, share)

    return place_ids


def order_slots(on: Any, sign: int) -> Any:
    """Write the ids in their order, the root of each, and the place of the least id of each tree.

    The place of an id is the number of taken slots before its cluster, and of lesser ids in that.
    The root of a tree is its least slot, so that its least id is in the cluster of the root: only
    the ids there are compared, and each root is there itself.

    present, before : the taken slots as bits, and their ranks (see scan.py).
    """
    rank, low_of, bias = primitives.rank(on), primitives.lessen(on), np.uint64(sign)

    @on.elementwise
    def order_slots(s, keys, parent, present, before, ids, root_of, lowest):
        key, last = keys[s], np.uint64(keys.size) - ONE
        if key == EMPTY:
            return
        r = parent[s]
        if s == last:
            k = np.uint64(rank(present, before, s))
            ids[k], root_of[k] = np.int64(EMPTY ^ bias), r
            if r == s:
                lowest[r] = k
            return
        a, less = s, ZERO
        while a > ZERO and keys[a - ONE] != EMPTY:
            a -= ONE
            less += np.uint64(keys[a] < key)
        b = s + ONE
        while b < last and keys[b] != EMPTY:
            less += np.uint64(keys[b] < key)
            b += ONE
        k = np.uint64(rank(present, before, a)) + less
        ids[k], root_of[k] = np.int64(key ^ bias), r
        if np.uint64(r) >= a:
            low_of(lowest, r, k)

    return order_slots
