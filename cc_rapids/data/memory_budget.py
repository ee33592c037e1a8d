"""The memory of a stream: that of vertices, and the rest for the edges of a chunk.

The figures are bytes at the worst moment, on hosts, for fewer than 2^32 vertices:

=========  ===============================  ============================================
ids        a vertex                         an edge of a chunk, two vertices with it
=========  ===============================  ============================================
range      20: trees, and the answer's      80: its columns twice (one chunk is read
                                            ahead)
integers   52: trees twice 8, the ids and   240: its columns twice, their numbers, and
           more space for them 18, and the  perhaps two new vertices
           table that finds them, with a
           larger one, 24
strings    80, and four times the text and  800, and the text, which is guessed at 16
           its offset of 8: 112 and four    each
           times the text
=========  ===============================  ============================================

A table of integers takes at most 12 bytes for each id (:mod:`cc_rapids.ids.arrival_table`); the
answer, made when no chunk is linked, takes less than a larger table. Half of what an edge takes is
added for each further reader. Where ids have several columns, each of them takes as much, and a
vertex 18 more for each, as pairs of columns are numbered too.

Reading takes ``FILE_BYTES`` beside that, and text up to ``TEXT_BYTES``, whose blocks get smaller
with the limit. What cannot be read in pieces is refused before it is in memory if it does not fit:
long lines, record batches of Arrow, pages of Parquet, and whole files of other formats, all by
their size when decompressed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .. import host_memory
from ..errors import CapacityError, InputError
from .column import length_of

VERTEX = {"range": 20, "integers": 52, "strings": 80}
EDGE = {"range": 80, "integers": 240, "strings": 800}
DECLARED = {"range": "range", "integers": "integers", "strings": "integers"}  # no text in files
BESIDE_TEXT = {"strings": EDGE["strings"] // 2}  # of an edge, where its text is counted itself
PAIR = 18  # of the pairs that number the tuples of several columns, for each column
FILE_BYTES = 32 << 20  # pages and buffers of libraries, and their threads
BLOCK_COPIES = 16  # bytes for each byte of a block of text, split and converted while others wait
LEAST_TEXT_BYTES, TEXT_BYTES = 48 << 20, FILE_BYTES + (BLOCK_COPIES * 16 << 20)
RECORDS = 32  # a line of text, or a record with quotes, may take this part of the limit
ROW_COPIES = 16  # bytes for each byte of the columns of a chunk, where strings are long
LAZY_COPIES = 2  # of a lazy frame, while Polars collects it
MEASURED = 64  # rows by which the text in a row is estimated
LEAST_ROWS, MOST_ROWS = 1 << 10, 1 << 22
MOST_ON_DEVICE = 1 << 25  # a GPU links that many at once, while two readers read the next ones
LEAST_VERTEX = 4  # bytes of a vertex in the smallest tree
WITHOUT_ISOLATED = "write the edges without isolated vertices, as Parquet"
FORGOTTEN = 1 << 20  # bytes in text without a unit below which that was forgotten
UNITS = {"": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "t": 1000**4}
UNITS |= {"ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40}
WORDS = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?i?)b?\s*", re.IGNORECASE)


def bytes_of(limit: int | str | None, free: int | None = None) -> int:
    """Return a memory limit in bytes.

    Without a limit, it is half of the free memory, by default of this machine or container.

    Raises
    ------
    InputError
        The limit is neither a number of bytes nor a text such as ``"2GiB"``, or a text of less than
        a MiB without a unit.
    """
    if limit is None:
        return (free or host_memory.free_bytes()) // 2
    matched = WORDS.fullmatch(limit) if isinstance(limit, str) else None
    if matched and matched[2].lower() in UNITS:
        number = matched[1]
        if matched[0].strip() == number and float(number) < FORGOTTEN:
            raise InputError(
                f"memory_limit must be a positive number of bytes or have a unit, and {limit!r} has"
                f" none: did you mean '{number}MiB'? pass that, or '{number}B'"
            )
        limit = int(float(number) * UNITS[matched[2].lower()])
    if isinstance(limit, bool) or not isinstance(limit, int) or limit <= 0:
        raise InputError(
            "memory_limit must be a positive number of bytes or a string such as '2GiB', not"
            f" {limit!r}"
        )
    return limit


def check_machine(what: str, size: int, way: str) -> None:
    """Raise a CapacityError if what is read takes more bytes than this machine has."""
    total = host_memory.total_bytes()
    if size > total:
        raise CapacityError(
            f"{what}, which take {in_words(size)} at least, but this machine has {in_words(total)}:"
            f" {way}"
        )


def in_words(size: int, limit: int = 0) -> str:
    """Return a number of bytes as text, in decimal units if those of a limit are decimal.

    Examples
    --------
    >>> in_words(512 << 20), in_words(3 << 30), in_words(123)
    ('512.0 MiB', '3.00 GiB', '123 bytes')
    >>> in_words(bytes_of("512MB"), bytes_of("512MB")), in_words(3 << 30, bytes_of("2GB"))
    ('512.0 MB', '3.22 GB')
    """
    decimal = any(limit % 1000**k == 0 and limit % 1024**k for k in (1, 2, 3))
    base, i = (1000, "") if decimal else (1024, "i")
    if size < base**2:
        return f"{size:,} bytes"
    giga = size >= base**3
    return f"{size / base**3:,.2f} G{i}B" if giga else f"{size / base**2:,.1f} M{i}B"


@dataclass
class Budget:
    """A memory limit, and the number of rows that the next chunk may have.

    Attributes
    ----------
    limit : int
        Bytes in all.
    fixed : int
        The bytes that reading takes: blocks of text, or buffers. Those of text are lowered to half
        of the limit, and its blocks get smaller with them.
    most : int
        The most rows of a chunk, however much memory is free.
    readers : int
        The number of chunks that are read at the same time, while another is linked.
    loaded : int
        The bytes of a file that are in memory beside chunks: all of them, or pages.
    kind, edge : str and int
        The kind of ids, and the bytes for an edge of a chunk.
    """

    limit: int
    fixed: int
    rows: int = LEAST_ROWS
    free_bytes: int = 0
    most: int = MOST_ROWS
    readers: int = 1
    loaded: int = 0
    kind: str = "strings"
    edge: int = EDGE["strings"]

    def __post_init__(self) -> None:
        if self.fixed > LEAST_TEXT_BYTES:
            self.fixed = max(LEAST_TEXT_BYTES, min(self.fixed, self.limit // 2))
        self.free_bytes = self.limit - self.fixed

    @property
    def block_bytes(self) -> int:
        """The bytes of a block of text."""
        return (max(self.fixed, LEAST_TEXT_BYTES) - FILE_BYTES) // BLOCK_COPIES

    @property
    def record_bytes(self) -> int:
        """The most bytes of a line of text."""
        return self.limit // RECORDS

    @property
    def whole_bytes(self) -> int:
        """The bytes for a file that is read as a whole, while chunks are linked in the others."""
        return self.free_bytes * 2 // 3

    def in_words(self, size: int) -> str:
        """Return a number of bytes as text, in the units of the limit."""
        return in_words(size, self.limit)

    def next_rows(self) -> int:
        """Return the number of rows that the next chunk may have."""
        if not self.loaded:
            return self.rows
        return max(LEAST_ROWS, min(self.rows, (self.free_bytes - self.loaded) // 2 // self.edge))

    def fitting_rows(self, row_bytes: float) -> int:
        """Return how many rows fit if each takes ``row_bytes``, as rows with long strings do."""
        ids = BESIDE_TEXT.get(self.kind, 1)
        free = (self.free_bytes - self.loaded) // (ROW_COPIES * row_bytes + ids)
        return max(1, int(min(self.next_rows(), free)))

    def check_vertices(self, path: str, vertices: int) -> None:
        """Raise a CapacityError if a file declares more vertices than fit."""
        need = self.held(DECLARED[self.kind], vertices)
        if need > self.limit:
            raise CapacityError(
                f"{path} declares {vertices:,} vertices, which take {self.in_words(need)}, but"
                f" memory_limit is {self.in_words(self.limit)}: raise it, or"
                f" {WITHOUT_ISOLATED}"
            )

    def check_lazy(self, frame: Any, columns: Sequence[str]) -> None:
        """Raise a CapacityError if columns of a lazy frame of Polars do not fit when collected.

        The text of a row is estimated by the first rows.
        """
        frame = frame.select(name for name in frame.collect_schema() if name in columns)
        schema, rows = frame.collect_schema(), length_of(frame)
        first = schema.to_frame().clear(MEASURED)
        if any(str(kind) == "String" for kind in schema.values()):
            first = frame.head(MEASURED).collect()
        need = LAZY_COPIES * rows * first.estimated_size() // max(1, len(first))
        if need > self.whole_bytes:
            raise CapacityError(
                f"a LazyFrame of {rows:,} rows is collected as a whole, and takes about"
                f" {self.in_words(need + self.limit - self.whole_bytes)}, but memory_limit is"
                f" {self.in_words(self.limit)}: raise it, or sink_parquet() it to a file and pass"
                " its path"
            )

    def held(self, kind: str, vertices: int, text: int = 0, width: int = 1) -> int:
        """Return the bytes for a number of vertices and for reading."""
        wide = 1 if vertices < 1 << 32 else 2
        each = VERTEX[kind] + (PAIR if width > 1 else 0)
        return self.fixed + vertices * each * wide * width + 4 * text

    def needed(self, kind: str, vertices: int, text: float = 0.0, width: int = 1) -> int:
        """Return the bytes for vertices of so many bytes of text each, and the smallest chunk."""
        held = self.held(kind, vertices, math.ceil(text * vertices), width)
        return held + LEAST_ROWS * self.an_edge(kind, width)

    def an_edge(self, kind: str, width: int = 1) -> int:
        """Return the bytes per edge of a chunk.

        Those of the chunks that are read meanwhile are included.
        """
        return EDGE[kind] * width * (1 + self.readers) // 2

    def update(self, kind: str, vertices: int, text: int = 0, width: int = 1) -> int:
        """Set and return the number of rows of the next chunk, for a number of vertices.

        Raises
        ------
        CapacityError
            The vertices leave no memory for a chunk.
        """
        held, edge = self.held(kind, vertices, text, width), self.an_edge(kind, width)
        self.kind, self.edge = kind, edge
        self.free_bytes = self.limit - held
        rows = self.free_bytes // edge
        if rows < LEAST_ROWS:
            least = held + LEAST_ROWS * edge
            raise CapacityError(
                f"{vertices:,} vertices take {self.in_words(held - self.fixed)}, and reading takes"
                f" {self.in_words(self.fixed)}: {self.in_words(least)} with the"
                f" smallest chunk, but memory_limit is {self.in_words(self.limit)}: raise it"
            )
        self.rows = min(rows, self.most)
        return self.rows
