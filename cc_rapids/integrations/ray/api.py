"""Find components of Ray datasets; the answer stays in Ray's object stores."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import ray
from ray import cloudpickle
from ray.data import Dataset
from ray.data.block import BlockAccessor
from ray.data.dataset import MaterializedDataset

from ...algorithms.design import Design
from ...data import column, read
from ...data.edge_input import checked_names
from ...errors import CcRapidsError, EngineError, InputError, LedgerError, shown
from ...ids.range import check_range
from ...incremental.progress import DistributedProgress, Reporter
from ...keywords import suggest_keywords, suggest_keywords_of_methods
from ...options import Options
from ..distributed.answer import DistributedComponents
from ..distributed.forests import (
    Ends,
    Forest,
    as_list,
    as_pandas,
    edges_of,
    labelled,
    local_forest,
    loops,
    merged,
    names_of_ends,
    solved,
)
from ..distributed.protocol import GPUS
from ..distributed.run import Run
from ..distributed.vertices import check_partition
from .tasks import Result, Tasks

# Columns of packed blocks: a pickled forest, and the number of rows that it was made from
FOREST, ROWS = "forest", "rows"
PATIENCE = 1.0  # the maximum seconds to wait for a task in flight before the next block is drawn


@suggest_keywords_of_methods
@dataclass(frozen=True, eq=False, repr=False)
class RayComponents(DistributedComponents):
    """The connected components of a Ray dataset.

    ``len()`` is the number of components. Datasets stay in the object stores of the cluster.

    Attributes
    ----------
    facts : dict
        Facts about the run and the answer: engine, device, partition, workers (the nodes),
        vertices, components, dropped (edges dropped for nulls), ledger, seconds, and for
        distributed vertices the rounds and the bytes sent.

    See Also
    --------
    cc_rapids.ray.components : Find the components of a Ray dataset.
    cc_rapids.Components : The answer on one machine.
    """

    _labels: Dataset
    _sizes: Callable[[], Dataset] | None = None  # None if vertices are distributed
    _forest: Callable[[], Dataset] | None = None  # None if vertices are distributed

    def labels(self) -> Dataset:
        """Return the component of each vertex.

        Returns
        -------
        ray.data.Dataset, columns ``vertex`` and ``labels`` (``0_vertex``, ... for several columns)
            One row per vertex. Unless vertices are distributed by hash, the rows are in the order
            of the ids.

        See Also
        --------
        RayComponents.sizes : The number of vertices of each component.
        RayComponents.forest : The edges of a spanning forest.
        """
        return self._labels

    def sizes(self) -> Dataset:
        """Return the number of vertices of each component.

        Returns
        -------
        ray.data.Dataset, columns ``labels`` (or ``0_labels``, ...) and ``size``
            One row per component, in no order. With distributed edges, this call computes the
            sizes. With distributed vertices, the sizes are computed at the first use of the
            dataset.

        See Also
        --------
        RayComponents.labels : The component of each vertex.
        """
        if self._sizes:  # with distributed edges
            return self._sizes()
        if not len(self):  # keep the columns of an answer without rows
            labels = self._labels.schema().base_schema.empty_table().select(["labels"])
            return _with_columns(
                ray.data.from_arrow(labels.append_column("size", pa.array([], pa.int64())))
            )
        return self._labels.groupby("labels").count().rename_columns({"count()": "size"})

    def forest(self) -> Dataset | None:
        """Return the edges of a spanning forest, a subset of the given edges.

        Returns
        -------
        ray.data.Dataset, columns ``source`` and ``destination`` (``0_source``, ... for several)
            A component of n vertices has n - 1 rows. Different runs may return different edges. The
            result is None if vertices are distributed, because no worker holds the whole forest.

        See Also
        --------
        RayComponents.labels : The component of each vertex.
        cc_rapids.spanning_forest : Find a spanning forest on one machine.
        """
        return self._forest() if self._forest else None


@suggest_keywords
def components(
    edges: Dataset,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    *,
    vertices: Any = None,
    num_vertices: int | None = None,
    labels: str | None = None,
    nulls: str = "raise",
    design: str | Design = "auto",
    engine: str | None = None,
    partition: str = "edges",
    owners: Any = None,
    room: int | None = None,
    num_cpus: float | None = None,
    num_gpus: float | None = None,
    progress: bool | Callable[[DistributedProgress], object] = False,
) -> RayComponents:
    """Find the connected components of a Ray dataset, on the nodes that hold or read it.

    Ray Data reads the columns of ids. On CPUs, the task that reads a block also reduces the block
    to a forest. On GPUs, a separate task reduces it. The forests of a node are merged as they are
    completed. Then the forests of all nodes are merged pairwise in a tree. Only edges of forests
    are sent. If a process or a node is lost, Ray reads the lost blocks again.

    Parameters
    ----------
    edges : ray.data.Dataset
        The edges, in blocks of any type and origin.
    source, destination : str, or lists of str of equal length, optional
        The columns with the two ends of each edge, by default a known pair of names, as for
        :func:`cc_rapids.components`.
    vertices : ray.data.Dataset, column, array or range of ids, optional
        Vertices to include even if no edge names them.
    num_vertices : int, optional
        The vertices are exactly 0 .. num_vertices - 1.
    labels : {"min", "dense", "size"}, optional
        As for :func:`cc_rapids.dask.components`.
    nulls : {"raise", "drop"}
        What to do with an edge that has a null end.
    design : str or Design
        As for :func:`cc_rapids.components`; the design must make spanning forests.
    engine : {"threads", "cuda"}, optional
        As for :func:`cc_rapids.components`. ``"cuda"`` needs ``num_gpus``, because Ray assigns GPUs
        only to tasks that request them.
    num_cpus, num_gpus : float, optional
        The resources of each task, as for :meth:`ray.data.Dataset.map_batches`. If tasks request a
        fraction of a GPU, several tasks share a GPU.
    progress : bool or callable
        If True, show a bar on stderr if stderr is a terminal. A callable is called with a
        ``DistributedProgress`` after each finished task. Otherwise lines are written to the log.

    Returns
    -------
    RayComponents
        The components, as datasets.

    Other Parameters
    ----------------
    partition : {"edges", "vertices"}
        What is distributed. With ``"edges"``, one node finally holds a forest over all vertices.
        With ``"vertices"``, each node holds one part of the vertices; see
        :mod:`cc_rapids.integrations.distributed.vertices`. Distributed vertices need ids of one
        column and labels "min".
    owners : {"range", "hash"} or callable, optional
        The assignment of distributed vertices to parts, as for :func:`cc_rapids.dask.components`.
    room : int, optional
        With distributed vertices, the maximum number of remaining edges that one task solves. The
        default is the largest number of vertices of a part.

    Raises
    ------
    EngineError
        Ray is not running, or the engine runs on a GPU and ``num_gpus`` is 0 or not given.
    InputError
        The edges or an argument cannot be used, as for :func:`cc_rapids.components`. Counts in the
        message refer to one block.

    See Also
    --------
    cc_rapids.components : Find the components of edges on one machine.
    cc_rapids.dask.components : Find the components of frames on a Dask cluster.
    cc_rapids.pool.components : Find the components of partitions on a pool of processes.

    Notes
    -----
    The algorithm follows Balduzzi et al. 2018, section 2.

    Examples
    --------
    >>> import cc_rapids.ray, ray
    >>> pairs = ray.data.read_parquet("edges/")  # doctest: +SKIP
    >>> found = cc_rapids.ray.components(pairs, "id", "other")  # doctest: +SKIP
    >>> found.labels().write_parquet("labels/")  # doctest: +SKIP
    """
    checked = Options.check(
        labels=labels, nulls=nulls, design=design, engine=engine, forest=True, progress=progress
    )
    if isinstance(edges, Dataset) and (example := _empty_table(edges)) is not None:
        source, destination = read.named_ends(example, source, destination)
    end_names = checked_names(source, destination)
    id_names = names_of_ends(source, destination)
    edges = _checked(edges, end_names, vertices, num_vertices, nulls)
    check_partition(partition, id_names[0], labels, owners, room, cloudpickle.dumps)
    resources = _resources(checked.engine, num_cpus=num_cpus, num_gpus=num_gpus)
    options = {"design": design, "engine": engine}
    with Reporter(progress) as watch:
        tasks, parts_name = Tasks(resources), "the blocks of the Ray dataset"
        run = RayRun(tasks, id_names, nulls, options, watch, parts_name)
        if partition == "edges":
            return run.by_edges(edges, labels, vertices, num_vertices)
        all_vertices = range(num_vertices) if num_vertices is not None else vertices
        vertex_range = all_vertices if isinstance(all_vertices, range) else None
        forests = run.forests(edges, all_vertices)
        if all_vertices is not None and not isinstance(all_vertices, range | Dataset):
            frame = pd.DataFrame({"vertex": _on_host(all_vertices)})
            forests.append(tasks.submit(loops, frame, id_names[0], options))
        rows = known_rows(edges)
        answers, facts = run.by_vertices(forests, owners, room, vertex_range, num_vertices, rows)
        tables = [tasks.submit(as_table, answer) for answer in answers]
        return RayComponents(facts, _dataset(tables))


@dataclass(frozen=True)
class RayRun(Run):
    """One run on a cluster.

    The number of edges comes from Ray's metadata. If the metadata lacks it, the tasks that reduce
    blocks to forests count the edges.
    """

    tasks: Tasks

    def forests(self, edges: Dataset, vertices: Any) -> list[Result]:
        """Return a forest for each node that has read blocks; without blocks, an empty forest."""
        with closing(self._leaves(edges, vertices)) as leaves:
            folded = self.fold(leaves, None)
        if folded:
            return [forest for _, forest in folded]
        empty = _empty_frame(edges, self.id_names)
        return [self.tasks.submit(local_forest, empty, *self.id_names, self.nulls, self.options)]

    def _leaves(self, edges: Dataset, vertices: Any) -> Generator[Result, None, None]:
        """Iterate over the forests of blocks as they are complete, also of a dataset ``vertices``.

        If many tasks are in flight, the next block is drawn when one of these tasks ends or after
        ``PATIENCE`` seconds. The time limit avoids a deadlock, because tasks of the dataset may
        occupy the CPU or GPU that the tasks in flight wait for.
        """
        waiting: list[Result] = []
        max_in_flight = 2 * self.tasks.cpus()
        with closing(self._started(edges, vertices)) as forests:  # after an error, no block is read
            for forest in forests:
                waiting.append(forest)
                patience = PATIENCE if len(waiting) >= max_in_flight else 0
                done, waiting = self.tasks.ready(waiting, patience)
                yield from done
        yield from self.tasks.completed(waiting)

    def _started(self, edges: Dataset, vertices: Any) -> Generator[Result, None, None]:
        """Start tasks that reduce blocks to forests; iterate over the results of these tasks.

        On CPUs, Ray Data reduces a block in the task that reads the block. On GPUs, Ray Data would
        start separate tasks for batches of a fixed number of rows. This run therefore submits its
        own task for each block.
        """
        source, options = self.id_names[0], self.options
        # Each dataset, the function that reduces its blocks to forests, and its other arguments
        steps: list[tuple[Dataset, Any, tuple[Any, ...]]] = [
            (edges, local_forest, (*self.id_names, self.nulls, options))
        ]
        if isinstance(vertices, Dataset):
            steps.append((vertices, loops, (source, options)))
        for dataset, make, arguments in steps:
            if self.tasks.resources.get("num_gpus"):  # once blocks are read, Ray knows their rows
                for block in _blocks(dataset):
                    yield self.tasks.submit(forest_of, block, make, *arguments)
                continue
            forests = dataset.map_batches(
                packed,
                batch_size=None,  # a batch is a whole block
                batch_format="pyarrow",
                fn_args=(make, *arguments),
                **self.tasks.resources,
            )
            row_counts = []  # for each block, the rows of the packed forests in it
            for block in _blocks(forests):
                forest, rows = self.tasks.split(unpacked, block, self.id_names, options, count=2)
                row_counts.append(rows)
                yield forest
            expected = known_rows(forests)
            received = sum(map(len, self.tasks.gather(row_counts)))
            if expected not in (None, received):
                raise LedgerError(
                    f"Ray has made forests of {expected:,} blocks, but {received:,} arrived"
                )
            if dataset is edges:  # only edges are rows of the ledger
                self.counts.extend(row_counts)

    def by_edges(
        self, edges: Dataset, labels: str | None, vertices: Any, num_vertices: int | None
    ) -> RayComponents:
        """Return the answer for distributed edges: merge the forests in a tree, and label the root.

        The arguments are those of :func:`components`, after its checks.
        """
        tasks, id_names = self.tasks, self.id_names
        forests = self.forests(edges, vertices)
        root = self.tree(forests)
        options = self.options | {"labels": labels, "num_vertices": num_vertices}
        options["vertices"] = None if isinstance(vertices, Dataset) else vertices
        arguments = root, id_names, options
        blocks = tasks.cpus()  # of the labels
        facts_result, *tables = tasks.split(label_blocks, *arguments, blocks, count=blocks + 1)
        [facts] = tasks.gather([facts_result])
        return RayComponents(
            self.facts(facts, "edges", len(tasks.workers()), known_rows(edges), combine="tree"),
            _dataset(tables),
            _sizes=lambda: _dataset([tasks.submit(size_block, *arguments)]),
            _forest=lambda: _dataset([tasks.submit(forest_block, root, id_names[0])]),
        )


def _checked(
    edges: Any, end_names: tuple[Any, Any], vertices: Any, num_vertices: int | None, nulls: str
) -> Dataset:
    """Check the arguments as far as possible without reading rows; return the edges.

    If the columns are known, the returned edges have only the columns of ids.
    """
    if not isinstance(edges, Dataset):
        raise InputError(
            f"edges are a {type(edges).__name__}, not a Ray dataset: pass them to"
            " cc_rapids.components, or make a dataset with ray.data.from_pandas, from_arrow or"
            " read_parquet"
        )
    if not ray.is_initialized():
        raise EngineError("Ray is not running: start it, or connect to a cluster, with ray.init()")
    if isinstance(vertices, range):
        check_range(vertices)
    if isinstance(vertices, Dataset):
        vertices = _empty_table(vertices)
        if vertices is not None and vertices.num_columns == 1:
            vertices = vertices.column(0)
    empty_edges = _empty_table(edges)
    if empty_edges is None:  # the columns are known only once the caller's functions have run
        return edges
    read.read(empty_edges, *end_names, vertices, num_vertices, nulls)
    names = [name for side in names_of_ends(*end_names) for name in as_list(side)]
    return edges.select_columns(list(dict.fromkeys(names)))


def known_rows(dataset: Dataset) -> int | None:
    """Return the number of rows of a dataset if Ray knows it without reading rows, or None.

    ``Dataset.count()`` would read the dataset again if the number is unknown.
    """
    count = getattr(dataset, "_meta_count", None)
    return count() if count else None


def _empty_table(dataset: Dataset) -> Any:
    """Return an Arrow table with the columns of a dataset; None if no Arrow schema is known."""
    schema = dataset.schema(fetch_if_missing=False)
    is_arrow = schema is not None and isinstance(schema.base_schema, pa.Schema)
    return schema.base_schema.empty_table() if is_arrow else None


def _resources(engine: str | None, **resources: Any) -> dict[str, float]:
    """Return the resources of tasks that are not None, after a check of their values.

    If the engine runs on a GPU, tasks must request GPUs. Otherwise Ray would assign no GPUs to
    tasks, and a task could see all GPUs or none.
    """
    for name, value in resources.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (number and 0 <= value < float("inf")):
            raise InputError(f"{name} must be a number of at least 0, not {shown(value)}")
    if engine and GPUS[engine] and not resources["num_gpus"]:
        raise EngineError(
            f"engine {engine!r} runs on a GPU, but Ray assigns GPUs only to tasks that request"
            " them: pass num_gpus=1, or a fraction such as num_gpus=0.25 so that tasks share a GPU"
        )
    return {name: value for name, value in resources.items() if value is not None}


def _empty_frame(edges: Dataset, id_names: Ends) -> Any:
    """Return an empty frame with the types of a dataset without rows.

    If the columns are unknown because a function of the caller returned no rows, the frame has the
    columns of ids without types.
    """
    example = _empty_table(edges.materialize())
    if example is None or not example.num_columns:
        return pd.DataFrame({name: [] for side in id_names for name in as_list(side)})
    return as_pandas(example)


def _on_host(vertices: Any) -> Any:
    """Return a column of ids in host memory."""
    with column.of("vertices", vertices).borrow() as ids:
        if column.is_cudf(ids):
            return ids.to_pandas()
        return ids.get() if hasattr(ids, "get") else np.array(ids)


def _blocks(dataset: Dataset) -> Iterator[Any]:
    """Iterate over references to the blocks of a dataset as they are read; skip empty blocks.

    A block is an Arrow table or a pandas frame.
    """
    for bundle in dataset.iter_internal_ref_bundles():
        for block, metadata in zip(bundle.block_refs, bundle.metadata, strict=True):
            if metadata.num_rows != 0:
                yield block


def forest_of(block: Any, make: Callable[..., Forest], *arguments: Any) -> Forest:
    """Return ``make(frame, *arguments)``, where ``frame`` has the rows of a block."""
    return make(as_pandas(BlockAccessor.for_block(block).to_arrow()), *arguments)


def packed(table: Any, make: Callable[..., Forest], *arguments: Any) -> Any:
    """Return a table of one row: the pickled forest or error of a block, and its number of rows.

    Errors are pickled because Ray Data keeps the message of an error, but not its type.
    """
    try:
        result: Any = forest_of(table, make, *arguments)
    except CcRapidsError as error:
        result = error
    forest = pa.array([pickle.dumps(result)], pa.large_binary())
    return pa.table({FOREST: forest, ROWS: [table.num_rows]})


def unpacked(table: Any, id_names: Ends, options: dict[str, Any]) -> tuple[Forest, list[int]]:
    """Merge the packed forests of a block; return the merged forest, and the ``ROWS`` of each.

    Ray Data may combine small blocks to one with several forests. A packed error is raised.
    """
    forests: list[Forest] = []
    for row in table.column(FOREST):
        forest = pickle.loads(row.as_py())
        if isinstance(forest, CcRapidsError):
            raise forest
        forests.append(forest)
    forest = forests[0] if len(forests) == 1 else merged(id_names, options, *forests)
    return forest, table.column(ROWS).to_pylist()


def label_blocks(forest: Forest, id_names: Ends, options: dict[str, Any], count: int) -> list[Any]:
    """Return the facts of a run, followed by the labels of all vertices in ``count`` tables."""
    frame, facts = labelled(forest, id_names, options)
    table = as_table(frame)
    bounds = [k * len(table) // count for k in range(count + 1)]
    tables = [table.slice(low, high - low) for low, high in pairwise(bounds)]
    return [facts, *tables]


def size_block(forest: Forest, id_names: Ends, options: dict[str, Any]) -> Any:
    """Return the number of vertices of each component, as a table."""
    return as_table(solved(forest, id_names, options).sizes())


def forest_block(forest: Forest, source: Any) -> Any:
    """Return the edges of a forest without self-loops, as a table."""
    return as_table(edges_of(forest, source))


def as_table(frame: Any) -> Any:
    """Return a frame of pandas or cuDF as a table of Arrow."""
    if hasattr(frame, "to_arrow"):
        return frame.to_arrow(preserve_index=False)
    return pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)


class _WithColumns(MaterializedDataset):  # type: ignore[misc]
    """A dataset in memory whose pandas frame has columns even if it has no rows."""

    def to_pandas(self, limit: int | None = None) -> pd.DataFrame:
        frame: pd.DataFrame = super().to_pandas(limit)
        if not len(frame):
            frame = self.schema().base_schema.empty_table().to_pandas()
        return frame


def _dataset(tables: list[Result]) -> Dataset:
    """Return the dataset of tables in the object stores."""
    return _with_columns(ray.data.from_arrow_refs([table.value for table in tables]))


def _with_columns(dataset: Any) -> _WithColumns:
    """Turn a dataset into a :class:`_WithColumns` in place, and return it."""
    dataset.__class__ = _WithColumns
    return dataset  # type: ignore[no-any-return]
