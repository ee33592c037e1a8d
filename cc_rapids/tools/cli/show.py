"""Print the output of commands: tables and progress for people, JSON for programs."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ...errors import counted
from ...incremental.progress import Reporter, scaled
from .group import LINE_SECONDS, PROGRESS

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import ProgressColumn
    from rich.table import Table

    from ...backends.kernel_times import KernelTimes

    Report = Callable[[int, int], object]

SILENT_SECONDS = 1.0  # seconds of work before a progress bar appears


def console(stderr: bool = False) -> Console:
    """Return a console that prints names and paths literally, even if they look like markup."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, highlight=False)


def print_json(facts: dict[str, Any]) -> None:
    """Print one JSON object on stdout."""
    click.echo(json.dumps(facts))


def print_rows(rows: dict[str, str | None]) -> None:
    """Print a table of names and values; omit values that are None."""
    from rich.table import Table

    table = Table(show_header=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in rows.items():
        if value is not None:
            table.add_row(name, value)
    print_table(table)


def compact(*names: str, numbers: tuple[str, ...] = ()) -> Table:
    """Return a table without rows, and without lines between columns.

    Long cells are wrapped. The columns in ``numbers`` are right-aligned and not wrapped.
    """
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in names:
        is_number = name in numbers
        justify: Any = "right" if is_number else "left"
        table.add_column(name, overflow="fold", justify=justify, no_wrap=is_number)
    return table


def report(
    facts: dict[str, Any], rows: dict[str, str | None], shown: bool, json_output: bool
) -> None:
    """Print facts as JSON, or their rows as a table unless the command shows nothing."""
    if json_output:
        print_json(facts)
    elif shown:
        print_rows(rows)


def print_table(table: Table) -> None:
    """Print a table on stdout."""
    console().print(table)


def seconds(value: float | None) -> str:
    """Format a time in seconds."""
    return "-" if value is None else f"{value:.3f} s"


def size(value: int | None) -> str:
    """Format a number of bytes."""
    if value is None:
        return "-"
    return f"{value / 2**30:.2f} GiB" if value >= 2**30 else f"{value / 2**20:.1f} MiB"


def kernel_rows(times: KernelTimes, kernel_seconds: float) -> dict[str, str | None]:
    """Return a row with the time to compile or load kernels; no row if this took no time.

    ``kernel_seconds`` may leave out kernels that ``times`` counts, for work that is not reported.
    """
    if times.compiled:
        count = counted(times.compiled, "kernel")
        return {"time to compile": f"{seconds(kernel_seconds)}: {count} for this machine, once"}
    return {"time to load kernels": seconds(kernel_seconds)} if kernel_seconds else {}


def times_since(start: float, times: KernelTimes) -> dict[str, float]:
    """Return the seconds since ``start`` without those spent on kernels, which are separate."""
    return {
        "seconds": time.perf_counter() - start - times.seconds,
        "kernel_seconds": times.seconds,
        "kernels_compiled": times.compiled,
    }


@contextmanager
def kernels(quiet: bool) -> Iterator[KernelTimes]:
    """Time the compiling and loading of kernels in a context; announce compiling on a terminal."""
    from ...backends import kernel_times

    def announce() -> None:
        terminal = console(stderr=True)
        if not quiet and terminal.is_terminal:
            terminal.print(f"{kernel_times.COMPILING} ...")

    with kernel_times.watched(announce) as times:
        yield times


@contextmanager
def progress(text: str, quiet: bool, unit: str = "B") -> Iterator[Report | None]:
    """Show the progress of long work in a context.

    Yield a function that takes the finished and the total amount, or None if nothing is shown.
    ``text`` names the work, as in ``"reading a.csv"``, and ``unit`` is ``"B"`` for bytes, or the
    name of the counted items. If stderr is a terminal, a bar shows the rate and the time left, and
    ``text`` is shortened to fit. Otherwise, ``--progress`` prints a line at intervals.
    """
    terminal = console(stderr=True)
    if not _is_shown(quiet, terminal):
        yield None
        return
    if not terminal.is_terminal:
        print_line = _line_printer()
        yield lambda done, total: print_line(lambda: f"{text}: {_progress_text(unit, done, total)}")
        return
    columns = partial(_columns, unit)
    short = shortened(text, max(terminal.width - BESIDE_WORDS - len(unit), MIN_WORDS))
    with Reporter(True, bar=SILENT_SECONDS, columns=columns, terminal=terminal) as reporter:
        yield lambda done, total: reporter.report(done, total, lambda _: short)


def stream_progress(quiet: bool) -> bool | Callable[[object], object]:
    """Return ``progress`` for a stream: True for a bar, a function that prints lines, or False."""
    terminal = console(stderr=True)
    shown = _is_shown(quiet, terminal)
    if not shown or terminal.is_terminal:
        return shown
    print_line = _line_printer()
    return lambda facts: print_line(lambda: str(facts))


def _is_shown(quiet: bool, terminal: Console) -> bool:
    """Return whether to show progress: not if quiet; by default, only on a terminal."""
    context = click.get_current_context(silent=True)
    choice = None if context is None else context.meta.get(PROGRESS)
    return not quiet and (terminal.is_terminal if choice is None else bool(choice))


def _line_printer() -> Callable[[Callable[[], str]], None]:
    """Return a function that takes a function for a text, and prints the text if a line is due."""
    reporter = Reporter(partial(click.echo, err=True), call=LINE_SECONDS)
    # The reporter only decides when to print. It gets no amounts, because the text contains them.
    return lambda make_text: reporter.report(0, None, lambda _: make_text())


BAR = 16  # columns of the bar
BESIDE_WORDS = BAR + 37  # columns of the bar, two counts, the rate, the time left and the gaps
MIN_WORDS = 12  # columns of the text, if the terminal is narrow


def shortened(text: str, max_length: int) -> str:
    """Return a text of at most ``max_length`` characters, with its middle removed if it is longer.

    Examples
    --------
    >>> shortened("reading transactions-of-a-year.parquet", 24)
    'reading tr...ear.parquet'
    """
    if len(text) <= max_length:
        return text
    end = (max_length - 2) // 2
    return f"{text[: max_length - 3 - end]}...{text[-end:]}"


def _progress_text(unit: str, done: float, total: float) -> str:
    """Format the amount of work done and the total amount, in bytes or counted items."""
    bytes_unit, words = ("B", "") if unit == "B" else ("", f" {unit}")
    return f"{scaled(done, bytes_unit)} of {scaled(total, bytes_unit)}{words}"


def _columns(unit: str) -> list[ProgressColumn]:
    """Return the columns of a progress bar that counts a unit, all on one line."""
    from rich import progress as rich
    from rich.table import Column
    from rich.text import Text

    def text_of(task: rich.Task) -> str:
        rate = f", {scaled(task.speed, 'B' if unit == 'B' else '')}/s" if task.speed else ""
        return f"{_progress_text(unit, task.completed, task.total or 0)}{rate}"

    class Counts(rich.ProgressColumn):
        """The column of a progress bar with the amount done and the rate."""

        def render(self, task: rich.Task) -> Text:
            return Text(text_of(task))

    one_line = partial(Column, no_wrap=True)
    return [
        rich.TextColumn("{task.description}", markup=False, table_column=one_line()),
        rich.BarColumn(bar_width=BAR, table_column=one_line(min_width=BAR)),
        Counts(table_column=one_line()),
        rich.TimeRemainingColumn(compact=True, table_column=one_line()),
    ]
