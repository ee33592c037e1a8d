"""Matrix Market, read by SciPy: the stored entries of a square matrix are edges.

Each stored entry is one edge, even in symmetric matrices. In ``array`` form, each nonzero element
is an edge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ....errors import FormatError
from ...lazy import np, pa
from ..binary import format_errors, table_of_arrays, unequal_sides
from ..delimited import MARK, shown
from ..numbered import COPIES, write_numbered
from . import Format

if TYPE_CHECKING:
    from ..input_file import ColumnRequest, File
    from ..write import EdgeList

TITLE = "Matrix Market"
FIELDS = {"null": "pattern", "int64": "integer", "double": "real"}


def read(file: File, request: ColumnRequest) -> tuple[pa.Table, range]:
    """Return the entries of a matrix as edges, and its indices, which begin at 1."""
    import scipy.io

    data = _content(file)
    with format_errors(file, TITLE), naming_lines(file.path, data):
        rows, columns, entries, form, field, symmetry = scipy.io.mminfo(BytesIO(data))
    if rows != columns:
        raise unequal_sides(file.path, (rows, columns))
    declared = rows * columns if form == "array" else entries  # SciPy's product may overflow
    if form == "array" and symmetry != "general":
        declared = rows * (rows - 1) // 2  # the file has one triangle, skew-symmetric no diagonal
    if declared > len(data):
        raise FormatError(
            f"{file.path}: declares {declared} entries, but has {len(data) - 1} bytes"
        )
    if "integer" in field:  # or unsigned-integer
        _check_integers(file.path, data)
    with format_errors(file, TITLE), naming_lines(file.path, data):
        matrix = scipy.io.mmread(BytesIO(data), spmatrix=False)
    if form == "array":
        ends, num_edges = np.nonzero(matrix), np.count_nonzero(matrix)
        weights = matrix[ends]
    else:
        num_edges = declared  # SciPy appends the mirrored entries of a symmetric matrix
        ends, weights = (matrix.row[:declared], matrix.col[:declared]), matrix.data[:declared]
    edges = {"src": ends[0].astype(np.int64) + 1, "dst": ends[1].astype(np.int64) + 1}
    if field not in ("pattern", "complex"):
        edges["weight"] = weights
    file.groups = {0: int(num_edges)}
    return table_of_arrays(file, request, edges), range(1, rows + 1)


def _content(file: File) -> bytes:
    """Return the bytes of a file, in which each line ends with a newline.

    SciPy reads past the end of data that lack a final newline or contain a NUL.
    """
    file.check_bound(file.size, COPIES)
    data = b"".join(file.pieces()).removeprefix(MARK).replace(b"\r\n", b"\n") + b"\n"
    data = data.replace(b"\r", b"\n") if b"\r" in data else data
    if b"\0" in data:
        raise at_line(file.path, data, data.count(b"\n", 0, data.index(b"\0")) + 1, "a NUL")
    return data


def _check_integers(path: str, data: bytes) -> None:
    """Raise a FormatError if a matrix of integers contains a float, which SciPy would truncate."""
    comments = re.match(rb"(\s*%[^\n]*\n)*", data)
    last_letter = max(data.rfind(letter) for letter in (b".", b"e", b"E"))
    if comments and last_letter >= comments.end():
        line = data.count(b"\n", 0, last_letter) + 1
        reason = "a value that is not an integer, although line 1 declares integers"
        raise at_line(path, data, line, reason)


@contextmanager
def naming_lines(path: str, data: bytes) -> Iterator[None]:
    """Convert SciPy's errors to a FormatError that shows the line."""
    try:
        yield
    except (ValueError, OverflowError) as error:
        if match := re.fullmatch(r"Line (\d+): (.+)", str(error)):
            raise at_line(path, data, int(match[1]), match[2]) from None
        raise


def at_line(path: str, data: bytes, number: int, reason: str) -> FormatError:
    """Return the error for a line, numbered from 1."""
    line = next(islice(BytesIO(data), number - 1, None), b"")
    return FormatError(f"{path}, line {number}: {reason}, in {shown(line)}")


def write(edges: EdgeList, stream: BinaryIO, path: Path) -> None:
    """Write entries piece by piece; SciPy would need all entries in memory."""
    n = len(edges.vertices or ())
    kind = str(edges.schema.field("weight").type) if edges.weighted else "null"
    banner = f"%%MatrixMarket matrix coordinate {FIELDS[kind]} general\n"
    write_numbered(edges, f"{banner}{n} {n} {edges.num_edges}\n", "", stream)


FORMATS = (
    Format("mtx", (".mtx",), rb"(?i)%%?MatrixMarket", title=TITLE, read=read, write=write, first=1),
)
