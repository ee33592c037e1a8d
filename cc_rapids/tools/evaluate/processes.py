"""Solve edges in processes: each process makes a forest, and forests are merged in pairs.

This is the method of Balduzzi et al. 2018, section 2, on one machine. Unlike in the paper,
processes send only edges of forests. As in the paper, the edges are in shared memory before the
clock starts, and each process runs one thread or several.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise, repeat
from multiprocessing.shared_memory import SharedMemory
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import numpy.typing as npt

Ends = tuple[npt.NDArray[Any], npt.NDArray[Any]]  # the sources and destinations of edges


class SharedArray(NamedTuple):
    """The name of a block of shared memory, with the shape and type of the array in it."""

    name: str
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Processes:
    """A pool of ``count`` processes that find spanning forests of ``edges`` by one design."""

    pool: ProcessPoolExecutor
    count: int
    edges: SharedArray  # of shape (2, m)
    design: str

    def parts(self) -> list[tuple[int, int]]:
        """Return the range of edges of each process, as (start, end); sizes differ by at most 1."""
        cuts = [self.edges.shape[1] * k // self.count for k in range(self.count + 1)]
        return list(pairwise(cuts))

    def forest(self) -> Ends:
        """Return a spanning forest, merged in pairs from the forests of the parts of the edges."""
        edges, design = repeat(self.edges), repeat(self.design)
        forests = list(self.pool.map(_forest_of_part, edges, self.parts(), design))
        while len(forests) > 1:
            # The last of an odd number of forests has no partner, and waits for the next round
            odd = forests[-1:] if len(forests) % 2 else []
            merged = self.pool.map(_forest_of_two, forests[::2], forests[1::2], design)
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
def start_processes(edges: Ends, count: int, design: str, threads: int = 1) -> Iterator[Processes]:
    """Copy edges to shared memory, and yield ``count`` processes that read them.

    Both arrays of ends have the same length and type. ``threads`` is the number of threads of each
    process.
    """
    with shared((2, edges[0].size), edges[0].dtype) as shared_edges:
        with attached(shared_edges) as columns:
            columns[:] = edges
        context = multiprocessing.get_context("spawn")
        # The new processes inherit the variable; at the end, it gets its earlier value again
        with (
            mock.patch.dict(os.environ, CC_RAPIDS_THREADS=str(threads)),
            ProcessPoolExecutor(count, context) as pool,
        ):
            yield Processes(pool, count, shared_edges, design)


def _forest_of_part(edges: SharedArray, part: tuple[int, int], design: str) -> Ends:
    """Return a spanning forest of a range of the edges in shared memory, given as (start, end)."""
    with attached(edges) as columns:
        return _forest(columns[:, slice(*part)], design)


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
