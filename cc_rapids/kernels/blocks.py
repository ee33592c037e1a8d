"""Vertex blocks: link the edges inside each block of ids in shared memory first.

To find a root, a thread reads one parent after another, and shared memory has a tenth of the
latency of global memory. Edge lists of roads and meshes are sorted by source and have nearby
endpoints, so most edges lie inside a block. A second pass reads all edges, in strided order, and
links them in global memory, so the first pass may skip edges of a list that is not sorted.

shared : (window,) uint32, the parents of a block's vertices, relative to the block; shared[v] <= v.
block_offsets : (blocks + 1,) uint64, the first edge of each block; a block ends where the next
         block begins.
parent, hook_edge, low, n : see :mod:`.forest`. Only the block of a vertex writes its elements.
t, step : a thread of a block processes the items t, t + step, t + 2 * step and so on.

Functions for edge lists and for adjacency lists have the same parameters; each ignores some.

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
    """Return the index of the first of m edges whose source is at least v, by bisection.

    Even in an unsorted list the result never decreases as v grows: the searches for two vertices
    compare with the same sources, until the search for the greater vertex turns to later edges.
    """
    vertex_at = distance(on, wide)

    @on.device
    def first(v, m, n, src, low):
        begin, end = ZERO, np.uint64(m)
        while begin < end:
            middle = (begin + end) >> ONE
            if np.uint64(vertex_at(src, middle, low)) < v:
                begin = middle + ONE
            else:
                end = middle
        return begin

    return first


def first_of_rows(on: Any) -> Any:
    """Return the index of the first entry of row v; the number of entries if there is no row v."""

    @on.device
    def first(v, m, n, offsets, low):
        return np.uint64(offsets[min(v, np.uint64(n))])

    return first


def find_block_offsets(on: Any, window: int, first_edge: Any) -> Any:
    """Write the first edge of each block of ``window`` vertices, which ``first_edge`` returns."""
    block_size = np.uint64(window)

    @on.elementwise
    def find_block_offsets(k, m, n, src, low, block_offsets):
        block_offsets[k] = first_edge(k * block_size, m, n, src, low)

    return find_block_offsets


def link_in_block(on: Any, link: Any, record_hook: Any) -> Any:
    """Link an edge if both endpoints are in the block at ``base``; return whether they are."""
    none = none_of(LOCAL)

    @on.device
    def link_in_block(u, v, e, base, size, shared, hook_edge):
        # for vertices before the block, the unsigned differences wrap around to great numbers
        x, y = np.uint64(u) - base, np.uint64(v) - base
        if max(x, y) >= size:
            return False
        if shared[x] != shared[y]:
            # this union rule has no auxiliary array and ignores the second argument
            hooked = link(shared, shared, LOCAL(x), LOCAL(y))
            if hooked != none:
                record_hook(hook_edge, base + np.uint64(hooked), e)
        return True

    return link_in_block


def share_of_list(on: Any, load_edge: Any, link_in_block: Any) -> Any:
    """Link one thread's share of a block's edges, until too many edges leave the block."""
    credit = np.uint64(CREDIT)

    @on.device
    def share(t, step, base, size, first, last, shared, src, dst, low, n, symmetric, hook_edge):
        e, hits, misses = first + t, ZERO, ZERO
        while e < last and misses < hits + credit:
            u, v = load_edge(e, src, dst, low, n)
            if link_in_block(u, v, e, base, size, shared, hook_edge):
                hits += ONE
            else:
                misses += ONE
            e += step

    return share


def share_of_rows(on: Any, link_in_block: Any) -> Any:
    """Link one thread's share of a block's rows, except rows of more than MAX_ROW entries.

    If ``symmetric``, every edge occurs in the rows of both endpoints, and the edge is linked from
    the row of the larger endpoint.
    """
    entries = entries_of(on)

    @on.device
    def share(
        t, step, base, size, first, last, shared, offsets, indices, low, n, symmetric, hook_edge
    ):
        v = base + t
        while v < base + size:
            e, end = entries(offsets, indices, v)
            while e < end and end - e <= MAX_ROW:  # never true for a long row
                w = np.uint64(indices[e])
                if w < v or not symmetric:
                    link_in_block(v, w, e, base, size, shared, hook_edge)
                e += ONE
            v += step

    return share


def flatten_block(on: Any, vertex: type, find: Any) -> Any:
    """Write the roots of one thread's vertices as their parents.

    A root is the least vertex of its tree in the block. ``find`` may shorten paths while other
    threads climb them, because no edge is linked in this phase.
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
    block reads. Of an edge list, a block reads at most ``most`` edges.
    """
    block_sync, block_size = on.block_sync, np.uint64(window)

    @on.block_kernel(window)
    def solve_block(
        k, t, step, shared, src, dst, low, n, most, symmetric, parent, hook_edge, block_offsets
    ):
        base, first = k * block_size, block_offsets[k]
        size, v = min(block_size, np.uint64(n) - base), t
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
    """Return the row of the i-th of m edges in strided order.

    The list is divided into ``2 ** stride_bits`` parts, and each part into groups of 32 rows. The
    order takes the first group of each part, then the second group of each part, and so on. The
    rows that remain, fewer than a group per part, come last.

    Consecutive edges are often close in the graph. Threads that link such edges at the same time
    would climb the same paths, contend for the same roots, and grow trees at one end only.
    """
    row_mask, part_mask = (ONE << GROUP_BITS) - ONE, (ONE << stride_bits) - ONE

    @on.device
    def strided(i, m):
        groups_per_part, group = m >> (GROUP_BITS + stride_bits), i >> GROUP_BITS
        if group < groups_per_part << stride_bits:
            part, place_in_part = group & part_mask, group >> stride_bits
            group = part * groups_per_part + place_in_part
        return (group << GROUP_BITS) | (i & row_mask)

    return strided


def link_permuted(on: Any, link_one: Any, load_edge: Any, strided: Any) -> Any:
    """Link the endpoints of each edge, in strided order."""

    @on.elementwise
    def link_permuted(i, src, dst, low, n, parent, aux, hook_edge, present, out_of_range):
        e = strided(np.uint64(i), np.uint64(dst.size))
        u, v = load_edge(e, src, dst, low, n)
        link_one(u, v, e, n, parent, aux, hook_edge, present, out_of_range)

    return link_permuted
