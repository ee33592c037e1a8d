"""Columns and headers of files: decided alike at every door, and said in the answer."""

import functools
import itertools

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from support.edge_files import read_edges
from support.releases import before

import cc_rapids
from cc_rapids import FormatError, InputError, MissingColumnError

RENAMED = pa.table({"weight": [7, 8, 9], "src": [1, 2, 4], "target": [2, 3, 5]})
LINKED = pa.table(
    {
        "match_weight": [9.5, 8.25, 1.0],
        "match_probability": [0.9, 0.8, 0.5],
        "unique_id_l": [1, 2, 4],
        "unique_id_r": [2, 3, 5],
    }
)
WRITERS = {
    "csv": pyarrow.csv.write_csv,
    "tsv": lambda table, path: pyarrow.csv.write_csv(
        table, path, pyarrow.csv.WriteOptions(delimiter="\t")
    ),
    "parquet": pq.write_table,
    "arrow": lambda table, path: pyarrow.feather.write_feather(table, path, "uncompressed"),
}


def inserted(path, *names, **options):
    return cc_rapids.Connectivity().insert(path, *names, **options).components()


def audited(path, source=None, destination=None, **options):
    vertex = [1, 2, 3, 4, 5]
    found = cc_rapids.components(([1, 2, 4], [2, 3, 5]), vertices=vertex)
    found.audit(path, source, destination, **options)
    return found


def labelled(path, *names, **options):
    options = {"source": names[0], "destination": names[1]} if names else options
    return cc_rapids.connected_components(path, **options)


def at_a_threshold(path, *names, **options):
    options |= {"weight": options.pop("weight", "weight"), "thresholds": [0]}
    return cc_rapids.components_at(path, *names, **options).at(0)


def dataset(path, *names, **options):
    kind = {"tsv": "csv"}.get(path.suffix[1:], path.suffix[1:])
    kind = "feather" if kind == "arrow" else kind
    return cc_rapids.components(pyarrow.dataset.dataset(path, format=kind), *names, **options)


DOORS = {
    "components": cc_rapids.components,
    "spanning_forest": functools.partial(cc_rapids.components, forest=True),
    "pattern": lambda path, *names, **o: cc_rapids.components(f"{path}*", *names, **o),
    "list": lambda path, *names, **o: cc_rapids.components([path], *names, **o),
    "stream": cc_rapids.stream_components,
    "in chunks": functools.partial(cc_rapids.components, memory_limit="150MiB"),
    "explained": functools.partial(cc_rapids.components, explain=True),
    "plan of a stream": functools.partial(cc_rapids.stream_components, explain=True),
    "batch": inserted,
    "audit": audited,
    "audit in memory": functools.partial(audited, oracle="scipy"),
    "labels": labelled,
    "read_edges": lambda path, *n, **o: read_edges(
        path, **dict(zip(("source", "destination"), n, strict=False)), **o
    ),
}


def vertices(found):
    frame = found if hasattr(found, "column_names") else found.labels()
    column = frame["vertex"] if hasattr(frame, "column_names") else frame.vertex
    return column.to_pylist() if hasattr(column, "to_pylist") else list(column)


@pytest.fixture
def write(tmp_path):
    def written(kind, table, name="edges"):
        path = tmp_path / f"{name}.{kind}"
        WRITERS[kind](table, path)
        return path

    return written


@pytest.mark.parametrize(
    ("door", "kind"),
    [
        (door, kind)
        for door, kind in itertools.product(DOORS, WRITERS)
        if kind == "parquet" or door != "plan of a stream"  # which reads nothing but metadata
    ],
)
def test_a_name_that_is_given_is_never_left_aside(write, door, kind):
    path = write(kind, RENAMED)
    for names in (
        ("src", "dst"),
        ("source", "target"),
        ("src", None),
        (None, None),
        ("who", "target"),
    ):
        with pytest.raises(MissingColumnError) as caught:
            DOORS[door](path, *names)
        assert "weight, src, target" in str(caught.value)
        assert "edges." in str(caught.value)
        assert len(str(caught.value)) < 600
    found = DOORS[door](path, "src", "target")
    if hasattr(found, "labels"):
        assert vertices(found) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("door", ["components", "pattern", "list", "stream", "batch", "labels"])
def test_scores_are_no_ends_of_edges(write, door, kind):
    assert vertices(DOORS[door](write(kind, LINKED))) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("kind", WRITERS)
def test_one_renamed_file_among_several(write, kind):
    write(kind, RENAMED.rename_columns(["weight", "src", "dst"]), "a")
    renamed = write(kind, RENAMED, "b")
    pattern = str(renamed).replace("b.", "?.")
    for names in ((), ("src", "dst"), ("src", None)):
        doors = cc_rapids.components, cc_rapids.stream_components, at_a_threshold
        for door in doors if None not in names and names else doors[:2]:  # that know no weights
            with pytest.raises(MissingColumnError, match=r"b\..*has weight, src, target"):
                door(pattern, *names)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_datasets_are_read_as_files_are(write, kind):
    assert vertices(dataset(write(kind, LINKED))) == [1, 2, 3, 4, 5]
    path = write(kind, RENAMED)
    for names in (("src", "dst"), ("src", None), ()):
        with pytest.raises(MissingColumnError, match="it has weight, src, target"):
            dataset(path, *names)
    assert vertices(dataset(path, weight="weight", at_least=8)) == [2, 3, 4, 5]
    assert dataset(path, "src", "target").summary()["taken"][0]["columns"] == ["src", "target"]


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
@pytest.mark.parametrize("filtered", [False, True])
def test_a_file_of_a_dataset_that_lacks_a_column_is_no_file_of_nulls(
    tmp_path, write, kind, filtered
):
    write(kind, RENAMED.rename_columns(["weight", "src", "dst"]), "a")
    write(kind, RENAMED, "b")
    data = pyarrow.dataset.dataset(tmp_path, format="feather" if kind == "arrow" else kind)
    data = data.filter(pyarrow.dataset.field("src") > 0) if filtered else data
    for nulls, names in itertools.product(("raise", "drop"), ((), ("src", "dst"))):
        with pytest.raises(MissingColumnError, match=r"b\..*'dst'.*weight, src, target"):
            cc_rapids.components(data, *names, nulls=nulls)
    with pytest.raises(MissingColumnError, match=r"b\..*'dst'.*weight, src, target"):
        at_a_threshold(data, nulls="drop")


def test_a_column_may_be_in_the_paths_of_a_dataset(tmp_path):
    for k in (1, 2):
        (tmp_path / f"src={k}").mkdir()
        pq.write_table(pa.table({"dst": [k + 1]}), tmp_path / f"src={k}" / "0.parquet")
    data = pyarrow.dataset.dataset(tmp_path, partitioning="hive")
    assert vertices(cc_rapids.components(data)) == [1, 2, 3]
    assert vertices(cc_rapids.components(data.filter(pyarrow.dataset.field("dst") > 2))) == [2, 3]


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("door", ["components", "stream", "batch", "audit"])
def test_the_key_of_a_folder_is_not_left_aside(tmp_path, door, kind):
    folder = tmp_path / "src=1"
    folder.mkdir()
    WRITERS[kind](pa.table({"dst": [2, 3], "x": [7, 8]}), folder / f"0.{kind}")
    for names in ((), ("src",)):
        with pytest.raises(MissingColumnError, match=r"'src' as the key of .*partitioning='hive'"):
            DOORS[door](tmp_path, *names)
    if door != "audit":
        assert vertices(DOORS[door](tmp_path, source="dst", destination="x")) == [2, 3, 7, 8]


def test_keys_of_folders_may_be_datasets_weights_or_above_files_without_a_header(tmp_path):
    cases = {
        "source_dataset_l=a/source_dataset_r=b": pa.table({"unique_id_l": [1], "unique_id_r": [2]}),
        "score=1": pa.table({"src": [1], "dst": [2]}),
        "year=2024": pa.table({"a": [1], "b": [2]}),
    }
    for folder, table in cases.items():
        (tmp_path / folder).mkdir(parents=True)
        pq.write_table(table, tmp_path / folder / "0.parquet")
    with pytest.raises(MissingColumnError, match="'source_dataset_l' as the key"):
        cc_rapids.components(tmp_path / "source_dataset_l=a")
    with pytest.raises(MissingColumnError, match="'score' as the key"):
        cc_rapids.components(tmp_path / "score=1", weight="score", at_least=1)
    assert vertices(cc_rapids.components(tmp_path / "year=2024")) == [1, 2]
    (tmp_path / "from=1").mkdir()
    (tmp_path / "from=1" / "0.csv").write_text("2,3\n")
    with pytest.raises(MissingColumnError, match="'from' as the key"):
        cc_rapids.components(tmp_path / "from=1")


@pytest.mark.parametrize("kind", WRITERS)
def test_the_weight_has_to_be_there_too(write, kind):
    path = write(kind, LINKED)
    with pytest.raises(MissingColumnError, match=r"no column 'weight'.*unique_id_r"):
        at_a_threshold(path)
    found = at_a_threshold(path, weight="match_probability")
    assert vertices(found) == [1, 2, 3, 4, 5]
    assert found.summary()["taken"][0]["columns"] == ["unique_id_l", "unique_id_r"]
    if kind == "parquet":
        data = pyarrow.dataset.dataset(path)
        with pytest.raises(MissingColumnError, match="match_weight, match_probability"):
            at_a_threshold(data, weight="score")
        assert vertices(at_a_threshold(data, weight="match_weight")) == [1, 2, 3, 4, 5]


def test_columns_without_a_name_are_listed_as_such(tmp_path):
    (tmp_path / "a.csv").write_text(",a,b\n0,1,2\n")
    with pytest.raises(MissingColumnError, match=r"which two columns .* it has '', a, b$"):
        cc_rapids.components(tmp_path / "a.csv")


@pytest.mark.parametrize("door", ["components", "list", "stream", "batch", "audit", "read_edges"])
@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "ann,bob\nbob,cy\n", "line 1"),
        ("a.txt", "x 1\n2 3\n4 5\n", "line 1"),
        ("a.tsv", "a\tb\n1\t2\n", "line 1"),
    ],
)
def test_a_first_line_is_not_guessed(tmp_path, door, name, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(FormatError, match=rf"{name}, {message}.*header=False \(--no-header\)"):
        DOORS[door](tmp_path / name)


@pytest.mark.parametrize(
    "door", ["components", "list", "pattern", "stream", "in chunks", "batch", "labels"]
)
def test_what_is_said_of_the_first_line_holds(tmp_path, door):
    path = tmp_path / "a.csv"
    path.write_text("ann,bob\nbob,cy\n")
    find = DOORS[door]
    if door == "labels":
        find = lambda path, **options: cc_rapids.connected_components(path, **options)  # noqa: E731
    assert vertices(find(path, header=False)) == ["ann", "bob", "cy"]
    assert vertices(find(path, header=True)) == ["bob", "cy"]
    with pytest.raises(InputError, match=r"header= \(--header\) applies only to text files"):
        cc_rapids.components(([1], [2]), header=True)


def test_the_header_is_known_at_all_other_doors(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("ann,bob,5\nbob,cy,6\n")
    cuts = cc_rapids.components_at(path, weight="col2", thresholds=[5, 6], header=False)
    assert [vertices(cuts.at(t)) for t in (6, 5)] == [["ann", "bob", "cy"]] * 2
    assert [len(cuts.at(t)) for t in (6, 5)] == [2, 1]
    found = cc_rapids.components(path, header=False)
    assert found.audit(path, header=False).edges == 2
    assert found.audit([path], header=False).edges == 2
    assert len(cc_rapids.spanning_forest(path, header=False)) == 2
    seen = cc_rapids.Connectivity().insert(path, header=False)
    assert seen.connected(path, header=False).tolist() == [True, True]
    for edges in (pd.DataFrame({"src": [1], "dst": [2], "weight": [3]}), iter([])):
        for door in (cc_rapids.components, cc_rapids.stream_components, at_a_threshold):
            with pytest.raises(InputError, match="header="):
                door(edges, header=False)
    pq.write_table(RENAMED, tmp_path / "a.parquet")
    for door in ("components", "list", "stream", "batch", "read_edges"):
        with pytest.raises(InputError, match=r"is for csv, tsv, snap.*a.parquet is parquet"):
            DOORS[door](tmp_path / "a.parquet", "src", "target", header=True)
    (tmp_path / "b.csv").write_text("1,2\n7,8\n")
    pq.write_table(RENAMED.select(["src", "target"]), tmp_path / "c.parquet")
    found = cc_rapids.components([tmp_path / "b.csv", tmp_path / "c.parquet"], header=True)
    assert vertices(found) == [1, 2, 3, 4, 5, 7, 8]


def test_the_summary_says_what_was_taken(tmp_path):
    (tmp_path / "a.csv").write_text("id,from,to\n7,1,2\n")
    (tmp_path / "b.tsv").write_text("1\t2\n")
    (tmp_path / "c.txt").write_text("# src dst\n3 4\n")
    pq.write_table(pa.table({"u": [5], "x": [0], "v": [6]}), tmp_path / "d.parquet")
    (tmp_path / "e.mtx").write_text(
        "%%MatrixMarket matrix coordinate pattern general\n9 9 1\n8 9\n"
    )
    expected = {
        "a.csv": {"format": "csv", "columns": ["from", "to"], "header": True, "delimiter": ","},
        "b.tsv": {"format": "tsv", "columns": ["src", "dst"], "header": False, "delimiter": "\t"},
        "c.txt": {"format": "snap", "columns": ["src", "dst"], "header": False, "delimiter": " "},
        "d.parquet": {
            "format": "parquet",
            "columns": ["u", "v"],
            "header": None,
            "delimiter": None,
        },
        "e.mtx": {"format": "mtx", "columns": ["src", "dst"], "header": None, "delimiter": None},
    }
    for name, taken in expected.items():
        for door in ("components", "list", "in chunks", "batch"):
            assert DOORS[door](tmp_path / name).summary()["taken"] == [taken], (name, door)
    found = cc_rapids.components([tmp_path / name for name in (*expected, *expected)])
    assert found.summary()["taken"] == list(expected.values())


STRINGS = {
    "string": pa.string(),
    "large_string": pa.large_string(),
    "string_view": pa.string_view(),
    "dictionary": pa.dictionary(pa.int32(), pa.string()),
    "dictionary of large": pa.dictionary(pa.int8(), pa.large_string()),
}


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
@pytest.mark.parametrize("strings", STRINGS)
def test_strings_of_any_type_before_text_files(tmp_path, strings, kind):
    if strings in ("string_view", "dictionary of large") and before("pyarrow", "26"):
        pytest.skip("PyArrow neither makes such a dictionary nor counts the bytes of views")
    columns = [pa.array(column, STRINGS[strings]) for column in (["1", "7"], ["2", "ann"])]
    WRITERS[kind](pa.table(columns, ["src", "dst"]), tmp_path / f"a.{kind}")
    (tmp_path / "b.csv").write_text("src,dst\n2,3\n7,8\n")
    found = cc_rapids.components([tmp_path / f"a.{kind}", tmp_path / "b.csv"])
    assert found.labels()["vertex"].to_pylist() == ["1", "2", "3", "7", "8", "ann"]
    assert len(found) == 2


@pytest.mark.filterwarnings("ignore:.* no edges")
@pytest.mark.parametrize(
    "kind", ["csv", "header.csv", "tsv", "txt", "parquet", "none.parquet", "arrow", "npz"]
)
def test_a_file_without_edges_gives_the_same_frames(tmp_path, kind):
    path, none = tmp_path / f"a.{kind}", pa.table({"src": [1][:0], "dst": [2][:0]})
    if kind.endswith("parquet"):
        with pq.ParquetWriter(path, none.schema) as writer:
            if kind == "parquet":
                writer.write_table(none)
    elif kind == "arrow":
        with pa.ipc.new_file(path, none.schema):
            pass
    elif kind == "npz":
        import numpy as np

        np.savez(path, src=np.zeros(0, int), dst=np.zeros(0, int))
    else:
        path.write_text("src,dst\n" if "header" in kind else "")
    for door in ("components", "list", "pattern", "stream", "in chunks"):
        found = DOORS[door](path)
        assert found.labels().schema == pa.schema({"vertex": pa.int64(), "labels": pa.int64()}), (
            door
        )
        assert len(found) == 0
    cuts = cc_rapids.components_at([path], thresholds=[1]) if kind == "csv" else None
    assert cuts is None or cuts.labels(1).schema.names == ["vertex", "labels"]
    (tmp_path / "z.csv").write_text("src,dst\nann,bob\n")
    both = cc_rapids.components([path, tmp_path / "z.csv"])
    assert both.labels()["vertex"].to_pylist() == ["ann", "bob"]


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
@pytest.mark.parametrize(
    ("values", "part"),
    [
        (pa.array([None, 1.5, 2.0]), "row 1 (from 0): column 'dst' is double, floats, as 1.5"),
        (pa.array([float("nan")] * 3), "row 0 (from 0): column 'dst' is double, floats, as nan"),
        (pa.array([True, False, True]), "row 0 (from 0): column 'dst' is bool, not ids, as True"),
        (pa.array([1, 2, 3], pa.timestamp("ms")), "timestamp[ms], not ids"),
    ],
)
@pytest.mark.parametrize("door", ["components", "list", "pattern", "stream", "read_edges"])
def test_columns_that_hold_no_ids(tmp_path, door, kind, values, part):
    table = pa.table({"src": [1, 2, 3], "dst": values})
    WRITERS[kind](table, tmp_path / f"a.{kind}")
    with pytest.raises(cc_rapids.ColumnTypeError) as caught:
        DOORS[door](tmp_path / f"a.{kind}")
    assert part in str(caught.value)
    assert f"a.{kind}" in str(caught.value)
    assert "source=" in str(caught.value)
    assert ("floats merge ids" in str(caught.value)) == ("floats" in part)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("door", ["components", "list", "in chunks", "batch", "audit"])
def test_floats_in_text(tmp_path, door):
    (tmp_path / "a.csv").write_text("src,dst\n1,2\n2,1e5\n4,5\n")
    with pytest.raises(cc_rapids.ColumnTypeError, match=r"line 3: column 'dst'.*'1e5'"):
        DOORS[door](tmp_path / "a.csv")


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("by", [cc_rapids.components, cc_rapids.stream_components])
def test_files_whose_ids_differ_in_their_number_of_columns(tmp_path, kind, by):
    write = {
        "jsonl": lambda table, path: table.to_pandas().to_json(path, orient="records", lines=True)
    }
    of_one = pa.table({"unique_id_l": [1], "unique_id_r": [2]})
    of_two = of_one.append_column("dataset_l", [["a"]]).append_column("dataset_r", [["b"]])
    for number, table in enumerate([of_one, of_two]):
        (write | WRITERS)[kind](table, tmp_path / f"{number}.{kind}")
    with pytest.raises(InputError, match=rf"1\.{kind}: ids have 2 columns .* earlier files have 1"):
        by(tmp_path)
    (tmp_path / f"0.{kind}").unlink()
    (tmp_path / "0.csv").write_text("")
    assert len(by(tmp_path)) == 1
