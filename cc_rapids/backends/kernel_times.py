"""Time spent on preparing kernels: compiled once per machine, and loaded once per process.

Backends report this time. Callers who time a call can then subtract it from the time of the call.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from time import perf_counter

from . import compile_bar

log: logging.Logger = logging.getLogger(__name__)

COMPILING = "compiling kernels for this machine, once"


@dataclass
class KernelTimes:
    """Time spent on compiling and loading kernels in a context of :func:`watched`."""

    seconds: float = 0.0  # wall seconds in which kernels were compiled or loaded from the cache
    compiled: int = 0  # the number of kernels that were compiled
    # called before the first kernel is compiled, in place of a bar
    on_compile: Callable[[], object] | None = None


_lock = threading.Lock()
_watching: list[KernelTimes] = []
_announced = threading.Event()  # set after the first announcement of this process


@contextmanager
def watched(on_compile: Callable[[], object] | None = None) -> Iterator[KernelTimes]:
    """Return a context that records the times of all kernels compiled or loaded in it."""
    times = KernelTimes(on_compile=on_compile)
    with _lock:
        _watching.append(times)
    try:
        yield times
    finally:
        with _lock:
            _watching[:] = [other for other in _watching if other is not times]  # not by ==


@contextmanager
def preparing() -> Iterator[None]:
    """Return a context whose duration is added to the seconds of all watchers."""
    started = perf_counter()
    try:
        yield
    finally:
        seconds = perf_counter() - started
        with _lock:
            for times in _watching:
                times.seconds += seconds


@contextmanager
def compiling() -> Iterator[None]:
    """Return a context in which a kernel is compiled; count the kernel, and announce the first.

    The first kernel of a process is logged. Without a callback, a bar is shown if this takes long.
    """
    with _lock:
        at_first_kernel = [times for times in _watching if not times.compiled]
        for times in _watching:
            times.compiled += 1
        has_callback = any(times.on_compile is not None for times in _watching)
        is_logged = _announced.is_set()
        _announced.set()
    if not is_logged:
        log.info(COMPILING)
    for times in at_first_kernel:
        if times.on_compile is not None:
            times.on_compile()
    with nullcontext() if has_callback else compile_bar.shown_while(COMPILING):
        yield
