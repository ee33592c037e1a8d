"""Adjacency lists of simple undirected graphs, as METIS and ECL write them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...errors import FormatError
from ..lazy import np

if TYPE_CHECKING:
    import numpy.typing as npt

    from .write import EdgeList

    Ints = npt.NDArray[np.int64]

MAX_INT32 = (1 << 31) - 1


class Adjacency(NamedTuple):
    """Offsets, sorted neighbours, and weights if there are any, of all vertices.

    ``left_out`` counts the edges that are not stored, by reason.
    """

    vertices: int
    offsets: Ints
    neighbours: Ints
    weights: Ints | None
    left_out: dict[str, int]


def adjacency(edges: EdgeList, path: Path) -> Adjacency:
    """Return the adjacency lists of edges, without self-loops and duplicates in either direction.

    Raises
    ------
    FormatError
        There are too many vertices, or duplicates of an edge have different weights, unless the
        list keeps the first weight.
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
    count = len(src)
    if weight is not None:
        weight = weight[is_edge]
        row, row_of_edge = _first_rows(src, dst, n)
        differs = weight != weight[row_of_edge]
        if differs.any() and not edges.keeps_first_weight:
            at = int(differs.argmax())
            raise FormatError(
                f"cannot write {path}: the edge {src[at] + first} - {dst[at] + first} has the"
                f" weights {weight[row_of_edge[at]]} and {weight[at]}, but the format holds each"
                " edge once: keep one of the weights, write another format, or leave out the"
                " weights"
            )
        src, dst, weight = src[row], dst[row], weight[row]
    values = np.zeros(src.size, np.uint8) if weight is None else weight
    ends = np.concatenate([src, dst]), np.concatenate([dst, src])
    matrix = coo_array((np.concatenate([values, values]), ends), (n, n)).tocsr()
    neighbours = matrix.indices.astype(np.int64) + first
    left_out = {"self_loop": len(is_edge) - count, "duplicate": count - len(neighbours) // 2}
    weights = None if weight is None else matrix.data
    return Adjacency(n, matrix.indptr.astype(np.int64), neighbours, weights, left_out)


def _first_rows(src: Ints, dst: Ints, n: int) -> tuple[Ints, Ints]:
    """Return the first row of each distinct edge, and for each row the first row of its edge.

    An edge is the same in both directions. ``n`` is the number of vertices.
    """
    edge = np.minimum(src, dst) * n + np.maximum(src, dst)
    _, row, number = np.unique(edge, return_index=True, return_inverse=True)
    return row, row[number]
