"""Rooted forests, by the Euler tours of their trees.

A tour passes each edge in both directions, its two *arcs*: first down, and later up. Where an arc
stands in its tour does not depend on how deep the tree is, so a path is as good as a star. Some
arcs, which are spread evenly, are *stops*: all go ahead at once, arc by arc, each until it meets
another one. Then each stop doubles the distance that it looks ahead, as if the tour were of stops
alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..backends import Array
from ..graph.sorting import rows_of_each

NO_EDGE = -1
SPREAD = 64  # arcs for each stop
FEW = 1 << 14  # arcs, of which each is a stop
MIXED = np.uint64(0x9E3779B97F4A7C15)  # odd: multiples of it are spread evenly modulo 2^64


@dataclass(frozen=True)
class RootedForest:
    """A spanning forest whose edges have a direction, from the root of each tree.

    All arrays are of :func:`small_for` twice as many vertices.

    Attributes
    ----------
    child : (t,) array of integers
        The lower end of each edge.
    parent : (n,) array of integers
        The upper end of the edge above each vertex; roots, and vertices without an edge of the
        forest, are their own.
    parent_edge : (n,) array of integers
        The index of that edge in the forest; ``NO_EDGE`` where there is none.
    depth : (n,) array of integers
        The number of edges to the root; 0 for vertices without an edge of the forest, too.
    enters, leaves : (n,) arrays of integers
        The arcs that are left of the tour when it reaches a vertex first, and when it leaves it at
        last: of the vertices of one tree, those below v are entered between the two.
    """

    child: Array
    parent: Array
    parent_edge: Array
    depth: Array
    enters: Array
    leaves: Array

    def below(self, vertices: Array, tops: Array) -> Array:
        """Return whether each vertex is one of some vertices of its tree, or below it."""
        entered = self.enters[vertices]
        return (self.enters[tops] >= entered) & (entered > self.leaves[tops])

    def preorder(self, tree: Array, xp: Any) -> tuple[Array, Array]:
        """Return the number of each vertex in preorder, and how many are it or below it.

        Those below a vertex have the numbers that follow its own.

        Parameters
        ----------
        tree : (n,) array of integers
            The tree of each vertex, below n, all of whose vertices the forest joins.

        Examples
        --------
        >>> one = np.zeros(4, np.int64)
        >>> path = rooted(np.array([3, 1, 0]), np.array([1, 0, 2]), one, np.array([0]), 4, np)
        >>> first, size = path.preorder(one, np)
        >>> size
        array([4, 2, 1, 1])
        """
        # Not by bincount: CuPy's takes memory for each number and block of threads.
        begin = xp.searchsorted(xp.sort(tree), xp.arange(int(tree.size) + 1))
        begin = begin.astype(self.depth.dtype)
        first, size = begin[:-1][tree], xp.diff(begin)[tree]
        child, entered = self.child, self.enters[self.child]
        # Up to the arc that enters a vertex, its depth more lead down than up: each to a new one.
        passed = 2 * (size[child] - 1) - entered
        first[child] += (passed + self.depth[child]) // 2
        # Between the two arcs of the edge above a vertex, the tour passes each edge below it twice.
        size[child] = (entered - self.leaves[child] + 1) // 2
        return first, size


def rooted(src: Array, dst: Array, tree: Array, roots: Array, n: int, xp: Any) -> RootedForest:
    """Return a forest rooted at one vertex of each tree.

    Parameters
    ----------
    src, dst : (t,) arrays of int64
        The ends of its edges, among the vertices 0 .. n - 1.
    tree : (n,) array of integers
        The tree of each vertex.
    roots : (k,) array of int64
        The root of each tree; a tree without edges needs none.
    """
    t, small = int(src.size), small_for(2 * n)
    ends = [side.astype(small, copy=False) for side in (src, dst)]
    tail, head = xp.concatenate(ends), xp.concatenate(ends[::-1])
    following, last = _following(tail, roots, n, xp)
    left = _arcs_left(following, last, xp)
    down = xp.arange(t, dtype=small)
    down += xp.where(left[:t] > left[t:], 0, t).astype(small)
    child = head[down]
    enters, leaves = xp.full(n, 2 * t + 1, small), xp.full(n, -1, small)
    enters[child], leaves[child] = left[down], left[_twin(down, t, xp)]
    beyond = xp.zeros(n, small)  # where the tour of each tree ends, one after the other
    beyond[tree[head[last]]] = xp.cumsum(left[following[last]] + 1)
    at = beyond[tree[child]] - 1 - left[down]
    steps = xp.full(2 * t, -1, small)
    steps[at] = 1
    depth = xp.zeros(n, small)
    depth[child] = xp.cumsum(steps)[at]  # each tour ends at its root, so the next begins at 0
    parent, parent_edge = xp.arange(n, dtype=small), xp.full(n, NO_EDGE, small)
    parent[child], parent_edge[child] = tail[down], xp.arange(t, dtype=small)
    return RootedForest(child, parent, parent_edge, depth, enters, leaves)


def small_for(values: int) -> Any:
    """Return the type of integers for the numbers below a count: int32 if they all fit."""
    return np.int32 if values <= 1 << 31 else np.int64


def _following(tail: Array, roots: Array, n: int, xp: Any) -> tuple[Array, Array]:
    """Return the arc after each one in the Euler tour of its tree, and the last arc of each tour.

    The last ones are followed by the first: a tour is a circle.
    """
    arcs, small = int(tail.size), tail.dtype
    by_tail, first = rows_of_each(tail, n, xp)
    by_tail = by_tail.astype(small)
    begin, end = first[:-1], first[1:]
    turned = xp.arange(1, arcs + 1, dtype=small)  # after the last of a tail comes its first again
    filled = xp.flatnonzero(end > begin)
    turned[end[filled] - 1] = begin[filled]
    following = xp.empty(arcs, small)
    following[_twin(by_tail, arcs // 2, xp)] = by_tail[turned]  # an arc goes on from its twin
    begun = roots[end[roots] > begin[roots]]
    return following, _twin(by_tail[end[begun] - 1], arcs // 2, xp)


def _twin(arcs: Array, edges: int, xp: Any) -> Array:
    """Return the other arc of the edge of each arc."""
    return xp.where(arcs < edges, arcs + edges, arcs - edges).astype(arcs.dtype)


def _arcs_left(following: Array, last: Array, xp: Any) -> Array:
    """Return for each arc how many come after it in its tour.

    Parameters
    ----------
    following : (a,) array of integers
        The arc after each one.
    last : (k,) array of integers
        The arc at which each tour ends.
    """
    arcs, small = int(following.size), following.dtype
    stop = xp.full(arcs, NO_EDGE, small)  # the number of the stop that an arc is
    mixed = xp.arange(arcs, dtype=np.uint64) * MIXED
    stop[mixed < np.uint64((1 << 64) // (SPREAD if arcs > FEW else 1) - 1)] = 0
    stop[following[last]] = 0
    stops = xp.flatnonzero(stop == 0).astype(small)
    stop[stops] = xp.arange(stops.size, dtype=small)
    ends = xp.zeros(arcs, bool)
    ends[last] = True
    is_stop = stop != NO_EDGE
    behind, steps = stop, xp.zeros(arcs, small)  # the stop before each arc, and how far that is
    further = xp.arange(stops.size, dtype=small)
    length = xp.ones(stops.size, small)
    walking, at, step = further.copy(), stops, 0
    while walking.size:
        step += 1
        length[walking] = step
        goes_on = ~ends[at]
        walking, at = walking[goes_on], following[at[goes_on]]
        met = is_stop[at]
        further[walking[met]] = stop[at[met]]
        walking, at = walking[~met], at[~met]
        behind[at], steps[at] = walking, step
    final = further == xp.arange(stops.size)
    left = xp.where(final, 0, length)
    for _ in range(int(stops.size).bit_length()):
        left = left + left[further]
        further = further[further]
    left = left + length[further] - 1
    return left[behind] - steps
