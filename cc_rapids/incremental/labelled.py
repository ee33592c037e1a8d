"""The ends of remaining edges, in arrays from which kernels look up slots and labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..data.dtypes import is_signed
from ..ids.growing import Index, Integers, Range
from ..kernels import forgetting as kernels


@dataclass(frozen=True)
class EdgeEnds:
    """The ends of edges, in arrays from which a kernel finds the slot of each end.

    A slot is an index of ``slots``. If there is no such table, the slot of an end is its vertex, or
    n for an unknown id.
    """

    index: Index
    backend: Backend
    src: Array  # (m,) integers: ids or vertices, see ``are_ids``
    dst: Array
    base: int  # the slot of an id is its difference from ``base``
    slots: Array | None  # (k,) unsigned integers: the vertex in each slot of a table
    are_ids: bool  # whether ``src`` and ``dst`` contain ids; otherwise they contain vertices

    @property
    def size(self) -> int:
        """The number of edges."""
        return int(self.src.size)

    @property
    def slot_args(self) -> tuple[Array, Array, int]:
        """The arguments of a kernel that finds the slots of both ends."""
        return self.src, self.dst, self.base

    def vertices(self, rows: Array) -> tuple[Array, Array, bool]:
        """Return the source and destination vertices of the edges in ``rows``, as int64.

        Also return whether all these ends have known ids.
        """
        index, backend = self.index, self.backend
        ends, all_known = [], True
        for end in (self.src, self.dst):
            if self.are_ids:
                vertices, valid = index.lookup(end[rows], backend)
            else:
                vertices = end[rows]
                valid = vertices != index.n
            all_known = all_known and bool(valid.all())
            ends.append(vertices.astype(np.int64))
        return ends[0], ends[1], all_known


def edge_ends(index: Index, columns: Sequence[Any], backend: Backend) -> EdgeEnds:
    """Return the ends of edges from borrowed columns of ids, which have the type of the index.

    If the slots of the index are ids minus a base, kernels look up the ids. Otherwise, each id is
    replaced by its vertex here.
    """
    if isinstance(index, Range):
        src, dst = (backend.asarray(column) for column in columns)
        return EdgeEnds(index, backend, src, dst, base=0, slots=None, are_ids=True)
    if isinstance(index, Integers) and index.n and (table := index.table_of(backend)).by_place:
        src, dst = (backend.asarray(column) for column in columns)
        if all(_has_same_bits(array.dtype, index.wide) for array in (src, dst)):
            return EdgeEnds(index, backend, src, dst, table.base, table.slots, are_ids=True)
    ends = []
    for column in columns:
        vertices, valid = index.lookup(column, backend)
        ends.append(backend.xp.where(valid, vertices, vertices.dtype.type(index.n)))
    return EdgeEnds(index, backend, ends[0], ends[1], base=0, slots=None, are_ids=False)


@dataclass(frozen=True)
class Labels:
    """The label of each of n vertices; removed vertices have the label n."""

    values: Array  # (n + 1,) unsigned integers; the last has all bits set, for unknown ids
    backend: Backend

    @classmethod
    def of(cls, roots: Array, removed: Array, backend: Backend) -> Labels:
        """Return labels: the roots, or n where the mask ``removed``, which may be empty, is set."""
        n = int(roots.size)
        values = backend.empty(n + 1, np.uint32 if n < (1 << 32) - 1 else np.uint64)
        values[:n] = roots
        if removed.size:
            values[:n][removed.view(bool)] = n
        values[n:] = np.iinfo(values.dtype).max
        return cls(values, backend)

    @property
    def dtype(self) -> Any:
        """The type of the labels."""
        return self.values.dtype.type

    def at(self, ends: EdgeEnds) -> tuple[Any, ...]:
        """Return the arguments of a kernel that loads the labels of both ends of edges."""
        n = self.values.size - 1
        labels = self.values if ends.slots is None else self._by_slot(ends.slots, n)
        return (*ends.slot_args, n, labels)

    def _by_slot(self, slots: Array, n: int) -> Array:
        """Return the label of the vertex in each slot of a table; the result is cached."""
        if "labels_by_slot" not in vars(self):
            labels = self.backend.empty(slots.size, self.dtype)
            write = self.backend.kernel(kernels.labels_of_places, self.dtype)
            write(slots.size, n, slots, self.values, labels)
            vars(self)["labels_by_slot"] = labels  # the dataclass is frozen
        return vars(self)["labels_by_slot"]


def _has_same_bits(dtype: Any, wide: Any) -> bool:
    """Return whether widening ``dtype`` to 64 bits gives the same bits as widening to ``wide``."""
    return bool(dtype.kind == wide.kind or (not is_signed(dtype) and dtype.itemsize < 8))
