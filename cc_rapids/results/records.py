"""The keys that records are linked by, and the links of one key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..data.arguments import check_count
from ..data.column import Borrowing, Column, common_rows
from ..data.records import Key, KeyPart
from ..errors import MissingColumnError, add_advice
from ..ids.groups import chosen_rows, paired
from ..ids.strings import among


@dataclass(frozen=True)
class KeyFacts:
    """The facts about one key.

    Attributes
    ----------
    links : int
        The number of links, k - 1 for a group of k rows.
    without_value : int
        The number of rows that the key does not link, because a part is null or ignored.
    ignored : int
        The number of these rows without a null part.
    left_out_groups, left_out_rows : int
        The numbers of groups of more than ``max_group`` records, and of the rows in them.
    """

    links: int
    without_value: int
    ignored: int
    left_out_groups: int
    left_out_rows: int


@dataclass(frozen=True)
class Linked:
    """The keys of linked records.

    Attributes
    ----------
    keys : dict of KeyFacts
        The facts by key: a column name, or a tuple of them.
    id_names : list of str
        The id columns of records; empty if the vertices are row positions.
    ignore : list
        The values that link nothing.
    max_group : int, optional
        The most records that one value links.
    """

    keys: dict[Key, KeyFacts]
    id_names: list[str]
    ignore: list[Any]
    max_group: int | None

    def words(self) -> dict[str, Any]:
        """Return the keys and their facts as JSON values."""
        return {
            "keys": [[key, asdict(facts)] for key, facts in self.keys.items()],
            "id": self.id_names,
            "ignore": list(map(_word, self.ignore)),
            "max_group": self.max_group,
        }

    @classmethod
    def of_words(cls, words: dict[str, Any]) -> Linked:
        """Return the keys from JSON values; raise a ValueError if a value has a wrong type."""
        keys = {
            key if isinstance(key, str) else tuple(key): KeyFacts(**facts)
            for key, facts in words["keys"]
        }
        parts = [part for key in keys for part in (key if isinstance(key, tuple) else (key,))]
        for facts in keys.values():
            for name, count in asdict(facts).items():
                check_count(name, count)
        limit = words["max_group"]
        if limit is not None:
            check_count("max_group", limit)
        if not all(isinstance(name, str) for name in (*parts, *words["id"])):
            raise ValueError("the facts of its keys are of other types")
        return cls(keys, list(words["id"]), list(map(_value, words["ignore"])), limit)


@contextmanager
def naming_records(linked: Linked | None, way: str) -> Iterator[None]:
    """Add advice to the error for records that are passed in place of edges."""
    try:
        yield
    except MissingColumnError as error:
        if linked is not None:
            add_advice(error, way)
        raise


DATES: dict[str, Callable[[str], Any]] = {
    "datetime64": np.datetime64,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
}


def _word(value: Any) -> Any:
    """Return a value to ignore as a JSON value; a date or time as a pair of its type and text."""
    if isinstance(value, str):
        return value
    if isinstance(value, np.datetime64):
        return ["datetime64", str(value)]
    if isinstance(value, date):
        return ["datetime" if isinstance(value, datetime) else "date", value.isoformat()]
    return bool(value) if isinstance(value, bool | np.bool_) else int(value)


def _value(word: Any) -> Any:
    """Return a value to ignore from a JSON value; raise a ValueError if it is invalid."""
    if isinstance(word, list):
        kind, text = word
        return DATES[kind](text)
    if not isinstance(word, str | int):
        raise ValueError("a value to ignore is of another type")
    return word


def link_key(
    parts: list[KeyPart], size: int, record_of_row: Array, limit: int | None, backend: Backend
) -> tuple[Array, KeyFacts]:
    """Return for each row the first row with the same key value; itself if it has no value.

    Parameters
    ----------
    parts : list of KeyPart
        The columns of the key.
    size : int
        The number of rows.
    record_of_row : (size,) array of integers, optional
        The vertex of each row, if several rows may belong to one record.
    limit : int, optional
        The most records that one value may link.

    Returns
    -------
    (size,) array of uint32, and KeyFacts
    """
    xp, mask = backend.xp, common_rows(part.values for part in parts)
    every = xp.arange(size, dtype=np.uint32)
    has_value = None if mask is None else backend.asarray(mask)
    rows = every if has_value is None else every[has_value]
    columns = [part.values.where(mask) for part in parts]
    with Borrowing(columns) as borrowed:
        arrays = [
            array if column.strings else backend.asarray(array)
            for column, array in zip(columns, borrowed, strict=True)
        ]
        skipped = None
        for part, column, array in zip(parts, columns, arrays, strict=True):
            if part.ignored and column.size:
                found = _ignored(array, column, part.ignored, backend)
                if bool(found.any()):
                    skipped = found if skipped is None else skipped | found
        chosen = chosen_rows(arrays, backend)
    left_out, left_out_groups, left_out_rows = None, 0, 0
    if limit is not None:
        vertices = None if record_of_row is None else record_of_row[rows]
        left_out, left_out_groups, left_out_rows = _too_large(
            chosen, limit, skipped, vertices, backend
        )
    ends = rows[chosen]
    for alone in (skipped, left_out):
        if alone is not None:
            ends[alone] = rows[alone]
    ignored = 0 if skipped is None else int(skipped.sum())
    links, without_value = int((ends != rows).sum()), size - int(rows.size) + ignored
    facts = KeyFacts(links, without_value, ignored, left_out_groups, left_out_rows)
    if has_value is None:
        return ends, facts
    every[rows] = ends
    return every, facts


def _ignored(array: Any, column: Column, values: list[Any], backend: Backend) -> Array:
    """Return a boolean mask of the values of a borrowed column that are to be ignored."""
    if column.strings:
        return backend.asarray(among(array, values))
    limits = np.iinfo(array.dtype)
    held = [value for value in values if limits.min <= value <= limits.max]
    return backend.xp.isin(array, backend.xp.asarray(held, array.dtype))


def _too_large(
    chosen: Array, limit: int, skipped: Array, record_of_row: Array, backend: Backend
) -> tuple[Array, int, int]:
    """Return a mask of the rows in oversized groups, and the number of such groups and rows.

    Rows with the same vertex in ``record_of_row`` count as one record. Groups of ``skipped`` rows
    are exempt.
    """
    size = int(chosen.size)
    over = backend.counts(chosen, size) > limit
    if skipped is not None:
        over[chosen[skipped]] = False
    if record_of_row is not None and bool(over.any()):
        some = chosen[over[chosen]]
        once = paired(some, chosen_rows([record_of_row[over[chosen]]], backend), backend)
        once = once == backend.xp.arange(once.size, dtype=once.dtype)
        over = backend.counts(some[once], size) > limit
    left_out = over[chosen]
    return left_out, int(over.sum()), int(left_out.sum())
