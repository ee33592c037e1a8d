"""``cc-rapids generate``, and ``calculate --generate``."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from support.edge_files import read_edges

from cc_rapids import backends, generators
from cc_rapids.data.files.formats import COUNTED, WEIGHTED, WRITTEN
from cc_rapids.tools.cli.generators import GENERATORS

COMMAND = [sys.executable, "-m", "cc_rapids.cli"]
WHOLE = {
    "barabasi_albert --nodes 50 --each 3 --seed 2": lambda g: g.barabasi_albert(50, 3, 2),
    "uniform --nodes 100 --edges 50 --seed 3": lambda g: g.uniform(100, 50, 3),
    "rmat --nodes 128 --edges 500 --seed 3": lambda g: g.rmat(7, 500, 0.57, 0.19, 0.19, 3),
    "rmat --nodes 128 --density 0.1 --a .4 --b .3 --c .2 --no-permute": lambda g: g.rmat(
        7, 813, 0.4, 0.3, 0.2, permute=False
    ),
    "gnm --nodes 100 --density 0.1 --seed 2": lambda g: g.pieces.gnm(100, 495, 2),
    "grid --rows 6 --columns 9 --keep 0.5 --seed 1": lambda g: g.grid(6, 9, 0.5, 1),
    "cliques --sizes 3,1,2*3": lambda g: g.cliques([3, 1, 2, 2, 2]),
    "path --nodes 30 --shuffle 4": lambda g: g.path(30, 4),
    "star --nodes 30": lambda g: g.star(30),
    "self_loops --nodes 30": lambda g: g.self_loops(30),
    "isolated --nodes 30": lambda g: g.isolated(30),
    "reference --name road --scale 6 --seed 1": lambda g: g.reference("road", 6, 1),
    "near_duplicate_pairs --documents 60 --pairs 90 --most 9": lambda g: g.near_duplicate_pairs(
        60, 90, most=9
    ),
    "banded_pairs --documents 60 --pairs 900 --bands 5 --exponent 3 --seed 1": lambda g: (
        g.banded_pairs(60, 900, 5, 3, seed=1)
    ),
    "record_keys --records 9 --keys 12 --each 3 --power 2 --no-permute": lambda g: g.record_keys(
        9, 12, 3, 2, permute=False
    ),
    "torus2d --rows 3 --columns 5": lambda g: g.torus2d(3, 5),
    "permuted --of grid(rows=5,columns=5) --seed 2": lambda g: g.permuted(g.grid(5, 5), 2),
    "duplicated --of star(nodes=5) --times 3 --seed 1": lambda g: g.duplicated(g.star(5), 3, 1),
}


def columns(path, **options):
    return [column.to_numpy() for column in read_edges(path, **options).table.columns]


def ends(graph):
    return graph.gather() if hasattr(graph, "gather") else graph.edges


@pytest.mark.parametrize("words", WHOLE)
def test_every_generator_writes_its_edges(run, tmp_path, tuned, words):
    tuned(written_piece_edges=7)
    name, *options = words.split()
    done = run("generate", name, tmp_path / "e.parquet", *options, "--quiet")
    assert (done.exit_code, done.output) == (0, ""), done.output
    for made, known in zip(
        columns(tmp_path / "e.parquet"), ends(WHOLE[words](generators)), strict=True
    ):
        np.testing.assert_array_equal(made, known)


def test_every_generator_has_a_command():
    known = set(generators.__all__) - {"REFERENCES", "Graph", "pieces"}
    assert known | {"gnm"} == set(GENERATORS) == {words.split()[0] for words in WHOLE}


@pytest.mark.parametrize("kind", WRITTEN)
def test_every_format(run, tmp_path, kind):
    words = ("--nodes", 20, "--density", 1, "--format", kind, "--json")
    weights = ("--weights", 3, 3) if kind in WEIGHTED else ()
    done = run("generate", "gnm", tmp_path / "e", *words, *weights)
    assert done.exit_code == 0, done.stderr
    facts = json.loads(done.stdout)
    assert (facts["format"], facts["vertices"], facts["edges"]) == (kind, 20, 190)
    assert facts["bytes"] == (tmp_path / "e").stat().st_size
    file = read_edges(tmp_path / "e", format=kind)
    first = COUNTED.get(kind, 0)
    pairs = zip(*(column.to_pylist() for column in file.table.columns), strict=True)
    expected = {frozenset((u + first, v + first)) for u in range(20) for v in range(u)}
    assert {frozenset(pair) for pair in pairs} == expected
    assert file.vertices == (range(first, 20 + first) if kind in COUNTED else None)


def test_weights_do_not_depend_on_the_pieces(run, tmp_path, tuned):
    words = ("--nodes", 50, "--edges", 100, "--weights", -3, 9)
    contents = set()
    for piece in (7, 64, 1000):
        tuned(written_piece_edges=piece)
        assert run("generate", "uniform", tmp_path / "e.he", *words).exit_code == 0
        contents.add((tmp_path / "e.he").read_text())
    (text,) = contents
    weights = [int(line.split()[3]) for line in text.splitlines()[1:]]
    assert set(weights) == set(range(-3, 10))


def test_the_results(run, tmp_path):
    done = run("generate", "path", tmp_path / "e.csv", "--nodes", 11, "--weights", 1, 5)
    assert done.exit_code == 0
    for part in ("path(11)", "1 to 5", "e.csv (csv, ", " edges/s"):
        assert part in done.stdout


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["grid"], ["'OUTPUT'"]),
        (["gridd", "e.csv"], ["'gridd'"]),
        (["path", "e.csv"], ["--nodes"]),
        (["path", "e.cvs", "--nodes", "3"], ["did you mean '.csv'"]),
        (["path", "no/e.csv", "--nodes", "3"], ["there is no directory"]),
        (["path", "e.csv", "--nodes", "-3"], ["--nodes"]),
        (["path", "e.csv", "--nodes", "3", "--weights", "2", "1"], ["--weights", "2 1"]),
        (["uniform", "e.csv", "--nodes", "3"], ["either --edges or --density"]),
        (["uniform", "e.csv", "--nodes", "3", "--edges", "1", "--density", "1"], ["either"]),
        (["uniform", "e.csv", "--nodes", "3", "--density", "1.5"], ["--density"]),
        (["gnm", "e.csv", "--nodes", "3", "--edges", "4"], ["3 vertices have 3 pairs"]),
        (["rmat", "e.csv", "--nodes", "12", "--edges", "4"], ["1, 2, 4, 8", "not 12"]),
        (["cliques", "e.csv", "--sizes", "3,x"], ["3,1,2*1000", "'x'"]),
        (["reference", "e.csv", "--name", "kron22"], ["'kron22'", "kron21"]),
        (["permuted", "e.csv", "--of", "gridd(rows=1)"], ["'gridd'", "grid"]),
        (["permuted", "e.csv", "--of", "grid(rows=1)"], ["grid(rows=1)", "--columns"]),
        (["permuted", "e.csv", "--of", "grid(1, 2)"], ["expected NAME(option=value, ...)"]),
    ],
)
def test_bad_input_is_one_line(run, tmp_path, monkeypatch, words, parts):
    monkeypatch.chdir(tmp_path)
    done = run("generate", *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    for part in parts:
        assert part in done.stderr
    assert list(tmp_path.iterdir()) == []


class TestMemory:
    @pytest.fixture(autouse=True)
    def little(self, monkeypatch):
        monkeypatch.setattr(type(backends.get("threads")), "free_bytes", lambda self: 1000)

    @pytest.mark.parametrize(
        ("words", "part"),
        [
            ("duplicated e.csv --of path(nodes=100) --times 2", "the generator duplicated holds"),
            ("path e.egr --nodes 100", "the format egr holds the whole list in memory: 99 edges"),
            (
                "path e.npz --nodes 100",
                "all formats but metis, egr and npz are written piece by piece",
            ),
        ],
    )
    def test_what_is_held_has_to_fit(self, run, tmp_path, monkeypatch, words, part):
        monkeypatch.chdir(tmp_path)
        done = run("generate", *words.split())
        assert done.exit_code == 2
        assert part in done.stderr
        assert list(tmp_path.iterdir()) == []

    def test_what_is_made_in_pieces_need_not(self, run, tmp_path):
        assert run("generate", "path", tmp_path / "e.he", "--nodes", 100).exit_code == 0
        many = ["--of", "path(nodes=20)", "--times", 50]
        assert run("generate", "duplicated", tmp_path / "e.csv", *many).exit_code == 0


@pytest.mark.extended
@pytest.mark.slow
def test_ctrl_c_leaves_nothing(tmp_path):
    endless = "--nodes", "4000000000", "--edges", "1000000000000"
    process = subprocess.Popen(
        [*COMMAND, "generate", "uniform", tmp_path / "e.csv", *endless],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not any(path.stat().st_size for path in tmp_path.iterdir()):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate()
    assert process.returncode == 130
    assert (stdout, stderr.strip()) == ("", "")
    assert list(tmp_path.iterdir()) == []


class TestRecipes:
    @pytest.mark.parametrize(
        ("recipe", "vertices", "components"),
        [
            ("path(nodes=10)", 10, 1),
            ("cliques(sizes=[3, 1, 2])", 6, 3),
            ("permuted(of=cliques(sizes='3,1,2*5'), seed=5)", 14, 7),
            ("gnm(nodes=20, density=1)", 20, 1),
            ("isolated(nodes=4, weights=(1, 2))", 4, 4),
            ("rmat(nodes=16, edges=0, permute=False)", 16, 16),
            (" grid ( rows = 3 , columns = 2 , keep = 0.0 ) ", 6, 6),
        ],
    )
    def test_calculate(self, run, recipe, vertices, components):
        done = run("calculate", "--generate", recipe, "--json")
        assert done.exit_code == 0, done.stderr
        facts = json.loads(done.stdout)
        assert facts["generate"] == recipe
        assert (facts["vertices"], facts["components"]) == (vertices, components)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("words", "part"),
        [
            (["path"], "Missing option '--nodes'"),
            (["path(nodes=3"], "expected NAME(option=value, ...)"),
            (["path(3)"], "expected NAME(option=value, ...)"),
            (["path(**x)"], "expected NAME(option=value, ...)"),
            (["path(nodes=1+1)"], "expected NAME(option=value, ...)"),
            (["__import__('os')"], "expected NAME(option=value, ...)"),
            (["path(nodes=3, sead=1)"], "--sead"),
            (["path(nodes='x')"], "'x' is not a valid"),
            (["paths(nodes=3)"], "No generator 'paths'"),
            (["path(nodes=3)", "edges.csv"], "leave out FILE edges.csv"),
            (["path(nodes=3)", "--source", "a"], "leave out --source"),
        ],
    )
    def test_what_is_wrong_is_said(self, run, words, part):
        done = run("calculate", "--generate", *words)
        assert (done.exit_code, done.stdout) == (2, "")
        assert part in done.stderr
