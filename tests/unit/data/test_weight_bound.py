"""Edges within a bound of their weight, in every form that edges have."""

import datetime
import io
import operator

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

import cc_rapids
from cc_rapids.data.frame_access import column_of
from cc_rapids.data.memory_budget import Budget
from cc_rapids.data.read import source_of
from cc_rapids.data.streams import Cursor
from cc_rapids.errors import CheckpointError, ColumnTypeError, InputError, MissingColumnError

duckdb = pytest.importorskip("duckdb")
FRAME = pd.DataFrame(
    {
        "src": [1, 2, 3, 5, 7, 8],
        "dst": [2, 3, 4, 6, 8, 9],
        "score": np.array([0.9, 0.8, 0.1, 0.85, np.nan, 0.7]),
    }
)
KEPT = [1, 2, 3, 5, 6]


def files(folder, write):
    for k in range(2):
        write(FRAME.iloc[3 * k : 3 * k + 3], folder / f"{k}")
    return folder


def parquet(folder):
    return files(
        folder, lambda rows, path: rows.to_parquet(path.with_suffix(".parquet"), index=False)
    )


def csv(folder):
    return files(
        folder,
        lambda rows, path: rows.to_csv(path.with_suffix(".csv"), index=False, na_rep="nan"),
    )


FORMS = {
    "pandas": lambda folder: FRAME,
    "polars": lambda folder: pl.from_pandas(FRAME),
    "lazy": lambda folder: pl.from_pandas(FRAME).lazy(),
    "pyarrow": lambda folder: pa.Table.from_pandas(FRAME),
    "duckdb": lambda folder: duckdb.from_arrow(pa.Table.from_pandas(FRAME)),
    "reader": lambda folder: pa.Table.from_pandas(FRAME).to_reader(2),
    "batches": lambda folder: iter([FRAME[:2], FRAME[2:]]),
    "list": lambda folder: [FRAME[:2], FRAME[2:]],
    "Parquet folder": parquet,
    "Parquet pattern": lambda folder: f"{parquet(folder)}/*.parquet",
    "Parquet file": lambda folder: parquet(folder) / "0.parquet",
    "dataset": lambda folder: ds.dataset(parquet(folder)),
}


@pytest.mark.parametrize("form", FORMS)
def test_edges_below_are_left_out_with_their_vertices(form, tmp_path):
    found = cc_rapids.components(FORMS[form](tmp_path), weight="score", at_least=0.8)
    kept = [1, 2, 3] if form == "Parquet file" else KEPT
    assert np.asarray(column_of(found.labels(), "vertex")).tolist() == kept
    assert found.summary()["edges"] == (2 if form == "Parquet file" else 3)


def test_files_of_text(tmp_path):
    folder = csv(tmp_path)
    (folder / "1.csv").write_text("src,dst,score\n5,6,.85\n8,9,.7\n")
    found = cc_rapids.components(folder, weight="score", at_least=0.8)
    assert found.labels()["vertex"].to_pylist() == KEPT
    (taken,) = found.summary()["taken"]
    assert (taken["format"], taken["columns"]) == ("csv", ["src", "dst"])


@pytest.mark.parametrize("to", [np.asarray, list, pd.Series, pl.Series])
def test_pairs_have_an_array_of_weights(to):
    pair = to(FRAME["src"].to_numpy()), to(FRAME["dst"].to_numpy())
    found = cc_rapids.components(pair, weight=FRAME["score"].to_numpy(), at_least=0.8)
    assert (
        np.asarray(
            found.labels().vertex if hasattr(found.labels(), "vertex") else found.labels()["vertex"]
        ).tolist()
        == KEPT
    )


def test_both_bounds_and_floats_of_32_bits():
    frame = FRAME.assign(score=FRAME["score"].astype(np.float32))
    for form in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        found = cc_rapids.components(form, weight="score", at_least=0.7, at_most=0.8)
        assert np.asarray(found.labels()["vertex"]).tolist() == [2, 3, 8, 9]


def test_streams_take_bounds_too(tmp_path):
    found = cc_rapids.stream_components(
        parquet(tmp_path), weight="score", at_least=0.8, memory_limit="64MiB"
    )
    assert found.labels()["vertex"].to_pylist() == KEPT


@pytest.mark.parametrize("form", ["Parquet folder", "dataset", "batches", "reader", "text"])
def test_progress_tells_how_many_were_kept_of_how_many(form, tmp_path):
    told = []
    edges = FORMS[form](tmp_path) if form != "text" else csv(tmp_path)
    if form == "text":
        (edges / "1.csv").write_text("src,dst,score\n5,6,.85\n7,8,.1\n8,9,.7\n")
    bound = {"weight": "score", "at_least": 0.8}
    cc_rapids.components(edges, **bound, progress=told.append)
    assert (told[-1].edges, told[-1].rows, told[-1].total) == (3, 6, None)
    assert str(told[-1]).startswith("3 edges kept of 6, ")
    assert told[-1].short.startswith("3 of 6 edges, ")
    cc_rapids.components(iter([FRAME]), progress=told.append)
    assert told[-1].rows is None


def test_row_groups_without_such_edges_are_not_read(tmp_path, monkeypatch):
    path = tmp_path / "edges.parquet"
    table = pa.table({"src": [1, 2, 3, 4], "dst": [2, 3, 4, 5], "w": [0.1, 0.2, 0.8, 0.9]})
    pq.write_table(table, path, row_group_size=2)
    whole = path.read_bytes()
    group = pq.ParquetFile(path).metadata.row_group(0)
    damaged = bytearray(whole)
    for k in range(3):
        column = group.column(k)
        first = column.dictionary_page_offset or column.data_page_offset
        damaged[first : first + column.total_compressed_size] = b"\xff" * (
            column.total_compressed_size
        )
    path.write_bytes(bytes(damaged))
    found = cc_rapids.components(path, weight="w", at_least=0.5)
    assert found.labels()["vertex"].to_pylist() == [3, 4, 5]


def test_a_field_of_a_struct_may_have_the_name_of_the_weights(tmp_path):
    path = tmp_path / "edges.parquet"
    low = pa.array([{"w": 0.1}] * 2)  # its path in the file is m.w
    table = pa.table({"src": [1, 2], "dst": [2, 3], "m.w": [0.5, 0.9], "m": low})
    pq.write_table(table, path)
    found = cc_rapids.components(path, weight="m.w", at_least=0.6)
    assert found.labels()["vertex"].to_pylist() == [2, 3]


def test_what_cannot_be_bounded_is_refused(tmp_path):
    components = cc_rapids.components
    with pytest.raises(InputError, match="pass one of them"):
        components(FRAME, weight="score")
    with pytest.raises(InputError, match="pass weight='its column'"):
        components(FRAME, at_least=1)
    with pytest.raises(InputError, match="at_least= must be a number, not nan"):
        components(FRAME, weight="score", at_least=float("nan"))
    with pytest.raises(InputError, match=r"must be a number, not a datetime: .*dataset.*filter"):
        components(FRAME, weight="score", at_least=datetime.datetime(2024, 1, 2))
    with pytest.raises(InputError, match="at_most= must be a number, not 'x'"):
        components(FRAME, weight="score", at_most="x")
    with pytest.raises(MissingColumnError, match="'scor'"):
        components(FRAME, weight="scor", at_least=1)
    with pytest.raises(MissingColumnError, match="'scor'"):
        components(parquet(tmp_path), weight="scor", at_least=1)
    with pytest.raises(ColumnTypeError, match="must be numbers, but these are String"):
        components(FRAME.assign(score="a"), weight="score", at_least=1)
    with pytest.raises(InputError, match="the edges are a tuple, which has no columns"):
        components((FRAME["src"].to_numpy(), FRAME["dst"].to_numpy()), weight="score", at_least=1)
    pair = FRAME["src"].to_numpy(), FRAME["dst"].to_numpy()
    with pytest.raises(InputError, match="2 weights and 6 edges"):
        components(pair, weight=[1.0, 2.0], at_least=1)
    with pytest.raises(MissingColumnError, match=r"'score'.* one of dst, src, weight"):
        components(sp.eye(3), weight="score", at_least=1)


def test_the_plan_of_a_bounded_stream_knows_the_kind_of_ids(tmp_path):
    plan = cc_rapids.stream_components(
        parquet(tmp_path), weight="score", at_least=0.8, explain=True
    )
    assert (plan.ids, plan.edges, plan.bounded) == ("integers", 6, True)


FORMS_OF_STREAMS = {
    "parquet": (parquet, lambda folder: folder),
    "text": (csv, lambda folder: folder),
    "dataset": (parquet, ds.dataset),
    "items": (parquet, lambda folder: iter([FRAME[:3], FRAME[3:]])),
    "frame": (parquet, lambda folder: FRAME),
}


@pytest.mark.parametrize("form", FORMS_OF_STREAMS)
def test_checkpoints_hold_the_bound(form, tmp_path, tuned):
    tuned(progress_call_seconds=0.0)
    options = {"weight": "score", "checkpoint": tmp_path / "far.ckpt"}
    folder = tmp_path / "edges"
    folder.mkdir()
    write, given = FORMS_OF_STREAMS[form]
    write(folder)
    if form == "text":
        (folder / "1.csv").write_text("src,dst,score\n5,6,.85\n8,9,.7\n")

    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cc_rapids.components(given(folder), at_least=0.8, progress=stop, **options)
    for other in ({"at_least": 0.7}, {"at_most": 0.8}, {"at_least": 0.8, "at_most": 9}):
        with pytest.raises(CheckpointError, match=r"other inputs \(weight: "):
            cc_rapids.components(given(folder), **other, **options)
    with pytest.raises(CheckpointError, match="other inputs"):
        cc_rapids.components(given(folder), checkpoint=options["checkpoint"])
    for _ in range(2):
        found = cc_rapids.components(given(folder), at_least=0.8, **options)
        assert np.asarray(found.labels()["vertex"]).tolist() == KEPT
        assert (found.summary()["edges"], len(found)) == (3, 2)
        assert found.summary()["resumed"]


@pytest.mark.parametrize("form", ["Parquet", "text", "bytes of Parquet", "bytes of text"])
def test_edges_without_a_weight_are_left_out_of_every_file(form, tmp_path):
    """Those whose weight is null in Parquet, or an empty field of text."""
    edges = pa.table({"src": [1, 2, 3, 5], "dst": [2, 3, 4, 6], "w": [0.9, None, 0.95, 0.1]})
    path = tmp_path / ("edges.csv" if "text" in form else "edges.parquet")
    (pa.csv.write_csv if "text" in form else pq.write_table)(edges, path)
    given = io.BytesIO(path.read_bytes()) if "bytes" in form else str(path)
    found = cc_rapids.components(given, "src", "dst", weight="w", at_least=0.8).labels()
    assert found.to_pydict() == {"vertex": [1, 2, 3, 4], "labels": [1, 1, 3, 3]}


def test_a_weight_of_text_that_is_no_number_is_named(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("src,dst,w\n1,2,.9\n2,3,\n3,4,high\n")
    message = "line 4: expected a number as weight in field 3, found 'high' in '3,4,high'"
    with pytest.raises(cc_rapids.FormatError, match=message):
        cc_rapids.components(str(path), "src", "dst", weight="w", at_least=0.8)


EDGE = 2**53
WHOLE = [EDGE - 1, EDGE, EDGE + 1, EDGE + 2, 2**63 - 1]
INTEGERS = pd.DataFrame({"src": range(5), "dst": range(10, 15), "w": WHOLE})
UNSIGNED = INTEGERS.astype({"w": "uint64"})


def to_parquet(folder):
    INTEGERS.to_parquet(folder / "e.parquet")
    return folder / "e.parquet"


def to_csv(folder):
    INTEGERS.to_csv(folder / "e.csv", index=False)
    return folder / "e.csv"


def to_npz(folder):
    np.savez(folder / "e.npz", **{name: INTEGERS[name].to_numpy() for name in INTEGERS})
    return folder / "e.npz"


def relation(kind):
    return duckdb.from_arrow(pa.Table.from_pandas(INTEGERS)).project(f"src, dst, w::{kind} as w")


WAYS_IN = {
    "pandas": lambda _: INTEGERS,
    "pandas, nullable": lambda _: INTEGERS.convert_dtypes(),
    "pandas, Arrow": lambda _: UNSIGNED.convert_dtypes(dtype_backend="pyarrow"),
    "Polars": lambda _: pl.from_pandas(UNSIGNED),
    "Polars, lazy": lambda _: pl.from_pandas(INTEGERS).lazy(),
    "Polars, 128 bits": lambda _: pl.from_pandas(INTEGERS).with_columns(
        pl.col("w").cast(pl.Int128)
    ),
    "PyArrow": lambda _: pa.Table.from_pandas(INTEGERS),
    "PyArrow, unsigned": lambda _: pa.Table.from_pandas(UNSIGNED),
    "mapping": lambda _: dict(INTEGERS.items()),
    "Parquet": to_parquet,
    "csv": to_csv,
    "npz": to_npz,
    "dataset": lambda folder: ds.dataset(to_parquet(folder)),
    "DuckDB": lambda _: relation("bigint"),
    "DuckDB, unsigned": lambda _: relation("ubigint"),
    "DuckDB, 128 bits": lambda _: relation("hugeint"),
}
BOUNDS = [
    *(float(2**63), float(EDGE), EDGE + 1, np.float32(EDGE), np.float64(EDGE + 2), EDGE + 0.5),
    *(np.inf, -np.inf, 10**400, -(10**400), 2**64, np.uint64(2**63), -0.5, 0.5),
]


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS_IN)
def test_integer_weights_are_compared_as_integers(way, tmp_path):
    edges = WAYS_IN[way](tmp_path)
    for bound in BOUNDS:
        limit = bound.item() if isinstance(bound, np.generic) else bound
        for name, within in (("at_least", operator.ge), ("at_most", operator.le)):
            wanted = [weight for weight in WHOLE if within(weight, limit)]  # exact in Python
            found = cc_rapids.components(edges, "src", "dst", weight="w", **{name: bound})
            assert len(found) == len(wanted), (name, bound)
            if "128 bits" in way:  # which components_at() refuses, or reads as floats
                continue
            cuts = cc_rapids.components_at(edges, weight="w", thresholds=[bound], direction=name)
            assert 2 * len(WHOLE) - len(cuts.at(bound)) == len(wanted), (name, bound)


def test_an_integer_bound_between_two_floats_is_not_rounded():
    edges, weight = ([1, 2], [3, 4]), np.array([float(EDGE), EDGE + 2.0])
    assert len(cc_rapids.components(edges, weight=weight, at_least=EDGE + 1)) == 1
    assert len(cc_rapids.components(edges, weight=weight, at_most=EDGE + 1)) == 1
    cuts = cc_rapids.components_at(edges, weight=weight, thresholds=[EDGE + 1, 0.5])
    assert [len(cut) for cut in map(cuts.at, (EDGE + 1, 0.5))] == [3, 2]


def test_an_array_of_edges_has_bounds_too():
    edges = np.array([[1, 2], [3, 4], [5, 6]])
    assert len(cc_rapids.components(edges, weight=np.array([1, 2, 3]), at_least=1.5)) == 2


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("bounded", [False, True])
def test_every_row_is_linked_whatever_the_size_of_chunks(seed, bounded, tmp_path):
    rng = np.random.default_rng(seed)
    ids = 3000
    kept = []
    for k in range(3):
        src, dst = rng.integers(0, ids, (2, 800))
        score = rng.random(800)
        kept.append((src[score >= 0.3], dst[score >= 0.3]) if bounded else (src, dst))
        table = pa.table({"src": src, "dst": dst, "score": score})
        pq.write_table(table, tmp_path / f"{k}.parquet", row_group_size=int(rng.integers(50, 800)))
    src, dst = (np.concatenate(side) for side in zip(*kept, strict=True))
    dataset = ds.dataset(tmp_path)
    if bounded:
        dataset = dataset.filter(ds.field("score") >= 0.3)
    source, budget = source_of(dataset, "src", "dst"), Budget(1 << 30, 0, rows=700)
    read = []
    for chunk in source.read(Cursor(), budget, None):
        assert len(chunk.frame) <= 700
        read.append(chunk.frame)
        budget.rows = int(rng.integers(1, 700))  # other chunks while a batch is in slices
    assert len(read) > 3
    table = pa.concat_tables(read)
    assert table["src"].to_pylist() == src.tolist()
    assert table["dst"].to_pylist() == dst.tolist()


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()], ids=str)
def test_every_door_compares_floats_with_a_bound_in_their_own_type(tmp_path, kind):
    """Of 32 bits 0.9 is less than 0.9 of 64 bits; all of them read `at_least=0.9` as their own."""
    weights = pa.array(np.array([0.9, 0.8, np.nan], kind.to_pandas_dtype()))
    table = pa.table({"src": [1, 2, 3], "dst": [2, 3, 4], "w": weights})
    pq.write_table(table, path := tmp_path / "edges.parquet")
    for edges in (table, table.to_pandas(), path, ds.dataset(path), ds.dataset(table)):
        for how in ({}, {"forest": True}, {"forest": "min"}, {"memory_limit": "64 MB"}):
            found = cc_rapids.components(edges, weight="w", at_least=0.9, **how)
            assert found.ledger["linked"] == 1, (type(edges), how)
            assert len(found.path(1, 2, edges, shortest=True)["row"]) == 1
        cut = cc_rapids.components_at(edges, weight="w", thresholds=[0.9], nulls="drop").at(0.9)
        assert cut.ledger["linked"] == 1


def test_integers_of_text_beside_nan_stay_integers(tmp_path):
    (tmp_path / "a.csv").write_text(
        "src,dst,w\n1,2,9007199254740993\n2,3,nan\n4,5,9007199254740992\n"
    )
    rows = {"given": 3, "linked": 1, "null_weight": 1, "out_of_bounds": 1}
    for options in ({}, {"forest": "min"}, {"memory_limit": "200MB"}):
        found = cc_rapids.components(tmp_path / "a.csv", weight="w", at_most=2**53, **options)
        assert found.ledger == rows


def test_forests_of_categories_that_repeat_a_string():
    frame = pd.DataFrame({"src": ["a", "a", "a"], "dst": ["b", "c", "d"]}).astype("category")
    forest = cc_rapids.spanning_forest(frame)
    assert forest["source"].tolist() == ["a", "a", "a"]


def test_a_column_of_weights_that_is_there_twice():
    frame = pd.DataFrame([[1, 2, 0.3, 0.4]], columns=["src", "dst", "w", "w"])
    for solve in (cc_rapids.components, cc_rapids.stream_components):
        with pytest.raises(InputError, match="2 columns are called 'w'"):
            solve(frame, weight="w", at_least=0.4)


@pytest.mark.parametrize("form", FORMS)
def test_a_bound_that_leaves_out_every_edge_is_warned_of(form, tmp_path):
    edges = FORMS[form](tmp_path)
    with pytest.warns(cc_rapids.CcRapidsWarning, match="at_least=72 leaves out every") as caught:
        assert not len(cc_rapids.components(edges, weight="score", at_least=72))
    assert len(caught) == 1


@pytest.mark.parametrize("form", ["pandas", "polars", "lazy", "pyarrow", "duckdb"])
def test_an_unknown_column_is_named_before_a_missing_bound(form, tmp_path):
    edges = FORMS[form](tmp_path)
    for names in (("src", "dts", "score"), ("src", "dst", "scor")):
        with pytest.raises(MissingColumnError, match=r"did you mean '(dst|score)'"):
            cc_rapids.components(edges, *names[:2], weight=names[2])
    with pytest.raises(InputError, match="weight= needs a bound"):
        cc_rapids.components(edges, "src", "dst", weight="score")


def test_rows_outside_a_filter_are_counted_apart_from_those_outside_a_bound(tmp_path):
    """Row groups of two rows: the filter excludes the first, the bound the second."""
    path = tmp_path / "edges.parquet"
    table = pa.table({"src": range(6), "dst": range(6), "day": range(6), "w": [9, 9, 0, 0, 0, 9]})
    pq.write_table(table, path, row_group_size=2)
    edges = ds.dataset(path).filter(ds.field("day") >= 2)
    for read in (cc_rapids.components, cc_rapids.stream_components):
        ledger = read(edges, weight="w", at_least=5).ledger
        want = {"filtered": 2, "row_group": 2, "out_of_bounds": 1}
        assert ledger == {"given": 6, "linked": 1, **want}


def test_a_column_may_be_named_by_an_integer(tmp_path):
    """As in frames of pandas that are read without a header."""
    frame = pd.DataFrame({0: [1, 2, 5], 1: [2, 3, 6], 2: [0.1, 0.2, 0.3]})
    found = cc_rapids.components(frame, 0, 1, weight=2, at_least=0.2)
    assert found.labels()["vertex"].tolist() == [2, 3, 5, 6]
    found.save(tmp_path / "found")
    loaded = cc_rapids.Components.load(tmp_path / "found")
    assert loaded.audit(frame, 0, 1).edges == 2
    assert len(cc_rapids.maximum_spanning_forest(frame, 0, 1, weight=2)) == 3
    with pytest.raises(cc_rapids.MissingColumnError, match="unknown column 3"):
        cc_rapids.components(frame, 0, 1, weight=3, at_least=0.2)
    with pytest.raises(cc_rapids.MissingColumnError, match="weight=2 names a column"):
        cc_rapids.components(([1], [2]), weight=2, at_least=0.2)


def test_bounds_in_the_wrong_order_are_named():
    frame = pd.DataFrame({"src": [1], "dst": [2], "w": [0.5]})
    says = r"at_least=0.9 and at_most=0.1 leave out every edge \(1\): no weight is within both"
    with pytest.warns(cc_rapids.CcRapidsWarning, match=says):
        assert len(cc_rapids.components(frame, weight="w", at_least=0.9, at_most=0.1)) == 0
