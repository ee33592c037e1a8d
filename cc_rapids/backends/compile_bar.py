"""A bar in a terminal or a notebook, shown while kernels compile for more than two seconds."""

from __future__ import annotations

import math
import multiprocessing
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

AFTER = 2.0  # seconds of compiling before the bar is shown
PAUSE = 1.0  # seconds without compiling after which the count begins at zero again
BAR_WIDTH = 16  # terminal columns


class _TerminalBar:
    """A bar in a terminal; the thread of a timer calls ``start``."""

    def __init__(self, text: str) -> None:
        self.text = text

    def start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        columns = BarColumn(bar_width=BAR_WIDTH), TextColumn("{task.description}", markup=False)
        self.progress = Progress(
            *columns,
            console=Console(stderr=True),
            transient=True,
            redirect_stdout=False,  # the bar is removed before the call continues
            redirect_stderr=False,
        )
        self.progress.add_task(self.text, total=None)
        self.progress.start()

    def stop(self) -> None:
        self.progress.stop()


class _NotebookBar:
    """A bar that the browser animates; rich needs ipywidgets to draw one."""

    def __init__(self, text: str) -> None:
        self.shown = {"text/html": f"<progress></progress> {text}", "text/plain": text}

    def start(self) -> None:
        from IPython.display import display

        self.handle = display(  # type: ignore[no-untyped-call]
            self.shown, raw=True, display_id=True
        )

    def stop(self) -> None:
        self.handle.update({"text/html": "", "text/plain": ""}, raw=True)


class _CompileSeries:
    """Kernels compiled one after another: how many, their seconds, and when the last one ended."""

    def __init__(self) -> None:
        self.lock = threading.Lock()  # held while a kernel is compiled
        self.kernels, self.seconds, self.ended = 0, 0.0, -math.inf


_series = _CompileSeries()


@contextmanager
def shown_while(text: str) -> Iterator[None]:
    """Return a context in which one kernel is compiled; show a bar after ``AFTER`` seconds.

    The seconds count over kernels that are compiled one after another. Nothing is shown if stderr
    is not a terminal, or if another process has started this one as a worker. If several threads
    compile at the same time, only one of them shows a bar.
    """
    bar_class = _bar_class()
    if bar_class is None or not _series.lock.acquire(blocking=False):
        yield
        return
    try:
        started = monotonic()
        if started - _series.ended > PAUSE:
            _series.kernels, _series.seconds = 0, 0.0
        _series.kernels += 1
        bar = bar_class(f"{text}: {_series.kernels} so far")
        has_started = threading.Event()

        def start() -> None:
            bar.start()
            has_started.set()

        timer = threading.Timer(max(AFTER - _series.seconds, 0), start)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()  # otherwise the timer might start the bar after the next line
            if has_started.is_set():
                bar.stop()
            _series.ended = monotonic()
            _series.seconds += _series.ended - started
    finally:
        _series.lock.release()


def _bar_class() -> type[_TerminalBar | _NotebookBar] | None:
    """Return the class of the bar that this process can show, or None."""
    if multiprocessing.parent_process() is not None:  # this process is a worker
        return None
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if hasattr(shell, "kernel"):  # Jupyter; IPython in a terminal has none
        return _NotebookBar
    return _TerminalBar if sys.stderr is not None and sys.stderr.isatty() else None
