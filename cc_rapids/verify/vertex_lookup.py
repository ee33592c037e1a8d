"""Lookup of ids among the vertices of a label frame, and a tally of the rows that are read.

An audit does not use the tables of the run. Its own kernels build hash tables of integers, and
PyArrow or cuDF looks up strings. Every vertex of the frame has a slot, and a lookup returns the
slot of an id, or a number with all bits set if the frame does not have the id.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..data.column import is_cudf
from ..data.frame_access import first
from ..errors import VerificationError
from ..kernels import audit
from ..kernels.audit import kernel
from .tables import plain

# The slot of an id is its distance from the least id if the range of the ids is at most LEAST_SLOTS
# or SLOTS_PER_VERTEX times the number of vertices: see benchmarks/records/audit.jsonl.
LEAST_SLOTS, SLOTS_PER_VERTEX = 1 << 20, 8
ALL = (1 << 64) - 1  # all bits set: no row


class Tally:
    """The count of the rows that kernels read, and the sums of row numbers and of their squares.

    Kernels add the number of each row that they read. If each of m rows is read exactly once,
    closed formulas give both sums. Other sums prove that a row was skipped, read twice, or read in
    place of another row. A tally also detects any two such faults together.

    ``make`` returns a (3,) array of uint64 zeros, to which kernels add modulo 2^64. It is called at
    most once.
    """

    rows: int
    total: int
    squares: int

    def __init__(self, make: Callable[[], Array]) -> None:
        self._make = make
        self.rows = self.total = self.squares = 0

    @cached_property
    def words(self) -> Array:
        """The count, the sum, and the sum of squares, to which kernels add."""
        return self._make()

    def add(self, m: int) -> Array:
        """Add the rows 0 .. m - 1 to the expected sums; return ``words`` for the kernel."""
        self.rows += m
        self.total += m * (m - 1) // 2
        self.squares += m * (m - 1) * (2 * m - 1) // 6
        return self.words

    def read_and_check(self, backend: Backend) -> None:
        """Copy ``words`` to the host, and check them as :meth:`check` does."""
        if self.rows:
            self.check(backend.to_host(self.words).tolist())

    def check(self, words: list[int]) -> None:
        """Raise a VerificationError unless each row was read exactly once.

        The argument is a copy of ``self.words`` on the host.
        """
        if words == [self.rows & ALL, self.total & ALL, self.squares & ALL]:
            return
        rows = f"{words[0]:,} of {self.rows:,} rows"
        if words[0] == self.rows:
            rows = f"{self.rows:,} rows, but not each of them once"
        raise VerificationError(
            f"the audit itself has failed: it has read {rows}, so it proves nothing; please report"
            " this with the versions that `cc-rapids doctor` prints"
        )


TABLE_SLOTS_PER_ID = 2  # a hash table that is at most half full


def slot_type(n: int) -> Any:
    """Return the unsigned type of the slots 0 .. n - 1; its greatest value is not a slot."""
    return np.uint32 if n < 1 << 32 else np.uint64


class Integers:
    """A table of sorted integers.

    If the id range is small, the slot of an id is its distance from the least id. Otherwise, the
    slot is the row of the id. If the argument ``dense`` is False, slots are always rows. ``low``
    and ``high`` are the least and greatest id, and ``vertex`` is the type of the ``n`` slots.
    """

    backend: Backend
    tally: Tally
    ids: Array
    rows: int
    low: int
    high: int
    dense: bool
    n: int
    vertex: Any

    def __init__(self, backend: Backend, tally: Tally, ids: Array, dense: bool = True) -> None:
        self.backend, self.tally, self.ids, self.rows = backend, tally, ids, int(ids.size)
        self.low, self.high = (int(ids[0]), int(ids[-1])) if self.rows else (0, -1)
        span = self.high - self.low + 1
        slots = max(LEAST_SLOTS, SLOTS_PER_VERTEX * self.rows)
        self.dense = dense and 0 < span <= slots
        self.n = span if self.dense else self.rows
        self.vertex = slot_type(self.n)
        self._table: Array | None = None

    @property
    def unsigned(self) -> bool:
        """True if the ids are uint64."""
        return bool(self.ids.dtype == np.uint64)

    @property
    def base(self) -> int:
        """The id of slot 0, as the int64 that has the same 64 bits."""
        return self.low - (1 << 64) if self.low >= 1 << 63 else self.low

    def wide_for(self, columns: list[Array]) -> Any:
        """Return an unsigned type in which kernels may compute slots as ids minus the least id.

        In this type, an unknown id of ``columns`` gives a number that is not a slot. Return None if
        no type has this property, or if slots are not distances.
        """
        if not self.dense:
            return None
        # if one type of at most 32 bits has the ids and low .. high, equal modulo 2^32 means equal
        if self.n < 1 << 32 and all(
            limit.bits <= 32 and limit.min <= self.low and self.high <= limit.max
            for limit in (np.iinfo(column.dtype) for column in columns)
        ):
            return np.uint32
        # a negative id and an id of at least 2^63 may have the same 64 bits
        are_safe = [
            self.low >= 0 if column.dtype == np.uint64 else self.high < 1 << 63
            for column in columns
        ]
        return np.uint64 if all(are_safe) else None

    def find(self, column: Any) -> Array:
        """Return a new array with the slot of each id of a column; all bits set if unknown."""
        column = self.backend.asarray(column)
        out = self.backend.empty(column.size, self.vertex)
        types, table = (self.backend, self.vertex), self._hash_table()
        find_one = audit.find_by_distance if self.dense else audit.find_by_table
        prefetch = audit.no_prefetch if self.dense else audit.prefetch_in_table
        # An id of at least 2^63 and a negative id may have the same 64 bits.
        signs_differ = int((column.dtype == np.uint64) != self.unsigned)
        find = kernel(audit.find, *types, kernel(find_one, *types), kernel(prefetch, self.backend))
        tally = self.tally.add(column.size)  # the kernel counts the rows that it reads
        find(column.size, column, signs_differ, self.base, self.n, table, out, tally)
        return out

    def _hash_table(self) -> Array:
        """Return the hash table from ids to rows, or an unused table if slots are distances."""
        if self._table is not None:
            return self._table
        backend, size = self.backend, 0
        if not self.dense:  # kernels take sizes that are multiples of GRAIN
            size = (TABLE_SLOTS_PER_ID * self.rows // audit.GRAIN + 1) * audit.GRAIN
        # pairs of an id and its row; the last pair is for the id whose bits are all set
        table = backend.empty(2 * (size + 1), np.uint64)
        if not self.dense:
            backend.fill(table, 0xFF)
            kernel(audit.insert, backend)(self.rows, size, self.ids, table)
        self._table = table
        return table

    def slots(self) -> Array:
        """Return the slot of the vertex in each row of the label frame."""
        if self.dense:
            return self.find(self.ids)
        return self.backend.xp.arange(self.rows, dtype=self.vertex)

    def disorder(self) -> int | None:
        """Return the first row whose id is not less than the next id; None if the ids ascend."""
        backend = self.backend
        faults = backend.fill(backend.empty(audit.FAULTS, np.uint64), 0xFF)
        kernel(audit.find_disorder, backend)(max(self.rows - 1, 0), self.ids, faults)
        row = int(backend.to_host(faults)[int(audit.ORDER)])
        return None if row == ALL else row

    def order(self) -> Array:
        """Return the numbers of the rows in ascending order of their ids."""
        return self.backend.xp.argsort(self.ids)

    def row_of(self, slot: int) -> int:
        """Return the row of the label frame whose vertex is in a slot."""
        if not self.dense:
            return slot
        id_of_slot = self.backend.xp.asarray([self._id(slot)])  # CuPy does not accept NumPy scalars
        return int(self.backend.xp.searchsorted(self.ids, id_of_slot)[0])

    def name(self, slot: int) -> str:
        """Return the id of the vertex in a slot as text."""
        return str(self._id(slot)) if self.dense else in_words(one_row(self.ids, slot))

    def _id(self, slot: int) -> Any:
        return self.ids.dtype.type(self.low + slot)


class SlotsOfRows:
    """A table of sorted ids in which the slot of an id is its row."""

    backend: Backend
    ids: Any
    rows: int
    n: int
    vertex: Any

    dense = False

    def __init__(self, backend: Backend, rows: int) -> None:
        self.backend, self.rows, self.n, self.vertex = backend, rows, rows, slot_type(rows)

    def slots(self) -> Array:
        """Return the slot of the vertex in each row of the label frame."""
        return self.backend.xp.arange(self.rows, dtype=self.vertex)

    def row_of(self, slot: int) -> int:
        """Return the row of the label frame whose vertex is in a slot."""
        return slot

    def name(self, slot: int) -> str:
        """Return the id of the vertex in a slot as text."""
        return in_words(one_row(self.ids, slot))


class Strings(SlotsOfRows):
    """A table of sorted strings of PyArrow or cuDF."""

    def __init__(self, backend: Backend, strings: Any) -> None:
        self.ids = strings if is_cudf(strings) else _arrow_strings(strings)
        super().__init__(backend, len(self.ids))

    def find(self, column: Any) -> Array:
        """Return a new array with the slot of each string of a column; all bits set if unknown."""
        find = _find_cudf if is_cudf(self.ids) else _find_arrow
        rows, exists = map(self.backend.asarray, find(self.ids, column))
        none = self.vertex(np.iinfo(self.vertex).max)
        return self.backend.xp.where(exists, rows.astype(self.vertex), none)

    def disorder(self) -> int | None:
        """Return the first row whose string is not less than the next; None if strings ascend."""
        if self.rows < 2:
            return None
        if is_cudf(self.ids):
            less = self.ids[:-1].reset_index(drop=True) < self.ids[1:].reset_index(drop=True)
            wrong = (~less).to_cupy().nonzero()[0]
        else:
            import pyarrow.compute as pc

            less = pc.less(self.ids[:-1], self.ids[1:])
            wrong = np.flatnonzero(~less.to_numpy(zero_copy_only=False))
        return int(wrong[0]) if len(wrong) else None

    def order(self) -> Array:
        """Return the numbers of the rows in ascending order of their strings."""
        if is_cudf(self.ids):
            return self.backend.asarray(self.ids.argsort().to_cupy())
        import pyarrow.compute as pc

        return self.backend.asarray(pc.sort_indices(self.ids).to_numpy())


class Tuples(SlotsOfRows):
    """A table of sorted ids of several columns.

    First, each value is replaced by its rank among the distinct values of its column. Then the
    columns, called parts, are combined one by one: a combined rank and the rank in the next column
    form a pair, which is replaced by its rank among the distinct pairs. No number exceeds the
    square of the number of rows.
    """

    columns: list[Integers | Strings]

    def __init__(self, backend: Backend, tally: Tally, parts: list[Any]) -> None:
        self.ids = parts
        self.columns = [_distinct(part, backend, tally) for part in parts]
        self.pairs: list[Integers] = []
        codes = self._codes(parts)
        keys = codes[0]
        for part_ids, code in zip(self.columns[1:], codes[1:], strict=True):
            numbers = keys * part_ids.n + code
            distinct = backend.xp.unique(numbers)
            self.pairs.append(Integers(backend, tally, distinct, dense=False))
            keys = _signed(self.pairs[-1].find(numbers))
        self.keys = keys
        super().__init__(backend, int(keys.size))

    def _codes(self, parts: list[Any]) -> list[Array]:
        """Return the rank of each value among the distinct values of its column; -1 if unknown."""
        return [
            _signed(part_ids.find(part)) for part_ids, part in zip(self.columns, parts, strict=True)
        ]

    def find(self, parts: list[Any]) -> Array:
        """Return a new array with the slot of each row of columns; all bits set if unknown."""
        xp = self.backend.xp
        codes = self._codes(parts)
        keys = codes[0]
        for part_ids, pairs, code in zip(self.columns[1:], self.pairs, codes[1:], strict=True):
            exists = (keys >= 0) & (code >= 0)
            slots = _signed(pairs.find(xp.where(exists, keys * part_ids.n + code, 0)))
            keys = xp.where(exists, slots, -1)
        none = self.vertex(np.iinfo(self.vertex).max)
        return xp.where(keys >= 0, keys.astype(self.vertex), none)

    def disorder(self) -> int | None:
        """Return the first row that is not less than the next row; None if the rows ascend."""
        wrong = self.backend.xp.flatnonzero(self.keys[:-1] >= self.keys[1:])
        return int(wrong[0]) if wrong.size else None

    def order(self) -> Array:
        """Return the numbers of the rows in ascending order of their ids."""
        return self.backend.xp.argsort(self.keys)


Ids = Integers | Strings | Tuples


def one_row(column: Any, row: int) -> Any:
    """Return one row of a borrowed column as a column, or of a list of columns as such a list."""
    if isinstance(column, list):
        return [one_row(part, row) for part in column]
    return column[row : row + 1]


def in_words(column: Any) -> str:
    """Return as text the id in the first row of a borrowed column, or of a list of columns."""
    return str(tuple(map(first, column)) if isinstance(column, list) else first(column))


def take_rows(column: Any, rows: Array, backend: Backend) -> Any:
    """Return the given rows of a borrowed column, in this order."""
    if is_cudf(column):
        return column.take(rows).reset_index(drop=True)
    if type(column).__module__.startswith("pyarrow"):
        import pyarrow as pa

        return _arrow_strings(column).take(pa.array(backend.to_host(rows)))
    return column[rows]


def _signed(slots: Array) -> Array:
    """Return slots as int64, with -1 for a missing slot."""
    signed = slots.astype(np.int64)
    signed[slots == np.iinfo(slots.dtype).max] = -1
    return signed


def _distinct(part: Any, backend: Backend, tally: Tally) -> Integers | Strings:
    """Return a table of the distinct values of a column; the slot of a value is its rank."""
    if is_cudf(part):
        return Strings(backend, part.drop_duplicates().sort_values().reset_index(drop=True))
    if type(part).__module__.startswith("pyarrow"):
        import pyarrow.compute as pc

        strings = pc.unique(_arrow_strings(part))
        return Strings(backend, strings.take(pc.sort_indices(strings)))
    return Integers(backend, tally, backend.xp.unique(backend.asarray(part)), dense=False)


def _arrow_strings(strings: Any) -> Any:
    """Return strings as one PyArrow array with 64-bit offsets."""
    return plain(strings.to_arrow() if is_cudf(strings) else strings)


def _find_arrow(strings: Any, ids: Any) -> tuple[Array, Array]:
    """Return the row of each id among PyArrow strings, and a mask of the known ids."""
    import pyarrow.compute as pc

    rows = pc.index_in(_arrow_strings(ids), value_set=strings)
    return rows.fill_null(0).to_numpy(), rows.is_valid().to_numpy(zero_copy_only=False)


def _find_cudf(strings: Any, ids: Any) -> tuple[Array, Array]:
    """Return the row of each id among sorted cuDF strings, and a mask of the known ids."""
    import cudf

    ids = ids if is_cudf(ids) else cudf.Series(ids)
    rows = strings.searchsorted(ids)
    rows[rows == len(strings)] = 0  # no row; the comparison below finds that the id is unknown
    if not len(strings):
        return rows, rows < 0  # no id is known
    # cuDF compares rows by index labels, so both are labelled 0, 1, ...
    same = strings.take(rows).reset_index(drop=True) == ids.reset_index(drop=True)
    return rows, same.fillna(False).to_cupy()
