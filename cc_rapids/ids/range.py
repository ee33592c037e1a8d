"""The least and the greatest of integer ids, found in one pass over their columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..backends import Array, Engine
from ..data.dtypes import is_integer
from ..data.edge_input import EdgeInput
from ..errors import ColumnTypeError, InputError
from ..graph.memory_bound import MORE, WIDER
from ..kernels import edges, id_range

ALL = (1 << 64) - 1
LONG = 1 << 20  # edges from which on a glance is shorter than a reading
LOOKS = 4096  # rows of a long list that are looked at: whether they are near
FALLS = 7 / 8  # the share of them that fall, if the list does
FEW = 32  # a glance takes one block of rows in so many


class Order(NamedTuple):
    """What some rows of a long list have shown; of other lists nothing.

    Attributes
    ----------
    near : float
        The share of the rows that lie between ids which are near each other and the next row's:
        next to none if the list is in no order.
    falls : bool
        Whether sources become less from the first row to the last.
    """

    near: float = 0.0
    falls: bool = False


NOT_SEEN = Order()


@dataclass(frozen=True)
class Span:
    """The ids of all columns lie in ``low .. high``, and ``dtype`` is the type that all fit.

    They surely do only if ``sure``; otherwise it is a guess from some of the rows, widened by
    ``more`` at each end. ``order`` is what some rows of a long list have shown.
    """

    low: int
    high: int
    dtype: np.dtype[Any]
    sure: bool = True
    order: Order = NOT_SEEN
    more: int = 0

    @property
    def size(self) -> int:
        """How many integers there are from the least to the greatest."""
        return self.high - self.low + 1

    @property
    def least_size(self) -> int:
        """What ``size`` is at least, however wrong the guess: so much of it was seen."""
        return self.size - 2 * self.more

    @staticmethod
    def vertex_of(n: int) -> Any:
        """The unsigned type of vertices 0 .. n - 1."""
        return np.uint32 if n <= 1 << 32 else np.uint64

    @property
    def vertex(self) -> Any:
        """The unsigned type that an id less the least one fits."""
        return self.vertex_of(self.size)

    @property
    def first(self) -> int:
        """The lowest id as kernels take it: unsigned ids from 2^63 on count from -2^63."""
        return self.low - (1 << 64) if self.low >= 1 << 63 else self.low


def span_of(given: EdgeInput, arrays: list[Array], engine: Engine, sure: bool = True) -> Span:
    """The span of the arrays and of a range of vertices; that of nothing is empty, from 0.

    If it need not be ``sure``, long columns are not read whole: the span of some of their rows is
    widened by a little, and not at all if the caller has said what it is. Ids that lie beyond all
    the same are found when their edge is linked.
    """
    dtypes = tuple([array.dtype for array in arrays])
    common, least, greatest = _common(dtypes)
    sure = sure or not is_integer(common)
    last = last_of(given)
    if not sure and all_fit(arrays, last):
        order = order_of(arrays[0], arrays[1], engine)
        return Span(0, last, type_of(dtypes, 0, last), False, order)
    sure = sure or given.vertices_are_dense_range or arrays[0].size < LONG
    low, high, order = _hull(given, arrays, engine, sure)
    more = 0 if sure else (high - low) // WIDER + MORE
    if more:
        low, high = max(low - more, least if low < 0 else 0), min(high + more, greatest)
    return Span(low, high, type_of(dtypes, low, high), sure, order, more)


def all_fit(arrays: list[Array], last: int) -> bool:
    """Whether there is a last id, and the types of all arrays hold it."""
    return last >= 0 and all(last <= np.iinfo(array.dtype).max for array in arrays)


def last_of(given: EdgeInput) -> int:
    """The greatest id, where the caller has said that they go from 0 to it; -1 else."""
    named = given.vertices
    return len(named) - 1 if given.vertices_are_dense_range and isinstance(named, range) else -1


@lru_cache(128)  # NumPy takes as long for it as a small batch may
def _common(dtypes: tuple[np.dtype[Any], ...]) -> tuple[np.dtype[Any], int, int]:
    """The type that NumPy has for all of them, and between what its integers lie."""
    common = np.result_type(*dtypes)
    limits = np.iinfo(common if is_integer(common) else np.int64)
    return common, int(limits.min), int(limits.max)


def type_of(dtypes: tuple[np.dtype[Any], ...], low: int, high: int) -> np.dtype[Any]:
    """The integer type that all ids fit: that of the columns, widened only if it has to be.

    Raises
    ------
    ColumnTypeError
        There is none.
    """
    if low < 0 and high >= 1 << 63:
        raise ColumnTypeError(
            f"the ids reach from {low} to {high}: no type of integers holds both; cast the"
            " unsigned column, or shift its ids"
        )
    common, least, greatest = _common(dtypes)
    if is_integer(common) and least <= low and high <= greatest:
        return common
    return np.dtype(np.int64 if high < 1 << 63 else np.uint64)


def bounds(arrays: list[Array], engine: Engine) -> tuple[int, int]:
    """The least and the greatest id: one pass over the columns, one copy to the host.

    (0, -1) if all are empty.
    """
    low, high, _ = _read(arrays, engine, sure=True, ordered=False)
    return low, high


def _read(
    arrays: list[Array], engine: Engine, sure: bool, ordered: bool = True
) -> tuple[int, int, Order]:
    """The least and the greatest id, and what some rows show of the order, if that is asked for.

    The first two columns are read together if they are of one length, and only some of their rows
    if it need not be ``sure``.
    """
    pairs = [(array, array) for array in arrays]
    if len(arrays) > 1 and arrays[0].size == arrays[1].size:
        left, right = arrays[:2]
        if wide_of(left) is wide_of(right):
            pairs[:2] = [(left, right)]
    looks = _looks(*pairs[0]) if ordered else 0
    found = engine.fill(engine.notes(2 * len(pairs) + 2), 0xFF)
    for k, (left, right) in enumerate(pairs):
        few = not sure and left is not right
        rows = edges.sampled_count(left.size, FEW) if few else left.size
        how = (edges.sampled, FEW) if few else (edges.every,)
        kind = wide_of(left), sign_of(left), engine.kernel(*how)
        slot = found[2 * k : 2 * k + 2]
        if looks and not k:
            glance = engine.kernel(id_range.glance, *kind)
            glance(rows, looks, left.size, left.size // looks, left, right, slot, found[-2:])
        else:
            engine.kernel(id_range.span, *kind)(rows, left, right, slot)
    ends = engine.to_host(found).tolist()
    sides = [decoded(left, *ends[2 * k : 2 * k + 2]) for k, (left, _) in enumerate(pairs)]
    seen = [side for side in sides if side[0] <= side[1]]
    lows, highs = zip(*seen, strict=True) if seen else ((0,), (-1,))
    return min(lows), max(highs), _shown(looks, ends[-2:])


def order_of(src: Array, dst: Array, engine: Engine) -> Order:
    """What some rows of a list show."""
    looks = _looks(src, dst) if wide_of(src) is wide_of(dst) else 0
    if not looks:
        return NOT_SEEN
    counts = engine.fill(engine.notes(2), 0xFF)
    look = engine.kernel(id_range.nearby, wide_of(src))
    look(looks, src.size, src.size // looks, src, dst, counts)
    return _shown(looks, engine.to_host(counts).tolist())


def _looks(src: Array, dst: Array) -> int:
    """How many rows are looked at for the order of a list."""
    return min(LOOKS, src.size) if src is not dst and src.size >= LONG else 0


def _shown(looks: int, counts: list[int]) -> Order:
    """Of rows counted on top of all bits set."""
    near, falls = (count + 1 & ALL for count in counts)
    return Order(near / looks, falls > FALLS * looks) if looks else NOT_SEEN


def wide_of(array: Array) -> type:
    """The type of 64 bits by which ids of an array are compared."""
    return np.uint64 if array.dtype == np.uint64 else np.int64


def sign_of(array: Array) -> int:
    """What makes the unsigned order of the ids that of their type."""
    return 0 if wide_of(array) is np.uint64 else 1 << 63


def decoded(array: Array, low: int, high: int) -> tuple[int, int]:
    """The least and the greatest id of an array, of what the kernel of spans has found: the least
    is above the greatest if the array is empty.
    """
    sign = sign_of(array)
    return low - sign, ALL - high - sign


def _hull(
    given: EdgeInput, arrays: list[Array], engine: Engine, sure: bool
) -> tuple[int, int, Order]:
    """The least and the greatest id of all, (0, -1) if there is none; and what some rows show."""
    low, high, order = _read(arrays, engine, sure=sure)
    named = given.vertices
    if not isinstance(named, range) or not named:
        if given.vertices_are_dense_range and low <= high:
            raise _outside(given, arrays, 0, engine)
        return low, high, order
    if given.vertices_are_dense_range and low <= high and (low < 0 or high >= len(named)):
        raise _outside(given, arrays, len(named), engine)
    check_range(named)
    ends = named[0], named[-1]
    if low <= high:
        return min(low, *ends), max(high, *ends), order
    return min(ends), max(ends), order


def check_range(named: range) -> None:
    """An InputError if some of the ids of a range are no integers of 64 bits."""
    ends = (named[0], named[-1]) if named else (0, 0)
    if min(ends) < -(1 << 63) or max(ends) >= 1 << 64:
        raise InputError(f"vertices={named} goes beyond the integers of 64 bits")


def _outside(given: EdgeInput, arrays: list[Array], n: int, engine: Engine) -> InputError:
    """Name the column that holds an id outside 0 .. n - 1, unless none does any more."""
    stray = (
        (column.name, low if low < 0 else high)
        for column, array in zip(given.columns, arrays, strict=True)
        for low, high in [bounds([array], engine)]
        if low < 0 or high >= n
    )
    name, vertex = next(stray, (None, 0))
    if name is None:
        return given.changed()
    if given.row_offsets is not None:
        return InputError(
            f"{name!r} holds {vertex:,}, and an adjacency list of {n:,} rows has the vertices"
            f" 0..{n - 1:,}: give it rows for all of them, or as a list of edges"
        )
    if n == 0:
        return InputError(
            f"column {name!r} holds the id {vertex}, but num_vertices=0: there is none"
        )
    return InputError(
        f"column {name!r} holds the id {vertex}, outside 0..{n - 1} of num_vertices={n}: give a"
        " larger one, or vertices="
    )
