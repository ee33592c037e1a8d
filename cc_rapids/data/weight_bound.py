"""The edges whose weight is within a bound, kept before anything else reads them."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ColumnTypeError, InputError, MissingColumnError, shown, unknown
from .frame_access import numbers_of
from .frame_build import rows_where_true

if TYPE_CHECKING:
    from .edge_input import ReadRequest

NOT_FILTERED = "_view", "run_end_encoded", "union"  # in names of types without such a kernel
INTEGER = re.compile("(?P<unsigned>u?)int(?P<bits>8|16|32|64|128)")
NARROW: dict[str, Any] = {
    **dict.fromkeys(("float32", "float", "f32"), np.float32),
    **dict.fromkeys(("float16", "halffloat", "f16"), np.float16),
}


@dataclass(frozen=True)
class WeightBound:
    """A column of weights, and the least and the greatest weight that an edge may have."""

    weight: Any
    at_least: float | None = None
    at_most: float | None = None

    @classmethod
    def check(cls, weight: Any, at_least: Any, at_most: Any) -> WeightBound | None:
        """Return the bound of these arguments; None if none is given.

        Raises
        ------
        InputError
            A bound has no weight or the other way round, or is not a number.
        """
        if at_least is None and at_most is None:
            if weight is None:
                return None
            raise InputError(
                "weight= names what at_least= or at_most= bounds: pass one of them, or forest='min'"
                " or forest='max' for a spanning forest by weight"
            )
        if weight is None:
            raise InputError("at_least= and at_most= bound a weight: pass weight='its column'")
        return cls(weight, _number("at_least", at_least), _number("at_most", at_most))

    def words(self) -> list[Any]:
        """Return the column and the bounds as JSON values, by which a checkpoint knows them."""
        column = self.weight if isinstance(self.weight, str) else "an array"
        return [column, *(b if b is None else exact(b) for b in (self.at_least, self.at_most))]

    def bounds(self, dtype: Any) -> list[tuple[str, Any]]:
        """Return the comparisons as (operator, bound) that no weight of a type is rounded in.

        Of integers the bounds are integers of the type: if no weight of the type is within, there
        are two that exclude each other. Of floats they are floats of the type.
        """
        given = [(">=", self.at_least), ("<=", self.at_most)]
        found = [(sign, bound) for sign, bound in given if bound is not None]
        limits = integer_limits(dtype)
        if limits is None:
            return [(sign, float_bound(sign, bound, dtype)) for sign, bound in found]
        least, greatest = limits
        whole = [(sign, whole_bound(sign, bound, *limits)) for sign, bound in found]
        if any(bound is None for _, bound in whole):
            return [(">=", greatest), ("<=", least)]
        return whole

    def name(self, kind: str) -> str:
        """Return the column of weights; raise an InputError if it is no name."""
        if isinstance(self.weight, str):
            return self.weight
        raise InputError(
            f"weight= names a column of {kind}, and cannot be a {type(self.weight).__name__}"
        )

    def mask(self, values: Any, what: str) -> Any:
        """Return which weights are within the bounds: not those that are null or nan."""
        numbers, known = numbers_of(values, what)
        of_type = numbers.dtype.type
        for sign, bound in self.bounds(numbers.dtype.name):
            limit = of_type(bound)
            known &= numbers >= limit if sign == ">=" else numbers <= limit
        return known

    def of_frame(self, frame: Any, ids: Sequence[str] = ()) -> Any:
        """Return the rows of a frame on the host within the bounds, as a frame of its kind.

        If it has all columns of ``ids``, the others are left out, but for the weights.
        """
        import narwhals as nw

        known, name = nw.from_native(frame), self.name("the frame")
        schema = known.collect_schema()
        if name not in schema:
            raise MissingColumnError(unknown("column", name, schema.names()))
        if not schema[name].is_numeric():
            raise ColumnTypeError(
                f"weights {name!r} must be numbers, but these are {schema[name]}: cast them first"
            )
        if ids and all(one in schema for one in ids):
            known = known.select(*dict.fromkeys([*ids, name]))
        lazy = isinstance(known, nw.LazyFrame)
        if not lazy and known.implementation.is_pyarrow():
            return self._of_table(known.to_native(), name)
        column, kind, within = nw.col(name), schema[name], []
        for sign, bound in self.bounds(kind):
            limit = nw.lit(bound, kind) if kind.is_integer() else nw.lit(bound)
            within.append(column >= limit if sign == ">=" else column <= limit)
        if lazy:
            return known.filter(*within).to_native()
        mask = known.select(reduce(and_, within).fill_null(False).alias(name)).get_column(name)
        return rows_where_true(known.to_native(), mask.to_numpy().astype(bool, copy=False))

    def _of_table(self, table: Any, name: str) -> Any:
        """Return the rows of a table of PyArrow's within the bounds, by scalars of its own type."""
        import pyarrow as pa
        import pyarrow.compute as pc

        table = pa.table(table)
        column = table.column(name)
        compare = {">=": pc.greater_equal, "<=": pc.less_equal}
        masks = [
            compare[sign](column, scalar_of(bound, column.type))
            for sign, bound in self.bounds(column.type)
        ]
        mask = pc.fill_null(reduce(pc.and_, masks), False)
        return rows_where_true(table, mask.to_numpy())

    def of_dataset(self, dataset: Any) -> Any:
        """Return a pyarrow dataset with a filter; row groups out of bounds are not read."""
        import pyarrow as pa
        import pyarrow.compute as pc

        name = self.name("the dataset")
        if name not in dataset.schema.names:
            raise MissingColumnError(unknown("column", name, dataset.schema.names))
        kind = dataset.schema.field(name).type
        if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
            raise ColumnTypeError(
                f"weights {name!r} must be numbers, but these are {kind}: cast them first"
            )
        field = pc.field(name)
        for sign, bound in self.bounds(kind):
            limit = pc.scalar(scalar_of(bound, kind))
            dataset = dataset.filter(field >= limit if sign == ">=" else field <= limit)
        return dataset


def _number(name: str, bound: Any) -> int | float | None:
    """Return a bound as a number of Python's; raise an InputError if it is none."""
    if bound is None:
        return None
    number = isinstance(bound, int | float | np.integer | np.floating)
    if isinstance(bound, bool) or not number or bound != bound:
        raise InputError(f"{name}= must be a number, not {shown(bound)}")
    return int(bound) if isinstance(bound, int | np.integer) else float(bound)


def exact(number: int | float) -> int | float:
    """Return a number as a float if that equals it, so that equal numbers have equal words."""
    near = nearest_float(number)
    return near if near == number else number


def nearest_float(number: int | float) -> float:
    """Return a number as a float, beyond all floats an infinite one."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def integer_limits(dtype: Any) -> tuple[int, int] | None:
    """Return the least and the greatest integer of a type of any library; None of other types."""
    found = INTEGER.fullmatch(str(dtype).lower())
    if found is None:
        return None
    bits = int(found["bits"])
    return (0, (1 << bits) - 1) if found["unsigned"] else (-(1 << bits - 1), (1 << bits - 1) - 1)


def whole_bound(sign: str, bound: int | float, least: int, greatest: int) -> int | None:
    """Return the integer that a type compares as a bound; None if no integer of it is within."""
    rises = sign == ">="
    if bound > greatest:
        return None if rises else greatest
    if bound < least:
        return least if rises else None
    return math.ceil(bound) if rises else math.floor(bound)


def float_bound(sign: str, bound: int | float, dtype: Any) -> float:
    """Return the float that a type compares as a bound.

    Floats of fewer than 64 bits are compared with the bound in their own type. An integer that no
    float of 64 bits equals becomes the next one within.
    """
    narrow, near = NARROW.get(str(dtype).lower()), nearest_float(bound)
    if narrow is not None:
        with np.errstate(over="ignore"):
            return float(narrow(near))
    rises = sign == ">="
    if near < bound if rises else near > bound:
        return math.nextafter(near, math.inf if rises else -math.inf)
    return near


def scalar_of(bound: int | float, kind: Any) -> Any:
    """Return a bound as a scalar of PyArrow's, with which no column of a type overflows."""
    import pyarrow as pa

    return pa.scalar(bound, kind) if pa.types.is_integer(kind) else pa.scalar(bound)


def is_filtered(dataset: Any, ids: Iterable[Any]) -> bool:
    """Return whether PyArrow filters a dataset of which these columns are read.

    Of files no others are read, and of tables in memory all are.
    """
    known = dataset.schema.names
    names = set(ids).intersection(known) if hasattr(dataset, "files") else known
    kinds = [str(dataset.schema.field(name).type) for name in names]
    return not any(word in kind for kind in kinds for word in NOT_FILTERED)


def parquet_dataset(paths: list[str]) -> Any:
    """Return Parquet files of this machine as a dataset; None if some are anything else."""
    if not all(os.path.isfile(path) and path.endswith((".parquet", ".pq")) for path in paths):
        return None
    import pyarrow.dataset as ds

    return ds.dataset(paths, format="parquet")


def sides_beside(bound: WeightBound, names: list[str], request: ReadRequest) -> tuple[Any, Any]:
    """Return the columns of ids, chosen among those that are not the weights."""
    from .files.header import edge_columns

    source, destination = request.source, request.destination
    if isinstance(source, list) or isinstance(destination, list):
        return source, destination
    others = [name for name in names if name != bound.weight]
    ends = edge_columns("the dataset", others, source, destination)
    return others[ends[0]], others[ends[1]]
