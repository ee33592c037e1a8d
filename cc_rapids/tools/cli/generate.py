"""``cc-rapids generate``."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...data.files.formats import WRITTEN
from ...data.files.write import PIECE_EDGES, EdgeList, check_edges_output, write_edges
from ...errors import CapacityError
from .generators import COMMON, GENERATORS
from .group import OUTPUT, Command, Group, Option, examples
from .options import FORMATS_IN_WORDS, FilePath, as_json, is_shown, quiet_options, written_to
from .recipes import Recipe, make
from .show import kernel_rows, kernels, progress, report, seconds, size, times_since

if TYPE_CHECKING:
    import pyarrow as pa


# Measured bytes of memory per edge, without and with weights, for formats that need the whole list
_BYTES_PER_EDGE = {"metis": (100, 190), "egr": (100, 190), "npz": (55, 80)}
_BYTES_PER_COPIED_EDGE = 24  # measured for the list that the generator duplicated copies


@click.group(
    cls=Group,
    invoke_without_command=True,
    epilog=examples(
        "cc-rapids generate uniform pairs.parquet --nodes 1000000 --edges 700000",
        "A tenth of all pairs of 1000 vertices, with weights, in the H/E format:",
        "cc-rapids generate gnm graph.he --nodes 1000 --density 0.1 --weights 1 100",
        "The options of one generator:",
        "cc-rapids generate rmat --help",
        after=FORMATS_IN_WORDS,
    ),
)
@click.pass_context
def generate(context: click.Context) -> None:
    """Generate a graph, and write its edges to a file.

    OUTPUT is a file, or - for standard output (csv unless --format names another format). Edges are
    generated and written in pieces, so a list may be larger than memory. There are two exceptions:
    the formats metis, egr and npz need the whole list in memory, and the generator duplicated needs
    the list that it copies.

    Vertices are 1 to n in the formats gr, metis and mtx, and 0 to n - 1 in other formats. Without
    --weights, the edges in the formats he and gr have the weight 1.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def _command(name: str) -> click.Command:
    """Return the subcommand of one generator."""
    generator = GENERATORS[name]
    suffix = "he" if "--format he" in generator.example else "csv"  # of the example

    def run(
        output: Path, format: str | None, quiet: bool, json_output: bool, **params: Any
    ) -> None:
        _generate(name, output, format, quiet, json_output, params)

    command = Command(
        name,
        callback=run,
        help=generator.help,
        epilog=examples(f"cc-rapids generate {name} graph.{suffix} {generator.example}"),
        params=[
            click.Argument(["output"], type=FilePath(path_type=Path, allow_dash=True)),
            *generator.options,
            *COMMON,
            Option(
                ["--format"],
                metavar="FORMAT",
                type=click.Choice(list(WRITTEN)),
                section=OUTPUT,
                help="Format of OUTPUT; from its suffix by default.",
            ),
        ],
    )
    for option in (quiet_options, as_json):  # these decorators add parameters to a command
        option(command)
    return command


def _generate(
    name: str,
    output: Path,
    format: str | None,
    quiet: bool,
    json_output: bool,
    params: dict[str, Any],
) -> None:
    """Generate a graph, write its edges, and print the facts."""
    output, format = written_to(output, format)
    kind = check_edges_output(output, format)
    shown = is_shown(output, quiet, json_output)
    start = time.perf_counter()
    recipe = make(name, params)
    pieces = recipe.pieces
    _check_memory(recipe, kind, generator=name)
    with kernels(quiet) as times, progress(f"writing {output.name}", quiet, "edges") as on_progress:
        left_out = write_edges(_edge_list(recipe), output, format=format, on_progress=on_progress)
    facts = {
        "output": str(output),
        "format": kind,
        "generator": pieces.name,
        "seed": recipe.seed,
        "vertices": pieces.num_vertices,
        "edges": pieces.num_edges,
        "left_out": {reason: rows for reason, rows in left_out.items() if rows},
        "weights": recipe.weights,
        "bytes": output.stat().st_size if output.is_file() else None,  # a pipe has no size
        **times_since(start, times),
    }
    report(facts, _rows(facts, kernel_rows(times, times.seconds)), shown, json_output)


def _check_memory(recipe: Recipe, format: str, generator: str) -> None:
    """Raise a CapacityError if the format or the generator needs more memory than is free."""
    without_weights, with_weights = _BYTES_PER_EDGE.get(format, (0, 0))
    bytes_per_edge = without_weights if recipe.weights is None else with_weights
    copied_edges = recipe.pieces.edges_kept  # in memory while the generator makes copies
    needed = bytes_per_edge * recipe.pieces.num_edges + _BYTES_PER_COPIED_EDGE * copied_edges
    if not needed:
        return
    from ... import backends

    free_bytes = backends.get("threads").free_bytes()
    if needed > free_bytes:
        if bytes_per_edge:
            reason, edges = f"the format {format} holds the whole list", recipe.pieces.num_edges
            alternatives = "all formats but metis, egr and npz"
        else:
            reason, edges = f"the generator {generator} holds the list that it copies", copied_edges
            alternatives = "edges of all other generators"
        raise CapacityError(
            f"{reason} in memory: {edges:,} edges take about"
            f" {size(needed)}, but {size(free_bytes)} are free; {alternatives} are written piece by"
            " piece"
        )


def _edge_list(recipe: Recipe) -> EdgeList:
    """Return the edges of a recipe, and their weights if it has any, in pieces for writing."""
    import pyarrow as pa

    pieces = recipe.pieces
    vertex_type = pa.int32() if pieces.num_vertices <= 1 << 31 else pa.int64()
    fields = [("src", vertex_type), ("dst", vertex_type)]
    if recipe.weights is not None:
        fields.append(("weight", pa.int64()))
    schema = pa.schema(fields)
    vertices = range(pieces.num_vertices)
    tables = _tables(recipe, schema)  # duplicate edges have different random weights
    return EdgeList(tables, pieces.num_edges, vertices, schema, keeps_first_weight=True)


def _tables(recipe: Recipe, schema: pa.Schema) -> Iterator[pa.Table]:
    """Yield the edges piece by piece, with weights if the recipe has them."""
    import numpy as np
    import pyarrow as pa

    # 1 is the number of the random stream for weights
    random = np.random.Generator(np.random.PCG64([recipe.seed, 1]))
    for ends in recipe.pieces.cut(PIECE_EDGES):
        columns = list(ends)
        if recipe.weights is not None:
            least, greatest = recipe.weights
            columns.append(random.integers(least, greatest, len(ends[0]), endpoint=True))
        yield pa.table(columns, schema=schema)


def _rows(facts: dict[str, Any], kernel_facts: dict[str, str | None]) -> dict[str, str | None]:
    """Return the facts as the rows of the printed report."""
    rate = facts["edges"] / facts["seconds"]
    left_out = ", ".join(f"{rows:,} {reason}" for reason, rows in facts["left_out"].items())
    return {
        "graph": facts["generator"],
        "seed": str(facts["seed"]),
        "vertices": f"{facts['vertices']:,}",
        "edges": f"{facts['edges']:,}",
        "left out": left_out or None,
        "weights": "{} to {}".format(*facts["weights"]) if facts["weights"] else None,
        "in": f"{facts['output']} ({facts['format']}, {size(facts['bytes'])})",
        "time": f"{seconds(facts['seconds'])}, {rate:,.0f} edges/s",
        **kernel_facts,
    }


for _name in GENERATORS:
    generate.add_command(_command(_name))
