"""Files: paths, patterns and addresses, each file read in pieces where its format allows it."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from ..errors import CapacityError, FormatError, InputError
from ..formats import (
    DELIMITERS,
    IN_PIECES,
    File,
    Mark,
    RowGroups,
    Taken,
    Wanted,
    check_header,
    check_path,
    format_of,
    is_text,
    mark_of,
    parquet_facts,
    read_pieces,
    unchanged,
)
from ..frames import Side
from .entries import Entry, arranged, more_of
from .kinds import Chunk, Cursor, Texts
from .memory import FILE_BYTES, TEXT_BYTES, Budget, in_words

WHOLE = 8  # bytes in memory for each byte of a file that is read whole


@dataclass(frozen=True)
class Files:
    """Some files, in the order of their names or as they were listed.

    ``marks`` are those of the files when they were listed: one that is another when it is opened,
    or when it has been read, is refused by a ChangedFileError. ``names`` are the columns that were
    asked for, None where they were not. ``read_groups`` reads the row groups of Parquet files to a
    GPU, if that is where they go. ``header`` says of text files whether their first line names the
    columns, and ``taken`` how files were read so far.
    """

    paths: list[str]
    marks: list[Mark | None]
    names: tuple[Side | None, Side | None]
    read_groups: RowGroups | None = None
    header: bool | None = None
    taken: list[Taken] = field(default_factory=list, compare=False)

    threaded = True
    arrow = True

    @property
    def readers(self) -> int:
        """On a GPU two, so that one prepares its reads while the device decodes for the other."""
        return 1 if self.read_groups is None else 2

    @classmethod
    def of(
        cls,
        edges: Any,
        source: Side | None,
        destination: Side | None,
        read_groups: RowGroups | None = None,
        header: bool | None = None,
    ) -> Files:
        """The files that paths and patterns name.

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
        return cls(paths, marks, (source, destination), read_groups, header)

    @property
    def fixed(self) -> int:
        """Bytes that reading takes beside the chunks."""
        text = any(format_of(Path(path)) in ("csv", "tsv", "snap") for path in self.paths)
        packed = any(format_of(Path(p)) in ("parquet", "arrow") and _packed(p) for p in self.paths)
        largest = max((mark.size for mark in self.marks if mark), default=0) if packed else 0
        return (TEXT_BYTES if text else FILE_BYTES) + WHOLE * largest

    def read(self, start: Cursor, budget: Budget, text: Texts) -> Generator[Chunk, None, None]:
        """The pieces of all files from a place on."""
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
        mark = self.marks[number]
        with opened(path, mark) as file:
            wanted = self._wanted(path)
            if wanted.format not in IN_PIECES and file.size * WHOLE > budget.room:
                raise CapacityError(
                    f"{path} of {in_words(file.size)} is {wanted.format}, which is read whole, and"
                    f" takes some {in_words(WHOLE * file.size)}: raise memory_limit, or convert it"
                    " (cc-rapids convert) to Parquet"
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
                last = Chunk(piece.table, source, destination, after, piece.vertices, load=load)
        if last is not None:  # with the last piece the file is done
            yield replace(last, after=Cursor(number + 1))

    def _wanted(self, path: str) -> Wanted:
        kind = format_of(Path(path))
        return Wanted(*self.names, kind, self.header if kind in DELIMITERS else None)

    def identity(self) -> dict[str, Any]:
        """Path, size and time of change of each file."""
        return {"kind": "files", "files": self._entries()}

    def _entries(self) -> list[Entry]:
        return [
            [path if "://" in path else os.path.abspath(path), *(mark[:2] if mark else (0, ""))]
            for path, mark in zip(self.paths, self.marks, strict=True)
        ]

    def going_on(self, theirs: dict[str, Any]) -> tuple[Files, str]:
        """The files of an identity first, in its order, and then all others; and how many these
        are, in words.
        """
        order = arranged(self._entries(), theirs["files"])
        paths, marks = [self.paths[k] for k in order], [self.marks[k] for k in order]
        return replace(self, paths=paths, marks=marks), more_of(order, theirs["files"], "file")

    def measure(self) -> dict[str, Any]:
        """Pieces, edges and the span of the ids, as far as the metadata of Parquet files tell."""
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


def text_of(table: Any, source: Side, destination: Side) -> list[bool]:
    """For each column of an id whether it is text."""
    sides = (side if isinstance(side, list) else [side] for side in (source, destination))
    pairs = zip(*sides, strict=True)
    return [any(is_text(table.schema.field(name).type) for name in pair) for pair in pairs]


def _packed(path: str) -> bool:
    return path.endswith((".gz", ".zst"))


def _remote(path: str) -> tuple[Any, str]:
    """The file system of an address, and the path there; by fsspec."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise InputError(f"{path} is read by fsspec: pip install fsspec") from None
    found: tuple[Any, str] = url_to_fs(path)
    return found


def expanded(path: str) -> list[str]:
    """The files that a path or pattern names, in the order of their names.

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
            found = [path]
    if not found:
        raise FormatError(f"no file matches {path}")
    return found


def _mark(path: str) -> Mark | None:
    """The mark of a file, here or elsewhere."""
    try:
        if "://" not in path:
            return mark_of(path)
        system, inside = _remote(path)
        system.invalidate_cache(inside)  # what a listing said may be old
        info = system.info(inside)
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error.strerror or error}") from error
    times = (info.get(name) for name in ("ETag", "etag", "mtime", "LastModified", "created"))
    return Mark(int(info["size"] or 0), str(next((time for time in times if time), "")))


def _loaded(path: str, mark: Mark | None, load: Callable[[], Any]) -> Any:
    """What is loaded from a file by its path, in any thread."""
    with unchanged(path, mark, _mark):
        return load()


@contextmanager
def opened(path: str, mark: Mark | None = None) -> Iterator[File]:
    """Return a file, open for reading in a context, on this machine or elsewhere; errors are those
    of formats. At its end the file has to be what it was when it was marked, or is now.
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
