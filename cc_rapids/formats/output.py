"""Files that are written whole or not at all; devices and pipes are written through."""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from gzip import GzipFile
from io import BufferedWriter, FileIO, UnsupportedOperation
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..errors import CcRapidsError, OutputError

_DESCRIPTOR = re.compile(r"/proc/(self|thread-self|[0-9]+)/(task/[0-9]+/)?fd/([0-9]+)")
_MOST_LINKS = 40  # as many as Linux follows


@contextmanager
def replacing(
    path: str | os.PathLike[str], *, pack: str = "", sync: bool = False
) -> Iterator[BinaryIO]:
    """Return a stream, in a context, whose content takes the place of a file at the end of it.

    The stream writes to a new file in the same folder, under a name that no other thread or process
    takes. At the end of the context that file gets the path's name; on any error, or when
    interrupted, it is removed, and a file that was there is as it was. A file that is replaced
    hands on its mode, and its owner and group where that is allowed. A symbolic link stays one, and
    its target is replaced. What is no regular file, such as a device, a FIFO or an open descriptor
    (``/dev/stdout``), is written to directly, and stays what it is.

    Parameters
    ----------
    path : path
        The file.
    pack : str
        ``".gz"`` or ``".zst"`` for a stream that packs; else nothing.
    sync : bool
        Wait until the disk has the content, before the new file takes the name.

    Raises
    ------
    OutputError
        The path is a folder or a read-only file, its folder is missing or closed to writing, or
        writing fails, as on a full disk or a closed pipe; names the path and the reason.
    """
    path = Path(path)
    with _errors_of(path):
        check_place(path)
        descriptor = _descriptor(path)
        if descriptor is None and not _is_special(path):
            target = Path(os.path.realpath(path))
            with _replaced(target, sync) as raw, _packed(raw, pack) as stream:
                yield stream
        else:
            with _through(path, descriptor) as raw, _packed(raw, pack) as stream:
                yield stream


def check_place(path: Path) -> None:
    """Check that a file could be written there, whatever it holds.

    Raises
    ------
    OutputError
        The path is a folder or closed to writing, or its folder is missing or closed to writing.
    """
    with _errors_of(path):
        if _descriptor(path) is not None:
            return
        if path.is_dir():
            raise OutputError(f"cannot write {path}: it is a directory")
        special, target = _is_special(path), Path(os.path.realpath(path))
        if os.path.exists(path) and not os.access(path, os.W_OK):
            what = "it" if special else "the file that is there"
            raise OutputError(f"cannot write {path}: {what} is closed to writing")
        if special:
            return
        if not target.parent.is_dir():
            raise OutputError(f"cannot write {path}: there is no directory {target.parent}")
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise OutputError(
                f"cannot write {path}: directory {target.parent} is closed to writing"
            )


def make_folder(path: Path) -> None:
    """Make a folder if it is not there.

    Raises
    ------
    OutputError
        It cannot be made; names the path and the reason.
    """
    with _errors_of(path):
        path.mkdir(exist_ok=True)


@contextmanager
def _errors_of(path: Path) -> Iterator[None]:
    """What the operating system refuses, as an error that names the path."""
    try:
        yield
    except OSError as error:
        if isinstance(error, CcRapidsError):
            raise
        refused = OutputError(f"cannot write {path}: {error.strerror or error}")
        refused.errno, refused.filename = error.errno, str(path)
        raise refused from error


def _is_special(path: Path) -> bool:
    """Whether the path is there, behind all links, and neither a regular file nor a folder."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _descriptor(path: Path) -> int | None:
    """The descriptor of this process that a path such as ``/dev/stdout`` stands for.

    What it is open for may be a file without a name, or one that others write to as well.
    """
    name = os.path.abspath(path)
    for _ in range(_MOST_LINKS):
        folder, last = os.path.split(name)
        name = os.path.join(os.path.realpath(folder), last)
        found = _DESCRIPTOR.fullmatch(name)
        if found:
            ours = found[1] in ("self", "thread-self", str(os.getpid()))
            return int(found[3]) if ours else None
        if not os.path.islink(name):
            return None
        name = os.path.join(os.path.dirname(name), os.readlink(name))
    return None


@contextmanager
def _replaced(target: Path, sync: bool) -> Iterator[BinaryIO]:
    """A new file that takes the place of the target if all goes well, and else is removed."""
    draft = target.with_name(f".{target.name[:40]}.{secrets.token_hex(8)}.part")
    before = _stat(target)
    # A file that is to be as closed as the one before is not open to others for a moment
    mode = 0o666 if before is None else 0o600
    opened = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    held = os.dup(opened)  # and locked until it has its name, so that nobody tidies it away
    try:
        with suppress(OSError):  # some file systems know no locks
            fcntl.flock(held, fcntl.LOCK_EX)
        with open(opened, "wb") as stream:
            if before is not None:
                _hand_on(before, opened)
            yield stream
        if sync:
            _sync(draft)
        os.replace(draft, target)
        if sync:
            with suppress(OSError):  # some file systems cannot be asked
                _sync(target.parent)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    finally:
        os.close(held)


def _stat(path: Path) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _hand_on(before: os.stat_result, opened: int) -> None:
    """Give a new file the owner, group and mode of the one that it replaces, as far as allowed."""
    now, mode = os.fstat(opened), before.st_mode & 0o777
    if before.st_uid != now.st_uid:
        with suppress(OSError):
            os.fchown(opened, before.st_uid, -1)
    if before.st_gid != now.st_gid:
        try:
            os.fchown(opened, -1, before.st_gid)
        except OSError:
            # What its group could do is not for another group
            mode = (mode & 0o707) | ((mode & 0o007) << 3 & mode)
    os.fchmod(opened, mode)


def _sync(path: Path) -> None:
    """Wait until the disk has the content of a file, or the names in a folder."""
    opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


class _Through(FileIO):
    """A device or pipe as a file that only grows: it tells how much it got, and seeks nowhere."""

    def __init__(self, opened: int) -> None:
        super().__init__(opened, "w")
        self._written = 0

    def write(self, data: Any) -> int:
        size = super().write(data) or 0
        self._written += size
        return size

    def tell(self) -> int:
        return self._written

    def seekable(self) -> bool:
        return False

    def seek(self, offset: int, whence: int = 0) -> int:
        raise UnsupportedOperation("seek")


@contextmanager
def _through(path: Path, descriptor: int | None) -> Iterator[BinaryIO]:
    """What is there already, open for writing: nothing of it is cut off or replaced."""
    if descriptor is None:
        opened = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    else:
        opened = os.dup(descriptor)
    with BufferedWriter(_Through(opened)) as stream:
        yield cast(BinaryIO, stream)


@contextmanager
def _packed(raw: BinaryIO, pack: str) -> Iterator[BinaryIO]:
    """What is written comes packed into the file below."""
    if pack == ".gz":
        # No name and no time in it: the same edges make the same file
        with GzipFile("", "wb", 6, raw, mtime=0) as stream:
            yield cast(BinaryIO, stream)
    elif pack == ".zst":
        import pyarrow as pa

        with pa.CompressedOutputStream(pa.PythonFile(raw, "w"), "zstd") as stream:
            yield stream
    else:
        yield raw
