"""PyArrow's own: arrays and batches as columns and tables, and nulls among categories."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


def chunked(thing: Any) -> Any:
    """An array of PyArrow's as a chunked one, a batch as a table, without a copy; or the thing."""
    if type(thing).__module__ != "pyarrow.lib":
        return thing
    arrow = sys.modules["pyarrow"]
    if isinstance(thing, arrow.Array):
        return arrow.chunked_array([thing])
    return arrow.Table.from_batches([thing]) if isinstance(thing, arrow.RecordBatch) else thing


def with_null_rows(native: Any) -> Any:
    """A column whose rows of a null category are null themselves, as those without one are.

    Parameters
    ----------
    native : column of any library
        Not changed; a dictionary with a null among its values is copied without it, and its
        indices are new.
    """
    if isinstance(native, getattr(sys.modules.get("pyarrow"), "ChunkedArray", ())):
        return _with_null_rows(native)
    if not str(getattr(native, "dtype", "")).startswith("dictionary<"):  # pandas' of PyArrow's
        return native
    import pandas as pd

    held = native.array.__arrow_array__()
    plain = _with_null_rows(held)
    if plain is held:
        return native
    return pd.Series(pd.arrays.ArrowExtensionArray(plain), native.index, name=native.name)


def _with_null_rows(column: Any) -> Any:
    import pyarrow as pa

    if not (pa.types.is_dictionary(column.type) and any(map(_null_values, column.chunks))):
        return column
    return pa.chunked_array([_nulls_in_indices(chunk) for chunk in column.chunks], column.type)


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
