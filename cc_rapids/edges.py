"""Edges: a checked edge list where an engine's kernels can read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any  # numpy.ndarray, or cupy.ndarray on a GPU


@dataclass(frozen=True)
class Edges:
    """An edge list over the vertices 0 .. n - 1; nothing in it is ever written.

    Parameters
    ----------
    src, dst : (m,) arrays of any integer types, on the engine that will run
        The ids of the two ends of each edge, every one in ``low .. low + n - 1``.
    low : int
        The id of vertex 0, between -2^63 and 2^63 - 1: unsigned ids from 2^63 count from -2^63.
    n : int
        The number of vertices that ids can name; not all of them need occur.
    """

    src: Array
    dst: Array
    low: int
    n: int

    @property
    def m(self) -> int:
        """The number of edges."""
        return int(self.src.size)

    @property
    def vertex(self) -> type:
        """The unsigned type that holds a vertex: 4 bytes where n fits them, otherwise 8."""
        return np.uint32 if self.n <= 1 << 32 else np.uint64
