"""Hooks of stars and singletons in rounds, and the single pass of compare-and-swaps.

parent : (n,) unsigned, p in the paper, shared by all threads; without cycles at any time.

``read`` gives the ends of an edge, and two equal ones for an edge that is left out.

Balduzzi et al. 2018, Algorithms 1 and 2; the first is of Tvrdik.
"""

from typing import Any

import numpy as np

from ...kernels.find import naive
from ...kernels.spec import Step, standalone_algorithm
from ..phases import changes
from .sutton import multi_jumps


def hook_larger(on: Any, read: Any) -> Any:
    """Hook the larger of the parents of an edge's ends to the smaller (line 8).

    As printed it compares the ends themselves, which may close a cycle from the second round on:
    then the star at i is what hooks, and its root is compared. In the first round both are the
    same. ``old`` are the labels at the start of the round, all roots, and stored by no thread; of
    several stores to one root the last one stays, and the other edges hook in a later round.
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
    """Take the roots that hooked, and those that were hooked to, out of the stars: taken[r] = s."""

    @on.elementwise
    def note_hooks(v, s, old, parent, sender):
        p = parent[v]
        if old[v] == v and p != v:
            sender[v] = s
            sender[p] = s

    return note_hooks


def hook_stars(on: Any, read: Any) -> Any:
    """Hook singletons and stars that are left over to any tree beside them (lines 9 and 12).

    Left over is one that has neither hooked in this round nor been hooked to. No two of them are
    adjacent, as the larger one would have hooked; so what they hook to stays where it is
    meanwhile, and there are no cycles. That is why the notes are taken before, not in, this loop.
    """

    @on.device
    def send(x, y, s, parent, sender):
        if sender[x] != s:
            parent[x] = parent[y]

    @on.elementwise
    def hook_stars(e, src, dst, low, n, present, out_of_range, s, old, parent, sender):
        u, v = read(e, src, dst, low, n, present, out_of_range)
        if u != v:
            x, y = old[u], old[v]
            if x != y:
                send(x, y, s, parent, sender)
                send(y, x, s, parent, sender)

    return hook_stars


@standalone_algorithm(
    "tvrdik",
    requires=("read",),
    root_is_min=False,
    label_arrays=(2, 0),
    needs="8 bytes a vertex for labels and notes",
    paper="Tvrdik; Balduzzi et al. 2018, Algorithm 1",
)
def tvrdik(on: Any, vertex: type, read: Any) -> Step:
    """Hook larger stars to smaller, then stars and singletons left over, compress, and again.

    A round in which no edge has two labels is the last; any other leaves fewer roots.
    """
    first, note, rest = hook_larger(on, read), note_hooks(on), hook_stars(on, read)
    compress = multi_jumps(on)

    def connect_rest(state: Any) -> None:
        backend, n, parent, s = state.backend, state.n, state.trees.parent, 1
        old, sender = backend.alloc_packed((n, vertex), (n, np.uint32))
        backend.fill(sender, 0)
        old[:] = parent
        edges = state.m, *state.edges, n, *state.flags
        while changes(state, first, *edges, old, parent):
            note(n, s, old, parent, sender)
            rest(*edges, s, old, parent, sender)
            compress(state)
            old[:] = parent
            s += 1

    return connect_rest


def hook_once(on: Any, read: Any) -> Any:
    """Hook the larger root to the smaller by compare-and-swap, and point both ends there.

    parent[v] <= v always, and only roots are hooked (rules 1 to 3), so that no hook is lost. A
    swap that fails returns the current parent, which is smaller, so the loop ends.
    The ends are pointed at the root found (steps 9 and 10, if they are no roots, as is meant): by
    plain stores, over a parent nearer to the root at worst. Both are ancestors of the end for good.
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
            seen = cas(parent, r, r, t)
            r, t = (t, t) if seen == r else (climb(parent, seen), climb(parent, t))
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
    link = hook_once(on, read)

    def connect_rest(state: Any) -> None:
        link(state.m, *state.edges, state.n, *state.flags, state.trees.parent)

    return connect_rest
