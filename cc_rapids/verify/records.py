"""The links of records, found again on the host by sorting, without the hash tables of a run."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends import Backend
from ..data.column import Borrowing, Column, common_rows
from ..data.records import KeyPart


def partners(
    parts: list[KeyPart], size: int, record: np.ndarray, limit: int | None, backend: Backend
) -> np.ndarray:
    """Return for each row the first row that agrees in a key; itself if the key does not link it.

    Parameters
    ----------
    parts : list of KeyPart
        The columns of the key.
    record : (size,) array of integers
        The record of each row.
    limit : int, optional
        The most records that one value may link.
    """
    mask = common_rows(part.values for part in parts)
    columns = [part.values.where(mask) for part in parts]
    usable = np.arange(size) if mask is None else np.flatnonzero(backend.to_host(mask))
    linked = np.ones(usable.size, bool)
    codes = []
    for part, column in zip(parts, columns, strict=True):
        distinct, code = _distinct(column, backend)
        linked &= ~np.isin(code, [k for k, one in enumerate(distinct) if one in part.ignored])
        codes.append(code)
    rows = usable[linked]
    value = numbered([code[linked] for code in codes])
    if limit is not None:
        once = np.unique(numbered([value, record[rows]]), return_index=True)[1]
        few = np.bincount(value[once], minlength=1)[value] <= limit
        rows, value = rows[few], numbered([value[few]])
    first = np.arange(size)
    first[rows] = rows[np.unique(value, return_index=True)[1]][value] if rows.size else rows
    return first


def numbered(columns: list[np.ndarray]) -> np.ndarray:
    """Return for each row the number of its combination of integers below 2^32, from 0."""
    number = np.zeros(columns[0].size, np.int64)
    for column in columns:
        both = number.astype(np.uint64) << np.uint64(32) | column.astype(np.uint64)
        number = np.unique(both, return_inverse=True)[1].reshape(-1)
    return number


def _distinct(column: Column, backend: Backend) -> tuple[list[Any], np.ndarray]:
    """Return the distinct values of a column, and the number of each row's value among them."""
    import pyarrow as pa

    with Borrowing([column]) as (values,):
        if not column.strings:
            numbers = backend.to_host(backend.asarray(values))
            distinct, code = np.unique(numbers, return_inverse=True)
            return distinct.tolist(), code.reshape(-1)
        text = values.to_arrow() if hasattr(values, "to_arrow") else values
        chunks = text if isinstance(text, pa.ChunkedArray) else pa.chunked_array([text])
        coded = chunks.cast(pa.large_string()).combine_chunks().dictionary_encode()
    return coded.dictionary.to_pylist(), coded.indices.to_numpy()
