"""The command line, as a user meets it."""

import importlib.util
import json
import os
import signal
import subprocess
import sys

import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from support.edge_files import read_edges
from support.machine import SIMULATED
from support.releases import before

from cc_rapids import api
from cc_rapids.tools import doctor

EDGES = "src,dst\n5,2\n2,7\n9,9\n4,8\n"
NO_GPU_PACKAGES = importlib.util.find_spec("cupy") is None
COMMAND = [sys.executable, "-m", "cc_rapids.cli"]


@pytest.fixture
def edges(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text(EDGES)
    return path


def test_results(run, edges, tmp_path):
    output = tmp_path / "labels.csv"
    done = run("calculate", edges, "--output", output)
    assert (done.exit_code, done.stderr) == (0, "")
    rows = {
        row[0].strip(): row[1].strip()
        for row in (line.strip("│").split("│") for line in done.stdout.splitlines())
        if len(row) == 2
    }
    assert rows["file"] == str(edges)
    assert rows["columns"] == "src, dst"
    assert rows["engine"].startswith("threads: ")
    assert rows["design"] == "none+async+halve"
    assert (rows["vertices"], rows["edges"], rows["components"]) == ("6", "4", "3")
    assert rows["largest"] == "3 (50.0% of the vertices)"
    assert rows["time to copy"] == "-"
    assert rows["time to read"].endswith(" s")
    assert rows["time to compute"].endswith(" s")
    assert rows["peak memory"].endswith("iB")
    assert rows["labels in"] == str(output)
    assert "dropped" not in rows
    assert output.read_text().replace('"', "") == ("vertex,labels\n2,2\n4,4\n5,2\n7,2\n8,4\n9,9\n")


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("min", [2, 4, 2, 2, 4, 9]),
        ("max", [7, 8, 7, 7, 8, 9]),
        ("dense", [0, 1, 0, 0, 1, 2]),
        ("size", [0, 1, 0, 0, 1, 2]),
    ],
)
@pytest.mark.parametrize("suffix", ["csv", "tsv", "txt", "parquet"])
def test_labels_in_every_format(run, edges, tmp_path, labels, expected, suffix):
    output = tmp_path / f"labels.{suffix}"
    assert run("calculate", edges, "--labels", labels, "--output", output).exit_code == 0
    columns = read_edges(output).table.columns
    assert [column.to_pylist() for column in columns] == [[2, 4, 5, 7, 8, 9], expected]


def test_options_of_the_file(run, tmp_path):
    path = tmp_path / "edges.dat"
    path.write_text("1,x,y\n2,y,z\n")
    words = ("--format", "csv", "--no-header", "--source", "dst", "--destination", "col2")
    done = run("calculate", path, *words, "--design", "none+async+naive", "--engine", "threads")
    assert done.exit_code == 0, done.stderr
    assert "dst, col2" in done.stdout
    assert "none+async+naive" in done.stdout
    assert "3 (100.0% of the vertices)" in done.stdout


@pytest.mark.parametrize("word", ["--algorithm", "--design"])
@pytest.mark.parametrize("memory", ["device", "pinned", "zero-copy"])
def test_an_algorithm_from_a_kind_of_memory(run, edges, word, memory):
    done = run("calculate", edges, word, "owner(output=lists)", "--memory", memory)
    assert done.exit_code == 0, done.stderr
    assert "owner(output=lists)" in done.stdout
    assert ("zero-copy" in done.stdout) == (memory == "zero-copy")
    made = run("calculate", "--generate", "star(nodes=9)", word, "dense", "--memory", memory)
    assert made.exit_code == 0, made.stderr


NUMBERED = [  # as Lehr et al. 2022, 3.1, list them
    *[("owner:0", "owner(output=lists)", "device"), ("owner:1", "owner(output=lists)", "device")],
    *[("owner:2", "owner", "device"), ("owner:3", "owner(output=lists)", "pinned")],
    *[("owner:4", "owner", "pinned"), ("owner:5", "owner(output=lists)", "zero-copy")],
    *[("owner:6", "owner", "zero-copy"), ("dense:0", "dense", "device")],
    *[("dense:1", "dense", "device"), ("dense:2", "dense", "pinned")],
    ("dense:3", "dense", "zero-copy"),
]


@pytest.mark.parametrize(("number", "design", "memory"), NUMBERED)
def test_implementations_by_number(run, edges, number, design, memory):
    """0 runs on CPU threads, and all others on a GPU, which an engine that is absent shows."""
    done = run("calculate", edges, "--algorithm", number, "--json")
    engine = "threads" if number.endswith(":0") else "cuda"
    if engine == "cuda" and NO_GPU_PACKAGES and not SIMULATED:
        assert done.exit_code == 2
        assert "cuda" in done.stderr
        return
    assert done.exit_code == 0, done.stderr
    facts = json.loads(done.stdout)
    assert (facts["design"], facts["memory"], facts["engine"]) == (design, memory, engine)
    assert (facts["components"], facts["largest"]) == (3, 3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("owner:7",),
            "There is no implementation 'owner:7': choose from owner:0 to owner:6 and dense:0",
        ),
        (("soman:1",), "There is no implementation 'soman:1'"),
        (("dense:",), "There is no implementation 'dense:'"),
        (
            ("owner:0", "--engine", "gpu"),
            "owner:0 runs with --engine threads, so leave out --engine cuda",
        ),
        (
            ("dense:3", "--memory", "pinned"),
            "dense:3 runs with --memory zero-copy, so leave out --memory pinned",
        ),
    ],
)
def test_numbers_without_an_implementation(run, edges, words, message):
    done = run("calculate", edges, "--design", *words)
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.replace("│", "").split())


def test_all_vertices_of_a_matrix_count(run, tmp_path):
    path, output = tmp_path / "m.mtx", tmp_path / "labels.csv"
    path.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n4 4 1\n3 2\n")
    assert run("calculate", path, "--output", output, "--quiet").exit_code == 0
    assert read_edges(output).table.to_pydict() == {
        "vertex": [1, 2, 3, 4],
        "labels": [1, 2, 2, 4],
    }


@pytest.mark.parametrize("content", ["", "src,dst\n"])
def test_an_empty_file_is_an_empty_answer(run, tmp_path, content):
    path, output = tmp_path / "edges.csv", tmp_path / "labels.csv"
    path.write_text(content)
    done = run("calculate", path, "--output", output, "--top", 3)
    assert done.exit_code == 0, done.stderr
    assert output.read_text().replace('"', "") == "vertex,labels\n"


def test_dropped_edges_are_counted(run, tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("src,dst\n1,2\n3,\nNA,4\n")
    done = run("calculate", path, "--nulls", "drop")
    assert done.exit_code == 0, done.stderr
    assert "3 rows given = 1 linked + 2 null_end" in done.stdout


def test_the_largest_come_first(run, edges):
    done = run("calculate", edges, "--top", 2)
    shown = [line for line in done.stdout.splitlines() if line.startswith("│")][-2:]
    assert [[cell.strip() for cell in line.strip("│").split("│")] for line in shown] == [
        ["3", "2", "2, 5, 7"],
        ["2", "4", "4, 8"],
    ]


def test_few_members_of_a_large_component(run, tmp_path):
    path = tmp_path / "path.txt"
    path.write_text("".join(f"{i} {i + 1}\n" for i in range(99)))
    assert "0, 16, 32, 48, 64, 80, ..." in run("calculate", path, "--top", 1).stdout


def test_quiet(run, edges, tmp_path):
    output = tmp_path / "labels.parquet"
    done = run("calculate", edges, "--quiet", "--top", 3, "--output", output)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    assert pq.read_table(output).num_rows == 6


def test_markup_in_names_is_shown_as_it_is(run, tmp_path):
    path = tmp_path / "[bold]edges.csv"
    path.write_text("[red],dst\n1,2\n")
    done = run("calculate", path)
    assert "[bold]edges.csv" in done.stdout
    assert "[red], dst" in done.stdout


def refused(done, *parts):
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    for part in parts:
        assert part in done.stderr


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["calculate"], ["'FILE'"]),
        (["compute"], ["'compute'"]),
        (["calculate", "{edges}", "--labels", "mn"], ["'mn'", "min"]),
        (["calculate", "{edges}", "--top", "-1"], ["--top"]),
        (["calculate", "{edges}", "--colour"], ["--colour"]),
        (["calculate", "{folder}/none.csv"], ["none.csv does not exist"]),
        (["calculate", "{folder}/*.cvs"], ["no file matches {folder}/*.cvs"]),
        (["calculate", "-", "{edges}"], ["cannot be read with other files"]),
        (["calculate", "{edges}", "--format", "xlsx"], ["'xlsx'", "'csv'", "'npz'"]),
        (["calculate", "{edges}", "--memory-limit", "much"], ["'much'", "2GiB"]),
        (["calculate", "{edges}", "--engine", "tpu"], ["'tpu'", "'auto'", "'gpu'", "'cpu'"]),
        (
            ["calculate", "{edges}", "{edges}", "--format", "parquet"],
            ["as Parquet", "--format csv"],
        ),
        (["calculate", "{edges}", "--source", "scr"], ["'scr'", "did you mean 'src'"]),
        (["calculate", "{edges}", "--source", "dst", "--destination", "dst"], ["'dst'"]),
        (["calculate", "{edges}", "--design", "none+asinc+halve"], ["'asinc'", "'async'"]),
        (["calculate", "{edges}", "--algorithm", "dens"], ["'dens'", "'dense'"]),
        (["calculate", "{edges}", "--memory", "mapped"], ["'mapped'", "zero-copy"]),
        (["calculate", "{edges}", "--format", "mtx"], ["line 1", "Not a Matrix Market file"]),
        (["calculate", "{edges}", "--output", "{folder}/o.cvs"], [".csv, .tsv", "'.cvs'"]),
        (["calculate", "{edges}", "--output", "{folder}/o.mtx"], [".parquet"]),
        (["calculate", "{edges}", "--output", "{folder}/no/o.csv"], ["no directory {folder}/no"]),
        (["calculate", "{edges}", "--output", "{edges}"], ["is the input file"]),
        (["calculate", "{folder}", "--vertices", "no.csv", "--delimiter", "ab"], ["--delimiter"]),
        (["bridges", "{edges}", "--output-format", "csv", "--encoding", "no"], ["--encoding"]),
    ],
)
def test_bad_input_is_one_line(run, edges, tmp_path, words, parts):
    places = {"edges": edges, "folder": tmp_path}
    done = run(*(word.format(**places) for word in words))
    refused(done, *(part.format(**places) for part in parts))
    assert [path.name for path in tmp_path.iterdir()] == ["edges.csv"]
    assert edges.read_text() == EDGES


@pytest.mark.parametrize("word", ["components", "connected-components", "cc", "run", "solve"])
def test_words_for_finding_components_suggest_the_command(run, word):
    refused(run(word, "a.csv"), f"No such command '{word}'. Did you mean 'calculate'?")


def test_other_words_suggest_the_nearest(run):
    near = [] if before("click", "8.4") else ["calculate"]
    refused(run("calculator", "a.csv"), "No such command 'calculator'", *near)


def test_nulls_and_malformed_lines_are_one_line(run, tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("src,dst\n1,\n")
    refused(run("calculate", path), "'dst'", "null")
    path.write_text("src,dst\n1,2\n3\n")
    refused(run("calculate", path), "line 3", "'3'")


@pytest.mark.skipif(not NO_GPU_PACKAGES, reason="this machine may have a GPU")
@pytest.mark.skipif("CC_RAPIDS_SIMULATOR" in os.environ, reason="there is a simulated GPU")
def test_no_gpu_is_one_line(run, edges):
    refused(run("calculate", edges, "--engine", "cuda"), ".[cu13]")


def test_no_memory_is_one_line(run, edges, monkeypatch):
    def fail(*args, **kwargs):
        raise MemoryError

    monkeypatch.setattr(api, "components", fail)
    refused(run("calculate", edges), "out of memory")


def test_help_and_version(run):
    assert "calculate" in run().stdout
    assert run().exit_code == 0
    assert "--destination" in run("calculate", "--help").stdout
    assert run("--version").exit_code == 0


@pytest.mark.parametrize(
    ("gpus", "code", "lines"),
    [
        (None, 0, ["driver      none", "engine      threads: ", "health      all is well"]),
        (
            (doctor.Gpu("NVIDIA H100", 80 << 30, (9, 0)),),
            1,
            [
                "gpu         NVIDIA H100, 80.00 GiB, compute 9.0",
                "health      broken: cc_rapids runs",
            ],
        ),
    ],
)
def test_doctor(run, monkeypatch, gpus, code, lines):
    driver = doctor.Driver("580.1", (13, 0), gpus) if gpus else None
    monkeypatch.setattr(doctor, "find_driver", lambda: driver)
    facts = json.loads(run("doctor", "--json").stdout)
    assert (facts["healthy"], facts["broken"] is None) == (code == 0, code == 0)
    done = run("doctor")
    assert (done.exit_code, done.stderr) == (code, "")
    for line in ["numpy       ", "cudf        ", *lines]:
        assert line in done.stdout


def test_a_full_disk_is_one_line(run, edges, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pyarrow.csv, "CSVWriter", full)
    done = run("calculate", edges, "--output", tmp_path / "labels.csv")
    refused(done, "cannot write", "No space left on device")


class TestProcess:
    @pytest.mark.slow
    def test_module_and_exit_code(self, edges):
        done = subprocess.run([*COMMAND, "calculate", edges, "--quiet"], capture_output=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        done = subprocess.run([*COMMAND, "calculate", "none.csv"], capture_output=True, text=True)
        assert done.returncode == 2
        assert done.stderr == "Error: none.csv does not exist\n"

    @pytest.mark.slow
    def test_ctrl_c(self, tmp_path):
        pipe, output = tmp_path / "edges.csv", tmp_path / "labels.csv"
        os.mkfifo(pipe)
        process = subprocess.Popen(
            [*COMMAND, "calculate", pipe, "--output", output],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with pipe.open("wb") as stream:  # opens when the command has opened it to read
            # More than a pipe holds: once it is written, the command is reading, and waits for more
            stream.write(b"src,dst\n" + b"1,2\n" * (1 << 20))
            stream.flush()
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate()
        assert process.returncode == 130
        assert (stdout, stderr.count("\n")) == ("", 1)
        assert stderr.startswith("Interrupted: nothing was saved; with --checkpoint PATH ")
        assert list(tmp_path.iterdir()) == [pipe]


class TestColumnsOfFiles:
    """The command line decides as Python does, and says what it took."""

    @pytest.fixture
    def renamed(self, tmp_path):
        path = tmp_path / "q.csv"
        path.write_text("weight,src,target\n7,1,2\n8,2,3\n")
        return path

    @pytest.mark.parametrize(
        "words", [[], ["--source", "src"], ["--source", "src", "--destination", "dst"]]
    )
    def test_names_that_are_given_have_to_be_there(self, run, renamed, tmp_path, words):
        labels = tmp_path / "labels.csv"
        labels.write_text("vertex,labels\n1,1\n")
        for command in (
            ["calculate", renamed],
            ["convert", renamed, tmp_path / "q.tsv"],
            ["verify", renamed, labels],
            ["verify", renamed, labels, "--memory-limit", "150MiB"],
        ):
            refused(run(*command, *words), "weight, src, target")
        assert not (tmp_path / "q.tsv").exists()
        done = run("calculate", renamed, "--source", "src", "--destination", "target")
        assert "src, target" in done.stdout

    def test_a_first_line_that_may_be_either(self, run, tmp_path):
        path, labels = tmp_path / "q.csv", tmp_path / "labels.csv"
        path.write_text("ann,bob\nbob,cy\n")
        for command in (
            ["calculate", path],
            ["convert", path, tmp_path / "q.tsv"],
            ["verify", path, labels],
        ):
            refused(run(*command), "line 1", "--no-header", "--header", "--source")
        done = run("calculate", path, "--no-header", "--output", labels)
        assert done.exit_code == 0, done.stderr
        assert "csv: commas, no header" in done.stdout
        assert read_edges(labels).table["vertex"].to_pylist() == ["ann", "bob", "cy"]
        for limit in ([], ["--memory-limit", "150MiB"]):
            assert run("verify", path, labels, "--no-header", *limit).exit_code == 0
            assert run("verify", path, labels, "--header", *limit).exit_code == 1
        assert (
            "by 2 edges\nrows: 2 rows given = 2 linked\nedges: src, dst (csv: commas, no header)\n"
            in run("verify", path, labels, "--no-header").stdout
        )
        done = run("convert", path, tmp_path / "q.tsv", "--header")
        assert done.exit_code == 0, done.stderr
        assert "csv: commas, a header" in done.stdout.replace("\n", "")
        assert "ann, bob" in done.stdout

    def test_what_was_taken_is_said_to_programs(self, run, tmp_path):
        path = tmp_path / "q.tsv"
        path.write_text("w\tfrom\tto\n5\t1\t2\n")
        taken = {"columns": ["from", "to"], "header": True, "delimiter": "\t"}
        for command in (["calculate", path], ["convert", path, tmp_path / "q.csv"]):
            facts = json.loads(run(*command, "--json").stdout)
            assert {name: facts[name] for name in taken} == taken

    def test_a_folder_of_graphs(self, run, tmp_path):
        (tmp_path / "a.csv").write_text("ann,bob\nbob,cy\n")
        (tmp_path / "b.mtx").write_text(
            "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2\n"
        )
        words = ["--algorithm", "none+async+halve", "--engine", "threads", "--rounds", "1"]
        words += ["--json", "--quiet"]
        done = run("evaluate", tmp_path, *words)
        assert "--no-header" in json.loads(done.stdout)["runs"][0]["not_run"]
        done = run("evaluate", tmp_path, *words, "--no-header")
        assert [row["edges"] for row in json.loads(done.stdout)["runs"]] == [2, 1]
