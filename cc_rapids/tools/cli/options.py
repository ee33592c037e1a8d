"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...data.arguments import local
from ...data.end_columns import KNOWN_PAIRS
from ...data.files.formats import COUNTED, FORMATS, SUFFIXES, WRITTEN
from ...data.files.input_file import PACKED
from ...data.files.write import is_standard_output
from ...data.memory_budget import bytes_of
from ...data.text_options import COMMENTS
from ...errors import EngineError, InputError
from .group import (
    INPUT,
    METHOD,
    PROGRESS,
    Decorator,
    option,
    option_of_input,
    option_of_method,
    option_of_output,
)

if TYPE_CHECKING:
    from ...backends import Backend

# A copy of backends.WORDS, because importing its module imports NumPy
ENGINES: dict[str, str | None] = {
    "auto": None,
    "cpu": "threads",
    "gpu": "cuda",
    "threads": "threads",
    "cuda": "cuda",
}
STANDARD = "-"  # standard input, or standard output

COLUMNS_IN_WORDS = (
    "Columns: by default, a known pair of columns contains the ends of each edge:"
    f" {', '.join(f'{a} and {b}' for a, b in KNOWN_PAIRS)}. If a file has only two columns, these"
    " are the ends. If a file with unique_id_l and unique_id_r also has source_dataset_l and"
    " source_dataset_r, the ids consist of two columns each. The first line of a text file is a"
    " header if it contains known names or names in the options, or if none of its three or more"
    " fields is a number and the next line has numbers. If both ends in the first line are"
    " numbers, as in the next line, the first line is an edge. --header and --no-header override"
    " these rules."
)
FORMATS_IN_WORDS = (
    f"Formats: {', '.join(FORMATS)}. The suffix of a file determines its format:"
    f" {' '.join(SUFFIXES)}. Files of all formats may be compressed ({', '.join(PACKED)}). If a"
    " file has another suffix, its first bytes determine the format. These formats can be written:"
    f" {', '.join(WRITTEN)}. The formats"
    f" {', '.join(name for name, first in COUNTED.items() if first)} count vertices from 1; the"
    f" ids in such a file are not changed. The formats {', '.join(COUNTED)} also store vertices"
    " without edges."
)
FILES_IN_WORDS = f"{COLUMNS_IN_WORDS}\n\n{FORMATS_IN_WORDS}"


def combined(*decorators: Decorator) -> Decorator:
    """Return a decorator that adds the options of all decorators, in the order of the help."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):  # help lists the last added option first
            function = decorator(function)
        return function

    return decorate


def header_option(help: str) -> Decorator:
    """Return the option ``--header/--no-header``."""
    return option_of_input("--header/--no-header", default=None, help=help)


def text_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for reading text, named like the fields of :class:`TextOptions`."""

    @wraps(function)  # --no-comment is not a field: it sets comment to None
    def with_comment(*, no_comment: bool, comment: str, **others: Any) -> Any:
        return function(comment=None if no_comment else comment, **others)

    return combined(
        header_option("Does the first line of text name the columns?"),
        option_of_input(
            "--delimiter",
            metavar="CHARACTER",
            help="The field delimiter of text; ' ' means runs of blanks.",
        ),
        option_of_input(
            "--encoding",
            metavar="NAME",
            help="The encoding of text, such as latin-1; UTF-8 by default.",
        ),
        option_of_input(
            "--comment",
            metavar="LETTERS",
            default=COMMENTS,
            help="Characters that begin a comment before the first edge.",
        ),
        option_of_input(
            "--no-comment",
            is_flag=True,
            help="Read lines that begin like comments too: they are edges.",
        ),
    )(with_comment)


class FilePath(click.Path):
    """A path with ``~`` expanded, as shells do not expand it in ``--output=~/x``."""

    def convert(self, value: Any, parameter: Any, context: Any) -> Any:
        return super().convert(local(value), parameter, context)


def size(value: str) -> str:
    """Return a size such as ``2GiB`` unchanged; raise a BadParameter error if it is invalid."""
    try:
        bytes_of(value)
    except InputError:
        raise click.BadParameter(f"{value!r} is not a size such as 512MiB or 2GiB") from None
    return value


def number(value: str) -> int | float:
    """Return a number: an int if it is written as an integer, otherwise a float."""
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    raise click.BadParameter(f"{value!r} is not a number")


class LabelChoice(click.Choice[str]):
    """A click type for a kind of labels; it imports the module of the kinds on demand."""

    def __init__(self) -> None:
        self.case_sensitive = True  # super().__init__() would set ``choices``, a property here

    @property
    def choices(self) -> Sequence[str]:  # type: ignore[override]
        from ...results.labels import LABEL_KINDS

        return tuple(LABEL_KINDS)


memory_limit_option: Decorator = option_of_input(
    "--memory-limit",
    metavar="SIZE",
    type=size,
    help="Read in chunks within SIZE of memory, such as 2GiB.",
)


def input_options(*rows: tuple[str, str, Any, str]) -> Decorator:
    """Return options of the input; each row has the flag, metavar, type and help of an option."""
    return combined(
        *(
            option_of_input(flag, metavar=metavar, type=kind, help=help_text)
            for flag, metavar, kind, help_text in rows
        )
    )


bound_options: Decorator = input_options(  # select edges whose weight is within bounds
    ("--weight", "NAME", str, "Column of weights."),
    ("--at-least", "X", number, "Skip edges with a smaller weight or without a weight."),
    ("--at-most", "X", number, "Skip edges with a greater weight or without a weight."),
)


def check_bounds(options: dict[str, Any], weight_alone: bool = False) -> dict[str, Any]:
    """Remove weight, at_least and at_most from options, and return those that are not None.

    Raises
    ------
    UsageError, InputError
        A bound is passed without a weight column; a weight column is passed without a bound, and
        ``weight_alone`` is False; the bounds exclude each other.
    """
    from ...data.weight_bound import WeightBound

    bounds = {name: options.pop(name) for name in ("weight", "at_least", "at_most")}
    passed = {name: value for name, value in bounds.items() if value is not None}
    if passed and "weight" not in passed:
        raise click.UsageError("--at-least and --at-most bound a weight: name it with --weight.")
    if len(passed) > 1:  # a weight and at least one bound
        WeightBound.check(*bounds.values())
    elif passed and not weight_alone:
        raise click.UsageError("--weight needs --at-least or --at-most, which bound it.")
    return passed


def _column_names(_: object, __: object, word: str | None) -> Any:
    """Return the name of a column, or a list if commas separate several names.

    click calls this function with the context, the option and its value.
    """
    return word.split(",") if word and "," in word else word


def ends_options(source: tuple[str, ...], destination: tuple[str, ...], what: str) -> Decorator:
    """Return the two options for the columns of both ends of an edge.

    ``source`` and ``destination`` are their flags, and ``what`` names an end in the help.
    """
    column = partial(option, metavar="NAME", callback=_column_names, section=INPUT)
    return combined(
        column(*source, "source", help=f"Column of one {what}, or several: A,B."),
        column(*destination, "destination", help=f"Column of the other {what}."),
    )


column_options: Decorator = ends_options(("--source",), ("--destination",), "end of each edge")


def edge_file_options(format_flag: str = "--format") -> Decorator:
    """Return the options for reading a file of edges."""
    help_text = "Format of FILE; from its suffix by default."
    file_format = format_option(format_flag, "format", help_text, INPUT)
    return combined(column_options, file_format, text_options)


nulls_option: Decorator = option_of_input(
    "--nulls",
    type=click.Choice(["raise", "drop"]),
    help="For edges without an id: raise an error (default) or drop.",
)


unreadable_option: Decorator = option_of_input(
    "--unreadable",
    type=click.Choice(["raise", "skip"]),
    help="For unreadable files: raise an error (default) or skip.",
)


def counts_option(flag: str, metavar: str, help: str, section: str = METHOD) -> Decorator:
    """Return an option for a positive integer, which may be repeated."""
    kind = click.IntRange(min=1)
    return option(flag, metavar=metavar, type=kind, multiple=True, section=section, help=help)


rounds_option: Decorator = option_of_method(  # of commands that measure time
    "--rounds",
    metavar="K",
    type=click.IntRange(min=1),
    default=9,
    show_default=True,
    help="Runs of each timing, after a warm-up run.",
)


def format_option(
    flag: str, name: str, help: str, section: str, formats: Iterable[str] = FORMATS
) -> Decorator:
    """Return an option that names a format; the help of the command lists the formats."""
    kind = click.Choice(list(formats))
    return option(flag, name, metavar="FORMAT", type=kind, section=section, help=help)


edge_options = combined(edge_file_options(), nulls_option, bound_options)


def written_to(output: Path, format: str | None) -> tuple[Path, str | None]:
    """Return the path and format of an output; ``-`` is standard output, by default as csv."""
    if str(output) == STANDARD:
        return Path("/dev/stdout"), format or "csv"
    return output, format


def is_shown(output: Path | None, quiet: bool, json_output: bool) -> bool:
    """Return whether a command prints its summary: not if it is quiet or its output is stdout.

    Raise an InputError if both the output and JSON would go to stdout.
    """
    if output is None or not is_standard_output(output):
        return not quiet
    if json_output:
        raise InputError(
            f"--json goes to standard output, and so does {output}: leave out --json or write to"
            " a file"
        )
    return False


def check_apart(output: Path, file: Path) -> None:
    """Raise an InputError if the output is the input file."""
    if output.exists() and file.exists() and output.samefile(file):
        raise InputError(f"{output} is the input file; write to another file")


# The value is the library's name of an engine, or None
engine_option: Decorator = option_of_method(
    "--engine",
    metavar="NAME",
    type=click.Choice(list(ENGINES)),
    default="auto",
    callback=lambda _, __, word: ENGINES[word],
    help="auto (default), gpu or cuda, cpu or threads.",
)


def _backend_of(context: click.Context, _: click.Parameter, word: str) -> Backend | None:
    """Return the backend that ``--engine`` names; click calls this function with its value."""
    from ... import backends

    if context.resilient_parsing:  # completion in a shell, which needs no backend
        return None
    name = ENGINES[word]
    if name is not None:
        return backends.get(name)
    try:  # "auto" is a GPU if there is one
        return backends.get("cuda")
    except EngineError:
        return backends.get("threads")


engine_or_threads: Decorator = option_of_method(
    "--engine",
    "backend",
    metavar="NAME",
    type=click.Choice(list(ENGINES)),
    default="auto",
    callback=_backend_of,
    help="auto (the GPU if there is one), gpu/cuda, cpu/threads.",
)


def engine_in_words(backend: Backend) -> str:
    """Return the name of the device of a backend, with a hint if there is no GPU."""
    text = f"{backend.name}: {backend.device_name}"
    return text if backend.on_device else f"{text} (no GPU: see cc-rapids doctor)"


def _keep_progress(context: click.Context, _: click.Parameter, value: bool | None) -> None:
    """Store the value of ``--progress`` in the context."""
    context.meta[PROGRESS] = value


quiet_options: Decorator = combined(
    option_of_output("--quiet", is_flag=True, help="Print only errors."),
    option_of_output(
        "--progress/--no-progress",
        default=None,
        expose_value=False,
        callback=_keep_progress,
        help="Print progress even outside a terminal, or never.",
    ),
)
as_json: Decorator = option_of_output(
    "--json", "json_output", is_flag=True, help="Print all facts as one JSON object, and no tables."
)
report_options = combined(quiet_options, as_json)
