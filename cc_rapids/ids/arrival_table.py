"""The table that numbers ids as they arrive.

It is written in place, and belongs to the index that was made last. Numbers below n never change
and nothing is removed, so an older index over n ids still finds its ids. To add ids, it builds a
new table from its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..kernels import arrival_table as kernels

SPREAD = 3  # the most places for each id, in a table that has a slot for each place
SLOTS = 1.5  # for each hashed id, at the least; at first twice, or each batch would enter all anew
ALL_BITS = (1 << 64) - 1
BEING_ENTERED = -1  # the number of ids meanwhile, and for good if that was interrupted


class ArrivalTable:
    """The numbers of different ids, with space for more.

    Parameters
    ----------
    ids : (n,) array of uint64
        The bits of each id, in the order of their numbers; not written.
    low, high : int
        The least and the greatest id, of these and of those to come.
    more : int
        The maximum number of ids to add.
    backend : Backend
        The backend that holds the table.
    grows : bool
        Whether ids fell outside the range of an earlier table. If so, the new table adds half the
        range on each side.

    Attributes
    ----------
    n : int
        The number of ids, by which an index tells whether the table is its own.
    ids : (>= n,) array of uint64
        The bits of each, by number.
    """

    def __init__(
        self, ids: Array, low: int, high: int, more: int, backend: Backend, grows: bool = False
    ) -> None:
        self.backend, self.ids, self.n = backend, ids, int(ids.size)
        most, places = self.n + more, high - low + 1
        margin = places // 2 if grows else 0
        self.by_place = places + 2 * margin <= SPREAD * most
        if self.by_place:
            self.first, self.size = low - margin, places + 2 * margin + 1
        else:
            self.first, self.size = 0, max(32, int(SLOTS * (self.n + most)))
        last = max(self.size, most)
        self.vertex: Any = np.uint32 if last < np.iinfo(np.uint32).max else np.uint64
        self.slots = backend.fill(backend.empty(self.size, self.vertex), 0xFF)
        self._kernel(kernels.fill)(self.n, ids, self.base, self.n, self.slots)

    @property
    def base(self) -> int:
        """The id of the first slot as a signed integer, which kernels expect."""
        bits = self.first & ALL_BITS
        return bits - (bits >> 63 << 64)

    def _kernel(self, make: Any) -> Any:
        way = kernels.by_place if self.by_place else kernels.by_hash
        return self.backend.kernel(make, self.vertex, way)

    def takes(self, low: int, high: int, more: int) -> bool:
        """Return whether ids from the least to the greatest fit; ``more`` may be new."""
        most = self.n + more
        if not self.by_place:
            fits = SLOTS * most <= self.size
        else:
            fits = self.first <= low and high < self.first + self.size - 1
        return fits and most < np.iinfo(self.vertex).max

    def enter(self, columns: list[Array]) -> list[Array] | None:
        """Return a new array per column with the numbers of its ids; new ids get numbers from n on.

        None if an id is out of range, because a column changed after its bounds were read.
        After that, or if this is interrupted, no index finds the table to be its own any more.
        """
        n, self.n = self.n, BEING_ENTERED
        vertices = []
        for column in columns:
            numbers, n = self._numbers(column, n)
            vertices.append(numbers)
        none = np.iinfo(self.vertex).max
        if self.by_place and int(self.backend.to_host(self.slots[-1:])[0]) != none:
            return None
        self.n = n
        return vertices

    def _numbers(self, column: Array, n: int) -> tuple[Array, int]:
        """Return the numbers of one column's ids, and the number of ids after them."""
        backend, vertex, m = self.backend, self.vertex, int(column.size)
        out, new_numbers = backend.empty(m, vertex), backend.empty(m, vertex)
        is_new = backend.empty(m, np.uint8)
        claim = self._kernel(kernels.claim)
        claim(m, column, self.base, n, self.slots, self.ids, out, is_new, new_numbers)
        claimed = backend.xp.flatnonzero(is_new.view(bool))
        more = int(claimed.size)
        if more:
            self._reserve(n, more)
            settle = backend.kernel(kernels.settle, vertex)
            settle(more, claimed, column, n, self.slots, self.ids, new_numbers)
            backend.kernel(kernels.number_claimed, vertex)(m, n, new_numbers, out)
        return out, n + more

    def _reserve(self, n: int, more: int) -> None:
        """Make space for the bits of more ids; older indexes keep the memory of theirs."""
        if n + more > self.ids.size:
            larger = self.backend.empty(max(n + more, self.ids.size * 5 // 4), np.uint64)
            larger[:n] = self.ids[:n]
            self.ids = larger

    def look_up(self, ids: Array, n: int) -> tuple[Array, Array]:
        """Return the numbers of ids, 0 for ids not among the n so far, and a mask of known ids.

        ``ids`` are of 64 bits.
        """
        backend = self.backend
        out = backend.fill(backend.empty(ids.size, self.vertex), 0)
        valid = backend.fill(backend.empty(ids.size, np.uint8), 0)
        look_up = self._kernel(kernels.look_up)
        look_up(ids.size, ids, self.base, n, self.slots, self.ids, out, valid)
        return out, valid.view(bool)

    def in_order(self, n: int, wide: np.dtype[Any]) -> Array:
        """Return the numbers below n in the order of their ids, as integers of 64 bits.

        Sorting the ids and looking them up is faster than sorting numbers by them.
        """
        if self.by_place:
            return self.slots[self.slots < self.vertex(n)]
        ids = self.ids[:n].view(wide).copy()
        ids.sort()
        return self.look_up(ids, n)[0]
