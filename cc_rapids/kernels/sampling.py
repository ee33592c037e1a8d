"""Sampling: the edges that are linked first, and the filter of the others.

A sample joins most of the largest component, the giant. An edge with both ends in there joins
nothing, and one bit a vertex tells: 32 times fewer bytes than the parents, so that the bits stay
in a cache where the parents do not. A vertex that is linked to the giant later gets its bit then.

root_word : [count << 48 | root] of the giant after the sample.
in_giant : (n + 31) // 32 words, vertices that are joined to that root, or are about to be: not all.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from . import edges
from . import primitives as bits
from .giant import giant_of
from .spec import COUNT, Step, sampling_rule

ORDERS = ("listed", "partitioned")  # in which edges are linked


class Sample(NamedTuple):
    """The steps of a sample: before its links, the links, and those of the remaining edges."""

    link: Step | None
    before: Step | None = None
    left: Any = None  # place(i): which edge is the i-th of those left, as a part of a kernel
    left_count: Callable[[int], int] = int
    gather: bool = False
    shared: bool = False  # are the giant's bits read from memory that threads share?
    period: int = 0  # edges after which a list is sampled as from its beginning; 0 if never


@sampling_rule(
    "none",
    options={"tiles": ("off", COUNT), "order": ORDERS},
    samples=False,
    paper="Hong et al. 2020, Algorithm 1",
)
def none(on: Any, vertex: type, tiles: str | int, order: str) -> None:
    """Link every edge in one phase.

    ``tiles``: how many ids make a block of vertices, whose edges are joined first and in memory
    that threads share, see kernels/blocks.py. ``order``: whether the edges of a list are linked as
    listed, or partitioned by blocks of vertices, see kernels/partition.py. For spanning forests,
    and from 2^32 vertices on, they are linked as listed.
    """


@sampling_rule(
    "strided",
    requires=("every_edge",),
    options={"every": 5, "bits": ("cached", "shared"), "order": ORDERS},
    needs_list=True,
    paper="Hong et al. 2020, 3.3, for edge lists: every fifth block",
)
def strided(on: Any, vertex: type, every_edge: Any, every: int, bits: str, order: str) -> Sample:
    """Link every fifth block of edges first, then those that are not inside the largest tree.

    ``bits``: whether the bits of that tree are read through the caches, or first from memory that
    threads share, see kernels/shared_filter.py. ``order``: whether the edges of the sample are
    linked as listed, or partitioned by blocks of vertices, see kernels/partition.py. For spanning
    forests, and from 2^32 vertices on, bits are read through the caches, and edges are linked as
    listed.
    """
    link_edges, count = every_edge(edges.sampled(on, every)), edges.sampled_count

    def link(state: Any) -> None:
        link_edges(state, count(state.m, every))

    left, shared = edges.unsampled(on, every), bits == "shared"
    period = every * edges.SAMPLE_BLOCK
    return Sample(link, None, left, lambda m: m - count(m, every), shared=shared, period=period)


def every_other_edge(
    on: Any, vertex: type, wide: type, link_outside: Any, load_edge: Any, edge_index: Any
) -> Any:
    """Link the edges outside the sample, except those inside the giant."""

    @on.elementwise
    def every_other_edge(
        i, src, dst, low, n, parent, aux, hook_edge, present, out_of_range, root_word, in_giant
    ):
        e = edge_index(i)
        u, v = load_edge(e, src, dst, low, n)
        if max(u, v) >= wide(n):
            out_of_range[0] = 1
        else:
            link_outside(
                vertex(u), vertex(v), e, parent, aux, hook_edge, present, root_word, in_giant
            )

    return every_other_edge


def renamed(on: Any, vertex: type) -> Any:
    """Return the new name of a vertex, in an order with the giant's root first."""
    giant = giant_of(on, vertex)

    @on.device
    def name(v, root_word):
        return (
            v
            if v > giant(root_word)
            else vertex(0)
            if v == giant(root_word)
            else vertex(v + vertex(1))
        )

    return name


def keep_edge(on: Any, vertex: type, wide: type, load_edge: Any, after_sample: bool) -> Any:
    """Copy the ends of each edge; after a sample, only of edges that are not inside the giant."""
    name, mark, has, add = renamed(on, vertex), bits.mark(on), bits.has(on), on.atomic_add

    @on.elementwise
    def keep_edge(
        i, src, dst, low, n, present, out_of_range, root_word, in_giant, count, us, vs, es
    ):
        u, v = load_edge(i, src, dst, low, n)
        if max(u, v) >= wide(n):
            out_of_range[0] = 1
            u, v = wide(0), wide(0)
        elif u == v:
            mark(present, vertex(u))
        k = i
        if after_sample:
            if u == v or (has(in_giant, vertex(u)) and has(in_giant, vertex(v))):
                return
            k = np.uint64(add(count, 0, 1))
        us[k], vs[k] = name(vertex(u), root_word), name(vertex(v), root_word)
        if es.size > 0:
            es[k] = i

    return keep_edge
