"""The best row of each group.

groups : (m,) integers, the group of each row.
keys   : (m,) uint64, what rows are chosen by: the less, the better.
scored : (m,) uint8, 0 where a row has no key; it comes after all rows that have one.
places : (m,) uint64 below 2^63, by which rows with equal keys are chosen: the least.
best   : (2 * groups,) uint64, of each group its least key and the place that is chosen, side by
         side, so that a row reads one part of memory. The highest bit of a place is set if no row
         of the group has a key. All bits are set where nothing has been seen.
"""

from typing import Any

import numpy as np

from .primitives import SOON, lessen

LAST, ONE = np.uint64(1 << 63), np.uint64(1)


def prefetch_ahead(on: Any) -> Any:
    """Prefetch the group of a later row, for which a processor would wait otherwise."""
    prefetch = on.prefetch
    if prefetch is None:
        return prefetch_nothing(on)

    @on.device
    def prefetch_group(i, groups, best):
        j = i + SOON
        if j < np.uint64(groups.size):
            prefetch(best, np.uint64(groups[j]) << ONE)

    return prefetch_group


def prefetch_nothing(on: Any) -> Any:
    """Prefetch nothing, as other threads run meanwhile."""

    @on.device
    def prefetch_group(i, groups, best):
        return

    return prefetch_group


def lower_key(on: Any) -> Any:
    """Find the least key of each group."""
    lower, prefetch_group = lessen(on), prefetch_ahead(on)

    @on.elementwise
    def lower_key(i, groups, keys, scored, best):
        prefetch_group(i, groups, best)
        if scored[i] != 0:
            lower(best, np.uint64(groups[i]) << ONE, keys[i])

    return lower_key


def lower_place(on: Any) -> Any:
    """Find the first place of each group among those with the least key."""
    lower, prefetch_group = lessen(on), prefetch_ahead(on)

    @on.elementwise
    def lower_place(i, groups, keys, scored, places, best):
        prefetch_group(i, groups, best)
        g = np.uint64(groups[i]) << ONE
        if scored[i] == 0:
            lower(best, g | ONE, places[i] | LAST)
        elif keys[i] == best[g]:
            lower(best, g | ONE, places[i])

    return lower_place


def mark_chosen(on: Any) -> Any:
    """Write whether each row is the one chosen in its group, where places are the rows."""
    prefetch_group = prefetch_ahead(on)

    @on.elementwise
    def mark_chosen(i, groups, best, chosen):
        prefetch_group(i, groups, best)
        place = best[(np.uint64(groups[i]) << ONE) | ONE]
        chosen[i] = np.uint8(place & ~LAST == i)

    return mark_chosen
