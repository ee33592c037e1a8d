"""``cc-rapids deduplicate``."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ...data.files.text_ids import is_text
from ...data.files.write import write_table
from ...errors import FormatError, InputError, NullsError, UnmatchedWarning, counted
from ...ledger import Ledger
from .frames import (
    TABULAR_IN_WORDS,
    WholeTable,
    read_table,
    same_kind,
    table_format_option,
)
from .group import INPUT, METHOD, command, examples, option
from .options import (
    FILES_IN_WORDS,
    STANDARD,
    FilePath,
    as_json,
    bound_options,
    check_bounds,
    ends_options,
    engine_option,
    format_option,
    is_shown,
    memory_limit_option,
    nulls_option,
    quiet_options,
    text_options,
)
from .outputs import check_with_output, checked_output, output_format_option, output_option
from .show import kernel_rows, kernels, print_json, print_rows, seconds, times_since
from .sources import Given, read_given

if TYPE_CHECKING:
    import pyarrow as pa

    from ...results.components import Components


@command(
    epilog=TABULAR_IN_WORDS
    + "\n\n"
    + FILES_IN_WORDS
    + "\n\n"
    + examples(
        "cc-rapids deduplicate docs.csv pairs.csv --on doc_id --by length --output keep.csv",
        "Of pairs with a score, one document for each corpus:",
        "cc-rapids deduplicate docs.csv scored.csv --on doc_id --by length --per corpus"
        " --weight score --at-least 0.8 --output keep.csv",
        "From standard input to standard output:",
        "cc-rapids deduplicate - pairs.csv --format csv --on doc_id --output - < docs.csv >"
        " keep.out",
    )
)
@click.argument("docs", type=FilePath(allow_dash=True))
@click.argument("pairs", type=FilePath(allow_dash=True))
@option(
    "--on",
    metavar="NAME",
    required=True,
    section=INPUT,
    help="Column of DOCS with the ids, or several: A,B.",
)
@table_format_option("--format", "docs_format", "DOCS")
@ends_options(("--left", "--source"), ("--right", "--destination"), "id of each pair")
@format_option("--pairs-format", "format", "Format of PAIRS; from its suffix by default.", INPUT)
@text_options
@nulls_option
@bound_options
@memory_limit_option
@option(
    "--by",
    metavar="NAME",
    section=METHOD,
    help="Keep the greatest value of this column, not the first row.",
)
@option(
    "--by-text",
    is_flag=True,
    section=METHOD,
    help="Compare --by as text, not as numbers or dates.",
)
@option(
    "--ascending/--descending",
    default=False,
    section=METHOD,
    help="Keep the least value of --by, or the greatest (default).",
)
@option(
    "--per",
    metavar="NAME",
    multiple=True,
    section=METHOD,
    help="Keep one document for each value of this column.",
)
@option(
    "--missing",
    type=click.Choice(["self", "drop", "raise"]),
    default="self",
    section=METHOD,
    help="For documents in no pair: keep (self), drop or raise.",
)
@engine_option
@output_option("Write the documents to keep to PATH, or - for stdout.")
@output_format_option
@quiet_options
@as_json
def deduplicate(
    docs: str,
    pairs: str,
    on: str,
    docs_format: str | None,
    by: str | None,
    by_text: bool,
    ascending: bool,
    per: tuple[str, ...],
    missing: str,
    memory_limit: str | None,
    nulls: str | None,
    engine: str | None,
    weight: str | None,
    at_least: float | None,
    at_most: float | None,
    output: str | None,
    output_format: str | None,
    quiet: bool,
    json_output: bool,
    **reading: Any,
) -> None:
    """Keep the best document of each group of near-duplicates.

    DOCS is a table of documents. PAIRS lists near-duplicates among them, in two columns of ids. A
    group is a set of documents connected by pairs. The row with the greatest value of --by is kept
    in each group, the first row among equal values; without --by, the first row is kept. If all
    values of --by in a text file are numbers or ISO dates, they are compared as such. Empty fields,
    NA, null, ? and the like are then missing values and come last. The output is whole rows of
    DOCS, in their order. Documents in no pair are kept. One of DOCS and PAIRS may be - for standard
    input; its format is given by --format or --pairs-format, or detected from its first bytes.
    """
    from ...api import components

    if docs == pairs == STANDARD:
        raise click.UsageError("Only one of DOCS and PAIRS can be standard input.")
    check_with_output(output, output_format=output_format)
    bounds = check_bounds({"weight": weight, "at_least": at_least, "at_most": at_most})
    output_target = None if output is None else checked_output(output, output_format, [docs, pairs])
    output_path = None if output_target is None else output_target[0]
    shown = is_shown(output_path, quiet, json_output)
    start = time.perf_counter()
    table = read_table(docs, docs_format, quiet)
    ids = [on] if on in table.table.column_names else on.split(",")
    table.check([*ids, *([] if by is None else [by]), *per])
    edges = read_given([pairs], {"memory_limit": memory_limit}, quiet, reading, bounds)
    given = _alike(edges, table, ids)
    solve_options: dict[str, Any] = {"nulls": nulls or "raise", "engine": engine or given.engine()}
    with kernels(quiet) as times:
        result: Components = components(given.edges, **given.options, **solve_options)
        values = None if by is None else table.ordered(by, by_text)
        rows = _kept(result, table, ids, values, ascending, list(per), missing, pairs)
    if output_target is not None:
        write_table(table.table.take(rows), *output_target)
    summary = result.summary()
    facts = {
        "docs": docs,
        "pairs": pairs,
        "rows": len(table.table),
        "edges": summary["edges"],
        "ledger": edges.rows(result.ledger).facts(),
        "components": summary["components"],
        "largest": summary["largest"],
        "kept": len(rows),
        "removed": len(table.table) - len(rows),
        "engine": summary["engine"],
        "output": None if output_path is None else str(output_path),
        **times_since(start, times),
    }
    if json_output:
        print_json(facts)
    elif shown:
        print_rows(_rows(facts, kernel_rows(times, times.seconds)))


def _alike(given: Given, table: WholeTable, on: list[str]) -> Given:
    """Return the pairs, with their ids as text if both files are text and DOCS has ids of text."""
    import pyarrow as pa

    from ...data.edge_input import several

    if given.streamed or table.words is None or given.formats[0].delimiter is None:
        return given
    edges, ends = given.edges, several(given.options["source"], given.options["destination"])
    for name, *pair in zip(on, *ends, strict=False):
        ids = table.table[name]
        for end in pair if is_text(ids.type) and len(ids) else ():
            place, text = edges.schema.get_field_index(end), edges[end].cast(pa.large_string())
            edges = edges.set_column(place, end, text)
    return replace(given, edges=edges)


def _kept(
    result: Components,
    table: WholeTable,
    on: list[str],
    values: pa.ChunkedArray | None,
    ascending: bool,
    per: list[str],
    missing: str,
    pairs: str,
) -> pa.Array:
    """Return the row numbers of the documents to keep, chosen by ``values`` if given."""
    import numpy as np
    import pyarrow as pa

    others = result.sizes(1).schema.types[:-1]
    if len(on) != len(others):
        raise InputError(
            f"the ids of {pairs} have {counted(len(others), 'column')}, but --on names"
            f" {counted(len(on), 'column')} of {table.name}: name as many, with commas (--on A,B)"
        )
    columns = {name: (table.words or table.table)[name] for name in per}
    for name, other in zip(on, others, strict=True):
        ids = table.table[name]
        if ids.null_count and missing != "drop":
            raise NullsError(
                f"{table.name}: {ids.null_count:,} of {counted(len(ids), 'row')} have no id in"
                f" {name!r}, so they name no document: leave them out with --missing drop, or fill"
                " them first"
            )
        if len(result) and len(ids):
            comparable_ids = same_kind(ids, table.words and table.words[name], other)
            if comparable_ids is None:
                raise FormatError(
                    f"the ids of {table.name}, in {name!r}, are {ids.type}, but those of {pairs}"
                    f" are {other}, so they cannot be compared; write both as numbers or both as"
                    " text"
                )
            ids = comparable_ids
        columns[name] = ids
    row, by = _new("row", columns), _new("by", columns)
    columns[row] = pa.array(np.arange(len(table.table)))
    if values is not None:
        columns[by] = values
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnmatchedWarning)
        arguments = None if values is None else by, ascending, per or None, missing
        try:
            kept = result.deduplicate(pa.table(columns), on if len(on) > 1 else on[0], *arguments)
        except UnmatchedWarning as warning:
            raise FormatError(f"{table.name}: {str(warning).replace('on=', '--on')}") from None
    return kept[row].combine_chunks()


def _new(name: str, columns: dict[str, Any]) -> str:
    """Return a column name that is not in use, made from ``name``."""
    while name in columns:
        name += "_"
    return name


def _rows(facts: dict[str, Any], prepared: dict[str, str | None]) -> dict[str, str | None]:
    """Return the facts as the rows of the printed report."""
    return {
        "documents": f"{facts['rows']:,} in {facts['docs']}",
        "pairs": f"{facts['edges']:,} in {facts['pairs']}",
        "rows": str(Ledger.of_facts(facts["ledger"])),
        "groups": f"{facts['components']:,}, the largest of {facts['largest']:,}",
        "kept": f"{facts['kept']:,}",
        "removed": f"{facts['removed']:,}",
        **prepared,
        "time": seconds(facts["seconds"]),
        "kept in": facts["output"],
    }
