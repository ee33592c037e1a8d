"""Find bridges, articulation points and biconnected components (blocks).

A bridge is always an edge of the spanning forest. The forest is rooted and numbered in preorder, so
that a subtree is an interval. The edge above a vertex is a bridge if and only if no other edge
leaves the subtree of the vertex. This is the case if the least and the greatest number reached from
the subtree lie in the interval of the subtree (Tarjan and Vishkin 1985). A parallel edge counts as
another edge.

A block is a maximal set of edges that no articulation point separates. The forest is not
depth-first, so a non-tree edge may join two unrelated subtrees. The vertices of a block, except the
top vertex, are connected by two kinds of edges: non-tree edges between unrelated vertices, and tree
edges for which another edge leads from the subtree of the lower endpoint out of the subtree of the
upper endpoint (Dong, Wang, Gu and Sun, "Provably fast and space-efficient parallel biconnectivity",
PPoPP 2023).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..backends import Array, Backend
from ..kernels import forest as trees
from ..kernels import lookup, tours
from .rooted_forest import NO_EDGE, RootedForest, rooted, word_of

SAMPLED = 1000  # number of edges whose reverse is looked up


def share_reversed(ends: tuple[Array, Array], n: int, backend: Backend) -> float:
    """Return the share of edges whose reverse is an edge too, in a sample without self-loops.

    ``ends`` are two (m,) arrays of vertices below n, as int64. The sample is compared only with
    edges whose source is the destination of a sampled edge, because no other edge is a reverse.
    """
    xp, (src, dst) = backend.xp, ends
    step = max(src.size // SAMPLED, 1)
    sampled = src[::step], dst[::step]
    no_loop = sampled[0] != sampled[1]
    sampled_src, sampled_dst = (side[no_loop] for side in sampled)
    if not sampled_src.size:
        return 0.0
    is_sampled_dst = xp.zeros(n, np.bool_)
    is_sampled_dst[sampled_dst] = True
    rows = xp.flatnonzero(is_sampled_dst[src])
    is_reversed = xp.isin(sampled_dst * n + sampled_src, src[rows] * n + dst[rows])
    return float(is_reversed.mean())


@dataclass(frozen=True)
class Reached:
    """A rooted spanning forest, and the vertices that non-tree edges reach from each subtree.

    All arrays have integers.
    """

    ends: tuple[Array, Array]  # (m,) the endpoints of all edges, among n vertices
    hooks: Array  # (t,) the rows of the forest's edges, in ascending order
    forest: RootedForest
    first: Array  # (n,) the preorder number of each vertex
    # For the subtree of each preorder number, its size, and the least and the greatest preorder
    # number of its vertices and of their neighbours along non-tree edges; (n,) each
    size: Array
    least: Array
    greatest: Array

    @classmethod
    def of(
        cls, ends: tuple[Array, Array], hooks: Array, roots: Array, n: int, backend: Backend
    ) -> Reached:
        """Root a spanning forest, and compute the range of numbers that each subtree reaches.

        There is at least one edge. ``ends`` and ``hooks`` become attributes without a copy.
        ``roots``, an array of integers, has one vertex of each component.
        """
        xp, word, t = backend.xp, word_of(n), int(hooks.size)
        hooked_ends = backend.empty(t, word), backend.empty(t, word)
        for side, hooked in zip(ends, hooked_ends, strict=True):
            backend.kernel(lookup.take)(t, hooks, side, hooked)
        forest = rooted(*hooked_ends, roots, n, backend)
        first, size_of_vertex = forest.preorder()
        size = xp.empty_like(size_of_vertex)
        size[first] = size_of_vertex
        in_forest = xp.zeros(ends[0].size, np.uint8)
        in_forest[hooks] = 1
        least, greatest = backend.empty(n, word), backend.empty(n, word)
        for numbers in (least, greatest):  # each vertex reaches its own number
            backend.kernel(trees.init_singletons, word)(n, numbers)
        reach = backend.kernel(tours.reach, word)
        reach(ends[0].size, *ends, in_forest, first.view(word), least, greatest)
        lows, highs = _over_intervals(size.view(word), least, greatest, backend)
        extremes = lows.view(first.dtype), highs.view(first.dtype)
        return cls(ends, hooks, forest, first, size, *extremes)

    def bridges(self) -> Array:
        """Return the rows of the bridges, as int64 in ascending order."""
        begin = self.forest.backend.xp.arange(self.first.size, dtype=self.first.dtype)
        # whether no other edge leaves the subtree of each preorder number
        is_closed = (self.least >= begin) & (self.greatest < begin + self.size)
        return self.hooks[is_closed[self.first[self.forest.child]]].astype(np.int64)

    def skeleton(self, backend: Backend) -> tuple[Array, Array]:
        """Return edges whose components are the blocks, each without its top vertex.

        The two kinds of edges that connect the vertices of a block are kept (see the description of
        this module). All other edges are replaced by loops. The result is two (m,) arrays of
        unsigned integers, the endpoints.
        """
        forest, (src, dst) = self.forest, self.ends
        word = word_of(forest.parent.size)
        us, vs = backend.empty(src.size, word), backend.empty(src.size, word)
        tour = forest.enters.view(word), forest.leaves.view(word)
        # edges between unrelated vertices are kept, and all other edges become loops
        backend.kernel(tours.keep_across, word)(src.size, src, dst, *tour, us, vs)
        upper = forest.parent[forest.child]
        us[self.hooks] = forest.child
        lower, begin = self.first[forest.child], self.first[upper]
        # whether no other edge leads from below the edge out of the subtree of its upper endpoint
        is_closed = self.least[lower] >= begin
        is_closed &= self.greatest[lower] < begin + self.size[begin]
        vs[self.hooks] = backend.xp.where(is_closed, forest.child, upper)
        return us, vs

    def articulation_points(self, block: Array, backend: Backend) -> Array:
        """Return the vertices in at least two blocks, as int64 in ascending order.

        ``block``, an (n,) array of integers, has one vertex of the component of each vertex in
        :meth:`skeleton`.
        """
        forest, xp = self.forest, backend.xp
        # a child whose parent is in another component: the parent is the top of the child's block
        below_top = forest.child[block[forest.child] != block[forest.parent[forest.child]]]
        top = xp.full(block.size, NO_EDGE, np.int64)  # the top vertex of each block
        top[block[below_top]] = forest.parent[below_top]
        # for each vertex, the number of blocks whose top it is
        block_count = backend.counts(top[top != NO_EDGE], block.size)
        block_count += forest.parent_edge != NO_EDGE  # the block of the edge to its parent
        return xp.flatnonzero(block_count > 1)

    def edge_blocks(self, block: Array, backend: Backend) -> tuple[Array, Array]:
        """Return the rows of all edges except self-loops, and the number of the block of each edge.

        Of all vertices of a block, the tour enters the top vertex first. So of the two endpoints of
        an edge, the endpoint that the tour enters later is not the top vertex. The component of
        this endpoint is the block of the edge. ``block`` is as for :meth:`articulation_points`.

        The results are two (k,) arrays of int64, the rows and the numbers. The blocks are numbered
        0, 1, ... in the order of their first rows.
        """
        (src, dst), enters, xp = self.ends, self.forest.enters, backend.xp
        rows = xp.flatnonzero(src != dst).astype(np.int64)
        src, dst = src[rows], dst[rows]
        block_of_edge = block[xp.where(enters[src] < enters[dst], dst, src)]
        word = word_of(int(rows.size))
        first_of_block = backend.fill(backend.empty(block.size, word), 0xFF)
        backend.kernel(trees.scatter_min, word)(rows.size, block_of_edge, first_of_block)
        # for each edge, the first edge of its block, at which the block gets the next number
        first_edge = first_of_block[block_of_edge].astype(np.int64)
        numbers = xp.cumsum(first_edge == xp.arange(rows.size)) - 1
        return rows, numbers[first_edge].astype(np.int64)


def _over_intervals(
    lengths: Array, least: Array, greatest: Array, backend: Backend
) -> tuple[Array, Array]:
    """Return the minimum of ``least`` and the maximum of ``greatest`` over intervals.

    One interval begins at each position, and ``lengths`` are the lengths. All three are (n,) arrays
    of unsigned integers and are not changed. Level k of a sparse table (``low``, ``high``) has, for
    each block of values, the extremes of 2^k blocks from this block on, or up to the last block.
    """
    word, block_count = least.dtype.type, -(-int(least.size) // tours.BLOCK)
    levels = block_count.bit_length()
    low, high = (backend.empty(levels * block_count, word) for _ in range(2))
    backend.kernel(tours.extremes_of_blocks)(block_count, least, greatest, low, high)
    double = backend.kernel(tours.double_blocks)
    for level in range(1, levels):
        half = 1 << (level - 1)  # the number of blocks of an entry one level lower
        double(block_count, level * block_count, half, block_count, low, high)
    lows, highs = (backend.empty(lengths.size, word) for _ in range(2))
    backend.kernel(tours.extremes_of_subtrees, word)(
        lengths.size, lengths, least, greatest, block_count, low, high, lows, highs
    )
    return lows, highs
