"""The pairs of vertices whose edges were removed and not inserted again, as sorted keys.

A later removal ignores these edges if its ``remaining=`` still contains them. The keys are made by
:func:`pair_keys`. None stands for no pairs.
"""

from __future__ import annotations

import numpy as np

from ..backends import Array, Backend
from ..kernels import forgetting as kernels
from ..kernels.forgetting import HALF, LOW, NONE


def pair_keys(src: Array, dst: Array, backend: Backend) -> Array:
    """Return a key for each pair of vertices below 2^32; the smaller one is in the upper half."""
    keys = backend.empty(src.size, np.uint64)
    backend.kernel(kernels.pair_keys)(src.size, src, dst, keys)
    return keys


def with_removed(removed: Array, keys: Array, backend: Backend) -> Array:
    """Return the sorted union of the keys ``removed`` and the new ``keys``, without NONE."""
    keys = keys[keys != NONE]
    return backend.xp.unique(keys if removed is None else backend.xp.concatenate([removed, keys]))


def without_inserted(removed: Array, src: Array, dst: Array, backend: Backend) -> Array:
    """Return the removed pairs that are not among the inserted edges, from ``src`` to ``dst``."""
    if not (removed.size and src.size):
        return removed
    keys = pair_keys(src, dst, backend)
    # a key greater than all removed keys has no row: it is compared with the last one
    rows = backend.xp.minimum(backend.xp.searchsorted(removed, keys), removed.size - 1)
    stays = backend.xp.ones(removed.size, bool)
    stays[rows[removed[rows] == keys]] = False
    return removed[stays]


def renumbered(removed: Array, new_number: Array, backend: Backend) -> Array:
    """Return the pairs of the vertices' new numbers; leave out pairs with a negative number."""
    if removed is None:
        return None
    src, dst = (new_number[end.astype(np.int64)] for end in (removed >> HALF, removed & LOW))
    stays = (src >= 0) & (dst >= 0)
    return backend.xp.sort(pair_keys(src[stays], dst[stays], backend))
