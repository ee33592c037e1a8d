"""Pieces: several arrays in one allocation."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

ALIGN = 256  # bytes, between the pieces of one allocation


def side_by_side(shapes: Iterable[tuple[int, Any]]) -> tuple[int, list[tuple[int, int, Any]]]:
    """The bytes of arrays of ``(n, dtype)`` each in one allocation; each with where it starts."""
    start, pieces = 0, []
    for n, dtype in shapes:
        pieces.append((start, n, dtype))
        start += -(-n * np.dtype(dtype).itemsize // ALIGN) * ALIGN
    if start > sys.maxsize:  # which array libraries call another error
        raise MemoryError(f"{start:,} bytes are more than there are addresses")
    return start, pieces
