"""Divide the memory limit of a stream between vertices and the edges of a chunk.

The table lists peak bytes of host memory for fewer than 2^32 vertices:

=========  ===============================  ============================================
ids        bytes per vertex                 bytes per edge of a chunk
=========  ===============================  ============================================
range      20: trees and the answer         80: two copies of the chunk's columns (one
                                            chunk is read ahead)
integers   52: two copies of the trees (8), 240: two copies of the chunk's columns, the
           the ids (8) and their copy with  numbers of the ids, and up to two new
           spare capacity (12), the hash    vertices
           table and the next larger one
           (24)
strings    46: the hash (8), trees (8), and 800, and the text, estimated at 16 bytes per
           the hash table and the next      id
           larger one, or sorting (30);
           and the text with an offset of
           8 bytes
=========  ===============================  ============================================

A hash table of integers takes at most 12 bytes per id (:mod:`cc_rapids.ids.arrival_table`). The
answer is made between chunks, and takes less than the next larger hash table. Each further reader
adds half of the bytes per edge. If ids have several columns, each column takes these bytes, and
another 18 bytes per vertex, because pairs of columns are numbered too.

Reading takes another ``FILE_BYTES``; reading text takes up to ``TEXT_BYTES``. A lower limit makes
blocks of text smaller. Some data cannot be read in pieces: long lines, record batches of Arrow,
pages of Parquet, and whole files of other formats. If the decompressed size of such data does not
fit, an error is raised before the data are loaded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .. import host_memory
from ..errors import CapacityError, InputError

VERTEX = {"range": 20, "integers": 52, "strings": 46}  # bytes per vertex
EDGE = {"range": 80, "integers": 240, "strings": 800}  # bytes per edge of a chunk
# the kind of the vertices that a file declares by their number: they have no text
KIND_OF_DECLARED = {"range": "range", "integers": "integers", "strings": "integers"}
EDGE_WITHOUT_TEXT = {"strings": EDGE["strings"] // 2}  # if the text is counted separately
PAIR = 18  # bytes per vertex and column, for the pairs that number ids of several columns
FILE_BYTES = 32 << 20  # pages, buffers and threads of libraries
BLOCK_COPIES = 16  # bytes per byte of a block of text, including the blocks in the queue
LEAST_TEXT_BYTES, TEXT_BYTES = 48 << 20, FILE_BYTES + (BLOCK_COPIES * 16 << 20)
RECORDS = 32  # a line of text, or a quoted record, takes at most 1/RECORDS of the limit
ROW_COPIES = 16  # bytes per byte of a chunk's columns that hold long strings
LAZY_COPIES = 2  # copies of a lazy frame while Polars collects it
MEASURED = 64  # the number of rows from which the bytes of text in a row are estimated
LEAST_ROWS, MOST_ROWS = 1 << 10, 1 << 22
MOST_ON_DEVICE = 1 << 25  # the maximum number of rows of a chunk if readers load chunks to a GPU
LEAST_VERTEX_BYTES = 4  # bytes of a vertex in the smallest tree
WITHOUT_ISOLATED = "write the edges without isolated vertices, as Parquet"
LEAST_WITHOUT_UNIT = 1 << 20  # a smaller limit as text without a unit is an error
UNITS = {"": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "t": 1000**4}
UNITS |= {"ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40}
NUMBER_AND_UNIT = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?i?)b?\s*", re.IGNORECASE)


def bytes_of(limit: int | str | None, free: int | None = None) -> int:
    """Return a memory limit in bytes, given a number or a string such as ``"2GiB"``.

    If ``limit`` is None, return half of ``free``, by default the free memory of this machine or
    container. A string of less than 1 MiB without a unit, which was probably forgotten, raises an
    InputError.
    """
    if limit is None:
        return (free or host_memory.free_bytes()) // 2
    matched = NUMBER_AND_UNIT.fullmatch(limit) if isinstance(limit, str) else None
    if matched and matched[2].lower() in UNITS:
        number, has_unit = matched[1], matched[0].strip() != matched[1]
        if not has_unit and float(number) < LEAST_WITHOUT_UNIT:
            raise InputError(
                f"memory_limit must be a positive number of bytes or have a unit, but {limit!r} has"
                f" none: did you mean '{number}MiB'? pass that, or '{number}B'"
            )
        limit = int(float(number) * UNITS[matched[2].lower()])
    if isinstance(limit, bool) or not isinstance(limit, int) or limit <= 0:
        raise InputError(
            "memory_limit must be a positive number of bytes or a string such as '2GiB', not"
            f" {limit!r}"
        )
    return limit


def check_machine(what: str, size: int, advice: str) -> None:
    """Raise a CapacityError that begins with ``what`` unless this machine has ``size`` bytes."""
    total = host_memory.total_bytes()
    if size > total:
        raise CapacityError(
            f"{what}, which take {in_words(size)} at least, but this machine has {in_words(total)}:"
            f" {advice}"
        )


def in_words(size: int, limit: int = 0) -> str:
    """Format a number of bytes, in decimal units if ``limit`` is a round decimal number.

    Examples
    --------
    >>> in_words(512 << 20), in_words(3 << 30), in_words(123)
    ('512.0 MiB', '3.00 GiB', '123 bytes')
    >>> in_words(bytes_of("512MB"), bytes_of("512MB")), in_words(3 << 30, bytes_of("2GB"))
    ('512.0 MB', '3.22 GB')
    """
    is_decimal = any(limit % 1000**k == 0 and limit % 1024**k for k in (1, 2, 3))
    base, unit = (1000, "B") if is_decimal else (1024, "iB")
    if size < base**2:
        return f"{size:,} bytes"
    if size < base**3:
        return f"{size / base**2:,.1f} M{unit}"
    return f"{size / base**3:,.2f} G{unit}"


@dataclass
class Budget:
    """A memory limit in bytes, and the maximum number of rows of the next chunk.

    For text, ``fixed`` is at most half of the limit, which makes the blocks of text smaller.
    """

    limit: int
    fixed: int  # the bytes for reading: blocks of text, or buffers
    rows: int = LEAST_ROWS
    free_bytes: int = 0  # the bytes that reading and the vertices leave for chunks
    max_rows: int = MOST_ROWS  # the maximum of ``rows``, regardless of free memory
    readers: int = 1  # the number of chunks that are read while another is linked
    loaded: int = 0  # the bytes of a file, or of its pages, that are in memory beside the chunks
    kind: str = "strings"  # the kind of ids: a key of EDGE
    edge: int = EDGE["strings"]  # the bytes per edge of a chunk

    def __post_init__(self) -> None:
        if self.fixed > LEAST_TEXT_BYTES:
            self.fixed = max(LEAST_TEXT_BYTES, min(self.fixed, self.limit // 2))
        self.free_bytes = self.limit - self.fixed

    @property
    def block_bytes(self) -> int:
        """The size of a block of text in bytes."""
        return (max(self.fixed, LEAST_TEXT_BYTES) - FILE_BYTES) // BLOCK_COPIES

    @property
    def record_bytes(self) -> int:
        """The maximum size of a line of text, or of a quoted record of several lines, in bytes."""
        return self.limit // RECORDS

    @property
    def whole_bytes(self) -> int:
        """The maximum size of a file read as a whole; the rest of the memory is for its chunks."""
        return self.free_bytes * 2 // 3

    def in_words(self, size: int) -> str:
        """Format a number of bytes in the units of the limit."""
        return in_words(size, self.limit)

    def next_rows(self) -> int:
        """Return the maximum number of rows of the next chunk, fewer while a file is in memory."""
        if not self.loaded:
            return self.rows
        chunk_bytes = (self.free_bytes - self.loaded) // 2  # the other half is a margin
        return max(LEAST_ROWS, min(self.rows, chunk_bytes // self.edge))

    def fitting_rows(self, row_bytes: float) -> int:
        """Return the maximum number of rows of the next chunk if a row has ``row_bytes`` bytes."""
        bytes_beside_text = EDGE_WITHOUT_TEXT.get(self.kind, 1)  # not 0, as part of a divisor
        rows = (self.free_bytes - self.loaded) // (ROW_COPIES * row_bytes + bytes_beside_text)
        return max(1, int(min(self.next_rows(), rows)))

    def check_vertices(self, path: str, vertices: int) -> None:
        """Raise a CapacityError if the vertices that a file declares do not fit."""
        need = self.vertex_bytes(KIND_OF_DECLARED[self.kind], vertices)
        if need > self.limit:
            raise CapacityError(
                f"{path} declares {vertices:,} vertices, which take {self.in_words(need)}, but"
                f" memory_limit is {self.in_words(self.limit)}: raise it, or"
                f" {WITHOUT_ISOLATED}"
            )

    def check_lazy(self, frame: Any, columns: Sequence[str]) -> None:
        """Raise a CapacityError if columns of a Polars LazyFrame do not fit when collected."""
        from .column import length_of

        frame = frame.select(name for name in frame.collect_schema() if name in columns)
        schema, rows = frame.collect_schema(), length_of(frame)
        sample = schema.to_frame().clear(MEASURED)  # nulls, which are as large as numbers
        if any(str(kind) == "String" for kind in schema.values()):
            sample = frame.head(MEASURED).collect()
        need = LAZY_COPIES * rows * sample.estimated_size() // max(1, len(sample))
        if need > self.whole_bytes:
            raise CapacityError(
                f"a LazyFrame of {rows:,} rows is collected as a whole, and takes about"
                f" {self.in_words(need + self.limit - self.whole_bytes)}, but memory_limit is"
                f" {self.in_words(self.limit)}: raise it, or sink_parquet() it to a file and pass"
                " its path"
            )

    def vertex_bytes(self, kind: str, vertices: int, text: int = 0, width: int = 1) -> int:
        """Return the bytes for reading and for vertices, including the ``text`` of all ids."""
        factor = 1 if vertices < 1 << 32 else 2  # vertices of 64 bits
        per_column = VERTEX[kind] + (PAIR if width > 1 else 0)
        return self.fixed + vertices * per_column * factor * width + text

    def needed(self, kind: str, vertices: int, text: float = 0.0, width: int = 1) -> int:
        """Return the bytes for reading, for vertices and for the smallest chunk.

        ``text`` is the mean number of bytes of an id as text.
        """
        used = self.vertex_bytes(kind, vertices, math.ceil(text * vertices), width)
        return used + LEAST_ROWS * self.edge_bytes(kind, width)

    def edge_bytes(self, kind: str, width: int = 1) -> int:
        """Return the bytes per edge of a chunk, including the chunks read at the same time."""
        return EDGE[kind] * width * (1 + self.readers) // 2

    def update(self, kind: str, vertices: int, text: int = 0, width: int = 1) -> int:
        """Set and return the number of rows of the next chunk for a number of vertices.

        ``kind`` is a key of :data:`EDGE`. The ids have ``text`` bytes in all and ``width`` columns.
        """
        used = self.vertex_bytes(kind, vertices, text, width)
        self.kind, self.edge = kind, self.edge_bytes(kind, width)
        self.free_bytes = self.limit - used
        rows = self.free_bytes // self.edge
        if rows < LEAST_ROWS:
            needed = self.in_words(used + LEAST_ROWS * self.edge)
            raise CapacityError(
                f"{vertices:,} vertices take {self.in_words(used - self.fixed)}, and reading takes"
                f" {self.in_words(self.fixed)}: {needed} with the smallest chunk, but memory_limit"
                f" is {self.in_words(self.limit)}: raise it"
            )
        self.rows = min(rows, self.max_rows)
        return self.rows
