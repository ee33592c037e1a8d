"""The answer of a run, and its methods."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic

import numpy as np

from ..backends import Array, Backend
from ..data import html
from ..data.arguments import check_count, check_path, check_word
from ..data.column import Column, is_cudf, of, of_key_columns, without_rows
from ..data.edge_input import EdgeInput
from ..data.frame_access import bring, collected, only
from ..data.key_names import are_usable
from ..data.row_index import is_counted, items_at, labels_at
from ..data.typed import FrameT
from ..data.within import naming_bounds, with_bounds
from ..errors import InputError, counted, id_shown, shown
from ..graph.chosen_edges import ChosenEdges
from ..graph.edges import LentOn
from ..graph.forest import Forest
from ..ids.decoders import IdDecoder, OffsetDecoder, SortedDecoder, same_integers
from ..ids.strings import same_strings
from ..ledger import Ledger
from .best import NO_KEY, choose, sort_keys
from .container import Container
from .deduplicate import Deduplication
from .labels import LabelKind, check_labels
from .numbering import Numbering
from .paths import Paths
from .scores import ordered, vertices_and_scores
from .written import Written

if TYPE_CHECKING:
    from ..data.weight_bound import WeightBound
    from ..verify.audit import Audit
    from ..verify.label_frame import LabelFrame
    from .dendrogram import Dendrogram


class Selection(Deduplication, Generic[FrameT]):
    """Selections of rows of the answer by vertex, component and size."""

    _dense: Array
    _counts: Array
    _by_size: Array
    _component: Callable[[Any], int]
    _frame: Callable[[dict[str, Any]], FrameT]

    def filter(self, min_size: int = 1, max_size: int | None = None) -> FrameT:
        """Return the label frame of the vertices in components of a range of sizes, inclusive.

        Parameters
        ----------
        min_size, max_size : int, optional
            The least and the greatest number of vertices of a component.

        Returns
        -------
        frame of the caller's kind
            The rows of :meth:`labels` for these vertices.

        Raises
        ------
        InputError
            A size is not a number.

        See Also
        --------
        Components.sizes : The size of each component.
        Components.subset : The vertices of one component.

        Examples
        --------
        >>> import cc_rapids
        >>> cc_rapids.components(([5, 2, 9], [2, 7, 9])).filter(min_size=2).vertex
        array([2, 5, 7])
        """
        sizes = {"min_size": min_size} | ({} if max_size is None else {"max_size": max_size})
        for name, size in sizes.items():
            known = isinstance(size, int | float | np.integer | np.floating)
            if isinstance(size, bool) or not known:
                raise InputError(f"{name} must be a number of vertices, not {shown(size)}")
        with self._backend.scope():
            keep = self._counts >= min_size
            if max_size is not None:
                keep &= self._counts <= max_size
            rows = self._backend.xp.flatnonzero(keep[self._dense])
            return self._frame(self._vertex(rows) | self._label(rows))

    def subset(self, label: Any) -> Any:
        """Return the vertices of one component, given its label from :meth:`labels`.

        Parameters
        ----------
        label : label
            A label of the answer, as returned by :meth:`labels`.

        Returns
        -------
        column or array of the caller's kind
            The vertices in the order of their ids; a frame, for ids of several columns.

        Raises
        ------
        InputError
            There is no such label.

        See Also
        --------
        Components.members : The vertices of all components.
        Components.component_of : The labels of some vertices.
        """
        with self._backend.scope():
            rows = self._backend.xp.flatnonzero(self._dense == self._component(label))
            frame = self._held_frame(self._vertex(rows))
            return self._given.answer(only(frame, "vertex"))

    def members(self) -> FrameT:
        """Return the vertices of each component as lists, one component after the other.

        Returns
        -------
        frame of the caller's kind, columns ``labels`` (as :meth:`labels` gives them) and ``vertex``
            Components are in the order of their least ids, and the vertices of each in the order of
            the ids.

        See Also
        --------
        Components.subset : The vertices of one component.
        Components.labels : The component of each vertex.

        Examples
        --------
        >>> import cc_rapids
        >>> cc_rapids.components(([5, 2, 9], [3, 7, 5]), labels="max").members()
        Members(labels=array([7, 7, 9, 9, 9]), vertex=array([2, 7, 3, 5, 9]))
        """
        with self._backend.scope():
            order = self._backend.xp.argsort(self._dense, kind="stable")
            return self._frame(self._label(order) | self._vertex(order))

    def representatives(self, by: Any = None, ascending: bool = False) -> FrameT:
        """Return one vertex of each component: that with the least id, or the greatest score.

        Parameters
        ----------
        by : frame or pair (vertices, scores), optional
            A column ``vertex`` (for ids of several columns as many, with the names that they have
            in the answer, or ``0_vertex``, ...) and one other column of numbers, booleans, dates,
            times, strings or categories. The vertex with the greatest
            value is chosen, among equal values the one with the least id. If a vertex has several
            scores, the best one counts; vertices without a score, or with one that is null, masked
            or nan, come last.
        ascending : bool
            Choose the least score instead of the greatest.

        Returns
        -------
        frame of the caller's kind, columns ``vertex`` and ``labels``, in the order of the labels'
        least ids

        Raises
        ------
        ColumnTypeError, InputError
            Scores have no order, ``by`` is of another form, or it does not have one score for each
            vertex.

        See Also
        --------
        Components.members : All vertices of each component.
        Components.attach : The labels as a column of a frame.
        """
        with self._backend.scope():
            vertex, least = self._rows()
            rows = self._backend.xp.flatnonzero(vertex == least)
            if by is not None:
                rows = self._best_of_scores(by, ascending, rows)
            return self._frame(self._vertex(rows) | self._label(rows))

    def size_histogram(self) -> FrameT:
        """Count the components of each size.

        Returns
        -------
        frame of the caller's kind, columns ``size`` (ascending) and ``components``, int64

        See Also
        --------
        Components.sizes : The size of each component.
        cc_rapids.plots.sizes : Draw the histogram.
        """
        with self._backend.scope():
            size, count = self._backend.xp.unique(self._counts, return_counts=True)
            return self._frame({"size": size, "components": count.astype(np.int64)})

    def plot(self, kind: str = "sizes", *arguments: Any, **options: Any) -> Any:
        """Draw the answer by a function of :mod:`cc_rapids.plots`; needs the extra ``plot``.

        Parameters
        ----------
        kind : {"sizes", "largest", "component"}
        *arguments, **options
            Arguments of that function after the answer: ``plot("component", edges, label)``.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        InputError
            The kind is unknown; also all errors of that function.
        MissingExtraError
            Matplotlib is not installed (or, for ``"component"``, NetworkX).

        See Also
        --------
        cc_rapids.plots.sizes : Draw the sizes.
        cc_rapids.plots.largest : Draw the largest components.

        Examples
        --------
        >>> import cc_rapids
        >>> axes = cc_rapids.components(([5, 2, 9], [2, 7, 9])).plot("largest", count=1)
        >>> [label.get_text() for label in axes.get_yticklabels()]
        ['2']
        """
        from . import plots

        draw: dict[str, Callable[..., Any]]
        draw = {"sizes": plots.sizes, "largest": plots.largest, "component": plots.component}
        return draw[check_word("plot", kind, draw)](self, *arguments, **options)

    def _best_of_scores(self, by: Any, ascending: bool, least: Array) -> Array:
        """Return for each component the row with the best score, the ``least`` if none has any."""
        given = self._given
        vertices, scores = vertices_and_scores(by, len(given.src.key_columns), given.key_names)
        rows, known = self._places(self._column(vertices), "null")
        values, valid = map(self._backend.asarray, ordered(scores))
        if values.size != rows.size:
            raise InputError(f"by has {rows.size:,} vertices and {values.size:,} scores")
        rows, keys = rows[known], sort_keys(values, ascending, self._backend.xp)[known]
        best = self._backend.fill(self._backend.empty(2 * least.size, np.uint64), 0xFF)
        best[1::2] = least.astype(np.uint64) | NO_KEY
        groups, places = self._dense[rows], rows.astype(np.uint64)
        choose(groups, best, places, keys, valid[known], self._backend)
        return (best[1::2] & ~NO_KEY).astype(np.int64)


def forest_columns(given: EdgeInput, rows: Any) -> dict[str, Any]:
    """Return the row numbers of chosen edges, with both ends, and their weights if there are some.

    Parameters
    ----------
    given : EdgeInput
        The caller's edges, whose columns are read again.
    rows : (k,) array of int64
        Rows of the columns, on the device of the caller's columns.
    """
    found = _ends_of_forest(given, rows)
    if given.weights is not None:
        weights, library = given.weights, _library(rows)
        if _library(weights) is not library:
            weights = library.asarray(getattr(weights, "get", lambda: weights)())
        found["weight"] = weights[rows]
    return found


def _ends_of_forest(given: EdgeInput, rows: Any) -> dict[str, Any]:
    """Return the row numbers of chosen edges, with both ends."""
    found: dict[str, Any] = {"row": rows if given.row_index is None else _kept(given, rows)}
    found = with_index(given, found)
    if given.row_offsets:
        with given.row_offsets.borrow() as offsets:
            xp = _library(offsets)
            vertex = xp.searchsorted(offsets, rows, side="right") - 1
        with given.dst.borrow() as indices:
            taken = indices[rows]
        return found | {"source": vertex.astype(taken.dtype), "destination": taken}
    for name, column in (("source", given.src), ("destination", given.dst)):
        key_columns = column.key_columns or (column,)
        names = [f"{k}_{name}" for k in range(len(key_columns))] if column.key_columns else [name]
        found |= dict(zip(names, (_take(part, rows) for part in key_columns), strict=True))
    return found


def with_index(given: EdgeInput, columns: dict[str, Any]) -> dict[str, Any]:
    """Return columns with the labels of their rows behind these, if an index names rows so."""
    if given.index is None or is_counted(given.index):
        return columns
    return {"row": columns["row"], "index": labels_at(given.index, columns["row"])} | columns


def _kept(given: EdgeInput, rows: Any) -> Any:
    assert given.row_index is not None
    return given.row_index()[rows].astype(np.int64)


def _take(column: Column, rows: Any) -> Any:
    """Return the ids of some rows.

    A column without rows may be on another device, as it is made like the vertices.
    """
    with column.borrow() as held:
        if not column.strings:
            return held[rows] if len(rows) else _library(rows).empty(0, held.dtype)
        if isinstance(held, np.ndarray):  # of a kept kind without rows, which borrows integers
            import pyarrow as pa

            held = pa.chunked_array([], pa.large_string())
        taken = held.take(rows) if len(rows) else held[:0]
        if is_cudf(held):
            taken = taken.reset_index(drop=True)
        return column.to_native(taken, lambda: taken)


def _library(array: Any) -> Any:
    if isinstance(array, np.ndarray):
        return np
    import cupy

    return cupy


class Audited:
    """An answer that can be checked against its edges."""

    _given: EdgeInput
    _backend: Backend
    _forest: Forest
    _kind: LabelKind
    _prefetched_frame: Any
    _forest_edges: Any
    _facts: Facts

    def __len__(self) -> int:
        raise NotImplementedError

    def labels(self, kind: str | None = None) -> Any:
        raise NotImplementedError

    def with_key_names(self, names: list[str] | None) -> Any:
        raise NotImplementedError

    def forest(self) -> Any:
        raise NotImplementedError

    def audit(
        self,
        edges: Any,
        source: str | list[str] | None = None,
        destination: str | list[str] | None = None,
        *,
        oracle: str | None = None,
        **given: Any,
    ) -> Audit:
        """Prove from the edges that the frame returned by ``labels()`` is right.

        The audit makes one pass over the edges, on the engine that holds the answer, for lists of
        any size, without functions that runs use. Both ends of every edge must have the same label,
        so no component is split. The audit also joins the ends of edges in its own trees, and at
        the end there must be as many trees as labels, so no components are merged: trees may miss
        an edge, in which case a right answer is refused, but no tree joins vertices that no path
        joins, so no wrong answer is accepted. Labels must follow the definition of their kind (see
        :meth:`labels`), rows must be in the order of the ids, ``len()`` must be the number of
        labels, and each vertex must be named. The rows that were read are counted, and their
        numbers summed in two ways: the proof is valid only if the sums are those of the given
        number of rows.

        The cost is at most one and a half times that of finding the answer, on an H100 for the
        reference graphs (benchmarks/records/audit.jsonl). Edges are skipped if both ends are known
        to be in one tree of one label. Memory: that of the label frame, which is made once more; 8
        bytes and 3 bits for each id from the least to the greatest (16 bytes from 2^32 of them on),
        or, if ids are far apart, 40 bytes per vertex and 8 bytes per edge.

        Parameters
        ----------
        edges : frame, pair of columns, list of pairs, sparse matrix, graph, or path
            The edges of the answer, in any order and any form that :func:`cc_rapids.components`
            accepts; paths and other streams are read in chunks.
        source, destination : str, or lists of str of equal length, optional
            As for :func:`cc_rapids.components`.
        oracle : {"scipy", "networkx", "cugraph"}, optional
            A library that must find the same components; not for streams.
        **given
            ``vertices``, ``num_vertices``, ``nulls``, ``header``, and ``weight`` with ``at_least``
            or ``at_most`` as for the answer, and ``memory_limit`` for streams, as in
            :func:`cc_rapids.stream_components`. An answer with bounds applies them, so they need
            not be given again; ``weight=None`` says that the list has only edges within. Rows are
            positions in the list, also with bounds; of files and streams with bounds they are
            counted among the edges within. With ``forest=True`` the frame of :meth:`forest` is
            proved too, for the same edges in the same order: its rows ascend, have the ends of the
            list and no cycle, and are as many as join all components. With ``weight`` and
            ``forest="min"`` or ``"max"`` it is also proved that weights are those of the list, and
            that no other edge is lighter (heavier) than the heaviest (lightest) on its path along
            the rows, the lower row first among equal weights. This takes some 60 bytes a vertex,
            and for each edge a climb of up to twice log2 n steps. A frame as ``forest`` is proved
            in place of the answer's own. With ``bridges``, the frame of :func:`cc_rapids.bridges`
            for the same edges in the same order, that is proved too: there are as many components
            more without its rows, and along all other edges something flows, while as much flows
            into each vertex as out of it, so that each lies on a cycle. This takes some 110 bytes
            for each id from the least to the greatest, or for each vertex if ids are far apart, and
            17 bytes an edge.

        Returns
        -------
        Audit
            The result: the numbers of edges, vertices and components.

        Raises
        ------
        VerificationError
            The answer is wrong; names the first edge (by its row, from 0) or the first vertex that
            contradicts it. Also if the audit itself has not read each row exactly once.
        InputError
            The edges or an argument cannot be used.

        See Also
        --------
        cc_rapids.oracle.certify_components : Prove an answer without kernels of this package.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 9]})
        >>> print(cc_rapids.components(edges).audit(edges, oracle="scipy"))
        right: 2 components of 4 vertices, by 3 edges; scipy finds the same
        >>> edges.loc[3] = 7, 9
        >>> cc_rapids.components(edges[:3]).audit(edges)
        Traceback (most recent call last):
            ...
        cc_rapids.errors.VerificationError: edge 3 joins 7 and 9, which have the labels 2 and 9
        """
        from ..verify.audit import audit  # a run needs none of what an audit does
        from ..verify.forests import OwnForest

        called = "audit(edges)"
        asked = with_bounds(self._bound, given, called)
        if given.get("forest") is not None:
            show = None if self._forest_edges is None else self.forest
            asked["own_forest"] = OwnForest(show, self._facts.greatest)
        answer = self._as_answer()
        with naming_bounds(self._bound, given, called):
            return audit(answer, self._backend, edges, source, destination, oracle=oracle, **asked)

    @property
    def _bound(self) -> WeightBound | None:
        """The bounds of the edges that the answer was found from."""
        own: EdgeInput | None = vars(self).get("_given")
        return None if own is None else own.bound

    def _as_answer(self) -> LabelFrame:
        """Return the label frame for an audit."""
        from ..verify.label_frame import LabelFrame

        several = self._given.src.key_columns
        frame = collected(self.with_key_names(None).labels() if several else self.labels())
        width = max(len(self._given.src.key_columns), 1)
        return LabelFrame(frame, self._kind.audited_as, len(self), width=width)


@dataclass(frozen=True)
class Facts:
    """The facts about how an answer was found."""

    design: str
    ids: str
    edges: int
    memory: str = "device"
    seconds: dict[str, float | None] = field(default_factory=dict)
    resumed: str | None = None
    greatest: bool | None = None  # whether its forest is by greatest weight; None if by no weight

    ledger: Ledger | None = None

    @property
    def rows(self) -> Ledger:
        """The ledger of the run; of edges that were made from an answer, they themselves."""
        return Ledger(self.edges, self.edges) if self.ledger is None else self.ledger

    def words(self) -> dict[str, Any]:
        """Return the facts as JSON values."""
        return asdict(replace(self, ledger=None)) | {"ledger": self.rows.facts()}

    @classmethod
    def of_words(cls, words: dict[str, Any]) -> Facts:
        """Return the facts of JSON values.

        Raises
        ------
        ValueError
            They are of other types, or the ledger does not balance.
        """
        facts = cls(**words | {"ledger": Ledger.of_facts(words["ledger"])})
        times = facts.seconds.values() if isinstance(facts.seconds, dict) else [""]
        check_count("edges", facts.edges)
        right = (
            all(isinstance(one, str) for one in (facts.design, facts.ids, facts.memory))
            and isinstance(facts.resumed, str | None)
            and isinstance(facts.greatest, bool | None)
            and all(isinstance(one, int | float | None) for one in times)
        )
        if not right:
            raise ValueError("the facts of its run are of other types")
        return facts


class Components(Selection[FrameT], Container, Numbering, Paths, Written, Audited):
    """The connected components of an edge list.

    ``len()`` is the number of components. Methods return new frames of the same library as the
    edges, in the order of the vertex ids; on a GPU they stay there. For a DuckDB relation they are
    relations of its connection, and single columns are PyArrow's.

    See Also
    --------
    components : Find the components of an edge list.
    Cuts : The components at several thresholds.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> edges = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 9]})
    >>> found = cc_rapids.components(edges)
    >>> found
    <Components: 2 components of 4 vertices; 3 edges, none+async+halve on threads>
    >>> found.labels()
       vertex  labels
    0       2       2
    1       5       2
    2       7       2
    3       9       9
    """

    def __init__(
        self,
        given: EdgeInput,
        backend: Backend,
        decoder: IdDecoder,
        forest: Forest,
        kind: LabelKind,
        facts: Facts,
        forest_edges: ChosenEdges | None = None,
        prefetched_frame: Any = None,
        arena: Any = None,
    ) -> None:
        self._given, self._backend, self._decoder = given, backend, decoder
        self._forest, self._kind, self._facts = forest, kind, facts
        self._forest_edges = forest_edges
        self._prefetched_frame = prefetched_frame  # a label frame, to be given away once
        self._arena = arena  # of the run, where a small label frame lies too
        self._forest_columns: dict[str, Any] | None = None  # of a copy, which has no edges

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for copies and pickles, without the edges and cached results."""
        own = {
            name: value
            for name, value in vars(self).items()
            if not isinstance(getattr(type(self), name, None), cached_property)
        }
        if self._forest_edges is not None:
            with self._backend.scope():
                own["_forest_columns"] = self._columns_of_forest()
        like = self._given_without_edges()
        return own | {"_given": like, "_prefetched_frame": None, "_arena": None}

    def _given_without_edges(self) -> EdgeInput:
        """Return what determines the kind of answers, without the edges."""
        given = self._given
        return replace(
            given,
            src=without_rows(given.src),
            dst=without_rows(given.dst),
            vertices=None,
            row_offsets=None,
            row_index=None,
            index=None,
            weights=None,
        )

    def __len__(self) -> int:
        return self._forest.components

    __hash__ = None  # type: ignore[assignment]  # equal answers may differ in everything else

    def __eq__(self, other: object) -> bool:
        return self.equals(other) if isinstance(other, Components) else NotImplemented

    def equals(self, other: Any) -> bool:
        """Return whether another answer has the same vertices in the same components.

        The kinds of labels, engines and frames may differ, and so may the types of equal ids:
        integers of any width, strings and categories of strings. ``a == b`` is the same. Return
        False if the other object is not a :class:`Components`.

        Parameters
        ----------
        other : Components
            The answer to compare with.

        Returns
        -------
        bool
            Whether the answers are equal.

        See Also
        --------
        cc_rapids.oracle.same_partition : Compare two label frames.

        Examples
        --------
        >>> import numpy as np, pandas as pd, cc_rapids
        >>> edges = np.array([5, 2, 9], np.int32), np.array([2, 7, 9], np.int32)
        >>> frame = pd.DataFrame({"src": [7, 9, 5], "dst": [5, 9, 2]})
        >>> cc_rapids.components(edges) == cc_rapids.components(frame, labels="max")
        True
        """
        if not isinstance(other, Components):
            return False
        mine, others = self._forest, other._forest
        if (mine.vertices, mine.components) != (others.vertices, others.components):
            return False
        if not mine.vertices or self is other:
            return True
        with other._backend.scope():
            theirs, dense = other._ids(), other._dense
        with self._backend.scope():
            ids = self._ids(), theirs
            if len(ids[0]) != len(ids[1]):
                return False
            if not all(_same(*pair, self._backend) for pair in zip(*ids, strict=True)):
                return False
            # both are in the order of the ids, and so are the components
            return bool((self._dense == self._backend.asarray(dense)).all())

    def _ids(self) -> list[Column]:
        """Return the vertices that occur, as the columns that their ids have."""
        return [of("vertex", ids) for ids in self._columns("vertex", self._rows()[0]).values()]

    def labels(self, kind: str | None = None) -> FrameT:
        """Return the component of each vertex.

        Parameters
        ----------
        kind : {"min", "max", "dense", "size", ...}, optional
            ``"min"``: the least vertex id of the component; ``"max"``: the greatest, its owner in
            Lehr et al. 2022; ``"dense"``: 0 .. k-1 in the order of the least ids, like SciPy's
            labels; ``"size"``: 0 for the largest, ties in the order of the least ids. The guide to
            answers lists all kinds. The default is that of :func:`cc_rapids.components`.

        Returns
        -------
        frame of the caller's kind, columns ``vertex`` and ``labels``
            One row per vertex, in the order of the ids; ``vertex``, and ``labels`` of kinds
            ``"min"`` and ``"max"``, have the type of the ids, other labels are int32 (int64 beyond
            2^31). Ids of several columns have columns of their own names, ``kind`` and ``id``, and
            labels that are ids ``kind_labels`` and ``id_labels``: see :meth:`with_key_names`.

        See Also
        --------
        Components.sizes : The size of each component.
        Components.component_of : The labels of some vertices.
        Components.attach : The labels as a column of a frame.
        """
        labels = self._kind if kind is None else check_labels(kind)
        if labels.is_root and (held := vars(self).pop("_prefetched_frame", None)) is not None:
            answers = self._given.answers  # and no other thread has popped the frame
            frame: FrameT = held if answers is None else answers(held)
            return frame
        with self._backend.scope(self._arena):
            by_array = isinstance(self._decoder, SortedDecoder)
            rows = self._rows_of_sorted_ids() if by_array and labels.is_root else None
            if rows:
                return self._frame(dict(zip(("vertex", "labels"), rows, strict=True)))
            vertex, label = labels.vertices_and_rows(self)
            return self._frame(
                self._columns("vertex", vertex) | labels.columns(self, "labels", label)
            )

    def sizes(self, count: int | None = None) -> FrameT:
        """Return the number of vertices of each component, the largest first.

        Components of equal size are in the order of their least ids.

        Parameters
        ----------
        count : int, optional
            Return only so many, the largest ones.

        Returns
        -------
        frame of the caller's kind
            Columns ``labels`` (as in :meth:`labels`) and ``size`` (int64).

        Raises
        ------
        InputError
            ``count`` is not a count.

        See Also
        --------
        Components.size_histogram : The number of components of each size.
        Components.largest : The vertices of the largest component.
        """
        most = None if count is None else check_count("count", count)
        with self._backend.scope():
            order = self._by_size[:most]
            label = self._kind.columns(self, "labels", self._kind.of_component(self, order))
            return self._frame(label | {"size": self._counts[order]})

    def largest(self, count: int = 1) -> FrameT:
        """Return the vertices of the largest component; of equal ones, that with the least id.

        Parameters
        ----------
        count : int
            Return those of so many components, the largest ones.

        Returns
        -------
        frame of the caller's kind
            Columns ``vertex`` and ``labels``, in the order of the ids; without rows if there is no
            component.

        Raises
        ------
        InputError
            ``count`` is not a count.

        See Also
        --------
        Components.subset : The vertices of any component.
        Components.sizes : The size of each component.

        Examples
        --------
        >>> import cc_rapids
        >>> cc_rapids.components(([5, 9, 1], [2, 7, 1])).largest(2)
        Labels(vertex=array([2, 5, 7, 9]), labels=array([2, 2, 7, 7]))
        """
        most = check_count("count", count)
        with self._backend.scope():
            vertex, label = self._kind.vertices_and_rows(self)
            if most < len(self):
                chosen = self._backend.xp.zeros(len(self), bool)
                chosen[self._by_size[:most]] = True
                member = chosen[self._dense]
                vertex, label = vertex[member], label[member]
            labels = self._kind.columns(self, "labels", label)
            return self._frame(self._columns("vertex", vertex) | labels)

    def forest(self) -> FrameT:
        """Return the edges of a spanning forest, as they were chosen during the run.

        For each vertex except one per component there is one edge: together they join the same
        vertices as all edges, without a cycle. Different runs may return different edges, unless
        the forest is one by weight.

        Returns
        -------
        frame of the caller's kind
            Columns ``row`` (int64, the number of the edge in the input, in ascending order; of an
            adjacency list, the number of the entry), ``source`` and ``destination`` (for ids of
            several columns ``kind_source``, ``id_source``, ...), and of a forest by weight
            ``weight``, of the type of the weights.

        Raises
        ------
        InputError
            The answer was found without ``forest=True``.

        See Also
        --------
        spanning_forest : Find a spanning forest in one call.
        minimum_spanning_forest : Find one of the least weight in one call.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 9]})
        >>> cc_rapids.components(edges, forest=True).forest()
           row  source  destination
        0    0       5            2
        1    1       2            7
        """
        self._check_forest("forest(), or spanning_forest(...)")
        with self._backend.scope():
            return self._frame(self._columns_of_forest(), without_nan=("weight",))

    def _check_forest(self, wanted: str) -> None:
        """Raise an InputError that names what is wanted if no forest was recorded."""
        if self._forest_edges is None:
            raise InputError(
                "the edges of a spanning forest are recorded during the run, on request:"
                f" components(..., forest=True).{wanted}"
            )

    def dendrogram(self) -> Dendrogram:
        """Return the components at every threshold of the weights, of the forest by weight.

        Returns
        -------
        Dendrogram
            It holds the ends and weights of the edges of the forest, in the order of the weights:
            up to 48 bytes for each. Nothing is read again for any number of thresholds.

        Raises
        ------
        InputError
            The answer was found without ``forest="max"`` or ``forest="min"``.

        See Also
        --------
        components_at : Find components at some thresholds without a spanning forest.
        Components.forest : The edges of the forest.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": [1, 2, 3], "dst": [2, 3, 4], "w": [0.9, 0.7, 0.8]})
        >>> found = cc_rapids.components(edges, weight="w", forest="max")
        >>> found.dendrogram().merges(thresholds=[0.9, 0.7])
           threshold  before  after  size
        0        0.7       1      1     2
        1        0.7       3      1     1
        2        0.7       4      1     1
        """
        from .dendrogram import Dendrogram  # most answers have no forest by weight

        return Dendrogram(self)

    @property
    def ledger(self) -> dict[str, Any]:
        """The rows of the run: given = linked + those left out, by reason.

        ``given`` is the number of rows by the input itself: the length of a frame, the footers of
        Parquet files, the lines of text, a count of a relation. ``linked`` is the number of rows
        that kernels read. Then come the reasons that occurred, such as ``null_end``,
        ``null_weight``, ``out_of_bounds``, ``row_group``, ``comment`` and ``blank``; see
        :mod:`cc_rapids.ledger`. ``unchecked`` is True where an iterator alone tells how many rows
        there are. A run whose rows do not balance raises a LedgerError and gives no answer.

        Returns
        -------
        dict

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> edges = pd.DataFrame({"src": [1, 2, None], "dst": [2, 3, 4]}, dtype="Int64")
        >>> cc_rapids.components(edges, nulls="drop").ledger
        {'given': 3, 'linked': 2, 'null_end': 1}
        """
        return self._facts.rows.facts()

    def summary(self) -> dict[str, Any]:
        """Return facts about the run and the answer.

        Returns
        -------
        dict
            ``engine``, ``device``, ``memory`` (from which the edges were read), ``design``,
            ``ids``, ``vertices``, ``edges``, ``components``, ``largest`` (the vertices of the
            largest component), ``dropped`` (edges dropped for nulls), ``ledger`` (one line of what
            :attr:`ledger` counts), ``seconds`` ("copy": to the
            memory that kernels read, None if nothing is copied; "compute") and ``peak_bytes``. For
            a stream that resumed from a checkpoint also ``resumed``: what had been done, and what
            was added to the input. For files ``taken``: each way in which they were read, with
            format, columns (of ids), header (whether the first line named them) and delimiter.

        See Also
        --------
        Plan : The facts that are known before a run.
        """
        resumed = {"resumed": self._facts.resumed} if self._facts.resumed else {}
        taken = [taken.facts() for taken in self._given.taken]
        return {
            "engine": self._backend.name,
            "device": self._backend.device_name,
            "memory": self._facts.memory,
            "design": self._facts.design,
            "ids": self._facts.ids,
            "vertices": self._forest.vertices,
            "edges": self._facts.edges,
            "components": len(self),
            "largest": self._largest_size,
            "dropped": self._given.dropped_rows,
            "ledger": str(self._facts.rows),
            "seconds": dict(self._facts.seconds),
            "peak_bytes": self._backend.peak_bytes(),
            **resumed,
            **({"taken": taken} if taken else {}),
        }

    def with_key_names(self, names: list[str] | None) -> Components[FrameT]:
        """Return the same answer with other names of the columns of ids of several columns.

        By default these are the names of a frame that was passed as ``vertices=``; else, if the
        names of both ends differ only by a prefix or a suffix before or behind a separator (``_``,
        ``.``, ``-``, a blank) or by final digits, the rest of them: ``kind`` and ``id`` for
        ``src_kind``, ``src_id`` and ``dst_kind``, ``dst_id``; else the names of the source. Where
        such names are not different strings, or are or end like ``vertex``, ``labels``, ``size``
        and other columns of answers, the columns are numbered: ``0_vertex``, ``1_vertex``, ...,
        ``0_labels``, ...; so they are for a ``cugraph.Graph``, as in cuGraph.

        Parameters
        ----------
        names : list of str, or None
            A name for each column of an id; None numbers the columns.

        Returns
        -------
        Components
            A new object on the same arrays.

        Raises
        ------
        InputError
            Names are as many as the columns of an id, or could be those of other columns.

        See Also
        --------
        Components.labels : The label frame.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> rows = {"src_kind": ["u"], "src_id": [7], "dst_kind": ["c"], "dst_id": [3]}
        >>> names = ["src_kind", "src_id"], ["dst_kind", "dst_id"]
        >>> found = cc_rapids.components(pd.DataFrame(rows), *names)
        >>> found.labels()
          kind  id kind_labels  id_labels
        0    c   3           c          3
        1    u   7           c          3
        >>> list(found.with_key_names(None).labels())
        ['0_vertex', '1_vertex', '0_labels', '1_labels']
        """
        width = len(self._given.src.key_columns)
        own = () if names is None else names
        if not isinstance(own, list | tuple) or (own and not are_usable(own)):
            raise InputError(
                f"names={shown(names)} cannot be those of the columns of an id: pass different"
                " strings, of which none is or ends like 'vertex', 'labels' or 'size'"
            )
        if own and len(own) != width:
            raise InputError(
                f"{len(own)} names are passed, and an id has {max(width, 1)} columns: pass one for"
                " each column, of ids of several columns"
            )
        other = self._with(replace(self._given, vertex_names=tuple(own)))
        other._prefetched_frame = None
        return other

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the answer to one file, completely or not at all.

        Parameters
        ----------
        path : str or path
            The path of the file, with any suffix; an existing file is replaced. The file has its
            own format, without pickles, with a checksum for every byte. It contains the ids, their
            components, the kind of labels and of frames, the summary, and the spanning forest if
            there is one; not the edges.

        Raises
        ------
        OutputError
            The file cannot be written, or the disk is full; an old file stays.
        InputError
            The labels are numbers of :class:`StableIds`, which save themselves.

        See Also
        --------
        Components.load : Load a saved answer.

        Examples
        --------
        >>> import cc_rapids, tempfile, os
        >>> path = os.path.join(tempfile.mkdtemp(), "found")
        >>> found = cc_rapids.components(([5, 2, 9], [2, 7, 9]))
        >>> found.save(path)
        >>> cc_rapids.Components.load(path) == found
        True
        """
        from . import saved

        if not self._kind.is_saved:
            raise InputError(
                "the labels of this answer are stable numbers, which it does not save: call save()"
                " of the StableIds"
            )
        saved.write(check_path("path", path), self)

    @classmethod
    def load(cls, path: str | os.PathLike[str], engine: str | None = None) -> Components:
        """Load an answer written by :meth:`save`, on any engine.

        Parameters
        ----------
        path : str or path
            A file written by :meth:`save`.
        engine : {"threads", "cuda"}, optional
            Where to keep it; by default on the GPU if its frames lie there, else on threads.

        Returns
        -------
        Components
            The answer, a :class:`LinkedRecords` where one was saved. Its frames are of the same
            library as before it was saved, or of PyArrow if that is missing (which is logged).

        Raises
        ------
        FormatError
            The file does not exist, is damaged, has another version, or is of another kind; or its
            spanning forest is none of its components.

        See Also
        --------
        Components.save : Write an answer to one file.
        """
        from . import saved

        return saved.read(check_path("path", path), engine)

    def _own_words(self) -> dict[str, Any]:
        """Return what a file holds of an answer besides the components, as JSON values."""
        return {}

    def __repr__(self) -> str:
        """Return what is known already: a log line or a debugger launches no kernel."""
        return (
            f"<Components: {self._known_counts()}; {counted(self._facts.edges, 'edge')},"
            f" {self._facts.design} on {self._backend.name}>"
        )

    def _known_counts(self, component: str = "component", vertex: str = "vertex") -> str:
        """Return the counts that need neither a launch nor a copy to the host, in words."""
        forest, largest = vars(self._forest), vars(self).get("_largest_size")
        if not {"components", "vertices"} <= forest.keys():
            return f"{_plural(component)} are not counted yet"
        known = (
            f"{counted(forest['components'], component, _plural(component))} of"
            f" {counted(forest['vertices'], vertex, _plural(vertex))}"
        )
        return known if largest is None else f"{known}, the largest of {largest:,}"

    def _repr_html_(self) -> str | None:
        return html.panel_or_none(self._panel)

    def _panel(self) -> str:
        from .preview import machinery, preview

        facts = self.summary()
        counts = {name: facts[name] for name in ("components", "vertices", "edges", "largest")}
        return html.panel("Components", html.facts(counts), preview(self), machinery(facts))

    def _frame(self, columns: dict[str, Any], without_nan: Sequence[str] = ()) -> FrameT:
        """Return a frame of the caller's kind, on the same device as the edges.

        Some columns, if there are any of these names, are known to be ``without_nan``.
        """
        if self._backend.on_device != self._given.on_device:
            columns = {name: self._home(column) for name, column in columns.items()}
        for name in without_nan:
            if name in columns and self._given.without_nan is not None:
                columns[name] = self._given.without_nan(columns[name])
        if self._given.src.key_columns:
            columns = {self._given.called(name): column for name, column in columns.items()}
        held, answers = self._given.make_frame(columns), self._given.answers
        frame: FrameT = held if answers is None else answers(held)
        return frame

    def _in_memory(self) -> Components:
        """Return the answer with frames in memory, where those of the caller are others."""
        if self._given.answers is None:
            return self
        return self._with(replace(self._given, answers=None))

    def _keeping(self, bound: WeightBound | None) -> Components[FrameT]:
        """Return the answer, which keeps the bounds of its edges from now on."""
        self._given = replace(self._given, bound=bound)
        return self

    def _with(self, given: EdgeInput) -> Components[FrameT]:
        """Return the answer with another kind of frames, or other names in them."""
        other: Components[FrameT] = object.__new__(type(self))
        vars(other).update(vars(self))
        other._given = given
        return other

    def _with_ledger(self, ledger: Ledger) -> Components[FrameT]:
        """Return the answer with the ledger of the rows that its edges stand for."""
        dropped = ledger.left_out.get("null_end", 0)
        other = self._with(replace(self._given, dropped_rows=dropped))
        other._facts = replace(self._facts, ledger=ledger)
        return other

    def _held_labels(self, kind: str | None = None) -> Any:
        """Return the frame of :meth:`labels` in memory."""
        return self._in_memory().labels(kind)

    def _held_frame(self, columns: dict[str, Any]) -> Any:
        """Return a frame like those of the caller in memory."""
        return self._in_memory()._frame(columns)

    def _columns_of_forest(self, edges: Array | None = None) -> dict[str, Any]:
        """Return the columns of :meth:`forest`: new ones, of some of its edges or of all."""
        held, chosen = self._forest_columns, self._forest_edges
        if held is None:
            assert chosen is not None
            chosen = chosen if edges is None else chosen.among(edges)
            found = chosen.columns(self._given)
            if found:
                return with_index(self._given, found)
            return forest_columns(self._given, self._home(chosen.rows.astype(np.int64)))
        if edges is None:
            return {name: copy(column) for name, column in held.items()}
        at, numbers = self._home(edges), ("row", "index", "weight")
        return {
            name: items_at(column, at) if name in numbers else _take(of(name, column), at)
            for name, column in held.items()
        }

    def _ends_of_rows(self, given: EdgeInput, rows: Any) -> dict[str, Any]:
        """Return the columns of some rows of any edges, with their weights if they have any."""
        return forest_columns(given, rows)

    def _places_of_forest(self) -> tuple[list[Array], dict[str, Any]]:
        """Return the rows of both ends of each edge of the forest, and its other columns."""
        columns = self._columns_of_forest()
        others = {"row": columns.pop("row")}
        columns.pop("index", None)
        others |= {"weight": columns.pop("weight")} if "weight" in columns else {}
        ends = list(columns.values())
        width = len(ends) // 2
        sides = zip(("source", "destination"), (ends[:width], ends[width:]), strict=True)
        named = (of_key_columns([of(name, part) for part in side]) for name, side in sides)
        return [self._places(column, "raise")[0] for column in named], others

    def _places_of_edges(self, given: EdgeInput | None = None) -> tuple[Array, Array]:
        """Return the rows of both ends of each edge among the vertices, as int64.

        The edges are those of the answer, or others that are ``given``.
        """
        given = self._given if given is None else given
        with LentOn(self._backend, given) as columns:
            sides = zip((given.src, given.dst), columns, strict=False)
            src, dst = (self._places_of(side, held, "raise")[0] for side, held in sides)
        return src, dst

    def _home(self, column: Any) -> Any:
        return self._bring(column, self._given.on_device)

    def _bring(self, column: Any, on_device: bool) -> Any:
        return bring(column, self._backend, on_device)

    def _rows(self) -> tuple[Array, Array]:
        return self._forest.rows(self._decoder.id_base, self._decoder.dtype)

    def _rows_of_sorted_ids(self) -> tuple[Array, Array] | None:
        """Return vertices and least labels, if ids are an array and all occur; else None."""
        forest, decoder = self._forest, self._decoder
        if not isinstance(decoder, SortedDecoder) or forest.has_rows:
            return None
        if not (forest.all_present and forest.n == decoder.ids.size):
            return None
        return decoder.decode_all(forest.parent, self._backend)

    def _columns(self, name: str, ids: Array) -> dict[str, Any]:
        """Return the columns of ids: one of that name, or 0_name, 1_name, ... of several."""
        if isinstance(self._decoder, OffsetDecoder):  # whose rows hold the ids already
            return {name: ids}
        column = self._decoder.decode(ids, self._backend)
        if isinstance(column, list):
            return {f"{k}_{name}": part for k, part in enumerate(column)}
        return {name: column}

    def _label(self, rows: Array, name: str = "labels") -> dict[str, Any]:
        """Return the columns of the labels of some rows of the answer."""
        return self._kind.columns(self, name, self._kind.rows(self)[rows])

    def _label_or_own(
        self, column: Column, rows: Array, known: Array, name: str, at: Array | None
    ) -> dict[str, Any]:
        """Return the labels of ids; unknown ids are components of their own."""
        labels = self._kind.rows(self)[rows if self._forest.vertices else rows[:0]]
        return self._kind.columns_of_ids(self, column, known, labels, name, at)

    def _component(self, label: Any) -> int:
        """Return the number of a component, in the order of the least ids, given its label."""
        number = self._kind.find(self, label)
        if number is None:
            k = len(self._counts)
            these = "the only component" if k == 1 else f"these {k:,} components"
            raise InputError(
                f"{id_shown(label)} is not a label of {these} (labels are of kind"
                f" {self._kind.name!r}); component_of() gives the label of a vertex"
            )
        return number

    def _small(self, array: Array) -> Array:
        """Return labels that are numbers: int32, as in SciPy, if they fit."""
        return array.astype(np.int32 if len(self) <= 1 << 31 else np.int64)

    @cached_property
    def _numbered(self) -> tuple[Array, Array]:
        """The id of each vertex that occurs, and the rank of its component by its least vertex."""
        return self._forest.dense(self._decoder.id_base, self._decoder.dtype)

    @property
    def _dense(self) -> Array:
        return self._numbered[1]

    @cached_property
    def _counts(self) -> Array:
        """The vertices of each component, in the order of the least ids."""
        return self._backend.counts(self._dense, len(self))

    @cached_property
    def _largest_size(self) -> int:
        """The vertices of the largest component."""
        with self._backend.scope():
            return int(self._counts.max()) if len(self) else 0

    @cached_property
    def _last(self) -> Array:
        """The row of the greatest id of each component, in the order of the least ids."""
        order = self._backend.xp.argsort(self._dense, kind="stable")
        return order[self._backend.xp.cumsum(self._counts) - 1]

    @cached_property
    def _by_size(self) -> Array:
        """The components, largest first; among equals the least id first."""
        return self._backend.xp.argsort(-self._counts, kind="stable")

    @cached_property
    def _place(self) -> Array:
        """The place of each component in that order."""
        xp = self._backend.xp
        place = xp.empty(len(self), self._dense.dtype)
        place[self._by_size] = xp.arange(len(self), dtype=place.dtype)
        return place


def _plural(word: str) -> str:
    return {"vertex": "vertices", "entity": "entities"}.get(word, f"{word}s")


def _same(mine: Column, others: Column, backend: Backend) -> bool:
    """Return whether two columns of ids of one length are equal."""
    if mine.strings != others.strings:
        return False
    with mine.borrow() as first, others.borrow() as second:
        if mine.strings:
            return same_strings(first, second)
        return same_integers(backend.asarray(first), backend.asarray(second))
