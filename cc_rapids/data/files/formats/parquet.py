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
from ..binary import check_not_joined, columns_of, damage
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
STEP = 512  # rows of text decoded at once, because their size is not known in advance
LIMIT_OF_ROW = 1 << 18  # the memory limit divided by this also bounds the rows of a step


def pieces(file: File, request: ColumnRequest, place: Place) -> Iterator[Piece]:
    """Yield row groups starting at ``place``, as tables or as pieces to load to a GPU later."""
    if place.read_groups is None:
        return group_batches(file, request, place)
    return groups_to_load(file, request, place, place.read_groups)


def group_batches(file: File, request: ColumnRequest, place: Place) -> Iterator[Piece]:
    """Yield row groups in batches, starting after the group and row of ``place``."""
    with damage(file, "Parquet"):
        stream = file.seekable()
        stored, none, excluded = _opened_parquet(file, stream, request)
        columns, rows = none.column_names, stored.metadata.num_rows
        ids = request.ids_in(columns)

        def tables(group: int) -> Iterator[pa.Table]:
            at = file.rows_until(group, 0, False)
            for table in group_tables(file, stream, stored, group, columns, place.rows):
                check_ids(file.path, ids, [table[name] for name in ids], at)
                at += len(table)
                file.report(file.size * at // rows)
                yield table

        yield from pieces_of_groups(file, place, tables, none, excluded)


def groups_to_load(
    file: File, request: ColumnRequest, place: Place, read: RowGroups
) -> Iterator[Piece]:
    """Yield pieces of as many row groups as fit, starting at ``place``, to be read later.

    Pieces have about equal numbers of row groups, so that reading overlaps with linking. If a
    single row group does not fit, all are read as PyArrow tables.
    """
    start, done, rows, *_ = place
    with damage(file, "Parquet"):
        _, empty, excluded = _opened_parquet(file, file.seekable(), request)
    pair = empty.column_names
    sizes = [0 if group in excluded else size for group, size in file.groups.items()]
    ids = all(are_ids(empty[name].type) for name in pair)  # else group_batches names the bad row
    if max(sizes[start:], default=0) > rows() or start >= len(sizes) or not ids:
        yield from group_batches(file, request, place)
        return
    while start < len(sizes):
        group, most, left = start, rows(), sum(sizes[start:])
        share, size = -(-left // max(1, -(-left // most))), 0
        while start < len(sizes) and (
            start == group or (size < share and size + sizes[start] <= most)
        ):
            size, start = size + sizes[start], start + 1
        included = [k for k in range(group, start) if k not in excluded]
        skipped = sum(file.groups[k] for k in range(group, start) if k in excluded)
        if group in excluded:
            skipped, done = skipped - done, 0
        load = partial(_load, file, read, pair, included, done) if included else None
        yield Piece(empty, start - 1, file.groups[start - 1], True, load=load, skipped=skipped)
        done = 0


def _load(file: File, read: RowGroups, pair: list[str], groups: list[int], done: int) -> Any:
    with damage(file, "Parquet"):
        return read(file.path, pair, groups)[pair].iloc[done:]


def _opened_parquet(
    file: File, stream: BinaryIO, request: ColumnRequest
) -> tuple[Any, pa.Table, set[int]]:
    """Return an open Parquet file, an empty table of the requested columns, and the groups to skip.

    Set the number of rows of each row group of ``file`` from the footer.
    """
    stored = pq.ParquetFile(stream, pre_buffer=False, buffer_size=1 << 20)
    schema, meta = stored.schema_arrow, stored.metadata
    check_one_file(file.path, stream, meta)
    columns = columns_of(file, request, schema)
    file.groups = {group: meta.row_group(group).num_rows for group in range(meta.num_row_groups)}
    excluded = excluded_groups(meta, schema, request, columns)
    return stored, schema.empty_table().select(columns), excluded


def check_one_file(path: str, stream: BinaryIO, meta: Any) -> None:
    """Check that a stream is one Parquet file, and rewind it.

    Raises
    ------
    FormatError
        Several files are concatenated.
    """
    group = meta.row_group(meta.num_row_groups - 1) if meta.num_row_groups else None
    chunks = [] if group is None else map(group.column, range(group.num_columns))
    ends = [
        (chunk.dictionary_page_offset or chunk.data_page_offset) + chunk.total_compressed_size
        for chunk in chunks
    ]
    size = stream.seek(0, os.SEEK_END) - meta.serialized_size - FOOTER
    check_not_joined(path, stream, size - max(ends, default=len(MARK)), MARK)


def excluded_groups(meta: Any, schema: Any, request: ColumnRequest, pair: list[str]) -> set[int]:
    """Return the row groups whose statistics show that all weights are outside the bound."""
    if request.bound is None or request.ids_in(pair) == pair:
        return set()
    name, groups = pair[-1], range(meta.num_row_groups)
    at = _positions(meta).get(name)
    if at is None:
        return set()
    statistics = {group: meta.row_group(group).column(at).statistics for group in groups}
    kind, bound = schema.field(name).type, request.bound
    return {
        group
        for group, one in statistics.items()
        if one is not None and one.has_min_max and bound.excludes(one.min, one.max, kind)
    }


def _positions(meta: Any) -> dict[str, int]:
    """Return the positions of columns by name, without those within structs or lists.

    The field ``w`` of a struct ``m`` has the path ``m.w``, which may be the name of a column.
    """
    columns = enumerate(map(meta.schema.column, range(meta.num_columns)))
    return {column.name: i for i, column in columns if column.path == column.name}


def _check_pages(
    file: File, budget: Budget, stream: BinaryIO, stored: Any, group: int, columns: Sequence[str]
) -> int:
    """Return how many rows of a row group to decode at once if it has text.

    If the row group does not fit, reserve the memory of its largest pages in the budget; raise a
    CapacityError if a page does not fit.
    """
    meta, beyond = stored.metadata.row_group(group), 0
    chunks = [meta.column(k) for k in range(meta.num_columns)]
    chunks = [chunk for chunk in chunks if chunk.path_in_schema in columns]
    size = sum(chunk.total_uncompressed_size for chunk in chunks)
    budget.loaded, row_bytes = file.bytes_read, 0.0
    copies = ROW_COPIES if _has_text(stored, columns) else 1
    if copies * size > budget.whole_bytes:
        try:
            pages, sizes = zip(*(largest_page(stream, chunk) for chunk in chunks), strict=True)
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
    file: File,
    stream: BinaryIO,
    stored: Any,
    group: int,
    columns: Sequence[str],
    rows: Callable[[], int],
) -> Iterator[pa.Table]:
    """Yield columns of a row group as tables of at most ``rows()`` rows, or fewer for long text.

    Within a memory limit, only a few rows of text are decoded at once.
    """
    budget, step = file.budget, 0
    if budget is not None:
        step = _check_pages(file, budget, stream, stored, group, columns)
    if budget is None or not _has_text(stored, columns):
        for batch in stored.iter_batches(rows(), row_groups=[group], columns=columns):
            yield pa.Table.from_batches([batch.select(columns)])
        return
    batches: list[pa.RecordBatch] = []
    size = count = 0
    for batch in stored.iter_batches(min(step, rows()), row_groups=[group], columns=columns):
        row_bytes = (size + batch.nbytes) / max(1, count + len(batch))
        if batches and count + len(batch) > min(rows(), budget.fitting_rows(row_bytes)):
            yield pa.Table.from_batches(batches).combine_chunks()
            batches, size, count = [], 0, 0
        batches.append(batch.select(columns))
        size, count = size + batch.nbytes, count + len(batch)
        most = budget.fitting_rows(size / max(1, count))
        if len(batches) == 1 and count > most:  # the rows hold long text
            whole = pa.Table.from_batches(batches)
            yield from (whole.slice(at, most) for at in range(0, count, most))
            batches, size, count = [], 0, 0
    if batches:
        yield pa.Table.from_batches(batches).combine_chunks()


Bounds = list[tuple[Any, Any]]  # pairs of a minimum and a maximum, None if unknown


class Footer(NamedTuple):
    """The number of rows of a row group, and the bytes and bounds of its columns of ids.

    ``text`` is an upper bound on the bytes of the distinct strings; None if strings share prefixes.
    ``skipped`` is the number of rows if the row group is not read; all other facts are then empty.
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
    """Return the facts about row groups in a Parquet footer."""
    at = _positions(meta)
    footers = []
    for group in map(meta.row_group, groups):
        chunks = [group.column(at[name]) for name in columns if name in at]
        stats = [chunk.statistics for chunk in chunks]
        bounds = [(one.min, one.max) if one and one.has_min_max else (None, None) for one in stats]
        size = sum(chunk.total_compressed_size for chunk in chunks)
        strings = [chunk for chunk in chunks if chunk.physical_type.endswith("BYTE_ARRAY")]
        text: int | None = sum(chunk.total_uncompressed_size for chunk in strings)
        if any("DELTA_BYTE_ARRAY" in chunk.encodings for chunk in strings):
            text = None
        footers.append(Footer(group.num_rows, size, bounds, text))
    return footers


def parquet_facts(file: File, request: ColumnRequest) -> list[Footer]:
    """Return the facts about all row groups in the footer of a Parquet file.

    Row groups that the bound excludes are not read.

    Raises
    ------
    MissingColumnError, ColumnTypeError
        There is no column of weights, or it is not of numbers.
    """
    with damage(file, "Parquet"):
        stored = pq.ParquetFile(file.seekable())
        meta, schema = stored.metadata, stored.schema_arrow
        pair = columns_of(file, request, schema)
        footers = footers_of(meta, range(meta.num_row_groups), request.ids_in(pair))
    if request.bound is not None:
        request.bound.mask_of_frame(schema.empty_table())  # raises an error unless it is of numbers
    excluded = excluded_groups(meta, schema, request, pair)
    return [one.outside() if k in excluded else one for k, one in enumerate(footers)]


def names(file: File, options: TextOptions) -> list[str]:
    """Return the names of the columns from the footer."""
    with damage(file, "parquet"):
        return list(pq.read_schema(file.seekable()).names)


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
