"""Tables as lines of text, written so that each word is read back as it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ..errors import FormatError
from .ids import Kind
from .kinds import Spelling, is_text, plain_type

if TYPE_CHECKING:
    import pyarrow as pa

_UNFIT = r"[ \t\n\v\f\r]|^[#%]|^$"  # of words between blanks
_OTHERS = "; write csv, tsv, arrow or parquet"


def write_named(
    pieces: Iterable[pa.Table], schema: pa.Schema, stream: BinaryIO, kind: str, path: Path
) -> None:
    """Write the names of columns and the rows of some tables as csv, tsv or snap.

    In csv and tsv text stands in quotes, and numbers do not, so that each is read as what it was;
    snap, which knows no quotes, has its names in a comment.

    Raises
    ------
    FormatError
        snap cannot hold some text; names the row, and formats that can.
    """
    import pyarrow as pa
    from pyarrow import csv

    schema = pa.schema([field.with_type(plain_type(field.type)) for field in schema])
    pieces = (piece.cast(schema) for piece in pieces)
    if kind == "snap":
        stream.write(f"# {' '.join(schema.names)}\n".encode())
        for piece in _fit_for_blanks(pieces, schema, path):
            write_lines(piece, "\t", stream)
        return
    options = csv.WriteOptions(delimiter="," if kind == "csv" else "\t")
    with csv.CSVWriter(stream, schema, write_options=options) as writer:
        for piece in pieces:
            writer.write_table(piece)


def write_lines(table: pa.Table, delimiter: str, stream: BinaryIO) -> None:
    """Write rows without nulls as words with a delimiter between them, as they are."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    between, end, nothing = (pa.scalar(text, pa.large_string()) for text in (delimiter, "\n", ""))
    for batch in table.to_batches():
        words = [column.cast(pa.large_string()) for column in batch.columns]
        lines = pc.binary_join_element_wise(*words, between)
        lines = pc.binary_join_element_wise(lines, nothing, end)
        _, offsets, text = lines.buffers()
        first, last = np.frombuffer(offsets, np.int64)[[lines.offset, lines.offset + len(lines)]]
        stream.write(memoryview(text)[first:last])


def _fit_for_blanks(
    pieces: Iterable[pa.Table], schema: pa.Schema, path: Path
) -> Iterator[pa.Table]:
    """The same tables; an error if blank-separated text cannot hold them."""
    import pyarrow as pa

    text = next((i for i, kind in enumerate(schema.types[:2]) if is_text(kind)), None)
    ids, rows, word = Kind(), 0, None
    spelled = {name: Spelling() for name in schema.names[:2]}
    first = dict.fromkeys(spelled, 0)  # the row of the first float
    for piece in pieces:
        words = [column.cast(pa.large_string()) for column in piece.columns]
        for name, column in zip(schema.names, words, strict=True):
            _check_words(name, column, rows, path)
        if text is not None and len(piece):
            ids.add(*words[:2])
            for name, values in zip(spelled, words, strict=False):
                row = spelled[name].add(values)
                first[name] += 0 if row is None else rows + row
            word = words[text][0].as_py() if word is None else word
        rows += len(piece)
        yield piece
    if text is not None and rows and ids.type() != pa.string():
        raise FormatError(
            f"cannot write {path}: column {schema.names[text]!r} is text in which each word is a"
            f" number or stands for none, such as {_shown(word)} in row 0, and snap, which has no"
            f" quotes, would give numbers back{_OTHERS}"
        )
    for name, column in spelled.items():
        if column.floats is not None:
            raise FormatError(
                f"cannot write {path}: column {name!r} is text in which each word is a number, such"
                f" as {_shown(column.floats)} in row {first[name]}, and snap, which has no quotes,"
                f" would hold floats, which are refused{_OTHERS}"
            )


def _check_words(name: str, words: pa.ChunkedArray, rows: int, path: Path) -> None:
    import pyarrow.compute as pc

    unfit = pc.fill_null(pc.match_substring_regex(words, _UNFIT), True)
    count = pc.sum(unfit).as_py()
    if count:
        row = pc.index(unfit, True).as_py()
        raise FormatError(
            f"cannot write {path}: {count} values of column {name!r} do not fit between blanks,"
            f" such as {_shown(words[row].as_py())} in row {rows + row}{_OTHERS}"
        )


def _shown(word: str | None) -> str:
    text = repr(word)
    return text if len(text) <= 80 else text[:77] + "..."
