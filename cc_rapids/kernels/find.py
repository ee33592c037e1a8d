"""Find the root of a vertex, and shorten the path to it on the way.

parent : (n,) unsigned, shared by all threads. parent[v] <= v always, so every climb ends; a root
is its own parent, and a vertex that has got a parent never becomes a root again.

Where a path is shortened the store is plain, and may overwrite another thread's shorter pointer:
the vertex is not a root, and both point at ancestors of it, so it stays in its tree.
"""

from typing import Any

import numpy as np

from .primitives import SOON
from .spec import find_rule

NEXT = np.uint64(1)
ZERO = np.uint64(0)
STEPS = np.uint64(16)  # of a climb, by which it skips


@find_rule("naive", paper="FindNaive, Hong et al. 2020, Algorithm 8")
def naive(on: Any) -> Any:
    """Climb to the root and leave the path as it is."""

    @on.device
    def find(parent, v):
        p = parent[v]
        while p != v:
            v, p = p, parent[p]
        return v

    return find


@find_rule("halve", paper="AtomicHalve, Hong et al. 2020, Algorithm 8")
def halve(on: Any) -> Any:
    """Point every other vertex of the path at its grandparent while climbing."""

    @on.device
    def find(parent, v):
        p = parent[v]
        while p != v:
            g = parent[p]
            if g != p:
                parent[v] = g
            v, p = g, parent[g]
        return v

    return find


@find_rule("split", paper="AtomicSplit, Hong et al. 2020, Algorithm 8")
def split(on: Any) -> Any:
    """Point every vertex of the path at its grandparent while climbing."""

    @on.device
    def find(parent, v):
        p = parent[v]
        while p != v:
            g = parent[p]
            if g != p:
                parent[v] = g
            v, p = p, g
        return v

    return find


@find_rule("full", stores_to_root=True, paper="FindCompress, Hong et al. 2020, Algorithm 8")
def full(on: Any) -> Any:
    """Climb to the root, then point every vertex of the path at it.

    Ends at the first vertex that another thread has pointed at the root or below it.
    """
    climb = naive(on)

    @on.device
    def find(parent, v):
        r, p = climb(parent, v), parent[v]
        while r < p:
            parent[v] = r
            v, p = p, parent[p]
        return r

    return find


def nothing(on: Any) -> Any:
    """Return the vertex itself: no compression after a union with a naive find."""

    @on.device
    def find(parent, v):
        return v

    return find


FINDS = {"naive": naive, "halve": halve, "split": split, "full": full}
AFTER_UNION = FINDS | {"naive": nothing}  # where a find compresses a path after the union


def find_with_skip(on: Any, stride: np.uint64 = STEPS) -> Any:
    """Climb to the root, pointing the start of the climb further up every ``stride`` steps.

    For trees in which nothing is linked any more, as deep as they may be: climbs that come by there
    skip, too, so that a path of n vertices takes each of them some log n steps and not n. Only one
    thread may climb from a vertex that is to be flat: another might undo what the first has stored.
    """

    @on.device
    def find(parent, v):
        first, p, steps = v, parent[v], ZERO
        while p != v:
            v, p, steps = p, parent[p], steps + NEXT
            if steps == stride:
                parent[first], steps = v, ZERO
        return v

    return find


def ahead(on: Any, find: Any) -> Any:
    """Climb, and prefetch what the parent of a later vertex leads to.

    For climbs from one vertex after the other. A GPU has other threads to run meanwhile.
    """
    prefetch = on.prefetch
    if prefetch is None:
        return find

    @on.device
    def find_ahead(parent, v):
        later = v + SOON
        if later < np.uint64(parent.size):
            prefetch(parent, parent[later])
        return find(parent, v)

    return find_ahead
