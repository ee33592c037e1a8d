"""Phases that all union-find designs share, apart from the union rule.

src, dst : (m,) integers of any type, as the caller passed them; vertex v has the id v + low. For an
         adjacency list, src is its (n + 1,) offsets, dst its (m,) indices, and low is 0.
parent   : (n,) unsigned, shared by all threads, parent[v] <= v.
aux      : the auxiliary array of the union rule (see union.py).
hook_edge : (n,) unsigned, the edge that hooked each vertex, if a spanning forest is requested.
present  : ((n + 31) // 32,) uint32, a bit set of vertices, initially the vertices that the caller
         lists.
out_of_range : (1,), set to 1 when an edge is skipped because an endpoint is not below n.
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
    """Make every vertex its own root."""

    @on.grid_stride
    def init_singletons(v, n, step, parent):
        while v < n:
            parent[v] = vertex(v)
            v += step

    def by_numpy(n, parent):
        parent[:n] = np.arange(n, dtype=parent.dtype)

    init_singletons.by_numpy = by_numpy
    return init_singletons


def no_hook_record(on: Any) -> Any:
    """Record nothing, for runs without a spanning forest."""

    @on.device
    def record_hook(hook_edge, r, e):
        return

    return record_hook


def record_hook(on: Any) -> Any:
    """Record the edge that hooked a root; each root is hooked once, so no record is overwritten."""

    @on.device
    def record_hook(hook_edge, r, e):
        hook_edge[r] = e

    return record_hook


def joining(on: Any, vertex: type, link: Any, record_hook: Any) -> Any:
    """Link two vertices by edge e and record the edge if it hooked a root."""
    none = none_of(vertex)

    @on.device
    def join(parent, aux, hook_edge, u, v, e):
        hooked = link(parent, aux, u, v)
        if hooked != none:
            record_hook(hook_edge, hooked, e)

    return join


def flatten(on: Any, find: Any) -> Any:
    """Point every vertex at its root, and mark the roots that have children as present.

    No tree changes its root in this phase. Allowed race: a climb may pass through a vertex before
    or after it is flattened, and leads to the same root. Only roots need a mark: any other vertex
    has a parent, so it occurs in an edge.
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
    """Mark all vertices but the roots as present, and count the present vertices and components.

    The counts are added to ``totals``. ``octets`` are the bytes of the words of ``present``. Each
    thread owns whole bytes, so it needs no atomics and reads eight parents as one memory sector.
    """
    block_add = on.block_reduce_add

    @on.grid_stride
    def complete(b, count, step, n, parent, octets, totals):
        hooked, roots = np.int64(0), np.int64(0)
        while b < count:
            octet, v, bit = octets[b], b << THREE, np.uint8(1)
            last = min(v + EIGHT, np.uint64(n))
            while v < last:
                if parent[v] != v:
                    octet |= bit
                    hooked += np.int64(1)
                elif octet & bit != 0:
                    roots += np.int64(1)
                bit = np.uint8(bit << ONE)
                v += np.uint64(1)
            octets[b] = octet
            b += step
        block_add(totals, FIRST, hooked + roots)
        block_add(totals, SECOND, roots)

    return complete


def least_of_trees(on: Any, vertex: type) -> Any:
    """Lower ``lowest[r]`` to the least vertex in the tree of each root r of a flat forest."""
    lower = lessen(on)

    @on.elementwise
    def least_of_trees(v, parent, lowest):
        lower(lowest, parent[v], vertex(v))

    return least_of_trees


def reroot(on: Any) -> Any:
    """Point each vertex at the least vertex of its tree, and mark these roots as present."""
    mark = primitives.mark(on)

    @on.elementwise
    def reroot(v, lowest, parent, present):
        r = lowest[parent[v]]
        if r != v:
            mark(present, r)
        parent[v] = r

    return reroot


def scatter_min(on: Any, vertex: type) -> Any:
    """Lower ``lowest[r]`` to the lowest position of each root r in a list of roots."""
    lower = lessen(on)

    @on.elementwise
    def scatter_min(k, roots, lowest):
        lower(lowest, roots[k], vertex(k))

    def by_numpy(n, roots, lowest):
        np.minimum.at(lowest, roots[:n], np.arange(n, dtype=lowest.dtype))

    scatter_min.by_numpy = by_numpy
    return scatter_min


def assign_min_root(on: Any, vertex: type) -> Any:
    """Point each position of a list of roots at the lowest position that has the same root."""

    @on.elementwise
    def assign_min_root(k, roots, lowest, parent):
        parent[k] = vertex(lowest[roots[k]])

    def by_numpy(n, roots, lowest, parent):
        parent[:n] = lowest[roots[:n]]

    assign_min_root.by_numpy = by_numpy
    return assign_min_root
