"""Propagation blocking: order edges by blocks of vertices, so that their parents stay in a cache.

Reads of parents outside the cache load whole sectors, at a fraction of the bandwidth of sequential
reads. So the edges are first copied in tiles, and each tile is ordered by the block of the larger
endpoint. Then all tiles are linked block by block. A link changes the parent of the larger
endpoint, so the words that it reads and hooks are in the cache. The order of links does not affect
the components.

k      : the number of a thread block, and of the tile that it orders.
larger, smaller : (tiles * TILE,) uint32, the endpoints of the edges of each tile.
starts : (tiles * (blocks + 1),) uint32. In tile t, the edges of block b begin at position
         ``starts[t * (blocks + 1) + b]`` of the tile and end at the next element.
shared : uint32, for one tile: the larger and the smaller endpoints of its edges, the number of
         edges in each block, and the number in each group of blocks.

Beamer, Asanovic and Patterson, "Reducing PageRank communication via propagation blocking", IPDPS
2017.
"""

from typing import Any

import numpy as np

WORD = np.uint32
TILE = 1 << 12  # edges that a block of threads sorts in shared memory
MOST_BLOCKS = 256
GROUP_BITS = 4  # a group has 2^4 blocks, the square root of MOST_BLOCKS
SHARED_WORDS = 2 * TILE + MOST_BLOCKS + (MOST_BLOCKS >> GROUP_BITS)
EDGES, IN_BLOCK = np.uint64(TILE), np.uint64(2 * TILE)
BLOCKS, GROUPS = np.uint64(MOST_BLOCKS), np.uint64(MOST_BLOCKS >> GROUP_BITS)
SHIFT, ZERO, ONE = np.uint64(GROUP_BITS), np.uint64(0), np.uint64(1)


IDS = range(16_000_000, 1 << 32)  # numbers of vertices for which "auto" partitions lists
LEAST_SHIFT = 18  # a block has at least 2^18 vertices, whose parents are 1 MiB


def blocks_of(n: int, least_shift: int | None = None) -> tuple[int, int]:
    """Return the number of blocks of n vertices, and the ``shift`` from a vertex to its block.

    A block has at least ``2 ** least_shift`` vertices; the default is ``LEAST_SHIFT``.
    """
    least = LEAST_SHIFT if least_shift is None else least_shift
    shift = max(least, (max(n - 1, 0) // MOST_BLOCKS).bit_length())
    return (max(n - 1, 0) >> shift) + 1, shift


def tiles_of(linked: int, m: int, blocks: int) -> int:
    """Return how many tiles are ordered at a time, to link ``linked`` of m edges.

    The buffers take at most 4 m bytes, half of an edge list of 32-bit ids, or hold one tile.
    """
    tile_bytes = 8 * TILE + 4 * (blocks + 1)
    return max(1, min(4 * m // tile_bytes, -(-linked // TILE)))


def before(on: Any, counts: np.uint64 = IN_BLOCK) -> Any:
    """Return the number of a tile's edges in the blocks before block b.

    The words starting at ``counts`` hold the number in each block, followed by the number in each
    group of blocks. The sum takes whole groups first, then blocks.
    """
    groups = counts + BLOCKS

    @on.device
    def before(shared, b):
        group, total, earlier = b >> SHIFT, ZERO, ZERO
        while earlier < group:
            total += np.uint64(shared[groups + earlier])
            earlier += ONE
        block = group << SHIFT
        while block < b:
            total += np.uint64(shared[counts + block])
            block += ONE
        return WORD(total)

    return before


def clear_counts(on: Any, counts: np.uint64 = IN_BLOCK) -> Any:
    """Set the number of edges of each block to zero; executed by a whole thread block."""

    @on.device
    def clear_counts(shared, t, step):
        b = t
        while b < BLOCKS:
            shared[counts + b] = WORD(0)
            b += step

    return clear_counts


def count_groups(on: Any, counts: np.uint64 = IN_BLOCK) -> Any:
    """Sum the counts of each group for :func:`before`; executed by a whole thread block."""
    groups = counts + BLOCKS

    @on.device
    def count_groups(shared, t, step):
        group = t
        while group < GROUPS:
            total, block = ZERO, group << SHIFT
            while block < (group + ONE) << SHIFT:
                total += np.uint64(shared[counts + block])
                block += ONE
            shared[groups + group] = WORD(total)
            group += step

    return count_groups


def partition_tile(on: Any, read: Any, edge_index: Any) -> Any:
    """Copy ``m`` edges, starting at ``first``, and order each tile by block.

    A block has ``2 ** shift`` vertices. The caller's memory is read once. ``read`` flags invalid
    edges and self-loops; an invalid edge is stored as a loop of vertex 0. Barriers separate the
    steps: copy and count, sum, order, copy back. After the sum, the number of edges of a block in
    shared memory is replaced by the next free position of the block. The third step needs no fence
    for the copied edges, because each thread rereads only the edges that it stored.
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
        while i < count:  # copy the edges, and count the edges of each block
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
        while b < blocks:  # the next position in each block
            shared[IN_BLOCK + b] = starts[row + b]
            b += step
        block_sync()
        i = t
        while i < count:  # order the edges in shared memory
            high = larger[base + i]
            place = np.uint64(add(shared, IN_BLOCK + (np.uint64(high) >> shift), WORD(1)))
            shared[place], shared[EDGES + place] = high, smaller[base + i]
            i += step
        block_sync()
        i = t
        while i < count:  # copy them back
            larger[base + i], smaller[base + i] = shared[i], shared[EDGES + i]
            i += step

    return partition_tile


def link_blocks(on: Any, vertex: type, join: Any, begin: Any) -> Any:
    """Link the edges of all tiles, block by block; a warp links one block's edges in one tile.

    ``begin(v, p)`` returns v or its parent p: the vertex from which ``join`` climbs.
    """
    warp, load = np.uint64(on.warp_size), on.load_streaming

    @on.elementwise
    def link_blocks(i, tiles, blocks, larger, smaller, starts, parent, aux, hook_edge):
        number, tiles = i // warp, np.uint64(tiles)  # the number of the warp
        tile, b = number % tiles, number // tiles
        entry, base = tile * (np.uint64(blocks) + ONE) + b, tile * EDGES
        e = base + np.uint64(starts[entry]) + i % warp
        last = base + np.uint64(starts[entry + ONE])
        while e < last:
            u, v = vertex(load(larger, e)), vertex(load(smaller, e))
            p, q = parent[u], parent[v]
            if p != q:
                join(parent, aux, hook_edge, begin(u, p), begin(v, q), e)
            e += warp

    return link_blocks


def link_blocks_outside(on: Any, vertex: type, link_outside: Any) -> Any:
    """Link the edges of a block and all later blocks, except those inside the giant component.

    This continues :func:`link_blocks` once the giant component among the vertices of earlier blocks
    is known; see sampling.py for ``root_word`` and ``in_giant``. A warp links one block's edges in
    one tile. It reads at random only the smaller endpoints' bits, 1/32 of the memory of parents.
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
        number, tiles = i // warp, np.uint64(tiles)  # the number of the warp
        tile, b = number % tiles, np.uint64(block) + number // tiles
        entry, base = tile * (np.uint64(blocks) + ONE) + b, tile * EDGES
        e = base + np.uint64(starts[entry]) + i % warp
        last = base + np.uint64(starts[entry + ONE])
        while e < last:
            u, v = vertex(load(larger, e)), vertex(load(smaller, e))
            if u != v:
                link_outside(u, v, e, parent, aux, hook_edge, present, root_word, in_giant)
            e += warp

    return link_blocks_outside
