"""Apache Parquet: two columns, or three with weights. It is read in pieces, row group by group."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from . import Format

if TYPE_CHECKING:
    import pyarrow as pa


def write(pieces: Iterable[pa.Table], schema: pa.Schema, stream: BinaryIO, path: Path) -> None:
    """Write tables as row groups."""
    import pyarrow.parquet as pq

    with pq.ParquetWriter(stream, schema) as writer:
        for piece in pieces:
            writer.write_table(piece)


FORMATS = (
    Format(
        "parquet", (".parquet", ".pq"), b"PAR1", title="Parquet", binary=True, write_table=write
    ),
)
