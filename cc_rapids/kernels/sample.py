"""Sample: which edges are linked first, and which of the others may then be left out.

A sample joins most of the largest component, the giant. An edge with both ends in there joins
nothing, and one bit a vertex tells: 32 times fewer bytes than the parents, so that the bits stay
in a cache where the parents do not. A vertex that is linked to the giant later gets its bit then.

best   : [count << 48 | root] of the giant after the sample.
inside : (n + 31) // 32 words, vertices that are joined to that root, or are about to be: not all.
"""

from typing import Any

import numpy as np

from ..catalog import choice
from . import bits, forest
from .answer import EIGHT, ONE, THREE

BLOCK, STRIDE = np.uint64(256), np.uint64(1280)  # edges: one block of each stride is the sample
PROBES = 256  # vertices looked at to find the largest component
SPREAD, LOW_WORD = np.uint64(2654435761), np.uint64(0xFFFFFFFF)  # Knuth's multiplicative hash
COUNT_SHIFT = np.int64(48)


@choice("sample", "none", paper="Hong et al. 2020, Algorithm 1")
def none(on: Any) -> None:
    """Link every edge in one phase."""


@choice("sample", "strided", paper="Hong et al. 2020, 3.3, for edge lists: every fifth block")
def strided(on: Any) -> Any:
    """Link every fifth block of edges first, then those that are not inside the largest tree."""
    return sampled(on), others(on)


def every(on: Any) -> Any:
    """All edges, in order."""

    @on.device
    def place(i):
        return i

    return place


def sampled(on: Any) -> Any:
    """The edges of the sample: the first block of each stride, read as it lies."""

    @on.device
    def place(i):
        return i // BLOCK * STRIDE + i % BLOCK

    return place


def others(on: Any) -> Any:
    """The edges that are not in the sample."""
    left = np.uint64(STRIDE - BLOCK)

    @on.device
    def place(i):
        return i // left * STRIDE + BLOCK + i % left

    return place


def sampled_count(m: int) -> int:
    """How many of m edges are in the sample."""
    block, stride = int(BLOCK), int(STRIDE)
    return m // stride * block + min(m % stride, block)


def largest(on: Any, vertex: type, find: Any) -> Any:
    """Of some vertices the most frequent root: best = [count << 48 | root], at first 0.

    Run for each probe; nothing is linked meanwhile.
    """
    high, probes = on.max, np.uint64(PROBES)

    @on.device
    def root(parent, n, i):
        return find(parent, parent[((i * SPREAD) & LOW_WORD) % np.uint64(n)])

    @on.each
    def largest(i, n, parent, best):
        r, count, j = root(parent, n, i), np.int64(0), np.uint64(0)
        while j < probes:
            if root(parent, n, j) == r:
                count += np.int64(1)
            j += np.uint64(1)
        high(best, 0, (count << COUNT_SHIFT) | np.int64(r))

    return largest


def mark_inside(on: Any, vertex: type, find: Any) -> Any:
    """Point every vertex at its root, and note those of the giant, a byte of the set at a time.

    Nothing is linked meanwhile. A vertex that another thread has not flattened yet still leads to
    the same root.
    """
    giant = giant_of(on, vertex)

    @on.each
    def mark_inside(b, n, parent, best, octets):
        octet, one, v = np.uint8(0), np.uint8(1), b << THREE
        last = min(v + EIGHT, np.uint64(n))
        while v < last:
            p = parent[v]
            r = find(parent, p)
            if r != p:
                parent[v] = r
            if r == giant(best):
                octet |= one
            one = np.uint8(one << ONE)
            v += np.uint64(1)
        octets[b] = octet

    return mark_inside


def giant_of(on: Any, vertex: type) -> Any:
    """The root that most vertices of the sample had."""
    low_bits = np.int64((1 << 48) - 1)

    @on.device
    def giant(best):
        return vertex(best[0] & low_bits)

    return giant


def every_other_edge(on: Any, vertex: type, wide: type, link: Any, place: Any) -> Any:
    """Link the edges that the sample has left, except those inside the giant.

    A bit is set by the thread that links its vertex to the giant, and the kernel ends when all
    links are made: an edge that is left out for two bits is joined by then. A bit that is missed
    costs a link that changes nothing. The giant's end needs no look at its parent.
    """
    at, has, mark = forest.distance(on, wide), bits.has(on), bits.mark(on)
    giant = giant_of(on, vertex)

    @on.each
    def every_other_edge(i, src, dst, low, n, parent, seen, stray, best, inside):
        e = place(i)
        far_u, far_v = at(src, e, low), at(dst, e, low)
        if max(far_u, far_v) >= wide(n):
            stray[0] = 1
            return
        u, v = vertex(far_u), vertex(far_v)
        u_in, v_in = has(inside, u), has(inside, v)
        if u == v:
            mark(seen, u)
        elif u_in != v_in:
            w = v if u_in else u
            link(parent, giant(best), parent[w])
            mark(inside, w)
        elif not u_in:
            p, q = parent[u], parent[v]
            if p != q:
                link(parent, p, q)

    return every_other_edge
