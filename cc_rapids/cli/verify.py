"""``cc-rapids verify``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import FormatError, InputError, VerificationError
from ..formats import read_edges
from .group import examples
from .options import FORMATS_IN_WORDS, edge_file_options, nulls_option
from .show import as_json, print_json, progress, quiet_option

if TYPE_CHECKING:
    import pyarrow as pa

    from ..audit import Audit

WRONG = 1  # the exit code


@click.command(
    epilog=FORMATS_IN_WORDS
    + "\n\n"
    + examples(
        "cc-rapids verify pairs.csv labels.csv",
        "Labels of another program, whatever they call the components:",
        "cc-rapids verify pairs.csv labels_of_another.csv --labels any",
    )
)
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("labels", type=click.Path(path_type=Path))
@edge_file_options()
@nulls_option
@click.option(
    "--labels",
    "naming",
    type=click.Choice(["min", "any"]),
    default="min",
    help="Labels are the least vertex of each component (the default), or any names for them.",
)
@click.option(
    "--engine", type=click.Choice(["threads", "cuda"]), help="CPU threads (the default) or GPU."
)
@click.option(
    "--oracle",
    type=click.Choice(["scipy", "networkx", "cugraph"]),
    help="A library that has to find the same components too.",
)
@click.option(
    "--memory-limit",
    metavar="SIZE",
    help="Read FILE in chunks, within SIZE such as 2GiB, if it is larger than memory.",
)
@quiet_option
@as_json
def verify(
    file: Path,
    labels: Path,
    nulls: str | None,
    naming: str,
    engine: str | None,
    oracle: str | None,
    memory_limit: str | None,
    quiet: bool,
    json_output: bool,
    **reading: Any,
) -> None:
    """Check the components in LABELS, a file with columns vertex and labels, against FILE.

    No answer is computed anew: every edge has to join equal labels, and every vertex has to be
    joined to its label by a path. Exit code 0 if the labels are right, 1 with the first
    counter-example if they are wrong, and 2 if a file cannot be read.
    """
    start = time.perf_counter()
    edges, options = _edges(file, quiet, memory_limit, reading)
    with progress(f"reading {labels.name}", quiet) as report:
        table = read_edges(labels, source="vertex", destination="labels", on_progress=report).table
    if memory_limit is None:
        _check_kinds(edges, table, file, labels)
    options |= {"nulls": nulls or "raise", "engine": engine, "oracle": oracle}
    proof, example = _audited(_in_order(table, naming), edges, options)
    facts = {
        "file": str(file),
        "labels": str(labels),
        "correct": example is None,
        "counter_example": example,
        "vertices": len(table),
        "edges": proof and proof.edges,
        "components": proof and proof.components,
        "oracle": oracle,
        "seconds": time.perf_counter() - start,
    }
    _tell(facts, proof, quiet, json_output)
    if example is not None:
        click.get_current_context().exit(WRONG)


def _edges(
    file: Path, quiet: bool, memory_limit: str | None, reading: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """The edges as they are audited, a table or a path, and with which options."""
    if memory_limit is None:
        with progress(f"reading {file.name}", quiet) as report:
            edges = read_edges(file, on_progress=report, **reading)
        names = {"source": edges.source, "destination": edges.destination}
        return edges.table, names | {"vertices": edges.vertices}
    for name in ("format", "header"):
        if reading[name] is not None:
            raise InputError(f"with --memory-limit the suffix says the format: leave --{name} out")
    names = {"source": reading["source"] or "src", "destination": reading["destination"] or "dst"}
    return file, names | {"memory_limit": memory_limit}


def _audited(
    table: pa.Table, edges: Any, options: dict[str, Any]
) -> tuple[Audit | None, str | None]:
    """What was proved, or what is wrong, in words."""
    from ..audit.labels import audit_labels

    try:
        return audit_labels(table, edges, **options), None
    except VerificationError as error:
        return None, str(error)


def _check_kinds(edges: pa.Table, labels: pa.Table, file: Path, path: Path) -> None:
    """Text and numbers do not compare."""
    import pyarrow as pa

    kinds = edges.schema.types[0], labels.schema.types[0]
    if len(edges) and len(labels) and len(set(map(pa.types.is_integer, kinds))) > 1:
        raise FormatError(
            f"the ids of {file} are {kinds[0]}, and the vertices of {path} are {kinds[1]}: they do"
            " not compare; write both as numbers or both as text"
        )


def _in_order(table: pa.Table, naming: str) -> pa.Table:
    """The vertices in order, each with the least vertex of its label if labels are any names."""
    import numpy as np
    import pyarrow.compute as pc

    table = table.take(pc.sort_indices(table["vertex"]))
    if naming == "any" and len(table):
        codes = table["labels"].combine_chunks().dictionary_encode(null_encoding="encode").indices
        _, first, place = np.unique(codes.to_numpy(), return_index=True, return_inverse=True)
        table = table.set_column(1, "labels", table["vertex"].take(first[place]))
    return table


def _tell(facts: dict[str, Any], proof: Audit | None, quiet: bool, json_output: bool) -> None:
    if json_output:
        print_json(facts)
    elif not facts["correct"]:
        click.echo(f"wrong: {facts['counter_example']}")
    elif not quiet:
        click.echo(proof)
