"""Vertex blocks: edges between the ids of a block, joined first in shared memory.

That memory answers ten times as soon as the parents do, and a climb is a chain of reads. Of roads,
meshes and other lists in the order of their first ends, with both ends of an edge near each other,
few edges are left to join after it. All of them are looked at once more, in stripes: an edge that a
tile leaves out, because the list is in no order, costs nothing but that look.

near   : (window,) uint32, shared by the threads of a tile; near[v] <= v, as of any parents.
firsts : (tiles + 1,) uint64, which edges a tile looks at: those from its own to the next one's.
parent, chosen : as in :mod:`cc_rapids.kernels.forest`. Each vertex is stored by its own tile alone.

Oliveira and Lotufo 2010, for the pixels of an image: tiles by union-find in shared memory, then the
edges between tiles.
"""

from typing import Any

import numpy as np

from .edges import distance, entries_of
from .primitives import none_of

ZERO, ONE = np.uint64(0), np.uint64(1)
NEAR = np.uint32  # vertices of a tile
MOST = 4  # times as many edges as the average, at which a tile stops: one may be given all of them
CREDIT = 8  # misses more than hits, at which a thread stops: the list is in no order
LONG = np.uint64(64)  # entries of a row that a tile leaves out: it has one thread a row

GROUP, STRIPES = np.uint64(5), np.uint64(13)  # 32 rows, and 8,192 stripes


def first_of_list(on: Any, wide: type) -> Any:
    """Return the first edge of a list, in the order of its sources, whose source is v or more.

    By bisection. In a list of any order it does not fall either while v grows: two of these climb
    down one tree, and where they part the one with the greater v goes up.
    """
    at = distance(on, wide)

    @on.device
    def first(v, m, n, src, low):
        least, end = ZERO, np.uint64(m)
        while least < end:
            middle = (least + end) >> ONE
            if np.uint64(at(src, middle, low)) < v:
                least = middle + ONE
            else:
                end = middle
        return least

    return first


def first_of_rows(on: Any) -> Any:
    """Return the first entry of a row, or the end of all entries."""

    @on.device
    def first(v, m, n, offsets, low):
        return np.uint64(offsets[min(v, np.uint64(n))])

    return first


def find_firsts(on: Any, window: int, first: Any) -> Any:
    """Find where the edges of each tile begin."""
    ids = np.uint64(window)

    @on.elementwise
    def find_firsts(k, m, n, src, low, firsts):
        firsts[k] = first(k * ids, m, n, src, low)

    return find_firsts


def link_near(on: Any, link: Any, note: Any) -> Any:
    """Join the ends of an edge if both are in the tile from ``base``; return whether they are."""
    none = none_of(NEAR)

    @on.device
    def link_near(u, v, e, base, size, near, chosen):
        x, y = np.uint64(u) - base, np.uint64(v) - base
        if max(x, y) >= size:
            return False
        if near[x] != near[y]:
            r = link(near, near, NEAR(x), NEAR(y))
            if r != none:
                note(chosen, base + np.uint64(r), e)
        return True

    return link_near


def share_of_list(on: Any, ends: Any, link_near: Any) -> Any:
    """Join the edges of one thread of a tile, until too many lead to other tiles."""
    enough = np.uint64(CREDIT)

    @on.device
    def share(t, step, base, size, first, last, near, src, dst, low, n, once, chosen):
        e, hits, misses = first + t, ZERO, ZERO
        while e < last and misses < hits + enough:
            u, v = ends(e, src, dst, low, n)
            if link_near(u, v, e, base, size, near, chosen):
                hits += ONE
            else:
                misses += ONE
            e += step

    return share


def share_of_rows(on: Any, link_near: Any) -> Any:
    """Join the rows of one thread of a tile, except the long ones.

    Where every edge stands in both rows (``once``), it is linked from that of its larger end.
    """
    entries = entries_of(on)

    @on.device
    def share(t, step, base, size, first, last, near, offsets, indices, low, n, once, chosen):
        v = base + t
        while v < base + size:
            e, end = entries(offsets, indices, v)
            while e < end and end - e <= LONG:
                w = np.uint64(indices[e])
                if w < v or not once:
                    link_near(v, w, e, base, size, near, chosen)
                e += ONE
            v += step

    return share


def settle(on: Any, vertex: type, find: Any) -> Any:
    """Point the vertices of one thread at their roots in the tile, the least in their trees.

    ``find`` may shorten paths that other threads climb: no tree changes its root any more.
    """

    @on.device
    def settle(t, step, base, size, near, parent):
        v = t
        while v < size:
            parent[base + v] = vertex(base + np.uint64(find(near, NEAR(v))))
            v += step

    return settle


def solve(on: Any, window: int, share: Any, settle: Any) -> Any:
    """Solve each tile by itself, and make the trees of its vertices.

    The phases are those of any run, and between two of them the threads of a tile wait for each
    other. Tiles meet nowhere: each writes memory and parents of its own.
    """
    barrier, ids = on.block_sync, np.uint64(window)

    @on.block_kernel(window)
    def solve_tile(k, t, step, near, src, dst, low, n, most, once, parent, chosen, firsts):
        base, first = k * ids, firsts[k]
        size, v = min(ids, np.uint64(n) - base), t
        last = min(firsts[k + ONE], first + np.uint64(most))
        while v < size:
            near[v] = NEAR(v)
            v += step
        barrier()
        share(t, step, base, size, first, last, near, src, dst, low, n, once, chosen)
        barrier()
        settle(t, step, base, size, near, parent)

    return solve_tile


def striped(on: Any, stripes: np.uint64 = STRIPES) -> Any:
    """Return the i-th of m edges in striped order.

    A stripe is one group of rows of each of so many parts of the list, then comes the next one of
    each. A remainder, of less than a group a part, is last.

    Where neighbours in the list are neighbours in the graph, threads that link them at once would
    climb the same paths and wait for the same roots, and trees would grow at one end alone.
    """
    row, part = (np.uint64(1) << GROUP) - ONE, (np.uint64(1) << stripes) - ONE

    @on.device
    def striped(i, m):
        groups, group = m >> (GROUP + stripes), i >> GROUP
        if group < groups << stripes:
            group = (group & part) * groups + (group >> stripes)
        return (group << GROUP) | (i & row)

    return striped


def between(on: Any, one: Any, ends: Any, striped: Any) -> Any:
    """Link the ends of each edge; those inside a tile are joined already."""

    @on.elementwise
    def between(i, src, dst, low, n, parent, extra, chosen, seen, stray):
        e = striped(np.uint64(i), np.uint64(dst.size))
        u, v = ends(e, src, dst, low, n)
        one(u, v, e, n, parent, extra, chosen, seen, stray)

    return between
