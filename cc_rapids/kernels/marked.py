"""Gather values of the marked edges of an edge list, one tile at a time.

k      : the number of the tile that a block of threads processes.
shared : (TILE,) uint32, the members of a tile in order, as distances from its first edge.
"""

from typing import Any

import numpy as np

from . import primitives

WORD = np.uint32
TILE = 1 << 13  # edges per block of threads
EDGES, WORDS = np.uint64(TILE), np.uint64(TILE // primitives.WORD)
BLOCKS = np.uint64(TILE // primitives.WORD // primitives.RANK_BLOCK)  # rank blocks per tile
ONE, FIVE = np.uint64(1), np.uint64(5)


def gather_marked(on: Any, write: Any) -> Any:
    """Call ``write`` for each member of a set, with its rank (see gather.py).

    It is fast for sets with few members. First one thread per word lists the members of the word in
    shared memory. After a barrier, each thread writes one member at a time, so all threads load
    columns at once.
    """
    ones, rank, block_sync = primitives.count(on), primitives.rank(on), on.block_sync

    @on.block_kernel(TILE)
    def gather_marked(k, t, step, shared, members, before, *columns):
        first, blocks = k * WORDS, np.uint64(before.size) - ONE
        before_tile, before_next = before[k * BLOCKS], before[min((k + ONE) * BLOCKS, blocks)]
        w, last = first + t, min(first + WORDS, np.uint64(members.size))
        while w < last:
            word = members[w]
            place = np.uint64(rank(members, before, w << FIVE) - before_tile)
            offset = WORD((w - first) << FIVE)  # of the word's first edge in the tile
            while word != 0:
                rest = WORD(word & WORD(word - WORD(1)))  # without the lowest set bit
                below = WORD(WORD(word ^ rest) - WORD(1))  # ones in all positions below that bit
                shared[place] = WORD(offset + ones(below))
                word = rest
                place += ONE
            w += step
        block_sync()
        i, count = t, np.uint64(before_next - before_tile)
        while i < count:
            write(np.uint64(before_tile) + i, k * EDGES + np.uint64(shared[i]), *columns)
            i += step

    return gather_marked
