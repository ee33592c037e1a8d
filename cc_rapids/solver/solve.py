"""Solve one edge list: scan it, choose a plan, and run the plan."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..algorithms.auto import FEW_ENTRIES, entries_per_vertex, hook_coverage
from ..backends import Array, Backend
from ..data.edge_input import EdgeInput, Lending
from ..graph.chosen_edges import ChosenEdges
from ..graph.edges import Adjacency, check_offsets, check_offsets_async, rows_of
from ..graph.speculative_rows import SpeculativeRows
from ..ids.decoders import OffsetDecoder
from ..ids.encode import EncodedIds, count_pages, scan_ids
from ..ids.range import IdRange, all_fit, last_of
from ..ids.spelled import spelled
from ..ids.strings import bytes_of
from ..kernels import id_range
from . import choose as choices
from . import run as runs
from .choose import Counted, Facts, Machine, Numbers, Plan, SolveOptions

log: logging.Logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Solved:
    """A solved forest over encoded ids, and the plan that was run.

    Also the edges of a spanning forest if they were recorded, the label frame if it was made while
    the GPU worked, and the reason if a plan was chosen again.
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
    second launch hashes them, or the steps run separately. Otherwise the range may be an estimate:
    0 .. ``num_vertices`` - 1 if the caller passed that, or the range of a sample if there are at
    least ``ids.range.SAMPLED_EDGES`` edges. Ids outside it are noticed when their edges are
    linked: ``forest.complete`` is then False, and scanning, encoding and running are repeated with
    the exact range.

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

    .. [1] Exact if a bit map might need less memory for the least range that the sample allows.
    .. [2] If 64 bits hold them: see :mod:`cc_rapids.ids.spelled`. On threads, few strings are
    ranked.

    An :class:`EncodedIds` without a ``decoder`` is not in the order of the ids. Its rows cannot be
    gathered before they are counted, and the caller sorts its solved forest by
    :meth:`EncodedIds.finalise`.

    For rows on a GPU the range is 0 .. the number of rows - 1. Another kernel checks all entries
    while the host prepares the run, and sets the same flag for entries that are not vertices.

    Four steps wait for the GPU: the scan, which reads the range back; the check of offsets; rules
    that read the edges or build rows; and ``forest.complete``, which reads a flag back.

    Raises
    ------
    InputError
        The offsets are wrong, or the columns have changed meanwhile.
    """
    # An estimate saves one pass over the ids. Rules and hooks need the exact range. For rows, the
    # range is their number, if it fits the type of the ids.
    records_hooks = options.forest and options.spanning is None
    exact = options.policy.needs_exact_range or records_hooks
    if offsets:
        exact = exact or not (backend.goes_on and all_fit(columns, last_of(edge_input)))
    checks = []
    for starts in offsets:
        checks.append(check_offsets_async(edge_input, backend.asarray(starts), backend))
    while exact and checks:
        checks.pop()()
    if edge_input.src.strings:
        numbered = spelled(edge_input, columns, backend)
        if numbered:
            solved = solve(numbered.edge_input, numbered.columns, offsets, backend, options)
            return replace(solved, encoded=numbered.named(solved.encoded))
    guess: IdRange | None = None
    if backend.in_one_launch:
        plan = choices.choose(Facts.of(edge_input, columns, backend), options)
        if plan.in_one_launch:
            speculates = options.speculates and backend.goes_on
            frame = _expected_frame(edge_input, backend, options) if speculates else None
            encoded = runs.run_in_one_launch(
                edge_input, columns, backend, plan.facts.has_table, frame
            )
            if isinstance(encoded, EncodedIds):
                log.debug("%s, in one launch: %s", plan.design, plan.rule)
                return Solved(encoded, plan, frame=frame.take_frame() if frame else None)
            guess = encoded  # None if some ids are not vertices; the scan then raises an error
    # Options that refer to rows of edges need the listed order.
    scan = partial(
        scan_ids,
        *(edge_input, columns, backend),
        expected_vertices=options.expected_rows,
        any_order=not options.forest,
    )
    chosen_again = ""
    while True:
        scanned = scan(exact=exact, id_range=guess)
        if scanned.facts.may_be_paged:
            scanned = count_pages(scanned, backend)
        facts = Facts.of(edge_input, columns, backend, scanned.facts)
        plan, ids = choices.choose(facts, options), scanned.facts.id_range
        assert plan.encoding is not None
        if guess and plan.in_one_launch:
            hashed = runs.run_hashed(columns, backend)
            if hashed:
                return Solved(hashed, plan)
        if ids.exact or plan.encoding.takes_guess(scanned.facts):
            encoded = plan.encoding.encode(scanned, backend)
            if checks:  # the entries of rows have not been scanned
                _note_outside(encoded, backend)
            while checks:
                checks.pop()()
            rows = None
            if offsets:
                starts = backend.asarray(offsets[0])
                rows = Adjacency(starts, encoded.edges.dst, edge_input.symmetric)
            solved = _choose_and_run(plan, edge_input, encoded, options, rows)
            if encoded.forest.complete:
                return replace(solved, chosen_again=chosen_again) if chosen_again else solved
            if ids.exact:
                raise edge_input.changed()
            log.info("some ids lie outside the estimated range: reading all rows")
            chosen_again = f"some ids lie outside {ids.low:,} to {ids.high:,}, as rows suggested"
            del encoded, solved
        while checks:
            checks.pop()()
        exact, guess = (
            True,
            None,
        )  # the encoding needs the exact range, or the estimate was too narrow


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
        if backend.on_device and not edge_input.on_device:
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

    Integers are read once for their range, and strings once for their encoding. Several columns are
    not read. Only the run knows two facts that ``"auto"`` may depend on: the number of distinct ids
    in a hash table or a bit map, for which the plan assumes the worst case; and the rows of a list,
    for the rule of the paper.
    """
    for starts in offsets:
        check_offsets(edge_input, backend.asarray(starts), backend)
    numbered = spelled(edge_input, columns, backend) if edge_input.src.strings else None
    if numbered:
        plan = explain(numbered.edge_input, numbered.columns, offsets, backend, options)
        return replace(plan, numbers=Numbers(numbered.name(plan.ids), numbered.why, numbered.bytes))
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
    return choices.choose(Facts.of(edge_input, columns, backend, ids, explained=True), options)


def solve_encoded(
    edge_input: EdgeInput, encoded: EncodedIds, backend: Backend, options: SolveOptions
) -> Solved:
    """Choose a plan for edges between vertices, and run it.

    The edges are not in the caller's columns; ``edge_input`` is the input from which they were
    made.
    """
    n, order = encoded.expected_vertices, encoded.edge_order
    counted = Counted(encoded.forest.n, n, order=order)
    facts = Facts(Machine.of(backend), edge_input.src.size, counted=counted)
    return _choose_and_run(choices.choose(facts, options), edge_input, encoded, options, None)


def _choose_and_run(
    plan: Plan,
    edge_input: EdgeInput,
    encoded: EncodedIds,
    options: SolveOptions,
    rows: Adjacency | None,
) -> Solved:
    """Choose a plan again if the encoding has counted the vertices, and run it."""
    forest, backend = encoded.forest, encoded.forest.backend
    coverage = None
    if options.policy.looks_at_hooks:
        rows, coverage = _hooks_of(plan, encoded, options, rows)
    counts = plan.encoding is not None and not plan.encoding.counts_by_range
    if counts or coverage is not None:
        counted = Counted(
            *(forest.n, encoded.expected_vertices, plan.encoding, encoded.edge_order, coverage)
        )
        plan = choices.choose(plan.facts._replace(counted=counted), options)
    speculates = options.speculates and backend.goes_on and not plan.forest
    speculative = _speculative_rows(edge_input, encoded, options) if speculates else None
    edges = runs.run(plan, edge_input, encoded, rows, speculative)
    return Solved(encoded, plan, edges, speculative.take_frame() if speculative else None)


def _hooks_of(
    plan: Plan, encoded: EncodedIds, options: SolveOptions, rows: Adjacency | None
) -> tuple[Adjacency | None, float | None]:
    """Return edges as rows and the coverage of hook-based sampling; None for few edges."""
    forest = encoded.forest
    if entries_per_vertex(forest.n, plan.edges) < FEW_ENTRIES:
        return rows, None
    rows = rows or rows_of(encoded.edges, forest, options.forest)
    return rows, hook_coverage(rows, forest.n, forest.backend)


def _note_outside(encoded: EncodedIds, backend: Backend) -> None:
    """Start to check all entries of rows; the run is incomplete if some are not vertices."""
    edges, forest = encoded.edges, encoded.forest
    wide: Any = np.promote_types(forest.vertex, edges.wide).type  # holds n and all ids
    note = backend.kernel(id_range.note_outside, wide)
    note(edges.m, edges.dst, edges.low, forest.n, forest.out_of_range)


def _speculative_rows(
    edge_input: EdgeInput, encoded: EncodedIds, options: SolveOptions
) -> SpeculativeRows | None:
    """Return memory for the rows of the label frame, to be gathered before they are counted.

    Return None if the vertices are not in the order of the ids. Unless the caller passed vertices,
    there are at most as many rows as endpoints.
    """
    forest, decoder = encoded.forest, encoded.decoder
    if decoder is None:
        return None
    ends = forest.n if edge_input.vertices is not None else 2 * encoded.edges.m
    most_rows, least_rows = min(forest.n, ends), forest.n if forest.all_present else 0
    frame = _expected_frame(edge_input, forest.backend, options)
    if frame and isinstance(decoder, OffsetDecoder) and frame.max_rows <= most_rows:
        frame.id_base, frame.dtype = decoder.id_base, decoder.dtype
        return frame
    return SpeculativeRows(decoder.id_base, decoder.dtype, most_rows, least_rows)


def _expected_frame(
    edge_input: EdgeInput, backend: Backend, options: SolveOptions
) -> SpeculativeRows | None:
    """Return memory for the label frame, if the caller passed the number of its rows.

    The frame is then made while the GPU works. Return None if the number is unknown, or if the
    edges are not in the backend's memory.
    """
    count = options.expected_rows
    if not count or backend.on_device != edge_input.on_device:
        return None

    def make_frame(ids: Array, labels: Array) -> Any:
        return edge_input.make_frame({"vertex": ids, "labels": labels})

    return SpeculativeRows(0, np.uint64, count, count, count, make_frame)
