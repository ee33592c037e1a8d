"""``cc-rapids bench``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby, product
from typing import TYPE_CHECKING, Any

import click

from ... import __version__
from .group import (
    INPUT,
    command,
    examples,
    option_of_input,
    option_of_method,
    option_of_output,
)
from .options import counts_option, engine_in_words, engine_or_threads, quiet_options, rounds_option
from .recipes import Recipe, complete_recipe, recipe
from .show import compact, kernels, print_table, progress

if TYPE_CHECKING:
    from ...backends import Backend
    from ..generators import Graph

DEFAULT = "reference(name=kron21, scale=14)"
TIMES = ("to labels", "alone")
TITLE = "medians in milliseconds; --json also shows spreads, memory and limits"


@command(
    epilog=examples(
        "cc-rapids bench --rounds 9",
        "Random graphs of several densities, as JSON for another program:",
        "cc-rapids bench --nodes 300 --density 0.01 --density 0.1 --rounds 3 --json",
        "Two designs on the CSR rows of a grid, on CPU threads:",
        "cc-rapids bench --generate 'grid(rows=90, columns=90)' --form csr --ids int32"
        " --design kout+async+halve --design label-propagation --engine cpu",
    )
)
@option_of_input(
    "--generate",
    "recipes",
    metavar="RECIPE",
    multiple=True,
    shell_complete=complete_recipe,
    help="A graph of cc-rapids generate: 'NAME(option=value, ...)'.",
)
@counts_option("--nodes", "N", "Use random graphs of N vertices, one per density.", INPUT)
@option_of_input(
    "--density",
    metavar="P",
    type=click.FloatRange(0, 1),
    multiple=True,
    help="With --nodes: the share of joined pairs; 0.01 by default.",
)
@option_of_input(
    "--weights",
    metavar="MIN MAX",
    type=(int, int),
    help="Add integer weights, which no design reads, to the edges.",
)
@option_of_input(
    "--form",
    "forms",
    type=click.Choice(["coo", "csr"]),
    multiple=True,
    help="An edge list, or sorted CSR rows; both by default.",
)
@option_of_input(
    "--ids",
    type=click.Choice(["int32", "int64"]),
    multiple=True,
    help="The type of the vertices; both types by default.",
)
@option_of_method(
    "--design", "designs", metavar="NAME", multiple=True, help="An algorithm; auto by default."
)
@engine_or_threads
@rounds_option
@option_of_method(
    "--check/--no-check",
    default=True,
    help="Compare the answers with union-find afterwards (default).",
)
@option_of_method(
    "--peers/--no-peers", default=True, help="Time SciPy or cuGraph in the same run (default)."
)
@quiet_options
@option_of_output(
    "--json", "json_output", is_flag=True, help="Print all facts of each case as one line of JSON."
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
    **choices: tuple[str, ...],  # forms, ids and designs
) -> None:
    """Time designs on generated graphs, and check their answers.

    A warm-up run compiles the kernels, so the times exclude compiling. Runs alternate between
    several copies of the input. The default graph is reference(name=kron21, scale=14).

    "to labels" is the wall time from the input to the labels. "alone" is the time of the design
    alone, on edges that are already in the memory of the engine: device time on a GPU, wall time on
    a CPU. For a peer, SciPy or cuGraph, the table shows the time of the peer divided by the time
    "to labels". --json adds the least and greatest times, the peak memory, and two computed facts:
    the random reads per edge, and the shortest time that the memory of the GPU allows, divided by
    the measured time.
    """
    from .. import bench as bench_tools

    if density and not nodes:
        raise click.UsageError("--density needs --nodes")
    random_recipes = [f"gnm(nodes={n}, density={p})" for n, p in product(nodes, density or (0.01,))]
    recipe_texts = [*recipes, *random_recipes] or [DEFAULT]
    parsed_recipes = [recipe(text) for text in recipe_texts]
    options = bench_tools.Options(rounds, check, peers)
    designs = list(choices["designs"]) or ["auto"]
    environment = bench_tools.environment(backend.device_name, __version__)
    forms, ids = choices["forms"] or bench_tools.FORMS, choices["ids"] or bench_tools.IDS
    total = len(parsed_recipes) * len(forms) * len(ids) * len(designs)
    records = []
    with kernels(quiet), progress("measuring", quiet or json_output, "cases") as report:
        for graph, column in _weighted_graphs(parsed_recipes, backend, weights):
            measured = bench_tools.measure(graph, backend, designs, forms, ids, options, column)
            for case in measured:
                records.append(case)
                if json_output:
                    click.echo(json.dumps(environment | case))
                if report:
                    report(len(records), total)
    if not (json_output or quiet):
        _print(records, backend)


def _weighted_graphs(
    parsed_recipes: list[Recipe], backend: Backend, weights: tuple[int, int] | None
) -> Iterator[tuple[Graph, Any]]:
    """Yield the graph of each recipe, and a column of random weights; None without weights.

    ``weights`` is the range of the weights; None takes the range of each recipe, if it has one.
    """
    import numpy as np

    for parsed in parsed_recipes:
        graph = parsed.pieces.graph(parsed.pieces.dtype, backend.name)
        column = None
        weight_range = weights or parsed.weights
        if weight_range is not None:
            # 1 is the random stream of weights, as in cc-rapids generate
            random = np.random.Generator(np.random.PCG64([parsed.seed, 1]))
            values = random.integers(*weight_range, graph.num_edges, endpoint=True)
            column = backend.asarray(values)
        yield graph, column


def _print(records: list[dict[str, Any]], backend: Backend) -> None:
    """Print a table for each graph."""
    click.echo(TITLE)
    for graph, cases in groupby(records, lambda case: case["graph"]):
        listed = list(cases)
        peer = next((case["peer"]["name"] for case in listed if _peer_times(case)), "")
        table = compact(
            "input", "design", *TIMES, *([peer] if peer else []), numbers=(*TIMES, peer)
        )
        for case in listed:
            table.add_row(*_cells(case, bool(peer)))
        click.echo(f"\n{graph}")
        print_table(table)
    click.echo(f"\n{engine_in_words(backend)}")


def _peer_times(case: dict[str, Any]) -> dict[str, float] | None:
    """Return the wall times of the peer of a case; None if no peer was timed."""
    times: dict[str, float] | None = case.get("peer", {}).get("job_wall_ms")
    return times


def _cells(case: dict[str, Any], with_peer: bool) -> list[str]:
    """Return the row of a case; the last cell is the time of the peer over the time "to labels"."""
    ours, theirs = case["job_wall_ms"], _peer_times(case)
    alone = case.get("solve_device_ms", case["solve_wall_ms"])
    cells = [f"{case['form']} {case['ids']}", case["ran"]]
    cells += [f"{times['median']:.3g}" for times in (ours, alone)]
    if with_peer:
        cells.append(f"{theirs['median'] / ours['median']:.1f} x" if theirs else "-")
    return cells
