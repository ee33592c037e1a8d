"""Audit: an answer held against the edges, with trees that are grown for nothing else.

labels : (n,) unsigned, the answer: the label of each vertex, a vertex too. Only read.
seen   : bits of the vertices that the answer has. Only read.
trees  : (n,) unsigned, shared by all threads. trees[v] is v, or comes after it in an order that is
         as good as random (see comes_first), so that every climb ends; and a path of edges joins
         the two.
top    : the root that most vertices hang from after a sample: the giant's.
inside : bits of vertices that hang from one root with top.
named  : bits of vertices that the caller names, or a self-loop; others have a parent or a child.
first  : (5,) uint64, of each kind of fault the first edge or vertex, all bits set if there is none.

The trees are grown without a look at the labels. These are right if each vertex hangs from the root
that its label hangs from, which is no greater and labels itself, and there are as many labels as
roots: then no tree has two. Labels of the ends of edges are read only to name one that differs.

It shares no kernel with the designs, which hook the greater root under the smaller one. In a random
order the depth of trees does not hang on that of the edges.
"""

from typing import Any

import numpy as np

from .. import bits
from .ids import EMPTY, mix
from .least import lessen

ONE, THREE, EIGHT = np.uint8(1), np.uint64(3), np.uint64(8)  # for sets as bytes of 8 vertices
ZERO, NEXT, TWO = np.uint64(0), np.uint64(1), np.uint64(2)
PROBES = 256  # vertices looked at for the giant
SPREAD, LOW_WORD = np.uint64(2654435761), np.uint64(0xFFFFFFFF)  # Knuth's multiplicative hash
EDGE, MISSING, LABEL, MERGED, FOREIGN = range(5)  # kinds of faults, all but the first of vertices


def climb(on: Any) -> Any:
    """The root of a vertex; every step goes on in the order."""

    @on.device
    def climb(trees, v):
        up = trees[v]
        while up != v:
            v, up = up, trees[up]
        return v

    return climb


def comes_first(on: Any) -> Any:
    """Whether u comes before v: by Knuth's hashes, by themselves where these are the same."""

    @on.device
    def comes_first(u, v):
        left, right = (np.uint64(u) * SPREAD) & LOW_WORD, (np.uint64(v) * SPREAD) & LOW_WORD
        return left < right or (left == right and u < v)

    return comes_first


def join(on: Any) -> Any:
    """Join the trees of u and v: Rem's union (Patwary et al. 2010) in the order of comes_first.

    Invariant: p and q are, or were, the parents of u and v, so that a path joins all four. The end
    whose parent comes first is moved: a root is hooked by one compare-and-swap, so that no tree is
    hung twice; another is hung from q instead of p, and p and q are joined next, so that nothing is
    lost. A swap that fails has met a later parent. It ends because each step goes up the order.
    """
    cas, first = on.cas, comes_first(on)

    @on.device
    def join(trees, u, v):
        p, q = trees[u], trees[v]
        while p != q:
            if first(q, p):
                u, v, p, q = v, u, q, p
            seen = cas(trees, u, p, q)
            if u != p:
                u, p = p, trees[p]
            elif seen == p:
                p = q
            else:
                p = seen

    return join


def join_edges(on: Any, vertex: type, wide: type, ends: Any, place: Any, ahead: Any) -> Any:
    """Join both ends of each edge: of a sample, or of all where none pays."""
    mark, unite, fault = bits.mark(on), join(on), lessen(on)

    @on.each
    def join_edges(i, src, dst, low, n, trees, named, first):
        ahead(i, src, dst, low, trees)
        e = place(i)
        u, v = ends(e, src, dst, low, n)
        if max(u, v) >= wide(n):
            fault(first, EDGE, e)
        elif u == v:
            mark(named, vertex(u))
        else:
            unite(trees, vertex(u), vertex(v))

    return join_edges


def join_outside(on: Any, vertex: type, wide: type, ends: Any, place: Any) -> Any:
    """Join both ends of each edge, unless both are inside.

    These hang from one root, or do by the end of the kernel: a bit is set by the thread that has
    joined its vertex to the giant's root.
    """
    has, mark, unite, fault = bits.has(on), bits.mark(on), join(on), lessen(on)

    @on.each
    def join_outside(i, src, dst, low, n, top, inside, trees, named, first):
        e = place(i)
        u, v = ends(e, src, dst, low, n)
        if max(u, v) >= wide(n):
            fault(first, EDGE, e)
        elif u == v:
            mark(named, vertex(u))
        else:
            u_in, v_in = has(inside, vertex(u)), has(inside, vertex(v))
            if u_in != v_in:
                w = vertex(v if u_in else u)
                unite(trees, vertex(top), w)
                mark(inside, w)
            elif not u_in:
                unite(trees, vertex(u), vertex(v))

    return join_outside


def differ(on: Any, vertex: type, wide: type, ends: Any, place: Any) -> Any:
    """The first edge whose ends have different labels, or one of which is no vertex."""
    fault = lessen(on)

    @on.each
    def differ(i, src, dst, low, n, labels, first):
        e = place(i)
        u, v = ends(e, src, dst, low, n)
        if max(u, v) >= wide(n) or labels[u] != labels[v]:
            fault(first, EDGE, e)

    return differ


def probe(on: Any, vertex: type) -> Any:
    """The roots of some vertices: the one that most hang from may be the giant's."""
    root = climb(on)

    @on.each
    def probe(i, n, trees, out):
        out[i] = root(trees, vertex(((i * SPREAD) & LOW_WORD) % np.uint64(n)))

    return probe


def gather_inside(on: Any, vertex: type) -> Any:
    """Point every vertex at its root, and note those of the giant; a thread owns whole bytes of
    the bits.

    Nothing is joined meanwhile, so that roots stay what they are.
    """
    root = climb(on)

    @on.each
    def gather_inside(b, n, top, trees, octets):
        octet, v, one = np.uint8(0), b << THREE, ONE
        last = min(v + EIGHT, np.uint64(n))
        while v < last:
            up = trees[v]
            end = root(trees, up)
            if end != up:
                trees[v] = end
            if end == vertex(top):
                octet |= one
            one = np.uint8(one << ONE)
            v += NEXT
        octets[b] = octet

    return gather_inside


def check_vertices(on: Any, vertex: type) -> Any:
    """The first vertex of each kind of fault, and the numbers of labels and of roots with labels.

    LABEL: its label is greater, or does not label itself. MERGED: it does not hang from the root of
    its label. MISSING: it hangs in a tree, and the answer does not have it. Of what hangs the root
    is named: an edge does. Vertices inside hang from one root with ``head``: of those that have its
    label it is enough to see once whether that is apart.
    """
    has, mark, fault, add, root = bits.has(on), bits.mark(on), lessen(on), on.all_add, climb(on)

    @on.sweep
    def check_vertices(v, n, step, head, labels, seen, inside, trees, named, first, counts):
        found, roots, giant = np.int64(0), np.int64(0), labels[head]
        summit = root(trees, vertex(head))
        apart = giant >= n or root(trees, giant) != summit
        while v < n:
            own, within = labels[v], has(inside, vertex(v))
            top = summit if within else root(trees, vertex(v))
            if top != v:
                mark(named, top)
            if not has(seen, vertex(v)):
                if top != v:
                    fault(first, MISSING, v)
            elif own > v or labels[own] != own or not has(seen, own):
                fault(first, LABEL, v)
            elif own == v:
                found += np.int64(1)
            elif apart if within and own == giant else root(trees, own) != top:
                fault(first, MERGED, v)
            if top == v and has(seen, vertex(v)):
                roots += np.int64(1)
            v += step
        add(counts, 0, found)
        add(counts, 1, roots)

    return check_vertices


def check_roots(on: Any, vertex: type) -> Any:
    """The first root that nothing names (FOREIGN), or that is named without a label (MISSING)."""
    has, low = bits.has(on), on.min

    @on.each
    def check_roots(v, seen, trees, named, first):
        if trees[v] == v and has(seen, vertex(v)) != has(named, vertex(v)):
            kind = FOREIGN if has(seen, vertex(v)) else MISSING
            low(first, kind, v)

    return check_roots


def look_up(on: Any, vertex: type) -> Any:
    """The vertex of each id, or n, by a table that has one behind each id.

    The ids are those of a table of :mod:`cc_rapids.passes.ids`; nothing is entered meanwhile. Ends
    at the id, at an empty slot, or after all slots.
    """
    hashed = mix(on)

    @on.each
    def look_up(i, n, column, table, out):
        key, size = np.uint64(np.int64(column[i])), (np.uint64(table.size) >> NEXT) - NEXT
        s, left, found = hashed(key) % size, size, vertex(n)
        if key == EMPTY:
            s, left = size, ZERO
            if table[TWO * s] != EMPTY:
                found = vertex(table[TWO * s + NEXT])
        while left > ZERO:
            held = table[TWO * s]
            left -= NEXT
            if held == key:
                found, left = vertex(table[TWO * s + NEXT]), ZERO
            elif held == EMPTY:
                left = ZERO
            s = s + NEXT if s + NEXT < size else ZERO
        out[i] = found

    return look_up
