"""METIS: a header ``n m [fmt [ncon]]``, then the neighbours of vertex i in line i.

Each edge is listed at both ends. ``fmt`` has up to three digits, for vertex sizes, vertex weights
(``ncon`` for each vertex) and edge weights. :func:`adjacency` also makes the lists of ECL's format.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ....errors import FormatError
from ...lazy import csv, np, pa, pc
from ..delimited import Block, Dialect, check_utf8, header_line, shown
from ..numbered import COUNT, HEADER_FIELDS, within
from ..text_ids import integers
from . import Format

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..input_file import ColumnRequest, File
    from ..write import EdgeList

    Ints = npt.NDArray[np.int64]

COPIES = 12  # bytes of memory per byte of a file, apart from blocks
ROWS_AT_ONCE = 1 << 16
MAX_INT32 = (1 << 31) - 1

_DIALECT = Dialect(" ", b"%")
_HEADER = re.compile(r"([0-9]{1,99}) ([0-9]{1,99})(?: ([01]{1,3})(?: ([0-9]{1,18}))?)?")


@dataclass(frozen=True)
class Header:
    """The header ``n m [fmt [ncon]]``: the counts, and the layout of a line.

    A line begins with ``ahead`` numbers, the size and weights of the vertex. Each neighbour takes
    ``stride`` numbers: 2 if the weight of the edge follows it, otherwise 1.
    """

    vertices: int
    edges: int
    ahead: int
    stride: int

    def __str__(self) -> str:
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
    """Return the edges, each in both directions as in the file, and the vertices."""
    file.check_bound(file.size, COPIES)
    number, line, feed = header_line(file, _DIALECT)
    header = _header(file.path, number, line)
    names = ["src", "dst", "weight"][: 1 + header.stride]
    weighted = bool(header.edges) and request.weight_column(file.path, names, (0, 1)) is not None
    n, prefix = header.vertices, f"{file.path}, line {number}: declares"
    parts, vertex = [], 1  # the vertex of the first line of the next block
    for block in feed:
        counts, numbers = _numbers(file.path, block, header)
        remaining = n - vertex + 1
        if counts[remaining:].any():
            raise FormatError(
                f"{prefix} {n} vertices, but there are lines for more, from line {block.line} on"
            )
        counts = counts[:remaining]  # without blank lines at the end
        parts.append(_edges(file.path, block, header, vertex, counts, numbers, weighted))
        vertex += len(counts)
    neighbours = sum(len(src) for src, *_ in parts)
    if vertex - 1 != n:
        raise FormatError(f"{prefix} {n} vertices, but the file has lines for {vertex - 1}")
    if neighbours != 2 * header.edges:
        raise FormatError(
            f"{prefix} {header.edges} edges, each listed at both ends, but there are {neighbours}"
            f" neighbours, not {2 * header.edges}"
        )
    columns = [pa.chunked_array(chunks, pa.int64()) for chunks in zip(*parts, strict=True)]
    if request.columns(file.path, ("src", "dst")) == (1, 0):  # the caller's source is dst
        columns[0], columns[1] = columns[1], columns[0]
    file.groups = {0: 2 * header.edges}
    return pa.table(columns, names=names[: len(columns)]), range(1, n + 1)


def _header(path: str, number: int, line: bytes) -> Header:
    """Parse the header line of a file."""
    fields = line.decode(errors="replace").split(maxsplit=HEADER_FIELDS)
    match = _HEADER.fullmatch(" ".join(fields))
    if match is None:
        raise FormatError(
            f"{path}, line {number}: expected '<vertices> <edges> [fmt [ncon]]', with fmt of up to"
            f" three digits 0 or 1, found {shown(line)}"
        )
    sizes, weights, edge_weights = (flag == "1" for flag in (match[3] or "0").zfill(3))
    ahead = sizes + weights * int(match[4] or 1)
    return Header(int(match[1]), int(match[2]), ahead, 1 + edge_weights)


def _edges(
    path: str,
    block: Block,
    header: Header,
    vertex: int,
    counts: Any,
    numbers: pa.Array,
    weighted: bool,
) -> tuple[pa.Array, ...]:
    """Return the sources and destinations of a block, and the weights if ``weighted``.

    ``counts`` are the numbers of fields of the lines, and ``numbers`` are the fields of all lines.
    ``vertex`` is the vertex of the first line.
    """
    line_starts = np.cumsum(counts) - counts  # positions in ``numbers``
    position_in_line = np.arange(len(numbers)) - np.repeat(line_starts, counts)
    place = position_in_line - header.ahead  # among the neighbours and their weights
    is_id = (place >= 0) & (place % header.stride == 0)
    is_complete = (counts >= header.ahead) & ((counts - header.ahead) % header.stride == 0)
    neighbours = numbers.filter(pa.array(is_id))
    if not is_complete.all() or not within(neighbours, range(1, header.vertices + 1)):
        raise _malformed(path, block, header)
    src = np.repeat(np.arange(vertex, vertex + len(counts)), counts)[is_id]
    if not weighted:
        return pa.array(src), neighbours
    is_weight = np.roll(is_id, 1)  # each weight follows its neighbour
    return pa.array(src), neighbours, numbers.filter(pa.array(is_weight))


def _numbers(path: str, block: Block, header: Header) -> tuple[Any, pa.Array]:
    """Return the number of fields of each line, and the fields of all lines as one array."""
    data = _DIALECT.clean(block.data)
    text = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(text == ord("\n"))
    starts = np.concatenate(([0], ends[:-1] + 1)) if len(ends) else ends
    blanks_before = np.searchsorted(np.flatnonzero(text == ord(" ")), ends)
    # fields are separated by one blank each, so a line has one more field than blanks
    counts = np.where(starts == ends, 0, np.diff(blanks_before, prepend=0) + 1)
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
    for number, line in block.lines():
        fields = _DIALECT.split(line)
        if not line.lstrip().startswith(b"%") and not header.fits(fields):
            return FormatError(f"{path}, line {number}: expected {header}, found {shown(line)}")
    return FormatError(f"{path}, from line {block.line} on: expected {header}")


def adjacency(edges: EdgeList, path: Path) -> tuple[int, Ints, Ints, Ints | None, dict[str, int]]:
    """Return the adjacency lists of edges, without self-loops and duplicates in either direction.

    The values are the number of vertices, the offsets, the sorted neighbours, the weights if edges
    have weights, and the number of edges left out, by reason. A FormatError is raised for too many
    vertices and, unless the list keeps the first weight, for duplicates with different weights.
    """
    from scipy.sparse import coo_array

    columns, vertices = edges.gathered(), edges.vertices or range(0)
    n, first = len(vertices), vertices.start
    if n > MAX_INT32:
        raise FormatError(
            f"cannot write {path}: its format allows {MAX_INT32} vertices, but there are {n}"
        )
    src, dst = columns["src"] - first, columns["dst"] - first
    is_no_loop, weight = src != dst, columns.get("weight")
    src, dst = src[is_no_loop], dst[is_no_loop]
    count = len(src)
    if weight is not None:
        weight = weight[is_no_loop]
        edge = np.minimum(src, dst) * n + np.maximum(src, dst)
        _, first_rows, edge_of_row = np.unique(edge, return_index=True, return_inverse=True)
        first_row = first_rows[edge_of_row]  # of the edge in each row
        differs = weight != weight[first_row]
        if differs.any() and not edges.keeps_first_weight:
            at = int(differs.argmax())
            raise FormatError(
                f"cannot write {path}: the edge {src[at] + first} - {dst[at] + first} has the"
                f" weights {weight[first_row[at]]} and {weight[at]}, but the format holds each"
                " edge once: keep one of the weights, write another format, or leave out the"
                " weights"
            )
        src, dst, weight = src[first_rows], dst[first_rows], weight[first_rows]
    # without weights, zeros take their place: SciPy adds values of duplicates without overflow
    values = np.zeros(src.size, np.uint8) if weight is None else weight
    ends = np.concatenate([src, dst]), np.concatenate([dst, src])
    matrix = coo_array((np.concatenate([values, values]), ends), (n, n)).tocsr()
    neighbours = matrix.indices.astype(np.int64) + first
    left_out = {"self_loop": len(is_no_loop) - count, "duplicate": count - len(neighbours) // 2}
    weights = None if weight is None else matrix.data
    return n, matrix.indptr.astype(np.int64), neighbours, weights, left_out


def write(edges: EdgeList, stream: BinaryIO, path: Path) -> dict[str, int]:
    """Write adjacency lists, perhaps with weights; return the edges left out, by reason."""
    n, offsets, numbers, weight, left_out = adjacency(edges, path)
    stream.write(f"{n} {len(numbers) // 2}{'' if weight is None else ' 001'}\n".encode())
    if weight is not None:
        numbers, offsets = np.column_stack([numbers, weight]).ravel(), 2 * offsets
    options = csv.WriteOptions(include_header=False, quoting_style="none")
    blank = pa.scalar(" ", pa.large_string())
    for vertex in range(0, n, ROWS_AT_ONCE):
        bounds = offsets[vertex : min(vertex + ROWS_AT_ONCE, n) + 1]
        fields = pa.array(numbers[bounds[0] : bounds[-1]]).cast(pa.large_string())
        # the offsets have 64 bits, as the vertices of a slice may have 2^31 neighbours or more
        lists = pa.LargeListArray.from_arrays(bounds - bounds[0], fields)
        csv.write_csv(pa.table({"line": pc.binary_join(lists, blank)}), stream, options)
    return left_out


FORMATS = (
    Format("metis", (".graph", ".metis"), read=read, write=write, first=1, whole_weights=True),
)
