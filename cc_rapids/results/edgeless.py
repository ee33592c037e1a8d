"""Labels of ids that are no vertices of an answer: each is a component by itself."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..backends import Array, Engine
from ..data.column import Column, of
from ..data.frame_access import rows_of
from ..ids.range import bounds, type_of
from ..ids.strings import chosen, different, factorise, taken


def numbers_alone(column: Column, alone: Array, engine: Engine) -> Array:
    """Return 0, 1, ... for the ids of a column that are alone, in their order, equal ids alike."""
    xp, found = engine.xp, None
    if not bool(alone.any()):
        return engine.empty(0, np.int64)
    with column.lend() as lent:
        for part, held in _parts(column, lent):
            if part.strings:
                words = rows_of(held, alone, engine)
                codes = factorise([words], Column.native, engine)[0][0]
                rank = engine.asarray(codes).astype(np.int64)
            else:
                rank = xp.unique(engine.asarray(held)[alone], return_inverse=True)[1]
            if found is not None:  # columns compare one after the other
                found = found * (int(rank.max()) + 1)
            both = rank if found is None else found + rank
            found = xp.unique(both, return_inverse=True)[1]
    return found


def ids_or_own(
    column: Column,
    known: Array,
    labels: list[Any],
    given: Column,
    rows: Array | None,
    engine: Engine,
) -> list[Any]:
    """Return for each id of a column its label, or where that is not known the id itself.

    Parameters
    ----------
    column : Column
        The ids.
    known : (m,) array of bool
    labels : list of (m,) arrays, or columns of strings of the caller's kind
        Of ids that are not known any; without any row, if there is no label at all.
    given : Column
        Of the answer's edges: what makes a column of the caller's kind.
    rows : array of int64, optional
        The rows that are wanted; by default all.

    Returns
    -------
    list of arrays of the type that labels and ids fit, and columns of strings of the caller's kind

    Raises
    ------
    ColumnTypeError
        No type of integers holds both.
    """
    found = []
    with column.lend() as lent:
        pairs = zip(_parts(column, lent), labels, given.parts or (given,), strict=True)
        for (part, held), label, like in pairs:
            if part.strings:
                found.append(_words_or_own(held, known, label, like, rows, engine))
                continue
            own = engine.asarray(held)
            dtype = type_of((label.dtype, own.dtype), *bounds([label, own], engine))
            values = own.astype(dtype)
            if label.size:
                values = engine.xp.where(known, label.astype(dtype), values)
            found.append(values if rows is None else values[rows])
    return found


def _words_or_own(
    own: Any, known: Array, label: Any, like: Column, rows: Array | None, engine: Engine
) -> Any:
    if len(label):
        with of("labels", label).lend() as words:
            own = chosen(known, words, own, engine)
    own = own if rows is None else taken(own, rows, engine)
    return like.native(own, partial(different, own))


def _parts(column: Column, lent: Any) -> list[tuple[Column, Any]]:
    if column.parts:
        return list(zip(column.parts, lent, strict=True))
    return [(column, lent)]
