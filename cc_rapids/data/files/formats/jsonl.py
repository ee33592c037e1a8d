"""JSON lines: one object a line. They are read and written by columns."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ....errors import FormatError
from ..binary import columns_of, damage, weighed
from ..text_ids import check_ids
from . import Format

if TYPE_CHECKING:
    import pyarrow as pa

    from ..input_file import ColumnRequest, File

COPIES = 8  # bytes for each byte of a file
ROWS_AT_ONCE = 1 << 16


def read(file: File, request: ColumnRequest) -> tuple[pa.Table, None]:
    """Return two columns, by PyArrow."""
    import pyarrow as pa
    from pyarrow import json as arrow_json

    file.check_bound(file.size, COPIES)
    data = b"".join(file.pieces())
    given = sum(bool(line.strip()) for line in data.splitlines())
    with damage(file, "JSON lines"):
        table = (
            arrow_json.read_json(pa.BufferReader(data))
            if given
            else pa.table({"src": [], "dst": []})
        )
        if len(table) != given:
            raise FormatError(f"{file.path} has {given} lines, but {len(table)} objects of JSON")
        table = table.select(columns_of(file, request, table.schema))
    ids = request.ids_in(table.column_names)
    check_ids(file.path, ids, [table[name] for name in ids], 0)
    file.groups = {0: given}
    return weighed(file, request, table), None


def write(pieces: Iterable[pa.Table], schema: pa.Schema, stream: BinaryIO, path: Path) -> None:
    """Write a row as an object."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode
    for batch in chain.from_iterable(piece.to_batches(ROWS_AT_ONCE) for piece in pieces):
        lines = map(encode, batch.to_pylist())
        stream.write("".join(f"{line}\n" for line in lines).encode())


FORMATS = (
    Format(
        "jsonl",
        (".jsonl", ".ndjson"),
        rb'\s*\{\s*"',
        title="JSON lines",
        read=read,
        write_table=write,
    ),
)
