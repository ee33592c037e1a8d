"""Look-up of ids in a solved forest, and among sorted ids.

vertices : (m,) uint64, the vertices of the ids that are looked up, any where none is known.
valid    : (m,) uint8, not 0 where an id may be a vertex; 0 afterwards where it is none.
parent   : (n,) unsigned, the root of each vertex.
present, before : the vertices that occur and their ranks, see gather.py.
"""

from typing import Any

import numpy as np

from . import primitives

ZERO, ONE = np.uint64(0), np.uint64(1)


def row(on: Any) -> Any:
    """Return the row of a vertex in the answer: its rank among those that occur."""
    rank = primitives.rank(on)

    @on.device
    def row(v, parent, present, before):
        return np.uint64(rank(present, before, v))

    return row


def root(on: Any) -> Any:
    """Return the root of a vertex."""

    @on.device
    def root(v, parent, present, before):
        return np.uint64(parent[v])

    return root


def look_up(on: Any, vertex: type, value: Any) -> Any:
    """Write a value of each vertex that occurs; others get 0 and become invalid."""
    has = primitives.has(on)

    @on.elementwise
    def look_up(i, vertices, n, parent, present, before, out, valid):
        v, result = vertices[i], ZERO
        if valid[i] != 0 and v < np.uint64(n) and has(present, vertex(v)):
            result = value(vertex(v), parent, present, before)
        else:
            valid[i] = np.uint8(0)
        out[i] = np.int64(result)

    return look_up


def take(on: Any) -> Any:
    """Write the value at each of some places."""

    @on.elementwise
    def take(i, places, values, out):
        out[i] = values[places[i]]

    return take


def index_sorted(on: Any) -> Any:
    """Write where each portion of sorted ids begins: starts[p] for those from low + (p << shift).

    ``starts`` has a place more than there are portions, for the end of the last.
    """

    @on.elementwise
    def index_sorted(v, ids, low, shift, starts):
        base, bits = np.uint64(low), np.uint64(shift)
        p, last = ZERO, (np.uint64(np.int64(ids[v])) - base) >> bits
        if v > ZERO:
            p = ((np.uint64(np.int64(ids[v - ONE])) - base) >> bits) + ONE
        while p <= last:
            starts[p] = v
            p += ONE
        if v + ONE == np.uint64(ids.size):
            while p < np.uint64(starts.size):
                starts[p] = np.uint64(ids.size)
                p += ONE

    return index_sorted


def search_sorted(on: Any) -> Any:
    """Write the place of each id among sorted ones; ``valid`` becomes 0 where it is not there.

    Of ids that are spread evenly a portion holds one or two, so that few steps are left.
    """

    @on.elementwise
    def search_sorted(i, queries, ids, low, span, shift, starts, out, valid):
        base, at = np.uint64(low), ZERO
        far = np.uint64(np.int64(queries[i])) - base
        if valid[i] != 0 and far <= np.uint64(span):
            p = far >> np.uint64(shift)
            at, end = np.uint64(starts[p]), np.uint64(starts[p + ONE])
            while at < end:
                middle = (at + end) >> ONE
                if np.uint64(np.int64(ids[middle])) - base < far:
                    at = middle + ONE
                else:
                    end = middle
            if at >= np.uint64(ids.size) or np.uint64(np.int64(ids[at])) - base != far:
                valid[i], at = np.uint8(0), ZERO
        else:
            valid[i] = np.uint8(0)
        out[i] = at

    return search_sorted
