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
from typing import TYPE_CHECKING

from ..errors import FormatError
from .binary import read_arrow, read_parquet
from .edges import COUNTED, ONE_BASED, EdgeList, check_edges_output, write_edges
from .files import File, Progress, Wanted
from .names import FORMATS, PACKED, format_of
from .pieces import IN_PIECES, WHOLE, RowGroups, parquet_facts, read_pieces
from .readers import read_delimited
from .unchanged import Mark, mark_of, unchanged
from .writers import check_output, write_table

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "COUNTED",
    "FORMATS",
    "IN_PIECES",
    "ONE_BASED",
    "PACKED",
    "EdgeFile",
    "EdgeList",
    "File",
    "Mark",
    "RowGroups",
    "Wanted",
    "check_edges_output",
    "check_output",
    "format_of",
    "mark_of",
    "parquet_facts",
    "read_edges",
    "read_pieces",
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


@dataclass(frozen=True)
class EdgeFile:
    """The edges of one file.

    Attributes
    ----------
    table
        ``pyarrow.Table`` of the two id columns, source first, and of ``weight`` (int64, or double
        if some are not whole) if that was asked for and is there. One row an edge, in the order of
        the file and chunked as it was read; METIS and ECL files list each edge at both its ends,
        and so does the table. From text the ids are both int64, both uint64 or both string; from
        other files they are as stored.
    source, destination
        The names of the two columns.
    format
        One of ``FORMATS``.
    vertices
        The ids of all vertices, where the file says how many there are: ``range(1, n + 1)`` for gr,
        metis and mtx, which count from one, and ``range(n)`` for he, egr, SciPy's npz and an npz
        with num_vertices. Otherwise None, and the vertices are those that occur.
    """

    table: pa.Table
    source: str
    destination: str
    format: str
    vertices: range | None = None


def read_edges(
    path: str | os.PathLike[str],
    *,
    source: str | None = None,
    destination: str | None = None,
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
        The names of the two columns. By default the columns src and dst, source and destination,
        source and target, or from and to, in any case of letters, if the file has them; else the
        first two. A file without a header has the columns src, dst, col2, col3 and so on.
    format
        One of ``FORMATS``; by default what the suffix of the path says.
    header
        Whether the first line of a csv, tsv or snap file names the columns. By default the first
        line of csv and tsv is a header unless both its first fields are integers; that of snap is
        one only if they are not and those of the next line are.
    weights
        Read the weights too, if the file has them.
    weight
        The name of the column of weights, where columns have names; by default weight.
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
        text, and a null among integers. Indices stay as they are in the
        file: from one on in gr, metis and mtx, from zero on in he, egr and npz. An entry that is
        stored counts as an edge even if its weight is zero.

    Raises
    ------
    FormatError
        The file is missing, unreadable, of no known format, or malformed; names the line. As a
        ChangedFileError, it was cut, rewritten or replaced meanwhile.
    MissingColumnError
        There is no such column; names those there are.
    InputError
        Source and destination are the same column.
    """
    path = Path(path)
    kind = format_of(path, format)
    if path.is_dir():
        raise FormatError(f"{path} is a directory; name a file")
    try:
        before = mark_of(path)
        with path.open("rb", buffering=0) as raw, unchanged(path, before):
            file = File(str(path), raw, path.stat().st_size, on_progress)
            wanted = Wanted(source, destination, kind, header, weights, weight)
            table, vertices = _READERS[kind](file, wanted)
    except FileNotFoundError:
        raise FormatError(f"{path} does not exist") from None
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error.strerror or error}") from error
    return EdgeFile(table, table.column_names[0], table.column_names[1], kind, vertices)
