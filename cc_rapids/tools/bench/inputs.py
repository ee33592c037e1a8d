"""Inputs of a benchmark: copies of a graph as a list or rows, with ids of one width."""

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
    """One copy of the edges: as a caller has it, and as the engine's kernels read it."""

    given: Any
    edges: Edges
    rows: Adjacency | None

    @property
    def nbytes(self) -> int:
        """The size of the two arrays."""
        both = self.rows.arrays if self.rows else (self.edges.src, self.edges.dst)
        return int(sum(array.nbytes for array in both))


def inputs(
    graph: Graph, form: str, ids: str, backend: Backend, runs: int, weights: Array = None
) -> list[Input]:
    """Return copies of a graph's edges in turn; see :func:`cc_rapids.tools.bench.timing.rotated`.

    Parameters
    ----------
    graph : Graph
        On the backend.
    form : {"coo", "csr"}
        Columns, as a cuDF frame on a GPU that has cuDF and as two arrays elsewhere; or rows of
        both directions, sorted and distinct, as peers have them measured.
    ids : {"int32", "int64"}
    weights : (m,) array, optional
        A third column of the frame, which nothing reads.
    """
    dtype = np.dtype(ids)
    if graph.num_vertices - 1 > np.iinfo(dtype).max:
        raise InputError(f"the {graph.num_vertices:,} vertices of {graph.name} do not fit {ids}")
    if form == "csr":
        edges, forest = Edges(graph.src, graph.dst, 0), Forest(backend, graph.num_vertices)
        rows = rows_of(edges, forest, distinct=True)
        whole = rows.offsets, rows.indices.astype(dtype)
        copies = rotated(backend, whole, runs)
        return [_rows(offsets, indices) for offsets, indices in copies]
    columns = graph.src.astype(dtype), graph.dst.astype(dtype)
    return [
        Input(_framed(backend, src, dst, weights), Edges(src, dst, 0), None)
        for src, dst in rotated(backend, columns, runs)
    ]


def _rows(offsets: Array, indices: Array) -> Input:
    given = Csr(offsets, indices, symmetric=True)
    return Input(given, Edges(indices, indices, 0), Adjacency(offsets, indices, symmetric=True))


def _framed(backend: Backend, src: Array, dst: Array, weights: Array) -> Any:
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
