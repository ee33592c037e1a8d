"""Weights of edges, as they come."""

from typing import Any

import numpy as np


def note_nan(on: Any) -> Any:
    """Note whether a weight is nan."""

    @on.elementwise
    def note_nan(i, weights, mark, noted):
        if weights[i] != weights[i]:
            noted[0] = np.uint64(mark)

    return note_nan
