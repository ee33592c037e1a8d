"""No rows: what has none goes with ids of any type, whatever its own is."""

import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from support.as_lists import columns
from support.choices import each

import cc_rapids
from cc_rapids import (
    Connectivity,
    components,
    components_at,
    maximum_spanning_forest,
    stream_components,
)

EMPTY = {
    "pandas floats": pd.DataFrame({"src": [], "dst": []}),
    "pandas objects": pd.DataFrame(columns=["src", "dst"]),
    "pandas strings": pd.DataFrame({"src": [], "dst": []}, dtype="str"),
    "pandas categories": pd.DataFrame({"src": [], "dst": []}, dtype="category"),
    "pandas int32": pd.DataFrame({"src": [], "dst": []}, dtype="int32"),
    "polars nulls": pl.DataFrame({"src": [], "dst": []}),
    "pyarrow strings": pa.table({name: pa.array([], pa.string()) for name in ("src", "dst")}),
    "strings on one side": pd.DataFrame({"src": pd.Series([], dtype="str"), "dst": []}),
    "arrays": (np.empty(0), np.empty(0, "U1")),
    "lists": ([], []),
}
VERTICES = {
    "list of strings": ["b", "a"],
    "list": [3, 1],
    "strings": pd.Series(["b", "a"], dtype="string"),
    "categories": pd.Series(["b", "a"], dtype="category"),
    "polars": pl.Series(["b", "a"]),
    "pyarrow": pa.array([3, 1]),
    "uint64": np.array([2**64 - 1, 1], np.uint64),
}
NONE = pa.table({"src": [1], "dst": [2], "weight": [1]})[:0]
ROWS = pd.DataFrame({"src": ["x"], "i": [1], "dst": ["y"], "j": [2]})


@pytest.mark.parametrize("vertices", VERTICES.values(), ids=VERTICES)
@pytest.mark.parametrize("edges", EMPTY.values(), ids=EMPTY)
def test_vertices_of_any_type_go_with_no_edges(engine, edges, vertices):
    found = components(edges, vertices=vertices, engine=engine)
    known = sorted(pa.array(vertices).to_pylist())
    assert columns(found.labels()) == [known, known]
    assert components(edges, vertices=vertices, explain=True).edges == 0
    forest = components(edges, vertices=vertices, engine=engine, forest=True).forest()
    assert columns(forest) == [[], [], []]


@pytest.mark.parametrize("ids", [[3, 1], ["b", "a"]])
def test_a_forest_of_self_loops_has_no_rows(engine, ids):
    found = components(pa.table({"src": ids, "dst": ids}), engine=engine, forest=True)
    assert columns(found.forest()) == [[], [], []]


@pytest.mark.parametrize("edges", EMPTY.values(), ids=EMPTY)
def test_a_number_of_vertices_goes_with_no_edges(engine, edges):
    labels = components(edges, num_vertices=2, engine=engine).labels()
    assert columns(labels) == [[0, 1], [0, 1]]


@pytest.mark.parametrize("edges", EMPTY.values(), ids=EMPTY)
def test_no_edges_are_no_answer_and_a_plan(edges):
    assert len(components(edges)) == 0
    assert components(edges, explain=True).edges == 0


@pytest.mark.parametrize("dtype", ["uint8", "uint64"])
def test_the_answer_has_the_type_of_the_vertices(dtype):
    edges, vertices = EMPTY["pandas floats"], pd.Series([3, 1], dtype=dtype)
    assert components(edges, vertices=vertices).labels()["vertex"].dtype == dtype


@pytest.mark.parametrize("ends", [("a", None), (None, "a"), (7, None)])
def test_what_is_left_of_a_side_of_nulls_may_be_nothing(ends):
    edges = pl.DataFrame({"src": [ends[0]], "dst": [ends[1]]})
    found = components(edges, nulls="drop")
    assert (len(found), found.summary()["dropped"]) == (0, 1)


@pytest.mark.parametrize("vertices", EMPTY.values(), ids=EMPTY)
@pytest.mark.parametrize("ids", [["x", 1, "y", 2], [3, "x", 4, "y"]], ids=str)
def test_no_vertices_of_any_type_go_with_rows(vertices, ids):
    edges = pd.DataFrame([ids], columns=ROWS.columns)
    sides = ["src", "i"], ["dst", "j"]
    found = components(edges, *sides, vertices=vertices)
    assert columns(found.labels()) == columns(components(edges, *sides).labels())


def test_rows_as_vertices_go_with_no_edges():
    none = ROWS[:0].astype(object)
    found = components(none, ["src", "i"], ["dst", "j"], vertices=ROWS[["src", "i"]])
    assert columns(found.labels()) == [["x"], [1], [0]]


@pytest.mark.parametrize("ids", [[1, 2], ["a", "b"]], ids=["integers", "strings"])
@pytest.mark.parametrize("edges", EMPTY.values(), ids=EMPTY)
def test_chunks_without_rows_go_with_others(edges, ids):
    some = pd.DataFrame({"src": ids[:1], "dst": ids[1:]})
    for chunks in ([some, edges], [edges, some]):
        assert len(stream_components(iter(chunks)).labels()) == 2


@pytest.mark.parametrize("names", ["ab", "ba"])
def test_files_without_rows_go_with_others_where_all_rows_are_needed(tmp_path, names):
    for name, text in zip(names, ("src\tdst\n", "src\tdst\nx\ty\n"), strict=True):
        (tmp_path / f"{name}.tsv").write_text(text)
    found = cc_rapids.bridges(tmp_path)
    assert columns(found) == [[0], ["x"], ["y"]]


BATCHES = {
    "batch": lambda edges, named: Connectivity(vertices=named).insert(edges).components(),
    "batches": lambda edges, named: Connectivity(vertices=named).insert(iter([edges])).components(),
    "process": lambda edges, named: processed(edges, named).components(),
    "stream": lambda edges, named: stream_components(iter([edges]), vertices=named),
}


def processed(edges, named):
    seen = Connectivity(vertices=named)
    seen.process(edges, query=np.empty(0, bool))
    return seen


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* no edges")
@pytest.mark.parametrize("door", BATCHES.values(), ids=BATCHES)
@pytest.mark.parametrize("vertices", [None, *VERTICES.values()], ids=["", *VERTICES])
@pytest.mark.parametrize("edges", EMPTY.values(), ids=EMPTY)
def test_batches_without_rows_give_frames_of_their_kind(door, edges, vertices):
    found, want = door(edges, vertices).labels(), components(edges, vertices=vertices).labels()
    assert type(found) is type(want)
    assert columns(found) == columns(want)


@pytest.mark.filterwarnings("ignore:.* no edges")
@pytest.mark.parametrize("kind", ["csv", "tsv", "txt", "parquet", "arrow"])
@pytest.mark.parametrize(
    "names", [("src", "dst"), (["src", "i"], ["dst", "j"])], ids=["", "several"]
)
def test_files_without_rows_give_frames_as_others_do(kind, names, tmp_path):
    write = {"parquet": pq.write_table, "arrow": pyarrow.feather.write_feather}
    path, rows = tmp_path / f"none.{kind}", pa.Table.from_pandas(ROWS[:0])
    write.get(kind, lambda table, path: path.write_text(""))(rows, path)
    seen = Connectivity().insert(path, *names)
    assert type(seen.components().sizes()) is pa.Table
    assert seen.components().labels().schema.names == components(path, *names).labels().schema.names
    assert [*seen.components().summary()["taken"][0]["columns"]]
    assert type(seen.insert(ROWS, *names).components().labels()) is pd.DataFrame
    assert type(seen.insert(path, *names).components().labels()) is pd.DataFrame


@pytest.mark.filterwarnings("ignore:.* no edges")
def test_what_has_rows_says_how_cuts_come():
    some = pd.DataFrame({"src": [1], "dst": [2], "weight": [1.0]})
    none = pl.DataFrame({"src": [], "dst": [], "weight": []}, schema=dict.fromkeys(some, pl.Int64))
    for chunks in ([some, none], [none, some]):
        cuts = components_at(iter(chunks), thresholds=[2, 1])
        assert [type(cuts.labels(level)) for level in (2, 1)] == [pd.DataFrame] * 2
        assert [cuts.at(level).summary()["edges"] for level in (2, 1)] == [0, 1]
    assert type(components_at(iter([none]), thresholds=[1]).labels(1)) is pl.DataFrame


FINDS = {
    "components": components,
    "stream_components": cc_rapids.stream_components,
    "insert": lambda edges: Connectivity().insert(edges).components(),
    "insert with rows before": lambda edges: Connectivity().insert(([1], [2])).insert(edges),
    "components_at": lambda edges: components_at(edges, thresholds=[1]),
}
SPENT = {
    "iterator": lambda: iter([]),
    "generator": lambda: (batch for batch in ()),
    "reader": lambda: NONE.to_reader(),
}


@each(find=FINDS, spent=SPENT)
def test_an_iterator_that_yields_nothing_is_told(find, spent):
    with pytest.warns(
        cc_rapids.CcRapidsWarning, match="may have been read before, yields no edges"
    ):
        FINDS[find](SPENT[spent]())


EMPTY_READS = {
    "forest of a reader": lambda path: maximum_spanning_forest(NONE.to_reader(), weight="weight"),
    "batch of a dataset": lambda path: Connectivity().insert(pads.dataset(path)),
    "queries of a file": lambda path: Connectivity().process(path, query=np.empty(0, bool)),
    "some rows of an open file": lambda path: components(
        io.BytesIO(path.read_bytes()), weight="weight", at_least=1
    ),
}


@pytest.mark.parametrize("read", EMPTY_READS.values(), ids=EMPTY_READS)
def test_reading_no_rows_warns(read, tmp_path):
    pq.write_table(NONE, tmp_path / "none.parquet")
    with pytest.warns(cc_rapids.CcRapidsWarning, match="no edges$"):
        read(tmp_path / "none.parquet")
