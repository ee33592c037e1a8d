"""The audit of HDBSCAN's condensed tree and clusters: see :meth:`cc_rapids.HDBSCAN.audit`.

The tree may order merges of equal density in any way, so the audit does not compare it with another
tree. It checks three conditions. Each point leaves its cluster at the density at which its
component reaches ``min_cluster_size`` points. No edge joins two clusters before they split. At each
density, there are as many clusters as components of at least ``min_cluster_size`` points. Then the
clusters at each density are these components. Clusters that exist only at one density, because of
ties, need two more conditions: each cluster is connected by edges of its own, and an edge joins
both children of each split.
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

    ``entries`` are rows, neighbours and distances, without the entries of points for themselves.
    The core distance of a point is the distance of its ``rank - 1``-th nearest entry: infinite if
    it has fewer entries, and 0 if ``rank`` is 1. If the matrix is ``complete``, each pair has two
    entries and is one edge. Distances are divided by ``scale``, but core distances are not.
    """
    row, other, distance = entries
    order = np.lexsort((distance, row))
    starts = np.searchsorted(row[order], np.arange(n + 1))
    core = np.full(n, np.inf if rank > 1 else 0.0)
    if rank > 1:
        core_entry = starts[:-1] + rank - 2
        exists = core_entry < starts[1:]
        core[exists] = distance[order[core_entry[exists]]]
    weight = np.maximum(distance / scale, np.maximum(core[row], core[other]))
    keep = weight < np.inf
    if complete:
        matrix = np.full((n, n), np.inf)
        matrix[row, other] = weight
        if (matrix != matrix.T).any():
            raise InputError(
                "the distances are symmetric only after rounding: pass metric='precomputed' and"
                " (D + D.T) / 2"
            )
        keep &= row < other
    with np.errstate(divide="ignore"):
        return row[keep], other[keep], 1.0 / weight[keep]


class AuditedTree:
    """A condensed tree, from its rows on the host; ``inside`` is a mask of the finite points.

    Clusters are numbered from 0, the root. ``points`` are the finite points. ``of`` has the cluster
    that each of them leaves last, and ``density`` the density at which the point leaves it. For
    each cluster, ``parent`` is the cluster above it, ``birth`` and ``death`` are the densities at
    which it begins and ends, and ``size`` and ``children`` count its points and child clusters.
    """

    names: Any
    parent: Any
    birth: Any
    size: Any
    points: Any
    of: Any
    density: Any
    children: Any
    death: Any

    def __init__(self, rows: Any, inside: Any) -> None:
        n = inside.size
        rows, count = rows[np.argsort(rows["child"], kind="stable")], len(rows) - n + 1
        names = np.delete(np.arange(n + max(count, 1)), n)
        if not np.array_equal(rows["child"], names):
            raise VerificationError("the condensed tree does not list each point and cluster once")
        above, density = rows["parent"] - n, rows["lambda_val"]
        # a cluster is below a cluster of a lesser number; a point may be in any cluster
        end = np.append(np.full(n, count), np.arange(1, count))
        _check((above < 0) | (above >= end), "the parent of {} is not a cluster above it", names)
        parent, birth = np.append(0, above[n:]), np.append(0.0, density[n:])
        _check(~(density >= birth[above]), "the density of {} is less than above it", names)
        outside = ~inside & ((above[:n] != 0) | (density[:n] != 0))
        _check(outside, "point {} is not finite, but in a cluster", names)
        size = _upward(np.bincount(above[:n], minlength=count), parent, np.add)
        right = np.append(np.ones(n, np.int64), size[1:])
        _check(rows["child_size"] != right, "the size of {} is wrong", names)
        self.names, self.points = np.arange(n, n + count), np.flatnonzero(inside)
        self.parent, self.birth, self.size = parent, birth, size
        self.of, self.density = above[:n][inside], density[:n][inside]
        self.children = np.bincount(parent[1:], minlength=count)
        self.death = np.zeros(count)  # the last density at which a point or a child leaves
        np.maximum.at(self.death, self.of, self.density)
        np.maximum.at(self.death, parent[1:], birth[1:])

    def check_against(self, edges: tuple[Any, ...], min_size: int, any_order: bool) -> None:
        """Raise a VerificationError unless the tree is right for some order of equal densities.

        With ``any_order``, merges of equal density may join clusters that no edge joins, if all
        clusters of these merges together are connected. Prim's algorithm, as scikit-learn runs it,
        makes such merges.
        """
        (src, dst, density), n, names = edges, self.of.size, self.names
        merges = single_linkage(src, dst, n, density, greatest=True)
        at = density[merges[:, 3]]
        if len(merges) == n - 1:  # the root has all points, even if they are few
            min_size = min(min_size, n)
        large = np.append(np.zeros(n, bool), merges[:, 2] >= min_size)
        wrong = _leaving(merges, large, at, n) != self.density
        _check(wrong, "point {} leaves its cluster at a wrong density", self.points)
        wrong = (self.density == 0) & (self.of > 0)
        _check(wrong, "point {} is in a cluster, but its tree is too small", self.points)
        components = np.cumsum(large[n:].astype(int) - large[merges[:, :2]].sum(axis=1))
        trees = int(components[-1]) if at.size else 0
        inner = np.arange(names.size) >= int(trees != 1)  # all but a root above several trees
        splits = inner & (self.children > 0)
        late = self.birth != self.death[self.parent]
        _check(late[1:] & inner[self.parent[1:]], "cluster {} does not split last", names[1:])
        _check(splits & (self.children != 2), "cluster {} does not split into two", names)
        if not inner[0] and (self.children[0] != trees or self.death[0] != 0):
            raise VerificationError(f"the children of the root are not the {trees:,} trees")
        _check(self.size[1:] < min_size, "cluster {} is too small", names[1:])
        ends = np.flatnonzero(np.append(at[1:] != at[:-1], True)[: at.size])
        clusters, ended = (np.searchsorted(np.sort(d), at[ends]) for d in (self.birth, self.death))
        wrong, message = clusters - ended != components[ends], "wrong clusters at the density {}"
        _check(wrong, message, at[ends])
        inside, linked = np.zeros(src.size, np.int64), np.zeros(names.size, bool)
        tree = self.parent, self.birth, self.of, self.density
        e = _first_apart(src, dst, density, tree, inside, linked)
        if e >= 0:
            u, v = self.points[[src[e], dst[e]]]
            raise VerificationError(f"points {u} and {v} are apart, but {density[e]} joins them")
        if not any_order:
            _check(splits & ~linked, "no edge joins the children of cluster {}", names)
            kept = inside[kruskal(src, dst, n, inside, greatest=True)]
            joins = _upward(np.bincount(kept, minlength=names.size), self.parent, np.add)
            _check((joins != self.size - 1)[1:], "cluster {} is not connected", names[1:])

    def answers(
        self, leaf: bool, single: bool, epsilon: float, max_size: int | None, labels: Any
    ) -> tuple[Any, Any, Any]:
        """Return the labels, probabilities and outlier scores of finite points.

        If the masses of a cluster and of its children differ only by rounding, ``labels`` decide
        which clusters are selected.
        """
        parent, of, density = self.parent, self.of, self.density
        leaves = (np.flatnonzero(self.children[1:] == 0) + 1).tolist()
        picks = set(leaves) if leaf else self._heaviest(single, max_size, self._shown(labels))
        with np.errstate(divide="ignore"):
            distance = 1.0 / self.birth
        if epsilon and 0 not in picks:
            for c in [c for c in picks if distance[c] < epsilon]:
                picks.discard(c)
                while parent[c] and distance[parent[c]] <= epsilon:
                    c = parent[c]
                picks.add(int(parent[c] if parent[c] or single else c))
        number, chosen = {c: k for k, c in enumerate(sorted(picks))}, np.full(parent.size, -1)
        for c in range(parent.size):
            chosen[c] = c if c in picks else chosen[parent[c]]
        limit = 1 / epsilon if epsilon else self.death[0]
        keep = (chosen[of] != 0) | ((density >= limit) & single & (len(picks) == 1))
        numbers = np.array([number.get(c, -1) for c in chosen.tolist()])
        right = np.where(keep, numbers[of], -1)
        share = np.where(right >= 0, _share(density, self.death[chosen[of]]), 0.0)
        deepest = _upward(self.death, parent, np.maximum)[of]
        return right, share, 1.0 - _share(density, deepest)

    def _shown(self, labels: Any) -> set[int]:
        """Return for each label the lowest cluster that contains all its points, as a set."""
        lowest: dict[int, int] = {}
        for label, c in set(zip(labels.tolist(), self.of.tolist(), strict=True)):
            a = lowest.get(label, c)
            while a != c:
                a, c = min(a, c), int(self.parent[max(a, c)])
            lowest[label] = a
        return {c for label, c in lowest.items() if label >= 0}

    def _heaviest(self, single: bool, max_size: int | None, shown: set[int]) -> set[int]:
        """Return the clusters of the greatest excess of mass, before ``epsilon`` is applied.

        ``shown`` are the clusters that win if masses are equal.
        """
        parent, birth, size, count = self.parent, self.birth, self.size.copy(), self.parent.size
        with np.errstate(invalid="ignore"):
            mass = np.bincount(self.of, self.density - birth[self.of], count)
            np.add.at(mass, parent[1:], ((birth - birth[parent]) * size)[1:])
        size[0] = size[1:][parent[1:] == 0].sum()  # as in scikit-learn, without its points
        below = np.zeros(count)  # the greatest mass of clusters below each cluster
        holds = np.zeros(count, bool)  # whether a cluster below each cluster is in ``shown``
        picked = np.zeros(count, bool)  # whether each cluster has more mass than those below
        for c in range(count - 1, -1, -1):
            near = math.isfinite(mass[c]) and math.isclose(below[c], mass[c], rel_tol=NEAR)
            is_too_large = max_size is not None and size[c] > max_size
            if is_too_large or (holds[c] if near else below[c] > mass[c]):
                mass[c] = below[c]
            else:
                picked[c] = c > 0 or single
            if c:
                below[parent[c]] += mass[c]
                holds[parent[c]] |= holds[c] or c in shown
        covered = np.zeros(count, bool)
        for c in range(1, count):
            covered[c] = covered[parent[c]] or picked[parent[c]]
        return set(np.flatnonzero(picked & ~covered).tolist())


def _check(wrong: Any, message: str, names: Any) -> None:
    """Raise a VerificationError with the name of the first wrong point or cluster."""
    if wrong.any():
        raise VerificationError(message.format(names[wrong.argmax()]))


def _upward(values: Any, parent: Any, add: Any) -> Any:
    """Return the value of each cluster, combined by ``add`` with the values of all below it."""
    total = values.copy()
    for c in range(parent.size - 1, 0, -1):
        total[parent[c]] = add(total[parent[c]], total[c])
    return total


def _share(density: Any, greatest: Any) -> Any:
    """Return densities as shares of a greatest density, at most 1; 1 if it is 0 or infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.minimum(density, greatest) / greatest
    return np.where((greatest == 0) | (density == np.inf), 1.0, share)


@numba.njit  # type: ignore[untyped-decorator]
def _leaving(merges: Any, large: Any, density: Any, n: int) -> Any:
    """Return the density at which each point's component becomes ``large``; 0 if it never does."""
    leaves = np.zeros(large.size)
    for i in range(len(merges) - 1, -1, -1):
        for c in merges[i, :2]:
            if not large[c]:
                leaves[c] = density[i] if large[n + i] else leaves[n + i]
    return leaves[:n]


@numba.njit  # type: ignore[untyped-decorator]
def _first_apart(src: Any, dst: Any, density: Any, tree: Any, inside: Any, linked: Any) -> int:
    """Return the first edge that joins two clusters before they split; -1 if there is none.

    ``inside`` becomes the lowest cluster that contains each edge and was born before it, and
    ``linked`` whether an edge joins the children of each cluster when they split.
    """
    parent, birth, of, leaves = tree
    for e in range(src.size):
        u, v, d, left, right = src[e], dst[e], density[e], 0, 0
        a, b = of[u], of[v]
        while a != b:
            if a > b:
                left, a = a, parent[a]
            else:
                right, b = b, parent[b]
        both = min(d, leaves[u], leaves[v])
        apart = (left and birth[left] < both) or (right and birth[right] < both)
        # above leaves[u], the component of u has too few points, so v leaves the same cluster
        if apart or (d > leaves[u] and of[u] != of[v]):
            return e
        if left and right and d >= birth[left]:
            linked[a] = True
        while a and birth[a] > d:
            a = parent[a]
        inside[e] = a
    return -1
