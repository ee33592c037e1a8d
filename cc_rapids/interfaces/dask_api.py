"""Components of dask frames, and cuGraph's function for graphs over several GPUs."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import dask
import dask.dataframe as dd
from dask.dataframe.dispatch import meta_nonempty
from distributed import Client, default_client
from distributed.protocol import pickle

from ..algorithms.design import Design, check_forest_design
from ..backends import ENGINES
from ..data import read
from ..data.arguments import check_progress, check_word
from ..data.read import Side
from ..errors import EngineError, InputError, shown
from ..ids.range import check_range
from ..results.components import check_labels
from .dask_answer import DaskComponents
from .dask_progress import DaskProgress, Watch
from .dask_run import Run, is_dask
from .dask_tree import Tasks
from .dask_work import check_width, listed

PARTITIONS = ("edges", "vertices")
OWNERS = ("range", "hash")
TEXT = re.compile(r"(large_)?str(ing)?\b")  # the types of columns that can hold nothing else
COMBINES = ("auto", "tree", "gather")


def components(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    *,
    vertices: Any = None,
    num_vertices: int | None = None,
    labels: str = "min",
    nulls: str = "raise",
    design: str | Design = "auto",
    engine: str | None = None,
    partition: str = "edges",
    combine: str = "auto",
    owners: Any = None,
    room: int | None = None,
    progress: bool | Callable[[DaskProgress], object] = False,
) -> DaskComponents:
    """Find the connected components of a dask or dask_cudf frame, on the workers that hold it.

    Each worker reduces its partitions to a forest, and forests merge pairwise in a tree; what goes
    from worker to worker are edges of forests. The cluster is that of the connected
    ``distributed.Client``; there is nothing else to set up. A worker that is lost costs its own
    partitions, which are read again elsewhere.

    Parameters
    ----------
    edges : dask.dataframe.DataFrame
        Of pandas' or cuDF's frames, persisted or not; only the columns of ids are read.
    source, destination : str, or list of as many str on each side, optional
        The columns with the two ends of each edge, ``"src"`` and ``"dst"`` by default, as for
        :func:`cc_rapids.components`.
    vertices : dask frame or series, column, array or range of ids, optional
        Vertices that count even if no edge names them.
    num_vertices : int, optional
        The vertices are exactly 0 .. num_vertices - 1.
    labels : {"min", "dense", "size"}
        How components are named: by their least vertex id, 0 .. k-1 in the order of these, or
        from the largest.
    nulls : {"raise", "drop"}
        What to do with an edge that has a null end.
    design, engine
        As for :func:`cc_rapids.components`; the design has to give spanning forests.
    partition : {"edges", "vertices"}
        Whether edges alone are spread, so that one worker at last holds a forest over all
        vertices; or vertices too, for graphs whose vertices fit on no worker: see
        :mod:`cc_rapids.interfaces.dask_vertices`. These have ids of one column, and labels "min".
    combine : {"auto", "tree", "gather"}
        How forests of spread edges come together: up a tree, or by one all-gather of NCCL's,
        after which every GPU solves all of them and keeps its run of the answer. That takes
        integers, a GPU and CuPy's NCCL on each worker; ``"auto"`` takes it where it is there,
        where it fits, and where by :mod:`cc_rapids.interfaces.dask_model` it is not slower.
    owners : {"range", "hash"} or callable, optional
        Which worker holds which distributed vertices: even ranges of the ids (integers, by
        default), their hashes (strings, by default), or a function from a column of ids to an
        array of the workers' numbers, such as the tile of each point of a lattice. The number
        depends on the id alone, in every process and whatever ids are beside it. That is looked at
        for a sample on every worker, and for each row where it arrives; a function that breaks it
        for few ids may pass, and then the answer is wrong (docs/larger.md).
    room : int, optional
        So many edges may be left for one worker when vertices are distributed; by default as
        many as the most vertices that one holds.
    progress : bool or callable
        True: a bar on stderr if that is a terminal. A callable gets a ``DaskProgress`` after
        each task that is waited for. Otherwise there are lines in the log.

    Returns
    -------
    DaskComponents
        Whose frames lie on the workers, in as many partitions as there are workers.

    Raises
    ------
    EngineError
        No client is connected.
    InputError
        The edges or an argument cannot be used, as for :func:`cc_rapids.components`; counts in
        the message are those of the partition.

    Notes
    -----
    Balduzzi et al. 2018, section 2.

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
    check_labels(labels)
    check_forest_design(Design.parse(design))
    source, destination = read.named(source, destination)
    _check(edges, source, destination, vertices, num_vertices, nulls)
    source, destination = (
        side[0] if len(side) == 1 else side for side in read.several(source, destination)
    )
    check_word("way to combine forests", combine, COMBINES)
    check_progress(progress)
    if engine is not None:
        check_word("engine", engine, ENGINES, EngineError)
    _check_partition(partition, source, labels, owners, room)
    options = {"design": design, "engine": engine}
    with Watch(progress) as watch, Tasks(_client()).all_or_none() as tasks:
        run = Run(tasks, source, destination, nulls, options)
        if partition == "edges":
            named = _named(vertices, num_vertices)
            return run.by_edges(edges, labels, named, vertices, combine, watch)
        every = range(num_vertices) if num_vertices is not None else vertices
        return run.by_vertices(edges, every, num_vertices, owners, room, watch)


def _client() -> Client:
    try:
        return default_client()
    except ValueError:
        raise EngineError(
            "no cluster is connected: start one, such as by distributed.Client(), or for the GPUs"
            " of this machine by cc_rapids.dask.local_gpus()"
        ) from None


def _check(
    edges: Any, source: Side, destination: Side, vertices: Any, count: int | None, nulls: str
) -> None:
    """What can be known of the arguments without reading a row."""
    if not isinstance(edges, dd.DataFrame):
        raise InputError(
            f"edges are a {type(edges).__name__}, not a dask frame: cc_rapids.components takes it,"
            " or make one by dask.dataframe.from_pandas or dask_cudf.from_cudf"
        )
    meta = _example(vertices._meta, None) if is_dask(vertices) else vertices
    if isinstance(vertices, dd.DataFrame):
        check_width(len(meta.columns), len(listed(source)))
        meta = meta[meta.columns[0]] if isinstance(source, str) else meta
    elif dask.is_dask_collection(vertices) and not is_dask(vertices):
        raise InputError(
            f"vertices cannot be Dask's {type(vertices).__name__}: give a dask series, such as by"
            " dask.dataframe.from_dask_array, or what cc_rapids.components takes"
        )
    if isinstance(vertices, range):
        check_range(vertices)
    example = _example(edges._meta, [*listed(source), *listed(destination)])
    read.read(example, source, destination, meta, count, nulls)


def _example(meta: Any, ids: list[str] | None) -> Any:
    """A frame or series with some rows, where the types of its ids say what they hold; else none.

    ``ids`` are the columns of ids, by default all.
    """
    if meta.ndim == 2:
        names = list(dict.fromkeys(ids or meta.columns))
        if not set(names) <= set(meta.columns):
            return meta
        meta = meta[names]
    kinds = [meta.dtype] if meta.ndim == 1 else list(meta.dtypes)
    told = all(kind.kind in "iu" or TEXT.match(str(kind)) for kind in kinds)
    return meta_nonempty(meta).dropna() if told else meta


def _check_partition(partition: str, source: Side, labels: str, owners: Any, room: Any) -> None:
    check_word("partition", partition, PARTITIONS)
    if partition == "edges":
        if owners is not None or room is not None:
            raise InputError("owners and room are for partition='vertices'")
        return
    if not isinstance(source, str):
        raise InputError(
            f"distributed vertices have ids of one column, not source={source!r}: make one of them,"
            " such as by joining them as strings"
        )
    if labels != "min":
        raise InputError(
            f"labels={labels!r} number all components, which no worker sees where vertices are"
            " distributed: take labels='min'"
        )
    known = isinstance(owners, str) and owners in OWNERS
    if not (owners is None or known or callable(owners)):
        raise InputError(f"owners is 'range', 'hash' or a function of ids, not {shown(owners)}")
    try:
        pickle.dumps(owners)
    except Exception as error:
        raise InputError(f"owners cannot be sent to the workers: {error}"[:500]) from error
    if room is not None and (isinstance(room, bool) or not isinstance(room, int) or room < 0):
        raise InputError(f"room is a number of edges from 0 on, not {room!r}")


def _named(vertices: Any, count: int | None) -> dict[str, Any]:
    return {"vertices": None if is_dask(vertices) else vertices, "num_vertices": count}
