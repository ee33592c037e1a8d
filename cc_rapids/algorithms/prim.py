"""Prim's algorithm: the minimum spanning forest of a complete graph, from the rows of a matrix.

The tree begins at the first point. Each step adds the point that is nearest to the tree, and lowers
the distances of the points outside by one row of the matrix: n steps of n operations, without a
list of edges. If no point outside has an edge to the tree, the tree is complete, and the first
point outside begins the next tree.

Prim, "Shortest connection networks and some generalizations", Bell System Technical Journal 1957.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def prim(
    matrix: Any, core: Any, scale: float = 1.0, from_source: bool = True
) -> tuple[Any, Any, Any]:
    """Return the points in the order in which they are added, their sources, and their distances.

    The weight of an edge is the maximum of its distance and the two core distances. Edges with an
    infinite weight or NaN are ignored. Of several nearest points, the first one in ``matrix`` is
    added, with its first source.

    Parameters
    ----------
    matrix : (n, n) array of numbers
    core : (n,) array of float64
    scale : float
        Distances are divided by it, but core distances are not.
    from_source : bool
        Whether the source of a point is its nearest point in the tree; otherwise it is the
        previously added point. The clusters up to each distance are the same in both cases.

    Returns
    -------
    order : (n,) array of int64
        The points.
    source : (n,) array of int64
        For each point of ``order``, the position of its source in ``order``.
    weights : (n,) array of float64
        The weight of the edge to the source; infinite for the first point of a tree.
    """
    n = matrix.shape[0]
    order, source, weights = np.zeros(n, np.int64), np.arange(n) - 1, np.full(n, np.inf)
    nearest, sources, outside = np.full(n, np.inf), np.zeros(n, np.int64), np.ones(n, bool)
    remaining, reach = core.copy(), np.empty(n)  # infinite for points of the tree
    current = 0
    for i in range(1, n):
        outside[current], nearest[current], remaining[current] = False, np.inf, np.inf
        row = matrix[current] if scale == 1.0 else matrix[current] / scale
        np.maximum(row, remaining, out=reach)
        np.maximum(reach, core[current], out=reach)
        if from_source:
            sources[reach < nearest] = i - 1
        np.fmin(nearest, reach, out=nearest)
        current = int(nearest.argmin())
        weights[i] = nearest[current]
        if weights[i] == np.inf:
            current = int(outside.argmax())
        elif from_source:
            source[i] = sources[current]
        order[i] = current
    return order, source, weights
