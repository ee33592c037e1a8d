"""Choose the best row of each group.

groups : (m,) integers, the group of each row.
keys   : (m,) uint64, the sort key of each row; the row with the least key is chosen.
scored : (m,) uint8, 0 for a row without a key, which is chosen only if its group has no key.
places : (m,) uint64 below 2^63; of rows with equal keys, the least place is chosen.
best   : (2 * groups,) uint64, for each group its least key and the place of the chosen row,
         adjacent in memory. The highest bit of the place is set if no row of the group has a key.
         All bits are set for an empty group.
"""

from typing import Any

import numpy as np

from .primitives import SOON, lessen, no_prefetch

NO_KEY, ONE = np.uint64(1 << 63), np.uint64(1)  # the bit of places of rows without a key


def prefetch_ahead(on: Any) -> Any:
    """Prefetch the group of a later row."""
    prefetch = on.prefetch
    if prefetch is None:
        return no_prefetch(on)

    @on.device
    def prefetch_group(i, groups, best):
        j = i + SOON
        if j < np.uint64(groups.size):
            prefetch(best, np.uint64(groups[j]) << ONE)

    return prefetch_group


def lower_key(on: Any) -> Any:
    """Find the least key of each group."""
    lower, prefetch_group = lessen(on), prefetch_ahead(on)

    @on.elementwise
    def lower_key(i, groups, keys, scored, best):
        prefetch_group(i, groups, best)
        if scored[i] != 0:
            lower(best, np.uint64(groups[i]) << ONE, keys[i])

    def by_numpy(m, groups, keys, scored, best):
        rows = np.flatnonzero(scored[:m])
        np.minimum.at(best, 2 * groups[rows].astype(np.int64), keys[rows])

    lower_key.by_numpy = by_numpy
    return lower_key


def lower_place(on: Any) -> Any:
    """Find the least place of each group among the rows of the group with the least key."""
    lower, prefetch_group = lessen(on), prefetch_ahead(on)

    @on.elementwise
    def lower_place(i, groups, keys, scored, places, best):
        prefetch_group(i, groups, best)
        g = np.uint64(groups[i]) << ONE
        if scored[i] == 0:
            lower(best, g | ONE, places[i] | NO_KEY)
        elif keys[i] == best[g]:
            lower(best, g | ONE, places[i])

    def by_numpy(m, groups, keys, scored, places, best):
        at, has_key = 2 * groups[:m].astype(np.int64), scored[:m] != 0
        may_win = ~has_key
        # ``keys`` may be empty if no row has a key; the mask must then be empty as well
        may_win[has_key] = keys[:m][has_key[: keys.size]] == best[at[has_key]]
        marked_places = np.where(has_key, places[:m], places[:m] | NO_KEY)
        np.minimum.at(best, at[may_win] + 1, marked_places[may_win])

    lower_place.by_numpy = by_numpy
    return lower_place


def mark_chosen(on: Any) -> Any:
    """Write whether each row is the chosen row of its group; places must be row numbers."""
    prefetch_group = prefetch_ahead(on)

    @on.elementwise
    def mark_chosen(i, groups, best, chosen):
        prefetch_group(i, groups, best)
        place = best[(np.uint64(groups[i]) << ONE) | ONE]
        chosen[i] = np.uint8((place & ~NO_KEY) == i)

    def by_numpy(m, groups, best, chosen):
        places = best[2 * groups[:m].astype(np.int64) + 1] & ~NO_KEY
        chosen[:m] = places == np.arange(m, dtype=np.uint64)

    mark_chosen.by_numpy = by_numpy
    return mark_chosen
