"""A stage of NeMo Curator that finds connected components by streaming edges from files.

Curator's fuzzy deduplication hashes documents into buckets, writes pairs of documents in one bucket
as edges to Parquet files, labels the components, and keeps one document of each component. This
stage labels the components without RAFT, NCCL or a graph in memory. It reads edges in chunks, so
only the documents that occur in an edge have to fit into memory.
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
from ..keywords import suggest_keywords_of_methods
from ..ledger import Ledger
from ..options import Options
from ..results.written import ROWS_PER_FILE, check_rows_per_file, label_tables
from .distributed.protocol import GPUS

if TYPE_CHECKING:
    import pyarrow as pa
    from nemo_curator.stages.base import ProcessingStage as Stage
    from nemo_curator.stages.resources import Resources

log: logging.Logger = logging.getLogger(__name__)

DOCUMENT = "_curator_dedup_id"  # Curator's names of the columns between its stages
GROUP = "_duplicate_group_id"
MAX_TASKS = (1 << 31) - 1  # one batch has all tasks, because components need all edges
READ_OPTIONS = ("storage_options",)  # the keys of read_kwargs
# The keys of write_kwargs for Parquet files, with the names of these options in PyArrow
WRITE_OPTIONS = {"compression": "compression", "row_group_size_rows": "row_group_size"}
MANIFEST = ".cc_rapids.json"  # a file in the output folder with the SHA-256 of each file
LEDGER = b"cc_rapids.ledger"  # the key of the ledger in the metadata of the Parquet files
COMPRESSIONS = "snappy", "gzip", "brotli", "lz4", "zstd", "none"


if not TYPE_CHECKING:
    try:
        from nemo_curator.stages.base import ProcessingStage as Stage
        from nemo_curator.stages.resources import Resources
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "nemo_curator":
            raise
        Stage, Resources = object, SimpleNamespace  # substitutes


@suggest_keywords_of_methods
class ConnectedComponentsStage(Stage):  # type: ignore[misc]
    """A stage of Curator that writes the connected component of each document in edge files.

    Curator has a stage of the same name. Both stages have the same first five arguments, and the
    same tasks, output folder, file names and column names. The number of a group is the least
    document of its component, so it is the same on every run. Edges are read in chunks by
    :func:`cc_rapids.stream_components`, on one GPU or on threads.

    The answer replaces the answer of an earlier run. Only files that an earlier run wrote are
    removed; a manifest in the folder has their checksums. Any other file in the folder raises an
    error before edges are read.

    Parameters
    ----------
    output_path : str
        The parent of the output folder ``ConnectedComponentsStage``: a local path, or an address
        such as ``"s3://bucket/cache"``.
    source_field, destination_field : str, optional
        The columns with the integer ids of both documents of an edge; by default
        ``"_curator_dedup_id_x"`` and ``"_curator_dedup_id_y"``.
    read_kwargs : dict, optional
        The key ``storage_options`` holds fsspec's options for remote files. Remote files are read
        on the host.
    write_kwargs : dict, optional
        The keys ``storage_options``, ``compression`` and ``row_group_size_rows``; the key ``index``
        is ignored.
    engine : {"auto", "gpu", "cpu", "cuda", "threads"}, optional
        As for :func:`cc_rapids.stream_components`. Curator assigns a GPU to the stage, unless a CPU
        engine is requested.
    memory_limit : int or str, optional
        As for :func:`cc_rapids.stream_components`.
    nulls : {"raise", "drop"}
        What to do with an edge that has a null end.
    checkpoint, checkpoint_every : path and float, optional
        As for :func:`cc_rapids.stream_components`. An interrupted stage resumes from this file when
        it runs on the same edge files again.
    rows_per_file : int
        The maximum number of documents in an output file. There is one task for each output file.

    Raises
    ------
    InputError, EngineError
        An argument cannot be used.
    OutputError
        The folder cannot be made, or is a symbolic link.

    See Also
    --------
    cc_rapids.stream_components : Find the components of edges in files, without a pipeline.
    cc_rapids.Components.to_parquet : Write the labels of an answer to files.
    cc_rapids.install : Run Curator's own stage on cc_rapids.

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

    source_field: str
    destination_field: str
    read_kwargs: dict[str, Any]
    write_kwargs: dict[str, Any]
    rows_per_file: int
    resources: Any
    output_path: str

    name = "ConnectedComponentsStage"
    batch_size = MAX_TASKS
    is_resumable = False  # Curator can resume only outputs of a single source; see checkpoint=

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
        self.read_kwargs = _checked("read_kwargs", read_kwargs, READ_OPTIONS)
        self.write_kwargs = _checked(
            "write_kwargs", write_kwargs, (*READ_OPTIONS, *WRITE_OPTIONS, "index")
        )
        _check_writing(self.write_kwargs)
        self.rows_per_file = check_rows_per_file(rows_per_file)
        self.options: dict[str, Any] = {
            "engine": engine,
            "memory_limit": memory_limit,
            "nulls": nulls,
            "checkpoint": checkpoint,
            "checkpoint_every": checkpoint_every,
        }
        resolved_engine = Options.check(**self.options).engine
        gpus = GPUS[resolved_engine] if resolved_engine else 1.0  # "auto" gets a GPU
        bytes_of(memory_limit)  # raises an error for an invalid limit before the folder is made
        self.resources = Resources(cpus=1.0, gpus=gpus)
        self._answered_files: list[str] | None = None  # that process_batch() solved
        folder = check_path("output_path", output_path)
        self.output_path = f"{folder.rstrip('/')}/{self.name}"
        if checkpoint is not None:
            self._refuse_inside("the checkpoint", check_path("checkpoint", checkpoint))
        self._make_folder()

    def num_workers(self) -> int:
        """Return the number of workers: one worker reads all edges.

        Returns
        -------
        int

        See Also
        --------
        ConnectedComponentsStage.process_batch : The work of this worker.
        """
        return 1

    def process(self, task: Any) -> Any:
        """Raise a NotImplementedError, because components need the edges of all tasks together.

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
        raise NotImplementedError(f"{self.name} processes all tasks together: call process_batch")

    def process_batch(self, tasks: Sequence[Any]) -> list[Any]:
        """Write the component of each document in the edge files of all tasks.

        Parameters
        ----------
        tasks : sequence of FileGroupTask
            All tasks of the previous stage. Their ``data`` are paths of Parquet files of edges.
            Files without rows are skipped.

        Returns
        -------
        list of FileGroupTask
            One task for each output file. The metadata of a task have the number of documents in
            the file as ``num_vertices``, and the row counts of the run as ``ledger``: rows given =
            rows linked + rows left out for each reason. The ledger is also in the metadata of the
            Parquet files.

        Raises
        ------
        InputError
            There are no tasks or files, a file is in the output folder, or this stage object has
            already processed other files. A second answer would miss the components that have edges
            in the files of both calls.
        MissingColumnError, ColumnTypeError, NullsError, FormatError
            A file lacks a column of ids, its ids are not integers, an id is null, or the file
            cannot be read.
        OutputError
            The folder has files that no run of this stage wrote or that were changed afterwards, or
            the answer cannot be written. The files in the folder are then unchanged.

        See Also
        --------
        cc_rapids.stream_components : The function that reads the edges, with its other errors.
        """
        files = [os.fspath(path) for task in tasks for path in task.data]
        if not files:
            raise InputError(
                f"there are no edges, because {counted(len(tasks), 'task')} name no files"
            )
        for path in files:
            self._refuse_inside("the file of edges", path)
        if self._answered_files is not None and self._answered_files != files:
            earlier = counted(len(self._answered_files), "file")
            raise InputError(
                f"{self.name} has already processed {earlier} and now gets {len(files):,} other"
                " files: components need all edges together, so run the stage with"
                " RayActorPoolExecutor, and make a new stage for other edges"
            )
        self._earlier_files()  # raises an error for foreign files before edges are read
        documents, ledger, tables = self._solve(files)
        base_name = getattr(tasks[0], "task_id", "") or "components"
        starts = range(0, max(documents, 1), self.rows_per_file)  # the first row of each file
        names = [f"{base_name}.parquet"]
        if len(starts) > 1:
            names = [f"{base_name}_{k}.parquet" for k in range(len(starts))]
        written = self._write(zip(names, tables, strict=True))
        self._answered_files = files
        writer_metadata = {"storage_options": self.write_kwargs.get("storage_options")}
        rows = [min(self.rows_per_file, documents - start) for start in starts]
        return [
            type(tasks[0])(
                dataset_name=tasks[0].dataset_name,
                data=[path],
                _metadata=writer_metadata | {"num_vertices": count, "ledger": ledger.facts()},
            )
            for path, count in zip(written, rows, strict=True)
        ]

    def _solve(self, files: list[str]) -> tuple[int, Ledger, Iterator[pa.Table]]:
        """Return the number of documents, the ledger, and a label table for each output file.

        The ledger is checked against the numbers of rows in the footers of the files.
        """
        import pyarrow as pa

        # Imported late, because a process that only assembles a pipeline does not need the module
        from ..incremental.stream import stream_components

        opened_files = [(path, self._fragment(path)) for path in files]
        nonempty_files = [
            (path, fragment) for path, fragment in opened_files if fragment.metadata.num_rows
        ]
        if not nonempty_files:
            types = {name: pa.int64() for name in (DOCUMENT, GROUP)}
            return 0, Ledger(), iter([_with_ledger(pa.schema(types).empty_table(), Ledger())])
        result: Any = stream_components(
            _edges(nonempty_files), self.source_field, self.destination_field, **self.options
        )
        facts = result.summary()
        rows = sum(fragment.metadata.num_rows for _, fragment in nonempty_files)
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
        """Return a Parquet file as a dataset fragment, after a check of its id columns."""
        import pyarrow.dataset
        from pyarrow import types
        from pyarrow.fs import FSSpecHandler, LocalFileSystem, PyFileSystem

        filesystem, path_inside = LocalFileSystem(), path
        if "://" in path:
            remote_system, path_inside = remote(path, self.read_kwargs.get("storage_options"))
            filesystem = PyFileSystem(FSSpecHandler(remote_system))
        try:
            fragment = pyarrow.dataset.ParquetFileFormat().make_fragment(path_inside, filesystem)
            schema, rows = fragment.physical_schema, fragment.metadata.num_rows
        except (OSError, pyarrow.ArrowException) as error:
            raise FormatError(f"{path} cannot be read: {error}") from error
        for name in (self.source_field, self.destination_field):
            if name not in schema.names:
                raise MissingColumnError(f"{path}: {unknown('column', name, schema.names)}")
            kind = schema.field(name).type
            if rows and not types.is_integer(kind):  # without rows, the type may be null
                raise ColumnTypeError(
                    f"{path}: column {name!r} is {kind}, but ids of documents are integers: read"
                    " the documents with Curator's id generator, or pass the files to"
                    " cc_rapids.stream_components, which accepts strings"
                )
        return fragment

    def _write(self, tables: Any) -> list[str]:
        """Write pairs (file name, table) to the output folder, all or none; return the paths."""
        import pyarrow.parquet as pq

        kwargs, manifest = self.write_kwargs, {}
        options = {WRITE_OPTIONS[name]: kwargs[name] for name in WRITE_OPTIONS if name in kwargs}
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
        """Yield a function that opens a new file; new files replace the earlier ones on exit."""
        earlier = self._earlier_files()
        if "://" not in self.output_path:
            with replacing_folder(Path(self.output_path), earlier) as partial:
                yield lambda name: (partial / name).open("xb")
            return
        system, inside = remote(self.output_path, self.write_kwargs.get("storage_options"))
        with errors_of(self.output_path), system.transaction:
            yield lambda name: system.open(f"{inside}/{name}", "wb")
            for name in earlier:  # the transaction commits the new files after this loop
                system.rm_file(f"{inside}/{name}")

    def _earlier_files(self) -> list[str]:
        """Return the names of all files in the output folder, if an earlier run wrote all of them.

        Raise an OutputError for a file that no earlier run wrote, or that was changed afterwards.
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

            def open_file(name: str) -> Any:
                return system.open(f"{inside}/{name}") if system else open(f"{folder}/{name}", "rb")

            manifest = _manifest(open_file) if MANIFEST in names else {}
            unchanged = [
                name
                for name in names
                if name in manifest and _sha256(open_file, name) == manifest[name]
            ]
            if manifest:
                unchanged.append(MANIFEST)  # removed last, because it identifies the other files
            foreign = sorted(set(names).difference(unchanged))
        if foreign:
            raise OutputError(
                f"{folder} has {counted(len(foreign), 'file')} that no run of {self.name} wrote,"
                f" or that were changed since, such as {shown(foreign[0])}: move these files, or"
                " pass another output_path="
            )
        return unchanged

    def _refuse_inside(self, what: str, path: str) -> None:
        """Raise an InputError if a path is in the output folder; ``what`` names it in the error."""
        folder = self.output_path
        if "://" in path or "://" in folder:
            inside = path.startswith(f"{folder}/")
        else:
            inside = Path(path).resolve().is_relative_to(Path(folder).resolve())
        if inside:
            raise InputError(
                f"{what} {path} is in the folder of the answer, {folder}, which must not have other"
                " files: move the file, or pass another output_path="
            )

    def _make_folder(self) -> None:
        """Make the output folder if it does not exist."""
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
    """A writable stream that forwards its bytes to another stream and computes their SHA-256."""

    def __init__(self, stream: BinaryIO) -> None:
        self.sha256, self._stream = hashlib.sha256(), stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.sha256.update(data)
        return self._stream.write(data)


def _with_ledger(table: pa.Table, ledger: Ledger) -> pa.Table:
    """Return a table with the ledger in the metadata of its schema."""
    metadata = {LEDGER: json.dumps(ledger.facts()).encode()}
    return table.replace_schema_metadata((table.schema.metadata or {}) | metadata)


def _manifest(open_file: Callable[[str], Any]) -> dict[str, str]:
    """Return the SHA-256 of each file of an earlier run by its name; {} for a corrupt manifest."""
    with open_file(MANIFEST) as stream:
        try:
            manifest = json.loads(stream.read())
        except ValueError:
            return {}
    return manifest if isinstance(manifest, dict) else {}


def _sha256(open_file: Callable[[str], Any], name: str) -> str:
    """Return the SHA-256 of a file; an empty string if it cannot be read or is a folder."""
    try:
        with open_file(name) as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return ""


def _checked(
    name: str, options: Mapping[str, Any] | None, allowed: Sequence[str]
) -> dict[str, Any]:
    """Return a copy of the options of the parameter ``name``, after a check of their keys."""
    if options is not None and not isinstance(options, Mapping):
        raise ArgumentTypeError(f"{name}= must be a dictionary of options, not {shown(options)}")
    for key in options or ():
        if key not in allowed:
            raise InputError(
                f"{unknown(f'option in {name}=', key, allowed)}; cuDF's other options do not apply"
            )
    return dict(options or {})


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


def _edges(files: list[tuple[str, Any]]) -> Any:
    """Return files, pairs (path, fragment), as local paths, or as a dataset if one is remote."""
    import pyarrow as pa
    import pyarrow.dataset

    paths, fragments = zip(*files, strict=True)
    if not any("://" in path for path in paths):
        return list(paths)  # remote files need the file system of their fragments
    schemas = [fragment.physical_schema for fragment in fragments]
    return pyarrow.dataset.FileSystemDataset(
        fragments,
        pa.unify_schemas(schemas, promote_options="permissive"),
        fragments[0].format,
        fragments[0].filesystem,
    )
