"""Read and write Apache Parquet: two columns, or three with weights, row group by row group."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from ....errors import FormatError
from ...lazy import pa, pq
from ...memory_budget import FILE_BYTES, ROW_COPIES, Budget
from ..binary import check_not_joined, columns_of, format_errors
from ..parquet_pages import largest_page
from ..pieces import Piece, Place, RowGroups, pieces_of_groups
from ..text_ids import are_ids, check_ids, is_text
from . import Format

if TYPE_CHECKING:
    from ...text_options import TextOptions
    from ..input_file import ColumnRequest, File
    from ..write import EdgeList

MARK = b"PAR1"  # the magic bytes at both ends of a file
FOOTER = 8  # bytes after the metadata: its length, and the mark
PAGE_COPIES = 2  # copies of a page in memory: compressed and decompressed
STEP = 512  # rows of text decoded at a time: few, because their size is not known in advance
LIMIT_OF_ROW = 1 << 18  # a memory limit of more than STEP times these bytes allows larger steps


def pieces(file: File, request: ColumnRequest, place: Place) -> Iterator[Piece]:
    """Yield row groups, starting at ``place``, as tables or as pieces to load to a GPU later."""
    if place.read_groups is None:
        return group_batches(file, request, place)
    return groups_to_load(file, request, place, place.read_groups)


def group_batches(file: File, request: ColumnRequest, place: Place) -> Iterator[Piece]:
    """Yield the rows of row groups in batches, starting at ``place``."""
    with format_errors(file, "Parquet"):
        stream = file.seekable_stream()
        reader, empty, excluded = _opened_parquet(file, stream, request)
        columns, rows = empty.column_names, reader.metadata.num_rows
        ids = request.ids_in(columns)

        def tables(group: int) -> Iterator[pa.Table]:
            first_row = file.rows_until(group, rows=0, whole=False)
            for table in group_tables(file, stream, reader, group, columns, max_rows=place.rows):
                check_ids(file.path, ids, [table[name] for name in ids], first_row)
                first_row += len(table)
                file.report(file.size * first_row // rows)
                yield table

        yield from pieces_of_groups(file, place, tables, empty, excluded)  # drops finished rows


def groups_to_load(
    file: File, request: ColumnRequest, place: Place, read: RowGroups
) -> Iterator[Piece]:
    """Yield pieces of whole row groups, starting at ``place``, whose rows ``read`` loads later.

    Pieces have about equal numbers of rows, so that reading overlaps with linking. If a row group
    has more rows than fit, all row groups are read as PyArrow tables.
    """
    start, done, max_rows = place.group, place.done, place.rows
    with format_errors(file, "Parquet"):
        _, empty, excluded = _opened_parquet(file, file.seekable_stream(), request)
    columns = empty.column_names
    sizes = [0 if group in excluded else size for group, size in file.groups.items()]
    are_all_ids = all(are_ids(empty[name].type) for name in columns)
    # for a column that does not hold ids, group_batches raises an error that names the first row
    if max(sizes[start:], default=0) > max_rows() or start >= len(sizes) or not are_all_ids:
        yield from group_batches(file, request, place)
        return
    while start < len(sizes):
        end = _end_of_piece(sizes, start, max_rows())
        included = [k for k in range(start, end) if k not in excluded]
        skipped = sum(file.groups[k] for k in range(start, end) if k in excluded)
        if start in excluded:  # its first ``done`` rows were counted as skipped before
            skipped, done = skipped - done, 0
        load = partial(_load, file, read, columns, included, done) if included else None
        yield Piece(empty, end - 1, file.groups[end - 1], whole=True, load=load, skipped=skipped)
        start, done = end, 0


def _end_of_piece(sizes: list[int], start: int, max_rows: int) -> int:
    """Return the row group after the piece that begins with row group ``start``."""
    remaining = sum(sizes[start:])
    piece_count = max(1, -(-remaining // max_rows))
    mean_rows, end, rows = -(-remaining // piece_count), start + 1, sizes[start]
    while end < len(sizes) and rows < mean_rows and rows + sizes[end] <= max_rows:
        rows, end = rows + sizes[end], end + 1
    return end


def _load(file: File, read: RowGroups, columns: list[str], groups: list[int], done: int) -> Any:
    """Return the rows of row groups as a frame, after the first ``done`` rows."""
    with format_errors(file, "Parquet"):
        frame = read(file.path, columns, groups)
    return frame.iloc[done:] if done else frame


def _opened_parquet(
    file: File, stream: BinaryIO, request: ColumnRequest
) -> tuple[Any, pa.Table, set[int]]:
    """Return an open Parquet file, an empty table of the columns, and the excluded groups."""
    reader = pq.ParquetFile(stream, pre_buffer=False, buffer_size=1 << 20)
    schema, meta = reader.schema_arrow, reader.metadata
    check_one_file(file.path, stream, meta)
    columns = columns_of(file, request, schema)
    file.groups = {group: meta.row_group(group).num_rows for group in range(meta.num_row_groups)}
    excluded = excluded_groups(meta, schema, request, columns)
    return reader, schema.empty_table().select(columns), excluded


def check_one_file(path: str, stream: BinaryIO, meta: Any) -> None:
    """Raise a FormatError if a stream is several concatenated Parquet files; rewind the stream."""
    group = meta.row_group(meta.num_row_groups - 1) if meta.num_row_groups else None
    chunks = [] if group is None else map(group.column, range(group.num_columns))
    column_ends = [
        (chunk.dictionary_page_offset or chunk.data_page_offset) + chunk.total_compressed_size
        for chunk in chunks
    ]
    footer_start = stream.seek(0, os.SEEK_END) - meta.serialized_size - FOOTER
    check_not_joined(path, stream, footer_start - max(column_ends, default=len(MARK)), MARK)


def excluded_groups(meta: Any, schema: Any, request: ColumnRequest, columns: list[str]) -> set[int]:
    """Return the row groups whose weights, in the last column, are all outside the bound."""
    name, bound = columns[-1], request.bound
    if bound is None or request.ids_in(columns) == columns:  # there are no weights
        return set()
    kind, position = schema.field(name).type, _positions(meta).get(name)
    groups = range(0 if position is None else meta.num_row_groups)
    statistics = ((group, meta.row_group(group).column(position).statistics) for group in groups)
    return {
        group
        for group, values in statistics
        if values and values.has_min_max and bound.excludes(values.min, values.max, kind)
    }


def _positions(meta: Any) -> dict[str, int]:
    """Return the positions of columns by name, without the fields of structs and lists.

    The field ``w`` of a struct ``m`` has the path ``m.w``, which may also be the name of a column.
    """
    columns = enumerate(map(meta.schema.column, range(meta.num_columns)))
    return {column.name: i for i, column in columns if column.path == column.name}


def _reserve_pages(
    file: File, budget: Budget, stream: BinaryIO, reader: Any, group: int, columns: Sequence[str]
) -> float:
    """Reserve memory for the largest pages if the columns of a row group do not fit as a whole.

    Return the bytes of a row in these pages, 0 if the row group fits.
    """
    meta = reader.metadata.row_group(group)
    chunks = [meta.column(k) for k in range(meta.num_columns)]
    chunks = [chunk for chunk in chunks if chunk.path_in_schema in columns]
    size = sum(chunk.total_uncompressed_size for chunk in chunks)
    budget.loaded, row_bytes = file.bytes_read, 0.0
    copies = ROW_COPIES if _has_text(reader, columns) else 1
    if copies * size > budget.whole_bytes:
        try:
            largest = (largest_page(stream, chunk) for chunk in chunks)
            page_sizes, row_sizes = zip(*largest, strict=True)
        except (LookupError, TypeError):
            raise FormatError(
                f"{file.path} cannot be read as Parquet: the header of a page is damaged"
            ) from None
        row_bytes = sum(row_sizes)
        # FILE_BYTES are reserved for pages in any case
        page_bytes = max(0, PAGE_COPIES * sum(page_sizes) - FILE_BYTES)
        what, way = "has pages that are read as a whole", "write smaller pages"
        file.check_bound(page_bytes, copies=1, what=what, way=way)
        budget.loaded = max(file.bytes_read, page_bytes)
    return row_bytes


def _has_text(reader: Any, columns: Sequence[str]) -> bool:
    """Return whether a column of an open file holds strings."""
    return any(is_text(reader.schema_arrow.field(name).type) for name in columns)


def group_tables(
    file: File,
    stream: BinaryIO,
    reader: Any,
    group: int,
    columns: Sequence[str],
    max_rows: Callable[[], int],
) -> Iterator[pa.Table]:
    """Yield columns of a row group as tables of at most ``max_rows()`` rows, fewer for long text.

    ``reader`` is the ParquetFile of ``stream``. Within a memory limit, rows of text are decoded a
    few at a time, and joined to tables that fit.
    """

    def batches(rows: int, **options: bool) -> Iterator[pa.RecordBatch]:
        for batch in reader.iter_batches(rows, row_groups=[group], columns=columns, **options):
            # for a column named m.w, PyArrow also reads the field w of a struct m
            yield batch.select(columns)

    budget, row_bytes = file.budget, 0.0
    if budget is not None:
        row_bytes = _reserve_pages(file, budget, stream, reader, group, columns)
    if budget is None or not _has_text(reader, columns):
        for batch in batches(max_rows()):
            yield pa.Table.from_batches([batch])
        return
    rows_per_step = min(max(STEP, budget.limit // LIMIT_OF_ROW), budget.fitting_rows(row_bytes))
    # Arrow's pool retains freed memory for each thread, and threads decode steps no faster.
    steps = batches(min(rows_per_step, max_rows()), use_threads=False)
    yield from _fitting_tables(steps, budget, max_rows)


def _fitting_tables(
    batches: Iterable[pa.RecordBatch], budget: Budget, max_rows: Callable[[], int]
) -> Iterator[pa.Table]:
    """Join record batches to tables that fit into memory; divide a batch that does not fit."""
    pending: list[pa.RecordBatch] = []
    size = count = 0  # the bytes and the rows of the pending batches
    for batch in batches:
        row_bytes = (size + batch.nbytes) / max(1, count + len(batch))
        if pending and count + len(batch) > min(max_rows(), budget.fitting_rows(row_bytes)):
            yield pa.Table.from_batches(pending).combine_chunks()
            pending, size, count = [], 0, 0
        pending.append(batch)
        size, count = size + batch.nbytes, count + len(batch)
        fitting = budget.fitting_rows(size / max(1, count))
        if len(pending) == 1 and count > fitting:  # the rows hold long text
            whole = pa.Table.from_batches(pending)
            yield from (whole.slice(row, fitting) for row in range(0, count, fitting))
            pending, size, count = [], 0, 0
    if pending:
        yield pa.Table.from_batches(pending).combine_chunks()


Bounds = list[tuple[Any, Any]]  # the least and the greatest value of each column; None if unknown


class Footer(NamedTuple):
    """Facts about a row group: its number of rows, and the bytes and bounds of its columns of ids.

    ``text`` is an upper bound on the bytes of the distinct strings; it is None if stored strings
    share prefixes. If the row group is not read, ``skipped`` is its number of rows, and the other
    numbers are 0.
    """

    rows: int
    size: int
    bounds: Bounds
    text: int | None
    skipped: int = 0

    def outside(self) -> Footer:
        """Return the facts of the row group if it is not read."""
        return Footer(0, 0, [], 0, self.rows)


def footers_of(meta: Any, groups: Iterable[int], columns: Sequence[str]) -> list[Footer]:
    """Return the facts about row groups and their columns of ids in a Parquet footer."""
    positions, footers = _positions(meta), list[Footer]()
    for group in map(meta.row_group, groups):
        chunks = [group.column(positions[name]) for name in columns if name in positions]
        stats = [chunk.statistics for chunk in chunks]
        bounds = [
            (values.min, values.max) if values and values.has_min_max else (None, None)
            for values in stats
        ]
        size = sum(chunk.total_compressed_size for chunk in chunks)
        strings = [chunk for chunk in chunks if chunk.physical_type.endswith("BYTE_ARRAY")]
        text_bytes: int | None = sum(chunk.total_uncompressed_size for chunk in strings)
        if any("DELTA_BYTE_ARRAY" in chunk.encodings for chunk in strings):  # shared prefixes
            text_bytes = None
        footers.append(Footer(group.num_rows, size, bounds, text_bytes))
    return footers


def parquet_facts(file: File, request: ColumnRequest) -> list[Footer]:
    """Return the facts about all row groups in a Parquet file; only its footer is read.

    Row groups that the bound on weights excludes only count as skipped.
    """
    with format_errors(file, "Parquet"):
        reader = pq.ParquetFile(file.seekable_stream())
        meta, schema = reader.metadata, reader.schema_arrow
        columns = columns_of(file, request, schema)
        footers = footers_of(meta, range(meta.num_row_groups), request.ids_in(columns))
    if request.bound is not None:
        request.bound.mask_of_frame(schema.empty_table())  # raises errors of the bound
    excluded = excluded_groups(meta, schema, request, columns)
    return [footer.outside() if k in excluded else footer for k, footer in enumerate(footers)]


def names(file: File, options: TextOptions) -> list[str]:
    """Return the names of the columns from the footer."""
    with format_errors(file, "Parquet"):
        return list(pq.read_schema(file.seekable_stream()).names)


def write(edges: EdgeList, stream: BinaryIO, path: Path) -> None:
    """Write each table as a row group."""
    with pq.ParquetWriter(stream, edges.schema) as writer:
        for piece in edges.pieces:
            writer.write_table(piece)


FORMATS = (
    Format(
        "parquet",
        (".parquet", ".pq"),
        MARK,
        title="Parquet",
        binary=True,
        pieces=pieces,
        names=names,
        write=write,
    ),
)
