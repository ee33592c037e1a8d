"""NumPy's npy, which is one array of edges, and npz.

An npz file is a matrix of ``scipy.sparse.save_npz``, arrays src and dst, or one array of edges.

An array of edges has shape (2, m), such as PyG's ``edge_index``, or (m, 2). Another array,
``num_vertices`` or ``num_nodes``, may hold the number of vertices.
"""

from __future__ import annotations

import math
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ....errors import FormatError
from ... import offsets
from ...dtypes import is_integer, is_number
from ...end_columns import KNOWN_PAIRS, naming
from ...lazy import np, pa
from ..binary import format_errors, numbered, table_of_arrays, unequal_sides
from . import Format

if TYPE_CHECKING:
    from ..input_file import ColumnRequest, File
    from ..write import EdgeList

COUNTS = ("num_vertices", "num_nodes")
BOTH_ENDS = ("edge_index", "edges", "edge_list")  # names of arrays with two rows or columns
COPIES = 2  # bytes of memory per byte of arrays
MATRIX_COPIES = 4  # bytes of memory per byte of the arrays of a matrix


def read_npy(file: File, request: ColumnRequest) -> tuple[pa.Table, None]:
    """Return the edges of the array in a file."""
    stream = file.seekable_stream()
    size = stream.seek(0, 2)
    stream.seek(0)
    with format_errors(file, "npy"):
        file.check_bound(check_size(file, "the array", stream, size), COPIES)
        stream.seek(0)
        array = np.load(stream, allow_pickle=False)
    columns = ends_of(file, "the array", array)
    file.groups = {0: array.size // 2}
    return table_of_arrays(file, request, columns), None


def check_size(file: File, name: str, member: BinaryIO, size: int) -> int:
    """Return the number of bytes that an array's header declares; raise a FormatError if wrong.

    ``member`` is the file of the array ``name``; its ``size`` includes the header.
    """
    version = np.lib.format.read_magic(member)
    short, long = np.lib.format.read_array_header_1_0, np.lib.format.read_array_header_2_0
    shape, _, dtype = short(member) if version == (1, 0) else long(member)
    declared, stored = math.prod(shape) * dtype.itemsize, size - member.tell()
    if declared != stored and not dtype.hasobject:  # np.load refuses objects
        raise FormatError(
            f"{file.path}: {name} declares {dtype} of shape {shape}, which are {declared:,} bytes,"
            f" but it has {stored:,}{'; write one array per file' if declared < stored else ''}"
        )
    return declared


def ends_of(file: File, name: str, array: Any) -> dict[str, Any]:
    """Return the columns src and dst of an array; in shape (2, 2), each row is an edge."""
    from ...edge_array import rows_are_edges

    if array.ndim != 2 or 2 not in array.shape or not is_integer(array.dtype):
        raise FormatError(
            f"{file.path}: {name} is {array.dtype} of shape {array.shape}; expected integers of"
            " shape (2, edges) or (edges, 2)"
        )
    src, dst = array.T if rows_are_edges(array) else array
    return {"src": src, "dst": dst}


def read(file: File, request: ColumnRequest) -> tuple[pa.Table, range | None]:
    """Return the edges of a matrix or of arrays."""
    stream = file.seekable_stream()
    with format_errors(file, "npz"), np.load(stream) as stored:
        if {"format", "shape"} <= set(stored.files):  # written by scipy.sparse.save_npz
            check_sizes(file, stored, stored.files, MATRIX_COPIES)
            file.check_vertices(int(max(stored["shape"])))  # SciPy allocates arrays of this length
            stream.seek(0)
            return matrix(file, request, stream)
        return arrays(file, request, stored)


def check_sizes(file: File, stored: Any, names: list[str], copies: int) -> None:
    """Check that arrays have the sizes in their headers, and that their copies fit into memory."""
    members, total = set(stored.zip.namelist()), 0
    for name in names:
        path = f"{name}.npy" if f"{name}.npy" in members else name
        with stored.zip.open(path) as member:
            total += check_size(file, name, member, stored.zip.getinfo(path).file_size)
    file.check_bound(total, copies)


def matrix(file: File, request: ColumnRequest, stream: Any) -> tuple[pa.Table, range]:
    """Return the stored entries of a sparse matrix as edges, and the range of its indices."""
    import scipy.sparse

    sparse = scipy.sparse.load_npz(stream)
    if sparse.format in ("csr", "csc", "bsr"):  # SciPy would not check the offsets
        where, length = f"{file.path}: indptr", len(sparse.indices)
        offsets.check(where, sparse.indptr, length, may_have_spare=True, error=FormatError)
    entries = sparse.tocoo()
    if len(entries.shape) != 2 or entries.shape[0] != entries.shape[1]:
        raise unequal_sides(file.path, entries.shape)
    # a matrix of diagonals also stores zeros that are not entries
    file.groups = {0: int((entries if sparse.format == "dia" else sparse).nnz)}
    columns = {"src": entries.row, "dst": entries.col}
    if is_number(entries.dtype):
        columns["weight"] = entries.data
    return numbered(file, request, columns, entries.shape[0])


def arrays(file: File, request: ColumnRequest, stored: Any) -> tuple[pa.Table, range | None]:
    """Return the edges in two arrays or in one, and the vertices if the file has their number."""
    names = [name for name in stored.files if name not in COUNTS]
    lower = {name.lower() for name in names}
    has_ends = any(set(pair) <= lower for pair in KNOWN_PAIRS)
    if has_ends or request.source is not None or request.destination is not None:
        ends = request.columns(file.path, names)
        weight = request.weight_column(file.path, names, ends)
        picked = [names[i] for i in (ends if weight is None else (*ends, weight))]
        check_sizes(file, stored, picked, COPIES)
        columns = {name: stored[name] for name in picked}
        for name in request.ids_in(picked):
            check_ends(file, name, columns[name])
    elif both_ends := next((name for name in BOTH_ENDS if name in names), None):
        check_sizes(file, stored, [both_ends], COPIES)
        columns = ends_of(file, both_ends, stored[both_ends])
    else:
        raise FormatError(
            f"{file.path} has the arrays {naming(stored.files)}: expected src and dst, edge_index,"
            " or what scipy.sparse.save_npz writes; name two of them by source= and destination="
        )
    if len({column.shape for column in columns.values()}) > 1:
        lengths = ", ".join(f"{name} {column.size}" for name, column in columns.items())
        raise FormatError(f"{file.path}: the arrays are of different lengths: {lengths}")
    file.groups = {0: next(iter(columns.values())).size}  # one group, because it is read whole
    for name in COUNTS:
        if name in stored.files:
            check_sizes(file, stored, [name], copies=1)
            return numbered(file, request, columns, count_in(file, name, stored[name]))
    return table_of_arrays(file, request, columns), None


def check_ends(file: File, name: str, end: Any) -> None:
    """Raise a FormatError unless an array is one-dimensional and holds integers."""
    if end.ndim != 1 or not is_integer(end.dtype):
        first = f" (row 0 holds {end[0]!s:.60})" if end.ndim == 1 and end.size else ""
        raise FormatError(
            f"{file.path}: {name} is {end.dtype} of shape {end.shape}{first}; expected integers"
            " in one dimension, such as .astype('int64')"
        )


def count_in(file: File, name: str, array: Any) -> int:
    """Return the number of vertices in an array; raise a FormatError if it is not a count."""
    if is_integer(array.dtype) and array.size == 1 and array.item() >= 0:
        return int(array.item())
    value = f" ({array.reshape(-1)[0]!s:.60})" if array.size == 1 else ""
    raise FormatError(
        f"{file.path}: {name} is {array.dtype} of shape {array.shape}{value}; expected one integer"
        " of at least 0"
    )


def write(edges: EdgeList, stream: BinaryIO, path: Path) -> None:
    """Write a sparse matrix by SciPy; it is Boolean if edges have no weights."""
    import scipy.sparse

    columns, n = edges.gathered(), len(edges.vertices or ())
    values = columns.get("weight", np.ones(edges.num_edges, bool))
    matrix = scipy.sparse.coo_array((values, (columns["src"], columns["dst"])), (n, n))
    zipped = BytesIO()  # a zip file is written with seeks, which a compressed stream does not allow
    scipy.sparse.save_npz(zipped, matrix, compressed=False)
    stream.write(zipped.getbuffer())


FORMATS = (
    Format("npy", (".npy",), rb"\x93NUMPY", binary=True, read=read_npy),
    Format(
        "npz",
        (".npz",),
        rb"PK\x03\x04",
        title="npz or zip",
        binary=True,
        read=read,
        write=write,
        first=0,
    ),
)
