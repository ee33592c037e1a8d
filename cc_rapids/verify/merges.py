"""The audit of a dendrogram's frames, on one host thread.

:func:`cc_rapids.oracle.single_linkage` computes the merges one edge at a time, and
:func:`cc_rapids.oracle.union_find` the components at a threshold. Vertices are numbered by their
rows in the label frame, which is verified first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numba
import numpy as np

from ..errors import VerificationError
from .label_rules import LabelRule
from .oracle import union_find
from .tables import first_row_of_difference, places, plain, row_in_words

if TYPE_CHECKING:
    import pyarrow as pa

NO_MERGE = -1


@dataclass(frozen=True)
class Merges:
    """The merges of a dendrogram in order, as a sequential oracle computes them.

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
        The two clusters, the size and the edge: see :func:`cc_rapids.oracle.single_linkage`.
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

        At each weight, the frame has the clusters before and after all merges of this weight.
        """
        first, second = self.merges[:, 0], self.merges[:, 1]
        n, step = self.n, self._steps
        least, greatest, top = _clusters(first, second, step, n)
        child = self.merges[:, :2].ravel()
        merge = np.repeat(np.arange(first.size), 2)
        same_step = child >= n  # clusters that merges of the same weight made
        same_step[same_step] = step[child[same_step] - n] == step[merge[same_step]]
        child, merge = child[~same_step], merge[~same_step]
        order = np.lexsort((_of(child, least, n), step[merge]))
        child, merge = child[order], merge[order]
        extreme = greatest if self.rule.is_greatest else least
        before, after = (_of(cluster, extreme, n) for cluster in (child, n + top[merge]))
        expected = [self.weights[merge], *self._ids(before), *self._ids(after), self._sizes(child)]
        self._compare("merges", places(table, 0, table.num_columns), expected)

    def check_linkage(self, array: Any) -> None:
        """Raise a VerificationError unless a linkage matrix has the merges, at heights 0, 1, ...

        Parameters
        ----------
        array : (n - 1, 4) array of float64
            The clusters, height and size of each merge, as in SciPy. Components are joined last, at
            height infinity.
        """
        count, n = len(self.merges), self.n
        expected = np.zeros((max(n - 1, 0), 4))
        columns = self.merges[:, :2], np.arange(count), self.merges[:, 2]
        expected[:count] = np.column_stack(columns)
        is_root = np.ones(n + count, bool)
        is_root[self.merges[:, :2]] = False
        roots = np.flatnonzero(is_root)
        least = _clusters(self.merges[:, 0], self.merges[:, 1], self._steps, n)[0]
        roots = roots[np.argsort(_of(roots, least, n), kind="stable")]
        if roots.size > 1:  # join the components last, in order
            before = np.append(roots[:1], n + count + np.arange(roots.size - 2))
            expected[count:, 0] = np.minimum(before, roots[1:])
            expected[count:, 1] = np.maximum(before, roots[1:])
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
        """Raise a VerificationError unless frames show the components of the first merges.

        Parameters
        ----------
        count : int
            The number of merges within the threshold.
        labels, sizes : table
            The frames of :meth:`cc_rapids.Dendrogram.labels` and ``sizes``.
        """
        least = union_find(self.src[:count], self.dst[:count], self.n)
        self._compare("labels", places(labels, 0, self.width), places(self.labels, 0, self.width))
        heads, component = np.unique(least, return_inverse=True)
        members = np.bincount(component, minlength=heads.size)
        by_size = np.argsort(-members, kind="stable")
        label_columns = places(labels, self.width, labels.num_columns)
        if self.rule.is_vertex:
            last = np.zeros(heads.size, np.int64)
            last[component] = np.arange(self.n)  # the greatest vertex of each component remains
            expected = self._ids(last[component] if self.rule.is_greatest else least)
        elif self.rule.is_place:
            place = np.arange(heads.size)
            if self.rule.is_by_size:
                place[by_size] = np.arange(heads.size)
            expected = [place[component]]
        else:
            numbers = label_columns[0].to_numpy()
            expected = [numbers[least]]
            if np.unique(numbers[heads]).size < heads.size:
                raise VerificationError("two components have the same label at a threshold")
        self._compare("labels", label_columns, expected)
        shown = [column.take(heads[by_size]) for column in map(plain, label_columns)]
        self._compare("sizes", places(sizes, 0, sizes.num_columns), [*shown, members[by_size]])

    def check_split(
        self, max_size: int, ends: tuple[Any, Any], parts: pa.Table, cuts: pa.Table
    ) -> None:
        """Raise a VerificationError unless large components are split correctly.

        Parameters
        ----------
        max_size : int
            The maximum number of vertices of a part.
        ends : two (m,) arrays of int64
            The rows of both ends of each edge.
        parts, cuts : table
            The least vertex of each vertex's part, and the frame of components that are too large.
        """
        n, step, k = self.n, self._steps, len(self.merges)
        least = union_find(self.src, self.dst, n)
        component = least[self.src]
        last = _clusters(self.merges[:, 0], self.merges[:, 1], step, n)[2]
        # of the cluster after all merges of the same weight: its size, and its merges of the weight
        whole, links = self.merges[last, 2], np.bincount(last, minlength=k)[last]
        is_one_tie = (links >= 2) & (links == whole - 1)  # all its links have this weight
        kept = (whole <= max_size) | is_one_tie
        part = union_find(self.src[kept], self.dst[kept], n)
        ids = places(self.labels, 0, self.width)
        self._compare("parts", places(parts, 0, parts.num_columns), [*ids, *self._ids(part)])
        heads, members = np.unique(part, return_counts=True)
        over = np.unique(component[self.merges[:, 2] > max_size])
        largest, edges_cut, count = (np.zeros(n, np.int64) for _ in range(3))
        np.maximum.at(largest, least[heads], members)
        np.add.at(count, least[heads], 1)
        across = part[ends[0]] != part[ends[1]]
        np.add.at(edges_cut, least[ends[0][across]], 1)
        cut = np.flatnonzero(~kept)
        weakest, strongest = np.full(n, NO_MERGE), np.full(n, k)
        np.maximum.at(weakest, component[cut], cut)
        np.minimum.at(strongest, component[cut], cut)
        size = np.bincount(least, minlength=n)[over]
        labels = places(self.labels, self.width, self.labels.num_columns)
        label = [plain(column).take(over) for column in labels]
        sizes = size, count[over], largest[over], largest[over] > max_size, edges_cut[over]
        self._compare("cuts", places(cuts, 0, cuts.num_columns - 2), [*label, *sizes])
        is_cut = weakest[over] != NO_MERGE
        for shown, rows in zip(cuts.columns[-2:], (weakest[over], strongest[over]), strict=True):
            weights = self.weights[np.where(is_cut, rows, 0)].tolist() if k else []
            expected = [w if cut else None for w, cut in zip(weights, is_cut, strict=True)]
            # NaN, the only value that differs from itself, is null
            shown_weights = [None if value != value else value for value in shown.to_pylist()]
            if shown_weights != expected:
                raise VerificationError(
                    f"weights of the cuts are {shown_weights}, but should be {expected}"
                )

    @cached_property
    def _steps(self) -> Any:
        """The rank of each merge's weight among the distinct weights."""
        return np.cumsum(
            np.append(False, self.weights[1:] != self.weights[:-1])[: len(self.merges)]
        )

    def _sizes(self, clusters: Any) -> Any:
        """Return the number of vertices of each given cluster; clusters below n are vertices."""
        return np.append(np.ones(self.n, np.int64), self.merges[:, 2])[clusters]

    def _ids(self, rows: Any) -> list[Any]:
        """Return the id columns of the vertices in given rows of the label frame."""
        return [plain(column).take(rows) for column in places(self.labels, 0, self.width)]

    def _compare(self, what: str, shown: list[Any], expected: list[Any]) -> None:
        """Raise a VerificationError for the first row in which columns are not as expected."""
        import pyarrow as pa

        if len(shown) != len(expected):
            raise VerificationError(f"the {what} have {len(shown)} columns, not {len(expected)}")
        expected = [pa.array(part) if isinstance(part, np.ndarray) else part for part in expected]
        row = first_row_of_difference(shown, expected)
        if row is not None:
            rows = [row_in_words(columns, row) for columns in (shown, expected)]
            raise VerificationError(
                f"row {row:,} of the {what} is {rows[0]}, but should be {rows[1]}"
            )


def _of(clusters: Any, merge_values: Any, n: int) -> Any:
    """Return ``merge_values[c - n]`` for a cluster c from n on, and c for a vertex c < n."""
    if not merge_values.size:
        return clusters
    return np.where(clusters < n, clusters, merge_values[np.maximum(clusters - n, 0)])


@numba.njit  # type: ignore[untyped-decorator]
def _clusters(first: Any, second: Any, step: Any, n: int) -> tuple[Any, Any, Any]:
    """Return for each merge the least and greatest vertex of its cluster, and its top merge.

    The top merge is the last merge of the same step whose cluster contains this cluster.
    """
    k = first.size
    least, greatest, top = np.empty(k, np.int64), np.empty(k, np.int64), np.arange(k)
    for i in range(k):
        low, high = n, -1
        for c in (first[i], second[i]):
            if c < n:
                low, high = min(low, c), max(high, c)
            else:
                low, high = min(low, least[c - n]), max(high, greatest[c - n])
                if step[c - n] == step[i]:
                    top[c - n] = i
        least[i], greatest[i] = low, high
    for i in range(k - 1, -1, -1):
        top[i] = top[top[i]]
    return least, greatest, top
