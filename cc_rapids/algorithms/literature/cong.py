"""Graft and shortcut, with and without an update of the edges.

parent : (n,) unsigned, D in the paper, shared by all threads; free of cycles at any time.
us, vs : (k,) unsigned, El in the paper: the endpoints of the remaining edges, as vertices.
now, new : (n,) unsigned, the parents before and after a step of :func:`sv_rounds`.
last   : (n,) uint32, Q in the paper: the last round s in which a vertex moved to each vertex.

``read`` returns the endpoints of an edge, or two equal vertices for an invalid edge. The paper
lists each edge in both directions. Here, as in the authors' implementation, each edge is listed
once and processed in both directions.

Cong and Muzio 2014; Shiloach and Vishkin 1982.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...kernels.edges import checked, edge_of_list
from ...kernels.spec import Step, standalone_algorithm
from ..phases import changes
from .sutton import multi_jumps

Round = Callable[[Any], bool]  # runs a round on a RunState; returns whether a tree has changed
Begin = Callable[[Any], Round]  # allocates the arrays of a run; returns the round


def graft(on: Any, read: Any, updated: bool) -> Any:
    """Graft the tree with the larger root to the tree with the smaller root, without atomics.

    Invariant: at the start of a round every vertex points at its root. Every read, even a stale
    one, returns a vertex that was a root at the start of the round, and only such vertices are
    stored. D[v] < v for all vertices that are not roots, so there are no cycles. Allowed race: of
    several grafts of one root the last graft stays; the other edges still join two trees and graft
    in a later round. After a round with a graft, there are fewer roots, so the rounds end. If
    ``updated``, the endpoints of the edges are roots (Algorithm 2), so no parent is read.
    """

    @on.elementwise
    def graft(e, src, dst, low, n, present, out_of_range, parent, changed):
        u, v = read(e, src, dst, low, n, present, out_of_range)
        if u != v:
            p, q = (u, v) if updated else (parent[u], parent[v])
            if p != q:
                parent[max(p, q)] = min(p, q)
                changed[0] = 1

    return graft


def grafts(on: Any, vertex: type, read: Any, updated: bool) -> Begin:
    """Graft, and shortcut all trees to stars (Algorithm 1).

    ``vertex`` is not used, because a graft stores vertices as the edges have them. The parameters
    are those of :func:`sv_rounds`, so that :func:`updated_rounds` can run either function.
    """
    kernel, shortcut = graft(on, read, updated), multi_jumps(on)

    def run_round(state: Any) -> bool:
        edges = state.m, *state.edges, state.n, *state.flags
        if not changes(state, kernel, *edges, state.trees.parent):
            return False
        shortcut(state)
        return True

    return lambda state: run_round  # a round of grafts has no arrays of its own


def jump(on: Any) -> Any:
    """Point every vertex at its grandparent, out of place as on a PRAM (steps 1 and 4 of SV)."""

    @on.elementwise
    def jump(v, parent, new):
        new[v] = parent[parent[v]]

    return jump


def note_gains(on: Any) -> Any:
    """Store s in ``last[r]`` of each vertex r to which step 1 of round s moved another vertex."""

    @on.elementwise
    def note_gains(v, s, parent, now, last, changed):
        r = now[v]
        if r != parent[v]:
            last[r] = s
            changed[0] = 1

    return note_gains


def hook_smaller(on: Any, read: Any) -> Any:
    """Hook roots to smaller labels along edges with a vertex that the jump did not move (step 2).

    As on a PRAM, the parents before and after the jump, ``parent`` and ``now``, are only read. The
    parent of a vertex that did not move is a root. So a store to ``new`` changes only the parent of
    a root, and only to a smaller vertex. Allowed race: of several stores to one root the last store
    stays.
    """

    @on.device
    def hook_parent(u, v, s, parent, now, new, last, changed):
        x, y = now[u], now[v]
        if y < x and x == parent[u]:
            new[x] = y
            last[y] = s
            changed[0] = 1

    @on.elementwise
    def hook_smaller(
        e, src, dst, low, n, present, out_of_range, s, parent, now, new, last, changed
    ):
        u, v = read(e, src, dst, low, n, present, out_of_range)
        if u != v:
            hook_parent(u, v, s, parent, now, new, last, changed)
            hook_parent(v, u, s, parent, now, new, last, changed)

    return hook_smaller


def hook_stagnant(on: Any, read: Any) -> Any:
    """Hook each stagnant tree to any adjacent tree (step 3).

    A tree is stagnant if it neither gained a vertex nor hooked in steps 1 and 2. It is then a star.
    No two stagnant trees are adjacent, because the tree with the larger root would have hooked in
    step 2. So each stagnant tree hooks to a tree that does not hook in this step, and there are no
    cycles.
    """

    @on.device
    def hook_parent(u, v, s, now, new, last):
        x, y = now[u], now[v]
        if x != y and now[x] == x and last[x] < s:
            new[x] = y

    @on.elementwise
    def hook_stagnant(e, src, dst, low, n, present, out_of_range, s, now, new, last):
        u, v = read(e, src, dst, low, n, present, out_of_range)
        if u != v:
            hook_parent(u, v, s, now, new, last)
            hook_parent(v, u, s, now, new, last)

    return hook_stagnant


def sv_rounds(on: Any, vertex: type, read: Any, updated: bool) -> Begin:
    """Run rounds of the five steps of Shiloach and Vishkin 1982.

    When no tree gains a vertex in step 1 or 2, all trees are stars without an edge between them,
    and the rounds end (step 5). The parameters are those of :func:`grafts`; ``updated`` is not
    used, because every round reads parents, whether or not the endpoints are roots.
    """
    hook_roots, hook_stars = hook_smaller(on, read), hook_stagnant(on, read)
    jump_all, note = jump(on), note_gains(on)

    def begin(state: Any) -> Round:
        s, backend, n, parent = 0, state.backend, state.n, state.trees.parent
        shapes = (n, vertex), (n, vertex), (n, np.uint32), (1, np.int64)
        now, new, last, flag = backend.alloc_packed(*shapes)
        backend.fill(last, 0)

        def run_round(state: Any) -> bool:
            nonlocal s
            s += 1
            edges = state.m, *state.edges, n, *state.flags
            backend.fill(flag, 0)
            jump_all(n, parent, now)  # step 1
            note(n, s, parent, now, last, flag)
            new[:] = now  # a step reads one array of parents, and writes another array
            hook_roots(*edges, s, parent, now, new, last, flag)  # step 2
            now[:] = new
            hook_stars(*edges, s, now, new, last)  # step 3
            jump_all(n, new, parent)  # step 4
            return bool(backend.to_host(flag)[0])

        return run_round

    return begin


def all_rounds(begin: Begin) -> Step:
    """Run rounds over all edges of a state, until a round changes nothing."""

    def connect_rest(state: Any) -> None:
        run_round = begin(state)
        while run_round(state):
            pass

    return connect_rest


def in_order(on: Any) -> Any:
    """Return i as the number of the i-th edge: edges in the order of the input.

    ``m`` and ``half`` are parameters of :func:`stages.shuffled`, and are not used here.
    """

    @on.device
    def edge_index(i, m, half):
        return i

    return edge_index


def contract(on: Any, read: Any, edge_index: Any) -> Any:
    """Copy the components of the endpoints of each edge; skip edges inside a component.

    The edges are read from ``src`` and ``dst``, and their components are appended to ``us`` and
    ``vs``, in any order; ``count`` is the number of copied edges. The parent of a vertex must be
    its root, because it is read as the component. ``edge_index(i, m, half)`` returns the number of
    the i-th of m edges; ``half`` is for orders that permute the edges, see :mod:`.stages`.
    """
    add = on.atomic_add

    @on.elementwise
    def contract(i, first, half, m, src, dst, low, n, present, out_of_range, parent, count, us, vs):
        e = edge_index(np.uint64(first) + i, m, half)
        u, v = read(e, src, dst, low, n, present, out_of_range)
        if u != v:
            p, q = parent[u], parent[v]
            if p != q:
                k = np.uint64(add(count, 0, 1))
                us[k], vs[k] = p, q

    return contract


def contracted(state: Any, kernel: Any, first: int, size: int, half: int = 0) -> Any:
    """Return the state over a copy of ``size`` edges, starting at edge ``first``.

    ``kernel``, made by :func:`contract`, writes the copy, with the endpoints replaced by their
    components. ``half`` is for a random order of the edges, see :mod:`.stages`.
    """
    backend, parent = state.backend, state.trees.parent
    us, vs = (backend.empty(size, parent.dtype) for _ in range(2))
    count = backend.fill(backend.empty(1, np.int64), 0)
    edges = state.m, *state.edges, state.n, *state.flags
    kernel(size, first, half, *edges, parent, count, us, vs)
    copied = int(backend.to_host(count)[0])
    return replace(state, m=copied, edges=(us[:copied], vs[:copied], 0), csr=None)


def updated_rounds(on: Any, vertex: type, read: Any, rounds: Callable[..., Begin]) -> Step:
    """Run rounds over a copy of the edges; each round replaces endpoints by components (Alg. 2).

    ``rounds`` is :func:`grafts` or :func:`sv_rounds`. Edges inside a component are dropped. Only
    roots hook and no vertex leaves its tree, so dropped edges stay redundant. When no edge is left,
    the trees are the components.
    """
    read_copy = checked(on, vertex, vertex, edge_of_list(on, vertex))
    copy, copy_again = (contract(on, reader, in_order(on)) for reader in (read, read_copy))
    begin = rounds(on, vertex, read_copy, updated=True)

    def connect_rest(state: Any) -> None:
        run_round, state = begin(state), contracted(state, copy, 0, state.m)
        while state.m and run_round(state):
            state = contracted(state, copy_again, 0, state.m)

    return connect_rest


FACTS: dict[str, Any] = {"requires": ("read",), "supports_stages": True}
STATE = "12 bytes per vertex for the labels of a round"
COPY = "two copies of the edges, 8 bytes each"


@standalone_algorithm("graft-shortcut", paper="CC, Cong and Muzio 2014, Algorithm 1", **FACTS)
def graft_shortcut(on: Any, vertex: type, read: Any) -> Step:
    """Graft larger roots to smaller roots, shortcut to stars, and repeat until no graft is left."""
    return all_rounds(grafts(on, vertex, read, False))


@standalone_algorithm(
    "graft-shortcut-update",
    label_arrays=(0, 4),
    needs=COPY,
    paper="CC-updt, Cong and Muzio 2014, Algorithm 2",
    **FACTS,
)
def graft_shortcut_update(on: Any, vertex: type, read: Any) -> Step:
    """Graft and shortcut like graft-shortcut; each round replaces endpoints by their components."""
    return updated_rounds(on, vertex, read, grafts)


@standalone_algorithm(
    "sv-1982",
    label_arrays=(3, 0),
    needs=STATE,
    root_is_min=False,
    paper="SV, Shiloach and Vishkin 1982; Cong and Muzio 2014, 2",
    **FACTS,
)
def sv_1982(on: Any, vertex: type, read: Any) -> Step:
    """Jump once, hook to smaller labels, hook stagnant stars to any tree, and jump once again."""
    return all_rounds(sv_rounds(on, vertex, read, False))


@standalone_algorithm(
    "sv-1982-update",
    label_arrays=(3, 4),
    needs=f"{STATE}; {COPY}",
    root_is_min=False,
    paper="SV-updt, Shiloach and Vishkin 1982; Cong and Muzio 2014, 5",
    **FACTS,
)
def sv_1982_update(on: Any, vertex: type, read: Any) -> Step:
    """Jump and hook like sv-1982; each round replaces endpoints by their parents."""
    return updated_rounds(on, vertex, read, sv_rounds)
