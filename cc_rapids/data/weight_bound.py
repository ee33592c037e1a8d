"""Select the edges whose weight is within bounds before their ids are read."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import reduce
from operator import and_
from typing import Any, NamedTuple

import numpy as np

from ..errors import ColumnTypeError, InputError, MissingColumnError, shown, unknown
from ..ledger import Ledger
from .column import refuse_twice, series_of
from .dtypes import is_float
from .frame_access import column_of, columns_of, numbers_and_mask
from .lazy import nw, pa, pc

NUMPY = re.compile("u?int(8|16|32|64)|float(16|32|64)")  # number types of NumPy arrays
INTEGER = re.compile("(?P<unsigned>u?)int(?P<bits>8|16|32|64|128)")
NARROW: dict[str, Any] = {  # NumPy's floats of fewer than 64 bits, by the names in libraries
    **dict.fromkeys(("float32", "float", "f32"), np.float32),
    **dict.fromkeys(("float16", "halffloat", "f16"), np.float16),
}


class Bounded(NamedTuple):
    """The edges within a bound, their columns of ids, and a ledger: counts of all rows given."""

    edges: Any
    source: Any
    destination: Any
    ledger: Ledger


@dataclass(frozen=True)
class WeightBound:
    """A column of weights, and the least and the greatest weight that an edge may have."""

    weight: Any
    at_least: float | None = None
    at_most: float | None = None

    @classmethod
    def check(cls, weight: Any, at_least: Any, at_most: Any) -> WeightBound | None:
        """Return the bound that the arguments of a call give; None if all arguments are None."""
        if at_least is None and at_most is None:
            if weight is None:
                return None
            raise InputError(
                "weight= needs a bound, at_least= or at_most=: pass one of them, or forest='min'"
                " or forest='max' for a spanning forest by weight"
            )
        if weight is None:
            raise InputError("at_least= and at_most= bound a weight: pass weight='its column'")
        return cls(weight, _number("at_least", at_least), _number("at_most", at_most))

    def for_checkpoint(self) -> list[Any]:
        """Return the column and the bounds as JSON values; bounds of 2 and 2.0 give the same."""
        column = "an array" if self.array is not None else self.weight
        return [column, _as_float(self.at_least), _as_float(self.at_most)]

    def bounds(self, dtype: Any) -> list[tuple[str, Any]]:
        """Return exact comparisons for weights of a type, as pairs (operator, bound).

        Bounds are converted to the type, so that no weight is rounded. If no integer of the type is
        within the bounds, two contradictory comparisons are returned.
        """
        both = [(">=", self.at_least), ("<=", self.at_most)]
        comparisons = [(sign, bound) for sign, bound in both if bound is not None]
        limits = integer_limits(dtype)
        if limits is None:
            return [(sign, float_bound(sign, bound, dtype)) for sign, bound in comparisons]
        least, greatest = limits
        integers = [(sign, whole_bound(sign, bound, *limits)) for sign, bound in comparisons]
        if any(bound is None for _, bound in integers):
            return [(">=", greatest), ("<=", least)]
        return integers

    @property
    def array(self) -> Any:
        """The array of weights; None if the weights are a named column."""
        return None if isinstance(self.weight, str | int) else self.weight

    def name(self, owner: str) -> Any:
        """Return the name of the column of weights; raise an InputError for an array.

        A name may be an integer in pandas. ``owner`` of the column, such as "files", is for errors.
        """
        if isinstance(self.weight, str | int):
            return self.weight
        raise InputError(
            f"weight= names a column of {owner}, and cannot be a {type(self.weight).__name__}"
        )

    def in_words(self) -> str:
        """Return the bounds as the caller passed them, such as "at_least=2 and at_most=5"."""
        both = ("at_least", self.at_least), ("at_most", self.at_most)
        return " and ".join(f"{name}={shown(bound)}" for name, bound in both if bound is not None)

    @property
    def has_limits(self) -> bool:
        """True if there is a least or a greatest weight."""
        return self.at_least is not None or self.at_most is not None

    def remembered(self) -> WeightBound:
        """Return the bound that answers store: without an array of weights."""
        return self if self.array is None else replace(self, weight=None)

    def to_json(self) -> list[Any]:
        """Return the bound as JSON values for a file."""
        return [self.weight, self.at_least, self.at_most]

    @classmethod
    def from_json(cls, values: Any) -> WeightBound | None:
        """Return the bound of :meth:`to_json`; None if there is none."""
        if values is None:
            return None
        weight, *bounds = values
        if not isinstance(weight, str | int | None) or len(bounds) != 2:
            raise ValueError(f"its bounds of weights are {values!r:.60}")
        return cls(weight, *map(_number, ("at_least", "at_most"), bounds))

    def tightened(self, threshold: int | float, direction: str) -> WeightBound:
        """Return this bound with a limit of ``threshold``, unless its own limit is stricter.

        ``direction`` is the limit to set: "at_least" or "at_most".
        """
        limit = getattr(self, direction)
        if limit is not None:
            stricter = max if direction == "at_least" else min
            threshold = stricter(limit, threshold)
        return replace(self, **{direction: threshold})

    def mask_of(self, numbers: Any, mask: Any) -> tuple[Any, Ledger]:
        """Return a boolean array of the numbers within the bounds, and a ledger of all rows.

        ``mask`` is False for nulls and NaN; it may be None if no number is null. Nulls and NaN are
        not within any bounds.
        """
        row_count, missing = int(numbers.size), 0
        if mask is not None:
            missing = row_count - _count(mask)
        # The minimum is NaN if any number is NaN.
        elif row_count and is_float(numbers.dtype) and math.isnan(numbers.min()):
            missing = _count(numbers != numbers)
        for sign, bound in self.bounds(numbers.dtype.name):
            limit = numbers.dtype.type(bound)
            within = numbers >= limit if sign == ">=" else numbers <= limit
            mask = within if mask is None else mask & within
        if mask is None:
            mask = numbers == numbers  # false for NaN
        return mask, ledger_of(row_count, missing, _count(mask))

    def lazy_rows_within(self, frame: Any, ids: Sequence[str]) -> tuple[Any, Ledger]:
        """Return the rows of a lazy frame within the bounds, and a ledger of all rows.

        The result has only the columns ``ids`` and the weights.
        """
        name, lazy = self.name("the frame"), nw.from_native(frame)
        schema = lazy.collect_schema()
        if name not in schema:
            raise MissingColumnError(unknown("column", name, schema.names()))
        missing, within = self._conditions(schema[name])
        if all(column in schema for column in ids):  # otherwise reading the ids raises an error
            lazy = lazy.select(*dict.fromkeys([*ids, name]))
        sums = missing.sum().alias("missing"), within.sum().alias("within")
        counts = lazy.select(nw.len().alias("rows"), *sums).collect()
        ledger = ledger_of(*(int(counts.item(0, k) or 0) for k in range(3)))  # a sum may be None
        return lazy.filter(within).to_native(), ledger

    def _conditions(self, dtype: Any) -> tuple[Any, Any]:
        """Return narwhals expressions for missing weights, and for weights within the bounds."""
        if not dtype.is_numeric():
            raise _no_numbers(self.weight, dtype)
        column, within = nw.col(self.weight), list[Any]()
        missing = column.is_null()
        if dtype.is_float():
            missing = missing | column.is_nan()
            within.append(~column.is_nan())  # Polars orders NaN above all numbers
        for sign, bound in self.bounds(dtype):
            limit = nw.lit(bound, dtype) if dtype.is_integer() else nw.lit(bound)
            within.append(column >= limit if sign == ">=" else column <= limit)
        return missing, reduce(and_, within)

    def mask_of_frame(self, frame: Any) -> tuple[Any, Ledger]:
        """Return a boolean array of the rows of a host frame within the bounds, and a ledger."""
        name, names = self.name("the frame"), columns_of(frame)
        if name not in names:
            raise MissingColumnError(unknown("column", name, map(str, names)))
        refuse_twice(name, names)
        series = series_of(column_of(frame, name), "weights")
        if NUMPY.fullmatch(str(series.dtype).lower()):
            return self.mask_of(*numbers_and_mask(series.to_native(), f"weights {name!r}"))
        # numbers of more than 64 bits, or decimals
        missing, within = self._conditions(series.dtype)
        masks = series.alias(name).to_frame().select(missing=missing, within=within)
        mask = masks["within"].fill_null(False).to_numpy().astype(bool, copy=False)
        return mask, ledger_of(int(mask.size), int(masks["missing"].sum()), int(mask.sum()))

    def expression(self, schema: Any) -> Any:
        """Return the bounds as a PyArrow expression for a dataset with a schema."""
        name = self.name("the dataset")
        kind = schema.field(name).type
        if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
            raise _no_numbers(name, kind)
        # a bound of another integer type would overflow in comparisons
        exact_type = kind if pa.types.is_integer(kind) else None
        # PyArrow cannot compare 16-bit floats
        field = pc.field(name).cast("float32") if kind == pa.float16() else pc.field(name)
        within = []
        for sign, bound in self.bounds(kind):
            limit = pc.scalar(pa.scalar(bound, exact_type))
            within.append(field >= limit if sign == ">=" else field <= limit)
        return reduce(and_, within)

    def excludes(self, low: Any, high: Any, dtype: Any) -> bool:
        """Return whether all weights of a type from ``low`` to ``high`` are outside the bounds.

        False if ``low`` or ``high``, from the statistics of a file, is not an int or a float.
        """
        if not (isinstance(low, int | float) and isinstance(high, int | float)):
            return False
        bounds = self.bounds(dtype)
        return any(high < bound if sign == ">=" else low > bound for sign, bound in bounds)


def _no_numbers(name: Any, kind: Any) -> ColumnTypeError:
    """Return the error for a column of weights that does not hold numbers."""
    return ColumnTypeError(
        f"weights {name!r} must be numbers, but these are {kind}: cast them first"
    )


def _count(mask: Any) -> int:
    """Return the number of true values of a boolean array."""
    return int(np.count_nonzero(mask) if isinstance(mask, np.ndarray) else mask.sum())


def ledger_of(rows: int, missing: int, within: int) -> Ledger:
    """Return a ledger from the numbers of rows, of missing weights, and of rows within a bound."""
    left_out = {"null_weight": missing, "out_of_bounds": rows - missing - within}
    return Ledger(rows, left_out={reason: n for reason, n in left_out.items() if n})


def _number(name: str, bound: Any) -> int | float | None:
    """Return a bound as a Python number; raise an InputError if it is not a number."""
    if bound is None:
        return None
    is_number = isinstance(bound, int | float | np.integer | np.floating)
    if isinstance(bound, bool) or not is_number or bound != bound:  # NaN differs from itself
        advice = ""
        if isinstance(bound, date | np.datetime64):
            advice = (
                ": to select edges by time, pass pyarrow.dataset.dataset(path).filter(...), or a"
                " frame of these rows"
            )
        raise InputError(f"{name}= must be a number, not {shown(bound)}{advice}")
    return int(bound) if isinstance(bound, int | np.integer) else float(bound)


def _as_float(bound: int | float | None) -> int | float | None:
    """Return a bound as a float if that is exact; return other bounds and None unchanged."""
    near = None if bound is None else nearest_float(bound)
    return near if near == bound else bound


def nearest_float(number: int | float) -> float:
    """Return a number as a float; infinite if it is beyond the range of floats."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def integer_limits(dtype: Any) -> tuple[int, int] | None:
    """Return the least and the greatest integer of a type of any library; None for other types."""
    match = INTEGER.fullmatch(str(dtype).lower())
    if match is None:
        return None
    bits = int(match["bits"])
    if match["unsigned"]:
        return 0, (1 << bits) - 1
    return -(1 << bits - 1), (1 << bits - 1) - 1


def whole_bound(sign: str, bound: int | float, least: int, greatest: int) -> int | None:
    """Convert a bound to an integer of a type; None if no integer of the type is within it."""
    is_lower = sign == ">="
    if bound > greatest:
        return None if is_lower else greatest
    if bound < least:
        return least if is_lower else None
    return math.ceil(bound) if is_lower else math.floor(bound)


def float_bound(sign: str, bound: int | float, dtype: Any) -> float:
    """Convert a bound to the float that weights of a type are compared with.

    Floats of fewer than 64 bits are compared with the bound in their own type. An integer that is
    not exact as a 64-bit float becomes the next float within the bound.
    """
    narrow, near = NARROW.get(str(dtype).lower()), nearest_float(bound)
    if narrow is not None:
        with np.errstate(over="ignore"):
            return float(narrow(near))
    is_lower = sign == ">="
    is_outside = near < bound if is_lower else near > bound
    return math.nextafter(near, math.inf if is_lower else -math.inf) if is_outside else near
