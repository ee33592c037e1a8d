"""What commands write: whole files, devices as they are, and errors in one line."""

import os
import stat
import subprocess
import sys

import pyarrow.parquet as pq
import pytest
from support.choices import some

from cc_rapids.data.files.write import check_output
from cc_rapids.errors import FormatError

pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-m", "cc_rapids.cli"]


@pytest.fixture
def edges(tmp_path, monkeypatch, full_device):
    """A file of edges in the folder of the test, and links in it to a device that is full."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edges.csv").write_text("src,dst\n1,2\n2,3\n")
    for name in ("full", "full.csv", "full.parquet", "full.txt.gz", "full.he"):
        (tmp_path / name).symlink_to(full_device)
    return tmp_path / "edges.csv"


WRITERS = [
    ["calculate", "edges.csv", "--output", "full.csv"],
    ["calculate", "edges.csv", "--output", "full.parquet"],
    ["calculate", "edges.csv", "--output", "full.txt.gz"],
    ["convert", "edges.csv", "full", "--to", "csv"],
    ["convert", "edges.csv", "full", "--to", "npz"],
    ["convert", "edges.csv", "full.he"],
    ["generate", "gnm", "full", "--format", "arrow", "--nodes", "9", "--density", "0.5"],
]


@pytest.mark.usefixtures("edges")
@pytest.mark.parametrize("words", WRITERS, ids=lambda words: "-".join(words[:1] + words[-1:]))
def test_a_full_device_is_an_error_and_stays_a_device(run, words, tmp_path, full_device):
    before = sorted(os.listdir())
    done = run(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "No space left on device" in done.stderr
    assert done.stderr.startswith("Error: cannot write ")
    assert done.stderr.count("\n") == 1
    assert full_device.is_char_device()
    assert sorted(os.listdir()) == before
    assert (tmp_path / "full.csv").is_symlink()


def test_a_pipe_gets_what_a_file_would_get(run, edges, tmp_path):
    os.mkfifo(tmp_path / "pipe.parquet")
    os.mkfifo(tmp_path / "pipe")
    with open(os.open("pipe.parquet", os.O_RDONLY | os.O_NONBLOCK), "rb") as reader:
        assert run("calculate", edges, "--output", "pipe.parquet").exit_code == 0
        (tmp_path / "got").write_bytes(reader.read())
    assert pq.read_table(tmp_path / "got")["vertex"].to_pylist() == [1, 2, 3]
    with open(os.open("pipe", os.O_RDONLY | os.O_NONBLOCK), "rb") as reader:
        done = run("generate", "gnm", "pipe", "--format", "csv", "--nodes", 9, "--density", 0.5)
        assert (done.exit_code, done.stderr) == (0, "")
        assert reader.read().startswith(b'"src","dst"\n')
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_link_stays_one_and_its_target_is_replaced(run, edges, tmp_path):
    (tmp_path / "labels.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("labels.csv")
    assert run("calculate", edges, "--output", "link.csv").exit_code == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "labels.csv").read_text() == '"vertex","labels"\n1,1\n2,1\n3,1\n'


def test_packing_goes_by_the_name_that_was_given(run, edges, tmp_path):
    (tmp_path / "packed.csv.gz").symlink_to("target")
    assert run("calculate", edges, "--output", "packed.csv.gz").exit_code == 0
    assert (tmp_path / "target").read_bytes()[:2] == b"\x1f\x8b"


@some(
    "words",
    [
        ["designs"],
        ["--help"],
        ["calculate", "edges.csv", "--json"],
        ["verify", "edges.csv", "l.csv"],
    ],
    usual=[["designs"]],
)
def test_standard_output_that_is_full(run, edges, words, full_device):
    assert run("calculate", edges, "--output", "l.csv").exit_code == 0
    with open(full_device, "wb") as full:
        done = subprocess.run([*COMMAND, *words], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr == "Error: cannot write to standard output: No space left on device\n"


@pytest.mark.extended
def test_standard_output_that_nobody_reads():
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*COMMAND, "designs"], stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


LABELS = '"vertex","labels"\n1,1\n2,1\n3,1\n'
TO_STANDARD_OUTPUT = [
    (["convert", "edges.csv", "/dev/stdout", "--to", "tsv"], '"src"\t"dst"\n1\t2\n2\t3\n'),
    (["calculate", "edges.csv", "--output", "/dev/stdout", "--output-format", "csv"], LABELS),
    (["calculate", "edges.csv", "--output", "/dev/fd/1", "--output-format", "csv"], LABELS),
    (["generate", "path", "/dev/stdout", "--format", "csv", "--nodes", "2"], '"src","dst"\n0,1\n'),
]


@pytest.mark.usefixtures("edges")
@some(
    ("words", "told"),
    TO_STANDARD_OUTPUT,
    usual=TO_STANDARD_OUTPUT[:1],
    ids=lambda words: words[0],
)
def test_output_to_standard_output(run, words, told):
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (told, "")
    done = run(*words, "--json")
    assert (done.stdout, done.exit_code) == ("", 2)
    assert "--json goes to standard output, and so does /dev/" in done.stderr


FORMATS = ["csv", "tsv", "snap", "arrow", "parquet"]


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("name", ["labels", "labels.out", "labels.gz", "labels.json"])
def test_labels_in_a_format_that_is_named(run, edges, tmp_path, kind, name):
    done = run("calculate", edges, "--output", name, "--output-format", kind)
    assert (done.exit_code, done.stderr) == (0, "")
    packed = (tmp_path / name).read_bytes()[:2] == b"\x1f\x8b"
    assert packed == name.endswith(".gz")
    done = run("verify", edges, name, "--labels-format", kind, "--quiet")
    assert (done.exit_code, done.output) == (0, "")
    (tmp_path / "named").symlink_to(name)
    assert run("verify", edges, "named", "--quiet").exit_code == 0  # told by its first bytes


SUFFIXES = ["csv", "tsv", "tab", "txt", "snap", "edges", "el", "arrow", "feather", "parquet", "pq"]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("pack", ["", ".gz", ".zst"])
def test_all_that_is_written_is_verified(run, edges, suffix, pack):
    labels = ("min", "max", "dense", "size")[SUFFIXES.index(suffix) % 4]
    path = f"labels.{suffix}{pack}"
    assert run("calculate", edges, "--output", path, "--labels", labels).exit_code == 0
    done = run("verify", edges, path, "--labels", labels, "--quiet")
    assert (done.exit_code, done.output) == (0, "")


def test_a_format_that_is_not_said(run, edges):
    done = run("calculate", edges, "--output", "/dev/stdout")
    assert done.exit_code == 2
    assert "--output-format" in done.stderr
    assert "or pass --output-format, one of csv, tsv, snap, jsonl, arrow, parquet" in done.stderr
    done = run("calculate", edges, "--output-format", "csv")
    assert done.exit_code == 2
    assert "--output-format needs --output" in done.stderr
    with pytest.raises(FormatError, match="tables cannot be written as he, only as csv, tsv,"):
        check_output("labels.csv", "he")
