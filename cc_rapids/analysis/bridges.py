"""The bridges and articulation points of an answer, and its components without bridges."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algorithms.bridges import Reached
from ..backends import Array
from ..data.adapters import adapter_of
from ..errors import InputError
from ..graph.edges import Edges
from ..graph.forest import Forest
from ..results.answer import Answer
from ..results.forest_columns import forest_columns
from ..results.lookup import places_of_edges
from ..solver.choose import SolveOptions
from ..solver.run import any_forest
from .bipartition import check_kept, least_of_components


def check_listed_once(edges: Any) -> None:
    """Raise an error if edges are of a kind that may hold each at both of its ends."""
    if adapter_of(edges).may_repeat:
        raise InputError(
            f"a {type(edges).__name__} may hold an edge at both of its ends, and an edge that is"
            " held twice is no bridge: pass each edge once, as a frame or a pair of arrays"
        )


def bridges_of(found: Answer) -> Any:
    """Return the bridges among the edges of an answer: see :func:`cc_rapids.bridges`."""
    check_kept(found, "bridges")
    with found.backend.scope():
        rows = _bridge_rows(found, places_of_edges(found))
        columns = forest_columns(found.given, found.home(rows))
        return found.frame({name: found.home(column) for name, column in columns.items()})


def without_bridges(found: Answer, options: SolveOptions) -> Answer:
    """Return the components of an answer's edges that are no bridges, with all of its vertices."""
    check_kept(found, "bridges")
    backend = found.backend
    with backend.scope():
        src, dst = places_of_edges(found)
        rows = _bridge_rows(found, (src, dst))
        dst[rows] = src[rows]  # self-loops join nothing
        n = found.forest.vertices
        least = least_of_components(found, Edges(src, dst, 0), n, options, "no bridges")
        vertices = found.forest.rows(0, np.int64)[0]
        forest = Forest(backend, found.forest.n, found.forest.all_present)
        forest.present[:] = found.forest.present
        forest.parent[:] = backend.xp.arange(forest.n).astype(forest.vertex)
        forest.parent[vertices] = vertices[least].astype(forest.vertex)
        forest.count()
    return Answer(found.given, backend, found.decoder, forest, found.kind, found.facts)


def articulation_points_of(found: Answer, options: SolveOptions) -> Any:
    """Return the articulation points of the edges of an answer, as a frame of the caller's kind."""
    check_kept(found, "articulation points")
    backend, n = found.backend, found.forest.vertices
    with backend.scope():
        points, ends = backend.xp.zeros(0, np.int64), places_of_edges(found)
        if ends[0].size:
            reached = _reached(found, ends)
            edges = Edges(*reached.skeleton(backend), 0)
            block = least_of_components(found, edges, n, options, "blocks")
            points = reached.articulation_points(block, backend)
        return found.frame(found.vertex(points))


def _bridge_rows(found: Answer, ends: tuple[Array, Array]) -> Array:
    """Return the rows of the bridges among the edges of an answer, as int64 in their order."""
    if not ends[0].size:
        return found.backend.xp.zeros(0, np.int64)
    return _reached(found, ends).bridges()


def _reached(found: Answer, ends: tuple[Array, Array]) -> Reached:
    """Return the rooted forest of an answer, and what is reached from below each of its edges."""
    vertex, least = found.rows()
    roots = found.backend.xp.flatnonzero(vertex == least).astype(np.int64)
    backend, n, chosen = found.backend, found.forest.vertices, found.forest_edges
    hooks = chosen.rows if chosen else backend.xp.sort(any_forest(*ends, n, backend)[0])
    return Reached.of(ends, hooks, roots, n, backend)
