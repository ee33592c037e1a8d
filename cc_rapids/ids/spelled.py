"""Encode strings as integer ids, if 64 bits suffice.

All strings are read once for the bytes that occur at each position, and for the lengths that occur.
The code of a string is its rank among all strings with these bytes and lengths, in lexicographic
order. If all codes fit into 64 bits, the strings need no hashing and no sorting, and no check for
collisions, because no two strings have the same code. They are then encoded and solved like integer
ids. For example, "vertex 1" to "vertex 9999999" have codes below 10 million, ten letters have codes
below 2^48, and a common prefix adds nothing.

The strings of an answer are decoded from the codes; no row of the input is copied.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..backends import Array, Backend
from ..data.edge_input import EdgeInput
from ..errors import InputError
from ..graph.forest import Forest
from ..kernels import spelling as kernels
from .encode import EncodedIds, NumberedIds
from .strings import CHANGED, Text, check_offsets, left_to_library, lent_texts, of_bytes

BYTES = 256
SPELLING = 24  # temporary bytes per string of an answer
ALL = (1 << 64) - 1
MOST_CODES = 1 << 64  # most codes of strings
SAMPLED = 1 << 12  # strings of a long list that are read first, as a sample
LONG = 1 << 18  # least number of strings of a long list


@dataclass(frozen=True)
class Spelling:
    """Code of strings as numbers ``0 .. size - 1``, given the bytes of each position.

    Attributes
    ----------
    least, width : int
        The lengths in bytes of the shortest and of the longest string.
    same : int
        The length of the common prefix.
    size : int
        The number of codes, at most 2^64.
    worth, below, letters : arrays on the backend
        The tables of the kernels, see :mod:`cc_rapids.kernels.spelling`.
    """

    least: int
    width: int
    same: int
    size: int
    worth: Array
    below: Array
    letters: Array

    @classmethod
    def of(cls, seen: Any, backend: Backend) -> Spelling | None:
        """Return the code for the recorded bytes.

        Return None if a string is too long, or 64 bits do not suffice.
        """
        if seen[kernels.TOO_LONG]:
            return None
        ends = np.flatnonzero(seen[kernels.ENDS : kernels.WRONG]).tolist()
        least, width = ends[0], ends[-1]
        occurs = seen[: BYTES * width].reshape(width, BYTES).astype(bool)
        counts = occurs.sum(1).tolist()
        worth = np.full((width, BYTES), ALL, np.uint64)
        below, size, same = np.zeros(width, np.uint64), 1, width
        for p in reversed(range(width)):
            may_end = p >= least
            if may_end or counts[p] > 1:
                same = p
            below[p] = size & ALL  # 2^64 wraps to 0: a common prefix adds nothing
            digits = np.arange(counts[p], dtype=np.uint64) * below[p] + np.uint64(may_end)
            worth[p, occurs[p]] = digits
            size = may_end + counts[p] * size
            if size > MOST_CODES:
                return None
        letters = np.zeros((width, BYTES), np.uint8)  # the bytes that occur come first, in order
        places, octets = occurs.nonzero()
        letters[places, occurs.cumsum(1)[places, octets] - 1] = octets
        whole = backend.asarray(
            np.concatenate([worth.ravel(), below, letters.ravel().view(np.uint64)])
        )
        first, last = worth.size, worth.size + width
        tables = whole[:first], whole[first:last], whole[last:].view(np.uint8)
        return cls(least, width, same, size, *tables)

    @property
    def dtype(self) -> Any:
        """The type of the codes."""
        return np.uint32 if self.size <= 1 << 32 else np.uint64

    def numbers(self, text: Text | None, backend: Backend, uncoded: Array) -> Array:
        """Return the codes of strings, empty for None; set ``uncoded`` if a string has none."""
        return self._numbers(kernels.number_spelt, text, backend, uncoded)

    def lookup(self, column: Any, backend: Backend) -> tuple[Array, Array]:
        """Return the codes of the strings of a column, and a mask of those that have one."""
        valid = backend.empty(len(column), np.uint8)
        with lent_texts([column], backend) as (text,):
            numbers = self._numbers(kernels.look_up_spelt, text, backend, valid)
        return numbers, valid.view(bool)

    def _numbers(self, make: Any, text: Text | None, backend: Backend, noted: Array) -> Array:
        """Return the codes of strings, empty for None; ``noted`` is the kernel's last argument."""
        numbers = backend.empty(text.size if text else 0, self.dtype)
        if text:
            text.run(make, text.size, self.least, self.width, self.worth, numbers, noted)
        return numbers

    def spell(self, numbers: Array, backend: Backend) -> tuple[Array, Array]:
        """Return the bytes and the offsets of the strings with the given codes."""
        n, xp = numbers.size, backend.xp
        offsets = backend.empty(n + 1, np.int64)
        backend.fill(offsets[:1], 0)
        ends = offsets[1:]
        if self.least == self.width:
            ends[:] = xp.arange(1, n + 1) * self.width
            total = n * self.width
        else:
            sizes = backend.empty(n, np.int32)
            measure = backend.kernel(kernels.spelt_sizes)
            measure(n, numbers, self.least, self.width, self.same, self.below, sizes)
            ends[:] = xp.cumsum(sizes, dtype=np.int64)
            total = int(backend.to_host(offsets[-1:])[0])
        chars = backend.empty(max(total, 1), np.uint8)  # cuDF takes no buffer without memory
        tables = self.least, self.same, self.below, self.letters
        backend.kernel(kernels.spell)(n, numbers, offsets, *tables, chars)
        return chars, offsets


@dataclass(frozen=True)
class SpelledDecoder:
    """Decoder of string ids, built on the decoder of their codes."""

    numbers: Any
    spelling: Spelling
    column_of: Callable[[Array, Array, Backend], Any]
    to_native: Any
    forest: Forest

    @property
    def id_base(self) -> int:
        """The number of the first vertex."""
        return int(self.numbers.id_base)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers in rows of a forest."""
        dtype: np.dtype[Any] = self.numbers.dtype
        return dtype

    def decode(self, vertices: Array, backend: Backend) -> Any:
        """Return the words of given vertices, as a column of the caller's kind."""

        def every() -> Any:
            return self._words(self.forest.rows(self.id_base, self.dtype)[0], backend)

        return self.to_native(self._words(vertices, backend), every)

    def _words(self, vertices: Array, backend: Backend) -> Any:
        numbers = self.numbers.decode(vertices, backend)
        return self.column_of(*self.spelling.spell(numbers, backend), backend)

    def lookup(self, words: Any, backend: Backend) -> tuple[Array, Array]:
        """Return the vertices of cuDF or PyArrow strings, and a mask of the known ones."""
        numbers, spelt = self.spelling.lookup(words, backend)
        vertices, valid = self.numbers.lookup(numbers, backend)
        return vertices, valid & spelt


@dataclass(frozen=True)
class Spelled:
    """Edges between strings as edges between their codes.

    Attributes
    ----------
    edge_input : EdgeInput
        The caller's input, with codes instead of strings.
    columns : list of arrays
        The codes of the strings of each column.
    """

    edge_input: EdgeInput
    columns: list[Array]
    spelling: Spelling
    column_of: Callable[[Array, Array, Backend], Any]
    to_native: Any
    name: ClassVar[str] = "strings"

    @property
    def why(self) -> str:
        """The reason for the encoding, as text with the range of the codes."""
        spelling = self.spelling
        return (
            f"strings of {spelling.least} to {spelling.width} bytes are numbers below"
            f" {spelling.size:,}, in lexicographic order"
        )

    @property
    def bytes(self) -> int:
        """The bytes of the codes, and the maximum bytes of an answer's strings."""
        given = self.edge_input
        rows = sum(column.size for column in given.columns)
        words, each = min(rows, self.spelling.size), self.spelling.width + SPELLING
        return rows * int(np.dtype(self.spelling.dtype).itemsize) + 2 * words * each

    def named(self, encoded: EncodedIds) -> EncodedIds:
        """Return the encoding of the strings, given that of their codes."""
        parts = self.spelling, self.column_of, self.to_native
        return NumberedIds.of(
            self.name, encoded, lambda codes, forest: SpelledDecoder(codes, *parts, forest)
        )


def spelled(edge_input: EdgeInput, columns: list[Any], backend: Backend) -> Spelled | None:
    """Return edges between strings as edges between codes.

    Return None if 64 bits do not suffice, or if there are so few strings that their library is
    faster.

    Raises
    ------
    InputError
        The strings change while they are read.
    """
    if left_to_library(columns, backend):
        return None
    with lent_texts(columns, backend) as texts:
        spelling = _spelling_of(list(filter(None, texts)), backend)
        if spelling is None:
            return None
        text_bytes = sum(t.chars.nbytes + t.offsets.nbytes for t in texts if t)
        uncoded = backend.fill(backend.alloc_readback(1), 0)
        numbers = [spelling.numbers(text, backend, uncoded) for text in texts]
        if backend.to_host(uncoded)[0]:
            raise InputError(CHANGED)
    given = replace(
        edge_input,
        text_bytes=text_bytes,
        src=_as_integers(edge_input.src, spelling),
        dst=_as_integers(edge_input.dst, spelling),
        vertices=edge_input.vertices and _as_integers(edge_input.vertices, spelling),
    )
    to_native = edge_input.src.to_native
    return Spelled(given, numbers, spelling, of_bytes(columns[0]), to_native)


def may_be_spelled(columns: list[Any], backend: Backend) -> bool:
    """Return whether the first strings of some columns fit into 64 bits; more may not."""
    with lent_texts([column[:SAMPLED] for column in columns], backend) as texts:
        for text in filter(None, texts):
            check_offsets(text)
        filled = [text for text in texts if text]
        return not filled or _spelling_of(filled, backend) is not None


def _as_integers(column: Any, spelling: Spelling) -> Any:
    return replace(column, strings=False, dtype=np.dtype(spelling.dtype).name)


def _spelling_of(texts: list[Text], backend: Backend) -> Spelling | None:
    """Return the code for all strings of the texts."""
    rows = sum(text.size for text in texts)
    if not rows:
        return None
    seen = backend.fill(backend.empty(kernels.SEEN, np.uint8), 0)
    if rows > LONG and _noted(texts, SAMPLED, seen, backend) is None:
        return None
    return _noted(texts, rows, seen, backend)


def _noted(texts: list[Text], most: int, seen: Array, backend: Backend) -> Spelling | None:
    """Record the bytes of given strings of each text; return the code for all recorded so far."""
    for text in texts:
        step = -(-text.size // most)
        text.run(kernels.note_letters, -(-text.size // step), step, seen)
    flags = backend.to_host(seen)
    if flags[kernels.WRONG]:
        raise InputError(CHANGED)
    return Spelling.of(flags, backend)
