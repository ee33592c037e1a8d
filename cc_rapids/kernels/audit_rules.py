"""Kernels of the audit of clusters under rules; they share no code with kernels of runs.

Accepted edges are numbered in the order in which Kruskal's algorithm takes them, after the pairs
that must be linked. ``up`` and ``chosen`` are as in :mod:`cc_rapids.kernels.audit_forest`,
over the accepted edges. For an end u of edge e, the cluster of u just before e is taken contains
each vertex x of the final cluster for which the last edge on the path from u to x comes before e.

src, dst       : (m,) unsigned, the slots of both ends of each edge.
ordered        : (k,) the accepted edges, in order.
first          : the number of pairs that must be linked, which come before these edges.
cluster        : (n,) the number of the final cluster of each slot.
members, starts: the slots of each cluster; ``most`` is the maximum number of slots of a cluster.
code           : (n,) the dataset of each slot; -1 if its dataset has no limit.
limits         : (datasets,) the maximum number of slots of each dataset in a cluster.
limited, begins: the slots whose dataset has a limit, by cluster and then by dataset.
pair           : the slots of pairs that must not be linked: pair[i] and pair[i ^ 1].
ends, heads    : the indices into ``pair`` of each cluster, and where each cluster starts in them.
verdict        : (m,) uint8, WITHIN, ACCEPTED, the number of the rule that the union would break, or
                 a fault: EARLY if both ends are in one cluster, but the edge comes before the last
                 edge on the path between them; FREE if the ends are in two clusters whose union
                 would break no rule.
"""

from typing import Any

import numpy as np

ZERO, ONE = np.uint64(0), np.uint64(1)
DATASET, CANNOT, SIZE, ACCEPTED, WITHIN, EARLY, FREE = (np.uint8(k) for k in range(1, 8))


def last_on_path(on: Any) -> Any:
    """Return one more than the number of the last edge between two slots of a tree; 0 for none."""

    @on.device
    def last_on_path(u, v, up, chosen):
        last = ZERO  # both climb one round per step, so they meet at the lowest common ancestor
        while u != v:
            last = max(last, max(np.uint64(chosen[u]), np.uint64(chosen[v])))
            u, v = up[u], up[v]
        return last

    return last_on_path


def count_before(on: Any, before: Any) -> Any:
    """Return the number of accepted edges that come before an edge, by bisection."""

    @on.device
    def count_before(e, weights, ordered):
        low, high, weight = ZERO, np.uint64(ordered.size), weights[e]
        while low < high:
            middle = (low + high) >> ONE
            row = np.uint64(ordered[middle])
            other_weight = weights[row]
            if before(other_weight, weight) or (other_weight == weight and row < e):
                low = middle + ONE
            else:
                high = middle
        return low

    return count_before


def judge(on: Any, before: Any) -> Any:
    """Write the verdict on each edge that was not accepted.

    The rules are tested in the order DATASET, CANNOT, SIZE, on the clusters of both ends at the
    time of the edge: slot x is in the cluster of u if ``last(u, x) <= time``.
    """
    last, count = last_on_path(on), count_before(on, before)

    @on.elementwise
    def judge(
        e, src, dst, weights, up, chosen, ordered, first, cluster, code, limits, limited, begins,
        pair, ends, heads, members, starts, most, verdict,
    ):  # fmt: skip
        if verdict[e] == ACCEPTED:
            return
        u, v = src[e], dst[e]
        time = np.uint64(first) + count(np.uint64(e), weights, ordered)
        a, b = np.uint64(cluster[u]), np.uint64(cluster[v])
        if a == b:
            verdict[e] = WITHIN if last(u, v, up, chosen) <= time else EARLY
            return
        if limited.size:  # walk through both lists, which are sorted by dataset
            i, j = np.uint64(begins[a]), np.uint64(begins[b])
            end_a, end_b = np.uint64(begins[a + ONE]), np.uint64(begins[b + ONE])
            while i < end_a and j < end_b:
                dataset_a, dataset_b = code[limited[i]], code[limited[j]]
                if dataset_a < dataset_b:
                    i += ONE
                elif dataset_a > dataset_b:
                    j += ONE
                else:
                    together = ZERO
                    while i < end_a and code[limited[i]] == dataset_a:
                        together += np.uint64(last(u, limited[i], up, chosen) <= time)
                        i += ONE
                    while j < end_b and code[limited[j]] == dataset_a:
                        together += np.uint64(last(v, limited[j], up, chosen) <= time)
                        j += ONE
                    if together > np.uint64(limits[dataset_a]):
                        verdict[e] = DATASET
                        return
        if pair.size:  # look through the ends of the cluster that has fewer
            x, y, fewer, other = u, v, a, b
            if heads[b + ONE] - heads[b] < heads[a + ONE] - heads[a]:
                x, y, fewer, other = v, u, b, a
            i, stop = np.uint64(heads[fewer]), np.uint64(heads[fewer + ONE])
            while i < stop:
                slot, partner = pair[np.uint64(ends[i])], pair[np.uint64(ends[i]) ^ ONE]
                meets = np.uint64(cluster[partner]) == other
                meets = meets and last(x, slot, up, chosen) <= time
                if meets and last(y, partner, up, chosen) <= time:
                    verdict[e] = CANNOT
                    return
                i += ONE
        if starts.size:  # count the slots of both clusters
            size, i, stop = ZERO, np.uint64(starts[a]), np.uint64(starts[a + ONE])
            while i < stop:
                size += np.uint64(last(u, members[i], up, chosen) <= time)
                i += ONE
            i, stop = np.uint64(starts[b]), np.uint64(starts[b + ONE])
            while i < stop:
                size += np.uint64(last(v, members[i], up, chosen) <= time)
                i += ONE
            if size > np.uint64(most):
                verdict[e] = SIZE
                return
        verdict[e] = FREE

    return judge
