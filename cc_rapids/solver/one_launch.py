"""Lists numbered and solved at once, where launches are what takes the time.

Nothing waits for the host to learn the span of the ids: there is room for as many as there are ends
of edges, and a list whose ids lie further apart takes the usual way afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.auto import AT_ONCE, Branch, Rule
from ..algorithms.compiled import KernelComposer
from ..algorithms.design import Design
from ..backends import ALONE, Array, Engine, Kernel, Layout, Piece, side_by_side
from ..data.edge_input import EdgeInput
from ..graph.edges import Edges
from ..graph.forest import ROOM, Forest, blocks_of
from ..graph.memory_bound import FEW_IDS, ids_at_once
from ..ids.decoders import Offset
from ..ids.encode import WORDS_EACH, Numbered, as_it_is
from ..ids.range import Span, all_fit, decoded, last_of, sign_of, wide_of
from ..kernels import edges as reading
from ..kernels import find, forest, gather, giant, id_range, scan
from ..kernels import one_launch as one
from ..kernels.primitives import WORD
from ..tuning import tuning

FEW = FEW_IDS  # edges of a list whose rows of the answer share the memory of its forest
VERTEX, WIDE = np.uint32, np.uint64
TOTALS, ENDS, WORDS = 3, 2, 1  # of the facts, see kernels/one_launch.py


@dataclass(frozen=True)
class Rows:
    """The rows of the answer, if their number is known before they are counted.

    ``then`` is called with the ids and the labels before it is known that there are so many.
    """

    count: int
    then: Callable[[Array, Array], None]


def fits(given: EdgeInput, arrays: list[Array], engine: Engine) -> bool:
    """Whether two short columns of integers name all, but what there is from 0 on, and the engine
    gains by one launch.
    """
    src, last = given.src, last_of(given)
    if not (engine.in_one_launch and 0 < src.size <= AT_ONCE.most_edges) or given.row_offsets:
        return False
    if src.strings or src.parts or wide_of(arrays[0]) is not wide_of(arrays[1]):
        return False
    if given.vertices is None and not given.vertices_are_dense_range:
        return True
    return last < room_for(src.size) and all_fit(arrays[:2], last)


def room_for(m: int) -> int:
    """The ids that there is room for, of a list of m edges."""
    return ids_at_once(m)


def bytes_for(m: int) -> int:
    """What is taken for a list of m edges before its ids are known, at most."""
    return _room(np.dtype(np.int64), room_for(m), FEW if m <= FEW else 0).bytes + ROOM


def foreseen(usual: Rule | Branch, m: int, span: Span) -> Rule | Branch:
    """What says how a list that fits is solved, in the end."""
    return AT_ONCE if span.size <= room_for(m) else usual


def solved(
    given: EdgeInput, arrays: list[Array], engine: Engine, rows: Rows | None = None
) -> Numbered | Span | None:
    """The vertices of the columns lent by ``given``, their forest solved; or the span of their ids,
    if they lie further apart than there is room for. None if some are not among the vertices.

    Parameters
    ----------
    arrays : two (m,) arrays of integers
        For which :func:`fits` holds; not written.
    rows : Rows, optional
        What is made of rows while the device works.
    """
    src, dst = (engine.asarray(array) for array in arrays)
    m, dtype = src.size, np.result_type(src.dtype, dst.dtype)
    beside = min(max(2 * m, last_of(given) + 1), FEW) if m <= FEW else 0
    room = _room(dtype, room_for(m), beside)
    whole = engine.empty(room.bytes, np.uint8) if beside else _with_room(engine, room.bytes)
    (facts,) = engine.pieces_of(whole, (room.facts,))
    out, ahead = engine.laid(whole, room.rows), []
    if rows and not beside:
        out = ahead = engine.pieces((rows.count, dtype), (rows.count, dtype))
    engine.fill(facts, 0xFF)
    kernel = _kernel(engine, AT_ONCE.design, wide_of(src), sign_of(src))
    kernel(m, src, dst, last_of(given) + 1, *engine.laid(whole, room.run), *out)
    told = engine.later(facts)
    if rows and ahead:
        rows.then(*ahead)
    vertices, components, stray, *ends = told().tolist()
    low, high = decoded(src, *(end & (1 << 64) - 1 for end in ends[:ENDS]))
    span = Span(low, high, dtype)
    if stray or span.size > room_for(m):
        return None if stray else span
    held = partial(_arrays_of_forest, engine, whole, room, span.size)
    forest = Forest(engine, span.size, given.vertices_are_dense_range, held)
    if ahead and vertices <= ahead[0].size:
        ahead = [column[:vertices] for column in ahead]
    elif vertices <= beside:
        own = [(start, vertices, kind) for start, _, kind in room.rows.pieces]
        ahead = engine.pieces_of(whole, own)
    else:
        ahead = []
    forest.counted(vertices, components, span.first, ahead)
    edges, names = Edges(src, dst, span.first), Offset(span.first, span.dtype)
    return as_it_is(edges, forest, WORDS_EACH[low != 0], names)


def _with_room(engine: Engine, size: int) -> Array:
    """So many bytes, in an allocation that may serve the next run."""
    (whole,) = engine.pieces((size, np.uint8), room=ROOM)
    engine.leave_room()
    return whole


def _arrays_of_forest(engine: Engine, whole: Array, room: _Room, n: int) -> list[Array]:
    words = -(-n // WORD)
    sizes = n, words, blocks_of(words), TOTALS
    pieces = zip(room.forest, sizes, strict=True)
    return engine.pieces_of(whole, [(start, size, kind) for (start, _, kind), size in pieces])


class _Room(NamedTuple):
    """One allocation: its bytes, and where in it lie the facts, which go to the host, what the
    kernel takes besides the edges, some of which is the same memory twice, and the answer's rows;
    and the arrays that a forest keeps.
    """

    bytes: int
    facts: Piece
    run: Layout
    rows: Layout
    forest: tuple[Piece, ...]


@lru_cache(64)
def _room(dtype: Any, ids: int, rows: int) -> _Room:
    words = -(-ids // WORD)
    forest = (ids, VERTEX), (words, np.uint32), (blocks_of(words), VERTEX)
    size, pieces = side_by_side(
        (*forest, (ALONE, WIDE), (TOTALS + ENDS + WORDS, np.int64), (rows, dtype), (rows, dtype))
    )
    parent, seen, before, sums, facts, *listed = pieces
    first, octets = facts[0], (seen[0], 4 * words, np.uint8)
    totals, stray = (first, TOTALS, np.int64), (first + 8 * (TOTALS - 1), 1, np.int64)
    bounds = first + 8 * TOTALS, ENDS + WORDS, WIDE
    run = Layout((bounds, parent, seen, octets, before, sums, totals, stray))
    return _Room(size, facts, run, Layout(listed), (parent, seen, before, totals))


@cache
def _kernel(engine: Engine, design: Design, wide: type, sign: int) -> Kernel:
    composer = KernelComposer(design, engine, VERTEX, WIDE, reads_csr=False, record_forest=False)
    every = engine.kernel(reading.every)
    span = id_range.span(engine, wide, sign, every)
    climb = find.leap(engine)
    frequent, flatten = giant.mark_frequent(engine), forest.flatten(engine, climb)
    phases = (
        one.measure(engine, sign, span.part),
        one.lay(engine, forest.start(engine, VERTEX).part),
        one.link_share(engine, composer.load_edge(), composer.link_edge()),
        one.flatten_share(engine, frequent.part, flatten.part, tuning.giant_probes),
        forest.complete(engine, VERTEX).part,
        one.rank(engine, scan.count_blocks(engine).part, scan.sum_all(engine).part),
        one.list_share(engine, gather.gather(engine, gather.least(engine)).part),
    )
    made: Kernel = one.solve(engine, sign, phases)
    return made
