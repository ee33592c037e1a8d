"""Condensed tree of HDBSCAN: clusters of a merge tree with ``min_cluster_size`` points or more.

Seen from the root down, each merge splits a cluster in two parts. If both parts have at least
``min_cluster_size`` points, they are the *children* of the cluster, which ends. If only one part is
that large, this part is still the same cluster, and the points of the other part leave the cluster.
If neither part is that large, the cluster ends, and all its points leave. The density of a split is
``lambda = 1 / height``.

A merge is *kept* if the cluster that it creates has at least ``min_cluster_size`` points. All
merges above a kept merge are kept, so a point leaves its cluster at the first kept merge above it.
The kept merges of a cluster form a path, whose *top* is a root or a child. Pointer jumping finds
the first kept merge above each point, and then the top of each path. Pointers lead upwards, so the
loops end.

Clusters are numbered by levels of the merge tree, and from left to right within a level. The level
of a cluster is the number of merges on its path to the root. Pointer jumping also counts these
merges, and the points to the left of the path.

The trees of a forest are joined at an infinite height: they are children of one root, unless only
one tree has at least ``min_cluster_size`` points.

Campello, Moulavi and Sander, "Density-based clustering based on hierarchical density estimates",
PAKDD 2013.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import backends
from ..backends import Array, Backend
from ..graph.sorting import order_of, rows_of_each
from ..kernels import cluster_selection
from ..kernels import condensed_tree as kernels
from .dendrogram import MergeTree, launch_until_complete

SELECTION = "eom", "leaf"
PIECE = 1024  # maximum number of values that one thread adds


@dataclass(frozen=True)
class Selection:
    """The parameters by which clusters are selected, as in :class:`cc_rapids.HDBSCAN`."""

    method: str = "eom"
    allow_single_cluster: bool = False
    epsilon: float = 0.0
    max_cluster_size: int | None = None


@dataclass(frozen=True)
class Clusters:
    """The selected clusters of a condensed tree, for each point."""

    labels: Array  # (n,) int64, the cluster of each point: 0, 1, ..., or -1 for noise
    # (n,) float64, the density at which a point leaves its cluster, divided by the greatest such
    # density in the cluster; 0 for noise
    probabilities: Array
    # (n,) float64, the GLOSH score ``1 - a / b``: ``a`` is the density at which a point leaves its
    # cluster, and ``b`` is the greatest density at which this cluster, or a cluster below it, ends
    outlier_scores: Array


@dataclass(frozen=True)
class CondensedTree:
    """The clusters of a merge tree with at least ``min_cluster_size`` points, and their points.

    Cluster 0 is the root and its own parent. Parents have smaller numbers than children. The
    stability of a cluster is the sum, over its points, of the density at which the point leaves
    minus the density at which the cluster splits from its parent.
    """

    cluster_of: Array  # (n,) int64, the smallest cluster of each point
    density_of: Array  # (n,) float64, the density at which the point leaves this cluster
    parent: Array  # (c,) int64, the parent of each cluster
    size: Array  # (c,) int64, the number of points of each cluster
    birth: Array  # (c,) float64, the density at which a cluster splits from its parent
    death: Array  # (c,) float64, the density at which a cluster ends
    stability: Array  # (c,) float64
    backend: Backend  # of the arrays

    @classmethod
    def of(
        cls,
        ends: tuple[Array, Array],
        heights: Array,
        vertex_of: Array,
        min_cluster_size: int,
        backend: Backend,
    ) -> CondensedTree:
        """Condense the merges of a spanning forest of n points.

        ``ends``, two (t,) arrays of integers, are the parent and the child of each edge, in the
        order of the merges. Parents are less than children. So the cluster of the parent contains
        the lesser vertex, and is on the left. ``heights``, float64 and ascending, are the heights
        of the merges. ``vertex_of``, an (n,) array of integers, is the vertex of each point.
        ``min_cluster_size`` is at least 2, but the root of a single tree may have any size.
        """
        on, xp, n, t = backend, backend.xp, int(vertex_of.size), int(heights.size)
        is_single_tree = t == n - 1
        min_size = min(min_cluster_size, n) if is_single_tree else min_cluster_size
        merges = MergeTree.of(*ends, n, on)
        word = merges.first.dtype.type
        pointers = xp.arange(n + t, dtype=word)
        # for each merge, the number of its kept parts, and of the points that leave their cluster
        split, leaving = on.empty(t, np.uint8), on.empty(t, word)
        nodes = merges.first, merges.second, merges.size
        on.kernel(kernels.point_up, word)(t, n, min_size, *nodes, pointers, split, leaving)
        climb_others, climb_kept = (on.kernel(kernels.climb, word, kept) for kept in (False, True))
        arguments = n + t, n, min_size, merges.size, pointers
        launch_until_complete(climb_others, arguments, on)
        above = pointers[:n]  # the first kept merge above each vertex; climb_kept changes no vertex
        launch_until_complete(climb_kept, arguments, on)
        with np.errstate(divide="ignore"):
            density = 1.0 / heights
        paths = _Paths(merges, density, pointers, split, min_size)
        return paths.condensed(above, leaving, vertex_of)

    def rows(self, finite: Any = None) -> Any:
        """Return the tree as a structured array on the host: rows of points, then rows of clusters.

        The root has no row. Points have the numbers 0 .. n - 1, and cluster c has the number n + c.
        ``finite`` is a mask of n points, True for the points of this tree. All other points leave
        the root at the density 0.
        """
        to_host = self.backend.to_host
        points_of_tree, count = int(self.cluster_of.size), int(self.parent.size)
        finite = np.ones(points_of_tree, bool) if finite is None else finite
        n, children = int(finite.size), slice(1, count)
        fields = [("parent", "i8"), ("child", "i8"), ("lambda_val", "f8"), ("child_size", "i8")]
        rows = np.zeros(n + count - 1, fields)
        rows["parent"], rows["child_size"][:n] = n, 1  # the root is n; parents are added to n below
        rows["child"][:n], rows["child"][n:] = np.arange(n), np.arange(n + 1, n + count)
        rows["parent"][:n][finite] += to_host(self.cluster_of)
        rows["lambda_val"][:n][finite] = to_host(self.density_of)
        rows["parent"][n:] += to_host(self.parent)[children]
        rows["lambda_val"][n:] = to_host(self.birth)[children]
        rows["child_size"][n:] = to_host(self.size)[children]
        return rows

    def select(self, selection: Selection) -> Clusters:
        """Select clusters, and return labels, probabilities and outlier scores of all points.

        There are few clusters, so one CPU thread selects them, even if the arrays are on a GPU.
        """
        xp, density = self.backend.xp, self.density_of
        labels, limits, deaths, greatest_deaths = (
            self.backend.asarray(column)[self.cluster_of] for column in self._selected(selection)
        )
        labels = xp.where(density >= limits, labels, -1)
        probabilities = xp.where(labels >= 0, _share(density, deaths, xp), 0.0)
        return Clusters(labels, probabilities, 1.0 - _share(density, greatest_deaths, xp))

    def _selected(self, selection: Selection) -> tuple[Array, Array, Array, Array]:
        """Select clusters, and return four values of each cluster as (c,) arrays on the host.

        Returns
        -------
        label : int64
            The label of the points of each cluster, or -1 for noise.
        limit : float64
            The least density at which a point of the cluster has this label. A point that leaves
            the cluster at a lower density is noise.
        death : float64
            The death of the selected cluster that contains each cluster; arbitrary for noise.
        greatest_death : float64
            The greatest death among the cluster itself and its descendants.
        """
        count = int(self.parent.size)
        columns = self.parent, self.size, self.birth, self.death, self.stability
        parent, size, birth, death, stability = map(self.backend.to_host, columns)
        max_size = selection.max_cluster_size or int(self.cluster_of.size) + 1
        leaves_only, may_select_root = selection.method == "leaf", selection.allow_single_cluster
        options = np.array([leaves_only, may_select_root, max_size], np.int64)
        with np.errstate(divide="ignore"):
            split_distance = 1.0 / birth
        greatest_death = death.copy()
        target, chosen, label = (np.zeros(count, np.int64) for _ in range(3))  # target is scratch
        picks, is_selected = (np.zeros(count, np.uint8) for _ in range(2))  # picks is scratch
        sums_of_children = np.zeros(3 * count)
        tree = parent, size, split_distance, stability, sums_of_children
        select = backends.get("threads").kernel(cluster_selection.select_clusters)
        epsilon = np.array([selection.epsilon], np.float64)
        results = picks, is_selected, target, chosen, label, greatest_death
        select(1, options, epsilon, *tree, *results)
        limit = np.zeros(count)
        in_root_only = chosen == 0  # in no selected cluster except the root
        if int(is_selected.sum()) > 1:
            label[in_root_only] = -1
        elif is_selected[0]:
            # The root is the only cluster. A point belongs to it if the point stays until the
            # distance is ``epsilon`` or, without ``epsilon``, until the root ends.
            limit[in_root_only] = 1 / selection.epsilon if selection.epsilon else death[0]
        return label, limit, death[chosen], greatest_death


def _share(density: Array, greatest: Array, xp: Any) -> Array:
    """Return ``density / greatest``, at most 1. The share is 1 for 0 / 0 and infinite densities."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = xp.minimum(density, greatest) / greatest
    return xp.where((greatest == 0) | xp.isinf(density), 1.0, share)


@dataclass(frozen=True)
class _Paths:
    """The paths of kept merges, one path for each cluster; see :mod:`.kernels.condensed_tree`."""

    merges: MergeTree  # vertices are the nodes 0 .. n - 1, and merge k is node n + k
    density: Array  # (t,) float64, the density of each merge
    pointers: Array  # (n + t,) integers, for the node of each kept merge, the top of its path
    split: Array  # (t,) uint8, how many of the two parts of each merge are kept
    min_size: int  # the minimum size of a kept merge

    def condensed(self, above: Array, leaving: Array, vertex_of: Array) -> CondensedTree:
        """Return the condensed tree; the arguments are (n,), (t,) and (n,) arrays of integers.

        ``above`` has, for each vertex of the merge tree, the node of the first kept merge above the
        vertex, or a node that is no kept merge. ``leaving`` is the number of points that leave a
        cluster at each merge, and ``vertex_of`` is the vertex of each point.
        """
        merges, on, xp, n = self.merges, self.merges.backend, self.merges.backend.xp, self.merges.n
        is_kept = merges.size >= self.min_size
        kept = xp.flatnonzero(is_kept)
        cluster_of_top, parent, birth, size = self._clusters(kept)
        cluster_of_kept = cluster_of_top[self.pointers[n + kept]]
        density, death = self.density[kept], xp.zeros(parent.size)
        # the merges at which a cluster ends
        lowest = xp.flatnonzero(self.split[kept] != kernels.ONE_KEPT)
        death[cluster_of_kept[lowest]] = density[lowest]
        with np.errstate(invalid="ignore"):  # the density is infinite at height 0
            excess = (density - birth[cluster_of_kept]) * leaving[kept]
        rows, starts = rows_of_each(cluster_of_kept, int(parent.size), xp)
        stability = _sums(excess[rows], starts, on)
        # vertices that leave a cluster at a kept merge; all others leave the root at density 0
        inside = xp.flatnonzero(above >= n)
        inside = inside[is_kept[above[inside] - n]]
        cluster_of, density_of = xp.zeros(n, np.int64), xp.zeros(n)
        cluster_of[inside] = cluster_of_top[self.pointers[above[inside]]]
        density_of[inside] = self.density[above[inside] - n]
        columns_of_points = cluster_of[vertex_of], density_of[vertex_of]
        return CondensedTree(*columns_of_points, parent, size, birth, death, stability, on)

    def _clusters(self, kept: Array) -> tuple[Array, Array, Array, Array]:
        """Return the clusters, sorted by their levels, and within a level from left to right.

        ``kept``, an array of int64, are the kept merges. The first result is an (n + t,) array of
        int64: for the top of each path, the cluster of the path; arbitrary for other nodes. The
        others are ``parent``, ``birth`` and ``size`` of :class:`CondensedTree`.
        """
        merges, on, xp, n = self.merges, self.merges.backend, self.merges.backend.xp, self.merges.n
        splits, tops = self._tops()  # tops of trees, then two children for each split
        tree_count = int(tops.size) - 2 * int(splits.size)
        # 1 if cluster 0 joins several trees at an infinite height, so it has no path
        joint_root = int(tree_count != 1)
        first_child, count = joint_root + tree_count, joint_root + int(tops.size)
        # at first, clusters are numbered in the order of their tops
        cluster_of_top = on.empty(n + int(self.split.size), np.int64)
        cluster_of_top[tops] = xp.arange(joint_root, count)
        parent, birth, size = xp.zeros(count, np.int64), xp.zeros(count), xp.empty(count, np.int64)
        size[joint_root:] = merges.sizes_of(tops)
        size[0] = n  # a joint root or a single tree: also the points of trees that are too small
        parent[first_child:] = xp.repeat(cluster_of_top[self.pointers[n + splits]], 2)
        birth[first_child:] = xp.repeat(self.density[splits], 2)
        length = on.counts(cluster_of_top[self.pointers[n + kept]], count)  # merges per cluster
        length[:joint_root] = 1  # the merge at an infinite height
        of_trees, points_left = slice(joint_root, first_child), xp.zeros(count, np.int64)
        points_left[of_trees] = xp.cumsum(size[of_trees]) - size[of_trees]
        # points_left is relative to the parent: 0 for a left child, its sibling's size for a right
        points_left[first_child + 1 :: 2] = size[first_child::2]
        order = _by_level(parent, length, points_left, xp)
        new_number = xp.empty(count, np.int64)
        new_number[order] = xp.arange(count)
        cluster_of_top[tops] = new_number[joint_root:]
        return cluster_of_top, new_number[parent[order]], birth[order], size[order]

    def _tops(self) -> tuple[Array, Array]:
        """Return the merges with two kept parts, in descending order, and the tops of all paths.

        First come the tops that are roots of trees, then the two parts of each returned merge. The
        roots, and the two parts of a merge, are in the order of their least vertices.
        """
        merges, xp = self.merges, self.merges.backend.xp
        splits = xp.flatnonzero(self.split == kernels.SPLIT)[::-1]
        first, second = merges.first[splits], merges.second[splits]
        swaps = merges.least_of(second) < merges.least_of(first)
        left, right = xp.where(swaps, second, first), xp.where(swaps, first, second)
        trees = merges.roots()
        trees = trees[(trees >= merges.n) & (merges.sizes_of(trees) >= self.min_size)]
        return splits, xp.concatenate([trees, xp.stack([left, right], axis=1).reshape(-1)])


def _sums(values: Array, starts: Array, backend: Backend) -> Array:
    """Return the sum of each slice ``values[starts[i]:starts[i + 1]]``.

    Each slice is cut into pieces of fixed length, which are summed first. So the order of the
    additions does not depend on the number of threads.
    """
    xp = backend.xp
    piece_counts = -(-(starts[1:] - starts[:-1]) // PIECE)
    piece_starts = xp.concatenate([xp.zeros(1, np.int64), xp.cumsum(piece_counts)])
    piece = xp.arange(int(piece_starts[-1]))
    slice_of_piece = xp.searchsorted(piece_starts, piece, side="right") - 1
    begin = starts[slice_of_piece] + PIECE * (piece - piece_starts[slice_of_piece])
    end = xp.minimum(begin + PIECE, starts[slice_of_piece + 1])
    sums = backend.empty(piece.size, np.float64)
    backend.kernel(kernels.sum_pieces)(piece.size, begin, end, values, sums)
    if int(piece_counts.max()) > 1:
        return _sums(sums, piece_starts, backend)
    totals = xp.zeros(piece_counts.size)
    totals[slice_of_piece] = sums  # a slice has one piece, or none if it is empty
    return totals


def _by_level(parent: Array, length: Array, points_left: Array, xp: Any) -> Array:
    """Return the order of clusters by level in the merge tree, and from left to right in a level.

    ``length`` is the number of merges of each cluster, and ``points_left`` is the number of points
    of its siblings on the left. Both are summed along the paths to the root. Each round doubles the
    number of ancestors that a sum covers, until all pointers have arrived at the root, cluster 0.
    """
    level = length[parent]
    level[0] = 0
    while bool(parent.any()):
        level, points_left = level + level[parent], points_left + points_left[parent]
        parent = parent[parent]
    return order_of([level, points_left], xp)
