"""The output of commands: tables and progress for people, and JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ...incremental.progress import Reporter
from ...tuning import tuning

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import ProgressColumn
    from rich.table import Table

    Report = Callable[[int, int], object]


as_json = click.option(
    "--json",
    "json_output",
    is_flag=True,
    help="Print one JSON object and nothing else; progress goes to stderr.",
)
quiet_option = click.option("--quiet", is_flag=True, help="Print nothing but errors.")


def console(stderr: bool = False) -> Console:
    """Return a terminal.

    Names and paths are shown as they are, though they may look like markup.
    """
    from rich.console import Console

    return Console(stderr=stderr, markup=False, highlight=False)


def print_json(facts: dict[str, Any]) -> None:
    """Print one JSON object on stdout."""
    click.echo(json.dumps(facts))


def print_rows(rows: dict[str, str | None]) -> None:
    """Print a table of names and values, without None."""
    from rich.table import Table

    table = Table(show_header=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in rows.items():
        if value is not None:
            table.add_row(name, value)
    print_table(table)


def print_table(table: Table) -> None:
    """Print a table on stdout."""
    console().print(table)


def seconds(value: float | None) -> str:
    """Return a time as text."""
    return "-" if value is None else f"{value:.3f} s"


def size(value: int | None) -> str:
    """Return a number of bytes as text."""
    if value is None:
        return "-"
    return f"{value / 2**30:.2f} GiB" if value >= 2**30 else f"{value / 2**20:.1f} MiB"


@contextmanager
def progress(words: str, quiet: bool, unit: str = "B") -> Iterator[Report | None]:
    """Show a progress bar on a terminal's stderr for long work, with rate and time left.

    Parameters
    ----------
    words
        What is done, such as ``"reading a.csv"``.
    quiet
        Show none.
    unit
        ``"B"`` for bytes, or the word for what is counted.
    """
    terminal = console(stderr=True)
    if quiet or not terminal.is_terminal:
        yield None
        return
    columns = partial(_columns, unit)
    with Reporter(True, bar=tuning.silent_seconds, columns=columns, terminal=terminal) as reporter:
        yield lambda done, total: reporter.report(done, total, lambda _: words)


def _columns(unit: str) -> list[ProgressColumn]:
    from rich import progress as rich
    from rich.text import Text

    class Counted(rich.ProgressColumn):
        """The column of a progress bar with the amount done and the rate."""

        def render(self, task: rich.Task) -> Text:
            rate = f", {task.speed:,.0f}/s" if task.speed else ""
            return Text(f"{task.completed:,.0f} of {task.total or 0:,.0f} {unit}{rate}")

    bytes_done: list[ProgressColumn] = [rich.DownloadColumn(), rich.TransferSpeedColumn()]
    words = rich.TextColumn("{task.description}", markup=False)
    done = bytes_done if unit == "B" else [Counted()]
    return [words, rich.BarColumn(), *done, rich.TimeRemainingColumn()]
