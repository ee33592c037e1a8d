"""The memory of cuDF's columns, lent as it lies.

Reading ``__cuda_array_interface__`` would make a buffer unspillable for good; a pointer that is
read under ``access`` locks it for as long as the lock lives.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


class Lent:
    """A CuPy view of a column of integers, kept on the device while it is lent.

    A class, as it takes half the time of a generator: for a small list that counts.
    """

    def __init__(self, column: Any) -> None:
        self.column = column

    def __enter__(self) -> Any:
        column, dtype = self.column, self.column.dtype
        if not isinstance(dtype, np.dtype):
            dtype = np.dtype(dtype.name.lower())
        self.access = column.data.access(mode="read", scope="internal") if column.size else None
        if self.access is not None:
            self.access.__enter__()
        try:
            return _view(column.data, dtype, column.offset, column.size)
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise

    def __exit__(self, *error: object) -> None:
        if self.access is not None:
            self.access.__exit__(*error)


@contextmanager
def lend_strings(column: Any) -> Iterator[tuple[Any, Any]]:
    """Lend CuPy views of a column of strings: all bytes that it reaches, and where each begins.

    The column has at least one row; its offsets are of 32 bits, or of 64 for many bytes.
    """
    with column.access(mode="read", scope="internal"):
        starts = column.plc_column.child(0)
        dtype = np.dtype(starts.type().id().name.lower())
        first = starts.offset() + column.offset
        offsets = _view(starts.data(), dtype, first, column.size + 1)
        size = max(int(offsets[-1]), 0)
        size = min(size, int(column.data.size)) if size else 0
        yield _view(column.data, np.dtype(np.uint8), 0, size), offsets


def _view(buffer: Any, dtype: np.dtype[Any], offset: int, size: int) -> Any:
    """Return so many elements of a buffer of cuDF's, from an offset on."""
    import cupy

    if size == 0:
        return cupy.empty(0, dtype)
    first, length = buffer.ptr + offset * dtype.itemsize, size * dtype.itemsize
    memory = cupy.cuda.UnownedMemory(first, length, buffer)
    return cupy.ndarray((size,), dtype, cupy.cuda.MemoryPointer(memory, 0))
