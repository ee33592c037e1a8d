"""Hash table of evenly spread ids whose slots follow the order of the ids, up to clusters.

keys  : (c + 1,) uint64, the ids as words whose unsigned order is the order of the ids, or EMPTY.
        The extra last slot is for the greatest id, whose word equals EMPTY.
low, span, shift, share : the home slot of a word is ``(min(word - low, span) >> shift) * share >>
          32``. It never decreases as the id grows. ``low`` is the word of the least id.
sign, bias : the sign bit of signed ids, otherwise 0. A word is an id with this bit flipped.
full  : (1,) uint32, set to 1 when an id finds no slot.

A search probes one slot after another, from the home slot to a free slot or the id, without
wrapping around. A cluster is a run of taken slots between two free slots. The home slots of its ids
lie within the cluster, so its ids exceed those of all earlier clusters. Slots are therefore in the
order of the ids, except inside a cluster. For evenly spread ids a cluster has a few slots.
"""

from typing import Any

import numpy as np

from . import primitives
from .id_hash import EMPTY, HALF, ONE, ZERO, mix
from .primitives import SOON, no_prefetch

BIT, FIVE, LAST = np.uint32(1), np.uint64(5), np.uint64(31)  # for bit sets in 32-bit words
PROBES = np.uint64(512)  # slots probed before a search gives up
MARGIN = 1024  # slots after the last home slot
SEEN_BITS = 20  # bits of a hash that distinguish the ids of a sample


def home_slot(on: Any) -> Any:
    """Return the home slot of an id; ids outside the range get the first or the last home slot."""

    @on.device
    def home_slot(key, low, span, shift, share):
        far = min(key - low, span) if key > low else ZERO
        return (far >> shift) * share >> HALF

    return home_slot


def key_of(on: Any) -> Any:
    """Return the word of an id: its bits, with the sign bit flipped for signed types."""

    @on.device
    def key_of(column, i, bias):
        return np.uint64(np.int64(column[i])) ^ bias

    return key_of


def prefetch_ahead(on: Any, bias: np.uint64) -> Any:
    """Prefetch the home slot of a later id."""
    if on.prefetch is None:
        return no_prefetch(on)
    home, read_key, prefetch = home_slot(on), key_of(on), on.prefetch

    @on.device
    def prefetch_slot(i, column, keys, low, span, shift, share):
        j = i + SOON
        if j < np.uint64(column.size):
            prefetch(keys, home(read_key(column, j, bias), low, span, shift, share))

    return prefetch_slot


def count_parts(on: Any, sign: int) -> Any:
    """Count the distinct ids of sampled rows in each part of the range.

    Parts are numbered like the home slots of a table. Ids whose hashes share their first SEEN_BITS
    bits are counted once. ``seen`` is (2^SEEN_BITS / 32,) uint32, initially 0.
    """
    bias, home, read_key, mixed = np.uint64(sign), home_slot(on), key_of(on), mix(on)
    bit_or, add, hash_shift = on.atomic_or, on.atomic_add, np.uint64(64 - SEEN_BITS)

    @on.elementwise
    def count_parts(i, column, every, low, span, shift, share, seen, counts):
        key = read_key(column, i * np.uint64(every), bias)
        low, span = np.uint64(low), np.uint64(span)
        shift, share = np.uint64(shift), np.uint64(share)
        h = mixed(key) >> hash_shift
        bit = np.uint32(BIT << np.uint32(h & LAST))
        if bit_or(seen, h >> FIVE, bit) & bit == 0:
            add(counts, home(key, low, span, shift, share), np.uint32(1))

    return count_parts


def slot_of(on: Any) -> Any:
    """Return the slot of an id; insert the id if it is new (see :func:`.id_hash.insert`).

    If PROBES slots are neither free nor the slot of the id, the ids are clustered too densely:
    ``full`` is set and the returned slot is meaningless.
    """
    home, cas = home_slot(on), on.atomic_cas

    @on.device
    def slot_of(keys, full, key, low, span, shift, share):
        size, probe = np.uint64(keys.size) - ONE, ZERO
        if key == EMPTY:
            keys[size] = ZERO  # any key but EMPTY: the extra slot is taken
            return size
        s = home(key, low, span, shift, share)
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
    """Write the slot of each id; after one id has found no slot, the remaining rows are skipped."""
    bias = np.uint64(sign)
    read_key, slot, prefetch_slot = key_of(on), slot_of(on), prefetch_ahead(on, bias)

    @on.elementwise
    def place_ids(i, column, keys, low, span, shift, share, full, out):
        low, span = np.uint64(low), np.uint64(span)
        shift, share = np.uint64(shift), np.uint64(share)
        if full[0] != 0:
            return
        prefetch_slot(i, column, keys, low, span, shift, share)
        out[i] = slot(keys, full, read_key(column, i, bias), low, span, shift, share)

    return place_ids


def order_slots(on: Any, sign: int) -> Any:
    """Write the sorted ids, the root of each id, and the rank of the least id of each tree.

    The rank of an id is the number of taken slots before its cluster plus the number of smaller ids
    in the cluster. The root of a tree is its least slot, so the least id of the tree is in the
    cluster of the root. Ids in other clusters need not lower ``lowest[root]``.

    present, before : the bit set of taken slots and its ranks (see scan.py).
    """
    rank, lower, bias = primitives.rank(on), primitives.lessen(on), np.uint64(sign)

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
        # Walk from s to the start and to the end of its cluster, and count the smaller ids.
        start, smaller = s, ZERO
        while start > ZERO and keys[start - ONE] != EMPTY:
            start -= ONE
            smaller += np.uint64(keys[start] < key)
        end = s + ONE
        while end < last and keys[end] != EMPTY:
            smaller += np.uint64(keys[end] < key)
            end += ONE
        k = np.uint64(rank(present, before, start)) + smaller
        ids[k], root_of[k] = np.int64(key ^ bias), r
        if np.uint64(r) >= start:  # the root is in this cluster
            lower(lowest, r, k)

    return order_slots
