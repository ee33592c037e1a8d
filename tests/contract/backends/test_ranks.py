"""Ranks of the members of a set: running sums of how many each block of it has."""

import numpy as np
import pytest

from cc_rapids.graph import forest
from cc_rapids.kernels.primitives import RANK_BLOCK, WORD


@pytest.mark.parametrize("few", [1, 5, 64, 1 << 14])
@pytest.mark.parametrize("size", [1, 2, 31, 33, 511, 513, 2050])
def test_running_sums(on, tuned, size, few):
    """By one block of threads, in runs and their sums, whose sums may be many again, or by CuPy."""
    tuned(single_block_sum=few, library_sum=500 if few == 5 else 1 << 20)
    for dtype in (np.uint32, np.uint64):
        values = np.random.default_rng(size).integers(0, RANK_BLOCK * WORD + 1, size)
        members = np.arange(RANK_BLOCK * WORD) < values[:, None]
        words = np.packbits(members, bitorder="little").view(np.uint32)
        before = on.empty(size + 1, dtype)
        forest.rank(on, on.asarray(words), before)
        assert on.to_host(before).tolist() == [0, *np.cumsum(values).tolist()]
