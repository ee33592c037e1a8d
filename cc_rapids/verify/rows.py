"""Edges as the kernels of audits read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..backends import Array, Backend
from ..kernels import audit as kernels
from ..kernels.audit import kernel


@dataclass(frozen=True)
class Rows:
    """Some edges in the form that kernels read.

    ``first`` and ``second`` are columns, or the offsets and indices of an adjacency list; the part
    ``load_edge`` reads slots of type ``wide`` from them, by their distances from ``low``.
    """

    first: Array
    second: Array
    low: int
    wide: Any
    is_list: bool

    @property
    def m(self) -> int:
        return int(self.second.size)

    def load_edge(self, backend: Backend, streaming: bool = False) -> Any:
        """Return the function that reads the ends of a row; ``streaming`` if they are read once."""
        if not self.is_list:
            return kernel(kernels.pair_of_entry, backend, self.wide)
        read = kernels.pair_streaming if streaming else kernels.pair_of_columns
        return kernel(read, backend, self.wide)
