"""The giant, the largest tree after a sample, and the set of its vertices.

parent : (n,) unsigned, a forest in which nothing is linked meanwhile.
root_word : [count << 48 | root] of the giant, at first 0 (see :mod:`cc_rapids.kernels.sampling`).
linked : (1,) how many vertices have a parent, at first 0.
"""

from typing import Any

import numpy as np

from . import primitives

SPREAD, LOW_WORD = np.uint64(2654435761), np.uint64(0xFFFFFFFF)  # Knuth's multiplicative hash
COUNT_SHIFT = np.int64(48)
ONE, FULL = np.uint8(1), np.uint8(255)  # for sets as bytes of 8 vertices
THREE, EIGHT = np.uint64(3), np.uint64(8)
FEW = np.int64(64)  # of 256 probes in the largest tree: a filter by it would save too little
ZERO, NEXT = np.uint64(0), np.uint64(1)
DEEP = np.uint64(64)  # steps of a climb, that are too many


def probed(on: Any) -> Any:
    """Return the i-th probed vertex, the same in every run."""

    @on.device
    def probed(i, n):
        return ((i * SPREAD) & LOW_WORD) % np.uint64(n)

    return probed


def probe(on: Any, find: Any) -> Any:
    """Write the roots of some vertices."""
    vertex = probed(on)

    @on.elementwise
    def probe(i, n, parent, roots):
        roots[i] = find(parent, vertex(i, n))

    return probe


def mark_frequent(on: Any) -> Any:
    """Mark the roots of some vertices, where these differ: such roots have children.

    Among them is the root of nearly all, which all threads of a pass would note at once. Of a deep
    tree another vertex is noted, which has children, too.
    """
    vertex, mark = probed(on), primitives.mark(on)

    @on.elementwise
    def mark_frequent(i, n, parent, present):
        v = vertex(i, n)
        p, r, steps = v, parent[v], DEEP
        while p != r and steps:
            p, r, steps = r, parent[r], steps - NEXT
        if r != v:
            mark(present, r)

    return mark_frequent


def most_frequent(on: Any) -> Any:
    """Find the most frequent of some roots."""
    high = on.atomic_max

    @on.elementwise
    def most_frequent(i, roots, root_word):
        r, count, j, last = roots[i], np.int64(0), np.uint64(0), np.uint64(roots.size)
        while j < last:
            if roots[j] == r:
                count += np.int64(1)
            j += NEXT
        high(root_word, 0, (count << COUNT_SHIFT) | np.int64(r))

    return most_frequent


def mark_in_giant(on: Any, vertex: type, find: Any) -> Any:
    """Point every vertex at its root, and mark those of the giant, a byte of the set at a time.

    A vertex that another thread has not flattened yet still leads to the same root. Those that have
    another root than themselves are counted: they occur.
    """
    giant, block_add = giant_of(on, vertex), on.block_reduce_add

    @on.grid_stride
    def mark_in_giant(b, count, step, n, parent, root_word, linked, octets):
        members = np.int64(0)
        while b < count:
            octet, one, v = np.uint8(0), np.uint8(1), b << THREE
            last = min(v + EIGHT, np.uint64(n))
            while v < last:
                p = parent[v]
                r = find(parent, v)
                if r != p:
                    parent[v] = r
                if r != v:
                    members += np.int64(1)
                if r == giant(root_word):
                    octet |= one
                one = np.uint8(one << ONE)
                v += np.uint64(1)
            octets[b] = octet
            b += step
        block_add(linked, 0, members)

    return mark_in_giant


def count_linked(on: Any) -> Any:
    """Count the vertices that have a parent, which are all present."""
    block_add = on.block_reduce_add

    @on.grid_stride
    def count_linked(v, n, step, parent, linked):
        linked_count = np.int64(0)
        while v < n:
            if parent[v] != v:
                linked_count += np.int64(1)
            v += step
        block_add(linked, ZERO, linked_count)

    return count_linked


def members(on: Any) -> Any:
    """List the vertices outside the giant that have edges, in any order (vertex gathering, 3.5).

    Scans the bit set by bytes; most are 0xFF.
    """
    add = on.atomic_add

    @on.elementwise
    def members(b, n, offsets, octets, count, rows_outside):
        octet, v = octets[b], b << THREE
        if octet != FULL:
            last = min(v + EIGHT, np.uint64(n))
            while v < last:
                if octet & ONE == 0 and offsets[v] != offsets[v + NEXT]:
                    rows_outside[np.uint64(add(count, 0, 1))] = v
                octet, v = np.uint8(octet >> ONE), v + NEXT

    return members


def giant_of(on: Any, vertex: type) -> Any:
    """Return the root that most vertices of the sample had."""
    low_bits = (np.int64(1) << COUNT_SHIFT) - np.int64(1)

    @on.device
    def giant(root_word):
        return vertex(root_word[0] & low_bits)

    return giant


def unless_in_giant(on: Any, vertex: type, join: Any) -> Any:
    """Link an edge unless both ends are inside the giant.

    A bit is set by the thread that links its vertex to the giant, and the kernel ends when all
    links are made: an edge that is left out for two bits is joined by then. A bit that is missed
    costs a link that changes nothing. The giant's end needs no look at its parent. Where the
    largest tree is no giant, no bits are looked at.
    """
    has, mark, giant = primitives.has(on), primitives.mark(on), giant_of(on, vertex)

    @on.device
    def link_outside(u, v, e, parent, aux, hook_edge, present, root_word, in_giant):
        filters = root_word[0] >> COUNT_SHIFT >= FEW
        u_in, v_in = filters and has(in_giant, u), filters and has(in_giant, v)
        if u == v:
            mark(present, u)
        elif u_in != v_in:
            w = v if u_in else u
            join(parent, aux, hook_edge, giant(root_word), parent[w], e)
            mark(in_giant, w)
        elif not u_in:
            p, q = parent[u], parent[v]
            if p != q:
                join(parent, aux, hook_edge, p, q, e)

    return link_outside
