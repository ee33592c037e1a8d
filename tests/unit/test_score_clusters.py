"""Scores of clusters against the truth, by hand and by scikit-learn."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cc_rapids

FOUND = {"vertex": [1, 2, 3, 4, 5, 6], "labels": [1, 1, 1, 4, 4, 6]}
TRUTH = {"vertex": [6, 5, 4, 3, 2, 1], "labels": ["c", "c", "b", "b", "a", "a"]}
BY_HAND = {
    "vertices": 6, "only_in_found": 0, "only_in_truth": 0,
    "pairwise_precision": 1 / 4, "pairwise_recall": 1 / 3, "pairwise_f1": 2 / 7,
    "bcubed_precision": (2 * 2 / 3 + 1 / 3 + 2 / 2 + 1) / 6,
    "bcubed_recall": (2 + 4 / 2) / 6,
    "cluster_precision": 0.0, "cluster_recall": 0.0, "cluster_f1": 0.0,
    "variation_of_information": -(
        2 * math.log(2 / 3) + math.log(1 / 3) + 2 * math.log(1 / 2) + 4 * math.log(1 / 2)
    ) / 6,
}  # fmt: skip


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_scores_by_hand_for_frames_of_each_library(make):
    scores = cc_rapids.score_clusters(make(FOUND), make(TRUTH))
    assert {name: scores[name] for name in BY_HAND} == pytest.approx(BY_HAND)


@pytest.fixture
def answer():
    return cc_rapids.components([(1, 2), (2, 3), (4, 5), (6, 6)])


def test_an_answer_may_be_found_or_the_truth(answer):
    expected = cc_rapids.score_clusters(FOUND, TRUTH)
    assert cc_rapids.score_clusters(answer, TRUTH) == pytest.approx(expected)
    other = cc_rapids.score_clusters(TRUTH, answer)
    assert other == pytest.approx(cc_rapids.score_clusters(TRUTH, FOUND))
    assert other["pairwise_precision"] == expected["pairwise_recall"]


def test_equal_clusters_have_the_best_scores(answer):
    scores = cc_rapids.score_clusters(answer, answer)
    del scores["vertices"]
    assert {name for name, score in scores.items() if score == 0} == {
        "only_in_found", "only_in_truth", "variation_of_information",
    }  # fmt: skip
    assert {score for score in scores.values() if score} == {1.0}


@pytest.mark.parametrize(
    "entity", [["a", "a", "b", None, None], np.array([1, 1, 2, np.nan, np.nan])]
)
@pytest.mark.parametrize("kind", [dict, pd.DataFrame])
def test_vertices_in_one_of_both_and_nulls_are_counted_apart(answer, kind, entity):
    truth = kind({"v": [1, 2, 8, 9, 4], "entity": entity})
    with pytest.warns(cc_rapids.CcRapidsWarning, match="lacks 1 of the 3 vertices of truth"):
        scores = cc_rapids.score_clusters(answer, truth)
    counts = {name: scores[name] for name in ("vertices", "only_in_found", "only_in_truth")}
    assert counts == {"vertices": 2, "only_in_found": 4, "only_in_truth": 1}
    assert scores["cluster_f1"] == 1.0


@pytest.mark.parametrize("turned", [False, True], ids=["found", "truth"])
@pytest.mark.parametrize("frames", [False, True], ids=["answer", "frame"])
def test_vertices_of_the_truth_alone_may_be_clusters(answer, turned, frames):
    """By hand: a pair of 1 and 2 is right, the pair of 8 and 9 is missed, 3 to 6 are left out."""
    vertices, labels = [1, 2, 8, 9, 10], ["a", "a", "b", "b", None]
    truth = pd.DataFrame({"v": vertices, "entity": labels})
    sides = [answer.labels() if frames else answer, truth]
    if turned:  # the answer is the truth
        pairs = cc_rapids.components([(1, 2), (8, 9), (3, 3)])
        sides = [([1, 2, 4], [7, 7, 7]), pairs.labels() if frames else pairs]
    scores = cc_rapids.score_clusters(*sides, missing="self")
    lone = 3 if turned else 2
    assert (scores["vertices"], scores["only_in_truth"]) == (2 + lone, lone)
    assert (scores["pairwise_precision"], scores["pairwise_recall"]) == (1.0, 0.5)
    assert cc_rapids.score_clusters(*sides, missing="drop")["pairwise_recall"] == 1.0
    with pytest.raises(cc_rapids.InputError, match=f"lacks {lone} of the {2 + lone} vertices"):
        cc_rapids.score_clusters(*sides, missing="raise")
    with pytest.raises(cc_rapids.InputError, match="'null'"):
        cc_rapids.score_clusters(*sides, missing="null")


def test_clusters_of_their_own_are_listed_once(answer):
    with pytest.raises(cc_rapids.InputError, match=r"2 rows of truth .* such as 8: pass one"):
        cc_rapids.score_clusters(answer, ([1, 8, 9, 8], [1, 2, 2, 2]), missing="self")


@pytest.mark.parametrize("frames", [False, True], ids=["answer", "frame"])
def test_a_truth_with_more_columns_is_refused(answer, frames):
    truth = pd.DataFrame({"file": [1, 2, 3], "scene": [1, 1, 1], "who": ["x", "y", "y"]})
    found = answer.labels() if frames else answer
    with pytest.raises(
        cc_rapids.InputError, match="1 column, but truth has 2 other columns, scene, who"
    ):
        cc_rapids.score_clusters(found, truth)
    assert cc_rapids.score_clusters(found, truth[["file", "who"]])["vertices"] == 3


def test_composite_ids():
    pairs = pd.DataFrame(
        {"src_k": ["a", "b"], "src_i": [1, 1], "dst_k": ["b", "c"], "dst_i": [2, 1]}
    )
    found = cc_rapids.components(pairs, ["src_k", "src_i"], ["dst_k", "dst_i"])
    truth = pd.DataFrame({"k": ["a", "b", "b", "c"], "i": [1, 1, 2, 1], "entity": [7, 7, 7, 8]})
    scores = cc_rapids.score_clusters(found, truth)
    assert scores["pairwise_precision"] == 1 / 2
    assert scores["pairwise_recall"] == 1 / 3
    labels = found.labels()
    assert cc_rapids.score_clusters(labels, labels)["cluster_f1"] == 1.0
    assert cc_rapids.score_clusters(labels, truth) == scores


def test_scores_equal_those_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(3)
    for n, k, j in [(2, 1, 1), (50, 4, 7), (2000, 300, 20), (500, 500, 1), (90000, 40000, 30000)]:
        one, two = rng.integers(0, k, n), rng.integers(0, j, n)
        scores = cc_rapids.score_clusters((np.arange(n), one), (np.arange(n), two))
        assert scores["adjusted_rand_index"] == metrics.adjusted_rand_score(two, one)
        (_, fp), (fn, tp) = metrics.cluster.pair_confusion_matrix(two, one).tolist()
        assert scores["pairwise_precision"] == (tp / (tp + fp) if tp + fp else 1.0)
        assert scores["pairwise_recall"] == (tp / (tp + fn) if tp + fn else 1.0)
        h, c, _ = metrics.homogeneity_completeness_v_measure(two, one)
        entropies = [metrics.mutual_info_score(part, part) for part in (two, one)]
        expected = (1 - h) * entropies[0] + (1 - c) * entropies[1]
        assert scores["variation_of_information"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("dtype", "least"), [
    ("uint64", 2**64 - 9), ("uint64", 2**63 - 3), ("int64", -(2**63)), ("int8", -128), ("uint8", 0),
])  # fmt: skip
def test_labels_are_integers_of_any_size(dtype, least):
    labels = np.array([least, least + 8, least + 3, least + 8], dtype)
    scores = cc_rapids.score_clusters((range(4), labels), (range(4), ["a", "b", "c", "b"]))
    assert (scores["cluster_f1"], scores["pairwise_recall"]) == (1.0, 1.0)


@pytest.mark.parametrize(("found", "truth", "error", "words"), [
    (FOUND, 3, cc_rapids.ArgumentTypeError, "must be an answer, a frame"),
    (FOUND, ([1, 1], [2, 2]), cc_rapids.InputError, "listed more than once, such as 1"),
    (([1, 1], [2, 2]), FOUND, cc_rapids.InputError, "found is listed more than once"),
    (FOUND, {1: 1, 2: 1}, cc_rapids.ColumnTypeError, r"has 1 as column .* pair \(list\(d\), "),
    (FOUND, ([7], [2]), cc_rapids.InputError, "no vertex is in both"),
    (FOUND, ([1, 2], [2]), cc_rapids.InputError, "one label for each vertex"),
    (FOUND, pd.DataFrame({"v": [1]}), cc_rapids.InputError, "select these columns"),
])  # fmt: skip
def test_wrong_arguments_name_the_way_out(found, truth, error, words):
    with pytest.raises(error, match=words):
        cc_rapids.score_clusters(found, truth)


def test_scores_at_each_threshold_are_those_of_each_answer():
    pairs, weights = [(1, 2), (2, 3), (4, 5), (3, 4)], [0.9, 0.5, 0.7, 0.2]
    truth = [1, 2, 3, 4, 5, 9], ["a", "a", "b", "c", "c", "d"]
    cuts = cc_rapids.components_at(pairs, weight=weights, thresholds=[0.9, 0.7, 0.2])
    with pytest.warns(cc_rapids.CcRapidsWarning, match="lacks 1 of the 6") as caught:
        cuts.scores(truth)
    assert len(caught) == 1
    curve = cuts.scores(truth, missing="self")
    assert curve.threshold.tolist() == [0.9, 0.7, 0.2]
    for k, level in enumerate(cuts.thresholds):
        scores = cc_rapids.score_clusters(cuts.at(level), truth, missing="self")
        assert {name: getattr(curve, name)[k] for name in scores} == scores
    tree = cc_rapids.components(pairs, weight=weights, forest="max").dendrogram()
    for metric in ("pairwise_f1", "variation_of_information"):
        best = tree.best(truth, metric, missing="self")
        assert (best.threshold, len(best.components)) == (0.7, 3)
        assert best.curve.threshold.tolist() == [0.9, 0.7, 0.5, 0.2]
    with pytest.raises(cc_rapids.InputError, match="metric"):
        tree.best(truth, "f1")


@pytest.mark.parametrize("missing", ["drop", "self"])
def test_the_best_of_many_thresholds_is_that_of_all(missing):
    random = np.random.default_rng(3)
    edges, weights = random.integers(0, 300, (2, 400)), random.integers(0, 150, 400) / 8
    tree = cc_rapids.components(tuple(edges), weight=weights, forest="max").dendrogram()
    truth = np.arange(50, 400), random.integers(0, 40, 350)
    best = tree.best(truth, missing=missing)
    cuts = tree.cuts(np.unique(tree.components.forest().weight))
    assert len(cuts) > 100
    curve = cuts.scores(truth, missing=missing)
    assert best.score == curve.pairwise_f1.max()
    for name, column in curve._asdict().items():
        np.testing.assert_allclose(getattr(best.curve, name), column, rtol=1e-12, err_msg=name)


def test_a_plot_of_scores_marks_the_best_threshold():
    pytest.importorskip("matplotlib")
    cuts = cc_rapids.components_at([(1, 2), (2, 3)], weight=[0.9, 0.5], thresholds=[0.9, 0.5])
    curve = cuts.scores(([1, 2, 3], ["a", "a", "b"]))
    axes = cc_rapids.plots.scores(curve, "pairwise_f1", "variation_of_information")
    assert [text.get_text() for text in axes.texts] == ["1 at 0.9", "0 at 0.9"]
    assert axes.texts[0].get_position() != axes.texts[1].get_position()
    assert [line.get_xdata()[0] for line in axes.lines[1::2]] == [0.9, 0.9]  # the marks
    tree = cc_rapids.components([(1, 2), (2, 3)], weight=[0.9, 0.5], forest="max").dendrogram()
    best = tree.best(([1, 2, 3], ["a", "a", "b"]))
    assert cc_rapids.plots.scores(best).texts[0].get_text() == "1 at 0.9"


def test_a_label_with_a_null_column_is_no_label():
    keys = {"vertex": [1, 2, 3], "a_labels": ["x", "y", "y"], "b_labels": ["p", None, "p"]}
    truth = [1, 2, 3], [0, 0, 1]
    scores = cc_rapids.score_clusters(pd.DataFrame(keys), truth, missing="drop")
    assert (scores["vertices"], scores["only_in_truth"]) == (2, 1)
