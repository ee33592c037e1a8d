"""The phases that every union-find design shares, around its union rule.

src, dst : (m,) integers of any type, the columns as they came; vertex v has the id v + low. Of an
           adjacency list they are its (n + 1,) offsets and (m,) indices, and low is 0.
parent   : (n,) unsigned, shared by all threads, parent[v] <= v.
aux      : what a link keeps beside the parents (see union.py).
hook_edge : (n,) unsigned, the edge by which each vertex was hooked, if a spanning forest is wanted.
present  : (n + 31) // 32 words of bits, at first the vertices named beside the edges.
out_of_range : (1,) not 0 once an edge with an end beyond the n vertices was left out.
"""

from typing import Any

import numpy as np

from . import primitives
from .primitives import lessen, none_of

EIGHT = np.uint64(8)
FIRST = np.uint64(0)
ONE = np.uint8(1)
SECOND = np.uint64(1)
THREE = np.uint64(3)


def init_singletons(on: Any, vertex: type) -> Any:
    """Make every vertex a tree of its own."""

    @on.grid_stride
    def init_singletons(v, n, step, parent):
        while v < n:
            parent[v] = vertex(v)
            v += step

    return init_singletons


def no_hook_record(on: Any) -> Any:
    """Record nothing, for runs without a spanning forest."""

    @on.device
    def record_hook(hook_edge, r, e):
        return

    return record_hook


def record_hook(on: Any) -> Any:
    """Record the edge by which a root was hooked; each root is hooked once, so none is lost."""

    @on.device
    def record_hook(hook_edge, r, e):
        hook_edge[r] = e

    return record_hook


def joining(on: Any, vertex: type, link: Any, record_hook: Any) -> Any:
    """Link two vertices by edge e, and record the edge if it hooked a root."""
    none = none_of(vertex)

    @on.device
    def join(parent, aux, hook_edge, u, v, e):
        r = link(parent, aux, u, v)
        if r != none:
            record_hook(hook_edge, r, e)

    return join


def flatten(on: Any, find: Any) -> Any:
    """Point every vertex at its root, and note the roots that have children.

    No tree changes its root any more. A vertex that another thread has not flattened yet still
    leads to the same root. A vertex with a parent occurs in an edge, so that only roots need a bit.
    """
    mark = primitives.mark(on)

    @on.elementwise
    def flatten(v, parent, present):
        p = parent[v]
        r = find(parent, v)
        if r != v:
            if r != p:
                parent[v] = r
            mark(present, r)

    return flatten


def complete(on: Any, vertex: type) -> Any:
    """Add the vertices that have a parent to the set, and count: totals = [vertices, components].

    ``octets`` are the words of ``present`` byte by byte. A thread owns whole bytes, so that no bit
    is lost without atomic operations, and reads the parents of a byte as one sector of memory.
    """
    block_add = on.block_reduce_add

    @on.grid_stride
    def complete(b, count, step, n, parent, octets, totals):
        occur, roots = np.int64(0), np.int64(0)
        while b < count:
            octet, v, one = octets[b], b << THREE, np.uint8(1)
            last = min(v + EIGHT, np.uint64(n))
            while v < last:
                if parent[v] != v:
                    octet |= one
                    occur += np.int64(1)
                elif octet & one != 0:
                    roots += np.int64(1)
                one = np.uint8(one << ONE)
                v += np.uint64(1)
            octets[b] = octet
            b += step
        block_add(totals, FIRST, occur + roots)
        block_add(totals, SECOND, roots)

    return complete


def least_of_trees(on: Any, vertex: type) -> Any:
    """Find the least vertex lowest[r] of each root r of a flat forest."""
    low = lessen(on)

    @on.elementwise
    def least_of_trees(v, parent, lowest):
        low(lowest, parent[v], vertex(v))

    return least_of_trees


def reroot(on: Any) -> Any:
    """Point every vertex at the least vertex of its tree instead of the root, and mark these."""
    mark = primitives.mark(on)

    @on.elementwise
    def reroot(v, lowest, parent, present):
        r = lowest[parent[v]]
        if r != v:
            mark(present, r)
        parent[v] = r

    return reroot


def scatter_min(on: Any, vertex: type) -> Any:
    """Find the lowest position least[r] of each root r in a list of roots."""
    low = lessen(on)

    @on.elementwise
    def scatter_min(k, roots, lowest):
        low(lowest, roots[k], vertex(k))

    return scatter_min


def assign_min_root(on: Any, vertex: type) -> Any:
    """Make a flat forest over positions: the parent is the lowest position with the same root."""

    @on.elementwise
    def assign_min_root(k, roots, lowest, parent):
        parent[k] = vertex(lowest[roots[k]])

    return assign_min_root
