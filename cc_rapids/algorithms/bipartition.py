"""Two-colour vertices by the bipartite double cover, and find odd cycles.

The double cover has two copies of each vertex v, with colours 0 and 1, and two edges for each edge
(u, v): (u, 0) to (v, 1), and (u, 1) to (v, 0). A component is bipartite if and only if the two
copies of each of its vertices are not connected.

Odd cycles are found in a rooted spanning forest, see :mod:`cc_rapids.algorithms.rooted_forest`. An
edge is in the forest if earlier rows do not connect its endpoints. So the forest is the same in
every run and on every backend.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backends import Array, Backend
from ..graph.edges import Edges
from ..graph.sorting import first_of, order_of
from .boruvka import forest_of_first_rows
from .rooted_forest import rooted


def double_cover(src: Array, dst: Array, n: int, xp: Any) -> Edges:
    """Return the edges of the double cover, in which v and n + v are the copies of vertex v.

    ``src`` and ``dst``, (m,) arrays of int64, are the endpoints of the edges among n vertices.
    """
    word = np.uint32 if 2 * n < 1 << 32 else np.uint64
    src, dst, offset = src.astype(word), dst.astype(word), word(n)
    return Edges(xp.concatenate([src, src + offset]), xp.concatenate([dst + offset, dst]), 0)


def odd_cycles(
    ends: tuple[Array, Array], component_of: Array, odd: Array, roots: Array, backend: Backend
) -> tuple[Array, Array]:
    """Return one cycle of odd length for each component that has such a cycle.

    The cycle of a component is its first self-loop. If a component has no self-loop, the cycle
    contains the first edge whose endpoints have depths of equal parity: this edge and the path
    between its endpoints in the forest are an odd cycle.

    ``ends``, two (m,) arrays of int64, are the endpoints of all edges among n vertices.
    ``component_of``, an (n,) array of integers, is the number of the component of each vertex.
    ``odd`` marks the components with an odd cycle; ``roots`` has one vertex of each component.

    Returns
    -------
    two arrays of int64, component and row
        The rows of the edges around each cycle, in the order of the components. Each cycle starts
        at one endpoint of the closing edge and ends with that edge.
    """
    xp, n = backend.xp, int(component_of.size)
    loops = xp.flatnonzero(ends[0] == ends[1])
    loops = loops[first_of(component_of[ends[0][loops]], loops, xp)]  # one for each component
    loop_components = component_of[ends[0][loops]]
    without_loop = odd.copy()  # odd components that need a longer cycle
    without_loop[loop_components] = False
    rows = xp.flatnonzero(without_loop[component_of[ends[0]]])  # their edges
    src, dst = (side[rows] for side in ends)
    hooks = forest_of_first_rows(src, dst, n, backend)
    forest = rooted(src[hooks], dst[hooks], roots[xp.flatnonzero(without_loop)], n, backend)
    same_parity = xp.flatnonzero((forest.depth[src] - forest.depth[dst]) % 2 == 0)
    closing = same_parity[first_of(component_of[src[same_parity]], same_parity, xp)]
    closing_components = component_of[src[closing]]
    closing_of_component = xp.zeros(int(odd.size), np.int64)
    closing_of_component[closing_components] = closing
    closing_of_edge = closing_of_component[component_of[forest.child]]
    # whether each edge of the forest is above the endpoints of the closing edge of its component;
    # an edge above both endpoints, or above neither, is not on the path between them
    above_src, above_dst = (
        forest.below(side[closing_of_edge], forest.child) for side in (src, dst)
    )
    on_cycle = xp.flatnonzero(above_src != above_dst)
    child = forest.child[on_cycle]
    depth = forest.depth[child]
    position = xp.where(above_src[on_cycle], -depth, depth)  # up from src, then down to dst
    last_position = xp.full(closing.size + loops.size, n, np.int64)  # greater than any depth
    components = [component_of[child], closing_components, loop_components]
    component = xp.concatenate(components).astype(np.int64)
    row = xp.concatenate([rows[hooks[on_cycle]], rows[closing], loops])
    order = order_of([component, xp.concatenate([position, last_position])], xp)
    return component[order], row[order]
