"""Run peers on the same inputs: SciPy on the host, cuGraph on a GPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from ...backends import Backend
from ...data.adapters import Csr
from .inputs import Input


@dataclass(frozen=True)
class Peer:
    """A library that computes labels from the same input.

    ``what`` describes what is timed. ``to_numpy`` converts the result of ``solve`` to a NumPy array
    with one label per vertex, -1 for a vertex without a label.
    """

    name: str
    what: str
    solve: Callable[[Input], Any]
    to_numpy: Callable[[Any], Any]


def peer_of(backend: Backend, n: int) -> Peer | None:
    """Return the peer of a backend for graphs of n vertices; None if it is not installed."""
    if not backend.on_device:
        return Peer("scipy", "the matrix and csgraph", lambda copy: _scipy(copy, n), np.asarray)
    if find_spec("cugraph"):
        what = "the graph and the components"
        return Peer("cugraph", what, _cugraph, lambda answer: _by_vertex(answer, n))
    return None


def _scipy(copy: Input, n: int) -> Any:
    """Return SciPy's component labels."""
    from scipy.sparse import coo_array, csgraph, csr_array

    if isinstance(copy.given, Csr):
        ones = np.ones(copy.given.indices.size, np.int8)
        matrix: Any = csr_array((ones, copy.given.indices, copy.given.offsets), shape=(n, n))
    else:
        ends = copy.edges.src, copy.edges.dst
        matrix = coo_array((np.ones(copy.edges.m, np.int8), ends), shape=(n, n))
    return csgraph.connected_components(matrix, directed=False)[1]


def _cugraph(copy: Input) -> Any:
    """Return cuGraph's label frame."""
    import cudf
    import cugraph
    import cupy

    graph = cugraph.Graph()
    if isinstance(copy.given, Csr):
        indices = copy.given.indices
        offsets = copy.given.offsets.astype(indices.dtype)  # cuGraph requires one type
        graph.from_cudf_adjlist(cudf.Series(offsets), cudf.Series(indices), renumber=False)
    else:
        graph.from_cudf_edgelist(copy.given, source="src", destination="dst", renumber=True)
    answer = cugraph.weakly_connected_components(graph)
    cupy.cuda.Device().synchronize()
    return answer


def _by_vertex(answer: Any, n: int) -> Any:
    """Return the labels of cuGraph's frame by vertex; -1 for vertices that the frame lacks."""
    labels = np.full(n, -1, np.int64)
    labels[answer["vertex"].to_numpy()] = answer["labels"].to_numpy()
    return labels
