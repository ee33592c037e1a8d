"""Kernels of the audit of bridges, which share nothing with those of runs.

us, vs  : (m,) unsigned, the slots of the ends of each edge; two of one slot for bridges and loops.
flows   : (m,) uint64, what is said to flow from one to the other, modulo 2^64.
classes : (n,) unsigned, the class that each slot is said to be in.
balance : (n,) uint64, what flows out of each slot less what flows into it.
"""

from typing import Any

import numpy as np

from .audit import lessen

ZERO = np.uint64(0)
IDLE, UNBALANCED, SPLIT = (np.uint64(k) for k in range(3))  # the kinds of faults in ``first``
FAULTS = 3


def ends_of_edges(on: Any, node: type, wide: type, load_edge: Any) -> Any:
    """Write the slots of both ends of each edge; a loop for an edge that has changed meanwhile."""

    @on.elementwise
    def ends_of_edges(e, src, dst, low, n, us, vs):
        u, v = load_edge(e, src, dst, low, n)
        if max(u, v) >= wide(n):
            u = v = wide(0)
        us[e], vs[e] = node(u), node(v)

    return ends_of_edges


def let_flow(on: Any) -> Any:
    """Let the flows go; find the first edge without one, and the first between two classes."""
    add, lower = on.atomic_add, lessen(on)

    @on.elementwise
    def let_flow(e, us, vs, flows, classes, balance, first):
        u, v, flow = us[e], vs[e], flows[e]
        if u != v:
            if flow == ZERO:
                lower(first, IDLE, e)
            if classes[u] != classes[v]:
                lower(first, SPLIT, e)
            add(balance, u, flow)
            add(balance, v, ZERO - flow)

    return let_flow


def find_unbalanced(on: Any) -> Any:
    """Find the first slot into which not as much flows as out of it."""
    lower = lessen(on)

    @on.elementwise
    def find_unbalanced(v, balance, first):
        if balance[v] != ZERO:
            lower(first, UNBALANCED, v)

    return find_unbalanced
