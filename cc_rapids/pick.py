"""Pick: single columns and values out of frames of any kind, and columns into them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .columns import LIBRARIES, Column, array_of, is_cudf, is_series
from .errors import ColumnTypeError, InputError, NullsError


def columns_of(frame: Any) -> list[str]:
    """The names of the columns."""
    if isinstance(frame, tuple):
        return list(frame._fields)  # type: ignore[attr-defined]
    arrow = hasattr(type(frame), "column_names")
    return list(frame.column_names if arrow else frame.columns)


def column_of(frame: Any, name: str) -> Any:
    """One column, of the frame's own kind."""
    return getattr(frame, name) if isinstance(frame, tuple) else frame[name]


def only(frame: Any, name: str) -> Any:
    """The column of that name; of ids of several columns the frame of all of theirs."""
    names = columns_of(frame)
    if name in names:
        return column_of(frame, name)
    wanted = [word for word in names if word.endswith(f"_{name}")]
    return frame.select(wanted) if hasattr(frame, "select") else frame[wanted]


def first(column: Any) -> Any:
    """The first value of a column or array as Python's own; of a frame the row as a tuple."""
    if hasattr(column, "columns"):
        return tuple(first(column_of(column, name)) for name in columns_of(column))
    value = column.iloc[0] if hasattr(column, "iloc") else column[0]
    if hasattr(value, "as_py"):
        return value.as_py()
    return value.item() if hasattr(value, "item") else value


def vertex_and_score(frame: Any) -> tuple[Any, Any]:
    """The column ``vertex`` of a frame and its only other one."""
    others = [name for name in columns_of(frame) if name != "vertex"]
    if len(others) != 1 or len(others) == len(columns_of(frame)):
        raise InputError(
            f"by is a frame of a column 'vertex' and one of scores, or a pair (vertices, scores);"
            f" this one has {', '.join(columns_of(frame))}"
        )
    return column_of(frame, "vertex"), column_of(frame, others[0])


def numbers_of(column: Any) -> tuple[Any, Any]:
    """A column of numbers as an array, and which of them are there: no nulls, no nan."""
    if is_cudf(column):
        there = column.notnull().to_cupy()
        values = column.fillna(0).to_cupy()
        return values, there & (values == values)
    if hasattr(column, "__cuda_array_interface__"):
        return column, column == column
    import narwhals as nw

    series = nw.from_native(column, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        there = ~series.is_null().to_numpy()
        values = series.fill_null(0).to_numpy()
    else:
        values = np.asarray(column)
        there = np.ones(values.size, bool)
    return values, there & (values == values)


def with_column(frame: Any, name: str, values: Any, there: Any) -> Any:
    """A copy of a frame with one more column; null where not ``there``, which may be None.

    Parameters
    ----------
    frame : frame of cuDF, pandas, Polars or PyArrow
    values : array, or column of any library, where the frame lies
    there : array of bool, or None
    """
    if is_cudf(frame):
        import cudf

        column = cudf.Series(values)
        column = column if there is None else column.where(cudf.Series(there))
        column.index = frame.index
        return frame.assign(**{name: column})
    import narwhals as nw
    import pyarrow as pa
    import pyarrow.compute as pc

    arrow = pa.array(values) if isinstance(values, np.ndarray) else values
    if not isinstance(arrow, pa.Array | pa.ChunkedArray):
        arrow = nw.from_native(values, series_only=True).to_arrow()
    if there is not None:
        arrow = pc.if_else(pa.array(there), arrow, None)
    whole = nw.from_native(frame)
    if whole.implementation.is_pandas_like():
        return frame.assign(**{name: _for_pandas(arrow, frame.index)})
    made = nw.from_arrow(pa.table({name: arrow}), backend=whole.implementation)
    return whole.with_columns(made[name]).to_native()


def column_like(edges: Any, name: str, values: Any, engine: Any, on_device: bool) -> Any:
    """A column of values, one a row of an edge list: of its kind and with its index.

    Parameters
    ----------
    edges : frame or pair of series of any library, or what has no columns of its own
    values : array of the engine's
    on_device : bool
        Where an array is wanted.
    """
    frame = _frame_of(edges)
    if frame is None:
        return bring(values, engine, on_device)
    return column_of(with_column(frame, name, bring(values, engine, is_cudf(frame)), None), name)


def _frame_of(edges: Any) -> Any:
    """A frame with as many rows as an edge list has, if it is of a library of frames."""
    if isinstance(edges, tuple | list):
        if not (len(edges) and is_series(edges[0])):
            return None
        edges = edges[0]
    elif type(edges).__module__.partition(".")[0] not in LIBRARIES:
        return None
    if not is_series(edges):
        return edges.collect() if hasattr(edges, "collect") else edges
    if is_cudf(edges):
        return edges.to_frame()
    import narwhals as nw

    return nw.from_native(edges, series_only=True).to_frame().to_native()


def rows_of(column: Any, mask: Any, engine: Any) -> Any:
    """The rows of an array, a series or PyArrow's column for which a mask of the engine's holds."""
    mask = bring(mask, engine, type(column).__module__.partition(".")[0] in ("cudf", "cupy"))
    if hasattr(column, "filter") and not hasattr(column, "iloc"):
        return column.filter(_arrow_mask(column, mask))
    return column[mask]


def _arrow_mask(column: Any, mask: Any) -> Any:
    """What ``filter`` of PyArrow's columns takes; Polars' takes an array."""
    import pyarrow as pa

    return pa.array(mask) if isinstance(column, pa.Array | pa.ChunkedArray) else mask


def mask_of(name: str, values: Any) -> Any:
    """An array of bool, where the column lies.

    Raises
    ------
    ColumnTypeError, NullsError, InputError
        It holds something else, or nulls, or is not one-dimensional.
    """
    array, dtype = _plain(values) if is_series(values) else (array_of(name, values), "")
    if array is None:
        raise NullsError(
            f"column {name!r} has nulls in its {len(values):,} rows: it says of each whether it is"
            " a query; fill them with True or False"
        )
    if array.dtype != bool and array.size:
        raise ColumnTypeError(
            f"column {name!r} is {dtype or array.dtype} ({array.size:,} values): it says by True"
            " and False which rows are queries; cast it, such as .astype(bool)"
        )
    return array.astype(bool)


def _plain(series: Any) -> tuple[Any, str]:
    """A series as an array, None if it holds nulls; and the name of its type."""
    if is_cudf(series):
        return None if series.isnull().any() else series.to_cupy(), str(series.dtype)
    import narwhals as nw

    side = nw.from_native(series, series_only=True)
    return None if side.is_null().any() else side.to_numpy(), str(side.dtype)


def bring(column: Any, engine: Any, on_device: bool) -> Any:
    """An array of the engine's where it is wanted; a column of a library's as it is."""
    ours = isinstance(column, engine.xp.ndarray)
    if not ours or engine.on_device == on_device:
        return column
    if engine.on_device:
        return engine.to_host(column)
    import cupy

    return cupy.asarray(column)


def _for_pandas(arrow: Any, index: Any) -> Any:
    """A series of pandas'; integers with nulls stay integers."""
    import pandas as pd
    import pyarrow as pa

    values = arrow.to_pandas()
    if arrow.null_count and pa.types.is_integer(arrow.type):
        there = arrow.is_valid().to_numpy(zero_copy_only=False)
        values = pd.arrays.IntegerArray(arrow.fill_null(0).to_numpy(), ~there)
    series = pd.Series(values)
    series.index = index
    return series


def check_kinds(own: Column, column: Column) -> None:
    """An InputError if ids of a column cannot be among those of an answer."""
    left, right = own.parts or (own,), column.parts or (column,)
    fits = len(left) == len(right) and all(
        a.strings == b.strings or not b.size for a, b in zip(left, right, strict=True)
    )
    if not fits:
        raise InputError(
            f"{column.name!r} is {column.dtype}, and the vertices are {own.dtype}: give ids of"
            " the kind that the edges hold"
        )
