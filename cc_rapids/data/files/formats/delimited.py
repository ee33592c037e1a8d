"""Read and write delimited text: csv, tsv, and the blank-separated files of SNAP and KONECT.

Files are read block by block. If ids have several columns, the k-th column of the source and the
k-th column of the destination are a pair. Both have one type; different pairs may have different
types. A written file is read back unchanged: csv and tsv quote text but not numbers. snap has no
quotes, and its column names are in a comment.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ....errors import CcRapidsWarning, FormatError
from ...end_columns import sides_of
from ...lazy import csv, pa, pc
from ..binary import with_empty_weights
from ..delimited import Block, Column, Dialect, parse, shown
from ..numbered import write_lines
from ..pieces import Piece, Place, has_ids, sliced
from ..text_head import first_lines
from ..text_ids import (
    IdPair,
    Ids,
    LateTextError,
    TextType,
    Weights,
    common_type,
    is_text,
    plain,
    shortened,
)
from . import Format

if TYPE_CHECKING:
    from ...text_options import TextOptions
    from ..input_file import ColumnRequest, File
    from ..write import EdgeList

SEARCHED_BYTES = 1 << 14  # blocks of fewer bytes are searched for the header
UNFIT = r"[ \t\n\v\f\r]|^[#%\"]|^$"  # matches words that blank-separated text cannot hold
OTHERS = "; write csv, tsv, arrow or parquet"


class Table:
    """An open table of text. ``empty`` is true if it has neither a header nor rows.

    ``pairs`` are its columns of ids. In the methods, ``as_text`` has an item for each pair: whether
    its ids are strings, or None if unknown.
    """

    def __init__(self, file: File, request: ColumnRequest) -> None:
        self._file, self._null_weights = file, request.null_weights
        self._dialect, feed, self._names = first_lines(file, request)
        self.empty: bool = feed is None
        if feed is None:
            return
        self._feed = feed
        positions = request.columns(file.path, self._names)
        self._weight = request.weight_column(file.path, self._names, ends=positions)
        self._positions = positions if self._weight is None else (*positions, self._weight)
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
        """Yield the rows of each block; set items of ``as_text`` that are None by the first ids.

        A LateTextError is raised if ids are text in a block after blocks of integer ids.
        """
        for block in self._feed:
            weights = Weights(self._null_weights)
            self._append(block, weights)
            for k, pair in enumerate(self.pairs):
                # if an end has only words such as NA so far, later blocks decide if they are ids
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
        """Return the error that has the type of pair ``k``, with which the file is read again.

        Words such as NA are nulls in columns of integers, and ids in columns of text. If a column
        begins with such words only, blocks up to its first other word determine the type.
        """
        pair = self.pairs[k]
        undecided = pair.ends_without_ids()
        while undecided and (block := next(self._feed, None)) is not None:
            pair.restart()
            self._append(block, Weights(self._null_weights))
            undecided &= pair.ends_without_ids()
        return LateTextError(self._file.path, line, k, len(self.pairs), pair.is_text)

    def _append(self, block: Block, weights: Weights) -> None:
        """Parse a block, and append its ids to ``pairs`` and its weights to ``weights``."""
        file, dialect = self._file, self._dialect
        parsed = parse(file.path, block, dialect, len(self._names), self._positions)
        columns = dict(zip(self._positions, parsed, strict=True))
        if file.header:
            self._refuse_header(block, columns)
        if file.comment_mark:
            self._warn_of_comment(block)
        file.lines.count_block(block, dialect, len(parsed[0].text))
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
        first_name = self._names[self._positions[0]].encode()
        # this search is slower than comparing fields in larger blocks, and may miss a masked name
        is_searched = len(block.data) < SEARCHED_BYTES and not block.delimiter
        if is_searched and first_name not in block.data:
            return
        has_blanks = any(c in block.data for c in b" \t" if c != ord(self._dialect.delimiter))
        has_names = None  # for each row, whether the columns so far hold their own names
        for position, column in columns.items():
            text = pc.utf8_trim(column.text, " \t") if has_blanks else column.text
            is_name = pc.equal(text, self._names[position])
            has_names = is_name if has_names is None else pc.and_(has_names, is_name)
            if not pc.any(has_names).as_py():
                return
        # the fields of other columns have not been parsed
        for row in pc.indices_nonzero(pc.fill_null(has_names, pa.scalar(False))).to_pylist():
            number, line = block.row(row, self._dialect)
            if self._dialect.split(line) == self._names:
                raise FormatError(
                    f"{self._file.path}, line {number}: the header again, {shown(line)}: remove"
                    " this line, or pass header=False (--no-header) if both are edges"
                )


def read(file: File, request: ColumnRequest) -> tuple[pa.Table, None]:
    """Return the ids, and the weights if requested, of a table of text."""
    table, as_text = Table(file, request), request.options.as_text
    if table.empty:
        return without_rows(file, request, as_text), None
    return table.whole(as_text or [None] * len(table.pairs)), None


def pieces(file: File, request: ColumnRequest, place: Place) -> Iterator[Piece]:
    """Yield the rows of a table of text, as rows of group 0, starting at ``place``.

    If ``place`` does not tell whether ids are strings, the first block with an id determines it.
    """
    table, as_text = Table(file, request), place.text
    if table.empty:
        yield Piece(without_rows(file, request, as_text), group=0, rows=0, whole=False)
        return
    end = 0
    for part in table.parts(list(as_text or [None] * len(table.pairs))):
        start, end = end, end + len(part)
        if max(start, place.done) < end:
            for piece in sliced(file, part, 0, max(0, place.done - start), place.rows):
                yield Piece(piece.table, group=0, rows=start + piece.rows, whole=False)
    if not end:  # there is only a header
        yield Piece(part, group=0, rows=0, whole=False)


def without_rows(
    file: File, request: ColumnRequest, as_text: Sequence[bool | None] | None
) -> pa.Table:
    """Return the table of an empty text file; ``as_text`` tells which ids are strings."""
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


def names(file: File, options: TextOptions) -> list[str]:
    """Return the names of the columns from the first bytes of the file."""
    from ..input_file import ColumnRequest, File

    lines = file.head[: file.head.rfind(b"\n") + 1] or file.head
    raw: Any = BytesIO(lines)
    beginning = File(file.path, raw, len(lines), None, decoded=file.decoded)
    request = ColumnRequest(None, None, file.format(options), options)
    _, _, column_names = first_lines(beginning, request)
    return column_names


def write_quoted(delimiter: str, edges: EdgeList, stream: BinaryIO, path: Path) -> None:
    """Write tables as csv or tsv with a header."""
    schema = _plain_schema(edges, path)
    options = csv.WriteOptions(delimiter=delimiter)
    with csv.CSVWriter(stream, schema, write_options=options) as writer:
        for piece in map(plain, edges.pieces):
            writer.write_table(piece)


def write_snap(edges: EdgeList, stream: BinaryIO, path: Path) -> None:
    """Write tables as snap: a comment of column names, then fields separated by tabs."""
    schema = _plain_schema(edges, path)
    stream.write("# {}\n".format("\t".join(schema.names)).encode())
    for piece in fit_for_blanks(map(plain, edges.pieces), schema, path):
        write_lines(piece, "\t", stream)


def _plain_schema(edges: EdgeList, path: Path) -> pa.Schema:
    """Return the schema without dictionaries and views; raise a FormatError for nested columns."""
    schema = plain(edges.schema.empty_table()).schema
    for field in schema:
        if pa.types.is_nested(field.type):
            raise FormatError(
                f"cannot write {path}: column {field.name!r} is {field.type}, which text cannot"
                " hold; write arrow or parquet"
            )
    return schema


def fit_for_blanks(pieces: Iterable[pa.Table], schema: pa.Schema, path: Path) -> Iterator[pa.Table]:
    """Yield the tables; raise a FormatError if blank-separated text cannot hold them.

    If ids are text, the reader must infer text from the written words, not integers or floats.
    """
    text_column = next((i for i, kind in enumerate(schema.types[:2]) if is_text(kind)), None)
    types, float_rows = (TextType(), TextType()), [0, 0]  # of both ends; rows of the first floats
    rows, first_word = 0, None
    for piece in pieces:
        words = [column.cast(pa.large_string()) for column in piece.columns]
        for name, column in zip(schema.names, words, strict=True):
            check_words(name, column, rows, path)
        if text_column is not None and len(piece):
            for k, text_type in enumerate(types):
                row_of_float = text_type.update(Ids(Column(words[k])))
                if row_of_float is not None:
                    float_rows[k] = rows + row_of_float
            first_word = words[text_column][0].as_py() if first_word is None else first_word
        rows += len(piece)
        yield piece
    if text_column is not None and rows and common_type(types) != pa.string():  # integers or nulls
        raise FormatError(
            f"cannot write {path}: column {schema.names[text_column]!r} is text in which each word"
            f" is a number or means null, such as {shortened(first_word, 80)} in row 0, and snap,"
            f" which has no quotes, would be read back as numbers{OTHERS}"
        )
    for name, text_type, row in zip(schema.names, types, float_rows, strict=False):
        if text_type.first_float is not None:
            raise FormatError(
                f"cannot write {path}: column {name!r} is text in which each word is a number, such"
                f" as {shortened(text_type.first_float, 80)} in row {row}, and snap, which has no"
                f" quotes, would be read back as floats, which are refused{OTHERS}"
            )


def check_words(name: str, words: pa.ChunkedArray, rows: int, path: Path) -> None:
    """Raise a FormatError for a word that blank-separated text cannot hold; ``rows`` precede it."""
    unfit = pc.fill_null(pc.match_substring_regex(words, UNFIT), True)
    count = pc.sum(unfit).as_py()
    if count:
        row = pc.index(unfit, True).as_py()
        raise FormatError(
            f"cannot write {path}: {count} values of column {name!r} do not fit between blanks,"
            f" such as {shortened(words[row].as_py(), 80)} in row {rows + row}{OTHERS}"
        )


_TEXT: Any = {"read": read, "pieces": pieces, "names": names}
FORMATS = (
    Format("csv", (".csv",), **_TEXT, write=partial(write_quoted, ",")),
    Format("tsv", (".tsv", ".tab"), **_TEXT, write=partial(write_quoted, "\t")),
    Format("snap", (".txt", ".snap", ".edges", ".el"), title="text", **_TEXT, write=write_snap),
)
