"""Read graph files, whole or in pieces: row groups of Parquet, batches of Arrow, blocks of text.

The readers of each format are in :mod:`cc_rapids.data.files.formats`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ...errors import FormatError, InputError
from ...ledger import Ledger
from ..arguments import local
from ..lazy import pa
from ..text_options import NO_OPTIONS, TextOptions
from .binary import format_errors, with_empty_weights, with_weights
from .delimited import NAMES
from .formats import FORMATS, IN_PIECES
from .input_file import ColumnRequest, File, Progress, as_format
from .lake import check_no_table_around, table_at
from .opening import check_path, opened
from .pieces import Piece, Place, sliced
from .text_head import check_text_options

FIRST_ROWS = 1024  # maximum number of rows that are read to learn the columns


def whole_pieces(file: File, request: ColumnRequest, place: Place) -> Iterator[Piece]:
    """Yield the edges of a file that is read as a whole, after the first ``place.done`` rows."""
    table, vertices = read_whole(file, request)
    if file.budget is not None:
        file.budget.loaded = table.nbytes
    vertices = None if place.done else vertices  # only the first piece of a file has the vertices
    for piece in sliced(file, table, 0, place.done, place.rows):
        yield replace(piece, vertices=vertices)
        vertices = None


def check_sides(path: str, request: ColumnRequest) -> None:
    """Raise an InputError if the named columns cannot be the ends of an edge in this file."""
    source, destination = request.source, request.destination
    if not (isinstance(source, list) or isinstance(destination, list)):
        return
    are_lists = isinstance(source, list) and isinstance(destination, list)
    have_one_width = are_lists and source and len(source) == len(destination or [])
    if not have_one_width or source == destination:
        raise InputError(
            f"{path}: source={source!r} and destination={destination!r} are not two ends of an"
            " edge: name different columns of ids, the same number for each end"
        )
    if request.format not in IN_PIECES:
        raise InputError(
            f"{path} is {request.format}, whose ids have one column, not source={source!r}: ids of"
            f" several columns can be read from {', '.join(IN_PIECES)}"
        )


def read_pieces(file: File, request: ColumnRequest, place: Place) -> Iterator[Piece]:
    """Yield the edges of an open file after a position, in tables of a maximum number of rows."""
    check_sides(file.path, request)
    if file.budget is not None:
        file.budget.loaded = 0
    with as_format(file, request.format):
        yield from (FORMATS[request.format].pieces or whole_pieces)(file, request, place)


def read_whole(file: File, request: ColumnRequest) -> tuple[pa.Table, Any]:
    """Return the edges of an open file, and all vertices if it lists them."""
    format, vertices = FORMATS[request.format], None
    if format.read is not None:
        table, vertices = format.read(file, request)
    else:
        assert format.pieces is not None
        pieces = format.pieces(file, request, Place(group=0, done=0, rows=lambda: 1 << 20))
        tables = [piece.table for piece in pieces]
        with format_errors(file, format.title or format.name):  # a damaged file may have no piece
            table = with_weights(file, request, pa.concat_tables(tables))
        file.report(file.size)
    if isinstance(vertices, range):  # whose length may be too large for len()
        file.check_vertices(vertices.stop - vertices.start)
    elif vertices is not None:
        file.check_vertices(len(vertices))
    return with_empty_weights(table, request), vertices


@dataclass(frozen=True)
class SourceFormat:
    """A record of how a file was read: its format, columns of ids, and header.

    ``delimiter`` and ``header`` apply to csv, tsv and snap; they are None for other formats.
    """

    format: str
    columns: tuple[str, ...]
    header: bool | None = None
    delimiter: str | None = None

    def facts(self) -> dict[str, Any]:
        """Return the facts as JSON values."""
        return asdict(self) | {"columns": list(self.columns)}

    def __str__(self) -> str:
        if self.delimiter is None:
            return self.format
        separator = NAMES.get(self.delimiter, repr(self.delimiter))
        header = {True: "a header", False: "no header", None: "no lines"}[self.header]
        return f"{self.format}: {separator}, {header}"


@dataclass(frozen=True)
class EdgeFile:
    """The edges of one file.

    ``table`` has one row per edge, in the order of the file. METIS and ECL files list each edge at
    both ends, and so does the table. The first columns are the ids, source first. If ids have
    several columns, the first columns of both ends come first, then the second columns, and so on;
    a column that occurs twice is stored once. If a weight is requested and exists, ``weight`` is
    the last column. Weights from text have the type double unless all weights are integers. Ids
    from text are int64, uint64 or string; the columns of both ends have the same type. Ids from
    other files keep their stored types.

    ``vertices`` are the ids of all vertices, if the file declares their number: ``range(1, n + 1)``
    for ``gr``, ``metis`` and ``mtx``, and ``range(n)`` for ``he``, ``egr``, SciPy's ``npz`` and an
    ``npz`` with num_vertices. Otherwise only ids that occur in edges are vertices.
    """

    table: pa.Table
    source: str | list[str]  # a list if ids have several columns
    destination: str | list[str]
    source_format: SourceFormat  # how the file was read
    vertices: range | None = None
    ledger: Ledger = field(default_factory=Ledger)  # the rows, and the lines without an edge


def read_wanted(
    path: str | os.PathLike[str], request: ColumnRequest, on_progress: Progress | None = None
) -> EdgeFile:
    """Read the requested columns of a file.

    Ids from text become int64, or uint64 if needed, only if every id of both columns is an integer
    in canonical form. Otherwise all ids stay strings, without surrounding blanks: a single ``007``
    makes all ids strings. A quoted field is always a string. Empty fields are nulls. In columns of
    integers, unquoted ``NA``, ``null`` and the like are nulls, too. A stored entry is an edge even
    if its weight is zero.

    Without a format in ``request``, the suffix of the path or the first bytes decide.
    ``on_progress`` is called repeatedly with the bytes read so far and the bytes in the file.

    A FormatError names the line of a malformed file, and a ChangedFileError a file that was
    truncated, rewritten or replaced meanwhile. A MissingColumnError lists the columns, and a
    ColumnTypeError names the first row without an id. Columns and options that do not fit the
    format raise an InputError.
    """
    path = local(path)
    if os.path.isdir(path):
        table = table_at(path)
        kind = "a directory" if table is None else f"a table of {table.kind}"
        raise FormatError(f"{path} is {kind}, but this function reads one file: pass its path")
    check_path(path)
    check_no_table_around([path])
    with opened(path, on_progress=on_progress) as file:
        return read_opened(file, request)


def read_opened(file: File, request: ColumnRequest) -> EdgeFile:
    """Read the requested columns of an open file to its end; see :func:`read_wanted`."""
    request = replace(request, format=request.format or file.format(request.options))
    check_text_options(request.options, [file.path], [request.format])
    check_sides(file.path, request)
    with as_format(file, request.format):
        table, vertices = read_whole(file, request)
    ids = tuple(request.ids_in(table.column_names))
    source_format = SourceFormat(request.format, ids, file.header, file.delimiter)
    ends = request.sides_in(table.column_names)
    return EdgeFile(table, *ends, source_format, vertices, file.ledger)


def source_format_of(
    path: str | os.PathLike[str],
    source: str | None = None,
    destination: str | None = None,
    options: TextOptions = NO_OPTIONS,
    weight: str | None = None,
) -> SourceFormat | None:
    """Return how a file would be read; only its beginning is read.

    Return None if the path is not a file, such as a pipe, which can be read only once. If a
    ``weight`` is named, the column must exist. The errors are those of :func:`read_wanted` for the
    part that is read.
    """
    path = local(path)
    if not os.path.isfile(path):
        return None
    check_no_table_around([path])
    with opened(path) as file:
        kind = file.format(options)
        if kind not in IN_PIECES:
            return SourceFormat(kind, ("src", "dst"))  # these formats have one column per end
        request = ColumnRequest(
            source, destination, kind, options, weight is not None, weight, null_weights=True
        )
        piece = next(read_pieces(file, request, Place(group=0, done=0, rows=lambda: FIRST_ROWS)))
        ids = tuple(request.ids_in(piece.table.column_names))
        return SourceFormat(kind, ids, file.header, file.delimiter)
