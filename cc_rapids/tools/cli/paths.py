"""Paths that commands are given, and standard input."""

from __future__ import annotations

import glob
import os
import sys
from typing import Any, BinaryIO, cast

from ...data.files.handle import Handle
from ...data.files.input_file import File
from ...data.files.lake import table_at
from ...data.files.opening import files_in
from ...errors import FormatError, InputError
from .options import STANDARD

STANDARD_INPUT = "standard input"


def name_of(file: str) -> str:
    """Return a name as messages have it."""
    return STANDARD_INPUT if file == STANDARD else file


def is_pattern(file: str) -> bool:
    """Return whether a word is a pattern, and not the name of a file that looks like one."""
    return glob.has_magic(file) and "://" not in file and not os.path.exists(file)


def _within(file: str) -> list[str]:
    """Return the files of a folder, sorted, or the folder if it is a table; all else as it is."""
    return files_in(file) if os.path.isdir(file) and table_at(file) is None else [file]


def standard_input() -> File:
    """Return standard input as an open file."""
    stream: Any = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise InputError(f"{STANDARD_INPUT} is closed")
    return _StandardInput(STANDARD_INPUT, cast(Any, Handle(stream)), 0, None)


def paths_of(given: str) -> list[str]:
    """Return the files of a folder or a pattern, sorted; all else as it is.

    Raises
    ------
    FormatError
        There are none.
    """
    if given == STANDARD:
        return [given]
    if not is_pattern(given):
        return _within(given)
    found = [file for path in sorted(glob.glob(given, recursive=True)) for file in _within(path)]
    if not found:
        raise FormatError(f"no file matches {given}")
    return found


class _StandardInput(File):
    """Standard input, which is one file."""

    def readable(self) -> bool:
        """Return True, as open files do."""
        return True

    def seekable(self) -> BinaryIO:
        """Return a seekable stream; raise a FormatError if it is several Parquet files in a row.

        By the metadata of the last one the wrong bytes would be read, or some of the files.
        """
        stream = super().seekable()
        if _are_joined(stream):
            raise FormatError(
                f"{STANDARD_INPUT} is several Parquet files, one behind the other, as cat writes"
                " them, and must be one: name the files, or a pattern in quotes, instead"
            )
        return stream


_MARK = b"PAR1"  # at both ends of a Parquet file
_FOOTER = 8  # bytes behind the metadata: their length, and the mark


def _are_joined(stream: BinaryIO) -> bool:
    """Return whether a stream holds several Parquet files; its place is its beginning again."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        if stream.read(len(_MARK)) != _MARK:
            return False
        stream.seek(0)
        meta = pq.read_metadata(pa.PythonFile(stream, "r"))
        groups = [meta.row_group(k) for k in range(meta.num_row_groups)]
        chunks = [group.column(k) for group in groups for k in range(group.num_columns)]
        ends = [
            (one.dictionary_page_offset or one.data_page_offset) + one.total_compressed_size
            for one in chunks
        ]
        size = stream.seek(0, os.SEEK_END)
        if size - meta.serialized_size - _FOOTER == max(ends, default=len(_MARK)):
            return False  # nothing lies between the rows and the metadata
        stream.seek(0)
        last = b""
        while piece := stream.read(1 << 24):
            if _MARK + _MARK in last + piece:
                return True
            last = piece[1 - 2 * len(_MARK) :]
        return False
    except (OSError, pa.ArrowException):  # damaged: said when it is read
        return False
    finally:
        stream.seek(0)
