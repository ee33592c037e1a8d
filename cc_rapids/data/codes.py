"""Codes for the values of a column of any type: equal values have equal codes."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..errors import ColumnTypeError, shown
from .column import as_series, is_cudf, is_series, series_of, without_views
from .dtypes import is_integer
from .lazy import pa


def coded(name: Any, column: Any, argument: str) -> tuple[Any, Any]:
    """Return a code for each value of a column, -1 for null, and the value of each code.

    The codes are an array of int64 on the device of the column. The values are a column of distinct
    values in unspecified order, or a range of integers. NaN is null if the column's library treats
    NaN as null, as pandas does. Errors name the column and the ``argument`` that names it.
    """
    if isinstance(column, str) or not hasattr(column, "__len__"):
        raise ColumnTypeError(
            f"{argument} has {shown(column)} as column {name!r}: pass columns, or for a dict d of"
            " ids and their values, a pair (list(d), list(d.values()))"
        )
    integers = _integers(column)
    if integers is not None and integers.size:
        least, greatest = int(integers.min()), int(integers.max())
        if greatest - least <= 2 * integers.size:  # dense enough for codes without hashing
            # negative integers wrap around when they become unsigned; the difference wraps back
            offsets = integers.astype(np.uint64) - np.uint64(least % (1 << 64))
            return offsets.astype(np.int64), range(least, greatest + 1)
    if is_cudf(column):
        column = column.reset_index(drop=True)
        if isinstance(column.dtype, sys.modules["cudf"].CategoricalDtype):
            column = column.astype(column.dtype.categories.dtype)
        codes, values = column.factorize()  # the code of nulls is -1
        return codes.astype(np.int64), values
    try:
        arrow = _arrow(column)
        if not pa.types.is_dictionary(arrow.type):
            return _encoded(arrow)
        codes_by_index, values = _encoded(arrow.dictionary)  # dictionaries may repeat a value
        valid = arrow.indices.is_valid().to_numpy(zero_copy_only=False)
        codes = np.full(len(arrow), -1, np.int64)
        codes[valid] = codes_by_index[arrow.indices.drop_null().to_numpy()]
        return codes, values
    except (pa.ArrowException, TypeError, OverflowError, UnicodeEncodeError):
        dtype = getattr(column, "dtype", None) or getattr(column, "type", type(column).__name__)
        raise ColumnTypeError(
            f"column {name!r} is {dtype} ({len(column):,} values): {argument} must name a column"
            " whose values can be compared, such as integers, strings, categories or dates; cast it"
            " first"
        ) from None


def _integers(column: Any) -> Any:
    """Return a column of integers without nulls as an array; None for other columns."""
    dtype = getattr(column, "dtype", None)
    if not isinstance(dtype, np.dtype) or not is_integer(dtype) or getattr(column, "ndim", 1) != 1:
        return None
    if is_cudf(column):
        return None if column.null_count else column.values
    if np.ma.isMaskedArray(column):
        return None
    return column.to_numpy() if hasattr(column, "to_numpy") else column


def _arrow(column: Any) -> Any:
    """Return a column as one PyArrow array; NaN becomes null if its library treats NaN as null."""
    column = as_series(column)
    if is_series(column) or isinstance(column, pa.Array | pa.ChunkedArray):
        arrow = series_of(column).to_arrow()
    else:
        array = column.get() if hasattr(column, "get") else column  # from CuPy
        is_list = isinstance(column, list | tuple)
        arrow = pa.array(list(column) if is_list else np.asarray(array), from_pandas=True)
    return arrow.combine_chunks() if isinstance(arrow, pa.ChunkedArray) else arrow


def _encoded(arrow: Any) -> tuple[Any, Any]:
    """Return the codes of a PyArrow array, -1 for null, and the value of each code."""
    encoded = without_views(arrow).dictionary_encode()
    codes = encoded.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    return codes, encoded.dictionary
