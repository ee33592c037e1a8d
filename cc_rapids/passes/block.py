"""Block: all phases of a run in one kernel of one block, for lists that are launched, not worked.

src, dst : (m,) integers, the columns as they came.
bounds   : (2,) uint64, the least id and the complement of the greatest (see columns.py).
parent, seen, octets, totals, stray : as everywhere, of as many ids as there is room for; ``octets``
           are the words of ``seen`` byte by byte, ``totals`` how many vertices and components.
before, ids, labels : ranks, and the columns of the answer (see answer.py).

The phases are those of any other run, and between two of them all threads wait for each other.
"""

from typing import Any

import numpy as np

ALL, ZERO, ONE = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0), np.uint64(1)
SEVEN, THREE, LAST, WORD = np.uint64(7), np.uint64(3), np.uint64(31), np.uint64(5)


def lay(on: Any, start: Any) -> Any:
    """Every vertex is a tree of its own, and none has been seen."""

    @on.device
    def lay(t, n, step, parent, seen):
        w = t
        start(t, n, step, parent)
        while w < (n + LAST) >> WORD:
            seen[w] = np.uint32(0)
            w += step

    return lay


def link_share(on: Any, ends: Any, one: Any) -> Any:
    """Link the edges of one thread."""

    @on.device
    def link_share(t, m, step, src, dst, low, n, parent, seen, stray):
        e = t
        while e < m:
            u, v = ends(e, src, dst, low, n)
            one(u, v, e, n, parent, parent, parent, seen, stray)
            e += step

    return link_share


def list_rows(on: Any, count_blocks: Any, gather: Any) -> Any:
    """Rank the set of the vertices, and write the rows of the answer."""
    barrier, lanes = on.barrier, np.uint64(on.lanes)

    @on.device
    def list_rows(t, n, step, low, parent, seen, before, ids, labels):
        b, i, k = t, t, ONE
        while b < np.uint64(before.size) - ONE:
            count_blocks(b, (n + LAST) >> WORD, seen, before)
            b += step
        barrier()
        while t == ZERO and k < np.uint64(before.size):
            before[k] += before[k - ONE]
            k += ONE
        barrier()
        while i < (np.uint64(before.size) - ONE) * lanes:
            gather(i, n, parent, seen, before, low, seen, before, ids, labels)
            i += step

    return list_rows


def solve(on: Any, sign: int, span: Any, phases: Any) -> Any:
    """The span of the ids; and if there is room for it, the flat forest, what is counted of it, and
    the rows of the answer.

    ``phases`` are lay, link_share, flatten, complete and list_rows.
    """
    lay, link, flatten, complete, list_rows = phases
    barrier, bias = on.barrier, np.uint64(sign)

    @on.block
    def solve(
        t, m, step, src, dst, bounds, parent, seen, octets, before, totals, stray, ids, labels
    ):
        if t == ZERO:
            bounds[0], bounds[1] = ALL, ALL
            totals[0], totals[1], stray[0] = 0, 0, 0
        barrier()
        span(t, m, step, src, dst, bounds)
        barrier()
        n, low = ~bounds[1] - bounds[0] + ONE, np.int64(bounds[0] ^ bias)
        if n - ONE < np.uint64(parent.size):
            lay(t, n, step, parent, seen)
            barrier()
            link(t, m, step, src, dst, low, n, parent, seen, stray)
            barrier()
            v = t
            while v < n:
                flatten(v, parent, seen)
                v += step
            barrier()
            complete(t, (n + SEVEN) >> THREE, step, n, parent, octets, totals)
            barrier()
            list_rows(t, n, step, low, parent, seen, before, ids, labels)

    return solve
