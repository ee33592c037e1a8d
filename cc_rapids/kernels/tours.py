"""Euler tours of rooted forests, and the vertices that non-tree edges reach from each subtree.

A virtual vertex n is joined to each root, which makes one tree. Its Euler tour starts and ends at n
and passes each edge in both directions; these are the two *arcs* of the edge. The arcs are numbered
0 .. A - 1 by source vertex, in any order within a vertex. The arcs that leave n come last, in the
order of the roots.

src, dst : (t,) integers, the endpoints of the forest's edges. The edge from n to roots[i] has the
           number t + i.
starts : (n + 1,) unsigned, the first arc of each vertex.
arcs   : (t,) unsigned, for each edge the arc that leaves ``src``.
twins  : (A,) unsigned, the opposite arc on the same edge.
tour   : (A,) unsigned, the next arc of the tour, NONE (all bits set) for the last; from ``number``
         on, the position of each arc in the tour.
counts : (S,) unsigned, the number of arcs of each of S sublists; in ``number``, the number of arcs
         before each sublist.

List ranking: the tour is cut into sublists. In each block of 2^SHIFT arcs one sublist begins, at a
pseudo-random arc that depends only on the block, so a thread knows from the number of an arc
whether a sublist begins there. One thread traverses each sublist, twice (Helman and JáJá,
"Designing practical efficient algorithms for symmetric multiprocessors", ALENEX 1999; Wei and JáJá,
"Optimization of linked list prefix computations on multithreaded GPUs using CUDA", IPDPS 2010).
"""

from typing import Any

import numpy as np

from .primitives import SOON, SOONER, lessen, no_prefetch, none_of

ZERO, ONE, TWO, THREE = map(np.uint64, (0, 1, 2, 3))
SHIFT = 6
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: Fibonacci hashing by upper bits
UPPER = np.uint64(64 - SHIFT)
BLOCK = 32  # values per block; the minimum and maximum of each block are stored


def count_arcs(on: Any, word: type) -> Any:
    """Count the arcs that leave each vertex."""
    add = on.atomic_add

    @on.elementwise
    def count_arcs(e, src, dst, counts):
        add(counts, src[e], word(1))
        add(counts, dst[e], word(1))

    return count_arcs


def place_arcs(on: Any, word: type) -> Any:
    """Number both arcs of each edge, including the edges from the virtual vertex to the roots.

    ``starts`` initially has the end of the arcs of each vertex, and each new arc lowers it by 1.
    """
    add, minus = on.atomic_add, none_of(word)  # adding all bits set subtracts 1

    @on.elementwise
    def place_arcs(e, src, dst, roots, starts, arcs, twins):
        t = np.uint64(src.size)
        if e < t:
            a = word(add(starts, src[e], minus) - word(1))
            b = word(add(starts, dst[e], minus) - word(1))
            arcs[e] = a
        else:  # b leaves the virtual vertex
            a = word(add(starts, roots[e - t], minus) - word(1))
            b = word(np.uint64(twins.size) - np.uint64(roots.size) + e - t)
        twins[a], twins[b] = b, a

    return place_arcs


def next_arc_of_vertex(on: Any, word: type) -> Any:
    """Return the arc after arc a among the arcs of its vertex v; after the last arc, the first."""

    @on.device
    def next_arc_of_vertex(a, v, starts):
        after = word(a + word(1))
        return after if after < starts[np.uint64(v) + ONE] else starts[v]

    return next_arc_of_vertex


def link_arcs(on: Any, word: type) -> Any:
    """Write the tour: an arc to v is followed by the arc after its twin among the arcs from v."""
    next_arc, none = next_arc_of_vertex(on, word), none_of(word)

    @on.elementwise
    def link_arcs(e, src, dst, roots, starts, arcs, twins, tour):
        t, size = np.uint64(src.size), np.uint64(twins.size)
        if e < t:
            a = arcs[e]
            b = twins[a]
            tour[b], tour[a] = next_arc(a, src[e], starts), next_arc(b, dst[e], starts)
        else:
            b = size - np.uint64(roots.size) + e - t
            a = twins[b]
            tour[b] = next_arc(a, roots[e - t], starts)
            tour[a] = word(b + ONE) if b + ONE < size else none

    return link_arcs


def first_of_block(on: Any) -> Any:
    """Return the arc of block k at which a sublist begins: ``start``, or a pseudo-random arc."""
    shift, whole = np.uint64(SHIFT), np.uint64(1 << SHIFT)

    @on.device
    def first_of_block(k, start, size):
        if k == np.uint64(start) >> shift:
            return np.uint64(start)
        base = k << shift
        last = min(whole, size - base) - ONE  # the last block may be shorter
        return base + min((k + ONE) * SPREAD >> UPPER, last)

    return first_of_block


def sublist_ends(on: Any, word: type) -> Any:
    """Return whether a sublist ends before its next arc a: a begins another sublist, or is NONE."""
    begin, none, shift = first_of_block(on), none_of(word), np.uint64(SHIFT)

    @on.device
    def sublist_ends(a, start, size):
        return a == none or begin(np.uint64(a) >> shift, start, size) == np.uint64(a)

    return sublist_ends


def measure(on: Any, word: type) -> Any:
    """Write the length of each sublist to ``counts``, and the next sublist to ``following``.

    For the last sublist of the tour, ``following`` is the number of sublists. A thread traverses
    four sublists at a time, so that four loads are in flight. Of the first of these, j1 is the
    sublist, a1 the current arc, and n1 the number of arcs before it. ``advance`` goes to the next
    arc; after the end of a sublist, to the thread's next sublist k, if k < ``end``, and adds
    ``step`` to k. ``start`` is the first arc of the tour.
    """
    begin, ends = first_of_block(on), sublist_ends(on, word)
    none, shift = none_of(word), np.uint64(SHIFT)

    @on.device
    def advance(j, a, length, start, tour, counts, following, k, end, step):
        size = np.uint64(tour.size)
        a, length = np.uint64(tour[a]), word(length + word(1))
        if ends(word(a), start, size):
            counts[j] = length
            following[j] = word(counts.size) if word(a) == none else word(a >> shift)
            j, length = k, word(0)
            if k < end:
                a = begin(k, start, size)
                k += step
        return j, a, length, k

    @on.grid_stride
    def measure(k, end, step, start, tour, counts, following):
        size, zero = np.uint64(tour.size), word(0)
        j1, j2, j3, j4 = k, k + step, k + TWO * step, k + THREE * step
        a1, a2, a3, a4 = ZERO, ZERO, ZERO, ZERO
        if j1 < end:
            a1 = begin(j1, start, size)
        if j2 < end:
            a2 = begin(j2, start, size)
        if j3 < end:
            a3 = begin(j3, start, size)
        if j4 < end:
            a4 = begin(j4, start, size)
        n1, n2, n3, n4 = zero, zero, zero, zero
        k = j4 + step
        while min(min(j1, j2), min(j3, j4)) < end:
            if j1 < end:
                j1, a1, n1, k = advance(j1, a1, n1, start, tour, counts, following, k, end, step)
            if j2 < end:
                j2, a2, n2, k = advance(j2, a2, n2, start, tour, counts, following, k, end, step)
            if j3 < end:
                j3, a3, n3, k = advance(j3, a3, n3, start, tour, counts, following, k, end, step)
            if j4 < end:
                j4, a4, n4, k = advance(j4, a4, n4, start, tour, counts, following, k, end, step)

    return measure


def number(on: Any, word: type) -> Any:
    """Replace the successor of each arc in ``tour`` by the arc's position in the tour.

    A thread traverses four sublists at a time. The first of them is j1, its current arc a1, and p1
    the position of a1 in the tour. ``advance`` goes to the next arc or sublist, as in ``measure``.
    """
    begin, ends = first_of_block(on), sublist_ends(on, word)

    @on.device
    def advance(j, a, position, start, counts, tour, k, end, step):
        size, after = np.uint64(tour.size), tour[a]
        tour[a] = position
        a, position = np.uint64(after), word(position + word(1))
        if ends(after, start, size):
            j = k
            if k < end:
                a, position = begin(k, start, size), counts[k]
                k += step
        return j, a, position, k

    @on.grid_stride
    def number(k, end, step, start, counts, tour):
        size, zero = np.uint64(tour.size), word(0)
        j1, j2, j3, j4 = k, k + step, k + TWO * step, k + THREE * step
        a1, a2, a3, a4 = ZERO, ZERO, ZERO, ZERO
        p1, p2, p3, p4 = zero, zero, zero, zero
        if j1 < end:
            a1, p1 = begin(j1, start, size), counts[j1]
        if j2 < end:
            a2, p2 = begin(j2, start, size), counts[j2]
        if j3 < end:
            a3, p3 = begin(j3, start, size), counts[j3]
        if j4 < end:
            a4, p4 = begin(j4, start, size), counts[j4]
        k = j4 + step
        while min(min(j1, j2), min(j3, j4)) < end:
            if j1 < end:
                j1, a1, p1, k = advance(j1, a1, p1, start, counts, tour, k, end, step)
            if j2 < end:
                j2, a2, p2, k = advance(j2, a2, p2, start, counts, tour, k, end, step)
            if j3 < end:
                j3, a3, p3, k = advance(j3, a3, p3, start, counts, tour, k, end, step)
            if j4 < end:
                j4, a4, p4, k = advance(j4, a4, p4, start, counts, tour, k, end, step)

    return number


def orient(on: Any, word: type) -> Any:
    """Write the child and the parent of each edge, and where the tour enters and leaves the child.

    ``parent_edge`` is not written for roots and for vertices in no tree. ``descends`` is set at
    each position of the tour whose arc goes down, from a parent to its child.
    """

    @on.elementwise
    def orient(
        e, src, dst, roots, arcs, twins, tour, child, parent, parent_edge, enters, leaves, descends
    ):
        t = np.uint64(src.size)
        if e < t:
            a = arcs[e]
            down, up, above, below = tour[a], tour[twins[a]], word(src[e]), word(dst[e])
            if down > up:  # the tour first passes the arc to the child
                down, up, above, below = up, down, below, above
            child[e], parent[below], parent_edge[below] = below, above, word(e)
        else:  # from the virtual vertex to a root
            a = np.uint64(twins.size) - np.uint64(roots.size) + e - t
            down, up, below = tour[a], tour[twins[a]], word(roots[e - t])
        enters[below], leaves[below] = down, up
        descends[down] = np.uint8(1)

    return orient


def prefetch_numbers(on: Any) -> Any:
    """Prefetch preorder numbers for a later edge, and the ranges to update for a nearer edge."""
    prefetch = on.prefetch
    if prefetch is None:
        return no_prefetch(on)

    @on.device
    def prefetch_numbers(e, src, dst, preorder, least, greatest):
        if e + SOON < np.uint64(src.size):
            prefetch(preorder, src[e + SOON])
            prefetch(preorder, dst[e + SOON])
            u, v = preorder[src[e + SOONER]], preorder[dst[e + SOONER]]
            prefetch(least, max(u, v))
            prefetch(greatest, min(u, v))

    return prefetch_numbers


def reach(on: Any, word: type) -> Any:
    """Update the least and the greatest number that each vertex reaches by a non-tree edge.

    For an edge between the preorder numbers u < v, lower ``least[v]`` to at most u and raise
    ``greatest[u]`` to at least v.
    """
    lower_to, raise_to, prefetch_later = lessen(on), increase(on), prefetch_numbers(on)

    @on.elementwise
    def reach(e, src, dst, in_forest, preorder, least, greatest):
        prefetch_later(e, src, dst, preorder, least, greatest)
        if in_forest[e] == 0:
            u, v = preorder[src[e]], preorder[dst[e]]
            if v < u:
                u, v = v, u
            lower_to(least, v, word(u))
            raise_to(greatest, u, word(v))

    return reach


def keep_across(on: Any, word: type) -> Any:
    """Copy each edge, but write a loop if one endpoint is an ancestor of the other.

    The tour enters a descendant between entering and leaving its ancestor.
    """

    @on.elementwise
    def keep_across(e, src, dst, enters, leaves, us, vs):
        u, v = word(src[e]), word(dst[e])
        if enters[v] < enters[u]:
            u, v = v, u
        us[e], vs[e] = u, u if enters[v] < leaves[u] else v

    return keep_across


def increase(on: Any) -> Any:
    """Raise ``values[i]`` to at least ``value``; a stale read costs one more atomic operation."""
    atomic_max = on.atomic_max

    @on.device
    def increase(values, i, value):
        if value > values[i]:
            atomic_max(values, i, value)

    return increase


def number_subtrees(on: Any, word: type) -> Any:
    """Write the preorder number and the subtree size of each vertex.

    ``descents`` has, at each position of the tour, the number of downward arcs up to this position.
    """
    none = none_of(word)

    @on.elementwise
    def number_subtrees(v, enters, leaves, descents, preorder, size):
        down = enters[v]
        if down != none:  # v is in a tree
            preorder[v] = word(descents[down] - word(1))
            # the tour passes two arcs for each vertex of the subtree
            size[v] = word((leaves[v] - down + word(1)) >> word(1))

    return number_subtrees


def measure_depth(on: Any, word: type) -> Any:
    """Write the depth of each vertex; 0 for vertices in no tree.

    Of the ``down + 1`` arcs up to the arc that enters a vertex, ``descents[down]`` go down. The
    others go up. The difference is the depth below the virtual vertex, one more than the depth.
    """
    none = none_of(word)

    @on.elementwise
    def measure_depth(v, enters, descents, depth):
        down = enters[v]
        depth[v] = word(0) if down == none else word(descents[down] + descents[down] - down - TWO)

    return measure_depth


def extremes_of_blocks(on: Any) -> Any:
    """Write the minimum of ``least`` and the maximum of ``greatest`` in each block.

    These extremes are the first level of the sparse table ``low``, ``high``. Level k has, for each
    block, the extremes of the run of 2^k blocks that begins there, or of the blocks up to the last.
    """
    whole = np.uint64(BLOCK)

    @on.elementwise
    def extremes_of_blocks(b, least, greatest, low, high):
        i, last = b * whole, min((b + ONE) * whole, np.uint64(least.size))
        smallest, largest = least[i], greatest[i]
        while i < last:
            smallest, largest = min(smallest, least[i]), max(largest, greatest[i])
            i += ONE
        low[b], high[b] = smallest, largest

    return extremes_of_blocks


def double_blocks(on: Any) -> Any:
    """Write a level of the sparse table: the extremes of runs of ``2 * half`` blocks.

    This level begins at ``base``, and the level of the two halves at ``base - width``. Where no
    second half begins, the first half already extends to the last block.
    """

    @on.elementwise
    def double_blocks(b, base, half, width, low, high):
        left = np.uint64(base) + b - np.uint64(width)
        right = left + np.uint64(half) if b + np.uint64(half) < np.uint64(width) else left
        at = np.uint64(base) + b
        low[at], high[at] = min(low[left], low[right]), max(high[left], high[right])

    return double_blocks


def extremes_of_subtrees(on: Any, word: type) -> Any:
    """Write the least and the greatest number reached from the subtree of each preorder number.

    Number i itself reaches ``least[i]`` to ``greatest[i]``. The numbers of its subtree are an
    interval of ``size[i]``: whole blocks, and less than a block at each end. The whole blocks are
    the union of two runs of 2^level blocks, which may overlap. The extremes of both are in the
    sparse table ``low``, ``high``, which has ``width`` blocks per level.
    """
    whole, shift = np.uint64(BLOCK), np.uint64(BLOCK.bit_length() - 1)

    @on.elementwise
    def extremes_of_subtrees(i, size, least, greatest, width, low, high, min_reach, max_reach):
        end, begin = i + np.uint64(size[i]), i
        smallest, largest = least[i], greatest[i]
        first_block, end_block = (i + whole - ONE) >> shift, end >> shift
        if first_block < end_block:
            level, base = ZERO, ZERO
            while TWO << level <= end_block - first_block:
                level, base = level + ONE, base + np.uint64(width)
            left, right = base + first_block, base + end_block - (ONE << level)
            smallest = min(smallest, min(low[left], low[right]))
            largest = max(largest, max(high[left], high[right]))
            before_end, after = first_block << shift, end_block << shift
        else:
            before_end, after = end, end
        while begin < before_end:  # before the whole blocks
            smallest, largest = min(smallest, least[begin]), max(largest, greatest[begin])
            begin += ONE
        while after < end:  # after the whole blocks
            smallest, largest = min(smallest, least[after]), max(largest, greatest[after])
            after += ONE
        min_reach[i], max_reach[i] = smallest, largest

    return extremes_of_subtrees
