"""Paths that commands are given, and standard input."""

from __future__ import annotations

import glob
import os
import sys
from io import BufferedReader
from typing import Any

import click

from ...data.files.input_file import FORMATS, HEAD, File, files_in, packing_of
from ...errors import FormatError, InputError
from .options import STANDARD

STANDARD_INPUT = "standard input"


def name_of(file: str) -> str:
    """Return a name as messages have it."""
    return STANDARD_INPUT if file == STANDARD else file


def is_pattern(file: str) -> bool:
    """Return whether a word is a pattern, and not the name of a file that looks like one."""
    return glob.has_magic(file) and "://" not in file and not os.path.exists(file)


def within(file: str) -> list[str]:
    """Return the files of a folder, of known formats and sorted; all else as it is."""
    if file == STANDARD:
        raise click.UsageError("- is standard input, and stands alone.")
    return files_in(file) if os.path.isdir(file) else [file]


def stated_format(format: str | None) -> str:
    """Return the format of standard input; raise a UsageError if there is none."""
    if format is None:
        raise click.UsageError(
            f"{STANDARD_INPUT} has no suffix: say its format, one of {', '.join(FORMATS)}, by"
            " --format (in convert --from)."
        )
    return format


def standard_input() -> File:
    """Return standard input as an open file, whose name says whether it is compressed."""
    stream: Any = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise InputError(f"{STANDARD_INPUT} is closed")
    if not hasattr(stream, "peek"):
        stream = BufferedReader(stream)
    first = bytes(stream.peek(HEAD)[:HEAD])
    return File(f"{STANDARD_INPUT}{packing_of(first)}", stream, 0, None, first=first)


def paths_of(given: str) -> list[str]:
    """Return the files of a folder or a pattern, sorted; all else as it is.

    Raises
    ------
    FormatError
        There are none.
    """
    if given == STANDARD:
        return [given]
    if not is_pattern(given):
        return within(given)
    found = [file for path in sorted(glob.glob(given, recursive=True)) for file in within(path)]
    if not found:
        raise FormatError(f"no file matches {given}")
    return found
