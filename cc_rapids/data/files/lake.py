"""Read tables of Delta Lake, Iceberg and Hudi: folders with a log that lists the current files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from ...errors import CcRapidsError, FormatError, InputError, MissingExtraError, install_advice
from ..arguments import local
from ..lazy import pa
from .handle import remote
from .input_file import named_format

_METADATA, _HINT = ".metadata.json", "version-hint.text"
_NUMBER = re.compile(r"v?([0-9]+)")


class Table(NamedTuple):
    """A table that is a folder: its kind, its path, and the path of the newest Iceberg metadata.

    ``metadata`` is empty if several files could be the newest.
    """

    kind: str
    path: str
    metadata: str = ""

    def opened(self) -> Any:
        """Return the current table as an object of its library."""
        what = f"{self.path} is a table of {self.kind}"
        if self.kind not in _LIBRARIES:
            raise MissingExtraError(
                f"{what}, which cc_rapids does not read: pip install hudi, and pass"
                f" hudi.HudiTableBuilder.from_base_uri({self.path!r}).build().read_snapshot()"
            )
        extra, example, open_table = _LIBRARIES[self.kind]
        try:
            table = open_table(self)
        except ImportError as error:
            raise MissingExtraError(
                f"{what}, but a library is missing ({error}): {install_advice(extra)}"
            ) from error
        except Exception as error:  # the library may raise any error
            raise FormatError(
                f"{what}, and its library cannot read it ({_one_line(error)}): open the table with"
                f" the library, such as {example}, and pass the result, or pass a pyarrow dataset"
            ) from error
        if table is None:
            raise FormatError(
                f"{what}, and several files in its metadata could be the newest: pass the table"
                f" that its catalog returns, such as {example}"
            )
        return table


def _open_delta(table: Table) -> Any:
    from deltalake import DeltaTable

    return DeltaTable(table.path)


def _open_iceberg(table: Table) -> Any:
    from pyiceberg.table import StaticTable

    return StaticTable.from_metadata(table.metadata) if table.metadata else None


# by the kind of table: the extra that installs its library, how callers open a table, and the
# function that opens it
_LIBRARIES: dict[str, tuple[str, str, Callable[[Table], Any]]] = {
    "Delta Lake": ("delta", "deltalake.DeltaTable(..., storage_options=...)", _open_delta),
    "Iceberg": ("iceberg", "load_catalog(...).load_table(...)", _open_iceberg),
}


def _one_line(error: Exception) -> str:
    """Return the text of a library's error in one line, without colours and stack trace."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    # the stack trace of a library in Rust begins with its frame 0
    return " ".join(re.split(r"\n\s+0: ", text)[0].split())


def table_at(path: Any) -> Table | None:
    """Return the table whose folder is at a path or address; None if there is no table."""
    path = local(path)
    if not isinstance(path, str) or any(letter in path for letter in "*?[\0"):
        return None  # not a path, or a pattern of paths
    if "://" in path and named_format(path):
        return None  # the address of a file, so the server need not be asked
    with suppress(Exception):  # opening the path later raises the error again
        system, inside = _system_of(path)
        return _table(inside, system, path)
    return None


def check_no_table_around(paths: list[str]) -> None:
    """Raise an InputError for a file of a table, whose log tells which files are current."""
    plain_folders = set[str]()  # the addresses of folders that are not tables
    for path in paths:
        if named_format(path) not in ("", "parquet"):
            continue  # tables hold no files of other known formats
        table = None
        with suppress(Exception):  # opening the path later raises the error again
            system, inside = _system_of(path)
            inside = os.path.realpath(inside) if system is _Local else inside
            table = _table_around(inside, system, plain_folders)
        if table is not None:
            raise InputError(
                f"{path} is a file of a table of {table.kind}, whose log lists the current"
                f" files: pass {table.path!r} alone; or, to read these files regardless of the log,"
                f" pyarrow.dataset.dataset([{path!r}])"
            )


class _Local:
    """The functions of fsspec's file systems that this module uses, for local files."""

    isdir = staticmethod(os.path.isdir)
    unstrip_protocol = staticmethod(str)

    @staticmethod
    def ls(folder: str, detail: bool) -> list[str]:
        with suppress(OSError):
            return os.listdir(folder)
        return []


def _system_of(path: str) -> tuple[Any, str]:
    """Return the file system of a path (None for HTTP or chained addresses), and the path in it."""
    if "://" not in path:
        return _Local, path
    system, inside = remote(path)
    has_folders = not (path.startswith("http") or "::" in path)
    return (system if has_folders else None), inside


def _table(folder: str, system: Any, path: str) -> Table | None:
    """Return the table in a folder of a file system; ``path`` is its path for the caller."""
    if system is None:  # HTTP and chained addresses have no folders
        return None
    if system.isdir(f"{folder}/_delta_log"):
        return Table("Delta Lake", path)
    if system.isdir(f"{folder}/.hoodie"):
        return Table("Hudi", path)
    metadata = f"{folder}/metadata"
    listed = system.ls(metadata, detail=False) if system.isdir(metadata) else []
    names = list(map(os.path.basename, listed))
    if any(name.endswith(_METADATA) for name in names):
        return Table("Iceberg", path, _newest_metadata(path, names))
    return None


def _table_around(path: str, system: Any, plain_folders: set[str]) -> Table | None:
    """Return the table that contains a path; None if no parent folder of the path is a table.

    Folders that are not tables are added to ``plain_folders``, and are not inspected again.
    """
    folder = os.path.dirname(path)
    while system and folder and folder != path:  # the root is its own parent
        address = system.unstrip_protocol(folder)
        if address in plain_folders:
            break
        if table := _table(folder, system, address):
            return table
        plain_folders.add(address)
        folder, path = os.path.dirname(folder), folder
    return None


def _newest_metadata(path: str, names: list[str]) -> str:
    """Return the path of the newest metadata of an Iceberg table.

    If a hint file names the version, return the path of the table: pyiceberg then reads the hint. A
    failed commit may leave two files with the greatest number; the result is then empty.
    """
    if _HINT in names:
        return path
    matches = {name: _NUMBER.match(name) for name in names if name.endswith(_METADATA)}
    numbers = {name: int(match[1]) for name, match in matches.items() if match}
    newest = [name for name, number in numbers.items() if number == max(numbers.values())]
    return f"{path}/metadata/{newest[0]}" if len(newest) == 1 else ""


def opened_table(edges: Any) -> Any:
    """Return a pyiceberg table, or a pyarrow dataset for Delta Lake, given a table or its path."""
    if isinstance(edges, str | os.PathLike):
        table = table_at(edges)
        if table is None:
            raise FormatError(f"{edges} was removed")
        edges = table.opened()
    is_iceberg = hasattr(edges, "snapshot_by_id")
    return edges if is_iceberg else dataset_of(edges)


def whole_table(path: str) -> Any:
    """Return all rows and columns of a table as a PyArrow table."""
    table = opened_table(path)
    with _readable(path):
        return table.to_table() if hasattr(table, "to_table") else table.scan().to_arrow()


def rows_of(table: Any) -> int:
    """Return the number of rows of an opened table, from its metadata."""
    if hasattr(table, "count_rows"):
        return int(table.count_rows())
    with _readable(table.location()):
        return int(table.scan().count())


def reader_of(table: Any, columns: list[str]) -> Any:
    """Return the rows of an Iceberg table as a ``RecordBatchReader`` with the columns in order."""
    where = table.location()

    def batches() -> Iterator[Any]:
        with _readable(where):
            yield from (batch.select(columns) for batch in reader)

    with _readable(where):
        reader = table.scan(selected_fields=tuple(columns)).to_arrow_batch_reader()
    schema = pa.schema([reader.schema.field(name) for name in columns])
    return pa.RecordBatchReader.from_batches(schema, batches())


@contextmanager
def _readable(where: str) -> Iterator[None]:
    """Convert errors of libraries to a FormatError that names the table."""
    try:
        yield
    except (CcRapidsError, MemoryError):
        raise
    except Exception as error:
        raise FormatError(f"the table {where} cannot be read: {_one_line(error)}") from error


def dataset_of(table: Any) -> Any:
    """Return the current files of a ``deltalake.DeltaTable`` as a pyarrow dataset.

    A FormatError is raised for files that deltalake cannot read, for example because of deletion
    vectors, and for a file with more or fewer rows than the log says.
    """
    where = table.table_uri
    try:
        dataset = table.to_pyarrow_dataset()
        added = pa.table(table.get_add_actions(flatten=True)).select(["path", "num_records"])
    except Exception as error:  # deltalake may raise any error
        raise FormatError(
            f"{where} is a table of Delta Lake that deltalake cannot read ({error}): write it as"
            " Parquet where it can be read, such as by"
            f" spark.read.format('delta').load({where!r}).write.parquet('pairs')"
        ) from error
    paths, counts = (column.to_pylist() for column in added.columns)
    logged_rows = dict(zip(paths, counts, strict=True))
    with _readable(where):
        for fragment in dataset.get_fragments():
            rows, logged = fragment.count_rows(), logged_rows.get(fragment.path)
            if logged is not None and rows != logged:
                raise FormatError(
                    f"{where}: {fragment.path} has {rows:,} rows, but the log says {logged:,}: the"
                    " table is damaged, or read while it was rewritten"
                )
    return dataset
