"""Find functions: return the root of a vertex and shorten the path to it.

parent : (n,) unsigned, shared by all threads. Invariant: parent[v] <= v, so every climb ends. A
         root is its own parent. A vertex that has a parent never becomes a root again.

Allowed race: path shortening uses plain stores, which may overwrite a shorter pointer of another
thread. Both pointers lead to ancestors of a vertex that is not a root, so the vertex stays in its
tree.
"""

from typing import Any

import numpy as np

from .primitives import SOON
from .spec import find_rule

NEXT = np.uint64(1)
ZERO = np.uint64(0)
STEPS = np.uint64(16)  # length of the shortcuts that find_with_skip stores


@find_rule("naive", paper="FindNaive, Hong et al. 2020, Algorithm 8")
def naive(on: Any) -> Any:
    """Climb to the root without changing the path."""

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


@find_rule(
    "full",
    stores_to_root=True,
    needs_order=True,
    paper="FindCompress, Hong et al. 2020, Algorithm 8",
)
def full(on: Any) -> Any:
    """Climb to the root, then point every vertex of the path at the root.

    The second pass ends at the first vertex whose parent is the root or smaller. If roots could be
    hooked under greater vertices, it could overwrite a hook of the root.
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
    """Return the vertex itself: the no-op compression after a union with the naive find."""

    @on.device
    def find(parent, v):
        return v

    return find


FINDS = {"naive": naive, "halve": halve, "split": split, "full": full}
AFTER_UNION = FINDS | {"naive": nothing}  # path compression after a union


def find_with_skip(on: Any, stride: np.uint64 = STEPS) -> Any:
    """Climb to the root and store a shortcut every ``stride`` steps.

    Use it for trees of any depth after all links. Later climbs reuse the shortcuts, so
    each costs O(log n) on a path of n vertices. Only one thread may climb from a vertex that must
    end up flat; a second thread could overwrite its parent with a longer path.
    """

    @on.device
    def find(parent, v):
        begin, p, steps = v, parent[v], ZERO
        while p != v:
            v, p, steps = p, parent[p], steps + NEXT
            if steps == stride:
                parent[begin], steps = v, ZERO
        return v

    return find


def ahead(on: Any, find: Any) -> Any:
    """Return a find that also prefetches, for loops over consecutive vertices on a CPU.

    The grandparent of a later vertex is prefetched.
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
