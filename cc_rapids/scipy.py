"""SciPy's contract, for SciPy's and CuPy's matrices alike.

>>> from scipy.sparse import coo_array
>>> from cc_rapids.scipy import connected_components
>>> connected_components(coo_array(([1], ([2], [0])), shape=(3, 3)))
(2, array([0, 1, 0], dtype=int32))
"""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components as _of_scipy  # before anyone replaces it

from .api import components
from .errors import InputError

log = logging.getLogger(__name__)

READ_AS_IS = ("coo", "csr", "csc")


def connected_components(
    csgraph: Any, directed: bool = True, connection: str = "weak", return_labels: bool = True
) -> Any:
    """Find the connected components of a matrix, as ``scipy.sparse.csgraph`` does.

    Parameters
    ----------
    csgraph : (n, n) sparse matrix or array, or dense array, of SciPy, NumPy or CuPy
        Stored entries of a sparse one are edges, zeros too; so are the entries of a dense one but
        0, infinities, NaN and masked ones (of CuPy too, whose own function takes infinities and
        NaN as edges). It is not changed.
    directed : bool
        Whether strong components follow the directions; weak ones have none.
    connection : {"weak", "strong"}
        Strong components of a directed graph are computed by SciPy, of CuPy's matrices on a copy,
        and one line of the log says so.
    return_labels : bool
        Whether to return the labels.

    Returns
    -------
    n_components : int
    labels : (n,) array of int32, if ``return_labels``
        0 .. k-1 in the order of the least vertices, which SciPy's are too; CuPy's array for one of
        CuPy's.

    Raises
    ------
    InputError
        Not square, not two-dimensional, or an unknown connection; a ValueError, as SciPy's.

    Examples
    --------
    >>> import numpy as np
    >>> from cc_rapids.scipy import connected_components
    >>> connected_components(np.array([[0, 1, 0], [0, 0, 0], [0, 0, np.inf]]))
    (2, array([0, 0, 1], dtype=int32))
    """
    kind = str(connection).lower()
    if kind not in ("weak", "strong"):
        raise InputError("connection must be 'weak' or 'strong'")
    if kind == "strong" and directed:
        return _strong(csgraph, return_labels)
    found = components(_sparse(csgraph))
    return (len(found), found.labels("dense").labels) if return_labels else len(found)


def _sparse(graph: Any) -> Any:
    """The matrix in a format whose entries are those that SciPy counts."""
    if _is_cupys(graph):
        return _sparse_cupy(graph)
    from scipy.sparse import csgraph, issparse

    if hasattr(graph, "to_scipy_sparse"):  # of PyData
        graph = graph.to_scipy_sparse()
    if issparse(graph):
        _check_shape(graph)
        return graph if graph.format in READ_AS_IS else graph.tocsr()
    if np.ma.isMaskedArray(graph):
        return csgraph.csgraph_from_masked(graph)
    return csgraph.csgraph_from_dense(np.asarray(graph))


def _sparse_cupy(graph: Any) -> Any:
    import cupy
    from cupyx.scipy.sparse import coo_matrix

    _check_shape(graph)
    if hasattr(graph, "tocoo"):
        return graph
    at = cupy.nonzero(cupy.isfinite(graph) & (graph != 0))
    return coo_matrix((cupy.ones(at[0].size, bool), at), shape=graph.shape)


def _is_cupys(graph: Any) -> bool:
    return type(graph).__module__.partition(".")[0] in ("cupy", "cupyx")


def _check_shape(graph: Any) -> None:
    if graph.ndim != 2:
        raise InputError("compressed-sparse graph must be 2-D")
    if graph.shape[0] != graph.shape[1]:
        raise InputError("compressed-sparse graph must be shape (N, N)")


def _strong(graph: Any, return_labels: bool) -> Any:
    log.info("strong components: handed to scipy.sparse.csgraph.connected_components")
    if not _is_cupys(graph):
        return _of_scipy(graph, True, "strong", return_labels)
    # pylibcugraph's function takes other arguments now than CuPy's gives it
    import cupy

    count, labels = _of_scipy(graph.get(), True, "strong")
    return (count, cupy.asarray(labels)) if return_labels else count
