"""``cc-rapids bench``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

import click

from ... import __version__
from .group import examples
from .options import counts_option, engine_in_words, engine_or_threads, rounds_option
from .recipes import Recipe, complete_recipe, recipe
from .show import print_table, progress, quiet_option

if TYPE_CHECKING:
    from ...backends import Backend

DEFAULT = "reference(name=kron21, scale=14)"
TITLE = "milliseconds: median, and from least to greatest"
HEAD = ("graph", "input", "design", "to labels", "alone", "reads", "limit", "peer")


@click.command(
    epilog=examples(
        "cc-rapids bench --rounds 9",
        "Random graphs of several densities, for a program:",
        "cc-rapids bench --nodes 300 --density 0.01 --density 0.1 --rounds 3 --json",
        "Some designs side by side on rows, on CPU threads:",
        "cc-rapids bench --generate 'grid(rows=90, columns=90)' --form csr --ids int32"
        " --design kout+async+halve --design label-propagation --engine threads",
    )
)
@click.option(
    "--generate",
    "recipes",
    metavar="RECIPE",
    multiple=True,
    shell_complete=complete_recipe,
    help="A graph, 'NAME(option=value, ...)', with the generators of cc-rapids generate; by"
    f" default {DEFAULT}.",
)
@counts_option("--nodes", "N", "Use random graphs of N vertices, one for each density.")
@click.option(
    "--density",
    metavar="P",
    type=click.FloatRange(0, 1),
    multiple=True,
    help="With --nodes: the share of all pairs of vertices that are joined; 0.01 by default.",
)
@click.option(
    "--weights",
    metavar="LEAST MOST",
    type=(int, int),
    help="Add integer weights to the edges, which no design reads.",
)
@rounds_option()
@click.option(
    "--form",
    "forms",
    type=click.Choice(["coo", "csr"]),
    multiple=True,
    help="A list of edges, or sorted rows of both directions; both by default.",
)
@click.option(
    "--ids",
    type=click.Choice(["int32", "int64"]),
    multiple=True,
    help="The type of the vertices; both by default.",
)
@click.option(
    "--design", "designs", metavar="NAME", multiple=True, help="An algorithm; auto by default."
)
@engine_or_threads
@click.option(
    "--check/--no-check",
    default=True,
    help="Compare the answers with sequential union-find after the timing (the default).",
)
@click.option(
    "--peers/--no-peers", default=True, help="Time SciPy or cuGraph in the same run (the default)."
)
@quiet_option
@click.option(
    "--json",
    "json_output",
    is_flag=True,
    help="Print one JSON object per line, for each case as soon as it is measured.",
)
def bench(
    recipes: tuple[str, ...],
    nodes: tuple[int, ...],
    density: tuple[float, ...],
    weights: tuple[int, int] | None,
    rounds: int,
    backend: Backend,
    check: bool,
    peers: bool,
    quiet: bool,
    json_output: bool,
    **axes: tuple[str, ...],
) -> None:
    """Time designs on generated graphs: warm, each run on another copy, and checked.

    "to labels" is the wall time from the input to the labels, "alone" that of the design on edges
    in place (device time on a GPU). The random reads per edge, and the share of the card's limit
    that is reached, are computed, not measured. For a peer, the output shows how many times longer
    it takes.
    """
    from .. import bench as bench_tools

    if density and not nodes:
        raise click.UsageError("--density goes with --nodes")
    named = [f"gnm(nodes={n}, density={p})" for n, p in product(nodes, density or (0.01,))]
    texts = [*recipes, *named] or [DEFAULT]
    made = [recipe(text) for text in texts]
    options = bench_tools.Options(rounds, check, peers)
    chosen = {"designs": list(axes["designs"]) or ["auto"]}
    base = bench_tools.environment(backend.device_name, __version__)
    forms, ids = axes["forms"] or bench_tools.FORMS, axes["ids"] or bench_tools.IDS
    total = len(made) * len(forms) * len(ids) * len(chosen["designs"])
    records = []
    with progress("measuring", quiet or json_output, "cases") as report:
        for case in _cases(made, backend, weights, (forms, ids, options), chosen["designs"]):
            records.append(case)
            if json_output:
                click.echo(json.dumps(base | case))
            if report:
                report(len(records), total)
    if not (json_output or quiet):
        _print(records, backend)


def _cases(
    made: list[Recipe],
    backend: Backend,
    weights: tuple[int, int] | None,
    how: tuple[Any, Any, Any],
    designs: list[str],
) -> Iterator[dict[str, Any]]:
    import numpy as np

    from .. import bench as bench_tools

    for one in made:
        graph, column = one.pieces.graph(one.pieces.dtype, backend.name), None
        between = weights or one.weights
        if between is not None:
            random = np.random.Generator(np.random.PCG64([one.seed, 1]))
            drawn = random.integers(*between, graph.num_edges, endpoint=True)
            column = backend.asarray(drawn)
        yield from bench_tools.measure(graph, backend, designs, *how, column)


def _print(records: list[dict[str, Any]], backend: Backend) -> None:
    from rich.table import Table

    table = Table(title=TITLE, caption=engine_in_words(backend))
    for name in HEAD:
        table.add_column(name, overflow="fold", no_wrap=name in ("to labels", "alone"))
    for case in records:
        peer, paper = case.get("peer", {}), case["paper"]
        theirs, ours = peer.get("job_wall_ms"), case["job_wall_ms"]
        alone = case.get("solve_device_ms", case["solve_wall_ms"])
        reads, limit = paper["random_reads_an_edge"], paper.get("of_limit")
        table.add_row(
            case["graph"],
            f"{case['form']} {case['ids']}",
            case["ran"],
            _spread(ours),
            _spread(alone),
            "-" if reads is None else f"{reads:.2f}",
            "-" if limit is None else f"{limit:.0%}",
            f"{peer['name']} {theirs['median'] / ours['median']:.1f} x" if theirs else "-",
        )
    print_table(table)


def _spread(times: dict[str, float]) -> str:
    return f"{times['median']:.3g}\n{times['least']:.3g}-{times['greatest']:.3g}"
