"""``cc-rapids deduplicate``."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ...data.files.text_ids import is_text
from ...data.files.write import write_table
from ...data.text_options import TextOptions
from ...errors import FormatError, InputError, NullsError, UnmatchedWarning, counted, inflected
from ...ledger import Ledger
from .frames import (
    TABULAR_IN_WORDS,
    WholeTable,
    ids_of,
    read_table,
    table_format_option,
    table_text_options,
)
from .group import INPUT, command, examples, option_of_input, option_of_method, option_of_output
from .options import (
    FILES_IN_WORDS,
    STANDARD,
    FilePath,
    bound_options,
    check_bounds,
    ends_options,
    engine_option,
    format_option,
    is_shown,
    memory_limit_option,
    nulls_option,
    report_options,
    text_options,
)
from .outputs import check_with_output, checked_output, output_format_option, output_option
from .show import kernel_rows, kernels, report, seconds, times_since
from .sources import CommandEdges, read_edges

if TYPE_CHECKING:
    import pyarrow as pa

    from ...results.components import Components


@command(
    epilog=examples(
        "cc-rapids deduplicate docs.csv pairs.csv --on doc_id --by length --output keep.csv",
        "Pairs with a score of at least 0.8, and one document for each corpus:",
        "cc-rapids deduplicate docs.csv scored.csv --on doc_id --by length --per corpus"
        " --weight score --at-least 0.8 --output keep.csv",
        "From standard input to standard output:",
        "cc-rapids deduplicate - pairs.csv --format csv --on doc_id --output - < docs.csv >"
        " keep.out",
        after=f"{TABULAR_IN_WORDS} With --by, values of csv and tsv files are compared as numbers"
        f" or ISO dates.\n\n{FILES_IN_WORDS}",
    )
)
@click.argument("docs", type=FilePath(allow_dash=True))
@click.argument("pairs", type=FilePath(allow_dash=True))
@option_of_input(
    "--on", metavar="NAME", required=True, help="Column of DOCS with the ids, or several: A,B."
)
@table_format_option("--format", "docs_format", "DOCS")
@table_text_options("docs-", "DOCS")
@ends_options(("--left", "--source"), ("--right", "--destination"), "id of each pair")
@format_option("--pairs-format", "format", "Format of PAIRS; from its suffix by default.", INPUT)
@text_options
@nulls_option
@bound_options
@memory_limit_option
@option_of_method(
    "--by", metavar="NAME", help="Keep the greatest value of this column, not the first row."
)
@option_of_method("--by-text", is_flag=True, help="Compare --by as text, not as numbers or dates.")
@option_of_method(
    "--ascending/--descending",
    default=False,
    help="Keep the least value of --by, or the greatest (default).",
)
@option_of_method(
    "--per", metavar="NAME", multiple=True, help="Keep one document for each value of this column."
)
@option_of_method(
    "--missing",
    type=click.Choice(["self", "drop", "raise"]),
    default="self",
    help="For documents in no pair: keep (self), drop or raise.",
)
@engine_option
@output_option("Write the documents to keep to PATH, or - for stdout.")
@output_format_option
@option_of_output(
    "--dropped",
    metavar="PATH",
    type=FilePath(),
    help="Write each dropped document, with the kept one, to PATH.",
)
@report_options
def deduplicate(
    docs: str,
    pairs: str,
    on: str,
    docs_format: str | None,
    docs_delimiter: str | None,
    docs_encoding: str | None,
    by: str | None,
    by_text: bool,
    ascending: bool,
    per: tuple[str, ...],
    missing: str,
    memory_limit: str | None,
    nulls: str | None,
    engine: str | None,
    output: str | None,
    output_format: str | None,
    dropped: str | None,
    quiet: bool,
    json_output: bool,
    **reading: Any,
) -> None:
    """Keep the best document of each group of near-duplicates.

    DOCS is a table of documents. PAIRS lists pairs of near-duplicate documents, in two columns of
    ids. A group is a set of documents connected by pairs. DOCS or PAIRS may be - for standard
    input, whose format is given by --format or --pairs-format, or determined by its first bytes.

    In each group, the row with the greatest value of --by is kept. If several rows have this value,
    the first of them is kept. Without --by, the first row is kept. If all values of --by in a text
    file are numbers or ISO dates, they are compared as numbers or dates. Empty fields, NA, null, ?
    and the like are then missing values, which come last. Documents in no pair are kept. The output
    has whole rows of DOCS, in the order of DOCS.

    --dropped writes a table with a row for each dropped document: its id, the id of the document
    that is kept instead (kept_...), the group (labels), and the values of --by of both documents.
    With --weight, the table also has the weakest weight on the path of pairs between both documents
    (weakest_weight), unless PAIRS is read in chunks.
    """
    import pyarrow as pa

    from ...api import components

    if docs == pairs == STANDARD:
        raise click.UsageError("Only one of DOCS and PAIRS can be standard input.")
    check_with_output(output, output_format=output_format)
    bounds = check_bounds(reading)
    output_target = None if output is None else checked_output(output, output_format, [docs, pairs])
    output_path = None if output_target is None else output_target[0]
    dropped_target = None if dropped is None else checked_output(dropped, None, [docs, pairs])
    if dropped_target and output_path and dropped_target[0].resolve() == output_path.resolve():
        raise click.UsageError("--dropped and --output name the same file.")
    shown = is_shown(output_path, quiet, json_output)
    start = time.perf_counter()
    docs_text = TextOptions.check(delimiter=docs_delimiter, encoding=docs_encoding)
    table = read_table(docs, docs_format, quiet, docs_text)
    table.check_header()
    ids = table.columns_of(on)
    table.check([*([] if by is None else [by]), *per])
    pair_input = read_edges([pairs], {"memory_limit": memory_limit}, quiet, reading, bounds)
    edge_input = _with_comparable_ids(pair_input, table, ids)
    solve_options: dict[str, Any] = {
        "nulls": nulls or "raise",
        "engine": engine or edge_input.engine(),
    }
    if bounds and dropped and not edge_input.streamed:  # the weakest weights need this forest
        solve_options["forest"] = "max" if "at_least" in bounds else "min"
    with kernels(quiet) as times:
        result: Components = components(edge_input.edges, **edge_input.options, **solve_options)
        by_values = None if by is None else table.ordered(by, by_text)
        columns = _document_columns(result, table, ids, per, missing, pairs)
        by_name = None
        if by is not None:
            # ``by`` may also be a column of ids, so its converted values have a name of their own
            by_name = _unused_name(by, columns)
            columns[by_name] = by_values
        documents = pa.table(columns)
        choice: dict[str, Any] = {
            "on": ids if len(ids) > 1 else ids[0],
            "by": by_name,
            "ascending": ascending,
            "per": list(per) or None,
            "missing": missing,
        }
        rows = _rows_to_keep(result, documents, choice, table.name)
        if dropped_target is not None:
            dropped_rows = result.duplicates(documents, **choice)
    if output_target is not None:
        write_table(table.table.take(rows), *output_target)
    if dropped_target is not None:
        write_table(dropped_rows, *dropped_target)
    summary = result.summary()
    facts = {
        "docs": docs,
        "pairs": pairs,
        "rows": len(table.table),
        "edges": summary["edges"],
        "ledger": pair_input.full_ledger(result.ledger).facts(),
        "components": summary["components"],
        "largest": summary["largest"],
        "kept": len(rows),
        "removed": len(table.table) - len(rows),
        "engine": summary["engine"],
        "output": None if output_path is None else str(output_path),
        "dropped": dropped,
        **times_since(start, times),
    }
    report(facts, _rows(facts, kernel_rows(times, times.seconds)), shown, json_output)


def _with_comparable_ids(pairs: CommandEdges, table: WholeTable, on: list[str]) -> CommandEdges:
    """Return the pairs, with ids converted to text where the ids of DOCS, ``on``, are text.

    Nothing is converted if pairs are read in chunks, or if DOCS or PAIRS is not a text file.
    """
    import pyarrow as pa

    from ...data.edge_input import lists_of_ends

    if pairs.streamed or table.text is None or pairs.formats[0].delimiter is None:
        return pairs
    edges, ends = pairs.edges, lists_of_ends(pairs.options["source"], pairs.options["destination"])
    for name, *columns in zip(on, *ends, strict=False):  # the number of columns is checked later
        ids = ids_of(table, name, other=None)
        if not len(ids) or not is_text(ids.type):
            continue
        for end in columns:
            index, text = edges.schema.get_field_index(end), edges[end].cast(pa.large_string())
            edges = edges.set_column(index, end, text)
    return replace(pairs, edges=edges)


def _rows_to_keep(result: Components, table: pa.Table, choice: dict[str, Any], name: str) -> Any:
    """Return the row numbers of the documents to keep; ``name`` names their table in errors.

    ``choice`` has the keywords of :meth:`Components.deduplicate`.
    """
    import numpy as np
    import pyarrow as pa

    # deduplicate() returns whole rows, so a column is added for the row numbers
    row = _unused_name("row", table.column_names)
    table = table.append_column(row, pa.array(np.arange(len(table))))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnmatchedWarning)  # raised if no document is in a pair
        try:
            best = result.deduplicate(table, **choice)
        except UnmatchedWarning as warning:
            raise FormatError(f"{name}: {str(warning).replace('on=', '--on')}") from None
    return best[row].combine_chunks()


def _document_columns(
    result: Components,
    table: WholeTable,
    on: list[str],
    per: Iterable[str],
    missing: str,
    pairs: str,
) -> dict[str, Any]:
    """Return the columns ``on`` and ``per`` of the documents by name.

    Ids are converted to a type that can be compared with the ids of the pairs, if there are pairs.
    ``pairs`` names their input in errors, and ``missing`` is the value of ``--missing``.
    """
    answer = result.answer
    # One vertex suffices to find the types of ids
    with answer.backend.scope():
        pair_types = answer.in_memory_frame(answer.vertex(slice(0, 1))).schema.types
    has_vertices = len(result) > 0  # otherwise, there are no ids to compare with
    if len(on) != len(pair_types):
        raise InputError(
            f"the ids of {pairs} have {counted(len(pair_types), 'column')}, but --on names"
            f" {counted(len(on), 'column')} of {table.name}: separate columns by commas (--on A,B)"
        )
    columns = {name: (table.text or table.table)[name] for name in per}
    for name, pair_type in zip(on, pair_types, strict=True):
        ids = ids_of(table, name, pair_type if has_vertices else None)
        if ids.null_count and missing != "drop":
            verb = inflected(ids.null_count, "has", "have")
            raise NullsError(
                f"{table.name}: {ids.null_count:,} of {counted(len(ids), 'row')} {verb} no id in"
                f" {name!r}: leave out such rows with --missing drop, or add the ids"
            )
        if has_vertices and len(ids) and is_text(ids.type) != is_text(pair_type):
            raise FormatError(
                f"the ids of {table.name}, in {name!r}, are {ids.type}, but the ids of"
                f" {pairs} are {pair_type}, so the ids cannot be compared: write the ids of both"
                " files as numbers, or both as text"
            )
        columns[name] = ids
    return columns


def _unused_name(name: str, columns: Iterable[str]) -> str:
    """Return a column name that is not in use, made from ``name``."""
    while name in columns:
        name += "_"
    return name


def _rows(facts: dict[str, Any], kernel_facts: dict[str, str | None]) -> dict[str, str | None]:
    """Return the facts as the rows of the printed report."""
    return {
        "documents": f"{facts['rows']:,} in {facts['docs']}",
        "pairs": f"{facts['edges']:,} in {facts['pairs']}",
        "rows": str(Ledger.of_facts(facts["ledger"])),
        "groups": f"{facts['components']:,}, the largest of {facts['largest']:,}",
        "kept": f"{facts['kept']:,}",
        "removed": f"{facts['removed']:,}",
        **kernel_facts,
        "time": seconds(facts["seconds"]),
        "kept in": facts["output"],
        "dropped in": facts["dropped"],
    }
