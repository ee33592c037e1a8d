"""Hook and compress: rounds over all edges, then Multi-Jump, Atomic-Hook and segments of edges.

parent  : (n,) unsigned, pi in the paper, shared by all threads; free of cycles at any time.
changed : (1,) int64, nonzero if a kernel has stored anything; read by the loops on the host.

``read`` returns the endpoints of an edge, or two equal vertices for an invalid edge. The kernels
store only values read from ``parent``, so they need no casts by ``vertex``, the type of parents.

Sutton, Ben-Nun, Barak, Pai and Pingali 2016, Figures 1 to 4; the baseline is by Soman, Kothapalli
and Narayanan 2010.
"""

from typing import Any

import numpy as np

from ...kernels.spec import COUNT, Step, standalone_algorithm
from ..phases import changes

HOOKS = {"hooks": ("alternate", "down")}
JUMPS = {"order": ("ascending", "descending"), "writes": ("each", "last")}
ONE = np.uint64(1)


def hook(on: Any, read: Any) -> Any:
    """Hook the larger parent of an edge's endpoints to the smaller parent; the reverse if ``up``.

    Invariant: at the start of a round every vertex points at its root. Every read, even a stale
    one, returns a vertex that was a root at the start of the round, and only such vertices are
    stored. All hooks of a round go in one direction of the vertex order, so there are no cycles.
    Allowed race: of several stores to one root the last store stays; the other edges still join two
    trees and hook in a later round. After a round that changes a parent, there are fewer roots, so
    the rounds end.
    """

    @on.elementwise
    def hook(e, src, dst, low, n, present, out_of_range, parent, up, changed):
        u, v = read(e, src, dst, low, n, present, out_of_range)
        if u != v:
            p, q = parent[u], parent[v]
            if p != q:
                if (p > q) == (up != 0):  # so that p is the larger vertex, or the smaller if up
                    p, q = q, p
                parent[p] = q
                changed[0] = 1

    return hook


def atomic_hook(on: Any, read: Any) -> Any:
    """Hook the larger root of an edge's endpoints to the smaller; climb by compare-and-swaps.

    Invariant: parent[v] <= v. The paper locks the parent of H, the larger vertex, by
    compare-and-swap, tests whether H is a root, and stores. Here one swap hooks H if it is a root,
    and otherwise returns the parent of H, which is smaller. So the loop ends. A stale parent is an
    older ancestor in the same tree and costs another step. A launch starts at edge ``first``.
    """
    cas = on.atomic_cas

    @on.elementwise
    def atomic_hook(i, first, src, dst, low, n, present, out_of_range, parent):
        u, v = read(np.uint64(first) + i, src, dst, low, n, present, out_of_range)
        if u == v:
            return
        p, q = parent[u], parent[v]
        while p != q:
            if p < q:
                p, q = q, p
            current = cas(parent, p, p, q)
            if current == p:
                return  # p was a root, and is hooked
            p, q = parent[current], parent[q]

    return atomic_hook


def jumps(on: Any) -> Step:
    """Compress by single jumps: point every vertex at its grandparent, until no parent changes.

    Allowed race: a parent that another thread has already moved is still an ancestor.
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


def multi_jumps(on: Any, order: str = "ascending", writes: str = "each") -> Step:
    """Compress in one kernel: each vertex jumps until it points at a root.

    As in the paper, each jump is stored, so that other threads find shorter paths, and vertices are
    processed in ascending order, from the top of the trees. ``writes="last"`` stores only the root,
    and ``order="descending"`` starts at the bottom. The parent of a vertex is stored only by the
    thread of the vertex.
    """
    ascending, stores_each = order == "ascending", writes == "each"

    @on.elementwise
    def multi_jump(i, parent):
        v = i if ascending else np.uint64(parent.size) - ONE - i
        first = parent[v]
        p, g = first, parent[first]
        while g != p:
            if stores_each:
                parent[v] = g
            p, g = g, parent[g]
        if not stores_each and p != first:
            parent[v] = p

    def compress(state: Any) -> None:
        multi_jump(state.n, state.trees.parent)

    return compress


def by_rounds(on: Any, read: Any, compress: Step, hooks: str) -> Step:
    """Run rounds of hooks and a full compression, until no edge hooks (Figure 1)."""
    hook_edges = hook(on, read)

    def connect_rest(state: Any) -> None:
        edges = state.m, *state.edges, state.n, *state.flags
        up = 0
        while changes(state, hook_edges, *edges, state.trees.parent, up):
            compress(state)
            up = 1 - up if hooks == "alternate" else 0

    return connect_rest


def by_segments(on: Any, read: Any, compress: Step, segments: int | str) -> Step:
    """Hook each segment of the edges by atomic operations, and then compress (Figure 4).

    ``auto`` uses 2m/n segments, the average degree, so a segment has about n/2 edges. Here m counts
    each edge once, even if it is an entry in the rows of both endpoints.
    """
    link = atomic_hook(on, read)

    def connect_rest(state: Any) -> None:
        degree_sum = state.m if state.symmetric else 2 * state.m
        count = degree_sum // max(state.n, 1) if segments == "auto" else int(segments)
        size = max(-(-state.m // max(count, 1)), 1)  # rounded up
        for first in range(0, state.m, size):
            edges = *state.edges, state.n, *state.flags
            link(min(size, state.m - first), first, *edges, state.trees.parent)
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
    """Hook without atomics, jump until all trees are stars, and repeat until no edge hooks.

    The direction of the hooks alternates between rounds, as in Soman et al. With ``hooks=down``,
    the larger parent is always hooked to the smaller parent, as in Figure 2.
    """
    return by_rounds(on, read, jumps(on), hooks)


@standalone_algorithm(
    "multi-jump",
    options=HOOKS | JUMPS,
    requires=("read",),
    root_is_min=False,
    paper="Multi-Jump, Sutton et al. 2016, Figure 3",
)
def multi_jump(on: Any, vertex: type, read: Any, hooks: str, order: str, writes: str) -> Step:
    """Hook like soman, and compress in one kernel, in which each vertex jumps to its root.

    ``order=descending`` and ``writes=last`` switch the kernel's two optimisations off.
    """
    return by_rounds(on, read, multi_jumps(on, order, writes), hooks)


@standalone_algorithm(
    "atomic-hook",
    requires=("read",),
    paper="Atomic-Hook, Sutton et al. 2016, Figure 3",
)
def hook_once(on: Any, vertex: type, read: Any) -> Step:
    """Hook each edge once, by compare-and-swaps up the trees, then jump like soman."""
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
    """Hook the edges segment by segment, and compress all trees after each segment."""
    return by_segments(on, read, multi_jumps(on), segments)
