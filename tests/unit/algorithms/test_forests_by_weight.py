"""Minimum and maximum spanning forests: the rows of Kruskal's, whatever runs."""

import pickle
from functools import partial

import duckdb
import narwhals
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import minimum_spanning_tree
from support import planted
from support.choices import each, on_simulator

import cc_rapids
from cc_rapids import VerificationError, backends, oracle
from cc_rapids.algorithms import boruvka as rounds
from cc_rapids.errors import (
    ColumnTypeError,
    DesignError,
    InputError,
    MissingColumnError,
    NullsError,
)
from cc_rapids.kernels import boruvka as kernels
from cc_rapids.kernels import edges as reading

TYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", ">f4", ">i8"]
COMPILED = ["i8", "f4", "f8"]  # one of up to 32 bits, and of each kind; others on the simulator
FUNCTIONS = {False: cc_rapids.minimum_spanning_forest, True: cc_rapids.maximum_spanning_forest}
COLUMNS = {
    "src": [1, 2, 3, 8, 5],
    "dst": [2, 3, 1, 9, 6],
    "w": np.array([5, 2, 4, 7, 1], np.float32),
}
FRAME = pd.DataFrame(COLUMNS)
LEAST, GREATEST = [1, 2, 3, 4], [0, 2, 3, 4]


def weights_of(random, m, dtype):
    """Weights with many ties, of every sign that the type has, and with what is special to it."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        special = np.array([np.inf, -np.inf, -0.0, 0.0, 1, -1, 0.5, np.finfo(dtype).tiny], dtype)
        return np.where(random.random(m) < 0.5, random.choice(special, m), random.random(m)).astype(
            dtype
        )
    limits = np.iinfo(dtype)
    special = np.array([limits.min, limits.max, 0, 1], dtype)
    small = random.integers(0, 5, m).astype(dtype)
    return np.where(random.random(m) < 0.5, random.choice(special, m), small).astype(dtype)


def check(src, dst, weights, engine="threads", **options):
    """Both forests are Kruskal's, and the proof of each holds."""
    n = int(max(src.max(initial=0), dst.max(initial=0))) + 1
    for greatest, function in FUNCTIONS.items():
        found = function((src, dst), weight=weights, engine=engine, **options)
        expected = oracle.kruskal(src, dst, n, weights, greatest)
        assert found.row.tolist() == expected.tolist()
        assert np.array_equal(found.source, src[expected])
        assert np.array_equal(found.destination, dst[expected])
        assert np.array_equal(found.weight, weights[expected])
        assert found.weight.dtype == weights.dtype.newbyteorder("=")
        oracle.certify_forest(src, dst, n, weights, found.row, greatest)


@each(
    compiled={"dtype": COMPILED},
    dtype=TYPES,
    sizes=[(1, 1, 0), (1, 3, 9), (2, 1, 1 << 19), (1000, 1, 20)],
)
def test_rows_are_those_of_kruskal(engine, dtype, sizes, tuned, monkeypatch):
    light, bands, last = sizes
    tuned(light_edges_per_vertex=light, light_bands=bands)
    monkeypatch.setattr(rounds, "ONE_LAUNCH_CANDIDATES", last)
    random = np.random.default_rng(light)
    for n, m in ((1, 3), (2, 9), (12, 40), (30, 200)):
        src, dst = random.integers(0, n, m), random.integers(0, n, m)
        check(src, dst, weights_of(random, m, dtype), engine)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_rows_are_those_of_kruskal_for_any_list(data):
    """Loops, duplicates, negative weights and ties."""
    n, m = data.draw(st.integers(1, 12)), data.draw(st.integers(0, 60))
    end = st.lists(st.integers(0, n - 1), min_size=m, max_size=m)
    src, dst = (np.array(data.draw(end), np.int64) for _ in range(2))
    random = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    check(src, dst, weights_of(random, m, data.draw(st.sampled_from(COMPILED))))


@each(far=[-7000, 9000, 10**5, 10**15], row=[0, 300, 3999])
def test_ids_beyond_the_range_of_a_sample(engine, far, row, tuned):
    """Rows 0 and some others are looked at for a guess of the range; all edges count."""
    tuned(sampled_scan_edges=1000)
    random = np.random.default_rng(6)
    src, dst = random.integers(0, 500, (2, 4000))
    src[row], weights = far, random.integers(0, 99, src.size)
    found = cc_rapids.minimum_spanning_forest((src, dst), weight=weights, engine=engine)
    numbers = np.unique(np.append(src, dst), return_inverse=True)[1].reshape(2, -1)
    expected = oracle.kruskal(*numbers, numbers.max() + 1, weights, False)
    assert found.row.tolist() == expected.tolist()
    assert found.source.tolist() == src[expected].tolist()


def test_the_longest_path_and_a_star():
    random = np.random.default_rng(5)
    path = np.arange(20_000)
    check(path, path + 1, path.astype(np.float32))
    check(path, path + 1, random.permutation(path))
    check(np.zeros_like(path), path + 1, np.ones(path.size))
    many = random.integers(0, 3000, (2, 90_000))
    check(*many, np.ones(90_000, np.float32))
    check(*many, random.random(90_000))


def test_the_pivot_parts_edges_of_equal_weight_too(monkeypatch):
    """So many are light as are asked for, and no list grows to all edges."""
    sizes = []
    shapes = rounds.Candidates.shapes
    monkeypatch.setattr(
        rounds.Candidates,
        "shapes",
        lambda size, *rest: sizes.append(size) or shapes(size, *rest),
    )
    src, dst = np.random.default_rng(1).integers(0, 1000, (2, 100_000))
    check(src, dst, np.ones(100_000, np.int8))
    assert max(sizes) <= 100_000 // rounds.LIGHTER_PER_CANDIDATE


def test_more_candidates_than_expected_are_looked_at_twice(monkeypatch):
    monkeypatch.setattr(rounds.WeightOrder, "pivots", lambda *given: np.full(8, 2**64 - 1, "u8"))
    src, dst = np.random.default_rng(1).integers(0, 100, (2, 10_000))
    check(src, dst, np.arange(10_000))


def test_the_total_is_that_of_networkx():
    random = np.random.default_rng(3)
    src, dst = random.integers(0, 200, (2, 900))
    graph = nx.Graph()
    weights = random.permutation(900)
    for u, v, weight in zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True):
        held = graph.get_edge_data(u, v)
        if u != v and (held is None or held["weight"] > weight):
            graph.add_edge(u, v, weight=weight)
    found = cc_rapids.minimum_spanning_forest((src, dst), weight=weights)
    assert found.weight.sum() == nx.minimum_spanning_tree(graph).size("weight")


def test_the_edges_are_those_of_scipy():
    """For positive weights, all different, without duplicates."""
    random = np.random.default_rng(4)
    pairs = np.unique(random.integers(0, 300, (1500, 2)), axis=0)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    weights = random.permutation(len(pairs)) + 1.0
    matrix = sp.coo_array((weights, (pairs[:, 0], pairs[:, 1])), (300, 300)).tocsr()
    matrix.indices, matrix.indptr = matrix.indices.astype("i4"), matrix.indptr.astype("i4")
    tree = minimum_spanning_tree(matrix).tocoo()
    found = cc_rapids.minimum_spanning_forest((pairs[:, 0], pairs[:, 1]), weight=weights)
    assert sorted(found.weight.tolist()) == sorted(tree.data.tolist())


def test_zeros_of_either_sign_are_equal():
    edges = np.array([0, 0]), np.array([1, 1])
    for zeros in ([0.0, -0.0], [-0.0, 0.0]):
        for function in FUNCTIONS.values():
            assert function(edges, weight=np.array(zeros)).row.tolist() == [0]


@pytest.mark.parametrize("form", [list, tuple, "column"])
def test_lists_of_integers_from_2_to_the_63_on_are_no_floats(form):
    """NumPy makes floats of such lists if they have lower integers, too: close ones are equal."""
    weights = [2**64 - 2, 2**64 - 1, 1, 2**64 - 2]
    src, dst = [1, 1, 1, 2], [2, 2, 2, 3]
    if form == "column":
        edges, given = {"src": src, "dst": dst, "w": weights}, "w"
    else:
        edges, given = (src, dst), form(weights)
    found = FUNCTIONS[True](edges, weight=given)
    assert np.asarray(found.row).tolist() == [1, 3]
    assert np.asarray(found.weight).tolist() == [2**64 - 1, 2**64 - 2]
    same = cc_rapids.components(edges, weight=given, forest="max")
    same.audit(edges, weight=given, forest="max")
    with pytest.raises(ColumnTypeError, match=r"from -1 to 9,.*,808, and no type of 64 bits"):
        FUNCTIONS[False](([1, 1], [2, 2]), weight=[2**63, -1])


def test_the_components_come_from_the_same_run(engine):
    found = cc_rapids.components(FRAME, weight="w", forest="max", engine=engine)
    assert found == cc_rapids.components(FRAME)
    assert found.forest()["row"].tolist() == GREATEST
    assert found.forest().dtypes.tolist() == [np.int64, np.int64, np.int64, np.float32]
    assert found.summary()["design"] == "boruvka+async+halve"
    found.audit(FRAME)
    oracle.certify_spanning_forest(found.forest(), FRAME, weight="w", greatest=True)


def test_vertices_besides_the_edges(engine):
    options = {"weight": "w", "forest": "min", "engine": engine}
    found = cc_rapids.components(FRAME, vertices=[20, 1], **options)
    assert (len(found), found.num_vertices) == (4, 8)
    assert found.forest()["row"].tolist() == LEAST
    assert len(cc_rapids.components(FRAME, num_vertices=12, **options)) == 8
    alone = pd.DataFrame({"src": [4, 1, 7], "dst": [4, 2, 7], "w": [1, 2, 3]})
    found = cc_rapids.components(alone, **options)
    assert found.labels()["vertex"].tolist() == [1, 2, 4, 7]


FORMS = {
    "pandas": lambda folder: FRAME,
    "pandas with an index": lambda folder: FRAME.set_axis(list("abcde")),
    "pandas nullable": lambda folder: FRAME.convert_dtypes(),
    "pandas of Arrow": lambda folder: FRAME.convert_dtypes(dtype_backend="pyarrow"),
    "polars": lambda folder: pl.DataFrame(COLUMNS),
    "lazy": lambda folder: pl.DataFrame(COLUMNS).lazy(),
    "arrow": lambda folder: pa.table(COLUMNS),
    "mapping": lambda folder: dict(COLUMNS),
    "duckdb": lambda folder: duckdb.from_arrow(pa.table(COLUMNS)),
}


def parquet(folder):
    pq.write_table(pa.table(COLUMNS), folder / "edges.parquet")
    return folder / "edges.parquet"


def csv(folder):
    FRAME.to_csv(folder / "edges.csv", index=False)
    return folder / "edges.csv"


FORMS |= {"parquet": parquet, "csv": csv}


def listed(column):
    return np.asarray(column).tolist()


def column(frame, name):
    if hasattr(frame, "fetchnumpy"):  # a relation of DuckDB's
        return frame.fetchnumpy()[name]
    return getattr(frame, name) if isinstance(frame, tuple) else frame[name]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_edges(form, tmp_path):
    edges = FORMS[form](tmp_path)
    found = cc_rapids.minimum_spanning_forest(edges, weight="w")
    assert listed(column(found, "row")) == LEAST
    assert listed(column(found, "source")) == [2, 3, 8, 5]
    assert listed(column(found, "weight")) == [2, 4, 7, 1]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_for_files(library, tmp_path):
    found = cc_rapids.components(csv(tmp_path), weight="w", forest="min", frames=library)
    assert library.removeprefix("py") in type(found.forest()).__module__
    assert found.summary()["taken"][0]["format"] == "csv"
    assert listed(found.forest()["row"]) == LEAST


@pytest.mark.parametrize("shape", [0, 1])
def test_arrays_and_rows(shape):
    ends = np.array([COLUMNS["src"], COLUMNS["dst"]])
    found = cc_rapids.minimum_spanning_forest(ends.T if shape else ends, weight=FRAME["w"])
    assert found.row.tolist() == LEAST
    rows = cc_rapids.Csr(np.array([0, 2, 3, 4]), np.array([1, 2, 0, 0]), True)
    found = cc_rapids.minimum_spanning_forest(rows, weight=np.array([3, 1, 2, 9]))
    assert (found.row.tolist(), found.source.tolist()) == ([1, 2], [0, 1])


IDS = {
    "far": lambda v: v * 10**12,
    "spelt": lambda v: v.map("v{}".format),
    "long": lambda v: v.map(("x" * 80 + "{}").format),
    "categories": lambda v: v.map("v{}".format).astype("category"),
    "unsigned": lambda v: v.astype(np.uint64) + np.uint64(2**63),
}


@pytest.mark.parametrize("kind", IDS)
def test_every_kind_of_ids(kind, engine):
    frame = FRAME.assign(src=IDS[kind](FRAME["src"]), dst=IDS[kind](FRAME["dst"]))
    if kind == "categories":
        every = pd.concat([FRAME["src"], FRAME["dst"]]).map("v{}".format).unique()
        frame = frame.assign(
            **{side: frame[side].cat.set_categories(sorted(every)) for side in ("src", "dst")}
        )
    found = cc_rapids.maximum_spanning_forest(frame, weight="w", engine=engine)
    assert found["row"].tolist() == GREATEST
    assert found["source"].tolist() == frame["src"][GREATEST].tolist()
    assert found["source"].dtype == frame["src"].dtype
    oracle.certify_spanning_forest(found, frame, weight="w", greatest=True)


def test_ids_of_several_columns():
    frame = FRAME.assign(src_kind="a", dst_kind="a", src_id=FRAME["src"], dst_id=FRAME["dst"])
    sides = ["src_kind", "src_id"], ["dst_kind", "dst_id"]
    found = cc_rapids.minimum_spanning_forest(frame, *sides, weight="w")
    names = ["row", "kind_source", "id_source", "kind_destination", "id_destination", "weight"]
    assert list(found) == names
    assert found["row"].tolist() == LEAST
    oracle.certify_spanning_forest(found, frame, *sides, weight="w")


def test_copies_and_files_of_an_answer(tmp_path):
    half = ["f2"] if hasattr(narwhals, "Float16") else []  # older releases know none
    for dtype in (*half, "f4", "i8"):
        frame = FRAME.assign(w=FRAME["w"].astype(dtype))
        found = cc_rapids.components(frame, weight="w", forest="min")
        expected = found.forest()
        pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(found)).forest(), expected)
        found.save(tmp_path / "found")
        other = cc_rapids.Components.load(tmp_path / "found")
        pd.testing.assert_frame_equal(other.forest(), expected)
        other.save(tmp_path / "again")
        again = cc_rapids.Components.load(tmp_path / "again")
        pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(again)).forest(), expected)


MISSING = {
    "pandas": lambda: FRAME.assign(w=[1, np.nan, 2, np.nan, 3]),
    "nullable": lambda: FRAME.assign(w=pd.array([1, None, 2, None, 3], "Int32")),
    "arrow": lambda: pa.table(COLUMNS | {"w": [1, None, 2, None, 3]}),
    "polars": lambda: pl.DataFrame(COLUMNS | {"w": [1.0, None, 2, float("nan"), 3]}),
    "strings": lambda: pa.table({"src": list("abcde"), "dst": list("bcafe")}).append_column(
        "w", pa.array([1, None, 2, None, 3])
    ),
    "mapping": lambda: COLUMNS | {"w": np.array([1, np.nan, 2, np.nan, 3])},
}


@pytest.mark.parametrize("kind", MISSING)
def test_weights_that_are_missing(kind, engine):
    edges = MISSING[kind]()
    said = "2 of 5 weights 'w' are null or nan, the first in row 1: fill such weights"
    with pytest.raises(NullsError, match=said):
        cc_rapids.minimum_spanning_forest(edges, weight="w", engine=engine)
    found = cc_rapids.components(edges, weight="w", forest="min", nulls="drop", engine=engine)
    rows = [0, 2] if kind == "strings" else [0, 2, 4]
    assert listed(column(found.forest(), "row")) == rows
    assert found.summary()["dropped"] == 2
    oracle.certify_spanning_forest(found.forest(), edges, weight="w", nulls="drop")


@pytest.mark.parametrize("kind", ["min", "max"])
def test_a_forest_counts_the_edges_without_a_weight(kind):
    solve = {"min": cc_rapids.minimum_spanning_forest, "max": cc_rapids.maximum_spanning_forest}
    edges = pd.DataFrame({"src": [1, 2, 3], "dst": [2, 3, 1], "w": [1.0, None, 2.0]})
    with pytest.warns(cc_rapids.errors.CcRapidsWarning, match="1 edge has a null or NaN"):
        assert list(solve[kind](edges, weight="w", nulls="drop")["row"]) == [0, 2]


def test_ends_and_weights_that_are_missing():
    edges = pa.table({"src": [None, 1, 2, 3], "dst": [4, 2, 3, 1], "w": [1.0, None, 2, 3]})
    with pytest.raises(NullsError, match="column 'src' has 1 null"):
        cc_rapids.minimum_spanning_forest(edges, weight="w")
    found = cc_rapids.components(edges, weight="w", forest="min", nulls="drop")
    assert found.forest()["row"].to_pylist() == [2, 3]
    assert found.summary()["dropped"] == 2
    whole = edges.set_column(0, "src", pa.array([None, 1, 2, 3]))
    ends = {"source": [1, 2], "destination": [4, 3]}
    forged = pa.table({"row": [0, 2], **ends, "weight": [1.0, 2]})
    with pytest.raises(VerificationError, match="row 0 of the forest is not among the"):
        oracle.certify_spanning_forest(forged, whole, weight="w", nulls="drop")


LEAST_BY_W = {"forest": "min", "weight": "w"}
REFUSED = {
    "no weights": ({"weight": None}, InputError, "pass weight= as well"),
    "no word": ({"forest": "most"}, InputError, "forest= must be True or False"),
    "no forest": ({"forest": True}, InputError, "or forest='min' or forest='max'"),
    "design": ({"design": "bfs-cc"}, DesignError, "not by a design"),
    "paper": ({"design": "auto(rule=paper)"}, DesignError, "leave"),
    "unknown": ({"weight": "ww"}, MissingColumnError, "did you mean 'w'"),
    "few": ({"weight": [1, 2]}, InputError, "2 weights and 5 edges"),
    "text": ({"weight": list("abcde")}, ColumnTypeError, "must be numbers"),
    "wide": ({"weight": np.ones(5, np.longdouble)}, ColumnTypeError, "at most 64 bits"),
    "chunks": ({"memory_limit": "1GiB"}, InputError, "in chunks"),
    "a stream": ({"edges": [FRAME, FRAME]}, InputError, "chunks"),
    "a matrix": ({"edges": sp.eye_array(3).tocsr(), "weight": [1, 2]}, InputError, "and 3 edges"),
    "a pair": ({"edges": ([1], [2])}, MissingColumnError, "has no columns: pass an array of weigh"),
    "a file": ({"edges": "e.csv", "weight": [1]}, InputError, "column of files"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case):
    options, error, said = REFUSED[case]
    with pytest.raises(error, match=said):
        cc_rapids.components(**{"edges": FRAME} | LEAST_BY_W | options)


@pytest.mark.parametrize("greatest", FUNCTIONS)
def test_another_forest_than_that_of_the_function_is_refused(greatest):
    own, other = ("max", "min") if greatest else ("min", "max")
    assert FUNCTIONS[greatest](FRAME, weight="w", forest=own).equals(
        FUNCTIONS[greatest](FRAME, weight="w")
    )
    for forest in (other, True, False):
        with pytest.raises(InputError, match=f"forest={forest!r} is not the forest"):
            FUNCTIONS[greatest](FRAME, weight="w", forest=forest)
    for forest in ("min", False):
        with pytest.raises(InputError, match="is not the forest"):
            cc_rapids.spanning_forest(FRAME, forest=forest)


@pytest.mark.skipif(not hasattr(pa, "string_view"), reason="PyArrow has no string views yet")
def test_string_views():
    """PyArrow takes rows of no views."""
    named = {"src": pa.array(["a", "b", "c"]), "dst": pa.array(["b", "c", "a"])}
    edges = pa.table({name: ids.cast(pa.string_view()) for name, ids in named.items()})
    found = FUNCTIONS[False](edges, weight=[3, 1, 2])
    assert found["source"].to_pylist() == ["b", "c"]
    assert found["source"].type == pa.string_view()
    assert cc_rapids.bridges(edges.slice(0, 2))["row"].to_pylist() == [0, 1]


def test_the_plan():
    plan = cc_rapids.minimum_spanning_forest(FRAME, weight="w", explain=True)
    assert plan.design == "boruvka+async+halve"
    assert plan.design_why == "a spanning forest by weight"
    wide = cc_rapids.components(FRAME, weight=FRAME["w"].astype("f8"), forest="max", explain=True)
    assert wide.bytes - plan.bytes == 5 * (16 + 4) + 9 * 8


FORGED = {
    "not there": ([0, 7], "row 7 of the forest is not among the 4 edges"),
    "twice": ([0, 0], "row 0 of the forest comes after 0"),
    "a cycle": ([0, 1, 2], "edge 1 closes a cycle"),
    "two trees": ([0, 2], "edge 3 joins two trees"),
    "heavier": ([0, 1, 3], "edge 2 of weight 2 is not in the forest, but should .* 1 of weight 3"),
}


@pytest.mark.parametrize("case", FORGED)
def test_forged_forests_are_refused(case):
    rows, said = FORGED[case]
    src, dst, weights = [0, 1, 2, 8], [1, 2, 0, 9], [1, 3, 2, 5]
    oracle.certify_forest(src, dst, 10, weights, [0, 2, 3])
    with pytest.raises(VerificationError, match=said):
        oracle.certify_forest(src, dst, 10, weights, rows)


def test_the_oracle_refuses_what_is_no_list():
    with pytest.raises(InputError, match="1 of 2 weights are nan"):
        oracle.kruskal([0, 1], [1, 2], 3, [1, np.nan])
    with pytest.raises(InputError, match="weights must be 2 numbers"):
        oracle.kruskal([0, 1], [1, 2], 3, [1])
    with pytest.raises(InputError, match="rows must be 1-d integers"):
        oracle.certify_forest([0, 1], [1, 2], 3, [1, 2], [0.5])
    found = cc_rapids.minimum_spanning_forest(FRAME, weight="w")
    with pytest.raises(
        VerificationError, match=r"edge 1 has the weight 2\.0 in the edges, but 3\.0"
    ):
        oracle.certify_spanning_forest(found.assign(weight=[3, 4, 7, 1.0]), FRAME, weight="w")


@on_simulator
@pytest.mark.parametrize("name", [*planted.IN_ROUNDS, *planted.IN_ONE_LAUNCH])
def test_planted_faults_are_refused(name, engine, tmp_path, tuned, monkeypatch):
    """The proof of the forest is independent of the kernels; some faults end a run."""
    together = name in planted.IN_ONE_LAUNCH
    if together and not backends.get(engine).goes_on:
        pytest.skip("rounds are not launched together on CPU threads")
    tuned(light_edges_per_vertex=1)
    monkeypatch.setattr(rounds, "ONE_LAUNCH_CANDIDATES", 1000 * together)
    function, old, new, dtype = (planted.IN_ROUNDS | planted.IN_ONE_LAUNCH)[name]
    random = np.random.default_rng(8)
    src, dst = random.integers(0, 40, (2, 300))
    low, high = {"i4": (-20, 20), "f4": (-2, 1)}.get(dtype, (0, 20))
    weights = random.integers(low, high, 300).astype(dtype)
    if dtype == "f4":
        weights[weights == 0] = np.where(np.arange((weights == 0).sum()) % 2, -0.0, 0.0)
    with planted.planted(planted.Plant(function, old, new, ""), tmp_path):
        refused = 0
        for greatest, find in FUNCTIONS.items():
            try:
                found = find((src, dst), weight=weights, engine=engine)
                oracle.certify_forest(src, dst, 40, weights, found.row, greatest)
            except (VerificationError, InputError):
                refused += 1
    assert refused


def test_edges_that_change_meanwhile_are_those_of_before(engine, monkeypatch):
    """The list is read once, and rounds go on with what they have read."""
    monkeypatch.setattr(rounds, "ONE_LAUNCH_CANDIDATES", 0)
    link_taken = kernels.link_selected

    def changing(on, *parts):
        link = link_taken(on, *parts)

        def changed(*arguments):
            src[:], weights[:] = dst, 0
            link(*arguments)

        return changed

    monkeypatch.setattr(kernels, "link_selected", changing)
    src, dst, weights = np.arange(10), np.arange(10) + 1, np.arange(10, 0, -1)
    found = cc_rapids.minimum_spanning_forest((src, dst), weight=weights, engine=engine)
    assert found.row.tolist() == list(range(10))


@pytest.mark.parametrize("greatest", [False, True])
@pytest.mark.parametrize("dtype", ["f4", "i8"])
def test_rounds_with_few_candidates_forget_these_alone(dtype, greatest, engine, monkeypatch):
    """A path of many vertices, whose last rounds join a few trees of it, and a star beside it."""
    monkeypatch.setattr(rounds, "ONE_LAUNCH_CANDIDATES", 0)
    random = np.random.default_rng(2)
    hub = np.full(300, 700)
    src = np.concatenate([np.arange(699), hub, random.integers(0, 700, 200)])
    dst = np.concatenate([np.arange(1, 700), 701 + np.arange(300), random.integers(0, 700, 200)])
    weights = random.integers(0, 1000, src.size).astype(dtype)
    find = cc_rapids.maximum_spanning_forest if greatest else cc_rapids.minimum_spanning_forest
    rows = find((src, dst), weight=weights, engine=engine).row
    oracle.certify_forest(src, dst, 1001, weights, rows, greatest)


def test_neither_the_edges_nor_the_weights_are_written(engine):
    arrays = [np.array(column) for column in COLUMNS.values()]
    for array in arrays:
        array.flags.writeable = False
    src, dst, weights = arrays
    found = cc_rapids.minimum_spanning_forest((src, dst), weight=weights, engine=engine)
    assert found.row.tolist() == LEAST
    spread = np.repeat(weights, 3)[::3]
    found = cc_rapids.minimum_spanning_forest((src, dst), weight=spread, engine=engine)
    assert found.row.tolist() == LEAST


@pytest.mark.parametrize(
    ("light", "bands", "m", "ends"),
    [
        (2, 1, 800, [200]),
        (2, 1, 799, []),
        (0.5, 3, 400, [50, 100, 200]),
        (1, 3, 799, [100, 200]),
        (1, 3, 399, []),
        (1, 3, 800, [100, 200, 400]),
        (0, 1, 800, []),
    ],
)
def test_each_band_ends_after_twice_as_many_edges(light, bands, m, ends, tuned):
    tuned(light_edges_per_vertex=light, light_bands=bands)
    assert rounds.band_ends(100, m) == ends


def test_ids_of_32_bits_are_some_of_2_32_vertices():
    on, weights = backends.get("threads"), np.array([3, 1], np.int32)
    order = rounds.WeightOrder.of(weights, False, on)
    kinds = np.uint64, np.uint32, reading.LIST, order.weigh, order.contains_row
    collect = rounds._kernels(on, *kinds).from_first_band
    none, words = np.iinfo(np.uint64).max, partial(np.zeros, dtype=np.uint64)
    best, count, us, vs = np.full(4, none), words(1), words(2), words(2)
    lists = words(4), best, count, us, vs, words(2), words(0)
    src, dst = np.array([0, 2], np.int32), np.array([1, 3], np.int32)
    flags = np.zeros(1, np.uint32), np.zeros(1, np.int64)
    given = order.bits, on.unused(np.uint32), src, dst, 0, 1 << 32, *flags
    collect(1, 2, 0, np.full(2, none), *lists, *given)
    assert [count[0], flags[1][0]] == [2, 0]
    assert sorted(zip(us, vs, strict=True)) == [(0, 1), (2, 3)]
