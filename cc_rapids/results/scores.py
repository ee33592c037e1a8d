"""Convert scores of any type to numbers that have the same order."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..data.column import as_series, is_cudf, is_series, series_of
from ..data.dtypes import is_boolean, is_number, is_time
from ..data.frame_access import column_of, columns_of, numbers_of
from ..data.lazy import cudf, nw, pa, pc
from ..errors import ColumnTypeError, InputError, hint_of

BY = (
    "by= must be a frame with a column 'vertex' and a column of scores,"
    " or a pair (vertices, scores)"
)


def vertices_and_scores(by: Any, width: int, keys: tuple[str, ...] = ()) -> tuple[Any, Any]:
    """Return the vertices and the scores of ``by``, as two columns.

    ``by`` is a pair (vertices, scores), or a frame with a column ``vertex`` and one column of
    scores. ``width`` is the number of columns of composite ids, and 0 for other ids. In a frame,
    the columns of composite ids are named ``0_vertex``, ``1_vertex``, ..., or as in ``keys``, and
    are returned as a list. Raise an InputError if ``by`` is neither a frame nor a pair, or if the
    frame has other columns.
    """
    is_named_tuple = hasattr(by, "_fields")
    is_tuple = isinstance(by, tuple) and not is_named_tuple
    if is_tuple and len(by) == 2:
        return by[0], by[1]
    is_frame = is_named_tuple or (hasattr(type(by), "columns") and not is_series(by))
    if is_tuple or not is_frame:
        items = f" of {len(by)} items" if isinstance(by, tuple | list) else ""
        hint = ""
        if isinstance(by, str):
            hint = f": for a column of a frame, use deduplicate(frame, on=..., by={by!r})"
        raise InputError(f"{BY}, not a {type(by).__name__}{items}{hint}")
    if hasattr(type(by), "collect"):
        by = by.collect()
    ids, names = [f"{k}_vertex" for k in range(width)] or ["vertex"], columns_of(by)
    if keys and not set(ids) & set(names):
        ids = list(keys)
    others = [name for name in names if name not in ids]
    if len(others) != 1 or len(names) != len(ids) + 1:
        several = f" (composite ids need the columns {', '.join(ids)})" if width else ""
        similar = "" if ids[0] in names else hint_of(ids[0], map(str, names))
        hint = f":{similar}" if similar else ""
        raise InputError(f"{BY}; this frame has {', '.join(map(str, names))}{several}{hint}")
    columns = [column_of(by, name) for name in ids]
    return columns if width else columns[0], column_of(by, others[0])


def ordered(scores: Any, what: str = "scores are") -> tuple[Any, Any]:
    """Return numbers that have the order of the scores, and a mask of the valid scores.

    ``scores`` is a column, array or list of m numbers, booleans, dates, times, strings, or
    categories. Unordered categories compare by their values. Null and NaN scores are not valid, and
    their numbers are arbitrary. The results are (m,) arrays of numbers and of bool. Raise a
    ColumnTypeError or an InputError if the scores have no order, or are not one-dimensional. The
    error message begins with ``what`` and the type of the scores.
    """
    shape = tuple(getattr(scores, "shape", (0,)))
    if len(shape) != 1:
        raise _no_scores(f"{what} of shape {shape}")
    if is_cudf(scores):
        return numbers_of(_cudf_numbers(scores, what))
    if hasattr(scores, "__cuda_array_interface__"):
        if not (is_number(scores.dtype) or is_boolean(scores.dtype)):
            raise _no_scores(f"{what} {scores.dtype}")
        return numbers_of(scores.astype(np.int8) if is_boolean(scores.dtype) else scores)
    return _host_numbers(scores, what)


def _host_numbers(scores: Any, what: str) -> tuple[Any, Any]:
    """Return what :func:`ordered` returns for scores on the host; ``what`` begins error messages.

    Numbers keep their type, and booleans become int8. All other values become ranks or codes.
    """
    if isinstance(scores, list | tuple):
        scores = [None if score is np.ma.masked else score for score in scores]
    series = as_series(scores)
    if is_series(series):
        typed = series_of(series)
        if typed.dtype.is_integer() or typed.dtype.is_float():
            return numbers_of(series, "scores")
        dtype, to_arrow, is_enum = str(typed.dtype), typed.to_arrow, typed.dtype == nw.Enum
    else:
        array = _masked_array(scores, what)
        if is_number(array.dtype) or is_boolean(array.dtype):
            return numbers_of(array.astype(np.int8) if is_boolean(array.dtype) else array)
        dtype, to_arrow, is_enum = str(array.dtype), partial(_arrow, scores, array), False
    try:
        return _codes(to_arrow(), is_enum)  # to_arrow() may fail, as for values of several types
    except (pa.ArrowException, TypeError, OverflowError, UnicodeEncodeError):
        raise _no_scores(f"{what} {dtype}") from None


def _masked_array(scores: Any, what: str) -> Any:
    """Return scores as a masked array; raise a ColumnTypeError unless it is one-dimensional."""
    try:
        array = np.ma.asarray(scores)
    except ValueError:
        raise _no_scores(f"{what} lists of several lengths") from None
    if array.ndim != 1:
        raise _no_scores(f"{what} a {type(scores).__name__} of shape {array.shape}")
    return array


def _arrow(scores: Any, array: Any) -> Any:
    """Return scores that are not numbers as a PyArrow array; ``array`` is their masked array."""
    values, is_null = array.data, np.ma.getmaskarray(array)
    if is_time(array.dtype):
        is_null = is_null | np.isnat(values)
    else:  # read lists directly, because NumPy turns numbers among strings into strings
        values = list(scores) if isinstance(scores, list | tuple) else values.tolist()
    return pa.array(values, mask=is_null, from_pandas=True)


def _codes(values: Any, is_enum: bool) -> tuple[Any, Any]:
    """Return numbers that have the order of the values of a PyArrow array, and a mask.

    The mask is True for valid values. Categories of an enumeration or of an ordered type are
    ordered by their positions in the type.
    """
    types = pa.types
    if isinstance(values, pa.ChunkedArray):
        values = values.unify_dictionaries().combine_chunks()
    valid = values.is_valid().to_numpy(zero_copy_only=False)
    if not valid.any():  # the type may be null, which has no order
        return np.zeros(valid.size, np.int64), valid
    if types.is_dictionary(values.type):
        if is_enum or values.type.ordered:
            return values.indices.fill_null(0).to_numpy(), valid
        values = values.dictionary_decode()  # a category may be null
        valid = values.is_valid().to_numpy(zero_copy_only=False)
    if types.is_temporal(values.type):
        return _integers_of_times(values), valid
    if types.is_boolean(values.type):
        return values.cast(pa.int8()).fill_null(0).to_numpy(), valid
    if types.is_string(values.type) or str(values.type) == "string_view":
        values = values.cast(pa.large_string())
    is_ordered = types.is_integer, types.is_floating, types.is_decimal, types.is_large_string
    if not any(is_type(values.type) for is_type in is_ordered):
        raise TypeError(str(values.type))
    if types.is_floating(values.type):
        valid &= ~pc.fill_null(pc.is_nan(values), True).to_numpy(zero_copy_only=False)
    encoded = values.dictionary_encode()
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    rank = np.empty(order.size, np.int64)
    rank[order] = np.arange(order.size)
    return rank[encoded.indices.fill_null(0).to_numpy()], valid


def _integers_of_times(times: Any) -> Any:
    """Return the integers that store dates, times or durations; 0 for nulls."""
    if pa.types.is_interval(times.type):
        raise TypeError(str(times.type))
    integer = pa.int64() if times.type.bit_width == 64 else pa.int32()
    return times.view(integer).fill_null(0).to_numpy()


def _cudf_numbers(column: Any, what: str) -> Any:
    """Return a cuDF series of numbers that have the order and the nulls of the column."""
    column = column.reset_index(drop=True)
    if isinstance(column.dtype, cudf.CategoricalDtype):
        if column.dtype.ordered:
            return column.cat.codes.where(column.notnull())
        column = column.astype(column.dtype.categories.dtype)
    if is_number(column.dtype):
        return column
    if is_boolean(column.dtype) or is_time(column.dtype):
        return column.astype("int8" if is_boolean(column.dtype) else "int64")
    if not cudf.api.types.is_string_dtype(column.dtype):
        raise _no_scores(f"{what} {column.dtype}")
    codes, _ = column.factorize(sort=True)
    return cudf.Series(codes).where(column.notnull())


def _no_scores(what: str) -> ColumnTypeError:
    """Return the error for scores without an order, whose text begins with ``what``."""
    return ColumnTypeError(
        f"{what}: by= must be one column of numbers, booleans, dates, times, strings or categories,"
        " with one value for each vertex or row; cast it first"
    )
