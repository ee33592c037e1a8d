"""Bridges: the edges without which a component falls into two.

Only an edge of a spanning forest can be one. The forest is rooted and its vertices are numbered in
preorder, so that those below a vertex are an interval. The edge above the vertex is a bridge if no
other edge leaves the interval: neither the least nor the greatest number that is reached from it is
outside (Tarjan and Vishkin 1985). An edge that repeats one of the forest is another edge.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends import Array, Backend
from .bipartition import forest_of_first_rows
from .rooted_forest import rooted


def bridge_rows(ends: tuple[Array, Array], tree: Array, roots: Array, backend: Backend) -> Array:
    """Return the rows of the edges that are bridges, as int64 in their order.

    Parameters
    ----------
    ends : (src, dst), (m,) arrays of int64
        The ends of all edges, among n vertices.
    tree : (n,) array of int64
        The component of each vertex.
    roots : (k,) array of int64
        A vertex of each component.
    """
    xp, n = backend.xp, int(tree.size)
    if not ends[0].size:
        return xp.zeros(0, np.int64)
    hooks = forest_of_first_rows(*ends, n, backend)
    forest = rooted(ends[0][hooks], ends[1][hooks], tree, roots, n, xp)
    first, size = forest.preorder(tree, xp)
    others = xp.ones(ends[0].size, bool)
    others[hooks] = False
    word = np.uint32 if n < 1 << 32 else np.uint64  # CuPy has no atomic minimum of int64
    src, dst = (first[side[others]] for side in ends)
    least = xp.arange(n).astype(word)
    greatest = least.copy()
    for here, there in ((src, dst), (dst, src)):
        xp.minimum.at(least, here, there.astype(word))
        xp.maximum.at(greatest, here, there.astype(word))
    begin, length = first[forest.child], size[forest.child]
    inside = _over_intervals(xp.minimum, least, begin, length, xp) >= begin
    inside &= _over_intervals(xp.maximum, greatest, begin, length, xp) < begin + length
    return hooks[inside]


def _over_intervals(extreme: Any, values: Array, begin: Array, length: Array, xp: Any) -> Array:
    """Return the least or greatest value of each interval.

    An interval is the union of two of the greatest power of two that it holds, and the extremes of
    all intervals of such a length follow from those of half the length.

    Parameters
    ----------
    extreme : ufunc
        ``minimum`` or ``maximum`` of ``xp``.
    values : (n,) array of unsigned integers
        Not changed.
    begin, length : (t,) arrays of int64
        The first place, and the number of places, 1 at least, of each interval.

    Examples
    --------
    >>> values = np.array([5, 2, 7, 4], np.uint32)
    >>> _over_intervals(np.minimum, values, np.array([0, 2, 1]), np.array([4, 2, 1]), np)
    array([2, 4, 2])
    """
    found = xp.empty(begin.size, np.int64)
    for k in range(int(values.size).bit_length()):
        half = 1 << k
        now = xp.flatnonzero(length >> k == 1)
        at = begin[now]
        found[now] = extreme(values[at], values[at + length[now] - half])
        values = extreme(values[:-half], values[half:])
    return found
