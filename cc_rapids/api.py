"""The functions that users call."""

from __future__ import annotations

import logging
from time import perf_counter
from typing import Any, Literal, overload

from . import engines, frames, vertices
from .design import Design, choose
from .engines import Engine
from .given import Given, lent
from .plan import Plan, plan
from .result import Components, Facts, check_labels
from .solve import solve

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
    explain: bool = False,
) -> Components | Plan:
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
    source, destination : str, or list of as many str on each side
        The columns with the two ends of each edge. Several columns together are one id, and
        rows compare column by column.
    vertices : column, array or range, optional
        Vertices that count even if no edge names them (a frame if ids have several columns).
    num_vertices : int, optional
        The vertices are exactly 0 .. num_vertices - 1.
    labels : {"min", "dense", "size"}
        How :meth:`Components.labels` names components unless told otherwise.
    nulls : {"raise", "drop"}
        What to do with an edge that has a null end: refuse, or leave it out and say how many.
    design : str or Design
        The algorithm by name, such as ``"none+async+halve"``.
    engine : {"threads", "cuda"}, optional
        Where to run; by default where the edges lie.
    explain : bool
        Return the :class:`~cc_rapids.plan.Plan` instead of running: how the ids would become
        vertices, which design would run and why, and the most memory it would take.

    Returns
    -------
    Components
        Memory beyond the input, for integers close together: 4 bytes for each id between the least
        and the greatest (8 beyond 2^32 of them; of long lists 1/256 more, because the two are
        guessed from some rows) plus one bit and an eighth, and the frames that
        are asked for; a design that samples takes one more bit until it is solved. For others see
        :mod:`cc_rapids.ways`; ``explain=True`` says how much.

    Raises
    ------
    InputError
        The edges or an argument cannot be used (also ColumnTypeError, NullsError,
        MissingColumnError, FormatError, DesignError).
    CapacityError
        The span of the ids needs more memory than there is.
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
    chosen = Design.parse(design)
    given = frames.read(edges, source, destination, vertices, num_vertices, nulls)
    runner = engines.get(engine or ("cuda" if given.on_device else "threads"))
    with runner.scope(), lent(given.columns) as columns:
        if explain:
            return plan(given, columns, chosen, runner)
        return _run(given, columns, chosen, labels, runner)


def _run(
    given: Given,
    columns: list[Any],
    design: Design | None,
    labels: str,
    engine: Engine,
) -> Components:
    started = perf_counter()
    moves = engine.on_device and not given.on_device
    if moves and not (given.src.strings or given.src.parts):
        columns = [engine.asarray(column) for column in columns]
        engine.synchronize()
    copied = perf_counter()
    numbered = vertices.number(given, columns, engine, sure=False)
    design = design or choose(engine, numbered.about, numbered.edges.m).design
    solve(numbered.edges, numbered.forest, design)
    if not numbered.forest.complete:
        log.info("some ids lie beyond what a glance at the columns showed: reading all of them")
        numbered = vertices.number(given, columns, engine, sure=True)
        solve(numbered.edges, numbered.forest, design)
    forest, names = numbered.settle(numbered.forest)
    done = perf_counter()
    facts = Facts(
        design=str(design),
        ids=numbered.ids,
        edges=given.src.size,
        seconds={"copy": copied - started if moves else None, "compute": done - copied},
    )
    if given.dropped:
        log.info("%d edges with a null end were left out", given.dropped)
    found, spent = forest.components, done - copied
    log.info("%s on %s: %d components in %.4f s", design, engine.name, found, spent)
    return Components(given, engine, names, forest, labels, facts)
