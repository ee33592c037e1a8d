"""Gather what belongs to the marked edges of a list, a tile of it at a time.

shared : uint32; the members of a tile, as their distances from its first edge, in their order.
"""

from typing import Any

import numpy as np

from . import primitives

WORD = np.uint32
TILE = 1 << 13  # edges that the threads of a block look at together
EDGES, WORDS = np.uint64(TILE), np.uint64(TILE // primitives.WORD)
BLOCKS = np.uint64(TILE // primitives.WORD // primitives.RANK_BLOCK)  # of words with a rank
ONE, FIVE = np.uint64(1), np.uint64(5)


def gather_marked(on: Any, write: Any) -> Any:
    """Write what belongs to each member of a set, in their order, by a part of gather.py.

    Of most lists few edges are members, whose columns are read where they are. A thread for each
    word lists its members; after a wait there is a thread for each of them, so that as many loads
    are under way as there are threads.
    """
    ones, rank, block_sync = primitives.count(on), primitives.rank(on), on.block_sync

    @on.block_kernel(TILE)
    def gather_marked(k, t, step, shared, members, before, *columns):
        first, ranks = k * WORDS, np.uint64(before.size)
        come, end = before[k * BLOCKS], before[min((k + ONE) * BLOCKS, ranks - ONE)]
        w, last = first + t, min(first + WORDS, np.uint64(members.size))
        while w < last:
            word = members[w]
            place = np.uint64(rank(members, before, w << FIVE) - come)
            distance = WORD((w - first) << FIVE)
            while word != 0:
                rest = WORD(word & WORD(word - WORD(1)))
                shared[place] = WORD(distance + ones(WORD(WORD(word ^ rest) - WORD(1))))
                word = rest
                place += ONE
            w += step
        block_sync()
        i, count = t, np.uint64(end - come)
        while i < count:
            write(np.uint64(come) + i, k * EDGES + np.uint64(shared[i]), *columns)
            i += step

    return gather_marked
