"""Load ids and endpoints of edges, and link every edge.

column  : (m,) integers of any type, as the caller passed them; vertex v has the id v + low.
offsets : (n + 1,), and indices : (m,), of an adjacency list. Entry e is an edge from row r to
          indices[e], where offsets[r] <= e < offsets[r + 1].

The caller owns this memory and may write to it during the run. A kernel therefore loads each word
once and checks it against a bound before using it as an index. A check by an earlier pass proves
nothing about a later load.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from . import primitives
from .primitives import SOON, SOONER, no_prefetch

ONE = np.uint64(1)
SAMPLE_BLOCK = 256  # consecutive edges that a sample includes or skips together


def distance(on: Any, wide: type) -> Any:
    """Return ``column[i] - low`` as an unsigned integer of type ``wide``.

    Subtraction is modulo 2^32 or 2^64. The n ids low .. low + n - 1 give 0 .. n - 1. Every other id
    gives n or more, because different ids of the columns' types give different values of ``wide``
    (see :class:`cc_rapids.graph.edges.Edges`).
    """

    @on.device
    def distance(column, i, low):
        return wide(np.int64(column[i]) - low)

    return distance


def entries_of(on: Any) -> Any:
    """Return the first and the past-the-end entry of a row, clamped to the number of entries.

    Invalid offsets therefore never lead outside ``indices``. String kernels use this function too:
    the bytes of a string are a row.
    """

    @on.device
    def entries(offsets, indices, v):
        last = min(np.uint64(offsets[v + ONE]), np.uint64(indices.size))
        return min(np.uint64(offsets[v]), last), last

    return entries


def row_of(on: Any) -> Any:
    """Return the row r of entry e of an adjacency list, found by bisection.

    Searches for neighbouring entries read mostly the same offsets.
    """

    @on.device
    def row(offsets, n, e):
        low, high = np.uint64(0), np.uint64(n)
        while high - low > ONE:
            middle = (low + high) >> ONE
            if np.uint64(offsets[middle]) <= e:
                low = middle
            else:
                high = middle
        return low

    return row


def rows(on: Any) -> Any:
    """Write the row of each entry of an adjacency list."""
    row = row_of(on)

    @on.elementwise
    def rows(e, n, offsets, out):
        out[e] = row(offsets, n, e)

    return rows


def edge_of_list(on: Any, wide: type) -> Any:
    """Return the endpoints of an edge of an edge list, as distances from the lowest id."""
    at = distance(on, wide)

    @on.device
    def load_edge(e, src, dst, low, n):
        return at(src, e, low), at(dst, e, low)

    return load_edge


def edge_of_list_streaming(on: Any, wide: type) -> Any:
    """Return the same as ``edge_of_list``, by streaming loads, which do not fill the caches."""
    load_streaming = on.load_streaming

    @on.device
    def load_edge(e, src, dst, low, n):
        u, v = np.int64(load_streaming(src, e)) - low, np.int64(load_streaming(dst, e)) - low
        return wide(u), wide(v)

    return load_edge


def prefetch_ahead(on: Any, wide: type, edge_index: Any) -> Any:
    """Prefetch the parents for a later edge, and the grandparents for a nearer edge."""
    if on.prefetch is None:
        return no_prefetch(on)
    at, prefetch = distance(on, wide), on.prefetch

    @on.device
    def prefetch_edge(i, src, dst, low, parent):
        later, nearer, m = edge_index(i + SOON), edge_index(i + SOONER), np.uint64(src.size)
        if later < m:
            prefetch(parent, at(src, later, low))
            prefetch(parent, at(dst, later, low))
        if nearer < m:
            u, v = at(src, nearer, low), at(dst, nearer, low)
            if max(u, v) < np.uint64(parent.size):
                prefetch(parent, parent[u])
                prefetch(parent, parent[v])

    return prefetch_edge


def edge_of_rows(on: Any, wide: type) -> Any:
    """Return the endpoints of entry e of an adjacency list: its row, and ``indices[e]``."""
    at, row = distance(on, wide), row_of(on)

    @on.device
    def load_edge(e, offsets, indices, low, n):
        return wide(row(offsets, n, e)), at(indices, e, low)

    return load_edge


class EdgeForm(NamedTuple):
    """The functions that load and prefetch the edges of one kind of arrays ``src`` and ``dst``."""

    load: Callable[..., Any]
    load_streaming: Callable[..., Any]
    prefetch: Callable[..., Any]


LIST = EdgeForm(edge_of_list, edge_of_list_streaming, prefetch_ahead)
ROWS = EdgeForm(edge_of_rows, edge_of_rows, no_prefetch)


def checked(on: Any, vertex: type, wide: type, load_edge: Any) -> Any:
    """Return the endpoints of an edge as vertices; (0, 0) for an invalid edge.

    An edge is invalid if an endpoint is not below n; ``out_of_range`` is then set. A self-loop
    joins nothing; its vertex is marked as present.
    """
    mark = primitives.mark(on)

    @on.device
    def read(e, src, dst, low, n, present, out_of_range):
        u, v = load_edge(e, src, dst, low, n)
        if max(u, v) >= wide(n):
            out_of_range[0] = 1
            u, v = wide(0), wide(0)
        elif u == v:
            mark(present, vertex(u))
        return vertex(u), vertex(v)

    return read


def every(on: Any) -> Any:
    """Return the number of the i-th edge to read: i, as edges are read in order."""

    @on.device
    def edge_index(i):
        return i

    return edge_index


def sampled(on: Any, every: int) -> Any:
    """Return the number of the i-th sampled edge.

    Of ``every`` consecutive blocks of SAMPLE_BLOCK edges, the first block is sampled.
    """
    block, gap = np.uint64(SAMPLE_BLOCK), np.uint64((every - 1) * SAMPLE_BLOCK)

    @on.device
    def sampled(i):
        return i + i // block * gap

    return sampled


def unsampled(on: Any, every: int) -> Any:
    """Return the number of the i-th edge outside the sample of :func:`sampled`."""
    # if ``every`` is 1, no edge is outside the sample; max() only prevents a division by zero
    block, gap = np.uint64(SAMPLE_BLOCK), np.uint64(max(every - 1, 1) * SAMPLE_BLOCK)

    @on.device
    def unsampled(i):
        return i + (i // gap + ONE) * block

    return unsampled


def sampled_count(m: int, every: int) -> int:
    """Return how many of m edges are in the sample of :func:`sampled`."""
    period = every * SAMPLE_BLOCK
    return m // period * SAMPLE_BLOCK + min(m % period, SAMPLE_BLOCK)


def from_vertex(on: Any) -> Any:
    """Return vertex v as the start of a climb, which then shortens the whole path of v."""

    @on.device
    def begin(v, p):
        return v

    return begin


def from_parent(on: Any) -> Any:
    """Return the parent p of v as the start of a climb.

    After a sample, trees are shallow, so the path of v need not be shortened; p is loaded already.
    """

    @on.device
    def begin(v, p):
        return p

    return begin


def one_edge(on: Any, vertex: type, wide: type, join: Any, begin: Any) -> Any:
    """Link the two endpoints of an edge; climbs start at the vertex that ``begin`` returns.

    A self-loop only marks its vertex as present. In a dense graph most edges have two endpoints
    with the same parent, and cost only the two reads of these parents.
    """
    mark = primitives.mark(on)

    @on.device
    def one_edge(u, v, e, n, parent, aux, hook_edge, present, out_of_range):
        if max(u, v) >= wide(n):
            out_of_range[0] = 1
        elif u == v:
            mark(present, vertex(u))
        else:
            p, q = parent[u], parent[v]
            if p != q:
                join(parent, aux, hook_edge, begin(vertex(u), p), begin(vertex(v), q), e)

    return one_edge


def every_edge(on: Any, link_one: Any, load_edge: Any, edge_index: Any, prefetch_edge: Any) -> Any:
    """Link the endpoints of each edge, in any order and concurrently."""

    @on.elementwise
    def every_edge(i, src, dst, low, n, parent, aux, hook_edge, present, out_of_range):
        prefetch_edge(i, src, dst, low, parent)
        e = edge_index(i)
        u, v = load_edge(e, src, dst, low, n)
        link_one(u, v, e, n, parent, aux, hook_edge, present, out_of_range)

    return every_edge


def pick_edges(on: Any) -> Any:
    """Copy the endpoints of selected rows of an edge list, in the order of the selection."""

    @on.elementwise
    def pick_edges(i, rows, src, dst, us, vs):
        e = rows[i]
        us[i], vs[i] = src[e], dst[e]

    def by_numpy(n, rows, src, dst, us, vs):
        us[:n], vs[:n] = src[rows[:n]], dst[rows[:n]]

    pick_edges.by_numpy = by_numpy
    return pick_edges


def mark_rows(on: Any, vertex: type) -> Any:
    """Mark the vertices whose row is not empty."""
    mark = primitives.mark(on)

    @on.elementwise
    def mark_rows(v, offsets, present):
        if offsets[v] != offsets[v + ONE]:
            mark(present, vertex(v))

    return mark_rows
