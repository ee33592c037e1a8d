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
    fitting = (rule for rule in SHARED if rule.fits(engine.name, n, m, False))
    return any(rule.has_room(engine) for rule in fitting)


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
    largest, n, wide = engine.largest_tiles(), forest.n, ends.wide_for(forest.n)
    words, bits = min(largest.words, shared.HELD), own[3]
    left = kernels.kernel(reading.unsampled, engine, every)
    read = kernels.kernel(reading.listed_once, engine, wide)
    odd = kernels.kernel(shared.odd, engine, forest.vertex, wide)
    both = kernels.kernel(shared.both_inside, engine)
    finish = kernels.kernel(passes.audit.finish, engine, forest.vertex, hold)
    kernel = kernels.kernel(
        shared.filter_edges,
        engine,
        words,
        left,
        kernels.kernel(shared.two_edges, engine, read, left),
        kernels.kernel(shared.look_at_two, engine, wide, both, odd),
        kernels.kernel(queues.leave, engine, forest.vertex, finish),
    )
    linked, waiting = engine.pieces((2, np.int64), (queues.bytes_for(largest) // 4, np.uint32))
    engine.fill(linked, MOST if half else FEW)
    count = ends.m - reading.sampled_count(ends.m, every)
    edges, held = (ends.src, ends.dst, ends.low), min(words, int(bits.size))
    known = *edges, n, *notes, bits, linked, waiting
    kernel(largest.tiles, largest.tiles, count, held, *known, *own, notes[1])
