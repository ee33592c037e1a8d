"""``cc-rapids calculate``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...data.files.read import EdgeFile, Taken
from ...data.files.write import TABLES, check_output, write_table
from .group import INPUT, METHOD, OUTPUT, command, examples, option
from .options import (
    FILES_IN_WORDS,
    LabelChoice,
    as_json,
    bound_options,
    check_apart,
    check_bounds,
    edge_file_options,
    engine_option,
    is_shown,
    memory_limit_option,
    nulls_option,
    quiet_option,
    written_to,
)
from .paths import name_of, within
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
    from rich.table import Table

    from ...backends.kernel_times import KernelTimes
    from ...results.components import Components

SHOWN_MEMBERS = 6
GENERATED = "generated"  # in place of a format


@command(
    epilog=FILES_IN_WORDS
    + "\n\n"
    + examples(
        "cc-rapids calculate pairs.csv",
        "cc-rapids calculate pairs.parquet --output labels.parquet --top 3",
        "Several files, a pattern in quotes, or a folder, within 2 GiB of memory:",
        "cc-rapids calculate 'pairs*.parquet' --memory-limit 2GiB --output labels.parquet",
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
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(allow_dash=True))
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
@option(
    "--output",
    metavar="PATH",
    type=click.Path(path_type=Path, allow_dash=True),
    section=OUTPUT,
    help="Write each vertex and its label to PATH, or - for stdout.",
)
@option(
    "--output-format",
    metavar="FORMAT",
    type=click.Choice(list(TABLES)),
    section=OUTPUT,
    help=f"If not by suffix: {', '.join(TABLES)}.",
)
@option(
    "--top",
    metavar="K",
    type=click.IntRange(min=0),
    section=OUTPUT,
    help="Show the K largest components.",
)
@quiet_option
@as_json
def calculate(
    files: tuple[str, ...],
    generate: str | None,
    output: Path | None,
    output_format: str | None,
    top: int | None,
    quiet: bool,
    json_output: bool,
    source: str | None,
    destination: str | None,
    format: str | None,
    header: bool | None,
    memory_limit: str | None,
    num_vertices: int | None,
    weight: str | None,
    at_least: float | None,
    at_most: float | None,
    **choices: str | None,
) -> None:
    """Find the components of the edges in files.

    FILE is a file, a folder, or a pattern in quotes; there may be several. - is standard input,
    whose format --format says. The vertices of all files together are labelled. Several files are
    read in chunks, as one is with --memory-limit: then only the vertices have to fit into memory.

    --weight names a column of numbers, and --at-least and --at-most say which edges are read: the
    vertices of the others are left out, too, and so are edges whose weight is null or nan.

    --output is a file ending in .csv, .tsv, .txt, .arrow or .parquet, or - for standard output (csv
    unless --output-format says another), on which nothing else is then printed. With --labels the
    label is not the least id of a component but its greatest (max), its number from 0 by least id
    (dense) or by size (size), or a hash of its vertices (fingerprint).

    With --memory pinned a GPU reads the edges from its own memory, filled through pinned host
    memory, and with zero-copy from pinned host memory itself. On threads all three are ordinary
    memory.

    Kernels are compiled once for each machine. The time of that, and of loading them later, is
    shown as that of kernels, apart from the time to compute.
    """
    from ...api import components
    from ...backends.choice import choose

    reading = {"source": source, "destination": destination, "format": format, "header": header}
    bounds = check_bounds({"weight": weight, "at_least": at_least, "at_most": at_most})
    if output is None and output_format is not None:
        raise click.UsageError("--output-format goes with --output.")
    if output is not None:
        output, output_format = written_to(output, output_format)
    shown = is_shown(output, quiet, json_output)
    if output is not None:
        check_output(output, output_format)
        for path in (path for file in files for path in (within(file) if file != "-" else ())):
            check_apart(output, Path(path))
    start = time.perf_counter()
    counted = {} if num_vertices is None else {"num_vertices": num_vertices}
    if generate is not None and counted:
        raise click.UsageError("--generate makes its vertices: leave out --num-vertices.")
    given = _given(files, generate, memory_limit, quiet, reading, bounds)
    if counted and given.options.get("vertices") is not None:
        raise click.UsageError("FILE lists its own vertices: leave out --num-vertices.")
    spent = None if given.streamed else time.perf_counter() - start
    chosen: dict[str, Any] = {name: word for name, word in choices.items() if word is not None}
    if not given.streamed:
        chosen.setdefault("engine", choose(len(given.edges)).engine)
    with kernels(quiet) as times:
        found = components(given.edges, **(given.options | counted), **chosen)
        prepared = times.seconds
        if output is not None:
            write_table(found.labels(), output, output_format)
    facts = _facts(files, generate, given, found, output)
    facts |= _times(spent, prepared, times, facts["seconds"])
    _tell(found, facts, kernel_rows(times, prepared), top, shown, json_output)


def _given(
    files: tuple[str, ...],
    generate: str | None,
    memory_limit: str | None,
    quiet: bool,
    reading: dict[str, Any],
    bounds: dict[str, Any],
) -> Given:
    """Return the edges: made, read, or to be read in chunks."""
    if generate is not None:
        return Given.of(_made(files, generate, reading | {"memory-limit": memory_limit} | bounds))
    if not files:
        raise click.UsageError("Missing argument 'FILE' (or --generate, to have edges made).")
    return read_given(files, memory_limit, quiet, reading, bounds)


def _made(files: tuple[str, ...], text: str, reading: dict[str, Any]) -> EdgeFile:
    given = [name for name, value in reading.items() if value is not None]
    if files or given:
        what = f"FILE {files[0]}" if files else f"--{given[0]}"
        raise click.UsageError(f"--generate makes the edges, so {what} does not go with it.")
    import pyarrow as pa

    made = recipe(text)
    src, dst = made.pieces.gather()
    table = pa.table({"src": src, "dst": dst})
    return EdgeFile(table, "src", "dst", GENERATED, range(made.pieces.num_vertices))


def _facts(
    files: tuple[str, ...],
    generate: str | None,
    given: Given,
    found: Components,
    output: Path | None,
) -> dict[str, Any]:
    """Return all facts about the run but its times."""
    summary = found.summary()
    taken = [one.facts() for one in given.taken] or summary.pop("taken")
    origin: dict[str, Any] = {"generate": generate} if generate is not None else {}
    if files:
        origin = {"file": files[0]} if len(files) == 1 else {"files": list(files)}
    return {
        **origin,
        **taken[0],
        **({"taken": taken} if len(taken) > 1 else {}),
        **summary,
        "streamed": given.streamed,
        "output": None if output is None else str(output),
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


def _tell(
    found: Components,
    facts: dict[str, Any],
    prepared: dict[str, str | None],
    top: int | None,
    shown: bool,
    json_output: bool,
) -> None:
    if json_output:
        print_json(facts | ({} if top is None else {"top": _top(found, top)}))
    elif shown:
        print_rows(_rows(facts, prepared))
        if top:
            print_table(_largest(found, top))


def _rows(facts: dict[str, Any], prepared: dict[str, str | None]) -> dict[str, str | None]:
    """Return the facts as lines of text."""
    spent, largest = facts["seconds"], facts["largest"]
    share = f" ({largest / facts['vertices']:.1%} of the vertices)" if largest else ""
    generated, streamed = facts["format"] == GENERATED, facts["streamed"]
    ways = facts.get("taken") or [facts]
    compute = "time to read and compute" if streamed else "time to compute"
    return {
        "file": name_of(facts["file"]) if "file" in facts else None,
        "files": ", ".join(facts["files"]) if "files" in facts else None,
        "generate": facts.get("generate"),
        "format": None if generated else "; ".join(dict.fromkeys(map(_way, ways))),
        "columns": "; ".join(dict.fromkeys(", ".join(way["columns"]) for way in ways)),
        "engine": f"{facts['engine']}: {facts['device']}",
        "design": facts["design"],
        "memory": None if facts["memory"] == "device" else facts["memory"],
        "vertices": f"{facts['vertices']:,}",
        "edges": f"{facts['edges']:,}",
        "dropped": f"{facts['dropped']:,} edges with nulls" if facts["dropped"] else None,
        "components": f"{facts['components']:,}",
        "largest": f"{largest:,}{share}",
        "time to read": None if streamed else seconds(spent["read"]),
        "time to copy": seconds(spent["copy"]),
        **prepared,
        compute: seconds(spent["compute"]),
        "peak memory": size(facts["peak_bytes"]),
        "labels in": facts["output"],
    }


def _way(facts: dict[str, Any]) -> str:
    """Return how a file was read, in words."""
    return str(Taken(facts["format"], tuple(facts["columns"]), facts["header"]))


def _top(found: Components, top: int) -> list[dict[str, Any]]:
    """Return the largest components, for JSON output."""
    rows: list[dict[str, Any]] = found.sizes().slice(0, top).to_pylist()
    return rows


def _largest(found: Components, top: int) -> Table:
    """Return the largest components: size, label, and a sample of their members."""
    import pyarrow.compute as pc
    from rich.table import Table

    table = Table("size", "label", "some members")
    labels, sizes = found.labels(), found.sizes().slice(0, top)
    for label, members in zip(sizes["labels"], sizes["size"], strict=True):
        inside = labels.filter(pc.equal(labels["labels"], label))["vertex"]
        step = max(1, len(inside) // SHOWN_MEMBERS)
        some = inside.take(list(range(0, len(inside), step))[:SHOWN_MEMBERS]).to_pylist()
        more = ", ..." if len(inside) > len(some) else ""
        table.add_row(f"{members.as_py():,}", str(label.as_py()), ", ".join(map(str, some)) + more)
    return table
