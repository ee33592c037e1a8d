"""Link the edges of a short list by SciPy, until the kernels of a design are compiled."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array, csgraph

from ..backends import Array
from ..graph.edges import Adjacency, Edges
from ..graph.forest import Forest


def link(edges: Edges, forest: Forest, rows: Adjacency | None = None, joins: bool = False) -> None:
    """Point every vertex at the least vertex of its component; mark ends of edges as present.

    After a count, the parents and the present vertices are the same as if a design had linked the
    edges. The earlier parents are ignored or, if ``joins`` (for batches), describe trees that the
    edges join. If an end is not a vertex, the edge is skipped, and ``forest.out_of_range`` is set.
    ``rows`` are the same edges as an adjacency list.
    """
    n, parent = forest.n, forest.parent
    vs = _distances(edges.dst if rows is None else rows.indices, edges.low)
    if rows is None:
        us = _distances(edges.src, edges.low)
    else:
        starts = rows.offsets.astype(np.int64)
        us = np.repeat(np.arange(n, dtype=np.uint64), starts[1:] - starts[:-1])
    within = np.maximum(us, vs) < np.uint64(n)
    if not within.all():
        forest.out_of_range[:] = 1
        us, vs = us[within], vs[within]
    del within
    us, vs = us.astype(np.int32), vs.astype(np.int32)
    octets = forest.present.view(np.uint8)
    is_end = np.zeros(8 * octets.size, bool)
    is_end[us] = is_end[vs] = True
    octets |= np.packbits(is_end, bitorder="little")
    if joins:  # a vertex and its parent are one more edge
        hooked = np.flatnonzero(parent != np.arange(n, dtype=parent.dtype)).astype(np.int32)
        us, vs = np.concatenate([us, hooked]), np.concatenate([vs, parent[hooked].astype(np.int32)])
    matrix = coo_array((np.ones(us.size, np.int8), (us, vs)), (n, n))
    count, labels = csgraph.connected_components(matrix, directed=False)
    least = np.empty(count, parent.dtype)
    # Vertices are stored in descending order, so the last vertex stored for a label is the least.
    least[labels[::-1]] = np.arange(n - 1, -1, -1, dtype=parent.dtype)
    parent[:] = least[labels]


def _distances(column: Array, low: int) -> Array:
    """Return ``column - low`` as uint64; the distances of ids below ``low`` wrap around."""
    return (column.astype(np.int64) - np.int64(low)).view(np.uint64)
