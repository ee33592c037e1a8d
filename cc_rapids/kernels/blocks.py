"""Vertex blocks: edges between the ids of a block, joined first in shared memory.

Shared memory responds ten times as fast as the parents do, and a climb is a chain of reads. Of
roads, meshes and other lists in the order of their first ends, with both ends of an edge near each
other, few edges are left to join after it. All of them are looked at once more, in strided order:
an edge that a block leaves out, because the list is in no order, costs nothing but that look.

shared : (window,) uint32, shared by the threads of a block; shared[v] <= v, as of any parents.
block_offsets : (blocks + 1,) uint64, the first edge of each block; it ends where the next begins.
parent, hook_edge : as in :mod:`cc_rapids.kernels.forest`. Each vertex is stored by its own block
                    only.

Oliveira and Lotufo 2010, for the pixels of an image: blocks by union-find in shared memory, then
the edges between blocks.
"""

from typing import Any

import numpy as np

from .edges import distance, entries_of
from .primitives import none_of

ZERO, ONE = np.uint64(0), np.uint64(1)
LOCAL = np.uint32  # vertices of a block
MOST_TIMES_AVERAGE = 4  # at which a block stops: one may be given all edges
CREDIT = 8  # misses more than hits, at which a thread stops: the list is in no order
LONG = np.uint64(64)  # entries of a row that a block leaves out: it has one thread a row

GROUP_BITS, STRIDE_BITS = np.uint64(5), np.uint64(13)  # 32 rows, and 8,192 parts


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


def find_block_offsets(on: Any, window: int, first: Any) -> Any:
    """Find where the edges of each block begin."""
    ids = np.uint64(window)

    @on.elementwise
    def find_block_offsets(k, m, n, src, low, block_offsets):
        block_offsets[k] = first(k * ids, m, n, src, low)

    return find_block_offsets


def link_in_block(on: Any, link: Any, record_hook: Any) -> Any:
    """Join the ends of an edge if both are in the block from ``base``; return whether they are."""
    none = none_of(LOCAL)

    @on.device
    def link_in_block(u, v, e, base, size, shared, hook_edge):
        x, y = np.uint64(u) - base, np.uint64(v) - base
        if max(x, y) >= size:
            return False
        if shared[x] != shared[y]:
            r = link(shared, shared, LOCAL(x), LOCAL(y))
            if r != none:
                record_hook(hook_edge, base + np.uint64(r), e)
        return True

    return link_in_block


def share_of_list(on: Any, load_edge: Any, link_in_block: Any) -> Any:
    """Join the edges of one thread of a block, until too many lead to other blocks."""
    enough = np.uint64(CREDIT)

    @on.device
    def share(t, step, base, size, first, last, shared, src, dst, low, n, symmetric, hook_edge):
        e, hits, misses = first + t, ZERO, ZERO
        while e < last and misses < hits + enough:
            u, v = load_edge(e, src, dst, low, n)
            if link_in_block(u, v, e, base, size, shared, hook_edge):
                hits += ONE
            else:
                misses += ONE
            e += step

    return share


def share_of_rows(on: Any, link_in_block: Any) -> Any:
    """Join the rows of one thread of a block, except the long ones.

    Where every edge stands in both rows (``symmetric``), it is linked from that of its larger end.
    """
    entries = entries_of(on)

    @on.device
    def share(
        t, step, base, size, first, last, shared, offsets, indices, low, n, symmetric, hook_edge
    ):
        v = base + t
        while v < base + size:
            e, end = entries(offsets, indices, v)
            while e < end and end - e <= LONG:
                w = np.uint64(indices[e])
                if w < v or not symmetric:
                    link_in_block(v, w, e, base, size, shared, hook_edge)
                e += ONE
            v += step

    return share


def flatten_block(on: Any, vertex: type, find: Any) -> Any:
    """Point the vertices of one thread at their roots in the block, the least in their trees.

    ``find`` may shorten paths that other threads climb: no tree changes its root any more.
    """

    @on.device
    def flatten_block(t, step, base, size, shared, parent):
        v = t
        while v < size:
            parent[base + v] = vertex(base + np.uint64(find(shared, LOCAL(v))))
            v += step

    return flatten_block


def solve_blocks(on: Any, window: int, share: Any, flatten_block: Any) -> Any:
    """Solve each block by itself, and make the trees of its vertices.

    The phases are those of any run, and between two of them the threads of a block wait for each
    other. Blocks meet nowhere: each writes memory and parents of its own.
    """
    block_sync, ids = on.block_sync, np.uint64(window)

    @on.block_kernel(window)
    def solve_block(
        k, t, step, shared, src, dst, low, n, most, symmetric, parent, hook_edge, block_offsets
    ):
        base, first = k * ids, block_offsets[k]
        size, v = min(ids, np.uint64(n) - base), t
        last = min(block_offsets[k + ONE], first + np.uint64(most))
        while v < size:
            shared[v] = LOCAL(v)
            v += step
        block_sync()
        share(t, step, base, size, first, last, shared, src, dst, low, n, symmetric, hook_edge)
        block_sync()
        flatten_block(t, step, base, size, shared, parent)

    return solve_block


def strided_permutation(on: Any, stride_bits: np.uint64 = STRIDE_BITS) -> Any:
    """Return the i-th of m edges in strided order.

    The list is divided into parts. A stride takes one group of rows from each part, and the next
    stride the next group of each. A remainder of less than a group per part comes last.

    Where neighbours in the list are neighbours in the graph, threads that link them at once would
    climb the same paths and wait for the same roots, and trees would grow at one end alone.
    """
    row, part = (np.uint64(1) << GROUP_BITS) - ONE, (np.uint64(1) << stride_bits) - ONE

    @on.device
    def strided(i, m):
        groups, group = m >> (GROUP_BITS + stride_bits), i >> GROUP_BITS
        if group < groups << stride_bits:
            group = (group & part) * groups + (group >> stride_bits)
        return (group << GROUP_BITS) | (i & row)

    return strided


def link_permuted(on: Any, one: Any, load_edge: Any, strided: Any) -> Any:
    """Link the ends of each edge; those inside a block are joined already."""

    @on.elementwise
    def link_permuted(i, src, dst, low, n, parent, aux, hook_edge, present, out_of_range):
        e = strided(np.uint64(i), np.uint64(dst.size))
        u, v = load_edge(e, src, dst, low, n)
        one(u, v, e, n, parent, aux, hook_edge, present, out_of_range)

    return link_permuted
