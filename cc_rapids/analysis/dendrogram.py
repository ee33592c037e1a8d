"""Single-linkage dendrograms from a spanning forest by weight."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from numbers import Real
from time import perf_counter
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

import numpy as np

from ..algorithms.boruvka import WeightOrder
from ..algorithms.dendrogram import MergeTree
from ..algorithms.design import check_batch_design
from ..backends import Array
from ..data import html
from ..data.arguments import check_count, check_word
from ..data.column import any_array
from ..data.dtypes import is_float, is_number
from ..data.edge_input import plain_frame
from ..data.frame_build import with_column
from ..data.within import with_bounds
from ..errors import ArgumentTypeError, InputError, VerificationError, counted, shown
from ..graph.edges import Edges
from ..graph.forest import Forest
from ..graph.sorting import begins, first_of, order_of_integers, rows_of_each
from ..ids.decoders import at_places
from ..kernels import forest as trees
from ..keywords import suggest_keywords_of_methods
from ..results.answer import Answer, ComponentsT, LabelKind, PartOfForest
from ..results.labels import DEFAULT_KINDS, check_labels
from ..results.lookup import rows_of_edges, rows_of_forest
from ..results.rules import PartOfRuled, Ruled
from ..results.written import arrow_of
from .agreement import LEAST_IS_BEST, METRICS, check_missing, labelling_of
from .audits import prove, shown_labels
from .cuts import CutAnswers, GrowingTrees, Levels
from .merge_scores import scores_of_merges
from .selection import sizes
from .thresholds import Cuts, score_frame

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..verify.merges import Merges
    from . import plots

# The keys are whether the forest is a maximum spanning forest.
DIRECTIONS = {True: "at_least", False: "at_most"}
FORESTS = {True: "max", False: "min"}
DISTANCE_ADVICE = {
    True: "pass distance= such that the greatest weights are nearest: lambda w: w.max() - w",
    False: "pass distance= such that the least weights are nearest: lambda w: w - w.min()",
}


class Split(NamedTuple, Generic[ComponentsT]):
    """The result of splitting oversized components.

    Attributes
    ----------
    parts : Components
        The parts of components that were too large, and all other components unchanged. Labels are
        the least vertices, or numbers if ids have several columns.
    cuts : frame of the caller's kind
        One row per component that was too large, see :meth:`Dendrogram.split`.
    """

    parts: ComponentsT
    cuts: Any


class Best(NamedTuple, Generic[ComponentsT]):
    """The threshold whose components agree best with true clusters.

    Attributes
    ----------
    threshold, score : number
        The threshold, and the score of its components.
    components : Components
        The components at this threshold.
    curve : frame of the caller's kind
        The scores at all thresholds, see :meth:`cc_rapids.Cuts.scores`.
    """

    threshold: Any
    score: float
    components: ComponentsT
    curve: Any


@dataclass(frozen=True)
class DendrogramAudit:
    """The result of an audit of a dendrogram.

    Attributes
    ----------
    edges, vertices, components, merges : int
        The counts of edges, vertices, components, and merges of two clusters.
    seconds : float
        The duration of the audit.
    """

    edges: int
    vertices: int
    components: int
    merges: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"right: {counted(self.merges, 'merge')} of"
            f" {counted(self.vertices, 'vertex', 'vertices')} to"
            f" {counted(self.components, 'component')}, by {counted(self.edges, 'edge')}"
        )


@suggest_keywords_of_methods
class Dendrogram(Generic[ComponentsT]):
    """The components at every weight threshold, and how they merge (single linkage).

    If the forest is a maximum spanning forest, a threshold admits the edges whose weight is at
    least the threshold. If the forest is a minimum spanning forest, a threshold admits the edges
    whose weight is at most the threshold. The admitted edges of the forest have the same components
    as all admitted edges. ``len()`` is the number of merges of two clusters, which equals the
    number of forest edges.

    Attributes
    ----------
    components : Components
        The components of all edges, without a threshold.

    See Also
    --------
    Components.dendrogram : Return the dendrogram of an answer.
    components_at : Find components at several thresholds without a spanning forest.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> edges = pd.DataFrame({"src": [1, 2, 3], "dst": [2, 3, 4], "w": [0.9, 0.7, 0.8]})
    >>> tree = cc_rapids.components(edges, weight="w", forest="max").dendrogram()
    >>> tree
    <Dendrogram: 3 merges of 4 vertices to 1 component, from 0.9 to 0.7>
    >>> tree.labels(0.75)["labels"].tolist()
    [1, 1, 3, 3]
    """

    components: ComponentsT

    def __init__(self, components: ComponentsT) -> None:
        self.components, answer = components, components.answer
        if answer.facts.greatest is None:
            raise InputError(
                "a dendrogram needs a spanning forest by weight, but this answer has none: call"
                " components(edges, weight=..., forest='max').dendrogram(), or forest='min' if"
                " weights are distances"
            )
        self._greatest = answer.facts.greatest
        default_kind = DEFAULT_KINDS[bool(answer.given.src.key_columns)]
        # a kind that is not saved stores the labels of one answer, so cuts cannot use it
        self._kind = answer.kind if answer.kind.is_saved else default_kind
        backend = answer.backend
        with backend.scope():
            ends, columns = rows_of_forest(answer)
            weights = backend.asarray(columns["weight"])
            # integers in the order of the merges, equal for equal weights
            codes = WeightOrder.of(weights, self._greatest, backend).integers(backend)
            order = order_of_integers(codes, 256**weights.dtype.itemsize, backend.xp)
            # for each merge, the rows in the answer of the ends of its forest edge, the weight,
            # the code of the weight, and the position of the edge in the forest
            self._src, self._dst = (end[order] for end in ends)
            self._weights, self._codes, self._positions = weights[order], codes[order], order

    def __len__(self) -> int:
        return int(self._weights.size)

    def __repr__(self) -> str:
        answer, between = self.components.answer, ""
        if len(self) and not answer.backend.on_device:  # avoid copies from a GPU
            between = f", from {self._weights[0]} to {self._weights[-1]}"
        vertices = counted(answer.forest.vertices, "vertex", "vertices")
        merges, components = counted(len(self), "merge"), counted(len(answer), "component")
        return f"<Dendrogram: {merges} of {vertices} to {components}{between}>"

    def _repr_html_(self) -> str:
        facts = {
            "merges": len(self),
            "vertices": self.components.answer.forest.vertices,
            "components": len(self.components.answer),
            "weights": self._direction.replace("_", " "),
        }
        return html.panel("Dendrogram", html.facts(facts))

    @property
    def _direction(self) -> str:
        return DIRECTIONS[self._greatest]

    def cuts(self, thresholds: Any) -> Cuts[ComponentsT]:
        """Return the components at several thresholds.

        Parameters
        ----------
        thresholds : list of numbers
            The thresholds, in any order. Duplicates count once. Thresholds are compared with
            weights as in :func:`cc_rapids.components_at`.

        Returns
        -------
        Cuts
            The same answers as from :func:`cc_rapids.components_at`, but with spanning forests. The
            edge counts of the answers include only forest edges. Each forest edge is linked once.

        Raises
        ------
        InputError, ColumnTypeError
            The thresholds are not numbers, or are null.

        See Also
        --------
        Dendrogram.at : Return the components at one threshold.
        components_at : Find components at thresholds without a spanning forest.
        """
        levels, answer = Levels.of(thresholds, self._direction), self.components.answer
        backend = answer.backend
        with backend.scope():
            cuts = levels.cuts_of(self._weights, backend)
            added = [slice(*bounds) for bounds in pairwise(levels.bounds_of(cuts, backend))]
            outside = levels.count_outside(cuts, backend).tolist()
            return Cuts(self._cut_answers(added, levels, self._kind, outside), self._kind)

    def at(self, threshold: Any) -> ComponentsT:
        """Return the components at a threshold.

        Parameters
        ----------
        threshold : number
            Any number. A maximum spanning forest admits edges of at least this weight, a minimum
            spanning forest edges of at most this weight.

        Returns
        -------
        Components
            A new answer with every vertex, including isolated vertices. The edge count of the
            answer includes forest edges only. Its ledger extends the ledger of ``components``:
            edges outside the forest count as ``not_in_forest``. The answer has the forest edges
            within the threshold as its spanning forest, so it also has paths and a dendrogram. A
            cut of :class:`LinkedPairs` also has the pairs that a rule refused within the threshold.

        Raises
        ------
        InputError, ColumnTypeError
            The threshold is not a single number.

        See Also
        --------
        Dendrogram.cuts : Return the components at several thresholds.
        Dendrogram.split : Split components that are too large at their weakest links.
        """
        if threshold is None or any_array("threshold", threshold).ndim:
            raise InputError(
                f"{shown(threshold)} is not one threshold: pass a number, or use cuts() for several"
                " thresholds"
            )
        cuts = self.cuts([threshold])
        return cuts.at(cuts.thresholds[0])

    def best(
        self, truth: Any, metric: str = "pairwise_f1", *, missing: str | None = None
    ) -> Best[ComponentsT]:
        """Find the threshold whose components agree best with true clusters.

        Parameters
        ----------
        truth : Components, frame, or pair (vertices, labels)
            As for :func:`cc_rapids.score_clusters`.
        metric : str
            The name of the score that is compared, as in :func:`cc_rapids.score_clusters`. The
            greatest score is the best, except that the least ``variation_of_information`` is the
            best. Of several thresholds with the best score, the strictest is returned.
        missing : {"drop", "self", "raise"}, optional
            As for :meth:`Cuts.scores`.

        Returns
        -------
        Best
            ``threshold``, ``score`` and ``components`` (the answer). ``curve`` has the scores at
            every weight at which components merge, in the form of :meth:`Cuts.scores`.

        Raises
        ------
        InputError, ArgumentTypeError
            There is no merge, or the metric is unknown. All errors of
            :func:`cc_rapids.score_clusters` may be raised too.

        See Also
        --------
        Cuts.scores : Score the components at given thresholds.
        cc_rapids.plots.scores : Draw the curve.

        Notes
        -----
        One thread of the host follows all merges once and updates the scores at each weight. Each
        distinct weight adds a row to the curve. If there are millions of distinct weights, round
        the weights first.

        Examples
        --------
        >>> import cc_rapids
        >>> pairs, weights = [(1, 2), (2, 3), (4, 5)], [0.9, 0.5, 0.7]
        >>> tree = cc_rapids.components(pairs, weight=weights, forest="max").dendrogram()
        >>> best = tree.best(([1, 2, 3, 4, 5], ["a", "a", "b", "c", "c"]))
        >>> best.threshold, best.score
        (0.7, 1.0)
        """
        check_word("metric", metric, METRICS)
        check_missing(missing)
        if not len(self):
            raise InputError(
                "the best threshold is a weight at which clusters merge, but no clusters merge: all"
                " components are single vertices"
            )
        answer, to_host = self.components.answer, self.components.answer.backend.to_host
        clusters = labelling_of(truth, "truth", max(len(answer.given.src.key_columns), 1))
        with answer.backend.scope():
            weights = to_host(self._weights)
            first, second = (to_host(side) for side in (self._tree.first, self._tree.second))
        # the last merge of each weight
        last_merges = np.flatnonzero(np.append(weights[1:] != weights[:-1], True))
        levels = tuple(weights[last_merges].tolist())
        merges = first.tolist(), second.tolist()
        rows = scores_of_merges(answer, merges, last_merges.tolist(), clusters, missing)
        values = [row[metric] for row in rows]
        score = min(values) if metric == LEAST_IS_BEST else max(values)
        threshold = levels[values.index(score)]
        return Best(threshold, score, self.at(threshold), score_frame(answer, levels, rows))

    def labels(self, threshold: Any, labels: str | None = None) -> Any:
        """Return the component label of each vertex at a threshold: see Components.labels.

        Parameters
        ----------
        threshold : number
            As for :meth:`at`.
        labels : {"min", "max", "dense", "size", ...}, optional
            The kind of the labels; by default the same kind as in ``components``.

        Returns
        -------
        frame of the caller's kind
            As :meth:`Components.labels` returns it.

        Raises
        ------
        InputError, ColumnTypeError
            The threshold is not a single number, or the kind is unknown.

        See Also
        --------
        Dendrogram.at : The whole answer at a threshold.

        Examples
        --------
        >>> import numpy as np, cc_rapids
        >>> edges, alike = ([1, 2, 8], [2, 3, 9]), np.array([0.75, 0.5, 0.25])
        >>> tree = cc_rapids.components(edges, weight=alike, forest="max").dendrogram()
        >>> tree.labels(0.5, labels="dense").labels.tolist()
        [0, 0, 0, 1, 2]
        """
        kind = None if labels is None else check_labels(labels)
        return self.at(threshold).answer.label_frame(kind)

    def sizes(self, threshold: Any) -> Any:
        """Return the sizes of the components at a threshold: see :meth:`Components.sizes`.

        Parameters
        ----------
        threshold : number
            As for :meth:`at`.

        Returns
        -------
        frame of the caller's kind
            As :meth:`Components.sizes` returns it.

        See Also
        --------
        Dendrogram.at : The whole answer at a threshold.
        """
        return sizes(self.at(threshold).answer)

    def merges(self, thresholds: Any = None) -> Any:
        """Return the components that merge at each threshold, one row per component.

        Parameters
        ----------
        thresholds : list of numbers, optional
            As for :meth:`cuts`. With thresholds, the result is the frame of :meth:`Cuts.merges`,
            which starts at the second threshold. By default, every weight at which components merge
            is a threshold, and the frame starts from single vertices.

        Returns
        -------
        frame of the caller's kind, new
            Columns ``threshold``, ``before``, ``after`` and ``size``, as in :meth:`Cuts.merges`.
            Without thresholds, the labels are of kind ``"max"`` if the answer has labels of this
            kind. Otherwise they are of kind ``"min"``, because the other kinds are numbers that
            would change at each weight.

        See Also
        --------
        Dendrogram.linkage : Return merges of two clusters in SciPy's format.
        Cuts.merges : Return the merges between several thresholds.

        Examples
        --------
        >>> import numpy as np, cc_rapids
        >>> edges, km = (np.array([1, 3, 5]), np.array([2, 4, 1])), np.array([7, 7, 8])
        >>> found = cc_rapids.components(edges, weight=km, forest="min")
        >>> for column in found.dendrogram().merges():
        ...     print(column)
        [7 7 7 7 8 8]
        [1 2 3 4 1 5]
        [1 1 3 3 1 1]
        [1 1 1 1 2 1]
        """
        if thresholds is not None:
            return self.cuts(thresholds).merges()
        labels_are_greatest = self._kind is check_labels("max")
        kind = self._kind if labels_are_greatest else check_labels("min")
        answer, tree = self.components.answer, self._tree
        label_rows = tree.greatest_of if labels_are_greatest else tree.least_of
        with answer.backend.scope():
            ranks, first_edge = self._weight_ranks()
            # clusters that merge, the clusters that they become, and the ranks of the weights
            before, after, rank = tree.at_once(ranks)
            # gather weights as bits, because a kernel cannot read a byte order that is not native
            bits = self._weights[first_edge].view(f"u{self._weights.dtype.itemsize}")
            thresholds = at_places(bits, rank, answer.backend).view(self._weights.dtype)
            columns, (vertex, _) = {"threshold": thresholds}, answer.rows()
            for name, clusters in (("before", before), ("after", after)):
                labels = at_places(vertex, label_rows(clusters), answer.backend)
                columns |= kind.columns(answer, name, labels)
            return answer.frame(columns | {"size": tree.sizes_of(before)})

    def linkage(
        self,
        distance: Callable[[npt.NDArray[Any]], Any] | None = None,
        *,
        component: Any = None,
        root: float = np.inf,
    ) -> npt.NDArray[np.float64]:
        """Return the merges in the format of :func:`scipy.cluster.hierarchy.linkage`.

        Vertices are numbered by their rows in ``components.labels()``. After all other merges, the
        components are merged at infinite distance, in the order of their least vertices. The merges
        are computed once. SciPy draws only finite distances. So if there are several components,
        pass ``component=`` or ``root=`` before you call ``scipy.cluster.hierarchy.dendrogram``.

        Parameters
        ----------
        distance : callable, optional
            Converts an array of weights, in the order of the merges, to distances, such as
            ``lambda weight: 1 - weight``. Integer weights are passed as float64, because
            differences of unsigned integers would wrap. By default, the weights of a minimum
            spanning forest are the distances.
        component : label, optional
            The label of a component in ``components.labels()``. Only the merges of this component
            are returned, with vertices numbered in the order of ``components.subset(component)``.
        root : float
            The distance at which components are merged. No merge may have a greater distance.

        Returns
        -------
        (vertices - 1, 4) array of float64 on the host, new
            Row i merges the clusters in the first two columns into cluster ``vertices + i``. The
            third column is the distance, and the fourth column is the number of vertices. Merges of
            equal weight are ordered by the rows of their edges.

        Raises
        ------
        InputError
            The forest is a maximum spanning forest and ``distance`` is missing. Or there is not one
            distance per weight, a distance is NaN or negative, or the distances decrease from one
            merge to the next. Or ``component`` is not a label, or ``root`` is less than a distance.
        ArgumentTypeError
            ``distance`` is not callable, or ``root`` is not a number.

        See Also
        --------
        Dendrogram.merges : Return all clusters that merge at a weight, by label.
        Dendrogram.plot : Draw the largest components.

        Examples
        --------
        >>> import numpy as np, cc_rapids
        >>> from scipy.cluster.hierarchy import dendrogram, fcluster
        >>> edges, alike = ([1, 2, 8], [2, 3, 9]), np.array([0.75, 0.5, 0.25])
        >>> tree = cc_rapids.components(edges, weight=alike, forest="max").dendrogram()
        >>> far = tree.linkage(lambda weight: 1 - weight)
        >>> print(far)
        [[0.   1.   0.25 2.  ]
         [2.   5.   0.5  3.  ]
         [3.   4.   0.75 2.  ]
         [6.   7.    inf 5.  ]]
        >>> print(fcluster(far, 0.6, "distance"))
        [1 1 1 2 3]
        >>> print(tree.linkage(lambda weight: 1 - weight, component=1))
        [[0.   1.   0.25 2.  ]
         [2.   3.   0.5  3.  ]]
        >>> joined = tree.linkage(lambda weight: 1 - weight, root=1)
        >>> dendrogram(joined, no_plot=True)["leaves"]
        [2, 0, 1, 3, 4]
        """
        distances, answer = self._distances(distance), self.components.answer
        backend = answer.backend
        with backend.scope():
            heights, tree = self._heights(backend.asarray(distances)), self._tree
            if isinstance(root, bool) or not isinstance(root, Real):
                raise ArgumentTypeError(f"root= must be a number, the distance, not {shown(root)}")
            greatest = float(heights[-1]) if heights.size else 0.0
            if not float(root) >= greatest:  # also refuses NaN
                raise InputError(
                    f"components cannot be merged at root={root!r}, because the last merge inside a"
                    f" component has the distance {greatest}: pass at least root={greatest}"
                )
            if component is not None:
                edges, vertices = self._edges_and_vertices(answer.component(component))
                heights, tree = heights[edges], tree.part(vertices, edges)
            return backend.to_host(tree.linkage(heights, root))

    def curve(self) -> Any:
        """Return how the components grow with the threshold, as in percolation.

        Returns
        -------
        frame of the caller's kind, new, one row per weight at which components merge
            Rows are ordered from the strictest threshold to the loosest. ``threshold`` has the type
            of the weights. At this threshold, ``components`` (int64) is the number of components,
            including single vertices; ``largest`` (int64) is the number of vertices of the largest
            component; and ``susceptibility`` (float64) is the sum of the squared sizes of all other
            components, divided by the number of all vertices. If several components have the
            largest size, only one of them is left out of the sum. At thresholds before the first
            row, every vertex is a component.

        See Also
        --------
        Dendrogram.plot : Draw the curve by ``plot("curve")``.
        Dendrogram.merges : Return the components that merge at each weight.

        Notes
        -----
        The susceptibility is the mean size of the component of a random vertex, where a vertex in
        the largest component counts as 0. The susceptibility has a peak where a giant component
        forms. As in the algorithm of Newman and Ziff [1]_, one pass over the edges in the order of
        their weights covers all thresholds.

        References
        ----------
        .. [1] M. E. J. Newman and R. M. Ziff, "Fast Monte Carlo algorithm for site or bond
           percolation", Physical Review E 64, 016706, 2001.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": [1, 3, 2, 4], "dst": [2, 4, 3, 5], "w": [9, 9, 6, 5]})
        >>> tree = cc_rapids.components(edges, weight="w", forest="max").dendrogram()
        >>> tree.curve()
           threshold  components  largest  susceptibility
        0          9           3        2             1.0
        1          6           2        4             0.2
        2          5           1        5             0.0
        """
        answer, tree = self.components.answer, self._tree
        backend, xp = answer.backend, answer.backend.xp
        with backend.scope():
            _, first_edge = self._weight_ranks()
            # one merge per edge: the merges up to each weight end where the next weight begins
            merge_counts = xp.concatenate([first_edge, xp.full(1, len(self), np.int64)])[1:]
            largest, squares = tree.growth(merge_counts - 1)
            columns = {
                "threshold": self._weights[first_edge],
                "components": tree.n - merge_counts,
                "largest": largest.astype(np.int64),
                "susceptibility": (squares - largest * largest) / max(tree.n, 1),
            }
            return answer.frame(columns)

    def plot(
        self, kind: str = "dendrogram", *, count: int = 3, leaves: int = 30, axes: Any = None
    ) -> Any:
        """Draw the merges of the largest components, or the curve; needs the extra ``plot``.

        ``"dendrogram"`` draws components side by side. The height of a merge is its weight. The
        strictest weights are at the bottom, so the axis of a maximum spanning forest is inverted.

        ``"curve"`` draws the three numbers of :meth:`curve` over the threshold, the strictest
        threshold on the left. Each number is divided by its maximum, which the legend shows. Of
        more than 2,000 thresholds, about 2,000 are drawn, with the peak of the susceptibility.

        Parameters
        ----------
        kind : {"dendrogram", "curve"}
            Whether the merges or the curve are drawn.
        count : int
            The maximum number of components in a dendrogram. Single vertices are not drawn.
        leaves : int
            The maximum number of leaves of a component in a dendrogram, at least 2. If a component
            has more vertices, only its last merges are drawn, and the leaves are clusters. The
            number of vertices of a cluster is in parentheses, as in SciPy.
        axes : matplotlib.axes.Axes, optional
            Axes to draw on; new ones by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes, with a collection of lines for each component, or three lines of the curve.

        Raises
        ------
        InputError
            No components merge, some are merged at an infinite weight, a count is too small, or the
            kind is unknown. The error is an ArgumentTypeError if a count is not an integer.
        MissingExtraError
            Matplotlib is not installed.

        See Also
        --------
        Dendrogram.linkage : Return the merges in SciPy's format, which SciPy draws too.
        Dendrogram.curve : Return the numbers of the curve.

        Examples
        --------
        >>> import numpy as np, cc_rapids
        >>> edges, alike = ([1, 2, 8], [2, 3, 9]), np.array([0.75, 0.5, 0.25])
        >>> tree = cc_rapids.components(edges, weight=alike, forest="max").dendrogram()
        >>> axes = tree.plot()
        >>> [label.get_text() for label in axes.get_xticklabels()]
        ['3', '1', '2', '8', '9']
        """
        from . import plots  # answers do not need this import

        check_word("plot", kind, ("dendrogram", "curve"))
        for name, number, least in (("count", count, 1), ("leaves", leaves, 2)):
            check_count(name, number, least)
        if not len(self):
            raise InputError(f"there is no {kind} to draw: all components are single vertices")
        answer = self.components.answer
        if kind == "curve":
            return plots.curve(answer, self.curve(), self._greatest, axes)
        largest = answer.backend.to_host(answer.by_size[:count])
        several = answer.backend.to_host(answer.counts)[largest] > 1
        tops = [self._last_merges(component, leaves) for component in largest[several].tolist()]
        return plots.dendrogram(answer, tops, self._greatest, axes)

    def split(self, max_size: int) -> Split[ComponentsT]:
        """Split each component that is too large at its weakest links.

        Links are the edges of the spanning forest. The weakest links of a part are its links of
        least weight in a maximum spanning forest, and its links of greatest weight in a minimum
        spanning forest. A part of more than ``max_size`` vertices is cut at all its weakest links.
        The pieces are parts, which are cut in the same way at their own weakest links, until they
        have at most ``max_size`` vertices. Such a small part keeps all its links, even if stronger
        links are cut in other parts.

        Links of equal weight in a part are cut together, so a vertex that has no stronger link
        becomes a part of its own. If all links of a part of three or more vertices have the same
        weight, the part has no weakest link. Then the part stays whole and is *oversized*.

        The parts do not depend on which of several edges of equal weight are in the forest.
        Components of at most ``max_size`` vertices do not change.

        Parameters
        ----------
        max_size : int
            The maximum number of vertices of a part that is not oversized, at least 1.

        Returns
        -------
        Split
            ``parts`` is a new :class:`Components` whose labels are the least vertices, with the
            links that were not cut as its spanning forest. ``cuts`` is a frame with one row per
            component of more than ``max_size`` vertices, sorted by least id. Its columns are
            ``labels`` (the label in ``components``), ``size`` (the number of vertices), ``parts``
            (the number of parts), ``largest`` (the number of vertices of the largest part),
            ``oversized`` (whether some part stays larger than ``max_size``), ``edges_cut`` (how
            many edges of the component in the caller's list join different parts), and
            ``weakest_cut`` and ``strongest_cut`` (the weights of the weakest and of the strongest
            link that was cut; null if no link was cut). Arrays have no nulls: there, null weights
            are NaN, and a column of integers that needs NaN is float64.

        Raises
        ------
        InputError
            ``max_size`` is not a positive integer. Or the answer is a copy or was loaded, so it has
            no edges to count.
        ArgumentTypeError
            ``max_size`` is not an integer.

        See Also
        --------
        Dendrogram.at : Apply one threshold to all components.

        Examples
        --------
        Vertices 1 to 4 are joined by strong links, and vertices 5 to 8 by weak links. The link of
        weight 2 is the weakest of all. A cut there leaves vertices 1 to 4 whole. For a smaller
        maximum size, the other part is cut at its own weakest link:

        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": range(1, 8), "dst": range(2, 9)})
        >>> edges["w"] = [9, 9, 9, 2, 5, 3, 4]
        >>> tree = cc_rapids.components(edges, weight="w", forest="max").dendrogram()
        >>> parts, cuts = tree.split(max_size=4)
        >>> parts.labels()["labels"].tolist()
        [1, 1, 1, 1, 5, 5, 5, 5]
        >>> parts, cuts = tree.split(max_size=3)
        >>> parts.labels()["labels"].tolist()
        [1, 1, 1, 1, 5, 5, 7, 7]
        >>> cuts.iloc[0].to_dict()  # doctest: +NORMALIZE_WHITESPACE
        {'labels': 1, 'size': 8, 'parts': 3, 'largest': 4, 'oversized': True, 'edges_cut': 2,
         'weakest_cut': 2, 'strongest_cut': 3}
        """
        max_size, answer = check_count("max_size", max_size, 1), self.components.answer
        xp = answer.backend.xp
        with answer.backend.scope():
            ends = self._rows_of_edges()
            ranks, _ = self._weight_ranks()
            is_cut = self._tree.cut_to(max_size, ranks)
            kept, cut = xp.flatnonzero(~is_cut), xp.flatnonzero(is_cut)
            kind = DEFAULT_KINDS[bool(answer.given.src.key_columns)]
            [components] = self._cut_answers([kept], None, kind, [cut.size]).values()
            return Split(components, self._frame_of_cuts(components.answer, max_size, ends, cut))

    def audit(
        self,
        edges: Any,
        source: str | list[str] | None = None,
        destination: str | list[str] | None = None,
        *,
        weight: Any,
        nulls: str = "raise",
        **given: Any,
    ) -> DendrogramAudit:
        """Verify the merges against the edges.

        The components and the forest are verified first, on the engine of the answer, see
        :meth:`Components.audit`. Then :func:`cc_rapids.oracle.single_linkage`, which shares no code
        with this class, recomputes the merge of each forest edge on one host thread. The recomputed
        merges are compared with every row of :meth:`merges` (if labels are ids) and
        :meth:`linkage`. They are also compared with :meth:`labels` and :meth:`sizes` at the least,
        the middle and the greatest weight, and with :meth:`split` for half the size of the largest
        component.

        Parameters
        ----------
        edges : frame, or pair of arrays or series
            The edges that the answer was computed from.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`.
        weight : str, or (m,) array
            As for :func:`cc_rapids.components`.
        nulls : {"raise", "drop"}
            As for :func:`cc_rapids.components`.
        **given
            ``vertices`` and ``num_vertices`` as for the answer.

        Returns
        -------
        DendrogramAudit
            The counts of edges, vertices, components and merges.

        Raises
        ------
        VerificationError
            The answer is wrong. The error names the first edge, vertex or merge that proves it.
        InputError
            The edges or an argument cannot be used.

        See Also
        --------
        Components.audit : Verify the components only.

        Examples
        --------
        >>> import numpy as np, cc_rapids
        >>> edges, km = ([1, 2, 8], [2, 3, 9]), np.array([5, 3, 4])
        >>> tree = cc_rapids.components(edges, weight=km, forest="min").dendrogram()
        >>> print(tree.audit(edges, weight=km))
        right: 3 merges of 5 vertices to 2 components, by 3 edges
        """
        from ..verify import oracle  # runs do not need this import
        from ..verify.audit import read_again
        from ..verify.label_rules import LABEL_RULES
        from ..verify.merges import Merges
        from ..verify.placed_edges import PlacedEdges
        from ..verify.shown_rows import ShownRows

        answer, started, greatest = self.components.answer, perf_counter(), self._greatest
        options = {"weight": weight, "nulls": nulls} | given
        proof = prove(answer, edges, source, destination, forest=FORESTS[greatest], **options)
        bounds = with_bounds(answer.given.bound, options, "audit(edges)")
        reread = read_again(edges, source, destination, greatest=greatest, **bounds)
        shown_frame, backend = shown_labels(answer), answer.backend
        width = max(len(answer.given.src.key_columns), 1)
        with shown_frame.borrow_for(backend), backend.scope():
            placed, xp = PlacedEdges(shown_frame, reread), backend.xp
            # PlacedEdges identifies vertices by slots, single_linkage by rows of the label frame
            row_of_slot = xp.empty(shown_frame.ids.n, np.int64)
            row_of_slot[placed.slots] = xp.arange(placed.slots.size)
            ends = row_of_slot[placed.src], row_of_slot[placed.dst]
            forest_rows = backend.asarray(ShownRows(answer.forest_frame(), "forest", width).rows())
            # prove() has checked that the forest consists of rows of the edges
            edges_of_forest = xp.searchsorted(placed.caller_rows(), forest_rows)
            all_edges = *ends, backend.asarray(reread.weights)
            src, dst, weights = (backend.to_host(column[edges_of_forest]) for column in all_edges)
            ends_of_all = backend.to_host(ends[0]), backend.to_host(ends[1])
            heights = backend.to_host(self._weights)
        expected = oracle.single_linkage(src, dst, answer.forest.vertices, weights, greatest)
        self._check_tree(expected, heights, weights)
        edge, rule = expected[:, 3], LABEL_RULES[self._kind.audited_as]  # the edge of each merge
        native_weights = weights.astype(weights.dtype.newbyteorder("="), copy=False)
        merged_edges = src[edge], dst[edge], native_weights[edge]
        merges = Merges(arrow_of(answer.label_frame()), width, rule, *merged_edges, expected)
        self._check_frames(merges, ends_of_all)
        seconds = perf_counter() - started
        return DendrogramAudit(proof.edges, proof.vertices, proof.components, len(self), seconds)

    def _check_tree(self, expected: Any, heights: Any, weights: Any) -> None:
        """Raise a VerificationError unless the merge tree has the expected merges and weights.

        ``expected`` is as :func:`cc_rapids.oracle.single_linkage` returns it. ``heights`` are the
        weights of the merges in this dendrogram, and ``weights`` those of the forest edges.
        """
        to_host, tree = self.components.answer.backend.to_host, self._tree
        merged = np.column_stack([*map(to_host, (tree.first, tree.second, tree.size))])
        wrong = (merged != expected[:, :3]).any(axis=1) | (heights != weights[expected[:, 3]])
        if wrong.any():
            k = int(wrong.argmax())
            raise VerificationError(
                f"merge {k:,} is of clusters {merged[k, 0]:,} and {merged[k, 1]:,} to"
                f" {counted(int(merged[k, 2]), 'vertex', 'vertices')} at {heights[k]}, but should"
                f" be of {expected[k, 0]:,} and {expected[k, 1]:,} to {expected[k, 2]:,} at"
                f" {weights[expected[k, 3]]}"
            )

    def _check_frames(self, merges: Merges, ends: tuple[Any, Any]) -> None:
        """Raise a VerificationError unless the frames of this dendrogram show the given merges.

        Frames at a threshold are compared at the least, the middle and the greatest weight. A split
        into parts of half the size of the largest component is compared, if the answer still has
        its edges. ``ends`` are the rows of the ends of all edges.
        """
        if merges.rule.is_vertex:
            merges.check_merges(arrow_of(self.merges()))
        merges.check_linkage(self.linkage(lambda weights: np.arange(weights.size)))
        count, answer = len(self), self.components.answer
        for k in sorted({0, count // 2, count - 1} if count else ()):
            weights, threshold = merges.weights, merges.weights[k]
            admitted = weights >= threshold if self._greatest else weights <= threshold
            frames = self.labels(threshold), self.sizes(threshold)
            merges.check_labels(int(admitted.sum()), *map(arrow_of, frames))
        if answer.given.src.size == answer.facts.edges:
            max_size = max(int(merges.merges[:, 2].max(initial=1)) // 2, 1)
            parts, cuts = self.split(max_size)
            frame = parts.answer.label_frame(check_labels("min"))
            merges.check_split(max_size, ends, arrow_of(frame), arrow_of(cuts))

    @cached_property
    def _tree(self) -> MergeTree:
        """The merge tree of the forest edges."""
        answer = self.components.answer
        with answer.backend.scope():
            return MergeTree.of(self._src, self._dst, answer.forest.vertices, answer.backend)

    def _edges_and_vertices(self, component: int) -> tuple[Array, Array]:
        """Return the forest edges, in the order of merges, and the vertices of a component."""
        answer, xp = self.components.answer, self.components.answer.backend.xp
        edges = xp.flatnonzero(answer.dense[self._src] == component)
        return edges, xp.flatnonzero(answer.dense == component)

    def _last_merges(self, component: int, leaves: int) -> plots.Top:
        """Return the last merges of a component of several vertices, with at most that many leaves.

        A leaf is a cluster that the last merges join, but do not create.
        """
        from . import plots

        answer, tree = self.components.answer, self._tree
        backend = answer.backend
        with backend.scope():
            edges, _ = self._edges_and_vertices(component)
            edges = edges[max(int(edges.size) - (leaves - 1), 0) :]  # leaves - 1 merges join leaves
            merged = backend.xp.stack([tree.first[edges], tree.second[edges]]).astype(np.int64)
            created = tree.n + edges
            leaf_clusters = backend.xp.sort(merged[merged < created[0]])  # older than these merges
            vertices = leaf_clusters[leaf_clusters < tree.n]
            # any vertex follows for the component's label, as there may be no leaf of one vertex
            rows = backend.xp.concatenate([vertices, self._src[edges[-1:]]])
            named = answer.in_memory_frame(answer.vertex(rows) | answer.label(rows))
            clusters = backend.xp.concatenate([leaf_clusters, created])  # ascending
            numbers = backend.xp.searchsorted(clusters, merged)
            arrays = numbers, self._weights[edges], tree.sizes_of(leaf_clusters)
            return plots.Top(named, int(answer.counts[component]), *map(backend.to_host, arrays))

    def _rows_of_edges(self) -> tuple[Array, Array]:
        """Return, for both ends of each of the caller's edges, the row in the answer.

        If the answer is a cut, edges between its components and edges outside its threshold are
        left out.
        """
        answer, backend = self.components.answer, self.components.answer.backend
        whole = answer  # only the answer that was cut, maybe several times, has the edges
        while isinstance(whole.forest_edges, PartOfForest):
            whole = whole.forest_edges.whole
        if whole.given.src.size != whole.facts.edges:
            raise InputError(
                f"a copy or a loaded answer lacks the {whole.facts.edges:,} edges, which split()"
                " counts: split the answer of components() before it is saved, or apply one"
                " threshold to all components with at(), which needs no edges"
            )
        src, dst = rows_of_edges(whole)
        if whole is answer:
            return src, dst
        inside = answer.dense[src] == answer.dense[dst]
        bound = answer.given.bound
        threshold = None if bound is None else getattr(bound, self._direction)
        if threshold is not None:
            weights = backend.asarray(whole.given.weights)
            levels = Levels.of([threshold], self._direction)
            inside &= levels.cuts_of(weights, backend) == 0  # the only cut
        return src[inside], dst[inside]

    @cached_property
    def _end_vertices(self) -> tuple[Array, Array]:
        """The ends of the forest edges as vertices of the forest of ``components``."""
        forest, word = self.components.answer.forest, self.components.answer.forest.vertex
        src, dst = self._src, self._dst
        if forest.vertices < forest.n:  # some vertices are absent, so they have no rows
            vertex_of_row, _ = forest.rows(0, word)
            src, dst = vertex_of_row[src], vertex_of_row[dst]
        return src.astype(word), dst.astype(word)

    def _cut_answers(
        self,
        added: Sequence[slice | Array],
        levels: Levels | None,
        kind: LabelKind,
        outside: Sequence[int],
    ) -> CutAnswers[ComponentsT]:
        """Return the answer of each cut by threshold, from the strictest cut to the loosest.

        ``added`` selects the sorted forest edges that each cut adds to the previous cut. All forest
        edges of a cut are the spanning forest of its answer, and ``outside`` has the number of
        forest edges outside each cut. If ``levels`` is None, there is one cut, with the threshold
        None. The labels are of ``kind``. The ledger of each answer extends the ledger of the run:
        edges that are not in the forest are counted as ``not_in_forest``.
        """
        answer, backend = self.components.answer, self.components.answer.backend
        old_forest = answer.forest
        forest = Forest(backend, old_forest.n, all_present=old_forest.all_present)
        if not old_forest.all_present:
            forest.present[:] = old_forest.present
        backend.kernel(trees.init_singletons, forest.vertex)(forest.n, forest.parent)
        design = check_batch_design("auto")
        growing = GrowingTrees(forest, cuts=len(added), design=design, uses_default=False)
        for edges in added:
            src, dst = (end[edges] for end in self._end_vertices)
            growing.join(Edges(src, dst, low=0), int(src.size))
        rows = answer.facts.rows.leaving_out("not_in_forest", answer.facts.rows.linked - len(self))
        given, ids = answer.given_without_edges(), answer.facts.ids
        cut_trees = growing.grown(given, answer.decoder, ids, rows, outside, self._greatest)
        thresholds = [None] if levels is None else levels.values.tolist()
        direction = None if levels is None else levels.direction
        fields = partial(self._forest_and_rules, added, levels)
        return CutAnswers(cut_trees, thresholds, kind, type(self.components), direction, fields)

    def _forest_and_rules(
        self, added: Sequence[slice | Array], levels: Levels | None, cut: int
    ) -> dict[str, Any]:
        """Return the Answer fields of cut number ``cut``: its spanning forest and its rules.

        ``added`` and ``levels`` are as for :meth:`_cut_answers`.
        """
        backend = self.components.answer.backend

        def forest_positions() -> Array:
            with backend.scope():
                positions = [self._positions[edges] for edges in added[: cut + 1]]
                joined = backend.xp.concatenate(positions)
                return backend.xp.sort(joined).astype(np.int64, copy=False)

        forest_edges = PartOfForest(self.components.answer, forest_positions)
        return {"forest_edges": forest_edges, "ruled": self._rules_of_cut(levels, cut)}

    def _rules_of_cut(self, levels: Levels | None, cut: int) -> Ruled | None:
        """Return the rules of a cut, and the refused edges within its threshold.

        Pairs are considered from the strongest, so a cut takes the same decisions up to its
        threshold as the whole answer. If ``levels`` is None, there is no threshold. Return None if
        there are no rules, or if pairs of ``must_link`` join vertices, because the forest has no
        edges for these pairs.
        """
        answer, whole = self.components.answer, self.components.answer.ruled
        if whole is None or whole.must[0].size:
            return None
        backend = answer.backend

        def refused_positions() -> Array:
            with backend.scope():
                if levels is None:
                    return backend.xp.arange(whole.refused.edges.size)
                weights = backend.asarray(answer.columns_of_refused()["weight"])
                return backend.xp.flatnonzero(levels.cuts_of(weights, backend) <= cut)

        return PartOfRuled(whole, refused_positions)

    def _weight_ranks(self) -> tuple[Array, Array]:
        """Return the rank of each sorted edge's weight, and the first edge of each weight.

        Ranks count the distinct weights from 0.
        """
        xp = self.components.answer.backend.xp
        is_first = begins([self._codes], xp)
        return xp.cumsum(is_first) - 1, xp.flatnonzero(is_first)

    def _distances(self, distance: Callable[[npt.NDArray[Any]], Any] | None) -> Array:
        """Return the distance of each merge: the result of ``distance``, or the weights."""
        if distance is None and self._greatest:
            raise InputError(
                "weights of a maximum spanning forest decrease from merge to merge, but distances"
                f" must increase: {DISTANCE_ADVICE[self._greatest]}, or, for similarities from 0 to"
                " 1, lambda w: 1 - w"
            )
        if distance is None:
            return self._weights
        if not callable(distance):
            raise ArgumentTypeError(
                f"distance= must be a function of an array of weights, not {shown(distance)}"
            )
        weights = self.components.answer.backend.to_host(self._weights)
        floats = weights.astype(weights.dtype if is_float(weights.dtype) else np.float64)
        distances = np.asarray(distance(floats))
        if distances.shape != weights.shape or not is_number(distances.dtype):
            raise InputError(
                f"distance() returned {distances.dtype} of shape {distances.shape} for"
                f" {counted(weights.size, 'weight')}: return one number per weight"
            )
        return distances.astype(np.float64)

    def _heights(self, distances: Array) -> Array:
        """Return distances as float64, or raise an InputError if SciPy would refuse them."""
        heights = distances.astype(np.float64, copy=False)
        xp = self.components.answer.backend.xp
        falls = xp.zeros(heights.size, bool)
        falls[1:] = heights[1:] < heights[:-1]
        for wrong, fault in (
            (xp.isnan(heights), "is nan"),
            (heights < 0, "is negative, which SciPy refuses"),
            (falls, "is less than that of the previous merge"),
        ):
            if wrong.any():
                k = int(wrong.argmax())
                raise InputError(
                    f"the distance {heights[k]} of merge {k:,}, by an edge of weight"
                    f" {self._weights[k]}, {fault}: {DISTANCE_ADVICE[self._greatest]}"
                )
        return heights

    def _frame_of_cuts(
        self, parts: Answer, max_size: int, ends: tuple[Array, Array], cut: Array
    ) -> Any:
        """Return the frame ``cuts`` of :meth:`split`.

        ``parts`` are the components after the split, ``ends`` are the rows in the answer of both
        ends of each of the caller's edges, and ``cut`` are the forest edges that are cut, the
        strongest first.
        """
        answer, (src, dst) = self.components.answer, ends
        backend, xp, count = answer.backend, answer.backend.xp, len(answer)
        large = xp.flatnonzero(answer.counts > max_size)
        component_of_part = answer.dense[parts.least_rows]
        between_parts = parts.dense[src] != parts.dense[dst]
        component_of_edge = answer.dense[src[between_parts]]  # of the caller's edges
        largest_part = first_of(component_of_part, -parts.counts, xp)  # of each component
        largest = parts.counts[largest_part[large]]
        columns = answer.kind.columns(answer, "labels", answer.kind.of_component(answer, large))
        columns |= {
            "size": answer.counts[large].astype(np.int64),
            "parts": backend.counts(component_of_part, count)[large].astype(np.int64),
            "largest": largest.astype(np.int64),
            "oversized": largest > max_size,
            "edges_cut": backend.counts(component_of_edge, count)[large].astype(np.int64),
        }
        weights, has_cut = self._cut_weights(cut, large)
        return self._with_missing_weights(columns, weights, has_cut)

    def _cut_weights(self, cut: Array, large: Array) -> tuple[dict[str, Array], Array]:
        """Return the columns ``weakest_cut`` and ``strongest_cut``, and a mask of valid rows.

        ``cut`` are the forest edges that are cut, the strongest first, and ``large`` are the
        numbers of the components of the rows. A row is valid if an edge of the component is cut.
        """
        answer, xp = self.components.answer, self.components.answer.backend.xp
        # the cut edges of each component, which stay sorted
        order, starts = rows_of_each(answer.dense[self._src[cut]], len(answer), xp)
        begin, end = starts[large], starts[large + 1]
        has_cut, weights = begin < end, {}
        for name, position in (("weakest_cut", end - 1), ("strongest_cut", begin)):
            edge = xp.zeros(large.size, np.int64)  # any edge where none is cut
            edge[has_cut] = cut[order[position[has_cut]]]
            weights[name] = self._weights[edge]
        return weights, has_cut

    def _with_missing_weights(
        self, columns: dict[str, Any], weights: dict[str, Array], valid: Array
    ) -> Any:
        """Return a frame of columns, and of weights that are null where ``valid`` is False."""
        answer, xp = self.components.answer, self.components.answer.backend.xp
        all_valid = bool(valid.all())
        if answer.given.make_frame is plain_frame:  # arrays have no nulls, but floats have NaN
            if not all_valid:
                weights = {name: _with_nan(column, valid, xp) for name, column in weights.items()}
            return answer.frame(columns | weights)
        mask = None if all_valid else answer.home(valid)
        frame = answer.in_memory_frame(columns)
        for name, column in weights.items():
            frame = with_column(frame, name, answer.home(column), mask)
        return answer.given.answer(frame)  # of the caller's kind, such as a relation


def _with_nan(column: Array, valid: Array, xp: Any) -> Array:
    """Return a column of numbers as floats that are NaN where ``valid`` is False."""
    dtype = column.dtype if is_float(column.dtype) else np.dtype(np.float64)
    return xp.where(valid, column.astype(dtype), dtype.type(np.nan))
