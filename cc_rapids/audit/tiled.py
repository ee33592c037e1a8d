"""Tiled: how the audit of a list in order begins."""

from __future__ import annotations

import numpy as np

from .. import kernels, passes, reading
from ..choosing import ENOUGH_IDS, MANY_TILES, NEARBY, TILES
from ..edges import Array, Edges
from ..engines import Engine
from ..forest import Forest
from ..passes import tiles, trees
from ..spans import LOOKS, wide_of

ORDER = 7 / 8  # the share of the rows looked at that are in order, if the list is


def in_order(ends: Edges, n: int, engine: Engine) -> bool:
    """Whether a list is long, in order, and most of its edges are between ids nearby, of n ids.

    Otherwise tiles find few edges: a run takes them in stripes then, and an audit as they come.
    """
    if ends.m < MANY_TILES or n < ENOUGH_IDS or wide_of(ends.src) is not wide_of(ends.dst):
        return False
    counts = engine.fill(engine.empty(2, np.uint64), 0)
    look = kernels.kernel(passes.audit_tiles.in_order, engine, wide_of(ends.src))
    look(LOOKS, ends.m, ends.m // LOOKS, ends.src, ends.dst, counts)
    ordered, near = map(int, engine.to_host(counts))
    return ordered > ORDER * LOOKS and near >= NEARBY * LOOKS


def begin(engine: Engine, forest: Forest, ends: Edges, grown: Array, first: Array) -> None:
    """Grow the trees of the edges inside tiles; ``first`` gets the first one of two labels."""
    n, m, window = forest.n, ends.m, TILES.window
    count, wide = -(-n // window), ends.wide_for(n)
    firsts = engine.empty(count + 1, np.uint64)
    first_of = kernels.kernel(tiles.first_of_list, engine, wide)
    find = kernels.kernel(tiles.find_firsts, engine, window, first_of)
    find(count + 1, m, n, ends.src, ends.low, firsts)
    parts = kernels.kernel(reading.listed, engine, wide), kernels.kernel(trees.join_roots, engine)
    check = kernels.kernel(passes.audit_tiles.check_tile, engine, forest.vertex, window, *parts)
    most = tiles.MOST * window * -(-m // max(n, 1))
    edges = ends.src, ends.dst, ends.low
    check(count, *edges, n, most, forest.parent, grown, firsts, first)
