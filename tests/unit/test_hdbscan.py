"""HDBSCAN against a sequential oracle, scikit-learn and the package hdbscan."""

import pickle
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from cc_rapids import HDBSCAN, errors
from cc_rapids.algorithms import condensed_tree
from tests.support.hdbscan_oracle import hdbscan, hdbscan_of_matrix

SELECTIONS = (
    {},
    {"method": "leaf"},
    {"single": True},
    {"epsilon": 0.6},
    {"method": "leaf", "epsilon": 0.6},
    {"epsilon": 0.9, "single": True},
    {"most": 12},
)
NAMES = {
    "method": "cluster_selection_method",
    "single": "allow_single_cluster",
    "epsilon": "cluster_selection_epsilon",
    "most": "max_cluster_size",
}


def blobs(n=240, seed=0, centers=4):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)) + 9 * rng.random((centers, 2))[rng.integers(0, centers, n)]


def neighbors(points, k, steps=None, missing=0.0, seed=0):
    """The nearest neighbours in random order, with distances rounded to some steps."""
    distances = cdist(points, points)
    indices = np.argsort(distances, axis=1)[:, :k]
    rng = np.random.default_rng(seed)
    indices = rng.permuted(indices, axis=1)
    distances = np.take_along_axis(distances, indices, axis=1)
    if steps:
        distances = np.floor(distances * steps) / steps
    indices[rng.random(indices.shape) < missing] = -1
    return indices, distances


def model(selection, **parameters):
    named = {NAMES[name]: value for name, value in selection.items()}
    return HDBSCAN(**named, **parameters, metric="precomputed")


def check(found, expected):
    rows, labels, probabilities, scores = expected
    tree = np.sort(found.condensed_tree_, order=["child"])
    right = np.array(sorted(rows, key=lambda row: row[1]), tree.dtype)
    for name in ("parent", "child", "child_size"):
        assert tree[name].tolist() == right[name].tolist()
    np.testing.assert_allclose(tree["lambda_val"], right["lambda_val"])
    assert found.labels_.tolist() == labels.tolist()
    np.testing.assert_allclose(found.probabilities_, probabilities)
    np.testing.assert_allclose(found.outlier_scores_, scores, atol=1e-15)


@pytest.mark.parametrize("selection", SELECTIONS, ids=str)
@pytest.mark.parametrize(
    ("k", "steps", "missing"), [(9, None, 0.0), (4, None, 0.0), (8, 3, 0.0), (9, 2, 0.2)]
)
def test_clusters_are_those_of_a_sequential_run(selection, k, steps, missing):
    """Also with several trees, ties, missing neighbours and rows in no order."""
    for seed, least, min_samples in ((0, 5, 4), (1, 3, 1), (2, 2, 3), (3, 8, 2)):
        given = neighbors(blobs(80, seed), k, steps, missing, seed)
        found = model(selection, min_cluster_size=least, min_samples=min_samples).fit(given)
        check(found, hdbscan(*given, least, min_samples, **selection))


def test_engines_agree(engine, monkeypatch):
    monkeypatch.setattr(condensed_tree, "PIECE", 4)
    given = neighbors(blobs(40), 6, 3, 0.1)
    given = given[0].astype(np.int32), given[1].astype(np.float32)
    found = HDBSCAN(3, 3, metric="precomputed", engine=engine).fit(given)
    check(found, hdbscan(*given, 3, 3))


def test_forms_of_distances():
    indices, distances = neighbors(blobs(60), 8)
    rows = np.repeat(np.arange(60), 8)
    expected = HDBSCAN(4, metric="precomputed").fit_predict((indices, distances))
    matrix = sp.csr_array((distances.ravel(), (rows, indices.ravel())), (60, 60))
    forms = [
        matrix,
        sp.csr_matrix(matrix),
        (indices.astype(np.uint16), distances),
        (np.asfortranarray(indices), distances),
    ]
    for form in forms:
        assert HDBSCAN(4, metric="precomputed").fit_predict(form).tolist() == expected.tolist()
    matrix.setdiag(0)
    assert HDBSCAN(4, metric="precomputed").fit_predict(matrix).tolist() == expected.tolist()


@pytest.mark.parametrize("selection", SELECTIONS, ids=str)
def test_clusters_of_all_distances_are_those_of_a_sequential_run(selection):
    """Also with ties, and with missing distances, by which the forest has several trees."""
    for seed, steps, most in ((0, 100, 99), (1, 3, 99), (2, 100, 2), (3, 2, 1)):
        points = blobs(60, seed)
        distances = np.floor(cdist(points, points) * steps) / steps
        distances[distances > most] = np.inf
        for least, min_samples in ((4, 5), (3, 1)):
            found = model(selection, min_cluster_size=least, min_samples=min_samples).fit(distances)
            check(found, hdbscan_of_matrix(distances, least, min_samples, **selection))


@pytest.mark.parametrize("form", [np.float32, np.int64, np.asfortranarray])
def test_forms_of_a_matrix(form, engine):
    points = blobs(40)
    distances = form(np.floor(10 * cdist(points, points)))
    given = distances.copy()
    found = HDBSCAN(3, 4, metric="precomputed", engine=engine).fit(distances)
    check(found, hdbscan_of_matrix(distances, 3, 4))
    assert np.array_equal(given, distances)


def test_points_at_one_place():
    points = np.repeat(blobs(12, 3), 6, axis=0)
    distances = cdist(points, points)
    found = HDBSCAN(5, metric="precomputed", cluster_selection_method="leaf").fit(distances)
    assert found.labels_.max() == 11
    assert np.bincount(found.labels_).tolist() == [6] * 12
    assert found.probabilities_.tolist() == [1.0] * 72


def test_no_edges_and_few_points():
    missing = np.full((4, 2), -1), np.zeros((4, 2))
    assert HDBSCAN(2, metric="precomputed").fit_predict(missing).tolist() == [-1] * 4
    near = np.array([[0.0, 1.0], [1.0, 0.0]])
    found = HDBSCAN(5, 1, metric="precomputed", allow_single_cluster=True).fit(near)
    assert found.labels_.tolist() == [0, 0]


def test_a_forest_of_10000_points_in_a_path():
    """The merge tree and the tree of clusters are as deep as they can be."""
    n = 10_000
    place = np.cumsum(np.linspace(1, 2, n))
    indices = np.array([np.arange(n) - 1, np.arange(n) + 1]).T
    indices[-1, 1] = -1
    distances = np.abs(place[indices] - place[:, None])
    found = HDBSCAN(2, 1, metric="precomputed", cluster_selection_method="leaf")
    labels = found.fit_predict((indices, distances))
    assert np.flatnonzero(labels >= 0).tolist() == []  # each merge adds one point to the first
    tree = found.condensed_tree_
    assert np.array_equal(tree["lambda_val"][2:], 1 / distances[1:-1, 1])


def test_errors():
    near = np.zeros((6, 6))
    for parameters, given, message in (
        ({"min_cluster_size": 1}, near, "min_cluster_size= must be a count of at least 2"),
        ({"min_samples": 7}, near, "min_samples=7 is greater than the number of points, 6"),
        ({"alpha": 0}, near, "alpha= must be positive and finite"),
        ({"cluster_selection_epsilon": -1}, near, "epsilon= must be at least 0 and finite"),
        ({"cluster_selection_method": "eon"}, near, "did you mean 'eom'"),
        ({"store_centers": "both"}, near, "centres are not computed"),
        ({"n_neighbors": 3}, near, "n_neighbors= must be a count of at least 5"),
        ({}, np.zeros((6, 5)), r"shape \(6, 5\): pass a square matrix"),
        ({}, np.triu(np.ones((6, 6))), "must be symmetric"),
        ({}, near * np.nan, "contains NaN"),
        ({}, (np.zeros((6, 2), int), None), "no distances"),
        ({}, (np.full((6, 2), 9), np.zeros((6, 2))), r"indices\[0, 0\] is 9"),
    ):
        with pytest.raises(errors.CcRapidsError, match=message):
            HDBSCAN(**parameters, metric="precomputed").fit(given)


@pytest.mark.parametrize(("finite", "message"), [(1, "1 of 6 points are"), (4, "finite points, 4")])
def test_errors_count_finite_points(finite, message):
    pytest.importorskip("sklearn")
    points = np.full((6, 2), np.nan)
    points[:finite] = 1.0
    with pytest.raises(errors.InputError, match=message):
        HDBSCAN(5).fit(points)


@pytest.mark.parametrize("neighbors", [None, 6])
def test_undefined_distances_are_refused(neighbors):
    """The correlation with a point of equal values is 0 / 0."""
    pytest.importorskip("sklearn")
    points = np.random.default_rng(1).random((9, 4))
    points[2], points[4] = np.inf, 3.0
    with pytest.raises(errors.InputError, match=r"metric='correlation' is NaN .* one of X\["):
        HDBSCAN(metric="correlation", n_neighbors=neighbors).fit(points)
    points[4, 0] = 1.0
    labels = HDBSCAN(2, metric="correlation", n_neighbors=neighbors).fit_predict(points)
    assert labels[2] == -2


def test_points_need_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.utils.validation", None)
    with pytest.raises(errors.MissingExtraError, match="pip install scikit-learn, or pass metric="):
        HDBSCAN().fit(blobs(20))


def test_parameters_and_pickles():
    found = HDBSCAN(metric="precomputed").set_params(min_cluster_size=3, min_samples=2)
    assert found.get_params()["min_cluster_size"] == 3
    assert type(found)(**found.get_params()).get_params() == found.get_params()
    labels = found.fit_predict(cdist(blobs(30), blobs(30)))
    copy = pickle.loads(pickle.dumps(found))
    assert copy.labels_.tolist() == labels.tolist()
    assert copy.condensed_tree_.tolist() == found.condensed_tree_.tolist()


@pytest.mark.parametrize("selection", SELECTIONS[:3], ids=str)
@pytest.mark.parametrize("algorithm", ["auto", "brute"])
def test_clusters_of_points_are_those_of_scikit_learn(selection, algorithm):
    """From ``min_samples=3`` on, many merges have the same height."""
    cluster = pytest.importorskip("sklearn.cluster")
    points = blobs(700, 5)
    points[7, 0], points[8, 1] = np.nan, np.inf
    selection = {NAMES[name]: value for name, value in selection.items()}
    for min_samples, alpha in ((None, 1.0), (1, 1.3), (10, 0.7)):
        named = {"min_samples": min_samples, "alpha": alpha, "algorithm": algorithm, **selection}
        found = HDBSCAN(**named).fit(points)
        expected = cluster.HDBSCAN(**named, copy=True).fit(points)
        assert found.labels_.tolist() == expected.labels_.tolist()
        np.testing.assert_array_equal(found.probabilities_, expected.probabilities_)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("steps", [1 << 20, 4])
def test_clusters_of_distances_are_those_of_scikit_learn(dtype, steps):
    cluster = pytest.importorskip("sklearn.cluster")
    points = blobs(500, 6)
    distances = (np.round(cdist(points, points) * steps) / steps).astype(dtype)
    for named in ({}, {"min_samples": 1}, {"min_samples": 10, "alpha": 1.3}):
        found = HDBSCAN(**named, metric="precomputed").fit(distances)
        expected = cluster.HDBSCAN(**named, metric="precomputed", copy=True).fit(distances)
        assert found.labels_.tolist() == expected.labels_.tolist()
        np.testing.assert_array_equal(found.probabilities_, expected.probabilities_)


def test_many_points_take_their_nearest_neighbors():
    pytest.importorskip("sklearn")
    points = np.sort(np.random.default_rng(1).random((300, 1)), axis=0)
    found = HDBSCAN(4, n_neighbors=6).fit(points)
    distances = cdist(points, points)
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :6]
    given = nearest, np.take_along_axis(distances, nearest, axis=1)
    expected = HDBSCAN(4, metric="precomputed").fit(given)
    assert found.labels_.tolist() == expected.labels_.tolist()


def test_estimator_checks_of_scikit_learn():
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    checks.check_estimator(HDBSCAN(), on_skip=None)


@pytest.mark.parametrize("least", [3, 6, 12])
def test_trees_and_scores_are_those_of_hdbscan(least):
    """Its ``min_samples`` does not count the point itself."""
    peer = pytest.importorskip("hdbscan")
    distances = cdist(*[blobs(150, 4)] * 2)
    found = HDBSCAN(least, 2, metric="precomputed").fit(distances)
    expected = peer.HDBSCAN(least, min_samples=1, metric="precomputed").fit(distances)
    tree, right = (
        np.sort(rows, order=["child"])
        for rows in (found.condensed_tree_, expected.condensed_tree_.to_numpy())
    )
    for name in ("parent", "child", "child_size"):
        assert tree[name].tolist() == right[name].tolist()
    np.testing.assert_allclose(tree["lambda_val"], right["lambda_val"])
    np.testing.assert_allclose(found.outlier_scores_, expected.outlier_scores_, atol=1e-12)


def test_fewer_neighbours_than_samples_give_a_warning():
    indices = np.array([[1, 2], [0, 2], [0, 1], [0, 1]])
    model = HDBSCAN(min_cluster_size=4, metric="precomputed")
    with pytest.warns(
        errors.CcRapidsWarning, match=r"min_samples=4 \(by default .* no point lists more than 2"
    ):
        assert (model.fit((indices, np.ones((4, 2)))).labels_ == -1).all()
