"""Disk cache of compiled kernels, shared by all processes of one user.

The key of a file names everything that the content depends on, so a file is never out of date. A
file is written under another name and then renamed, so several processes may write at the same
time. Each file begins with a hash of its key and content. If the hash is wrong, the kernel is
compiled again.

The files contain machine code, which is executed. They are used only if this user owns the folder
and no other user may write to it. The folder is created with mode 0700.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import importlib.metadata
import logging
import os
import re
import stat
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

log: logging.Logger = logging.getLogger(__name__)

MAX_BYTES = 1 << 30  # default limit, without $CC_RAPIDS_CACHE_SIZE
KEPT_SHARE = 3 / 4  # share of the limit that remains after the oldest files are removed
UNCOUNTED_SHARE = 1 / 16  # share of the space left that is written before files are counted again
TOUCH_SECONDS = 3600  # seconds after which reading a file marks it as used again
ABANDONED_SECONDS = 3600  # seconds after which a file that was not renamed counts as abandoned
UNITS = {"": 1, "B": 1, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40}

_FORMAT = "3"  # version of the file format: a digest of key and content, and the content
_CACHE_FILE = re.compile(r"[0-9a-f]{64}\.\w+|new-\w+")  # a file, or one that is being written
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH

_logged: set[str] = set()  # keys of log lines already written
# For each folder, the bytes that may be written before files are counted again.
_bytes_left: dict[str, int] = {}


class _NotPrivateError(Exception):
    """Error for a folder that other users may write to; its message is the reason."""


@dataclass(frozen=True)
class Cache:
    """The state of the cache of compiled kernels."""

    path: str  # $CC_RAPIDS_CACHE, or cc_rapids in the user's cache
    files: int  # the number of files
    bytes: int  # the total size of the files
    bound: int  # the size limit, $CC_RAPIDS_CACHE_SIZE or 1 GiB; the oldest files are removed
    owner: int | None  # the user id of the folder's owner; None if there is no folder yet
    mode: str | None  # the folder's permissions, such as "0700"
    used: bool  # whether kernels are read from the cache and written to it
    why: str | None  # the reason if the cache is not used


def folder() -> Path:
    """Return the folder of compiled kernels: $CC_RAPIDS_CACHE, or one in the user's cache."""
    path = os.environ.get("CC_RAPIDS_CACHE")
    if path:
        return Path(path)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cc_rapids"


def bound() -> int:
    """Return the size limit in bytes: $CC_RAPIDS_CACHE_SIZE, such as "512MiB", or 1 GiB."""
    size = os.environ.get("CC_RAPIDS_CACHE_SIZE", "").strip()
    if not size:
        return MAX_BYTES
    match = re.fullmatch(r"(\d{1,15}(?:\.\d+)?)\s*(\w*)", size)
    if match and match[2].upper() in UNITS:
        return int(float(match[1]) * UNITS[match[2].upper()])
    _log_once(
        size,
        f"CC_RAPIDS_CACHE_SIZE={size!r} is not a size such as 512MiB or 2GiB: at most"
        f" {MAX_BYTES:,} bytes of compiled kernels are kept",
    )
    return MAX_BYTES


def recall(key: str, suffix: str) -> bytes | None:
    """Return the content stored under ``key``, which names everything that the content depends on.

    Return None if there is no file, or if it is damaged or not private to this user.
    """
    path = _path(key, suffix)
    try:
        _check_private()
        stored = path.read_bytes()
        if time.time() - path.stat().st_mtime > TOUCH_SECONDS:
            with contextlib.suppress(OSError):  # the file system may be read-only
                os.utime(path)
    except _NotPrivateError as error:
        _log_refusal(error)
        return None
    except OSError:
        return None
    digest, content = stored[:32], stored[32:]
    if _digest(key, content) == digest:
        return content
    log.warning("%s is damaged and is compiled again", path)
    return None


def keep(key: str, suffix: str, content: bytes) -> None:
    """Store the content under ``key`` for other processes.

    If the folder is not writable, or not private to this user, this is logged once, and each
    process compiles the kernel again.
    """
    stored = _digest(key, content) + content
    fits = len(stored) <= bound()
    try:
        if fits:
            folder().mkdir(0o700, parents=True, exist_ok=True)
        _check_private()
        if fits:
            _write(_path(key, suffix), stored)
        _trim(len(stored) if fits else 0)  # also if nothing is written: the limit may be lower now
    except _NotPrivateError as error:
        _log_refusal(error)
    except FileNotFoundError:
        log.debug("there is no store of compiled kernels, or another process has cleared it")
    except OSError as error:
        _log_once("kept", f"compiled kernels are not kept: {error} (set CC_RAPIDS_CACHE)")


def is_usable() -> bool:
    """Return whether kernels can be stored, without reading the folder."""
    try:
        _check_private()
    except FileNotFoundError:
        pass
    except (_NotPrivateError, OSError):
        return False
    return bound() > 0


def survey() -> Cache:
    """Inspect the cache without changing it or reading its files."""
    cache_folder, files = folder(), []
    why = None if bound() else "CC_RAPIDS_CACHE_SIZE is 0"
    try:
        _check_private()
        files = list(_files())
    except FileNotFoundError:
        pass
    except (_NotPrivateError, OSError) as error:
        why = str(error)
    owner = mode = None
    with contextlib.suppress(OSError):
        status = os.stat(cache_folder)
        owner, mode = status.st_uid, f"{stat.S_IMODE(status.st_mode):04o}"
    size = sum(file.size for file in files)
    return Cache(str(cache_folder), len(files), size, bound(), owner, mode, why is None, why)


def clear() -> tuple[int, int]:
    """Remove all files of the cache, and no others; return their number and bytes.

    Raise a PermissionError if the folder is not private to this user; nothing is removed then.
    """
    try:
        _check_private()
        removed = [file for file in _files() if _remove(file)]
    except FileNotFoundError:
        return 0, 0
    except _NotPrivateError as error:
        raise PermissionError(errno.EPERM, f"nothing was removed: {error}") from None
    return len(removed), sum(file.size for file in removed)


def recipe(*files: str) -> str:
    """Return a description of everything that machine code depends on, except the kernel.

    It contains the versions of libraries and a hash of the named files of this folder.
    """
    packages = [f"{name} {_version(name)}" for name in ("numba", "numba-cuda", "llvmlite")]
    return " ".join([*packages, source_of(*files)])


def source_of(*files: str) -> str:
    """Return a hash of the named files of this folder."""
    source = b"".join(Path(__file__).with_name(file).read_bytes() for file in files)
    return hashlib.sha256(source).hexdigest()


def _version(package: str) -> str:
    """Return the version of a package, or "none"."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def _path(key: str, suffix: str) -> Path:
    """Return the file for a key."""
    return folder() / (hashlib.sha256(f"{_FORMAT} {key}".encode()).hexdigest() + suffix)


def _digest(key: str, content: bytes) -> bytes:
    """Return a hash of key and content; a file that was renamed to another key is then invalid."""
    return hashlib.sha256(hashlib.sha256(key.encode()).digest() + content).digest()


def _log_once(topic: str, message: str) -> None:
    """Write a log line, once per process for each folder and problem."""
    key = f"{folder()} {topic}"
    if key not in _logged:
        _logged.add(key)
        log.warning("%s", message)


def _log_refusal(error: _NotPrivateError) -> None:
    """Log the reason why the folder is not used, once."""
    _log_once(
        "not ours",
        "compiled kernels that another user may have written are not loaded but compiled again:"
        f" {error} (or set CC_RAPIDS_CACHE to a folder that only you can write to)",
    )


def _check_private() -> None:
    """Raise an error if another user owns the folder, or may write to the folder."""
    path = folder()
    status = os.stat(path)
    if status.st_uid != os.geteuid():
        raise _NotPrivateError(f"{path} belongs to user {status.st_uid}, not to {os.geteuid()}")
    if status.st_mode & _WRITABLE_BY_OTHERS:
        mode = stat.S_IMODE(status.st_mode)
        reason = f"may be written by others (mode {mode:04o})"
        raise _NotPrivateError(f"{path} {reason}: chmod go-w {path}")


def _write(path: Path, stored: bytes) -> None:
    """Write a file under another name, and rename it."""
    handle, temporary = tempfile.mkstemp(prefix="new-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(stored)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


@dataclass(frozen=True)
class _File:
    """A file of the cache: where it is, when it was last used, and its size."""

    path: Path
    used: float
    size: int


def _files() -> Iterator[_File]:
    """Yield the files of the cache, including unfinished ones, but no others in the folder."""
    for entry in os.scandir(folder()):
        if _CACHE_FILE.fullmatch(entry.name):
            with contextlib.suppress(FileNotFoundError):  # another process has removed the file
                status = entry.stat(follow_symlinks=False)
                yield _File(Path(entry.path), status.st_mtime, status.st_size)


def _remove(file: _File) -> bool:
    """Remove a file; return whether this call removed it."""
    try:
        file.path.unlink()
    except OSError:
        return False
    return True


def _trim(written: int) -> None:
    """If the files exceed the limit, remove the least recently used ones down to ``KEPT_SHARE``.

    A process counts the files at its first write, and whenever it has written ``UNCOUNTED_SHARE``
    of the space that was left, so that several processes together stay within the limit.
    """
    cache_folder, max_bytes = str(folder()), bound()
    _bytes_left[cache_folder] = _bytes_left.get(cache_folder, 0) - written
    if _bytes_left[cache_folder] > 0:
        return
    files = sorted(_files(), key=lambda file: file.used)
    size, now = sum(file.size for file in files), time.time()
    if size > max_bytes:
        for file in files:
            age = now - file.used
            is_being_written = file.path.name.startswith("new-") and age < ABANDONED_SECONDS
            if size > KEPT_SHARE * max_bytes and not is_being_written and _remove(file):
                size -= file.size
    _bytes_left[cache_folder] = int(UNCOUNTED_SHARE * max(max_bytes - size, 0))
