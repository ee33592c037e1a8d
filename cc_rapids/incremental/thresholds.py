"""Components at several thresholds of the weights, from one pass over the edges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ..algorithms.design import Design
from ..analysis.cuts import CutAnswers, CutTrees, GrowingTrees, Levels
from ..analysis.thresholds import Cuts
from ..backends import Array, Backend
from ..data import read
from ..data.adapters import adapter_of
from ..data.edge_input import EdgeInput, ReadRequest
from ..data.foreign import opened
from ..data.frame_access import collected
from ..data.read import check_text
from ..data.text_options import COMMENTS, TextOptions
from ..data.weight_bound import WeightBound
from ..errors import InputError, NullsError, inflected
from ..graph.edges import Edges
from ..graph.plain_weights import plain_weights
from ..ids.encode import OFFSET, EncodedIds, scan_ids
from ..ids.growing import Range, inverse
from ..ids.pages import mark_ids
from ..kernels import edges as reading
from ..kernels import forest as trees
from ..keywords import suggest_keywords
from ..ledger import Ledger, Reading
from ..options import Options
from ..results.components import Components
from ..results.labels import DEFAULT_KINDS
from ..results.lookup import warn_of_no_edges
from . import inputs
from . import state as batches
from .insertions import initial_state
from .state import ConnectivityState


@suggest_keywords
def components_at(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    *,
    weight: Any = "weight",
    thresholds: Any,
    direction: str = "at_least",
    vertices: Any = None,
    num_vertices: int | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    comment: str | None = COMMENTS,
    format: str | None = None,
    nulls: str = "raise",
    labels: str | None = None,
    design: str | Design = "auto",
    engine: str | None = None,
) -> Cuts[Components]:
    """Find the connected components at several weight thresholds in one pass over the edges.

    A cut is the set of edges with a weight of at least (or at most) a threshold. Every cut includes
    the vertices of all weighted edges and of ``vertices``. An edge whose weight is null or NaN
    raises an error; with ``nulls="drop"``, it is dropped, and so are vertices without any other
    edge.

    Edges are sorted into buckets between thresholds, on the device of the edges. For a frame, each
    bucket is linked into the trees of the next stricter cut. For a stream, each bucket has its own
    trees, which are merged at the end. No edge is read twice. The hooks of all cuts are stored
    once, and the answer at a threshold is built on first access.

    Parameters
    ----------
    edges : frame, pair of arrays, or stream
        A frame or pair of arrays, as for :func:`cc_rapids.components`. Or a stream of frames with a
        weight column: paths or a pattern (one file is in memory at a time), a pyarrow Dataset or
        RecordBatchReader, or an iterable of frames.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`cc_rapids.components`.
    weight : str, or (m,) column or array of numbers
        The name of the weight column, or an array of weights. A stream requires a name. For a
        matrix, the values are the weights. 32-bit floats are compared in 32 bits.
    thresholds : list of numbers
        The thresholds, in any order. Duplicates count once.
    direction : {"at_least", "at_most"}
        Whether a cut contains the edges whose weight is at least, or at most, the threshold.
    vertices : column, array or range, optional
        Vertices to include even if no edge names them.
    num_vertices : int, optional
        The vertices are exactly 0 .. num_vertices - 1.
    nulls : {"raise", "drop"}
        Whether an edge with a null end, or a null or NaN weight, raises an error or is dropped.
    labels : {"min", "max", "dense", "size", ...}, optional
        As for :class:`cc_rapids.Connectivity`.
    design : str or Design
        As for :class:`cc_rapids.Connectivity`.
    engine : {"threads", "cuda"}, optional
        As for :class:`cc_rapids.Connectivity`.

    Returns
    -------
    Cuts
        The components at each threshold. All answers together take 5 bytes per vertex (6 bytes for
        256 thresholds or more), and 8 more bytes per vertex if ids are not integers from a narrow
        range. Each answer that is accessed takes 4 more bytes for every vertex.

        For a frame, the run also allocates 4 bytes for every vertex, 9 bytes for every edge, and a
        copy of the ids of the largest bucket. For a stream, it also allocates 4 bytes for every
        vertex at every threshold.

    Other Parameters
    ----------------
    header, delimiter, encoding, comment, format : optional
        For files, as in :func:`cc_rapids.components`.

    Raises
    ------
    MissingColumnError, ColumnTypeError, NullsError, InputError, DesignError, EngineError
        An argument cannot be used.

    See Also
    --------
    cc_rapids.components : Find the components of all edges.
    cc_rapids.Cuts : The answer and its methods.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> edges = pd.DataFrame({"src": [1, 2, 3], "dst": [2, 3, 4], "weight": [0.9, 0.7, 0.8]})
    >>> cuts = cc_rapids.components_at(edges, thresholds=[0.9, 0.8, 0.7])
    >>> cuts.labels(0.9)["labels"].tolist(), cuts.labels(0.8)["labels"].tolist()
    ([1, 1, 3, 4], [1, 1, 3, 3])
    >>> cuts.merges()
       threshold  before  after  size
    0        0.8       3      3     1
    1        0.8       4      3     1
    2        0.7       1      1     2
    3        0.7       3      1     2
    """
    options = Options.check(nulls=nulls, labels=labels, design=design, engine=engine)
    levels = Levels.of(thresholds, direction)
    batch_design, count = options.batch_design, read.check_vertices(num_vertices, vertices)
    edges = opened(edges, weight)
    source, destination = read.named_ends(edges, source, destination, weight)
    source, destination, width = inputs.sides(source, destination, count)
    runner = options.backend()
    state = initial_state(runner, count, vertices, options.engine is None, width)
    adapter = adapter_of(edges)
    text = TextOptions.check(header, delimiter, encoding, comment, format)
    check_text(adapter, edges, text)
    request, reading = ReadRequest(source, destination, nulls, text), Reading()
    stream = adapter.weighed(edges, request, weight, reading)
    reader = _Reader(
        request,
        weight,
        levels,
        movable=options.engine is None,
        design=batch_design,
        uses_default=options.engine is None and options.named_design is None,
        reading=reading,
        expected_rows=partial(adapter.rows, edges, request),
    )
    if stream is None:  # one frame or pair
        columns = request.columns(weight)
        cuts = reader.frame(collected(edges, columns), state)
    else:
        # Closing the stream of a relation ends its query. A caller's iterator stays open.
        closes_stream = hasattr(stream, "close") and not adapter.is_iterable
        context: Any = closing(stream) if closes_stream else nullcontext()
        with context:
            cuts = reader.stream(stream, state)
    answers = adapter.answers(edges, request)
    sources = tuple(reading.formats)
    if not cuts.facts[0].rows.records:
        warn_of_no_edges(edges)
    given = replace(cuts.given, bound=WeightBound(weight).remembered())
    given = given if answers is None else replace(given, answers=answers)
    given = replace(given, formats=sources) if sources else given
    kind = options.labels or DEFAULT_KINDS[bool(given.src.key_columns)]
    cuts, thresholds = replace(cuts, given=given), levels.values.tolist()
    answers_at_thresholds: CutAnswers[Components] = CutAnswers(
        cuts, thresholds, kind, Components, levels.direction
    )
    return Cuts(answers_at_thresholds, kind)


@dataclass
class _Reader:
    """A reader that sorts edges into the buckets between thresholds, and links the buckets."""

    request: ReadRequest
    weight: Any
    levels: Levels
    movable: bool  # whether the first batch with rows determines the backend
    design: Design  # links the buckets
    uses_default: bool  # whether the caller named neither an engine nor a design
    reading: Reading  # receives the formats of files and the rows that their readers count
    expected_rows: Callable[[], int | None]  # the rows of a stream; None if they are unknown
    ledger: Ledger = batches.NO_LEDGER  # of the frames so far, without the number of linked rows

    def __post_init__(self) -> None:
        self.outside = np.zeros(len(self.levels), np.int64)  # the number of rows outside each cut

    def frame(self, edges: Any, state: ConnectivityState) -> CutTrees:
        """Return the trees of all cuts of a frame.

        Each bucket is linked into the trees of the next stricter cut.
        """
        with self._bucketed(edges, state) as (placed, given, columns, buckets):
            encoded = _with_offsets(placed, given, columns) or _with_ranks(placed, given, columns)
            edges, decoder = encoded.edges, encoded.decoder
            assert decoder is not None
            pick_edges = placed.backend.kernel(reading.pick_edges)
            max_edges = max(rows.size for rows in buckets)
            buffers = [placed.backend.empty(max_edges, end.dtype) for end in (edges.src, edges.dst)]
            count = len(self.levels)
            cut_trees = GrowingTrees(encoded.forest, count, self.design, self.uses_default)
            for rows in buckets:
                src, dst = (end[: rows.size] for end in buffers)
                pick_edges(rows.size, rows, edges.src, edges.dst, src, dst)
                cut_trees.join(Edges(src, dst, edges.low), rows.size)
            if int(placed.backend.to_host(encoded.forest.out_of_range)[0]):
                raise given.changed()  # all ids were in the range of the first reading
            given = batches.with_output_like(placed, given).given
            return cut_trees.grown(given, decoder, encoded.name, self.ledger, self.outside.tolist())

    def stream(self, chunks: Iterator[Any], state: ConnectivityState) -> CutTrees:
        """Return the trees of all cuts of a stream.

        Each bucket has its own trees. At the end, they are merged into the trees of the next
        stricter cut. ``states`` have the trees of the buckets.
        """
        states = [state] * len(self.levels)
        for chunk in chunks:
            with self._bucketed(chunk, state) as (placed, given, columns, buckets):
                if states[0].backend is not placed.backend:  # no edge is linked yet
                    states = [placed] * len(states)
                extended, ends = batches.with_vertices(placed, given, columns, copied=False)
                src, dst = ends[:2]  # declared vertices may follow
                states = [
                    self._link_bucket(extended, bucket, [src[rows], dst[rows]])
                    for bucket, rows in zip(states, buckets, strict=True)
                ]
                state = replace(extended, edges=extended.edges + src.size)
        index = state.index
        with state.backend.scope():
            ranks = _ranks(state)
            cut_trees = GrowingTrees(state.forest, len(states), self.design, self.uses_default)
            for bucket in states:
                cut_trees.join(Edges(ranks, ranks[bucket.forest.parent], low=0), bucket.edges)
            decoder, rows = index.decoder(state.given), self._ledger_of_source()
            return cut_trees.grown(
                state.given, decoder, index.description, rows, self.outside.tolist()
            )

    def _ledger_of_source(self) -> Ledger:
        """Return the ledger of all rows of a stream; the source counts the rows if it can."""
        if self.reading.formats:
            # ``reading.ledger`` has the rows that the readers of files have counted
            return self.reading.ledger.plus(self.ledger._replace(given=0))
        rows = self.expected_rows()
        if rows is None:
            return self.ledger._replace(unchecked=True)
        return self.ledger._replace(given=rows)

    def _link_bucket(
        self, extended: ConnectivityState, bucket: ConnectivityState, ends: list[Array]
    ) -> ConnectivityState:
        """Return the state of a bucket with edges linked, and with the vertices of ``extended``."""
        forest = batches.grown(bucket.forest, extended.forest.n)
        state = replace(extended, forest=forest, edges=bucket.edges)
        return batches.insert(state, self.design, *ends)

    @contextmanager
    def _bucketed(
        self, edges: Any, state: ConnectivityState
    ) -> Iterator[tuple[ConnectivityState, EdgeInput, list[Any], list[Array]]]:
        """Yield the state on the backend of the edges, the input, its ids, and the buckets.

        The ids are two columns of the ends of edges with a valid weight, and a third column if the
        caller declares vertices. A bucket is an array of rows of the first two.
        """
        given, weights, valid = self._read(edges)
        placed = inputs.placed_for(state, given, self.movable)
        with inputs.BorrowedBatch(placed.backend, given) as columns:
            self.movable = self.movable and not given.src.size  # the first rows fix the backend
            weights = placed.backend.asarray(weights)
            if valid is not None:
                valid = placed.backend.asarray(valid)
                ends = [inputs.rows(column, valid, placed.backend) for column in columns[:2]]
                columns, weights = [*ends, *columns[2:]], weights[valid]
            yield placed, given, columns, self._buckets(weights, placed.backend)

    def _buckets(self, weights: Array, backend: Backend) -> list[Array]:
        """Return the bucket of each cut: the rows of its edges that are not in a stricter cut.

        The rows of a bucket are in ascending order.
        """
        with backend.reusing():
            cuts = self.levels.cuts_of(weights, backend)
            self.outside += self.levels.count_outside(cuts, backend)
            order = backend.xp.argsort(cuts, kind="stable")
            bounds = self.levels.bounds_of(cuts[order], backend)
        return [order[start:end] for start, end in pairwise(bounds)]

    def _read(self, edges: Any) -> tuple[EdgeInput, Any, Any]:
        """Return the edges, their weights, and a mask of valid weights (None if all are valid)."""
        sides = adapter_of(edges).named(edges, self.request, self.weight)
        given = inputs.read(edges, *sides.names, self.request.nulls)
        wait_for_weights = plain_weights(adapter_of(edges), edges, self.weight)
        values, valid = wait_for_weights() or adapter_of(edges).weights(edges, self.weight)
        if given.row_index is not None:  # reading the ends has left out rows
            rows = given.row_index()
            values, valid = values[rows], None if valid is None else valid[rows]
        if values.size != given.src.size:
            raise InputError(
                f"there are {values.size:,} weights and {given.src.size:,} edges: pass one weight"
                " for each edge"
            )
        missing = 0 if valid is None else int((~valid).sum())
        if missing and self.request.nulls == "raise":
            raise NullsError(
                f"{missing:,} of {values.size:,} weights {inflected(missing, 'is', 'are')} null or"
                " nan: fill such weights, or drop their edges with nulls='drop'"
            )
        dropped = given.dropped_rows + missing
        self.ledger = self.ledger.plus(given.rows.leaving_out("null_weight", missing))
        return replace(given, dropped_rows=dropped), values, valid if missing else None


def _with_offsets(
    state: ConnectivityState, given: EdgeInput, columns: list[Any]
) -> EncodedIds | None:
    """Return the edges with encoded ids: the vertex of an id is its distance from the least id.

    No edge is linked yet, and all ids are marked as present. Return None if the state has vertices
    or a fixed number of vertices, if ``vertices=`` adds a third column, if ids are not integers, or
    if their range is so wide that a pass over the range at each cut would take too long.
    """
    backend = state.backend
    if state.index.n or isinstance(state.index, Range) or len(columns) > 2:
        return None
    scanned = scan_ids(given, columns, backend)
    ids = scanned.facts.id_range
    if not 0 < ids.size <= scanned.facts.rows:  # strings have an empty range
        return None
    encoded = OFFSET.encode(scanned, backend)
    forest = encoded.forest
    for column in scanned.columns:
        mark_ids(column, ids, forest.present, forest.out_of_range, backend)
    backend.kernel(trees.init_singletons, forest.vertex)(forest.n, forest.parent)
    return encoded


def _with_ranks(state: ConnectivityState, given: EdgeInput, columns: list[Any]) -> EncodedIds:
    """Return the edges with each id encoded as its rank among all ids."""
    extended, ends = batches.with_vertices(state, given, columns, copied=False)
    index, forest = extended.index, extended.forest
    if index.places is not None:
        ranks = _ranks(extended)
        ends = [ranks[end] for end in ends]
    decoder = index.decoder(extended.given)
    return EncodedIds(Edges(ends[0], ends[1], 0), forest, index.description, forest.n, decoder)


def _ranks(state: ConnectivityState) -> Array:
    """Return the rank of the id of each vertex among all ids."""
    places, backend = state.index.places, state.backend
    return backend.xp.arange(state.forest.n) if places is None else inverse(places, backend)
