"""Pieces of files that are read one after the other, and the place from which one is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from .input_file import File


RowGroups = Callable[[str, list[str], list[int]], Any]


class Place(NamedTuple):
    """The place from which a file is read, and how.

    ``group`` is the first row group or batch, and ``done`` the rows of it to be left. ``rows`` says
    how many rows a piece may have, and is asked again and again. ``text`` says of text for each
    column of an id whether all of it are strings, None where it is not known. ``read_groups``
    reads row groups of a Parquet file of this machine as frames: it is called with the path,
    columns and groups.
    """

    group: int
    done: int
    rows: Callable[[], int]
    text: Sequence[bool | None] | None = None
    read_groups: RowGroups | None = None


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


def has_ids(table: pa.Table) -> bool:
    """Return whether some id of a table is not null, so that its types are those of ids."""
    return any(len(ids) > ids.null_count for ids in table.columns)
