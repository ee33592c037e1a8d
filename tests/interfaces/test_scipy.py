"""SciPy's contract: its own tests, its answers for every kind of matrix, and its errors."""

import importlib
import logging
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

from cc_rapids import errors
from cc_rapids.scipy import connected_components

FORMATS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
suite = importlib.import_module("scipy.sparse.csgraph.tests.test_connected_components")
THEIRS = sorted(name for name in vars(suite) if name.startswith("test_"))


@pytest.mark.parametrize("name", THEIRS)
def test_scipys_own_tests_pass(name, monkeypatch):
    calls = []

    def ours(*arguments, **options):
        calls.append(arguments)
        return connected_components(*arguments, **options)

    functions = vars(csgraph) | {"connected_components": ours}
    monkeypatch.setattr(suite, "csgraph", SimpleNamespace(**functions))
    getattr(suite, name)()
    assert calls


def test_scipys_suite_is_all_there():
    assert len(THEIRS) >= 8
    assert "test_weak_connections" in THEIRS


def random_matrix(n, m, seed=0):
    """With stored zeros, duplicates and self-loops."""
    rng = np.random.default_rng(seed)
    at = rng.integers(0, n, m), rng.integers(0, n, m)
    return sp.coo_array((rng.integers(0, 3, m).astype(float), at), shape=(n, n))


def same(matrix, **options):
    ours, theirs = (
        call(matrix, **options) for call in (connected_components, csgraph.connected_components)
    )
    assert type(ours[0]) is int
    assert ours[0] == theirs[0]
    assert ours[1].dtype == theirs[1].dtype == np.int32
    assert np.array_equal(ours[1], theirs[1])
    assert connected_components(matrix, return_labels=False, **options) == theirs[0]


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(("n", "m"), [(0, 0), (1, 0), (4, 0), (40, 20), (60, 90)])
def test_sparse_matrices_of_every_format(format, kind, n, m):
    made = getattr(sp, f"{format}_{kind}")(random_matrix(n, m).asformat(format))
    before = made.copy()
    same(made)
    same(made, directed=False)
    same(made, connection="WEAK")
    same(made, directed=False, connection="strong")
    assert made.format == before.format
    assert made.nnz == before.nnz
    assert (made != before).nnz == 0


def test_blocks_count_with_their_zeros():
    blocks = sp.bsr_array(np.kron(np.eye(2), [[1.0, 0.0], [0.0, 0.0]]), blocksize=(2, 2))
    same(blocks)
    assert connected_components(blocks, return_labels=False) == 2


def test_integer_indices_of_64_bits_are_read():
    rows = sp.csr_array(([1], np.array([[0], [1]], dtype=np.int64)), shape=(2, 2))
    assert rows.indices.dtype == np.int64
    same(rows)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.uint64, bool])
def test_dense_arrays(dtype):
    dense = random_matrix(30, 25).toarray().astype(dtype)
    same(dense)
    same(dense.T)
    same(np.ma.masked_equal(dense, 1))


def test_dense_entries_that_are_no_edges():
    dense = np.zeros((6, 6))
    dense[0, 1], dense[2, 1], dense[3, 4], dense[5, 5] = np.nan, np.inf, -np.inf, 1
    same(dense)
    assert connected_components(dense, return_labels=False) == 6
    count, labels = connected_components([[0, 1], [0, 0]])
    assert (count, labels.tolist()) == (1, [0, 0])


def test_a_long_path_and_its_reverse():
    n = 100_000
    order = np.random.default_rng(0).permutation(n)
    at = order[:-1], order[1:]
    same(sp.coo_array((np.ones(n - 1), at), shape=(n, n)).tocsr())


def test_pydata_arrays_are_converted_by_themselves():
    matrix = random_matrix(20, 15)
    wrapped = SimpleNamespace(to_scipy_sparse=lambda: matrix)
    count, labels = connected_components(wrapped)
    expected = csgraph.connected_components(matrix)
    assert count == expected[0]
    assert np.array_equal(labels, expected[1])


def test_strong_components_are_scipys_with_one_line(caplog):
    caplog.set_level(logging.INFO, logger="cc_rapids.scipy")
    dense = np.array([[0, 1, 0], [1, 0, 1], [0, 0, 0]])
    for matrix in (dense, sp.csr_array(dense)):
        caplog.clear()
        count, labels = connected_components(matrix, connection="Strong")
        theirs = csgraph.connected_components(matrix, connection="Strong")
        assert count == theirs[0] == 2
        assert np.array_equal(labels, theirs[1])
        assert connected_components(matrix, connection="strong", return_labels=False) == 2
        line = "strong components: handed to scipy.sparse.csgraph.connected_components"
        assert caplog.messages == [line] * 2


@pytest.mark.parametrize(
    "matrix",
    [
        sp.coo_array((2, 3)),
        sp.coo_array((3,)),
        np.zeros((2, 3)),
        np.zeros(3),
        np.zeros((2, 2, 2)),
        np.ma.masked_array(np.zeros((2, 3))),
        np.ma.masked_array(np.zeros(3)),
    ],
    ids=lambda matrix: f"{type(matrix).__name__}{matrix.shape}",
)
def test_shapes_are_refused_in_scipys_words(matrix):
    with pytest.raises(ValueError, match=r".") as theirs:
        csgraph.connected_components(matrix)
    with pytest.raises(ValueError, match=r".") as ours:
        connected_components(matrix)
    assert str(ours.value) == str(theirs.value)


def test_connections_are_refused_in_scipys_words():
    with pytest.raises(errors.InputError, match=r"^connection must be 'weak' or 'strong'$"):
        connected_components(np.eye(2), connection="medium")
    with pytest.raises(ValueError, match=r"^connection must be 'weak' or 'strong'$"):
        connected_components(np.eye(2), connection=None)
