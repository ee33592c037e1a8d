"""link_pairs against Kruskal's algorithm, taken one pair after the other."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.kruskal import cluster

import cc_rapids
from cc_rapids import backends


@st.composite
def problems(draw):
    n = draw(st.integers(1, 14))
    ends = st.integers(0, n - 1)
    pairs = draw(st.lists(st.tuples(ends, ends), min_size=1, max_size=60))
    weights = draw(
        st.lists(st.integers(0, 5), min_size=len(pairs), max_size=len(pairs))
        | st.permutations(range(len(pairs)))
    )
    rules = {}
    if draw(st.booleans()):
        names = draw(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=n, max_size=n))
        rules["dataset"] = dict(enumerate(names))
        known = sorted({name for name in names if name is not None})
        limit = st.integers(1, 3)
        rules["per_dataset"] = (
            draw(limit | st.dictionaries(st.sampled_from(known), limit)) if (known) else draw(limit)
        )
    if draw(st.booleans()):
        apart = draw(st.lists(st.tuples(ends, ends), max_size=8))
        rules["cannot_link"] = [(a, b) for a, b in apart if a != b]
    if draw(st.booleans()):
        rules["max_size"] = draw(st.integers(1, 6))
    if draw(st.booleans()):
        rules["must_link"] = draw(st.lists(st.tuples(ends, ends), max_size=4))
    if draw(st.booleans()):
        rules["at_least"] = draw(st.integers(0, 4))
    return n, pairs, weights, rules


def linked(n, pairs, weights, rules, name=int, dtype="int64", **options):
    rules = dict(rules)
    dataset = rules.pop("dataset", None)
    if dataset is not None:
        frame = pd.DataFrame({"v": [name(v) for v in dataset], "d": list(dataset.values())})
        rules["datasets"] = frame.astype({"d": object})
    for word in ("cannot_link", "must_link"):
        if rules.get(word):
            rules[word] = [(name(a), name(b)) for a, b in rules[word]]
    edges = pd.DataFrame([(name(a), name(b)) for a, b in pairs], columns=["src", "dst"])
    edges["w"] = np.array(weights, dtype)
    vertices = [name(v) for v in range(n)]
    found = cc_rapids.link_pairs(edges, weight="w", vertices=vertices, **rules, **options)
    return found, edges, vertices


def check(found, edges, vertices, expected, name=int):
    labels = found.labels()
    expected_labels = {name(v): min(map(name, members)) for v, members in expected.cluster.items()}
    assert dict(zip(labels.vertex.tolist(), labels.labels.tolist(), strict=True)) == expected_labels
    found.audit(edges, vertices=vertices)
    assert found.forest().row.tolist() == expected.accepted
    refused = found.refused()
    assert dict(zip(refused.row, refused.rule, strict=True)) == expected.refused
    for side in ("source", "destination"):
        ends = refused[side].tolist()
        assert refused[f"{side}_labels"].tolist() == [expected_labels[v] for v in ends]


def solvable(n, pairs, weights, rules):
    try:
        return cluster(pairs, weights, range(n), **rules)
    except AssertionError:
        return None


@pytest.fixture(params=["in order", "in rounds"])
def way(request, monkeypatch):
    monkeypatch.setattr(backends.get("threads"), "merges_in_order", request.param == "in order")


@pytest.mark.usefixtures("way")
@settings(max_examples=40, deadline=None)
@given(problems(), st.sampled_from([("int64", int), ("float32", str), ("float64", int)]))
def test_clusters_are_those_of_the_sequential_algorithm(problem, kind):
    dtype, name = kind
    expected = solvable(*problem)
    if expected is None:
        with pytest.raises(cc_rapids.InputError, match="must_link= puts"):
            linked(*problem, name=name, dtype=dtype)
        return
    check(*linked(*problem, name=name, dtype=dtype), expected, name)
