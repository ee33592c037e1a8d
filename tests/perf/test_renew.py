"""Benchmarks of outdated figures, run again for as long as there is time."""

import itertools
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def renew(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    import renew

    return renew


@pytest.fixture
def found(renew):
    def outdated(record, again, *devices):
        figure = renew.stale.Figure("page.md", f"table {record}", record, "wall", list, again)
        return renew.stale.Outdated(figure, 9, [{"device": name} for name in devices], ["api.py"])

    gpu, threads = "NVIDIA H100", "2 threads, a CPU"
    return [
        outdated("lists", "lists.py", gpu),
        outdated("files", "files.py", threads),
        outdated("first_use", "first_use.py", threads),
        outdated("lists", "lists.py", gpu, gpu),
    ]


def test_each_command_runs_once_where_its_records_were_measured(renew, found):
    assert renew.commands(found, "gpu") == ["lists.py"]
    assert renew.commands(found, "threads") == ["files.py", "first_use.py"]
    assert renew.commands(found, "threads", ["first_use", "lists"]) == ["first_use.py"]


def test_what_fails_or_lasts_is_named_and_the_next_one_runs(
    renew, found, tmp_path, monkeypatch, capfd
):
    folder = tmp_path / "benchmarks"
    folder.mkdir()
    (folder / "files.py").write_text("raise SystemExit(3)")
    (folder / "first_use.py").write_text("print('a record')")
    (folder / "lists.py").write_text("import signal; signal.pause()")
    clock = itertools.count()  # a hundredth of a second passes from one look at it to the next
    monkeypatch.setattr(renew.time, "monotonic", lambda: next(clock) / 100)
    monkeypatch.setattr(renew.measured_code, "ROOT", tmp_path)
    monkeypatch.setattr(renew.stale, "of_now", lambda: found)
    for options, status, errors in (
        (["--on", "threads"], 1, "files.py: failed with status 3\n"),
        (["--on", "threads", "first_use"], 0, ""),
        (["--on", "gpu", "--minutes", "0.01"], 1, "lists.py: did not end within 1 s\n"),
        (["--on", "gpu", "--minutes", "0"], 1, "lists.py: not begun: the time is over\n"),
        (["--on", "gpu", "--dry-run"], 0, ""),
    ):
        monkeypatch.setattr(sys, "argv", ["renew.py", *options])
        assert renew.main() == status
        printed = capfd.readouterr()
        assert printed.err == errors
        assert ("a record" in printed.out) == ("threads" in options)


def test_every_command_of_a_figure_is_that_of_a_benchmark(renew):
    for figure in renew.stale.FIGURES:
        assert (ROOT / "benchmarks" / figure.again.split()[0]).exists(), figure.again


def test_a_machine_without_a_gpu_measures_threads(renew, monkeypatch):
    def missing(name):
        raise renew.EngineError("no GPU")

    monkeypatch.setattr(renew.backends, "get", missing)
    assert renew.here() == "threads"
    monkeypatch.setattr(renew.backends, "get", lambda name: name)
    assert renew.here() == "gpu"
