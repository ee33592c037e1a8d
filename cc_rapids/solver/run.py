"""Run a plan: the only place that joins vertices.

A list is solved whole by :func:`run`, or by :func:`run_in_one_launch` before its ids are encoded; a
part of it is linked by :func:`link_part`, and :func:`merge` joins parts; a batch joins trees that
are there already by :func:`join`. The forests of edges that come from an answer follow from no
plan: there are no facts to look for, and one design for all.
"""

from __future__ import annotations

import logging
from contextlib import suppress

import numpy as np

from ..algorithms import boruvka
from ..algorithms import run as phases
from ..algorithms.boruvka import forest_of_first_rows, forest_of_weights
from ..algorithms.design import Design
from ..algorithms.merge import merge
from ..algorithms.run import arranged, check_pairs, join_and_ask, placed
from ..algorithms.staged import link_in_stages
from ..backends import MEMORY, Array, Backend
from ..data.edge_input import EdgeInput
from ..graph.chosen_edges import ChosenEdges
from ..graph.edges import Adjacency, Edges, list_of_rows
from ..graph.forest import Forest, SpeculativeRows
from ..graph.hooks import hooks_in, room_for_hooks
from ..ids.encode import EncodedIds
from . import one_launch
from .choose import BY_WEIGHT, HEAVIEST, Plan, choose_for_batch

__all__ = [
    "any_forest",
    "check_spanning",
    "forest_of_first_rows",
    "forest_of_weights",
    "join",
    "join_and_query",
    "link_part",
    "merge",
    "run",
    "run_hashed",
    "run_in_one_launch",
]

ANY_FOREST = Design("none", "async", "halve")
log = logging.getLogger(__name__)


def run(
    plan: Plan,
    edge_input: EdgeInput,
    encoded: EncodedIds,
    rows: Adjacency | None = None,
    speculative: SpeculativeRows | None = None,
) -> ChosenEdges | None:
    """Join the vertices of a list, and count its trees; return the edges of a forest if recorded.

    Parameters
    ----------
    edge_input : EdgeInput
        The caller's edges, with their weights for a forest by weight.
    encoded : EncodedIds
        The edges between vertices, and a forest over these.
    rows : Adjacency, optional
        The same edges as rows.
    speculative : SpeculativeRows, optional
        Rows of the answer to gather before they are counted.
    """
    edges, forest, backend = encoded.edges, encoded.forest, encoded.forest.backend
    if plan.forest in BY_WEIGHT:
        return _by_weight(plan, edge_input, encoded, rows)
    edges, rows = _as_read(plan, edges, forest, rows)
    if plan.forest:
        return ChosenEdges(backend, _hooks(plan, edges, forest, rows))
    design, memory = plan.algorithm, plan.memory
    parts = plan.in_two_parts
    phases.solve(edges, forest, design, rows, None, memory, speculative, parts)
    return None


def _as_read(
    plan: Plan, edges: Edges, forest: Forest, rows: Adjacency | None
) -> tuple[Edges, Adjacency | None]:
    """Return edges in the order, the form and the memory in which the design reads them."""
    design, backend = plan.algorithm, forest.backend
    if plan.backwards:
        edges = edges.backwards()
    if design.counts_vertices:
        check_pairs(design, forest.n, backend, plan.memory)
    if rows or design.takes_rows:
        edges, rows = arranged(design, edges, rows, forest, bool(plan.forest))
    if plan.memory != MEMORY[0]:
        edges, rows = placed(edges, rows, backend, plan.memory)
    return edges, rows


def _hooks(plan: Plan, edges: Edges, forest: Forest, rows: Adjacency | None) -> Array:
    """Solve a forest; return the numbers of the edges by which roots were hooked, sorted.

    These edges are a spanning forest.
    """
    backend = forest.backend
    hook_edge = room_for_hooks(forest.n, max(edges.m, rows.m if rows else 0), backend)
    phases.solve(edges, forest, plan.algorithm, rows, hook_edge, plan.memory)
    hooks = hooks_in(hook_edge)
    if plan.backwards:
        hooks = hooks.dtype.type(edges.m - 1) - hooks
    elif rows is not None and rows.edge_of is not None:  # entries of rows, made of a list
        hooks = rows.edge_of[hooks]
    return backend.xp.sort(hooks)


def _by_weight(
    plan: Plan, edge_input: EdgeInput, encoded: EncodedIds, rows: Adjacency | None
) -> ChosenEdges:
    """Solve the forest by edges of least or greatest weight; return these."""
    edges, forest, backend = encoded.edges, encoded.forest, encoded.forest.backend
    if rows is not None:
        edges = list_of_rows(rows, edges, backend)
    weights = backend.placed(edge_input.weights, plan.memory)
    order = boruvka.WeightOrder.of(weights, plan.forest == HEAVIEST, backend)
    ahead = None if edge_input.text_bytes else edge_input  # numbers of strings are not asked for
    return boruvka.solve(edges, forest, encoded.expected_vertices, order, ahead)


run_in_one_launch, run_hashed = one_launch.solve, one_launch.solve_hashed


def link_part(plan: Plan, edges: Edges, forest: Forest) -> str:
    """Join the vertices of a part of a list, without counting trees; return what ran, in words."""
    design = plan.algorithm
    edges, rows = _as_read(plan, edges, forest, None)
    if plan.staged:
        with suppress(MemoryError):  # for a copy of the edges
            link_in_stages(edges, forest)
            return f"{design}, in stages"
        log.info("not in stages, for which there is too little memory")
    phases.link(edges, forest, design, rows)
    return str(design)


def join(plan: Plan, edges: Edges, forest: Forest) -> None:
    """Join the trees of a forest by a batch of edges between its vertices."""
    phases.join(edges, forest, plan.algorithm)


def join_and_query(plan: Plan, edges: Edges, forest: Forest, queries: Array) -> Array:
    """Join trees by the rows that are insertions, and answer those that are queries, concurrently.

    ``queries`` is not 0 where a row is one. Returns a new array, 1 where it found one tree.
    """
    return join_and_ask(edges, forest, plan.algorithm, queries)


def any_forest(src: Array, dst: Array, n: int, backend: Backend) -> tuple[Array, Array]:
    """Return a spanning forest of edges, and the component of each vertex.

    Which forest depends on the run; its rows come in any order.

    Parameters
    ----------
    src, dst : (m,) arrays of integers
        The ends of at least one edge, among the vertices 0 .. n - 1.

    Returns
    -------
    (t,) array of int64, (n,) array of unsigned integers
        The rows of the edges of the forest, and the least vertex of each one's component.
    """
    forest = Forest(backend, n, all_present=True)
    hook_edge = room_for_hooks(n, src.size, backend)
    phases.solve(Edges(src, dst, 0), forest, ANY_FOREST, None, hook_edge)
    return hooks_in(hook_edge).astype(np.int64), forest.parent


def check_spanning(src: Array, dst: Array, flat: Forest) -> None:
    """Raise a ValueError unless edges are a spanning forest of the trees of a flat forest.

    There must be as many as join all vertices, and the trees that they make must be the same.

    Parameters
    ----------
    src, dst : (t,) arrays on the host
        The ends of the edges, as they were read from a file.
    flat : Forest
        All of whose vertices occur; its parents are the least vertices of their trees.
    """
    backend, n = flat.backend, flat.n
    roots = backend.xp.arange(n).astype(flat.vertex)
    trees = int((flat.parent == roots).sum())
    sound = src.dtype == dst.dtype == np.int64 and src.shape == dst.shape == (n - trees,)
    if sound and src.size:
        sound = min(src.min(), dst.min()) >= 0 and max(src.max(), dst.max()) < n
        grown = Forest(backend, n, all_present=True)
        grown.parent[:] = roots
        if sound:
            plan = choose_for_batch(backend, n, src.size, ANY_FOREST)
            join(plan, Edges(backend.asarray(src), backend.asarray(dst), 0), grown)
            grown.flatten()
            sound = bool((grown.parent == flat.parent).all())
    if not sound:
        raise ValueError(f"its edges of a spanning forest do not span its {trees:,} components")
