"""One column of ids: what it holds is checked, and its memory is lent as it lies."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np

from .. import buffers
from ..errors import InputError
from .arrow import chunked, with_null_rows
from .lists import array_of_host
from .refusals import FILL, LEAVE_OUT, no_ids, refuse_nulls

LIBRARIES = ("pandas", "cudf", "polars", "pyarrow", "modin")

Lend = Callable[[], AbstractContextManager[Any]]
Native = Callable[[Any, Callable[[], Any]], Any]


def as_it_is(values: Any, every: Callable[[], Any]) -> Any:
    """The values: a ``native`` of callers who take them as they are."""
    return values


@dataclass(frozen=True)
class Column:
    """One column of ids: an array of integers, or strings (cuDF's series, or PyArrow's array).

    ``lend`` is a context manager over it: while it is open, a cuDF column stays where it is on
    the device, and is not marked as unspillable afterwards. ``native`` makes a column of the
    caller's kind of an array of PyArrow's (of a series on a device), given what gives all strings
    of the answer, as all its columns have the same categories. Several columns that name vertices
    together are the ``parts`` of one, which lends a list. Both are functions of modules, or partial
    ones, and no closures, so that columns can be pickled.
    """

    name: str
    dtype: str
    size: int
    lend: Lend
    strings: bool = False
    native: Native = as_it_is
    parts: tuple[Column, ...] = ()


class Lending(ExitStack):
    """The arrays (or native strings) of all columns, for as long as the context is open."""

    def __init__(self, columns: list[Column]) -> None:
        super().__init__()
        self.columns = columns

    def __enter__(self) -> list[Any]:  # type: ignore[override]
        try:
            return [self.enter_context(column.lend()) for column in self.columns]
        except BaseException:
            self.close()
            raise


def is_cudf(thing: Any) -> bool:
    """Whether it is cuDF's; without importing cuDF, which then nobody has."""
    return type(thing).__module__.partition(".")[0] == "cudf" and "cudf" in sys.modules


def is_cudf_frame(thing: Any) -> bool:
    """Whether it is a frame of cuDF's; its own ``columns`` would make an index of pandas' first."""
    return is_cudf(thing) and hasattr(type(thing), "columns")


def is_series(thing: Any) -> bool:
    """Whether it is a column of a frame library."""
    library = type(thing).__module__.partition(".")[0]
    return library in LIBRARIES and type(thing).__name__ in ("Series", "ChunkedArray")


def of(name: str, values: Any) -> Column:
    """A column of a native series, or of an array.

    Raises
    ------
    ColumnTypeError, NullsError, InputError
        It holds no ids, or nulls, or is not one-dimensional.
    """
    values = chunked(values)
    if not is_series(values):
        return of_array(name, array_of(name, values))
    if is_cudf(values):
        return of_cudf(name, values._column, partial(_itself, values), FILL)
    return of_series(name, series_of(values), FILL)


def series_of(values: Any) -> Any:
    """The series of narwhals over a native one: null too where a category is."""
    import narwhals as nw

    return nw.from_native(with_null_rows(values), series_only=True)


def of_parts(parts: list[Column]) -> Column:
    """The column itself if it is the only one, otherwise one of several parts."""
    if len(parts) == 1:
        return parts[0]
    name, dtype = (
        ", ".join(map(str, words))
        for words in zip(*((p.name, p.dtype) for p in parts), strict=True)
    )
    return Column(name, dtype, parts[0].size, partial(Lending, parts), parts=tuple(parts))


def of_cudf(name: str, column: Any, series: Callable[[], Any], remedy: str = LEAVE_OUT) -> Column:
    """A column of cuDF's own column, which counts its nulls when it is made.

    Parameters
    ----------
    name : str
        What errors call it.
    column : cudf.core.column.ColumnBase
        Not copied; a frame's ``_data`` gives it without the cost of a series.
    series : callable
        Gives the series, for strings.
    remedy : str
        What errors advise for nulls.
    """
    missing, native = int(column.null_count), Column.native
    if isinstance(column.dtype, sys.modules["cudf"].CategoricalDtype):
        own, plain = column.dtype, series().astype(column.dtype.categories.dtype)
        native, column, series = _categories_like(own), plain._column, partial(_itself, plain)
    kind, text, size = column.dtype.kind, _words_of(column.dtype), column.size
    strings = kind in "OU" and sys.modules["cudf"].api.types.is_string_dtype(column.dtype)
    if not (kind in "iu" or strings):
        if size == 0:
            return empty(name)
        raise no_ids(name, text, size, missing)
    refuse_nulls(name, missing, size, remedy)
    if strings:
        held = series()
        return Column(name, text, size, partial(nullcontext, held), True, native)
    return Column(name, text, size, partial(buffers.Lent, column))


def _itself(thing: Any) -> Any:
    return thing


@cache
def _words_of(dtype: Any) -> str:
    """A type in words, of which NumPy makes new ones each time."""
    return str(dtype)


def _categories_like(dtype: Any) -> Native:
    """Categories of cuDF's: the caller's own if they hold all words, otherwise those words."""
    kind = sys.modules["cudf"].CategoricalDtype
    same = kind(dtype.categories, bool(dtype.ordered))  # None, by ``astype``, is not for PyArrow

    return partial(_in_cudf_categories, same)


def _in_cudf_categories(same: Any, series: Any, every: Callable[[], Any]) -> Any:
    words = every()
    fits = words.isin(same.categories).all()
    return series.astype(same if fits else type(same)(words))


def of_series(name: str, side: Any, remedy: str = LEAVE_OUT) -> Column:
    """A column of a series of narwhals, as :func:`series_of` makes it; ``remedy`` is for nulls."""
    import narwhals as nw

    dtype, missing, size = side.dtype, int(side.null_count()), len(side)
    native = side.to_native()
    text = str(getattr(native, "dtype", None) or native.type)
    if isinstance(dtype, nw.Categorical | nw.Enum):
        refuse_nulls(name, missing, size, remedy)
        return _of_categories(name, text, side)
    strings = _is_text(side)
    if not (strings or (dtype.is_integer() and dtype not in (nw.Int128, nw.UInt128))):
        if size == 0:
            return empty(name)
        if dtype.is_float():
            missing = int((side.is_null() | side.is_nan()).sum())
        raise no_ids(name, text, size, missing)
    refuse_nulls(name, missing, size, remedy)
    if strings:
        held = _sound(name, side.to_arrow())
        return Column(name, text, size, partial(nullcontext, held), True, _from_arrow(side))
    array = side.to_numpy()
    if array.dtype.kind not in "iu":  # what some versions make of pandas' nullable integers
        array = array.astype(text.lower().partition("[")[0])
    return Column(name, text, size, partial(nullcontext, array))


def _sound(name: str, held: Any) -> Any:
    """The column of PyArrow's itself, which follows its offsets and indices without a look."""
    import pyarrow as pa

    try:
        held.validate(full=True)
    except pa.ArrowInvalid as error:
        raise InputError(
            f"column {name!r} is {held.type} whose buffers are no column ({error}): make it anew"
        ) from error
    return held


def _is_text(side: Any) -> bool:
    import narwhals as nw

    if side.dtype == nw.String:
        return True
    if side.dtype == nw.Object and side.implementation.is_pandas():
        values = side.drop_nulls().to_numpy()
        return len(values) > 0 and all(isinstance(value, str) for value in values)
    return False


def _of_categories(name: str, text: str, side: Any) -> Column:
    """A column of categories, which stand for their values."""
    import pyarrow as pa

    held = _sound(name, side.to_arrow())
    kind, native = held.type.value_type, side.to_native()
    if pa.types.is_integer(kind):
        array = held.cast(kind).to_numpy()
        return Column(name, text, len(side), partial(nullcontext, array))
    if len(side) == 0:
        held = pa.array([], pa.large_string())  # its categories may be of any type, such as null
    elif not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise no_ids(name, text, len(side))
    if side.implementation.is_pandas_like():
        make = partial(_in_pandas_categories, native.dtype)
    elif side.implementation.is_polars():
        make = partial(_in_polars_categories, native.dtype)
    else:
        make = partial(_in_a_dictionary, kind)
    return Column(name, text, len(side), partial(nullcontext, held), True, make)


def _in_pandas_categories(dtype: Any, array: Any, every: Callable[[], Any]) -> Any:
    return array.to_pandas().astype(dtype if _holds(dtype, every) else _categories_of(every()))


def _in_polars_categories(dtype: Any, array: Any, every: Callable[[], Any]) -> Any:
    import polars

    kind = dtype if _holds(dtype, every) else polars.Categorical
    return polars.from_arrow(array).cast(kind)


def _holds(dtype: Any, every: Callable[[], Any]) -> bool:
    """Whether the caller's own categories are known, and hold all strings of the answer."""
    same = getattr(dtype, "categories", None)
    return same is not None and set(every().to_pylist()) <= set(same)


def _in_a_dictionary(kind: Any, array: Any, every: Callable[[], Any]) -> Any:
    return array.cast(kind).dictionary_encode()


def _categories_of(words: Any) -> Any:
    """Pandas' type of categories that are these strings."""
    return sys.modules["pandas"].CategoricalDtype(words.to_pandas())


def _from_arrow(side: Any) -> Native:
    """How to make a column like this one of an array of PyArrow's."""
    implementation, native = side.implementation, side.to_native()
    if implementation.is_pandas_like():
        return partial(_in_pandas, native.dtype)  # not the column, which would stay with the answer
    return _in_polars if implementation.is_polars() else partial(_in_arrow, native.type)


def _in_pandas(dtype: Any, array: Any, every: Callable[[], Any]) -> Any:
    return array.to_pandas().astype(dtype)


def _in_polars(array: Any, every: Callable[[], Any]) -> Any:
    import polars

    return polars.from_arrow(array)


def _in_arrow(kind: Any, array: Any, every: Callable[[], Any]) -> Any:
    return array.cast(kind)


def array_of(name: str, values: Any) -> Any:
    """A one-dimensional array: CuPy's if it lies on a device, otherwise NumPy's."""
    if hasattr(values, "__cuda_array_interface__"):
        import cupy

        array = cupy.asarray(values)
    else:
        if isinstance(values, np.ma.MaskedArray):
            refuse_nulls(name, int(np.ma.getmaskarray(values).sum()), values.size)
        array = array_of_host(name, values)
    if array.ndim != 1:
        raise InputError(f"array {name!r} has shape {array.shape}: ids are one-dimensional")
    return array


def of_array(name: str, array: Any) -> Column:
    """A column of a one-dimensional array."""
    dtype, size = array.dtype, array.size
    if size == 0 and dtype.kind not in "TUiu":
        return empty(name)
    if dtype.kind in "TUO":
        return _of_texts(name, array)
    if dtype.kind not in "iu":
        missing = int((array != array).sum()) if dtype.kind == "f" else 0
        raise no_ids(name, str(dtype), size, missing)
    if not dtype.isnative:
        array = array.astype(dtype.newbyteorder("="))
    return Column(name, _words_of(array.dtype), size, partial(nullcontext, array))


def _of_texts(name: str, array: Any) -> Column:
    """A column of an array of strings, or of objects that all are."""
    import pyarrow

    values = array.tolist()
    missing = sum(value is None or value != value for value in values)
    present = {type(value) for value in values if value is not None and value == value}
    if present in ({str}, {int}):
        refuse_nulls(name, missing, array.size)
    if present - {str}:
        raise no_ids(name, str(array.dtype), array.size, missing)
    text = pyarrow.array(values, pyarrow.large_string())
    dtype, native = array.dtype, partial(_in_numpy, name, array.dtype)
    return Column(name, str(dtype), array.size, partial(nullcontext, text), True, native)


def _in_numpy(name: str, dtype: Any, words: Any, every: Callable[[], Any]) -> Any:
    listed = words.to_pylist()
    grows = listed and dtype.kind == "U"
    return array_of_host(name, listed) if grows else np.array(listed, dtype)


def empty(name: str) -> Column:
    """A column without ids: what a frame library makes of an empty list has any type."""
    return Column(name, "int64", 0, partial(nullcontext, np.empty(0, np.int64)))


def without_rows(column: Column) -> Column:
    """What a column is like: its name, types and ``native``, without any of its values."""
    if column.parts:
        return of_parts([without_rows(part) for part in column.parts])
    return replace(column, size=0, lend=empty(column.name).lend)
