"""``cc-rapids link``."""

from __future__ import annotations

import shlex
import time
import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from ...data.files.text_ids import NO_VALUE, integers, is_text
from ...data.files.write import write_table
from ...data.text_options import TextOptions
from ...errors import CcRapidsWarning, counted, listed
from .frames import (
    TABULAR_IN_WORDS,
    WholeTable,
    read_table,
    table_format_option,
    table_text_options,
)
from .group import command, examples, option_of_input, option_of_method, option_of_output
from .options import FilePath, LabelChoice, engine_option, is_shown, report_options
from .outputs import check_with_output, checked_output, output_format_option, output_option
from .show import kernel_rows, kernels, report, seconds, times_since

if TYPE_CHECKING:
    import pyarrow as pa


@command(
    epilog=examples(
        "cc-rapids link people.csv --key email --key name,birthday --id record_id"
        " --output entities.parquet",
        "The whole records, with a column of entities:",
        "cc-rapids link people.csv --key email --attach entity --output people.parquet",
        "Keys without values that more than 50 records share:",
        "cc-rapids link people.csv --key email --max-group 50 --json",
        "From standard input to standard output:",
        "cc-rapids link - --format csv --key email --output - < people.csv > entities.out",
        after=TABULAR_IN_WORDS,
    )
)
@click.argument("records", type=FilePath(allow_dash=True))
@option_of_input(
    "--key",
    "keys",
    metavar="NAMES",
    multiple=True,
    required=True,
    help="Column of a key, or several: A,B; repeatable.",
)
@option_of_input(
    "--id", metavar="NAMES", help="Column of record ids, or several: A,B; else row numbers."
)
@table_format_option("--format", "format", "RECORDS")
@table_text_options("", "RECORDS")
@option_of_method(
    "--max-group",
    metavar="N",
    type=click.IntRange(min=1),
    help="Ignore values that more than N records share.",
)
@option_of_method(
    "--ignore",
    metavar="VALUE",
    multiple=True,
    help="A value that links nothing, like empty text; repeatable.",
)
@engine_option
@option_of_output(
    "--labels", type=LabelChoice(), help="The kind of labels; dense if --id has several columns."
)
@option_of_output(
    "--attach", metavar="NAME", help="Write whole records, with the label in column NAME."
)
@output_option("Write each record and its label to PATH, or - for stdout.")
@output_format_option
@report_options
def link(
    records: str,
    keys: tuple[str, ...],
    id: str | None,
    format: str | None,
    delimiter: str | None,
    encoding: str | None,
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
    name,birthday, if they agree in all of them. Empty values and the values of --ignore link
    nothing. In a csv or tsv column of integers, words such as NA link nothing either; in other
    columns, the command warns if they link rows. The output has one row per record: its id (vertex)
    and the label of its entity (labels).
    """
    from ...linkage import link_records

    check_with_output(output, output_format=output_format, attach=attach)
    path_and_format = None if output is None else checked_output(output, output_format, [records])
    output_path = None if path_and_format is None else path_and_format[0]
    shown = is_shown(output_path, quiet, json_output)
    start = time.perf_counter()
    text_options = TextOptions.check(delimiter=delimiter, encoding=encoding)
    table = read_table(records, format, quiet, text_options)
    table.check_header()
    key_columns = [table.columns_of(key) for key in keys]
    ids = None if id is None else table.columns_of(id)
    with kernels(quiet) as times:
        result = link_records(
            _compared(table, key_columns, ids or [], ignore),
            key_columns,
            ids,
            max_group=max_group,
            ignore=_ignored(ignore),
            labels=labels,
            engine=engine,
        )
        if path_and_format is not None:
            rows = result.labels() if attach is None else result.attach(table.table, name=attach)
            write_table(rows, *path_and_format)
    summary = result.summary()
    facts = {
        "file": records,
        "records": summary["vertices"],
        "entities": summary["components"],
        "largest": summary["largest"],
        "keys": [
            {"key": [key] if isinstance(key, str) else list(key), **key_facts}
            for key, key_facts in summary["keys"].items()
        ],
        "engine": summary["engine"],
        "output": None if output_path is None else str(output_path),
        **times_since(start, times),
    }
    report(facts, _rows(facts, kernel_rows(times, times.seconds)), shown, json_output)


def _compared(
    table: WholeTable, keys: list[list[str]], ids: list[str], ignore: tuple[str, ...]
) -> pa.Table:
    """Return the columns of ids and keys; keys from a text file are strings, so 007 is not 7.

    ``ignore`` are the values that link nothing. Warn as :func:`_without_missing` does.
    """
    import pyarrow as pa

    names = dict.fromkeys(name for key in [ids, *keys] for name in key)
    key_source = table.table if table.text is None else table.text
    columns = {
        name: table.table[name]
        if name in ids
        else _without_missing(table, name, key_source[name], ignore)
        for name in names
    }
    return pa.table(columns)


def _without_missing(
    table: WholeTable, name: str, column: pa.ChunkedArray, ignore: tuple[str, ...]
) -> pa.ChunkedArray:
    """Return a ``column`` of a key; words such as NA become null if all others are integers.

    This applies only to text files. In other columns, these words stay; warn if they link records.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not is_text(column.type):
        return column
    text = column.cast(pa.large_string())
    words = pc.utf8_lower(pc.utf8_trim_whitespace(text))
    is_missing_word = pc.is_in(words, value_set=pa.array([*NO_VALUE, ""], text.type))
    is_ignored = pc.is_in(text, value_set=pa.array(["", *ignore], text.type))  # link nothing anyway
    means_missing = pc.and_not(is_missing_word, is_ignored)
    if not pc.any(means_missing).as_py():
        return column
    present = pc.if_else(means_missing, pa.scalar(None, text.type), text)
    are_integers = table.text is not None and integers(present) is not None
    if are_integers and present.null_count < len(present):
        return present
    rows = Counter(text.filter(means_missing).to_pylist())
    linking = {word: count for word, count in rows.items() if count > 1}
    if linking:
        shown = [f"{word!r} in {count:,} rows" for word, count in linking.items()]
        options = " ".join(f"--ignore {shlex.quote(word)}" for word in linking)
        warnings.warn(
            f"column {name!r} of {table.name} has {listed(shown)}, and equal words link rows: for"
            f" words that stand for missing values, pass {options}",
            CcRapidsWarning,
            stacklevel=2,
        )
    return column


def _ignored(values: tuple[str, ...]) -> list[Any]:
    """Return the values that link nothing: "" and ``values``, and integers in ``values`` as int."""
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
