"""Encode and solve in one launch, for lists so short that launch overhead dominates.

The device does not wait until the host knows the range of the ids. Memory is allocated for the
maximum number of distinct ids, two per edge. For the shortest lists, it includes a hash table. A
longer list whose range exceeds the memory is hashed by a second launch, or solved by separate
launches afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.auto import ONE_LAUNCH_RULE
from ..algorithms.compiled import KernelComposer
from ..algorithms.design import Design
from ..backends import (
    SINGLE_BLOCK_THREADS,
    Array,
    Backend,
    Kernel,
    Layout,
    Piece,
    pack_layout,
)
from ..data.dtypes import is_signed
from ..data.edge_input import EdgeInput
from ..graph.edges import Edges
from ..graph.forest import ARENA_BYTES, Forest, blocks_of, rank
from ..graph.memory_bound import FEW_IDS, ids_at_once
from ..graph.speculative_rows import SpeculativeRows
from ..ids.decoders import OffsetDecoder, SortedDecoder
from ..ids.encode import HASHED_NAME, OFFSET_NAMES, EncodedIds, SlotsOfIds
from ..ids.hash_table import SlotTable, slots_for
from ..ids.range import ALL, ORDER_OF_TYPE, IdRange, last_of
from ..kernels import edges as reading
from ..kernels import find, forest, gather, giant, id_hash, id_range, one_launch, scan
from ..kernels import one_launch_hashed as hashed
from ..kernels.primitives import WORD

FEW = FEW_IDS  # max. edges of a list for which rows and forest share an allocation
VERTEX, WIDE = np.uint32, np.uint64
TOTALS, BOUNDS, BARRIER, FLAGS = 3, 2, 1, 2  # words of the parts of facts, in this order


def bytes_for(m: int, has_table: bool) -> int:
    """Return the maximum bytes for a list of m edges, before its ids are known."""
    layout = _run_layout(np.dtype(np.int64), m, FEW if m <= FEW else 0, has_table)
    return layout.bytes + ARENA_BYTES


def solve(
    edge_input: EdgeInput,
    columns: list[Array],
    backend: Backend,
    has_table: bool,
    speculative: SpeculativeRows | None = None,
) -> EncodedIds | IdRange | None:
    """Encode the ids of two columns and solve their forest in one launch.

    If the range of the ids exceeds the allocated memory, return only the range. If some ids are not
    among the caller's vertices, return None.

    Parameters
    ----------
    columns : two (m,) arrays of integers
        Short columns whose types have the same order; not written.
    has_table : bool
        Whether to allocate memory for a hash table, for a short list of any ids.
    speculative : SpeculativeRows, optional
        Rows of the answer, if their number is known: their frame is made while they are gathered.
    """
    src, dst = map(backend.asarray, columns)
    m, dtype = src.size, np.result_type(src.dtype, dst.dtype)
    named_count = last_of(edge_input) + 1  # vertices that the caller names
    row_capacity = min(max(2 * m, named_count), FEW) if m <= FEW else 0
    layout = _run_layout(dtype, m, row_capacity, has_table)
    # rows in ``whole`` belong to the answer, so the next run cannot reuse the allocation
    whole = (
        backend.empty(layout.bytes, np.uint8)
        if row_capacity
        else _reusable_bytes(backend, layout.bytes)
    )
    out = backend.packed_args(whole, layout.rows)  # the rows of the answer
    if speculative and not row_capacity:  # the answer gets rows of its own, outside ``whole``
        out = backend.alloc_packed(*[(speculative.max_rows, dtype)] * 2)
    read_facts = _launch(named_count, src, dst, backend, whole, layout, out)
    if speculative and not row_capacity:
        speculative.offer(*out)
    facts = read_facts()
    vertices, components, out_of_range = facts.tolist()[:TOTALS]
    # The bounds are the least id and the complement of the greatest, both as unsigned words.
    _, sign_bit = ORDER_OF_TYPE[src.dtype]
    low, inverted_high = facts[TOTALS : TOTALS + BOUNDS].view(WIDE).tolist()
    ids = IdRange(low - sign_bit, ALL - inverted_high - sign_bit, dtype)
    if out_of_range:
        return None
    if ids.size > layout.ids:
        encoded = _read_hashed(facts, whole, layout, src, dst, backend) if has_table else None
        return encoded or ids
    arrays_of_forest = partial(_arrays_of_forest, backend, whole, layout, ids.size)
    solved = Forest(backend, ids.size, edge_input.vertices_are_dense_range, arrays_of_forest)
    rows = speculative.accept(vertices) if speculative else None
    if rows is None and vertices <= row_capacity:
        pieces = [(start, vertices, kind) for start, _, kind in layout.rows.pieces]
        first, second = backend.packed_views(whole, pieces)
        rows = first, second
    solved.set_counts(vertices, components, ids.first, rows or ())
    edges, decoder = Edges(src, dst, ids.first), OffsetDecoder(ids.first, ids.dtype)
    return EncodedIds(edges, solved, OFFSET_NAMES[ids.low != 0], ids.size, decoder)


def solve_hashed(columns: list[Array], backend: Backend) -> EncodedIds | None:
    """Solve a list with a large range of ids, in one launch with memory for a hash table only.

    Return None if an id finds no slot in the table.
    """
    src, dst = map(backend.asarray, columns)
    dtype = np.result_type(src.dtype, dst.dtype)
    # without rows, which the answer decodes from the sorted ids
    layout = _run_layout(dtype, src.size, rows=0, has_table=True, has_words=False)
    whole = _reusable_bytes(backend, layout.bytes)
    out = backend.packed_args(whole, layout.rows)
    read_facts = _launch(0, src, dst, backend, whole, layout, out)  # no vertices are named
    return _read_hashed(read_facts(), whole, layout, src, dst, backend)


def _launch(
    named_count: int,
    src: Array,
    dst: Array,
    backend: Backend,
    whole: Array,
    layout: _RunLayout,
    out: Any,
) -> Callable[[], Array]:
    """Launch the kernel; return a function that waits for its facts.

    The vertices 0 .. ``named_count`` - 1 are present even if they have no edges.
    """
    (facts,) = backend.packed_views(whole, (layout.facts,))
    backend.fill(facts, 0xFF)  # the bounds are minima, so they start with all bits set
    kernel = _kernel(backend, ONE_LAUNCH_RULE.design, *ORDER_OF_TYPE[src.dtype])
    kernel(src.size, src, dst, named_count, *backend.packed_args(whole, layout.run), *out)
    return backend.read_async(facts)


def _read_hashed(
    facts: Array, whole: Array, layout: _RunLayout, src: Array, dst: Array, backend: Backend
) -> EncodedIds | None:
    """Return the result of a launch with a hash table; None if an id found no slot.

    The launch has sorted the ids, unless a bucket has too many of them. ``finalise`` then sorts
    the ids.
    """
    vertices, components = facts.tolist()[:2]
    lacks_slot, has_large_bucket = facts[-FLAGS:].tolist()
    if lacks_slot:
        return None
    edges, dtype = Edges(src, dst, 0), np.result_type(src.dtype, dst.dtype)
    if has_large_bucket:
        keys, tree = backend.packed_views(whole, layout.table)
        table = SlotTable(keys, backend)
        forest = table.forest()
        forest.parent[:] = tree
        forest.count()
        return SlotsOfIds(edges, forest, HASHED_NAME, vertices, table=table, dtype=dtype)
    # the launch could not know the number of vertices: only the first elements are used
    pieces = [(start, vertices, kind) for start, _, kind in layout.sorted_ids]
    sorted_ids, flat_parent = backend.packed_views(whole, pieces)
    ids, parent = backend.alloc_packed((vertices, dtype), (vertices, VERTEX))
    ids[:], parent[:] = sorted_ids.view(np.int64 if is_signed(dtype) else WIDE), flat_parent
    forest = Forest(backend, vertices, True, partial(_arrays_of_sorted, backend, parent))
    forest.parent = parent  # the only array that most callers need
    forest.set_counts(vertices, components, 0, ())
    return EncodedIds(edges, forest, HASHED_NAME, vertices, SortedDecoder.of(ids))


def _arrays_of_sorted(backend: Backend, parent: Array) -> list[Array]:
    """Return the arrays of a flat forest over vertices that are all present."""
    words = -(-parent.size // WORD)
    present = backend.fill(backend.empty(words, np.uint32), 0xFF)
    before = backend.empty(blocks_of(words), VERTEX)
    rank(backend, present, before)
    return [parent, present, before, backend.fill(backend.empty(TOTALS, np.int64), 0)]


def _reusable_bytes(backend: Backend, size: int) -> Array:
    """Return an allocation that the next run may reuse; arrays of the answer are outside it."""
    (whole,) = backend.alloc_packed((size, np.uint8), arena_bytes=ARENA_BYTES)
    backend.leave_arena()
    return whole


def _arrays_of_forest(backend: Backend, whole: Array, layout: _RunLayout, n: int) -> list[Array]:
    """Return the arrays of a forest in the allocation of the launch."""
    words = -(-n // WORD)
    sizes = n, words, blocks_of(words), TOTALS
    pieces = zip(layout.forest, sizes, strict=True)
    return backend.packed_views(whole, [(start, size, kind) for (start, _, kind), size in pieces])


class _RunLayout(NamedTuple):
    """The layout of the allocation of a launch, which is ``bytes`` long.

    ``ids`` is the size of the largest range of ids that is solved without a table. ``facts`` are
    the counts, bounds and flags that the host reads. ``run`` has the arguments of the kernel,
    without the columns of the answer, which are ``rows``; some arguments overlap. ``forest`` has
    the arrays of the solved forest. If there is a hash table, ``table`` has its keys and its
    forest, and ``sorted_ids`` has the sorted ids and their forest.
    """

    bytes: int
    ids: int
    facts: Piece
    run: Layout
    rows: Layout
    forest: tuple[Piece, ...]
    table: tuple[Piece, ...]
    sorted_ids: tuple[Piece, ...]


@lru_cache(64)
def _run_layout(
    dtype: Any, m: int, rows: int, has_table: bool, has_words: bool = True
) -> _RunLayout:
    """Return the layout for m edges and a number of rows of the answer.

    With ``has_words``, it has a forest over a range of ids; with ``has_table``, a hash table.
    """
    ids, ends = ids_at_once(m) if has_words else 0, 2 * m if has_table else 0
    words = -(-ids // WORD)
    slots = slots_for(ends) + 1 if ends else 0
    groups = -(-m // hashed.GROUP) + 1 if ends else 0  # of GROUP buckets each, more than m in all
    size, pieces = pack_layout(  # in the order in which the pieces are named below
        (
            *[(ids, VERTEX), (words, np.uint32), (blocks_of(words), VERTEX)],
            (SINGLE_BLOCK_THREADS, WIDE),
            (TOTALS + BOUNDS + BARRIER + FLAGS, np.int64),
            *[(rows, dtype), (rows, dtype)],
            *[(slots, WIDE), (slots, VERTEX)],
            *[(-(-slots // WORD), np.uint32), (slots, VERTEX), (slots, VERTEX)],
            *[(groups * hashed.GROUP, VERTEX), (groups + bool(ends), VERTEX)],
            *[(ends, WIDE), (ends, VERTEX)],
        )
    )
    parent, present, before, sums, facts, vertex_column, label_column, *table = pieces
    keys, tree, *_, slot_at = table  # between: loop_slots, within, lowest, starts, groups, placed
    start, octets = facts[0], (present[0], 4 * words, np.uint8)  # octets: ``present`` as bytes
    totals, out_of_range = (start, TOTALS, np.int64), (start + 8 * (TOTALS - 1), 1, np.int64)
    bounds = start + 8 * TOTALS, BOUNDS + BARRIER, WIDE
    flags = start + 8 * (TOTALS + BOUNDS + BARRIER), FLAGS, np.int64
    # The sorted ids reuse the memory of ``keys``, and their forest that of ``slot_at``.
    sorted_ids = ((keys[0], ends, WIDE), (slot_at[0], ends, VERTEX)) if ends else ()
    arguments = bounds, parent, present, octets, before, sums, totals, out_of_range, flags
    run, columns = Layout((*arguments, *table, slot_at)), Layout((vertex_column, label_column))
    forest = parent, present, before, totals
    return _RunLayout(size, ids, facts, run, columns, forest, (keys, tree), sorted_ids)


@cache
def _kernel(backend: Backend, design: Design, wide: type, sign_bit: int) -> Kernel:
    """Return the kernel that runs all phases of a short list.

    ``wide`` and ``sign_bit`` are those of ``ORDER_OF_TYPE``: the 64-bit type of the ids, and the
    bit that makes ids compare as unsigned words.
    """
    composer = KernelComposer(design, backend, VERTEX, WIDE, reads_csr=False, record_forest=False)
    row_index = backend.kernel(reading.every)  # every row is read
    find_bounds = id_range.find_bounds(backend, wide, sign_bit, row_index)
    climb = find.find_with_skip(backend)
    frequent, flatten = giant.mark_frequent(backend), forest.flatten(backend, climb)
    write = gather.row_of_vertex(backend, gather.min_label(backend))
    phases = (
        one_launch.measure(backend, sign_bit, find_bounds.part),
        one_launch.init_forest(backend, forest.init_singletons(backend, VERTEX).part),
        one_launch.link_share(backend, composer.load_edge(), composer.link_edge()),
        one_launch.flatten_share(backend, frequent.part, flatten.part, giant.PROBES),
        forest.complete(backend, VERTEX).part,
        one_launch.rank(backend, scan.count_blocks(backend).part, scan.sum_all(backend).part),
        one_launch.list_share(backend, gather.gather(backend, write).part),
        hashed.solve_hashed(backend, _phases_of_hashed(backend, composer, sign_bit)),
    )
    kernel: Kernel = one_launch.solve(backend, sign_bit, phases)
    return kernel


def _phases_of_hashed(backend: Backend, composer: KernelComposer, sign_bit: int) -> tuple[Any, ...]:
    """Return the steps that solve ids in a hash table; ``sign_bit`` is as for :func:`_kernel`."""
    distance = hashed.distance_in(backend, sign_bit)
    return (
        hashed.init_slots(backend),
        hashed.link_slots(backend, id_hash.insert(backend), composer.link_edge()),
        hashed.shift_for(backend),
        hashed.count_buckets(backend, find.find_with_skip(backend), distance),
        hashed.start_buckets(backend, scan.sum_all(backend).part),
        hashed.place_ids(backend, distance),
        hashed.order_ids(backend, sign_bit),
        hashed.write_parents(backend),
    )
