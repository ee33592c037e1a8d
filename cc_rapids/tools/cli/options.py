"""Options of several commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...data.files.header import KNOWN_PAIRS
from ...data.files.input_file import FORMATS, PACKED
from ...data.files.write import COUNTED, ONE_BASED, is_standard_output
from ...errors import EngineError, InputError

if TYPE_CHECKING:
    from ...backends import Backend

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

_ONE_END = (
    "Column of one end of each edge. By default the ends are the first known pair of columns in"
    " the file, or else its only two columns; without a header, the first two."
)
_OTHER_END = "Column of the other end of each edge."
_SUFFIXES = " ".join(suffix for suffixes in FORMATS.values() for suffix in suffixes)

FORMATS_IN_WORDS = (
    f"Known pairs of columns: {', '.join(f'{a} and {b}' for a, b in KNOWN_PAIRS)}. The suffix"
    f" determines the format: {_SUFFIXES}; all may be compressed, {' or '.join(PACKED)}."
    f" {', '.join(ONE_BASED)} count vertices from 1; ids are used as they are in the file."
    f" {', '.join(COUNTED)} keep vertices without edges; the others have edges only."
)
header_option = click.option(
    "--header/--no-header",
    default=None,
    help="Whether the first line of csv, tsv and snap names the columns. By default it is a"
    " header if it holds known or given names, and an edge if its ends are numbers like those of"
    " the next line.",
)


def column_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the options that name the columns of edges."""
    option = click.option("--destination", metavar="NAME", help=_OTHER_END)
    return click.option("--source", metavar="NAME", help=_ONE_END)(option(function))


def edge_file_options(name: str = "--format") -> Decorator:
    """Return the options for reading a file of edges."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        of_format = format_option(name, "format", "Format of FILE, if not by suffix.")
        return column_options(of_format(header_option(function)))

    return decorate


nulls_option = click.option(
    "--nulls",
    type=click.Choice(["raise", "drop"]),
    help="Raise an error for an edge that lacks an id (the default), or drop it.",
)


def counts_option(flag: str, metavar: str, help: str) -> Decorator:
    """Return an option for a positive count, which may be given several times."""
    kind = click.IntRange(min=1)
    return click.option(flag, metavar=metavar, type=kind, multiple=True, help=help)


def rounds_option(more: str = "") -> Decorator:
    """Return the option ``--rounds`` of commands that time."""
    return click.option(
        "--rounds",
        metavar="K",
        type=click.IntRange(min=1),
        default=9,
        show_default=True,
        help=f"Runs of each timing, after one to warm up{more}.",
    )


def format_option(flag: str, name: str, help: str) -> Decorator:
    """Return an option that names a format."""
    return click.option(flag, name, type=click.Choice(list(FORMATS)), help=help)


def is_shown(output: Path | None, quiet: bool, json_output: bool) -> bool:
    """Return whether a command prints its summary: unless its output goes to standard output."""
    if output is None or not is_standard_output(output):
        return not quiet
    if json_output:
        raise InputError(f"--json goes to standard output, as {output} does: leave one of them out")
    return False


def check_apart(output: Path, file: Path) -> None:
    """Raise an error if the output is the input file."""
    if output.exists() and file.exists() and output.samefile(file):
        raise InputError(f"{output} is the input file; write to another file")


def engine_or_threads(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the option ``--engine`` of commands that compare.

    It gives the engine itself, by default a GPU's.
    """

    def opened(context: click.Context, option: click.Parameter, name: str | None) -> Backend | None:
        from ... import backends

        if context.resilient_parsing:
            return None
        try:
            return backends.get(name or "cuda")
        except EngineError:
            if name:
                raise
            return backends.get("threads")

    return click.option(
        "--engine",
        "backend",
        type=click.Choice(["threads", "cuda"]),
        callback=opened,
        help="CPU threads or GPU; by default the GPU if there is one.",
    )(function)


def engine_in_words(backend: Backend) -> str:
    """Return where a command ran, with a hint if there was no GPU."""
    words = f"{backend.name}: {backend.device_name}"
    return words if backend.on_device else f"{words} (no GPU: see cc-rapids doctor)"
