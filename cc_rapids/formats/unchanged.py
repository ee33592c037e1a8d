"""Unchanged: whether a file is still the one, and as long and as old, as when reading began."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple

from ..errors import ChangedFileError, FormatError


class Mark(NamedTuple):
    """What a file is known again by; ``own`` is the device and inode, where there are any.

    ``time`` is what its file system says of its last change: nanoseconds on this machine.
    """

    size: int
    time: str
    own: tuple[int, int] | None = None

    def __str__(self) -> str:
        when = self.time
        if when.isdigit():
            when = datetime.fromtimestamp(int(when) // 1000 / 1e6).isoformat(" ", "microseconds")
        return f"{self.size:,} bytes{f' of {when}' if when else ''}"


def mark_of(path: str | os.PathLike[str]) -> Mark | None:
    """The mark of a file on this machine; None of what is no regular file, such as a pipe.

    Raises
    ------
    OSError
        There is no such file.
    """
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):
        return None
    return Mark(found.st_size, str(found.st_mtime_ns), (found.st_dev, found.st_ino))


@contextmanager
def unchanged(path: Any, before: Mark | None, look: Any = mark_of) -> Iterator[None]:
    """Return a context in which a file is read, and look at its mark again at the end.

    Parameters
    ----------
    path : path
        What ``look`` takes, and errors name.
    before : Mark, or None for what has none
        From before the file was opened.
    look : callable
        Gives the mark of a path.

    Raises
    ------
    ChangedFileError
        The file is another one, or has another size or time; also if it could not be read, in
        place of the FormatError that says so.
    """
    try:
        yield
    except FormatError as error:
        reason = _difference(path, before, look)
        raise ChangedFileError(reason) if reason else error from error.__cause__
    reason = _difference(path, before, look)
    if reason:
        raise ChangedFileError(reason)


def _difference(path: Any, before: Mark | None, look: Any) -> str:
    """What has changed, in words; empty if nothing has."""
    if before is None:
        return ""
    try:
        now = look(path)
    except (OSError, FormatError):
        return f"{path} is gone, and was there when reading began: read it again"
    if now == before:
        return ""
    what = f"it had {before} when reading began, and has {now}"
    if now is not None and now[:2] == before[:2]:
        what = "another file has its name now"
    return f"{path} was changed while it was read ({what}): read it again once it is complete"
