"""METIS: a header ``n m [fmt [ncon]]``, then the neighbours of vertex i in line i.

Each edge is listed at both ends. ``fmt`` has up to three digits, for vertex sizes, vertex weights
(``ncon`` each) and edge weights.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ....errors import FormatError
from ...lazy import csv, np, pa, pc
from ..adjacency import adjacency
from ..delimited import Block, Dialect, blocks, check_utf8, from_first_data, shown
from ..numbered import COUNT, FIELDS, within
from ..text_ids import integers
from . import Format

if TYPE_CHECKING:
    from ..input_file import ColumnRequest, File
    from ..write import EdgeList

COPIES = 12  # bytes of memory per byte of a file, apart from blocks
ROWS_AT_ONCE = 1 << 16

_DIALECT = Dialect(" ", b"%")
_DIGITS = re.compile(r"[0-9]+")
_FLAGS = re.compile(r"[01]{1,3}")


@dataclass(frozen=True)
class Header:
    """The header ``n m [fmt [ncon]]``: the counts, and the layout of a line.

    A line begins with ``ahead`` numbers, the size and weights of the vertex. Each neighbour takes
    ``stride`` numbers: 2 if the weight of the edge follows it, otherwise 1.
    """

    line: int
    vertices: int
    edges: int
    ahead: int
    stride: int

    def expectation(self) -> str:
        """Return a description of a valid line."""
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


def read(file: File, request: ColumnRequest) -> tuple[pa.Table, range]:
    """Return the edges, each once from each end as in the file, and the vertices."""
    file.check_bound(file.size, COPIES)
    feed = blocks(file, _DIALECT)
    top = next(from_first_data(feed, _DIALECT), Block(1, b"\n"))
    line, rest = top.first()
    header = _header(file.path, top.line, line)
    names = ["src", "dst", "weight"][: 1 + header.stride]
    weighted = header.edges and request.weight_column(file.path, names, (0, 1)) is not None
    n, where = header.vertices, f"{file.path}, line {header.line}: declares"
    pairs, at = [], 1
    for block in chain([rest], feed):
        counts, numbers = _tokens(file.path, block, header)
        left = header.vertices - at + 1
        if counts[left:].any():
            raise FormatError(
                f"{where} {n} vertices, but there are lines for more, from line {block.line} on"
            )
        counts = counts[:left]  # without blank lines at the end
        place = np.arange(len(numbers)) - np.repeat(np.cumsum(counts) - counts, counts)
        is_id = (place >= header.ahead) & ((place - header.ahead) % header.stride == 0)
        owner = np.repeat(np.arange(at, at + len(counts)), counts)[is_id]
        neighbour = numbers.filter(pa.array(is_id))
        whole = (counts >= header.ahead) & ((counts - header.ahead) % header.stride == 0)
        if not whole.all() or not within(neighbour, range(1, n + 1)):
            raise _malformed(file.path, block, header)
        weight = [numbers.filter(pa.array(np.roll(is_id, 1)))] if weighted else []
        pairs.append((pa.array(owner), neighbour, *weight))
        at += len(counts)
    neighbours = sum(len(owner) for owner, *_ in pairs)
    if at - 1 != n:
        raise FormatError(f"{where} {n} vertices, but the file has lines for {at - 1}")
    if neighbours != 2 * header.edges:
        raise FormatError(
            f"{where} {header.edges} edges, each listed at both ends, but there are {neighbours}"
            f" neighbours, not {2 * header.edges}"
        )
    columns = [pa.chunked_array(side, pa.int64()) for side in zip(*pairs, strict=True)]
    if request.columns(file.path, ("src", "dst")) == (1, 0):
        columns[:2] = columns[1::-1]
    file.groups = {0: 2 * header.edges}
    return pa.table(columns, names=names[: len(columns)]), range(1, n + 1)


def _header(path: str, number: int, line: bytes) -> Header:
    fields = line.decode(errors="replace").split(maxsplit=FIELDS)
    counts = [int(field) for field in fields if _DIGITS.fullmatch(field)]
    flags = fields[2] if len(fields) > 2 else "0"
    few = 2 <= len(fields) == len(counts) <= 4 and max(counts[2:], default=0) < 1 << 62
    if not few or not _FLAGS.fullmatch(flags):
        raise FormatError(
            f"{path}, line {number}: expected '<vertices> <edges> [fmt [ncon]]', with fmt of up to"
            f" three digits 0 or 1, found {shown(line)}"
        )
    sizes, weights, edge_weights = (flag == "1" for flag in flags.zfill(3))
    ncon = counts[3] if len(counts) > 3 else 1
    return Header(number, counts[0], counts[1], sizes + weights * ncon, 1 + edge_weights)


def _tokens(path: str, block: Block, header: Header) -> tuple[Any, pa.Array]:
    """Return the number of fields of each line, and all fields as numbers."""
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


def _malformed(path: str, block: Block, header: Header) -> FormatError:
    """Return the error for the first line that is not a valid line of a vertex."""
    expected = header.expectation()
    for number, line in block.lines():
        fields = _DIALECT.split(line)
        if not line.lstrip().startswith(b"%") and not header.fits(fields):
            return FormatError(f"{path}, line {number}: expected {expected}, found {shown(line)}")
    return FormatError(f"{path}, from line {block.line} on: expected {expected}")


def write(edges: EdgeList, stream: BinaryIO, path: Path) -> None:
    """Write adjacency lists, with edge weights if there are any."""
    n, rows, numbers, weight = adjacency(edges, path)
    stream.write(f"{n} {len(numbers) // 2}{'' if weight is None else ' 001'}\n".encode())
    if weight is not None:
        numbers, rows = np.column_stack([numbers, weight]).ravel(), 2 * rows
    options = csv.WriteOptions(include_header=False, quoting_style="none")
    for first in range(0, n, ROWS_AT_ONCE):
        cut = rows[first : min(first + ROWS_AT_ONCE, n) + 1]
        words = pa.array(numbers[cut[0] : cut[-1]]).cast(pa.string())
        lists = pa.ListArray.from_arrays(pa.array((cut - cut[0]).astype(np.int32)), words)
        csv.write_csv(pa.table({"line": pc.binary_join(lists, " ")}), stream, options)


FORMATS = (
    Format("metis", (".graph", ".metis"), read=read, write=write, first=1, whole_weights=True),
)
