"""HDBSCAN on a real GPU, against the trees and labels of threads."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from cc_rapids import HDBSCAN

cupy = pytest.importorskip("cupy")

pytestmark = pytest.mark.gpu


def neighbors(n, k, steps):
    rng = np.random.default_rng(n)
    points = 100 * rng.random((20, 2))[rng.integers(0, 20, n)] + rng.normal(size=(n, 2))
    distances, indices = cKDTree(points).query(points, k)
    return indices.astype(np.int32), np.round(distances * steps).astype(np.float32) / steps


@pytest.mark.parametrize("n", [300, 40_000])
@pytest.mark.parametrize("steps", [10, 1 << 20])
@pytest.mark.parametrize("method", ["eom", "leaf"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_answers_are_those_of_threads(n, steps, method, order):
    given = neighbors(n, 12, steps)
    options = {"cluster_selection_method": method, "metric": "precomputed"}
    expected = HDBSCAN(8, 4, **options).fit(given)
    on_device = tuple(cupy.asarray(array, order=order) for array in given)
    found = HDBSCAN(8, 4, **options).fit(on_device)
    assert isinstance(found.labels_, cupy.ndarray)
    if order == "C":  # ties are in the order of the entries
        assert found.labels_.get().tolist() == expected.labels_.tolist()
        assert found.condensed_tree_.tolist() == expected.condensed_tree_.tolist()
        np.testing.assert_allclose(found.probabilities_.get(), expected.probabilities_)
        np.testing.assert_allclose(found.outlier_scores_.get(), expected.outlier_scores_)
    tree, right = found.condensed_tree_, expected.condensed_tree_
    np.testing.assert_allclose(tree["lambda_val"][:n].sum(), right["lambda_val"][:n].sum(), 0.01)


def test_matrices_and_arrays_of_the_host():
    sparse = pytest.importorskip("cupyx.scipy.sparse")
    indices, distances = neighbors(2_000, 8, 1 << 20)
    expected = HDBSCAN(metric="precomputed").fit_predict((indices, distances))
    offsets = np.arange(0, 8 * 2_000 + 1, 8, dtype=np.int32)
    flat = distances.ravel(), indices.ravel(), offsets
    matrix = sparse.csr_matrix(tuple(map(cupy.asarray, flat)), (2_000, 2_000))
    found = HDBSCAN(metric="precomputed").fit_predict(matrix)
    assert found.get().tolist() == expected.tolist()
    host = HDBSCAN(metric="precomputed", engine="cuda").fit_predict((indices, distances))
    assert isinstance(host, np.ndarray)
    assert host.tolist() == expected.tolist()
    points = cupy.random.default_rng(0).random((500, 3))
    square = cupy.sqrt(((points[:, None] - points) ** 2).sum(axis=-1))
    found = HDBSCAN(metric="precomputed").fit_predict(square)
    expected = HDBSCAN(metric="precomputed").fit_predict(square.get())
    assert found.get().tolist() == expected.tolist()
