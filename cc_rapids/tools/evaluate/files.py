"""List the graph files of a folder, and read their edges."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import backends
from ...backends import Backend
from ...data.dtypes import is_integer
from ...data.files.input_file import ColumnRequest, format_of
from ...data.files.lake import table_at
from ...data.files.read import read_wanted
from ...data.files.text_head import TEXT
from ...data.text_options import NO_OPTIONS, TextOptions
from ...errors import CcRapidsError, FormatError, InputError
from ..bench.timing import rotated

if TYPE_CHECKING:
    import pyarrow as pa


def sources(folder: Path) -> list[Path]:
    """Return the files of a folder that have the suffix of an edge format, sorted by name.

    Raise an InputError if the folder does not exist, or contains no such file.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a directory: pass one that contains graph files")
    if table := table_at(folder):
        raise InputError(f"{folder} is a table of {table.kind}: pass a folder of graph files")
    paths = sorted(path for path in folder.iterdir() if path.is_file() and _has_edge_suffix(path))
    if not paths:
        raise InputError(f"no file in {folder} has the suffix of a graph format")
    return paths


def _has_edge_suffix(path: Path) -> bool:
    """Return whether a file has the suffix of an edge format; hidden files do not count."""
    try:
        format_of(path, None)
    except FormatError:
        return False
    return not path.name.startswith(".")


@dataclass(frozen=True)
class Source:
    """The edges of one file, in host memory."""

    name: str
    table: pa.Table
    vertices: range | None  # all vertices, if the file states their number

    @classmethod
    def read(
        cls, path: Path, options: TextOptions, source: str | None, destination: str | None
    ) -> Source:
        """Read a file; raise a CcRapidsError if it is invalid."""
        kind = format_of(path)
        text_options = options if kind in TEXT else NO_OPTIONS
        file = read_wanted(path, ColumnRequest(source, destination, kind, text_options))
        table = file.table.rename_columns(["src", "dst"])
        if any(column.null_count for column in table.columns):
            raise InputError(f"{path} has edges that lack an id: drop these edges first")
        return cls(path.name, table, file.vertices)

    @cached_property
    def ends(self) -> tuple[Any, Any] | None:
        """The columns as NumPy arrays; None if the ids are not integers."""
        columns = [column.to_numpy() for column in self.table.columns]
        are_integers = all(is_integer(column.dtype) for column in columns)
        return (columns[0], columns[1]) if are_integers else None

    @property
    def all_vertices(self) -> range | None:
        """All vertices; None if the file does not state their number or ids are not integers."""
        return self.vertices if self.ends is not None else None

    @cached_property
    def distinct_ids(self) -> Any:
        """The distinct ids in ascending order, as a NumPy array."""
        assert self.ends is not None  # ids are integers
        # With return_index, NumPy sorts. Otherwise it hashes, which takes ten times as long.
        ids, _ = np.unique(np.concatenate(self.ends), return_index=True)
        return ids

    @property
    def edges(self) -> int:
        """The number of edges."""
        return int(self.table.num_rows)

    def copies(self, backend: Backend, runs: int, on_host: bool) -> list[Any]:
        """Return copies of the edges on the host or on the device of ``backend``.

        ``runs`` runs that take turns on the copies do not find edges in a cache. If the ids are not
        integers, the table is returned without copies.
        """
        if self.ends is None:
            return [self.table]
        if on_host:
            return list(rotated(backends.get("threads"), self.ends, runs))
        return list(rotated(backend, tuple(map(backend.asarray, self.ends)), runs))


def density(vertices: int, edges: int) -> float:
    """Return the number of edges divided by the number of pairs of vertices."""
    pairs = vertices * (vertices - 1) // 2
    return edges / pairs if pairs else 0.0


def reason(error: CcRapidsError | MemoryError) -> str:
    """Return the message of an error as one line."""
    return " ".join(str(error).split()) or type(error).__name__
