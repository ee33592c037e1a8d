"""Progress of calls that last: a bar where someone watches, lines in the log, or a call."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..tuning import tuning

if TYPE_CHECKING:
    from .state import State


def terminal_bar(stage: str, total: int | None = None) -> tuple[Any, Any]:
    """A bar of rich's on stderr, begun, and its only task; (None, None) if that is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    terminal = Console(stderr=True, markup=False, highlight=False)
    if not terminal.is_terminal:
        return None, None
    words = TextColumn("{task.description}", markup=False)
    bar = Progress(BarColumn(bar_width=20), words, console=terminal, transient=True)
    bar.start()
    return bar, bar.add_task(stage, total=total)


log = logging.getLogger(__name__)
BAR_SECONDS, LOG_SECONDS = 0.5, 30.0


@dataclass(frozen=True)
class StreamProgress:
    """How far a stream has come.

    Attributes
    ----------
    edges : int
        Linked so far, those of earlier runs included.
    total : int or None
        All edges, where metadata tell of them.
    vertices, components : int
        So far.
    seconds : float
        Since this run began.
    rate : float
        Edges a second in this run.
    left : float or None
        Seconds until the end, if it goes on at this rate.
    resumed : int
        Those of ``edges`` that earlier runs have linked, up to a checkpoint.
    """

    edges: int
    total: int | None
    vertices: int
    components: int
    seconds: float
    rate: float
    left: float | None
    resumed: int = 0

    def __str__(self) -> str:
        total = f" of {self.total:,}" if self.total is not None else ""
        left = f", {self.left:,.0f} s left" if self.left is not None else ""
        before = f" ({self.resumed:,} by earlier runs)" if self.resumed else ""
        return (
            f"{self.edges:,}{total} edges{before}, {self.rate:,.0f} edges/s{left};"
            f" {self.components:,} components of {self.vertices:,} vertices"
        )


class Reporter:
    """Tells how a stream goes on, every so often: each time costs a pass over the vertices.

    Parameters
    ----------
    wanted : bool or callable
        What the caller gave as ``progress``.
    total : int, optional
        All edges.
    before : int
        Edges of earlier runs.
    """

    def __init__(
        self, wanted: bool | Callable[[StreamProgress], object], total: int | None, before: int
    ) -> None:
        self.total, self.before = total, before
        self.start = self.last = time.monotonic()
        self.bar: Any = None
        self.tell: Callable[[StreamProgress], object] = self._log
        self.every = LOG_SECONDS
        if callable(wanted):
            self.tell, self.every = wanted, tuning.progress_call_seconds
            self.last = -math.inf  # the first chunk is told of, whenever it comes
        elif wanted:
            self.bar, self.task = terminal_bar("reading", self.total)
            if self.bar is not None:
                self.tell, self.every = self._show, BAR_SECONDS

    def _show(self, facts: StreamProgress) -> None:
        self.bar.update(self.task, completed=facts.edges, description=str(facts))

    def _log(self, facts: StreamProgress) -> None:
        log.info("%s", facts)

    def report(self, state: State, last: bool = False) -> None:
        """Say how far it is, if it is time or the end."""
        now = time.monotonic()
        if not last and now - self.last < self.every:
            return
        self.last = now
        spent = max(now - self.start, 1e-9)
        rate = (state.edges - self.before) / spent
        left = (self.total - state.edges) / rate if self.total is not None and rate > 0 else None
        with state.engine.scope():
            trees = state.components
        self.tell(
            StreamProgress(
                state.edges,
                self.total,
                state.index.n,
                trees,
                spent,
                rate,
                None if left is None else max(0.0, left),
                self.before,
            )
        )

    def close(self) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.stop()
