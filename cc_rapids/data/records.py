"""Frames of records: their ids, and the columns of the keys by which they are linked."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Any

import numpy as np

from ..errors import (
    ArgumentTypeError,
    ColumnTypeError,
    InputError,
    MissingColumnError,
    shown,
    unknown,
)
from .adapters import answers_like
from .arguments import check_names
from .column import (
    BOOLEANS,
    Column,
    as_series,
    chunked,
    empty,
    empty_like,
    is_cudf,
    is_series,
    of,
    of_key_columns,
    refuse_twice,
    series_of,
    unchecked,
)
from .dtypes import is_boolean, is_object, is_time
from .edge_input import EdgeInput
from .frame_access import collected, column_of, columns_of, frame_in_memory, frame_size
from .lazy import nw, pa
from .pair_lists import is_column
from .relations import answers_for, check_ids, columns_in, is_relation, table_of

MAX_RECORDS = 1 << 32  # row numbers have 32 bits
KEYS_ARE = "keys must be integers, strings, categories, booleans, dates or times"

Key = str | tuple[str, ...]  # a column, or several columns that must all agree
DATES_AND_TIMES = (date, np.datetime64)
# integers, the types of values that are converted to them, and the function that converts a list
AsIntegers = tuple[Any, tuple[type, ...], Callable[[list[Any]], list[Any]]]
NOT_CONVERTED: AsIntegers = None, (), list


@dataclass(frozen=True)
class KeyPart:
    """A column of a key, and the values of ``ignore=`` that it may contain."""

    values: Column  # integers or strings; dates, times and booleans are converted to integers
    ignored: list[Any]  # the values to ignore, converted like the column
    fitting: set[str]  # the values of ``ignore=`` that have the type of the column, as text


@dataclass(frozen=True)
class Records:
    """The caller's frame of records, checked."""

    size: int  # the number of rows
    ids: EdgeInput  # the ids in ``src``, and an empty ``dst``; both empty for row numbers as ids
    keys: dict[Key, list[KeyPart]]  # the columns of each key
    id_names: list[str]  # the columns of the ids; empty if row numbers are the ids
    unfit: list[Any]  # the values of ``ignore=`` that have the type of no column of a key


def read_records(frame: Any, keys: Any, id: Any, ignore: Any) -> Records:
    """Read and check a frame of records, given arguments of :func:`cc_rapids.link_records`."""
    checked_keys, id_names, ignored = _keys_of(keys), _id_names(id), _values_of(ignore)
    key_columns = [name for key in checked_keys for name in parts_of(key)]
    frame, to_relation = _frame_of(frame, [*key_columns, *id_names], id_names)
    size = frame_size(frame)
    if size >= MAX_RECORDS:
        raise InputError(f"{size:,} records are too many: at most {MAX_RECORDS - 1:,} are linked")
    parts: dict[str, KeyPart] = {}
    for name in dict.fromkeys(key_columns):  # a column may be a part of several keys
        parts[name] = _key_part(name, column_of(frame, name), ignored)
        _check_size(name, parts[name].values.size, size)
    parts_by_key = {key: [parts[name] for name in parts_of(key)] for key in checked_keys}
    # the default of ignore= contains "", which need not fit
    fitting = {""}.union(*(part.fitting for part in parts.values()))
    unfit = [value for value in ignored if str(value) not in fitting]
    ids = replace(_ids_of(frame, id_names, size), answers=to_relation)
    return Records(size, ids, parts_by_key, id_names, unfit)


def _frame_of(frame: Any, names: list[str], id_names: list[str]) -> tuple[Any, Any]:
    """Return the frame in memory, and the function that converts answers to DuckDB relations.

    The function is None unless the frame is a relation. Only the columns ``names``, which include
    ``id_names``, of relations and lazy frames are read.
    """
    frame = chunked(frame)
    is_lazy = hasattr(type(frame), "collect_schema") and hasattr(type(frame), "collect")
    if not (is_lazy or is_relation(frame)):
        frame = frame_in_memory(frame)
    columns = columns_in(frame) if is_relation(frame) else columns_of(frame)
    for name in names:
        if name not in columns:
            argument = "id=" if name in id_names else "keys="
            message = unknown("column", str(name), map(str, columns))
            raise MissingColumnError(f"{message}; name the columns of the records by {argument}")
        refuse_twice(name, columns)
    if not is_relation(frame):
        return (collected(frame, names) if is_lazy else frame), None
    if not id_names:
        raise InputError(
            "rows of a DuckDB relation have no fixed order, so their positions are not ids: name"
            " the column of ids by id="
        )
    check_ids(frame, id_names)
    return table_of(frame, list(dict.fromkeys(names))), answers_for(frame, id_names)


def parts_of(key: Key) -> tuple[str, ...]:
    """Return the columns of a key as a tuple, even for a key of one column."""
    return key if isinstance(key, tuple) else (key,)


def _keys_of(keys: Any) -> list[Key]:
    """Return the checked keys: each is a column, or a tuple of columns."""
    if not isinstance(keys, list | tuple):
        raise ArgumentTypeError(
            f"keys= must be a list of columns, or of lists of columns, not {shown(keys)}: pass"
            ' keys=["email", ["name", "birthday"]], for example'
        )
    if not keys:
        raise InputError("keys= is empty, so nothing would be linked: name one column or more")
    result: list[Key] = []
    for key in keys:
        parts = list(key) if isinstance(key, list | tuple) else [key]
        if not parts:
            raise InputError("keys= contains an empty list: name the columns of each key")
        check_names("keys=", parts)
        if any(part is None for part in parts):
            raise ArgumentTypeError("keys= contains None, which names no column: leave it out")
        for part in parts:
            if parts.count(part) > 1:
                raise InputError(f"column {part!r} is named twice in a key of keys=: name it once")
        if any(set(parts_of(other)) == set(parts) for other in result):
            raise InputError(
                f"the key {', '.join(map(repr, parts))} is named twice in keys=: name it once"
            )
        result.append(tuple(parts) if len(parts) > 1 else parts[0])
    return result


def _id_names(named: Any) -> list[str]:
    """Return the list of columns that ``id=`` names; raise an InputError for a repeated name."""
    if named is None:
        return []
    check_names("id=", named)
    names = named if isinstance(named, list) else [named]
    if not names:
        raise InputError("id= names no column: name one or more, or leave it out for row positions")
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"column {name!r} is named twice in id=: name it once")
    return names


def _values_of(ignore: Any) -> list[Any]:
    """Return the values to ignore; raise an error unless these are of types that keys may have."""
    if ignore is None:
        return []
    if isinstance(ignore, str) or not isinstance(ignore, list | tuple | set | frozenset):
        raise ArgumentTypeError(
            f"ignore= must be a list of values, not {shown(ignore)}: pass ignore=[...], or"
            " ignore=[] to ignore none"
        )
    for value in ignore:
        is_valid = isinstance(value, str | int | np.integer | np.bool_ | date | np.datetime64)
        if not is_valid or value != value:  # NaT is a null
            raise ArgumentTypeError(
                f"ignore= contains {shown(value)}, but keys hold strings, integers, booleans,"
                " dates and times; nulls are always ignored"
            )
    return list(ignore)


def _ids_of(frame: Any, names: list[str], size: int) -> EdgeInput:
    """Return an input with the ids of records as ``src`` and an empty ``dst``.

    Without ``names`` of id columns, the ids are row positions, and ``src`` is also empty. Answers
    are frames of the library of the records.
    """
    make_frame, on_device = answers_like(frame)
    columns = [of(name, column_of(frame, name)) for name in names]
    for column in columns:
        _check_size(column.name, column.size, size)
    ids = of_key_columns(columns) if columns else empty("row")  # the name of positions in errors
    # the ids are vertices, so answers have no columns of ends
    return EdgeInput(ids, empty_like(ids, ids), make_frame, on_device, end_names=())


def _check_size(name: str, size: int, rows: int) -> None:
    """Raise an InputError unless a column, which may be an array, has one value per record."""
    if size != rows:
        raise InputError(
            f"column {name!r} has {size:,} values, but the first column has {rows:,}: every column"
            " needs one value for each record"
        )


def _key_part(name: str, values: Any, ignore: list[Any]) -> KeyPart:
    """Return a column and the values to ``ignore`` in it; raise an error if it cannot be a key."""
    values = as_series(values)
    converted = _converted(values)
    integers, types, convert = _as_integers(name, converted)  # only dates, times and booleans
    # a list or objects that were converted to PyArrow strings
    column = None if converted is values else _string_column(name, converted)
    try:
        if column is None:
            column = unchecked(name, converted if integers is None else integers)
        # whether a cuDF column holds strings is known only after its nulls are removed
        has_strings = column.where(column.valid).strings
    except ColumnTypeError:
        raise _key_type_error(name, values) from None
    if integers is None:
        types = (str,) if has_strings else (int, np.integer)
        ignore = [value for value in ignore if not isinstance(value, bool)]  # a subclass of int
    fitting = [value for value in ignore if isinstance(value, types)]
    return KeyPart(column, convert(fitting), set(map(str, fitting)))


def _key_type_error(name: str, values: Any) -> ColumnTypeError:
    """Return the error for a column of a type that cannot be a key."""
    kind = str(getattr(values, "dtype", None) or getattr(values, "type", type(values).__name__))
    message = f"column {name!r} is {kind} ({len(values):,} values): {KEYS_ARE}"
    if kind.lower().startswith(("float", "double", "half")):
        return ColumnTypeError(
            f"{message}, because floats that look the same may differ; cast it, such as"
            " .astype('int64'), or in pandas .astype('Int64') where values are missing"
        )
    if _holds_lists(kind, values):
        return ColumnTypeError(
            f"{message}, but its values are lists: make a row of each item first, such as by"
            f" frame.explode({name!r}), and name a column of ids by id=, so that the rows of a"
            " record remain one record"
        )
    return ColumnTypeError(f"{message}; cast it, for example to strings")


def _holds_lists(kind: str, values: Any) -> bool:
    """Return whether values are lists, sets or arrays; ``kind`` is the name of their type."""
    if kind == "list":  # a list of Python, which has a value for each record
        return any(map(is_column, values))
    if kind.lower().startswith(("list", "large_list", "fixed_size_list", "array(")):
        return True
    if kind != "object":
        return False
    items = values.to_numpy() if hasattr(values, "to_numpy") else values
    return any(is_column(item) and not isinstance(item, dict) for item in items)


def _converted(values: Any) -> Any:
    """Convert a list or an object column to PyArrow, with missing values of pandas as nulls.

    Return other values, and objects of mixed types, unchanged. Mixed types raise an error later.
    """
    dtype = getattr(values, "dtype", None)
    has_objects = isinstance(dtype, np.dtype) and is_object(dtype) and not is_cudf(values)
    is_convertible = has_objects or isinstance(values, list | tuple)
    if not is_convertible or np.ma.isMaskedArray(values):
        return values
    array = values.to_numpy() if is_series(values) else values
    try:
        arrow = pa.array(array, from_pandas=True)
    except (pa.ArrowException, UnicodeEncodeError, OverflowError):
        return values
    return arrow if isinstance(arrow, pa.ChunkedArray) else pa.chunked_array([arrow])


def _string_column(name: str, column: Any) -> Column | None:
    """Return PyArrow strings as a :class:`Column` that may contain nulls; None for other types."""
    if not pa.types.is_string(column.type):
        return None
    strings = column.cast(pa.large_string()).combine_chunks()
    valid = strings.is_valid().to_numpy(zero_copy_only=False) if strings.null_count else None
    borrow = partial(nullcontext, strings)
    return Column(name, "object", len(strings), borrow, strings=True, valid=valid)


def _as_integers(name: str, values: Any) -> AsIntegers:
    """Return dates, times or booleans as integers; NOT_CONVERTED for a column of another type."""
    dtype = getattr(values, "dtype", None)
    if is_cudf(values):
        if is_boolean(dtype):
            return values.astype("int8"), BOOLEANS, _zeros_and_ones
        if is_time(dtype):
            return values.astype("int64"), DATES_AND_TIMES, partial(_ticks_of_numpy, dtype)
        return NOT_CONVERTED
    if isinstance(values, np.ndarray) or hasattr(values, "__cuda_array_interface__"):
        return _array_as_integers(values)
    if not is_series(values):
        return NOT_CONVERTED
    series = series_of(values, name)
    if series.dtype == nw.Boolean:
        return pa.chunked_array([series.to_arrow()]).cast(pa.int8()), BOOLEANS, _zeros_and_ones
    if not series.dtype.is_temporal():
        return NOT_CONVERTED
    arrow = series.to_arrow()
    ticks = _ticks(pa.chunked_array([arrow]))
    return ticks, DATES_AND_TIMES, partial(_ticks_like, arrow.type)


def _array_as_integers(array: Any) -> AsIntegers:
    """Return what :func:`_as_integers` returns, for an array; NaT and masked values are masked."""
    if is_boolean(array.dtype):
        return array.astype(np.int8), BOOLEANS, _zeros_and_ones
    if not is_time(array.dtype):
        return NOT_CONVERTED
    missing = np.isnat(np.asarray(array)) | np.ma.getmaskarray(array)
    numbers = np.ma.array(np.asarray(array).view(np.int64), mask=missing)
    return numbers, DATES_AND_TIMES, partial(_ticks_of_numpy, array.dtype)


def _zeros_and_ones(values: list[Any]) -> list[int]:
    return list(map(int, values))


def _ticks(column: Any) -> Any:
    """Return the integers that store a PyArrow column of dates or times."""
    return column.cast(pa.int32() if column.type.bit_width == 32 else pa.int64())


def _ticks_like(kind: Any, values: list[Any]) -> list[int]:
    """Return dates and times as the integers that store them in a PyArrow type.

    Values that the type cannot represent exactly are left out, because no value of a column of this
    type equals them.
    """
    ticks: list[int] = []
    for value in values:
        original = pa.array(np.array([value]) if isinstance(value, np.datetime64) else [value])
        try:
            cast = original.cast(kind)
            if cast.cast(original.type).equals(original):
                ticks += _ticks(cast).to_pylist()
        except pa.ArrowException:  # the type cannot hold the value
            continue
    return ticks


def _ticks_of_numpy(dtype: Any, values: list[Any]) -> list[int]:
    """Return what :func:`_ticks_like` returns, for a NumPy type; [] for a type of durations."""
    if not issubclass(dtype.base.type, np.datetime64):
        return []
    ticks = []
    for moment in map(np.datetime64, values):
        cast = moment.astype(dtype.base)  # ``base`` removes the time zone of pandas' types
        if cast.astype(moment.dtype) == moment:
            ticks.append(int(cast.astype(np.int64)))
    return ticks
