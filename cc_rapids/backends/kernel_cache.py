"""A cache of compiled kernels on disk, shared by all processes of one user only.

A file is found by a key that names everything that it was made from, so it is never out of date. It
is written under another name and renamed, so several processes may write at the same time. It
begins with a hash of its key and content, so a damaged file is detected and made again.

The files contain machine code, which is executed. So a file and its folders are used only if this
user owns them and nobody else may write to them; a folder above them may also belong to root, and
others may write to it only if its sticky bit prevents them from renaming files of other users.
Files and folders are opened without following links, and the checks are made on the opened files.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import importlib.metadata
import logging
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger(__name__)

MOST = 1 << 30  # bytes of all files, if $CC_RAPIDS_CACHE_SIZE does not say
FULL = 3 / 4  # of these are left when the oldest files have gone
UNSEEN = 1 / 16  # of the room that was left may be written before all files are counted again
USED = 3600  # seconds from which on a file that is read is marked as used again
LEFT = 3600  # seconds from which on a file that was not moved into place is a leftover
UNITS = {"": 1, "B": 1, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40}

_FORM = "2"  # of the files: a digest of key and content, and the content
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # and no waiting for a FIFO
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_PART, _KEPT = re.compile("[0-9a-f]{2}"), re.compile(r"[0-9a-f]{64}\.\w+|new-[0-9a-f]{16}")
_OTHERS = stat.S_IWGRP | stat.S_IWOTH

_logged: set[str] = set()  # keys of log lines already written
_rooms: dict[str, int] = {}  # by folder: what may be written before all files are counted again


class _OthersError(Exception):
    """Error for a file or folder that is not read; its message is the reason."""


@dataclass(frozen=True)
class Cache:
    """The state of the cache of compiled kernels.

    Attributes
    ----------
    path : str
        ``$CC_RAPIDS_CACHE``, or ``cc_rapids`` in the user's cache.
    files, bytes : int
        The files that it holds, and their sizes together.
    bound : int
        The bytes above which the oldest files go: ``$CC_RAPIDS_CACHE_SIZE``, or 1 GiB.
    owner : int or None
        The user id of the folder's owner; None if there is no folder yet.
    mode : str or None
        The folder's permissions, such as ``"0700"``.
    used : bool
        Whether kernels are read from it and written to it.
    why : str or None
        The reason if it is not used.
    """

    path: str
    files: int
    bytes: int
    bound: int
    owner: int | None
    mode: str | None
    used: bool
    why: str | None


def folder() -> Path:
    """Return the folder of compiled kernels: $CC_RAPIDS_CACHE, or one in the user's cache."""
    named = os.environ.get("CC_RAPIDS_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cc_rapids"


def bound() -> int:
    """Return the size limit in bytes: $CC_RAPIDS_CACHE_SIZE, such as "512MiB", or 1 GiB."""
    said = os.environ.get("CC_RAPIDS_CACHE_SIZE", "").strip()
    if not said:
        return MOST
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(\w*)", said)
    if found and found[2].upper() in UNITS:
        return int(float(found[1]) * UNITS[found[2].upper()])
    _log_once(
        said,
        f"CC_RAPIDS_CACHE_SIZE={said!r} is no size such as 512MiB or 2GiB: {MOST:,} bytes of"
        " compiled kernels are kept at most",
    )
    return MOST


def recall(key: str, suffix: str) -> bytes | None:
    """Return the content kept under ``key``, a text that names everything it depends on.

    Return None if there is no file, or if it is damaged or not private to this user.
    """
    part, name = _place(key, suffix)
    try:
        with _opened() as top, _inside(top, part) as within:
            stored = _read(within, name)
    except _OthersError as error:
        _refuse(error)
        return None
    except OSError:
        return None
    digest, content = stored[:32], stored[32:]
    if _digest(key, content) == digest:
        return content
    log.warning("%s is broken and is made again", folder() / part / name)
    return None


def keep(key: str, suffix: str, content: bytes) -> None:
    """Keep the content under ``key`` for other processes.

    If the folder cannot be written to, or is not private to this user, a line is logged, and each
    process makes the content again.
    """
    part, name = _place(key, suffix)
    stored = _digest(key, content) + content
    fits = len(stored) <= bound()
    try:
        with _opened(make=fits) as top:
            if fits:
                _tighten(top)
                with _inside(top, part, make=True) as within:
                    _write(within, name, stored)
            _trim(top, len(stored) if fits else 0)
    except _OthersError as error:
        _refuse(error)
    except FileNotFoundError:
        log.debug("there is no store of compiled kernels, or another process has cleared it")
    except OSError as error:
        _log_once("kept", f"compiled kernels are not kept: {error} (set CC_RAPIDS_CACHE)")


def survey() -> Cache:
    """Inspect the cache; nothing is made, changed or read into memory."""
    path, why, owner, mode, files = folder(), None, None, None, []
    try:
        with _opened() as top:
            files = list(_files(top))
    except FileNotFoundError:
        pass
    except (_OthersError, OSError) as error:
        why = str(error)
    if not (why or bound()):
        why = "CC_RAPIDS_CACHE_SIZE is 0"
    with contextlib.suppress(OSError):
        found = os.stat(path)
        owner, mode = found.st_uid, f"{stat.S_IMODE(found.st_mode):04o}"
    size = sum(file.size for file in files)
    return Cache(str(path), len(files), size, bound(), owner, mode, why is None, why)


def clear() -> tuple[int, int]:
    """Remove all files of the cache, and no others.

    Returns
    -------
    the number of removed files, and their bytes

    Raises
    ------
    PermissionError
        The folder is not private to this user; nothing was removed.
    """
    try:
        with _opened() as top:
            gone = [file for file in _files(top) if _remove(top, file)]
            for part in filter(_PART.fullmatch, os.listdir(top)):
                with contextlib.suppress(OSError):  # it is not empty, or another process was here
                    os.rmdir(part, dir_fd=top)
    except FileNotFoundError:
        return 0, 0
    except _OthersError as error:
        raise PermissionError(errno.EPERM, f"nothing was removed: {error}") from None
    return len(gone), sum(file.size for file in gone)


def recipe(*files: str) -> str:
    """Return a description of everything but the source that machine code depends on.

    It contains the versions of libraries, and a hash of our own code in some files of this folder.
    """
    packages = [f"{name} {_version(name)}" for name in ("numba", "numba-cuda", "llvmlite")]
    return " ".join([*packages, source_of(*files)])


def source_of(*files: str) -> str:
    """Return a hash of our own code in some files of this folder."""
    text = b"".join(Path(__file__).with_name(file).read_bytes() for file in files)
    return hashlib.sha256(text).hexdigest()


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def _place(key: str, suffix: str) -> tuple[str, str]:
    """Return the folder and the file name for a key."""
    name = hashlib.sha256(f"{_FORM} {key}".encode()).hexdigest()
    return name[:2], f"{name}{suffix}"


def _digest(key: str, content: bytes) -> bytes:
    """Return the hash of key and content, so that a file under another name is invalid."""
    return hashlib.sha256(hashlib.sha256(key.encode()).digest() + content).digest()


def _log_once(topic: str, words: str) -> None:
    """Write a log line, once per process for each folder and problem."""
    once = f"{folder()} {topic}"
    if once not in _logged:
        _logged.add(once)
        log.warning("%s", words)


def _refuse(error: _OthersError) -> None:
    _log_once(
        "not ours",
        "compiled kernels that another user may have written are not loaded but compiled again:"
        f" {error} (or set CC_RAPIDS_CACHE to a folder of your own)",
    )


@contextlib.contextmanager
def _opened(make: bool = False) -> Iterator[int]:
    """Open the folder of the cache, checked to be writable by this user only, and yield it."""
    path = Path(os.path.abspath(folder()))
    real = Path(os.path.realpath(path))
    for above in dict.fromkeys([*reversed(path.parents), *reversed(real.parents)]):
        if make and not os.path.lexists(above):
            _make(above)
        _check_above(above)
    if make:
        _make(real)
    if os.path.islink(path):
        _check_link(path)
    handle = os.open(real, _FOLDER)
    try:
        _check(handle, str(path))
        yield handle
    finally:
        os.close(handle)


def _make(path: str | Path, within: int | None = None) -> None:
    """Make a folder for this user only; another process may have been faster."""
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, 0o700, dir_fd=within)


@contextlib.contextmanager
def _inside(top: int, part: str, make: bool = False) -> Iterator[int]:
    """Open a folder inside the cache, checked like the cache itself, and yield it."""
    if make:
        _make(part, top)
    try:
        handle = os.open(part, _FOLDER, dir_fd=top)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise _OthersError(f"{folder() / part} is not a folder") from None
        raise
    try:
        _check(handle, str(folder() / part))
        yield handle
    finally:
        os.close(handle)


def _check(handle: int, path: str) -> os.stat_result:
    """Raise an error if another user owns or may write an open file or folder."""
    found = os.fstat(handle)
    if found.st_uid != os.geteuid():
        raise _OthersError(f"{path} belongs to user {found.st_uid}, not to {os.geteuid()}")
    if found.st_mode & _OTHERS:
        raise _OthersError(f"{path} {_writable(found)}: chmod go-w {path}")
    return found


def _check_above(path: Path) -> None:
    """Raise an error if another user may replace the folder from one above it."""
    found = os.lstat(path)
    if stat.S_ISLNK(found.st_mode):
        _check_link(path)
        return
    if found.st_uid not in (0, os.geteuid()):
        raise _OthersError(f"{path}, above {folder()}, belongs to user {found.st_uid}")
    if found.st_mode & _OTHERS and not found.st_mode & stat.S_ISVTX and not _private(found):
        raise _OthersError(f"{path}, above {folder()}, {_writable(found)}: chmod go-w {path}")


def _check_link(path: Path) -> None:
    owner = os.lstat(path).st_uid
    if owner not in (0, os.geteuid()):
        raise _OthersError(f"{path} is a link owned by user {owner}")


def _writable(found: os.stat_result) -> str:
    return f"may be written by others (mode {stat.S_IMODE(found.st_mode):04o})"


def _private(found: os.stat_result) -> bool:
    """Return whether the group that may write a folder consists of this user only.

    Systems make such a group for each user, and a umask of 002 then allows it.
    """
    import grp
    import pwd

    if found.st_mode & stat.S_IWOTH or not found.st_gid or not os.geteuid():
        return False
    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(found.st_gid)
    except KeyError:
        return False
    own = (group.gr_gid, group.gr_name) == (user.pw_gid, user.pw_name)
    return own and set(group.gr_mem) <= {user.pw_name}


def _tighten(top: int) -> None:
    """Remove the permissions of others for a folder that contains only the cache."""
    mode = stat.S_IMODE(os.fstat(top).st_mode)
    if mode & 0o077 and all(map(_PART.fullmatch, os.listdir(top))):
        os.fchmod(top, 0o700)


def _read(within: int, name: str) -> bytes:
    try:
        handle = os.open(name, _FILE, dir_fd=within)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _OthersError(f"{folder() / name[:2] / name} is a link") from None
        raise
    with os.fdopen(handle, "rb") as file:
        found = _check(handle, str(folder() / name[:2] / name))
        if not stat.S_ISREG(found.st_mode):
            raise _OthersError(f"{folder() / name[:2] / name} is not a file")
        if time.time() - found.st_mtime > USED:
            with contextlib.suppress(OSError):  # of a file system that cannot be written now
                os.utime(handle)
        return file.read()


def _write(within: int, name: str, stored: bytes) -> None:
    if stat.S_IMODE(os.fstat(within).st_mode) & 0o077:
        os.fchmod(within, 0o700)
    temporary = f"new-{secrets.token_hex(8)}"
    handle = os.open(temporary, _NEW, 0o600, dir_fd=within)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(stored)
        os.replace(temporary, name, src_dir_fd=within, dst_dir_fd=within)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=within)
        raise


@dataclass(frozen=True)
class _File:
    """A file of the cache: where it is, when it was last used, and its size."""

    part: str
    name: str
    used: float
    size: int


def _files(top: int) -> Iterator[_File]:
    """Yield the files of the cache, including unfinished ones.

    Other files in the folder are ignored.
    """
    for part in filter(_PART.fullmatch, os.listdir(top)):
        try:
            with _inside(top, part) as within:
                for name in filter(_KEPT.fullmatch, os.listdir(within)):
                    with contextlib.suppress(FileNotFoundError):  # another process has removed it
                        found = os.stat(name, dir_fd=within, follow_symlinks=False)
                        yield _File(part, name, found.st_mtime, found.st_size)
        except (_OthersError, OSError):
            continue


def _remove(top: int, file: _File) -> bool:
    """Remove a file; return whether this call removed it."""
    try:
        with _inside(top, file.part) as within:
            os.unlink(file.name, dir_fd=within)
    except (_OthersError, OSError):
        return False
    return True


def _trim(top: int, written: int) -> None:
    """Remove the least recently used files while their total size exceeds the limit.

    Each process counts the files at its first write, and again when it has written a certain part
    of the remaining space, so several processes together stay within the limit.
    """
    path, most = str(folder()), bound()
    _rooms[path] = _rooms.get(path, 0) - written
    if _rooms[path] > 0:
        return
    files = sorted(_files(top), key=lambda file: file.used)
    size, now = sum(file.size for file in files), time.time()
    if size > most:
        for file in files:
            on_its_way = file.name.startswith("new-") and now - file.used < LEFT
            if size > FULL * most and not on_its_way and _remove(top, file):
                size -= file.size
    _rooms[path] = int(UNSEEN * max(most - size, 0))
