"""Linking in stages: edges in the order of blocks of vertices, with an early giant component.

The first stage links the edges whose larger endpoint is in the first blocks, that is, the edges
among the vertices of these blocks. If the edges are random and the first blocks have a fraction f
of all vertices, they have a fraction f^2 of all edges, and so f times the average degree. The
number of first blocks is chosen such that this degree is about two. Most vertices of the first
blocks then form the giant component, although few of the edges have been linked. The later stages
add one block of vertices after another and link the edges of each block to smaller vertices. Most
smaller vertices are in the giant component. For an edge to such a vertex, only the bit of the
vertex is read. The bits fit into L2 even if the parents do not.
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
from ..kernels.partition import TILE, WORD, blocks_of
from .auto import PARTITIONED
from .compiled import CompiledDesign, KernelComposer, build
from .merge import flatten

# neighbours per vertex within the first blocks; at 2.2, 85 % of a random graph are one tree
NEIGHBOURS = 2.2
MAX_FIRST_SHARE = 0.9  # if the first stage needs a larger share of the blocks, it links all blocks


class _Kernels(NamedTuple):
    """Kernels of a staged run, for one backend and one pair of types."""

    partition_tile: Kernel
    link_blocks: Kernel
    link_outside: Kernel
    design: CompiledDesign


@cache
def _kernels(backend: Backend, vertex: Any, wide: Any) -> _Kernels:
    """Return the kernels for types of vertices and, ``wide``, of ids minus the lowest id."""
    wide = np.promote_types(vertex, wide).type
    types = vertex, wide
    composer = KernelComposer(PARTITIONED, backend, *types, reads_csr=False, record_forest=False)
    join = composer.join(sampling=False)
    read = reading.checked(backend, vertex, wide, composer.load_edge())
    outside = giant.unless_in_giant(backend, vertex, join)
    return _Kernels(
        partition.partition_tile(backend, read, reading.every(backend)),
        partition.link_blocks(backend, vertex, join, reading.from_vertex(backend)),
        partition.link_blocks_outside(backend, vertex, outside),
        build(PARTITIONED, backend, *types, reads_csr=False, record_forest=False),
    )


def first_blocks(n: int, m: int, blocks: int) -> int:
    """Return the number of blocks in the first stage; all blocks if it needs nearly all of them."""
    share = NEIGHBOURS * n / max(2 * m, 1)
    return math.ceil(share * blocks) if share <= MAX_FIRST_SHARE else blocks


def link_in_stages(edges: Edges, forest: Forest) -> None:
    """Compute the root of every vertex, without counting the components.

    Requires fewer than 2^32 vertices. The edges are copied, which takes 8 bytes per edge. If there
    is no memory for the copy, a MemoryError is raised, and the forest is unchanged.
    """
    backend, n, m = forest.backend, forest.n, edges.m
    kernels = _kernels(backend, forest.vertex, edges.wide)
    blocks, shift = blocks_of(n)
    tiles = -(-m // TILE)
    shapes = [(tiles * TILE, WORD)] * 2 + [((blocks + 1) * tiles, WORD)]
    copies = tuple(backend.alloc_packed(*shapes))
    kernels.design.init_singletons(n, forest.parent)
    edge_arguments = edges.src, edges.dst, edges.low, n, forest.present, forest.out_of_range
    kernels.partition_tile(tiles, 0, m, blocks, shift, *edge_arguments, *copies)  # edges 0 .. m - 1
    unused = backend.unused(forest.vertex)
    trees = forest.parent, unused, unused  # no auxiliary array, and no hook edges
    first_count = first_blocks(n, m, blocks)
    threads = tiles * first_count * backend.warp_size  # a warp links the edges of a block in a tile
    kernels.link_blocks(threads, tiles, blocks, *copies, *trees)
    if first_count < blocks:
        root_word, in_giant = _mark_giant(kernels.design, forest, min(first_count << shift, n))
        threads = tiles * (blocks - first_count) * backend.warp_size
        arguments = *copies, *trees, forest.present, root_word, in_giant
        kernels.link_outside(threads, first_count, tiles, blocks, *arguments)
    flatten(kernels.design, forest)


def _mark_giant(design: CompiledDesign, forest: Forest, vertices: int) -> tuple[Array, Array]:
    """Return the root word and the bit set of the giant component of the first ``vertices``.

    A root word has a root and its number of probed vertices: see :mod:`cc_rapids.kernels.giant`.
    """
    backend, parent, probes = forest.backend, forest.parent, giant.PROBES
    shapes = (2, np.int64), (forest.present.size, np.uint32), (probes, forest.vertex)
    root_word, in_giant, probed = backend.alloc_packed(*shapes)
    backend.fill(root_word, 0)
    backend.fill(in_giant, 0)
    design.probe(probes, vertices, parent, probed)
    design.most_frequent(probes, probed, root_word)
    octets = in_giant.view(np.uint8)[: -(-vertices // 8)]
    linked = root_word[1:]  # the number of vertices with a parent, which is not read
    design.mark_in_giant(octets.size, vertices, parent, root_word, linked, octets)
    return root_word, in_giant
