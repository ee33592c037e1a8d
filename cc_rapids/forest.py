"""Forest: the solved forest, flat, and the rows of answers drawn from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from . import kernels
from .edges import Array
from .engines import Engine
from .kernels import answer
from .kernels.bits import BLOCK, WORD

RUN = 128  # values that one thread sums


@dataclass
class Forest:
    """A flat forest over the vertices 0 .. n - 1, some of which may not occur.

    Parameters
    ----------
    parent : (n,) array of uint32 or uint64
        The root of every vertex, which is the least of its tree.
    seen : (n + 31) // 32 words of uint32
        The vertices that occur, as bits.
    count : int
        How many vertices occur.
    engine : Engine
        Where the arrays lie.
    """

    parent: Array
    seen: Array
    count: int
    engine: Engine

    @property
    def n(self) -> int:
        """The number of vertices, whether they occur or not."""
        return int(self.parent.size)

    def rows(self, low: int, dtype: Any) -> tuple[Array, Array]:
        """The id of each vertex that occurs, and the least id of its component, ids from ``low``.

        Returns
        -------
        two new (count,) arrays of ``dtype``, in the order of the vertices
        """
        return self._gather(answer.least, low, dtype, dtype, *self._no_set)

    def dense(self) -> Array:
        """For each vertex that occurs the rank of its component, by least vertices: a new array."""
        words = self._fresh_set()
        kernel = kernels.kernel(answer.mark_roots, self.engine, self._vertex)
        kernel(self.n, self.parent, self.seen, words)
        roots = words, self._ranks(words)
        small = np.dtype(np.int32 if self.n <= 1 << 31 else np.int64)
        return self._gather(answer.dense, 0, self.parent.dtype, small, *roots)[1]

    @property
    def _vertex(self) -> Any:
        return self.parent.dtype.type

    def _gather(
        self, name: Any, low: int, ids: Any, labels: Any, roots: Array, before_roots: Array
    ) -> tuple[Array, Array]:
        engine = self.engine
        everyone = self.count == self.n
        before = self._no_set[1] if everyone else self._before
        row = answer.everyone if everyone else kernels.bits.rank
        parts = kernels.kernel(row, engine), kernels.kernel(name, engine)
        out = engine.empty(self.count, ids), engine.empty(self.count, labels)
        kernel = kernels.kernel(answer.gather, engine, self._vertex, *parts)
        kernel(self.n, self.parent, self.seen, before, low, roots, before_roots, *out)
        return out

    @cached_property
    def _before(self) -> Array:
        """The ranks of the vertices that occur."""
        return self._ranks(self.seen)

    @cached_property
    def _no_set(self) -> tuple[Array, Array]:
        """What stands for a set and its ranks where a kernel does not look at them."""
        return self.engine.empty(1, np.uint32), self.engine.empty(1, self.parent.dtype)

    def _fresh_set(self) -> Array:
        return self.engine.fill(self.engine.empty(-(-self.n // WORD), np.uint32), 0)

    def _ranks(self, words: Array) -> Array:
        """For each block of words of a set of vertices, how many of the set come before it."""
        blocks = -(-words.size // BLOCK)
        before = self.engine.empty(blocks + 1, self.parent.dtype)
        count = kernels.kernel(answer.count_blocks, self.engine)
        count(blocks, words.size, words, before)
        self._running_sum(before)
        return before

    def _running_sum(self, values: Array) -> None:
        """In place, in runs that one thread sums, and runs of their sums, and so on."""
        engine, size = self.engine, values.size
        runs = -(-size // RUN)
        sums = engine.empty(runs, values.dtype)
        kernels.kernel(answer.sum_runs, engine)(runs, RUN, size, values, sums)
        if runs > 1:
            self._running_sum(sums)
            kernels.kernel(answer.add_runs, engine)(size, RUN, sums, values)
