"""Kernels of the audit of spanning forests by weight, which share nothing with those of runs.

The edges of the forest are numbered in the order of their weights, and of equal weights by row.
Each tree takes its first edge, all at once, round after round: a tree of a round is a node, and its
parent is the tree that it becomes. The greatest number on the path between two vertices along the
forest is the greatest that a node below their first common one has taken (King, "A simpler minimum
spanning tree verification algorithm", Algorithmica 1997), and there are log2 n rounds at most.

us, vs : (k,) unsigned, the nodes of a round that the edges which are left join, in their order.
ranks  : (k,) unsigned, the numbers of these edges.
best   : uint64, the first place in these lists of the edges of each node, all bits set for none.
up     : unsigned, the parent of each node, itself at the top.
chosen : unsigned, one more than the number of the edge that a node took, 0 for none.
"""

from typing import Any

import numpy as np

from .audit import lessen

NONE = np.uint64(0xFFFFFFFFFFFFFFFF)
LIGHTER, APART = np.uint64(0), np.uint64(1)  # the kinds of faults in ``first``


def ends_of_rows(on: Any, node: type, wide: type, load_edge: Any) -> Any:
    """Write the slots of both ends of some rows; a loop for an edge that has changed meanwhile."""

    @on.elementwise
    def ends_of_rows(i, rows, src, dst, low, n, us, vs):
        u, v = load_edge(np.uint64(rows[i]), src, dst, low, n)
        if max(u, v) >= wide(n):
            u = v = wide(0)
        us[i], vs[i] = node(u), node(v)

    return ends_of_rows


def take_first(on: Any) -> Any:
    """Lower the first place of both nodes of an edge."""
    lower = lessen(on)

    @on.elementwise
    def take_first(i, us, vs, best):
        lower(best, us[i], np.uint64(i))
        lower(best, vs[i], np.uint64(i))

    return take_first


def follow_first(on: Any, node: type) -> Any:
    """Put each node under the other one of its edge; of two with one edge the lesser stays."""

    @on.elementwise
    def follow_first(c, us, vs, ranks, best, up, chosen):
        i = best[c]
        if i == NONE:
            up[c], chosen[c] = node(c), node(0)
            return
        u, v = us[i], vs[i]
        other = v if np.uint64(u) == np.uint64(c) else u
        if best[other] == i and np.uint64(c) < np.uint64(other):
            other = node(c)
        up[c], chosen[c] = other, ranks[i] + node(1)

    return follow_first


def is_lighter(on: Any) -> Any:
    """Return whether a weight comes before another one in a forest of least weight."""

    @on.device
    def before(one, other):
        return one < other

    return before


def is_heavier(on: Any) -> Any:
    """Return whether a weight comes before another one in a forest of greatest weight."""

    @on.device
    def before(one, other):
        return one > other

    return before


def find_lighter(on: Any, node: type, wide: type, load_edge: Any, before: Any) -> Any:
    """Find the first edge before the last one on its path, and the first that has no path."""
    lower = lessen(on)

    @on.elementwise
    def find_lighter(e, src, dst, low, n, weights, up, chosen, rows, first):
        x, y = load_edge(e, src, dst, low, n)
        if max(x, y) >= wide(n):
            lower(first, APART, np.uint64(e))
            return
        u, v, last = node(x), node(y), node(0)
        while u != v:
            p, q = up[u], up[v]
            if p == u and q == v:
                lower(first, APART, np.uint64(e))
                return
            last = max(last, max(chosen[u], chosen[v]))
            u, v = p, q
        if last != node(0):
            f = np.uint64(rows[last - node(1)])
            mine, other = weights[e], weights[f]
            if before(mine, other) or (mine == other and np.uint64(e) < f):
                lower(first, LIGHTER, np.uint64(e))

    return find_lighter
