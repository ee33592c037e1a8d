"""Propagation blocking: edges in the order of blocks of vertices, so that parents are in a cache.

Parents beyond a cache are read one sector at a time, at a fraction of the rate at which memory
streams. So edges are copied first, a tile of them at a time, each in the order of the blocks that
their larger ends are in; then they are linked block after block, out of all tiles. The larger end
is the one whose parent changes: what is read and hooked in a block is in the cache meanwhile.
Edges may be linked in any order, so that this one changes nothing else.

larger, smaller : (tiles * TILE,) uint32, the ends of the edges of each tile.
starts : (tiles * (blocks + 1),) uint32. The edges of block b in tile t are those from
         ``starts[t * (blocks + 1) + b]`` to the next of these in the tile.
shared : uint32; the edges of a tile, their number in each block, and in each group of blocks.

Beamer, Asanovic and Patterson, "Reducing PageRank communication via propagation blocking",
IPDPS 2017.
"""

from typing import Any

import numpy as np

WORD = np.uint32
TILE = 1 << 12  # edges that the threads of a block put in order in shared memory
MOST_BLOCKS = 256
GROUP_BITS = 4  # blocks whose edges are counted together: the square root of their number
SHARED_WORDS = 2 * TILE + MOST_BLOCKS + (MOST_BLOCKS >> GROUP_BITS)
EDGES, IN_BLOCK = np.uint64(TILE), np.uint64(2 * TILE)
BLOCKS, GROUPS = np.uint64(MOST_BLOCKS), np.uint64(MOST_BLOCKS >> GROUP_BITS)
SHIFT, NONE, ONE = np.uint64(GROUP_BITS), np.uint64(0), np.uint64(1)


IDS = range(16_000_000, 1 << 32)  # numbers of vertices for which "auto" partitions lists
LEAST_SHIFT = 18  # of vertices of a block, whose parents are a MiB


def blocks_of(n: int, least_shift: int | None = None) -> tuple[int, int]:
    """Return the number of blocks of n vertices, and the shift from a vertex to its block.

    A block has at least ``2 ** least_shift`` vertices, by default as many as ``LEAST_SHIFT`` says.
    """
    least = LEAST_SHIFT if least_shift is None else least_shift
    shift = max(least, (max(n - 1, 0) // MOST_BLOCKS).bit_length())
    return (max(n - 1, 0) >> shift) + 1, shift


def tiles_of(linked: int, m: int, blocks: int) -> int:
    """Return the number of tiles that are partitioned together, of as many edges as are linked.

    They, and where their blocks begin, take at most half of the bytes of a list of m edges.
    """
    most = 4 * m // (8 * TILE + 4 * (blocks + 1))
    return max(1, min(most, -(-linked // TILE)))


def before(on: Any, counts: np.uint64 = IN_BLOCK) -> Any:
    """Return the number of a tile's edges in the blocks before one, in two sums of few words.

    The number in each block is in the words from ``counts`` on, and after them those in each group.
    """
    groups = counts + BLOCKS

    @on.device
    def before(shared, b):
        group, total, other = b >> SHIFT, NONE, NONE
        while other < group:
            total += np.uint64(shared[groups + other])
            other += ONE
        other = group << SHIFT
        while other < b:
            total += np.uint64(shared[counts + other])
            other += ONE
        return WORD(total)

    return before


def clear_counts(on: Any, counts: np.uint64 = IN_BLOCK) -> Any:
    """Set the number of edges in each block to zero, by all threads of a block of them."""

    @on.device
    def clear_counts(shared, t, step):
        b = t
        while b < BLOCKS:
            shared[counts + b] = WORD(0)
            b += step

    return clear_counts


def count_groups(on: Any, counts: np.uint64 = IN_BLOCK) -> Any:
    """Write the number of edges in each group of blocks, by all threads of a block of them."""
    groups = counts + BLOCKS

    @on.device
    def count_groups(shared, t, step):
        b = t
        while b < GROUPS:
            total, other = NONE, b << SHIFT
            while other < (b + ONE) << SHIFT:
                total += np.uint64(shared[counts + other])
                other += ONE
            shared[groups + b] = WORD(total)
            b += step

    return count_groups


def partition_tile(on: Any, read: Any, edge_index: Any) -> Any:
    """Copy ``m`` edges from the ``first`` on, each tile in the order of its blocks.

    A block has ``2 ** shift`` vertices. The caller's memory is read once. What joins nothing is
    noted by ``read``, and stands as a loop; with an end out of range, as one of vertex 0. Between
    two steps the threads of a block wait for each other: edges are copied and counted, summed, put
    in order, and copied back. Of what they copy in the first step they read their own part.
    """
    add, block_sync, start_of = on.atomic_add, on.block_sync, before(on)
    clear, sum_groups = clear_counts(on), count_groups(on)

    @on.block_kernel(SHARED_WORDS)
    def partition_tile(
        k,
        t,
        step,
        shared,
        first,
        m,
        blocks,
        shift,
        src,
        dst,
        low,
        n,
        present,
        out_of_range,
        larger,
        smaller,
        starts,
    ):
        base, blocks, shift = k * EDGES, np.uint64(blocks), np.uint64(shift)
        count, row = min(EDGES, np.uint64(m) - base), k * (blocks + ONE)
        clear(shared, t, step)
        block_sync()
        i = t
        while i < count:
            e = edge_index(np.uint64(first) + base + i)
            u, v = read(e, src, dst, low, n, present, out_of_range)
            high = max(u, v)
            larger[base + i], smaller[base + i] = high, min(u, v)
            add(shared, IN_BLOCK + (np.uint64(high) >> shift), WORD(1))
            i += step
        block_sync()
        sum_groups(shared, t, step)
        block_sync()
        b = t
        while b <= blocks:
            starts[row + b] = start_of(shared, b)
            b += step
        block_sync()
        b = t
        while b < blocks:
            shared[IN_BLOCK + b] = starts[row + b]
            b += step
        block_sync()
        i = t
        while i < count:
            high = larger[base + i]
            place = np.uint64(add(shared, IN_BLOCK + (np.uint64(high) >> shift), WORD(1)))
            shared[place], shared[EDGES + place] = high, smaller[base + i]
            i += step
        block_sync()
        i = t
        while i < count:
            larger[base + i], smaller[base + i] = shared[i], shared[EDGES + i]
            i += step

    return partition_tile


def link_blocks(on: Any, vertex: type, join: Any, begin: Any) -> Any:
    """Link the edges of all tiles, block after block.

    The threads of a warp take those of one block in one tile, with climbs that start at ``begin``.
    """
    warp, load = np.uint64(on.warp_size), on.load_streaming

    @on.elementwise
    def link_blocks(i, tiles, blocks, larger, smaller, starts, parent, aux, hook_edge):
        part, tiles = i // warp, np.uint64(tiles)
        tile = part % tiles
        start, base = tile * (np.uint64(blocks) + ONE) + part // tiles, tile * EDGES
        e = base + np.uint64(starts[start]) + i % warp
        last = base + np.uint64(starts[start + ONE])
        while e < last:
            u, v = vertex(load(larger, e)), vertex(load(smaller, e))
            p, q = parent[u], parent[v]
            if p != q:
                join(parent, aux, hook_edge, begin(u, p), begin(v, q), e)
            e += warp

    return link_blocks


def link_blocks_outside(on: Any, vertex: type, link_outside: Any) -> Any:
    """Link the edges of all tiles from one block on, unless both ends are in the giant.

    As :func:`link_blocks`, where the giant is known among the vertices of earlier blocks. The bits
    of smaller ends are what is read anywhere: a 32nd of their parents.
    """
    warp, load = np.uint64(on.warp_size), on.load_streaming

    @on.elementwise
    def link_blocks_outside(
        i,
        block,
        tiles,
        blocks,
        larger,
        smaller,
        starts,
        parent,
        aux,
        hook_edge,
        present,
        root_word,
        in_giant,
    ):
        part, tiles = i // warp, np.uint64(tiles)
        tile, b = part % tiles, np.uint64(block) + part // tiles
        start, base = tile * (np.uint64(blocks) + ONE) + b, tile * EDGES
        e = base + np.uint64(starts[start]) + i % warp
        last = base + np.uint64(starts[start + ONE])
        while e < last:
            u, v = vertex(load(larger, e)), vertex(load(smaller, e))
            if u != v:
                link_outside(u, v, e, parent, aux, hook_edge, present, root_word, in_giant)
            e += warp

    return link_blocks_outside
