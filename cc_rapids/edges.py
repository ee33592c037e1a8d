"""Edges: a checked edge list where an engine's kernels can read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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

    @property
    def m(self) -> int:
        """The number of edges."""
        return int(self.src.size)
