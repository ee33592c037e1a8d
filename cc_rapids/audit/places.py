"""Places: from the ids of edges to the vertices of an answer, read from its list of ids anew."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import kernels
from ..columns import Column
from ..edges import Array, Edges
from ..engines import Engine
from ..forest import Forest
from ..names import Listed, Offset
from ..passes import ids as id_passes
from ..pick import first
from ..slots import Slots
from ..vertices import Names

MANY = 1 << 16  # ids from which on a table is faster than bisection


class Places:
    """The ids of an answer, by which columns of edges are read.

    Integers that are vertices as they stand are read where they lie. Of others a table is made
    from the answer's own list, or the library that holds the strings looks them up; an id is only
    found if it is equal to one of the list.
    """

    def __init__(self, engine: Engine, names: Names, forest: Forest, column: Column) -> None:
        self.engine, self.names, self.forest, self.column = engine, names, forest, column
        self._table: Array | None = None

    def ends(self, columns: list[Any]) -> Edges:
        """Edges of two lent columns; what is no vertex lies beyond the n that there are."""
        if isinstance(self.names, Offset):
            arrays = [self.engine.asarray(column) for column in columns]
            if all(self._hold(array.dtype) for array in arrays):
                return Edges(arrays[0], arrays[1], self.names.low)
        src = self.of(columns[0])
        return Edges(src, src if columns[1] is columns[0] else self.of(columns[1]), 0)

    def of(self, column: Any) -> Array:
        """The vertex of each id of a lent column: a new array, n where there is none."""
        engine, n = self.engine, self.forest.n
        parts = [
            held if own.strings else engine.asarray(held)
            for held, own in zip(
                column if self.column.parts else [column],
                self.column.parts or [self.column],
                strict=True,
            )
        ]
        if isinstance(self.names, Listed) and self._tabled(parts[0]):
            return self._looked_up(parts[0])
        found: Any = self.names
        vertices, known = found.find(parts if self.column.parts else parts[0], engine)
        known = known & (vertices < np.uint64(n))
        return engine.xp.where(known, vertices, np.uint64(n)).astype(self.forest.vertex)

    def name(self, vertex: int) -> str:
        """The id of a vertex, in words."""
        names, dtype = self.names, np.dtype(self.names.dtype)
        number = vertex + names.low
        if dtype.kind == "u" and number < 0:
            number += 1 << 64
        taken = names.take(self.engine.xp.asarray([number], dtype), self.engine)
        return in_words(taken, bool(self.column.parts))

    def _hold(self, dtype: np.dtype[Any]) -> bool:
        """Whether the ids of all vertices lie within a type, so that no other is taken for one."""
        low, limit = self.names.low, np.iinfo(dtype)
        if np.dtype(self.names.dtype).kind == "u" and low < 0:
            low += 1 << 64
        return int(limit.min) <= low and low + self.forest.n - 1 <= int(limit.max)

    def _tabled(self, column: Array) -> bool:
        assert isinstance(self.names, Listed)
        held = self.names.ids
        same = (held.dtype == np.uint64) == (column.dtype == np.uint64)
        return bool(same and min(held.size, column.size) >= MANY)

    def _looked_up(self, column: Array) -> Array:
        assert isinstance(self.names, Listed)
        engine, vertex = self.engine, self.forest.vertex
        if self._table is None:
            self._table = self._made(self.names.ids, column)
        out = engine.empty(column.size, vertex)
        look_up = kernels.kernel(id_passes.look_up, engine, vertex)
        look_up(column.size, self.forest.n, column, self._table, out)
        return out

    def _made(self, ids: Array, column: Array) -> Array:
        """A table of the ids, in which each is followed by its vertex: one look reads both.

        Some take their slots as they come in a column: the frequent ones come early, and then stand
        where their search begins. What is no id of the answer is followed by n.
        """
        engine, early = self.engine, column[: min(ids.size, column.size // 8)]
        held = Slots([early, ids], [], engine, about=ids.size)
        table = engine.empty(2 * held.keys.size, np.uint64)
        table[::2], table[1::2] = held.keys, self.forest.n
        table[1::2][held.columns[1]] = engine.xp.arange(ids.size, dtype=np.uint64)
        return table


def in_words(rows: Any, several: bool) -> str:
    """The first id of a lent column, or of some, as messages show it."""
    if not several:
        return str(first(rows))
    return str(tuple(first(part) for part in rows))
