"""Sample: which edges are linked first, and which of the others may then be left out.

A sample joins most of the largest component. Once it is flat, an edge with both ends in there
joins nothing, and one bit a vertex tells: 32 times fewer bytes than the parents, so that the bits
stay in a cache where the parents do not.

rest : (n + 31) // 32 words, the vertices outside the largest component of the sample.
"""

from typing import Any

import numpy as np

from ..catalog import choice
from . import bits
from .answer import EIGHT, ONE, THREE

BLOCK, STRIDE = np.uint64(256), np.uint64(1024)  # edges: one block of each stride is the sample
PROBES = 256  # vertices looked at to find the largest component
SPREAD, LOW_WORD = np.uint64(2654435761), np.uint64(0xFFFFFFFF)  # Knuth's multiplicative hash
COUNT_SHIFT = np.int64(48)


@choice("sample", "none", paper="Hong et al. 2020, Algorithm 1")
def none(on: Any) -> None:
    """Link every edge in one phase."""


@choice("sample", "strided", paper="Hong et al. 2020, 3.3, for edge lists: every fourth block")
def strided(on: Any) -> Any:
    """Link every fourth block of edges first, then those that are not inside the largest tree."""
    return sampled(on), others(on)


def every(on: Any) -> Any:
    """All edges, in order."""

    @on.device
    def place(i):
        return i

    return place


def sampled(on: Any) -> Any:
    """The edges of the sample: the first block of each stride, read as it lies."""

    @on.device
    def place(i):
        return i // BLOCK * STRIDE + i % BLOCK

    return place


def others(on: Any) -> Any:
    """The edges that are not in the sample."""
    left = np.uint64(STRIDE - BLOCK)

    @on.device
    def place(i):
        return i // left * STRIDE + BLOCK + i % left

    return place


def sampled_count(m: int) -> int:
    """How many of m edges are in the sample."""
    block, stride = int(BLOCK), int(STRIDE)
    return m // stride * block + min(m % stride, block)


def largest(on: Any, vertex: type) -> Any:
    """Of some vertices the most frequent root: best = [count << 48 | root], at first 0.

    Run for each probe; the parents are flat.
    """
    high, probes = on.max, np.uint64(PROBES)

    @on.device
    def root(parent, n, i):
        return parent[((i * SPREAD) & LOW_WORD) % np.uint64(n)]

    @on.each
    def largest(i, n, parent, best):
        r, count, j = root(parent, n, i), np.int64(0), np.uint64(0)
        while j < probes:
            if root(parent, n, j) == r:
                count += np.int64(1)
            j += np.uint64(1)
        high(best, 0, (count << COUNT_SHIFT) | np.int64(r))

    return largest


def mark_rest(on: Any, vertex: type) -> Any:
    """Note the vertices outside the largest tree, a byte of the set at a time; parents are flat."""
    low_bits = np.int64((1 << 48) - 1)

    @on.each
    def mark_rest(b, n, parent, best, octets):
        giant = vertex(best[0] & low_bits)
        octet, one, v = np.uint8(0), np.uint8(1), b << THREE
        last = min(v + EIGHT, np.uint64(n))
        while v < last:
            if parent[v] != giant:
                octet |= one
            one = np.uint8(one << ONE)
            v += np.uint64(1)
        octets[b] = octet

    return mark_rest


def from_vertex(on: Any) -> Any:
    """Climb from the end of an edge, and shorten its path: trees are deep while all edges link."""

    @on.device
    def begin(v, p):
        return v

    return begin


def from_parent(on: Any) -> Any:
    """Climb from the parent of an end, which is read already: the trees of a sample are low, and
    flat after it.
    """

    @on.device
    def begin(v, p):
        return p

    return begin


def anywhere(on: Any) -> Any:
    """No edge is left out."""

    @on.device
    def open_edge(rest, u, v):
        return True

    return open_edge


def outside(on: Any) -> Any:
    """An edge inside the largest tree is left out: its ends are joined already."""
    has = bits.has(on)

    @on.device
    def open_edge(rest, u, v):
        return has(rest, u) or has(rest, v)

    return open_edge
