"""Columns of ids, checked and passed to kernels without a copy.

Columns of cuDF and arrays are read in place. Lists and columns of other libraries are converted to
PyArrow or NumPy if the conversion is exact. Other columns raise an error that names the column, its
type and the row.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache, partial, reduce
from hashlib import blake2b
from operator import and_
from typing import Any

import numpy as np

from ..errors import CapacityError, ColumnTypeError, InputError, NullsError, counted, listed, shown
from .cudf_columns import borrow_numbers
from .dtypes import is_fixed_text, is_float, is_integer, is_number, is_object, is_text, is_wide_text
from .edge_array import as_array, is_edge_array
from .kinds import speaks_arrow
from .lazy import cupy, nw, pa, pc, pd, pl

FILL = "fill or drop them first"
LEAVE_OUT = "nulls='drop' drops the edges with a null end; or fill the nulls first"
REFUSE = "refuse"  # the policy for nulls in functions without nulls=: like "raise"
# the advice in errors for null ends of edges, by the policy for nulls
REMEDIES = {"raise": LEAVE_OUT, "drop": LEAVE_OUT, REFUSE: FILL}


def refuse_nulls(name: str, missing: int, size: int, remedy: str = FILL) -> None:
    """Raise a NullsError that ends with ``remedy`` unless the number ``missing`` is 0."""
    if missing:
        label = f"{name}=" if name == "vertices" else f"column {name!r}"
        nulls = counted(missing, "null")
        raise NullsError(f"{label} has {nulls} in {counted(size, 'row')}: {remedy}")


def refuse_twice(name: Any, names: list[Any]) -> None:
    """Raise an InputError if several columns have the requested name."""
    if names.count(name) > 1:
        raise InputError(f"{names.count(name)} columns are called {name!r}: rename one")


def id_type_error(name: str, dtype: str, size: int, missing: int = 0) -> ColumnTypeError:
    """Return the error for a column of a type that cannot hold ids."""
    absent = f", {missing:,} of them missing" if missing else ""
    values = f"{size:,} values{absent}"
    message = f"column {name!r} is {dtype} ({values}): ids must be integers or strings"
    if dtype.lower().startswith(("float", "double", "half")):
        return ColumnTypeError(
            f"{message}, because floats merge ids beyond 2^53; cast it, such as .astype('int64'),"
            " or in pandas .astype('Int64') where values are missing"
        )
    return ColumnTypeError(f"{message}; cast it, or factorize it first")


def surrogates_error(name: str, values: list[Any]) -> InputError:
    """Return the error for strings with half of a surrogate pair, which cannot be encoded."""
    surrogate = re.compile("[\ud800-\udfff]")
    invalid = ((row, value) for row, value in enumerate(values) if surrogate.search(str(value)))
    row, value = next(invalid, (0, "\ud800"))  # another thread may have replaced the string
    return InputError(
        f"column {name!r} contains, in row {row:,} of {len(values):,}, a string with half of a"
        f" surrogate pair, {value!r}, which is not Unicode text: replace it, for example by"
        " .encode('utf-8', 'replace').decode()"
    )


VIEWS = {"string_view": "large_string", "binary_view": "large_binary"}  # view: replacement


def chunked(thing: Any) -> Any:
    """Return a PyArrow array as a chunked array, or a record batch as a table, without a copy.

    Objects that only have Arrow's protocols are also converted. Other objects are returned
    unchanged.
    """
    kind = type(thing)
    if kind.__module__ != "pyarrow.lib":
        if kind.__module__ == "numpy" or not speaks_arrow(kind):  # a fast check for small arrays
            return thing
        from .arrow_protocols import arrow_of  # imported late, because such objects are rare

        return arrow_of(thing)
    if isinstance(thing, pa.Array):
        return pa.chunked_array([thing])
    return pa.Table.from_batches([thing]) if isinstance(thing, pa.RecordBatch) else thing


def length_of(edges: Any) -> int:
    """Return the number of rows of a frame or column; for a lazy frame, run a query."""
    try:
        return len(edges)
    except TypeError:
        pass
    array_interface = getattr(edges, "__cuda_array_interface__", {})
    shape = array_interface.get("shape") or getattr(edges, "shape", None)
    if shape is None and is_edge_array(edges):
        shape = as_array(edges).shape
    if shape:
        return int(shape[0])
    try:
        frame = nw.from_native(edges)
    except TypeError:
        raise InputError(f"a {type(edges).__name__} has no rows: pass a frame or column") from None
    counts = frame.select(nw.len().alias("rows"))
    return int((counts.collect() if isinstance(counts, nw.LazyFrame) else counts).item(0, 0))


def as_series(values: Any, name: str | None = None) -> Any:
    """Convert pandas indexes and arrays to series, and PyArrow arrays to chunked arrays.

    A frame of one column becomes this column. A frame of several columns raises an InputError.
    Other objects are returned unchanged. Nothing is copied.
    """
    values = chunked(values)
    kind = type(values)
    if hasattr(kind, "columns") and not is_series(values):
        return _only_column(values, name)
    is_pandas = kind.__module__.partition(".")[0] == "pandas"
    is_index_or_array = is_pandas and hasattr(kind, "isna") and not hasattr(kind, "iloc")
    if not is_index_or_array or getattr(values, "nlevels", 1) > 1:  # of a MultiIndex
        return values
    return pd.Series(values)


def _only_column(frame: Any, name: str | None) -> Any:
    """Return the only column of a frame, collected if lazy; only errors contain ``name``."""
    from .relations import is_relation, table_of

    kind = type(frame).__name__
    if is_relation(frame):
        frame = table_of(frame)
    elif hasattr(frame, "compute") or hasattr(frame, "collect"):
        return as_series(frame.compute() if hasattr(frame, "compute") else frame.collect(), name)
    names = list(getattr(frame, "column_names", None) or frame.columns)
    if len(names) != 1:
        label = f"{name}= is" if name == "vertices" else "ids or weights are"
        raise InputError(
            f"{label} a {kind} of {len(names)} columns ({', '.join(map(repr, names))}), but must be"
            " one column: select it"
        )
    return as_series(frame[names[0]])


def normalized(native: Any, name: str = "ids") -> Any:
    """Return a column in native byte order, in an encoding that PyArrow's functions support.

    Runs are decoded, and so are dictionaries of numbers. A dictionary of strings is encoded again
    if its values include nulls or are views. A column that needs no change is not copied. Invalid
    dictionaries or runs raise an InputError, which contains ``name``.
    """
    if _is_arrow(native):
        return _normalized_arrow(name, native)
    native = in_native_order(native)
    if not str(getattr(native, "dtype", "")).startswith(("dictionary<", "run_end_encoded<")):
        return native  # only pandas names Arrow-backed types like this
    arrow = native.array.__arrow_array__()
    converted = _normalized_arrow(name, arrow)
    return native if converted is arrow else _pandas_series(converted, native.index, native.name)


def in_native_order(column: Any) -> Any:
    """Return an array or pandas column in native byte order, copied if its bytes are swapped."""
    dtype = getattr(column, "dtype", None)
    if not isinstance(dtype, np.dtype) or dtype.isnative:
        return column
    return column.astype(dtype.newbyteorder("="))


def validated_copy(name: str, arrow: Any) -> Any:
    """Return a copy of a PyArrow column, after checking the offsets and indices in the copy.

    The copy stays valid if the caller writes to the original later. Offsets or indices out of
    range, and buffers that are not valid text, raise an InputError.
    """
    try:
        if isinstance(arrow, pa.ChunkedArray):
            return pa.chunked_array([_copied(chunk) for chunk in arrow.chunks], arrow.type)
        return _copied(arrow)
    except pa.ArrowException as error:
        raise _buffers_error(name, arrow.type, error) from error


def _buffers_error(name: str, kind: Any, error: Exception) -> InputError:
    """Return the error for a column of type ``kind`` in which PyArrow found an ``error``."""
    return InputError(
        f"column {name!r} is {kind} whose buffers do not form a column ({error}): build it again"
    )


def _copied(array: Any) -> Any:
    """Return a copy of an array and its parts; raise an ArrowException if it is invalid."""
    if pa.types.is_dictionary(array.type):
        indices, values = _copied(array.indices), _copied(array.dictionary)
        ordered = array.type.ordered
        copy = pa.DictionaryArray.from_arrays(indices, values, ordered=ordered, safe=False)
    elif pa.types.is_run_end_encoded(array.type):
        runs = pa.RunEndEncodedArray.from_arrays(_copied(array.run_ends), _copied(array.values))
        copy = runs.slice(array.offset, len(array))
    else:
        copy = pa.concat_arrays([array])
    copy.validate(full=True)
    return copy


def column_where(column: Any, mask: Any) -> Any:
    """Return the rows of a column or list where a boolean array is true; the type is unchanged."""
    if isinstance(column, list | tuple):
        return type(column)(value for value, keep in zip(column, mask, strict=True) if keep)
    column = chunked(column)
    if is_cudf(column) or not is_series(column):
        return column[mask]
    if _is_arrow(column):
        return arrow_rows(column, mask)
    if not hasattr(column, "iloc"):
        return column.filter(mask)
    arrow_backed = getattr(pd.arrays, "ArrowExtensionArray", ())
    if not isinstance(column.array, arrow_backed):
        return column[mask]
    rows = arrow_rows(validated_copy("ids", column.array.__arrow_array__()), mask)
    selected = _pandas_series(rows, column.index[mask], column.name)
    if selected.dtype != column.dtype:  # such as string[pyarrow], which is no ArrowDtype
        selected = selected.astype(column.dtype)
    return selected


def _is_arrow(native: Any) -> bool:
    """Return whether an object is a chunked array of PyArrow, without importing PyArrow."""
    return isinstance(native, getattr(sys.modules.get("pyarrow"), "ChunkedArray", ()))


def _pandas_series(arrow: Any, index: Any, name: Any) -> Any:
    return pd.Series(pd.arrays.ArrowExtensionArray(arrow), index, name=name)


def arrow_rows(column: Any, mask: Any) -> Any:
    """Return the rows of a PyArrow chunked array where a boolean array is true.

    The type is unchanged. Because PyArrow cannot filter views and runs, they are converted,
    filtered and converted back. For other types that PyArrow cannot filter, such as lists of views,
    slices of the column are concatenated.
    """
    kind = column.type
    try:
        if not pa.types.is_run_end_encoded(kind):
            rows = without_views(column).filter(pa.array(mask))
            return rows if rows.type == kind else rows.cast(kind)
        # PyArrow infers the type from the chunks, so there must be at least one
        chunks = list(map(_decoded, column.chunks)) or [pa.array([])]
        rows = pa.chunked_array(chunks).filter(pa.array(mask))
        encoded = pc.run_end_encode(rows, run_end_type=kind.run_end_type)
        if encoded.type == kind:
            return encoded
    except pa.ArrowNotImplementedError:
        pass
    # the mask changes at the first row of each run of true values, and at the row after the run
    changes = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False])).astype(np.int8)))
    slices = (column.slice(a, b - a) for a, b in changes.reshape(-1, 2).tolist())
    return pa.chunked_array([chunk for part in slices for chunk in part.chunks], kind)


def _normalized_arrow(name: str, column: Any) -> Any:
    """Decode or encode a PyArrow column as :func:`normalized` says."""
    types = pa.types
    has_dictionaries = types.is_dictionary(column.type)
    if not (has_dictionaries or types.is_run_end_encoded(column.type)):
        return column
    chunks, value_type = validated_copy(name, column).chunks, column.type.value_type
    is_nested = types.is_dictionary(value_type) or types.is_run_end_encoded(value_type)
    is_number_type = types.is_integer(value_type) or types.is_floating(value_type)
    is_decoded = is_nested or is_number_type or types.is_null(value_type)
    if is_decoded or not has_dictionaries:
        arrays = list(map(_decoded, chunks))
    else:
        has_nulls = any(chunk.dictionary.null_count for chunk in chunks)
        if not has_nulls and str(value_type) not in VIEWS:
            return column
        # PyArrow cannot unify dictionaries whose values include nulls
        arrays = [_decoded(chunk).dictionary_encode() for chunk in chunks]
    return pa.chunked_array(arrays, arrays[0].type if arrays else pa.null())


def _decoded(array: Any) -> Any:
    """Return an array with dictionaries, runs and views decoded."""
    if pa.types.is_run_end_encoded(array.type):
        ends, values = array.run_ends, _decoded(array.values)
        runs = pa.RunEndEncodedArray.from_arrays(ends, values)
        return _decoded(pc.run_end_decode(runs.slice(array.offset, len(array))))
    if pa.types.is_dictionary(array.type):
        return _decoded(array.dictionary).take(array.indices)
    return without_views(array)


def without_views(array: Any) -> Any:
    """Convert views of strings or bytes to a layout that PyArrow's functions support."""
    kind = VIEWS.get(str(array.type))
    return array.cast(getattr(pa, kind)()) if kind else array


def table_without_views(table: Any) -> Any:
    """Convert views in a PyArrow table, including views in lists, structs and dictionaries."""
    types = map(_type_without_views, table.schema.types)
    for place, (field, kind) in enumerate(zip(table.schema, types, strict=True)):
        if kind != field.type:
            table = table.set_column(place, field.with_type(kind), table.column(place).cast(kind))
    return table


def _type_without_views(kind: Any) -> Any:
    """Return the PyArrow type in which views are replaced by the types of ``VIEWS``."""
    if str(kind) in VIEWS:
        return getattr(pa, VIEWS[str(kind)])()
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, _type_without_views(kind.value_type), kind.ordered)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        values = kind.value_field.with_type(_type_without_views(kind.value_type))
        return pa.list_(values) if pa.types.is_list(kind) else pa.large_list(values)
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_type_without_views(field.type)) for field in kind])
    return kind


def text_buffers(column: Any) -> tuple[Any, Any]:
    """Return the UTF-8 bytes of a column of strings without nulls, and their offsets.

    Parameters
    ----------
    column : PyArrow array or chunked array, or None for no rows

    Returns
    -------
    (k,) array of uint8
        The bytes, not copied if the column is a single array of large strings.
    (n + 1,) array of int64
        The offset of each string, from 0 to k.
    """
    if column is None or not len(column):
        return np.empty(0, np.uint8), np.zeros(1, np.int64)
    column = column.cast(pa.large_string())
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    _, starts, chars = column.buffers()
    offsets = np.frombuffer(starts, np.int64)[column.offset : column.offset + len(column) + 1]
    octets = np.frombuffer(chars or b"", np.uint8)[offsets[0] : offsets[-1]]
    if offsets[0]:
        offsets = offsets - offsets[0]
    return octets, offsets


def text_of_buffers(octets: Any, offsets: Any, n: int) -> Any:
    """Return n strings as an array of PyArrow, from the buffers of :func:`text_buffers`.

    Raise a ValueError if the buffers do not hold n valid strings.
    """
    has_types = offsets.dtype == np.int64 and octets.dtype == np.uint8
    has_size = offsets.size == n + 1 and offsets[0] == 0 and offsets[-1] == octets.size
    if not (has_types and has_size) or (offsets[1:] < offsets[:-1]).any():
        raise ValueError(f"its {octets.size:,} bytes of text are not those of {n:,} ids")
    strings = pa.LargeStringArray.from_buffers(n, pa.py_buffer(offsets), pa.py_buffer(octets))
    strings.validate(full=True)  # raises an ArrowInvalid, which is a ValueError
    return strings


BOOLEANS, INTEGERS = (bool, np.bool_), (int, np.integer)
ABSENT = ("NoneType", "NAType", "NaTType", "MaskedConstant")  # types of missing values
DENSE_CHARS = 1 << 20  # an array of strings of one width may always have this many characters
MAX_SPARSITY = 8  # a larger array may have this many characters per character of its strings


def array_of_range(ids: range, xp: Any = np, name: str = "vertices") -> Any:
    """Return the integers of a range as an array of int64, or of uint64 if int64 is too small.

    ``numpy.arange`` returns floats or objects beyond 2^63, or leaves out the last integers.

    Raises
    ------
    InputError
        No integer type of 64 bits holds all values.
    CapacityError
        The array does not fit into memory.

    Examples
    --------
    >>> array_of_range(range(2**63 + 2, 2**63 - 2, -2)).tolist()
    [9223372036854775810, 9223372036854775808]
    """
    if not ids:
        return xp.arange(0)
    least, greatest = sorted((ids[0], ids[-1]))
    if least < -(1 << 63) or greatest >= 1 << (64 if least >= 0 else 63):
        raise InputError(
            f"{name}={shown(ids)} has integers from {shown(least)} to {shown(greatest)}: no 64-bit"
            " integer type holds them all; shift them"
        )
    try:
        positions = xp.arange(len(ids), dtype=np.uint64)
    except (MemoryError, ValueError, OverflowError):
        raise CapacityError(
            f"{name}={shown(ids)} has more integers than there is memory for: pass fewer"
        ) from None
    # negative steps and starts wrap around, as unsigned integers do
    values = positions * np.uint64(ids.step % (1 << 64)) + np.uint64(ids.start % (1 << 64))
    return values if greatest >= 1 << 63 else values.view(np.int64)


def array_of_host(name: str, values: Any) -> Any:
    """Convert host values to an array, masked if values are missing; do not copy NumPy arrays.

    Raises
    ------
    ColumnTypeError, InputError
        A list mixes integers and booleans, has integers beyond 64 bits, is ragged, or holds other
        objects.
    """
    if isinstance(values, np.ndarray):
        return values if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
    if isinstance(values, range):
        return array_of_range(values, name=name)
    is_list = isinstance(values, list | tuple)
    types = set(map(type, values)) if is_list else set()
    if any(kind.__name__ in ABSENT for kind in types):
        return _masked(name, values)
    if any(map(_is_column, types)):
        raise id_type_error(name, "a list of columns", len(values))
    are_strings = bool(types) and all(issubclass(kind, str) for kind in types)
    if are_strings and _is_wide(values):
        return np.asarray(values, object)
    array = any_array(name, values)
    # NumPy converts other values among strings to text, and cuts a NUL at the end of a string
    if is_fixed_text(array.dtype) and not all(
        isinstance(value, str) and not value.endswith("\0") for value in values
    ):
        return np.asarray(values, object)
    if not is_list or array.ndim != 1:
        return array
    if is_number(array.dtype) and any(issubclass(kind, BOOLEANS) for kind in types):
        raise id_type_error(name, "a list with booleans among them", len(values))
    are_integers = bool(types) and all(map(_is_integer, types))
    if are_integers and (is_float(array.dtype) or is_object(array.dtype)):
        return _integers(name, [int(value) for value in values])
    if is_float(array.dtype):
        # in a list with integers, NaN is a missing value; in a list of floats, only if all are NaN
        nan_is_missing = any(map(_is_integer, types)) or all(map(_is_missing, values))
        if nan_is_missing and any(map(_is_missing, values)):
            return _masked(name, values)
    return array


def numbers_of_list(name: str, values: Any) -> Any:
    """Return a list of numbers as a masked array, in which missing values are masked."""
    missing = np.fromiter(map(_is_missing, values), bool, len(values))
    array = any_array(name, [0 if _is_missing(v) else v for v in values])
    if any(map(_is_column, set(map(type, values)))) or array.ndim != 1:
        raise id_type_error(name, "a list of columns", len(values))
    return np.ma.array(array, mask=missing)


def missing_in(array: Any) -> Any:
    """Return a boolean array of the missing values of a host array; None if none is missing.

    Masked values are missing. In arrays of objects or strings, None, NaN, and pandas' NA and NaT
    are missing, too.
    """
    missing = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    if is_object(array.dtype) or is_wide_text(array.dtype):
        values = np.ma.getdata(array)
        if not set(map(type, values)) <= {str}:
            absent = np.fromiter(map(_is_missing, values), bool, array.size)
            missing = absent if missing is None else missing | absent
    return missing if missing is not None and missing.any() else None


def _is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, NA or NaT, or is masked."""
    kind = type(value)
    if kind.__name__ in ABSENT:
        return True
    return issubclass(kind, float | np.floating) and bool(value != value)  # only NaN differs


def any_array(name: str, values: Any) -> Any:
    """Convert values to a NumPy array; raise an InputError if NumPy cannot."""
    if isinstance(values, np.ndarray):
        return np.asarray(values)
    if hasattr(values, "adjacency"):  # NumPy would convert the nodes of a graph
        raise InputError(f"{name!r} cannot be a {type(values).__name__}: pass a column or list")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy warns of values for which errors follow
            return np.asarray(values)
    except MemoryError:
        raise
    except Exception as error:  # raised by NumPy, or by the library of the values
        raise InputError(
            f"{name!r} cannot be a {type(values).__name__} which NumPy cannot convert to an array"
            f" ({error}): pass an array, or a list of integers or strings"
        ) from None


def _masked(name: str, values: Any) -> Any:
    """Convert a list with missing values to a masked array of the type of the others."""
    missing = np.fromiter(map(_is_missing, values), bool, len(values))
    present = array_of_host(name, [value for value in values if not _is_missing(value)])
    if present.ndim != 1:
        dtype = f"a list of arrays of {present.dtype}"
        raise id_type_error(name, dtype, len(values), int(missing.sum()))
    data = np.zeros(len(values), present.dtype)
    data[~missing] = present
    return np.ma.array(data, mask=missing)


def _is_wide(strings: Any) -> bool:
    """Return whether a fixed-width array of these strings would be mostly empty."""
    lengths = list(map(len, strings))
    return max(lengths) * len(strings) > DENSE_CHARS + MAX_SPARSITY * sum(lengths)


def _is_column(kind: type) -> bool:
    """Return whether a type is a column of a frame library."""
    return kind.__module__.startswith(("pandas", "polars", "pyarrow")) and hasattr(kind, "__len__")


def _is_integer(kind: type) -> bool:
    return issubclass(kind, INTEGERS) and not issubclass(kind, BOOLEANS)


def _integers(name: str, values: list[int]) -> Any:
    """Return Python integers as int64 or uint64, where NumPy would infer floats or objects."""
    low, high = min(values), max(values)
    for dtype in (np.int64, np.uint64):
        limits = np.iinfo(dtype)
        if limits.min <= low and high <= limits.max:
            return np.array(values, dtype)
    raise ColumnTypeError(
        f"column {name!r} is a list of integers from {shown(low)} to {shown(high)} ({len(values):,}"
        " values): no 64-bit integer type holds them all; shift them, or convert them to strings"
    )


LIBRARIES = ("pandas", "cudf", "polars", "pyarrow", "modin")
Borrow = Callable[[], AbstractContextManager[Any]]
Native = Callable[[Any, Callable[[], Any]], Any]


def as_it_is(values: Any, all_strings: Callable[[], Any]) -> Any:
    """Return the values unchanged."""
    return values


@dataclass(frozen=True)
class Column:
    """One column of ids: integers in an array, or strings in a series of cuDF or array of PyArrow.

    ``borrow`` returns a context manager over the ids; while it is open, cuDF cannot spill them. A
    column of composite ids has ``key_columns``; its ``borrow`` gives a list with the ids of each.

    ``to_native(strings, all_strings)`` converts strings of an answer, in a PyArrow array or a cuDF
    series, to a column of the caller's library. The columns of an answer share their categories,
    which may be made from ``all_strings()``, the strings of the whole answer. Columns can be
    pickled, because ``borrow`` and ``to_native`` are functions of modules or partial functions.

    ``valid`` is a boolean array that is False for missing ids, on the device of the ids; None if no
    id is missing. Missing ids are refused by :meth:`checked`, or left out by :meth:`where`.
    """

    name: str
    dtype: str
    size: int
    borrow: Borrow
    strings: bool = False
    to_native: Native = as_it_is
    key_columns: tuple[Column, ...] = ()
    valid: Any = None

    def checked(self, remedy: str = FILL) -> Column:
        """Return the column; raise a NullsError that ends with the remedy if ids are missing."""
        if self.valid is not None:
            refuse_nulls(self.name, self.size - int(self.valid.sum()), self.size, remedy)
        return self

    def where(self, keep: Any) -> Column:
        """Return the rows where the boolean array ``keep`` is true.

        ``keep`` must be false for missing ids. If it is None, return the column unchanged. If it is
        on the host, rows are selected now, otherwise each time that the ids are borrowed.
        """
        if keep is None:
            return self
        if self.key_columns:
            return of_key_columns([part.where(keep) for part in self.key_columns])
        borrow: Borrow = partial(_borrow_where, self, keep)
        if isinstance(keep, np.ndarray):
            with borrow() as ids:
                borrow = partial(nullcontext, ids)
        return replace(self, size=int(keep.sum()), borrow=borrow, valid=None)


@contextmanager
def _borrow_where(column: Column, keep: Any) -> Iterator[Any]:
    with column.borrow() as ids:
        if hasattr(ids, "buffers") or hasattr(ids, "chunks"):  # an Array or ChunkedArray of PyArrow
            yield ids.filter(pa.array(keep))
        else:
            yield ids[moved(keep, is_cudf(ids) or hasattr(ids, "__cuda_array_interface__"))]


def moved(array: Any, on_device: bool) -> Any:
    """Return an array on the GPU if ``on_device``, otherwise on the host; copy only if needed."""
    if hasattr(array, "__cuda_array_interface__") == on_device:
        return array
    return cupy.asarray(array) if on_device else array.get()


class Borrowing:
    """A context manager that borrows columns, and gives a list of the borrowed ids.

    It is more than half a microsecond faster than an ``ExitStack``.
    """

    def __init__(self, columns: list[Column]) -> None:
        self.columns = columns

    def __enter__(self) -> Any:
        self._open: list[AbstractContextManager[Any]] = []
        borrowed = []
        try:
            for column in self.columns:
                context = column.borrow()
                borrowed.append(context.__enter__())
                self._open.append(context)
            return borrowed
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise

    def __exit__(self, *error: Any) -> None:
        """Release all columns in reverse order, even if releasing one of them raises an error."""
        while self._open:
            try:
                self._open.pop().__exit__(*error)
            except BaseException:
                self.__exit__(*error)  # releases the other columns
                raise


def borrowed_columns(column: Column, borrowed: Any) -> list[tuple[Column, Any]]:
    """Return a pair (column, borrowed ids) for each key column, or for a column of single ids."""
    if column.key_columns:
        return list(zip(column.key_columns, borrowed, strict=True))
    return [(column, borrowed)]


def is_cudf(thing: Any) -> bool:
    """Return whether cuDF has been imported, and an object belongs to it."""
    return type(thing).__module__.partition(".")[0] == "cudf" and "cudf" in sys.modules


def is_cudf_frame(thing: Any) -> bool:
    """Return whether an object is a cuDF frame, without computing its attribute ``columns``."""
    return is_cudf(thing) and hasattr(type(thing), "columns")


def is_series(thing: Any) -> bool:
    """Return whether an object is a series of a frame library."""
    library = type(thing).__module__.partition(".")[0]
    return library in LIBRARIES and type(thing).__name__ in ("Series", "ChunkedArray")


def of(name: str, values: Any) -> Column:
    """Return a series of any library, or an array, as a column of ids.

    Raises
    ------
    ColumnTypeError, NullsError, InputError
        The values are not ids, contain nulls, or are not one-dimensional.
    """
    return unchecked(name, values).checked()


def unchecked(name: str, values: Any) -> Column:
    """Return a series of any library, or an array, as a column of ids; some may be missing.

    Raises
    ------
    ColumnTypeError, InputError
        The values are not ids, not one-dimensional, or cannot be converted to an array.
    """
    values = as_series(values, name)
    if not is_series(values):
        return of_array(name, _one_dimensional(name, values))
    if is_cudf(values):
        return _WithNulls.of(name, values) if values.null_count else of_cudf(name, values)
    return of_series(name, series_of(values, name))


@dataclass(frozen=True)
class _WithNulls(Column):
    """A cuDF series with nulls, unchecked until ``where`` leaves out the nulls."""

    @classmethod
    def of(cls, name: str, series: Any) -> _WithNulls:
        valid, borrow = series.notnull().to_cupy(), partial(nullcontext, series)
        return cls(name, str(series.dtype), len(series), borrow, valid=valid)

    def where(self, keep: Any) -> Column:
        if keep is None:
            return self
        if self.size and not bool(keep.any()):
            return empty(self.name)  # a series of nulls may have any type
        with self.borrow() as series:
            return of_cudf(self.name, series[keep])


def valid_of(native: Any) -> Any:
    """Return a boolean array that is False for nulls of a host column; None if there are no nulls.

    In columns of pandas that hold floats or objects, NaN is null, too.
    """
    dtype = getattr(native, "dtype", None)
    if str(dtype) == "object":  # to find NaN, pandas would compare each object with itself
        missing = missing_in(native.to_numpy())
        return None if missing is None else ~missing
    if getattr(dtype, "kind", "") == "V":  # void values are never null
        return None
    series = nw.from_native(native, series_only=True)
    return ~series.is_null().to_numpy() if series.null_count() else None


def series_of(values: Any, name: str = "ids") -> Any:
    """Return a series of any library as a narwhals series, changed as by :func:`normalized`."""
    return nw.from_native(normalized(values, name), series_only=True)


def common_rows(columns: Iterable[Column]) -> Any:
    """Return a boolean array that is False for rows with missing ids; None without such rows."""
    masks = []
    for column in columns:  # a comprehension would be slower, because it calls a function
        if column.valid is not None:
            masks.append(column.valid)
    if len(set(map(type, masks))) > 1:
        masks = [moved(mask, on_device=False) for mask in masks]
    return reduce(and_, masks) if masks else None


def of_key_columns(key_columns: list[Column]) -> Column:
    """Return several columns as one column of composite ids; return a single column unchanged."""
    if len(key_columns) == 1:
        return key_columns[0]
    names = dict.fromkeys(str(part.name) for part in key_columns)
    dtypes = ", ".join(part.dtype for part in key_columns)
    borrow, parts = partial(Borrowing, key_columns), tuple(key_columns)
    return Column(", ".join(names), dtypes, key_columns[0].size, borrow, key_columns=parts)


def of_cudf(name: str, series: Any, remedy: str = FILL) -> Column:
    """Return a cuDF series of integers, strings or categories as a column, without a copy.

    Errors contain ``name``; the error for nulls ends with ``remedy``.
    """
    missing, to_native, dtype = series.null_count, Column.to_native, series.dtype
    if isinstance(dtype, sys.modules["cudf"].CategoricalDtype):
        to_native, series = _categories_like(dtype), series.astype(dtype.categories.dtype)
        dtype = series.dtype
    kind, type_name, size = dtype.kind, type_name_of(dtype), series.size
    has_strings = kind in "OU" and sys.modules["cudf"].api.types.is_string_dtype(dtype)
    if not (kind in "iu" or has_strings):
        if size == 0:
            return empty(name)
        raise id_type_error(name, type_name, size, missing)
    if missing:
        refuse_nulls(name, missing, size, remedy)
    if not has_strings:
        return Column(name, type_name, size, partial(borrow_numbers, series))
    borrow = partial(nullcontext, series)
    return Column(name, type_name, size, borrow, strings=True, to_native=to_native)


@cache
def type_name_of(dtype: Any) -> str:
    """Return the name of a type; it is cached, because NumPy makes a new string for each call."""
    return str(dtype)


def _categories_like(dtype: Any) -> Native:
    """Return the function that converts strings of answers to cuDF categories like the caller's."""
    kind = sys.modules["cudf"].CategoricalDtype
    categories = kind(dtype.categories, bool(dtype.ordered))  # astype may set ``ordered`` to None
    return partial(_in_cudf_categories, categories)


def _in_cudf_categories(dtype: Any, series: Any, all_strings: Callable[[], Any]) -> Any:
    strings = all_strings()
    if not strings.isin(dtype.categories).all():
        dtype = type(dtype)(strings)
    return series.astype(dtype)


def numbers_of_series(series: Any) -> tuple[Any, Any]:
    """Return numbers of a narwhals series as an array, and a mask that is False for nulls.

    The mask is None if no number is null.
    """
    if not series.null_count():
        return series.to_numpy(), None
    return series.fill_null(0).to_numpy(), ~series.is_null().to_numpy()


def of_series(name: str, series: Any) -> Column:
    """Return a narwhals series as a column of ids; some ids may be missing."""
    dtype, native = series.dtype, series.to_native()
    type_name = str(getattr(native, "dtype", None) or native.type)
    if dtype.is_integer() and dtype not in (nw.Int128, nw.UInt128):
        # integers of NumPy are never null; pandas would make a mask to look for nulls
        has_no_nulls = isinstance(getattr(native, "dtype", None), np.dtype)
        array, valid = (series.to_numpy(), None) if has_no_nulls else numbers_of_series(series)
        if not issubclass(array.dtype.type, np.integer):
            # some versions return another type than the named Int8 or int8[pyarrow]
            array = array.astype(type_name.lower().partition("[")[0])
        return Column(name, type_name, array.size, partial(nullcontext, array), valid=valid)
    if type_name == "object":
        return of_array(name, native.to_numpy(), partial(_in_pandas, native.dtype))
    decoded = series_of(native, name)
    if decoded.dtype.is_integer() and not dtype.is_integer():  # run-end encoded
        return of_series(name, decoded)
    column = _of_strings(name, type_name, decoded) or _of_nulls(name, type_name, decoded)
    if column is None:
        raise _series_type_error(name, type_name, decoded)
    return column


def _of_strings(name: str, type_name: str, series: Any) -> Column | None:
    """Return a column of strings, or of categories that are strings or integers; otherwise None."""
    is_categorical = isinstance(series.dtype, nw.Categorical | nw.Enum)
    if not (is_categorical or series.dtype == nw.String):
        return None
    if is_categorical and not len(series):  # the categories may be of any type, such as null
        arrow = pa.array([], pa.large_string())
    else:
        arrow = _to_arrow(name, series)
    if arrow is None:
        return None
    value_type = arrow.type.value_type if pa.types.is_dictionary(arrow.type) else arrow.type
    valid = arrow.is_valid().to_numpy(zero_copy_only=False) if arrow.null_count else None
    if pa.types.is_integer(value_type):
        array = arrow.cast(value_type).fill_null(0).to_numpy()
        return Column(name, type_name, array.size, partial(nullcontext, array), valid=valid)
    if not (pa.types.is_string(value_type) or pa.types.is_large_string(value_type)):
        return None
    native, library = series.to_native(), series.implementation
    to_native: Native  # refers to a type, not to the column, which can then be freed
    if library.is_pandas_like():
        to_native = partial(_in_pandas_categories if is_categorical else _in_pandas, native.dtype)
    elif library.is_polars():
        to_native = partial(_in_polars_categories, native.dtype) if is_categorical else _in_polars
    elif is_categorical:
        to_native = partial(_as_dictionary, value_type)
    else:
        to_native = partial(_in_arrow, native.type)
    size, borrow = len(arrow), partial(nullcontext, arrow)
    return Column(name, type_name, size, borrow, strings=True, to_native=to_native, valid=valid)


def _of_nulls(name: str, type_name: str, series: Any) -> Column | None:
    """Return a column whose values are all null, of any type; None if a value is not null."""
    valid, size = valid_of(series.to_native()), len(series)
    if size and (valid is None or bool(valid.any())):
        return None
    return _nulls(name, type_name, size)


def _series_type_error(name: str, type_name: str, series: Any) -> ColumnTypeError:
    """Return the error for a column whose type cannot hold ids, with its number of missing values.

    NaN counts as missing. For categories, the error also names the type of the categories.
    """
    native = series.to_native()
    if series.dtype.is_float() and not series.implementation.is_pandas_like():
        missing = int((series.is_null() | series.is_nan()).sum())
    else:
        valid = valid_of(native)  # False for NaN in floats of pandas
        missing = 0 if valid is None else int((~valid).sum())
    categories = getattr(getattr(native, "dtype", None), "categories", None)
    if categories is not None and hasattr(categories, "dtype"):
        type_name = f"{type_name} of {categories.dtype}"
    return id_type_error(name, type_name, len(series), missing)


def _nulls(name: str, type_name: str, size: int) -> Column:
    """Return a column of nulls of a type that may not hold ids."""
    ids = partial(nullcontext, np.zeros(size, np.int64))
    return Column(name, type_name, size, ids, valid=np.zeros(size, bool)) if size else empty(name)


def _to_arrow(name: str, series: Any) -> Any:
    """Convert strings or categories to a valid array of PyArrow without views.

    The result is None for categories whose values PyArrow cannot hold.
    """
    try:
        return without_views(validated_copy(name, series.to_arrow()))
    except UnicodeEncodeError:
        raise surrogates_error(name, series.to_list()) from None
    except (pa.ArrowException, TypeError) as error:
        if hasattr(getattr(series.to_native(), "dtype", None), "categories"):
            return None
        raise _buffers_error(name, series.dtype, error) from error  # chunks that do not combine


# The following functions are used as ``Column.to_native``; ``Column`` explains ``all_strings``.


def _in_pandas_categories(dtype: Any, array: Any, all_strings: Callable[[], Any]) -> Any:
    if not _holds(dtype, all_strings):
        dtype = pd.CategoricalDtype(all_strings().unique().to_pandas())
    return array.to_pandas().astype(dtype)


def _in_polars_categories(dtype: Any, array: Any, all_strings: Callable[[], Any]) -> Any:
    # A Categorical accepts any string. In Polars 1.32, reading all its categories never ends.
    fits = not isinstance(dtype, pl.Enum) or _holds(dtype, all_strings)
    return pl.from_arrow(array).cast(dtype if fits else pl.Categorical)


def _holds(dtype: Any, all_strings: Callable[[], Any]) -> bool:
    """Return whether the caller's categories are known and include all strings of the answer."""
    categories = getattr(dtype, "categories", None)
    return categories is not None and set(all_strings().to_pylist()) <= set(categories)


def _as_dictionary(dtype: Any, array: Any, all_strings: Callable[[], Any]) -> Any:
    return array.cast(dtype).dictionary_encode()


def _in_pandas(dtype: Any, array: Any, all_strings: Callable[[], Any]) -> Any:
    return array.to_pandas().astype(dtype)


def _in_polars(array: Any, all_strings: Callable[[], Any]) -> Any:
    return pl.from_arrow(array)


def _in_arrow(dtype: Any, array: Any, all_strings: Callable[[], Any]) -> Any:
    # PyArrow casts strings to views, but not dictionaries, so these are decoded first
    value_type = getattr(array.type, "value_type", array.type)
    return array.cast(value_type).cast(dtype)


def array_of(name: str, values: Any) -> Any:
    """Return values as a one-dimensional array, of CuPy if they are on a device, otherwise NumPy.

    Raises
    ------
    NullsError, ColumnTypeError, InputError
        Values are missing, cannot be an array, or are not one-dimensional.
    """
    array = _one_dimensional(name, values)
    missing = None if hasattr(array, "get") else missing_in(array)  # CuPy has no masks
    if missing is not None:
        refuse_nulls(name, int(missing.sum()), array.size)
    return array.data if isinstance(array, np.ma.MaskedArray) else array


def _one_dimensional(name: str, values: Any) -> Any:
    """Return values as an array, perhaps masked; raise an error unless it has one dimension."""
    if hasattr(values, "__cuda_array_interface__"):
        array = cupy.asarray(values)
    else:
        array = array_of_host(name, values)
    if array.ndim != 1:
        if array.ndim == 0 and not hasattr(values, "ndim"):  # a scalar of Python
            raise InputError(
                f"{name!r} cannot be {shown(values)}: pass a column, an array or a list of ids"
            )
        raise InputError(f"array {name!r} has shape {array.shape}: ids must be one-dimensional")
    return array


def of_array(name: str, array: Any, to_native: Native | None = None) -> Column:
    """Return a one-dimensional array as a column of ids; some ids may be missing.

    ``to_native`` converts strings of answers, by default to arrays of the same type.
    """
    dtype, size = array.dtype, array.size
    if is_text(dtype) or (size and is_object(dtype)):
        return _of_texts(name, array, to_native or partial(_in_numpy, name, dtype))
    valid = None
    # a structured array cannot hold ids, and its mask has one value per field
    if isinstance(array, np.ma.MaskedArray) and dtype.names is None:
        missing = missing_in(array)
        valid, array = None if missing is None else ~missing, array.data
    if is_integer(dtype):
        array = in_native_order(array)
        borrow = partial(nullcontext, array)
        return Column(name, type_name_of(array.dtype), size, borrow, valid=valid)
    if size == 0 or (valid is not None and not valid.any()):
        return _nulls(name, str(dtype), size)
    nan_count = int(np.isnan(array).sum()) if is_float(dtype) else 0
    raise id_type_error(name, str(dtype), size, nan_count)


def _of_texts(name: str, array: Any, to_native: Native) -> Column:
    """Return the column of an array of strings, or of objects that are all strings or missing."""
    type_name, size, missing = str(array.dtype), array.size, None
    values = present = np.ma.getdata(array).astype(object, copy=False)
    if isinstance(array, np.ma.MaskedArray) or not _are_strings(values):  # some may be missing
        missing = missing_in(array)
        present = values if missing is None else values[~missing]
        if size and not present.size:
            return _nulls(name, type_name, size)
        if not _are_strings(present):
            kinds = sorted({type(value).__name__ for value in present})
            type_name = f"{type_name} of {listed(kinds)}" if kinds else type_name
            raise id_type_error(name, type_name, size, size - present.size)
    try:
        strings = pa.array(values, pa.large_string(), missing)
    except UnicodeEncodeError:
        raise surrogates_error(name, present.tolist()) from None
    valid, borrow = None if missing is None else ~missing, partial(nullcontext, strings)
    return Column(name, type_name, size, borrow, strings=True, to_native=to_native, valid=valid)


def _are_strings(values: Any) -> bool:
    """Return whether all values are strings; True if there are no values."""
    return all(issubclass(kind, str) for kind in set(map(type, values)))


def _in_numpy(name: str, dtype: Any, array: Any, all_strings: Callable[[], Any]) -> Any:
    strings = array.to_pylist()
    if strings and is_fixed_text(dtype):  # strings of the other end may be wider than ``dtype``
        return array_of_host(name, strings)
    return np.array(strings, dtype)


def empty(name: str) -> Column:
    """Return a column without ids; its type, int64, has no meaning."""
    return Column(name, "int64", 0, partial(nullcontext, np.empty(0, np.int64)))


def without_rows(column: Column) -> Column:
    """Return an empty column with the name, the type and ``to_native`` of a column."""
    if column.key_columns:
        return of_key_columns([without_rows(part) for part in column.key_columns])
    return replace(column, size=0, borrow=empty(column.name).borrow)


def is_alike(column: Column, other: Column) -> bool:
    """Return whether two columns of single ids have the same name, type and ``to_native``."""
    has_same_type = column.name == other.name and column.dtype == other.dtype
    is_shown_alike = column.strings == other.strings and column.to_native is other.to_native
    return has_same_type and is_shown_alike and not (column.key_columns or other.key_columns)


HASH_BYTES = 12  # enough that equal hashes of different content are improbable


class Content:
    """A hash of the content of several columns, to which rows are added in pieces."""

    def __init__(self) -> None:
        # by the positions of a column, of its key column, and of one of its :func:`_arrays`
        self._hashes: dict[tuple[int, int, int], Any] = {}

    def add(self, columns: list[Column]) -> None:
        """Copy rows to the host and add them to the hash.

        The number and the types of the columns must be the same in all calls.
        """
        for column_position, column in enumerate(columns):
            if not column.size:  # an empty column may have any type
                continue
            for key_position, key_column in enumerate(column.key_columns or (column,)):
                with key_column.borrow() as ids:
                    for array_position, array in enumerate(_arrays(key_column, ids)):
                        position = column_position, key_position, array_position
                        new_hash = blake2b(digest_size=HASH_BYTES)
                        self._hashes.setdefault(position, new_hash).update(array)

    def digest(self) -> str:
        """Return the hash of all rows that were added, in hexadecimal digits."""
        hash_of_all = blake2b(digest_size=HASH_BYTES)
        for position, array_hash in sorted(self._hashes.items()):
            hash_of_all.update(bytes(position) + array_hash.digest())
        return hash_of_all.hexdigest()


def _arrays(column: Column, ids: Any) -> list[Any]:
    """Return borrowed ids as arrays on the host: integers, or the bytes and lengths of strings."""
    if column.strings:
        arrow = ids.to_arrow() if hasattr(ids, "to_arrow") else ids
        octets, offsets = text_buffers(arrow)
        return [octets, np.diff(offsets)]
    array = ids.get() if hasattr(ids, "__cuda_array_interface__") else np.asarray(ids)
    return [np.ascontiguousarray(array)]


def ends_of_columns(columns: list[Column]) -> tuple[Column, Column]:
    """Return the columns of sources as one column, and the columns of destinations as another.

    ``columns`` has the columns of sources first. An empty column gets the type of the other end; if
    both are empty, strings win. Raise a ColumnTypeError if one holds integers, the other strings.
    """
    half = len(columns) // 2
    sides: tuple[list[Column], list[Column]] = ([], [])
    for left, right in zip(columns[:half], columns[half:], strict=True):
        if left.strings != right.strings:
            if not left.size and (right.size or right.strings):
                left = empty_like(right, left)
            elif not right.size:
                right = empty_like(left, right)
            else:
                raise ColumnTypeError(
                    f"column {left.name!r} is {left.dtype}, column {right.name!r} is {right.dtype}:"
                    " ids must be integers on both sides or strings on both sides; cast one of them"
                )
        sides[0].append(left)
        sides[1].append(right)
    if half == 1:
        return sides[0][0], sides[1][0]
    return of_key_columns(sides[0]), of_key_columns(sides[1])


def empty_like(like: Column, named: Column) -> Column:
    """Return an empty column with the type of ``like`` and the name of ``named``."""
    if like.key_columns:
        pairs = zip(like.key_columns, named.key_columns, strict=True)
        return of_key_columns([empty_like(part, other) for part, other in pairs])
    return replace(like, name=named.name, size=0, borrow=partial(_borrow_no_rows, like))


@contextmanager
def _borrow_no_rows(column: Column) -> Iterator[Any]:
    with column.borrow() as ids:
        yield ids[:0]
