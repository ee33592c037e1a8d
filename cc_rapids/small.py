"""Small lists: numbered and solved in one launch, where launches are what takes the time.

Nothing waits for the host to learn the span of the ids: there is room for as many as there may be,
and a list whose ids lie further apart takes the usual way afterwards.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from . import kernels, passes, reading
from .bits import WORD
from .design import Design
from .edges import Edges
from .engines import Array, Engine, Kernel, side_by_side
from .forest import Forest
from .given import Given
from .names import Offset
from .passes import answer, columns
from .program import Parts
from .ranks import blocks_of
from .spans import Span, decoded, sign_of, wide_of
from .vertices import Numbered, as_it_is
from .ways import WORDS_EACH

MOST = 1 << 14  # edges, and ids of the span
VERTEX, WIDE = np.uint32, np.uint64
TOTALS, FACTS = 3, 5  # vertices, components and strays; with both ends of the span


def fits(given: Given, arrays: list[Array], engine: Engine) -> bool:
    """Whether all is named by two short columns of integers, and the engine gains by one launch."""
    src = given.src
    plain = not (given.vertices is not None or given.every_vertex or given.offsets)
    if not (engine.in_one_launch and plain and 0 < src.size <= MOST):
        return False
    return not (src.strings or src.parts) and wide_of(arrays[0]) is wide_of(arrays[1])


def solved(given: Given, arrays: list[Array], engine: Engine, design: Design) -> Numbered | None:
    """The vertices of the columns lent by ``given``, their forest solved; None if their ids lie
    further apart than there is room for.

    Parameters
    ----------
    arrays : two (m,) arrays of integers
        For which :func:`fits` holds; not written.
    design : Design
        A union-find without a sample, and without anything beside the parents.
    """
    src, dst = (engine.asarray(array) for array in arrays)
    dtype = np.result_type(src.dtype, dst.dtype)
    size, at, pieces = _room(dtype, min(2 * src.size, MOST))
    whole = engine.empty(size, np.uint8)
    facts, *own = engine.pieces_of(whole, pieces)
    kernel = _kernel(engine, design, wide_of(src), sign_of(src))
    kernel(src.size, src, dst, *own)
    vertices, components, _, *ends = engine.to_host(facts).tolist()
    low, high = decoded(src, *(end & (1 << 64) - 1 for end in ends))
    span = Span(low, high, dtype)
    if span.size > MOST:
        return None
    words = -(-span.size // WORD)
    sizes = span.size, words, blocks_of(words), TOTALS, vertices, vertices
    *held, ids, labels = engine.pieces_of(
        whole, [(start, n, kind) for (start, kind), n in zip(at, sizes, strict=True)]
    )
    forest = Forest(engine, span.size, held=tuple(held))
    forest.counted(vertices, components, span.first, (ids, labels))
    edges, names = Edges(src, dst, span.first), Offset(span.first, span.dtype)
    return as_it_is(edges, forest, WORDS_EACH[low != 0], names)


Piece = tuple[int, int, Any]  # where it starts, elements and their type


@cache
def _room(dtype: Any, most: int) -> tuple[int, tuple[tuple[int, Any], ...], list[Piece]]:
    """One allocation for a list of at most so many vertices: its bytes; where the forest's arrays
    begin, and the columns of the answer; and the facts, which go to the host, and what the kernel
    takes, some of which is the same memory twice.
    """
    words = MOST // WORD
    forest = (MOST, VERTEX), (words, np.uint32), (blocks_of(words), VERTEX)
    size, pieces = side_by_side((*forest, (FACTS, np.int64), (most, dtype), (most, dtype)))
    parent, seen, before, facts, ids, labels = pieces
    first, octets = facts[0], (seen[0], 4 * words, np.uint8)
    totals, stray = (first, TOTALS, np.int64), (first + 8 * (TOTALS - 1), 1, np.int64)
    bounds = first + 8 * TOTALS, FACTS - TOTALS, WIDE
    own = bounds, parent, seen, octets, before, totals, stray, ids, labels
    kept = parent, seen, before, totals, ids, labels
    return size, tuple((piece[0], piece[2]) for piece in kept), [facts, *own]


@cache
def _kernel(engine: Engine, design: Design, wide: type, sign: int) -> Kernel:
    parts = Parts(design, engine, VERTEX, WIDE, rows=False, noted=False)
    every = kernels.kernel(reading.every, engine)
    span = columns.span(engine, wide, sign, every)
    forest, block = kernels.forest, passes.block
    flatten = forest.flatten(engine, kernels.compress.naive(engine))
    gather = answer.gather(engine, answer.least(engine))
    phases = (
        block.lay(engine, forest.start(engine, VERTEX).part),
        block.link_share(engine, parts.ends(), parts.link_edge()),
        flatten.part,
        answer.complete(engine, VERTEX).part,
        block.list_rows(engine, answer.count_blocks(engine).part, gather.part),
    )
    made: Kernel = block.solve(engine, sign, span.part, phases)
    return made
