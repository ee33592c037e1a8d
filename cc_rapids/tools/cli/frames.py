"""Read whole tables of documents, records or vertices, from files or standard input."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...data.end_columns import naming, place_of
from ...data.files.binary import format_errors
from ...data.files.formats.arrow import FILE_MARK, check_end
from ...data.files.formats.parquet import check_one_file
from ...data.files.input_file import File, as_format
from ...data.files.lake import check_no_table_around, table_at, whole_table
from ...data.files.named_graphs import decoded, in_utf8
from ...data.files.opening import opened
from ...data.files.text_head import HEAD, SEPARATORS, check_text_options, is_header
from ...data.files.text_ids import integers, is_text, trimmed
from ...data.text_options import NO_OPTIONS, TextOptions
from ...errors import FormatError, InputError
from .group import Decorator, option_of_input
from .options import STANDARD, FilePath, input_options
from .ordering import comparable
from .paths import name_of, paths_of, standard_input
from .show import progress

if TYPE_CHECKING:
    import pyarrow as pa

TABULAR = ("csv", "tsv", "parquet", "arrow")
TABULAR_IN_WORDS = (
    f"Tables are files in the formats {', '.join(TABULAR[:-1])} or {TABULAR[-1]}. The suffix of a"
    " file determines its format; .gz or .zst may follow it. The first line of a csv or tsv file"
    " names the columns. The files of a folder, or of a pattern in quotes, are one table. Tables"
    " must fit into memory. Values of csv and tsv files, such as 007 and 1.50, are not changed in"
    " the output."
)
_DELIMITERS = {"csv": ",", "tsv": "\t"}


@dataclass(frozen=True)
class WholeTable:
    """A table of documents or records, read into memory.

    The columns of a text file are integers, floats or strings in ``table``, by their content, and
    strings in ``text``, as they are in the file. ``text`` is None for other files.
    """

    name: str  # of the file, for messages
    table: pa.Table
    text: pa.Table | None

    def check(self, names: Sequence[str]) -> None:
        """Raise a MissingColumnError or an InputError unless each column exists exactly once."""
        for name in names:
            place_of(self.name, self.table.column_names, name)  # raises the errors

    def columns_of(self, value: str) -> list[str]:
        """Return the column names in the value of an option: one, or several such as ``A,B``."""
        names = [value] if value in self.table.column_names else value.split(",")
        self.check(names)
        return names

    def check_header(self) -> None:
        """Raise a FormatError if a row of a text file repeats the names of the columns."""
        import pyarrow.compute as pc

        if self.text is None or not self.text.num_columns:
            return
        names, columns = self.text.column_names, self.text.columns
        for row in pc.indices_nonzero(pc.equal(columns[0], names[0])).to_pylist():
            if [column[row].as_py() for column in columns] == names:
                raise FormatError(
                    f"{self.name}: row {row + 1:,} (from 1, below the header) repeats the header,"
                    " as in files that cat has joined: remove it, or pass the files in a folder"
                )

    def ordered(self, name: str, as_text: bool) -> pa.ChunkedArray:
        """Return a column to sort by: strings if ``as_text``, else numbers or times if possible."""
        import pyarrow as pa

        if self.text is None:
            column = self.table[name]
            return column.cast(pa.large_string()) if as_text else column
        column = self.text[name]
        return column if as_text else comparable(column, f"column {name!r} of {self.name}")


def table_format_option(flag: str, name: str, what: str) -> Decorator:
    """Return an option for the format of a table; ``what`` names the table in the help."""
    kind, help_text = click.Choice(TABULAR), f"Format of {what}; from its suffix by default."
    return option_of_input(flag, name, metavar="FORMAT", type=kind, help=help_text)


def table_text_options(prefix: str, what: str) -> Decorator:
    """Return the options ``--delimiter`` and ``--encoding`` of a table, with a prefix."""
    return input_options(
        (f"--{prefix}delimiter", "CHARACTER", str, f"The field delimiter of {what} in text."),
        (f"--{prefix}encoding", "NAME", str, f"The encoding of {what} in text; else UTF-8."),
    )


def read_table(
    path_text: str, format: str | None, quiet: bool, text_options: TextOptions = NO_OPTIONS
) -> WholeTable:
    """Read the table of a file, a folder or a pattern, or of standard input for ``-``.

    Raise a FormatError if a file is missing, damaged or not a table, or if the files differ in
    their columns.
    """
    import pyarrow as pa

    from ...data.column import table_without_views

    parts = [_read(path, format, quiet, text_options) for path in paths_of(path_text)]
    name, first_part = name_of(path_text), parts[0]
    if any(part.schema.names != first_part.schema.names for part in parts):
        raise FormatError(f"the files of {name} have different columns, so they are not one table")
    are_text = [part.schema.metadata == _TEXT_MARK for part in parts]
    if any(are_text) != all(are_text):
        raise FormatError(f"some files of {name} are text, and others are not: pass one kind only")
    try:
        table = pa.concat_tables(parts, promote_options="permissive") if parts[1:] else first_part
    except pa.ArrowException as error:
        raise FormatError(f"the files of {name} are not one table: {error}") from error
    if not are_text[0]:
        return WholeTable(name, table_without_views(table), None)
    columns = [typed(column) for column in table.columns]
    return WholeTable(name, pa.table(columns, names=table.column_names), table)


# Metadata of a table whose columns are the strings of a text file
_TEXT_MARK = {b"cc_rapids": b"words"}


def _read(path: str, format: str | None, quiet: bool, text_options: TextOptions) -> pa.Table:
    """Read one file, or one table of Delta Lake, Iceberg or Hudi; text files become strings."""
    if path == STANDARD:
        return _read_open_file(standard_input(), format, text_options)
    if table_at(path) is not None:
        return whole_table(path)
    check_no_table_around([path])  # a single file of such a table may be outdated
    with (
        progress(f"reading {Path(path).name}", quiet) as report,
        opened(path, on_progress=report) as file,
    ):
        return _read_open_file(file, format, text_options)


def _read_open_file(file: File, format: str | None, text_options: TextOptions) -> pa.Table:
    """Read the table of an open file; all columns of a text file are strings."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kind = format or file.format()
    if kind not in TABULAR:
        raise FormatError(f"{file.path} is {kind}, but a table is one of {', '.join(TABULAR)}")
    check_text_options(text_options, [file.path], [kind])
    with as_format(file, kind), format_errors(file, kind):
        if kind in _DELIMITERS:
            text = in_utf8(b"".join(file.pieces()), file.path, text_options.encoding)
            if not text.strip():
                raise FormatError(f"{file.path} is empty: its first line must name the columns")
            try:
                delimiter = text_options.delimiter or _delimiter_of(text, kind)
                return _parse_text(pa.py_buffer(text), delimiter)
            except pa.ArrowInvalid:
                decoded(file.path, text)  # raises an error if the text is not UTF-8
                raise
        data = pa.py_buffer(file.seekable_stream().read())
        source = pa.BufferReader(data)
        if kind == "parquet":
            stored = pq.ParquetFile(source)
            check_one_file(file.path, source, stored.metadata)
            return stored.read()
        is_file_format = file.head.startswith(FILE_MARK)  # Arrow also has a stream format
        reader = pa.ipc.open_file(source) if is_file_format else pa.ipc.open_stream(source)
        table = reader.read_all()
        check_end(file.path, source, is_file_format)
        table.validate(full=True)  # otherwise corrupt string offsets would be used
        return table


def _delimiter_of(text: bytes, kind: str) -> str:
    """Return the format's delimiter, or another separator if the first line has only that."""
    default = _DELIMITERS[kind]
    first_line = text[:HEAD].split(b"\n", 1)[0].decode(errors="replace")
    present = (delimiter for delimiter in (default, *SEPARATORS) if delimiter in first_line)
    return next(present, default)


def _parse_text(data: pa.Buffer, delimiter: str) -> pa.Table:
    """Parse a csv or tsv file into strings; an empty field without quotes is null."""
    import pyarrow as pa
    from pyarrow import csv

    parse_options = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    one_thread = csv.ReadOptions(use_threads=False)  # with threads, errors do not name the row
    # The types of columns can be set only by name, so the names are read first
    names = csv.open_csv(pa.BufferReader(data), one_thread, parse_options).schema.names
    as_text = csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.large_string()),
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    try:
        table = csv.read_csv(pa.BufferReader(data), None, parse_options, as_text)
    except pa.ArrowInvalid:  # parse again, for an error that names the row
        table = csv.read_csv(pa.BufferReader(data), one_thread, parse_options, as_text)
    return table.replace_schema_metadata(_TEXT_MARK)


def typed(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return strings as integers or floats if this keeps all spellings, and otherwise unchanged."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if text.null_count == len(text):
        return text
    as_integers = integers(text)
    if as_integers is not None:
        return as_integers
    with suppress(pa.ArrowInvalid):
        floats = text.cast(pa.float64())
        if pc.all(pc.equal(floats.cast(text.type), text)).as_py():
            return floats
    return text


def with_header(table: WholeTable, header: bool | None, requested: Sequence[str]) -> WholeTable:
    """Return a table, with its header turned into the first row if the header is a record.

    Only tables from text files change. ``header`` is the value of ``--header/--no-header``. If it
    is None, a line that begins with a name such as ``id`` is a header, and ``is_header`` decides
    about other lines. ``requested`` are the column names in the options. Raise a FormatError if the
    line may be either, or if another row repeats the header.
    """
    import pyarrow as pa

    from ...data.rules import ID_NAMES

    text, names = table.text, table.table.column_names
    if text is None:
        return table
    if header is None and names[0].lower() in ID_NAMES:
        header = True
    if header is None:
        second_line = [column[0].as_py() or "" for column in text.columns] if len(text) else None
        try:
            header = is_header(table.name, 1, names, second_line, requested)
        except FormatError:
            raise FormatError(
                f"{table.name}, line 1: this may be a record, or the names of columns: pass"
                " --no-header if it is a record, or --header if it names the columns; the line"
                f" contains {naming(names)}"
            ) from None
    if header:
        table.check_header()
        return table
    # Each name becomes the first value of its column; an empty name becomes a null
    columns = [
        pa.chunked_array([pa.array([name or None], column.type), *column.chunks], column.type)
        for name, column in zip(names, text.columns, strict=True)
    ]
    numbered = [f"column{k}" for k in range(len(names))]
    return WholeTable(
        table.name,
        pa.table([typed(column) for column in columns], names=numbered),
        pa.table(columns, names=numbered),
    )


def ids_of(table: WholeTable, name: str, other: pa.DataType | None) -> pa.ChunkedArray:
    """Return a column of ids for comparison with ids of type ``other``.

    Ids from a text file are text if ``other`` is text. Otherwise they are numbers if all of them
    are spelt as numbers. Blanks around these ids are removed, as around the ids of edges.
    """
    if table.text is None:
        return table.table[name]
    text = trimmed(table.text[name])
    return text if other is not None and is_text(other) else typed(text)


vertices_options: Decorator = input_options(
    ("--vertices", "FILE", FilePath(), "A table of ids that are included even without edges."),
    ("--on", "NAME", str, "Column of --vertices with the ids, or several: A,B."),
    (
        "--num-vertices",
        "N",
        click.IntRange(min=0),
        "The vertices are 0 .. N-1; this needs the least memory.",
    ),
)


def read_vertices(
    path: str | None,
    on: str | None,
    count: int | None,
    edges: pa.Table | None,
    options: dict[str, Any],
    quiet: bool,
) -> dict[str, Any]:
    """Return a dict of the library's option ``vertices`` or ``num_vertices``, if one is given.

    ``path``, ``on`` and ``count`` are the values of ``--vertices``, ``--on`` and
    ``--num-vertices``. The library is called with ``edges`` and ``options``; ``edges`` is None if
    the library reads the edges itself. Otherwise, ids in a text file are read as text or as
    numbers, like the ids of the edges. Raise a UsageError or an InputError if ``options`` contain
    the vertices already, or if the column of the ids is ambiguous.
    """
    import pyarrow as pa

    if path is None and on is not None:
        raise click.UsageError("--on names the ids of --vertices: pass --vertices.")
    if path is not None and count is not None:
        raise click.UsageError("--num-vertices and --vertices exclude each other.")
    if path is None and count is None:
        return {}
    if options.get("vertices") is not None:
        flag = "--vertices" if count is None else "--num-vertices"
        raise click.UsageError(f"The edges come with all vertices: leave out {flag}.")
    if path is None:
        return {"num_vertices": count}
    table = read_table(path, None, quiet)
    table.check_header()
    names = table.table.column_names
    if on is None and names[1:]:
        raise InputError(
            f"{table.name} has the columns {', '.join(names)}: name the column of ids with --on"
        )
    id_columns = table.columns_of(names[0] if on is None else on)
    edge_types: list[Any] = []  # of the ids of one end
    if edges is not None and len(edges):
        source = options["source"]
        edge_types = edges.select(source if isinstance(source, list) else [source]).schema.types
    types = chain(edge_types, repeat(None))  # None for columns that the edges lack
    ids = [ids_of(table, name, kind) for name, kind in zip(id_columns, types, strict=False)]
    return {"vertices": pa.table(ids, names=id_columns)}
