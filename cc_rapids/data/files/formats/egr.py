"""ECL's binary graphs: little-endian int32 n, m, nindex[n + 1], nlist[m], optionally m weights."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ....errors import FormatError
from ... import offsets
from ...lazy import np, pa
from ..binary import numbered
from . import Format
from .metis import MAX_INT32, adjacency

if TYPE_CHECKING:
    from ..input_file import ColumnRequest, File
    from ..write import EdgeList

COPIES = 5  # bytes of memory per byte of a file


def read(file: File, request: ColumnRequest) -> tuple[pa.Table, range]:
    """Return the adjacency lists as edges, which contain each edge in both directions."""
    file.check_bound(file.size, COPIES)
    data = b"".join(file.pieces())
    if len(data) < 12:
        raise FormatError(
            f"{file.path} is truncated: it has {len(data)} bytes, but an egr file has at least 12"
        )
    words = np.frombuffer(data, "<i4", len(data) // 4)
    n, m = int(words[0]), int(words[1])
    size = 4 * (n + m + 3)
    if min(n, m) < 0 or len(data) not in (size, size + 4 * m):
        raise FormatError(
            f"{file.path} is truncated or not an egr file: it declares {n} vertices and {m}"
            f" neighbours, which take {size} bytes, or {size + 4 * m} bytes with weights, but the"
            f" file has {len(data)} bytes"
        )
    index, neighbours = words[2 : n + 3], words[n + 3 : n + 3 + m]
    offsets.check(f"{file.path}: nindex", index, m, error=FormatError)
    file.groups = {0: m}
    columns = {"src": np.repeat(np.arange(n, dtype=np.int32), np.diff(index)), "dst": neighbours}
    if len(words) > n + 3 + m:
        columns["weight"] = words[n + 3 + m :]
    return numbered(file, request, columns, n)


def write(edges: EdgeList, stream: BinaryIO, path: Path) -> dict[str, int]:
    """Write adjacency lists, perhaps with weights; return the edges left out, by reason."""
    n, index, neighbours, weight, left_out = adjacency(edges, path)
    weights = [] if weight is None else [weight]
    too_wide = weight is not None and bool(np.any(weight != weight.astype(np.int32)))
    if len(neighbours) > MAX_INT32 or too_wide:
        raise FormatError(
            f"cannot write {path}: egr has 32-bit counts and weights, but there are"
            f" {len(neighbours)} neighbours"
            + ("" if weight is None else f", weights from {weight.min()} to {weight.max()}")
        )
    for part in (np.array([n, len(neighbours)]), index, neighbours, *weights):
        stream.write(part.astype("<i4").tobytes())
    return left_out


FORMATS = (
    Format("egr", (".egr",), binary=True, read=read, write=write, first=0, whole_weights=True),
)
