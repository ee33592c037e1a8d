"""The index of pandas and cuDF frames, whose labels name the rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import InputError, counted, id_shown
from .column import is_cudf
from .dtypes import is_integer
from .kinds import Graph
from .lazy import pd


def index_of(edges: Any) -> Any:
    """Return the index of a frame or of the first of several columns; None without an index.

    The result is also None for a cuDF index of several levels, because a column of cuDF cannot hold
    tuples.
    """
    if isinstance(edges, Mapping) and not isinstance(edges, Graph):  # a dictionary, not a frame
        edges = tuple(edges.values())
    if isinstance(edges, tuple):
        edges = edges[0] if edges else None
    index: Any = edges.index if hasattr(type(edges), "iloc") else None
    return None if is_cudf(index) and index.nlevels > 1 else index


def has_labels(index: Any) -> bool:
    """Return whether an index, or None, has labels that differ from row numbers."""
    return index is not None and hasattr(index, "take") and not is_counted(index)


def labels_at(index: Any, rows: Any) -> Any:
    """Return the labels of an index at row numbers, as a column for a frame of the same library.

    Labels of a pandas index of several levels are tuples. ``rows`` is an int64 array, on the host
    for pandas and on the GPU for cuDF.
    """
    labels = index.take(rows)
    if is_cudf(index):
        return labels.to_series().reset_index(drop=True)
    return labels.to_numpy() if labels.nlevels > 1 else labels.array


def spread(labels: Any, present: Any) -> Any:
    """Return a column with the labels, in order, in the rows where ``present`` is true.

    The other rows are null.
    """
    positions = present.cumsum() - 1  # the positions in ``labels`` where ``present`` is true
    if is_cudf(labels):
        if not len(labels):
            return labels.reindex(range(len(present)))
        # a row without a label takes the first label, which ``where`` makes null
        return labels.take(positions * present).reset_index(drop=True).where(present)
    series: Any = pd.Series(labels)
    if is_integer(series.dtype) and isinstance(series.dtype, np.dtype):
        # nulls would make integers floats, so uint8 becomes the nullable type UInt8
        series = series.astype(series.dtype.name.replace("int", "Int").replace("u", "U"))
    return series.reindex(np.where(present, positions, -1)).reset_index(drop=True)


def items_at(column: Any, rows: Any) -> Any:
    """Return the items of an array or of a column of labels at ``rows``, in this order."""
    return column.take(rows).reset_index(drop=True) if is_cudf(column) else column[rows]


def is_counted(index: Any) -> bool:
    """Return whether the labels of an index are the integers 0 .. m - 1 in order."""
    size = len(index)
    if not size or (type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1):
        return True
    if index.nlevels > 1 or not is_integer(index.dtype) or index.hasnans:
        return False
    if (index[0], index[-1]) != (0, size - 1):  # quick: most other indexes fail here
        return False
    values = index.to_cupy() if is_cudf(index) else index.to_numpy()
    return bool((values[1:] - values[:-1] == 1).all())


def check_same_index(edges: Any, weights: Any) -> None:
    """Raise an InputError if a column of weights and the edges have different indexes.

    Graphs, edges or weights without an index, and cuDF beside pandas, are matched by position.
    """
    if not hasattr(type(weights), "iloc") or not hasattr(weights.index, "equals"):
        return
    if isinstance(edges, Graph):
        return
    if isinstance(edges, Mapping):
        columns = tuple(edges.values())
    else:
        columns = edges if isinstance(edges, tuple) else (edges,)
    for side in columns:
        if not hasattr(type(side), "iloc") or is_cudf(side) != is_cudf(weights):
            continue
        index, other = side.index, weights.index
        if index is not other and not (len(index) == len(other) and bool(index.equals(other))):
            raise InputError(
                f"weight= is a Series with another index ({_described(other)}) than the edges"
                f" ({_described(index)}): make it a column of the frame, or pass weight.to_numpy()"
                " to take it by position"
            )


def _described(index: Any) -> str:
    """Return the type, the length and the first labels of an index as text."""
    first_labels = index[:3].to_pandas() if is_cudf(index) else index[:3]
    labels = ", ".join(map(id_shown, first_labels.tolist()))
    more = ", ..." if len(index) > len(first_labels) else ""
    return f"{type(index).__name__} of {counted(len(index), 'row')}: {labels}{more}"
