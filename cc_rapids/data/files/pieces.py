"""Split files into pieces that are read in order, from any position."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ..lazy import pa

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .input_file import File

RowGroups = Callable[[str, list[str], list[int]], Any]


class Place(NamedTuple):
    """The position from which a file is read, and options of reading.

    ``read_groups(path, columns, groups)`` reads row groups of a local Parquet file as a frame.
    """

    group: int  # the first row group or record batch to read
    done: int  # the number of its rows to skip
    rows: Callable[[], int]  # returns the maximum number of rows of the next piece
    text: Sequence[bool | None] | None = None  # whether each column of an id is text; None: unknown
    read_groups: RowGroups | None = None


@dataclass(frozen=True)
class Piece:
    """A part of the edges of a file.

    If there is a ``load``, the table is empty, and any thread may call ``load()`` to get the rows.
    """

    table: Any  # a PyArrow table of ids and weights
    group: int  # the number of the row group or record batch where this piece ends
    rows: int  # the number of rows of this group up to the end of this piece
    whole: bool  # whether the group ends with this piece
    vertices: range | None = None  # all vertices, if the file lists or counts them
    load: Callable[[], Any] | None = None
    skipped: int = 0  # the number of rows in groups that a bound on weights excludes


def sliced(
    file: File, table: pa.Table, group: int, done: int, rows: Callable[[], int]
) -> Iterator[Piece]:
    """Yield a table after its first ``done`` rows, in pieces of ``rows()`` rows.

    If the file has a memory limit, this limit determines the number of rows instead. If no rows
    remain, one empty piece is yielded.
    """
    end, size = done, len(table)
    if file.budget is not None and size:
        rows = partial(file.budget.fitting_rows, table.nbytes / size)
    while True:
        part = table.slice(end, rows())
        end += len(part)
        yield Piece(part, group, end, whole=end >= size)
        if end >= size:
            return


def pieces_of_groups(
    file: File,
    place: Place,
    tables: Callable[[int], Iterable[pa.Table]],
    empty: pa.Table,
    excluded: Collection[int] = (),
) -> Iterator[Piece]:
    """Yield the row groups of a file, starting at ``place``.

    The numbers of rows of all groups are known. ``tables`` returns the rows of a group in one or
    more tables. Groups that are ``excluded`` are not read. ``empty`` is a table without rows.
    """
    if place.group >= len(file.groups):  # no rows remain
        yield Piece(empty, place.group, rows=0, whole=False)
    for group in range(place.group, len(file.groups)):
        size, done = file.groups[group], place.done if group == place.group else 0
        if group in excluded or not size:
            yield Piece(empty, group, size, whole=True, skipped=max(0, size - done))
            continue
        end = 0
        for table in tables(group):
            start, end = end, end + len(table)
            table = table.slice(max(0, done - start))  # without the finished rows
            if len(table) or end == size:
                yield Piece(table, group, end, whole=end == size)


def has_ids(table: pa.Table) -> bool:
    """Return whether a table has an id that is not null, so that the types of ids are known."""
    return any(len(ids) > ids.null_count for ids in table.columns)
