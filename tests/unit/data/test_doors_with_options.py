"""What doors do beside options: found by the campaign's trial of doors."""

import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import cc_rapids
from cc_rapids import InputError

duckdb = pytest.importorskip("duckdb")
EDGES = pa.table({"src": ["a", "b", "d"], "dst": ["b", "c", "e"], "w": [0.9, 0.1, 0.8]})
BOUND = {"weight": "w", "at_least": 0.5}


@pytest.mark.parametrize("edges", [EDGES.to_batches()[0], EDGES])
def test_record_batches_within_bounds_are_as_tables(edges):
    for forest in (False, True, "min"):
        found = cc_rapids.components(edges, **BOUND, forest=forest)
        assert found.labels().to_pydict()["vertex"] == ["a", "b", "d", "e"]
    assert cc_rapids.bridges(edges, **BOUND)["row"].to_pylist() == [0, 2]


@pytest.mark.parametrize("made", [lambda table: table, ds.dataset, pa.Table.to_reader])
@pytest.mark.parametrize("forest", [False, "min"])
def test_an_end_of_the_edges_may_be_their_weight(made, forest):
    edges = made(pa.table({"src": [1, 5, 7], "dst": [2, 6, 8]}))
    found = cc_rapids.components(edges, weight="src", at_least=5, forest=forest)
    assert found.ledger["out_of_bounds"] == 1
    assert found.labels().to_pydict()["vertex"] == [5, 6, 7, 8]


@pytest.mark.parametrize("options", [{}, BOUND], ids=["all", "within"])
@pytest.mark.parametrize(
    "wrap", [lambda lazy: lazy, lambda lazy: [lazy, lazy], lambda lazy: iter([lazy])]
)
def test_lazy_frames_are_read_in_chunks(wrap, options):
    lazy = pl.from_arrow(EDGES).lazy()
    found = cc_rapids.stream_components(wrap(lazy), memory_limit="256MB", **options)
    times = 2 if isinstance(wrap(lazy), list) else 1
    left = found.ledger.get("out_of_bounds", 0)
    assert (found.ledger["given"], left) == (3 * times, len(options) // 2 * times)


def test_row_groups_without_rows_of_text_are_no_error(tmp_path):
    path = tmp_path / "e.parquet"
    with pq.ParquetWriter(path, EDGES.schema) as out:
        for rows in (EDGES[:0], EDGES, EDGES[:0]):
            out.write_table(rows)
    found = cc_rapids.stream_components(path, memory_limit="256MB")
    assert found.ledger == {"given": 3, "linked": 3}


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_a_first_line_of_empty_fields_is_an_edge_with_null_ends(tmp_path, suffix):
    path, cut = tmp_path / f"e.{suffix}", "," if suffix == "csv" else "\t"
    path.write_text(f"\n{cut}{cut}\n1{cut}2{cut}3\n")
    found = cc_rapids.components(path, header=False, nulls="drop")
    assert found.ledger == {"given": 3, "linked": 1, "null_end": 1, "blank": 1}


@pytest.mark.parametrize(
    "options",
    [{}, {"forest": True}, {"weight": "w", "forest": "min"}, {"weight": "w", "at_least": 0}],
)
def test_integers_with_nulls_stay_integers_in_pandas(tmp_path, options):
    large = 2**53 + 1
    table = {"src": [1, None, large], "dst": [2, 3, large - 1], "w": [large, 5, None]}
    pq.write_table(pa.table(table), tmp_path / "e.parquet")
    found = cc_rapids.components(tmp_path / "e.parquet", frames="pandas", nulls="drop", **options)
    assert isinstance(found.labels(), pd.DataFrame)
    some = [1, 2] if "weight" in options else [1, 2, large - 1, large]
    assert found.labels()["vertex"].tolist() == some


@pytest.mark.parametrize("make", [lambda: EDGES, lambda: duckdb.from_arrow(EDGES)])
def test_options_of_files_are_refused_beside_weights_too(make):
    for options in ({"forest": "min", "weight": "w"}, BOUND, {}):
        with pytest.raises(InputError, match="frames= is for files"):
            cc_rapids.components(make(), frames="pandas", **options)
        with pytest.raises(InputError, match=r"header= \(--header\) applies only to text files"):
            cc_rapids.components(make(), header=True, **options)


def test_columns_of_a_mapping_have_weights_in_chunks():
    edges = {"src": [1, 2, 4], "dst": [2, 3, 5], "w": [0.9, 0.1, 0.8]}
    found = cc_rapids.stream_components(edges, **BOUND)
    assert found.ledger == {"given": 3, "linked": 2, "out_of_bounds": 1}
    with pytest.raises(cc_rapids.MissingColumnError, match="'v'"):
        cc_rapids.stream_components(edges, weight="v", at_least=1)


@pytest.mark.filterwarnings("ignore:.* no edges")
def test_empty_text_and_readers_have_all_weights(tmp_path):
    (tmp_path / "e.tsv").write_text("")
    found = cc_rapids.components(tmp_path / "e.tsv", header=False, weight="col2", at_least=1)
    assert found.ledger == {"given": 0, "linked": 0}
    found = cc_rapids.components(EDGES[:0].to_reader(), **BOUND)
    assert (found.ledger["given"], found.ledger["linked"]) == (0, 0)


def files(folder):
    for k in range(3):
        pq.write_table(EDGES[k : k + 1], folder / f"{k}.parquet")
    return sorted(folder.glob("*.parquet"))


STREAMS = {
    "folder": lambda folder: files(folder)[0].parent,
    "pattern": lambda folder: f"{files(folder)[0].parent}/*.parquet",
    "paths": files,
    "dataset": lambda folder: ds.dataset(files(folder)[0].parent),
    "reader": lambda folder: EDGES.to_reader(2),
    "relation": lambda folder: duckdb.from_arrow(EDGES),
}


@pytest.mark.parametrize("kind", STREAMS)
def test_rows_of_files_are_numbered_in_all_of_them(kind, tmp_path):
    def rows(frame):
        frame = frame.to_arrow_table() if kind == "relation" else frame
        return np.asarray(frame["row"]).tolist()

    bounded = cc_rapids.bridges(STREAMS[kind](tmp_path), **BOUND)
    assert (type(bounded).__name__ == "DuckDBPyRelation") == (kind == "relation")
    assert rows(bounded) == [0, 2]
    if kind != "relation":
        as_pandas = cc_rapids.bridges(STREAMS[kind](tmp_path), **BOUND, frames="pandas")
        assert as_pandas["row"].tolist() == [0, 2]
    for forest in (True, "min", "max"):
        weight = {} if forest is True else {"weight": "w"}
        found = cc_rapids.components(STREAMS[kind](tmp_path), forest=forest, **weight)
        assert rows(found.forest()) == [0, 1, 2]
        found = cc_rapids.components(STREAMS[kind](tmp_path), forest=forest, **BOUND)
        assert rows(found.forest()) == [0, 2]
    with pytest.raises(InputError):
        cc_rapids.components(STREAMS[kind](tmp_path), forest=True, memory_limit="1GB")


def test_files_of_other_types_are_refused_where_all_rows_are_needed(tmp_path):
    paths = files(tmp_path)
    pq.write_table(pa.table({"src": [1], "dst": [2], "w": [0.5]}), paths[1])
    with pytest.raises(InputError, match="columns of different types"):
        cc_rapids.components(paths, forest="min", weight="w")


@pytest.mark.parametrize(
    "function",
    [
        *("bridges", "two_edge_connected_components", "articulation_points", "bipartition"),
        "biconnected_component_edges",
    ],
)
def test_what_reads_edges_twice_refuses_chunks_before_it_reads(function):
    with pytest.raises(InputError, match="memory_limit= reads edges in chunks"):
        getattr(cc_rapids, function)(EDGES, memory_limit="1KiB")


@pytest.mark.parametrize("options", [{"thresholds": [5]}, {"thresholds": [0], "num_vertices": 9}])
def test_an_error_at_thresholds_leaves_the_connection_of_a_relation_free(options):
    rows = np.arange(20_000)
    weight = pa.array(rows, mask=rows == 5000)
    with duckdb.connect() as connection:
        edges = connection.from_arrow(pa.table({"src": rows, "dst": rows, "weight": weight}))
        with pytest.raises(InputError) as held:
            cc_rapids.components_at(edges, **options)
        assert connection.sql("select 1").fetchall() == [(1,)], held


def test_an_open_file_has_thresholds():
    data = io.BytesIO(b"src,dst,weight\n1,2,0.5\n2,3,0.1\n")
    cuts = cc_rapids.components_at(data, thresholds=[0.2])
    assert cuts.labels(0.2)["labels"].to_pylist() == [1, 1, 3]
