"""The formats of files, one module each: its names, first bytes, reader, and perhaps writer.

A module that defines ``FORMATS`` is found by being here. Ids are used as they are in the file; a
format that numbers its vertices says from where.

========  ==========================  =============================================  ==============
format    suffixes                    what it is                                     vertices
========  ==========================  =============================================  ==============
csv       .csv                        a table of text; written with commas           those named
tsv       .tsv .tab                   a table of text; written with tabs             those named
snap      .txt .snap .edges .el       a table of text; written with tabs, and its    those named
          out.* (KONECT)              names in a comment
he        .he                         ``H n m 1``, then ``E source dest weight``     0 .. n - 1
gr        .gr .col .clq .max          DIMACS: ``p sp n m``, then ``a u v weight``,   1 .. n
          .dimacs                     or ``p edge n m`` and ``e u v``
metis     .graph .metis               METIS: line i has the neighbours of vertex i   1 .. n
mtx       .mtx                        Matrix Market; a square matrix                 1 .. n
egr       .egr                        ECL's binary adjacency lists, int32            0 .. n - 1
npy       .npy                        one NumPy array of edges, by rows or columns   those named
npz       .npz                        NumPy arrays src, dst and num_vertices, or     0 .. n - 1,
                                      what ``scipy.sparse.save_npz`` writes          or those named
graphml   .graphml                    GraphML, read by NetworkX                      those listed
gml       .gml                        GML, read by NetworkX                          those listed
gexf      .gexf                       GEXF, read by NetworkX                         those listed
pajek     .net .paj                   Pajek: vertices, then arcs, edges or lists     those listed
jsonl     .jsonl .ndjson              JSON lines: an object a line; two columns      those named
arrow     .arrow .feather             Arrow IPC (Feather 2); two columns are read    those named
parquet   .parquet .pq                Apache Parquet; two columns are read           those named
========  ==========================  =============================================  ==============

Any of them may be compressed, as :mod:`cc_rapids.data.files.handle` has it. Weights are read on
request.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Format:
    """A format of files.

    Attributes
    ----------
    name : str
        What ``format=`` and messages call it.
    suffixes : tuple of str
        Of the names of such files.
    starts : bytes
        A pattern that the first bytes of such a file match, and of no other; none if empty.
    title : str
        Its name in messages, by default ``name``.
    binary : bool
        Whether it is not text.
    read : callable, optional
        Returns the edges of a ``File`` for a ``ColumnRequest``, src, dst and perhaps weight, and
        all vertices if it lists them. It tells the file how many edges it declares. None of formats
        whose pieces are put together.
    pieces : callable, optional
        Yields the pieces of a ``File`` for a ``ColumnRequest`` from a ``Place`` on. None of formats
        that are read as a whole; they have one column per side.
    names : callable, optional
        Returns the names of the columns of a ``File`` by its beginning or its footer.
    write : callable, optional
        Writes an ``EdgeList``.
    write_table : callable, optional
        Writes rows of any columns, piece by piece.
    first : int, optional
        The number of the first vertex, of formats that number them when they are written.
    gathered : bool
        Whether the whole list is held while it is written.
    whole_weights : bool
        Whether weights have to be integers.
    """

    name: str
    suffixes: tuple[str, ...]
    starts: bytes = b""
    title: str = ""
    binary: bool = False
    read: Callable[[Any, Any], tuple[pa.Table, Any]] | None = None
    pieces: Callable[[Any, Any, Any], Iterator[Any]] | None = None
    names: Callable[[Any, Any], list[str]] | None = None
    write: Callable[[Any, BinaryIO, Path], Any] | None = None
    write_table: Callable[[Iterable[pa.Table], pa.Schema, BinaryIO, Path], Any] | None = None
    first: int | None = None
    gathered: bool = False
    whole_weights: bool = False

    @property
    def is_written(self) -> bool:
        """True if edge lists can be written in it."""
        return self.write is not None or self.write_table is not None

    def begins(self, first: bytes) -> bool:
        """Return whether the first bytes of a file can only be of this format."""
        return bool(self.starts) and re.match(self.starts, first) is not None


def _all() -> dict[str, Format]:
    modules = (
        importlib.import_module(f"{__name__}.{found.name}")
        for found in pkgutil.iter_modules(__path__)
    )
    listed: list[Format] = [one for module in modules for one in module.FORMATS]
    listed.sort(key=lambda one: (one.write_table is None, one.binary))  # as messages list them
    return {one.name: one for one in listed}


FORMATS = _all()
SUFFIXES = {suffix: name for name, one in FORMATS.items() for suffix in one.suffixes}
WRITTEN = {name: one for name, one in FORMATS.items() if one.is_written}
COUNTED = {name: one.first for name, one in FORMATS.items() if one.first is not None}
IN_PIECES = [name for name, one in FORMATS.items() if one.pieces]
TABLES = [name for name, one in FORMATS.items() if one.write_table]
