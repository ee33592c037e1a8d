"""File formats, with names, first bytes, a reader, and possibly a writer.

Every module in this package defines ``FORMATS`` and is imported automatically. The last column of
this table says which vertices a file has. Their ids are the ids in the file:

========  ==========================  =============================================  ==============
format    suffixes                    what it is                                     vertices
========  ==========================  =============================================  ==============
csv       .csv                        a table of text; written with commas           those named
tsv       .tsv .tab                   a table of text; written with tabs             those named
snap      .txt .snap .edges .el       a table of text; written with tabs, and        those named
          out.* (KONECT)              column names in a comment
he        .he                         ``H n m 1``, then ``E source dest weight``     0 .. n - 1
gr        .gr .col .clq .max          DIMACS: ``p sp n m``, then ``a u v weight``,   1 .. n
          .dimacs                     or ``p edge n m`` and ``e u v``
metis     .graph .metis               METIS: line i lists neighbours of vertex i     1 .. n
mtx       .mtx                        Matrix Market; a square matrix                 1 .. n
egr       .egr                        ECL's binary adjacency lists, int32            0 .. n - 1
npy       .npy                        one NumPy array of edges, by rows or columns   those named
npz       .npz                        NumPy arrays src, dst and num_vertices, or     0 .. n - 1,
                                      what ``scipy.sparse.save_npz`` writes          or those named
graphml   .graphml                    GraphML, read by NetworkX                      those listed
gml       .gml                        GML, read by NetworkX                          those listed
gexf      .gexf                       GEXF, read by NetworkX                         those listed
pajek     .net .paj                   Pajek: vertices, then arcs, edges or lists     those listed
jsonl     .jsonl .ndjson              JSON Lines: one object per line; two columns   those named
arrow     .arrow .feather             Arrow IPC (Feather 2); two columns are read    those named
parquet   .parquet .pq                Apache Parquet; two columns are read           those named
========  ==========================  =============================================  ==============

Any file may be compressed (:mod:`cc_rapids.data.files.handle`). Weights are read on request.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ...lazy import pa


@dataclass(frozen=True)
class Format:
    """A file format. Every format has ``read`` or ``pieces``.

    ``read`` returns the edges of a ``File`` for a ``ColumnRequest`` (src, dst and possibly weight),
    and all vertices if the file lists them. ``pieces`` yields the edges in pieces, starting at a
    ``Place``. In formats without ``pieces``, each end of an edge is one column, and ``read`` sets
    ``groups`` of the ``File`` to the number of edges, for the ledger. ``names`` returns the column
    names of a ``File`` from its beginning or its footer.

    ``write`` writes an ``EdgeList``, whose columns may be any if ``holds_tables``. In formats of
    simple graphs, it returns the number of edges that are left out, by reason.
    """

    name: str  # the value of format=
    suffixes: tuple[str, ...]  # of file names
    starts: bytes = b""  # pattern of first bytes that no other format has; empty if none
    title: str = ""  # in messages, by default the name
    binary: bool = False
    read: Callable[[Any, Any], tuple[pa.Table, Any]] | None = None
    pieces: Callable[[Any, Any, Any], Iterator[Any]] | None = None
    names: Callable[[Any, Any], list[str]] | None = None
    write: Callable[[Any, BinaryIO, Path], Any] | None = None
    first: int | None = None  # the number of the first vertex, if written vertices are numbered
    whole_weights: bool = False  # whether weights must be integers
    finite_weights: bool = False
    edges_only: bool = False  # whether files have no columns but the ends of edges

    @property
    def holds_tables(self) -> bool:
        """True if tables of any columns can be written in this format."""
        return self.write is not None and self.first is None and not self.edges_only

    def begins(self, first: bytes) -> bool:
        """Return whether the first bytes of a file identify this format."""
        return bool(self.starts) and re.match(self.starts, first) is not None


def _all() -> dict[str, Format]:
    """Import the modules of this package, and return their formats by name."""
    modules = (
        importlib.import_module(f"{__name__}.{module.name}")
        for module in pkgutil.iter_modules(__path__)
    )
    formats: list[Format] = [format for module in modules for format in module.FORMATS]
    # messages list the formats in this order
    formats.sort(key=lambda entry: (not entry.holds_tables, entry.binary))
    return {format.name: format for format in formats}


FORMATS = _all()
SUFFIXES = {suffix: name for name, format in FORMATS.items() for suffix in format.suffixes}
WRITTEN = {name: format for name, format in FORMATS.items() if format.write}
WEIGHTED = [name for name, format in WRITTEN.items() if not format.edges_only]
COUNTED = {name: f.first for name, f in FORMATS.items() if f.first is not None}  # first vertices
IN_PIECES = [name for name, format in FORMATS.items() if format.pieces]  # not read as a whole
TABLES = [name for name, format in FORMATS.items() if format.holds_tables]
