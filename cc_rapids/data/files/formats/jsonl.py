"""Read and write JSON Lines, one object per line, by columns."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ....errors import FormatError
from ...lazy import np, pa, pc
from ..binary import columns_of, format_errors, with_weights
from ..named_graphs import decoded, in_utf8
from ..numbered import write_lines
from ..text_ids import check_ids, is_text, plain_type
from . import Format

if TYPE_CHECKING:
    from ..input_file import ColumnRequest, File
    from ..write import EdgeList

COPIES = 8  # bytes of memory per byte of a file
ROWS_AT_ONCE = 1 << 16
MAX_DEPTH = 1_000  # PyArrow's parser is recursive: deeper values would overflow its stack
STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
NO_BRACKETS = bytes({*range(256)} - {*b"{}[]"})
ESCAPED = r'["\\\x00-\x1f]'  # matches characters that are escaped in strings


def read(file: File, request: ColumnRequest) -> tuple[pa.Table, None]:
    """Return the columns of ids and weights, read by PyArrow."""
    from pyarrow import json as arrow_json

    file.check_bound(file.size, COPIES)
    data = in_utf8(b"".join(file.pieces()), file.path)
    line_count = sum(bool(line.strip()) for line in data.splitlines())
    brackets = data.count(b"{") + data.count(b"[")
    # every line has a bracket, so exceeding the depth takes many more brackets than lines
    if brackets > line_count + MAX_DEPTH and _depth(data) > MAX_DEPTH:
        raise FormatError(f"{file.path} nests values more than {MAX_DEPTH:,} deep")

    def parsed(schema: Any = None) -> pa.Table:
        options = arrow_json.ParseOptions(explicit_schema=schema)
        return arrow_json.read_json(pa.BufferReader(data), parse_options=options)

    with format_errors(file, "JSON lines"):
        table = parsed() if line_count else pa.table({"src": [], "dst": []})
        if len(table) != line_count:
            raise FormatError(
                f"{file.path} has {line_count} lines, but {len(table)} objects of JSON"
            )
        picked = columns_of(file, request, table.schema)
        inferred = {name: table[name].type for name in request.ids_in(picked)}
        # columns for which PyArrow has inferred the wrong type are parsed again with these fields
        ids = [(n, id_type(kind)) for n, kind in inferred.items() if id_type(kind) != kind]
        weights = [(n, pa.uint64()) for n in picked[len(inferred) :] if _is_large(table[n])]
        # if large weights are not integers after all, only the ids are parsed again
        for fields in [ids + weights, ids] if weights else [ids]:
            with suppress(pa.ArrowInvalid):  # check_ids raises an error for other types
                table = parsed(pa.schema(fields)) if fields else table
                break
        table = table.select(picked)
        try:
            table.validate(full=True)
        except pa.ArrowInvalid:
            decoded(file.path, data)  # raises an error if the text is not UTF-8
            raise
    check_ids(file.path, [*inferred], [table[name] for name in inferred], first_row=0)
    file.groups = {0: line_count}
    return with_weights(file, request, table), None


def _depth(data: bytes) -> int:
    """Return how deep brackets outside strings are nested."""
    brackets = STRING.sub(b"", data).translate(None, NO_BRACKETS)
    opens = np.isin(np.frombuffer(brackets, np.uint8), np.frombuffer(b"{[", np.uint8))
    return int(np.cumsum(np.where(opens, 1, -1)).max(initial=0))


def _is_large(column: pa.ChunkedArray) -> bool:
    """Return whether weights have been read as floats, but may be integers beyond int64."""
    return pa.types.is_floating(column.type) and (pc.max(column).as_py() or 0) >= 1 << 63


def id_type(kind: pa.DataType) -> pa.DataType:
    """Return the right type of ids for the type that PyArrow has inferred.

    Strings may be inferred as dates, and integers beyond 2^63 as floats. Other types are right.
    """
    if pa.types.is_temporal(kind):
        return pa.string()
    return pa.uint64() if pa.types.is_floating(kind) else kind


def write(edges: EdgeList, stream: BinaryIO, path: Path) -> None:
    """Write each row as an object."""
    for batch in chain.from_iterable(piece.to_batches(ROWS_AT_ONCE) for piece in edges.pieces):
        parts: list[Any] = []
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            key = ("," if parts else "{") + json.dumps(name, ensure_ascii=False) + ":"
            parts += [pa.repeat(key, len(batch)), json_of(column)]
        parts.append(pa.repeat("}", len(batch)))
        write_lines(pa.table(parts, names=list(map(str, range(len(parts))))), "", stream)


def json_of(column: pa.Array) -> pa.Array:
    """Convert values to JSON text; missing, NaN and infinite values become null."""
    kind = plain_type(column.type)
    column = column.cast(kind)
    if pa.types.is_floating(kind):
        column = pc.if_else(pc.is_finite(column), column, None)
    if pa.types.is_integer(kind):
        values = column.cast(pa.string())
    elif is_text(kind) and not pc.any(pc.match_substring_regex(column, ESCAPED)).as_py():
        quote, separator = (pa.scalar(text, pa.large_string()) for text in ('"', ""))
        text = column.cast(pa.large_string())
        values = pc.binary_join_element_wise(quote, text, quote, separator)
    else:
        encode = json.JSONEncoder(ensure_ascii=False, default=str).encode
        values = pa.array(map(encode, column.to_pylist()), pa.string())
    return pc.fill_null(values, "null")


FORMATS = (
    Format(
        "jsonl",
        (".jsonl", ".ndjson"),
        rb'\s*\{\s*"',
        title="JSON lines",
        read=read,
        write=write,
        finite_weights=True,
    ),
)
