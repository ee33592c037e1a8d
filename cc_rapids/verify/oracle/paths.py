"""A shortest path, built edge by edge."""

from __future__ import annotations

from collections import deque

import numpy as np
import numpy.typing as npt

from .columns import Indices, ends


def walk(src: npt.ArrayLike, dst: npt.ArrayLike, n: int, first: int, second: int) -> Indices | None:
    """Return the rows of the edges of a shortest path between two vertices, in order.

    Among several shortest paths, the one whose list of rows is lexicographically least is returned.
    In a forest, there is at most one path.

    Parameters
    ----------
    src, dst : (m,) integers in 0 .. n - 1
        The ends of each edge. They are not changed; all but NumPy arrays of int64 are copied.
    n : int
        The number of vertices.
    first, second : int
        The two vertices.

    Returns
    -------
    (k,) int64, or None
        A new array of the rows of the edges. None if no path joins the two vertices.

    Raises
    ------
    InputError
        An edge names a vertex outside 0 .. n - 1, or the columns differ in length.

    See Also
    --------
    cc_rapids.Components.paths : The paths of many pairs along a forest, for ids of any type.

    Examples
    --------
    >>> walk([0, 1, 2, 0], [1, 2, 3, 2], 5, 0, 3)
    array([3, 2])
    >>> walk([0], [1], 3, 0, 2) is None
    True
    """
    src, dst = ends(src, dst, n)
    neighbours: list[list[tuple[int, int]]] = [[] for _ in range(n)]  # of (row, vertex)
    for row, (u, v) in enumerate(zip(src.tolist(), dst.tolist(), strict=True)):
        neighbours[u].append((row, v))
        neighbours[v].append((row, u))
    distance, queue = {second: 0}, deque([second])
    while queue:
        v = queue.popleft()
        for _, u in neighbours[v]:
            if u not in distance:
                distance[u] = distance[v] + 1
                queue.append(u)
    if first not in distance:
        return None
    path, v = [], first
    while v != second:
        row, v = min((row, u) for row, u in neighbours[v] if distance[u] == distance[v] - 1)
        path.append(row)
    return np.array(path, np.int64)
