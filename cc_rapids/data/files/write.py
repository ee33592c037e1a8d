"""Write edge lists and labels to files, piece by piece where the format allows it.

A file is written completely or not at all; devices and pipes are written directly. Text is written
so that every value is read back unchanged.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from gzip import GzipFile
from io import BufferedWriter, FileIO, UnsupportedOperation
from pathlib import Path
from typing import Any, BinaryIO, cast

from ...errors import CcRapidsError, FormatError, OutputError, counted
from ..lazy import pa, pc
from .formats import FORMATS, SUFFIXES, TABLES, WEIGHTED, WRITTEN, Format
from .input_file import PACKED, Progress, format_of, packing
from .text_ids import is_text

PIECE_EDGES = 1 << 20  # edges that the command line writes at a time: 16 MiB of int64


@contextmanager
def replacing(
    path: str | os.PathLike[str], *, pack: str = "", sync: bool = False
) -> Iterator[BinaryIO]:
    """Yield a stream whose content replaces a file when the context ends.

    The stream writes to a temporary file with a unique name in the same folder. At the end of the
    context, this file is renamed to the path. On an error or interrupt, it is removed, and an
    existing file is unchanged. The new file gets the mode of the replaced file, and its owner
    and group if the system permits it. If the path is a symbolic link, the target of the link is
    replaced. Devices, FIFOs and open descriptors (``/dev/stdout``) are written directly.

    If ``pack`` is one of ``PACKED``, the content is compressed. With ``sync``, the content is
    flushed to the disk before the file is renamed. If the file cannot be written, for example on a
    full disk, an OutputError gives the reason.
    """
    path = Path(path)
    with errors_of(path):
        check_place(path)
        descriptor = _descriptor(path)
        is_direct = descriptor is not None or _is_special(path)
        opened = _open_direct(path, descriptor) if is_direct else _replaced(path, sync)
        with opened as raw, _packed(raw, pack) as stream:
            yield stream


def check_place(path: Path) -> None:
    """Raise an OutputError unless a file could be written to a path."""
    with errors_of(path):
        if _descriptor(path) is not None:
            return
        if path.is_dir():
            raise OutputError(f"cannot write {path}: it is a directory")
        special, target = _is_special(path), Path(os.path.realpath(path))
        if os.path.exists(path) and not os.access(path, os.W_OK):
            what = "it" if special else "the existing file"
            raise OutputError(f"cannot write {path}: {what} is not writable")
        if special:
            return
        if not target.parent.is_dir():
            raise OutputError(f"cannot write {path}: there is no directory {target.parent}")
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise OutputError(f"cannot write {path}: directory {target.parent} is not writable")


def check_new_folder(path: Path) -> None:
    """Raise an OutputError unless a folder can be made at a path, or is there and is empty."""
    with errors_of(path):
        if not path.exists():
            check_place(path)
        elif not path.is_dir() or any(path.iterdir()):
            raise OutputError(f"{path} exists and is not an empty folder: name a new folder")


def make_folder(path: Path, parents: bool = False) -> None:
    """Make a folder if it does not exist; with ``parents``, also its parent folders."""
    with errors_of(path):
        path.mkdir(parents=parents, exist_ok=True)


@contextmanager
def replacing_folder(folder: Path, removed: Iterable[str] = ()) -> Iterator[Path]:
    """Yield a new folder that replaces another folder when the context ends.

    The old folder may be missing. It may contain only files named in ``removed``. On an error or
    interrupt, the new folder is removed, and the old folder is unchanged.
    """
    target = Path(os.path.abspath(folder))
    # a random name, so that rmtree() below cannot remove a folder of another process
    partial = target.with_name(f".{target.name[:40]}.{secrets.token_hex(8)}.partial")
    with errors_of(folder):
        partial.mkdir()
        try:
            yield partial
            names = set(os.listdir(folder)) if folder.is_dir() else set[str]()
            if names <= set(removed):  # otherwise os.replace() raises an error
                for name in names:
                    (folder / name).unlink()
            os.replace(partial, folder)
        finally:
            shutil.rmtree(partial, ignore_errors=True)


@contextmanager
def errors_of(path: Path | str) -> Iterator[None]:
    """Convert errors of the operating system to an OutputError that names the path."""
    try:
        yield
    except OSError as error:
        if isinstance(error, CcRapidsError):  # such as an OutputError, which is an OSError, too
            raise
        output_error = OutputError(f"cannot write {path}: {error.strerror or error}")
        output_error.errno, output_error.filename = error.errno, str(path)
        raise output_error from error


def _is_special(path: Path) -> bool:
    """Return whether a path, after all links, exists and is neither a file nor a folder."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def is_standard_output(path: Path) -> bool:
    """Return whether a path, such as ``/dev/stdout``, is the standard output."""
    return _descriptor(path) == 1


def _descriptor(path: Path) -> int | None:
    """Return the number of the open descriptor that a path such as /dev/stdout names, or None."""
    folder, name = os.path.split(os.path.abspath(path))
    resolved = os.path.join(os.path.realpath(folder), name)  # keeps a last link, as in /proc/*/fd
    descriptors = rf"/proc/{os.getpid()}/(task/[0-9]+/)?fd/([0-9]+)"
    if match := re.fullmatch(descriptors, resolved):
        return int(match[2])
    if not os.path.islink(resolved) or not os.path.exists(resolved):  # no link, or a cycle of links
        return None
    return _descriptor(Path(os.path.dirname(resolved), os.readlink(resolved)))


def _draft_prefix(target: Path) -> str:
    return f".{target.name[:40]}."


def drafts_of(target: Path) -> Iterator[Path]:
    """Yield the temporary files of :func:`replacing` for a file, even those of killed processes."""
    named = re.compile(re.escape(_draft_prefix(target)) + r"[0-9a-f]{16}\.part")
    for path in target.parent.iterdir() if os.path.isdir(target.parent) else ():
        if named.fullmatch(path.name) and stat.S_ISREG(path.lstat().st_mode):
            yield path


@contextmanager
def _replaced(path: Path, sync: bool) -> Iterator[BinaryIO]:
    """Open a new file that replaces the target of a path on success, and is removed otherwise."""
    target = Path(os.path.realpath(path))
    draft = target.with_name(f"{_draft_prefix(target)}{secrets.token_hex(8)}.part")
    before = os.stat(target) if target.exists() else None
    # the draft of a private file must never be readable by other users
    mode = 0o666 if before is None else 0o600
    opened = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    locked = os.dup(opened)  # the lock keeps other processes from removing the draft
    try:
        with suppress(OSError):  # some file systems have no locks
            fcntl.flock(locked, fcntl.LOCK_EX)
        with open(opened, "wb") as stream:
            if before is not None:
                _copy_owner_and_mode(before, opened)
            yield stream
        if sync:
            _sync(draft)
        os.replace(draft, target)
        if sync:
            with suppress(OSError):  # some file systems cannot sync a folder
                _sync(target.parent)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    finally:
        os.close(locked)


def _copy_owner_and_mode(before: os.stat_result, opened: int) -> None:
    """Copy the owner, group and mode of the replaced file to the open new file, if permitted."""
    for owner, group in ((before.st_uid, -1), (-1, before.st_gid)):
        with suppress(OSError):
            os.fchown(opened, owner, group)
    mode = before.st_mode & 0o777
    if os.fstat(opened).st_gid != before.st_gid:  # the new group gets only the rights of all users
        rights_of_all = mode & 0o007
        mode &= 0o707 | rights_of_all << 3
    os.fchmod(opened, mode)


def _sync(path: Path) -> None:
    """Wait until the disk has the content of a file, or the names in a folder."""
    opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


class _DirectStream(FileIO):
    """A device or pipe as a write-only stream that counts bytes and cannot seek."""

    written = 0

    def write(self, data: Any) -> int:
        size = super().write(data) or 0
        self.written += size
        return size

    def tell(self) -> int:
        return self.written

    def seekable(self) -> bool:
        return False

    def seek(self, offset: int, whence: int = 0) -> int:
        raise UnsupportedOperation("seek")


def _open_direct(path: Path, descriptor: int | None) -> BinaryIO:
    """Open an existing device or pipe for writing, without truncating or replacing it."""
    opened = os.open(path, os.O_WRONLY | os.O_CLOEXEC) if descriptor is None else os.dup(descriptor)
    return cast(BinaryIO, BufferedWriter(_DirectStream(opened, "w")))


@contextmanager
def _packed(raw: BinaryIO, pack: str) -> Iterator[Any]:
    """Yield a stream that compresses to ``raw`` for a ``pack`` of ``PACKED``; "" for plain."""
    if pack == ".gz":
        # without a name and a time, equal edges give equal files
        with GzipFile("", "wb", 6, raw, mtime=0) as stream:
            yield stream
    elif pack:
        with pa.CompressedOutputStream(pa.PythonFile(raw, "w"), "zstd") as packed:
            yield packed
    else:
        yield raw


@dataclass(frozen=True)
class EdgeList:
    """An edge list in pieces: columns src, dst and possibly weight (int64 or double).

    If duplicate edges have different weights, formats of simple graphs keep the first weight if
    ``keeps_first_weight``, and otherwise raise an error.
    """

    pieces: Iterable[pa.Table]
    num_edges: int  # the number of rows of all pieces
    vertices: range | None  # starts at 0 or 1; None only for formats that do not number vertices
    schema: pa.Schema  # of all pieces; the list may be empty
    keeps_first_weight: bool = False

    @property
    def weighted(self) -> bool:
        """True if edges have weights."""
        return "weight" in self.schema.names

    def gathered(self) -> dict[str, Any]:
        """Return the columns of all edges as NumPy arrays."""
        table = pa.concat_tables([self.schema.empty_table(), *self.pieces])
        return {name: table[name].to_numpy() for name in table.column_names}


def check_edges_output(path: str | os.PathLike[str], format: str | None = None) -> str:
    """Return the format of an output path for edges; raise an error if it cannot be written."""
    kind = format_of(Path(path), format)
    if kind not in WRITTEN:
        raise FormatError(f"{kind} is only read: edges are written as {', '.join(WRITTEN)}")
    check_place(Path(path))
    return kind


def write_edges(
    edges: EdgeList,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    on_progress: Progress | None = None,
) -> Mapping[str, int]:
    """Write an edge list to a file, which is replaced when the new one is complete.

    Return the number of edges left out, by reason.

    The formats ``he``, ``gr``, ``metis``, ``mtx``, ``egr`` and ``npz`` number the vertices from 0
    or 1: the vertices ``range(n)`` become 1 .. n in ``mtx``, and ``range(1, n + 1)`` becomes
    0 .. n - 1 in ``egr``. ``metis`` and ``egr`` store each edge at both ends, sorted, without
    self-loops and duplicates. ``metis``, ``egr`` and ``npz`` are written from the whole list
    in memory, and the other formats piece by piece. ``he`` and ``gr`` store the weight 1 for edges
    without weights.

    The file is compressed if its path ends in .gz or .zst. Without a ``format``, the suffix of the
    path decides. ``on_progress`` is called with the number of edges written so far and in all. A
    FormatError is raised if the format cannot store the ids or weights of the list.
    """
    path = Path(path)
    spec = WRITTEN[check_edges_output(path, format)]
    if spec.edges_only and edges.weighted:
        raise FormatError(
            f"cannot write {path}: {spec.name} has no weights; leave them out, or write"
            f" {', '.join(WEIGHTED)}"
        )
    if spec.first is not None:
        edges = _numbered(edges, path, spec, spec.first)
    if spec.finite_weights and edges.weighted:
        edges = replace(edges, pieces=_finite(edges.pieces, path))
    edges = replace(edges, pieces=_counted(edges, path, on_progress))
    return _write(edges if spec.binary else _with_equal_types(edges), spec, path)


def _write(edges: EdgeList, format: Format, path: Path) -> Mapping[str, int]:
    """Write an edge list, or any table as one; return the number of edges left out, by reason."""
    assert format.write is not None
    with replacing(path, pack=packing(path)) as stream:
        left_out: Mapping[str, int] | None = format.write(edges, stream, path)
    return left_out or {}


def _with_equal_types(edges: EdgeList) -> EdgeList:
    """Return the list with both ends as text if one end is text; readers expect one type."""
    schema = edges.schema
    if any(map(is_text, schema.types[:2])):
        for i in range(2):
            if not is_text(schema.types[i]):
                schema = schema.set(i, schema.field(i).with_type(pa.string()))
    return replace(edges, pieces=(piece.cast(schema) for piece in edges.pieces), schema=schema)


def _counted(edges: EdgeList, path: Path, report: Progress | None) -> Iterator[pa.Table]:
    """Yield the pieces; raise a FormatError at the end unless they have ``num_edges`` rows."""
    written = 0
    for piece in edges.pieces:
        yield piece
        written += len(piece)
        if report is not None:
            report(written, edges.num_edges)
    if written != edges.num_edges:
        raise FormatError(
            f"cannot write {path}: the list should have {counted(edges.num_edges, 'edge')}, but its"
            f" pieces have {written:,}"
        )


def _finite(pieces: Iterable[pa.Table], path: Path) -> Iterator[pa.Table]:
    """Yield the pieces; raise a FormatError for a weight that is NaN or infinite."""
    rows = 0
    for piece in pieces:
        row = pc.index(pc.is_finite(piece["weight"]), False).as_py()
        if row >= 0:
            raise FormatError(
                f"cannot write {path}: row {rows + row} has the weight {piece['weight'][row]},"
                " for which the format has no number; write csv, tsv, snap, arrow or parquet"
            )
        rows += len(piece)
        yield piece


def _numbered(edges: EdgeList, path: Path, format: Format, first: int) -> EdgeList:
    """Return the list with ids replaced by vertex numbers from ``first`` on, as int64."""
    are_integers = all(map(pa.types.is_integer, edges.schema.types[:2]))
    # an empty list may have columns of any type
    if edges.vertices is None or (edges.num_edges and not are_integers):
        raise FormatError(
            f"cannot write {path}: {format.name} numbers the vertices, but these ids have type"
            f" {edges.schema.field('src').type}; write csv, tsv, snap, arrow or parquet"
        )
    if edges.vertices.stop >= 1 << 63:
        raise FormatError(
            f"cannot write {path}: {format.name} would number {edges.vertices.stop:,} vertices, up"
            " to the largest id; write csv, tsv, snap, arrow or parquet"
        )
    has_whole_weights = not edges.weighted or pa.types.is_integer(edges.schema.field("weight").type)
    if format.whole_weights and not has_whole_weights:
        raise FormatError(
            f"cannot write {path}: {format.name} has integer weights, but some of these are not"
            " integers; write another format, or leave out the weights"
        )
    types = {"weight": pa.int64() if has_whole_weights else pa.float64()}
    fields = [field.with_type(types.get(field.name, pa.int64())) for field in edges.schema]
    schema = pa.schema(fields)
    new = range(first, first + len(edges.vertices))
    pieces = _shifted(edges.pieces, edges.vertices, new, schema, path)
    return replace(edges, pieces=pieces, vertices=new, schema=schema)


def _shifted(
    pieces: Iterable[pa.Table], old: range, new: range, schema: pa.Schema, path: Path
) -> Iterator[pa.Table]:
    """Yield the pieces in a schema, with the ids ``old`` replaced by the vertex numbers ``new``."""
    rows = 0
    for piece in pieces:
        for i, name in enumerate(("src", "dst")):
            ids = piece[name]
            outside = pc.or_(pc.less(ids, old.start), pc.greater_equal(ids, old.stop))
            row = pc.index(pc.fill_null(outside, True), True).as_py()
            if row >= 0:
                raise FormatError(
                    f"cannot write {path}: row {rows + row}: {name} {ids[row]} is not one of the"
                    f" vertices {old.start} to {old.stop - 1}; write csv, tsv, arrow or parquet"
                )
            piece = piece.set_column(i, name, pc.add(ids.cast(pa.int64()), new.start - old.start))
        rows += len(piece)
        try:
            numbered = piece.cast(schema)
        except pa.ArrowInvalid as error:
            raise FormatError(
                f"cannot write {path}: some weights are not 64-bit signed integers ({error}); write"
                " csv, tsv, snap, arrow or parquet, or leave out the weights"
            ) from None
        yield numbered


def check_output(path: str | os.PathLike[str], format: str | None = None) -> str:
    """Return the format of an output path for tables; raise an error if it cannot be written."""
    path = Path(path)
    unpacked_name = path.stem if packing(path) else path.name
    suffix = Path(unpacked_name).suffix.lower()
    if format is None and SUFFIXES.get(suffix) not in TABLES:
        suffixes = [suffix for name in TABLES for suffix in FORMATS[name].suffixes]
        hint = " (JSON is written one object a line, to .jsonl)" if suffix == ".json" else ""
        raise FormatError(
            f"cannot write {path}{hint}: the supported suffixes are {', '.join(suffixes)}, not"
            f" {path.suffix!r} (optionally compressed: {', '.join(PACKED)}); or pass"
            f" format= (--output-format), one of {', '.join(TABLES)}"
        )
    kind = SUFFIXES[suffix] if format is None else format
    if kind not in TABLES:
        raise FormatError(f"tables cannot be written as {kind}, only as {', '.join(TABLES)}")
    check_place(path)
    return kind


def write_table(table: pa.Table, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Write a table of integers and text in a format of ``TABLES``; by default the suffix decides.

    A path that ends in .gz or .zst is compressed. In csv and tsv, nulls become empty fields, and
    text is quoted. A suffix such as .txt means snap: a comment with the column names, then fields
    separated by tabs. A FormatError is raised for text that snap cannot store: text that is empty,
    contains blanks, begins like a comment, or would be read back as numbers.
    """
    path = Path(path)
    edges = EdgeList([table], len(table), None, table.schema)
    _write(edges, FORMATS[check_output(path, format)], path)
