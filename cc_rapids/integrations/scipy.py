"""A drop-in for SciPy's function: ``from cc_rapids.scipy import connected_components``.

The contract is that of :func:`scipy.sparse.csgraph.connected_components`, labels included: weak
components are found here, on threads for SciPy's matrices and on the GPU for CuPy's; strong ones
are passed to SciPy, with a log line.
"""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import connected_components as _of_scipy
from scipy.sparse.csgraph import csgraph_from_dense, csgraph_from_masked

from ..api import components
from ..data.arguments import check_flag
from ..errors import ArgumentTypeError, InputError, shown

__all__ = ["connected_components"]

log = logging.getLogger(__name__)


def connected_components(
    csgraph: Any, directed: bool = True, connection: str = "weak", return_labels: bool = True
) -> Any:
    """Find the connected components of a graph given as an adjacency matrix.

    Parameters
    ----------
    csgraph : sparse array or matrix of SciPy or CuPy, or dense array, of shape (N, N)
        The matrix, not changed. Entry (i, j) is an edge; in a dense array 0, inf and nan are not
        edges, in a sparse one every stored entry is an edge, including zeros.
    directed : bool
        Whether the graph is directed; matters only for strong connection.
    connection : {"weak", "strong"}
        The kind of components. "strong" on a directed graph is passed to SciPy, with a copy of a
        CuPy matrix.
    return_labels : bool
        Whether to return the labels too.

    Returns
    -------
    n_components : int
    labels : (N,) array of int32, NumPy's or CuPy's as the matrix
        Labels 0 .. n_components - 1, in the order of the first vertex of each component, as in
        SciPy.

    Raises
    ------
    ValueError
        The connection is unknown, or the matrix is not (N, N), as in SciPy.

    See Also
    --------
    cc_rapids.components : Return the answer as frames of the caller's kind, also for matrices.
    scipy.sparse.csgraph.connected_components : The original.

    Examples
    --------
    >>> import numpy as np
    >>> connected_components(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]]))
    (2, array([0, 1, 0], dtype=int32))
    """
    if not isinstance(connection, str) or connection.lower() not in ("weak", "strong"):
        raise InputError("connection must be 'weak' or 'strong'")
    directed = check_flag("directed", directed)
    return_labels = check_flag("return_labels", return_labels)
    on_device = _is_cupy(csgraph)
    if directed and connection.lower() == "strong":
        return _strong(csgraph, on_device, return_labels)
    matrix = _device_matrix(csgraph) if on_device else _matrix(csgraph)
    if matrix.ndim != 2:
        raise InputError("compressed-sparse graph must be 2-D")
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError("compressed-sparse graph must be shape (N, N)")
    found = components(matrix)
    if not return_labels:
        return len(found)
    return len(found), found.labels("dense").labels


def _is_cupy(matrix: Any) -> bool:
    return type(matrix).__module__.partition(".")[0] in ("cupy", "cupyx")


def _strong(csgraph: Any, on_device: bool, return_labels: bool) -> Any:
    log.info("strong components: handed to scipy.sparse.csgraph.connected_components")
    if not on_device:
        return _of_scipy(csgraph, True, "strong", return_labels)
    # not CuPy's own, which needs pylibcugraph, and a release of it whose arguments are the same
    import cupy

    count, labels = _of_scipy(csgraph.get(), True, "strong")
    return (count, cupy.asarray(labels)) if return_labels else count


def _matrix(csgraph: Any) -> Any:
    """Return a SciPy sparse matrix.

    Dense ones become sparse by SciPy's own rules for no edge.
    """
    if hasattr(csgraph, "to_scipy_sparse"):  # PyData's sparse arrays
        csgraph = csgraph.to_scipy_sparse()
    if scipy.sparse.issparse(csgraph):
        return csgraph
    try:
        if np.ma.isMaskedArray(csgraph):
            return csgraph_from_masked(csgraph)
        return csgraph_from_dense(csgraph, null_value=0, nan_null=True, infinity_null=True)
    except ValueError as error:
        raise InputError(str(error)) from error
    except Exception as error:  # NumPy's, of many types
        raise ArgumentTypeError(
            f"csgraph is {shown(csgraph)}, not a matrix of numbers ({error})"
        ) from error


def _device_matrix(csgraph: Any) -> Any:
    import cupy
    import cupyx.scipy.sparse

    if cupyx.scipy.sparse.issparse(csgraph):
        return csgraph
    if csgraph.ndim != 2:
        raise InputError("compressed-sparse graph must be 2-D")
    edges = cupy.isfinite(csgraph) & (csgraph != 0)
    return cupyx.scipy.sparse.coo_matrix(edges.astype(cupy.float32))
