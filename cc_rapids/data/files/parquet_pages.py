"""Find the largest page of a Parquet column from the page headers.

PyArrow decompresses a page as a whole, so its size must be known in advance.
"""

from __future__ import annotations

from typing import Any, BinaryIO

# the number of bytes that hold a page header, and a page header with long statistics
HEADERS = 1 << 9, 1 << 16


def largest_page(stream: BinaryIO, chunk: Any) -> tuple[int, float]:
    """Return the bytes of the largest page of a column plus its dictionary, and the bytes per row.

    Both numbers count decompressed bytes. The mean bytes per row differ between pages; the greatest
    mean is returned.
    """
    starts = [start for start in (chunk.dictionary_page_offset, chunk.data_page_offset) if start]
    offset, dictionary, largest, row_bytes = min(starts, default=0), 0, 0, 0.0
    end = offset + chunk.total_compressed_size
    while offset < end:
        stream.seek(offset)
        data = stream.read(HEADERS[0])
        try:
            rows, size, stored = _page_header(data)
        except LookupError:
            rows, size, stored = _page_header(data + stream.read(HEADERS[1]))
        if rows:
            largest, row_bytes = max(largest, size), max(row_bytes, size / rows)
        else:
            dictionary = max(dictionary, size)
        offset += stored
    return dictionary + largest, row_bytes


def _page_header(data: bytes) -> tuple[int, int, int]:
    """Return the rows of a page (0 for a dictionary), and its decompressed and stored bytes.

    The header of the page is a struct in Thrift's compact protocol.
    Its fields are the type of the page, its two sizes, and structs of integers, bools and strings.
    Fields 5 and 8 describe data pages, and begin with the number of values. Raise a LookupError for
    an incomplete header.
    """
    position = 0

    def number() -> int:
        """Read an integer that is stored in seven bits per byte, the lowest bits first."""
        nonlocal position
        value = shift = 0
        while shift < 70:
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
        while kind := data[position]:
            position += 1
            # the upper bits are the difference to the last number; 0 if the number follows
            field = field + (kind >> 4) if kind >> 4 else number() >> 1
            match kind & 15:
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
