"""Changes by a batch, read from the trees before it and after it; no tree changes meanwhile.

parent : (n,) unsigned, the trees.
marks  : (n,) uint8, not 0 for the roots that are looked for.
"""

from typing import Any


def roots_of(on: Any, vertex: type, find: Any) -> Any:
    """Write the root of each of some vertices."""

    @on.elementwise
    def roots_of(i, vertices, parent, roots):
        roots[i] = find(parent, vertex(vertices[i]))

    return roots_of


def mark_vertices(on: Any, find: Any) -> Any:
    """Mark the vertices of marked roots."""

    @on.elementwise
    def mark_vertices(v, parent, marks, marked):
        if marks[find(parent, v)] != 0:
            marked[v] = 1

    return mark_vertices
