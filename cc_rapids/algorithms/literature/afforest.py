"""Afforest: link two neighbours of each vertex, then only the rows outside the giant component.

parent : (n,) unsigned, pi in the paper, shared by all threads; parent[v] <= v always.
offsets, indices : an adjacency list with both directions of each edge.

Sutton, Ben-Nun and Barak 2018. ``kout+afforest`` is the same algorithm composed of the parts of
GConn; a test checks that both give the same trees after each phase.
"""

from typing import Any

import numpy as np

from ...kernels import giant
from ...kernels.csr_sampling import link_neighbour
from ...kernels.edges import entries_of
from ...kernels.find import naive
from ...kernels.spec import Step, standalone_algorithm
from ...kernels.union import afforest as link_rule
from .sutton import multi_jumps

ONE = np.uint64(1)


def link_entry(on: Any, vertex: type) -> Any:
    """Return the function that links a vertex and the neighbour in an entry of its row.

    No spanning forest is recorded, so the function uses neither ``hook_edge`` nor the entry e.
    """
    link = link_rule(on, vertex)

    @on.device
    def join(parent, aux, hook_edge, u, v, e):
        link(parent, aux, u, v)

    return link_neighbour(on, vertex, join)


def link_one(on: Any, vertex: type) -> Any:
    """Link each vertex and its ``r``-th neighbour."""
    entries, link = entries_of(on), link_entry(on, vertex)

    @on.elementwise
    def link_one(v, r, offsets, indices, *trees_and_flag):
        first, last = entries(offsets, indices, v)
        e = first + np.uint64(r)
        if e < last:
            link(v, e, indices, *trees_and_flag)

    return link_one


def link_outside(on: Any, vertex: type) -> Any:
    """Link each vertex outside the giant component to its ``r``-th and all later neighbours.

    An edge occurs in the rows of both endpoints. Both rows are skipped only if both endpoints point
    at the same root, and then the edge is redundant.
    """
    entries, link = entries_of(on), link_entry(on, vertex)

    @on.elementwise
    def link_outside(v, r, giant_root, offsets, indices, parent, aux, hook_edge, out_of_range):
        if parent[v] == vertex(giant_root):
            return
        first, last = entries(offsets, indices, v)
        e = first + np.uint64(r)
        while e < last:
            link(v, e, indices, parent, aux, hook_edge, out_of_range)
            e += ONE

    return link_outside


def phases(on: Any, vertex: type, rounds: int) -> tuple[Step, Step]:
    """Return the steps of both phases: link the sample, and link the remaining edges."""
    link_first, link_rest = link_one(on, vertex), link_outside(on, vertex)
    compress = multi_jumps(on)
    probe, elect = giant.probe(on, naive(on)), giant.most_frequent(on)

    def sample(state: Any) -> None:
        flag = state.flags.out_of_range
        for r in range(rounds):
            link_first(state.n, r, *state.csr.arrays, *state.trees, flag)
            compress(state)

    def finish(state: Any) -> None:
        backend, n, parent = state.backend, state.n, state.trees.parent
        probes, root_mask = giant.PROBES, (1 << int(giant.COUNT_SHIFT)) - 1
        roots = backend.empty(probes, parent.dtype)
        root_word = backend.fill(backend.empty(1, np.int64), 0)
        probe(probes, n, parent, roots)
        elect(probes, roots, root_word)
        giant_root = int(backend.to_host(root_word)[0]) & root_mask  # the other bits are a count
        link_rest(n, rounds, giant_root, *state.csr.arrays, *state.trees, state.flags.out_of_range)
        compress(state)

    return sample, finish


@standalone_algorithm(
    "afforest-2018",
    needs_csr=True,
    options={"rounds": 2},
    paper="Afforest, Sutton et al. 2018",
)
def afforest(on: Any, vertex: type, rounds: int) -> Step:
    """Link neighbours in rounds, skip the giant component, and link the other rows."""
    sample, finish = phases(on, vertex, rounds)

    def connect_rest(state: Any) -> None:
        if state.n:
            sample(state)
            finish(state)

    return connect_rest
