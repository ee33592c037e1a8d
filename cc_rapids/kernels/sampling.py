"""Sampling rules: the edges that are linked first, and the filter for the remaining edges.

A sample joins most vertices into the giant component. A later edge inside the giant component is
redundant; one bit of each endpoint shows this. The bits take 1/32 of the memory of the parents, so
they fit into a cache when the parents do not. When a later edge links a vertex to the giant
component, the bit of the vertex is set.

root_word : [count << 48 | root] of the giant component after the sample.
in_giant : ((n + 31) // 32,) uint32, the bit set of vertices in the giant component. A vertex may be
           missing, or be in the set shortly before it is linked.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from . import edges
from . import primitives as bits
from .giant import giant_of
from .spec import COUNT, Step, sampling_rule

ORDERS = ("listed", "partitioned")  # orders in which edges are linked


class Sample(NamedTuple):
    """The steps of a sampling rule, and the edges that remain."""

    link: Step | None  # links the sampled edges
    before: Step | None = None  # runs before the auxiliary array is built from the parents
    left: Any = None  # device function that returns the index of the i-th remaining edge
    left_count: Callable[[int], int] = int  # the number of remaining edges out of m
    gather: bool = False  # whether vertices outside the giant component are written to a list
    shared: bool = False  # whether the bits of the giant component are read from shared memory
    period: int = 0  # number of edges after which the sample pattern repeats; 0 for no repetition


@sampling_rule(
    "none",
    options={"tiles": ("off", COUNT), "order": ORDERS},
    samples=False,
    paper="Hong et al. 2020, Algorithm 1",
)
def none(on: Any, vertex: type, tiles: str | int, order: str) -> None:
    """Link every edge in one phase.

    ``tiles``: the number of ids per block of vertices; edges inside a block are linked first, in
    shared memory (see kernels/blocks.py). ``order``: whether edges are linked as listed or
    partitioned by blocks of vertices (see kernels/partition.py). Spanning forests, and graphs of
    2^32 vertices or more, always use the listed order.
    """


@sampling_rule(
    "strided",
    requires=("every_edge",),
    options={"every": 5, "bits": ("cached", "shared"), "order": ORDERS},
    needs_list=True,
    paper="Hong et al. 2020, 3.3, for edge lists: every fifth block",
)
def strided(on: Any, vertex: type, every_edge: Any, every: int, bits: str, order: str) -> Sample:
    """Link every fifth block of edges first, then the edges outside the largest tree.

    ``bits``: whether the bits of that tree are read through the caches or first from shared memory
    (see kernels/shared_filter.py). ``order``: whether the sampled edges are linked as listed or
    partitioned by blocks of vertices (see kernels/partition.py). Spanning forests, and graphs of
    2^32 vertices or more, always use cached bits and the listed order.
    """
    link_edges, count = every_edge(edges.sampled(on, every)), edges.sampled_count

    def link(state: Any) -> None:
        link_edges(state, count(state.m, every))

    left, shared = edges.unsampled(on, every), bits == "shared"
    period = every * edges.SAMPLE_BLOCK
    return Sample(link, None, left, lambda m: m - count(m, every), shared=shared, period=period)


def link_edges_outside(
    on: Any, vertex: type, wide: type, link_outside: Any, load_edge: Any, edge_index: Any
) -> Any:
    """Link the edges outside the sample, except those inside the giant component."""

    @on.elementwise
    def link_edges_outside(
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

    return link_edges_outside


def renamed(on: Any, vertex: type) -> Any:
    """Return the new number of a vertex: 0 for the giant component's root.

    The vertices before the root move up by one.
    """
    giant = giant_of(on, vertex)

    @on.device
    def renamed(v, root_word):
        root = giant(root_word)
        if v == root:
            return vertex(0)
        return v if v > root else vertex(v + vertex(1))

    return renamed


def copy_edge(on: Any, vertex: type, wide: type, load_edge: Any, after_sample: bool) -> Any:
    """Copy the renamed endpoints of each edge; after a sample, skip the giant component's edges.

    ``us`` and ``vs`` get the endpoints, and ``es`` the number of the edge, unless ``es`` is empty.
    Without a sample, edge i is copied to position i, and an invalid edge, which also sets
    ``out_of_range``, becomes a loop. A loop that the list contains marks its vertex in ``present``.
    Other edges need no mark, because their vertices get a parent or a child.
    """
    rename, mark, has, add = renamed(on, vertex), bits.mark(on), bits.has(on), on.atomic_add

    @on.elementwise
    def copy_edge(
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
        us[k], vs[k] = rename(vertex(u), root_word), rename(vertex(v), root_word)
        if es.size > 0:
            es[k] = i

    return copy_edge
