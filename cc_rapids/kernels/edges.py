"""Readers of ids and of the ends of edges, and the kernel that links every edge.

column  : (m,) integers of any type, as it came; vertex v has the id v + low.
offsets : (n + 1,) and indices : (m,) of an adjacency list, whose entry e is an edge from the row
          r with offsets[r] <= e < offsets[r + 1] to indices[e].

All of these are the caller's memory, which another thread may write meanwhile. So a kernel loads
each word once, and compares what it has loaded with a bound before it indexes by it: what an
earlier pass has seen there proves nothing.
"""

from typing import Any

import numpy as np

from . import primitives
from .primitives import SOON, SOONER

ONE = np.uint64(1)
SAMPLE_BLOCK = 256  # edges, or rows of a column, that are in a sample together


def distance(on: Any, wide: type) -> Any:
    """Return the distance of a row's id from the lowest, as an unsigned integer of its width.

    Modulo 2^32 or 2^64 that is right for the ids of the n vertices, and n or more for all others
    of their type, because low .. low + n - 1 lie within the type.
    """

    @on.device
    def distance(column, i, low):
        return wide(np.int64(column[i]) - low)

    return distance


def entries_of(on: Any) -> Any:
    """Return the start and the end of the entries of a row.

    They are within all entries, whatever the offsets say.

    Or the bytes of a string.
    """

    @on.device
    def entries(offsets, indices, v):
        last = min(np.uint64(offsets[v + ONE]), np.uint64(indices.size))
        return min(np.uint64(offsets[v]), last), last

    return entries


def row_of(on: Any) -> Any:
    """Return the row of an entry of an adjacency list: offsets[r] <= e < offsets[r + 1].

    By bisection: neighbours take the same steps, so that they read the same words.
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
    """Return the ends of an edge of a list, as distances from the lowest id."""
    at = distance(on, wide)

    @on.device
    def load_edge(e, src, dst, low, n):
        return at(src, e, low), at(dst, e, low)

    return load_edge


def edge_of_list_streaming(on: Any, wide: type) -> Any:
    """Return the same as ``edge_of_list``, without filling the caches with the columns."""
    load_streaming = on.load_streaming

    @on.device
    def load_edge(e, src, dst, low, n):
        return wide(np.int64(load_streaming(src, e)) - low), wide(
            np.int64(load_streaming(dst, e)) - low
        )

    return load_edge


def no_prefetch(on: Any, wide: type, edge_index: Any) -> Any:
    """Prefetch nothing."""

    @on.device
    def prefetch_edge(i, src, dst, low, parent):
        return

    return prefetch_edge


def prefetch_ahead(on: Any, wide: type, edge_index: Any) -> Any:
    """Prefetch the parents of the ends of a later edge, and the parents of these of a nearer one.

    Without this, a processor waits for each edge; a GPU has other threads to run meanwhile.
    """
    if on.prefetch is None:
        return no_prefetch(on, wide, edge_index)
    at, prefetch = distance(on, wide), on.prefetch

    @on.device
    def prefetch_edge(i, src, dst, low, parent):
        e, sooner, m = edge_index(i + SOON), edge_index(i + SOONER), np.uint64(src.size)
        if e < m:
            prefetch(parent, at(src, e, low))
            prefetch(parent, at(dst, e, low))
        if sooner < m:
            u, v = at(src, sooner, low), at(dst, sooner, low)
            if max(u, v) < np.uint64(parent.size):
                prefetch(parent, parent[u])
                prefetch(parent, parent[v])

    return prefetch_edge


def edge_of_rows(on: Any, wide: type) -> Any:
    """Return the ends of an entry of an adjacency list: its row and its index."""
    at, row = distance(on, wide), row_of(on)

    @on.device
    def load_edge(e, offsets, indices, low, n):
        return wide(row(offsets, n, e)), at(indices, e, low)

    return load_edge


def checked(on: Any, vertex: type, wide: type, load_edge: Any) -> Any:
    """Return the ends of an edge as vertices; vertex 0 twice for an invalid edge.

    An edge is invalid if an end is beyond the n vertices; ``out_of_range`` is then set. A self-loop
    joins nothing either: only the presence of its vertex is recorded.
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
    """Return the i-th of all edges, in order."""

    @on.device
    def edge_index(i):
        return i

    return edge_index


def sampled(on: Any, every: int) -> Any:
    """Return the i-th edge of a sample: the first of every ``every`` blocks."""
    block, between = np.uint64(SAMPLE_BLOCK), np.uint64((every - 1) * SAMPLE_BLOCK)

    @on.device
    def sampled(i):
        return i + i // block * between

    return sampled


def unsampled(on: Any, every: int) -> Any:
    """Return the i-th edge outside the sample."""
    block, between = np.uint64(SAMPLE_BLOCK), np.uint64(max(every - 1, 1) * SAMPLE_BLOCK)

    @on.device
    def unsampled(i):
        return i + (i // between + ONE) * block

    return unsampled


def sampled_count(m: int, every: int) -> int:
    """Return the number of m edges that are in the sample."""
    return m // (every * SAMPLE_BLOCK) * SAMPLE_BLOCK + min(
        m % (every * SAMPLE_BLOCK), SAMPLE_BLOCK
    )


def from_vertex(on: Any) -> Any:
    """Climb from the end of an edge and shorten its path, since trees are deep meanwhile."""

    @on.device
    def begin(v, p):
        return v

    return begin


def from_parent(on: Any) -> Any:
    """Climb from the parent of an end, which is already read; the trees of a sample are shallow."""

    @on.device
    def begin(v, p):
        return p

    return begin


def one_edge(on: Any, vertex: type, wide: type, join: Any, begin: Any) -> Any:
    """Link the two ends of an edge, with climbs that start at ``begin``.

    A self-loop joins nothing: that its vertex occurs is the only thing to note. Most edges of a
    dense graph have two ends with one parent: two reads are all they cost.
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


def every_edge(on: Any, one: Any, load_edge: Any, edge_index: Any, prefetch_edge: Any) -> Any:
    """Link the ends of each edge, in any order and at the same time.

    ``edge_index`` says which is the i-th, ``prefetch_edge`` asks for the parents of one that comes
    soon.
    """

    @on.elementwise
    def every_edge(i, src, dst, low, n, parent, aux, hook_edge, present, out_of_range):
        prefetch_edge(i, src, dst, low, parent)
        e = edge_index(i)
        u, v = load_edge(e, src, dst, low, n)
        one(u, v, e, n, parent, aux, hook_edge, present, out_of_range)

    return every_edge


def pick_edges(on: Any) -> Any:
    """Copy the edges of some rows of a list, in the order of these."""

    @on.elementwise
    def pick_edges(i, rows, src, dst, us, vs):
        e = rows[i]
        us[i], vs[i] = src[e], dst[e]

    return pick_edges


def mark_rows(on: Any, vertex: type) -> Any:
    """Mark the vertices whose row is not empty."""
    mark = primitives.mark(on)

    @on.elementwise
    def mark_rows(v, offsets, present):
        if offsets[v] != offsets[v + ONE]:
            mark(present, vertex(v))

    return mark_rows
