"""A filter of edges by the giant's bits in shared memory.

After a sample nearly every edge lies inside the giant, and reading two bits is all that is left to
do for it. Shared memory answers more often than a cache does, and holds the bits of 1.6 million
vertices on an H100; of more, once most vertices are inside, one bit there stands for up to four,
and says whether all of them are. Bits are only ever set: one that was found set stays so, and where
it was not, the bit of the vertex itself is read, as it is by then. A warp takes as long as its
slowest link, so that links one by one, where an edge in thirty joins something, leave most lanes
idle: what may join trees waits in queues until there is an edge for each lane.

near : uint32, shared by the threads of a tile: ``held`` words. Word w is the intersection of those
       in ``inside`` that are w, w + fold, w + 2 fold, ... They are read again when an eighth and
       half of the edges are done, as the giant has grown.
queues : uint32, in the memory of all tiles. For each group of lanes, which alone knows how many
         ``waiting`` there are: from ``queue`` on the first ends, and beside them the second ones.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from . import primitives

ONE, TWO = np.uint64(1), np.uint64(2)
WORD = np.uint32
SHIFT, LAST, BIT, NONE = WORD(5), WORD(31), WORD(1), WORD(0)
HELD = 49_920  # words, at most: 195 KiB leave an H100 60 of L1, for reads that are under way
FOLDS = 4  # words, at most, that share one
AT_ONCE = 4  # words that a thread reads before it writes any
IDS = range(1_900_000, 7_400_001)  # so many have queues where "auto" chooses
ROOM = 3  # edges a lane: two come at once, and of those before less than one is left
EIGHTH, FOURFOLD = np.uint64(3), np.uint64(2)  # shifts of a number of edges


def fold_of(on: Any) -> Any:
    """Return the distance of words that share one: ``held`` if half of the ids are linked.

    That is half of the vertices.
    """

    @on.device
    def fold(n, held, best, inside):
        return held if best[1] >= n // 2 else WORD(inside.size)

    return fold


def share(on: Any) -> Any:
    """Copy the giant's bits to the shared memory of a tile."""

    @on.device
    def share(near, held, fold, inside, t, step):
        w, last, size = t, np.uint64(held) - ONE, np.uint64(inside.size)
        while w <= last:
            for k in range(AT_ONCE):
                i = min(w + np.uint64(k) * step, last)
                word, other = inside[i], i + np.uint64(fold)
                for _ in range(FOLDS - 1):
                    if other < size:
                        word &= inside[other]
                    other += np.uint64(fold)
                near[i] = word
            w += np.uint64(AT_ONCE) * step

    return share


def known(on: Any) -> Any:
    """Return 1 if the bits of a tile show that a vertex is inside, else 0; without a branch."""

    @on.device
    def known(u, near, held, fold):
        w = WORD(WORD(u) >> SHIFT)
        for _ in range(FOLDS - 1):
            w = min(w, WORD(w - fold))
        here = w < held
        return WORD(WORD(near[w if here else NONE] >> WORD(WORD(u) & LAST)) & WORD(here))

    return known


def both_inside(on: Any) -> Any:
    """Return whether both ends of an edge are inside, by the shared bits or else by their own.

    Their own are read in any case, so that all reads of a thread are under way together; where they
    need not be, a word that is the lane's own, ``idle``, as one of all lanes would be asked for by
    all multiprocessors at once.
    """
    near_bit = known(on)

    @on.device
    def both(u, v, near, held, fold, inside, idle):
        a, b, last = near_bit(u, near, held, fold), near_bit(v, near, held, fold), inside.size - 1
        i, j = min(WORD(WORD(u) >> SHIFT), WORD(last)), min(WORD(WORD(v) >> SHIFT), WORD(last))
        c, d = inside[idle if a else i], inside[idle if b else j]
        a, b = a | WORD(c >> WORD(WORD(u) & LAST)), b | WORD(d >> WORD(WORD(v) & LAST))
        return WORD(a & b & BIT)

    return both


def odd(on: Any, vertex: type, wide: type) -> Any:
    """Handle an edge that joins nothing whatever its bits: a loop, or one with a stray end.

    Returns whether the edge is left out, which is ``both`` for all others.
    """
    mark = primitives.mark(on)

    @on.device
    def odd(u, v, n, both, seen, stray):
        if max(u, v) >= wide(n):
            stray[0] = 1
            return BIT
        if u == v:
            mark(seen, vertex(u))
            return BIT
        return both

    return odd


def two_edges(on: Any, ends: Any, place: Any) -> Any:
    """Return the ends of two adjacent edges per lane.

    A group that would go beyond the last edge moves back: edges that are looked at twice are linked
    once.
    """
    lanes = np.uint64(on.warp_size)

    @on.device
    def two(i, lane, last, src, dst, low, n):
        e = min(place(i), last - min(last, TWO * lanes - ONE)) + np.uint64(lane)
        u, v = ends(min(e, last), src, dst, low, n)
        x, y = ends(min(e + lanes, last), src, dst, low, n)
        return u, v, x, y

    return two


def look_at_two(on: Any, wide: type, both: Any, odd: Any) -> Any:
    """Return which of two edges are skipped."""

    @on.device
    def look(u, v, x, y, n, near, held, fold, inside, idle, seen, stray):
        first = both(u, v, near, held, fold, inside, idle)
        second = both(x, y, near, held, fold, inside, idle)
        if max(max(u, v), max(x, y)) >= wide(n) or u == v or x == y:
            first, second = odd(u, v, n, first, seen, stray), odd(x, y, n, second, seen, stray)
        return first, second

    return look


def filter_edges(on: Any, words: int, place: Any, read: Any, look: Any, leave: Any) -> Any:
    """Link the edges outside the sample, except those inside the giant, by shared bits.

    The next two edges of a lane are on their way while it looks at two.
    """
    lanes, each, barrier = WORD(on.warp_size), np.uint64(ROOM), on.block_sync
    fold_for, load, wait, together = fold_of(on), share(on), enter(on), leave_together(on, leave)

    @on.block_kernel(words)
    def filter_edges(
        k, t, step, near, tiles, m, held, src, dst, low, n, seen, stray, inside, best, queues, *to
    ):
        lane, held, last = WORD(WORD(t) % lanes), WORD(held), place(np.uint64(m) - ONE)
        i, fold = (k * step + t - np.uint64(lane)) * TWO, fold_for(n, held, best, inside)
        queue, waiting, idle = WORD(i * each), NONE, WORD((k * step + t) % np.uint64(inside.size))
        done, stop = m == 0, (np.uint64(m) >> EIGHTH) + ONE
        while not done:
            load(near, held, fold, inside, t, step)
            barrier()
            u, v, x, y = read(i, lane, last, src, dst, low, n)
            stop = min(stop, np.uint64(m))
            while i < stop:
                i += np.uint64(tiles) * step * TWO
                u2, v2, x2, y2 = read(i, lane, last, src, dst, low, n)
                out, too = look(u, v, x, y, n, near, held, fold, inside, idle, seen, stray)
                waiting = wait(out, u, v, queues, queue, waiting)
                waiting = wait(too, x, y, queues, queue, waiting)
                waiting = together(queues, queue, waiting, lane, *to)
                u, v, x, y = u2, v2, x2, y2
            done, stop = stop == np.uint64(m), stop << FOURFOLD
            barrier()
        if lane < waiting:
            leave(queues, WORD(queue + lane), *to)

    return filter_edges


def by_tiles(
    on: Any, vertex: type, wide: type, ends: Any, place: Any, finish: Any
) -> Callable[..., None]:
    """Return the composed filter, launched in as many tiles as run at once.

    Called with how many edges are left, the edges, n, (seen, stray), inside, best, queues, and what
    ``finish`` takes after an edge.
    """
    largest = on.largest_tiles()
    words = min(largest.words, HELD)
    look = look_at_two(on, wide, both_inside(on), odd(on, vertex, wide))
    read, link = two_edges(on, ends, place), leave(on, vertex, finish)
    kernel = filter_edges(on, words, place, read, look, link)

    def run(m: int, edges: Any, n: int, notes: Any, inside: Any, *rest: Any, to: Any) -> None:
        held = min(words, int(inside.size))
        kernel(largest.tiles, largest.tiles, m, held, *edges, n, *notes, inside, *rest, *to)

    return run


def words_for(largest: Any) -> int:
    """Return the number of words of the queues of an engine's ``largest_tiles()``."""
    return int(2 * ROOM * largest.threads * largest.tiles)


def enter(on: Any) -> Any:
    """Append an edge to a queue unless it is skipped; return the number of queued edges."""
    count, beside = on.warp_ballot_rank, np.uint64(ROOM * on.warp_size)

    @on.device
    def enter(out, u, v, queues, queue, waiting):
        before, more = count(out == NONE)
        if out == NONE:
            at = np.uint64(WORD(WORD(queue + waiting) + WORD(before)))
            queues[at], queues[at + beside] = WORD(u), WORD(v)
        return WORD(waiting + WORD(more))

    return enter


def leave(on: Any, vertex: type, finish: Any) -> Any:
    """Link an edge of a queue, without recording it for a spanning forest."""
    beside = np.uint64(ROOM * on.warp_size)

    @on.device
    def leave(queues, at, *trees_and_notes):
        u, v = vertex(queues[at]), vertex(queues[np.uint64(at) + beside])
        finish(u, v, np.uint64(0), *trees_and_notes)

    return leave


def leave_together(on: Any, leave: Any) -> Any:
    """Link edges of a queue while each lane has one; return the number of queued edges."""
    lanes, meet = WORD(on.warp_size), on.warp_sync

    @on.device
    def leave_together(queues, queue, waiting, lane, *trees_and_notes):
        meet()
        while waiting >= lanes:
            waiting = WORD(waiting - lanes)
            leave(queues, WORD(WORD(queue + waiting) + lane), *trees_and_notes)
        meet()
        return waiting

    return leave_together
