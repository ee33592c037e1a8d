"""Streams of edges: files, patterns, addresses, datasets, and iterables of frames, chunk by chunk.

Each file is read in pieces if its format allows it. Background threads read the next chunks while a
chunk is linked. A checkpoint has an entry for each file. A later run compares the entry with the
file.
"""

from __future__ import annotations

import logging
import os
import re
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple, Self, TypeVar, cast

from ..errors import (
    CapacityError,
    CcRapidsError,
    ChangedFileError,
    CheckpointError,
    FormatError,
    InputError,
    LedgerError,
    add_advice,
    counted,
)
from ..ledger import NO_ROWS, Ledger
from .column import Content, common_rows, is_cudf, length_of, unchecked
from .edge_input import ReadRequest
from .end_columns import Side, end_columns, may_name_datasets, place_of, sides_of
from .files.formats import FORMATS
from .files.formats.parquet import Footer, check_one_file, footers_of, group_tables, parquet_facts
from .files.handle import first_of, packing_of
from .files.input_file import (
    ColumnRequest,
    File,
    Mark,
    as_format,
    hash_of_ends,
    named_format,
    unchanged,
)
from .files.opening import errors_naming, file_of, mark_at, opened, paths_of, start_of
from .files.pieces import Piece, Place, RowGroups, has_ids, pieces_of_groups
from .files.read import SourceFormat, read_pieces
from .files.text_head import TEXT, check_text_options
from .files.text_ids import LateTextError, is_text
from .frame_access import collected, columns_of
from .frame_build import rows_where_true
from .lazy import pa, pads, pc, pq
from .memory_budget import FILE_BYTES, LEAST_TEXT_BYTES, MEASURED, TEXT_BYTES, Budget
from .rules import is_table
from .text_options import NO_OPTIONS, TextOptions
from .weight_bound import WeightBound

log: logging.Logger = logging.getLogger(__name__)


def distinct_columns(*sides: Side | None) -> list[str]:
    """Return the distinct columns of the sides and of weights; None stands for no column."""
    names = dict.fromkeys(name for side in sides_of(*sides) for name in side)
    return [name for name in names if name is not None]


Texts = Sequence[bool | None] | None  # whether each column of an id is text; None if unknown


class Cursor(NamedTuple):
    """A position in a stream."""

    file: int = 0  # the number of finished files or items
    group: int = 0  # the number of finished row groups of the next file
    rows: int = 0  # the number of finished rows of the next row group, or of the next item


class Chunk(NamedTuple):
    """Edges of a stream: a frame or pair, its column names, and the position after it.

    ``given`` is the number of rows, by metadata, from the start of the run to ``after``. If a chunk
    is lost, ``given`` of the next chunk therefore includes the lost rows. ``given`` is None if
    several devices share the source.
    """

    frame: Any  # without rows if there is a ``load``
    source: Side
    destination: Side
    after: Cursor
    vertices: range | None = None  # all vertices of the file, if it declares their number
    old: bool = False  # whether an earlier run linked it: its content is then only compared
    load: Callable[[], Any] | None = None  # returns the rows; any thread may call it
    path: str = ""  # the file; empty for data in memory
    first: int | None = None  # the row number of the first row in the file; None if unknown
    weight: Any = None  # the column or array of weights; None if the bound names the column
    given: int | None = 0
    left_out: Mapping[str, int] = NO_ROWS  # the rows between the previous chunk and this one

    def loaded(self) -> Chunk:
        """Return the chunk with its frame loaded."""
        return self if self.load is None else self._replace(frame=self.load(), load=None)


class Source:
    """A source of chunks of edges."""

    names: tuple[Any, Any]  # the columns of both ends, as far as they are known before reading
    formats: list[SourceFormat]  # the distinct ways in which files were read so far
    threaded: bool = True  # whether chunks may be read in another thread
    arrow: bool = True  # whether all chunks are tables of PyArrow
    filtered: bool = False  # whether a bound on weights, or a filter of a dataset, leaves rows out
    unchecked: bool = False  # whether rows are counted only by reading them, as for an iterator
    skips: bool | None = False  # whether unreadable files are skipped; None if this is no option
    readers: int = 1  # the number of threads that read chunks at the same time
    fixed: int = FILE_BYTES  # the bytes that reading takes in addition to the chunks

    @property
    def given(self) -> int:
        """The number of rows, by metadata, that the last :meth:`read` should have yielded.

        The rows of a file, fragment or item count even if they were not read. The number is valid
        only after the reading.
        """
        raise NotImplementedError

    def read(self, start: Cursor, budget: Budget, text: Texts) -> Generator[Chunk, None, None]:
        """Yield the chunks after a position, each with a maximum number of rows."""
        raise NotImplementedError

    def read_ahead(self, start: Cursor, budget: Budget, text: Texts) -> Iterator[Chunk]:
        """Yield the chunks of :meth:`read`; other threads read them if the source supports it."""
        chunks = self.read(start, budget, text)
        return read_ahead(chunks, self.readers) if self.threaded else chunks

    def identity(self) -> dict[str, Any]:
        """Return the identity of this input as JSON values; ``kind`` is the kind of the source."""
        raise NotImplementedError

    def arrange_like(self, earlier: dict[str, Any]) -> str:
        """Put the input into the order of an earlier identity; return a description of additions.

        The description is empty for an iterable, whose additions are known only after reading. A
        CheckpointError names a part that differs from the earlier input.
        """
        return ""

    def use_gpu_reader(self, read_groups: RowGroups | None) -> None:
        """Set the function that reads row groups to a GPU, or None; most sources ignore it."""

    def measure(self) -> dict[str, Any]:
        """Return the pieces, edges and range of ids if known without reading, otherwise None."""
        return {"pieces": None, "edges": None, "span": None}


# [path, size, time, hash of the first and last bytes], in memory [rows + IN_MEMORY, 0, hash]
Entry = list[Any]
IN_MEMORY = " rows in memory"


def arranged(current: list[Entry], earlier: list[Entry]) -> list[int]:
    """Return the positions of the current entries in the earlier order, new entries last."""
    unmatched: dict[str, list[int]] = {}  # positions by path
    for position, (path, *_) in enumerate(current):
        unmatched.setdefault(path, []).append(position)
    order = []
    for entry in earlier:
        positions = unmatched.get(entry[0], [])
        same = [position for position in positions if current[position] == entry]
        if not same:
            raise CheckpointError(_difference(entry, current[positions[0]] if positions else None))
        order.append(same[0])
        positions.remove(same[0])
    return order + sorted(set(range(len(current))) - set(order))


def _difference(earlier: Entry, current: Entry | None) -> str:
    """Return a description of how an entry has changed; ``current`` is None if it is gone."""
    path = earlier[0]
    if path.endswith(IN_MEMORY):
        return f"{path} then, but {'other rows' if current else 'fewer'} now"
    change = f"has {Mark(*current[1:3])} now" if current else "is not among the files now"
    if current and current[:3] == earlier[:3]:
        change = "has other bytes now"
    return f"{path} had {Mark(*earlier[1:3])} then, but {change}"


class Part(NamedTuple):
    """A file, or a fragment of a dataset, as it was listed."""

    path: str
    name: str  # the absolute path of a file; empty for data in memory
    mark: Mark | None  # None for data in memory, a pipe, and an unreadable file that is skipped
    format: str = ""  # empty for a pipe, a fragment, and an unknown format that may be skipped
    fragment: Any = None


@dataclass(eq=False)
class Parts(Source):
    """Files or fragments of a dataset, read in order.

    If a file differs from its mark when it is opened or after it was read, a ChangedFileError is
    raised. A row group is skipped if its statistics show that all weights are outside the bound.
    """

    parts: list[Part]
    names: tuple[Any, Any]
    bound: WeightBound | None = None
    skips: bool | None = None
    formats: list[SourceFormat] = field(init=False, default_factory=list)
    unreadable: list[str] = field(init=False, default_factory=list)  # paths of skipped files
    # the ledgers of the parts that were read to the end, by their positions in ``parts``
    counts: dict[int, Ledger] = field(init=False, default_factory=dict)
    first: int = field(init=False, default=0)  # the position of the first part that the run reads

    def __post_init__(self) -> None:
        self.filtered = self.bound is not None

    def unfiltered(self) -> Self:
        """Return a copy to sample: it reads all rows on the host, with its own record of files."""
        other = copy(self)
        other.formats, other.unreadable, other.counts = [], [], {}
        other.bound = None
        other.use_gpu_reader(read_groups=None)
        return other

    @property
    def given(self) -> int:
        """The number of rows that this run should have read; all parts must be read to the end."""
        numbers = range(self.first, len(self.parts))
        unread = [self.parts[number].path for number in numbers if number not in self.counts]
        if unread:
            raise LedgerError(
                f"{counted(len(unread), 'file')} of {len(self.parts):,} were not read to the end,"
                f" the first is {unread[0] or 'data in memory'}: there is no answer; this is a bug"
                " of cc_rapids"
            )
        return self._counted()

    def _counted(self) -> int:
        """Return the number of rows of the parts that were read to the end."""
        return sum(ledger.given for ledger in self.counts.values())

    def read(self, start: Cursor, budget: Budget, text: Texts) -> Generator[Chunk, None, None]:
        self.counts.clear()
        self.unreadable.clear()
        self.first = start.file
        for number in range(start.file, len(self.parts)):
            begin = start if number == start.file else Cursor(number)
            for chunk in self._read_or_skipped(number, begin, budget, text):
                text = self._types_after(text, chunk)
                yield chunk

    def _types_after(self, text: Texts, chunk: Chunk) -> Texts:
        """Return ``text`` with the types that a chunk shows; by default, ``text`` is unchanged."""
        return text

    def _read_or_skipped(
        self, number: int, begin: Cursor, budget: Budget, text: Texts
    ) -> Iterator[Chunk]:
        """Yield the chunks of a part; yield none if the file cannot be read and may be skipped.

        A file is skipped only before its first chunk, so that all of its rows are left out.
        """
        chunks = self._read_part(number, begin, budget, text)
        try:
            first_chunk = next(chunks, None)
        except FormatError as error:
            # LateTextError is about the types of all files; this file is readable
            if begin.group or begin.rows or isinstance(error, LateTextError):
                raise
            self._skip(number, error, self.unreadable)
            self.counts[number] = Ledger()
            log.warning("skipped as unreadable: %s", error)
            return
        if first_chunk is not None:
            yield first_chunk
            yield from chunks

    def _skip(self, number: int, error: FormatError, skipped: list[str]) -> None:
        """Add the path of a part to ``skipped``; raise the error if parts may not be skipped."""
        if not self.skips:
            could_skip = self.skips is not None and len(self.parts) > 1
            if could_skip and not isinstance(error, ChangedFileError):
                add_advice(error, "unreadable='skip' leaves this file out")
            raise error
        skipped.append(self.parts[number].path)
        if len(skipped) == len(self.parts):
            raise FormatError(
                f"none of {counted(len(self.parts), 'file')} can be read; the last: {error}"
            ) from error

    def measure(self) -> dict[str, Any]:
        """Return the pieces, edges and range of ids, as far as the metadata contain them.

        The result also has messages about ``unreadable`` files and, for Parquet, the ``footers``
        of all row groups, the number of ``groups`` of each part, and of rows to be ``skipped``.
        """
        return self.facts

    @cached_property
    def facts(self) -> dict[str, Any]:
        """The result of :meth:`measure`."""
        raise NotImplementedError

    def _measure_parts(self, measure_part: Callable[[Part], list[Any] | None]) -> Any:
        """Return two lists: results of ``measure_part``, and messages about skipped parts.

        The result for a skipped part is empty. If a result is None, None replaces all results.
        """
        facts: list[list[Any]] = []
        messages: list[str] = []
        skipped: list[str] = []
        for number, part in enumerate(self.parts):
            try:
                facts_of_part = measure_part(part)
            except FormatError as error:
                self._skip(number, error, skipped)
                messages.append(str(error))
                facts_of_part = []
            if facts_of_part is None:
                return None, messages
            facts.append(facts_of_part)
        return facts, messages

    def _read_part(
        self, number: int, begin: Cursor, budget: Budget, text: Texts
    ) -> Iterator[Chunk]:
        """Yield the chunks of a part after a position, and add its ledger to ``counts``.

        The last chunk is yielded only after the part was read to its end and has not changed. If
        the file may be skipped, each chunk is yielded only after the next chunk was read.
        """
        part, rows_before = self.parts[number], self._counted()
        delayed: Chunk | None = None
        with self._opened(part, budget) as file:
            place = Place(begin.group, begin.rows, budget.next_rows, text)
            for piece, chunk in self._pieces(number, file, place):
                if delayed is not None:
                    yield delayed
                after = Cursor(number, piece.group, piece.rows)
                if piece.whole:
                    after = Cursor(number, piece.group + 1)
                end_row = file.rows_until(piece.group, piece.rows, piece.whole)
                begin_row = file.rows_until(begin.group, begin.rows, whole=False)
                has_all_rows = piece.load is None and not chunk.left_out
                skipped = {"row_group": piece.skipped} if piece.skipped else {}
                delayed = chunk._replace(
                    after=after,
                    path=part.path,
                    first=end_row - len(piece.table) if has_all_rows else None,
                    given=rows_before + end_row - begin_row,
                    left_out={**skipped, **chunk.left_out},
                )
                if file.has_rows_after(piece.group, piece.whole) and not self.skips:
                    yield delayed  # the caller links this chunk before more rows are read
                    delayed = None
            given = file.ledger.given - file.rows_until(begin.group, begin.rows, whole=False)
            self.counts[number] = ledger = file.ledger._replace(given=given)
        if delayed is not None:  # the last chunk of the part
            left_out = {**delayed.left_out, **ledger.left_out}
            after, given = Cursor(number + 1), rows_before + ledger.given
            yield delayed._replace(after=after, given=given, left_out=left_out)

    def _opened(self, part: Part, budget: Budget) -> AbstractContextManager[File]:
        """Return a context that opens a part, and checks at the end that it has not changed."""
        raise NotImplementedError

    def _pieces(self, number: int, file: File, place: Place) -> Iterator[tuple[Piece, Chunk]]:
        """Yield the pieces of an open part, each with a chunk of its rows and their columns."""
        raise NotImplementedError

    def identity(self) -> dict[str, Any]:
        return {"kind": "files", "files": self.entries}

    @cached_property
    def entries(self) -> list[Entry]:
        """The parts as they were listed."""
        return list(map(self._entry, self.parts))

    def _entry(self, part: Part) -> Entry:
        size, time, own = part.mark or Mark(0, "")  # only the mark of a local file has ``own``
        return [part.name, size, time, hash_of_ends(part.name) if own else ""]

    def arrange_like(self, earlier: dict[str, Any]) -> str:
        """Put the files into the order of an earlier identity, followed by all other files."""
        order = arranged(self.entries, earlier["files"])
        self.parts = [self.parts[k] for k in order]
        self.entries = [self.entries[k] for k in order]
        new_count = len(order) - len(earlier["files"])
        return f"{counted(new_count, 'file')} more" if new_count else ""


@dataclass(eq=False)
class Files(Parts):
    """Files in the order of their names or as they were listed, or one open file."""

    options: TextOptions = NO_OPTIONS
    open_file: File | None = None  # the caller's open file, read once from its current position
    rewind: Callable[[], Any] | None = None  # moves an open file back to where it was passed
    # reads row groups of Parquet files to a GPU; None if edges are read on the host
    read_groups: RowGroups | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.threaded = self.open_file is None
        paths, formats = [part.path for part in self.parts], [part.format for part in self.parts]
        check_text_options(self.options, paths, formats)
        if self.bound is not None:
            self.bound.name("files")  # raises an error for an array of weights
        if not {*TEXT, ""}.isdisjoint(formats):  # a file of unknown format may be text
            self.fixed = TEXT_BYTES
        else:
            are_binary = all(FORMATS[kind].binary for kind in formats)
            self.fixed = FILE_BYTES if are_binary else LEAST_TEXT_BYTES

    @classmethod
    def of(cls, edges: Any, request: ReadRequest) -> Files:
        """Return the files of paths and patterns; raise a FormatError if there is none."""
        paths, skips = paths_of(edges), request.skips_unreadable
        marks = [_unless_skipped(partial(mark_at, path), skips) for path in paths]
        kinds = list(map(partial(_format, options=request.options, skips=skips), paths, marks))
        full_paths = [path if "://" in path else os.path.abspath(path) for path in paths]
        parts = list(map(Part, paths, full_paths, marks, kinds))
        names = request.source, request.destination
        files = cls(parts, names, request.bound, skips, request.options)
        if names == (None, None) and marks[0] is not None:  # not a pipe, which is read only once
            files.names = _composite_ends(parts[0], request.options, request.bound)
        return files

    @classmethod
    def of_open(cls, stream: Any, request: ReadRequest) -> Files:
        """Return an open file of the caller as a source."""
        rewind, file = start_of(stream), file_of(stream)
        parts = [Part(file.path, file.path, None, file.format(request.options))]
        names = request.source, request.destination
        return cls(parts, names, request.bound, None, request.options, file, rewind)

    def read(self, start: Cursor, budget: Budget, text: Texts) -> Generator[Chunk, None, None]:
        return super().read(start, budget, text or self.options.as_text)

    def _types_after(self, text: Texts, chunk: Chunk) -> Texts:
        is_typed = chunk.load is not None
        return types_so_far(text, chunk.frame, chunk.source, chunk.destination, is_typed)

    def _pieces(self, number: int, file: File, place: Place) -> Iterator[tuple[Piece, Chunk]]:
        part = self.parts[number]
        request = self.request(part.format or file.format(self.options))
        request = replace(request, options=replace(self.options, as_text=tuple(place.text or ())))
        if file.is_plain and part.mark is not None:
            place = place._replace(read_groups=self.read_groups)
        # whether all files so far can be read again: a pipe, which has no mark, cannot
        have_marks = all(part.mark for part in self.parts[: number + 1])
        file.can_restart = have_marks or self.rewind is not None
        try:
            for piece in read_pieces(file, request, place):
                columns = piece.table.column_names
                weight = None if self.bound is None else columns[-1]
                ids = tuple(columns if weight is None else columns[:-1])
                source_format = SourceFormat(request.format, ids, file.header, file.delimiter)
                if source_format not in self.formats:
                    self.formats.append(source_format)
                load = piece.load and partial(_load_unchanged, part.path, part.mark, piece.load)
                ends, after = request.sides_in(columns), Cursor()  # _read_part() sets ``after``
                chunk = Chunk(piece.table, *ends, after, piece.vertices, load=load, weight=weight)
                yield piece, chunk
        except LateTextError as error:
            error.can_restart = file.can_restart
            if self.rewind is not None:
                self.rewind()
            raise

    def _opened(self, part: Part, budget: Budget) -> AbstractContextManager[File]:
        if self.open_file is None:
            return opened(part.path, part.mark, budget)
        self.open_file.budget = budget
        return nullcontext(self.open_file)

    def request(self, kind: str) -> ColumnRequest:
        """Return the request for the columns of a file of a format."""
        bound = self.bound
        weight = None if bound is None else bound.weight
        columns = ColumnRequest(*self.names, kind, self.options, bound=bound)
        return replace(columns, weights=bound is not None, weight=weight, null_weights=True)

    def identity(self) -> dict[str, Any]:
        """Return the path, size, time of change and hash of each file, if all can be read again."""
        # an unmarked path that exists is a pipe; the others are skipped files
        unmarked = (part.path for part in self.parts if part.mark is None)
        pipe = next(filter(os.path.exists, unmarked), None)
        if self.open_file is not None or pipe is not None:
            problem = f"{pipe} is a pipe: write it to a file"
            if self.open_file is not None:
                problem = f"{self.open_file.path} is an open file: pass its path"
            raise InputError(
                "checkpoint= (--checkpoint) is for files that can be read again, but"
                f" {problem}, or leave it out"
            )
        return super().identity()

    def use_gpu_reader(self, read_groups: RowGroups | None) -> None:
        """Set the function that reads row groups to a GPU, unless the edges are an open file.

        Two threads then read: one thread prepares a read while the device decodes for the other.
        """
        if self.open_file is None:
            self.read_groups, self.readers = read_groups, 1 if read_groups is None else 2

    @cached_property
    def facts(self) -> dict[str, Any]:
        if self.open_file is not None:
            return Source.measure(self)
        by_file, messages = self._measure_parts(self._footers_of)
        if by_file is None:
            is_text_files = any(part.format in TEXT for part in self.parts)
            unknown_rows = {"pieces": len(self.parts), "edges": None, "span": None}
            return unknown_rows | {"text_files": is_text_files, "unreadable": messages}
        footers: list[Footer] = [footer for footers in by_file for footer in footers]
        ranges = [low_high for footer in footers if footer.rows for low_high in footer.bounds]
        are_integers = ranges and all(isinstance(low, int) for low, _ in ranges)
        span = None
        if are_integers and not isinstance(self.names[0], list):
            span = min(low for low, _ in ranges), max(high for _, high in ranges)
        return {
            "pieces": len(footers),
            "edges": sum(footer.rows + footer.skipped for footer in footers),
            "skipped": sum(footer.skipped for footer in footers),
            "span": span,
            "groups": list(map(len, by_file)),
            "footers": footers,
            "unreadable": messages,
        }

    def _footers_of(self, part: Part) -> list[Footer] | None:
        """Return the facts about the row groups of a Parquet file; None for any other file."""
        if part.format != "parquet" or (part.mark is None and os.path.exists(part.path)):
            return None  # another format, or a pipe
        with opened(part.path, part.mark) as file:
            if file.packing:
                return None
            with as_format(file, "parquet"):
                return parquet_facts(file, self.request(part.format))


# the memory for solving a frame of integers or text: bytes per row, and copies of the columns
INTEGER_ROW_BYTES, TEXT_ROW_BYTES = 100, 200
COPIES_OF_INTEGERS, COPIES_OF_TEXT = 3, 5


class Gathered:
    """A source of tables with its first chunks in memory, or all chunks if they fit.

    ``stops`` is called with each chunk and the bytes needed to solve all chunks so far. If it
    returns True, no further chunk is kept in memory. Other attributes are those of the source.
    """

    source: Source
    later_chunks: Iterator[Chunk]
    chunks: list[Chunk]  # the chunks in memory
    # all rows, with the column names of the first chunk; None if the rows and the memory for
    # solving them do not fit, or if the types of the chunks differ
    table: Any | None

    threaded = False

    def __init__(
        self, source: Source, budget: Budget, stops: Callable[[Chunk, int], bool] | None = None
    ) -> None:
        self.source, self.chunks = source, []
        self.later_chunks = source.read_ahead(Cursor(), budget, None)
        size, complete = 0, True
        for chunk in self.later_chunks:
            self.chunks.append(chunk)
            size += _solving_bytes(chunk)
            if size > budget.limit or (stops is not None and stops(chunk, size)):
                complete = False
                break
        self.table = _one_table(self.chunks) if complete else None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.source, name)

    @property
    def ledger(self) -> Ledger:
        """The ledger of the source: its rows, and the rows that its reader left out."""
        ledger = Ledger(self.given, unchecked=self.unchecked)
        for chunk in self.chunks:
            ledger = ledger.plus(Ledger(left_out=chunk.left_out))
        return ledger

    def read_ahead(self, start: Cursor, budget: Budget, text: Texts) -> Iterator[Chunk]:
        """Yield and release the chunks in memory, then yield the later chunks."""
        with closing(self.later_chunks):  # type: ignore[type-var]
            while self.chunks:
                yield self.chunks.pop(0)
            yield from self.later_chunks


def _solving_bytes(chunk: Chunk) -> int:
    """Estimate the memory that the rows of a chunk take in a frame that is solved."""
    rows, size = len(chunk.frame), int(getattr(chunk.frame, "nbytes", 0))
    if any(text_of(chunk.frame, chunk.source, chunk.destination)):
        return COPIES_OF_TEXT * size + TEXT_ROW_BYTES * rows
    return COPIES_OF_INTEGERS * size + INTEGER_ROW_BYTES * rows


def _one_table(chunks: list[Chunk]) -> Any:
    """Return the tables of all chunks as one, without copying; None if types of rows differ."""
    if not chunks or any(chunk.vertices is not None for chunk in chunks):  # a table declares none
        return None
    names, tables = list[str](), []
    for chunk in chunks:
        columns = distinct_columns(chunk.source, chunk.destination, chunk.weight)
        names = names or columns
        if len(columns) != len(names):
            return None
        tables.append(chunk.frame.select(columns).rename_columns(names))
    tables = [table for table in tables if len(table)] or tables[:1]
    if any(not table.schema.equals(tables[0].schema) for table in tables):
        return None
    return pa.concat_tables(tables).unify_dictionaries()


def text_of(table: Any, source: Side, destination: Side) -> list[bool]:
    """Return for each column of an id whether it is text at either end."""
    pairs = zip(*sides_of(source, destination), strict=True)
    return [any(is_text(table.schema.field(name).type) for name in pair) for pair in pairs]


def types_so_far(
    text: Sequence[bool | None] | None,
    table: Any,
    source: Side,
    destination: Side,
    typed: bool = False,
) -> list[bool | None]:
    """Return for each column of an id whether it is text, given one more table; None if unknown.

    ``text`` is the result for the earlier tables. A column without ids changes nothing, unless the
    table is ``typed``: its types are then known without ids. If no type is known, the list is
    empty, because ids may have more columns in later files.
    """
    pairs = list(zip(*sides_of(source, destination), strict=True))
    types = text_of(table, source, destination)
    known_types = [
        current if earlier is None and (typed or has_ids(table.select(list(pair)))) else earlier
        for earlier, current, pair in zip(text or [None] * len(pairs), types, pairs, strict=True)
    ]
    return [] if set(known_types) == {None} else known_types


def _load_unchanged(path: str, mark: Mark | None, load: Callable[[], Any]) -> Any:
    """Return the result of ``load()``; raise a ChangedFileError if the file then differs."""
    with unchanged(path, mark, mark_at):
        return load()


def _composite_ends(
    part: Part, options: TextOptions, bound: WeightBound | None
) -> tuple[Side | None, Side | None]:
    """Return the columns of both ends in the first file, if an id has several columns.

    All files then need these columns. Return (None, None) if an id has one column. Also return
    (None, None) if the file cannot be read, because reading it later raises the error.
    """
    path = part.path
    if part.format in TEXT and "://" not in path:
        # quick: ids have one column if the first bytes name no columns of datasets
        with suppress(OSError), open(path, "rb", buffering=0) as raw:
            head = first_of(raw)
            if not (options.encoding or packing_of(head) or may_name_datasets(head)):
                return None, None
    budget = Budget(2 * LEAST_TEXT_BYTES, LEAST_TEXT_BYTES)
    with suppress(InputError, CapacityError), opened(path, part.mark, budget) as file:
        kind = FORMATS[part.format or file.format(options)]
        # a binary file is not decompressed for its names alone
        if kind.names is None or (kind.binary and file.packing):
            return None, None
        weight = None if bound is None else bound.weight
        ends = end_columns(path, tuple(kind.names(file, options)), None, None, weight)
        if isinstance(ends[0], list):
            return ends
    return None, None


T = TypeVar("T")


def _unless_skipped(look: Callable[[], T], skips: bool | None) -> T | None:
    """Return ``look()``, a fact about a file; None if the file is unreadable and may be skipped."""
    with suppress(FormatError) if skips else nullcontext():
        return look()
    return None


def _format(path: str, mark: Mark | None, options: TextOptions, skips: bool | None) -> str:
    """Return the format of a file, from the options, its name or its first bytes.

    Return "" for a pipe, which has no ``mark``. If ``skips`` is true, also return "" for a file of
    unknown format, because the file is skipped later.
    """
    if known_format := options.format or named_format(path):
        return known_format
    if mark:
        with suppress(FormatError) if skips else nullcontext(), opened(path) as file:
            return file.format()
    return ""


def check_footer(fragment: Any, stream: Any) -> None:
    """Raise a ChangedFileError unless a file has the footer that its fragment has cached."""
    footer, cached = pq.read_metadata(stream), fragment.metadata
    check_one_file(fragment.path, stream, footer)
    has_columns = cached.num_row_groups and cached.num_columns
    # merged metadata of several files equal no footer; only there do columns have paths
    has_paths = has_columns and cached.row_group(0).column(0).file_path
    if not (has_paths or footer.equals(cached)):
        raise ChangedFileError(
            f"{fragment.path} was changed after the dataset had read its footer: create the"
            " dataset again"
        )


class Fragments(Parts):
    """The fragments of a dataset; only the columns of ids and of weights are read.

    Rows are counted before the filter of the dataset and the bound on weights are applied. A row
    group is skipped if its statistics show that the filter or the bound excludes all of its rows.
    """

    dataset: Any
    filter: Any
    weight: Any
    ids: list[str]
    columns: list[str]

    def __init__(
        self,
        dataset: Any,
        source: Side,
        destination: Side,
        bound: WeightBound | None = None,
        skips: bool | None = None,
    ) -> None:
        self.dataset, self.filter = without_filter(dataset)
        self.weight = None if bound is None else bound.name("the dataset")
        self.ids = distinct_columns(source, destination)
        self.columns = distinct_columns(source, destination, self.weight)
        for name in self.columns:
            place_of("the dataset", dataset.schema.names, name)  # raises an error if it is missing
        parts = [_part_of(fragment, skips) for fragment in self.dataset.get_fragments()]
        super().__init__(parts, (source, destination), bound, skips)
        self.filtered = self.filter is not None or bound is not None
        self.formats.append(SourceFormat("dataset", tuple(self.ids)))

    def unfiltered(self) -> Self:
        other = super().unfiltered()
        other.filter = None
        return other

    def read(self, start: Cursor, budget: Budget, text: Texts) -> Generator[Chunk, None, None]:
        if not self.parts:
            yield self._chunk_of(self._empty_table)._replace(after=start)
        yield from super().read(start, budget, text)

    @contextmanager
    def _opened(self, part: Part, budget: Budget) -> Iterator[File]:
        fragment = part.fragment
        open_file: Any = fragment.open if hasattr(type(fragment), "row_groups") else nullcontext
        with _unchanged(part), open_file() as raw:
            check_columns(fragment, self.columns)
            if raw is not None:  # a Parquet file
                check_footer(fragment, raw)
            file = File(part.path, raw, 0 if raw is None else raw.size(), None, budget=budget)
            file.groups = dict(enumerate(map(_rows_of, groups_of(fragment))))
            yield file

    def _pieces(self, number: int, file: File, place: Place) -> Iterator[tuple[Piece, Chunk]]:
        fragment = self.parts[number].fragment
        groups, filtered = groups_of(fragment), self._groups_outside(fragment, self.filter)
        excluded = filtered | self._groups_outside(fragment, self._condition)

        def tables(group: int) -> Iterator[Any]:
            return self._tables(groups[group], file, place.rows)

        for piece in pieces_of_groups(file, place, tables, self._empty_table, excluded):
            chunk = self._chunk_of(piece.table)
            if piece.skipped and piece.group in filtered:
                chunk = chunk._replace(left_out={"filtered": piece.skipped})
                piece = replace(piece, skipped=0)  # otherwise counted again, as "row_group"
            yield piece, chunk

    def _tables(self, group: Any, file: File, rows: Callable[[], int]) -> Iterator[Any]:
        """Yield the rows of a row group in tables within a memory limit.

        ``rows()`` is the maximum number of rows of a table. Rows are read from the file itself if
        its columns have the types of the dataset, because a scan decodes the whole row group before
        it yields the first table.
        """
        raw: Any = file.raw
        schema, columns = self.dataset.schema, cast(Any, self.columns)
        if self.filter is not None:  # KEPT tells whether a row passes
            columns = {name: pads.field(name) for name in self.columns} | {KEPT: self.filter}
        in_file = group.physical_schema
        has_same_types = all(
            in_file.names.count(name) == 1 and in_file.field(name) == schema.field(name)
            for name in self._stored_columns
        )
        if raw is None or not has_same_types:
            batches = group.to_batches(
                schema=schema,
                columns=columns,
                batch_size=rows(),
                batch_readahead=1,
                fragment_readahead=1,
            )
            yield from (pa.Table.from_batches([batch]) for batch in batches)
            return
        options = {"metadata": group.metadata, "pre_buffer": False, "buffer_size": 1 << 20}
        with pq.ParquetFile(raw, **options) as parquet:
            [number] = [row_group.id for row_group in group.row_groups]
            for table in group_tables(file, raw, parquet, number, self._stored_columns, rows):
                if self.filter is None:
                    yield table.select(columns)
                else:
                    yield pads.dataset(table).to_table(columns=columns)

    @cached_property
    def _stored_columns(self) -> list[str]:
        """The columns to read: the columns of edges, and all columns that the filter may name."""
        condition = "" if self.filter is None else str(self.filter)
        # the text of an expression contains the names of its columns
        others = [
            name
            for name in self.dataset.schema.names
            if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", condition)
        ]
        return list(dict.fromkeys([*self.columns, *others]))

    def _chunk_of(self, table: Any) -> Chunk:
        """Return the rows of a table that the filter of the dataset keeps, as a chunk."""
        left_out: dict[str, int] = {}
        if KEPT in table.column_names:
            mask = pc.fill_null(table.column(KEPT), False).to_numpy()
            if outside := len(table) - int(mask.sum()):
                left_out = {"filtered": outside}
            table = rows_where_true(table.select(self.columns), mask)
        return Chunk(table, *self.names, Cursor(), weight=self.weight, left_out=left_out)

    @property
    def _condition(self) -> Any:
        """The bound on weights as an expression; None if there is no bound."""
        bound = self.bound
        if bound is None or not bound.has_limits:
            return None
        return bound.expression(self.dataset.schema)

    def _groups_outside(self, fragment: Any, condition: Any) -> set[int]:
        """Return the row groups whose statistics show that no row meets a condition."""
        if condition is None or not hasattr(fragment, "split_by_row_group"):
            return set()
        positions = {group.id: position for position, group in enumerate(fragment.row_groups)}
        matching = fragment.split_by_row_group(condition, schema=self.dataset.schema)
        inside = {positions[group.id] for piece in matching for group in piece.row_groups}
        return set(positions.values()) - inside

    @cached_property
    def _empty_table(self) -> Any:
        """An empty table of the columns."""
        fields = [self.dataset.schema.field(name) for name in self.columns]
        # schema.empty_table() would need arrays, which some types do not have
        return pa.Table.from_batches([], pa.schema(fields))

    def identity(self) -> dict[str, Any]:
        """Return the entries of the files or of data in memory, the types and the filter."""
        kinds = [f"{name}: {self.dataset.schema.field(name).type}" for name in self.columns]
        return {
            "kind": "dataset",
            "schema": ", ".join(kinds),
            "filter": "none" if self.filter is None else str(self.filter),
            "files": self.entries,
        }

    def _entry(self, part: Part) -> Entry:
        return super()._entry(part) if part.name else _entry_in_memory(part.fragment, self.ids)

    @cached_property
    def facts(self) -> dict[str, Any]:
        groups_of_parts, messages = self._measure_parts(_groups_of_part)
        facts = {
            "pieces": len(groups_of_parts) - len(messages),
            "edges": None,
            "span": None,
            "text": any(is_text(self.dataset.schema.field(name).type) for name in self.ids),
            "groups": list(map(len, groups_of_parts)),
            "unreadable": messages,
        }
        fragments = [group for groups in groups_of_parts for group in groups]
        if not all(getattr(fragment, "row_groups", None) for fragment in fragments):
            return facts
        condition, footers = self._condition, list[Footer]()
        for part, groups in zip(self.parts, groups_of_parts, strict=True):
            outside = set()
            if groups:  # otherwise the file is skipped
                outside = self._groups_outside(part.fragment, self.filter)
                outside |= self._groups_outside(part.fragment, condition)
            for position, group in enumerate(groups):
                numbers = [row_group.id for row_group in group.row_groups]
                group_footers = footers_of(group.metadata, numbers, self.ids)
                is_outside = position in outside
                footers += [footer.outside() if is_outside else footer for footer in group_footers]
        skipped = sum(footer.skipped for footer in footers)
        row_count = skipped + sum(footer.rows for footer in footers)
        return facts | {"edges": row_count, "skipped": skipped, "footers": footers}


KEPT = "cc_rapids kept"  # the boolean column that tells which rows the filter of a dataset keeps


def without_filter(dataset: Any) -> tuple[Any, Any]:
    """Return a dataset without its filter, and the filter, which is None if there is none.

    PyArrow returns no fragments of a dataset with a filter, and has no public access to the filter.
    """
    condition = (getattr(dataset, "_scan_options", None) or {}).get("filter")
    if condition is None:
        return dataset, None
    plain = dataset.replace_schema(dataset.schema)  # a copy with separate options
    plain._scan_options.clear()
    return plain, condition


def _part_of(fragment: Any, skips: bool | None) -> Part:
    """Return a fragment as a part; ``skips`` is :attr:`Source.skips`."""
    path = getattr(fragment, "path", "")
    if not path:  # data in memory
        return Part("", "", None, fragment=fragment)
    name = os.path.abspath(path) if fragment.filesystem.type_name == "local" else path
    mark = _unless_skipped(partial(_mark_in, fragment.filesystem, path), skips)
    return Part(path, name, mark, fragment=fragment)


def _mark_in(system: Any, path: str) -> Mark | None:
    """Return the mark of a file in a file system of PyArrow; raise a FormatError for no file."""
    if system.type_name == "local":
        return mark_at(path)
    with errors_naming(path):
        info = system.get_file_info(path)
    if not info.is_file:
        raise FormatError(f"{path} cannot be read: there is no such file")
    return Mark(info.size or 0, str(info.mtime_ns or ""))


def check_columns(fragment: Any, columns: list[str]) -> None:
    """Raise a MissingColumnError if a fragment of a dataset lacks one of the columns.

    PyArrow would read the missing column as nulls.
    """
    keys = pads.get_partition_keys(fragment.partition_expression)
    names = list(dict.fromkeys([*fragment.physical_schema.names, *keys]))
    for name in columns:
        place_of(getattr(fragment, "path", "the dataset"), names, name)


@contextmanager
def _unchanged(part: Part) -> Iterator[None]:
    """Return a context for a read: errors become FormatErrors, and the file must not change."""
    look = partial(_mark_in, getattr(part.fragment, "filesystem", None))
    with unchanged(part.path, part.mark, look) if part.path else nullcontext():
        try:
            yield
        except CcRapidsError:
            raise
        except (OSError, pa.ArrowException) as error:
            raise FormatError(f"{part.path or 'the dataset'} cannot be read: {error}") from error


def _entry_in_memory(fragment: Any, columns: list[str]) -> Entry:
    """Return the entry of data in memory: the number of rows, and a hash of the columns.

    Rows with a null are not hashed.
    """
    content, rows = Content(), 0
    for batch in fragment.to_batches(columns=columns):
        ids = [unchecked(name, batch.column(name)) for name in columns]
        keep = common_rows(ids)
        content.add([column.where(keep) for column in ids])
        rows += len(batch)
    return [f"{rows:,}{IN_MEMORY}", 0, content.digest()]


def groups_of(fragment: Any) -> list[Any]:
    """Return the row groups of a fragment as fragments, or the fragment itself if it has none."""
    split = getattr(fragment, "split_by_row_group", None)
    return list(split()) if split else [fragment]


def _groups_of_part(part: Part) -> list[Any]:
    """Return the row groups of a part; raise a FormatError if its file is unreadable."""
    with _unchanged(part):
        return groups_of(part.fragment)


def _rows_of(group: Any) -> int:
    """Return the number of rows of a fragment, from the footers of its row groups or by a scan."""
    groups = getattr(group, "row_groups", None)
    if groups is None:
        return int(group.count_rows())
    return sum(row_group.num_rows for row_group in groups)


@dataclass(eq=False)
class Items(Source):
    """An iterable of frames, tuples of two columns, lists of pairs or record batches.

    A resumed run reads the finished rows from the iterable again, and yields these as old chunks.
    ``open_item`` returns a request for the columns of an item, and the item in a form whose rows
    can be counted and sliced: see :func:`cc_rapids.data.adapters.opened_item`. If ``closes``, the
    iterable is closed at the end; a caller's generator stays open, as after a loop over it.
    """

    items: Any
    names: tuple[Any, Any]
    open_item: Callable[..., tuple[ReadRequest, Any]]
    weights: Any = None  # a column of all items, or an array with the weights of the only item
    row_count: int | None = None  # the rows of all items; None if unknown
    threaded: bool = False  # whether any thread may read the items
    arrow: bool = False
    closes: bool = False
    formats: list[SourceFormat] = field(init=False, default_factory=list)
    yielded_rows: int = field(init=False, default=0)  # the number of rows of the items so far
    finished_rows: int = field(init=False, default=0)  # how many of these an earlier run linked

    def __post_init__(self) -> None:
        if self.row_count is None and isinstance(self.items, list):
            self.row_count = sum(map(length, self.items))
        self.filtered = self.weights is not None  # they are read only for a bound
        self.unchecked = self.row_count is None

    @property
    def given(self) -> int:
        """The number of rows of all items, without the rows that an earlier run has linked.

        For an iterator, only the items that it has yielded count.
        """
        row_count = self.yielded_rows if self.row_count is None else self.row_count
        return row_count - self.finished_rows

    def read(self, start: Cursor, budget: Budget, text: Texts) -> Generator[Chunk, None, None]:
        """Yield the items, in slices if they are larger than a chunk."""
        with closing(self.items) if self.closes else nullcontext():
            yield from self._chunks(start, budget)

    def _chunks(self, start: Cursor, budget: Budget) -> Generator[Chunk, None, None]:
        number, self.yielded_rows, self.finished_rows = -1, 0, 0  # number -1: no item so far
        for number, item in enumerate(self.items):
            request, item = self.open_item(item, budget, *self.names, self.weights)
            if isinstance(item, tuple):
                item = tuple(map(collected, item))  # lazy frames of one column
            begin, size = 0, length(item)
            done = size if number < start.file else 0  # the rows that an earlier run has linked
            if number == start.file:
                done = start.rows
            rows_before = self.yielded_rows
            self.yielded_rows += size
            self.finished_rows += min(done, size)
            row_bytes = _row_bytes(item, request.columns(self.weights))
            while True:  # an item without rows is a chunk, too
                rows = budget.fitting_rows(row_bytes) if row_bytes else budget.rows
                last = done if begin < done else size  # an old chunk ends at the last finished row
                end = min(size, begin + rows, last)
                weight = self.weights
                if weight is not None and not isinstance(weight, str | int):
                    weight = sliced_column(weight, begin, end)
                yield Chunk(
                    sliced(item, begin, end),
                    *request.names,
                    Cursor(number + 1) if end == size else Cursor(number, 0, end),
                    old=number < start.file or 0 < end <= done,
                    weight=weight,
                    given=rows_before + end - self.finished_rows,
                )
                begin = end
                if begin >= size:
                    break
        if number < 0 and hasattr(self.items, "schema"):  # a PyArrow reader of no record batches
            empty = self.items.schema.empty_table()
            request, empty = self.open_item(empty, budget, *self.names, self.weights)
            yield Chunk(empty, *request.names, start, weight=self.weights)

    def identity(self) -> dict[str, Any]:
        """Return the identity of an iterable, whose content is unknown in advance."""
        return {"kind": "iterable"}

    def measure(self) -> dict[str, Any]:
        """Return the number of rows and of items if the items are in a list."""
        if isinstance(self.items, list):
            return {"pieces": len(self.items), "edges": self.row_count, "span": None}
        return super().measure()


def _row_bytes(item: Any, columns: Sequence[str]) -> float:
    """Return the mean bytes of text in a row of an item on the host; 0 for an item without text."""
    if isinstance(item, tuple):
        return sum(map(_text_bytes, item))
    if not is_table(item):  # a single column raises an error when it is read
        return 0.0
    names = columns_of(item)
    return sum(_text_bytes(item[name]) for name in columns if names.count(name) == 1)


def _text_bytes(column: Any) -> float:
    """Return the mean bytes of the strings of a column; 0 for other columns and on a GPU.

    For Python's strings, the mean is that of a few rows. A frame has the columns of an id.
    """
    if is_cudf(column) or not hasattr(column, "__len__") or not len(column):
        return 0.0
    if is_table(column):
        return _row_bytes(column, columns_of(column))
    if hasattr(column, "chunks") or hasattr(column, "buffers"):  # an Arrow column
        return column.nbytes / len(column) if is_text(column.type) else 0.0
    if hasattr(column, "estimated_size"):  # a Polars column
        return column.estimated_size() / len(column) if str(column.dtype) == "String" else 0.0
    if getattr(getattr(column, "dtype", None), "kind", "O") not in "OSU":
        return 0.0
    step = -(-len(column) // MEASURED)
    sample = column.iloc[::step] if hasattr(column, "iloc") else column[::step]
    lengths = [len(value) for value in sample if isinstance(value, str | bytes)]
    return sum(lengths) / len(sample)


def length(item: Any) -> int:
    """Return the number of rows of a frame, a tuple of two columns, or a list of pairs."""
    if isinstance(item, Mapping):
        return length(next(iter(item.values()), ()))
    if isinstance(item, tuple):
        return len(item[0]) if len(item) == 2 and hasattr(item[0], "__len__") else 0
    if hasattr(item, "__len__"):
        return len(item)
    return length_of(item) if hasattr(type(item), "collect_schema") else 0  # a lazy frame


def sliced(item: Any, start: int, end: int) -> Any:
    """Return rows ``start`` to ``end`` of a frame or a pair, without a copy where possible."""
    if start == 0 and end >= length(item):
        return item
    if isinstance(item, tuple):
        return tuple(sliced_column(column, start, end) for column in item)
    if isinstance(item, Mapping):
        return {name: sliced_column(column, start, end) for name, column in item.items()}
    return sliced_column(item, start, end)


def sliced_column(column: Any, start: int, end: int) -> Any:
    """Return rows ``start`` to ``end`` of a frame, column or array."""
    if hasattr(column, "iloc"):
        return column.iloc[start:end]
    if hasattr(column, "slice"):
        return column.slice(start, end - start)
    return column[start:end]


def read_ahead(chunks: Generator[Chunk, None, None], readers: int = 1) -> Iterator[Chunk]:
    """Yield the chunks in order, and load later chunks while the caller uses a chunk.

    One thread advances ``chunks``. At most ``readers`` chunks are loaded in addition to the chunk
    in use, each in its own thread. Errors of ``chunks`` are raised here. Closing the returned
    iterator also closes ``chunks``, as soon as no thread advances it.
    """

    def advance() -> Chunk | Future[Chunk] | None:
        """Return the next chunk, or a future chunk if it must be loaded; None at the end."""
        chunk = next(chunks, None)
        return chunk if chunk is None or chunk.load is None else loaders.submit(chunk.loaded)

    with (
        ThreadPoolExecutor(readers, "cc_rapids loads") as loaders,
        ThreadPoolExecutor(1, "cc_rapids reads ahead") as reader,
    ):
        ahead = deque(reader.submit(advance) for _ in range(readers))
        try:
            while (loading := ahead.popleft().result()) is not None:
                chunk = loading.result() if isinstance(loading, Future) else loading
                del loading  # a reference would keep the memory of the chunk
                ahead.append(reader.submit(advance))
                yield chunk
                del chunk
        finally:
            reader.shutdown(cancel_futures=True)
            chunks.close()
