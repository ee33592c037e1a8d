"""Arrays of one allocation, viewed as one array of words."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import Array

BYTES = 8


def words_of(xp: Any, arrays: list[Array]) -> Array | None:
    """Return the memory of arrays from one allocation as one array of uint64.

    Return None if each array has its own allocation, as all NumPy arrays and unpickled arrays do.
    """
    last, start = arrays[-1], arrays[0].data
    memory = getattr(start, "mem", None)
    if memory is None or any(array.data.mem is not memory for array in arrays):
        return None
    return xp.ndarray(((last.data.ptr + last.nbytes - start.ptr) // BYTES,), np.uint64, start)
