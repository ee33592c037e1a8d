"""A spanning forest of edges, whichever is found first."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..graph.edges import Edges
from ..graph.forest import Forest
from ..kernels.primitives import none_of
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
    number: Any = np.uint32 if src.size < (1 << 32) - 1 else np.uint64
    hook_edge = backend.fill(backend.empty(n, number), 0xFF)
    run.solve(Edges(src, dst, 0), forest, DESIGN, None, hook_edge)
    return hook_edge[hook_edge != none_of(number)].astype(np.int64), forest.parent
