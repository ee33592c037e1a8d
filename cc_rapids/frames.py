"""Frames, arrays, matrices and files in; frames of the caller's own kind out.

What comes in is looked at, never changed and, where its memory can be read as it is, not copied.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .catalog import unknown
from .errors import ColumnTypeError, InputError, MissingColumnError, NullsError


class Labels(NamedTuple):
    """The label columns for callers who gave arrays: two arrays of one length."""

    vertex: Any
    labels: Any


class Sizes(NamedTuple):
    """The components for callers who gave arrays: two arrays of one length, largest first."""

    labels: Any
    size: Any


@dataclass(frozen=True)
class Column:
    """One column of ids: an array of integers, or strings (cuDF's series, or PyArrow's array).

    ``lend`` is a context manager over it: while it is open, a cuDF column stays where it is on
    the device, and is not marked as unspillable afterwards. ``native`` makes a column of the
    caller's kind of an array of PyArrow's.
    """

    name: str
    dtype: str
    size: int
    lend: Callable[[], AbstractContextManager[Any]]
    strings: bool = False
    native: Callable[[Any], Any] = lambda array: array


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
    if isinstance(edges, str | os.PathLike):
        return _file(edges, source, destination, vertices, nulls)
    if hasattr(edges, "tocoo"):
        return _matrix(edges, vertices)
    if isinstance(edges, tuple | list):
        given = _pair(edges, source, destination, nulls)
    else:
        given = _frame(edges, source, destination, nulls)
    return _with_vertices(given, vertices, every=num_vertices is not None)


def _count(number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 0:
        raise InputError(f"num_vertices is a count from 0 on, not {number!r}")
    return int(number)


def _with_vertices(given: Given, vertices: Any, every: bool) -> Given:
    if vertices is None:
        return given
    if isinstance(vertices, range):
        if given.src.strings:
            raise InputError(
                f"column {given.src.name!r} holds strings, so vertices= takes strings too"
                " (and num_vertices= nothing)"
            )
        column: Any = vertices
    else:
        column = _column("vertices", vertices)
        if column.strings != given.src.strings:
            raise ColumnTypeError(
                f"vertices are {column.dtype}, but column {given.src.name!r} is {given.src.dtype}"
            )
    return Given(given.src, given.dst, given.frame, given.on_device, column, given.dropped, every)


def _file(path: Any, source: str, destination: str, vertices: Any, nulls: str) -> Given:
    from .formats import read_edges

    default = (source, destination) == ("src", "dst")
    file = read_edges(
        path, source=None if default else source, destination=None if default else destination
    )
    given = _frame(file.table, file.source, file.destination, nulls)
    if vertices is None:
        vertices = file.vertices
    return _with_vertices(given, vertices, every=False)


def _matrix(matrix: Any, vertices: Any) -> Given:
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"an adjacency matrix has shape (n, n), not {tuple(matrix.shape)}")
    if vertices is not None:
        raise InputError(f"a matrix has its own {matrix.shape[0]} vertices: leave vertices out")
    coo = matrix.tocoo()
    given = _arrays(coo.row, coo.col, ("row", "column"))
    return _with_vertices(given, range(matrix.shape[0]), every=True)


def _pair(edges: Any, source: str, destination: str, nulls: str) -> Given:
    if len(edges) != 2:
        raise InputError(f"edges as a {type(edges).__name__} are (source, destination), two arrays"
                         f" of one length; this one has {len(edges)} items")  # fmt: skip
    series = [_as_series(side) for side in edges]
    if all(side is not None for side in series):
        src, dst = series
        assert src is not None and dst is not None
        if len(src) != len(dst):
            raise _unequal(source, len(src), destination, len(dst))
        import narwhals as nw

        frame = nw.concat([src.alias("0").to_frame(), dst.alias("1").to_frame()], how="horizontal")
        return _columns(frame, ("0", "1"), (source, destination), nulls)
    return _arrays(*edges, (source, destination))


def _unequal(source: str, m: int, destination: str, k: int) -> InputError:
    return InputError(
        f"{source!r} has {m:,} ids and {destination!r} has {k:,}: both ends of each edge are needed"
    )


def _as_series(side: Any) -> Any:
    """A narwhals series over a native one, None for anything else."""
    if isinstance(side, np.ndarray | list | tuple | range):
        return None
    import narwhals as nw

    return nw.from_native(side, series_only=True, pass_through=True) if _is_series(side) else None


def _is_series(side: Any) -> bool:
    root = type(side).__module__.partition(".")[0]
    return root in ("pandas", "cudf", "polars", "pyarrow", "modin") and not hasattr(side, "columns")


def _frame(edges: Any, source: str, destination: str, nulls: str) -> Given:
    import narwhals as nw

    try:
        frame = nw.from_native(edges)
    except TypeError:
        shape = getattr(edges, "shape", None)
        hint = f" of shape {tuple(shape)}" if shape is not None else ""
        raise InputError(
            f"edges cannot be a {type(edges).__name__}{hint}: give a cuDF, pandas, Polars or PyArrow"
            " frame, a pair of arrays (source, destination), a sparse matrix, or a file's path"
        ) from None
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    names = frame.columns
    for name in (source, destination):
        if name not in names:
            raise MissingColumnError(
                f"{unknown('column', str(name), map(str, names))}; name the two columns of ids by"
                " source= and destination="
            )
    if source == destination:
        raise InputError(
            f"source and destination are both {source!r}: an edge has two ends, in two columns"
            f" of {', '.join(map(str, names))}"
        )
    return _columns(frame, (source, destination), (source, destination), nulls)


def _columns(frame: Any, where: tuple[str, str], names: tuple[str, str], nulls: str) -> Given:
    """The two columns of a narwhals frame."""
    sides = [frame[column] for column in where]
    dropped = 0
    if nulls == "drop" and any(side.null_count() for side in sides):
        whole = frame.select(*where).drop_nulls()
        dropped = len(frame) - len(whole)
        sides = [whole[column] for column in where]
    src, dst = (_series(name, side) for name, side in zip(names, sides, strict=True))
    _same_kind(src, dst)
    native = frame.implementation
    return Given(src, dst, _frame_maker(native), native.is_cudf(), dropped=dropped)


def _same_kind(src: Column, dst: Column) -> None:
    if src.strings != dst.strings:
        raise ColumnTypeError(
            f"column {src.name!r} is {src.dtype}, column {dst.name!r} is {dst.dtype}: ids are"
            " integers on both sides, or strings on both sides; cast one of them"
        )


def _column(name: str, values: Any) -> Column:
    """A column of a native series, or of an array."""
    series = _as_series(values)
    return _array_column(name, _array(name, values)) if series is None else _series(name, series)


def _series(name: str, side: Any) -> Column:
    """A column of a narwhals series, checked for its type and for nulls."""
    dtype, missing, size = side.dtype, int(side.null_count()), len(side)
    native = side.to_native()
    text = str(getattr(native, "dtype", None) or native.type)
    strings = _is_text(side)
    if not (dtype.is_integer() or strings):
        raise _not_ids(name, text, size, _missing_floats(side) if dtype.is_float() else missing)
    if missing:
        raise NullsError(
            f"column {name!r} has {missing:,} nulls in {size:,} rows: nulls='drop' leaves those"
            " edges out, or fill them first"
        )
    if strings:
        held = native if side.implementation.is_cudf() else side.to_arrow()
        return Column(name, text, size, lambda: nullcontext(held), True, _from_arrow(side))
    if side.implementation.is_cudf():
        return Column(name, text, size, lambda: _lend_cudf(native))
    array = side.to_numpy()
    return Column(name, text, size, lambda: nullcontext(_integers(array, text)))


def _integers(array: Any, text: str) -> Any:
    """pandas' nullable integers come as objects from some versions: back to their own type."""
    return array if array.dtype.kind in "iu" else array.astype(text.lower().partition("[")[0])


def _from_arrow(side: Any) -> Callable[[Any], Any]:
    """How to make a column like this one of an array of PyArrow's."""
    implementation = side.implementation
    if implementation.is_pandas():
        dtype = side.to_native().dtype
        return lambda array: array.to_pandas().astype(dtype)
    if implementation.is_polars():
        return lambda array: sys.modules["polars"].from_arrow(array)
    dtype = getattr(side.to_native(), "type", None)
    return lambda array: array.cast(dtype)


def _is_text(side: Any) -> bool:
    import narwhals as nw

    if side.dtype == nw.String:
        return True
    if side.dtype == nw.Object and side.implementation.is_pandas():
        values = side.drop_nulls().to_numpy()
        return len(values) > 0 and all(isinstance(value, str) for value in values)
    return False


def _missing_floats(side: Any) -> int:
    return int(side.null_count()) + int(side.is_nan().sum() or 0)


def _not_ids(name: str, dtype: str, size: int, missing: int = 0) -> ColumnTypeError:
    if dtype.lower().startswith(("float", "double", "half")):
        nulls = f", {missing:,} of them missing" if missing else ""
        return ColumnTypeError(
            f"column {name!r} is {dtype} ({size:,} values{nulls}): ids are integers or strings,"
            " because floats merge ids beyond 2^53; cast it, such as .astype('int64'), or in"
            " pandas .astype('Int64') where values are missing"
        )
    return ColumnTypeError(
        f"column {name!r} is {dtype} ({size:,} values): ids are integers or strings; cast it, or"
        " factorise it first"
    )


@contextmanager
def _lend_cudf(series: Any) -> Iterator[Any]:
    """A CuPy view of a cuDF column, kept on the device while it is lent.

    Reading ``__cuda_array_interface__`` would make the buffer unspillable for good; a pointer
    that is read under ``access`` locks it for as long as the lock lives.
    """
    import cupy

    column = series._column
    with column.access(mode="read", scope="internal"):
        dtype = np.dtype(series.dtype.name.lower())
        size, item = len(series), dtype.itemsize
        if size == 0:
            yield cupy.empty(0, dtype)
            return
        memory = cupy.cuda.UnownedMemory(
            column.data.ptr + column.offset * item, size * item, series
        )
        yield cupy.ndarray((size,), dtype, cupy.cuda.MemoryPointer(memory, 0))


def _array(name: str, values: Any) -> Any:
    """An array of NumPy's, or of CuPy's if it lies on a device."""
    if hasattr(values, "__cuda_array_interface__"):
        import cupy

        array = cupy.asarray(values)
    else:
        missing = int(np.ma.count_masked(values)) if isinstance(values, np.ma.MaskedArray) else 0
        if missing:
            raise NullsError(
                f"array {name!r} has {missing:,} masked values of {len(values):,}: compress both"
                " arrays first"
            )
        array = np.asarray(values)
    if array.ndim != 1:
        raise InputError(f"array {name!r} has shape {array.shape}: ids are one-dimensional")
    return array


def _array_column(name: str, array: Any) -> Column:
    if array.size == 0 and array.dtype == np.float64:  # what NumPy makes of an empty list
        array = array.astype(np.int64)
    if array.dtype.kind in "TUO" and all(isinstance(value, str) for value in array):
        import pyarrow

        text = pyarrow.array(array.tolist(), pyarrow.large_string())
        dtype = array.dtype

        def native(words: Any) -> Any:
            return np.array(words.to_pylist(), dtype)

        return Column(name, str(dtype), array.size, lambda: nullcontext(text), True, native)
    if array.dtype.kind not in "iu":
        missing = int((array != array).sum()) if array.dtype.kind == "f" else 0
        raise _not_ids(name, str(array.dtype), array.size, missing)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return Column(name, str(array.dtype), array.size, lambda: nullcontext(array))


def _arrays(src: Any, dst: Any, names: tuple[str, str]) -> Given:
    arrays = _array(names[0], src), _array(names[1], dst)
    if arrays[0].size != arrays[1].size:
        raise _unequal(names[0], arrays[0].size, names[1], arrays[1].size)
    columns = [_array_column(name, array) for name, array in zip(names, arrays, strict=True)]
    _same_kind(*columns)
    on_device = any(hasattr(array, "__cuda_array_interface__") for array in arrays)
    return Given(*columns, frame=_plain, on_device=on_device)


def _plain(columns: dict[str, Any]) -> Any:
    """Arrays for a caller who gave arrays."""
    return Labels(**columns) if "vertex" in columns else Sizes(**columns)


def _frame_maker(implementation: Any) -> Callable[[dict[str, Any]], Any]:
    """How the caller's kind of frame is made of columns."""
    if implementation.is_cudf():
        return lambda columns: sys.modules["cudf"].DataFrame(columns)

    def frame(columns: dict[str, Any]) -> Any:
        import narwhals as nw

        return nw.from_dict(columns, backend=implementation).to_native()

    return frame


@contextmanager
def lent(columns: list[Column]) -> Iterator[list[Any]]:
    """The arrays (or native strings) of all columns, for as long as the context is open."""
    with ExitStack() as stack:
        yield [stack.enter_context(column.lend()) for column in columns]
