"""Where the edges of a command come from: files, folders, patterns, standard input; and go to."""

import gzip
import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from support.choices import some
from support.edge_files import read_edges

from cc_rapids.cli import main
from cc_rapids.data.files.formats import FORMATS
from cc_rapids.errors import FormatError

ROOT = str(Path(__file__).parents[4])
COMMAND = [sys.executable, "-m", "cc_rapids"]
EDGES = "src,dst\n5,2\n2,7\n9,9\n4,8\n"
LABELS = '"vertex","labels"\n2,2\n4,4\n5,2\n7,2\n8,4\n9,9\n'
TABLE = pa.table({"src": [5, 2, 9, 4], "dst": [2, 7, 9, 8]})
LIMITS = [[], ["--memory-limit", "1GiB"]]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The edges in two files of a folder with a partition and notes of other programs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "edges/day=1").mkdir(parents=True)
    (tmp_path / "edges/_temporary").mkdir()
    pq.write_table(TABLE.slice(0, 2), "edges/day=1/a.parquet")
    (tmp_path / "edges/b.csv.gz").write_bytes(gzip.compress((EDGES[:8] + EDGES[16:]).encode()))
    for name in ("_SUCCESS", "notes.md", "_temporary/c.csv", ".hidden.csv"):
        (tmp_path / "edges" / name).write_text("no edges")
    (tmp_path / "pairs.csv").write_text(EDGES)
    return tmp_path


def given(content, *words):
    done = CliRunner().invoke(main, [str(word) for word in words], input=content)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def refused(content, *words):
    done = CliRunner().invoke(main, [str(word) for word in words], input=content)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: ")
    return done.stderr


def as_bytes(kind, text=EDGES):
    """The edges of a csv file as bytes of some format."""
    blanks = text[text.index("\n") + 1 :].replace(",", " ")
    if kind == "snap":
        return f"# src dst\n{blanks}".encode()
    if kind == "mtx":
        return f"%%MatrixMarket matrix coordinate pattern general\n9 9 4\n{blanks}".encode()
    if kind in ("csv", "tsv"):
        return text.replace(",", "," if kind == "csv" else "\t").encode()
    table, sink = pa.csv.read_csv(pa.py_buffer(text.encode())), pa.BufferOutputStream()
    if kind == "parquet":
        pq.write_table(table, sink)
    else:
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize("limit", LIMITS, ids=["whole", "limited"])
@pytest.mark.parametrize("kind", ["csv", "tsv", "snap", "mtx", "arrow", "parquet"])
def test_standard_input(kind, limit):
    told = given(as_bytes(kind), "calculate", "-", "--format", kind, *limit, "--json")
    facts = json.loads(told)
    vertices = 9 if kind == "mtx" else 6  # a matrix has vertices without edges
    assert (facts["vertices"], facts["edges"], facts["format"]) == (vertices, 4, kind)
    assert facts["components"] == vertices - 3
    assert facts["file"] == "-"


@pytest.mark.parametrize("limit", LIMITS, ids=["whole", "limited"])
@pytest.mark.parametrize("kind", ["csv", "mtx", "arrow", "parquet"])
@pytest.mark.parametrize("pack", ["gzip", "zstd"])
def test_compressed_standard_input(kind, pack, limit):
    packed = as_bytes(kind)
    packed = gzip.compress(packed) if pack == "gzip" else pa.compress(packed, pack, asbytes=True)
    told = given(packed, "calculate", "-", "--format", kind, *limit, "--json")
    assert json.loads(told)["edges"] == 4


@pytest.mark.parametrize("limit", LIMITS, ids=["whole", "limited"])
def test_names_and_nulls_of_standard_input(limit):
    words = ["--source", "buyer", "--destination", "seller", "--nulls", "drop", *limit]
    content = "buyer,seller,price\na,b,1\n,c,2\nb,d,3\n"
    told = given(content, "calculate", "-", "--format", "csv", *words, "--json")
    facts = json.loads(told)
    assert (facts["columns"], facts["dropped"]) == (["buyer", "seller"], 1)
    assert (facts["vertices"], facts["components"]) == (3, 1)
    assert "'nobody'" in refused(content, "calculate", "-", "--format", "csv", "--source", "nobody")


@pytest.mark.parametrize("limit", LIMITS, ids=["whole", "limited"])
def test_standard_input_without_a_line(limit):
    told = given("", "calculate", "-", "--format", "csv", *limit, "--json")
    assert json.loads(told)["vertices"] == 0


@pytest.mark.slow
@some(
    ("packed", "limit"), product([bytes, gzip.compress], LIMITS), usual=[(gzip.compress, LIMITS[1])]
)
def test_standard_input_is_told_by_its_first_bytes(limit, packed):
    content = packed(b"src\tdst\nNew York\tBoston\n")
    line = [*COMMAND, "calculate", "-", "--output", "-", *limit]
    done = subprocess.run(line, input=content, capture_output=True, check=True)
    assert done.stdout == b'"vertex","labels"\n"Boston","Boston"\n"New York","Boston"\n'


def test_what_is_refused_of_standard_input():
    assert "'xml'" in refused(EDGES, "calculate", "-", "--format", "xml")
    assert "cannot be read with other files" in refused(EDGES, "calculate", "-", "pairs.csv")
    assert "standard input" in refused("src,dst\n1\n", "calculate", "-", "--format", "csv")
    assert "--header is for" in refused("", "calculate", "-", "--format", "parquet", "--header")
    assert "--generate" in refused("", "calculate", "-", "--generate", "path(nodes=3)")
    assert "Only one" in refused("", "verify", "-", "-")
    words = ["--format", "csv", "--memory-limit", "1GiB"]
    assert "needs a file" in refused(EDGES, "verify", "-", "pairs.csv", *words)


@pytest.mark.parametrize("limit", LIMITS, ids=["whole", "limited"])
@pytest.mark.parametrize(
    "words",
    [
        ["edges"],
        ["edges/day=1", "edges/b.csv.gz"],
        ["edges/day=1/a.parquet", "edges/b.csv.gz"],
        ["edges/**/*.parquet", "edges/b*.gz"],
    ],
    ids=["folder", "folder and file", "files", "patterns"],
)
def test_several_files(words, limit, folder):
    given(None, "calculate", *words, *limit, "--output", "labels.csv")
    assert (folder / "labels.csv").read_text() == LABELS


def test_several_files_in_words():
    told = given(None, "calculate", "edges")
    assert "parquet" in told
    assert "csv: commas, a header" in told
    assert "time to read and compute" in told
    facts = json.loads(given(None, "calculate", "edges", "pairs.csv", "--json"))
    assert facts["files"] == ["edges", "pairs.csv"]
    assert {one["format"] for one in facts["taken"]} == {"csv", "parquet"}


def test_a_pattern_of_one_kind_in_words():
    facts = json.loads(given(None, "calculate", "edges/day=*/*.parquet", "--json"))
    assert (facts["format"], facts["columns"], facts["streamed"]) == (
        "parquet",
        ["src", "dst"],
        True,
    )
    assert facts["edges"] == 2


def test_what_is_refused_of_several_files(folder):
    (folder / "empty").mkdir()
    assert "empty holds no file of a known format: .csv" in refused(None, "calculate", "empty")
    assert "no file matches *.pq" in refused(None, "calculate", "*.pq")
    assert "none.csv does not exist" in refused(None, "calculate", "none.csv", "pairs.csv")
    assert "as Parquet" in refused(None, "calculate", "edges", "--format", "parquet")
    words = ["--memory", "pinned"]
    assert "chunk" in refused(None, "calculate", "edges", *words)
    assert "memory" in refused(None, "calculate", "pairs.csv", "--memory-limit", "1KiB")
    assert "input file" in refused(None, "calculate", "edges", "--output", "edges/day=1/a.parquet")
    assert pq.read_table("edges/day=1/a.parquet").num_rows == 2


@pytest.mark.parametrize("limit", LIMITS, ids=["whole", "limited"])
@pytest.mark.parametrize(
    ("kind", "named", "says"),
    [
        (
            "parquet",
            "csv",
            "as csv: it begins like Parquet: pass --format parquet",
        ),
        ("arrow", "snap", "as text: it begins like Arrow: pass --format arrow"),
        ("parquet", "arrow", "as Arrow: it begins like Parquet"),
        ("csv", "parquet", "as Parquet: it begins like csv (b'src,dst'): pass --format csv"),
        ("tsv", "arrow", "as Arrow: it begins like tsv (b'src\\tdst')"),
        ("snap", "parquet", "as Parquet: it begins like text (b'"),
    ],
)
def test_bytes_of_another_format_are_told(kind, named, says, limit, tmp_path):
    content = as_bytes(kind)
    for pack in (bytes, gzip.compress):
        said = refused(pack(content), "calculate", "-", "--format", named, *limit)
        assert f"standard input cannot be read {says}" in said
        assert ("pass its format as --format" in said) == (kind == "snap")  # any format of text
        assert "\\x" not in said
    path = tmp_path / f"edges.{named}"
    path.write_bytes(content)
    if named != "snap":
        assert f"{path} cannot be read {says}" in refused(b"", "calculate", str(path), *limit)


SCORED = "src,dst,score\n5,2,.9\n2,7,.85\n7,9,.1\n9,9,.8\n4,8,.95\n"
KEPT = '"vertex","labels"\n2,2\n5,2\n7,2\n9,9\n'
BOUNDS = ["--weight", "score", "--at-least", ".8", "--at-most", "0.9"]


@pytest.fixture
def scored(tmp_path):
    """Weighted edges as one file of each kind, and in two files of a folder of each."""
    table = pa.csv.read_csv(pa.py_buffer(SCORED.encode()))
    for kind, write in (("csv", pa.csv.write_csv), ("parquet", pq.write_table)):
        (tmp_path / kind).mkdir()
        write(table, f"scored.{kind}")
        write(table[:2], f"{kind}/a.{kind}")
        write(table[2:], f"{kind}/b.{kind}")


@pytest.mark.parametrize("limit", LIMITS, ids=["whole", "limited"])
@pytest.mark.parametrize("words", ["scored.csv", "scored.parquet", "csv", "parquet", "csv/*.csv"])
def test_edges_within_bounds_of_their_weight(words, limit, scored):
    output = ["--output", "labels.csv"]
    facts = json.loads(given("", "calculate", words, *BOUNDS, *limit, *output, "--json"))
    assert Path("labels.csv").read_text() == KEPT
    assert (facts["edges"], facts["columns"]) == (3, ["src", "dst"])
    if "*" not in words:
        right = given("", "verify", words, "labels.csv", *BOUNDS, *limit)
        assert right.startswith("right: 2 components of 4 vertices, by 3 edges")
        all_of_them = CliRunner().invoke(main, ["verify", words, "labels.csv", *limit])
        assert all_of_them.exit_code == 1


@pytest.mark.parametrize("limit", LIMITS, ids=["whole", "limited"])
def test_bounds_of_standard_input(limit):
    words = ["calculate", "-", "--format", "csv", *BOUNDS, *limit]
    given(SCORED, *words, "--output", "labels.csv")
    assert Path("labels.csv").read_text() == KEPT


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--weight", "score"], "--weight needs --at-least or --at-most, which bound it."),
        (["--at-most", "1"], "bound a weight: name it with --weight."),
        (["--weight", "score", "--at-least", "x"], "'x' is not a number"),
        (["--weight", "score", "--at-least", "nan"], "must be a number, not nan"),
        (["--weight", "scor", "--at-least", "1"], "no column 'scor'; did you mean 'score'?"),
        (["--weight", "dst", "--at-least", "1"], "'dst' is an end of the edges"),
    ],
)
def test_bounds_that_are_refused(words, says, scored):
    assert says in refused("", "calculate", "scored.csv", *words)


def test_a_number_of_vertices(folder):
    for words in (["pairs.csv"], ["pairs.csv", "--memory-limit", "1GiB"]):
        facts = json.loads(given("", "calculate", *words, "--num-vertices", "12", "--json"))
        assert (facts["vertices"], facts["components"]) == (12, 9)
    assert "outside 0..4" in refused("", "calculate", "pairs.csv", "--num-vertices", "5")
    words = ["calculate", "--generate", "path(nodes=3)", "--num-vertices", "3"]
    assert "come with all vertices: leave out --num-vertices" in refused("", *words)
    Path("own.mtx").write_bytes(as_bytes("mtx"))
    words = ["calculate", "own.mtx", "--num-vertices", "9"]
    assert "come with all vertices: leave out --num-vertices" in refused("", *words)


def test_the_time_to_read_is_that_of_what_is_read_at_once(folder):
    facts = [json.loads(given("", "calculate", "pairs.csv", "--json", *limit)) for limit in LIMITS]
    whole, limited = (each["seconds"]["read"] for each in facts)
    assert whole > 0
    assert limited is None


def test_made_edges_have_no_weights():
    words = ["calculate", "--generate", "path(nodes=3)", *BOUNDS]
    assert "--generate makes the edges: leave out --weight" in refused("", *words)


def test_an_unknown_format_names_all_that_are_known():
    with pytest.raises(FormatError) as refusal:
        read_edges("pairs.csv", format="cvs")
    assert "did you mean 'csv'?" in str(refusal.value)
    told = refused(EDGES, "calculate", "-", "--format", "cvs")
    for kind in FORMATS:
        assert kind in told


@pytest.mark.parametrize("limit", ["2B", "512MiB", "1.5gib", "3 GB"])
def test_sizes(limit):
    done = CliRunner().invoke(main, ["calculate", "none.csv", "--memory-limit", limit])
    assert "is not a size" not in done.stderr


@pytest.mark.parametrize("limit", ["", "much", "512", "-1", "0", "1e9", "GiB"])
def test_no_sizes(limit):
    for command in (["calculate", "pairs.csv"], ["verify", "pairs.csv", "pairs.csv"]):
        assert "is not a size such as 512MiB" in refused(None, *command, "--memory-limit", limit)


@pytest.mark.parametrize("word", ["auto", "cpu", "threads"])
def test_engines(word):
    assert json.loads(given(None, "calculate", "pairs.csv", "--engine", word, "--json"))["engine"]
    given(None, "calculate", "pairs.csv", "--engine", word, "--output", "labels.csv")
    given(None, "verify", "pairs.csv", "labels.csv", "--engine", word)


def test_standard_output(capfd):
    for words in (
        ["calculate", "pairs.csv", "--output", "-"],
        ["calculate", "edges", "--output", "-"],
    ):
        assert given(None, *words, "--top", 2) == ""
        assert capfd.readouterr() == (LABELS, "")
    given(None, "calculate", "pairs.csv", "--output", "-", "--output-format", "tsv")
    assert capfd.readouterr().out == LABELS.replace(",", "\t")
    given(EDGES, "convert", "-", "-", "--from", "csv", "--to", "tsv")
    assert capfd.readouterr().out.splitlines()[1:] == EDGES.replace(",", "\t").splitlines()[1:]
    given(None, "convert", "pairs.csv", "-")
    assert capfd.readouterr().out.splitlines()[1:] == EDGES.splitlines()[1:]
    given(None, "generate", "path", "-", "--nodes", 3)
    assert capfd.readouterr().out == '"src","dst"\n0,1\n1,2\n'
    assert "--json goes to" in refused(None, "calculate", "pairs.csv", "--output", "-", "--json")


def test_verify_takes_either_file_from_standard_input(folder):
    (folder / "labels.csv").write_text(LABELS)
    assert given(EDGES, "verify", "-", "labels.csv", "--format", "csv").startswith("right")
    assert given(LABELS, "verify", "pairs.csv", "-", "--labels-format", "csv").startswith("right")
    wrong = CliRunner().invoke(
        main,
        ["verify", "pairs.csv", "-", "--labels-format", "csv"],
        input=LABELS.replace("8,4", "8,8"),
    )
    assert wrong.exit_code == 1


@pytest.mark.slow
class TestProcess:
    def shell(self, line):
        command = " ".join(COMMAND)
        environment = os.environ | {"PYTHONPATH": ROOT}
        line = line.replace("cc-rapids", command)
        return subprocess.run(["bash", "-c", line], env=environment, capture_output=True, text=True)

    @pytest.mark.extended
    def test_a_pipeline(self):
        line = "cat pairs.csv | cc-rapids calculate - --format csv --output - | tail -n 2"
        done = self.shell(line)
        assert (done.returncode, done.stdout, done.stderr) == (0, "8,4\n9,9\n", "")

    @pytest.mark.extended
    @pytest.mark.parametrize(
        "command",
        [
            "generate path - --nodes 300000",
            "calculate --generate 'path(nodes=300000)' --output -",
        ],
    )
    def test_a_reader_that_has_seen_enough(self, command):
        done = self.shell(f"cc-rapids {command} | head -n 1; exit ${{PIPESTATUS[0]}}")
        assert (done.returncode, done.stderr) == (1, "")
        assert done.stdout.count("\n") == 1

    def test_what_is_no_command(self):
        done = self.shell("cc-rapids compute pairs.csv")
        assert (done.returncode, done.stdout) == (2, "")
        assert "no file compute, and the commands are doctor, compile, generate" in done.stderr


@pytest.mark.extended
@pytest.mark.slow
def test_the_labels_of_a_folder_are_verified(tmp_path):
    folder = tmp_path / "years" / "year=2020"
    folder.mkdir(parents=True)
    (folder / "a.csv").write_text("src,dst\n1,2\n2,3\n")
    (tmp_path / "years" / "b.csv").write_text("src,dst\n8,9\n")
    labels = tmp_path / "labels.csv"
    command = [sys.executable, "-m", "cc_rapids.cli"]
    made = [*command, "calculate", str(tmp_path / "years"), "--output", str(labels), "--quiet"]
    assert subprocess.run(made, check=False).returncode == 0
    checked = [*command, "verify", str(tmp_path / "years"), str(labels), "--json"]
    told = json.loads(subprocess.run(checked, capture_output=True, check=True).stdout)
    assert (told["correct"], told["edges"], told["vertices"]) == (True, 3, 5)


class TestWeightsOfStandardInput:
    """Edges within a bound of weights, read from standard input whole or in pieces."""

    TEXT = "src,dst,score\n1,2,.9\n2,3,.5\n4,5,1\n6,7,.4\n"
    WORDS = ("--weight", "score", "--at-least", ".5", "--json")

    @pytest.mark.parametrize("limit", LIMITS, ids=["whole", "limited"])
    @pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "arrow"])
    def test_edges_out_of_bounds_are_left_out(self, kind, limit):
        words = "calculate", "-", "--format", kind, *self.WORDS, *limit
        told = given(as_bytes(kind, self.TEXT), *words)
        facts = json.loads(told)
        assert (facts["vertices"], facts["edges"], facts["components"]) == (5, 3, 2)
        told = given(as_bytes(kind, self.TEXT), *words, "--at-most", ".9")
        assert json.loads(told)["edges"] == 2

    def test_nulls_within_a_limit(self):
        table = pa.table({"a": ["x", "y"], "b": ["y", "z"], "score": [None, float("nan")]})
        sink = pa.BufferOutputStream()
        pq.write_table(table.append_column("c", pa.array([1, 2])), sink)
        ends = ["--source", "a", "--destination", "b", *self.WORDS, *LIMITS[1]]
        content = sink.getvalue().to_pybytes()
        told = json.loads(given(content, "calculate", "-", "--format", "parquet", *ends))
        assert told["vertices"] == 0

    @pytest.mark.parametrize("limit", LIMITS, ids=["whole", "limited"])
    def test_missing_columns_and_no_rows(self, limit):
        words = ["calculate", "-", "--format", "csv", *self.WORDS, *limit]
        assert json.loads(given("src,dst,score\n", *words))["edges"] == 0
        assert json.loads(given("", *words))["edges"] == 0
        assert "'score'" in refused("src,dst,skore\n1,2,3\n", *words)
        assert "line 2" in refused("src,dst,score\n1,2,high\n", *words)


class TestFilesInARow:
    """Of several files in a row the last metadata name wrong bytes."""

    @pytest.fixture
    def joined(self):
        return as_bytes("parquet") * 2

    @pytest.mark.parametrize("limit", LIMITS, ids=["whole", "limited"])
    @pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
    def test_parquet_files_in_a_row_are_refused(self, joined, limit, pack):
        said = refused(pack(joined), "calculate", "-", "--format", "parquet", *limit)
        assert "several concatenated files" in said
        said = refused(pack(joined), "link", "-", "--format", "parquet", "--key", "src")
        assert "several concatenated files" in said

    @pytest.mark.extended
    @pytest.mark.slow
    def test_by_a_pipe_and_from_a_file(self, joined, folder):
        (folder / "two").write_bytes(joined)
        for line in ("cat two | {} -", "< two {} -"):
            shell = line.format(f"{' '.join(COMMAND)} calculate --format parquet")
            done = subprocess.run(
                ["bash", "-c", shell],
                env=os.environ | {"PYTHONPATH": ROOT},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 2
            assert "several concatenated files" in done.stderr

    def test_one_file_with_an_index_is_read(self):
        sink = pa.BufferOutputStream()
        pq.write_table(TABLE, sink, write_page_index=True)
        told = given(
            sink.getvalue().to_pybytes(), "calculate", "-", "--format", "parquet", "--json"
        )
        assert json.loads(told)["edges"] == 4

    def test_a_file_without_rows_is_read(self):
        sink = pa.BufferOutputStream()
        pq.write_table(TABLE.slice(0, 0), sink)
        told = given(
            sink.getvalue().to_pybytes(), "calculate", "-", "--format", "parquet", "--json"
        )
        assert json.loads(told)["edges"] == 0
