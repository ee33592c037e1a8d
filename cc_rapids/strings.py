"""Strings as vertices: factorised by the library that holds them, in lexicographic order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .columns import is_cudf
from .engines import Array, Engine


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


def factorise(columns: list[Any], native: Callable[[Any], Any]) -> tuple[list[Any], Words]:
    """Codes for all columns together, in the order of the strings, and the strings.

    Parameters
    ----------
    columns : list of cuDF series, or of PyArrow arrays
        Strings without nulls; not changed. The first says where they are factorised.
    native : callable
        Makes the caller's kind of column of a PyArrow array, or of a series of cuDF's.
    """
    ends = np.cumsum([len(column) for column in columns])[:-1].tolist()
    if is_cudf(columns[0]):
        codes, words = _factorise_cudf(columns, native)
    else:
        codes, words = _factorise_arrow(columns, native)
    starts = [0, *ends]
    return [codes[i:j] for i, j in zip(starts, [*ends, len(codes)], strict=True)], words


def _factorise_cudf(columns: list[Any], native: Callable[[Any], Any]) -> tuple[Any, Words]:
    import cudf

    columns = [_to_device(column) for column in columns]
    codes, words = cudf.concat(columns, ignore_index=True).factorize(sort=True)
    series = cudf.Series(words)

    def look_up(at: Array) -> Any:
        return native(series.take(at).reset_index(drop=True))

    def place(wanted: Any) -> tuple[Array, Array]:
        wanted = _to_device(wanted)
        at = series.searchsorted(wanted)
        at[at == len(series)] = 0
        same = series.take(at).reset_index(drop=True) == wanted.reset_index(drop=True)
        return at, same.fillna(False).to_cupy() if len(series) else at != at

    return codes, Words(len(series), look_up, True, place)


def _to_device(column: Any) -> Any:
    import cudf

    return column if is_cudf(column) else cudf.Series(column)


def _to_host(column: Any) -> Any:
    return column.to_arrow() if is_cudf(column) else column


def _factorise_arrow(columns: list[Any], native: Callable[[Any], Any]) -> tuple[Any, Words]:
    import pyarrow as pa
    import pyarrow.compute as pc

    chunks: list[Any] = []
    for column in columns:
        wide = _to_host(column).cast(pa.large_string())
        chunks += wide.chunks if isinstance(wide, pa.ChunkedArray) else [wide]
    found = pc.dictionary_encode(pa.chunked_array(chunks, pa.large_string()).combine_chunks())
    order = pc.sort_indices(found.dictionary)
    words = found.dictionary.take(order)
    rank = np.empty(len(words), np.uint32)
    rank[order.to_numpy()] = np.arange(len(words), dtype=np.uint32)
    codes = rank[found.indices.to_numpy()]

    def place(wanted: Any) -> tuple[Array, Array]:
        at = pc.index_in(_to_host(wanted).cast(pa.large_string()), value_set=words)
        if isinstance(at, pa.ChunkedArray):
            at = at.combine_chunks()
        return at.fill_null(0).to_numpy(), at.is_valid().to_numpy(zero_copy_only=False)

    return codes, Words(len(words), lambda at: native(words.take(pa.array(at))), False, place)
