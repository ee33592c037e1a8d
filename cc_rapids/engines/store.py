"""A store of compiled kernels on disk, shared by all processes of a user.

A file is found by a key that names all that it was made from, so it is never out of date; it is
written under another name and moved into place, so that processes may write at once; and it
begins with a digest of its content, so that a broken one is noticed and made again.
"""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

log = logging.getLogger(__name__)


def folder() -> Path:
    """Where compiled kernels are kept: $CC_RAPIDS_CACHE, or cc_rapids in the user's cache."""
    named = os.environ.get("CC_RAPIDS_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cc_rapids"


def recall(key: str, make: Callable[[], bytes], suffix: str) -> bytes:
    """The content stored under ``key``, or what ``make()`` gives, which is stored first.

    ``key`` is any text that names everything the content depends on. A folder that cannot be
    written costs a log line and the time to make the content again in the next process.
    """
    name = hashlib.sha256(key.encode()).hexdigest()
    path = folder() / name[:2] / f"{name}{suffix}"
    content = _read(path)
    if content is None:
        content = make()
        try:
            _write(path, content)
        except OSError as error:
            log.warning("compiled kernels are not kept: %s (set CC_RAPIDS_CACHE)", error)
    return content


def _read(path: Path) -> bytes | None:
    try:
        stored = path.read_bytes()
    except OSError:
        return None
    digest, content = stored[:32], stored[32:]
    if hashlib.sha256(content).digest() == digest:
        return content
    log.warning("%s is broken and is made again", path)
    return None


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
