"""Fragments: a pyarrow dataset, row group by row group where it has them."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

from ..catalog import unknown
from ..errors import MissingColumnError
from ..frames import Side
from .kinds import Chunk, Cursor, flat
from .memory import FILE_BYTES, Budget


class Fragments:
    """The fragments of a dataset; of its columns those of the ids are read."""

    threaded = True
    fixed = FILE_BYTES
    readers = 1
    arrow = True

    def __init__(self, dataset: Any, source: Side, destination: Side) -> None:
        self.dataset, self.names = dataset, (source, destination)
        self.columns = flat(source, destination)
        for name in self.columns:
            if name not in dataset.schema.names:
                raise MissingColumnError(unknown("column", name, dataset.schema.names))
        self.filtered = bool(getattr(dataset, "_scan_options", None))

    def read(
        self, start: Cursor, budget: Budget, text: bool | None
    ) -> Generator[Chunk, None, None]:
        """The batches of each row group, of which the rows that are done are left."""
        fragments = self._fragments()
        if not fragments:
            yield self._end(start)
        for file, fragment in enumerate(fragments):
            if file < start.file:
                continue
            groups = _groups(fragment)
            for number, piece in enumerate(groups):
                if (file, number) >= start[:2]:
                    done = start.rows if (file, number) == start[:2] else 0
                    yield from self._piece(file, number, piece, done, budget)

    def _piece(
        self, file: int, number: int, piece: Any, done: int, budget: Budget
    ) -> Iterator[Chunk]:
        import pyarrow as pa

        batches = piece.to_batches(
            columns=self.columns,
            batch_size=budget.rows,
            batch_readahead=1,
            fragment_readahead=1,
            **({} if self.filtered else {"schema": self.dataset.schema}),
        )
        at = 0
        for batch in batches:
            begin, at = at, at + len(batch)
            table = pa.Table.from_batches([batch]).slice(max(0, done - begin))
            for first in range(0, len(table), budget.rows):
                part = table.slice(first, budget.rows)
                after = Cursor(file, number, at - len(table) + first + len(part))
                yield Chunk(part, *self.names, after)
        yield self._end(Cursor(file, number + 1))

    def _end(self, after: Cursor) -> Chunk:
        """No rows more of what has been read."""
        none = self.dataset.schema.empty_table().select(self.columns)
        return Chunk(none, *self.names, after)

    def _fragments(self) -> list[Any]:
        """The fragments; a dataset with a filter is a single one, for PyArrow takes it as such."""
        return [self.dataset] if self.filtered else list(self.dataset.get_fragments())

    def identity(self) -> Any:
        """The paths of the fragments, and the columns."""
        paths = [str(getattr(piece, "path", "")) for piece in self._fragments()]
        return [paths, str(self.dataset.schema), str(getattr(self.dataset, "_scan_options", None))]

    def measure(self) -> dict[str, Any]:
        """The rows that metadata tell of; of a dataset with a filter they do not."""
        pieces = self._fragments()
        return {"pieces": len(pieces), "edges": _rows(pieces), "span": None}


def _groups(fragment: Any) -> list[Any]:
    split = getattr(fragment, "split_by_row_group", None)
    return list(split()) if split else [fragment]


def _rows(pieces: list[Any]) -> int | None:
    counts = [getattr(piece, "metadata", None) for piece in pieces]
    if any(count is None for count in counts):
        return None
    return sum(int(count.num_rows) for count in counts if count is not None)
