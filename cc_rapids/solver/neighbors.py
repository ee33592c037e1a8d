"""Solve a neighbour array: its components, or the clusters of DBSCAN.

Kernels read the array in place. Beyond the forest, a run allocates one bit per entry if entries are
filtered, two bits per entry for clusters, and 16 bytes per row if rows have unequal lengths. While
border points join clusters, it allocates 8 bytes per point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..backends import Array, Backend
from ..data.neighbors import Neighbors, wrong_index
from ..graph.edges import NeighborEdges
from ..graph.forest import Forest
from ..ids.range import EdgeOrder
from ..kernels import forest as trees
from ..kernels import neighbors as kernels
from ..kernels.edges import EdgeForm
from ..kernels.primitives import none_of
from ..ledger import Ledger
from .choose import MEASURED, BatchOptions, Counted, Facts, Machine, choose
from .run import link_part

# Entries are treated as sorted by blocks, because sorting them would copy the array.
IN_PLACE = EdgeOrder(blocked=True)
REASONS = {
    "missing": kernels.ABSENT,
    "self": kernels.LOOP,
    "null_weight": kernels.NULL_WEIGHT,
    "out_of_bounds": kernels.OUT_OF_BOUNDS,
    "one_sided": kernels.ONE_SIDED,
}


@dataclass(frozen=True)
class NeighborRules:
    """The rules that determine which entries are edges, and which points are in clusters."""

    at_most: float | None = None  # the maximum distance
    mutual: bool = False  # whether both points must list each other
    min_samples: int | None = None  # neighbours of a core point, with itself; None: no clusters
    nearest: bool = False  # whether a border point joins the nearest core point, not the least


@dataclass(frozen=True)
class NeighborFacts:
    """The rules by which neighbours were joined, and the clusters.

    ``order`` has the numbers of the components, sorted by least core point. ``core`` has a bit for
    each point, from the lowest bit of each byte. Both are None without clusters.
    """

    rules: NeighborRules
    order: Array = None
    core: Array = None


class SolvedNeighbors(NamedTuple):
    """A solved forest, the ledger of the entries, the design, and the facts for the answer."""

    forest: Forest
    ledger: Ledger
    design: str
    facts: NeighborFacts


class Description(NamedTuple):
    """The array ``src`` of :mod:`cc_rapids.kernels.neighbors`, and views of its parts.

    ``kept``, ``borders`` and ``core`` are its bit sets, as bytes. ``reach`` are the codes of its
    core distances. Parts that are not needed are empty. ``form`` loads the edges.
    """

    src: Array
    kept: Array
    borders: Array
    core: Array
    reach: Array
    form: EdgeForm


class Entries(NamedTuple):
    """The entries of an array on a backend: edges, their description, and their distances.

    ``left_out`` counts the entries that are not edges, by reason. ``joined`` has two counts: of the
    entries between core points, and of the entries that join border points.
    """

    edges: NeighborEdges
    described: Description
    weights: Array
    left_out: dict[str, int]
    joined: Array


def solve(neighbors: Neighbors, rules: NeighborRules, backend: Backend) -> SolvedNeighbors:
    """Link the edges of a neighbour array, and count the components.

    Raises
    ------
    InputError
        A neighbour is not a point, or an array changed during the run.
    """
    n, m = neighbors.n, neighbors.m
    forest = Forest(backend, n, all_present=True)
    edges, described, weights, left_out, joined = entries_of(neighbors, rules, forest)
    wide: Any = np.promote_types(forest.vertex, edges.wide).type  # holds n and all indices
    arrays = described.src, edges.dst, weights
    edge_facts = Facts(Machine.of(backend), m, counted=Counted(n, n, order=IN_PLACE))
    design = link_part(choose(edge_facts, BatchOptions(MEASURED)), edges, forest)
    linked = m - sum(left_out.values())
    order = core = None  # without clusters
    if rules.min_samples is not None:
        order = _join_borders(arrays, forest, rules, m, wide, joined)
        core = described.core.copy()
        linked = sum(backend.to_host(joined).tolist())
        left_out["not_core"] = m - sum(left_out.values()) - linked
    forest.count()
    if not forest.complete:
        raise neighbors.given.changed()
    ledger = Ledger(m, linked, {reason: rows for reason, rows in left_out.items() if rows})
    facts = NeighborFacts(rules, order, core)
    return SolvedNeighbors(forest, ledger.check("the neighbours"), design, facts)


def entries_of(
    neighbors: Neighbors, rules: NeighborRules, forest: Forest, reach: bool = False
) -> Entries:
    """Describe an array for kernels, and select the entries that are edges.

    With ``min_samples``, edges are between core points. With ``reach``, the description has memory
    for the core distance of each point.

    Raises
    ------
    InputError
        A neighbour is not a point.
    """
    backend, n, m = forest.backend, neighbors.n, neighbors.m
    described = _describe(neighbors, rules, backend, reach)
    dst = backend.asarray(neighbors.indices)
    edges = NeighborEdges(described.src, dst, m, described.form)
    wide: Any = np.promote_types(forest.vertex, edges.wide).type
    weights = limits = backend.unused(np.uint8)
    if neighbors.distances is not None:
        weights = backend.asarray(neighbors.distances)
        limits = backend.asarray(neighbors.limits(rules.at_most))
    arrays = described.src, dst, weights, limits, described.kept
    left_out = _select(neighbors, rules, arrays, wide, backend)
    joined = backend.fill(backend.empty(2, np.uint64), 0)
    if rules.min_samples is not None:
        core, min_others = described.core, rules.min_samples - 1  # a point is its own neighbour
        backend.kernel(kernels.find_core)(core.size, n, min_others, described.src, core)
        kept, borders = described.kept, described.borders
        split = backend.kernel(kernels.split_by_core, wide)
        split(kept.size, m, n, described.src, dst, kept, borders, joined)
    return Entries(edges, described, weights, left_out, joined)


def _describe(
    neighbors: Neighbors, rules: NeighborRules, backend: Backend, reach: bool
) -> Description:
    """Write ``src``: a header, the offsets of rows, and memory for bit sets and core distances.

    :mod:`cc_rapids.kernels.neighbors` explains the words of the header.
    """
    m, n = neighbors.m, neighbors.n
    header = np.zeros(kernels.HEADER, np.uint64)
    if neighbors.offsets is None:
        header[kernels.PERIOD] = max(n if neighbors.by_columns else neighbors.columns, 1)
    period = int(header[kernels.PERIOD])
    if period and m < 1 << kernels.MOST_BITS:  # kernels multiply and shift instead of dividing
        shift = kernels.MOST_BITS + (period - 1).bit_length()
        header[kernels.FACTOR], header[kernels.SHIFT] = -(-(1 << shift) // period), shift
    header[kernels.TURNED], header[kernels.COLUMNS] = neighbors.by_columns, neighbors.columns
    header[int(kernels.STEP) : int(kernels.STEP) + 4] = neighbors.steps  # 4 words from STEP
    header[kernels.MISSING] = neighbors.missing
    is_filtered = neighbors.distances is not None or rules.mutual or rules.min_samples is not None
    lengths = {  # of the parts, by the words of the header that have their starts
        kernels.OFFSETS: 0 if neighbors.offsets is None else n + 1,
        kernels.KEPT: -(-m // 64) if is_filtered else 0,
        kernels.BORDER: 0 if rules.min_samples is None else -(-m // 64),
        kernels.CORE: 0 if rules.min_samples is None else -(-n // 64),
        kernels.REACH: n if reach else 0,
    }
    slices, size = {}, kernels.HEADER
    for word, length in lengths.items():
        header[word] = size if length else 0
        slices[word] = slice(size, size + length)
        size += length
    src = backend.empty(size, np.uint64)
    src[: kernels.HEADER] = backend.asarray(header)
    if neighbors.offsets is not None:
        src[slices[kernels.OFFSETS]] = backend.asarray(neighbors.offsets)
    bit_sets = kernels.KEPT, kernels.BORDER, kernels.CORE
    kept, borders, core = (src[slices[word]].view(np.uint8) for word in bit_sets)
    entry_bytes, point_bytes = -(-m // 8), -(-n // 8)
    bit_sets_as_bytes = kept[:entry_bytes], borders[:entry_bytes], core[:point_bytes]
    form = kernels.BY_COLUMNS if neighbors.by_columns else kernels.BY_ROWS
    steps_without_gaps = (1, n) if neighbors.by_columns else (neighbors.columns, 1)
    if not header[kernels.FACTOR] or neighbors.steps[:2] != steps_without_gaps:
        form = kernels.ANY_ORDER
    return Description(src, *bit_sets_as_bytes, src[slices[kernels.REACH]], form)


def _select(
    neighbors: Neighbors,
    rules: NeighborRules,
    arrays: tuple[Array, ...],
    wide: Any,
    backend: Backend,
) -> dict[str, int]:
    """Write the bits of the entries that are edges; count the other entries by reason.

    ``arrays`` are description, indices, distances, limits and bits; ``wide`` holds n and indices.
    """
    m, has_distances = neighbors.m, neighbors.distances is not None
    counts = backend.fill(backend.empty(len(kernels.REASONS), np.uint64), 0)
    wrong = backend.fill(backend.empty(1, np.uint64), 0xFF)
    select = backend.kernel(kernels.select, wide, has_distances, rules.mutual)
    select(-(-m // 8), m, neighbors.n, *arrays, counts, wrong)
    entry = int(backend.to_host(wrong)[0])
    if entry < m:
        (_, _, offset), indices = neighbors.place(entry), arrays[1]
        raise wrong_index(neighbors, entry, int(backend.to_host(indices[offset : offset + 1])[0]))
    counts_on_host = backend.to_host(counts).tolist()
    return {reason: counts_on_host[int(position)] for reason, position in REASONS.items()}


def _join_borders(
    arrays: tuple[Array, ...],
    forest: Forest,
    rules: NeighborRules,
    m: int,
    wide: Any,
    joined: Array,
) -> Array:
    """Join border points to clusters of core points, and mark noise as absent in the forest.

    Return the numbers of the components, sorted by least core point; count the border points in
    ``joined[1]``. ``arrays`` are the description, the indices and the distances.
    """
    backend, n, src = forest.backend, forest.n, arrays[0]
    chosen_entries = backend.fill(backend.empty(n, np.uint64), 0xFF)  # by border point
    choose_core = backend.kernel(kernels.choose_core, wide, rules.nearest)
    choose_core(m, n, *arrays, forest.parent, chosen_entries)
    present_bytes = forest.present.view(np.uint8)
    join_border = backend.kernel(kernels.join_border)
    join_border(present_bytes.size, n, src, chosen_entries, forest.parent, present_bytes, joined)
    del chosen_entries
    forest.all_present = False
    # A border point may be less than the root of its cluster: make the least point the root.
    least = backend.fill(backend.empty(n, forest.vertex), 0xFF)
    backend.kernel(trees.least_of_trees, forest.vertex)(n, forest.parent, least)
    backend.kernel(trees.reroot)(n, least, forest.parent, forest.present)
    least_core = backend.fill(least, 0xFF)  # of each root, in the same memory
    backend.kernel(kernels.least_core, forest.vertex)(n, src, forest.parent, least_core)
    return backend.xp.argsort(least_core[least_core != none_of(forest.vertex)])
