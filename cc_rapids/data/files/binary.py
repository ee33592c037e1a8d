"""Files that are not text: Parquet, Arrow, NumPy's and SciPy's npz, and ECL's egr."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from ...errors import CapacityError, CcRapidsError, FormatError
from ..dtypes import is_integer, is_number
from .header import KNOWN_PAIRS, naming, place_of
from .input_file import ColumnRequest, File

if TYPE_CHECKING:
    import pyarrow as pa

# Of zipfile and NumPy; InputError is a ValueError too, so our own errors go through first
_ODD = (ValueError, KeyError, TypeError, RuntimeError, BadZipFile, struct.error, zlib.error)


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

    at = request.ends
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


def read_npz(file: File, request: ColumnRequest) -> tuple[pa.Table, range | None]:
    """Read npz: arrays src and dst, perhaps num_vertices, or a matrix of ``save_npz``."""
    import numpy as np

    stream = file.seekable()
    with damage(file, "npz"), np.load(stream) as stored:
        if {"format", "shape"} <= set(stored.files):
            _check_sizes(file, stored, stored.files, MATRIX_COPIES)
            file.check_vertices(int(max(stored["shape"])))  # SciPy makes arrays of its diagonal
            stream.seek(0)
            return _matrix(file, request, stream)
        return _arrays(file, request, stored)


ARRAY_COPIES, MATRIX_COPIES = 2, 4  # bytes for each byte of arrays, and of those of a matrix
EGR_COPIES = 5


def _check_sizes(file: File, stored: Any, names: list[str], copies: int) -> None:
    """Check by their headers that arrays are as large as they say, and fit into memory.

    Raises
    ------
    FormatError
        An array has fewer bytes than its header declares.
    CapacityError
        They do not fit into the memory limit.
    """
    import numpy as np

    known, total = set(stored.zip.namelist()), 0
    for name in names:
        inside = f"{name}.npy" if f"{name}.npy" in known else name
        with stored.zip.open(inside) as member:
            version = np.lib.format.read_magic(member)
            first = np.lib.format.read_array_header_1_0
            read = first if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, _, dtype = read(member)
            size = math.prod(shape) * dtype.itemsize
            there = stored.zip.getinfo(inside).file_size - member.tell()
        if size > there and not dtype.hasobject:
            raise FormatError(
                f"{file.path}: {name} declares {dtype} of shape {shape}, which are {size:,} bytes,"
                f" but it has {there:,}"
            )
        total += size
    file.check_bound(total, copies)


def _matrix(file: File, request: ColumnRequest, stream: Any) -> tuple[pa.Table, range]:
    import scipy.sparse

    from .. import offsets

    matrix = scipy.sparse.load_npz(stream)
    if matrix.format in ("csr", "csc", "bsr"):  # SciPy converts them without checking offsets
        said = f"{file.path}: indptr"
        offsets.check(
            said, matrix.indptr, len(matrix.indices), may_have_spare=True, error=FormatError
        )
    matrix = matrix.tocoo()
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise FormatError(
            f"{file.path}: a graph must be a square matrix, but this one has shape {matrix.shape}"
        )
    columns = {"src": matrix.row, "dst": matrix.col}
    if is_number(matrix.dtype):
        columns["weight"] = matrix.data
    return _numbered(file, request, columns, matrix.shape[0])


def _arrays(file: File, request: ColumnRequest, stored: Any) -> tuple[pa.Table, range | None]:
    names = [name for name in stored.files if name != "num_vertices"]
    known = any(set(pair) <= {name.lower() for name in names} for pair in KNOWN_PAIRS)
    if not known and request.source is None and request.destination is None:
        raise FormatError(
            f"{file.path} has the arrays {naming(stored.files)}: expected src and dst, or what"
            " scipy.sparse.save_npz writes; name two of them by source= and destination="
        )
    ends = request.columns(file.path, names)
    weight = request.weight_column(file.path, names, ends)
    picked = [names[i] for i in (ends if weight is None else (*ends, weight))]
    _check_sizes(file, stored, picked, ARRAY_COPIES)
    columns = {name: stored[name] for name in picked}
    for name in picked[:2]:
        end = columns[name]
        if end.ndim != 1 or not is_integer(end.dtype):
            first = f" (row 0 holds {end[0]!s:.60})" if end.ndim == 1 and end.size else ""
            raise FormatError(
                f"{file.path}: {name} is {end.dtype} of shape {end.shape}{first}; expected integers"
                " in one dimension, such as .astype('int64')"
            )
    if len({column.shape for column in columns.values()}) > 1:
        lengths = ", ".join(f"{name} {column.size}" for name, column in columns.items())
        raise FormatError(f"{file.path}: the arrays are of different lengths: {lengths}")
    if "num_vertices" in stored.files:
        _check_sizes(file, stored, ["num_vertices"], 1)
        return _numbered(file, request, columns, _count_in(file, stored["num_vertices"]))
    return _ordered(file, request, columns), None


def _count_in(file: File, held: Any) -> int:
    """Return the number of vertices that a file holds; a FormatError if it is no count."""
    whole = is_integer(held.dtype) and held.size == 1 and int(held.reshape(-1)[0]) >= 0
    if not whole:
        found = f" ({held.reshape(-1)[0]!s:.60})" if held.size == 1 else ""
        raise FormatError(
            f"{file.path}: num_vertices is {held.dtype} of shape {held.shape}{found}; expected one"
            " integer of at least 0"
        )
    return int(held.reshape(-1)[0])


def _native(array: Any) -> Any:
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _numbered(file: File, request: ColumnRequest, columns: Any, n: int) -> tuple[pa.Table, range]:
    """Return edges of the vertices 0 .. n - 1."""
    import numpy as np

    for name in list(columns)[:2]:
        end = columns[name]
        outside = (end < 0) | (end >= n)
        if outside.any():
            at = int(np.argmax(outside))
            raise FormatError(
                f"{file.path}: edge {at} has {name} {end[at]}, but the vertices are 0 to {n - 1}"
            )
    return _ordered(file, request, columns), range(n)


def _ordered(file: File, request: ColumnRequest, columns: Any) -> pa.Table:
    """Return the requested columns of a table in order."""
    import pyarrow as pa

    table = pa.table({name: _native(column) for name, column in columns.items()})
    return weighed(file, request, table.select(columns_of(file, request, table.schema)))


def read_egr(file: File, request: ColumnRequest) -> tuple[pa.Table, range]:
    """Read ECL's graphs in int32, little-endian.

    They are n, m, nindex[n + 1], nlist[m], perhaps m weights.
    """
    import numpy as np

    from .. import offsets

    file.check_bound(file.size, EGR_COPIES)
    data = b"".join(file.pieces())
    if len(data) < 12:
        raise FormatError(
            f"{file.path} is truncated: it has {len(data)} bytes, and an egr file has at least 12"
        )
    words = np.frombuffer(data, "<i4", len(data) // 4)
    n, m = int(words[0]), int(words[1])
    plain = 4 * (n + m + 3)
    if min(n, m) < 0 or len(data) not in (plain, plain + 4 * m):
        raise FormatError(
            f"{file.path} is truncated or not an egr file: it declares {n} vertices and {m}"
            f" neighbours, which take {plain} bytes, or {plain + 4 * m} with weights, but it has"
            f" {len(data)}"
        )
    index, neighbour = words[2 : n + 3], words[n + 3 : n + 3 + m]
    offsets.check(f"{file.path}: nindex", index, m, error=FormatError)
    owner = np.repeat(np.arange(n, dtype=np.int32), np.diff(index))
    columns = {"src": owner, "dst": neighbour}
    if len(words) > n + 3 + m:
        columns["weight"] = words[n + 3 + m :]
    return _numbered(file, request, columns, n)
