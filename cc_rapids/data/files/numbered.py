"""Read and write text with a header line of two counts, followed by one edge per line.

The counts are the numbers of vertices and of edges.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ...errors import FormatError
from ..lazy import np, pa, pc
from .delimited import Block, Dialect, from_first_data, header_line, misfit_error, parse, shown
from .text_ids import IdPair, Weights

if TYPE_CHECKING:
    from .input_file import ColumnRequest, File
    from .write import EdgeList

COPIES = 5  # bytes of memory per byte of a file, in addition to blocks
COUNT = re.compile(r"0|[1-9][0-9]{0,99}")
COSTS = ("src", "dst", "low", "capacity", "cost")  # fields of an arc of a minimum-cost flow
HEADER_FIELDS = 10  # the maximum number of splits of a header line, more than any format needs


@dataclass(frozen=True)
class Layout:
    """A format of text with a header line of counts.

    ``header`` is a pattern of this line, with one blank between fields. Its groups are ``kind``,
    ``n`` (vertices) and ``m`` (edges).
    """

    dialect: Dialect
    first: int  # the number of the first vertex
    tags: dict[str, str]  # the letter before each edge, by the kind of graph; "" for no letter
    header: str
    expected: str  # a description of the header line, for messages
    written: str  # the header line of written files, a template of n and m

    def read(self, file: File, request: ColumnRequest) -> tuple[pa.Table, range]:
        """Return the edges of a file, and its vertices."""
        file.check_bound(file.size, COPIES)
        number, line, feed = header_line(file, self.dialect)
        fields = line.decode(errors="replace").split(maxsplit=HEADER_FIELDS)
        match = re.fullmatch(self.header, " ".join(fields))
        if match is None or not all(map(COUNT.fullmatch, match.group("n", "m"))):
            raise FormatError(
                f"{file.path}, line {number}: expected {self.expected}, found {shown(line)}"
            )
        n, declared, tag = int(match["n"]), int(match["m"]), self.tags[match["kind"]]
        file.check_vertices(n)
        vertices = range(self.first, self.first + n)
        table = self._edges(file, request, tag, vertices, feed)
        # DIMACS files of colourings may list both directions of the edges that they declare once
        if tag == "e" and len(table) == 2 * declared:
            declared *= 2
        if len(table) != declared:
            raise FormatError(
                f"{file.path}, line {number}: declares {declared} edges, but the file has"
                f" {len(table)}"
            )
        file.groups = {0: declared}  # for the ledger
        return table, vertices

    def _edges(
        self, file: File, request: ColumnRequest, tag: str, vertices: range, feed: Iterator[Block]
    ) -> pa.Table:
        """Return the edges below the header line; each line begins with ``tag``, if not empty."""
        weights, dialect = Weights(), self.dialect
        ids = IdPair(file.path, ("src", "dst"), dialect)
        start = len(tag)  # the position of the first end, as a tag is a field of one letter
        positions = *range(start), *(start + i for i in request.columns(file.path, ("src", "dst")))
        width, weight = 0, None  # the number of fields, and the position of the weight after a tag
        for block in from_first_data(feed, dialect):
            if not width:  # the first line with an edge shows whether there are weights
                width = max(start + 2, len(dialect.split(block.first()[0])))
                names = COSTS if (tag, width) == ("a", 1 + len(COSTS)) else ("src", "dst", "weight")
                weight = request.weight_column(file.path, names[: width - start], ends=(0, 1))
                positions = positions if weight is None else (*positions, start + weight)
            columns = parse(file.path, block, dialect, width, positions)  # the weight comes last
            ends = ids.append(block, *columns[start : start + 2])
            equal = (pc.equal(column.text, tag) for column in columns[:start])
            is_tagged = all(pc.all(rows, skip_nulls=False, min_count=0).as_py() for rows in equal)
            if not (is_tagged and all(within(values, vertices) for values in ends)):
                raise self._not_an_edge(file.path, block, tag, vertices)
            if weight is not None:
                weights.append(file.path, block, dialect, start + weight, columns[-1].text)
        table = ids.table()
        return table if weight is None else table.append_column("weight", weights.column())

    def _not_an_edge(self, path: str, block: Block, tag: str, vertices: range) -> FormatError:
        """Return the error for the first line that is not an edge between the vertices."""
        start = len(tag)

        def fits(fields: list[str]) -> bool:
            ends = fields[start : start + 2]
            valid = all(COUNT.fullmatch(end) and int(end) in vertices for end in ends)
            return not fields or ("".join(fields[:start]) == tag and valid)

        tagged = f"{tag!r} and " if tag else ""
        expected = f"{tagged}two indices from {vertices.start} to {vertices.stop - 1}"
        return misfit_error(path, block, self.dialect, fits, expected)

    def write(self, edges: EdgeList, stream: BinaryIO, path: Path) -> None:
        """Write edges below a header line, whose kind of graph determines the tag."""
        header = self.written.format(n=len(edges.vertices or ()), m=edges.num_edges)
        match = re.fullmatch(self.header, header)
        assert match is not None
        write_numbered(edges, f"{header}\n", self.tags[match["kind"]], stream)


def within(values: Any, allowed: range) -> bool:
    """Return whether all values of an Arrow column are integers within a range, without nulls."""
    if not pa.types.is_integer(values.type) or values.null_count:
        return False
    least, largest = pc.min_max(values).as_py().values()
    return least is None or (least >= allowed.start and largest < allowed.stop)


def write_numbered(edges: EdgeList, header: str, tag: str, stream: BinaryIO) -> None:
    """Write a header line, and a line per edge; if there is a tag, missing weights become 1."""
    stream.write(header.encode())
    for piece in edges.pieces:
        columns = [*([pa.repeat(tag, len(piece))] if tag else []), *piece.columns]
        if tag and not edges.weighted:
            columns.append(pa.repeat(1, len(piece)))
        write_lines(pa.table(columns, names=list(map(str, range(len(columns))))), " ", stream)


def write_lines(table: pa.Table, delimiter: str, stream: BinaryIO) -> None:
    """Write rows without nulls as unquoted fields separated by a delimiter."""
    kind = pa.large_string()
    for batch in table.to_batches():
        fields = [column.cast(kind) for column in batch.columns]
        lines = pc.binary_join_element_wise(*fields, pa.scalar(delimiter, kind))
        # joining with an empty string appends a newline
        lines = pc.binary_join_element_wise(lines, pa.scalar("", kind), pa.scalar("\n", kind))
        _, offsets, text = lines.buffers()
        first, last = np.frombuffer(offsets, np.int64)[[lines.offset, lines.offset + len(lines)]]
        stream.write(memoryview(text)[first:last])
