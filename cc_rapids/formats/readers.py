"""One reader a family of formats: an open file in, the table of its two columns out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from gzip import GzipFile
from io import FileIO
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO, cast

from ..errors import FormatError, InputError, MissingColumnError
from .delimited import DIALECTS, Block, Dialect, blocks, check_utf8, from_first_data, parse, shown
from .ids import IdColumns
from .names import nearest

if TYPE_CHECKING:
    import pyarrow as pa

Progress = Callable[[int, int], object]

_USUAL_NAMES = (
    ("src", "dst"),
    ("source", "destination"),
    ("source", "target"),
    ("from", "to"),
)
_INTEGER_OR_NOTHING = re.compile(r"([+-]?[0-9]+)?")
_COUNT = re.compile(r"0|[1-9][0-9]*")


@dataclass(frozen=True)
class File:
    """A file being read."""

    path: str
    raw: FileIO
    size: int
    on_progress: Progress | None

    def blocks(self) -> Iterator[Block]:
        """Its lines, unpacked if the suffix says gzip."""
        packed = self.path.lower().endswith(".gz")
        stream = GzipFile(fileobj=self.raw) if packed else self.raw
        return blocks(self.path, cast(BinaryIO, stream), self._report)

    def report(self, done: int) -> None:
        """Tell the caller how many bytes are done."""
        if self.on_progress is not None:
            self.on_progress(done, self.size)

    def _report(self) -> None:
        if self.raw.seekable():  # a pipe has no position and no size
            self.report(self.raw.tell())


@dataclass(frozen=True)
class Wanted:
    """What the caller asked for."""

    source: str | None
    destination: str | None
    format: str
    header: bool | None

    def columns(self, path: str, names: Sequence[str]) -> tuple[int, int]:
        """The positions of the two columns among the names."""
        lower = [name.lower() for name in names]
        usual = next((pair for pair in _USUAL_NAMES if set(pair) <= set(lower)), None)
        a, b = (lower.index(name) for name in usual) if usual else (0, 1)
        source, destination = (
            None if name is None else _position(path, names, name)
            for name in (self.source, self.destination)
        )
        if source is None:
            source = b if destination == a else a
        if destination is None:
            destination = a if source == b else b
        if names[source] == names[destination]:
            raise InputError(
                f"{path}: source and destination are both column {names[source]!r}; "
                f"the file has {', '.join(names)}"
            )
        return source, destination


def _position(path: str, names: Sequence[str], name: str) -> int:
    if name in names:
        return names.index(name)
    raise MissingColumnError(f"{path} has no column {name!r}{nearest(name, names)}")


def read_delimited(file: File, wanted: Wanted) -> tuple[pa.Table, None]:
    """csv, tsv and snap."""
    dialect = DIALECTS[wanted.format]
    feed = from_first_data(file.blocks(), dialect)
    ids = IdColumns()
    first = next(feed, None)
    if first is None:
        return ids.table((wanted.source or "src", wanted.destination or "dst")), None
    names, first = _header(file.path, first, dialect, wanted.header)
    source, destination = wanted.columns(file.path, names)
    for block in chain([first], feed):
        ids.append(*parse(file.path, block, dialect, len(names), (source, destination)))
    return ids.table((names[source], names[destination])), None


def _header(
    path: str, block: Block, dialect: Dialect, header: bool | None
) -> tuple[list[str], Block]:
    """The names of the columns, and the lines that follow them."""
    line, rest = block.first()
    check_utf8(path, Block(block.line, line))
    fields = dialect.split(line)
    if len(fields) < 2:
        raise FormatError(
            f"{path}, line {block.line}: expected at least 2 fields separated by "
            f"{dialect.separator}, found {len(fields)}: {shown(line)}"
        )
    if header is None:
        header = not _are_integers(fields)
        if header and dialect.folded:
            # Blank-separated files seldom have a header, and words are as good ids as numbers
            following = next(from_first_data(iter([rest]), dialect), None)
            header = following is not None and _are_integers(dialect.split(following.first()[0]))
    if header:
        return fields, rest
    return ["src", "dst", *(f"col{i}" for i in range(2, len(fields)))], block


def _are_integers(fields: Sequence[str]) -> bool:
    return all(_INTEGER_OR_NOTHING.fullmatch(field) for field in fields[:2])


def read_matrix(file: File, wanted: Wanted) -> tuple[pa.Table, range]:
    """Matrix Market: a banner, comments, a line of sizes, and one entry a line."""
    dialect = DIALECTS["mtx"]
    feed = file.blocks()
    top = next(feed, Block(1, b"\n"))
    banner = top.first()[0]
    if banner.lower().split()[:3] != [b"%%matrixmarket", b"matrix", b"coordinate"]:
        raise FormatError(
            f"{file.path}, line 1: expected '%%MatrixMarket matrix coordinate ...', "
            f"found {shown(banner)}"
        )
    head = next(from_first_data(chain([top], feed), dialect), Block(2, b"\n"))
    line, rest = head.first()
    n, entries = _sizes(file.path, head.line, line)
    ids = IdColumns()
    # Values are of no interest, so the width is that of the first entry, whatever the banner says
    width, take = 0, wanted.columns(file.path, ("src", "dst"))
    for block in from_first_data(chain([rest], feed), dialect):
        width = width or max(2, len(dialect.split(block.first()[0])))
        pair = parse(file.path, block, dialect, width, take)
        if not all(_within(values, n) for values in ids.append(*pair)):
            raise _outside(file.path, block, dialect, n)
    table = ids.table(("src", "dst"))
    if len(table) != entries:
        raise FormatError(
            f"{file.path}, line {head.line}: promises {entries} entries, the file has {len(table)}"
        )
    return table, range(1, n + 1)


def _sizes(path: str, number: int, line: bytes) -> tuple[int, int]:
    """The order of the square matrix, and the number of its entries."""
    fields = line.decode(errors="replace").split()
    if len(fields) != 3 or not all(_COUNT.fullmatch(field) for field in fields):
        raise FormatError(
            f"{path}, line {number}: expected the numbers of rows, columns and entries, "
            f"found {shown(line)}"
        )
    rows, columns, entries = map(int, fields)
    if rows != columns:
        raise FormatError(
            f"{path}, line {number}: a graph is a square matrix, this one is {rows} by {columns}"
        )
    return rows, entries


def _within(values: pa.ChunkedArray, n: int) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_integer(values.type) or values.null_count:
        return False
    least, largest = pc.min_max(values).as_py().values()
    return least is None or (least >= 1 and largest <= n)


def _outside(path: str, block: Block, dialect: Dialect, n: int) -> FormatError:
    """The error for the first entry that is not in the matrix."""
    for number, line in block.lines():
        pair = dialect.split(dialect.clean(line))[:2]
        if pair and not all(_COUNT.fullmatch(i) and 1 <= int(i) <= n for i in pair):
            return FormatError(
                f"{path}, line {number}: expected two indices from 1 to {n}, found {shown(line)}"
            )
    return FormatError(f"{path}, from line {block.line} on: an index is not from 1 to {n}")


def read_parquet(file: File, wanted: Wanted) -> tuple[pa.Table, None]:
    """Parquet: the two columns as they are stored."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        stored = pq.ParquetFile(file.raw)
        schema = stored.schema_arrow
        if len(schema.names) < 2:
            names = ", ".join(schema.names) or "none"
            raise FormatError(f"{file.path} lacks columns: two are needed, it has {names}")
        pair = [schema.names[i] for i in wanted.columns(file.path, schema.names)]
        rows, batches = 0, []
        for batch in stored.iter_batches(1 << 20, columns=pair):
            batches.append(batch.select(pair))
            rows += len(batch)
            file.report(file.size * rows // stored.metadata.num_rows)
    except (pa.ArrowException, OSError) as error:
        raise FormatError(f"{file.path} cannot be read as Parquet: {error}") from error
    return pa.Table.from_batches(batches, pa.schema([schema.field(name) for name in pair])), None
