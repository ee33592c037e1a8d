"""The merges of trees of all shapes: both programs find what one edge after the other does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.sparse import csgraph, csr_array
from scipy.spatial.distance import squareform
from support.edge_lists import quick
from support.machine import SIMULATED

from cc_rapids import backends, errors, oracle
from cc_rapids.algorithms import dendrogram
from cc_rapids.kernels.dendrogram import RUN

PROGRAMS = [dendrogram._merges_in_parallel]
PROGRAMS += [] if SIMULATED else [dendrogram._merges_in_order]
BACKEND = backends.get("cuda" if SIMULATED else "threads")
MOST = 300 if SIMULATED else 3000


def path(n, random):
    return np.arange(n - 1)


def star(n, random):
    return np.zeros(n - 1, np.int64)


def caterpillar(n, random):
    below = np.arange(1, n)
    return np.where(below <= n // 2, below - 1, below - n // 2 - 1)


def balanced(n, random):
    return np.arange(n - 1) // 2


def tree(n, random):
    return random.integers(0, np.arange(1, n)) if n > 1 else np.zeros(0, np.int64)


SHAPES = (path, star, caterpillar, balanced, tree)


def in_turn(parents, random):
    return np.arange(parents.size)


def backwards(parents, random):
    return np.arange(parents.size)[::-1]


def shuffled(parents, random):
    return random.permutation(parents.size)


def tournament(parents, random):
    """Every other edge first, then every fourth, and so on: a path halves each time."""
    row = np.arange(1, parents.size + 1)
    return np.argsort(row & -row, kind="stable")


ORDERS = (in_turn, backwards, shuffled, tournament)


def one_by_one(src, dst, n):
    """The merge of each edge by sets of vertices."""
    cluster, members = list(range(n)), {v: {v} for v in range(n)}
    rows = []
    for k, (u, v) in enumerate(zip(src.tolist(), dst.tolist(), strict=True)):
        pair = sorted((cluster[u], cluster[v]))
        whole = members.pop(pair[0]) | members.pop(pair[1])
        members[n + k] = whole
        for w in whole:
            cluster[w] = n + k
        rows.append((*pair, len(whole), min(whole), max(whole)))
    return np.array(rows, np.int64).reshape(-1, 5)


def merged(program, src, dst, n):
    arrays = program(*map(BACKEND.asarray, (src, dst)), n, BACKEND)
    assert {array.dtype for array in arrays} == {np.dtype(dendrogram.word_of(n))}
    return np.column_stack(arrays).astype(np.int64)


def forest(n, random, shape, order, share=1.0):
    """The edges of a forest whose vertices have names at random, in an order."""
    parents = shape(n, random)
    rows = order(parents, random)
    rows = rows[random.random(rows.size) < share]
    names, turned = random.permutation(n), random.random(rows.size) < 0.5
    ends = names[rows + 1], names[parents[rows]]
    return np.where(turned, *ends), np.where(turned, *ends[::-1])


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("order", ORDERS)
def test_trees_of_all_shapes(order, shape, program):
    random = np.random.default_rng(7)
    for n in (1, 2, 3, RUN, RUN + 1, RUN + 2, MOST // 3, MOST):
        src, dst = forest(n, random, shape, order)
        found = merged(program, src, dst, n)
        right = oracle.single_linkage(src, dst, n, np.arange(src.size))
        assert np.array_equal(found[:, :3], right[:, :3])
        if n < MOST:
            assert np.array_equal(found, one_by_one(src, dst, n))


@quick
@given(
    st.integers(1, 40),
    st.integers(0, 2**32 - 1),
    st.sampled_from(SHAPES),
    st.sampled_from(ORDERS),
    st.sampled_from([1.0, 0.9, 0.5, 0.1]),
)
def test_forests_of_random_trees(n, seed, shape, order, share):
    src, dst = forest(n, np.random.default_rng(seed), shape, order, share)
    right = one_by_one(src, dst, n)
    for program in PROGRAMS:
        assert np.array_equal(merged(program, src, dst, n), right)


@pytest.mark.parametrize("program", PROGRAMS)
def test_clusters_of_64_bits(program, monkeypatch):
    monkeypatch.setattr(dendrogram, "word_of", lambda n: np.uint64)
    src, dst = forest(200, np.random.default_rng(1), tree, shuffled, 0.9)
    assert np.array_equal(merged(program, src, dst, 200), one_by_one(src, dst, 200))


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("shape", SHAPES)
def test_it_is_single_linkage_of_scipy(shape, program, monkeypatch):
    """By all distances along the tree: the heaviest edge between two vertices."""
    random, n = np.random.default_rng(3), 40
    src, dst = forest(n, random, shape, shuffled)
    height = np.arange(1.0, n)
    far = np.zeros((n, n))
    matrix = csr_array((height, (src, dst)), (n, n))
    for v in range(n):
        order, before = csgraph.breadth_first_order(matrix, v, directed=False)
        for w in order[1:]:
            edge = matrix[w, before[w]] + matrix[before[w], w]
            far[v, w] = max(far[v, before[w]], edge)
    right = hierarchy.linkage(squareform(far), "single")
    monkeypatch.setattr(type(BACKEND), "merges_in_order", program is not PROGRAMS[0])
    made = dendrogram.MergeTree.of(*map(BACKEND.asarray, (src, dst)), n, BACKEND)
    assert np.array_equal(BACKEND.to_host(made.linkage(BACKEND.asarray(height))), right)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    ("src", "dst", "closing"),
    [
        ([0], [0], 1),
        ([0, 0], [1, 1], 1),
        ([0, 1, 2], [1, 2, 0], 1),
        ([0, 2, 0, 1, 3, 2, 0], [1, 3, 2, 3, 1, 0, 0], 4),
        ([3, 0, 1, 2] * 5, [4, 1, 2, 0] * 5, 17),
    ],
)
def test_edges_that_close_a_cycle_are_counted(src, dst, closing, program):
    words = f"{closing} edges? of the forest would merge a cluster with itself"
    with pytest.raises(errors.InputError, match=words):
        merged(program, np.array(src), np.array(dst), 5)


@pytest.mark.slow
@quick
@given(st.integers(1, 30), st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_edges_of_a_step_merge_at_once(n, seed, steps):
    random = np.random.default_rng(seed)
    src, dst = forest(n, random, tree, shuffled, 0.9)
    step = np.sort(random.integers(0, steps, src.size))
    step = np.unique(step, return_inverse=True)[1]
    made = dendrogram.MergeTree.of(*map(BACKEND.asarray, (src, dst)), n, BACKEND)
    before, after, at = made.at_once(BACKEND.asarray(step))
    found = zip(
        at.tolist(),
        made.least_of(before).tolist(),
        made.sizes_of(before).tolist(),
        made.least_of(after).tolist(),
        made.sizes_of(after).tolist(),
        strict=True,
    )
    rows, labels = [], np.arange(n)
    for k in range(step.max(initial=-1) + 1):
        now = oracle.union_find(src[step <= k], dst[step <= k], n)
        sizes, more = np.bincount(labels, minlength=n), np.bincount(now, minlength=n)
        for v in np.unique(labels):
            if more[now[v]] > sizes[v]:
                rows.append((k, v, sizes[v], now[v], more[now[v]]))
        labels = now
    assert list(found) == rows
