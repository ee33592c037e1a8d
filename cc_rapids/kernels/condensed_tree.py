"""Condense a merge tree to the clusters with at least ``least`` vertices.

Vertices are the nodes 0 .. n - 1, and merge k is node n + k, as in :mod:`.dendrogram`. A merge is
*kept* if its cluster has at least ``least`` vertices; a vertex is not kept.

first, second : (t,) the two nodes that each merge joins.
size     : (t,) the number of vertices of each merge.
pointers : (n + t,) an ancestor of each node, or the node itself.
"""

from typing import Any

import numpy as np

HOPS = 16  # pointers that a thread follows before it stores the last pointer
ZERO, ONE = np.uint64(0), np.uint64(1)
NEITHER, ONE_KEPT, SPLIT = np.uint8(0), np.uint8(1), np.uint8(2)  # numbers of kept nodes of a merge


def is_kept(on: Any) -> Any:
    """Return whether a node is kept."""

    @on.device
    def is_kept(x, n, least, size):
        return x >= np.uint64(n) and np.uint64(size[x - np.uint64(n)]) >= np.uint64(least)

    return is_kept


def point_up(on: Any, word: type) -> Any:
    """Point both nodes of each merge at the merge, unless both are kept.

    The pointers are initially the nodes themselves. ``split`` becomes the number of kept nodes of
    each merge: NEITHER, ONE_KEPT or SPLIT. ``leaving`` becomes the number of vertices that leave
    the cluster of the merge: if one node is kept, the vertices of the other, otherwise all.
    """
    kept = is_kept(on)

    @on.elementwise
    def point_up(k, n, least, first, second, size, pointers, split, leaving):
        a, b = np.uint64(first[k]), np.uint64(second[k])
        keeps_a, keeps_b = kept(a, n, least, size), kept(b, n, least, size)
        leaves, kept_count = size[k], SPLIT
        if not (keeps_a and keeps_b):
            pointers[a], pointers[b] = word(np.uint64(n) + k), word(np.uint64(n) + k)
            kept_count = NEITHER
            if keeps_a:
                leaves, kept_count = leaves - size[a - np.uint64(n)], ONE_KEPT
            elif keeps_b:
                leaves, kept_count = leaves - size[b - np.uint64(n)], ONE_KEPT
        split[k], leaving[k] = kept_count, leaves

    return point_up


def climb(on: Any, word: type, among_kept: bool) -> Any:
    """Move the pointers of some nodes up by at most HOPS steps; set the flag if one may need more.

    If ``among_kept``, the pointers of kept nodes are moved, until they arrive at a node that points
    at itself. Otherwise, the pointers of the other nodes are moved, until they arrive at the first
    kept node above, or at a node that points at itself. The flag is set by writing ``value``.
    Allowed race: a pointer that another thread moves leads to the same node before and after. Each
    step leads up, so the climbs end. The uppermost nodes have the greatest numbers and come first,
    so that later climbs find moved pointers.
    """
    kept, hops = is_kept(on), np.uint64(HOPS)

    @on.elementwise
    def climb(i, n, least, size, pointers, value, flag):
        x = np.uint64(pointers.size) - ONE - i
        if kept(x, n, least, size) == among_kept:
            pointer, count, moves = np.uint64(pointers[x]), ZERO, True
            while moves and count < hops:
                above = np.uint64(pointers[pointer])
                moves = above != pointer and (among_kept or not kept(pointer, n, least, size))
                if moves:
                    pointer = above
                count += ONE
            pointers[x] = word(pointer)
            if moves:
                flag[0] = value

    return climb


def sum_pieces(on: Any) -> Any:
    """Write the sum of each piece ``values[first[i]:last[i]]``."""

    @on.elementwise
    def sum_pieces(i, first, last, values, sums):
        j, total = first[i], 0.0
        while j < last[i]:
            total += values[j]
            j += 1
        sums[i] = total

    return sum_pieces
