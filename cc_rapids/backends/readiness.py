"""The state of the common kernels of CPU threads, and a process that compiles them.

Until the kernels are compiled, short lists are solved by NumPy, SciPy and PyArrow, so that calls do
not wait for the compiler. A process of lowest priority compiles the kernels into the kernel cache
and then writes a mark to the cache. It may outlive this process. It is not a thread: a thread would
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
PRIORITY = 19
SUFFIX = ".ready"
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
        self.child: int | None = None  # the process id; 0 if no process could be started

    def is_ready(self) -> bool:
        """Return whether calls use kernels: they can be loaded, or calls wait for the compiler."""
        if not self.ready and time.monotonic() - self.checked_at > CHECK_SECONDS:
            waits = os.environ.get(WAIT, "0") not in ("", "0")
            self.ready = waits or objects.are_usable()
            self.ready = self.ready or kernel_cache.recall(_key(), SUFFIX) is not None
            self.checked_at = time.monotonic()
            if self.child:  # collect the exit status, if the process that compiles has ended
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(self.child, os.WNOHANG)
        return self.ready

    def compile_in_background(self) -> None:
        """Start the process that compiles, if its kernels can be stored; try this only once."""
        if self.ready or self.child is not None or not sys.executable:
            return
        self.child = 0
        if not kernel_cache.is_usable():
            return
        argv = [sys.executable, "-c", COMPILE, *sys.path]
        silent = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in range(3)]
        with contextlib.suppress(OSError):
            self.child = os.posix_spawn(sys.executable, argv, os.environ, file_actions=silent)


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
    """Return the key of the mark.

    It changes with the files of the package, the versions of libraries and the processor.
    """
    package = Path(__file__).parents[1]
    files = [entry for name in SOURCES for entry in os.scandir(package / name) if entry.is_file()]
    stats = sorted((entry.path, entry.stat().st_size, entry.stat().st_mtime_ns) for entry in files)
    digest = hashlib.sha256(repr(stats).encode()).hexdigest()
    name, flags = objects.processor()
    return f"common kernels {kernel_cache.recipe()} {digest} {name} {sorted(flags)}"
