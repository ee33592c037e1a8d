"""Select the edges that remain after removals, in one pass over the labels of their endpoints.

labels : unsigned, for each vertex the root of its tree without the remaining edges, n if the vertex
is removed, or all bits set for an id that is not a vertex. For dense ids there is one label for
each id starting at ``base``; the last label stands for all ids out of range. Sparse ids are looked
up in advance.
before : (n,) vertex, the root of each vertex before the removals.
gone   : (n,) uint8, not 0 for vertices that are removed with all their edges; empty if there are
         none.
ends   : (n,) uint8, not 0 for endpoints of removed pairs; empty if there are none.
pairs  : (k,) uint64, sorted, the removed pairs: the smaller endpoint in the upper half, the larger
         in the lower.

Most edges have both endpoints in one tree and cost two loads of labels. An edge between two trees
was either inserted before, or joins vertices that were never connected. If nearly all vertices are
in affected trees, the endpoints of all edges are written and solved again.
"""

from typing import Any

import numpy as np

from . import arrival_table as arrivals
from .primitives import SOON, none_of

ZERO, ONE, HALF = np.uint64(0), np.uint64(1), np.uint64(32)


def labelled(on: Any) -> Any:
    """Return a function that loads the label of an id, and one that prefetches it."""
    place, read_key, prefetch = arrivals.by_place(on)[0], arrivals.key_of(on), on.prefetch

    @on.device
    def label_of(column, i, base, labels):
        return labels[place(read_key(column, i), base, np.uint64(labels.size))]

    if prefetch is None:

        @on.device
        def nothing_soon(column, i, base, labels):
            return

        return label_of, nothing_soon

    @on.device
    def soon(column, i, base, labels):
        if i < np.uint64(column.size):
            prefetch(labels, place(read_key(column, i), base, np.uint64(labels.size)))

    return label_of, soon


def singles(on: Any, vertex: type) -> Any:
    """Make each vertex of an affected tree its own root; the others keep their root."""

    @on.elementwise
    def singles(v, before, touched, parent):
        root = before[v]
        parent[v] = vertex(v) if touched[root] != 0 else root

    return singles


def labels_of_places(on: Any, label: type) -> Any:
    """Write the label of the vertex in each slot of a table; all bits set for an empty slot."""
    none = none_of(label)

    @on.elementwise
    def labels_of_places(s, n, table, labels, out):
        number = np.uint64(table[s])
        out[s] = labels[number] if number < np.uint64(n) else none

    return labels_of_places


def mark_roots(on: Any) -> Any:
    """Mark the roots of affected trees, except removed vertices."""

    @on.elementwise
    def mark_roots(v, parent, before, touched, gone, marks):
        is_root = np.uint64(parent[v]) == v and touched[before[v]] != 0
        if gone.size != 0 and gone[v] != 0:
            is_root = False
        marks[v] = np.uint8(1) if is_root else np.uint8(0)

    return mark_roots


def is_listed(on: Any) -> Any:
    """Return whether two vertices are a removed pair, by bisection."""

    @on.device
    def is_listed(u, v, ends, pairs):
        if ends.size == 0 or ends[u] == 0 or ends[v] == 0:
            return False
        key = np.uint64(min(u, v)) << HALF | np.uint64(max(u, v))
        low, high = ZERO, np.uint64(pairs.size)
        while low < high:
            middle = (low + high) >> ONE
            if pairs[middle] < key:
                low = middle + ONE
            else:
                high = middle
        return low < np.uint64(pairs.size) and pairs[low] == key

    return is_listed


def pair_keys(on: Any) -> Any:
    """Write the key of each pair of vertices, the same in both directions."""

    @on.elementwise
    def pair_keys(i, src, dst, keys):
        u, v = np.uint64(src[i]), np.uint64(dst[i])
        keys[i] = min(u, v) << HALF | max(u, v)

    return pair_keys


def mark_going(on: Any, is_listed: Any) -> Any:
    """Mark the removed edges: removed pairs, and edges of removed vertices."""

    @on.elementwise
    def mark_going(i, src, dst, gone, ends, pairs, marks):
        u, v = np.uint64(src[i]), np.uint64(dst[i])
        dropped = gone.size != 0 and (gone[u] != 0 or gone[v] != 0)
        marks[i] = np.uint8(1) if dropped or is_listed(u, v, ends, pairs) else np.uint8(0)

    return mark_going


def mark_between(on: Any, label: type) -> Any:
    """Mark the edges between two trees, and those with an endpoint that is not a vertex.

    The label of a removed vertex is n.
    """
    (label_of, soon), none = labelled(on), none_of(label)

    @on.elementwise
    def mark_between(i, src, dst, base, n, labels, marks):
        soon(src, i + SOON, base, labels)
        soon(dst, i + SOON, base, labels)
        u, v = label_of(src, i, base, labels), label_of(dst, i, base, labels)
        kept = u != v
        if np.uint64(max(u, v)) >= np.uint64(n):
            kept = max(u, v) == none
        marks[i] = np.uint8(1) if kept else np.uint8(0)

    return mark_between


def write_ends(on: Any, vertex: type, label: type, is_listed: Any) -> Any:
    """Write the labels of both endpoints of each remaining edge, and (0, 0) for other edges.

    In an affected tree the label is the vertex itself. ``strange`` is set if an endpoint is not a
    vertex.
    """
    (label_of, soon), none = labelled(on), none_of(label)

    @on.elementwise
    def write_ends(i, src, dst, base, n, labels, ends, pairs, us, vs, mark, strange):
        soon(src, i + SOON, base, labels)
        soon(dst, i + SOON, base, labels)
        u, v = label_of(src, i, base, labels), label_of(dst, i, base, labels)
        if np.uint64(max(u, v)) >= np.uint64(n):
            if max(u, v) == none:
                strange[0] = np.uint64(mark)
            u, v = label(0), label(0)
        elif is_listed(np.uint64(u), np.uint64(v), ends, pairs):
            u, v = label(0), label(0)
        us[i], vs[i] = vertex(u), vertex(v)

    return write_ends


def note_crossing(on: Any) -> Any:
    """Set ``crossing`` if a vertex and its parent were in different trees before."""

    @on.elementwise
    def note_crossing(v, parent, before, mark, crossing):
        if before[parent[v]] != before[v]:
            crossing[0] = np.uint64(mark)

    return note_crossing
