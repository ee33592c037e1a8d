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

    ``first`` and ``second`` are columns if ``is_list``, otherwise the offsets and indices of an
    adjacency list. The device function of :meth:`load_edge` reads both ends of an edge as slots of
    type ``wide``, which are differences from ``low``.
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
        """Return the slots of both ends of all edges as int64, if all ends are vertices."""
        columns, low = [self.first, self.second], np.int64(self.low)
        if not self.is_list:
            columns[0] = backend.empty(self.m, np.int64)
            kernel(kernels.list_rows, backend)(self.m, self.first, columns[0])
        return [column.astype(np.int64) - low for column in columns]

    def load_edge(self, backend: Backend) -> Any:
        """Return the device function that reads both ends of an edge, given its row."""
        read = kernels.pair_of_columns if self.is_list else kernels.pair_of_entry
        return kernel(read, backend, self.wide)
