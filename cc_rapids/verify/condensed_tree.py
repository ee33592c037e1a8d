"""The audit of HDBSCAN's condensed tree and clusters: see :meth:`cc_rapids.HDBSCAN.audit`.

The tree may order merges of equal density in any way, so the audit does not compare the tree with
another tree. The components at a density consist of the edges of at least this density; components
of at least ``min_cluster_size`` points are large. The audit checks three conditions:

1. Each point leaves its last cluster at the greatest density at which its component is large.
2. The ends of an edge are never in two clusters at a density up to that of the edge.
3. At each density, there are as many clusters as large components.

It follows that the clusters at each density are the large components. Because of ties, a cluster
may begin and end at the same density. For such clusters, the audit checks two more conditions: its
own edges connect each cluster, and an edge joins both children of each split.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np

from ..errors import InputError, VerificationError
from .oracle import kruskal, single_linkage

NEAR = 1e-9  # relative difference of masses that count as equal, because sums are rounded


def reachability(entries: Any, n: int, rank: int, scale: float, complete: bool) -> tuple[Any, ...]:
    """Return the two ends and the density of each edge of finite mutual reachability distance.

    The density of an edge is one divided by this distance. The core distance of a point is the
    distance of its ``rank - 1``-th nearest entry, because the point itself counts as its nearest.
    It is infinite if the point has fewer than ``rank - 1`` entries, and 0 if ``rank`` is 1.

    Parameters
    ----------
    entries : three (m,) arrays
        The rows, the neighbours and the distances. No point is its own neighbour.
    scale : float
        The divisor of distances; core distances are not divided.
    complete : bool
        Whether the matrix has all distances. Each pair of points then has two entries, one of
        which is returned.
    """
    row, neighbor, distance = entries
    order = np.lexsort((distance, row))
    starts = np.searchsorted(row[order], np.arange(n + 1))
    core = np.full(n, np.inf if rank > 1 else 0.0)
    if rank > 1:
        core_entry = starts[:-1] + rank - 2  # the first nearest entry has index 0
        exists = core_entry < starts[1:]
        core[exists] = distance[order[core_entry[exists]]]
    weight = np.maximum(distance / scale, np.maximum(core[row], core[neighbor]))
    keep = weight < np.inf
    if complete:
        matrix = np.full((n, n), np.inf)
        matrix[row, neighbor] = weight
        if (matrix != matrix.T).any():
            raise InputError(
                "the distances are symmetric only after rounding: pass metric='precomputed' and"
                " (D + D.T) / 2"
            )
        keep &= row < neighbor
    with np.errstate(divide="ignore"):
        return row[keep], neighbor[keep], 1.0 / weight[keep]


class AuditedTree:
    """A condensed tree whose rows are consistent, in arrays on the host.

    Clusters are numbered from 0, the root. A cluster has a greater number than its parent.
    ``rows`` are those of ``HDBSCAN.condensed_tree_``, and ``is_finite`` is a mask of the finite
    points. Rows that contradict each other raise a VerificationError.

    Attributes
    ----------
    names : (clusters,) array of integers
        The number of each cluster in the rows, and in errors.
    parent : (clusters,) array of integers
        The cluster above each cluster; 0 for the root.
    birth, death : (clusters,) arrays of floats
        The densities at which each cluster begins and ends.
    size, child_count : (clusters,) arrays of integers
        The numbers of points and of child clusters of each cluster.
    points : (k,) array of integers
        The finite points.
    last_cluster : (k,) array of integers
        The lowest cluster of each finite point.
    leave_density : (k,) array of floats
        The density at which the point leaves this cluster.
    """

    names: Any
    parent: Any
    birth: Any
    death: Any
    size: Any
    child_count: Any
    points: Any
    last_cluster: Any
    leave_density: Any

    def __init__(self, rows: Any, is_finite: Any) -> None:
        n = is_finite.size
        count = len(rows) - n + 1  # of clusters; the root has no row
        rows = rows[np.argsort(rows["child"], kind="stable")]
        # the points 0 .. n - 1, and the clusters from n + 1; the root is cluster n
        children = np.delete(np.arange(n + max(count, 1)), n)
        if not np.array_equal(rows["child"], children):
            raise VerificationError("the condensed tree does not list each point and cluster once")
        # for each child; from here on, clusters are numbered from 0, the root
        above, density = rows["parent"] - n, rows["lambda_val"]
        # the parent of a point may be any cluster; the parent of a cluster has a lesser number
        limit = np.append(np.full(n, count), np.arange(1, count))
        wrong = (above < 0) | (above >= limit)
        _check(wrong, "the parent of {} is not a cluster above it", children)
        parent, birth = np.append(0, above[n:]), np.append(0.0, density[n:])
        _check(~(density >= birth[above]), "the density of {} is less than above it", children)
        wrong = ~is_finite & ((above[:n] != 0) | (density[:n] != 0))
        _check(wrong, "point {} is not finite, but in a cluster", children)
        size = _upward(np.bincount(above[:n], minlength=count), parent, np.add)
        expected_size = np.append(np.ones(n, np.int64), size[1:])
        _check(rows["child_size"] != expected_size, "the size of {} is wrong", children)
        self.names, self.points = np.arange(n, n + count), np.flatnonzero(is_finite)
        self.parent, self.birth, self.size = parent, birth, size
        self.last_cluster, self.leave_density = above[:n][is_finite], density[:n][is_finite]
        self.child_count = np.bincount(parent[1:], minlength=count)
        self.death = np.zeros(count)  # the greatest density at which a point or a child leaves
        np.maximum.at(self.death, self.last_cluster, self.leave_density)
        np.maximum.at(self.death, parent[1:], birth[1:])

    def check_against(self, edges: tuple[Any, ...], min_size: int, any_order: bool) -> None:
        """Raise a VerificationError unless the tree is right for some order of equal densities.

        ``edges`` has both ends of each edge, as positions in ``points``, and its density. Clusters
        have at least ``min_size`` points. If ``any_order``, no edge has to join the two clusters of
        a merge, as long as edges connect the clusters that merges of its density join. Prim's
        algorithm, as scikit-learn runs it, makes such merges.
        """
        (src, dst, density), n = edges, self.last_cluster.size
        merges = single_linkage(src, dst, n, density, greatest=True)
        merge_density = density[merges[:, 3]]
        if len(merges) == n - 1:  # the root has all points, even if they are few
            min_size = min(min_size, n)
        is_large = np.append(np.zeros(n, bool), merges[:, 2] >= min_size)
        wrong = _leave_densities(merges, is_large, merge_density, n) != self.leave_density
        _check(wrong, "point {} leaves its cluster at a wrong density", self.points)
        wrong = (self.leave_density == 0) & (self.last_cluster > 0)
        _check(wrong, "point {} is in a cluster, but its tree is too small", self.points)
        # a merge may make a large component of one, of two, or of no large components
        added = is_large[n:].astype(int) - is_large[merges[:, :2]].sum(axis=1)
        components = np.cumsum(added)  # the number of large components after each merge
        trees = int(components[-1]) if components.size else 0
        self._check_splits(trees, min_size)
        self._check_counts(merge_density, components)
        is_split = self.child_count > 0
        is_split[0] &= trees == 1  # the root of several trees only lists them
        self._check_edges(edges, is_split, any_order)

    def _check_splits(self, trees: int, min_size: int) -> None:
        """Raise a VerificationError unless clusters end when they split into two large clusters.

        If there are several trees, they are the children of the root, at density 0.
        """
        names = self.names
        may_split = np.ones(names.size, bool)
        may_split[0] = trees == 1
        wrong = (self.birth != self.death[self.parent]) & may_split[self.parent]
        _check(wrong[1:], "cluster {} begins before the cluster above it ends", names[1:])
        wrong = may_split & (self.child_count > 0) & (self.child_count != 2)
        _check(wrong, "cluster {} does not split into two", names)
        if not may_split[0] and (self.child_count[0] != trees or self.death[0] != 0):
            raise VerificationError(f"the children of the root are not the {trees:,} trees")
        _check(self.size[1:] < min_size, "cluster {} is too small", names[1:])

    def _check_counts(self, merge_density: Any, components: Any) -> None:
        """Raise a VerificationError for the first density with a wrong number of clusters.

        ``components`` has the number of large components after each merge.
        """
        is_last = np.ones(merge_density.size, bool)  # whether no later merge has the same density
        is_last[:-1] = merge_density[1:] != merge_density[:-1]
        densities = merge_density[is_last]
        # how many clusters begin below each density, and how many end below it
        born, ended = (np.searchsorted(np.sort(d), densities) for d in (self.birth, self.death))
        wrong = born - ended != components[is_last]
        _check(wrong, "the number of clusters is wrong at the density {}", densities)

    def _check_edges(self, edges: tuple[Any, ...], is_split: Any, any_order: bool) -> None:
        """Raise a VerificationError if edges contradict clusters, or do not connect them.

        ``is_split`` is a mask of the clusters that split into two. See :meth:`check_against` for
        the other parameters.
        """
        (src, dst, density), names = edges, self.names
        inside = np.zeros(src.size, np.int64)  # the lowest cluster that contains each edge
        linked = np.zeros(names.size, bool)  # whether an edge joins both children of each cluster
        tree = self.parent, self.birth, self.last_cluster, self.leave_density
        e = _first_contradiction(src, dst, density, tree, inside, linked)
        if e >= 0:
            u, v = self.points[[src[e], dst[e]]]
            raise VerificationError(
                f"points {u} and {v} are in two clusters, but an edge of density {density[e]}"
                " joins them"
            )
        if any_order:
            return
        _check(is_split & ~linked, "no edge joins the children of cluster {}", names)
        # Lower clusters have greater numbers, so Kruskal's algorithm takes the edges inside them
        # first. If a cluster is connected, size - 1 of these edges are therefore inside it.
        taken = inside[kruskal(src, dst, self.last_cluster.size, inside, greatest=True)]
        joins = _upward(np.bincount(taken, minlength=names.size), self.parent, np.add)
        _check((joins != self.size - 1)[1:], "cluster {} is not connected", names[1:])

    def labels_and_scores(
        self, leaf: bool, single: bool, epsilon: float, max_size: int | None, labels: Any
    ) -> tuple[Any, Any, Any]:
        """Return the expected labels, probabilities and outlier scores of finite points.

        The first four arguments are parameters of :class:`cc_rapids.HDBSCAN`: whether
        ``cluster_selection_method`` is ``"leaf"``, ``allow_single_cluster``,
        ``cluster_selection_epsilon`` and ``max_cluster_size``. ``labels`` are the labels to verify.
        They decide which clusters are selected if the masses of a cluster and of its children
        differ only by rounding.
        """
        parent, last_cluster, density = self.parent, self.last_cluster, self.leave_density
        leaves = (np.flatnonzero(self.child_count[1:] == 0) + 1).tolist()
        if leaf:
            selected = set(leaves)
        else:
            selected = self._heaviest(single, max_size, self._labelled_clusters(labels))
        with np.errstate(divide="ignore"):
            distance = 1.0 / self.birth
        if epsilon and 0 not in selected:
            # replace a cluster that begins below this distance by its lowest ancestor that does
            # not; if this is the root, and may not be selected, by the child of the root on the way
            for c in [c for c in selected if distance[c] < epsilon]:
                selected.discard(c)
                while parent[c] and distance[parent[c]] <= epsilon:
                    c = parent[c]
                selected.add(int(parent[c] if parent[c] or single else c))
        # the selected cluster at or above each cluster, -1 if there is none
        selected_above = np.full(parent.size, -1)
        for c in range(parent.size):
            selected_above[c] = c if c in selected else selected_above[parent[c]]
        # If the root is the only selected cluster, points that leave it below this density are
        # noise. If another cluster is selected too, all points that are only in the root are noise.
        limit = 1 / epsilon if epsilon else self.death[0]
        root_keeps = (density >= limit) & single & (len(selected) == 1)
        selected_of = selected_above[last_cluster]  # for each point
        keep = (selected_of != 0) | root_keeps
        label_of = {c: k for k, c in enumerate(sorted(selected))}
        cluster_label = np.array([label_of.get(c, -1) for c in selected_above.tolist()])
        expected = np.where(keep, cluster_label[last_cluster], -1)
        share = np.where(expected >= 0, _share(density, self.death[selected_of]), 0.0)
        deepest = _upward(self.death, parent, np.maximum)[last_cluster]
        return expected, share, 1.0 - _share(density, deepest)

    def _labelled_clusters(self, labels: Any) -> set[int]:
        """Return for each label the lowest cluster that contains all its points, as a set."""
        lowest: dict[int, int] = {}
        for label, c in set(zip(labels.tolist(), self.last_cluster.tolist(), strict=True)):
            a = lowest.get(label, c)
            while a != c:  # parents have lesser numbers, so the greater of the two climbs
                a, c = min(a, c), int(self.parent[max(a, c)])
            lowest[label] = a
        return {c for label, c in lowest.items() if label >= 0}

    def _heaviest(self, single: bool, max_size: int | None, labelled: set[int]) -> set[int]:
        """Return the clusters of the greatest excess of mass, before ``epsilon`` is applied.

        If the mass of a cluster equals the mass of the clusters below it, the clusters in
        ``labelled`` are selected. See :meth:`labels_and_scores` for the other parameters.
        """
        parent, birth, size, count = self.parent, self.birth, self.size.copy(), self.parent.size
        with np.errstate(invalid="ignore"):  # infinite densities may be subtracted
            point_mass = self.leave_density - birth[self.last_cluster]
            mass = np.bincount(self.last_cluster, point_mass, count)
            np.add.at(mass, parent[1:], ((birth - birth[parent]) * size)[1:])
        # as in scikit-learn, points that are only in the root do not count
        size[0] = size[1:][parent[1:] == 0].sum()
        below = np.zeros(count)  # the greatest mass of disjoint clusters below each cluster
        has_labelled = np.zeros(count, bool)  # whether a labelled cluster is below each cluster
        is_heaviest = np.zeros(count, bool)  # whether each cluster is preferred to those below it
        for c in range(count - 1, -1, -1):
            is_tie = math.isfinite(mass[c]) and math.isclose(below[c], mass[c], rel_tol=NEAR)
            is_too_large = max_size is not None and size[c] > max_size
            if is_too_large or (has_labelled[c] if is_tie else below[c] > mass[c]):
                mass[c] = below[c]
            else:
                is_heaviest[c] = c > 0 or single
            if c:
                below[parent[c]] += mass[c]
                has_labelled[parent[c]] |= has_labelled[c] or c in labelled
        is_below = np.zeros(count, bool)  # whether a cluster above each cluster is heaviest
        for c in range(1, count):
            is_below[c] = is_below[parent[c]] or is_heaviest[parent[c]]
        return set(np.flatnonzero(is_heaviest & ~is_below).tolist())


def _check(wrong: Any, message: str, names: Any) -> None:
    """Raise a VerificationError with the name of the first True in ``wrong``, if there is one."""
    if wrong.any():
        raise VerificationError(message.format(names[wrong.argmax()]))


def _upward(values: Any, parent: Any, combine: Any) -> Any:
    """Return the value of each cluster, combined with the values of all clusters below it."""
    total = values.copy()
    for c in range(parent.size - 1, 0, -1):
        total[parent[c]] = combine(total[parent[c]], total[c])
    return total


def _share(density: Any, greatest: Any) -> Any:
    """Return densities divided by the greatest density, at most 1.

    The share is 1 if the greatest density is 0, or if the density is infinite.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.minimum(density, greatest) / greatest
    return np.where((greatest == 0) | (density == np.inf), 1.0, share)


@numba.njit  # type: ignore[untyped-decorator]
def _leave_densities(merges: Any, is_large: Any, density: Any, n: int) -> Any:
    """Return the greatest density at which each point's component is large; 0 if it never is.

    ``is_large`` is a mask of the n points and of the clusters that merges make. ``density`` has the
    density of each merge.
    """
    leaves = np.zeros(is_large.size)
    for i in range(len(merges) - 1, -1, -1):
        for c in merges[i, :2]:
            if not is_large[c]:
                leaves[c] = density[i] if is_large[n + i] else leaves[n + i]
    return leaves[:n]


@numba.njit  # type: ignore[untyped-decorator]
def _first_contradiction(
    src: Any, dst: Any, density: Any, tree: Any, inside: Any, linked: Any
) -> int:
    """Return the first edge whose ends should be in one cluster, but are in two; -1 if none.

    ``inside[e]`` becomes the lowest cluster that contains both ends of edge e and begins at most at
    the density of e. ``linked[c]`` becomes True if an edge of at least the density at which cluster
    c splits joins both its children.
    """
    parent, birth, last_cluster, leaves = tree
    for e in range(src.size):
        u, v, d, left, right = src[e], dst[e], density[e], 0, 0
        a, b = last_cluster[u], last_cluster[v]
        # climb to the lowest common cluster; ``left`` and ``right`` are its children on both sides,
        # or 0 if the last cluster of this end is the common cluster itself
        while a != b:
            if a > b:
                left, a = a, parent[a]
            else:
                right, b = b, parent[b]
        joint = min(d, leaves[u], leaves[v])  # up to it, the edge joins u and v in one cluster
        apart = (left and birth[left] < joint) or (right and birth[right] < joint)
        # if d > leaves[u], the small component of u at d contains v, so both leave one cluster
        if apart or (d > leaves[u] and last_cluster[u] != last_cluster[v]):
            return e
        if left and right and d >= birth[left]:
            linked[a] = True
        while a and birth[a] > d:
            a = parent[a]
        inside[e] = a
    return -1
