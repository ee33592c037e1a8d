"""Fragments: a pyarrow dataset, row group by row group where it has them."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

from .. import frames
from ..columns import Content
from ..errors import CcRapidsError, CheckpointError, FormatError, MissingColumnError, unknown
from ..formats import Mark, Taken, mark_of, place_of, unchanged
from ..frames import Side
from .entries import IN_MEMORY, Entry, arranged, more_of
from .kinds import Chunk, Cursor, Texts, flat
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
        self.taken = [Taken("dataset", tuple(self.columns), None)]
        for name in self.columns:
            if name not in dataset.schema.names:
                raise MissingColumnError(unknown("column", name, dataset.schema.names))
        self.filtered = bool(getattr(dataset, "_scan_options", None))
        self.files = files_of(dataset)
        self.marks = [file and file.mark() for file in self.files]
        self.order = list(range(len(self.files)))

    def read(self, start: Cursor, budget: Budget, text: Texts) -> Generator[Chunk, None, None]:
        """The batches of each row group, of which the rows that are done are left."""
        fragments = self._fragments()
        if not fragments:
            yield self._end(start)
        for file, (fragment, own) in enumerate(fragments):
            if file < start.file:
                continue
            last: Chunk | None = None
            with ExitStack() as held:
                for k in own:
                    held.enter_context(_unchanged(self.files[k], self.marks[k]))
                held.enter_context(_readable(getattr(fragment, "path", "a file of the dataset")))
                check_columns(fragment, self.columns)
                for number, piece in enumerate(_groups(fragment)):
                    if (file, number) >= start[:2]:
                        done = start.rows if (file, number) == start[:2] else 0
                        for chunk in self._piece(file, number, piece, done, budget):
                            if last is not None:
                                yield last
                            last = None if chunk.after.rows else chunk  # the end of a row group
                            if last is None:
                                yield chunk
            if last is not None:
                yield replace(last, after=Cursor(file + 1))

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

    def _fragments(self) -> list[tuple[Any, list[int]]]:
        """The fragments, each with the places of its files; a dataset with a filter is a single
        one, for PyArrow takes it as such.
        """
        if self.filtered:
            return [(self.dataset, self.order)]
        pieces = list(self.dataset.get_fragments())
        return [(pieces[k], [k]) for k in self.order]

    def identity(self) -> dict[str, Any]:
        """The files with size and time, and a hash of what is in memory; types and filter."""
        options = getattr(self.dataset, "_scan_options", None) or {}
        kinds = [f"{name}: {self.dataset.schema.field(name).type}" for name in self.columns]
        return {
            "kind": "dataset",
            "schema": ", ".join(kinds),
            "filter": str(options.get("filter", "none")),
            "files": [self._entries[k] for k in self.order],
        }

    @cached_property
    def _entries(self) -> list[Entry]:
        """The files as they were listed."""
        pieces = [self.dataset] if self.filtered else list(self.dataset.get_fragments())
        entries = []
        for k, (file, mark) in enumerate(zip(self.files, self.marks, strict=True)):
            known = file and [file.name, *(mark[:2] if mark else (0, ""))]
            entries.append(known or _in_memory(pieces[k], *self.names, self.columns))
        return entries

    def going_on(self, theirs: dict[str, Any]) -> tuple[Fragments, str]:
        """The files of an identity first, in its order, and then all others; and how many these
        are, in words.
        """
        self.order = arranged(self._entries, theirs["files"])
        more = more_of(self.order, theirs["files"], "file")
        if self.filtered and (more or self.order != sorted(self.order)):
            raise CheckpointError("a filtered dataset is one piece, and has other files now")
        return self, more

    def measure(self) -> dict[str, Any]:
        """The rows that metadata tell of; of a dataset with a filter they do not."""
        pieces = [piece for piece, _ in self._fragments()]
        return {"pieces": len(pieces), "edges": _rows(pieces), "span": None}


class Located(NamedTuple):
    """A file of a dataset: its path, and the file system of PyArrow's where that is."""

    path: str
    system: Any

    @property
    def name(self) -> str:
        """What it is called from wherever this process is."""
        return os.path.abspath(self.path) if self.system.type_name == "local" else self.path

    def mark(self) -> Mark | None:
        """Its mark; a FormatError if there is no such file."""
        try:
            if self.system.type_name == "local":
                return mark_of(self.path)
            info = self.system.get_file_info(self.path)
        except OSError as error:
            raise FormatError(f"{self.path} cannot be read: {error.strerror or error}") from error
        if not info.is_file:
            raise FormatError(f"{self.path} cannot be read: there is no such file")
        return Mark(info.size or 0, str(info.mtime_ns or ""))


def files_of(dataset: Any) -> list[Located | None]:
    """The file of each fragment; None for one that is in memory."""
    if hasattr(dataset, "children"):
        return [file for child in dataset.children for file in files_of(child)]
    if getattr(dataset, "_scan_options", None):  # of which PyArrow gives no fragments
        system = getattr(dataset, "filesystem", None)
        return [Located(path, system) for path in getattr(dataset, "files", [])] or [None]
    return [
        Located(piece.path, piece.filesystem) if getattr(piece, "path", "") else None
        for piece in dataset.get_fragments()
    ]


def check_columns(piece: Any, columns: list[str]) -> None:
    """Raise a MissingColumnError if a file of a dataset, or a fragment, lacks one of the columns:
    it names the file, which PyArrow would read as nulls.
    """
    for path, own in _columns_within(piece):
        for name in columns:
            place_of(path, list(dict.fromkeys(own)), name)


def _columns_within(piece: Any) -> Iterator[tuple[str, list[str]]]:
    """The path and the columns of each file, those that its path says among them."""
    import pyarrow.dataset as pads

    if hasattr(piece, "physical_schema"):
        keys = pads.get_partition_keys(piece.partition_expression)
        yield getattr(piece, "path", "the dataset"), [*piece.physical_schema.names, *keys]
    elif hasattr(piece, "children"):
        for child in piece.children:
            yield from _columns_within(child)
    elif not getattr(piece, "_scan_options", None):
        for fragment in piece.get_fragments():
            yield from _columns_within(fragment)
    else:  # of which PyArrow gives no fragments
        keys = piece.partitioning.schema.names if getattr(piece, "partitioning", None) else []
        for path in getattr(piece, "files", []):
            schema = piece.format.make_fragment(path, piece.filesystem).physical_schema
            yield path, [*schema.names, *keys]


@contextmanager
def unchanged_files(dataset: Any) -> Iterator[None]:
    """Return a context in which a dataset is read: see :func:`cc_rapids.formats.unchanged`."""
    with ExitStack() as held:
        for file in files_of(dataset):
            held.enter_context(_unchanged(file, file and file.mark()))
        held.enter_context(_readable("a file of the dataset"))
        yield


def _unchanged(file: Located | None, mark: Mark | None) -> AbstractContextManager[None]:
    return unchanged(file.path, mark, lambda _: file.mark()) if file else nullcontext()


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """What PyArrow raises of files that it cannot read, as an error that names them."""
    import pyarrow as pa

    try:
        yield
    except CcRapidsError:
        raise
    except (OSError, pa.ArrowException) as error:
        raise FormatError(f"{name} cannot be read: {error}") from error


def _in_memory(fragment: Any, source: Side, destination: Side, columns: list[str]) -> Entry:
    """What is in memory, by its rows and a hash of its columns."""
    import pyarrow as pa

    content, rows = Content(), 0
    for batch in fragment.to_batches(columns=columns):
        table = pa.Table.from_batches([batch])
        content.add(frames.read(table, source, destination, None, None, "drop").columns)
        rows += len(batch)
    return [f"{rows:,}{IN_MEMORY}", 0, content.digest()]


def _groups(fragment: Any) -> list[Any]:
    split = getattr(fragment, "split_by_row_group", None)
    return list(split()) if split else [fragment]


def _rows(pieces: list[Any]) -> int | None:
    counts = [getattr(piece, "metadata", None) for piece in pieces]
    if any(count is None for count in counts):
        return None
    return sum(int(count.num_rows) for count in counts if count is not None)
