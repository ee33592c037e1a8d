"""Find the largest page of a Parquet column from the page headers.

PyArrow decompresses a page as a whole, so its size must be known in advance.
"""

from __future__ import annotations

from typing import Any, BinaryIO

HEADER_BYTES = 1 << 9  # enough for most page headers
LONG_HEADER_BYTES = 1 << 16  # read in addition for a page header with long statistics


def largest_page(stream: BinaryIO, chunk: Any) -> tuple[int, float]:
    """Return the bytes of the largest page of a column plus its dictionary, and the bytes per row.

    Both numbers count decompressed bytes. The bytes per row are the greatest mean of a page.
    ``chunk`` is PyArrow's metadata of the column in a row group.
    """
    starts = [start for start in (chunk.dictionary_page_offset, chunk.data_page_offset) if start]
    offset = min(starts, default=0)
    dictionary_bytes, page_bytes, row_bytes = 0, 0, 0.0
    end = offset + chunk.total_compressed_size
    while offset < end:
        stream.seek(offset)
        data = stream.read(HEADER_BYTES)
        try:
            rows, size, stored = _page_header(data)
        except LookupError:
            rows, size, stored = _page_header(data + stream.read(LONG_HEADER_BYTES))
        if rows:
            page_bytes, row_bytes = max(page_bytes, size), max(row_bytes, size / rows)
        else:
            dictionary_bytes = max(dictionary_bytes, size)
        offset += stored
    return dictionary_bytes + page_bytes, row_bytes


def _page_header(data: bytes) -> tuple[int, int, int]:
    """Return the rows of a page (0 for a dictionary), its decompressed bytes, and its stored bytes.

    The stored bytes include the header, which is a struct in Thrift's compact protocol. Fields 2
    and 3 are the decompressed and the compressed size. Fields 5 and 8 are structs that describe a
    data page, and begin with the number of values. An incomplete header raises a LookupError.
    """
    position = 0

    def number() -> int:
        """Read an integer that is stored in seven bits per byte, the lowest bits first."""
        nonlocal position
        value = shift = 0
        while shift < 70:  # at most ten bytes, even if the data are damaged
            value |= (data[position] & 127) << shift
            position, shift = position + 1, shift + 7
            if data[position - 1] < 128:
                break
        return value

    def struct(depth: int) -> dict[int, Any]:
        """Read the integers and structs in a struct by the numbers of their fields."""
        nonlocal position
        fields: dict[int, Any] = {}
        field = 0
        while head := data[position]:
            position += 1
            # the upper bits are the difference to the last number; 0 if the number follows
            field = field + (head >> 4) if head >> 4 else number() >> 1
            match head & 15:  # the type of the field
                case 1 | 2:  # a bool, which has no further bytes
                    pass
                case 4 | 5 | 6:  # an integer, whose lowest bit is the sign
                    fields[field] = number() >> 1
                case 8:  # a string
                    size = number()
                    position += size
                case 12 if depth < 4:
                    fields[field] = struct(depth + 1)
                case other:
                    raise LookupError(f"a field of a page is of kind {other}")
        position += 1
        return fields

    header = struct(0)
    rows = next((header[k][1] for k in (5, 8) if k in header), 0)
    return rows, header[2], position + header[3]
