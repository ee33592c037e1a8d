"""The bridges and articulation points of an answer, and its components without bridges."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algorithms.any_forest import any_forest
from ..algorithms.bridges import Reached
from ..backends import Array
from ..data.adapters import adapter_of
from ..errors import InputError
from ..graph.edges import Edges
from ..graph.forest import Forest
from ..solver.one_launch import SolveOptions
from .bipartition import check_kept, least_of_components
from .components import Components, forest_columns


def check_listed_once(edges: Any) -> None:
    """Raise an error if edges are of a kind that may hold each at both of its ends."""
    if adapter_of(edges).may_repeat:
        raise InputError(
            f"a {type(edges).__name__} may hold an edge at both of its ends, and an edge that is"
            " held twice is no bridge: pass each edge once, as a frame or a pair of arrays"
        )


def bridges_of(found: Components) -> Any:
    """Return the bridges among the edges of an answer: see :func:`cc_rapids.bridges`."""
    check_kept(found, "bridges")
    with found._backend.scope():
        rows = _bridge_rows(found, found._places_of_edges())
        columns = forest_columns(found._given, found._home(rows))
        return found._frame({name: found._home(column) for name, column in columns.items()})


def without_bridges(found: Components, options: SolveOptions) -> Components:
    """Return the components of an answer's edges that are no bridges, with all of its vertices."""
    check_kept(found, "bridges")
    backend = found._backend
    with backend.scope():
        src, dst = found._places_of_edges()
        rows = _bridge_rows(found, (src, dst))
        dst[rows] = src[rows]  # self-loops join nothing
        n = found.num_vertices
        least = least_of_components(found, Edges(src, dst, 0), n, options, "no bridges")
        vertices = found._forest.rows(0, np.int64)[0]
        forest = Forest(backend, found._forest.n, found._forest.all_present)
        forest.present[:] = found._forest.present
        forest.parent[:] = backend.xp.arange(forest.n).astype(forest.vertex)
        forest.parent[vertices] = vertices[least].astype(forest.vertex)
        forest.count()
    given, decoder, kind, facts = found._given, found._decoder, found._kind, found._facts
    return Components(given, backend, decoder, forest, kind, facts)


def articulation_points_of(found: Components, options: SolveOptions) -> Any:
    """Return the articulation points of the edges of an answer, as a frame of the caller's kind."""
    check_kept(found, "articulation points")
    backend, n = found._backend, found.num_vertices
    with backend.scope():
        points, ends = backend.xp.zeros(0, np.int64), found._places_of_edges()
        if ends[0].size:
            reached = _reached(found, ends)
            edges = Edges(*reached.skeleton(backend), 0)
            block = least_of_components(found, edges, n, options, "blocks")
            points = reached.articulation_points(block, backend)
        return found._frame(found._vertex(points))


def _bridge_rows(found: Components, ends: tuple[Array, Array]) -> Array:
    """Return the rows of the bridges among the edges of an answer, as int64 in their order."""
    if not ends[0].size:
        return found._backend.xp.zeros(0, np.int64)
    return _reached(found, ends).bridges()


def _reached(found: Components, ends: tuple[Array, Array]) -> Reached:
    """Return the rooted forest of an answer, and what is reached from below each of its edges."""
    vertex, least = found._rows()
    roots = found._backend.xp.flatnonzero(vertex == least).astype(np.int64)
    backend, n, chosen = found._backend, found.num_vertices, found._forest_edges
    hooks = chosen.rows if chosen else backend.xp.sort(any_forest(*ends, n, backend)[0])
    return Reached.of(ends, hooks, roots, n, backend)
