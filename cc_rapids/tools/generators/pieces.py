"""Generate edge lists in pieces, for lists that are larger than memory.

An edge is a function of the seed and its index, so pieces are independent of each other. Only
:func:`~cc_rapids.generators.duplicated` keeps its input in memory, because it reads the input in
random order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import backends
from ...backends import Array
from ...errors import InputError, unknown
from . import kernels as generate
from .graph import Graph, Labels, as_count, bit_length, check_vertices, keys, launch, new_columns

Ends = tuple[Array, Array]
Part = Callable[[str, npt.DTypeLike, int, int], Ends]
GRID_BATCH = 1 << 20  # the number of grid vertices whose edges are counted at a time
SIZES_BATCH = 1 << 20  # the number of cluster sizes drawn at a time
MIN_TERMS = 1 << 12  # the minimum number of terms of a series that are added one by one


@dataclass(frozen=True, eq=False)
class Pieces:
    """An edge list over the vertices 0 .. num_vertices - 1, generated on demand.

    The number of ``steps`` that make the list is known, while the number of edges may be random: a
    step makes at most ``max_edges_per_step`` edges. ``part`` takes an engine, the type of vertices,
    the first step and the number of steps, and returns the two ends of the edges of these steps in
    new arrays of the engine. ``count_edges`` counts all edges; it is None if each step makes one
    edge. The other fields are those of :class:`Graph`.
    """

    name: str
    num_vertices: int
    steps: int
    part: Part = field(repr=False)
    components: int | None = None
    expected: Callable[[], Labels] | None = field(default=None, repr=False)
    max_edges_per_step: int = 1
    count_edges: Callable[[], int] | None = field(default=None, repr=False)
    edges_kept: int = 0  # the number of edges in memory while pieces are made

    @cached_property
    def num_edges(self) -> int:
        """The number of edges."""
        return self.steps if self.count_edges is None else self.count_edges()

    def cut(self, size: int) -> Iterator[Ends]:
        """Yield about ``size`` edges at a time, as arrays ``(src, dst)`` of NumPy."""
        step = max(size // self.max_edges_per_step, 1)
        for first in range(0, self.steps, step):
            yield self.part("threads", self.dtype, first, min(step, self.steps - first))

    def gather(self) -> Ends:
        """Return all edges as ``(src, dst)``, NumPy arrays of length ``num_edges``."""
        return self.part("threads", self.dtype, 0, self.steps)

    def graph(self, dtype: npt.DTypeLike, engine: str) -> Graph:
        """Return all edges as one graph, with vertices of type ``dtype`` on an engine."""
        n = check_vertices(self.num_vertices, dtype)
        ends = self.part(engine, dtype, 0, self.steps)
        return Graph(*ends, n, self.name, self.components, self.expected, engine)

    @property
    def dtype(self) -> npt.DTypeLike:
        """The type of the vertices: int32 if all fit, otherwise int64."""
        return np.int32 if self.num_vertices <= 1 << 31 else np.int64


def uniform(num_vertices: int, num_edges: int, seed: int = 0) -> Pieces:
    """Make :func:`cc_rapids.generators.uniform` in pieces."""
    n, m = check_vertices(num_vertices), as_count("num_edges", num_edges)
    if m and not n:
        raise InputError(f"{m} edges need at least one vertex")
    return _by_kernel(f"uniform({n})", n, m, generate.uniform, _key(seed), n)


def rmat(
    scale: int, num_edges: int, a: float, b: float, c: float, seed: int = 0, permute: bool = True
) -> Pieces:
    """Make :func:`cc_rapids.generators.rmat` in pieces."""
    if not (isinstance(scale, int) and 0 <= scale <= 32):
        raise InputError(f"an R-MAT scale must be an integer from 0 to 32, not {scale!r}")
    if min(a, b, c) < 0 or a + b + c > 1 + 1e-9:
        raise InputError(
            f"a, b, c must be probabilities with a sum of at most 1, not {a}, {b}, {c}"
        )
    n, m, draws = 1 << scale, as_count("num_edges", num_edges), -(-scale // generate.LEVELS)
    shares = [round(x * (1 << generate.SHARE_BITS)) for x in (a, a + b, a + b + c)]
    arguments = _key(seed), n, draws, *shares
    pieces = _by_kernel(f"rmat(scale={scale})", n, m, generate.rmat, *arguments)
    return permuted(pieces, seed) if permute else pieces


def barabasi_albert(num_vertices: int, each: int, seed: int = 0) -> Pieces:
    """Make :func:`cc_rapids.generators.barabasi_albert` in pieces."""
    n, degree = check_vertices(num_vertices), as_count("each", each)
    name = f"barabasi_albert({n}, each={degree})"
    return _by_kernel(name, n, n * degree, generate.barabasi_albert, _key(seed), max(degree, 1))


def gnm(num_vertices: int, num_edges: int, seed: int = 0) -> Pieces:
    """Make a random graph G(n, m): distinct pairs of vertices in random order, no self-loops.

    Examples
    --------
    >>> complete = gnm(5, 10)
    >>> len({frozenset(pair) for pair in zip(*map(list, complete.gather()))})
    10
    """
    n, m = check_vertices(num_vertices), as_count("num_edges", num_edges)
    pairs, key = n * (n - 1) // 2, _key(seed)
    if m > pairs:
        raise InputError(
            f"{n:,} vertices have {pairs:,} pairs, fewer than the {m:,} edges requested"
        )

    def part(engine: str, dtype: npt.DTypeLike, first: int, size: int) -> Ends:
        runner = backends.get(engine)
        with runner.scope():
            pair = runner.xp.arange(first, first + size, dtype=np.uint64)
            launch(generate.relabel, engine, size, key, pairs, bit_length(pairs), pair, pair)
            # Pair p joins vertex k = p % n to the vertex that is p // n + 1 further around a circle
            hop, k = runner.xp.divmod(pair, np.uint64(max(n, 1)))
            far = (k + hop + np.uint64(1)) % np.uint64(max(n, 1))
            return k.astype(dtype), far.astype(dtype)

    return Pieces(f"gnm({n}, {m})", n, m, part)


def grid(rows: int, columns: int, keep: float = 1.0, seed: int = 0) -> Pieces:
    """Make :func:`cc_rapids.generators.grid` in pieces."""
    n = check_vertices(as_count("rows", rows) * as_count("columns", columns))
    if not 0 <= keep <= 1:
        raise InputError(f"keep must be a probability from 0 to 1, not {keep}")
    share, key = round(keep * (1 << 32)), _key(seed)

    def keep_flags(engine: str, first: int, size: int) -> Array:
        """Return two flags for each of ``size`` vertices: whether each of its edges is kept."""
        runner = backends.get(engine)
        with runner.scope():
            out = runner.empty(2 * size, np.uint8)
            launch(generate.keep_grid, engine, size, first, key, n, columns, share, out)
            return out

    def part(engine: str, dtype: npt.DTypeLike, first: int, size: int) -> Ends:
        runner = backends.get(engine)
        with runner.scope():
            # The edges of vertex v have places 2 v and 2 v + 1; the flags start at vertex first
            places = runner.xp.flatnonzero(keep_flags(engine, first, size)) + 2 * first
        ends = new_columns(int(places.size), dtype, engine)
        launch(generate.grid, engine, int(places.size), columns, places, *ends)
        return ends

    def count_edges() -> int:
        firsts = range(0, n, GRID_BATCH)
        return sum(
            int(keep_flags("threads", v, min(GRID_BATCH, n - v)).sum(dtype=int)) for v in firsts
        )

    pieces = Pieces(
        f"grid({rows} x {columns})", n, n, part, max_edges_per_step=2, count_edges=count_edges
    )
    if share < 1 << 32:
        return pieces
    return replace(pieces, components=min(n, 1), expected=_together(n))


def torus2d(rows: int, columns: int) -> Pieces:
    """Make :func:`cc_rapids.generators.torus2d` in pieces."""
    n = check_vertices(as_count("rows", rows) * as_count("columns", columns))
    pieces = _by_kernel(f"torus2d({rows} x {columns})", n, 2 * n, generate.torus, n, columns)
    return replace(pieces, components=min(n, 1), expected=_together(n))


def path(n: int, shuffle: int | None = None) -> Pieces:
    """Make :func:`cc_rapids.generators.path` in pieces: edge k joins vertices k and k + 1."""
    pieces = _by_sequences(f"path({n})", n, n - 1, (0, 1), (1, 1))
    pieces = replace(pieces, components=min(n, 1), expected=_together(n))
    return pieces if shuffle is None else permuted(pieces, shuffle)


def star(n: int) -> Pieces:
    """Make :func:`cc_rapids.generators.star` in pieces: edge k joins vertices 0 and k + 1."""
    pieces = _by_sequences(f"star({n})", n, n - 1, (0, 0), (1, 1))
    return replace(pieces, components=min(n, 1), expected=_together(n))


def self_loops(n: int) -> Pieces:
    """Make :func:`cc_rapids.generators.self_loops` in pieces."""
    pieces = _by_sequences(f"self_loops({n})", n, n, (0, 1), (0, 1))
    return replace(pieces, components=n, expected=lambda: np.arange(n))


def isolated(n: int) -> Pieces:
    """Make :func:`cc_rapids.generators.isolated` as pieces without edges."""
    pieces = _by_sequences(f"isolated({n})", n, 0, (0, 0), (0, 0))
    return replace(pieces, components=n, expected=lambda: np.arange(n))


def cliques(sizes: Sequence[int]) -> Pieces:
    """Make :func:`cc_rapids.generators.cliques` in pieces."""
    clique_sizes = np.array([as_count("size", size) for size in sizes], np.int64)
    vertices, edges = (  # the first vertex and the first edge of each clique, and the totals
        np.concatenate([[0], np.cumsum(counts)]).astype(np.uint64)
        for counts in (clique_sizes, clique_sizes * (clique_sizes - 1) // 2)
    )
    n, k = check_vertices(int(vertices[-1])), clique_sizes.size
    name = f"cliques({k} of {vertices[-1]} vertices)"
    pieces = _by_kernel(name, n, int(edges[-1]), generate.cliques, k, vertices, edges)
    return replace(
        pieces,
        components=int(np.count_nonzero(clique_sizes)),
        expected=lambda: np.repeat(vertices[:-1].astype(np.int64), clique_sizes),
    )


def near_duplicate_pairs(
    documents: int, pairs: int, exponent: float = 1.9, most: int = 5000, seed: int = 0
) -> Pieces:
    """Make :func:`cc_rapids.generators.near_duplicate_pairs` in pieces."""
    name = f"near_duplicate_pairs({documents}, {pairs})"
    return _cluster_pairs(name, documents, pairs, 1, exponent, most, seed)


def banded_pairs(
    documents: int,
    pairs: int,
    bands: int = 10,
    exponent: float = 1.9,
    most: int = 5000,
    seed: int = 0,
) -> Pieces:
    """Make :func:`cc_rapids.generators.banded_pairs` in pieces."""
    name = f"banded_pairs({documents}, {pairs}, bands={bands})"
    return _cluster_pairs(name, documents, pairs, bands, exponent, most, seed)


def _cluster_pairs(
    name: str, documents: int, pairs: int, bands: int, exponent: float, most: int, seed: int
) -> Pieces:
    """Make pairs of two documents of a cluster; each band has the same pairs, in its own order."""
    n, m = check_vertices(as_count("documents", documents)), as_count("pairs", pairs)
    if as_count("bands", bands) < 1:
        raise InputError(f"bands must be an integer of at least 1, not {bands!r}")
    if m and not n:
        raise InputError(f"{m:,} pairs need at least one document")
    starts = _draw_clusters(n, exponent, most, _key(seed))
    clusters, band_pairs = starts.size - 1, math.ceil(m / bands)
    if band_pairs < n - clusters:  # a cluster of k documents needs k - 1 pairs
        repeats = f", each found {bands:,} times," if bands > 1 else ""
        # The least m for which m / bands, rounded up, is at least n - clusters
        fewest_pairs = bands * (n - clusters - 1) + 1
        raise InputError(
            f"{n:,} documents in {clusters:,} clusters need at least {fewest_pairs:,} pairs"
            f"{repeats} to join each cluster, not {m:,}: give more pairs or fewer documents"
        )
    arguments = _key(seed), max(band_pairs, 1), bit_length(band_pairs), clusters, starts
    banded = _by_kernel(name, n, m, generate.cluster_pairs, *arguments)

    def expected() -> Labels:
        """Return the first document of the cluster of each document."""
        first = starts.astype(np.int64)
        return np.repeat(first[:-1], np.diff(first))

    return permuted(replace(banded, components=clusters, expected=expected), seed)


def _draw_clusters(n: int, exponent: float, most: int, key: int) -> npt.NDArray[np.uint64]:
    """Draw sizes 2 .. ``most`` of clusters; return each cluster's first document, then n."""
    if not (_is_number(exponent) and exponent > 1):
        raise InputError(f"exponent must be a number above 1, not {exponent!r}")
    if as_count("most", most) < 2:
        raise InputError(f"most must be an integer of at least 2, not {most!r}")
    # The shares of the sizes 2 .. most - 1; other sizes become most
    shares = _zipf_shares(float(exponent), most - 2)
    batches = [np.zeros(1, np.uint64)]  # of starts
    end = drawn = 0  # the last start, and the number of sizes
    while end < n:
        # A cluster has at least two documents, so this number of sizes suffices
        sizes = np.empty(min((n - end) // 2 + 1, SIZES_BATCH), np.uint64)
        arguments = drawn, key, shares.size, shares, sizes
        launch(generate.cluster_sizes, "threads", sizes.size, *arguments)
        batches.append(np.uint64(end) + np.cumsum(sizes, dtype=np.uint64))
        end, drawn = int(batches[-1][-1]), drawn + sizes.size
    starts = np.concatenate(batches)
    starts = starts[: int(np.searchsorted(starts, n)) + 1]  # up to the first start of at least n
    starts[-1] = n  # truncates the last cluster
    return starts


def _zipf_shares(exponent: float, size: int) -> npt.NDArray[np.uint64]:
    """Return the cumulative probabilities of 1 .. size in a Zipf law, in units of 2^-32."""
    k = np.arange(1, max(size, MIN_TERMS) + 1, dtype=np.float64)
    sums = np.cumsum(k**-exponent)
    # The sum of all terms after the last one, by the Euler-Maclaurin formula
    last_k = float(k[-1])
    remainder = last_k ** (1 - exponent) / (exponent - 1) - last_k**-exponent / 2
    remainder += exponent * last_k ** (-exponent - 1) / 12
    probabilities = sums[:size] / (float(sums[-1]) + remainder)
    shares: npt.NDArray[np.uint64] = np.rint(probabilities * (1 << 32)).astype(np.uint64)
    return shares


def record_keys(
    records: int, keys: int, each: int = 2, power: float = 1.5, seed: int = 0, permute: bool = True
) -> Pieces:
    """Make :func:`cc_rapids.generators.record_keys` in pieces."""
    n = check_vertices(as_count("records", records) + as_count("keys", keys))
    m = records * as_count("each", each)
    if m and not keys:
        raise InputError(f"{records:,} records need at least one key")
    if not (_is_number(power) and power > 0):
        raise InputError(f"power must be a number above 0, not {power!r}")
    u = np.arange(1 << generate.QUANTILE_BITS, dtype=np.float64) / (1 << generate.QUANTILE_BITS)
    # At most keys - 1, because the product of floats may be rounded up to ``keys``
    quantiles = np.minimum(np.floor(keys * u ** float(power)), max(keys - 1, 0)).astype(np.uint64)
    arguments = _key(seed), records, max(each, 1), np.append(quantiles, np.uint64(keys))
    name = f"record_keys({records}, {keys}, each={each})"
    unpermuted = _by_kernel(name, n, m, generate.record_keys, *arguments)
    return permuted(unpermuted, seed) if permute else unpermuted


def permuted(pieces: Pieces, seed: int = 0) -> Pieces:
    """Apply :func:`cc_rapids.generators.permuted` to each piece."""
    n, (_, key) = pieces.num_vertices, keys(seed)

    def part(engine: str, dtype: npt.DTypeLike, first: int, size: int) -> Ends:
        ends = pieces.part(engine, dtype, first, size)
        for column in ends:
            launch(generate.relabel, engine, column.size, key, n, bit_length(n), column, column)
        return ends

    def expected() -> Labels:
        """Return the least new vertex of the component of each vertex."""
        old_labels = pieces.expected() if pieces.expected else np.arange(n)
        new_vertex = np.arange(n)
        launch(generate.relabel, "threads", n, key, n, bit_length(n), new_vertex, new_vertex)
        # least_vertex[l] is the least new vertex of the component with the old label l
        least_vertex, labels = np.full(n, n), np.empty(n, np.int64)
        np.minimum.at(least_vertex, old_labels, new_vertex)
        labels[new_vertex] = least_vertex[old_labels]
        return labels

    return replace(pieces, part=part, expected=expected if pieces.expected else None)


def duplicated(pieces: Pieces, times: int, seed: int = 0) -> Pieces:
    """Apply :func:`cc_rapids.generators.duplicated` to a list, which is kept in memory."""
    m, (order_key, direction_key) = pieces.num_edges, keys(seed)
    total = m * as_count("times", times)
    if not times:
        return replace(isolated(pieces.num_vertices), name=pieces.name)
    cached_graph = cache(pieces.graph)

    def part(engine: str, dtype: npt.DTypeLike, first: int, size: int) -> Ends:
        ends, edges = new_columns(size, dtype, engine), cached_graph(np.dtype(dtype), engine).edges
        arguments = order_key, direction_key, total, bit_length(total), m, *edges, *ends
        launch(generate.repeat, engine, size, first, *arguments)
        return ends

    return replace(
        pieces, steps=total, part=part, max_edges_per_step=1, count_edges=None, edges_kept=m
    )


def of_graph(graph: Graph) -> Pieces:
    """Return pieces that copy edges of a graph, whatever type and engine are asked for."""

    def part(engine: str, dtype: npt.DTypeLike, first: int, size: int) -> Ends:
        with backends.get(graph.engine).scope():
            src, dst = (column[first : first + size].copy() for column in graph.edges)
        return src, dst

    facts = graph.components, graph.expected
    return Pieces(
        graph.name, graph.num_vertices, graph.num_edges, part, *facts, edges_kept=graph.num_edges
    )


def reference(name: str, scale: float | None = None, seed: int = 0) -> Pieces:
    """Make :func:`cc_rapids.generators.reference` in pieces."""
    if name not in REFERENCES:
        raise InputError(unknown("reference graph", name, REFERENCES))
    full = REFERENCES[name]
    if scale is None:
        pieces = full.make(full.vertices, full.edges, seed)
        recorded = None if seed else full.components  # measured with seed 0
        return replace(pieces, name=name, components=pieces.components or recorded)
    n = round(2**scale)
    pieces = full.make(n, round(full.edges * n / full.vertices), seed)
    return replace(pieces, name=f"{name} at scale {scale}")


def _rmat(a: float, b: float, c: float) -> Callable[[int, int, int], Pieces]:
    """Return a function of n, m and a seed that makes an R-MAT graph with these probabilities."""

    def make(n: int, m: int, seed: int) -> Pieces:
        if n.bit_count() != 1:
            raise InputError(
                f"an R-MAT graph needs 2^scale vertices with an integer scale, not {n:,}"
            )
        return rmat(n.bit_length() - 1, m, a, b, c, seed)

    return make


def _pairs(n: int, m: int, seed: int) -> Pieces:
    """Make m near-duplicate pairs of n documents."""
    return near_duplicate_pairs(n, m, seed=seed)


@dataclass(frozen=True)
class Reference:
    """A reference graph at full scale, its number of components with seed 0, and its generator."""

    vertices: int
    edges: int
    components: int
    make: Callable[[int, int, int], Pieces]


REFERENCES = {
    "kron21": Reference(1 << 21, 91_000_000, 589_791, _rmat(0.57, 0.19, 0.19)),
    "social22": Reference(1 << 22, 69_000_000, 383_209, _rmat(0.45, 0.22, 0.22)),
    "road": Reference(
        4900 * 4900,
        28_800_000,
        810_959,
        lambda n, m, seed: grid(math.isqrt(n), math.isqrt(n), 0.6, seed),
    ),
    "uniform25M": Reference(25_000_000, 100_000_000, 8_225, uniform),
    "rmat24": Reference(1 << 24, 100_000_000, 677_744, _rmat(0.45, 0.15, 0.15)),
    "pairs60M": Reference(60_000_000, 100_000_000, 5_737_389, _pairs),
    "bands10M": Reference(
        10_000_000, 100_000_000, 956_383, lambda n, m, seed: banded_pairs(n, m, seed=seed)
    ),
    "records50M": Reference(
        110_000_000,
        100_000_000,
        16_118_836,
        lambda n, m, seed: record_keys(m // 2, n - m // 2, seed=seed),
    ),
    "pairs1M": Reference(1_000_000, 2_000_000, 97_149, _pairs),
}


def _key(seed: int) -> int:
    """Return the first key of a seed."""
    return keys(seed)[0]


def _is_number(value: Any) -> bool:
    """Return whether a value is a finite number and not a bool."""
    is_number = isinstance(value, int | float | np.integer | np.floating)
    return is_number and not isinstance(value, bool) and math.isfinite(value)


def _by_kernel(name: str, n: int, m: int, make: Any, *arguments: Any) -> Pieces:
    """Return pieces that a kernel writes; ``arguments`` follow the index of the first edge.

    Arrays among the arguments are copied to the engine that runs the kernel.
    """

    def part(engine: str, dtype: npt.DTypeLike, first: int, size: int) -> Ends:
        runner, ends = backends.get(engine), new_columns(size, dtype, engine)
        copied = [runner.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
        launch(make, engine, size, first, *copied, *ends)
        return ends

    return Pieces(name, n, m, part)


def _by_sequences(name: str, n: int, m: int, src: tuple[int, int], dst: tuple[int, int]) -> Pieces:
    """Return pieces of edges whose ends are arithmetic sequences, each given as (first, step)."""

    def part(engine: str, dtype: npt.DTypeLike, first: int, size: int) -> Ends:
        ends = new_columns(size, dtype, engine)
        for (start, step), column in zip((src, dst), ends, strict=True):
            launch(generate.arithmetic_sequence, engine, size, start + step * first, step, column)
        return ends

    return Pieces(name, check_vertices(n), max(m, 0), part)


def _together(n: int) -> Callable[[], Labels]:
    """Return a function that makes the labels of n vertices in one component: n zeros."""
    return lambda: np.zeros(n, np.int64)
