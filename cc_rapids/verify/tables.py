"""PyArrow tables on the host, to which audits convert the frames of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from ..errors import VerificationError


def plain(column: Any) -> Any:
    """Return a column in one piece, converted to int64, uint64 or strings with 64-bit offsets.

    Columns of other types, such as floats, keep their type.
    """
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_integer(column.type):
        column = column.cast(pa.int64() if pa.types.is_signed_integer(column.type) else pa.uint64())
    elif pa.types.is_string(column.type) or pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def check_columns(what: str, shown: Sequence[Any], expected: Sequence[Any]) -> None:
    """Raise a VerificationError for the first row in which columns are not as expected.

    ``what`` is the name of the frame in errors.
    """
    import pyarrow as pa

    if len(shown) != len(expected):
        raise VerificationError(f"the {what} have {len(shown)} columns, not {len(expected)}")
    expected = [pa.array(part) if isinstance(part, np.ndarray) else part for part in expected]
    wrong_rows = []  # the first wrong row of each column
    for pair in zip(shown, expected, strict=True):
        columns = [plain(column) for column in pair]
        if not columns[0].equals(columns[1]):
            values = (column.to_pylist() for column in columns)
            # the missing rows of a shorter column differ from all values, even from nulls
            pairs = enumerate(zip_longest(*values, fillvalue=object()))
            wrong_rows += [k for k, (a, b) in pairs if a != b][:1]
    if wrong_rows:
        row = min(wrong_rows)
        texts = [row_in_words(columns, row) for columns in (shown, expected)]
        raise VerificationError(
            f"row {row:,} of the {what} is {texts[0]}, but should be {texts[1]}"
        )


def row_in_words(columns: Sequence[Any], row: int) -> str:
    """Return a row of the given columns as text."""
    if any(row >= len(column) for column in columns):
        return "missing"
    values = [column[row].as_py() for column in columns]
    return repr(values[0] if len(values) == 1 else tuple(values))
