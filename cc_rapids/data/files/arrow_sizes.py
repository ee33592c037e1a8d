"""Decompressed sizes of Arrow record batches, computed from the metadata that precede them.

PyArrow reads and decompresses a record batch as a whole, so its size must be known in advance.
The metadata are tables of FlatBuffers: Message(version, type, header, length of the body), and
RecordBatch(rows, nodes, buffers, compression); each compressed buffer begins with its size.
"""

from __future__ import annotations

import os
from struct import unpack_from
from typing import Any, BinaryIO

_MAX_METADATA = 64 << 20  # bytes
_FILE_END = 10  # bytes after the footer: its length, and the magic string
_DICTIONARY, _BATCH = 2, 3  # types of messages


def largest_batch(stream: BinaryIO, start: int) -> int:
    """Return the bytes of the largest record batch of a stream, plus those of all dictionaries.

    ``start`` is the position of the first message. The stream must be able to seek. Damaged
    metadata raise a ``struct.error`` or a ValueError.
    """
    largest = dictionaries = 0
    stream.seek(start)
    while len(word := stream.read(4)) == 4:
        word = word if word != b"\xff\xff\xff\xff" else stream.read(4)  # older files have no mark
        length = int.from_bytes(word, "little", signed=True)
        if not 0 < length <= _MAX_METADATA:
            break  # the end, or metadata that PyArrow refuses
        data = stream.read(length)
        message = unpack_from("<I", data)[0]
        body, end = stream.tell(), stream.tell() + _number(data, message, 3, "<q")
        kind = _number(data, message, 1, "<B")
        if kind in (_DICTIONARY, _BATCH):
            header = _table(data, message, 2)
            if kind == _DICTIONARY:
                header = _table(data, header, 1)
            batch_bytes = _batch_bytes(stream, data, header, body, end)
            if kind == _BATCH:
                largest = max(largest, batch_bytes)
            else:
                dictionaries += batch_bytes
        if end < body:
            break
        stream.seek(end)
    return largest + dictionaries


def bytes_between(stream: Any) -> int:
    """Return the number of bytes between the batches and the footer of an Arrow file.

    The stream must be able to seek. A damaged footer raises a ``struct.error``.
    """
    footer_end = stream.seek(0, os.SEEK_END) - _FILE_END
    stream.seek(footer_end)
    footer_start = footer_end - max(0, unpack_from("<i", stream.read(4))[0])
    stream.seek(8)
    mark, schema_size = unpack_from("<II", stream.read(8))
    ends = [16 + schema_size if mark == 0xFFFFFFFF else 12 + mark]
    stream.seek(footer_start)
    data = stream.read(footer_end - footer_start)
    footer = unpack_from("<I", data)[0]
    for field in (2, 3):  # dictionaries and batches
        if _field(data, footer, field):
            blocks = _table(data, footer, field)
            for k in range(unpack_from("<I", data, blocks)[0]):
                # the offset of the message, and the lengths of its metadata and its body
                ends.append(sum(unpack_from("<qi4xq", data, blocks + 4 + 24 * k)))
    return int(footer_start - max(ends))


def _batch_bytes(stream: BinaryIO, data: bytes, batch: int, body: int, end: int) -> int:
    """Return the bytes of a message body, plus its decompressed bytes if it is compressed."""
    size = end - body
    if not _field(data, batch, 3):
        return size
    buffers = _table(data, batch, 2)
    for k in range(unpack_from("<I", data, buffers)[0]):
        offset, length = unpack_from("<qq", data, buffers + 4 + 16 * k)
        if length > 0:
            stream.seek(body + offset)
            size += max(0, unpack_from("<q", stream.read(8))[0])  # -1 if it is not compressed
    return size


def _field(data: bytes, table: int, field: int) -> int:
    """Return the offset in ``data`` of a field of a FlatBuffers table; 0 if the field is absent."""
    fields = table - unpack_from("<i", data, table)[0]
    count = unpack_from("<H", data, fields)[0] // 2 - 2
    offset: int = unpack_from("<H", data, fields + 4 + 2 * field)[0] if field < count else 0
    return table + offset if offset else 0


def _number(data: bytes, table: int, field: int, kind: str) -> int:
    """Return the number in a field of a FlatBuffers table; 0 if the field is absent."""
    place = _field(data, table, field)
    return int(unpack_from(kind, data, place)[0]) if place else 0


def _table(data: bytes, table: int, field: int) -> int:
    """Return the offset in ``data`` of the table or vector to which a field refers."""
    place = _field(data, table, field)
    return place + int(unpack_from("<I", data, place)[0])
