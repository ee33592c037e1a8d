"""Owner: the thread of the highest vertex of each component searches the whole component.

offsets, indices : the rows; every edge occurs in the rows of both endpoints.
visits           : (n (n + 1) / 2,) unsigned. Thread v owns v + 1 words, starting at v (v + 1) / 2.
          These words suffice, because the thread never stores a vertex above v.
parent           : (n,) unsigned; finally the owner of each vertex.
out_of_range     : as in :mod:`cc_rapids.kernels.forest`, set when an entry is not a vertex.

A thread stops when it reaches a vertex above its own vertex. One thread per component remains, so
the search of a single component is sequential.

Lehr, Reinsperger and Rysavy 2022, 4.1.
"""

from typing import Any

import numpy as np

from ...kernels.csr_sampling import ONE
from ...kernels.edges import entries_of
from ...kernels.primitives import none_of
from ...kernels.spec import Step, standalone_algorithm

SEARCHES = 64  # searches that a CPU thread starts at a time, see papers.jsonl


def search_to_labels(on: Any, vertex: type) -> Any:
    """Search from v, and raise the label of each visited vertex to v; ``visits`` is the work list.

    The label of a vertex is the highest v whose thread has visited it. If the label is v, the
    vertex is on the list already. If the label is higher, thread v is not an owner and stops. If
    the label is lower, thread v raises the label and visits the vertex. Labels only rise, by atomic
    maxima. A stale read shows a lower label, and the atomic maximum then returns the current label.
    The owner meets no higher label. It raises the label of each vertex of its component once, also
    labels of threads that have stopped, and visits the vertex once. So its words of ``visits`` are
    enough, and its search ends.
    """
    atomic_max, entries = on.atomic_max, entries_of(on)

    @on.elementwise
    def search_to_labels(v, offsets, indices, visits, parent, out_of_range):
        head = (v * (v + ONE)) >> ONE
        queued = head + ONE
        visits[head] = vertex(v)
        while head < queued:
            u = np.uint64(visits[head])
            e, last = entries(offsets, indices, u)
            while e < last:
                w = np.uint64(indices[e])
                if w >= np.uint64(parent.size):
                    out_of_range[0] = 1
                # a vertex above v ends the search, like a label above v
                label = v + ONE if w > v else np.uint64(parent[w])
                if label < v:
                    label = np.uint64(atomic_max(parent, w, vertex(v)))
                    if label < v:
                        visits[queued] = vertex(w)
                        queued += ONE
                if label > v:
                    return
                e += ONE
            head += ONE

    return search_to_labels


def search_to_lists(on: Any, vertex: type) -> Any:
    """Search from v, and keep the component as a linked list in ``visits``.

    ``visits[w]`` is the vertex after w, or w itself if w is the last vertex of the list. The list
    begins with v. Vertices after the current vertex are not visited yet. Each thread has its own
    words of ``visits``, where NONE marks a vertex that is not in the list, so no atomic operations
    are needed. If the search ends, v is the highest vertex of its component, so no other thread
    labels the vertices of the list.
    """
    none, entries = none_of(vertex), entries_of(on)

    @on.elementwise
    def search_to_lists(v, offsets, indices, visits, parent, out_of_range):
        base = (v * (v + ONE)) >> ONE  # where the words of the thread start
        u, tail, end = v, v, v + ONE  # ``end`` comes after the tail, and is no vertex of the list
        visits[base + v] = vertex(v)
        while u != end:
            e, last = entries(offsets, indices, u)
            while e < last:
                w = np.uint64(indices[e])
                if w >= np.uint64(parent.size):
                    out_of_range[0] = 1
                if w > v:
                    return
                if visits[base + w] == none:
                    visits[base + tail], visits[base + w] = vertex(w), vertex(w)
                    tail = w
                e += ONE
            u = end if u == tail else np.uint64(visits[base + u])
        parent[v], u = vertex(v), v
        while u != tail:
            u = np.uint64(visits[base + u])
            parent[u] = vertex(v)

    return search_to_lists


@standalone_algorithm(
    "owner",
    options={"output": ("labels", "lists")},
    variants=("owner", "owner(output=lists)"),
    root_is_min=False,
    bytes_per_vertex_pair=2,
    needs_csr=True,
    needs="2 bytes per pair of vertices for the work lists of the threads",
    iterative=False,
    paper="one thread a component, Lehr et al. 2022, 4.1",
)
def owner(on: Any, vertex: type, output: str) -> Step:
    """Search from all vertices in parallel; only the highest vertex of a component finishes.

    With ``output=labels``, all threads raise the labels of one vector by atomic operations. With
    ``output=lists``, each thread keeps a list of the vertices that it visits, and the owner finally
    labels the vertices of its list. The paper's work list has n words, or n booleans, per thread;
    here thread v has v + 1 words.
    """
    make = {"labels": search_to_labels, "lists": search_to_lists}[output]
    search = make(on, vertex)
    search.together = SEARCHES  # indices per chunk of a CPU thread

    def connect_rest(state: Any) -> None:
        backend, n = state.backend, state.n
        visits = backend.empty(n * (n + 1) // 2, vertex)
        if output == "lists":
            backend.fill(visits, 0xFF)
        search(n, *state.csr.arrays, visits, state.trees.parent, state.flags.out_of_range)

    return connect_rest
