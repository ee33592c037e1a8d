"""The filter: the giant's bits in memory that a tile's threads share, before any other is asked.

After a sample nearly every edge lies inside the giant, and reading two bits is all that is left to
do for it. Shared memory answers more often than a cache does, and holds the bits of 1.6 million
vertices on an H100; those beyond are read as always. An edge that may join trees waits in a queue
of its lanes until there is one for each of them: a warp takes as long as its slowest link.

near : uint32, shared by the threads of a tile: ``held`` words of bits, as they were when the tile
       began, then a queue for each group of lanes, of first ends and of second ones. A bit that
       was set since costs a look at it when the edge leaves the queue: bits are only ever set.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import bits
from ..kernels.sample import Step

ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)
WORD = np.uint32
SHIFT, LAST, BIT = WORD(5), WORD(31), WORD(1)
ROOM = 3  # edges a lane in a queue: two come at once, and of those before less than one is left


def words_of_queues(threads: int) -> int:
    """What the queues of so many threads take of the memory of a tile."""
    return 2 * ROOM * threads


def may_join(on: Any, vertex: type, wide: type) -> Any:
    """Whether an edge may join trees, as far as the bits of a tile tell."""
    mark = bits.mark(on)

    @on.device
    def may_join(u, v, n, near, held, seen, stray, inside):
        if max(u, v) >= wide(n):
            stray[0] = 1
            return False
        if u == v:
            mark(seen, vertex(u))
            return False
        i, j = WORD(u) >> SHIFT, WORD(v) >> SHIFT
        a = near[i] if i < held else inside[i]
        b = near[j] if j < held else inside[j]
        return (a >> (WORD(u) & LAST)) & (b >> (WORD(v) & LAST)) & BIT == 0

    return may_join


def enter(on: Any) -> Any:
    """Put an edge at the end of a queue if it may join trees; returns how many wait then."""
    count, beside = on.count, np.uint64(ROOM * on.lanes)

    @on.device
    def enter(joins, u, v, near, queue, waiting):
        before, more = count(joins)
        if joins:
            at = queue + waiting + np.uint64(before)
            near[at], near[at + beside] = WORD(u), WORD(v)
        return waiting + np.uint64(more)

    return enter


def leave(on: Any, vertex: type, finish: Any) -> Any:
    """Link an edge of a queue; no spanning forest is noted, so that its number makes none."""
    beside = np.uint64(ROOM * on.lanes)

    @on.device
    def leave(at, near, *trees_and_notes):
        finish(vertex(near[at]), vertex(near[at + beside]), ZERO, *trees_and_notes)

    return leave


def filter_edges(
    on: Any, words: int, ends: Any, place: Any, may_join: Any, enter: Any, leave: Any
) -> Any:
    """Link the edges that the sample has left, except those inside the giant, by their bits.

    Lanes take two edges each at a time, side by side; one beyond the last is the last once more.
    """
    lanes, room, barrier, meet = np.uint64(on.lanes), np.uint64(2 * ROOM), on.barrier, on.meet

    @on.tile(words)
    def filter_edges(k, t, step, near, tiles, m, held, src, dst, low, n, seen, stray, inside, *to):
        lane, held, last, w = t % lanes, WORD(held), place(np.uint64(m) - ONE), t
        queue, waiting = np.uint64(held) + (t - lane) * room, ZERO
        while w < held:
            near[w] = inside[w]
            w += step
        barrier()
        i = (k * step + t - lane) * TWO
        while i < np.uint64(m):
            e = place(i) + lane
            u, v = ends(min(e, last), src, dst, low, n)
            x, y = ends(min(e + lanes, last), src, dst, low, n)
            joins = may_join(u, v, n, near, held, seen, stray, inside)
            more = may_join(x, y, n, near, held, seen, stray, inside)
            waiting = enter(joins, u, v, near, queue, waiting)
            waiting = enter(more, x, y, near, queue, waiting)
            meet()
            while waiting >= lanes:
                waiting -= lanes
                leave(queue + waiting + lane, near, *to)
            meet()
            i += np.uint64(tiles) * step * TWO
        if lane < waiting:
            leave(queue + lane, near, *to)

    return filter_edges


def filtered(link_edges: Any, left: Callable[[int], int], tiles: int, room: int) -> Step:
    """Link what the sample has left, except inside the giant, by tiles with room for some words."""

    def finish(work: Any) -> None:
        held = min(room, int(work.inside.size))
        seen, stray = work.notes
        known = *work.edges, work.n, seen, stray, work.inside
        to = *work.trees, seen, work.best, work.inside
        link_edges(tiles, tiles, left(work.m), held, *known, *to)

    return finish
