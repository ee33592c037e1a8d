"""Edges: a checked edge list where an engine's kernels can read it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

Array = Any  # numpy.ndarray, or cupy.ndarray on a GPU


@dataclass(frozen=True)
class Edges:
    """An edge list; nothing in it is ever written.

    Parameters
    ----------
    src, dst : (m,) arrays of any integer types, on the engine that will run
        The ids of the two ends of each edge; vertex v has the id ``low + v``.
    low : int
        The id of vertex 0, between -2^63 and 2^63 - 1: unsigned ids from 2^63 count from -2^63.
    """

    src: Array
    dst: Array
    low: int

    def wide_for(self, n: int) -> Any:
        """The narrowest unsigned type that tells ids within n of the lowest from all others."""
        short = max(self.src.dtype.itemsize, self.dst.dtype.itemsize) <= 4
        return np.uint32 if short and n < 1 << 32 else np.uint64

    def backwards(self) -> Edges:
        """The same arrays, read from the last edge to the first.

        Trees that grow at their least vertex, as those of a list whose ids fall, grow by one edge
        at a time, for which all threads wait.
        """
        return replace(self, src=self.src[::-1], dst=self.dst[::-1])

    @property
    def m(self) -> int:
        """The number of edges."""
        return int(self.src.size)
