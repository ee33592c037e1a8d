"""Items: an iterable of frames or pairs of arrays, one after the other."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from ..formats import Taken
from ..frames import Side
from .kinds import Chunk, Cursor, Texts, is_reader
from .memory import FILE_BYTES, Budget


class Items:
    """Frames, pairs of arrays or record batches as they come.

    A resumed run takes the rows that are done from the iterable again, as old ones.
    """

    fixed = FILE_BYTES
    readers = 1
    arrow = False

    def __init__(self, items: Any, source: Side, destination: Side) -> None:
        self.items, self.names = items, (source, destination)
        self.taken: list[Taken] = []
        self.threaded = is_reader(items)  # an iterator of others may be bound to its thread

    def read(self, start: Cursor, budget: Budget, text: Texts) -> Generator[Chunk, None, None]:
        """The items, those that are larger than a chunk in slices."""
        number = -1
        for number, item in enumerate(self.items):
            item = _table(item)
            at, size, first = 0, length(item), True
            done = size if number < start.file else start.rows if number == start.file else 0
            while at < size or first:
                end = min(size, at + budget.rows, done if at < done else size)
                after = Cursor(number + 1) if end == size else Cursor(number, 0, end)
                old = number < start.file or (end <= done and end > 0)
                yield Chunk(sliced(item, at, end), *self.names, after, old=old)
                at, first = end, False
        if number < 0 and is_reader(self.items):
            yield Chunk(self.items.schema.empty_table(), *self.names, start)

    def identity(self) -> dict[str, Any]:
        """Nothing but that it is an iterable: what it will yield is not known."""
        return {"kind": "iterable"}

    def going_on(self, theirs: dict[str, Any]) -> tuple[Items, str]:
        """Itself: what it has beyond a checkpoint is known once it has been read."""
        return self, ""

    def measure(self) -> dict[str, Any]:
        """The rows, if the items are in a list."""
        if isinstance(self.items, list):
            count = len(self.items)
            return {"pieces": count, "edges": sum(map(length, self.items)), "span": None}
        return {"pieces": None, "edges": None, "span": None}


def _table(item: Any) -> Any:
    """A record batch as a table, and all others as they are."""
    if type(item).__module__.startswith("pyarrow") and type(item).__name__ == "RecordBatch":
        import pyarrow as pa

        return pa.Table.from_batches([item])
    return item


def length(item: Any) -> int:
    """The rows of a frame or of a pair of arrays."""
    if isinstance(item, tuple | list):
        return len(item[0]) if len(item) == 2 and hasattr(item[0], "__len__") else 0
    return len(item) if hasattr(item, "__len__") else 0


def sliced(item: Any, start: int, end: int) -> Any:
    """Some rows of a frame or of a pair of arrays, not copied where its library can help it."""
    if start == 0 and end >= length(item):
        return item
    if isinstance(item, tuple | list):
        return tuple(sliced_column(column, start, end) for column in item)
    return sliced_column(item, start, end)


def sliced_column(column: Any, start: int, end: int) -> Any:
    """Some rows of a frame, column or array."""
    if hasattr(column, "iloc"):
        return column.iloc[start:end]
    if hasattr(column, "slice"):
        return column.slice(start, end - start)
    return column[start:end]
