"""Evaluations: which runs there are, what is checked, and which figures they make."""

import csv
import json
from concurrent.futures import Future

import numpy as np
import pytest

from cc_rapids import backends, oracle
from cc_rapids.errors import DesignError, InputError, MissingExtraError
from cc_rapids.tools import charts, evaluate
from cc_rapids.tools.evaluate import figures, processes, sampling
from cc_rapids.tools.generators import pieces

pytestmark = pytest.mark.slow

THREADS = "threads"


@pytest.fixture
def folder(tmp_path):
    """Two tiny files of one family, one of names, and what is no graph."""
    home = tmp_path / "graphs"
    home.mkdir()
    for density in (0.05, 0.5):
        src, dst = pieces.gnm(20, round(190 * density)).gather()
        edges = "".join(f"E {u} {v} 1\n" for u, v in zip(src, dst, strict=True))
        (home / f"gnm-{density}.he").write_text(f"H 20 {len(src)} 1\n{edges}")
    (home / "names.csv").write_text("src,dst\na,b\nc,d\nb,e\n")
    (home / "README").write_text("nothing")
    return home


def rows_of(folder, designs, **options):
    plan = evaluate.Plan(designs, **{"rounds": 1} | options)
    return list(evaluate.evaluate(evaluate.sources(folder), plan, backends.get(THREADS)))


def test_all_designs_over_all_files(folder):
    seen = []
    plan = evaluate.Plan(["none+async+halve", "kout+async+halve"], rounds=2)
    paths = evaluate.sources(folder)
    (folder / "broken.he").write_text("H 2 2 1\nE 0 x 1\n")
    _, *found = list(
        evaluate.evaluate(
            [folder / "broken.he", *paths],
            plan,
            backends.get(THREADS),
            lambda *now: seen.append(now),
        )
    )
    assert [(row["file"], row["design"]) for row in found] == [
        (path.name, design) for path in paths for design in plan.designs
    ]
    assert all(row["checked"] and row["wall_ms"]["runs"] == 2 for row in found)
    assert [row["components"] for row in found[4:]] == [2, 2]
    assert [round(row["density"], 2) for row in found[:4:2]] == [0.05, 0.5]
    assert seen == [(k, 8) for k in range(2, 9)]


def test_what_cannot_run_is_a_row(folder):
    (folder / "broken.he").write_text("H 2 2 1\nE 0 x 1\n")
    (folder / "holes.csv").write_text("src,dst\n1,2\n,3\n")
    found = {row["file"]: row for row in rows_of(folder, ["none+async+halve"])}
    assert "line 2" in found["broken.he"]["not_run"]
    assert "lack an id" in found["holes.csv"]["not_run"]
    assert "wall_ms" in found["names.csv"]


def test_wrong_answers_are_rows_without_times(folder, monkeypatch):
    from cc_rapids.tools.evaluate import runs

    right, calls = runs.label_columns, []

    def twisted(labels):
        calls.append(labels)
        vertex, label = right(labels)
        return [vertex, label if len(calls) == 1 else label[::-1]]

    monkeypatch.setattr(runs, "label_columns", twisted)
    (folder / "gnm-0.5.he").unlink()
    (folder / "names.csv").unlink()
    first, second = rows_of(folder, ["none+async+halve", "kout+async+halve"])
    assert "wall_ms" in first
    assert second["wrong"] == "row 0: the label differs from that of a proved answer"
    assert "wall_ms" not in second


def test_unknown_designs_and_folders(folder, tmp_path):
    with pytest.raises(DesignError):
        rows_of(folder, ["asynk"])
    with pytest.raises(InputError, match="not a directory"):
        evaluate.sources(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no file in"):
        evaluate.sources(tmp_path / "empty")


def test_threads_are_as_many_as_asked_for(folder):
    threads = backends.get(THREADS)
    before = threads.workers
    with threads.using(3):
        assert threads.device_name.startswith("3 threads")
    assert threads.workers == before
    found = rows_of(folder, ["none+async+halve"], threads=[1, 3])
    assert [row["threads"] for row in found[:2]] == [1, 3]
    assert dict(figures.drawn(found, "none+async+halve")).keys() >= {"threads-names.csv"}


def test_kinds_of_memory_are_asked_for_by_name(folder):
    kinds = ["device", "pinned", "zero-copy"]
    found = rows_of(folder, ["none+async+halve"], memory=kinds)
    assert [row["memory"] for row in found] == kinds * 3
    assert all(row["checked"] for row in found)
    assert "memory" in dict(figures.drawn(found, "none+async+halve"))
    assert "not_run" in rows_of(folder, ["none+async+halve"], memory=["pined"])[0]


@pytest.mark.extended
def test_processes_beside_threads(folder):
    for path in folder.glob("*.he"):
        path.unlink()
    (folder / "loops.csv").write_text("src,dst\n3,3\n1,2\n4,4\n2,5\n")
    found = rows_of(folder, ["none+async+halve"], threads=[1], processes=[1, 3])
    assert [(row["threads"], row["processes"]) for row in found[:3]] == [
        (1, None),
        (1, 1),
        (1, 3),
    ]
    for row in found:
        if row["file"] == "names.csv" and row["processes"]:
            assert "integer ids" in row["not_run"]
        else:
            assert row["checked"]
    (name, figure), *_ = figures.threads([row for row in found if "wall_ms" in row], "")
    assert name == "threads-loops.csv"
    labels = [line.get_label() for line in figure.axes[0].get_lines()]
    assert labels == ["none+async+halve, threads", "none+async+halve, processes"]
    (row,) = [r for r in rows_of(folder, ["soman"], processes=[2]) if r["file"] == "loops.csv"]
    assert "forest" in row["not_run"]


@pytest.mark.extended
def test_reductions_and_mixes_of_processes(folder):
    facts = {"processes": [2], "threads_per_process": [1, 2], "reductions": ["pairs", "samples"]}
    rows = [row for row in rows_of(folder, ["none+async+halve"], **facts) if row["file"][0] == "g"]
    mixes = [(row["threads"], row["processes"], row["reduction"]) for row in rows[:4]]
    assert mixes == [(t, 2, how) for t in (1, 2) for how in ("pairs", "samples")]
    assert all(row["checked"] for row in rows)
    labels = {figures.workers_of(row) for row in rows}
    assert len(labels) == 4
    with pytest.raises(InputError, match="unknown reduction 'pair'"):
        rows_of(folder, ["none+async+halve"], processes=[2], reductions=["pair"])


class InThisProcess:
    """A pool that calls functions at once."""

    map = staticmethod(map)

    def submit(self, function, *arguments):
        done = Future()
        done.set_result(function(*arguments))
        return done


@pytest.mark.parametrize("n", [1, 2, 50, 3000])
def test_sampling_finds_the_components_that_scipy_finds(n, monkeypatch):
    monkeypatch.setattr(sampling, "sample_sizes", lambda counts, n: [-(-k // 3) for k in counts])
    src, dst = np.random.default_rng(n).integers(0, n, (2, 4 * n // 5 + 1), np.int32)
    with (
        processes.shared((2, src.size), np.int32) as place,
        processes.shared((2, src.size), np.int32) as rest,
        processes.shared((2, n), np.int32) as both,
    ):
        with processes.attached(place) as columns:
            columns[:] = src, dst
        design = "none+async+halve"
        tails, heads = sampling.Sampling(InThisProcess(), 3, place, design, rest, both).forest()
    labels = np.arange(n)
    labels[tails] = heads
    oracle.against_scipy(src, dst, n, np.unique(labels, return_inverse=True)[1])


def test_samples_are_in_proportion_to_their_parts():
    # 147 edges for 100 vertices: 100 ** 1.045 * 1.2 is 147.6
    assert sampling.sample_sizes([600, 300, 100], 100) == [89, 45, 15]
    assert sampling.sample_sizes([3, 0], 100) == [3, 0]


def run_of(**facts):
    given = {"file": "a.he", "vertices": 9, "density": 0.5}
    given |= {"memory": None, "threads": None, "processes": None, "reduction": None}
    facts = given | facts
    facts.setdefault("ran", facts["design"])
    return facts | {"wall_ms": {"median": facts.pop("ms"), "least": 1, "greatest": 2, "runs": 3}}


def heights(figure):
    return [patch.get_height() for patch in figure.axes[0].patches]


class TestFigures:
    def test_time_over_density(self):
        rows = [run_of(design="x", density=d, ms=1 + d, file=str(d)) for d in (0.5, 0.0, 0.1)]
        (name, figure), *rest = figures.over_density(rows, "x")
        assert (name, rest) == ("density-9-vertices", [])
        (line,) = figure.axes[0].get_lines()
        assert line.get_xdata().tolist() == [0.0, 0.1, 0.5]
        assert list(figures.over_density(rows[:1], "x")) == []

    def test_speed_up_over_the_baseline(self):
        rows = [run_of(design="x", ms=6), run_of(design="y", ms=2), run_of(design="z", ms=12)]
        ((_, figure),) = figures.speed_up(rows, "x")
        assert heights(figure) == [3, 0.5]

    def test_on_a_gpu_the_device_counts(self):
        rows = [run_of(design=name, ms=9) for name in "xy"]
        for row, spent in zip(rows, (4, 1), strict=True):
            row["device_ms"] = {"median": spent}
        ((_, figure),) = figures.speed_up(rows, "x")
        assert heights(figure) == [4]

    def test_segments(self):
        rows = [run_of(design=f"adaptive(segments={k})", ms=8 / k) for k in (4, 1, 2)]
        ((_, figure),) = figures.segments(rows, "x")
        assert figure.axes[0].get_lines()[0].get_ydata().tolist() == [1, 2, 4]
        assert list(figures.segments(rows[:1], "x")) == []

    def test_stages_over_what_they_call(self):
        rows = [
            run_of(design="soman", ms=1),
            run_of(design="async+halve", ran="none+async+halve", ms=6),
            run_of(design="async+halve", ran="none+async+halve", ms=1, threads=2),
            run_of(design="stages+async+halve", ms=2),
            run_of(design="graft-shortcut", ms=5),
            run_of(design="stages(q=2)+graft-shortcut", ms=10),
        ]
        ((_, figure),) = figures.stages(rows, "x")
        assert heights(figure) == [3, 0.5]

    def test_memory(self):
        kinds = ("device", "pinned", "zero-copy")
        rows = [run_of(design="x", memory=kind, ms=k + 1) for k, kind in enumerate(kinds)]
        ((_, figure),) = figures.memory(rows, "x")
        assert heights(figure) == [1, 2, 3]
        assert list(figures.memory(rows[:1], "x")) == []


def test_files_are_written_whole(folder, tmp_path):
    found, out = rows_of(folder, ["none+async+halve", "kout+async+halve"]), tmp_path / "out"
    written = evaluate.write(found, {"device": "d"}, out, "none+async+halve", figures=True)
    names = {"runs.csv", "runs.jsonl", "density-20-vertices.png", "speed-up.png"}
    assert {path.name for path in written} == {path.name for path in out.iterdir()} == names
    with (out / "runs.csv").open() as file:
        cells = list(csv.DictReader(file))
    assert [float(cell["wall_ms"]) for cell in cells] == [row["wall_ms"]["median"] for row in found]
    lines = (out / "runs.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [{"device": "d"} | row for row in found]


def test_a_figure_is_the_same_each_time(tmp_path):
    for suffix in ("svg", "png"):
        for name in ("a", "b"):
            figure = charts.lines({"x": [(1, 2), (3, 4)]}, "x", "y", log="xy")
            charts.save(figure, tmp_path / f"{name}.{suffix}")
        assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()


def test_figures_need_matplotlib(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install '.\[plot\]'"):
        charts.bars(["a"], {"x": [1.0]}, "y")


class TestCommand:
    def test_json(self, run, folder, tmp_path):
        words = "--algorithm", "soman", "--design", "adaptive", "--rounds", 1, "--json"
        done = run("evaluate", folder, *words, "--engine", THREADS, "--out", tmp_path / "o")
        assert (done.exit_code, done.stderr) == (0, "")
        facts = json.loads(done.stdout)
        assert facts["baseline"] == "soman"
        assert {row["design"] for row in facts["runs"]} == {"soman", "adaptive"}
        assert str(tmp_path / "o" / "speed-up.png") in facts["written"]

    def test_a_table_for_people(self, run, folder):
        done = run("evaluate", folder, "--rounds", 1, "--design", "none+async+halve")
        assert (done.exit_code, done.stderr) == (0, "")
        assert "gnm-0.05.he" in done.stdout
        assert "1.00 x" in done.stdout
        assert run("evaluate", folder, "--rounds", 1, "--quiet").output == ""

    @pytest.mark.parametrize("drawing", [True, False])
    def test_figures_need_matplotlib(self, run, folder, tmp_path, monkeypatch, drawing):
        monkeypatch.setattr(charts, "available", lambda: drawing)
        words = "--rounds", 1, "--design", "none+async+halve", "--out", tmp_path / "o"
        done = run("evaluate", folder, *words)
        assert ("no figures without matplotlib" in done.stderr) is not drawing
        assert any((tmp_path / "o").glob("*.png")) is drawing

    def test_a_file_that_cannot_be_read_is_a_failure(self, run, folder):
        (folder / "broken.he").write_text("H 2 2 1\nE 0 x 1\n")
        done = run("evaluate", folder, "--rounds", 1, "--design", "none+async+halve")
        assert done.exit_code == 1
        assert "line 2" in done.stdout

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (("--baseline", "soman", "--design", "adaptive"), "is not one of the algorithms"),
            (("--out", "/nowhere/else"), "there is no directory /nowhere"),
            (("--design", "asynk"), "unknown"),
        ],
    )
    def test_errors(self, run, folder, words, message):
        done = run("evaluate", folder, *words)
        assert (done.exit_code, done.stdout) == (2, "")
        assert message in done.stderr

    def test_a_graph_of_the_folder_is_not_replaced(self, run, folder):
        graph = folder / "runs.csv"
        graph.write_text("1,2\n")
        done = run("evaluate", folder, "--out", folder)
        assert (done.exit_code, graph.read_text()) == (2, "1,2\n")
        assert "runs.csv is the input file" in done.stderr

    @pytest.mark.parametrize("where", ["a run", "a figure"])
    def test_ctrl_c_leaves_no_half_file(self, run, folder, tmp_path, monkeypatch, where):
        from matplotlib.figure import Figure

        from cc_rapids.tools.evaluate import runs

        def interrupted(*given, **named):
            raise KeyboardInterrupt

        if where == "a figure":
            monkeypatch.setattr(Figure, "savefig", interrupted)
        else:
            monkeypatch.setattr(runs, "timed", interrupted)
        out = tmp_path / "out"
        words = "--rounds", 1, "--design", "none+async+halve", "--out", out
        assert run("evaluate", folder, *words).exit_code == 130
        left = sorted(path.name for path in out.iterdir()) if out.exists() else []
        assert left == (["runs.csv", "runs.jsonl"] if where == "a figure" else [])
        assert all(len((out / name).read_text().splitlines()) >= 3 for name in left)
