"""Core distances of points, and mutual reachability as the weight of an entry of a neighbour array.

The arrays are as in :mod:`.neighbors`. ``weights`` are the bits of the distances. Distances are
compared by the order-preserving codes of :mod:`.boruvka`.

Campello, Moulavi and Sander, "Density-based clustering based on hierarchical density estimates",
PAKDD 2013.
"""

from typing import Any

import numpy as np

from .neighbors import (
    BORDER,
    KEPT,
    LOW,
    NONE,
    ONE,
    REACH,
    WEIGHT_STEP,
    ZERO,
    has_bit,
    number_of,
    place_of,
    position_of,
    row_size,
)


def code_of_entry(on: Any, order: Any) -> Any:
    """Return the code of an entry's distance; all bits set if it is no edge or border entry."""
    has, number, position = has_bit(on), number_of(on), position_of(on)

    @on.device
    def code(src, weights, row, column):
        e = number(src, row, column)
        if not has(src, src[KEPT], e) and not has(src, src[BORDER], e):
            return NONE
        return order(weights[position(src, row, column, WEIGHT_STEP)])

    return code


def core_distances(on: Any, order: Any) -> Any:
    """Write the code of each point's core distance: the distance to its ``rank``-th neighbour.

    The first neighbour has rank 1; with rank 0 the distance is 0. A point with fewer neighbours
    than ``rank`` is not a core point, so none of its entries is an edge, and its distance is not
    used. If the distances of a row do not ascend, bisection finds the ``rank``-th smallest code in
    the range from ``least`` to ``last``. Each step at least halves the range: one end becomes the
    greatest code up to the middle (``below``), or the least code after it (``above``).
    """
    code_of, size = code_of_entry(on, order), row_size(on)

    @on.elementwise
    def core_distances(v, rank, src, weights, codes):
        columns, column, count, ascends = size(src, v), ZERO, ZERO, True
        least, last, core = NONE, ZERO, order(ZERO)
        while column < columns and np.uint64(rank) > ZERO:
            code = code_of(src, weights, v, column)
            if code != NONE:
                ascends = ascends and code >= last
                least, last, count = min(least, code), max(last, code), count + ONE
                if count == np.uint64(rank):
                    core = code
            column += ONE
        if not ascends and count >= np.uint64(rank):
            while least < last:
                middle, column, count = least + ((last - least) >> ONE), ZERO, ZERO
                below, above = ZERO, NONE
                while column < columns:
                    code = code_of(src, weights, v, column)
                    if code <= middle:
                        below, count = max(below, code), count + ONE
                    else:
                        above = min(above, code)
                    column += ONE
                if count >= np.uint64(rank):
                    last = below
                else:
                    least = above
                if count == np.uint64(rank):  # ``below`` is the code sought: end the loop
                    least = below
            core = least
        codes[v] = core

    return core_distances


def mutual_reachability(on: Any, order: Any, load_edge: Any, in_order: bool) -> Any:
    """Return the code of the mutual reachability of the two points of entry e.

    This is the maximum of the distance of entry e and both core distances. ``in_order`` is whether
    the distance of entry e is element e of the weights.
    """
    place, position = place_of(on), position_of(on)

    @on.device
    def weigh(e, weights, src, dst, n):
        u, v = load_edge(e, src, dst, LOW, n)
        i = e
        if not in_order:
            row, column = place(src, n, e)
            i = position(src, row, column, WEIGHT_STEP)
        code = order(weights[i])
        cores, limit = src[REACH], np.uint64(n)
        if np.uint64(u) < limit and np.uint64(v) < limit:  # ``dst`` may change during the run
            code = max(code, src[cores + np.uint64(u)], src[cores + np.uint64(v)])
        return code

    return weigh


def write_edges(on: Any, weigh: Any, load_edge: Any) -> Any:
    """Write the endpoints of the entries with numbers ``entries``, and their weights as codes."""

    @on.elementwise
    def write_edges(i, entries, weights, src, dst, n, us, vs, codes):
        e = np.uint64(entries[i])
        us[i], vs[i] = load_edge(e, src, dst, LOW, n)
        codes[i] = weigh(e, weights, src, dst, n)

    return write_edges
