"""Minimum and maximum spanning forests: Borůvka's rounds with filtering.

Heavy edges are read after the light edges have been linked. Most heavy edges then have both
endpoints in one tree and are dropped without further work (Osipov, Sanders and Singler, "The
filter-Kruskal minimum spanning tree algorithm", ALENEX 2009). The threshold between light and heavy
edges is estimated from a sample, as in Fallin et al., "A high-performance MST implementation for
GPUs", SC 2023.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..backends import Array, Backend
from ..data.dtypes import is_float, is_signed
from ..data.edge_input import EdgeInput
from ..graph.chosen_edges import MarkedEdges
from ..graph.edges import Edges
from ..graph.forest import Forest
from ..kernels import boruvka as kernels
from ..kernels import edges as reading
from ..kernels import find, giant, scan, union
from ..kernels import forest as trees
from ..kernels.primitives import WORD

NAME = "boruvka+async+halve"  # the rounds, and the union and find by which they link
WHY = "a spanning forest by weight"
SAMPLE = 1024  # maximum number of weights sampled for the pivots
LIGHTER_PER_CANDIDATE = 8  # edges of a later band per slot of the candidate buffers
SPARSE_RATIO = 16  # up to this number of vertices per candidate, all selections are reset
ONE_LAUNCH_CANDIDATES = 1 << 19  # for at most this number, one launch runs all remaining rounds
LIGHT_EDGES_PER_VERTEX = 0.66  # size of the first band, see forest_bands.jsonl, experiments.jsonl
LIGHT_BANDS = 3  # number of bands before the last band
MIN_BAND_RATIO = 4  # lists shorter than this multiple of the first band are not filtered
HALF = 32  # bits of the weight in a 64-bit key that also contains the row


@dataclass(frozen=True)
class WeightOrder:
    """The bits of the weights, and how kernels compare the weights."""

    bits: Array  # (m,) unsigned integers: the weights, reinterpreted as bits
    weigh: Any  # device function: an order-preserving integer code of the weight of an edge
    contains_row: bool  # whether a 64-bit key holds a weight and a row

    @classmethod
    def of(cls, weights: Array, greatest: bool, backend: Backend) -> WeightOrder:
        """Return the order of weights on a backend: greater weights first if ``greatest``."""
        dtype = weights.dtype
        width = 8 * dtype.itemsize
        order = order_of(dtype, backend)
        if greatest:
            order = backend.kernel(kernels.reversed_order, width, order)
        weigh = backend.kernel(kernels.listed_weight, order)
        contains_row = width <= HALF and weights.size < 1 << HALF
        return cls(weights.view(f"u{dtype.itemsize}"), weigh, contains_row)

    def integers(self, backend: Backend) -> Array:
        """Return the codes of all weights."""
        unused = backend.unused(np.uint8)  # a listed weight does not depend on the endpoints
        return self.sample(Edges(unused, unused, 0), 0, self.bits.size, 1, backend)

    def sample(self, edges: Edges, n: int, size: int, every: int, backend: Backend) -> Array:
        """Return the codes of ``size`` weights in rows 0, ``every``, 2 * ``every`` and so on."""
        codes = backend.empty(size, np.uint64)
        write = backend.kernel(kernels.weigh_sample, self.weigh)
        write(size, every, self.bits, edges.src, edges.dst, n, codes)
        return codes

    def pivots(self, ends: list[int], edges: Edges, n: int, backend: Backend) -> Array:
        """Return the code and the row of the last edge of each band, estimated from a sample.

        ``ends`` is the result of :func:`band_ends`, for all bands but the last. The result is a
        (2 * bands,) array of uint64, two for each band. All bits are set for the last band.
        """
        pivots = backend.fill(backend.empty(2 * (len(ends) + 1), np.uint64), 0xFF)
        if ends:
            m = edges.m
            every = -(-m // SAMPLE)
            sample = self.sample(edges, n, m // every, every, backend)
            pick = backend.kernel(kernels.pick_pivots)
            pick(sample.size, sample, every, m, ends[0], len(ends), pivots)  # each end doubles
        return pivots


@dataclass(frozen=True)
class Candidates:
    """Edges between two trees: the roots of their endpoints, their keys, and their rows.

    ``rows`` is empty if the keys contain the rows. ``count`` is the number of candidates. The
    arrays may be longer than ``count``, or shorter if not all candidates fit.
    """

    us: Array
    vs: Array
    keys: Array
    rows: Array
    count: int = 0

    @staticmethod
    def shapes(size: int, vertex: Any, separate_rows: bool) -> tuple[tuple[int, Any], ...]:
        """Return the sizes and types of arrays for ``size`` candidates.

        ``separate_rows`` is whether the rows are stored separately from the keys.
        """
        row_count = size if separate_rows else 0
        return (size, vertex), (size, vertex), (size, np.uint64), (row_count, np.uint64)

    @property
    def arrays(self) -> tuple[Array, Array, Array, Array]:
        """The arrays, as kernels take them."""
        return self.us, self.vs, self.keys, self.rows

    def first(self, count: int) -> Candidates:
        """Return the first ``count`` candidates in the same memory."""
        us, vs, keys, rows = (array[:count] for array in self.arrays)
        return Candidates(us, vs, keys, rows, count)


def order_of(dtype: Any, backend: Backend) -> Any:
    """Return the device function that maps the bits of a weight to an order-preserving code."""
    make = kernels.unsigned_order
    if is_float(dtype):
        make = kernels.float_order
    elif is_signed(dtype):
        make = kernels.signed_order
    return backend.kernel(make, 8 * np.dtype(dtype).itemsize)


def solve(
    edges: Edges,
    forest: Forest,
    expected_vertices: int,
    order: WeightOrder,
    edge_input: EdgeInput | None = None,
) -> MarkedEdges:
    """Compute a minimum spanning forest, link its edges in ``forest``, and return their bit set.

    Each vertex is pointed at its root only later, by :meth:`Forest.flatten` or when the vertices
    are counted. ``forest.present`` contains the vertices that are in the answer even without an
    edge. ``expected_vertices`` is an estimate of the number of vertices that occur.

    ``edge_input`` are the caller's columns, from which the rows of the forest are gathered. On
    asynchronous backends, columns for these rows are allocated while the device reads the last
    band, and filled before the host knows the number of rows. If there is only one band, they are
    not allocated early, because the candidates may need the memory.
    """
    on, n = forest.backend, forest.n
    ends = band_ends(expected_vertices, edges.m)
    on.kernel(trees.init_singletons, forest.vertex)(n, forest.parent)
    pivots = order.pivots(ends, edges, n, on)
    rounds = _Rounds(edges, forest, order, expected_candidates(ends, edges.m))
    chosen, last_band = MarkedEdges(on, rounds.chosen, edges.m), len(ends)
    for band in range(last_band):
        rounds.run(pivots, band)
    while_reading = None
    if edge_input is not None and on.goes_on and last_band > 0:  # asynchronous, several bands
        while_reading = partial(chosen.make_room, edge_input, n - 1)  # at most n - 1 edges
    rounds.run(pivots, last_band, while_reading)
    ranks, totals = chosen.rank(), on.alloc_readback(2)
    on.kernel(scan.write_totals)(1, ranks, forest.out_of_range, totals)
    read_totals = on.read_async(totals)
    on.leave_arena()  # the gathered columns outlive the run
    if edge_input is not None:
        chosen.gather_ahead(edge_input)
    chosen.count, out_of_range = read_totals().tolist()
    forest.count_later(complete=not out_of_range)
    return chosen


def forest_of_first_rows(src: Array, dst: Array, n: int, backend: Backend) -> Array:
    """Return the spanning forest of the edges that join two trees of earlier rows.

    The result, the rows as int64 in ascending order, depends on the edges only. It is the minimum
    spanning forest for equal weights. ``src`` and ``dst`` are as for :func:`forest_of_weights`.
    """
    weights = backend.fill(backend.empty(src.size, np.uint8), 0)
    return forest_of_weights(src, dst, n, weights, False, backend)


def forest_of_weights(
    src: Array, dst: Array, n: int, weights: Array, greatest: bool, backend: Backend
) -> Array:
    """Return the rows of the minimum or maximum spanning forest, as int64 in ascending order.

    Among edges of equal weight, lower rows come first. ``src`` and ``dst``, (m,) arrays of int64,
    are the endpoints of the edges among n vertices. The weights are on the backend, without NaN.
    ``greatest`` is whether to return the maximum spanning forest.
    """
    order = WeightOrder.of(weights, greatest, backend)
    return solve(Edges(src, dst, 0), Forest(backend, n), n, order).rows.astype(np.int64)


def band_ends(expected_vertices: int, m: int) -> list[int]:
    """Return the ends of all bands but the last, as positions in the list sorted by weight.

    The first band has a fixed number of edges per vertex, and each further band ends at twice the
    position of the previous band. If a list has few edges per vertex, all edges are in one band,
    because filtering would drop almost no edge.
    """
    light = int(LIGHT_EDGES_PER_VERTEX * expected_vertices)
    if not 0 < MIN_BAND_RATIO * light <= m:
        return []
    ends = [light << k for k in range(LIGHT_BANDS)]
    return [end for end in ends if 2 * end <= m]


def expected_candidates(ends: list[int], m: int) -> int:
    """Return the greatest number of candidates expected in a band, for bands with these ends.

    In the first band almost all edges are candidates. In a later band most edges are dropped.
    """
    if not ends:
        return m
    # with a margin, because the end of the first band is estimated from a sample
    in_first = min(ends[0] + ends[0] // 4 + SAMPLE, m)
    sizes = [end - begin for begin, end in pairwise([*ends, m])]
    in_later = (min(size, max(ends[0], size // LIGHTER_PER_CANDIDATE)) for size in sizes)
    return max(in_first, *in_later)


def bytes_beyond_parents(n: int, m: int, rows: bool, dtype: Any) -> int:
    """Return the maximum number of bytes that the rounds need besides the parents of n vertices.

    The maximum is reached if the filter drops no edge. ``m`` is the number of edges in a list or,
    if ``rows``, the number of entries of an adjacency list. ``dtype`` is the type of the weights.
    """
    vertex_bytes, row_bytes = (4 if size < 1 << HALF else 8 for size in (n, m + 1))
    weight_bytes = int(np.dtype(dtype).itemsize)
    separate_rows = 8 * weight_bytes > HALF or m >= 1 << HALF  # as in WeightOrder.of
    key_bytes = 16 if separate_rows else 8
    candidates = 2 * m * (2 * vertex_bytes + key_bytes)  # two buffers
    bits = (n + m + m // 8) // 8 + 3 * SAMPLE  # bits of the giant, bits of rows, ranks of rows
    copies = m * (weight_bytes + (8 if rows else 0))  # weights, and the row of each entry
    return int(candidates + n * (key_bytes + row_bytes) + bits + copies)


class _Kernels(NamedTuple):
    """The kernels of the rounds over edges of one kind."""

    from_first_band: Callable[..., None]
    from_later_band: Callable[..., None]
    from_candidates: Callable[..., None]
    lower_rows: Callable[..., None]
    link_selected: Callable[..., None]
    reset_selections: Callable[..., None]
    finish: Callable[..., None]


@lru_cache(64)
def _kernels(
    on: Backend, vertex: Any, wide: Any, form: reading.EdgeForm, weigh: Any, contains_row: bool
) -> _Kernels:
    """Return the kernels for types of vertices and edges, a form of edges and a weight order.

    ``wide`` is the type of ids minus the lowest id; for the others see :class:`WeightOrder`.
    """
    wide = np.promote_types(vertex, wide).type
    keys: type[kernels.Keys] = kernels.Keys if contains_row else kernels.WideKeys
    make = on.kernel  # makes device functions and kernels
    halve, load_edge = make(find.halve), make(form.load, wide)
    read = make(reading.checked, vertex, wide, load_edge)
    store_row, load_row = make(keys.store_row), make(keys.load_row)
    load_listed = make(kernels.load_listed_edge, weigh, make(keys.key), read)
    load_candidate = make(kernels.load_candidate, load_row)
    append = partial(make, kernels.append_candidate, vertex)
    append_first = append(load_listed, make(kernels.singleton_root), store_row)
    append_later = append(load_listed, halve, store_row)
    append_again = append(load_candidate, halve, store_row)
    within = make(kernels.within, weigh)
    outside = make(kernels.outside_giant, vertex, wide, within, load_edge)
    hook = make(kernels.hook, make(union.asynchronous, vertex, halve))
    link_candidate = make(kernels.link_candidate, load_row, make(keys.selects), hook)
    reset_best = make(keys.reset_best)
    return _Kernels(
        from_first_band=make(kernels.collect_band, within, append_first),
        from_later_band=make(kernels.collect_band, outside, append_later),
        from_candidates=make(kernels.collect, append_again),
        lower_rows=make(kernels.lower_rows),
        link_selected=make(kernels.link_selected, link_candidate),
        reset_selections=make(kernels.reset_selections, reset_best),
        finish=make(kernels.finish, keys.separate_rows, link_candidate, reset_best, halve),
    )


class _Rounds:
    """The rounds over one band of edges after another, the lightest band first.

    ``chosen`` has a bit for each edge of the list, which is set for edges of the forest. Each round
    reads one of two candidate buffers and writes the other buffer. At first, the buffers have room
    for ``capacity`` candidates.
    """

    def __init__(self, edges: Edges, forest: Forest, order: WeightOrder, capacity: int) -> None:
        on, n, vertex = forest.backend, forest.n, forest.vertex
        self.edges, self.forest, self.order = edges, forest, order
        self.kernels = _kernels(on, vertex, edges.wide, edges.form, order.weigh, order.contains_row)
        separate_rows = not order.contains_row
        # the least key of each root's candidates, and its row if the key does not contain the row
        best_shapes = (n, np.uint64), (n if separate_rows else 0, np.uint64)
        # for the kernels of giant.py: root_word and linked, the bit set, and the probed roots
        giant_shapes = (2, np.int64), (forest.present.size, np.uint32), (giant.PROBES, vertex)
        self.best, best_row, *self.giant = on.alloc_packed(*best_shapes, *giant_shapes)
        self.best_row = best_row if separate_rows else on.unused(np.uint64)
        with on.reusing():  # not in the packed memory, because the answer keeps this array
            self.chosen = on.fill(on.empty(-(-edges.m // WORD), np.uint32), 0)
        self._reset_all_selections()
        self.buffers = self._candidate_buffers(capacity)
        self.buffer_index = 0

    def run(
        self, pivots: Array, band: int, while_reading: Callable[[], None] | None = None
    ) -> None:
        """Link all forest edges of a band; if a buffer overflows, read the list again.

        ``while_reading`` is called while the device reads the list.

        The first round collects candidates from the list. Later rounds read only the candidates of
        the previous round, so they end even if another thread writes to the list: each round links
        at least the least candidate.
        """
        edges, forest, on = self.edges, self.forest, self.forest.backend
        collect, in_giant = self.kernels.from_first_band, on.unused(np.uint32)
        if band:
            collect, in_giant = self.kernels.from_later_band, self._in_giant()
        ends = edges.src, edges.dst, edges.low, forest.n, forest.present, forest.out_of_range
        read_list = collect, edges.m, (band, pivots), (self.order.bits, in_giant, *ends)
        candidates = self._contract_round(*read_list, while_reading)
        if candidates.count > candidates.us.size:
            count = candidates.count
            del candidates  # free the buffers before larger ones are allocated
            self.buffers = []
            self.buffers = self._candidate_buffers(count)
            candidates = self._contract_round(*read_list)
        while candidates.count:
            size = candidates.count
            if on.goes_on and size <= ONE_LAUNCH_CANDIDATES:
                barrier_and_flag = on.fill(on.empty(2, np.uint64), 0xFF)
                state = *self._link_arguments, barrier_and_flag, forest.out_of_range
                self.kernels.finish(size, *candidates.arrays, *state)
                return
            if size * SPARSE_RATIO < forest.n:
                roots = candidates.us, candidates.vs  # only these have selections
                self.kernels.reset_selections(size, *roots, self.best, self.best_row)
            else:
                self._reset_all_selections()
            candidates = self._contract_round(
                self.kernels.from_candidates, size, (), candidates.arrays
            )
            if candidates.count == size:  # nothing was linked: report an error, do not loop forever
                on.fill(forest.out_of_range, 0xFF)
                return

    def _reset_all_selections(self) -> None:
        for array in (self.best, self.best_row):
            self.forest.backend.fill(array, 0xFF)

    def _in_giant(self) -> Array:
        """Point every vertex at its root, and return the bit set of the giant component."""
        forest, on, probes = self.forest, self.forest.backend, giant.PROBES
        n, parent, kernel = forest.n, forest.parent, on.kernel
        root_word, in_giant, roots = self.giant
        on.fill(root_word, 0)
        climb = kernel(find.find_with_skip)
        kernel(giant.probe, climb)(probes, n, parent, roots)
        kernel(giant.most_frequent)(probes, roots, root_word)
        octets, linked = in_giant.view(np.uint8), root_word[1:]
        mark = kernel(giant.mark_in_giant, forest.vertex, climb)
        mark(octets.size, n, parent, root_word, linked, octets)
        return in_giant

    @property
    def _link_arguments(self) -> tuple[Array, ...]:
        """The arguments best, best_row, parent, aux (unused) and chosen of kernels that link."""
        unused = self.forest.backend.unused(self.forest.vertex)
        return self.best, self.best_row, self.forest.parent, unused, self.chosen

    def _contract_round(
        self,
        collect: Callable[..., None],
        m: int,
        bounds: tuple[Any, ...],
        source: tuple[Any, ...],
        while_reading: Callable[[], None] | None = None,
    ) -> Candidates:
        """Write candidates among m edges to the next buffer, and link those that a tree selects.

        If there are more candidates than the buffer holds, no candidate is linked. The host waits
        for the number of candidates while the device links them.

        ``collect`` is one of the first three kernels of :class:`_Kernels`, and ``source`` are the
        arrays from which it reads edges. ``bounds`` are the band of the list and the pivots; they
        are empty if ``collect`` reads candidates. ``while_reading`` is as for :meth:`run`.
        """
        on = self.forest.backend
        self.buffer_index = 1 - self.buffer_index
        buffer, counter = self.buffers[self.buffer_index], on.fill(on.alloc_readback(1), 0)
        tile = kernels.BAND_TILE if bounds else kernels.TILE
        state = self.forest.parent, self.best, counter
        collect(-(-m // tile), m, *bounds, *state, *buffer.arrays, *source)
        read_count, capacity = on.read_async(counter), min(m, buffer.us.size)
        if not self.order.contains_row:
            self.kernels.lower_rows(capacity, counter, *buffer.arrays, self.best, self.best_row)
        self.kernels.link_selected(capacity, counter, *buffer.arrays, *self._link_arguments)
        if while_reading is not None:
            while_reading()
        return buffer.first(int(read_count()[0]))

    def _candidate_buffers(self, size: int) -> list[Candidates]:
        """Allocate both buffers at once, because an allocation in a round waits for the device."""
        shapes = Candidates.shapes(size, self.forest.vertex, not self.order.contains_row)
        arrays = self.forest.backend.alloc_packed(*shapes, *shapes)
        return [Candidates(*arrays[:4]), Candidates(*arrays[4:])]
