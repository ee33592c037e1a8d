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
from ..end_columns import naming, place_of
from ..lazy import np, pa

if TYPE_CHECKING:
    from .input_file import ColumnRequest, File

# Errors of zipfile, NumPy and NetworkX. InputError is a ValueError, too, and is handled first.
_ODD: tuple[type[Exception], ...] = (ValueError, ArithmeticError, LookupError, TypeError)
_ODD += (AttributeError, RuntimeError, SyntaxError, TokenError)
_ODD += (BadZipFile, struct.error, zlib.error)


@contextmanager
def damage(file: File, kind: str) -> Iterator[None]:
    """Convert errors of libraries on a damaged file to a FormatError that names the file.

    A MemoryError becomes a CapacityError.
    """
    try:
        yield
    except CcRapidsError:
        raise
    except MemoryError as error:
        raise CapacityError(f"{file.path} takes more memory than there is: {error}") from error
    except (OSError, EOFError, pa.ArrowException, *_ODD) as error:
        raise FormatError(f"{file.path} cannot be read as {kind}: {error}") from error


def check_not_joined(path: str, stream: Any, between: int, mark: bytes) -> None:
    """Check that a file is not a concatenation of several files; then rewind the stream.

    A reader trusts the footer at the end, whose offsets are relative to the last file. In a
    concatenation they point into earlier files. A boundary of two files, where magic bytes are
    repeated, then lies between the rows and the footer.

    Parameters
    ----------
    path : str
        The file.
    stream
        A stream that can seek.
    between : int
        The bytes between the rows and the footer, where indexes may be.
    mark : bytes
        The magic bytes at both ends of a file.

    Raises
    ------
    FormatError
        The file is a concatenation of several files.
    """
    last = b""
    stream.seek(0)
    while between > 0 and (piece := stream.read(min(between + len(mark), 1 << 24))):
        if mark + mark in last + piece:
            raise FormatError(
                f"{path} is several concatenated files, as cat writes them, but must be one: pass"
                " the paths of the files, or a pattern in quotes"
            )
        last, between = piece[1 - 2 * len(mark) :], between - len(piece)
    stream.seek(0)


def columns_of(file: File, request: ColumnRequest, schema: Any) -> list[str]:
    """Return the names of the two columns of ids, and of the column of weights if there is one."""
    if len(schema.names) < 2:
        for name in request.requested:
            place_of(file.path, schema.names, name)
        raise FormatError(
            f"{file.path} lacks columns: two are needed, but it has {naming(schema.names)}"
        )
    ends = request.columns(file.path, schema.names)
    weight = request.weight_column(file.path, schema.names, ends)
    return [schema.names[i] for i in (ends if weight is None else (*ends, weight))]


def weighed(file: File, request: ColumnRequest, table: pa.Table) -> pa.Table:
    """Return a table with its last column converted to weights, if it is not a column of ids.

    Weights are int64, uint64, or floats in the type of the file. Nulls raise an error unless they
    are requested; so do dates and timestamps, which are returned unchanged. A column of type null,
    as in a file without rows, is accepted.
    """
    at = request.width(table.num_columns)
    if table.num_columns == at:
        return table
    column, name = table.column(at), table.column_names[at]
    whole, null = pa.types.is_integer(column.type), pa.types.is_null(column.type)
    real = pa.types.is_floating(column.type) or null
    is_time = pa.types.is_timestamp(column.type) or pa.types.is_date(column.type)
    if is_time and request.null_weights:  # the caller reads expiry times, or names the type
        return table.set_column(at, "weight", column)
    nulls = column.null_count and not request.null_weights
    if nulls or not (whole or real):
        raise FormatError(
            f"{file.path}: column {name!r} holds {column.type} and"
            f" {counted(column.null_count, 'null')}; weights must be numbers, one for each edge"
        )
    unsigned = column.type == pa.uint64()  # some values may be beyond int64
    integer = pa.uint64() if unsigned else pa.int64()
    kind = integer if whole else pa.float64() if null else column.type
    return table.set_column(at, "weight", column.cast(kind))


def numbered(file: File, request: ColumnRequest, columns: Any, n: int) -> tuple[pa.Table, range]:
    """Return edges of the vertices 0 .. n - 1, from NumPy arrays."""
    for name in list(columns)[:2]:
        end = columns[name]
        outside = (end < 0) | (end >= n)
        if outside.any():
            at = int(np.argmax(outside))
            raise FormatError(
                f"{file.path}: edge {at} has {name} {end[at]}, but the vertices are 0 to {n - 1}"
            )
    return ordered(file, request, columns), range(n)


def ordered(file: File, request: ColumnRequest, columns: Any) -> pa.Table:
    """Return the requested columns of NumPy arrays as a table, in order."""
    native = {
        name: column.astype(column.dtype.newbyteorder("="), copy=False)
        for name, column in columns.items()
    }
    table = pa.table(native)
    if not len(table):  # an empty array may have any type
        request = replace(request, weight=None)
    return weighed(file, request, table.select(columns_of(file, request, table.schema)))


def unequal_sides(path: str, shape: tuple[int, ...]) -> FormatError:
    """Return the error for a matrix that is not square."""
    return FormatError(
        f"{path}: a graph must be a square matrix, but this one has shape {shape}: if its rows and"
        " columns are different vertices, read it by SciPy and pass"
        " scipy.sparse.block_array([[None, m], [m.T, None]])"
    )
