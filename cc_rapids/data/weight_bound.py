"""The edges whose weight is within a bound, kept before anything else reads them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ColumnTypeError, InputError, MissingColumnError, shown, unknown
from .frame_access import numbers_of

if TYPE_CHECKING:
    from .edge_input import ReadRequest


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
        for name, bound in (("at_least", at_least), ("at_most", at_most)):
            number = isinstance(bound, int | float | np.integer | np.floating)
            if bound is not None and (isinstance(bound, bool) or not number or bound != bound):
                raise InputError(f"{name}= must be a number, not {shown(bound)}")
        return cls(weight, at_least, at_most)

    def words(self) -> list[Any]:
        """Return the column and the bounds as JSON values, by which a checkpoint knows them."""
        column = self.weight if isinstance(self.weight, str) else "an array"
        return [column, *(None if b is None else float(b) for b in (self.at_least, self.at_most))]

    def bounds(self, dtype: Any = None) -> list[tuple[str, Any]]:
        """Return the comparisons as (operator, bound); of 32-bit floats the bound is one too."""
        found = [(">=", self.at_least), ("<=", self.at_most)]
        narrow = str(dtype).lower() in ("float32", "float", "f32")
        one = (lambda bound: float(np.float32(bound))) if narrow else (lambda bound: bound)
        return [(sign, one(bound)) for sign, bound in found if bound is not None]

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
        for sign, bound in self.bounds(numbers.dtype):
            known &= numbers >= bound if sign == ">=" else numbers <= bound
        return known

    def of_frame(self, frame: Any) -> Any:
        """Return the rows of a frame on the host within the bounds, as a frame of its kind."""
        import narwhals as nw

        known, name = nw.from_native(frame), self.name("the frame")
        schema = known.collect_schema()
        if name not in schema:
            raise MissingColumnError(unknown("column", name, schema.names()))
        if not schema[name].is_numeric():
            raise ColumnTypeError(
                f"weights {name!r} must be numbers, but these are {schema[name]}: cast them first"
            )
        column = nw.col(name)
        for sign, bound in self.bounds(schema[name]):
            known = known.filter(column >= bound if sign == ">=" else column <= bound)
        return known.to_native()

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
            dataset = dataset.filter(field >= bound if sign == ">=" else field <= bound)
        return dataset


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
