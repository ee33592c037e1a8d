"""Encoding and solving in one launch, for lists where launches take most of the time.

The device does not wait for the host to learn the range of the ids: memory is allocated for as many
ids as there are ends of edges, and a list with a larger range is solved in the usual way
afterwards.
"""

from __future__ import annotations

from functools import cache, lru_cache, partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..algorithms.auto import ONE_LAUNCH_RULE, DesignPolicy
from ..algorithms.compiled import KernelComposer
from ..algorithms.design import Design
from ..backends import (
    MEMORY,
    SINGLE_BLOCK_THREADS,
    Array,
    Backend,
    Kernel,
    Layout,
    Piece,
    side_by_side,
)
from ..data.edge_input import EdgeInput
from ..graph.edges import Edges
from ..graph.forest import ARENA_BYTES, Forest, SpeculativeRows, blocks_of
from ..graph.memory_bound import FEW_IDS, ids_at_once
from ..ids.decoders import OffsetDecoder
from ..ids.encode import OFFSET_NAMES, EncodedIds
from ..ids.range import IdRange, all_fit, decoded, last_of, order_of_type
from ..kernels import edges as reading
from ..kernels import find, forest, gather, giant, id_range, one_launch, scan
from ..kernels.primitives import WORD
from ..tuning import tuning

FEW = FEW_IDS  # edges of a list whose rows of the answer share the memory of its forest
VERTEX, WIDE = np.uint32, np.uint64
TOTALS, ENDS, WORDS = 3, 2, 1  # of the facts, see kernels/one_launch.py


class SolveOptions(Protocol):
    """The caller's options that a solve needs, see :class:`cc_rapids.options.Options`."""

    @property
    def policy(self) -> DesignPolicy:
        """The rule that chooses the design."""

    @property
    def memory(self) -> str:
        """The kind of memory in which the edges are read."""

    @property
    def forest(self) -> bool:
        """True if the edges of a spanning forest are recorded."""

    @property
    def speculates(self) -> bool:
        """True if the label frame is requested at once."""

    @property
    def expected_rows(self) -> int | None:
        """The number of rows, if the caller knows it."""


def accepts(edge_input: EdgeInput, columns: list[Array], options: SolveOptions) -> bool:
    """Return whether the input is two short columns of integers, to be solved as "auto" sees fit.

    The edges name all vertices, or the vertices are 0 .. n - 1 and fit into the memory of the
    launch. It pays on backends that are ``in_one_launch``.
    """
    if not options.policy.is_measured or options.forest or options.memory != MEMORY[0]:
        return False
    src, last = edge_input.src, last_of(edge_input)
    if not 0 < src.size <= ONE_LAUNCH_RULE.most_edges:
        return False
    if edge_input.row_offsets or src.strings or src.key_columns:
        return False
    if order_of_type(columns[0]) != order_of_type(columns[1]):
        return False
    if edge_input.vertices is None and not edge_input.vertices_are_dense_range:
        return True
    return last < capacity(src.size) and all_fit(columns[:2], last)


def capacity(m: int) -> int:
    """Return the number of ids that fit into memory for a list of m edges."""
    return ids_at_once(m)


def bytes_for(m: int) -> int:
    """Return the maximum bytes for a list of m edges, before its ids are known."""
    return _run_layout(np.dtype(np.int64), capacity(m), FEW if m <= FEW else 0).bytes + ARENA_BYTES


def solve(
    edge_input: EdgeInput,
    columns: list[Array],
    backend: Backend,
    speculative: SpeculativeRows | None = None,
) -> EncodedIds | IdRange | None:
    """Encode the ids of two columns and solve their forest in one launch.

    Return the range of the ids if it is larger than the memory allocated for it, and None if some
    ids are not among the vertices.

    Parameters
    ----------
    columns : two (m,) arrays of integers
        That :func:`accepts` accepts; not written.
    speculative : SpeculativeRows, optional
        Rows to gather, and to frame while the device works, of which it is known how many there
        are.
    """
    src, dst = (backend.asarray(column) for column in columns)
    m, dtype = src.size, np.result_type(src.dtype, dst.dtype)
    beside = min(max(2 * m, last_of(edge_input) + 1), FEW) if m <= FEW else 0
    layout = _run_layout(dtype, capacity(m), beside)
    whole = (
        backend.empty(layout.bytes, np.uint8) if beside else _reusable_bytes(backend, layout.bytes)
    )
    (facts,) = backend.packed_views(whole, (layout.facts,))
    out = backend.packed_args(whole, layout.rows)
    if speculative and not beside:
        out = backend.alloc_packed(*[(speculative.max_rows, dtype)] * 2)
    backend.fill(facts, 0xFF)
    kernel = _kernel(backend, ONE_LAUNCH_RULE.design, *order_of_type(src))
    kernel(m, src, dst, last_of(edge_input) + 1, *backend.packed_args(whole, layout.run), *out)
    read_facts = backend.read_async(facts)
    if speculative and not beside:
        speculative.offer(*out)
    vertices, components, out_of_range, *ends = read_facts().tolist()
    low, high = decoded(src, *(end & (1 << 64) - 1 for end in ends[:ENDS]))
    ids = IdRange(low, high, dtype)
    if out_of_range or ids.size > capacity(m):
        return None if out_of_range else ids
    held = partial(_arrays_of_forest, backend, whole, layout, ids.size)
    solved = Forest(backend, ids.size, edge_input.vertices_are_dense_range, held)
    rows = speculative.accept(vertices) if speculative else None
    if rows is None and vertices <= beside:
        own = [(start, vertices, kind) for start, _, kind in layout.rows.pieces]
        first, second = backend.packed_views(whole, own)
        rows = first, second
    solved.counted(vertices, components, ids.first, rows or ())
    edges, decoder = Edges(src, dst, ids.first), OffsetDecoder(ids.first, ids.dtype)
    return EncodedIds(edges, solved, OFFSET_NAMES[low != 0], ids.size, decoder)


def _reusable_bytes(backend: Backend, size: int) -> Array:
    """Return an allocation of some bytes, which may serve the next run."""
    (whole,) = backend.alloc_packed((size, np.uint8), arena_bytes=ARENA_BYTES)
    backend.leave_arena()
    return whole


def _arrays_of_forest(backend: Backend, whole: Array, layout: _RunLayout, n: int) -> list[Array]:
    words = -(-n // WORD)
    sizes = n, words, blocks_of(words), TOTALS
    pieces = zip(layout.forest, sizes, strict=True)
    return backend.packed_views(whole, [(start, size, kind) for (start, _, kind), size in pieces])


class _RunLayout(NamedTuple):
    """One allocation: its bytes, and the offsets of the parts in it.

    The parts are the facts, which go to the host, what the kernel takes besides the edges, some of
    which is the same memory twice, the answer's rows, and the arrays that a forest keeps.
    """

    bytes: int
    facts: Piece
    run: Layout
    rows: Layout
    forest: tuple[Piece, ...]


@lru_cache(64)
def _run_layout(dtype: Any, ids: int, rows: int) -> _RunLayout:
    words = -(-ids // WORD)
    forest = (ids, VERTEX), (words, np.uint32), (blocks_of(words), VERTEX)
    size, pieces = side_by_side(
        (
            *forest,
            (SINGLE_BLOCK_THREADS, WIDE),
            (TOTALS + ENDS + WORDS, np.int64),
            (rows, dtype),
            (rows, dtype),
        )
    )
    parent, present, before, sums, facts, *listed = pieces
    first, octets = facts[0], (present[0], 4 * words, np.uint8)
    totals, out_of_range = (first, TOTALS, np.int64), (first + 8 * (TOTALS - 1), 1, np.int64)
    bounds = first + 8 * TOTALS, ENDS + WORDS, WIDE
    run = Layout((bounds, parent, present, octets, before, sums, totals, out_of_range))
    return _RunLayout(size, facts, run, Layout(listed), (parent, present, before, totals))


@cache
def _kernel(backend: Backend, design: Design, wide: type, sign: int) -> Kernel:
    composer = KernelComposer(design, backend, VERTEX, WIDE, reads_csr=False, record_forest=False)
    every = backend.kernel(reading.every)
    find_bounds = id_range.find_bounds(backend, wide, sign, every)
    climb = find.find_with_skip(backend)
    frequent, flatten = giant.mark_frequent(backend), forest.flatten(backend, climb)
    phases = (
        one_launch.measure(backend, sign, find_bounds.part),
        one_launch.init_forest(backend, forest.init_singletons(backend, VERTEX).part),
        one_launch.link_share(backend, composer.load_edge(), composer.link_edge()),
        one_launch.flatten_share(backend, frequent.part, flatten.part, tuning.giant_probes),
        forest.complete(backend, VERTEX).part,
        one_launch.rank(backend, scan.count_blocks(backend).part, scan.sum_all(backend).part),
        one_launch.list_share(backend, gather.gather(backend, gather.min_label(backend)).part),
    )
    made: Kernel = one_launch.solve(backend, sign, phases)
    return made
