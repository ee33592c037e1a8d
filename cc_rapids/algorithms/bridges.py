"""Bridges and articulation points: without one of these, a component falls into several.

Only an edge of a spanning forest can be one. The forest is rooted and its vertices are numbered in
preorder, so that those below a vertex are an interval. The edge above the vertex is a bridge if no
other edge leaves the interval: neither the least nor the greatest number that is reached from it is
outside (Tarjan and Vishkin 1985). An edge that repeats one of the forest is another edge.

Blocks are the largest sets of edges without an articulation point. The forest is not one of a
depth-first search, so that other edges join subtrees that are not below each other: the vertices of
a block, without the uppermost one, are a component of such edges and of those of the forest through
which something leaves the subtree of the upper end (Dong, Wang, Gu and Sun, "Provably fast and
space-efficient parallel biconnectivity", PPoPP 2023).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..backends import Array, Backend
from ..kernels import forest as trees
from ..kernels import lookup, tours
from .rooted_forest import NO_EDGE, RootedForest, rooted, word_of


@dataclass(frozen=True)
class Reached:
    """A rooted spanning forest, and how far other edges reach from below each of its edges.

    Attributes
    ----------
    ends : (src, dst), (m,) arrays of integers
        The ends of all edges, among n vertices.
    hooks : (t,) array of integers
        The rows of the edges of the forest, in their order.
    forest : RootedForest
        Of these edges.
    first, size : (n,) arrays of integers
        The number of each vertex in preorder, and how many are it or below it.
    least, greatest : (t,) arrays of integers
        For each edge of the forest, the least and the greatest number of a vertex at its lower end
        or below, or that one other edge joins to these.
    """

    ends: tuple[Array, Array]
    hooks: Array
    forest: RootedForest
    first: Array
    size: Array
    least: Array
    greatest: Array

    @classmethod
    def of(
        cls, ends: tuple[Array, Array], hooks: Array, roots: Array, n: int, backend: Backend
    ) -> Reached:
        """Return these facts about edges.

        Parameters
        ----------
        ends : (src, dst), (m,) arrays of integers
            Of one edge or more among the vertices 0 .. n - 1. Kept, not copied.
        hooks : (t,) array of integers
            The rows of a spanning forest, in their order.
        roots : (k,) array of integers
            A vertex of each component.
        """
        xp, word, t = backend.xp, word_of(n), int(hooks.size)
        hooked_ends = backend.empty(t, word), backend.empty(t, word)
        for side, hooked in zip(ends, hooked_ends, strict=True):
            backend.kernel(lookup.take)(t, hooks, side, hooked)
        forest = rooted(*hooked_ends, roots, n, backend)
        first, size = forest.preorder()
        in_forest = xp.zeros(ends[0].size, np.uint8)
        in_forest[hooks] = 1
        least, greatest = backend.empty(n, word), backend.empty(n, word)
        for extremes in (least, greatest):
            backend.kernel(trees.init_singletons, word)(n, extremes)
        reach = backend.kernel(tours.reach, word)
        reach(ends[0].size, *ends, in_forest, first.view(word), least, greatest)
        child, begin, length = (array.view(word) for array in (forest.child, first, size))
        lows, highs = _over_intervals(child, begin, length, least, greatest, backend)
        below = lows.view(first.dtype), highs.view(first.dtype)
        return cls(ends, hooks, forest, first, size, *below)

    def stays_below(self, tops: Array) -> Array:
        """Return for each edge of the forest whether all that it reaches is a vertex or below it.

        Parameters
        ----------
        tops : (t,) array of int64
            The vertex for each edge.
        """
        begin = self.first[tops]
        return (self.least >= begin) & (self.greatest < begin + self.size[tops])

    def bridges(self) -> Array:
        """Return the rows of the edges that are bridges, as int64 in their order."""
        return self.hooks[self.stays_below(self.forest.child)].astype(np.int64)

    def skeleton(self, backend: Backend) -> tuple[Array, Array]:
        """Return edges whose components are the blocks, each without its uppermost vertex.

        They are the edges of the forest from whose lower end something leaves the subtree of the
        upper one, and the other edges whose ends are not below each other (Dong et al. 2023). All
        others are loops.

        Returns
        -------
        two (m,) arrays of unsigned integers, the ends
        """
        forest, (src, dst) = self.forest, self.ends
        word = word_of(forest.parent.size)
        us, vs = backend.empty(src.size, word), backend.empty(src.size, word)
        tour = forest.enters.view(word), forest.leaves.view(word)
        backend.kernel(tours.keep_across, word)(src.size, src, dst, *tour, us, vs)
        upper = forest.parent[forest.child]
        us[self.hooks] = forest.child
        vs[self.hooks] = backend.xp.where(self.stays_below(upper), forest.child, upper)
        return us, vs

    def articulation_points(self, block: Array, backend: Backend) -> Array:
        """Return the vertices of two blocks or more, as int64 in their order.

        Parameters
        ----------
        block : (n,) array of integers
            The component of each vertex by :meth:`skeleton`, as one of its vertices.
        """
        forest, xp = self.forest, backend.xp
        outer = forest.child[block[forest.child] != block[forest.parent[forest.child]]]
        above = xp.full(block.size, NO_EDGE, np.int64)
        above[block[outer]] = forest.parent[outer]  # the uppermost vertex of a block is one
        blocks = backend.counts(above[above != NO_EDGE], block.size)
        blocks += forest.parent_edge != NO_EDGE  # that of a vertex itself, unless it is a root
        return xp.flatnonzero(blocks > 1)


def _over_intervals(
    child: Array, first: Array, size: Array, least: Array, greatest: Array, backend: Backend
) -> tuple[Array, Array]:
    """Return the least and the greatest value of the interval of each edge's lower end.

    Extremes are kept of blocks, and of 2, 4, 8, ... blocks from each on; those that would lie
    beyond the end are of as many as there are.

    Parameters
    ----------
    child : (t,) array of unsigned integers
        The lower end of each edge.
    first, size : (n,) arrays of unsigned integers
        The first place of the interval of each vertex, and the number of its places, 1 at least.
    least, greatest : (n,) arrays of unsigned integers
        The values to reduce to the least and the greatest. Not changed.
    """
    word, width = least.dtype.type, -(-int(least.size) // tours.BLOCK)
    levels = width.bit_length()
    low, high = (backend.empty(levels * width, word) for _ in range(2))
    backend.kernel(tours.extremes_of_blocks)(width, least, greatest, low, high)
    double = backend.kernel(tours.double_blocks)
    for level in range(1, levels):
        double(width, level * width, 1 << level - 1, width, low, high)
    lows, highs = (backend.empty(child.size, word) for _ in range(2))
    backend.kernel(tours.extremes_of_subtrees, word)(
        child.size, child, first, size, least, greatest, width, low, high, lows, highs
    )
    return lows, highs
