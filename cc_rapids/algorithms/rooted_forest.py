"""Rooted forests, by the Euler tours of their trees.

A tour passes each edge in both directions, its two *arcs*: first down, and later up. Where an arc
stands in its tour is found by doubling the distance that each arc looks ahead, so that the rounds
grow with the logarithm of the length alone: a path is as good as a star.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..backends import Array
from ..graph.sorting import order_of

NO_EDGE = -1


@dataclass(frozen=True)
class RootedForest:
    """A spanning forest whose edges have a direction, from the root of each tree.

    Attributes
    ----------
    child : (t,) array of int64
        The lower end of each edge.
    parent : (n,) array of int64
        The upper end of the edge above each vertex; roots, and vertices without an edge of the
        forest, are their own.
    parent_edge : (n,) array of int64
        The index of that edge in the forest; ``NO_EDGE`` where there is none.
    depth : (n,) array of int64
        The number of edges to the root; 0 for vertices without an edge of the forest, too.
    enters, leaves : (n,) arrays of int64
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
        n = int(tree.size)
        first, order = xp.empty(n, np.int64), order_of([tree, -self.enters], xp)
        first[order] = xp.arange(n)
        # Not by bincount: CuPy's takes memory for each number and block of threads.
        size = xp.diff(xp.searchsorted(tree[order], xp.arange(n + 1)))[tree]
        # Between the two arcs of the edge above a vertex, the tour passes each edge below it twice.
        size[self.child] = (self.enters[self.child] - self.leaves[self.child] + 1) // 2
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
    t = int(src.size)
    tail, head = xp.concatenate([src, dst]), xp.concatenate([dst, src])
    twin = xp.concatenate([xp.arange(t, 2 * t), xp.arange(t)])
    left = _arcs_left(tail, twin, roots, n, xp)
    down = xp.where(left[:t] > left[t:], xp.arange(t), xp.arange(t, 2 * t))
    child = head[down]
    enters, leaves = xp.full(n, 2 * t + 1, np.int64), xp.full(n, -1, np.int64)
    enters[child], leaves[child] = left[down], left[twin[down]]
    step = xp.full(2 * t, -1, np.int64)
    step[down] = 1
    order = order_of([tree[tail], -left], xp)
    walked = xp.empty(2 * t, np.int64)
    walked[order] = xp.cumsum(step[order])  # each tour ends at its root, so the next begins at 0
    depth = xp.zeros(n, np.int64)
    depth[child] = walked[down]
    parent, parent_edge = xp.arange(n), xp.full(n, NO_EDGE, np.int64)
    parent[child], parent_edge[child] = tail[down], xp.arange(t)
    return RootedForest(child, parent, parent_edge, depth, enters, leaves)


def _arcs_left(tail: Array, twin: Array, roots: Array, n: int, xp: Any) -> Array:
    """Return for each arc how many come after it in the Euler tour of its tree."""
    arcs = int(tail.size)
    by_tail = xp.argsort(tail, kind="stable")
    first = xp.searchsorted(tail[by_tail], xp.arange(n + 1))
    turned = xp.arange(1, arcs + 1)  # the next arc with the same tail, and after the last the first
    filled = xp.flatnonzero(first[1:] > first[:-1])
    turned[first[1:][filled] - 1] = first[:-1][filled]
    after = xp.empty(arcs, np.int64)
    after[by_tail] = by_tail[turned]
    following = after[twin]
    begun = roots[first[1:][roots] > first[:-1][roots]]
    last = twin[by_tail[first[1:][begun] - 1]]  # it returns to the root for the last time
    following[last] = last
    left = xp.ones(arcs, np.int64)
    left[last] = 0
    for _ in range(arcs.bit_length()):
        left = left + left[following]
        following = following[following]
    return left
