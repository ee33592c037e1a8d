"""Number strings by kernels, in the lexicographic order of their bytes.

Frame libraries factorise strings by comparison sorting. The kernels here read only the two buffers
of a column of strings, on a GPU or on threads. The library concatenates the columns and gathers the
strings of an answer. It also factorises the strings if the kernels give up.

Strings get 64-bit hashes, and hashes get slots of the table that also numbers integers. Every
string is compared with the first string of its slot. If two different strings share a hash, all
strings are hashed again with another seed.

Only one row per distinct string is sorted, by a radix sort without string comparisons. Strings that
are still tied form a group; at first, all strings form one group. Each round skips the common
prefix of each group, and sorts the group by a key, which is the next seven bytes and the number of
these bytes. Every group splits in every round, so few rounds are needed: one or two for words of
ten random letters, and one for "vertex 1" to "vertex 9999999". Many rounds are needed only for long
sequences of strings in which each string is a prefix of the next. The caller then sorts the strings
by other means.

The vertex of a string is its rank, whereas the vertex of an integer is its slot. The order is known
before any edge is linked, so the forest need not be rearranged afterwards.
"""

from __future__ import annotations

import itertools
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..data.column import Native, is_cudf, text_buffers
from ..data.cudf_columns import borrow_strings, make_strings
from ..data.lazy import cudf, cupy, pa, pc
from ..errors import InputError
from ..kernels import forest
from ..kernels import strings as kernels
from .decoders import IDS_PER_LOOKUP, at_places
from .hash_table import Slots

log: logging.Logger = logging.getLogger(__name__)
SEEDS = 0x2545F4914F6CDD1D, 0x5851F42D4C957F2D, 0x14057B7EF767814F
ROUNDS = 64  # max. rounds of sorting
PIECE = 7  # bytes of a string that a round of sorting compares
WORD = 8  # bytes of a word
# On threads, PyArrow numbers at most this many strings of all columns, which avoids the compilation
# of ten kernels: see docs/design/decisions/strings.md. Until kernels are compiled, it numbers up to
# 4 * uncompiled_rows strings if this is more.
LIBRARY_STRINGS = 1 << 17
LONG = 64  # max. mean length in bytes of strings that PyArrow numbers
CHANGED = (
    "strings changed while they were read: some end before they begin, or beyond the bytes of their"
    " column, or differ from an earlier read; pass a copy, or wait until nothing writes to them"
)


@dataclass(frozen=True)
class Text:
    """Strings on a backend: string i is ``chars[offsets[i]:offsets[i + 1]]``.

    Parameters
    ----------
    chars : (c,) array of uint8
        The bytes of the strings.
    words : (c // 8,) array of uint64
        The same memory, as 64-bit words.
    offsets : (m + 1,) array of int32 or int64
    backend : Backend
    """

    chars: Array
    words: Array
    offsets: Array
    backend: Backend

    @classmethod
    def of(cls, chars: Array, offsets: Array, backend: Backend) -> Text:
        """Return strings on the backend, given their bytes and offsets.

        The arrays are copied only if they are elsewhere, or if the bytes are not aligned to words.
        """
        chars, offsets = backend.asarray(chars), backend.asarray(offsets)
        address = chars.data.ptr if backend.on_device else chars.ctypes.data
        if address % WORD:
            chars = chars.copy()
        words = chars[: chars.size // WORD * WORD].view(np.uint64)
        return cls(chars, words, offsets, backend)

    @property
    def size(self) -> int:
        """The number of strings."""
        return int(self.offsets.size) - 1

    def run(self, make: Any, n: int, *arguments: Any) -> None:
        """Run the kernel of the factory ``make`` on the strings, for n indices."""
        kernel = self.backend.kernel(make)
        kernel(n, self.chars, self.words, self.offsets, *arguments)


def check_offsets(text: Text) -> None:
    """Raise an InputError if the offsets of strings are invalid, which libraries do not check."""
    wrong = text.backend.fill(text.backend.alloc_readback(1), 0)
    text.run(kernels.note_wrong_places, text.size, wrong)
    if text.backend.to_host(wrong)[0]:
        raise InputError(CHANGED)


def factorise_text(text: Text) -> tuple[Array, Array] | None:
    """Return the code of each string, and a row of each distinct string.

    Parameters
    ----------
    text : Text
        At least one string.

    Returns
    -------
    codes : (m,) array of uint32, or of uint64 for 2^32 strings or more
        The rank of each string among the distinct strings, in lexicographic order of their bytes.
    rows : (n,) array of the same type
        The first row of each distinct string, in lexicographic order.
    None
        Two strings share a hash with every seed, or sorting would take too many rounds. This is
        logged.
    """
    with text.backend.reusing():
        return _factorise(text)


def _factorise(text: Text) -> tuple[Array, Array] | None:
    """Do the work of :func:`factorise_text`, whose context reuses freed memory."""
    numbered = number(text)
    if numbered is None:
        log.info("two strings share a hash with every seed: the library numbers the strings")
        return None
    slots, first_rows = numbered
    distinct_rows = first_rows[first_rows != np.iinfo(first_rows.dtype).max]
    rows = order(text, distinct_rows)
    if rows is None:
        log.info("strings are not ordered after %d rounds: the library sorts them", ROUNDS)
        return None
    backend, rank_of_slot = text.backend, first_rows  # overwrites first_rows to save memory
    rank_of_slot[slots[rows]] = backend.xp.arange(rows.size, dtype=rank_of_slot.dtype)
    # The kernel writes rank_of_slot[slots[i]] to slots[i].
    take_ranks = backend.kernel(forest.assign_min_root, slots.dtype.type)
    take_ranks(slots.size, slots, rank_of_slot, slots)
    return slots, rows


def number(text: Text) -> tuple[Array, Array] | None:
    """Return the slot of each string, and for each slot the first row of its string.

    The row of a free slot has all bits set. Return None if two different strings share a slot with
    every seed.
    """
    backend, m = text.backend, text.size
    row: Any = np.uint32 if m < 1 << 32 else np.uint64
    for seed in SEEDS:
        table = Slots([hashes(text, seed)], [], backend)
        slots, size = table.columns[0], table.keys.size
        del table  # frees the keys
        first_rows = backend.fill(backend.empty(size, row), 0xFF)
        backend.kernel(forest.scatter_min, row)(m, slots, first_rows)
        # for each string, the first row of its slot
        chosen = backend.empty(m, row)
        backend.kernel(forest.assign_min_root, row)(m, slots, first_rows, chosen)
        if all_equal(text, chosen):
            return slots, first_rows
    return None


def codes_of(column: Any) -> Array:
    """Return a code for each string of a column, computed by the library of the column."""
    library = _library_of(column)
    return library.factorise(library.join([column]))[0]


@contextmanager
def borrowed_text(column: Any, backend: Backend) -> Iterator[Text]:
    """Borrow the strings of a nonempty column on the backend, and check their offsets."""
    with lent_texts([column], backend) as (text,):
        assert text is not None
        check_offsets(text)
        yield text


@contextmanager
def lent_texts(columns: list[Any], backend: Backend) -> Iterator[list[Text | None]]:
    """Borrow the strings of each column on the backend, without checking the offsets.

    The context yields a Text for each column, or None for a column without rows.
    """
    texts: list[Text | None] = []
    with ExitStack() as stack:
        for column in columns:
            library = _library_of(column)
            joined = library.join([column]) if len(column) else None
            lent = stack.enter_context(library.borrow(joined)) if joined is not None else None
            texts.append(Text.of(*lent, backend) if lent else None)
        yield texts


def column_builder(like: Any) -> Callable[[Array, Array, Backend], Any]:
    """Return a function that builds columns of strings of the same library and type as ``like``.

    The function takes the bytes and the offsets of the strings, as arrays of a backend, and the
    backend. The arrays become part of the column.
    """
    library = _library_of(like)
    return partial(_build_column, library, getattr(like, "dtype", None))


def _build_column(
    library: _Library, dtype: Any, chars: Array, offsets: Array, backend: Backend
) -> Any:
    """Return a column of strings; for PyArrow, bytes and offsets are copied to the host."""
    chars, offsets = (_for_library(array, backend, library.on_device) for array in (chars, offsets))
    return library.make(dtype, chars, offsets)


def all_equal(text: Text, chosen: Array) -> bool:
    """Return whether the string of each row i equals the string of row ``chosen[i]``."""
    backend = text.backend
    differ = backend.fill(backend.empty(1, np.uint32), 0)
    text.run(kernels.compare, text.size, chosen, differ)
    return not backend.to_host(differ)[0]


def hashes(text: Text, seed: int) -> Array:
    """Return the hash of each string, as a new array of uint64."""
    hashes_of_rows = text.backend.empty(text.size, np.uint64)
    text.run(kernels.hash_rows, text.size, seed, hashes_of_rows)
    return hashes_of_rows


def column_of_text(text: Text, on_device: bool) -> Any:
    """Return strings as a cuDF series if ``on_device`` is True, otherwise as a PyArrow array."""
    library: _Library = _Cudf() if on_device else _Arrow()
    return _build_column(library, None, text.chars, text.offsets, text.backend)


def take_text(text: Text, rows: Array) -> Text:
    """Return a copy of the strings of some rows."""
    backend, count = text.backend, int(rows.size)
    offsets, sizes = backend.empty(count + 1, np.int64), backend.empty(count, np.int64)
    text.run(kernels.row_sizes, count, rows, sizes)
    offsets[:1] = 0
    backend.xp.cumsum(sizes, out=offsets[1:])
    del sizes
    chars = backend.empty(max(int(backend.to_host(offsets[-1:])[0]), 1), np.uint8)
    text.run(kernels.copy_rows, count, rows, offsets, chars)
    return Text.of(chars, offsets, backend)


def sorted_rows(text: Text) -> Array:
    """Return all rows in the lexicographic order of the strings, which must be distinct.

    If there are few strings on the host, or if the kernels need too many rounds, PyArrow sorts the
    strings.
    """
    backend, row = text.backend, np.uint32 if text.size < 1 << 32 else np.uint64
    if not text.size:
        return backend.empty(0, row)
    max_strings = max(LIBRARY_STRINGS, 4 * backend.uncompiled_rows)
    if not (backend.few_by_library and text.size <= max_strings):
        with backend.reusing():
            rows = order(text, backend.xp.arange(text.size, dtype=row))
        if rows is not None:
            return rows
        log.info("strings are not ordered after %d rounds: the library sorts them", ROUNDS)
    chars, offsets = backend.to_host(text.chars), backend.to_host(text.offsets)
    column = _Arrow().make(dtype=None, chars=chars, offsets=offsets)
    return backend.asarray(pc.sort_indices(column).to_numpy()).astype(row)


@dataclass
class Groups:
    """Strings that are not yet ordered, in adjacent groups.

    Attributes
    ----------
    rows : (k,) array of uint32 or uint64
        The rows of the strings, group by group.
    positions : (k,) array of integers, optional
        The positions that these rows take in the order of all strings; by default, all positions.
    group : (k,) array of the type of ``rows``
        The number of the group of each string, counted from 0.
    first : (groups,) array of the type of ``rows``
        The index in ``rows`` at which each group begins.
    depth : (groups,) array of uint64
        The known length of the common prefix of each group.
    """

    rows: Array
    positions: Array | None
    group: Array
    first: Array
    depth: Array


def order(text: Text, rows: Array) -> Array | None:
    """Sort rows in place by the bytes of their strings, which are distinct, and return the rows.

    Return None if ``ROUNDS`` rounds do not suffice. A string comes after its prefixes, as in
    Python's order of encoded strings. Sorting allocates another 28 bytes per row.
    """
    backend, k = text.backend, rows.size
    group, first, depth = backend.alloc_packed((k, rows.dtype), (1, rows.dtype), (1, np.uint64))
    for array in (group, first, depth):
        backend.fill(array, 0)
    tied: Groups | None = Groups(rows, None, group, first, depth)
    for _ in range(ROUNDS):
        assert tied is not None
        tied = _divide(text, tied, rows)
        if tied is None:
            return rows
    return None


def _divide(text: Text, tied: Groups, sorted_rows: Array) -> Groups | None:
    """Sort each group by the next bytes of its strings, and return the groups of tied strings.

    The rows are written to ``sorted_rows`` in the new order. Return None if no strings are tied.
    """
    backend, xp, k = text.backend, text.backend.xp, tied.rows.size
    depth = backend.fill(backend.empty(tied.first.size, np.uint64), 0xFF)
    runs = -(-k // int(kernels.RUN))
    text.run(kernels.advance_prefix, runs, tied.rows, tied.group, tied.first, tied.depth, depth)
    keys = backend.empty(k, np.uint64)
    text.run(kernels.sort_keys, k, tied.rows, tied.group, depth, keys)
    # Sort by key, and then stably by group. A single group needs no second sort.
    by_key = xp.argsort(keys)
    if tied.first.size > 1:
        by_key = by_key[xp.argsort(tied.group[by_key], kind="stable")]
    by_key = by_key.astype(sorted_rows.dtype)
    keys, rows = (at_places(values, by_key, backend) for values in (keys, tied.rows))
    del by_key
    group = tied.group  # is still right, as each string stays among the positions of its group
    sorted_rows[slice(None) if tied.positions is None else tied.positions] = rows
    starts = xp.ones(k + 1, bool)  # whether a new group begins at each index, and at the end
    starts[1:-1] = (keys[1:] != keys[:-1]) | (group[1:] != group[:-1])
    # a string is alone in its new group if a group begins at its index and at the next
    still_tied = xp.flatnonzero(~(starts[1:] & starts[:-1]))
    if not still_tied.size:
        return None
    starts = starts[still_tied]
    first = xp.flatnonzero(starts).astype(rows.dtype)
    new_depth = depth[group[still_tied[first]]] + np.uint64(PIECE)
    positions = still_tied if tied.positions is None else tied.positions[still_tied]
    new_group = xp.cumsum(starts, dtype=rows.dtype) - 1
    return Groups(rows[still_tied], positions, new_group, first, new_depth)


@dataclass(frozen=True)
class StringDecoder:
    """Decoder of string ids: the id of vertex v is the string of rank v.

    Attributes
    ----------
    size : int
        The number of distinct strings.
    strings_of : callable
        Returns the strings of an array of ranks, as a column of the caller's kind.
    on_device : bool
        Whether ``strings_of`` takes arrays on a GPU.
    find : callable
        Returns the rank of each string of a column, and a mask of the known strings.
    """

    size: int
    strings_of: Callable[[Any], Any]
    on_device: bool
    find: Callable[[Any, Backend], tuple[Array, Array]]
    id_base: int = 0
    dtype: np.dtype[Any] = field(default=np.dtype(np.uint32))

    def decode(self, vertices: Array, backend: Backend) -> Any:
        """Return the strings of the given vertices, as a column of the caller's kind."""
        return self.strings_of(_for_library(vertices, backend, self.on_device))

    def lookup(self, strings: Any, backend: Backend) -> tuple[Array, Array]:
        """Return the vertices of cuDF or PyArrow strings, and a mask of the known strings."""
        vertices, valid = map(backend.asarray, self.find(strings, backend))
        return vertices.astype(np.uint64), valid


def factorise(
    columns: list[Any], to_native: Native, backend: Backend
) -> tuple[list[Any], StringDecoder]:
    """Return the codes of each column, and the decoder from codes to strings.

    The code of a string is its rank among the distinct strings of all columns.

    Parameters
    ----------
    columns : list of cuDF series, or of PyArrow arrays
        Strings without nulls; not changed. The first column determines the library of the result.
    to_native : callable
        Converts a PyArrow array or a cuDF series to the caller's kind of column.
    backend : Backend
        The backend that computes the codes.
    """
    ends = np.cumsum([len(column) for column in columns]).tolist()
    library = _library_of(columns[0])
    column = library.join(columns)
    codes, strings = _by_kernels(library, column, backend) or library.factorise(column)
    sides = [codes[start:end] for start, end in itertools.pairwise([0, *ends])]
    strings_of = partial(_strings_of, library, strings, to_native)
    find = partial(_find, library, strings)
    return sides, StringDecoder(len(strings), strings_of, library.on_device, find)


def _strings_of(library: _Library, strings: Any, to_native: Native, positions: Array) -> Any:
    """Return the strings at the given positions, as the caller's kind of column.

    ``strings`` are all distinct strings, from which ``to_native`` may make categories.
    """
    selects_all = _selects_all(positions, strings)
    selected = library.share(strings) if selects_all else library.take(strings, positions)
    return to_native(selected, partial(library.share, strings))


def _library_is_faster(columns: Sequence[Any], strings: Any, backend: Backend) -> bool:
    """Return whether the library looks up columns among distinct strings faster than kernels.

    PyArrow indexes all distinct strings in each call, which takes three times the time and memory
    of kernels on threads. It is faster only for few strings: see :func:`left_to_library`.
    """
    count = sum(map(len, columns))
    if count and backend.few_by_library:
        return left_to_library([strings, *columns], backend)
    return count * IDS_PER_LOOKUP <= len(strings)


def _find(library: _Library, strings: Any, queries: Any, backend: Backend) -> tuple[Array, Array]:
    """Return the position of each query among distinct strings, and a mask of the known queries.

    The library looks up few queries. Many queries are appended to the distinct strings, and all of
    these strings get slots. The first row of a slot is then the position of the distinct string.
    """
    if _library_is_faster([queries], strings, backend):
        return library.find(strings, queries)
    numbered = _numbered(library, library.join([strings, queries]), backend)
    if numbered is None:
        return library.find(strings, queries)
    slots, first_rows = numbered
    positions = first_rows[slots[len(strings) :]]
    return positions, positions < len(strings)


def _numbered(library: _Library, column: Any, backend: Backend) -> tuple[Array, Array] | None:
    """Return the result of :func:`number` for a column of at least one string."""
    with library.borrow(column) as (chars, offsets):
        text = Text.of(chars, offsets, backend)
        check_offsets(text)
        return number(text)


def where(use_left: Any, left: Any, right: Any, backend: Backend) -> Any:
    """Return a new column with the strings of ``left`` where ``use_left`` is True.

    In other rows, it has the strings of ``right``. The column has the library of ``left``.
    """
    library = _library_of(left)
    mask = _for_library(use_left, backend, library.on_device)
    return library.where(mask, library.join([left]), library.join([right]))


def same_strings(first: Any, second: Any) -> bool:
    """Return whether two columns of strings, of equal length and of any libraries, are equal."""
    library = _library_of(first if is_cudf(first) else second)
    return library.same(library.join([first]), library.join([second]))


def take_rows(column: Any, rows: Array, backend: Backend) -> Any:
    """Return the strings of the given rows of a column, as a new column."""
    library = _library_of(column)
    return library.take(library.join([column]), _for_library(rows, backend, library.on_device))


def distinct(column: Any) -> Any:
    """Return the distinct strings of a column."""
    return _library_of(column).distinct(column)


def among(column: Any, values: list[str]) -> Array:
    """Return a mask of the strings of a column that are in the list.

    The mask is on the GPU if the column is on the GPU.
    """
    library = _library_of(column)
    return library.among(library.join([column]), values)


def hashes_of(column: Any, backend: Backend) -> Array:
    """Return the 64-bit hash of each string of a column; equal strings have equal hashes."""
    if not len(column):
        return backend.empty(0, np.uint64)
    with borrowed_text(column, backend) as text:
        return hashes(text, SEEDS[0])


def slots_of(column: Any, backend: Backend) -> tuple[Array, int]:
    """Return a number for each string of a column, and a number that is greater than all of these.

    Equal strings have equal numbers, and different strings have different numbers. The order of the
    numbers is arbitrary.
    """
    library = _library_of(column)
    column = library.join([column])  # one chunk of the library, with wide offsets
    if not len(column):
        return backend.empty(0, np.uint32), 0
    numbered = _numbered(library, column, backend)
    if numbered is not None:
        slots, first_rows = numbered
        return slots, int(first_rows.size)  # the number of slots, some of which are free
    codes, strings = library.factorise(column)
    return backend.asarray(codes), len(strings)


def left_to_library(columns: list[Any], backend: Backend) -> bool:
    """Return whether PyArrow, and not kernels, numbers the strings.

    PyArrow numbers few strings on the host, if the backend has ``few_by_library``. PyArrow does not
    check offsets; they are checked when the caller's columns are copied.
    """
    if not backend.few_by_library or any(map(is_cudf, columns)):
        return False
    max_strings = max(LIBRARY_STRINGS, 4 * backend.uncompiled_rows)
    are_few = sum(map(len, columns)) <= max_strings
    return are_few and sum(column.nbytes for column in columns) <= LONG * max_strings


def _by_kernels(library: _Library, column: Any, backend: Backend) -> tuple[Array, Any] | None:
    """Return the code of each string, and the sorted distinct strings.

    Return None if the library must number the strings, because there are few strings or because the
    kernels have failed.
    """
    if not len(column) or left_to_library([column], backend):
        return None
    with library.borrow(column) as (chars, offsets):
        text = Text.of(chars, offsets, backend)
        check_offsets(text)
        factorised = factorise_text(text)
    if factorised is None:
        return None
    codes, rows = factorised
    return codes, library.take(column, _for_library(rows, backend, library.on_device))


def _selects_all(positions: Array, strings: Any) -> bool:
    """Return whether positions select all strings in order, so the strings need not be copied."""
    if not len(strings) or len(positions) != len(strings):
        return False
    return int(positions[0]) == 0 and bool((positions[1:] - positions[:-1] == 1).all())


def bytes_of(columns: Any) -> int:
    """Return an upper bound on the bytes of a column of strings, or of a list of columns.

    The bound is for strings without dictionary encoding, whose offsets of 32 bits become 64 bits.
    """
    if isinstance(columns, list | tuple):
        return sum(map(bytes_of, columns))
    if is_cudf(columns):
        return int(columns.memory_usage(index=False)) + 4 * len(columns)
    if hasattr(columns, "chunks"):
        return bytes_of(columns.chunks)
    if hasattr(columns, "dictionary"):
        return _bytes_of_dictionary(columns)
    return int(columns.nbytes) + 4 * len(columns)


def _bytes_of_dictionary(array: Any) -> int:
    """Return the bytes of the strings of a dictionary array, each with its offset."""
    lengths = pc.binary_length(array.dictionary).take(array.indices)
    return int(pc.sum(lengths).as_py() or 0) + 8 * len(array)


class _Library(ABC):
    """The operations of a frame library on its columns of strings."""

    on_device: bool

    @abstractmethod
    def join(self, columns: list[Any]) -> Any:
        """Concatenate columns, which may come from another library."""

    @abstractmethod
    def borrow(self, column: Any) -> AbstractContextManager[tuple[Array, Array]]:
        """Return a context that lends the bytes and the offsets of a nonempty column."""

    @abstractmethod
    def make(self, dtype: Any, chars: Array, offsets: Array) -> Any:
        """Return a column of bytes and offsets; in cuDF, the column has the type ``dtype``."""

    @abstractmethod
    def take(self, column: Any, rows: Array) -> Any:
        """Return the strings of the given rows, as a new column."""

    @abstractmethod
    def share(self, column: Any) -> Any:
        """Return a shallow copy of the column."""

    @abstractmethod
    def factorise(self, column: Any) -> tuple[Array, Any]:
        """Return the code of each string and the sorted distinct strings, without kernels."""

    @abstractmethod
    def where(self, mask: Array, first: Any, second: Any) -> Any:
        """Return the strings of ``first`` where a mask is true, elsewhere those of ``second``."""

    @abstractmethod
    def same(self, first: Any, second: Any) -> bool:
        """Return whether columns of equal length have equal strings in all rows."""

    @abstractmethod
    def distinct(self, column: Any) -> Any:
        """Return the distinct strings."""

    @abstractmethod
    def among(self, column: Any, values: list[str]) -> Array:
        """Return a mask of the strings that are in the list."""

    @abstractmethod
    def find(self, strings: Any, queries: Any) -> tuple[Array, Array]:
        """Return the position of each query among sorted strings, and a mask of the known queries.

        The position of an unknown query is arbitrary.
        """


class _Cudf(_Library):
    on_device = True

    def join(self, columns: list[Any]) -> Any:
        columns = [_to_device(column) for column in columns]
        if len(columns) == 1:
            return columns[0]
        kind = columns[0].dtype  # cuDF has several string types and concatenates only equal ones
        columns = [column if column.dtype == kind else column.astype(kind) for column in columns]
        return cudf.concat(columns, ignore_index=True)

    def borrow(self, column: Any) -> AbstractContextManager[tuple[Array, Array]]:
        if not cudf.get_option("spill"):  # otherwise cuDF may move the memory of the column
            return nullcontext(borrow_strings(column))
        chars, offsets = map(cupy.asarray, text_buffers(column.to_arrow()))
        return nullcontext((chars, offsets))

    def make(self, dtype: Any, chars: Array, offsets: Array) -> Any:
        return make_strings(dtype, chars, offsets)

    def take(self, column: Any, rows: Array) -> Any:
        return column.take(rows).reset_index(drop=True)

    def share(self, column: Any) -> Any:
        return column.copy(deep=False)

    def factorise(self, column: Any) -> tuple[Array, Any]:
        codes, strings = column.factorize(sort=True)
        return codes, cudf.Series(strings)

    def where(self, mask: Array, first: Any, second: Any) -> Any:
        first, second = (column.reset_index(drop=True) for column in (first, second))
        return first.where(cudf.Series(mask), second)

    def same(self, first: Any, second: Any) -> bool:
        first, second = (column.reset_index(drop=True) for column in (first, second))
        return bool((first == second).all())

    def distinct(self, column: Any) -> Any:
        return cudf.Series(column.unique())

    def among(self, column: Any, values: list[str]) -> Array:
        return column.isin(values).to_cupy()

    def find(self, strings: Any, queries: Any) -> tuple[Array, Array]:
        queries = _to_device(queries)
        positions = strings.searchsorted(queries)
        positions[positions == len(strings)] = 0  # such a query differs from all strings
        if not len(strings):
            return positions, positions != positions  # all False
        same = strings.take(positions).reset_index(drop=True) == queries.reset_index(drop=True)
        return positions, same.fillna(False).to_cupy()


class _Arrow(_Library):
    on_device = False

    def join(self, columns: list[Any]) -> Any:
        chunks: list[Any] = []
        for column in columns:
            wide = _to_host(column).cast(pa.large_string())
            chunks += wide.chunks if isinstance(wide, pa.ChunkedArray) else [wide]
        if len(chunks) == 1:
            return chunks[0]  # combine_chunks would copy it
        return pa.chunked_array(chunks, pa.large_string()).combine_chunks()

    @contextmanager
    def borrow(self, column: Any) -> Iterator[tuple[Array, Array]]:
        yield text_buffers(column)

    def make(self, dtype: Any, chars: Array, offsets: Array) -> Any:
        buffers = pa.py_buffer(offsets), pa.py_buffer(chars)
        return pa.LargeStringArray.from_buffers(offsets.size - 1, *buffers)

    def take(self, column: Any, rows: Array) -> Any:
        return column.take(pa.array(rows))

    def share(self, column: Any) -> Any:
        return column

    def factorise(self, column: Any) -> tuple[Array, Any]:
        encoded = pc.dictionary_encode(column)
        order = pc.sort_indices(encoded.dictionary)
        strings = encoded.dictionary.take(order)
        ranks = np.empty(len(strings), np.uint32)
        ranks[order.to_numpy()] = np.arange(len(strings), dtype=np.uint32)
        return ranks[encoded.indices.to_numpy()], strings

    def where(self, mask: Array, first: Any, second: Any) -> Any:
        return pc.if_else(pa.array(mask), first, second)

    def same(self, first: Any, second: Any) -> bool:
        return bool(first.equals(second))

    def distinct(self, column: Any) -> Any:
        return column.unique()

    def among(self, column: Any, values: list[str]) -> Array:
        if values == [""]:  # comparing lengths is five times as fast
            is_value = pc.equal(pc.binary_length(column), 0)
        else:
            is_value = pc.is_in(column, value_set=pa.array(values, column.type))
        return is_value.to_numpy(zero_copy_only=False)

    def find(self, strings: Any, queries: Any) -> tuple[Array, Array]:
        positions = pc.index_in(_to_host(queries).cast(pa.large_string()), value_set=strings)
        if isinstance(positions, pa.ChunkedArray):
            positions = positions.combine_chunks()
        valid = positions.is_valid().to_numpy(zero_copy_only=False)
        return positions.fill_null(0).to_numpy(), valid


def _library_of(column: Any) -> _Library:
    """Return the operations of the library of a column: cuDF, or PyArrow for other libraries."""
    return _Cudf() if is_cudf(column) else _Arrow()


def _for_library(array: Array, backend: Backend, to_device: bool) -> Array:
    """Return an array of a backend, copied to the host if ``to_device`` is False."""
    return array if to_device and backend.on_device else backend.to_host(array)


def _to_device(column: Any) -> Any:
    """Return a column as a cuDF series."""
    return column if is_cudf(column) else cudf.Series(column)


def _to_host(column: Any) -> Any:
    return column.to_arrow() if is_cudf(column) else column
