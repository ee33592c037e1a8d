"""Frames, arrays, matrices and files in; frames of the caller's own kind out.

What comes in is looked at, never changed and, where its memory can be read as it is, not copied.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .catalog import unknown
from .columns import Column, array_of, check_same_kind, is_cudf, is_series, of, of_array, of_cudf
from .errors import ColumnTypeError, InputError, MissingColumnError


class Labels(NamedTuple):
    """The label columns for callers who gave arrays: two arrays of one length."""

    vertex: Any
    labels: Any


class Sizes(NamedTuple):
    """The components for callers who gave arrays: two arrays of one length, largest first."""

    labels: Any
    size: Any


@dataclass(frozen=True)
class Given:
    """What the caller gave, checked: two columns, and how answers go back."""

    src: Column
    dst: Column
    frame: Callable[[dict[str, Any]], Any]
    on_device: bool
    vertices: Column | range | None = None
    dropped: int = 0
    every_vertex: bool = False

    @property
    def columns(self) -> list[Column]:
        """All columns of ids."""
        named = [self.vertices] if isinstance(self.vertices, Column) else []
        return [self.src, self.dst, *named]


def read(
    edges: Any, source: str, destination: str, vertices: Any, num_vertices: int | None, nulls: str
) -> Given:
    """Check what the caller gave; see :func:`cc_rapids.components` for what that may be."""
    if nulls not in ("raise", "drop"):
        raise InputError(unknown("nulls policy", str(nulls), ("raise", "drop")))
    if num_vertices is not None:
        if vertices is not None:
            raise InputError("give vertices or num_vertices, not both")
        vertices = range(_count(num_vertices))
    every = num_vertices is not None
    if isinstance(edges, str | os.PathLike):
        given, listed = _file(edges, source, destination, nulls)
        if vertices is not None and listed is not None:
            raise InputError(f"the file lists {len(listed):,} vertices itself: leave vertices out")
        vertices = listed if vertices is None else vertices
    elif hasattr(edges, "tocoo"):
        given = _matrix(edges, vertices)
        vertices, every = range(edges.shape[0]), True
    elif isinstance(edges, tuple | list):
        given = _pair(edges, source, destination, nulls)
    else:
        given = _frame(edges, source, destination, nulls)
    return _with_vertices(given, vertices, every)


@contextmanager
def lent(columns: list[Column]) -> Iterator[list[Any]]:
    """The arrays (or native strings) of all columns, for as long as the context is open."""
    with ExitStack() as stack:
        yield [stack.enter_context(column.lend()) for column in columns]


def _count(number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 0:
        raise InputError(f"num_vertices is a count from 0 on, not {number!r}")
    return int(number)


def _with_vertices(given: Given, vertices: Any, every: bool) -> Given:
    if vertices is None:
        return given
    if not isinstance(vertices, range):
        vertices = of("vertices", vertices)
    elif given.src.strings:
        raise InputError(
            f"column {given.src.name!r} holds strings, so vertices= takes strings too"
            " (and num_vertices= does not apply)"
        )
    if isinstance(vertices, Column) and vertices.strings != given.src.strings:
        if vertices.size == 0:
            return given
        raise ColumnTypeError(
            f"vertices are {vertices.dtype}, but column {given.src.name!r} is {given.src.dtype}"
        )
    return replace(given, vertices=vertices, every_vertex=every)


def _file(path: Any, source: str, destination: str, nulls: str) -> tuple[Given, range | None]:
    from .formats import read_edges

    file = read_edges(
        path,
        source=None if source == "src" else source,
        destination=None if destination == "dst" else destination,
    )
    return _frame(file.table, file.source, file.destination, nulls), file.vertices


def _matrix(matrix: Any, vertices: Any) -> Given:
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"an adjacency matrix has shape (n, n), not {tuple(matrix.shape)}")
    if vertices is not None:
        raise InputError(f"a matrix has its own {matrix.shape[0]} vertices: leave vertices out")
    coo = matrix.tocoo()
    return _arrays(coo.row, coo.col, ("row", "column"))


def _pair(edges: Any, source: str, destination: str, nulls: str) -> Given:
    if isinstance(edges, list) and not edges:
        edges = ([], [])
    if isinstance(edges, list) and any(isinstance(item, tuple) for item in edges):
        raise InputError(
            f"edges are a list of {len(edges):,} tuples: give the two columns,"
            " such as tuple(zip(*edges))"
        )
    if len(edges) != 2:
        raise InputError(
            f"edges as a {type(edges).__name__} are (source, destination), two arrays of one"
            f" length; this one has {len(edges)} items"
        )
    src, dst = edges
    if not (is_series(src) and type(src) is type(dst)):
        return _arrays(src, dst, (source, destination))
    if len(src) != len(dst):
        raise _unequal(source, len(src), destination, len(dst))
    if is_cudf(src) and is_cudf(dst):
        import cudf

        both = {"0": src.reset_index(drop=True), "1": dst.reset_index(drop=True)}
        return _cudf_frame(cudf.DataFrame(both), ("0", "1"), (source, destination), nulls)
    import narwhals as nw

    sides = [nw.from_native(side, series_only=True) for side in edges]
    native = [side.alias(str(k)).to_frame() for k, side in enumerate(sides)]
    frame = nw.concat(native, how="horizontal")
    return _narwhals_frame(frame, ("0", "1"), (source, destination), nulls)


def _arrays(src: Any, dst: Any, names: tuple[str, str]) -> Given:
    arrays = array_of(names[0], src), array_of(names[1], dst)
    if arrays[0].size != arrays[1].size:
        raise _unequal(names[0], arrays[0].size, names[1], arrays[1].size)
    left, right = (of_array(name, array) for name, array in zip(names, arrays, strict=True))
    check_same_kind(left, right)
    on_device = any(hasattr(array, "__cuda_array_interface__") for array in arrays)
    return Given(left, right, _plain, on_device)


def _unequal(source: str, m: int, destination: str, k: int) -> InputError:
    return InputError(
        f"{source!r} has {m:,} ids and {destination!r} has {k:,}: both ends of each edge are needed"
    )


def _frame(edges: Any, source: str, destination: str, nulls: str) -> Given:
    names = (source, destination)
    if is_cudf(edges) and hasattr(edges, "columns"):
        _check_names(list(edges._column_names), *names)  # .columns makes an index of pandas' first
        return _cudf_frame(edges, names, names, nulls)
    import narwhals as nw

    try:
        frame = nw.from_native(edges)
    except nw.exceptions.DuplicateError:
        frame = nw.from_native(_unambiguous(edges, names))
    except TypeError:
        shape = getattr(edges, "shape", None)
        hint = f" of shape {tuple(shape)}" if shape is not None else ""
        raise InputError(
            f"edges cannot be a {type(edges).__name__}{hint}: give a frame of cuDF, pandas, Polars"
            " or PyArrow, a pair of arrays (source, destination), a sparse matrix, or a file's path"
        ) from None
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    _check_names(frame.columns, *names)
    return _narwhals_frame(frame, names, names, nulls)


def _unambiguous(edges: Any, names: tuple[str, str]) -> Any:
    """The columns of a frame in which others share a name; an InputError if these do."""
    columns = list(getattr(edges, "column_names", None) or edges.columns)
    for name in names:
        if columns.count(name) > 1:
            raise InputError(f"{columns.count(name)} columns are called {name!r}: rename one")
    wanted = [name for name in names if name in columns]
    return edges.select(wanted) if hasattr(edges, "column_names") else edges[wanted]


def _check_names(columns: list[Any], source: str, destination: str) -> None:
    for name in (source, destination):
        if name not in columns:
            raise MissingColumnError(
                f"{unknown('column', str(name), map(str, columns))}; name the two columns of ids by"
                " source= and destination="
            )
    if source == destination:
        raise InputError(
            f"source and destination are both {source!r}: an edge has two ends, in two columns"
            f" of {', '.join(map(str, columns))}"
        )


def _cudf_frame(frame: Any, where: tuple[str, str], names: tuple[str, str], nulls: str) -> Given:
    """CuDF without narwhals, which would count nulls by a pass over each column."""
    size = len(frame)
    if nulls == "drop" and any(frame._data[column].null_count for column in where):
        frame = frame[list(where)].dropna()
    src, dst = (
        of_cudf(name, frame._data[column], partial(frame.__getitem__, column))
        for name, column in zip(names, where, strict=True)
    )
    check_same_kind(src, dst)
    return Given(src, dst, partial(_make_cudf, type(frame)), True, dropped=size - len(frame))


def _make_cudf(kind: Any, columns: dict[str, Any]) -> Any:
    """A cuDF frame of arrays and series; its own constructor makes an index of pandas' first."""
    from cudf.core.column import as_column

    return kind._from_data({name: as_column(column) for name, column in columns.items()})


def _narwhals_frame(
    frame: Any, where: tuple[str, str], names: tuple[str, str], nulls: str
) -> Given:
    size = len(frame)
    if nulls == "drop" and any(frame.get_column(column).null_count() for column in where):
        frame = frame.select(*where).drop_nulls()
    sides = [frame.get_column(column).to_native() for column in where]
    src, dst = (of(name, side) for name, side in zip(names, sides, strict=True))
    check_same_kind(src, dst)
    backend = frame.implementation

    def make(columns: dict[str, Any]) -> Any:
        import narwhals as nw

        return nw.from_dict(columns, backend=backend).to_native()

    return Given(src, dst, make, False, dropped=size - len(frame))


def _plain(columns: dict[str, Any]) -> Any:
    """Arrays for a caller who gave arrays."""
    return Labels(**columns) if "vertex" in columns else Sizes(**columns)
