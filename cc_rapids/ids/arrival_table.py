"""A table that numbers ids in the order of their arrival.

The table is updated in place and belongs to the newest index. Numbers never change, and no id is
removed, so an older index can still look up its ids. To add ids, an older index builds a new table
from its own ids.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..kernels import arrival_table as kernels
from .decoders import as_word

SPREAD = 3  # max. slots per id if each integer of the range has its own slot
SLOTS = 1.5  # min. slots per hashed id; a new table has up to twice as many, for later batches
ALL_BITS = (1 << 64) - 1
BEING_ENTERED = -1  # ``ArrivalTable.n`` during an update, and after an interrupted update


class ArrivalTable:
    """The numbers of distinct ids, with space for more ids.

    Parameters
    ----------
    ids : (n,) array of uint64
        The bits of each id, in the order of their numbers; not written.
    low, high : int
        The least and the greatest id, including the ids of the next batch.
    more : int
        The maximum number of ids in the next batch.
    backend : Backend
        The backend that holds the table.
    grows : bool
        Whether ids fell outside the range of an earlier table. The new table then extends the range
        by half its size on each side.

    Attributes
    ----------
    n : int
        The number of ids. The table belongs to the index that has as many ids.
    ids : (>= n,) array of uint64
        The bits of each id, by number.
    by_place : bool
        Whether each integer of the range has its own slot. If False, slots are found by hashes.
    first : int
        The id of the first slot; 0 for hashes.
    size : int
        The number of slots.
    slots : (size,) array of unsigned integers
        The number of the id in each slot; all bits are set for a free slot.
    """

    backend: Backend
    ids: Array
    n: int
    by_place: bool
    first: int
    size: int
    slots: Array

    def __init__(
        self, ids: Array, low: int, high: int, more: int, backend: Backend, grows: bool = False
    ) -> None:
        self.backend, self.ids, self.n = backend, ids, int(ids.size)
        max_ids, range_size = self.n + more, high - low + 1
        margin = range_size // 2 if grows else 0  # at each end, for the ids of later batches
        self.by_place = range_size + 2 * margin <= SPREAD * max_ids
        if self.by_place:
            self.first = low - margin
            self.size = range_size + 2 * margin + 1  # the last slot is for ids out of range
        else:
            self.first, self.size = 0, max(32, int(SLOTS * (self.n + max_ids)))
        largest = max(self.size, max_ids)  # kernels store slots and numbers as this type
        self.vertex: Any = np.uint32 if largest < np.iinfo(np.uint32).max else np.uint64
        self.slots = backend.fill(backend.empty(self.size, self.vertex), 0xFF)
        self._kernel(kernels.fill)(self.n, ids, self.base, self.n, self.slots)

    @property
    def base(self) -> int:
        """The int64 with the same bits as the id of the first slot, as kernels expect it."""
        return as_word(self.first & ALL_BITS)

    def _kernel(self, make: Any) -> Any:
        """Return the kernel of a factory, given how this table finds the slot of an id."""
        find_slot = kernels.by_place if self.by_place else kernels.by_hash
        return self.backend.kernel(make, self.vertex, find_slot)

    def takes(self, low: int, high: int, more: int) -> bool:
        """Return whether a batch of ids ``low .. high`` fits; up to ``more`` of the ids are new."""
        max_ids = self.n + more
        if self.by_place:
            fits = self.first <= low and high < self.first + self.size - 1  # not the last slot
        else:
            fits = SLOTS * max_ids <= self.size
        return fits and max_ids < np.iinfo(self.vertex).max  # whose bits mark a free slot

    def enter(self, columns: list[Array]) -> list[Array] | None:
        """Return a new array per column with the numbers of its ids; new ids get n, n + 1, ...

        Return None if an id is out of range, because a column changed after its bounds were read.
        After that, or after an interrupt, the table belongs to no index.
        """
        n, self.n = self.n, BEING_ENTERED
        vertices = []
        for column in columns:
            numbers, claimed = self.number(column, n)
            n += int(claimed.size)
            vertices.append(numbers)
        # Ids that are out of range claim the last slot.
        free_slot = np.iinfo(self.vertex).max
        if self.by_place and int(self.backend.to_host(self.slots[-1:])[0]) != free_slot:
            return None
        self.n = n
        return vertices

    def number(self, column: Array, n: int) -> tuple[Array, Array]:
        """Return the numbers of the ids of one column, and the rows at which new ids first occur.

        New ids get the numbers n, n + 1, ... in the order of these rows. The caller sets :attr:`n`
        when all columns are numbered.
        """
        backend, vertex, m = self.backend, self.vertex, int(column.size)
        out, is_new = backend.empty(m, vertex), backend.empty(m, np.uint8)
        # for a row that claims a slot: the slot, which assign_numbers replaces by the new number
        new_numbers = backend.empty(m, vertex)
        claim = self._kernel(kernels.claim)
        claim(m, column, self.base, n, self.slots, self.ids, out, is_new, new_numbers)
        # For a new id, ``out`` now has n + i, where row i claimed its slot.
        claimed = backend.xp.flatnonzero(is_new.view(bool))
        more = int(claimed.size)
        if more:
            self._reserve(n, more)
            assign_numbers = backend.kernel(kernels.assign_numbers, vertex)
            assign_numbers(more, claimed, column, n, self.slots, self.ids, new_numbers)
            backend.kernel(kernels.number_claimed, vertex)(m, n, new_numbers, out)
        return out, claimed

    def _reserve(self, n: int, more: int) -> None:
        """Allocate a larger array of ids if it is full; older indexes keep the previous array."""
        if n + more > self.ids.size:
            larger = self.backend.reserve(n + more, np.uint64)
            larger[:n] = self.ids[:n]
            self.ids = larger

    def grown(self, low: int, high: int, more: int) -> ArrivalTable:
        """Return a larger table of the same ids; afterwards, this table belongs to no index."""
        ids, n = self.ids, self.n
        self.n = BEING_ENTERED
        table = ArrivalTable(ids[:n], low, high, more, self.backend, grows=self.by_place)
        table.ids = ids  # with its space for more ids
        return table

    def look_up(self, ids: Array, n: int) -> tuple[Array, Array]:
        """Return the numbers of 64-bit ids, and a mask of the ids with numbers below n.

        Other ids get the number 0.
        """
        backend = self.backend
        out = backend.fill(backend.empty(ids.size, self.vertex), 0)
        valid = backend.fill(backend.empty(ids.size, np.uint8), 0)
        look_up = self._kernel(kernels.look_up)
        look_up(ids.size, ids, self.base, n, self.slots, self.ids, out, valid)
        return out, valid.view(bool)

    def in_order(self, n: int, wide: np.dtype[Any]) -> Array:
        """Return the numbers below n in the order of their ids, as 64-bit integers.

        ``wide`` is the 64-bit type of the ids. Sorting the ids and looking them up is faster than
        sorting the numbers by id.
        """
        if self.by_place:  # slots have the order of the ids; free slots have all bits set
            return self.slots[self.slots < self.vertex(n)]
        ids = self.ids[:n].view(wide).copy()
        ids.sort()
        return self.look_up(ids, n)[0]
