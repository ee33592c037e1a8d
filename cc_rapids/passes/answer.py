"""Answer: from the flat forest to the columns that the caller gets.

seen, before : the vertices that occur, as bits, and for each block of 8 words how many come before
               it, so that a vertex's rank in the set is one look-up and at most 8 counts of bits.
roots, ...   : the same for the roots, one a component.
"""

from typing import Any

import numpy as np

from .. import bits
from .least import lessen

ONE, THREE, EIGHT = np.uint8(1), np.uint64(3), np.uint64(8)  # for sets as bytes of 8 vertices
BIT, FIVE, LAST, NEXT = np.uint32(1), np.uint64(5), np.uint64(31), np.uint64(1)
SPAN = np.uint64(bits.BLOCK * bits.WORD)  # vertices of a block of words
FIRST, SECOND = np.uint64(0), np.uint64(1)  # no literals, see columns.py
TOGETHER = 1 << 8  # blocks that a CPU thread takes at a time


def complete(on: Any, vertex: type) -> Any:
    """Add the vertices that have a parent to the set, and count: totals = [vertices, components].

    ``octets`` are the words of ``seen`` byte by byte. A thread owns whole bytes, so that no bit is
    lost without atomic operations, and reads the parents of a byte as one sector of memory.
    """
    all_add = on.all_add

    @on.sweep
    def complete(b, count, step, n, parent, octets, totals):
        occur, roots = np.int64(0), np.int64(0)
        while b < count:
            octet, v, one = octets[b], b << THREE, np.uint8(1)
            last = min(v + EIGHT, np.uint64(n))
            while v < last:
                if parent[v] != v:
                    octet |= one
                    occur += np.int64(1)
                elif octet & one != 0:
                    roots += np.int64(1)
                one = np.uint8(one << ONE)
                v += np.uint64(1)
            octets[b] = octet
            b += step
        all_add(totals, FIRST, occur + roots)
        all_add(totals, SECOND, roots)

    return complete


def count_blocks(on: Any) -> Any:
    """before[b + 1] = the members of the set in block b of its words."""
    ones = bits.count(on)

    @on.each
    def count_blocks(b, words, seen, before):
        w = b * np.uint64(bits.BLOCK)
        last = min(w + np.uint64(bits.BLOCK), np.uint64(words))
        found = ones(np.uint32(0))
        while w < last:
            found += ones(seen[w])
            w += np.uint64(1)
        before[b + np.uint64(1)] = found
        if b == 0:
            before[b] = 0

    return count_blocks


def sum_runs(on: Any) -> Any:
    """Running sums inside each run of ``length`` values, and the sum of each run."""

    @on.each
    def sum_runs(r, length, size, values, sums):
        i = r * np.uint64(length)
        last = min(i + np.uint64(length), np.uint64(size))
        total = values[i]
        i += np.uint64(1)
        while i < last:
            total += values[i]
            values[i] = total
            i += np.uint64(1)
        sums[r] = total

    return sum_runs


def add_runs(on: Any) -> Any:
    """Add to each run what came before it: ``sums`` are running sums of the runs by now."""

    @on.each
    def add_runs(i, length, sums, values):
        r = i // np.uint64(length)
        if r > 0:
            values[i] += sums[r - np.uint64(1)]

    return add_runs


def sum_all(on: Any) -> Any:
    """Running sums of all values, by threads each of which has a run of its own.

    ``sums`` are a word a thread; in each round a thread adds those of twice as many before it.
    """
    barrier = on.barrier

    @on.block
    def sum_all(t, size, step, values, sums):
        share = (size + step - NEXT) // step
        first, last, distance = t * share, min((t + NEXT) * share, size), NEXT
        i, own = first, np.uint64(0)
        while i < last:
            own += np.uint64(values[i])
            i += NEXT
        sums[t] = own
        barrier()
        while distance < step:
            more = sums[t - distance] if t >= distance else np.uint64(0)
            barrier()
            sums[t] += more
            barrier()
            distance += distance
        i, total = first, sums[t] - own
        while i < last:
            total += np.uint64(values[i])
            values[i] = total
            i += NEXT

    return sum_all


def mark_roots(on: Any, vertex: type) -> Any:
    """The set of the roots of all vertices that occur."""
    has, mark = bits.has(on), bits.mark(on)

    @on.each
    def mark_roots(v, parent, seen, roots):
        if parent[v] == v and has(seen, vertex(v)):
            mark(roots, vertex(v))

    return mark_roots


def least(on: Any) -> Any:
    """The label of a component: the id of its root, which is its least vertex."""

    @on.device
    def label(r, low, roots, before_roots):
        return np.int64(r) + low

    return label


def dense(on: Any) -> Any:
    """The label of a component: the rank of its root among the roots."""
    rank = bits.rank(on)

    @on.device
    def label(r, low, roots, before_roots):
        return rank(roots, before_roots, r)

    return label


def gather(on: Any, label: Any) -> Any:
    """The rows of the answer: the id of each vertex that occurs, in order, and its label.

    The lanes of a warp look at a word of the set together, each at one bit, and count those before
    it while they go through a block of words. Without lanes one thread does so bit by bit. Rows for
    which there is no room are left out.
    """
    ones, lanes = bits.count(on), np.uint64(on.lanes)

    @on.each
    def gather(i, n, parent, seen, before, low, roots, before_roots, ids, labels):
        b = i // lanes
        v, last = b * SPAN + i % lanes, min((b + NEXT) * SPAN, np.uint64(n))
        come = np.uint64(before[b])
        while v < last:
            word, below = seen[v >> FIVE], np.uint32((BIT << np.uint32(v & LAST)) - BIT)
            if word & (below + BIT) != 0:
                k = come + np.uint64(ones(np.uint32(word & below)))
                if k < np.uint64(ids.size):
                    ids[k] = np.int64(v) + low
                    labels[k] = label(parent[v], low, roots, before_roots)
            v += lanes
            if v & LAST < lanes:
                come += np.uint64(ones(word))

    gather.together = TOGETHER
    return gather


def least_of_trees(on: Any, vertex: type) -> Any:
    """lowest[r] = the least vertex of root r, of a flat forest whose roots are any of theirs."""
    low = lessen(on)

    @on.each
    def least_of_trees(v, parent, lowest):
        low(lowest, parent[v], vertex(v))

    return least_of_trees


def reroot(on: Any) -> Any:
    """Point every vertex at the least one of its tree instead of the root, and note those."""
    mark = bits.mark(on)

    @on.each
    def reroot(v, lowest, parent, seen):
        r = lowest[parent[v]]
        if r != v:
            mark(seen, r)
        parent[v] = r

    return reroot


def ask(on: Any, vertex: type, find: Any) -> Any:
    """Whether the two ends of each row are in one tree; nothing is linked meanwhile."""

    @on.each
    def ask(i, src, dst, parent, answers):
        answers[i] = find(parent, vertex(src[i])) == find(parent, vertex(dst[i]))

    return ask
