"""Running sums of many numbers on a device."""

from __future__ import annotations

import numpy as np

from ..backends import SINGLE_BLOCK_THREADS, Array, Backend
from ..kernels import scan
from ..tuning import tuning

RUN = 32  # values that one thread sums


def running_sums(backend: Backend, values: Array) -> None:
    """Replace each of some unsigned integers by the sum of itself and all before it.

    One block of threads sums them; where they are many, runs that one thread sums each, whose sums
    are summed in the same way.
    """
    runs_of = []
    while values.size > tuning.single_block_sum:
        sums = backend.empty(-(-values.size // RUN), values.dtype)
        backend.kernel(scan.sum_runs)(sums.size, RUN, values.size, values, sums)
        runs_of.append((values, sums))
        values = sums
    scratch = backend.empty(SINGLE_BLOCK_THREADS, np.uint64)
    backend.kernel(scan.sum_all)(values.size, values, scratch)
    for values, sums in reversed(runs_of):
        backend.kernel(scan.add_runs)(values.size, RUN, sums, values)
