"""``cc-rapids calculate``."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...data.files.read import EdgeFile, Taken
from ...data.text_options import TextOptions
from ...errors import counted
from ...ledger import Ledger
from .group import INPUT, METHOD, OUTPUT, command, ended_in_words, examples, option
from .options import (
    FILES_IN_WORDS,
    FilePath,
    LabelChoice,
    as_json,
    bound_options,
    check_bounds,
    edge_file_options,
    engine_option,
    is_shown,
    memory_limit_option,
    nulls_option,
    quiet_options,
)
from .outputs import (
    ROWS_FLAG,
    LabelOutput,
    check_with_output,
    output_format_option,
    output_option,
)
from .paths import name_of
from .recipes import complete_recipe, recipe
from .show import (
    kernel_rows,
    kernels,
    print_json,
    print_rows,
    print_table,
    seconds,
    size,
)
from .sources import Given, read_given

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table

    from ...backends.kernel_times import KernelTimes
    from ...incremental.stream import StreamPlan
    from ...results.components import Components
    from ...solver.choose import Plan

SHOWN_MEMBERS = 6
GENERATED = "generated"  # in place of a format
# Of files of which all was linked by earlier runs
UNREAD: dict[str, Any] = {
    "format": None,
    "columns": [],
    "header": None,
    "delimiter": None,
}  # all was resumed


@command(
    epilog=FILES_IN_WORDS
    + "\n\n"
    + examples(
        "cc-rapids calculate pairs.csv",
        "cc-rapids calculate pairs.parquet --output labels.parquet --top 3",
        "Several files, a pattern in quotes, or a folder, within 2 GiB of memory:",
        "cc-rapids calculate 'pairs*.parquet' --memory-limit 2GiB --output labels.parquet",
        "Resumed if it is interrupted, with labels in a folder of Parquet files:",
        "cc-rapids calculate 'pairs*.parquet' --checkpoint run.state --output out/",
        "What a run would do and take:",
        "cc-rapids calculate pairs.csv --explain",
        "From standard input to standard output:",
        "cc-rapids calculate - --format csv --output - < pairs.csv > labels.out",
        "Only edges whose column score is at least .8:",
        "cc-rapids calculate scored.csv --weight score --at-least 0.8",
        "With names of columns, dropping edges that lack an id:",
        "cc-rapids calculate links.csv --source buyer --destination seller --nulls drop",
        "A random graph of 1000 vertices with a thousandth of all pairs, as JSON:",
        "cc-rapids calculate --generate 'gnm(nodes=1000, density=0.001)' --json",
        "The same with another algorithm, from another kind of memory:",
        "cc-rapids calculate --generate 'gnm(nodes=1000, density=0.001)' --algorithm dense"
        " --memory zero-copy",
    )
)
@click.argument("files", metavar="[FILE]...", nargs=-1, type=FilePath(allow_dash=True))
@option(
    "--generate",
    metavar="RECIPE",
    shell_complete=complete_recipe,
    section=INPUT,
    help="Make the edges: 'NAME(option=value, ...)', no FILE.",
)
@edge_file_options()
@nulls_option
@bound_options
@memory_limit_option
@option(
    "--checkpoint",
    metavar="PATH",
    type=FilePath(path_type=Path, dir_okay=False),
    section=INPUT,
    help="Read in chunks, and resume from this file if it is there.",
)
@option(
    "--checkpoint-every",
    metavar="SECONDS",
    type=click.FloatRange(min=0),
    section=INPUT,
    help="Between two writes of --checkpoint; 60 by default.",
)
@option(
    "--unreadable",
    type=click.Choice(["raise", "skip"]),
    section=INPUT,
    help="Files that cannot be read: an error (default), or skip them.",
)
@option(
    "--num-vertices",
    metavar="N",
    type=click.IntRange(min=0),
    section=INPUT,
    help="The vertices are 0 .. N-1; this takes the least memory.",
)
@option(
    "--design",
    "--algorithm",
    "design",
    metavar="NAME",
    section=METHOD,
    help="The algorithm, of cc-rapids designs; auto by default.",
)
@engine_option
@option(
    "--memory",
    type=click.Choice(["device", "pinned", "zero-copy"]),
    section=METHOD,
    help="Where a GPU reads edges: in its memory, or the host's.",
)
@option(
    "--labels",
    type=LabelChoice(),
    section=OUTPUT,
    help="The kind of labels; by default the least id of each.",
)
@output_option("Write vertices and labels to PATH, FOLDER/, or - (stdout).")
@option(
    ROWS_FLAG,
    metavar="N",
    type=click.IntRange(min=1),
    section=OUTPUT,
    help="Rows of each Parquet file of a folder; 10 M by default.",
)
@output_format_option
@option(
    "--top",
    metavar="K",
    type=click.IntRange(min=0),
    section=OUTPUT,
    help="Show the K largest components.",
)
@option(
    "--members",
    metavar="K",
    type=click.IntRange(min=0),
    section=OUTPUT,
    help=f"Members that --top shows: {SHOWN_MEMBERS}, or all with --json.",
)
@option(
    "--explain",
    is_flag=True,
    section=OUTPUT,
    help="Print the plan, and neither compute nor write anything.",
)
@quiet_options
@as_json
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
    source: str | None,
    destination: str | None,
    format: str | None,
    header: bool | None,
    delimiter: str | None,
    encoding: str | None,
    comment: str | None,
    memory_limit: str | None,
    checkpoint: Path | None,
    checkpoint_every: float | None,
    unreadable: str | None,
    num_vertices: int | None,
    weight: str | None,
    at_least: float | None,
    at_most: float | None,
    **choices: str | None,
) -> None:
    """Find the components of the edges in files.

    FILE is a file, a folder, or a pattern in quotes; there may be several. - is standard input,
    which is one file, whose format --format or its first bytes say. The vertices of all files
    together are labelled. Several files are read in chunks, as one is with --memory-limit: then
    only the vertices have to fit into memory.

    --weight names a column of numbers, and --at-least and --at-most say which edges are read: the
    vertices of the others are left out, too, and so are edges whose weight is null or nan.

    --output is a file ending in .csv, .tsv, .txt, .arrow or .parquet, or - for standard output (csv
    unless --output-format says another), on which nothing else is then printed. With --labels the
    label is not the least id of a component but its greatest (max), its number from 0 by least id
    (dense) or by size (size), or a hash of its vertices (fingerprint).

    An --output that ends in /, or --rows-per-file, is a new folder of Parquet files, which are
    written one after another: the labels of all vertices are never held at once, if they are least
    ids.

    --checkpoint names a file to which the state is written every --checkpoint-every seconds (0:
    after each chunk) while files are read, and when the command ends by an error, Ctrl-C, SIGTERM
    or SIGHUP. The same command then goes on from there, also with files that were added meanwhile;
    it is refused if files of which rows were read have changed, and for other columns, bounds or
    vertices.
    The file is kept at the end: delete it when the answer is done with.

    --explain prints the engine, the ids, the design, the most vertices and the memory of the run
    that the same options would be, and of files read in chunks also the time.

    --top with --json has all members of the components that it shows, or as many as --members says.

    With --memory pinned a GPU reads the edges from its own memory, filled through pinned host
    memory, and with zero-copy from pinned host memory itself. On threads all three are ordinary
    memory.

    Kernels are compiled once for each machine. The time of that, and of loading them later, is
    shown as that of kernels, apart from the time to compute.
    """
    from ...api import components

    reading = {"source": source, "destination": destination}
    text = TextOptions.check(header, delimiter, encoding, comment, format)
    bounds = check_bounds({"weight": weight, "at_least": at_least, "at_most": at_most})
    check_with_output(output, output_format=output_format, rows_per_file=rows_per_file)
    if members is not None and top is None:
        raise click.UsageError("--members goes with --top.")
    if checkpoint is None and checkpoint_every is not None:
        raise click.UsageError("--checkpoint-every goes with --checkpoint.")
    chunked: dict[str, Any] = {
        "memory_limit": memory_limit,
        "checkpoint": checkpoint,
        "checkpoint_every": checkpoint_every,
        "unreadable": unreadable,
    }
    written = None
    if output is not None:
        written = LabelOutput.checked(output, output_format, rows_per_file, files)
        if checkpoint is not None and os.path.realpath(checkpoint) == os.path.realpath(output):
            raise click.UsageError("--output and --checkpoint name the same file.")
    place = None if written is None else written.path
    shown = not quiet if explain else is_shown(place, quiet, json_output)
    start = time.perf_counter()
    count_given = {} if num_vertices is None else {"num_vertices": num_vertices}
    if generate is not None and count_given:
        raise click.UsageError("--generate makes its vertices: leave out --num-vertices.")
    unsaved = (
        "nothing was saved; with --checkpoint PATH the same command goes on where it was"
        if checkpoint is None
        else f"no edges were linked, so nothing was saved in {checkpoint}"
    )
    with ended_in_words(unsaved):
        given = _given(files, generate, chunked, quiet, reading, text, bounds)
    if count_given and given.options.get("vertices") is not None:
        raise click.UsageError("FILE lists its own vertices: leave out --num-vertices.")
    spent = None if given.streamed else time.perf_counter() - start
    chosen: dict[str, Any] = {name: word for name, word in choices.items() if word is not None}
    chosen.setdefault("engine", given.engine())
    options = given.options | count_given | chosen
    if explain:
        _explain(components(given.edges, **options, explain=True), shown, json_output)
        return
    with ended_in_words(unsaved), kernels(quiet) as times:
        found = components(given.edges, **options)
        prepared = times.seconds
        parts = 0 if written is None else written.write(found)
    facts = _facts(files, generate, given, found)
    facts |= {"output": None if place is None else str(place)}
    if written is not None and written.rows_per_file is not None:
        facts["output_files"] = parts
    facts |= _times(spent, prepared, times, facts["seconds"])
    if json_output:
        print_json(facts | ({} if top is None else {"top": _top(found, top, members)}))
    elif shown:
        print_rows(_rows(facts, kernel_rows(times, prepared)))
        if top:
            print_table(_largest(found, top, SHOWN_MEMBERS if members is None else members))


def _explain(plan: Plan | StreamPlan, shown: bool, json_output: bool) -> None:
    """Print a plan."""
    if json_output:
        names = getattr(plan, "SHOWN", vars(plan))
        print_json({name: getattr(plan, name) for name in names})
    elif shown:
        click.echo(plan)


def _given(
    files: tuple[str, ...],
    generate: str | None,
    chunked: dict[str, Any],
    quiet: bool,
    reading: dict[str, Any],
    text: TextOptions,
    bounds: dict[str, Any],
) -> Given:
    """Return the edges: made, read, or to be read in chunks."""
    if generate is not None:
        named = {text.given: True} if text.given else {}
        return Given.of(_made(files, generate, reading | named | chunked | bounds))
    if not files:
        raise click.UsageError("Missing argument 'FILE' (or --generate, to have edges made).")
    return read_given(files, chunked, quiet, reading | text.words(), bounds)


def _made(files: tuple[str, ...], text: str, reading: dict[str, Any]) -> EdgeFile:
    given = [name for name, value in reading.items() if value is not None]
    if files or given:
        what = f"FILE {files[0]}" if files else f"--{given[0].replace('_', '-')}"
        raise click.UsageError(f"--generate makes the edges, so {what} does not go with it.")
    import pyarrow as pa

    made = recipe(text)
    src, dst = made.pieces.gather()
    table = pa.table({"src": src, "dst": dst})
    vertices = range(made.pieces.num_vertices)
    return EdgeFile(table, "src", "dst", GENERATED, vertices, ledger=Ledger(len(table)))


def _facts(
    files: tuple[str, ...],
    generate: str | None,
    given: Given,
    found: Components,
) -> dict[str, Any]:
    """Return all facts about the run but its times."""
    summary = found.summary() | {"ledger": given.rows(found.ledger).facts()}
    taken = [one.facts() for one in given.taken] or summary.pop("taken", [UNREAD])
    origin: dict[str, Any] = {"generate": generate} if generate is not None else {}
    if files:
        origin = {"file": files[0]} if len(files) == 1 else {"files": list(files)}
    return {
        **origin,
        **taken[0],
        **({"taken": taken} if len(taken) > 1 else {}),
        **summary,
        "streamed": given.streamed,
    }


def _times(
    reading: float | None, prepared: float, times: KernelTimes, spent: dict[str, Any]
) -> dict[str, Any]:
    """Return the seconds of each step; those of kernels were part of the time to compute.

    ``reading`` is None of what is read while it is computed.
    """
    compute = max(0.0, spent["compute"] - prepared)
    seconds = {"read": reading, "kernels": prepared, "copy": spent["copy"], "compute": compute}
    return {"seconds": seconds, "kernels_compiled": times.compiled}


def _rows(facts: dict[str, Any], prepared: dict[str, str | None]) -> dict[str, str | None]:
    """Return the facts as lines of text."""
    spent, largest = facts["seconds"], facts["largest"]
    share = f" ({largest / facts['vertices']:.1%} of the vertices)" if largest else ""
    generated, streamed = facts["format"] == GENERATED, facts["streamed"]
    ways = facts.get("taken") or ([facts] if facts["format"] else [])
    compute = "time to read and compute" if streamed else "time to compute"
    return {
        "file": name_of(facts["file"]) if "file" in facts else None,
        "files": ", ".join(facts["files"]) if "files" in facts else None,
        "generate": facts.get("generate"),
        "format": None if generated else "; ".join(dict.fromkeys(map(_way, ways))) or None,
        "columns": "; ".join(dict.fromkeys(", ".join(way["columns"]) for way in ways)) or None,
        "resumed": facts.get("resumed"),
        "engine": f"{facts['engine']}: {facts['device']}",
        "design": facts["design"],
        "memory": None if facts["memory"] == "device" else facts["memory"],
        "vertices": f"{facts['vertices']:,}",
        "edges": f"{facts['edges']:,}",
        "rows": str(Ledger.of_facts(facts["ledger"])),
        "components": f"{facts['components']:,}",
        "largest": f"{largest:,}{share}",
        "time to read": None if streamed else seconds(spent["read"]),
        "time to copy": seconds(spent["copy"]),
        **prepared,
        compute: seconds(spent["compute"]),
        "peak memory": size(facts["peak_bytes"]),
        "labels in": _where(facts),
    }


def _where(facts: dict[str, Any]) -> str | None:
    """Return where the labels were written, in words."""
    files: int | None = facts.get("output_files")
    return facts["output"] if files is None else f"{facts['output']}: {counted(files, 'file')}"


def _way(facts: dict[str, Any]) -> str:
    """Return how a file was read, in words."""
    return str(Taken(facts["format"], tuple(facts["columns"]), facts["header"], facts["delimiter"]))


def _top(found: Components, top: int, members: int | None) -> list[dict[str, Any]]:
    """Return the largest components and their members, for JSON output."""
    rows: list[dict[str, Any]] = found.sizes(top).to_pylist()
    return [
        row | {"members": inside.slice(0, members).to_pylist()}
        for row, inside in zip(rows, _members(found, top), strict=True)
    ]


def _members(found: Components, top: int) -> Iterator[pa.ChunkedArray]:
    """Yield the vertices of each of the largest components."""
    import pyarrow.compute as pc

    if top:
        inside = found.largest(top)
        for label in found.sizes(top)["labels"]:
            yield inside.filter(pc.equal(inside["labels"], label))["vertex"]


def _largest(found: Components, top: int, members: int) -> Table:
    """Return the largest components: size, label, and a sample of their members."""
    from rich.table import Table

    table = Table("size", "label", "some members")
    for row, inside in zip(found.sizes(top).to_pylist(), _members(found, top), strict=True):
        step = max(1, len(inside) // max(members, 1))
        some = inside.take(list(range(0, len(inside), step))[:members]).to_pylist()
        more = ", ..." if len(inside) > len(some) > 0 else ""
        table.add_row(f"{row['size']:,}", str(row["labels"]), ", ".join(map(str, some)) + more)
    return table
