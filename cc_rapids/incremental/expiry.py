"""Times at which edges expire: columns of integers, floats or datetimes, and single times."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import numpy as np

from ..data.column import as_series, is_cudf, is_series, series_of
from ..data.dtypes import is_float
from ..data.frame_access import column_of, names_of, numbers_of
from ..errors import ArgumentTypeError, ColumnTypeError, InputError, MissingColumnError, unknown

LIMITS = np.iinfo(np.int64)
MICROSECONDS = "datetime64[us]"


@dataclass(frozen=True)
class Times:
    """The times at which edges expire, as numbers of 64 bits, and what they were.

    ``kind`` is "integers", "floats" or "datetimes", which are microseconds.
    """

    values: Any
    kind: str


def times_of(edges: Any, name: str) -> tuple[tuple[Any, Any], str]:
    """Return the times of edges as 64-bit numbers with a mask of those there are, and their kind.

    Raises
    ------
    MissingColumnError
        The edges have no such column.
    ColumnTypeError
        It holds something else, or integers beyond 64 bits with a sign.
    """
    known = names_of(edges)
    if name not in known:
        lack = unknown("column", name, map(str, known)) if known else "the edges have no columns"
        raise MissingColumnError(
            f"{lack}; expiry={name!r} names the column of the"
            " times at which edges expire, which each batch must have: pass frames with it"
        )
    column = column_of(edges, name)
    found = _datetimes(column)
    if found is not None:
        return found, "datetimes"
    values, there = numbers_of(column, f"expiry times {name!r}")
    if is_float(values.dtype):
        return (values.astype(np.float64), there), "floats"
    if values.dtype == np.uint64 and values.size and int(values.max()) > LIMITS.max:
        raise ColumnTypeError(
            f"expiry times {name!r} are uint64 ({values.size:,} values), the greatest"
            f" {int(values.max()):,}: they may be up to 2^63 - 1; cast them, such as to float64"
        )
    return (values.astype(np.int64), there), "integers"


def _datetimes(column: Any) -> tuple[Any, Any] | None:
    """Return datetimes as microseconds, with a mask of those there are; None for other columns."""
    if is_cudf(column):
        if getattr(column.dtype, "kind", "") != "M":
            return None
        there = column.notnull().to_cupy()
        return column.astype(MICROSECONDS).astype("int64").fillna(0).to_cupy(), there
    column = as_series(column)
    if is_series(column):
        import narwhals as nw

        side = series_of(column)
        if side.dtype != nw.Datetime and side.dtype != nw.Date:
            return None
        column = side.to_numpy()
    if getattr(getattr(column, "dtype", None), "kind", "") != "M":
        return None
    return column.astype(MICROSECONDS).astype(np.int64), ~np.isnat(column)


def check_kind(kind: str, before: str, name: str) -> None:
    """Raise a ColumnTypeError if times are of another kind than those before."""
    if before and kind != before:
        raise ColumnTypeError(
            f"expiry times {name!r} are {kind}, and those so far are {before}: cast the column"
        )


def one_time(before: Any, kind: str) -> Any:
    """Return a time as the number that times of that kind are compared with.

    Raises
    ------
    ArgumentTypeError, InputError
        It is no time, or none of that kind, or beyond 64 bits.
    """
    if isinstance(before, date | np.datetime64):
        if kind != "datetimes":
            raise InputError(f"before={before!s} is a datetime, and expiry times are {kind}")
        if isinstance(before, datetime) and before.tzinfo is not None:
            before = before.astimezone(UTC).replace(tzinfo=None)
        moment = np.datetime64(before).astype(MICROSECONDS)
        if np.isnat(moment):
            raise InputError("before= is NaT, which no time comes before: pass a datetime")
        return int(moment.astype(np.int64))
    if isinstance(before, bool | np.bool_) or not isinstance(
        before, int | float | np.integer | np.floating
    ):
        raise ArgumentTypeError(
            f"before must be a number or a datetime, as expiry times are, and is a"
            f" {type(before).__name__}"
        )
    if kind == "datetimes":
        raise InputError(f"before={before} is a number, and expiry times are datetimes: pass one")
    if not math.isfinite(before):
        raise InputError(f"before={before} is not finite: pass a time")
    if kind == "floats":
        return float(before)
    whole = math.ceil(before)
    if not LIMITS.min <= whole <= LIMITS.max:
        raise InputError(f"before={before} is beyond 64 bits, as which times are compared")
    return whole
