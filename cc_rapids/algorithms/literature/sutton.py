"""Hook and compress: rounds over all edges, then Multi-Jump, Atomic-Hook and segments of edges.

parent  : (n,) unsigned, pi in the paper, shared by all threads; without cycles at any time.
changed : (1,) int64, not 0 once a kernel has stored anything; for the loops of the host.

``read`` gives the ends of an edge, and two equal ones for an edge that is left out.

Sutton, Ben-Nun, Barak, Pai and Pingali 2016, Figures 1 to 4; the baseline is of Soman, Kothapalli
and Narayanan 2010.
"""

from typing import Any

import numpy as np

from ...kernels.spec import COUNT, Step, standalone_algorithm
from ..phases import changes

HOOKS = {"hooks": ("alternate", "down")}


def hook(on: Any, read: Any) -> Any:
    """Store the smaller of the parents of an edge's ends to the larger, or if ``up`` the opposite.

    Before it every vertex points at its root, so that a read, early or late, always returns a
    root of the round's start, and so is what is stored to. All hooks of a round go one way in the
    order of vertices: no cycles. Of several stores to one root the last one stays, without an
    atomic operation: the edges of the others have ends in two trees still, and hook in a later
    round. A round that changes anything leaves fewer roots, so that the rounds end.
    """

    @on.elementwise
    def hook(e, src, dst, low, n, present, out_of_range, parent, up, changed):
        u, v = read(e, src, dst, low, n, present, out_of_range)
        if u != v:
            p, q = parent[u], parent[v]
            if p != q:
                if (p > q) == (up != 0):
                    p, q = q, p
                parent[p] = q
                changed[0] = 1

    return hook


def atomic_hook(on: Any, read: Any) -> Any:
    """Hook the root that an edge leads to, found by the compare-and-swaps that hook.

    parent[v] <= v always. The paper locks pi(H) by compare-and-swap, looks whether H is a root and
    stores: here that is one swap, which hooks H if it is a root and else gives its parent. Such a
    parent is smaller than H, and so is the other end's, so that the loop ends. A stale parent is an
    older ancestor in the same tree: it costs another step.
    """
    cas = on.atomic_cas

    @on.elementwise
    def atomic_hook(i, first, src, dst, low, n, present, out_of_range, parent):
        u, v = read(np.uint64(first) + i, src, dst, low, n, present, out_of_range)
        p, q = (parent[u], parent[v]) if u != v else (u, v)
        while p != q:
            if p < q:
                p, q = q, p
            seen = cas(parent, p, p, q)
            if seen == p:
                return
            p, q = parent[seen], parent[q]

    return atomic_hook


def jumps(on: Any) -> Step:
    """Compress by single jumps: point every vertex at its grandparent, until none changes.

    A vertex that another thread has moved already leads to an ancestor too: one jump is longer.
    """

    @on.elementwise
    def jump(v, parent, changed):
        p = parent[v]
        g = parent[p]
        if g != p:
            parent[v] = g
            changed[0] = 1

    def compress(state: Any) -> None:
        while changes(state, jump, state.n, state.trees.parent):
            pass

    return compress


def multi_jumps(on: Any) -> Step:
    """Compress in one kernel: each vertex jumps until it points at a root.

    Each jump is stored, not the last one alone, and vertices are taken from the least one on: both
    as in the paper, so that others find shorter paths. A parent is stored to by its vertex alone.
    """

    @on.elementwise
    def multi_jump(v, parent):
        p = parent[v]
        g = parent[p]
        while g != p:
            parent[v] = g
            p, g = g, parent[g]

    def compress(state: Any) -> None:
        multi_jump(state.n, state.trees.parent)

    return compress


def by_rounds(on: Any, read: Any, compress: Step, hooks: str) -> Step:
    """Run rounds of hooks and a full compression, until no edge hooks (Figure 1)."""
    send = hook(on, read)

    def connect_rest(state: Any) -> None:
        given, up = (state.m, *state.edges, state.n, *state.flags, state.trees.parent), 0
        while changes(state, send, *given, up):
            compress(state)
            up = 1 - up if hooks == "alternate" else 0

    return connect_rest


def by_segments(on: Any, read: Any, compress: Step, segments: int | str) -> Step:
    """Hook each segment of the edges by atomic operations, and then compress (Figure 4).

    By ``auto`` there are 2m/n, the average degree, so that each has about n/2 edges; of an
    adjacency list in both directions each edge is counted once. A segment has at least one edge.
    """
    link = atomic_hook(on, read)

    def connect_rest(state: Any) -> None:
        entries = state.m if state.symmetric else 2 * state.m
        count = entries // max(state.n, 1) if segments == "auto" else int(segments)
        size = -(-state.m // min(max(count, 1), max(state.m, 1)))
        for first in range(0, state.m, max(size, 1)):
            rest = *state.edges, state.n, *state.flags, state.trees.parent
            link(min(size, state.m - first), first, *rest)
            compress(state)

    return connect_rest


@standalone_algorithm(
    "soman",
    options=HOOKS,
    requires=("read",),
    root_is_min=False,
    paper="Soman et al. 2010; Sutton et al. 2016, Figures 1 and 2",
)
def soman(on: Any, vertex: type, read: Any, hooks: str) -> Step:
    """Hook without atomics, jump until all trees are stars, and again until no edge hooks.

    The direction of the hooks alternates from round to round, as in Soman et al.; by
    ``hooks=down`` they always go from the larger to the smaller, as in Figure 2.
    """
    return by_rounds(on, read, jumps(on), hooks)


@standalone_algorithm(
    "multi-jump",
    options=HOOKS,
    requires=("read",),
    root_is_min=False,
    paper="Multi-Jump, Sutton et al. 2016, Figure 3",
)
def multi_jump(on: Any, vertex: type, read: Any, hooks: str) -> Step:
    """Hook as soman does, and compress in one kernel, in which each vertex jumps to its root."""
    return by_rounds(on, read, multi_jumps(on), hooks)


@standalone_algorithm(
    "atomic-hook",
    requires=("read",),
    paper="Atomic-Hook, Sutton et al. 2016, Figure 3",
)
def hook_once(on: Any, vertex: type, read: Any) -> Step:
    """Hook each edge once, by compare-and-swaps up the trees, then jump as soman does."""
    return by_segments(on, read, jumps(on), 1)


@standalone_algorithm(
    "multi-jump-atomic-hook",
    requires=("read",),
    paper="Multi-Jump and Atomic-Hook, Sutton et al. 2016, Figure 3",
)
def hook_and_jump_once(on: Any, vertex: type, read: Any) -> Step:
    """Hook each edge by compare-and-swaps, then let each vertex jump to its root: two kernels."""
    return by_segments(on, read, multi_jumps(on), 1)


@standalone_algorithm(
    "adaptive",
    options={"segments": ("auto", COUNT)},
    requires=("read",),
    paper="Sutton et al. 2016, Figure 4",
)
def adaptive(on: Any, vertex: type, read: Any, segments: int | str) -> Step:
    """Hook the edges segment by segment, and compress all trees after each of them."""
    return by_segments(on, read, multi_jumps(on), segments)
