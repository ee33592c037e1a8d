"""Edges read in chunks whose ids have several columns: the same answers as from one frame."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
from support.as_lists import columns

import cc_rapids
from cc_rapids import components, stream_components
from cc_rapids.data import memory_budget
from cc_rapids.incremental.estimate import OFFSET_BYTES

SIDES = ["kind", "id"], ["other", "other_id"]
WORDS = np.array(["user", "card", "é", ""])


def edges(m=3000, seed=0):
    random = np.random.default_rng(seed)
    ids = random.integers(-600, 600, (2, m))
    words = WORDS[random.integers(0, WORDS.size, (2, m))]
    parts = [words[0], ids[0], words[1], ids[1].astype(np.int32)]
    return pa.table(dict(zip([*SIDES[0], *SIDES[1]], parts, strict=True)))


def in_parts(table, rows=700):
    return [table.slice(at, rows) for at in range(0, len(table), rows)]


def same(found, want):
    assert type(found.labels()) is type(want.labels())
    for name in ("labels", "sizes"):
        assert columns(getattr(found, name)()) == columns(getattr(want, name)())
    assert found.summary()["edges"] == want.summary()["edges"]


LIMIT = "36MiB"  # 32 MiB to read by, and chunks of some 2,000 edges or fewer


@pytest.mark.parametrize("labels", ["min", "size"])
def test_readers_and_datasets_and_iterables(labels, tmp_path):
    table = edges()
    want = components(table, *SIDES, labels=labels)
    for number, part in enumerate(in_parts(table)):
        pq.write_table(part, tmp_path / f"{number}.parquet", row_group_size=300)
    dataset = pyarrow.dataset.dataset(tmp_path)
    for stream in (dataset, table.to_reader(500), iter(in_parts(table)), in_parts(table)):
        same(components(stream, *SIDES, labels=labels, memory_limit=LIMIT), want)
    frame = table.to_pandas()
    frames = (frame[at : at + 900] for at in range(0, len(frame), 900))
    same(components(frames, *SIDES, labels=labels), components(frame, *SIDES, labels=labels))
    whole = stream_components(pl.from_arrow(table), *SIDES, labels=labels, memory_limit=LIMIT)
    same(whole, components(pl.from_arrow(table), *SIDES, labels=labels))


def test_one_column_in_a_list_is_one_column():
    table = pa.table({"a": [1], "b": [2]})
    assert components(iter([table]), ["a"], ["b"]).labels().column_names == ["vertex", "labels"]
    assert len(components(iter([table]), ["a"], ["b"], num_vertices=4)) == 3


def test_a_stream_that_fails_goes_on_where_it_was(tmp_path):
    table, path = edges(), tmp_path / "far"
    options = {"checkpoint": path, "checkpoint_every": 0}
    read = []

    def stream(broken):
        for number, part in enumerate(in_parts(table)):
            if broken and number == 3:
                raise OSError("disk")
            read.append(number)
            yield part

    with pytest.raises(OSError, match="disk"):
        components(stream(True), *SIDES, **options)
    assert len(cc_rapids.Connectivity.load(path)) > 0
    for _ in range(2):
        same(components(stream(False), *SIDES, **options), components(table, *SIDES))
    with pytest.raises(cc_rapids.InputError, match=r"to other inputs \(columns"):
        components(stream(False), ["kind", "id"], ["other_id", "other"], **options)
    with pytest.raises(cc_rapids.InputError, match=r"to other inputs \(columns"):
        components(stream(False), "kind", "other", **options)


def test_a_dataset_is_taken_up_in_the_middle_of_a_row_group(tmp_path, tuned):
    table = edges()
    pq.write_table(table, tmp_path / "one.parquet")
    dataset = pyarrow.dataset.dataset(tmp_path / "one.parquet")
    options = {"checkpoint": tmp_path / "far", "checkpoint_every": 0, "memory_limit": LIMIT}
    tuned(progress_call_seconds=0.0)

    def stop(facts):
        raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            components(dataset, *SIDES, progress=stop, **options)
    same(components(dataset, *SIDES, **options), components(table, *SIDES))


@pytest.mark.parametrize("named", [[("card", 7000), ("", 0)], pd.DataFrame({"p": ["x"], "q": [1]})])
def test_vertices_that_no_edge_names(named, tmp_path):
    table = edges(40)
    want = components(table, *SIDES, vertices=named)
    options = {"vertices": named, "checkpoint": tmp_path / "far"}
    for _ in range(2):
        same(components(iter([table]), *SIDES, **options), want)
    with pytest.raises(cc_rapids.InputError, match="to other inputs"):
        components(iter([table]), *SIDES, **(options | {"vertices": [("card", 7001)]}))


def test_nulls_are_refused_or_left_out():
    table = edges(40)
    holes = table.set_column(1, "id", pa.array([None, *table["id"].to_pylist()[1:]]))
    with pytest.raises(cc_rapids.NullsError, match="'id' has 1 null in 40 rows"):
        components(iter([holes]), *SIDES)
    found = components(iter([holes]), *SIDES, nulls="drop")
    same(found, components(holes, *SIDES, nulls="drop"))
    assert found.summary()["dropped"] == 1


@pytest.mark.filterwarnings("ignore:.* no edges")
def test_nothing_at_all_has_the_columns():
    none = edges(0)
    for stream in (iter([none]), none.to_reader(), pyarrow.dataset.dataset(none)):
        assert components(stream, *SIDES).labels().column_names == [
            *SIDES[0],
            "labels",
        ]


def test_what_cannot_be_streamed_is_said():
    table = edges(40)
    with pytest.raises(cc_rapids.InputError, match="num_vertices=9 is for ids of one column"):
        components(iter([table]), *SIDES, num_vertices=9)
    with pytest.raises(cc_rapids.InputError, match="names 2 columns and destination 1"):
        components(iter([table]), SIDES[0], ["other"])
    with pytest.raises(cc_rapids.InputError, match="are ids of one column, but the edges have 2"):
        components(iter([table]), *SIDES, vertices=range(3))
    with pytest.raises(cc_rapids.InputError, match="vertices cannot be a ndarray of shape"):
        components(iter([table]), *SIDES, vertices=np.array([1, 2]))
    with pytest.raises(cc_rapids.MissingColumnError, match="'kinds'"):
        components(iter([table]), ["kinds", "id"], SIDES[1])
    with pytest.raises(cc_rapids.CapacityError, match="raise it"):
        components(iter([table]), *SIDES, memory_limit="33MiB")


def test_the_plan_knows_how_many_columns_an_id_has(tmp_path):
    pq.write_table(edges(), tmp_path / "one.parquet")
    dataset = pyarrow.dataset.dataset(tmp_path / "one.parquet")
    options = {"memory_limit": "1GiB", "explain": True}
    one = stream_components(dataset, SIDES[0][0], SIDES[1][0], **options)  # strings, as in the two
    two = stream_components(dataset, *SIDES, **options)
    assert one.edges == two.edges == 3000
    text = two.id_bytes - 2 * (memory_budget.VERTEX["strings"] + memory_budget.PAIR)
    assert text > OFFSET_BYTES  # one of the columns holds strings
    assert one.id_bytes > memory_budget.VERTEX["strings"]


def test_sorted_row_groups_are_estimated(tmp_path):
    rows, path = np.arange(3000), tmp_path / "sorted.parquet"
    table = pa.table({"kind": rows % 7, "id": rows, "other": rows % 5, "other_id": rows % 3})
    pq.write_table(table, path, row_group_size=100)
    assert stream_components(path, *SIDES, explain=True).edges == 3000


def write_arrow(table, path):
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table, max_chunksize=300)


def write_tabs(table, path):
    pyarrow.csv.write_csv(table, path, pyarrow.csv.WriteOptions(delimiter="\t"))


WRITERS = {
    "parquet": lambda table, path: pq.write_table(table, path, row_group_size=300),
    "arrow": write_arrow,
    "csv": pyarrow.csv.write_csv,
    "tsv": write_tabs,
}


PAIR = "kind", "other"


def with_weight(table):
    """Words that are no nulls in text, and a column between that is no id."""
    words = {name: pa.array([word or "w" for word in table[name].to_pylist()]) for name in PAIR}
    for name, column in words.items():
        table = table.set_column(table.column_names.index(name), name, column)
    return table.add_column(1, "weight", pa.array(np.linspace(0, 1, len(table))))


@pytest.mark.parametrize("suffix", WRITERS)
def test_files(suffix, tmp_path):
    table = with_weight(edges())
    for number, part in enumerate(in_parts(table, 1700)):
        WRITERS[suffix](part, tmp_path / f"{number}.{suffix}")
    want = components(table, *SIDES)
    found = components(str(tmp_path / f"*.{suffix}"), *SIDES, memory_limit="120MiB")
    same(found, want)
    assert set(found.summary()["taken"][0]["columns"]) == {*SIDES[0], *SIDES[1]}
    one = components(tmp_path / f"0.{suffix}", *SIDES)
    same(one, components(table[:1700], *SIDES))
    with pytest.raises(cc_rapids.MissingColumnError, match="no column 'ids'"):
        components(tmp_path / f"0.{suffix}", ["kind", "ids"], SIDES[1])
    with pytest.raises(cc_rapids.ColumnTypeError, match="'weight'"):
        components(tmp_path / f"0.{suffix}", ["kind", "weight"], SIDES[1])


@pytest.mark.parametrize(("suffix", "limit"), [("parquet", LIMIT), ("csv", "51MiB")])
def test_a_file_is_taken_up_in_its_middle(suffix, limit, tmp_path, tuned):
    table, path = with_weight(edges(9000)), tmp_path / f"one.{suffix}"
    WRITERS[suffix](table, path)
    tuned(progress_call_seconds=0.0)
    options = {"checkpoint": tmp_path / "far", "checkpoint_every": 0, "memory_limit": limit}
    seen = []

    def stop(facts):
        seen.append(facts.edges)
        raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            components(path, *SIDES, progress=stop, **options)
    assert 0 < seen[0] < seen[1] < 9000
    same(components(path, *SIDES, **options), components(table, *SIDES))


@pytest.mark.filterwarnings("ignore:.* no edges")
def test_text_decides_for_each_column_of_an_id(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("t,a,b,w\n1,007,7,.5\n1,7,8,.5\n2,8,007,.5\n")
    found = components(path, ["t", "a"], ["t", "b"])
    assert columns(found.labels())[:2] == [[1, 1, 1, 2, 2], ["007", "7", "8", "007", "8"]]
    assert len(found) == 2
    (tmp_path / "b.csv").write_text("t,a,b\nx,1,2\n")
    found = components(str(tmp_path / "*.csv"), ["t", "a"], ["t", "b"])
    names = ["007", "7", "8", "007", "8", "1", "2"]
    assert columns(found.labels())[:2] == [[*"11122xx"], names]
    (tmp_path / "c.csv").write_text("t,a,b\n1,1,2.5\n")
    with pytest.raises(cc_rapids.ColumnTypeError, match=r"c\.csv, line 2: column 'b'"):
        components(tmp_path / "c.csv", ["t", "a"], ["t", "b"])
    (tmp_path / "none.csv").write_text("")
    assert columns(components(tmp_path / "none.csv", ["t", "a"], ["t", "b"]).labels()) == [[]] * 3


def test_files_whose_ids_are_numbers_of_one_column(tmp_path):
    np.savez(tmp_path / "a.npz", src=[1], dst=[2])
    with pytest.raises(cc_rapids.InputError, match="is npz, whose ids have one column"):
        components(tmp_path / "a.npz", ["src", "dst"], ["dst", "src"])
