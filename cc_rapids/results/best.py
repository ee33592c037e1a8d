"""Find the best row of each group, by a column of keys."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..data.dtypes import is_float, is_signed
from ..ids.hash_table import Slots
from ..kernels import best as kernels

# Groups are renumbered if the bound of their numbers is over 4 times the rows, see dedup.jsonl.
SLOTS_PER_ROW = 4
SIGN = np.uint64(1 << 63)  # the sign bit of a 64-bit number
NO_KEY = kernels.NO_KEY  # this bit of a place marks a row without a key


def sort_keys(values: Array, ascending: bool, xp: Any) -> Array:
    """Return a uint64 key for each number; the best number has the least key.

    The numbers must not be NaN. The best number is the least if ``ascending`` is True, otherwise
    the greatest.
    """
    if values.dtype.itemsize > 8:  # rank numbers that 64 bits cannot hold, as long doubles
        values = xp.unique(values, return_inverse=True)[1]
    if is_float(values.dtype):
        bits = (values.astype(np.float64) + 0.0).view(np.uint64)  # + 0.0 turns -0.0 into 0.0
        keys = xp.where(bits >= SIGN, ~bits, bits ^ SIGN)  # the bits of negative floats descend
    elif is_signed(values.dtype):
        keys = values.astype(np.int64).view(np.uint64) ^ SIGN
    else:
        keys = values.astype(np.uint64)
    return keys if ascending else ~keys


def update_best(
    groups: Array,
    best: Array,
    places: Array,
    keys: Array | None,
    scored: Array | None,
    backend: Backend,
) -> None:
    """Write the least key of each group, and the place of its row, into ``best``.

    Parameters
    ----------
    groups : (m,) array of integers
        The group of each row, below ``best.size / 2``.
    best : (2 * k,) array of uint64
        Modified: two adjacent entries per group, the least key and the place of its row. Before the
        call, all bits of both are set, or the place is a default place with the bit ``NO_KEY``, to
        which any row with a key is preferred.
    places : (m,) array of uint64
        A number of each row, below 2^63. Among equal keys, the row with the least place is best.
    keys : (m,) array of uint64, optional
        The keys from :func:`sort_keys`. By default, the row with the least place is the best.
    scored : (m,) array of bool, optional
        Whether each row has a key; required with ``keys``. Rows without a key come last.
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

    ``groups``, ``keys`` and ``scored`` are arrays as for :func:`update_best`. ``size`` exceeds all
    group numbers and bounds the memory: see :func:`compact`. Among rows with equal keys, the first
    row is the best.
    """
    best = backend.fill(backend.empty(2 * size, np.uint64), 0xFF)
    places = backend.xp.arange(groups.size, dtype=np.uint64)
    update_best(groups, best, places, keys, scored, backend)
    chosen = backend.empty(groups.size, np.uint8)
    backend.kernel(kernels.mark_chosen)(groups.size, groups, best, chosen)
    return backend.xp.flatnonzero(chosen.view(bool))


def compact(groups: Array, size: int, backend: Backend) -> tuple[Array, int]:
    """Return a group number per row, and a bound that exceeds all of them.

    If the bound ``size`` of ``groups`` is too large, groups are numbered by slots of a hash table.
    """
    if size <= SLOTS_PER_ROW * groups.size + 1:
        return groups, size
    table = Slots([groups], [], backend)
    return table.columns[0], int(table.keys.size)
