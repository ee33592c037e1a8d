"""Breadth-first search from one vertex, as a sample (BFS) and as an algorithm (BFS-CC).

step  : the distance between two indices of a thread, in a kernel whose threads loop.
depth : (n,) int32, the distance of each vertex from the source, or FAR.
queue, after : (n,) the vertices of the current and of the next depth, in any order.
d     : the next depth, which is that of the vertices visited in a launch.
sizes : [vertices, entries] of the next depth.
rest  : the further arguments of :func:`enqueue_vertex`, from ``after`` on.
out_of_range : as in :mod:`cc_rapids.kernels.forest`, set when an entry is not a vertex.

Hong et al. 2020, 3.3 and Algorithm 6; direction-optimising after Beamer et al. 2012; BFS-CC after
Shun and Blelloch 2013.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...kernels import giant
from ...kernels.csr_sampling import ONE, SWITCH
from ...kernels.edges import entries_of, every
from ...kernels.giant import LOW_WORD
from ...kernels.sampling import Sample
from ...kernels.spec import Step, sampling_rule, standalone_algorithm

ALPHA, BETA = 14, 24  # thresholds to search bottom-up, and top-down again: Beamer et al. 2012
FAR = np.int32(0x7F7F7F7F)  # four bytes of 0x7F, so that memory is filled by bytes
NO_VERTEX = np.uint64(2**64 - 1)


def enqueue_vertex(on: Any, vertex: type, record_hook: Any) -> Any:
    """Make the source the parent of a vertex, and append the vertex to the next queue."""
    add, entries = on.atomic_add, entries_of(on)

    @on.device
    def enqueue_vertex(w, e, source, offsets, indices, after, sizes, parent, hook_edge):
        first, last = entries(offsets, indices, w)
        parent[w] = vertex(source)
        after[np.uint64(add(sizes, 0, 1))] = vertex(w)
        add(sizes, 1, np.int64(last - first))
        record_hook(hook_edge, w, e)

    return enqueue_vertex


def from_above(on: Any, vertex: type, record_hook: Any) -> Any:
    """Visit the neighbours of the queue's vertices (top-down), a group of threads per row.

    A compare-and-swap decides which thread visits a vertex first.
    """
    cas, entries, threads_per_row = on.atomic_cas, entries_of(on), np.uint64(on.threads_per_row)
    visit = enqueue_vertex(on, vertex, record_hook)

    @on.elementwise
    def from_above(i, d, source, queue, out_of_range, depth, offsets, indices, *rest):
        v = np.uint64(queue[i // threads_per_row])
        e, last = entries(offsets, indices, v)
        e += i % threads_per_row
        while e < last:
            w = np.uint64(indices[e])
            if w >= np.uint64(depth.size):
                out_of_range[0] = 1
            elif depth[w] == FAR and cas(depth, w, FAR, np.int32(d)) == FAR:
                visit(w, e, source, offsets, indices, *rest)
            e += threads_per_row

    return from_above


def from_below(on: Any, vertex: type, record_hook: Any) -> Any:
    """Visit each unvisited vertex whose row has a neighbour in the queue (bottom-up).

    A neighbour is in the queue if its depth is ``d - 1``. Vertices that are visited in this launch
    have the depth ``d``.
    """
    visit, entries = enqueue_vertex(on, vertex, record_hook), entries_of(on)

    @on.elementwise
    def from_below(v, d, source, out_of_range, depth, offsets, indices, *rest):
        if depth[v] == FAR:
            e, last = entries(offsets, indices, v)
            while e < last:
                w = np.uint64(indices[e])
                if w >= np.uint64(depth.size):
                    out_of_range[0] = 1
                elif depth[w] == np.int32(d - 1):
                    depth[v] = np.int32(d)
                    visit(v, e, source, offsets, indices, *rest)
                    e = last
                e += ONE

    return from_below


def of_high_degree(on: Any) -> Any:
    """Find the probed vertex of highest degree: found_word = [degree << 32 | vertex]."""
    atomic_max, entries, probed = on.atomic_max, entries_of(on), giant.probed_vertex(on)

    @on.elementwise
    def of_high_degree(i, n, offsets, indices, found_word):
        v = probed(i, n)
        first, last = entries(offsets, indices, v)
        atomic_max(found_word, 0, ((last - first) << np.uint64(32)) | v)

    return of_high_degree


def next_source(on: Any) -> Any:
    """Find the least unvisited vertex with edges, and write it to ``found_word``."""
    block_min = on.block_reduce_min

    @on.grid_stride
    def next_source(v, n, step, offsets, depth, found_word):
        lowest = NO_VERTEX
        while v < n:
            if depth[v] == FAR and offsets[v] != offsets[v + ONE]:
                lowest = min(lowest, v)
            v += step
        block_min(found_word, 0, lowest)

    return next_source


def least_in_tree(on: Any) -> Any:
    """Find the least vertex whose parent is the source, and write it to ``found_word``."""
    block_min = on.block_reduce_min

    @on.grid_stride
    def least_in_tree(v, n, step, source, parent, found_word):
        lowest = NO_VERTEX
        while v < n:
            if parent[v] == np.uint64(source):
                lowest = min(lowest, v)
            v += step
        block_min(found_word, 0, lowest)

    return least_in_tree


def searcher(on: Any, vertex: type, record_hook: Any) -> Callable[..., None]:
    """Return a function ``search(state, depth, frontiers, source)`` for breadth-first search.

    ``frontiers`` are the two queues. ``record_hook`` records the edge by which a vertex is reached.
    """
    above, below = from_above(on, vertex, record_hook), from_below(on, vertex, record_hook)

    @on.elementwise
    def enqueue_source(i, source, queue, depth):
        queue[0], depth[np.uint64(source)] = vertex(source), np.int32(0)

    def search(state: Any, depth: Any, frontiers: list[Any], source: int) -> None:
        backend, n, (queue, after) = state.backend, state.n, frontiers
        parent, _, hook_edge = state.trees
        sizes = backend.empty(2, np.int64)
        enqueue_source(1, source, queue, depth)  # by one thread
        width, entries = 1, 0  # vertices and entries of the current level
        left_entries = state.m  # entries outside the earlier levels
        d, bottom_up = 0, False
        while width:
            d += 1
            if bottom_up:  # until the level is narrow
                bottom_up = width > n // BETA
            else:  # until the level has many of the entries left
                bottom_up = entries > left_entries // ALPHA
            rows = state.flags.out_of_range, depth, *state.csr.arrays
            arguments = *rows, after, backend.fill(sizes, 0), parent, hook_edge
            if bottom_up:
                below(n, d, source, *arguments)
            else:
                above(width * on.threads_per_row, d, source, queue, *arguments)
            left_entries -= entries
            width, entries = backend.to_host(sizes).tolist()
            queue, after = after, queue

    return search


def begin_search(state: Any, vertex: type) -> tuple[Any, list[Any], Any]:
    """Return new arrays for a search: the depths, all FAR; two queues; a word for a result."""
    backend, n = state.backend, state.n
    frontiers = [backend.empty(n, vertex) for _ in range(2)]
    return backend.fill(backend.empty(n, np.int32), 0x7F), frontiers, backend.empty(1, np.uint64)


@sampling_rule(
    "bfs",
    requires=("note",),
    options={"gather": SWITCH},
    needs="12 bytes per vertex for depths and queues",
    needs_csr=True,
    breadth_first=True,
    paper="BFS sampling, Hong et al. 2020, Algorithm 6",
)
def bfs(on: Any, vertex: type, record_hook: Any, gather: str) -> Sample:
    """Search from the probed vertex of highest degree, and make one tree of all vertices reached.

    The root is the least vertex reached. For a spanning forest, the search records the edge by
    which each vertex was reached. The source has no such edge. When the least vertex becomes the
    root, its edge becomes the edge of the source, because a root must have no edge.
    """
    search = searcher(on, vertex, record_hook)
    find_source, find_least = of_high_degree(on), least_in_tree(on)

    @on.elementwise
    def assign_min_root(v, source, least, parent):
        if parent[v] == np.uint64(source):
            parent[v] = vertex(least)

    def before(state: Any) -> None:
        backend, (parent, _, hook_edge) = state.backend, state.trees
        depth, frontiers, found_word = begin_search(state, vertex)
        find_source(giant.PROBES, state.n, *state.csr.arrays, backend.fill(found_word, 0))
        source = int(backend.to_host(found_word)[0]) & int(LOW_WORD)  # without the degree
        search(state, depth, frontiers, source)
        find_least(state.n, source, parent, backend.fill(found_word, 0xFF))
        least = int(backend.to_host(found_word)[0])
        assign_min_root(state.n, source, least, parent)
        if state.record_forest and least != source:
            hook_edge[source] = hook_edge[least]
            backend.fill(hook_edge[least : least + 1], 0xFF)

    return Sample(link=None, before=before, left=every(on), gather=gather == "on")


@standalone_algorithm(
    "bfs-cc",
    requires=("note",),
    needs="12 bytes per vertex for depths and queues; one search per component",
    needs_csr=True,
    breadth_first=True,
    iterative=False,
    paper="BFS-CC, Shun and Blelloch 2013; Hong et al. 2020, 4.2",
)
def bfs_cc(on: Any, vertex: type, record_hook: Any) -> Step:
    """Search from the least unvisited vertex, until all vertices are visited."""
    search, find_source = searcher(on, vertex, record_hook), next_source(on)

    def connect_rest(state: Any) -> None:
        backend, n = state.backend, state.n
        depth, frontiers, found_word = begin_search(state, vertex)
        while True:
            find_source(n, state.csr.offsets, depth, backend.fill(found_word, 0xFF))
            source = int(backend.to_host(found_word)[0])
            if source >= n:
                return
            search(state, depth, frontiers, source)

    return connect_rest
