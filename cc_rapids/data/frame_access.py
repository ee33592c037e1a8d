"""Read single columns and values of frames of any kind, and ids of several columns."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

import numpy as np

from ..errors import (
    ArgumentTypeError,
    ColumnTypeError,
    InputError,
    MissingColumnError,
    NullsError,
    hint_of,
    inflected,
    listed,
    shown,
)
from .column import (
    Column,
    any_array,
    array_of,
    as_series,
    chunked,
    column_where,
    is_cudf,
    is_cudf_frame,
    is_series,
    numbers_of_list,
    numbers_of_series,
    of,
    of_key_columns,
    refuse_twice,
    series_of,
    valid_of,
)
from .dtypes import is_float, is_number
from .edge_array import is_edge_array
from .kinds import frame_of_levels
from .lazy import cupy, nw
from .relations import is_relation, table_of

VERTEX = "vertex"  # the column of vertices in answers, and by default in frames of documents


def columns_of(frame: Any) -> list[Any]:
    """Return the column names of a frame, a mapping or a named tuple."""
    if isinstance(frame, tuple):
        return list(frame._fields)  # type: ignore[attr-defined]
    if isinstance(frame, Mapping):
        return list(frame)
    if hasattr(frame, "collect_schema"):  # reading .columns of a lazy frame warns
        return list(frame.collect_schema().names())
    is_arrow = hasattr(type(frame), "column_names")
    if not (is_arrow or hasattr(frame, "columns")):
        raise ArgumentTypeError(f"{shown(frame)} has no named columns: pass a frame")
    return list(frame.column_names if is_arrow else frame.columns)


def names_of(edges: Any) -> list[Any]:
    """Return the column names of an edge list; [] for a pair, an array or a path."""
    has_no_names = isinstance(edges, tuple | list | str) or is_edge_array(edges)
    return [] if has_no_names else columns_of(edges)


def column_of(frame: Any, name: Any) -> Any:
    """Return one column in the library of the frame; for a DuckDB relation, in PyArrow."""
    if is_relation(frame):
        return table_of(frame, [name])[name]
    return getattr(frame, name) if isinstance(frame, tuple) else frame[name]


def answer_column(frame: Any, name: str) -> Any:
    """Return the column ``name`` of an answer; for composite ids, the frame of its key columns."""
    names = columns_of(frame)
    if name in names:
        return column_of(frame, name)
    key_names = [column for column in names if column.endswith(f"_{name}")]  # such as 0_vertex
    if name == VERTEX and not key_names:  # names of the caller, such as kind and id
        key_names = [c for c in names if c != "labels" and not c.endswith("_labels")]
    if isinstance(frame, Mapping):
        return {column: frame[column] for column in key_names}
    return frame.select(key_names) if hasattr(frame, "select") else frame[key_names]


def frame_size(frame: Any) -> int:
    """Return the number of rows of a frame, or of a dictionary's first column (0 for a scalar)."""
    if isinstance(frame, dict):
        column = next(iter(frame.values()), ())
        return len(column) if hasattr(column, "__len__") else 0
    return len(chunked(frame))


def frame_in_memory(frame: Any) -> Any:
    """Return a frame in memory; collect a lazy frame of Polars or a relation of DuckDB.

    A dictionary of columns is a frame, too. Other objects raise an InputError.
    """
    if is_cudf_frame(frame) or isinstance(frame, dict):
        return frame
    frame = nw.to_native(chunked(frame), pass_through=True)
    if is_relation(frame) or nw.dependencies.is_polars_lazyframe(frame):
        return collected(frame)
    try:
        nw.from_native(frame, eager_only=True)
    except nw.exceptions.DuplicateError:
        return frame  # duplicate names do not matter unless requested
    except TypeError:
        raise _no_frame(frame) from None
    return frame


def _no_frame(frame: Any) -> InputError:
    """Return the error for an argument that is not a frame, with advice on how to read a path."""
    if not isinstance(frame, str | os.PathLike):
        hint = ", such as frame.compute()" if hasattr(frame, "compute") else ""
        return InputError(
            f"frame cannot be a {type(frame).__name__}: pass a frame of cuDF, pandas, Polars or"
            f" PyArrow{hint}"
        )
    path = str(os.fspath(frame))
    read = "read_csv" if path.lower().endswith((".csv", ".tsv")) else "read_parquet"
    tabs = ", sep='\\t'" if path.endswith(".tsv") else ""
    return InputError(
        f"frame cannot be the path {path!r}: read it first, such as by pd.{read}({path!r}{tabs}),"
        " and pass the frame"
    )


def check_columns(
    frame: Any,
    requested: list[Any],
    purpose: str = "to attach labels on",
    advice: str = "name the column with on=",
) -> None:
    """Check that each requested column exists exactly once.

    ``purpose`` and ``advice`` are phrases of the error for a column that does not exist.

    Raises
    ------
    MissingColumnError, InputError
        A column does not exist, or exists several times.
    """
    names = columns_of(frame)
    for name in requested:
        if name not in names:
            present = list(map(str, names))
            default = f" {name!r} is the name by default, and" if name == VERTEX else ""
            raise MissingColumnError(
                f"there is no column {name!r} {purpose}:{default or hint_of(name, present)} there"
                f" are {listed(present)}; {advice}"
            )
        refuse_twice(name, names)


def first(column: Any) -> Any:
    """Return the first value of a column as a Python object; for a frame, the tuple of a row."""
    if isinstance(column, dict) or hasattr(column, "columns"):
        return tuple(first(column_of(column, name)) for name in columns_of(column))
    value = column.iloc[0] if hasattr(column, "iloc") else column[0]
    if hasattr(value, "as_py"):
        return value.as_py()
    return value.item() if hasattr(value, "item") else value


def on_host(frame: Any) -> Any:
    """Copy a frame or a tuple of columns to the host: cuDF to pandas, CuPy to NumPy."""
    if isinstance(frame, tuple):
        return type(frame)(*map(on_host, frame))
    if is_cudf(frame):
        return frame.to_pandas()
    return frame.get() if hasattr(frame, "__cuda_array_interface__") else frame


def values_of(column: Any) -> list[Any]:
    """Return the values of a host column as Python objects, or the rows of a frame as tuples."""
    if hasattr(column, "columns"):
        columns = [values_of(column_of(column, name)) for name in columns_of(column)]
        return list(zip(*columns, strict=True))
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, name):
            return list(getattr(column, name)())
    return list(column)


def rows_between(column: Any, begin: int, end: int) -> Any:
    """Return consecutive rows of a host column or frame; pandas objects get a new index."""
    if hasattr(column, "iloc"):
        part = column.iloc[begin:end]
        part.index = range(end - begin)
        return part
    if hasattr(type(column), "column_names"):
        return column.slice(begin, end - begin)
    return column[begin:end]


def are_parts(edges: Any) -> bool:
    """Return whether edges are a list of frames, or of pairs of arrays."""
    if not isinstance(edges, list):
        return False
    return bool(edges) and all(is_frame(part) or _is_pair_of_arrays(part) for part in edges)


def _is_pair_of_arrays(part: Any) -> bool:
    is_pair = isinstance(part, tuple) and len(part) == 2
    return is_pair and all(hasattr(side, "dtype") and len(side.shape) for side in part)


def numbers_of(column: Any, what: str = "numbers") -> tuple[Any, Any]:
    """Return a column of numbers as an array, and a mask that is False for nulls and NaN.

    The array may share the memory of the column; do not modify it. ``what`` is the name of the
    column in errors.

    Raises
    ------
    ColumnTypeError, InputError
        The column does not hold numbers, or is not one-dimensional.
    """
    values, valid = numbers_and_mask(column, what)
    return values, values == values if valid is None else valid  # only NaN differs from itself


def numbers_and_mask(column: Any, what: str = "numbers") -> tuple[Any, Any]:
    """Return what :func:`numbers_of` returns, but None for the mask if no number is null or NaN."""
    if is_cudf(column):
        if not is_number(column.dtype):
            raise _no_numbers(what, column.dtype, len(column))
        if not column.null_count:
            values, valid = cupy.asarray(column), None  # on the device of the column
        else:
            valid = column.notnull().to_cupy()
            values = column.fillna(0).to_cupy()
    else:
        values, valid = _host_numbers(column, what)
    if not is_float(values.dtype):
        return values, valid
    # one pass without a mask: the maximum is NaN if any value is NaN
    if valid is None and not (values.size and isnan(values.max())):
        return values, None
    not_nan = values == values  # only NaN differs from itself
    return values, not_nan if valid is None else valid & not_nan


def _host_numbers(column: Any, what: str) -> tuple[Any, Any]:
    """Return numbers on the host as an array, and a mask that is False for nulls, or None."""
    column = as_series(column)
    if hasattr(column, "__cuda_array_interface__"):
        return _checked_numbers(what, array_of(what, column)), None
    if not is_series(column):
        array = column
        if isinstance(column, list | tuple):
            array = numbers_of_list(what, column)
        elif not isinstance(column, np.ndarray):
            array = any_array(what, column)
        if array.ndim != 1:
            raise InputError(f"{what} have shape {array.shape}, but must be one column of numbers")
        values = _checked_numbers(what, np.ma.getdata(array))
        return values, ~np.ma.getmaskarray(array) if np.ma.is_masked(array) else None
    series = series_of(column, "weights")
    are_numbers = series.dtype.is_integer() or series.dtype.is_float()
    if not are_numbers or series.dtype in (nw.Int128, nw.UInt128):  # too wide for NumPy
        raise _no_numbers(what, getattr(column, "dtype", None) or column.type, len(column))
    return numbers_of_series(series)


def _checked_numbers(what: str, array: Any) -> Any:
    """Return an array of numbers unchanged, and an empty array of another type as int64."""
    if is_number(array.dtype):
        return array
    if array.size:
        raise _no_numbers(what, array.dtype, array.size)
    return np.empty(0, np.int64)


def _no_numbers(what: str, dtype: Any, size: int) -> ColumnTypeError:
    """Return the error for a column that does not hold numbers."""
    return ColumnTypeError(
        f"{what} must be numbers, but these are {dtype} ({size:,} values): cast them first"
    )


def rows_of(column: Any, mask: Any, backend: Any) -> Any:
    """Return the rows of an array, series or PyArrow column where a mask of the backend is true."""
    on_device = type(column).__module__.partition(".")[0] in ("cudf", "cupy")
    return column_where(column, bring(mask, backend, on_device))


def mask_of(name: str, values: Any) -> Any:
    """Return the column that marks the rows of queries as a boolean array on the same device.

    Raises
    ------
    ColumnTypeError, NullsError, InputError
        The column does not hold booleans, has nulls, or is not one-dimensional.
    """
    values = as_series(values)
    if is_series(values):
        array, type_name = _array_of_series(values)
    else:
        array = array_of(name, values)
        type_name = str(array.dtype)
    if array is None:
        raise NullsError(
            f"column {name!r} has nulls in its {len(values):,} rows: the column must say"
            " which rows are queries; fill the nulls with True or False"
        )
    if array.dtype != bool and array.size:  # an empty column may have any type
        raise ColumnTypeError(
            f"column {name!r} is {type_name} ({array.size:,} values): it must hold"
            " True or False, True for rows that are queries; cast it, such as .astype(bool)"
        )
    return array.astype(bool)


def _array_of_series(series: Any) -> tuple[Any, str]:
    """Return a series as an array (None if it has nulls), and the name of its type.

    If its type is not boolean, only the length of the array has a meaning.
    """
    if is_cudf(series):
        return None if series.isnull().any() else series.to_cupy(), str(series.dtype)
    series = series_of(series)
    if valid_of(series.to_native()) is not None:
        return None, str(series.dtype)
    may_be_boolean = series.dtype in (nw.Boolean, nw.Object)
    # some other types cannot be converted to an array
    array = series.to_numpy() if may_be_boolean else np.empty(len(series), object)
    return array, str(series.dtype)


def bring(column: Any, backend: Any, on_device: bool) -> Any:
    """Move a backend's array to the device or to the host; return other columns unchanged."""
    is_array = isinstance(column, backend.xp.ndarray)
    if not is_array or backend.on_device == on_device:
        return column
    return backend.to_host(column) if backend.on_device else cupy.asarray(column)


def check_kinds(ids: Column, column: Column, has_vertices: bool = True) -> None:
    """Raise an InputError unless :func:`of_one_kind` is true."""
    if not of_one_kind(ids, column, has_vertices):
        raise InputError(
            f"{column.name!r} is {column.dtype}, but the vertices are {ids.dtype}: pass ids of the"
            " same kind as those of the edges"
        )


def of_one_kind(ids: Column, column: Column, has_vertices: bool = True) -> bool:
    """Return whether ids of a column can be equal to vertices (``ids``) of an answer.

    If the column is empty or the answer has no vertices, only the numbers of columns are compared.
    """
    vertex_parts, parts = ids.key_columns or (ids,), column.key_columns or (column,)
    if len(vertex_parts) != len(parts):
        return False
    is_empty = not (parts[0].size and has_vertices)
    return is_empty or [a.strings for a in vertex_parts] == [b.strings for b in parts]


def vertices_of_keys(ids: Any, width: int) -> Column:
    """Return composite ids as one column.

    Parameters
    ----------
    ids : frame, list of columns, list of tuples, or array of shape (k, width)
        Each tuple in a list, and each row of an array, is an id.
    width : int
        The number of columns of an id.

    Raises
    ------
    InputError
        The ids are of another kind, have another number of columns, or have columns of different
        lengths. The errors of :func:`cc_rapids.data.column.of` are raised as well.
    """
    columns = key_parts("vertices", ids, width)
    if not columns:
        raise InputError("vertices= is a frame without columns: pass a column of ids")
    if len(columns) != width:
        raise InputError(
            f"vertices have {len(columns)} columns, but the edges have {width} per side: pass a"
            f" frame or a list of {width} columns, or a list of tuples, one for each id"
        )
    key_columns = [of("vertices", column) for column in columns]
    sizes = [part.size for part in key_columns]
    if len(set(sizes)) > 1:
        raise InputError(
            f"the columns of vertices have {', '.join(f'{size:,}' for size in sizes)} rows: every"
            " column needs one item for each id"
        )
    return of_key_columns(key_columns)


def is_single(vertex: Any) -> bool:
    """Return whether a value is a single id: a string, an integer, or a tuple of these."""
    parts = vertex if isinstance(vertex, tuple) else (vertex,)
    return all(isinstance(part, str | int | np.integer) for part in parts)


def is_frame(ids: Any) -> bool:
    """Return whether ids are a frame, of one or more columns."""
    return hasattr(type(ids), "columns") and not is_series(ids)


def collected(frame: Any, requested: Sequence[str] | None = None) -> Any:
    """Return a frame in memory: relations of DuckDB and record batches of PyArrow become tables.

    Lazy frames of Dask and Polars are collected: all columns, or only the ``requested`` ones.
    """
    if is_relation(frame):
        return table_of(frame)
    kind = type(frame)
    if kind.__name__ == "DataFrame" and kind.__module__.startswith("dask"):
        names = [name for name in frame.columns if requested is None or name in requested]
        return frame[names].compute()
    if not hasattr(kind, "collect"):  # not lazy
        return chunked(frame) if is_frame(frame) else frame
    if requested is not None and hasattr(frame, "collect_schema"):
        columns = frame.collect_schema().names()
        frame = frame.select([name for name in columns if name in requested])
    return frame.collect()


def key_width(ids: Any) -> int:
    """Return the number of columns of ids in a frame, 2-d array or list of tuples; otherwise 0."""
    if isinstance(ids, list):
        return len(ids[0]) if ids and isinstance(ids[0], tuple) else 0
    if is_frame(ids):  # lazy frames have no shape, and the shape of a relation takes a query
        return len(columns_of(frame_of_levels(ids)))
    return int(frame_of_levels(ids).shape[1]) if getattr(ids, "ndim", 1) == 2 else 0


def key_parts(name: str, ids: Any, width: int) -> list[Any]:
    """Return the columns of the ids of :func:`vertices_of_keys`; only tuples are checked."""
    ids = chunked(frame_of_levels(ids))
    if isinstance(ids, tuple | list):
        if any(isinstance(item, tuple) for item in ids):
            return _of_tuples(name, ids, width)
        return list(ids) if len(ids) else [[] for _ in range(width)]  # no ids
    if isinstance(ids, np.ndarray) or hasattr(ids, "__cuda_array_interface__"):
        if ids.ndim == 2:
            return list(ids.T)
        if not ids.size:
            return [ids.ravel()] * width
    elif is_frame(ids):
        frame = collected(ids)
        return [column_of(frame, column) for column in columns_of(frame)]
    shape = f" of shape {tuple(ids.shape)}" if hasattr(ids, "shape") else ""
    raise InputError(
        f"{name} cannot be a {type(ids).__name__}{shape}, because an id has {width} columns: pass"
        f" a frame or a list of {width} columns, a list of tuples, or an array of shape (ids,"
        f" {width})"
    )


def _of_tuples(name: str, ids: Any, width: int) -> list[Any]:
    """Return the columns of a list of tuples; each tuple is an id."""
    invalid = [item for item in ids if not (isinstance(item, tuple) and len(item) == width)]
    if invalid:
        raise InputError(
            f"{len(invalid):,} of {len(ids):,} {name} {inflected(len(invalid), 'is', 'are')} not"
            f" {inflected(len(invalid), 'a tuple', 'tuples')} of {width} items, such as"
            f" {invalid[0]!r}: each id must be a tuple with one item for each column"
        )
    return [list(column) for column in zip(*ids, strict=True)]
