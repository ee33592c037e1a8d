"""Euler tours of rooted forests, and the range that non-tree edges reach from each subtree.

A virtual vertex n is joined to each root, which makes one tree. Its Euler tour starts and ends at n
and passes each edge in both directions; these are the two *arcs* of the edge. The number of an arc
is its position in a list of A arcs. The list is grouped by source vertex, in any order within a
vertex. The arcs that leave n come last, in the order of the roots.

src, dst : (t,) integers, the endpoints of the forest's edges. The edge from n to root number i has
           the number t + i.
starts : (n + 1,) unsigned, the first arc of each vertex. The arcs of a vertex are placed from the
         last to the first; meanwhile, ``starts`` has the arc that was placed last.
arcs   : (t,) unsigned, for each edge the arc that leaves ``src``.
twins  : (A,) unsigned, the opposite arc on the same edge.
tour   : (A,) unsigned, the next arc of the tour, all bits set for the last; finally the position of
         each arc in the tour.
counts : (S,) unsigned, the number of arcs of each sublist; finally the number of arcs before
         each sublist.

List ranking: the tour is cut into sublists. In each block of 2^SHIFT arcs one sublist begins, at a
pseudo-random arc that depends on the block only. So the number of an arc tells whether a sublist
begins there. One thread traverses each sublist, twice (Helman and JáJá, "Designing practical
efficient algorithms for symmetric multiprocessors", ALENEX 1999; Wei and JáJá, "Optimization of
linked list prefix computations on multithreaded GPUs using CUDA", IPDPS 2010).
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
    """Assign both arcs of each edge a position among the arcs of their vertices, last one first.

    Edges to roots come after the edges of the forest. Initially ``starts`` has the end of the arcs
    of each vertex.
    """
    add, minus = on.atomic_add, none_of(word)  # adding all bits set subtracts 1

    @on.elementwise
    def place_arcs(e, src, dst, roots, starts, arcs, twins):
        t = np.uint64(src.size)
        if e < t:
            a = word(add(starts, src[e], minus) - word(1))
            b = word(add(starts, dst[e], minus) - word(1))
            arcs[e] = a
        else:
            a = word(add(starts, roots[e - t], minus) - word(1))
            b = word(np.uint64(twins.size) - np.uint64(roots.size) + e - t)
        twins[a], twins[b] = b, a

    return place_arcs


def follow(on: Any, word: type) -> Any:
    """Return the arc after arc a among the arcs of its vertex v; after the last arc, the first."""

    @on.device
    def follow(a, v, starts):
        after = word(a + word(1))
        return after if after < starts[np.uint64(v) + ONE] else starts[v]

    return follow


def link_arcs(on: Any, word: type) -> Any:
    """Write the successor of each arc in the tour: the arc after its twin, at the same vertex."""
    following, none = follow(on, word), none_of(word)

    @on.elementwise
    def link_arcs(e, src, dst, roots, starts, arcs, twins, tour):
        t, size = np.uint64(src.size), np.uint64(twins.size)
        if e < t:
            a = arcs[e]
            b = twins[a]
            tour[b], tour[a] = following(a, src[e], starts), following(b, dst[e], starts)
        else:
            b = size - np.uint64(roots.size) + e - t
            a = twins[b]
            tour[b] = following(a, roots[e - t], starts)
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
        return base + min((k + ONE) * SPREAD >> UPPER, min(whole, size - base) - ONE)

    return first_of_block


def sublist_ends(on: Any, word: type) -> Any:
    """Return whether a sublist ends before arc a."""
    begin, none, shift = first_of_block(on), none_of(word), np.uint64(SHIFT)

    @on.device
    def sublist_ends(a, start, size):
        return a == none or begin(np.uint64(a) >> shift, start, size) == np.uint64(a)

    return sublist_ends


def measure(on: Any, word: type) -> Any:
    """Write the length of each sublist to ``counts``, and the next sublist to ``following``.

    The last sublist is followed by the number of sublists. A thread traverses four sublists at a
    time, so that four loads are in flight: the sublists ``one`` to ``four``, at the arcs a to d,
    after m to p arcs. ``advance`` goes one arc further, and from the end of a sublist to ``k``, the
    next sublist of the thread. ``start`` is the first arc of the tour, and ``end`` the number of
    sublists.
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
        one, two, three, four = k, k + step, k + TWO * step, k + THREE * step
        a, b, c, d = ZERO, ZERO, ZERO, ZERO
        if one < end:
            a = begin(one, start, size)
        if two < end:
            b = begin(two, start, size)
        if three < end:
            c = begin(three, start, size)
        if four < end:
            d = begin(four, start, size)
        m, n, o, p = zero, zero, zero, zero
        k = four + step
        while min(min(one, two), min(three, four)) < end:
            if one < end:
                one, a, m, k = advance(one, a, m, start, tour, counts, following, k, end, step)
            if two < end:
                two, b, n, k = advance(two, b, n, start, tour, counts, following, k, end, step)
            if three < end:
                three, c, o, k = advance(three, c, o, start, tour, counts, following, k, end, step)
            if four < end:
                four, d, p, k = advance(four, d, p, start, tour, counts, following, k, end, step)

    return measure


def number(on: Any, word: type) -> Any:
    """Replace the successor of each arc in ``tour`` by the arc's position in the tour.

    A thread traverses four sublists at a time, as in :func:`measure`; here m to p are the positions
    of the arcs a to d.
    """
    begin, ends = first_of_block(on), sublist_ends(on, word)

    @on.device
    def advance(j, a, before, start, counts, tour, k, end, step):
        size, after = np.uint64(tour.size), tour[a]
        tour[a] = before
        a, before = np.uint64(after), word(before + word(1))
        if ends(after, start, size):
            j = k
            if k < end:
                a, before = begin(k, start, size), counts[k]
                k += step
        return j, a, before, k

    @on.grid_stride
    def number(k, end, step, start, counts, tour):
        size, zero = np.uint64(tour.size), word(0)
        one, two, three, four = k, k + step, k + TWO * step, k + THREE * step
        a, b, c, d = ZERO, ZERO, ZERO, ZERO
        m, n, o, p = zero, zero, zero, zero
        if one < end:
            a, m = begin(one, start, size), counts[one]
        if two < end:
            b, n = begin(two, start, size), counts[two]
        if three < end:
            c, o = begin(three, start, size), counts[three]
        if four < end:
            d, p = begin(four, start, size), counts[four]
        k = four + step
        while min(min(one, two), min(three, four)) < end:
            if one < end:
                one, a, m, k = advance(one, a, m, start, counts, tour, k, end, step)
            if two < end:
                two, b, n, k = advance(two, b, n, start, counts, tour, k, end, step)
            if three < end:
                three, c, o, k = advance(three, c, o, start, counts, tour, k, end, step)
            if four < end:
                four, d, p, k = advance(four, d, p, start, counts, tour, k, end, step)

    return number


def orient(on: Any, word: type) -> Any:
    """Write the child and the parent of each edge, and where the tour enters and leaves the child.

    ``parent_edge`` is unchanged for roots and for vertices in no tree. ``descends`` is set at the
    positions of arcs that go down.
    """

    @on.elementwise
    def orient(
        e, src, dst, roots, arcs, twins, tour, child, parent, parent_edge, enters, leaves, descends
    ):
        t = np.uint64(src.size)
        if e < t:
            a = arcs[e]
            down, up, top, low = tour[a], tour[twins[a]], word(src[e]), word(dst[e])
            if down > up:  # the tour first passes the arc to the child
                down, up, top, low = up, down, low, top
            child[e], parent[low], parent_edge[low] = low, top, word(e)
        else:
            a = np.uint64(twins.size) - np.uint64(roots.size) + e - t
            down, up, low = tour[a], tour[twins[a]], word(roots[e - t])
        enters[low], leaves[low] = down, up
        descends[down] = np.uint8(1)

    return orient


def prefetch_numbers(on: Any) -> Any:
    """Prefetch the preorder numbers of a later edge."""
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
    """Update the range that each vertex reaches by non-tree edges.

    For an edge between the preorder numbers u < v, lower ``least[v]`` to u and raise
    ``greatest[u]`` to v.
    """
    lower_to, raise_to, prefetch_later = lessen(on), raised(on), prefetch_numbers(on)

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
    """Write both endpoints of an edge, or a loop if one endpoint is an ancestor of the other.

    The tour enters a descendant between entering and leaving its ancestor.
    """

    @on.elementwise
    def keep_across(e, src, dst, enters, leaves, us, vs):
        u, v = word(src[e]), word(dst[e])
        if enters[v] < enters[u]:
            u, v = v, u
        us[e], vs[e] = u, u if enters[v] < leaves[u] else v

    return keep_across


def raised(on: Any) -> Any:
    """Raise ``values[i]`` to at least ``value``; a stale read costs one more atomic operation."""
    high = on.atomic_max

    @on.device
    def raised(values, i, value):
        if value > values[i]:
            high(values, i, value)

    return raised


def number_subtrees(on: Any, word: type) -> Any:
    """Write the preorder number and the subtree size of each vertex.

    ``descents`` holds, for each arc of the tour, the number of downward arcs so far.
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

    Of the arcs up to the arc that enters a vertex, ``descents`` go down, and the others go up. The
    difference is the depth below the virtual vertex, which is one more than the depth.
    """
    none = none_of(word)

    @on.elementwise
    def measure_depth(v, enters, descents, depth):
        down = enters[v]
        depth[v] = word(0) if down == none else word(descents[down] + descents[down] - down - TWO)

    return measure_depth


def extremes_of_blocks(on: Any) -> Any:
    """Write the minimum of ``least`` and the maximum of ``greatest`` in each block.

    These extremes are the first level of the sparse table ``low``, ``high``, which has one element
    per block and level.
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
    """Write the extremes of runs of ``2 * half`` blocks, from the extremes of their two halves.

    The new level of the table begins at ``base``, and the level of the shorter runs at ``base -
    width``.
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

    The preorder numbers of a subtree are an interval: whole blocks, and less than a block at each
    end. The whole blocks are the union of two runs, which may overlap. The length of both runs is a
    power of two, so the sparse table contains their extremes: each level has ``width`` of them, one
    for each block. Neighbouring threads read neighbouring intervals.
    """
    whole, shift = np.uint64(BLOCK), np.uint64(BLOCK.bit_length() - 1)

    @on.elementwise
    def extremes_of_subtrees(i, size, least, greatest, width, low, high, lows, highs):
        end, begin = i + np.uint64(size[i]), i
        smallest, largest = least[i], greatest[i]
        first_block, end_block = (i + whole - ONE) >> shift, end >> shift
        if first_block < end_block:
            level, base = ZERO, ZERO
            while TWO << level <= end_block - first_block:
                level, base = level + ONE, base + np.uint64(width)
            a, b = base + first_block, base + end_block - (ONE << level)
            smallest = min(smallest, min(low[a], low[b]))
            largest = max(largest, max(high[a], high[b]))
            last, j = first_block << shift, end_block << shift
        else:
            last, j = end, end
        while begin < last:  # before the whole blocks
            smallest, largest = min(smallest, least[begin]), max(largest, greatest[begin])
            begin += ONE
        while j < end:  # after the whole blocks
            smallest, largest = min(smallest, least[j]), max(largest, greatest[j])
            j += ONE
        lows[i], highs[i] = smallest, largest

    return extremes_of_subtrees
