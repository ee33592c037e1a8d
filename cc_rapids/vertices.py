"""Vertex ids to vertices 0 .. n - 1 and back.

Integers are used as they are, less the lowest one: nothing is renumbered or sorted. Strings
are factorised by the library that holds them, in lexicographic order, so that the least vertex of
a component is its lexicographically least member.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import kernels
from .edges import Array, Edges
from .engines import Engine, Kernel
from .errors import CapacityError, InputError
from .forest import Forest
from .frames import Given
from .strings import Words, factorise

GIB = 1 << 30
ALL = (1 << 64) - 1


@dataclass(frozen=True)
class Offset:
    """Integer ids: vertex + low."""

    low: int
    dtype: np.dtype[Any]

    def take(self, ids: Array, engine: Engine) -> Array:
        """The ids themselves: nothing else was numbered."""
        return ids


@dataclass(frozen=True)
class Numbered:
    """The edges, a forest over their vertices, and the way back to ids."""

    edges: Edges
    forest: Forest
    names: Offset | Words


def number(given: Given, columns: list[Any], engine: Engine) -> Numbered:
    """Number the vertices of the columns lent by ``given``, on the engine."""
    if given.src.strings:
        return _number_strings(given, columns, engine)
    arrays = [engine.asarray(column) for column in columns]
    low, high = _hull(given, arrays, engine)
    n = high - low + 1
    dtype = _id_type([array.dtype for array in arrays], low, high)
    _check_capacity(low, high, given.src.size, dtype, engine)
    named = given.vertices if isinstance(given.vertices, range) else range(0)
    everyone = named == range(low, low + n)
    forest = Forest(engine, n, everyone)
    seen, vertex = forest.seen, forest.vertex
    if named and not everyone:
        first = named.start - low
        _kernel("mark_range", engine, vertex)(len(named), first, named.step, seen)
    low = low - (1 << 64) if low >= 1 << 63 else low
    for column in arrays[2:]:
        _kernel("mark_column", engine, vertex)(column.size, column, low, seen)
    return Numbered(Edges(arrays[0], arrays[1], low), forest, Offset(low, dtype))


def _kernel(name: str, engine: Engine, *parts: Any) -> Kernel:
    made: Kernel = kernels.kernel(getattr(kernels.columns, name), engine, *parts)
    return made


def _bounds(arrays: list[Array], engine: Engine) -> tuple[int, int]:
    """The least and the greatest id: one pass over the columns, one copy to the host."""
    pairs = [(array, array) for array in arrays]
    if _wide(arrays[0]) is _wide(arrays[1]):
        pairs[:2] = [(arrays[0], arrays[1])]
    bounds = engine.fill(engine.empty(2 * len(pairs), np.uint64), 0xFF)
    for k, (left, right) in enumerate(pairs):
        own = bounds[2 * k : 2 * k + 2]
        _kernel("span", engine, _wide(left), _sign(left))(left.size, left, right, own)
    found = engine.to_host(bounds).tolist()
    seen = [
        (found[2 * k] - _sign(left), ALL - found[2 * k + 1] - _sign(left))
        for k, (left, _) in enumerate(pairs)
        if left.size
    ]
    return min((low for low, _ in seen), default=0), max((high for _, high in seen), default=-1)


def _wide(array: Array) -> type:
    return np.uint64 if array.dtype == np.uint64 else np.int64


def _sign(array: Array) -> int:
    """What makes the unsigned order of the ids that of their type."""
    return 0 if _wide(array) is np.uint64 else 1 << 63


def _hull(given: Given, arrays: list[Array], engine: Engine) -> tuple[int, int]:
    """The least and the greatest id of all; (0, -1) if there is none."""
    low, high = _bounds(arrays, engine)
    named = given.vertices
    if not isinstance(named, range) or not named:
        if given.every_vertex and low <= high:
            raise _outside(given, arrays, 0, engine)
        return low, high
    if given.every_vertex and low <= high and (low < 0 or high >= len(named)):
        raise _outside(given, arrays, len(named), engine)
    ends = named[0], named[-1]
    if min(ends) < -(1 << 63) or max(ends) >= 1 << 64:
        raise InputError(f"vertices={named} goes beyond the integers of 64 bits")
    return (min(low, *ends), max(high, *ends)) if low <= high else (min(ends), max(ends))


def _outside(given: Given, arrays: list[Array], n: int, engine: Engine) -> InputError:
    """Name the column that holds an id outside 0 .. n - 1."""
    stray = (
        (column.name, low if low < 0 else high)
        for column, array in zip(given.columns, arrays, strict=True)
        for low, high in [_bounds([array, array], engine)]
        if low < 0 or high >= n
    )
    name, vertex = next(stray)
    if n == 0:
        return InputError(
            f"column {name!r} holds the id {vertex}, but num_vertices=0: there is none"
        )
    return InputError(
        f"column {name!r} holds the id {vertex}, outside 0..{n - 1} of num_vertices={n}: give a"
        " larger one, or vertices="
    )


def _id_type(dtypes: list[np.dtype[Any]], low: int, high: int) -> np.dtype[Any]:
    """The integer type that all ids fit: that of the columns, widened only if it has to be."""
    common = np.result_type(*dtypes)
    if common.kind in "iu" and np.iinfo(common).min <= low and high <= np.iinfo(common).max:
        return common
    return np.dtype(np.int64 if high < 1 << 63 else np.uint64)


def _check_capacity(low: int, high: int, m: int, dtype: np.dtype[Any], engine: Engine) -> None:
    n = high - low + 1
    needed = n * (4 if n <= 1 << 32 else 8) + n // 8 + min(n, 2 * m) * 2 * dtype.itemsize
    free = engine.free_bytes()
    if needed <= free:
        return
    distinct = min(n, 2 * m)
    raise CapacityError(
        f"the ids span {n:,} values, from {low:,} to {high:,}: {needed / GIB:,.1f} GiB with a word"
        f" for each, and {free / GIB:,.1f} GiB are free. The {m:,} edges name at most"
        f" {distinct:,} of them: renumbered to 0..{max(distinct - 1, 0):,} they would take at most"
        f" {distinct * (4 + 2 * dtype.itemsize) / GIB:,.3f} GiB (factorise both columns together)"
    )


def _number_strings(given: Given, columns: list[Any], engine: Engine) -> Numbered:
    codes, words = factorise(columns, given.src.native)
    arrays = [engine.asarray(code) for code in codes]
    forest = Forest(engine, words.size, everyone=True)
    return Numbered(Edges(arrays[0], arrays[1], 0), forest, words)
