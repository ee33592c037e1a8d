"""The functions that users call."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal, overload

import numpy as np

from . import engines, frames, small, vertices
from .adjacency import Adjacency, arranged, placed, rows_of
from .choosing import RULES, Branch, Rule, choose, choose_by_paper, for_forest, rule_of
from .columns import Lending
from .design import Design
from .engines import Array, Engine
from .given import Given
from .plan import Plan, check_memory, check_pairs, plan
from .result import Components, Facts, check_labels
from .solve import solve
from .sources import is_stream
from .spanning import check_design
from .streams import StreamPlan, check_streamed, stream_components
from .vertices import Numbered

log = logging.getLogger(__name__)


@overload  # the options are those of the function itself
def components(edges: Any, *names: Any, explain: Literal[True], **options: Any) -> Plan: ...
@overload
def components(edges: Any, *names: Any, **options: Any) -> Components: ...
def components(  # type: ignore[misc]
    edges: Any,
    source: str | list[str] = "src",
    destination: str | list[str] = "dst",
    *,
    vertices: Any = None,
    num_vertices: int | None = None,
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
    source, destination : str, or list of as many str on each side
        The columns with the two ends of each edge. Several columns together are one id, and
        rows compare column by column.
    vertices : column, array or range, optional
        Vertices that count even if no edge names them (a frame or tuples, of several columns).
    num_vertices : int, optional
        The vertices are exactly 0 .. num_vertices - 1.
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
        Return the :class:`~cc_rapids.plan.Plan` instead of running: how the ids would become
        vertices, which design would run and why, and the most memory it would take.
    **chunked
        ``memory_limit``, ``progress``, ``checkpoint`` and ``checkpoint_every``, with any of which a
        file or frame is read in chunks too: see :func:`cc_rapids.stream_components`.

    Returns
    -------
    Components
        Memory beyond the input, for integers close together: 4 bytes for each id between the least
        and the greatest (8 beyond 2^32 of them; of long lists 1/256 more, because the two are
        guessed from some rows) plus one bit and an eighth, and the frames that
        are asked for; a design that samples takes one more bit until it is solved, and on a GPU up
        to 4 MiB of that stay with the answer. For others see :mod:`cc_rapids.ways`;
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
    check_labels(labels)
    check_memory(memory)
    if chunked or is_stream(edges):
        check_streamed(forest, memory, source, destination, chunked)
        named: dict[str, Any] = {"vertices": vertices, "num_vertices": num_vertices}
        how: dict[str, Any] = {"design": design, "engine": engine, "explain": explain} | chunked
        return stream_components(
            edges, str(source), str(destination), labels=labels, nulls=nulls, **named, **how
        )
    chosen, rule = Design.parse(design), rule_of(design)
    if forest:
        check_design(chosen)
    given = frames.read(edges, source, destination, vertices, num_vertices, nulls)
    runner = engines.get(engine or ("cuda" if given.on_device else "threads"))
    ids, starts = given.columns, [given.offsets] if given.offsets else []
    room = runner.room()
    with runner.scope(room), Lending([*ids, *starts]) as held:
        columns, offsets = held[: len(ids)], held[len(ids) :]
        if explain:
            return plan(given, columns, chosen, rule, forest, runner)
        where = runner, memory
        found = _run(given, columns, offsets, chosen or rule, labels, *where, forest)
    found._room = room
    return found


def spanning_forest(
    edges: Any,
    source: str | list[str] = "src",
    destination: str | list[str] = "dst",
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
        See :meth:`Components.forest`; as many rows as vertices less components.

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
    return components(edges, source, destination, **options).forest()


def _run(
    given: Given,
    columns: list[Any],
    offsets: list[Any],
    design: Design | str | None,
    labels: str,
    engine: Engine,
    memory: str,
    noted: bool,
) -> Components:
    started = perf_counter()
    moves = engine.on_device and not (given.on_device and memory != "zero-copy")
    if moves and not (given.src.strings or given.src.parts):
        columns = [engine.placed(column, memory) for column in columns]
        offsets = [engine.placed(column, memory) for column in offsets]
        engine.synchronize()
    copied = perf_counter()
    whole = noted or given.offsets or design == "paper"
    whole = whole or (isinstance(design, Design) and design.counts_vertices)
    how = design, engine, memory, noted
    solved = _solve(given, columns, offsets, *how, sure=bool(whole))
    if not solved.numbered.forest.complete:
        log.info("some ids lie beyond what a glance at the columns showed: reading all of them")
        solved = _solve(given, columns, offsets, *how, sure=True)
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
    if given.dropped:
        log.info("%d edges with a null end were left out", given.dropped)
    found, spent = forest.components, done - copied
    log.info("%s on %s: %d components in %.4f s", solved.design, engine.name, found, spent)
    return Components(given, engine, names, forest, labels, facts, solved.chosen)


def _at_once(given: Given, columns: list[Any], engine: Engine) -> _Solved | None:
    """A small list solved in one launch; None if it is not one, or has to be solved as others."""
    if not small.fits(given, columns, engine):
        return None
    usual = choose(engine, 1, given.src.size)
    numbered = small.solved(given, columns, engine, usual.design)
    if numbered is None:
        return None
    log.debug("%s, in one launch: %s", usual.design, usual)
    return _Solved(numbered, usual.design, None)


@dataclass(frozen=True)
class _Solved:
    """A solved forest, and the rows of the edges of a spanning forest if they are wanted."""

    numbered: Numbered
    design: Design
    chosen: Array | None


def _solve(
    given: Given,
    columns: list[Any],
    offsets: list[Any],
    design: Design | str | None,
    engine: Engine,
    memory: str,
    noted: bool,
    sure: bool,
) -> _Solved:
    if design == RULES[0] and memory == "device" and not noted:
        at_once = _at_once(given, columns, engine)
        if at_once is not None:
            return at_once
    numbered = vertices.number(given, columns, engine, sure)
    edges, forest, near = numbered.edges, numbered.forest, 0.0 if offsets else numbered.near
    rows = Adjacency(engine.asarray(offsets[0]), edges.dst, given.symmetric) if offsets else None
    if not isinstance(design, Design):
        found: Rule | Branch
        if design == "paper":
            found = choose_by_paper(
                engine, forest.n, edges.m, lambda: rows or rows_of(edges, forest, noted)
            )
            rows = found.rows or rows
        else:
            found = choose(engine, numbered.about, edges.m, bool(rows and rows.symmetric), near)
        log.debug("%s: %s", found.design, found)
        design = for_forest(found.design) if noted else found.design
    check_pairs(design, forest.n, engine, memory)
    edges, rows = placed(*arranged(design, edges, rows, forest, noted), engine, memory)
    if not noted:
        solve(edges, forest, design, rows, memory=memory)
        return _Solved(numbered, design, None)
    wide = np.uint32 if max(edges.m, rows.m if rows else 0) < (1 << 32) - 1 else np.uint64
    by_vertex = engine.fill(engine.empty(forest.n, wide), 0xFF)
    solve(edges, forest, design, rows, by_vertex, memory)
    chosen = engine.xp.sort(by_vertex[by_vertex != np.iinfo(wide).max])
    if rows is not None and rows.edge_of is not None:
        chosen = engine.xp.sort(rows.edge_of[chosen])
    return _Solved(numbered, design, chosen)
