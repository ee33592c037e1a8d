"""Text with the numbers of vertices and of edges at its head, and then one edge a line.

======  ==============================  ==================  ===============
format  head                            line                vertices
======  ==============================  ==================  ===============
mtx     banner, then ``n n m``          ``u v [value]``     1 .. n
gr      ``p sp n m``                    ``a u v [weight]``  1 .. n
he      ``H n m u``                     ``E u v [weight]``  0 .. n - 1
======  ==============================  ==================  ===============
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..errors import FormatError
from .delimited import DIALECTS, Block, Dialect, from_first_data, parse, shown
from .files import File, Wanted
from .ids import IdColumns
from .weights import Weights

if TYPE_CHECKING:
    import pyarrow as pa

COUNT = re.compile(r"0|[1-9][0-9]*")


@dataclass(frozen=True)
class Layout:
    """What a line of edges looks like: its tag, if it has one, and the number of the first vertex.

    ``what`` calls the lines by their name in messages.
    """

    dialect: Dialect
    tag: str
    first: int
    what: str

    def fields(self, line: bytes) -> list[str]:
        """The fields of a line; none of a comment."""
        return self.dialect.split(self.dialect.clean(line))

    def fits(self, fields: list[str], n: int) -> bool:
        """Whether a line of these fields is an edge of ``n`` vertices."""
        tags = len(self.tag)
        ends, last = fields[tags : tags + 2], self.first + n - 1
        return fields[:tags] == [*self.tag] and all(
            COUNT.fullmatch(end) and self.first <= int(end) <= last for end in ends
        )


@dataclass(frozen=True)
class Head:
    """The line with the counts: its number, the vertices, and the edges that it promises.

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


def read_matrix(file: File, wanted: Wanted) -> tuple[pa.Table, range]:
    """Matrix Market: a banner, comments, a line of sizes, and one entry a line."""
    feed = file.blocks(DIALECTS["mtx"])
    top = next(feed, Block(1, b"\n"))
    banner = top.first()[0]
    if banner.lower().split()[:3] != [b"%%matrixmarket", b"matrix", b"coordinate"]:
        raise FormatError(
            f"{file.path}, line 1: expected '%%MatrixMarket matrix coordinate ...', "
            f"found {shown(banner)}"
        )
    number, line, rest = _head_line(chain([top], feed), DIALECTS["mtx"], 2)
    fields = line.decode(errors="replace").split()
    counts = counts_of(fields, 3)
    if counts is None:
        raise FormatError(
            f"{file.path}, line {number}: expected the numbers of rows, columns and entries, "
            f"found {shown(line)}"
        )
    rows, columns, entries = counts
    if rows != columns:
        raise FormatError(
            f"{file.path}, line {number}: a graph is a square matrix, this one is {rows} by "
            f"{columns}"
        )
    head = Head(number, rows, entries, b"complex" not in banner.lower())
    return _entries(file, wanted, chain([rest], feed), head)


def read_shortest_paths(file: File, wanted: Wanted) -> tuple[pa.Table, range]:
    """DIMACS shortest paths: ``p sp n m``, then an arc ``a u v weight`` a line."""
    feed = file.blocks(DIALECTS["gr"])
    number, line, rest = _head_line(feed, DIALECTS["gr"])
    fields = line.decode(errors="replace").split()
    counts = counts_of(fields[2:], 2)
    if fields[:2] != ["p", "sp"] or counts is None:
        raise FormatError(
            f"{file.path}, line {number}: expected 'p sp <nodes> <arcs>', found {shown(line)}"
        )
    return _entries(file, wanted, chain([rest], feed), Head(number, counts[0], counts[1]))


def read_he(file: File, wanted: Wanted) -> tuple[pa.Table, range]:
    """``H n e u``, then an edge ``E s d w`` a line."""
    feed = file.blocks(DIALECTS["he"])
    number, line, rest = _head_line(feed, DIALECTS["he"])
    fields = line.decode(errors="replace").split()
    counts = counts_of(fields[1:], 3)
    if fields[:1] != ["H"] or counts is None or counts[2] > 1:
        raise FormatError(
            f"{file.path}, line {number}: expected 'H <nodes> <edges> <1 if undirected, else 0>', "
            f"found {shown(line)}"
        )
    return _entries(file, wanted, chain([rest], feed), Head(number, counts[0], counts[1]))


def _head_line(
    feed: Iterator[Block], dialect: Dialect, number: int = 1
) -> tuple[int, bytes, Block]:
    """The first line with data: its number, the line, and what follows it in its block.

    ``number`` is that of the line that is missing if there is none.
    """
    block = next(from_first_data(feed, dialect), Block(number, b"\n"))
    line, rest = block.first()
    return block.line, line, rest


def counts_of(fields: list[str], wanted: int) -> list[int] | None:
    """So many fields as counts, below 2^63; None if they are others."""
    if len(fields) != wanted or not all(COUNT.fullmatch(field) for field in fields):
        return None
    counts = [int(field) for field in fields]
    return counts if max(counts) < 1 << 63 else None


def _entries(
    file: File, wanted: Wanted, feed: Iterator[Block], head: Head
) -> tuple[pa.Table, range]:
    """The edges under the head."""
    layout, ids, weights = _LAYOUTS[wanted.format], IdColumns(), Weights()
    tags, dialect = len(layout.tag), layout.dialect
    take = *range(tags), *(tags + i for i in wanted.columns(file.path, ("src", "dst")))
    every = range(layout.first, layout.first + head.vertices)
    width, weighted = 0, False
    for block in from_first_data(feed, dialect):
        if not width:  # that of the first line, whatever the head says
            width = max(tags + 2, len(dialect.split(block.first()[0])))
            weighted = wanted.weights and head.weighted and width > tags + 2
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
            f"{file.path}, line {head.line}: promises {head.edges} {layout.what}, "
            f"the file has {len(table)}"
        )
    return table, every


def _all_are(tag: str, column: pa.ChunkedArray) -> bool:
    import pyarrow.compute as pc

    same = pc.all(pc.equal(column, tag), skip_nulls=False, min_count=0).as_py()
    return same is True


def within(values: Any, every: range) -> bool:
    """Whether all of an Arrow column are integers within a range, none of them null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_integer(values.type) or values.null_count:
        return False
    least, largest = pc.min_max(values).as_py().values()
    return least is None or (least >= every.start and largest < every.stop)


def _outside(path: str, block: Block, layout: Layout, every: range) -> FormatError:
    """The error for the first line that is no edge of these vertices."""
    tagged = f"{layout.tag!r} and " if layout.tag else ""
    span = f"from {every.start} to {every.stop - 1}"
    for number, line in block.lines():
        fields = layout.fields(line)
        if fields and not layout.fits(fields, len(every)):
            return FormatError(
                f"{path}, line {number}: expected {tagged}two indices {span}, found {shown(line)}"
            )
    return FormatError(f"{path}, from line {block.line} on: an index is not {span}")
