"""Benchmarks of designs, from the input to the labels, timed and checked.

Runs are warm, nine or more, and each reads another copy of the input if one would fit into a cache.
Wall time and device time (by CUDA events) are reported separately: median, minimum and maximum. A
peer solves the same input in the same process: SciPy on threads, cuGraph on a GPU where it is
installed. Answers are checked after all timing, against sequential union-find. The time of
the design alone is compared with the card's limit for its least memory traffic, which is computed.
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
