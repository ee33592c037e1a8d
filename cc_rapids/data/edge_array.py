"""Edges in one array of two dimensions, of NumPy, CuPy or any library with DLPack."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError
from .lazy import cupy

DEVICES = (2, 13)  # DLPack's device types: CUDA, and its managed memory


def is_edge_array(edges: Any) -> bool:
    """Return whether an object is an array or tensor, and not a frame, series or sparse matrix.

    No library is imported.
    """
    if hasattr(edges, "to_pandas") or hasattr(edges, "tocoo"):
        return False
    arrays = "__array_interface__", "__cuda_array_interface__"
    return hasattr(edges, "__dlpack__") or any(hasattr(edges, name) for name in arrays)


def as_array(values: Any) -> Any:
    """Convert an array or tensor to an array of NumPy, or of CuPy if it is on a GPU.

    Memory is shared if the other library allows it.

    Raises
    ------
    InputError
        The library does not export the tensor, for example because it requires a gradient.
    """
    if isinstance(values, np.ndarray):  # a row of a matrix would have two dimensions
        return np.asarray(values) if isinstance(values, np.matrix) else values
    if hasattr(values, "__cuda_array_interface__"):
        return cupy.asarray(values)
    if not hasattr(values, "__dlpack__"):
        return np.asarray(values)
    try:
        if hasattr(values, "__dlpack_device__") and values.__dlpack_device__()[0] in DEVICES:
            return cupy.from_dlpack(values)
        return np.from_dlpack(values)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise InputError(
            f"a {type(values).__name__} does not share its memory by DLPack ({error}): pass it as a"
            " NumPy or CuPy array, such as edge_index.detach().cpu().numpy()"
        ) from error


def rows_are_edges(array: Any) -> bool:
    """Return whether an array has the shape (E, 2), with one edge per row, and not (2, E).

    An array of shape (2, 2) has one edge per row.

    Raises
    ------
    InputError
        The shape is neither (E, 2) nor (2, E).

    Examples
    --------
    >>> rows_are_edges(np.zeros((3, 2))), rows_are_edges(np.zeros((2, 3)))
    (True, False)
    """
    if array.ndim == 2 and 2 in array.shape:
        return bool(array.shape[1] == 2)
    raise InputError(
        f"edges as one array of shape {tuple(array.shape)} are ambiguous: its shape must be (edges,"
        " 2) or (2, edges); pass a pair of arrays (source, destination), or a sparse matrix such as"
        " scipy.sparse.coo_array(array) if it is an adjacency matrix"
    )


def ends_of(edges: Any) -> tuple[Any, Any]:
    """Return the sources and destinations of an array of edges, as views if possible."""
    array = as_array(edges)
    ends = array.T if rows_are_edges(array) else array
    return ends[0], ends[1]


def refuse_neighbors(edges: Any, n: int) -> None:
    """Raise an InputError if ``edges`` are an array with the neighbours of each of ``n`` points."""
    if hasattr(edges, "tocoo") or any(isinstance(c, str) for c in getattr(edges, "columns", ())):
        return  # a sparse matrix, or a frame with named columns
    shape: tuple[int, ...] = getattr(edges, "shape", ())
    if isinstance(edges, list) and edges and all(isinstance(row, list) for row in edges):
        shape = len(edges), len(edges[0])
    if len(shape) == 2 and shape[0] == n:
        raise InputError(
            f"an array of shape ({n:,}, {shape[1]:,}) holds the neighbours of each point, not"
            f" edges: pass (np.repeat(np.arange(n), {shape[1]}), indices.ravel()) without -1, or"
            " the sparse matrix"
        )
