"""Outside: the last pass of an audit of a list whose run shares the bits of the giant."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import kernels, passes, reading
from ..choosing import SHARED
from ..edges import Array, Edges
from ..engines import Engine
from ..forest import Forest
from ..passes import queues, shared

FEW, MOST = 0, 0x7F  # bytes of a number of vertices that are linked: none, or more than there are


def shares(engine: Engine, n: int, m: int) -> bool:
    """Whether the bits of a list of m edges between n ids had better lie in shared memory."""
    return any(rule.fits(engine.name, n, m, False) and rule.has_room(engine) for rule in SHARED)


def check_outside(
    engine: Engine,
    forest: Forest,
    ends: Edges,
    every: int,
    half: bool,
    hold: Any,
    own: tuple[Any, ...],
    notes: tuple[Array, Array],
) -> None:
    """Hold the edges that a sample of one block in ``every`` has left against the labels.

    Parameters
    ----------
    half : bool
        Whether half of the vertices are inside.
    hold : part of a kernel
        As of passes/audit.py, on the engine already.
    own : (top, labels, alike, inside, trees)
    notes : (named, wrong)
        The vertices of loops, and what is not 0 once any edge is at fault.
    """
    n, wide = forest.n, ends.wide_for(forest.n)
    left = kernels.kernel(reading.unsampled, engine, every)
    read = kernels.kernel(reading.listed_once, engine, wide)
    finish = kernels.kernel(passes.audit.finish, engine, forest.vertex, hold)
    run = kernels.kernel(shared.by_tiles, engine, forest.vertex, wide, read, left, finish)
    words = queues.words_for(engine.largest_tiles())
    linked, waiting = engine.pieces((2, np.int64), (words, np.uint32))
    engine.fill(linked, MOST if half else FEW)
    count, edges = ends.m - reading.sampled_count(ends.m, every), (ends.src, ends.dst, ends.low)
    run(count, edges, n, notes, own[3], linked, waiting, to=(*own, notes[1]))
