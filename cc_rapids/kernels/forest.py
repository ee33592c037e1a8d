"""Forest: the phases that every union-find design shares, around its link rule.

src, dst : (m,) integers of any type, the columns as they came; vertex v has the id v + low.
parent   : (n,) unsigned, shared by all threads, parent[v] <= v.
seen     : (n + 31) // 32 words of bits (see bits.py), at first the vertices named beside the edges.
"""

from typing import Any

import numpy as np

from . import bits


def distance(on: Any, wide: type) -> Any:
    """How far the id of a row is from the lowest one, as an unsigned integer as wide as the ids.

    Modulo 2^32 or 2^64 that is right for the ids of the n vertices, and n or more for all others
    of their type, because low .. low + n - 1 lie within the type.
    """

    @on.device
    def distance(column, i, low):
        return wide(np.int64(column[i]) - low)

    return distance


def index(on: Any, vertex: type) -> Any:
    """The vertex of a row of a column: its id less the lowest one.

    The difference of two 64-bit integers that are at most n apart is right even if the ids
    themselves are unsigned beyond 2^63.
    """

    @on.device
    def index(column, i, low):
        return vertex(np.int64(column[i]) - low)

    return index


def rows(on: Any) -> Any:
    """The row of each entry of an adjacency list: out[e] = r, offsets[r] <= e < offsets[r + 1].

    By bisection: neighbours take the same steps, so that they read the same words.
    """
    one = np.uint64(1)

    @on.each
    def rows(e, n, offsets, out):
        low, high = np.uint64(0), np.uint64(n)
        while high - low > one:
            middle = (low + high) >> one
            if np.uint64(offsets[middle]) <= e:
                low = middle
            else:
                high = middle
        out[e] = low

    return rows


def start(on: Any, vertex: type) -> Any:
    """Every vertex is a tree of its own."""

    @on.each
    def start(v, parent):
        parent[v] = vertex(v)

    return start


def every_edge(on: Any, vertex: type, wide: type, link: Any, place: Any, begin: Any) -> Any:
    """Link the two ends of each edge, in any order and at the same time.

    ``place`` says which edge is the i-th, ``begin`` where the climb begins. A self-loop joins
    nothing: that its vertex occurs is the only thing to note. Most edges of a dense graph have two
    ends with one parent: two reads are all they cost. An edge with an end beyond the n vertices is
    left out and noted in ``stray``.
    """
    at, mark = distance(on, wide), bits.mark(on)

    @on.each
    def every_edge(i, src, dst, low, n, parent, seen, stray):
        e = place(i)
        u, v = at(src, e, low), at(dst, e, low)
        if max(u, v) >= wide(n):
            stray[0] = 1
        elif u == v:
            mark(seen, vertex(u))
        else:
            p, q = parent[u], parent[v]
            if p != q:
                link(parent, begin(vertex(u), p), begin(vertex(v), q))

    return every_edge


def from_vertex(on: Any) -> Any:
    """Climb from the end of an edge, and shorten its path: trees are deep while all edges link."""

    @on.device
    def begin(v, p):
        return v

    return begin


def from_parent(on: Any) -> Any:
    """Climb from the parent of an end, which is read already: the trees of a sample are low."""

    @on.device
    def begin(v, p):
        return p

    return begin


def flatten(on: Any, find: Any) -> Any:
    """Point every vertex at its root, and note the roots that have children.

    No tree changes its root any more. A vertex that another thread has not flattened yet still
    leads to the same root. A vertex with a parent occurs in an edge, so that only roots need a bit.
    """
    mark = bits.mark(on)

    @on.each
    def flatten(v, parent, seen):
        p = parent[v]
        r = find(parent, p)
        if r != v:
            if r != p:
                parent[v] = r
            mark(seen, r)

    return flatten
