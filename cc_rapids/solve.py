"""Static connectivity: from edges to a flat forest."""

from __future__ import annotations

from typing import Any

from .design import Design, build
from .edges import Array, Edges
from .engines import Engine


def solve(edges: Edges, seen: Array, design: Design, engine: Engine) -> Array:
    """The root of every vertex: the least vertex of its component.

    Parameters
    ----------
    edges : Edges
        On this engine; not written.
    seen : (n + 31) // 32 words of uint32
        The vertices that occur besides the edges, as bits. Gets the ends of self-loops and the
        roots of more than one vertex; every other vertex that occurs has another root than itself.

    Returns
    -------
    (n,) array of ``edges.vertex``, allocated here and not kept
    """
    program = build(design, engine, edges.vertex)
    parent = engine.empty(edges.n, edges.vertex)
    program.start(edges.n, parent)
    program.finish(edges.m, edges.src, edges.dst, edges.low, parent, seen)
    program.flatten(edges.n, parent, seen)
    return parent


def tally(parent: Array, seen: Array, design: Design, engine: Engine) -> tuple[int, int]:
    """The number of vertices that occur and of components, from what ``solve`` left."""
    vertex: Any = parent.dtype.type
    totals = engine.fill(engine.empty(2, "int64"), 0)
    build(design, engine, vertex).tally(parent.size, parent, seen, totals)
    vertices, components = engine.to_host(totals).tolist()
    return vertices, components
