"""Maximum spanning forest by expiry time, to which batches of edges are added.

Every vertex that is not a root has a link: an edge and a target vertex. While that edge exists, the
vertex is connected to the target. The edges of all links are the forest. A new edge climbs from
both endpoints along links that expire later. It replaces the link of one of the two vertices
reached, and the replaced edge continues from there. This ends when an edge becomes the link of a
root. It also ends when both climbs meet: the edge is dropped, because it closes a cycle whose other
edges expire later.

slots : (n,) uint64, shared by all threads: the target of a vertex's link in the upper half and the
        row of its edge in the lower half; all bits set for a root. A slot changes only by
        compare-and-swap, to an edge that expires later or to a target further up.
until : (k,) int64 or float64, the expiry time of each edge.
order : (k,) int64, distinct numbers. Of edges that expire at the same time, the edge with the least
        number counts as the one that expires last. The number of an edge never changes, unlike its
        row, so comparisons stay consistent.

A link leads to a vertex with a smaller hash. So there is no cycle, in any interleaving of threads,
and a climb has an expected length of O(log n), as in trees with random priorities. Allowed race: a
thread may replace a link that another thread has just climbed. The connection remains: the thread
makes the replaced edge another link, or drops it if it lies on a cycle whose other edges expire
later. At the end the links are the maximum spanning forest, which is unique because the order is
total.

The batch-incremental algorithm and its cost, for other trees: Anderson, Blelloch and Tangwongsan,
"Work-efficient batch-incremental minimum spanning trees with applications to the sliding-window
model", SPAA 2020.
"""

from typing import Any

import numpy as np

from .id_hash import mix
from .primitives import none_of

HALF, LOW = np.uint64(32), np.uint64((1 << 32) - 1)
ROOT = none_of(np.uint64)
REMOVED = none_of(np.uint32)  # the new number of a removed row


def lasts_longer(on: Any) -> Any:
    """Return whether edge e expires later than f, or at the same time with a smaller ``order``."""

    @on.device
    def lasts_longer(until, order, e, f):
        return until[e] > until[f] or (until[e] == until[f] and order[e] < order[f])

    return lasts_longer


def climb(on: Any) -> Any:
    """Climb from v along links that expire later than edge e; return the last vertex and its slot.

    ``entry`` is the slot of v. To shorten later climbs, a link is pointed to the target of the next
    link if the next link expires later.
    """
    longer, cas = lasts_longer(on), on.atomic_cas

    @on.device
    def climb(slots, until, order, v, entry, e):
        while entry != ROOT and longer(until, order, entry & LOW, e):
            up = entry >> HALF
            above = slots[up]
            if above != ROOT and longer(until, order, above & LOW, entry & LOW):
                shortcut = above & ~LOW | entry & LOW  # the target of ``above``, the same edge
                cas(slots, v, entry, shortcut)
            v, entry = up, above
        return v, entry

    return climb


def merge(on: Any) -> Any:
    """Insert the edges of row ``first`` and later rows; write the row of the edge that each evicts.

    An edge may evict itself. If it evicts no edge, ROOT is written to ``evicted``.
    """
    climb_from, hashed, cas = climb(on), mix(on), on.atomic_cas

    @on.elementwise
    def merge(i, first, src, dst, until, order, slots, evicted):
        e = np.uint64(first) + i
        u, v = np.uint64(src[e]), np.uint64(dst[e])
        a, b = slots[u], slots[v]
        while True:
            u, a = climb_from(slots, until, order, u, a, e)
            v, b = climb_from(slots, until, order, v, b, e)
            if u == v:
                break
            if hashed(u) < hashed(v):  # a link leads to the vertex with the smaller hash
                u, v, a, b = v, u, b, a
            current = cas(slots, u, a, v << HALF | e)
            if current != a:
                a = current
            elif a == ROOT:
                e = ROOT
                break
            else:  # continue with the replaced edge, from the new and the old target of u
                e, u, v = a & LOW, v, a >> HALF
                a, b = b, slots[v]
        evicted[i] = e

    return merge


def renumber(on: Any) -> Any:
    """Renumber the rows from ``first`` on in the slots; remove the links of removed rows."""

    @on.elementwise
    def renumber(v, first, numbers, slots):
        entry = slots[v]
        if entry == ROOT or entry & LOW < np.uint64(first):
            return
        number = numbers[(entry & LOW) - np.uint64(first)]
        slots[v] = ROOT if number == REMOVED else entry & ~LOW | np.uint64(number)

    return renumber
