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

MOST = (1 << 31) - 1  # the largest int32


def adjacency(edges: EdgeList, path: Path) -> tuple[int, Ints, Ints, Ints | None]:
    """Return the number of vertices, offsets, sorted neighbours, and weights of an edge list.

    Self-loops and duplicates are left out; the first weight of duplicate edges is kept.
    """
    from scipy.sparse import coo_array

    columns, vertices = edges.gathered(), edges.vertices or range(0)
    n, first = len(vertices), vertices.start
    if n > MOST:
        raise FormatError(
            f"cannot write {path}: its format allows {MOST} vertices, but there are {n}"
        )
    src, dst = columns["src"] - first, columns["dst"] - first
    proper, weight = src != dst, columns.get("weight")
    src, dst = src[proper], dst[proper]
    if weight is not None:
        # Both directions of an edge get the weight of its first row in either direction
        _, row = np.unique(np.minimum(src, dst) * n + np.maximum(src, dst), return_index=True)
        src, dst, weight = src[row], dst[row], weight[proper][row]
    values = np.zeros(src.size, np.uint8) if weight is None else weight
    ends = np.concatenate([src, dst]), np.concatenate([dst, src])
    rows = coo_array((np.concatenate([values, values]), ends), (n, n)).tocsr()
    neighbour = rows.indices.astype(np.int64) + first
    return n, rows.indptr.astype(np.int64), neighbour, None if weight is None else rows.data
