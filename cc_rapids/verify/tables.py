"""PyArrow tables on the host, to which audits convert the frames of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


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


def first_row_of_difference(shown: Sequence[Any], expected: Sequence[Any]) -> int | None:
    """Return the first row in which two lists of columns differ; None if they are equal."""
    rows = []
    for pair in zip(shown, expected, strict=True):
        columns = [plain(column) for column in pair]
        if not columns[0].equals(columns[1]):
            values = (column.to_pylist() for column in columns)
            pairs = enumerate(zip_longest(*values))  # a missing value of the shorter column is None
            rows += [k for k, (a, b) in pairs if a != b][:1]
    return min(rows, default=None)


def row_in_words(columns: Sequence[Any], row: int) -> str:
    """Return a row of the given columns as text."""
    values = [column[row].as_py() if row < len(column) else "no row" for column in columns]
    return repr(values[0] if len(values) == 1 else tuple(values))


def places(table: pa.Table, first: int, last: int) -> list[Any]:
    """Return the columns ``first`` to ``last - 1`` of a table, by position."""
    return [table.column(k) for k in range(first, last)]
