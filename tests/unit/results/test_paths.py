"""Paths along the forest of an answer, against NetworkX and a walk of one edge after the other."""

import copy
import pickle
import tracemalloc

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse import csgraph
from support.as_lists import columns
from support.choices import some
from support.edge_lists import quick

from cc_rapids import Components, components, errors, oracle
from cc_rapids.algorithms.paths import Chains

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
        with pytest.raises(errors.InputError, match="are in two components"):
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
    assert answer._fields[:3] == ("row", "source", "destination")
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
    with pytest.raises(errors.InputError, match="source= and weight= describe edges="):
        components(([1, 2], [2, 3]), forest=True).path(1, 3, source="src", weight="w")
    with pytest.raises(errors.ArgumentTypeError, match=r"paths\(\) answers for many pairs"):
        found.path([1, 2], 3, edges)
    with pytest.raises(errors.UnknownVertexError):
        found.path(1, 99, edges)


def test_what_is_refused(monkeypatch):
    found = components(([1, 2], [2, 3]), forest=True)
    assert found.paths(([1, 1], [2, 3]), rows=True, limit=3).step.tolist() == [0, 0, 1]
    with pytest.raises(errors.InputError, match=r"components\(..., forest=True\).paths\(pairs\)"):
        components(([1], [2])).paths(([1], [2]))
    with pytest.raises(errors.UnknownVertexError, match=r"1 of 2 ids in .*: 9"):
        found.paths(([1, 9], [2, 2]))
    with pytest.raises(errors.ArgumentTypeError, match=r"paths\(\) answers for many pairs"):
        found.paths((1, 2))
    with pytest.raises(errors.InputError, match="limit= bounds the edges of paths"):
        found.paths(([1], [2]), limit=3)
    with pytest.raises(errors.CapacityError, match="2 pairs have 3 edges, but limit=2: pass fewer"):
        found.paths(([1, 1], [2, 3]), rows=True, limit=2)
    with pytest.raises(errors.InputError):
        found.paths((["a"], ["b"]))


def test_edges_are_counted_before_any_is_found(monkeypatch):
    found, pairs = components(([1, 2], [2, 3]), forest=True), ([1, 1], [2, 3])
    right = found.paths(pairs, rows=True, limit=3).row.tolist()
    monkeypatch.setattr(Chains, "edges_along", lambda *_: pytest.fail("a path was begun"))
    for limit in (0, 1, 2):
        with pytest.raises(errors.CapacityError, match=f"3 edges, but limit={limit}: pass fewer"):
            found.paths(pairs, rows=True, limit=limit)
    monkeypatch.setattr(type(found.answer.backend), "free_bytes", lambda _: 3 * 112 - 1)
    with pytest.raises(errors.CapacityError, match=r"the 3 edges of these paths would take .* GiB"):
        found.paths(pairs, rows=True)
    assert found.paths(pairs).length.tolist() == [1, 2]
    monkeypatch.undo()
    assert found.paths(([2], [2]), rows=True, limit=0).row.tolist() == []
    assert found.paths(pairs, rows=True).row.tolist() == right


def test_no_memory_is_taken_that_is_not_there(monkeypatch):
    found = components(([1, 2], [2, 3]), forest=True)
    monkeypatch.setattr(type(found.answer.backend), "free_bytes", lambda _: 2 * 160)
    with pytest.raises(errors.CapacityError, match=r"rooting the forest of 3 .* pass comp"):
        found.paths(([1], [2]))
    with pytest.raises(errors.CapacityError, match=r"rooting the forest of 3 vertices .* shortest"):
        found.path(1, 2)
    with pytest.raises(errors.CapacityError, match=r"the paths of 3 pairs would .* pass fewer"):
        found.paths(([1] * 3, [2] * 3))
    assert found.path(1, 3, ([1, 2], [2, 3]), shortest=True).row.tolist() == [0, 1]


def deep(n):
    """The ends of a path, whose tree is as deep as it has edges."""
    return np.arange(n), np.arange(1, n + 1)


def wide(n):
    """The ends of a random tree, whose vertices are mixed."""
    random = np.random.default_rng(5)
    names = random.permutation(n + 1)
    return names[(random.random(n) * np.arange(1, n + 1)).astype(np.int64)], names[1:]


def star(n):
    """The ends of a tree of one vertex and n others."""
    return np.zeros(n, np.int64), np.arange(1, n + 1)


def comb(n):
    """The ends of a path, each of whose vertices has another one beside it, twice as many trees."""
    half = n // 2
    spine = np.arange(half) * 2
    teeth = np.stack([spine, spine + 1])
    along = np.stack([spine[:-1], spine[1:]])
    return tuple(np.concatenate([teeth, np.delete(along, half // 3, axis=1)], axis=1))


@pytest.mark.slow
@some("make", [deep, wide, star, comb], usual=[deep, comb])
def test_large_trees_are_climbed_edge_by_edge(make):
    """They are long enough that tours are walked by stops that are spread over them."""
    random = np.random.default_rng(3)
    src, dst = make(20_000)
    weights = random.integers(0, 9, src.size)
    found = components((src, dst), weight=weights, forest="max")
    n = int(max(src.max(), dst.max())) + 1
    pairs = random.integers(0, n, (2, 60))
    matrix = sparse.csr_array((np.arange(1, src.size + 1), (src, dst)), (n, n))
    edge_of = {(min(a, b), max(a, b)): k for k, (a, b) in enumerate(zip(src, dst, strict=True))}
    right = []
    for a, b in pairs.T.tolist():
        before = csgraph.breadth_first_order(matrix, a, directed=False)[1]
        rows = []
        while b != a and before[b] >= 0:
            c = int(before[b])
            rows.insert(0, edge_of[min(b, c), max(b, c)])
            b = c
        least = min(rows, key=lambda row: (weights[row], row), default=-1)
        joined = a == b
        right.append((rows, len(rows) if joined else -1, least, weights[least] if rows else 0))
    answer = found.paths(tuple(pairs))
    assert list(zip(*columns(answer), strict=True)) == [one[1:] for one in right]
    steps = found.paths(tuple(pairs), rows=True)
    assert steps.row.tolist() == [row for one in right for row in one[0]]
    proof = found.audit_paths(answer, tuple(pairs), (src, dst), weight=weights, rows=steps)
    assert proof.path_edges == sum(len(one[0]) for one in right)


@pytest.mark.parametrize("make", [deep, wide])
@pytest.mark.parametrize("weight", [None, np.float32])
def test_a_forest_takes_the_memory_that_is_promised(make, weight):
    n, pairs = 60_000, 40_000
    src, dst = make(n)
    given = {} if weight is None else {"weight": (src % 1000).astype(weight)}
    found = components((src, dst), forest="max" if given else True, **given)
    random = np.random.default_rng(6)
    ends = random.integers(0, n + 1, (2, pairs))
    found.answer.dense, found.answer.rows()  # which other methods keep, too
    rounds = tuple(ends[:, :8]), tuple(ends)
    tracemalloc.start()
    try:
        found.paths(rounds[0])
        kept, peak = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        found.paths(rounds[1])
        of_pairs = tracemalloc.get_traced_memory()[1] - kept
        length = int(found.paths(rounds[0]).length.sum())
        tracemalloc.reset_peak()
        found.paths(rounds[0], rows=True)
        of_rows = tracemalloc.get_traced_memory()[1] - kept
    finally:
        tracemalloc.stop()
    assert kept <= (20 if weight is None else 45 + 4) * n + (1 << 18)
    assert peak <= 180 * n + (1 << 18)
    assert of_pairs <= 160 * pairs + (1 << 18)
    assert of_rows <= 112 * length + (1 << 18)


FAR = {
    "hashed": lambda v: np.array(v, np.int64) * 0x9E3779B97F4A7C1 - 2**62,
    "unsigned": lambda v: np.array(v, np.uint64) + np.uint64(2**64 - 12),
    "narrow": lambda v: np.array(v, np.int8),
    "categories": lambda v: pd.Categorical([f"v{k}" for k in v]),
}


@pytest.mark.parametrize("name", FAR)
def test_ids_of_every_range(name):
    spell = FAR[name]
    frame = pd.DataFrame({"src": spell(SRC), "dst": spell(DST), "w": WEIGHT})
    found = components(frame, weight="w", forest="max")
    pairs = pd.DataFrame({"src": spell(FIRST), "dst": spell(SECOND)})
    assert columns(found.paths(pairs)) == MAX
    steps = found.paths(pairs[1:2], rows=True)
    assert steps.row.tolist() == [2, 1, 0]
    assert list(steps.source) == list(spell([3, 2, 1]))


def test_pairs_twice_pairs_turned_and_pairs_of_other_kinds():
    edges = pd.DataFrame({"src": SRC, "dst": DST, "w": WEIGHT})
    found = components(edges, weight="w", forest="max")
    answer = found.paths(pl.DataFrame({"a": FIRST + FIRST, "b": SECOND + SECOND}), "a", "b")
    assert isinstance(answer, pd.DataFrame)
    assert columns(answer) == [one + one for one in MAX]
    assert columns(found.paths((SECOND, FIRST))) == MAX
    indexed = pd.DataFrame({"src": FIRST, "dst": SECOND}, index=[9, 9, 1, 0, 4])
    assert columns(found.paths(indexed)) == MAX
    turned = found.paths(([1, 4, 1], [4, 1, 4]), rows=True)
    assert turned["row"].tolist() == [0, 1, 2, 2, 1, 0, 0, 1, 2]
    assert turned["pair"].tolist() == [0] * 3 + [1] * 3 + [2] * 3


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_pairs_with_nulls_and_no_pairs(make):
    found = components(make({"src": SRC, "dst": DST, "w": WEIGHT}), weight="w", forest="max")
    nulls = {"src": pa.array([1, None]), "dst": pa.array([2, 3])}
    table = pa.table(nulls)
    pairs = (
        table.to_pandas(types_mapper=lambda _: pd.Int64Dtype()) if make is pd.DataFrame else None
    )
    pairs = pl.from_arrow(table) if make is pl.DataFrame else table if pairs is None else pairs
    with pytest.raises(errors.NullsError, match="column 'src' has 1 null"):
        found.paths(pairs)
    none = make({"src": np.zeros(0, np.int64), "dst": np.zeros(0, np.int64)})
    for rows, names in ((False, "length"), (True, "pair")):
        answer = found.paths(none, rows=rows)
        assert isinstance(answer, type(none))
        assert [len(column) for column in columns(answer)] == [0] * (6 if rows else 3)
        assert names in answer.schema.names if make is pa.table else names in answer.columns
