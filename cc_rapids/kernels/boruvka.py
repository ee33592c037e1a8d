"""Rounds of Borůvka's: each tree takes the first edge that leaves it, and is linked by that.

Edges are in the order of their weights, and among equal weights in that of their rows, so that no
two are equal: the edges that all trees take have no cycle, and the forest is the same on every run.

weights : (m,) unsigned integers, the bits of the weights as they came.
key     : uint64. Of up to 32 bits the weight, in an order of unsigned integers, before the row;
          of wider weights the weight alone, and then the rows of candidates are a list beside it.
us, vs, keys, rows : (k,) arrays, the candidates: edges between two trees, by the roots that these
          had when the edge was looked at last. ``rows`` is empty where keys contain the rows.
best    : (n,) uint64, the least key of the candidates of each root, all bits set for none.
best_row : (n,) uint64, for wide weights the least row among the candidates with that key.
pivots  : (2 k,) uint64, the weight in its order and the row of the last edge of each of k bands.

Nothing is linked while candidates are collected, and nothing is collected while trees are linked.
What a thread reads of ``best`` meanwhile may be too great, and costs one more atomic operation.

Borůvka, "O jistém problému minimálním", 1926.
"""

from typing import Any

import numpy as np

from .primitives import lessen, none_of

TILE = 1 << 12  # edges that the threads of a block look at
HALF, LOW = np.uint64(32), np.uint64((1 << 32) - 1)
NONE = none_of(np.uint64)
ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)
MOST_THREADS = 1024  # of a block


def unsigned_order(on: Any, width: int) -> Any:
    """Return the bits of an unsigned weight as an integer in the order of the weights."""

    @on.device
    def order(bits):
        return np.uint64(bits)

    return order


def signed_order(on: Any, width: int) -> Any:
    """Return the bits of a signed weight as an unsigned integer in the order of the weights."""
    sign = np.uint64(1 << (width - 1))

    @on.device
    def order(bits):
        return np.uint64(bits) ^ sign

    return order


def float_order(on: Any, width: int) -> Any:
    """Return the bits of a float as an integer in the order of the weights; -0.0 equals 0.0."""
    sign, every = np.uint64(1 << (width - 1)), np.uint64((1 << width) - 1)

    @on.device
    def order(bits):
        held = np.uint64(bits)
        if held == sign:
            held = ZERO
        if held & sign != ZERO:
            return every ^ held
        return held | sign

    return order


def reversed_order(on: Any, width: int, order: Any) -> Any:
    """Return an integer in the opposite order, for a maximum spanning forest."""
    every = np.uint64((1 << width) - 1)

    @on.device
    def reversed_order(bits):
        return every ^ order(bits)

    return reversed_order


def order_sample(on: Any, order: Any) -> Any:
    """Write every ``every``-th weight as an integer in the order of the weights."""

    @on.elementwise
    def order_sample(i, every, weights, out):
        out[i] = order(weights[i * np.uint64(every)])

    return order_sample


class Keys:
    """The parts of kernels for keys that contain rows, of weights of up to 32 bits."""

    @staticmethod
    def key(on: Any) -> Any:
        """Return the key of an edge."""

        @on.device
        def key(weight, row):
            return weight << HALF | row

        return key

    @staticmethod
    def load_row(on: Any) -> Any:
        """Return the row of a candidate: that in its key."""

        @on.device
        def load_row(key, rows, i):
            return key & LOW

        return load_row

    @staticmethod
    def store_row(on: Any) -> Any:
        """Store nothing, as the key contains the row."""

        @on.device
        def store_row(rows, i, row):
            return

        return store_row

    @staticmethod
    def take(on: Any) -> Any:
        """Return the row that a root takes, all bits set for none, and forget it."""

        @on.device
        def take(best, best_row, r):
            key = best[r]
            if key == NONE:
                return NONE
            best[r] = NONE
            return key & LOW

        return take


class WideKeys(Keys):
    """The parts of kernels for keys with lists of rows beside them."""

    @staticmethod
    def key(on: Any) -> Any:
        """Return the key of an edge: its weight."""

        @on.device
        def key(weight, row):
            return weight

        return key

    @staticmethod
    def load_row(on: Any) -> Any:
        """Return the row of a candidate."""

        @on.device
        def load_row(key, rows, i):
            return rows[i]

        return load_row

    @staticmethod
    def store_row(on: Any) -> Any:
        """Store the row of a candidate."""

        @on.device
        def store_row(rows, i, row):
            rows[i] = row

        return store_row

    @staticmethod
    def take(on: Any) -> Any:
        """Return the row that a root takes, all bits set for none, and forget it."""

        @on.device
        def take(best, best_row, r):
            row = best_row[r]
            best[r], best_row[r] = NONE, NONE
            return row

        return take


def after(on: Any) -> Any:
    """Return whether an edge comes after another one, by weight and then by row."""

    @on.device
    def is_after(weight, e, last, row):
        return weight > last or (weight == last and e > row)

    return is_after


def listed(on: Any, vertex: type, order: Any, key: Any, read: Any) -> Any:
    """Return the ends, the key and the row of an edge of the list; a loop for one not asked for.

    Asked for are the edges of a band, which begins after the last edge of the one before. The ends
    of an edge are read once, by ``read``, which notes what joins nothing.
    """
    is_after = after(on)

    @on.device
    def candidate(e, band, pivots, weights, src, dst, low, n, present, out_of_range):
        weight, k = order(weights[e]), np.uint64(band) << ONE
        begun = k == ZERO or is_after(weight, e, pivots[k - TWO], pivots[k - ONE])
        u, v = vertex(0), vertex(0)
        if begun and not is_after(weight, e, pivots[k], pivots[k + ONE]):
            u, v = read(e, src, dst, low, n, present, out_of_range)
        return u, v, key(weight, e), e

    return candidate


def collected(on: Any, load_row: Any) -> Any:
    """Return the ends, the key and the row of a candidate of the round before."""

    @on.device
    def candidate(i, us, vs, keys, rows):
        key = keys[i]
        return us[i], vs[i], key, load_row(key, rows, i)

    return candidate


def append(on: Any) -> Any:
    """Return the place in a list of what is kept; the threads of a warp ask together.

    One of them counts for all, as threads that add to one word of memory wait for each other, and
    tells the others by two words that they share.
    """
    add, ballot_rank, warp_sync = on.atomic_add, on.warp_ballot_rank, on.warp_sync

    @on.device
    def append(kept, count, shared, own):
        before, more = ballot_rank(kept)
        if kept and before == 0:
            start = np.uint64(add(count, 0, np.uint64(more)))
            shared[own], shared[own + ONE] = np.uint32(start & LOW), np.uint32(start >> HALF)
        warp_sync()
        place = np.uint64(shared[own + ONE]) << HALF | np.uint64(shared[own])
        warp_sync()
        return place + np.uint64(before)

    return append


def collect(on: Any, vertex: type, candidate: Any, find: Any, store_row: Any) -> Any:
    """List the edges between two trees, by the roots of their ends, and lower what these take.

    ``count`` tells how many there are, more than are stored where the lists are too short for them.
    A thread shares words with its own warp alone.
    """
    warp, tile = np.uint64(on.warp_size), np.uint64(TILE)
    lower, place_of = lessen(on), append(on)

    @on.block_kernel(2 * MOST_THREADS // on.warp_size)
    def collect(k, t, step, shared, m, parent, best, count, us, vs, keys, rows, *source):
        own, lane, i, base = t // warp << ONE, t % warp, t, k * tile
        last = min(tile, np.uint64(m) - base)
        while i - lane < last:
            u, v, key, row, kept = vertex(0), vertex(0), ZERO, ZERO, False
            if i < last:
                u, v, key, row = candidate(base + i, *source)
                if u != v:
                    u, v = find(parent, u), find(parent, v)
                    kept = u != v
            place = place_of(kept, count, shared, own)
            if kept:
                lower(best, u, key)
                lower(best, v, key)
                if place < np.uint64(us.size):
                    us[place], vs[place], keys[place] = u, v, key
                    store_row(rows, place, row)
            i += step

    return collect


def lower_rows(on: Any) -> Any:
    """Find the least row among the candidates with the least key of each root."""
    lower = lessen(on)

    @on.elementwise
    def lower_rows(i, us, vs, keys, rows, best, best_row):
        u, v, key, row = us[i], vs[i], keys[i], rows[i]
        if key == best[u]:
            lower(best_row, u, row)
        if key == best[v]:
            lower(best_row, v, row)

    return lower_rows


def link_best(
    on: Any, vertex: type, wide: type, number: type, load_edge: Any, take: Any, join: Any
) -> Any:
    """Link each root by the edge that it takes; the two trees of an edge may both take it.

    The ends are those of the caller's list, which are compared with n again before they are used.
    """

    @on.elementwise
    def link_best(r, src, dst, low, n, parent, aux, hook_edge, best, best_row):
        e = take(best, best_row, r)
        if e != NONE:
            u, v = load_edge(e, src, dst, low, n)
            if max(u, v) < wide(n):
                join(parent, aux, hook_edge, vertex(u), vertex(v), number(e))

    return link_best
