"""Columns of hosts' libraries: all that they have as series, and what PyArrow's functions lack."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..errors import InputError

VIEWS = {"string_view": "large_string", "binary_view": "large_binary"}


def chunked(thing: Any) -> Any:
    """An array of PyArrow's as a chunked one, a batch as a table, without a copy; or the thing."""
    if type(thing).__module__ != "pyarrow.lib":
        return thing
    arrow = sys.modules["pyarrow"]
    if isinstance(thing, arrow.Array):
        return arrow.chunked_array([thing])
    return arrow.Table.from_batches([thing]) if isinstance(thing, arrow.RecordBatch) else thing


def as_series(values: Any) -> Any:
    """Return pandas' indexes and arrays as series, PyArrow's arrays as chunked ones; or the thing.

    Nothing is copied. An index of several levels is no column.
    """
    kind = type(values)
    if kind.__module__.partition(".")[0] != "pandas" or hasattr(kind, "iloc"):
        return chunked(values)
    one = hasattr(kind, "isna") and getattr(values, "nlevels", 1) == 1
    return sys.modules["pandas"].Series(values) if one else values


def plain(native: Any, name: str = "ids") -> Any:
    """Return a column whose nulls PyArrow and pandas see, and whose runs are values.

    Parameters
    ----------
    native : column of any library
        Not changed. Of a dictionary with a null among its values a copy without it, whose rows of
        that category are null themselves; with views of strings as its values a copy with large
        strings; of a dictionary whose values are dictionaries, nulls or runs, and of runs, a copy
        of the values.
    name : str
        What errors call it.

    Raises
    ------
    InputError
        The buffers of a dictionary or of runs are none.
    """
    if _is_arrow(native):
        return _plain(name, native)
    if not str(getattr(native, "dtype", "")).startswith(("dictionary<", "run_end_encoded<")):
        return native  # pandas' of PyArrow's are called so
    held = native.array.__arrow_array__()
    found = _plain(name, held)
    return native if found is held else _pandas_series(found, native.index, native.name)


def sound(name: str, held: Any) -> Any:
    """Return a copy of a column of PyArrow's, which follows offsets and indices without a look.

    The copy is what is looked at: nobody writes to it afterwards.

    Raises
    ------
    InputError
        Offsets or indices lead out of its buffers, or these hold no text.
    """
    import pyarrow as pa

    try:
        if isinstance(held, pa.ChunkedArray):
            return pa.chunked_array([_copied(chunk) for chunk in held.chunks], held.type)
        return _copied(held)
    except pa.ArrowException as error:
        raise _no_column(name, held.type, error) from error


def in_one(name: str, side: Any) -> Any:
    """Return a series of narwhals as one array of PyArrow's, as :func:`sound` does."""
    import pyarrow as pa

    try:
        return sound(name, side.to_arrow())
    except pa.ArrowException as error:  # of chunks that were put together
        raise _no_column(name, side.dtype, error) from error


def _no_column(name: str, kind: Any, error: Exception) -> InputError:
    return InputError(
        f"column {name!r} is {kind} whose buffers are no column ({error}): make it anew"
    )


def _copied(array: Any) -> Any:
    """A copy of an array that was found to be one; dictionaries and runs are followed too."""
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        indices, values = _copied(array.indices), _copied(array.dictionary)
        ordered = array.type.ordered
        copy = pa.DictionaryArray.from_arrays(indices, values, ordered=ordered, safe=False)
    elif pa.types.is_run_end_encoded(array.type):
        runs = pa.RunEndEncodedArray.from_arrays(_copied(array.run_ends), _copied(array.values))
        copy = runs.slice(array.offset, len(array))
    else:
        copy = pa.concat_arrays([array])
    copy.validate(full=True)
    return copy


def rows_where(native: Any, mask: Any, name: str = "ids") -> Any:
    """Return the rows of a column of a host's library for which an array of bool holds: a copy."""
    if _is_arrow(native):
        return _filtered(name, native, mask)
    if not hasattr(native, "iloc"):
        return native.filter(mask)
    if not _is_arrow_backed(native):
        return native[mask]
    held = _filtered(name, native.array.__arrow_array__(), mask)
    found = _pandas_series(held, native.index[mask], native.name)
    return found if found.dtype == native.dtype else found.astype(native.dtype)


def _is_arrow(native: Any) -> bool:
    return isinstance(native, getattr(sys.modules.get("pyarrow"), "ChunkedArray", ()))


def _is_arrow_backed(series: Any) -> bool:
    """Whether a series of pandas' is one of PyArrow's below, such as its strings."""
    kind = getattr(sys.modules["pandas"].arrays, "ArrowExtensionArray", ())
    return isinstance(series.array, kind)


def _pandas_series(held: Any, index: Any, name: Any) -> Any:
    import pandas as pd

    return pd.Series(pd.arrays.ArrowExtensionArray(held), index, name=name)


def _filtered(name: str, column: Any, mask: Any) -> Any:
    import pyarrow as pa

    kind = column.type
    rows = _without_views(sound(name, column)).filter(pa.array(mask))
    return rows if rows.type == kind else rows.cast(kind)


def _plain(name: str, column: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_run_end_encoded(column.type):
        found = [_whole(chunk) for chunk in sound(name, column).chunks]
        return pa.chunked_array(found, found[0].type if found else pa.null())
    if not pa.types.is_dictionary(column.type):
        return column
    native, column = column, sound(name, column)
    values = column.type.value_type
    if pa.types.is_null(values):
        return pa.chunked_array([pa.nulls(len(column))])
    if pa.types.is_dictionary(values) or pa.types.is_run_end_encoded(values):
        found = [_whole(chunk) for chunk in column.chunks]
        return pa.chunked_array(found, found[0].type if found else pa.null())
    if str(values) in VIEWS:
        found = [_without_views_in(chunk) for chunk in column.chunks]
        return _plain(name, pa.chunked_array(found)) if found else pa.chunked_array([], pa.null())
    if not any(map(_null_values, column.chunks)):
        return native
    return pa.chunked_array([_nulls_in_indices(chunk) for chunk in column.chunks], column.type)


def _whole(array: Any) -> Any:
    """An array whose values are neither in a dictionary, nor runs, nor views."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_run_end_encoded(array.type):
        ends, values = array.run_ends, _without_views(array.values)
        runs = pa.RunEndEncodedArray.from_arrays(ends, values)
        return _whole(pc.run_end_decode(runs.slice(array.offset, len(array))))
    if pa.types.is_dictionary(array.type):
        return _whole(array.dictionary).take(array.indices)
    return _without_views(array)


def _without_views(array: Any) -> Any:
    """Strings or bytes as PyArrow's functions take them: a copy, if they are views."""
    import pyarrow as pa

    kind = VIEWS.get(str(array.type))
    return array.cast(getattr(pa, kind)()) if kind else array


def _without_views_in(chunk: Any) -> Any:
    import pyarrow as pa

    values = _without_views(chunk.dictionary)
    return pa.DictionaryArray.from_arrays(chunk.indices, values, ordered=chunk.type.ordered)


def _null_values(chunk: Any) -> int:
    return int(chunk.dictionary.null_count)


def _nulls_in_indices(chunk: Any) -> Any:
    """A dictionary without the nulls among its values, which PyArrow does not unify."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not _null_values(chunk):
        return chunk
    there = pc.is_valid(chunk.dictionary)
    before = pc.subtract(pc.cumulative_sum(there.cast(pa.int64())), 1)
    places = pc.take(pc.if_else(there, before, None), chunk.indices)
    indices, values = places.cast(chunk.type.index_type), chunk.dictionary.drop_null()
    return pa.DictionaryArray.from_arrays(indices, values, ordered=chunk.type.ordered)


def text_buffers(column: Any) -> tuple[Any, Any]:
    """The UTF-8 bytes of a column of strings without nulls, and where each begins and ends.

    Parameters
    ----------
    column : array of PyArrow's, chunked or not; or None, for one without rows

    Returns
    -------
    (k,) array of uint8
        Not copied if the column is one array of large strings.
    (n + 1,) array of int64
        From 0 to k.
    """
    import pyarrow as pa

    if column is None or not len(column):
        return np.empty(0, np.uint8), np.zeros(1, np.int64)
    column = column.cast(pa.large_string())
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    _, starts, chars = column.buffers()
    offsets = np.frombuffer(starts, np.int64)[column.offset : column.offset + len(column) + 1]
    octets = np.frombuffer(chars or b"", np.uint8)[offsets[0] : offsets[-1]]
    return octets, offsets - offsets[0] if offsets[0] else offsets
