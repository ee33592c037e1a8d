"""Columns of files that libraries read: which of them are edges, and the damage that is found."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from tokenize import TokenError
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from ...errors import CapacityError, CcRapidsError, FormatError
from ..end_columns import naming, place_of

if TYPE_CHECKING:
    import pyarrow as pa

    from .input_file import ColumnRequest, File

# Of zipfile, NumPy and NetworkX; InputError is a ValueError too, so our own errors go through first
_ODD: tuple[type[Exception], ...] = (ValueError, ArithmeticError, LookupError, TypeError)
_ODD += (AttributeError, RuntimeError, SyntaxError, TokenError)
_ODD += (BadZipFile, struct.error, zlib.error)


@contextmanager
def damage(file: File, kind: str) -> Iterator[None]:
    """Turn errors of libraries on a damaged file into a FormatError that names it.

    What takes more memory than there is becomes a CapacityError.
    """
    import pyarrow as pa

    try:
        yield
    except CcRapidsError:
        raise
    except MemoryError as error:
        raise CapacityError(f"{file.path} takes more memory than there is: {error}") from error
    except (OSError, EOFError, pa.ArrowException, *_ODD) as error:
        raise FormatError(f"{file.path} cannot be read as {kind}: {error}") from error


def check_not_joined(path: str, stream: Any, between: int, mark: bytes) -> None:
    """Check that a file is not several, one behind the other; the stream is at its start again.

    By the footer of the last one, the bytes of others would be read. Its footer then places its
    rows by the length of all others too early, so that they fit between its rows and itself.

    Parameters
    ----------
    path : str
        The file.
    stream
        A stream that can seek.
    between : int
        The bytes between the rows and the footer, where indexes may be.
    mark : bytes
        The bytes at both ends of a file.

    Raises
    ------
    FormatError
        It is several.
    """
    last = b""
    stream.seek(0)
    while between > 0 and (piece := stream.read(min(between + len(mark), 1 << 24))):
        if mark + mark in last + piece:
            raise FormatError(
                f"{path} is several files, one behind the other, as cat writes them, and must be"
                " one: name the files, or a pattern in quotes, instead"
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
    """Return a table with its last column, if it is not one of ids, as weights.

    These are int64, uint64 or floats of their own type, with which bounds are compared, without
    nulls unless these are requested. A column without a type, as of a file without rows, holds
    nulls.
    """
    import pyarrow as pa

    at = request.width(table.num_columns)
    if table.num_columns == at:
        return table
    column, name = table.column(at), table.column_names[at]
    whole, null = pa.types.is_integer(column.type), pa.types.is_null(column.type)
    real = pa.types.is_floating(column.type) or null
    nulls = column.null_count and not request.null_weights
    if nulls or not (whole or real):
        raise FormatError(
            f"{file.path}: column {name!r} holds {column.type} and {column.null_count} nulls;"
            " weights must be numbers, one for each edge"
        )
    unsigned = column.type == pa.uint64()  # some values may be beyond int64
    integer = pa.uint64() if unsigned else pa.int64()
    kind = integer if whole else pa.float64() if null else column.type
    return table.set_column(at, "weight", column.cast(kind))


def numbered(file: File, request: ColumnRequest, columns: Any, n: int) -> tuple[pa.Table, range]:
    """Return edges of the vertices 0 .. n - 1, from NumPy arrays."""
    import numpy as np

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
    """Return the requested ones of NumPy arrays as a table, in order."""
    import pyarrow as pa

    native = {
        name: column.astype(column.dtype.newbyteorder("="), copy=False)
        for name, column in columns.items()
    }
    table = pa.table(native)
    if not len(table):  # which has any weight
        request = replace(request, weight=None)
    return weighed(file, request, table.select(columns_of(file, request, table.schema)))


def unequal_sides(path: str, shape: tuple[int, ...]) -> FormatError:
    """Return the error for a matrix that is not square, and so no graph of its rows."""
    return FormatError(
        f"{path}: a graph must be a square matrix, but this one has shape {shape}: if its rows and"
        " columns are different vertices, read it by SciPy and pass"
        " scipy.sparse.block_array([[None, m], [m.T, None]])"
    )
