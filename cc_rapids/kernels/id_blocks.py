"""Find the slots of evenly spread ids block by block, for hash tables larger than the cache.

partition.py links edges block by block of their vertices. Here the slots of the endpoints are
looked up block by block of the table of id_place.py, so that probed slots are in the cache. The
edges end up in the block order of their larger endpoints, as partition.py would put them, and are
linked in that order.

1. :func:`partition_ends` copies the edges in tiles and orders each tile by the block of the home
   slot of the larger endpoint. The edges of one block in a tile are a segment. The segments,
   ordered by block and then by tile, are one sequence of edges, which is cut into chunks of TILE
   edges. Only the last chunk may be shorter.
2. :func:`place_larger` finds the slots of the larger endpoints of a chunk, and orders its edges by
   the block of the home slot of the smaller endpoint.
3. :func:`place_smaller` finds the slots of the smaller endpoints, block by block over all chunks.

A probe sequence may cross into the next block; this is correct and rare. The larger endpoint is the
one with the larger id. It also has the larger slot, except inside a cluster (see id_place.py).

k      : the number of the tile or chunk that a block of threads processes.
sign, low, span, down, share : as in id_place.py; ``down`` is ``shift`` there.
shift : the number of bits by which a slot is shifted to get the number of its block.
larger, smaller : (tiles * TILE,) uint64, the ids of the edges of each tile as words.
begins : (blocks * tiles,) uint32, the start of segment ``b * tiles + t`` in these two arrays.
before : (blocks * tiles + 1,) uint32, the segment sizes; after a prefix sum, the number of edges
         before each segment.
firsts : (chunks,) uint32, the segment of the first edge of each chunk.
upper  : (chunks * TILE,) uint32, the upper halves of the smaller ids of each chunk.
starts : (chunks * (blocks + 1),) uint32, the start of each block inside a chunk, as in
         partition.py.
larger_slots, smaller_slots : (m,) uint32, the result. An element of ``smaller_slots`` holds the
          lower half of the id until the slot is found.
shared : uint32. The lower halves of the keys, their upper halves, the positions of edges, and the
         number of a tile's edges in each block and in each group of blocks.
"""

from typing import Any

import numpy as np

from .id_hash import HALF, LOW
from .id_place import home_slot, key_of, slot_of
from .partition import GROUP_BITS, MOST_BLOCKS, blocks_of, clear_counts, count_groups
from .partition import before as edges_before

WORD = np.uint32
# Minimum number of ids for which slots are found block by block, if edges may be reordered.
# The table then has 100 MiB, more than any cache. See docs/design/decisions/ids.md.
LEAST_IDS = 8_000_000
TILE = 3200  # edges of a tile and of a chunk: five for each thread of a GPU's block
LEAST_SHIFT = 21  # a block of the table has at least 2^21 slots, which are 16 MiB
COUNTS = MOST_BLOCKS + (MOST_BLOCKS >> GROUP_BITS)
ENDS_WORDS, LARGER_WORDS = 5 * TILE + COUNTS, 4 * TILE + COUNTS
TILE_BYTES = 20 * TILE  # bytes of the copies of a tile's edges
# upper bounds on the bytes of a segment in begins, before and starts, and of a chunk in firsts
SEGMENT_BYTES, CHUNK_BYTES = 13, 16
EDGES, ZERO, ONE = np.uint64(TILE), np.uint64(0), np.uint64(1)
# offsets of arrays in the shared memory of partition_ends, and of place_larger
LARGER, SMALLER, PLACES, TILE_COUNTS = (np.uint64(k * TILE) for k in (0, 2, 4, 5))
CHUNK_SMALLER, SLOTS, CHUNK_PLACES, CHUNK_COUNTS = (np.uint64(k * TILE) for k in (0, 2, 3, 4))
LANES = np.uint64(8)  # threads that expand one segment; min. threads of place_smaller per block


def table_blocks_of(slots: int) -> tuple[int, int]:
    """Return the number of blocks of a hash table, and the ``shift`` from a slot to its block."""
    return blocks_of(slots, LEAST_SHIFT)


def lanes_of(blocks: int, warp_size: int) -> int:
    """Return the number of threads that look up a chunk's smaller endpoints in one block.

    It is a power of two: a warp of ``warp_size`` threads, or fewer, down to LANES, if a thread
    would get fewer than two edges on average.
    """
    lanes = warp_size
    while lanes > LANES and 2 * lanes * blocks > TILE:
        lanes //= 2
    return lanes


def tiles_of(m: int, max_bytes: int, blocks: int) -> int:
    """Return the number of tiles to partition in one batch, for an edge list of m edges.

    The buffers of a batch take at most ``max_bytes``, except for the buffers of one tile. All
    batches get nearly the same number of tiles.
    """
    tile_bytes = TILE_BYTES + SEGMENT_BYTES * blocks + CHUNK_BYTES
    # positions of the edges of a batch are uint32
    max_tiles = max(1, min(max_bytes // tile_bytes, ((1 << 32) - 1) // TILE))
    tiles = max(1, -(-m // TILE))
    batches = -(-tiles // max_tiles)
    return -(-tiles // batches)


def store_key(on: Any) -> Any:
    """Store both halves of a 64-bit key: the upper half EDGES words after the lower half.

    The lower half is word ``at + i``.
    """

    @on.device
    def store_key(shared, at, i, key):
        shared[at + i], shared[at + EDGES + i] = WORD(key & LOW), WORD(key >> HALF)

    return store_key


def load_key(on: Any) -> Any:
    """Return a 64-bit key that ``store_key`` has stored."""

    @on.device
    def load_key(shared, at, i):
        return np.uint64(shared[at + EDGES + i]) << HALF | np.uint64(shared[at + i])

    return load_key


def partition_ends(on: Any, sign: int) -> Any:
    """Copy ``m`` edges, starting at ``first``, and order each tile by block.

    The caller's memory is read once. Barriers separate the steps: read and count the edges, sum the
    counts, assign positions, copy. In the shared memory, the number of edges of block b becomes the
    next position in this block. The edges of one block may be in any order. All loops are bounded
    by the number of edges or blocks.
    """
    bias, home, read_key = np.uint64(sign), home_slot(on), key_of(on)
    add, block_sync, counts = on.atomic_add, on.block_sync, TILE_COUNTS
    start_of, clear = edges_before(on, counts), clear_counts(on, counts)
    sum_groups = count_groups(on, counts)
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
        low, span = np.uint64(low), np.uint64(span)
        down, share = np.uint64(down), np.uint64(share)
        shift, count = np.uint64(shift), min(EDGES, np.uint64(m) - base)
        clear(shared, t, step)
        block_sync()
        i = t
        while i < count:  # read the edges, and count the edges of each block
            e = np.uint64(first) + base + i
            u, v = read_key(src, e, bias), read_key(dst, e, bias)
            key = max(u, v)
            store(shared, LARGER, i, key)
            store(shared, SMALLER, i, min(u, v))
            add(shared, counts + (home(key, low, span, down, share) >> shift), WORD(1))
            i += step
        block_sync()
        sum_groups(shared, t, step)
        block_sync()
        b = t
        while b < blocks:  # write the start and the size of each segment
            segment = b * tiles + k
            begins[segment] = base + np.uint64(start_of(shared, b))
            before[segment + ONE] = shared[counts + b]
            b += step
        if k == ZERO and t == ZERO:
            before[ZERO] = WORD(0)
        block_sync()
        b = t
        while b < blocks:  # the next position in each block
            shared[counts + b] = WORD(np.uint64(begins[b * tiles + k]) - base)
            b += step
        block_sync()
        i = t
        while i < count:  # assign positions
            key = load(shared, LARGER, i)
            b = home(key, low, span, down, share) >> shift
            shared[PLACES + np.uint64(add(shared, counts + b, WORD(1)))] = WORD(i)
            i += step
        block_sync()
        i = t
        while i < count:  # copy the edges in this order
            at = np.uint64(shared[PLACES + i])
            larger[base + i] = load(shared, LARGER, at)
            smaller[base + i] = load(shared, SMALLER, at)
            i += step

    return partition_ends


def begin_chunks(on: Any) -> Any:
    """Write the segment that contains the first edge of each chunk to ``firsts``.

    A segment is at most as long as a chunk, so it contains the first edge of at most one chunk.
    """

    @on.elementwise
    def begin_chunks(j, before, firsts):
        chunk = (np.uint64(before[j]) + EDGES - ONE) // EDGES  # first to start in or after j
        if chunk * EDGES < np.uint64(before[j + ONE]):
            firsts[chunk] = WORD(j)

    return begin_chunks


def place_larger(on: Any) -> Any:
    """Find the slots of a chunk's larger endpoints; order its edges by their smaller endpoints.

    Chunks are in the block order of the larger endpoints, so chunks processed together touch one or
    two blocks of the table. Slots are found by :func:`slot_of`; after one id has found no slot, the
    search stops and the output is discarded. Barriers separate the steps: locate the chunk's edges,
    find slots and count smaller endpoints, sum the counts, assign places, copy. The loop over
    segments ends at the chunk's last edge.

    ``shared`` holds these arrays, with one element per edge of the chunk: from CHUNK_SMALLER, the
    smaller ids (see :func:`store_key`); from SLOTS, the slots of the larger ids; from CHUNK_PLACES,
    the indices in ``larger``, later replaced by the numbers of the chunk's edges in block order.
    """
    home, slot, load = home_slot(on), slot_of(on), on.load_streaming
    add, block_sync, counts = on.atomic_add, on.block_sync, CHUNK_COUNTS
    start_of, clear = edges_before(on, counts), clear_counts(on, counts)
    sum_groups = count_groups(on, counts)
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
        base, blocks, start = k * EDGES, np.uint64(blocks), k * (np.uint64(blocks) + ONE)
        low, span = np.uint64(low), np.uint64(span)
        down, share = np.uint64(down), np.uint64(share)
        last, shift, lanes = min(base + EDGES, np.uint64(m)), np.uint64(shift), min(LANES, step)
        clear(shared, t, step)
        j = np.uint64(firsts[k]) + t // lanes
        # Locate the edges of the chunk: ``lanes`` threads expand a segment.
        while j < np.uint64(segments) and np.uint64(before[j]) < last:
            earlier = np.uint64(before[j])
            e, end = max(earlier, base) + t % lanes, min(np.uint64(before[j + ONE]), last)
            while e < end:
                shared[CHUNK_PLACES + e - base] = WORD(np.uint64(begins[j]) + e - earlier)
                e += lanes
            j += step // lanes
        block_sync()
        i = t
        while i < last - base:  # find slots, and count the smaller endpoints of each block
            at, s = np.uint64(shared[CHUNK_PLACES + i]), ZERO
            key, other = np.uint64(load(larger, at)), np.uint64(load(smaller, at))
            if full[0] == 0:
                s = slot(keys, full, key, low, span, down, share)
            shared[SLOTS + i] = WORD(s)
            store(shared, CHUNK_SMALLER, i, other)
            add(shared, counts + (home(other, low, span, down, share) >> shift), WORD(1))
            i += step
        block_sync()
        sum_groups(shared, t, step)
        block_sync()
        b = t
        while b <= blocks:
            starts[start + b] = start_of(shared, b)
            b += step
        block_sync()
        b = t
        while b < blocks:  # the next place in each block
            shared[counts + b] = starts[start + b]
            b += step
        block_sync()
        i = t
        while i < last - base:  # assign places
            b = home(load_smaller(shared, CHUNK_SMALLER, i), low, span, down, share) >> shift
            shared[CHUNK_PLACES + np.uint64(add(shared, counts + b, WORD(1)))] = WORD(i)
            i += step
        block_sync()
        i = t
        while i < last - base:  # copy the results in this order
            at, e = np.uint64(shared[CHUNK_PLACES + i]), np.uint64(first) + base + i
            larger_slots[e], smaller_slots[e] = shared[SLOTS + at], shared[CHUNK_SMALLER + at]
            upper[base + i] = shared[CHUNK_SMALLER + EDGES + at]
            i += step

    return place_larger


def place_smaller(on: Any) -> Any:
    """Find the slots of the smaller endpoints of all chunks, block by block.

    ``2 ** width`` threads process the edges of one block in one chunk. Each element of
    ``smaller_slots`` is read and written by one thread. Slots are found by :func:`slot_of`, until
    one id has found no slot.
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
        low, span = np.uint64(low), np.uint64(span)
        down, share = np.uint64(down), np.uint64(share)
        part, lanes = WORD(i >> np.uint64(width)), ONE << np.uint64(width)
        # ``part`` numbers the pairs of block and chunk; 32-bit integers are divided faster.
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
