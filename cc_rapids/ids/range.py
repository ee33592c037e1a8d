"""The range of integer ids, found in one pass over their columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from ..backends import Array, Backend
from ..data.dtypes import is_integer
from ..data.edge_input import EdgeInput
from ..errors import ColumnTypeError, InputError
from ..graph import memory_bound
from ..graph.memory_bound import WIDER
from ..kernels import edges, id_range

# Names in brackets are pages of docs/design/decisions.
SAMPLED_EDGES = 1 << 20  # min. edges whose range and order are estimated from a sample, see [ids]
ORDER_PROBES = 4096  # rows from which the order of a long list is estimated, see [order]
ALL = (1 << 64) - 1
DESCENDING_SHARE = 7 / 8  # min. share of descending rows in a descending list
SCAN_EVERY = 32  # a sampled scan reads one of 32 blocks of rows

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


def id_range_of(
    given: EdgeInput, arrays: list[Array], backend: Backend, exact: bool = True
) -> IdRange:
    """Return the range of the arrays, and of ``given.vertices`` if these are a range.

    The range is 0 .. -1 if there are no ids. Unless ``exact``, long columns are not read
    completely. The result is then the slightly widened range of some rows, or the range that the
    caller passed. Ids outside this range are detected when their edge is linked.
    """
    dtypes = tuple(map(attrgetter("dtype"), arrays))
    _, least, greatest, integers = _common(dtypes)
    exact, counted = exact or not integers, given.vertices_are_dense_range
    if counted and not exact:
        last = last_of(given)
        if all_fit(arrays, last):
            order = order_of(arrays[0], arrays[1], backend)
            return IdRange(0, last, type_of(dtypes, 0, last), False, order)
    exact = exact or counted or arrays[0].size < SAMPLED_EDGES
    low, high, order = _read(arrays, backend, exact=exact)
    if given.vertices is not None or counted:
        low, high = _with_vertices(given, arrays, low, high, backend)
        least, greatest = limits_of(arrays)
        if not exact and not least <= low <= high <= greatest:  # beyond the type of the columns
            return id_range_of(given, arrays, backend)
    more = 0 if exact else (high - low) // WIDER + memory_bound.MARGIN_IDS
    if more:  # within the type of the columns; ids that are not negative stay so
        low, high = max(low - more, least if low < 0 else 0), min(high + more, greatest)
    return IdRange(low, high, type_of(dtypes, low, high), exact, order, more)


def all_fit(arrays: list[Array], last: int) -> bool:
    """Return whether all arrays have types that can hold the greatest id ``last`` >= 0."""
    return last >= 0 and all(last <= np.iinfo(array.dtype).max for array in arrays)


def limits_of(columns: list[Array]) -> tuple[int, int]:
    """Return the least and the greatest id of the common type of two columns of endpoints.

    If a range lies within these limits, no other id of the columns wraps around into it.
    """
    return _common(tuple([column.dtype for column in columns[:2]]))[1:3]


def last_of(given: EdgeInput) -> int:
    """Return the greatest id if the caller passed num_vertices, otherwise -1."""
    ids = given.vertices
    return len(ids) - 1 if given.vertices_are_dense_range and isinstance(ids, range) else -1


@lru_cache(128)  # NumPy's function can take as long as a small batch
def _common(dtypes: tuple[np.dtype[Any], ...]) -> tuple[np.dtype[Any], int, int, bool]:
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
    common, least, greatest, integers = _common(dtypes)
    if integers and least <= low and high <= greatest:
        return common
    return np.dtype(np.int64 if high < 1 << 63 else np.uint64)


def bounds(arrays: list[Array], backend: Backend) -> tuple[int, int]:
    """Return the least and the greatest id, or (0, -1) if all columns are empty.

    This takes one pass over the columns and one copy to the host.
    """
    low, high, _ = _read(arrays, backend, exact=True, ordered=False)
    return low, high


def _read(
    arrays: list[Array], backend: Backend, exact: bool, ordered: bool = True
) -> tuple[int, int, EdgeOrder]:
    """Return the least and the greatest id, and if ``ordered`` the estimated order of the list.

    The first two columns are read together if they have equal length and types of the same order.
    Unless ``exact``, only some of their rows are read.
    """
    # Each pass reads two columns. A column without a partner is its own partner.
    pairs = []
    for array in arrays:
        pairs.append((array, array, ORDER_OF_TYPE[array.dtype]))
    if len(arrays) > 1 and arrays[0].size == arrays[1].size and pairs[0][2] == pairs[1][2]:
        pairs[:2] = [(*arrays[:2], pairs[0][2])]
    probes = _probes_of(*pairs[0][:2]) if ordered and arrays[0].size >= SAMPLED_EDGES else 0
    # Two bounds per pair, which are minima, and two counts of the order, which wrap around to 0.
    results = backend.fill(backend.alloc_readback(2 * len(pairs) + 2), 0xFF)
    for k, (left, right, order_of_words) in enumerate(pairs):
        sampled = not exact and left is not right
        rows = edges.sampled_count(left.size, SCAN_EVERY) if sampled else left.size
        row_index = (edges.sampled, SCAN_EVERY) if sampled else (edges.every,)
        kind = *order_of_words, backend.kernel(*row_index)
        bounds_of_pair = results[2 * k : 2 * k + 2]
        if probes and not k:
            scan = backend.kernel(id_range.sampled_scan, *kind)
            step = left.size // probes
            scan(rows, probes, left.size, step, left, right, bounds_of_pair, results[-2:])
        else:
            backend.kernel(id_range.find_bounds, *kind)(rows, left, right, bounds_of_pair)
    words = backend.to_host(results).tolist()  # least id, complement of greatest id, ..., counts
    lows, highs = [], []
    for k, (*_, (_, sign)) in enumerate(pairs):
        low, high = words[2 * k] - sign, ALL - words[2 * k + 1] - sign
        if low <= high:
            lows.append(low)
            highs.append(high)
    order = _order_of_counts(probes, words[-2:]) if probes else UNKNOWN_ORDER
    return min(lows, default=0), max(highs, default=-1), order


def order_of(src: Array, dst: Array, backend: Backend) -> EdgeOrder:
    """Return the order of a list, estimated from some rows."""
    wide, _ = order_of_words = ORDER_OF_TYPE[src.dtype]
    probes = _probes_of(src, dst) if ORDER_OF_TYPE[dst.dtype] == order_of_words else 0
    if not probes:
        return UNKNOWN_ORDER
    counts = backend.fill(backend.alloc_readback(2), 0xFF)
    count_order = backend.kernel(id_range.sampled_order, wide)
    count_order(probes, src.size, src.size // probes, src, dst, counts)
    return _order_of_counts(probes, backend.to_host(counts).tolist())


def _probes_of(src: Array, dst: Array) -> int:
    """Return the number of rows to read for estimating the order of a list."""
    is_long = src is not dst and src.size >= SAMPLED_EDGES
    return min(ORDER_PROBES, src.size) if is_long else 0


def _order_of_counts(probes: int, counts: list[int]) -> EdgeOrder:
    """Return the order of a list, given the counts of near and of descending rows.

    The rows were ``probes`` rows of the list. The counts start at 2^64 - 1, because all bits of the
    array were set, and wrap around.
    """
    local, descending = ((count + 1) & ALL for count in counts)
    return EdgeOrder(local / probes, descending > DESCENDING_SHARE * probes)


def _with_vertices(
    given: EdgeInput, arrays: list[Array], low: int, high: int, backend: Backend
) -> tuple[int, int]:
    """Return the bounds ``low`` and ``high`` of the columns, extended by a range of vertices.

    Raises
    ------
    InputError
        The caller passed a range, and some ids of the columns are not in it.
    """
    vertices = given.vertices
    n = len(vertices) if isinstance(vertices, range) else 0
    if given.vertices_are_dense_range and low <= high and (low < 0 or high >= n):
        raise _outside(given, arrays, n, backend)
    if not isinstance(vertices, range) or not vertices:
        return low, high
    check_range(vertices)
    ends = vertices[0], vertices[-1]
    if low <= high:
        return min(low, *ends), max(high, *ends)
    return min(ends), max(ends)


def check_range(vertices: range) -> None:
    """Raise an InputError if some ids of a range are not 64-bit integers."""
    ends = (vertices[0], vertices[-1]) if vertices else (0, 0)
    if min(ends) < -(1 << 63) or max(ends) >= 1 << 64:
        raise InputError(f"vertices={vertices} goes beyond 64-bit integers")


def _outside(given: EdgeInput, arrays: list[Array], n: int, backend: Backend) -> InputError:
    """Return the error that names the column with an id outside 0 .. n - 1."""
    outside = (
        (column.name, low if low < 0 else high)
        for column, array in zip(given.columns, arrays, strict=True)
        for low, high in [bounds([array], backend)]
        if low < 0 or high >= n
    )
    name, vertex = next(outside, (None, 0))
    if name is None:
        return given.changed()
    if given.row_offsets is not None:
        return InputError(
            f"{name!r} holds {vertex:,}, but an adjacency list of {n:,} rows has the vertices"
            f" 0..{n - 1:,}: add rows for all vertices, or pass a list of edges"
        )
    if n == 0:
        return InputError(f"column {name!r} holds the id {vertex}, but num_vertices=0 allows none")
    return InputError(
        f"column {name!r} holds the id {vertex}, outside 0..{n - 1} of num_vertices={n}: pass a"
        " larger number, or vertices="
    )
