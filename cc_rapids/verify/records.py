"""The audit of links of records: it sorts values on the host, whereas runs hash them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends import Backend
from ..data.column import Borrowing, Column, common_rows
from ..data.records import KeyPart
from .tables import plain


def partners(
    parts: list[KeyPart], size: int, record: np.ndarray, max_group: int | None, backend: Backend
) -> np.ndarray:
    """Return for each row the first row with the same value of a key, for an edge between them.

    A row gets itself if its value is null or ignored, or if more than ``max_group`` records have
    this value. ``parts`` are the columns of the key. ``record`` has one number per row, which is
    equal for rows with the same id: they are one record.
    """
    mask = common_rows(part.values for part in parts)
    columns = [part.values.where(mask) for part in parts]
    usable = np.arange(size) if mask is None else np.flatnonzero(backend.to_host(mask))
    linked = np.ones(usable.size, bool)
    codes = []
    for part, column in zip(parts, columns, strict=True):
        distinct, code = _distinct(column, backend)
        ignored = [k for k, key_value in enumerate(distinct) if key_value in part.ignored]
        linked &= ~np.isin(code, ignored)
        codes.append(code)
    rows = usable[linked]
    value = row_ranks([code[linked] for code in codes])
    if max_group is not None:
        # one row for each pair of a value and a record, so that each record counts once
        distinct_rows = np.unique(row_ranks([value, record[rows]]), return_index=True)[1]
        is_small = np.bincount(value[distinct_rows], minlength=1)[value] <= max_group
        rows, value = rows[is_small], row_ranks([value[is_small]])  # ranks 0 .. k - 1 again
    partner = np.arange(size)
    first_row = rows[np.unique(value, return_index=True)[1]]  # of each value
    partner[rows] = first_row[value]
    return partner


def row_ranks(columns: list[np.ndarray]) -> np.ndarray:
    """Return for each row the rank of its values among the distinct rows of several columns.

    The values are integers of at least 0 and below 2^32.
    """
    rank = np.zeros(columns[0].size, np.int64)
    for column in columns:
        pairs = rank.astype(np.uint64) << np.uint64(32) | column.astype(np.uint64)
        rank = np.unique(pairs, return_inverse=True)[1].reshape(-1)
    return rank


def _distinct(column: Column, backend: Backend) -> tuple[list[Any], np.ndarray]:
    """Return the distinct values of a column, and for each row the index of its value."""
    with Borrowing([column]) as (values,):
        if not column.strings:
            numbers = backend.to_host(backend.asarray(values))
            distinct, code = np.unique(numbers, return_inverse=True)
            return distinct.tolist(), code.reshape(-1)
        text = values.to_arrow() if hasattr(values, "to_arrow") else values
        coded = plain(text).dictionary_encode()
    return coded.dictionary.to_pylist(), coded.indices.to_numpy()
