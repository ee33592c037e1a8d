"""Paths in a spanning forest: lengths, weakest edges, and edges in order.

Uses a heavy-path decomposition. The path between two vertices climbs from both vertices to their
lowest common ancestor, along at most log2 n heavy paths on each side. So the path consists of few
segments of heavy paths, and the edges of a segment are contiguous in memory. The memory per vertex
does not depend on the depth of a tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..errors import InputError, counted
from ..graph.sorting import first_of, rows_of_each
from .intervals import Minima
from .rooted_forest import NO_EDGE, RootedForest

APART = -1  # the length of the path of a pair whose vertices are in different trees
UNREACHED = -1  # the next vertex of a vertex that a search has not visited


def order_from_weakest(weights: Array, heavy_is_weak: bool, xp: Any) -> Array:
    """Return the edges from the weakest to the strongest; equal weights stay in order.

    ``weights`` are numbers without NaN. ``heavy_is_weak`` is whether the greatest weight is the
    weakest, as in a minimum spanning forest.
    """
    if not heavy_is_weak:
        return xp.argsort(weights, kind="stable")
    # Two reversals sort in descending order and keep the order of equal weights.
    backwards = xp.argsort(weights[::-1], kind="stable")[::-1]
    return weights.size - 1 - backwards


@dataclass(frozen=True)
class Piece:
    """One segment of each of q paths: the edges above consecutive vertices of a heavy path.

    If ``is_last``, the segments end at the lowest common ancestors. Such a segment may be empty,
    with top = bottom + 1. Other segments end at the head of a heavy path.
    """

    pair: Array  # (q,) int64, the pairs to whose paths the segments belong
    # (q,) bool, whether the segment is between the first vertex of the pair and the lowest common
    # ancestor; otherwise it is on the side of the second vertex
    from_first: Array
    top: Array  # (q,) integers, the number of the uppermost vertex of the segment
    bottom: Array  # (q,) integers, the number of the lowest vertex of the segment
    is_last: bool


@dataclass(frozen=True)
class Chains:
    """Heavy-path decomposition of a rooted forest, which answers queries about many paths together.

    The edge to a child is heavy if the subtree of the child has at least half of the vertices of
    the subtree of the parent. A vertex has at most one heavy edge to a child, and at most log2 n
    edges above a vertex are light. Vertices are numbered in a preorder in which the vertices of a
    heavy path are consecutive.

    The decomposition needs 20 bytes per vertex, or 33 if it answers queries of weakest edges, for
    trees of any depth. For 2^30 or more vertices, it needs twice as much memory. Each array has n
    integers. All arrays except ``number`` are ordered by the numbers of the vertices.
    """

    number: Array  # the number of each vertex
    above: Array  # the number of the parent, or for a root its own number
    head: Array  # the number of the first vertex of the heavy path
    depth: Array  # the number of edges to the root
    rank: Array  # the rank of the edge to the parent; for a root, the number of edges
    since_head: Array | None  # the least rank from the head of the heavy path to the vertex
    minima: Minima | None  # range minima of the ranks

    @classmethod
    def of(cls, forest: RootedForest, order: Array | None, xp: Any) -> Chains:
        """Decompose a forest that has a root for each tree, including trees of one vertex.

        ``order``, an array of int64, are the edges from the weakest to the strongest. If it is
        None, edges are ranked as listed, and queries of weakest edges are not answered.
        """
        n, t = int(forest.parent.size), int(forest.child.size)
        dtype = forest.depth.dtype
        number, is_heavy = _numbers(forest, xp)
        above, depth, begins = xp.empty(n, dtype), xp.empty(n, dtype), xp.ones(n, bool)
        above[number], depth[number] = number[forest.parent], forest.depth
        begins[number[forest.child[is_heavy]]] = False
        # the k-th heavy path contains the vertices from its head up to the next head
        head = xp.flatnonzero(begins).astype(dtype)[xp.cumsum(begins) - 1]
        rank = xp.full(n, t, dtype)
        child = forest.child if order is None else forest.child[order]
        rank[number[child]] = xp.arange(t, dtype=dtype)
        if order is None:
            return cls(number, above, head, depth, rank, None, None)
        since_head = _since_head(rank, head, xp)
        return cls(number, above, head, depth, rank, since_head, Minima.of(rank, xp))

    def pieces(self, first: Array, second: Array, pair: Array, xp: Any) -> Iterator[Piece]:
        """Yield the segments of the paths of pairs, one segment per path at a time.

        ``first`` and ``second``, (p,) arrays of integers, are the vertices of each pair. ``pair``
        are the numbers of the pairs whose vertices are in one tree, as int64. Raise an InputError
        if the edges of the forest do not connect such a pair, because its path would not end.
        """
        low, high = self.number[first[pair]], self.number[second[pair]]
        from_first = xp.zeros(pair.size, bool)
        # there are at most log2 n light edges on each side of a path
        for _ in range(2 * int(self.number.size).bit_length() + 1):
            if not pair.size:
                return
            # climb from the greater number: in a preorder, ancestors have lower numbers
            swaps = low > high
            low, high = xp.where(swaps, high, low), xp.where(swaps, low, high)
            from_first ^= swaps
            head = self.head[high]
            meets = head <= low  # the lower number is on the same heavy path: the last segment
            done = xp.flatnonzero(meets)
            yield Piece(pair[done], from_first[done], low[done] + 1, high[done], True)
            climbing = xp.flatnonzero(~meets)
            columns = pair, from_first, low, high, head
            pair, from_first, low, high, head = (column[climbing] for column in columns)
            yield Piece(pair, from_first, head, high, False)
            high = self.above[head]
        if pair.size:
            raise InputError(
                f"{counted(int(pair.size), 'path')} along the forest would not end, because its"
                " edges do not span the components: find the components and their forest again"
            )

    def between(self, first: Array, second: Array, joined: Array, xp: Any) -> tuple[Array, Array]:
        """Return the length of each pair's path and the rank of its weakest edge.

        ``joined``, a (p,) array of bool, is whether the vertices ``first`` and ``second`` of a pair
        are in one tree. The results are two (p,) arrays of int64. A length is -1 if the vertices
        are in different trees. A rank is -1 if the path has no edge or no order was given.
        """
        length, weakest = (xp.full(first.size, APART, np.int64) for _ in range(2))
        no_rank = int(self.rank.size)  # greater than any rank
        rank = xp.full(first.size, no_rank, self.rank.dtype)
        for piece in self.pieces(first, second, xp.flatnonzero(joined), xp):
            pair, with_edges = piece.pair, xp.flatnonzero(piece.bottom >= piece.top)
            if piece.is_last:
                depths = (self.depth[self.number[side[pair]]] for side in (first, second))
                ancestor = piece.top - 1  # the lowest common ancestor
                length[pair] = sum(depths) - 2 * self.depth[ancestor].astype(np.int64)
            if self.minima is None or self.since_head is None:
                continue  # no order was given
            if piece.is_last:
                least = self.minima.over(piece.top[with_edges], piece.bottom[with_edges], xp)
            else:
                least = self.since_head[piece.bottom[with_edges]]
            pair = pair[with_edges]
            rank[pair] = xp.minimum(rank[pair], least.astype(rank.dtype))
        with_edges = xp.flatnonzero(rank < no_rank)
        weakest[with_edges] = rank[with_edges]
        return length, weakest

    def edges_along(
        self, first: Array, second: Array, length: Array, xp: Any
    ) -> tuple[Array, Array, Array]:
        """Return the edges of the paths of pairs, in order from the first vertex to the second.

        ``length``, a (p,) array of int64, is the number of edges of each path; ``APART`` for a pair
        in two trees. The results are three (e,) arrays of int64: the pair of each edge, the number
        of edges before it on the path, and its rank.
        """
        path_length = xp.maximum(length, 0)
        path_ends = xp.cumsum(path_length)
        starts, total = path_ends - path_length, int(path_ends[-1]) if path_ends.size else 0
        first_depth, second_depth = (self.depth[self.number[side]] for side in (first, second))
        pairs, steps, ranks = (xp.empty(total, np.int64) for _ in range(3))
        for piece in self.pieces(first, second, xp.flatnonzero(length > 0), xp):
            lengths = (piece.bottom - piece.top + 1).astype(np.int64)
            ends = xp.cumsum(lengths)
            index = xp.arange(int(ends[-1]) if ends.size else 0)  # the edges of all segments
            segment = xp.searchsorted(ends, index, side="right")
            # the vertex at the lower end of each edge
            vertex = piece.top[segment] + (index - (ends - lengths)[segment])
            pair, depth = piece.pair[segment], self.depth[vertex]
            step_up = first_depth[pair] - depth  # edges below come earlier
            step_down = length[pair] - 1 - (second_depth[pair] - depth)  # edges below come later
            step = xp.where(piece.from_first[segment], step_up, step_down)
            position = starts[pair] + step
            pairs[position], steps[position], ranks[position] = pair, step, self.rank[vertex]
        return pairs, steps, ranks


def _numbers(forest: RootedForest, xp: Any) -> tuple[Array, Array]:
    """Return vertex numbers in which heavy paths are consecutive, and a mask of the heavy edges.

    In a preorder, the number of a child is the number of its parent plus one, plus the sizes of the
    subtrees of the children that come before this child. The function computes how much each number
    changes if the heavy child comes first. A change moves a whole subtree. So the changes are
    summed along the Euler tour: a change is added where the tour enters the vertex, and subtracted
    where the tour leaves it.
    """
    number, size = forest.preorder()
    n = int(number.size)
    child, parent = forest.child, forest.parent[forest.child]
    is_heavy = 2 * size[child] >= size[parent]
    heavy_child = xp.full(n, NO_EDGE, number.dtype)
    heavy_child[parent[is_heavy]] = child[is_heavy]
    heavy_sibling = heavy_child[parent]
    # children before the heavy child move back by its size; the heavy child follows its parent
    moves_back = ~is_heavy & (heavy_sibling != NO_EDGE) & (number[child] < number[heavy_sibling])
    change = xp.where(moves_back, size[heavy_sibling], 0)
    change[is_heavy] = number[parent[is_heavy]] + 1 - number[child[is_heavy]]
    changes = xp.zeros(2 * n, np.int64)
    # Up to the arc into a child, the tour takes ``number`` arcs down, and returns along all but
    # ``depth`` of them. The arc to the first root is not counted.
    enters = 2 * number[child] - forest.depth[child] - 1
    changes[enters], changes[enters + 2 * size[child] - 1] = change, -change
    number[child] += xp.cumsum(changes)[enters].astype(number.dtype)
    return number, is_heavy


def _since_head(rank: Array, head: Array, xp: Any) -> Array:
    """Return for each vertex the least rank from the head of its heavy path to the vertex."""
    least = rank.copy()
    distance = xp.arange(rank.size, dtype=head.dtype) - head
    longest, step = int(distance.max()) if distance.size else 0, 1
    while step <= longest:  # each round doubles the number of vertices that a minimum covers
        is_in_path = distance[step:] >= step
        least[step:] = xp.where(is_in_path, xp.minimum(least[step:], least[:-step]), least[step:])
        step *= 2
    return least


def shortest_path(
    src: Array, dst: Array, n: int, first: int, second: int, backend: Backend
) -> list[int] | None:
    """Return the edges of a shortest path from ``first`` to ``second``; None if there is no path.

    Of several shortest paths, the one with the lexicographically least edge indices is returned. A
    breadth-first search starts at ``second``, and each vertex keeps its least edge to the previous
    level. ``src`` and ``dst``, (m,) arrays of int64, are the endpoints of the edges among n
    vertices.
    """
    xp, m = backend.xp, max(int(src.size), 1)  # m is a divisor
    tail, head = xp.concatenate([src, dst]), xp.concatenate([dst, src])  # arc e + m reverses arc e
    order, starts = rows_of_each(tail, n, xp)  # arcs by tail, and the first arc of each vertex
    next_edge, next_vertex = (xp.full(n, UNREACHED, np.int64) for _ in range(2))
    level = xp.full(1, second, np.int64)
    next_vertex[level] = second
    while int(next_vertex[first]) == UNREACHED:
        count = starts[level + 1] - starts[level]
        ends = xp.cumsum(count)
        index = xp.arange(int(ends[-1]))  # the arcs from all vertices of the level
        source = xp.searchsorted(ends, index, side="right")  # positions of their tails in level
        arc = order[starts[level][source] + (index - (ends - count)[source])]
        new = xp.flatnonzero(next_vertex[head[arc]] == UNREACHED)
        arc, vertex_of_arc = arc[new], level[source[new]]
        if not arc.size:
            return None
        least = first_of(head[arc], arc % m, xp)
        level = head[arc[least]]
        next_edge[level], next_vertex[level] = arc[least] % m, vertex_of_arc[least]
    edges, vertices = backend.to_host(next_edge), backend.to_host(next_vertex)
    path, vertex = [], first
    while vertex != second:
        path.append(int(edges[vertex]))
        vertex = int(vertices[vertex])
    return path
