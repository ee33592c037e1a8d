"""Thrifty label propagation: plant the least label at the hub, and skip vertices that have it.

labels : (n,) unsigned, one array for all rounds (unified labels), shared by all threads: at first 0
         for the vertex of highest degree (zero planting), and v + 1 for all other vertices v.
         Labels only fall, so the rounds end. They are stored in the array of the forest's parents,
         and the last launch replaces them by parents.
offsets, indices : an adjacency list with both directions of each edge.
queue  : (n,) the vertices whose label has fallen in the previous round.
queued : (n,) uint32, the last round in which a vertex was put into the queue.
sizes  : [vertices, entries] of the next queue.
out_of_range : as in :mod:`cc_rapids.kernels.forest`, set when an entry is not a vertex.

Koohi Esfahani, Kilpatrick and Vandierendonck 2021.
"""

from typing import Any

import numpy as np

from ...kernels.csr_sampling import ONE
from ...kernels.edges import entries_of
from ...kernels.spec import Step, standalone_algorithm

# all vertices pull while the queued vertices and their entries, divided by the number of all
# entries, exceed the authors' value
DENSITY = 0.01


def plant(on: Any, vertex: type) -> Any:
    """Write the first labels: 0 for the hub, and v + 1 for every other vertex v."""

    @on.elementwise
    def plant(v, hub, labels):
        labels[v] = vertex(0) if v == np.uint64(hub) else vertex(v + ONE)

    return plant


def pull(on: Any, vertex: type) -> Any:
    """Take the least label of the neighbours; skip vertices with label 0 (zero convergence).

    Allowed race: a neighbour's label may fall after it is read. The neighbour is then in the queue,
    which is pushed after the last pull. After each earlier pull, all vertices pull again. Only the
    thread of a vertex stores to its label.
    """
    add, entries = on.atomic_add, entries_of(on)

    @on.elementwise
    def pull(v, offsets, indices, out_of_range, labels, queue, sizes):
        label = labels[v]
        least = label
        first, last = entries(offsets, indices, v)
        e = first
        while e < last and least != vertex(0):
            w = np.uint64(indices[e])
            if w < np.uint64(labels.size):
                least = min(least, labels[w])
            else:
                out_of_range[0] = 1
            e += ONE
        if least < label:
            labels[v] = least
            queue[np.uint64(add(sizes, 0, 1))] = vertex(v)
            add(sizes, 1, np.int64(last - first))

    return pull


def push(on: Any, vertex: type) -> Any:
    """Lower the labels of the queue's neighbours, a group of threads per row, and queue each once.

    The thread that lowers a label puts the vertex into the next queue, even if the vertex is in the
    current queue and has been processed. So at the start of a round, if the endpoints of an edge
    have different labels, the endpoint with the smaller label is in the queue. Allowed race: a
    thread may push a label that has fallen.
    """
    low, high, add = on.atomic_min, on.atomic_max, on.atomic_add
    entries, group = entries_of(on), np.uint64(on.threads_per_row)

    @on.elementwise
    def push(i, round_number, queue, offsets, indices, out_of_range, labels, queued, after, sizes):
        v = np.uint64(queue[i // group])
        label = labels[v]
        e, last = entries(offsets, indices, v)
        e += i % group
        while e < last:
            w = np.uint64(indices[e])
            if w >= np.uint64(labels.size):
                out_of_range[0] = 1
            elif (
                label < labels[w]
                and label < low(labels, w, label)
                and high(queued, w, np.uint32(round_number)) < np.uint32(round_number)
            ):  # the label of w has fallen, and no thread has queued w in this round
                after[np.uint64(add(sizes, 0, 1))] = vertex(w)
            e += group

    return push


def to_vertices(on: Any, vertex: type) -> Any:
    """Replace each label by the vertex that it was planted at."""

    @on.elementwise
    def to_vertices(v, hub, labels):
        labels[v] = vertex(hub) if labels[v] == vertex(0) else vertex(labels[v] - vertex(1))

    return to_vertices


@standalone_algorithm(
    "thrifty",
    needs_csr=True,
    root_is_min=False,
    label_arrays=(3, 0),
    needs="12 bytes per vertex for queues",
    paper="Thrifty label propagation, Koohi Esfahani et al. 2021",
)
def thrifty(on: Any, vertex: type) -> Step:
    """Push label 0 from the hub, pull while many labels fall, and then push from a queue.

    The authors make the queue by one more pull. Here every pull writes the queue.
    """
    plant_labels, write_parents = plant(on, vertex), to_vertices(on, vertex)
    pull_labels, push_labels = pull(on, vertex), push(on, vertex)

    def connect_rest(state: Any) -> None:
        backend, n, labels, csr = state.backend, state.n, state.trees.parent, state.csr
        if n == 0:
            return
        queue, after = (backend.empty(n, vertex) for _ in range(2))
        queued = backend.fill(backend.empty(n, np.uint32), 0)
        sizes = backend.empty(2, np.int64)
        adjacency_and_labels = *csr.arrays, state.flags.out_of_range, labels
        hub = int(backend.xp.argmax(csr.offsets[1:] - csr.offsets[:-1]))
        queue_length = round_number = 1

        def push_queue() -> int:
            """Push the labels of the queue; return the length of the next queue."""
            arguments = *adjacency_and_labels, queued, after, backend.fill(sizes, 0)
            push_labels(queue_length * on.threads_per_row, round_number, queue, *arguments)
            return int(backend.to_host(sizes)[0])

        plant_labels(n, hub, labels)
        queue[:1] = hub
        push_queue()  # all vertices pull next, so the next queue is not needed
        dense = True
        while dense:
            pull_labels(n, *adjacency_and_labels, queue, backend.fill(sizes, 0))
            queue_length, entries = backend.to_host(sizes).tolist()
            dense = queue_length + entries > DENSITY * state.m
        while queue_length:
            round_number += 1
            queue_length = push_queue()
            queue, after = after, queue
        write_parents(n, hub, labels)

    return connect_rest
