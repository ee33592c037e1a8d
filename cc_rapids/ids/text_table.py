"""A table that numbers strings in the order of arrival, and stores the text of each string once.

A string has a sequence of keys, of which the first is its 64-bit hash. An :class:`ArrivalTable`
numbers the keys, and each string is compared with the stored text of its number. If the texts
differ, an earlier string has the same key, and the next key of the sequence is tried. So the key of
a string is the first key of its sequence that no earlier string has. Different strings have
different numbers, even if their hashes are equal.

The table is updated in place, and belongs to the newest index of vertices that uses it. Stored
strings never change, so an older index can still look up its own strings. To add strings, an older
index builds a new table from its own strings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..errors import InputError
from ..kernels import strings as kernels
from .arrival_table import ALL_BITS, BEING_ENTERED, ArrivalTable
from .strings import CHANGED, SEEDS, WORD, Text, check_offsets, hashes, sorted_rows, take_text

# The difference between two keys of a sequence. It is odd, so a sequence has 2^64 distinct keys.
KEY_STEP = np.uint64(0x9E3779B97F4A7C15)


class TextTable:
    """The numbers of distinct strings, with space for more strings.

    Parameters
    ----------
    backend : Backend
        The backend that holds the table.

    Attributes
    ----------
    n : int
        The number of strings; negative (BEING_ENTERED) during an update, and after an interrupted
        update. The table belongs to the index that has as many strings.
    """

    backend: Backend
    n: int

    def __init__(self, backend: Backend) -> None:
        self.backend, self.n, self._used_bytes = backend, 0, 0
        self._bits: Array = backend.empty(0, np.uint64)  # the keys, until the table is built
        self._table: ArrivalTable | None = None
        self._chars = backend.reserve(WORD, np.uint8)
        self._offsets = backend.reserve(1, np.int64)
        self._offsets[:1] = 0

    @classmethod
    def of(cls, text: Text) -> TextTable:
        """Return the table of distinct strings; each string is numbered by its row."""
        table = cls(text.backend)
        if text.size:
            table.enter([text])
        return table

    @property
    def _keys(self) -> ArrivalTable:
        """The table of the keys, built on first use. Keys are hashes, so they have all 64 bits."""
        if self._table is None:
            self._table = ArrivalTable(self._bits, 0, ALL_BITS, more=0, backend=self.backend)
        return self._table

    def release_slots(self) -> None:
        """Free the slots of the keys until the next lookup builds them again.

        The slots take a third of the memory that is not text.
        """
        if self._table is not None and self.n != BEING_ENTERED:
            self._bits, self._table = self._table.ids[: self.n], None

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to pickle the strings, from which the table is built again."""
        chars, offsets = self.buffers(max(self.n, 0))  # no strings after an interrupted update
        return _unpickled, (chars, offsets, self.backend)

    def text(self, n: int) -> Text:
        """Return the first n strings, which share the memory of the table."""
        whole = self._chars[: self._chars.size // WORD * WORD].view(np.uint64)
        return Text(self._chars, whole, self._offsets[: n + 1], self.backend)

    def buffers(self, n: int) -> tuple[Array, Array]:
        """Return the bytes and the offsets of the first n strings, without a copy."""
        offsets = self._offsets[: n + 1]
        return self._chars[: int(self.backend.to_host(offsets[-1:])[0])], offsets

    def enter(self, texts: Sequence[Text | None]) -> list[Array]:
        """Return a new array per text with the numbers of its strings; None is an empty text.

        New strings get the numbers n, n + 1, ... After an error or an interrupt, the table belongs
        to no index.

        Raises
        ------
        InputError
            The strings change while they are read.
        """
        backend, n, self.n = self.backend, self.n, BEING_ENTERED
        more = sum(text.size for text in texts if text is not None)
        keys = self._keys
        keys.n = n
        if not keys.takes(0, ALL_BITS, more):
            self._table = keys = keys.grown(0, ALL_BITS, more)
        numbers = []
        for text in texts:
            if text is None:
                numbers.append(backend.empty(0, keys.vertex))
                continue
            numbers_of_text, n = self._enter(text, n)
            numbers.append(numbers_of_text)
        self.n = n
        return numbers

    def _enter(self, text: Text, n: int) -> tuple[Array, int]:
        """Return the numbers of strings, and the new number of strings of the table.

        ``n`` is the number of strings that the table has before.
        """
        check_offsets(text)
        # Each round tries one key per string. ``rows`` are the rows that have no number yet, or
        # None in the first round, which has all rows.
        keys, rows, numbers = hashes(text, SEEDS[0]), None, None
        while True:
            candidates, claimed = self._keys.number(keys, n)
            self._append(text, claimed, n)
            n += int(claimed.size)
            if rows is None or numbers is None:
                numbers = candidates
            else:
                numbers[rows] = candidates
            differs = self._differing(text, candidates, n)
            remaining = self.backend.xp.flatnonzero(differs)
            if not remaining.size:
                return numbers, n
            if bool(differs[claimed].any()):  # new strings have changed since they were appended
                raise InputError(CHANGED)
            rows = remaining if rows is None else rows[remaining]
            text, keys = take_text(text, remaining), keys[remaining] + KEY_STEP

    def _append(self, text: Text, rows: Array, n: int) -> None:
        """Append the strings of some rows to the n strings of the table."""
        backend, count = self.backend, int(rows.size)
        if not count:
            return
        self._offsets = self._with_space(self._offsets, n + 1, count)
        sizes = backend.empty(count, np.int64)
        text.run(kernels.row_sizes, count, rows, sizes)
        ends = self._offsets[n + 1 : n + 1 + count]
        backend.xp.cumsum(sizes, out=ends)
        ends += self._used_bytes
        used_bytes = int(backend.to_host(ends[-1:])[0])
        new_bytes = used_bytes - self._used_bytes
        # Kernels read whole words, so one more word is allocated.
        self._chars = self._with_space(self._chars, self._used_bytes, new_bytes + WORD)
        starts = self._offsets[n : n + 1 + count]
        text.run(kernels.copy_rows, count, rows, starts, self._chars)
        self._used_bytes = used_bytes

    def _with_space(self, array: Array, used: int, more: int) -> Array:
        """Return an array with the first ``used`` elements and space for ``more`` elements."""
        if used + more <= array.size:
            return array
        larger = self.backend.reserve(used + more, array.dtype)
        larger[:used] = array[:used]
        return larger

    def _differing(self, text: Text, numbers: Array, n: int) -> Array:
        """Return a mask of the strings that differ from the stored string of their number."""
        stored, backend = self.text(n), self.backend
        differs = backend.fill(backend.empty(text.size, np.uint8), 0)
        columns = stored.chars, stored.words, stored.offsets
        text.run(kernels.compare_kept, text.size, *columns, numbers, differs)
        return differs.view(bool)

    def look_up(self, text: Text, n: int) -> tuple[Array, Array]:
        """Return the numbers of strings, and a mask of the strings with numbers below n.

        The number of any other string is arbitrary.
        """
        check_offsets(text)
        # Each round tries one key per string. ``rows`` are the rows whose previous key belongs
        # to another string, or None in the first round, which has all rows.
        backend, keys, rows = self.backend, hashes(text, SEEDS[0]), None
        numbers, valid = None, None
        while True:
            candidates, is_known = self._keys.look_up(keys, n)
            differs = self._differing(text, candidates, n) & is_known
            if numbers is None or valid is None or rows is None:
                numbers, valid = candidates, is_known & ~differs
            else:
                numbers[rows], valid[rows] = candidates, is_known & ~differs
            remaining = backend.xp.flatnonzero(differs)
            if not remaining.size:
                return numbers, valid
            rows = remaining if rows is None else rows[remaining]
            text, keys = take_text(text, remaining), keys[remaining] + KEY_STEP

    def in_order(self, n: int) -> Array:
        """Return the numbers below n in the lexicographic order of their strings."""
        return sorted_rows(self.text(n))


def _unpickled(chars: Array, offsets: Array, backend: Backend) -> TextTable:
    """Return the table of the strings that :meth:`TextTable.__reduce__` pickles."""
    return TextTable.of(Text.of(chars, offsets, backend))
