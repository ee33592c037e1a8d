"""Components at several thresholds of the weights, from one pass over the edges."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from ..algorithms.design import Design
from ..backends import Array
from ..data import read
from ..data.arguments import check_word
from ..data.dtypes import is_float
from ..data.edge_input import EdgeInput, ReadRequest
from ..data.frame_access import column_of, names_of, numbers_of
from ..data.read import adapter_of, check_header_flag
from ..errors import InputError, MissingColumnError, NullsError, unknown
from ..options import Options
from ..results.thresholds import Cuts
from . import inputs
from . import state as batches
from .connectivity import snapshot
from .insertions import initial_state
from .state import ConnectivityState

DIRECTIONS = ("at_least", "at_most")


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
    nulls: str = "raise",
    labels: str = "min",
    design: str | Design = "auto",
    engine: str | None = None,
) -> Cuts:
    """Find the connected components at several cuts: of the edges with weight >= each threshold.

    Every vertex of an edge that has a weight is included at every threshold, as a component of its
    own if no edge reaches it; so are ``vertices``. Edges without a weight are dropped with their
    vertices. Edges are sorted into the buckets between thresholds. For a frame, each bucket is
    joined to the trees of the stricter cut; for a stream, each has its own trees, which are joined
    at the end. In both cases no edge is read twice.

    Parameters
    ----------
    edges : frame, pair of arrays, or stream
        A frame or pair of arrays as for :func:`cc_rapids.components`, not changed; or a stream:
        paths or a pattern (one file is in memory at a time), a pyarrow dataset or
        RecordBatchReader, or an iterable of frames, each with the column of weights. Several
        columns per side form one id.
    source, destination : str, or lists of str of equal length, optional
        As for :func:`cc_rapids.components`.
    weight : str, or (m,) column or array of numbers
        The column of weights; for a stream, its name. 32-bit floats are compared as such.
    thresholds : list of numbers
        The thresholds, in any order; equal ones count once.
    direction : {"at_least", "at_most"}
        Whether a cut contains the edges with a weight of at least, or at most, its threshold.
    vertices : column, array or range, optional
        Vertices to include even if no edge names them.
    num_vertices : int, optional
        The vertices are exactly 0 .. num_vertices - 1.
    nulls : {"raise", "drop"}
        What to do with an edge that has a null end or a weight that is null or nan.
    labels : {"min", "max", "dense", "size", ...}
        As for :class:`cc_rapids.Connectivity`.
    design : str or Design
        As for :class:`cc_rapids.Connectivity`.
    engine : {"threads", "cuda"}, optional
        As for :class:`cc_rapids.Connectivity`.

    Returns
    -------
    Cuts
        The components at each threshold. They take 8 bytes per vertex for each threshold, and
        without ``num_vertices`` 12 more bytes per vertex.

    Other Parameters
    ----------------
    header : bool, optional
        For text files, as in :func:`cc_rapids.components`.

    Raises
    ------
    MissingColumnError, ColumnTypeError, NullsError, InputError, DesignError, EngineError
        An argument cannot be used.

    See Also
    --------
    cc_rapids.components : Find the components of all edges, whatever their weights.
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
    levels = _levels(thresholds, direction)
    chosen, count = options.batch_design, read.check_vertices(num_vertices, vertices)
    source, destination, width = inputs.sides(source, destination, count)
    runner = options.backend()
    state = initial_state(runner, count, vertices, options.engine is None, width)
    adapter = adapter_of(edges)
    if header is not None:
        header = check_header_flag(adapter, edges, header)
    request, taken = ReadRequest(source, destination, nulls, header), list[Any]()
    stream = adapter.weighed(edges, request, weight, taken)
    reader = _Reader(
        *request.names, weight, nulls, levels, direction, options.engine is None, chosen
    )
    states = reader.frame(edges, state) if stream is None else reader.stream(stream, state)
    if taken:
        states = [replace(s, given=replace(s.given, taken=tuple(taken))) for s in states]
    found = {
        t: snapshot(s, chosen, options.labels) for t, s in zip(levels.tolist(), states, strict=True)
    }
    return Cuts(found, options.labels)


def _levels(thresholds: Any, direction: str) -> Any:
    """Return the thresholds, the strictest first."""
    check_word("direction", direction, DIRECTIONS)
    levels, there = numbers_of(thresholds, "thresholds")
    if hasattr(levels, "get"):
        levels, there = levels.get(), there.get()
    if not levels.size:
        raise InputError("thresholds must be one number or more, and these are empty")
    if not there.all():
        raise InputError("a threshold is null or nan, which no weight reaches: leave it out")
    levels = np.unique(levels)
    return levels[::-1] if direction == "at_least" else levels


class _Reader:
    """A reader of edges into the buckets between thresholds, and of these into trees."""

    def __init__(
        self,
        source: Any,
        destination: Any,
        weight: Any,
        nulls: str,
        levels: Any,
        direction: str,
        free: bool,
        design: Design,
    ) -> None:
        self.names, self.weight, self.nulls = (source, destination), weight, nulls
        self.levels, self.sign, self.free = levels, direction == "at_least", free
        self.design = design

    def frame(self, edges: Any, state: ConnectivityState) -> list[ConnectivityState]:
        """Return the state at each cut, each from that of the stricter one."""
        states: list[ConnectivityState] = []
        with self._numbered(edges, state) as (state, ends, buckets):
            for number in range(self.levels.size):
                state = self._joined(state, state, ends, buckets == number)
                states.append(state)
        return states

    def stream(self, chunks: Iterator[Any], state: ConnectivityState) -> list[ConnectivityState]:
        """Return the states of a stream: trees of each bucket, merged with stricter ones."""
        states = [state] * self.levels.size
        for chunk in chunks:
            with self._numbered(chunk, state) as (state, ends, buckets):
                if states[0].backend is not state.backend:  # nothing is joined yet
                    states = [state] * len(states)
                states = [
                    self._joined(state, own, ends, buckets == number)
                    for number, own in enumerate(states)
                ]
                state = replace(state, edges=state.edges + int(buckets.size))
        with state.backend.scope():
            for i in range(len(states)):
                states[i] = self._folded(state, states[max(i - 1, 0)], states[i])
        return states

    def _folded(
        self, every: ConnectivityState, stricter: ConnectivityState, bucket: ConnectivityState
    ) -> ConnectivityState:
        """Return the trees of both over all vertices.

        Each vertex is joined to its parent in the stricter trees.
        """
        edges = bucket.edges if stricter is bucket else stricter.edges + bucket.edges
        own = stricter.forest.parent
        numbers = every.backend.xp.arange(own.size, dtype=own.dtype)
        kept = slice(0) if stricter is bucket else slice(None)
        joined = self._joined(every, bucket, [numbers[kept], own[kept]], None)
        return replace(joined, edges=edges)

    def _joined(
        self, every: ConnectivityState, own: ConnectivityState, ends: list[Array], mask: Any
    ) -> ConnectivityState:
        """Return a copy of the trees of a cut, with all vertices so far and more edges joined."""
        forest = batches.grown(own.forest, every.forest.n)
        src, dst = ends if mask is None else (end[mask] for end in ends)
        state = replace(every, forest=forest, edges=own.edges, batches=own.batches)
        return batches.insert(state, self.design, src, dst)

    @contextmanager
    def _numbered(
        self, edges: Any, state: ConnectivityState
    ) -> Iterator[tuple[ConnectivityState, list[Array], Array]]:
        """Yield the state with the vertices of all edges that have a weight, these, and buckets.

        Each edge has the number of its bucket.
        """
        given, buckets = self._read(edges)
        with inputs.borrow_for(state, given, self.free) as (old, columns):
            self.free = self.free and not given.src.size  # the others go where this chunk is
            buckets = old.backend.asarray(buckets)
            there = buckets >= 0
            ends = columns[:2]
            if not bool(there.all()):
                ends = [inputs.rows(column, there, old.backend) for column in ends]
                buckets = buckets[there]
            named, numbers = batches.with_vertices(old, given, [*ends, *columns[2:]], copied=False)
            state = replace(named, batches=old.batches + 1)
            yield state, numbers[:2], buckets

    def _read(self, edges: Any) -> tuple[EdgeInput, Any]:
        """Return the edges, and the bucket of each.

        It is the number of the strictest cut that contains the edge, one beyond the last if none
        does, and -1 for an edge without a weight.
        """
        given = inputs.read(edges, *self.names, self.nulls)
        values, there = self._weights(edges)
        if given.row_index is not None:
            kept = given.row_index()
            values, there = values[kept], there[kept]
        if values.size != given.src.size:
            raise InputError(
                f"there are {values.size:,} weights and {given.src.size:,} edges: pass one weight"
                " for each edge"
            )
        missing = int((~there).sum())
        if missing and self.nulls == "raise":
            raise NullsError(
                f"{missing:,} of {values.size:,} weights are null or nan: fill them, or drop these"
                " edges with nulls='drop'"
            )
        levels = self.levels.astype(values.dtype) if is_float(values.dtype) else self.levels
        buckets = np.full(values.size, self.levels.size, np.int32)
        on_device = hasattr(values, "__cuda_array_interface__")
        host, here = (array.get() if on_device else array for array in (values, there))
        for number in reversed(range(levels.size)):
            level = levels[number]
            buckets[host >= level if self.sign else host <= level] = number
        buckets[~here] = -1
        dropped = given.dropped_rows + missing
        return replace(given, dropped_rows=dropped), buckets

    def _weights(self, edges: Any) -> tuple[Any, Any]:
        """Return the weights, and a mask of those that are not null."""
        column = self.weight
        if isinstance(column, str):
            known = names_of(edges)
            if column not in known:
                raise MissingColumnError(
                    f"{unknown('column', column, map(str, known))}; name the column of weights with"
                    " weight=, or pass the weights themselves"
                )
            column = column_of(edges, column)
        return numbers_of(column, "weights")
