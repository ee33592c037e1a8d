"""Tables of labels to files, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ..errors import FormatError
from .lines import write_named
from .names import FORMATS, PACKED, SUFFIXES, packing
from .output import check_place, replacing

if TYPE_CHECKING:
    import pyarrow as pa

_WRITTEN = ("csv", "tsv", "snap", "arrow", "parquet")


def check_output(path: str | os.PathLike[str]) -> None:
    """Check that a table could be written to a path; best done before the work it holds.

    Raises
    ------
    FormatError
        No format that tables are written in has the suffix; names those that have.
    OutputError
        The folder is missing or closed to writing, or the path is a folder.
    """
    _written_format(Path(path))
    check_place(Path(path))


def write_table(table: pa.Table, path: str | os.PathLike[str]) -> None:
    """Write a table in the format of the suffix; a file at the path is replaced.

    The table goes to a new file in the same folder, which takes the name when it is complete: on
    any error, or when interrupted, nothing new remains and a file that was there is as it was.

    Parameters
    ----------
    table
        Columns of integers and text. Nulls become empty fields in csv and tsv, where text stands in
        quotes.
    path
        Ends in a suffix of csv, tsv, snap (one comment line of names, then fields separated by
        tabs), arrow or parquet, perhaps with .gz or .zst behind it.

    Raises
    ------
    FormatError
        No format that is written has the suffix, or text does not fit into snap: it is empty,
        holds blanks, or begins as a comment does, or all of it would be read back as numbers.
    OutputError
        The file cannot be written; says why.
    """
    path = Path(path)
    kind = _written_format(path)
    check_output(path)
    with replacing(path, pack=packing(path)) as stream:
        _write(table, stream, kind, path)


def _written_format(path: Path) -> str:
    suffixes = [suffix for name in _WRITTEN for suffix in FORMATS[name]]
    suffix = Path(path.name.removesuffix(path.suffix) if packing(path) else path).suffix.lower()
    if suffix not in suffixes:
        raise FormatError(
            f"cannot write {path}: what is written ends in {', '.join(suffixes)}, "
            f"not in {path.suffix!r} (and may be packed: {', '.join(PACKED)})"
        )
    return SUFFIXES[suffix]


def _write(table: pa.Table, stream: BinaryIO, kind: str, path: Path) -> None:
    if kind == "parquet":
        import pyarrow.parquet as pq

        pq.write_table(table, stream)
        return
    if kind == "arrow":
        import pyarrow as pa

        with pa.ipc.new_file(stream, table.schema) as writer:
            writer.write_table(table)
        return
    write_named([table], table.schema, stream, kind, path)
