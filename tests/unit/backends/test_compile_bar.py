"""The bar while kernels are compiled: who sees it, when, and that it is removed."""

import contextlib
import io
import multiprocessing
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from support.machine import with_package

from cc_rapids.backends import compile_bar, kernel_times
from cc_rapids.incremental.progress import Reporter

WORDS = "compiling kernels for this machine, once: {} so far"


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    """Return the clock of the bar, which is due after a minute."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(compile_bar, "_series", compile_bar._CompileSeries())
    monkeypatch.setattr(compile_bar, "AFTER", 60.0)
    monkeypatch.setattr(compile_bar, "monotonic", clock := Clock())
    return clock


def compile_for(clock, *seconds, shown=lambda: False):
    """Compile kernels that take some seconds each, the last one until something is shown."""
    with contextlib.redirect_stderr(Terminal()) as drawn:
        for one in seconds:
            with kernel_times.compiling():
                clock.now += one
        if shown is not None:
            with kernel_times.compiling():
                started = time.monotonic()
                while not (shown() or drawn.getvalue()) and time.monotonic() < started + 30:
                    time.sleep(0.001)
    return drawn.getvalue()


def test_a_bar_is_shown_after_two_seconds():
    assert compile_bar.AFTER == 2.0


def test_a_slow_kernel_has_a_bar_that_is_removed(clock, monkeypatch):
    monkeypatch.setattr(compile_bar, "AFTER", 0.001)
    drawn = compile_for(clock)
    assert WORDS.format(1) in drawn
    assert drawn.endswith("\x1b[?25h\r\x1b[1A\x1b[2K")  # cursor shown, line erased


def test_seconds_of_kernels_compiled_one_after_another_are_added(clock):
    drawn = compile_for(clock, 40, 40)
    assert WORDS.format(1) not in drawn
    assert WORDS.format(3) in drawn


def test_kernels_of_calls_apart_are_not_added(clock):
    for _ in range(4):
        assert compile_for(clock, 40, shown=None) == ""
        clock.now += compile_bar.PAUSE + 1


def test_an_interrupt_removes_the_bar(clock, monkeypatch):
    monkeypatch.setattr(compile_bar, "AFTER", 0.0)

    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compile_for(clock, shown=interrupted)
    assert not compile_bar._series.lock.locked()
    assert WORDS.format(2) in compile_for(clock)


def test_other_bars_and_workers_have_none(clock, monkeypatch):
    with kernel_times.watched(lambda: None):
        assert compile_for(clock, 99, 99, shown=None) == ""
    with contextlib.redirect_stderr(Terminal()):
        reporter = Reporter(True)
    with reporter:
        assert compile_for(clock, 99, 99, shown=None) == ""
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: "the main process")
    assert compile_for(clock, 99, 99, shown=None) == ""


def test_a_notebook_has_a_bar_of_html(clock, monkeypatch):
    shown = []

    def display(content, **options):
        shown.append((content, options))
        return SimpleNamespace(update=lambda content, **options: shown.append((content, options)))

    shell = SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    assert compile_for(clock, 99, shown=lambda: shown) == ""
    content = {"text/html": f"<progress></progress> {WORDS.format(2)}"}
    content["text/plain"] = WORDS.format(2)
    removed = {"text/html": "", "text/plain": ""}
    assert shown == [(content, {"raw": True, "display_id": True}), (removed, {"raw": True})]


def test_without_a_terminal_nothing_is_shown_and_rich_is_not_imported():
    script = (
        "import sys, time; from cc_rapids.backends import compile_bar, kernel_times\n"
        "compile_bar.AFTER = 0.01\n"
        "with kernel_times.compiling(): time.sleep(0.1)\n"
        "assert not any(name.split('.')[0] == 'rich' for name in sys.modules)"
    )
    environment = with_package({"FORCE_COLOR": "1", "TERM": "xterm", "PATH": ""})
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stdout + done.stderr == ""
