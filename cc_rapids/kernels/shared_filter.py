"""Filter edges by the giant component's bits in shared memory.

After a sample nearly every edge lies inside the giant component, which one bit of each endpoint
shows. Shared memory serves more loads than a cache. On an H100 it holds the bits of 1.6 million
vertices. For larger graphs, once most vertices are inside, one shared bit stands for up to four
vertices and is set if all of them are inside. Bits are only ever set, so a set bit stays valid. For
a clear bit the current bit in global memory is read. A warp is as slow as its slowest link, and
only one edge in thirty joins two trees. So edges that may join trees wait in queues until there is
one for each lane.

shared : (shared_words,) uint32, shared by the threads of a block. Word w is the intersection of the
         words w, w + fold, w + 2 fold, ... of ``in_giant``. It is refreshed after an eighth and
         after half of the edges, because the giant component grows.
warp_queues : uint32, in global memory. The queue of a warp starts at position ``queue``: space for
         the first endpoints of its edges, and after it for the second endpoints. ``waiting``, the
         number of queued edges, is a local variable of the warp's threads.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from . import primitives

ONE, TWO = np.uint64(1), np.uint64(2)
WORD = np.uint32
SHIFT, LAST, BIT, NONE = WORD(5), WORD(31), WORD(1), WORD(0)
MAX_WORDS = 49_920  # shared words: 195 KiB, which leaves 60 KiB of an H100's L1 for loads
FOLDS = 4  # maximum number of words that one shared word stands for
READ_TOGETHER = 4  # words that a thread copies per step
IDS = range(1_900_000, 7_400_001)  # numbers of vertices for which "auto" uses queues
QUEUED_EDGES = 3  # queue capacity per lane: two new edges and less than one queued edge
EIGHTH, FOURFOLD = np.uint64(3), np.uint64(2)  # shifts of a number of edges


def fold_of(on: Any) -> Any:
    """Return the distance between the words of the bit set that share a word of shared memory.

    The distance is ``shared_words`` once half of the vertices are linked; ``root_word[1]`` counts
    them. Before that, it is the size of the bit set: each shared word stands for one word.
    """

    @on.device
    def fold(n, shared_words, root_word, in_giant):
        return shared_words if root_word[1] >= n // 2 else WORD(in_giant.size)

    return fold


def share(on: Any) -> Any:
    """Copy the giant component's bits to the shared memory of a block.

    A thread copies ``READ_TOGETHER`` words at a time, so that their loads are in flight together.
    Positions after the last word are replaced by the last, whose word may be copied repeatedly.
    """

    @on.device
    def share(shared, shared_words, fold, in_giant, t, step):
        w, last, size = t, np.uint64(shared_words) - ONE, np.uint64(in_giant.size)
        while w <= last:
            for k in range(READ_TOGETHER):
                i = min(w + np.uint64(k) * step, last)
                word, folded = in_giant[i], i + np.uint64(fold)
                for _ in range(FOLDS - 1):
                    if folded < size:
                        word &= in_giant[folded]
                    folded += np.uint64(fold)
                shared[i] = word
            w += np.uint64(READ_TOGETHER) * step

    return share


def is_inside(on: Any) -> Any:
    """Return 1 if the shared bits show that a vertex is in the giant component, otherwise 0.

    A vertex beyond the shared words gives 0: word 0 is loaded for it, and its bit is discarded. The
    function has no branch, so the threads of a warp do not diverge: if ``w`` is less than
    ``fold``, ``w - fold`` wraps around, and the minimum is ``w``.
    """

    @on.device
    def is_inside(u, shared, shared_words, fold):
        w = WORD(WORD(u) >> SHIFT)
        for _ in range(FOLDS - 1):
            w = min(w, WORD(w - fold))
        has_word = w < shared_words
        return WORD(WORD(shared[w if has_word else NONE] >> WORD(WORD(u) & LAST)) & WORD(has_word))

    return is_inside


def both_in_giant(on: Any) -> Any:
    """Return 1 if both endpoints are in the giant component, by their shared or global bits.

    Global bits are always loaded, so that all loads of a thread are in flight together. A lane that
    does not need them loads the word ``idle`` instead. This word differs between lanes, because all
    multiprocessors would contend for a common word.
    """
    shared_bit = is_inside(on)

    @on.device
    def both_in_giant(u, v, shared, shared_words, fold, in_giant, idle):
        a, last = shared_bit(u, shared, shared_words, fold), in_giant.size - 1
        b = shared_bit(v, shared, shared_words, fold)
        i, j = min(WORD(WORD(u) >> SHIFT), WORD(last)), min(WORD(WORD(v) >> SHIFT), WORD(last))
        word_u, word_v = in_giant[idle if a else i], in_giant[idle if b else j]
        a, b = a | WORD(word_u >> WORD(WORD(u) & LAST)), b | WORD(word_v >> WORD(WORD(v) & LAST))
        return WORD(a & b & BIT)

    return both_in_giant


def is_skipped(on: Any, vertex: type, wide: type) -> Any:
    """Return 1 if an edge is skipped: a loop, an invalid edge, or an edge with ``inside`` 1.

    The vertex of a loop is marked as present, and ``out_of_range`` is set for an invalid edge.
    """
    mark = primitives.mark(on)

    @on.device
    def is_skipped(u, v, n, inside, present, out_of_range):
        if max(u, v) >= wide(n):
            out_of_range[0] = 1
            return BIT
        if u == v:
            mark(present, vertex(u))
            return BIT
        return inside

    return is_skipped


def two_edges(on: Any, load_edge: Any, edge_index: Any) -> Any:
    """Return the endpoints of the two edges that a lane of a warp reads.

    The two edges are a warp's size apart. A warp that would pass the last edge, ``last``, reads the
    last edges instead. An edge that is read twice is redundant the second time.
    """
    warp_size = np.uint64(on.warp_size)

    @on.device
    def two(i, lane, last, src, dst, low, n):
        e = min(edge_index(i), last - min(last, TWO * warp_size - ONE)) + np.uint64(lane)
        u, v = load_edge(min(e, last), src, dst, low, n)
        x, y = load_edge(min(e + warp_size, last), src, dst, low, n)
        return u, v, x, y

    return two


def look_at_two(on: Any, wide: type, both_in_giant: Any, is_skipped: Any) -> Any:
    """Return for each of the edges (u, v) and (x, y) 1 if the edge is skipped, otherwise 0."""

    @on.device
    def look(u, v, x, y, n, shared, shared_words, fold, in_giant, idle, present, out_of_range):
        first = both_in_giant(u, v, shared, shared_words, fold, in_giant, idle)
        second = both_in_giant(x, y, shared, shared_words, fold, in_giant, idle)
        if max(max(u, v), max(x, y)) >= wide(n) or u == v or x == y:
            first = is_skipped(u, v, n, first, present, out_of_range)
            second = is_skipped(x, y, n, second, present, out_of_range)
        return first, second

    return look


def filter_edges(on: Any, words: int, edge_index: Any, read: Any, look: Any, dequeue: Any) -> Any:
    """Link the edges outside the sample, except those inside the giant component, by shared bits.

    Software pipelining: the next two edges of a lane are loaded while two are examined. A pass ends
    at ``stop``: after an eighth, after half and after all of the edges. Before each pass, the
    shared bits are refreshed. A block uses ``shared_words`` of ``words`` words of shared memory.
    :func:`two_edges`, :func:`look_at_two` and :func:`dequeue` make ``read``, ``look``, ``dequeue``.
    """
    warp_size, per_lane, block_sync = WORD(on.warp_size), np.uint64(QUEUED_EDGES), on.block_sync
    fold_for, refresh, append = fold_of(on), share(on), enqueue(on)
    link_full_warps = dequeue_by_warp(on, dequeue)

    @on.block_kernel(words)
    def filter_edges(
        k,
        t,
        step,
        shared,
        blocks,
        m,
        shared_words,
        src,
        dst,
        low,
        n,
        present,
        out_of_range,
        in_giant,
        root_word,
        warp_queues,
        *link_arguments,
    ):
        lane, shared_words = WORD(WORD(t) % warp_size), WORD(shared_words)
        last = edge_index(np.uint64(m) - ONE)
        i = (k * step + t - np.uint64(lane)) * TWO  # the first edge that the warp reads next
        fold = fold_for(n, shared_words, root_word, in_giant)
        queue, waiting = WORD(i * per_lane), NONE
        idle = WORD((k * step + t) % np.uint64(in_giant.size))
        done, stop = m == 0, (np.uint64(m) >> EIGHTH) + ONE
        while not done:  # a pass up to ``stop``
            refresh(shared, shared_words, fold, in_giant, t, step)
            block_sync()
            u, v, x, y = read(i, lane, last, src, dst, low, n)
            stop = min(stop, np.uint64(m))
            while i < stop:
                i += np.uint64(blocks) * step * TWO
                u2, v2, x2, y2 = read(i, lane, last, src, dst, low, n)
                skips_uv, skips_xy = look(
                    u, v, x, y, n, shared, shared_words, fold, in_giant, idle, present, out_of_range
                )
                waiting = append(skips_uv, u, v, warp_queues, queue, waiting)
                waiting = append(skips_xy, x, y, warp_queues, queue, waiting)
                waiting = link_full_warps(warp_queues, queue, waiting, lane, *link_arguments)
                u, v, x, y = u2, v2, x2, y2
            done, stop = stop == np.uint64(m), stop << FOURFOLD
            block_sync()
        if lane < waiting:
            dequeue(warp_queues, WORD(queue + lane), *link_arguments)

    return filter_edges


def filter_by_blocks(
    on: Any, vertex: type, wide: type, load_edge: Any, edge_index: Any, link_outside: Any
) -> Callable[..., None]:
    """Return the composed filter, launched with all blocks that are resident at the same time.

    The filter takes the number of remaining edges, the edges, n, (present, out_of_range), in_giant,
    root_word, warp_queues, and a tuple of the arguments of ``link_outside`` after the edge.
    """
    limits = on.shared_memory_limits()
    words = min(limits.words, MAX_WORDS)
    look = look_at_two(on, wide, both_in_giant(on), is_skipped(on, vertex, wide))
    read, link = two_edges(on, load_edge, edge_index), dequeue(on, vertex, link_outside)
    kernel = filter_edges(on, words, edge_index, read, look, link)

    def filter_and_link(
        m: int,
        edges: Any,
        n: int,
        flags: Any,
        in_giant: Any,
        root_word: Any,
        warp_queues: Any,
        link_arguments: tuple[Any, ...],
    ) -> None:
        sizes = limits.blocks, limits.blocks, m, min(words, int(in_giant.size))
        queues = in_giant, root_word, warp_queues
        kernel(*sizes, *edges, n, *flags, *queues, *link_arguments)

    return filter_and_link


def words_for(limits: Any) -> int:
    """Return the size in words of the queues of all threads, two words per queued edge."""
    return int(2 * QUEUED_EDGES * limits.threads * limits.blocks)


def enqueue(on: Any) -> Any:
    """Append an edge to a warp's queue unless it is skipped; return the number of queued edges."""
    # the edges in the queue of a warp
    ballot_rank, capacity = on.warp_ballot_rank, np.uint64(QUEUED_EDGES * on.warp_size)

    @on.device
    def enqueue(skips, u, v, warp_queues, queue, waiting):
        before, more = ballot_rank(skips == NONE)
        if skips == NONE:
            at = np.uint64(WORD(WORD(queue + waiting) + WORD(before)))
            warp_queues[at], warp_queues[at + capacity] = WORD(u), WORD(v)
        return WORD(waiting + WORD(more))

    return enqueue


def dequeue(on: Any, vertex: type, link_outside: Any) -> Any:
    """Link the edge at a position in the queues, without recording it for a spanning forest."""
    capacity = np.uint64(QUEUED_EDGES * on.warp_size)  # the edges in the queue of a warp

    @on.device
    def dequeue(warp_queues, at, *trees_and_flags):
        u, v = vertex(warp_queues[at]), vertex(warp_queues[np.uint64(at) + capacity])
        link_outside(u, v, np.uint64(0), *trees_and_flags)

    return dequeue


def dequeue_by_warp(on: Any, dequeue: Any) -> Any:
    """Link queued edges while there is one for each lane; return the number of edges left."""
    warp_size, warp_sync = WORD(on.warp_size), on.warp_sync

    @on.device
    def dequeue_by_warp(warp_queues, queue, waiting, lane, *trees_and_flags):
        warp_sync()
        while waiting >= warp_size:
            waiting = WORD(waiting - warp_size)
            dequeue(warp_queues, WORD(WORD(queue + waiting) + lane), *trees_and_flags)
        warp_sync()
        return waiting

    return dequeue_by_warp
