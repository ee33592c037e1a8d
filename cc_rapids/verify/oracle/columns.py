"""Conversion of columns of any library to NumPy arrays, and to text for messages."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ...data.column import is_cudf
from ...data.dtypes import is_integer
from ...data.frame_access import column_of
from ...errors import InputError, VerificationError
from ..shown_rows import ShownRows, first_difference

Indices = npt.NDArray[np.int64]


def ends(src: npt.ArrayLike, dst: npt.ArrayLike, n: int) -> tuple[Indices, Indices]:
    """Return both columns as int64; raise an InputError unless they are within 0 .. n - 1."""
    columns = []
    for column in map(np.asarray, (src, dst)):
        if column.ndim != 1 or (column.size and not is_integer(column.dtype)):
            raise InputError(
                f"ends must be 1-d integers, not {column.dtype} of shape {column.shape}"
            )
        if column.size and (column.min() < 0 or column.max() >= n):
            raise InputError(
                f"the edges name {column.min()}..{column.max()}, but the vertices are 0..{n - 1}"
            )
        columns.append(column.astype(np.int64, copy=False))
    if columns[0].size != columns[1].size:
        raise InputError(f"{columns[0].size:,} sources and {columns[1].size:,} destinations")
    return columns[0], columns[1]


def label_columns(frame: Any) -> list[npt.NDArray[Any]]:
    """Return the vertices and the labels of a frame, or of a pair of arrays, on the host."""
    if isinstance(frame, tuple):
        return [host(column) for column in frame]
    names = [str(name) for name in getattr(frame, "column_names", None) or frame.columns]
    if "vertex" in names:
        return [host(frame["vertex"]), host(frame["labels"])]
    # ids of several columns, such as 0_vertex, 1_vertex, 0_labels and 1_labels
    label_names = [name for name in names if name == "labels" or name.endswith("_labels")]
    vertex_names = [name for name in names if name not in label_names]
    return [host_ids([frame[name] for name in side]) for side in (vertex_names, label_names)]


def host_ids(values: Any) -> npt.NDArray[Any]:
    """Return ids on the host; a list of columns becomes one array of tuples."""
    if not isinstance(values, list):
        return host(values)
    columns = [host(column).tolist() for column in values]
    rows = np.empty(len(columns[0]), object)
    rows[:] = [*zip(*columns, strict=True)]
    return rows


def ids_of(frame: Any, names: list[Any]) -> npt.NDArray[Any]:
    """Return the ids in the given columns of a frame, on the host."""
    columns = [column_of(frame, name) for name in names]
    return host_ids(columns) if len(columns) > 1 else host(columns[0])


def check_ends(
    shown: ShownRows,
    listed: npt.NDArray[Any],
    sources: npt.NDArray[Any],
    destinations: npt.NDArray[Any],
) -> None:
    """Raise a VerificationError for the first row of a frame whose ends are not the expected ids.

    ``sources`` and ``destinations`` are the expected ids, and ``listed`` is the column ``row``.
    """
    for names, expected in ((shown.source, sources), (shown.destination, destinations)):
        shown_ids = ids_of(shown.frame, names)
        k = first_difference(shown_ids.tolist(), expected.tolist())
        if k is not None and k >= listed.size:
            raise VerificationError(
                f"the {shown.what} has {listed.size:,} rows, but a column of ends has"
                f" {len(shown_ids):,} ids"
            )
        if k is not None:
            raise VerificationError(
                f"edge {listed[k]:,} has different ends in the edges and in the {shown.what}"
            )


def host(values: Any) -> npt.NDArray[Any]:
    """Return a column of any library as a NumPy array of integers, or of objects."""
    if is_cudf(values):
        values = values.to_arrow()
    if hasattr(values, "__cuda_array_interface__"):
        values = values.get()
    array = np.asarray(values)
    return array if is_integer(array.dtype) else array.astype(object)


def common_dtype(columns: list[npt.NDArray[Any]]) -> list[npt.NDArray[Any]]:
    """Return the columns converted to one type that represents all values.

    The types are int64, uint64 and object. NumPy would convert int64 and uint64 to a float.
    """
    integers = [column for column in columns if _has_integers(column)]
    low = min((int(column.min()) for column in integers), default=0)
    high = max((int(column.max()) for column in integers), default=0)
    has_objects = any(column.size and column.dtype == object for column in columns)
    if has_objects or (low < 0 and high >= 1 << 63):
        return [column.astype(object) for column in columns]
    dtype = np.int64 if high < 1 << 63 else np.uint64
    return [column.astype(dtype) for column in columns]


def ids_and_ranks(columns: list[npt.NDArray[Any]]) -> tuple[npt.NDArray[Any], list[Indices]]:
    """Return the sorted distinct ids of columns of one type, and the ranks of each column's ids.

    Integers in a small range are ranked without sorting.
    """
    values = np.concatenate(columns)
    span = int(values.max()) - int(values.min()) if _has_integers(values) else None
    if span is None or span > 4 * values.size:
        ids, ranks = np.unique(values, return_inverse=True)
        ends_of_columns = np.cumsum([column.size for column in columns])[:-1]
        return ids, np.split(ranks, ends_of_columns)
    low = values.min()
    present = np.zeros(span + 1, bool)
    present[values - low] = True
    rank = np.cumsum(present) - 1
    ids = np.flatnonzero(present).astype(values.dtype) + low
    return ids, [rank[column - low] for column in columns]


def _has_integers(column: npt.NDArray[Any]) -> bool:
    return column.size > 0 and is_integer(column.dtype)


def first_few(values: Any) -> str:
    """Return up to five values as text; if there are more, the number of all values follows."""
    if isinstance(values, set):
        values = sorted(values, key=lambda value: (type(value).__name__, value))
    few = ", ".join(map(str, host(values[:5]).tolist()))
    return f"{few}, ... ({len(values):,})" if len(values) > 5 else few
