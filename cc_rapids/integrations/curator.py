"""A stage of NeMo Curator that finds connected components by a stream of edges in files.

Curator's fuzzy deduplication hashes documents, writes the pairs that fell into one bucket as edges
in Parquet files, and labels their components; its next stage keeps one document of each. The stage
here does the third step without RAFT, NCCL or a graph in memory: edges are read in chunks, so that
only the documents that are in an edge have to fit.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BufferedIOBase
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, BinaryIO

from ..data.arguments import check_path, check_word
from ..data.files.handle import remote
from ..data.files.write import errors_of, make_folder, replacing_folder
from ..data.memory_budget import bytes_of
from ..errors import (
    ArgumentTypeError,
    ColumnTypeError,
    FormatError,
    InputError,
    MissingColumnError,
    OutputError,
    counted,
    shown,
    unknown,
)
from ..ledger import Ledger
from ..options import Options
from ..results.written import ROWS_PER_FILE, check_rows_per_file, label_tables
from .distributed.protocol import GPUS

if TYPE_CHECKING:
    import pyarrow as pa

log = logging.getLogger(__name__)

DOCUMENT = "_curator_dedup_id"  # Curator's names of the columns between its stages
GROUP = "_duplicate_group_id"
ALL = (1 << 31) - 1  # tasks of a batch: an answer needs the edges of all of them
READING = ("storage_options",)  # of read_kwargs
WRITING = {"compression": "compression", "row_group_size_rows": "row_group_size"}  # in PyArrow
MANIFEST = ".cc_rapids.json"  # in the folder of the answer: the SHA-256 of each file, by its name
LEDGER = b"cc_rapids.ledger"  # in the metadata of its Parquet files
COMPRESSIONS = "snappy", "gzip", "brotli", "lz4", "zstd", "none"


def _curator() -> tuple[Any, Any]:
    """Return Curator's base class of stages and its class of resources, or what stands for them."""
    try:
        from nemo_curator.stages.base import ProcessingStage
        from nemo_curator.stages.resources import Resources
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "nemo_curator":
            raise
        return object, SimpleNamespace
    return ProcessingStage, Resources


Stage, Resources = _curator()


class ConnectedComponentsStage(Stage):  # type: ignore[misc, valid-type]
    """A stage that writes the component of each document of the edges in files.

    The first five arguments are those of Curator's stage of this name, and so are the tasks in and
    out, the folder, and the names of files and columns. The least document of a component is the
    number of its group, the same on every run. Edges are read in chunks by
    :func:`cc_rapids.stream_components`, on one GPU or on threads.

    An answer takes the place of the answer of an earlier run. Only files that the earlier run wrote
    are removed: a manifest in the folder has their checksums. Any other file in the folder is an
    error, before an edge is read.

    Parameters
    ----------
    output_path : str
        The folder in which the folder ``ConnectedComponentsStage`` is made, here or at an address
        such as ``"s3://bucket/cache"``.
    source_field, destination_field : str, optional
        The columns of the ids of the two documents of an edge, integers; by default
        ``"_curator_dedup_id_x"`` and ``"_curator_dedup_id_y"``.
    read_kwargs : dict, optional
        ``storage_options`` of fsspec, for files at addresses; such files are read on the host.
    write_kwargs : dict, optional
        ``storage_options``, ``compression`` and ``row_group_size_rows``; ``index`` is ignored.
    engine : {"auto", "gpu", "cpu", "cuda", "threads"}, optional
        As for :func:`cc_rapids.stream_components`. Curator gives the stage a GPU, unless it is to
        run on the CPU.
    memory_limit : int or str, optional
        As for :func:`cc_rapids.stream_components`.
    nulls : {"raise", "drop"}
        What to do with an edge that has a null end.
    checkpoint, checkpoint_every : path and float, optional
        As for :func:`cc_rapids.stream_components`: a file from which a stage that was interrupted
        goes on, if it is given the same files again.
    rows_per_file : int
        The most documents of a file. If there are more, the answer has several files, each with a
        task of its own.

    Raises
    ------
    InputError, EngineError
        An argument cannot be used.
    OutputError
        The folder cannot be made, or is a link.

    See Also
    --------
    cc_rapids.stream_components : Find the components of edges in files, without a pipeline.
    cc_rapids.Components.to_parquet : Write the labels of an answer to files.
    cc_rapids.install : Let Curator's own stage run on cc_rapids.

    Examples
    --------
    >>> import tempfile, types, pyarrow as pa, pyarrow.parquet as pq
    >>> from cc_rapids.curator import ConnectedComponentsStage
    >>> pairs = {"_curator_dedup_id_x": [1, 2, 7], "_curator_dedup_id_y": [2, 5, 9]}
    >>> with tempfile.TemporaryDirectory() as place:
    ...     pq.write_table(pa.table(pairs), f"{place}/edges.parquet")
    ...     task = types.SimpleNamespace(
    ...         dataset_name="web", task_id="0_1", data=[f"{place}/edges.parquet"]
    ...     )
    ...     [done] = ConnectedComponentsStage(place, memory_limit="1GiB").process_batch([task])
    ...     pq.read_table(done.data).to_pydict()
    {'_curator_dedup_id': [1, 2, 5, 7, 9], '_duplicate_group_id': [1, 1, 1, 7, 7]}
    """

    name = "ConnectedComponentsStage"
    batch_size = ALL
    is_resumable = False  # Curator's word for outputs of a single source; see checkpoint=

    def __init__(
        self,
        output_path: str,
        source_field: str | None = None,
        destination_field: str | None = None,
        read_kwargs: Mapping[str, Any] | None = None,
        write_kwargs: Mapping[str, Any] | None = None,
        *,
        engine: str | None = None,
        memory_limit: int | str | None = None,
        nulls: str = "raise",
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: float = 60.0,
        rows_per_file: int = ROWS_PER_FILE,
    ) -> None:
        self.source_field = source_field or f"{DOCUMENT}_x"
        self.destination_field = destination_field or f"{DOCUMENT}_y"
        self.read_kwargs = _checked("read_kwargs", read_kwargs, READING)
        self.write_kwargs = _checked("write_kwargs", write_kwargs, (*READING, *WRITING, "index"))
        _check_writing(self.write_kwargs)
        self.rows_per_file = check_rows_per_file(rows_per_file)
        self.options: dict[str, Any] = {
            "engine": engine,
            "memory_limit": memory_limit,
            "nulls": nulls,
            "checkpoint": checkpoint,
            "checkpoint_every": checkpoint_every,
        }
        named = Options.check(**self.options).engine
        gpus = GPUS[named] if named else 1.0
        bytes_of(memory_limit)  # raises, as the options do, before the folder is made
        self.resources = Resources(cpus=1.0, gpus=gpus)
        self._answered: list[str] | None = None
        folder = check_path("output_path", output_path)
        self.output_path = f"{folder.rstrip('/')}/{self.name}"
        if checkpoint is not None:
            self._refuse_inside("the checkpoint", check_path("checkpoint", checkpoint))
        self._make_folder()

    def num_workers(self) -> int:
        """Return the number of workers: one, to which all edges go.

        Returns
        -------
        int

        See Also
        --------
        ConnectedComponentsStage.process_batch : What that worker does.
        """
        return 1

    def process(self, task: Any) -> Any:
        """Raise a NotImplementedError: components need the edges of all tasks at once.

        Parameters
        ----------
        task : FileGroupTask

        Returns
        -------
        never

        See Also
        --------
        ConnectedComponentsStage.process_batch : The method that takes all tasks.
        """
        raise NotImplementedError(f"{self.name} takes all tasks at once, by process_batch")

    def process_batch(self, tasks: Sequence[Any]) -> list[Any]:
        """Write the component of each document of the edges in all files of some tasks.

        Parameters
        ----------
        tasks : sequence of FileGroupTask
            All tasks of the stage before, whose ``data`` are paths of Parquet files of edges. Files
            without rows count for nothing.

        Returns
        -------
        list of FileGroupTask
            One task for each file that was written, with its number of documents as
            ``num_vertices`` in the metadata, and the rows of the run as ``ledger``: given = linked
            + those left out, by reason. The ledger is also in the metadata of the Parquet files.

        Raises
        ------
        InputError
            There are no tasks or no files, or one is in the folder of the answer, or the stage has
            answered for other files: then the components of both together would be lost.
        MissingColumnError, ColumnTypeError, NullsError, FormatError
            A file lacks a column of ids, or they are no integers, or null; or it cannot be read.
        OutputError
            The folder has files that no run of this stage wrote, or that were changed since; or the
            answer cannot be written. Then all files in the folder are as they were.

        See Also
        --------
        cc_rapids.stream_components : The function that reads the edges; it has more errors.
        """
        files = [os.fspath(path) for task in tasks for path in task.data]
        if not files:
            raise InputError(f"{counted(len(tasks), 'task')} with no file: there are no edges")
        for path in files:
            self._refuse_inside("the file of edges", path)
        if self._answered not in (None, files):
            raise InputError(
                f"{self.name} has answered for {counted(len(self._answered or ()), 'file')} and is"
                f" now given {len(files):,}: components need all edges at once, so run it with"
                " RayActorPoolExecutor, and make a new stage for other edges"
            )
        self._earlier_files()
        documents, ledger, tables = self._solved(files)
        word = getattr(tasks[0], "task_id", "") or "components"
        starts = range(0, max(documents, 1), self.rows_per_file)
        ends = [f"_{k}" for k in range(len(starts))] if len(starts) > 1 else [""]
        names = (f"{word}{end}.parquet" for end in ends)
        written = self._write(zip(names, tables, strict=True))
        self._answered = files
        given = {"storage_options": self.write_kwargs.get("storage_options")}
        rows = [min(self.rows_per_file, documents - start) for start in starts]
        return [
            type(tasks[0])(
                dataset_name=tasks[0].dataset_name,
                data=[path],
                _metadata=given | {"num_vertices": count, "ledger": ledger.facts()},
            )
            for path, count in zip(written, rows, strict=True)
        ]

    def _solved(self, files: list[str]) -> tuple[int, Ledger, Iterator[pa.Table]]:
        """Return the number of documents, the ledger, and components in tables for one file each.

        Raises
        ------
        LedgerError
            Other rows were linked or left out than the footers of the files count.
        """
        import pyarrow as pa

        # not where a pipeline is put together, which runs no stage
        from ..incremental.stream import stream_components

        fragments = [self._fragment(path) for path in files]
        opened_fragments = [
            (path, fragment)
            for path, fragment in zip(files, fragments, strict=True)
            if fragment.metadata.num_rows
        ]
        if not opened_fragments:
            kinds = {name: pa.int64() for name in (DOCUMENT, GROUP)}
            return 0, Ledger(), iter([_with_ledger(pa.schema(kinds).empty_table(), Ledger())])
        result: Any = stream_components(
            _edges(opened_fragments), self.source_field, self.destination_field, **self.options
        )
        facts = result.summary()
        rows = sum(fragment.metadata.num_rows for _, fragment in opened_fragments)
        ledger: Ledger = result.answer.facts.rows._replace(given=rows).check("the files of edges")
        log.info(
            "%s: %s in %s, by %s of %s; ledger: %s",
            self.name,
            counted(facts["vertices"], "document"),
            counted(facts["components"], "group"),
            counted(facts["edges"], "edge"),
            counted(len(files), "file"),
            ledger,
        )
        tables = (
            _with_ledger(table.rename_columns([DOCUMENT, GROUP]), ledger)
            for table in label_tables(result.answer, self.rows_per_file, result.answer.kind)
        )
        return facts["vertices"], ledger, tables

    def _fragment(self, path: str) -> Any:
        """Return a file as a fragment of a dataset, whose columns are those of edges.

        Raises
        ------
        FormatError, MissingColumnError, ColumnTypeError
            It cannot be read, lacks a column, or has ids that are no integers.
        """
        import pyarrow.dataset
        from pyarrow import types
        from pyarrow.fs import FSSpecHandler, LocalFileSystem, PyFileSystem

        system, inside = LocalFileSystem(), path
        if "://" in path:
            filesystem, inside = remote(path, self.read_kwargs.get("storage_options"))
            system = PyFileSystem(FSSpecHandler(filesystem))
        try:
            fragment = pyarrow.dataset.ParquetFileFormat().make_fragment(inside, system)
            schema, rows = fragment.physical_schema, fragment.metadata.num_rows
        except (OSError, pyarrow.ArrowException) as error:
            raise FormatError(f"{path} cannot be read: {error}") from error
        for name in (self.source_field, self.destination_field):
            if name not in schema.names:
                raise MissingColumnError(f"{path}: {unknown('column', name, schema.names)}")
            kind = schema.field(name).type
            if rows and not types.is_integer(kind):  # without rows it may be null, as of no lists
                raise ColumnTypeError(
                    f"{path}: column {name!r} is {kind}, and documents have integers: read them"
                    " with Curator's id generator, or pass the files to"
                    " cc_rapids.stream_components, which takes strings"
                )
        return fragment

    def _write(self, tables: Any) -> list[str]:
        """Write tables by their names to the folder, all or none, and return the paths."""
        import pyarrow.parquet as pq

        writing, manifest = self.write_kwargs, {}
        options = {theirs: writing[ours] for ours, theirs in WRITING.items() if ours in writing}
        with self._replacing_earlier_files() as create:
            for name, table in tables:
                with create(name) as stream:
                    hashed = _Hashed(stream)
                    pq.write_table(table, hashed, **options)
                manifest[name] = hashed.sha256.hexdigest()
            with create(MANIFEST) as stream:
                stream.write(json.dumps(manifest, indent=1).encode())
        return [f"{self.output_path}/{name}" for name in manifest]

    @contextmanager
    def _replacing_earlier_files(self) -> Iterator[Callable[[str], BinaryIO]]:
        """Return a context with a function that creates files, which replace those before."""
        earlier = self._earlier_files()
        if "://" not in self.output_path:
            with replacing_folder(Path(self.output_path), earlier) as partial:
                yield lambda name: (partial / name).open("xb")
            return
        system, inside = remote(self.output_path, self.write_kwargs.get("storage_options"))
        with errors_of(self.output_path), system.transaction:
            yield lambda name: system.open(f"{inside}/{name}", "wb")
            for name in earlier:  # the new files get their names after this
                system.rm_file(f"{inside}/{name}")

    def _earlier_files(self) -> list[str]:
        """Return the names of the files in the folder; an earlier run wrote all of them.

        Raises
        ------
        OutputError
            There are others; names one.
        """
        folder, system = self.output_path, None
        with errors_of(folder):
            if "://" in folder:
                system, inside = remote(folder, self.write_kwargs.get("storage_options"))
                system.invalidate_cache()  # other processes write there, too
                paths = system.find(inside)
                names = [path[len(inside) + 1 :] for path in paths if path != inside]
            else:
                names = os.listdir(folder) if os.path.exists(folder) else []

            def opened(name: str) -> Any:
                return system.open(f"{inside}/{name}") if system else open(f"{folder}/{name}", "rb")

            manifest = _manifest(opened) if MANIFEST in names else {}
            intact = [name for name in names if name in manifest]
            intact = [name for name in intact if _sha256(opened, name) == manifest[name]]
            if manifest:
                intact.append(MANIFEST)  # removed last, so that the others are known until then
            others = sorted(set(names).difference(intact))
        if others:
            raise OutputError(
                f"{folder} has {counted(len(others), 'file')} that no run of {self.name} wrote, or"
                f" that were changed since, such as {shown(others[0])}: move them elsewhere, or"
                " pass another output_path="
            )
        return intact

    def _refuse_inside(self, what: str, path: str) -> None:
        """Raise an InputError if a path is in the folder of the answer."""
        folder = self.output_path
        if "://" in path or "://" in folder:
            inside = path.startswith(f"{folder}/")
        else:
            inside = Path(path).resolve().is_relative_to(Path(folder).resolve())
        if inside:
            raise InputError(
                f"{what} {path} is in the folder of the answer, {folder}, which has no other files:"
                " put it elsewhere, or pass another output_path="
            )

    def _make_folder(self) -> None:
        """Make the folder of the answer if it is missing; files in it stay."""
        if "://" in self.output_path:
            with errors_of(self.output_path):
                system, inside = remote(self.output_path, self.write_kwargs.get("storage_options"))
                system.makedirs(inside, exist_ok=True)
            return
        folder = Path(self.output_path)
        if os.path.islink(folder):
            raise OutputError(f"cannot write {folder}: it is a link; pass another output_path=")
        make_folder(folder, parents=True)


class _Hashed(BufferedIOBase):
    """A stream that passes on what is written to it, and has its SHA-256."""

    def __init__(self, stream: BinaryIO) -> None:
        self.sha256, self._stream = hashlib.sha256(), stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.sha256.update(data)
        return self._stream.write(data)


def _with_ledger(table: pa.Table, ledger: Ledger) -> pa.Table:
    """Return a table with the ledger in the metadata of its file."""
    metadata = {LEDGER: json.dumps(ledger.facts()).encode()}
    return table.replace_schema_metadata((table.schema.metadata or {}) | metadata)


def _manifest(opened: Callable[[str], Any]) -> dict[str, str]:
    """Return the SHA-256 of the files of an earlier run; empty if the manifest is broken."""
    with opened(MANIFEST) as stream:
        try:
            manifest = json.loads(stream.read())
        except ValueError:
            return {}
    return manifest if isinstance(manifest, dict) else {}


def _sha256(opened: Callable[[str], Any], name: str) -> str:
    """Return the SHA-256 of a file; an empty string if it cannot be read, such as a folder."""
    try:
        with opened(name) as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return ""


def _checked(what: str, given: Mapping[str, Any] | None, allowed: Sequence[str]) -> dict[str, Any]:
    """Return options for reading or writing files.

    Raises
    ------
    ArgumentTypeError, InputError
        They are no dictionary, or one is not supported here.
    """
    if given is not None and not isinstance(given, Mapping):
        raise ArgumentTypeError(f"{what}= must be a dictionary of options, not {shown(given)}")
    for name in given or ():
        if name not in allowed:
            raise InputError(f"{unknown(f'option in {what}=', name, allowed)}; others are cuDF's")
    return dict(given or {})


def _check_writing(options: Mapping[str, Any]) -> None:
    """Raise an InputError unless PyArrow can write files with these options."""
    compression, rows = options.get("compression"), options.get("row_group_size_rows")
    if compression is not None:
        word = compression.lower() if isinstance(compression, str) else compression
        check_word("compression in write_kwargs=", word, COMPRESSIONS)
    if rows is not None and (isinstance(rows, bool) or not isinstance(rows, int) or rows < 1):
        raise InputError(
            f"row_group_size_rows in write_kwargs= must be a number of rows, not {shown(rows)}"
        )


def _edges(opened_fragments: list[tuple[str, Any]]) -> Any:
    """Return what :func:`stream_components` reads: paths here, or a dataset of addresses."""
    import pyarrow as pa
    import pyarrow.dataset

    paths, fragments = zip(*opened_fragments, strict=True)
    if not any("://" in path for path in paths):
        return list(paths)
    kinds = [fragment.physical_schema for fragment in fragments]
    return pyarrow.dataset.FileSystemDataset(
        fragments,
        pa.unify_schemas(kinds, promote_options="permissive"),
        fragments[0].format,
        fragments[0].filesystem,
    )
