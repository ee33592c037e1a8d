"""Read the edges of a command from files, folders, patterns and standard input.

Standard input is read whole, or in pieces if there is a memory limit.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...data.files.input_file import ColumnRequest
from ...data.files.opening import file_of
from ...data.files.read import EdgeFile, SourceFormat, read_opened, read_wanted
from ...data.text_options import KEYWORDS, TextOptions
from ...errors import CcRapidsWarning, InputError
from ...ledger import Ledger
from .options import STANDARD
from .paths import is_pattern, name_of, standard_input
from .show import progress, stream_progress

if TYPE_CHECKING:
    from .show import Report


@dataclass
class CommandEdges:
    """The edges of a command in a form that the library accepts, and the library's options.

    ``formats`` says how a file is read, if the command knows it. If the command has read the file,
    ``ledger`` counts its rows. ``streamed`` is true if the library reads the files in chunks.
    """

    edges: Any
    options: dict[str, Any]
    streamed: bool = False
    formats: list[SourceFormat] = field(default_factory=list)
    ledger: Ledger | None = None

    def full_ledger(self, ledger: dict[str, Any]) -> Ledger:
        """Return the ledger of an answer, with the rows of the file that its reader left out.

        Raise a LedgerError if a row of the file is neither linked nor left out.
        """
        answer_ledger = Ledger.of_facts(ledger)
        if self.ledger is None:
            return answer_ledger
        # The file's ledger already counts the rows that were given to the library
        return self.ledger.plus(answer_ledger._replace(given=0, unchecked=False)).check()

    @classmethod
    def of(cls, edge_file: EdgeFile, bounds: dict[str, Any] | None = None) -> CommandEdges:
        """Return the edges of a file that was read; ``bounds`` are as for :func:`read_edges`."""
        ends = {"source": edge_file.source, "destination": edge_file.destination}
        table, bounds = edge_file.table, bounds or {}
        if bounds:  # weights were read into the last column
            table = table.rename_columns([*table.column_names[:-1], bounds["weight"]])
        options = ends | {"vertices": edge_file.vertices} | bounds
        return cls(table, options, formats=[edge_file.source_format], ledger=edge_file.ledger)

    def engine(self) -> str:
        """Return the fastest engine for edges in memory, or "auto" for edges read in chunks."""
        from ...backends.choice import choose

        return "auto" if self.streamed else choose(len(self.edges)).engine


def read_edges(
    files: Sequence[str],
    chunked: dict[str, Any],
    quiet: bool,
    reading: dict[str, Any],
    bounds: dict[str, Any],
) -> CommandEdges:
    """Read a single file into memory, or return paths that the library reads in chunks.

    ``files`` are paths of files and folders, patterns, or ``-``. If an option for reading in chunks
    in ``chunked`` is not None, a single file is read in chunks, too. ``reading`` has the names of
    the columns of both ends, and the options of files. ``bounds`` has the name of the weight column
    as ``weight``, and bounds for the weights; it is empty if edges are not selected by weight.
    Raise a UsageError if standard input is one of several files.
    """
    chunked = {name: value for name, value in chunked.items() if value is not None}
    if chunked or not is_whole(files):
        options = reading | {"progress": stream_progress(quiet)} | chunked | bounds
        if list(files) == [STANDARD]:
            return CommandEdges(standard_input(), options, streamed=True)
        if STANDARD in files:
            raise click.UsageError("- is standard input, which cannot be read with other files.")
        edges = files[0] if len(files) == 1 else list(files)
        return CommandEdges(edges, options, streamed=True)
    file = Path(files[0])
    if bounds:
        reading = reading | {"weights": True, "weight": bounds["weight"], "null_weights": True}
    with progress(f"reading {name_of(file.name)}", quiet) as on_progress:
        return CommandEdges.of(read_one(file, on_progress, **reading), bounds)


def read_in_memory(
    files: Sequence[str], quiet: bool, reading: dict[str, Any], bounds: dict[str, Any]
) -> CommandEdges:
    """Read a single file into memory, or return paths that the library reads into one table."""
    edges = read_edges(files, {}, quiet, reading, bounds)
    edges.options.pop("progress", None)  # with this option, the library would read in chunks
    return edges


def read_one(file: Path, report: Report | None, **reading: Any) -> EdgeFile:
    """Read all edges of a file, or of standard input for ``-``.

    ``reading`` has the options of files, and fields of :class:`ColumnRequest`, such as ``source``.
    """
    request_fields = {name: value for name, value in reading.items() if name not in KEYWORDS}
    request = ColumnRequest(format="", options=TextOptions.among(reading), **request_fields)
    if str(file) == STANDARD:
        edge_file = read_opened(file_of(standard_input()), request)
    else:
        edge_file = read_wanted(file, request, report)
    if not edge_file.ledger.records:
        warnings.warn(f"{name_of(str(file))} has no rows", CcRapidsWarning, stacklevel=2)
    return edge_file


def check_single(source_format: SourceFormat) -> None:
    """Raise an InputError if ids have several columns, which a command does not support."""
    if len(source_format.columns) > 2:
        columns = ", ".join(source_format.columns)
        raise InputError(
            f"the ids have several columns ({columns}), but this command takes one column for each"
            " end: name both columns with --source and --destination, or use the library"
        )


def is_whole(files: Sequence[str]) -> bool:
    """Return whether the input is one file or standard input: no folder, URL or pattern."""
    if len(files) > 1:
        return False
    (file,) = files
    return file == STANDARD or not (os.path.isdir(file) or "://" in file or is_pattern(file))
