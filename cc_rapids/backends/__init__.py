"""Backends run kernels: on CPU threads, or on an NVIDIA GPU."""

from __future__ import annotations

import contextlib
import sys
from functools import cache
from typing import Any

from ..errors import EngineError, unknown, unsupported_python
from .base import MEMORY, SINGLE_BLOCK_THREADS, Array, Backend, Kernel, SharedMemoryLimits
from .memory.packing import Layout, Piece, pack_layout
from .peers import workers

__all__ = [
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
WORDS = {"auto": None, "cpu": "threads", "gpu": "cuda", "threads": "threads", "cuda": "cuda"}


def named(word: Any) -> str | None:
    """Return the name of an engine for a word of ``engine=``; None for None and ``"auto"``.

    Raise an EngineError if it is no such word.

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
    """Return the backend of a word of ``engine=``; threads for ``"auto"`` and None.

    Raise an EngineError if it does not exist or this machine cannot run it.
    """
    return opened(named(name) or ENGINES[0])


Backend.by_name = staticmethod(get)


@cache
def opened(name: str) -> Backend:
    """Return the backend of a name that is one of ``ENGINES``; one a process.

    Raise an EngineError if this machine, or this build of Python, cannot run it.
    """
    if refusal := unsupported_python():
        raise EngineError(refusal)
    if name == "threads":
        from .threads import Threads

        return Threads()
    from .cuda import open_backend

    return open_backend()


def release_memory() -> None:
    """Free the GPU memory that is kept between runs, and end the threads of several GPUs.

    If cuDF's memory comes from the driver without a pool, allocating and freeing what a run needs
    beside its answer takes longer than some of its kernels. So these blocks are kept after a run,
    and serve the next runs of about that size: at most a 32nd of the memory of each device, those
    in use included. They are freed when runs of other sizes need the room, when 64 later blocks
    were of other sizes, and when the driver has no memory left for a run. With a pool, and on CPU
    threads, nothing is kept. What a Connectivity keeps for its next batch goes with it.

    See Also
    --------
    cc_rapids.memory_bound : Return the most bytes that a run takes.

    Examples
    --------
    >>> import cc_rapids
    >>> cc_rapids.release_memory()
    """
    workers.stop()
    if "cupy" in sys.modules:  # or no GPU was used
        with contextlib.suppress(EngineError):
            get("cuda").release_memory()
