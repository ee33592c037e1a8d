"""Benchmark designs from the input to the labels, and check the answers.

Each timing consists of at least nine warm runs. If the input would fit into a cache, each run reads
another copy. Wall time and device time (from CUDA events) are reported separately, each with its
median, minimum and maximum. A peer solves the same input in the same process: SciPy on threads,
cuGraph on a GPU if it is installed. After all timing, answers are compared with sequential
union-find. The time of the design alone is compared with the shortest time in which the GPU can
transfer the minimum memory traffic of the design.
"""

from .cases import FORMS, IDS, Options, measure
from .timing import Times, clocked, environment, rotated, spread, timed, with_peak

__all__ = [
    "FORMS",
    "IDS",
    "Options",
    "Times",
    "clocked",
    "environment",
    "measure",
    "rotated",
    "spread",
    "timed",
    "with_peak",
]
