"""Time warm runs on inputs that are not in a cache, with device time separate from wall time."""

from __future__ import annotations

import datetime
import importlib.metadata
import math
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from ...backends import Array, Backend

PACKAGES = ("numpy", "scipy", "numba", "numba-cuda", "cupy-cuda13x", "cudf-cu13", "cugraph-cu13")
BEYOND_CACHE = 4  # the total size of the copies of an input, in units of the size of the cache


def environment(device: str, commit: str) -> dict[str, Any]:
    """Return the common fields of records: device, versions, commit, date and load."""
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    return {
        "device": device,
        "cpus": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "versions": versions,
        "commit": commit,
        "date": date,
    }


def spread(times: Sequence[float]) -> dict[str, float]:
    """Return the median, minimum and maximum of times in milliseconds."""
    return {
        "median": round(statistics.median(times), 4),
        "least": round(min(times), 4),
        "greatest": round(max(times), 4),
        "runs": len(times),
    }


@dataclass(frozen=True)
class Times:
    """The milliseconds of each run after a warm-up, and the result of the last run.

    ``device`` has the times from an event before the work to an event after it, so idle gaps of the
    device count; None if the backend has no device.
    """

    wall: list[float]
    device: list[float] | None
    answer: Any

    def facts(self, what: str) -> dict[str, Any]:
        """Return the spreads of times, named ``{what}_wall_ms`` and ``{what}_device_ms``."""
        facts = {f"{what}_wall_ms": spread(self.wall)}
        return facts if self.device is None else facts | {f"{what}_device_ms": spread(self.device)}


def clocked(backend: Backend, work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return the wall time and device time of a call in milliseconds, and its result.

    The device is synchronized before the clock stops. On CPU threads, both times are wall times.
    """
    backend.synchronize()
    started, start_mark = time.perf_counter(), backend.mark()
    answer = work()
    end_mark = backend.mark()
    backend.synchronize()
    wall = 1e3 * (time.perf_counter() - started)
    return wall, backend.elapsed(start_mark, end_mark), answer


def timed(
    backend: Backend,
    work: Callable[[Any], Any],
    inputs: Sequence[Any],
    runs: int,
    patience: float = float("inf"),
    min_runs: int = 3,
) -> Times:
    """Time runs of ``work(input)``, each on the next of the inputs, after one warm-up run.

    Once ``min_runs`` runs are timed, no run starts later than ``patience`` seconds after the first.
    """
    wall: list[float] = []
    device: list[float] = []
    answer, started = None, time.perf_counter()
    for k in range(runs + 1):  # run 0 is the warm-up
        if k > min_runs and time.perf_counter() - started > patience:
            break
        answer = None  # frees the memory of the last answer before the next run
        run_input = inputs[k % len(inputs)]
        wall_ms, device_ms, answer = clocked(backend, partial(work, run_input))
        wall.append(wall_ms)
        device.append(device_ms)
    return Times(wall[1:], device[1:] if backend.on_device else None, answer)


def rotated(backend: Backend, arrays: tuple[Array, ...], runs: int) -> list[tuple[Array, ...]]:
    """Return the arrays and enough copies that runs on each in turn miss the cache.

    The copies take about BEYOND_CACHE times the size of the last-level cache. No more copies are
    made than there are runs, and fewer if memory is short. Records should therefore include the
    number of copies.
    """
    size = max(sum(array.nbytes for array in arrays), 1)
    needed = min(runs + 1, 1 + math.ceil(BEYOND_CACHE * backend.cache_bytes() / size))
    fitting = 1 + backend.free_bytes() // 4 // size  # in a quarter of the free memory
    count = max(1, min(needed, fitting))
    copies = [tuple(array.copy() for array in arrays) for _ in range(count - 1)]
    # Fill the cache with other bytes, because cached copies would speed up the first runs
    backend.fill(backend.empty(BEYOND_CACHE * backend.cache_bytes(), np.uint8), 0)
    backend.synchronize()
    return [arrays, *copies]


def with_peak(backend: Backend, work: Callable[[], Any]) -> tuple[Any, int | None]:
    """Run the work; return its result, and its peak allocation in bytes (None without RMM)."""
    if not (backend.on_device and find_spec("rmm")):
        return work(), None
    import rmm
    import rmm.statistics

    resource = rmm.mr.get_current_device_resource()
    rmm.statistics.enable_statistics()  # replaces the current resource by one that counts
    try:
        with rmm.statistics.statistics():
            answer = work()
            backend.synchronize()
            return answer, int(rmm.statistics.get_statistics().peak_bytes)
    finally:
        rmm.mr.set_current_device_resource(resource)
