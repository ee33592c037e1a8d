"""Decompressed sizes of Arrow record batches, computed from the metadata that precede them.

PyArrow reads and decompresses a record batch as a whole, so its size must be known in advance.
The metadata are tables of FlatBuffers: Message(version, type, header, length of the body), and
RecordBatch(rows, nodes, buffers, compression); each compressed buffer begins with its size.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from struct import unpack_from
from typing import Any, BinaryIO

_MAX_METADATA = 64 << 20  # the maximum bytes of the metadata of a message
_FILE_END = 10  # bytes after the footer: its length, and the magic string
_DICTIONARY, _BATCH = 2, 3  # types of messages
# the positions of fields in the tables of a message, record batch, dictionary and footer
_TYPE, _HEADER, _BODY_LENGTH = 1, 2, 3
_BUFFERS, _COMPRESSION = 2, 3
_VALUES = 1  # the values of a dictionary are a record batch
_DICTIONARIES, _BATCHES = 2, 3

_Message = tuple[bytes, int, int]  # the metadata, and where the body of the message begins and ends


def largest_batch(stream: BinaryIO, is_file: bool) -> int:
    """Return the bytes of the largest record batch, plus the bytes of all dictionaries.

    The stream can seek. Damaged metadata raise a ``struct.error`` or a ValueError.
    """
    largest = dictionaries = 0
    for data, body, end in _messages(stream, is_file):
        message_table = unpack_from("<I", data)[0]
        kind = _number(data, message_table, _TYPE, "<B")
        if kind in (_DICTIONARY, _BATCH):
            header = _table(data, message_table, _HEADER)
            if kind == _DICTIONARY:
                header = _table(data, header, _VALUES)
            batch_bytes = _batch_bytes(stream, data, header, body, end)
            if kind == _BATCH:
                largest = max(largest, batch_bytes)
            else:
                dictionaries += batch_bytes
    return largest + dictionaries


def _messages(stream: BinaryIO, is_file: bool) -> Iterator[_Message]:
    """Yield the messages of dictionaries and record batches.

    In a file, only the messages that the footer lists are read, because files of Polars begin with
    a schema that is no message.
    """
    if is_file:
        messages = (_message_at(stream, start) for start, *_ in _footer(stream)[1])
        yield from filter(None, messages)
        return
    end = 0
    while message := _message_at(stream, end):
        yield message
        end = message[2]


def _message_at(stream: BinaryIO, start: int) -> _Message | None:
    """Return the message at a position; None at the end, or if PyArrow refuses its metadata."""
    stream.seek(start)
    size = stream.read(4)
    if size == b"\xff\xff\xff\xff":  # a mark, which older files lack
        size = stream.read(4)
    length = int.from_bytes(size, "little", signed=True)
    if len(size) < 4 or not 0 < length <= _MAX_METADATA:
        return None
    data = stream.read(length)
    body = stream.tell()
    end = body + _number(data, unpack_from("<I", data)[0], _BODY_LENGTH, "<q")
    return None if end < body else (data, body, end)


def bytes_between(stream: Any) -> int:
    """Return the number of bytes between the batches and the footer of an Arrow file."""
    footer_start, blocks = _footer(stream)
    stream.seek(8)  # after the magic string and its padding
    mark, schema_size = unpack_from("<II", stream.read(8))
    # older files have the size of the schema in place of the mark
    schema_end = 16 + schema_size if mark == 0xFFFFFFFF else 12 + mark
    return int(footer_start - max([schema_end, *map(sum, blocks)]))  # sum(block) is its end


def _footer(stream: Any) -> tuple[int, list[tuple[int, int, int]]]:
    """Return the position of the footer, and the blocks of dictionaries and batches.

    A block is the offset of a message, and the lengths of its metadata and its body.
    """
    footer_end = stream.seek(0, os.SEEK_END) - _FILE_END
    stream.seek(footer_end)
    footer_start = footer_end - max(0, unpack_from("<i", stream.read(4))[0])
    stream.seek(footer_start)
    data = stream.read(footer_end - footer_start)
    footer, blocks = unpack_from("<I", data)[0], []
    for field in (_DICTIONARIES, _BATCHES):
        if _field(data, footer, field):
            at = _table(data, footer, field)
            count = unpack_from("<I", data, at)[0]
            blocks += [unpack_from("<qi4xq", data, at + 4 + 24 * k) for k in range(count)]
    return footer_start, blocks


def _batch_bytes(stream: BinaryIO, data: bytes, batch: int, body: int, end: int) -> int:
    """Return the bytes of a message body, plus its decompressed bytes if it is compressed.

    The body is from ``body`` to ``end`` in the stream; ``batch`` is its RecordBatch in ``data``.
    """
    size = end - body
    if not _field(data, batch, _COMPRESSION):
        return size
    buffers = _table(data, batch, _BUFFERS)
    for k in range(unpack_from("<I", data, buffers)[0]):
        offset, length = unpack_from("<qq", data, buffers + 4 + 16 * k)
        if length > 0:
            stream.seek(body + offset)
            size += max(0, unpack_from("<q", stream.read(8))[0])  # -1 for bytes without compression
    return size


def _field(data: bytes, table: int, field: int) -> int:
    """Return the offset in ``data`` of a field of a FlatBuffers table; 0 if the field is absent."""
    # A vtable has 16-bit words: its size, the size of the table, and the offset of each field in
    # the table, which is 0 if the field is absent. A table may list only its first fields.
    vtable = table - unpack_from("<i", data, table)[0]
    count = unpack_from("<H", data, vtable)[0] // 2 - 2
    offset: int = unpack_from("<H", data, vtable + 4 + 2 * field)[0] if field < count else 0
    return table + offset if offset else 0


def _number(data: bytes, table: int, field: int, kind: str) -> int:
    """Return the number in a field of a FlatBuffers table; 0 if the field is absent."""
    place = _field(data, table, field)
    return int(unpack_from(kind, data, place)[0]) if place else 0


def _table(data: bytes, table: int, field: int) -> int:
    """Return the offset in ``data`` of the table or vector to which a field refers."""
    place = _field(data, table, field)
    return place + int(unpack_from("<I", data, place)[0])
