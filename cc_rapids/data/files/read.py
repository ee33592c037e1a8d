"""Read graph files, whole or in pieces: row groups of Parquet, batches of Arrow, blocks of text.

The formats stand in :mod:`cc_rapids.data.files`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from ...errors import FormatError, InputError
from ...ledger import Ledger
from ..arguments import local
from ..memory_budget import FILE_BYTES, ROW_COPIES, Budget
from ..text_options import COMMENTS, NO_OPTIONS, TextOptions
from .arrow_sizes import largest_batch
from .binary import columns_of, damage, weighed
from .delimited import NAMES
from .formats import FORMATS
from .header import TEXT, check_text_options
from .input_file import ColumnRequest, File, Progress, as_format, format_of
from .lake import check_no_table_around, table_at
from .opening import check_path, opened
from .text_edges import Table, Weights, beside, first_lines, read_delimited, without_rows
from .text_ids import IdColumns, LateTextError, are_ids, check_ids, is_text

if TYPE_CHECKING:
    import pyarrow as pa


RowGroups = Callable[[str, list[str], list[int]], Any]


class Place(NamedTuple):
    """The place from which a file is read, and how.

    ``group`` is the first row group or batch, and ``done`` the rows of it to be left. ``rows`` says
    how many rows a piece may have, and is asked again and again. ``text`` says of text for each
    column of an id whether all of it are strings, None where it is not known.
    """

    group: int
    done: int
    rows: Callable[[], int]
    text: Sequence[bool | None] | None = None


@dataclass(frozen=True)
class Piece:
    """Some edges of a file: two columns, and the row group and row where they end.

    ``table`` is PyArrow's; where there is a ``load``, that gives the rows, in any thread, and the
    table has none. ``whole`` says that the group ends there too; ``vertices`` are all, if the file
    says so. ``skipped`` are rows of groups that were not read, for a bound on weights.
    """

    table: Any
    group: int
    rows: int
    whole: bool
    vertices: range | None = None
    load: Callable[[], Any] | None = None
    skipped: int = 0


def parquet_pieces(file: File, request: ColumnRequest, place: Place) -> Iterator[Piece]:
    """Yield row groups in batches, starting after a given group and row."""
    start, done, rows, _ = place
    with damage(file, "Parquet"):
        stream = file.seekable()
        stored, none, excluded = _opened_parquet(file, stream, request)
        pair, meta = none.column_names, stored.metadata
        ids = request.ids_in(pair)
        if start >= meta.num_row_groups:
            yield Piece(none, start, 0, False)
        before = sum(file.groups[group] for group in range(start))
        for group in range(start, meta.num_row_groups):
            size, at = file.groups[group], 0
            if group in excluded:
                left = done if group == start else 0
                yield Piece(none, group, size, True, skipped=size - left)
                before += size
                continue
            if not size:
                yield Piece(none, group, 0, True)
                continue
            step = check_pages(file, stream, stored, group, pair)
            for read in group_tables(stored, group, pair, rows, file.budget, step):
                check_ids(file.path, ids, [read[name] for name in ids], before + at)
                at += len(read)
                file.report(file.size * (before + at) // meta.num_rows)
                left = max(0, done - (at - len(read))) if group == start else 0
                table = read.slice(left)
                if len(table) or at == size:
                    yield Piece(table, group, at, at == size)
            before += size


def _opened_parquet(
    file: File, stream: BinaryIO, request: ColumnRequest
) -> tuple[Any, pa.Table, set[int]]:
    """Return an open Parquet file, its requested columns without rows, and the groups left out.

    The file gets the rows of each row group, by the footer.
    """
    import pyarrow.parquet as pq

    stored = pq.ParquetFile(stream, pre_buffer=False, buffer_size=1 << 20)
    schema, meta = stored.schema_arrow, stored.metadata
    columns = columns_of(file, request, schema)
    file.groups = {group: meta.row_group(group).num_rows for group in range(meta.num_row_groups)}
    excluded = excluded_groups(meta, schema, request, columns)
    return stored, schema.empty_table().select(columns), excluded


PAGE_COPIES = 2  # compressed and not, at most
STEP = 512  # rows of text that are decoded at once, as their size is unknown before
LIMIT_OF_ROW = 1 << 18  # or as many rows as the memory limit has this many bytes
HEADERS = 1 << 9, 1 << 16  # bytes of the header of a page: usual, and with long statistics


def check_pages(
    file: File, stream: BinaryIO, stored: Any, group: int, columns: Sequence[str]
) -> int:
    """Return how many rows of text of a row group to decode at once.

    Sets what the largest pages take beside chunks, where not all of them fit.

    Raises
    ------
    CapacityError
        A page does not fit into the memory limit.
    FormatError
        The header of a page is damaged.
    """
    budget, meta, beyond = file.budget, stored.metadata.row_group(group), 0
    if budget is None:
        return STEP
    chunks = [meta.column(k) for k in range(meta.num_columns)]
    chunks = [chunk for chunk in chunks if chunk.path_in_schema in columns]
    size = sum(chunk.total_uncompressed_size for chunk in chunks)
    budget.loaded, row_bytes = file.bytes_read, 0.0
    copies = ROW_COPIES if _has_text(stored, columns) else 1
    if copies * size > budget.whole_bytes:
        try:
            pages, sizes = zip(*(_largest_page(stream, chunk) for chunk in chunks), strict=True)
        except (LookupError, TypeError):
            words = "cannot be read as Parquet: the header of a page is damaged"
            raise FormatError(f"{file.path} {words}") from None
        row_bytes, beyond = sum(sizes), max(0, PAGE_COPIES * sum(pages) - FILE_BYTES)
        file.check_bound(beyond, 1, "has pages that are read as a whole", "write smaller pages")
        budget.loaded = max(file.bytes_read, beyond)
    return min(max(STEP, budget.limit // LIMIT_OF_ROW), budget.fitting_rows(row_bytes))


def _has_text(stored: Any, columns: Sequence[str]) -> bool:
    return any(is_text(stored.schema_arrow.field(name).type) for name in columns)


def group_tables(
    stored: Any,
    group: int,
    columns: Sequence[str],
    rows: Callable[[], int],
    budget: Budget | None,
    step: int = STEP,
) -> Iterator[pa.Table]:
    """Yield columns of a row group in tables of at most so many rows, fewer where text is long.

    Of text ``step`` rows are decoded at once.
    """
    import pyarrow as pa

    if budget is None or not _has_text(stored, columns):
        for batch in stored.iter_batches(rows(), row_groups=[group], columns=columns):
            yield pa.Table.from_batches([batch.select(columns)])
        return
    held: list[pa.RecordBatch] = []
    size = count = 0
    for batch in stored.iter_batches(min(step, rows()), row_groups=[group], columns=columns):
        row_bytes = (size + batch.nbytes) / max(1, count + len(batch))
        if held and count + len(batch) > min(rows(), budget.fitting_rows(row_bytes)):
            yield pa.Table.from_batches(held).combine_chunks()
            held, size, count = [], 0, 0
        held.append(batch.select(columns))
        size, count = size + batch.nbytes, count + len(batch)
        most = budget.fitting_rows(size / max(1, count))
        if len(held) == 1 and count > most:  # of long text
            whole = pa.Table.from_batches(held)
            yield from (whole.slice(at, most) for at in range(0, count, most))
            held, size, count = [], 0, 0
    if held:
        yield pa.Table.from_batches(held).combine_chunks()


def _largest_page(stream: BinaryIO, chunk: Any) -> tuple[int, float]:
    """Return the bytes of the largest page of a column with its dictionary, and of a row.

    Both sizes are decompressed. The row is an average one of the page with the largest rows.
    """
    starts = [at for at in (chunk.dictionary_page_offset, chunk.data_page_offset) if at]
    at, dictionary, largest, row = min(starts, default=0), 0, 0, 0.0
    end = at + chunk.total_compressed_size
    while at < end:
        stream.seek(at)
        data = stream.read(HEADERS[0])
        try:
            page = _page_header(data)
        except LookupError:
            page = _page_header(data + stream.read(HEADERS[1]))
        if page.rows:
            largest, row = max(largest, page.size), max(row, page.size / page.rows)
        else:
            dictionary = max(dictionary, page.size)
        at += page.stored
    return dictionary + largest, row


class _Page(NamedTuple):
    """The rows of a page, 0 of a dictionary, its bytes decompressed, and those in the file."""

    rows: int
    size: int
    stored: int


def _page_header(data: bytes) -> _Page:
    """Return the facts of the header of a page: a struct of Thrift's compact protocol.

    Its fields are the kind of the page, its two sizes, and structs. Fields 5 and 8 describe pages
    of data, and begin with the number of values.

    Raises
    ------
    LookupError
        There are more bytes of it, or it is damaged.
    """
    place = 0

    def number() -> int:
        nonlocal place
        value = shift = 0
        while shift < 70:
            value |= (data[place] & 127) << shift
            place, shift = place + 1, shift + 7
            if data[place - 1] < 128:
                break
        return value

    def struct(depth: int) -> dict[int, Any]:
        nonlocal place
        fields: dict[int, Any] = {}
        last = 0
        while kind := data[place]:
            place += 1
            last = last + (kind >> 4) if kind >> 4 else number() >> 1
            match kind & 15:
                case 1 | 2:  # a bool, without a value
                    pass
                case 3:
                    place += 1
                case 4 | 5 | 6:
                    fields[last] = number() >> 1
                case 7:
                    place += 8
                case 8:
                    size = number()
                    place += size
                case 12 if depth < 4:
                    fields[last] = struct(depth + 1)
                case other:
                    raise LookupError(f"a field of a page is of kind {other}")
        place += 1
        return fields

    found = struct(0)
    rows = next((found[k][1] for k in (5, 8) if k in found), 0)
    return _Page(rows, found[2], place + found[3])


def group_pieces(
    file: File, request: ColumnRequest, place: Place, read: RowGroups
) -> Iterator[Piece]:
    """Yield row groups from a given one on, as many at once as fit.

    Each is to be read later.

    They are shared out evenly, so that none is read while nothing is left to do beside it. If one
    of them alone is too large, all are read as PyArrow's tables.
    """
    start, done, rows, _ = place
    with damage(file, "Parquet"):
        _, empty, excluded = _opened_parquet(file, file.seekable(), request)
    pair = empty.column_names
    sizes = [0 if group in excluded else size for group, size in file.groups.items()]
    ids = all(are_ids(empty[name].type) for name in pair)  # what is refused, is by its first row
    if max(sizes[start:], default=0) > rows() or start >= len(sizes) or not ids:
        yield from parquet_pieces(file, request, place)
        return
    while start < len(sizes):
        group, most, left = start, rows(), sum(sizes[start:])
        share, size = -(-left // max(1, -(-left // most))), 0
        while start < len(sizes) and (
            start == group or (size < share and size + sizes[start] <= most)
        ):
            size, start = size + sizes[start], start + 1
        wanted = [k for k in range(group, start) if k not in excluded]
        skipped = sum(file.groups[k] for k in range(group, start) if k in excluded)
        if group in excluded:
            skipped, done = skipped - done, 0
        load = partial(_load, file, read, pair, wanted, done) if wanted else None
        yield Piece(empty, start - 1, file.groups[start - 1], True, load=load, skipped=skipped)
        done = 0


def excluded_groups(meta: Any, schema: Any, request: ColumnRequest, pair: list[str]) -> set[int]:
    """Return the row groups whose weights are all outside the bound, by their statistics."""
    if request.bound is None or request.ids_in(pair) == pair:
        return set()
    name, groups = pair[-1], range(meta.num_row_groups)
    at = {meta.schema.column(i).path: i for i in range(meta.num_columns)}.get(name)
    if at is None:
        return set()
    found = {group: meta.row_group(group).column(at).statistics for group in groups}
    kind, bound = schema.field(name).type, request.bound
    return {
        group
        for group, known in found.items()
        if known is not None and known.has_min_max and bound.excludes(known.min, known.max, kind)
    }


def _load(file: File, read: RowGroups, pair: list[str], groups: list[int], done: int) -> Any:
    with damage(file, "Parquet"):
        return read(file.path, pair, groups)[pair].iloc[done:]


def arrow_pieces(file: File, request: ColumnRequest, place: Place) -> Iterator[Piece]:
    """Yield record batches, starting after a given batch and row."""
    import pyarrow as pa

    start, done, rows, _ = place
    stream = file.seekable()
    with damage(file, "Arrow"):
        is_file = stream.read(6) == b"ARROW1"
        if file.budget is not None:
            file.check_bound(largest_batch(stream, 8 if is_file else 0), 1, BATCH)
        stream.seek(0)
        source = pa.PythonFile(stream, "r")
        stored = pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source)
        pair = columns_of(file, request, stored.schema)
        ids = request.ids_in(pair)
        if is_file:
            batches = ((i, stored.get_batch(i)) for i in range(start, stored.num_record_batches))
        else:
            batches = ((i, batch) for i, batch in enumerate(stored) if i >= start)
        seen = rows_before = 0
        for group, batch in batches:
            kept = batch.select(pair)
            kept.validate(full=True)  # or offsets of text beyond its end are followed
            where = file.path if not start else f"{file.path}, batch {group}"
            check_ids(where, ids, kept.columns[: len(ids)], 0 if start else rows_before)
            rows_before += len(batch)
            file.groups[group] = len(batch)
            file.report_place()
            table, seen = pa.Table.from_batches([kept]), seen + 1
            if file.budget is not None:
                file.budget.loaded = batch.nbytes
            yield from sliced(file, table, group, done if group == start else 0, rows)
        if not seen:
            yield Piece(stored.schema.empty_table().select(pair), start, 0, False)


BATCH = "has record batches that are read as a whole"


def text_pieces(file: File, request: ColumnRequest, place: Place) -> Iterator[Piece]:
    """Yield the blocks of a table of text, starting after a given row.

    If it is not known whether ids are strings, the first block with an id in it says so.

    Raises
    ------
    LateTextError
        Ids were integers so far, and in some block they are not.
    """
    import pyarrow as pa

    _, done, rows, text = place
    read = Table(file, request)
    if read.empty:
        table = without_rows(request, text)
        if request.weights and request.weight is not None:
            table = table.append_column("weight", pa.array([], pa.float64()))
        yield Piece(table, 0, 0, False)
        return
    at, kinds = 0, list(text or request.options.as_text or [None] * len(read.pairs))
    for block, columns in read.blocks():
        tables = []
        for k, pair in enumerate(read.pairs):
            ids = IdColumns()
            pair.append(block, columns, ids)
            pair.floats.refuse()
            table = ids.table(pair.names, kinds[k])
            if has_ids(table):
                strings = any(map(pa.types.is_string, table.schema.types))
                if kinds[k] is False and strings:
                    raise LateTextError(file.path, block.line, k, len(kinds))
                kinds[k] = strings
            tables.append(table)
        table = beside(tables)
        if read.weight is not None:
            weights = Weights(request.null_weights)
            weights.append(
                *(file.path, block, read.dialect, read.weight, columns[read.weight].text)
            )
            table = table.append_column("weight", weights.column())
        at += len(table)
        left = max(0, done - (at - len(table)))
        for piece in sliced(file, table, 0, left, rows) if left < len(table) else ():
            yield Piece(piece.table, 0, at - len(table) + piece.rows, False)
    if not at:
        yield Piece(table, 0, 0, False)


def whole_pieces(file: File, request: ColumnRequest, place: Place) -> Iterator[Piece]:
    """Yield the edges of a file that is read as a whole, after a given row."""
    table, vertices = read_whole(file, request)
    if file.budget is not None:
        file.budget.loaded = table.nbytes
    vertices = None if place.done else vertices
    for piece in sliced(file, table, 0, place.done, place.rows):
        yield replace(piece, vertices=vertices)
        vertices = None


# The formats that are read in pieces
PIECES = dict.fromkeys(TEXT, text_pieces)
PIECES |= {"arrow": arrow_pieces, "parquet": parquet_pieces}


def has_ids(table: pa.Table) -> bool:
    """Return whether some id of a table is not null, so that its types are those of ids."""
    return any(len(ids) > ids.null_count for ids in table.columns)


def sliced(
    file: File, table: pa.Table, group: int, done: int, rows: Callable[[], int]
) -> Iterator[Piece]:
    """Yield a table in pieces of a given number of rows; one empty piece if it has none."""
    at, size = done, len(table)
    if file.budget is not None and size:
        rows = partial(file.budget.fitting_rows, table.nbytes / size)
    while True:
        part = table.slice(at, rows())
        at += len(part)
        yield Piece(part, group, at, at >= size)
        if at >= size:
            return


Bounds = list[tuple[Any, Any]]  # the least and the greatest value of a column, by row groups


class Footer(NamedTuple):
    """The rows of a row group, and the bytes and the bounds of its columns of ids."""

    rows: int
    size: int
    bounds: Bounds


def footers_of(meta: Any, groups: Iterable[int], columns: Sequence[str]) -> list[Footer]:
    """Return what a footer of Parquet tells about row groups."""
    at = {meta.schema.column(i).path: i for i in range(meta.num_columns)}
    found = []
    for group in map(meta.row_group, groups):
        chunks = [group.column(at[name]) for name in columns if name in at]
        known = [chunk.statistics for chunk in chunks]
        bounds = [(one.min, one.max) if one and one.has_min_max else (None, None) for one in known]
        size = sum(chunk.total_compressed_size for chunk in chunks)
        found.append(Footer(group.num_rows, size, bounds))
    return found


def parquet_facts(file: File, request: ColumnRequest) -> list[Footer]:
    """Return what the footer of a Parquet file tells about its row groups."""
    import pyarrow.parquet as pq

    with as_format(file, "parquet"), damage(file, "Parquet"):
        stored = pq.ParquetFile(file.seekable())
        ids = request.ids_in(columns_of(file, request, stored.schema_arrow))
        return footers_of(stored.metadata, range(stored.metadata.num_row_groups), ids)


def check_sides(path: str, request: ColumnRequest) -> None:
    """Raise an InputError if the named columns cannot be the ends of an edge in this file."""
    source, destination = request.source, request.destination
    if not (isinstance(source, list) or isinstance(destination, list)):
        return
    lists = isinstance(source, list) and isinstance(destination, list)
    if not (lists and source and len(source) == len(destination or []) and source != destination):
        raise InputError(
            f"{path}: source={source!r} and destination={destination!r} are not two ends of an"
            " edge: name different columns of ids, the same number on each side"
        )
    if request.format not in PIECES:
        raise InputError(
            f"{path} is {request.format}, whose ids have one column per side, not"
            f" source={source!r}: ids of several columns can be read from {', '.join(PIECES)}"
        )


def read_pieces(
    file: File, request: ColumnRequest, place: Place, read: RowGroups | None = None
) -> Iterator[Piece]:
    """Yield the edges of an open file from a place on, with a maximum number of rows at a time.

    Parameters
    ----------
    file, request
        The file, and its format and columns.
    place : Place
        Where to begin.
    read : callable, optional
        What reads row groups of a Parquet file of this machine as frames: called with its path,
        columns and groups.
    """
    check_sides(file.path, request)
    if file.budget is not None:
        file.budget.loaded = 0
    with as_format(file, request.format):
        if request.format == "parquet" and read is not None:
            yield from group_pieces(file, request, place, read)
        else:
            yield from PIECES.get(request.format, whole_pieces)(file, request, place)


def read_whole(file: File, request: ColumnRequest) -> tuple[pa.Table, Any]:
    """Return the edges of an open file, and all vertices if it lists them."""
    import pyarrow as pa

    read, vertices = FORMATS[request.format].read, None
    if read is not None or request.format in TEXT:
        table, vertices = (read or read_delimited)(file, request)
    else:
        made = PIECES[request.format](file, request, Place(0, 0, lambda: 1 << 20))
        table = weighed(file, request, pa.concat_tables([piece.table for piece in made]))
        file.report(file.size)
    file.check_vertices(count_of(vertices))
    return _with_weights(table, request), vertices


def count_of(vertices: Any) -> int:
    """Return the number of vertices that a file lists, also beyond what ``len`` can say."""
    if isinstance(vertices, range):
        return vertices.stop - vertices.start
    return 0 if vertices is None else len(vertices)


@dataclass(frozen=True)
class Taken:
    """A record of how a file was read: its format, columns of ids, and header.

    ``delimiter`` is what stands between fields of csv, tsv and snap, and None elsewhere; so is
    ``header``.
    """

    format: str
    columns: tuple[str, ...]
    header: bool | None = None
    delimiter: str | None = None

    def facts(self) -> dict[str, Any]:
        """Return the facts as JSON values."""
        return {
            "format": self.format,
            "columns": list(self.columns),
            "header": self.header,
            "delimiter": self.delimiter,
        }

    def __str__(self) -> str:
        if self.delimiter is None:
            return self.format
        between = NAMES.get(self.delimiter, repr(self.delimiter))
        first = {True: "a header", False: "no header", None: "no lines"}[self.header]
        return f"{self.format}: {between}, {first}"


@dataclass(frozen=True)
class EdgeFile:
    """The edges of one file.

    Attributes
    ----------
    table
        ``pyarrow.Table`` of the two id columns, source first (of ids of several columns first the
        first of each side, then the second, ..., each column once), and of ``weight`` (int64, or
        double if some are not whole) if that was asked for and is there. One row an edge, as in
        the file and chunked as it was read; METIS and ECL files list each edge at both its ends,
        and so does the table. From text the ids are both int64, both uint64 or both string (of
        several columns each pair that is compared); from other files they are as stored.
    source, destination
        The names of the two columns; lists, of ids of several columns.
    format
        One of ``FORMATS``.
    header
        Whether the first line named the columns, of csv, tsv and snap; None of other formats, and
        of a file without a line.
    ledger
        The rows that the file has by its own metadata or lines, and lines that hold no edge.
    delimiter
        What separates fields, of csv, tsv and snap.
    vertices
        The ids of all vertices, where the file says how many there are: ``range(1, n + 1)`` for gr,
        metis and mtx, which count from one, and ``range(n)`` for he, egr, SciPy's npz and an npz
        with num_vertices. Otherwise None, and the vertices are those that occur.
    """

    table: pa.Table
    source: str | list[str]
    destination: str | list[str]
    format: str
    vertices: range | None = None
    header: bool | None = None
    ledger: Ledger = field(default_factory=Ledger)
    delimiter: str | None = None

    @property
    def taken(self) -> Taken:
        """The way the file was read."""
        request = ColumnRequest(self.source, self.destination, self.format)
        ids = tuple(request.ids_in(self.table.column_names))
        return Taken(self.format, ids, self.header, self.delimiter)


def read_edges(
    path: str | os.PathLike[str],
    *,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    format: str | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    comment: str | None = COMMENTS,
    weights: bool = False,
    weight: str | None = None,
    on_progress: Progress | None = None,
) -> EdgeFile:
    """Read the edges of a file.

    Parameters
    ----------
    path
        The file.
    source, destination
        The names of the two columns, which have to be there; lists of as many on each side where
        several columns are one id, which csv, tsv, snap, arrow and parquet may have. By default as
        :func:`cc_rapids.data.end_columns.end_columns` finds them. A file
        without a header has the columns src, dst, col2, col3 and so on.
    format
        One of ``FORMATS``; by default what the suffix of the path says, or else
        the first bytes.
    header
        Whether the first line of a csv, tsv or snap file names the columns. By default it does if
        it holds names that were given here, or known ones, and is an edge if its ends are numbers
        as those of the next line; all else is refused. A comment such as ``# src dst`` above the
        first record names the columns too.
    delimiter
        The character between fields of text, or a blank for runs of blanks. By default the one of
        comma, tab, semicolon and pipe that splits each of the first twenty records into the same
        number of fields, of two or more, and else runs of blanks.
    encoding
        That of text, by default the one of its byte order mark, or UTF-8.
    comment
        The letters that begin comments, which come before the first record; None if there are none.
    weights
        Read the weights too, if the file has them.
    weight
        The name of the column of weights, which then has to be there; by default weight, if the
        file has it.
    on_progress
        Called with the bytes read so far and the bytes in the file, as reading goes on.

    Returns
    -------
    EdgeFile
        Ids from text are int64 if every id of both columns is an integer in its usual spelling,
        uint64 if they need that, and else string, each as it was written but for blanks around
        it: with a single ``007`` among them all ids are text. A word in quotes, in csv and tsv, is
        text as it stands, whatever it looks like. Empty fields are nulls, and so are ``NA``,
        ``null`` and their like without quotes where the ids are integers; ``""`` is the empty
        text, and a null among integers. A column of numbers without quotes that are not all whole
        is refused. Indices stay as they are in the
        file: from one on in gr, metis and mtx, from zero on in he, egr and npz. An entry that is
        stored counts as an edge even if its weight is zero.

    Raises
    ------
    FormatError
        The file is missing, unreadable, of no known format, or malformed, or its first line may be
        an edge or a header; names the line. As a ChangedFileError, it was cut, rewritten or
        replaced meanwhile.
    MissingColumnError
        A column does not exist, or several pairs could be meant; lists the columns of the file.
    ColumnTypeError
        A column holds no ids; names the first row and value.
    InputError
        Source and destination are the same columns, or not as many, or several in a format that has
        one a side; ``header`` is given for another format.
    """
    kind = "" if format is None else format_of(str(path), format)
    options = TextOptions.check(header, delimiter, encoding, comment)
    request = ColumnRequest(source, destination, kind, options, weights, weight)
    return read_wanted(path, request, on_progress)


def read_wanted(
    path: str | os.PathLike[str], request: ColumnRequest, on_progress: Progress | None = None
) -> EdgeFile:
    """Return the requested columns of a file, as :func:`read_edges` does.

    Where the request has no format, the file tells it.
    """
    path = local(path)
    if os.path.isdir(path):
        table = table_at(path)
        kind = "a directory" if table is None else f"a table of {table.kind}"
        raise FormatError(f"{path} is {kind}, and this reads one file: name a file")
    check_path(path)
    check_no_table_around([path])
    with opened(path, on_progress=on_progress) as file:
        return read_opened(file, request)


def read_opened(file: File, request: ColumnRequest) -> EdgeFile:
    """Return the requested columns of an open file, to its end; see :func:`read_wanted`."""
    request = replace(request, format=request.format or file.format(request.options))
    check_text_options(request.options, [file.path], [request.format])
    check_sides(file.path, request)
    with as_format(file, request.format):
        table, vertices = read_whole(file, request)
    ledger = file.ledger
    ends = request.sides_in(table.column_names)
    return EdgeFile(table, *ends, request.format, vertices, file.header, ledger, file.delimiter)


def names_ahead(file: File, options: TextOptions) -> list[str]:
    """Return the names of the columns by the beginning of an open file, or its footer.

    None of a packed binary file, which is not decompressed for that.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    format = file.format(options)
    if format in TEXT:  # of which no more is read than the first bytes
        lines = file.head[: file.head.rfind(b"\n") + 1] or file.head
        raw: Any = BytesIO(lines)
        ahead = File(file.path, raw, len(lines), None)
        return first_lines(ahead, ColumnRequest(None, None, format, options))[3]
    if format not in PIECES or file.packing:
        return []
    with damage(file, format):
        stream = file.seekable()
        if format == "parquet":
            return list(pq.read_schema(stream).names)
        source = pa.PythonFile(stream, "r")
        opens = pa.ipc.open_file if file.head.startswith(b"ARROW1") else pa.ipc.open_stream
        stream.seek(0)
        return list(opens(source).schema.names)


def taken_of(
    path: str | os.PathLike[str],
    source: str | None = None,
    destination: str | None = None,
    options: TextOptions = NO_OPTIONS,
) -> Taken | None:
    """Return how a file would be read, from its beginning; None for a pipe.

    Raises what :func:`read_edges` raises of the part that is read.
    """
    path = local(path)
    if not os.path.isfile(path):
        return None
    check_no_table_around([path])
    with opened(path) as file:
        kind = file.format(options)
        if kind not in PIECES:
            return Taken(kind, ("src", "dst"))
        request = ColumnRequest(source, destination, kind, options)
        piece = next(read_pieces(file, request, Place(0, 0, lambda: 1024)))
        return Taken(kind, tuple(piece.table.column_names), file.header, file.delimiter)


def _with_weights(table: pa.Table, request: ColumnRequest) -> pa.Table:
    """Return the table; without edges it has any weight that the caller names."""
    import pyarrow as pa

    named, columns = request.weights and request.weight is not None, table.column_names
    if named and not len(table) and request.ids_in(columns) == columns:
        return table.append_column("weight", pa.array([], pa.float64()))
    return table
