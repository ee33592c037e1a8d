"""Find the giant component, the largest tree after sampling, and the set of its vertices.

parent : (n,) unsigned, a forest in which nothing is linked during these launches.
root_word : [count << 48 | root] of the giant component, initially 0 (see sampling.py). ``count`` is
            the number of probed vertices in it.
octets : the bytes of the bit set of the giant component's vertices.
linked : (1,) int64, the number of vertices that have a parent, initially 0.
"""

from typing import Any

import numpy as np

from . import primitives

PROBES = 256  # vertices probed to find the largest tree; docs/design/decisions/samples.md
MANY_VERTICES = 1 << 16  # min. vertices for which a separate launch marks frequent roots
SPREAD, LOW_WORD = np.uint64(2654435761), np.uint64(0xFFFFFFFF)  # Knuth's multiplicative hash
COUNT_SHIFT = np.int64(48)
ONE, FULL = np.uint8(1), np.uint8(255)  # bytes of a bit set, 8 vertices each
THREE, EIGHT = np.uint64(3), np.uint64(8)
MIN_PROBES = np.int64(64)  # least ``count`` for which it pays to filter edges by the bit set
ZERO, NEXT = np.uint64(0), np.uint64(1)
MAX_STEPS = np.uint64(64)  # maximum number of steps of a climb


def probed_vertex(on: Any) -> Any:
    """Return the i-th probed vertex; the sequence is the same in every run."""

    @on.device
    def probed_vertex(i, n):
        return ((i * SPREAD) & LOW_WORD) % np.uint64(n)

    return probed_vertex


def probe(on: Any, find: Any) -> Any:
    """Write the root of the i-th probed vertex to ``roots[i]``."""
    probed = probed_vertex(on)

    @on.elementwise
    def probe(i, n, parent, roots):
        roots[i] = find(parent, probed(i, n))

    return probe


def mark_frequent(on: Any) -> Any:
    """Mark the root of each probed vertex as present, unless the vertex is its own root.

    So the bit of the giant component's root is set before many threads contend for it. In a deep
    tree, the climb may end at another vertex. It has a child, so it has an edge and is present.
    """
    probed, mark = probed_vertex(on), primitives.mark(on)

    @on.elementwise
    def mark_frequent(i, n, parent, present):
        v = probed(i, n)
        p, r, steps = v, parent[v], MAX_STEPS
        while p != r and steps:
            p, r, steps = r, parent[r], steps - NEXT
        if r != v:
            mark(present, r)

    return mark_frequent


def most_frequent(on: Any) -> Any:
    """Find the most frequent of the probed roots, by an atomic maximum of [count << 48 | root]."""
    atomic_max = on.atomic_max

    @on.elementwise
    def most_frequent(i, roots, root_word):
        r, count, j, last = roots[i], np.int64(0), np.uint64(0), np.uint64(roots.size)
        while j < last:
            if roots[j] == r:
                count += np.int64(1)
            j += NEXT
        atomic_max(root_word, 0, (count << COUNT_SHIFT) | np.int64(r))

    return most_frequent


def mark_in_giant(on: Any, vertex: type, find: Any) -> Any:
    """Point every vertex at its root, and write the bit set of the giant component.

    A thread owns whole bytes of the set. Allowed race: a find may read a parent before or after
    another thread replaces it by the root; both lead to the same root.
    """
    giant, block_add = giant_of(on, vertex), on.block_reduce_add

    @on.grid_stride
    def mark_in_giant(b, end, step, n, parent, root_word, linked, octets):
        linked_count = np.int64(0)
        while b < end:
            octet, bit, v = np.uint8(0), np.uint8(1), b << THREE
            last = min(v + EIGHT, np.uint64(n))
            while v < last:
                p = parent[v]
                r = find(parent, v)
                if r != p:
                    parent[v] = r
                if r != v:
                    linked_count += np.int64(1)
                if r == giant(root_word):
                    octet |= bit
                bit = np.uint8(bit << ONE)
                v += np.uint64(1)
            octets[b] = octet
            b += step
        block_add(linked, 0, linked_count)

    return mark_in_giant


def count_linked(on: Any) -> Any:
    """Count the vertices that have a parent."""
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
    """Write to ``rows_outside`` the vertices outside the giant component whose row is not empty.

    This is the vertex gathering of Hong et al. 2020, 3.5. The order is arbitrary. The bit set is
    read by bytes. Most bytes are 0xFF, and are skipped, because all their vertices are in the giant
    component.
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
    """Return the root of the giant component: the most frequent root of the probes."""
    low_bits = (np.int64(1) << COUNT_SHIFT) - np.int64(1)

    @on.device
    def giant(root_word):
        return vertex(root_word[0] & low_bits)

    return giant


def unless_in_giant(on: Any, vertex: type, join: Any) -> Any:
    """Link an edge unless both endpoints are in the giant component.

    Invariant: a vertex whose bit is set is joined to the giant component by the end of the kernel,
    because the thread that sets the bit makes the link. So an edge is redundant if the bits of both
    endpoints are set. Allowed race: a missed bit costs one redundant link. The root of a vertex in
    the giant component is known, so the parent of the vertex is not read. If the largest tree is
    too small, the bits are ignored.
    """
    has, mark, giant = primitives.has(on), primitives.mark(on), giant_of(on, vertex)

    @on.device
    def link_outside(u, v, e, parent, aux, hook_edge, present, root_word, in_giant):
        is_large = root_word[0] >> COUNT_SHIFT >= MIN_PROBES
        u_in, v_in = is_large and has(in_giant, u), is_large and has(in_giant, v)
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
