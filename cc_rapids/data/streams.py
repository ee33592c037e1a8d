"""Streams of edges: files, patterns, addresses, datasets, and iterables of frames, chunk by chunk.

Each file is read in pieces where its format allows it, and chunks are read in background threads
while another is linked. A checkpoint knows files by entries, which tell whether they are the same.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from queue import SimpleQueue
from threading import Semaphore, Thread
from typing import Any, NamedTuple, Protocol, Self, cast

from ..errors import (
    CapacityError,
    CcRapidsError,
    CheckpointError,
    FormatError,
    InputError,
    MissingColumnError,
    NullsError,
    counted,
    unknown,
)
from . import read as frames
from .column import Content
from .edge_input import EdgeInput, ReadRequest, Side, named
from .files.header import DELIMITERS, check_header, edge_columns, place_of
from .files.input_file import ColumnRequest, File, Mark, files_in, format_of, mark_of, unchanged
from .files.read import (
    IN_PIECES,
    RowGroups,
    Taken,
    check_path,
    parquet_facts,
    read_pieces,
    read_wanted,
)
from .files.text_ids import is_text
from .memory_budget import FILE_BYTES, TEXT_BYTES, Budget
from .pair_lists import check_columns_of_tuple, columns_of_pairs
from .read import adapter_of, check_header_flag
from .relations import is_relation, table_of


def flat(source: Side, destination: Side) -> list[str]:
    """Return the distinct columns of both sides."""
    sides = (side if isinstance(side, list) else [side] for side in (source, destination))
    return list(dict.fromkeys(name for side in sides for name in side))


Texts = bool | list[bool] | None


class Cursor(NamedTuple):
    """A place in a stream: the files (or items) done, and the row groups and rows in the next."""

    file: int = 0
    group: int = 0
    rows: int = 0


@dataclass(frozen=True)
class Chunk:
    """Some edges of a stream: a frame or pair, its column names, and the place after it.

    ``vertices`` are all vertices of the file, where that says how many there are. A chunk that is
    ``old`` was linked before a resumed run began, and is only compared with what it was. Where
    there is a ``load``, that gives the rows, in any thread, and the frame has none. ``path`` is the
    file, empty for data in memory, and ``first`` the row of it that comes first, None if unknown.
    """

    frame: Any
    source: Side
    destination: Side
    after: Cursor
    vertices: range | None = None
    old: bool = False
    load: Callable[[], Any] | None = None
    path: str = ""
    first: int | None = None

    def loaded(self) -> Chunk:
        """Return the chunk with its frame loaded."""
        return self if self.load is None else replace(self, frame=self.load(), load=None)

    def read(self, nulls: str, vertices: Any = None) -> EdgeInput:
        """Return the edges, checked; an error for nulls names the file and the first row."""
        with self.naming_nulls():
            ends = self.source, self.destination
            return frames.read(self.frame, *ends, vertices, None, nulls)

    @contextmanager
    def naming_nulls(self) -> Iterator[None]:
        """Return a context in which errors for nulls name the file and the first row."""
        try:
            yield
        except NullsError as error:
            if not self.path:
                raise
            row = self._first_null()
            at = "" if row is None else f", row {row:,} (from 0)"
            raise NullsError(f"{self.path}{at}: {error}") from None

    def _first_null(self) -> int | None:
        """Return the first row of the file with a null; None if it is unknown, as on a GPU."""
        if self.first is None or not hasattr(self.frame, "column_names"):
            return None
        import pyarrow.compute as pc

        columns = (self.frame[name] for name in flat(self.source, self.destination))
        rows = [pc.index(pc.is_null(column), True).as_py() for column in columns]
        return self.first + min((row for row in rows if row >= 0), default=0)


class Source(Protocol):
    """A source of chunks of edges."""

    threaded: bool
    arrow: bool

    @property
    def taken(self) -> list[Taken]:
        """The ways in which the files so far were read, each once."""

    @property
    def rows(self) -> int | None:
        """The edges of which a bound on weights keeps some: those read so far, or of all files."""

    @property
    def readers(self) -> int:
        """The number of threads that read chunks at the same time."""

    @property
    def fixed(self) -> int:
        """The bytes that reading takes beside the chunks."""

    def read(self, start: Cursor, budget: Budget, text: Texts) -> Generator[Chunk, None, None]:
        """Yield the chunks from a place on, each with a maximum number of rows.

        ``text`` says whether ids are strings, where that is known: for each column, of several.
        """

    def identity(self) -> dict[str, Any]:
        """Return the identity of this input, as JSON values.

        ``kind`` is the source's.
        """

    def going_on(self, theirs: dict[str, Any]) -> tuple[Source, str]:
        """Return the input in the order of an identity, and a description of what was added.

        Raises
        ------
        CheckpointError
            It is another input; says which part differs.
        """

    def read_by(self, read_groups: RowGroups | None) -> Source:
        """Return the source with the function that reads Parquet files to a GPU, if there is one.

        Only files by paths are read by it.
        """

    def measure(self) -> dict[str, Any]:
        """Return the pieces, edges and range of ids if known without reading, else None."""


class _OnHost:
    """Base of sources that are read where they lie, and not to a GPU."""

    def read_by(self, read_groups: RowGroups | None) -> Self:
        """Return the source itself."""
        return self


def dataset_columns(dataset: Any, source: Any, destination: Any) -> tuple[Any, Any]:
    """Return the columns of a dataset, chosen as those of a file."""
    if isinstance(source, list) or isinstance(destination, list):
        return source, destination
    names = dataset.schema.names
    ends = edge_columns("the dataset", names, source, destination)
    return names[ends[0]], names[ends[1]]


def source_of(
    edges: Any,
    source: Side | None,
    destination: Side | None,
    header: bool | None = None,
) -> Source:
    """Return the source for streamed edges.

    ``header`` says of text files whether their first line names the columns.

    Raises
    ------
    InputError
        They are none.
    """
    named(source, destination)  # raises an error if these are not names
    adapter = adapter_of(edges)
    if header is not None:
        header = check_header_flag(adapter, edges, header)
    request = ReadRequest(source, destination, header=header)
    return adapter.source(edges, request)


Entry = list[Any]  # of path, size and time of change, as JSON has them
IN_MEMORY = " rows in memory"  # behind their number, in place of a path: the time is then a hash


def arranged(mine: list[Entry], theirs: list[Entry]) -> list[int]:
    """Return the places of a checkpoint's entries among the current ones, and those of all others.

    Raises
    ------
    CheckpointError
        One of the checkpoint's is not there, or is another; says which.
    """
    left: dict[str, list[int]] = {}
    for place, entry in enumerate(mine):
        left.setdefault(entry[0], []).append(place)
    order = []
    for entry in theirs:
        places = left.get(entry[0], [])
        same = [place for place in places if mine[place] == entry]
        if not same:
            raise CheckpointError(_difference(entry, mine[places[0]] if places else None))
        order.append(same[0])
        places.remove(same[0])
    return order + sorted(place for places in left.values() for place in places)


def _difference(then: Entry, now: Entry | None) -> str:
    """Return a description of how an entry has changed."""
    if then[0].endswith(IN_MEMORY):
        return f"{then[0]} then, and {'others' if now else 'not as many'} now"
    after = f"has {Mark(*now[1:])} now" if now else "is not among the files now"
    return f"{then[0]} had {Mark(*then[1:])} then, and {after}"


def more_of(order: list[int], theirs: list[Entry], what: str) -> str:
    """Return a description of the entries added since a checkpoint; empty if none."""
    more = len(order) - len(theirs)
    return f"{counted(more, what)} more" if more else ""


WHOLE = 8  # bytes in memory for each byte of a file that is read whole


@dataclass(frozen=True)
class Files:
    """Some files, in the order of their names or as they were listed.

    ``marks`` are those of the files when they were listed: one that is another when it is opened,
    or when it has been read, is refused by a ChangedFileError. ``names`` are the columns that were
    asked for, None where they were not. ``read_groups`` reads the row groups of Parquet files to a
    GPU, if that is where they go. ``header`` says of text files whether their first line names the
    columns, ``taken`` how files were read so far, and ``facts`` what :meth:`measure` has found.
    """

    paths: list[str]
    marks: list[Mark | None]
    names: tuple[Side | None, Side | None]
    read_groups: RowGroups | None = None
    header: bool | None = None
    taken: list[Taken] = field(default_factory=list, compare=False)
    facts: dict[str, Any] = field(default_factory=dict, compare=False)

    threaded = True
    arrow = True
    rows = None

    @property
    def readers(self) -> int:
        """Two on a GPU, so that one prepares reads while the device decodes for the other."""
        return 1 if self.read_groups is None else 2

    @classmethod
    def of(
        cls,
        edges: Any,
        source: Side | None,
        destination: Side | None,
        header: bool | None = None,
    ) -> Files:
        """Return the files of paths and patterns.

        Raises
        ------
        FormatError
            There is none, or one is of no known format.
        InputError
            There is a header and none of the files is text.
        """
        listed = edges if isinstance(edges, list) else [edges]
        paths = [path for item in listed for path in expanded(os.fspath(item))]
        check_header(header, paths, [format_of(Path(path)) for path in paths])
        marks = [_mark(path) for path in paths]
        return cls(paths, marks, (source, destination), header=header)

    @property
    def fixed(self) -> int:
        """The bytes that reading takes beside the chunks."""
        text = any(format_of(Path(path)) in ("csv", "tsv", "snap") for path in self.paths)
        packed = any(format_of(Path(p)) in ("parquet", "arrow") and _packed(p) for p in self.paths)
        largest = max((mark.size for mark in self.marks if mark), default=0) if packed else 0
        return (TEXT_BYTES if text else FILE_BYTES) + WHOLE * largest

    def read(self, start: Cursor, budget: Budget, text: Texts) -> Generator[Chunk, None, None]:
        """Yield the pieces of all files from a place on."""
        text = [text] if isinstance(text, bool) else text
        for number in range(start.file, len(self.paths)):
            begin = start if number == start.file else Cursor(number)
            for chunk in self._pieces(number, begin, budget, text):
                if text is None and (chunk.load or len(chunk.frame)):
                    text = text_of(chunk.frame, chunk.source, chunk.destination)
                yield chunk

    def _pieces(
        self, number: int, begin: Cursor, budget: Budget, text: list[bool] | None
    ) -> Iterator[Chunk]:
        path = self.paths[number]
        last: Chunk | None = None
        first = None if begin.group or begin.rows else 0
        mark = self.marks[number]
        with opened(path, mark) as file:
            wanted = self._wanted(path)
            if wanted.format not in IN_PIECES and file.size * WHOLE > budget.free_bytes:
                raise CapacityError(
                    f"{path} of {budget.in_words(file.size)} is {wanted.format}, which is read as a"
                    f" whole, and takes about {budget.in_words(WHOLE * file.size)}: raise"
                    " memory_limit, or convert it (cc-rapids convert) to Parquet"
                )
            plain = "://" in path or _packed(path)
            how = budget.next_rows, text, None if plain else self.read_groups
            for piece in read_pieces(file, wanted, begin.group, begin.rows, *how):
                if last is not None:
                    yield last
                after = Cursor(number, piece.group, piece.rows)
                if piece.whole:
                    after = Cursor(number, piece.group + 1)
                columns = piece.table.column_names
                taken = Taken(wanted.format, tuple(columns), file.header)
                if taken not in self.taken:
                    self.taken.append(taken)
                load = piece.load and partial(_loaded, path, mark, piece.load)
                source, destination = self.names
                if not (isinstance(source, list) and isinstance(destination, list)):
                    source, destination = columns[:2]
                last = Chunk(
                    *(piece.table, source, destination, after, piece.vertices),
                    load=load,
                    path=path,
                    first=first,
                )
                first = None if load or first is None else first + len(piece.table)
        if last is not None:  # with the last piece the file is done
            yield replace(last, after=Cursor(number + 1))

    def _wanted(self, path: str) -> ColumnRequest:
        kind = format_of(Path(path))
        return ColumnRequest(*self.names, kind, self.header if kind in DELIMITERS else None)

    def identity(self) -> dict[str, Any]:
        """Return path, size and time of change of each file."""
        return {"kind": "files", "files": self._entries()}

    def _entries(self) -> list[Entry]:
        return [
            [path if "://" in path else os.path.abspath(path), *(mark[:2] if mark else (0, ""))]
            for path, mark in zip(self.paths, self.marks, strict=True)
        ]

    def going_on(self, theirs: dict[str, Any]) -> tuple[Files, str]:
        """Return the files of an identity first, in its order, and then all others.

        With them how many these are, in words.
        """
        order = arranged(self._entries(), theirs["files"])
        paths, marks = [self.paths[k] for k in order], [self.marks[k] for k in order]
        return replace(self, paths=paths, marks=marks), more_of(order, theirs["files"], "file")

    def read_by(self, read_groups: RowGroups | None) -> Files:
        """Return the same files, listed and measured already, with what reads them to a GPU."""
        return replace(self, read_groups=read_groups)

    def measure(self) -> dict[str, Any]:
        """Return the pieces, edges and range of ids, as far as Parquet metadata contain them.

        They are read once.
        """
        if not self.facts:
            self.facts.update(self._measured())
        return self.facts

    def _measured(self) -> dict[str, Any]:
        pieces, edges, spans = 0, 0, []
        several = isinstance(self.names[0], list)
        for path, mark in zip(self.paths, self.marks, strict=True):
            if format_of(Path(path)) != "parquet":
                return {"pieces": len(self.paths), "edges": None, "span": None}
            with opened(path, mark) as file:
                groups, rows, span = parquet_facts(file, self._wanted(path))
            pieces, edges = pieces + groups, edges + rows
            spans.append(span)
        known = [span for span in spans if span is not None]
        span = (min(s[0] for s in known), max(s[1] for s in known)) if known else None
        return {
            "pieces": pieces,
            "edges": edges,
            "span": span if len(known) == len(spans) and not several else None,
        }


INTEGER_BYTES, TEXT_ROW_BYTES = 100, 200  # for each row of a frame while it is solved
COPIES_OF_ROWS, COPIES_OF_TEXT = 3, 5  # of the columns themselves, put together, and as read


class Gathered(_OnHost):
    """A source of tables of which the first chunks are in memory: all, if they fit.

    Attributes
    ----------
    table : pyarrow.Table or None
        All rows, if they fit together with what solving them takes, and the tables of all chunks
        have the same types; columns have the names of the first chunk's.
    chunks : list of Chunk
        Those that have been read.
    """

    threaded = False

    def __init__(self, source: Source, budget: Budget) -> None:
        self.source, self.arrow = source, source.arrow
        self.readers, self.fixed = source.readers, source.fixed
        made = source.read(Cursor(), budget, None)
        self.rest = read_ahead(made, source.readers) if source.threaded else made
        self.chunks: list[Chunk] = []
        size, complete = 0, True
        for chunk in self.rest:
            self.chunks.append(chunk)
            size += _solving_bytes(chunk)
            if size > budget.limit:
                complete = False
                break
        self.table = _one_table(self.chunks) if complete else None

    @property
    def taken(self) -> list[Taken]:
        """The ways in which the files so far were read, each once."""
        return self.source.taken

    @property
    def rows(self) -> int | None:
        """The edges of which a bound on weights keeps some."""
        return self.source.rows

    def read(self, start: Cursor, budget: Budget, text: Texts) -> Generator[Chunk, None, None]:
        """Yield the chunks in memory, which are then dropped, and those after them."""
        with closing(self.rest):  # type: ignore[type-var]
            while self.chunks:
                yield self.chunks.pop(0)
            yield from self.rest

    def identity(self) -> dict[str, Any]:
        """Return that of the source."""
        return self.source.identity()

    def going_on(self, theirs: dict[str, Any]) -> tuple[Source, str]:
        """Return the source in the order of an identity."""
        return self.source.going_on(theirs)

    def measure(self) -> dict[str, Any]:
        """Return what is known of the source."""
        return self.source.measure()


def _solving_bytes(chunk: Chunk) -> int:
    """Estimate the memory that the rows of a chunk take in a frame that is solved."""
    rows, size = len(chunk.frame), int(getattr(chunk.frame, "nbytes", 0))
    if any(text_of(chunk.frame, chunk.source, chunk.destination)):
        return COPIES_OF_TEXT * size + TEXT_ROW_BYTES * rows
    return COPIES_OF_ROWS * size + INTEGER_BYTES * rows


def _one_table(chunks: list[Chunk]) -> Any:
    """Return the tables of all chunks as one, without copying; None if they have other types."""
    import pyarrow as pa

    if not chunks or any(chunk.vertices is not None for chunk in chunks):
        return None
    names, tables = flat(chunks[0].source, chunks[0].destination), []
    for chunk in chunks:
        own = flat(chunk.source, chunk.destination)
        if len(own) != len(names):
            return None
        tables.append(chunk.frame.select(own).rename_columns(names))
    if any(not table.schema.equals(tables[0].schema) for table in tables):
        return None
    return pa.concat_tables(tables).unify_dictionaries()


def text_of(table: Any, source: Side, destination: Side) -> list[bool]:
    """Return for each column of an id whether it is text."""
    sides = (side if isinstance(side, list) else [side] for side in (source, destination))
    pairs = zip(*sides, strict=True)
    return [any(is_text(table.schema.field(name).type) for name in pair) for pair in pairs]


def _packed(path: str) -> bool:
    return path.endswith((".gz", ".zst"))


def _remote(path: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path there; by fsspec."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise InputError(f"reading {path} needs fsspec: pip install fsspec") from None
    found: tuple[Any, str] = url_to_fs(path)
    return found


def expanded(path: str) -> list[str]:
    """Return the files of a path, folder or pattern, sorted by name.

    Raises
    ------
    FormatError
        No file matches.
    """
    check_path(path)
    pattern = any(letter in path for letter in "*?[")
    if "://" in path:
        system, inside = _remote(path)
        if not pattern:
            return [path]
        scheme = path.split("://")[0]
        found = sorted(f"{scheme}://{str(name).lstrip('/')}" for name in system.glob(inside))
        if scheme in ("file", "memory"):
            found = [name.replace("://", ":///") for name in found]
    else:
        found = sorted(glob.glob(path, recursive=True)) if pattern else [path]
        if os.path.exists(path):
            found = files_in(path) if os.path.isdir(path) else [path]
    if not found:
        raise FormatError(f"no file matches {path}")
    return found


def _mark(path: str) -> Mark | None:
    """Return the mark of a file, here or elsewhere."""
    try:
        if "://" not in path:
            return mark_of(path)
        system, inside = _remote(path)
        system.invalidate_cache(inside)  # a cached listing may be outdated
        info = system.info(inside)
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error.strerror or error}") from error
    times = (info.get(name) for name in ("ETag", "etag", "mtime", "LastModified", "created"))
    return Mark(int(info["size"] or 0), str(next((time for time in times if time), "")))


def _loaded(path: str, mark: Mark | None, load: Callable[[], Any]) -> Any:
    """Return the content loaded from the path of a file, in any thread."""
    with unchanged(path, mark, _mark):
        return load()


@contextmanager
def opened(path: str, mark: Mark | None = None) -> Iterator[File]:
    """Return a file, open for reading in a context, on this machine or elsewhere.

    Errors are those of formats. At its end the file has to be what it was when it was marked, or is
    now.
    """
    mark = mark or _mark(path)
    if "://" not in path and os.path.isdir(path):
        raise FormatError(f"{path} is a directory; name a file or a pattern")
    with unchanged(path, mark, _mark), _raw(path) as raw:
        yield File(path, cast(Any, raw), mark.size if mark else 0, None)


def _raw(path: str) -> Any:
    try:
        if "://" in path:
            system, inside = _remote(path)
            return system.open(inside, "rb")
        return open(path, "rb", buffering=0)
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error.strerror or error}") from error


class Fragments(_OnHost):
    """The fragments of a dataset, of which the columns of ids are read."""

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
        """Yield the batches of each row group, without the rows that are done."""
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
                path, first = getattr(fragment, "path", ""), 0
                for number, piece in enumerate(_groups(fragment)):
                    if (file, number) >= start[:2]:
                        done = start.rows if (file, number) == start[:2] else 0
                        for chunk in self._piece(file, number, piece, done, budget):
                            if last is not None:
                                yield last
                            last = None if chunk.after.rows else chunk  # the end of a row group
                            if last is None:
                                row = first + chunk.after.rows - len(chunk.frame)
                                yield replace(chunk, path=path, first=row)
                    first += sum(group.num_rows for group in getattr(piece, "row_groups", []))
            if last is not None:
                yield replace(last, after=Cursor(file + 1))

    @cached_property
    def rows(self) -> int | None:
        """The rows of all files by their metadata, of a dataset with a filter."""
        if not self.filtered or not getattr(self.dataset, "files", None):
            return None
        make, system = self.dataset.format.make_fragment, self.dataset.filesystem
        return _rows([make(path, system) for path in self.dataset.files])

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
        """Return the place after the last row that was read."""
        none = self.dataset.schema.empty_table().select(self.columns)
        return Chunk(none, *self.names, after)

    def _fragments(self) -> list[tuple[Any, list[int]]]:
        """Return the fragments, each with the places of its files.

        A dataset with a filter is a single one, for PyArrow takes it as such.
        """
        if self.filtered:
            return [(self.dataset, self.order)]
        pieces = list(self.dataset.get_fragments())
        return [(pieces[k], [k]) for k in self.order]

    def identity(self) -> dict[str, Any]:
        """Return the files with size and time, and a hash of data in memory.

        Types and filter.
        """
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
        """Return the files of an identity first, in its order, and then all others.

        With them how many these are, in words.
        """
        self.order = arranged(self._entries, theirs["files"])
        more = more_of(self.order, theirs["files"], "file")
        if self.filtered and (more or self.order != sorted(self.order)):
            raise CheckpointError("a filtered dataset is one piece, but its files have changed")
        return self, more

    def measure(self) -> dict[str, Any]:
        """Return the number of rows from metadata; unknown for a dataset with a filter."""
        pieces = [piece for piece, _ in self._fragments()]
        text = any(is_text(self.dataset.schema.field(name).type) for name in self.columns)
        return {"pieces": len(pieces), "edges": _rows(pieces), "span": None, "text": text}


class Located(NamedTuple):
    """A file of a dataset: its path, and its PyArrow file system."""

    path: str
    system: Any

    @property
    def name(self) -> str:
        """The full name of the file, independent of the current folder."""
        return os.path.abspath(self.path) if self.system.type_name == "local" else self.path

    def mark(self) -> Mark | None:
        """Return the mark of the file; raise a FormatError if it does not exist."""
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
    """Return the file of each fragment; None for one that is in memory."""
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
    """Raise a MissingColumnError if a file of a dataset, or a fragment, lacks one of the columns.

    It names the file, which PyArrow would read as nulls.
    """
    for path, own in _columns_within(piece):
        for name in columns:
            place_of(path, list(dict.fromkeys(own)), name)


def _columns_within(piece: Any) -> Iterator[tuple[str, list[str]]]:
    """Yield the path and the columns of each file, including partition columns of its path."""
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
    """Return a context in which a dataset is read: see :func:`cc_rapids.data.files.input_file`."""
    with ExitStack() as held:
        for file in files_of(dataset):
            held.enter_context(_unchanged(file, file and file.mark()))
        held.enter_context(_readable("a file of the dataset"))
        yield


def _unchanged(file: Located | None, mark: Mark | None) -> AbstractContextManager[None]:
    return unchanged(file.path, mark, lambda _: file.mark()) if file else nullcontext()


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """Turn PyArrow's errors on unreadable files into a FormatError that names them."""
    import pyarrow as pa

    try:
        yield
    except CcRapidsError:
        raise
    except (OSError, pa.ArrowException) as error:
        raise FormatError(f"{name} cannot be read: {error}") from error


def _in_memory(fragment: Any, source: Side, destination: Side, columns: list[str]) -> Entry:
    """Return the number of rows and a hash of the columns of data in memory."""
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


class Items(_OnHost):
    """An iterable of frames, tuples of two columns, lists of pairs or record batches.

    A resumed run takes the rows that are done from the iterable again, as old ones.
    """

    fixed = FILE_BYTES
    readers = 1

    def __init__(
        self,
        items: Any,
        source: Side,
        destination: Side,
        threaded: bool = False,
        closes: bool = False,
        arrow: bool = False,
    ) -> None:
        self.items, self.names = items, (source, destination)
        self.arrow = arrow or (isinstance(items, Weighed) and items.arrow)  # all are tables
        self.taken: list[Taken] = items.taken if isinstance(items, Weighed) else []
        self.threaded = threaded  # an iterator may be bound to its thread, a reader is not
        self.closes = closes  # a caller's own generator is left open, as a loop over it would

    @property
    def rows(self) -> int | None:
        """The edges that were read, if a bound on weights keeps some of them."""
        return self.items.rows if isinstance(self.items, Weighed) else None

    def read(self, start: Cursor, budget: Budget, text: Texts) -> Generator[Chunk, None, None]:
        """Yield the items, in slices if they are larger than a chunk; then close what is ours."""
        try:
            yield from self._chunks(start, budget)
        finally:
            if self.closes:
                self.items.close()

    def _chunks(self, start: Cursor, budget: Budget) -> Generator[Chunk, None, None]:
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
        if number < 0 and hasattr(self.items, "schema"):
            yield Chunk(self.items.schema.empty_table(), *self.names, start)

    def identity(self) -> dict[str, Any]:
        """Return the identity of an iterable, whose content is unknown in advance."""
        return {"kind": "iterable"}

    def going_on(self, theirs: dict[str, Any]) -> tuple[Items, str]:
        """Return the source itself, whose added items are known only after reading."""
        return self, ""

    def measure(self) -> dict[str, Any]:
        """Return the rows, if the items are in a list."""
        if isinstance(self.items, list):
            count = len(self.items)
            return {"pieces": count, "edges": sum(map(length, self.items)), "span": None}
        return {"pieces": None, "edges": None, "span": None}


def _table(item: Any) -> Any:
    """Return a record batch or a relation of DuckDB as a table, and pairs as two columns.

    Other edges are returned unchanged.
    """
    if isinstance(item, list):
        return columns_of_pairs(item)
    if isinstance(item, tuple):
        check_columns_of_tuple(item)
    if is_relation(item):
        return table_of(item)
    if type(item).__module__.startswith("pyarrow") and type(item).__name__ == "RecordBatch":
        import pyarrow as pa

        return pa.Table.from_batches([item])
    return item


def length(item: Any) -> int:
    """Return the rows of a frame, of a tuple of two columns, or of a list of pairs."""
    if isinstance(item, tuple):
        return len(item[0]) if len(item) == 2 and hasattr(item[0], "__len__") else 0
    return len(item) if hasattr(item, "__len__") else 0


def sliced(item: Any, start: int, end: int) -> Any:
    """Return some rows of a frame or a pair of arrays, without a copy where that is possible."""
    if start == 0 and end >= length(item):
        return item
    if isinstance(item, tuple):
        return tuple(sliced_column(column, start, end) for column in item)
    return sliced_column(item, start, end)


def sliced_column(column: Any, start: int, end: int) -> Any:
    """Return some rows of a frame, column or array."""
    if hasattr(column, "iloc"):
        return column.iloc[start:end]
    if hasattr(column, "slice"):
        return column.slice(start, end - start)
    return column[start:end]


class Weighed:
    """Frames or pairs, of each the edges within a bound of weights; an iterator.

    ``within`` gives these of one, ``taken`` is how files were read so far, and ``rows`` how many
    edges were, within the bound or not. ``arrow`` says that all are PyArrow's, of files or readers.
    """

    def __init__(
        self,
        items: Iterable[Any],
        within: Callable[[Any], Any],
        taken: list[Taken] | None = None,
        arrow: bool = False,
    ) -> None:
        self.items, self.within, self.arrow = iter(items), within, arrow
        self.taken: list[Taken] = [] if taken is None else taken
        self.rows = 0

    def __iter__(self) -> Weighed:
        return self

    def __next__(self) -> Any:
        item = next(self.items)
        self.rows += length(item)
        return self.within(item)


def weighed_files(
    edges: Any, request: ReadRequest, weight: str, taken: list[Taken]
) -> Iterator[Any]:
    """Return the files of a path, a pattern or a list of these as tables with a column of weights.

    See :meth:`cc_rapids.data.adapters.Adapter.weighed`.
    """
    paths = [
        path
        for item in (edges if isinstance(edges, list) else [edges])
        for path in expanded(os.fspath(item))
    ]
    check_header(request.header, paths, [format_of(path) for path in paths])
    asked = request.source, request.destination
    return _files(paths, asked, request.names, weight, request.header, taken)


def weighed_dataset(
    dataset: Any, request: ReadRequest, weight: str, taken: list[Taken]
) -> Iterator[Any]:
    """Return the batches of a dataset as tables with a column of weights."""
    chosen = dataset_columns(dataset, request.source, request.destination)
    columns = [*flat(*chosen), weight]
    for name in columns:
        place_of("the dataset", dataset.schema.names, name)
    taken.append(Taken("dataset", tuple(flat(*chosen)), None))
    return _dataset(dataset, columns, [*flat(*request.names), weight])


def _dataset(dataset: Any, columns: list[str], names: list[str]) -> Iterator[Any]:
    with unchanged_files(dataset):
        check_columns(dataset, columns)
        batches = dataset.scanner(columns=columns, batch_readahead=1).to_reader()
        yield from (table.rename_columns(names) for table in tables_of(batches))


def tables_of(reader: Any) -> Iterator[Any]:
    """Return the record batches of a reader, each as a table."""
    import pyarrow as pa

    for batch in reader:
        yield pa.Table.from_batches([batch])


def _files(
    paths: list[str],
    asked: tuple[Any, Any],
    names: tuple[Any, Any],
    weight: str,
    header: bool | None,
    taken: list[Taken],
) -> Iterator[Any]:
    text: list[bool] | None = None
    for path in paths:
        kind = format_of(Path(path))
        first_line = header if kind in DELIMITERS else None
        wanted = ColumnRequest(*asked, kind, first_line, True, weight, text, null_weights=True)
        file = read_wanted(path, wanted)
        if text is None and len(file.table):
            text = text_of(file.table, file.source, file.destination)
        if file.taken not in taken:
            taken.append(file.taken)
        named = file.table.column_names[:-1] if isinstance(asked[0], list) else names
        yield file.table.rename_columns([*named, weight])


def read_ahead(chunks: Generator[Chunk, None, None], readers: int = 1) -> Iterator[Chunk]:
    """Yield the chunks in order, loading each while earlier ones are used.

    At most ``readers`` chunks are loaded beside the one in use, each in one of ``readers`` threads.
    Errors of the generator of chunks are raised here. When this generator is closed, that one is
    closed too, at its next chunk.
    """
    ready: SimpleQueue[Future[Chunk] | None] = SimpleQueue()
    free = Semaphore(readers)
    stopped = False

    def make(pool: ThreadPoolExecutor) -> None:
        try:
            while True:
                free.acquire()
                chunk = None if stopped else next(chunks, None)
                if chunk is None:
                    break
                ready.put(pool.submit(chunk.loaded))
                del chunk
            ready.put(None)
        except BaseException as error:
            broken: Future[Chunk] = Future()
            broken.set_exception(error)
            ready.put(broken)
        finally:
            chunks.close()

    with ThreadPoolExecutor(readers, "cc_rapids loads") as pool:
        maker = Thread(target=make, args=(pool,), name="cc_rapids reads ahead", daemon=True)
        maker.start()
        try:
            while (found := ready.get()) is not None:
                chunk = found.result()
                del found
                free.release()
                yield chunk
                del chunk
        finally:
            stopped = True
            free.release()
            maker.join()
