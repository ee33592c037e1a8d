"""Text formats with the numbers of vertices and edges in a header, then an edge or row per line.

======  ==============================  ==================  ===============
format  head                            line                vertices
======  ==============================  ==================  ===============
mtx     banner, then ``n n m``          ``u v [value]``     1 .. n
gr      ``p sp n m``                    ``a u v [weight]``  1 .. n
he      ``H n m u``                     ``E u v [weight]``  0 .. n - 1
metis   ``n m [code]``                  a vertex's row      1 .. n
======  ==============================  ==================  ===============
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from ...errors import FormatError
from .delimited import DIALECTS, Block, Dialect, check_utf8, from_first_data, parse, shown
from .input_file import ColumnRequest, File
from .text_edges import Weights
from .text_ids import IdColumns, integers

if TYPE_CHECKING:
    import pyarrow as pa


LINES_COPIES, METIS_COPIES = 5, 12  # bytes for each byte of a file, beside blocks
COUNT = re.compile(r"0|[1-9][0-9]*")


@dataclass(frozen=True)
class Layout:
    """The layout of a line of edges: its tag, if any, and the number of the first vertex.

    ``what`` calls the lines by their name in messages.
    """

    dialect: Dialect
    tag: str
    first: int
    what: str

    def fields(self, line: bytes) -> list[str]:
        """Return the fields of a line; none of a comment."""
        return self.dialect.split(self.dialect.clean(line))

    def fits(self, fields: list[str], n: int) -> bool:
        """Return whether a line of these fields is an edge of ``n`` vertices."""
        tags = len(self.tag)
        ends, last = fields[tags : tags + 2], self.first + n - 1
        return fields[:tags] == [*self.tag] and all(
            COUNT.fullmatch(end) and self.first <= int(end) <= last for end in ends
        )


@dataclass(frozen=True)
class Head:
    """The header line: its line number, and the numbers of vertices and edges that it declares.

    ``weighted`` says whether a third field is the weight; it is not where values are complex.
    """

    line: int
    vertices: int
    edges: int
    weighted: bool = True


_LAYOUTS = {
    "mtx": Layout(DIALECTS["mtx"], "", 1, "entries"),
    "gr": Layout(DIALECTS["gr"], "a", 1, "arcs"),
    "he": Layout(DIALECTS["he"], "E", 0, "edges"),
}


def read_matrix(file: File, request: ColumnRequest) -> tuple[pa.Table, range]:
    """Read Matrix Market: a banner, comments, a line of sizes, and one entry a line."""
    file.check_bound(file.size, LINES_COPIES)
    feed = file.blocks(DIALECTS["mtx"])
    top = next(feed, Block(1, b"\n"))
    banner = top.first()[0]
    if banner.lower().split(None, 3)[:3] != [b"%%matrixmarket", b"matrix", b"coordinate"]:
        raise FormatError(
            f"{file.path}, line 1: expected '%%MatrixMarket matrix coordinate ...', "
            f"found {shown(banner)}"
        )
    number, line, rest = _head_line(chain([top], feed), DIALECTS["mtx"], 2)
    fields = line.decode(errors="replace").split(maxsplit=9)  # one more than any header has
    counts = counts_of(fields, 3)
    if counts is None:
        raise FormatError(
            f"{file.path}, line {number}: expected the numbers of rows, columns and entries, "
            f"found {shown(line)}"
        )
    rows, columns, entries = counts
    if rows != columns:
        raise FormatError(
            f"{file.path}, line {number}: a graph must be a square matrix, but this one is {rows}"
            f" by {columns}"
        )
    head = Head(number, rows, entries, b"complex" not in banner.lower())
    return _entries(file, request, chain([rest], feed), head)


def read_shortest_paths(file: File, request: ColumnRequest) -> tuple[pa.Table, range]:
    """Read DIMACS shortest paths: ``p sp n m``, then an arc ``a u v weight`` a line."""
    file.check_bound(file.size, LINES_COPIES)
    feed = file.blocks(DIALECTS["gr"])
    number, line, rest = _head_line(feed, DIALECTS["gr"])
    fields = line.decode(errors="replace").split(maxsplit=9)  # one more than any header has
    counts = counts_of(fields[2:], 2)
    if fields[:2] != ["p", "sp"] or counts is None:
        raise FormatError(
            f"{file.path}, line {number}: expected 'p sp <nodes> <arcs>', found {shown(line)}"
        )
    return _entries(file, request, chain([rest], feed), Head(number, counts[0], counts[1]))


def read_he(file: File, request: ColumnRequest) -> tuple[pa.Table, range]:
    """Read he: ``H n e u``, then an edge ``E s d w`` a line."""
    file.check_bound(file.size, LINES_COPIES)
    feed = file.blocks(DIALECTS["he"])
    number, line, rest = _head_line(feed, DIALECTS["he"])
    fields = line.decode(errors="replace").split(maxsplit=9)  # one more than any header has
    counts = counts_of(fields[1:], 3)
    if fields[:1] != ["H"] or counts is None or counts[2] > 1:
        raise FormatError(
            f"{file.path}, line {number}: expected 'H <nodes> <edges> <1 if undirected, else 0>', "
            f"found {shown(line)}"
        )
    return _entries(file, request, chain([rest], feed), Head(number, counts[0], counts[1]))


def _head_line(
    feed: Iterator[Block], dialect: Dialect, number: int = 1
) -> tuple[int, bytes, Block]:
    """Return the number of the first line with data, the line, and the rest of its block.

    If there is no such line, ``number`` is that of the line where it is expected.
    """
    block = next(from_first_data(feed, dialect), Block(number, b"\n"))
    line, rest = block.first()
    return block.line, line, rest


def counts_of(fields: list[str], wanted: int) -> list[int] | None:
    """Return the fields as counts below 2^63; None if they are not."""
    if len(fields) != wanted or not all(COUNT.fullmatch(field) for field in fields):
        return None
    counts = [int(field) for field in fields]
    return counts if max(counts) < 1 << 63 else None


def _entries(
    file: File, request: ColumnRequest, feed: Iterator[Block], head: Head
) -> tuple[pa.Table, range]:
    """Return the edges after the header line."""
    layout, ids, weights = _LAYOUTS[request.format], IdColumns(), Weights()
    tags, dialect = len(layout.tag), layout.dialect
    take = *range(tags), *(tags + i for i in request.columns(file.path, ("src", "dst")))
    every = range(layout.first, layout.first + head.vertices)
    width, weighted = 0, False
    for block in from_first_data(feed, dialect):
        if not width:  # that of the first line, whatever the head says
            width = max(tags + 2, len(dialect.split(block.first()[0])))
            weighted = request.weights and head.weighted and width > tags + 2
            take = (*take, tags + 2) if weighted else take
        columns = parse(file.path, block, dialect, width, take)
        pair = ids.append(*columns[tags : tags + 2])
        if not all(_all_are(layout.tag, column.text) for column in columns[:tags]) or not all(
            within(values, every) for values in pair
        ):
            raise _outside(file.path, block, layout, every)
        if weighted:
            weights.append(file.path, block, dialect, tags + 2, columns[-1].text)
    table = ids.table(("src", "dst"))
    table = table.append_column("weight", weights.column()) if weighted else table
    if len(table) != head.edges:
        raise FormatError(
            f"{file.path}, line {head.line}: declares {head.edges} {layout.what}, but the file has"
            f" {len(table)}"
        )
    return table, every


def _all_are(tag: str, column: pa.ChunkedArray) -> bool:
    import pyarrow.compute as pc

    same = pc.all(pc.equal(column, tag), skip_nulls=False, min_count=0).as_py()
    return same is True


def within(values: Any, every: range) -> bool:
    """Return whether all values of an Arrow column are integers within a range, without nulls."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_integer(values.type) or values.null_count:
        return False
    least, largest = pc.min_max(values).as_py().values()
    return least is None or (least >= every.start and largest < every.stop)


def _outside(path: str, block: Block, layout: Layout, every: range) -> FormatError:
    """Return the error for the first line that is not an edge of these vertices."""
    tagged = f"{layout.tag!r} and " if layout.tag else ""
    span = f"from {every.start} to {every.stop - 1}"
    for number, line in block.lines():
        fields = layout.fields(line)
        if fields and not layout.fits(fields, len(every)):
            return FormatError(
                f"{path}, line {number}: expected {tagged}two indices {span}, found {shown(line)}"
            )
    return FormatError(f"{path}, from line {block.line} on: an index is not {span}")


_DIALECT = DIALECTS["metis"]
_DIGITS = re.compile(r"[0-9]+")
_FLAGS = re.compile(r"[01]{1,3}")


@dataclass(frozen=True)
class Header:
    """The header ``n m [fmt [ncon]]``: the counts, and the fields between the neighbours.

    ``ahead`` numbers come before the first neighbour, the size and weights of the vertex itself,
    and every neighbour takes ``stride`` numbers: 2 if the weight of the edge follows it.
    """

    line: int
    vertices: int
    edges: int
    ahead: int
    stride: int

    def expectation(self) -> str:
        """Return a description of the expected content of each line."""
        ahead = f"{self.ahead} weights, then " if self.ahead else ""
        weights = ", each with a weight" if self.stride == 2 else ""
        return f"{ahead}neighbours from 1 to {self.vertices}{weights}"

    def fits(self, fields: list[str]) -> bool:
        """Return whether these fields are a valid line of a vertex."""
        neighbours = fields[self.ahead :: self.stride]
        return (
            all(COUNT.fullmatch(field) for field in fields)
            and len(fields) >= self.ahead
            and (len(fields) - self.ahead) % self.stride == 0
            and all(1 <= int(v) <= self.vertices for v in neighbours)
        )


def read_metis(file: File, request: ColumnRequest) -> tuple[pa.Table, range]:
    """Read METIS, which lists each edge at both ends; both entries are returned."""
    import numpy as np
    import pyarrow as pa

    file.check_bound(file.size, METIS_COPIES)
    feed = file.blocks(_DIALECT)
    top = next(from_first_data(feed, _DIALECT), Block(1, b"\n"))
    line, rest = top.first()
    header = _header(file.path, top.line, line)
    pairs, at, weighted = [], 1, request.weights and header.stride == 2
    for block in chain([rest], feed):
        counts, numbers = _tokens(file.path, block, header)
        if at + len(counts) - 1 > header.vertices:
            counts = _without_blank_lines_at_the_end(file.path, block, header, counts, at)
        place = np.arange(len(numbers)) - np.repeat(np.cumsum(counts) - counts, counts)
        there = (place >= header.ahead) & ((place - header.ahead) % header.stride == 0)
        owner = np.repeat(np.arange(at, at + len(counts)), counts)[there]
        neighbour = numbers.filter(pa.array(there))
        if not _is_whole(counts, header) or not within(neighbour, range(1, header.vertices + 1)):
            raise _malformed(file.path, block, header)
        weight = [numbers.filter(pa.array(np.roll(there, 1)))] if weighted else []
        pairs.append((pa.array(owner), neighbour, *weight))
        at += len(counts)
    _check_counts(file.path, header, at - 1, sum(len(owner) for owner, *_ in pairs))
    columns = [pa.chunked_array(side, pa.int64()) for side in zip(*pairs, strict=True)]
    names = ["dst", "src"] if request.turned(file.path) else ["src", "dst"]
    table = pa.table(columns, names=[*names, "weight"][: len(columns)])
    return table.select(["src", "dst", "weight"][: len(columns)]), range(1, header.vertices + 1)


def _header(path: str, number: int, line: bytes) -> Header:
    fields = line.decode(errors="replace").split(maxsplit=9)  # one more than any header has
    counts = [int(field) for field in fields if _DIGITS.fullmatch(field)]
    flags = fields[2] if len(fields) > 2 else "0"
    few = 2 <= len(fields) == len(counts) <= 4 and max(counts) < 1 << 62
    if not few or not _FLAGS.fullmatch(flags):
        raise FormatError(
            f"{path}, line {number}: expected '<vertices> <edges> [fmt [ncon]]', with fmt of up to"
            f" three digits 0 or 1, found {shown(line)}"
        )
    sizes, weights, edge_weights = (flag == "1" for flag in flags.zfill(3))
    ncon = counts[3] if len(counts) > 3 else 1
    return Header(number, counts[0], counts[1], sizes + weights * ncon, 1 + edge_weights)


def _tokens(path: str, block: Block, header: Header) -> tuple[Any, pa.Array]:
    """Return the count of numbers on each line, and all the numbers."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import csv

    data = _DIALECT.clean(block.data)
    text = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(text == ord("\n"))
    starts = np.concatenate(([0], ends[:-1] + 1)) if len(ends) else ends
    blanks = np.diff(np.searchsorted(np.flatnonzero(text == ord(" ")), ends), prepend=0)
    counts = np.where(starts == ends, 0, blanks + 1)
    if not counts.any():
        return counts, pa.array([], pa.int64())
    try:
        words = csv.read_csv(
            pa.BufferReader(data.replace(b" ", b"\n")),
            read_options=csv.ReadOptions(column_names=["word"]),
            parse_options=csv.ParseOptions(delimiter=",", quote_char=False),
            convert_options=csv.ConvertOptions(column_types={"word": pa.string()}),
        )["word"]
        numbers = integers(words)
    except pa.ArrowInvalid:
        numbers = None
    if numbers is None or numbers.type != pa.int64() or len(numbers) != counts.sum():
        check_utf8(path, block)
        raise _malformed(path, block, header)
    return counts, numbers.combine_chunks()


def _without_blank_lines_at_the_end(
    path: str, block: Block, header: Header, counts: Any, at: int
) -> Any:
    """Return the counts of the vertices that are left.

    An error if a line beyond them holds anything.
    """
    left = header.vertices - at + 1
    if counts[left:].any():
        raise FormatError(
            f"{path}, line {header.line}: declares {header.vertices} vertices, but there are lines"
            f" for more, from line {block.line} on"
        )
    return counts[:left]


def _is_whole(counts: Any, header: Header) -> bool:
    return bool(((counts >= header.ahead) & ((counts - header.ahead) % header.stride == 0)).all())


def _check_counts(path: str, header: Header, lines: int, neighbours: int) -> None:
    if lines != header.vertices:
        raise FormatError(
            f"{path}, line {header.line}: declares {header.vertices} vertices, but the file has"
            f" lines for {lines}"
        )
    if neighbours != 2 * header.edges:
        raise FormatError(
            f"{path}, line {header.line}: declares {header.edges} edges, each listed at both ends,"
            f" but there are {neighbours} neighbours, not {2 * header.edges}"
        )


def _malformed(path: str, block: Block, header: Header) -> FormatError:
    """Return the error for the first line that is not a valid line of a vertex."""
    expected = header.expectation()
    for number, line in block.lines():
        fields = _DIALECT.split(line)
        if not line.lstrip().startswith(b"%") and not header.fits(fields):
            return FormatError(f"{path}, line {number}: expected {expected}, found {shown(line)}")
    return FormatError(f"{path}, from line {block.line} on: expected {expected}")
