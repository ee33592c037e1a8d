"""Solving one edge list: encode its ids, choose a design, and run it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..algorithms import run
from ..algorithms.auto import ONE_LAUNCH_RULE, EdgeFacts, decide
from ..algorithms.design import Design
from ..algorithms.run import arranged, check_pairs, placed
from ..backends import MEMORY, Array, Backend
from ..data.edge_input import EdgeInput
from ..graph.edges import Adjacency, Edges, check_offsets, rows_of
from ..graph.forest import Forest, SpeculativeRows
from ..ids.decoders import OffsetDecoder
from ..ids.encode import EncodedIds, choose_encoding, scan_ids
from ..ids.range import UNKNOWN_ORDER, IdRange
from . import one_launch
from .one_launch import SolveOptions

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Solved:
    """A solved forest over encoded ids, and the design that has run.

    It includes the rows of the edges of a spanning forest if they were requested, and the label
    frame if it was made during the run.
    """

    encoded: EncodedIds
    design: Design
    forest_rows: Array | None = None
    frame: Any = None


def solve(
    edge_input: EdgeInput,
    columns: list[Any],
    offsets: list[Any],
    backend: Backend,
    options: SolveOptions,
) -> Solved:
    """Solve one edge list: scan its ids, choose their encoding, encode, and run a design.

    For integers the range has to be known, which may be a guess from some rows of a long list: if
    ids outside it are found while their edges are linked, the run is repeated with the exact range.
    On a GPU a short list takes one launch instead, which scans, encodes and runs; if its ids lie
    too far apart for that, it has found their range.

    Integers close together are used as vertices, after subtracting the least. Others become ranks
    in a bit map, or, if a bit each is too much, slots of a hash table. The steps are the same for
    all, but slots have no order. So hashed ids have no ``decoder`` yet, rows of the answer are not
    gathered before their forest is solved, and the caller then sorts it by the ids.

    Raises
    ------
    InputError
        The offsets are wrong, or the columns have changed meanwhile.
    """
    for starts in offsets:
        check_offsets(edge_input, backend.asarray(starts), backend)
    ids: IdRange | None = None
    if backend.in_one_launch and one_launch.accepts(edge_input, columns, options):
        rows = _expected_frame(edge_input, backend, options)
        found = one_launch.solve(edge_input, columns, backend, rows)
        if isinstance(found, EncodedIds):
            log.debug("%s, in one launch: %s", ONE_LAUNCH_RULE.design, ONE_LAUNCH_RULE)
            return Solved(found, ONE_LAUNCH_RULE.design, frame=rows.take_frame() if rows else None)
        ids = found
    exact = options.policy.needs_exact_range or options.forest or bool(offsets)
    again = False
    while True:
        statistics = scan_ids(edge_input, columns, backend, exact, ids)
        encoding = choose_encoding(statistics, backend)
        if statistics.id_range.exact or encoding.takes_guess(statistics):
            encoded = encoding.encode(statistics, backend)
            solved = _run(edge_input, encoded, offsets, backend, options)
            if encoded.forest.complete:
                return solved
            if again:
                raise edge_input.changed()
            log.info("some ids lie beyond what some of the rows have shown: reading all of them")
            again = True
        exact, ids = True, None  # the guess did not do


def _run(
    edge_input: EdgeInput,
    encoded: EncodedIds,
    offsets: list[Any],
    backend: Backend,
    options: SolveOptions,
) -> Solved:
    """Decide on a design for encoded ids, and run it over them."""
    edges, forest = encoded.edges, encoded.forest
    csr, order = None, UNKNOWN_ORDER if offsets else encoded.edge_order
    if offsets:
        csr = Adjacency(backend.asarray(offsets[0]), edges.dst, edge_input.symmetric)
    facts = EdgeFacts.of(edge_input, forest.n, encoded.expected_vertices, order.locality)
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
        rows = _solve_forest(ordered, forest, design, csr, options.memory, backwards)
        return Solved(encoded, design, rows)
    speculates = options.speculates and backend.goes_on
    speculative = _speculative_rows(edge_input, encoded, options) if speculates else None
    run.solve(ordered, forest, design, csr, memory=options.memory, speculative=speculative)
    return Solved(encoded, design, frame=speculative.take_frame() if speculative else None)


def _reads_backwards(backend: Backend, options: SolveOptions) -> bool:
    """Return whether a list with descending ids is read from its end.

    It is if many threads link at the same time, and the caller has not chosen a design.
    """
    return backend.on_device and options.policy.is_measured and options.memory == MEMORY[0]


def _solve_forest(
    edges: Edges,
    forest: Forest,
    design: Design,
    csr: Adjacency | None,
    memory: str,
    backwards: bool,
) -> Array:
    """Solve the forest; return the sorted rows of the edges by which it hooked."""
    backend = forest.backend
    wide = np.uint32 if max(edges.m, csr.m if csr else 0) < (1 << 32) - 1 else np.uint64
    hook_edge = backend.fill(backend.empty(forest.n, wide), 0xFF)
    run.solve(edges, forest, design, csr, hook_edge, memory)
    rows = hook_edge[hook_edge != np.iinfo(wide).max]
    rows = backend.xp.sort(wide(edges.m - 1) - rows if backwards else rows)
    if csr is not None and csr.edge_of is not None:
        rows = backend.xp.sort(csr.edge_of[rows])
    return rows


def _speculative_rows(
    edge_input: EdgeInput, encoded: EncodedIds, options: SolveOptions
) -> SpeculativeRows | None:
    """Return memory for the rows of the label frame, if it is requested at once.

    The vertices have to be in the order of the ids before they are solved.

    Without vertices that are named otherwise there are at most as many as ends of edges.
    """
    forest, decoder = encoded.forest, encoded.decoder
    if decoder is None:
        return None
    ends = forest.n if edge_input.vertices is not None else 2 * encoded.edges.m
    most, least = min(forest.n, ends), forest.n if forest.all_present else 0
    rows = _expected_frame(edge_input, forest.backend, options)
    if rows and isinstance(decoder, OffsetDecoder) and rows.max_rows <= most:
        rows.id_base, rows.dtype = decoder.id_base, decoder.dtype
        return rows
    return SpeculativeRows(decoder.id_base, decoder.dtype, most, least)


def _expected_frame(
    edge_input: EdgeInput, backend: Backend, options: SolveOptions
) -> SpeculativeRows | None:
    """Return speculative rows of the number that the caller expects.

    Return None unless the caller expects a number, and the rows are on the device of the frame.
    """
    count = options.expected_rows
    if not (count and options.speculates and backend.goes_on):
        return None
    if backend.on_device != edge_input.on_device:
        return None

    def make_frame(ids: Array, labels: Array) -> Any:
        return edge_input.make_frame({"vertex": ids, "labels": labels})

    return SpeculativeRows(0, np.uint64, count, count, count, make_frame)
