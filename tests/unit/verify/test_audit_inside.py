"""Audits of answers in which most vertices have one label: an edge that differs is seen."""

import numpy as np
import pandas as pd
import pytest

from cc_rapids import VerificationError, components, oracle
from cc_rapids.kernels import audit
from cc_rapids.verify.audit import audit_labels


def test_a_giant_with_the_label_of_a_stranger(engine):
    """Most vertices are labelled by one that no path joins to them: all edges agree with that."""
    src, dst = np.array([*range(1, 8), 0, 9]), np.array([*range(2, 9), 0, 9])
    frame = pd.DataFrame({"vertex": np.arange(10), "labels": [0, *[1] * 8, 9]})
    assert audit_labels(frame, (src, dst), engine=engine).components == 3
    frame["labels"] = [*[0] * 9, 9]
    with pytest.raises(VerificationError, match="vertex 1 has the label 0, but no path joins"):
        audit_labels(frame, (src, dst), engine=engine)


def test_a_member_of_the_giant_that_says_otherwise(engine):
    """One vertex of the giant labels itself, and is found at its edge, not by what most say."""
    src, dst = np.arange(8), np.arange(1, 9)
    frame = pd.DataFrame({"vertex": np.arange(9), "labels": [0] * 5 + [5] + [0] * 3})
    with pytest.raises(VerificationError, match="edge 4 joins 4 and 5, which have the labels 0"):
        audit_labels(frame, (src, dst), engine=engine)


@pytest.mark.parametrize("seed", range(6))
def test_the_first_edge_at_fault_is_told(engine, seed):
    random = np.random.default_rng(seed)
    n, m, late = 90, 700, 300 * (seed % 3)
    src, dst = random.integers(0, n, (2, m))
    rows = np.sort(random.choice(np.arange(late, m), 4, replace=False))
    src[rows], dst[rows] = n + random.integers(0, 2, 4), random.integers(0, n, 4)
    labels = oracle.union_find(src, dst, n + 2)
    occurs = np.unique([src, dst])
    frame = pd.DataFrame({"vertex": occurs, "labels": labels[occurs]})
    found = audit_labels(frame, (src, dst), engine=engine).components
    assert found == np.unique(labels[occurs]).size
    labels[src[rows]] = src[rows]
    frame["labels"] = labels[occurs]
    row = rows[0]
    with pytest.raises(VerificationError, match=f"edge {row} joins {src[row]} and {dst[row]}, "):
        audit_labels(frame, (src, dst), engine=engine)


def test_loops_alone_name_their_vertices(engine):
    """A vertex alone in its component is named by its loop, be its label the most frequent one."""
    loops = np.array([3, 3, 0, 3])
    found = components((loops, loops), engine=engine)
    assert found.audit((loops, loops)).components == 2


def test_trees_that_miss_edges_prove_nothing_wrong(monkeypatch):
    """An answer that misses an edge is refused, even by trees that miss it too."""
    src, dst = np.arange(8), np.arange(1, 9)
    frame = pd.DataFrame({"vertex": np.arange(9), "labels": [0] * 4 + [4] * 5})

    def blind(on):
        join = whole(on)

        @on.device
        def join_some(trees, u, v, p, q):
            if (u < 4) == (v < 4):
                join(trees, u, v, p, q)

        return join_some

    whole = audit.join_roots
    monkeypatch.setattr(audit, "join_roots", blind)
    audit.kernel.cache_clear()
    try:
        with pytest.raises(VerificationError, match="edge 3 joins 3 and 4, which have the labels"):
            audit_labels(frame, (src, dst), engine="threads")
        with pytest.raises(VerificationError, match="no path joins the two"):
            audit_labels(frame.assign(labels=0), (src, dst), engine="threads")
    finally:
        audit.kernel.cache_clear()
