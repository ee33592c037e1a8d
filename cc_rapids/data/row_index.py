"""The index of pandas and cuDF frames, by which their rows are named beside their positions."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from .column import is_cudf


def index_of(edges: Any) -> Any:
    """Return the index of a frame, or of the first of some columns; None if it counts from 0.

    Frames and columns of other libraries have none.
    """
    if isinstance(edges, Mapping):
        edges = tuple(edges.values())
    if isinstance(edges, tuple):
        edges = edges[0] if edges else None
    if not hasattr(type(edges), "iloc"):
        return None
    index = edges.index
    counts = type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1
    return None if counts or not hasattr(index, "take") else index


def labels_at(index: Any, rows: Any) -> Any:
    """Return the labels of some rows as a column that a frame of the library takes.

    Those of several levels are tuples, in pandas. The rows are int64, on the host for pandas, on
    the GPU for cuDF.
    """
    labels = index.take(rows)
    if is_cudf(index):
        return labels.to_series().reset_index(drop=True)
    return labels.to_numpy() if labels.nlevels > 1 else labels.array


def spread(labels: Any, there: Any) -> Any:
    """Return labels, one for each row that is ``there``, as a column with nulls for the others."""
    places = there.cumsum() - 1
    if is_cudf(labels):
        if not len(labels):
            return labels.reindex(range(len(there)))
        return labels.take(places * there).reset_index(drop=True).where(there)
    pandas: Any = sys.modules["pandas"]
    series = pandas.Series(labels)
    if series.dtype.kind in "iu" and isinstance(series.dtype, np.dtype):
        series = series.astype(series.dtype.name.replace("i", "I", 1).replace("u", "U", 1))
    return series.reindex(np.where(there, places, -1)).array


def items_at(column: Any, rows: Any) -> Any:
    """Return some items of an array or of a column of labels, in the order of the rows."""
    return column.take(rows).reset_index(drop=True) if is_cudf(column) else column[rows]


def is_counted(index: Any) -> bool:
    """Return whether the labels of an index are 0 .. m - 1."""
    size = len(index)
    if index.nlevels > 1 or not size:
        return not size
    ends = index[0], index[-1]
    if not all(isinstance(end, int | np.integer) for end in ends) or ends != (0, size - 1):
        return False
    values = index.to_cupy() if is_cudf(index) else index.to_numpy()
    return bool((values[1:] - values[:-1] == 1).all())


def same_index(one: Any, other: Any) -> bool:
    """Return whether two indexes have the same labels in the same order."""
    if one is other:
        return True
    return len(one) == len(other) and bool(one.equals(other))
