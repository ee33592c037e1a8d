"""Prim's algorithm: the minimum spanning forest of a complete graph, from the rows of a matrix.

The tree begins at the first point. Each step adds the point that is nearest to the tree, and then
updates the distances of all points outside the tree with the row of the new point in the matrix. So
there are n steps of n operations, and no list of edges is needed. If no point outside the tree has
an edge to the tree, the tree is complete, and the first point outside begins the next tree.

Prim, "Shortest connection networks and some generalizations", Bell System Technical Journal 1957.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def prim(
    matrix: Any, core: Any, scale: float = 1.0, from_source: bool = True
) -> tuple[Any, Any, Any]:
    """Return the points in the order in which they are added, and the edge that adds each point.

    The source is the edge's other end. The weight of an edge is the maximum of its distance and the
    core distances of its ends. Edges with an infinite weight or NaN are ignored. Of several nearest
    points, the first point in ``matrix`` is added, with its first source.

    Parameters
    ----------
    matrix : (n, n) array of numbers
        The distance of each pair of points.
    core : (n,) array of float64
        The core distance of each point.
    scale : float
        The number by which distances, but not core distances, are divided.
    from_source : bool
        If True, the source of a point is its nearest point in the tree; otherwise, the previously
        added point. The clusters up to each distance are the same in both cases.

    Returns
    -------
    order : (n,) array of int64
    source : (n,) array of int64
        For each point of ``order``, the position of its source; arbitrary for a tree's first point.
    weights : (n,) array of float64
        The weight of the edge to the source; infinite for the first point of a tree.
    """
    n = matrix.shape[0]
    order, source, weights = np.zeros(n, np.int64), np.arange(n) - 1, np.full(n, np.inf)
    # for each point: the least weight of an edge to the tree, the position of the point at the
    # other end of this edge, and whether the point is outside the tree
    nearest, nearest_source = np.full(n, np.inf), np.zeros(n, np.int64)
    is_outside = np.ones(n, bool)
    outside_core = core.copy()  # infinite for points of the tree, so that no edge leads to these
    weights_of_current = np.empty(n)
    current = 0
    for i in range(1, n):
        is_outside[current], nearest[current], outside_core[current] = False, np.inf, np.inf
        distances = matrix[current] if scale == 1.0 else matrix[current] / scale
        np.maximum(distances, outside_core, out=weights_of_current)
        np.maximum(weights_of_current, core[current], out=weights_of_current)
        if from_source:
            nearest_source[weights_of_current < nearest] = i - 1  # the position of ``current``
        np.fmin(nearest, weights_of_current, out=nearest)
        current = int(nearest.argmin())
        weights[i] = nearest[current]
        if weights[i] == np.inf:  # the tree is complete
            current = int(is_outside.argmax())
        elif from_source:
            source[i] = nearest_source[current]
        order[i] = current
    return order, source, weights
