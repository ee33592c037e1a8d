"""Lists: arrays of what NumPy alone would round, cut or take for something else."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..errors import ColumnTypeError, InputError, shown
from .refusals import no_ids

BOOLEANS, INTEGERS = (bool, np.bool_), (int, np.integer)
ABSENT = ("NoneType", "NAType", "NaTType", "MaskedConstant")  # types of what stands for no value

WIDE = 1 << 20  # characters from which on an array of text may be one of objects instead:
MOSTLY = 8  # if it has room for this many times the characters that there are


def array_of_host(name: str, values: Any) -> Any:
    """Return an array of NumPy's, maybe masked, of any values on the host; an array itself is not
    copied.

    Raises
    ------
    ColumnTypeError, InputError
        They are a list of integers and booleans, or of integers that no type of 64 bits holds; they
        have several lengths, or are no values at all.
    """
    if isinstance(values, np.ma.MaskedArray):
        return values
    listed = isinstance(values, list | tuple)
    kinds = set(map(type, values)) if listed else set()
    if any(kind.__name__ in ABSENT for kind in kinds):
        return _masked(name, values)
    if any(map(_is_column, kinds)):
        raise no_ids(name, "a list of columns", len(values))
    if kinds and all(issubclass(kind, str) for kind in kinds) and _is_wide(values):
        return np.asarray(values, object)
    array = _array(name, values)
    if array.dtype.kind == "U" and not all(map(_stays_whole, values)):
        return np.asarray(values, object)
    if not listed or array.ndim != 1:
        return array
    if array.dtype.kind in "iuf" and any(issubclass(kind, BOOLEANS) for kind in kinds):
        raise no_ids(name, "a list with booleans among them", len(values))
    if array.dtype.kind in ("f", "O") and kinds and all(map(_is_integer, kinds)):
        return _integers(name, [int(value) for value in values])
    if values and array.dtype.kind == "f":
        enough = any if any(map(_is_integer, kinds)) else all  # of nan, to stand for no value
        return _masked(name, values) if enough(map(_is_missing, values)) else array
    return array


def numbers_of_list(name: str, values: Any) -> Any:
    """Return a masked array of a list of numbers, in which some may be missing."""
    missing = np.fromiter(map(_is_missing, values), bool, len(values))
    if any(map(_is_column, set(map(type, values)))):
        raise no_ids(name, "a list of columns", len(values))
    return np.ma.array(_array(name, [0 if _is_missing(v) else v for v in values]), mask=missing)


def present(name: str, array: Any) -> tuple[Any, Any]:
    """Return an array without what is missing, and an array of bool that says where that was.

    Missing are masked values, and among objects and strings None, nan and pandas' NA and NaT.

    Returns
    -------
    array, not copied if nothing is missing
    array of bool, or None if nothing is
    """
    if isinstance(array, np.ma.MaskedArray):
        if array.dtype.names is not None:
            raise no_ids(name, str(array.dtype), array.size)
        missing = np.ma.getmaskarray(array).copy()
        rest, among = present(name, array.data[~missing])
        if among is not None:
            missing[~missing] = among
        return (rest, missing) if missing.any() else (array.data, None)
    if array.dtype.kind not in ("O", "T"):
        return array, None
    missing = missing_of(array)
    return (array, None) if missing is None else (array[~missing], missing)


def missing_of(array: Any) -> Any:
    """Return an array of bool that says which objects of an array are missing; None if none is."""
    values = array.tolist()
    if set(map(type, values)) <= {str}:
        return None
    missing = np.fromiter(map(_is_missing, values), bool, array.size)
    return missing if missing.any() else None


def _is_missing(value: Any) -> bool:
    kind = type(value)
    if kind.__name__ in ABSENT:
        return True
    return issubclass(kind, float | np.floating) and bool(value != value)


def _array(name: str, values: Any) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what NumPy makes of odd values, which are refused
            return np.asarray(values)
    except (ValueError, TypeError, OverflowError, NotImplementedError) as error:
        raise InputError(
            f"{name!r} cannot be a {type(values).__name__} that NumPy makes no array of"
            f" ({error}): give an array, or a list of integers or strings"
        ) from None


def _masked(name: str, values: Any) -> Any:
    """A list in which some values are missing as a masked array of the others' type."""
    missing = np.fromiter(map(_is_missing, values), bool, len(values))
    rest = array_of_host(name, [value for value in values if not _is_missing(value)])
    if rest.ndim != 1:
        raise no_ids(name, f"a list of arrays of {rest.dtype}", len(values), int(missing.sum()))
    data = np.zeros(len(values), rest.dtype)
    data[~missing] = rest
    return np.ma.array(data, mask=missing)


def _is_wide(words: Any) -> bool:
    """Whether an array in which each string has room for the longest would be mostly empty."""
    lengths = list(map(len, words))
    return max(lengths) * len(words) > WIDE + MOSTLY * sum(lengths)


def _stays_whole(value: Any) -> bool:
    """Whether NumPy keeps it as it is among text: no number, and no NUL at its end."""
    return isinstance(value, str) and not value.endswith("\0")


def _is_column(kind: type) -> bool:
    return kind.__module__.startswith(("pandas", "polars", "pyarrow")) and hasattr(kind, "__len__")


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
        f"column {name!r} is a list of integers from {shown(low)} to {shown(high)} ({len(values):,}"
        " values): no type of integers of 64 bits holds all; shift them, or make strings of them"
    )
