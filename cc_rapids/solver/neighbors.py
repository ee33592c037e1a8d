"""Solve a neighbour array: its components, or the clusters of DBSCAN.

Kernels read the array in place. Beyond the forest, a run takes a bit for each entry if some are
filtered, 16 bytes for each offset of rows of unequal length, and for clusters 8 bytes for each
point while border points join them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.auto import MEASURED
from ..backends import Array, Backend
from ..data.neighbors import Neighbors, wrong_index
from ..graph.edges import NeighborEdges
from ..graph.forest import Forest
from ..ids.range import EdgeOrder
from ..kernels import forest as trees
from ..kernels import neighbors as kernels
from ..kernels.primitives import none_of
from ..ledger import Ledger
from .choose import BatchOptions, Counted, Facts, Machine, choose
from .run import link_part

# A copy of the entries in the order of blocks would take as much memory as the array.
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
    """The rules by which entries are edges, and points members of clusters."""

    at_most: float | None = None
    mutual: bool = False
    min_samples: int | None = None
    nearest: bool = False


@dataclass(frozen=True)
class NeighborFacts:
    """The rules of an answer for neighbours, and the order of its clusters.

    ``order`` are the components in the order of their least core points; None without clusters.
    """

    rules: NeighborRules
    order: Array = None


class SolvedNeighbors(NamedTuple):
    """A solved forest, the ledger of the entries, the design, and the facts for the answer."""

    forest: Forest
    ledger: Ledger
    design: str
    facts: NeighborFacts


class Description(NamedTuple):
    """The description of an array for kernels, and the bytes of the bits in it, if it has any."""

    src: Array
    kept: Array
    core: Array


def solve(neighbors: Neighbors, rules: NeighborRules, backend: Backend) -> SolvedNeighbors:
    """Link the edges of a neighbour array, and count the components.

    Raises
    ------
    InputError
        A neighbour is no point, or an array changed during the run.
    """
    n, m = neighbors.n, neighbors.m
    described = _described(neighbors, rules, backend)
    edges = NeighborEdges(described.src, backend.asarray(neighbors.indices), m)
    forest = Forest(backend, n, all_present=True)
    wide: Any = np.promote_types(forest.vertex, edges.wide).type
    weights = limits = backend.unused(np.uint8)
    if neighbors.distances is not None:
        weights = backend.asarray(neighbors.distances)
        limits = backend.asarray(neighbors.limits(rules.at_most))
    arrays = described.src, edges.dst, weights
    left_out = _select(neighbors, rules, (*arrays, limits, described.kept), wide, backend)
    if rules.min_samples is not None:
        core, least = described.core, rules.min_samples - 1  # a point is its own neighbour
        backend.kernel(kernels.find_core)(core.size, n, least, described.src, core)
    known = Facts(Machine.of(backend), m, counted=Counted(n, n, order=IN_PLACE))
    design = link_part(choose(known, BatchOptions(MEASURED)), edges, forest)
    order, linked = None, m - sum(left_out.values())
    if rules.min_samples is not None:
        linked, order = _join_borders(arrays, forest, rules, m, wide)
        left_out["not_core"] = m - sum(left_out.values()) - linked
    forest.count()
    if not forest.complete:
        raise neighbors.given.changed()
    ledger = Ledger(m, linked, {reason: rows for reason, rows in left_out.items() if rows})
    facts = NeighborFacts(rules, order)
    return SolvedNeighbors(forest, ledger.check("the neighbours"), design, facts)


def _described(neighbors: Neighbors, rules: NeighborRules, backend: Backend) -> Description:
    """Describe an array for kernels, with memory for the bits that the rules need."""
    size, m, n = kernels.HEADER, neighbors.m, neighbors.n
    header = np.zeros(size, np.uint64)
    if neighbors.offsets is None:
        header[kernels.PERIOD] = n if neighbors.by_columns else neighbors.columns
    header[kernels.TURNED], header[kernels.COLUMNS] = neighbors.by_columns, neighbors.columns
    header[int(kernels.STEP) : int(kernels.STEP) + 4] = neighbors.steps
    header[kernels.MISSING], header[kernels.COUNT] = neighbors.missing, m
    filtered = neighbors.distances is not None or rules.mutual or rules.min_samples is not None
    parts = {
        kernels.OFFSETS: 0 if neighbors.offsets is None else n + 1,
        kernels.KEPT: -(-m // 64) if filtered else 0,
        kernels.CORE: 0 if rules.min_samples is None else -(-n // 64),
    }
    slices = []
    for word, length in parts.items():
        header[word] = size if length else 0
        slices.append(slice(size, size + length))
        size += length
    src = backend.empty(size, np.uint64)
    src[: kernels.HEADER] = backend.asarray(header)
    if neighbors.offsets is not None:
        src[slices[0]] = backend.asarray(neighbors.offsets)
    kept, core = src[slices[1]].view(np.uint8), src[slices[2]].view(np.uint8)
    return Description(src, kept[: -(-m // 8)], core[: -(-n // 8)])


def _select(
    neighbors: Neighbors,
    rules: NeighborRules,
    arrays: tuple[Array, ...],
    wide: Any,
    backend: Backend,
) -> dict[str, int]:
    """Write the bits of the entries that are edges; return the others, counted by reason."""
    m, weighs = neighbors.m, neighbors.distances is not None
    counts = backend.fill(backend.empty(len(kernels.REASONS), np.uint64), 0)
    wrong = backend.fill(backend.empty(1, np.uint64), 0xFF)
    select = backend.kernel(kernels.select, wide, weighs, rules.mutual)
    select(-(-m // 8), m, neighbors.n, *arrays, counts, wrong)
    e = int(backend.to_host(wrong)[0])
    if e < m:
        at = neighbors.place(e)[2]
        raise wrong_index(neighbors, e, int(backend.to_host(arrays[1][at : at + 1])[0]))
    numbers = backend.to_host(counts).tolist()
    return {reason: numbers[int(place)] for reason, place in REASONS.items()}


def _join_borders(
    arrays: tuple[Array, ...], forest: Forest, rules: NeighborRules, m: int, wide: Any
) -> tuple[int, Array]:
    """Join border points to clusters of core points, and make noise absent.

    Returns
    -------
    int
        The entries between core points, and those by which border points join.
    array of int64
        The components in the order of their least core points.
    """
    backend, n, src = forest.backend, forest.n, arrays[0]
    chosen = backend.fill(backend.empty(n, np.uint64), 0xFF)
    joined = backend.fill(backend.empty(2, np.uint64), 0)
    choose_core = backend.kernel(kernels.choose_core, wide, rules.nearest)
    choose_core(m, n, *arrays, forest.parent, chosen, joined)
    octets = forest.present.view(np.uint8)
    join_border = backend.kernel(kernels.join_border)
    join_border(octets.size, n, src, chosen, forest.parent, octets, joined)
    del chosen
    forest.all_present = False
    lowest = backend.fill(backend.empty(n, forest.vertex), 0xFF)
    backend.kernel(trees.least_of_trees, forest.vertex)(n, forest.parent, lowest)
    backend.kernel(trees.reroot)(n, lowest, forest.parent, forest.present)
    backend.fill(lowest, 0xFF)
    backend.kernel(kernels.least_core, forest.vertex)(n, src, forest.parent, lowest)
    cores = lowest[lowest != none_of(forest.vertex)]
    return sum(backend.to_host(joined).tolist()), backend.xp.argsort(cores)
