"""Find components of edge lists on a Dask cluster.

The answer stays on the workers. ``weakly_connected_components`` is a drop-in for the function of
``cugraph.dask``, for graphs on several GPUs.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from operator import getitem
from typing import Any, ClassVar

import dask
import dask.dataframe as dd
import numpy as np
from dask.dataframe.dispatch import meta_nonempty
from distributed import Client, Future, default_client
from distributed.protocol import pickle

from ...algorithms.design import Design
from ...data import column, read
from ...data.arguments import check_word
from ...data.column import is_cudf
from ...data.dtypes import is_integer, is_signed
from ...data.edge_input import checked_names
from ...data.end_columns import Side
from ...errors import (
    ArgumentTypeError,
    CcRapidsError,
    EngineError,
    GraphStateError,
    InputError,
    MissingColumnError,
)
from ...ids.range import check_range
from ...incremental.progress import Reporter
from ...keywords import suggest_keywords, suggest_keywords_of_methods
from ...options import Options
from ..distributed.answer import DistributedComponents
from ..distributed.forests import (
    as_list,
    check_width,
    chunk,
    copied,
    edges_of,
    empty_of,
    labelled,
    local_forest,
    loops,
    names_of_ends,
    not_frame,
)
from ..distributed.run import Run
from ..distributed.vertices import check_partition, described
from .gather import by_gather, reason_against
from .tasks import DaskProgress, Tasks


@suggest_keywords_of_methods
@dataclass(frozen=True, eq=False, repr=False)
class DaskComponents(DistributedComponents):
    """The connected components of an edge list on a Dask cluster.

    ``len()`` is the number of components. Answers are Dask frames of the library of the edges,
    which stay on the workers until the client computes them.

    Attributes
    ----------
    facts : dict
        Facts about the run and the answer: engine, device, partition, workers, vertices,
        components, dropped (edges dropped for nulls), ledger, seconds, and for distributed
        vertices the rounds and the bytes sent.

    See Also
    --------
    cc_rapids.dask.components : Find the components of a Dask frame.
    cc_rapids.Components : The answer on one machine.
    """

    _labels: Any
    _forest: Callable[[], Any] | None = None

    def labels(self) -> Any:
        """Return the component of each vertex.

        Returns
        -------
        dask frame, columns ``vertex`` and ``labels`` (``0_vertex``, ... for several columns)
            One row per vertex, in the order of the ids within each partition. Unless vertices are
            distributed by hash, the partitions are also in the order of the ids.

        See Also
        --------
        DaskComponents.sizes : The number of vertices of each component.
        DaskComponents.forest : The edges of a spanning forest.
        """
        return self._labels

    def sizes(self) -> Any:
        """Return the number of vertices of each component.

        Returns
        -------
        dask frame, columns ``labels`` (or ``0_labels``, ...) and ``size``
            One row per component, in no order. The frame is not computed yet.

        See Also
        --------
        DaskComponents.labels : The component of each vertex.
        """
        vertex_columns = _vertex_columns(self._labels)
        names = [name for name in self._labels.columns if name not in vertex_columns]
        grouped = self._labels.groupby(names)[vertex_columns[0]]
        count = grouped.count(split_out=self._labels.npartitions, shuffle_method="tasks")
        return count.to_frame("size").reset_index()

    def forest(self) -> Any:
        """Return the edges of a spanning forest, a subset of the given edges.

        Returns
        -------
        dask frame, columns ``source`` and ``destination`` (``0_source``, ... for several columns)
            A component of n vertices has n - 1 rows. Different runs may return different edges. The
            result is None if vertices are distributed, because no worker holds the whole forest.

        See Also
        --------
        DaskComponents.labels : The component of each vertex.
        cc_rapids.spanning_forest : Find a spanning forest on one machine.
        """
        return self._forest() if self._forest else None

    # Equal answers may have different facts and frames, so they cannot have equal hashes
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self.equals(other) if isinstance(other, DaskComponents) else NotImplemented

    def equals(self, other: Any) -> bool:
        """Return whether another answer of a cluster has the same vertices in the same components.

        ``a == b`` calls this method. Labels, frame libraries, partitions and integer types may
        differ. If the numbers of vertices and of components are equal, the workers compare the
        answers by a shuffle join of both label frames. Only counts are sent to the client. The
        result is False if ``other`` is not a :class:`DaskComponents`; to compare other answers,
        compute the labels.

        Parameters
        ----------
        other : DaskComponents
            The answer to compare with.

        Returns
        -------
        bool
            Whether the answers are equal, for any labels, engines and frames.

        See Also
        --------
        cc_rapids.Components.equals : Compare answers on one machine.
        """
        if not isinstance(other, DaskComponents):
            return False
        components, vertices = len(self), self.facts["vertices"]
        if (components, vertices) != (len(other), other.facts["vertices"]):
            return False
        if self is other or not vertices:
            return True
        comparable = _comparable(self._labels, other._labels)
        if comparable is None:
            return False
        first, second = comparable
        ids = _vertex_columns(first)
        renamed = {name: f"other_{name}" for name in second.columns if name not in ids}
        matched = first.merge(second.rename(columns=renamed), on=ids, shuffle_method="tasks")
        labels = matched[[name for name in matched.columns if name not in ids]]
        pairs = labels.drop_duplicates(split_out=matched.npartitions, shuffle_method="tasks")
        rows, pair_count = dask.compute(matched[ids[0]].count(), pairs.iloc[:, 0].count())
        # Labels correspond one to one if there is one pair of labels per component
        return int(rows) == vertices and int(pair_count) == components


def _vertex_columns(labels: Any) -> list[str]:
    """Return the names of the vertex columns of a label frame."""
    return [name for name in labels.columns if name.endswith("vertex")]


def _comparable(first_labels: Any, second_labels: Any) -> tuple[Any, Any] | None:
    """Convert two lazy label frames to one library and equal types of ids.

    Return None if the frames cannot have the same vertices.
    """
    ids = _vertex_columns(first_labels)
    if ids != _vertex_columns(second_labels):
        return None
    if is_cudf(first_labels._meta) != is_cudf(second_labels._meta):
        first_labels, second_labels = (
            frame.to_backend("pandas") for frame in (first_labels, second_labels)
        )
    common_types: dict[str, Any] = {}
    for name in ids:
        columns = first_labels[name], second_labels[name]
        dtypes = [getattr(column.dtype, "numpy_dtype", column.dtype) for column in columns]
        are_integers = [is_integer(dtype) for dtype in dtypes]
        if are_integers[0] != are_integers[1]:
            return None
        common_types[name] = np.result_type(*dtypes) if all(are_integers) else "str"
        if common_types[name] == np.float64:  # NumPy's common type of uint64 and a signed type
            [signed] = [
                column for column, dtype in zip(columns, dtypes, strict=True) if is_signed(dtype)
            ]
            if int(signed.min().compute()) < 0:  # no unsigned vertex equals a negative vertex
                return None
            common_types[name] = np.uint64
    return first_labels.astype(common_types), second_labels.astype(common_types)


def _dask_frame(tasks: Tasks, futures: list[Future]) -> Any:
    """Return the Dask frame whose partitions are the results of ``futures``."""
    [meta] = tasks.gather([tasks.submit(empty_of, futures[0])])
    return dd.from_delayed(futures, meta=meta, verify_meta=False)


log: logging.Logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class DaskRun(Run):
    """One run on a cluster."""

    tasks: Tasks
    # By the key of a leaf: "edges" or "vertices", the caller's frame, and the partition number
    _origins: dict[str, tuple[str, Any, int]] = field(default_factory=dict)

    def leaves(self, edges: Any, vertices: Any) -> list[Future]:
        """Return the forests of all partitions of edges and vertices: the leaves of the merge tree.

        A separate task counts the rows of each partition, as a check of the task that solves it.
        """
        names = [name for side in self.id_names for name in as_list(side)]
        leaf_arguments = *self.id_names, self.nulls, self.options
        parts = edges[list(dict.fromkeys(names))].to_delayed()
        forests = [self._delayed(local_forest, part, *leaf_arguments) for part in parts]
        origins = [("edges", edges, k) for k in range(len(parts))]
        if vertices is not None:
            vertex_parts = _parts_of(vertices, edges._meta)
            source = self.id_names[0]  # as many columns as an id of a vertex has
            forests += [self._delayed(loops, part, source, self.options) for part in vertex_parts]
            origins += [("vertices", vertices, k) for k in range(len(vertex_parts))]
        futures = self.tasks.compute([*forests, *(self._delayed(len, part) for part in parts)])
        leaves, self.counts[:] = futures[: len(forests)], futures[len(forests) :]
        self._origins.update(
            (leaf.key, origin) for leaf, origin in zip(leaves, origins, strict=True)
        )
        return leaves

    def _delayed(self, function: Any, *arguments: Any) -> Any:
        """Return a lazy call of a function on a worker."""
        call = dask.delayed(function, pure=False)
        return call(*arguments, dask_key_name=self.tasks.key(function))

    def folded(self, leaves: list[Future]) -> list[tuple[str, Future]]:
        """Clear ``leaves``, and return what :meth:`fold` does; errors name a partition's fault."""
        try:
            total = len(leaves)
            completed = self.tasks.completed(leaves, self._fail)
            leaves.clear()  # so that forests are released once they are merged
            return self.fold(completed, total)
        except UnicodeEncodeError as error:
            raise InputError(
                "a partition has a string with half of a surrogate pair, which is not Unicode"
                " text: replace the string, for example by .encode('utf-8', 'replace').decode(); if"
                " Dask's option 'dataframe.convert-string' is False, the error names the row"
            ) from error
        except KeyError as error:
            names = dict.fromkeys(name for side in self.id_names for name in as_list(side))
            lacking = [repr(name) for name in names if repr(name) in str(error)]
            if isinstance(error, CcRapidsError) or not lacking:
                raise
            raise MissingColumnError(
                f"a partition has no column {', '.join(lacking)}, which the Dask frame declares:"
                f" all partitions must have the columns of source= and destination= ({error})"
            ) from error

    def _fail(self, leaf: Future) -> None:
        """Raise the error of a leaf, or an ArgumentTypeError if its partition is not a frame."""
        try:
            leaf.result()
        except (TypeError, AttributeError, LookupError, ValueError) as error:
            if isinstance(error, CcRapidsError):
                raise
            kind = self._kind_of_wrong_partition(leaf)
            if not kind:
                raise
            role, _, k = self._origins[leaf.key]
            raise ArgumentTypeError(
                f"partition {k} of the {role} is {kind}, not a frame of pandas or cuDF as its Dask"
                " frame declares: correct the function that makes the partition"
            ) from error

    def _kind_of_wrong_partition(self, leaf: Future) -> str:
        """Return what the partition of a leaf is instead of a frame, or "" if it is a frame."""
        role, frame, k = self._origins[leaf.key]
        if not is_dask(frame):
            return ""
        [part] = frame.partitions[k].to_delayed()
        try:
            [kind] = self.tasks.gather(
                self.tasks.compute([self._delayed(not_frame, part, role == "vertices")])
            )
        except Exception:  # the partition itself cannot be computed
            return ""
        return str(kind)

    def by_edges(
        self, edges: Any, labels: str | None, vertices: Any, num_vertices: int | None, combine: str
    ) -> DaskComponents:
        """Solve with distributed edges; ``combine`` is as for :func:`components`."""
        # lazy vertices become leaves; others are added when a forest of all edges is solved
        tasks, have_leaves = self.tasks, is_dask(vertices)
        folded = self.folded(self.leaves(edges, vertices if have_leaves else None))
        homes, forests = [home for home, _ in folded], [forest for _, forest in folded]
        options = self.options | {"labels": labels, "num_vertices": num_vertices}
        options["vertices"] = None if have_leaves else vertices
        if combine != "tree":
            answer = self._gathered(homes, forests, options, forced=combine == "gather")
            if answer:
                return answer
        root = self.tree(forests)
        answer = tasks.submit(labelled, root, self.id_names, options)  # a pair (frame, facts)
        [run_facts] = tasks.gather([tasks.submit(getitem, answer, 1)])
        workers = tasks.workers()
        facts = self.facts(run_facts, "edges", len(workers), combine="tree")
        # distribute the frame, which is on one worker, over all workers
        chunks = [tasks.submit(chunk, answer, k, len(workers)) for k in range(len(workers))]
        moved = [
            tasks.submit(copied, part, worker=worker)
            for part, worker in zip(chunks, workers, strict=True)
        ]
        return DaskComponents(facts, _dask_frame(tasks, moved), lambda: self._forest([root]))

    def _forest(self, forests: list[Future]) -> Any:
        """Merge forests, and return the edges of the result as a Dask frame."""
        with self.tasks.all_or_none() as tasks:
            # The caller's progress report has ended with the run
            root = replace(self, watch=Reporter(False)).tree(forests)
            return _dask_frame(tasks, [tasks.submit(edges_of, root, self.id_names[0])])

    def _gathered(
        self, homes: list[str], forests: list[Future], options: dict[str, Any], forced: bool
    ) -> DaskComponents | None:
        """Return the answer by an all-gather; return None if that is not possible or is slower.

        ``homes`` are the workers of ``forests``. The reason for None is logged. If ``forced`` is
        true, an EngineError with the reason is raised instead.
        """
        tasks, reason = self.tasks, "ids have several columns"
        descriptions: list[dict[str, Any]] = []
        if isinstance(self.id_names[0], str):
            descriptions = tasks.gather([tasks.submit(described, forest) for forest in forests])
            reason = reason_against(tasks, homes, descriptions, forced)
        if reason and forced:
            raise EngineError(f"combine='gather' is not possible: {reason}; use combine='tree'")
        if reason:
            log.debug("forests are merged in a tree: %s", reason)
            return None
        answers = by_gather(tasks, forests, homes, descriptions, self.id_names, options)
        if answers is None:
            return None
        self.watch.report(1, 1, partial(DaskProgress, "gathered", 1, 1))
        [run_facts] = tasks.gather([tasks.submit(getitem, answers[0], 1)])
        run_facts = self.facts(run_facts, "edges", len(homes), combine="gather")
        frames = [tasks.submit(getitem, answer, 0) for answer in answers]
        return DaskComponents(run_facts, _dask_frame(tasks, frames), lambda: self._forest(forests))


def is_dask(thing: Any) -> bool:
    """Return whether an object is a Dask frame or series."""
    return isinstance(thing, dd.DataFrame | dd.Series)


def _parts_of(vertices: Any, edges_meta: Any) -> list[Any]:
    """Return lazy frames of vertices: their partitions, or one frame in the library of edges."""
    if is_dask(vertices):
        return list(vertices.to_delayed())
    with column.of("vertices", vertices).borrow() as borrowed:
        ids: Any = borrowed
        if hasattr(ids, "__cuda_array_interface__"):
            ids = ids if is_cudf(edges_meta) else ids.get()
        elif not is_cudf(ids):
            ids = np.asarray(ids)
        return [dask.delayed(type(edges_meta)({"vertex": ids}))]


TEXT = re.compile(r"(large_)?str(ing)?\b")  # names of types whose columns have only strings
COMBINES = ("auto", "tree", "gather")


@suggest_keywords
def components(
    edges: Any,
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
    combine: str = "auto",
    owners: Any = None,
    room: int | None = None,
    progress: bool | Callable[[DaskProgress], object] = False,
) -> DaskComponents:
    """Find the connected components of a Dask or dask_cudf frame, on the workers that hold it.

    Each worker reduces its partitions to a forest, and forests are merged pairwise in a tree.
    Workers send each other only edges of forests. The function runs on the cluster of the connected
    ``distributed.Client``, which needs no other setup. If a worker is lost, other workers read its
    partitions again.

    Parameters
    ----------
    edges : dask.dataframe.DataFrame
        A Dask frame of pandas or cuDF frames. Only the columns of ids are read.
    source, destination : str, or lists of str of equal length, optional
        The columns with the two ends of each edge, by default a known pair of names, as for
        :func:`cc_rapids.components`.
    vertices : dask frame or series, column, array or range of ids, optional
        Vertices to include even if no edge names them.
    num_vertices : int, optional
        The vertices are exactly 0 .. num_vertices - 1.
    labels : {"min", "dense", "size"}, optional
        The labels of components: the least vertex id (min), or the numbers 0 .. k-1 in the order of
        the least ids (dense) or from the largest component to the smallest (size).
    nulls : {"raise", "drop"}
        What to do with an edge that has a null end.
    design : str or Design
        As for :func:`cc_rapids.components`; the design must make spanning forests.
    engine : {"threads", "cuda"}, optional
        As for :func:`cc_rapids.components`.
    progress : bool or callable
        If True, show a bar on stderr if stderr is a terminal. A callable is called with a
        ``DaskProgress`` after each finished task. Otherwise lines are written to the log.

    Returns
    -------
    DaskComponents
        The components, as frames on the workers, with one partition per worker.

    Other Parameters
    ----------------
    partition : {"edges", "vertices"}
        What is distributed. With ``"edges"``, one worker finally holds a forest over all vertices.
        ``"vertices"`` is for graphs whose vertices do not fit on one worker; see
        :mod:`cc_rapids.integrations.distributed.vertices`. Distributed vertices need ids of one
        column and labels "min".
    combine : {"auto", "tree", "gather"}
        How forests of distributed edges are combined: in a tree, or by one NCCL all-gather. After
        an all-gather, every GPU solves all forests and keeps its part of the answer. An all-gather
        needs integer ids, and a GPU and CuPy with NCCL on each worker. ``"auto"`` selects the
        all-gather if it is possible, the forests fit into memory, and an all-gather is not slower
        according to the model in :mod:`cc_rapids.integrations.dask.gather`.
    owners : {"range", "hash"} or callable, optional
        The assignment of distributed vertices to workers: equal ranges of the ids (the default for
        integers), their hashes (the default for strings), or a function from a column of ids to an
        array of worker numbers, such as the tile of each point of a lattice. The number must depend
        only on the id, not on the process or on other ids in the column. Every worker checks this
        for a sample of ids, and the worker that receives a row checks the row. A function that is
        wrong for a few ids may pass these checks, and the answer is then wrong (docs/larger.md).
    room : int, optional
        With distributed vertices, the maximum number of remaining edges that one worker solves. The
        default is the largest number of vertices on one worker.

    Raises
    ------
    EngineError
        No client is connected.
    InputError
        The edges or an argument cannot be used, as for :func:`cc_rapids.components`. Counts in the
        message refer to one partition.

    See Also
    --------
    cc_rapids.components : Find the components of edges on one machine.
    cc_rapids.dask.weakly_connected_components : Do the same as cuGraph's Dask function.
    cc_rapids.dask.local_gpus : Start a worker for each GPU.
    cc_rapids.ray.components : Find the components of Ray datasets.

    Notes
    -----
    The algorithm follows Balduzzi et al. 2018, section 2.

    Examples
    --------
    >>> import dask.dataframe as dd, pandas as pd, cc_rapids.dask
    >>> from distributed import Client
    >>> pairs = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 9]})
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0"):
    ...     found = cc_rapids.dask.components(dd.from_pandas(pairs, npartitions=2))
    ...     found.labels().compute()
       vertex  labels
    0       2       2
    1       5       2
    2       7       2
    3       9       9
    """
    Options.check(
        labels=labels, nulls=nulls, design=design, engine=engine, forest=True, progress=progress
    )
    source, destination = read.named_ends(edges, source, destination)
    _check(edges, *checked_names(source, destination), vertices, num_vertices, nulls)
    source, destination = names_of_ends(source, destination)  # a list of one name becomes the name
    check_word("way to combine forests", combine, COMBINES)
    check_partition(partition, source, labels, owners, room, pickle.dumps)
    options = {"design": design, "engine": engine}
    with Reporter(progress) as watch, Tasks(_client()).all_or_none() as tasks:
        id_names, parts_name = (source, destination), "the partitions of the Dask frame"
        run = DaskRun(tasks, id_names, nulls, options, watch, parts_name)
        if partition == "edges":
            return run.by_edges(edges, labels, vertices, num_vertices, combine)
        all_vertices = range(num_vertices) if num_vertices is not None else vertices
        is_range = isinstance(all_vertices, range)  # a range needs no leaf
        vertex_range = all_vertices if is_range else None
        leaves = run.leaves(edges, None if is_range else all_vertices)
        forests = [forest for _, forest in run.folded(leaves)]
        answers, facts = run.by_vertices(forests, owners, room, vertex_range, num_vertices)
        return DaskComponents(facts, _dask_frame(tasks, answers))


def _client() -> Client:
    """Return the connected client; raise an EngineError if there is none."""
    try:
        return default_client()
    except ValueError:
        raise EngineError(
            "no cluster is connected: start one with distributed.Client(), or for the GPUs of this"
            " machine with cc_rapids.dask.local_gpus()"
        ) from None


def _check(
    edges: Any, source: Side, destination: Side, vertices: Any, num_vertices: int | None, nulls: str
) -> None:
    """Raise an error for arguments that are wrong for any rows, by reading example frames."""
    if not isinstance(edges, dd.DataFrame):
        raise InputError(
            f"edges are a {type(edges).__name__}, not a Dask frame: pass them to"
            " cc_rapids.components, or make a Dask frame with dask.dataframe.from_pandas or"
            " dask_cudf.from_cudf"
        )
    example_vertices = _example(vertices._meta, None) if is_dask(vertices) else vertices
    if isinstance(vertices, dd.DataFrame):
        check_width(len(vertices.columns), len(as_list(source)))
        if isinstance(source, str):
            example_vertices = example_vertices[vertices.columns[0]]
    elif dask.is_dask_collection(vertices) and not is_dask(vertices):
        raise InputError(
            f"vertices cannot be a Dask {type(vertices).__name__}: pass a Dask series, for example"
            " from dask.dataframe.from_dask_array, or anything that cc_rapids.components accepts"
        )
    if isinstance(vertices, range):
        check_range(vertices)
    example_edges = _example(edges._meta, [*as_list(source), *as_list(destination)])
    read.read(example_edges, source, destination, example_vertices, num_vertices, nulls)


def _example(meta: Any, id_names: list[str] | None) -> Any:
    """Return a frame or series with the types of ``meta``, to check arguments before rows are read.

    It has rows only if the type of each column determines the type of its values, unlike the type
    object. ``id_names`` are the columns of ids; None stands for all columns.
    """
    if meta.ndim == 2:
        names = list(dict.fromkeys(id_names or meta.columns))
        if not set(names) <= set(meta.columns):
            return meta
        meta = meta[names]
    dtypes = [meta.dtype] if meta.ndim == 1 else list(meta.dtypes)
    all_readable = all(is_integer(dtype) or TEXT.match(str(dtype)) for dtype in dtypes)
    # dropna, because Dask's example rows may be null even if no edge has a null
    return meta_nonempty(meta).dropna() if all_readable else meta


def weakly_connected_components(graph: Any) -> Any:
    """Find the weak components of a multi-GPU cuGraph graph from a dask_cudf edge list.

    The edges are read in place, and cuGraph's communicators (``Comms``) are not used.

    Parameters
    ----------
    graph : cugraph.Graph
        An undirected graph made by ``from_dask_cudf_edgelist`` that still has its edge list.

    Returns
    -------
    dask_cudf.DataFrame with columns ``vertex`` and ``labels``, on the workers
        For int32 or int64 vertices, ``labels`` is the least vertex of the component. For strings
        and for several columns (``0_vertex``, ...), labels are 0 .. k-1 in the order of the least
        vertices.

    Raises
    ------
    InputError
        The graph is directed. The error is also a ValueError.
    GraphStateError
        The graph has no Dask edge list.
    ArgumentTypeError
        The argument is not a graph. The error is also a TypeError.
    EngineError
        No ``distributed.Client`` is connected.

    See Also
    --------
    cc_rapids.dask.components : Find the components of a dask or dask_cudf frame.
    cc_rapids.weakly_connected_components : Find the components of graphs on one GPU.
    """
    if not hasattr(graph, "is_directed"):
        raise ArgumentTypeError(
            f"a {type(graph).__name__} is not a cugraph.Graph: pass frames to"
            " cc_rapids.dask.components"
        )
    if graph.is_directed():
        raise InputError("input graph must be undirected")
    frame, source, destination = _edges(graph)
    has_integer_ids = not isinstance(source, list) and all(
        str(frame.dtypes[name]) in ("int32", "int64") for name in (source, destination)
    )
    labels = "min" if has_integer_ids else "dense"
    return components(frame, source, destination, labels=labels).labels()


def _edges(graph: Any) -> tuple[Any, Any, Any]:
    """Return a frame with the edges of a graph, and its source and destination columns.

    The frame has the caller's ids, because it is the frame that the graph was made from, or an edge
    list that cuGraph has not renumbered.
    """
    frame = getattr(graph, "input_df", None)
    if is_dask(frame):
        ends = graph.source_columns, graph.destination_columns
        source, destination = (
            end[0] if isinstance(end, list) and len(end) == 1 else end for end in ends
        )
        return frame, source, destination
    frame = getattr(getattr(graph, "edgelist", None), "edgelist_df", None)
    if frame is None or not is_dask(frame) or getattr(graph, "renumbered", False):
        raise GraphStateError(
            "the graph no longer has a Dask edge list: pass the frame that it was made from to"
            " cc_rapids.dask.components(frame, source, destination), or, if it is on one GPU, pass"
            " the graph to cc_rapids.weakly_connected_components"
        )
    return frame, frame.columns[0], frame.columns[1]
