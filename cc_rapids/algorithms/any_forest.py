"""A spanning forest of edges, whichever is found first."""

from __future__ import annotations

import numpy as np

from ..backends import Array, Backend
from ..graph.edges import Edges
from ..graph.forest import Forest
from ..graph.hooks import hooks_in, room_for_hooks
from . import run
from .design import Design

DESIGN = Design("none", "async", "halve")


def any_forest(src: Array, dst: Array, n: int, backend: Backend) -> tuple[Array, Array]:
    """Return a spanning forest of edges, and the component of each vertex.

    Which forest depends on the run; its rows come in any order.

    Parameters
    ----------
    src, dst : (m,) arrays of integers
        The ends of the edges, of which there are some, among the vertices 0 .. n - 1.

    Returns
    -------
    (t,) array of int64, (n,) array of unsigned integers
        The rows of the edges of the forest, and the least vertex of each one's component.
    """
    forest = Forest(backend, n, all_present=True)
    hook_edge = room_for_hooks(n, src.size, backend)
    run.solve(Edges(src, dst, 0), forest, DESIGN, None, hook_edge)
    return hooks_in(hook_edge).astype(np.int64), forest.parent
