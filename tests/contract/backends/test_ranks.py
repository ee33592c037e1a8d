"""Running sums, by which the members of a set are ranked."""

import numpy as np
import pytest
from support.machine import EACH_THREAD_IS_SLOW, SIMULATED

from cc_rapids.graph import forest


@pytest.mark.parametrize("few", [1, 5, 64, 1 << 14])
@pytest.mark.parametrize("size", [1, 2, 31, 33, 511, 513, 2050])
def test_running_sums(on, tuned, size, few):
    """By one block of threads, or in runs and their sums, whose sums may be many again."""
    if SIMULATED and on.name == "cuda" and size not in (2, 33, 513):
        pytest.skip(EACH_THREAD_IS_SLOW)
    tuned(single_block_sum=few)
    for dtype in (np.uint32, np.uint64):
        values = np.random.default_rng(size).integers(0, 300, size).astype(dtype)
        held = on.asarray(values.copy())
        forest._running_sum(on, held)
        assert on.to_host(held).tolist() == np.cumsum(values).tolist()
