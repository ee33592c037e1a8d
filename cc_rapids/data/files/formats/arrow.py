"""Read and write files and streams of Arrow IPC (Feather 2), batch by batch."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ....errors import CcRapidsWarning, FormatError
from ...lazy import pa
from ..arrow_sizes import bytes_between, largest_batch
from ..binary import check_not_joined, columns_of, damage
from ..pieces import Piece, Place, sliced
from ..text_ids import check_ids
from . import Format

if TYPE_CHECKING:
    from ...text_options import TextOptions
    from ..input_file import ColumnRequest, File
    from ..write import EdgeList

FILE_MARK = b"ARROW1"  # the magic bytes at both ends of a file
BATCH = "has record batches that are read as a whole"


def pieces(file: File, request: ColumnRequest, place: Place) -> Iterator[Piece]:
    """Yield record batches, starting after the batch and row of ``place``."""
    start, done, rows, *_ = place
    stream = file.seekable()
    if file.head.startswith(b"FEA1"):
        raise FormatError(
            f"{file.path} is of Feather version 1: pass pyarrow.feather.read_table(path), or write"
            " it again as version 2"
        )
    with damage(file, "Arrow"):
        is_file = stream.read(len(FILE_MARK)) == FILE_MARK
        if file.budget is not None:
            file.check_bound(largest_batch(stream, 8 if is_file else 0), 1, BATCH)
        stream.seek(0)
        source = pa.PythonFile(stream, "r")
        stored = pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source)
        pair = columns_of(file, request, stored.schema)
        ids = request.ids_in(pair)
        if is_file:
            batches = ((i, stored.get_batch(i)) for i in range(start, stored.num_record_batches))
        else:
            batches = ((i, batch) for i, batch in enumerate(stored) if i >= start)
        seen, rows_before, at = 0, 0, source.tell()
        for group, batch in batches:
            kept = batch.select(pair)
            kept.validate(full=True)  # offsets of text must not point beyond its end
            where = file.path if not start else f"{file.path}, batch {group}"
            check_ids(where, ids, kept.columns[: len(ids)], 0 if start else rows_before)
            rows_before += len(batch)
            file.groups[group] = len(batch)
            file.report_place()
            table, seen = pa.Table.from_batches([kept]), seen + 1
            if file.budget is not None:
                file.budget.loaded = batch.nbytes
            at = source.tell()
            yield from sliced(file, table, group, done if group == start else 0, rows)
        check_end(file.path, source, is_file)
        if not is_file and source.tell() == at:  # no end marker was read after the last batch
            warnings.warn(
                f"{file.path} has no marker at its end: it was cut between two record batches, or"
                " its writer was not closed",
                CcRapidsWarning,
                stacklevel=1,
            )
        if not seen:
            yield Piece(stored.schema.empty_table().select(pair), start, 0, False)


def check_end(path: str, source: Any, is_file: bool) -> None:
    """Check that a file holds exactly one Arrow file or stream.

    Raises
    ------
    FormatError
        Several files or streams are concatenated.
    """
    if is_file:
        check_not_joined(path, source, bytes_between(source), FILE_MARK)
    elif source.read(1):
        raise FormatError(
            f"{path} has bytes after the end of its stream: write each stream to its own file"
        )


def names(file: File, options: TextOptions) -> list[str]:
    """Return the names of the columns from the schema at the beginning."""
    with damage(file, "arrow"):
        source = pa.PythonFile(file.seekable(), "r")
        opens = pa.ipc.open_file if file.head.startswith(FILE_MARK) else pa.ipc.open_stream
        source.seek(0)
        return list(opens(source).schema.names)


def write(edges: EdgeList, stream: BinaryIO, path: Path) -> None:
    """Write tables as record batches of an Arrow file."""
    with pa.ipc.new_file(stream, edges.schema) as writer:
        for piece in edges.pieces:
            writer.write_table(piece)


STARTS = rb"ARROW1|\xff\xff\xff\xff"  # the first bytes of a file, and of a stream
FORMATS = (
    Format(
        "arrow",
        (".arrow", ".feather"),
        STARTS,
        title="Arrow",
        binary=True,
        pieces=pieces,
        names=names,
        write=write,
    ),
)
