"""Describe the frames of an answer by strings that a file can store, and make such frames again."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from . import read
from .column import Column
from .edge_input import EdgeInput
from .frame_access import column_of, columns_of
from .kinds import KeyPairs
from .lazy import cudf, cupy, nw, pa

log: logging.Logger = logging.getLogger(__name__)

Types = list[str | None]  # the type of strings in each column of an id; None for integers


def describe_frames(given: EdgeInput) -> dict[str, Any]:
    """Describe the frames of an answer: their library, and the string types of their ids.

    Returns
    -------
    dict
        ``frame``: "pandas", "polars", "pyarrow", "cudf" or another frame library, or "numpy" or
        "cupy" for arrays. ``types``: for each column of an id, the type of its strings, or "" for
        integers. ``names``: the names of the columns of a composite id; empty if these columns have
        numbers for names, such as ``0_vertex``. ``ends``: the names of the columns of both ends.
    """
    key_columns = given.src.key_columns or (given.src,)
    ids = [_no_ids(part, given.on_device) for part in key_columns]
    if given.src.key_columns:
        frame = given.make_frame({f"{k}_vertex": column for k, column in enumerate(ids)})
    else:
        frame = given.make_frame({"vertex": ids[0], "labels": ids[0]})
    library = type(frame[0] if isinstance(frame, tuple) else frame).__module__.partition(".")[0]
    types = [_type_name(column_of(frame, name)) for name in columns_of(frame)]
    return {
        "frame": library,
        # If ids have one column, the frame also has a column of labels. zip() drops its type.
        "types": [
            name if part.strings else "" for part, name in zip(key_columns, types, strict=False)
        ],
        "names": list(given.key_names),
        "ends": given.end_columns,
    }


def _no_ids(column: Column, on_device: bool) -> Any:
    """Return an empty column with the library and type of a column of ids."""
    if column.strings:
        no_strings = partial(_no_strings, on_device)
        return column.to_native(no_strings(), no_strings)
    return (cupy if on_device else np).empty(0, np.int64)


def _no_strings(on_device: bool) -> Any:
    strings = pa.array([], pa.large_string())
    return cudf.Series(strings) if on_device else strings


def _type_name(column: Any) -> str:
    """Return the type of a string column as text.

    The result is the letter of the type for a NumPy array, "arrow:" and the type for Arrow's types
    in pandas, and "string[...]" for pandas strings with pandas' own nulls. For other columns, it is
    the library's name of the type.
    """
    dtype = column.dtype if hasattr(column, "dtype") else column.type
    if isinstance(column, np.ndarray):
        return str(dtype.kind)
    arrow_type = getattr(dtype, "pyarrow_dtype", None)
    if arrow_type is not None:
        return f"arrow:{arrow_type}"
    storage = getattr(dtype, "storage", None)
    if storage is not None and str(dtype) == "string":
        return f"string[{storage}]"
    return str(dtype)


def input_from_description(description: dict[str, Any], strings: Sequence[bool]) -> EdgeInput:
    """Return an input of one arbitrary edge, to make answers in the frames of a description.

    If the library is not available, log a warning, and use PyArrow or NumPy.

    Parameters
    ----------
    description : dict
        The result of :func:`describe_frames`, or a dictionary that has only the key ``frame``.
    strings : sequence of bool
        Whether each column of an id holds strings.
    """
    library = str(description.get("frame"))
    type_names = [*(description.get("types") or ()), *([""] * len(strings))]  # "": the default
    types = [str(type_names[k]) if is_text else None for k, is_text in enumerate(strings)]
    try:
        edges = _read(_MAKERS[library](types), len(types))
    except Exception as error:  # an unknown library, or a missing library, GPU or type
        make = _numpy if library == "cupy" else _arrow
        kind = "NumPy's arrays" if make is _numpy else "PyArrow's tables"
        log.warning(
            "answers are returned as %s, because %s is not available (%s)",
            kind,
            library,
            error if library in _MAKERS else "unknown",
        )
        edges = _read(make([None if name is None else "" for name in types]), len(types))
    names, ends = (tuple(description.get(key) or ()) for key in ("names", "ends"))
    return replace(edges, vertex_names=names, end_names=ends)


def _read(edges: Any, width: int) -> EdgeInput:
    """Read an edge made by a function in ``_MAKERS``; ids have ``width`` columns."""
    source, destination = KeyPairs.names_of(width)
    if width == 1:
        return read.read(edges, source[0], destination[0])
    return read.read(edges, source, destination)


# Each function in ``_MAKERS`` takes the types of the id columns, and returns an edge that joins a
# vertex to itself: a frame of its library, or a pair of arrays.


def _numpy(types: Types) -> Any:
    (kind,) = types  # answers for ids of several columns are tables
    ids = np.array([0] if kind is None else ["x"])
    if kind == "T":
        ids = ids.astype(np.dtypes.StringDType())
    elif kind == "O":
        ids = ids.astype(object)
    return ids, ids


def _cupy(types: Types) -> Any:
    return cupy.zeros(1, np.int64), cupy.zeros(1, np.int64)


def _arrow(types: Types) -> Any:
    columns = [pa.array([0]) if t is None else pa.array(["x"], _arrow_type(t)) for t in types]
    return pa.table(dict(KeyPairs(columns, columns)))


def _arrow_type(name: str) -> Any:
    """Return PyArrow's type of strings with this name; ``string`` for other names."""
    if name.startswith("dictionary"):
        is_large = "large_string" in name
        return pa.dictionary(pa.int32(), pa.large_string() if is_large else pa.string())
    return getattr(pa, name if name in ("large_string", "string_view") else "string")()


def _pandas(module: str, types: Types) -> Any:
    pandas = import_module(module)

    def ids_of_type(string_type: str | None) -> Any:
        """Return a column of integers for None, else of strings; "" is the default type."""
        ids = pandas.Series([0] if string_type is None else ["x"])
        if string_type and string_type.startswith("arrow:"):
            return ids.astype(pandas.ArrowDtype(_arrow_type(string_type.removeprefix("arrow:"))))
        return ids.astype(string_type) if string_type else ids

    columns = list(map(ids_of_type, types))
    return pandas.DataFrame(dict(KeyPairs(columns, columns)))


def _by_narwhals(library: Any, types: Types) -> Any:
    """Convert a PyArrow table to a frame of another library; dictionaries become categories."""
    categories = ("category", "Categorical", "Enum")
    names = ["dictionary" if t and t.startswith(categories) else t for t in types]
    return nw.from_arrow(_arrow(names), backend=library).to_native()


_MAKERS: dict[str, Callable[[Types], Any]] = {
    "numpy": _numpy,
    "cupy": _cupy,
    "pandas": partial(_pandas, "pandas"),
    "modin": partial(_pandas, "modin.pandas"),
    "cudf": partial(_by_narwhals, "cudf"),
    "polars": partial(_by_narwhals, "polars"),
    "pyarrow": _arrow,
}
