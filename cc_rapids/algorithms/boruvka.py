"""Minimum and maximum spanning forests: Borůvka's rounds with filtering.

Heavy edges are read after the light ones have been linked. Most of them then join vertices of one
tree and are dropped at once (Osipov, Sanders and Singler, "The filter-Kruskal minimum spanning tree
algorithm", ALENEX 2009). As in Fallin et al., "A high-performance MST implementation for GPUs", SC
2023, the threshold comes from a sample.
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
SAMPLE = 1024  # most weights that are sampled for the pivots
LIGHTER_PER_CANDIDATE = 8  # most edges of a later band for each slot of the candidate buffers
SPARSE_RATIO = 16  # with fewer vertices per candidate, all selections are reset in order
ONE_LAUNCH_CANDIDATES = 1 << 19  # most candidates for which one launch runs all remaining rounds
LIGHT_EDGES_PER_VERTEX = 0.66  # size of the first band, see forest_bands.jsonl, experiments.jsonl
LIGHT_BANDS = 3  # bands before the last one; each ends at twice as many edges as the previous one
MIN_BAND_RATIO = 4  # lists shorter than so many times the first band are not filtered
HALF = 32


@dataclass(frozen=True)
class WeightOrder:
    """The bits of the weights, and how kernels compare them.

    Attributes
    ----------
    bits : (m,) array of unsigned integers
        The weights, reinterpreted as bits.
    weigh : Part
        A device function that returns an order-preserving integer code of the weight of an edge.
    contains_row : bool
        Whether a 64-bit key holds a weight and a row.
    """

    bits: Array
    weigh: Any
    contains_row: bool

    @classmethod
    def of(cls, weights: Array, greatest: bool, backend: Backend) -> WeightOrder:
        """Return the order of weights on a backend; ``greatest`` puts greater weights first."""
        dtype = weights.dtype
        width = 8 * dtype.itemsize
        order = order_of(dtype, backend)
        if greatest:
            order = backend.kernel(kernels.reversed_order, width, order)
        weigh = backend.kernel(kernels.listed_weight, order)
        fits = width <= HALF and weights.size < 1 << HALF
        return cls(weights.view(f"u{dtype.itemsize}"), weigh, fits)

    def integers(self, backend: Backend) -> Array:
        """Return the codes of the weights of a list."""
        none = backend.unused(np.uint8)
        return self.sample(Edges(none, none, 0), 0, self.bits.size, 1, backend)

    def sample(self, edges: Edges, n: int, size: int, every: int, backend: Backend) -> Array:
        """Return the codes of the weights in rows 0, ``every``, 2 * ``every`` and so on."""
        codes = backend.empty(size, np.uint64)
        write = backend.kernel(kernels.order_sample, self.weigh)
        write(size, every, self.bits, edges.src, edges.dst, n, codes)
        return codes

    def pivots(self, counts: list[int], edges: Edges, n: int, backend: Backend) -> Array:
        """Return the code and the row of the last edge of each band, estimated from a sample.

        ``counts`` are the numbers of edges up to the end of each band but the last. Each count is
        twice the one before.
        """
        pivots = backend.fill(backend.empty(2 * len(counts) + 2, np.uint64), 0xFF)
        if counts:
            m = edges.m
            every = -(-m // SAMPLE)
            sample = self.sample(edges, n, m // every, every, backend)
            pick = backend.kernel(kernels.pick_pivots)
            pick(sample.size, sample, every, m, counts[0], len(counts), pivots)
        return pivots


@dataclass(frozen=True)
class Candidates:
    """Edges between two trees: the roots of their endpoints, their keys, and their rows.

    The rows are empty if the keys contain them. ``count`` is the number of candidates; the arrays
    may have more elements.
    """

    us: Array
    vs: Array
    keys: Array
    rows: Array
    count: int = 0

    @staticmethod
    def shapes(size: int, vertex: Any, wide: bool) -> tuple[tuple[int, Any], ...]:
        """Return the sizes and types of arrays for ``size`` candidates."""
        return (size, vertex), (size, vertex), (size, np.uint64), (size * wide, np.uint64)

    @property
    def arrays(self) -> tuple[Array, Array, Array, Array]:
        """The arrays, as kernels take them."""
        return self.us, self.vs, self.keys, self.rows

    def first(self, count: int) -> Candidates:
        """Return the first ``count`` candidates in the same memory."""
        rows = self.rows[:count] if self.rows.size else self.rows
        return Candidates(self.us[:count], self.vs[:count], self.keys[:count], rows, count)


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
    given: EdgeInput | None = None,
) -> MarkedEdges:
    """Compute a minimum spanning forest, link its edges in ``forest``, and return them.

    A vertex gets the root of its component when :meth:`Forest.flatten` or a count is requested.

    Parameters
    ----------
    edges : Edges
        Edges on the forest's backend; not written.
    forest : Forest
        A forest over the vertices of the edges; ``present`` holds vertices that need no edge.
    expected_vertices : int
        The number of vertices likely to occur.
    order : WeightOrder
        The order of the weights, one for each edge.
    given : EdgeInput, optional
        The edges whose columns are gathered ahead on asynchronous backends. Lists in one band skip
        this, because their candidates may need all the memory.
    """
    on, n = forest.backend, forest.n
    counts = band_ends(expected_vertices, edges.m)
    on.kernel(trees.init_singletons, forest.vertex)(n, forest.parent)
    pivots = order.pivots(counts, edges, n, on)
    rounds = _Rounds(edges, forest, order, most_candidates(counts, edges.m))
    chosen, last = MarkedEdges(on, rounds.chosen, edges.m), len(counts)
    for band in range(last):
        rounds.run(pivots, band)
    meanwhile = None
    if given is not None and on.goes_on and last:
        meanwhile = partial(chosen.make_room, given, n - 1)
    rounds.run(pivots, last, meanwhile)
    ranks, totals = chosen.rank(), on.alloc_readback(2)
    on.kernel(scan.write_totals)(1, ranks, forest.out_of_range, totals)
    read = on.read_async(totals)
    on.leave_arena()
    if given is not None:
        chosen.gather_ahead(given)
    chosen.count, left_out = read().tolist()
    forest.count_later(complete=not left_out)
    return chosen


def forest_of_first_rows(src: Array, dst: Array, n: int, backend: Backend) -> Array:
    """Return the rows of edges that earlier rows do not connect, as int64 in ascending order.

    They are the minimum spanning forest for equal weights, so they depend on the edges only.

    Parameters
    ----------
    src, dst : (m,) arrays of int64
        The endpoints of the edges among the vertices 0 .. n - 1.
    """
    weights = backend.fill(backend.empty(src.size, np.uint8), 0)
    return forest_of_weights(src, dst, n, weights, False, backend)


def forest_of_weights(
    src: Array, dst: Array, n: int, weights: Array, greatest: bool, backend: Backend
) -> Array:
    """Return the rows of the minimum or maximum spanning forest, as int64 in ascending order.

    Among edges of equal weight, lower rows come first.

    Parameters
    ----------
    src, dst : (m,) arrays of int64
        The endpoints of the edges among the vertices 0 .. n - 1.
    weights : (m,) array of numbers
        The weights on the backend, without NaN.
    greatest : bool
        Whether to return the maximum spanning forest.
    """
    order = WeightOrder.of(weights, greatest, backend)
    return solve(Edges(src, dst, 0), Forest(backend, n), n, order).rows.astype(np.int64)


def band_ends(expected_vertices: int, m: int) -> list[int]:
    """Return the number of edges up to the end of each band but the last, lightest edges first.

    The first band has a fixed number of edges per vertex, and each further band as many as all
    before it. A list with few edges per vertex is one band: filtering would drop almost nothing.
    """
    light = int(LIGHT_EDGES_PER_VERTEX * expected_vertices)
    if not 0 < MIN_BAND_RATIO * light <= m:
        return []
    ends = [light << k for k in range(LIGHT_BANDS)]
    return [end for end in ends if 2 * end <= m]


def most_candidates(counts: list[int], m: int) -> int:
    """Return the likely maximum number of candidates of a band, given the ends of the bands.

    In the first band, whose size is estimated from a sample, almost all edges are candidates; in a
    later band most are dropped.
    """
    if not counts:
        return m
    first = min(counts[0] + counts[0] // 4 + SAMPLE, m)
    sizes = [end - before for before, end in pairwise([*counts, m])]
    return max(first, *(min(size, max(counts[0], size // LIGHTER_PER_CANDIDATE)) for size in sizes))


def beyond(n: int, m: int, rows: bool, dtype: Any) -> int:
    """Return the maximum bytes that the rounds need besides the forest, for m edges or entries.

    The maximum is reached if no edge is dropped by the filter.
    """
    vertex, number = (4 if size < 1 << HALF else 8 for size in (n, m + 1))
    item = int(np.dtype(dtype).itemsize)
    wide = 8 * (8 * item > HALF or m >= 1 << HALF)
    candidates = 2 * m * (2 * vertex + 8 + wide)
    bits = (n + m + m // 8) // 8 + 3 * SAMPLE  # bits of the giant, bits of rows, ranks of rows
    return int(candidates + n * (8 + wide + number) + bits + m * (item + 8 * rows))


class _Kernels(NamedTuple):
    """The kernels of the rounds over edges of one kind."""

    from_list: Callable[..., None]
    from_rest: Callable[..., None]
    from_candidates: Callable[..., None]
    lower_rows: Callable[..., None]
    link_selected: Callable[..., None]
    reset_selections: Callable[..., None]
    finish: Callable[..., None]


@lru_cache(64)
def _kernels(
    on: Backend, vertex: Any, wide: Any, form: reading.EdgeForm, weigh: Any, contains_row: bool
) -> _Kernels:
    """Return the kernels for a vertex type, a type and a form of edges, and an order of weights."""
    keys: type[kernels.Keys] = kernels.Keys if contains_row else kernels.WideKeys
    part = on.kernel
    halve, load_edge = part(find.halve), part(form.load, wide)
    read = part(reading.checked, vertex, wide, load_edge)
    store_row, load_row = part(keys.store_row), part(keys.load_row)
    of_list = part(kernels.listed, weigh, part(keys.key), read)
    first = part(kernels.append_candidate, vertex, of_list, part(kernels.singleton_root), store_row)
    further = part(kernels.append_candidate, vertex, of_list, halve, store_row)
    again = part(
        kernels.append_candidate, vertex, part(kernels.collected, load_row), halve, store_row
    )
    within = part(kernels.within, weigh)
    outside = part(kernels.outside_giant, vertex, wide, within, load_edge)
    hook = part(kernels.hook, part(union.asynchronous, vertex, halve))
    link_candidate, reset_best = (
        part(kernels.link_candidate, load_row, part(keys.selects), hook),
        part(keys.reset_best),
    )
    return _Kernels(
        from_list=part(kernels.collect_band, within, first),
        from_rest=part(kernels.collect_band, outside, further),
        from_candidates=part(kernels.collect, again),
        lower_rows=part(kernels.lower_rows),
        link_selected=part(kernels.link_selected, link_candidate),
        reset_selections=part(kernels.reset_selections, reset_best),
        finish=part(kernels.finish, keys.separate_rows, link_candidate, reset_best, halve),
    )


class _Rounds:
    """The rounds over one band of edges after the other, the lightest first.

    ``chosen`` has a bit for each edge of the list; set for edges of the forest.

    Parameters
    ----------
    edges, forest, order
        As for :func:`solve`.
    expected : int
        The likely maximum number of candidates of a band.
    """

    def __init__(self, edges: Edges, forest: Forest, order: WeightOrder, expected: int) -> None:
        on, n, vertex = forest.backend, forest.n, forest.vertex
        self.edges, self.forest, self.order = edges, forest, order
        self.kernels = _kernels(on, vertex, edges.wide, edges.form, order.weigh, order.contains_row)
        separate_rows = not order.contains_row
        shapes = (n, np.uint64), (n * separate_rows, np.uint64)
        of_giant = (2, np.int64), (forest.present.size, np.uint32), (giant.PROBES, vertex)
        self.best, best_row, *self.giant = on.alloc_packed(*shapes, *of_giant)
        self.best_row = best_row if separate_rows else on.unused(np.uint64)
        with on.reusing():  # the answer keeps this array, so it is not part of the packed memory
            self.chosen = on.fill(on.empty(-(-edges.m // WORD), np.uint32), 0)
        self._forget_all()
        self.buffers = self._candidate_buffers(expected)
        self.turn = 0

    def run(self, pivots: Array, band: int, meanwhile: Callable[[], None] | None = None) -> None:
        """Link all forest edges of a band; if a buffer overflows, read the list again.

        ``meanwhile`` is called while the device reads the list.

        Rounds read the candidates, not the list, so they end even if another thread writes to the
        list: the least candidate is always linked.
        """
        edges, forest, on = self.edges, self.forest, self.forest.backend
        collect, in_giant = self.kernels.from_list, on.unused(np.uint32)
        if band:
            collect, in_giant = self.kernels.from_rest, self._in_giant()
        ends = edges.src, edges.dst, edges.low, forest.n, forest.present, forest.out_of_range
        arguments = collect, edges.m, (band, pivots), (self.order.bits, in_giant, *ends)
        candidates = self._contract_round(*arguments, meanwhile)
        if candidates.count > candidates.us.size:
            count = candidates.count
            del candidates  # free the buffers before larger ones are allocated
            self.buffers = []
            self.buffers = self._candidate_buffers(count)
            candidates = self._contract_round(*arguments)
        while candidates.count:
            if on.goes_on and candidates.count <= ONE_LAUNCH_CANDIDATES:
                words = on.fill(on.empty(2, np.uint64), 0xFF)
                arguments = *candidates.arrays, *self._trees, words, forest.out_of_range
                self.kernels.finish(candidates.count, *arguments)
                return
            size = candidates.count
            self._reset_selections(candidates)
            candidates = self._contract_round(
                self.kernels.from_candidates, size, (), candidates.arrays
            )
            if candidates.count == size:  # nothing was linked: stop with an error, do not loop
                on.fill(forest.out_of_range, 0xFF)
                return

    def _reset_selections(self, candidates: Candidates) -> None:
        """Reset the selections of the candidates' roots, or of all roots if there are many."""
        if candidates.count * SPARSE_RATIO < self.forest.n:
            arguments = candidates.us, candidates.vs, self.best, self.best_row
            self.kernels.reset_selections(candidates.count, *arguments)
        else:
            self._forget_all()

    def _forget_all(self) -> None:
        for array in (self.best, self.best_row):
            self.forest.backend.fill(array, 0xFF)

    def _in_giant(self) -> Array:
        """Flatten the forest, and return the bit set of the giant component's vertices."""
        forest, on, probes = self.forest, self.forest.backend, giant.PROBES
        n, parent, part = forest.n, forest.parent, on.kernel
        root_word, in_giant, roots = self.giant
        on.fill(root_word, 0)
        climb = part(find.find_with_skip)
        part(giant.probe, climb)(probes, n, parent, roots)
        part(giant.most_frequent)(probes, roots, root_word)
        octets = in_giant.view(np.uint8)
        mark = part(giant.mark_in_giant, forest.vertex, climb)
        mark(octets.size, n, parent, root_word, root_word[1:], octets)
        return in_giant

    @property
    def _trees(self) -> tuple[Array, ...]:
        """The roots' selections, the trees, and the edges of the forest, as kernel arguments."""
        trees = self.forest.parent, self.forest.backend.unused(self.forest.vertex), self.chosen
        return self.best, self.best_row, *trees

    def _contract_round(
        self,
        collect: Callable[..., None],
        m: int,
        bounds: tuple[Any, ...],
        source: tuple[Any, ...],
        meanwhile: Callable[[], None] | None = None,
    ) -> Candidates:
        """Collect candidates among m edges in the next buffer, and link those that a tree selects.

        If there are more candidates than the buffer holds, nothing is linked. The host waits only
        for their number, while they are linked.
        """
        on, self.turn = self.forest.backend, 1 - self.turn
        buffer, counter = self.buffers[self.turn], on.fill(on.alloc_readback(1), 0)
        tile = kernels.BAND_TILE if bounds else kernels.TILE
        lists = self.forest.parent, self.best, counter
        collect(-(-m // tile), m, *bounds, *lists, *buffer.arrays, *source)
        read, most = on.read_async(counter), min(m, buffer.us.size)
        if not self.order.contains_row:
            self.kernels.lower_rows(most, counter, *buffer.arrays, self.best, self.best_row)
        self.kernels.link_selected(most, counter, *buffer.arrays, *self._trees)
        if meanwhile is not None:
            meanwhile()
        return buffer.first(int(read()[0]))

    def _candidate_buffers(self, size: int) -> list[Candidates]:
        """Allocate the buffers that a round reads and writes.

        An allocation in each round would wait for the device.
        """
        shapes = Candidates.shapes(size, self.forest.vertex, not self.order.contains_row)
        arrays = self.forest.backend.alloc_packed(*shapes, *shapes)
        return [Candidates(*arrays[:4]), Candidates(*arrays[4:])]
