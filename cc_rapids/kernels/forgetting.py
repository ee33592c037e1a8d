"""Select the edges that remain after removals, in one pass over their endpoints.

touched: the bit set of the roots of the components that lose an edge; see primitives.py.
words  : uint32, a bit set of the slots of ids (see arrival_table.py): the slots of the vertices of
         these components, and the slots without a vertex.
labels : unsigned, for each vertex the root of its tree before the remaining edges are linked again;
         n if the vertex is removed; all bits set for an id that is not a vertex. For dense ids,
         label k is for the id ``base + k``, and the last label is for all ids out of range. Sparse
         ids are looked up in advance.
before : (n,) vertex, the root of each vertex before the removals.
gone   : (n,) uint8, not 0 for vertices that are removed with all their edges; empty if there are
         none.
ends   : the bit set of the endpoints of removed pairs; empty if there are none.
pairs  : (k,) uint64, sorted, the removed pairs: the smaller endpoint in the upper half, the larger
         in the lower. All bits are set for pairs that remove nothing.

If few vertices are touched, two bits are loaded for each edge. All bits fit into the cache, and
only edges with a set bit are looked up. If many vertices are touched, two labels are loaded for
each edge. A remaining edge between two trees links them again. If its endpoints were not connected
before the removals, it was never inserted, which is an error. Without a kept forest, the endpoints
of all remaining edges are written instead, and all are linked again.
"""

from typing import Any

import numpy as np

from . import arrival_table as arrivals
from .primitives import SOON, has, mark, no_prefetch, none_of

WORD = np.uint32
ZERO, ONE, HALF = np.uint64(0), np.uint64(1), np.uint64(32)
LOW, FIVE, MASK = np.uint64((1 << 32) - 1), np.uint64(5), np.uint64(31)
NONE = none_of(np.uint64)  # the key of a pair that removes nothing
MISSING, DISTINCT = ZERO, ONE  # elements of ``counts``


def label_loaders(on: Any) -> Any:
    """Return a function that loads the label of an id, and a function that prefetches the label."""
    (place, _), read_key, prefetch = arrivals.by_place(on), arrivals.key_of(on), on.prefetch

    @on.device
    def label_of(column, i, base, labels):
        return labels[place(read_key(column, i), base, np.uint64(labels.size))]

    if prefetch is None:
        return label_of, no_prefetch(on)

    @on.device
    def prefetch_label(column, i, base, labels):
        if i < np.uint64(column.size):
            prefetch(labels, place(read_key(column, i), base, np.uint64(labels.size)))

    return label_of, prefetch_label


def write_removal_keys(on: Any, vertex: type, find: Any) -> Any:
    """Write the key of each pair to remove; count the pairs that are not connected as MISSING.

    ``src_known`` and ``dst_known`` are not 0 where the id is a vertex. A pair of equal vertices
    gets the key NONE, because a self-loop connects nothing.
    """
    add = on.atomic_add

    @on.elementwise
    def write_removal_keys(i, src, dst, src_known, dst_known, parent, keys, counts):
        key, connected = NONE, False
        if src_known[i] != 0 and dst_known[i] != 0:
            u, v = np.uint64(src[i]), np.uint64(dst[i])
            connected = find(parent, vertex(u)) == find(parent, vertex(v))
            if connected and u != v:
                key = min(u, v) << HALF | max(u, v)
        if not connected:
            add(counts, MISSING, ONE)
        keys[i] = key

    return write_removal_keys


def count_distinct(on: Any) -> Any:
    """Count the distinct keys of pairs that remove an edge; the keys are sorted."""
    add = on.atomic_add

    @on.elementwise
    def count_distinct(i, pairs, counts):
        if pairs[i] != NONE and (i == ZERO or pairs[i - ONE] != pairs[i]):
            add(counts, DISTINCT, ONE)

    return count_distinct


def touch_pairs(on: Any, vertex: type, find: Any) -> Any:
    """Mark the endpoints of removed pairs, and the roots of their trees."""
    put = mark(on)

    @on.elementwise
    def touch_pairs(i, pairs, parent, ends, touched):
        key = pairs[i]
        if key != NONE:
            put(ends, key >> HALF)
            put(ends, key & LOW)
            put(touched, find(parent, vertex(key & LOW)))

    return touch_pairs


def touch_vertices(on: Any, vertex: type, find: Any) -> Any:
    """Mark removed vertices, and the roots of their trees."""
    put = mark(on)

    @on.elementwise
    def touch_vertices(i, vertices, parent, gone, touched):
        v = vertices[i]
        gone[v] = 1
        put(touched, find(parent, vertex(v)))

    return touch_vertices


def prefetch_grandparent(on: Any) -> Any:
    """Prefetch the grandparent of a later vertex."""
    prefetch = on.prefetch
    if prefetch is None:
        return no_prefetch(on)

    @on.device
    def prefetch_grandparent(parent, v):
        if v + SOON < np.uint64(parent.size):
            prefetch(parent, parent[v + SOON])

    return prefetch_grandparent


def singles(on: Any, vertex: type, find: Any) -> Any:
    """Write to ``after`` a flat forest in which each vertex of a touched tree is its own root.

    The roots in ``parent`` are written to ``before``. The vertices of touched trees are counted.
    """
    reduce_add, is_touched, prefetch = on.block_reduce_add, has(on), prefetch_grandparent(on)

    @on.grid_stride
    def singles(first, last, step, parent, touched, before, after, counts):
        v, total = first, ZERO
        while v < last:
            prefetch(parent, v)
            root = find(parent, vertex(v))
            before[v] = root
            if is_touched(touched, root):
                after[v] = v
                total += ONE
            else:
                after[v] = root
            v += step
        reduce_add(counts, ZERO, total)

    return singles


def unknown_words(on: Any) -> Any:
    """Write a word of bits, one bit for each slot; the bit is set if the slot has no vertex.

    ``slots`` has the vertex of each slot, or n or more if there is none. If the array is empty,
    slot s is vertex s, and slots of n or more have no vertex.
    """

    @on.elementwise
    def unknown_words(w, size, n, slots, words):
        word = WORD(0)
        slot, last = w << FIVE, min((w + ONE) << FIVE, np.uint64(size))
        while slot < last:
            v = np.uint64(slots[slot]) if slots.size != 0 else slot
            if v >= np.uint64(n):
                word = WORD(word | WORD(WORD(1) << WORD(slot & MASK)))
            slot += ONE
        words[w] = word

    return unknown_words


def touch_slots(on: Any) -> Any:
    """Set the bits of the slots of vertices whose tree was touched.

    The slot of vertex v is the slot of the id ``ids[v]``, or v if ``ids`` is empty.
    """
    is_touched, put, (place, _) = has(on), mark(on), arrivals.by_place(on)

    @on.elementwise
    def touch_slots(v, before, touched, ids, base, size, words):
        if is_touched(touched, before[v]):
            put(words, place(ids[v], base, np.uint64(size)) if ids.size != 0 else v)

    return touch_slots


def list_touched(on: Any) -> Any:
    """Write to ``rows``, in any order, the numbers of edges with an endpoint whose bit is set.

    ``count`` is the number of all such edges; those that do not fit into ``rows`` are not written.
    """
    (place, _), read_key, add = arrivals.by_place(on), arrivals.key_of(on), on.atomic_add
    in_words = has(on)

    @on.device
    def has_bit(column, i, base, size, words):
        return in_words(words, place(read_key(column, i), base, size))

    @on.elementwise
    def list_touched(i, src, dst, base, size, words, rows, count):
        slots = np.uint64(size)
        if has_bit(src, i, base, slots, words) or has_bit(dst, i, base, slots, words):
            k = add(count, ZERO, ONE)
            if k < np.uint64(rows.size):
                rows[k] = i

    return list_touched


def labels_of_places(on: Any, label: type) -> Any:
    """Write the label of the vertex in each slot of a table; all bits set for an empty slot."""
    none = none_of(label)

    @on.elementwise
    def labels_of_places(s, n, table, labels, out):
        v = np.uint64(table[s])
        out[s] = labels[v] if v < np.uint64(n) else none

    return labels_of_places


def mark_roots(on: Any) -> Any:
    """Mark the roots of vertices whose tree was touched, except removed vertices."""
    is_touched = has(on)

    @on.elementwise
    def mark_roots(v, parent, before, touched, gone, marks):
        is_root = np.uint64(parent[v]) == v and is_touched(touched, before[v])
        if gone.size != 0 and gone[v] != 0:
            is_root = False
        marks[v] = np.uint8(1) if is_root else np.uint8(0)

    return mark_roots


def is_listed(on: Any) -> Any:
    """Return whether two vertices are a removed pair, by bisection."""
    is_end = has(on)

    @on.device
    def is_listed(u, v, ends, pairs):
        if ends.size == 0 or not is_end(ends, u) or not is_end(ends, v):
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


def mark_removed(on: Any, is_listed: Any) -> Any:
    """Mark the removed edges: edges between removed pairs, and edges of removed vertices."""

    @on.elementwise
    def mark_removed(i, src, dst, gone, ends, pairs, marks):
        u, v = np.uint64(src[i]), np.uint64(dst[i])
        dropped = gone.size != 0 and (gone[u] != 0 or gone[v] != 0)
        marks[i] = np.uint8(1) if dropped or is_listed(u, v, ends, pairs) else np.uint8(0)

    return mark_removed


def mark_between(on: Any, label: type) -> Any:
    """Mark the edges between two trees, and the edges with an endpoint that is not a vertex.

    The caller rejects the latter. Edges between a removed vertex, whose label is n, and another
    vertex are not marked.
    """
    (label_of, prefetch_label), none = label_loaders(on), none_of(label)

    @on.elementwise
    def mark_between(i, src, dst, base, n, labels, marks):
        prefetch_label(src, i + SOON, base, labels)
        prefetch_label(dst, i + SOON, base, labels)
        u, v = label_of(src, i, base, labels), label_of(dst, i, base, labels)
        kept = u != v
        if np.uint64(max(u, v)) >= np.uint64(n):  # an endpoint is removed or is not a vertex
            kept = max(u, v) == none
        marks[i] = np.uint8(1) if kept else np.uint8(0)

    return mark_between


def write_ends(on: Any, vertex: type, label: type, is_listed: Any) -> Any:
    """Write the labels of both endpoints of each remaining edge; other edges become loops (0, 0).

    In a touched tree the label of a vertex is the vertex. If an endpoint is not a vertex,
    ``not_vertex`` is set to ``flag_value``.
    """
    (label_of, prefetch_label), none = label_loaders(on), none_of(label)

    @on.elementwise
    def write_ends(i, src, dst, base, n, labels, ends, pairs, us, vs, flag_value, not_vertex):
        prefetch_label(src, i + SOON, base, labels)
        prefetch_label(dst, i + SOON, base, labels)
        u, v = label_of(src, i, base, labels), label_of(dst, i, base, labels)
        if np.uint64(max(u, v)) >= np.uint64(n):
            if max(u, v) == none:
                not_vertex[0] = np.uint64(flag_value)
            u, v = label(0), label(0)
        elif is_listed(np.uint64(u), np.uint64(v), ends, pairs):
            u, v = label(0), label(0)
        us[i], vs[i] = vertex(u), vertex(v)

    return write_ends


def flag_crossing(on: Any) -> Any:
    """Set ``crossing`` if a vertex and its parent were in different trees before the removals."""

    @on.elementwise
    def flag_crossing(v, parent, before, flag_value, crossing):
        if before[parent[v]] != before[v]:
            crossing[0] = np.uint64(flag_value)

    return flag_crossing
