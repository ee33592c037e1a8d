"""The look at weights for nan."""

import numpy as np
import pytest

from cc_rapids import backends
from cc_rapids.kernels.weights import PART, note_nan


def noted(values, engine):
    """Whether a launch notes that some value is nan."""
    backend = backends.get(engine)
    word = backend.fill(backend.empty(1, np.uint64), 0)
    backend.kernel(note_nan)(-(-values.size // PART), backend.asarray(values), 7, word)
    return int(backend.to_host(word)[0])


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 9, 16])
def test_nan_is_seen_wherever_it_is(engine, size, dtype):
    values = np.full(size + PART, np.nan, dtype)[:size]  # what lies behind them is not read
    values[:] = np.inf
    assert noted(values, engine) == 0
    for i in range(size):
        values[i] = np.nan
        assert noted(values, engine) == 7
        values[i] = -1
    assert noted(values, engine) == 0
