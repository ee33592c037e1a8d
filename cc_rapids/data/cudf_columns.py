"""Read and make columns and frames of cuDF, through its public interface and pylibcudf."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .dtypes import is_number
from .lazy import cudf, cupy

MAX_ROWS = 1 << 31  # the limit of a cuDF column, in rows and in bytes of strings
IDS = tuple(f"{kind}INT{bits}" for kind in ("", "U") for bits in (8, 16, 32, 64))
NEVER_CODES = ("INT64", "UINT64", "FLOAT32", "FLOAT64")  # types that codes of categories never have
MAX_CONVERTED_COLUMNS = 8  # a frame with more columns is not converted as a whole


def borrow_numbers(series: Any) -> AbstractContextManager[Any]:
    """Return a context manager over a CuPy array that shares the memory of a series of numbers.

    The series has no nulls. With cuDF's option ``spill``, cuDF could move the memory of a pylibcudf
    column to the host while a kernel uses it. With this option, the array is therefore made by
    CuPy's protocol, after which cuDF never spills the series.
    """
    if not series.size:
        return nullcontext(cupy.empty(0, series.dtype.name.lower()))
    if sys.modules["cudf"].get_option("spill"):
        return nullcontext(cupy.asarray(series))
    column, _ = series.to_pylibcudf()
    dtype = np.dtype(column.type().id().name.lower())
    return nullcontext(_view(column, column.data(), dtype, column.offset(), column.size()))


def numbers_in(frame: Any, name: Any) -> Any:
    """Return a column of numbers of a frame as a CuPy array that shares the memory of the frame.

    The result is None if the column does not hold numbers, has nulls, or has no rows.
    """
    arrays = numbers_of(frame, [name], ("INT64", "FLOAT32", "FLOAT64"))  # the faster way
    if arrays is not None:
        return arrays[0]
    series = frame[name]
    has_numbers = isinstance(series.dtype, np.dtype) and is_number(series.dtype)
    if not (has_numbers and series.size) or series.null_count:
        return None
    with borrow_numbers(series) as array:
        return array


def numbers_of(frame: Any, names: Sequence[Any], types: Sequence[str] = IDS) -> list[Any] | None:
    """Return columns of a frame as CuPy arrays that share the memory of the frame.

    One call for all columns takes a tenth of the time of ``frame[name]`` for each column. ``types``
    are names of pylibcudf's types of numbers. The result is None if a column is missing, is empty,
    has another type, or has nulls, for a frame of many columns, and with cuDF's option ``spill``.
    """
    if sys.modules["cudf"].get_option("spill"):
        return None
    frame_names = list(iter(frame))
    if len(frame_names) > MAX_CONVERTED_COLUMNS or not set(names) <= set(frame_names):
        return None
    columns = frame.to_pylibcudf()[0].columns()
    arrays = []
    for name in names:
        column = columns[frame_names.index(name)]
        kind, size = column.type().id().name, column.size()
        if kind not in types or column.null_count() or not size:
            return None
        dtype = np.dtype(kind.lower())
        if kind not in NEVER_CODES and frame[name].dtype != dtype:  # codes of a categorical
            return None
        arrays.append(_view(column, column.data(), dtype, column.offset(), size))
    return arrays


def borrow_strings(series: Any) -> tuple[Any, Any]:
    """Return the UTF-8 bytes of a series of strings and their offsets, as CuPy arrays.

    String i is at bytes ``offsets[i]`` to ``offsets[i + 1]``. The offsets are int32, or int64 for
    2^31 bytes and more. Both arrays share the memory of the series, which never spills. The series
    has at least one row and no nulls.
    """
    column, _ = series.to_pylibcudf()
    ends, octets = column.child(0), column.data()
    dtype = np.dtype(ends.type().id().name.lower())
    offsets = _view(ends, ends.data(), dtype, ends.offset() + column.offset(), column.size() + 1)
    # if all strings are empty, there is no buffer of bytes
    byte_count = min(int(offsets[-1]), octets.size if octets else 0)
    return _view(column, octets, np.dtype(np.uint8), 0, byte_count), offsets


def _view(column: Any, span: Any, dtype: np.dtype[Any], offset: int, size: int) -> Any:
    """Return a CuPy array of ``size`` elements of a pylibcudf column, which the array keeps alive.

    ``span`` is the buffer of the column, and ``offset`` is the first element in this buffer.
    """
    cupy = sys.modules["cupy"]  # cuDF has imported it
    if size == 0:
        return cupy.empty(0, dtype)
    address, length = span.ptr + offset * dtype.itemsize, size * dtype.itemsize
    memory = cupy.cuda.UnownedMemory(address, length, column)
    return cupy.ndarray((size,), dtype, cupy.cuda.MemoryPointer(memory, 0))


def make_strings(dtype: Any, chars: Any, offsets: Any) -> Any:
    """Make a series of strings without nulls from their bytes and offsets.

    Parameters
    ----------
    dtype : cuDF's type of the series, or None for its default
    chars : array of uint8, of CuPy or on the host
    offsets : (n + 1,) array of int64
        The offsets start at 0. As in cuDF, the offsets are stored in 32 bits if the strings have
        fewer than 2^31 bytes.
    """
    from pylibcudf import Column, DataType, TypeId, gpumemoryview

    if offsets.size == 1:
        return cudf.Series([], dtype=dtype or "str")
    if chars.size < MAX_ROWS:
        offsets = offsets.astype(np.int32)
    octets, ends = gpumemoryview(cupy.asarray(chars)), _column_of(cupy.asarray(offsets))
    column = Column(DataType(TypeId.STRING), offsets.size - 1, octets, None, 0, 0, [ends])
    series = cudf.Series.from_pylibcudf(column)
    return series if dtype is None or series.dtype == dtype else series.astype(dtype)


class WithoutNan(NamedTuple):
    """An array of numbers without NaN, so that :func:`make_frame` does not look for NaN."""

    array: Any


def make_frame(kind: Any, columns: dict[str, Any]) -> Any:
    """Make a cuDF frame from arrays and series, and share the memory of arrays if possible.

    A NaN in an array becomes a null, as in cuDF's constructor.

    Parameters
    ----------
    kind : type
        The class of the frame: ``cudf.DataFrame`` or a subclass.
    columns : dict of str to array, WithoutNan or series
        The columns by name; all have the same length.
    """
    shared = list(map(_column_of, columns.values()))
    if None not in shared:
        from pylibcudf import Table

        return kind.from_pylibcudf(Table(shared), {"columns": list(columns)})
    arrays = {}
    for name, column in columns.items():
        values = column.array if isinstance(column, WithoutNan) else column
        # the constructor would align series by their indexes
        arrays[name] = values.reset_index(drop=True) if hasattr(values, "reset_index") else values
    return kind(arrays)


def make_series(frame: Any, name: str, values: Any) -> Any:
    """Make a cuDF series from a new array, with the index of a frame of the same length."""
    column, kind = _column_of(values), sys.modules["cudf"].Series
    if column is None:
        return kind(values, index=frame.index, name=name)
    return kind.from_pylibcudf(column, {"name": name, "index": frame.index})


def _column_of(values: Any) -> Any:
    """Return a column of pylibcudf that shares the memory of a CuPy array.

    Return None for other values, and for floats that may be NaN, because cuDF's constructor must
    convert each NaN to a null.
    """
    from pylibcudf import Column, gpumemoryview

    without_nan = isinstance(values, WithoutNan)
    array = values.array if without_nan else values
    dtype: Any = getattr(array, "dtype", None)
    if not type(array).__module__.startswith("cupy") or dtype not in _type_ids():
        return None
    can_share = 0 < array.size < MAX_ROWS and array.flags.c_contiguous
    if not can_share or (issubclass(dtype.type, np.floating) and not without_nan):
        return None
    return Column(_type_ids()[dtype], array.size, gpumemoryview(array), None, 0, 0, [])


@cache
def _type_ids() -> dict[Any, Any]:
    """Return pylibcudf's types of integers, floats and booleans by NumPy's types."""
    from pylibcudf import DataType, TypeId

    integers = [f"{kind}int{bits}" for kind in ("", "u") for bits in (8, 16, 32, 64)]
    ids = {name: getattr(TypeId, name.upper()) for name in (*integers, "float32", "float64")}
    return {np.dtype(name): DataType(id) for name, id in (ids | {"bool": TypeId.BOOL8}).items()}
