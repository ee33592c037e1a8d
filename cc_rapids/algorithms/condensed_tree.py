"""Condensed tree of HDBSCAN: the clusters of a merge tree that have some least size.

From the root down, a cluster either loses points, when it splits from a cluster of fewer than
``min_cluster_size`` points, or it ends: it splits into two *children* of at least this size, or
into points only. The density of a split is ``lambda = 1 / height``.

A merge is *kept* if its cluster has the least size. All merges above a kept one are kept, so a
point leaves its cluster at the first kept merge above it. The kept merges of a cluster form a path,
which ends below a merge whose other side is kept too. Two rounds of pointer jumping find these ends
for all points and merges at once: first the kept merge above each node, then the upper end of each
path. Pointers lead upwards, so the rounds end.

Clusters are numbered by levels of the merge tree, and from left to right within a level. Their
number of levels and their position are sums along the path to the root, by pointer jumping too.

The trees of a forest are joined at an infinite height: they are children of one root, unless only
one of them has the least size.

Campello, Moulavi and Sander, "Density-based clustering based on hierarchical density estimates",
PAKDD 2013.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .. import backends
from ..backends import Array, Backend
from ..graph.sorting import order_of, rows_of_each
from ..kernels import cluster_selection
from ..kernels import condensed_tree as kernels
from .dendrogram import MergeTree, launch_until_complete

SELECTION = "eom", "leaf"
PIECE = 1024  # values that a thread adds


@dataclass(frozen=True)
class Selection:
    """The parameters by which clusters are selected, as in :class:`cc_rapids.HDBSCAN`."""

    method: str = "eom"
    allow_single_cluster: bool = False
    epsilon: float = 0.0
    max_cluster_size: int | None = None


@dataclass(frozen=True)
class Clusters:
    """The selected clusters of a condensed tree, for each point.

    Attributes
    ----------
    labels : (n,) array of int64
        0, 1, ... for clusters, and -1 for noise.
    probabilities : (n,) array of float64
        The density at which a point leaves its cluster, relative to the greatest in the cluster.
    outlier_scores : (n,) array of float64
        GLOSH: 1 minus the density at which a point leaves its cluster, relative to the greatest
        among the descendants of the cluster.
    """

    labels: Array
    probabilities: Array
    outlier_scores: Array


@dataclass(frozen=True)
class CondensedTree:
    """The clusters of a merge tree that have some least size, and when points leave them.

    Attributes
    ----------
    cluster_of, density_of : (n,) arrays of int64 and float64
        The cluster that each point leaves last, and the density at which it does.
    parent, size : (c,) arrays of int64
        The parent of each cluster, and its number of points. Cluster 0 is the root, its own
        parent. Parents have smaller numbers than children.
    birth, death, stability : (c,) arrays of float64
        The density at which a cluster splits from its parent, the density at which it ends, and
        the sum over its points of the density at which they leave it minus the birth.
    backend : Backend
        The backend of the arrays.
    """

    cluster_of: Array
    density_of: Array
    parent: Array
    size: Array
    birth: Array
    death: Array
    stability: Array
    backend: Backend

    @classmethod
    def of(
        cls,
        ends: tuple[Array, Array],
        heights: Array,
        vertex_of: Array,
        least: int,
        backend: Backend,
    ) -> CondensedTree:
        """Condense the merges of a spanning forest of n points.

        Parameters
        ----------
        ends : two (t,) arrays of integers
            The parent and the child of each edge, in the order of their merges. Parents are less
            than children. So the cluster of the parent, which is on the left, has the lesser of two
            least vertices.
        heights : (t,) array of float64
            The heights of the merges, ascending.
        vertex_of : (n,) array of integers
            The vertex of each point.
        least : int
            The least size of a cluster, at least 2. The root of a single tree may have any size.
        backend : Backend
            The backend of the arrays.
        """
        on, xp, n, t = backend, backend.xp, int(vertex_of.size), int(heights.size)
        least = min(least, n) if t == n - 1 else least
        merges = MergeTree.of(*ends, n, on)
        word = merges.first.dtype.type
        pointers = xp.arange(n + t, dtype=word)
        split, leaving = on.empty(t, np.uint8), on.empty(t, word)
        nodes = merges.first, merges.second, merges.size
        on.kernel(kernels.point_up, word)(t, n, least, *nodes, pointers, split, leaving)
        climb, arguments = (
            partial(on.kernel, kernels.climb, word),
            (n, least, merges.size, pointers),
        )
        launch_until_complete(climb(False), (n + t, *arguments), on)
        above = pointers[:n]  # the merge at which each point leaves its cluster
        launch_until_complete(climb(True), (n + t, *arguments), on)
        with np.errstate(divide="ignore"):
            density = 1.0 / heights
        return _Paths(merges, density, pointers, split, least).numbered(above, leaving, vertex_of)

    def rows(self, finite: Any = None) -> Any:
        """Return the tree as a structured array on the host: the rows of points, then of clusters.

        Cluster c has the number n + c. ``finite`` is a mask of the points in the tree among n; the
        others leave the root at the density 0.
        """
        home = self.backend.to_host
        points, count = int(self.cluster_of.size), int(self.parent.size)
        finite = np.ones(points, bool) if finite is None else finite
        n, children = int(finite.size), slice(1, count)
        types = [("parent", "i8"), ("child", "i8"), ("lambda_val", "f8"), ("child_size", "i8")]
        rows = np.zeros(n + count - 1, types)
        rows["parent"], rows["child_size"][:n] = n, 1
        rows["child"][:n], rows["child"][n:] = np.arange(n), np.arange(n + 1, n + count)
        rows["parent"][:n][finite] += home(self.cluster_of)
        rows["lambda_val"][:n][finite] = home(self.density_of)
        rows["parent"][n:] += home(self.parent)[children]
        rows["lambda_val"][n:] = home(self.birth)[children]
        rows["child_size"][n:] = home(self.size)[children]
        return rows

    def select(self, selection: Selection) -> Clusters:
        """Select clusters, and return labels, probabilities and outlier scores of all points.

        Clusters are few, so one CPU thread selects them, also for arrays on a GPU.
        """
        backend, xp = self.backend, self.backend.xp
        home, count = backend.to_host, int(self.parent.size)
        parent, size, birth, death, stability = (
            home(array)
            for array in (self.parent, self.size, self.birth, self.death, self.stability)
        )
        most = selection.max_cluster_size or int(self.cluster_of.size) + 1
        options = np.array(
            [selection.method == "leaf", selection.allow_single_cluster, most], np.int64
        )
        with np.errstate(divide="ignore"):
            distance = 1.0 / birth
        deepest = death.copy()
        target, chosen, label = (np.zeros(count, np.int64) for _ in range(3))
        picks, moved = (np.zeros(count, np.uint8) for _ in range(2))
        tree = parent, size, distance, stability.copy(), np.zeros(3 * count)
        select = backends.get("threads").kernel(cluster_selection.select_clusters)
        epsilon = np.array([selection.epsilon], np.float64)
        select(1, options, epsilon, *tree, picks, moved, target, chosen, label, deepest)
        limit = np.zeros(count)  # the least density of points with a label
        root = chosen == 0
        if moved[0]:
            limit[root] = 1 / selection.epsilon if selection.epsilon else death[0]
            if not selection.allow_single_cluster or int(moved.sum()) > 1:
                label[root] = -1
        columns = label, limit, death[chosen], deepest
        of_cluster = self.cluster_of
        labels, limits, deaths, deepest = (
            backend.asarray(column)[of_cluster] for column in columns
        )
        density = self.density_of
        labels = xp.where(density >= limits, labels, -1)
        probabilities = xp.where(labels >= 0, _share(density, deaths, xp), 0.0)
        return Clusters(labels, probabilities, 1.0 - _share(density, deepest, xp))


def _share(density: Array, greatest: Array, xp: Any) -> Array:
    """Return densities relative to the greatest; 1 if a density is infinite, or the greatest 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = xp.minimum(density, greatest) / greatest
    return xp.where((greatest == 0) | xp.isinf(density), 1.0, share)


@dataclass(frozen=True)
class _Paths:
    """The clusters, which are paths of kept merges: see :mod:`.kernels.condensed_tree`.

    ``pointers`` lead from kept merges to the upper ends of their paths.
    """

    merges: MergeTree
    density: Array
    pointers: Array
    split: Array
    least: int

    def numbered(self, above: Array, leaving: Array, vertex_of: Array) -> CondensedTree:
        """Return the condensed tree.

        Parameters
        ----------
        above : (n,) array of integers
            For each vertex of the merge tree, its first kept merge, if any.
        leaving : (t,) array of integers
            The number of points that leave the cluster of each kept merge.
        vertex_of : (n,) array of integers
            The vertex of each point.
        """
        merges, on, xp, n = self.merges, self.merges.backend, self.merges.backend.xp, self.merges.n
        splits = xp.flatnonzero(self.split == kernels.SPLIT)[::-1]
        pairs = merges.first[splits], merges.second[splits]
        turned = merges.least_of(pairs[1]) < merges.least_of(pairs[0])
        children = xp.stack([xp.where(turned, *pairs[::-1]), xp.where(turned, *pairs)], axis=1)
        trees = merges.roots()
        trees = trees[(trees >= n) & (merges.sizes_of(trees) >= self.least)]
        joined = int(trees.size != 1)  # whether cluster 0 is above all trees
        ends = xp.concatenate([trees, children.reshape(-1)])
        count = joined + int(ends.size)
        first = count - 2 * int(splits.size)  # the first child of a split
        cluster = on.empty(n + int(self.split.size), np.int64)
        cluster[ends] = xp.arange(joined, count)
        size = xp.full(count, n, np.int64)
        size[joined:] = merges.sizes_of(ends)
        parent, birth = xp.zeros(count, np.int64), xp.zeros(count)
        parent[first:] = xp.repeat(cluster[self.pointers[n + splits]], 2)
        birth[first:] = xp.repeat(self.density[splits], 2)
        kept = xp.flatnonzero(merges.size >= self.least)
        of_kept = cluster[self.pointers[n + kept]]
        length = on.counts(of_kept, count)
        length[:joined] = 1
        before = xp.zeros(count, np.int64)
        before[joined:first] = xp.cumsum(size[joined:first]) - size[joined:first]
        before[first + 1 :: 2] = size[first::2]
        order = _by_level(parent, length, before, xp)
        place = xp.empty(count, np.int64)
        place[order] = xp.arange(count)
        parent, birth, size, of_kept = (
            place[parent[order]],
            birth[order],
            size[order],
            place[of_kept],
        )
        size[0] = n
        density, death = self.density[kept], xp.zeros(count)
        lowest = xp.flatnonzero(self.split[kept] != kernels.ONE_KEPT)
        death[of_kept[lowest]] = density[lowest]
        with np.errstate(invalid="ignore"):
            mass = (density - birth[of_kept]) * leaving[kept]
        rows, starts = rows_of_each(of_kept, count, xp)
        stability = _sums(mass[rows], starts, on)
        inside = xp.flatnonzero(above >= n)
        inside = inside[merges.size[above[inside] - n] >= self.least]
        cluster_of, density_of = xp.zeros(n, np.int64), xp.zeros(n)
        cluster_of[inside] = place[cluster[self.pointers[above[inside]]]]
        density_of[inside] = self.density[above[inside] - n]
        of_points = cluster_of[vertex_of], density_of[vertex_of]
        return CondensedTree(*of_points, parent, size, birth, death, stability, on)


def _sums(values: Array, starts: Array, backend: Backend) -> Array:
    """Return the sums of slices of values, which begin at ``starts``.

    Pieces of each slice are summed first, so the order of the additions does not depend on threads.
    """
    xp = backend.xp
    pieces = -(-(starts[1:] - starts[:-1]) // PIECE)
    ends = xp.concatenate([xp.zeros(1, np.int64), xp.cumsum(pieces)])
    number = xp.arange(int(ends[-1]))
    slices = xp.searchsorted(ends, number, side="right") - 1
    first = starts[slices] + PIECE * (number - ends[slices])
    sums = backend.empty(number.size, np.float64)
    add = backend.kernel(kernels.sum_pieces)
    add(number.size, first, xp.minimum(first + PIECE, starts[slices + 1]), values, sums)
    if int(pieces.max()) > 1:
        return _sums(sums, ends, backend)
    total = xp.zeros(pieces.size)
    total[slices] = sums
    return total


def _by_level(parent: Array, length: Array, before: Array, xp: Any) -> Array:
    """Return the order of clusters by level in the merge tree, and from left to right in a level.

    ``length`` is the number of merges of each cluster, and ``before`` the number of points of its
    siblings on the left. The sums of both along the paths to the root double their reach in each
    round.
    """
    level = length[parent]
    level[0] = 0
    while bool(parent.any()):
        level, before = level + level[parent], before + before[parent]
        parent = parent[parent]
    return order_of([level, before], xp)
