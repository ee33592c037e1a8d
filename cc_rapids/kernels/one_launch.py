"""Run all phases in one kernel, for edge lists so small that launch overhead dominates.

t, step  : the number of a thread, and the number of all threads.
src, dst : (m,) integers, the columns as the caller passed them.
sign     : the sign bit of signed ids, otherwise 0. Ids with this bit flipped are in the order of
           unsigned integers.
named_count : if not 0, the vertices are 0 .. named_count - 1, with or without edges.
bounds   : (3,) uint64: the least id, the complement of the greatest id (see id_range.py), and the
           state of the grid-wide barrier. All bits are set initially.
parent, present, octets, totals, out_of_range : as in forest.py, with capacity for ``parent.size``
           vertices. ``octets`` are the bytes of the words of ``present``; ``totals`` are the
           numbers of vertices and components.
before, sums : memory for the ranks of the vertices (see scan.py).
flags, keys, tree, ..., sorted_parent : for ids too sparse for ``parent``, the arrays of
           one_launch_hashed.py, where ``groups`` and ``sorted_parent`` are called ``before`` and
           ``parent``. If such ids are not solved in one launch, ``keys`` is empty.
ids, labels : the columns of the answer, with capacity for ``ids.size`` vertices.

The phases are the same as in a normal run, with a grid-wide barrier between them.
"""

from typing import Any

import numpy as np

from . import primitives
from .gather import BLOCK_MEMBERS

ZERO, ONE, EIGHT = np.uint64(0), np.uint64(1), np.uint64(8)
LAST, WORD = np.uint64(31), np.uint64(5)
NONE, EACH = np.uint32(0), np.uint32(0xFFFFFFFF)  # words of ``present``: no bit set, all 32 set
WAITING = 2  # index of the barrier in ``bounds``


def measure(on: Any, sign: int, find_bounds: Any) -> Any:
    """Reset the counts; find the range of the ids, or set it from ``named_count`` if not 0."""
    bias = np.uint64(sign)

    @on.device
    def measure(t, m, step, src, dst, named_count, bounds, totals, out_of_range, flags):
        if t == ZERO:
            totals[0], totals[1], out_of_range[0], flags[0], flags[1] = 0, 0, 0, 0, 0
        if named_count == 0:
            find_bounds(t, m, step, src, dst, bounds)
        elif t == ZERO:
            greatest = np.uint64(named_count) - ONE
            bounds[0], bounds[1] = bias, ~(greatest ^ bias)  # the least id is 0

    return measure


def init_forest(on: Any, init_singletons: Any) -> Any:
    """Make every vertex its own root; mark all as present if their number is known."""

    @on.device
    def init_forest(t, n, step, parent, present, named_count):
        w, word = t, np.uint32(NONE if named_count == 0 else EACH)
        init_singletons(t, n, step, parent)
        while w < (n + LAST) >> WORD:
            present[w] = word
            w += step

    return init_forest


def link_share(on: Any, load_edge: Any, link_one: Any) -> Any:
    """Link the edges of one thread."""

    @on.device
    def link_share(t, m, step, src, dst, low, n, parent, present, out_of_range):
        e = t
        while e < m:
            u, v = load_edge(e, src, dst, low, n)
            # no auxiliary array and no hook edges are kept: ``parent`` fills the two unused places
            link_one(u, v, e, n, parent, parent, parent, present, out_of_range)
            e += step

    return link_share


def flatten_share(on: Any, mark_frequent: Any, flatten: Any, probes: int) -> Any:
    """Mark frequent roots early, to avoid contention, and flatten the vertices of one thread."""
    grid_sync, probe_count = on.grid_sync, np.uint64(probes)

    @on.device
    def flatten_share(t, n, step, parent, present, bounds):
        i, v = t, t
        while i < probe_count:
            mark_frequent(i, n, parent, present)
            i += step
        grid_sync(bounds, WAITING)
        while v < n:
            flatten(v, parent, present)
            v += step

    return flatten_share


def rank(on: Any, count_blocks: Any, sum_all: Any) -> Any:
    """Write the prefix sums for ranks of vertices; the first thread block adds the counts."""
    grid_sync, block_size = on.grid_sync, np.uint64(on.max_block_size)
    block = np.uint64(primitives.RANK_BLOCK)

    @on.device
    def rank(t, words, step, present, before, sums, bounds):
        b, blocks = t, (words + block - ONE) // block
        block_threads = min(step, block_size)  # threads of the first thread block
        while b < blocks:
            count_blocks(b, words, present, before)
            b += step
        grid_sync(bounds, WAITING)
        if t < block_threads:
            sum_all(t, blocks + ONE, block_threads, before, sums)
        grid_sync(bounds, WAITING)

    return rank


def list_share(on: Any, gather: Any) -> Any:
    """Write one thread's rows of the answer."""
    warp_size = np.uint64(on.warp_size)

    @on.device
    def list_share(t, n, step, low, parent, present, before, ids, labels):
        # a warp gathers the members of one block
        i, last = t, (n + BLOCK_MEMBERS - ONE) // BLOCK_MEMBERS * warp_size
        while i < last:
            # labels are ids: ``present`` and ``before`` fill two parameters that are not used
            gather(i, n, present, before, parent, low, present, before, ids, labels)
            i += step

    return list_share


def solve(on: Any, sign: int, phases: Any) -> Any:
    """Find the range of the ids and, if it fits into memory, solve the edge list, in one launch.

    The kernel writes the flat forest, the counts and ranks of its vertices, and the rows of the
    answer if they fit. A wider range is solved by a hash table, if memory for the table was passed.
    If ``named_count`` is not 0, ids outside 0 .. named_count - 1 set ``out_of_range``. ``phases``
    are measure, init_forest, link_share, flatten_share, complete, rank, list_share and
    solve_hashed.
    """
    measure, init_forest, link, flatten, complete, rank, rows, solve_hashed = phases
    grid_sync, bias = on.grid_sync, np.uint64(sign)

    @on.cooperative
    def solve(
        t,
        m,
        step,
        src,
        dst,
        named_count,
        bounds,
        parent,
        present,
        octets,
        before,
        sums,
        totals,
        out_of_range,
        flags,
        keys,
        tree,
        loop_slots,
        within,
        lowest,
        starts,
        groups,
        placed,
        slot_at,
        sorted_parent,
        ids,
        labels,
    ):
        measure(t, m, step, src, dst, named_count, bounds, totals, out_of_range, flags)
        grid_sync(bounds, WAITING)
        n, low = ~bounds[1] - bounds[0] + ONE, np.int64(bounds[0] ^ bias)
        # n - 1 is compared, because n wraps to 0 for a range of 2^64 ids
        if n - ONE < np.uint64(parent.size):
            init_forest(t, n, step, parent, present, named_count)
            grid_sync(bounds, WAITING)
            link(t, m, step, src, dst, low, n, parent, present, out_of_range)
            grid_sync(bounds, WAITING)
            flatten(t, n, step, parent, present, bounds)
            grid_sync(bounds, WAITING)
            complete(t, (n + EIGHT - ONE) // EIGHT, step, n, parent, octets, totals)
            grid_sync(bounds, WAITING)
            rank(t, (n + LAST) >> WORD, step, present, before, sums, bounds)
            if totals[0] <= ids.size:  # the rows fit; no barrier, because ``rank`` ends with one
                rows(t, n, step, low, parent, present, before, ids, labels)
        elif keys.size > 0:
            table = keys, tree, loop_slots, within, lowest, starts, groups, placed, slot_at
            solve_hashed(
                t, m, step, src, dst, n - ONE, bounds, sums, totals, flags, *table, sorted_parent
            )

    return solve
