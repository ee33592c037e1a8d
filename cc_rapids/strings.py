"""Strings as vertices: numbered by kernels from their bytes, in lexicographic order.

Frame libraries factorise by comparing strings with each other, over and over, while they sort them.
The two buffers that each of them has under a column of strings are all that :mod:`cc_rapids.texts`
needs, on a GPU as on threads; the library puts the columns together, and takes the strings of an
answer. It factorises them too where the kernels give up.

Vertices are places in the order, and not slots of the hash table as those of integers may be: the
order is there before any edge is linked, so that no tree has to be hung up again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from . import texts
from .backends import Array, Engine
from .data.column import Native, is_cudf, text_buffers
from .data.cudf_internals import lend_strings
from .texts import Text


@dataclass(frozen=True)
class Words:
    """String ids: vertex v is the v-th word, in lexicographic order."""

    size: int
    look_up: Callable[[Any], Any]
    on_device: bool
    place: Callable[[Any], tuple[Array, Array]]
    low: int = 0
    dtype: np.dtype[Any] = field(default=np.dtype(np.uint32))

    def take(self, vertices: Array, engine: Engine) -> Any:
        """The words of some vertices, as a column of the caller's kind."""
        stay = self.on_device and engine.on_device
        return self.look_up(vertices if stay else engine.to_host(vertices))

    def find(self, words: Any, engine: Engine) -> tuple[Array, Array]:
        """The vertices of strings (cuDF's series, or PyArrow's array), and which are known."""
        vertices, known = map(engine.asarray, self.place(words))
        return vertices.astype(np.uint64), known


def factorise(columns: list[Any], native: Native, engine: Engine) -> tuple[list[Any], Words]:
    """Codes for all columns together, in the order of the strings, and the strings.

    Parameters
    ----------
    columns : list of cuDF series, or of PyArrow arrays
        Strings without nulls; not changed. The first says which library keeps the strings.
    native : callable
        Makes the caller's kind of column of a PyArrow array, or of a series of cuDF's.
    engine : Engine
        Where they are numbered.
    """
    ends = np.cumsum([len(column) for column in columns])[:-1].tolist()
    library: _Library = _Cudf() if is_cudf(columns[0]) else _Arrow()
    column = library.join(columns)
    codes, words = _by_kernels(library, column, engine) or library.factorise(column)
    starts = [0, *ends]
    sides = [codes[i:j] for i, j in zip(starts, [*ends, len(codes)], strict=True)]

    look_up = partial(_look_up, library, words, native)
    place = partial(library.place, words)
    return sides, Words(len(words), look_up, library.on_device, place)


def _look_up(library: _Library, words: Any, native: Native, at: Array) -> Any:
    """The words at some places, as a column of the caller's kind."""
    found = library.share(words) if _all(at, words) else library.take(words, at)
    return native(found, partial(library.share, words))


def chosen(first: Any, here: Any, there: Any, engine: Engine) -> Any:
    """Return a new column with the strings of ``here`` where ``first`` holds, else of ``there``.

    It is of the library of ``here``.
    """
    library: _Library = _Cudf() if is_cudf(here) else _Arrow()
    mask = first if library.on_device and engine.on_device else engine.to_host(first)
    return library.where(mask, library.join([here]), library.join([there]))


def same_strings(first: Any, second: Any) -> bool:
    """Return whether two columns of as many strings, of any libraries, hold the same ones."""
    library: _Library = _Cudf() if is_cudf(first) or is_cudf(second) else _Arrow()
    return library.same(library.join([first]), library.join([second]))


def taken(column: Any, rows: Array, engine: Engine) -> Any:
    """Return the strings of some rows of a column, as a new one."""
    library: _Library = _Cudf() if is_cudf(column) else _Arrow()
    stay = library.on_device and engine.on_device
    return library.take(library.join([column]), rows if stay else engine.to_host(rows))


def different(column: Any) -> Any:
    """Return each string of a column once."""
    return (_Cudf() if is_cudf(column) else _Arrow()).different(column)


def _by_kernels(library: _Library, column: Any, engine: Engine) -> tuple[Array, Any] | None:
    """The code of each string and the different ones, in order; None if kernels do not find out."""
    if not len(column):
        return None
    with library.lend(column) as (chars, offsets):
        text = Text.of(chars, offsets, engine)
        texts.check_offsets(text)
        found = texts.factorise(text)
    if found is None:
        return None
    codes, rows = found
    stay = library.on_device and engine.on_device
    return codes, library.take(column, rows if stay else engine.to_host(rows))


def _all(at: Array, words: Any) -> bool:
    """Whether these are the places of all words, in order: then nothing has to be copied."""
    return len(at) == len(words) > 0 and int(at[0]) == 0 and bool((at[1:] - at[:-1] == 1).all())


def bytes_of(columns: Any) -> int:
    """At least the bytes of columns of strings (cuDF's series, or PyArrow's arrays) once they are
    no dictionaries any more and have 64-bit offsets; of arrays theirs, of lists their sum.
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
    import pyarrow.compute as pc

    lengths = pc.binary_length(array.dictionary).take(array.indices)
    return int(pc.sum(lengths).as_py() or 0) + 8 * len(array)


class _Library(ABC):
    """What a frame library does for its columns of strings."""

    on_device: bool

    @abstractmethod
    def join(self, columns: list[Any]) -> Any:
        """One column of several, which may be those of another library."""

    @abstractmethod
    def lend(self, column: Any) -> AbstractContextManager[tuple[Array, Array]]:
        """The bytes of a column that is not empty, and where each string begins and ends."""

    @abstractmethod
    def take(self, column: Any, at: Array) -> Any:
        """The strings of some rows: a new column."""

    @abstractmethod
    def share(self, column: Any) -> Any:
        """The column again, so that what is done to it does not show here."""

    @abstractmethod
    def factorise(self, column: Any) -> tuple[Array, Any]:
        """The code of each string and the different ones, in order, without our kernels."""

    @abstractmethod
    def where(self, mask: Array, first: Any, second: Any) -> Any:
        """The strings of the first column where a mask holds, of the second elsewhere."""

    @abstractmethod
    def same(self, first: Any, second: Any) -> bool:
        """Whether columns of one length hold the same strings."""

    @abstractmethod
    def different(self, column: Any) -> Any:
        """Each string once."""

    @abstractmethod
    def place(self, words: Any, wanted: Any) -> tuple[Array, Array]:
        """The places of strings among sorted ones, any where there is none, and which are there."""


class _Cudf(_Library):
    on_device = True

    def join(self, columns: list[Any]) -> Any:
        import cudf

        columns = [_to_device(column) for column in columns]
        return columns[0] if len(columns) == 1 else cudf.concat(columns, ignore_index=True)

    def lend(self, column: Any) -> AbstractContextManager[tuple[Array, Array]]:
        return lend_strings(column._column)

    def take(self, column: Any, at: Array) -> Any:
        return column.take(at).reset_index(drop=True)

    def share(self, column: Any) -> Any:
        return column.copy(deep=False)

    def factorise(self, column: Any) -> tuple[Array, Any]:
        import cudf

        codes, words = column.factorize(sort=True)
        return codes, cudf.Series(words)

    def where(self, mask: Array, first: Any, second: Any) -> Any:
        import cudf

        first, second = (column.reset_index(drop=True) for column in (first, second))
        return first.where(cudf.Series(mask), second)

    def same(self, first: Any, second: Any) -> bool:
        first, second = (column.reset_index(drop=True) for column in (first, second))
        return bool((first == second).all())

    def different(self, column: Any) -> Any:
        import cudf

        return cudf.Series(column.unique())

    def place(self, words: Any, wanted: Any) -> tuple[Array, Array]:
        wanted = _to_device(wanted)
        at = words.searchsorted(wanted)
        at[at == len(words)] = 0
        if not len(words):
            return at, at != at
        same = words.take(at).reset_index(drop=True) == wanted.reset_index(drop=True)
        return at, same.fillna(False).to_cupy()


class _Arrow(_Library):
    on_device = False

    def join(self, columns: list[Any]) -> Any:
        import pyarrow as pa

        chunks: list[Any] = []
        for column in columns:
            wide = _to_host(column).cast(pa.large_string())
            chunks += wide.chunks if isinstance(wide, pa.ChunkedArray) else [wide]
        return pa.chunked_array(chunks, pa.large_string()).combine_chunks()

    @contextmanager
    def lend(self, column: Any) -> Iterator[tuple[Array, Array]]:
        yield text_buffers(column)

    def take(self, column: Any, at: Array) -> Any:
        import pyarrow as pa

        return column.take(pa.array(at))

    def share(self, column: Any) -> Any:
        return column

    def factorise(self, column: Any) -> tuple[Array, Any]:
        import pyarrow.compute as pc

        found = pc.dictionary_encode(column)
        order = pc.sort_indices(found.dictionary)
        words = found.dictionary.take(order)
        rank = np.empty(len(words), np.uint32)
        rank[order.to_numpy()] = np.arange(len(words), dtype=np.uint32)
        return rank[found.indices.to_numpy()], words

    def where(self, mask: Array, first: Any, second: Any) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        return pc.if_else(pa.array(mask), first, second)

    def same(self, first: Any, second: Any) -> bool:
        return bool(first.equals(second))

    def different(self, column: Any) -> Any:
        return column.unique()

    def place(self, words: Any, wanted: Any) -> tuple[Array, Array]:
        import pyarrow as pa
        import pyarrow.compute as pc

        at = pc.index_in(_to_host(wanted).cast(pa.large_string()), value_set=words)
        if isinstance(at, pa.ChunkedArray):
            at = at.combine_chunks()
        return at.fill_null(0).to_numpy(), at.is_valid().to_numpy(zero_copy_only=False)


def _to_device(column: Any) -> Any:
    import cudf

    return column if is_cudf(column) else cudf.Series(column)


def _to_host(column: Any) -> Any:
    return column.to_arrow() if is_cudf(column) else column
