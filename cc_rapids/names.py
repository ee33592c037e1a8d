"""Names: from vertices 0 .. n - 1 back to the ids that the caller gave.

Each kind has ``low`` and ``dtype``, what :meth:`Forest.rows` adds to a vertex and the type it
gives, and ``take``, which makes a column of the caller's ids of what the rows then hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .engines import Array, Engine


@dataclass(frozen=True)
class Offset:
    """Integer ids: vertex + low."""

    low: int
    dtype: np.dtype[Any]

    def take(self, ids: Array, engine: Engine) -> Array:
        """The ids themselves: nothing else was numbered."""
        return ids


@dataclass(frozen=True)
class Listed:
    """Integer ids: vertex v has the v-th of a sorted list, on the engine."""

    ids: Array
    dtype: np.dtype[Any]
    low: int = 0

    @classmethod
    def of(cls, ids: Array) -> Listed:
        """Names of a sorted array of distinct ids, which is kept."""
        return cls(ids, np.dtype(np.uint32 if ids.size <= 1 << 32 else np.uint64))

    def take(self, vertices: Array, engine: Engine) -> Array:
        """The ids of some vertices: a new array."""
        return self.ids[vertices]
