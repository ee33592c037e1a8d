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
    program = build(design, engine, forest.vertex)
    rest = engine.empty(forest.seen.size if program.sample else 1, np.uint32)
    link = edges.src, edges.dst, edges.low, forest.parent, forest.seen, rest
    program.start(n, forest.parent)
    sampled = 0
    if program.sample and n:
        sampled = sampled_count(m)
        best = engine.fill(engine.empty(1, np.int64), 0)
        program.sample(sampled, *link)
        program.flatten(n, forest.parent, forest.seen)
        program.largest(PROBES, n, forest.parent, best)
        octets = rest.view(np.uint8)
        program.mark_rest(octets.size, n, forest.parent, best, octets)
    program.finish(m - sampled, *link)
    program.flatten(n, forest.parent, forest.seen)
    forest.count()
