"""``cc-rapids bridges`` and ``cc-rapids forest``, which write rows of the edge list."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ...data.files.write import write_table
from ...data.text_options import TextOptions
from ...ledger import Ledger
from .group import Decorator, command, examples, option_of_method
from .options import (
    FILES_IN_WORDS,
    FilePath,
    check_bounds,
    combined,
    edge_options,
    engine_option,
    is_shown,
    report_options,
)
from .outputs import check_with_output, checked_output, output_format_option, output_option
from .paths import name_of
from .show import kernel_rows, kernels, report, seconds, times_since
from .sources import read_in_memory

if TYPE_CHECKING:
    from ...results.answer import Answer
    from ...results.components import Components

WEIGHED = ("min", "max")  # values of ``forest`` for a forest of least or greatest weight
BRIDGES, POINTS, BLOCKS = "bridges", "articulation-points", "biconnected"


def _options_of_edge_rows(output_help: str, method_option: Decorator) -> Decorator:
    """Return a decorator that adds the arguments and options of both commands.

    ``output_help`` is the help of ``--output``. ``method_option`` is the option of one command.
    """
    file = FilePath(allow_dash=True)
    return combined(
        click.argument("files", metavar="FILE...", nargs=-1, required=True, type=file),
        edge_options,
        method_option,
        engine_option,
        output_option(output_help),
        output_format_option,
        report_options,
    )


@command(
    epilog=examples(
        "cc-rapids bridges pairs.csv --output bridges.csv",
        "The vertices whose removal splits a component:",
        "cc-rapids bridges pairs.csv --find articulation-points --output points.csv",
        "The bridges among the edges with a score of at least 0.5, as Parquet:",
        "cc-rapids bridges scored.csv --weight score --at-least 0.5 --output bridges.parquet",
        after=FILES_IN_WORDS,
    )
)
@_options_of_edge_rows(
    "Write the bridges, points or edges to PATH, or - for stdout.",
    option_of_method(
        "--find",
        type=click.Choice([BRIDGES, POINTS, BLOCKS]),
        default=BRIDGES,
        help="What to find; bridges by default.",
    ),
)
def bridges(files: tuple[str, ...], find: str, **others: Any) -> None:
    """Find the edges whose removal splits a component.

    FILE is a file of edges, a folder, or a pattern in quotes, or - for standard input; there may be
    several. All edges must fit into memory. Each edge must be listed once, because an edge that is
    listed twice, in the same or in opposite directions, is not a bridge.

    The output has one row per bridge: its row number in the list (row, from 0), source and
    destination. With --find articulation-points, the output is the vertices whose removal splits a
    component (vertex). With --find biconnected, the output is all edges except self-loops, each
    with its biconnected component (labels): a set of edges that the removal of no single vertex
    disconnects.
    """
    from ...analysis import bridges as searches
    from ...options import Options

    rows_of: dict[str, Callable[[Answer], Any]] = {
        BRIDGES: searches.bridges_of,
        POINTS: partial(searches.articulation_points_of, options=Options.check()),
        BLOCKS: partial(searches.biconnected_component_edges_of, options=Options.check()),
    }
    row_name = "edges in biconnected components" if find == BLOCKS else find.replace("-", " ")
    bounds = check_bounds(others)
    _write_rows(
        files, row_name, lambda result: rows_of[find](result.answer), bounds, forest=True, **others
    )


@command(
    epilog=examples(
        "The strongest links that keep all components:",
        "cc-rapids forest scored.csv --weight score --maximum --output forest.csv",
        "Any spanning forest, without weights:",
        "cc-rapids forest pairs.parquet --output forest.parquet",
        after=FILES_IN_WORDS,
    )
)
@_options_of_edge_rows(
    "Write the edges of the forest to PATH, or - for stdout.",
    option_of_method(
        "--maximum", is_flag=True, help="Keep the greatest weights instead of the least."
    ),
)
def forest(files: tuple[str, ...], maximum: bool, **others: Any) -> None:
    """Find a spanning forest, of least or greatest weight.

    A spanning forest is a subset of the edges that has the same components but no cycle.

    FILE is a file of edges, a folder, or a pattern in quotes, or - for standard input; there may be
    several. All edges must fit into memory.

    With --weight, the sum of the weights of the forest is the least possible, or with --maximum the
    greatest. Among edges of equal weight, the first row is kept. A weight that is null or NaN is an
    error, unless --nulls drop drops such edges. Without --weight, any spanning forest is found.

    The output has one row per edge of the forest: its row number in the list (row, from 0), source,
    destination and weight. The report shows the sum of the weights.
    """
    bounds = check_bounds(others, weight_alone=True)
    is_weighted = "weight" in bounds
    if maximum and not is_weighted:
        raise click.UsageError("--maximum needs --weight.")
    kind: bool | str = ("max" if maximum else "min") if is_weighted else True

    def rows_of(result: Components) -> Any:
        from ...results.lookup import warn_of_null_weights

        warn_of_null_weights(result.ledger.get("null_weight", 0) if is_weighted else 0)
        return result.forest()

    _write_rows(files, "forest edges", rows_of, bounds, kind, **others)


def _write_rows(
    files: tuple[str, ...],
    row_name: str,
    rows_of: Callable[[Components], Any],
    bounds: dict[str, Any],
    forest: bool | str,
    *,
    nulls: str | None,
    engine: str | None,
    output: str | None,
    output_format: str | None,
    quiet: bool,
    json_output: bool,
    **reading: Any,
) -> None:
    """Read edges, find their components, and write the rows that ``rows_of`` returns for them.

    ``row_name`` names these rows in the report. ``forest`` is the option of
    :func:`cc_rapids.components`. Both commands record a spanning forest, so that row numbers refer
    to the whole list even if edges are selected by weight.
    """
    import pyarrow.compute as pc

    from ...api import components

    TextOptions.among(reading)  # checks the options before any file is read
    check_with_output(output, output_format=output_format)
    target = None if output is None else checked_output(output, output_format, files)
    output_path = None if target is None else target[0]
    shown = is_shown(output_path, quiet, json_output)
    start = time.perf_counter()
    edge_input = read_in_memory(files, quiet, reading, bounds)
    solve_options: dict[str, Any] = {
        "nulls": nulls or "raise",
        "engine": engine or edge_input.engine(),
    }
    with kernels(quiet) as times:
        result = components(edge_input.edges, **edge_input.options, **solve_options, forest=forest)
        rows = rows_of(result)
    if target is not None:
        write_table(rows, *target)
    summary = result.summary()
    total = {"weight": pc.sum(rows["weight"], min_count=0).as_py()} if forest in WEIGHED else {}
    facts = {
        **({"file": files[0]} if len(files) == 1 else {"files": list(files)}),
        **{name: summary[name] for name in ("engine", "vertices", "edges", "components")},
        row_name.replace(" ", "_"): len(rows),
        **total,
        "ledger": edge_input.full_ledger(result.ledger).facts(),
        "output": None if output_path is None else str(output_path),
        **times_since(start, times),
    }
    printed_rows = {
        "files" if files[1:] else "file": ", ".join(map(name_of, files)),
        "vertices": f"{facts['vertices']:,}",
        "edges": f"{facts['edges']:,}",
        "rows": str(Ledger.of_facts(facts["ledger"])),
        "components": f"{facts['components']:,}",
        row_name: f"{len(rows):,}",
        "total weight": f"{total['weight']:,}" if total else None,
        **kernel_rows(times, times.seconds),
        "time": seconds(facts["seconds"]),
        "written to": facts["output"],
    }
    report(facts, printed_rows, shown, json_output)
