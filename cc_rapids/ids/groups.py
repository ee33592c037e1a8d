"""Group equal rows by a hash table, without sorting."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..data.dtypes import is_integer
from ..kernels import groups as kernels
from .hash_table import slots_for
from .strings import SEEDS, all_equal, borrowed_text, codes_of, hashes, left_to_library

log: logging.Logger = logging.getLogger(__name__)
HALF = np.uint64(32)  # bits of each number of a pair


def chosen_rows(columns: list[Any], backend: Backend) -> Array:
    """Return the representative of each row: a row of equal values, the same for all equal rows.

    The representative of a group of equal rows may differ between runs. The call allocates about
    21 bytes per row in addition to the result, and 16 more bytes per row for several columns.

    Parameters
    ----------
    columns : list of arrays of integers or columns of strings
        At least one column. The columns have an equal length below 2^32, and are not changed.
    backend : Backend
        The backend that compares the rows.

    Returns
    -------
    (m,) array of uint32
        A new array with the representative of each row.
    """
    first, *others = columns
    chosen = _of_column(first, backend)
    for other in others:
        chosen = chosen_pairs(chosen, _of_column(other, backend), backend)
    return chosen


def chosen_pairs(left: Array, right: Array, backend: Backend) -> Array:
    """Return the representative of each row, given two columns of numbers below 2^32."""
    return _of_integers((left.astype(np.uint64) << HALF) | right, backend)


def _of_column(column: Any, backend: Backend) -> Array:
    """Return the representative of each row of one column: see :func:`chosen_rows`."""
    if is_integer(getattr(column, "dtype", None)):
        return _of_integers(backend.asarray(column), backend)
    if not len(column):
        return backend.empty(0, np.uint32)
    if not backend.is_compiled and left_to_library([column], backend):
        return _of_integers(backend.asarray(codes_of(column)), backend)
    with borrowed_text(column, backend) as text:
        for seed in SEEDS:
            chosen = _of_integers(hashes(text, seed), backend)  # wrong if two strings share a hash
            if all_equal(text, chosen):
                return chosen
    log.info("two strings share a hash with every seed: the library numbers the strings")
    return _of_integers(backend.asarray(codes_of(column)), backend)


def _of_integers(column: Array, backend: Backend) -> Array:
    """Return the representative of each row of an array of integers."""
    table = backend.fill(backend.empty(slots_for(column.size), np.uint64), 0xFF)
    chosen = backend.empty(column.size, np.uint32)
    backend.kernel(kernels.choose_rows)(column.size, column, table, chosen)
    return chosen
