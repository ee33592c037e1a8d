"""ECL's binary graphs: little-endian int32 n, m, nindex[n + 1], nlist[m], optionally m weights."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ....errors import FormatError
from ... import offsets
from ...lazy import np, pa
from ..adjacency import MOST, adjacency
from ..binary import numbered
from . import Format

if TYPE_CHECKING:
    from ..input_file import ColumnRequest, File
    from ..write import EdgeList

COPIES = 5  # bytes of memory per byte of a file


def read(file: File, request: ColumnRequest) -> tuple[pa.Table, range]:
    """Return the adjacency lists as edges, each edge once from each end."""
    file.check_bound(file.size, COPIES)
    data = b"".join(file.pieces())
    if len(data) < 12:
        raise FormatError(
            f"{file.path} is truncated: it has {len(data)} bytes, but an egr file has at least 12"
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
    file.groups = {0: m}
    columns = {"src": np.repeat(np.arange(n, dtype=np.int32), np.diff(index)), "dst": neighbour}
    if len(words) > n + 3 + m:
        columns["weight"] = words[n + 3 + m :]
    return numbered(file, request, columns, n)


def write(edges: EdgeList, stream: BinaryIO, path: Path) -> None:
    """Write adjacency lists, with weights if there are any."""
    n, rows, neighbour, weight = adjacency(edges, path)
    large = weight is not None and weight.size and (weight.max() > MOST or weight.min() < -MOST - 1)
    if len(neighbour) > MOST or large:
        raise FormatError(
            f"cannot write {path}: egr has 32-bit counts and weights, but there are"
            f" {len(neighbour)} neighbours"
            + ("" if weight is None else f", weights from {weight.min()} to {weight.max()}")
        )
    words = [np.array([n, len(neighbour)]), rows, neighbour]
    for part in words if weight is None else [*words, weight]:
        stream.write(part.astype("<i4").tobytes())


FORMATS = (
    Format("egr", (".egr",), binary=True, read=read, write=write, first=0, whole_weights=True),
)
