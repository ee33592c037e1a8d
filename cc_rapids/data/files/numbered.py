"""Text with the numbers of vertices and edges in a header line, followed by one edge per line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO

from ...errors import FormatError
from ..lazy import np, pa, pc
from .delimited import Block, Dialect, blocks, from_first_data, line_of, parse, shown
from .text_edges import Weights
from .text_ids import IdPair

if TYPE_CHECKING:
    from .input_file import ColumnRequest, File
    from .write import EdgeList

COPIES = 5  # bytes of memory per byte of a file, in addition to blocks
COUNT = re.compile(r"0|[1-9][0-9]*")
FIELDS = 9  # the most splits of a header line, more than any format needs


@dataclass(frozen=True)
class Head:
    """The numbers of vertices and edges that a header line declares, and the tag of edges.

    ``both`` tells whether edges may be listed in both directions, which doubles their number.
    """

    vertices: int
    edges: int
    tag: str = ""
    both: bool = False


@dataclass(frozen=True)
class Layout:
    """A format of such files.

    Attributes
    ----------
    dialect : Dialect
        How lines split.
    first : int
        The number of the first vertex.
    what : str
        The name of the lines in messages.
    head : callable
        Parses the fields of the header line to a :class:`Head`, or returns None.
    expected : str
        The pattern of the header line, for messages.
    """

    dialect: Dialect
    first: int
    what: str
    head: Callable[[list[str]], Head | None]
    expected: str

    def read(self, file: File, request: ColumnRequest) -> tuple[pa.Table, range]:
        """Return the edges of a file, and its vertices."""
        file.check_bound(file.size, COPIES)
        feed = blocks(file, self.dialect)
        block = next(from_first_data(feed, self.dialect), Block(1, b"\n"))
        line, rest = block.first()
        head = self.head(line.decode(errors="replace").split(maxsplit=FIELDS))
        if head is None:
            raise FormatError(
                f"{file.path}, line {block.line}: expected {self.expected}, found {shown(line)}"
            )
        file.check_vertices(head.vertices)
        every = range(self.first, self.first + head.vertices)
        table = self._edges(file, request, head, every, chain([rest], feed))
        declared = head.edges
        if head.both and len(table) == 2 * declared:
            declared *= 2
        if len(table) != declared:
            raise FormatError(
                f"{file.path}, line {block.line}: declares {declared} {self.what}, but the file has"
                f" {len(table)}"
            )
        file.groups = {0: declared}
        return table, every

    def _edges(
        self, file: File, request: ColumnRequest, head: Head, every: range, feed: Iterator[Block]
    ) -> pa.Table:
        weights, tags, dialect = Weights(), len(head.tag), self.dialect
        ids = IdPair(file.path, ("src", "dst"), dialect)
        take = *range(tags), *(tags + i for i in request.columns(file.path, ("src", "dst")))
        width, weighted = 0, False
        for block in from_first_data(feed, dialect):
            if not width:  # the width of the first line of edges
                width = max(tags + 2, len(dialect.split(block.first()[0])))
                names = ["src", "dst", "weight"][: width - tags]
                weighted = request.weight_column(file.path, names, (0, 1)) is not None
                take = (*take, tags + 2) if weighted else take
            columns = parse(file.path, block, dialect, width, take)
            pair = ids.append(block, *columns[tags : tags + 2])
            if not all(_all_are(head.tag, column.text) for column in columns[:tags]) or not all(
                within(values, every) for values in pair
            ):
                raise self._outside(file.path, block, head.tag, every)
            if weighted:
                weights.append(file.path, block, dialect, tags + 2, columns[-1].text)
        table = ids.table()
        return table.append_column("weight", weights.column()) if weighted else table

    def _outside(self, path: str, block: Block, tag: str, every: range) -> FormatError:
        """Return the error for the first line that is not an edge of these vertices."""
        tagged, tags = f"{tag!r} and " if tag else "", len(tag)

        def fits(fields: list[str]) -> bool:
            ends = fields[tags : tags + 2]
            counts = all(COUNT.fullmatch(end) and int(end) in every for end in ends)
            return not fields or (fields[:tags] == [*tag] and counts)

        expected = f"{tagged}two indices from {every.start} to {every.stop - 1}"
        return line_of(path, block, self.dialect, fits, expected)


def counts_of(fields: list[str], size: int) -> list[int] | None:
    """Return the fields as counts; None if they are not counts."""
    if len(fields) != size or not all(COUNT.fullmatch(field) for field in fields):
        return None
    return [int(field) for field in fields]


def _all_are(tag: str, column: pa.ChunkedArray) -> bool:
    same = pc.all(pc.equal(column, tag), skip_nulls=False, min_count=0).as_py()
    return same is True


def within(values: Any, every: range) -> bool:
    """Return whether all values of an Arrow column are integers within a range, without nulls."""
    if not pa.types.is_integer(values.type) or values.null_count:
        return False
    least, largest = pc.min_max(values).as_py().values()
    return least is None or (least >= every.start and largest < every.stop)


def write_numbered(edges: EdgeList, head: str, tag: str, stream: BinaryIO) -> None:
    """Write a header line, then one edge per line; with a tag, missing weights are written as 1."""
    stream.write(head.encode())
    for piece in edges.pieces:
        columns = [*([pa.repeat(tag, len(piece))] if tag else []), *piece.columns]
        if tag and not edges.weighted:
            columns.append(pa.repeat(1, len(piece)))
        write_lines(pa.table(columns, names=list(map(str, range(len(columns))))), " ", stream)


def write_lines(table: pa.Table, delimiter: str, stream: BinaryIO) -> None:
    """Write rows without nulls as unquoted fields separated by a delimiter."""
    between, end, nothing = (pa.scalar(text, pa.large_string()) for text in (delimiter, "\n", ""))
    for batch in table.to_batches():
        words = [column.cast(pa.large_string()) for column in batch.columns]
        lines = pc.binary_join_element_wise(*words, between)
        lines = pc.binary_join_element_wise(lines, nothing, end)
        _, offsets, text = lines.buffers()
        first, last = np.frombuffer(offsets, np.int64)[[lines.offset, lines.offset + len(lines)]]
        stream.write(memoryview(text)[first:last])
