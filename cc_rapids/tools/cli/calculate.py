"""``cc-rapids calculate``."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...data.files.read import EdgeFile, SourceFormat
from ...data.files.text_ids import plain
from ...data.text_options import KEYWORDS, TextOptions
from ...errors import counted
from ...ledger import Ledger
from .frames import read_vertices, vertices_options
from .group import (
    command,
    examples,
    option_of_input,
    option_of_method,
    option_of_output,
    reporting_interruption,
)
from .implementations import by_number
from .options import (
    FILES_IN_WORDS,
    FilePath,
    LabelChoice,
    check_bounds,
    edge_options,
    engine_option,
    is_shown,
    memory_limit_option,
    report_options,
    unreadable_option,
)
from .outputs import ROWS_FLAG, LabelOutput, check_with_output, output_format_option, output_option
from .paths import name_of
from .recipes import complete_recipe, recipe
from .show import kernel_rows, kernels, print_json, print_rows, print_table, seconds, size
from .sources import CommandEdges, read_edges

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table

    from ...backends.kernel_times import KernelTimes
    from ...incremental.stream import StreamPlan
    from ...results.components import Components
    from ...solver.choose import Plan

SHOWN_MEMBERS = 6
# Groups of options: for reading files, and for reading in chunks
READING = ("source", "destination", *KEYWORDS)
CHUNKED = ("memory_limit", "checkpoint", "checkpoint_every", "unreadable")
GENERATED = "generated"  # shown instead of a format
# Stands for the format of the files if a resumed run had no file left to read
UNREAD: dict[str, Any] = {"format": None, "columns": [], "header": None, "delimiter": None}


@command(
    epilog=examples(
        "cc-rapids calculate pairs.csv",
        "cc-rapids calculate pairs.parquet --output labels.parquet --top 3",
        "Several files, a pattern in quotes, or a folder, within 2 GiB of memory:",
        "cc-rapids calculate 'pairs*.parquet' --memory-limit 2GiB --output labels.parquet",
        "A run that can be resumed, with labels in a folder of Parquet files:",
        "cc-rapids calculate 'pairs*.parquet' --checkpoint run.state --output out/",
        "The plan of a run, with its memory and time:",
        "cc-rapids calculate pairs.csv --explain",
        "From standard input to standard output:",
        "cc-rapids calculate - --format csv --output - < pairs.csv > labels.out",
        "Only edges whose value in the column score is at least 0.8:",
        "cc-rapids calculate scored.csv --weight score --at-least 0.8",
        "Components of at most 50 vertices, without their weakest links:",
        "cc-rapids calculate scored.csv --weight score --max-size 50",
        "With the names of both columns, and without edges that lack an id:",
        "cc-rapids calculate links.csv --source buyer --destination seller --nulls drop",
        "With all records of a table, even those that are in no pair:",
        "cc-rapids calculate pairs.csv --vertices people.csv --on record_id",
        "A random graph of 1000 vertices with a thousandth of all pairs, as JSON:",
        "cc-rapids calculate --generate 'gnm(nodes=1000, density=0.001)' --json",
        "The same graph with another algorithm, read from another kind of memory:",
        "cc-rapids calculate --generate 'gnm(nodes=1000, density=0.001)' --algorithm dense"
        " --memory zero-copy",
        "The same algorithm by its number in Lehr et al. 2022:",
        "cc-rapids calculate --generate 'gnm(nodes=1000, density=0.001)' --algorithm dense:0",
        after=FILES_IN_WORDS,
    )
)
@click.argument("files", metavar="[FILE]...", nargs=-1, type=FilePath(allow_dash=True))
@option_of_input(
    "--generate",
    metavar="RECIPE",
    shell_complete=complete_recipe,
    help="Generate the edges: 'NAME(option=value, ...)', without FILE.",
)
@edge_options
@memory_limit_option
@option_of_input(
    "--checkpoint",
    metavar="PATH",
    type=FilePath(path_type=Path, dir_okay=False),
    help="Read in chunks; resume from this file if it exists.",
)
@option_of_input(
    "--checkpoint-every",
    metavar="SECONDS",
    type=click.FloatRange(min=0),
    help="Seconds between writes of --checkpoint; 60 by default.",
)
@unreadable_option
@vertices_options
@option_of_method(
    "--design",
    "--algorithm",
    "design",
    metavar="NAME",
    help="An algorithm listed by cc-rapids designs; auto by default.",
)
@option_of_method(
    "--max-size",
    metavar="N",
    type=click.IntRange(min=1),
    help="Split components of more than N vertices; see --weight.",
)
@engine_option
@option_of_method(
    "--memory",
    type=click.Choice(["device", "pinned", "zero-copy"]),
    help="The memory from which a GPU reads the edges.",
)
@option_of_output(
    "--labels", type=LabelChoice(), help="The kind of labels; min (the least id) by default."
)
@output_option("Write vertices and labels to PATH, FOLDER/, or - (stdout).")
@option_of_output(
    ROWS_FLAG,
    metavar="N",
    type=click.IntRange(min=1),
    help="Rows of each Parquet file of a folder; 10 M by default.",
)
@output_format_option
@option_of_output(
    "--top", metavar="K", type=click.IntRange(min=0), help="Show the K largest components."
)
@option_of_output(
    "--members",
    metavar="K",
    type=click.IntRange(min=0),
    help=f"Members that --top shows; {SHOWN_MEMBERS} by default, all with --json.",
)
@option_of_output(
    "--explain", is_flag=True, help="Print the plan without computing or writing anything."
)
@report_options
def calculate(
    files: tuple[str, ...],
    generate: str | None,
    output: str | None,
    output_format: str | None,
    rows_per_file: int | None,
    top: int | None,
    members: int | None,
    explain: bool,
    quiet: bool,
    json_output: bool,
    vertices: str | None,
    on: str | None,
    num_vertices: int | None,
    max_size: int | None,
    **choices: Any,
) -> None:
    """Find the components of the edges in files.

    FILE is a file, a folder, or a pattern in quotes; there may be several. All files together are
    one list of edges. If FILE is -, the edges are read from standard input, whose format is given
    by --format or determined by its first bytes. Several files are read in chunks. One file is read
    in chunks if there is a --memory-limit. If edges are read in chunks, only the vertices must fit
    into memory.

    --weight names a column of numbers. Edges outside --at-least and --at-most are skipped, and so
    are edges whose weight is null or NaN. Vertices that occur only in skipped edges are not
    included.

    --max-size splits each component of more than N vertices at its weakest links. These are the
    edges with the least --weight, or with the greatest if only --at-most is given. A part that is
    still too large is split in the same way. If all links of a part of three or more vertices have
    the same weight, none is weakest: the part stays whole and is counted as oversized. With
    --max-size, all edges must fit into memory.

    --vertices names a table of ids, such as the ids of all customers. An id that occurs in no edge
    is a component by itself.

    --output is a file whose name ends in .csv, .tsv, .txt, .arrow or .parquet, or - for standard
    output. With -, standard output contains only the labels, in the --output-format or as csv.

    --labels selects the label of a component: its least id (min), its greatest id (max), a number
    from 0 in the order of the least ids (dense) or of the sizes (size), or a hash of its vertices
    (fingerprint).

    If --output ends in / or --rows-per-file is given, the output is a new folder of Parquet files.
    The files are written one after another, so --labels min never has the whole table in memory.

    --checkpoint names a file for the state of the run. The state is written every
    --checkpoint-every seconds while files are read (0: after each chunk). It is also written if an
    error, Ctrl-C, SIGTERM or SIGHUP ends the command. The same command then continues from this
    state, even if files were added. The command fails if files that it has read were changed, or if
    it is given other columns, bounds or vertices. The checkpoint remains after the run; delete it
    when you no longer need it.

    --explain prints the plan of a run with the same options: the engine, the ids, the design, the
    maximum number of vertices, the memory, and the time if files are read in chunks.

    With --json, --top lists all members of each component; --members limits their number.

    With --memory pinned, the edges are copied to the GPU through pinned host memory. With
    --memory zero-copy, the GPU reads the edges from pinned host memory. On CPU threads, all kinds
    of --memory are ordinary memory.

    --design also accepts owner:0 to owner:6 and dense:0 to dense:3, which are the numbers of
    implementations in Lehr et al. 2022. A number also determines the engine and the memory:
    implementations with the number 0 run on CPU threads, and all others on a GPU.

    Kernels are compiled once on each machine. The output shows the time to compile or load them
    separately from the time to compute.
    """
    from ...api import components

    reading = {name: choices.pop(name) for name in READING}
    chunked = {name: choices.pop(name) for name in CHUNKED}
    TextOptions.among(reading)  # checks the options before any file is read
    bounds = check_bounds(choices, weight_alone=max_size is not None)
    checkpoint = chunked["checkpoint"]
    if members is not None and top is None:
        raise click.UsageError("--members needs --top.")
    if checkpoint is None and chunked["checkpoint_every"] is not None:
        raise click.UsageError("--checkpoint-every needs --checkpoint.")
    if max_size is not None:
        _check_split(bounds, choices["labels"], chunked)
    label_output = _label_output(output, output_format, rows_per_file, files, checkpoint)
    output_path = None if label_output is None else label_output.path
    # A plan is printed even if the output is stdout, because --explain writes no labels
    shown = not quiet if explain else is_shown(output_path, quiet, json_output)
    start = time.perf_counter()
    unsaved_note = _unsaved_note(checkpoint)
    with reporting_interruption(unsaved_note):
        edge_input = _input_edges(files, generate, chunked, quiet, reading, bounds)
    table = None if edge_input.streamed else edge_input.edges
    edge_input.options |= read_vertices(
        vertices, on, num_vertices, table, edge_input.options, quiet
    )
    read_seconds = None if edge_input.streamed else time.perf_counter() - start
    solve_options: dict[str, Any] = by_number(  # replaces a design such as owner:3
        {name: word for name, word in choices.items() if word is not None}
    )
    solve_options.setdefault("engine", edge_input.engine())
    if max_size is not None:
        # With the option progress, the library would read in chunks
        edge_input.options.pop("progress", None)
        solve_options["forest"] = "min" if bounds.keys() == {"weight", "at_most"} else "max"
    options = edge_input.options | solve_options
    if explain:
        _explain(components(edge_input.edges, **options, explain=True), shown, json_output)
        return
    with reporting_interruption(unsaved_note), kernels(quiet) as times:
        result = components(edge_input.edges, **options)
        kernel_seconds = times.seconds  # without the kernels of the split and of the labels
        labelled, cuts = result, None
        if max_size is not None:
            labelled, cuts = result.dendrogram().split(max_size)
        file_count = 0 if label_output is None else label_output.write(labelled)
    facts = _facts(files, generate, edge_input, result)
    if cuts is not None:
        facts |= _split_facts(labelled, cuts)
    facts |= {"output": None if output_path is None else str(output_path)}
    if label_output is not None and label_output.is_folder:
        facts["output_files"] = file_count
    facts |= _times(read_seconds, kernel_seconds, times, facts["seconds"])
    if json_output:
        print_json(facts | ({} if top is None else {"top": _top(labelled, top, members)}))
    elif shown:
        print_rows(_rows(facts, kernel_rows(times, kernel_seconds)))
        if top:
            print_table(_largest(labelled, top, SHOWN_MEMBERS if members is None else members))


def _label_output(
    output: str | None,
    output_format: str | None,
    rows_per_file: int | None,
    files: tuple[str, ...],
    checkpoint: Path | None,
) -> LabelOutput | None:
    """Return the output for labels, checked to be writable; None without ``--output``."""
    check_with_output(output, output_format=output_format, rows_per_file=rows_per_file)
    if output is None:
        return None
    label_output = LabelOutput.checked(output, output_format, rows_per_file, files)
    if checkpoint is not None and os.path.realpath(checkpoint) == os.path.realpath(output):
        raise click.UsageError("--output and --checkpoint name the same file.")
    return label_output


def _unsaved_note(checkpoint: Path | None) -> str:
    """Return the note for a run that is interrupted before anything is saved."""
    if checkpoint is None:
        return (
            "nothing was saved; with --checkpoint PATH the same command continues where it stopped"
        )
    return f"no edges were linked, so nothing was saved in {checkpoint}"


def _check_split(bounds: dict[str, Any], labels: str | None, chunked: dict[str, Any]) -> None:
    """Raise a UsageError if an option for ``--max-size`` is missing, or an option excludes it."""
    if "weight" not in bounds:
        raise click.UsageError(
            "--max-size splits at the weakest links: name the column of weights with --weight."
        )
    if labels is not None:
        raise click.UsageError("--max-size labels parts by their least ids: leave out --labels.")
    for name, value in chunked.items():
        if value is not None:
            flag = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"--max-size needs all edges in memory: leave out {flag}.")


def _split_facts(parts: Components, cuts: pa.Table) -> dict[str, Any]:
    """Return the facts that a split changes: the number of parts, the largest part, and the cuts.

    ``parts`` are the components after the split. ``cuts`` has a row for each component that was
    split.
    """
    summary = parts.summary()
    oversized = sum(cuts["oversized"].to_pylist())
    split = {"components": len(cuts), "oversized": oversized}
    return {name: summary[name] for name in ("components", "largest")} | {"split": split}


def _explain(plan: Plan | StreamPlan, shown: bool, json_output: bool) -> None:
    """Print a plan."""
    if json_output:
        names = getattr(plan, "SHOWN", vars(plan))  # the plan of a stream shows all of its fields
        print_json({name: getattr(plan, name) for name in names})
    elif shown:
        click.echo(plan)


def _input_edges(
    files: tuple[str, ...],
    generate: str | None,
    chunked: dict[str, Any],
    quiet: bool,
    reading: dict[str, Any],
    bounds: dict[str, Any],
) -> CommandEdges:
    """Return the edges: generated, read, or to be read in chunks.

    ``chunked``, ``reading`` and ``bounds`` are options by name, as for :func:`read_edges`.
    """
    if generate is not None:
        # The error names one passed option; ``given`` is the first one that is a text option
        passed = [name for name in ("source", "destination") if reading[name] is not None]
        passed += filter(None, [TextOptions.among(reading).given])
        passed += [name for name, value in (chunked | bounds).items() if value is not None]
        if files or passed:
            passed_input = f"FILE {files[0]}" if files else f"--{passed[0].replace('_', '-')}"
            raise click.UsageError(f"--generate makes the edges: leave out {passed_input}.")
        return CommandEdges.of(_generated_edges(generate))
    if not files:
        raise click.UsageError("Missing argument 'FILE': pass files of edges, or --generate.")
    return read_edges(files, chunked, quiet, reading, bounds)


def _generated_edges(recipe_text: str) -> EdgeFile:
    """Return the edges of a recipe."""
    import pyarrow as pa

    edge_recipe = recipe(recipe_text)
    src, dst = edge_recipe.pieces.gather()
    table = pa.table({"src": src, "dst": dst})
    vertices = range(edge_recipe.pieces.num_vertices)
    source_format = SourceFormat(GENERATED, ("src", "dst"))
    return EdgeFile(table, "src", "dst", source_format, vertices, Ledger(len(table)))


def _facts(
    files: tuple[str, ...], generate: str | None, edge_input: CommandEdges, result: Components
) -> dict[str, Any]:
    """Return all facts about the run except its times."""
    summary = result.summary() | {"ledger": edge_input.full_ledger(result.ledger).facts()}
    # If the library read the files, the entry "taken" of its summary says how it read each
    formats = [format.facts() for format in edge_input.formats] or summary.pop("taken", [UNREAD])
    origin: dict[str, Any] = {"generate": generate} if generate is not None else {}
    if files:
        origin = {"file": files[0]} if len(files) == 1 else {"files": list(files)}
    return {
        **origin,
        **formats[0],
        **({"taken": formats} if len(formats) > 1 else {}),
        **summary,
        "streamed": edge_input.streamed,
    }


def _times(
    read_seconds: float | None,
    kernel_seconds: float,
    times: KernelTimes,
    run_seconds: dict[str, Any],
) -> dict[str, Any]:
    """Return the seconds of each step; computing excludes the time to compile or load kernels.

    ``read_seconds`` is None if edges are read while components are computed.
    """
    seconds = {
        "read": read_seconds,
        "kernels": kernel_seconds,
        "copy": run_seconds["copy"],
        "compute": max(0.0, run_seconds["compute"] - kernel_seconds),
    }
    return {"seconds": seconds, "kernels_compiled": times.compiled}


def _rows(facts: dict[str, Any], kernel_facts: dict[str, str | None]) -> dict[str, str | None]:
    """Return the facts as the rows of the printed report."""
    step_seconds, largest = facts["seconds"], facts["largest"]
    share = f" ({largest / facts['vertices']:.1%} of the vertices)" if largest else ""
    generated, streamed = facts["format"] == GENERATED, facts["streamed"]
    formats = facts.get("taken") or ([facts] if facts["format"] else [])  # taken: several files
    format_words = [] if generated else map(_format_in_words, formats)
    column_words = [", ".join(format["columns"]) for format in formats]
    compute = "time to read and compute" if streamed else "time to compute"
    return {
        "file": name_of(facts["file"]) if "file" in facts else None,
        "files": ", ".join(facts["files"]) if "files" in facts else None,
        "generate": facts.get("generate"),
        "format": "; ".join(dict.fromkeys(format_words)) or None,
        "columns": "; ".join(dict.fromkeys(column_words)) or None,
        "resumed": facts.get("resumed"),
        "engine": f"{facts['engine']}: {facts['device']}",
        "design": facts["design"],
        "memory": None if facts["memory"] == "device" else facts["memory"],
        "vertices": f"{facts['vertices']:,}",
        "edges": f"{facts['edges']:,}",
        "rows": str(Ledger.of_facts(facts["ledger"])),
        "components": f"{facts['components']:,}",
        "largest": f"{largest:,}{share}",
        "split": _split_in_words(facts),
        "time to read": None if streamed else seconds(step_seconds["read"]),
        "time to copy": seconds(step_seconds["copy"]),
        **kernel_facts,
        compute: seconds(step_seconds["compute"]),
        "peak memory": size(facts["peak_bytes"]),
        "labels in": _output_in_words(facts),
    }


def _split_in_words(facts: dict[str, Any]) -> str | None:
    """Describe how many components were split, and how many still have a part that is too large."""
    split: dict[str, int] | None = facts.get("split")
    if split is None:
        return None
    return f"{counted(split['components'], 'component')}, {split['oversized']:,} oversized"


def _output_in_words(facts: dict[str, Any]) -> str | None:
    """Return the path of the labels, and for a folder the number of files; None without output."""
    files: int | None = facts.get("output_files")
    return facts["output"] if files is None else f"{facts['output']}: {counted(files, 'file')}"


def _format_in_words(facts: dict[str, Any]) -> str:
    """Return a description of how a file was read."""
    format, columns, header = facts["format"], tuple(facts["columns"]), facts["header"]
    return str(SourceFormat(format, columns, header, facts["delimiter"]))


def _top(result: Components, top: int, members: int | None) -> list[dict[str, Any]]:
    """Return the largest components and their members, for JSON output."""
    rows: list[dict[str, Any]] = result.sizes(top).to_pylist()
    return [
        row | {"members": members_of_row.slice(0, members).to_pylist()}
        for row, members_of_row in zip(rows, _members(result, top), strict=True)
    ]


def _members(result: Components, top: int) -> Iterator[pa.ChunkedArray]:
    """Yield the vertices of each of the largest components."""
    import pyarrow.compute as pc

    if top:
        vertices = plain(result.largest(top))
        for label in plain(result.sizes(top))["labels"]:
            yield vertices.filter(pc.equal(vertices["labels"], label))["vertex"]


def _largest(result: Components, top: int, members: int) -> Table:
    """Return the largest components: size, label, and a sample of their members."""
    import pyarrow as pa
    from rich.table import Table

    table = Table("size", "label", "some members")
    for row, vertices in zip(result.sizes(top).to_pylist(), _members(result, top), strict=True):
        step = max(1, len(vertices) // max(members, 1))  # members from the whole range of ids
        shown_positions = pa.array(range(0, len(vertices), step)[:members], pa.int64())
        shown_members = [str(vertex) for vertex in vertices.take(shown_positions).to_pylist()]
        if 0 < len(shown_members) < len(vertices):
            shown_members.append("...")
        table.add_row(f"{row['size']:,}", str(row["labels"]), ", ".join(shown_members))
    return table
