"""Solve edges in single-threaded processes: each makes a forest, and forests are merged in pairs.

This is the method of Balduzzi et al. 2018, section 2, on one machine. Unlike in the paper,
processes send only edges of forests. As in the paper, the edges are in shared memory before the
clock starts.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.shared_memory import SharedMemory
from typing import Any
from unittest import mock

import numpy as np
import numpy.typing as npt

Ends = tuple[npt.NDArray[Any], npt.NDArray[Any]]
Place = tuple[str, int, str]  # shared memory: its name, and the length and type of two columns


class Processes:
    """A pool of processes that solves edges in shared memory by one design."""

    pool: ProcessPoolExecutor
    count: int
    place: Place
    design: str

    def __init__(self, pool: ProcessPoolExecutor, count: int, place: Place, design: str) -> None:
        self.pool, self.count, self.place, self.design = pool, count, place, design

    def forest(self) -> Ends:
        """Return a spanning forest as two columns, merged in pairs from forests of equal parts."""
        m = self.place[1]
        cuts = [m * k // self.count for k in range(self.count + 1)]
        parts = [(self.place, *cuts[k : k + 2], self.design) for k in range(self.count)]
        forests = list(self.pool.map(_of_part, *zip(*parts, strict=True)))
        while len(forests) > 1:
            pairs = list(zip(forests[::2], forests[1::2], strict=False))
            odd = forests[2 * len(pairs) :]
            merged = self.pool.map(_of_two, *zip(*pairs, strict=True), [self.design] * len(pairs))
            forests = [*merged, *odd]
        return forests[0]


@contextmanager
def sharing(edges: Ends, count: int, design: str) -> Iterator[Processes]:
    """Copy two arrays of one length and type to shared memory, and yield processes that read it."""
    src, dst = edges
    size = max(2 * src.nbytes, 1)
    memory = SharedMemory(create=True, size=size)
    place = memory.name, src.size, src.dtype.str
    try:
        for column, copy in zip((src, dst), _columns(memory, place), strict=True):
            copy[:] = column
        context = multiprocessing.get_context("spawn")
        with mock.patch.dict(os.environ, CC_RAPIDS_THREADS="1"):
            pool = ProcessPoolExecutor(count, context)
            with pool:
                yield Processes(pool, count, place, design)
    finally:
        memory.close()
        memory.unlink()


def _columns(memory: SharedMemory, place: Place) -> Sequence[npt.NDArray[Any]]:
    """Return the two columns of ends in shared memory, without copying."""
    _, m, dtype = place
    both = np.ndarray((2, m), dtype, buffer=memory.buf)
    return both[0], both[1]


def _of_part(place: Place, first: int, last: int, design: str) -> Ends:
    """Return a spanning forest of the edges ``first .. last - 1`` in shared memory."""
    memory = SharedMemory(place[0])
    try:
        return _forest([column[first:last] for column in _columns(memory, place)], design)
    finally:
        memory.close()


def _of_two(one: Ends, other: Ends, design: str) -> Ends:
    """Return a spanning forest of the edges of two forests."""
    return _forest([np.concatenate(pair) for pair in zip(one, other, strict=True)], design)


def _forest(columns: Sequence[npt.NDArray[Any]], design: str) -> Ends:
    """Return a spanning forest of two columns."""
    from ...api import spanning_forest

    forest = spanning_forest((columns[0], columns[1]), design=design)
    return forest.source, forest.destination
