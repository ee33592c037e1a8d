"""Read tables of delimited text.

If ids have several columns, the k-th columns of both ends form a pair. The columns of a pair have
one type; different pairs may have different types.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from ...errors import CapacityError, CcRapidsWarning, FormatError, listed
from ..end_columns import sides_of
from ..lazy import pa, pc
from ..text_options import COMMENTS, TextOptions
from .delimited import (
    NAMES,
    Block,
    Column,
    Dialect,
    blocks,
    check_utf8,
    line_of,
    longest_line,
    marked_once,
    parse,
    shown,
)
from .header import are_names, check_edges, is_header, names_in_comment, without_header
from .line_count import ends_in
from .pieces import Piece, Place, has_ids, sliced
from .text_head import HEAD, Above, Text, check_above, separator_of
from .text_ids import IdPair, LateTextError, trimmed

if TYPE_CHECKING:
    from .input_file import ColumnRequest, File


class Weights:
    """A column of weights, appended block by block: int64 or uint64, or double if needed.

    With ``null``, empty fields are nulls; otherwise every field must be a number.
    """

    def __init__(self, null: bool = False) -> None:
        self._blocks: list[pa.ChunkedArray] = []
        self._null = null

    def append(
        self, path: str, block: Block, dialect: Dialect, place: int, text: pa.ChunkedArray
    ) -> None:
        """Append the text of one block, from field ``place`` of its lines."""
        if self._null:
            text = trimmed(text)
        values = None if text.null_count and not self._null else numbers(text)
        if values is not None and self._null:
            values = _whole_beside_nan(text, values)
        if values is None:
            raise line_of(
                path,
                block,
                dialect,
                lambda fields: not any(fields) or self._holds_weight(fields, place),
                f"a number as weight in field {place + 1}",
                place,
            )
        self._blocks.append(values)

    def _holds_weight(self, fields: list[str], place: int) -> bool:
        if len(fields) <= place:
            return False
        empty = self._null and not fields[place].strip()
        return empty or numbers(pa.chunked_array([[fields[place]]])) is not None

    def column(self) -> pa.ChunkedArray:
        """Return the weights appended so far."""
        kinds = {values.type for values in self._blocks}
        for kind in (pa.int64(), pa.uint64()):
            if pa.float64() not in kinds and (kind == pa.int64() or kind in kinds):
                with suppress(pa.ArrowInvalid):  # some weights are outside the range of the type
                    return _joined(self._blocks, kind)
        return _joined(self._blocks, pa.float64())


def _joined(blocks: list[pa.ChunkedArray], kind: pa.DataType) -> pa.ChunkedArray:
    """Concatenate columns and cast them to a type; integers become the nearest floats."""
    safe = pa.types.is_integer(kind)
    return pa.chunked_array([c for v in blocks for c in v.cast(kind, safe=safe).chunks], kind)


def numbers(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Convert text to the first of int64, uint64 and double that fits; None if none does."""
    text = pc.utf8_trim(text, " \t")
    for kind in (pa.int64(), pa.uint64(), pa.float64()):
        with suppress(pa.ArrowInvalid):
            return text.cast(kind)
    return None


def _whole_beside_nan(text: pa.ChunkedArray, values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert floats to integers with nulls for NaN if all other values are integers.

    Floats would merge integers beyond 2^53. Other columns are returned unchanged.
    """
    if not pa.types.is_floating(values.type):
        return values
    nan = pc.fill_null(pc.is_nan(values), False)
    if not pc.any(nan).as_py():
        return values
    others = numbers(pc.if_else(nan, pa.scalar(None, text.type), text))
    return values if others is None or pa.types.is_floating(others.type) else others


class Table:
    """An open table of text: its dialect, column names and blocks.

    Attributes
    ----------
    empty : bool
        Whether the file has no data lines.
    pairs : list of IdPair
        The columns of ids.
    """

    dialect: Dialect
    names: list[str]
    empty: bool
    pairs: list[IdPair]

    def __init__(self, file: File, request: ColumnRequest) -> None:
        self._file, self._null_weights = file, request.null_weights
        self.dialect, first, self._feed, self.names = first_lines(file, request)
        self.empty = first is None
        if first is None:
            return
        ends = request.columns(file.path, self.names)
        self._weight = request.weight_column(file.path, self.names, ends)
        self._take = ends if self._weight is None else (*ends, self._weight)
        self._ends = request.pairs(file.path, self.names)
        self.pairs = [
            IdPair(file.path, [self.names[end] for end in ends], self.dialect)
            for ends in self._ends
        ]
        self._feed = chain([first], self._feed)

    def whole(self, kinds: Sequence[bool | None]) -> pa.Table:
        """Return all rows; ``kinds`` tells for each column of an id whether it is text."""
        weights = Weights(self._null_weights)
        for block, columns in self.blocks():
            self._append(block, columns, weights)
        return self._table(kinds, weights)

    def parts(self, kinds: list[bool | None]) -> Iterator[pa.Table]:
        """Yield the rows of each block; the first one with an id sets its unknown ``kinds``.

        Raises
        ------
        LateTextError
            Ids are text in a block after blocks of integer ids.
        """
        for block, columns in self.blocks():
            weights = Weights(self._null_weights)
            self._append(block, columns, weights)
            for k, pair in enumerate(self.pairs):
                ids = pair.table(kinds[k])
                if has_ids(ids):
                    strings = any(map(pa.types.is_string, ids.schema.types))
                    if kinds[k] is False and strings:
                        raise LateTextError(self._file.path, block.line, k, len(kinds))
                    kinds[k] = strings
            yield self._table(kinds, weights)
            for pair in self.pairs:
                pair.restart()

    def _append(self, block: Block, columns: dict[int, Column], weights: Weights) -> None:
        for pair, ends in zip(self.pairs, self._ends, strict=True):
            pair.append(block, *(columns[end] for end in ends))
        if self._weight is not None:
            text = columns[self._weight].text
            weights.append(self._file.path, block, self.dialect, self._weight, text)

    def _table(self, kinds: Sequence[bool | None], weights: Weights) -> pa.Table:
        """Return the rows that have been appended."""
        parts = zip(self.pairs, kinds, strict=True)
        table = beside([pair.table(kind) for pair, kind in parts])
        return table if self._weight is None else table.append_column("weight", weights.column())

    def blocks(self) -> Iterator[tuple[Block, dict[int, Column]]]:
        """Yield each block with its columns of ids and weights by position.

        Raises
        ------
        FormatError
            A record differs from the first one in the number of fields, is not text, or repeats
            the header.
        """
        for block in self._feed:
            read = parse(self._file.path, block, self.dialect, len(self.names), self._take)
            columns = dict(zip(self._take, read, strict=True))
            if self._file.header:
                self._refuse_header(block, columns)
            if self._file.comment_mark:
                self._warn_of_comment(block)
            self._file.lines.block(block, self.dialect, len(read[0].text))
            yield block, columns

    def _warn_of_comment(self, block: Block) -> None:
        """Warn of the first record that begins with the mark of the comments above the records."""
        mark = self._file.comment_mark
        at = 0 if block.data.startswith(mark) else block.data.find(b"\n" + mark) + 1
        if block.data.startswith(mark, at):
            self._file.comment_mark = b""
            comment = block.after(at)
            warnings.warn(
                f"{self._file.path}, line {comment.line}: {shown(comment.first()[0])} is read as an"
                " edge, because comments may only precede the first record: if it is a comment,"
                " remove such lines, as by grep -v",
                CcRapidsWarning,
                stacklevel=1,
            )

    def _refuse_header(self, block: Block, columns: dict[int, Column]) -> None:
        """Raise a FormatError if a record of a block repeats the header."""
        name, rows = self.names[next(iter(columns))].encode(), None
        if len(block.data) < FEW and not block.delimiter and name not in block.data:
            return
        blank = any(c in block.data for c in b" \t" if c != ord(self.dialect.delimiter))
        for place, column in columns.items():
            text = pc.utf8_trim(column.text, " \t") if blank else column.text
            same = pc.equal(text, self.names[place])
            rows = same if rows is None else pc.and_(rows, same)
            if not pc.any(rows).as_py():
                return
        for row in pc.indices_nonzero(pc.fill_null(rows, pa.scalar(False))).to_pylist():
            number, line = block.row(row, self.dialect)
            if self.dialect.split(line) == self.names:
                raise FormatError(
                    f"{self._file.path}, line {number}: the header again, {shown(line)}: remove"
                    " this line, or pass header=False (--no-header) if both are edges"
                )


def read_delimited(file: File, request: ColumnRequest) -> tuple[pa.Table, None]:
    """Read a table of text."""
    read, as_text = Table(file, request), request.options.as_text
    if read.empty:
        return without_rows(file, request, as_text), None
    return read.whole(as_text or [None] * len(read.pairs)), None


def pieces(file: File, request: ColumnRequest, place: Place) -> Iterator[Piece]:
    """Yield the blocks of a table of text, starting after the row of ``place``.

    Unless ``place`` tells whether ids are strings, the first block with an id does.
    """
    _, done, rows, text, _ = place
    read = Table(file, request)
    if read.empty:
        yield Piece(without_rows(file, request, text), 0, 0, False)
        return
    at = 0
    for table in read.parts(list(text or [None] * len(read.pairs))):
        begin, at = at, at + len(table)
        if max(begin, done) < at:
            for piece in sliced(file, table, 0, max(0, done - begin), rows):
                yield Piece(piece.table, 0, begin + piece.rows, False)
    if not at:
        yield Piece(table, 0, 0, False)


def without_rows(
    file: File, request: ColumnRequest, text: Sequence[bool | None] | None
) -> pa.Table:
    """Return a table without rows for an empty text file."""
    sides = sides_of(request.source or "src", request.destination or "dst")
    ends = list(zip(*sides, strict=True))
    kinds = text or [None] * len(ends)
    none = (IdPair(file.path, names, Dialect(" ")) for names in ends)
    table = beside([pair.table(kind) for pair, kind in zip(none, kinds, strict=True)])
    named = request.weights and request.weight is not None
    return table.append_column("weight", pa.array([], pa.float64())) if named else table


def beside(tables: list[pa.Table]) -> pa.Table:
    """Return one table with the distinct columns of several tables."""
    columns: dict[str, Any] = {}
    for table in tables:
        columns |= dict(zip(table.column_names, table.columns, strict=True))
    return pa.table(columns)


FEW = 1 << 14  # block size in bytes up to which a search is faster than comparing each field
KONECT_BIPARTITE = b"% bip"
_RULE = re.compile(r":?-{2,}:?")  # a field of the line that sqlcmd and Markdown write below names
FIELD_BYTES = 200  # memory for the text and name of a field


def _check_fields(file: File, number: int, line: bytes) -> None:
    """Raise a CapacityError if the fields of the first line do not fit into the memory limit."""
    fields = 1 + max(line.count(separator.encode()) for separator in NAMES)
    budget = file.budget
    if budget is not None and FIELD_BYTES * fields > budget.fixed:
        need = budget.in_words(2 * FIELD_BYTES * fields)
        raise CapacityError(
            f"{file.path}, line {number}: {fields:,} fields take about {need}, but memory_limit is"
            f" {budget.in_words(budget.limit)}: raise it, or keep the columns of ids alone"
        )


def _dialect(
    file: File, request: ColumnRequest, text: Text, most: int
) -> tuple[Dialect, Above, bytes]:
    """Return the dialect of a table, the lines above its first record, and the first records.

    The separator is the ``delimiter`` option, or is inferred from the first records.
    """
    options = request.options
    comments = (options.comment or "").encode()
    if _seems_utf16(text.peek(HEAD)):
        raise FormatError(
            f"{file.path} seems to be UTF-16 text without a byte order mark: pass"
            " encoding='utf-16-le' (--encoding utf-16-le), or utf-16-be"
        )
    # a line of tabs is a record of nulls in tsv, and a blank line in other formats
    likely = options.delimiter or ("\t" if request.format == "tsv" else ",")
    above = text.above(Dialect(likely, comments, table=True), most)
    head = text.head(most)
    _check_fields(file, above.count + 1, head[: head.find(b"\n") + 1])
    named_by = partial(_are_named, above.comment, request.requested)
    delimiter = options.delimiter or above.separator
    if not delimiter:
        delimiter = separator_of(file.path, head, named_by, request.format == "tsv")
    dialect = Dialect(delimiter, comments, table=True)
    if options.comment == COMMENTS:
        check_above(above, file.path, dialect, head, request.requested)
    return dialect, above, head


def _seems_utf16(first: bytes) -> bool:
    """Return whether a text is UTF-16: many bytes are NUL, or all newlines have one on one side."""
    lines = first.removesuffix(b"\n")  # its NUL may not have been read
    wide = lines.count(b"\n") in (lines.count(b"\n\0"), lines.count(b"\0\n"))
    return 5 * first.count(b"\0") > 2 * len(first) or (wide and b"\n" in lines)


def _are_named(comment: bytes, requested: list[str], dialect: Dialect, fields: list[str]) -> bool:
    """Return whether a comment, or the first record below it, names the columns."""
    words = dialect.split(comment)
    named = len(words) == len(fields) and are_names(words, requested)
    return named or are_names(fields, requested)


def first_lines(
    file: File, request: ColumnRequest
) -> tuple[Dialect, Block | None, Iterator[Block], list[str]]:
    """Return the dialect, the first block of data or None, the other blocks, and column names."""
    text = Text(file, request.options.encoding)
    most = longest_line(file.budget)
    dialect, above, head = _dialect(file, request, text, most)
    file.delimiter, comment = dialect.delimiter, above.comment
    file.comment_mark = above.mark if above.mark in dialect.comments else b""
    if file.head.startswith(KONECT_BIPARTITE):
        raise FormatError(
            f"{file.path} is bipartite ('% bip' in line 1), so a number in its first column and"
            " the same in its second are different vertices: read it by"
            r" pandas.read_csv(path, sep='\s+', comment='%', header=None), add the largest number"
            " of the first column to the second, and pass the frame"
        )
    dialect = dialect.uncommented
    at = above.count + 1
    feed = blocks(file, dialect, text.read, at)
    if text.marked:
        feed = marked_once(file.path, feed)
    first = next(feed, None)
    if first is None:
        _check_comments(file, request.options, dialect, comment)
        return dialect, None, feed, []
    line, rest = first.first()
    check_utf8(file.path, Block(first.line, line))
    fields = dialect.split(line)
    if len(fields) < 2:
        guessed = dialect.delimiter == " " and request.options.delimiter is None
        between = listed([*NAMES.values()]) if guessed else dialect.separator
        raise FormatError(
            f"{file.path}, line {first.line}: expected at least 2 fields separated by {between},"
            f" found {len(fields)}: {shown(line)}; if another character separates them, pass"
            " delimiter= (--delimiter)"
        )
    file.header, names = request.options.header, None
    if file.header is None:
        names = names_in_comment(comment, dialect, len(fields), request.requested)
        file.header = False
        if names is None:
            below = next(iter(dialect.first_records(head, 2)[1:]), None)
            if below is not None and any("\ufffd" in field for field in below):
                below = None  # not UTF-8 text
            file.header = is_header(file.path, first.line, fields, below, request.requested)
            if not (file.header or request.requested):
                check_edges(file.path, dialect.first_records(head, len(fields) + 1))
    if file.header:
        file.lines.header = ends_in(line)
        _check_no_rule(file.path, rest, dialect)
        return dialect, rest, feed, fields
    return dialect, first, feed, names or without_header(len(fields))


def _check_no_rule(path: str, block: Block, dialect: Dialect) -> None:
    """Raise a FormatError if the record below the header is a line of dashes."""
    number, line = block.row(0, dialect)
    fields = [field for field in dialect.split(line) if field]
    if fields and all(map(_RULE.fullmatch, fields)):
        raise FormatError(
            f"{path}, line {number}: {shown(line)} is a line of dashes below the header, not an"
            " edge: remove this line"
        )


def _check_comments(file: File, options: TextOptions, dialect: Dialect, comment: bytes) -> None:
    """Raise a FormatError if a file has only comments, and the last one names no columns."""
    if file.lines.comment and names_in_comment(comment, dialect, 2, ()) is None:
        raise FormatError(
            f"{file.path}: each line begins with one of {options.comment!r}, as comments do, and"
            " none holds data: pass comment=None (--no-comment) if these lines are data"
        )
