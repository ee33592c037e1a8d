"""Backends run kernels: on CPU threads, on an NVIDIA GPU, or on Numba's simulator of one."""

from __future__ import annotations

import contextlib
import sys
from functools import cache

from ..errors import EngineError, unknown
from .base import MEMORY, SINGLE_BLOCK_THREADS, Array, Backend, Kernel, SharedMemoryLimits
from .memory.packing import Layout, Piece, side_by_side

__all__ = [
    "ENGINES",
    "MEMORY",
    "SINGLE_BLOCK_THREADS",
    "Array",
    "Backend",
    "Kernel",
    "Layout",
    "Piece",
    "SharedMemoryLimits",
    "get",
    "opened",
    "release_memory",
    "side_by_side",
]

ENGINES = ("threads", "cuda")


def get(name: str) -> Backend:
    """Return the backend of that name.

    Raise an EngineError if it does not exist or this machine cannot run it.
    """
    if not isinstance(name, str) or name not in ENGINES:
        raise EngineError(unknown("engine", name, ENGINES))
    return opened(name)


@cache
def opened(name: str) -> Backend:
    """Return the backend of a name that is one of ``ENGINES``; one a process."""
    if name == "threads":
        from .threads import Threads

        return Threads()
    from .cuda import open_backend

    return open_backend()


def release_memory() -> None:
    """Free the GPU memory that is kept between runs.

    If cuDF's memory comes from the driver without a pool, allocating the memory of a forest takes
    longer than some of its kernels. So one block of at most 128 MiB per device is kept after a run,
    and serves the next run of about that size; a run of another size frees it first. With a pool,
    and on CPU threads, nothing is kept.

    See Also
    --------
    cc_rapids.memory_bound : Return the most bytes that a run takes.

    Examples
    --------
    >>> import cc_rapids
    >>> cc_rapids.release_memory()
    """
    if "cupy" in sys.modules:  # or no GPU was used
        with contextlib.suppress(EngineError):
            get("cuda").release_memory()
