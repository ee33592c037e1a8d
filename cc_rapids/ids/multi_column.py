"""Encode several columns as one number per row, in the lexicographic order of the rows.

Each column becomes codes 0 .. size - 1 in the order of its values: integers minus the least, or
ranks of strings. The number of a row has the codes as digits (mixed radix).
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
from .range import bounds, type_of
from .strings import StringDecoder, factorise

LIMIT = (1 << 63) - 1  # max. numbers of rows, and max. codes of a column

Values = OffsetDecoder | SortedDecoder | StringDecoder


@dataclass(frozen=True)
class Digits:
    """Row numbers as mixed-radix digits, one for each column of an id.

    Parameters
    ----------
    decoders : list of OffsetDecoder, SortedDecoder and StringDecoder
        The decoders of the codes of each column.
    sizes : list of int
        The number of codes of each column.
    tables : list of arrays or None
        For each column, the sorted numbers of the earlier columns, if the digits of this column
        would have made them overflow. Their ranks then replaced the numbers.
    """

    decoders: list[Values]
    sizes: list[int]
    tables: list[Array | None]

    def split(self, numbers: Array, backend: Backend) -> list[Any]:
        """Return the columns of the rows with these numbers, of the caller's column types."""
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
        """Return the numbers of rows, given as columns, and a mask of rows of known values."""
        xp, numbers, valid = backend.xp, None, None
        steps = zip(columns, self.decoders, self.sizes, self.tables, strict=True)
        for column, decoder, size, table in steps:
            codes, fits = decoder.lookup(column, backend)
            fits = fits & (codes < np.uint64(size))
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
    """Decoder of multi-column ids from row numbers, which are split into digits."""

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
        """Return the columns of the ids of given vertices."""
        return self.digits.split(self.numbers.decode(vertices, backend), backend)

    def lookup(self, columns: list[Any], backend: Backend) -> tuple[Array, Array]:
        """Return the vertices of rows, given as columns, and a mask of the known rows."""
        numbers, fits = self.digits.join(columns, backend)
        vertices, valid = self.numbers.lookup(numbers, backend)
        return vertices, valid & fits


@dataclass(frozen=True)
class RankedColumnsDecoder:
    """Decoder of multi-column ids: column k of vertex v has the value ``ranks[k][v]``.

    ``numbers_of`` returns the numbers of rows, given as columns, and a mask of the known rows.
    ``vertex_of_number`` is an array.
    """

    columns: Sequence[IdDecoder]
    ranks: list[Array]
    numbers_of: Callable[[list[Any], Backend], tuple[Array, Array]]
    vertex_of_number: Array
    dtype: np.dtype[Any]
    id_base: int = 0

    def decode(self, vertices: Array, backend: Backend) -> list[Any]:
        """Return the columns of the ids of given vertices, of the caller's column types."""
        pairs = zip(self.columns, self.ranks, strict=True)
        return [
            decoder.decode(rank[vertices].astype(decoder.dtype), backend) for decoder, rank in pairs
        ]

    def lookup(self, columns: list[Any], backend: Backend) -> tuple[Array, Array]:
        """Return the vertices of rows, given as columns, and a mask of the known rows."""
        numbers, valid = self.numbers_of(columns, backend)
        if not self.vertex_of_number.size:
            return numbers.astype(np.uint64), valid
        return self.vertex_of_number[numbers.astype(np.int64)].astype(np.uint64), valid


def number_rows(
    columns: list[Column], borrowed: list[list[Any]], backend: Backend
) -> tuple[list[Array], Digits]:
    """Number the rows of each side (source, destination, vertices), as int64.

    Also return the digits, by which numbers are converted to rows.

    Parameters
    ----------
    columns : list of Column
        The sides, each with one part per column of the ids.
    borrowed : list of lists of arrays or strings
        The contents of the parts of each side.
    """
    decoders: list[Values] = []
    sizes: list[int] = []
    tables: list[Array | None] = []
    numbers: list[Array] = []
    total = 1  # an upper bound of the numbers so far
    for part, sides in zip(columns[0].key_columns, zip(*borrowed, strict=True), strict=True):
        codes, decoder, size = _codes(part, list(sides), backend, LIMIT // total)
        table = None
        if total * size > LIMIT:  # the next digit would overflow: the ranks are smaller numbers
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
    part: Column, sides: list[Any], backend: Backend, max_codes: int
) -> tuple[list[Array], Values, int]:
    """Return codes of one column on each side, the decoder of the codes, and the number of codes.

    Codes have the order of the values. Integers whose range exceeds ``max_codes`` become ranks
    among the distinct integers.
    """
    if part.strings:
        codes, decoder = factorise(sides, part.to_native, backend)
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
            f"{part.name!r}, or the column of the other ends, changed while it was read: the second"
            " reading found other ids; pass a copy, or wait until nothing writes to it"
        )
    return codes, OffsetDecoder(low, dtype), max(high - low + 1, 1)


def _ranks(numbers: list[Array], backend: Backend) -> tuple[list[Array], Array]:
    """Return the ranks of numbers among the sorted distinct numbers, and the distinct numbers."""
    split_at = np.cumsum([side.size for side in numbers])[:-1].tolist()
    table, ranks = backend.xp.unique(backend.xp.concatenate(numbers), return_inverse=True)
    return backend.xp.split(ranks.astype(np.int64), split_at), table


def _values(decoder: Values, codes: Array, backend: Backend) -> Any:
    """Return the values of one column with the given codes."""
    if isinstance(decoder, OffsetDecoder):
        wide = np.uint64 if decoder.dtype == np.uint64 else np.int64
        return (codes.astype(wide) + wide(decoder.id_base)).astype(decoder.dtype)
    return decoder.decode(codes.astype(decoder.dtype), backend)
