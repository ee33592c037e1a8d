"""Tiles of an audit: the edges inside so many ids, held and joined in memory that threads share.

As the tiles of a run (see tiles.py), with which they have in common which edges are looked at, and
nothing else. All edges are passed once more, so that only what is joined here has to be right: the
ends of one edge, which have one label. labels, trees and first are as in audit.py.
"""

from typing import Any

import numpy as np

from .columns import NEAR as APART
from .least import lessen
from .tiles import CREDIT
from .trees import climb_shortening

ZERO, ONE, NEAR = np.uint64(0), np.uint64(1), np.uint32
HALVINGS = 5


def in_order(on: Any, wide: type) -> Any:
    """Count, of n rows evenly apart, those in order, and those of them whose ends are near each
    other.

    In order is a row whose source is not far beyond those of later rows: the first halving of the
    list, the next one, and so on. No load waits for another one.
    """
    all_add = on.all_add

    @on.sweep
    def in_order(first, n, step, m, apart, src, dst, counts):
        i, ordered, both, last = first, np.uint64(0), np.uint64(0), np.uint64(m) - ONE
        while i < np.uint64(n):
            e, good = i * np.uint64(apart), True
            u, v = wide(src[e]), wide(dst[e])
            for k in range(1, HALVINGS + 1):
                w = wide(src[min(e + (np.uint64(m) >> np.uint64(k)), last)])
                good &= (w >= u) | (np.uint64(u) - np.uint64(w) < APART)
            ordered += np.uint64(good)
            both += np.uint64(good & (np.uint64(max(u, v)) - np.uint64(min(u, v)) < APART))
            i += step
        all_add(counts, ZERO, ordered)
        all_add(counts, ONE, both)

    return in_order


def hold_near(on: Any, join: Any) -> Any:
    """Join two vertices of a tile, and say so, if they have one label.

    Ends of one tree are done without a look: all of a tree has one label, as nothing else is
    joined.
    """
    root = climb_shortening(on)

    @on.device
    def hold_near(x, y, base, near, labels):
        u, v = root(near, NEAR(x), near[x]), root(near, NEAR(y), near[y])
        if u != v:
            if labels[base + x] != labels[base + y]:
                return False
            join(near, u, v, near[u], near[v])
        return True

    return hold_near


def check_share(on: Any, ends: Any, hold_near: Any) -> Any:
    """The edges of one thread of a tile, until too many lead out of it."""
    fault, enough = lessen(on), np.int64(CREDIT)

    @on.device
    def check_share(e, last, step, base, size, near, src, dst, low, n, labels, first):
        credit = enough
        while e < last and credit > 0:
            u, v = ends(e, src, dst, low, n)
            x, y = np.uint64(u) - base, np.uint64(v) - base
            if max(x, y) >= size:
                credit -= 1
            else:
                credit += 1
                if not hold_near(x, y, base, near, labels):
                    fault(first, 0, e)
            e += step

    return check_share


def check_tile(on: Any, vertex: type, window: int, ends: Any, join: Any) -> Any:
    """Hold and join the edges inside each tile, and hang its vertices from their roots.

    Between two phases the threads of a tile wait for each other, and tiles meet nowhere.
    """
    barrier, root, ids = on.barrier, climb_shortening(on), np.uint64(window)
    check_share_of = check_share(on, ends, hold_near(on, join))

    @on.tile(window)
    def check_tile(k, t, step, near, src, dst, low, n, most, labels, trees, firsts, first):
        base, begun = k * ids, firsts[k]
        size, last = min(ids, np.uint64(n) - base), min(firsts[k + ONE], begun + np.uint64(most))
        v = t
        while v < size:
            near[v] = NEAR(v)
            v += step
        barrier()
        check_share_of(begun + t, last, step, base, size, near, src, dst, low, n, labels, first)
        barrier()
        v = t
        while v < size:
            trees[base + v] = vertex(base + np.uint64(root(near, NEAR(v), near[v])))
            v += step

    return check_tile
