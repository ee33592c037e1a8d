"""Paths along the forest of an answer, against NetworkX and a walk of one edge after the other."""

import copy
import pickle

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.as_lists import columns
from support.edge_lists import quick

from cc_rapids import Components, components, errors, oracle

SRC, DST, WEIGHT = [1, 2, 3, 1, 7, 9], [2, 3, 4, 4, 8, 9], [5, 3, 4, 1, 2, 9]
FIRST, SECOND = [1, 4, 7, 3, 8], [4, 1, 1, 3, 7]
MAX = [[3, 3, -1, 0, 1], [1, 1, -1, -1, 4], [3, 3, 0, 0, 2]]
MIN = [[1, 1, -1, 0, 1], [3, 3, -1, -1, 4], [1, 1, 0, 0, 2]]
SPELLED = [int, str, "v{}".format]


def expected(src, dst, weights, forest, greatest, pairs):
    """Return for each pair the length, weakest row and its weight by NetworkX."""
    graph, sign = nx.Graph(), 1 if greatest else -1
    graph.add_nodes_from([*src, *dst])
    for row in forest:
        graph.add_edge(src[row], dst[row], row=row)
    for a, b in pairs:
        if not nx.has_path(graph, a, b):
            yield -1, -1, 0
            continue
        path = nx.shortest_path(graph, a, b)
        rows = [graph.edges[pair]["row"] for pair in nx.utils.pairwise(path)]
        weakest = min(rows, key=lambda row: (sign * weights[row], row), default=-1)
        yield len(rows), weakest, weights[weakest] if rows else 0


def strongest(src, dst, weights, a, b):
    """Return the greatest least weight of all paths, by taking weights one after the other."""
    graph = nx.Graph()
    graph.add_nodes_from([a, b])
    for row in sorted(range(len(src)), key=lambda row: -weights[row]):
        graph.add_edge(src[row], dst[row])
        if nx.has_path(graph, a, b):
            return weights[row]
    return 0


def walked(src, dst, forest, pairs):
    """Return pair, step and row of each edge of paths, one edge after the other."""
    low, n = min(*src, *dst), 20
    ends = [np.array(side)[forest] - low for side in (src, dst)]
    for k, (a, b) in enumerate(pairs):
        path = oracle.walk(*ends, n, a - low, b - low)
        for step, edge in enumerate(() if path is None else path.tolist()):
            yield k, step, forest[edge]


VERTEX = st.integers(-6, 6)
EDGES = st.lists(st.tuples(VERTEX, VERTEX, st.integers(1, 4)), min_size=1, max_size=30)


@quick
@given(EDGES, st.booleans(), st.sampled_from(["u1", "i8", "f4"]), st.data())
def test_paths_are_those_of_networkx(edges, greatest, dtype, data):
    src, dst = (np.array([edge[k] for edge in edges], np.int64) for k in (0, 1))
    weights = np.array([edge[2] for edge in edges], dtype)
    found = components((src, dst), weight=weights, forest="max" if greatest else "min")
    known = st.sampled_from(sorted({*src.tolist(), *dst.tolist()}))
    pairs = data.draw(st.lists(st.tuples(known, known), max_size=20))
    first, second = (np.array([pair[k] for pair in pairs], np.int64) for k in (0, 1))
    answer = found.paths((first, second))
    lists, forest = (src.tolist(), dst.tolist(), weights.tolist()), found.forest().row.tolist()
    right = list(expected(*lists, forest, greatest, pairs))
    assert list(zip(*columns(answer), strict=True)) == right
    assert answer.weakest_weight.dtype == weights.dtype
    steps = found.paths((first, second), rows=True)
    assert list(zip(*columns(steps)[:3], strict=True)) == list(walked(*lists[:2], forest, pairs))
    for own, column in zip((src, dst, weights), steps[3:], strict=True):
        assert np.array_equal(column, own[steps.row])
    if greatest:
        for (a, b), (length, _, weight) in zip(pairs, right, strict=True):
            assert length < 1 or weight == strongest(*lists, a, b)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("name", SPELLED)
@pytest.mark.parametrize(("forest", "right"), [("max", MAX), ("min", MIN)])
def test_frames_and_ids(make, name, forest, right):
    ends = {"src": list(map(name, SRC)), "dst": list(map(name, DST))}
    found = components(make(ends | {"w": WEIGHT}), weight="w", forest=forest)
    answer = found.paths(
        make({"a": list(map(name, FIRST)), "b": list(map(name, SECOND))}), "a", "b"
    )
    assert isinstance(answer, pa.Table if make is pa.table else make)
    assert [list(column) for column in columns(answer)] == right
    if forest == "max":
        spelled = make({"a": [name(4)], "b": [name(1)]})
        steps = found.paths(spelled, "a", "b", rows=True, limit=3)
        right = [[0, 0, 0], [0, 1, 2], [2, 1, 0], [3, 2, 1], [4, 3, 2], [4, 3, 5]]
        right[3:5] = [list(map(name, side)) for side in right[3:5]]
        assert [list(column) for column in columns(steps)] == right


def several(first, second):
    return pd.DataFrame({"k": ["x"] * len(first), "a": first, "l": "x", "b": second})


def test_ids_of_several_columns():
    ends = ["k", "a"], ["l", "b"]
    found = components(several(SRC, DST).assign(w=WEIGHT), *ends, weight="w", forest="max")
    answer = found.paths(several(FIRST, SECOND), *ends)
    assert list(answer) == ["length", "weakest_row", "weakest_weight"]
    assert columns(answer) == MAX
    steps = found.paths(several([2], [1]), *ends, rows=True)
    names = "pair", "step", "row", "k_source", "a_source", "k_destination", "a_destination"
    assert list(steps) == [*names, "weight"]
    assert steps.iloc[0].tolist() == [0, 0, 0, "x", 1, "x", 2, 5]


def test_rows_are_those_of_the_caller_where_nulls_were_dropped():
    frame = pl.DataFrame({"src": [None, *SRC], "dst": [1, *DST], "w": [1, *WEIGHT]})
    found = components(frame, weight="w", forest="max", nulls="drop")
    assert found.paths((FIRST, SECOND))["weakest_row"].to_list() == [2, 2, -1, -1, 5]


@pytest.mark.parametrize("name", SPELLED)
def test_copies_and_loaded_answers(name, tmp_path):
    ends = [np.array(list(map(name, side)), None if name is int else object) for side in (SRC, DST)]
    found = components(tuple(ends), weight=np.array(WEIGHT), forest="max")
    pairs = list(map(name, FIRST)), list(map(name, SECOND))
    steps = columns(found.paths(pairs, rows=True))
    size = len(pickle.dumps(found))
    assert columns(found.paths(pairs)) == MAX
    assert len(pickle.dumps(found)) == size  # the rooted forest is not part of it
    found.save(tmp_path / "found")
    copies = copy.copy(found), pickle.loads(pickle.dumps(found))
    for other in (*copies, Components.load(tmp_path / "found"), found.with_key_names(None)):
        assert columns(other.paths(pairs)) == MAX
        assert columns(other.paths(pairs, rows=True)) == steps


def test_forests_without_weights_have_lengths_alone():
    found = components(([1, 2, 7], [2, 3, 8]), forest=True)
    answer = found.paths(([1, 3, 2], [3, 8, 2]))
    assert answer._fields == ("length",)
    assert answer.length.tolist() == [2, -1, 0]
    steps = found.paths(([1, 3, 2], [3, 8, 2]), rows=True)
    assert steps._fields == ("pair", "step", "row", "source", "destination")
    assert columns(steps) == [[0, 0], [0, 1], [0, 1], [1, 2], [2, 3]]
    assert found.paths(([], [])).length.tolist() == []
    assert components(([], []), forest=True).paths(([], [])).length.tolist() == []


def test_a_deep_tree_is_as_good_as_any():
    n = 50_000
    found = components((np.arange(n), np.arange(1, n + 1)), forest=True)
    assert found.paths(([0, n, 7], [n, 0, n - 7])).length.tolist() == [n, n, n - 14]


@quick
@given(EDGES, st.integers(0, 99), st.integers(0, 99))
def test_a_path_is_that_of_the_forest_or_the_shortest(edges, first, second):
    src, dst = (np.array([edge[k] for edge in edges], np.int64) for k in (0, 1))
    found = components((src, dst), weight=np.array([edge[2] for edge in edges]), forest="max")
    ids = np.unique(np.concatenate([src, dst]))
    first, second = int(ids[first % ids.size]), int(ids[second % ids.size])
    right = oracle.walk(src + 6, dst + 6, 13, first + 6, second + 6)
    if right is None:
        with pytest.raises(errors.InputError, match="are in two components, which no path joins"):
            found.path(first, second)
        with pytest.raises(errors.InputError, match="no path of these"):
            found.path(first, second, (src, dst), shortest=True)
        return
    graph = nx.Graph(zip(src.tolist(), dst.tolist(), strict=True))
    shortest = found.path(first, second, (src, dst), shortest=True)
    assert shortest.row.tolist() == right.tolist()
    assert right.size == nx.shortest_path_length(graph, first, second)
    along = found.path(first, second)
    assert columns(along) == columns(found.paths(([first], [second]), rows=True))[2:]
    joins = ((src == first) & (dst == second)) | ((src == second) & (dst == first))
    direct = np.flatnonzero(joins)[:1].tolist() if first != second else []
    answer = found.path(first, second, (src, dst))
    assert answer._fields == ("row", "source", "destination")
    assert answer.row.tolist() == (direct or along.row.tolist())


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("name", SPELLED)
def test_one_path_of_frames_and_ids(make, name, tmp_path):
    frame = make({"src": list(map(name, SRC)), "dst": list(map(name, DST))})
    made = components(frame, weight=np.array(WEIGHT), forest="max")
    made.save(tmp_path / "found")
    for found in (made, copy.copy(made), Components.load(tmp_path / "found")):
        answer = found.path(name(4), name(1))
        assert isinstance(answer, pa.Table if make is pa.table else make)
        ends = [list(map(name, side)) for side in ([3, 2, 1], [4, 3, 2])]
        assert [list(column) for column in columns(answer)] == [[2, 1, 0], *ends, [4, 3, 5]]
        for shortest in (False, True):
            answer = found.path(name(4), name(1), frame, shortest=shortest)
            assert isinstance(answer, pa.Table if make is pa.table else make)
            assert [list(column) for column in columns(answer)] == [[3], [name(1)], [name(4)]]


def test_one_path_of_ids_of_several_columns():
    frame, ends = several(SRC, DST), (["k", "a"], ["l", "b"])
    found = components(frame, *ends, forest=True)
    assert len(found.path(("x", 4), ("x", 2))) == found.paths(several([4], [2]), *ends).length[0]
    answer = found.path(("x", 4), ("x", 2), frame, *ends, shortest=True)
    assert list(answer) == ["row", "k_source", "a_source", "k_destination", "a_destination"]
    assert answer["row"].tolist() == [2, 1]


def test_rows_of_edges_with_nulls_and_with_strangers():
    edges = pl.DataFrame({"src": [None, 99, 1, 2], "dst": [1, 1, 2, 99]})
    found = components(([1, 2], [2, 3]))
    assert found.path(2, 1, edges)["row"].to_list() == [2]
    assert found.path(2, 2, edges)["row"].to_list() == []
    with pytest.raises(errors.InputError, match=r"components\(..., forest=True\).path\(first, sec"):
        found.path(1, 3, edges)
    with pytest.raises(errors.InputError, match="no path of these 3 edges joins"):
        found.path(1, 3, edges, shortest=True)
    with pytest.raises(errors.InputError, match="shortest=True searches all edges: pass edges="):
        found.path(1, 3, shortest=True)
    with pytest.raises(errors.ArgumentTypeError, match=r"paths\(\) answers for many pairs"):
        found.path([1, 2], 3, edges)
    with pytest.raises(errors.UnknownVertexError):
        found.path(1, 99, edges)


def test_what_is_refused(monkeypatch):
    found = components(([1, 2], [2, 3]), forest=True)
    assert found.paths(([1, 1], [2, 3]), rows=True, limit=3).step.tolist() == [0, 0, 1]
    monkeypatch.setattr(type(found._backend), "free_bytes", lambda _: 100)
    with pytest.raises(errors.InputError, match=r"components\(..., forest=True\).paths\(pairs\)"):
        components(([1], [2])).paths(([1], [2]))
    with pytest.raises(errors.UnknownVertexError, match=r"1 of 2 in .*: 9"):
        found.paths(([1, 9], [2, 2]))
    with pytest.raises(errors.ArgumentTypeError, match=r"paths\(\) answers for many pairs"):
        found.paths((1, 2))
    with pytest.raises(errors.InputError, match="limit= bounds the edges of paths"):
        found.paths(([1], [2]), limit=3)
    with pytest.raises(errors.CapacityError, match="2 pairs have 3 edges, and limit=2: pass fewer"):
        found.paths(([1, 1], [2, 3]), rows=True, limit=2)
    with pytest.raises(errors.CapacityError, match="the 3 edges of these paths would take"):
        found.paths(([1, 1], [2, 3]), rows=True)
    with pytest.raises(errors.InputError):
        found.paths((["a"], ["b"]))
