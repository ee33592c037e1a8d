"""The range of integer ids, and the order of their edges, as plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..backends import Array
from ..data.dtypes import is_integer
from ..data.edge_input import EdgeInput
from ..errors import ColumnTypeError, InputError

ALL = (1 << 64) - 1

# By the type of ids: the 64-bit type of the same order, and the number to add so that ids compare
# as unsigned words.
ORDER_OF_TYPE: dict[np.dtype[Any], tuple[type, int]] = {
    np.dtype(f"{kind}{size}"): (np.int64, 1 << 63) for kind in "iu" for size in (1, 2, 4, 8)
}
ORDER_OF_TYPE[np.dtype(np.uint64)] = np.uint64, 0


class EdgeOrder(NamedTuple):
    """The order of the edges of a long list, estimated from some rows.

    Attributes
    ----------
    locality : float
        The share of rows whose ids are near each other and near the ids of the next row. Almost 0
        if the list is in random order.
    descending : bool
        Whether sources decrease from the first row to the last.
    blocked : bool
        Whether the edges are in the order of blocks of their larger endpoints.
    """

    locality: float = 0.0
    descending: bool = False
    blocked: bool = False


UNKNOWN_ORDER = EdgeOrder()


@dataclass(frozen=True)
class IdRange:
    """The range ``low .. high`` of the ids of all columns, and the ``dtype`` that fits all ids.

    Unless ``exact``, the range is an estimate from some rows, widened by ``more`` at each end.
    ``order`` is the order of a long list, estimated from some rows.
    """

    low: int
    high: int
    dtype: np.dtype[Any]
    exact: bool = True
    order: EdgeOrder = UNKNOWN_ORDER
    more: int = 0
    size: int = field(init=False)
    first: int = field(init=False)

    def __post_init__(self) -> None:
        """Compute ``size``, and ``first``: the least id as a signed integer, as kernels expect it.

        From 2^63 on, ``first`` is the least id minus 2^64.
        """
        object.__setattr__(self, "size", self.high - self.low + 1)
        first = self.low - (1 << 64) if self.low >= 1 << 63 else self.low
        object.__setattr__(self, "first", first)

    @property
    def least_size(self) -> int:
        """The least possible ``size``, given the error of the estimate."""
        return self.size - 2 * self.more

    @property
    def sign(self) -> int:
        """The number to add so that ids compare as unsigned words, see ``ORDER_OF_TYPE``."""
        return ORDER_OF_TYPE[self.dtype][1]

    @property
    def vertex(self) -> Any:
        """The unsigned type that fits an id minus the least id."""
        return np.uint32 if self.size <= 1 << 32 else np.uint64


def all_fit(arrays: list[Array], last: int) -> bool:
    """Return whether all arrays have types that can hold the greatest id ``last`` >= 0."""
    return last >= 0 and all(last <= np.iinfo(array.dtype).max for array in arrays)


def limits_of(columns: list[Array]) -> tuple[int, int]:
    """Return the least and the greatest id of the common type of two columns of endpoints.

    If a range lies within these limits, no other id of the columns wraps around into it.
    """
    return common_type(tuple([column.dtype for column in columns[:2]]))[1:3]


def last_of(given: EdgeInput) -> int:
    """Return the greatest id if the caller passed num_vertices, otherwise -1."""
    ids = given.vertices
    return len(ids) - 1 if given.vertices_are_dense_range and isinstance(ids, range) else -1


@lru_cache(128)  # NumPy's function can take as long as a small batch
def common_type(dtypes: tuple[np.dtype[Any], ...]) -> tuple[np.dtype[Any], int, int, bool]:
    """Return NumPy's common type, its least and greatest integer, and whether it has integers.

    If it has no integers, the limits are those of int64.
    """
    common = np.result_type(*dtypes)
    limits = np.iinfo(common if is_integer(common) else np.int64)
    return common, int(limits.min), int(limits.max), is_integer(common)


@lru_cache(128)  # most batches have the types and the range of the previous batch
def type_of(dtypes: tuple[np.dtype[Any], ...], low: int, high: int) -> np.dtype[Any]:
    """Return the common type of the columns if it holds all ids, otherwise int64 or uint64.

    Raises
    ------
    ColumnTypeError
        No such type exists.
    """
    if low < 0 and high >= 1 << 63:
        raise ColumnTypeError(
            f"the ids reach from {low} to {high}: no integer type holds both; cast the unsigned"
            " column, or subtract a number from its ids"
        )
    common, least, greatest, integers = common_type(dtypes)
    if integers and least <= low and high <= greatest:
        return common
    return np.dtype(np.int64 if high < 1 << 63 else np.uint64)


def check_range(vertices: range) -> None:
    """Raise an InputError if some ids of a range are not 64-bit integers."""
    ends = (vertices[0], vertices[-1]) if vertices else (0, 0)
    if min(ends) < -(1 << 63) or max(ends) >= 1 << 64:
        raise InputError(f"vertices={vertices} goes beyond 64-bit integers")
