"""Where everything has to be, what is missing is an error: a machine without a GPU shows it."""

import ast
import os
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

import cc_rapids
from cc_rapids import backends
from cc_rapids.algorithms import run
from support import gpu_machine
from support.machine import ROOT, with_package

FILES = sorted((ROOT / "tests" / "gpu").glob("*.py"))


def test_every_library_that_a_test_may_skip_for_is_asked_for():
    named = set()
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                named |= {alias.name for alias in node.names}
            if isinstance(node, ast.ImportFrom) and not node.level:
                named.add(node.module)
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.importorskip":
                named |= {a.value for a in node.args if isinstance(a, ast.Constant)}
    own = {"cc_rapids", "numpy", "numba", "pytest", "support", *(path.stem for path in FILES)}
    own |= {path.stem for path in (ROOT / "benchmarks").glob("*.py")}
    own |= sys.stdlib_module_names
    others = {name for name in named if name.partition(".")[0] not in own}
    known = {name.partition(".")[0] for name in (*gpu_machine.LIBRARIES, *gpu_machine.OPTIONAL)}
    assert {"cudf", "cugraph", "cupy", "rmm", "dask_cudf"} <= known
    assert {name.partition(".")[0] for name in others} <= known


@pytest.mark.extended
@pytest.mark.skipif(not gpu_machine.missing(("cupy",)), reason="there may be a GPU")
def test_without_a_gpu_the_session_does_not_begin():
    """And without the option a file of it is skipped, as it always was."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    file = "tests/gpu/test_gpu_plots.py"
    options = {"env": with_package(os.environ), "cwd": ROOT, "capture_output": True, "text": True}
    done = subprocess.run([*command, "--gpu", file], **options)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--gpu needs what is missing here:" in done.stderr
    assert "\n  an NVIDIA GPU (CuPy finds none)\n" in done.stderr
    for name in ("cudf", "cugraph", "nx_cugraph"):
        assert re.search(rf"\n  {name} \((Module|Import)\w*Error: ", done.stderr), name
    done = subprocess.run([*command, file], **options)
    assert done.returncode == 0
    assert "no NVIDIA GPU here" in done.stdout


class Config:
    """Enough of pytest's."""

    def __init__(self, *args, keyword=""):
        self.args, self.keyword = args, keyword

    def getoption(self, name):
        return self.keyword if name == "keyword" else ""


@pytest.mark.parametrize(
    ("config", "whole"),
    [
        (Config("tests/gpu", "tests/contract/backends"), True),
        (Config("tests"), True),
        (Config("tests/gpu/test_gpu_ids.py"), False),
        (Config("tests/gpu", keyword="races"), False),
        (Config("tests/contract/backends"), False),
    ],
)
def test_all_designs_are_asked_for_where_all_tests_of_the_gpu_run(monkeypatch, config, whole):
    monkeypatch.chdir(ROOT)
    assert gpu_machine.GpuMachine(config).whole is whole


def reported(machine, outcome, reason="", when="call"):
    """What becomes of a report, as pytest hands it through the hook."""
    report = SimpleNamespace(
        when=when, outcome=outcome, longrepr=("file", 1, reason), user_properties=[]
    )
    report.skipped = outcome == "skipped"
    hook = machine.pytest_runtest_makereport(SimpleNamespace(nodeid="test"), None)
    next(hook)
    with pytest.raises(StopIteration) as end:
        hook.send(report)
    report = end.value.value
    report.passed = report.outcome == "passed"
    machine.pytest_runtest_logreport(report)
    return report.outcome


def test_a_test_that_is_skipped_has_failed_unless_the_machine_is_the_reason():
    machine = gpu_machine.GpuMachine(Config())
    reason = "Skipped: could not import 'cugraph': No module named 'cugraph'"
    assert reported(machine, "skipped", reason) == "failed"
    assert reported(machine, "skipped", reason, when="setup") == "failed"
    assert reported(machine, "skipped", "Skipped: an all-gather takes two GPUs") == "skipped"
    assert reported(machine, "passed") == "passed"


@pytest.fixture
def session(monkeypatch):
    """A machine whose session has begun, on an engine that says it is a GPU's."""
    monkeypatch.setattr(run, "solve", run.solve)
    monkeypatch.setattr(backends.get("threads"), "on_device", True, raising=False)
    monkeypatch.chdir(ROOT)
    machine = gpu_machine.GpuMachine(Config("tests/gpu"))
    machine.pytest_sessionstart()
    return machine


def ended(machine):
    """The exit status of a session in which all tests have passed, and what it says."""
    session, said = SimpleNamespace(exitstatus=pytest.ExitCode.OK), []
    machine.pytest_sessionfinish(session)
    reporter = SimpleNamespace(section=said.append, line=lambda line, **how: said.append(line))
    machine.pytest_terminal_summary(reporter)
    return session.exitstatus, said[1]


def test_the_session_says_that_each_design_has_run_or_which_have_not(session, monkeypatch):
    three = ["none+async+halve", "strided+async+halve", "shiloach-vishkin"]
    monkeypatch.setattr(cc_rapids, "designs", lambda: list(map(cc_rapids.Design.parse, three)))
    for name in three[:2]:
        cc_rapids.components(([1], [2]), design=name)
        reported(session, "passed")
    cc_rapids.components(([1], [2]), design=three[2])
    reported(session, "failed")  # in which a design has run, but not well
    status, said = ended(session)
    assert status == pytest.ExitCode.TESTS_FAILED
    assert said == "2 of 3 designs have run on the GPU, but not shiloach-vishkin"
    cc_rapids.components(([1], [2]), design=three[2])
    reported(session, "passed")
    assert ended(session) == (pytest.ExitCode.OK, "3 of 3 designs have run on the GPU")
