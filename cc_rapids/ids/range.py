"""The range of integer ids, found in one pass over their columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from ..backends import Array, Engine
from ..data.dtypes import is_integer
from ..data.edge_input import EdgeInput
from ..errors import ColumnTypeError, InputError
from ..graph.memory_bound import WIDER
from ..kernels import edges, id_range
from ..tuning import tuning

ALL = (1 << 64) - 1
FALLS = 7 / 8  # the share of the rows looked at that fall, if the list does
FEW = 32  # a glance takes one block of rows in so many


class Order(NamedTuple):
    """The order of the edges of a long list, estimated from some rows.

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
    """The range ``low .. high`` of the ids of all columns, and the ``dtype`` that all fit.

    They surely do only if ``sure``; otherwise it is a guess from some of the rows, widened by
    ``more`` at each end. ``order`` is what some rows of a long list have shown.
    """

    low: int
    high: int
    dtype: np.dtype[Any]
    sure: bool = True
    order: Order = NOT_SEEN
    more: int = 0
    size: int = field(init=False)
    first: int = field(init=False)

    def __post_init__(self) -> None:
        """Count the integers from the least to the greatest, and set the lowest as kernels take it.

        For kernels, unsigned ids from 2^63 on count from -2^63.
        """
        object.__setattr__(self, "size", self.high - self.low + 1)
        first = self.low - (1 << 64) if self.low >= 1 << 63 else self.low
        object.__setattr__(self, "first", first)

    @property
    def least_size(self) -> int:
        """The least possible ``size``, whatever the error of the estimate."""
        return self.size - 2 * self.more

    @staticmethod
    def vertex_of(n: int) -> Any:
        """Return the unsigned type of vertices 0 .. n - 1."""
        return np.uint32 if n <= 1 << 32 else np.uint64

    @property
    def vertex(self) -> Any:
        """The unsigned type that fits the distance of an id from the least one."""
        return self.vertex_of(self.size)


def span_of(given: EdgeInput, arrays: list[Array], engine: Engine, sure: bool = True) -> Span:
    """Return the span of the arrays and of a range of vertices; an empty one begins at 0.

    If it need not be ``sure``, long columns are not read whole: the span of some of their rows is
    widened by a little, and not at all if the caller has said what it is. Ids that lie beyond all
    the same are found when their edge is linked.
    """
    dtypes = tuple(map(attrgetter("dtype"), arrays))
    _, least, greatest, integers = _common(dtypes)
    sure, counted = sure or not integers, given.vertices_are_dense_range
    if counted and not sure:
        last = last_of(given)
        if all_fit(arrays, last):
            order = order_of(arrays[0], arrays[1], engine)
            return Span(0, last, type_of(dtypes, 0, last), False, order)
    sure = sure or counted or arrays[0].size < tuning.sampled_scan_edges
    low, high, order = _read(arrays, engine, sure=sure)
    if given.vertices is not None or counted:
        low, high = _with_named(given, arrays, low, high, engine)
    more = 0 if sure else (high - low) // WIDER + tuning.range_margin_ids
    if more:
        low, high = max(low - more, least if low < 0 else 0), min(high + more, greatest)
    return Span(low, high, type_of(dtypes, low, high), sure, order, more)


def all_fit(arrays: list[Array], last: int) -> bool:
    """Return whether there is a greatest id that the types of all arrays hold."""
    return last >= 0 and all(last <= np.iinfo(array.dtype).max for array in arrays)


def last_of(given: EdgeInput) -> int:
    """Return the greatest id if the caller passed num_vertices, else -1."""
    named = given.vertices
    return len(named) - 1 if given.vertices_are_dense_range and isinstance(named, range) else -1


@lru_cache(128)  # NumPy takes as long for it as a small batch may
def _common(dtypes: tuple[np.dtype[Any], ...]) -> tuple[np.dtype[Any], int, int, bool]:
    """Return NumPy's common type of the arrays, and the limits of its integers."""
    common = np.result_type(*dtypes)
    limits = np.iinfo(common if is_integer(common) else np.int64)
    return common, int(limits.min), int(limits.max), is_integer(common)


def type_of(dtypes: tuple[np.dtype[Any], ...], low: int, high: int) -> np.dtype[Any]:
    """Return the integer type that fits all ids: that of the columns, widened only if necessary.

    Raises
    ------
    ColumnTypeError
        There is none.
    """
    if low < 0 and high >= 1 << 63:
        raise ColumnTypeError(
            f"the ids reach from {low} to {high}: no integer type holds both; cast the unsigned"
            " column, or shift its ids"
        )
    common, least, greatest, integers = _common(dtypes)
    if integers and least <= low and high <= greatest:
        return common
    return np.dtype(np.int64 if high < 1 << 63 else np.uint64)


def bounds(arrays: list[Array], engine: Engine) -> tuple[int, int]:
    """Return the least and the greatest id, by one pass over the columns and one copy to the host.

    (0, -1) if all are empty.
    """
    low, high, _ = _read(arrays, engine, sure=True, ordered=False)
    return low, high


def _read(
    arrays: list[Array], engine: Engine, sure: bool, ordered: bool = True
) -> tuple[int, int, Order]:
    """Return the least and the greatest id, and on request the estimated order of the list.

    The first two columns are read together if they are of one length, and only some of their rows
    if it need not be ``sure``.
    """
    pairs = list(zip(arrays, arrays, strict=True))
    if len(arrays) > 1 and arrays[0].size == arrays[1].size:
        left, right = arrays[:2]
        if order_of_type(left) == order_of_type(right):
            pairs[:2] = [(left, right)]
    looks = _looks(*pairs[0]) if ordered and arrays[0].size >= tuning.sampled_scan_edges else 0
    found = engine.fill(engine.notes(2 * len(pairs) + 2), 0xFF)
    for k, (left, right) in enumerate(pairs):
        few = not sure and left is not right
        rows = edges.sampled_count(left.size, FEW) if few else left.size
        how = (edges.sampled, FEW) if few else (edges.every,)
        kind = *order_of_type(left), engine.kernel(*how)
        slot = found[2 * k : 2 * k + 2]
        if looks and not k:
            glance = engine.kernel(id_range.glance, *kind)
            glance(rows, looks, left.size, left.size // looks, left, right, slot, found[-2:])
        else:
            engine.kernel(id_range.span, *kind)(rows, left, right, slot)
    ends = engine.to_host(found).tolist()
    lows, highs = [], []
    for k, (left, _) in enumerate(pairs):
        low, high = decoded(left, *ends[2 * k : 2 * k + 2])
        if low <= high:
            lows.append(low)
            highs.append(high)
    order = _shown(looks, ends[-2:]) if looks else NOT_SEEN
    return min(lows, default=0), max(highs, default=-1), order


def order_of(src: Array, dst: Array, engine: Engine) -> Order:
    """Return the order of a list, estimated from some rows."""
    looks = _looks(src, dst) if order_of_type(src) == order_of_type(dst) else 0
    if not looks:
        return NOT_SEEN
    counts = engine.fill(engine.notes(2), 0xFF)
    look = engine.kernel(id_range.nearby, order_of_type(src)[0])
    look(looks, src.size, src.size // looks, src, dst, counts)
    return _shown(looks, engine.to_host(counts).tolist())


def _looks(src: Array, dst: Array) -> int:
    """Return the number of rows that are read to estimate the order of a list."""
    seen = src is not dst and src.size >= tuning.sampled_scan_edges
    return min(tuning.order_probes, src.size) if seen else 0


def _shown(looks: int, counts: list[int]) -> Order:
    """Return the order from the counts of a kernel, which start at all bits set."""
    near, falls = (count + 1 & ALL for count in counts)
    return Order(near / looks, falls > FALLS * looks)


def order_of_type(array: Array) -> tuple[type, int]:
    """Return the 64-bit type in which ids are compared, and the offset that keeps their order.

    That is what makes the unsigned order of the words that of the ids.
    """
    return (np.uint64, 0) if array.dtype == np.uint64 else (np.int64, 1 << 63)


def decoded(array: Array, low: int, high: int) -> tuple[int, int]:
    """Return the least and the greatest id from the output of the kernel.

    The least is above the greatest if the array is empty.
    """
    _, sign = order_of_type(array)
    return low - sign, ALL - high - sign


def _with_named(
    given: EdgeInput, arrays: list[Array], low: int, high: int, engine: Engine
) -> tuple[int, int]:
    """Return the least and the greatest id of the columns and of a range of vertices.

    Raises
    ------
    InputError
        The range is all that there is, and some ids of the columns are not in it.
    """
    named = given.vertices
    n = len(named) if isinstance(named, range) else 0
    if given.vertices_are_dense_range and low <= high and (low < 0 or high >= n):
        raise _outside(given, arrays, n, engine)
    if not isinstance(named, range) or not named:
        return low, high
    check_range(named)
    ends = named[0], named[-1]
    if low <= high:
        return min(low, *ends), max(high, *ends)
    return min(ends), max(ends)


def check_range(named: range) -> None:
    """Raise an InputError if some ids of a range are not 64-bit integers."""
    ends = (named[0], named[-1]) if named else (0, 0)
    if min(ends) < -(1 << 63) or max(ends) >= 1 << 64:
        raise InputError(f"vertices={named} goes beyond 64-bit integers")


def _outside(given: EdgeInput, arrays: list[Array], n: int, engine: Engine) -> InputError:
    """Return the error that names the column that holds an id outside 0 .. n - 1."""
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
            f" 0..{n - 1:,}: add rows for all vertices, or pass a list of edges"
        )
    if n == 0:
        return InputError(f"column {name!r} holds the id {vertex}, but num_vertices=0 allows none")
    return InputError(
        f"column {name!r} holds the id {vertex}, outside 0..{n - 1} of num_vertices={n}: pass a"
        " larger number, or vertices="
    )
