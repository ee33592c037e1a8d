"""``cc-rapids evaluate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ... import __version__
from ...data.text_options import KEYWORDS, TextOptions
from ...errors import InputError, install_advice
from .group import command, examples, option_of_method, option_of_output
from .options import (
    FILES_IN_WORDS,
    FilePath,
    check_apart,
    column_options,
    counts_option,
    engine_in_words,
    engine_or_threads,
    report_options,
    rounds_option,
    text_options,
)
from .show import compact, kernels, print_json, print_table, progress

if TYPE_CHECKING:
    from ...backends import Backend

FAILED = 1  # the exit code if an answer is wrong or a file cannot be read
DEFAULT = ("auto", "none+async+halve", "soman")


@command(
    epilog=examples(
        "cc-rapids evaluate graphs --rounds 3",
        "Write CSV and figures to a folder; the first algorithm is the baseline:",
        "cc-rapids evaluate graphs --algorithm soman --algorithm adaptive --out evaluated",
        "Several numbers of segments and of threads, as JSON:",
        "cc-rapids evaluate graphs --algorithm 'adaptive(segments=1)'"
        " --algorithm 'adaptive(segments=4)' --engine cpu --threads 1 --threads 2 --json",
        after=FILES_IN_WORDS,
    )
)
@click.argument("folder", type=FilePath(path_type=Path))
@column_options
@text_options
@option_of_method(
    "--algorithm",
    "--design",
    "designs",
    metavar="NAME",
    multiple=True,
    help="An algorithm listed by cc-rapids designs; repeatable.",
)
@option_of_method(
    "--baseline", metavar="NAME", help="The algorithm with a speed-up of 1; the first by default."
)
@engine_or_threads
@option_of_method(
    "--memory",
    metavar="KIND",
    multiple=True,
    help="Read edges from device, pinned or zero-copy memory.",
)
@counts_option("--threads", "K", "Run on K threads; by default one per core.")
@counts_option("--processes", "K", "Run on K processes.")
@counts_option("--threads-per-process", "K", "Run K threads in each process; by default one.")
@option_of_method(
    "--reduction",
    "reductions",
    type=click.Choice(["pairs", "samples"]),
    multiple=True,
    default=["pairs"],
    help="Merge forests in pairs (default), or contract samples.",
)
@rounds_option
@option_of_method(
    "--check/--no-check", default=True, help="Prove one answer per file, compare others (default)."
)
@option_of_output(
    "--out",
    metavar="FOLDER",
    type=FilePath(path_type=Path),
    help="Write runs.csv, runs.jsonl and the figures to FOLDER.",
)
@option_of_output(
    "--figures/--no-figures",
    default=None,
    help="Draw figures; by default if matplotlib is installed.",
)
@report_options
def evaluate(
    folder: Path,
    baseline: str | None,
    backend: Backend,
    out: Path | None,
    figures: bool | None,
    quiet: bool,
    json_output: bool,
    **fields: Any,
) -> None:
    """Time algorithms over all graph files in FOLDER.

    The command prints a table. With --out, it also writes CSV and the figures of papers. The
    default algorithms are auto, none+async+halve and soman.

    A time is a median over the runs, from the edges in memory to the labels: device time on a GPU,
    wall time on a CPU. Reading the file and compiling are excluded. If the runs take over a minute,
    fewer than --rounds are done, but at least 3. With --memory, the edges are in host memory at
    first, and the time includes copying them. Otherwise the edges are in the memory of the engine.

    With --processes, each process gets a part of the edges. --reduction pairs merges the spanning
    forests of the parts in pairs; --reduction samples contracts the components of samples of the
    edges. The exit code is 1 if an answer is wrong or a file cannot be read.
    """
    from .. import bench, charts
    from .. import evaluate as evaluation

    # ``fields`` also has the options for text. All others are named like the fields of a Plan
    text_options_passed = {name: fields.pop(name) for name in KEYWORDS if name in fields}
    designs = fields.pop("designs") or DEFAULT
    plan = evaluation.Plan(designs, text=TextOptions.of(text_options_passed), **fields)
    baseline = baseline or designs[0]
    if baseline not in designs:
        raise click.UsageError(f"--baseline {baseline} is not one of the algorithms that run")
    paths = evaluation.sources(folder)
    if out is not None:
        _check_folder(out, paths)
    with kernels(quiet), progress(f"evaluating {folder.name}", quiet, "runs") as report:
        rows = list(evaluation.evaluate(paths, plan, backend, report))
    base = bench.environment(backend.device_name, __version__)
    drawing = charts.available() if figures is None else figures
    written = evaluation.write(rows, base, out, baseline, drawing) if out is not None else []
    # The row of a file that cannot be read has no design
    has_failed = any("wrong" in row or "design" not in row for row in rows)
    if json_output:
        print_json(base | {"baseline": baseline, "runs": rows, "written": list(map(str, written))})
    elif not quiet:
        _print(rows, backend, baseline)
        for path in written:
            click.echo(f"written: {path}")
        if out is not None and not drawing:
            click.echo(f"no figures without matplotlib: {install_advice('plot')}", err=True)
    if has_failed:
        click.get_current_context().exit(FAILED)


def _check_folder(out: Path, inputs: list[Path]) -> None:
    """Raise an error, before the runs start, if a file cannot be written or is an input."""
    from ...data.files.write import check_output

    if out.exists() and not out.is_dir():
        raise InputError(f"cannot write to {out}: it is not a directory")
    for file in inputs:
        check_apart(out / "runs.csv", file)
    # If the folder does not exist, its parent must be writable, because it is made after the runs
    check_output((out / "runs.csv") if out.is_dir() else out.with_name("runs.csv"))


def _print(rows: list[dict[str, Any]], backend: Backend, baseline: str) -> None:
    """Print a table of the runs, with the speed-up over the baseline."""
    from ..evaluate.figures import baseline_key, milliseconds

    click.echo("medians in milliseconds; --json also shows spreads and all other fields")
    numbers = ("components", "time", "faster")
    table = compact("file", "algorithm", *numbers, numbers=numbers)
    baseline_times = {
        baseline_key(row): milliseconds(row)
        for row in rows
        if row.get("design") == baseline and "wall_ms" in row
    }
    last_file = None
    for row in rows:
        file = "" if row["file"] == last_file else row["file"]  # only in the first row of a file
        last_file = row["file"]
        if "wall_ms" not in row:
            message = f"wrong: {row['wrong']}" if "wrong" in row else f"not run: {row['not_run']}"
            table.add_row(file, f"{row.get('design', '-')}: {message}", "-", "-", "-")
            continue
        baseline_ms = baseline_times.get(baseline_key(row))
        settings = [
            f"{name}={row[name]}" for name in ("threads", "processes", "reduction") if row[name]
        ]
        table.add_row(
            file,
            ", ".join([row["design"], *([row["memory"]] if row["memory"] else []), *settings]),
            f"{row['components']:,}",
            f"{milliseconds(row):.3g}",
            f"{baseline_ms / milliseconds(row):.2f} x" if baseline_ms else "-",
        )
    print_table(table)
    click.echo(engine_in_words(backend))
