"""Describe the frame library and types of answers as strings for files, and restore them."""

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
from .lazy import cudf, cupy, nw, pa

log: logging.Logger = logging.getLogger(__name__)

SIDES = "src", "dst"
Types = list[str | None]  # the string type of each column of an id; None for integers


def kind_words(given: EdgeInput) -> dict[str, Any]:
    """Describe the frame library of answers and the types of its strings.

    Returns
    -------
    dict
        ``frame``: "pandas", "polars", "pyarrow", "cudf" or another frame library, or "numpy" or
        "cupy" for arrays. ``types``: the string type of each column of an id, or "". ``names``:
        the column names of ids with several columns, if they are not numbered. ``ends``: the names
        of both ends.
    """
    key_columns = given.src.key_columns or (given.src,)
    ids = [_no_ids(part, given.on_device) for part in key_columns]
    if given.src.key_columns:
        frame = given.make_frame({f"{k}_vertex": column for k, column in enumerate(ids)})
    else:
        frame = given.make_frame({"vertex": ids[0], "labels": ids[0]})
    library = type(frame[0] if isinstance(frame, tuple) else frame).__module__.partition(".")[0]
    types = [_type_words(column_of(frame, name)) for name in columns_of(frame)]
    return {
        "frame": library,
        "types": [
            text if part.strings else "" for part, text in zip(key_columns, types, strict=False)
        ],
        "names": list(given.key_names),
        "ends": given.end_columns,
    }


def _no_ids(part: Column, on_device: bool) -> Any:
    """Return an empty column of ids."""
    if part.strings:
        return part.to_native(_no_words(on_device), partial(_no_words, on_device))
    if on_device:
        return cupy.empty(0, np.int64)
    return np.empty(0, np.int64)


def _no_words(on_device: bool) -> Any:
    none = pa.array([], pa.large_string())
    if not on_device:
        return none
    return cudf.Series(none)


def _type_words(column: Any) -> str:
    """Return the type of a string column as text.

    This is "arrow:" and the type for Arrow's types in pandas, "str" for pandas strings with NaN,
    and "string[...]" for pandas strings with pandas' own nulls.
    """
    dtype = column.dtype if hasattr(column, "dtype") else column.type
    if isinstance(column, np.ndarray):
        return str(dtype.kind)
    arrow = getattr(dtype, "pyarrow_dtype", None)
    if arrow is not None:
        return f"arrow:{arrow}"
    storage = getattr(dtype, "storage", None)
    if storage is not None and str(dtype) == "string":
        return f"string[{storage}]"
    return str(dtype)


def given_like(words: dict[str, Any], strings: Sequence[bool]) -> EdgeInput:
    """Return an empty input whose answers are frames of the given library.

    If that library is not available, log this and use PyArrow or NumPy.

    Parameters
    ----------
    words : dict
        The result of :func:`kind_words`, or a dictionary with its ``frame`` only.
    strings : sequence of bool
        Whether each column of an id holds strings.
    """
    library, given = str(words.get("frame")), list(words.get("types") or [])
    types = [
        (str(given[k]) if k < len(given) else "") if text else None
        for k, text in enumerate(strings)
    ]
    try:
        edges = _read_empty(_MAKERS[library](types), len(types))
    except Exception as error:  # the library may be unknown; it, its GPU or the type may be missing
        make = _numpy if library == "cupy" else _arrow
        what = "NumPy's arrays" if make is _numpy else "PyArrow's tables"
        log.warning(
            "answers are returned as %s, because %s is not available (%s)",
            *(what, library, error if library in _MAKERS else "unknown"),
        )
        edges = _read_empty(make([text if text is None else "" for text in types]), len(types))
    names, ends = (tuple(words.get(key) or ()) for key in ("names", "ends"))
    return replace(edges, vertex_names=names, end_names=ends)


def _read_empty(edges: Any, width: int) -> EdgeInput:
    """Return an empty frame as an input with ids of ``width`` columns."""
    source, destination = ([f"{side}{k}" for k in range(width)] for side in SIDES)
    if width == 1:
        return read.read(edges, source[0], destination[0], None, None, "raise")
    return read.read(edges, source, destination, None, None, "raise")


def _sides(columns: list[Any]) -> dict[str, Any]:
    return {f"{side}{k}": column for side in SIDES for k, column in enumerate(columns)}


def _numpy(types: Types) -> Any:
    (text,) = types
    ids = np.array([0] if text is None else ["x"])
    if text == "T":
        ids = ids.astype(np.dtypes.StringDType())
    elif text == "O":
        ids = ids.astype(object)
    return ids, ids


def _cupy(types: Types) -> Any:
    return cupy.zeros(1, np.int64), cupy.zeros(1, np.int64)


def _arrow(types: Types) -> Any:
    return pa.table(
        _sides([pa.array([0]) if t is None else pa.array(["x"], _arrow_type(t)) for t in types])
    )


def _arrow_type(text: str) -> Any:
    if text.startswith("dictionary"):
        large = "large_string" in text
        return pa.dictionary(pa.int32(), pa.large_string() if large else pa.string())
    plain = {"large_string": pa.large_string, "string_view": getattr(pa, "string_view", pa.string)}
    return plain.get(text, pa.string)()


def _pandas(module: str, types: Types) -> Any:
    pandas = import_module(module)

    def column(text: str | None) -> Any:
        ids = pandas.Series([0] if text is None else ["x"])
        if text and text.startswith("arrow:"):
            return ids.astype(pandas.ArrowDtype(_arrow_type(text.removeprefix("arrow:"))))
        return ids.astype(text) if text else ids

    return pandas.DataFrame(_sides(list(map(column, types))))


def _by_narwhals(library: Any, types: Types) -> Any:
    """Convert a PyArrow table to a frame of another library; dictionaries become categories."""
    categories = ("category", "Categorical", "Enum")
    kinds = ["dictionary" if t and t.startswith(categories) else t for t in types]
    return nw.from_arrow(_arrow(kinds), backend=library).to_native()


_MAKERS: dict[str, Callable[[Types], Any]] = {
    "numpy": _numpy,
    "cupy": _cupy,
    "pandas": partial(_pandas, "pandas"),
    "modin": partial(_pandas, "modin.pandas"),
    "cudf": partial(_by_narwhals, "cudf"),
    "polars": partial(_by_narwhals, "polars"),
    "pyarrow": _arrow,
}
