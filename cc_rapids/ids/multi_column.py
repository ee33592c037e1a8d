"""Encode several columns as one number per row, in the lexicographic order of the rows.

The values of each column get codes 0 .. size - 1 in the order of the values. The code of an integer
is its difference from the least integer, and the code of a string is its rank. The codes of a row
are the digits of its number, in a mixed radix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..data.column import Column
from ..errors import InputError
from .decoders import IdDecoder, OffsetDecoder, SortedDecoder
from .encode import (
    COLUMNS,
    EncodedIds,
    IdEncoding,
    IdFacts,
    NumberedIds,
    ScannedIds,
    StringEncoding,
    bounds,
    choose_encoding,
    scan_ids,
)
from .range import type_of
from .strings import StringDecoder, factorise

LIMIT = (1 << 63) - 1  # the numbers of rows are int64

ValueDecoder = OffsetDecoder | SortedDecoder | StringDecoder


@dataclass(frozen=True)
class Digits:
    """The conversion between the number of a row and mixed-radix digits, one for each column.

    Parameters
    ----------
    decoders : list of OffsetDecoder, SortedDecoder and StringDecoder
        The decoders of the codes of each column.
    sizes : list of int
        The number of codes of each column.
    tables : list of arrays or None
        For each column, None, or the sorted distinct numbers formed by the earlier columns. Their
        ranks then replace these numbers, because one more digit would make them overflow.
    """

    decoders: list[ValueDecoder]
    sizes: list[int]
    tables: list[Array | None]

    def split(self, numbers: Array, backend: Backend) -> list[Any]:
        """Return the rows with these numbers, as columns of the caller's types."""
        columns: list[Any] = []
        # from the last column, whose digit is the lowest, to the second
        steps = zip(self.decoders[:0:-1], self.sizes[:0:-1], self.tables[:0:-1], strict=True)
        for decoder, size, table in steps:
            columns.append(_values(decoder, numbers % size, backend))
            numbers = numbers // size
            numbers = numbers if table is None else table[numbers]
        columns.append(_values(self.decoders[0], numbers, backend))
        return columns[::-1]

    def join(self, columns: list[Any], backend: Backend) -> tuple[Array, Array]:
        """Return the number of each row, and a mask of the rows in which all values are known."""
        xp, numbers, valid = backend.xp, None, None
        steps = zip(columns, self.decoders, self.sizes, self.tables, strict=True)
        for column, decoder, size, table in steps:
            codes, fits = decoder.lookup(column, backend)
            fits = fits & (codes < np.uint64(size))  # an unknown integer may have a greater code
            codes = xp.where(fits, codes, np.uint64(0)).astype(np.int64)
            if numbers is None or valid is None:
                numbers, valid = codes, fits
                continue
            if table is not None:
                numbers, is_combination = SortedDecoder.of(table).lookup(numbers, backend)
                numbers, valid = numbers.astype(np.int64), valid & is_combination
            numbers, valid = numbers * size + codes, valid & fits
        return numbers, valid


@dataclass(frozen=True)
class ColumnsDecoder:
    """Decoder of ids of several columns, by the digits of the number of each id.

    ``numbers`` converts between vertices and numbers, and ``digits`` between numbers and rows.
    """

    numbers: OffsetDecoder | SortedDecoder
    digits: Digits

    @property
    def id_base(self) -> int:
        """The number that is added to a vertex before it is decoded."""
        return self.numbers.id_base

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the vertices after adding ``id_base``."""
        return self.numbers.dtype

    def decode(self, vertices: Array, backend: Backend) -> list[Any]:
        """Return the ids of the given vertices, as columns of the caller's types."""
        return self.digits.split(self.numbers.decode(vertices, backend), backend)

    def lookup(self, columns: list[Any], backend: Backend) -> tuple[Array, Array]:
        """Return the vertex of each row of columns, and a mask of the known rows."""
        numbers, fits = self.digits.join(columns, backend)
        vertices, valid = self.numbers.lookup(numbers, backend)
        return vertices, valid & fits


@dataclass(frozen=True)
class RankedColumnsDecoder:
    """Decoder of ids of several columns, by the ranks of the values of each vertex.

    Attributes
    ----------
    columns : sequence of decoders
        The decoder of the ranks of each column.
    ranks : list of arrays
        ``ranks[k][v]`` is the rank of the value of vertex v in column k.
    numbers_of : callable
        Takes rows as columns, and returns their numbers and a mask of the known rows.
    vertex_of_number : array of integers
        The vertex of the row with each number.
    """

    columns: Sequence[IdDecoder]
    ranks: list[Array]
    numbers_of: Callable[[list[Any], Backend], tuple[Array, Array]]
    vertex_of_number: Array
    dtype: np.dtype[Any]
    id_base: int = 0

    def decode(self, vertices: Array, backend: Backend) -> list[Any]:
        """Return the ids of the given vertices, as columns of the caller's types."""
        pairs = zip(self.columns, self.ranks, strict=True)
        return [
            decoder.decode(rank[vertices].astype(decoder.dtype), backend) for decoder, rank in pairs
        ]

    def lookup(self, columns: list[Any], backend: Backend) -> tuple[Array, Array]:
        """Return the vertex of each row of columns, and a mask of the known rows."""
        numbers, valid = self.numbers_of(columns, backend)
        if not self.vertex_of_number.size:  # there are no vertices, and no row is known
            return numbers.astype(np.uint64), valid
        return self.vertex_of_number[numbers.astype(np.int64)].astype(np.uint64), valid


def number_rows(
    columns: list[Column], borrowed: list[list[Any]], backend: Backend
) -> tuple[list[Array], Digits]:
    """Return the numbers of the rows of each side as int64, and the digits that give them meaning.

    Parameters
    ----------
    columns : list of Column
        The sides: the sources, the destinations, and ``vertices=`` if passed. The ``key_columns``
        of a side are the columns of its ids.
    borrowed : list of lists of arrays or strings
        The borrowed key columns of each side.
    """
    decoders: list[ValueDecoder] = []
    sizes: list[int] = []
    tables: list[Array | None] = []
    numbers: list[Array] = []
    total = 1  # the numbers so far are less than this
    for column, sides in zip(columns[0].key_columns, zip(*borrowed, strict=True), strict=True):
        codes, decoder, size = _codes(column, list(sides), backend, LIMIT // total)
        table = None
        if total * size > LIMIT:
            # One more digit would make the numbers overflow, so their ranks replace them.
            numbers, table = _ranks(numbers, backend)
            total = int(table.size)
        if decoders:
            pairs = zip(numbers, codes, strict=True)
            numbers = [numbers_of_side * size + digit for numbers_of_side, digit in pairs]
        else:
            numbers = codes
        total *= size
        decoders.append(decoder)
        sizes.append(size)
        tables.append(table)
    return numbers, Digits(decoders, sizes, tables)


def _codes(
    column: Column, sides: list[Any], backend: Backend, max_codes: int
) -> tuple[list[Array], ValueDecoder, int]:
    """Return the codes of a column on each side, their decoder, and the code count, at least 1.

    Codes have the order of the values. If the range of integers exceeds ``max_codes``, the codes
    are the ranks among the distinct integers.
    """
    if column.strings:
        codes, decoder = factorise(sides, column.to_native, backend)
        arrays = [backend.asarray(code).astype(np.int64) for code in codes]
        return arrays, decoder, max(decoder.size, 1)
    arrays = [backend.asarray(side) for side in sides]
    low, high = bounds(arrays, backend)
    dtype = type_of(tuple(array.dtype for array in arrays), low, high)
    arrays = [array.astype(dtype) for array in arrays]
    if high - low + 1 > max_codes:
        ranks, table = _ranks(arrays, backend)
        return ranks, SortedDecoder.of(table), int(table.size)
    wide = np.uint64 if dtype == np.uint64 else np.int64
    codes = [(array.astype(wide) - wide(low)).astype(np.int64) for array in arrays]
    least_code, greatest_code = bounds(codes, backend)
    if least_code < 0 or greatest_code > high - low:
        raise InputError(
            f"{column.name!r}, or the column of the other ends, changed while it was read: the"
            " second reading found other ids; pass a copy, or wait until nothing writes to it"
        )
    return codes, OffsetDecoder(low, dtype), max(high - low + 1, 1)


def _ranks(numbers: list[Array], backend: Backend) -> tuple[list[Array], Array]:
    """Return the ranks of numbers among the sorted distinct numbers, and the distinct numbers."""
    split_at = np.cumsum([side.size for side in numbers])[:-1].tolist()
    table, ranks = backend.xp.unique(backend.xp.concatenate(numbers), return_inverse=True)
    return backend.xp.split(ranks.astype(np.int64), split_at), table


def _values(decoder: ValueDecoder, codes: Array, backend: Backend) -> Any:
    """Return the values of one column that have the given codes."""
    if isinstance(decoder, OffsetDecoder):
        wide = np.uint64 if decoder.dtype == np.uint64 else np.int64
        return (codes.astype(wide) + wide(decoder.id_base)).astype(decoder.dtype)
    return decoder.decode(codes.astype(decoder.dtype), backend)


class MultiColumnEncoding(IdEncoding):
    """Encoding of several columns as one number per row, which is encoded like an integer."""

    name = "rows"

    def accepts(self, facts: IdFacts) -> bool:
        return facts.kind == COLUMNS

    def max_bytes(self, facts: IdFacts) -> int:
        digits = 8 * facts.rows * facts.key_columns
        return StringEncoding().max_bytes(facts) + digits  # all columns may be strings

    def reason(self, facts: IdFacts) -> str:
        return f"the {facts.key_columns} columns of each row become one number"

    def encode(self, scanned: ScannedIds, backend: Backend) -> EncodedIds:
        edge_input, facts = scanned.edge_input, scanned.facts
        numbers, digits = number_rows(edge_input.columns, scanned.columns, backend)
        numbered = scan_ids(
            edge_input,
            numbers,
            backend,
            expected_vertices=facts.expected_vertices,
            any_order=facts.any_order,
        )
        encoding = choose_encoding(numbered.facts, backend.free_bytes(), backend.uncompiled_rows)
        encoded = encoding.encode(numbered, backend)
        return NumberedIds.of(
            self.name, encoded, lambda decoder, _forest: ColumnsDecoder(decoder, digits)
        )


MULTI_COLUMN = MultiColumnEncoding()
