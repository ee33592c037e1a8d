"""Read a NumPy array of edges of shape (2, m), such as PyG's ``edge_index``, or (m, 2)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, BinaryIO

from ....errors import FormatError
from ...dtypes import is_integer
from ...lazy import np, pa
from ..binary import damage, ordered
from . import Format

if TYPE_CHECKING:
    from ..input_file import ColumnRequest, File

COPIES = 2  # bytes of memory per byte of arrays


def read(file: File, request: ColumnRequest) -> tuple[pa.Table, None]:
    """Return the edges of the array in a file."""
    stream = file.seekable()
    size = stream.seek(0, 2)
    stream.seek(0)
    with damage(file, "npy"):
        file.check_bound(check_size(file, "the array", stream, size), COPIES)
        stream.seek(0)
        array = np.load(stream, allow_pickle=False)
    columns = ends_of(file, "the array", array)
    file.groups = {0: array.size // 2}
    return ordered(file, request, columns), None


def check_size(file: File, name: str, member: BinaryIO, size: int) -> int:
    """Return the bytes of an array; raise a FormatError if its header declares another size.

    ``member`` is the file of the array; its ``size`` includes the header.
    """
    version = np.lib.format.read_magic(member)
    short, long = np.lib.format.read_array_header_1_0, np.lib.format.read_array_header_2_0
    shape, _, dtype = short(member) if version == (1, 0) else long(member)
    declared, stored = math.prod(shape) * dtype.itemsize, size - member.tell()
    if declared != stored and not dtype.hasobject:
        raise FormatError(
            f"{file.path}: {name} declares {dtype} of shape {shape}, which are {declared:,} bytes,"
            f" but it has {stored:,}{'; write each array alone' if declared < stored else ''}"
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


FORMATS = (Format("npy", (".npy",), rb"\x93NUMPY", binary=True, read=read),)
