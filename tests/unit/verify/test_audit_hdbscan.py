"""The audit of HDBSCAN accepts right answers, in any order of ties, and refuses wrong ones."""

import copy

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from cc_rapids import HDBSCAN
from cc_rapids.errors import InputError, VerificationError
from tests.support.hdbscan_oracle import answers
from tests.unit.test_hdbscan import SELECTIONS, blobs, model, neighbors

TYPES = [("parent", "i8"), ("child", "i8"), ("lambda_val", "f8"), ("child_size", "i8")]


def shown(found, tree=None, **columns):
    """The model with another tree or other columns."""
    changed = copy.copy(found)
    if tree is not None:
        changed.__class__ = type("Changed", (HDBSCAN,), {"condensed_tree_": tree})
    vars(changed).update(columns)
    return changed


def refused(changed, given, match=None):
    with pytest.raises(VerificationError, match=match):
        changed.audit(given)


@pytest.mark.parametrize("selection", SELECTIONS, ids=str)
def test_right_answers(selection):
    """Also with several trees, ties in several orders, float32, and scaled distances."""
    for seed, k, steps, missing in ((0, 9, None, 0.0), (1, 4, 3, 0.2), (2, 8, 2, 0.0)):
        for least, min_samples, alpha in ((5, 4, 1.0), (2, 3, 1.3), (3, 1, 1.0)):
            indices, far = neighbors(blobs(60, seed), k, steps, missing, seed)
            far = far.astype([np.float64, np.float32][seed % 2])
            named = {"min_cluster_size": least, "min_samples": min_samples, "alpha": alpha}
            for given in ((indices, far), (indices[:, ::-1], far[:, ::-1])):
                model(selection, **named).fit(given).audit((indices, far))
    for steps, most in ((100, 99), (3, 99), (2, 1)):
        matrix = np.floor(cdist(*[blobs(60, steps)] * 2) * steps) / steps
        matrix[matrix > most] = np.inf
        model(selection, min_cluster_size=3).fit(matrix).audit(matrix)
        graph = sp.csr_array(np.where((matrix > 0) & (matrix < 2), matrix, 0))
        model(selection, min_cluster_size=2).fit(graph).audit(graph)


def test_points():
    pytest.importorskip("sklearn")
    points = blobs(120, 5)
    points[7, 0], points[8, 1] = np.nan, np.inf
    for named in ({}, {"n_neighbors": 9, "alpha": 1.2}, {"cluster_selection_method": "leaf"}):
        found = HDBSCAN(**named).fit(points)
        assert found.audit(points).vertices == 120
        assert found.n_features_in_ == 2
        for name, value in (("labels_", -1), ("probabilities_", 0.5), ("outlier_scores_", 0.5)):
            column = getattr(found, name).copy()
            column[7] = value
            refused(shown(found, **{name: column}), points, rf"{name}\[7\]")


@pytest.mark.parametrize("steps", [None, 3])
def test_changed_answers(steps):
    given = neighbors(blobs(60, 1), 8, steps, 0.1, 1)
    found = model({"method": "leaf"}, min_cluster_size=4).fit(given)
    for name in ("labels_", "probabilities_", "outlier_scores_"):
        right = getattr(found, name)
        p, q = np.flatnonzero(right != right[0])[0], 0
        swapped = right.copy()
        swapped[[p, q]] = right[[q, p]]
        refused(shown(found, **{name: swapped}), given, rf"{name}\[0\]")
    refused(shown(found, labels_=found.labels_ + 1), given, "labels_")
    refused(shown(found, probabilities_=right[1:]), given, "probabilities_ has the shape")
    refused(shown(found, min_cluster_size=5), given)
    refused(shown(found, min_samples=2), given)
    other = model({"method": "leaf"}, min_cluster_size=2, min_samples=4).fit(given)
    assert other.labels_.tolist() != found.labels_.tolist()
    refused(shown(found, labels_=other.labels_), given, "labels_")


@pytest.mark.parametrize("steps", [None, 3])
def test_changed_trees(steps):
    given = neighbors(blobs(60, 2), 8, steps, 0.1, 2)
    found = HDBSCAN(3, 2, metric="precomputed").fit(given)
    tree = found.condensed_tree_
    refused(shown(found, tree[1:]), given, "does not list each point")
    refused(shown(found, np.append(tree, tree[:1])), given, "does not list each point")
    for name in tree.dtype.names:
        for k in range(0, len(tree), 5):
            for value in (tree[name][k] + 1, tree[name][k] * 2, tree[name][k] / 2):
                changed = tree.copy()
                changed[name][k] = value
                if changed[name][k] != tree[name][k]:
                    refused(shown(found, changed), given)


def test_points_in_each_others_clusters():
    """All sizes and densities are right, but not the points of two clusters."""
    place = np.array([0.0, 1, 2, 9, 10, 11, 30, 31, 32])
    given = abs(place - place[:, None])
    found = HDBSCAN(3, 2, metric="precomputed").fit(given)
    tree = found.condensed_tree_.copy()
    tree["parent"][[0, 3]] = tree["parent"][[3, 0]]
    assert tree["lambda_val"][0] == tree["lambda_val"][3]
    refused(shown(found, tree), given, "points .* are in two clusters")


@pytest.mark.parametrize(
    ("first", "last", "right"),
    [((1, 2), (3, 4), True), ((3, 4), (1, 2), True), ((1, 4), (1, 2), False)],
)
def test_ties_join_clusters_by_edges(first, last, right):
    """Three pairs of points in a path: those at its ends are not joined first."""
    indices = np.array([[1, -1], [0, 2], [3, 1], [2, 4], [5, 3], [4, -1]])
    distances = np.array([[1.0, 0], [1, 5], [1, 5], [1, 5], [1, 5], [1, 0]])
    pairs = [(1.0, 0, 0, p, p + 1) for p in (0, 2, 4)]
    edges = [*pairs, (5.0, 0, 0, *first), (5.0, 0, 0, *last)]
    found = HDBSCAN(2, 1, metric="precomputed", cluster_selection_method="leaf")
    rows, *columns = answers((edges, [0]), 6, 2, method="leaf")
    names = "labels_", "probabilities_", "outlier_scores_"
    found = shown(found, np.array(rows, TYPES), **dict(zip(names, columns, strict=True)))
    if right:
        assert str(found.audit((indices, distances))).startswith("right: 3 components")
    else:
        refused(found, (indices, distances), "no edge joins the children of cluster")


def test_other_distances_are_refused():
    given = neighbors(blobs(50, 3), 6)
    found = HDBSCAN(3, 1, metric="precomputed").fit(given)
    for scale in (0.5, 1 + 1e-15):
        refused(found, (given[0], given[1] * scale))


def test_errors():
    matrix = cdist(*[blobs(20)] * 2)
    found = HDBSCAN(metric="precomputed")
    with pytest.raises(InputError, match="not fitted to 20 points"):
        found.audit(matrix)
    found.fit(matrix)
    with pytest.raises(InputError, match="not fitted to 19 points"):
        found.audit(matrix[1:, 1:])
    matrix[0] *= 1 + 1e-9
    with pytest.raises(InputError, match="symmetric only after rounding"):
        HDBSCAN(2, 1, metric="precomputed").fit(matrix).audit(matrix)
