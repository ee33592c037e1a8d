"""Edge lists as sorted adjacency lists: METIS and ECL files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ..errors import FormatError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

_MOST = (1 << 31) - 1  # the largest int32
_ROWS_AT_ONCE = 1 << 16


def write_egr(columns: dict[str, Ints], n: int, stream: BinaryIO, path: Path) -> None:
    """ECL's format, from columns src, dst and perhaps weight of vertices 0 .. n - 1."""
    import numpy as np

    offsets, neighbour, weight = _adjacency(columns, n, 0, path)
    if len(neighbour) > _MOST or (weight is not None and _too_large(weight)):
        raise FormatError(
            f"cannot write {path}: egr counts and weighs in 32 bits, and there are"
            f" {len(neighbour)} neighbours"
            + ("" if weight is None else f", weights from {weight.min()} to {weight.max()}")
        )
    words = [np.array([n, len(neighbour)]), offsets, neighbour]
    for part in words if weight is None else [*words, weight]:
        stream.write(part.astype("<i4").tobytes())


def _too_large(weight: Ints) -> bool:
    return bool(weight.size and (weight.max() > _MOST or weight.min() < -_MOST - 1))


def write_metis(columns: dict[str, Ints], n: int, stream: BinaryIO, path: Path) -> None:
    """METIS, from columns src, dst and perhaps weight of vertices 1 .. n."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    offsets, neighbour, weight = _adjacency(columns, n, 1, path)
    stream.write(f"{n} {len(neighbour) // 2}{'' if weight is None else ' 001'}\n".encode())
    numbers, stride = neighbour, 1
    if weight is not None:
        numbers, stride = np.column_stack([neighbour, weight]).ravel(), 2
    options = csv.WriteOptions(include_header=False, quoting_style="none")
    for first in range(0, n, _ROWS_AT_ONCE):
        cut = offsets[first : min(first + _ROWS_AT_ONCE, n) + 1] * stride
        words = pa.array(numbers[cut[0] : cut[-1]]).cast(pa.string())
        rows = pa.ListArray.from_arrays(pa.array((cut - cut[0]).astype(np.int32)), words)
        lines = pc.binary_join(rows, " ")
        csv.write_csv(pa.table({"line": lines}), stream, options)


def _adjacency(
    columns: dict[str, Ints], n: int, first: int, path: Path
) -> tuple[Ints, Ints, Ints | None]:
    """Offsets, neighbours and weights of the simple undirected graph, neighbours in order."""
    import numpy as np

    if n > _MOST:
        raise FormatError(f"cannot write {path}: its vertices count to {_MOST}, and here are {n}")
    src, dst = columns["src"] - first, columns["dst"] - first
    proper = src != dst
    src, dst = src[proper], dst[proper]
    keys = np.concatenate([src * n + dst, dst * n + src])
    weight = columns.get("weight")
    if weight is None:
        keys.sort()  # ten times as fast as np.unique, which hashes
        keys = keys[np.diff(keys, prepend=-1) > 0]
    else:
        # Both copies of an edge get the weight of its first row, whichever way round that was
        pair, row = np.unique(np.minimum(*np.split(keys, 2)), return_index=True)
        low, high, weight = pair // n, pair % n, weight[proper][row]
        keys = np.concatenate([pair, high * n + low])
        order = np.argsort(keys)
        keys, weight = keys[order], np.concatenate([weight, weight])[order]
    degree = np.bincount(keys // n, minlength=n) if n else np.zeros(0, np.int64)
    return np.concatenate([[0], np.cumsum(degree)]), keys % n + first if n else keys, weight
