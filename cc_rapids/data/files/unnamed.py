"""Files without a name: bytes in memory, standard input, and the format that they begin with."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from ...errors import ArgumentTypeError, FormatError
from .header import DELIMITERS, check_header
from .input_file import BINARY, FORMATS, ColumnRequest, File, looks_like, packing_of
from .read import EdgeFile, check_sides, read_opened

HEAD = 1 << 16


def format_of_bytes(first: bytes, name: str) -> str:
    """Return the format of a file by its first bytes, decompressed.

    Raises
    ------
    FormatError
        They are neither text nor of a binary format that is known by its first bytes.
    """
    format = looks_like(first)
    if format is None:
        known = ", ".join([*DELIMITERS, "mtx", *dict.fromkeys(BINARY.values())])
        raise FormatError(
            f"{name} begins with {first[:8]!r}, which is none of {known}: write it to a file whose"
            f" suffix says its format, of {', '.join(FORMATS)}"
        )
    return format


def read_bytes(
    stream: Any,
    source: str | list[str] | None,
    destination: str | list[str] | None,
    header: bool | None,
    weight: str | None = None,
) -> EdgeFile:
    """Return the edges of an open binary file, from where it is to its end; it stays open.

    If a column is named, with their weights as ``weight``, some of which may be null.

    Raises
    ------
    ArgumentTypeError
        It gives text.
    FormatError, MissingColumnError, ColumnTypeError, InputError
        As for a file with a name.
    """
    name = str(getattr(stream, "name", "") or f"the {type(stream).__name__}")
    content = stream.read()
    if isinstance(content, str):
        raise ArgumentTypeError(
            f"{name} gives text: open the file with mode 'rb', or pass sys.stdin.buffer in place of"
            " sys.stdin"
        )
    content = bytes(content)
    packed = packing_of(content)

    def opened() -> File:
        raw: Any = BytesIO(content)
        return File(f"{name}{packed}", raw, len(content), None)

    format = format_of_bytes(next(opened().pieces(HEAD), b""), name)
    weights = weight is not None
    request = ColumnRequest(
        source, destination, format, header, weights, weight, null_weights=weights
    )
    check_header(header, [name], [format])
    check_sides(name, request)
    return read_opened(opened(), request)
