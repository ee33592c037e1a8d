"""Block: all phases of a run in one kernel of one block, for lists that are launched, not worked.

src, dst : (m,) integers, the columns as they came.
bounds   : (2,) uint64, the least id and the complement of the greatest (see columns.py).
parent, seen, octets, totals, stray : as everywhere, with room for ``most`` ids; ``octets`` are the
           words of ``seen`` byte by byte, ``totals`` the numbers of vertices and of components.

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
        v, w = t, t
        while v < n:
            start(v, parent)
            v += step
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


def solve(on: Any, sign: int, most: int, span: Any, phases: Any) -> Any:
    """The span of the ids; and if it is at most ``most``, the flat forest, and what is counted.

    ``phases`` are lay, link_share, flatten and complete.
    """
    lay, link, flatten, complete = phases
    barrier, bias, room = on.barrier, np.uint64(sign), np.uint64(most)

    @on.block
    def solve(t, m, step, src, dst, bounds, parent, seen, octets, totals, stray):
        if t == ZERO:
            bounds[0], bounds[1] = ALL, ALL
            totals[0], totals[1], stray[0] = 0, 0, 0
        barrier()
        span(t, m, step, src, dst, bounds)
        barrier()
        n, low = ~bounds[1] - bounds[0] + ONE, np.int64(bounds[0] ^ bias)
        if n - ONE < room:
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

    return solve
