"""Make the inputs of a benchmark: copies of a graph as an edge list or as CSR rows."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from ...backends import Array, Backend
from ...data.adapters import Csr
from ...errors import InputError
from ...graph.edges import Adjacency, Edges, rows_of
from ...graph.forest import Forest
from ..generators import Graph
from .timing import rotated


@dataclass(frozen=True)
class Input:
    """One copy of the edges, both as users pass it and as kernels read it."""

    given: Any  # the frame, table, arrays or Csr that users pass
    edges: Edges
    rows: Adjacency | None  # None for an edge list

    @property
    def nbytes(self) -> int:
        """The size in bytes of the offsets and indices of rows, or of the ends of an edge list."""
        arrays = self.rows.arrays if self.rows else (self.edges.src, self.edges.dst)
        return int(sum(array.nbytes for array in arrays))


def inputs(
    graph: Graph, form: str, ids: str, backend: Backend, runs: int, weights: Array = None
) -> list[Input]:
    """Return enough copies of a graph that each run misses the cache if runs take turns on them.

    The form "coo" is an edge list: a cuDF frame if cuDF is available, otherwise two arrays. The
    form "csr" has sorted rows without duplicates, and both directions of each edge, as in
    benchmarks of peers. ``ids`` names the type of ids. ``weights`` become a third column of an edge
    list, which no design reads.
    """
    dtype = np.dtype(ids)
    if graph.num_vertices - 1 > np.iinfo(dtype).max:
        raise InputError(f"the {graph.num_vertices:,} vertices of {graph.name} do not fit {ids}")
    if form == "csr":
        forest = Forest(backend, graph.num_vertices)
        rows = rows_of(Edges(graph.src, graph.dst, low=0), forest, distinct=True)
        csr_arrays = rows.offsets, rows.indices.astype(dtype)
        copies = rotated(backend, csr_arrays, runs)
        return [_csr_input(offsets, indices) for offsets, indices in copies]
    columns = graph.src.astype(dtype), graph.dst.astype(dtype)
    return [
        Input(_user_edges(backend, src, dst, weights), Edges(src, dst, low=0), None)
        for src, dst in rotated(backend, columns, runs)
    ]


def _csr_input(offsets: Array, indices: Array) -> Input:
    """Return an input of symmetric CSR rows."""
    # ``src`` is a placeholder: code that needs the sources computes them from the offsets
    edges = Edges(src=indices, dst=indices, low=0)
    csr = Csr(offsets, indices, symmetric=True)
    return Input(csr, edges, Adjacency(offsets, indices, symmetric=True))


def _user_edges(backend: Backend, src: Array, dst: Array, weights: Array) -> Any:
    """Return a cuDF frame; without cuDF, two arrays or, if there are weights, a PyArrow table."""
    columns = {"src": src, "dst": dst}
    if weights is not None:
        columns["weight"] = weights
    if backend.on_device and find_spec("cudf"):
        import cudf

        return cudf.DataFrame(columns)
    if weights is None:
        return src, dst
    import pyarrow as pa

    return pa.table({name: backend.to_host(column) for name, column in columns.items()})
