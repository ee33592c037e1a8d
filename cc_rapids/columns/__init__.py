"""Columns of ids: what they hold is checked, and their memory is lent as it lies."""

from .arrow import as_series, chunked, plain, rows_where, text_buffers
from .column import (
    LIBRARIES,
    Column,
    Held,
    Lend,
    Lending,
    Native,
    array_of,
    empty,
    held,
    is_cudf,
    is_cudf_frame,
    is_series,
    of,
    of_array,
    of_cudf,
    of_parts,
    of_series,
    series_of,
    there_of,
    without_rows,
)
from .content import Content
from .lists import numbers_of_list
from .refusals import REFUSE, refuse_twice, remedy_for
from .sides import no_rows, same_kind

__all__ = [
    "LIBRARIES",
    "REFUSE",
    "Column",
    "Content",
    "Held",
    "Lend",
    "Lending",
    "Native",
    "array_of",
    "as_series",
    "chunked",
    "empty",
    "held",
    "is_cudf",
    "is_cudf_frame",
    "is_series",
    "no_rows",
    "numbers_of_list",
    "of",
    "of_array",
    "of_cudf",
    "of_parts",
    "of_series",
    "plain",
    "refuse_twice",
    "remedy_for",
    "rows_where",
    "same_kind",
    "series_of",
    "text_buffers",
    "there_of",
    "without_rows",
]
