"""Kernels of audits, which check an answer against its edges.

No function of a run is called here, not even to read a bit: what runs use may be wrong, and then an
audit has to say so. Of the rest of the package there are only the words of a backend, ``on``.

Vertices are slots 0 .. n - 1 here, in the order of their ids; some may be no vertices.

src, dst : (m,) integers of any type, as they came; the vertex of slot s has the id s + low. Or the
         offsets and the indices of an adjacency list.
own    : (n,) unsigned, the slot of the label of each vertex; all bits set where there is none.
trees  : (n,) unsigned, shared by all threads: what edges of one label join, grown for nothing else.
         trees[v] is v, or comes after it in an order, so that every climb ends; and a path of edges
         joins the two.
alike  : bits of the vertices with the most frequent label, where that is known.
in_giant : bits of vertices that have that label, and hang from one root with ``top``.
named  : bits of vertices that the caller names, or a loop, or from which another hangs.
giant  : (2,) int64, [count << 48 | vertex]: the most frequent label, and the root ``top`` that most
         of its vertices hang from.
tally  : (3,) uint64, of rows that were examined: how many, the sum of their numbers, and that of
         the squares of these, modulo 2^64.
wrong  : (1,) int64, not 0 once an edge is at fault.
first  : uint64, of each kind of fault the first row or vertex, all bits set if there is none.

Bits are (n + 31) // 32 words of uint32. They are only ever set, so that a read that misses one just
set by another thread costs one more atomic operation and nothing else.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

ZERO, ONE, TWO, THREE, EIGHT = (np.uint64(k) for k in (0, 1, 2, 3, 8))
WORD, LOCAL = np.uint32, np.uint32
SHIFT, LAST, BIT, NONE = WORD(5), WORD(31), WORD(1), WORD(0)
OCTET = np.uint8(1)
WORD_BITS = 32  # vertices in a word of bits
HALF = np.uint64(32)
SPREAD = np.uint64(2654435761)  # Knuth's multiplicative hash
SAMPLE_BLOCK = 256  # rows that are in a sample together
SOON = np.uint64(32)  # rows between asking for a tree and reading it
PROBES = 256  # vertices looked at for the giant
COUNT_SHIFT, VERTEX = np.int64(48), np.int64((1 << 48) - 1)  # of the words of ``giant``
LABEL_OF, ROOT_OF = np.uint64(0), np.uint64(1)  # those words
ORDER, STRANGE, EDGE, LABEL, FOREIGN, MERGED, LOST = (np.uint64(k) for k in range(7))
FAULTS = 7  # kinds of them
WAVES = (
    16  # times as many blocks of a long pass as are resident at once: the last ones end together
)


@cache
def kernel(make: Callable[..., Any], *parts: Any) -> Any:
    """Return the kernel that a factory makes for a backend and further parts; made once."""
    return make(*parts)


# Words, bits and rows.


def lessen(on: Any) -> Any:
    """Lower a word to a value; a stale read costs one more atomic operation."""
    low = on.atomic_min

    @on.device
    def lessen(words, i, value):
        if value < words[i]:
            low(words, i, value)

    return lessen


def has(on: Any) -> Any:
    """Return whether v is in a set."""

    @on.device
    def has(bits, v):
        return (bits[v >> SHIFT] >> WORD(v & LAST)) & BIT != NONE

    return has


def put(on: Any) -> Any:
    """Put v into a set."""
    test, bit_or = has(on), on.atomic_or

    @on.device
    def put(bits, v):
        if not test(bits, v):
            bit_or(bits, v >> SHIFT, WORD(BIT << WORD(v & LAST)))

    return put


def all_rows(on: Any) -> Any:
    """Return the i-th of all rows, in order."""

    @on.device
    def row(i):
        return i

    return row


def first_blocks(on: Any, every: int) -> Any:
    """Return the i-th row of a sample: the first of every ``every`` blocks."""
    block, skipped = np.uint64(SAMPLE_BLOCK), np.uint64((every - 1) * SAMPLE_BLOCK)

    @on.device
    def row(i):
        return i + i // block * skipped

    return row


def other_blocks(on: Any, every: int) -> Any:
    """Return the i-th row outside the sample."""
    block, between = np.uint64(SAMPLE_BLOCK), np.uint64((every - 1) * SAMPLE_BLOCK)

    @on.device
    def row(i):
        return i + (i // between + ONE) * block

    return row


def pair_of_columns(on: Any, wide: type) -> Any:
    """Return the ends of a row of two columns as slots; unknown ids give n or more.

    Modulo 2^32 or 2^64 a difference is right for ids within n of the lowest, and n or more for all
    others of the columns' types, if the ids of all slots lie within these.
    """

    @on.device
    def load_edge(e, src, dst, low, n):
        return wide(np.int64(src[e]) - low), wide(np.int64(dst[e]) - low)

    return load_edge


def pair_streaming(on: Any, wide: type) -> Any:
    """Return the ends of a row, without filling the caches with the columns."""
    load_streaming = on.load_streaming

    @on.device
    def load_edge(e, src, dst, low, n):
        return wide(np.int64(load_streaming(src, e)) - low), wide(
            np.int64(load_streaming(dst, e)) - low
        )

    return load_edge


def row_of_entry(on: Any) -> Any:
    """Return the row of an entry of an adjacency list, by bisection."""

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
    """Return the ends of an entry of an adjacency list, as slots: its row and its index."""
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


def no_prefetch(on: Any, wide: type, row: Any) -> Any:
    """Prefetch nothing."""

    @on.device
    def prefetch_edge(i, src, dst, low, trees):
        return

    return prefetch_edge


def prefetch_ahead(on: Any, wide: type, row: Any) -> Any:
    """Prefetch the trees of the ends of a later row, on backends that benefit."""
    if on.prefetch is None:
        return no_prefetch(on, wide, row)
    prefetch = on.prefetch

    @on.device
    def prefetch_edge(i, src, dst, low, trees):
        e = row(i + SOON)
        if e < np.uint64(src.size):
            prefetch(trees, wide(np.int64(src[e]) - low))
            prefetch(trees, wide(np.int64(dst[e]) - low))

    return prefetch_edge


# The label frame.


def corners_of(on: Any) -> Any:
    """Write the first and the last id of a column."""

    @on.device
    def corners(ids, out):
        out[ZERO], out[ONE] = np.uint64(np.int64(ids[ZERO])), np.uint64(np.int64(ids[ids.size - 1]))

    return corners


def read_corners(on: Any, corners: Any) -> Any:
    """Write the first and the last id of a column, by one thread."""

    @on.elementwise
    def read_corners(i, ids, out):
        corners(ids, out)

    return read_corners


def find_disorder(on: Any) -> Any:
    """Find the first of ``n`` rows whose id is not less than that of the next one."""
    least = lessen(on)

    @on.elementwise
    def find_disorder(r, ids, first):
        if ids[r] >= ids[r + ONE]:
            least(first, ORDER, r)

    return find_disorder


def scatter_labels(on: Any, vertex: type) -> Any:
    """Write the slot of each row's label at the slot of its id; both are integers of one kind."""
    least = lessen(on)

    @on.elementwise
    def scatter_labels(r, low, n, ids, labels, own, first):
        s, label = np.uint64(np.int64(ids[r]) - low), np.uint64(np.int64(labels[r]) - low)
        if label >= np.uint64(n):
            least(first, STRANGE, r)
            label = s
        if s >= np.uint64(n) or (r + ONE < np.uint64(ids.size) and ids[r] >= ids[r + ONE]):
            least(first, ORDER, r)
        else:
            own[s] = vertex(label)

    return scatter_labels


def scatter_labels_by_slot(on: Any, vertex: type) -> Any:
    """Write the slot of each row's label at that of its id, both looked up before."""
    least = lessen(on)

    @on.elementwise
    def scatter_labels_by_slot(r, n, slots, labels, own, first):
        s, label = np.uint64(slots[r]), np.uint64(labels[r])
        if label >= np.uint64(n):
            least(first, STRANGE, r)
            label = s
        if s < np.uint64(n):
            own[s] = vertex(label)

    return scatter_labels_by_slot


def find_heads(on: Any, vertex: type) -> Any:
    """Find the least slot of each of the labels 0 .. k - 1."""
    least, least_row = lessen(on), lessen(on)

    @on.elementwise
    def find_heads(r, k, slots, labels, heads, first):
        label = np.int64(labels[r])
        if label < 0 or label >= k:
            least_row(first, STRANGE, r)
        else:
            least(heads, label, vertex(slots[r]))

    return find_heads


# Ids that are looked up.

EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)  # of SplitMix64
GRAIN, GRAIN_SHIFT, REST = 256, np.uint64(8), np.uint64(24)  # tables are multiples of a grain


def home(on: Any) -> Any:
    """Return the place where the search for an id begins, of ``size`` places, by its hash."""

    @on.device
    def home(key, size):
        h = (key ^ (key >> np.uint64(30))) * MIX_1
        h = (h ^ (h >> np.uint64(27))) * MIX_2
        return ((h ^ (h >> np.uint64(31))) >> HALF) * (size >> GRAIN_SHIFT) >> REST

    return home


def insert(on: Any) -> Any:
    """Insert each id of a column with its row into a table that is at most half full.

    table : (2 * size + 2,) uint64, pairs of an id and its row, all bits set where there is none.
            The last pair is that of the id whose bits are those of an empty one.
    """
    begin, cas = home(on), on.atomic_cas

    @on.device
    def claimed(table, s, key):
        held = table[TWO * s]
        if held == EMPTY:
            held = cas(table, TWO * s, EMPTY, key)
        return held == key if held != EMPTY else True

    @on.elementwise
    def insert(r, size, ids, table):
        key, last, s = np.uint64(np.int64(ids[r])), np.uint64(size), np.uint64(size)
        if key != EMPTY:
            s = begin(key, last)
            while not claimed(table, s, key):
                s = s + ONE if s + ONE < last else ZERO
        table[TWO * s + ONE] = r

    return insert


def found_by_table(on: Any, vertex: type) -> Any:
    """Return the row of an id in a table, all bits set if unknown; ends at an empty place."""
    begin, nowhere = home(on), vertex(np.iinfo(vertex).max)

    @on.device
    def found(key, low, n, table):
        size = (np.uint64(table.size) >> ONE) - ONE
        if key == EMPTY:
            return vertex(table[TWO * size + ONE])
        s = begin(key, size)
        held = table[TWO * s]
        while held != key and held != EMPTY:
            s = s + ONE if s + ONE < size else ZERO
            held = table[TWO * s]
        return vertex(table[TWO * s + ONE]) if held == key else nowhere

    return found


def prefetch_in_table(on: Any) -> Any:
    """Prefetch the place of a later id, on backends that benefit."""
    if on.prefetch is None:
        return prefetch_nothing(on)
    begin, prefetch = home(on), on.prefetch

    @on.device
    def prefetch_edge(i, column, table):
        j = i + SOON
        if j < np.uint64(column.size):
            size = (np.uint64(table.size) >> ONE) - ONE
            prefetch(table, TWO * begin(np.uint64(np.int64(column[j])), size))

    return prefetch_edge


def found_by_distance(on: Any, vertex: type) -> Any:
    """Return the slot of an id by its distance from the lowest, all bits set if unknown."""
    nowhere = vertex(np.iinfo(vertex).max)

    @on.device
    def found(key, low, n, table):
        s = key - np.uint64(low)
        return vertex(s) if s < np.uint64(n) else nowhere

    return found


def prefetch_nothing(on: Any) -> Any:
    """Prefetch nothing."""

    @on.device
    def prefetch_edge(i, column, table):
        return

    return prefetch_edge


def find(on: Any, vertex: type, found: Any, prefetch_edge: Any) -> Any:
    """Write the slot of each id of a column.

    ``alien``: not 0 if ids with the highest bit set are none, as one of the column and the vertices
    is signed and the other is not.
    """
    nowhere, add, high = vertex(np.iinfo(vertex).max), on.block_reduce_add, np.uint64(63)

    @on.grid_stride
    def find(i, last, step, column, alien, low, n, table, out, tally):
        seen, total, squares = ZERO, ZERO, ZERO
        while i < last:
            prefetch_edge(i, column, table)
            key = np.uint64(np.int64(column[i]))
            strange = alien != 0 and key >> high != ZERO
            out[i] = nowhere if strange else found(key, low, n, table)
            seen, total, squares = seen + ONE, total + i, squares + i * i
            i += step
        add(tally, ZERO, seen)
        add(tally, ONE, total)
        add(tally, TWO, squares)

    find.waves = WAVES
    return find


def name_slots(on: Any, vertex: type) -> Any:
    """Mark the vertices of some slots, and note the first slot that has none."""
    mark, least, nowhere = put(on), lessen(on), vertex(np.iinfo(vertex).max)

    @on.elementwise
    def name_slots(i, n, slots, own, named, missing):
        s = slots[i]
        if np.uint64(s) >= np.uint64(n) or own[s] == nowhere:
            least(missing, ZERO, i)
        else:
            mark(named, vertex(s))

    return name_slots


# Trees. An audit joins all its edges in one way, and so in one order. The one by parents writes
# little and waits for nothing, for thousands of threads, but each of its steps is short: among
# numbers of one length in bits its order is as good as random, so that the depth of trees does not
# hang on that of the edges, and short ones come last, so that most parents lie close together. The
# one by roots swaps once a vertex instead of once a step, which costs a processor more than climbs.


def make_trees(on: Any, vertex: type) -> Any:
    """Make every vertex a tree of its own."""

    @on.elementwise
    def make_trees(v, trees):
        trees[v] = vertex(v)

    return make_trees


def climb(on: Any) -> Any:
    """Return the root of a vertex; every step proceeds in the fixed order."""

    @on.device
    def climb(trees, v):
        up = trees[v]
        while up != v:
            v, up = up, trees[up]
        return v

    return climb


def is_longer(on: Any) -> Any:
    """Return whether u comes before v: if it has more bits, or a lower multiplicative hash.

    The hash decides between two that are as long.

    They are as long if they differ in no more than they have in common. Behind a hash stand the
    bits that it does not depend on, so that no two are equal.
    """

    @on.device
    def is_longer(u, v):
        x, y = np.uint64(u), np.uint64(v)
        left, right = x * SPREAD << HALF | x >> HALF, y * SPREAD << HALF | y >> HALF
        return left < right if x ^ y <= x & y else x > y

    return is_longer


def is_greater(on: Any) -> Any:
    """Return whether u comes before v: if it is greater."""

    @on.device
    def is_greater(u, v):
        return u > v

    return is_greater


def join_parents(on: Any) -> Any:
    """Join the trees of u and v: Rem's union (Patwary et al. 2010) in the order of is_longer.

    Invariant: p and q are, or were, the parents of u and v, so that a path joins all four. The end
    whose parent comes first is moved: a root is hooked by one compare-and-swap, so that no tree is
    hung twice; another is hung from q instead of p, and p and q are joined next, so that nothing is
    lost. A swap that fails has met a later parent. It ends because each step goes up the order.
    """
    cas, before = on.atomic_cas, is_longer(on)

    @on.device
    def join_parents(trees, u, v, p, q):
        while p != q:
            if before(q, p):
                u, v, p, q = v, u, q, p
            seen = cas(trees, u, p, q)
            if u != p:
                u, p = p, trees[p]
            elif seen == p:
                p = q
            else:
                p = seen

    return join_parents


def climb_shortening(on: Any) -> Any:
    """Return the root of a vertex whose parent is p; hang each vertex passed from its grandparent.

    The stores are plain, to vertices that are not roots; the new parents are their ancestors.
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
    """Join the trees of u and v: the greater root is hooked under the smaller one.

    Invariant: a path joins u and v with what they were, and parents are smaller. A root is hooked
    by one compare-and-swap, so that no tree is hung twice; one that fails has met the new parent,
    and climbs on from it. It ends because each failure brings u down.
    """
    cas, root = on.atomic_cas, climb_shortening(on)

    @on.device
    def join_roots(trees, u, v, p, q):
        u, v = root(trees, u, p), root(trees, v, q)
        while u != v:
            if u < v:
                u, v = v, u
            seen = cas(trees, u, u, v)
            if seen == u:
                u = v
            else:
                u, v = root(trees, u, seen), root(trees, v, trees[v])

    return join_roots


# Edges.


def same_label(on: Any, vertex: type, known: bool) -> Any:
    """Return whether two slots have one label: by two bits for nearly all, if ``known``."""
    test, nowhere = has(on), vertex(np.iinfo(vertex).max)

    @on.device
    def compared(u, v, own, alike):
        label = own[u]
        return label == own[v] and label != nowhere

    @on.device
    def same(u, v, own, alike):
        one, other = test(alike, u), test(alike, v)
        return one == other and (one or compared(u, v, own, alike))

    return same if known else compared


def hold(on: Any, same: Any, join: Any) -> Any:
    """Join the ends of an edge if they have one label; else report the edge."""

    @on.device
    def hold(u, v, top, own, alike, in_giant, trees):
        p, q = trees[u], trees[v]
        if not same(u, v, own, alike):
            return False
        join(trees, u, v, p, q)
        return True

    return hold


def hold_apart(on: Any, same: Any, join: Any) -> Any:
    """Join the ends of an edge as hold does, unless they have one parent.

    All of a tree has one label, as no edge joins it that has two. That is less to do for a
    processor, whose threads are few.
    """
    one = hold(on, same, join)

    @on.device
    def hold_apart(u, v, top, own, alike, in_giant, trees):
        return trees[u] == trees[v] or one(u, v, top, own, alike, in_giant, trees)

    return hold_apart


def hold_outside(on: Any, same: Any, join: Any) -> Any:
    """Join the ends of an edge as hold does, unless both ends are inside the giant.

    They have one label, and hang from one root, or do by the end of the kernel: a bit is set by the
    thread that has joined its vertex to the giant. So where one end is inside, the other needs the
    giant's label, and is joined to that.
    """
    test, mark = has(on), put(on)

    @on.device
    def hold_outside(u, v, top, own, alike, in_giant, trees):
        u_in, v_in = test(in_giant, u), test(in_giant, v)
        if u_in and v_in:
            return True
        one, w = u_in or v_in, v if u_in else u
        other = top if one else v
        p, q = trees[w], trees[other]
        right = test(alike, w) if one else same(w, other, own, alike)
        if right:
            join(trees, w, other, p, q)
            if one:
                mark(in_giant, w)
        return right

    return hold_outside


def vertex_of_giant(on: Any, vertex: type) -> Any:
    """Return the label, or the root, that ``giant`` holds."""

    @on.device
    def vertex_of_giant(giant, which):
        return vertex(giant[which] & VERTEX)

    return vertex_of_giant


def examine(on: Any, vertex: type, wide: type, hold: Any) -> Any:
    """Return whether the ends of an edge are vertices of one label, and join them."""
    mark, nowhere = put(on), vertex(np.iinfo(vertex).max)

    @on.device
    def examine(u, v, n, top, own, alike, in_giant, trees, named):
        if max(u, v) >= wide(n):
            return False
        if u != v:
            return hold(vertex(u), vertex(v), top, own, alike, in_giant, trees)
        if own[u] == nowhere:
            return False
        mark(named, vertex(u))
        return True

    return examine


def examine_rows(
    on: Any, vertex: type, wide: type, load_edge: Any, row: Any, prefetch_edge: Any, hold: Any
) -> Any:
    """Examine a number of rows, and count them, prefetching the next row of each thread."""
    add, head = on.block_reduce_add, vertex_of_giant(on, vertex)
    right = examine(on, vertex, wide, hold)

    @on.grid_stride
    def examine_rows(
        i, last, step, src, dst, low, n, giant, own, alike, in_giant, trees, named, tally, wrong
    ):
        seen, total, squares, fault = NONE, ZERO, ZERO, NONE
        x = y = wide(0)
        if i < last:
            x, y = load_edge(row(i), src, dst, low, n)
        while i < last:
            e, u, v = row(i), x, y
            prefetch_edge(i, src, dst, low, trees)
            i += step
            if i < last:
                x, y = load_edge(row(i), src, dst, low, n)
            if not right(u, v, n, head(giant, ROOT_OF), own, alike, in_giant, trees, named):
                fault = BIT
            seen, total, squares = WORD(seen + BIT), total + e, squares + e * e
        if fault != NONE:
            wrong[ZERO] = 1
        add(tally, ZERO, np.uint64(seen))
        add(tally, ONE, total)
        add(tally, TWO, squares)

    examine_rows.waves = WAVES
    return examine_rows


def find_edge(on: Any, vertex: type, wide: type, load_edge: Any) -> Any:
    """Find the first edge that contradicts the labels."""
    least, nowhere = lessen(on), vertex(np.iinfo(vertex).max)

    @on.elementwise
    def find_edge(e, src, dst, low, n, own, first):
        u, v = load_edge(e, src, dst, low, n)
        if max(u, v) >= wide(n) or own[u] == nowhere or own[u] != own[v]:
            least(first, EDGE, e)

    return find_edge


# The giant.


def probed(on: Any) -> Any:
    """Return the i-th probed slot: one from each of equal parts, at irregular distances."""

    @on.device
    def probed(i, n):
        part = np.uint64(n) // np.uint64(PROBES) + ONE
        return (i * part + i * SPREAD % part) % np.uint64(n)

    return probed


def probe_label(on: Any, vertex: type) -> Any:
    """Return the label of a slot."""

    @on.device
    def probe(v, own, alike, trees):
        return own[v]

    return probe


def probe_root(on: Any, vertex: type) -> Any:
    """Return the root of a vertex with the giant's label; all bits set for other vertices."""
    test, root, nowhere = has(on), climb(on), vertex(np.iinfo(vertex).max)

    @on.device
    def probe(v, own, alike, trees):
        return root(trees, vertex(v)) if test(alike, v) else nowhere

    return probe


def elect(on: Any, vertex: type, probe: Any) -> Any:
    """Find the most frequent label or root at some slots; all bits set count as none."""
    high, block_sync, slot, nowhere = (
        on.atomic_max,
        on.block_sync,
        probed(on),
        vertex(np.iinfo(vertex).max),
    )

    @on.single_block
    def elect(i, last, step, which, n, own, alike, trees, found, giant):
        j = i
        while j < last:
            found[j] = probe(slot(j, n), own, alike, trees)
            j += step
        block_sync()
        while i < last:
            r, count, j = found[i], np.int64(0), ZERO
            while j < last:
                if found[j] == r:
                    count += np.int64(1)
                j += ONE
            if r != nowhere:
                high(giant, which, (count << COUNT_SHIFT) | np.int64(r))
            i += step

    return elect


def gather_alike(on: Any, vertex: type) -> Any:
    """Write whether each slot has the giant's label; a thread owns whole bytes of the bits."""
    head = vertex_of_giant(on, vertex)

    @on.elementwise
    def gather_alike(b, n, giant, own, octets):
        octet, one, v, last = (
            np.uint8(0),
            OCTET,
            b << THREE,
            min((b << THREE) + EIGHT, np.uint64(n)),
        )
        label = head(giant, LABEL_OF)
        while v < last:
            if own[v] == label:
                octet |= one
            one = np.uint8(one << OCTET)
            v += ONE
        octets[b] = octet

    return gather_alike


def gather_in_giant(on: Any, vertex: type) -> Any:
    """Write whether each vertex has the giant's root as its parent, and its label.

    A thread owns whole bytes of the bits.

    Nothing is joined meanwhile, so that roots stay what they are, and a vertex is hung from its
    own: the paths that it lies on become shorter.
    """
    root, head = climb(on), vertex_of_giant(on, vertex)

    @on.elementwise
    def gather_in_giant(b, n, giant, alike, trees, octets):
        octet, one, v, last = (
            np.uint8(0),
            OCTET,
            b << THREE,
            min((b << THREE) + EIGHT, np.uint64(n)),
        )
        top = head(giant, ROOT_OF)
        while v < last:
            p = trees[v]
            r = root(trees, p)
            if r != p:
                trees[v] = r
            if r == top:
                octet |= one
            one = np.uint8(one << OCTET)
            v += ONE
        octets[b] = octet & alike[b]

    return gather_in_giant


# The bits of the giant in memory that a block's threads share, before any other is asked: after a
# sample nearly every edge lies inside, and reading two bits is all that is left to do for it. That
# memory answers more often than a cache does, and holds the bits of 1.6 million vertices on an
# H100; of more, once most vertices are inside, one bit there stands for up to four, and says
# whether all of them are. One that was found set stays so, and where it was not, the bit of the
# vertex itself is read. What may join trees waits until there is an edge for each lane of a group,
# which then joins them all: a warp takes as long as the slowest of its joins.
#
# shared : uint32, shared by the threads of a block: ``held`` words. Word w is the intersection of
#          those in ``in_giant`` that are w, w + fold, w + 2 fold, ... They are read again when an
#          eighth and half of the rows are done, as the giant has grown.
# warp_queues : uint32, in the memory of all blocks. For each group of lanes, which alone knows how
# many
#          ``waiting`` there are: from ``queue`` on the first ends, and beside them the second ones.

HELD = 49_920  # words, at most: 195 KiB leave an H100 60 of L1, for reads that are under way
FOLDS = 4  # words, at most, that share one
READ_TOGETHER = 4  # words that a thread reads before it writes any
EIGHTH, FOURFOLD = WORD(3), WORD(2)  # shifts of a number of groups of rows
QUEUED_EDGES = 3  # edges a lane: two come at once, and of those before less than one is left


def words_of_queues(limits: Any) -> int:
    """Return the number of words of the queues of a backend's ``shared_memory_limits()``."""
    return int(2 * QUEUED_EDGES * limits.threads * limits.blocks)


def fold_of(on: Any) -> Any:
    """Return the distance of words that share one: ``held`` if half of the ids are linked.

    That is half of the giant.
    """
    half = np.int64(PROBES // 2)

    @on.device
    def fold(held, giant, in_giant):
        return WORD(held) if giant[ROOT_OF] >> COUNT_SHIFT >= half else WORD(in_giant.size)

    return fold


def share_bits(on: Any) -> Any:
    """Copy the giant's bits to the shared memory of a block."""

    @on.device
    def share_bits(shared, held, fold, in_giant, t, step):
        w, last, size = t, np.uint64(held) - ONE, np.uint64(in_giant.size)
        while w <= last:
            for k in range(READ_TOGETHER):
                i = min(w + np.uint64(k) * step, last)
                word, other = in_giant[i], i + np.uint64(fold)
                for _ in range(FOLDS - 1):
                    if other < size:
                        word &= in_giant[other]
                    other += np.uint64(fold)
                shared[i] = word
            w += np.uint64(READ_TOGETHER) * step

    return share_bits


def bit_of_block(on: Any) -> Any:
    """Return 1 if the bits of a block show that a vertex is inside, else 0; without a branch."""

    @on.device
    def bit_of_block(u, shared, held, fold):
        w = WORD(WORD(u) >> SHIFT)
        for _ in range(FOLDS - 1):
            w = min(w, WORD(w - fold))
        here = w < held
        return WORD(WORD(shared[w if here else NONE] >> WORD(WORD(u) & LAST)) & WORD(here))

    return bit_of_block


def both_in_giant(on: Any) -> Any:
    """Return whether both ends of an edge are inside, by the shared bits or else by their own.

    Their own are read in any case, so that all reads of a thread are under way together; where they
    need not be, a word that is the lane's own, ``idle``, as one of all lanes would be asked for by
    all multiprocessors at once.
    """
    shared_bit = bit_of_block(on)

    @on.device
    def both(u, v, shared, held, fold, in_giant, idle):
        a, b, last = (
            shared_bit(u, shared, held, fold),
            shared_bit(v, shared, held, fold),
            in_giant.size - 1,
        )
        i, j = min(WORD(WORD(u) >> SHIFT), WORD(last)), min(WORD(WORD(v) >> SHIFT), WORD(last))
        c, d = in_giant[idle if a else i], in_giant[idle if b else j]
        a, b = a | WORD(c >> WORD(WORD(u) & LAST)), b | WORD(d >> WORD(WORD(v) & LAST))
        return WORD(a & b & BIT)

    return both


def check_odd(on: Any, vertex: type) -> Any:
    """Examine an edge that joins nothing whatever its bits: a loop, or one with unknown ends.

    Returns whether it is done, which is ``both`` for all others.
    """
    mark, nowhere = put(on), vertex(np.iinfo(vertex).max)

    @on.device
    def check_odd(u, v, n, both, own, named, wrong):
        if max(u, v) >= WORD(n):
            wrong[ZERO] = 1
            return BIT
        if u == v:
            if own[u] == nowhere:
                wrong[ZERO] = 1
            else:
                mark(named, vertex(u))
            return BIT
        return both

    return check_odd


def read_two(on: Any, wide: type, load_edge: Any) -> Any:
    """Return the ends of two rows per lane as words; those of the last row beyond the end.

    Values that are not slots become the first number that is not a slot; there are fewer than 2^32.
    """
    warp_size = np.uint64(on.warp_size)

    @on.device
    def two(e, src, dst, low, n):
        last = np.uint64(dst.size) - ONE
        u, v = load_edge(min(e, last), src, dst, low, n)
        x, y = load_edge(min(e + warp_size, last), src, dst, low, n)
        over = wide(n)
        return WORD(min(u, over)), WORD(min(v, over)), WORD(min(x, over)), WORD(min(y, over))

    return two


def examine_two(on: Any, vertex: type) -> Any:
    """Return which of two edges are done."""
    both, odd = both_in_giant(on), check_odd(on, vertex)

    @on.device
    def examine_two(u, v, x, y, n, shared, held, fold, in_giant, idle, own, named, wrong):
        first = both(u, v, shared, held, fold, in_giant, idle)
        second = both(x, y, shared, held, fold, in_giant, idle)
        if max(max(u, v), max(x, y)) >= WORD(n) or u == v or x == y:
            first = odd(u, v, n, first, own, named, wrong)
            second = odd(x, y, n, second, own, named, wrong)
        return first, second

    return examine_two


def enqueue(on: Any) -> Any:
    """Append an edge to a queue unless it is done; return the number of queued edges."""
    ballot_rank, beside = on.warp_ballot_rank, np.uint64(QUEUED_EDGES * on.warp_size)

    @on.device
    def enqueue(done, u, v, warp_queues, queue, waiting):
        before, more = ballot_rank(done == NONE)
        if done == NONE:
            at = np.uint64(WORD(WORD(queue + waiting) + WORD(before)))
            warp_queues[at], warp_queues[at + beside] = WORD(u), WORD(v)
        return WORD(waiting + WORD(more))

    return enqueue


def hold_queued(on: Any, vertex: type, hold: Any) -> Any:
    """Check one edge of a queue against the labels, and join its ends."""
    beside = np.uint64(QUEUED_EDGES * on.warp_size)

    @on.device
    def hold_queued(warp_queues, at, top, own, alike, in_giant, trees, wrong):
        u, v = vertex(warp_queues[at]), vertex(warp_queues[np.uint64(at) + beside])
        if not hold(u, v, top, own, alike, in_giant, trees):
            wrong[ZERO] = 1

    return hold_queued


def hold_together(on: Any, hold_one: Any) -> Any:
    """Check edges of a queue while each lane has one; return the number of queued edges."""
    warp_size, warp_sync = WORD(on.warp_size), on.warp_sync

    @on.device
    def hold_together(warp_queues, queue, waiting, lane, *rest):
        warp_sync()
        while waiting >= warp_size:
            waiting = WORD(waiting - warp_size)
            hold_one(warp_queues, WORD(WORD(queue + waiting) + lane), *rest)
        warp_sync()
        return waiting

    return hold_together


def sum_of_block(on: Any) -> Any:
    """Sum the values of the threads of a block in shared memory."""
    block_sync, add, few, low = on.block_sync, on.atomic_add, HALF, np.uint64(0xFFFFFFFF)

    @on.device
    def word(shared, t):
        return np.uint64(shared[TWO * t]) | np.uint64(shared[TWO * t + ONE]) << HALF

    @on.device
    def sum_of_block(shared, t, step, words, which, value):
        shared[TWO * t], shared[TWO * t + ONE] = WORD(value & low), WORD(value >> HALF)
        block_sync()
        total, j = ZERO, t
        while t < few and j < step:
            total += word(shared, j)
            j += few
        block_sync()
        shared[TWO * t], shared[TWO * t + ONE] = WORD(total & low), WORD(total >> HALF)
        block_sync()
        total, j = ZERO, t
        while t == ZERO and j < min(few, step):
            total += word(shared, j)
            j += ONE
        if t == ZERO:
            add(words, which, total)
        block_sync()

    return sum_of_block


def examine_by_blocks(
    on: Any, words: int, vertex: type, wide: type, load_edge: Any, row: Any, hold: Any
) -> Any:
    """Examine and count a number of rows, by ``blocks`` blocks that share the giant's bits.

    The next two rows of a lane are on their way while it looks at two. Those of all lanes of a
    group stand side by side, as blocks of rows hold whole groups of them.
    """
    warp_size, per_warp, block_sync = (
        WORD(on.warp_size),
        WORD(2 * QUEUED_EDGES * on.warp_size),
        on.block_sync,
    )
    pair = np.uint64(2 * on.warp_size)  # rows that a group of lanes looks at together
    fold_for, load, read = fold_of(on), share_bits(on), read_two(on, wide, load_edge)
    look, hold_one = examine_two(on, vertex), hold_queued(on, vertex, hold)
    wait, together = enqueue(on), hold_together(on, hold_one)
    head, sum_of = vertex_of_giant(on, vertex), sum_of_block(on)

    @on.block_kernel(words)
    def examine_by_blocks(
        k,
        t,
        step,
        shared,
        blocks,
        count,
        held,
        src,
        dst,
        low,
        n,
        giant,
        own,
        alike,
        in_giant,
        trees,
        named,
        tally,
        wrong,
        warp_queues,
    ):
        lane, held, rows = WORD(WORD(t) % warp_size), WORD(held), np.uint64(count)
        group, stride = (
            WORD((k * step + t) // np.uint64(warp_size)),
            WORD(blocks) * WORD(step) // warp_size,
        )
        end, fold = WORD((rows + pair - ONE) // pair), fold_for(held, giant, in_giant)
        queue, waiting = WORD(group * per_warp), NONE
        idle = WORD((k * step + t) % np.uint64(in_giant.size))
        seen, total, squares = NONE, ZERO, ZERO
        done, stop = end == NONE, WORD((end >> EIGHTH) + BIT)
        while not done:
            load(shared, held, fold, in_giant, t, step)
            block_sync()
            u, v, x, y = read(row(np.uint64(group) * pair) + np.uint64(lane), src, dst, low, n)
            stop = min(stop, end)
            while group < stop:
                i = np.uint64(group) * pair
                e, left = row(i) + np.uint64(lane), rows - i
                group = WORD(group + stride)
                i = np.uint64(group) * pair
                u2, v2, x2, y2 = read(row(i) + np.uint64(lane), src, dst, low, n)
                one, other = look(
                    u, v, x, y, n, shared, held, fold, in_giant, idle, own, named, wrong
                )
                if np.uint64(lane) < left:
                    seen, total, squares = WORD(seen + BIT), total + e, squares + e * e
                else:
                    one = BIT
                e += np.uint64(warp_size)
                if np.uint64(lane) + np.uint64(warp_size) < left:
                    seen, total, squares = WORD(seen + BIT), total + e, squares + e * e
                else:
                    other = BIT
                waiting = wait(one, u, v, warp_queues, queue, waiting)
                waiting = wait(other, x, y, warp_queues, queue, waiting)
                rest = head(giant, ROOT_OF), own, alike, in_giant, trees, wrong
                waiting = together(warp_queues, queue, waiting, lane, *rest)
                u, v, x, y = u2, v2, x2, y2
            done, stop = stop == end, WORD(stop << FOURFOLD)
            block_sync()
        if lane < waiting:
            top = head(giant, ROOT_OF)
            hold_one(warp_queues, WORD(queue + lane), top, own, alike, in_giant, trees, wrong)
        block_sync()
        sum_of(shared, t, step, tally, ZERO, np.uint64(seen))
        sum_of(shared, t, step, tally, ONE, total)
        sum_of(shared, t, step, tally, TWO, squares)

    return examine_by_blocks


# Lists in order: the edges inside each block of ids are joined first, in shared memory, which
# responds ten times as fast. All rows are examined once more, so an edge may be missed here, but
# none may be joined wrongly.
#
# shared : (window,) uint32, trees of the vertices of a block.
# block_offsets : (blocks + 1,) uint64, the first row of each block; it ends where the next begins.

HALVINGS = 5
APART = np.uint64(1 << 15)  # how far apart ids are at most that are near each other: two blocks
CREDIT = np.int64(8)  # misses more than hits, at which a thread stops: the list is in no order


def look_for_order(on: Any, wide: type, corners: Any) -> Any:
    """Count the rows of a regular sample that are in order, and those with near ends.

    Beside that, read the corners of the frame.

    In order is a row whose source is not far beyond those of later rows: the first halving of the
    list, the next one, and so on. No load waits for another one.
    """
    add = on.block_reduce_add

    @on.grid_stride
    def look_for_order(i, last, step, m, apart, ids, src, dst, out, counts):
        ordered, both, end = ZERO, ZERO, np.uint64(m) - ONE
        if i == ZERO:
            corners(ids, out)
        while i < last:
            e, good = i * np.uint64(apart), True
            u, v = wide(src[e]), wide(dst[e])
            for k in range(1, HALVINGS + 1):
                w = wide(src[min(e + (np.uint64(m) >> np.uint64(k)), end)])
                good &= (w >= u) | (np.uint64(u) - np.uint64(w) < APART)
            ordered += np.uint64(good)
            both += np.uint64(good & (np.uint64(max(u, v)) - np.uint64(min(u, v)) < APART))
            i += step
        add(counts, ZERO, ordered)
        add(counts, ONE, both)

    return look_for_order


def find_block_offsets(on: Any, wide: type, window: int) -> Any:
    """Find the first row of each block by bisection, of a list in the order of its sources.

    In a list of any order they do not fall either: two searches climb down one tree, and where they
    part the one for the later block goes up.
    """
    ids = np.uint64(window)

    @on.elementwise
    def find_block_offsets(k, m, low, src, block_offsets):
        least, end = ZERO, np.uint64(m)
        while least < end:
            middle = (least + end) >> ONE
            if np.uint64(wide(np.int64(src[middle]) - low)) < k * ids:
                least = middle + ONE
            else:
                end = middle
        block_offsets[k] = least

    return find_block_offsets


def join_in_block(on: Any, join: Any) -> Any:
    """Join two vertices of a block."""
    root = climb_shortening(on)

    @on.device
    def join_in_block(x, y, shared):
        u, v = root(shared, LOCAL(x), shared[x]), root(shared, LOCAL(y), shared[y])
        if u != v:
            join(shared, u, v, shared[u], shared[v])

    return join_in_block


def join_share(on: Any, load_edge: Any, join_in_block: Any) -> Any:
    """Join the edges of one thread of a block, until too many lead to other blocks."""

    @on.device
    def join_share(e, last, step, base, size, shared, src, dst, low, n):
        credit = CREDIT
        while e < last and credit > 0:
            u, v = load_edge(e, src, dst, low, n)
            x, y = np.uint64(u) - base, np.uint64(v) - base
            if max(x, y) >= size:
                credit -= 1
            else:
                credit += 1
                join_in_block(x, y, shared)
            e += step

    return join_share


def join_block(on: Any, vertex: type, window: int, load_edge: Any, join: Any) -> Any:
    """Join the edges inside each block, and point its vertices at their roots.

    These have to have their labels: then every edge that was joined had one.

    Between two phases the threads of a block wait for each other, and blocks meet nowhere.
    """
    block_sync, root, ids = on.block_sync, climb_shortening(on), np.uint64(window)
    share, nowhere = (
        join_share(on, load_edge, join_in_block(on, join)),
        vertex(np.iinfo(vertex).max),
    )

    @on.block_kernel(window)
    def join_block(k, t, step, shared, src, dst, low, n, most, own, trees, block_offsets, wrong):
        base, begun, fault = k * ids, block_offsets[k], NONE
        size, last = (
            min(ids, np.uint64(n) - base),
            min(block_offsets[k + ONE], begun + np.uint64(most)),
        )
        v = t
        while v < size:
            shared[v] = LOCAL(v)
            v += step
        block_sync()
        share(begun + t, last, step, base, size, shared, src, dst, low, n)
        block_sync()
        v = t
        while v < size:
            r, label = np.uint64(root(shared, LOCAL(v), shared[v])), own[base + v]
            if r != v and (label == nowhere or label != own[base + r]):
                fault = BIT
            trees[base + v] = vertex(base + r)
            v += step
        if fault != NONE:
            wrong[ZERO] = 1

    return join_block


# Vertices, when all edges are joined.


def name_parents(on: Any, vertex: type) -> Any:
    """Mark the parents of some vertices, to reduce contention in the next pass."""
    slot, mark = probed(on), put(on)

    @on.elementwise
    def name_parents(i, n, trees, named):
        v = slot(i, n)
        p = trees[v]
        if p != v:
            mark(named, vertex(p))

    return name_parents


def examine_vertices(on: Any, vertex: type, before: Any) -> Any:
    """Count the vertices, those that are their own label, and the roots.

    The roots are noted as bits. A thread owns whole bytes of these.

    LABEL: a vertex whose label does not label itself, or comes after it (before it, of labels that
    are the ``greatest`` ones). LOST: a slot whose parent does not come after it in the order of the
    trees, or that hangs in one and is no vertex. A vertex from which another hangs is named.
    """
    mark, add, least, nowhere = (
        put(on),
        on.block_reduce_add,
        lessen(on),
        vertex(np.iinfo(vertex).max),
    )

    @on.grid_stride
    def examine_vertices(b, last, step, n, greatest, own, trees, named, octets, first, counts):
        there, labels, roots, beyond = ZERO, ZERO, ZERO, np.uint64(n)
        while b < last:
            octet, one, v, end = np.uint8(0), OCTET, b << THREE, min((b << THREE) + EIGHT, beyond)
            while v < end:
                label, p = own[v], trees[v]
                if p == v:
                    if label != nowhere:
                        roots += ONE
                        octet |= one
                elif label == nowhere or np.uint64(p) >= beyond or not before(vertex(v), p):
                    least(first, LOST, v)
                else:
                    mark(named, p)
                if label != nowhere:
                    there += ONE
                    if label == v:
                        labels += ONE
                    elif (label > v) == (greatest == 0) or own[label] != label:
                        least(first, LABEL, v)
                one = np.uint8(one << OCTET)
                v += ONE
            octets[b] = octet
            b += step
        add(counts, ZERO, there)
        add(counts, ONE, labels)
        add(counts, TWO, roots)

    return examine_vertices


def find_foreign(on: Any) -> Any:
    """Find the first vertex that nothing names: a root without children."""
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
    """Find the first vertex that is in another tree than its label."""
    root, least, nowhere = climb(on), lessen(on), vertex(np.iinfo(vertex).max)

    @on.elementwise
    def find_merged(v, own, trees, first):
        if own[v] != nowhere and root(trees, vertex(v)) != root(trees, own[v]):
            least(first, MERGED, v)

    return find_merged
