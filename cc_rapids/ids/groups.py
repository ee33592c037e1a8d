"""Groups of rows that have the same values, found by hash tables, without an order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..errors import CapacityError
from ..kernels import forest as kernels
from .hash_table import Slots
from .strings import slots_of_strings

HALF = np.uint64(32)


@dataclass(frozen=True)
class Groups:
    """The group of each row: a number below ``size``, equal for rows with the same values.

    Attributes
    ----------
    numbers : (m,) array of uint32
    size : int
    backend : Backend
    """

    numbers: Array
    size: int
    backend: Backend

    @classmethod
    def of(cls, columns: list[Any], backend: Backend) -> Groups:
        """Return the groups of rows that are equal in all columns.

        Parameters
        ----------
        columns : list of arrays of integers, or of strings as columns of ids lend them
            One or more, of one length; not changed.

        Raises
        ------
        CapacityError
            A table would have 2^32 slots or more.
        """
        first, *others = (cls._of_column(column, backend) for column in columns)
        for other in others:
            first = first.split_by(other)
        return first

    @classmethod
    def _of_column(cls, column: Any, backend: Backend) -> Groups:
        if getattr(getattr(column, "dtype", None), "kind", "") in ("i", "u"):
            return cls._of_integers(backend.asarray(column), backend)
        numbers, size = slots_of_strings(column, backend)
        return cls(numbers, size, backend)._checked()

    @classmethod
    def _of_integers(cls, column: Array, backend: Backend) -> Groups:
        table = Slots([column], [], backend)
        return cls(table.columns[0], int(table.keys.size), backend)._checked()

    def _checked(self) -> Groups:
        if self.size >= 1 << 32:
            raise CapacityError(
                f"the values of {self.numbers.size:,} rows need a table of {self.size:,} slots, and"
                " at most 4,294,967,295 are supported: link fewer records at a time"
            )
        return self

    def split_by(self, other: Groups) -> Groups:
        """Return the groups of rows that are in one group both here and there."""
        pairs = self.numbers.astype(np.uint64) << HALF
        pairs |= other.numbers
        return self._of_integers(pairs, self.backend)

    def first_rows(self) -> Array:
        """Return for each row the first row of its group: a new array of uint32."""
        backend, m = self.backend, int(self.numbers.size)
        least = backend.fill(backend.empty(self.size, np.uint32), 0xFF)
        backend.kernel(kernels.scatter_min, np.uint32)(m, self.numbers, least)
        found = backend.empty(m, np.uint32)
        backend.kernel(kernels.assign_min_root, np.uint32)(m, self.numbers, least, found)
        return found

    def sizes(self, rows: Array | None = None) -> Array:
        """Return the number of rows of each group, perhaps only of those where a mask is true."""
        numbers = self.numbers if rows is None else self.numbers[rows]
        return self.backend.counts(numbers, self.size)
