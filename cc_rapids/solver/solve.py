"""Solving one edge list: encode its ids, choose a design, and run it."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..algorithms import boruvka, run
from ..algorithms.auto import ONE_LAUNCH_RULE, EdgeFacts, decide
from ..algorithms.design import Design
from ..algorithms.run import arranged, check_pairs, placed
from ..backends import MEMORY, Array, Backend
from ..data.edge_input import EdgeInput
from ..graph.chosen_edges import ChosenEdges
from ..graph.edges import Adjacency, Edges, check_offsets_async, list_of_rows, rows_of
from ..graph.forest import Forest, SpeculativeRows
from ..graph.hooks import hooks_in, room_for_hooks
from ..ids.decoders import OffsetDecoder
from ..ids.encode import EncodedIds, choose_encoding, scan_ids
from ..ids.range import UNKNOWN_ORDER, IdRange, all_fit, last_of
from ..ids.spelled import spelled
from ..kernels import id_range
from . import one_launch
from .one_launch import SolveOptions

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Solved:
    """A solved forest over encoded ids, and the design that has run.

    Besides, the edges of a spanning forest if they were recorded, and the label
    frame if it was made while the GPU worked.
    """

    encoded: EncodedIds
    design: Design | str
    forest_edges: ChosenEdges | None = None
    frame: Any = None


def solve(
    edge_input: EdgeInput,
    columns: list[Any],
    offsets: list[Any],
    backend: Backend,
    options: SolveOptions,
) -> Solved:
    """Solve one edge list: scan its ids, choose their encoding, encode, and run a design.

    On a GPU, a list of up to four million edges takes one launch, which scans, encodes and solves
    (:mod:`.one_launch`). If its ids lie too far apart for that, the launch has found their exact
    range, and another one hashes them, or the steps follow. Otherwise the range may be an estimate:
    from a sample of the edges, if these are ``tuning.sampled_scan_edges`` or more, or
    0 .. ``num_vertices`` - 1. Ids outside it are noticed when their edges are linked:
    ``forest.complete`` is then False, and scanning, encoding and running are repeated with the
    exact range.

    ====================  ===========================  ==============  ========================
    Ids                   Vertices                     Range           In the order of the ids
    ====================  ===========================  ==============  ========================
    close together        ids less the least           estimate        yes
    further apart         ranks in a bit map           exact           yes
    far apart (hashed)    slots of a hash table        estimate [1]_   by ``finalise``, at last
    far, little memory    ranks among the sorted ids   exact           yes
    short strings         numbers, as above [2]_       as above        by ``finalise``, at last
    other strings         ranks among the strings      none            yes
    several columns       one number a row, as above   exact           by ``finalise``, at last
    ====================  ===========================  ==============  ========================

    .. [1] Exact if a bit map might pay within the least range that the sample allows.
    .. [2] If 64 bits hold them: see :mod:`cc_rapids.ids.spelled`. Few are ranks on threads.

    An :class:`EncodedIds` without a ``decoder`` is not in the order of the ids: rows of its answer
    cannot be gathered before they are counted, and the caller brings its solved forest into that
    order by :meth:`EncodedIds.finalise`.

    Of rows on a GPU the range is 0 .. the number of rows - 1, and another kernel reads all entries
    while the host prepares the run; it notices those that are no vertices in the same way.

    Nothing here waits for the GPU but the scan, which reads the range back, the check of offsets,
    rules that look at the edges or make rows, and ``forest.complete``, which reads back what the
    run has noted.

    Raises
    ------
    InputError
        The offsets are wrong, or the columns have changed meanwhile.
    """
    # An estimate saves one reading of the ids; rules and hooks need the exact range. Of rows it is
    # their number, if the type of the ids holds it.
    hooks = options.forest and options.spanning is None
    exact = options.policy.needs_exact_range or hooks
    if offsets:
        exact = exact or not (backend.goes_on and all_fit(columns, last_of(edge_input)))
    checks = [check_offsets_async(edge_input, backend.asarray(own), backend) for own in offsets]
    while exact and checks:
        checks.pop()()
    if edge_input.src.strings:
        numbered = spelled(edge_input, columns, backend)
        if numbered:
            solved = solve(numbered.edge_input, numbered.columns, offsets, backend, options)
            return replace(solved, encoded=numbered.named(solved.encoded))
    known: IdRange | None = None
    if backend.in_one_launch and one_launch.accepts(edge_input, columns, options):
        frame = _expected_frame(edge_input, backend, options)
        found = one_launch.solve(edge_input, columns, backend, frame)
        if isinstance(found, EncodedIds):
            log.debug("%s, in one launch: %s", ONE_LAUNCH_RULE.design, ONE_LAUNCH_RULE)
            return Solved(
                found, ONE_LAUNCH_RULE.design, frame=frame.take_frame() if frame else None
            )
        known = found  # None if some ids are not among the vertices: the scan raises for them
    # What goes by the rows of edges needs them in the order of the list.
    said = options.expected_rows, not (options.forest or offsets)
    statistics = scan_ids(edge_input, columns, backend, exact, known, *said)
    encoding = choose_encoding(statistics, backend)
    if known and encoding.in_one_launch:
        hashed = one_launch.solve_hashed(edge_input, columns, backend)
        if hashed:
            return Solved(hashed, ONE_LAUNCH_RULE.design)
    usable = statistics.id_range.exact or encoding.takes_guess(statistics)
    encoded = encoding.encode(statistics, backend) if usable else None
    if encoded and checks:  # rows whose entries have not been read for their range
        _note_outside(encoded, backend)
    while checks:
        checks.pop()()
    if encoded:
        solved = decide_and_run(edge_input, encoded, offsets, backend, options)
        if encoded.forest.complete:
            return solved
        log.info("some ids lie outside the estimated range: reading all rows")
    # The encoding takes no estimate, or it has proved too narrow.
    statistics = scan_ids(edge_input, columns, backend, True, None, *said)
    encoded = choose_encoding(statistics, backend).encode(statistics, backend)
    solved = decide_and_run(edge_input, encoded, offsets, backend, options)
    if not encoded.forest.complete:
        raise edge_input.changed()
    return solved


def _note_outside(encoded: EncodedIds, backend: Backend) -> None:
    """Start to read all entries of rows; the run is not complete if some are not vertices."""
    edges, forest = encoded.edges, encoded.forest
    wide: Any = np.promote_types(forest.vertex, edges.wide).type  # which holds n, as all ids
    note = backend.kernel(id_range.note_outside, wide)
    note(edges.m, edges.dst, edges.low, forest.n, forest.out_of_range)


def decide_and_run(
    edge_input: EdgeInput,
    encoded: EncodedIds,
    offsets: list[Any],
    backend: Backend,
    options: SolveOptions,
) -> Solved:
    """Decide on a design for encoded ids, arrange the edges as it reads them, and run it."""
    edges, forest = encoded.edges, encoded.forest
    csr, order = None, encoded.edge_order
    if offsets:
        order = UNKNOWN_ORDER
        csr = Adjacency(backend.asarray(offsets[0]), edges.dst, edge_input.symmetric)
    if options.spanning is not None:
        greatest = options.spanning.greatest
        chosen = _solve_by_weight(edge_input, greatest, encoded, csr, options.memory)
        return Solved(encoded, boruvka.NAME, forest_edges=chosen)
    vertices = forest.n, encoded.expected_vertices
    facts = EdgeFacts.of(edge_input, *vertices, order.locality, order.blocked)
    make_rows = partial(rows_of, edges, forest, options.forest)
    decision = decide(options.policy, options.forest, facts, backend, csr, make_rows)
    design, csr = decision.design, decision.csr
    backwards = order.descending and _reads_backwards(backend, options)
    ordered = edges.backwards() if backwards else edges
    if design.counts_vertices:
        check_pairs(design, forest.n, backend, options.memory)
    if csr or design.takes_rows:
        ordered, csr = arranged(design, ordered, csr, forest, options.forest)
    if options.memory != MEMORY[0]:
        ordered, csr = placed(ordered, csr, backend, options.memory)
    if options.forest:
        hooks = _solve_with_hooks(ordered, forest, design, csr, options.memory, backwards)
        return Solved(encoded, design, forest_edges=ChosenEdges(backend, hooks))
    speculates = options.speculates and backend.goes_on
    speculative = _speculative_rows(edge_input, encoded, options) if speculates else None
    run.solve(ordered, forest, design, csr, memory=options.memory, speculative=speculative)
    return Solved(encoded, design, frame=speculative.take_frame() if speculative else None)


def _reads_backwards(backend: Backend, options: SolveOptions) -> bool:
    """Return whether a list with descending ids is read from its end.

    Only on a GPU, from its own memory, and by ``design="auto"``; :meth:`Edges.backwards` says why.
    """
    return backend.on_device and options.policy.is_measured and options.memory == MEMORY[0]


def _solve_with_hooks(
    edges: Edges,
    forest: Forest,
    design: Design,
    csr: Adjacency | None,
    memory: str,
    backwards: bool,
) -> Array:
    """Solve the forest; return the numbers of the edges by which roots were hooked, sorted.

    These edges are a spanning forest.
    """
    backend = forest.backend
    hook_edge = room_for_hooks(forest.n, max(edges.m, csr.m if csr else 0), backend)
    run.solve(edges, forest, design, csr, hook_edge, memory)
    hooks = hooks_in(hook_edge)
    if backwards:
        hooks = hooks.dtype.type(edges.m - 1) - hooks
    elif csr is not None and csr.edge_of is not None:  # entries of rows, made of a list
        hooks = csr.edge_of[hooks]
    return backend.xp.sort(hooks)


def _solve_by_weight(
    edge_input: EdgeInput, greatest: bool, encoded: EncodedIds, csr: Adjacency | None, memory: str
) -> ChosenEdges:
    """Solve the forest by edges of least or greatest weight; return these."""
    edges, forest, backend = encoded.edges, encoded.forest, encoded.forest.backend
    if csr is not None:
        edges = list_of_rows(csr, edges, backend)
    weights = backend.placed(edge_input.weights, memory)
    order = boruvka.WeightOrder.of(weights, greatest, backend)
    ahead = None if edge_input.text_bytes else edge_input  # numbers of strings are not asked for
    return boruvka.solve(edges, forest, encoded.expected_vertices, order, ahead)


def _speculative_rows(
    edge_input: EdgeInput, encoded: EncodedIds, options: SolveOptions
) -> SpeculativeRows | None:
    """Return memory for the rows of the label frame, if it can be gathered before they are counted.

    None if the vertices are not in the order of the ids. Unless the caller gives vertices, at most
    as many occur as edges have ends.
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
    """Return memory for the label frame, if the caller knows how many rows it will have.

    The frame is then made while the GPU works. None if the caller does not know, or the edges do
    not lie where the backend's arrays do.
    """
    count = options.expected_rows
    if not (count and options.speculates and backend.goes_on):
        return None
    if backend.on_device != edge_input.on_device:
        return None

    def make_frame(ids: Array, labels: Array) -> Any:
        return edge_input.make_frame({"vertex": ids, "labels": labels})

    return SpeculativeRows(0, np.uint64, count, count, count, make_frame)
