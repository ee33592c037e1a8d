"""Small lists: numbered and solved in one launch, where launches are what takes the time.

Nothing waits for the host to learn the span of the ids: there is room for as many as there may be,
and a list whose ids lie further apart takes the usual way afterwards.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from . import bits, kernels, passes, reading
from .bits import WORD
from .design import Design
from .edges import Edges
from .engines import Array, Engine, Kernel
from .forest import Forest
from .given import Given
from .names import Offset
from .passes import answer, columns
from .program import Parts
from .ranks import blocks_of
from .spans import Span, decoded, sign_of, wide_of
from .vertices import Numbered, as_it_is
from .ways import WORDS_EACH

MOST = 1 << 12  # edges, and ids of the span
VERTEX, WIDE = np.uint32, np.uint64


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
    words, most = MOST // WORD, min(2 * src.size, MOST)
    dtype = np.result_type(src.dtype, dst.dtype)
    facts, parent, seen, before, *rows = engine.pieces(
        (5, np.int64),
        (MOST, VERTEX),
        (words, np.uint32),
        (blocks_of(words), VERTEX),
        (most, dtype),
        (most, dtype),
    )
    totals, bounds = facts[:3], facts[3:].view(np.uint64)
    kernel = _kernel(engine, design, wide_of(src), sign_of(src))
    own = bounds, parent, seen, seen.view(np.uint8), before, totals, totals[2:]
    kernel(src.size, src, dst, *own, *rows)
    vertices, components, _, *ends = engine.to_host(facts).tolist()
    low, high = decoded(src, *(end & (1 << 64) - 1 for end in ends))
    span = Span(low, high, dtype)
    if span.size > MOST:
        return None
    words = -(-span.size // WORD)
    held = parent[: span.size], seen[:words], before[: blocks_of(words)], totals
    forest = Forest(engine, span.size, held=held)
    forest.counted(vertices, components, span.first, (rows[0][:vertices], rows[1][:vertices]))
    edges, names = Edges(src, dst, span.first), Offset(span.first, span.dtype)
    return as_it_is(edges, forest, WORDS_EACH[low != 0], names)


@cache
def _kernel(engine: Engine, design: Design, wide: type, sign: int) -> Kernel:
    parts = Parts(design, engine, VERTEX, WIDE, rows=False, noted=False)
    every = kernels.kernel(reading.every, engine)
    span = columns.span(engine, wide, sign, every)
    forest, block = kernels.forest, passes.block
    flatten = forest.flatten(engine, kernels.compress.naive(engine))
    gather = answer.gather(engine, VERTEX, bits.rank(engine), answer.least(engine))
    phases = (
        block.lay(engine, forest.start(engine, VERTEX).part),
        block.link_share(engine, parts.ends(), parts.link_edge()),
        flatten.part,
        answer.complete(engine, VERTEX).part,
        block.list_rows(engine, answer.count_blocks(engine).part, gather.part),
    )
    made: Kernel = block.solve(engine, sign, MOST, span.part, phases)
    return made
