"""Static connectivity: from edges to a flat forest."""

from __future__ import annotations

import numpy as np

from .design import Design, build
from .edges import Edges
from .forest import Forest
from .kernels.sample import PROBES, sampled_count


def solve(edges: Edges, forest: Forest, design: Design) -> None:
    """Give every vertex the root of its component, and count them.

    Parameters
    ----------
    edges : Edges
        On the forest's engine; not written.
    forest : Forest
        Over the vertices of the edges; ``seen`` holds those that occur besides the edges.
    design : Design
        The algorithm.
    """
    engine, n, m = forest.engine, forest.n, edges.m
    program = build(design, engine, forest.vertex, edges.wide_for(n))
    ends = edges.src, edges.dst, edges.low, n, forest.parent, forest.seen, forest.stray
    program.start(n, forest.parent)
    if program.sample and n:
        sampled = sampled_count(m)
        best = engine.fill(engine.empty(1, np.int64), 0)
        inside = engine.empty(forest.seen.size, np.uint32)
        octets = inside.view(np.uint8)
        program.sample(sampled, *ends)
        program.largest(PROBES, n, forest.parent, best)
        program.mark_inside(octets.size, n, forest.parent, best, octets)
        program.finish(m - sampled, *ends, best, inside)
    else:
        program.finish(m, *ends)
    program.flatten(n, forest.parent, forest.seen)
    forest.count()
