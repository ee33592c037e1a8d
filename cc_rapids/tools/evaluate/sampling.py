"""Solve edges in processes by iterated sampling: contract the components of a sample, and repeat.

Each process keeps a part of the edges. In each round, processes send samples of their remaining
edges to one process, the root, which finds the components of the sample. All processes replace the
ends of their edges by these components and drop loops. The rounds end when no edge is left.

This is the communication-avoiding algorithm of Gianinazzi, Kalvoda, De Palma, Besta and Hoefler
2018, on one machine. It follows their abstract and their program (github.com/PJK/
comm-avoiding-cuts-cc). Unlike the program, it does not renumber components after each round.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from .processes import Ends, Processes, SharedArray, attached, shared, start_processes

EPSILON, DELTA = 0.09, 0.2  # constants in the size of a sample, as in the authors' program


@dataclass(frozen=True)
class Sampling(Processes):
    """A pool of processes that contracts edges of the vertices 0 .. n - 1.

    Attributes
    ----------
    remaining : SharedArray
        The edges that remain, in an array of the shape of ``edges``. Those of a process begin where
        its part of ``edges`` begins.
    labels : SharedArray
        An array of shape (2, n). Row 0 has the component of each vertex in the last sample, and row
        1 its component in all samples so far.
    """

    remaining: SharedArray
    labels: SharedArray

    def forest(self) -> Ends:
        """Return an edge from each vertex to the least vertex of its component."""
        with attached(self.labels) as labels:
            labels[1] = np.arange(labels.shape[1])
        parts = self.parts()
        starts = [start for start, _ in parts]
        counts = [end - start for start, end in parts]
        source = self.edges  # in the first round; later rounds read the edges that remain
        while any(counts):
            sizes = sample_sizes(counts, self.labels.shape[1])
            samples = list(self.pool.map(draw_sample, repeat(source), starts, counts, sizes))
            self.pool.submit(solve_sample, samples, self.labels, self.design).result()
            arrays = repeat(source), repeat(self.remaining), repeat(self.labels)
            counts = list(self.pool.map(contract_edges, *arrays, starts, counts))
            source = self.remaining
        with attached(self.labels) as labels:
            # The least vertex of a component is its own label and needs no edge
            vertices = np.flatnonzero(labels[1] != np.arange(labels.shape[1]))
            return vertices.astype(labels.dtype), labels[1, vertices]


@contextmanager
def start_sampling(
    edges: Ends, n: int, count: int, design: str, threads: int = 1
) -> Iterator[Sampling]:
    """Copy edges to shared memory, and yield ``count`` processes that find their components.

    The ends of edges are vertices 0 .. n - 1.
    """
    dtype = edges[0].dtype
    with (
        start_processes(edges, count, design, threads) as processes,
        shared((2, edges[0].size), dtype) as remaining,
        shared((2, n), dtype) as labels,
    ):
        yield Sampling(processes.pool, count, processes.edges, design, remaining, labels)


def sample_sizes(counts: list[int], n: int) -> list[int]:
    """Return the sizes of the samples of all parts, in proportion to their numbers of edges.

    The sum is about n^(1 + EPSILON / 2) (1 + DELTA), or the number of all edges if it is less.
    """
    total = sum(counts)
    size = min(int(n ** (1 + EPSILON / 2) * (1 + DELTA)), total)
    return [-(-size * count // total) for count in counts]  # rounded up


def draw_sample(source: SharedArray, start: int, count: int, size: int) -> Ends:
    """Return ``size`` random edges, with repetition, from ``count`` edges that start at ``start``.

    If ``size`` is ``count``, return each of these edges once.
    """
    with attached(source) as edges:
        part = edges[:, start : start + count]
        if size < count:  # the seed differs by part, and by round because edges become fewer
            part = part[:, np.random.default_rng((start, count)).integers(0, count, size)]
        return part[0].copy(), part[1].copy()


def solve_sample(samples: list[Ends], label_array: SharedArray, design: str) -> None:
    """Find the components of the union of the samples, and store them in both rows of the labels.

    Row 0 gets the component of each vertex in the samples. Row 1 has the component of each vertex
    in earlier samples, which is replaced by the component that contains it now.
    """
    from ...api import components

    with attached(label_array) as labels:
        ends = [np.concatenate(columns) for columns in zip(*samples, strict=True)]
        result = components((ends[0], ends[1]), num_vertices=labels.shape[1], design=design)
        labels[0] = result.labels("min").labels
        labels[1] = labels[0, labels[1]]


def contract_edges(
    source: SharedArray, remaining: SharedArray, labels: SharedArray, start: int, count: int
) -> int:
    """Replace the ends of ``count`` edges by components of the last sample; drop self-loops.

    The edges are read from ``source`` and written to ``remaining``, in both arrays from ``start``.
    Return the number of edges that are left.
    """
    with (
        attached(source) as edges,
        attached(remaining) as kept_edges,
        attached(labels) as label_rows,
    ):
        src, dst = label_rows[0, edges[:, start : start + count]]
        is_left = src != dst
        size = int(is_left.sum())
        kept_edges[0, start : start + size] = src[is_left]
        kept_edges[1, start : start + size] = dst[is_left]
        return size
