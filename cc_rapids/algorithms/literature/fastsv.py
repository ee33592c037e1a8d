"""FastSV: hook roots and single vertices to grandparents, until no grandparent changes.

old   : (n,) unsigned, f in the paper: the parents at the start of a round; only read by hooks.
grand : (n,) unsigned, gf in the paper: the grandparents, ``old[old[v]]``; only read by hooks.
new   : (n,) unsigned, f_next in the paper, shared by all threads: the forest's own parents.
read  : returns the endpoints of an edge, or two equal vertices for an invalid edge.

Invariant: ``new[v] <= old[v] <= v``, and all three are in the component of v.

Zhang, Azad and Hu 2020.
"""

from typing import Any

from ...kernels.primitives import lessen
from ...kernels.spec import Step, standalone_algorithm
from ..phases import changes


def hook(on: Any, read: Any) -> Any:
    """Hook a vertex and its parent to a neighbour's grandparent, if this grandparent is smaller.

    Let u be the endpoint with the larger grandparent. Stochastic hooking lowers ``new[old[u]]``,
    even if ``old[u]`` is not a root. Aggressive hooking lowers ``new[u]``. The other endpoint v is
    not hooked, because the shortcut lowers ``new[old[v]]`` and ``new[v]`` at least as far. Allowed
    race: stores are atomic minima, so their order does not matter, and a round has the same result
    on every engine.
    """
    lower = lessen(on)

    @on.elementwise
    def hook(e, src, dst, low, n, present, out_of_range, old, grand, new):
        u, v = read(e, src, dst, low, n, present, out_of_range)
        if grand[u] < grand[v]:
            u, v = v, u
        if grand[v] < grand[u]:
            lower(new, old[u], grand[v])
            lower(new, u, grand[v])

    return hook


def shortcut(on: Any) -> Any:
    """Point each vertex at its grandparent, if the grandparent is smaller than the new parent."""

    @on.elementwise
    def shortcut(v, grand, new):
        if grand[v] < new[v]:
            new[v] = grand[v]

    return shortcut


def next_round(on: Any) -> Any:
    """Copy the new parents, compute the grandparents, and set the flag if a grandparent changed."""

    @on.elementwise
    def next_round(v, old, grand, new, changed):
        p = new[v]
        g = new[p]
        old[v] = p
        if g != grand[v]:
            grand[v] = g
            changed[0] = 1

    return next_round


@standalone_algorithm(
    "fastsv",
    requires=("read",),
    label_arrays=(2, 0),
    needs="8 bytes per vertex for parents and grandparents",
    paper="FastSV, Zhang, Azad and Hu 2020",
)
def fastsv(on: Any, vertex: type, read: Any) -> Step:
    """Hook vertices and their parents to grandparents of neighbours, until no grandparent changes.

    Grandparents only fall, so the rounds end. After a round, for a vertex v and each neighbour w:
    new grandparent of v <= new parent of v <= old grandparents of v and of w. If no grandparent has
    changed, all of these are equal, so neighbours have the same parent, which is a root.
    """
    hook_edges, shorten, advance = hook(on, read), shortcut(on), next_round(on)

    def connect_rest(state: Any) -> None:
        n, new = state.n, state.trees.parent
        old, grand = state.backend.alloc_packed((n, vertex), (n, vertex))
        old[:] = grand[:] = new
        moving = True
        while moving:
            hook_edges(state.m, *state.edges, n, *state.flags, old, grand, new)
            shorten(n, grand, new)
            moving = changes(state, advance, n, old, grand, new)

    return connect_rest
