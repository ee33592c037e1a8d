"""The drop-in for SciPy: its own test file, and its answers for matrices of every kind."""

import importlib
import inspect
import logging

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse import csgraph
from support.choices import each, pairs

import cc_rapids.scipy as ours

PEER = importlib.import_module("scipy.sparse.csgraph.tests.test_connected_components")
TESTS = [name for name, _ in inspect.getmembers(PEER, inspect.isfunction) if "test_" in name[:5]]
FORMATS = ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]
KINDS = [f"{name}_{kind}" for name in FORMATS for kind in ("matrix", "array")]


@pytest.fixture
def instead(monkeypatch):
    """Ours in the place of SciPy's, and what it was called with."""
    calls = []

    def counted(*args, **kwargs):
        calls.append(args)
        return ours.connected_components(*args, **kwargs)

    monkeypatch.setattr(csgraph, "connected_components", counted)
    return calls


@pytest.mark.parametrize("name", TESTS)
def test_a_test_of_scipy(instead, name):
    test = getattr(PEER, name)
    marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
    for values in marks[0].args[1] if marks else [None]:
        test(values) if marks else test()
    assert instead


def test_all_tests_of_scipy_are_there():
    assert len(TESTS) >= 8


def both(matrix, **options):
    """Ours, after it was compared with SciPy's."""
    count, labels = ours.connected_components(matrix, **options)
    strong = options.get("directed") and options.get("connection") == "strong"  # handed to SciPy
    same = matrix if strong else without_filling(matrix)
    expected, theirs = csgraph.connected_components(same, **options)
    assert type(count) is int
    assert count == expected
    np.testing.assert_array_equal(labels, theirs)
    assert labels.dtype == theirs.dtype
    assert ours.connected_components(matrix, return_labels=False, **options) == count
    return count


def without_filling(matrix):
    """The matrix without the zeros that fill its blocks, which SciPy before 1.18 took for edges."""
    if getattr(matrix, "format", None) != "bsr":
        return matrix
    matrix = matrix.tocsr()
    matrix.eliminate_zeros()
    return matrix


def random_graph(seed, n=60, m=40):
    random = np.random.default_rng(seed)
    src, dst = random.integers(0, n, (2, m))
    return scipy.sparse.coo_matrix((random.integers(0, 2, m), (src, dst)), shape=(n, n))


@pairs(connection=["weak", "WEAK", "strong"], directed=[False, True], kind=KINDS)
def test_matrices_of_every_kind(kind, directed, connection):
    graph = random_graph(len(kind))
    matrix = getattr(scipy.sparse, kind)(graph.toarray() if kind.startswith("dia") else graph)
    both(matrix, directed=directed, connection=connection)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_small_and_empty_matrices(n):
    assert both(scipy.sparse.csr_matrix((n, n))) == n
    if n:
        assert both(np.zeros((n, n))) == n
        assert both(np.ones((n, n))) == 1


def test_a_stored_zero_is_an_edge():
    matrix = scipy.sparse.coo_array(([0.0], ([0], [2])), shape=(3, 3)).tocsr()
    assert both(matrix) == 2


@pytest.mark.parametrize("none", [0, np.inf, -np.inf, np.nan])
def test_what_is_no_edge_in_a_dense_matrix(none):
    matrix = np.full((4, 4), none)
    matrix[1, 3] = -2.5
    assert both(matrix) == 3


def test_masked_entries_are_no_edges():
    matrix = np.ma.masked_array(
        [[0, 1, 5], [0, 0, 0], [0, 0, 0]], mask=[[1, 0, 1], [1] * 3, [1] * 3]
    )
    assert both(matrix) == 2


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("directed", [False, True])
def test_random_graphs(seed, directed):
    both(random_graph(seed, 200, 50 * (seed % 5)).tocsr(), directed=directed)


@pytest.mark.parametrize(
    ("matrix", "options"),
    [
        (np.eye(3), {"connection": "some"}),
        (np.ones((2, 3)), {}),
        (np.ones(3), {}),
        (scipy.sparse.csr_matrix((2, 3)), {}),
        (scipy.sparse.csr_matrix((2, 3)), {"connection": "strong"}),
        (scipy.sparse.coo_array(np.ones(4)), {}),
    ],
)
def test_errors_are_those_of_scipy(matrix, options):
    with pytest.raises(ValueError) as theirs:  # noqa: PT011
        csgraph.connected_components(matrix, **options)
    with pytest.raises(ValueError) as mine:  # noqa: PT011
        ours.connected_components(matrix, **options)
    assert str(mine.value) == str(theirs.value)


def test_the_matrix_is_left_as_it_was():
    matrix = random_graph(1).tocsc()
    before = matrix.copy()
    ours.connected_components(matrix)
    assert (matrix != before).nnz == 0
    assert matrix.indices.dtype == before.indices.dtype


@pytest.mark.parametrize("kind", [scipy.sparse.csr_array, scipy.sparse.csc_array])
def test_room_behind_the_entries_holds_none(kind):
    matrix = kind((np.ones(1), np.array([1], "i4"), np.array([0, 1, 1, 1], "i4")), shape=(3, 3))
    matrix.indices, matrix.data = np.array([1, 2], "i4"), np.ones(2)
    count, labels = ours.connected_components(matrix)
    expected, theirs = csgraph.connected_components(matrix)
    assert (count, labels.tolist()) == (expected, theirs.tolist())


def test_strong_components_are_handed_on_with_one_line(caplog):
    caplog.set_level(logging.INFO, logger="cc_rapids.integrations.scipy")
    both(random_graph(2).tocsr(), connection="strong")
    line = "strong components: passed to scipy.sparse.csgraph.connected_components"
    assert caplog.messages == [line] * 2


TREES = importlib.import_module("scipy.sparse.csgraph.tests.test_spanning_tree")
TESTS_OF_TREES = [
    name for name, _ in inspect.getmembers(TREES, inspect.isfunction) if "test_" in name[:5]
]


@pytest.mark.parametrize("name", TESTS_OF_TREES)
def test_a_test_of_scipys_trees(name, monkeypatch):
    calls = []

    def counted(*args, **kwargs):
        calls.append(args)
        return ours.minimum_spanning_tree(*args, **kwargs)

    monkeypatch.setattr(TREES, "minimum_spanning_tree", counted)
    getattr(TREES, name)()
    assert calls


def same_tree(matrix):
    """Ours and SciPy's are equal in all that they consist of."""
    got, expected = ours.minimum_spanning_tree(matrix), csgraph.minimum_spanning_tree(matrix)
    assert type(got) is type(expected)
    for name in ("data", "indices", "indptr"):
        left, right = getattr(got, name), getattr(expected, name)
        assert np.array_equal(left, right)
        assert left.dtype == right.dtype


@each(
    compiled={"dtype": ["f4", "f8", "i8", "?"]},
    kind=KINDS,
    dtype=["f4", "f8", "i1", "i8", "u2", "u8", "?"],
)
def test_trees_of_matrices_of_every_kind(kind, dtype):
    """With many ties, where SciPy takes the first entry."""
    for seed in range(4):
        random = np.random.default_rng(seed)
        dense = np.where(random.random((9, 9)) < 0.4, random.integers(0, 4, (9, 9)), 0)
        same_tree(getattr(scipy.sparse, kind)(dense.astype(dtype)))


@pytest.mark.parametrize("seed", range(6))
def test_trees_of_random_matrices(seed):
    """Negative weights, infinities and stored zeros, and entries that are listed twice."""
    random = np.random.default_rng(seed)
    n, m = int(random.integers(1, 60)), int(random.integers(0, 400))
    data = random.choice([-np.inf, -2, -0.0, 0, 0.5, 1, 2, np.inf, *random.random(5)], m)
    ends = random.integers(0, n, (2, m)).astype(np.int32)  # SciPy 1.15 takes no others
    order = np.argsort(ends[0], kind="stable")
    starts = np.searchsorted(ends[0][order], np.arange(n + 1)).astype(np.int32)
    same_tree(scipy.sparse.csr_array((data, ends[1][order], starts), shape=(n, n)))
    finite = np.isfinite(data)
    same_tree(scipy.sparse.coo_matrix((data[finite], ends[:, finite]), shape=(n, n)))


@pytest.mark.parametrize(
    "matrix",
    [
        np.zeros((0, 0)),
        np.zeros((3, 3)),
        scipy.sparse.csr_array((0, 0)),
        scipy.sparse.csr_matrix((2, 2)),
        [[0, 1], [np.inf, 0]],
        np.array([[0, np.nan], [2.5, 0]]),
        np.ma.masked_equal(np.array([[0, 7.0, 1], [0, 0, 2], [0, 0, 0]]), 7),
        scipy.sparse.csr_array(np.array([[0, np.nan], [1, 0]])),
    ],
)
def test_trees_of_small_matrices(matrix):
    same_tree(matrix)


@pytest.mark.parametrize(
    "matrix", [np.ones((2, 3)), np.ones(3), scipy.sparse.csr_array(np.ones((2, 3))), "x", None]
)
def test_errors_for_trees_are_those_of_scipy(matrix):
    with pytest.raises(ValueError, match="graph"):
        csgraph.minimum_spanning_tree(matrix)
    with pytest.raises((ValueError, TypeError)):
        ours.minimum_spanning_tree(matrix)


def test_the_matrix_of_a_tree_is_left_as_it_was():
    matrix = scipy.sparse.csr_array(np.array([[0, 2.0, 0], [0, 0, 3], [1, 0, 0]]))
    before = matrix.copy()
    ours.minimum_spanning_tree(matrix, overwrite=True)
    assert np.array_equal(matrix.toarray(), before.toarray())
