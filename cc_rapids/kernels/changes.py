"""Compare the trees before and after a batch; no tree changes during these launches.

parent : (n,) unsigned, the trees.
marks  : (n,) uint8, not 0 for the selected roots.
"""

from typing import Any


def roots_of(on: Any, vertex: type, find: Any) -> Any:
    """Write the root of each listed vertex."""

    @on.elementwise
    def roots_of(i, vertices, parent, roots):
        roots[i] = find(parent, vertex(vertices[i]))

    return roots_of


def mark_vertices(on: Any, find: Any) -> Any:
    """Set ``marked`` to 1 for each vertex whose root is selected in ``marks``."""

    @on.elementwise
    def mark_vertices(v, parent, marks, marked):
        if marks[find(parent, v)] != 0:
            marked[v] = 1

    return mark_vertices
