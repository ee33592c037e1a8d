"""A drop-in for pylibcugraph's function, which nx-cugraph, CuPy and others call."""

from __future__ import annotations

from typing import Any

from ..api import components
from ..data.adapters import Csr, decompressed, vertex_list
from ..data.column import array_of
from ..errors import GraphStateError
from ..results.components import Components


def weakly_connected_components(
    resource_handle: Any,
    graph: Any,
    offsets: Any,
    indices: Any,
    weights: Any,
    labels: Any,
    do_expensive_check: bool,
) -> Any:
    """Find the weakly connected components of a graph of pylibcugraph, or of CSR arrays.

    Parameters
    ----------
    resource_handle : pylibcugraph.ResourceHandle or None
        The handle with which the edges of a graph are extracted.
    graph : pylibcugraph.SGGraph or None
        A graph, whose edges are copied once, because there is no other way to read them.
    offsets, indices : (n + 1,) and (m,) arrays of integers, or None
        The adjacency list of the vertices 0 .. n - 1, if there is no graph.
    weights, do_expensive_check : object
        Ignored.
    labels : (n,) array of the type of the indices, optional
        The array to which labels are written; then nothing is returned.

    Returns
    -------
    two arrays of the type of the vertices, or None
        Vertices and labels, in the order of the vertices; the label is the least vertex of the
        component, so that it labels itself.

    Raises
    ------
    GraphStateError
        The edges cannot be read: the graph is on several GPUs, or arguments contradict each other.

    See Also
    --------
    cc_rapids.weakly_connected_components : The contract of cuGraph's function.
    cc_rapids.install : Let pylibcugraph's function run on this one.

    Examples
    --------
    >>> import numpy as np
    >>> from cc_rapids.integrations.pylibcugraph import weakly_connected_components
    >>> offsets, indices = np.array([0, 1, 1, 1]), np.array([2])
    >>> weakly_connected_components(None, None, offsets, indices, None, None, False)
    (array([0, 1, 2]), array([0, 1, 0]))
    """
    found = _found(resource_handle, graph, offsets, indices, weights).labels()
    if labels is None:
        return found.vertex, found.labels
    out = array_of("labels", labels)
    if out.dtype != found.labels.dtype or out.size != found.labels.size:
        raise GraphStateError(
            f"labels= is {out.size:,} of {out.dtype}, but the answer has {found.labels.size:,} of"
            f" {found.labels.dtype}"
        )
    out[:] = found.labels
    return None


def _found(resources: Any, graph: Any, offsets: Any, indices: Any, weights: Any) -> Components:
    if graph is None and offsets is not None and indices is not None:
        return components(Csr(array_of("offsets", offsets), array_of("indices", indices)))
    if graph is None or any(part is not None for part in (offsets, indices, weights)):
        raise GraphStateError("pass a graph, or else offsets and indices")
    if type(graph).__name__ != "SGGraph":
        raise GraphStateError(f"the edges of a {type(graph).__name__} cannot be read")
    edges, vertices = decompressed(graph, resources), vertex_list(graph, resources)
    found: Components = components(edges, vertices=vertices)
    return found
