"""Find the largest page of a Parquet column from the page headers.

PyArrow decompresses a page as a whole, so its size must be known in advance.
"""

from __future__ import annotations

from typing import Any, BinaryIO, NamedTuple

HEADERS = 1 << 9, 1 << 16  # bytes that hold a page header: usually, and with long statistics


def largest_page(stream: BinaryIO, chunk: Any) -> tuple[int, float]:
    """Return the bytes of the largest page of a column plus its dictionary, and the bytes of a row.

    Both sizes are decompressed. The bytes of a row are the greatest mean over the pages.
    """
    starts = [at for at in (chunk.dictionary_page_offset, chunk.data_page_offset) if at]
    at, dictionary, largest, row = min(starts, default=0), 0, 0, 0.0
    end = at + chunk.total_compressed_size
    while at < end:
        stream.seek(at)
        data = stream.read(HEADERS[0])
        try:
            page = _page_header(data)
        except LookupError:
            page = _page_header(data + stream.read(HEADERS[1]))
        if page.rows:
            largest, row = max(largest, page.size), max(row, page.size / page.rows)
        else:
            dictionary = max(dictionary, page.size)
        at += page.stored
    return dictionary + largest, row


class _Page(NamedTuple):
    """The rows of a page (0 for a dictionary), its decompressed bytes, and its stored bytes."""

    rows: int
    size: int
    stored: int


def _page_header(data: bytes) -> _Page:
    """Parse the header of a page: a struct in Thrift's compact protocol.

    Its fields are the type of the page, its two sizes, and structs. Fields 5 and 8 describe data
    pages, and begin with the number of values. Raise a LookupError for an incomplete header.
    """
    place = 0

    def number() -> int:
        nonlocal place
        value = shift = 0
        while shift < 70:
            value |= (data[place] & 127) << shift
            place, shift = place + 1, shift + 7
            if data[place - 1] < 128:
                break
        return value

    def struct(depth: int) -> dict[int, Any]:
        nonlocal place
        fields: dict[int, Any] = {}
        last = 0
        while kind := data[place]:
            place += 1
            last = last + (kind >> 4) if kind >> 4 else number() >> 1
            match kind & 15:
                case 1 | 2:  # a bool, without a value
                    pass
                case 3:
                    place += 1
                case 4 | 5 | 6:
                    fields[last] = number() >> 1
                case 7:
                    place += 8
                case 8:
                    size = number()
                    place += size
                case 12 if depth < 4:
                    fields[last] = struct(depth + 1)
                case other:
                    raise LookupError(f"a field of a page is of kind {other}")
        place += 1
        return fields

    header = struct(0)
    rows = next((header[k][1] for k in (5, 8) if k in header), 0)
    return _Page(rows, header[2], place + header[3])
