"""Drop-ins for SciPy's functions: ``from cc_rapids.scipy import connected_components``.

The answers equal those of the functions of the same names in :mod:`scipy.sparse.csgraph`, including
labels and ties. SciPy's matrices are solved on CPU threads, and CuPy's on the GPU. For strong
components, and for weights without a total order, the functions call SciPy and write to the log.
"""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import connected_components as _scipy_components
from scipy.sparse.csgraph import csgraph_from_dense, csgraph_from_masked
from scipy.sparse.csgraph import minimum_spanning_tree as _scipy_tree

from ..api import components, minimum_spanning_forest
from ..data.adapters import Csr
from ..data.arguments import check_flag
from ..data.dtypes import is_boolean, is_number
from ..errors import ArgumentTypeError, InputError, shown

__all__ = ["connected_components", "minimum_spanning_tree"]

# Types of weights that keep their order when SciPy converts them to float64
KEPT_TYPES = ("float32", "float64", "int8", "int16", "int32", "uint8", "uint16", "uint32")

log: logging.Logger = logging.getLogger(__name__)


def connected_components(
    csgraph: Any, directed: bool = True, connection: str = "weak", return_labels: bool = True
) -> Any:
    """Find the connected components of a graph given as an adjacency matrix.

    Parameters
    ----------
    csgraph : sparse array or matrix of SciPy or CuPy, or dense array, of shape (N, N)
        The matrix; it is not changed. Entry (i, j) is an edge. In a dense array, 0, inf and NaN are
        not edges. In a sparse array, every stored entry is an edge, including zeros.
    directed : bool
        Whether the graph is directed; this matters only for strong components.
    connection : {"weak", "strong"}
        The kind of components. SciPy computes the strong components of a directed graph; a CuPy
        matrix is then copied to the host.
    return_labels : bool
        Whether to return the labels as well.

    Returns
    -------
    n_components : int
        The number of components.
    labels : (N,) array of int32, a CuPy array if ``csgraph`` is of CuPy
        Labels 0 .. n_components - 1, in the order of the first vertex of each component, as in
        SciPy.

    Raises
    ------
    ValueError
        The connection is unknown, or the matrix is not (N, N), as in SciPy.

    See Also
    --------
    cc_rapids.components : Find the components of frames, files and matrices.
    scipy.sparse.csgraph.connected_components : The function of SciPy.

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
    result = components(_square(csgraph, on_device))
    if not return_labels:
        return len(result)
    return len(result), result.labels("dense").labels


def minimum_spanning_tree(csgraph: Any, overwrite: bool = False) -> Any:
    """Find a minimum spanning forest of a graph given as an adjacency matrix of weights.

    Parameters
    ----------
    csgraph : sparse array or matrix of SciPy or CuPy, or dense array, of shape (N, N)
        The matrix; it is not changed. Entry (i, j) is the weight of an edge between i and j. The
        entries (i, j) and (j, i) are two edges. In a dense array, 0, inf and NaN are not edges.
    overwrite : bool
        Accepted for compatibility with SciPy, but without effect.

    Returns
    -------
    (N, N) sparse array of float64 in CSR format, or a sparse matrix if ``csgraph`` is one
        The entries of the forest, at their positions in ``csgraph``. As in SciPy, the first of
        several entries of equal weight is chosen, and entries of 0 are left out.

    Raises
    ------
    ValueError
        The matrix is not (N, N), as in SciPy.

    See Also
    --------
    cc_rapids.minimum_spanning_forest : Return rows of an edge list.
    scipy.sparse.csgraph.minimum_spanning_tree : The function of SciPy.

    Examples
    --------
    >>> import numpy as np
    >>> minimum_spanning_tree(np.array([[0, 5, 2], [0, 0, 4], [0, 0, 0]])).toarray()
    array([[0., 0., 2.],
           [0., 0., 4.],
           [0., 0., 0.]])
    """
    check_flag("overwrite", overwrite)
    on_device = _is_cupy(csgraph)
    matrix = _square(csgraph, on_device, weights=True).tocsr()
    offsets, count = matrix.indptr, int(matrix.indptr[-1])  # the other arrays may be longer
    indices, weights = matrix.indices[:count], matrix.data[:count]
    if weights.dtype not in KEPT_TYPES and (is_number(weights.dtype) or is_boolean(weights.dtype)):
        weights = weights.astype(np.float64)
    if not is_number(weights.dtype) or bool((weights != weights).any()):  # NaN differs from itself
        return _tree_by_scipy(csgraph, on_device)
    rows = minimum_spanning_forest(Csr(offsets, indices), weight=weights).row
    rows = rows[weights[rows] != 0]
    index_type = np.int32 if max(count, matrix.shape[0]) < 1 << 31 else np.int64  # SciPy's choice
    # Entries of the forest ascend, so a row of the matrix starts at the first entry that is not
    # before the row's offset. CuPy's arrays have no method searchsorted.
    starts = np.searchsorted(rows, offsets.astype(rows.dtype)).astype(index_type)
    forest_entries = weights[rows].astype(np.float64), indices[rows].astype(index_type), starts
    return type(matrix)(forest_entries, shape=matrix.shape)


def _tree_by_scipy(csgraph: Any, on_device: bool) -> Any:
    """Return the forest computed by SciPy, for weights without a total order."""
    log.info("weights without an order: passed to scipy.sparse.csgraph.minimum_spanning_tree")
    if not on_device:
        return _scipy_tree(csgraph)
    import cupyx.scipy.sparse

    return cupyx.scipy.sparse.csr_matrix(_scipy_tree(csgraph.get()))


def _square(csgraph: Any, on_device: bool, weights: bool = False) -> Any:
    """Return the graph as an (N, N) sparse matrix, after a check of its shape.

    ``weights`` is passed to :func:`_device_matrix`.
    """
    matrix = _device_matrix(csgraph, weights) if on_device else _matrix(csgraph)
    if matrix.ndim != 2:
        raise InputError("compressed-sparse graph must be 2-D")
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError("compressed-sparse graph must be shape (N, N)")
    return matrix


def _is_cupy(matrix: Any) -> bool:
    """Return whether a matrix or array is of CuPy, without importing CuPy."""
    return type(matrix).__module__.partition(".")[0] in ("cupy", "cupyx")


def _strong(csgraph: Any, on_device: bool, return_labels: bool) -> Any:
    """Find strong components by SciPy; copy a CuPy matrix to the host."""
    log.info("strong components: passed to scipy.sparse.csgraph.connected_components")
    if not on_device:
        return _scipy_components(csgraph, True, "strong", return_labels)
    # CuPy's own function would need a matching release of pylibcugraph
    import cupy

    count, labels = _scipy_components(csgraph.get(), True, "strong")
    return (count, cupy.asarray(labels)) if return_labels else count


def _matrix(csgraph: Any) -> Any:
    """Return the graph as a SciPy sparse matrix.

    In a dense array, the values that SciPy treats as no edge are left out.
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
    except Exception as error:  # NumPy raises errors of many types
        raise ArgumentTypeError(
            f"csgraph is {shown(csgraph)}, not a matrix of numbers ({error})"
        ) from error


def _device_matrix(csgraph: Any, weights: bool) -> Any:
    """Return the graph as a CuPy sparse matrix.

    If ``weights`` is true, the edges of a dense array are stored with weights, otherwise as ones.
    """
    import cupy
    import cupyx.scipy.sparse

    if cupyx.scipy.sparse.issparse(csgraph):
        return csgraph
    if csgraph.ndim != 2:
        raise InputError("compressed-sparse graph must be 2-D")
    edges = cupy.isfinite(csgraph) & (csgraph != 0)
    if not weights:
        return cupyx.scipy.sparse.coo_matrix(edges.astype(cupy.float32))
    # CuPy would store entries in another order than SciPy, which would break ties differently
    rows, columns = cupy.nonzero(edges)
    offsets = cupy.searchsorted(rows, cupy.arange(len(edges) + 1))
    entries = csgraph[rows, columns].astype(cupy.float64), columns, offsets
    return cupyx.scipy.sparse.csr_matrix(entries, shape=edges.shape)
