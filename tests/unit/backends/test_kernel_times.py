"""The time of compiling and loading kernels, apart from the time in which they run."""

import json
import logging
import os
import subprocess
import sys
import threading
import time

import pytest
from support.machine import with_package

from cc_rapids import backends
from cc_rapids.backends import kernel_times
from cc_rapids.backends.base import Kernel
from cc_rapids.backends.device_function import Part
from cc_rapids.tools.cli import show


def count_up(i, array):
    array[i] = i


@pytest.fixture
def fresh(own_store):
    """Run a kernel that no process has compiled."""
    on, xp = backends.get("threads"), __import__("numpy")

    def run(kernel=None):
        kernel = kernel or Kernel(on, "elementwise", Part(count_up))
        kernel(9, array := xp.zeros(9, xp.uint32))
        assert array.tolist() == list(range(9))
        return kernel

    return run


def test_a_kernel_is_compiled_once_and_loaded_by_others(fresh):
    announced = []
    with kernel_times.watched(lambda: announced.append("now")) as first:
        started = time.perf_counter()
        kernel = fresh()
        assert 0 < first.seconds <= time.perf_counter() - started
    assert (first.compiled, announced) == (1, ["now"])
    with kernel_times.watched(lambda: announced.append("again")) as second:
        fresh()
    assert (second.compiled, announced) == (0, ["now"])
    assert second.seconds > 0
    with kernel_times.watched() as third:
        fresh(kernel)
    assert (third.compiled, third.seconds) == (0, 0.0)


def test_nested_watchers_count_the_same(fresh):
    with kernel_times.watched() as outer, kernel_times.watched() as inner:
        fresh()
    assert outer.compiled == inner.compiled == 1
    assert outer.seconds == inner.seconds
    assert kernel_times._watching == []


@pytest.mark.parametrize(
    ("compiled", "seconds", "rows"),
    [
        (7, 3.0, {"time to compile": "3.000 s: 7 kernels for this machine, once"}),
        (1, 3.0, {"time to compile": "3.000 s: 1 kernel for this machine, once"}),
        (0, 0.02, {"time to load kernels": "0.020 s"}),
        (0, 0.0, {}),
    ],
)
def test_rows(compiled, seconds, rows):
    assert show.kernel_rows(kernel_times.KernelTimes(seconds, compiled), seconds) == rows


def compile_twice(seconds=0.0):
    for _ in range(2):
        with kernel_times.compiling():
            time.sleep(seconds)


@pytest.mark.parametrize(("quiet", "is_terminal"), [(False, True), (True, True), (False, False)])
def test_compiling_is_announced_on_a_terminal(monkeypatch, quiet, is_terminal):
    from rich.console import Console

    drawn = Console(record=True, force_terminal=is_terminal, width=80, stderr=True)
    monkeypatch.setattr(show, "console", lambda stderr=False: drawn)
    with show.kernels(quiet) as times:
        compile_twice()
    assert times.compiled == 2
    told = "compiling kernels for this machine, once ...\n"
    assert drawn.export_text() == (told if is_terminal and not quiet else "")


def test_a_process_logs_once_that_it_compiles(monkeypatch, caplog):
    monkeypatch.setattr(kernel_times, "_announced", threading.Event())
    with caplog.at_level(logging.INFO, "cc_rapids"):
        compile_twice()
    assert [record.message for record in caplog.records] == [kernel_times.COMPILING]


@pytest.mark.extended
@pytest.mark.slow
@pytest.mark.skipif("CC_RAPIDS_SIMULATOR" in os.environ, reason="nothing is compiled")
def test_the_first_run_of_a_machine_says_what_it_spent(own_store, tmp_path):
    (tmp_path / "pairs.csv").write_text("src,dst\n1,2\n")

    def run(*words):
        command = [sys.executable, "-m", "cc_rapids.cli", "calculate", "pairs.csv", *words]
        environment = with_package(os.environ)
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, check=True, env=environment
        )
        assert done.stderr == ""
        return done.stdout

    first, second = (json.loads(run("--json")) for _ in range(2))
    assert first["kernels_compiled"] > 0
    assert second["kernels_compiled"] == 0
    assert all(facts["seconds"]["kernels"] > 0 for facts in (first, second))
    assert "time to load kernels" in run()
