"""Queues: edges that wait until there is one for each lane of a group, which then links them all.

A warp takes as long as its slowest link, so that links one by one, where an edge in thirty joins
something, leave most lanes idle.

queues : uint32, in the memory of all tiles. For each group of lanes, which alone knows how many
         ``waiting`` there are: from ``queue`` on the first ends, and beside them the second ones.
"""

from typing import Any

import numpy as np

WORD = np.uint32
NONE = WORD(0)
IDS = range(1_900_000, 7_400_001)  # so many have queues where "auto" chooses
ROOM = 3  # edges a lane: two come at once, and of those before less than one is left


def words_for(largest: Any) -> int:
    """What the queues of so many tiles take: an engine's ``largest_tiles()``."""
    return int(2 * ROOM * largest.threads * largest.tiles)


def enter(on: Any) -> Any:
    """Put an edge at the end of a queue unless it is left out; returns how many wait then."""
    count, beside = on.count, np.uint64(ROOM * on.lanes)

    @on.device
    def enter(out, u, v, queues, queue, waiting):
        before, more = count(out == NONE)
        if out == NONE:
            at = np.uint64(WORD(WORD(queue + waiting) + WORD(before)))
            queues[at], queues[at + beside] = WORD(u), WORD(v)
        return WORD(waiting + WORD(more))

    return enter


def leave(on: Any, vertex: type, finish: Any) -> Any:
    """Link an edge of a queue; no spanning forest is noted, so that its number makes none."""
    beside = np.uint64(ROOM * on.lanes)

    @on.device
    def leave(queues, at, *trees_and_notes):
        u, v = vertex(queues[at]), vertex(queues[np.uint64(at) + beside])
        finish(u, v, np.uint64(0), *trees_and_notes)

    return leave


def leave_together(on: Any, leave: Any) -> Any:
    """Link edges of a queue as long as there is one for each lane; returns how many still wait."""
    lanes, meet = WORD(on.lanes), on.meet

    @on.device
    def leave_together(queues, queue, waiting, lane, *trees_and_notes):
        meet()
        while waiting >= lanes:
            waiting = WORD(waiting - lanes)
            leave(queues, WORD(WORD(queue + waiting) + lane), *trees_and_notes)
        meet()
        return waiting

    return leave_together
