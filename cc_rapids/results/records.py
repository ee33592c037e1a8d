"""The keys of linked records, and the links between records that have the same value of a key."""

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
from ..ids.groups import chosen_pairs, chosen_rows
from ..ids.strings import among


@dataclass(frozen=True)
class KeyFacts:
    """The counts of one key."""

    links: int  # k - 1 for each group of k linked rows
    without_value: int  # rows that are not linked, because a part of the key is null or ignored
    ignored: int  # the rows in ``without_value`` that have no null part
    left_out_groups: int  # groups of more than ``max_group`` records
    left_out_rows: int  # rows in these groups


@dataclass(frozen=True)
class Linked:
    """The keys of linked records."""

    keys: dict[Key, KeyFacts]  # a key is a column name, or a tuple of column names
    id_names: list[str]  # the id columns of records; empty if the vertices are row positions
    ignore: list[Any]  # the values that do not link records
    max_group: int | None  # the maximum number of records that one value links

    def to_json(self) -> dict[str, Any]:
        """Return the keys and their facts as JSON values."""
        return {
            "keys": [[key, asdict(facts)] for key, facts in self.keys.items()],
            "id": self.id_names,
            "ignore": list(map(_ignored_to_json, self.ignore)),
            "max_group": self.max_group,
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Linked:
        """Return the keys from JSON values; raise a ValueError if a value has a wrong type."""
        keys = {
            key if isinstance(key, str) else tuple(key): KeyFacts(**facts)
            for key, facts in values["keys"]
        }
        parts = [part for key in keys for part in (key if isinstance(key, tuple) else (key,))]
        for facts in keys.values():
            for name, count in asdict(facts).items():
                check_count(name, count)
        max_group, id_names = values["max_group"], list(values["id"])
        if max_group is not None:
            check_count("max_group", max_group)
        if not all(isinstance(name, str) for name in (*parts, *id_names)):
            raise ValueError("a name of a key or id column is not a string")
        return cls(keys, id_names, list(map(_ignored_from_json, values["ignore"])), max_group)


@contextmanager
def records_advice(linked: Linked | None, advice: str) -> Iterator[None]:
    """Add advice to a MissingColumnError if the answer is from ``link_records``.

    The likely mistake is a frame of records where edges are expected.
    """
    try:
        yield
    except MissingColumnError as error:
        if linked is not None:
            add_advice(error, advice)
        raise


DATE_PARSERS: dict[str, Callable[[str], Any]] = {
    "datetime64": np.datetime64,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
}


def _ignored_to_json(value: Any) -> Any:
    """Return an ignored value as a JSON value.

    A date or a time becomes a pair of the name of its type and a text.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, np.datetime64):
        return ["datetime64", str(value)]
    if isinstance(value, date):
        return ["datetime" if isinstance(value, datetime) else "date", value.isoformat()]
    return bool(value) if isinstance(value, bool | np.bool_) else int(value)


def _ignored_from_json(value: Any) -> Any:
    """Return an ignored value from a JSON value; raise a ValueError if it is invalid."""
    if isinstance(value, list):
        kind, text = value
        return DATE_PARSERS[kind](text)
    if not isinstance(value, str | int):
        raise ValueError(f"an ignored value is a {type(value).__name__}")
    return value


def link_key(
    parts: list[KeyPart], size: int, record_of_row: Array, max_group: int | None, backend: Backend
) -> tuple[Array, KeyFacts]:
    """Return for each row a row with the same value of a key, and the facts about the key.

    The rows are a (size,) array of uint32. All rows with the same value get the same row. A row
    without a value, or of a group of more than ``max_group`` records, gets itself. ``parts`` are
    the columns of the key. ``record_of_row``, a (size,) array of integers, has the vertex of each
    row; it is None if each row is a record of its own.
    """
    xp, mask = backend.xp, common_rows(part.values for part in parts)
    all_rows = xp.arange(size, dtype=np.uint32)
    has_value = None if mask is None else backend.asarray(mask)
    rows = all_rows if has_value is None else all_rows[has_value]  # those without a null part
    columns = [part.values.where(mask) for part in parts]
    with Borrowing(columns) as borrowed:
        arrays = [
            array if column.strings else backend.asarray(array)
            for column, array in zip(columns, borrowed, strict=True)
        ]
        is_ignored = _ignored_rows(parts, columns, arrays, backend)
        representative = chosen_rows(arrays, backend)  # positions in ``rows``
    is_too_large, left_out_groups, left_out_rows = None, 0, 0
    if max_group is not None:
        vertices = None if record_of_row is None else record_of_row[rows]
        is_too_large, left_out_groups, left_out_rows = _too_large(
            representative, max_group, is_ignored, vertices, backend
        )
    partners = rows[representative]
    for is_unlinked in (is_ignored, is_too_large):  # masks of positions in ``rows``
        if is_unlinked is not None:
            partners[is_unlinked] = rows[is_unlinked]
    ignored = 0 if is_ignored is None else int(is_ignored.sum())
    links, without_value = int((partners != rows).sum()), size - int(rows.size) + ignored
    facts = KeyFacts(links, without_value, ignored, left_out_groups, left_out_rows)
    if has_value is None:
        return partners, facts
    all_rows[rows] = partners  # the other rows are their own partners
    return all_rows, facts


def _ignored_rows(
    parts: list[KeyPart], columns: list[Column], arrays: list[Any], backend: Backend
) -> Array | None:
    """Return a mask of the rows in which a part of the key is ignored; None if there are none.

    ``arrays`` are the borrowed ``columns`` of the parts.
    """
    is_ignored = None
    for part, column, array in zip(parts, columns, arrays, strict=True):
        if part.ignored and column.size:
            in_part = _mask_of_ignored(array, column, part.ignored, backend)
            if bool(in_part.any()):
                is_ignored = in_part if is_ignored is None else is_ignored | in_part
    return is_ignored


def _mask_of_ignored(array: Any, column: Column, values: list[Any], backend: Backend) -> Array:
    """Return a mask of the entries of a borrowed column that are among the ignored values."""
    if column.strings:
        return backend.asarray(among(array, values))
    limits = np.iinfo(array.dtype)
    representable = [value for value in values if limits.min <= value <= limits.max]
    return backend.xp.isin(array, backend.xp.asarray(representable, array.dtype))


def _too_large(
    representative: Array, max_group: int, is_ignored: Array, record_of_row: Array, backend: Backend
) -> tuple[Array, int, int]:
    """Return a mask of the rows in groups that are too large, and the numbers of groups and rows.

    ``representative`` has for each row one row of its group. Groups of ignored rows are never too
    large; ``is_ignored`` is None if there are none. Rows with the same vertex in ``record_of_row``
    count as one record; it is None if each row is a record of its own.
    """
    size = int(representative.size)
    is_large = backend.counts(representative, size) > max_group
    if is_ignored is not None:
        is_large[representative[is_ignored]] = False
    if record_of_row is not None and bool(is_large.any()):  # count records instead of rows
        in_large = is_large[representative]
        groups, records = representative[in_large], chosen_rows([record_of_row[in_large]], backend)
        pair = chosen_pairs(groups, records, backend)
        # count each pair of a group and a record once: in the row that represents the pair
        is_counted = pair == backend.xp.arange(pair.size, dtype=pair.dtype)
        is_large = backend.counts(groups[is_counted], size) > max_group
    left_out = is_large[representative]
    return left_out, int(is_large.sum()), int(left_out.sum())
