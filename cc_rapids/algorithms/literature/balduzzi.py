"""Hooking of stars and singletons in rounds, and the single pass of compare-and-swaps.

parent : (n,) unsigned, p in the paper, shared by all threads; free of cycles at any time.
last_hook : (n,) uint32, the last round s in which each root hooked or was hooked to.
read   : returns the endpoints of an edge, or two equal vertices for an invalid edge.

Balduzzi et al. 2018, Algorithms 1 and 2; the first is by Tvrdik.
"""

from typing import Any

import numpy as np

from ...kernels.find import naive
from ...kernels.spec import Step, standalone_algorithm
from ..phases import changes
from .sutton import multi_jumps


def hook_larger(on: Any, read: Any) -> Any:
    """Hook the larger parent of an edge's endpoints to the smaller parent (line 8).

    The paper prints a comparison of the endpoints, which may close a cycle in the second or a later
    round. Here the roots of the endpoints are compared; in the first round, each endpoint is its
    own root. ``old`` contains the labels at the start of the round, which are roots. No thread
    writes ``old``. Allowed race: of several stores to one root the last store stays, and the other
    edges hook in a later round.
    """

    @on.elementwise
    def hook_larger(e, src, dst, low, n, present, out_of_range, old, parent, changed):
        u, v = read(e, src, dst, low, n, present, out_of_range)
        if u != v:
            x, y = old[u], old[v]
            if x != y:
                parent[max(x, y)] = min(x, y)
                changed[0] = 1

    return hook_larger


def note_hooks(on: Any) -> Any:
    """Store s in ``last_hook`` of the roots that hooked, or were hooked to, in this round."""

    @on.elementwise
    def note_hooks(v, s, old, parent, last_hook):
        p = parent[v]
        if old[v] == v and p != v:
            last_hook[v] = s
            last_hook[p] = s

    return note_hooks


def hook_stars(on: Any, read: Any) -> Any:
    """Hook the remaining singletons and stars to any adjacent tree (lines 9 and 12).

    A tree remains if in this round it did not hook to another tree, and no tree hooked to it. No
    two remaining trees are adjacent, because the larger would have hooked to the smaller. So a
    remaining tree hooks to a tree that does not move in this launch, and there are no cycles. For
    this reason ``note_hooks`` is launched first.
    """

    @on.device
    def hook_if_remaining(x, y, s, parent, last_hook):
        if last_hook[x] != s:
            parent[x] = parent[y]  # y, or the root to which y has hooked in this round

    @on.elementwise
    def hook_stars(e, src, dst, low, n, present, out_of_range, s, old, parent, last_hook):
        u, v = read(e, src, dst, low, n, present, out_of_range)
        if u != v:
            x, y = old[u], old[v]
            if x != y:
                hook_if_remaining(x, y, s, parent, last_hook)
                hook_if_remaining(y, x, s, parent, last_hook)

    return hook_stars


@standalone_algorithm(
    "tvrdik",
    requires=("read",),
    root_is_min=False,
    label_arrays=(2, 0),
    needs="8 bytes per vertex for labels and marks of hooked trees",
    paper="Tvrdik; Balduzzi et al. 2018, Algorithm 1",
)
def tvrdik(on: Any, vertex: type, read: Any) -> Step:
    """Hook larger stars to smaller stars, then the remaining trees, compress, and repeat.

    In the last round, both endpoints of every edge have the same label. After every other round
    there are fewer roots, so the loop ends.
    """
    hook_edges, note = hook_larger(on, read), note_hooks(on)
    hook_remaining, compress = hook_stars(on, read), multi_jumps(on)

    def connect_rest(state: Any) -> None:
        s, backend, n, parent = 1, state.backend, state.n, state.trees.parent
        old, last_hook = backend.alloc_packed((n, vertex), (n, np.uint32))
        backend.fill(last_hook, 0)
        old[:] = parent
        edges = state.m, *state.edges, n, *state.flags
        while changes(state, hook_edges, *edges, old, parent):
            note(n, s, old, parent, last_hook)
            hook_remaining(*edges, s, old, parent, last_hook)
            compress(state)
            old[:] = parent
            s += 1

    return connect_rest


def hook_once(on: Any, read: Any) -> Any:
    """Hook the larger root to the smaller by compare-and-swap, and point both endpoints at a root.

    Invariant: parent[v] <= v, and only roots are hooked (rules 1 to 3), so no hook is lost. A
    failed swap returns the current parent, which is smaller, so the loop ends. Endpoints that are
    not roots are pointed at the last root r (steps 9 and 10). Allowed race: the stores are plain
    and may overwrite a parent nearer to the root; the stored vertex is also an ancestor of the
    endpoint.
    """
    climb, cas = naive(on), on.atomic_cas

    @on.device
    def write_back(parent, v, r):
        if v != r:
            parent[v] = r

    @on.elementwise
    def hook_once(e, src, dst, low, n, present, out_of_range, parent):
        u, v = read(e, src, dst, low, n, present, out_of_range)
        if u == v:
            return
        r, t = climb(parent, u), climb(parent, v)
        while r != t:
            if r < t:
                r, t = t, r
            current = cas(parent, r, r, t)
            if current == r:
                r = t  # hooked: t is the root of both endpoints
            else:
                r, t = climb(parent, current), climb(parent, t)
        write_back(parent, u, r)
        write_back(parent, v, r)

    return hook_once


@standalone_algorithm(
    "single-pass",
    requires=("read",),
    paper="Balduzzi et al. 2018, Algorithm 2",
)
def single_pass(on: Any, vertex: type, read: Any) -> Step:
    """Hook by compare-and-swap in one pass over the edges, and write representatives back."""
    link = hook_once(on, read)  # stores only vertices that it has read, so not ``vertex``

    def connect_rest(state: Any) -> None:
        link(state.m, *state.edges, state.n, *state.flags, state.trees.parent)

    return connect_rest
