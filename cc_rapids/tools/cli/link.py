"""``cc-rapids link``."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from ...data.files.write import write_table
from ...errors import counted
from .frames import TABULAR_IN_WORDS, WholeTable, read_table, table_format_option
from .group import INPUT, METHOD, OUTPUT, command, examples, option
from .options import (
    FilePath,
    LabelChoice,
    as_json,
    engine_option,
    is_shown,
    quiet_options,
)
from .outputs import check_with_output, checked_output, output_format_option, output_option
from .show import kernel_rows, kernels, print_json, print_rows, seconds, times_since

if TYPE_CHECKING:
    import pyarrow as pa


@command(
    epilog=TABULAR_IN_WORDS
    + "\n\n"
    + examples(
        "cc-rapids link people.csv --key email --key name,birthday --id record_id"
        " --output entities.parquet",
        "The whole records, with a column of entities:",
        "cc-rapids link people.csv --key email --attach entity --output people.parquet",
        "Without values that more than 50 records share:",
        "cc-rapids link people.csv --key email --max-group 50 --json",
        "From standard input to standard output:",
        "cc-rapids link - --format csv --key email --output - < people.csv > entities.out",
    )
)
@click.argument("records", type=FilePath(allow_dash=True))
@option(
    "--key",
    "keys",
    metavar="NAMES",
    multiple=True,
    required=True,
    section=INPUT,
    help="Column of a key, or several: A,B; repeatable.",
)
@option(
    "--id",
    metavar="NAMES",
    section=INPUT,
    help="Column of record ids, or several: A,B; else row numbers.",
)
@table_format_option("--format", "format", "RECORDS")
@option(
    "--max-group",
    metavar="N",
    type=click.IntRange(min=1),
    section=METHOD,
    help="Ignore values that more than N records share.",
)
@option(
    "--ignore",
    metavar="VALUE",
    multiple=True,
    section=METHOD,
    help="A value that links nothing, like empty text; repeatable.",
)
@engine_option
@option(
    "--labels",
    type=LabelChoice(),
    section=OUTPUT,
    help="The kind of labels; dense if --id has several columns.",
)
@option(
    "--attach",
    metavar="NAME",
    section=OUTPUT,
    help="Write whole records, with the label in column NAME.",
)
@output_option("Write each record and its label to PATH, or - for stdout.")
@output_format_option
@quiet_options
@as_json
def link(
    records: str,
    keys: tuple[str, ...],
    id: str | None,
    format: str | None,
    max_group: int | None,
    ignore: tuple[str, ...],
    engine: str | None,
    labels: str | None,
    attach: str | None,
    output: str | None,
    output_format: str | None,
    quiet: bool,
    json_output: bool,
) -> None:
    """Find records of the same entity, which share a key.

    RECORDS is a table. Records that agree in any --key belong to one entity, and so do records that
    are linked only through other records. Records agree in a key of several columns, such as
    name,birthday, if they agree in all of them. Empty values and those of --ignore link nothing.
    The output has one row per record: its id (vertex) and the label of its entity (labels).
    """
    from ...linkage import link_records

    check_with_output(output, output_format=output_format, attach=attach)
    label_target = None if output is None else checked_output(output, output_format, [records])
    output_path = None if label_target is None else label_target[0]
    shown = is_shown(output_path, quiet, json_output)
    start = time.perf_counter()
    table = read_table(records, format, quiet)
    key_columns = [_columns(table, key) for key in keys]
    ids = None if id is None else _columns(table, id)
    with kernels(quiet) as times:
        result = link_records(
            _compared(table, key_columns, ids or []),
            key_columns,
            ids,
            max_group=max_group,
            ignore=_ignored(ignore),
            labels=labels,
            engine=engine,
        )
        if label_target is not None:
            rows = result.labels() if attach is None else result.attach(table.table, name=attach)
            write_table(rows, *label_target)
    summary = result.summary()
    keys_summary = summary["keys"].items()
    facts = {
        "file": records,
        "records": summary["vertices"],
        "entities": summary["components"],
        "largest": summary["largest"],
        "keys": [
            {"key": [key] if isinstance(key, str) else list(key), **key_facts}
            for key, key_facts in keys_summary
        ],
        "engine": summary["engine"],
        "output": None if output_path is None else str(output_path),
        **times_since(start, times),
    }
    if json_output:
        print_json(facts)
    elif shown:
        print_rows(_rows(facts, kernel_rows(times, times.seconds)))


def _columns(table: WholeTable, names: str) -> list[str]:
    """Return the columns of ``names``: a single column, or several separated by commas."""
    columns = [names] if names in table.table.column_names else names.split(",")
    table.check(columns)
    return columns


def _compared(table: WholeTable, keys: list[list[str]], ids: list[str]) -> pa.Table:
    """Return the columns of keys and ids; in a text file, keys that are not ids are strings.

    Keys such as 007 and 7 are therefore different.
    """
    import pyarrow as pa

    names = dict.fromkeys(name for key in [ids, *keys] for name in key)
    keys_from = table.table if table.text is None else table.text
    return pa.table({name: (table.table if name in ids else keys_from)[name] for name in names})


def _ignored(values: tuple[str, ...]) -> list[Any]:
    """Return the values that link nothing, as strings and, where possible, as integers."""
    numbers = [int(value) for value in values if value.removeprefix("-").isdecimal()]
    return ["", *values, *numbers]


def _rows(facts: dict[str, Any], kernel_facts: dict[str, str | None]) -> dict[str, str | None]:
    """Return the facts as the rows of the printed report."""
    largest = counted(facts["largest"], "record")
    return {
        "file": facts["file"],
        "records": f"{facts['records']:,}",
        "entities": f"{facts['entities']:,}, the largest of {largest}",
        **{
            f"key {', '.join(key_facts['key'])}": _key_in_words(key_facts)
            for key_facts in facts["keys"]
        },
        **kernel_facts,
        "time": seconds(facts["seconds"]),
        "labels in": facts["output"],
    }


def _key_in_words(facts: dict[str, Any]) -> str:
    """Describe the links that a key made, and the records and values that it left out."""
    groups, rows = facts["left_out_groups"], facts["left_out_rows"]
    parts = [counted(facts["links"], "link")]
    if facts["without_value"]:
        parts.append(f"{counted(facts['without_value'], 'record')} without a value")
    if groups:
        parts.append(f"left out {counted(groups, 'value')} of {counted(rows, 'record')}")
    return "; ".join(parts)
