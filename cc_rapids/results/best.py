"""The best row of each group, by a key column."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..data.dtypes import is_float, is_signed
from ..ids.hash_table import Slots
from ..kernels import best as kernels

SLOTS_PER_ROW = 4  # maximum bound of group numbers, per row, without renumbering: see dedup.jsonl
SIGN = np.uint64(1 << 63)
NO_KEY = kernels.LAST  # the bit that marks the place of a row without a key


def sort_keys(values: Array, ascending: bool, xp: Any) -> Array:
    """Return a uint64 key for each number, none NaN; the best number has the least key."""
    if values.dtype.itemsize > 8:
        values = xp.unique(values, return_inverse=True)[1]
    if is_float(values.dtype):
        bits = (values.astype(np.float64) + 0.0).view(np.uint64)  # + 0.0 turns -0.0 into 0.0
        keys = xp.where(bits >= SIGN, ~bits, bits ^ SIGN)  # the bits of negative floats descend
    elif is_signed(values.dtype):
        keys = values.astype(np.int64).view(np.uint64) ^ SIGN
    else:
        keys = values.astype(np.uint64)
    return keys if ascending else ~keys


def choose(
    groups: Array,
    best: Array,
    places: Array,
    keys: Array | None,
    scored: Array | None,
    backend: Backend,
) -> None:
    """Write the place of each group's best row into ``best``: see :mod:`cc_rapids.kernels.best`.

    Parameters
    ----------
    groups : (m,) array of integers
        The group of each row, below ``size``.
    best : (2 * size,) array of uint64
        Modified: two entries per group, the least key and the place of its row. The caller sets
        both to all ones, or the place to a default with the bit ``NO_KEY``, so that any row with a
        key is better.
    places : (m,) array of uint64
        The place of each row. The least place wins among equal keys.
    keys : (m,) array of uint64, optional
        The keys from :func:`sort_keys`. Without keys, the least place wins.
    scored : (m,) array of bool, optional
        False for rows without a key, which come last.
    """
    if keys is None or scored is None:
        keys = backend.unused(np.uint64)
        scored = backend.fill(backend.empty(groups.size, np.uint8), 0)
    else:
        scored = scored.astype(np.uint8)
        backend.kernel(kernels.lower_key)(groups.size, groups, keys, scored, best)
    backend.kernel(kernels.lower_place)(groups.size, groups, keys, scored, places, best)


def best_rows(
    groups: Array, size: int, keys: Array | None, scored: Array | None, backend: Backend
) -> Array:
    """Return the best row of each nonempty group, as ascending row numbers.

    Parameters
    ----------
    groups : (m,) array of integers
        The group of each row, below ``size``.
    size : int
        A small upper bound of the group numbers, see :func:`compact`.
    keys, scored : (m,) arrays, optional
        As for :func:`choose`; the first row wins among equal keys.
    """
    best = backend.fill(backend.empty(2 * size, np.uint64), 0xFF)
    places = backend.xp.arange(groups.size, dtype=np.uint64)
    choose(groups, best, places, keys, scored, backend)
    chosen = backend.empty(groups.size, np.uint8)
    backend.kernel(kernels.mark_chosen)(groups.size, groups, best, chosen)
    return backend.xp.flatnonzero(chosen.view(bool))


def compact(numbers: Array, size: int, backend: Backend) -> tuple[Array, int]:
    """Return group numbers and their upper bound, renumbered if the bound ``size`` is too large."""
    if size <= SLOTS_PER_ROW * numbers.size + 1:
        return numbers, size
    table = Slots([numbers], [], backend)
    return table.columns[0], int(table.keys.size)
