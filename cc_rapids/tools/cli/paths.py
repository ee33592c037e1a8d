"""Expand the paths in arguments of commands, and open standard input."""

from __future__ import annotations

import glob
import os
import sys
from typing import Any

from ...data.files.handle import Handle
from ...data.files.input_file import File
from ...data.files.lake import table_at
from ...data.files.opening import files_in
from ...errors import FormatError, InputError
from .options import STANDARD

STANDARD_INPUT = "standard input"


def name_of(file: str) -> str:
    """Return how messages name an input."""
    return STANDARD_INPUT if file == STANDARD else file


def is_pattern(file: str) -> bool:
    """Return whether a path has wildcards, and is neither a URL nor an existing file."""
    return glob.has_magic(file) and "://" not in file and not os.path.exists(file)


def _files_at(file: str) -> list[str]:
    """Return the sorted files of a folder, or the path of a file or of a Delta or similar table."""
    return files_in(file) if os.path.isdir(file) and table_at(file) is None else [file]


def standard_input() -> File:
    """Return standard input as an open file."""
    stream: Any = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise InputError(f"{STANDARD_INPUT} is closed")
    handle: Any = Handle(stream)
    return _StandardInput(STANDARD_INPUT, handle, size=0, on_progress=None)  # a pipe has no size


def paths_of(pattern: str) -> list[str]:
    """Return the sorted files of a folder or a pattern, or the path itself if it is neither.

    Raise a FormatError if no file matches the pattern, or if the folder contains no file.
    """
    if pattern == STANDARD:
        return [pattern]
    if not is_pattern(pattern):
        return _files_at(pattern)
    files = [
        file for path in sorted(glob.glob(pattern, recursive=True)) for file in _files_at(path)
    ]
    if not files:
        raise FormatError(f"no file matches {pattern}")
    return files


class _StandardInput(File):
    """Standard input, which the library reads like a file that the caller has opened."""

    def readable(self) -> bool:
        """Return True, so that the library accepts this object as an open file."""
        return True
