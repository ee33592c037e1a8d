"""Answers at several thresholds, and the components that merge between them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, ClassVar, Generic

import numpy as np

from ..data import html
from ..data.weight_bound import nearest_float
from ..data.weights import exact_integers
from ..errors import InputError, shown
from ..keywords import suggest_keywords_of_methods
from ..results.answer import Answer, ComponentsT, LabelKind
from ..results.preview import run_facts_html, summary
from .agreement import check_missing, labelling_of, scores_of
from .pairs import equal
from .selection import sizes

MAX_SHOWN = 20  # maximum number of thresholds in a notebook


@suggest_keywords_of_methods
class Cuts(Generic[ComponentsT]):
    """The components at each of several thresholds, strictest first.

    ``len()`` is the number of thresholds.

    Attributes
    ----------
    thresholds : tuple of numbers
        The thresholds, ordered from the strictest cut, with the fewest edges, to the loosest cut.
    answers : mapping
        The answer at each threshold, built on first access.

    See Also
    --------
    cc_rapids.components_at : Find the components at several thresholds.
    cc_rapids.Components : The answer at one threshold.
    """

    answers: Mapping[Any, ComponentsT]
    thresholds: tuple[Any, ...]

    def __init__(self, found: Mapping[Any, ComponentsT], kind: LabelKind) -> None:
        self.answers, self._kind = found, kind
        self.thresholds = tuple(found)

    def __len__(self) -> int:
        return len(self.thresholds)

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(cut.answer):,} at {level}" for level, cut in self.answers.items())
        return f"<Cuts: components {counts}>"

    def _repr_html_(self) -> str:
        rows = []
        for level, cut in list(self.answers.items())[:MAX_SHOWN]:
            facts = summary(cut.answer)
            rows.append((level, *(facts[name] for name in ("components", "largest", "edges"))))
        suffix = f", the first {MAX_SHOWN}" if len(self) > MAX_SHOWN else ""
        head = "threshold", "components", "largest", "edges"
        counts = [(str(level), count) for level, count, *_ in rows]
        facts = summary(next(iter(self.answers.values())).answer)
        return html.panel(
            f"Cuts: {len(self):,} thresholds of {facts['vertices']:,} vertices",
            html.table(f"from the strictest{suffix}", head, rows),
            html.bars("components at each threshold", counts),
            run_facts_html(facts),
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self.equals(other) if isinstance(other, Cuts) else NotImplemented

    def equals(self, other: Any) -> bool:
        """Return whether other cuts have the same thresholds, with the same components at each.

        Parameters
        ----------
        other : Cuts
            The cuts to compare with.

        Returns
        -------
        bool
            True if all cuts are equal. Labels, engines and frames may differ.

        See Also
        --------
        cc_rapids.Components.equals : Compare two answers.
        """
        if not isinstance(other, Cuts) or self.thresholds != other.thresholds:
            return False
        pairs = zip(self.answers.values(), other.answers.values(), strict=True)
        return all(equal(first.answer, second.answer) for first, second in pairs)

    def at(self, threshold: Any) -> ComponentsT:
        """Return the complete answer at a threshold.

        Parameters
        ----------
        threshold : number
            One of ``thresholds``.

        Returns
        -------
        Components
            The components. The first call for a threshold takes one pass over the vertices; later
            calls return the same object.

        Raises
        ------
        InputError
            The number is not one of the thresholds.

        See Also
        --------
        Cuts.labels : Return the label frame at a threshold.
        """
        threshold = threshold.item() if isinstance(threshold, np.generic) else threshold
        is_scalar = not isinstance(threshold, list | tuple) and np.ndim(threshold) == 0
        for level in self.thresholds:
            is_equal = is_scalar and level == threshold
            if isinstance(is_equal, bool | np.bool_) and is_equal:  # NA == x is NA in pandas
                return self.answers[level]
        thresholds = ", ".join(map(str, self.thresholds))
        raise InputError(
            f"{shown(threshold)} is not one of the thresholds {thresholds}: pass one of these"
        )

    def labels(self, threshold: Any) -> Any:
        """Return the component label of each vertex at a threshold: see Components.labels.

        Parameters
        ----------
        threshold : number
            One of ``thresholds``.

        Returns
        -------
        frame of the caller's kind
            As :meth:`Components.labels` returns it.

        See Also
        --------
        cc_rapids.Components.labels : Return the labels of one answer.
        Cuts.at : Return the whole answer at a threshold.
        """
        return self.at(threshold).answer.label_frame()

    def sizes(self, threshold: Any) -> Any:
        """Return the sizes of the components at a threshold: see :meth:`Components.sizes`.

        Parameters
        ----------
        threshold : number
            One of ``thresholds``.

        Returns
        -------
        frame of the caller's kind
            As :meth:`Components.sizes` returns it.

        See Also
        --------
        cc_rapids.Components.sizes : Return the sizes of one answer.
        Cuts.at : Return the whole answer at a threshold.
        """
        return sizes(self.at(threshold).answer)

    def scores(self, truth: Any, *, missing: str | None = None) -> Any:
        """Score the components at each threshold against true clusters.

        Parameters
        ----------
        truth : Components, frame, or pair (vertices, labels)
            As for :func:`cc_rapids.score_clusters`.
        missing : {"drop", "self", "raise"}, optional
            As for :func:`cc_rapids.score_clusters`. A vertex that has no edge in a cut is not
            missing there: it is a component of its own.

        Returns
        -------
        frame of the caller's kind, new
            One row per threshold, strictest first. The columns are ``threshold`` and all counts
            (int64) and scores (float64) of :func:`cc_rapids.score_clusters`.

        Raises
        ------
        InputError, ArgumentTypeError, ColumnTypeError
            As for :func:`cc_rapids.score_clusters`.

        See Also
        --------
        cc_rapids.score_clusters : Score one answer.
        cc_rapids.Dendrogram.best : Find the threshold with the best score.
        cc_rapids.plots.scores : Draw a score over the thresholds.

        Examples
        --------
        >>> import cc_rapids
        >>> pairs, weights = [(1, 2), (2, 3)], [0.9, 0.5]
        >>> cuts = cc_rapids.components_at(pairs, weight=weights, thresholds=[0.9, 0.5])
        >>> cuts.scores(([1, 2, 3], ["a", "a", "b"])).pairwise_f1
        array([1. , 0.5])
        """
        check_missing(missing)
        answers = [cut.answer for cut in self.answers.values()]
        clusters = labelling_of(truth, "truth", max(len(answers[0].given.src.key_columns), 1))
        rows = []
        for answer in answers:
            with answer.backend.scope():
                code = answer.dense
            rows.append(scores_of(answer, code, clusters, missing=missing))
            missing = missing or "drop"  # None would warn again of the same vertices
        return score_frame(answers[0], self.thresholds, rows)

    def merges(self) -> Any:
        """Return the components of each cut that merge in the next cut, one row per component.

        Returns
        -------
        frame of the caller's kind, new
            Columns ``threshold``, the threshold of the looser cut; ``before``, the label of the
            component at the stricter cut; ``after``, the label of the merged component at the
            looser cut (both as in :meth:`labels`); and ``size`` (int64), the number of vertices of
            the component at the stricter cut.

        See Also
        --------
        Cuts.labels : Return the label frame at a threshold.

        Examples
        --------
        >>> import numpy as np, cc_rapids
        >>> edges = np.array([1, 3, 5]), np.array([2, 4, 1])
        >>> weights = np.array([9, 9, 8])
        >>> options = {"weight": weights, "thresholds": [9, 8], "num_vertices": 6}
        >>> cc_rapids.components_at(edges, **options).merges()._asdict()["before"]
        array([1, 5])
        """
        cuts = [cut.answer for cut in self.answers.values()]
        last = cuts[-1]
        with last.backend.scope():
            xp, levels = last.backend.xp, _threshold_column(self.thresholds)
            steps = [_merged(strict, loose) for strict, loose in pairwise(cuts)]
            # empty columns of the right types, because concatenate() needs at least one array
            no_merges = (column[:0] for column in _merged(last, last))
            before, after, size = map(xp.concatenate, zip(no_merges, *steps, strict=True))
            filled = (
                xp.full(merged.size, looser, levels.dtype)
                for looser, (merged, _, _) in zip(levels[1:], steps, strict=True)
            )
            columns = {"threshold": xp.concatenate([xp.empty(0, levels.dtype), *filled])}
            for name, labels in (("before", before), ("after", after)):
                columns |= self._kind.columns(last, name, labels)
            return last.frame(columns | {"size": size.astype(np.int64)})


def score_frame(answer: Answer, thresholds: tuple[Any, ...], rows: list[dict[str, Any]]) -> Any:
    """Return a frame of the caller's kind, with one row of scores per threshold."""
    columns = {"threshold": _threshold_column(thresholds)}
    columns |= {name: np.array([row[name] for row in rows]) for name in rows[0]}
    with answer.backend.scope():
        arrays = {name: answer.backend.asarray(column) for name, column in columns.items()}
        return answer.frame(arrays)


def _merged(strict: Answer, loose: Answer) -> tuple[Any, Any, Any]:
    """Return the components of a strict cut that merge in a loose cut, in the order of least ids.

    Return three arrays: each component's label in the strict cut, its label in the loose cut, and
    its number of vertices in the strict cut. Both cuts have the same vertices in the same rows.
    """
    first_row = strict.least_rows
    component_after = loose.dense[first_row]
    merges = strict.backend.counts(component_after, len(loose))[component_after] > 1
    rows = first_row[merges]
    before, after = (cut.kind.labels_of_rows(cut)[rows] for cut in (strict, loose))
    return before, after, strict.counts[merges]


def _threshold_column(thresholds: tuple[Any, ...]) -> Any:
    """Return thresholds as an array: of an integer type if all fit exactly, otherwise float64."""
    column = np.asarray(exact_integers(thresholds))
    if column.dtype in (object, np.float64):
        return np.array([nearest_float(level) for level in thresholds])
    return column
