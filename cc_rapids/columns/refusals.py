"""Refusals: what errors say of a column that holds no ids, or of which some are missing."""

from __future__ import annotations

from typing import Any

from ..errors import ColumnTypeError, InputError, NullsError

FILL = "fill or drop them first"
LEAVE_OUT = "nulls='drop' leaves the edges with a null end out; or fill them first"
REFUSE = "refuse"  # the policy of functions that have no nulls=, beside "raise" and "drop"


def remedy_for(nulls: str) -> str:
    """Return the way out that there is for nulls of edges under a policy."""
    return FILL if nulls == REFUSE else LEAVE_OUT


def refuse_nulls(name: str, missing: int, size: int, remedy: str = FILL) -> None:
    """A NullsError if values are missing, with the way out that there is for this column."""
    if missing:
        raise NullsError(f"column {name!r} has {missing:,} nulls in {size:,} rows: {remedy}")


def refuse_twice(name: Any, names: list[Any]) -> None:
    """An InputError if several columns have the name of one that is asked for."""
    if names.count(name) > 1:
        raise InputError(f"{names.count(name)} columns are called {name!r}: rename one")


def no_ids(name: str, dtype: str, size: int, missing: int = 0) -> ColumnTypeError:
    """The error for a column of a type that names no vertices."""
    absent = f", {missing:,} of them missing" if missing else ""
    what = f"column {name!r} is {dtype} ({size:,} values{absent})"
    if dtype.lower().startswith(("float", "double", "half")):
        return ColumnTypeError(
            f"{what}: ids are integers or strings, because floats merge ids beyond 2^53; cast it,"
            " such as .astype('int64'), or in pandas .astype('Int64') where values are missing"
        )
    return ColumnTypeError(f"{what}: ids are integers or strings; cast it, or factorise it first")


def refuse_surrogates(name: str, values: list[Any]) -> InputError:
    """Return the error for strings that hold half of a surrogate pair, which no encoding has."""
    bad = ((row, value) for row, value in enumerate(values) if not _is_unicode(value))
    row, value = next(bad, (0, "\ud800"))  # which may have changed meanwhile
    return InputError(
        f"column {name!r} holds in row {row:,} of {len(values):,} a string with half of a surrogate"
        f" pair, {value!r}, which is no Unicode text: replace it, such as by"
        " .encode('utf-8', 'replace').decode()"
    )


def _is_unicode(value: Any) -> bool:
    try:
        str(value).encode()
    except UnicodeEncodeError:
        return False
    return True
