"""Kernels of audits, which check an answer against its edges.

Audits share only the backend ``on`` with runs. Any other function that runs use may be wrong, even
one that reads a bit.

Vertices are slots 0 .. n - 1 in the order of their ids; some slots may not be vertices.

src, dst : (m,) integers of any type, as the caller passed them; slot s has the id s + low. For an
           adjacency list, its offsets and its indices.
label_of : (n,) unsigned, the slot of the label of each vertex; all bits set for none.
trees  : (n,) unsigned, shared by all threads, a forest that joins edges of one label. Invariants:
         trees[v] <= v, so every climb ends; and a path of edges connects v and trees[v].
named  : bit set of the vertices that are known to occur: the caller lists them, or they have a
         self-loop, or they are the parent of another vertex.
tally  : (3,) uint64: the number of examined rows, the sum of their indices, and the sum of the
         squares of their indices, modulo 2^64.
wrong  : (1,) int64, not 0 if an edge contradicts the answer.
first  : (FAULTS,) uint64, for each kind of fault the first row or vertex; all bits set for none.

Bit sets are ((n + 31) // 32,) uint32. Bits are only ever set. Allowed race: a read that misses a
bit costs one more atomic operation and changes nothing.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

ZERO, ONE, TWO, THREE, EIGHT = (np.uint64(k) for k in (0, 1, 2, 3, 8))
WORD = np.uint32
SHIFT, LAST, BIT, NONE = WORD(5), WORD(31), WORD(1), WORD(0)  # bit v & LAST of word v >> SHIFT
OCTET = np.uint8(1)  # the first bit of a byte
WORD_BITS = 32  # vertices in a word of bits
HALF = np.uint64(32)  # half of the bits of a hash
SOON = np.uint64(32)  # prefetch distance in rows
# Kinds of faults, in this order: disordered ids, label that is not a vertex, edge that contradicts
# the labels, wrong label, vertex that no edge names, vertex without a path to its label, wrong tree
ORDER, STRANGE, EDGE, LABEL, FOREIGN, MERGED, LOST = (np.uint64(k) for k in range(7))
FAULTS = 7  # number of kinds of faults
WAVES = 16  # a long pass launches 16 blocks per resident block, to balance the load


@cache
def kernel(make: Callable[..., Any], *parts: Any) -> Any:
    """Return the kernel ``make(*parts)`` of a factory, cached; the first part is the backend."""
    return make(*parts)


# Words, bits and rows.


def lessen(on: Any) -> Any:
    """Lower ``words[i]`` to at most ``value``; a stale read costs one more atomic operation."""
    low = on.atomic_min

    @on.device
    def lessen(words, i, value):
        if value < words[i]:
            low(words, i, value)

    return lessen


def bit_test(on: Any) -> Any:
    """Return whether v is in a set."""

    @on.device
    def bit_test(bits, v):
        return (bits[v >> SHIFT] >> WORD(v & LAST)) & BIT != NONE

    return bit_test


def bit_set(on: Any) -> Any:
    """Put v into a set."""
    test, bit_or = bit_test(on), on.atomic_or

    @on.device
    def bit_set(bits, v):
        if not test(bits, v):
            bit_or(bits, v >> SHIFT, WORD(BIT << WORD(v & LAST)))

    return bit_set


def pair_of_columns(on: Any, wide: type) -> Any:
    """Return the endpoints of a row of two columns as slots; unknown ids give n or more.

    The subtraction wraps modulo 2^32 or 2^64. If the type of the columns contains the ids of all
    slots, an id outside them therefore gives n or more without a comparison with n.
    """

    @on.device
    def load_edge(e, src, dst, low, n):
        return wide(np.int64(src[e]) - low), wide(np.int64(dst[e]) - low)

    return load_edge


def row_of_entry(on: Any) -> Any:
    """Return the row of entry e of an adjacency list, found in ``offsets`` by bisection."""

    @on.device
    def row(offsets, e):
        least, end = ZERO, np.uint64(offsets.size) - ONE
        while end - least > ONE:
            middle = (least + end) >> ONE
            if np.uint64(offsets[middle]) <= e:
                least = middle
            else:
                end = middle
        return least

    return row


def pair_of_entry(on: Any, wide: type) -> Any:
    """Return the slots of both ends of entry e of an adjacency list: its row and ``indices[e]``."""
    row = row_of_entry(on)

    @on.device
    def load_edge(e, offsets, indices, low, n):
        return wide(np.int64(row(offsets, e)) - low), wide(np.int64(indices[e]) - low)

    return load_edge


def list_rows(on: Any) -> Any:
    """Write the row of each entry of an adjacency list."""
    row = row_of_entry(on)

    @on.elementwise
    def list_rows(e, offsets, out):
        out[e] = row(offsets, e)

    return list_rows


# The label frame.


def find_disorder(on: Any) -> Any:
    """Find the first row whose id is not less than the id of the next row."""
    least = lessen(on)

    @on.elementwise
    def find_disorder(r, ids, first):
        if ids[r] >= ids[r + ONE]:
            least(first, ORDER, r)

    return find_disorder


def scatter_labels(on: Any, vertex: type) -> Any:
    """Write the slot of each row's label to ``label_of``; ids and labels have the same type."""
    least = lessen(on)

    @on.elementwise
    def scatter_labels(r, low, n, ids, labels, label_of, first):
        s, label = np.uint64(np.int64(ids[r]) - low), np.uint64(np.int64(labels[r]) - low)
        if label >= np.uint64(n):
            least(first, STRANGE, r)
            label = s  # keep entries of ``label_of`` below n
        if s >= np.uint64(n) or (r + ONE < np.uint64(ids.size) and ids[r] >= ids[r + ONE]):
            least(first, ORDER, r)
        else:
            label_of[s] = vertex(label)

    return scatter_labels


def scatter_labels_by_slot(on: Any, vertex: type) -> Any:
    """Write the slot of each row's label to ``label_of``; ids and labels are given as slots."""
    least = lessen(on)

    @on.elementwise
    def scatter_labels_by_slot(r, n, slots, labels, label_of, first):
        s, label = np.uint64(slots[r]), np.uint64(labels[r])
        if label >= np.uint64(n):
            least(first, STRANGE, r)
            label = s  # keep entries of ``label_of`` below n
        if s < np.uint64(n):
            label_of[s] = vertex(label)

    return scatter_labels_by_slot


def find_heads(on: Any, vertex: type) -> Any:
    """Lower ``heads[label]`` to the least slot with this label; labels are 0 .. k - 1."""
    least, least_row = lessen(on), lessen(on)

    @on.elementwise
    def find_heads(r, k, slots, labels, heads, first):
        label = np.int64(labels[r])
        if label < 0 or label >= k:
            least_row(first, STRANGE, r)
        else:
            least(heads, label, vertex(slots[r]))

    return find_heads


# Look-up of ids.

EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)  # of SplitMix64
GRAIN, GRAIN_SHIFT, REST = 256, np.uint64(8), np.uint64(24)  # table sizes are multiples of 256


def home(on: Any) -> Any:
    """Return the home slot of an id: the upper half of its hash times ``size`` / 2^32."""

    @on.device
    def home(key, size):
        h = (key ^ (key >> np.uint64(30))) * MIX_1
        h = (h ^ (h >> np.uint64(27))) * MIX_2
        return ((h ^ (h >> np.uint64(31))) >> HALF) * (size >> GRAIN_SHIFT) >> REST

    return home


def insert(on: Any) -> Any:
    """Insert each id of a column with its row into a table that is at most half full.

    table : (2 * size + 2,) uint64, pairs of an id and its row; all bits set for a free slot. The
            additional last pair is for the id whose bits are all set.
    """
    begin, cas = home(on), on.atomic_cas

    @on.device
    def claimed(table, s, key):  # whether slot s has the key, perhaps by this swap
        stored = table[TWO * s]
        if stored == EMPTY:
            stored = cas(table, TWO * s, EMPTY, key)
        is_new = stored == EMPTY
        return is_new or stored == key

    @on.elementwise
    def insert(r, size, ids, table):
        key, slots, s = np.uint64(np.int64(ids[r])), np.uint64(size), np.uint64(size)
        if key != EMPTY:
            s = begin(key, slots)
            while not claimed(table, s, key):
                s = s + ONE if s + ONE < slots else ZERO
        table[TWO * s + ONE] = r

    return insert


def find_by_table(on: Any, vertex: type) -> Any:
    """Return the row of an id in the table of :func:`insert`; all bits set for an unknown id."""
    begin, nowhere = home(on), vertex(np.iinfo(vertex).max)

    @on.device
    def find_slot(key, low, n, table):
        size = (np.uint64(table.size) >> ONE) - ONE
        if key == EMPTY:  # the last pair; all bits of its row are set if the id is unknown
            return vertex(table[TWO * size + ONE])
        s = begin(key, size)
        stored = table[TWO * s]
        while stored != key and stored != EMPTY:
            s = s + ONE if s + ONE < size else ZERO
            stored = table[TWO * s]
        return vertex(table[TWO * s + ONE]) if stored == key else nowhere

    return find_slot


def prefetch_in_table(on: Any) -> Any:
    """Prefetch the home slot of a later id, on backends that benefit."""
    if on.prefetch is None:
        return no_prefetch(on)
    begin, prefetch = home(on), on.prefetch

    @on.device
    def prefetch_row(i, column, table):
        j = i + SOON
        if j < np.uint64(column.size):
            size = (np.uint64(table.size) >> ONE) - ONE
            prefetch(table, TWO * begin(np.uint64(np.int64(column[j])), size))

    return prefetch_row


def find_by_distance(on: Any, vertex: type) -> Any:
    """Return ``key - low`` as the slot of an id; all bits set if this slot is not below n."""
    nowhere = vertex(np.iinfo(vertex).max)

    @on.device
    def find_slot(key, low, n, table):
        s = key - np.uint64(low)
        return vertex(s) if s < np.uint64(n) else nowhere

    return find_slot


def no_prefetch(on: Any, *parts: Any) -> Any:
    """Prefetch nothing."""

    @on.device
    def no_prefetch(*arguments):
        return

    return no_prefetch


def find(on: Any, vertex: type, find_slot: Any, prefetch_row: Any) -> Any:
    """Write the slot of each id of a column, and tally the rows.

    ``alien`` is nonzero if the ids are signed and the vertices unsigned, or the ids unsigned and
    the vertices signed. Ids with the highest bit set are then unknown.
    """
    nowhere, add, high = vertex(np.iinfo(vertex).max), on.block_reduce_add, np.uint64(63)

    @on.grid_stride
    def find(i, last, step, column, alien, low, n, table, out, tally):
        rows, total, squares = ZERO, ZERO, ZERO
        while i < last:
            prefetch_row(i, column, table)
            key = np.uint64(np.int64(column[i]))
            unknown = alien != 0 and key >> high != ZERO
            out[i] = nowhere if unknown else find_slot(key, low, n, table)
            rows, total, squares = rows + ONE, total + i, squares + i * i
            i += step
        add(tally, ZERO, rows)
        add(tally, ONE, total)
        add(tally, TWO, squares)

    find.waves = WAVES
    return find


def mark_slots(on: Any, vertex: type) -> Any:
    """Mark listed slots as named; lower ``missing[0]`` to the first index without a vertex."""
    mark, least, nowhere = bit_set(on), lessen(on), vertex(np.iinfo(vertex).max)

    @on.elementwise
    def mark_slots(i, n, slots, label_of, named, missing):
        s = slots[i]
        if np.uint64(s) >= np.uint64(n) or label_of[s] == nowhere:
            least(missing, ZERO, i)
        else:
            mark(named, vertex(s))

    return mark_slots


# Trees.


def make_trees(on: Any, vertex: type) -> Any:
    """Make every vertex its own root."""

    @on.elementwise
    def make_trees(v, trees):
        trees[v] = vertex(v)

    return make_trees


def climb(on: Any) -> Any:
    """Return the root of a vertex; each step leads to a smaller vertex, so the climb ends."""

    @on.device
    def climb(trees, v):
        up = trees[v]
        while up != v:
            v, up = up, trees[up]
        return v

    return climb


def climb_shortening(on: Any) -> Any:
    """Return the root of vertex v with parent p; point each vertex of the path at its grandparent.

    Allowed race: the stores are plain. They change only the parents of vertices that are not roots,
    and a new parent is an ancestor.
    """

    @on.device
    def climb_shortening(trees, v, p):
        up = trees[p]
        while up != p:
            trees[v] = up
            v, p, up = p, up, trees[up]
        return p

    return climb_shortening


def join_roots(on: Any) -> Any:
    """Join the trees of u and v: hook the greater root under the smaller.

    ``p`` and ``q`` are the parents of u and v. Invariant: paths of edges connect the current u and
    v with the original u and v, and parents are smaller than their children. A root is hooked by
    one compare-and-swap, so no tree is hooked twice. A failed swap returns the new parent, from
    which the climb continues. The loop ends, because each failure lowers the greater root.
    """
    cas, root = on.atomic_cas, climb_shortening(on)

    @on.device
    def join_roots(trees, u, v, p, q):
        u, v = root(trees, u, p), root(trees, v, q)
        while u != v:
            if u < v:
                u, v = v, u
            current = cas(trees, u, u, v)
            if current == u:
                u = v
            else:
                u, v = root(trees, u, current), root(trees, v, trees[v])

    return join_roots


# Edges.


def prefetch_trees(on: Any, wide: type) -> Any:
    """Prefetch the parents of a later row's endpoints, on backends that benefit."""
    if on.prefetch is None:
        return no_prefetch(on)
    prefetch = on.prefetch

    @on.device
    def prefetch_edge(i, src, dst, low, trees):
        e = i + SOON
        if e < np.uint64(src.size):
            prefetch(trees, wide(np.int64(src[e]) - low))
            prefetch(trees, wide(np.int64(dst[e]) - low))

    return prefetch_edge


def examine(on: Any, vertex: type, wide: type, join: Any) -> Any:
    """Return whether both ends of an edge are vertices of one label; if so, join their trees.

    Endpoints of different labels are never joined, so all vertices of a tree have one label. If the
    endpoints have the same parent, their labels are therefore not read.
    """
    mark, nowhere = bit_set(on), vertex(np.iinfo(vertex).max)

    @on.device
    def examine(u, v, n, label_of, trees, named):
        if max(u, v) >= wide(n):
            return False
        p, q = trees[u], trees[v]
        if p == q and u != v:
            return True
        label = label_of[u]
        if label == nowhere or label != label_of[v]:
            return False
        if u == v:
            mark(named, vertex(u))
        else:
            join(trees, vertex(u), vertex(v), p, q)
        return True

    return examine


def examine_rows(
    on: Any, vertex: type, wide: type, load_edge: Any, prefetch_edge: Any, join: Any
) -> Any:
    """Examine and tally all rows; a thread loads each row one step ahead, to hide latency."""
    add, right = on.block_reduce_add, examine(on, vertex, wide, join)

    @on.grid_stride
    def examine_rows(i, last, step, src, dst, low, n, label_of, trees, named, tally, wrong):
        rows, total, squares, is_wrong = WORD(0), ZERO, ZERO, False
        x = y = wide(0)
        if i < last:
            x, y = load_edge(i, src, dst, low, n)
        while i < last:
            e, u, v = i, x, y
            prefetch_edge(i, src, dst, low, trees)
            i += step
            if i < last:
                x, y = load_edge(i, src, dst, low, n)
            if not right(u, v, n, label_of, trees, named):
                is_wrong = True
            rows, total, squares = WORD(rows + WORD(1)), total + e, squares + e * e
        if is_wrong:
            wrong[ZERO] = 1
        add(tally, ZERO, np.uint64(rows))
        add(tally, ONE, total)
        add(tally, TWO, squares)

    examine_rows.waves = WAVES
    return examine_rows


def find_edge(on: Any, vertex: type, wide: type, load_edge: Any) -> Any:
    """Find the first edge that contradicts the labels."""
    least, nowhere = lessen(on), vertex(np.iinfo(vertex).max)

    @on.elementwise
    def find_edge(e, src, dst, low, n, label_of, first):
        u, v = load_edge(e, src, dst, low, n)
        if max(u, v) >= wide(n) or label_of[u] == nowhere or label_of[u] != label_of[v]:
            least(first, EDGE, e)

    return find_edge


# Checks of vertices after all edges are joined.


def examine_vertices(on: Any, vertex: type) -> Any:
    """Count the vertices, the vertices that are their own labels, and the roots; find faults.

    ``octets`` receives the roots as bits; a thread owns whole bytes, so it needs no atomics. A
    vertex that is a parent is marked as named. ``counts`` receives the three counts in this order.

    Fault LABEL: the label of a vertex has another label, or is greater than the vertex (smaller, if
    labels are the ``greatest`` vertices). Fault LOST: the parent of a slot is greater than the
    slot, or a slot has a parent but is not a vertex.
    """
    mark, add, least = bit_set(on), on.block_reduce_add, lessen(on)
    nowhere = vertex(np.iinfo(vertex).max)

    @on.grid_stride
    def examine_vertices(b, last, step, n, greatest, label_of, trees, named, octets, first, counts):
        vertices, labels, roots, beyond = ZERO, ZERO, ZERO, np.uint64(n)
        while b < last:
            octet, bit, v, end = np.uint8(0), OCTET, b << THREE, min((b << THREE) + EIGHT, beyond)
            while v < end:
                label, p = label_of[v], trees[v]
                if p == v:
                    if label != nowhere:
                        roots += ONE
                        octet |= bit
                elif label == nowhere or np.uint64(p) > v:
                    least(first, LOST, v)
                else:
                    mark(named, p)
                if label != nowhere:
                    vertices += ONE
                    if label == v:
                        labels += ONE
                    elif (label > v) == (greatest == 0) or label_of[label] != label:
                        least(first, LABEL, v)
                bit = np.uint8(bit << OCTET)
                v += ONE
            octets[b] = octet
            b += step
        add(counts, ZERO, vertices)
        add(counts, ONE, labels)
        add(counts, TWO, roots)

    return examine_vertices


def find_foreign(on: Any) -> Any:
    """Find the first vertex that is not known to occur: a root that is not named."""
    least = lessen(on)

    @on.elementwise
    def find_foreign(w, roots, named, first):
        word, v = WORD(roots[w] & ~named[w]), w << np.uint64(SHIFT)
        if word != NONE:
            while word & BIT == NONE:
                word = WORD(word >> BIT)
                v += ONE
            least(first, FOREIGN, v)

    return find_foreign


def find_merged(on: Any, vertex: type) -> Any:
    """Find the first vertex that no path of edges joins to its label."""
    root, least, nowhere = climb(on), lessen(on), vertex(np.iinfo(vertex).max)

    @on.elementwise
    def find_merged(v, label_of, trees, first):
        if label_of[v] != nowhere and root(trees, vertex(v)) != root(trees, label_of[v]):
            least(first, MERGED, v)

    return find_merged
