"""Kernels of the audit of bridges, which share nothing with those of runs.

A flow along the edges that are no bridges proves that none of them is one: where as much flows into
each vertex as out of it, what flows through a set of edges that separate the graph is 0 in all, so
that an edge with another flow than 0 does not separate anything by itself. The flows are integers
modulo 2^64, drawn at random for the edges outside a spanning forest; those of the others follow.

us, vs   : (m,) unsigned, the slots of the ends of each edge; two of one slot for bridges and loops.
in_forest : (m,) uint8, not 0 for the edges of the forest.
balance  : (n,) uint64, what flows out of each vertex less what flows into it.
flows    : (t,) uint64, what flows from the lower end to the upper one of each edge of the forest.
"""

from typing import Any

import numpy as np

from .audit import MIX_1, MIX_2, lessen

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


def move(on: Any) -> Any:
    """Let some flow from one vertex to another one."""
    add = on.atomic_add

    @on.device
    def move(balance, u, v, flow):
        add(balance, u, flow)
        add(balance, v, ZERO - flow)

    return move


def flow_outside(on: Any) -> Any:
    """Let a random number flow along each edge outside the forest."""
    send = move(on)

    @on.elementwise
    def flow_outside(e, us, vs, in_forest, seed, balance):
        if us[e] != vs[e] and in_forest[e] == 0:
            h = (e + np.uint64(seed)) * MIX_1
            h = (h ^ (h >> np.uint64(30))) * MIX_1
            h = (h ^ (h >> np.uint64(27))) * MIX_2
            send(balance, us[e], vs[e], h ^ (h >> np.uint64(31)))

    return flow_outside


def flow_inside(on: Any) -> Any:
    """Let flows along the edges of the forest, and find the first edge that has none."""
    send, lower = move(on), lessen(on)

    @on.elementwise
    def flow_inside(i, rows, us, vs, child, flows, balance, first):
        e = np.uint64(rows[i])
        u, v, flow = us[e], vs[e], flows[i]
        if np.uint64(u) != np.uint64(child[i]):
            u, v = v, u
        send(balance, u, v, flow)
        if flow == ZERO:
            lower(first, IDLE, e)

    return flow_inside


def find_unbalanced(on: Any) -> Any:
    """Find the first vertex into which not as much flows as out of it."""
    lower = lessen(on)

    @on.elementwise
    def find_unbalanced(v, balance, first):
        if balance[v] != ZERO:
            lower(first, UNBALANCED, v)

    return find_unbalanced


def find_split(on: Any) -> Any:
    """Find the first edge whose ends are in two classes."""
    lower = lessen(on)

    @on.elementwise
    def find_split(e, us, vs, classes, first):
        if classes[us[e]] != classes[vs[e]]:
            lower(first, SPLIT, e)

    return find_split
