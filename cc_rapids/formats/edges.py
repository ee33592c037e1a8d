"""Edge lists to files, piece by piece where the format allows it, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ..errors import FormatError
from .adjacency import write_egr, write_metis
from .files import Progress
from .kinds import is_text
from .lines import write_lines, write_named
from .names import format_of, packing
from .output import check_place, replacing

if TYPE_CHECKING:
    import pyarrow as pa

ONE_BASED = ("gr", "metis", "mtx")  # whose vertices are 1 .. n
COUNTED = ("he", "gr", "metis", "mtx", "egr", "npz")  # which keep the number of vertices
GATHERED = ("metis", "egr", "npz")  # which are written from a list in memory
_WHOLE = ("gr", "metis", "egr")  # whose weights are whole numbers
_TAGS = {"he": "E", "gr": "a"}


@dataclass(frozen=True)
class EdgeList:
    """An edge list that comes in pieces.

    Parameters
    ----------
    pieces : iterable of ``pyarrow.Table``
        Columns src and dst, and perhaps weight (int64 or double), in order; all of one schema.
    num_edges : int
        The rows of all pieces together.
    vertices : range, optional
        All vertices, from 0 or 1 on; formats that count vertices need it.
    schema : ``pyarrow.Schema``
        That of the pieces, of which there may be none.
    """

    pieces: Iterable[pa.Table]
    num_edges: int
    vertices: range | None
    schema: pa.Schema

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return "weight" in self.schema.names


def check_edges_output(path: str | os.PathLike[str], format: str | None = None) -> str:
    """The format that edges would be written in to a path, after a check that they could be.

    Raises
    ------
    FormatError
        The format is unknown; names the nearest ones.
    OutputError
        The folder is missing or closed to writing, or the path is a folder.
    """
    kind = format_of(Path(path), format)
    check_place(Path(path))
    return kind


def write_edges(
    edges: EdgeList,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    on_progress: Progress | None = None,
) -> None:
    """Write an edge list; a file at the path is replaced when the new one is complete.

    he, gr, metis, mtx, egr and npz number the vertices, from zero or from one: vertex k of the list
    is vertex k there, whatever its id, so that ``range(n)`` becomes 1 .. n in mtx and
    ``range(1, n + 1)`` becomes 0 .. n - 1 in egr. metis and egr hold each edge at both its ends,
    sorted, without self-loops and duplicates (of which the first weight counts). The whole list is
    held in memory for metis, egr and npz, and one piece of it for all others.

    Parameters
    ----------
    edges
        The list. Edges without weights get the weight 1 in he and gr, and none elsewhere.
    path
        The file; packed if it ends in .gz or .zst.
    format
        One of ``FORMATS``; by default what the suffix of the path says.
    on_progress
        Called with the edges taken so far and the number of all, as writing goes on.

    Raises
    ------
    FormatError
        The format is unknown, or cannot hold such a list: ids are text, missing or too large, or
        not among the vertices, or weights are not whole.
    OutputError
        The file cannot be written; says why.
    """
    path = Path(path)
    kind = check_edges_output(path, format)
    if on_progress is not None:
        edges = replace(edges, pieces=_reported(edges, on_progress))
    if kind in COUNTED:
        edges = _numbered(edges, path, kind)
    with replacing(path, pack=packing(path)) as stream:
        _WRITERS[kind](edges, stream, kind, path)


def _reported(edges: EdgeList, report: Progress) -> Iterator[pa.Table]:
    done = 0
    for piece in edges.pieces:
        yield piece
        done += len(piece)
        report(done, edges.num_edges)


def _numbered(edges: EdgeList, path: Path, kind: str) -> EdgeList:
    """The list with the numbers that the format gives the vertices, as int64."""
    import pyarrow as pa

    types = edges.schema.types[:2]
    if edges.vertices is None or (edges.num_edges and not all(map(pa.types.is_integer, types))):
        raise FormatError(
            f"cannot write {path}: {kind} numbers the vertices, and these have ids of type"
            f" {edges.schema.field('src').type}; write csv, tsv, snap, arrow or parquet"
        )
    if edges.vertices.stop >= 1 << 63:
        raise FormatError(
            f"cannot write {path}: {kind} would number {edges.vertices.stop:,} vertices, up to the"
            " largest id; write csv, tsv, snap, arrow or parquet"
        )
    old, n = edges.vertices, len(edges.vertices)
    first = int(kind in ONE_BASED)
    new = range(first, first + n)
    whole = not edges.weighted or pa.types.is_integer(edges.schema.field("weight").type)
    if kind in _WHOLE and not whole:
        raise FormatError(
            f"cannot write {path}: {kind} has whole weights, and some of these are not;"
            " write another format, or leave the weights out"
        )
    weight = pa.int64() if whole else pa.float64()
    fields = [f.with_type(weight if f.name == "weight" else pa.int64()) for f in edges.schema]
    pieces = _shifted(edges.pieces, old, new, path)
    return replace(edges, pieces=pieces, vertices=new, schema=pa.schema(fields))


def _shifted(pieces: Iterable[pa.Table], old: range, new: range, path: Path) -> Iterator[pa.Table]:
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = 0
    for piece in pieces:
        for i, name in enumerate(("src", "dst")):
            ids = piece[name]
            outside = pc.or_(pc.less(ids, old.start), pc.greater_equal(ids, old.stop))
            outside = pc.fill_null(outside, True)
            row = pc.index(outside, True).as_py()
            if row >= 0:
                raise FormatError(
                    f"cannot write {path}: row {rows + row}: {name} {ids[row]} is none of the"
                    f" vertices {old.start} to {old.stop - 1}; write csv, tsv, arrow or parquet"
                )
            moved = pc.add(ids.cast(pa.int64()), new.start - old.start)
            piece = piece.set_column(i, name, moved)
        rows += len(piece)
        yield piece


def _write_text(edges: EdgeList, stream: BinaryIO, kind: str, path: Path) -> None:
    """csv, tsv and snap."""
    import pyarrow as pa

    schema = edges.schema
    for i, field in enumerate(schema):
        # Both ends are read as text if one is, and so both are written as text
        if i < 2 and any(map(is_text, schema.types[:2])) and not is_text(field.type):
            schema = schema.set(i, field.with_type(pa.string()))
    pieces = (piece.cast(schema) for piece in _counted(edges, path))
    write_named(pieces, schema, stream, kind, path)


def _headed(edges: EdgeList, stream: BinaryIO, kind: str, path: Path) -> None:
    """mtx, he and gr."""
    import pyarrow as pa

    stream.write(_head(edges, kind).encode())
    for piece in _counted(edges, path):
        columns = piece.columns
        if kind in _TAGS:
            columns = [pa.repeat(_TAGS[kind], len(piece)), *columns]
            columns += [] if edges.weighted else [pa.repeat(1, len(piece))]
        write_lines(pa.table(columns, names=list(map(str, range(len(columns))))), " ", stream)


def _head(edges: EdgeList, kind: str) -> str:
    """What stands above the first edge."""
    n, m = len(edges.vertices or ()), edges.num_edges
    if kind == "mtx":
        kind = str(edges.schema.field("weight").type) if edges.weighted else "none"
        field = {"none": "pattern", "int64": "integer", "double": "real"}[kind]
        return f"%%MatrixMarket matrix coordinate {field} general\n{n} {n} {m}\n"
    return f"H {n} {m} 1\n" if kind == "he" else f"p sp {n} {m}\n"


def _counted(edges: EdgeList, path: Path) -> Iterator[pa.Table]:
    """The pieces; an error at their end if they are not as many edges as promised."""
    written = 0
    for piece in edges.pieces:
        written += len(piece)
        yield piece
    if written != edges.num_edges:
        raise FormatError(f"cannot write {path}: {edges.num_edges} edges became {written}")


def _parquet(edges: EdgeList, stream: BinaryIO, kind: str, path: Path) -> None:
    import pyarrow.parquet as pq

    with pq.ParquetWriter(stream, edges.schema) as writer:
        for piece in _counted(edges, path):
            writer.write_table(piece)


def _arrow(edges: EdgeList, stream: BinaryIO, kind: str, path: Path) -> None:
    import pyarrow as pa

    with pa.ipc.new_file(stream, edges.schema) as writer:
        for piece in _counted(edges, path):
            writer.write_table(piece)


def _gathered(edges: EdgeList, stream: BinaryIO, kind: str, path: Path) -> None:
    """metis, egr and npz, from NumPy arrays of the whole list."""
    import numpy as np
    import pyarrow as pa

    table = pa.concat_tables([edges.schema.empty_table(), *_counted(edges, path)])
    columns = {name: table[name].to_numpy() for name in table.column_names}
    n = len(edges.vertices or ())
    if kind == "npz":
        held = BytesIO()  # a zip file is written back and forth, and a packed one cannot be
        np.savez(held, num_vertices=n, **columns)
        stream.write(held.getbuffer())
    else:
        {"metis": write_metis, "egr": write_egr}[kind](columns, n, stream, path)


_WRITERS: dict[str, Callable[[EdgeList, BinaryIO, str, Path], Any]] = {
    **dict.fromkeys(("csv", "tsv", "snap"), _write_text),
    **dict.fromkeys(("mtx", "he", "gr"), _headed),
    **dict.fromkeys(GATHERED, _gathered),
    "parquet": _parquet,
    "arrow": _arrow,
}
