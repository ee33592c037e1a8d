"""Lookup: from ids that the caller asks about to rows of the answer."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from .columns import Column, of, of_parts
from .engines import Array, Engine
from .errors import UnknownVertexError
from .forest import Forest
from .given import Given
from .parts import parts_of
from .pick import check_kinds, first
from .vertices import Names


class Lookup:
    """An answer whose vertices can be looked up by their ids."""

    _given: Given
    _engine: Engine
    _names: Names
    _forest: Forest

    def _one(self, vertex: Any) -> Column:
        """A single id as a column."""
        parts = vertex if isinstance(vertex, tuple) else (vertex,)
        return of_parts([of("vertices", [part]) for part in parts])

    def _column(self, values: Any) -> Column:
        """Ids to look up, as a column of one or several parts."""
        own = self._given.src.parts
        if not own:
            return of("vertices", values)
        return of_parts(parts_of("vertices", values, len(own)))

    def _places(self, column: Column, missing: str) -> tuple[Array, Array]:
        """The row of each id in the answer, and whether it has one; any row where not."""
        engine, xp, forest = self._engine, self._engine.xp, self._forest
        check_kinds(self._given.src, column)
        if not column.size:
            return xp.zeros(0, np.int64), xp.zeros(0, bool)
        with column.lend() as held:
            parts = [
                part if own.strings else engine.asarray(part)
                for part, own in zip(
                    held if column.parts else [held], column.parts or [column], strict=True
                )
            ]
            vertex, known = self._names.find(parts if column.parts else parts[0], engine)
        known = known & (vertex < np.uint64(forest.n))
        at = xp.where(known, vertex, np.uint64(0)).astype(np.int64)
        if forest.vertices != forest.n:
            occur = self._occurring
            place = xp.minimum(xp.searchsorted(occur, at), max(occur.size - 1, 0))
            known, at = known & (occur[place] == at if occur.size else False), place
        if missing == "raise" and not bool(known.all()):
            raise self._unknown(column, engine.to_host(known))
        return xp.where(known, at, 0), known

    def _unknown(self, column: Column, known: Any) -> UnknownVertexError:
        strange = np.flatnonzero(~known)
        with column.lend() as held:
            parts = held if column.parts else [held]
            rows = [tuple(first(part[int(i) : int(i) + 1]) for part in parts) for i in strange[:3]]
        some = ", ".join(str(row[0] if len(row) == 1 else row) for row in rows)
        return UnknownVertexError(
            f"{strange.size:,} of {column.size:,} in {column.name!r} are no vertices of this"
            f" answer: {some}{', ...' if strange.size > 3 else ''}; components(..., vertices=)"
            " takes those that no edge names"
        )

    @cached_property
    def _occurring(self) -> Array:
        """The vertices that occur, in order."""
        return self._forest.rows(0, np.int64)[0]
