"""The functions that users call."""

from __future__ import annotations

import logging
from os import PathLike
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, overload

from . import backends
from .algorithms.auto import rule_of
from .algorithms.design import Design, check_forest_design
from .backends import MEMORY
from .data import read
from .data.arguments import check_flag, check_word
from .data.column import Lending
from .data.edge_input import EdgeInput
from .graph.edges import check_offsets
from .results.components import Components, Facts, check_labels
from .solver.plan import Plan, plan
from .solver.solve import Task, solve

if TYPE_CHECKING:
    from .incremental.stream import StreamPlan

log = logging.getLogger(__name__)


@overload  # the options are those of the function itself
def components(edges: Any, *names: Any, explain: Literal[True], **options: Any) -> Plan: ...
@overload
def components(edges: Any, *names: Any, **options: Any) -> Components: ...
def components(  # type: ignore[misc]
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    *,
    vertices: Any = None,
    num_vertices: int | None = None,
    header: bool | None = None,
    labels: str = "min",
    nulls: str = "raise",
    design: str | Design = "auto",
    engine: str | None = None,
    memory: str = "device",
    forest: bool = False,
    explain: bool = False,
    **chunked: Any,
) -> Components | Plan | StreamPlan:
    """Find the connected components of an edge list.

    Directions, duplicates and the order of the edges do not matter; a self-loop names its vertex.
    The columns are read where they lie: nothing is renumbered, symmetrised, sorted or copied
    (a host frame goes to the GPU once if ``engine="cuda"``), and nothing that is given is changed.

    Parameters
    ----------
    edges : frame, pair of arrays or series, sparse matrix, graph, or path
        A cuDF, pandas, Polars or PyArrow frame; ``(source, destination)`` as NumPy or CuPy arrays
        or anything with ``__cuda_array_interface__``, of one length; a SciPy or CuPy sparse
        matrix (n, n), whose stored entries are edges; a ``cugraph.Graph``, with its own vertices;
        or the path of a csv, tsv, SNAP text, Matrix Market or Parquet file. Ids are integers of
        any width, signed or not, strings, or categories, which stand for their values.
        What need not fit into memory: a pattern or list of paths, an address (fsspec), an iterable
        of frames or pairs, a pyarrow dataset or RecordBatchReader, each read in chunks.
    source, destination : str, or list of as many str on each side, optional
        The columns with the two ends of each edge; ``"src"`` and ``"dst"`` by default. Several
        columns together are one id, and rows compare column by column. Of a file, by default, the
        first of these pairs that it has whole: src and dst, source and target, source and
        destination, from and to, u and v, id1 and id2, id_l and id_r, unique_id_l and unique_id_r,
        left_id and right_id; or else its only two columns.
    vertices : column, array or range, optional
        Vertices that count even if no edge names them (a frame or tuples, of several columns).
    num_vertices : int, optional
        The vertices are exactly 0 .. num_vertices - 1.
    header : bool, optional
        Whether the first line of a csv, tsv or SNAP file names its columns. By default it does if
        it holds names that were given or known ones, and is an edge if its ends are numbers as
        those of the next line; a line that may be either is refused.
    labels : {"min", "max", "dense", "size"}
        How :meth:`Components.labels` names components unless told otherwise.
    nulls : {"raise", "drop"}
        What to do with an edge that has a null end: refuse, or leave it out and say how many.
    design : str or Design
        The algorithm by name, such as ``"none+async+halve"`` (see :func:`cc_rapids.designs`).
        ``"auto"`` takes the one that was measured to be fastest here; ``"auto(rule=paper)"``
        follows the decision tree of Hong et al. 2020.
    engine : {"threads", "cuda"}, optional
        Where to run; by default where the edges lie.
    memory : {"device", "pinned", "zero-copy"}
        How a GPU's kernels come to the edges, and to the rows or the matrix that a design makes of
        them. ``"device"``: in its own memory. ``"pinned"``: there too, but by way of locked pages
        of the host, which are copied faster; of what is on the device already nothing changes.
        ``"zero-copy"``: the kernels read the host's locked pages, over the bus, so that integers
        which are vertices as they are take no memory of the GPU (ids that are numbered anew, and
        rows, are made there first). NumPy arrays in locked pages (``cupyx.empty_pinned``) are used
        where they lie, all else is copied into some. On threads all three are ordinary memory.
    forest : bool
        Note the edges of a spanning forest on the way, for :meth:`Components.forest`: one more
        integer a vertex, no second run.
    explain : bool
        Return the :class:`~cc_rapids.solver.plan.Plan` instead of running: how the ids would become
        vertices, which design would run and why, and the most memory it would take.
    **chunked
        ``memory_limit``, ``progress``, ``checkpoint`` and ``checkpoint_every``, with any of which a
        file or frame is read in chunks too: see :func:`cc_rapids.stream_components`.

    Returns
    -------
    Components
        Memory beyond the input, for integers close together: 4 n + n / 8 + answer + 8 MiB, for n
        integers from the least id to the greatest, which :func:`cc_rapids.memory_bound` has in
        full (8 bytes each beyond 2^32 of them). For others see :mod:`cc_rapids.ids.encode`;
        ``explain=True`` says how much.

    Raises
    ------
    InputError
        The edges or an argument cannot be used (also ColumnTypeError, NullsError,
        MissingColumnError, FormatError, DesignError).
    CapacityError
        The span of the ids needs more memory than there is, or the pairs of vertices do, for a
        design that keeps something for each.
    EngineError
        The engine is unknown or this machine cannot run it.

    Examples
    --------
    >>> import numpy as np, cc_rapids
    >>> far = np.array([-(2**62), 7]), np.array([7, 2**60])
    >>> cc_rapids.components(far).summary()["ids"]
    'hash slots'
    >>> found = cc_rapids.components((np.array([0, 4]), np.array([1, 5])), num_vertices=6)
    >>> len(found)
    4
    >>> found.labels("dense").labels
    array([0, 0, 1, 2, 3, 3], dtype=int32)
    """
    return job(
        edges,
        source,
        destination,
        vertices=vertices,
        num_vertices=num_vertices,
        header=header,
        labels=labels,
        nulls=nulls,
        design=design,
        engine=engine,
        memory=memory,
        forest=forest,
        explain=explain,
        **chunked,
    )


def spanning_forest(
    edges: Any,
    source: str | list[str] | None = None,
    destination: str | list[str] | None = None,
    **options: Any,
) -> Any:
    """Find a spanning forest: edges that join the same vertices as all, without a cycle.

    Parameters
    ----------
    edges, source, destination, **options
        As for :func:`components`.

    Returns
    -------
    frame of the caller's kind
        See :meth:`Components.forest`; as many rows as vertices less components. With
        ``explain=True`` the plan.

    Raises
    ------
    DesignError
        The design hooks others than roots, or splices; and all that :func:`components` raises.

    Examples
    --------
    >>> import pandas as pd, cc_rapids
    >>> edges = pd.DataFrame({"a": [1, 2, 3, 3], "b": [2, 3, 1, 1]})
    >>> len(cc_rapids.spanning_forest(edges, "a", "b"))
    2

    Notes
    -----
    Hong et al. 2020, Algorithm 2: an edge of the forest belongs to the root that it hooked.
    """
    options["forest"] = True
    found = components(edges, source, destination, **options)
    return found.forest() if isinstance(found, Components) else found


def job(
    edges: Any,
    source: str | list[str] | None,
    destination: str | list[str] | None,
    *,
    vertices: Any = None,
    num_vertices: int | None = None,
    header: bool | None = None,
    labels: str = "min",
    nulls: str = "raise",
    design: str | Design = "auto",
    engine: str | None = None,
    memory: str = "device",
    forest: bool = False,
    explain: bool = False,
    listed: bool | int = False,
    **chunked: Any,
) -> Components | Plan | StreamPlan:
    """What :func:`cc_rapids.components` does, with the same arguments.

    ``listed`` says that the label frame will be asked for next, or of how many vertices: then its
    rows may be gathered, and it may be made, before they are counted; see
    :class:`cc_rapids.graph.forest.Ahead`.
    """
    check_labels(labels)
    check_memory(memory)
    forest, explain = check_flag("forest", forest), check_flag("explain", explain)
    if chunked or _passes_by(edges, source):
        ids: dict[str, Any] = {"vertices": vertices, "num_vertices": num_vertices, "nulls": nulls}
        ids["header"] = header
        how = {"labels": labels, "design": design, "engine": engine, "explain": explain}
        return _stream(edges, (source, destination), (forest, memory), ids | how, chunked)
    chosen, rule = Design.parse(design), rule_of(design)
    if forest:
        check_forest_design(chosen)
    given = read.read(edges, source, destination, vertices, num_vertices, nulls, header)
    where = "cuda" if given.on_device else "threads"
    runner = backends.get(where if engine is None else engine)
    ends, starts, room = (
        given.columns,
        [given.row_offsets] if given.row_offsets else [],
        runner.room(),
    )
    with runner.scope(room), Lending([*ends, *starts]) as held:
        columns, offsets = held[: len(ends)], held[len(ends) :]
        if explain:
            for starts in offsets:
                check_offsets(given, runner.asarray(starts), runner)
            return plan(given, columns, chosen, rule, forest, runner)
        listed = listed if labels == "min" and runner.goes_on else False
        task = Task(runner, chosen or rule, memory, forest, listed)
        found = _run(given, columns, offsets, task, labels)
    found._room = room
    return found


def check_memory(memory: str) -> None:
    """An InputError with the nearest words if there is no such kind of memory."""
    check_word("memory", memory, MEMORY)


def _passes_by(edges: Any, source: Any) -> bool:
    """Whether edges are a stream, as a file is whose ids have several columns.

    The modules for these are not loaded for a pair or a frame.
    """
    if read.at_hand(edges):
        return False
    from .data.streams import is_stream

    return is_stream(edges) or (isinstance(edges, str | PathLike) and isinstance(source, list))


def _stream(
    edges: Any, names: tuple[Any, Any], what: tuple[bool, str], options: Any, chunked: Any
) -> Components | StreamPlan:
    from .incremental.stream import check_streamed, stream_components

    check_streamed(*what, chunked)
    source, destination = (
        name if name is None or isinstance(name, list) else str(name) for name in names
    )
    return stream_components(edges, source, destination, **options, **chunked)


def _run(
    given: EdgeInput, columns: list[Any], offsets: list[Any], task: Task, labels: str
) -> Components:
    started, engine, memory = perf_counter(), task.engine, task.memory
    moves = engine.on_device and not (given.on_device and memory != "zero-copy")
    if moves and not (given.src.strings or given.src.parts):
        columns = [engine.placed(column, memory) for column in columns]
        offsets = [engine.placed(column, memory) for column in offsets]
        engine.synchronize()
    copied = perf_counter()
    solved = solve(given, columns, offsets, task)
    numbered = solved.numbered
    forest, names = numbered.settle(numbered.forest)
    done = perf_counter()
    facts = Facts(
        design=str(solved.design),
        ids=numbered.ids,
        edges=given.src.size,
        memory=memory,
        seconds={"copy": copied - started if moves else None, "compute": done - copied},
    )
    if given.dropped_rows:
        log.info("%d edges with a null end were left out", given.dropped_rows)
    found, spent = forest.components, done - copied
    log.info("%s on %s: %d components in %.4f s", solved.design, engine.name, found, spent)
    made = solved.frame if task.listed == forest.vertices else None
    return Components(given, engine, names, forest, labels, facts, solved.chosen, made)
