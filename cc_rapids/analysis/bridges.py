"""Bridges, articulation points, and 2-edge-connected and biconnected components of an answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algorithms.bridges import Reached, share_reversed
from ..backends import Array, Backend
from ..data.adapters import adapter_of
from ..errors import InputError
from ..graph.edges import Edges
from ..graph.forest import Forest
from ..results.answer import Answer
from ..results.forest_columns import columns_of_edges
from ..results.lookup import rows_of_edges, warn
from ..solver.choose import SolveOptions
from ..solver.run import any_forest
from .bipartition import check_kept, least_of_components


def check_listed_once(edges: Any) -> None:
    """Raise an error if inputs of this type may store an edge in both directions."""
    if adapter_of(edges).may_repeat:
        raise InputError(
            f"a {type(edges).__name__} may store an edge in both directions, and a duplicate edge"
            " is not a bridge: pass each edge once, as a frame or a pair of arrays"
        )


def warn_of_both_directions(
    ends: tuple[Array, Array], bridges: int, n: int, backend: Backend
) -> None:
    """Warn if there are few bridges, and most edges are listed in both directions."""
    if bridges < ends[0].size // 4 and share_reversed(ends, n, backend) > 0.5:
        warn(
            "most edges are listed in both directions, and an edge that is listed twice is not a"
            " bridge: filter by weight, then list each pair once, such as by"
            " pd.DataFrame(np.sort(edges[ends]), columns=ends).drop_duplicates(), where ends names"
            " the two columns of ids"
        )


def bridges_of(answer: Answer) -> Any:
    """Return the bridges among the edges of an answer: see :func:`cc_rapids.bridges`."""
    check_kept(answer, "bridges")
    with answer.backend.scope():
        rows = _bridge_rows(answer, rows_of_edges(answer))
        return answer.frame(columns_of_edges(answer.given, answer.home(rows)))


def without_bridges(answer: Answer, options: SolveOptions) -> Answer:
    """Return the components of the edges that are not bridges, as an answer with all vertices."""
    check_kept(answer, "bridges")
    backend = answer.backend
    with backend.scope():
        src, dst = rows_of_edges(answer)
        bridges = _bridge_rows(answer, (src, dst))
        dst[bridges] = src[bridges]  # a self-loop replaces each bridge
        n = answer.forest.vertices
        least = least_of_components(answer, Edges(src, dst, low=0), n, options, "no bridges")
        vertices, _ = answer.forest.rows(low=0, dtype=np.int64)  # the vertex of each row
        forest = Forest(backend, answer.forest.n, answer.forest.all_present)
        forest.present[:] = answer.forest.present
        forest.parent[:] = backend.xp.arange(forest.n).astype(forest.vertex)
        forest.parent[vertices] = vertices[least].astype(forest.vertex)
        forest.count()
    return Answer(answer.given, backend, answer.decoder, forest, answer.kind, answer.facts)


def articulation_points_of(answer: Answer, options: SolveOptions) -> Any:
    """Return the articulation points of an answer: see :func:`cc_rapids.articulation_points`."""
    check_kept(answer, "articulation points")
    backend = answer.backend
    with backend.scope():
        points, ends = backend.xp.zeros(0, np.int64), rows_of_edges(answer)
        if ends[0].size:
            reached, block = _blocks(answer, ends, options)
            points = reached.articulation_points(block, backend)
        return answer.frame(answer.vertex(points))


def biconnected_component_edges_of(answer: Answer, options: SolveOptions) -> Any:
    """Return a frame of the edges of an answer, with the biconnected component (block) of each."""
    check_kept(answer, "biconnected components")
    backend = answer.backend
    with backend.scope():
        ends = rows_of_edges(answer)
        rows = numbers = backend.xp.zeros(0, np.int64)
        if ends[0].size:
            reached, block = _blocks(answer, ends, options)
            rows, numbers = reached.edge_blocks(block, backend)
        columns = columns_of_edges(answer.given, answer.home(rows))
        return answer.frame(columns | {"labels": numbers})


def _blocks(
    answer: Answer, ends: tuple[Array, Array], options: SolveOptions
) -> tuple[Reached, Array]:
    """Return the rooted forest, and for each vertex the block of the edge to the vertex's parent.

    A block is represented by one of its vertices.
    """
    reached = _reached(answer, ends)
    edges = Edges(*reached.skeleton(answer.backend), low=0)  # their components are the blocks
    return reached, least_of_components(answer, edges, answer.forest.vertices, options, "blocks")


def _bridge_rows(answer: Answer, ends: tuple[Array, Array]) -> Array:
    """Return the rows of the bridges among the edges of an answer, as ascending int64."""
    edges, forest = int(ends[0].size), answer.forest
    if edges == forest.vertices - forest.components:  # the edges have no cycle
        return answer.backend.xp.arange(edges, dtype=np.int64)
    rows = _reached(answer, ends).bridges()
    warn_of_both_directions(ends, int(rows.size), forest.vertices, answer.backend)
    return rows


def _reached(answer: Answer, ends: tuple[Array, Array]) -> Reached:
    """Return the rooted spanning forest, and the range of vertices that each subtree reaches."""
    backend, n, chosen = answer.backend, answer.forest.vertices, answer.forest_edges
    rows = chosen.rows if chosen else backend.xp.sort(any_forest(*ends, n, backend)[0])
    return Reached.of(ends, rows, answer.least_rows, n, backend)
