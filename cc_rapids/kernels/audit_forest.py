"""Kernels of the audit of weighted spanning forests; they share no code with kernels of runs.

The forest's edges are numbered by weight, and edges of equal weight by row. Borůvka's rounds build
a hierarchy: its nodes are the trees of all rounds, and the parent of a node is the tree of the next
round that contains it. Two vertices of the forest climb in this hierarchy to their lowest common
ancestor. Each node on these climbs, below the ancestor, selected an edge. The greatest of these
edge numbers is the greatest on the path between the two vertices in the forest (King, "A simpler
minimum spanning tree verification algorithm", Algorithmica 1997). There are at most log2 n rounds.

us, vs : (k,) unsigned, the ends of the remaining edges, in order, as nodes of the current round.
ranks  : (k,) unsigned, the numbers of these edges.
best   : uint64, for each node the index of its first edge in ``us``; all bits set for none.
up     : unsigned, the parent of each node; the node itself at the top.
chosen : unsigned, one more than the number of the edge that a node selected; 0 for none.
"""

from typing import Any

import numpy as np

from .audit import lessen

NONE = np.uint64(0xFFFFFFFFFFFFFFFF)
BETTER, APART = np.uint64(0), np.uint64(1)  # kinds of faults: indices into ``first``


def ends_of_rows(on: Any, node: type, wide: type, load_edge: Any) -> Any:
    """Write the slots of both endpoints of selected rows; an invalid edge becomes a loop."""

    @on.elementwise
    def ends_of_rows(i, rows, src, dst, low, n, us, vs):
        u, v = load_edge(np.uint64(rows[i]), src, dst, low, n)
        if max(u, v) >= wide(n):
            u = v = wide(0)
        us[i], vs[i] = node(u), node(v)

    return ends_of_rows


def take_first(on: Any) -> Any:
    """Lower ``best`` of both nodes of an edge to the index of the edge."""
    lower = lessen(on)

    @on.elementwise
    def take_first(i, us, vs, best):
        lower(best, us[i], np.uint64(i))
        lower(best, vs[i], np.uint64(i))

    return take_first


def follow_first(on: Any, node: type) -> Any:
    """Point each node at the other node of its selected edge.

    Of two nodes that selected the same edge, the smaller becomes a root.
    """

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
    """Return whether a weight precedes another in a minimum spanning forest."""

    @on.device
    def precedes(weight, other_weight):
        return weight < other_weight

    return precedes


def is_heavier(on: Any) -> Any:
    """Return whether a weight precedes another in a maximum spanning forest."""

    @on.device
    def precedes(weight, other_weight):
        return weight > other_weight

    return precedes


def find_better(on: Any, node: type, wide: type, load_edge: Any, precedes: Any) -> Any:
    """Lower ``first[BETTER]`` to the lowest row whose edge would improve the forest.

    Such an edge precedes the edge with the greatest number on the forest path between its
    endpoints: by weight (:func:`is_lighter` or :func:`is_heavier`), and of equal weights by row.
    ``first[APART]`` is lowered to the lowest row whose endpoints no path connects. ``rows`` has the
    row of each edge of the forest, by number.
    """
    lower = lessen(on)

    @on.elementwise
    def find_better(e, src, dst, low, n, weights, up, chosen, rows, first):
        x, y = load_edge(e, src, dst, low, n)
        if max(x, y) >= wide(n):
            lower(first, APART, np.uint64(e))
            return
        u, v, worst = node(x), node(y), node(0)  # ``worst`` is as in ``chosen``: a number + 1
        while u != v:
            p, q = up[u], up[v]
            if p == u and q == v:
                lower(first, APART, np.uint64(e))
                return
            worst = max(worst, max(chosen[u], chosen[v]))
            u, v = p, q
        if worst != node(0):
            row, worst_row = np.uint64(e), np.uint64(rows[worst - node(1)])
            weight, worst_weight = weights[e], weights[worst_row]
            if precedes(weight, worst_weight) or (weight == worst_weight and row < worst_row):
                lower(first, BETTER, row)

    return find_better
