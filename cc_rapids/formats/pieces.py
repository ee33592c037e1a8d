"""Files in pieces: row groups of Parquet, batches of Arrow IPC, blocks of text; others whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from ..errors import FormatError, InputError
from .binary import columns_of, damage, read_egr, read_npz
from .delimited import DIALECTS, parse
from .entries import read_he, read_matrix, read_shortest_paths
from .files import File, Wanted
from .ids import IdColumns
from .kinds import are_ids, check_ids
from .metis import read_metis
from .readers import Pair, beside, first_lines, without_rows

if TYPE_CHECKING:
    import pyarrow as pa

RowGroups = Callable[[str, list[str], list[int]], Any]
WHOLE = {  # readers of files that are read whole
    "he": read_he,
    "gr": read_shortest_paths,
    "metis": read_metis,
    "mtx": read_matrix,
    "egr": read_egr,
    "npz": read_npz,
}
IN_PIECES = ("csv", "tsv", "snap", "parquet", "arrow")


@dataclass(frozen=True)
class Piece:
    """Some edges of a file: the two columns, and the group and the rows in it where they end.

    ``table`` is PyArrow's; where there is a ``load``, that gives the rows, in any thread, and the
    table has none. ``whole`` says that the group ends there too; ``vertices`` are all, if the file
    says so.
    """

    table: Any
    group: int
    rows: int
    whole: bool
    vertices: range | None = None
    load: Callable[[], Any] | None = None


def parquet_pieces(
    file: File, wanted: Wanted, start: int, done: int, rows: Callable[[], int]
) -> Iterator[Piece]:
    """The row groups from one on, the first without the rows that are done, in batches."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with damage(file, "Parquet"):
        stored = pq.ParquetFile(file.seekable(), pre_buffer=False, buffer_size=1 << 20)
        pair, meta = columns_of(file, wanted, stored.schema_arrow), stored.metadata
        none = stored.schema_arrow.empty_table().select(pair)
        if start >= meta.num_row_groups:
            yield Piece(none, start, 0, False)
        before = sum(meta.row_group(group).num_rows for group in range(start))
        for group in range(start, meta.num_row_groups):
            size, at = meta.row_group(group).num_rows, 0
            if not size:
                yield Piece(none, group, 0, True)
            for batch in stored.iter_batches(rows(), row_groups=[group], columns=pair):
                check_ids(file.path, pair, [batch[name] for name in pair], before + at)
                at += len(batch)
                left = max(0, done - (at - len(batch))) if group == start else 0
                table = pa.Table.from_batches([batch.select(pair)]).slice(left)
                if len(table) or at == size:
                    yield Piece(table, group, at, at == size)
            before += size


def group_pieces(
    file: File, wanted: Wanted, start: int, done: int, rows: Callable[[], int], read: RowGroups
) -> Iterator[Piece]:
    """The row groups from one on, as many at once as there is room for, each to be read later.

    They are shared out evenly, so that none is read while nothing is left to do beside it. If one
    of them alone is too large, all are read as PyArrow's tables.
    """
    import pyarrow.parquet as pq

    with damage(file, "Parquet"):
        stored = pq.ParquetFile(file.seekable())
        pair, meta = columns_of(file, wanted, stored.schema_arrow), stored.metadata
        sizes = [meta.row_group(group).num_rows for group in range(meta.num_row_groups)]
        empty = stored.schema_arrow.empty_table().select(pair)
    ids = all(are_ids(empty[name].type) for name in pair)  # what is refused, is by its first row
    if max(sizes[start:], default=0) > rows() or start >= len(sizes) or not ids:
        yield from parquet_pieces(file, wanted, start, done, rows)
        return
    while start < len(sizes):
        group, most, left = start, rows(), sum(sizes[start:])
        share, size = -(-left // max(1, -(-left // most))), 0
        while start < len(sizes) and (
            start == group or (size < share and size + sizes[start] <= most)
        ):
            size, start = size + sizes[start], start + 1
        load = partial(_load, file, read, pair, list(range(group, start)), done)
        yield Piece(empty, start - 1, sizes[start - 1], True, load=load)
        done = 0


def _load(file: File, read: RowGroups, pair: list[str], groups: list[int], done: int) -> Any:
    with damage(file, "Parquet"):
        return read(file.path, pair, groups)[pair].iloc[done:]


def arrow_pieces(
    file: File, wanted: Wanted, start: int, done: int, rows: Callable[[], int]
) -> Iterator[Piece]:
    """The batches from one on, the first without the rows that are done."""
    import pyarrow as pa

    stream = file.seekable()
    with damage(file, "Arrow"):
        is_file = stream.read(6) == b"ARROW1"
        stream.seek(0)
        source = pa.PythonFile(stream, "r")
        stored = pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source)
        pair = columns_of(file, wanted, stored.schema)
        if is_file:
            batches = ((i, stored.get_batch(i)) for i in range(start, stored.num_record_batches))
        else:
            batches = ((i, batch) for i, batch in enumerate(stored) if i >= start)
        seen = 0
        for group, batch in batches:
            kept = batch.select(pair)
            kept.validate(full=True)  # or offsets of text beyond its end are followed
            check_ids(f"{file.path}, batch {group}", pair, kept.columns, 0)
            table, seen = pa.Table.from_batches([kept]), seen + 1
            yield from sliced(table, group, done if group == start else 0, rows)
        if not seen:
            yield Piece(stored.schema.empty_table().select(pair), start, 0, False)


def text_pieces(
    file: File, wanted: Wanted, text: list[bool] | None, done: int, rows: Callable[[], int]
) -> Iterator[Piece]:
    """The blocks of a csv, tsv or snap file, from the row on that follows those done.

    Parameters
    ----------
    text : list of bool, optional
        For each column of an id, whether all of it are strings; if it is not known, the first block
        says so.

    Raises
    ------
    FormatError
        Ids were integers so far, and in some block they are not.
    """
    import pyarrow as pa

    dialect = DIALECTS[wanted.format]
    first, feed, names = first_lines(file, wanted)
    if first is None:
        yield Piece(without_rows(wanted, text), 0, 0, False)
        return
    places = wanted.columns(file.path, names)
    pairs = [Pair(file.path, dialect, names, own) for own in wanted.pairs(file.path, names)]
    at = 0
    for block in chain([first], feed):
        read = parse(file.path, block, dialect, len(names), places)
        columns, tables = dict(zip(places, read, strict=True)), []
        for k, pair in enumerate(pairs):
            ids = IdColumns()
            pair.append(block, columns, ids)
            pair.floats.refuse()
            tables.append(ids.table(pair.names, None if text is None else text[k]))
        strings = [any(map(pa.types.is_string, one.schema.types)) for one in tables]
        table = beside(tables)
        if text is None:
            text = strings
        elif any(own and not before for own, before in zip(strings, text, strict=True)):
            raise FormatError(
                f"{file.path}, from line {block.line} on: some ids are text, and all before were"
                " integers: a stream takes what comes first for all, so put such a file or line"
                " first, or store the columns as strings (in Parquet)"
            )
        at += len(table)
        left = max(0, done - (at - len(table)))
        for piece in sliced(table, 0, left, rows):
            yield Piece(piece.table, 0, at - len(table) + piece.rows, False)


def sliced(table: pa.Table, group: int, done: int, rows: Callable[[], int]) -> Iterator[Piece]:
    """A table in pieces of so many rows; one that is empty if there are none."""
    at, size = done, len(table)
    while True:
        part = table.slice(at, rows())
        at += len(part)
        yield Piece(part, group, at, at >= size)
        if at >= size:
            return


def parquet_facts(file: File, wanted: Wanted) -> tuple[int, int, tuple[int, int] | None]:
    """Row groups, rows, and the least and greatest id as the metadata of a Parquet file have it."""
    import pyarrow.parquet as pq

    with damage(file, "Parquet"):
        stored = pq.ParquetFile(file.seekable())
        pair = columns_of(file, wanted, stored.schema_arrow)
        meta, bounds = stored.metadata, cast(list[tuple[Any, Any]], [])
        at = {meta.schema.column(i).path: i for i in range(meta.num_columns)}
        for group in range(meta.num_row_groups):
            for name in pair:
                found: Any = meta.row_group(group).column(at[name]).statistics
                usable = found is not None and found.has_min_max
                bounds.append((found.min, found.max) if usable else (None, None))
    whole = all(isinstance(low, int) for low, _ in bounds) and bounds
    span = (min(low for low, _ in bounds), max(high for _, high in bounds)) if whole else None
    return meta.num_row_groups, meta.num_rows, span


def check_sides(path: str, wanted: Wanted) -> None:
    """Raise an InputError if columns of ids are named that an edge of this file cannot have."""
    source, destination = wanted.source, wanted.destination
    if not (isinstance(source, list) or isinstance(destination, list)):
        return
    lists = isinstance(source, list) and isinstance(destination, list)
    if not (lists and source and len(source) == len(destination or []) and source != destination):
        raise InputError(
            f"{path}: source={source!r} and destination={destination!r} are not two ends of an"
            " edge: name different columns of ids, as many on each side"
        )
    if wanted.format not in IN_PIECES:
        raise InputError(
            f"{path} is {wanted.format}, whose ids are one column a side, not"
            f" source={source!r}: ids of several columns are read from {', '.join(IN_PIECES)}"
        )


def read_pieces(
    file: File,
    wanted: Wanted,
    group: int,
    done: int,
    rows: Callable[[], int],
    text: list[bool] | None,
    read: RowGroups | None = None,
) -> Iterator[Piece]:
    """The edges of an open file from a place on, at most so many rows at a time.

    Parameters
    ----------
    file, wanted
        The file, and its format and columns.
    group, done : int
        The first row group or batch to be read, and the rows of it to be left.
    rows : callable
        Says how many rows a piece may have; asked again and again.
    text : list of bool, optional
        Of text: for each column of an id, whether all of it are strings.
    read : callable, optional
        What reads row groups of a Parquet file of this machine as frames: called with its path,
        columns and groups.
    """
    check_sides(file.path, wanted)
    if wanted.format == "parquet" and read is not None:
        yield from group_pieces(file, wanted, group, done, rows, read)
    elif wanted.format == "parquet":
        yield from parquet_pieces(file, wanted, group, done, rows)
    elif wanted.format == "arrow":
        yield from arrow_pieces(file, wanted, group, done, rows)
    elif wanted.format in IN_PIECES:
        yield from text_pieces(file, wanted, text, done, rows)
    else:
        table, vertices = WHOLE[wanted.format](file, wanted)
        vertices = None if done else vertices
        for piece in sliced(table, 0, done, rows):
            yield Piece(piece.table, 0, piece.rows, piece.whole, vertices)
            vertices = None
