"""Read and write delimited text: csv, tsv, and the blank-separated files of SNAP and KONECT.

Files are read block by block. A written file is read back unchanged: csv and tsv quote text but not
numbers. snap has no quotes, and its column names are in a comment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ....errors import FormatError
from ...lazy import csv, pa, pc
from ..delimited import Column
from ..numbered import write_lines
from ..text_edges import pieces, read_delimited
from ..text_head import first_lines
from ..text_ids import Ids, TextType, common_type, is_text, plain, shortened
from . import Format

if TYPE_CHECKING:
    from ...text_options import TextOptions
    from ..input_file import File
    from ..write import EdgeList

UNFIT = r"[ \t\n\v\f\r]|^[#%\"]|^$"  # matches words that blank-separated text cannot hold
OTHERS = "; write csv, tsv, arrow or parquet"


def names(file: File, options: TextOptions) -> list[str]:
    """Return the names of the columns from the first bytes of the file."""
    from ..input_file import ColumnRequest, File

    lines = file.head[: file.head.rfind(b"\n") + 1] or file.head
    raw: Any = BytesIO(lines)
    beginning = File(file.path, raw, len(lines), None, decoded=file.decoded)
    request = ColumnRequest(None, None, file.format(options), options)
    return first_lines(beginning, request)[-1]


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
    text_end = next((i for i, kind in enumerate(schema.types[:2]) if is_text(kind)), None)
    ends, float_rows = (TextType(), TextType()), [0, 0]  # the rows of the first floats
    rows, first_word = 0, None
    for piece in pieces:
        words = [column.cast(pa.large_string()) for column in piece.columns]
        for name, column in zip(schema.names, words, strict=True):
            check_words(name, column, rows, path)
        if text_end is not None and len(piece):
            for k, end in enumerate(ends):
                row_of_float = end.update(Ids(Column(words[k])))
                if row_of_float is not None:
                    float_rows[k] = rows + row_of_float
            first_word = words[text_end][0].as_py() if first_word is None else first_word
        rows += len(piece)
        yield piece
    if text_end is not None and rows and common_type(ends) != pa.string():
        raise FormatError(
            f"cannot write {path}: column {schema.names[text_end]!r} is text in which each word is"
            f" a number or means null, such as {shortened(first_word, 80)} in row 0, and snap,"
            f" which has no quotes, would be read back as numbers{OTHERS}"
        )
    for name, column, row in zip(schema.names, ends, float_rows, strict=False):
        if column.floats is not None:
            raise FormatError(
                f"cannot write {path}: column {name!r} is text in which each word is a number, such"
                f" as {shortened(column.floats, 80)} in row {row}, and snap, which has no quotes,"
                f" would be read back as floats, which are refused{OTHERS}"
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


_TEXT: Any = {"read": read_delimited, "pieces": pieces, "names": names}
FORMATS = (
    Format("csv", (".csv",), **_TEXT, write=partial(write_quoted, ",")),
    Format("tsv", (".tsv", ".tab"), **_TEXT, write=partial(write_quoted, "\t")),
    Format("snap", (".txt", ".snap", ".edges", ".el"), title="text", **_TEXT, write=write_snap),
)
