"""``cc-rapids verify``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...data.files.read import SourceFormat, source_format_of
from ...data.files.text_ids import integers, is_text, plain
from ...data.text_options import TextOptions
from ...errors import FormatError, InputError, VerificationError
from ...ledger import Ledger
from ...verify.label_rules import LABEL_RULES, LabelRule
from .frames import read_vertices, vertices_options
from .group import INPUT, as_options, command, examples, option_of_method
from .options import (
    FILES_IN_WORDS,
    STANDARD,
    FilePath,
    check_bounds,
    edge_options,
    engine_option,
    format_option,
    memory_limit_option,
    report_options,
    unreadable_option,
)
from .paths import name_of, paths_of
from .show import kernels, print_json, progress, times_since
from .sources import CommandEdges, check_single, is_whole, read_edges, read_one

if TYPE_CHECKING:
    import pyarrow as pa

    from ...verify.audit import Audit

WRONG = 1  # the exit code if labels are wrong


@command(
    epilog=examples(
        "cc-rapids verify pairs.csv labels.csv",
        "Labels in a folder of Parquet files:",
        "cc-rapids verify pairs.csv labels",
        "Edges in several files, a pattern in quotes, or a folder:",
        "cc-rapids verify 'pairs*.parquet' pairs.csv labels.csv",
        "Labels of another program, which names components in any way:",
        "cc-rapids verify pairs.csv labels_of_another.csv --labels any",
        after=FILES_IN_WORDS,
    )
)
@click.argument("files", metavar="FILE...", nargs=-1, type=FilePath(allow_dash=True))
@click.argument("labels", type=FilePath(path_type=Path, allow_dash=True))
@edge_options
@memory_limit_option
@unreadable_option
@vertices_options
@format_option(
    "--labels-format", "labels_format", "Format of LABELS; from its suffix by default.", INPUT
)
@option_of_method(
    "--labels",
    "naming",
    metavar="KIND",
    type=click.Choice(list(LABEL_RULES)),
    default="min",
    help=f"Kind of labels: {', '.join(LABEL_RULES)}; min by default.",
)
@engine_option
@option_of_method(
    "--oracle",
    type=click.Choice(["scipy", "networkx", "cugraph"]),
    help="A library that must find the same components.",
)
@report_options
def verify(
    files: tuple[str, ...],
    labels: Path,
    nulls: str | None,
    naming: str,
    labels_format: str | None,
    engine: str | None,
    oracle: str | None,
    memory_limit: str | None,
    unreadable: str | None,
    vertices: str | None,
    on: str | None,
    num_vertices: int | None,
    quiet: bool,
    json_output: bool,
    **reading: Any,
) -> None:
    """Prove from the edges that the labels in a file are right.

    FILE is a file of edges, a folder, or a pattern in quotes; there may be several. LABELS is a
    file with the columns vertex and labels, or a folder or pattern (in quotes) of such files, as
    calculate --output FOLDER/ writes them. FILE or LABELS may be - for standard input, whose format
    is given by --format or --labels-format, or determined by its first bytes. Several files are
    read in chunks. One file is read in chunks if there is a --memory-limit.

    --labels is the kind of labels: min if a label is the least vertex of its component, the value
    of calculate --labels, or any for arbitrary names. For fingerprints, pass any. Labels of
    calculate --max-size are reported as wrong, because the parts of a component have different
    labels. If the labels were calculated with --nulls, --weight, --unreadable, --vertices or
    --num-vertices, pass the same options. With --nulls drop, an id that occurs only in dropped
    edges needs no label.

    The command does not find the components again. It checks that both ends of every edge have
    equal labels, and that a path joins every vertex to its label. The exit code is 0 if the labels
    are right, 1 with the first counterexample if they are wrong, and 2 if a file cannot be read.
    """
    import pyarrow.compute as pc

    if not files:
        raise click.UsageError(f"Only {labels} is given: pass FILE and then LABELS.")
    if STANDARD in files and str(labels) == STANDARD:
        raise click.UsageError("Only one of FILE and LABELS can be standard input.")
    start = time.perf_counter()
    bounds = check_bounds(reading)
    chunked = {"memory_limit": memory_limit, "unreadable": unreadable}
    chunked = {name: value for name, value in chunked.items() if value is not None}
    edge_input = _audited_edges(files, quiet, chunked, reading, bounds)
    edges, options = edge_input.edges, edge_input.options
    source_format = edge_input.formats[0] if edge_input.formats else None
    if source_format is not None:
        check_single(source_format)
    edge_table = None if edge_input.streamed else edges
    options |= read_vertices(vertices, on, num_vertices, edge_table, options, quiet)
    label_table, label_format = _labels(labels, labels_format, quiet)
    if edge_table is not None:
        label_table = _with_comparable_ids(edge_table, label_table, label_format, files[0], labels)
    rule = LABEL_RULES[naming]
    _check_label_type(label_table, rule)
    label_table = label_table.take(pc.sort_indices(label_table["vertex"]))
    options |= {"nulls": nulls or "raise", "engine": engine, "oracle": oracle} | bounds
    with kernels(quiet) as times:
        proof, example = _audit(_with_least_vertices(label_table, rule), edges, options)
    example = example or _first_wrong_label(label_table, rule)
    facts = {
        **({"file": files[0]} if len(files) == 1 else {"files": list(files)}),
        "labels": str(labels),
        "correct": example is None,
        "counter_example": example,
        "vertices": len(label_table),
        "edges": proof and proof.edges,
        "components": proof and proof.components,
        "ledger": proof and edge_input.full_ledger(proof.ledger).facts(),
        "oracle": oracle,
        "taken": source_format and source_format.facts(),
        **times_since(start, times),
    }
    _print(facts, proof, source_format, quiet, json_output)
    if example is not None:
        click.get_current_context().exit(WRONG)


def _labels(labels: Path, format: str | None, quiet: bool) -> tuple[pa.Table, SourceFormat]:
    """Read the labels of a file, a folder or a pattern; also return how the first file was read."""
    import pyarrow as pa

    ends = {"source": "vertex", "destination": "labels"}
    parts = []
    for path in map(Path, paths_of(str(labels))):
        with progress(f"reading {name_of(path.name)}", quiet) as report:
            parts.append(read_one(path, report, format=format, **ends))
    tables = [plain(part.table) for part in parts]
    if any(table.schema.types != tables[0].schema.types for table in tables):
        types = dict.fromkeys(", ".join(map(str, table.schema.types)) for table in tables)
        raise FormatError(
            f"the files of {labels} have columns of different types: {' and '.join(types)}"
        )
    return pa.concat_tables(tables), parts[0].source_format


def _audited_edges(
    files: tuple[str, ...],
    quiet: bool,
    chunked: dict[str, str | None],
    reading: dict[str, Any],
    bounds: dict[str, Any],
) -> CommandEdges:
    """Read a single file into memory, or return paths that the audit reads in chunks.

    ``chunked`` has the options ``memory_limit`` and ``unreadable`` that were passed. The other
    parameters are as for :func:`read_edges`.
    """
    if is_whole(files) and not chunked:
        return read_edges(files, chunked, quiet, reading, bounds)
    if STANDARD in files:
        if len(files) > 1:
            raise click.UsageError("- is standard input, which cannot be read with other files.")
        flag = f"--{next(iter(chunked)).replace('_', '-')}"  # the first option that was passed
        raise InputError(f"{flag} needs a file, because verify reads standard input as a whole")
    paths = files[0] if len(files) == 1 else list(files)
    source_format = None
    # With --unreadable, the audit decides what happens to a file that cannot be read
    if is_whole(files) and "unreadable" not in chunked:
        ends, text = (reading["source"], reading["destination"]), TextOptions.among(reading)
        source_format = source_format_of(Path(files[0]), *ends, text)
    formats = [] if source_format is None else [source_format]
    return CommandEdges(paths, reading | chunked, streamed=True, formats=formats)


def _with_comparable_ids(
    edges: pa.Table, labels: pa.Table, label_format: SourceFormat, edge_path: str, label_path: Path
) -> pa.Table:
    """Return the labels, converted to text if the ids of the edges are strings of digits.

    A text file does not distinguish strings of digits from numbers, so both are read as numbers.
    Raise a FormatError, which names both paths, if only the ids of one of the inputs are text.
    """
    import pyarrow as pa

    id_type, vertex_type = edges.schema.types[0], labels.schema.types[0]
    if not (len(edges) and len(labels)) or is_text(id_type) == is_text(vertex_type):
        return labels
    may_be_text = is_text(id_type) and label_format.delimiter is not None  # labels in a text file
    if may_be_text and all(integers(ids) is not None for ids in plain(edges).columns[:2]):
        columns = [column.cast(pa.large_string()) for column in labels.columns]
        return pa.table(columns, names=labels.column_names)
    raise FormatError(
        f"the ids of {edge_path} are {id_type}, but the vertices of {label_path} are {vertex_type},"
        " so they cannot be compared: write the ids of both files as numbers, or both as text"
    )


def _audit(table: pa.Table, edges: Any, options: dict[str, Any]) -> tuple[Audit | None, str | None]:
    """Return ``(proof, None)`` if labels are right, otherwise ``(None, message of the error)``."""
    from ...verify.audit import audit_labels

    try:
        return audit_labels(table, edges, **options), None
    except VerificationError as error:
        return None, as_options(str(error))


def _check_label_type(table: pa.Table, rule: LabelRule) -> None:
    """Raise an InputError if labels should be ids, which are strings, but are other integers."""
    import pyarrow.compute as pc

    vertex, labels = table["vertex"], table["labels"]
    if not (rule.is_vertex and len(table) and is_text(vertex.type)):
        return
    text_labels = labels.cast(vertex.type)
    # ids may be strings of digits
    if integers(text_labels) is not None and not pc.any(pc.is_in(text_labels, vertex)).as_py():
        raise InputError(
            "labels are integers but ids are strings: pass --labels size, dense or any"
        )


def _with_least_vertices(table: pa.Table, rule: LabelRule) -> pa.Table:
    """Return the table with each label replaced by the least vertex that has it, for the audit."""
    if rule.is_least or not len(table):
        return table
    # Vertices are sorted, so the first row of a label has its least vertex
    groups = _Groups(table)
    return table.set_column(1, "labels", table["vertex"].take(groups.first[groups.of_row]))


class _Groups:
    """The sorted vertices of a table, grouped by label.

    For each label, ``first``, ``last`` and ``size`` are its first row, last row and number of rows.
    For each row, ``of_row`` is the position of its label in these arrays.
    """

    def __init__(self, table: pa.Table) -> None:
        import numpy as np

        column = table["labels"].combine_chunks()
        # Null is a label, too
        codes = column.dictionary_encode(null_encoding="encode").indices.to_numpy()
        _, self.first, self.of_row = np.unique(codes, return_index=True, return_inverse=True)
        self.size = np.bincount(self.of_row)
        self.last = np.zeros_like(self.first)
        # The last row of a label overwrites its other rows
        self.last[self.of_row] = np.arange(len(table))


def _first_wrong_label(table: pa.Table, rule: LabelRule) -> str | None:
    """Describe the first label that breaks the rule; None if there is none.

    The audit has proved that two vertices have equal labels if and only if they are connected. It
    has also checked labels that are least vertices. Labels of the kind ``any`` are arbitrary.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if not (rule.is_greatest or rule.is_place) or not len(table):
        return None
    groups, labels = _Groups(table), table["labels"].combine_chunks()
    if rule.is_greatest:
        expected = table["vertex"].combine_chunks().take(pa.array(groups.last[groups.of_row]))
        what = "the greatest vertex of its component"
    else:
        # Number by size, largest first, and then by least vertex; the last key is the primary key
        keys = (groups.first, -groups.size) if rule.is_by_size else (groups.first,)
        order = np.lexsort(keys)
        numbers = np.empty_like(order)
        numbers[order] = np.arange(len(order))
        expected = pa.array(numbers[groups.of_row])
        by = "size" if rule.is_by_size else "least vertex"
        what = f"the number of its component by {by}"
    same = pc.equal(labels.cast(pa.large_string()), expected.cast(pa.large_string()))
    wrong = pc.index(pc.fill_null(same, False), False).as_py()
    if wrong < 0:
        return None
    vertex, label = table["vertex"][wrong].as_py(), labels[wrong].as_py()
    return f"vertex {vertex} has the label {label}, but {what} is {expected[wrong].as_py()}"


def _print(
    facts: dict[str, Any],
    proof: Audit | None,
    source_format: SourceFormat | None,
    quiet: bool,
    json_output: bool,
) -> None:
    """Print the result of a verification."""
    if json_output:
        print_json(facts)
        return
    if not facts["correct"]:
        click.echo(f"wrong: {facts['counter_example']}")
    elif not quiet:
        click.echo(proof)
        click.echo(f"rows: {Ledger.of_facts(facts['ledger'])}")
    if source_format is not None and not quiet:
        click.echo(f"edges: {', '.join(source_format.columns)} ({source_format})")
