"""``cc-rapids verify``."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import FormatError, VerificationError
from ..formats import EdgeFile, read_edges
from .group import examples
from .options import FORMATS_IN_WORDS, edge_file_options, nulls_option
from .show import as_json, print_json, progress, quiet_option

if TYPE_CHECKING:
    import pyarrow as pa

WRONG = 1  # the exit code


@dataclass(frozen=True)
class _Labels:
    """A table of labels as an answer of ``components``, for the oracle."""

    table: pa.Table

    def labels(self, kind: str) -> pa.Table:
        return self.table

    def __len__(self) -> int:
        import pyarrow.compute as pc

        return int(pc.sum(pc.equal(self.table["vertex"], self.table["labels"])).as_py() or 0)


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
@quiet_option
@as_json
def verify(
    file: Path,
    labels: Path,
    nulls: str | None,
    naming: str,
    quiet: bool,
    json_output: bool,
    **reading: Any,
) -> None:
    """Check the components in LABELS, a file with columns vertex and labels, against FILE.

    Nothing is computed anew: every edge has to join equal labels, and a search from each label has
    to reach all vertices that have it. Exit code 0 if the labels are right, 1 with the first
    counter-example if they are wrong, and 2 if a file cannot be read.
    """
    start = time.perf_counter()
    with progress(f"reading {file.name}", quiet) as report:
        edges = read_edges(file, on_progress=report, **reading)
    with progress(f"reading {labels.name}", quiet) as report:
        table = read_edges(labels, source="vertex", destination="labels", on_progress=report).table
    _check_kinds(edges.table, table, file, labels)
    answer = _Labels(_in_order(table, naming))
    example = _counter_example(answer, edges, nulls or "raise")
    facts = {
        "file": str(file),
        "labels": str(labels),
        "correct": example is None,
        "counter_example": example,
        "vertices": len(table),
        "edges": len(edges.table),
        "components": len(answer) if example is None else None,
        "seconds": time.perf_counter() - start,
    }
    _tell(facts, quiet, json_output)
    if example is not None:
        click.get_current_context().exit(WRONG)


def _counter_example(answer: _Labels, edges: EdgeFile, nulls: str) -> str | None:
    """What is wrong with an answer, in words."""
    from ..oracle import certify_components

    ends = edges.source, edges.destination
    try:
        certify_components(answer, edges.table, *ends, vertices=edges.vertices, nulls=nulls)
    except VerificationError as error:
        return str(error)
    return None


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


def _tell(facts: dict[str, Any], quiet: bool, json_output: bool) -> None:
    if json_output:
        print_json(facts)
    elif not facts["correct"]:
        click.echo(f"wrong: {facts['counter_example']}")
    elif not quiet:
        click.echo(
            f"right: {facts['components']:,} components of {facts['vertices']:,} vertices,"
            f" by {facts['edges']:,} edges"
        )
