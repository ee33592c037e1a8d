"""Vertex blocks: link the edges inside each block of ids in shared memory first.

A climb is a series of dependent reads, and shared memory has a tenth of the latency of global
memory. Roads, meshes and other lists are sorted by source and have nearby endpoints, so most edges
lie inside a block. A second pass links all edges in global memory, in strided order. If the list is
not sorted, the first pass skips edges, which the second pass links at no extra cost.

shared : (window,) uint32, the parents of a block's vertices, relative to the block; shared[v] <= v.
block_offsets : (blocks + 1,) uint64, the first edge of each block; a block ends where the next
         block begins.
parent, hook_edge : as in :mod:`cc_rapids.kernels.forest`. Only the block of a vertex stores the
         parent and the hook of the vertex.

After Oliveira and Lotufo 2010, who label the pixels of an image: union-find within blocks in shared
memory, then the edges between blocks.
"""

from typing import Any

import numpy as np

from .edges import distance, entries_of
from .primitives import none_of

ZERO, ONE = np.uint64(0), np.uint64(1)
LOCAL = np.uint32  # vertices of a block
MAX_TIMES_AVERAGE = 4  # a block links at most this multiple of the average number of edges
CREDIT = 8  # a thread stops at this many more misses than hits: the list is not sorted
MAX_ROW = np.uint64(64)  # longer rows are skipped, because a block has one thread per row

GROUP_BITS, STRIDE_BITS = np.uint64(5), np.uint64(13)  # 32 rows, and 8,192 parts


def first_of_list(on: Any, wide: type) -> Any:
    """Return the first edge, in a list sorted by source, whose source is at least v.

    The edge is found by bisection. Even in an unsorted list the result never decreases as v grows,
    because all searches descend the same tree.
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
    """Return the first entry of row v, or the number of entries if there is no row v."""

    @on.device
    def first(v, m, n, offsets, low):
        return np.uint64(offsets[min(v, np.uint64(n))])

    return first


def find_block_offsets(on: Any, window: int, first: Any) -> Any:
    """Find the first edge of each block of vertices, by ``first_of_list`` or ``first_of_rows``."""
    ids = np.uint64(window)

    @on.elementwise
    def find_block_offsets(k, m, n, src, low, block_offsets):
        block_offsets[k] = first(k * ids, m, n, src, low)

    return find_block_offsets


def link_in_block(on: Any, link: Any, record_hook: Any) -> Any:
    """Link an edge if both endpoints are in the block at ``base``; return whether they are."""
    none = none_of(LOCAL)

    @on.device
    def link_in_block(u, v, e, base, size, shared, hook_edge):
        x, y = np.uint64(u) - base, np.uint64(v) - base
        if max(x, y) >= size:
            return False
        if shared[x] != shared[y]:
            # the union rule has no auxiliary array: ``shared`` fills its place, unused
            r = link(shared, shared, LOCAL(x), LOCAL(y))
            if r != none:
                record_hook(hook_edge, base + np.uint64(r), e)
        return True

    return link_in_block


def share_of_list(on: Any, load_edge: Any, link_in_block: Any) -> Any:
    """Link one thread's share of a block's edges, until too many edges leave the block."""
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
    """Link one thread's share of a block's rows, except long rows.

    If ``symmetric``, every edge occurs in the rows of both endpoints; the edge is linked from the
    row of the larger endpoint. The loop over a row of more than MAX_ROW entries does not begin.
    """
    entries = entries_of(on)

    @on.device
    def share(
        t, step, base, size, first, last, shared, offsets, indices, low, n, symmetric, hook_edge
    ):
        v = base + t
        while v < base + size:
            e, end = entries(offsets, indices, v)
            while e < end and end - e <= MAX_ROW:
                w = np.uint64(indices[e])
                if w < v or not symmetric:
                    link_in_block(v, w, e, base, size, shared, hook_edge)
                e += ONE
            v += step

    return share


def flatten_block(on: Any, vertex: type, find: Any) -> Any:
    """Write the roots of one thread's vertices as their parents.

    A root is the least vertex of its tree in the block. ``find`` may shorten paths that other
    threads climb, because no tree changes its root any more.
    """

    @on.device
    def flatten_block(t, step, base, size, shared, parent):
        v = t
        while v < size:
            parent[base + v] = vertex(base + np.uint64(find(shared, LOCAL(v))))
            v += step

    return flatten_block


def solve_blocks(on: Any, window: int, share: Any, flatten_block: Any) -> Any:
    """Solve each block on its own and write the parents of its vertices.

    Barriers separate the phases: initialise, link, flatten. No block writes memory that another
    block reads. A block reads at most ``most`` edges.
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

    The list is divided into ``2 ** stride_bits`` parts, and each part into groups of rows. The
    order takes the first group of each part, then the second group of each part, and so on. The
    rows that remain, fewer than a group per part, come last.

    Consecutive edges are often close in the graph. Threads that link such edges at the same time
    would climb the same paths, contend for the same roots, and grow trees at one end only.
    """
    row, part = (np.uint64(1) << GROUP_BITS) - ONE, (np.uint64(1) << stride_bits) - ONE

    @on.device
    def strided(i, m):
        groups, group = m >> (GROUP_BITS + stride_bits), i >> GROUP_BITS
        if group < groups << stride_bits:
            group = (group & part) * groups + (group >> stride_bits)
        return (group << GROUP_BITS) | (i & row)

    return strided


def link_permuted(on: Any, link_one: Any, load_edge: Any, strided: Any) -> Any:
    """Link the endpoints of each edge in strided order; edges inside a block are already joined."""

    @on.elementwise
    def link_permuted(i, src, dst, low, n, parent, aux, hook_edge, present, out_of_range):
        e = strided(np.uint64(i), np.uint64(dst.size))
        u, v = load_edge(e, src, dst, low, n)
        link_one(u, v, e, n, parent, aux, hook_edge, present, out_of_range)

    return link_permuted
