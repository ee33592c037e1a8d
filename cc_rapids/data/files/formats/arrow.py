"""Read and write files and streams of Arrow IPC (Feather 2), batch by batch."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ....errors import CcRapidsWarning, FormatError
from ...lazy import pa
from ..arrow_sizes import bytes_between, largest_batch
from ..binary import check_not_joined, columns_of, format_errors
from ..pieces import Piece, Place, sliced
from ..text_ids import check_ids
from . import Format

if TYPE_CHECKING:
    from ...text_options import TextOptions
    from ..input_file import ColumnRequest, File
    from ..write import EdgeList

FILE_MARK = b"ARROW1"  # the magic bytes at both ends of a file


def opened(file: File) -> tuple[Any, pa.PythonFile]:
    """Return the reader of an Arrow file or stream, and the source of bytes that it reads."""
    if file.head.startswith(b"FEA1"):
        raise FormatError(
            f"{file.path} is of Feather version 1: pass pyarrow.feather.read_table(path), or write"
            " the file again as version 2"
        )
    stream, is_file = file.seekable_stream(), file.head.startswith(FILE_MARK)
    with format_errors(file, "Arrow"):
        if file.budget is not None:
            what = "has record batches that are read as a whole"
            file.check_bound(largest_batch(stream, is_file), copies=1, what=what)
        stream.seek(0)
        source = pa.PythonFile(stream, "r")
        return (pa.ipc.open_file if is_file else pa.ipc.open_stream)(source), source


def pieces(file: File, request: ColumnRequest, place: Place) -> Iterator[Piece]:
    """Yield the rows of record batches, starting at ``place``."""
    start = place.group
    stored, source = opened(file)
    with format_errors(file, "Arrow"):
        columns = columns_of(file, request, stored.schema)
        ids = request.ids_in(columns)
        is_file = isinstance(stored, pa.ipc.RecordBatchFileReader)
        if is_file:
            batches = ((i, stored.get_batch(i)) for i in range(start, stored.num_record_batches))
        else:
            batches = ((i, batch) for i, batch in enumerate(stored) if i >= start)
        rows_before, batch_end, is_empty = 0, source.tell(), True
        for group, batch in batches:
            selected = batch.select(columns)
            selected.validate(full=True)  # offsets of text must not point beyond its end
            # if earlier batches were not read, errors count rows from the start of the batch
            where = f"{file.path}, batch {group}" if start else file.path
            check_ids(where, ids, selected.columns[: len(ids)], 0 if start else rows_before)
            rows_before += len(batch)
            file.groups[group] = len(batch)
            file.report_place()
            if file.budget is not None:
                file.budget.loaded = batch.nbytes
            batch_end, is_empty = source.tell(), False
            table = pa.Table.from_batches([selected])
            done = place.done if group == start else 0
            yield from sliced(file, table, group, done, place.rows)
        check_end(file.path, source, is_file)
        if not is_file and source.tell() == batch_end:  # nothing was read after the last batch
            warnings.warn(
                f"{file.path} has no marker at its end: it was cut between two record batches, or"
                " its writer was not closed",
                CcRapidsWarning,
                stacklevel=1,
            )
        if is_empty:
            yield Piece(stored.schema.empty_table().select(columns), start, rows=0, whole=False)


def check_end(path: str, source: Any, is_file: bool) -> None:
    """Raise a FormatError if several Arrow files or streams are concatenated."""
    if is_file:
        check_not_joined(path, source, bytes_between(source), FILE_MARK)
    elif source.read(1):
        raise FormatError(
            f"{path} has bytes after the end of its stream: write each stream to its own file"
        )


def names(file: File, options: TextOptions) -> list[str]:
    """Return the names of the columns from the schema at the beginning."""
    with format_errors(file, "Arrow"):
        return list(opened(file)[0].schema.names)


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
