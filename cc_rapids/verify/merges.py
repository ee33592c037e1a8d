"""The audit of a dendrogram's frames, on one host thread.

:func:`cc_rapids.oracle.single_linkage` computes the merges one edge at a time, and
:func:`cc_rapids.oracle.union_find` the components at a threshold. Vertices are numbered by their
rows in the label frame, which is verified first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numba
import numpy as np

from ..errors import VerificationError
from .label_rules import LabelRule
from .oracle import union_find
from .tables import check_columns, plain

if TYPE_CHECKING:
    import pyarrow as pa

NO_MERGE = -1


class Clusters(NamedTuple):
    """The clusters that merges make.

    Attributes
    ----------
    least, greatest : (k,) arrays of int64
        The least and the greatest vertex of the cluster that each merge makes.
    last_merge : (k,) array of int64
        For each merge, the merge of equal weight that makes the largest cluster around its cluster.
    """

    least: Any
    greatest: Any
    last_merge: Any


@dataclass(frozen=True)
class Merges:
    """The merges of a dendrogram, in the order in which a sequential oracle makes them.

    The clusters 0 .. n - 1 are the vertices, and merge i makes the cluster n + i.

    Attributes
    ----------
    labels : table
        The label frame: the id columns, then the label columns.
    width : int
        The number of columns of an id.
    rule : LabelRule
        The kind of the labels.
    src, dst : (k,) arrays of int64
        For each merge, the rows of both ends of its edge.
    weights : (k,) array of numbers
        The weight of each merge.
    merges : (k, 4) array of int64
        The two clusters that are merged, the size of the new cluster, and the edge: see
        :func:`cc_rapids.oracle.single_linkage`.
    """

    labels: pa.Table
    width: int
    rule: LabelRule
    src: Any
    dst: Any
    weights: Any
    merges: Any

    @property
    def n(self) -> int:
        """The number of vertices."""
        return int(self.labels.num_rows)

    def check_merges(self, table: pa.Table) -> None:
        """Raise a VerificationError unless a frame shows the merges at each weight.

        All merges of one weight count as one step. For each cluster that they join, the frame has a
        row with the weight, the ids of the cluster before and after them, and its size before.
        """
        n, step = self.n, self._steps
        least, greatest, last_merge = self._clusters
        child = self.merges[:, :2].ravel()  # each cluster that is merged
        merge = np.repeat(np.arange(len(self.merges)), 2)  # its merge
        # clusters that a merge of the same weight has made have no row
        is_inner = child >= n
        is_inner[is_inner] = step[child[is_inner] - n] == step[merge[is_inner]]
        child, merge = child[~is_inner], merge[~is_inner]
        order = np.lexsort((_vertex_of(child, least, n), step[merge]))
        child, merge = child[order], merge[order]
        extreme = greatest if self.rule.is_greatest else least
        before = _vertex_of(child, extreme, n)
        after = extreme[last_merge[merge]]
        expected = [self.weights[merge], *self._ids(before), *self._ids(after), self._sizes(child)]
        check_columns("merges", table.columns, expected)

    def check_linkage(self, array: Any) -> None:
        """Raise a VerificationError unless a linkage matrix has the merges, at heights 0, 1, ...

        Rows at height infinity follow, which join the components by ascending least vertices.
        """
        count, n = len(self.merges), self.n
        expected = np.zeros((max(n - 1, 0), 4))
        columns = self.merges[:, :2], np.arange(count), self.merges[:, 2]
        expected[:count] = np.column_stack(columns)
        is_root = np.ones(n + count, bool)
        is_root[self.merges[:, :2]] = False
        roots = np.flatnonzero(is_root)  # the clusters that are components
        roots = roots[np.argsort(_vertex_of(roots, self._clusters.least, n), kind="stable")]
        if roots.size > 1:  # join the first component with the second, then with the third, ...
            joined = np.append(roots[:1], n + count + np.arange(roots.size - 2))
            expected[count:, 0] = np.minimum(joined, roots[1:])
            expected[count:, 1] = np.maximum(joined, roots[1:])
            expected[count:, 2], expected[count:, 3] = np.inf, np.cumsum(self._sizes(roots))[1:]
        if array.shape != expected.shape:
            raise VerificationError(
                f"the linkage has the shape {array.shape}, but should have {expected.shape}"
            )
        wrong = (array != expected).any(axis=1)
        if wrong.any():
            k = int(wrong.argmax())
            raise VerificationError(
                f"row {k:,} of the linkage is {array[k].tolist()}, but should be"
                f" {expected[k].tolist()}"
            )

    def check_labels(self, count: int, labels: pa.Table, sizes: pa.Table) -> None:
        """Raise a VerificationError unless frames show the components at a threshold.

        The first ``count`` merges are within the threshold. ``labels`` and ``sizes`` are the frames
        of :meth:`cc_rapids.Dendrogram.labels` and :meth:`cc_rapids.Dendrogram.sizes`.
        """
        least = union_find(self.src[:count], self.dst[:count], self.n)
        check_columns("labels", labels.columns[: self.width], self.labels.columns[: self.width])
        # the least vertex of each component, and the component of each vertex
        heads, component = np.unique(least, return_inverse=True)
        size = np.bincount(component, minlength=heads.size)
        by_size = np.argsort(-size, kind="stable")  # components, the largest first
        label_columns = labels.columns[self.width :]
        if self.rule.is_vertex:
            greatest = np.zeros(heads.size, np.int64)
            greatest[component] = np.arange(self.n)  # the last assignment to a component remains
            expected = self._ids(greatest[component] if self.rule.is_greatest else least)
        elif self.rule.is_place:
            label = np.arange(heads.size)  # of each component
            if self.rule.is_by_size:
                label[by_size] = np.arange(heads.size)
            expected = [label[component]]
        else:  # labels may be any integers that differ between components
            numbers = label_columns[0].to_numpy()
            expected = [numbers[least]]
            if np.unique(numbers[heads]).size < heads.size:
                raise VerificationError("two components have the same label at a threshold")
        check_columns("labels", label_columns, expected)
        shown = [column.take(heads[by_size]) for column in map(plain, label_columns)]
        check_columns("sizes", sizes.columns, [*shown, size[by_size]])

    def check_split(
        self, max_size: int, ends: tuple[Any, Any], parts: pa.Table, cuts: pa.Table
    ) -> None:
        """Raise a VerificationError unless frames show how components that are too large are split.

        Components of more than ``max_size`` vertices are too large. ``ends`` has both ends of each
        edge, as rows of the label frame. ``parts`` is the label frame of the parts, and ``cuts``
        the frame of :meth:`cc_rapids.Dendrogram.split`.
        """
        component = union_find(self.src, self.dst, self.n)  # the least vertex of each component
        kept = self._kept(max_size)
        part = union_find(self.src[kept], self.dst[kept], self.n)
        ids = self.labels.columns[: self.width]
        check_columns("parts", parts.columns, [*ids, *self._ids(part)])
        too_large = np.unique(component[self.src[self.merges[:, 2] > max_size]])
        labels = self.labels.columns[self.width :]
        expected = [
            *(plain(column).take(too_large) for column in labels),
            *self._numbers_of_split(component, part, ends, too_large, max_size),
        ]
        check_columns("cuts", cuts.columns[:-2], expected)
        self._check_cut_weights(cuts, component, kept, too_large)

    def _kept(self, max_size: int) -> Any:
        """Return a mask of the merges that a split at ``max_size`` vertices keeps.

        Merges of equal weight that make one cluster are kept or cut together. They are kept if this
        cluster is small enough, or if they are at least two and make it from single vertices.
        """
        last_merge = self._clusters.last_merge
        size = self.merges[last_merge, 2]
        tie_count = np.bincount(last_merge, minlength=len(self.merges))[last_merge]
        is_of_ties = (tie_count >= 2) & (tie_count == size - 1)  # a cluster has size - 1 merges
        return (size <= max_size) | is_of_ties

    def _numbers_of_split(
        self, component: Any, part: Any, ends: tuple[Any, Any], too_large: Any, max_size: int
    ) -> list[Any]:
        """Return five columns with one number for each component in ``too_large``.

        They are the number of vertices, the number of parts, the size of the largest part, whether
        this part has more than ``max_size`` vertices, and the number of edges between parts.
        ``component`` and ``part`` have the least vertex of each vertex's component and part.
        """
        heads, part_sizes = np.unique(part, return_counts=True)
        size = np.bincount(component, minlength=self.n)
        part_count = np.bincount(component[heads], minlength=self.n)
        largest = np.zeros(self.n, np.int64)
        np.maximum.at(largest, component[heads], part_sizes)
        across = part[ends[0]] != part[ends[1]]
        edges_cut = np.bincount(component[ends[0][across]], minlength=self.n)
        columns = size, part_count, largest, largest > max_size, edges_cut
        return [column[too_large] for column in columns]

    def _check_cut_weights(self, cuts: pa.Table, component: Any, kept: Any, too_large: Any) -> None:
        """Raise a VerificationError for wrong weights of the weakest and strongest merge cut.

        ``component`` has the least vertex of the component of each vertex, ``kept`` is a mask of
        the merges that are not cut, and ``too_large`` has the least vertex of each component that
        is too large. A component that :meth:`_kept` keeps whole, because of ties, has no cuts.
        """
        cut_merges = np.flatnonzero(~kept)
        # merges are in order from the strongest to the weakest
        weakest, strongest = np.full(self.n, NO_MERGE), np.full(self.n, len(kept))
        np.maximum.at(weakest, component[self.src[cut_merges]], cut_merges)
        np.minimum.at(strongest, component[self.src[cut_merges]], cut_merges)
        is_cut = weakest[too_large] != NO_MERGE
        for shown, merge in zip(cuts.columns[-2:], (weakest, strongest), strict=True):
            pairs = zip(merge[too_large], is_cut, strict=True)
            expected = [self.weights[i].item() if has_cut else None for i, has_cut in pairs]
            # NaN, the only value that differs from itself, is null
            shown_weights = [None if value != value else value for value in shown.to_pylist()]
            if shown_weights != expected:
                raise VerificationError(
                    f"weights of the cuts are {shown_weights}, but should be {expected}"
                )

    @cached_property
    def _clusters(self) -> Clusters:
        """The clusters that the merges make."""
        first, second = self.merges[:, 0], self.merges[:, 1]
        return Clusters(*_clusters_of(first, second, self._steps, self.n))

    @cached_property
    def _steps(self) -> Any:
        """The rank of each merge's weight among the distinct weights."""
        rises = np.append(False, self.weights[1:] != self.weights[:-1])
        return np.cumsum(rises[: len(self.merges)])  # without merges, ``rises`` has one entry

    def _sizes(self, clusters: Any) -> Any:
        """Return the number of vertices of each of the given clusters."""
        return np.append(np.ones(self.n, np.int64), self.merges[:, 2])[clusters]

    def _ids(self, rows: Any) -> list[Any]:
        """Return the id columns of the vertices in the given rows of the label frame."""
        return [plain(column).take(rows) for column in self.labels.columns[: self.width]]


def _vertex_of(clusters: Any, extreme: Any, n: int) -> Any:
    """Return the vertex ``extreme[c - n]`` of each cluster c >= n, and c for a single vertex c."""
    vertices = clusters.copy()
    is_merged = clusters >= n
    vertices[is_merged] = extreme[clusters[is_merged] - n]
    return vertices


@numba.njit  # type: ignore[untyped-decorator]
def _clusters_of(first: Any, second: Any, step: Any, n: int) -> tuple[Any, Any, Any]:
    """Return the columns of :class:`Clusters`; merge i joins first[i] and second[i] in step[i]."""
    k = first.size
    least, greatest, last_merge = np.empty(k, np.int64), np.empty(k, np.int64), np.arange(k)
    for i in range(k):
        low, high = n, -1
        for c in (first[i], second[i]):
            if c < n:
                low, high = min(low, c), max(high, c)
            else:
                low, high = min(low, least[c - n]), max(high, greatest[c - n])
                if step[c - n] == step[i]:
                    last_merge[c - n] = i
        least[i], greatest[i] = low, high
    for i in range(k - 1, -1, -1):  # the entries after i are final
        last_merge[i] = last_merge[last_merge[i]]
    return least, greatest, last_merge
