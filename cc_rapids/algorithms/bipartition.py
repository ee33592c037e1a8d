"""Two colours of vertices by the double cover, and odd cycles by a rooted spanning forest.

The double cover of a graph has two vertices for each vertex v, of colours 0 and 1, and two edges
for each edge: each joins an end of colour 0 to the other end of colour 1. Where v can be reached
from itself by an odd number of edges, its two vertices are joined; then the component is not
bipartite.

An odd cycle is found by a spanning forest, that of the first rows, which is the same on every run
and backend. It is rooted by its Euler tours. These pass each edge in both directions, its two
*arcs*: first down, and later up. Where an arc stands in its tour is found by doubling the distance
that each arc looks ahead, so that the rounds grow with the logarithm of the length alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..graph.edges import Edges
from ..graph.forest import Forest
from ..graph.sorting import first_of, order_of
from ..kernels.primitives import none_of
from . import boruvka

NONE = none_of(np.uint64)


def double_cover(src: Array, dst: Array, n: int, xp: Any) -> Edges:
    """Return the edges of the double cover, in which vertex v of colour 1 is n + v.

    Parameters
    ----------
    src, dst : (m,) arrays of int64
        The ends of the edges among the vertices 0 .. n - 1.
    """
    word = np.uint32 if 2 * n < 1 << 32 else np.uint64
    src, dst, beyond = src.astype(word), dst.astype(word), word(n)
    return Edges(xp.concatenate([src, src + beyond]), xp.concatenate([dst + beyond, dst]), 0)


def forest_of_first_rows(src: Array, dst: Array, n: int, backend: Backend) -> Array:
    """Return the rows of edges that earlier rows do not join, as int64 in their order.

    They are a spanning forest, which depends on the edges alone: the one of least weight, where all
    weights are equal.

    Parameters
    ----------
    src, dst : (m,) arrays of int64
        The ends of the edges among the vertices 0 .. n - 1.
    """
    weights = backend.fill(backend.empty(src.size, np.uint8), 0)
    forest, order = Forest(backend, n), boruvka.WeightOrder.of(weights, False, backend)
    hook_edge = backend.fill(backend.empty(n, np.uint64), 0xFF)
    boruvka.solve(Edges(src, dst, 0), forest, n, order, hook_edge)
    return backend.xp.sort(hook_edge[hook_edge != NONE]).astype(np.int64)


@dataclass(frozen=True)
class RootedForest:
    """A spanning forest whose edges have a direction, from the root of each tree.

    Attributes
    ----------
    child : (t,) array of int64
        The lower end of each edge.
    depth : (n,) array of int64
        The number of edges to the root; 0 for vertices without an edge of the forest, too.
    enters, leaves : (n,) arrays of int64
        The arcs that are left of the tour when it reaches a vertex first, and when it leaves it at
        last: of the vertices of one tree, those below v are entered between the two.
    """

    child: Array
    depth: Array
    enters: Array
    leaves: Array

    def below(self, vertices: Array, tops: Array) -> Array:
        """Return whether each vertex is one of some vertices of its tree, or below it."""
        entered = self.enters[vertices]
        return (self.enters[tops] >= entered) & (entered > self.leaves[tops])


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
    return RootedForest(child, depth, enters, leaves)


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


def odd_cycles(
    ends: tuple[Array, Array], tree: Array, odd: Array, roots: Array, backend: Backend
) -> tuple[Array, Array]:
    """Return one cycle of odd length for each component that has one.

    An edge whose ends have depths of equal parity, and the path between them in the forest, are
    such a cycle. The first self-loop is taken if there is one, else the first such edge.

    Parameters
    ----------
    ends : (src, dst), (m,) arrays of int64
        The ends of all edges, among n vertices.
    tree : (n,) array of integers
        The component of each vertex.
    odd : (k,) array of bool
        Whether each component has an odd cycle.
    roots : (k,) array of int64
        A vertex of each component.

    Returns
    -------
    two arrays of int64, component and row
        The rows around each cycle, from one end of the edge that closes it to the other, and then
        that edge; the cycles in the order of the components.
    """
    xp, n = backend.xp, int(tree.size)
    loops = xp.flatnonzero(ends[0] == ends[1])
    loops = loops[first_of(tree[ends[0][loops]], loops, xp)]
    looped = tree[ends[0][loops]]
    odd = odd.copy()
    odd[looped] = False
    rows = xp.flatnonzero(odd[tree[ends[0]]])
    src, dst = (side[rows] for side in ends)
    hooks = forest_of_first_rows(src, dst, n, backend)
    forest = rooted(src[hooks], dst[hooks], tree, roots[xp.flatnonzero(odd)], n, xp)
    even = xp.flatnonzero((forest.depth[src] - forest.depth[dst]) % 2 == 0)
    closing = even[first_of(tree[src[even]], even, xp)]
    closed = tree[src[closing]]
    edge_of = xp.zeros(int(odd.size), np.int64)
    edge_of[closed] = closing
    own = edge_of[tree[forest.child]]  # the edge that closes the cycle of each edge's component
    first, second = (forest.below(side[own], forest.child) for side in (src, dst))
    on_cycle = xp.flatnonzero(first != second)
    child = forest.child[on_cycle]
    rises = forest.depth[child]
    place = xp.where(first[on_cycle], -rises, rises)
    last = xp.full(closing.size + loops.size, n, np.int64)  # no depth is as large
    component = xp.concatenate([tree[child], closed, looped]).astype(np.int64)
    row = xp.concatenate([rows[hooks[on_cycle]], rows[closing], loops])
    order = order_of([component, xp.concatenate([place, last])], xp)
    return component[order], row[order]
