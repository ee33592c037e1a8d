"""Long rows of an adjacency list, linked by a thread for each entry: in plain Python."""

from types import SimpleNamespace

import numpy as np
import pytest

from cc_rapids.kernels.csr_sampling import SHORT, long_rows

ON = SimpleNamespace(device=lambda f: f, grid_stride=lambda f: f, threads_per_row=32)
LENGTHS = [3, 0, SHORT + 1, SHORT, 200, 0, 100]
OFFSETS = np.concatenate([[0], np.cumsum(LENGTHS)]).astype(np.int64)
INDICES = np.random.default_rng(0).integers(0, len(LENGTHS), OFFSETS[-1])
ROWS = np.repeat(np.arange(len(LENGTHS)), LENGTHS)


@pytest.mark.parametrize("symmetric", [0, 1])
@pytest.mark.parametrize("step", [1, 7, 64])
def test_each_entry_is_linked_once_and_a_row_is_searched_once(step, symmetric):
    linked, searched = [], []

    def row(offsets, count, e):
        searched.append(int(e))
        return np.uint64(ROWS[int(e)])

    kernel = long_rows(ON, np.uint64, lambda u, w, e, *_: linked.append((u, w, e)), row)
    size, many = np.uint64(OFFSETS[-1]), np.ones(1, np.int64)
    for first in range(step):
        given = symmetric, many, OFFSETS, INDICES, 0, len(LENGTHS)
        kernel(np.uint64(first), size, np.uint64(step), *given)
    long = np.array(LENGTHS)[ROWS] > SHORT
    wanted = np.flatnonzero(long & ((ROWS >= INDICES) | (symmetric == 0)))
    assert sorted(linked, key=lambda edge: edge[2]) == [(ROWS[e], INDICES[e], e) for e in wanted]
    assert len(searched) <= step * np.count_nonzero(LENGTHS)
