"""Indexes from ids to vertices that grow with each batch.

Vertices are numbered in the order of arrival, so existing trees stay valid. Extending an index
returns a new index. Integers and strings are looked up in a hash table, with about one probe per
end of an edge. They are sorted only when their order is requested. The text of each string is
stored once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..data.column import Column, Native
from ..data.edge_input import EdgeInput
from ..errors import CapacityError, ColumnTypeError, InputError, counted
from .arrival_table import ArrivalTable
from .decoders import IdDecoder, OffsetDecoder, SortedDecoder, at_places, to_64_bits
from .encode import bounds, id_range_of
from .multi_column import RankedColumnsDecoder
from .range import all_fit, type_of
from .strings import Text, column_of_text, lent_texts, take_text
from .text_table import TextTable

INT64 = np.dtype(np.int64)
LOOKED_UP = 1 << 18  # strings that are looked up together; each takes about 160 bytes
HALF = np.uint64(32)  # bits of each number of a pair
LOWER_HALF = np.uint64((1 << 32) - 1)


@dataclass(frozen=True)
class Transfer:
    """The settings for copying another device's index in parts.

    Attributes
    ----------
    backend : Backend
        The backend of both devices.
    device : int
        The number of the other device.
    rows : int
        The maximum number of ids of a part.
    check : callable
        Takes the index after each part, and raises an error if the index is too large.
    """

    backend: Backend
    device: int
    rows: int
    check: Callable[[Index], object]

    def parts(self, n: int) -> Iterator[slice]:
        """Yield the slices of the parts of n rows."""
        return (slice(start, min(n, start + self.rows)) for start in range(0, n, self.rows))

    def receive(self, array: Array) -> Array:
        """Return a copy, on this device, of an array of the other device."""
        return self.backend.received(array, self.device)

    def alloc_vertices(self, index: Index, other: Index) -> Array:
        """Return an array to be filled with the vertices of the ids of ``other`` after a merge."""
        word = np.uint32 if index.n + other.n < 1 << 32 else np.uint64
        return self.backend.empty(other.n, word)


class _OneColumn:
    """The base class of indexes of ids of one column."""

    strings: bool
    width = 1
    are_vertices = False  # whether ids are their own vertices

    @property
    def kinds(self) -> list[bool]:
        """Flags, one for each column of an id: True if it holds strings."""
        return [self.strings]


@dataclass(frozen=True)
class Range(_OneColumn):
    """Index of the vertices 0 .. n - 1, which are their own ids."""

    n: int
    dtype: np.dtype[Any] = INT64
    places: Array = None  # None because the vertices are in the order of their ids
    description = "as they are"
    strings = False
    are_vertices = True

    def extend(
        self, given: EdgeInput, columns: Sequence[Any], backend: Backend, exact: bool = True
    ) -> Extended:
        """Return the index with the type of the columns, and the columns, whose ids are vertices.

        Unless ``exact``, columns are checked only if a negative id might wrap around to a vertex
        while edges are linked.

        Raises
        ------
        InputError
            A checked column contains an id outside 0 .. n - 1.
        """
        if isinstance(given.vertices, range) and len(given.vertices) > self.n:
            raise InputError(
                f"the edges have {len(given.vertices):,} vertices, but num_vertices={self.n}:"
                " pass a larger number"
            )
        arrays = list(map(backend.asarray, columns[:2]))
        # A negative id wraps around to at least 2^31, and beyond the greatest id of its type: to no
        # vertex if there are at most 2^31 vertices, or if all vertices fit into the type.
        if exact or not (self.n <= 1 << 31 or all_fit(arrays, self.n - 1)):
            with_range = replace(given, vertices=range(self.n), vertices_are_dense_range=True)
            id_range_of(with_range, arrays, backend)  # raises the error
        dtypes = tuple([array.dtype for array in arrays if array.size]) or (self.dtype,)
        dtype = type_of(dtypes, 0, max(self.n - 1, 0))
        return self if dtype == self.dtype else replace(self, dtype=dtype), arrays

    def lookup(self, ids: Any, backend: Backend) -> tuple[Array, Array]:
        """Return the vertex of each id (0 if unknown), and a mask of the known ids."""
        vertices, fits = OffsetDecoder(0, INT64).lookup(backend.asarray(ids), backend)
        valid = fits & (vertices < np.uint64(self.n))
        return backend.xp.where(valid, vertices, np.uint64(0)), valid

    def decoder(self, given: EdgeInput) -> IdDecoder:
        """Return the decoder of the vertices, in the order of their ids."""
        return OffsetDecoder(0, self.dtype)

    def to(self, backend: Backend) -> Range:
        """Return the same index on another backend."""
        return self


@dataclass(frozen=True)
class Integers(_OneColumn):
    """Index of integers.

    Attributes
    ----------
    arrived : (n,) array of uint64
        The bits of each id, by its vertex.
    table : ArrivalTable, optional
        The table from ids to vertices, to which a later index may have added ids.
    low, high : int
        The least and the greatest id.
    dtype : dtype, optional
        The type of the ids; None if there are no ids.
    """

    arrived: Array
    table: ArrivalTable | None = field(default=None, compare=False)
    low: int = 0
    high: int = -1
    dtype: np.dtype[Any] | None = None
    description = "numbered as they arrive"
    strings = False

    @classmethod
    def empty(cls, backend: Backend) -> Integers:
        """Return an empty index."""
        return cls(backend.empty(0, np.uint64))

    @classmethod
    def of(cls, ids: Array, low: int, high: int, dtype: np.dtype[Any] | None) -> Integers:
        """Return the index of sorted distinct 64-bit ids; the array is kept, not copied."""
        return cls(ids.view(np.uint64), None, low, high, dtype)

    @property
    def n(self) -> int:
        """The number of vertices."""
        return int(self.arrived.size)

    @property
    def wide(self) -> np.dtype[Any]:
        """The 64-bit type that holds all ids."""
        return np.dtype(np.uint64 if self.high >= 1 << 63 else np.int64)

    @cached_property
    def places(self) -> Array:
        """The vertices in the order of their ids."""
        if self.table is None:
            return self.arrived.view(self.wide).argsort()
        return self.table.in_order(self.n, self.wide)

    @property
    def ids(self) -> Array:
        """The sorted ids, as a new array of 64-bit integers."""
        if self.table is None:  # so no backend is known whose threads could gather
            return self.arrived[self.places].view(self.wide)
        return at_places(self.arrived, self.places, self.table.backend).view(self.wide)

    def extend(
        self, given: EdgeInput, columns: Sequence[Any], backend: Backend, exact: bool = True
    ) -> Extended:
        """Return an index that includes the ids of the columns, and the vertices of these ids.

        New ids get the vertices n, n + 1, ...
        """
        numbered = self._try_insert(columns, backend)
        if numbered is None:
            raise given.changed()
        return numbered

    def insert(self, columns: Sequence[Any], backend: Backend) -> tuple[Integers, list[Array]]:
        """Return an index that includes the ids of arrays, and the vertices of these ids.

        Nothing else may write to the arrays.
        """
        numbered = self._try_insert(columns, backend)
        assert numbered is not None
        return numbered

    def _try_insert(
        self, columns: Sequence[Any], backend: Backend
    ) -> tuple[Integers, list[Array]] | None:
        """Return the result of :meth:`extend`; None if a column changes while it is read."""
        arrays = [backend.asarray(column) for column in columns]
        filled = [array for array in arrays if array.size]
        if not filled:
            return self, [array.astype(np.uint32) for array in arrays]
        dtypes = [array.dtype for array in filled]
        return self._try_enter(arrays, *bounds(filled, backend), dtypes, backend)

    def _try_enter(
        self, arrays: list[Array], low: int, high: int, dtypes: list[Any], backend: Backend
    ) -> tuple[Integers, list[Array]] | None:
        """Do the work of :meth:`_try_insert` for arrays of ids ``low .. high`` of some types."""
        if self.n:
            low, high, dtypes = min(low, self.low), max(high, self.high), [self.dtype, *dtypes]
        dtype = type_of(tuple(dtypes), low, high)
        more, table = sum(array.size for array in arrays), self.table
        if table is None or table.n != self.n:  # a later index has added ids to the table
            grows = table is not None and table.by_place
            table = ArrivalTable(self.arrived, low, high, more, backend, grows)
        elif not table.takes(low, high, more):
            table = table.grown(low, high, more)
        numbers = table.enter(arrays)
        if numbers is None:
            return None
        return Integers(table.ids[: table.n], table, low, high, dtype), numbers

    def merge(
        self,
        other: Integers,
        transfer: Transfer,
        renumber: Callable[[Array], Array] | None = None,
    ) -> tuple[Integers, Array]:
        """Return an index that includes the ids of another device's index, and their new vertices.

        For the pairs of Tuples, ``renumber`` replaces numbers of the other device in both halves.
        """
        index, numbers, backend = self, transfer.alloc_vertices(self, other), transfer.backend
        low, high = other.low, other.high
        for rows in transfer.parts(other.n):
            ids = transfer.receive(other.arrived[rows])
            if renumber is not None:
                ids = renumber(ids)
                low, high = bounds([ids], backend)
            # the result is None only if the ids change meanwhile, but ``ids`` is a private copy
            entered = index._try_enter([ids], low, high, [other.dtype], backend)
            assert entered is not None
            index, (numbers[rows],) = entered
            transfer.check(index)
        return index, numbers

    def lookup(self, ids: Any, backend: Backend) -> tuple[Array, Array]:
        """Return the vertex of each id (arbitrary if unknown), and a mask of the known ids."""
        if not (self.n and len(ids)):
            return _no_matches(ids, backend)
        wide, fits = to_64_bits(backend.asarray(ids), self.wide)
        vertices, valid = self.table_of(backend).look_up(wide, self.n)
        return vertices, valid & fits

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickling, without tables: a later index may change ``table``."""
        state = vars(self) | {"table": None}
        state.pop("_table_for_lookups", None)
        return state

    def table_of(self, backend: Backend) -> ArrivalTable:
        """Return the table of the ids; build it on first use."""
        if self.table is not None:
            return self.table
        table = vars(self).get("_table_for_lookups")
        if table is None:
            table = ArrivalTable(self.arrived, self.low, self.high, 0, backend)
            vars(self)["_table_for_lookups"] = table  # a frozen dataclass rejects assignment
        return table

    def decoder(self, given: EdgeInput) -> IdDecoder:
        """Return the decoder of the vertices, in the order of their ids."""
        return SortedDecoder.of(self.ids.astype(self.dtype or INT64, copy=False))

    def to(self, backend: Backend) -> Integers:
        """Return the same index on another backend."""
        return replace(self, arrived=backend.asarray(self.arrived), table=None)


@dataclass(frozen=True)
class Texts(_OneColumn):
    """Index of strings.

    Attributes
    ----------
    n : int
        The number of vertices.
    table : TextTable
        The table from strings to vertices, to which a later index may have added strings.
    """

    n: int
    table: TextTable = field(compare=False)
    description = "strings, numbered as they arrive"
    strings = True

    @classmethod
    def empty(cls, backend: Backend) -> Texts:
        """Return an empty index."""
        return cls(0, TextTable(backend))

    @classmethod
    def of(cls, text: Text) -> Texts:
        """Return the index of distinct strings; each string is numbered by its row."""
        table = TextTable.of(text)
        return cls(table.n, table)

    def extend(
        self, given: EdgeInput, columns: Sequence[Any], backend: Backend, exact: bool = True
    ) -> Extended:
        """Return an index that includes the strings of the columns, and their vertices."""
        with lent_texts(list(columns), backend) as texts:
            return self._enter(texts)

    def _enter(self, texts: list[Text | None]) -> tuple[Texts, list[Array]]:
        """Return an index that includes the strings, and the vertices of each text."""
        table = self.table
        if table.n != self.n:  # a later index has added strings to the table
            table = TextTable.of(table.text(self.n))
        numbers = table.enter(texts)
        return Texts(table.n, table), numbers

    def merge(self, other: Texts, transfer: Transfer) -> tuple[Texts, Array]:
        """Return an index that includes the strings of another device, and their new vertices."""
        index, numbers, backend = self, transfer.alloc_vertices(self, other), transfer.backend
        text = other.table.text(other.n)
        for rows in transfer.parts(other.n):
            offsets = transfer.receive(text.offsets[rows.start : rows.stop + 1])
            first, last = backend.to_host(offsets[[0, -1]]).tolist()
            chars = transfer.receive(text.chars[first:last])
            part = Text.of(chars, offsets - first, backend)
            index, (numbers[rows],) = index._enter([part])
            transfer.check(index)
        return index, numbers

    @property
    def text_bytes(self) -> int:
        """The bytes of the strings and their offsets."""
        octets, offsets = self.table.buffers(self.n)
        return int(octets.nbytes + offsets.nbytes)

    @cached_property
    def places(self) -> Array:
        """The vertices in the order of their strings."""
        return self.table.in_order(self.n)

    @cached_property
    def ranks(self) -> Array:
        """The rank of the string of each vertex in lexicographic order."""
        return inverse(self.places, self.table.backend)

    def text(self, ranks: Array | None = None) -> Text:
        """Return a copy of the strings with the given ranks, by default of all sorted strings."""
        numbers = self.places
        if ranks is not None:
            numbers = at_places(self.places, ranks, self.table.backend)
        return take_text(self.table.text(self.n), numbers)

    def sorted_buffers(self) -> tuple[Array, Array]:
        """Return the bytes and the offsets of the strings in lexicographic order."""
        text = self.text()
        size = int(text.backend.to_host(text.offsets[-1:])[0])  # without padding
        return text.chars[:size], text.offsets

    def lookup(self, ids: Any, backend: Backend) -> tuple[Array, Array]:
        """Return the vertex of each string (arbitrary if unknown), and a mask of known strings."""
        if not (self.n and len(ids)):
            return _no_matches(ids, backend)
        parts = []
        for first in range(0, len(ids), LOOKED_UP):
            with lent_texts([ids[first : first + LOOKED_UP]], backend) as (text,):
                assert text is not None
                parts.append(self.table.look_up(text, self.n))
        if len(parts) == 1:
            return parts[0]
        vertices, valid = map(backend.xp.concatenate, zip(*parts, strict=True))
        return vertices, valid

    def decoder(self, given: EdgeInput) -> IdDecoder:
        """Return a decoder of ranks of strings to a column of the library of ``given``."""
        return TextsDecoder(self, given.src.to_native, given.on_device)

    def to(self, backend: Backend) -> Texts:
        """Return the same index on another backend."""
        return Texts.of(Text.of(*self.table.buffers(self.n), backend))


@dataclass(frozen=True)
class TextsDecoder:
    """Decoder of string ids: the id of vertex v is the string of rank v in an index."""

    index: Texts
    to_native: Native
    on_device: bool
    id_base: int = 0
    dtype: np.dtype[Any] = field(default=np.dtype(np.uint32))

    def decode(self, vertices: Array, backend: Backend) -> Any:
        """Return the strings of some vertices, as a column of the caller's kind."""
        return self.to_native(self._column(vertices), self._column)

    def _column(self, vertices: Array | None = None) -> Any:
        """Return the strings of vertices, by default of all, as a column of cuDF or PyArrow."""
        return column_of_text(self.index.text(vertices), self.on_device)

    def lookup(self, strings: Any, backend: Backend) -> tuple[Array, Array]:
        """Return the vertices of cuDF or PyArrow strings, and a mask of the known strings."""
        vertices, valid = self.index.lookup(strings, backend)
        if not self.index.n:
            return vertices.astype(np.uint64), valid
        return self.index.ranks[vertices].astype(np.uint64), valid


@dataclass(frozen=True)
class Tuples:
    """Index of composite ids, which are compared column by column.

    ``columns`` number the values of each column. ``pairs[k]`` numbers the combinations of values
    that occur in the first k + 2 columns, each stored as a pair of 64 bits. The upper half of a
    pair is the number of the combination in the first k + 1 columns, and the lower half is the
    number of the value in the next column. The numbers of the last pairs are the vertices.
    """

    backend: Backend
    columns: tuple[Integers | Texts, ...]
    pairs: tuple[Integers, ...]
    are_vertices = False
    description = "rows, sorted ids"

    @classmethod
    def empty(cls, backend: Backend, width: int) -> Tuples:
        """Return an empty index of ids of several columns."""
        no_values = Integers.empty(backend)
        return cls(backend, (no_values,) * width, (no_values,) * (width - 1))

    @classmethod
    def of(
        cls, backend: Backend, columns: Sequence[Integers | Texts], numbers: Sequence[Array]
    ) -> Tuples:
        """Return the index of distinct rows, which are numbered in their order.

        ``numbers[k]`` has the number of the value of each row in ``columns[k]``.
        """
        pairs: list[Integers] = []
        combined = numbers[0]
        for codes in numbers[1:]:
            index, (combined,) = Integers.empty(backend).insert([_paired(combined, codes)], backend)
            pairs.append(index)
        return cls(backend, tuple(columns), tuple(pairs))

    @property
    def n(self) -> int:
        """The number of vertices."""
        return self.pairs[-1].n

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.columns)

    @property
    def kinds(self) -> list[bool]:
        """Flags, one for each column: True if it holds strings."""
        return [column.strings for column in self.columns]

    @property
    def strings(self) -> bool:
        """True if some column holds strings."""
        return any(column.strings for column in self.columns)

    def ranks(self) -> list[Array]:
        """Return for each column the rank of the value of each id, in the order of the ids."""
        return [rank[self.places] for rank in self._ranks]

    @cached_property
    def _ranks(self) -> list[Array]:
        """For each column, the rank of the value of each vertex."""
        numbers = self.backend.xp.arange(self.n)  # of combinations of values; first, the vertices
        ranks = []  # from the last column to the first, as pairs are split
        for column, pairs in zip(self.columns[:0:-1], self.pairs[::-1], strict=True):
            bits = pairs.arrived[numbers]  # the number of the value is in the lower half
            # the inverse of places is the rank of each number
            ranks.append(inverse(column.places, self.backend)[bits.astype(np.uint32)])
            numbers = (bits >> HALF).astype(np.int64)
        ranks.append(inverse(self.columns[0].places, self.backend)[numbers])
        return ranks[::-1]

    @cached_property
    def places(self) -> Array:
        """The vertices in the order of their ids."""
        xp = self.backend.xp
        # the last key of lexsort() is the primary one
        return xp.lexsort(xp.stack(self._ranks[::-1])) if self.n else xp.zeros(0, np.int64)

    def extend(
        self, given: EdgeInput, columns: Sequence[Any], backend: Backend, exact: bool = True
    ) -> Extended:
        """Return an index that includes the ids of the columns, and the vertices of these ids.

        Each of ``columns`` is the list of the key columns of one side.
        """
        columns_of_new: list[Integers | Texts] = []
        pairs: list[Integers] = []
        numbers: list[Array] = []  # of the combinations of values in the columns so far
        for k, (src, dst) in enumerate(
            zip(given.src.key_columns, given.dst.key_columns, strict=True)
        ):
            part = replace(given, src=src, dst=dst, vertices=None)
            column, codes = extended(self.columns[k], part, [side[k] for side in columns], backend)
            assert isinstance(column, Integers | Texts)
            columns_of_new.append(column)
            if k:
                combined = [_paired(*halves) for halves in zip(numbers, codes, strict=True)]
                index, numbers = self.pairs[k - 1].insert(combined, backend)
                pairs.append(index)
            else:
                numbers = codes
        if max(column.n for column in [*columns_of_new, *pairs]) > 1 << 32:
            raise CapacityError(
                f"ids of several columns ({given.src.name}) may have up to 2^32 distinct values,"
                f" but there are {pairs[-1].n:,}: combine the columns into one column of integers"
            )
        return Tuples(backend, tuple(columns_of_new), tuple(pairs)), numbers

    def merge(self, other: Tuples, transfer: Transfer) -> tuple[Tuples, Array]:
        """Return an index that includes the ids of another device, and their new vertices."""
        backend, pairs = self.backend, []
        merged = [
            merge_index(*indexes, transfer)
            for indexes in zip(self.columns, other.columns, strict=True)
        ]
        _, numbers = merged[0]
        for index, other_index, (_, codes) in zip(self.pairs, other.pairs, merged[1:], strict=True):

            def renumber(ids: Array, upper: Array = numbers, lower: Array = codes) -> Array:
                """Replace the numbers of the other device in both halves of pairs by merged ones.

                The defaults bind the merged numbers of this round of the loop.
                """
                upper_half = at_places(upper, ids >> HALF, backend)
                return _paired(upper_half, at_places(lower, ids & LOWER_HALF, backend))

            merged_index, numbers = index.merge(other_index, transfer, renumber)
            pairs.append(merged_index)
        return Tuples(backend, tuple(column for column, _ in merged), tuple(pairs)), numbers

    def lookup(self, columns: list[Any], backend: Backend) -> tuple[Array, Array]:
        """Return the vertex of each row (arbitrary if unknown), and a mask of the known rows."""
        numbers, valid = self.columns[0].lookup(columns[0], backend)
        for index, pairs, column in zip(self.columns[1:], self.pairs, columns[1:], strict=True):
            codes, fits = index.lookup(column, backend)
            numbers, is_pair = pairs.lookup(_paired(numbers, codes), backend)
            valid = valid & fits & is_pair
        return numbers, valid

    def decoder(self, given: EdgeInput) -> RankedColumnsDecoder:
        """Return a decoder of ranks of ids to id columns of the library and types of ``given``."""
        decoders = []
        for column, part in zip(self.columns, given.src.key_columns, strict=True):
            decoders.append(column.decoder(replace(given, src=part)))
        return RankedColumnsDecoder(
            decoders,
            ranks=self.ranks(),
            numbers_of=self.lookup,
            vertex_of_number=inverse(self.places, self.backend),  # an answer's vertices are ranks
            dtype=np.dtype(np.uint32 if self.n < 1 << 32 else np.uint64),
        )

    def to(self, backend: Backend) -> Tuples:
        """Return the same index on another backend."""
        columns = tuple(column.to(backend) for column in self.columns)
        return Tuples(backend, columns, tuple(pairs.to(backend) for pairs in self.pairs))


def _paired(first: Array, second: Array) -> Array:
    """Return pairs of numbers below 2^32 as 64 bits; ``first`` is the upper half."""
    return (first.astype(np.uint64) << HALF) | second.astype(np.uint64)


def inverse(permutation: Array, backend: Backend) -> Array:
    """Return the inverse of a permutation of 0 .. n - 1, as a new array of int64."""
    positions = backend.empty(permutation.size, np.int64)
    positions[permutation] = backend.xp.arange(permutation.size)
    return positions


def _no_matches(ids: Any, backend: Backend) -> tuple[Array, Array]:
    """Return the result of a lookup in an empty index, for ids of any type."""
    return backend.xp.zeros(len(ids), np.uint32), backend.xp.zeros(len(ids), bool)


def select_ids(index: Integers | Texts | Tuples, ranks: Array, backend: Backend) -> Index:
    """Return a new index of the ids with the given ascending ranks, numbered in this order.

    The new index does not store other ids, nor values of columns that only other ids have.
    """
    if isinstance(index, Texts):
        return Texts.of(index.text(ranks))
    if isinstance(index, Integers):
        if not ranks.size:
            return Integers.empty(backend)
        ids = index.ids[ranks]
        low, high = (int(end) for end in backend.to_host(ids[[0, -1]]))
        return Integers.of(ids, low, high, index.dtype)
    # Each column keeps the values that occur, and numbers them by rank.
    columns, numbers = [], []
    for column, ranks_of_values in zip(index.columns, index.ranks(), strict=True):
        remaining, codes = backend.xp.unique(ranks_of_values[ranks], return_inverse=True)
        part = select_ids(column, remaining, backend)
        assert isinstance(part, Integers | Texts)
        columns.append(part)
        numbers.append(codes.astype(np.uint32))
    return Tuples.of(backend, columns, numbers)


Index = Range | Integers | Texts | Tuples
Extended = tuple[Index, list[Array]]


def extended(
    index: Index, given: EdgeInput, columns: Sequence[Any], backend: Backend, exact: bool = True
) -> Extended:
    """Return the index extended by all ids of the columns, and the vertices of these ids.

    ``given`` is the input from which ``columns`` are borrowed. If ``exact`` is False, ids that are
    their own vertices need not be checked. An empty index takes the kind of the new ids; for
    another index, :func:`check_kind` raises an error if the kinds differ.
    """
    check_kind(index, given)
    src, width = given.src, len(given.src.key_columns) or 1
    if width != index.width:
        if index.n or isinstance(index, Range):
            # The columns have no rows: otherwise check_kind() would have raised an error.
            return index, [backend.empty(0, np.uint32) for _ in columns]
        index = Tuples.empty(backend, width) if src.key_columns else Integers.empty(backend)
    if src.strings and not index.n and isinstance(index, Integers):
        index = Texts.empty(backend)
    if not (src.strings or index.n) and isinstance(index, Texts):
        index = Integers.empty(backend)
    return index.extend(given, columns, backend, exact)


def merge_index(index: Any, other: Any, transfer: Transfer) -> tuple[Any, Array]:
    """Return an index that includes the ids of another device's index, and their new vertices.

    Both indexes have ids of the same kind, unless one of them is empty.
    """
    if not other.n:
        return index, transfer.alloc_vertices(index, other)
    if not index.n:
        width = () if other.width == 1 else (other.width,)  # only Tuples.empty() has this argument
        index = type(other).empty(transfer.backend, *width)
    merged: tuple[Any, Array] = index.merge(other, transfer)
    return merged


def check_kind(index: Index, given: EdgeInput) -> None:
    """Raise an error if the ids of edges are of another kind than the ids of an index.

    Raises
    ------
    ColumnTypeError
        The ids are strings and the index holds integers, or vice versa.
    InputError
        The ids have more or fewer columns than the index.
    """
    src, is_range = given.src, isinstance(index, Range)
    if not (src.size and (index.n or is_range)):
        return
    width = len(src.key_columns) or 1
    if width != index.width:
        columns = counted(index.width, "column")
        hint = f"name {columns} with source= and destination="
        hint = "num_vertices= is for ids of one column: leave it out" if is_range else hint
        raise InputError(
            f"ids have {counted(width, 'column')} per side ({src.name}), but the {index.n:,}"
            f" vertices so far have {columns}: {hint}"
        )
    if isinstance(index, Tuples):
        for column, part in zip(index.columns, src.key_columns, strict=True):
            if part.strings != column.strings:
                raise _of_other_kind(column, part, index.n)
    elif src.strings != index.strings:
        raise _of_other_kind(index, src, index.n)


def _of_other_kind(index: Range | Integers | Texts, src: Column, n: int) -> ColumnTypeError:
    """Return the error for a column of another kind than the index."""
    kind = "strings" if index.strings else "integers"
    hint = "cast the column"
    if isinstance(index, Range):
        hint = "num_vertices= is for integers: leave it out"
    return ColumnTypeError(
        f"column {src.name!r} is {src.dtype}, but the {n:,} vertices so far are {kind}: {hint}"
    )
