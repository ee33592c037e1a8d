"""Static connectivity: from edges to a flat forest."""

from __future__ import annotations

import numpy as np

from .design import Design, build
from .edges import Array, Edges
from .engines import Engine
from .kernels import answer, kernel
from .kernels.sample import PROBES, sampled_count


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
    n, m = edges.n, edges.m
    parent = engine.empty(n, edges.vertex)
    rest = engine.empty(seen.size if program.sample else 1, np.uint32)
    link = edges.src, edges.dst, edges.low, parent, seen, rest
    program.start(n, parent)
    sampled = 0
    if program.sample and n:
        sampled = sampled_count(m)
        best = engine.fill(engine.empty(1, np.int64), 0)
        program.sample(sampled, *link)
        program.flatten(n, parent, seen)
        program.largest(PROBES, n, parent, best)
        program.mark_rest(rest.size, n, parent, best, rest)
    program.finish(m - sampled, *link)
    program.flatten(n, parent, seen)
    return parent


def census(parent: Array, seen: Array, engine: Engine) -> tuple[int, int]:
    """The number of vertices that occur and of components; completes ``seen`` to the former."""
    complete = kernel(answer.complete, engine, parent.dtype.type)
    totals = engine.fill(engine.empty(2, np.int64), 0)
    complete(seen.size, parent.size, parent, seen, totals)
    vertices, components = engine.to_host(totals).tolist()
    return vertices, components
