"""A list is pairs or batches, and a tuple is columns, whatever their lengths are."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cc_rapids
from cc_rapids import ColumnTypeError, Connectivity, InputError, components, stream_components

IDS = st.integers(0, 6)
EDGES = st.lists(st.tuples(IDS, IDS), max_size=7)
SRC, DST, WEIGHT = [1, 2, 5], [2, 3, 6], [0.5, 0.9, 0.1]
PAIRS = list(zip(SRC, DST, strict=True))
POLARS = pl.DataFrame({"k": ["a", "b"], "id": [1, 3]})


def labels(found):
    return [column.tolist() for column in found.labels()]


@settings(deadline=None, max_examples=30)
@given(EDGES, st.sampled_from([tuple, list]), st.sampled_from([int, str, np.int32, np.uint64]))
def test_pairs_are_the_columns_that_they_make(edges, item, kind):
    pairs = [item((kind(a), kind(b))) for a, b in edges]
    columns = ([kind(a) for a, _ in edges], [kind(b) for _, b in edges])
    assert labels(components(pairs)) == labels(components(columns))
    one, other = (Connectivity().insert(given) for given in (pairs, columns))
    assert labels(one.components()) == labels(other.components())


def test_two_pairs_are_two_edges():
    for edges in ([(1, 2), (3, 4)], [[1, 2], [3, 4]]):
        assert labels(components(edges)) == [[1, 2, 3, 4], [1, 1, 3, 3]]
    assert labels(components(([1, 2], [3, 4]))) == [[1, 2, 3, 4], [1, 2, 1, 2]]
    assert labels(components({"src": (1, 2), "dst": (3, 4)})) == [[1, 2, 3, 4], [1, 2, 1, 2]]
    assert labels(components([])) == [[], []]
    assert labels(components([(1, 2)], vertices=(1, 9))) == [[1, 2, 9], [1, 1, 9]]


def test_every_door_takes_a_list_of_pairs():
    columns = (SRC, DST)
    for door in (cc_rapids.bridges, cc_rapids.spanning_forest):
        for ours, theirs in zip(door(PAIRS), door(columns), strict=True):
            assert ours.tolist() == theirs.tolist()
    for ours, theirs in zip(
        cc_rapids.minimum_spanning_forest(PAIRS, weight=WEIGHT),
        cc_rapids.minimum_spanning_forest(columns, weight=WEIGHT),
        strict=True,
    ):
        assert ours.tolist() == theirs.tolist()
    bounded = {"weight": WEIGHT, "at_least": 0.4}
    for edges in (PAIRS, np.array(PAIRS), np.array(PAIRS).T):
        assert labels(components(edges, **bounded)) == labels(components(columns, **bounded))
    one, other = (
        cc_rapids.components_at(edges, weight=WEIGHT, thresholds=[0.4])
        for edges in (PAIRS, columns)
    )
    assert [c.tolist() for c in one.labels(0.4)] == [c.tolist() for c in other.labels(0.4)]
    assert len(cc_rapids.bipartition(PAIRS)) == 2
    found = components(PAIRS, forest=True)
    found.audit(PAIRS)
    assert found.edges(1, PAIRS) == PAIRS[:2]
    assert found.paths([(1, 3), (1, 6)]).length.tolist() == [2, -1]
    assert found.report(PAIRS).overall().edges.tolist() == [3]
    streamed = cc_rapids.stream_components(PAIRS, memory_limit="300MB")
    assert labels(streamed) == labels(components(columns))
    seen = Connectivity().insert(PAIRS)
    seen.remove([(1, 2)], remaining=PAIRS[1:])
    assert seen.connected([(1, 2), (2, 3)]).tolist() == [False, True]
    cc_rapids.oracle.against_networkx(PAIRS, components(PAIRS).labels())


@pytest.mark.parametrize(
    "batches",
    [
        [(np.array([1]), np.array([2])), (np.array([2]), np.array([3]))],
        [([1], [2]), ([2], [3])],
        [(pd.Series([1]), pd.Series([2])), (pd.Series([2]), pd.Series([3]))],
        [pl.DataFrame({"src": [1], "dst": [2]}), pl.DataFrame({"src": [2], "dst": [3]})],
        iter([[(1, 2)], [[2, 3], [3, 3]]]),
    ],
    ids=["arrays", "lists", "series", "frames", "iterator of lists"],
)
def test_a_list_of_columns_in_pairs_is_batches(batches):
    listed = list(batches)
    assert components(iter(listed)).num_components == 1
    assert Connectivity().insert(iter(listed)).num_components == 1
    if batches is not listed and isinstance(batches, list):
        assert components(batches).num_components == 1
        assert Connectivity().insert(batches).num_components == 1


REFUSED = {
    "tuple of tuples": (((1, 2), (3, 4)), r"list\(edges\) = .*; .* tuple\(map\(list, edges\)\) ="),
    "tuple of long tuples": (((1, 2, 3), (4, 5, 6)), r"list\(edges\).*tuple\(map\(list, edges\)\)"),
    "tuple of three": (((1, 2), (3, 4), (5, 6)), r"has 3 items; .* list\(edges\)"),
    "two single ids": ((1, 2), r"two single ids, 1 and 2: .*list\(edges\)"),
    "list of arrays": ([np.array([1, 2]), np.array([3, 4])], r"tuple\(edges\); .*\[tuple\(edge\)"),
    "list of series": ([pd.Series([1]), pd.Series([3])], r"tuple\(edges\); .*\[tuple\(edge\)"),
    "three arrays": ([np.array([1, 2])] * 3, r"item 0 of 3 edges is .*\[tuple\(edge\)"),
    "triples": ([(1, 2, 0.5)] * 3, r"3 items of 3 values.*weight=weights"),
    "two triples": ([(1, 2, 0.5)] * 2, r"2 items of 3 values.*weight=weights"),
    "columns in a list": ([[1, 2, 3], [4, 5, 6]], r"= \(\[1, 2, 3\], \[4, 5, 6\]\)"),
    "two single lists": ([[1], [2]], r"= \(\[1\], \[2\]\)"),
    "one is short": ([(1, 2), (3, 4), (5,)], "item 0 has 2 values, but item 2 has 1 value"),
    "one is long": ([(1, 2), (3, 4, 5)], "item 1 has 3 values"),
    "no pair": ([(1, 2), "ab"], "item 1 of 2 edges is 'ab', not a pair"),
    "integers": ([1, 2], r"item 0 of 2 edges is 1, .*\[tuple\(edges\)\]"),
    "none": ([(1, 2), None], "item 1 of 2 edges is None"),
    "records": ([{"src": 1, "dst": 2}], r"pd.DataFrame\(edges\)"),
    "sets": ([{1, 2}], r"\[tuple\(edge\)"),
    "an id of two columns": ([(("u", 1), 2)], r"holds \('u', 1\).*source=\[...\]"),
    "lists of pairs": ([[(1, 2), (3, 4)]], r"iter\(edges\)"),
    "lists of single pairs": ([[(1, 2)], [(3, 4)]], r"iter\(edges\)"),
    "batches and pairs": ([(np.array([1]), np.array([2])), (1, 2)], "holds a ndarray"),
}


@pytest.mark.parametrize(("edges", "says"), REFUSED.values(), ids=REFUSED)
def test_what_may_be_either_is_refused_with_the_ways_out(edges, says):
    doors = (components, Connectivity().insert, cc_rapids.bridges, cc_rapids.spanning_forest)
    for door in doors:
        with pytest.raises(InputError, match=says):
            door(edges)


def test_pairs_that_an_iterator_yields_are_refused():
    for edges in (iter(PAIRS), (pair for pair in [("ann", "bob")]), zip(SRC, DST, strict=True)):
        with pytest.raises(InputError, match=r"two single ids, .*list\(edges\)"):
            components(edges)


@pytest.mark.parametrize(
    ("edges", "says"),
    [
        ([(POLARS, POLARS)], "a tuple whose ids have several columns: make a frame of it"),
        (list(POLARS.group_by("k")), "a tuple whose ids have several columns"),
        ([({"k": [1]}, {"k": [2]})], "'src' cannot be a dict of 1: pass a column"),
        (([(1, 2, 3)], POLARS), "ids of src have 3 columns, but those of dst have 2 columns"),
    ],
)
def test_frames_in_tuples_that_are_no_two_columns_are_refused(edges, says):
    with pytest.raises(InputError, match=says):
        cc_rapids.components(edges)


def test_columns_in_tuples_may_be_series_with_any_labels_or_lazy_frames():
    series = pd.Series([1, 2], index=["columns", "x"])
    assert len(stream_components(iter([(series, series + 1)]))) == 1
    lazy = POLARS.lazy()
    assert len(cc_rapids.components((lazy.select("id"), lazy.select("id")))) == 2
    assert len(cc_rapids.components((lazy, lazy))) == 2


def test_integers_and_strings_are_refused_with_one_of_each():
    for edges, says in (
        ([(1, "a")], "1 in item 0 and 'a' in item 0"),
        ([(1, 2), (3, "b"), ("c", 4)], "1 in item 0 and 'b' in item 1"),
    ):
        with pytest.raises(ColumnTypeError, match=re.escape(says)):
            components(edges)
    with pytest.raises(ColumnTypeError, match="float64"):
        components([(1.5, 2)])


def test_none_in_a_pair_is_a_null():
    edges = [(1, None), (2, 3), (None, None)]
    with pytest.raises(cc_rapids.NullsError, match="column 'src' has 1 null in 3 rows"):
        components(edges)
    for missing in (None, float("nan"), pd.NA):
        found = components([(1, missing), (2, 3)], nulls="drop")
        assert (labels(found), found.summary()["dropped"]) == ([[2, 3], [2, 2]], 1)


@pytest.mark.slow
def test_batches_in_a_list_are_refused_where_all_rows_are_needed_at_once():
    batches = [pa.table({"src": [1], "dst": [2]})] * 2
    for door in (cc_rapids.bridges, cc_rapids.spanning_forest, components([(1, 2)]).connected):
        with pytest.raises(InputError, match="one frame"):
            door(batches)
