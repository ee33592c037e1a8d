"""Few vertices counted and gathered by NumPy: what kernels find, word for word."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import sizes

import cc_rapids
from cc_rapids import backends
from cc_rapids.graph import forest
from cc_rapids.graph.forest import PIECE, Forest, count_by_numpy

ON = backends.get("threads")
RANGES = [(0, np.int32), (-7, np.int8), (-(2**63), np.int64), (5 - 2**63, np.uint64)]


def forest_of(n, edges, alone, most, every):
    """The flat forest of some edges and vertices, whose answers take NumPy up to a size."""
    with sizes.override(library_vertices=most):
        trees = Forest(ON, n, all_present=every)
    parent = np.arange(n, dtype=np.uint32)
    for ends in edges:
        a, b = sorted(parent[list(ends)])
        parent[parent == b] = a
    trees.parent[:] = parent
    for v in {*alone, *(v for ends in edges for v in ends)}:
        trees.present[v >> 5] |= np.uint32(1 << (v & 31))
    trees.count()
    found = [(trees.vertices, trees.components), trees.present.copy(), trees.ranks.copy()]
    for low, dtype in RANGES:
        found += [*trees.rows(low, dtype), *trees.dense(low, dtype)]
    return found


@pytest.mark.parametrize("piece", [256, PIECE])
@settings(max_examples=80, deadline=None, derandomize=True)  # the first example compiles
@given(data=st.data(), n=st.integers(1, 700))
def test_numpy_finds_what_kernels_find(piece, data, n):
    every = data.draw(st.booleans())
    vertex = st.integers(0, n - 1)
    edges = data.draw(st.lists(st.tuples(vertex, vertex), max_size=20))
    alone = data.draw(st.lists(vertex, max_size=20))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forest, "PIECE", piece)
        ours, theirs = (forest_of(n, edges, alone, most, every) for most in (n - 1, n))
    assert ours[0] == theirs[0]
    for one, other in zip(ours[1:], theirs[1:], strict=True):
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 255, 256, 257])
def test_ranks_of_blocks(n):
    words = np.full(-(-n // 32), 0xFFFFFFFF, np.uint32)
    before = np.full(-(-words.size // 8) + 1, 99, np.uint32)
    totals = np.array([0, 0, 7])
    count_by_numpy(np.arange(n, dtype=np.uint32), words, before, totals)
    assert totals.tolist() == [n, n, 7]
    assert before.tolist() == [min(256 * b, 32 * words.size) for b in range(before.size)]


def test_it_goes_by_the_number_of_vertices(monkeypatch):
    taken = []

    def counted(*given):
        taken.append(1)
        count_by_numpy(*given)

    monkeypatch.setattr(forest, "count_by_numpy", counted)
    edges = np.array([0, 1]), np.array([1, 4])
    for most in (4, 5):
        with sizes.override(library_vertices=most):
            cc_rapids.components(edges, num_vertices=5, engine="threads")
    assert taken == [1]
