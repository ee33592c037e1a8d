"""Linking in stages: edges in the order of blocks of vertices, with a giant of the first blocks.

The edges whose larger end is in the first blocks are those among the vertices of these. In a list
in no order a share f of the vertices has a share f^2 of the edges, so that each of them has f times
as many neighbours: as soon as these are two, most of them are in one tree, the giant, by few of all
edges. From then on the vertices of one block after another come in by their edges to smaller ones,
most of which are in the giant by then: of those edges a bit of the smaller end is read, which L2
holds, and not its parent, which it does not.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..backends import Array, Backend, Kernel
from ..graph.edges import Edges
from ..graph.forest import Forest
from ..kernels import edges as reading
from ..kernels import giant, partition
from ..kernels.forest import init_singletons
from ..kernels.partition import TILE, WORD, blocks_of
from ..tuning import tuning
from .auto import PARTITIONED
from .compiled import CompiledDesign, KernelComposer, build
from .merge import flatten

MOST = 0.9  # of the blocks, which the first are: else all edges are linked alike


class _Kernels(NamedTuple):
    """Kernels of a run in stages, on one backend and for one pair of types."""

    init: Kernel
    partition_tile: Kernel
    link_blocks: Kernel
    link_outside: Kernel
    design: CompiledDesign


@cache
def _kernels(backend: Backend, vertex: Any, wide: Any) -> _Kernels:
    wide = np.promote_types(vertex, wide).type
    composer = KernelComposer(PARTITIONED, backend, vertex, wide, False, False)
    join = composer.join(sampling=False)
    read = reading.checked(backend, vertex, wide, composer.load_edge())
    outside = giant.unless_in_giant(backend, vertex, join)
    return _Kernels(
        init_singletons(backend, vertex),
        partition.partition_tile(backend, read, reading.every(backend)),
        partition.link_blocks(backend, vertex, join, reading.from_vertex(backend)),
        partition.link_blocks_outside(backend, vertex, outside),
        build(PARTITIONED, backend, vertex, wide, False, False),
    )


def first_blocks(n: int, m: int, blocks: int) -> int:
    """Return how many blocks come first, for m edges between n vertices; all, if too many would."""
    share = tuning.staged_neighbours * n / max(2 * m, 1)
    return math.ceil(share * blocks) if share <= MOST else blocks


def link_in_stages(edges: Edges, forest: Forest) -> None:
    """Give every vertex the root of its component, without counting.

    There are fewer than 2^32 vertices. The edges are copied, 8 bytes each.

    Raises
    ------
    MemoryError
        There is no room for the copy; nothing has been done.
    """
    backend, n, m = forest.backend, forest.n, edges.m
    kernels = _kernels(backend, forest.vertex, edges.wide)
    blocks, shift = blocks_of(n)
    tiles = -(-m // TILE)
    shapes = [(tiles * TILE, WORD)] * 2 + [((blocks + 1) * tiles, WORD)]
    copies = tuple(backend.alloc_packed(*shapes))
    kernels.init(n, forest.parent)
    given = edges.src, edges.dst, edges.low, n, forest.present, forest.out_of_range
    kernels.partition_tile(tiles, 0, m, blocks, shift, *given, *copies)
    unused = backend.unused(forest.vertex)
    trees = forest.parent, unused, unused
    first = first_blocks(n, m, blocks)
    kernels.link_blocks(tiles * first * backend.warp_size, tiles, blocks, *copies, *trees)
    if first < blocks:
        root_word, in_giant = _mark_giant(kernels.design, forest, min(first << shift, n))
        threads = tiles * (blocks - first) * backend.warp_size
        rest = *copies, *trees, forest.present, root_word, in_giant
        kernels.link_outside(threads, first, tiles, blocks, *rest)
    flatten(kernels.design, forest)


def _mark_giant(design: CompiledDesign, forest: Forest, vertices: int) -> tuple[Array, Array]:
    """Return the root of the giant among the first vertices, and those in it as bits."""
    backend, parent, probes = forest.backend, forest.parent, tuning.giant_probes
    shapes = (2, np.int64), (forest.present.size, np.uint32), (probes, forest.vertex)
    root_word, in_giant, probed = backend.alloc_packed(*shapes)
    backend.fill(root_word, 0)
    backend.fill(in_giant, 0)
    design.probe(probes, vertices, parent, probed)
    design.most_frequent(probes, probed, root_word)
    octets = in_giant.view(np.uint8)[: -(-vertices // 8)]
    design.mark_in_giant(octets.size, vertices, parent, root_word, root_word[1:], octets)
    return root_word, in_giant
