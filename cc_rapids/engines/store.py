"""A store of compiled kernels on disk, shared by all processes of a user.

A file is found by a key that names all that it was made from, so it is never out of date; it is
written under another name and moved into place, so that processes may write at once; and it
begins with a digest of its content, so that a broken one is noticed and made again.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import logging
import os
import tempfile
from pathlib import Path

log = logging.getLogger(__name__)


def folder() -> Path:
    """Where compiled kernels are kept: $CC_RAPIDS_CACHE, or cc_rapids in the user's cache."""
    named = os.environ.get("CC_RAPIDS_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cc_rapids"


def recall(key: str, suffix: str) -> bytes | None:
    """What was kept under ``key``, any text that names all that the content depends on.

    None if there is nothing, or if the file is broken.
    """
    path = _path(key, suffix)
    try:
        stored = path.read_bytes()
    except OSError:
        return None
    digest, content = stored[:32], stored[32:]
    if hashlib.sha256(content).digest() == digest:
        return content
    log.warning("%s is broken and is made again", path)
    return None


def keep(key: str, suffix: str, content: bytes) -> None:
    """Keep the content under ``key`` for other processes; a folder that cannot be written costs
    a log line, and the time to make the content again in the next process.
    """
    try:
        _write(_path(key, suffix), content)
    except OSError as error:
        log.warning("compiled kernels are not kept: %s (set CC_RAPIDS_CACHE)", error)


def recipe(*files: str) -> str:
    """What turns a kernel's text into machine code besides the text: versions, and our own code
    in these files of this folder.
    """
    packages = [f"{name} {_version(name)}" for name in ("numba", "numba-cuda", "llvmlite")]
    text = b"".join(Path(__file__).with_name(file).read_bytes() for file in files)
    return " ".join([*packages, hashlib.sha256(text).hexdigest()])


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def _path(key: str, suffix: str) -> Path:
    name = hashlib.sha256(key.encode()).hexdigest()
    return folder() / name[:2] / f"{name}{suffix}"


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(content).digest() + content)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
