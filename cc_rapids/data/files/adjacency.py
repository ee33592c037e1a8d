"""Adjacency lists of simple undirected graphs, as METIS and ECL write them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import FormatError
from ..lazy import np

if TYPE_CHECKING:
    import numpy.typing as npt

    from .write import EdgeList

    Ints = npt.NDArray[np.int64]

MAX_INT32 = (1 << 31) - 1


def adjacency(edges: EdgeList, path: Path) -> tuple[int, Ints, Ints, Ints | None]:
    """Return the number of vertices, and the offsets, neighbours and weights of all vertices.

    The neighbours of each vertex are sorted. The weights are None if edges have none. Self-loops
    and duplicates are left out; the first weight of duplicate edges is kept.
    """
    from scipy.sparse import coo_array

    columns, vertices = edges.gathered(), edges.vertices or range(0)
    n, first = len(vertices), vertices.start
    if n > MAX_INT32:
        raise FormatError(
            f"cannot write {path}: its format allows {MAX_INT32} vertices, but there are {n}"
        )
    src, dst = columns["src"] - first, columns["dst"] - first
    is_edge, weight = src != dst, columns.get("weight")
    src, dst = src[is_edge], dst[is_edge]
    if weight is not None:
        # Both directions of an edge get the weight of its first row in either direction
        _, row = np.unique(np.minimum(src, dst) * n + np.maximum(src, dst), return_index=True)
        src, dst, weight = src[row], dst[row], weight[is_edge][row]
    values = np.zeros(src.size, np.uint8) if weight is None else weight
    ends = np.concatenate([src, dst]), np.concatenate([dst, src])
    matrix = coo_array((np.concatenate([values, values]), ends), (n, n)).tocsr()
    neighbours = matrix.indices.astype(np.int64) + first
    return n, matrix.indptr.astype(np.int64), neighbours, None if weight is None else matrix.data
