"""Slots of evenly spread ids, found block by block of a table that no cache holds.

As edges are linked block by block of their vertices (see partition.py), their ends are looked for
block by block of the table of id_place.py, so that what is read and inserted is in the cache. The
edges end up in the order of the blocks of their larger ends, as partition.py would put them, and
are linked in that order: no edge is left out, and none is added.

1. :func:`partition_ends` copies a tile of edges at a time, each tile in the order of the blocks
   where the searches for the larger ends begin. A tile's edges of one block are a segment. Segments
   in the order of blocks, and of tiles within a block, follow each other without holes, and are cut
   into chunks of as many edges as a tile has: all are full but the last, however ids are spread.
2. :func:`place_larger` finds the slots of the larger ends of a chunk, and puts its edges in the
   order of the blocks where the searches for the smaller ends begin.
3. :func:`place_smaller` finds the slots of the smaller ends, block by block out of all chunks.

Searches may go on into the next block, which is neither wrong nor frequent. Of two ids the larger
one is that whose word is, so that its slot is no less but for clusters.

low, span, down, share : where searches begin, as in id_place.py; ``down`` is called shift there.
shift : from a slot to its block.
larger, smaller : (tiles * TILE,) uint64, the ids of each tile as words.
begins : (blocks * tiles,) uint32, where segment ``b * tiles + t`` begins in these two.
before : (blocks * tiles + 1,) uint32, the edges before each segment, once running sums are taken.
firsts : (chunks,) uint32, the segment of the first edge of each chunk.
upper  : (chunks * TILE,) uint32, the upper halves of the smaller ids of each chunk.
starts : (chunks * (blocks + 1),) uint32, where the blocks of a chunk begin in it, as in
         partition.py.
larger_slots, smaller_slots : (m,) uint32, the result. Until its slot is found, the place of a
         smaller end has the lower half of its id.
shared : uint32; keys as two words, of which those of the upper halves follow those of the lower,
         places, and the number of a tile's edges in each block and in each group of blocks.
"""

from typing import Any

import numpy as np

from .id_hash import HALF, LOW
from .id_place import begin, key_of, slot_of
from .partition import GROUP_BITS, MOST_BLOCKS, before, blocks_of, clear_counts, count_groups

WORD = np.uint32
TILE = 3200  # edges of a tile and of a chunk: five for each thread of a GPU's block
LEAST_SHIFT = 21  # of slots of a block of the table, which are 16 MiB
COUNTS = MOST_BLOCKS + (MOST_BLOCKS >> GROUP_BITS)
ENDS_WORDS, LARGER_WORDS = 5 * TILE + COUNTS, 4 * TILE + COUNTS
TILE_BYTES = 20 * TILE  # of the copies of a tile's edges
SEGMENT_BYTES = 13  # of where a segment is, and a chunk's edges of one block
EDGES, NONE, ONE = np.uint64(TILE), np.uint64(0), np.uint64(1)
SMALLER, PLACES = np.uint64(2 * TILE), np.uint64(4 * TILE)  # in the words of partition_ends
SLOTS, CHUNK_PLACES = np.uint64(2 * TILE), np.uint64(3 * TILE)  # in those of place_larger
LANES = np.uint64(8)  # threads that note where a segment is


def table_blocks_of(slots: int) -> tuple[int, int]:
    """Return the number of blocks of so many slots to begin at, and the shift from one to its."""
    return blocks_of(slots, LEAST_SHIFT)


def lanes_of(blocks: int, warp_size: int) -> int:
    """Return the number of threads that find the slots of a chunk's smaller ends of one block.

    A power of two; a warp, or less of it where most of a warp's threads would find nothing to do.
    """
    lanes = warp_size
    while lanes > LANES and 2 * lanes * blocks > TILE:
        lanes //= 2
    return lanes


def tiles_of(m: int, room: int, blocks: int) -> int:
    """Return the number of tiles that are partitioned together, of a list of m edges.

    They, and where their blocks begin, take at most ``room`` bytes.
    """
    each = TILE_BYTES + SEGMENT_BYTES * blocks + 16
    most = max(1, min(room // each, ((1 << 32) - 1) // TILE))
    tiles = max(1, -(-m // TILE))
    return -(-tiles // -(-tiles // most))


def store_key(on: Any) -> Any:
    """Store a key as two of the words from one on."""

    @on.device
    def store_key(shared, at, i, key):
        shared[at + i], shared[at + EDGES + i] = WORD(key & LOW), WORD(key >> HALF)

    return store_key


def load_key(on: Any) -> Any:
    """Return a key that is stored as two of the words from one on."""

    @on.device
    def load_key(shared, at, i):
        return np.uint64(shared[at + EDGES + i]) << HALF | np.uint64(shared[at + i])

    return load_key


def partition_ends(on: Any, sign: int) -> Any:
    """Copy ``m`` edges from the ``first`` on, each tile in the order of its blocks.

    The caller's memory is read once. Between two steps the threads of a block wait for each other:
    edges are read and counted, the counts summed, the edges given places, and copied to these.
    Which of a block's edges gets which of its places depends on who comes first, and on nothing
    else. All loops end at a number of edges or blocks.
    """
    bias, home, read_key = np.uint64(sign), begin(on), key_of(on)
    add, block_sync, counts = on.atomic_add, on.block_sync, np.uint64(5 * TILE)
    start_of, clear, sum_groups = (
        before(on, counts),
        clear_counts(on, counts),
        count_groups(on, counts),
    )
    store, load = store_key(on), load_key(on)

    @on.block_kernel(ENDS_WORDS)
    def partition_ends(
        k,
        t,
        step,
        shared,
        first,
        m,
        tiles,
        blocks,
        shift,
        src,
        dst,
        low,
        span,
        down,
        share,
        larger,
        smaller,
        begins,
        before,
    ):
        base, blocks, tiles = k * EDGES, np.uint64(blocks), np.uint64(tiles)
        low, span, down, share = (
            np.uint64(low),
            np.uint64(span),
            np.uint64(down),
            np.uint64(share),
        )
        shift, count = np.uint64(shift), min(EDGES, np.uint64(m) - base)
        clear(shared, t, step)
        block_sync()
        i = t
        while i < count:
            e = np.uint64(first) + base + i
            u, v = read_key(src, e, bias), read_key(dst, e, bias)
            key = max(u, v)
            store(shared, NONE, i, key)
            store(shared, SMALLER, i, min(u, v))
            add(shared, counts + (home(key, low, span, down, share) >> shift), WORD(1))
            i += step
        block_sync()
        sum_groups(shared, t, step)
        block_sync()
        b = t
        while b < blocks:
            segment = b * tiles + k
            begins[segment] = base + np.uint64(start_of(shared, b))
            before[segment + ONE] = shared[counts + b]
            b += step
        if k == NONE and t == NONE:
            before[NONE] = WORD(0)
        block_sync()
        b = t
        while b < blocks:
            shared[counts + b] = WORD(np.uint64(begins[b * tiles + k]) - base)
            b += step
        block_sync()
        i = t
        while i < count:
            key = load(shared, NONE, i)
            b = home(key, low, span, down, share) >> shift
            shared[PLACES + np.uint64(add(shared, counts + b, WORD(1)))] = WORD(i)
            i += step
        block_sync()
        i = t
        while i < count:
            at = np.uint64(shared[PLACES + i])
            larger[base + i] = load(shared, NONE, at)
            smaller[base + i] = load(shared, SMALLER, at)
            i += step

    return partition_ends


def begin_chunks(on: Any) -> Any:
    """Write for each chunk the segment of its first edge; a segment is no longer than a chunk."""

    @on.elementwise
    def begin_chunks(j, before, firsts):
        k = (np.uint64(before[j]) + EDGES - ONE) // EDGES
        if k * EDGES < np.uint64(before[j + ONE]):
            firsts[k] = WORD(j)

    return begin_chunks


def place_larger(on: Any) -> Any:
    """Find the slots of a chunk's larger ends; put its edges in the order of their smaller ones.

    Chunks are in the order of the blocks of larger ends, so that those that are looked at together
    need one or two blocks of the table. Slots are found as by :func:`slot_of`; once an id has found
    none, the search stops and the output is discarded. Between two steps the threads of
    a block wait for each other: it is noted where the chunk's edges are, by some threads for each
    segment; slots are found and smaller ends counted, the counts summed, the edges given places,
    and copied to these. Segments end with the chunk's last edge, and so does the loop over them.
    """
    home, slot, load = begin(on), slot_of(on), on.load_streaming
    add, block_sync, counts = on.atomic_add, on.block_sync, np.uint64(4 * TILE)
    start_of, clear, sum_groups = (
        before(on, counts),
        clear_counts(on, counts),
        count_groups(on, counts),
    )
    store, load_smaller = store_key(on), load_key(on)

    @on.block_kernel(LARGER_WORDS)
    def place_larger(
        k,
        t,
        step,
        shared,
        first,
        m,
        segments,
        blocks,
        shift,
        low,
        span,
        down,
        share,
        larger,
        smaller,
        begins,
        before,
        firsts,
        keys,
        full,
        upper,
        starts,
        larger_slots,
        smaller_slots,
    ):
        base, blocks, row = k * EDGES, np.uint64(blocks), k * (np.uint64(blocks) + ONE)
        low, span, down, share = (
            np.uint64(low),
            np.uint64(span),
            np.uint64(down),
            np.uint64(share),
        )
        last, shift, lanes = min(base + EDGES, np.uint64(m)), np.uint64(shift), min(LANES, step)
        clear(shared, t, step)
        j = np.uint64(firsts[k]) + t // lanes
        while j < np.uint64(segments) and np.uint64(before[j]) < last:
            earlier = np.uint64(before[j])
            e, end = max(earlier, base) + t % lanes, min(np.uint64(before[j + ONE]), last)
            while e < end:
                shared[CHUNK_PLACES + e - base] = WORD(np.uint64(begins[j]) + e - earlier)
                e += lanes
            j += step // lanes
        block_sync()
        i = t
        while i < last - base:
            at, s = np.uint64(shared[CHUNK_PLACES + i]), NONE
            key, other = np.uint64(load(larger, at)), np.uint64(load(smaller, at))
            if full[0] == 0:
                s = slot(keys, full, key, low, span, down, share)
            shared[SLOTS + i] = WORD(s)
            store(shared, NONE, i, other)
            add(shared, counts + (home(other, low, span, down, share) >> shift), WORD(1))
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
            shared[counts + b] = starts[row + b]
            b += step
        block_sync()
        i = t
        while i < last - base:
            b = home(load_smaller(shared, NONE, i), low, span, down, share) >> shift
            shared[CHUNK_PLACES + np.uint64(add(shared, counts + b, WORD(1)))] = WORD(i)
            i += step
        block_sync()
        i = t
        while i < last - base:
            at, e = np.uint64(shared[CHUNK_PLACES + i]), np.uint64(first) + base + i
            larger_slots[e], smaller_slots[e] = shared[SLOTS + at], shared[at]
            upper[base + i] = shared[EDGES + at]
            i += step

    return place_larger


def place_smaller(on: Any) -> Any:
    """Find the slots of the smaller ends of all chunks, block after block.

    Those of one block in one chunk are taken by ``2 ** width`` threads. Each thread reads an id
    where it writes its slot, and no other thread does. Slots are found as by :func:`slot_of`, until
    an id has found none.
    """
    slot, load = slot_of(on), on.load_streaming

    @on.elementwise
    def place_smaller(
        i,
        width,
        first,
        chunks,
        blocks,
        low,
        span,
        down,
        share,
        keys,
        full,
        upper,
        starts,
        smaller_slots,
    ):
        low, span, down, share = (
            np.uint64(low),
            np.uint64(span),
            np.uint64(down),
            np.uint64(share),
        )
        part, lanes = WORD(i >> np.uint64(width)), ONE << np.uint64(width)
        chunk, b = np.uint64(part % WORD(chunks)), np.uint64(part // WORD(chunks))
        start, base = chunk * (np.uint64(blocks) + ONE) + b, chunk * EDGES
        e = base + np.uint64(starts[start]) + (i & (lanes - ONE))
        last = base + np.uint64(starts[start + ONE])
        while e < last and full[0] == 0:
            at = np.uint64(first) + e
            key = np.uint64(load(upper, e)) << HALF | np.uint64(load(smaller_slots, at))
            smaller_slots[at] = WORD(slot(keys, full, key, low, span, down, share))
            e += lanes

    return place_smaller
