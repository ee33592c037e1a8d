"""Searches along the rows of an adjacency matrix, and a fixed point of its row maxima.

step   : the distance between two indices of a thread, in a kernel whose threads loop.
cells  : (n n,) the matrix, row after row: cell u n + v is 0 if there is no edge (u, v).
parent : (n,) unsigned, the labels.

The paper makes the matrix on the host, and copies it to the GPU or maps it there. Here a kernel
makes the matrix from the edges, in the requested kind of memory (see
:meth:`cc_rapids.backends.Backend.written`).

Lehr, Reinsperger and Rysavy 2022, 4.2 and 4.3.
"""

from typing import Any

import numpy as np

from ...kernels.spec import Step, standalone_algorithm

BLOCK_CELLS = 1 << 22  # cells of a matrix that are reduced together: 16 MiB, see papers.jsonl
ONE, NO_VERTEX = np.uint64(1), np.uint64(2**64 - 1)


def fill_cells(on: Any, read: Any) -> Any:
    """Set the two cells of an edge; duplicates store the same value."""

    @on.elementwise
    def fill_cells(e, src, dst, low, n, present, out_of_range, cells):
        u, v = read(e, src, dst, low, n, present, out_of_range)
        if u != v:
            cells[np.uint64(u) * np.uint64(n) + np.uint64(v)] = 1
            cells[np.uint64(v) * np.uint64(n) + np.uint64(u)] = 1

    return fill_cells


def matrix_of(state: Any, fill: Any, cell: type) -> Any:
    """Return the matrix, filled by the kernel ``fill``, in the kind of memory of the edges."""
    backend = state.backend

    def write(cells: Any) -> None:
        fill(state.m, *state.edges, state.n, *state.flags, backend.fill(cells, 0))

    return backend.written(state.memory, state.n * state.n, cell, write)


def next_unlabelled(on: Any) -> Any:
    """Find the first unlabelled vertex at or after ``start``, and write it to ``found_word``.

    Each search starts at the least unlabelled vertex, so a label is less than the other vertices of
    its component. So a vertex v >= ``start`` is unlabelled if and only if v is its own parent.
    """
    block_min = on.block_reduce_min

    @on.grid_stride
    def next_unlabelled(v, n, step, start, parent, found_word):
        next_vertex = NO_VERTEX
        while v < n:
            if v >= np.uint64(start) and parent[v] == v:
                next_vertex = min(next_vertex, v)
            v += step
        block_min(found_word, 0, next_vertex)

    return next_unlabelled


def look_along(on: Any, vertex: type) -> Any:
    """Test cell v of the rows of queue[first:last], one row after the other, for an edge to v.

    A thread stores only to its own vertex and to the place in the queue that it has reserved. No
    other thread reads these words during the launch. Only the count is shared.
    """
    add = on.atomic_add

    @on.elementwise
    def look_along(v, first, last, start, n, cells, queue, parent, count):
        k, stop = np.uint64(first), np.uint64(last)
        if v <= np.uint64(start) or parent[v] != v:
            return  # v has a label
        while k < stop:
            if cells[np.uint64(queue[k]) * np.uint64(n) + v] != 0:
                parent[v] = vertex(start)
                queue[np.uint64(add(count, 0, 1))] = vertex(v)
                return
            k += ONE

    return look_along


@standalone_algorithm(
    "dense",
    requires=("read",),
    label_arrays=(1, 0),
    bytes_per_vertex_pair=1,
    needs="one byte per pair of vertices for the adjacency matrix; launches for each component",
    paper="dense matrix, Lehr et al. 2022, 4.2",
)
def dense(on: Any, vertex: type, read: Any) -> Step:
    """Label all vertices reachable from the first unlabelled vertex, with one thread per column.

    Launches are repeated for each component. A launch processes the rows of all vertices that the
    previous launch found. Each thread reads its own column of one row after another, so adjacent
    threads read adjacent cells.
    """
    fill, look = fill_cells(on, read), look_along(on, vertex)
    find_start = next_unlabelled(on)

    def connect_rest(state: Any) -> None:
        backend, n, parent = state.backend, state.n, state.trees.parent
        cells, queue = matrix_of(state, fill, np.uint8), backend.empty(n, vertex)
        found_word, count = backend.empty(1, np.uint64), backend.empty(1, np.int64)
        start = 0
        while True:
            find_start(n, start, parent, backend.fill(found_word, 0xFF))
            start = int(backend.to_host(found_word)[0]) if n else 0
            if start >= n:
                return
            queue[:1] = start
            first, last = 0, 1  # the bounds of the current level in the queue
            count[:] = 1
            while first < last:
                look(n, first, last, start, n, cells, queue, parent, count)
                first, last = last, int(backend.to_host(count)[0])
            start += 1

    return connect_rest


@standalone_algorithm(
    "matrix-fixpoint",
    requires=("read",),
    root_is_min=False,
    label_arrays=(4, 0),
    bytes_per_vertex_pair=4,
    needs="4 bytes per pair of vertices for the matrix; a pass over it for each step of a path",
    paper="fixed point by Thrust, Lehr et al. 2022, 4.3",
)
def matrix_fixpoint(on: Any, vertex: type, read: Any) -> Step:
    """Replace each nonzero cell (u, v) by the maximum of row v, until no row's maximum rises.

    At first, the cell (u, v) of an edge is v + 1. A maximum only rises, and only to the number of a
    vertex in the same component, so the loop ends. The label is the component's highest vertex. A
    kernel fills the matrix, and the backend's array library does all other work, in blocks of rows.
    """
    fill = fill_cells(on, read)

    def connect_rest(state: Any) -> None:
        n, parent, xp = state.n, state.trees.parent, state.backend.xp
        cells = matrix_of(state, fill, vertex).reshape(n, n)
        labels, block_rows = xp.arange(1, n + 1, dtype=vertex), max(BLOCK_CELLS // max(n, 1), 1)
        blocks = [cells[first : first + block_rows] for first in range(0, n, block_rows)]
        for block in blocks:
            block *= labels  # the cell (u, v) of an edge is 1, and becomes v + 1
        previous, maxima = labels, xp.zeros(n, vertex)  # unequal, so that the loop begins
        while bool((previous != maxima).any()):
            previous = maxima
            for block in blocks:
                xp.maximum(block, xp.where(block != 0, previous, vertex(0)), out=block)
            maxima = xp.concatenate([block.max(axis=1) for block in blocks])
        # a vertex without an edge has the maximum 0, and keeps its own label
        parent[:] = xp.where(maxima != 0, maxima, labels) - vertex(1)

    return connect_rest
