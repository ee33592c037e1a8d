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
from ..errors import InputError, shown
from .arrow import as_series, in_one, plain, rows_where
from .lists import array_of_host, missing_of, present
from .refusals import FILL, no_ids, refuse_nulls, refuse_surrogates

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


@dataclass(frozen=True)
class Held:
    """Ids as they were given, of which some may be missing.

    ``there`` is an array of bool where the ids lie, None if none is missing; ``where`` gives the
    column of the rows for which such an array holds, all of which have to be there.
    """

    name: str
    size: int
    there: Any
    where: Callable[[Any], Column]

    def column(self, remedy: str = FILL) -> Column:
        """Return the column of all; raise a NullsError with a remedy if some are missing."""
        if self.there is not None:
            refuse_nulls(self.name, self.size - int(self.there.sum()), self.size, remedy)
        return self.where(None)


def of(name: str, values: Any) -> Column:
    """A column of a native series, or of an array.

    Raises
    ------
    ColumnTypeError, NullsError, InputError
        It holds no ids, or nulls, or is not one-dimensional.
    """
    return held(name, values).column()


def held(name: str, values: Any) -> Held:
    """Return a native series or array, before it is asked whether values are missing.

    Raises
    ------
    ColumnTypeError, InputError
        It is not one-dimensional, or of a kind that no array is made of; what else there is to
        refuse its columns refuse.
    """
    values = as_series(values)
    if not is_series(values):
        return _held_array(name, values)
    if is_cudf(values):
        there = values.notnull().to_cupy() if values._column.null_count else None
        return Held(name, len(values), there, partial(_cudf_where, name, values))
    native = plain(values, name)
    there = there_of(native)
    return Held(name, len(native), there, partial(_series_where, name, native))


def there_of(native: Any) -> Any:
    """Return an array of bool that says which values of a host's column are no nulls; None if all.

    Of pandas' floats and objects nan is null too.
    """
    import narwhals as nw

    if str(getattr(native, "dtype", "")) == "object":  # of which pandas compares each with itself
        missing = missing_of(native.to_numpy())
        return None if missing is None else ~missing
    if getattr(getattr(native, "dtype", None), "kind", "") == "V":  # no value of which is null
        return None
    side = nw.from_native(native, series_only=True)
    return ~side.is_null().to_numpy() if side.null_count() else None


def _cudf_where(name: str, series: Any, keep: Any) -> Column:
    if keep is not None:
        if len(series) and not bool(keep.any()):
            return empty(name)
        series = series[keep]
    return of_cudf(name, series._column, partial(_itself, series))


def _series_where(name: str, native: Any, keep: Any) -> Column:
    if keep is not None:
        if len(native) and not keep.any():
            return empty(name)
        if not _is_id(series_of(native)):  # before what may not know how to filter it does so
            return of_series(name, series_of(native))
        native = rows_where(native, keep, name)
    return of_series(name, series_of(native))


def _held_array(name: str, values: Any) -> Held:
    array = _one_dimension(name, values)
    rest, missing = (array, None) if hasattr(array, "get") else present(name, array)
    there = None if missing is None else ~missing

    def where(keep: Any) -> Column:
        if keep is None:
            return of_array(name, rest)
        if hasattr(rest, "get"):
            return of_array(name, rest[sys.modules["cupy"].asarray(keep)])
        return of_array(name, rest[keep if there is None else keep[there]])

    return Held(name, int(array.size), there, where)


def series_of(values: Any, name: str = "ids") -> Any:
    """The series of narwhals over a native one: null too where a category is."""
    import narwhals as nw

    return nw.from_native(plain(values, name), series_only=True)


def of_parts(parts: list[Column]) -> Column:
    """The column itself if it is the only one, otherwise one of several parts."""
    if len(parts) == 1:
        return parts[0]
    name, dtype = (
        ", ".join(map(str, words))
        for words in zip(*((p.name, p.dtype) for p in parts), strict=True)
    )
    return Column(name, dtype, parts[0].size, partial(Lending, parts), parts=tuple(parts))


def of_cudf(name: str, column: Any, series: Callable[[], Any], remedy: str = FILL) -> Column:
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


def of_series(name: str, side: Any, remedy: str = FILL) -> Column:
    """A column of a series of narwhals, as :func:`series_of` makes it; ``remedy`` is for nulls."""
    native, dtype, size = side.to_native(), side.dtype, len(side)
    there = there_of(native)
    missing = 0 if there is None else size - int(there.sum())
    text = str(getattr(native, "dtype", None) or native.type)
    if not _is_id(side):
        if size == 0:
            return empty(name)
        if dtype.is_float() and not side.implementation.is_pandas_like():
            missing = int((side.is_null() | side.is_nan()).sum())
        raise no_ids(name, _with_categories(text, native), size, missing)
    refuse_nulls(name, missing, size, remedy)
    if _has_categories(side):
        return _of_categories(name, text, side)
    if not dtype.is_integer():
        held = _to_arrow(name, side)
        return Column(name, text, size, partial(nullcontext, held), True, _from_arrow(side))
    array = side.to_numpy()
    if array.dtype.kind not in "iu":  # what some versions make of pandas' nullable integers
        array = array.astype(text.lower().partition("[")[0])
    return Column(name, text, size, partial(nullcontext, array))


def _is_id(side: Any) -> bool:
    """Whether a series holds strings or integers of 64 bits at most, or categories of these."""
    import narwhals as nw

    if _has_categories(side):
        values = _categories(side)
        return values is None or not len(values) or _is_id(series_of(values))
    if side.dtype.is_integer():
        return side.dtype not in (nw.Int128, nw.UInt128)
    if side.dtype == nw.Object and side.implementation.is_pandas():
        values = side.to_numpy()
        missing = missing_of(values)
        values = values if missing is None else values[~missing]
        return len(values) > 0 and all(isinstance(value, str) for value in values)
    return bool(side.dtype == nw.String)


def _has_categories(side: Any) -> bool:
    import narwhals as nw

    return isinstance(side.dtype, nw.Categorical | nw.Enum)


def _categories(side: Any) -> Any:
    """The different values of a column of categories, as a column; None of Polars', as strings."""
    native = side.to_native()
    if side.implementation.is_polars():
        return None
    if hasattr(type(native), "iloc"):
        categories = getattr(native.dtype, "categories", None)
        if categories is not None:
            return type(native)(categories.array, dtype=categories.dtype)
        native = native.array.__arrow_array__()
    import pyarrow as pa

    return pa.chunked_array([chunk.dictionary for chunk in native.chunks], native.type.value_type)


def _with_categories(text: str, native: Any) -> str:
    """The name of a type, and of categories what they are."""
    categories = getattr(getattr(native, "dtype", None), "categories", None)
    kind = getattr(categories, "dtype", None)
    return text if kind is None else f"{text} of {kind}"


def _to_arrow(name: str, side: Any) -> Any:
    """A column of strings as PyArrow's."""
    try:
        return in_one(name, side)
    except UnicodeEncodeError:
        raise refuse_surrogates(name, side.to_list()) from None


def _of_categories(name: str, text: str, side: Any) -> Column:
    """A column of categories, which stand for their values."""
    import pyarrow as pa

    if len(side) == 0:  # its categories may be of any type, such as null
        held, kind = pa.array([], pa.large_string()), pa.large_string()
    else:
        held = _to_arrow(name, side)
        kind = held.type.value_type
    native = side.to_native()
    if pa.types.is_integer(kind):
        array = held.cast(kind).to_numpy()
        return Column(name, text, len(side), partial(nullcontext, array))
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
    held = getattr(array.type, "value_type", array.type)  # views are made of words alone
    return array.cast(held).cast(kind)


def array_of(name: str, values: Any) -> Any:
    """A one-dimensional array: CuPy's if it lies on a device, otherwise NumPy's.

    Raises
    ------
    NullsError, ColumnTypeError, InputError
        Values are missing; it is none, or has another number of dimensions.
    """
    array = _one_dimension(name, values)
    rest, missing = (array, None) if hasattr(array, "get") else present(name, array)
    if missing is not None:
        refuse_nulls(name, int(missing.sum()), array.size)
    return rest


def _one_dimension(name: str, values: Any) -> Any:
    """The same, maybe masked."""
    if hasattr(values, "__cuda_array_interface__"):
        import cupy

        array = cupy.asarray(values)
    else:
        array = array_of_host(name, values)
    if array.ndim != 1:
        if array.ndim == 0 and not hasattr(values, "ndim"):
            raise InputError(
                f"{name!r} cannot be {shown(values)}: give a column, an array or a list of ids"
            )
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
    if not all(isinstance(value, str) for value in values):
        raise no_ids(name, str(array.dtype), array.size)
    try:
        text = pyarrow.array(values, pyarrow.large_string())
    except UnicodeEncodeError:
        raise refuse_surrogates(name, values) from None
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
