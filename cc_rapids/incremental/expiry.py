"""Expiry times of edges: columns of integers, floats or datetimes, and single times."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import numpy as np

from ..data.column import as_series, is_cudf, is_series, series_of
from ..data.dtypes import is_float
from ..data.frame_access import column_of, names_of, numbers_of
from ..data.weight_bound import float_bound, nearest_float
from ..errors import (
    ArgumentTypeError,
    ColumnTypeError,
    InputError,
    MissingColumnError,
    shown,
    unknown,
)

LIMITS = np.iinfo(np.int64)
DATETIMES = {"datetimes": "us", "nanoseconds": "ns"}  # the unit of each kind of datetimes
PER_MICROSECOND = 1000  # nanoseconds
FINER = {"ps": 1000, "fs": 1000**2, "as": 1000**3}  # finer units per nanosecond


@dataclass(frozen=True)
class Times:
    """The expiry times of edges as 64-bit numbers, and their kind.

    ``kind`` is "integers", "floats", "datetimes" (in microseconds) or "nanoseconds".
    """

    values: Any
    kind: str


def times_of(edges: Any, name: str, before: str = "") -> tuple[tuple[Any, Any], str]:
    """Return the expiry times of edges as a pair (64-bit numbers, mask of valid times), and a kind.

    ``before`` is the kind of earlier times; empty if there are none. Datetimes are converted to the
    unit of earlier datetimes. Without earlier datetimes, nanoseconds stay nanoseconds, and all
    other units become microseconds.
    """
    names = names_of(edges)
    if name not in names:
        cause = unknown("column", name, map(str, names)) if names else "the edges have no columns"
        raise MissingColumnError(
            f"{cause}; expiry={name!r} names the column of the times at which edges expire: pass"
            " batches as frames with this column"
        )
    column = column_of(edges, name)
    datetimes = _datetimes(column, name)
    if datetimes is not None:
        numbers, valid, column_kind = datetimes
        kind = before if before in DATETIMES else column_kind
        return (_converted(numbers, valid, column_kind, kind, name), valid), kind
    values, valid = numbers_of(column, f"expiry times {name!r}")
    if is_float(values.dtype):
        return (values.astype(np.float64), valid), "floats"
    if values.dtype == np.uint64 and values.size and int(values.max()) > LIMITS.max:
        raise ColumnTypeError(
            f"expiry times {name!r} are uint64 ({values.size:,} values), the greatest"
            f" {int(values.max()):,}: they may be up to 2^63 - 1; cast them, such as to float64"
        )
    return (values.astype(np.int64), valid), "integers"


def _datetimes(column: Any, name: str) -> tuple[Any, Any, str] | None:
    """Return datetimes as numbers, a mask of valid values, and a kind; None for other types."""
    if is_cudf(column):
        if getattr(column.dtype, "kind", "") != "M":
            return None
        valid, kind = column.notnull().to_cupy(), _kind_of(column.dtype)
        converted = column.astype(f"datetime64[{DATETIMES[kind]}]")
        inexact = (converted.astype(column.dtype) != column).fillna(False)
        _check_exact(inexact, column.dtype, kind, name)
        return converted.astype("int64").fillna(0).to_cupy(), valid, kind
    column = as_series(column)
    if is_series(column):
        import narwhals as nw

        side = series_of(column)
        if side.dtype != nw.Datetime and side.dtype != nw.Date:
            return None
        column = side.to_numpy()
    if getattr(getattr(column, "dtype", None), "kind", "") != "M":
        return None
    kind, valid = _kind_of(column.dtype), ~np.isnat(column)
    converted = column.astype(f"datetime64[{DATETIMES[kind]}]")
    _check_exact((converted.astype(column.dtype) != column) & valid, column.dtype, kind, name)
    return converted.astype(np.int64), valid, kind


def _check_exact(inexact: Any, dtype: Any, kind: str, name: str) -> None:
    """Raise a ColumnTypeError if ``kind`` cannot represent datetimes, marked by ``inexact``."""
    if bool(inexact.any()):
        raise ColumnTypeError(
            f"expiry times {name!r} are {dtype}, but are stored in {DATETIMES[kind]}"
            " of 64 bits, which cannot represent some of them: cast the column"
        )


def _kind_of(dtype: Any) -> str:
    """Return the kind of a type of datetimes."""
    return "nanoseconds" if "[ns]" in str(dtype) else "datetimes"


def _converted(numbers: Any, valid: Any, column_kind: str, kind: str, name: str) -> Any:
    """Convert datetimes from ``column_kind`` to ``kind``, or raise an error if this is inexact."""
    if column_kind == kind:
        return numbers
    if kind == "datetimes":
        inexact = bool(((numbers % PER_MICROSECOND != 0) & valid).any())
        converted, why = numbers // PER_MICROSECOND, "between two microseconds"
    else:
        limit = LIMITS.max // PER_MICROSECOND
        inexact = bool((((numbers > limit) | (numbers < -limit)) & valid).any())
        converted, why = numbers * PER_MICROSECOND, "beyond nanoseconds of 64 bits"
    if inexact:
        raise ColumnTypeError(
            f"expiry times {name!r} count in {DATETIMES[column_kind]}, but some are {why}, the unit"
            " of earlier times: cast the column"
        )
    return converted


def one_time(before: Any, kind: str) -> Any:
    """Return a single time as a number comparable with times of a kind, after a check."""
    if isinstance(before, date | np.datetime64):
        if kind not in DATETIMES:
            raise InputError(f"before={before!s} is a datetime, but expiry times are {kind}")
        return _one_datetime(before, kind)
    if isinstance(before, bool | np.bool_) or not isinstance(
        before, int | float | np.integer | np.floating
    ):
        raise ArgumentTypeError(
            f"before= must be a number or a datetime, like the expiry times, not a"
            f" {type(before).__name__}"
        )
    before_text = shown(before)
    before = before.item() if isinstance(before, np.generic) else before
    if kind in DATETIMES:
        raise InputError(
            f"before={before_text} is a number, but expiry times are datetimes: pass a datetime"
        )
    if not math.isfinite(nearest_float(before)):
        raise InputError(f"before={before_text} is not finite, or beyond 64 bits: pass a time")
    # a time is valid if it is at or above the bound, so the bound is rounded up
    if kind == "floats":
        return float_bound(">=", before, "float64")
    whole = math.ceil(before)
    if not LIMITS.min <= whole <= LIMITS.max:
        raise InputError(
            f"before={before_text} is beyond 64 bits, but times are compared in 64 bits"
        )
    return whole


def _one_datetime(before: Any, kind: str) -> int:
    """Return a datetime as an integer in the unit of ``kind``, rounded up, clipped to 64 bits."""
    if isinstance(before, datetime) and before.tzinfo is not None:
        before = before.astimezone(UTC).replace(tzinfo=None)
    convert = getattr(before, "to_datetime64", None)  # keeps the nanoseconds of pandas timestamps
    moment = np.datetime64(before) if convert is None else convert()
    if np.isnat(moment):
        raise InputError("before= is NaT, which is not a time: pass a datetime")
    unit, step = np.datetime_data(moment.dtype)
    number = int(moment.astype(np.int64)) * step
    if unit == "ns":
        nanoseconds = number
    elif unit in FINER:
        nanoseconds = -(-number // FINER[unit])
    else:
        microseconds = moment.astype("datetime64[us]")
        if microseconds.astype(moment.dtype) != moment:  # microseconds exceed 64 bits
            return LIMITS.max if number > 0 else LIMITS.min
        nanoseconds = int(microseconds.astype(np.int64)) * PER_MICROSECOND
    whole = nanoseconds if kind == "nanoseconds" else -(-nanoseconds // PER_MICROSECOND)
    return min(max(whole, LIMITS.min), LIMITS.max)
