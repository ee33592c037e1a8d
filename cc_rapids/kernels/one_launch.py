"""All phases of a run in one kernel, for lists where launches take most of the time.

src, dst : (m,) integers, the columns as they came.
named    : the number of vertices if it is known; else 0.
bounds   : uint64, all bits set: the least id and the complement of the greatest (see id_range.py),
           and the word by which threads wait for each other.
parent, present, octets, totals, out_of_range : as everywhere, for as many ids as fit into the
           allocated memory; ``octets`` are the bytes of the words of ``present``, and ``totals``
           the numbers of vertices and components.
before, sums : memory for the ranks of the vertices (see scan.py).
flags, keys, ... : memory for ids that are too far apart for ``parent`` (see one_launch_hashed.py),
           or no slots at all.
ids, labels : the columns of the answer, for as many vertices as fit.

The phases are those of any other run, and between two of them all threads wait for each other.
"""

from typing import Any

import numpy as np

from . import primitives
from .gather import BLOCK_MEMBERS

ZERO, ONE, EIGHT = np.uint64(0), np.uint64(1), np.uint64(8)
LAST, WORD = np.uint64(31), np.uint64(5)
NONE, EACH = np.uint32(0), np.uint32(0xFFFFFFFF)  # of the vertices of a word
WAITING = 2  # of the bounds


def measure(on: Any, sign: int, find_bounds: Any) -> Any:
    """Return the range of the ids, or of the vertices if their number is known.

    No counts yet.
    """
    bias = np.uint64(sign)

    @on.device
    def measure(t, m, step, src, dst, named, bounds, totals, out_of_range, flags):
        if t == ZERO:
            totals[0], totals[1], out_of_range[0], flags[0], flags[1] = 0, 0, 0, 0, 0
        if named == 0:
            find_bounds(t, m, step, src, dst, bounds)
        elif t == ZERO:
            bounds[0], bounds[1] = bias, ~(np.uint64(named) - ONE ^ bias)

    return measure


def init_forest(on: Any, init_singletons: Any) -> Any:
    """Make every vertex a tree of its own, and all of them or none present."""

    @on.device
    def init_forest(t, n, step, parent, present, named):
        w, word = t, np.uint32(NONE if named == 0 else EACH)
        init_singletons(t, n, step, parent)
        while w < (n + LAST) >> WORD:
            present[w] = word
            w += step

    return init_forest


def link_share(on: Any, load_edge: Any, one: Any) -> Any:
    """Link the edges of one thread."""

    @on.device
    def link_share(t, m, step, src, dst, low, n, parent, present, out_of_range):
        e = t
        while e < m:
            u, v = load_edge(e, src, dst, low, n)
            one(u, v, e, n, parent, parent, parent, present, out_of_range)
            e += step

    return link_share


def flatten_share(on: Any, mark_frequent: Any, flatten: Any, probes: int) -> Any:
    """Note the roots that most vertices share, and flatten the vertices of one thread."""
    grid_sync, some = on.grid_sync, np.uint64(probes)

    @on.device
    def flatten_share(t, n, step, parent, present, bounds):
        i, v = t, t
        while i < some:
            mark_frequent(i, n, parent, present)
            i += step
        grid_sync(bounds, WAITING)
        while v < n:
            flatten(v, parent, present)
            v += step

    return flatten_share


def rank(on: Any, count_blocks: Any, sum_all: Any) -> Any:
    """Rank the set of vertices; the first block of threads sums the counts of all."""
    grid_sync, block_size, block = (
        on.grid_sync,
        np.uint64(on.max_block_size),
        np.uint64(primitives.RANK_BLOCK),
    )

    @on.device
    def rank(t, words, step, present, before, sums, bounds):
        b, blocks, side_by_side = t, (words + block - ONE) // block, min(step, block_size)
        while b < blocks:
            count_blocks(b, words, present, before)
            b += step
        grid_sync(bounds, WAITING)
        if t < side_by_side:
            sum_all(t, blocks + ONE, side_by_side, before, sums)
        grid_sync(bounds, WAITING)

    return rank


def list_share(on: Any, gather: Any) -> Any:
    """Write the rows of the answer of one thread."""
    warp_size = np.uint64(on.warp_size)

    @on.device
    def list_share(t, n, step, low, parent, present, before, ids, labels):
        i, last = t, (n + BLOCK_MEMBERS - ONE) // BLOCK_MEMBERS * warp_size
        while i < last:
            gather(i, n, present, before, parent, low, present, before, ids, labels)
            i += step

    return list_share


def solve(on: Any, sign: int, phases: Any) -> Any:
    """Find the range of the ids and, if it fits, solve the list in the same launch.

    Then there are the flat forest, what is counted of it, its ranks, and if there is room for them,
    the rows of the answer. A wider range is solved by a hash table if there is memory for one.

    With ``named`` not 0 the vertices are exactly 0 .. named - 1, and ``out_of_range`` tells of
    other ids.
    ``phases`` are measure, init_forest, link_share, flatten_share, complete, rank, list_share and
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
        named,
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
        measure(t, m, step, src, dst, named, bounds, totals, out_of_range, flags)
        grid_sync(bounds, WAITING)
        n, low = ~bounds[1] - bounds[0] + ONE, np.int64(bounds[0] ^ bias)
        if n - ONE < np.uint64(parent.size):
            init_forest(t, n, step, parent, present, named)
            grid_sync(bounds, WAITING)
            link(t, m, step, src, dst, low, n, parent, present, out_of_range)
            grid_sync(bounds, WAITING)
            flatten(t, n, step, parent, present, bounds)
            grid_sync(bounds, WAITING)
            complete(t, (n + EIGHT - ONE) // EIGHT, step, n, parent, octets, totals)
            grid_sync(bounds, WAITING)
            rank(t, (n + LAST) >> WORD, step, present, before, sums, bounds)
            if totals[0] <= ids.size:
                rows(t, n, step, low, parent, present, before, ids, labels)
        elif keys.size > 0:
            hashed = keys, tree, loop_slots, within, lowest, starts, groups, placed, slot_at
            solve_hashed(
                t, m, step, src, dst, n - ONE, bounds, sums, totals, flags, *hashed, sorted_parent
            )

    return solve
