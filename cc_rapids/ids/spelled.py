"""Encode strings as integer ids, if 64 bits suffice.

One pass records the bytes that occur at each position, and the lengths that occur. The code of a
string is its rank in lexicographic order among all possible strings of these bytes and lengths. If
all codes fit into 64 bits, the codes are encoded and solved like integer ids. No two strings have
the same code, so strings need not be hashed, sorted, or checked for collisions. For example, the
strings "vertex 1" to "vertex 9999999" have codes below 10 million, and strings of ten letters have
codes below 2^48. A common prefix does not make the codes greater.

The strings of an answer are decoded from the codes, so no row of the input is copied.
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
from .strings import CHANGED, Text, check_offsets, column_builder, left_to_library, lent_texts

BYTES = 256  # number of values of a byte
TEMPORARY_BYTES = 24  # per string of an answer
ALL = (1 << 64) - 1
MAX_CODES = 1 << 64
SAMPLED = 1 << 12  # strings of a long list that are read first, as a sample
LONG = 1 << 18  # a list with more strings is long


@dataclass(frozen=True)
class Spelling:
    """The mapping from strings to codes ``0 .. size - 1``.

    Attributes
    ----------
    least, width : int
        The lengths in bytes of the shortest and of the longest string.
    same : int
        The length in bytes of the common prefix.
    size : int
        The number of codes, at most 2^64.
    worth, below, letters : arrays on the backend
        Tables for each position in a string: see :mod:`cc_rapids.kernels.spelling`.
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
        """Return the mapping for the flags ``seen`` of bytes and lengths: see kernels/spelling.py.

        Return None if a string has more than MAX_BYTES bytes, or if 64 bits do not suffice.

        The last byte of a string is its lowest digit, so positions are visited from the last to
        the first.
        """
        if seen[kernels.TOO_LONG]:
            return None
        lengths = np.flatnonzero(seen[kernels.LENGTHS : kernels.WRONG]).tolist()
        least, width = lengths[0], lengths[-1]
        occurs = seen[: BYTES * width].reshape(width, BYTES).astype(bool)
        counts = occurs.sum(1).tolist()  # of the bytes that occur at each position
        worth = np.full((width, BYTES), ALL, np.uint64)
        below, size, same = np.zeros(width, np.uint64), 1, width
        for p in reversed(range(width)):
            # ``size`` is the number of suffixes that may follow position p. A string of length p
            # precedes longer strings with the same p bytes, so their digits begin at 1.
            may_end = p >= least
            if may_end or counts[p] > 1:  # not all strings have the same byte here
                same = p
            # A size of 2^64 is stored as 0: position p then has only one byte, whose digit is 0.
            below[p] = size & ALL
            digits = np.arange(counts[p], dtype=np.uint64) * below[p] + np.uint64(may_end)
            worth[p, occurs[p]] = digits
            size = may_end + counts[p] * size
            if size > MAX_CODES:
                return None
        letters = np.zeros((width, BYTES), np.uint8)  # the bytes that occur come first, in order
        positions, octets = occurs.nonzero()
        letters[positions, occurs.cumsum(1)[positions, octets] - 1] = octets
        # all tables in one array, which needs only one copy to the device
        tables = backend.asarray(
            np.concatenate([worth.ravel(), below, letters.ravel().view(np.uint64)])
        )
        below_start, letters_start = worth.size, worth.size + width
        worth, below = tables[:below_start], tables[below_start:letters_start]
        letters = tables[letters_start:].view(np.uint8)
        return cls(least, width, same, size, worth, below, letters)

    @property
    def dtype(self) -> Any:
        """The type of the codes."""
        return np.uint32 if self.size <= 1 << 32 else np.uint64

    def codes(self, text: Text | None, backend: Backend, uncoded: Array) -> Array:
        """Return the codes of the strings of a text; set ``uncoded`` if a string has no code.

        Without a text, the codes are an empty array.
        """
        return self._codes(kernels.write_codes, text, backend, uncoded)

    def lookup(self, column: Any, backend: Backend) -> tuple[Array, Array]:
        """Return the codes of the strings of a column, and a mask of the strings with a code."""
        valid = backend.empty(len(column), np.uint8)
        with lent_texts([column], backend) as (text,):
            codes = self._codes(kernels.look_up_codes, text, backend, valid)
        return codes, valid.view(bool)

    def _codes(self, factory: Any, text: Text | None, backend: Backend, flags: Array) -> Array:
        """Return the codes that the kernel of a factory writes.

        The kernel also writes ``flags``: one flag that is set if a string has no code, or a mask of
        the strings with a code. Without a text, the codes are an empty array.
        """
        codes = backend.empty(text.size if text else 0, self.dtype)
        if text:
            text.run(factory, text.size, self.least, self.width, self.worth, codes, flags)
        return codes

    def spell(self, codes: Array, backend: Backend) -> tuple[Array, Array]:
        """Return the bytes and the offsets of the strings that have the given codes."""
        n, xp = codes.size, backend.xp
        offsets = backend.empty(n + 1, np.int64)
        backend.fill(offsets[:1], 0)
        ends = offsets[1:]
        if self.least == self.width:
            ends[:] = xp.arange(1, n + 1) * self.width
            total = n * self.width
        else:
            sizes = backend.empty(n, np.int32)
            measure = backend.kernel(kernels.decoded_sizes)
            measure(n, codes, self.least, self.width, self.same, self.below, sizes)
            ends[:] = xp.cumsum(sizes, dtype=np.int64)
            total = int(backend.to_host(offsets[-1:])[0])
        chars = backend.empty(max(total, 1), np.uint8)  # cuDF refuses an empty buffer
        tables = self.least, self.same, self.below, self.letters
        backend.kernel(kernels.decode)(n, codes, offsets, *tables, chars)
        return chars, offsets


@dataclass(frozen=True)
class SpelledDecoder:
    """Decoder of string ids: ``numbers`` decodes vertices to codes, which become strings.

    ``column_of`` builds a column from bytes and offsets. ``to_native`` converts the column to the
    caller's kind; if this has categories, they are the strings of all vertices of ``forest``.
    """

    numbers: Any
    spelling: Spelling
    column_of: Callable[[Array, Array, Backend], Any]
    to_native: Any
    forest: Forest

    @property
    def id_base(self) -> int:
        """The number that is added to a vertex before it is decoded."""
        return int(self.numbers.id_base)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the vertices after adding ``id_base``."""
        dtype: np.dtype[Any] = self.numbers.dtype
        return dtype

    def decode(self, vertices: Array, backend: Backend) -> Any:
        """Return the strings of the given vertices, as a column of the caller's kind."""

        def all_strings() -> Any:
            return self._strings(self.forest.rows(self.id_base, self.dtype)[0], backend)

        return self.to_native(self._strings(vertices, backend), all_strings)

    def _strings(self, vertices: Array, backend: Backend) -> Any:
        """Return the strings of the given vertices, as a column of cuDF or PyArrow."""
        codes = self.numbers.decode(vertices, backend)
        return self.column_of(*self.spelling.spell(codes, backend), backend)

    def lookup(self, strings: Any, backend: Backend) -> tuple[Array, Array]:
        """Return the vertices of cuDF or PyArrow strings, and a mask of the known strings."""
        codes, has_code = self.spelling.lookup(strings, backend)
        vertices, valid = self.numbers.lookup(codes, backend)
        return vertices, valid & has_code


@dataclass(frozen=True)
class Spelled:
    """Edges between strings as edges between their codes.

    Attributes
    ----------
    edge_input : EdgeInput
        The caller's input, with codes instead of strings.
    columns : list of arrays
        The codes of the strings of each column.
    spelling, column_of, to_native
        See :class:`SpelledDecoder`.
    """

    edge_input: EdgeInput
    columns: list[Array]
    spelling: Spelling
    column_of: Callable[[Array, Array, Backend], Any]
    to_native: Any
    name: ClassVar[str] = "strings"

    @property
    def why(self) -> str:
        """The reason for the encoding, as a text with the range of the codes."""
        spelling = self.spelling
        return (
            f"strings of {spelling.least} to {spelling.width} bytes are numbers below"
            f" {spelling.size:,}, in lexicographic order"
        )

    @property
    def bytes(self) -> int:
        """The bytes of the codes, and an upper bound on the bytes of the strings of an answer.

        An answer has two columns of strings: vertices and labels.
        """
        rows = sum(column.size for column in self.edge_input.columns)
        max_strings = min(rows, self.spelling.size)
        bytes_of_codes = rows * int(np.dtype(self.spelling.dtype).itemsize)
        return bytes_of_codes + 2 * max_strings * (self.spelling.width + TEMPORARY_BYTES)

    def with_strings(self, encoded: EncodedIds) -> EncodedIds:
        """Return ``encoded``, in which the ids are codes, with a decoder to strings."""
        parts = self.spelling, self.column_of, self.to_native
        return NumberedIds.of(
            self.name, encoded, lambda numbers, forest: SpelledDecoder(numbers, *parts, forest)
        )


def spelled(edge_input: EdgeInput, columns: list[Any], backend: Backend) -> Spelled | None:
    """Return edges between strings as edges between codes.

    Return None if 64 bits do not suffice for the codes. Also return None for a short list, which
    the library of the strings encodes faster.

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
        codes = [spelling.codes(text, backend, uncoded) for text in texts]
        if backend.to_host(uncoded)[0]:
            raise InputError(CHANGED)
    input_of_codes = replace(
        edge_input,
        text_bytes=text_bytes,
        src=_column_of_codes(edge_input.src, spelling),
        dst=_column_of_codes(edge_input.dst, spelling),
        vertices=edge_input.vertices and _column_of_codes(edge_input.vertices, spelling),
    )
    to_native = edge_input.src.to_native
    return Spelled(input_of_codes, codes, spelling, column_builder(columns[0]), to_native)


def may_be_spelled(columns: list[Any], backend: Backend) -> bool:
    """Return whether 64 bits suffice for the first strings of each column.

    All strings together may need more bits.
    """
    with lent_texts([column[:SAMPLED] for column in columns], backend) as texts:
        for text in filter(None, texts):
            check_offsets(text)
        filled = [text for text in texts if text]
        return not filled or _spelling_of(filled, backend) is not None


def _column_of_codes(column: Any, spelling: Spelling) -> Any:
    """Return the description of a column, with the codes in place of its strings."""
    return replace(column, strings=False, dtype=np.dtype(spelling.dtype).name)


def _spelling_of(texts: list[Text], backend: Backend) -> Spelling | None:
    """Return the mapping for all strings of the texts; None if 64 bits do not suffice.

    A sample of a long list often shows quickly that 64 bits do not suffice.
    """
    rows = sum(text.size for text in texts)
    if not rows:
        return None
    seen = backend.fill(backend.empty(kernels.SEEN, np.uint8), 0)
    if rows > LONG and _spelling_of_rows(texts, SAMPLED, seen, backend) is None:
        return None
    return _spelling_of_rows(texts, rows, seen, backend)


def _spelling_of_rows(
    texts: list[Text], max_rows: int, seen: Array, backend: Backend
) -> Spelling | None:
    """Return the mapping for all strings recorded in ``seen``, after recording some of each text.

    Up to ``max_rows`` strings of each text are recorded, by their bytes and lengths.
    """
    for text in texts:  # read every ``step``-th string
        step = -(-text.size // max_rows)
        text.run(kernels.note_letters, -(-text.size // step), step, seen)
    records = backend.to_host(seen)
    if records[kernels.WRONG]:
        raise InputError(CHANGED)
    return Spelling.of(records, backend)
