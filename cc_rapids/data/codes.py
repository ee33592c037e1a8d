"""Codes for the values of a column of any type: equal values have equal codes."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..errors import ColumnTypeError
from .column import is_cudf, series_of


def codes_of(name: Any, column: Any) -> tuple[Any, int]:
    """Return an integer code for each value of a column, in unspecified order; null has a code.

    Parameters
    ----------
    name : str
        The name of the column in errors.
    column : series of any library, or a PyArrow column
        NaN counts as null if the library treats it so, as pandas does.

    Returns
    -------
    (m,) array of integers, on the device of the column
    int
        An upper bound: all codes are less than it.

    Raises
    ------
    ColumnTypeError
        Values of this type, such as lists, cannot be compared.
    """
    if is_cudf(column):
        return _cudf_codes(column)
    import pyarrow as pa

    series = series_of(column)
    try:
        arrow = series.to_arrow()
        arrow = arrow.combine_chunks() if isinstance(arrow, pa.ChunkedArray) else arrow
        if not pa.types.is_dictionary(arrow.type):
            return _encoded(arrow)
        values, count = _encoded(arrow.dictionary)  # in which a value may come twice
        valid = arrow.indices.is_valid().to_numpy(zero_copy_only=False)
        codes = np.full(len(arrow), count, np.int64)
        codes[valid] = values[arrow.indices.drop_null().to_numpy()]
        return codes, count + 1
    except (pa.ArrowException, TypeError, OverflowError, UnicodeEncodeError):
        kind = getattr(column, "dtype", None) or column.type
        raise ColumnTypeError(
            f"column {name!r} is {kind} ({len(column):,} values): per= must name a column whose"
            " values can be compared, such as integers, strings, categories or dates; cast it first"
        ) from None


def _encoded(arrow: Any) -> tuple[Any, int]:
    import pyarrow as pa

    if str(arrow.type) == "string_view":
        arrow = arrow.cast(pa.large_string())
    encoded = arrow.dictionary_encode(null_encoding="encode")
    return encoded.indices.to_numpy(), len(encoded.dictionary)


def _cudf_codes(column: Any) -> tuple[Any, int]:
    column = column.reset_index(drop=True)
    if isinstance(column.dtype, sys.modules["cudf"].CategoricalDtype):
        column = column.astype(column.dtype.categories.dtype)
    codes, values = column.factorize()
    return codes.astype(np.int64) + 1, len(values) + 1  # nulls are -1
