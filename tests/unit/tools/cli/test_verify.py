"""``cc-rapids verify``: right labels, and the first counter-example of wrong ones."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from support.choices import each
from support.releases import before

from cc_rapids.cli import main

EDGES = "src,dst\n5,2\n2,7\n9,9\n4,8\n"
RIGHT = {2: 2, 4: 4, 5: 2, 7: 2, 8: 4, 9: 9}


@pytest.fixture
def verify(run, tmp_path):
    """Write an edge list and labels, and check these."""

    def write_and_verify(labels, *words, edges=EDGES, name="edges.csv"):
        (tmp_path / name).write_text(edges)
        lines = (f"{vertex},{label}\n" for vertex, label in labels.items())
        (tmp_path / "labels.csv").write_text("vertex,labels\n" + "".join(lines))
        return run("verify", tmp_path / name, tmp_path / "labels.csv", *words)

    return write_and_verify


def test_right(verify):
    done = verify(RIGHT)
    assert done.exit_code == 0
    assert done.output == (
        "right: 3 components of 6 vertices, by 4 edges\n"
        "rows: 4 rows given = 4 linked\n"
        "edges: src, dst (csv: commas, a header)\n"
    )
    assert verify(RIGHT, "--quiet").output == ""


def test_the_order_of_the_labels_does_not_matter(verify):
    assert verify(dict(reversed(RIGHT.items()))).exit_code == 0


@pytest.mark.parametrize(
    ("change", "example"),
    [
        ({7: 7}, "edge 1 joins 2 and 7, which have the labels 2 and 7"),
        ({9: 4}, "vertex 9 has the label 4, but no path joins the two"),
        ({4: 8, 8: 8}, "vertex 4 has the label 8"),
        ({9: 1}, "vertex 9 has the label 1, which is not a vertex"),
        ({3: 3}, "vertex 3 has a label, but no edge names it"),
    ],
)
def test_wrong(verify, change, example):
    done = verify(RIGHT | change)
    assert (done.exit_code, done.stderr) == (1, "")
    assert done.stdout.startswith(f"wrong: {example}")
    done = verify(RIGHT | change, "--json")
    assert done.exit_code == 1
    facts = json.loads(done.stdout)
    assert facts["correct"] is False
    assert example in facts["counter_example"]


def test_a_vertex_without_a_label(verify):
    done = verify({v: label for v, label in RIGHT.items() if v != 9})
    assert done.exit_code == 1
    assert "9 has no label" in done.stdout


def test_isolated_vertices_need_labels(verify):
    graph = "H 5 2 1\nE 0 1 1\nE 3 1 1\n"
    labels = {0: 0, 1: 0, 2: 2, 3: 0, 4: 4}
    assert verify(labels, edges=graph, name="e.he").exit_code == 0
    del labels[4]
    assert "4 has no label" in verify(labels, edges=graph, name="e.he").stdout


def test_labels_of_any_name(verify):
    named = {v: {2: "a", 4: "b", 9: "c"}[label] for v, label in RIGHT.items()}
    text = "src,dst\nv5,v2\nv2,v7\nv9,v9\nv4,v8\n"
    words = {f"v{v}": label for v, label in named.items()}
    assert verify(words, "--labels", "any", edges=text).exit_code == 0
    assert verify(words, edges=text).exit_code == 1
    numbered = {v: {2: 70, 4: 1, 9: 0}[label] for v, label in RIGHT.items()}
    assert verify(numbered, "--labels", "any").exit_code == 0
    done = verify(numbered | {7: 1}, "--labels", "any")
    assert done.exit_code == 1
    assert "edge 0" in done.stdout or "edge 1" in done.stdout
    done = verify(numbered | {9: 1}, "--labels", "any")
    assert (done.exit_code, "no path joins" in done.stdout) == (1, True)


def test_an_oracle_is_asked_too(verify):
    done = verify(RIGHT, "--oracle", "scipy", "--engine", "threads")
    assert "by 4 edges; scipy finds the same\n" in done.output


def test_files_larger_than_memory(verify):
    limited = "--memory-limit", "128MiB"
    assert verify(RIGHT, *limited).output.startswith("right: 3 components of 6 vertices")
    assert "edge 1 joins" in verify(RIGHT | {7: 7}, *limited).stdout
    graph = "H 5 2 1\nE 0 1 1\nE 3 1 1\n"
    labels = {0: 0, 1: 0, 2: 2, 3: 0, 4: 4}
    assert verify(labels, *limited, edges=graph, name="e.he").exit_code == 0
    assert verify(RIGHT, *limited, "--format", "csv").exit_code == 0
    done = verify(RIGHT, *limited, edges="src,dst\na,b\n")
    assert (done.exit_code, "text" in done.stderr) == (2, True)


def test_several_files_patterns_and_folders(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for day, rows in (("a", [(5, 2), (2, 7)]), ("b", [(9, 9), (4, 8)])):
        (tmp_path / f"ok/day={day}").mkdir(parents=True)
        table = pa.table(list(map(list, zip(*rows, strict=True))), ["src", "dst"])
        pq.write_table(table, f"ok/day={day}/0.parquet")
    lines = "".join(f"{vertex},{label}\n" for vertex, label in RIGHT.items())
    (tmp_path / "labels.csv").write_text("vertex,labels\n" + lines)
    parts = ["ok/day=a/0.parquet", "ok/day=b/0.parquet"]
    for given in (["ok"], ["ok/*/*.parquet"], parts, ["ok/day=a", parts[1]]):
        done = run("verify", *given, "labels.csv")
        assert done.output.startswith("right: 3 components of 6 vertices, by 4 edges\n"), given
    assert json.loads(run("verify", *parts, "labels.csv", "--json").stdout)["files"] == parts
    done = run("verify", parts[0], "labels.csv")
    assert (done.exit_code, "no edge names it" in done.stdout) == (1, True)
    done = run("verify", "none*.parquet", "labels.csv")
    assert (done.exit_code, "no file matches none*.parquet" in done.stderr) == (2, True)
    done = run("verify", "-", parts[0], "labels.csv")
    assert (done.exit_code, "cannot be read with other files" in done.stderr) == (2, True)


def test_unreadable_files_are_skipped(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edges").mkdir()
    (tmp_path / "edges/a.csv").write_text(EDGES)
    (tmp_path / "edges/b.parquet").write_bytes(b"PAR1half")
    skip = ["--unreadable", "skip"]
    done = run("calculate", "edges", *skip, "--output", "labels.csv")
    assert "4 rows given = 4 linked; 1 unreadable file skipped" in done.stdout
    done = run("verify", "edges", "labels.csv", *skip)
    assert "rows: 4 rows given = 4 linked; 1 unreadable file skipped\n" in done.stdout
    for words in (["calculate", "edges"], ["verify", "edges", "labels.csv"]):
        done = run(*words)
        assert done.exit_code == 2
        assert "b.parquet cannot be read" in done.stderr
        assert "; --unreadable skip leaves this file out" in done.stderr


def test_json(verify):
    facts = json.loads(verify(RIGHT, "--json").stdout)
    assert facts.pop("seconds") > 0
    assert facts.pop("kernel_seconds") >= 0
    assert facts.pop("kernels_compiled") >= 0
    assert facts.pop("file").endswith("edges.csv")
    assert facts.pop("labels").endswith("labels.csv")
    assert facts == {
        "correct": True,
        "counter_example": None,
        "vertices": 6,
        "edges": 4,
        "components": 3,
        "ledger": {"given": 4, "linked": 4},
        "oracle": None,
        "taken": {"format": "csv", "columns": ["src", "dst"], "header": True, "delimiter": ","},
    }


@pytest.mark.parametrize(
    ("labels", "words", "edges", "part"),
    [
        (RIGHT, [], "src,dst\n1\n", "line 2"),
        (RIGHT, ["--format", "mtx"], EDGES, "Not a Matrix Market file"),
        (RIGHT, [], "src,dst\na,b\n", "they cannot be compared"),
        (RIGHT, [], EDGES + "3,\n", "null"),
        ({"a": 0, "b": 0}, [], "src,dst\na,b\n", "pass --labels size, dense or any"),
    ],
)
def test_what_cannot_be_checked(verify, labels, words, edges, part):
    done = verify(labels, *words, edges=edges)
    assert (done.exit_code, done.stdout) == (2, "")
    assert part in done.stderr


def test_nulls_may_be_dropped(verify):
    assert verify(RIGHT, "--nulls", "drop", edges=EDGES + "3,\n").exit_code == 0


def test_labels_have_to_have_their_columns(run, tmp_path):
    for name in ("edges.csv", "labels.csv"):
        (tmp_path / name).write_text(EDGES)
    done = run("verify", tmp_path / "edges.csv", tmp_path / "labels.csv")
    assert done.exit_code == 2
    assert "labels.csv has no column 'vertex'" in done.stderr


IDS = {
    "int64": pa.int64(),
    "uint64": pa.uint64(),
    "string": pa.string(),
    "string_view": pa.string_view(),
    "categories": pa.string(),
    "categories of integers": pa.int64(),
}


@each(ids=IDS, suffix=["csv", "tsv", "txt", "arrow", "parquet", "csv.gz", "txt.zst"])
def test_all_that_calculate_writes_is_read(run, tmp_path, ids, suffix):
    if ids == "string_view" and before("pyarrow", "26"):
        pytest.skip("PyArrow does not write views to all files")
    ends = ([5, 2, 9, 4], [2, 7, 9, 8])
    v = "v" if IDS[ids] in (pa.string(), pa.string_view()) else ""
    columns = [pa.array([f"{v}{i}" for i in end]).cast(IDS[ids]) for end in ends]
    columns = [end.dictionary_encode() for end in columns] if "categories" in ids else columns
    edges, labels = tmp_path / "edges.parquet", tmp_path / f"labels.{suffix}"
    pq.write_table(pa.table(columns, ["src", "dst"]), edges)
    for naming in ("min", "max", "dense", "size"):
        done = run("calculate", edges, "--labels", naming, "--output", labels)
        assert done.exit_code == 0, done.stderr
        for name in (naming, "any"):
            done = run("verify", edges, labels, "--labels", name)
            assert done.stdout.startswith("right: 3 components of 6 vertices"), done.output


@pytest.mark.parametrize(
    ("naming", "labels", "example"),
    [
        ("max", [7, 8, 7, 7, 8, 9], None),
        ("max", [7, 8, 5, 7, 8, 9], "edge 0 joins"),
        ("max", [2, 8, 2, 2, 8, 9], "vertex 2 has the label 2, but the greatest vertex of its"),
        ("dense", [0, 1, 0, 0, 1, 2], None),
        ("dense", [0, 2, 0, 0, 2, 1], "vertex 4 has the label 2, but the number of its component"),
        ("size", [0, 1, 0, 0, 1, 2], None),
        ("size", [2, 1, 2, 2, 1, 0], "by size is 0"),
    ],
)
def test_labels_of_each_kind(verify, naming, labels, example):
    done = verify(dict(zip([2, 4, 5, 7, 8, 9], labels, strict=True)), "--labels", naming)
    assert done.exit_code == (0 if example is None else 1)
    assert (example or "right") in done.stdout


def test_strings_of_digits_compare_with_text(run, tmp_path):
    edges, labels = tmp_path / "edges.parquet", tmp_path / "labels.txt"
    pq.write_table(pa.table({"src": ["10", "9"], "dst": ["9", "8"]}), edges)
    labels.write_text("# vertex labels\n10 10\n9 10\n8 10\n")
    assert run("verify", edges, labels).exit_code == 0
    pq.write_table(pa.table({"src": ["10", "x"], "dst": ["9", "8"]}), edges)
    done = run("verify", edges, labels)
    assert (done.exit_code, "they cannot be compared" in done.stderr) == (2, True)


def test_the_rows_of_the_file_are_accounted_for(verify):
    edges = "src,dst\na,b\n\nb,\n"
    for words in ([], ["--memory-limit", "64 MB"]):
        done = verify({"a": "a", "b": "a"}, "--nulls", "drop", *words, edges=edges)
        assert "rows: 3 rows given = 1 linked + 1 blank + 1 null_end\n" in done.output


@pytest.mark.slow
def test_labels_that_are_missing(tmp_path):
    (tmp_path / "grid.tsv").write_text("1\t2\n")
    done = CliRunner().invoke(main, ["verify", str(tmp_path / "grid.tsv")])
    assert done.exit_code == 2
    assert "grid.tsv is given: pass FILE and then LABELS" in done.output
