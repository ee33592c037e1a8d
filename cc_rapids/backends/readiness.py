"""The readiness of the common kernels of CPU threads, and the process that compiles them.

Until the kernels are compiled, short lists are solved by NumPy, SciPy and PyArrow, so that calls do
not wait for the compiler. Another process, of lowest priority, compiles the kernels into the kernel
cache, and then adds a mark to the cache; it may outlive the process that started it. A thread would
hold the GIL most of the time, and Python could not exit while the thread is in the compiler.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from . import kernel_cache, objects

WAIT = "CC_RAPIDS_WAIT_FOR_COMPILER"  # environment variable; if set, calls wait and compile
PRIORITY = 19  # for os.nice(): the lowest priority
SUFFIX = ".ready"  # of the mark in the kernel cache
CHECK_SECONDS = 0.05  # seconds between two checks for the mark
SOURCES = "backends", "kernels", "algorithms", "graph", "ids"  # folders that determine kernels
COMPILE = f"""
import os, sys
os.nice({PRIORITY})
sys.path[:] = sys.argv[1:]
from cc_rapids.tools.ahead import compile_common
compile_common()
"""


class Readiness:
    """The state of the common kernels in this process, and the process that compiles them."""

    def __init__(self) -> None:
        self.ready: bool = False
        self.checked_at: float = float("-inf")
        self.child: int | None = None  # the process id; None before the first try, 0 if that failed

    def is_ready(self) -> bool:
        """Return whether calls use kernels, because these can be loaded or WAIT is set."""
        if not self.ready and time.monotonic() - self.checked_at > CHECK_SECONDS:
            calls_wait = os.environ.get(WAIT, "0") not in ("", "0")
            self.ready = calls_wait or objects.are_usable()
            self.ready = self.ready or kernel_cache.recall(_key(), SUFFIX) is not None
            self.checked_at = time.monotonic()
            if self.child:  # if the process has ended, collect its exit status
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(self.child, os.WNOHANG)
        return self.ready

    def compile_in_background(self) -> None:
        """Start the process that compiles, if the kernel cache is usable; try this only once."""
        if self.ready or self.child is not None or not sys.executable:
            return
        self.child = 0
        if not kernel_cache.is_usable():
            return
        argv = [sys.executable, "-c", COMPILE, *sys.path]
        to_devnull = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in range(3)]
        with contextlib.suppress(OSError):
            self.child = os.posix_spawn(sys.executable, argv, os.environ, file_actions=to_devnull)


common: Readiness = Readiness()


def mark() -> None:
    """Record that the common kernels are in the kernel cache."""
    kernel_cache.keep(_key(), SUFFIX, b"")


@contextlib.contextmanager
def compile_lock() -> Iterator[bool]:
    """Return a context that tries to lock compilation for this user.

    Its value is True if this process holds the lock, and False if another process does.
    """
    folder = kernel_cache.folder()
    folder.mkdir(0o700, parents=True, exist_ok=True)
    with open(folder / "compiling", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True


@cache
def _key() -> str:
    """Return the key of the mark in the kernel cache.

    The key changes with the files in SOURCES, the versions of libraries and the processor.
    """
    package = Path(__file__).parents[1]
    files = [entry for name in SOURCES for entry in os.scandir(package / name) if entry.is_file()]
    stats = sorted((entry.path, entry.stat().st_size, entry.stat().st_mtime_ns) for entry in files)
    digest = hashlib.sha256(repr(stats).encode()).hexdigest()
    name, flags = objects.processor()
    return f"common kernels {kernel_cache.recipe()} {digest} {name} {sorted(flags)}"
