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

    given: Any
    edges: Edges
    rows: Adjacency | None

    @property
    def nbytes(self) -> int:
        """The size of the two arrays of the edges or rows in bytes."""
        both = self.rows.arrays if self.rows else (self.edges.src, self.edges.dst)
        return int(sum(array.nbytes for array in both))


def inputs(
    graph: Graph, form: str, ids: str, backend: Backend, runs: int, weights: Array = None
) -> list[Input]:
    """Return copies of the edges of a graph; see :func:`cc_rapids.tools.bench.timing.rotated`.

    The form "coo" is columns: a cuDF frame if cuDF is available, otherwise two arrays. The form
    "csr" has sorted rows without duplicates, and both directions of each edge, as in benchmarks of
    peers. ``ids`` is the type of ids. Nothing reads ``weights``, which are a third column of the
    frame.
    """
    dtype = np.dtype(ids)
    if graph.num_vertices - 1 > np.iinfo(dtype).max:
        raise InputError(f"the {graph.num_vertices:,} vertices of {graph.name} do not fit {ids}")
    if form == "csr":
        edges, forest = Edges(graph.src, graph.dst, 0), Forest(backend, graph.num_vertices)
        rows = rows_of(edges, forest, distinct=True)
        csr_arrays = rows.offsets, rows.indices.astype(dtype)
        copies = rotated(backend, csr_arrays, runs)
        return [_rows(offsets, indices) for offsets, indices in copies]
    columns = graph.src.astype(dtype), graph.dst.astype(dtype)
    return [
        Input(_framed(backend, src, dst, weights), Edges(src, dst, 0), None)
        for src, dst in rotated(backend, columns, runs)
    ]


def _rows(offsets: Array, indices: Array) -> Input:
    """Return an input of symmetric CSR rows.

    In its edges, ``src`` is the array of the destinations, because code that needs the sources
    makes them from the offsets.
    """
    csr = Csr(offsets, indices, symmetric=True)
    return Input(csr, Edges(indices, indices, 0), Adjacency(offsets, indices, symmetric=True))


def _framed(backend: Backend, src: Array, dst: Array, weights: Array) -> Any:
    """Return the edges as a cuDF frame, a PyArrow table, or two arrays without weights."""
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
