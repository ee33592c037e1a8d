"""Read and check the edges, pairs, ids and queries of a batch, and look up their vertices."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .. import backends
from ..backends import Array, Backend
from ..data import read as frames
from ..data.adapters import Adapter
from ..data.column import array_of_range, as_series, of, of_key_columns
from ..data.edge_input import EdgeInput, check_range, checked_names, lists_of_ends
from ..data.end_columns import Side, is_known_pair
from ..data.frame_access import (
    collected,
    column_of,
    columns_of,
    first,
    is_frame,
    mask_of,
    names_of,
    rows_of,
    vertices_of_keys,
)
from ..data.kinds import frame_of_levels
from ..data.text_options import NO_OPTIONS, TextOptions
from ..errors import InputError, MissingColumnError, UnknownVertexError, not_vertices, unknown
from ..graph.edges import BorrowedEdges
from .state import ConnectivityState

BYTES_OF_ID = 40  # bytes per new id while new ids are numbered


def sides(
    source: Side | None, destination: Side | None, count: int | None
) -> tuple[Side | None, Side | None, int]:
    """Return the columns of both ends, and the number of columns of an id.

    ``count`` is the argument ``num_vertices``, which requires ids of one column.
    """
    checked_names(source, destination)  # raises an error if these are not names
    left, right = lists_of_ends(source, destination)
    if len(left) == 1:
        return left[0], right[0], 1
    if count is not None:
        raise InputError(
            f"num_vertices={count} is for ids of one column, but source={source!r} names"
            f" {len(left)}: leave out num_vertices=, or pass vertices="
        )
    return left, right, len(left)


def read(
    edges: Any,
    source: Side | None,
    destination: Side | None,
    nulls: str = "raise",
    options: TextOptions = NO_OPTIONS,
    adapter: Adapter | None = None,
) -> EdgeInput:
    """Return the edges as :func:`cc_rapids.components` reads them."""
    return frames.read(edges, source, destination, None, None, nulls, options, adapter=adapter)


def check_columns_as_before(given: EdgeInput, before: EdgeInput) -> None:
    """Raise a MissingColumnError if a file has other columns than earlier files.

    Columns with known names, such as src and dst, are not checked. Columns with other names were
    chosen because the file has only two. The check is strict because a wrong insertion is
    permanent. Files without a header have no names.
    """
    earlier = [source.columns for source in before.formats if source.header is not False]
    earlier_sets = [set(names) for names in earlier]
    for source in given.formats if earlier else []:
        if source.header is False or is_known_pair(source.columns):
            continue
        if set(source.columns) not in earlier_sets:
            raise MissingColumnError(
                f"the columns of ids are {', '.join(map(repr, source.columns))}, but they were"
                f" {', '.join(map(repr, earlier[-1]))} in the previous file: name the columns of"
                " this file with source= and destination="
            )


def read_rows(
    rows: Any, source: Side | None, destination: Side | None, options: TextOptions
) -> EdgeInput:
    """Return pairs, or a batch with queries, as edges; no row is dropped."""
    return frames.read(rows, source, destination, None, None, "raise", options, droppable=False)


def vertices(ids: Any, width: int | None = None) -> EdgeInput:
    """Return ids as self-loops.

    Composite ids are a frame, a list of tuples, or an array with one row per id. ``width`` is the
    number of columns of an id, by default that of ``ids``.
    """
    if isinstance(ids, range):
        if width not in (None, 1):
            raise InputError(
                f"vertices={ids} are ids of one column, but the edges have {width} per side: pass"
                f" a frame of {width} columns, or a list of tuples"
            )
        ids = ids_of_range(ids, backends.get("threads"))
    ids = frame_of_levels(ids)  # of a MultiIndex
    width = width or _width(ids)
    if width == 1:
        return _self_loops(as_series(ids))
    column = vertices_of_keys(ids, width)
    # _column_of_kind() only determines the library of the answers; its ids are replaced
    return replace(_self_loops(_column_of_kind(ids)), src=column, dst=column)


def one_id(name: str, vertex: Any) -> EdgeInput:
    """Return a single id as a self-loop; ``name`` is the name of the id in errors."""
    parts = vertex if isinstance(vertex, tuple) else (vertex,)
    if not parts:
        raise InputError("an empty tuple is not an id: pass the value of each column of an id")
    column = of_key_columns([of(name, [part]) for part in parts])
    return replace(frames.NOTHING, src=column, dst=column)


def _self_loops(ids: Any) -> EdgeInput:
    """Return a column of ids as edges from each id to itself."""
    ids = list(ids) if isinstance(ids, tuple) else ids  # a tuple of tuples would be columns
    return read_rows((ids, ids), "vertices", "vertices", NO_OPTIONS)


def _width(ids: Any) -> int:
    """Return the number of columns of the ids, which may be a list of ids or of columns."""
    if isinstance(ids, tuple | list):
        first_tuple: tuple[Any, ...] = next((item for item in ids if isinstance(item, tuple)), ())
        if first_tuple:  # a list of ids
            return len(first_tuple)
        are_columns = all(
            hasattr(item, "__len__") and not isinstance(item, str | bytes) for item in ids
        )
        return len(ids) if len(ids) and are_columns else 1
    if is_frame(ids):
        return len(columns_of(collected(ids)))
    return int(ids.shape[1]) if getattr(ids, "ndim", 1) == 2 else 1


def _column_of_kind(ids: Any) -> Any:
    """Return a column of the library to which answers for composite ids belong.

    It is the library of a frame of ids, cuDF for arrays on a GPU, and PyArrow for lists and other
    arrays.
    """
    if is_frame(ids):
        frame = collected(ids)
        return column_of(frame, columns_of(frame)[0])
    if hasattr(ids, "__cuda_array_interface__"):
        import cudf

        return cudf.Series(dtype="int64")
    import pyarrow as pa

    return pa.chunked_array([], pa.int64())


def placed_for(state: ConnectivityState, given: EdgeInput, movable: bool) -> ConnectivityState:
    """Return the state on the backend where a batch is linked.

    A state without edges moves to the device of the batch if ``movable`` is True and the batch has
    rows. Other states stay where they are.
    """
    moves = movable and not state.edges and given.src.size > 0
    if moves and given.on_device != state.backend.on_device:
        backend = backends.get("cuda" if given.on_device else "threads")
        with backend.scope():
            return state.to(backend)
    return state


class BorrowedBatch(BorrowedEdges):
    """A context that lists the borrowed columns: both ends, and declared vertices if any."""

    def __enter__(self) -> Any:
        columns = super().__enter__()
        try:
            ids = self.given.vertices
            if isinstance(ids, range):  # the superclass borrows columns only
                columns.append(ids_of_range(ids, self.backend))
            return columns
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise


def ids_of_range(ids: range, backend: Backend) -> Array:
    """Return the ids of a range as an array of 64-bit integers, after a check of their number."""
    check_range("vertices", ids)
    backend.check_capacity(len(ids) * BYTES_OF_ID, f"vertices={ids}")
    return array_of_range(ids, backend.xp)


def rows(column: Any, mask: Array, backend: Backend) -> Any:
    """Return the rows of a borrowed column where a mask is true.

    For composite ids, ``column`` is a list of columns, and so is the result.
    """
    if isinstance(column, list):
        return [rows(part, mask, backend) for part in column]
    if hasattr(column, "to_pandas"):
        return rows_of(column, mask, backend)
    return backend.asarray(column)[mask]


def mask_of_queries(batch: Any, query: Any, given: EdgeInput) -> Any:
    """Return a boolean array of the rows of a batch that are queries."""
    name = "query"
    if isinstance(query, str):
        name = query
        columns = names_of(batch)
        if query not in columns:
            raise MissingColumnError(
                f"{unknown('column', query, map(str, columns))}; query= must be a boolean column"
                " that marks the rows that are queries, or its name"
            )
        query = column_of(batch, query)
    mask = mask_of(name, query)
    if mask.size != given.src.size:
        raise InputError(
            f"column {name!r} has {mask.size:,} values, but the batch has {given.src.size:,} rows:"
            " each row needs a value, which is true for a query"
        )
    return mask


def ends(
    state: ConnectivityState, given: EdgeInput, columns: list[Any], missing: str
) -> tuple[list[Array], Array]:
    """Return the vertices of both ends of pairs of ids, and a mask of the pairs of known ids.

    The vertex of an unknown id is an arbitrary number below n. Raise an UnknownVertexError for an
    unknown id if ``missing`` is "raise".
    """
    lookups = [state.index.lookup(column, state.backend) for column in columns]
    for side, column, (_, valid) in zip((given.src, given.dst), columns, lookups, strict=True):
        if missing == "raise" and not bool(valid.all()):
            rows = np.flatnonzero(state.backend.to_host(~valid))
            first_ids = ", ".join(str(id_at(column, int(row))) for row in rows[:3])
            raise UnknownVertexError(
                f"{not_vertices(rows.size, valid.size, side.name, 'so far')}:"
                f" {first_ids}{', ...' if rows.size > 3 else ''}; missing='false' answers False for"
                " them"
            )
    return [vertices for vertices, _ in lookups], lookups[0][1] & lookups[1][1]


def id_at(column: Any, row: int) -> Any:
    """Return the id in a row of a borrowed column, or a tuple for a composite id."""
    if isinstance(column, list):
        return tuple(id_at(part, row) for part in column)
    return first(column[row : row + 1])
