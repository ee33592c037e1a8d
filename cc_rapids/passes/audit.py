"""Audit: an answer held against the edges, with trees that are grown for nothing else.

labels : (n,) unsigned, the answer: the label of each vertex, a vertex too. Only read.
seen   : bits of the vertices that the answer has. Only read.
trees  : (n,) unsigned, shared by all threads: what edges of one label join, see trees.py.
alike  : bits of the vertices with the most frequent label, the giant's, where that is known.
top    : the root that most of these hang from after a sample.
inside : bits of vertices that have the giant's label, and hang from one root with top.
named  : bits of vertices that the caller names, or a self-loop; others have a parent or a child.
first  : uint64, of each kind of fault the first edge or vertex, all bits set if there is none.
wrong  : (1,) int64, not 0 once an edge that has waited in a queue is at fault.
"""

from typing import Any

import numpy as np

from .. import bits
from . import giant
from .least import lessen
from .trees import climb

ONE, THREE, EIGHT = np.uint8(1), np.uint64(3), np.uint64(8)  # for sets as bytes of 8 vertices
NEXT = np.uint64(1)
PROBES = 256  # vertices looked at for the giant
MISSING, LABEL, MERGED, FOREIGN, NONE = range(5)  # kinds of faults of a vertex


def agree(on: Any, known: bool) -> Any:
    """Whether two vertices have one label: by two bits for nearly all, if these are ``known``."""
    has = bits.has(on)

    @on.device
    def compared(u, v, labels, alike):
        return labels[u] == labels[v]

    @on.device
    def agree(u, v, labels, alike):
        one, other = has(alike, u), has(alike, v)
        return one == other and (one or labels[u] == labels[v])

    return agree if known else compared


def hold(on: Any, same: Any, join: Any) -> Any:
    """Join the ends of an edge, if they have one label; else the edge is at fault."""

    @on.device
    def hold(u, v, top, labels, alike, inside, trees):
        p, q = trees[u], trees[v]
        if not same(u, v, labels, alike):
            return False
        join(trees, u, v, p, q)
        return True

    return hold


def hold_apart(on: Any, same: Any, join: Any) -> Any:
    """As hold, but ends that hang from one vertex are done: all of a tree has one label, as no edge
    joins it that has two. That is less to do for a processor, whose threads are few.
    """
    one = hold(on, same, join)

    @on.device
    def hold_apart(u, v, top, labels, alike, inside, trees):
        return trees[u] == trees[v] or one(u, v, top, labels, alike, inside, trees)

    return hold_apart


def hold_outside(on: Any, same: Any, join: Any) -> Any:
    """As hold, where some vertices are inside: an edge with both ends there is done.

    They have one label, and hang from one root, or do by the end of the kernel: a bit is set by the
    thread that has joined its vertex to the giant. So where one end is inside, the other needs the
    giant's label, and is joined to that.
    """
    has, mark = bits.has(on), bits.mark(on)

    @on.device
    def hold_outside(u, v, top, labels, alike, inside, trees):
        u_in, v_in = has(inside, u), has(inside, v)
        if u_in and v_in:
            return True
        one, w = u_in or v_in, v if u_in else u
        other = top if one else v
        p, q = trees[w], trees[other]
        right = has(alike, w) if one else same(w, other, labels, alike)
        if right:
            join(trees, w, other, p, q)
            if one:
                mark(inside, w)
        return right

    return hold_outside


def check_edges(
    on: Any, vertex: type, wide: type, ends: Any, place: Any, ahead: Any, hold: Any
) -> Any:
    """Join both ends of each edge that joins two vertices of one label, and note the first other.

    The vertices that the answer does not have are told later, by what has joined or named them.
    """
    mark, fault = bits.mark(on), lessen(on)

    @on.each
    def check_edges(i, src, dst, low, n, top, labels, alike, inside, trees, named, first):
        e = place(i)
        ahead(i, src, dst, low, trees)
        u, v = ends(e, src, dst, low, n)
        if max(u, v) >= wide(n):
            fault(first, 0, e)
        elif u == v:
            mark(named, vertex(u))
        elif not hold(vertex(u), vertex(v), vertex(top), labels, alike, inside, trees):
            fault(first, 0, e)

    return check_edges


def finish(on: Any, vertex: type, hold: Any) -> Any:
    """Hold an edge that has left a queue; which one is at fault is found by another pass."""

    @on.device
    def finish(u, v, e, top, labels, alike, inside, trees, wrong):
        if not hold(u, v, vertex(top), labels, alike, inside, trees):
            wrong[0] = 1

    return finish


def probe(on: Any, vertex: type) -> Any:
    """The labels and the roots of some vertices: those of the giant stand there most often."""
    root, probed = climb(on), giant.probed(on)

    @on.each
    def probe(i, n, labels, trees, out):
        v = vertex(probed(i, n))
        out[i] = labels[v]
        out[i + np.uint64(PROBES)] = root(trees, v)

    return probe


def gather_alike(on: Any, vertex: type) -> Any:
    """Whether each vertex has a label; a thread owns whole bytes of the bits."""

    @on.each
    def gather_alike(b, n, label, labels, octets):
        octet, v, one, last = np.uint8(0), b << THREE, ONE, min((b << THREE) + EIGHT, np.uint64(n))
        while v < last:
            if labels[v] == vertex(label):
                octet |= one
            one = np.uint8(one << ONE)
            v += NEXT
        octets[b] = octet

    return gather_alike


def gather_inside(on: Any, vertex: type) -> Any:
    """Whether each vertex hangs from the giant's root and has its label; a thread owns whole bytes
    of the bits.

    Nothing is joined meanwhile, so that roots stay what they are, and a vertex is hung from its
    own: the paths that it lies on become shorter.
    """
    root = climb(on)

    @on.each
    def gather_inside(b, n, top, alike, trees, octets):
        octet, v, one, last = np.uint8(0), b << THREE, ONE, min((b << THREE) + EIGHT, np.uint64(n))
        while v < last:
            p = trees[v]
            r = root(trees, p)
            if r != p:
                trees[v] = r
            if r == vertex(top):
                octet |= one
            one = np.uint8(one << ONE)
            v += NEXT
        octets[b] = octet & alike[b]

    return gather_inside


def wrong_with(on: Any) -> Any:
    """What is wrong with a label, for a vertex that hangs from a root: LABEL, MERGED, or NONE."""
    has, root = bits.has(on), climb(on)

    @on.device
    def wrong_with(own, top, labels, seen, trees):
        if own >= np.uint64(labels.size) or labels[own] != own or not has(seen, own):
            return LABEL
        return MERGED if root(trees, own) != top else NONE

    return wrong_with


def fault_of(on: Any, vertex: type) -> Any:
    """What is wrong with a vertex of the label ``own`` that hangs from the root ``top``.

    LABEL: its label is greater, or does not label itself. MERGED: it does not hang from the root of
    its label. MISSING: it hangs in a tree, and the answer does not have it. ``common`` is what is
    wrong with all others of the label ``giant`` that hang from ``summit``.
    """
    has, wrong_with_one = bits.has(on), wrong_with(on)

    @on.device
    def fault_of(v, own, top, giant, summit, common, labels, seen, trees):
        if not has(seen, vertex(v)):
            return MISSING if top != v else NONE
        if own >= v:
            return NONE if own == v else LABEL
        if own == vertex(giant) and top == summit:
            return common
        return wrong_with_one(own, top, labels, seen, trees)

    return fault_of


def check_vertices(on: Any, vertex: type) -> Any:
    """The first vertex of each kind of fault, and the number of labels.

    Of what hangs the root is named: an edge does. Of a vertex inside, whoever set its bit has seen
    that it has the label ``giant`` and a path to ``head``, so that only bits are read of it again.
    """
    has, mark, add, root = bits.has(on), bits.mark(on), on.all_add, climb(on)
    fault, fault_of_one, wrong_with_one = lessen(on), fault_of(on, vertex), wrong_with(on)

    @on.sweep
    def check_vertices(v, n, step, giant, head, labels, seen, inside, trees, named, first, count):
        found, summit, hung = np.int64(0), root(trees, vertex(head)), False
        common = wrong_with_one(vertex(giant), summit, labels, seen, trees)
        while v < n:
            within, own, top = has(inside, vertex(v)), vertex(giant), summit
            if not within:
                own, top = labels[v], root(trees, vertex(v))
            if within and top != v:
                hung = True
            elif top != v:
                mark(named, top)
            kind = fault_of_one(v, own, top, giant, summit, common, labels, seen, trees)
            if kind != NONE:
                fault(first, kind, v)
            elif own == v and has(seen, own):
                found += np.int64(1)
            v += step
        if hung:
            mark(named, summit)
        add(count, 0, found)

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
