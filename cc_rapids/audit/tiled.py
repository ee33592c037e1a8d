"""Tiled: how the audit of a list in order begins."""

from __future__ import annotations

import numpy as np

from .. import kernels, passes, reading
from ..choosing import ENOUGH_IDS, MANY_TILES, NEARBY, TILES
from ..edges import Array, Edges
from ..engines import Engine
from ..forest import Forest
from ..passes import tiles, trees
from ..spans import nearness


def in_order(ends: Edges, n: int, engine: Engine) -> bool:
    """Whether a list is long, in order, and most of its edges are between ids nearby, of n ids."""
    long = ends.m >= MANY_TILES and n >= ENOUGH_IDS
    return long and nearness(ends.src, ends.dst, engine) >= NEARBY


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
