"""Find the best row of each group, by a column of keys."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..data.dtypes import is_float, is_signed
from ..ids.hash_table import Slots
from ..kernels import best as kernels

# Group numbers are replaced by smaller numbers if their bound is over 4 times the number of rows:
# see dedup.jsonl.
SLOTS_PER_ROW = 4
SIGN = np.uint64(1 << 63)
NO_KEY = kernels.LAST  # the bit that is set in the place of a row without a key


def sort_keys(values: Array, ascending: bool, xp: Any) -> Array:
    """Return a uint64 key for each number; the best number has the least key.

    The numbers must not be NaN. The best number is the least if ``ascending`` is True, otherwise
    the greatest.
    """
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
        Modified: receives two entries per group, which are the least key and the place of its row.
        The caller sets all bits of both entries. Or it sets the second entry to a default place
        with the bit ``NO_KEY``; any row with a key is then better.
    places : (m,) array of uint64
        The place of each row. Among rows with equal keys, the row with the least place is the best.
    keys : (m,) array of uint64, optional
        The keys from :func:`sort_keys`. By default, the row with the least place is the best.
    scored : (m,) array of bool, optional
        Whether each row has a key. Rows without a key come last.
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

    ``groups``, ``keys`` and ``scored`` are arrays as for :func:`choose`. ``size`` is a small number
    that exceeds all group numbers: see :func:`compact`. Among rows with equal keys, the first row
    is the best.
    """
    best = backend.fill(backend.empty(2 * size, np.uint64), 0xFF)
    places = backend.xp.arange(groups.size, dtype=np.uint64)
    choose(groups, best, places, keys, scored, backend)
    chosen = backend.empty(groups.size, np.uint8)
    backend.kernel(kernels.mark_chosen)(groups.size, groups, best, chosen)
    return backend.xp.flatnonzero(chosen.view(bool))


def compact(numbers: Array, size: int, backend: Backend) -> tuple[Array, int]:
    """Return group numbers, and a number that exceeds all group numbers.

    If ``size``, the bound of the given numbers, is too large, the groups get other numbers.
    """
    if size <= SLOTS_PER_ROW * numbers.size + 1:
        return numbers, size
    table = Slots([numbers], [], backend)
    return table.columns[0], int(table.keys.size)
