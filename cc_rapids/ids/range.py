"""The range and the type of integer ids, and the order of their edges."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..backends import Array
from ..data.dtypes import is_integer
from ..data.edge_input import EdgeInput
from ..errors import ColumnTypeError, InputError

ALL = (1 << 64) - 1  # a word with all bits set

# For each type of ids: the 64-bit type to which ids are converted, and the number that is then
# added, modulo 2^64, so that the order of the ids is the order of unsigned words.
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

    Unless ``exact``, the range is an estimate from some rows, to which ``more`` ids were added at
    each end. ``size`` is the number of integers in the range, and ``first`` is ``low`` as a signed
    64-bit integer, as kernels expect it. From 2^63 on, it is ``low`` minus 2^64.
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
        """Compute ``size`` and ``first``."""
        object.__setattr__(self, "size", self.high - self.low + 1)
        first = self.low - (1 << 64) if self.low >= 1 << 63 else self.low
        object.__setattr__(self, "first", first)

    @property
    def least_size(self) -> int:
        """The least possible ``size``, given the error of the estimate."""
        return self.size - 2 * self.more

    @property
    def sign(self) -> int:
        """The number to add to ids so that their order is the order of unsigned words."""
        return ORDER_OF_TYPE[self.dtype][1]

    @property
    def vertex(self) -> Any:
        """The unsigned type that fits an id minus the least id."""
        return np.uint32 if self.size <= 1 << 32 else np.uint64


def all_fit(arrays: list[Array], last: int) -> bool:
    """Return whether the types of all arrays can hold ``last``; False if ``last`` is negative."""
    return last >= 0 and all(last <= np.iinfo(array.dtype).max for array in arrays)


def limits_of(columns: list[Array]) -> tuple[int, int]:
    """Return the least and the greatest id of the common type of two columns of endpoints.

    Kernels compute distances of ids in the width of this type. If a range lies within these limits,
    no id outside the range is taken for an id inside.
    """
    _, least, greatest, _ = common_type(tuple([column.dtype for column in columns[:2]]))
    return least, greatest


def last_of(given: EdgeInput) -> int:
    """Return ``num_vertices - 1`` if the caller passed ``num_vertices``, otherwise -1."""
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
