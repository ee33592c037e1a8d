"""Backends run kernels: on CPU threads, or on an NVIDIA GPU."""

from __future__ import annotations

import contextlib
import sys
from functools import cache
from typing import Any

from ..errors import EngineError, unknown, unsupported_python
from .base import (
    DEVICE_MEMORY,
    MEMORY,
    SINGLE_BLOCK_THREADS,
    Array,
    Backend,
    Kernel,
    SharedMemoryLimits,
)
from .memory.packing import Layout, Piece, pack_layout
from .peers import workers

__all__ = [
    "DEVICE_MEMORY",
    "ENGINES",
    "MEMORY",
    "SINGLE_BLOCK_THREADS",
    "WORDS",
    "Array",
    "Backend",
    "Kernel",
    "Layout",
    "Piece",
    "SharedMemoryLimits",
    "get",
    "named",
    "opened",
    "pack_layout",
    "release_memory",
]

ENGINES = ("threads", "cuda")
WORDS: dict[str, str | None] = {  # the engine of each value of ``engine=``
    "auto": None,  # leaves the choice open
    "cpu": "threads",
    "gpu": "cuda",
    "threads": "threads",
    "cuda": "cuda",
}


def named(word: Any) -> str | None:
    """Return the engine for a value of ``engine=``; None if it leaves the choice open.

    Raise an EngineError if the value is unknown.

    Examples
    --------
    >>> named("gpu"), named("auto")
    ('cuda', None)
    """
    if word is None:
        return None
    if not isinstance(word, str) or word not in WORDS:
        raise EngineError(unknown("engine", word, WORDS))
    return WORDS[word]


def get(name: str | None) -> Backend:
    """Return the backend for a value of ``engine=``; threads for ``"auto"`` and None.

    Raise an EngineError if the engine is unknown or this machine cannot run it.
    """
    return opened(named(name) or ENGINES[0])


Backend.by_name = staticmethod(get)  # base.py cannot import this module, which imports base.py


@cache
def opened(name: str) -> Backend:
    """Return the backend of an engine in ``ENGINES``; each process has one instance of it.

    Raise an EngineError if this machine, or this build of Python, cannot run the engine.
    """
    if refusal := unsupported_python():
        raise EngineError(refusal)
    if name == "threads":
        from .threads import Threads

        return Threads()
    from .cuda import open_backend

    return open_backend()


def release_memory() -> None:
    """Free the GPU memory that is cached between runs, and stop the worker threads of several GPUs.

    Without an RMM pool, the driver can take longer to allocate and free temporary memory than the
    kernels of a run take. Blocks of temporary memory are therefore cached, and runs of similar size
    reuse them. At most 1/32 of the memory of each device is cached, including blocks in use. A
    block is freed when blocks of other sizes need the space, after 64 allocations that did not
    reuse it, and when the driver runs out of memory. With an RMM pool or on CPU threads, nothing is
    cached. This function also frees the memory that each Connectivity keeps for its next batch.

    See Also
    --------
    cc_rapids.memory_bound : Return a bound on the bytes of a run.

    Examples
    --------
    >>> import cc_rapids
    >>> cc_rapids.release_memory()
    """
    workers.stop()
    if "cupy" in sys.modules:  # otherwise no GPU was used
        with contextlib.suppress(EngineError):  # CuPy is imported, but there is no GPU
            get("cuda").release_memory()
