"""The report on an answer: sizes, densities, bridges and weakest links of the components."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.bridges import Reached
from ..backends import Array
from ..data import html
from ..data.adapters import adapter_of
from ..data.arguments import check_count
from ..data.edge_input import EdgeInput, plain_frame
from ..data.foreign import opened
from ..data.frame_access import answer_column, on_host, values_of
from ..data.frame_build import with_column
from ..data.row_index import has_labels, labels_at, spread
from ..data.within import AsFound, read_for_answer
from ..errors import InputError, counted, inflected
from ..graph.sorting import begins
from ..keywords import suggest_keywords_of_methods
from ..results.answer import Answer
from ..results.lookup import rows_of_edges
from ..solver.run import any_forest, forest_of_weights
from .bridges import check_listed_once, warn_of_both_directions
from .evidence import EdgeRecords, table_of
from .selection import sizes

SHOWN = 20  # components on a page
MAX_EXACT = 1 << 53  # floats represent all integers below this number
PERCENTILES = {"size_min": 0, "size_q25": 25, "size_median": 50, "size_q75": 75, "size_q99": 99}
WITH_WEIGHTS = "weights: pass weight= to report(), such as a column of scores"
TITLE = "Report on connected components"
COMPONENTS_NOTE = (
    "Each row is a component. size is its number of vertices, edges is its number of rows of the"
    " list, density is the share of vertex pairs that an edge joins, and bridges is the number of"
    " edges whose removal splits the component."
)
WEAKEST_NOTE = (
    " weakest_weight is the weight of the weakest row: at any higher threshold, the component"
    " splits."
)
# what each number of the whole report counts
MEANINGS = {
    "components": "groups of vertices that edges join, over any number of steps",
    "vertices": "vertices of all components",
    "edges": "rows of the list",
    "repeated": "rows that name a pair again, in either direction",
    "self_loops": "rows that join a vertex to itself",
    "bridges": "edges whose removal splits a component",
    "singletons": "components of one vertex",
    "singleton_share": "the share of components that have one vertex",
    "size_min": "vertices of the smallest component",
    "size_q25": "a quarter of the components have at most this many vertices",
    "size_median": "half of the components have at most this many vertices",
    "size_q75": "three quarters of the components have at most this many vertices",
    "size_q99": "99 % of the components have at most this many vertices",
    "size_mean": "vertices of a component on average",
    "size_max": "vertices of the largest component",
}


def report(
    answer: Answer,
    edges: Any,
    source: Any,
    destination: Any,
    weight: Any,
    nulls: str,
    records: Any,
    on: Any,
) -> Report:
    """Return the report on an answer: see :meth:`cc_rapids.Components.report`."""
    answer.check_edges(edges)
    edges = opened(edges)
    check_listed_once(edges)
    adapter = adapter_of(edges)
    if adapter.is_stream or adapter.names_files:
        raise InputError(
            f"a report needs edges in memory, but these are a {type(edges).__name__}: read them"
            " into one frame"
        )
    names_weight = not (weight is None or isinstance(weight, AsFound))
    bound = answer.given.bound
    if not names_weight and bound is not None and not bound.has_limits:
        bound = None  # without limits, it only names the weights of the answer
    call = "report(edges)"
    given = read_for_answer(edges, source, destination, bound, weight, what=call, nulls=nulls)
    if not names_weight:  # weights are read only to apply the limits
        given = replace(given, weights=None)
    if records is not None and given.weights is None:
        raise InputError(f"records= are shown with the weakest rows, which need {WITH_WEIGHTS}")
    with answer.backend.scope():
        return Report(answer, given, EdgeRecords(answer, records, on))


@suggest_keywords_of_methods
class Report(html.Page):
    """The statistics of an answer, overall and for each component.

    ``len()`` is the number of components.

    See Also
    --------
    Components.report : Return a report.

    Examples
    --------
    >>> import cc_rapids
    >>> edges = [1, 2, 3, 8], [2, 3, 1, 9]
    >>> report = cc_rapids.components(edges).report(edges)
    >>> len(report), report.components().edges
    (2, array([3, 1]))
    """

    def __init__(self, found: Answer, given: EdgeInput, records: EdgeRecords) -> None:
        self._answer, self._records = found, records
        self._index = given.index if has_labels(given.index) else None  # names the weakest rows
        backend, xp = found.backend, found.backend.xp
        src, dst = rows_of_edges(found, given)
        self._ledger = given.rows._replace(linked=int(src.size)).check("the edges of the report")
        component_of_row = found.dense.astype(np.int64)
        _check_inside(src, dst, component_of_row, given, found)
        k, n = len(found), found.forest.vertices
        weights = None if given.weights is None else backend.asarray(given.weights)
        forest_edges = _checked_forest(src, dst, weights, found)
        component_of_edge = component_of_row[src]
        self._edges = backend.counts(component_of_edge, k).astype(np.int64)
        self._count_pairs(src, dst, component_of_row)
        bridges = xp.zeros(0, np.int64)
        if src.size:
            bridges = Reached.of((src, dst), forest_edges, found.least_rows, n, backend).bridges()
            warn_of_both_directions((src, dst), int(bridges.size), n, backend)
        self._bridges = backend.counts(component_of_edge[bridges], k).astype(np.int64)
        self._weakest: _Weakest | None = None
        if weights is not None:
            ends = src, dst
            self._weakest = _weakest(forest_edges, weights, ends, component_of_edge, given, found)

    def _count_pairs(self, src: Array, dst: Array, component_of_row: Array) -> None:
        """Count self-loops, repeated pairs, and the distinct pairs of each component.

        ``src`` and ``dst`` are the rows in the answer of both ends of each edge.
        """
        backend, xp = self._answer.backend, self._answer.backend.xp
        is_pair = src != dst
        low, high = xp.minimum(src, dst)[is_pair], xp.maximum(src, dst)[is_pair]
        n = np.uint64(max(component_of_row.size, 1))
        pairs = xp.sort(low.astype(np.uint64) * n + high.astype(np.uint64))  # a number per pair
        distinct = pairs[begins([pairs], xp)]  # NumPy's unique takes ten times as long
        self._loops = int(src.size - pairs.size)
        self._repeated = int(pairs.size - distinct.size)
        lows = (distinct // n).astype(np.int64)
        self._distinct = backend.counts(component_of_row[lows], len(self)).astype(np.int64)

    def __len__(self) -> int:
        return len(self._answer)

    def __repr__(self) -> str:
        facts = self._facts()
        return (
            f"<Report: {counted(facts['components'], 'component')} of"
            f" {counted(facts['vertices'], 'vertex', 'vertices')},"
            f" {counted(facts['edges'], 'edge')}, {counted(facts['bridges'], 'bridge')}>"
        )

    @property
    def ledger(self) -> dict[str, Any]:
        """The rows of the edges of the report: see :attr:`cc_rapids.Components.ledger`."""
        return self._ledger.facts()

    def _title(self) -> str:
        return TITLE

    def _parts(self) -> list[str]:
        """Return the tables, and the notes below them, as HTML."""
        facts = [(name, _shown(value), MEANINGS[name]) for name, value in self._facts().items()]
        answer, largest = self._answer, slice(0, SHOWN)
        with answer.backend.scope():
            order, to_host = answer.by_size[largest], answer.backend.to_host
            numbers = self._numbers(largest)
            columns = {name: to_host(column).tolist() for name, column in numbers.items()}
            if self._weakest is not None:
                exists = to_host(self._weakest.exists[order]).tolist()
                # rows as text, without thousands separators
                columns["weakest_row"] = list(map(str, columns["weakest_row"]))
                for name in ("weakest_row", "weakest_weight"):
                    values = zip(columns[name], exists, strict=True)
                    columns[name] = [value if has_row else None for value, has_row in values]
            labels = map(str, values_of(answer_column(on_host(sizes(answer, SHOWN)), "labels")))
        cells = [tuple(map(_shown, row)) for row in zip(labels, *columns.values(), strict=True)]
        caption = "all components" if len(self) <= SHOWN else f"the {SHOWN} largest components"
        weakest_tables = []
        if self._weakest is not None:
            weakest_tables = [table_of(f"the weakest rows of {caption}", self.weakest_rows(SHOWN))]
        return [
            html.table("over all", ("number", "value", "what it counts"), facts),
            html.table(caption, ("labels", *columns), cells),
            html.note(COMPONENTS_NOTE + (WEAKEST_NOTE if self._weakest is not None else "")),
            *weakest_tables,
            html.note(f"Ledger of the edges: {self._ledger}."),
        ]

    def overall(self) -> Any:
        """Return the statistics over all components.

        Returns
        -------
        frame of the caller's kind, new, of one row
            The int64 columns are ``components``, ``vertices``, ``edges`` (rows of the list),
            ``repeated`` (rows that name a pair again, in either direction), ``self_loops``,
            ``bridges`` and ``singletons`` (components of one vertex). The float64 columns are
            ``singleton_share`` (the share of components that have one vertex), ``size_min``,
            ``size_q25``, ``size_median``, ``size_q75``, ``size_q99``, ``size_mean`` and
            ``size_max``; they are nan if there are no components.

        See Also
        --------
        Report.components : The statistics of each component.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> pairs = pd.DataFrame({"src": [1, 2, 7], "dst": [2, 1, 7]})
        >>> report = cc_rapids.components(pairs).report(pairs)
        >>> report.overall()[["components", "edges", "repeated", "self_loops", "singleton_share"]]
           components  edges  repeated  self_loops  singleton_share
        0           2      3         1           1              0.5
        """
        answer = self._answer
        with answer.backend.scope():
            asarray = answer.backend.asarray
            facts = self._facts().items()
            columns = {name: answer.home(asarray(np.array([value]))) for name, value in facts}
            return answer.given.answer(answer.given.make_frame(columns))

    def components(self, count: int | None = None) -> Any:
        """Return the statistics of each component, in the order of :meth:`Components.sizes`.

        Parameters
        ----------
        count : int, optional
            The number of components to return, the largest first; all by default.

        Returns
        -------
        frame of the caller's kind, new
            Columns ``labels`` (as in :meth:`Components.labels`), ``size``, ``edges`` (rows of the
            list), ``density`` (the share of vertex pairs that an edge joins, float64; nan for one
            vertex) and ``bridges``. If the edges have weights, columns of the weakest row follow:
            the edge of least weight in the maximum spanning forest, or the first row of several
            such edges. These columns are ``weakest_row``, ``weakest_index`` (the label of the row
            in a pandas index that is not 0 .. m - 1) and ``weakest_weight``. At any higher
            threshold, the component splits. For a component of one vertex, these columns are null,
            or -1 and 0 in arrays.

        Raises
        ------
        InputError
            ``count`` is not a nonnegative integer.

        See Also
        --------
        Report.overall : The statistics over all components.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> pairs = pd.DataFrame({"src": [1, 2, 3, 3], "dst": [2, 3, 1, 4], "w": [9, 7, 5, 8]})
        >>> report = cc_rapids.components(pairs).report(pairs, weight="w")
        >>> report.components().drop(columns="density")
           labels  size  edges  bridges  weakest_row  weakest_weight
        0       1     4      4        1            1               7
        """
        largest = slice(None if count is None else check_count("count", count))
        answer = self._answer
        with answer.backend.scope():
            order = answer.by_size[largest]
            label = answer.kind.columns(answer, "labels", answer.kind.of_component(answer, order))
            numbers = self._numbers(largest)
            if self._weakest is None or answer.given.make_frame is plain_frame:
                return answer.frame(label | numbers)  # arrays have no nulls and no index
            row = answer.home(numbers.pop("weakest_row"))
            weight = answer.home(numbers.pop("weakest_weight"))
            frame = answer.in_memory_frame(label | numbers)
            valid = answer.home(self._weakest.exists[order])
            mask = None if valid.all() else valid
            frame = with_column(frame, "weakest_row", row, mask)
            if self._index is not None:
                labels = spread(labels_at(self._index, row[valid]), valid)
                frame = with_column(frame, "weakest_index", labels, None)
            frame = with_column(frame, "weakest_weight", weight, mask)
            return answer.given.answer(frame)

    def weakest_rows(self, count: int | None = None) -> Any:
        """Return the weakest row of each component, with the records of both ends.

        Parameters
        ----------
        count : int, optional
            The number of components, the largest first; all by default.

        Returns
        -------
        frame, new, of the library of the records, or of the edges if there are no records
            One row for each component with more than one vertex, in the order of
            :meth:`components`. Columns ``from`` and ``to`` are the ends (``from_kind``,
            ``from_id``, ... for composite ids). The label of the component (``labels``),
            ``weight``, ``row``, and the other columns of the records follow, such as ``from_name``
            and ``to_name``. If the edges are arrays and there are no records, the result is a
            dictionary of arrays.

        Raises
        ------
        InputError
            The report has no weights, or a vertex of a row has no record.

        See Also
        --------
        Report.components : The statistics of each component.
        Components.explain_pair : The path between two vertices, with their records.

        Examples
        --------
        >>> import pandas as pd, cc_rapids
        >>> pairs = pd.DataFrame({"src": [1, 2, 3], "dst": [2, 3, 4], "w": [0.9, 0.5, 0.8]})
        >>> people = pd.DataFrame({"id": [1, 2, 3, 4], "name": ["Ann", "Ann L.", "Al", "A."]})
        >>> found = cc_rapids.components(pairs)
        >>> found.report(pairs, weight="w", records=people, on="id").weakest_rows()
           from  to  labels  weight  row from_name to_name
        0     2   3       1     0.5    1    Ann L.      Al
        """
        if self._weakest is None:
            raise InputError(f"this report has no weakest rows, which need {WITH_WEIGHTS}")
        count = None if count is None else check_count("count", count)
        answer, weakest = self._answer, self._weakest
        with answer.backend.scope():
            order = answer.by_size[:count]
            order = order[weakest.exists[order]]
            to_host = answer.backend.to_host
            numbers = {"weight": to_host(weakest.weight[order]), "row": to_host(weakest.row[order])}
            ends = weakest.source[order], weakest.destination[order]
            return self._records.of_edges(*ends, numbers, label="labels")

    def _facts(self) -> dict[str, Any]:
        """Return the statistics over all components by name."""
        answer, k = self._answer, len(self)
        with answer.backend.scope():
            xp, sizes = answer.backend.xp, answer.counts
            singletons = int((sizes == 1).sum())
            facts: dict[str, Any] = {
                "components": k,
                "vertices": answer.forest.vertices,
                "edges": int(self._edges.sum()),
                "repeated": self._repeated,
                "self_loops": self._loops,
                "bridges": int(self._bridges.sum()),
                "singletons": singletons,
                "singleton_share": singletons / k if k else float("nan"),
            }
            values = np.full(len(PERCENTILES), np.nan)
            if k:
                ranks = xp.asarray(list(PERCENTILES.values()), np.float64)
                values = answer.backend.to_host(xp.percentile(sizes, ranks))
            facts |= {name: float(value) for name, value in zip(PERCENTILES, values, strict=True)}
            facts["size_mean"] = answer.forest.vertices / k if k else float("nan")
            facts["size_max"] = float(sizes.max()) if k else float("nan")
            return facts

    def _numbers(self, largest: slice) -> dict[str, Any]:
        """Return the statistics of a slice of the components, largest first, by column name."""
        answer = self._answer
        order = answer.by_size[largest]
        size = answer.counts[order].astype(np.int64)
        pairs = size * (size - 1) / 2
        pairs[size == 1] = float("nan")
        columns = {
            "size": size,
            "edges": self._edges[order],
            "density": self._distinct[order] / pairs,
            "bridges": self._bridges[order],
        }
        if self._weakest is not None:
            weakest = self._weakest
            columns |= {"weakest_row": weakest.row[order], "weakest_weight": weakest.weight[order]}
        return columns


def _caller_rows(rows: Array, given: EdgeInput, answer: Answer) -> Array:
    """Return the caller's row numbers of edges, given their positions among the edges read."""
    if given.row_index is None:
        return rows
    return answer.backend.asarray(given.row_index())[rows].astype(np.int64)


def _check_inside(
    src: Array, dst: Array, component_of_row: Array, given: EdgeInput, answer: Answer
) -> None:
    """Raise an InputError if an edge joins two components; its ends are rows of the answer."""
    across = answer.backend.xp.flatnonzero(component_of_row[src] != component_of_row[dst])
    if across.size:
        row = int(_caller_rows(across[:1], given, answer)[0])
        raise InputError(
            f"{across.size:,} of {counted(src.size, 'edge')}, the first in row {row:,},"
            f" {inflected(across.size, 'joins', 'join')} two components of this answer: pass the"
            " edges that the answer was computed from; for an answer of split() or link_pairs(),"
            " pass only the edges within its components, edges[found.connected(edges)]"
        )


class _Weakest(NamedTuple):
    """The weakest link of each component, as (k,) arrays.

    ``exists`` is False for a component of one vertex. ``source`` and ``destination`` are rows of
    the answer.
    """

    row: Array
    weight: Array
    exists: Array
    source: Array
    destination: Array


def _checked_forest(src: Array, dst: Array, weights: Array | None, answer: Answer) -> Array:
    """Return the positions of the edges of a spanning forest, ascending as Reached needs them.

    If edges have weights, it is a maximum spanning forest. Raise an InputError unless the forest
    has as many trees as the answer has components.
    """
    backend, n = answer.backend, answer.forest.vertices
    if not src.size:
        edges = backend.xp.zeros(0, np.int64)
    elif weights is None:
        edges = backend.xp.sort(any_forest(src, dst, n, backend)[0])
    else:
        edges = forest_of_weights(src, dst, n, weights, greatest=True, backend=backend)
    components, k = n - int(edges.size), len(answer)
    if components != k:
        raise InputError(
            f"the edges join the {n:,} vertices into {counted(components, 'component')},"
            f" but this answer has {k:,}: pass all edges from which the answer was computed"
        )
    return edges


def _weakest(
    forest_edges: Array,
    weights: Array,
    ends: tuple[Array, Array],
    component_of_edge: Array,
    given: EdgeInput,
    answer: Answer,
) -> _Weakest:
    """Return each component's weakest edge of the maximum spanning forest: see WEAKEST_NOTE.

    ``forest_edges`` are the positions of this forest's edges, ascending, and ``ends`` are the rows
    in the answer of both ends of each edge.
    """
    xp, k = answer.backend.xp, len(answer)
    # by component, then by weight
    edges = forest_edges[xp.argsort(weights[forest_edges], kind="stable")]
    edges = edges[xp.argsort(component_of_edge[edges], kind="stable")]
    component = component_of_edge[edges]
    starts = begins([component], xp)
    edges, component = edges[starts], component[starts]
    weakest = _Weakest(
        row=xp.full(k, -1, np.int64),
        weight=xp.zeros(k, weights.dtype),
        exists=xp.zeros(k, bool),
        source=xp.zeros(k, ends[0].dtype),
        destination=xp.zeros(k, ends[1].dtype),
    )
    weakest.row[component] = _caller_rows(edges, given, answer)
    weakest.weight[component] = weights[edges]
    weakest.exists[component] = True
    weakest.source[component] = ends[0][edges]
    weakest.destination[component] = ends[1][edges]
    return weakest


def _shown(value: Any) -> Any:
    """Return a value as a page shows it: integers in full, and None and NaN as a dash.

    Other numbers have one decimal from 1,000 upwards. Smaller ones are rounded to four digits, or
    to more if four digits would look like an integer.

    Examples
    --------
    >>> _shown(1234567.0), _shown(0.123456), _shown(0.999999), _shown(123456.78)
    (1234567, '0.1235', '0.999999', '123,456.8')
    """
    if value is None or value != value:  # NaN
        return "-"
    if not isinstance(value, float) or value in (float("inf"), float("-inf")):
        return value
    if value.is_integer() and abs(value) < MAX_EXACT:
        return int(value)
    if abs(value) >= 1000:
        return f"{value:,.1f}" if abs(value) < MAX_EXACT else f"{value:.4g}"
    texts = (f"{value:.{digits}g}" for digits in range(4, 18))
    return next((text for text in texts if not float(text).is_integer()), str(value))
