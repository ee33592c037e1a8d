"""Paths that commands are given, and standard input."""

from __future__ import annotations

import glob
import os
import sys
from typing import Any, cast

from ...data.files.handle import Handle
from ...data.files.input_file import File
from ...data.files.lake import table_at
from ...data.files.opening import files_in
from ...errors import FormatError, InputError
from .options import STANDARD

STANDARD_INPUT = "standard input"


def name_of(file: str) -> str:
    """Return a name as messages have it."""
    return STANDARD_INPUT if file == STANDARD else file


def is_pattern(file: str) -> bool:
    """Return whether a word is a pattern, and not the name of a file that looks like one."""
    return glob.has_magic(file) and "://" not in file and not os.path.exists(file)


def _within(file: str) -> list[str]:
    """Return the files of a folder, sorted, or the folder if it is a table; all else as it is."""
    return files_in(file) if os.path.isdir(file) and table_at(file) is None else [file]


def standard_input() -> File:
    """Return standard input as an open file."""
    stream: Any = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise InputError(f"{STANDARD_INPUT} is closed")
    return _StandardInput(STANDARD_INPUT, cast(Any, Handle(stream)), 0, None)


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
        return _within(given)
    found = [file for path in sorted(glob.glob(given, recursive=True)) for file in _within(path)]
    if not found:
        raise FormatError(f"no file matches {given}")
    return found


class _StandardInput(File):
    """Standard input, which is one file."""

    def readable(self) -> bool:
        """Return True, as open files do."""
        return True
