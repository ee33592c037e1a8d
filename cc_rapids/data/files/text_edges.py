"""Read tables of delimited text.

The k-th columns of the ids of both ends are a pair. The two columns of a pair have one type;
different pairs may have different types.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...errors import CcRapidsWarning, FormatError
from ..end_columns import sides_of
from ..lazy import pa, pc
from .binary import with_empty_weights
from .delimited import (
    Block,
    Column,
    Dialect,
    misfit_error,
    parse,
    shown,
)
from .pieces import Piece, Place, has_ids, sliced
from .text_head import first_lines
from .text_ids import IdPair, LateTextError, trimmed

if TYPE_CHECKING:
    from .input_file import ColumnRequest, File

SEARCHED_BYTES = 1 << 14  # blocks of fewer bytes are searched for the header


class Weights:
    """A column of weights, appended block by block: int64 or uint64, or double if needed.

    If ``may_be_null``, empty fields are nulls; otherwise every field must be a number.
    """

    def __init__(self, may_be_null: bool = False) -> None:
        self._blocks: list[pa.ChunkedArray] = []
        self._may_be_null = may_be_null

    def append(
        self, path: str, block: Block, dialect: Dialect, position: int, text: pa.ChunkedArray
    ) -> None:
        """Append the weights of a block as text; ``position`` is the column of weights."""
        text = trimmed(text) if self._may_be_null else text
        values = numbers(text) if self._may_be_null or not text.null_count else None
        if values is None:

            def fits(fields: list[str]) -> bool:
                if not any(fields):
                    return True
                if len(fields) <= position:
                    return False
                is_null = self._may_be_null and not fields[position].strip()
                return is_null or numbers(pa.chunked_array([[fields[position]]])) is not None

            expected = f"a number as weight in field {position + 1}"
            raise misfit_error(path, block, dialect, fits, expected, position)
        self._blocks.append(_integers_with_nulls(text, values) if self._may_be_null else values)

    def column(self) -> pa.ChunkedArray:
        """Return the weights appended so far."""
        types = {values.type for values in self._blocks}
        if pa.float64() not in types:
            for integer in (pa.int64(), pa.uint64()) if pa.uint64() in types else (pa.int64(),):
                with suppress(pa.ArrowInvalid):  # some weights are outside the range of the type
                    return self._joined(integer)
        return self._joined(pa.float64())

    def _joined(self, kind: pa.DataType) -> pa.ChunkedArray:
        """Return the weights in a type; an integer may become the nearest float."""
        safe = pa.types.is_integer(kind)
        cast = (values.cast(kind, safe=safe) for values in self._blocks)
        return pa.chunked_array([chunk for values in cast for chunk in values.chunks], kind)


def numbers(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Convert text to the first of int64, uint64 and double that fits; None if no type fits."""
    text = pc.utf8_trim(text, " \t")
    if any(pc.any(pc.starts_with(text, mark)).as_py() for mark in ("0x", "0X")):
        return None  # PyArrow would read 0x10 as 16
    for kind in (pa.int64(), pa.uint64(), pa.float64()):
        with suppress(pa.ArrowInvalid):
            return text.cast(kind)
    return None


def _integers_with_nulls(text: pa.ChunkedArray, values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert floats to integers, and NaN to null, if all values except NaN are integers.

    Floats would merge integers beyond 2^53. ``values`` are the numbers in ``text``. If the
    conversion is impossible, they are returned unchanged.
    """
    if not pa.types.is_floating(values.type):
        return values
    is_nan = pc.fill_null(pc.is_nan(values), False)
    if not pc.any(is_nan).as_py():
        return values
    others = numbers(pc.if_else(is_nan, pa.scalar(None, text.type), text))
    return values if others is None or pa.types.is_floating(others.type) else others


class Table:
    """An open table of text, whose ``pairs`` are its columns of ids; ``empty`` if it has no rows.

    In the methods, ``as_text`` tells for each pair whether the ids are strings, None if unknown.
    """

    def __init__(self, file: File, request: ColumnRequest) -> None:
        self._file, self._null_weights = file, request.null_weights
        self._dialect, feed, self._names = first_lines(file, request)
        self.empty: bool = feed is None
        if feed is None:
            return
        self._feed = feed
        ends = request.columns(file.path, self._names)
        self._weight = request.weight_column(file.path, self._names, ends)
        self._positions = ends if self._weight is None else (*ends, self._weight)
        self._ends = request.pairs(file.path, self._names)
        self.pairs: list[IdPair] = [
            IdPair(file.path, [self._names[end] for end in ends], self._dialect)
            for ends in self._ends
        ]

    def whole(self, as_text: Sequence[bool | None]) -> pa.Table:
        """Return all rows."""
        weights = Weights(self._null_weights)
        for block in self._feed:
            self._append(block, weights)
        return self._table(as_text, weights)

    def parts(self, as_text: list[bool | None]) -> Iterator[pa.Table]:
        """Yield the rows of each block; the first ids set the items of ``as_text`` that are None.

        A LateTextError is raised if ids are text in a block after blocks of integer ids.
        """
        for block in self._feed:
            weights = Weights(self._null_weights)
            self._append(block, weights)
            for k, pair in enumerate(self.pairs):
                if as_text[k] is None and pair.ends_without_ids() and self._file.can_restart:
                    raise self._type_ahead(block.line, k)
                ids = pair.table(as_text[k])
                if has_ids(ids):
                    are_strings = any(map(pa.types.is_string, ids.schema.types))
                    if as_text[k] is False and are_strings:
                        raise LateTextError(self._file.path, block.line, k, len(as_text))
                    as_text[k] = are_strings
            yield self._table(as_text, weights)
            for pair in self.pairs:
                pair.restart()

    def _type_ahead(self, line: int, k: int) -> LateTextError:
        """Return the error with the type of a pair, so that the file is read again with this type.

        Words such as NA are nulls in columns of integers, and ids in columns of text. If a column
        begins with such words only, blocks up to its first other id determine the type.
        """
        pair, is_text = self.pairs[k], False
        ends = pair.ends_without_ids()
        while ends and not is_text and (block := next(self._feed, None)) is not None:
            pair.restart()
            self._append(block, Weights(self._null_weights))
            ends &= pair.ends_without_ids()
            is_text = pair.is_text
        return LateTextError(self._file.path, line, k, len(self.pairs), is_text)

    def _append(self, block: Block, weights: Weights) -> None:
        """Parse a block, and append its ids to ``pairs`` and its weights to ``weights``."""
        file, dialect = self._file, self._dialect
        parsed = parse(file.path, block, dialect, len(self._names), self._positions)
        columns = dict(zip(self._positions, parsed, strict=True))
        if file.header:
            self._refuse_header(block, columns)
        if file.comment_mark:
            self._warn_of_comment(block)
        file.lines.block(block, dialect, len(parsed[0].text))
        for pair, ends in zip(self.pairs, self._ends, strict=True):
            pair.append(block, *(columns[end] for end in ends))
        if self._weight is not None:
            weights.append(file.path, block, dialect, self._weight, columns[self._weight].text)

    def _table(self, as_text: Sequence[bool | None], weights: Weights) -> pa.Table:
        """Return the rows that have been appended."""
        table = _joined([pair.table(text) for pair, text in zip(self.pairs, as_text, strict=True)])
        return table if self._weight is None else table.append_column("weight", weights.column())

    def _warn_of_comment(self, block: Block) -> None:
        """Warn of the first record that begins with the mark of the comments above the records."""
        start = block.start_of(self._file.comment_mark)
        if start >= 0:
            self._file.comment_mark = b""
            comment = block.after(start)
            warnings.warn(
                f"{self._file.path}, line {comment.line}: {shown(comment.first()[0])} is read as an"
                " edge, because comments may only precede the first record: if the line is a"
                " comment, remove such lines, for example by grep -v",
                CcRapidsWarning,
                stacklevel=1,
            )

    def _refuse_header(self, block: Block, columns: dict[int, Column]) -> None:
        """Raise a FormatError if a record of a block repeats the header."""
        first_name, has_all_names = self._names[next(iter(columns))].encode(), None
        # in larger blocks, this search takes longer than comparing fields
        is_searched = len(block.data) < SEARCHED_BYTES and not block.delimiter
        if is_searched and first_name not in block.data:
            return
        has_blanks = any(c in block.data for c in b" \t" if c != ord(self._dialect.delimiter))
        for position, column in columns.items():
            text = pc.utf8_trim(column.text, " \t") if has_blanks else column.text
            is_name = pc.equal(text, self._names[position])
            has_all_names = is_name if has_all_names is None else pc.and_(has_all_names, is_name)
            if not pc.any(has_all_names).as_py():
                return
        # the other fields of these rows were not parsed
        for row in pc.indices_nonzero(pc.fill_null(has_all_names, pa.scalar(False))).to_pylist():
            number, line = block.row(row, self._dialect)
            if self._dialect.split(line) == self._names:
                raise FormatError(
                    f"{self._file.path}, line {number}: the header again, {shown(line)}: remove"
                    " this line, or pass header=False (--no-header) if both are edges"
                )


def read_delimited(file: File, request: ColumnRequest) -> tuple[pa.Table, None]:
    """Return the ids, and the weights if requested, of a table of text."""
    table, as_text = Table(file, request), request.options.as_text
    if table.empty:
        return without_rows(file, request, as_text), None
    return table.whole(as_text or [None] * len(table.pairs)), None


def pieces(file: File, request: ColumnRequest, place: Place) -> Iterator[Piece]:
    """Yield the blocks of a table of text, starting after the row of ``place``.

    If ``place`` does not tell whether ids are strings, the first block with an id determines it.
    """
    _, done, max_rows, as_text, _ = place
    table = Table(file, request)
    if table.empty:
        yield Piece(without_rows(file, request, as_text), 0, 0, False)
        return
    end = 0
    for part in table.parts(list(as_text or [None] * len(table.pairs))):
        start, end = end, end + len(part)
        if max(start, done) < end:
            for piece in sliced(file, part, 0, max(0, done - start), max_rows):
                yield Piece(piece.table, 0, start + piece.rows, False)
    if not end:
        yield Piece(part, 0, 0, False)


def without_rows(
    file: File, request: ColumnRequest, as_text: Sequence[bool | None] | None
) -> pa.Table:
    """Return the table of a text file without rows; ``as_text`` tells which ids are strings."""
    sides = sides_of(request.source or "src", request.destination or "dst")
    pairs = [IdPair(file.path, names, Dialect(" ")) for names in zip(*sides, strict=True)]
    texts = as_text or [None] * len(pairs)
    table = _joined([pair.table(text) for pair, text in zip(pairs, texts, strict=True)])
    return with_empty_weights(table, request)


def _joined(tables: list[pa.Table]) -> pa.Table:
    """Return one table with the columns of several tables, each name once."""
    columns: dict[str, Any] = {}
    for table in tables:
        columns |= dict(zip(table.column_names, table.columns, strict=True))
    return pa.table(columns)
