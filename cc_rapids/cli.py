"""The command line: ``cc-rapids calculate`` and ``cc-rapids doctor``."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from . import __version__
from .errors import CcRapidsError, InputError
from .formats import FORMATS, EdgeFile, check_output, read_edges, write_table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from .doctor import Facts
    from .formats.files import Progress
    from .result import Components

INTERRUPTED = 130  # what a shell reports of a process that Ctrl-C ended
SHOWN_MEMBERS = 6

_ENDS = "Column of {} end of each edge; by default {}, or else the {} column."


class OneLineErrors(click.Group):
    """A group whose errors are one line on stderr and exit code 2, with no usage around them."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command, and leave the process with its exit code."""
        kwargs["standalone_mode"] = False
        try:
            status = super().main(*args, **kwargs)
        except click.ClickException as error:
            _fail(error.format_message())
        except (CcRapidsError, MemoryError) as error:
            _fail(str(error) or "out of memory")
        except click.Abort:
            sys.exit(INTERRUPTED)
        sys.exit(status if isinstance(status, int) else 0)


def _fail(message: str) -> None:
    click.echo(f"Error: {' '.join(message.splitlines())}", err=True)
    sys.exit(2)


@click.group(cls=OneLineErrors, invoke_without_command=True)
@click.version_option(__version__, prog_name="cc-rapids")
@click.pass_context
def main(context: click.Context) -> None:
    """Connected components of edge lists, on NVIDIA GPUs and on CPU threads."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--source", metavar="NAME", help=_ENDS.format("one", "src, source, from", "first"))
@click.option(
    "--destination", metavar="NAME", help=_ENDS.format("the other", "dst, target, to", "second")
)
@click.option(
    "--format", type=click.Choice(list(FORMATS)), help="Format of FILE, if not by suffix."
)
@click.option("--header/--no-header", default=None, help="Whether the first line names columns.")
@click.option(
    "--nulls",
    type=click.Choice(["raise", "drop"]),
    help="Refuse an edge that lacks an id (the default), or leave it out.",
)
@click.option(
    "--labels",
    type=click.Choice(["min", "dense", "size"]),
    help="The least id of the component (the default); 0, 1, ... in that order; or 0 the largest.",
)
@click.option("--design", metavar="NAME", help="The algorithm; chosen for the graph by default.")
@click.option(
    "--engine", type=click.Choice(["threads", "cuda"]), help="CPU threads (the default) or GPU."
)
@click.option(
    "--output",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Write vertex and label of each vertex to .csv, .tsv, .txt or .parquet.",
)
@click.option(
    "--top", metavar="K", type=click.IntRange(min=0), help="Show the K largest components."
)
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def calculate(
    file: Path,
    source: str | None,
    destination: str | None,
    format: str | None,
    header: bool | None,
    output: Path | None,
    top: int | None,
    quiet: bool,
    **choices: str | None,
) -> None:
    """Find the components of the edges in FILE: csv, tsv, SNAP, Matrix Market or Parquet."""
    from .api import components

    if output is not None:
        _check_output(output, file)
    start = time.perf_counter()
    with _progress(file, quiet) as on_progress:
        edges = read_edges(
            file,
            source=source,
            destination=destination,
            format=format,
            header=header,
            on_progress=on_progress,
        )
    seconds = time.perf_counter() - start
    chosen: dict[str, Any] = {name: word for name, word in choices.items() if word is not None}
    found = components(
        edges.table, edges.source, edges.destination, vertices=edges.vertices, **chosen
    )
    if output is not None:
        write_table(found.labels(), output)
    if not quiet:
        console = _console()
        console.print(_results(file, edges, found.summary(), seconds, output))
        if top:
            console.print(_largest(found, top))


def _check_output(output: Path, file: Path) -> None:
    """Refuse an output that cannot be written, before the work; and never write over the input."""
    check_output(output)
    if output.exists() and file.exists() and output.samefile(file):
        raise InputError(f"{output} is the file to read; write the labels to another one")


def _console(stderr: bool = False) -> Console:
    from rich.console import Console

    # Names and paths are shown as they are, though they may look like markup
    return Console(stderr=stderr, markup=False, highlight=False)


@contextmanager
def _progress(file: Path, quiet: bool) -> Iterator[Progress | None]:
    """A bar on stderr while the file is read, if someone is watching."""
    console = _console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    from rich import progress

    columns = (
        progress.TextColumn("reading {task.description}", markup=False),
        progress.BarColumn(),
        progress.DownloadColumn(),
        progress.TransferSpeedColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(file.name, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _results(
    file: Path, edges: EdgeFile, summary: dict[str, Any], reading: float, output: Path | None
) -> Table:
    """All there is to know of the run, one line each."""
    from rich.table import Table

    seconds, largest = summary["seconds"], summary["largest"]
    share = f" ({largest / summary['vertices']:.1%} of the vertices)" if largest else ""
    rows = {
        "file": str(file),
        "columns": f"{edges.source}, {edges.destination}",
        "engine": f"{summary['engine']}: {summary['device']}",
        "design": summary["design"],
        "vertices": f"{summary['vertices']:,}",
        "edges": f"{summary['edges']:,}",
        "dropped": f"{summary['dropped']:,} edges with nulls" if summary["dropped"] else None,
        "components": f"{summary['components']:,}",
        "largest": f"{largest:,}{share}",
        "time to read": _seconds(reading),
        "time to copy": _seconds(seconds["copy"]),
        "time to compute": _seconds(seconds["compute"]),
        "peak memory": _bytes(summary["peak_bytes"]),
        "labels in": None if output is None else str(output),
    }
    table = Table(show_header=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in rows.items():
        if value is not None:
            table.add_row(name, value)
    return table


def _largest(found: Components, top: int) -> Table:
    """The largest components: size, label, and members from all over their range."""
    import pyarrow.compute as pc
    from rich.table import Table

    table = Table("size", "label", "some members")
    labels, sizes = found.labels(), found.sizes().slice(0, top)
    for label, size in zip(sizes["labels"], sizes["size"], strict=True):
        members = labels.filter(pc.equal(labels["labels"], label))["vertex"]
        step = max(1, len(members) // SHOWN_MEMBERS)
        some = members.take(list(range(0, len(members), step))[:SHOWN_MEMBERS]).to_pylist()
        more = ", ..." if len(members) > len(some) else ""
        table.add_row(f"{size.as_py():,}", str(label.as_py()), ", ".join(map(str, some)) + more)
    return table


def _seconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.3f} s"


def _bytes(size: int | None) -> str:
    if size is None:
        return "-"
    return f"{size / 2**30:.2f} GiB" if size >= 2**30 else f"{size / 2**20:.1f} MiB"


@main.command()
def doctor() -> None:
    """Say what is installed, which engine would run and why, and how to get the GPU ones."""
    from .doctor import diagnose

    console = _console()
    for line in _diagnosis(diagnose()):
        console.print(line, soft_wrap=True)


def _diagnosis(facts: Facts) -> Iterator[str]:
    yield f"python      {facts.python}"
    for name, version in facts.packages.items():
        yield f"{name:<12}{version or '-'}"
    yield f"cpus        {facts.cpus}"
    if facts.driver is None:
        yield "driver      none"
    else:
        version = facts.driver.version or "of unknown version"
        yield f"driver      NVIDIA {version}, CUDA {'.'.join(map(str, facts.driver.cuda))}"
        for gpu in facts.driver.gpus:
            major, minor = gpu.capability
            yield f"gpu         {gpu.name}, {_bytes(gpu.memory)}, compute {major}.{minor}"
    yield ""
    yield f"engine      {facts.engine}: {facts.why}"
    for step in facts.advice:
        yield f"to do       {step}"


if __name__ == "__main__":
    main()
