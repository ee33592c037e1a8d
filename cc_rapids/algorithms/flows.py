"""Flows that prove which edges lie on cycles.

As much flows into each vertex as out of it. So what flows through edges that separate a graph is 0
in all, and an edge with another flow does not separate anything by itself: it lies on a cycle.
"""

from __future__ import annotations

import numpy as np

from ..backends import Array, Backend
from ..kernels import flows as kernels
from .any_forest import any_forest
from .rooted_forest import rooted


def flows_along(us: Array, vs: Array, n: int, backend: Backend) -> tuple[Array, Array]:
    """Return a flow along edges, and the component of each vertex.

    Edges outside a spanning forest have random flows. What leaves the vertices below an edge of the
    forest by these comes back through it: in preorder the vertices are an interval, so that a
    difference of two sums tells how much that is. It is 0 for bridges; for others by chance alone,
    once in 2^64.

    Parameters
    ----------
    us, vs : (m,) arrays of unsigned integers
        The ends of the edges, of which there are some, among the vertices 0 .. n - 1.

    Returns
    -------
    (m,) array of uint64, (n,) array of unsigned integers
        What flows from ``us`` to ``vs``, modulo 2^64, and the least vertex of each one's component.

    Examples
    --------
    >>> import cc_rapids
    >>> ends = np.array([[0, 1, 2, 2], [1, 2, 0, 3]], np.uint32)
    >>> flows, least = flows_along(*ends, 4, cc_rapids.backends.get("threads"))
    >>> flows[3], len(set(flows[:3].tolist()))
    (np.uint64(0), 1)
    """
    xp = backend.xp
    hooks, least = any_forest(us, vs, n, backend)
    roots = xp.flatnonzero(least == xp.arange(n, dtype=least.dtype))
    in_forest = xp.zeros(us.size, np.uint8)
    in_forest[hooks] = 1
    flows, balance = backend.empty(us.size, np.uint64), xp.zeros(n, np.uint64)
    backend.kernel(kernels.flow_outside)(us.size, us, vs, in_forest, flows, balance)
    src = us[hooks]
    trees = rooted(src, vs[hooks], roots, n, backend)
    first, size = trees.preorder()
    before, in_order = xp.zeros(n + 1, np.uint64), xp.empty(n, np.uint64)
    in_order[first] = balance
    before[1:] = xp.cumsum(in_order, dtype=np.uint64)
    lowest = first[trees.child]
    inwards, outwards = before[lowest + size[trees.child]], before[lowest]
    rises = trees.child == src
    flows[hooks] = xp.where(rises, outwards, inwards) - xp.where(rises, inwards, outwards)
    return flows, least
