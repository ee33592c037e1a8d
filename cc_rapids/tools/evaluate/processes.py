"""Solve edges in processes: each process makes a forest, and forests are merged in pairs.

This is the method of Balduzzi et al. 2018, section 2, on one machine. Unlike in the paper,
processes send only edges of forests. As in the paper, the edges are in shared memory before the
clock starts, and each process runs one thread or several.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.shared_memory import SharedMemory
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import numpy.typing as npt

Ends = tuple[npt.NDArray[Any], npt.NDArray[Any]]


class SharedArray(NamedTuple):
    """An array in shared memory."""

    name: str
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Processes:
    """A pool of ``count`` processes that solves the edges in ``place`` by one design."""

    pool: ProcessPoolExecutor
    count: int
    place: SharedArray
    design: str

    def parts(self) -> list[tuple[int, int]]:
        """Return the first and the past-the-end edge of each process; sizes differ by at most 1."""
        cuts = [self.place.shape[1] * k // self.count for k in range(self.count + 1)]
        return list(itertools.pairwise(cuts))

    def forest(self) -> Ends:
        """Return a spanning forest, merged in pairs from the forests of the parts of the edges."""
        tasks = [(self.place, *part, self.design) for part in self.parts()]
        # map() takes one sequence for each parameter, so the tasks are transposed
        forests = list(self.pool.map(_forest_of_part, *zip(*tasks, strict=True)))
        while len(forests) > 1:
            pairs = list(zip(forests[::2], forests[1::2], strict=False))
            # The last of an odd number of forests waits for the next round
            odd = forests[2 * len(pairs) :]
            merged = self.pool.map(
                _forest_of_two, *zip(*pairs, strict=True), [self.design] * len(pairs)
            )
            forests = [*merged, *odd]
        return forests[0]


@contextmanager
def shared(shape: tuple[int, ...], dtype: Any) -> Iterator[SharedArray]:
    """Allocate an array in shared memory, which is freed at the end of the context."""
    dtype = np.dtype(dtype)
    memory = SharedMemory(create=True, size=max(int(np.prod(shape)) * dtype.itemsize, 1))
    try:
        yield SharedArray(memory.name, shape, dtype.str)
    finally:
        memory.close()
        memory.unlink()


@contextmanager
def attached(array: SharedArray) -> Iterator[npt.NDArray[Any]]:
    """Yield an array in shared memory, without copying; do not keep views of it."""
    memory = SharedMemory(array.name)
    try:
        yield np.ndarray(array.shape, array.dtype, buffer=memory.buf)
    finally:
        memory.close()


@contextmanager
def sharing(edges: Ends, count: int, design: str, threads: int = 1) -> Iterator[Processes]:
    """Copy edges to shared memory, and yield processes that read them.

    Both arrays of ends have the same length and type. ``threads`` is the number of threads of each
    process.
    """
    with shared((2, edges[0].size), edges[0].dtype) as place:
        with attached(place) as columns:
            columns[:] = edges
        context = multiprocessing.get_context("spawn")
        with (
            mock.patch.dict(os.environ, CC_RAPIDS_THREADS=str(threads)),
            ProcessPoolExecutor(count, context) as pool,
        ):
            yield Processes(pool, count, place, design)


def _forest_of_part(array: SharedArray, start: int, end: int, design: str) -> Ends:
    """Return a spanning forest of the edges ``start .. end - 1`` in shared memory."""
    with attached(array) as columns:
        return _forest(columns[:, start:end], design)


def _forest_of_two(first_forest: Ends, second_forest: Ends, design: str) -> Ends:
    """Return a spanning forest of the edges of two forests."""
    return _forest(
        [np.concatenate(pair) for pair in zip(first_forest, second_forest, strict=True)], design
    )


def _forest(columns: Any, design: str) -> Ends:
    """Return a spanning forest of edges whose ends are the two columns."""
    from ...api import spanning_forest

    forest = spanning_forest((columns[0], columns[1]), design=design)
    return forest.source, forest.destination
