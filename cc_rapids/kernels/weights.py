"""Weights of edges, as they come."""

from typing import Any

import numpy as np


def note_nan(on: Any) -> Any:
    """Note whether a weight is nan."""

    @on.grid_stride
    def note_nan(i, count, step, weights, mark, noted):
        while i < count:
            if weights[i] != weights[i]:
                noted[0] = np.uint64(mark)
            i += step

    return note_nan
