"""Paths along a spanning forest: their lengths, their weakest edges, and their edges in order.

The two ends of a pair rise to their lowest common ancestor by jump pointers: level k knows of each
vertex the ancestor 2^k edges above, and the weakest edge on the way there. Levels are as many as
the bits of the greatest depth, so that a deep tree costs memory, and no pair more than two passes
over the levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..graph.sorting import begins, first_of, order_of
from .rooted_forest import RootedForest

APART = -1


def order_from_weakest(weights: Array, row: Array, heavy_is_weak: bool, xp: Any) -> Array:
    """Return the edges from the weakest to the strongest, of equal weights the least row first.

    Parameters
    ----------
    weights : (t,) array
        The weights of the edges, without nan.
    row : (t,) array of int64
        The row of each edge in the caller's list.
    heavy_is_weak : bool
        Whether the greatest weight is the weakest, as in a forest of least weight.
    """
    ascending = xp.argsort(weights, kind="stable")
    group = xp.empty(weights.size, np.int64)  # which can be negated, as no unsigned weight can
    group[ascending] = xp.cumsum(begins([weights[ascending]], xp))
    return order_of([-group if heavy_is_weak else group, row], xp)


@dataclass(frozen=True)
class Jumps:
    """The ancestors of each vertex of a rooted forest, and the weakest edges on the way.

    They take 8 bytes a vertex and level, 16 beyond 2^31 vertices; there are as many levels as the
    greatest depth has bits, at least one.

    Attributes
    ----------
    above : list of (n,) arrays of integers
        The ancestor 2^k edges above each vertex; the root, if it is less deep.
    weakest : list of (n,) arrays of integers
        The place of the weakest of these edges in the order of the edges; t if there is none.
    depth : (n,) array of int64
        The number of edges to the root.
    """

    above: list[Array]
    weakest: list[Array]
    depth: Array

    @classmethod
    def of(cls, forest: RootedForest, order: Array, xp: Any) -> Jumps:
        """Return the ancestors in a forest of t edges.

        Parameters
        ----------
        order : (t,) array of int64
            The edges from the weakest to the strongest.
        """
        n, t = int(forest.depth.size), int(forest.child.size)
        small = np.int32 if n < 1 << 31 else np.int64
        above, weakest = forest.parent.astype(small), xp.full(n, t, small)
        weakest[forest.child[order]] = xp.arange(t, dtype=small)
        ancestors, edges = [above], [weakest]
        deepest = int(forest.depth.max()) if n else 0
        for _ in range(1, deepest.bit_length()):
            weakest = xp.minimum(weakest, weakest[above])
            above = above[above]
            ancestors.append(above)
            edges.append(weakest)
        return cls(ancestors, edges, forest.depth)

    def between(self, first: Array, second: Array, joined: Array, xp: Any) -> tuple[Array, Array]:
        """Return the length of the path of each pair, and the place of its weakest edge.

        Parameters
        ----------
        first, second : (p,) arrays of integers
            The vertices of each pair.
        joined : (p,) array of bool
            Whether the two are in one tree.

        Returns
        -------
        two (p,) arrays of int64
            The number of edges, -1 for a pair that is not joined; and the place of the weakest in
            the order from the weakest, -1 where the path has no edge.
        """
        if not first.size:
            return xp.zeros(0, np.int64), xp.zeros(0, np.int64)
        depths = self.depth[first], self.depth[second]
        swap = depths[0] < depths[1]
        low, high = xp.where(swap, second, first), xp.where(swap, first, second)
        rise = xp.abs(depths[0] - depths[1])
        place = xp.full(first.size, self.depth.size, np.int64)  # more than that of any edge
        for k, (above, weakest) in enumerate(zip(self.above, self.weakest, strict=True)):
            moves = (rise >> k) & 1 == 1
            place = xp.where(moves, xp.minimum(place, weakest[low]), place)
            low = xp.where(moves, above[low], low)
        for above, weakest in zip(reversed(self.above), reversed(self.weakest), strict=True):
            moves = above[low] != above[high]
            both = xp.minimum(weakest[low], weakest[high])
            place = xp.where(moves, xp.minimum(place, both), place)
            low, high = xp.where(moves, above[low], low), xp.where(moves, above[high], high)
        meets = low != high
        both = xp.minimum(self.weakest[0][low], self.weakest[0][high])
        place = xp.where(meets, xp.minimum(place, both), place)
        top = xp.where(meets, self.above[0][low], low)
        length = xp.where(joined, depths[0] + depths[1] - 2 * self.depth[top], APART)
        return length, xp.where(length > 0, place, APART)


def edges_of_paths(
    forest: RootedForest, jumps: Jumps, first: Array, second: Array, length: Array, xp: Any
) -> tuple[Array, Array, Array]:
    """Return the edges of the paths of pairs, each in order from the first vertex to the second.

    Parameters
    ----------
    first, second : (p,) arrays of integers
        The vertices of each pair.
    length : (p,) array of int64
        The number of edges of each path; ``APART`` for a pair without one.

    Returns
    -------
    three (e,) arrays of int64
        The pair of each edge, how many of its path come before it, and its index in the forest.
    """
    count = xp.maximum(length, 0)
    ends = xp.cumsum(count)
    at = xp.arange(int(ends[-1]) if ends.size else 0)
    pair = xp.searchsorted(ends, at, side="right")
    step = at - (ends - count)[pair]
    depth = forest.depth
    rises = step < (length + depth[first] - depth[second])[pair] // 2
    vertex = xp.where(rises, first[pair], second[pair])
    up = xp.where(rises, step, length[pair] - 1 - step)
    for k, above in enumerate(jumps.above):
        vertex = xp.where((up >> k) & 1 == 1, above[vertex], vertex)
    return pair, step, forest.parent_edge[vertex]


def edges_between(forest: RootedForest, tree: Array, first: int, second: int, xp: Any) -> Array:
    """Return the edges of the path from one vertex to another of its tree, in order.

    Parameters
    ----------
    tree : (n,) array of integers
        The tree of each vertex.
    first, second : int
        The two vertices, of one tree.
    """
    near = xp.flatnonzero(tree[forest.child] == tree[first])  # tours of other trees tell nothing
    child = forest.child[near]
    ends = (xp.full(child.size, vertex, np.int64) for vertex in (first, second))
    rises, falls = (forest.below(end, child) for end in ends)
    on_path = xp.flatnonzero(rises != falls)
    depth = forest.depth[child[on_path]]
    return near[on_path[xp.argsort(xp.where(rises[on_path], -depth, depth))]]


def shortest_path(
    src: Array, dst: Array, n: int, first: int, second: int, backend: Backend
) -> list[int] | None:
    """Return the edges of a shortest path from one vertex to another, in order; None without one.

    Of several, the one whose first edge has the least index, of these whose second edge has, and so
    on: the search starts at the second vertex, level by level, and each vertex remembers the least
    edge that leads a level down.

    Parameters
    ----------
    src, dst : (m,) arrays of int64
        The ends of the edges among the vertices 0 .. n - 1.
    """
    xp, m = backend.xp, max(int(src.size), 1)
    tail, head = xp.concatenate([src, dst]), xp.concatenate([dst, src])
    order = xp.argsort(tail, kind="stable")
    starts = xp.searchsorted(tail[order], xp.arange(n + 1))
    via, nearer = (xp.full(n, APART, np.int64) for _ in range(2))
    level = xp.full(1, second, np.int64)
    nearer[level] = second
    while int(nearer[first]) == APART:
        count = starts[level + 1] - starts[level]
        ends = xp.cumsum(count)
        at = xp.arange(int(ends[-1]))
        of = xp.searchsorted(ends, at, side="right")
        arc = order[starts[level][of] + at - (ends - count)[of]]
        fresh = xp.flatnonzero(nearer[head[arc]] == APART)
        arc, near = arc[fresh], level[of[fresh]]
        if not arc.size:
            return None
        least = first_of(head[arc], arc % m, xp)
        level = head[arc[least]]
        via[level], nearer[level] = arc[least] % m, near[least]
    edges, below = backend.to_host(via), backend.to_host(nearer)
    path, vertex = [], first
    while vertex != second:
        path.append(int(edges[vertex]))
        vertex = int(below[vertex])
    return path
