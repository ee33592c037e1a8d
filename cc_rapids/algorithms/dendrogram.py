"""Single-linkage merge tree: the clusters that each edge of a spanning forest merges.

Each edge merges clusters that earlier edges have made, so one host thread processes the edges in
sequence, even if the forest is on a GPU. It accesses a few random words per edge. The components at
a threshold need no merge tree: they are computed directly from the edges that the threshold admits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import backends
from ..errors import InputError, counted
from ..kernels import dendrogram as kernels
from ..kernels import find


@dataclass(frozen=True)
class MergeTree:
    """The merge of each edge of a forest in order, as arrays of int64 on the host.

    Vertices are the clusters 0 .. n - 1. Edge k creates cluster n + k.

    Attributes
    ----------
    n : int
        The number of vertices.
    first, second : (t,) arrays
        The two merged clusters, the lower number first.
    size, least, greatest : (t,) arrays
        The size, the least and the greatest vertex of the new cluster.
    """

    n: int
    first: Any
    second: Any
    size: Any
    least: Any
    greatest: Any

    @classmethod
    def of(cls, src: Any, dst: Any, n: int) -> MergeTree:
        """Compute the merges of the edges of a forest over n vertices.

        Parameters
        ----------
        src, dst : (t,) arrays of int64
            The endpoints of the edges on the host, in the order of their merges.

        Raises
        ------
        InputError
            The edges have a cycle.
        """
        host = backends.get("threads")
        vertex: Any = np.uint32 if n < 1 << 32 else np.uint64
        up = np.arange(n, dtype=vertex)
        cluster, members, most = np.arange(n), np.ones(n, np.int64), np.arange(n)
        merged = [np.empty(src.size, np.int64) for _ in range(5)]
        kernel = host.kernel(kernels.merge_in_order, vertex, host.kernel(find.halve))
        kernel(1, src, dst, up, cluster, members, most, *merged)
        closes = merged[0] == merged[1]
        if closes.any():
            raise InputError(
                f"{counted(int(closes.sum()), 'edge')} of the forest would merge a cluster with"
                " itself: find the components and their forest again"
            )
        return cls(n, *merged)

    def sizes_of(self, clusters: Any) -> Any:
        """Return the number of vertices of each given cluster."""
        return self._of(self.size, 1, clusters)

    def least_of(self, clusters: Any) -> Any:
        """Return the least vertex of each given cluster."""
        return self._of(self.least, clusters, clusters)

    def greatest_of(self, clusters: Any) -> Any:
        """Return the greatest vertex of each given cluster."""
        return self._of(self.greatest, clusters, clusters)

    def _of(self, merged: Any, single: Any, clusters: Any) -> Any:
        """Look up clusters in ``merged``, by edge, or in ``single``, by vertex."""
        if not merged.size:
            return np.broadcast_to(np.asarray(single, np.int64), clusters.shape)
        return np.where(clusters < self.n, single, merged[np.maximum(clusters - self.n, 0)])

    def roots(self) -> Any:
        """Return the clusters that are never merged, ordered by their least vertices."""
        whole = np.ones(self.n + self.size.size, bool)
        whole[self.first], whole[self.second] = False, False
        clusters = np.flatnonzero(whole)
        return clusters[np.argsort(self.least_of(clusters))]

    def at_once(self, steps: Any) -> tuple[Any, Any, Any]:
        """Return the clusters that merge in each step, the clusters that result, and the steps.

        Parameters
        ----------
        steps : (t,) array of int64
            The step of each edge, ascending; edges of one step merge simultaneously.

        Returns
        -------
        three (c,) arrays of int64
            Ordered by step, and within a step by the least vertex of the merged cluster.
        """
        edges = int(steps.size)
        above = np.arange(edges)  # a later edge of the step that merges the cluster, or the edge
        parts = np.column_stack([self.first, self.second])  # in the order of the edges, so of steps
        at = np.broadcast_to(np.arange(edges)[:, None], parts.shape)
        made = np.maximum(parts - self.n, 0)
        inner = (parts >= self.n) & (steps[made] == steps[at]) if edges else parts < 0
        above[made[inner]] = at[inner]
        while not np.array_equal(above, further := above[above]):
            above = further
        before, at = parts[~inner], at[~inner]
        least, step = self.least_of(before), steps[at]
        if self.n <= 1 << 32:  # sort step and vertex as one word; nearly sorted input is fast
            order = np.argsort(
                step.astype(np.uint64) * np.uint64(self.n) + least.view(np.uint64), kind="stable"
            )
        else:
            order = np.lexsort((least, step))
        return before[order], self.n + above[at[order]], step[order]
