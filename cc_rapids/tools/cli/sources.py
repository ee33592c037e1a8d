"""The edges that a command is given: files, folders, patterns, and standard input.

Standard input is read as a file is, whole, or in pieces where there is a limit of memory.
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
from ...data.files.opening import given
from ...data.files.read import EdgeFile, Taken, read_opened, read_wanted
from ...data.text_options import KEYWORDS, TextOptions
from ...errors import CcRapidsWarning, InputError
from ...ledger import Ledger
from .options import STANDARD
from .paths import is_pattern, name_of, standard_input
from .show import progress, stream_progress

if TYPE_CHECKING:
    from .show import Report


@dataclass
class Given:
    """Edges as the library takes them, with its options for them.

    ``taken`` is how each file was read, and ``ledger`` counts the rows of a file that the command
    reads itself.
    """

    edges: Any
    options: dict[str, Any]
    streamed: bool = False
    taken: list[Taken] = field(default_factory=list)
    ledger: Ledger | None = None

    def rows(self, ledger: dict[str, Any]) -> Ledger:
        """Return the ledger of an answer for these edges, with all rows of their file.

        Raises
        ------
        LedgerError
            The answer is not of all rows of the file.
        """
        found = Ledger.of_facts(ledger)
        if self.ledger is None:
            return found
        return self.ledger.plus(found._replace(given=0, unchecked=False)).check()

    @classmethod
    def of(cls, found: EdgeFile, bounds: dict[str, Any] | None = None) -> Given:
        """Return the edges of a file that has been read, to be kept within bounds of weights."""
        ends = {"source": found.source, "destination": found.destination}
        table, bounds = found.table, bounds or {}
        if bounds:  # by which the last column, of weights, is asked for
            table = table.rename_columns([*table.column_names[:-1], bounds["weight"]])
        options = ends | {"vertices": found.vertices} | bounds
        return cls(table, options, taken=[found.taken], ledger=found.ledger)

    def engine(self) -> str:
        """Return the engine that takes the least time, by default; of a stream the library says."""
        from ...backends.choice import choose

        return "auto" if self.streamed else choose(len(self.edges)).engine


def columns_of(bounds: dict[str, Any]) -> dict[str, Any]:
    """Return the options of :func:`read_one` by which the weights are read, if bounds need them."""
    wanted = {"weights": True, "weight": bounds.get("weight"), "null_weights": True}
    return wanted if bounds else {}


def read_given(
    files: Sequence[str],
    chunked: dict[str, Any],
    quiet: bool,
    reading: dict[str, Any],
    bounds: dict[str, Any],
) -> Given:
    """Return the edges of files, read whole if they are one, or else to be read in chunks.

    ``chunked`` are options of streams, such as ``memory_limit``, or None for those not given.
    """
    chunked = {name: value for name, value in chunked.items() if value is not None}
    if chunked or not is_whole(files):
        return limited(files, chunked, quiet, reading, bounds)
    file = Path(files[0])
    with progress(f"reading {name_of(file.name)}", quiet) as on_progress:
        return Given.of(read_one(file, on_progress, **reading, **columns_of(bounds)), bounds)


def read_one(file: Path, report: Report | None, **reading: Any) -> EdgeFile:
    """Return the edges of a file, or of standard input for ``-``, read whole.

    ``reading`` are source, destination and options of files, and what else is requested of columns.
    """
    others = {name: value for name, value in reading.items() if name not in KEYWORDS}
    request = ColumnRequest(format="", options=TextOptions.among(reading), **others)
    if str(file) == STANDARD:
        found = read_opened(given(standard_input()), request)
    else:
        found = read_wanted(file, request, report)
    if not found.ledger.records:
        warnings.warn(f"{name_of(str(file))} holds no rows", CcRapidsWarning, stacklevel=2)
    return found


def check_single(taken: Taken) -> None:
    """Raise an InputError if ids have several columns, which a command does not take."""
    if len(taken.columns) > 2:
        columns = ", ".join(taken.columns)
        raise InputError(
            f"the ids have several columns ({columns}), and this command takes one for each end:"
            " name them with --source and --destination, or use the library"
        )


def limited(
    files: Sequence[str],
    chunked: dict[str, Any],
    quiet: bool,
    reading: dict[str, Any],
    bounds: dict[str, Any],
) -> Given:
    """Return files, folders and patterns, or standard input, to be read in chunks.

    Raises
    ------
    FormatError
        A folder has no file of a known format.
    """
    options = reading | {"progress": stream_progress(quiet)} | chunked | bounds
    if list(files) == [STANDARD]:
        return Given(standard_input(), options, streamed=True)
    if STANDARD in files:
        raise click.UsageError("- is standard input, and stands alone.")
    edges = files[0] if len(files) == 1 else list(files)
    return Given(edges, options, streamed=True)


def is_whole(files: Sequence[str]) -> bool:
    """Return whether the input is one file, or standard input, which can be read at once."""
    if len(files) > 1 or files[0] == STANDARD:
        return len(files) == 1
    return not (os.path.isdir(files[0]) or "://" in files[0] or is_pattern(files[0]))
