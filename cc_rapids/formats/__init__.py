"""Readers and writers of graph files: a path in, two columns of ids out, and labels back to disk.

========  ==========================  =============================================  ==============
format    suffixes                    what it is                                     vertices
========  ==========================  =============================================  ==============
csv       .csv                        fields separated by commas                     those named
tsv       .tsv .tab                   fields separated by tabs                       those named
snap      .txt .snap .edges .el       fields separated by blanks; # or % comments    those named
he        .he                         ``H n m 1``, then ``E source dest weight``     0 .. n - 1
gr        .gr                         DIMACS shortest paths: ``p sp n m``, ``a``     1 .. n
metis     .graph .metis               METIS: line i has the neighbours of vertex i   1 .. n
mtx       .mtx                        Matrix Market, coordinate; a square matrix     1 .. n
egr       .egr                        ECL's binary adjacency lists, int32            0 .. n - 1
npz       .npz                        NumPy arrays src, dst and num_vertices, or     0 .. n - 1,
                                      what ``scipy.sparse.save_npz`` writes          or those named
arrow     .arrow .feather             Arrow IPC (Feather 2); two columns are read    those named
parquet   .parquet .pq                Apache Parquet; two columns are read           those named
========  ==========================  =============================================  ==============

Any of them may be packed by gzip or zstd: ``.csv.gz``, ``.gr.zst``. Ids are used as they stand in
the file, so those of gr, metis and mtx count from one. Weights are read on request.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import FormatError
from .binary import read_arrow, read_parquet
from .delimited import DIALECTS
from .edges import COUNTED, ONE_BASED, EdgeList, check_edges_output, write_edges
from .files import File, Progress, Wanted
from .header import DELIMITERS, KNOWN_PAIRS, check_header, edge_columns, place_of
from .ids import integers
from .kinds import is_text, plain
from .names import FORMATS, PACKED, format_of
from .pieces import IN_PIECES, WHOLE, RowGroups, check_sides, parquet_facts, read_pieces
from .readers import read_delimited
from .unchanged import Mark, mark_of, unchanged
from .writers import check_output, write_table

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "COUNTED",
    "DELIMITERS",
    "FORMATS",
    "IN_PIECES",
    "KNOWN_PAIRS",
    "ONE_BASED",
    "PACKED",
    "EdgeFile",
    "EdgeList",
    "File",
    "Mark",
    "RowGroups",
    "Taken",
    "Wanted",
    "check_edges_output",
    "check_header",
    "check_output",
    "check_path",
    "edge_columns",
    "format_of",
    "integers",
    "is_text",
    "mark_of",
    "parquet_facts",
    "place_of",
    "plain",
    "read_edges",
    "read_pieces",
    "read_wanted",
    "taken_of",
    "unchanged",
    "write_edges",
    "write_table",
]

_READERS = WHOLE | {
    "csv": read_delimited,
    "tsv": read_delimited,
    "snap": read_delimited,
    "arrow": read_arrow,
    "parquet": read_parquet,
}
_UNNAMED = ("he", "gr", "metis", "mtx")  # whose columns are src, dst and weight


@dataclass(frozen=True)
class Taken:
    """How a file was read: its format, the columns of ids, and whether a line names them.

    ``delimiter`` is what stands between fields of csv, tsv and snap, and None elsewhere; so is
    ``header``.
    """

    format: str
    columns: tuple[str, ...]
    header: bool | None

    @property
    def delimiter(self) -> str | None:
        """What stands between fields of text."""
        return DELIMITERS.get(self.format)

    def facts(self) -> dict[str, Any]:
        """The same as JSON can hold it."""
        return {
            "format": self.format,
            "columns": list(self.columns),
            "header": self.header,
            "delimiter": self.delimiter,
        }

    def __str__(self) -> str:
        if self.delimiter is None:
            return self.format
        between = DIALECTS[self.format].separator
        first = {True: "a header", False: "no header", None: "no lines"}[self.header]
        return f"{self.format}: {between}, {first}"


@dataclass(frozen=True)
class EdgeFile:
    """The edges of one file.

    Attributes
    ----------
    table
        ``pyarrow.Table`` of the two id columns, source first (of ids of several columns first the
        first of each side, then the second, ..., each column once), and of ``weight`` (int64, or
        double if some are not whole) if that was asked for and is there. One row an edge, as in
        the file and chunked as it was read; METIS and ECL files list each edge at both its ends,
        and so does the table. From text the ids are both int64, both uint64 or both string (of
        several columns each pair that is compared); from other files they are as stored.
    source, destination
        The names of the two columns; lists, of ids of several columns.
    format
        One of ``FORMATS``.
    header
        Whether the first line named the columns, of csv, tsv and snap; None of other formats, and
        of a file without a line.
    vertices
        The ids of all vertices, where the file says how many there are: ``range(1, n + 1)`` for gr,
        metis and mtx, which count from one, and ``range(n)`` for he, egr, SciPy's npz and an npz
        with num_vertices. Otherwise None, and the vertices are those that occur.
    """

    table: pa.Table
    source: str | list[str]
    destination: str | list[str]
    format: str
    vertices: range | None = None
    header: bool | None = None

    @property
    def taken(self) -> Taken:
        """How the file was read."""
        ends = Wanted(self.source, self.destination, self.format, self.header).ends
        return Taken(self.format, tuple(self.table.column_names[:ends]), self.header)


def check_path(path: str | Path) -> None:
    """Raise a FormatError if no file can be called so."""
    try:
        named = os.fsencode(path)
    except UnicodeEncodeError:
        raise FormatError(
            f"{str(path)!r} holds half of a surrogate pair, which no name does"
        ) from None
    if b"\0" in named:
        raise FormatError(f"{str(path)!r} holds a NUL, which no name does")


def read_edges(
    path: str | os.PathLike[str],
    *,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    format: str | None = None,
    header: bool | None = None,
    weights: bool = False,
    weight: str | None = None,
    on_progress: Progress | None = None,
) -> EdgeFile:
    """Read the edges of a file.

    Parameters
    ----------
    path
        The file.
    source, destination
        The names of the two columns, which have to be there; lists of as many on each side where
        several columns are one id, which csv, tsv, snap, arrow and parquet may have. By default the
        first of these pairs that the file has whole, in any case of letters: src and dst, source
        and target, source and destination, from and to, u and v, id1 and id2, id_l and id_r,
        unique_id_l and unique_id_r, left_id and right_id; or else its only two columns. A file
        without a header has the columns src, dst, col2, col3 and so on.
    format
        One of ``FORMATS``; by default what the suffix of the path says.
    header
        Whether the first line of a csv, tsv or snap file names the columns. By default it does if
        it holds names that were given here, or known ones, and is an edge if its ends are numbers
        as those of the next line; all else is refused. A comment such as ``# src dst`` above the
        first line of a snap file names the columns too.
    weights
        Read the weights too, if the file has them.
    weight
        The name of the column of weights, which then has to be there; by default weight, if the
        file has it.
    on_progress
        Called with the bytes read so far and the bytes in the file, as reading goes on.

    Returns
    -------
    EdgeFile
        Ids from text are int64 if every id of both columns is an integer in its usual spelling,
        uint64 if they need that, and else string, each as it was written but for blanks around
        it: with a single ``007`` among them all ids are text. A word in quotes, in csv and tsv, is
        text as it stands, whatever it looks like. Empty fields are nulls, and so are ``NA``,
        ``null`` and their like without quotes where the ids are integers; ``""`` is the empty
        text, and a null among integers. A column of numbers without quotes that are not all whole
        is refused. Indices stay as they are in the
        file: from one on in gr, metis and mtx, from zero on in he, egr and npz. An entry that is
        stored counts as an edge even if its weight is zero.

    Raises
    ------
    FormatError
        The file is missing, unreadable, of no known format, or malformed, or its first line may be
        an edge or a header; names the line. As a ChangedFileError, it was cut, rewritten or
        replaced meanwhile.
    MissingColumnError
        There is no such column, or no telling which two of several are meant; lists them.
    ColumnTypeError
        A column holds no ids; names the first row and value.
    InputError
        Source and destination are the same columns, or not as many, or several in a format that has
        one a side; ``header`` is given for another format.
    """
    kind = format_of(Path(path), format)
    wanted = Wanted(source, destination, kind, header, weights, weight)
    return read_wanted(path, wanted, on_progress)


def read_wanted(
    path: str | os.PathLike[str], wanted: Wanted, on_progress: Progress | None = None
) -> EdgeFile:
    """Return what is wanted of a file, as :func:`read_edges` does."""
    path = Path(path)
    if os.path.isdir(path):  # which is false of what is no path at all
        raise FormatError(f"{path} is a directory; name a file")
    check_path(path)
    check_header(wanted.header, [path], [wanted.format])
    check_sides(str(path), wanted)
    try:
        before = mark_of(path)
        with path.open("rb", buffering=0) as raw, unchanged(path, before):
            file = File(str(path), raw, path.stat().st_size, on_progress)
            table, vertices = _READERS[wanted.format](file, wanted)
            table = _with_weights(path, table, wanted)
    except FileNotFoundError:
        raise FormatError(f"{path} does not exist") from None
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error.strerror or error}") from error
    ends: tuple[str | list[str], str | list[str]] = _pair(table)
    if isinstance(wanted.source, list) and isinstance(wanted.destination, list):
        ends = wanted.source, wanted.destination
    return EdgeFile(table, *ends, wanted.format, vertices, file.header)


def taken_of(
    path: str | os.PathLike[str],
    source: str | None = None,
    destination: str | None = None,
    header: bool | None = None,
) -> Taken | None:
    """Return how a file would be read, from what stands first in it; None of a pipe.

    Raises what :func:`read_edges` raises of the part that is read.
    """
    path = Path(path)
    kind = format_of(path)
    if not path.is_file():
        return None
    if kind not in IN_PIECES:
        return Taken(kind, ("src", "dst"), None)
    wanted = Wanted(source, destination, kind, header)
    with path.open("rb", buffering=0) as raw:
        file = File(str(path), raw, path.stat().st_size, None)
        piece = next(read_pieces(file, wanted, 0, 0, lambda: 1024, None))
    return Taken(kind, _pair(piece.table), file.header)


def _pair(table: pa.Table) -> tuple[str, str]:
    return table.column_names[0], table.column_names[1]


def _with_weights(path: Path, table: pa.Table, wanted: Wanted) -> pa.Table:
    """The table, which has the weights if the caller has named them; a file of no edges has all."""
    import pyarrow as pa

    if not wanted.weights or wanted.weight is None:
        return table
    ids = table.column_names[: wanted.ends]
    without = table.num_columns == len(ids)
    if without and not len(table):
        return table.append_column("weight", pa.array([], pa.float64()))
    if without or wanted.format in _UNNAMED:
        own = [*ids, *([] if without else ["weight"])]
        place_of(str(path), own, wanted.weight)
    return table
