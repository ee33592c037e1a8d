"""Represent a file that is being read: its bytes, its format, and its state, to detect changes."""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from hashlib import blake2b
from io import BytesIO, FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

from ...errors import (
    CapacityError,
    ChangedFileError,
    FormatError,
    InputError,
    counted,
    hint_of,
    unknown,
)
from ...ledger import Ledger
from ..end_columns import Side, end_columns, place_of, sides_of
from ..memory_budget import LEAST_VERTEX_BYTES, WITHOUT_ISOLATED, Budget, check_machine
from ..text_options import NO_OPTIONS, TextOptions
from .delimited import LineCount
from .formats import FORMATS, SUFFIXES
from .handle import UNPACKED, first_of, marked_encoding, packing_of, unpacked

if TYPE_CHECKING:
    from ..weight_bound import WeightBound


PACKED = (".gz", ".zst")  # suffixes of compressed files that can be written
END_BYTES = 1 << 16  # the number of bytes at each end of a file that a checkpoint hashes
SHOWN_BYTES = 16  # the number of first bytes that messages show


def format_of(path: str | Path, format: str | None = None) -> str:
    """Return ``format`` if it is given, otherwise the format of the suffix of a path."""
    if format is not None:
        if format in FORMATS:
            return format
        raise FormatError(unknown("format", format, FORMATS))
    if of_suffix := named_format(path):
        return of_suffix
    raise _unknown_format_error(path)


def _unknown_format_error(path: str | Path, content: str = "") -> FormatError:
    """Return the error for a file of unknown format; ``content`` describes its first bytes."""
    suffix = os.path.splitext(_file_name(path))[1]
    return FormatError(
        f"cannot tell the format of {path} from its suffix {suffix!r}{content}:"
        f"{hint_of(suffix, SUFFIXES)} pass it as format= (--format), one of {', '.join(FORMATS)}"
    )


ADJACENCY = (".adj", ".adjlist")  # suffixes of NetworkX's adjacency lists
_JSON_ARRAY = re.compile(rb"\s*\[\s*[\[{]")


def _json_array_error(path: str) -> FormatError:
    """Return the error for a file that holds a JSON array."""
    return FormatError(
        f"{path} is an array of JSON, which cc_rapids does not read: write each object on a"
        " line of its own, as jq -c '.[]' does, and pass format='jsonl' (--format jsonl), or pass"
        f" pandas.read_json(path); the formats are {', '.join(FORMATS)}"
    )


def named_format(path: str | Path) -> str:
    """Return the format of the suffix of a path; empty if it is not known.

    The suffix of a compressed file is skipped. In a chained address such as
    ``zip://edges.csv::all.zip``, the first path counts.
    """
    return SUFFIXES.get(os.path.splitext(_file_name(path))[1], "")


def _file_name(path: str | Path) -> str:
    """Return the file name of a path in lower case, without the suffix of a compressed file."""
    if ":/" in (address := str(path)) and "::" in address:  # a part such as simplecache has no path
        path = next(part for part in address.split("::") if ":/" in part)
    name = os.path.basename(str(path).rstrip("/")).lower()
    return next((name.removesuffix(end) for end in UNPACKED if name.endswith(end)), name)


def packing(path: Path) -> str:
    """Return the compression for writing a path: ``".gz"``, ``".zst"`` or an empty string."""
    suffix = path.suffix.lower()
    return suffix if suffix in PACKED else ""


def detect_format(first: bytes) -> str | None:
    """Return the format that the first decompressed bytes of a file show; None if unknown.

    Text without the signature of a format is csv if its first line after comments has a comma, tsv
    if there are no comments and the line has a tab, and otherwise snap.
    """
    for name, format in FORMATS.items():
        if format.begins(first):
            return name
    if b"\0" in first:
        return "snap" if _is_wide_text(first) else None
    lines = [line for line in first.splitlines() if line.strip()] or [b""]
    line = next((line for line in lines if line[:1] not in (b"#", b"%")), b"")
    if b"," in line:
        return "csv"
    return "tsv" if b"\t" in line and line is lines[0] else "snap"


def _is_wide_text(first: bytes) -> bool:
    """Return whether bytes are UTF-16 or UTF-32 text: with a byte order mark, or mostly ASCII."""
    if marked := marked_encoding(first):
        encodings = [marked]
    else:  # the high byte of an ASCII character is 0
        high_bytes = {"utf-16-le": first[1::2], "utf-16-be": first[::2]}
        encodings = [name for name, high in high_bytes.items() if 2 * high.count(b"\0") > len(high)]
    for encoding in encodings:
        with suppress(UnicodeDecodeError):
            # the first bytes may end within a character
            text = codecs.getincrementaldecoder(encoding)().decode(first)
            return all(word.isprintable() for word in text.split())
    return False


@contextmanager
def as_format(file: File, format: str) -> Iterator[None]:
    """Convert an InputError in the context to a FormatError if the file has another format."""
    first = file.head
    try:
        yield
    except InputError as error:
        if not FORMATS[format].binary and _JSON_ARRAY.match(first):
            raise _json_array_error(file.path) from error
        detected = detect_format(first) if first else None
        if detected is None or detected == format:
            raise
        actual, expected = FORMATS[detected], FORMATS[format]
        if not actual.starts and not expected.binary:  # formats without a signature look alike
            raise
        advice = f"format={detected!r} (--format {detected})"
        advice += f", or give it the suffix {actual.suffixes[0]}"
        if detected == "snap":  # or any other format of text
            advice = "its format as format= (--format), or give it the suffix of that format"
        start = b"" if actual.binary else first[:SHOWN_BYTES].split(b"\n")[0]
        shown = f" ({start!r})" if start else ""
        raise FormatError(
            f"{file.path} cannot be read as {expected.title or format}: it begins like"
            f" {actual.title or detected}{shown}: pass {advice}"
        ) from error


def _first_or_empty(raw: Any) -> bytes:
    """Return the first bytes of a file; empty after an error, which reading raises again later."""
    try:
        return first_of(raw)
    except OSError:
        return b""


Progress = Callable[[int, int], object]  # takes the bytes processed, and the size of the file
CONVERT = "convert the file (cc-rapids convert) to Parquet"


@dataclass
class File:
    """A file that is being read.

    ``header``, ``delimiter``, ``comment_mark`` and ``lines`` are for files of text. ``groups`` maps
    the number of each row group or record batch to its number of rows. A file that is read as a
    whole has one group; csv, tsv and snap have none.
    """

    path: str
    raw: FileIO  # the stored bytes: a seekable file or a Handle
    size: int
    on_progress: Progress | None
    header: bool | None = None  # whether the first line is a header; None before it is read
    delimiter: str | None = None  # between fields
    comment_mark: bytes = b""  # the first character of the comments above the records
    decoded: bool = False  # whether the caller opened the file as text
    can_restart: bool = False  # whether a stream can read this file and all earlier ones again
    budget: Budget | None = None  # the memory limit of reading
    bytes_read: int = 0
    max_bytes: int | None = None  # the maximum number of decompressed bytes to read
    copies: int = 1  # bytes of memory per decompressed byte
    groups: dict[int, int] = field(default_factory=dict)
    lines: LineCount = field(default_factory=LineCount)

    @property
    def ledger(self) -> Ledger:
        """The ledger of a file that was read to its end."""
        return Ledger(sum(self.groups.values())) if self.groups else self.lines.ledger(self.path)

    def has_rows_after(self, group: int, whole: bool) -> bool:
        """Return whether rows are known to follow in a group, or after it if ``whole``."""
        return (group + 1 if whole else group) in self.groups

    def rows_until(self, group: int, rows: int, whole: bool) -> int:
        """Count the rows of earlier groups and ``rows`` of this one, or all of it if ``whole``."""
        before = sum(size for k, size in self.groups.items() if k < group)
        return before + (self.groups.get(group, rows) if whole else rows)

    @property
    def is_plain(self) -> bool:
        """True for a local file that is neither compressed nor in an archive."""
        return "://" not in self.path and not self.packing

    @cached_property
    def named(self) -> str:
        """The format given by the name; empty if unknown."""
        return named_format(self.path)

    def format(self, options: TextOptions = NO_OPTIONS) -> str:
        """Return the format that the caller, the name or the first bytes give, in this order."""
        if not (options.format or self.named):
            if _JSON_ARRAY.match(self.head):
                raise _json_array_error(self.path)
            if _file_name(self.path).endswith(ADJACENCY):
                raise FormatError(
                    f"{self.path} has the suffix of an adjacency list, in which a line may name"
                    " several neighbours: pass networkx.read_adjlist(path); or, if each line is an"
                    " edge, pass format='snap' (--format snap)"
                )
        name = options.format or self.named or detect_format(self.head)
        if not name and (options.encoding or options.delimiter):
            name = "snap"  # text in another encoding may look binary
        if not name:
            raise _unknown_format_error(self.path, f" or its first bytes {self.head[:8]!r}")
        return name

    @cached_property
    def packing(self) -> str:
        """The suffix of the compression, detected from the first bytes; empty if there is none."""
        return packing_of(self._first)

    @cached_property
    def _first(self) -> bytes:
        """The first stored bytes."""
        return _first_or_empty(self.raw)

    @cached_property  # PyArrow's stream closes the underlying file when it is deleted
    def stream(self) -> BinaryIO:
        """The bytes of the file, decompressed."""
        return unpacked(self.raw, self.packing)

    @cached_property
    def head(self) -> bytes:
        """The first decompressed bytes; empty if the file is damaged. Get them before reading."""
        return _first_or_empty(self.stream) if self.packing else self._first

    def seekable_stream(self) -> BinaryIO:
        """Return a seekable stream of the file; a compressed file is decompressed into memory."""
        if not self.packing and self.raw.seekable():
            return cast(BinaryIO, self.raw)
        self.check_bound(self.size, copies=1)
        content = BytesIO()
        for piece in self.pieces(1 << 20):
            content.write(piece)
        content.seek(0)
        if self.budget is not None:
            self.budget.loaded = self.bytes_read
        return content

    def check_bound(
        self, size: int, copies: int, what: str = "is read as a whole", way: str = CONVERT
    ) -> None:
        """Raise a CapacityError if ``size`` bytes and their copies do not fit into memory.

        With a memory limit, :meth:`read` raises it later if the decompressed file does not fit.
        For the message, ``what`` tells how the file is read, and ``way`` how to avoid the error.
        """
        if self.budget is None:
            check_machine(f"{self.path} {what}, {size:,} bytes", size, way)
        else:
            self.copies, self.max_bytes = copies, self.budget.whole_bytes // copies
            if size > self.max_bytes:
                raise self._too_large(size, what, way)

    def check_vertices(self, count: int) -> None:
        """Raise a CapacityError if the file declares more vertices than fit."""
        if self.budget is None:
            what = f"{self.path} declares {count:,} vertices"
            check_machine(what, LEAST_VERTEX_BYTES * count, WITHOUT_ISOLATED)
        else:
            self.budget.check_vertices(self.path, count)

    def _too_large(
        self, size: int, what: str = "is read as a whole", way: str = CONVERT
    ) -> CapacityError:
        """Return the error for ``size`` decompressed bytes that do not fit; ``way`` avoids it."""
        assert self.budget is not None
        in_words, limit = self.budget.in_words, self.budget.limit
        unpacked = f", {in_words(size)} or more when decompressed," if size > self.size else ""
        # the memory that is kept for chunks and for reading, and the copies of the file
        need = in_words(limit - self.budget.whole_bytes + self.copies * size)
        return CapacityError(
            f"{self.path} of {in_words(self.size)}{unpacked} {what}, and takes about {need}, but"
            f" memory_limit is {in_words(limit)}: raise it, or {way}"
        )

    def pieces(self, size: int = 16 << 20) -> Iterator[bytes]:
        """Yield the bytes of the file in pieces of a given size."""
        while piece := self.read(size):
            yield piece
            self.report_place()

    def read(self, size: int) -> bytes:
        """Return the next bytes, decompressed; raise an error for a damaged or too large file."""
        try:
            piece = self.stream.read(size)
        except OSError as error:  # a damaged file or a broken connection
            raise FormatError(f"{self.path} cannot be read to its end: {error}") from error
        self.bytes_read += len(piece)
        if self.max_bytes is not None and self.bytes_read > self.max_bytes:
            raise self._too_large(self.bytes_read)
        return piece

    def report(self, done: int) -> None:
        """Report the number of processed bytes to the caller."""
        if self.on_progress is not None:
            self.on_progress(done, self.size)

    def report_place(self) -> None:
        """Report the position of the reader to the caller."""
        if self.raw.seekable():  # a pipe has no position and no size
            self.report(self.raw.tell())


@dataclass(frozen=True)
class ColumnRequest:
    """The columns that the caller requested, for ids of one or several columns.

    ``options`` are the options of text files. With ``null_weights``, a weight may be null, or an
    empty field of text. A row group is not read if all of its weights are outside the ``bound``.
    """

    source: str | list[str] | None
    destination: str | list[str] | None
    format: str
    options: TextOptions = NO_OPTIONS
    weights: bool = False
    weight: str | None = None
    null_weights: bool = False
    bound: WeightBound | None = None

    @property
    def requested(self) -> list[str]:
        """The columns of ids and of weights that the caller named."""
        sides = sides_of(self.source, self.destination, self.weight)
        return [name for side in sides for name in side if name is not None]

    def width(self, columns: int) -> int:
        """Return the number of columns of ids in a table of ``columns`` columns.

        If the caller names several columns per side, a column of both sides counts once. Otherwise
        the last column holds weights if the number of columns is odd.
        """
        if isinstance(self.source, list) and isinstance(self.destination, list):
            return len({*self.source, *self.destination})
        return columns // 2 * 2

    def ids_in(self, columns: list[str]) -> list[str]:
        """Return the columns of ids of a table, which come before the column of weights."""
        return columns[: self.width(len(columns))]

    def sides_in(self, columns: list[str]) -> tuple[Side, Side]:
        """Return the columns of each end of the edges of a table that has been read."""
        if isinstance(self.source, list) and isinstance(self.destination, list):
            return self.source, self.destination
        ids = self.ids_in(columns)
        return (ids[0], ids[1]) if len(ids) == 2 else (ids[::2], ids[1::2])

    def pairs(self, path: str, names: Sequence[str]) -> list[tuple[int, int]]:
        """Return the positions of source and destination among the names, per column of an id.

        Ids must have as many columns as in earlier files.
        """
        ends: Any = self.source, self.destination
        if not (isinstance(ends[0], list) or isinstance(ends[1], list)):
            weight = self.weight if self.weights else None
            ends = end_columns(path, tuple(names), *ends, weight)  # also chooses unnamed columns
        pairs = list(zip(*sides_of(*ends), strict=True))
        earlier = len(self.options.as_text)  # the columns of an id in earlier files; 0 if unknown
        if earlier and earlier != len(pairs):
            raise InputError(
                f"{path}: ids have {counted(len(pairs), 'column')} per side"
                f" ({', '.join(a for a, _ in pairs)}), but ids of earlier files have {earlier}:"
                " name the columns with source= and destination= (--source, --destination)"
            )
        return [(place_of(path, names, a), place_of(path, names, b)) for a, b in pairs]

    def columns(self, path: str, names: Sequence[str]) -> tuple[int, ...]:
        """Return the distinct positions of all columns of ids; two if an id has one column."""
        return tuple(dict.fromkeys(at for pair in self.pairs(path, names) for at in pair))

    def weight_column(self, path: str, names: Sequence[str], ends: tuple[int, ...]) -> int | None:
        """Return the position of the weights among the names, but not in ``ends``; None if none."""
        if not self.weights or (self.weight is None and "weight" not in names):
            return None
        at = place_of(path, names, "weight" if self.weight is None else self.weight)
        if at in ends:
            raise InputError(
                f"{path}: column {names[at]!r} is an end of the edges, and cannot be the weight"
            )
        return at


class Mark(NamedTuple):
    """The size, time and identity of a file, to detect changes.

    ``time`` is the modification time that the file system gives, in nanoseconds for local files.
    ``own`` is the device, the inode and the status change time of a local file; programs cannot set
    the status change time.
    """

    size: int
    time: str
    own: tuple[int, int, int] | None = None

    def __str__(self) -> str:
        when = self.time
        if when.isdigit():  # in nanoseconds; datetime has microseconds
            when = datetime.fromtimestamp(int(when) // 1000 / 1e6).isoformat(" ", "microseconds")
        return f"{self.size:,} bytes{f' of {when}' if when else ''}"


def mark_of(path: str | os.PathLike[str]) -> Mark | None:
    """Return the mark of a local file; None if it is not a regular file, such as a pipe."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        return None
    identity = status.st_dev, status.st_ino, status.st_ctime_ns
    return Mark(status.st_size, str(status.st_mtime_ns), identity)


def hash_of_ends(path: str) -> str:
    """Return a hash of the first and last bytes of a local file; "" if the file is unreadable."""
    with suppress(OSError), open(path, "rb") as file:
        ends = file.read(END_BYTES)
        file.seek(max(0, os.fstat(file.fileno()).st_size - END_BYTES))
        return blake2b(ends + file.read(END_BYTES), digest_size=8).hexdigest()
    return ""


@contextmanager
def unchanged(path: Any, before: Mark | None, get_mark: Any = mark_of) -> Iterator[None]:
    """Raise a ChangedFileError at the end of the context if a file has changed since ``before``.

    ``before`` is the mark of the file, or None if it has no mark. ``get_mark`` returns the mark of
    a path. If the file has changed, a FormatError in the context becomes a ChangedFileError, too.
    """
    try:
        yield
    except FormatError as error:
        reason = _difference(path, before, get_mark)
        if not reason:
            raise
        # the FormatError is due to the change, so only its cause is shown
        raise ChangedFileError(reason) from error.__cause__
    reason = _difference(path, before, get_mark)
    if reason:
        raise ChangedFileError(reason)


def _difference(path: Any, before: Mark | None, get_mark: Any) -> str:
    """Return a description of how a file has changed; empty if it has not."""
    if before is None:
        return ""
    try:
        now = get_mark(path)
    except (OSError, FormatError):
        return f"{path} was removed while it was read: read it again"
    if now == before:
        return ""
    what = f"it had {before} when reading began, but has {now} now"
    if now is not None and now[:2] == before[:2]:  # the same size and time
        what = "another file now has its name, or its times were set"
    return f"{path} was changed while it was read ({what}): read it again once it is complete"
