"""Edges as the kernels of audits read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..kernels import audit as kernels
from ..kernels.audit import kernel


@dataclass(frozen=True)
class Rows:
    """Edges in the form that kernels read.

    Attributes
    ----------
    first, second : arrays of integers
        The columns of both ends if ``is_list`` is True, otherwise the offsets and the indices of an
        adjacency list.
    low : int
        The number that is subtracted from an end to get its slot.
    wide : type
        The unsigned type to which kernels convert slots.
    is_list : bool
        Whether the edges are a list, not an adjacency list.
    """

    first: Array
    second: Array
    low: int
    wide: Any
    is_list: bool

    @property
    def m(self) -> int:
        """The number of edges."""
        return int(self.second.size)

    def slots(self, backend: Backend) -> list[Array]:
        """Return the slots of both ends of all edges as int64; all ends must be vertices."""
        columns, low = [self.first, self.second], np.int64(self.low)
        if not self.is_list:
            columns[0] = backend.empty(self.m, np.int64)
            kernel(kernels.list_rows, backend)(self.m, self.first, columns[0])
        return [column.astype(np.int64) - low for column in columns]

    def load_edge(self, backend: Backend) -> Any:
        """Return the device function that takes the row of an edge and returns both slots."""
        read = kernels.pair_of_columns if self.is_list else kernels.pair_of_entry
        return kernel(read, backend, self.wide)
