"""``cc-rapids convert``: every format to every other, and what becomes of the ids."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.edge_files import read_edges

from cc_rapids import components
from cc_rapids.data.files.formats import COUNTED, WEIGHTED, WRITTEN

EDGES = "src,dst\n0,3\n3,1\n5,5\n4,0\n"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text(EDGES)
    return path


def labels(path, kind):
    """The labels of all vertices, counted from zero; those of isolated ones where there are any."""
    file = read_edges(path, format=kind)
    first = COUNTED.get(kind, 0)
    found = components(file.table, file.source, file.destination, vertices=file.vertices).labels()
    columns = (found["vertex"], found["labels"])
    return dict(zip(*((np.array(column) - first).tolist() for column in columns), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("kind", WRITTEN)
@pytest.mark.parametrize("other", WRITTEN)
def test_every_format_to_every_other(run, path, tmp_path, tuned, kind, other):
    tuned(written_piece_edges=3)
    one, two = tmp_path / "one", tmp_path / "two"
    assert run("convert", path, one, "--to", kind, "--quiet").output == ""
    weights = "--weights" if other in WEIGHTED else "--no-weights"
    done = run("convert", one, two, "--from", kind, "--to", other, weights, "--json")
    assert done.exit_code == 0, done.stderr
    facts = json.loads(done.stdout)
    assert (facts["from"], facts["to"]) == (kind, other)
    first = 0 if other in COUNTED else COUNTED.get(kind, 0)
    expected = {v + first: label + first for v, label in {0: 0, 1: 0, 3: 0, 4: 0, 5: 5}.items()}
    found = labels(two, other)
    if kind in ("metis", "egr") and other not in COUNTED:
        del expected[5 + first]  # adjacency lists have no self-loops: 5 has no edge
    assert expected.items() <= found.items()
    assert set(found) - set(expected) <= {2, 5}


@pytest.mark.parametrize(
    ("content", "to", "shift", "ids"),
    [
        (EDGES, "mtx", 1, range(1, 7)),
        ("1,2\n9,3\n", "mtx", 0, range(1, 10)),
        ("1,2\n9,3\n", "he", 0, range(10)),
        ("", "gr", 0, range(1, 1)),
    ],
)
def test_ids_move_only_where_they_must(run, tmp_path, content, to, shift, ids):
    (tmp_path / "e.csv").write_text(content)
    done = run("convert", tmp_path / "e.csv", tmp_path / "e", "--to", to, "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["id_shift"] == shift
    assert read_edges(tmp_path / "e", format=to).vertices == ids


def test_what_is_lost_and_moved_is_said(run, tmp_path):
    (tmp_path / "e.mtx").write_text(
        "%%MatrixMarket matrix coordinate pattern general\n9 9 1\n3 2\n"
    )
    done = run("convert", tmp_path / "e.mtx", tmp_path / "e.csv")
    assert "7 vertices without edges, which csv does not store" in done.stdout
    done = run("convert", tmp_path / "e.mtx", tmp_path / "e.he")
    assert "each 1 less than before" in done.stdout
    assert (tmp_path / "e.he").read_text() == "H 9 1 1\nE 2 1 1\n"


@pytest.mark.parametrize(
    ("content", "words", "parts"),
    [
        ("u,v\nx,y\n", ["e.gr"], ["gr numbers the vertices", "string"]),
        ("u,v\n1,\n", ["e.gr"], ["None is not one of the vertices"]),
        ("u,v\n-1,2\n", ["e.gr"], ["-1 is not one of the vertices"]),
        ("u,v\n1,2\n3\n", ["e.gr"], ["line 3"]),
        (f"1,{2**64 - 1}\n", ["e.he"], ["18,446,744,073,709,551,616 vertices"]),
        ("1,5000000000\n", ["e.egr"], ["2147483647", "5000000001"]),
        (EDGES, ["e.cvs"], ["did you mean '.csv'"]),
        (EDGES, ["edges.csv"], ["is the input file"]),
        (EDGES, ["no/e.gr"], ["there is no directory"]),
        (EDGES, ["e.gr", "--from", "egr"], ["edges.csv", "it begins like csv"]),
    ],
)
def test_bad_input_is_one_line(run, path, tmp_path, monkeypatch, content, words, parts):
    monkeypatch.chdir(tmp_path)
    path.write_text(content)
    done = run("convert", path, *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    for part in parts:
        assert part in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["edges.csv"]
    assert path.read_text() == content


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ([], "H 3 2 1\nE 0 1 5\nE 1 2 7\n"),
        (["--no-weights"], "H 3 2 1\nE 0 1 1\nE 1 2 1\n"),
        (["--weight", "cost"], "H 3 2 1\nE 0 1 0.5\nE 1 2 2\n"),
    ],
)
def test_weights_are_kept(run, path, tmp_path, words, written):
    path.write_text("src,dst,weight,cost\n0,1,5,0.5\n1,2,7,2\n")
    done = run("convert", path, tmp_path / "e.he", *words)
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "e.he").read_text() == written
    assert (", with weights" in done.stdout) == ("--no-weights" not in words)


def test_rows_that_a_simple_graph_does_not_hold_are_counted(run, path, tmp_path):
    path.write_text("src,dst\n0,1\n1,0\n1,1\n\n1,2\n")
    done = run("convert", path, tmp_path / "e.graph", "--json")
    facts = json.loads(done.stdout)
    ledger = {"given": 5, "linked": 2, "blank": 1, "duplicate": 1, "self_loop": 1}
    assert (facts["edges"], facts["ledger"]) == (2, ledger)
    done = run("convert", path, tmp_path / "e.egr")
    assert "5 rows given = 2 written + 1 blank + 1 duplicate + 1 self_loop" in done.stdout
    path.write_text("src,dst,weight\n0,1,5\n1,0,6\n")
    done = run("convert", path, tmp_path / "e.egr")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "the edge 1 - 0 has the weights 5 and 6" in done.stderr
    assert run("convert", path, tmp_path / "e.egr", "--no-weights").exit_code == 0


def test_weights_that_do_not_fit(run, path, tmp_path):
    path.write_text("src,dst,weight\n0,1,0.5\n")
    done = run("convert", path, tmp_path / "e.gr")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "gr has integer weights" in done.stderr


@pytest.mark.parametrize("kind", COUNTED)
@pytest.mark.parametrize("name", ["e.csv", "e.parquet"])
def test_a_list_without_edges_has_no_vertex(run, tmp_path, kind, name):
    if name == "e.csv":
        (tmp_path / name).write_text("src,dst\n")
    else:
        pq.write_table(
            pa.table({"src": pa.array([], pa.string()), "dst": pa.array([], pa.string())}),
            tmp_path / name,
        )
    done = run("convert", tmp_path / name, tmp_path / "e", "--to", kind, "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["vertices"] == 0
    file = read_edges(tmp_path / "e", format=kind)
    assert (len(file.table), len(file.vertices)) == (0, 0)
    done = run("calculate", tmp_path / "e", "--format", kind, "--json")
    assert json.loads(done.stdout)["vertices"] == 0
    assert run("convert", tmp_path / "e", tmp_path / "b.csv", "--from", kind).exit_code == 0
    assert (tmp_path / "b.csv").read_text() == '"src","dst"\n'
