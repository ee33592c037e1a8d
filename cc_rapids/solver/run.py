"""Run a plan: the only place that links vertices.

:func:`run` solves a whole list, and :func:`run_in_one_launch` does so before its ids are encoded.
:func:`link_part` links a part of a list, and :func:`merge` merges parts. :func:`join` links a batch
into existing trees. Forests over the edges of an answer need no plan, because they always use the
same design.
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
from ..graph.forest import Forest
from ..graph.speculative_rows import SpeculativeRows
from ..ids.encode import EncodedIds
from .choose import BY_WEIGHT, HEAVIEST, Plan, choose_for_batch
from .one_launch import solve as run_in_one_launch
from .one_launch import solve_hashed as run_hashed

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
log: logging.Logger = logging.getLogger(__name__)


def run(
    plan: Plan,
    edge_input: EdgeInput,
    encoded: EncodedIds,
    rows: Adjacency | None = None,
    speculative: SpeculativeRows | None = None,
) -> ChosenEdges | None:
    """Link the vertices of a list and count its trees; return the spanning forest if recorded.

    Parameters
    ----------
    edge_input : EdgeInput
        The caller's edges, with weights for a minimum or maximum spanning forest.
    encoded : EncodedIds
        The edges between vertices, and a forest over the vertices.
    rows : Adjacency, optional
        The same edges as rows.
    speculative : SpeculativeRows, optional
        Rows of the answer to gather before they are counted.
    """
    edges, forest, backend = encoded.edges, encoded.forest, encoded.forest.backend
    if plan.forest in BY_WEIGHT:
        return _by_weight(plan, edge_input, encoded, rows)
    if plan.by_scipy:
        _link_by_scipy(edges, forest, rows, False)
        forest.count()
        return None
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
    """Return edges in the order, form and memory in which the design reads them."""
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
    """Solve a forest; return the sorted indices of the edges of a spanning forest."""
    hooks = _edges_that_hook(edges, forest, plan.algorithm, rows, plan.memory)
    if plan.backwards:
        hooks = hooks.dtype.type(edges.m - 1) - hooks
    elif rows is not None and rows.edge_of is not None:
        hooks = rows.edge_of[hooks]  # from entries of rows to edges of the list
    return forest.backend.xp.sort(hooks)


def _edges_that_hook(
    edges: Edges, forest: Forest, design: Design, rows: Adjacency | None, memory: str = MEMORY[0]
) -> Array:
    """Solve a forest; return the edges that hooked a vertex, or the entries of rows."""
    backend, most = forest.backend, max(edges.m, rows.m if rows else 0)
    number = np.uint32 if most < (1 << 32) - 1 else np.uint64
    hook_edge = backend.fill(backend.empty(forest.n, number), 0xFF)  # all bits set: not hooked
    phases.solve(edges, forest, design, rows, hook_edge, memory)
    return hook_edge[hook_edge != np.iinfo(hook_edge.dtype).max]


def _by_weight(
    plan: Plan, edge_input: EdgeInput, encoded: EncodedIds, rows: Adjacency | None
) -> ChosenEdges:
    """Solve a minimum or maximum spanning forest; return its edges."""
    edges, forest, backend = encoded.edges, encoded.forest, encoded.forest.backend
    if rows is not None:
        edges = list_of_rows(rows, edges, backend)
    weights = backend.placed(edge_input.weights, plan.memory)
    order = boruvka.WeightOrder.of(weights, plan.forest == HEAVIEST, backend)
    # Strings are not gathered ahead, because their columns hold numbers here.
    given = None if edge_input.text_bytes else edge_input
    return boruvka.solve(edges, forest, encoded.expected_vertices, order, given)


def link_part(plan: Plan, edges: Edges, forest: Forest) -> str:
    """Link the vertices of a part of a list without counting; return a description of the run."""
    design = plan.algorithm
    edges, rows = _as_read(plan, edges, forest, None)
    if plan.staged:
        with suppress(MemoryError):  # raised if there is no memory for a copy of the edges
            link_in_stages(edges, forest)
            return f"{design}, in stages"
        log.info("not in stages, for which there is too little memory")
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
        _link_by_scipy(edges, forest, None, True)
        return
    phases.join(edges, forest, plan.algorithm)


def join_and_query(plan: Plan, edges: Edges, forest: Forest, queries: Array) -> Array:
    """Link the rows that are insertions and answer those that are queries, concurrently.

    ``queries`` is not 0 where a row is a query. The result is a new array with 1 where a query
    found both endpoints in one tree.
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

    The number of edges must be the number of vertices minus that of components, and the edges must
    give the same trees. With ``must``, these pairs and the edges must do so together, and there may
    be fewer edges.

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
    trees, parts = int((flat.parent == roots).sum()), n
    grown = Forest(backend, n, all_present=True)
    grown.parent[:] = roots

    def grow(src: Array, dst: Array) -> None:
        plan = choose_for_batch(backend, n, src.size, ANY_FOREST)
        join(plan, Edges(backend.asarray(src), backend.asarray(dst), 0), grown)
        grown.flatten()

    if must is not None and must[0].size:
        grow(*must)
        parts = int((grown.parent == roots).sum())
    sound = src.dtype == dst.dtype == np.int64 and src.shape == dst.shape == (parts - trees,)
    if sound and src.size:
        sound = min(src.min(), dst.min()) >= 0 and max(src.max(), dst.max()) < n
        if sound:
            grow(src, dst)
    if not (sound and bool((grown.parent == flat.parent).all())):
        raise ValueError(f"its edges of a spanning forest do not span its {trees:,} components")
