"""Which figures are older than the code that they measure, by trees and records made up here."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cc_rapids
from cc_rapids import backends, generators
from cc_rapids.backends.dry_run import rehearsed
from cc_rapids.tools import bench

ROOT = Path(__file__).parents[2]
TEXTS = {
    "kernels/union.py": '''
"""Unions."""

from . import words
from .limits import TRIES

STEP = 2


@union_rule("climb", paper="none")
def climb(on: Any, vertex: type) -> Any:
    """Climb."""
    has = words.has(on)

    @on.device
    def link(parent, u, v):
        """Link."""
        for k in range(TRIES):
            u = parent[u + STEP]  # up
        return has(parent, v)

    return link
''',
    "kernels/words.py": """
def has(on):
    @on.device
    def has(bits, v):
        return bits[v] != 0

    return has
""",
    "kernels/limits.py": "TRIES, OTHERS = 3, 4\n",
    "api.py": 'def solve():\n    """Solve."""\n    return 1\n',
    "tools/bench.py": "RUNS = 9\n",
}
KERNELS, FILES = ["kernels/union.py:climb", "kernels/words.py:has"], ["api.py"]


@pytest.fixture
def code(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    import measured_code

    return measured_code


@pytest.fixture
def stale(code):
    import stale

    return stale


@pytest.fixture
def record(code):
    """A record of the tree above."""
    made = code.hashed(FILES, KERNELS, code.Tree(TEXTS))
    return json.loads(json.dumps({"commit": "gone", "device": "a GPU", "code": made}))


def tree(code, path, old, new):
    """The tree above after an edit."""
    assert old in TEXTS[path]
    return code.Tree(TEXTS | {path: TEXTS[path].replace(old, new)})


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("api.py", "Solve.", "Solve it."),
        ("api.py", "return 1", "return 1  # one"),
        ("kernels/union.py", "Link.", "Link two trees."),
        ("kernels/union.py", "Climb.", "Climb up."),
        ("kernels/union.py", "# up", "# one step"),
        ("kernels/union.py", "vertex: type", "vertex: Any"),
        ("kernels/union.py", 'paper="none"', 'paper="one"'),
        ("kernels/limits.py", "4", "5"),
        ("tools/bench.py", "9", "8"),
    ],
)
def test_what_computes_nothing_else_leaves_all_figures_fresh(code, stale, record, path, old, new):
    clock = stale.Clock(tree(code, path, old, new))
    assert clock.changes(record, "device") == ()
    assert clock.changes(record, "wall") == ()


@pytest.mark.parametrize(
    ("path", "old", "new", "named"),
    [
        ("kernels/union.py", "parent[u + STEP]", "parent[u - STEP]", KERNELS[:1]),
        ("kernels/union.py", "STEP = 2", "STEP = 3", KERNELS[:1]),
        ("kernels/limits.py", "3", "5", KERNELS[:1]),
        ("kernels/words.py", "!= 0", "> 0", KERNELS),
        ("kernels/union.py", "@on.device", "@on.elementwise", KERNELS[:1]),
    ],
)
def test_another_kernel_makes_figures_of_devices_and_walls_stale(
    code, stale, record, path, old, new, named
):
    clock = stale.Clock(tree(code, path, old, new))
    assert clock.changes(record, "device") == tuple(named)
    assert clock.changes(record, "wall") == tuple(named)


def test_other_host_code_makes_figures_of_walls_stale_alone(code, stale, record):
    clock = stale.Clock(tree(code, "api.py", "return 1", "return 2"))
    assert clock.changes(record, "device") == ()
    assert clock.changes(record, "wall") == ("api.py",)
    without = code.Tree({path: text for path, text in TEXTS.items() if path != "api.py"})
    assert stale.Clock(without).changes(record, "wall") == ("api.py",)


def test_kernels_may_move_and_have_other_names(code, stale, record):
    moved = TEXTS["kernels/words.py"].replace("has", "holds").replace("bits", "words")
    texts = TEXTS | {"kernels/sets.py": moved}
    del texts["kernels/words.py"]
    texts["kernels/union.py"] = (
        TEXTS["kernels/union.py"]
        .replace("import words", "import sets")
        .replace("words.has", "sets.holds")
        .replace("has = ", "test = ")
        .replace("return has", "return test")
        .replace("climb", "rise")
    )
    assert stale.Clock(code.Tree(texts)).changes(record, "device") == ()


def test_hashes_are_the_same_on_every_version_of_python(code):
    text = """
def f(a, /, b: int = 1, *c, d=2, **e):
    "Doc."
    return f"{a!r:>{b}} x", lambda: c
"""
    made = code.Tree({"a.py": text})
    assert (made.file("a.py"), made.function("a.py:f")) == ("52a75b67", "d47e3f01")


def figures(stale, rows):
    """One of each kind, and one of an old experiment."""
    one = "page.md", "a table", "bench"
    return (
        stale.Figure(*one, "device", lambda folder: rows, "run.py"),
        stale.Figure(*one, "wall", lambda folder: rows, "run.py"),
        stale.Figure("page.md", "old", "papers", "wall", lambda folder: rows, "papers.py"),
    )


def test_a_line_for_each_figure_but_those_of_history(code, stale, record, monkeypatch, capsys):
    clock = stale.Clock(tree(code, "api.py", "return 1", "return 2"))
    [found] = stale.outdated(clock, figures=figures(stale, [record, record]))
    assert str(found) == (
        "page.md, a table: 2 of 2 wall times, at gone; changed since: api.py;"
        " again: python benchmarks/run.py"
    )
    fresh = stale.Clock(code.Tree(TEXTS))
    assert list(stale.outdated(fresh, figures=figures(stale, [record]))) == []
    monkeypatch.setattr(sys, "argv", ["stale.py"])
    for every, status in (([found], 1), ([], 0)):
        monkeypatch.setattr(stale, "outdated", lambda *given, every=every: every)
        assert stale.main() == status
        assert capsys.readouterr().out.splitlines() == list(map(str, every))


def test_a_record_without_hashes_is_as_old_as_its_commit(code, stale, tmp_path):
    def write(path, text):
        file = tmp_path / "cc_rapids" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def git(*words):
        who = "-c", "user.name=a", "-c", "user.email=a@b.example"
        done = subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)
        return done.stdout.decode().strip()

    for path, text in TEXTS.items():
        write(path, text)
    git("init")
    git("add", ".")
    git("commit", "-m", "All")
    commit = git("rev-parse", "--short", "HEAD")

    def changes(commit, kind="wall"):
        now = code.Tree.in_folder(tmp_path / "cc_rapids")
        at = lambda commit: code.Tree.at(commit, tmp_path)  # noqa: E731
        return stale.Clock(now, at).changes({"commit": commit}, kind)

    assert changes(commit) == changes(f"{commit}-dirty") == ()
    write("api.py", TEXTS["api.py"].replace("Solve.", "Solve it."))
    write("tools/bench.py", "RUNS = 3\n")
    assert changes(commit) == ()
    write("api.py", TEXTS["api.py"].replace("1", "2"))
    write("new.py", "A = 1\n")
    assert changes(commit) == changes(commit, "device") == ("api.py", "new.py")
    assert changes("0123abc") == ("all, as git does not know 0123abc",)


def test_a_run_names_its_files_and_kernels(code, stale):
    edges = np.array([5, 2]), np.array([2, 7])

    def work():
        return cc_rapids.components(edges, engine="threads", design="none+async+halve").labels()

    work()
    before = sys.getprofile()
    made = code.of_run(work)
    assert sys.getprofile() is before
    entered = {"api.py", "results/components.py", "backends/threads.py", "tuning.py"}
    assert entered <= made["files"].keys()
    assert not any(path.startswith("tools/") for path in made["files"])
    assert {"kernels/union.py:asynchronous", "kernels/find.py:halve"} <= made["kernels"].keys()
    assert all(made["kernels"].values())
    assert all(made["files"].values())
    assert code.of_run(work) == made
    clock = stale.Clock(code.Tree.in_folder(ROOT / "cc_rapids"))
    assert clock.changes({"code": made}, "wall") == ()
    other = code.of_run(lambda: cc_rapids.components(edges, engine="threads", design="none+ecl"))
    assert other["device"] != made["device"]
    both = code.merged([made, other])
    assert both["kernels"] == other["kernels"] | made["kernels"]
    assert both["wall"] not in (made["wall"], other["wall"])


def test_kernels_of_a_gpu_stand_on_what_it_runs_for_the_words_of_the_backend(code):
    edges = np.array([5, 2], np.int32), np.array([2, 7], np.int32)
    with rehearsed() as backend:
        cc_rapids.components(edges, design="strided+rem-cas+splice").labels()
    names = set()
    for kernel in backend.launched.values():
        names |= set(code.functions_of(kernel.part, code.intrinsics_of(kernel)))
    assert {"backends/cuda_intrinsics.py:atomic_cas", "kernels/gather.py:gather"} <= names
    assert all(code.loaded().function(name) for name in names)


def test_a_run_that_fails_is_watched_no_more(code):
    before, call = sys.getprofile(), code.Kernel.__call__
    with pytest.raises(ZeroDivisionError):
        code.of_run(lambda: 1 / 0)
    assert sys.getprofile() is before
    assert code.Kernel.__call__ is call


def test_the_benchmark_of_the_reference_graphs_keeps_both_codes(code):
    graph = generators.reference("kron21", 6)
    options = bench.Options(runs=1, peers=False, watch=code.of_run)
    [row] = bench.measure(graph, backends.get("threads"), ["auto"], ("coo",), ("int32",), options)
    assert row["solve_code"]["kernels"].items() <= row["code"]["kernels"].items()
    assert "results/components.py" in row["code"]["files"]
    assert "results/components.py" not in row["solve_code"]["files"]
    plain = bench.Options(runs=1, peers=False)
    [row] = bench.measure(graph, backends.get("threads"), ["auto"], ("coo",), ("int32",), plain)
    assert not {"code", "solve_code"} & row.keys()


def test_every_table_and_picture_of_measurements_is_known(stale):
    """By the marks of the pages and the files of the pictures, but for those without times."""
    no_times = {"count", "designs", "trials", "pairs-to-components"}
    known = {figure.name.partition(":")[0] for figure in stale.FIGURES}
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        named = re.findall(r"<!-- table: (\w+) -->", page.read_text(encoding="utf-8"))
        assert {f"table {name}" for name in named if name not in no_times} <= known, page.name
    stored = {path.name for path in (ROOT / "docs" / "figures").glob("*.svg")}
    assert {name for name in stored if Path(name).stem not in no_times} <= known
    csvs = {path.name for path in (ROOT / "cc_rapids" / "datasets").glob("measured_*.csv")}
    assert csvs <= known


def test_history_says_so_and_all_other_benchmarks_keep_hashes(stale):
    for figure in stale.FIGURES:
        measured = bool(stale.records.load(figure.record))  # rows of a table may be yet to come
        assert bool(figure.rows(stale.records.HERE)) == measured, f"{figure.name} has no records"
        old = [
            stale.records.is_history(figure.record, row) for row in figure.rows(stale.records.HERE)
        ]
        if not all(old):
            script = ROOT / "benchmarks" / figure.again.split()[0]
            assert "measured_code" in script.read_text(encoding="utf-8"), script.name
        if any(old) and figure.page.startswith("docs"):
            text = (ROOT / figure.page).read_text(encoding="utf-8")
            assert "not renewed since" in text, figure.page
