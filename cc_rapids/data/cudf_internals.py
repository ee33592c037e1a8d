"""All uses of cuDF beyond its public interface, each with a public alternative.

With ``CC_RAPIDS_CUDF_INTERNALS=0`` in the environment every function here takes its public twin,
which gives the same columns and frames. It is slower for small lists, and what it lends cuDF can no
longer spill: reading ``__cuda_array_interface__`` makes a buffer unspillable for good, whereas a
pointer that is read under ``access`` locks it for as long as the lock lives.

A *handle* is a column of cuDF's own kind beneath a series, or in its public twin the series. Both
have ``dtype`` and ``size``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from inspect import signature
from math import isnan
from typing import Any, NamedTuple

import numpy as np

PRIVATE = os.environ.get("CC_RAPIDS_CUDF_INTERNALS", "1").strip() != "0"
MOST_ROWS = 1 << 31  # of a cuDF column


def handles_in(frame: Any) -> Any:
    """Return what gives the handles of a frame's columns by their names, and has these names.

    In the public way it is the frame, which makes series, and an index of pandas' of its names.
    """
    return frame._data if PRIVATE else frame


def handle_of(series: Any) -> Any:
    """Return the handle of a series."""
    return series._column if PRIVATE else series


def series_of(handle: Any) -> Any:
    """Return a series of a handle, which shares its memory: without a name and an index of its own.

    In the public way the handle is one already, and keeps both.
    """
    return sys.modules["cudf"].Series._from_column(handle) if PRIVATE else handle


def nulls_in(handle: Any) -> int:
    """Count the nulls of a column; the public way takes a pass, the private count is stored."""
    return int(handle.null_count if PRIVATE else handle.isna().sum())


class Lent:
    """A CuPy view of a column of integers without nulls, kept on the device while it is lent.

    A class, as it takes half the time of a generator: for a small list that counts. So does each
    property of a column of cuDF's, which is why its type and size are told.
    """

    def __init__(self, handle: Any, dtype: Any, size: int) -> None:
        self.column, self.dtype, self.size = handle, dtype, size
        self.access: Any = None

    def __enter__(self) -> Any:
        if not PRIVATE:
            return _public_view(self.column)
        dtype, data = self.dtype, self.column.data
        if not isinstance(dtype, np.dtype):
            dtype = np.dtype(dtype.name.lower())
        if self.size:
            self.access = data.access(mode="read", scope="internal")
            self.access.__enter__()
        try:
            return _view(data, dtype, self.column.offset, self.size)
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise

    def __exit__(self, *error: object) -> None:
        if self.access is not None:
            self.access.__exit__(*error)


def _public_view(series: Any) -> Any:
    import cupy

    return cupy.asarray(series) if series.size else cupy.empty(0, series.dtype.name.lower())


def numbers_in(frame: Any, name: Any) -> Any:
    """Return a column of numbers of a frame as a CuPy array, where it lies.

    None if it holds something else, nulls, or no rows. The column cannot be spilled from now on.
    """
    import cupy

    from .dtypes import is_number

    handle = handles_in(frame)[name]
    dtype: Any = handle.dtype
    known = isinstance(dtype, np.dtype) and is_number(dtype)
    if not (known and handle.size) or nulls_in(handle):
        return None
    if not PRIVATE:
        return cupy.asarray(handle)
    data = handle.data
    with data.access(mode="read", scope="external"):
        return _view(data, dtype, handle.offset, handle.size)


@contextmanager
def lend_strings(series: Any) -> Iterator[tuple[Any, Any]]:
    """Return CuPy views, in a context, of the bytes of a series of strings and of their offsets.

    These are all bytes that it reaches, and where each string begins. The series has at least one
    row; its offsets are of 32 bits, or of 64 for many bytes.
    """
    if PRIVATE:
        column = series._column
        with column.access(mode="read", scope="internal"):
            offset, size = column.offset, column.size
            yield _views_of_strings(column.plc_column, column.data, offset, size)
    else:
        plain, _ = series.to_pylibcudf()
        yield _views_of_strings(plain, plain.data(), plain.offset(), plain.size())


def _views_of_strings(plain: Any, octets: Any, offset: int, size: int) -> tuple[Any, Any]:
    """Return the views, given the pylibcudf column and the memory of its bytes."""
    starts = plain.child(0)
    dtype = np.dtype(starts.type().id().name.lower())
    offsets = _view(starts.data(), dtype, starts.offset() + offset, size + 1)
    reached = max(int(offsets[-1]), 0)
    if reached:  # a column of empty strings may have no memory for them
        reached = min(reached, int(octets.size if PRIVATE else octets.nbytes))
    return _view(octets, np.dtype(np.uint8), 0, reached), offsets


def make_strings(dtype: Any, chars: Any, offsets: Any) -> Any:
    """Make a series of strings without nulls of their bytes and of where each begins and ends.

    Parameters
    ----------
    dtype : cuDF's type of the series
    chars : array of uint8, of CuPy's or on the host
    offsets : (n + 1,) array of int64
        From 0 on; kept as 32 bits if there are fewer than 2^31 bytes, as cuDF keeps them.
    """
    import cudf
    import cupy
    from pylibcudf import Column as Plain
    from pylibcudf import DataType, TypeId

    if chars.size < MOST_ROWS:
        offsets = offsets.astype(np.int32)
    chars, offsets = cupy.asarray(chars), cupy.asarray(offsets)
    width = TypeId.INT32 if offsets.dtype == np.int32 else TypeId.INT64
    rows = offsets.size - 1
    if not rows:
        return cudf.Series([], dtype=dtype)
    if PRIVATE and _creates_unchecked():
        from cudf.core.buffer import as_buffer
        from cudf.core.column import ColumnBase

        child = Plain(DataType(width), rows + 1, as_buffer(offsets), None, 0, 0, [], validate=False)
        octets, kind = as_buffer(chars), DataType(TypeId.STRING)
        plain = Plain(kind, rows, octets, None, 0, 0, [child], validate=False)
        return cudf.Series._from_column(ColumnBase.create(plain, dtype, validate=False))
    from pylibcudf import gpumemoryview

    child = Plain(DataType(width), rows + 1, gpumemoryview(offsets), None, 0, 0, [])
    octets, kind = gpumemoryview(chars), DataType(TypeId.STRING)
    series = cudf.Series.from_pylibcudf(Plain(kind, rows, octets, None, 0, 0, [child]))
    return series.astype(dtype)


@cache
def _creates_unchecked() -> bool:
    """Return whether this release of cuDF makes columns of parts that it does not check."""
    from cudf.core.column import ColumnBase

    return "validate" in signature(ColumnBase.create).parameters


def _view(buffer: Any, dtype: np.dtype[Any], offset: int, size: int) -> Any:
    """Return a view of elements of a cuDF buffer, from an offset on."""
    cupy = sys.modules["cupy"]  # which cuDF imports
    if size == 0:
        return cupy.empty(0, dtype)
    first, length = buffer.ptr + offset * dtype.itemsize, size * dtype.itemsize
    memory = cupy.cuda.UnownedMemory(first, length, buffer)
    return cupy.ndarray((size,), dtype, cupy.cuda.MemoryPointer(memory, 0))


class WithoutNan(NamedTuple):
    """An array of numbers of which none is nan, so that :func:`make_frame` need not look at it."""

    array: Any


def make_frame(kind: Any, columns: dict[str, Any]) -> Any:
    """Make a cuDF frame from arrays and series, without copies where cuDF makes none.

    Privately without its constructor, which makes an index of pandas' of the names first.

    Parameters
    ----------
    kind : type
        Of frames, ``cudf.DataFrame`` or a subclass.
    columns : dict of str to array, WithoutNan or series
        All of one length.
    """
    if PRIVATE:
        return _framing(kind)(dict(zip(columns, map(_wrapping(), columns.values()), strict=True)))
    plain = {}
    for name, column in columns.items():
        own = column.array if isinstance(column, WithoutNan) else column
        plain[name] = own.reset_index(drop=True) if hasattr(own, "reset_index") else own
    return kind(plain)


def make_series(frame: Any, name: str, values: Any) -> Any:
    """Make a cuDF series with the index of a frame of as many rows from a new array."""
    import cudf

    if PRIVATE and _takes_index(cudf.Series):
        return cudf.Series._from_column(_wrapping()(values), name=name, index=frame.index)
    found = make_frame(cudf.DataFrame, {name: values})[name]
    if not (isinstance(frame.index, cudf.RangeIndex) and frame.index.equals(found.index)):
        found.index = frame.index
    return found


@cache
def _takes_index(kind: Any) -> bool:
    """Return whether a series is made of a column with a name and an index at once."""
    return {"name", "index"} <= set(signature(kind._from_column).parameters)


@cache
def _framing(kind: Any) -> Callable[[dict[str, Any]], Any]:
    """Return the function that makes a cuDF frame from columns.

    It sets attribute by attribute, as cuDF itself looks for a column of that name each time; where
    frames have others than those known here, it is ``_from_data``.
    """
    from cudf import RangeIndex
    from cudf.core.column_accessor import ColumnAccessor

    own: dict[str, Any] = {k: type(value) for k, value in vars(kind._from_data({})).items()}
    flags_of = own.get("_flags")
    known = {"_data": ColumnAccessor, "_index": RangeIndex, "_attrs": dict, "_flags": flags_of}
    if own != known or not flags_of:
        return kind._from_data  # type: ignore[no-any-return]

    def framed(columns: dict[str, Any]) -> Any:
        frame, data = kind.__new__(kind), ColumnAccessor(columns)
        index, flags = RangeIndex(data.nrows), flags_of(frame, allows_duplicate_labels=True)
        vars(frame).update(_data=data, _index=index, _attrs={}, _flags=flags)
        return frame

    return framed


@cache
def _wrapping() -> Callable[[Any], Any]:
    """Return the function that makes a cuDF column from an array.

    New arrays of numbers and booleans are not looked at again, which would cost as much as a small
    list takes; all others, floats with nan, and all where cuDF does not let us, go to
    ``as_column``.
    """
    from cudf.core.buffer import as_buffer
    from cudf.core.column import ColumnBase, as_column
    from pylibcudf import Column as Plain
    from pylibcudf import DataType, TypeId

    from .dtypes import is_boolean, is_float

    if "validate" not in signature(ColumnBase.create).parameters:
        return lambda own: as_column(own.array if isinstance(own, WithoutNan) else own)
    known: dict[Any, Any] = {}

    def wrap(column: Any) -> Any:
        looks = not isinstance(column, WithoutNan)
        if not looks:
            column = column.array
        dtype: Any = getattr(column, "dtype", None)
        own = type(column).__module__.startswith("cupy") and getattr(dtype, "kind", "") in "iubf"
        if not (own and 0 < column.size < MOST_ROWS and column.flags.c_contiguous):
            return as_column(column)
        known_kind = known.get(dtype)
        if known_kind is None:
            name = "BOOL8" if is_boolean(dtype) else dtype.name.upper()
            made = DataType(getattr(TypeId, name)) if hasattr(TypeId, name) else None
            known_kind = known[dtype] = made, is_float(dtype)
        kind, may_hold_nan = known_kind
        if kind is None or (may_hold_nan and looks and isnan(column.max())):
            return as_column(column)  # which makes a null of nan
        plain = Plain(kind, column.size, as_buffer(column), None, 0, 0, [], validate=False)
        return ColumnBase.create(plain, dtype, validate=False)

    return wrap
