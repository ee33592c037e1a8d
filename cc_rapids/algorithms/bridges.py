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
from typing import Any

import numpy as np

from ..backends import Array, Backend
from .bipartition import forest_of_first_rows
from .intervals import over_intervals
from .rooted_forest import NO_EDGE, RootedForest, rooted


@dataclass(frozen=True)
class Reached:
    """A rooted spanning forest, and how far other edges reach from below each of its edges.

    Attributes
    ----------
    ends : (src, dst), (m,) arrays of int64
        The ends of all edges, among n vertices.
    hooks : (t,) array of int64
        The rows of the edges of the forest, in their order.
    forest : RootedForest
        Of these edges.
    first, size : (n,) arrays of int64
        The number of each vertex in preorder, and how many are it or below it.
    least, greatest : (t,) arrays of int64
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
        cls,
        ends: tuple[Array, Array],
        tree: Array,
        roots: Array,
        backend: Backend,
        hooks: Array | None = None,
    ) -> Reached:
        """Return these facts about edges.

        Parameters
        ----------
        ends : (src, dst), (m,) arrays of int64
            Of one edge or more. Kept, not copied.
        tree : (n,) array of int64
            The component of each vertex.
        roots : (k,) array of int64
            A vertex of each component.
        hooks : (t,) array of int64, optional
            The rows, ascending, of any forest that spans the components; by default that of the
            first rows is found.
        """
        xp, n = backend.xp, int(tree.size)
        hooks = forest_of_first_rows(*ends, n, backend) if hooks is None else hooks
        forest = rooted(ends[0][hooks], ends[1][hooks], tree, roots, n, xp)
        first, size = forest.preorder(tree, xp)
        others = xp.ones(ends[0].size, bool)
        others[hooks] = False
        word = np.uint32 if n < 1 << 32 else np.uint64  # CuPy has no atomic minimum of int64
        src, dst = (first[side[others]] for side in ends)
        least = xp.arange(n).astype(word)
        greatest = least.copy()
        for here, there in ((src, dst), (dst, src)):
            xp.minimum.at(least, here, there.astype(word))
            xp.maximum.at(greatest, here, there.astype(word))
        below = first[forest.child], size[forest.child]
        least = over_intervals(xp.minimum, least, *below, xp)
        greatest = over_intervals(xp.maximum, greatest, *below, xp)
        return cls(ends, hooks, forest, first, size, least, greatest)

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
        return self.hooks[self.stays_below(self.forest.child)]

    def skeleton(self, xp: Any) -> tuple[Array, Array]:
        """Return edges whose components are the blocks, each without its uppermost vertex.

        They are the edges of the forest from whose lower end something leaves the subtree of the
        upper one, and the other edges whose ends are not below each other (Dong et al. 2023).

        Returns
        -------
        two arrays of int64, the ends of as many edges
        """
        forest = self.forest
        inner = forest.child[~self.stays_below(forest.parent[forest.child])]
        src, dst = self.ends
        across = ~(forest.below(src, dst) | forest.below(dst, src))
        across[self.hooks] = False
        return (
            xp.concatenate([inner, src[across]]),
            xp.concatenate([forest.parent[inner], dst[across]]),
        )

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
