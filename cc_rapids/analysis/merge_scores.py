"""Scores after the merges of a dendrogram, computed in one pass over all merges.

The cells of the contingency table are stored by cluster, in one dictionary per cluster. A merge
moves the cells of the cluster with fewer cells to the other cluster. So n vertices take at most
n log2 n steps for all thresholds. The sums are integers that count units of 2**-52, so no rounding
error accumulates over the merges.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import log
from typing import Any

from ..results.answer import Answer
from .agreement import Labelling, scores_of_sums, sides_of

BITS = 52
ONE = 1 << BITS  # the number 1 in units of 2**-BITS


def scores_of_merges(
    answer: Answer,
    merges: tuple[list[int], list[int]],
    last_merges: list[int],
    truth: Labelling,
    missing: str | None,
) -> list[dict[str, Any]]:
    """Return the scores after each merge in ``last_merges``, whose numbers ascend.

    ``merges`` are the first and the second cluster of each merge: a row of the answer for a single
    vertex, and ``n + k`` for the cluster that merge ``k`` made. ``truth`` are the true clusters.
    ``missing`` is the policy for its further vertices: see :func:`cc_rapids.score_clusters`.
    """
    backend, n = answer.backend, answer.forest.vertices
    with backend.scope():
        sides, counts = sides_of(answer, backend.xp.arange(n), truth, missing=missing)
        rows, codes = (backend.to_host(sides[name]).tolist() for name in ("found", "truth"))
    # with "self", vertices that only the truth has follow the vertices of the answer
    in_answer = counts["vertices"] - (counts["only_in_truth"] if missing == "self" else 0)
    sums = _ScoreSums(codes)
    clusters: list[_Cluster | None] = [None] * (n + len(merges[0]))
    for row, code in zip(rows[:in_answer], codes[:in_answer], strict=True):
        clusters[row] = _Cluster(1, 1, {code: 1})
    scores, start = [], 0
    for last in last_merges:
        for k in range(start, last + 1):
            first, second = merges[0][k], merges[1][k]
            clusters[n + k] = sums.merged(clusters[first], clusters[second])
            clusters[first] = clusters[second] = None
        scores.append(counts | sums.scores())
        start = last + 1
    return scores


@dataclass(slots=True)
class _Cluster:
    """A cluster: its number of scored vertices, the sum of its squared cells, and its cells.

    ``cells`` maps each true cluster to the number of vertices that both clusters share.
    """

    size: int
    squares: int
    cells: dict[int, int]


class _ScoreSums:
    """The sums from which scores are computed, for single vertices and then after each merge.

    ``codes`` has the true cluster of each vertex.
    """

    def __init__(self, codes: list[int]) -> None:
        self._true_sizes = Counter(codes)
        sizes = self._true_sizes.values()
        self._n = self._clusters = len(codes)
        # pairs of vertices in one true cluster, in one cluster, and in one cell
        self._true_pairs = sum(size * (size - 1) // 2 for size in sizes)
        self._pairs = self._pairs_of_both = 0
        self._exact = sum(size == 1 for size in sizes)  # clusters that equal a true cluster
        # In units of 2**-BITS: the sum of squared cells / size over clusters (precision) and over
        # true clusters (recall), and the sum of x log x over the sizes of clusters and of true
        # clusters, less twice the sum over the cells (information). At first, every cluster and
        # cell has one vertex, for which x log x is 0.
        self._precision = self._n * ONE
        self._recall = sum(size * (ONE // size) for size in sizes)
        self._information = sum(map(_x_log_x, sizes))

    def merged(self, one: _Cluster | None, other: _Cluster | None) -> _Cluster | None:
        """Return the union of two clusters, and update the sums.

        The returned cluster is one of the given clusters, changed in place. A cluster is None if it
        has no scored vertices.
        """
        if one is None or other is None:
            return one or other
        small, large = (one, other) if len(one.cells) < len(other.cells) else (other, one)
        # from each sum, subtract the shares of both clusters and add the share of their union
        self._exact -= self._is_exact(small) + self._is_exact(large)
        self._precision -= _share(small.squares, small.size) + _share(large.squares, large.size)
        size = small.size + large.size
        self._information += _x_log_x(size) - _x_log_x(small.size) - _x_log_x(large.size)
        self._pairs += small.size * large.size
        squares, cells = small.squares + large.squares, large.cells
        for code, a in small.cells.items():  # a and b vertices of the same true cluster
            b = cells.get(code, 0)
            cells[code] = a + b
            if b:
                true_size, products = self._true_sizes[code], a * b
                self._pairs_of_both += products
                squares += 2 * products
                separate = _share(a * a, true_size) + _share(b * b, true_size)
                self._recall += _share((a + b) ** 2, true_size) - separate
                self._information -= 2 * (_x_log_x(a + b) - _x_log_x(a) - _x_log_x(b))
        large.size, large.squares = size, squares
        self._clusters -= 1
        self._exact += self._is_exact(large)
        self._precision += _share(squares, size)
        return large

    def scores(self) -> dict[str, float]:
        """Return the scores after the merges so far."""
        return scores_of_sums(
            self._n,
            (self._pairs_of_both, self._pairs, self._true_pairs),
            (self._exact, self._clusters, len(self._true_sizes)),
            (self._precision / ONE, self._recall / ONE, self._information / ONE),
        )

    def _is_exact(self, cluster: _Cluster) -> bool:
        """Return whether a cluster equals a true cluster."""
        if len(cluster.cells) > 1:
            return False
        [true_cluster] = cluster.cells
        return self._true_sizes[true_cluster] == cluster.size


def _share(squares: int, size: int) -> int:
    """Return ``squares / size`` in units of 2**-BITS."""
    return (squares << BITS) // size


def _x_log_x(x: int) -> int:
    return int(x * log(x) * ONE)
