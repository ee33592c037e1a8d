"""Edges in batches, and queries among them: against NetworkX after every one."""

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import design_pairs
from support.batch_rows import EXAMPLES, KINDS, column

import cc_rapids
from cc_rapids import Connectivity
from cc_rapids.algorithms.design import designs
from cc_rapids.errors import ColumnTypeError, InputError, UnknownVertexError

quick = settings(
    max_examples=40,
    deadline=None,  # the first example of a type compiles for a second
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)

ROOTED = [
    design
    for design in designs()
    if design.hooks_roots_only and design.sample == "none" and not design.words[1].spec.standalone
]
FRAMES = {
    "arrays": lambda src, dst: (src, dst),
    "pandas": lambda src, dst: pd.DataFrame({"src": src, "dst": dst}),
    "polars": lambda src, dst: pl.DataFrame({"src": src, "dst": dst}),
    "pyarrow": lambda src, dst: pa.table({"src": src, "dst": dst}),
}

rows = st.tuples(st.integers(0, 20), st.integers(0, 20), st.booleans())
batches = st.lists(st.lists(rows, max_size=12), max_size=6)


def parts_of(graph):
    """The least vertex of each one's component, in the order of the vertices."""
    return dict(sorted((v, min(part)) for part in nx.connected_components(graph) for v in part))


def joined(graph, u, v):
    return u in graph and v in graph and nx.has_path(graph, u, v)


def check(seen, graph):
    """All that is said of the batches so far agrees with NetworkX."""
    found, parts = seen.components(), parts_of(graph)
    assert (seen.num_vertices, len(seen), len(found)) == (
        len(parts),
        seen.num_components,
        len(set(parts.values())),
    )
    assert len(seen) == len(found)
    vertex, labels = found.labels()
    assert np.asarray(vertex).tolist() == list(parts)
    assert np.asarray(labels).tolist() == list(parts.values())
    assert found.summary()["edges"] == graph.graph.get("inserted", 0)


def process(seen, graph, src, dst, asks):
    """Run one batch, and check that each query is answered in an order that may have been."""
    before = graph.copy()
    new = [(u, v) for u, v, ask in zip(src, dst, asks, strict=True) if not ask]
    graph.add_edges_from(new)
    graph.graph["inserted"] = graph.graph.get("inserted", 0) + len(new)
    mask = np.array(asks, bool)
    answers = seen.process((column(src), column(dst)), query=mask, missing="false")
    asked = [(u, v) for u, v, ask in zip(src, dst, asks, strict=True) if ask]
    assert answers.dtype == bool
    for (u, v), answer in zip(asked, answers.tolist(), strict=True):
        assert answer <= joined(graph, u, v)
        assert answer >= joined(before, u, v)
    return asked, answers


@quick
@given(batches, st.sampled_from(list(KINDS)), st.sampled_from(EXAMPLES))
def test_batches_of_any_ids_against_networkx(batches, kind, algorithm):
    seen, graph, name = Connectivity(design=algorithm), nx.Graph(), KINDS[kind]
    for batch in batches:
        src, dst = ([name(row[side]) for row in batch] for side in (0, 1))
        process(seen, graph, src, dst, [row[2] for row in batch])
        check(seen, graph)


@quick
@given(batches, st.sampled_from(EXAMPLES))
def test_batches_over_a_number_of_vertices_against_networkx(batches, algorithm):
    seen, graph = Connectivity(21, design=algorithm), nx.empty_graph(21)
    for batch in batches:
        process(seen, graph, *([row[side] for row in batch] for side in (0, 1, 2)))
        check(seen, graph)
        pairs = np.array([0, 5, 20]), np.array([0, 6, 3])
        truth = [joined(graph, *pair) for pair in zip(*map(np.ndarray.tolist, pairs), strict=True)]
        assert seen.connected(pairs).tolist() == truth


def pytest_generate_tests(metafunc):
    if "rooted" in metafunc.fixturenames:
        found = design_pairs.selected(design_pairs.asked(metafunc.config), ROOTED)
        metafunc.parametrize("rooted", found, ids=str)


def test_every_rooted_design_takes_batches(rooted, engine):
    rng = np.random.default_rng(5)
    seen, graph = Connectivity(design=str(rooted), engine=engine), nx.Graph()
    for _ in range(4):
        src, dst = (rng.integers(0, 60, 25) * 10**15 for _ in range(2))
        process(seen, graph, src.tolist(), dst.tolist(), (rng.random(25) < 0.3).tolist())
        check(seen, graph)


@pytest.mark.parametrize(
    "algorithm", ["none+rem-cas+splice", "shiloach-vishkin", "liu-tarjan(PRF)"]
)
def test_where_insertions_come_first_queries_see_them(algorithm):
    seen = Connectivity(design=algorithm)
    src, dst = np.array([1, 1, 4]), np.array([3, 2, 5])
    more = np.array([2]), np.array([3])
    batch = np.concatenate([src, more[0]]), np.concatenate([dst, more[1]])
    asks = np.array([True, False, False, False])
    assert seen.process(batch, query=asks).tolist() == [True]


@pytest.mark.slow
def test_large_batches_on_all_threads(engine, tuned):
    tuned(thread_chunk=256)
    m = 400 if engine == "cuda" else 200_000
    rng = np.random.default_rng(7)
    edges = rng.integers(0, m, m), rng.integers(0, m, m)
    seen = Connectivity(engine=engine)
    known = nx.Graph()
    for part in range(4):
        rows_of_part = slice(part * m // 4, (part + 1) * m // 4)
        src, dst = (side[rows_of_part] for side in edges)
        asks = rng.random(src.size) < 0.5
        before = seen.components()
        answers = seen.process((src, dst), query=asks, missing="false")
        known.add_edges_from(zip(src[~asks].tolist(), dst[~asks].tolist(), strict=True))
        after = seen.components().attach(
            pd.DataFrame({"u": src[asks], "v": dst[asks]}), "u", "a", missing="null"
        )
        after = seen.components().attach(after, "v", "b", missing="null")
        assert (answers <= (after["a"] == after["b"]).fillna(False).to_numpy(bool)).all()
        assert len(before) <= len(known)
    assert parts_of(known) == dict(zip(*map(list, seen.components().labels()), strict=True))


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("ids", [[5, 2, 9], ["e", "b", "i"]], ids=["integers", "strings"])
def test_frames_of_every_kind(kind, ids, engine):
    make, (a, b, c) = FRAMES[kind], ids
    seen = Connectivity(engine=engine).insert(make([a, c], [b, c]))
    answers = seen.connected(make([a, a], [b, c]))
    assert np.asarray(answers).tolist() == [True, False]
    wanted = {"arrays": np.ndarray, "pandas": pd.Series, "polars": pl.Series}
    assert isinstance(answers, wanted.get(kind, pa.ChunkedArray))
    mixed = make([a, b, b], [c, a, c])
    query = pa.array([False, True, True]) if kind == "pyarrow" else np.array([False, True, True])
    answers = seen.process(mixed, query=query)
    assert np.asarray(answers).tolist()[0]
    assert len(answers) == 2
    found = seen.components()
    assert len(found) == 1
    assert type(found.labels()).__name__ == type(cc_rapids.components(mixed).labels()).__name__
    assert found.component_of(c) == min(ids)


def test_a_series_has_the_index_of_the_frame():
    batch = pd.DataFrame({"src": [1, 1, 2], "dst": [2, 2, 9], "query": [False, True, True]})
    batch.index = [7, 5, 3]
    seen = Connectivity(vertices=[9])
    answers = seen.process(batch)
    assert (answers.index.tolist(), answers.dtype) == ([5, 3], bool)
    assert batch[seen.connected(batch)].index.tolist() == [7, 5]
    assert batch.columns.tolist() == ["src", "dst", "query"]
    pairs = batch["src"], batch["dst"]
    assert seen.connected(pairs).index.tolist() == [7, 5, 3]


def test_vertices_from_the_start():
    seen = Connectivity(vertices=range(2, 9, 3)).insert(([2, 40], [5, 41]))
    assert seen.components().labels().vertex.tolist() == [2, 5, 8, 40, 41]
    assert (len(seen), seen.num_vertices) == (3, 5)
    words = Connectivity(vertices=pd.Series(["b", "a"]))
    assert words.components().labels()["vertex"].tolist() == ["a", "b"]
    assert words.insert((["b"], ["c"])).connected((["c"], ["b"])).tolist() == [True]
    assert len(Connectivity(0)) == len(Connectivity()) == len(Connectivity(vertices=[])) == 0


def test_matrices_and_adjacency_lists():
    from scipy.sparse import csr_array

    matrix = csr_array((np.ones(2), (np.array([0, 3]), np.array([1, 4]))), shape=(6, 6))
    for seen in (Connectivity(), Connectivity(6)):
        seen.insert(matrix)
        assert seen.components().labels().labels.tolist() == [0, 0, 2, 3, 3, 5]
        assert seen.connected(matrix).tolist() == [True, True]
    with pytest.raises(InputError, match="the edges have 6 vertices, but num_vertices=5"):
        Connectivity(5).insert(matrix)


def test_types_widen_as_ids_ask_for_it():
    seen = Connectivity().insert((np.array([1], np.int8), np.array([2], np.int8)))
    assert seen.components().labels().vertex.dtype == np.int8
    seen.insert((np.array([2**63], np.uint64), np.array([2], np.uint64)))
    assert seen.components().labels().vertex.tolist() == [1, 2, 2**63]
    with pytest.raises(ColumnTypeError, match="no integer type holds both"):
        seen.insert(([-1], [2]))
    assert seen.connected((np.array([2**63, 1], np.uint64), [1, 1])).tolist() == [True, True]
    assert seen.connected(([-1], [1]), missing="false").tolist() == [False]


def test_empty_batches_loops_and_duplicates():
    seen = Connectivity().insert(([], [])).insert(pd.DataFrame({"src": [], "dst": []}))
    assert (len(seen), seen.connected(([], [])).tolist()) == (0, [])
    assert len(seen.components().labels().vertex) == 0
    assert seen.process(([], []), query=[]).tolist() == []
    seen.insert(([3, 3, 3, 1], [3, 1, 1, 3])).insert(([4], [4])).insert(([], []))
    assert seen.components().labels().labels.tolist() == [1, 1, 4]
    assert repr(seen) == (
        "<Connectivity: 2 components of 3 vertices; 5 edges in 6 batches,"
        " none+async+halve on threads>"
    )
    words = Connectivity().insert((np.array([], "U1"), np.array([], "U1")))
    assert words.process((["a"], ["b"]), query=[True], missing="false").tolist() == [False]
    assert len(words.components().labels().vertex) == 0


@pytest.mark.parametrize("pairs", [(["a"], ["b"]), ([1], [2])], ids=["strings", "integers"])
@pytest.mark.parametrize("dtype", [None, "U1", "int64"])
def test_where_nothing_is_known_pairs_of_any_kind_are_asked_for(dtype, pairs):
    seen = Connectivity()
    if dtype:
        seen.insert((np.array([], dtype), np.array([], dtype)))
    for asked in (pairs, pl.DataFrame({"src": pairs[0], "dst": pairs[1]})):
        with pytest.raises(UnknownVertexError, match=f"1 of 1 id in 'src' .*: {pairs[0][0]}"):
            seen.connected(asked)
        assert list(seen.connected(asked, missing="false")) == [False]
        assert list(seen.process(asked, query=[True], missing="false")) == [False]


def test_a_snapshot_stays():
    seen = Connectivity().insert(([4], [2]))
    then = seen.components("dense")
    before = [np.array(side) for side in then.labels()]
    seen.insert(([2, 1], [9, 2]))
    for now, old in zip(then.labels(), before, strict=True):
        np.testing.assert_array_equal(now, old)
    assert (len(then), then.summary()["edges"], then.summary()["design"]) == (
        1,
        1,
        "none+async+halve",
    )
    assert seen.components().sizes().labels.tolist() == [1]
    with pytest.raises(InputError, match="labels"):
        seen.components("least")
