"""Progress of a run on a cluster: a bar where someone watches, a call, or lines in the log.

The dashboard shows the same tasks by their names, which begin with ``cc_rapids``.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..incremental.progress import terminal_bar

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class DaskProgress:
    """How far a run on a cluster has come.

    Attributes
    ----------
    stage : str
        What is being done, such as ``"forests"`` or ``"hooks, round 2"``.
    done, total : int
        Tasks of that stage.
    seconds : float
        Since the run began.
    """

    stage: str
    done: int
    total: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.stage}: {self.done:,} of {self.total:,}, {self.seconds:,.1f} s"


class Watch:
    """Tells how a run goes on.

    Parameters
    ----------
    wanted : bool or callable
        What the caller gave as ``progress``.
    """

    def __init__(self, wanted: bool | Callable[[DaskProgress], object]) -> None:
        self.start = time.monotonic()
        self.bar: Any = None
        self.tell: Callable[[DaskProgress], object] = _log
        if callable(wanted):
            self.tell = wanted
        elif wanted:
            self.bar, self.task = terminal_bar("forests")
            if self.bar is not None:
                self.tell = self._show

    def _show(self, facts: DaskProgress) -> None:
        self.bar.update(self.task, completed=facts.done, total=facts.total, description=str(facts))

    def report(self, stage: str, done: int, total: int) -> None:
        """Say that so many tasks of a stage are done."""
        self.tell(DaskProgress(stage, done, total, self.seconds))

    @property
    def seconds(self) -> float:
        """The time since the run began."""
        return time.monotonic() - self.start

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()


def _log(facts: DaskProgress) -> None:
    log.info("%s", facts)
