"""Weights that came as text: whole numbers, or else floats."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ..errors import FormatError
from .delimited import Block, Dialect, shown

if TYPE_CHECKING:
    import pyarrow as pa


class Weights:
    """A column of weights, gathered block by block; int64, or double if any is not whole."""

    def __init__(self) -> None:
        self._blocks: list[pa.ChunkedArray] = []

    def append(
        self, path: str, block: Block, dialect: Dialect, place: int, text: pa.ChunkedArray
    ) -> None:
        """Add the text of one block, from field ``place`` of its lines."""
        values = None if text.null_count else numbers(text)
        if values is None:
            raise _no_number(path, block, dialect, place)
        self._blocks.append(values)

    def column(self) -> pa.ChunkedArray:
        """The weights so far."""
        import pyarrow as pa

        whole = all(values.type == pa.int64() for values in self._blocks)
        kind = pa.int64() if whole else pa.float64()
        return pa.chunked_array([c for v in self._blocks for c in v.cast(kind).chunks], kind)


def numbers(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Text as int64, or else as double; None if it is neither."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pc.utf8_trim(text, " \t")
    for kind in (pa.int64(), pa.float64()):
        with suppress(pa.ArrowInvalid):
            return text.cast(kind)
    return None


def _no_number(path: str, block: Block, dialect: Dialect, place: int) -> FormatError:
    """The error for the first line whose weight is none."""
    for number, line in block.lines():
        fields = dialect.split(dialect.clean(line))
        if any(fields) and not _is_number(fields, place):
            return FormatError(
                f"{path}, line {number}: expected a number as weight in field {place + 1}, found"
                f" {shown(line)}"
            )
    return FormatError(f"{path}, from line {block.line} on: a weight is not a number")


def _is_number(fields: list[str], place: int) -> bool:
    import pyarrow as pa

    return len(fields) > place and numbers(pa.chunked_array([[fields[place]]])) is not None
