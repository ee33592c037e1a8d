"""Adapters, one per kind of edges: frames, pairs, graphs, matrices, files and streams.

The first adapter in :data:`ADAPTERS` that accepts the edges reads them; no other code looks at the
type of edges. Frames of cuDF are read directly, and all other frames through narwhals. Input is
never changed, and not copied if its memory can be read directly.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from copy import copy
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from ..errors import (
    ColumnTypeError,
    GraphStateError,
    InputError,
    MissingColumnError,
    NullsError,
    counted,
    shown,
    unknown,
)
from ..keywords import suggest_keywords_of_methods
from ..ledger import Ledger, Reading
from . import relations
from .arguments import check_names, check_word, local
from .column import (
    REFUSE,
    REMEDIES,
    Column,
    as_series,
    chunked,
    column_where,
    common_rows,
    ends_of_columns,
    is_cudf,
    is_cudf_frame,
    is_series,
    length_of,
    moved,
    of,
    of_cudf,
    of_series,
    refuse_twice,
    type_name_of,
    unchecked,
)
from .cudf_columns import WithoutNan, make_frame, numbers_in, numbers_of
from .cugraph_graphs import check_state, edge_count, edge_frame, is_graph, numbering, vertex_list
from .edge_array import as_array, ends_of, is_edge_array
from .edge_input import (
    EdgeInput,
    ReadRequest,
    check_range,
    checked_names,
    lists_of_ends,
    plain_frame,
    with_vertices,
)
from .end_columns import Side, end_columns, place_of, sides_of
from .foreign import check_square, entries_of, is_always_converted, opened
from .frame_access import collected, columns_of, key_width
from .frame_build import rows_where_true
from .kinds import DESTINATION, SOURCE, Graph, KeyPairs, speaks_arrow
from .lazy import cudf, nw, pa, pc, pd
from .memory_budget import Budget, bytes_of
from .pair_lists import are_batches, check_columns_of_tuple, columns_of_pairs
from .row_index import check_same_index, index_of
from .text_options import NO_OPTIONS, TextOptions
from .weight_bound import Bounded, WeightBound, ledger_of
from .weights import true_rows, weights_of

if TYPE_CHECKING:
    from .files.input_file import ColumnRequest
    from .files.read import EdgeFile
    from .streams import Items, Source

DEVICE = "__cuda_array_interface__"

Sides = tuple[list[str], list[str]]  # the columns of sources, and the columns of destinations
Ends = tuple[Side | None, Side | None]  # the columns of each end; None for an end without a name


def read_table(edges: Any, source: list[str], destination: list[str], nulls: str) -> EdgeInput:
    """Read the named id columns of a frame of any library as edges."""
    adapter = CUDF_FRAMES if is_cudf_frame(edges) else FRAMES
    return adapter.read(edges, ReadRequest(source, destination, nulls))


def _table_of(edges: Any) -> Any:
    """Return an Arrow object, such as a record batch, as a table; otherwise raise an InputError."""
    table = chunked(edges)
    if table is not edges and hasattr(table, "column_names"):
        return table
    shape = getattr(table, "shape", None)
    hint = f" of shape {shape}" if isinstance(shape, tuple) else ""
    raise InputError(
        f"edges cannot be a {type(table).__name__}{hint}: {_advice(edges)}pass a frame of cuDF,"
        " pandas, Polars or PyArrow, a DuckDB relation (connection.sql(...)), a pair of arrays"
        " (source, destination), a list of pairs, a sparse matrix, a file's path, or an open file"
    )


def _advice(edges: Any) -> str:
    """Return advice on how to convert an object to edges, as part of an error; "" if unknown."""
    if isinstance(edges, set | frozenset) or is_series(edges):
        return "if each item is a pair, pass list(edges); or "
    if isinstance(edges, bytes | bytearray | memoryview):
        return "if these are the bytes of a file, pass io.BytesIO(edges); or "
    if hasattr(type(edges), "component_of"):  # an answer, such as Components
        is_linked_records = hasattr(type(edges), "articulation_points")
        call = ", or call its articulation_points(records)" if is_linked_records else ""
        return f"pass the edges whose components these are{call}; or "
    if callable(getattr(edges, "open", None)):
        return "if this is a file, pass edges.open('rb'); or "
    names = "compute", "to_pandas", "to_numpy", "to_arrow", "to_list"
    name = next((name for name in names if hasattr(edges, name)), None)
    return f"try edges.{name}(), or " if name else ""


def _select_unique(edges: Any, names: Sequence[str]) -> Any:
    """Return the named columns that a frame has; raise an InputError if two have one name."""
    columns = list(getattr(edges, "column_names", None) or edges.columns)
    for name in names:
        refuse_twice(name, columns)
    requested = [name for name in names if name in columns]
    return edges.select(requested) if hasattr(edges, "column_names") else edges[requested]


def _check_names(columns: list[Any], source: list[str], destination: list[str]) -> None:
    """Raise an error unless all columns of ids exist, and both ends have different columns."""
    for name in [*source, *destination]:
        if name not in columns:
            message = unknown("column", str(name), map(str, columns))
            raise MissingColumnError(
                f"{message}; name the two columns of ids by source= and destination="
            )
    if source == destination:
        raise InputError(
            f"source and destination are both {', '.join(map(repr, source))}: an edge has two ends,"
            f" in two columns of {', '.join(map(str, columns))}"
        )


@cache
def _cudf_maker(kind: Any) -> Callable[[dict[str, Any]], Any]:
    """Return a function that makes frames of a cuDF class; callers compare it with ``is``."""
    return partial(make_frame, kind)


def _edges_of(
    columns: list[Column],
    nulls: str,
    make_frame: Callable[..., Any],
    on_device: bool = False,
    index: Any = None,
) -> EdgeInput:
    """Return columns as edges: first those of the sources, then as many of the destinations.

    Drop the edges with a null end if ``nulls`` is "drop"; otherwise raise a NullsError for them.
    The other arguments are attributes of the :class:`EdgeInput`.
    """
    dropped_rows, row_index = 0, None
    has_both_ends = common_rows(columns)  # None if no end is null
    if has_both_ends is not None and nulls == "drop":
        dropped_rows, row_index = int((~has_both_ends).sum()), partial(true_rows, has_both_ends)
        columns = [column.where(has_both_ends) for column in columns]
    elif has_both_ends is not None:
        for column in columns:
            column.checked(REMEDIES[nulls])
    return EdgeInput(
        *(*ends_of_columns(columns), make_frame, on_device),
        dropped_rows=dropped_rows,
        row_index=row_index,
        index=index,
    )


@cache
def _frame_maker(library: Any) -> Callable[[dict[str, Any]], Any]:
    """Return a function that makes frames of a library, which is a ``narwhals.Implementation``."""
    if library.is_pandas():  # no copy: the columns are new, and nothing else uses them
        return partial(pd.DataFrame, copy=False)
    return partial(_make_frame, library)


def _make_frame(library: Any, columns: dict[str, Any]) -> Any:
    """Make a frame of a library from columns; narwhals accepts ``library`` as a backend."""
    return nw.from_dict(columns, backend=library).to_native()


def answers_like(frame: Any) -> tuple[Callable[[dict[str, Any]], Any], bool]:
    """Return a function that makes frames like ``frame``, and whether ``frame`` is on a GPU.

    For a dictionary of columns, the function makes dictionaries.
    """
    if isinstance(frame, dict):
        on_device = any(is_cudf(column) or hasattr(column, DEVICE) for column in frame.values())
        return dict, on_device
    if is_cudf_frame(frame):
        kind: Any = type(frame)
        return _cudf_maker(kind), True
    try:
        whole = nw.from_native(chunked(frame))
    except nw.exceptions.DuplicateError:
        whole = nw.from_native(_select_unique(frame, []))
    return _frame_maker(whole.implementation), False


@suggest_keywords_of_methods
@dataclass(frozen=True)
class Csr:
    """An adjacency list: vertex i is linked to ``indices[offsets[i]:offsets[i + 1]]``.

    Parameters
    ----------
    offsets : (n + 1,) array or series of integers
    indices : (m,) array or series of integers, of the same library
    symmetric : bool
        Whether every edge is in the rows of both its ends; whole rows can then be skipped. The
        value is not checked.

    See Also
    --------
    components : Find the components of an adjacency list.
    """

    offsets: Any
    indices: Any
    symmetric: bool = False


def read_csr(rows: Csr, name: str = "offsets") -> EdgeInput:
    """Return an adjacency list as edges, with one vertex per row.

    Both id columns are the indices, because the offsets, called ``name``, give the sources. Their
    values are checked later, on their device, by :func:`cc_rapids.graph.edges.check_offsets`.
    """
    edge_input = _of_columns(["indices"] * 2, [rows.indices] * 2, nulls=REFUSE)
    offsets = of(name, rows.offsets)
    if offsets.strings:
        raise ColumnTypeError(
            f"{name} are strings, but must be integers that give the beginning of each row"
        )
    edge_input = replace(edge_input, row_offsets=offsets, symmetric=rows.symmetric)
    return with_vertices(edge_input, range(max(len(rows.offsets) - 1, 0)), dense=True)


def _of_columns(names: Sequence[str], columns: Sequence[Any], nulls: str) -> EdgeInput:
    """Return named columns as edges: first those of the sources, then as many of the destinations.

    If all columns are series of one library, answers are frames of this library. Otherwise answers
    are arrays, or tables of PyArrow or cuDF for ids of several columns. ``nulls`` is the policy for
    null ends: see :class:`ReadRequest`.
    """
    columns = [
        as_array(column)  # of a tensor
        if is_edge_array(column) and not hasattr(column, "__array__")
        else chunked(column)
        for column in columns
    ]
    width = len(columns) // 2
    of_one_library = is_series(columns[0]) and len(set(map(type, columns))) == 1
    on_device = any(is_cudf(column) or hasattr(column, DEVICE) for column in columns)
    if on_device and width > 1:
        frame = cudf.DataFrame(dict(zip(names, columns, strict=True)))
        return read_table(frame, list(names[:width]), list(names[width:]), nulls)
    index = index_of(columns[0]) if of_one_library else None
    if of_one_library and on_device:
        _check_lengths(names, columns)
        left, right = (series.reset_index(drop=True) for series in columns)
        frame = cudf.DataFrame({SOURCE: left, DESTINATION: right})  # ``names`` may be equal
        edge_input = CUDF_FRAMES.read(frame, ReadRequest(None, None, nulls), names)
        return replace(edge_input, index=index)
    ids = [unchecked(name, column) for name, column in zip(names, columns, strict=True)]
    _check_lengths(names, ids)
    make_frame: Callable[..., Any] = plain_frame
    if of_one_library:
        make_frame = _frame_maker(nw.from_native(columns[0], series_only=True).implementation)
    elif width > 1:
        make_frame = partial(_make_frame, "pyarrow")
    else:
        ids = list(map(_answered_as_array, ids, columns))
    return _edges_of(ids, nulls, make_frame, on_device, index)


def _check_lengths(names: Sequence[str], columns: Sequence[Any]) -> None:
    """Raise an InputError unless all columns have the length of the first."""
    sizes = [column.size if hasattr(column, "size") else len(column) for column in columns]
    for name, size in zip(names, sizes, strict=True):
        if size != sizes[0]:
            raise InputError(
                f"{names[0]!r} has {sizes[0]:,} ids and {name!r} has {size:,}: both ends of each"
                " edge are needed"
            )


def _answered_as_array(ids: Column, values: Any) -> Column:
    """Return ``ids``, read from ``values``, for answers that are arrays.

    Strings of a series become an array of objects; strings of cuDF, which CuPy cannot hold, do not.
    """
    if ids.strings and is_series(as_series(values)) and not is_cudf(values):
        return replace(ids, to_native=_object_array)
    return ids


def _object_array(strings: Any, all_strings: Any) -> Any:
    """Return strings of PyArrow as an array of objects, for :attr:`Column.to_native`."""
    return np.array(strings.to_pylist(), object)


class Adapter:
    """A reader of one kind of edges."""

    by_type = False  # whether accepts() depends only on the type; it is then called once per type
    opens = False  # whether foreign.opened() is called first: it converts some or all edges
    may_repeat = False  # whether an edge may be stored in both directions, as in a matrix
    is_stream = False  # whether the edges can be read only in chunks
    is_iterable = False  # whether iterating over the edges yields batches
    names_files = False  # whether the edges are paths, which can be read in chunks
    has_header = False  # whether the edges may be text with a header
    has_rows = False  # whether the edges are rows in memory, so that where() can select some
    becomes_table = False  # whether a stream has a fixed row order, so that it can become a table
    subject = "the frame"  # the name of the edges in messages about columns
    types: Any = ()  # the types of the edges, unless accepts() is overridden

    def accepts(self, edges: Any) -> bool:
        """Return whether edges are of this kind, without importing their library."""
        return isinstance(edges, self.types)

    def read(self, edges: Any, request: ReadRequest) -> EdgeInput:
        """Return all edges, checked; this default reads a frame of any library."""
        return read_table(edges, *request.sides, request.nulls)

    def source(self, edges: Any, request: ReadRequest) -> Source:
        """Return the edges as a stream of chunks; raise an InputError if this is impossible."""
        raise InputError(
            f"a {type(edges).__name__} cannot be read in chunks: pass paths or a pattern, a pyarrow"
            " dataset or RecordBatchReader, or an iterable of frames or of pairs of arrays"
        )

    def ends(self, edges: Any, source: Any, destination: Any, weight: Any = None) -> Ends:
        """Return the columns of both ends: the given columns, or columns chosen by their names.

        If both ends are given, they are returned unchanged. The column ``weight`` is not chosen as
        an end: see :func:`cc_rapids.data.end_columns.end_columns`.
        """
        if source is not None and destination is not None:
            return source, destination
        if source is not None or destination is not None:
            check_names("source=", source)
            check_names("destination=", destination)
            if isinstance(source, list) or isinstance(destination, list):
                return source, destination
        names = self.column_names(edges)
        if names is None:
            return source, destination
        weight = weight if isinstance(weight, str | int) else None  # an array is no column
        return end_columns(self.subject, tuple(names), source, destination, weight)

    def named(self, edges: Any, request: ReadRequest, weight: Any = None) -> ReadRequest:
        """Return the request with columns for both ends; :meth:`ends` chooses missing ones."""
        if request.source is not None and request.destination is not None:
            return request
        source, destination = self.ends(edges, request.source, request.destination, weight)
        return replace(request, source=source, destination=destination)

    def column_names(self, edges: Any) -> Sequence[Any] | None:
        """Return the column names; None if there are none, or only an opened file has them."""
        return None

    def answers(self, edges: Any, request: ReadRequest) -> Callable[[Any], Any] | None:
        """Return a function that converts frames in memory to answers; None if none is needed."""
        return None

    def weighed(
        self, edges: Any, request: ReadRequest, weight: Any, reading: Reading
    ) -> Iterator[Any] | None:
        """Return frames of the ends and weights of the edges; None if edges are one frame or pair.

        ``weight`` is the column of weights. The formats and the row counts of files are added to
        ``reading``.
        """
        return None

    def rows(self, edges: Any, request: ReadRequest) -> int | None:
        """Return the number of edges without reading the edges; None if this is impossible."""
        return None

    def columns(self, edges: Any) -> Sequence[Any]:
        """Return the columns of edges in memory, or the edges themselves if they are one object."""
        return [edges]

    def collected(self, edges: Any, names: Sequence[str] | None = None) -> Any:
        """Return edges in memory, with only the named columns if these take time to collect."""
        return collected(edges, names)

    def in_memory(
        self, edges: Any, request: ReadRequest, weight: Any, reading: Reading
    ) -> tuple[Any, tuple[Any, Any] | None]:
        """Return edges as rows in memory, and, if they become a table, its columns of both ends.

        Files and streams become a table, and lazy frames are collected. For ids of several columns,
        each end is a list. The formats and the row counts of files are added to ``reading``.
        """
        request = self.named(edges, request, weight)
        tables = self.weighed(edges, request, weight, reading)
        if tables is None:
            return self.collected(edges, request.columns(weight)), None
        parts = list(tables)
        if not all(isinstance(part, pa.Table) for part in parts):
            raise InputError(
                f"edges are a {type(edges).__name__} of frames, but all rows are needed in memory"
                " here: read them into one frame"
            )
        not_empty = [part for part in parts if len(part)]
        try:
            table = pa.concat_tables(not_empty or parts[:1], promote_options="permissive")
        except pa.ArrowTypeError as error:
            raise InputError(
                f"the files of {shown(edges)} hold columns of different types, but all rows are"
                f" needed in one table here: store the columns with one type ({error})"
            ) from error
        request = FRAMES.named(table, request, weight)
        return table, request.sides if request.has_lists else request.names

    def bounded(self, edges: Any, request: ReadRequest, bound: WeightBound) -> Bounded:
        """Return the edges with weights within a bound; raise an error without numeric weights."""
        raise InputError(
            f"at_least= and at_most= are for frames, pairs of arrays, files and datasets, but edges"
            f" are a {type(edges).__name__}: pass a frame with a column of weights"
        )

    def weights(self, edges: Any, weight: Any) -> tuple[Any, Any]:
        """Return the weights of edges as an array, and a mask that is False for nulls and NaN.

        ``weight`` is a column name or an array. Raise an InputError, MissingColumnError or
        ColumnTypeError if the edges have no rows, no such column, or no numbers in it.
        """
        raise InputError(
            "weights belong to the rows of frames, pairs of arrays and files, but edges are a"
            f" {type(edges).__name__}: pass a frame with a column of weights"
        )

    def mask(self, edges: Any, bound: WeightBound) -> tuple[Any, Ledger]:
        """Return a boolean array of the edges within a bound, and a ledger of all edges.

        The array is on the device of the edges, and has one value for each edge.
        """
        mask, ledger = self._mask(edges, bound)
        columns = self.columns(edges)
        for column in columns:
            _check_weights(mask.size, length_of(column))
        on_device = any(is_cudf(column) or hasattr(column, DEVICE) for column in columns)
        return moved(mask, on_device), ledger

    def _mask(self, edges: Any, bound: WeightBound) -> tuple[Any, Ledger]:
        """Return the results of :meth:`mask`, before the array is checked and moved."""
        return bound.mask_of(*self.weights(edges, bound.weight))

    def where(self, edges: Any, mask: Any) -> Any:
        """Return the edges for which a boolean array on the same device is true."""
        return rows_where_true(edges, mask)

    def numbers_without_nulls(self, edges: Any, weight: Any) -> Any:
        """Return a column of numbers on a GPU as an array, without a copy.

        Return None for other edges, other types, and columns with nulls. Numbers may be NaN.
        """
        return None


class Chunked(Adapter):
    """Edges that are always read in chunks, even if all edges are needed in memory."""

    def weighed(
        self, edges: Any, request: ReadRequest, weight: Any, reading: Reading
    ) -> Iterator[Any]:
        from .streams import Cursor

        # a bound without limits: all rows are read, with their weights
        source = self.source(edges, replace(request, bound=WeightBound(weight)))
        width = len(source.names[0]) if isinstance(source.names[0], list) else 1
        budget = Budget(bytes_of(limit=None), source.fixed)
        budget.update("strings", 0, width=width)  # assume strings, which take the most memory
        for chunk in source.read(Cursor(), budget, text=None):
            reading.ledger = reading.ledger.plus(Ledger(left_out=chunk.left_out))
            yield chunk.frame
        for source_format in source.formats:
            reading.add(source_format, Ledger(source.given))


class Rows(Adapter):
    """Edges with rows in memory, which can be sliced and selected."""

    has_rows = True

    def rows(self, edges: Any, request: ReadRequest) -> int | None:
        return len(edges) if hasattr(type(edges), "__len__") else length_of(edges)

    def source(self, edges: Any, request: ReadRequest) -> Source:
        bound, row_count = request.bound, self.rows(edges, request)
        weight = None if bound is None else bound.weight
        if bound is not None and bound.array is not None:
            check_same_index(edges, weight)
            _check_weights(length_of(weight), row_count)
        return items_of([edges], *request.names, weight, row_count=row_count)

    def bounded(self, edges: Any, request: ReadRequest, bound: WeightBound) -> Bounded:
        edges = self.collected(edges)
        mask, ledger = self.mask(edges, bound)
        if ledger.left_out:
            edges = self.where(self.ids_alone(edges, request), mask)
        return Bounded(edges, request.source, request.destination, ledger)

    def ids_alone(self, edges: Any, request: ReadRequest) -> Any:
        """Return the edges, with only their columns of ids if rows are then selected faster."""
        return edges

    def weights(self, edges: Any, weight: Any) -> tuple[Any, Any]:
        return weights_of(edges, weight)


class Frames(Rows):
    """A frame of any library except cuDF."""

    by_type = True

    def accepts(self, edges: Any) -> bool:
        return hasattr(type(edges), "columns")

    def read(self, edges: Any, request: ReadRequest) -> EdgeInput:
        source, destination = request.sides
        names = (*source, *destination)
        try:
            frame = nw.from_native(edges)
        except nw.exceptions.DuplicateError:
            frame = nw.from_native(_select_unique(edges, names))
        except TypeError:
            return self.read(_table_of(edges), request)
        if isinstance(frame, nw.LazyFrame):
            _check_names(frame.collect_schema().names(), source, destination)
            frame = frame.select(*names).collect()
        elif source == destination:
            _check_names(frame.columns, source, destination)
        try:
            columns = list(map(frame.get_column, names))
        except Exception:  # the library may raise any error for a missing column
            _check_names(frame.columns, source, destination)
            raise
        ids, make_frame = list(map(of_series, names, columns)), _frame_maker(frame.implementation)
        index = edges.index if hasattr(type(edges), "iloc") else None  # of pandas
        return _edges_of(ids, request.nulls, make_frame, index=index)

    def column_names(self, edges: Any) -> Sequence[Any] | None:
        kind = type(edges)
        if hasattr(kind, "collect_schema"):  # reading the attribute ``columns`` would warn
            return list(edges.collect_schema().names())
        return list(edges.column_names if hasattr(kind, "column_names") else edges.columns)

    def bounded(self, edges: Any, request: ReadRequest, bound: WeightBound) -> Bounded:
        if bound.array is not None or not hasattr(type(edges), "collect"):
            return super().bounded(edges, request, bound)
        within, ledger = bound.lazy_rows_within(edges, request.ids)
        return Bounded(within, request.source, request.destination, ledger)

    def _mask(self, edges: Any, bound: WeightBound) -> tuple[Any, Ledger]:
        if bound.array is None:
            return bound.mask_of_frame(edges)
        return super()._mask(edges, bound)

    def ids_alone(self, edges: Any, request: ReadRequest) -> Any:
        names, ids = columns_of(edges), request.ids
        if any(names.count(name) != 1 for name in ids):
            return edges
        return edges.select(ids) if hasattr(edges, "select") else edges[ids]


class CudfFrames(Frames):
    """A cuDF frame. Its attribute ``columns`` is not read, because that makes a pandas index."""

    def accepts(self, edges: Any) -> bool:
        return is_cudf_frame(edges)

    def column_names(self, edges: Any) -> list[Any]:
        return list(iter(edges))  # list(edges) would allocate memory for a name per row

    def read(
        self, edges: Any, request: ReadRequest, labels: Sequence[str] | None = None
    ) -> EdgeInput:
        """Return all edges; ``labels`` are the names of columns in errors, by default their own.

        The frame is read directly, because narwhals would scan each column for nulls.
        """
        source, destination = request.sides
        frame, names, nulls = edges, (*source, *destination), request.nulls
        labels = labels or names
        if source == destination:
            _check_names(list(frame.columns), source, destination)
        dropped_rows, row_index, columns = 0, None, []
        numbers = numbers_of(frame, names)  # None unless all columns are integers without nulls
        if numbers is not None:
            for label, array in zip(labels, numbers, strict=True):
                borrow = partial(nullcontext, array)
                columns.append(Column(label, type_name_of(array.dtype), array.size, borrow))
        else:
            try:
                series = [frame[name] for name in names]
            except KeyError:  # names are listed only for the error
                _check_names(list(frame.columns), source, destination)
                raise
            if nulls == "drop" and any(column.null_count for column in series):
                frame = frame[list(dict.fromkeys(names))].reset_index(drop=True).dropna()
                row_index, dropped_rows = frame.index.to_cupy, len(edges) - len(frame)
                series = [frame[name] for name in names]
            for label, column in zip(labels, series, strict=True):
                columns.append(of_cudf(label, column, REMEDIES[nulls]))
        # two columns of integers need no check of their types
        src, dst = columns if numbers and len(columns) == 2 else ends_of_columns(columns)
        kind: Any = type(edges)
        index = edges.index
        return EdgeInput(
            *(src, dst, _cudf_maker(kind)),
            on_device=True,
            dropped_rows=dropped_rows,
            row_index=row_index,
            index=index if index.nlevels == 1 else None,  # a column cannot hold tuples
            without_nan=WithoutNan,
        )

    def _mask(self, edges: Any, bound: WeightBound) -> tuple[Any, Ledger]:
        return Adapter._mask(self, edges, bound)

    def ids_alone(self, edges: Any, request: ReadRequest) -> Any:
        return edges

    def numbers_without_nulls(self, edges: Any, weight: Any) -> Any:
        has_column = isinstance(weight, str | int) and weight in self.column_names(edges)
        return numbers_in(edges, weight) if has_column else None


class Proxies(CudfFrames):
    """A proxy frame of ``cudf.pandas``: its cuDF frame is read, and answers are proxies."""

    def accepts(self, edges: Any) -> bool:
        return hasattr(type(edges), "as_gpu_object")

    def read(
        self, edges: Any, request: ReadRequest, labels: Sequence[str] | None = None
    ) -> EdgeInput:
        inner = CUDF_FRAMES.read(edges.as_gpu_object(), request, labels)
        return replace(inner, make_frame=partial(_make_proxy, inner.make_frame))

    def column_names(self, edges: Any) -> list[Any]:
        return list(edges.columns)

    def where(self, edges: Any, mask: Any) -> Any:
        return edges[mask]

    def weights(self, edges: Any, weight: Any) -> tuple[Any, Any]:
        return CUDF_FRAMES.weights(edges.as_gpu_object(), weight)

    def numbers_without_nulls(self, edges: Any, weight: Any) -> Any:
        return None


class DuckDBRelations(Chunked):
    """A DuckDB relation, read in record batches; each reading runs its query."""

    by_type = True
    subject = "the relation"

    def accepts(self, edges: Any) -> bool:
        return relations.is_relation(edges)

    def column_names(self, edges: Any) -> Sequence[Any] | None:
        return relations.columns_in(edges)

    def answers(self, edges: Any, request: ReadRequest) -> Callable[[Any], Any] | None:
        return relations.answers_for(edges, self._names(edges, *request.sides))

    def read(self, edges: Any, request: ReadRequest) -> EdgeInput:
        source, destination = request.sides
        table = pa.concat_tables(self._batches(edges, source, destination))
        edge_input = read_table(table, source, destination, request.nulls)
        return replace(edge_input, answers=self.answers(edges, request))

    def rows(self, edges: Any, request: ReadRequest) -> int | None:
        return relations.count_of(edges, "count(*)")[0]

    def source(self, edges: Any, request: ReadRequest) -> Source:
        weight = request.weight_name("a DuckDB relation")
        batches = self._batches(edges, *request.sides, *([] if weight is None else [weight]))
        row_count = self.rows(edges, request)
        return items_of(batches, *request.names, weight, row_count=row_count, closes=True)

    def bounded(self, edges: Any, request: ReadRequest, bound: WeightBound) -> Bounded:
        name = bound.name("a DuckDB relation")
        columns = relations.columns_in(edges)
        if name not in columns:
            raise MissingColumnError(unknown("column", name, columns))
        relations.check_weights(edges, name)
        column, is_within = relations.quoted(name), relations.within(edges, name, bound.bounds)
        is_missing = f"{column} is null or isnan({column}::double)"
        counts = (f"count(*) filter ({condition})" for condition in (is_missing, is_within))
        ledger = ledger_of(*relations.count_of(edges, "count(*)", *counts))
        return Bounded(edges.filter(is_within), request.source, request.destination, ledger)

    def _batches(
        self, relation: Any, source: list[str], destination: list[str], *others: str
    ) -> Iterator[Any]:
        """Return an iterator over the rows as tables of the requested columns."""
        ids = self._names(relation, source, destination)
        return relations.batches_of(relation, ids, [name for name in others if name not in ids])

    def _names(self, relation: Any, source: list[str], destination: list[str]) -> list[str]:
        """Return the distinct id columns; raise an error if one is missing or holds no ids."""
        _check_names(relations.columns_in(relation), source, destination)
        names = list(dict.fromkeys([*source, *destination]))
        for name in names:
            refuse_twice(name, list(relation.columns))
        relations.check_ids(relation, names)
        return names


class Pairs(Rows):
    """A tuple of two arrays, lists or series of one length, or of two lists or frames of keys."""

    by_type = opens = True
    types: Any = tuple

    def read(self, edges: Any, request: ReadRequest) -> EdgeInput:
        return _of_columns(*self._named_columns(edges, request), request.nulls)

    def _named_columns(self, edges: Any, request: ReadRequest) -> tuple[Any, Any]:
        """Return the names of the columns of sources and destinations, and these columns."""
        if request.has_lists:
            _table_of(edges)  # raises an error: a tuple has no column names
        return list(map(str, request.names)), self.columns(edges)

    def rows(self, edges: Any, request: ReadRequest) -> int | None:
        if len(edges) and speaks_arrow(type(edges[0])):  # has no length before it is read
            return None
        return length_of(edges[0]) if len(edges) else 0

    def columns(self, edges: Any) -> Sequence[Any]:
        check_columns_of_tuple(edges)
        return list(edges)


class EdgeArrays(Pairs):
    """An array or tensor of shape (edges, 2) or (2, edges)."""

    by_type = False  # arrays of one type may be on a GPU or on the host

    def accepts(self, edges: Any) -> bool:
        return is_edge_array(edges)

    def _named_columns(self, edges: Any, request: ReadRequest) -> tuple[Any, Any]:
        if request.has_lists:
            raise InputError(
                f"the two ends of edges in one array, a {type(edges).__name__}, have one column"
                " each, but source= or destination= names several: pass a frame"
            )
        return super()._named_columns(edges, request)

    def columns(self, edges: Any) -> Sequence[Any]:
        return ends_of(edges)

    def rows(self, edges: Any, request: ReadRequest) -> int | None:
        return len(ends_of(edges)[0])


class NamedColumns(Pairs):
    """A mapping of names to columns of ids."""

    opens = False

    def _named_columns(self, edges: Any, request: ReadRequest) -> tuple[Any, Any]:
        names = [name for side in self._sides(edges, request) for name in side]
        return names, [edges[name] for name in names]

    def collected(self, edges: Any, names: Sequence[str] | None = None) -> Any:
        return edges

    def rows(self, edges: Any, request: ReadRequest) -> int | None:
        return length_of(edges[self._sides(edges, request)[0][0]])

    def columns(self, edges: Any) -> Sequence[Any]:
        return list(edges.values())

    def _sides(self, edges: Any, request: ReadRequest) -> Sides:
        """Return the columns of both ends; raise an error if one does not exist."""
        source, destination = request.sides
        if source[0] not in edges and any(isinstance(item, dict | set) for item in edges.values()):
            raise MissingColumnError(
                f"edges are a {type(edges).__name__} without column {source[0]!r}, and its values"
                " are not columns: if it names the neighbours of each vertex, pass nx.Graph(edges)"
            )
        _check_names(list(edges), source, destination)
        return source, destination


class Mappings(NamedColumns):
    """A mapping of names to columns, such as a dictionary of arrays."""

    opens = True
    subject = "the mapping"
    types: Any = Mapping

    def column_names(self, edges: Any) -> Sequence[Any] | None:
        return list(edges)

    def collected(self, edges: Any, names: Sequence[str] | None = None) -> Any:
        requested = {name: edges[name] for name in names or () if name in edges}
        return requested or edges

    def ids_alone(self, edges: Any, request: ReadRequest) -> Any:
        return dict(zip(*self._named_columns(edges, request), strict=True))


class Keys(NamedColumns):
    """Edges between ids of several columns, such as tuples: see :func:`foreign.pairs_of_keys`."""

    types: Any = KeyPairs

    def read(self, edges: Any, request: ReadRequest) -> EdgeInput:
        return replace(super().read(edges, request), vertex_names=edges.key_names)

    def where(self, edges: Any, mask: Any) -> Any:
        selected = copy(edges)
        selected.update(super().where(edges, mask))
        return selected

    def ends(self, edges: Any, source: Any, destination: Any, weight: Any = None) -> Ends:
        names = edges.names_of(len(edges) // 2)  # half of the columns belong to each end
        if not (source is None and destination is None) and [source, destination] != names:
            raise InputError(
                "source= and destination= name columns of a frame, but the ids of these edges are"
                " tuples, or a frame for each end: leave out source= and destination="
            )
        return names[0], names[1]

    def _sides(self, edges: Any, request: ReadRequest) -> Sides:
        self.ends(edges, request.source, request.destination)  # raises an error for other names
        source, destination = edges.names_of(len(edges) // 2)
        return source, destination


class Unopened(Adapter):
    """An object of another library that is not converted yet, such as an item of an iterable."""

    by_type = opens = may_repeat = True

    def accepts(self, edges: Any) -> bool:
        return is_always_converted(type(edges))

    def read(self, edges: Any, request: ReadRequest) -> EdgeInput:
        inner = opened(edges)
        return adapter_of(inner).read(inner, request)


class OpenedGraphs(NamedColumns):
    """A graph of another library, or a matrix with weights, opened: see :func:`foreign.opened`."""

    types: Any = Graph

    def read(self, edges: Any, request: ReadRequest) -> EdgeInput:
        _refuse_vertices(request)
        vertices, edge_input = edges.vertices, super().read(edges, request)
        return with_vertices(edge_input, vertices, dense=isinstance(vertices, range))

    def source(self, edges: Any, request: ReadRequest) -> Source:
        raise InputError(
            f"edges are a {edges.kind}, which is in memory as a whole and is not read in chunks:"
            " call components(), or leave out the options of chunks"
        )

    def where(self, edges: Any, mask: Any) -> Any:
        return edges.where(partial(column_where, mask=mask))

    def columns(self, edges: Any) -> Sequence[Any]:
        return list(edges.ends())

    def rows(self, edges: Any, request: ReadRequest) -> int | None:
        return length_of(edges.ends()[0])

    def _sides(self, edges: Any, request: ReadRequest) -> Sides:
        if request.source is None and request.destination is None and SOURCE not in edges:
            # nodes are tuples, and each element of a tuple is a column
            source, destination = KeyPairs.names_of(len(edges.vertices[0]))
            return source, destination
        return super()._sides(edges, request)


class Graphs(Adapter):
    """A ``cugraph.Graph``, with its own vertices."""

    by_type = may_repeat = True

    def accepts(self, edges: Any) -> bool:
        return is_graph(edges)

    def read(self, edges: Any, request: ReadRequest) -> EdgeInput:
        """Return the edges of a graph, with its vertices that have no edge.

        Raises
        ------
        GraphStateError
            The graph is on several GPUs, is empty, or no longer has the list that it was made from.
        """
        _refuse_vertices(request)
        check_state(edges)
        if numbering(edges) is not None:  # cuGraph has replaced the caller's ids by numbers
            if edges.input_df is None:
                raise GraphStateError(
                    "the graph no longer has the frame that it was made from:"
                    " cc_rapids.weakly_connected_components(graph) reads its internal numbers"
                )
            source, destination = sides_of(edges.source_columns, edges.destination_columns)
            edge_input = read_table(edges.input_df, source, destination, request.nulls)
            # answers number the columns of composite ids, as cuGraph does
            return replace(edge_input, vertex_names=())
        frame = edge_frame(edges)
        if frame is None:
            return read_csr(Csr(edges.adjlist.offsets, edges.adjlist.indices))
        edge_input = read_table(frame, ["src"], ["dst"], request.nulls)
        # if ends are null, cuGraph's vertices also include the undefined values stored for nulls
        vertices = None if edge_input.dropped_rows else vertex_list(edges._plc_graph)
        return with_vertices(edge_input, vertices, dense=False)

    def rows(self, edges: Any, request: ReadRequest) -> int | None:
        if numbering(edges) is not None:
            return len(edges.input_df)
        if edges.edgelist is not None:
            return len(edges.edgelist.edgelist_df)
        if edges.adjlist is not None and edges.input_df is None:  # made from an adjacency list
            return len(edges.adjlist.indices)
        return edge_count(edges._plc_graph)


class CsrRows(Adapter):
    """An adjacency list."""

    by_type = may_repeat = True
    types: Any = Csr

    def read(self, edges: Any, request: ReadRequest) -> EdgeInput:
        _refuse_vertices(request)
        return read_csr(edges)

    def rows(self, edges: Any, request: ReadRequest) -> int | None:
        return length_of(edges.indices)

    def weights(self, edges: Any, weight: Any) -> tuple[Any, Any]:
        return weights_of((), weight)  # an empty tuple: the edges have no columns


class Matrices(Adapter):
    """A sparse matrix of SciPy or CuPy, whose stored entries are edges."""

    may_repeat = True

    def accepts(self, edges: Any) -> bool:
        return hasattr(edges, "tocoo")

    def read(self, edges: Any, request: ReadRequest) -> EdgeInput:
        if request.has_lists:
            return super().read(edges, request)  # raises an error
        check_square(edges)
        size = edges.shape[0]
        if request.vertices is not None:
            raise InputError(f"a matrix has its own {size} vertices: leave out vertices")
        if edges.format in ("csr", "csc"):
            indices = edges.indices[: edges.nnz]  # the array may have spare capacity
            return read_csr(Csr(edges.indptr, indices), name="indptr")
        coo = entries_of(edges)
        ends = _of_columns(["row", "column"], [coo.row, coo.col], nulls=REFUSE)
        return with_vertices(ends, range(size), dense=True)

    def rows(self, edges: Any, request: ReadRequest) -> int | None:
        # SciPy pads blocks and diagonals with zeros, which are not entries
        is_padded = edges.format in ("bsr", "dia")
        return int(edges.count_nonzero() if is_padded else edges.nnz)


def _bounded_table(
    adapter: Adapter, edges: Any, request: ReadRequest, bound: WeightBound
) -> Bounded:
    """Read files or a dataset into a table, and return its edges within a bound."""
    reading, name = Reading(), bound.name("files")
    table, ends = adapter.in_memory(edges, request, name, reading)
    within = FRAMES.bounded(table, ReadRequest(*(ends or request.names)), bound)
    ledger = within.ledger._replace(given=0)  # ``reading`` has counted the given rows
    return within._replace(ledger=reading.ledger.plus(ledger))


class Paths(Adapter):
    """The path of a file."""

    names_files = has_header = True
    types: Any = (str, os.PathLike)

    def read(self, edges: Any, request: ReadRequest) -> EdgeInput:
        from .files.read import read_wanted

        return _of_file(read_wanted(edges, _columns_of_file(request)), request, os.fspath(edges))

    def source(self, edges: Any, request: ReadRequest) -> Source:
        from .streams import Files

        return Files.of(edges, request)

    def weighed(
        self, edges: Any, request: ReadRequest, weight: Any, reading: Reading
    ) -> Iterator[Any]:
        from .files.input_file import ColumnRequest
        from .files.read import read_opened
        from .streams import types_so_far

        # a bound without limits, which only raises an error if the weight is not a column name
        name, options = WeightBound(weight).name("files"), request.options
        ends = request.source, request.destination
        for opening in self._opened(edges):
            with opening as raw:
                kind = raw.format(options)
                columns = ColumnRequest(
                    *ends, kind, options, weights=True, weight=name, null_weights=True
                )
                file = read_opened(raw, columns)
            # ids of the next files are read as text only if the ids so far are text
            as_text = types_so_far(options.as_text, file.table, file.source, file.destination)
            options = replace(options, as_text=tuple(as_text))
            reading.add(file.source_format, file.ledger)
            # the weights are last; ids of several columns keep their names
            ids = file.table.column_names[:-1] if isinstance(file.source, list) else request.names
            yield file.table.rename_columns([*ids, name])

    def _opened(self, edges: Any) -> Iterable[Any]:
        """Return, for each file, a context that opens it."""
        from .files.opening import opened, paths_of

        return map(opened, paths_of(edges))

    def bounded(self, edges: Any, request: ReadRequest, bound: WeightBound) -> Bounded:
        return _bounded_table(self, edges, request, bound)


class SeveralFiles(Paths):
    """A folder, a glob pattern, an address that is not a local path, or a list of paths.

    All files of known formats in a folder and in its subfolders are read.
    """

    is_stream = becomes_table = True

    def accepts(self, edges: Any) -> bool:
        if isinstance(edges, list):
            return bool(edges) and all(isinstance(item, str | os.PathLike) for item in edges)
        if not isinstance(edges, str | os.PathLike):
            return False
        path = local(edges)
        is_pattern = any(letter in path for letter in "*?[") and not os.path.exists(path)
        # an address may be a file or a folder; only its server knows
        return is_pattern or "://" in path or os.path.isdir(path)

    def read(self, edges: Any, request: ReadRequest) -> EdgeInput:
        is_list = isinstance(edges, list)
        raise _not_one_piece(f"a list of {counted(len(edges), 'path')}" if is_list else str(edges))


class ByteStreams(Paths):
    """An open file, such as ``sys.stdin.buffer``, read from its current position to its end.

    The suffix of its name gives the format if the suffix is known. Otherwise the format is detected
    from the first bytes. A text stream is already decoded, so ``encoding=`` does not apply to it.
    """

    names_files = False

    def accepts(self, edges: Any) -> bool:
        is_file = hasattr(edges, "readable") or hasattr(edges, "readline")  # mmap has only readline
        return is_file and hasattr(edges, "read")

    def read(self, edges: Any, request: ReadRequest) -> EdgeInput:
        from .files.opening import file_of
        from .files.read import read_opened

        return _of_file(read_opened(file_of(edges), _columns_of_file(request)), request)

    def source(self, edges: Any, request: ReadRequest) -> Source:
        from .streams import Files

        return Files.of_open(edges, request)

    def _opened(self, edges: Any) -> Iterable[Any]:
        from .files.opening import file_of

        return [nullcontext(file_of(edges))]


class Datasets(Chunked):
    """A pyarrow dataset."""

    by_type = is_stream = becomes_table = True
    subject = "the dataset"

    def accepts(self, edges: Any) -> bool:
        return _is_arrow(edges, "Dataset")

    def column_names(self, edges: Any) -> Sequence[Any] | None:
        return list(edges.schema.names)

    def source(self, edges: Any, request: ReadRequest) -> Source:
        from .streams import Fragments

        return Fragments(edges, *request.names, request.bound, request.skips_unreadable)

    def rows(self, edges: Any, request: ReadRequest) -> int | None:
        return int(edges.count_rows())

    def bounded(self, edges: Any, request: ReadRequest, bound: WeightBound) -> Bounded:
        return _bounded_table(self, edges, request, bound)


class Tables(Datasets):
    """A table of Delta Lake or Iceberg: its folder or address, or the object of its library."""

    by_type = False

    def accepts(self, edges: Any) -> bool:
        if isinstance(edges, str | os.PathLike):
            path = local(edges)
            if not (os.path.isdir(path) or "://" in str(path)):
                return False
            from .files.lake import table_at

            return table_at(path) is not None
        return (type(edges).__module__, type(edges).__name__) in TABLES

    def column_names(self, edges: Any) -> Sequence[Any] | None:
        return None  # known only once the table is opened

    def read(self, edges: Any, request: ReadRequest) -> EdgeInput:
        raise _not_one_piece(f"the table {edges}")

    def source(self, edges: Any, request: ReadRequest) -> Source:
        """Open the table: Delta Lake gives a dataset, and Iceberg gives batches of rows."""
        from .files.lake import opened_table

        table, bound = opened_table(edges), request.bound
        if _is_arrow(table, "Dataset"):
            # only the open table has column names, so DATASETS finds the columns of the ends
            weight = None if bound is None else bound.weight
            return super().source(table, DATASETS.named(table, request, weight))
        return _iceberg_rows(table, request)

    def rows(self, edges: Any, request: ReadRequest) -> int | None:
        from .files.lake import opened_table, rows_of

        return rows_of(opened_table(edges))


TABLES = (
    ("deltalake.table", "DeltaTable"),
    ("pyiceberg.table", "Table"),
    ("pyiceberg.table", "StaticTable"),
)


class Batches(Chunked):
    """An iterable of frames, of tuples of two columns, of lists of pairs or of record batches."""

    is_stream = is_iterable = True

    def accepts(self, edges: Any) -> bool:
        if isinstance(edges, Iterator):
            return True
        if isinstance(edges, list):
            return are_batches(edges)
        # attributes of frames, arrays and collections, which do not yield batches
        others = ("__len__", "columns", "schema", "shape", "__array__", "__arrow_c_stream__")
        return hasattr(edges, "__iter__") and not any(hasattr(edges, name) for name in others)

    def rows(self, edges: Any, request: ReadRequest) -> int | None:
        """Return the number of rows of all batches; None for an iterator, which is read once."""
        from .streams import length

        return sum(map(length, edges)) if isinstance(edges, list) else None

    def read(self, edges: Any, request: ReadRequest) -> EdgeInput:
        if isinstance(edges, list):
            raise _not_one_piece(f"a list of {counted(len(edges), 'batch', 'batches')}", "batches")
        return super().read(edges, request)

    def source(self, edges: Any, request: ReadRequest) -> Source:
        weight = request.weight_name("batches")
        return items_of(edges, request.source, request.destination, weight)


class Readers(Batches):
    """A pyarrow RecordBatchReader; any thread may read it."""

    by_type = becomes_table = True
    subject = "the reader"

    def accepts(self, edges: Any) -> bool:
        return _is_arrow(edges, "RecordBatchReader")

    def column_names(self, edges: Any) -> Sequence[Any] | None:
        return list(edges.schema.names)

    def source(self, edges: Any, request: ReadRequest) -> Source:
        weight = request.weight_name("the reader")
        _check_names(edges.schema.names, *request.sides)
        return items_of(edges, *request.names, weight, threaded=True, arrow=True)


class PairLists(Pairs):
    """A list of pairs of ids, where each pair is an edge; other lists raise an error."""

    types: Any = list

    def columns(self, edges: Any) -> Sequence[Any]:
        return [edges]

    def _named_columns(self, edges: Any, request: ReadRequest) -> tuple[Any, Any]:
        names, _ = super()._named_columns(edges, request)
        return names, columns_of_pairs(edges)

    def rows(self, edges: Any, request: ReadRequest) -> int | None:
        return len(edges)


class Anything(Adapter):
    """An object that narwhals may know; any other raises an error that lists the valid kinds."""

    def accepts(self, edges: Any) -> bool:
        return True

    def rows(self, edges: Any, request: ReadRequest) -> int | None:
        return length_of(chunked(edges))


CUDF_FRAMES, FRAMES = CudfFrames(), Frames()
PAIRS, DATASETS, ANYTHING = Pairs(), Datasets(), Anything()
ADAPTERS: tuple[Adapter, ...] = (  # the first that accepts the edges reads them
    CUDF_FRAMES,
    PAIRS,
    Graphs(),
    CsrRows(),
    DuckDBRelations(),
    Proxies(),
    Unopened(),
    FRAMES,
    OpenedGraphs(),
    Tables(),
    SeveralFiles(),
    Paths(),
    Matrices(),
    EdgeArrays(),
    Keys(),
    Mappings(),
    DATASETS,
    Readers(),
    ByteStreams(),
    Batches(),
    PairLists(),
    ANYTHING,
)

# the adapters that may accept objects of a type, for each type of edges seen so far
_OF_TYPE: WeakKeyDictionary[type, tuple[Adapter, ...]] = WeakKeyDictionary()


def adapter_of(edges: Any) -> Adapter:
    """Return the first of ``ADAPTERS`` that accepts edges.

    An adapter that decides by the type is called once per type; others are called for each object.
    """
    candidates = _OF_TYPE.get(type(edges))
    if candidates is None:
        candidates = _OF_TYPE[type(edges)] = tuple(
            adapter for adapter in ADAPTERS if not adapter.by_type or adapter.accepts(edges)
        )
    for adapter in candidates:
        if adapter.by_type or adapter.accepts(edges):
            return adapter
    return ANYTHING


def read(
    edges: Any,
    source: str | list[str] | None,
    destination: str | list[str] | None,
    vertices: Any = None,
    num_vertices: int | None = None,
    nulls: str = "raise",
    options: TextOptions = NO_OPTIONS,
    droppable: bool = True,
    adapter: Adapter | None = None,
) -> EdgeInput:
    """Read and check the caller's edges; see :func:`cc_rapids.components` for the kinds.

    ``droppable`` is False if the caller's function has no argument ``nulls=``; errors then do not
    suggest it. ``adapter`` is the adapter of edges that are already opened.
    """
    is_dense = num_vertices is not None
    if is_dense:
        if vertices is not None:
            raise InputError("pass vertices or num_vertices, not both")
        vertices = range(_vertex_count(num_vertices))
    if adapter is None:
        adapter = adapter_of(edges)
        if adapter.opens:
            edges = opened(edges)
            adapter = adapter_of(edges)
    if source is None or destination is None:
        source, destination = adapter.ends(edges, source, destination)
    try:
        request = _known_request(source, destination, nulls, droppable)
    except TypeError:  # a list of names has no hash
        request = _checked_request(source, destination, nulls, droppable)
    if options is not NO_OPTIONS:
        check_text(adapter, edges, options)
    if not (vertices is None and options is NO_OPTIONS):
        request = replace(request, options=options, vertices=vertices)
    edge_input = adapter.read(edges, request)
    ledger, dropped = edge_input.ledger, edge_input.dropped_rows
    if ledger is None:  # count the rows independently of the reading, if the adapter can
        rows = adapter.rows(edges, request)
        ledger = Ledger(edge_input.src.size + dropped if rows is None else rows)
    # The input is new, so it is set in place: replace() would double the time of this function
    vars(edge_input)["ledger"] = ledger.leaving_out("null_end", dropped) if dropped else ledger
    return edge_input if vertices is None else with_vertices(edge_input, vertices, is_dense)


def _checked_request(source: Any, destination: Any, nulls: Any, droppable: bool) -> ReadRequest:
    """Return a request with these options, checked; all other options have their defaults."""
    check_word("nulls policy", nulls, ("raise", "drop"))
    if not (source is None and destination is None):
        checked_names(source, destination)  # raises an error if these are not names
    return ReadRequest(source, destination, nulls if droppable else REFUSE)


# cached, because most batches have the same options as the previous one
_known_request: Callable[..., ReadRequest] = lru_cache(256, typed=True)(_checked_request)


def check_text(adapter: Adapter, edges: Any, options: TextOptions) -> None:
    """Raise an InputError if there are options of text files, but edges are not files."""
    if not adapter.has_header and options.given:
        files = "files" if options.given == "format" else "text files"
        is_path = isinstance(edges, str | os.PathLike)
        kind = f"the table {edges}" if is_path else f"a {type(edges).__name__}"
        raise InputError(
            f"{options.given}= (--{options.given}) applies only to {files}, but edges are {kind}:"
            " leave it out"
        )


def _vertex_count(number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 0:
        raise InputError(f"num_vertices must be a count of at least 0, not {shown(number)}")
    check_range("num_vertices", range(int(number)), shown(number))
    return int(number)


def without_edges(edges: Any) -> str:
    """Return the message that files or an iterator hold no edges; "" for other kinds of edges."""
    if hasattr(edges, "__next__"):
        return "the iterator, which may have been read before, yields no edges"
    if isinstance(edges, str | os.PathLike):
        return f"{edges} holds no edges"
    adapter = adapter_of(edges)
    return "the files hold no edges" if adapter.has_header or adapter.becomes_table else ""


def _check_weights(weights: int, rows: int | None) -> None:
    """Raise an InputError unless there are as many weights as rows."""
    if weights != rows:
        raise InputError(
            f"there are {weights:,} weights and {counted(rows or 0, 'edge')}: pass one weight for"
            " each edge"
        )


def _is_arrow(edges: Any, name: str) -> bool:
    """Return whether edges are an instance of a class of PyArrow, without importing PyArrow."""
    kinds = type(edges).__mro__
    return any(kind.__name__ == name and kind.__module__.startswith("pyarrow") for kind in kinds)


def _not_one_piece(what: str, kind: str = "files") -> InputError:
    """Return the error for edges in several pieces, if a caller needs all rows in memory."""
    advice = "name one file, or read them" if kind == "files" else "put them"
    return InputError(
        f"{what} may stand for several {kind}, which are read in pieces, but all rows are needed in"
        f" memory here: {advice} into one frame"
    )


def _refuse_vertices(request: ReadRequest) -> None:
    """Raise an InputError if the caller names vertices of a graph."""
    if request.vertices is not None:
        raise InputError("a graph has its own vertices: leave out vertices and num_vertices")


def _make_proxy(make_frame: Any, columns: dict[str, Any]) -> Any:
    """Make a cuDF frame of columns by ``make_frame``, and return its ``cudf.pandas`` proxy."""
    from cudf.pandas.fast_slow_proxy import as_proxy_object

    return as_proxy_object(make_frame(columns))


def _columns_of_file(request: ReadRequest) -> ColumnRequest:
    """Return a request for the columns of a file; a list of one column becomes the column name."""
    from .files.input_file import ColumnRequest

    source, destination = request.source, request.destination
    if request.has_lists:
        source, destination = (side if len(side) > 1 else side[0] for side in request.sides)
    return ColumnRequest(source, destination, "", request.options)


def _of_file(file: EdgeFile, request: ReadRequest, path: str = "") -> EdgeInput:
    """Return the edges of a file that has been read, and the vertices that it lists."""
    sides = lists_of_ends(file.source, file.destination)
    with naming_nulls(path, file.table, sides):
        edge_input = read_table(file.table, *sides, request.nulls)
    if request.vertices is not None and file.vertices is not None:
        count = len(file.vertices)
        raise InputError(f"the file itself lists {count:,} vertices: leave out vertices")
    edge_input = replace(edge_input, formats=(file.source_format,), ledger=file.ledger)
    return with_vertices(edge_input, file.vertices, dense=False)


@contextmanager
def naming_nulls(path: str, table: Any, sides: Sides, start: int | None = 0) -> Iterator[None]:
    """Return a context that adds the file, and the first row with a null, to a NullsError.

    ``start`` is the row of the file with which the table begins; None if unknown. Errors for a
    table on a GPU do not name the row.
    """
    try:
        yield
    except NullsError as error:
        if not path:
            raise
        at = ""
        if start is not None and hasattr(table, "column_names"):
            columns = [table[name] for side in sides for name in side]
            first_nulls = [pc.index(pc.is_null(column), True).as_py() for column in columns]
            row = start + min((k for k in first_nulls if k >= 0), default=0)  # -1: no null
            at = f", row {row:,} (from 0)"
        raise NullsError(f"{path}{at}: {error}") from None


def items_of(
    items: Any, source: Side | None, destination: Side | None, weight: Any, **options: Any
) -> Items:
    """Return an iterable of edges as a source; see :class:`cc_rapids.data.streams.Items`."""
    from .streams import Items

    return Items(items, (source, destination), opened_item, weight, **options)


def opened_item(
    item: Any, budget: Budget, source: Side | None, destination: Side | None, weight: Any
) -> tuple[ReadRequest, Any]:
    """Return a request for an item of an iterable, and the item in a form that can be sliced.

    A record batch, a relation of DuckDB or a lazy frame becomes a frame. Pairs and arrays of edges
    become two columns. Only the requested columns of mappings and lazy frames are kept. Other edges
    are returned unchanged.

    Raises
    ------
    InputError
        The item has no rows: it is a matrix, a graph or a file.
    CapacityError
        The item is a lazy frame that takes more than the ``budget`` when it is collected.
    """
    adapter = adapter_of(item)
    request = adapter.named(item, ReadRequest(source, destination), weight)
    if isinstance(item, list):
        return request, columns_of_pairs(item)
    if adapter.has_header:  # a path or an open file
        raise InputError(
            f"an item of the edges is a {type(item).__name__}, which is a file: pass a list of"
            " paths, such as list(edges), or one open file alone"
        )
    if isinstance(item, tuple):
        check_columns_of_tuple(item)
        if any(key_width(side) > 1 for side in item):
            raise InputError(
                "an item of the edges is a tuple whose ids have several columns: make a frame of"
                " it, and name the columns of each end by source= and destination= (lists)"
            )
        # a deque cannot be sliced
        return request, tuple(list(side) if isinstance(side, deque) else side for side in item)
    requested = request.columns(weight)
    if is_edge_array(item):
        return request, ends_of(item)
    if adapter.may_repeat:  # a matrix, a graph or an adjacency list
        raise InputError(
            f"an item of the edges is a {type(item).__name__}, but items must be frames, tuples of"
            " two columns or lists of pairs: pass it alone, or make a frame of it"
        )
    if type(item).__module__.startswith("polars.lazyframe"):
        budget.check_lazy(item, requested)
    return request, chunked(adapter.collected(item, requested))


def _iceberg_rows(table: Any, request: ReadRequest) -> Items:
    """Return the rows of a ``pyiceberg.table.Table``, counted by its metadata."""
    from .files.lake import reader_of, rows_of
    from .files.read import SourceFormat

    names, weight = table.schema().column_names, request.weight_name("the table")
    ends: tuple[Any, Any] = request.source, request.destination
    if not request.has_lists:
        ends = end_columns("the table", tuple(names), *ends, weight)
    ids = ReadRequest(*ends).ids
    columns = [*ids, *([] if weight is None else [weight])]
    for name in columns:
        place_of("the table", names, name)  # raises an error unless one column has the name
    options: dict[str, Any] = {"threaded": True, "arrow": True, "row_count": rows_of(table)}
    items = items_of(reader_of(table, columns), *ends, weight, **options)
    items.formats.append(SourceFormat("iceberg", tuple(ids), None))
    return items
