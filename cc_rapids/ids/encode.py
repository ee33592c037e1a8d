"""Vertex ids to vertices 0 .. n - 1 and back, in a way chosen by what the columns hold.

==============  ===================================================================================
as they are     vertex = id: a word for each id from 0 to the greatest
offset          vertex = id - the least: a word for each id of the span
bit map         vertex = rank of the id: a bit for each id of the span, a word for each that occurs
hash slots      vertex = slot of the id in a hash table: nothing depends on the span
==============  ===================================================================================

Integers are used as they are, less the lowest one, wherever memory allows a word for each id of
their span. Strings are numbered in lexicographic order (:mod:`cc_rapids.ids.strings`), so that the
least vertex of a component is its lexicographically least member; several columns are one number a
row, in the order of the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..backends import Array, Engine
from ..data.edge_input import EdgeInput
from ..errors import CapacityError
from ..graph.edges import Edges
from ..graph.forest import Forest, blocks_of, rank
from ..kernels import id_bitmap, primitives
from ..tuning import tuning
from .decoders import Listed, Names, Offset
from .hash_table import GIB, slots_for
from .range import NOT_SEEN, Order, Span, span_of

WORDS_PER_BYTE = 1  # of the edge list: a word for each id of the span while it is 4 times the list
WORDS_EACH = ("as they are", "offset")


@dataclass(frozen=True)
class Way:
    """One way to number the ids, what is said of them if it is chosen, and what it takes."""

    name: str
    why: str
    vertices: int  # at most
    bytes: int  # at most, beyond the input and the answer


def choose_way(span: Span, rows: int, given_bytes: int, free: int) -> Way:
    """The way for ids of a span that ``rows`` places name, in columns of so many bytes.

    A word for each id of the span is the fastest while those words are at most four times the
    columns; a bit for each next, while the bits are at most as many as the columns; a table
    otherwise. If memory does not allow it, whatever takes least.

    Raises
    ------
    CapacityError
        No way fits.
    """
    most = min(span.size, rows)
    answer = 2 * most * span.dtype.itemsize
    wanted = _table
    if span.size <= max(tuning.small_id_range, WORDS_PER_BYTE * given_bytes):
        wanted = _words
    elif bits_pay(span.size, given_bytes):
        wanted = _bits
    way = wanted(span, most, rows)
    if way.bytes + answer <= free:
        return way
    ways = [make(span, most, rows) for make in WAYS]
    fitting = [way for way in ways if way.bytes + answer <= free]
    if not fitting:
        raise _too_large(span, ways, answer, free)
    return min(fitting, key=lambda way: way.bytes)


def bits_pay(size: int, given_bytes: int) -> bool:
    """Whether a bit for each id of a span of that size takes no more than the columns."""
    return size // 8 <= given_bytes


def _words(span: Span, most: int, rows: int) -> Way:
    n = span.size
    return Way(WORDS_EACH[span.low != 0], "close enough together", n, n * _word(n) + n // 7)


def _bits(span: Span, most: int, rows: int) -> Way:
    n, word = span.size, _word(most)
    size = n // 8 + n // 64 + rows * word + most * (word + span.dtype.itemsize + 1)
    return Way("bit map", "too far apart for a word each, not for a bit", most, size)


def _table(span: Span, most: int, rows: int) -> Way:
    word = _word(most)
    size = slots_for(most) * (9 + 2 * word) + rows * word + most * (40 + word)
    return Way("hash slots", "too far apart for a word or a bit each", most, size)


WAYS = (_words, _bits, _table)


def _word(n: int) -> int:
    return 4 if n <= 1 << 32 else 8


def _too_large(span: Span, ways: list[Way], answer: int, free: int) -> CapacityError:
    gib: Callable[[int], str] = lambda count: f"{(count + answer) / GIB:,.1f} GiB"  # noqa: E731
    words, bits, table = ways
    return CapacityError(
        f"the ids span {span.size:,} values, from {span.low:,} to {span.high:,}: that takes"
        f" {gib(words.bytes)} with a word for each, {gib(bits.bytes)} with a bit for each, and"
        f" {gib(table.bytes)} in a hash table of the {table.vertices:,} that may occur;"
        f" {free / GIB:,.1f} GiB are free: free some, or run where there is more (engine="
        "'threads' uses the host's)"
    )


@dataclass(frozen=True)
class Numbered:
    """The edges, a forest over their vertices, and the way back to ids.

    ``ids`` says how the ids were numbered, ``about`` how many vertices are expected, ``order`` what
    some rows of a long list have shown. ``settle`` gives, of the solved forest, one whose vertices
    are in the order of the ids, and their names; which are ``names`` where that is the case before
    it is solved.
    """

    edges: Edges
    forest: Forest
    ids: str
    about: int
    settle: Callable[[Forest], tuple[Forest, Names]]
    order: Order = NOT_SEEN
    names: Names | None = None


@dataclass(frozen=True)
class Ids:
    """The ids of all columns on the engine, and how they will be numbered."""

    given: EdgeInput
    arrays: list[Array]
    span: Span
    way: Way


def measure(
    given: EdgeInput,
    columns: list[Any],
    engine: Engine,
    sure: bool = True,
    span: Span | None = None,
) -> Ids:
    """Find the span of the integers lent by ``given``, and choose the way to number them.

    If the span need not be ``sure``, it may be a guess, of ids that get a word each, or a slot
    whatever their span is. It may be known already.
    """
    arrays = [engine.asarray(column) for column in columns]
    span = span or span_of(given, arrays, engine, sure)
    named = len(given.vertices) if isinstance(given.vertices, range) else 0
    rows, given_bytes = named, 8 * named
    for array in arrays:
        rows += array.size
        given_bytes += array.nbytes
    way = choose_way(span, rows, given_bytes, engine.free_bytes())
    far = way.name == "hash slots" and not bits_pay(span.least_size, given_bytes)
    if not (span.sure or way.name in WORDS_EACH or far):
        return measure(given, arrays, engine)
    return Ids(given, arrays, span, way)


def number(
    given: EdgeInput, columns: list[Any], engine: Engine, sure: bool, span: Span | None = None
) -> Numbered:
    """Number the vertices of the columns lent by ``given``, on the engine.

    If it need not be ``sure``, some ids may have no vertex: then the solved forest is not complete.
    The ``span`` of integers may be known already.
    """
    if given.src.parts:
        from .multi_column import Rows, number_rows

        numbers, digits = number_rows(given.columns, columns, engine)
        numbered = _number_integers(measure(given, numbers, engine), engine)

        def settle(forest: Forest) -> tuple[Forest, Names]:
            solved, names = numbered.settle(forest)
            assert isinstance(names, Offset | Listed)
            return solved, Rows(names, digits)

        return replace(numbered, ids=f"rows, {numbered.ids}", settle=settle, names=None)
    if given.src.strings:
        from .strings import factorise

        codes, words = factorise(columns, given.src.native, engine)
        src, dst = (engine.asarray(code) for code in codes[:2])
        forest = Forest(engine, words.size, everyone=True)
        return as_it_is(Edges(src, dst, 0), forest, "strings, factorised", words)
    return _number_integers(measure(given, columns, engine, sure, span), engine)


def _number_integers(ids: Ids, engine: Engine) -> Numbered:
    if ids.way.name == "hash slots":
        return _number_slots(ids, engine)
    if ids.way.name == "bit map":
        return _number_ranks(ids, engine)
    span, named = ids.span, ids.given.vertices
    everyone = isinstance(named, range) and named == range(span.low, span.low + span.size)
    forest = Forest(engine, span.size, everyone)
    if not everyone:
        _mark_named(ids, forest.seen, forest.stray, engine)
    src, dst = ids.arrays[:2]
    names = Offset(span.first, span.dtype)
    return as_it_is(Edges(src, dst, span.first), forest, ids.way.name, names, span.order)


def as_it_is(
    edges: Edges, forest: Forest, ids: str, names: Names, order: Order = NOT_SEEN
) -> Numbered:
    """Vertices that are in the order of the ids already."""
    return Numbered(edges, forest, ids, forest.n, lambda solved: (solved, names), order, names)


def _mark_named(ids: Ids, words: Array, stray: Array, engine: Engine) -> None:
    """Note the vertices that are named besides the edges in a set over the span."""
    span, named = ids.span, ids.given.vertices
    if isinstance(named, range) and named:
        first = named.start - span.low
        engine.kernel(id_bitmap.mark_range, span.vertex)(len(named), first, named.step, words)
    for column in ids.arrays[2:]:
        _mark_ids(column, span, words, stray, engine)


def _mark_ids(column: Array, span: Span, words: Array, stray: Array, engine: Engine) -> None:
    """Note the vertices that a column names in a set over the span."""
    mark = engine.kernel(id_bitmap.mark_ids, span.vertex)
    mark(column.size, column, span.first, span.size, words, stray)


def _number_ranks(ids: Ids, engine: Engine) -> Numbered:
    """Vertices are the ranks of the ids in a bit map over their span."""
    span = ids.span
    size = -(-span.size // primitives.WORD)
    words = engine.fill(engine.empty(size, np.uint32), 0)
    stray = engine.fill(engine.empty(1, np.int64), 0)
    before = engine.empty(blocks_of(size), Span.vertex_of(ids.way.vertices))
    for column in ids.arrays[:2]:
        _mark_ids(column, span, words, stray, engine)
    _mark_named(ids, words, stray, engine)
    rank(engine, words, before)
    n = int(engine.to_host(before[-1:])[0])
    forest = Forest(engine, n, everyone=True)
    forest.stray[:] = stray
    ends = [engine.empty(column.size, forest.vertex) for column in ids.arrays[:2]]
    place = engine.kernel(id_bitmap.number_ranks, span.vertex)
    for column, out in zip(ids.arrays, ends, strict=False):
        place(column.size, column, span.first, span.size, n, words, before, out)
    listed = engine.empty(n, span.dtype)
    engine.kernel(id_bitmap.members)(size, words, before, span.first, listed)
    edges, names = Edges(ends[0], ends[1], 0), Listed.of(listed)
    return as_it_is(edges, forest, ids.way.name, names, span.order)


def _number_slots(ids: Ids, engine: Engine) -> Numbered:
    """Vertices are the slots of the ids in a hash table."""
    from .hash_table import Slots

    others, named = ids.arrays[2:], ids.given.vertices
    if isinstance(named, range) and named:
        others = [*others, engine.xp.arange(named.start, named.stop, named.step, ids.span.dtype)]
    slots = Slots(ids.arrays[:2], others, engine)
    return Numbered(
        Edges(slots.columns[0], slots.columns[1], 0),
        slots.forest(),
        ids.way.name,
        slots.about,
        lambda solved: slots.settle(solved, ids.span.dtype),
    )
