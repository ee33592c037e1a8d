"""A forest of the edges that expire last, into which further edges are merged one by one.

Each vertex but one of a tree has a link: at the time of the link's edge, and before, it is in one
tree with the vertex that the link leads to. The edges of all links are the forest. A new edge
climbs from both of its ends by links that last longer. Where it arrives at two vertices, it takes
the place of the link of one of these, and the edge of that goes on from there; it ends as a link of
a root, or where both climbs meet, as all others on its cycle last longer.

slots : (n,) uint64, shared by all threads: the vertex that the link of v leads to in the upper half
        and the row of its edge in the lower one, or all bits set for a root. It changes only by
        compare-and-swap, to edges that last longer, or to a vertex further up.
until : (k,) int64 or float64, when each edge expires.
order : (k,) int64, different numbers; among edges that expire at once the least lasts longest. Rows
        change when others go, and these do not: a link relies on all edges that last longer.

A link leads to a vertex whose hash is less, so that there is no cycle, whatever order threads take,
and the expected number of links of a climb is the logarithm of n, as in trees of random priorities.
A thread may carry an edge whose link another thread has climbed: what is joined by it stays joined,
as the carried edge is put back or is on a cycle of edges that last longer. So the forest is that of
all edges at the end, and only one is, as no two edges expire at once.

Batches that are merged into such a forest, and their cost: Anderson, Blelloch and Tangwongsan,
"Work-efficient batch-incremental minimum spanning trees with applications to the sliding-window
model", SPAA 2020, by other trees.
"""

from typing import Any

import numpy as np

from .id_hash import mix
from .primitives import none_of

HALF, LOW = np.uint64(32), np.uint64((1 << 32) - 1)
ROOT = none_of(np.uint64)
GOES = none_of(np.uint32)  # the new number of a row that goes


def lasts_longer(on: Any) -> Any:
    """Return whether one edge lasts longer than another, by their rows."""

    @on.device
    def lasts_longer(until, order, e, f):
        return until[e] > until[f] or (until[e] == until[f] and order[e] < order[f])

    return lasts_longer


def climb(on: Any) -> Any:
    """Return the vertex up from v to which links lead that last longer than edge e, and its slot.

    Where the next link lasts longer than one, that is pointed beyond it.
    """
    longer, cas = lasts_longer(on), on.atomic_cas

    @on.device
    def climb(slots, until, order, v, entry, e):
        while entry != ROOT and longer(until, order, entry & LOW, e):
            up = entry >> HALF
            above = slots[up]
            if above != ROOT and longer(until, order, above & LOW, entry & LOW):
                cas(slots, v, entry, above & ~LOW | entry & LOW)
            v, entry = up, above
        return v, entry

    return climb


def merge(on: Any) -> Any:
    """Merge edges from row ``first`` on, and write for each the row that goes, or ROOT for none."""
    up, hashed, cas = climb(on), mix(on), on.atomic_cas

    @on.elementwise
    def merge(i, first, src, dst, until, order, slots, evicted):
        e = np.uint64(first) + i
        u, v = np.uint64(src[e]), np.uint64(dst[e])
        a, b = slots[u], slots[v]
        while True:
            u, a = up(slots, until, order, u, a, e)
            v, b = up(slots, until, order, v, b, e)
            if u == v:
                break
            if hashed(u) < hashed(v):
                u, v, a, b = v, u, b, a
            seen = cas(slots, u, a, v << HALF | e)
            if seen != a:
                a = seen
            elif a == ROOT:
                e = ROOT
                break
            else:  # the edge whose place it took goes on, from both ends of its link
                e, u, v = a & LOW, v, a >> HALF
                a, b = b, slots[v]
        evicted[i] = e

    return merge


def renumber(on: Any) -> Any:
    """Write the new numbers of rows from ``first`` on into the slots; drop the links that go."""

    @on.elementwise
    def renumber(v, first, numbers, slots):
        entry = slots[v]
        if entry == ROOT or entry & LOW < np.uint64(first):
            return
        number = numbers[(entry & LOW) - np.uint64(first)]
        slots[v] = ROOT if number == GOES else entry & ~LOW | np.uint64(number)

    return renumber
