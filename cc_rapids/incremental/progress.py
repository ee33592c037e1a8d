"""Progress of long calls: a terminal bar, log lines, or calls of a function."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from ..errors import counted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn

    from .state import ConnectivityState

log: logging.Logger = logging.getLogger(__name__)

CALL_SECONDS = 0.5  # seconds between two calls of a function of the caller
BAR_WIDTH = 16  # terminal columns
BAR_SECONDS, LOG_SECONDS = 0.5, 30.0  # seconds between two reports of a stream


@dataclass(frozen=True)
class StreamProgress:
    """The progress of a stream.

    Attributes
    ----------
    edges : int
        The number of edges linked so far, including the edges that earlier runs linked.
    total : int or None
        The number of all edges, if metadata contain it.
    vertices, components : int
        The numbers of vertices and components so far.
    seconds : float
        Seconds since the start of this run.
    rate : float
        Edges per second in this run.
    left : float or None
        The estimated remaining seconds at this rate.
    resumed : int
        How many of ``edges`` were linked by earlier runs, up to a checkpoint.
    rows : int or None
        The number of rows read so far. Only ``edges`` of these rows were linked. None without a
        weight bound or filter.

    See Also
    --------
    cc_rapids.stream_components : Its argument ``progress`` may be a function of a StreamProgress.
    cc_rapids.dask.DaskProgress : The progress of a run on a Dask cluster.
    cc_rapids.ray.DistributedProgress : The progress of a run on a Ray cluster.
    """

    edges: int
    total: int | None
    vertices: int
    components: int
    seconds: float
    rate: float
    left: float | None
    resumed: int = 0
    rows: int | None = None

    @property
    def short(self) -> str:
        """The progress in at most 63 characters, to fit next to a bar."""
        whole = self.total if self.rows is None else self.rows  # with a filter, the rows so far
        of_whole = "" if whole is None else f" of {scaled(whole)}"
        remaining = ""
        if self.left is not None:
            minutes = min(int(self.left / 60), 99_999)  # at most five digits
            remaining = f", {minutes}:{int(self.left % 60):02} left"
        return (
            f"{scaled(self.edges)}{of_whole} edges, {scaled(self.rate)}/s{remaining};"
            f" {scaled(self.components)} component{'' if self.components == 1 else 's'}"
        )

    def __str__(self) -> str:
        total = f" of {self.total:,}" if self.total is not None else ""
        remaining = f", {self.left:,.0f} s left" if self.left is not None else ""
        details = f" ({self.resumed:,} by earlier runs)" if self.resumed else ""
        details += "" if self.rows is None else f" kept of {self.rows:,}"
        return (
            f"{self.edges:,}{total} edges{details}, {self.rate:,.0f} edges/s{remaining};"
            f" {counted(self.components, 'component')} of"
            f" {counted(self.vertices, 'vertex', 'vertices')}"
        )


@dataclass(frozen=True)
class DistributedProgress:
    """The progress of a run on several workers.

    Attributes
    ----------
    stage : str
        The current stage, such as ``"forests"`` or ``"hooks, round 2"``.
    done : int
        The number of finished tasks of this stage.
    total : int or None
        The number of all tasks of this stage; None if the number of partitions is not known in
        advance.
    seconds : float
        Seconds since the run began.

    See Also
    --------
    cc_rapids.dask.components : Its argument ``progress`` may be a function of this.
    cc_rapids.ray.components : Its argument ``progress`` may be a function of this.
    cc_rapids.StreamProgress : The progress of a stream.
    """

    stage: str
    done: int
    total: int | None
    seconds: float

    def __str__(self) -> str:
        total = "" if self.total is None else f" of {self.total:,}"
        return f"{self.stage}: {self.done:,}{total}, {self.seconds:,.1f} s"


def scaled(value: float, unit: str = "") -> str:
    """Return a number with a decimal prefix and a unit, such as "1.5 MB".

    There are at most five characters before the unit.

    Examples
    --------
    >>> scaled(7), scaled(1234), scaled(567_000_000), scaled(8.9e9, "B")
    ('7', '1.2 k', '567 M', '8.9 GB')
    """
    for power, letter in ((12, "T"), (9, "G"), (6, "M"), (3, "k")):
        if value >= 999.5 * 10 ** (power - 3):
            part = value / 10**power
            return f"{part:.{0 if part >= 99.95 else 1}f} {letter}{unit}"
    return f"{value:.0f} {unit}".rstrip()


class Reporter:
    """A reporter that calls a function, draws a bar on a terminal, or writes to the log.

    A reporter is a context manager, which removes the bar at the end. Streams, cluster runs and
    commands use it for their own facts.

    Parameters
    ----------
    shown : bool or callable
        The caller's ``progress`` argument.
    call, bar, logged : float
        The minimum seconds between two calls of the function, two updates of the bar, and two log
        lines. The first call of the function is immediate; the bar and the log begin after their
        interval.
    columns : callable, optional
        Returns the columns of the bar. Defaults to the bar and the facts as text.
    terminal : rich.console.Console, optional
        Where the bar is drawn; stderr by default.
    """

    start: float

    def __init__(
        self,
        shown: bool | Callable[[Any], object],
        *,
        call: float = 0.0,
        bar: float = 0.0,
        logged: float = 0.0,
        columns: Callable[[], Sequence[ProgressColumn]] | None = None,
        terminal: Console | None = None,
    ) -> None:
        self.start = time.monotonic()
        self._last_report, self._interval = self.start, logged  # for the log
        self._call = shown if callable(shown) else None
        self._columns = columns or _fact_columns
        self._bar: Progress | None = None
        self._terminal: Console | None = None  # where the bar is drawn; None without a bar
        self._exit = ExitStack()
        if self._call:
            self._last_report, self._interval = -math.inf, call  # the first report is due
        elif shown:
            from rich.console import Console

            terminal = terminal or Console(stderr=True, markup=False, highlight=False)
            if terminal.is_terminal:
                self._terminal, self._interval = terminal, bar

    @property
    def seconds(self) -> float:
        """The seconds since the start."""
        return time.monotonic() - self.start

    def report(
        self, done: int, total: int | None, facts: Callable[[float], Any], last: bool = False
    ) -> None:
        """Report the progress, if it is due.

        Parameters
        ----------
        done, total : int
            The finished part and the length of the bar; ``total`` is None if unknown.
        facts : callable
            Takes the seconds since the start, and returns the content of a report. It is called
            only if a report is due.
        last : bool
            Report even if no report is due.
        """
        now = time.monotonic()
        if not last and now - self._last_report < self._interval:
            return
        self._last_report = now
        facts_now = facts(now - self.start)
        if self._call:
            self._call(facts_now)
        elif self._terminal:
            self._show(self._terminal, _line(facts_now, self._terminal.width), done, total)
        else:
            log.info("%s", facts_now)

    def _show(self, terminal: Console, description: str, done: int, total: int | None) -> None:
        """Draw the bar, with the description next to it."""
        if self._bar is None:
            from rich.progress import Progress

            self._bar = Progress(*self._columns(), console=terminal, transient=True)
            self._bar.start()
            self._bar.add_task(description, total=total)
        task = self._bar.task_ids[0]
        self._bar.update(task, completed=done, total=total, description=description, refresh=True)

    def __enter__(self) -> Self:
        if self._terminal:  # a terminal shows one bar, so the bar of compilation is turned off
            from ..backends import kernel_times

            self._exit.enter_context(kernel_times.watched(lambda: None))
        return self

    def __exit__(self, *_: object) -> None:
        self._exit.close()
        if self._bar is not None:
            self._bar.stop()


def _line(progress: Any, width: int) -> str:
    """Return facts as text, or their short form if the text does not fit next to the bar."""
    text = str(progress)
    fits = len(text) <= width - BAR_WIDTH - 1
    return text if fits else getattr(progress, "short", text)


def _fact_columns() -> list[ProgressColumn]:
    """Return the columns of a bar with a fixed width and facts truncated to one line."""
    from rich.progress import BarColumn, TextColumn
    from rich.table import Column

    bar = BarColumn(bar_width=BAR_WIDTH, table_column=Column(no_wrap=True, min_width=BAR_WIDTH))
    facts = Column(no_wrap=True, overflow="ellipsis")
    return [bar, TextColumn("{task.description}", markup=False, table_column=facts)]


class StreamReporter(Reporter):
    """A reporter of the progress of a stream of ``total`` rows, resumed from the state ``before``.

    If ``filtered``, a weight bound or a filter drops rows, so the total number of edges is unknown.
    """

    def __init__(
        self,
        shown: bool | Callable[[StreamProgress], object],
        total: int | None,
        before: ConnectivityState | None,
        filtered: bool,
    ) -> None:
        super().__init__(shown, call=CALL_SECONDS, bar=BAR_SECONDS, logged=LOG_SECONDS)
        self.total = total
        self.filtered = filtered
        self.edges_before: int = 0 if before is None else before.edges
        self.rows_before: int = 0 if before is None else before.ledger.given

    def report_state(self, state: ConnectivityState, last: bool = False) -> None:
        """Report the progress, if a report is due or ``last`` is True."""
        self.report(state.ledger.given, self.total, partial(self._facts, state), last)

    def _facts(self, state: ConnectivityState, seconds: float) -> StreamProgress:
        """Return the progress to report; counting components takes a pass over the vertices."""
        with state.backend.scope():
            components = state.components
        edges, rows, total = state.edges, state.ledger.given, self.total
        seconds = max(seconds, 1e-9)
        rate, row_rate = (edges - self.edges_before) / seconds, (rows - self.rows_before) / seconds
        remaining = None
        if total is not None and row_rate > 0:
            remaining = max(0.0, (total - rows) / row_rate)
        total_edges, rows_read = (None, rows) if self.filtered else (total, None)
        counts = edges, total_edges, state.index.n, components
        return StreamProgress(*counts, seconds, rate, remaining, self.edges_before, rows_read)
