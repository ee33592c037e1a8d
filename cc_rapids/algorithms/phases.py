"""Phases of a run, driven by the host: the initial trees, and the edges after the sample.

A function becomes a step by binding all arguments but the state of a run (see run.py). Hong et al.
2020, Algorithm 1 and Section 3.5.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..backends import Kernel
from ..kernels.blocks import MAX_TIMES_AVERAGE
from ..kernels.partition import TILE
from ..kernels.spec import Step


class Remaining(NamedTuple):
    """A copy of the remaining edges, for rounds."""

    us: Any  # (k,) the endpoints
    vs: Any
    rows: Any  # (k,) the rows of the edges in the input; empty if no spanning forest is recorded


class LinkEdges(Protocol):
    """A step that links the first ``count`` edges of a run's state, or all edges by default."""

    def __call__(self, state: Any, count: int | None = None) -> None: ...


@dataclass(frozen=True)
class AsListed:
    """A step that links edges in the order of the list, by a single kernel."""

    link_edge: Kernel

    def __call__(self, state: Any, count: int | None = None) -> None:
        count = state.m if count is None else count
        self.link_edge(count, *state.edges, state.n, *state.trees, *state.flags)


def in_blocks(partition_tile: Any, link_blocks: Any, state: Any, count: int | None = None) -> None:
    """Link edges in the order of blocks of vertices, in batches that fit the buffers.

    Each tile of TILE edges is first ordered by block. ``count`` is as for :class:`LinkEdges`.
    """
    count = state.m if count is None else count
    on, buffers = state.backend, state.partition
    edge_args, blocks = (*state.edges, state.n, *state.flags), buffers.blocks
    for begin in range(0, count, buffers.capacity):
        m = min(buffers.capacity, count - begin)
        tiles = -(-m // TILE)
        partition_tile(tiles, begin, m, blocks, buffers.shift, *edge_args, *buffers.arrays)
        threads = tiles * blocks * on.warp_size  # a warp links the edges of a block in a tile
        link_blocks(threads, tiles, blocks, *buffers.arrays, *state.trees)


def all_rows(link_short: Any, link_long: Any, state: Any) -> None:
    """Link every entry: a short row by one thread, a long row by one thread per entry.

    If every edge occurs in the rows of both endpoints, it is linked only from the row of the larger
    endpoint.
    """
    has_long_rows = state.backend.fill(state.backend.empty(1, np.int64), 0)
    symmetric, trees_and_flags = int(state.symmetric), (*state.trees, *state.flags)
    link_short(state.n, symmetric, has_long_rows, *state.csr.arrays, state.n, *trees_and_flags)
    link_long(state.m, symmetric, has_long_rows, *state.edges, state.n, *trees_and_flags)


def edges_outside(link_edges: Any, left_count: Callable[[int], int], state: Any) -> None:
    """Link every edge outside the sample, except those inside the giant component.

    ``left_count`` returns how many of m edges are outside the sample.
    """
    giant = state.giant
    trees_and_flags = *state.trees, *state.flags, giant.root_word, giant.in_giant
    link_edges(left_count(state.m), *state.edges, state.n, *trees_and_flags)


def rows_outside(list_outside: Any, link_rows: Any, link_all_rows: Step, state: Any) -> None:
    """Link the rows of the vertices outside the giant component (vertex gathering, 3.5).

    If an edge may occur in the row of only one endpoint, all rows are read, because that endpoint
    may be in the giant component.
    """
    if not state.symmetric:
        link_all_rows(state)
        return
    backend, giant, (present, out_of_range) = state.backend, state.giant, state.flags
    count = backend.fill(giant.outside_count, 0)
    octets = giant.in_giant.view(np.uint8)  # the bit set as bytes
    list_outside(octets.size, state.n, state.csr.offsets, octets, count, giant.outside)
    rows = out_of_range, *state.csr.arrays
    trees_and_flags = *state.trees, present, giant.root_word, giant.in_giant
    link_rows(state.n * backend.threads_per_row, count, giant.outside, *rows, *trees_and_flags)


def by_rounds(copy_edge: Any, rounds: Step, after_sample: bool, state: Any) -> None:
    """Copy the remaining edges, and run rounds over the copy.

    After a sample, edges inside the giant component are not copied, so the copies are counted.
    """
    backend, vertex, giant = state.backend, state.trees.parent.dtype, state.giant
    us, vs = backend.empty(state.m, vertex), backend.empty(state.m, vertex)
    rows = backend.empty(state.m if state.record_forest else 0, np.uint64)
    count = backend.fill(backend.empty(1, np.int64), 0)
    copies = giant.root_word, giant.in_giant, count, us, vs, rows
    copy_edge(state.m, *state.edges, state.n, *state.flags, *copies)
    copied = int(backend.to_host(count)[0]) if after_sample else state.m
    rounds(replace(state, remaining=Remaining(us[:copied], vs[:copied], rows[:copied])))


def changes(state: Any, kernel: Any, *arguments: Any) -> bool:
    """Launch a kernel with a flag as its last argument; return whether it set the flag."""
    flag = state.backend.fill(state.backend.empty(1, np.int64), 0)
    kernel(*arguments, flag)
    return bool(state.backend.to_host(flag)[0])


def filtered_edges_outside(filter_edges: Any, left_count: Callable[[int], int], state: Any) -> None:
    """Link the same edges as :func:`edges_outside`; read the giant's bits from shared memory."""
    root_word, in_giant = state.giant.root_word, state.giant.in_giant
    link_arguments = *state.trees, state.flags.present, root_word, in_giant
    edges = left_count(state.m), state.edges, state.n, state.flags
    filter_edges(*edges, in_giant, root_word, state.giant.warp_queues, link_arguments)


def from_blocks(window: int, find_block_offsets: Any, solve: Any, state: Any) -> None:
    """Build the trees of the vertex blocks, each of ``window`` vertices."""
    (src, dst, low), (parent, _, hook_edge) = state.edges, state.trees
    block_count, offsets = state.blocks
    average_edges = window * -(-state.m // max(state.n, 1))
    max_edges, symmetric = MAX_TIMES_AVERAGE * average_edges, int(state.symmetric)  # per block
    find_block_offsets(block_count + 1, state.m, state.n, src, low, offsets)
    trees = parent, hook_edge, offsets
    solve(block_count, src, dst, low, state.n, max_edges, symmetric, *trees)
