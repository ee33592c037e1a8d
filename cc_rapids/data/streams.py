"""Streams of edges: files, patterns, addresses, datasets, and iterables of frames, chunk by chunk.

Each file is read in pieces where its format allows it, and chunks are read in background threads
while another is linked. A checkpoint knows files by entries, which tell whether they are the same.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from queue import SimpleQueue
from threading import Semaphore, Thread
from typing import Any, NamedTuple, Protocol, Self, cast

from ..errors import (
    ArgumentTypeError,
    CapacityError,
    CcRapidsError,
    CheckpointError,
    FormatError,
    InputError,
    LedgerError,
    NullsError,
    counted,
)
from ..ledger import Ledger
from . import read as frames
from .adapters import length_of
from .column import Content, chunked, is_cudf
from .edge_array import ends_of, is_edge_array
from .edge_input import EdgeInput, ReadRequest, named
from .end_columns import Side, end_columns, place_of
from .files.formats import FORMATS
from .files.header import TEXT, check_text_options
from .files.input_file import (
    ColumnRequest,
    File,
    Mark,
    mark_of,
    named_format,
    unchanged,
)
from .files.opening import given as given_file
from .files.opening import mark_at, opened, paths_of
from .files.read import (
    Footer,
    Piece,
    RowGroups,
    Taken,
    check_pages,
    footers_of,
    group_tables,
    has_ids,
    names_ahead,
    parquet_facts,
    read_opened,
    read_pieces,
)
from .files.text_ids import LateTextError, is_text
from .frame_access import collected
from .frame_build import rows_where_true
from .memory_budget import FILE_BYTES, LEAST_TEXT_BYTES, TEXT_BYTES, Budget, bytes_of
from .pair_lists import check_columns_of_tuple, columns_of_pairs
from .read import adapter_of, check_text
from .reading import Reading
from .text_options import NO_OPTIONS, TextOptions
from .weight_bound import Bounded, WeightBound

log = logging.getLogger(__name__)


def flat(source: Side, destination: Side) -> list[str]:
    """Return the distinct columns of both sides."""
    sides = (side if isinstance(side, list) else [side] for side in (source, destination))
    return list(dict.fromkeys(name for side in sides for name in side))


Texts = bool | Sequence[bool | None] | None


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
    ``weight`` is the column of weights, or the weights, where these differ from what
    a bound names.

    ``given`` counts the rows of the source from where the run began up to ``after``, by the
    metadata of the source; a chunk that is lost is in that of the next one. ``left_out`` are rows
    between the chunk before and this one that are in neither. ``given`` is None for a chunk of a
    source that several devices share.
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
    weight: Any = None
    given: int | None = 0
    left_out: Mapping[str, int] = field(default_factory=dict)

    def loaded(self) -> Chunk:
        """Return the chunk with its frame loaded."""
        return self if self.load is None else replace(self, frame=self.load(), load=None)

    def within(self, bound: WeightBound | None) -> Bounded:
        """Return the edges within a bound, their columns, and a ledger of the rows of the chunk."""
        if bound is None:
            left = dict(self.left_out)
            return Bounded(self.frame, self.source, self.destination, Ledger(left_out=left))
        request = ReadRequest(self.source, self.destination)
        own = bound if self.weight is None else replace(bound, weight=self.weight)
        found = adapter_of(self.frame).bounded(self.frame, request, own)
        return found._replace(ledger=found.ledger.plus(Ledger(left_out=self.left_out)))

    def read(self, nulls: str, bound: WeightBound | None = None) -> EdgeInput:
        """Return the edges within a bound, checked, with a ledger of the rows of the chunk.

        An error for nulls names the file and the first row.
        """
        frame, source, destination, ledger = self.within(bound)
        with self.naming_nulls():
            found = frames.read(frame, source, destination, None, None, nulls)
        others = found.rows
        if bound is not None:  # the rows of the chunk, not those within the bound
            others = others._replace(given=0)
        skipped = sum(self.left_out.values())
        return replace(found, ledger=ledger.plus(others).plus(Ledger(skipped)))

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
    def names(self) -> tuple[Any, Any]:
        """The columns of both ends, as far as they are known before reading."""

    @property
    def taken(self) -> list[Taken]:
        """The ways in which the files so far were read, each once."""

    @property
    def filtered(self) -> bool:
        """True if a bound on weights, or a filter of a dataset, leaves rows out."""

    @property
    def readers(self) -> int:
        """The number of threads that read chunks at the same time."""

    @property
    def fixed(self) -> int:
        """The bytes that reading takes beside the chunks."""

    @property
    def unchecked(self) -> bool:
        """True if the number of rows is known only after reading, as for an iterator."""

    @property
    def given(self) -> int:
        """The rows of the source from the start of the last reading, which is at its end.

        By metadata: each file, fragment or item counts, also one that was not read.
        """

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

    unchecked = False

    def read_by(self, read_groups: RowGroups | None) -> Self:
        """Return the source itself."""
        return self


def source_of(
    edges: Any,
    source: Side | None,
    destination: Side | None,
    options: TextOptions = NO_OPTIONS,
    bound: WeightBound | None = None,
    skips_unreadable: bool = False,
) -> Source:
    """Return the source for streamed edges.

    ``options`` are those of text files. Chunks have the weights of a ``bound``; who reads them
    applies it.

    Raises
    ------
    InputError
        They are none.
    """
    named(source, destination)  # raises an error if these are not names
    adapter = adapter_of(edges)
    check_text(adapter, edges, options)
    request = ReadRequest(source, destination, options=options, bound=bound)
    request = adapter.named(edges, request, bound and bound.weight)
    found = adapter.source(edges, replace(request, skips_unreadable=skips_unreadable))
    if skips_unreadable and not isinstance(found, Files | Fragments):
        raise ArgumentTypeError(
            "unreadable='skip' is for paths, patterns, folders and datasets of files: leave it out"
        )
    return found


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


@dataclass(frozen=True)
class Files:
    """Some files, in the order of their names or as they were listed.

    ``marks`` are those of the files when they were listed: one that is another when it is opened,
    or when it has been read, is refused by a ChangedFileError. ``formats`` are those of the files,
    empty of one that may be skipped. ``names`` are the columns that were
    asked for, None where they were not. ``read_groups`` reads the row groups of Parquet files to a
    GPU, if that is where they go. ``options`` are those of text files, ``taken`` how files were
    read so far, and ``facts`` what :meth:`measure` has found. ``counts`` are the rows of each file
    that has been read to its end in this run.
    """

    paths: list[str]
    marks: list[Mark | None]
    formats: list[str]
    names: tuple[Side | None, Side | None]
    read_groups: RowGroups | None = None
    options: TextOptions = NO_OPTIONS
    taken: list[Taken] = field(default_factory=list, compare=False)
    facts: dict[str, Any] = field(default_factory=dict, compare=False)
    bound: WeightBound | None = None
    counts: dict[int, int] = field(default_factory=dict, compare=False)
    first: int = 0  # the file from which the run reads
    skips: bool = False  # files that cannot be read
    unreadable: list[str] = field(default_factory=list, compare=False)
    given_file: File | None = None  # in place of a path to be opened

    unchecked = False
    threaded = True
    arrow = True

    @property
    def filtered(self) -> bool:
        """True if a bound on weights leaves rows out."""
        return self.bound is not None

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
        options: TextOptions = NO_OPTIONS,
        bound: WeightBound | None = None,
        skips: bool = False,
    ) -> Files:
        """Return the files of paths and patterns.

        Raises
        ------
        FormatError
            There is none, or one is of no known format.
        InputError
            There are options of text, and none of the files is text.
        """
        paths = paths_of(edges)
        marks = [_mark_if(partial(mark_at, path), skips) for path in paths]
        formats = [_format(path, skips) for path in paths]
        check_text_options(options, paths, formats)
        if bound is not None:
            bound.name("files")
        if source is None and destination is None:
            source, destination = _ends_ahead(paths[0], options, bound)
        return cls(
            paths, marks, formats, (source, destination), options=options, bound=bound, skips=skips
        )

    @property
    def given(self) -> int:
        """The rows of all files from the first one that the run has read; each has to be there.

        Raises
        ------
        LedgerError
            A file has not been read.
        """
        numbers = range(self.first, len(self.paths))
        unread = [self.paths[number] for number in numbers if number not in self.counts]
        if unread:
            raise LedgerError(
                f"{counted(len(unread), 'file')} of {len(self.paths):,} were not read to the end,"
                f" first {unread[0]}: there is no answer; this is a bug of cc_rapids"
            )
        return sum(self.counts[number] for number in numbers)

    @property
    def fixed(self) -> int:
        """The bytes that reading takes beside the chunks."""
        kinds = {*self.formats}
        if kinds & {*TEXT}:
            return TEXT_BYTES
        binary = all(FORMATS[kind].binary for kind in kinds)
        return FILE_BYTES if binary else LEAST_TEXT_BYTES

    def read(self, start: Cursor, budget: Budget, text: Texts) -> Generator[Chunk, None, None]:
        """Yield the pieces of all files from a place on."""
        text = [text] if isinstance(text, bool) else text or self.options.as_text or None
        self.counts.clear()
        self.unreadable.clear()
        vars(self)["first"] = start.file
        for number in range(start.file, len(self.paths)):
            begin = start if number == start.file else Cursor(number)
            pieces = self._pieces(number, begin, budget, text)
            for chunk in _readable_or_skipped(self, self.paths[number], begin, pieces):
                sides = chunk.source, chunk.destination
                text = types_so_far(text, chunk.frame, *sides, typed=chunk.load is not None)
                yield chunk

    def _pieces(
        self, number: int, begin: Cursor, budget: Budget, text: Sequence[bool | None] | None
    ) -> Iterator[Chunk]:
        path = self.paths[number]
        last: Chunk | None = None
        earlier = sum(self.counts.values())
        first = None if begin.group or begin.rows else 0
        before = self.marks[number]
        own = self.given_file
        if own is not None:
            own.budget = budget
        with opened(path, before, budget) if own is None else nullcontext(own) as file:
            wanted = self._wanted(self.formats[number] or file.format())
            how = budget.next_rows, text, self.read_groups if file.is_plain else None
            made = read_pieces(file, wanted, begin.group, begin.rows, *how)
            for piece in made if own is not None else _restartable(made):
                if last is not None:
                    yield last
                after = Cursor(number, piece.group, piece.rows)
                if piece.whole:
                    after = Cursor(number, piece.group + 1)
                columns = piece.table.column_names
                ids = columns if self.bound is None else columns[:-1]
                taken = Taken(wanted.format, tuple(ids), file.header, file.delimiter)
                if taken not in self.taken:
                    self.taken.append(taken)
                load = piece.load and partial(_loaded, path, before, piece.load)
                source, destination = wanted.sides_in(columns)
                begun = file.rows_until(begin.group, begin.rows, False)
                until = file.rows_until(piece.group, piece.rows, piece.whole)
                last = Chunk(
                    *(piece.table, source, destination, after, piece.vertices),
                    load=load,
                    path=path,
                    first=first,
                    weight=columns[-1] if self.bound is not None else None,
                    given=earlier + until - begun,
                    left_out={"row_group": piece.skipped} if piece.skipped else {},
                )
                first = None if load or first is None else first + len(piece.table)
                if file.goes_on(piece.group, piece.whole) and not self.skips:
                    yield last  # so that it is linked before more is read
                    last = None
            ledger = file.ledger
            self.counts[number] = ledger.given - file.rows_until(begin.group, begin.rows, False)
        if last is not None:  # with the last piece the file is done
            left_out = {**last.left_out, **ledger.left_out}
            given = earlier + self.counts[number]
            yield replace(last, after=Cursor(number + 1), given=given, left_out=left_out)

    def _wanted(self, kind: str) -> ColumnRequest:
        bound = self.bound
        weight = None if bound is None else bound.name("files")
        return ColumnRequest(
            *(*self.names, kind, self.options, bound is not None, weight),
            null_weights=True,
            bound=bound,
        )

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
        lists: Any = self.paths, self.marks, self.formats
        paths, marks, formats = ([each[k] for k in order] for each in lists)
        own = replace(self, paths=paths, marks=marks, formats=formats)
        return own, more_of(order, theirs["files"], "file")

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
        by_file: list[int] = []
        footers: list[Footer] = []
        for path, mark, kind in zip(self.paths, self.marks, self.formats, strict=True):
            unknown_rows = {"pieces": len(self.paths), "edges": None, "span": None}
            unknown_rows["text_files"] = kind in TEXT
            if kind != "parquet":
                return unknown_rows
            with opened(path, mark) as file:
                if file.packing:
                    return unknown_rows
                own = parquet_facts(file, self._wanted(kind))
            by_file.append(len(own))
            footers += own
        bounds = [bound for footer in footers if footer.rows for bound in footer.bounds]
        whole = bounds and all(isinstance(low, int) for low, _ in bounds)
        known = whole and not isinstance(self.names[0], list)
        return {
            "pieces": len(footers),
            "edges": sum(footer.rows for footer in footers),
            "span": (min(b[0] for b in bounds), max(b[1] for b in bounds)) if known else None,
            "groups": by_file,
            "footers": footers,
        }


MEASURED = 64  # rows of text in a column of Python's


class OpenFile(_OnHost):
    """An open file of the caller's, which is read once, from where it is."""

    threaded = False
    arrow = True
    readers = 1

    def __init__(self, stream: Any, request: ReadRequest) -> None:
        file = given_file(stream)
        kind, bound = file.format(), request.bound
        check_text_options(request.options, [file.path], [kind])
        names = request.source, request.destination
        if bound is not None:
            bound.name("the file")
        self.files = Files(
            [file.path],
            [None],
            [kind],
            names,
            options=request.options,
            bound=bound,
            given_file=file,
        )
        self.fixed, self.filtered = self.files.fixed, self.files.filtered

    @property
    def names(self) -> tuple[Side | None, Side | None]:
        """The columns of both ends, if the caller named them."""
        return self.files.names

    @property
    def taken(self) -> list[Taken]:
        """The way in which the file was read."""
        return self.files.taken

    @property
    def given(self) -> int:
        """The rows of the file."""
        return self.files.given

    def read(self, start: Cursor, budget: Budget, text: Texts) -> Generator[Chunk, None, None]:
        """Yield the pieces of the file."""
        return self.files.read(start, budget, text)

    def identity(self) -> dict[str, Any]:
        """Raise an InputError: nothing says whether another open file is the same."""
        raise InputError(
            f"checkpoint= is for files that can be read again, and {self.files.paths[0]} is an open"
            " one: pass its path, or leave out checkpoint="
        )

    def going_on(self, theirs: dict[str, Any]) -> tuple[OpenFile, str]:
        """Return the source itself."""
        return self, ""

    def measure(self) -> dict[str, Any]:
        """Return that its rows are unknown before it is read."""
        return {"pieces": None, "edges": None, "span": None}


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
        self.unchecked = source.unchecked
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
    def given(self) -> int:
        """The rows of the source."""
        return self.source.given

    @property
    def names(self) -> tuple[Any, Any]:
        """The columns of both ends."""
        return self.source.names

    @property
    def ledger(self) -> Ledger:
        """The rows of the source, and those left out before the table."""
        ledger = Ledger(self.given, unchecked=self.unchecked)
        for chunk in self.chunks:
            for reason, rows in chunk.left_out.items():
                ledger = ledger.leaving_out(reason, rows)
        return ledger

    @property
    def filtered(self) -> bool:
        """True if rows are left out."""
        return self.source.filtered

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
    names, tables = _columns(chunks[0]), []
    for chunk in chunks:
        own = _columns(chunk)
        if len(own) != len(names):
            return None
        tables.append(chunk.frame.select(own).rename_columns(names))
    if any(not table.schema.equals(tables[0].schema) for table in tables):
        return None
    return pa.concat_tables(tables).unify_dictionaries()


def _columns(chunk: Chunk) -> list[str]:
    """Return the columns of ids, and that of weights if there is one."""
    return [*flat(chunk.source, chunk.destination), *([chunk.weight] if chunk.weight else [])]


def text_of(table: Any, source: Side, destination: Side) -> list[bool]:
    """Return for each column of an id whether it is text."""
    sides = (side if isinstance(side, list) else [side] for side in (source, destination))
    pairs = zip(*sides, strict=True)
    return [any(is_text(table.schema.field(name).type) for name in pair) for pair in pairs]


def _restartable(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Yield the pieces of a file that may be read again."""
    try:
        yield from pieces
    except LateTextError as error:
        error.can_restart = True
        raise


def types_so_far(
    text: Sequence[bool | None] | None,
    table: Any,
    source: Side,
    destination: Side,
    typed: bool = False,
) -> list[bool | None]:
    """Return for each column of an id whether it is text, by one more table; None if unknown.

    A column without an id says nothing, unless the table is ``typed``.
    """
    sides = (side if isinstance(side, list) else [side] for side in (source, destination))
    pairs, found = list(zip(*sides, strict=True)), text_of(table, source, destination)
    before = text or [None] * len(pairs)
    return [
        own if known is None and (typed or has_ids(table.select(list(pair)))) else known
        for known, own, pair in zip(before, found, pairs, strict=True)
    ]


def _loaded(path: str, before: Mark | None, load: Callable[[], Any]) -> Any:
    """Return the content loaded from the path of a file, in any thread."""
    with unchanged(path, before, mark_at):
        return load()


def _ends_ahead(
    path: str, options: TextOptions, bound: WeightBound | None
) -> tuple[Side | None, Side | None]:
    """Return the columns of both ends of files by the first of them, where an id has several.

    All files then need them, and it is known how many there are. Two times None otherwise, also for
    a file that cannot be read, which is an error at its turn.
    """
    budget = Budget(2 * LEAST_TEXT_BYTES, LEAST_TEXT_BYTES)
    with suppress(InputError, CapacityError), opened(path, budget=budget) as file:
        weight = None if bound is None else bound.weight
        ends = end_columns(path, tuple(names_ahead(file, options)), None, None, weight)
        if isinstance(ends[0], list):
            return ends
    return None, None


def _mark_if(look: Callable[[], Mark | None], skips: bool) -> Mark | None:
    """Return the mark of a file; None also if it has none and files may be skipped."""
    try:
        return look()
    except FormatError:
        if not skips:
            raise
        return None


def _format(path: str, skips: bool = False) -> str:
    """Return the format of a file; empty also if it cannot be told and files may be skipped."""
    if found := named_format(path):
        return found
    try:
        with opened(path) as file:
            return file.format()
    except FormatError:
        if not skips:
            raise
        return ""


def _readable_or_skipped(
    source: Files | Fragments, path: str, begin: Cursor, chunks: Iterator[Chunk]
) -> Iterator[Chunk]:
    """Yield the chunks of a file; none of a file that may be skipped and cannot be read.

    A file is skipped only before its first chunk, so that all of its rows are left out.
    """
    try:
        first = next(chunks, None)
    except FormatError as error:
        if not source.skips or begin.group or begin.rows:
            raise
        source.unreadable.append(path)
        source.counts[begin.file] = 0
        if len(source.unreadable) == len(source.marks):
            raise FormatError(
                f"none of {counted(len(source.marks), 'file')} can be read; the last: {error}"
            ) from error
        log.warning("skipped as unreadable: %s", error)
        return
    if first is not None:
        yield first
        yield from chunks


class Fragments(_OnHost):
    """The fragments of a dataset; only the columns of ids are read.

    The filter of a dataset, and a bound on weights, are applied to what a row group holds: so all
    rows are counted. Row groups that the filter or the bound excludes by their statistics are
    skipped.
    """

    threaded = True
    fixed = FILE_BYTES
    readers = 1
    arrow = True

    def __init__(
        self,
        dataset: Any,
        source: Side,
        destination: Side,
        bound: WeightBound | None = None,
        skips: bool = False,
    ) -> None:
        self.skips, self.unreadable = skips, list[str]()
        self.dataset, self.filter = without_filter(dataset)
        self.names, self.bound = (source, destination), bound
        self.filtered = self.filter is not None or bound is not None
        self.ids = flat(source, destination)
        self.weight = None if bound is None else bound.name("the dataset")
        self.columns = [*self.ids, *([] if self.weight is None else [self.weight])]
        self.taken = [Taken("dataset", tuple(self.ids), None)]
        for name in self.columns:
            place_of("the dataset", dataset.schema.names, name)
        self.pieces = list(self.dataset.get_fragments())
        self.files = list(map(_file_of, self.pieces))
        self.marks = [file and _mark_if(file.mark, skips) for file in self.files]
        self.order = list(range(len(self.files)))
        self.counts: dict[int, int] = {}
        self.first, self.none = 0, None  # no rows, of the types of the columns

    @property
    def given(self) -> int:
        """The rows of all fragments from the first one that the run has read."""
        numbers = range(self.first, len(self.order))
        unread = [number for number in numbers if number not in self.counts]
        if unread:
            raise LedgerError(
                f"{counted(len(unread), 'fragment')} of {len(self.order):,} of the dataset were not"
                " read to the end: there is no answer; this is a bug of cc_rapids"
            )
        return sum(self.counts[number] for number in numbers)

    def read(self, start: Cursor, budget: Budget, text: Texts) -> Generator[Chunk, None, None]:
        """Yield the batches of each row group, without the rows that are done."""
        self.counts.clear()
        self.unreadable.clear()
        self.first = start.file
        if not self.order:
            yield self._end(start, 0)
        for number in range(start.file, len(self.order)):
            begin = start if number == start.file else Cursor(number)
            path = getattr(self.pieces[self.order[number]], "path", "")
            chunks = self._fragment(number, path, begin, budget)
            yield from _readable_or_skipped(self, path, begin, chunks)

    def _fragment(self, number: int, path: str, begin: Cursor, budget: Budget) -> Iterator[Chunk]:
        """Yield the chunks of a fragment, checked to be unchanged before the last of them."""
        k, last = self.order[number], cast(Any, None)
        with _unchanged(self.files[k], self.marks[k]), _readable(path or "the dataset"):
            check_columns(self.pieces[k], self.columns)
            for chunk in self._chunks(number, self.pieces[k], begin, budget):
                if last is not None:
                    yield last
                last = replace(chunk, path=path)
                if number not in self.counts and not self.skips:  # the last one comes then
                    yield last
                    last = None
        if last is not None:
            yield replace(last, after=Cursor(number + 1))

    def _chunks(self, number: int, fragment: Any, begin: Cursor, budget: Budget) -> Iterator[Chunk]:
        """Yield the rows of a fragment from a place on, and one without rows at its end."""
        groups, excluded = groups_of(fragment), self._excluded(fragment)
        sizes = list(map(_rows_of, groups))
        earlier, at = sum(self.counts.values()), 0
        done = sum(sizes[: begin.group]) + begin.rows
        for place in range(begin.group, len(groups)):
            first = sum(sizes[:place])
            at = begin.rows if place == begin.group else 0
            if place in excluded:
                given = earlier + first + sizes[place] - done
                after, left_out = Cursor(number, place + 1), {"row_group": sizes[place] - at}
                yield replace(self._end(after, given), left_out=left_out)
                continue
            for table, until in self._tables(groups[place], at, budget):
                yield self._kept(
                    table,
                    after=Cursor(number, place, until),
                    first=first + until - len(table),
                    given=earlier + first + until - done,
                )
        self.counts[number] = sum(sizes) - done
        yield self._end(Cursor(number, len(groups)), earlier + self.counts[number])

    def _tables(self, group: Any, done: int, budget: Budget) -> Iterator[tuple[Any, int]]:
        """Yield the rows of a row group after those done, and how many rows end with each table."""
        at = 0
        for table in self.tables(group, budget):
            begin = at
            self.none = table.select(self.columns).slice(0, 0)
            at += len(table)
            place = max(0, done - begin)
            while place < len(table):
                part = table.slice(place, budget.rows)
                place += len(part)
                yield part, begin + place

    def tables(self, group: Any, budget: Budget) -> Generator[Any, None, None]:
        """Yield a row group in tables of at most so many rows as fit.

        A scan decodes all of it at once, so that columns of the types of the dataset are read from
        the file.
        """
        import pyarrow as pa
        import pyarrow.dataset as pads
        import pyarrow.parquet as pq

        schema, columns = self.dataset.schema, cast(Any, self.columns)
        if self.filter is not None:
            columns = {name: pads.field(name) for name in self.columns} | {KEPT: self.filter}
        if isinstance(group, pads.ParquetFileFragment):
            own, wanted = group.physical_schema, self._read
            if all(own.names.count(n) == 1 and own.field(n) == schema.field(n) for n in wanted):
                with (
                    group.open() as raw,
                    pq.ParquetFile(
                        raw, metadata=group.metadata, pre_buffer=False, buffer_size=1 << 20
                    ) as stored,
                ):
                    file = File(group.path, cast(Any, raw), raw.size(), None, budget=budget)
                    [number] = [one.id for one in group.row_groups]
                    step = check_pages(file, cast(Any, raw), stored, number, wanted)
                    rows = budget.next_rows
                    for table in group_tables(stored, number, wanted, rows, budget, step):
                        if self.filter is None:
                            yield table.select(columns)
                        else:
                            yield pads.dataset(table).to_table(columns=columns)
                return
        batches = group.to_batches(
            schema=schema,
            columns=columns,
            batch_size=budget.rows,
            batch_readahead=1,
            fragment_readahead=1,
        )
        yield from (pa.Table.from_batches([batch]) for batch in batches)

    @cached_property
    def _read(self) -> list[str]:
        """The columns that are read: those of edges, and all that the filter may name."""
        words = "" if self.filter is None else str(self.filter)
        names = self.dataset.schema.names
        others = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", words)]
        return list(dict.fromkeys([*self.columns, *others]))

    def _kept(self, table: Any, after: Cursor, first: int, given: int) -> Chunk:
        """Return the rows that the filter of the dataset keeps as a chunk."""
        import pyarrow.compute as pc

        left_out: dict[str, int] = {}
        place: int | None = first
        if self.filter is not None:
            mask = pc.fill_null(table.column(KEPT), False).to_numpy()
            outside = len(table) - int(mask.sum())
            if outside:
                left_out, place = {"filtered": outside}, None
            table = rows_where_true(table.select(self.columns), mask)
        return Chunk(
            *(table, *self.names, after),
            first=place,
            weight=self.weight,
            given=given,
            left_out=left_out,
        )

    def _excluded(self, fragment: Any) -> set[int]:
        """Return the row groups without any row within the filter and the bound."""
        if not hasattr(fragment, "split_by_row_group"):
            return set()
        wanted = self.filter
        if self.bound is not None:
            within = self.bound.expression(self.dataset.schema)
            wanted = within if wanted is None else wanted & within
        if wanted is None:
            return set()
        numbers = {group.id: place for place, group in enumerate(fragment.row_groups)}
        some = fragment.split_by_row_group(wanted, schema=self.dataset.schema)
        kept = {numbers[group.id] for piece in some for group in piece.row_groups}
        return set(numbers.values()) - kept

    def _end(self, after: Cursor, given: int) -> Chunk:
        """Return the place after the last row that was read."""
        import pyarrow as pa

        if self.none is None:
            fields = [self.dataset.schema.field(name) for name in self.columns]
            self.none = pa.schema(fields).empty_table()
        return Chunk(self.none, *self.names, after, weight=self.weight, given=given)

    def identity(self) -> dict[str, Any]:
        """Return the files with size and time, and a hash of data in memory.

        Types and filter.
        """
        kinds = [f"{name}: {self.dataset.schema.field(name).type}" for name in self.columns]
        return {
            "kind": "dataset",
            "schema": ", ".join(kinds),
            "filter": "none" if self.filter is None else str(self.filter),
            "files": [self._entries[k] for k in self.order],
        }

    @cached_property
    def _entries(self) -> list[Entry]:
        """The files as they were listed."""
        entries = []
        for k, (file, mark) in enumerate(zip(self.files, self.marks, strict=True)):
            known = file and [file.name, *(mark[:2] if mark else (0, ""))]
            entries.append(known or _in_memory(self.pieces[k], *self.names, self.ids))
        return entries

    def going_on(self, theirs: dict[str, Any]) -> tuple[Fragments, str]:
        """Return the files of an identity first, in its order, and then all others.

        With them how many these are, in words.
        """
        self.order = arranged(self._entries, theirs["files"])
        return self, more_of(self.order, theirs["files"], "file")

    def measure(self) -> dict[str, Any]:
        """Return the number of rows from metadata; unknown for a dataset with a filter."""
        text = any(is_text(self.dataset.schema.field(name).type) for name in self.ids)
        rows = _rows(self.pieces)
        groups = [groups_of(self.pieces[k]) for k in self.order]
        facts: dict[str, Any] = {"pieces": len(self.pieces), "edges": rows, "span": None}
        facts["text"] = text
        if all(getattr(group, "row_groups", None) for part in groups for group in part):
            facts["footers"] = [
                footer
                for part in groups
                for group in part
                for footer in footers_of(
                    group.metadata, [one.id for one in group.row_groups], self.ids
                )
            ]
        return facts | {"groups": list(map(len, groups))}


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


KEPT = "cc_rapids kept"  # the column of rows that the filter of a dataset keeps


def without_filter(dataset: Any) -> tuple[Any, Any]:
    """Return a dataset without its filter, and the filter; None if there is none.

    PyArrow gives no fragments of a dataset with a filter, and no public way to its filter.
    """
    wanted = (getattr(dataset, "_scan_options", None) or {}).get("filter")
    if wanted is None:
        return dataset, None
    plain = dataset.replace_schema(dataset.schema)  # a copy, with options of its own
    plain._scan_options.clear()
    return plain, wanted


def _file_of(fragment: Any) -> Located | None:
    """Return the file of a fragment; None if it is in memory."""
    path = getattr(fragment, "path", "")
    return Located(path, fragment.filesystem) if path else None


def check_columns(fragment: Any, columns: list[str]) -> None:
    """Raise a MissingColumnError if a fragment of a dataset lacks one of the columns.

    It names the file, which PyArrow would read as nulls.
    """
    import pyarrow.dataset as pads

    keys = pads.get_partition_keys(fragment.partition_expression)
    own = list(dict.fromkeys([*fragment.physical_schema.names, *keys]))
    for name in columns:
        place_of(getattr(fragment, "path", "the dataset"), own, name)


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


def groups_of(fragment: Any) -> list[Any]:
    """Return the row groups of a fragment; itself if it has none."""
    split = getattr(fragment, "split_by_row_group", None)
    return list(split()) if split else [fragment]


def _rows_of(group: Any) -> int:
    """Return the rows of a row group by the footer, or those of another fragment by a scan."""
    groups = getattr(group, "row_groups", None)
    return int(group.count_rows() if groups is None else sum(one.num_rows for one in groups))


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
        source: Side | None,
        destination: Side | None,
        threaded: bool = False,
        closes: bool = False,
        arrow: bool = False,
        given: int | None = None,
        weights: Any = None,
        filtered: bool = False,
    ) -> None:
        self.items, self.names = items, (source, destination)
        self.weights = weights  # a column of all items, or of one item a weight for each row
        self.filtered = filtered
        self.arrow = arrow  # all are tables
        self.taken: list[Taken] = []
        self.threaded = threaded  # an iterator may be bound to its thread, a reader is not
        self.closes = closes  # a caller's own generator is left open, as a loop over it would
        if given is None and isinstance(items, list):
            given = sum(map(length, items))
        self.known, self.unchecked = given, given is None
        self.came = self.skipped = 0

    @property
    def given(self) -> int:
        """The rows of all items beyond those that an earlier run has linked.

        An iterator tells them by yielding them.
        """
        return (self.came if self.known is None else self.known) - self.skipped

    def read(self, start: Cursor, budget: Budget, text: Texts) -> Generator[Chunk, None, None]:
        """Yield the items, in slices if they are larger than a chunk; then close what is ours."""
        try:
            yield from self._chunks(start, budget)
        finally:
            if self.closes:
                self.items.close()

    def _chunks(self, start: Cursor, budget: Budget) -> Generator[Chunk, None, None]:
        number, self.came, self.skipped = -1, 0, 0
        for number, item in enumerate(self.items):
            request = item_named(item, *self.names, self.weights)
            names, wanted = request.names, request.columns(self.weights)
            item = sliceable(item, wanted)
            at, size, first = 0, length(item), True
            done = size if number < start.file else start.rows if number == start.file else 0
            before, self.skipped = self.came, self.skipped + min(done, size)
            self.came += size
            row_bytes = _row_bytes(item, wanted)
            while at < size or first:
                rows = budget.fitting_rows(row_bytes) if row_bytes else budget.rows
                end = min(size, at + rows, done if at < done else size)
                after = Cursor(number + 1) if end == size else Cursor(number, 0, end)
                old = number < start.file or (end <= done and end > 0)
                weight = self.weights
                if weight is not None and not isinstance(weight, str):
                    weight = sliced_column(weight, at, end)
                yield Chunk(
                    *(sliced(item, at, end), *names, after),
                    old=old,
                    weight=weight,
                    given=before + end - self.skipped,
                )
                at, first = end, False
        if number < 0 and hasattr(self.items, "schema"):
            none = self.items.schema.empty_table()
            names = item_named(none, *self.names, self.weights).names
            yield Chunk(none, *names, start, weight=self.weights)

    def identity(self) -> dict[str, Any]:
        """Return the identity of an iterable, whose content is unknown in advance."""
        return {"kind": "iterable"}

    def going_on(self, theirs: dict[str, Any]) -> tuple[Items, str]:
        """Return the source itself, whose added items are known only after reading."""
        return self, ""

    def measure(self) -> dict[str, Any]:
        """Return the rows, if the items are in a list."""
        if isinstance(self.items, list):
            return {"pieces": len(self.items), "edges": self.known, "span": None}
        return {"pieces": None, "edges": None, "span": None}


def item_named(
    item: Any, source: Side | None, destination: Side | None, weight: Any
) -> ReadRequest:
    """Return a request for an item of an iterable, with the columns of both ends."""
    return adapter_of(item).named(item, ReadRequest(source, destination), weight)


def sliceable(item: Any, wanted: Sequence[str]) -> Any:
    """Return an item of an iterable as one whose rows are known, and can be sliced.

    A record batch, a relation of DuckDB or a lazy frame becomes a frame; pairs, and arrays of
    edges, become two columns. Mappings keep the columns that are ``wanted``; lazy frames collect
    them alone. Other edges are returned unchanged.

    Raises
    ------
    InputError
        The item has no rows: it is a matrix, a graph or a file.
    """
    if isinstance(item, list):
        return columns_of_pairs(item)
    adapter = adapter_of(item)
    if adapter.has_header:
        raise InputError(
            f"an item of the edges is a {type(item).__name__}, which is a file: pass a list of"
            " paths, such as list(edges), or one open file alone"
        )
    if isinstance(item, tuple):
        check_columns_of_tuple(item)
        return item
    if isinstance(item, Mapping):
        return {name: item[name] for name in wanted if name in item} or item
    if is_edge_array(item):
        return ends_of(item)
    if adapter.may_repeat:
        raise InputError(
            f"an item of the edges is a {type(item).__name__}, and items are frames, tuples of two"
            " columns or lists of pairs: pass it alone, or make a frame of it"
        )
    return chunked(collected(item, wanted))


def _is_lazy(item: Any) -> bool:
    """Return whether an item is a lazy frame of Polars."""
    return hasattr(type(item), "collect_schema") and not hasattr(type(item), "__len__")


def _row_bytes(item: Any, wanted: Sequence[str]) -> float:
    """Return the bytes of the text in a row of an item on the host; 0 if it has none."""
    if isinstance(item, tuple):
        return sum(map(_text_bytes, item))
    if getattr(item, "ndim", 2) != 2:  # one column, refused when it is read
        return 0.0
    if isinstance(item, Mapping):
        names = list(item)
    else:
        names = list(getattr(item, "column_names", getattr(item, "columns", ())))
    return sum(_text_bytes(item[name]) for name in wanted if names.count(name) == 1)


def _text_bytes(column: Any) -> float:
    """Return the mean bytes of the strings of a column; 0 of other columns, and of those of a GPU.

    Those of Python are measured in a few rows.
    """
    if is_cudf(column) or not hasattr(column, "__len__") or not len(column):
        return 0.0
    if hasattr(column, "chunks") or hasattr(column, "offset"):  # of Arrow
        return column.nbytes / len(column) if is_text(column.type) else 0.0
    if hasattr(column, "estimated_size"):  # of Polars
        return column.estimated_size() / len(column) if str(column.dtype) == "String" else 0.0
    if getattr(getattr(column, "dtype", None), "kind", "O") not in "OSU":
        return 0.0
    rows = slice(None, None, -(-len(column) // MEASURED))
    part = column.iloc[rows] if hasattr(column, "iloc") else column[rows]
    lengths = [len(value) for value in part if isinstance(value, str | bytes)]
    return sum(lengths) / len(part)


def length(item: Any) -> int:
    """Return the rows of a frame, of a tuple of two columns, or of a list of pairs."""
    if isinstance(item, Mapping):
        return length(next(iter(item.values()), ()))
    if isinstance(item, tuple):
        return len(item[0]) if len(item) == 2 and hasattr(item[0], "__len__") else 0
    if _is_lazy(item):
        return length_of(item)
    return len(item) if hasattr(item, "__len__") else 0


def sliced(item: Any, start: int, end: int) -> Any:
    """Return some rows of a frame or a pair of arrays, without a copy where that is possible."""
    if start == 0 and end >= length(item):
        return item
    if isinstance(item, tuple):
        return tuple(sliced_column(column, start, end) for column in item)
    if isinstance(item, Mapping):
        return {name: sliced_column(column, start, end) for name, column in item.items()}
    return sliced_column(item, start, end)


def sliced_column(column: Any, start: int, end: int) -> Any:
    """Return some rows of a frame, column or array."""
    if hasattr(column, "iloc"):
        return column.iloc[start:end]
    if hasattr(column, "slice"):
        return column.slice(start, end - start)
    return column[start:end]


def weighed_files(edges: Any, request: ReadRequest, weight: str, reading: Reading) -> Iterator[Any]:
    """Return the files of a path, a pattern or a list of these as tables with a column of weights.

    See :meth:`cc_rapids.data.adapters.Adapter.weighed`.
    """
    paths = paths_of(edges)
    check_text_options(request.options, paths, [_format(path) for path in paths])
    asked = request.source, request.destination
    return _files(paths, asked, request.names, weight, request.options, reading)


def bounded_table(source: Source, bound: WeightBound) -> Bounded:
    """Return the edges of a source within a bound as one table."""
    import pyarrow as pa

    budget = Budget(bytes_of(None), source.fixed)
    budget.update("range", 0)
    parts = [chunk.within(bound) for chunk in source.read(Cursor(), budget, None)]
    names = flat(parts[0].source, parts[0].destination)
    tables = [
        part.edges.select(flat(part.source, part.destination)).rename_columns(names)
        for part in parts
    ]
    ledger = Ledger(source.given)
    for part in parts:
        ledger = ledger.plus(part.ledger._replace(given=0))
    return Bounded(pa.concat_tables(tables), parts[0].source, parts[0].destination, ledger)


def weighed_dataset(
    dataset: Any, request: ReadRequest, weight: str, reading: Reading
) -> Iterator[Any]:
    """Return the batches of a dataset as tables with a column of weights."""
    fragments = Fragments(dataset, *request.names)
    place_of("the dataset", dataset.schema.names, weight)
    fragments.columns.append(weight)
    return _chunks_of(fragments, [*flat(*request.names), weight], reading)


def weighed_scan(table: Any, request: ReadRequest, weight: str, reading: Reading) -> Iterator[Any]:
    """Return the batches of an Iceberg table as tables with a column of weights."""
    source = scanned(table, request, weight)
    names = ReadRequest(*source.names).columns(weight)
    return _chunks_of(source, list(dict.fromkeys(names)), reading)


def scanned(table: Any, request: ReadRequest, weight: str | None) -> Items:
    """Return the rows of a ``pyiceberg.table.Table``, counted by its metadata."""
    from .files.lake import reader_of, rows_of

    names = table.schema().column_names
    source, destination = request.source, request.destination
    if not (isinstance(source, list) or isinstance(destination, list)):
        source, destination = end_columns("the table", tuple(names), source, destination, weight)
    ends: tuple[Any, Any] = source, destination
    columns = [*flat(*ends), *([] if weight is None else [weight])]
    for name in columns:
        place_of("the table", names, name)
    made = Items(
        *(reader_of(table, columns), *ends),
        threaded=True,
        arrow=True,
        given=rows_of(table),
        weights=weight,
        filtered=request.bound is not None,
    )
    made.taken.append(Taken("iceberg", tuple(flat(*ends)), None))
    return made


def _chunks_of(source: Fragments | Items, names: list[str], reading: Reading) -> Iterator[Any]:
    budget = Budget(bytes_of(None), source.fixed)
    budget.update("strings", 0, width=len(names) // 2)
    for chunk in source.read(Cursor(), budget, None):
        for reason, rows in chunk.left_out.items():
            reading.ledger = reading.ledger.leaving_out(reason, rows)
        yield chunk.frame.rename_columns(names)
    reading.add(source.taken[0], Ledger(source.given))


def tables_of(reader: Any) -> Iterator[Any]:
    """Return the record batches of a reader, each as a table."""
    import pyarrow as pa

    yield reader.schema.empty_table()
    for batch in reader:
        yield pa.Table.from_batches([batch])


def _files(
    paths: list[str],
    asked: tuple[Any, Any],
    names: tuple[Any, Any],
    weight: str,
    options: TextOptions,
    reading: Reading,
) -> Iterator[Any]:
    text: Sequence[bool | None] | None = None
    for path in paths:
        with opened(path) as raw:
            kind = raw.format()
            wanted = ColumnRequest(*asked, kind, options, True, weight, text, null_weights=True)
            file = read_opened(raw, wanted)
        sides = file.source, file.destination
        text = types_so_far(text, file.table, *sides)
        reading.add(file.taken, file.ledger)
        several = isinstance(file.source, list)
        named = file.table.column_names[:-1] if several else names
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
