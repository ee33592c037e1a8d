"""The edges that the caller gave, checked, and how answers go back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..errors import InputError
from .column import Column, Lending


class Labels(NamedTuple):
    """The label columns for callers who gave arrays: two arrays of one length."""

    vertex: Any
    labels: Any


class Sizes(NamedTuple):
    """The components for callers who gave arrays: two arrays of one length, largest first."""

    labels: Any
    size: Any


class Members(NamedTuple):
    """The vertices of the components, one after the other, for callers who gave arrays."""

    labels: Any
    vertex: Any


class Histogram(NamedTuple):
    """The number of components of each size, for callers who gave arrays."""

    size: Any
    components: Any


class Merges(NamedTuple):
    """Components that merge between thresholds, for callers who gave arrays."""

    threshold: Any
    before: Any
    after: Any
    size: Any


class SpanningForest(NamedTuple):
    """The edges of a spanning forest, for callers who gave arrays: rows of theirs, and the ends."""

    row: Any
    source: Any
    destination: Any


@dataclass(frozen=True)
class EdgeInput:
    """Edges that the caller gave, checked: two columns, and how answers go back.

    Of an adjacency list both columns are its indices, and ``row_offsets`` say where each row
    begins; ``symmetric`` says that every edge stands in the rows of both its ends. ``row_index``
    gives the row numbers of the edges, if some were dropped, and ``taken`` says how files were
    read.
    """

    src: Column
    dst: Column
    make_frame: Callable[[dict[str, Any]], Any]
    on_device: bool
    vertices: Column | range | None = None
    dropped_rows: int = 0
    vertices_are_dense_range: bool = False
    row_offsets: Column | None = None
    symmetric: bool = False
    row_index: Callable[[], Any] | None = None
    taken: tuple[Any, ...] = ()

    @property
    def columns(self) -> list[Column]:
        """All columns of ids."""
        named = [self.vertices] if isinstance(self.vertices, Column) else []
        return [self.src, self.dst, *named]

    @contextmanager
    def borrow(self) -> Iterator[tuple[list[Any], list[Any]]]:
        """Lend the columns for a ``with`` block: arrays or native strings, and the row offsets.

        Of the offsets of the rows there is one column, or none.
        """
        columns, starts = self.columns, [self.row_offsets] if self.row_offsets else []
        with Lending([*columns, *starts]) as lent:
            yield lent[: len(columns)], lent[len(columns) :]

    def changed(self) -> InputError:
        """Return the error for ids, or rows, that were others when they were read again."""
        starts = [self.row_offsets] if self.row_offsets is not None else []
        names = dict.fromkeys(column.name for column in [*starts, *self.columns])
        return InputError(
            f"{' or '.join(map(repr, names))} changed while it was read: it named other vertices"
            " the second time; give a copy, or wait until what writes to it is done"
        )
