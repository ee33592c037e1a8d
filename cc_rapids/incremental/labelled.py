"""Labels of vertices, looked up by kernels from the ids of the remaining edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..data.dtypes import is_signed
from ..ids.growing import Index, Integers, Range
from ..kernels import forgetting as kernels


@dataclass(frozen=True)
class EdgeEnds:
    """The ends of some edges, in the form from which a kernel looks up their labels.

    Attributes
    ----------
    arguments : tuple
        The arguments of the kernel: both columns, the id of the first slot, the number of vertices,
        and the labels.
    direct : bool
        Whether the columns contain ids; otherwise they contain vertices.
    """

    labels: Labels
    columns: Sequence[Any]
    arguments: tuple[Any, ...]
    direct: bool

    @property
    def size(self) -> int:
        """The number of edges."""
        return int(self.arguments[0].size)

    def vertices(self, rows: Array) -> tuple[Array, Array, bool]:
        """Return the vertices of both ends of given edges as int64, and whether all are known."""
        n, (index, backend) = self.arguments[3], (self.labels.index, self.labels.backend)
        ends, all_known = [], True
        for column, given in zip(self.columns, self.arguments[:2], strict=True):
            if self.direct:
                vertices, valid = index.lookup(backend.asarray(column)[rows], backend)
            else:
                vertices = given[rows]
                valid = vertices != n
            all_known = all_known and bool(valid.all())
            ends.append(vertices.astype(np.int64))
        return ends[0], ends[1], all_known


@dataclass(frozen=True)
class Labels:
    """A label for each vertex; removed vertices have the number of vertices as label.

    Attributes
    ----------
    values : (n + 1,) array of unsigned integers
        The label of each vertex. The last value has all bits set, for unknown ids.
    """

    index: Index
    values: Array
    backend: Backend

    @classmethod
    def of(cls, index: Index, roots: Array, removed: Array, backend: Backend) -> Labels:
        """Return the roots as labels, and n for the vertices in the mask ``removed``, if any."""
        n = int(roots.size)
        values = backend.empty(n + 1, np.uint32 if n < (1 << 32) - 1 else np.uint64)
        values[:n] = roots
        if removed.size:
            values[:n][removed.view(bool)] = n
        values[n:] = np.iinfo(values.dtype).max
        return cls(index, values, backend)

    @property
    def dtype(self) -> Any:
        """The type of the labels."""
        return self.values.dtype.type

    @cached_property
    def _of_places(self) -> Array:
        """The label of each slot of a table with one vertex per slot."""
        assert isinstance(self.index, Integers)
        slots, backend = self.index.table_of(self.backend).slots, self.backend
        labels = backend.empty(slots.size, self.dtype)
        write = backend.kernel(kernels.labels_of_places, self.dtype)
        write(slots.size, self.index.n, slots, self.values, labels)
        return labels

    def edge_ends(self, columns: Sequence[Any]) -> EdgeEnds:
        """Return the ends of edges from borrowed id columns of the index's type."""
        index, backend = self.index, self.backend
        n = self.values.size - 1
        if isinstance(index, Range):
            arrays = [backend.asarray(column) for column in columns]
            return EdgeEnds(self, columns, (*arrays, 0, n, self.values), True)
        if isinstance(index, Integers) and index.n and index.table_of(backend).by_place:
            arrays, base = (
                [backend.asarray(column) for column in columns],
                index.table_of(backend).base,
            )
            if all(_same_bits(array.dtype, index.wide) for array in arrays):
                return EdgeEnds(self, columns, (*arrays, base, n, self._of_places), True)
        ends = []
        for column in columns:
            vertices, valid = index.lookup(column, backend)
            ends.append(backend.xp.where(valid, vertices, vertices.dtype.type(n)))
        return EdgeEnds(self, columns, (*ends, 0, n, self.values), False)


def _same_bits(dtype: Any, wide: Any) -> bool:
    """Return whether widening integers of a type to 64 bits keeps their value as bits."""
    return bool(dtype.kind == wide.kind or (not is_signed(dtype) and dtype.itemsize < 8))
