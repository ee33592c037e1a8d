"""Look up ids in a solved forest and in sorted ids.

vertices : (m,) uint64, the vertex of each queried id; arbitrary where ``valid`` is 0.
valid    : (m,) uint8; initially 0 where the id is known not to be a vertex, finally 0 where it is
           not a vertex.
parent   : (n,) unsigned, the root of each vertex.
present, before : the present vertices and their ranks, see gather.py.
"""

from typing import Any

import numpy as np

from . import by_numpy, primitives

ZERO, ONE = np.uint64(0), np.uint64(1)


def row(on: Any) -> Any:
    """Return the row of a vertex in the answer: its rank among the present vertices."""
    rank = primitives.rank(on)

    @on.device
    def row(v, parent, present, before):
        return np.uint64(rank(present, before, v))

    return row


def root(on: Any) -> Any:
    """Return the root of a vertex in a flat forest: its parent."""

    @on.device
    def root(v, parent, present, before):
        return np.uint64(parent[v])

    return root


def look_up(on: Any, vertex: type, value: Any) -> Any:
    """Write a value of each vertex that is present; for others write 0 and set ``valid`` to 0.

    ``value`` is the function of :func:`row` or :func:`root`, which take the same parameters.
    """
    has = primitives.has(on)

    @on.elementwise
    def look_up(i, vertices, n, parent, present, before, out, valid):
        v, result = vertices[i], ZERO
        if valid[i] != 0 and v < np.uint64(n) and has(present, vertex(v)):
            result = value(vertex(v), parent, present, before)
        else:
            valid[i] = np.uint8(0)
        out[i] = np.int64(result)

    def look_up_by_numpy(m, vertices, n, parent, present, before, out, valid):
        is_known = (valid[:m] != 0) & (vertices[:m] < np.uint64(n))
        at = np.where(is_known, vertices[:m], ZERO)
        is_known &= by_numpy.has(present, at)
        roots = value.function.__name__ == "root"
        values = parent[at].astype(np.int64) if roots else by_numpy.rank(present, before, at)
        valid[:m], out[:m] = is_known, np.where(is_known, values, 0)

    look_up.by_numpy = look_up_by_numpy
    return look_up


def take(on: Any) -> Any:
    """Write ``values[places[i]]`` to ``out[i]``."""

    @on.elementwise
    def take(i, places, values, out):
        out[i] = values[places[i]]

    def take_by_numpy(n, places, values, out):
        out[:n] = values[places[:n]]

    take.by_numpy = take_by_numpy
    return take


def index_sorted(on: Any) -> Any:
    """Write where each bucket of sorted ids starts; bucket p begins at id low + (p << shift).

    ``starts`` has one more element than there are buckets, for the end of the last bucket. The
    thread of the first id in a bucket writes the starts of this bucket and of empty buckets before
    it. The thread of the last id also writes the starts after its bucket.
    """

    @on.elementwise
    def index_sorted(v, ids, low, shift, starts):
        base, bits = np.uint64(low), np.uint64(shift)
        bucket, last = ZERO, (np.uint64(np.int64(ids[v])) - base) >> bits
        if v > ZERO:
            bucket = ((np.uint64(np.int64(ids[v - ONE])) - base) >> bits) + ONE
        while bucket <= last:
            starts[bucket] = v
            bucket += ONE
        if v + ONE == np.uint64(ids.size):
            while bucket < np.uint64(starts.size):
                starts[bucket] = np.uint64(ids.size)
                bucket += ONE

    return index_sorted


def search_sorted(on: Any) -> Any:
    """Write the position of each query among sorted ids; set ``valid`` to 0 where there is none.

    The position is found by bisection within one bucket. If the ids are evenly spread, a bucket has
    one or two ids, so the search takes few steps. ``low``, ``shift`` and ``starts`` are as in
    :func:`index_sorted`, and ``span`` is the distance from ``low`` to the greatest id.
    """

    @on.elementwise
    def search_sorted(i, queries, ids, low, span, shift, starts, out, valid):
        base, at = np.uint64(low), ZERO
        far = np.uint64(np.int64(queries[i])) - base
        if valid[i] != 0 and far <= np.uint64(span):
            bucket = far >> np.uint64(shift)
            at, end = np.uint64(starts[bucket]), np.uint64(starts[bucket + ONE])
            while at < end:
                middle = (at + end) >> ONE
                if np.uint64(np.int64(ids[middle])) - base < far:
                    at = middle + ONE
                else:
                    end = middle
            if at >= np.uint64(ids.size) or np.uint64(np.int64(ids[at])) - base != far:
                valid[i], at = np.uint8(0), ZERO
        else:
            valid[i] = np.uint8(0)
        out[i] = at

    return search_sorted
