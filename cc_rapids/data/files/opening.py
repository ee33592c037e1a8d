"""Open files: paths, patterns, folders, addresses of fsspec, archives, and the caller's files."""

from __future__ import annotations

import glob
import logging
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from ...errors import CcRapidsError, FormatError, MissingExtraError, counted
from ..arguments import consumed, local
from ..memory_budget import Budget
from .binary import format_errors
from .formats import SUFFIXES
from .handle import Handle, remote
from .input_file import File, Mark, Progress, mark_of, named_format, unchanged
from .lake import check_no_table_around

log: logging.Logger = logging.getLogger(__name__)


def check_path(path: str | Path) -> None:
    """Raise a FormatError if a path cannot be a file name."""
    try:
        name = os.fsencode(path)
    except UnicodeEncodeError:
        raise FormatError(
            f"{str(path)!r} holds half of a surrogate pair, which the name of a file cannot contain"
        ) from None
    if b"\0" in name:
        raise FormatError(f"{str(path)!r} holds a NUL, which the name of a file cannot contain")


@contextmanager
def errors_naming(path: str) -> Iterator[None]:
    """Convert errors of opening or reading a file to errors that name the file."""
    try:
        yield
    except (CcRapidsError, MemoryError):
        raise
    except ImportError as error:
        raise MissingExtraError(
            f"{path} cannot be read, because a library is missing ({error}): install it, or"
            " download the file and pass its path"
        ) from error
    except FileNotFoundError as error:
        raise FormatError(f"{path} does not exist") from error
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error.strerror or error}") from error
    except Exception as error:
        if "://" not in path:
            raise
        raise FormatError(
            f"{path} cannot be read ({error}): pass the path of a file, or an address that fsspec"
            " opens"
        ) from error


def expanded(path: str) -> list[str]:
    """Return the files of a path, folder or pattern, sorted; raise a FormatError if there is none.

    Local folders that match a pattern are read, unless their names begin with an underscore. A
    pattern with ``**`` matches the files in folders itself.
    """
    check_path(path)
    is_pattern = any(letter in path for letter in "*?[")
    if "://" in path:
        paths = _expanded_address(path, is_pattern)
    elif os.path.exists(path):
        paths = files_in(path, log.warning) if os.path.isdir(path) else [path]
    else:
        paths = _matches(path) if is_pattern else [path]
    if not paths:
        raise FormatError(f"no file matches {path}")
    return paths


def _expanded_address(address: str, is_pattern: bool) -> list[str]:
    """Return the addresses of the files of an address, folder or pattern, sorted."""
    with errors_naming(address):
        system, inside = remote(address)
        names = system.glob(inside) if is_pattern else []
        # HTTP and archives have no folders
        may_be_folder = not (is_pattern or "::" in address or address.startswith("http"))
        if may_be_folder and system.isdir(inside):
            paths = [Path(name).relative_to(inside) for name in sorted(system.find(inside))]
            chosen = _chosen(address, paths, log.warning)
            return [f"{address.rstrip('/')}/{name}" for name in chosen]
    if not is_pattern:
        return [address]
    # the names lack the scheme and the archives of an address such as zip://*.csv::s3://b/all.zip
    scheme, _, rest = address.partition("://")
    _, *archives = rest.split("::")
    suffix = "".join(f"::{archive}" for archive in archives)
    prefix = f"{scheme}:///" if scheme == "memory" else f"{scheme}://"
    return sorted(f"{prefix}{str(name).lstrip('/')}{suffix}" for name in names)


def _matches(pattern: str) -> list[str]:
    """Return the files that a pattern of local paths matches, and the files in matching folders."""
    files, is_recursive = list[str](), "**" in pattern
    for path in sorted(glob.glob(pattern, recursive=True)):
        if not os.path.isdir(path):
            # ``**`` follows links to parent folders, and finds their files again
            if not is_recursive or not any(map(_links_to_parent, Path(path).parents)):
                files.append(path)
        elif not is_recursive and not os.path.basename(path.rstrip("/")).startswith("_"):
            files += files_in(path, log.warning)
    return files


def paths_of(edges: Any) -> list[str]:
    """Return the files of a path, a folder, a pattern or a list of these."""
    items = edges if isinstance(edges, list) else [edges]
    paths = [path for item in items for path in expanded(local(item))]
    check_no_table_around(paths)
    return paths


# the beginnings of the names of Hadoop's and KONECT's files, which have no known suffix
_EDGE_PREFIXES = ("part-", "out.")
_NOTE_PREFIXES = ("readme", "license")


def files_in(folder: str | os.PathLike[str], tell: Callable[..., None] = log.debug) -> list[str]:
    """Return the files of edges in a folder and its subfolders, sorted; log the files left out.

    Files with known suffixes, or with names of Hadoop or KONECT, are files of edges. If there are
    no such files, all are returned. Checksums, pipes, devices and names that begin with a dot or an
    underscore, such as Spark's metadata, are always left out. Links to files and folders are
    followed, except links to a parent folder. ``tell`` is the function that logs. If there is no
    file, a FormatError is raised.
    """
    paths = list[Path]()
    for root, folders, names in os.walk(folder, onerror=_refuse_folder, followlinks=True):
        folders[:] = [name for name in folders if not _links_to_parent(Path(root, name))]
        files = (Path(root, name) for name in names)
        paths += [path.relative_to(folder) for path in files if not _is_pipe(path)]
    return [str(Path(folder, path)) for path in _chosen(folder, sorted(paths), tell)]


def _refuse_folder(error: OSError) -> None:
    """Raise a FormatError for a folder that ``os.walk`` cannot read."""
    raise FormatError(f"{error.filename} cannot be read: {error.strerror}") from error


def _links_to_parent(path: Path) -> bool:
    """Return whether a path is a link to one of its parent folders."""
    return path.is_symlink() and path.parent.resolve().is_relative_to(path.resolve())


def _chosen(folder: object, paths: list[Path], tell: Callable[..., None]) -> list[Path]:
    """Return the paths of files of edges among the paths in a folder; see :func:`files_in`."""
    visible = [path for path in paths if not _is_hidden(path)]
    chosen = _of_edges(visible)
    _tell_left_out(tell, f"{folder}, of unknown suffixes", visible, chosen)
    if not visible:
        raise FormatError(f"{folder} holds no file of a known format: {', '.join(SUFFIXES)}")
    return chosen


def _tell_left_out(
    tell: Callable[..., None], where: object, paths: list[Path], read: list[Path]
) -> None:
    """Log the paths that are not read."""
    if others := [path.name for path in paths if path not in read]:
        tell("left out %s in %s: %s", counted(len(others), "file"), where, ", ".join(others[:3]))


def _is_hidden(path: Path) -> bool:
    """Return whether a path is a checksum, or a part of it begins with a dot or underscore."""
    hidden = any(part.startswith((".", "_")) for part in path.parts)
    return hidden or path.suffix == ".crc"


def _of_edges(paths: list[Path]) -> list[Path]:
    """Return the paths that have names of files of edges; all paths if none has such a name."""
    chosen = [path for path in paths if named_format(path) or path.name.startswith(_EDGE_PREFIXES)]
    return chosen or paths


def mark_at(path: str) -> Mark | None:
    """Return the mark of a local or remote file."""
    with errors_naming(path):
        if "://" not in path:
            return mark_of(path)
        system, inside = remote(path)
        system.invalidate_cache(inside)  # a cached listing may be outdated
        info = system.info(inside)
    if info.get("type") == "directory":
        raise FormatError(f"{path} is a directory; name a file or a pattern")
    times = (info.get(name) for name in ("ETag", "etag", "mtime", "LastModified", "created"))
    return Mark(int(info["size"] or 0), str(next((time for time in times if time), "")))


@contextmanager
def opened(
    path: str,
    before: Mark | None = None,
    budget: Budget | None = None,
    on_progress: Progress | None = None,
) -> Iterator[File]:
    """Open a local or remote file, or the file of edges in an archive, for reading in a context.

    At the end of the context, the file must match ``before``, by default its mark when it was
    opened. Errors are FormatErrors.
    """
    before = before or mark_at(path)
    if before is None and os.path.isdir(path):
        raise FormatError(f"{path} is a directory; name a file or a pattern")
    # a server may fail at any time, not only when the file is opened
    converted = errors_naming(path) if "://" in path else nullcontext()
    with converted, unchanged(path, before, mark_at), _raw(path) as raw:
        size = before.size if before else 0
        yield unarchived(File(path, raw, size, on_progress, budget=budget))


@contextmanager
def _raw(path: str) -> Iterator[Any]:
    """Open a local or remote file as stored; wrap it in a ``Handle`` if it cannot seek."""
    with errors_naming(path):
        if "://" in path:
            system, inside = remote(path)  # an archive closes its files when ``system`` is deleted
            opens = partial(system.open, inside, "rb")
        else:
            opens = partial(open, path, "rb", buffering=0)
        raw = opens()
    with raw:
        yield raw if raw.seekable() else Handle(raw)


def file_of(stream: Any) -> File:
    """Wrap an open file of the caller, which is read from its position and stays open."""
    if isinstance(stream, File):
        return unarchived(stream)
    raw, size = Handle(stream), 0
    name = getattr(stream, "name", None) or getattr(stream, "path", None)
    path = str(name) if isinstance(name, str | os.PathLike) else f"the {type(stream).__name__}"
    if os.path.isfile(path):
        check_no_table_around([path])
    if raw.seekable():
        size = raw.seek(0, os.SEEK_END)
        raw.seek(0)  # the position of the caller, where a Handle begins
    return unarchived(File(path, cast(Any, raw), size, None, decoded=hasattr(stream, "encoding")))


def start_of(stream: Any) -> Callable[[], Any] | None:
    """Return a function that moves an open file to its current position; None if impossible."""
    with suppress(Exception):  # the file may be of any library
        if not isinstance(stream, File) and stream.seekable():
            return partial(stream.seek, stream.tell())
    return None


def _is_pipe(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a pipe or a device."""
    with suppress(OSError, ValueError):
        mode = os.stat(path).st_mode
        return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
    return False


def planned(find: Callable[[Any, Any], Any], edges: Any, options: Any) -> Any:
    """Return the plan ``find(edges, options)``, and move an open file back to its position.

    Edges that can be read only once raise an InputError, because planning would consume them.
    """
    go_back = None
    if hasattr(edges, "read") and not isinstance(edges, File):
        go_back = start_of(edges)
        if go_back is None:
            raise consumed(f"the {type(edges).__name__}")
    for item in edges if isinstance(edges, list) else [edges]:
        if isinstance(item, str | os.PathLike) and _is_pipe(item):
            raise consumed(os.fspath(item))
    try:
        return find(edges, options)
    finally:
        if go_back is not None:
            go_back()


def unarchived(file: File) -> File:
    """Return the file of edges in an archive; return a file that is not an archive unchanged."""
    if _is_zip(file):
        member = _in_zip(file)
    elif _is_tar(file):
        member = _in_tar(file)
    else:
        return file
    # an npz file is itself the member
    if member.path != file.path and ((_is_zip(member) and not _is_npz(member)) or _is_tar(member)):
        raise FormatError(
            f"{member.path} is an archive in an archive: unpack {file.path}, and pass the path of"
            " the inner archive"
        )
    return member


def _is_zip(file: File) -> bool:
    """Return whether a file is a zip archive, and not named npz."""
    return file.head.startswith((b"PK\x03\x04", b"PK\x05\x06")) and file.named != "npz"


def _is_npz(file: File) -> bool:
    """Return whether the first file in a zip archive is an array of NumPy."""
    # in the archive, the length of the first name is at byte 26, and the name at byte 30
    name_bytes = int.from_bytes(file.head[26:28], "little")
    return file.head[30:][:name_bytes].endswith(b".npy")


def _is_tar(file: File) -> bool:
    """Return whether a file is a tar archive."""
    return file.head[257:262] == b"ustar"


def _in_zip(file: File) -> File:
    """Return the file of edges in a zip archive; an archive of NumPy arrays is an npz file."""
    import zipfile

    with format_errors(file, "zip"):
        stream = file.seekable_stream()
        archive = zipfile.ZipFile(stream)
        members = archive.infolist()
        names = [member.filename for member in members if not member.is_dir()]
        if min((member.header_offset for member in members), default=0):  # after another archive
            raise _joined(file, "zip")
        if any(name.endswith(".npy") for name in names):  # the npz reader takes the archive itself
            stream.seek(0)
            return replace(file, raw=cast(Any, stream))
        name = _only(file, "zip", names)
        return _member(file, f"zip://{name}", archive.open(name), archive.getinfo(name).file_size)


def _in_tar(file: File) -> File:
    """Return the file of edges in a tar archive, perhaps compressed."""
    import tarfile

    seekable = file.raw.seekable() and file.stream.seekable()
    try:
        with format_errors(file, "tar"):
            stream = file.stream if seekable else file.seekable_stream()
            archive = tarfile.TarFile(fileobj=stream)
            names = [member.name for member in archive.getmembers() if member.isfile()]
            name = _only(file, "tar", names)
            stream.seek(archive.offset)  # the end of the archive: only padding may follow
            while padding := stream.read(1 << 20):
                if padding.strip(b"\0"):
                    raise _joined(file, "tar")
            size = archive.getmember(name).size
            return _member(file, f"tar://{name}", archive.extractfile(name), size)
    except tarfile.TarError as error:
        raise FormatError(f"{file.path} cannot be read as tar: {error}") from error


def _joined(file: File, kind: str) -> FormatError:
    """Return the error for concatenated archives."""
    return FormatError(
        f"{file.path} holds more files than its directory lists, as concatenated {kind} files do:"
        " unpack it, and pass the paths of the files"
    )


def _member(file: File, name: str, raw: Any, size: int) -> File:
    """Return an open member of an archive as a file; ``name`` is its address in the archive."""
    path = f"{name}::{file.path}"
    return File(path, cast(Any, Handle(raw)), size, file.on_progress, budget=file.budget)


def _only(file: File, kind: str, names: list[str]) -> str:
    """Return the name of the only file of edges in an archive."""
    paths = [Path(name) for name in names if not Path(name).name.lower().startswith(_NOTE_PREFIXES)]
    visible = [path for path in paths if not _is_hidden(path)]
    files = _of_edges(visible)
    if len(files) > 1:  # the main matrix of the SuiteSparse collection has the name of its folder
        files = [path for path in files if path.parent.name == path.stem] or files
    if len(files) == 1:
        _tell_left_out(log.warning, file.path, visible, files)
        return str(files[0])
    shown = ", ".join(map(str, files[:3]))
    raise FormatError(
        f"{file.path} holds {counted(len(files), 'file')} of edges{': ' if files else ''}{shown};"
        f" name one file, such as {kind}://{files[0] if files else 'edges.csv'}::{file.path}, or"
        f" name all by a pattern, such as {kind}://*.csv::{file.path}"
    )
