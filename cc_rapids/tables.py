"""Tables: the columns of frames, of cuDF as it is and of all others through narwhals."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from inspect import signature
from typing import Any

import numpy as np

from .columns import (
    Column,
    chunked,
    is_cudf,
    is_cudf_frame,
    of_cudf,
    of_parts,
    of_series,
    refuse_twice,
    remedy_for,
    rows_where,
    same_kind,
    series_of,
    there_of,
)
from .errors import InputError, MissingColumnError, unknown
from .given import Given

MOST_ROWS = 1 << 31  # of a column of cuDF's
Sides = tuple[list[str], list[str]]  # the columns of sources, and those of destinations


def read_table(edges: Any, source: list[str], destination: list[str], nulls: str) -> Given:
    """The columns of a frame of any kind."""
    if is_cudf_frame(edges):
        return read_cudf(edges, source, destination, nulls)
    import narwhals as nw

    edges = chunked(edges)
    try:
        frame = nw.from_native(edges)
    except nw.exceptions.DuplicateError:
        frame = nw.from_native(_unambiguous(edges, [*source, *destination]))
    except TypeError:
        shape = getattr(edges, "shape", None)
        hint = f" of shape {tuple(shape)}" if shape is not None else ""
        raise InputError(
            f"edges cannot be a {type(edges).__name__}{hint}: give a frame of cuDF, pandas, Polars"
            " or PyArrow, a pair of arrays (source, destination), a sparse matrix, or a file's path"
        ) from None
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    names = (source, destination)
    _check_names(frame.columns, *names)
    sides = [[_series(frame, name) for name in side] for side in names]
    return _of_series(sides, names, nulls)


def read_cudf(frame: Any, source: list[str], destination: list[str], nulls: str) -> Given:
    """The columns of a frame of cuDF's."""
    _check_names(list(frame._column_names), source, destination)
    return _cudf_frame(frame, (source, destination), (source, destination), nulls)


def _unambiguous(edges: Any, names: list[str]) -> Any:
    """The columns of a frame in which others share a name; an InputError if these do."""
    columns = list(getattr(edges, "column_names", None) or edges.columns)
    for name in names:
        refuse_twice(name, columns)
    wanted = [name for name in names if name in columns]
    return edges.select(wanted) if hasattr(edges, "column_names") else edges[wanted]


def _check_names(columns: list[Any], source: list[str], destination: list[str]) -> None:
    for name in [*source, *destination]:
        if name not in columns:
            raise MissingColumnError(
                f"{unknown('column', str(name), map(str, columns))}; name the two columns of ids by"
                " source= and destination="
            )
    if source == destination:
        raise InputError(
            f"source and destination are both {', '.join(map(repr, source))}: an edge has two ends,"
            f" in two columns of {', '.join(map(str, columns))}"
        )


def _cudf_frame(frame: Any, where: Sides, names: Sides, nulls: str) -> Given:
    """CuDF without narwhals, which would count nulls by a pass over each column."""
    size, columns = len(frame), [*where[0], *where[1]]
    kept = None
    if nulls == "drop" and any(frame._data[column].null_count for column in columns):
        frame = frame[list(dict.fromkeys(columns))].reset_index(drop=True).dropna()
        kept = frame.index.to_cupy
    remedy = remedy_for(nulls)
    src, dst = (
        [
            of_cudf(name, frame._data[column], partial(frame.__getitem__, column), remedy)
            for name, column in zip(named, side, strict=True)
        ]
        for named, side in zip(names, where, strict=True)
    )
    make = partial(_make_cudf, type(frame))
    return _given(src, dst, make, True, size - len(frame), kept)


def _given(
    src: list[Column],
    dst: list[Column],
    make: Callable[..., Any],
    device: bool,
    dropped: int,
    kept: Callable[[], Any] | None,
) -> Given:
    src, dst = map(list, zip(*map(same_kind, src, dst), strict=True))
    return Given(of_parts(src), of_parts(dst), make, device, dropped=dropped, kept=kept)


def _make_cudf(kind: Any, columns: dict[str, Any]) -> Any:
    """A cuDF frame of arrays and series; its own constructor makes an index of pandas' first."""
    wrap = _wrapping()
    return _framing(kind)({name: wrap(column) for name, column in columns.items()})


@cache
def _framing(kind: Any) -> Callable[[dict[str, Any]], Any]:
    """How cuDF's frames are made of columns: attribute by attribute, as to set one its own way
    looks for a column of that name; by ``_from_data`` where they have others than those known here.
    """
    from cudf import RangeIndex
    from cudf.core.column_accessor import ColumnAccessor

    own: dict[str, Any] = {k: type(value) for k, value in vars(kind._from_data({})).items()}
    flags_of = own.get("_flags")
    known = {"_data": ColumnAccessor, "_index": RangeIndex, "_attrs": dict, "_flags": flags_of}
    if own != known or not flags_of:
        return kind._from_data  # type: ignore[no-any-return]

    def framed(columns: dict[str, Any]) -> Any:
        frame, data = kind.__new__(kind), ColumnAccessor(columns)
        index, flags = RangeIndex(data.nrows), flags_of(frame, allows_duplicate_labels=True)
        vars(frame).update(_data=data, _index=index, _attrs={}, _flags=flags)
        return frame

    return framed


@cache
def _wrapping() -> Callable[[Any], Any]:
    """How cuDF's columns are made: of new arrays of integers without looking at each again, which
    would cost as much as a small list takes; where cuDF does not let us, by ``as_column``.
    """
    from cudf.core.buffer import as_buffer
    from cudf.core.column import ColumnBase, as_column
    from pylibcudf import Column as Plain
    from pylibcudf import DataType, TypeId

    if "validate" not in signature(ColumnBase.create).parameters:
        return as_column  # type: ignore[no-any-return]
    known: dict[Any, Any] = {}

    def wrap(column: Any) -> Any:
        dtype: Any = getattr(column, "dtype", None)
        own = type(column).__module__.startswith("cupy") and getattr(dtype, "kind", "") in "iu"
        if not (own and 0 < column.size < MOST_ROWS and column.flags.c_contiguous):
            return as_column(column)
        kind = known.get(dtype)
        if kind is None:
            kind = known[dtype] = DataType(getattr(TypeId, dtype.name.upper()))
        plain = Plain(kind, column.size, as_buffer(column), None, 0, 0, [], validate=False)
        return ColumnBase.create(plain, dtype, validate=False)

    return wrap


def _of_series(sides: list[list[Any]], names: Sides, nulls: str) -> Given:
    """The columns of sources and those of destinations, as series of narwhals."""
    size, ends = len(sides[0][0]), len(sides[0])
    every, kept = [*sides[0], *sides[1]], None
    if nulls == "drop":
        every, kept = _without_nulls(every)
    remedy = remedy_for(nulls)
    columns = [
        of_series(name, side, remedy)
        for name, side in zip([*names[0], *names[1]], every, strict=True)
    ]
    make = partial(_make_frame, every[0].implementation)
    dropped = size - len(every[0])
    return _given(columns[:ends], columns[ends:], make, False, dropped, kept)


def _make_frame(backend: Any, columns: dict[str, Any]) -> Any:
    """A frame of the library that narwhals calls so, of arrays and series."""
    if backend.is_pandas():
        import pandas as pd

        return pd.DataFrame(columns, copy=False)  # columns are made for it alone
    import narwhals as nw

    return nw.from_dict(columns, backend=backend).to_native()


def _series(frame: Any, name: str) -> Any:
    return series_of(frame.get_column(name).to_native(), name)


def _without_nulls(series: list[Any]) -> tuple[list[Any], Callable[[], Any] | None]:
    """The rows of series of one length in which none is null, and what gives their numbers; the
    series themselves, and None, if that is all of them.
    """
    natives = [side.to_native() for side in series]
    there = [mask for mask in map(there_of, natives) if mask is not None]
    if not there:
        return series, None
    keep = np.logical_and.reduce(there)
    rows = [series_of(rows_where(native, keep)) for native in natives]
    return rows, partial(np.flatnonzero, keep)


def read_series(src: Any, dst: Any, names: Sides, nulls: str) -> Given:
    """A pair of series of one kind and length."""
    if is_cudf(src) and is_cudf(dst):
        import cudf

        both = {"0": src.reset_index(drop=True), "1": dst.reset_index(drop=True)}
        return _cudf_frame(cudf.DataFrame(both), (["0"], ["1"]), names, nulls)
    sides = [[series_of(side, own[0])] for side, own in zip((src, dst), names, strict=True)]
    return _of_series(sides, names, nulls)
