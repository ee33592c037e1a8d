"""Insert batches into a state, and create the state before the first batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

from ..algorithms.design import Design
from ..backends import Array, Backend
from ..data import read
from ..data.adapters import adapter_of
from ..data.column import Borrowing
from ..data.edge_input import EdgeInput, ReadRequest, with_vertices
from ..data.end_columns import Side
from ..data.foreign import opened
from ..data.frame_access import collected
from ..data.memory_budget import Budget, bytes_of
from ..data.streams import Cursor, Source
from ..data.text_options import TextOptions
from ..data.weights import weighted
from ..errors import ColumnTypeError, InputError, counted
from ..graph.forest import Forest
from ..ids.growing import Integers, Range
from ..ledger import Reading, lost_rows
from ..solver import choose
from . import inputs
from . import state as batches
from .expiry import Times, times_of
from .kept import KeptForest
from .state import ConnectivityState

EdgeArgs = tuple[Side | None, Side | None, str, TextOptions]  # source, destination, nulls, options


def insert_given(
    state: ConnectivityState,
    given: EdgeInput,
    design: Design | None,
    movable: bool,
    copied: bool = True,
    exact: bool = False,
) -> ConnectivityState:
    """Return the state after one batch; by default, a design is chosen for its size.

    ``movable`` tells whether the first batch determines the backend. If ``copied`` is False and no
    vertex is new, the trees of the old state are modified. An id out of range raises an error that
    names the id. If ``exact`` is True, ids are checked before any edge is linked.
    """
    old = inputs.placed_for(state, given, movable)
    with inputs.BorrowedBatch(old.backend, given) as columns:
        if exact and isinstance(old.index, Range):
            old.index.extend(given, columns, old.backend)  # only for the check of the ids
        after = batches.insert_batch(old, given, columns, design, copied)
        if not after.forest.complete:
            batches.with_vertices(old, given, columns)  # raises an error that names the id
            raise given.changed()  # no id is out of range now, so the columns were modified
        return after


def insert_all(
    state: ConnectivityState,
    edges: Any,
    edge_args: EdgeArgs,
    design: Design | None,
    movable: bool,
    skips: bool,
) -> ConnectivityState:
    """Return the state after many batches, using one copy of the trees.

    Batches are the items of an iterable, or the pieces of files and datasets. The host waits for
    the device only after the last batch. ``movable`` tells whether a state without edges may move
    to the device of a batch. If ``skips`` is True, unreadable files are left out.
    """
    after, buffers = state, _Buffers()
    adapter = adapter_of(edges)
    stream = None
    all_batches: Iterator[EdgeInput]
    if adapter.is_iterable and not skips:
        all_batches = (inputs.read(batch, *edge_args) for batch in edges)
    else:  # for an iterable with ``skips``, _stream_of() raises an error
        stream = _stream_of(edges, edge_args, skips)
        all_batches = _pieces_of_stream(state, stream, edge_args)
    for window in _windows(all_batches):
        old = inputs.placed_for(after, window[0], movable)
        after = _with_window(old, window, state, design, buffers)
    request = ReadRequest(*edge_args[:2])
    total = adapter.rows(edges, request) if stream is None else stream.given
    rows_inserted = after.ledger.given - state.ledger.given
    if total is not None and rows_inserted != total:
        raise lost_rows("the batches", total, rows_inserted)
    after.ledger.check()
    if after is not state and not batches.checked(after).forest.complete:
        n, batch_count = after.forest.n, after.batches - state.batches
        raise InputError(
            f"of {counted(batch_count, 'batch', 'batches')}, at least one contains an id outside"
            f" 0..{n - 1} of num_vertices={n}, so none was inserted: insert the batches one by one"
            " to find that batch, or pass a larger num_vertices=, or vertices= instead"
        )
    files = after.ledger.unreadable_files + len(getattr(stream, "unreadable", ()))
    return replace(after, ledger=after.ledger._replace(unreadable_files=files))


def _with_window(
    state: ConnectivityState,
    window: list[EdgeInput],
    initial: ConnectivityState,
    design: Design | None,
    buffers: _Buffers,
) -> ConnectivityState:
    """Return the state after a window of batches of the same type, without waiting for the device.

    The batches of a small window are concatenated and linked together. The batches of a large
    window are linked one by one. The trees of ``state`` are modified, unless it is ``initial``, the
    state before all windows, whose trees are copied.
    """
    later_columns = [column for batch in window[1:] for column in batch.columns]
    with (
        inputs.BorrowedBatch(state.backend, window[0]) as columns,
        Borrowing(later_columns) as borrowed,
    ):
        # the last batch with rows determines the type of answers
        given = next((batch for batch in reversed(window) if batch.src.size), window[-1])
        given = replace(given, dropped_rows=sum(batch.dropped_rows for batch in window))
        groups = [columns, *(borrowed[k : k + 2] for k in range(0, len(borrowed), 2))]
        batches_per_group = 1
        # all batches in one group
        if len(window) > 1 and sum(batch.src.size for batch in window) <= choose.JOINED_BATCH_EDGES:
            groups = [buffers.end_to_end(state.backend, [*columns, *borrowed])]
            batches_per_group = len(window)
        for group in groups:
            state, ends = batches.with_unchecked_ids(state, given, group, copied=state is initial)
            state = batches.launch_links(state, design, ends[0], ends[1], batches_per_group)
        after = batches.with_output_like(state, given)
        ledger = after.ledger
        for batch in window:
            ledger = ledger.plus(batch.rows)
        return replace(after, ledger=ledger)


def pieces(
    state: ConnectivityState, edges: Any, edge_args: EdgeArgs, expiry: str | None
) -> Iterator[tuple[EdgeInput, Times | None]]:
    """Yield edges of any form in pieces, each with its expiry times.

    The times are None if ``expiry``, the name of their column, is None.
    """
    edges = opened(edges)
    if expiry is not None:
        yield from _pieces_with_times(state, edges, edge_args, expiry)
        return
    adapter = adapter_of(edges)
    source, destination, *_ = edge_args
    if adapter.is_iterable:
        for batch in edges:
            yield inputs.read(batch, *edge_args), None
    elif adapter.is_stream:
        for given in _pieces_of_stream(state, _stream_of(edges, edge_args), edge_args):
            yield given, None
    else:
        given = inputs.read(edges, *edge_args, adapter=adapter)
        # _pieces_of_stream() checks the columns of streams
        if given.formats and source is None and destination is None:
            inputs.check_columns_as_before(given, state.given)
        yield given, None


def _pieces_with_times(
    state: ConnectivityState, edges: Any, edge_args: EdgeArgs, expiry: str
) -> Iterator[tuple[EdgeInput, Times]]:
    """Yield edges, as :func:`.opened` returns them, in pieces with the times of column ``expiry``.

    Raise a ColumnTypeError if the times have another type than the times of the state.
    """
    source, destination, nulls, options = edge_args
    adapter = adapter_of(edges)
    source, destination, _ = inputs.sides(source, destination, count=None)
    request, reading = ReadRequest(source, destination, nulls, options), Reading()
    request = adapter.named(edges, request, expiry)
    chunks = adapter.weighed(edges, request, expiry, reading)  # reads times as weights
    kind = "" if state.kept is None else state.kept.kind
    for chunk in [collected(edges)] if chunks is None else chunks:  # None for one frame
        names = adapter_of(chunk).named(chunk, request, expiry).names
        given = inputs.read(chunk, *names, nulls)
        numbers, kind_of_chunk = times_of(chunk, expiry, kind)
        if given.src.size:
            if kind and kind_of_chunk != kind:
                raise ColumnTypeError(
                    f"expiry times {expiry!r} are {kind_of_chunk}, but earlier times are {kind}:"
                    " cast the column"
                )
            kind = kind_of_chunk
        timed = weighted(given, numbers, f"expiry times {expiry!r}", nulls)
        answers = given.answers or adapter.answers(edges, request)
        times = Times(timed.weights, kind)
        sources = tuple(reading.formats)
        yield replace(timed, weights=None, formats=sources, answers=answers), times


def _stream_of(edges: Any, edge_args: EdgeArgs, skips: bool = False) -> Source:
    """Return the source of files or a dataset."""
    source, destination, _, options = edge_args
    source, destination, _ = inputs.sides(source, destination, count=None)
    return read.source_of(edges, source, destination, options, skips_unreadable=skips or None)


def _pieces_of_stream(
    state: ConnectivityState, stream: Source, edge_args: EdgeArgs
) -> Iterator[EdgeInput]:
    """Yield the edges of a source in pieces, reading one piece ahead."""
    _, _, width = inputs.sides(*stream.names, count=None)
    budget = Budget(bytes_of(None), stream.fixed, readers=stream.readers)
    budget.update("strings", vertices=0, width=width)  # strings take the most memory
    # whether each column of an id is text; None if no earlier ids tell
    kinds = state.index.kinds if state.index.n and not isinstance(state.index, Range) else None
    chunks, rows_read = stream.read_ahead(Cursor(), budget, kinds), 0
    source, destination, nulls, _ = edge_args
    with closing(chunks):  # type: ignore[type-var]
        for number, chunk in enumerate(chunks):
            given = replace(read.read_chunk(chunk, nulls), formats=tuple(stream.formats))
            if source is None and destination is None:
                inputs.check_columns_as_before(given, state.given)
            given = with_vertices(given, chunk.vertices, dense=False)
            rows = given.rows.given
            rows_read += rows
            if chunk.given != rows_read:  # the number of rows so far, by metadata
                raise lost_rows(chunk.path or "the edges", chunk.given or 0, rows_read)
            # the first piece determines the type of answers, even if it is empty
            if not number or rows or given.vertices is not None:
                yield given


def _windows(given: Iterable[EdgeInput]) -> Iterator[list[EdgeInput]]:
    """Yield batches in order, in lists of batches of the same type.

    The batches of a list are borrowed together, because borrowing takes as long for a small batch
    as for a large batch.
    """
    window: list[EdgeInput] = []
    kind, rows, max_rows = None, 0, choose.BATCH_WINDOW_EDGES
    for batch in given:
        batch_kind, rows = _kind_in_window(batch), rows + batch.src.size
        if window and (batch_kind is None or batch_kind != kind or rows > max_rows):
            yield window
            window, rows = [], batch.src.size
        window.append(batch)
        kind = batch_kind
    if window:
        yield window


def _kind_in_window(given: EdgeInput) -> tuple[str, str, bool] | None:
    """Return the type that a window's batches share; None if a batch cannot be concatenated."""
    src, dst = given.src, given.dst
    separate = src.strings or src.key_columns or given.row_offsets or given.vertices is not None
    return None if separate else (src.dtype, dst.dtype, given.on_device)


class _Buffers:
    """Memory for the concatenated columns of a window of batches.

    Each window overwrites the previous window. The copy is launched after the kernels that read the
    previous window, in the same stream, so the copy runs after these kernels.
    """

    def __init__(self) -> None:
        self.buffers: dict[int, Array] = {}

    def end_to_end(self, backend: Backend, columns: list[Any]) -> list[Array]:
        """Return the concatenated sources and the concatenated destinations.

        ``columns`` are the source and the destination of each batch in turn.
        """
        arrays = [backend.asarray(column) for column in columns]
        return [self._joined(backend, side, arrays[side::2]) for side in range(2)]

    def _joined(self, backend: Backend, side: int, arrays: list[Array]) -> Array:
        size, dtype = sum(array.size for array in arrays), arrays[0].dtype
        buffer = self.buffers.get(side)
        if buffer is None or buffer.size < size or buffer.dtype != dtype:
            buffer = self.buffers[side] = backend.empty(size, dtype)
        return backend.xp.concatenate(arrays, out=buffer[:size])


def initial_state(
    backend: Backend,
    count: int | None,
    ids: Any = None,
    movable: bool = True,
    width: int | None = None,
    kept: KeptForest | None = None,
) -> ConnectivityState:
    """Return a state without edges.

    If the number of vertices, ``count``, is given, batches cannot add vertices. ``ids`` are the
    first vertices. ``movable`` tells whether the state is created on the device of ``ids``.
    ``width`` is the number of columns of an id; None if it is unknown. Edges are kept in the
    forest ``kept``, which is empty.
    """
    with backend.scope():
        if count is not None:  # a batch copies the trees, so their memory is counted twice
            backend.check_capacity(
                2 * count * (4 if count < 1 << 32 else 8), f"num_vertices={count:,}"
            )
        index = Integers.empty(backend) if count is None else Range(count)
        forest = batches.grown(Forest(backend, 0, all_present=True), index.n)
        state = ConnectivityState(backend, index, forest, batches.kind_of(read.NOTHING, None))
        state = replace(state, kept=kept)
    if ids is None:
        return state
    given = inputs.vertices(ids, width)
    old = inputs.placed_for(state, given, movable)
    with inputs.BorrowedBatch(old.backend, given) as columns:
        return batches.with_vertices(old, given, columns)[0]
