"""Make columns of the caller's frame library, and frames with an added column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import InputError
from .column import (
    LIBRARIES,
    arrow_rows,
    column_where,
    in_native_order,
    is_cudf,
    is_series,
    without_views,
)
from .cudf_columns import make_series
from .edge_array import as_array, is_edge_array, rows_are_edges
from .frame_access import bring, column_of, frame_size, is_frame
from .kinds import frame_of_levels
from .lazy import cudf, nw, pa, pc, pd

NOT_FILTERED = "_view", "run_end_encoded", "union"  # parts of type names that Arrow cannot filter


def with_column(frame: Any, name: Any, values: Any, valid: Any) -> Any:
    """Return a copy of a frame with an added column that is null where ``valid`` is False.

    Parameters
    ----------
    frame : frame of cuDF, pandas, Polars or PyArrow, or dictionary of columns
    name : str
        The name of the column; in cuDF and pandas, it may be of any type that names columns.
    values : array, or column of any library, on the device of the frame
        A column of the frame's library keeps its type.
    valid : array of bool, or None if no value becomes null

    Raises
    ------
    InputError
        The frame does not accept the name.
    """
    if isinstance(frame, dict):
        return frame | {name: values if valid is None else np.ma.array(values, mask=~valid)}
    if is_cudf(frame):
        column = cudf.Series(values)
        column = column if valid is None else column.where(cudf.Series(valid))
        column.index = frame.index
        return _assigned(frame, name, column)
    if hasattr(type(frame), "iloc"):
        return _assigned(frame, name, _for_pandas(values, valid, frame.index))
    if not isinstance(name, str):
        kind = f"{type(frame).__module__.partition('.')[0]} {type(frame).__name__}"
        raise InputError(f"column names of a {kind} must be strings, not name={name!r}")
    if hasattr(type(frame), "column_names"):
        kept_positions = [k for k, other in enumerate(frame.column_names) if other != name]
        return frame.select(kept_positions).append_column(name, _arrow(values, valid))
    return nw.from_native(frame).with_columns(_for_polars(values, valid).alias(name)).to_native()


def _assigned(frame: Any, name: Any, series: Any) -> Any:
    """Return a copy of a frame with an added series, whose index must be that of the frame."""
    frame = frame.assign()  # a copy; assign() would accept only a string as the name of a column
    frame[name] = series
    return frame


def _arrow(values: Any, valid: Any) -> Any:
    """Convert an array or column of any library to PyArrow, null where ``valid`` is False."""
    arrow = pa.array(values) if isinstance(values, np.ndarray) else values
    if not isinstance(arrow, pa.Array | pa.ChunkedArray):
        arrow = nw.from_native(values, series_only=True).to_arrow()
    if valid is None:
        return arrow
    return pc.if_else(pa.array(valid), without_views(arrow), None).cast(arrow.type)


def _for_pandas(values: Any, valid: Any, index: Any) -> Any:
    """Return a pandas series, null where ``valid`` is False; integers with nulls stay integers."""
    if hasattr(type(values), "iloc") and not is_cudf(values):
        series = values if valid is None else values.where(valid)
        return series.set_axis(index)
    arrow = _arrow(values, valid)
    if arrow.type != type_for_pandas(arrow.type):
        arrow = arrow.cast(type_for_pandas(arrow.type))
    series = _pandas_series(arrow)
    series.index = index
    return series


def _pandas_series(arrow: Any) -> Any:
    """Convert a PyArrow column to pandas; integers with nulls become pandas' nullable integers.

    The default, floats, would merge integers beyond 2^53.
    """
    keeps_integers = arrow.null_count and pa.types.is_integer(arrow.type)
    return arrow.to_pandas(types_mapper=_nullable_type if keeps_integers else None)


def _nullable_type(kind: Any) -> Any:
    """Return pandas' nullable type for an integer type of PyArrow: UInt8 for uint8."""
    return pd.api.types.pandas_dtype(str(kind).replace("uint", "UInt").replace("int", "Int"))


def type_for_pandas(kind: Any) -> Any:
    """Return an Arrow type that every PyArrow version converts to pandas.

    Versions before 23 cannot convert dictionaries with unsigned indices, such as Polars categories.
    """
    if pa.types.is_dictionary(kind) and pa.types.is_unsigned_integer(kind.index_type):
        return pa.dictionary(pa.int64(), kind.value_type, kind.ordered)
    return kind


def _for_polars(values: Any, valid: Any) -> Any:
    """Return a Polars series wrapped by narwhals, null where ``valid`` is False."""
    if type(values).__module__.partition(".")[0] != "polars":
        # _arrow() may return views of strings. If the strings are short, views that PyArrow before
        # 25 makes have no data buffer, but Polars expects one, so views become plain strings.
        arrow = without_views(_arrow(values, valid))
        return nw.from_arrow(pa.table({"labels": arrow}), backend="polars")["labels"]
    series = nw.from_native(values, series_only=True).alias("labels")
    if valid is None:
        return series
    mask = nw.new_series("valid", valid, nw.Boolean, backend="polars")
    return series.to_frame().select(nw.when(mask).then(nw.col("labels")))["labels"]


def frame_of_table(table: Any, library: Any) -> Any:
    """Convert a PyArrow table to a frame of another library.

    In pandas, integers with nulls become nullable integers, as by :func:`with_column`.
    """
    if library != "pandas":
        return nw.from_arrow(table, backend=library).to_native()
    columns = zip(table.column_names, table.columns, strict=True)
    nullable = [name for name, c in columns if c.null_count and pa.types.is_integer(c.type)]
    frame = nw.from_arrow(table.drop_columns(nullable), backend=library).to_native()
    for name in nullable:
        frame[name] = _pandas_series(table[name])
    return frame[table.column_names]


def rows_of_frame(frame: Any, rows: Any) -> Any:
    """Return a copy of some rows of a frame or of a dictionary of columns.

    ``rows`` is an array of distinct row numbers in ascending order, on the device of the frame.
    """
    if is_cudf(frame):
        return frame.iloc[rows]
    mask = np.zeros_like(rows, bool, shape=frame_size(frame))  # on the device of ``rows``
    mask[rows] = True
    return rows_where_true(frame, mask)


def rows_where_true(edges: Any, mask: Any) -> Any:
    """Return the rows of a frame or an edge list where a boolean array is true; a copy."""
    if isinstance(edges, Mapping):
        return {name: column_where(column, mask) for name, column in edges.items()}
    if isinstance(edges, list):
        return column_where(edges, mask)
    if isinstance(edges, tuple):
        return tuple(column_where(side, mask) for side in edges)
    if is_edge_array(edges):
        array = as_array(edges)
        return array[mask] if rows_are_edges(array) else array[:, mask]
    if is_cudf(edges):
        return edges[mask]
    if hasattr(type(edges), "iloc"):
        return _pandas_rows(edges, mask)
    if hasattr(type(edges), "column_names"):
        if not any(word in str(kind) for kind in edges.schema.types for word in NOT_FILTERED):
            return edges.filter(pa.array(mask))
        columns = [arrow_rows(column, mask) for column in edges.columns]
        return type(edges).from_arrays(columns, schema=edges.schema)
    native = nw.to_native(edges, pass_through=True)
    if native is not edges:  # a frame of narwhals
        return rows_where_true(native, mask)
    return edges.filter(nw.new_series("mask", mask, nw.Boolean, backend="polars").to_native())


def _pandas_rows(frame: Any, mask: Any) -> Any:
    """Return the rows of a pandas frame where a boolean array is true."""
    try:
        return frame[mask]
    except (NotImplementedError, ValueError):  # some columns are of PyArrow, or have swapped bytes
        columns = (in_native_order(frame.iloc[:, k]) for k in range(frame.shape[1]))
        return pd.concat([column_where(column, mask) for column in columns], axis=1)


def column_like(edges: Any, values: Any, backend: Any, on_device: bool) -> Any:
    """Return an array of a backend, with one value per edge, as a column of the edges' library.

    The column is called "connected" and has the index of the edges. If the edges are not of a frame
    library, the result is the array: on the device if ``on_device``, otherwise on the host.
    """
    frame = _frame_of(edges)
    if frame is None:
        return bring(values, backend, on_device)
    if is_cudf(frame):
        return make_series(frame, "connected", bring(values, backend, True))
    values = bring(values, backend, False)
    return column_of(with_column(frame, "connected", values, None), "connected")


def _frame_of(edges: Any) -> Any:
    """Return a frame with a row for each edge; None if the edges are not of a frame library."""
    edges = frame_of_levels(edges)
    if isinstance(edges, tuple):
        if not (len(edges) and (is_series(edges[0]) or is_frame(edges[0]))):
            return None
        edges = edges[0]  # the sources have a row for each edge
    elif type(edges).__module__.partition(".")[0] not in LIBRARIES:  # also lists and arrays
        return None
    if not is_series(edges):
        return edges.collect() if hasattr(edges, "collect") else edges
    if is_cudf(edges):
        return edges.to_frame()
    return nw.from_native(edges, series_only=True).to_frame().to_native()
