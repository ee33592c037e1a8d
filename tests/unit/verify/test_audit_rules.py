"""Audits of clusters under rules refuse planted faults."""

from copy import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import cc_rapids
from cc_rapids.analysis import audits
from cc_rapids.graph.chosen_edges import ChosenEdges
from cc_rapids.verify.label_frame import LabelFrame

EDGES = pd.DataFrame({
    "src": [1, 2, 2, 5, 1, 1],
    "dst": [11, 11, 12, 12, 2, 11],
    "w": [0.8, 0.9, 0.7, 0.6, 0.5, 0.4],
})  # fmt: skip
SETS = pd.DataFrame({"v": [1, 2, 5, 11, 12], "d": ["a", "a", "a", "b", "b"]})


@pytest.fixture
def found():
    return cc_rapids.link_pairs(EDGES, weight="w", datasets=SETS)


def planted(found, **changes):
    """Return the answer with other attributes: of the refused rows, the rules, or the answer."""
    answer = copy(found.answer)
    answer.given, ruled = found.answer.given, found.answer.ruled
    for name, value in changes.items():
        if hasattr(ruled.refused, name):
            ruled = replace(ruled, refused=replace(ruled.refused, **{name: value}))
        elif hasattr(ruled.rules, name):
            ruled = replace(ruled, rules=replace(ruled.rules, **{name: value}))
        else:
            setattr(answer, name, value)
    answer.ruled, answer.saved_forest = ruled, None
    return cc_rapids.LinkedPairs(answer)


def forest_of(found, *rows):
    return ChosenEdges(found.answer.backend, np.array(rows))


def other_clusters(found, **rules):
    return cc_rapids.link_pairs(EDGES, weight="w", **rules).answer.forest


def test_a_right_answer_is_proved(found):
    audit = found.audit(EDGES)
    assert (audit.edges, audit.clusters, audit.accepted, audit.refused) == (6, 3, 2, 4)
    assert str(audit).startswith("right: 3 clusters of 5 vertices, by 2 of 6 edges")


FAULTS = {
    "an accepted row is missing": (
        lambda found: {"forest_edges": forest_of(found, 1)}, "accepted edges do not join it"),
    "another row was accepted": (
        lambda found: {"forest_edges": forest_of(found, 0, 3)}, "accepted edges do not join it"),
    "an accepted row has a cycle": (
        lambda found: {"forest_edges": forest_of(found, 0, 1, 4)}, "cycle"),
    "clusters break a limit": (
        lambda found: {
            "forest": other_clusters(found), "forest_edges": forest_of(found, 0, 1, 2, 3)},
        "2 vertices of one dataset|3 vertices of one dataset"),
    "clusters break a size": (lambda _: {"most": 1}, "max_size=1"),
    "clusters hold a pair apart": (
        lambda _: {"first": np.array([1]), "second": np.array([3])}, "cannot_link= has the pair"),
    "no rule refused a row": (lambda _: {"limits": np.array([5, 5])}, "breaks no rule"),
    "a refused row is missing": (
        lambda found: {name: getattr(found.answer.ruled.refused, name)[1:]
                       for name in ("edges", "rule", "source", "destination")},
        "the frame shows 3 refused edges"),
    "another rule is named": (
        lambda found: {"rule": np.full(4, 3, np.uint8)}, "per_dataset and not by max_size"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_refused(found, fault):
    changes, words = FAULTS[fault]
    with pytest.raises(cc_rapids.VerificationError, match=words):
        planted(found, **changes(found)).audit(EDGES)


def test_an_answer_that_is_not_greedy_is_refused(found):
    """Rows 0 and 3 are a matching as well, but row 1 comes first."""
    other = cc_rapids.link_pairs(EDGES.assign(w=[9, 1, 1, 8, 1, 1]), weight="w", datasets=SETS)
    wrong = planted(found, forest=other.answer.forest, forest_edges=forest_of(found, 0, 3))
    with pytest.raises(cc_rapids.VerificationError, match="edge 1 joins two clusters whose union"):
        wrong.audit(EDGES)


@pytest.mark.parametrize(
    ("vertices", "labels", "words"),
    [
        ([1, 2, 5, 11, 12], [99, 2, 5, 2, 5], "has the label 99, which is not a vertex"),
        ([1, 2, 2, 5, 11, 12], [1, 2, 2, 5, 2, 12], "vertex 2 is listed 2 times"),
        ([1, 2, 11, 5, 12], [1, 2, 2, 5, 5], "rows must be sorted by id"),
    ],
)
def test_wrong_label_frames_are_refused(found, monkeypatch, vertices, labels, words):
    """Vertex 1 is alone in its cluster, so no edge contradicts its label."""
    frame = np.array(vertices), np.array(labels)
    monkeypatch.setattr(audits, "shown_labels", lambda _: LabelFrame(frame, "min", 3, width=1))
    with pytest.raises(cc_rapids.VerificationError, match=words):
        found.audit(EDGES)


def test_other_edges_are_refused(found):
    with pytest.raises(cc_rapids.VerificationError):
        found.audit(EDGES.assign(w=[0.8, 0.5, 0.7, 0.6, 0.5, 0.4]))
    with pytest.raises(cc_rapids.VerificationError, match="no edge names it"):
        found.audit(EDGES[EDGES.src != 5])
