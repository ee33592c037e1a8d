"""Benchmarks of designs, from the input to the labels, timed and checked.

Runs are warm, nine or more, and each on another copy of the input where one would fit a cache. Wall
time and device time (by CUDA events) are told apart, medians with the least and the greatest. A
peer solves the same input in the same process: SciPy on threads, cuGraph on a GPU where it is
installed. Answers are checked after all timing, against sequential union-find. Next to the time of
the design alone stands what it has to move, counted on paper, as a part of the card's limit.
"""

from .cases import FORMS, IDS, Options, measure
from .timing import Times, environment, rotated, spread, timed, with_peak

__all__ = [
    "FORMS",
    "IDS",
    "Options",
    "Times",
    "environment",
    "measure",
    "rotated",
    "spread",
    "timed",
    "with_peak",
]
