"""Answers are equal if they have the same vertices in the same components."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cc_rapids
from cc_rapids import Connectivity, components, components_at

IDS = st.integers(0, 6)
EDGES = st.lists(st.tuples(IDS, IDS), max_size=6)
TYPES = ["i1", "u1", "i2", "u4", "i8", "u8"]


def partition(edges):
    found = components(edges)
    labels = found.labels()
    return dict(zip(labels.vertex.tolist(), labels.labels.tolist(), strict=True))


def made(edges, dtype):
    return tuple(np.array([edge[k] for edge in edges], dtype) for k in (0, 1))


@settings(deadline=None, max_examples=40)
@given(EDGES, EDGES, st.sampled_from(TYPES), st.sampled_from(TYPES))
def test_equal_is_the_same_partition(first, second, left, right):
    one, other = components(made(first, left)), components(made(second, right), labels="size")
    same = partition(first) == partition(second)
    assert (one == other) is same
    assert (other != one) is not same
    assert one.equals(other) is same
    again = components(made([(b, a) for a, b in reversed(first)], right), labels="max")
    assert one == again


WORDS = {
    "lists": lambda words: list(words),
    "NumPy": lambda words: np.array(words),
    "NumPy's strings": lambda words: np.array(words, np.dtypes.StringDType()),
    "pandas": lambda words: pd.Series(words),
    "pandas category": lambda words: pd.Series(words, dtype="category"),
    "polars": lambda words: pl.Series(words),
    "polars Categorical": lambda words: pl.Series(words, dtype=pl.Categorical),
    "pyarrow": lambda words: pa.array(words),
    "pyarrow view": lambda words: pa.array(words, pa.string_view()),
    "pyarrow dictionary": lambda words: pa.array(words).dictionary_encode(),
}


@pytest.mark.parametrize("make", WORDS.values(), ids=WORDS)
def test_strings_of_any_kind(engine, make):
    want = components((["b", "d"], ["c", "é"]))
    found = components((make(["c", "é"]), make(["b", "d"])), labels="dense", engine=engine)
    assert found == want == found
    assert found != components((make(["b", "d"]), make(["c", "e"])))
    assert found != components((make(["b", "d", "b"]), make(["c", "é", "d"])))
    assert found != components(([1, 3], [2, 4]))


def test_numbers_of_any_frame_and_encoding(engine):
    far = [5, 2**40], [2, 9]
    want = components(far, engine=engine)
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        assert components(make({"src": far[1], "dst": far[0]})) == want
    assert Connectivity().insert(far).components() == want
    assert cc_rapids.stream_components(iter([far])) == want
    assert components(far, design="kout+async+halve", forest=True) == want
    assert components((np.array([5, 2**63], np.uint64), [2, 9])) != want
    signed = components(([-1], [3]))
    assert signed != components((np.array([2**64 - 1], np.uint64), np.array([3], np.uint64)))


def test_ids_of_several_columns(engine):
    edges = pd.DataFrame({"a": ["x"], "b": [1], "c": ["y"], "d": [2]})
    ends = ["a", "b"], ["c", "d"]
    found = components(edges, *ends, engine=engine)
    assert found == components(pa.table(edges), *reversed(ends), labels="max")
    assert found == components(edges.astype({"b": "uint8", "d": "uint8"}), *ends)
    assert found != components(edges.assign(b=3), *ends)
    assert found != components(edges, "a", "c")
    assert found != components(edges, ["b", "a"], ["d", "c"])


def test_no_vertices_are_equal_of_any_kind():
    none = components(([], []))
    assert none == components(pd.DataFrame({"src": [], "dst": []}, dtype=str))
    assert none != components(([1], [1]))


def test_others_are_never_equal():
    found = components(([1], [2]))
    cuts = components_at(([1], [2]), weight=[1], thresholds=[1])
    for thing in (found, cuts):
        for other in (None, 1, "a", [1, 2], pd.DataFrame({"a": [1]}), object()):
            assert thing.__eq__(other) is NotImplemented
            assert not thing.equals(other)
        assert thing != 1
        with pytest.raises(TypeError, match="unhashable"):
            hash(thing)
    assert found != cuts


def test_cuts_are_equal_at_each_threshold():
    edges, weight = ([1, 2], [2, 3]), [0.9, 0.5]
    cuts = components_at(edges, weight=weight, thresholds=[0.9, 0.5])
    streamed = iter([pd.DataFrame({"src": edges[0], "dst": edges[1], "weight": weight})])
    assert cuts == components_at(streamed, thresholds=[0.5, 0.9], labels="size")
    assert cuts != components_at(edges, weight=weight, thresholds=[0.9, 0.6])
    assert cuts != components_at(edges, weight=weight, thresholds=[0.9])
    assert cuts != components_at(edges, weight=[0.9, 0.9], thresholds=[0.9, 0.5])
