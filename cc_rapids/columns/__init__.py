"""Columns of ids: what they hold is checked, and their memory is lent as it lies."""

from .arrow import chunked, text_buffers
from .column import (
    LIBRARIES,
    Column,
    Lend,
    Lending,
    Native,
    array_of,
    empty,
    is_cudf,
    is_cudf_frame,
    is_series,
    of,
    of_array,
    of_cudf,
    of_parts,
    of_series,
    series_of,
    without_rows,
)
from .content import Content
from .refusals import refuse_twice
from .sides import no_rows, same_kind

__all__ = [
    "LIBRARIES",
    "Column",
    "Content",
    "Lend",
    "Lending",
    "Native",
    "array_of",
    "chunked",
    "empty",
    "is_cudf",
    "is_cudf_frame",
    "is_series",
    "no_rows",
    "of",
    "of_array",
    "of_cudf",
    "of_parts",
    "of_series",
    "refuse_twice",
    "same_kind",
    "series_of",
    "text_buffers",
    "without_rows",
]
