"""``cc-rapids calculate``."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...data.files.read import EdgeFile, read_edges
from ...data.files.write import TABLES, check_output, write_table
from .group import examples
from .options import FORMATS_IN_WORDS, check_apart, edge_file_options, is_shown, nulls_option
from .recipes import complete_recipe, recipe
from .show import (
    as_json,
    print_json,
    print_rows,
    print_table,
    progress,
    quiet_option,
    seconds,
    size,
)

if TYPE_CHECKING:
    from rich.table import Table

    from ...results.components import Components

SHOWN_MEMBERS = 6
GENERATED = "generated"  # in place of a format


class LabelChoice(click.Choice[str]):
    """A choice of the kinds of labels, whose module is loaded only when they are needed."""

    def __init__(self) -> None:
        self.case_sensitive = True

    @property
    def choices(self) -> Sequence[str]:  # type: ignore[override]
        from ...results.labels import LABEL_KINDS

        return tuple(LABEL_KINDS)


@click.command(
    epilog=FORMATS_IN_WORDS
    + "\n\n"
    + examples(
        "cc-rapids calculate pairs.csv",
        "cc-rapids calculate pairs.parquet --output labels.parquet --top 3",
        "cc-rapids calculate pairs.csv --output /dev/stdout --output-format csv > labels.out",
        "With names of columns, dropping edges that lack an id:",
        "cc-rapids calculate links.csv --source buyer --destination seller --nulls drop",
        "A random graph of 1000 vertices with a thousandth of all pairs, with JSON output:",
        "cc-rapids calculate --generate 'gnm(nodes=1000, density=0.001)' --json",
        "The same with another algorithm, from another kind of memory:",
        "cc-rapids calculate --generate 'gnm(nodes=1000, density=0.001)' --algorithm dense"
        " --memory zero-copy",
    )
)
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option(
    "--generate",
    metavar="RECIPE",
    shell_complete=complete_recipe,
    help="Generate the edges instead of reading FILE: 'NAME(option=value, ...)', with the"
    " generators and the options of cc-rapids generate.",
)
@edge_file_options()
@nulls_option
@click.option(
    "--labels",
    type=LabelChoice(),
    help="The kind of labels, by default the least id of each component; see the guide to answers.",
)
@click.option(
    "--design",
    "--algorithm",
    "design",
    metavar="NAME",
    help="The name of the algorithm, as listed by cc-rapids designs, with its options; by default"
    " chosen for the graph.",
)
@click.option(
    "--engine", type=click.Choice(["threads", "cuda"]), help="CPU threads (the default) or GPU."
)
@click.option(
    "--memory",
    type=click.Choice(["device", "pinned", "zero-copy"]),
    help="The memory from which a GPU reads the edges: its own (the default), its own filled"
    " through pinned host memory, or pinned host memory itself. On threads all three are ordinary"
    " memory.",
)
@click.option(
    "--output",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Write each vertex and its label to .csv, .tsv, .txt, .arrow or .parquet.",
)
@click.option(
    "--output-format",
    type=click.Choice(list(TABLES)),
    help="Format of --output, if its suffix does not determine it, as for /dev/stdout, on which"
    " nothing else is then printed.",
)
@click.option(
    "--top", metavar="K", type=click.IntRange(min=0), help="Show the K largest components."
)
@quiet_option
@as_json
def calculate(
    file: Path | None,
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
    **choices: str | None,
) -> None:
    """Find the components of the edges in FILE, an edge list in one of the formats below."""
    from ...api import components

    reading = {"source": source, "destination": destination, "format": format, "header": header}
    if output is None and output_format is not None:
        raise click.UsageError("--output-format goes with --output.")
    quiet = not is_shown(output, quiet, json_output)
    if output is not None:
        check_output(output, output_format)
        if file is not None:
            check_apart(output, file)
    start = time.perf_counter()
    if generate is None:
        edges = _read(file, quiet, reading)
    else:
        edges = _made(file, generate, reading)
    spent = time.perf_counter() - start
    chosen: dict[str, Any] = {name: word for name, word in choices.items() if word is not None}
    found = components(
        edges.table, edges.source, edges.destination, vertices=edges.vertices, **chosen
    )
    if output is not None:
        write_table(found.labels(), output, output_format)
    facts = _facts(file, generate, edges, found, spent, output)
    taken = None if generate is not None else str(edges.taken)
    _tell(found, facts, taken, top, quiet, json_output)


def _read(file: Path | None, quiet: bool, reading: dict[str, Any]) -> EdgeFile:
    if file is None:
        raise click.UsageError("Missing argument 'FILE' (or --generate, to have edges made).")
    with progress(f"reading {file.name}", quiet) as on_progress:
        return read_edges(file, on_progress=on_progress, **reading)


def _made(file: Path | None, text: str, reading: dict[str, Any]) -> EdgeFile:
    given = [name for name, value in reading.items() if value is not None]
    if file is not None or given:
        what = f"FILE {file}" if file is not None else f"--{given[0]}"
        raise click.UsageError(f"--generate makes the edges, so {what} does not go with it.")
    import pyarrow as pa

    made = recipe(text)
    src, dst = made.pieces.gather()
    table = pa.table({"src": src, "dst": dst})
    return EdgeFile(table, "src", "dst", GENERATED, range(made.pieces.num_vertices))


def _facts(
    file: Path | None,
    generate: str | None,
    edges: EdgeFile,
    found: Components,
    reading: float,
    output: Path | None,
) -> dict[str, Any]:
    """Return all facts about the run."""
    origin = {"file": str(file)} if generate is None else {"generate": generate}
    summary = found.summary()
    return {
        **origin,
        **edges.taken.facts(),
        **summary,
        "seconds": {"read": reading, **summary["seconds"]},
        "output": None if output is None else str(output),
    }


def _tell(
    found: Components,
    facts: dict[str, Any],
    taken: str | None,
    top: int | None,
    quiet: bool,
    json_output: bool,
) -> None:
    if json_output:
        print_json(facts | ({} if top is None else {"top": _top(found, top)}))
    elif not quiet:
        print_rows(_rows(facts, taken))
        if top:
            print_table(_largest(found, top))


def _rows(facts: dict[str, Any], taken: str | None) -> dict[str, str | None]:
    """Return the facts as lines of text."""
    spent, largest = facts["seconds"], facts["largest"]
    share = f" ({largest / facts['vertices']:.1%} of the vertices)" if largest else ""
    return {
        "file": facts.get("file"),
        "generate": facts.get("generate"),
        "format": taken,
        "columns": ", ".join(facts["columns"]),
        "engine": f"{facts['engine']}: {facts['device']}",
        "design": facts["design"],
        "memory": None if facts["memory"] == "device" else facts["memory"],
        "vertices": f"{facts['vertices']:,}",
        "edges": f"{facts['edges']:,}",
        "dropped": f"{facts['dropped']:,} edges with nulls" if facts["dropped"] else None,
        "components": f"{facts['components']:,}",
        "largest": f"{largest:,}{share}",
        "time to read": seconds(spent["read"]),
        "time to copy": seconds(spent["copy"]),
        "time to compute": seconds(spent["compute"]),
        "peak memory": size(facts["peak_bytes"]),
        "labels in": facts["output"],
    }


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
