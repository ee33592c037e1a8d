"""Spanning forests: the chosen rows of the caller's edges, as columns of the caller's kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from .data.column import Column, is_cudf
from .data.edge_input import Given


def forest_columns(given: Given, rows: Any) -> dict[str, Any]:
    """The chosen rows with both ends of their edges.

    Parameters
    ----------
    given : Given
        What the caller gave, whose columns are read again.
    rows : (k,) array of int64
        Rows of the columns, where the caller's own lie.
    """
    found: dict[str, Any] = {"row": rows if given.kept is None else _kept(given, rows)}
    if given.offsets:
        with given.offsets.lend() as offsets:
            xp = _library(offsets)
            vertex = xp.searchsorted(offsets, rows, side="right") - 1
        with given.dst.lend() as indices:
            taken = indices[rows]
        return found | {"source": vertex.astype(taken.dtype), "destination": taken}
    for name, column in (("source", given.src), ("destination", given.dst)):
        parts = column.parts or (column,)
        names = [f"{k}_{name}" for k in range(len(parts))] if column.parts else [name]
        found |= dict(zip(names, (_take(part, rows) for part in parts), strict=True))
    return found


def _kept(given: Given, rows: Any) -> Any:
    assert given.kept is not None
    return given.kept()[rows].astype(np.int64)


def _take(column: Column, rows: Any) -> Any:
    """The ids of some rows; a column without any may lie elsewhere, as it is like the vertices."""
    with column.lend() as held:
        if not column.strings:
            return held[rows] if len(rows) else _library(rows).empty(0, held.dtype)
        taken = held.take(rows) if len(rows) else held[:0]
        if is_cudf(held):
            taken = taken.reset_index(drop=True)
        return column.native(taken, lambda: taken)


def _library(array: Any) -> Any:
    if isinstance(array, np.ndarray):
        return np
    import cupy

    return cupy
