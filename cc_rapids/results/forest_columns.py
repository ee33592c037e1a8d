"""The rows, ends and weights of selected edges, taken from the caller's list."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.column import Column, is_cudf, moved
from ..data.edge_input import EdgeInput
from ..data.lazy import cupy, pa
from ..data.row_index import has_labels, labels_at


def columns_of_edges(given: EdgeInput, rows: Any) -> dict[str, Any]:
    """Return new columns of selected edges: rows, index labels, ends and weights.

    Index labels are returned if the frame has an explicit index, and weights if the list has
    weights. ``rows``, a (k,) array of int64, has the positions of the edges among the edges that
    were read, on the device of the caller's columns.
    """
    columns = _rows_and_ends(given, rows)
    if given.weights is not None:
        rows_on_device = hasattr(rows, "__cuda_array_interface__")
        columns["weight"] = moved(given.weights, rows_on_device)[rows]
    return columns


def _rows_and_ends(given: EdgeInput, rows: Any) -> dict[str, Any]:
    """Return the columns of :func:`columns_of_edges` of the edges ``rows``, except weights."""
    columns: dict[str, Any] = {"row": rows}
    if given.row_index is not None:  # the list was read without some rows: use the caller's numbers
        columns["row"] = given.row_index()[rows].astype(np.int64)
    columns = with_index(given, columns)
    if given.row_offsets:  # an adjacency list: row_offsets and dst are as in a CSR matrix
        with given.row_offsets.borrow() as offsets:
            sources = _library(offsets).searchsorted(offsets, rows, side="right") - 1
        with given.dst.borrow() as indices:
            targets = indices[rows]
        return columns | {"source": sources.astype(targets.dtype), "destination": targets}
    for name, column in (("source", given.src), ("destination", given.dst)):
        for k, part in enumerate(column.key_columns):
            columns[f"{k}_{name}"] = take_ids(part, rows)
        if not column.key_columns:
            columns[name] = take_ids(column, rows)
    return columns


def with_index(given: EdgeInput, columns: dict[str, Any]) -> dict[str, Any]:
    """Return columns of edges, with a column of index labels after ``row`` if there are labels."""
    if not has_labels(given.index):
        return columns
    return {"row": columns["row"], "index": labels_at(given.index, columns["row"])} | columns


def take_ids(column: Column, rows: Any) -> Any:
    """Return the ids in the given rows of a column, as a column of the caller's library.

    If the column is empty, its ids and ``rows`` may be on different devices.
    """
    with column.borrow() as ids:
        if not column.strings:
            return ids[rows] if len(rows) else _library(rows).empty(0, ids.dtype)
        if isinstance(ids, np.ndarray):  # an empty string column is borrowed as an integer array
            ids = pa.chunked_array([], pa.large_string())
        ids_of_rows = ids.take(rows) if len(rows) else ids[:0]
        if is_cudf(ids):
            ids_of_rows = ids_of_rows.reset_index(drop=True)
        return column.to_native(ids_of_rows, lambda: ids_of_rows)  # categories: of these rows


def _library(array: Any) -> Any:
    """Return NumPy, or CuPy for arrays on a GPU."""
    if isinstance(array, np.ndarray):
        return np
    return cupy
