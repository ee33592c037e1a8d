"""ECL-CC: start at the first smaller neighbour, hook by compare-and-swap, and flatten.

parent : (n,) unsigned, shared by all threads; parent[v] <= v always.
offsets, indices : an adjacency list with both directions of each edge.

Jaiganesh and Burtscher 2018. ``none+ecl`` is the same algorithm composed of the parts of GConn; a
test checks that both give the same trees.
"""

from typing import Any

import numpy as np

from ...kernels.csr_sampling import link_neighbour
from ...kernels.edges import entries_of
from ...kernels.spec import Step, standalone_algorithm
from ...kernels.union import ecl as link_rule
from .sutton import multi_jumps

ONE = np.uint64(1)
MAX_SHORT_ROW = 16  # maximum length of a row that one thread hooks; longer rows are deferred


def point_at_smaller(on: Any, vertex: type) -> Any:
    """Point each vertex at the first smaller neighbour in its row, if there is one."""
    entries = entries_of(on)

    @on.elementwise
    def point_at_smaller(v, offsets, indices, parent):
        e, end = entries(offsets, indices, v)
        while e < end:
            w = np.uint64(indices[e])
            if w < v:
                parent[v], e = vertex(w), end  # ends the loop
            e += ONE

    return point_at_smaller


def hook_entry(on: Any, vertex: type) -> Any:
    """Return the function that hooks a vertex and a neighbour, if the neighbour is smaller.

    No spanning forest is recorded, so the function uses neither ``hook_edge`` nor the entry e.
    """
    link = link_rule(on, vertex)

    @on.device
    def hook(parent, aux, hook_edge, u, v, e):
        if v < u:
            link(parent, aux, u, v)

    return link_neighbour(on, vertex, hook)


def hook_short_rows(on: Any, vertex: type) -> Any:
    """Hook the smaller neighbours of a vertex by one thread; list the long rows for later."""
    entries, hook, add = entries_of(on), hook_entry(on, vertex), on.atomic_add

    @on.elementwise
    def hook_short_rows(v, count, listed, offsets, indices, *trees_and_flag):
        e, end = entries(offsets, indices, v)
        if end - e > np.uint64(MAX_SHORT_ROW):
            listed[np.uint64(add(count, 0, 1))] = vertex(v)
            return
        while e < end:
            hook(v, e, indices, *trees_and_flag)
            e += ONE

    return hook_short_rows


def hook_long_rows(on: Any, vertex: type) -> Any:
    """Hook the smaller neighbours of a listed vertex by a group of threads."""
    entries, hook, group = entries_of(on), hook_entry(on, vertex), np.uint64(on.threads_per_row)

    @on.elementwise
    def hook_long_rows(i, listed, offsets, indices, *trees_and_flag):
        v = np.uint64(listed[i // group])
        e, end = entries(offsets, indices, v)
        e += i % group
        while e < end:
            hook(v, e, indices, *trees_and_flag)
            e += group

    return hook_long_rows


@standalone_algorithm(
    "ecl-cc",
    needs_csr=True,
    label_arrays=(1, 0),
    needs="4 bytes per vertex for the list of long rows",
    paper="ECL-CC, Jaiganesh and Burtscher 2018",
)
def ecl_cc(on: Any, vertex: type) -> Step:
    """Hook each edge once, from its larger endpoint, and point each vertex at its root.

    A hook joins only roots, by compare-and-swap, the larger root under the smaller root. After a
    failed swap, the hook continues from the current parent, which is smaller, so each loop ends.
    The paper has a third class of rows, which whole blocks of threads process. Here groups of
    threads process these rows, which only affects speed.
    """
    point, finalize = point_at_smaller(on, vertex), multi_jumps(on)
    hook_short, hook_long = hook_short_rows(on, vertex), hook_long_rows(on, vertex)

    def connect_rest(state: Any) -> None:
        backend, n, parent = state.backend, state.n, state.trees.parent
        count, listed = backend.fill(backend.empty(1, np.int64), 0), backend.empty(n, parent.dtype)
        rows = *state.csr.arrays, *state.trees, state.flags.out_of_range
        point(n, *state.csr.arrays, parent)
        hook_short(n, count, listed, *rows)
        long_rows = int(backend.to_host(count)[0])
        hook_long(long_rows * on.threads_per_row, listed, *rows)
        finalize(state)

    return connect_rest
