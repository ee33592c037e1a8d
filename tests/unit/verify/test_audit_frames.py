"""What an audit judges is the label frame itself: of each kind, as it stands."""

import re
from copy import copy
from itertools import product

import numpy as np
import pandas as pd
import pytest

import cc_rapids
from cc_rapids import InputError, VerificationError, components
from cc_rapids.verify.audit import audit_labels
from cc_rapids.verify.vertex_lookup import Tally

# 10 - 11 - 12    13 - 14    15 - 15
SRC, DST = np.array([11, 11, 13, 15]), np.array([10, 12, 14, 15])
IDS = {
    "near": lambda v: np.asarray(v),
    "far": lambda v: np.asarray(v) * 2**40,
    "words": lambda v: np.array([f"v{k}" for k in v]),
}
NUMBERS = "dense", "size"


def wrong(says):
    return pytest.raises(VerificationError, match=re.escape(says))


@pytest.mark.parametrize("ids", IDS.values(), ids=IDS)
@pytest.mark.parametrize("kind", ["min", "max", "dense", "size"])
def test_each_kind_of_labels_is_proved(engine, ids, kind):
    edges = ids(SRC), ids(DST)
    found = components(edges, labels=kind, engine=engine)
    proof = found.audit(edges, oracle="scipy")
    assert (proof.edges, proof.vertices, proof.components) == (4, 6, 3)
    assert audit_labels(found.labels(), edges, engine=engine, labels=kind).components == 3


FORGED = {  # for 10 .. 15
    "of another": ("max", [12, 12, 12, 14, 14, 14], "vertex 15 has the label 14, which itself has"),
    "not greatest": ("max", [11, 11, 11, 14, 14, 15], "vertex 12 has the label 11, which itself"),
    "merged greatest": ("max", [14, 14, 14, 14, 14, 15], "vertex 10 has the label 14, but no path"),
    "split": ("max", [12, 12, 12, 13, 14, 15], "edge 2 joins 13 and 14, which have the labels 13"),
    "split numbers": ("dense", [0, 0, 0, 1, 2, 3], "edge 2 joins 13 and 14, which have the labels"),
    "merged numbers": ("dense", [0, 0, 0, 0, 0, 1], "has the label 0, as vertex 10, but no path"),
    "in another order": ("dense", [1, 1, 1, 0, 0, 2], "labels of kind 'dense' are in the order of"),
    "with a gap": ("dense", [0, 0, 0, 1, 1, 3], "no vertex has the label 2, but labels are 0 .. 3"),
    "negative": ("dense", [0, 0, 0, 1, 1, -1], "vertex 15 has the label -1, but labels are 0 .. 1"),
    "all negative": ("dense", [-1] * 6, "the label -1, but labels are 0 .. 0 for 1 component"),
    "too great": (
        "size",
        [0, 0, 0, 1, 1, 2**63 - 1],
        "vertex 15 has the label 9223372036854775807",
    ),
    "smallest first": ("size", [2, 2, 2, 1, 1, 0], "label 0 has 1 vertices, but label 1 has 2:"),
    "equal sizes": (
        "size",
        [1, 1, 1, 0, 0, 0],
        "labels of kind 'size' are in the order of the least vertices",
    ),
}


@pytest.mark.parametrize(("kind", "labels", "says"), FORGED.values(), ids=FORGED)
def test_forged_labels_of_each_kind_are_told(engine, kind, labels, says):
    frame = np.arange(10, 16), np.array(labels)
    with wrong(says):
        audit_labels(frame, (SRC, DST), engine=engine, labels=kind)


ANY = {  # for 10 .. 15
    "far apart": ([7, 7, 7, -3, -3, 2**40], None),
    "merged": (
        [7, 7, 7, 7, 7, -1],
        "vertex 13 has the label 7, as vertex 10, but no path joins the two",
    ),
    "split": ([7, 7, 7, 5, 6, -1], "edge 2 joins 13 and 14, which have the labels 5 and 6"),
}


@pytest.mark.parametrize("ids", IDS.values(), ids=IDS)
@pytest.mark.parametrize(("labels", "says"), ANY.values(), ids=ANY)
def test_any_integers_are_labels_that_differ_where_components_do(engine, ids, labels, says):
    frame, edges = (ids(np.arange(10, 16)), np.array(labels)), (ids(SRC), ids(DST))
    if says is None:
        assert audit_labels(frame, edges, engine=engine, labels="any").components == 3
        return
    with wrong(says) if ids is IDS["near"] else pytest.raises(VerificationError):
        audit_labels(frame, edges, engine=engine, labels="any")


def test_labels_that_are_words_are_no_numbers(engine):
    frame = np.arange(2), np.array(["a", "a"])
    for kind, what in (("dense", "numbers from 0 on"), ("any", "integers")):
        says = f"labels of kind '{kind}' are {what}"
        with pytest.raises(cc_rapids.ColumnTypeError, match=says):
            audit_labels(frame, ([0], [1]), engine=engine, labels=kind)


def forged(found, frame):
    """Return an answer whose label frame is another one."""
    answer = copy(found.answer)
    answer.label_frame = lambda kind=None: frame
    return cc_rapids.Components(answer)


def test_the_frame_that_labels_returns_is_judged(engine):
    """Whatever the trees within say."""
    found = components((SRC, DST), engine=engine)
    right = found.labels()
    forged(found, right).audit((SRC, DST))
    least = right.labels.copy()
    least[-1] = 13
    with wrong("vertex 15 has the label 13, but no path joins the two"):
        forged(found, right._replace(labels=least)).audit((SRC, DST))
    shuffled = right._replace(vertex=right.vertex[::-1].copy(), labels=right.labels[::-1].copy())
    with wrong("row 0 is vertex 15, but row 1 is vertex 14"):
        forged(found, shuffled).audit((SRC, DST))
    twice = right._replace(vertex=np.append(right.vertex, 15), labels=np.append(right.labels, 15))
    with wrong("vertex 15 is listed 2 times"):
        forged(found, twice).audit((SRC, DST))
    fewer = right._replace(vertex=right.vertex[:-1], labels=right.labels[:-1])
    with wrong("edge 3 joins 15 and 15, but 15 has no label"):
        forged(found, fewer).audit((SRC, DST))


def test_the_number_of_components_is_judged(engine):
    found = components((SRC, DST), engine=engine)
    found.answer.forest.components = 2
    with wrong("len() is 2, but there are 3 components"):
        found.audit((SRC, DST))
    found = components((SRC, DST), engine=engine, labels="dense")
    found.answer.forest.components = 2
    with wrong("vertex 15 has the label 2, but labels are 0 .. 1 for 2 components"):
        found.audit((SRC, DST))


def test_rows_of_adjacency_lists_are_audited(engine):
    rows = cc_rapids.Csr(np.array([0, 0, 2, 2, 3]), np.array([0, 2, 3]))
    found = components(rows, engine=engine)
    proof = found.audit(rows, oracle="scipy")
    assert (proof.edges, proof.vertices, proof.components) == (3, 4, 2)
    more = cc_rapids.Csr(np.array([0, 0, 2, 3, 4]), np.array([0, 2, 3, 3]))
    with wrong("edge 2 joins 2 and 3, which have the labels 0 and 3"):
        found.audit(more)
    far = pd.DataFrame({"vertex": np.arange(4) * 2**40, "labels": np.zeros(4, int)})
    with wrong("edge 0 joins 1 and 0, but 1 has no label"):
        audit_labels(far, rows, engine=engine)


@pytest.mark.parametrize("offsets", [[0, 3, 2, 2, 3], [1, 1, 2, 2, 3], [0, -5, 2, 2, 3]])
def test_offsets_that_lead_nowhere_are_refused(engine, offsets):
    right = cc_rapids.Csr(np.array([0, 0, 2, 2, 3]), np.array([0, 2, 3]))
    found = components(right, engine=engine)
    with pytest.raises(InputError):
        found.audit(cc_rapids.Csr(np.array(offsets), right.indices))


def test_a_tally_tells_any_two_faults():
    """Rows of which one is another, or two are, or one is left out or looked at twice."""
    m = 7
    right = list(range(m))
    seen = [[*right[:e], f, *right[e + 1 :]] for e, f in product(range(m), repeat=2)]
    seen += [
        [f if row == e else h if row == g else row for row in right]
        for e, f, g, h in product(range(m), repeat=4)
    ]
    seen += [right[:e] + right[e + 1 :] for e in range(m)]
    seen += [[*right, e] for e in range(m)]
    tally = Tally(lambda: None)
    tally.add(m)
    for rows in seen:
        told = [len(rows), sum(rows), sum(row * row for row in rows)]
        if sorted(rows) == right:
            tally.check(told)
        else:
            with pytest.raises(VerificationError, match=f"of {m} rows|not each of them once"):
                tally.check(told)
