"""``cc-rapids link-pairs`` and ``cc-rapids score-clusters``."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from ...data.end_columns import NAME_THEM
from ...data.files.read import EdgeFile, source_format_of
from ...data.files.text_ids import is_text, plain
from ...data.files.write import write_table
from ...data.text_options import TextOptions
from ...errors import FormatError, MissingColumnError, counted
from .frames import (
    TABULAR_IN_WORDS,
    WholeTable,
    ids_of,
    read_table,
    table_format_option,
    table_text_options,
    with_header,
)
from .group import INPUT, METHOD, OUTPUT, command, examples, option
from .options import (
    STANDARD,
    FilePath,
    as_json,
    check_bounds,
    column_options,
    engine_option,
    header_option,
    is_shown,
    nulls_option,
    quiet_options,
)
from .outputs import check_with_output, checked_output, output_format_option, output_option
from .paths import name_of, paths_of
from .show import kernel_rows, kernels, print_json, print_rows, progress, seconds, times_since
from .sources import CommandEdges, is_whole, read_in_memory, read_one


@command(
    epilog=TABULAR_IN_WORDS
    + "\n\n"
    + examples(
        "cc-rapids link-pairs scored.csv --weight score --max-size 5 --output entities.csv",
        "At most one record of each file in a cluster:",
        "cc-rapids link-pairs scored.csv --weight score --at-least 0.8"
        " --records records.csv --on id --datasets file --refused refused.csv",
    )
)
@click.argument("pairs", type=FilePath(allow_dash=True))
@column_options
@option("--weight", metavar="NAME", required=True, section=INPUT, help="Column of scores.")
@table_format_option("--format", "format", "PAIRS")
@table_text_options("", "PAIRS")
@header_option("Do files have a header, where the first line may be a pair?")
@nulls_option
@option(
    "--records",
    type=FilePath(),
    section=INPUT,
    help="A table of record ids, and of their datasets.",
)
@option(
    "--on", metavar="NAME", section=INPUT, help="Column of --records with the ids, or several: A,B."
)
@option("--datasets", metavar="NAME", section=INPUT, help="The column of datasets in --records.")
@option("--at-least", type=float, metavar="W", section=METHOD, help="Minimum score of a pair.")
@option(
    "--per-dataset",
    metavar="N",
    type=click.IntRange(min=1),
    section=METHOD,
    help="Maximum records of one dataset in a cluster; 1 by default.",
)
@option(
    "--max-size",
    metavar="N",
    type=click.IntRange(min=1),
    section=METHOD,
    help="Maximum number of records in a cluster.",
)
@option(
    "--cannot-link",
    type=FilePath(),
    section=METHOD,
    help="A table of pairs that must not be in one cluster.",
)
@option(
    "--must-link",
    type=FilePath(),
    section=METHOD,
    help="A table of pairs that are joined before all others.",
)
@engine_option
@option(
    "--refused", metavar="PATH", section=OUTPUT, help="Write the pairs that a rule refused to PATH."
)
@output_option("Write records and their labels to PATH, or - for stdout.")
@output_format_option
@quiet_options
@as_json
def link_pairs(
    pairs: str,
    source: Any,
    destination: Any,
    weight: str,
    format: str | None,
    delimiter: str | None,
    encoding: str | None,
    header: bool | None,
    nulls: str | None,
    records: str | None,
    on: str | None,
    datasets: str | None,
    at_least: float | None,
    per_dataset: int | None,
    max_size: int | None,
    cannot_link: str | None,
    must_link: str | None,
    engine: str | None,
    refused: str | None,
    output: str | None,
    output_format: str | None,
    quiet: bool,
    json_output: bool,
) -> None:
    """Cluster scored pairs of records under rules.

    PAIRS is a table of pairs of records with scores. The pairs are processed by descending score. A
    pair joins the clusters of its two records, unless the union of both clusters would break a
    rule. The output has one row per record: its id (vertex) and the label of its cluster (labels).
    """
    from ...rules import link_pairs as link

    if on is not None and records is None:
        raise click.UsageError("--on names the ids of --records: pass --records.")
    if per_dataset is not None and datasets is None:
        raise click.UsageError("--per-dataset limits the records of each dataset: pass --datasets.")
    if (
        output is not None
        and refused is not None
        and os.path.realpath(output) == os.path.realpath(refused)
    ):
        raise click.UsageError("--output and --refused name the same file.")
    bounds = check_bounds(
        {"weight": weight, "at_least": at_least, "at_most": None}, weight_alone=True
    )
    check_with_output(output, output_format=output_format)
    inputs = [path for path in (pairs, records, cannot_link, must_link) if path is not None]
    # The path and format of each output
    label_target = None if output is None else checked_output(output, output_format, inputs)
    refused_target = None if refused is None else checked_output(refused, None, inputs)
    output_path = None if label_target is None else label_target[0]
    shown = is_shown(output_path, quiet, json_output)
    start = time.perf_counter()
    reading = {"format": format, "delimiter": delimiter, "encoding": encoding, "header": header}
    scored = _read_scored(pairs, source, destination, reading, bounds, quiet)
    id_types = _id_types(scored)
    record_table = None if records is None else read_table(records, None, quiet)
    cannot_pairs, must_pairs = (
        None if path is None else _rule_pairs(path, source, destination, header, id_types, quiet)
        for path in (cannot_link, must_link)
    )
    if record_table is not None:
        record_table.check_header()
        scored.options["vertices"] = _select_ids(record_table, on, datasets, id_types)
    with kernels(quiet) as times:
        result = link(
            scored.edges,
            **scored.options,
            datasets=datasets,
            per_dataset=1 if per_dataset is None else per_dataset,
            max_size=max_size,
            nulls=nulls or "raise",
            engine=engine,
            cannot_link=cannot_pairs,
            must_link=must_pairs,
        )
        if label_target is not None:
            write_table(result.labels(), *label_target)
        refused_rows = result.refused()
        if refused_target is not None:
            write_table(refused_rows, *refused_target)
    summary = result.summary()
    facts = {
        "file": pairs,
        "pairs": summary["edges"],
        "records": summary["vertices"],
        "clusters": summary["components"],
        "largest": summary["largest"],
        "refused": refused_rows.num_rows,
        "engine": summary["engine"],
        "output": None if output_path is None else str(output_path),
        **times_since(start, times),
    }
    if json_output:
        print_json(facts)
    elif shown:
        print_rows(_rows(facts, kernel_rows(times, times.seconds)))


def _rows(facts: dict[str, Any], kernel_facts: dict[str, str | None]) -> dict[str, str | None]:
    """Return the facts as the rows of the printed report."""
    largest = counted(facts["largest"], "record")
    return {
        "file": facts["file"],
        "pairs": f"{facts['pairs']:,} ({facts['refused']:,} refused)",
        "records": f"{facts['records']:,}",
        "clusters": f"{facts['clusters']:,}, the largest of {largest}",
        **kernel_facts,
        "time": seconds(facts["seconds"]),
        "labels in": facts["output"],
    }


@command(
    epilog=examples(
        "cc-rapids score-clusters labels.csv labels_of_another.csv",
        "Two columns of a table of true clusters; records in no pair count, too:",
        "cc-rapids score-clusters labels.csv people.csv --on record_id --label name --missing self",
        "The threshold of scored pairs whose components agree best with the truth:",
        "cc-rapids score-clusters scored.csv people.csv --on record_id --label name --weight score"
        " --best bcubed_f1",
    )
)
@click.argument("found", type=FilePath(allow_dash=True))
@click.argument("truth", type=FilePath())
@option(
    "--on", metavar="NAME", section=INPUT, help="Column of TRUTH with the ids, or several: A,B."
)
@option("--label", metavar="NAME", section=INPUT, help="Column of TRUTH with the true clusters.")
@option(
    "--weight", metavar="NAME", section=INPUT, help="Column of scores, if FOUND lists scored pairs."
)
@column_options
@header_option("Do files have a header, where the first line may be a row?")
@nulls_option
@option(
    "--missing",
    type=click.Choice(["drop", "self", "raise"]),
    section=METHOD,
    help="For ids only in TRUTH: drop (default), self or raise.",
)
@option(
    "--best",
    metavar="METRIC",
    section=METHOD,
    help="Score to choose a threshold by; pairwise_f1 by default.",
)
@as_json
def score_clusters(
    found: str,
    truth: str,
    on: str | None,
    label: str | None,
    weight: str | None,
    source: Any,
    destination: Any,
    header: bool | None,
    nulls: str | None,
    missing: str | None,
    best: str | None,
    json_output: bool,
) -> None:
    """Score clusters against true clusters.

    FOUND and TRUTH are tables of ids and labels. The last column contains the labels, and the other
    columns the ids. For TRUTH, --on and --label choose other columns: pass both or neither. Ids
    that occur in only one table are counted and left out. With --missing self, an id that occurs
    only in TRUTH is a cluster by itself in FOUND. The scores are precision, recall and F1 of pairs,
    by record (B-cubed) and of whole clusters, the variation of information, and the adjusted Rand
    index.

    With --weight, FOUND is a table of scored pairs instead. The components at each threshold of the
    score are compared with TRUTH, and the scores at the best threshold are printed. --json also
    prints the scores at all thresholds (curve). --best names the score that the best threshold
    maximises, such as pairwise_f1, bcubed_f1 or adjusted_rand_index. To find the clusters at the
    best threshold, run calculate --weight NAME --at-least THRESHOLD.
    """
    from ...rules import score_clusters as score

    if (on is None) != (label is None):
        raise click.UsageError("--on and --label choose the columns of TRUTH: pass both.")
    pair_options = {"source": source, "destination": destination, "nulls": nulls, "best": best}
    for name, value in pair_options.items():
        if weight is None and value is not None:
            raise click.UsageError(
                f"--{name} is for scored pairs: name their scores with --weight."
            )
    truth_labels = _read_labels(truth, header, on, label)
    scores: dict[str, Any]
    if weight is None:
        scores = score(_read_labels(found, header), truth_labels, missing=missing)
    else:
        reading, bounds = {"header": header}, {"weight": weight}
        scored = _read_scored(found, source, destination, reading, bounds, quiet=True)
        metric = best or "pairwise_f1"
        scores = _best_scores(scored, nulls or "raise", truth_labels, metric, missing)
    if json_output:
        print_json(scores)
        return
    curve = scores.pop("curve", None)
    rows: dict[str, str | None] = {
        name.replace("_", " "): f"{value:,}" if isinstance(value, int) else f"{value:.6f}"
        for name, value in scores.items()
    }
    if curve is not None:  # all digits of the threshold, for --at-least
        rows["threshold"] = str(scores["threshold"])
    print_rows(rows)


def _best_scores(
    pairs: CommandEdges, nulls: str, truth_labels: Any, metric: str, missing: str | None
) -> dict[str, Any]:
    """Return the scores at the best threshold; ``curve`` has the scores at every threshold."""
    from ...api import components

    result = components(pairs.edges, **pairs.options, nulls=nulls, forest="max")
    best = result.dendrogram().best(truth_labels, metric, missing=missing)
    curve: list[dict[str, Any]] = best.curve.to_pylist()
    (scores,) = (row for row in curve if row["threshold"] == best.threshold)
    return scores | {"curve": curve}


def _read_scored(
    path: str,
    source: Any,
    destination: Any,
    reading: dict[str, Any],
    bounds: dict[str, Any],
    quiet: bool,
) -> CommandEdges:
    """Read the scored pairs of a file, a folder or a pattern as edges.

    ``reading`` has the other options for reading. Its ``header`` may be passed for another file of
    the command, so it is used only if reading without it fails.
    """
    reading = {"source": source, "destination": destination, **reading}
    if path != STANDARD and "://" not in path and reading["header"] is not None:
        without_header = reading | {"header": None}
        with suppress(FormatError, MissingColumnError):
            if not is_whole((path,)):  # the library reads them later: find errors now
                options = TextOptions.among(without_header)
                for file in paths_of(path):
                    source_format_of(file, source, destination, options, bounds["weight"])
            return read_in_memory((path,), quiet, without_header, bounds)
    return read_in_memory((path,), quiet, reading, bounds)


def _id_types(scored: CommandEdges) -> list[Any]:
    """Return the types of the id columns of one end; empty if the library reads the pairs later."""
    if not scored.formats:  # ``scored.edges`` are paths
        return []
    source = scored.options["source"]
    columns = source if isinstance(source, list) else [source]
    return [scored.edges.schema.field(name).type for name in columns]


def _rule_pairs(
    path: str, source: Any, destination: Any, header: bool | None, id_types: list[Any], quiet: bool
) -> Any:
    """Return the pairs of ``--cannot-link`` or ``--must-link``, with ids like the ids of PAIRS.

    ``id_types`` are the types of the ids in PAIRS, as from :func:`_id_types`. Pairs of ids with
    several columns are returned as two tables, one for each end.
    """
    import pyarrow as pa

    ends, parts = {"source": source, "destination": destination}, []
    for file in map(Path, paths_of(path)):
        try:
            parts.append(_read_rule_file(file, ends, header, quiet))
        except (FormatError, MissingColumnError) as error:
            # Advice to pass --source and --destination would be wrong: they name columns of PAIRS
            message = str(error).replace(NAME_THEM, "call the columns of the ids src and dst")
            raise type(error)(message) from None
    table = pa.concat_tables([_with_id_types(part, id_types) for part in parts])
    width = table.num_columns // 2
    if width == 1:
        return table
    return table.select(range(width)), table.select(range(width, 2 * width))


def _read_rule_file(file: Path, ends: dict[str, Any], header: bool | None, quiet: bool) -> EdgeFile:
    """Read pairs from the columns ``ends`` or, if one is missing, from columns with known names."""
    with progress(f"reading {name_of(file.name)}", quiet) as report:
        try:
            return read_one(file, report, header=header, **ends)
        except MissingColumnError:
            if isinstance(ends["source"], list):  # no fallback for ids of several columns
                raise
            return read_one(file, report, header=header, **dict.fromkeys(ends))


def _with_id_types(edge_file: EdgeFile, id_types: list[Any]) -> Any:
    """Return the id columns of both ends; a column becomes text if ``id_types`` has text for it."""
    import pyarrow as pa

    ends = [
        [end] if isinstance(end, str) else end for end in (edge_file.source, edge_file.destination)
    ]
    table = plain(edge_file.table).select([name for end in ends for name in end])
    types_of_end = id_types or [None] * len(ends[0])  # the same for both ends
    columns = [
        column.cast(pa.large_string()) if id_type is not None and is_text(id_type) else column
        for column, id_type in zip(table.columns, 2 * types_of_end, strict=True)
    ]
    return pa.table(columns, names=table.column_names)


def _select_ids(
    table: WholeTable, on: str | None, last_column: str | None, id_types: Sequence[Any] = ()
) -> Any:
    """Return the columns of ids, which ``on`` names, and a ``last_column`` of datasets or labels.

    If ``on`` is None, all columns are returned. ``id_types`` are the types of ids in the pairs. If
    there is one and it is text, ids from a text file become text.
    """
    import pyarrow as pa

    names = table.table.column_names
    if on is not None:
        others = [] if last_column is None else [last_column]
        names = list(dict.fromkeys([*table.columns_of(on), *others]))
    table.check(names)
    id_type = id_types[0] if len(id_types) == 1 else None
    columns = [
        table.table[name] if name == last_column else ids_of(table, name, id_type) for name in names
    ]
    return pa.table(columns, names=names)


def _read_labels(
    path: str, header: bool | None, on: str | None = None, label: str | None = None
) -> Any:
    """Read the ids and labels of a table; labels of a text file are strings."""
    requested = [] if on is None or label is None else [*on.split(","), label]
    table = with_header(read_table(path, None, True), header, requested)
    columns = _select_ids(table, on, label)
    if table.text is None:
        return columns
    name = columns.column_names[-1]
    return columns.set_column(columns.num_columns - 1, name, table.text[name])
