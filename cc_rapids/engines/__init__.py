"""Engines run kernels: on CPU threads, on an NVIDIA GPU, or on Numba's simulator of one."""

from __future__ import annotations

from functools import cache

from ..catalog import unknown
from ..errors import EngineError
from .base import ALONE, MEMORY, Array, Engine, Kernel, Largest, side_by_side

__all__ = [
    "ALONE",
    "ENGINES",
    "MEMORY",
    "Array",
    "Engine",
    "Kernel",
    "Largest",
    "get",
    "side_by_side",
]

ENGINES = ("threads", "cuda")


@cache
def get(name: str) -> Engine:
    """The engine of that name; an EngineError if there is none or this machine cannot run it."""
    if name == "threads":
        from .threads import Threads

        return Threads()
    if name == "cuda":
        from .cuda import open_engine

        return open_engine()
    raise EngineError(unknown("engine", name, ENGINES))
