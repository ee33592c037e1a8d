"""Arrow IPC, which is Feather 2: files and streams. They are read in pieces, batch by batch."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from . import Format

if TYPE_CHECKING:
    import pyarrow as pa


def write(pieces: Iterable[pa.Table], schema: pa.Schema, stream: BinaryIO, path: Path) -> None:
    """Write tables as record batches of a file."""
    import pyarrow as pa

    with pa.ipc.new_file(stream, schema) as writer:
        for piece in pieces:
            writer.write_table(piece)


STARTS = rb"ARROW1|\xff\xff\xff\xff"  # of a file, and of a stream
FORMATS = (
    Format("arrow", (".arrow", ".feather"), STARTS, title="Arrow", binary=True, write_table=write),
)
