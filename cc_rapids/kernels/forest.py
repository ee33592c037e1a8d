"""Forest: the phases that every union-find design shares, around its link rule.

src, dst : (m,) integers of any type, the columns as they came; vertex v has the id v + low. Of an
           adjacency list they are its (n + 1,) offsets and (m,) indices, and low is 0.
parent   : (n,) unsigned, shared by all threads, parent[v] <= v.
extra    : what a link keeps beside the parents (see link.py).
chosen   : (n,) unsigned, the edge by which each vertex was hooked, if a spanning forest is wanted.
seen     : (n + 31) // 32 words of bits (see bits.py), at first the vertices named beside the edges.
stray    : (1,) not 0 once an edge with an end beyond the n vertices was left out.
"""

from typing import Any

from .. import bits
from .link import none_of


def start(on: Any, vertex: type) -> Any:
    """Every vertex is a tree of its own."""

    @on.sweep
    def start(v, n, step, parent):
        while v < n:
            parent[v] = vertex(v)
            v += step

    return start


def forget(on: Any) -> Any:
    """Where no spanning forest is wanted, a hook leaves no note."""

    @on.device
    def note(chosen, r, e):
        return

    return note


def remember(on: Any) -> Any:
    """Note the edge by which a root was hooked: each is hooked once, so that no note is lost."""

    @on.device
    def note(chosen, r, e):
        chosen[r] = e

    return note


def joining(on: Any, vertex: type, link: Any, note: Any) -> Any:
    """Link two vertices for the sake of edge e, and note it if that has hooked a root."""
    none = none_of(vertex)

    @on.device
    def join(parent, extra, chosen, u, v, e):
        r = link(parent, extra, u, v)
        if r != none:
            note(chosen, r, e)

    return join


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


def one_edge(on: Any, vertex: type, wide: type, join: Any, begin: Any) -> Any:
    """Link the two ends of an edge; ``begin`` says where the climbs begin.

    A self-loop joins nothing: that its vertex occurs is the only thing to note. Most edges of a
    dense graph have two ends with one parent: two reads are all they cost.
    """
    mark = bits.mark(on)

    @on.device
    def one_edge(u, v, e, n, parent, extra, chosen, seen, stray):
        if max(u, v) >= wide(n):
            stray[0] = 1
        elif u == v:
            mark(seen, vertex(u))
        else:
            p, q = parent[u], parent[v]
            if p != q:
                join(parent, extra, chosen, begin(vertex(u), p), begin(vertex(v), q), e)

    return one_edge


def every_edge(on: Any, one: Any, ends: Any, place: Any, ahead: Any) -> Any:
    """Link the ends of each edge, in any order and at the same time.

    ``place`` says which is the i-th, ``ahead`` asks for the parents of one that comes soon.
    """

    @on.each
    def every_edge(i, src, dst, low, n, parent, extra, chosen, seen, stray):
        ahead(i, src, dst, low, parent)
        e = place(i)
        u, v = ends(e, src, dst, low, n)
        one(u, v, e, n, parent, extra, chosen, seen, stray)

    return every_edge


def flatten(on: Any, find: Any) -> Any:
    """Point every vertex at its root, and note the roots that have children.

    No tree changes its root any more. A vertex that another thread has not flattened yet still
    leads to the same root. A vertex with a parent occurs in an edge, so that only roots need a bit.
    """
    mark = bits.mark(on)

    @on.each
    def flatten(v, parent, seen):
        p = parent[v]
        r = find(parent, v)
        if r != v:
            if r != p:
                parent[v] = r
            mark(seen, r)

    return flatten
