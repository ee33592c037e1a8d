"""Lists: arrays of what NumPy alone would round, cut or take for something else."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ColumnTypeError
from .refusals import no_ids

BOOLEANS, INTEGERS = (bool, np.bool_), (int, np.integer)


def array_of_host(name: str, values: Any) -> Any:
    """An array of NumPy's of any values on the host; an array itself is not copied.

    Raises
    ------
    ColumnTypeError
        They are a list of integers and booleans, or of integers that no type of 64 bits holds.
    """
    array = np.asarray(values)
    if array.dtype.kind == "U" and not all(map(_stays_whole, values)):
        return np.asarray(values, object)
    if not isinstance(values, list | tuple) or array.ndim != 1:
        return array
    kinds = set(map(type, values))
    if array.dtype.kind in "iuf" and any(issubclass(kind, BOOLEANS) for kind in kinds):
        raise no_ids(name, "a list with booleans among them", len(values))
    if array.dtype.kind in ("f", "O") and kinds and all(_is_integer(kind) for kind in kinds):
        return _integers(name, [int(value) for value in values])
    return array


def _stays_whole(value: Any) -> bool:
    """Whether NumPy keeps it as it is among text: no number, and no NUL at its end."""
    return isinstance(value, str) and not value.endswith("\0")


def _is_integer(kind: type) -> bool:
    return issubclass(kind, INTEGERS) and not issubclass(kind, BOOLEANS)


def _integers(name: str, values: list[int]) -> Any:
    """Integers for which NumPy finds no type of its own."""
    low, high = min(values), max(values)
    for dtype in (np.int64, np.uint64):
        limits = np.iinfo(dtype)
        if limits.min <= low and high <= limits.max:
            return np.array(values, dtype)
    raise ColumnTypeError(
        f"column {name!r} is a list of integers from {low} to {high} ({len(values):,} values): no"
        " type of integers of 64 bits holds all; shift them, or make strings of them"
    )
