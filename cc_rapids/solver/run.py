"""Solve edge lists, and run plans: the only place that links vertices.

:func:`solve` scans a whole list, chooses a plan and runs it; :func:`explain` stops before the run.
:func:`run` runs the plan of a list whose ids are encoded. :func:`run_in_one_launch` also encodes
the ids. :func:`link_part` links a part of a list, and :func:`merge` merges parts. :func:`join`
links a batch into existing trees. :func:`any_forest` needs no plan, because it always uses the same
design.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..algorithms import boruvka
from ..algorithms import run as phases
from ..algorithms.auto import FEW_ENTRIES, entries_per_vertex, hook_coverage
from ..algorithms.boruvka import forest_of_first_rows, forest_of_weights
from ..algorithms.design import Design
from ..algorithms.merge import merge
from ..algorithms.run import arranged, check_pairs, join_and_ask, placed
from ..algorithms.staged import link_in_stages
from ..backends import DEVICE_MEMORY, Array, Backend
from ..data.edge_input import EdgeInput, Lending
from ..graph.chosen_edges import ChosenEdges
from ..graph.edges import (
    Adjacency,
    Edges,
    check_offsets,
    check_offsets_async,
    list_of_rows,
    rows_of,
)
from ..graph.forest import Forest
from ..graph.speculative_rows import SpeculativeRows
from ..ids.decoders import OffsetDecoder
from ..ids.encode import EncodedIds, count_pages, scan_ids
from ..ids.range import IdRange, all_fit, last_of
from ..ids.spelled import spelled
from ..ids.strings import bytes_of
from ..kernels import id_range
from . import choose as choices
from .choose import (
    BY_WEIGHT,
    HEAVIEST,
    Counted,
    Facts,
    Machine,
    Numbers,
    Plan,
    SolveOptions,
    choose_for_batch,
)
from .one_launch import solve as run_in_one_launch
from .one_launch import solve_hashed as run_hashed

__all__ = [
    "Solved",
    "any_forest",
    "check_spanning",
    "explain",
    "forest_of_first_rows",
    "forest_of_weights",
    "join",
    "join_and_query",
    "link_part",
    "merge",
    "rows_of_forest",
    "run",
    "run_hashed",
    "run_in_one_launch",
    "solve",
    "solve_encoded",
    "to_device",
]

ANY_FOREST = Design("none", "async", "halve")
log: logging.Logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Solved:
    """A solved forest over encoded ids, and the plan that was run.

    ``forest_edges`` are the edges of a spanning forest, if they were recorded; ``frame`` is the
    label frame, if it was made while the GPU worked; ``chosen_again`` is the reason if a plan was
    chosen again.
    """

    encoded: EncodedIds
    plan: Plan
    forest_edges: ChosenEdges | None = None
    frame: Any = None
    chosen_again: str = ""


def solve(
    edge_input: EdgeInput,
    columns: list[Any],
    offsets: list[Any],
    backend: Backend,
    options: SolveOptions,
) -> Solved:
    """Solve one edge list: scan its ids, choose a plan, encode them, and run it.

    On a GPU, a list of up to four million edges takes one launch, which scans, encodes and solves
    (:mod:`.one_launch`). If its ids lie too far apart, the launch returns their exact range. Then a
    second launch hashes them, or the steps run separately.

    For other lists, the range may be an estimate: 0 .. ``num_vertices`` - 1 if the caller passed
    ``num_vertices``, or the range of a sample if there are at least ``ids.encode.SAMPLED_EDGES``
    edges. Ids outside the estimate are noticed when their edges are linked: ``forest.complete`` is
    then False, and scanning, encoding and running are repeated with the exact range.

    ====================  ===========================  ==============  ========================
    Ids                   Vertices                     Range           In the order of the ids
    ====================  ===========================  ==============  ========================
    close together        ids less the least           estimate        yes
    further apart         ranks in a bit map           exact           yes
    in clusters           ranks in a paged bit map     exact           yes
    far apart (hashed)    slots of a hash table        estimate [1]_   by ``finalise``
    far, little memory    ranks among the sorted ids   exact           yes
    short strings         numbers, as above [2]_       as above        by ``finalise``
    other strings         ranks among the strings      none            yes
    several columns       a number per row, as above   exact           by ``finalise``
    ====================  ===========================  ==============  ========================

    .. [1] Exact unless the sample shows that the ids are too far apart for a bit map.
    .. [2] If 64 bits hold them: see :mod:`cc_rapids.ids.spelled`. On threads, the strings of a
    short list are ranked.

    An :class:`EncodedIds` without a ``decoder`` is not in the order of the ids. Its rows cannot be
    gathered before they are counted, and the caller sorts its solved forest by
    :meth:`EncodedIds.finalise`.

    For n rows of an adjacency list on a GPU, the range is 0 .. n - 1. Another kernel checks all
    entries while the host prepares the run. If an entry is not a vertex, ``forest.complete`` is
    then False.

    Four steps wait for the GPU: the scan, which reads the range back; the check of offsets; rules
    that read the edges or build rows; and ``forest.complete``, which reads a flag back.

    Raises
    ------
    InputError
        The offsets are wrong, or the columns have changed meanwhile.
    """
    # An estimate saves one pass over the ids, but some rules and recorded hooks need the exact
    # range. The estimate for an adjacency list is its number of rows, if the ids' type holds it.
    records_hooks = options.forest and options.spanning is None
    exact = options.policy.needs_exact_range or records_hooks
    if offsets:
        exact = exact or not (backend.goes_on and all_fit(columns, last_of(edge_input)))
    waits_for_check = []  # functions that wait for a check of offsets, and raise its error
    for starts in offsets:
        waits_for_check.append(check_offsets_async(edge_input, backend.asarray(starts), backend))
    while exact and waits_for_check:
        waits_for_check.pop()()
    if edge_input.src.strings:
        numbered = spelled(edge_input, columns, backend)
        if numbered:
            solved = solve(numbered.edge_input, numbered.columns, offsets, backend, options)
            return replace(solved, encoded=numbered.with_strings(solved.encoded))
    range_of_launch: IdRange | None = None
    if backend.in_one_launch:
        plan = choices.choose(Facts.of(edge_input, columns, backend, options.policy), options)
        if plan.in_one_launch:
            speculates = options.speculates and backend.goes_on
            frame = _expected_frame(edge_input, backend, options) if speculates else None
            encoded = run_in_one_launch(edge_input, columns, backend, plan.facts.has_table, frame)
            if isinstance(encoded, EncodedIds):
                log.debug("%s, in one launch: %s", plan.design, plan.rule)
                return Solved(encoded, plan, frame=frame.take_frame() if frame else None)
            range_of_launch = encoded  # None if some ids are not vertices: the scan raises an error
    chosen_again, any_order = "", not options.forest  # rows of a forest refer to the given order
    while True:
        scanned = scan_ids(
            edge_input, columns, backend, exact, range_of_launch, options.expected_rows, any_order
        )
        if scanned.facts.may_be_paged:
            scanned = count_pages(scanned, backend)
        facts = Facts.of(edge_input, columns, backend, options.policy, scanned.facts)
        plan, ids = choices.choose(facts, options), scanned.facts.id_range
        assert plan.encoding is not None
        if range_of_launch and plan.in_one_launch:
            hashed = run_hashed(columns, backend)
            if hashed:
                return Solved(hashed, plan)
        if ids.exact or plan.encoding.accepts_estimate(scanned.facts):
            encoded = plan.encoding.encode(scanned, backend)
            if waits_for_check:  # the entries of rows have not been scanned
                _launch_entry_check(encoded, backend)
            while waits_for_check:
                waits_for_check.pop()()
            rows = None
            if offsets:
                starts = backend.asarray(offsets[0])
                rows = Adjacency(starts, encoded.edges.dst, edge_input.symmetric)
            solved = run(plan, edge_input, encoded, options, rows)
            if encoded.forest.complete:
                return replace(solved, chosen_again=chosen_again) if chosen_again else solved
            if ids.exact:
                raise edge_input.changed()
            log.info("some ids lie outside the estimated range: reading all rows")
            chosen_again = f"some ids lie outside the estimated range {ids.low:,} to {ids.high:,}"
            del encoded, solved
        while waits_for_check:
            waits_for_check.pop()()
        # The encoding needs the exact range, or the estimate was too narrow.
        exact, range_of_launch = True, None


def to_device(
    edge_input: EdgeInput, columns: list[Any], offsets: list[Any], backend: Backend, memory: str
) -> tuple[list[Any], list[Any]]:
    """Copy integer columns and row offsets to memory that a GPU can read.

    String ids and composite ids are returned unchanged, because their encoders copy them.
    """
    if edge_input.src.strings or edge_input.src.key_columns:
        return columns, offsets
    columns = [backend.placed(column, memory) for column in columns]
    offsets = [backend.placed(column, memory) for column in offsets]
    backend.synchronize()
    return columns, offsets


def rows_of_forest(edge_input: EdgeInput, backend: Backend, options: SolveOptions) -> Array:
    """Return the rows of the edges of a spanning forest, as int64 in ascending order."""
    with Lending(edge_input) as (columns, offsets):
        if backend.on_device and (not edge_input.on_device or options.memory == "zero-copy"):
            columns, offsets = to_device(edge_input, columns, offsets, backend, options.memory)
        edges = solve(edge_input, columns, offsets, backend, options).forest_edges
    assert edges is not None
    return edges.rows.astype(np.int64)


def explain(
    edge_input: EdgeInput,
    columns: list[Any],
    offsets: list[Any],
    backend: Backend,
    options: SolveOptions,
) -> Plan:
    """Choose the plan of a run, without running it.

    Integers are read once for their range, and strings once for their encoding. Composite ids are
    not read. ``"auto"`` may depend on two facts that only a run finds. One is the number of
    distinct ids in a hash table or a bit map, for which the plan assumes the worst case. The other
    is the adjacency list, which only the rule of Sutton et al. reads.
    """
    for starts in offsets:
        check_offsets(edge_input, backend.asarray(starts), backend)
    numbered = spelled(edge_input, columns, backend) if edge_input.src.strings else None
    if numbered:  # integers stand for the strings: plan for these
        plan = explain(numbered.edge_input, numbered.columns, offsets, backend, options)
        numbers = Numbers(f"{numbered.name}, {plan.ids}", numbered.why, numbered.bytes)
        return replace(plan, numbers=numbers)
    scanned = scan_ids(
        *(edge_input, columns, backend),
        expected_vertices=options.expected_rows,
        any_order=not options.forest,
    )
    if scanned.facts.may_be_paged:
        scanned = count_pages(scanned, backend)
    ids = scanned.facts
    if not ids.are_integers:
        ids = ids._replace(string_bytes=bytes_of(columns))
    facts = Facts.of(edge_input, columns, backend, options.policy, ids, explained=True)
    return choices.choose(facts, options)


def solve_encoded(
    edge_input: EdgeInput, encoded: EncodedIds, backend: Backend, options: SolveOptions
) -> Solved:
    """Choose a plan for edges whose vertices are already numbered, and run it.

    ``encoded`` has these edges, and the forest to solve. Columns of ``edge_input`` are not read.
    """
    counted = Counted(encoded.forest.n, encoded.expected_vertices, order=encoded.edge_order)
    facts = Facts(Machine.of(backend), edge_input.src.size, counted=counted)
    return run(choices.choose(facts, options), edge_input, encoded, options)


def run(
    plan: Plan,
    edge_input: EdgeInput,
    encoded: EncodedIds,
    options: SolveOptions,
    rows: Adjacency | None = None,
) -> Solved:
    """Link the vertices of a list and count its trees.

    The plan is chosen again if it depends on the number of vertices that the encoding has counted,
    or on the coverage of hook-based sampling.

    Parameters
    ----------
    edge_input : EdgeInput
        The caller's edges, with weights for a minimum or maximum spanning forest.
    encoded : EncodedIds
        The edges between vertices, and a forest over the vertices.
    rows : Adjacency, optional
        The same edges as rows.
    """
    edges, forest, backend = encoded.edges, encoded.forest, encoded.forest.backend
    is_counted = plan.encoding is not None and not plan.encoding.counts_by_range
    if is_counted or options.policy.looks_at_hooks:
        plan, rows = _choose_again(plan, encoded, options, rows)
    speculates = options.speculates and backend.goes_on and not plan.forest
    speculative = _speculative_rows(edge_input, encoded, options) if speculates else None
    chosen = None  # the edges of a spanning forest
    if plan.forest in BY_WEIGHT:
        chosen = _by_weight(plan, edge_input, encoded, rows)
    elif plan.by_scipy:
        _link_by_scipy(edges, forest, rows, joins=False)
        forest.count()
    else:
        if rows or not plan.reads_in_place:
            edges, rows = _as_read(plan, edges, forest, rows)
        if plan.forest:
            chosen = ChosenEdges(backend, _hooks(plan, edges, forest, rows))
        else:
            hooks = None  # not recorded
            design, memory, in_parts = plan.algorithm, plan.memory, plan.in_two_parts
            phases.solve(edges, forest, design, rows, hooks, memory, speculative, in_parts)
    return Solved(encoded, plan, chosen, speculative.take_frame() if speculative else None)


def _choose_again(
    plan: Plan, encoded: EncodedIds, options: SolveOptions, rows: Adjacency | None
) -> tuple[Plan, Adjacency | None]:
    """Return the plan for the counted vertices, and the edges as rows if a rule has read them."""
    coverage, forest = None, encoded.forest
    if options.policy.looks_at_hooks:
        rows, coverage = _rows_and_hook_coverage(plan, encoded, options, rows)
    expected, order = encoded.expected_vertices, encoded.edge_order
    counted = Counted(forest.n, expected, plan.encoding, order, coverage)
    return choices.choose(plan.facts._replace(counted=counted), options), rows


def _rows_and_hook_coverage(
    plan: Plan, encoded: EncodedIds, options: SolveOptions, rows: Adjacency | None
) -> tuple[Adjacency | None, float | None]:
    """Return edges as rows, and the coverage of hook-based sampling: None for few edges."""
    forest = encoded.forest
    if entries_per_vertex(forest.n, plan.edges) < FEW_ENTRIES:
        return rows, None
    rows = rows or rows_of(encoded.edges, forest, options.forest)
    return rows, hook_coverage(rows, forest.n, forest.backend)


def _launch_entry_check(encoded: EncodedIds, backend: Backend) -> None:
    """Launch a check of all entries of an adjacency list.

    If an entry is not a vertex, the flag ``forest.out_of_range`` is set, and the run is incomplete.
    """
    edges, forest = encoded.edges, encoded.forest
    wide: Any = np.promote_types(forest.vertex, edges.wide).type  # holds n and all ids
    note = backend.kernel(id_range.note_outside, wide)
    note(edges.m, edges.dst, edges.low, forest.n, forest.out_of_range)


def _speculative_rows(
    edge_input: EdgeInput, encoded: EncodedIds, options: SolveOptions
) -> SpeculativeRows | None:
    """Return a buffer for rows that are gathered before they are counted, if this is possible."""
    forest, decoder, max_rows = encoded.forest, encoded.decoder, encoded.forest.n
    if decoder is None:  # the vertices are not yet in the order of the ids
        return None
    if edge_input.vertices is None:  # each row is an endpoint of an edge
        max_rows = min(max_rows, 2 * encoded.edges.m)
    expected = _expected_frame(edge_input, forest.backend, options)
    # the caller's number of rows is used if it is possible and if the gathered rows are ids
    if expected and isinstance(decoder, OffsetDecoder) and expected.max_rows <= max_rows:
        expected.id_base, expected.dtype = decoder.id_base, decoder.dtype
        return expected
    min_rows = forest.n if forest.all_present else 0
    return SpeculativeRows(decoder.id_base, decoder.dtype, max_rows, min_rows)


def _expected_frame(
    edge_input: EdgeInput, backend: Backend, options: SolveOptions
) -> SpeculativeRows | None:
    """Return speculative rows with a frame that is made while the GPU works.

    Return None if the caller did not pass the number of rows, or if the edges are not in the
    backend's memory.
    """
    count = options.expected_rows
    if not count or backend.on_device != edge_input.on_device:
        return None

    def make_frame(ids: Array, labels: Array) -> Any:
        return edge_input.make_frame({"vertex": ids, "labels": labels})

    return SpeculativeRows(
        0, np.uint64, max_rows=count, min_rows=count, expected_rows=count, make_frame=make_frame
    )


def _as_read(
    plan: Plan, edges: Edges, forest: Forest, rows: Adjacency | None
) -> tuple[Edges, Adjacency | None]:
    """Return edges in the order, form and memory in which the design reads them.

    Raise a CapacityError if the memory that the design needs per pair of vertices does not fit.
    """
    design, backend = plan.algorithm, forest.backend
    if plan.backwards:
        edges = edges.backwards()
    if design.counts_vertices:
        check_pairs(design, forest.n, backend, plan.memory)
    if rows or design.takes_rows:
        edges, rows = arranged(design, edges, rows, forest, bool(plan.forest))
    if plan.memory != DEVICE_MEMORY:
        edges, rows = placed(edges, rows, backend, plan.memory)
    return edges, rows


def _hooks(plan: Plan, edges: Edges, forest: Forest, rows: Adjacency | None) -> Array:
    """Solve a forest; return the sorted positions of the edges of a spanning forest."""
    hooks = _edges_that_hook(edges, forest, plan.algorithm, rows, plan.memory)
    if plan.backwards:
        hooks = hooks.dtype.type(edges.m - 1) - hooks
    elif rows is not None and rows.edge_of is not None:
        hooks = rows.edge_of[hooks]  # from entries of rows to edges of the list
    return forest.backend.xp.sort(hooks)


def _edges_that_hook(
    edges: Edges,
    forest: Forest,
    design: Design,
    rows: Adjacency | None,
    memory: str = DEVICE_MEMORY,
) -> Array:
    """Solve a forest; return the positions of the edges or entries that hooked a vertex."""
    backend, max_edges = forest.backend, max(edges.m, rows.m if rows else 0)
    position = np.uint32 if max_edges < (1 << 32) - 1 else np.uint64
    hook_edge = backend.fill(backend.empty(forest.n, position), 0xFF)  # all bits set: not hooked
    phases.solve(edges, forest, design, rows, hook_edge, memory)
    return hook_edge[hook_edge != np.iinfo(hook_edge.dtype).max]


def _by_weight(
    plan: Plan, edge_input: EdgeInput, encoded: EncodedIds, rows: Adjacency | None
) -> ChosenEdges:
    """Find a minimum or maximum spanning forest by Borůvka's algorithm; return its edges."""
    edges, forest, backend = encoded.edges, encoded.forest, encoded.forest.backend
    if rows is not None:
        edges = list_of_rows(rows, edges, backend)
    weights = backend.placed(edge_input.weights, plan.memory)
    order = boruvka.WeightOrder.of(weights, plan.forest == HEAVIEST, backend)
    # Borůvka's algorithm gathers the ids of the forest's edges early if it gets the input. The
    # columns of spelled strings hold numbers, not ids.
    ids = None if edge_input.text_bytes else edge_input
    return boruvka.solve(edges, forest, encoded.expected_vertices, order, ids)


def link_part(plan: Plan, edges: Edges, forest: Forest) -> str:
    """Link the vertices of a part of a list without counting; return a description of the run."""
    design = plan.algorithm
    edges, rows = _as_read(plan, edges, forest, None)
    if plan.staged:
        with suppress(MemoryError):  # raised if there is no memory for a copy of the edges
            link_in_stages(edges, forest)
            return f"{design}, in stages"
        log.info("linked without stages: too little memory for a copy of the edges")
    phases.link(edges, forest, design, rows)
    return str(design)


def _link_by_scipy(edges: Edges, forest: Forest, rows: Adjacency | None, joins: bool) -> None:
    """Link edges by SciPy, and start to compile kernels if that has not begun."""
    from ..algorithms import by_scipy  # most runs need no SciPy

    forest.backend.check_compiled()
    by_scipy.link(edges, forest, rows, joins)


def join(plan: Plan, edges: Edges, forest: Forest) -> None:
    """Link a batch of edges into an existing forest over their vertices."""
    if plan.by_scipy:
        _link_by_scipy(edges, forest, None, joins=True)
        return
    phases.join(edges, forest, plan.algorithm)


def join_and_query(plan: Plan, edges: Edges, forest: Forest, queries: Array) -> Array:
    """Link the edges that are insertions, and concurrently answer those that are queries.

    ``queries`` has an entry for each edge, which is not 0 for a query. The result is a new array
    with 1 where a query found both endpoints in one tree.
    """
    return join_and_ask(edges, forest, plan.algorithm, queries)


def any_forest(src: Array, dst: Array, n: int, backend: Backend) -> tuple[Array, Array]:
    """Return a spanning forest of edges, and the component of each vertex.

    The forest may differ between runs; its rows come in any order.

    Parameters
    ----------
    src, dst : (m,) arrays of integers
        The endpoints of at least one edge, among the vertices 0 .. n - 1.

    Returns
    -------
    (t,) array of int64, (n,) array of unsigned integers
        The rows of the forest's edges, and the least vertex of each vertex's component.
    """
    forest = Forest(backend, n, all_present=True)
    hooks = _edges_that_hook(Edges(src, dst, 0), forest, ANY_FOREST, None)
    return hooks.astype(np.int64), forest.parent


def check_spanning(
    src: Array, dst: Array, flat: Forest, must: tuple[Array, Array] | None = None
) -> None:
    """Raise a ValueError unless edges are a spanning forest of the trees of a flat forest.

    The number of edges must be the number of vertices minus the number of components, and the edges
    must give the same trees. With ``must``, the pairs and the edges together must give the same
    trees, and each edge must join two components of the pairs.

    Parameters
    ----------
    src, dst : (t,) arrays on the host
        The endpoints of the edges, as read from a file.
    flat : Forest
        A forest whose vertices are all present; the parents are the least vertices of their trees.
    must : pair of (p,) arrays on the host, optional
        Vertices that are joined before the edges.
    """
    backend, n = flat.backend, flat.n
    roots = backend.xp.arange(n).astype(flat.vertex)
    num_trees, trees_before = int((flat.parent == roots).sum()), n  # before the edges are linked
    grown = Forest(backend, n, all_present=True)
    grown.parent[:] = roots

    def grow(src: Array, dst: Array) -> None:
        plan = choose_for_batch(backend, n, src.size, ANY_FOREST)
        join(plan, Edges(backend.asarray(src), backend.asarray(dst), 0), grown)
        grown.flatten()

    if must is not None and must[0].size:
        grow(*must)
        trees_before = int((grown.parent == roots).sum())
    shape = (trees_before - num_trees,)  # each edge joins two trees
    valid = src.dtype == dst.dtype == np.int64 and src.shape == dst.shape == shape
    if valid and src.size:
        valid = min(src.min(), dst.min()) >= 0 and max(src.max(), dst.max()) < n
        if valid:
            grow(src, dst)
    if not (valid and bool((grown.parent == flat.parent).all())):
        raise ValueError(f"the saved forest does not span the {num_trees:,} saved components")
