"""Choose the columns of edges in files that libraries read, and convert errors on damaged files."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from tokenize import TokenError
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from ...errors import CapacityError, CcRapidsError, FormatError, counted
from ..end_columns import naming, partition_keys, place_of
from ..lazy import np, pa

if TYPE_CHECKING:
    from .input_file import ColumnRequest, File

# Errors of zipfile, NumPy and NetworkX. InputError is also a ValueError, and is handled first.
_LIBRARY_ERRORS: tuple[type[Exception], ...] = (
    *(ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RuntimeError),
    *(SyntaxError, TokenError, BadZipFile, struct.error, zlib.error),
)


@contextmanager
def format_errors(file: File, kind: str) -> Iterator[None]:
    """Convert errors that libraries raise for a damaged file to errors with the path."""
    try:
        yield
    except CcRapidsError:
        raise
    except MemoryError as error:
        raise CapacityError(f"{file.path} takes more memory than there is: {error}") from error
    except (OSError, EOFError, pa.ArrowException, *_LIBRARY_ERRORS) as error:
        raise FormatError(f"{file.path} cannot be read as {kind}: {error}") from error


def check_not_joined(path: str, stream: Any, between: int, mark: bytes) -> None:
    """Raise a FormatError if a file is a concatenation of several files; rewind the stream.

    The magic string ``mark`` is at both ends of a file, so a concatenation repeats the mark where
    two files meet. According to the footer of the last file, ``between`` bytes of the file are
    neither rows nor footer. The offsets in this footer count from the start of the last file. In a
    concatenation, ``between`` is therefore at least the size of the earlier files, and the mark is
    repeated within the first ``between`` bytes.
    """
    previous, remaining = b"", between
    stream.seek(0)
    while remaining > 0 and (piece := stream.read(min(remaining + len(mark), 1 << 24))):
        if mark + mark in previous + piece:
            raise FormatError(
                f"{path} is several concatenated files, as cat writes them, but must be one file:"
                " pass the paths of the files, or a pattern in quotes"
            )
        # the two marks may be divided between this piece and the next one
        previous, remaining = piece[1 - 2 * len(mark) :], remaining - len(piece)
    stream.seek(0)


def columns_of(file: File, request: ColumnRequest, schema: Any) -> list[str]:
    """Return the names of the two columns of ids, and of the column of weights if there is one."""
    if len(schema.names) < 2 and not partition_keys(file.path, schema.names):
        for name in request.requested:
            place_of(file.path, schema.names, name)
        raise FormatError(
            f"{file.path} lacks columns: two are needed, but it has {naming(schema.names)}"
        )
    ends = request.columns(file.path, schema.names)
    weight = request.weight_column(file.path, schema.names, ends)
    return [schema.names[i] for i in (ends if weight is None else (*ends, weight))]


def with_weights(file: File, request: ColumnRequest, table: pa.Table) -> pa.Table:
    """Return a table in which the column after the ids, if any, is converted to weights.

    Weights are int64, uint64, or floats of the type in the file. Nulls, dates and timestamps
    raise a FormatError unless ``request.null_weights`` is true. Dates and timestamps are not
    converted.
    """
    at = request.width(table.num_columns)  # the position after the columns of ids
    if table.num_columns == at:
        return table
    column, name, kind = table.column(at), table.column_names[at], table.schema.types[at]
    is_time = pa.types.is_timestamp(kind) or pa.types.is_date(kind)
    if is_time and request.null_weights:  # the caller reads expiry times, or raises its own error
        return table.set_column(at, "weight", column)
    if pa.types.is_integer(kind) and kind != pa.uint64():
        weight_type = pa.int64()
    else:  # a column without rows may be of type null
        weight_type = pa.float64() if pa.types.is_null(kind) else kind
    is_number = pa.types.is_integer(weight_type) or pa.types.is_floating(weight_type)
    if not is_number or (column.null_count and not request.null_weights):
        raise FormatError(
            f"{file.path}: column {name!r} holds {kind} and"
            f" {counted(column.null_count, 'null')}; weights must be numbers, one for each edge"
        )
    return table.set_column(at, "weight", column.cast(weight_type))


def with_empty_weights(table: pa.Table, request: ColumnRequest) -> pa.Table:
    """Add an empty column to a table without edges if its weights were requested by name."""
    are_named = request.weights and request.weight is not None
    has_only_ids = request.ids_in(table.column_names) == table.column_names
    if are_named and not len(table) and has_only_ids:
        return table.append_column("weight", pa.array([], pa.float64()))
    return table


def numbered(file: File, request: ColumnRequest, columns: Any, n: int) -> tuple[pa.Table, range]:
    """Return arrays of both ends, and perhaps weights, as edges, and their vertices, range(n)."""
    for name in list(columns)[:2]:
        end = columns[name]
        outside = (end < 0) | (end >= n)
        if outside.any():
            at = int(np.argmax(outside))
            raise FormatError(
                f"{file.path}: edge {at} has {name} {end[at]}, but the vertices are 0 to {n - 1}"
            )
    return table_of_arrays(file, request, columns), range(n)


def table_of_arrays(file: File, request: ColumnRequest, columns: Any) -> pa.Table:
    """Return NumPy arrays, by column name, as a table of the requested ids and weights."""
    native = {
        name: column.astype(column.dtype.newbyteorder("="), copy=False)
        for name, column in columns.items()
    }
    table = pa.table(native)
    if not len(table):  # an empty array may have any type
        request = replace(request, weight=None)
    return with_weights(file, request, table.select(columns_of(file, request, table.schema)))


def unequal_sides(path: str, shape: tuple[int, ...]) -> FormatError:
    """Return the error for a matrix that is not square."""
    return FormatError(
        f"{path}: a graph must be a square matrix, but this one has shape {shape}: if its rows and"
        " columns are different vertices, read it by SciPy and pass"
        " scipy.sparse.block_array([[None, m], [m.T, None]])"
    )
