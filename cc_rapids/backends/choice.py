"""Choose an engine for edges in files.

The GPU is chosen if its estimated time is lower, including the import of libraries and the loading
of kernels in this process. The constants are from measurements on an H100 and on two CPU cores.
They need not be exact, because the two estimates differ widely for most files.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec

IMPORT_SECONDS = 4.0  # to import cuDF, CuPy and numba-cuda
LOAD_SECONDS = 0.2  # to load kernels that an earlier process has compiled
GPU_RATE = 1e9  # edges per second
THREADS_RATE = 30e6  # edges per second
DRIVERS = ("/dev/nvidiactl", "/dev/dxg")  # on Linux, and on the Windows Subsystem for Linux


@dataclass(frozen=True)
class EngineChoice:
    """The chosen engine and the reason."""

    engine: str
    reason: str


@cache
def has_gpu() -> bool:
    """Return whether a driver and the libraries for a GPU seem to be installed; import nothing."""
    return any(map(os.path.exists, DRIVERS)) and all(map(find_spec, ("cudf", "cupy")))


def choose(edges: float | None, rate: float = THREADS_RATE) -> EngineChoice:
    """Return the engine that is estimated to be faster for a number of edges in files.

    ``edges`` is None if the number is unknown before the files are read. ``rate`` is the throughput
    of this machine's threads in edges per second.

    Examples
    --------
    >>> choose(None).engine
    'threads'
    """
    if not has_gpu():
        return EngineChoice("threads", "no GPU with cuDF was found")
    if edges is None:
        return EngineChoice("threads", "the number of edges is unknown before they are read")
    startup = (0 if "cudf" in sys.modules else IMPORT_SECONDS) + LOAD_SECONDS
    threads_seconds, gpu_seconds = edges / rate, startup + edges / GPU_RATE
    return EngineChoice(
        "cuda" if gpu_seconds < threads_seconds else "threads",
        f"about {threads_seconds:,.1f} s on threads, and {gpu_seconds:,.1f} s on the GPU with"
        " startup",
    )
