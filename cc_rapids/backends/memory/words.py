"""Arrays that have been allocated together, as one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import Array

BYTES = 8


def words_of(xp: Any, arrays: list[Array]) -> Array | None:
    """Return all bytes of arrays of one allocation, in its order, as an array of uint64.

    None where each has its own, as all of NumPy's have, and those that were pickled.
    """
    last, start = arrays[-1], arrays[0].data
    memory = getattr(start, "mem", None)
    if memory is None or any(array.data.mem is not memory for array in arrays):
        return None
    return xp.ndarray(((last.data.ptr + last.nbytes - start.ptr) // BYTES,), np.uint64, start)
