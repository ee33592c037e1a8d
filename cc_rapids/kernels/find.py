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

ZERO, ONE = np.uint64(0), np.uint64(1)
STEPS = np.uint64(16)  # number of steps after which find_with_skip stores a shortcut


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

    The second pass ends at the first vertex whose parent is not greater than the root. If a root
    could be hooked under a greater vertex, the second pass could overwrite this hook.
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


def no_compression(on: Any) -> Any:
    """Do not compress the path after a union: return the vertex itself, not its root."""

    @on.device
    def find(parent, v):
        return v

    return find


FINDS = {"naive": naive, "halve": halve, "split": split, "full": full}
AFTER_UNION = FINDS | {"naive": no_compression}  # path compression after a union


def find_with_skip(on: Any, stride: np.uint64 = STEPS) -> Any:
    """Climb to the root; every ``stride`` steps, point the first vertex at the current vertex.

    Use it for trees of any depth after all edges have been linked. Later climbs reuse the
    shortcuts, so each costs O(log n) on a path of n vertices. If a vertex must point at its root in
    the end, only one thread may climb from it: a second thread could store a lower ancestor.
    """

    @on.device
    def find(parent, v):
        start, p, steps = v, parent[v], ZERO
        while p != v:
            v, p, steps = p, parent[p], steps + ONE
            if steps == stride:
                parent[start], steps = v, ZERO
        return v

    return find


def with_prefetch(on: Any, find: Any) -> Any:
    """Return a find that also prefetches, for loops over consecutive vertices on a CPU.

    The word ``parent[parent[later]]`` of a later vertex is prefetched.
    """
    prefetch = on.prefetch
    if prefetch is None:
        return find

    @on.device
    def find_with_prefetch(parent, v):
        later = v + SOON
        if later < np.uint64(parent.size):
            prefetch(parent, parent[later])
        return find(parent, v)

    return find_with_prefetch
