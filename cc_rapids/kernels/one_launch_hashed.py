"""Encode, solve and sort sparse ids within one launch.

The arguments are as in one_launch.py. Further arrays:

keys    : (c + 1,) uint64, the hash table of ids (see id_hash.py); slot c stands for the id whose
          bits equal EMPTY. Later the same memory holds the sorted ids.
tree    : (c + 1,) uint32, a forest over the slots. ``loop_slots`` is the set of slots with
          self-loops, written while edges are linked.
within  : (c + 1,) uint32, the position of each slot's id in its bucket, in the order of counting;
          later the root of each sorted id.
lowest  : (c + 1,) uint32, for each root the position of the least id of its tree in sorted order.
span    : the distance from the least to the greatest id.
starts  : (b,) uint32, the number of ids of each bucket, later the start of each bucket. A bucket
          holds the ids whose distances from the least id have the same upper bits, so buckets are
          in the order of the ids. b is a multiple of GROUP and exceeds the number of buckets.
before  : the prefix sums of groups of buckets.
placed, slot_at : in bucket order, the distance of each id from the least id, and its slot.
parent  : the flat forest over the sorted ids: for each id, the position of the least id of its
          component.
flags   : [FULL] not 0 if an id found no slot, [BUNCHED] not 0 if a bucket has more than MAX_BUCKET
          ids.

Evenly spread ids give small buckets, inside which each id is compared with all others. If BUNCHED
is set, the launch ends with the forest over the slots, and the host sorts the ids.
"""

from typing import Any

import numpy as np

from . import primitives
from .id_hash import EMPTY

ZERO, ONE, ALL = np.uint64(0), np.uint64(1), np.uint32(0xFFFFFFFF)
# Signed, unlike the same indices in forest.py, so that ``block_reduce_add`` is compiled again: in
# Numba, two callers in a kernel cannot share a compiled function that uses shared memory.
FIRST, SECOND = np.int64(0), np.int64(1)
ZERO_32, ONE_32 = np.uint32(0), np.uint32(1)
GROUP = 32  # buckets that one thread sums
MAX_BUCKET = np.uint32(512)  # largest bucket for which comparing all pairs is as fast as sorting
FULL, BUNCHED = 0, 1  # indices into ``flags``
WAITING = 2  # index of the barrier in ``bounds``


def init_slots(on: Any) -> Any:
    """Clear the table and the buckets, and make every slot its own root."""

    @on.device
    def init_slots(t, step, keys, tree, loop_slots, lowest, starts):
        s, w, b = t, t, t
        while s < np.uint64(keys.size):
            keys[s], tree[s], lowest[s] = EMPTY, s, ALL
            s += step
        while w < np.uint64(loop_slots.size):
            loop_slots[w] = ZERO_32
            w += step
        while b < np.uint64(starts.size):
            starts[b] = ZERO_32
            b += step

    return init_slots


def link_slots(on: Any, insert: Any, link_one: Any) -> Any:
    """Insert both endpoints of each edge of a thread into the table, and link their slots."""

    @on.device
    def link_slots(t, m, step, src, dst, keys, tree, loop_slots, flags):
        e, n = t, np.uint64(keys.size)
        while e < m:
            u = insert(keys, flags, np.uint64(np.int64(src[e])))
            v = insert(keys, flags, np.uint64(np.int64(dst[e])))
            # no auxiliary array and no hook edges are kept: ``tree`` fills the two unused places
            link_one(u, v, e, n, tree, tree, tree, loop_slots, flags)
            e += step

    return link_slots


def distance_in(on: Any, sign: int) -> Any:
    """Return the distance of the id in slot s from the least id ``low``."""
    bias = np.uint64(sign)

    @on.device
    def distance(keys, s, low):
        key = EMPTY if s + ONE == np.uint64(keys.size) else keys[s]  # the last slot is for EMPTY
        return np.uint64(key ^ bias) - low

    return distance


def shift_for(on: Any) -> Any:
    """Return the least shift that maps distances up to ``span`` to numbers below ``buckets``."""

    @on.device
    def shift_for(span, buckets):
        shift = ZERO
        while span >> shift >= buckets:
            shift += ONE
        return shift

    return shift_for


def count_buckets(on: Any, climb: Any, distance_of: Any) -> Any:
    """Flatten the trees of slots; count vertices, components, and the ids of each bucket.

    ``climb`` finds roots while nothing is linked. An id outside the range occurs only if a column
    changed during the run; it sets ``flags[FULL]``.
    """
    add, block_add = on.atomic_add, on.block_reduce_add

    @on.device
    def count_buckets(t, step, low, span, shift, keys, tree, within, starts, totals, flags):
        s, vertices, roots = t, np.int64(0), np.int64(0)
        while s < np.uint64(keys.size):
            if keys[s] != EMPTY:
                r = climb(tree, s)
                if r != s:
                    tree[s] = r
                else:
                    roots += np.int64(1)
                vertices += np.int64(1)
                distance = distance_of(keys, s, low)
                if distance > span:
                    flags[FULL] = 1
                else:
                    earlier = add(starts, distance >> shift, ONE_32)
                    within[s] = earlier
                    if earlier >= MAX_BUCKET:
                        flags[BUNCHED] = 1
            s += step
        block_add(totals, FIRST, vertices)
        block_add(totals, SECOND, roots)

    return count_buckets


def start_buckets(on: Any, sum_all: Any) -> Any:
    """Turn the sizes of all buckets into their starts, by an exclusive prefix sum.

    Each thread sums a group of buckets, the first block of threads sums the groups, and each thread
    then writes the starts of its group.
    """
    grid_sync, block_size, group = on.grid_sync, np.uint64(on.max_block_size), np.uint64(GROUP)

    @on.device
    def start_buckets(t, step, starts, before, sums, bounds):
        groups, block_threads = np.uint64(starts.size) // group, min(step, block_size)
        g = t
        while g < groups:
            b, total = g * group, ZERO_32
            while b < (g + ONE) * group:
                total += starts[b]
                b += ONE
            before[g + ONE] = total
            g += step
        if t == ZERO:
            before[ZERO] = ZERO_32
        grid_sync(bounds, WAITING)
        if t < block_threads:
            sum_all(t, groups + ONE, block_threads, before, sums)
        grid_sync(bounds, WAITING)
        g = t
        while g < groups:
            b, total = g * group, before[g]
            while b < (g + ONE) * group:
                size = starts[b]
                starts[b] = total
                total += size
                b += ONE
            g += step

    return start_buckets


def place_ids(on: Any, distance_of: Any) -> Any:
    """Write the distance and the slot of each id at the position of the id in bucket order."""

    @on.device
    def place_ids(t, step, low, shift, keys, within, starts, placed, slot_at):
        s = t
        while s < np.uint64(keys.size):
            if keys[s] != EMPTY:
                distance = distance_of(keys, s, low)
                i = np.uint64(starts[distance >> shift]) + np.uint64(within[s])
                placed[i], slot_at[i] = distance, s
            s += step

    return place_ids


def order_ids(on: Any, sign: int) -> Any:
    """Sort the ids of each bucket by counting the smaller ones; find the least id of each tree."""
    bias, lower = np.uint64(sign), primitives.lessen(on)

    @on.device
    def order_ids(t, n, step, low, shift, starts, placed, slot_at, tree, lowest, root_of, ids):
        i = t
        while i < n:
            distance = placed[i]
            b = distance >> shift
            j, end = np.uint64(starts[b]), np.uint64(starts[b + ONE])
            position = j  # in sorted order
            while j < end:
                position += np.uint64(placed[j] < distance)
                j += ONE
            ids[position] = np.uint64(distance + low) ^ bias
            r = tree[slot_at[i]]
            root_of[position] = r
            lower(lowest, r, np.uint32(position))
            i += step

    return order_ids


def write_parents(on: Any) -> Any:
    """Write the parent of each sorted id: the position of the least id of its component."""

    @on.device
    def write_parents(t, n, step, root_of, lowest, parent):
        k = t
        while k < n:
            parent[k] = lowest[root_of[k]]
            k += step

    return write_parents


def solve_hashed(on: Any, phases: Any) -> Any:
    """Solve an edge list with sparse ids; a grid-wide barrier separates the phases.

    ``phases`` are init_slots, link_slots, shift_for, count_buckets, start_buckets, place_ids,
    order_ids and write_parents.
    """
    init_slots, link, shift_for, count, start, place, order, write_parents = phases
    grid_sync = on.grid_sync

    @on.device
    def solve_hashed(
        t,
        m,
        step,
        src,
        dst,
        span,
        bounds,
        sums,
        totals,
        flags,
        keys,
        tree,
        loop_slots,
        within,
        lowest,
        starts,
        before,
        placed,
        slot_at,
        parent,
    ):
        low, shift = bounds[0], shift_for(span, np.uint64(starts.size) - ONE)
        init_slots(t, step, keys, tree, loop_slots, lowest, starts)
        grid_sync(bounds, WAITING)
        link(t, m, step, src, dst, keys, tree, loop_slots, flags)
        grid_sync(bounds, WAITING)
        if flags[FULL] == 0:
            count(t, step, low, span, shift, keys, tree, within, starts, totals, flags)
            grid_sync(bounds, WAITING)
            if flags[FULL] == 0 and flags[BUNCHED] == 0:
                start(t, step, starts, before, sums, bounds)
                grid_sync(bounds, WAITING)
                place(t, step, low, shift, keys, within, starts, placed, slot_at)
                grid_sync(bounds, WAITING)
                n = np.uint64(totals[0])
                order(t, n, step, low, shift, starts, placed, slot_at, tree, lowest, within, keys)
                grid_sync(bounds, WAITING)
                write_parents(t, n, step, within, lowest, parent)

    return solve_hashed
