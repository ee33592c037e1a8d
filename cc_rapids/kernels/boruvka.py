"""Rounds of Borůvka's: each tree takes the first edge that leaves it, and is linked by that.

Edges are in the order of their weights, and among equal weights in that of their rows, so that no
two are equal: the edges that all trees take have no cycle, and the forest is the same on every run.

weights : (m,) unsigned integers, the bits of the weights as they came.
key     : uint64. Of up to 32 bits the weight, in an order of unsigned integers, before the row;
          of wider weights the weight alone, and then the rows of candidates are a list beside it.
us, vs, keys, rows : (k,) arrays, the candidates: edges between two trees, by the roots that these
          had when the edge was looked at last. ``rows`` is empty where keys contain the rows.
count   : (1,) uint64, how many candidates are listed; more than k where the lists are too short.
best    : (n,) uint64, the least key of the candidates of each root, all bits set for none.
best_row : (n,) uint64, for wide weights the least row among the candidates with that key.
pivots  : (2 k,) uint64, the weight in its order and the row of the last edge of each of k bands.

chosen  : a bit for each row of the list, those of the forest.

Nothing is linked while candidates are collected, and nothing is collected while trees are linked.
What a thread reads of ``best`` meanwhile may be too great, and costs one more atomic operation.
While trees are linked, ``best`` stays; it is forgotten afterwards.

Borůvka, "O jistém problému minimálním", 1926.
"""

from typing import Any

import numpy as np

from .primitives import has as contains
from .primitives import lessen, none_of
from .primitives import mark as to_set

TILE = 1 << 12  # candidates that the threads of a block look at
BAND_TILE = 1 << 13  # edges of the list that these look at
HALF, LOW = np.uint64(32), np.uint64((1 << 32) - 1)
NONE = none_of(np.uint64)
ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)
MOST_THREADS = 1024  # of a block
MOST_ROUNDS = np.uint64(64)  # each round halves the number of trees
BARRIER, LEFT = 0, 1  # of the words of rounds in one launch


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
        pattern = np.uint64(bits)
        if pattern == sign:
            pattern = ZERO
        if pattern & sign != ZERO:
            return every ^ pattern
        return pattern | sign

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


def pick_pivots(on: Any) -> Any:
    """Write the last edge of each band but the last, by a sample: every ``every``-th of m weights.

    Of equal weights in the sample, those of lower rows come first. The first band ends after
    ``light`` edges, and each further one after twice as many.
    """

    @on.elementwise
    def pick_pivots(i, sample, every, m, light, bands, pivots):
        pivot, size, before, j = sample[i], np.uint64(sample.size), ZERO, ZERO
        while j < size:
            if sample[j] < pivot or (sample[j] == pivot and j < i):
                before += ONE
            j += ONE
        end, k = np.uint64(light), ZERO
        while k < np.uint64(bands):
            if before == min(end * size // np.uint64(m), size - ONE):
                pivots[k << ONE], pivots[(k << ONE) + ONE] = pivot, i * np.uint64(every)
            end <<= ONE
            k += ONE

    return pick_pivots


class Keys:
    """The parts of kernels for keys that contain rows, of weights of up to 32 bits."""

    apart = False  # the rows from the keys

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
    def takes(on: Any) -> Any:
        """Return whether a root takes an edge: the first one of those that leave it."""

        @on.device
        def takes(best, best_row, r, key, row):
            return best[r] == key

        return takes

    @staticmethod
    def forget(on: Any) -> Any:
        """Forget what a root takes."""

        @on.device
        def forget(best, best_row, r):
            best[r] = NONE

        return forget


class WideKeys(Keys):
    """The parts of kernels for keys with lists of rows beside them."""

    apart = True

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
    def takes(on: Any) -> Any:
        """Return whether a root takes an edge: of those of least weight that of the least row."""

        @on.device
        def takes(best, best_row, r, key, row):
            return best[r] == key and best_row[r] == row

        return takes

    @staticmethod
    def forget(on: Any) -> Any:
        """Forget what a root takes, its row too."""

        @on.device
        def forget(best, best_row, r):
            best[r], best_row[r] = NONE, NONE

        return forget


def after(on: Any) -> Any:
    """Return whether an edge comes after another one, by weight and then by row."""

    @on.device
    def is_after(weight, e, last, row):
        return weight > last or (weight == last and e > row)

    return is_after


def within(on: Any, order: Any) -> Any:
    """Return whether an edge is in a band, which begins after the last edge of the one before."""
    is_after = after(on)

    @on.device
    def within(e, band, pivots, weights, *ends):
        weight, k = order(weights[e]), np.uint64(band) << ONE
        begun = k == ZERO or is_after(weight, e, pivots[k - TWO], pivots[k - ONE])
        return begun and not is_after(weight, e, pivots[k], pivots[k + ONE])

    return within


def outside_giant(on: Any, vertex: type, wide: type, within: Any, load_edge: Any) -> Any:
    """Return whether an edge is in a band and not inside the giant.

    Nothing is linked while edges are read, so that a tree keeps its vertices. A bit a vertex stays
    in a cache where the parents do not, and no roots are looked up for what the giant contains:
    most of a later band. Of loops and invalid edges it is noted that they are, if their turn comes.
    """
    has = contains(on)

    @on.device
    def outside(e, band, pivots, weights, in_giant, src, dst, low, n, *flags):
        if not within(e, band, pivots, weights):
            return False
        u, v = load_edge(e, src, dst, low, n)
        if u == v or max(u, v) >= wide(n):
            return True
        return not (has(in_giant, vertex(u)) and has(in_giant, vertex(v)))

    return outside


def singleton_root(on: Any) -> Any:
    """Return a vertex as the root of its tree, where nothing is linked yet: no parent is read."""

    @on.device
    def singleton_root(parent, v):
        return v

    return singleton_root


def listed(on: Any, order: Any, key: Any, read: Any) -> Any:
    """Return the ends, the key and the row of an edge of the list.

    The ends are read by ``read``, which notes what joins nothing.
    """

    @on.device
    def candidate(e, weights, in_giant, *ends):
        u, v = read(e, *ends)
        return u, v, key(order(weights[e]), e), e

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
    def append(kept, count, shared, at):
        before, more = ballot_rank(kept)
        if kept and before == 0:
            start = np.uint64(add(count, 0, np.uint64(more)))
            shared[at], shared[at + ONE] = (np.uint32(start & LOW), np.uint32(start >> HALF))
        warp_sync()
        place = np.uint64(shared[at + ONE]) << HALF | np.uint64(shared[at])
        warp_sync()
        return place + np.uint64(before)

    return append


def lower_both(on: Any) -> Any:
    """Lower what two roots take to a key; both are read before either is written."""
    low = on.atomic_min

    @on.device
    def lower_both(best, u, v, key):
        of_u, of_v = best[u], best[v]
        if key < of_u:
            low(best, u, key)
        if key < of_v:
            low(best, v, key)

    return lower_both


def keep(on: Any, vertex: type, candidate: Any, find: Any, store_row: Any) -> Any:
    """List an edge between two trees, by the roots of its ends, and lower what these take.

    The threads of a warp come together, some of them without an edge. ``count`` tells how many are
    listed, more than are stored where the lists are too short for them.
    """
    lower, place_of = lower_both(on), append(on)

    @on.device
    def keep(valid, e, shared, at, parent, best, count, us, vs, keys, rows, *source):
        u, v, key, row, kept = vertex(0), vertex(0), ZERO, ZERO, False
        if valid:
            u, v, key, row = candidate(e, *source)
            if u != v:
                u, v = find(parent, u), find(parent, v)
                kept = u != v
        place = place_of(kept, count, shared, at)
        if kept:
            lower(best, u, v, key)
            if place < np.uint64(us.size):
                us[place], vs[place], keys[place] = u, v, key
                store_row(rows, place, row)

    return keep


def collect(on: Any, keep: Any) -> Any:
    """List those of the round before that still join two trees. A warp shares words of its own."""
    warp, tile = np.uint64(on.warp_size), np.uint64(TILE)

    @on.block_kernel(2 * MOST_THREADS // on.warp_size)
    def collect(k, t, step, shared, m, *lists):
        at, lane, i, base = t // warp << ONE, t % warp, t, k * tile
        last = min(tile, np.uint64(m) - base)
        while i - lane < last:
            keep(i < last, base + i, shared, at, *lists)
            i += step

    return collect


def collect_band(on: Any, within: Any, keep: Any) -> Any:
    """List the edges of a band of the list that join two trees.

    A band is some of the edges, and a warp takes as long for one as for an edge a lane: its own
    wait in words that it shares until there is one for each lane. Fewer warps add to ``count``.
    """
    warp, tile = np.uint64(on.warp_size), np.uint64(BAND_TILE)
    words, ballot_rank, warp_sync = 2 + 2 * on.warp_size, on.warp_ballot_rank, on.warp_sync

    @on.block_kernel(words * MOST_THREADS // on.warp_size)
    def collect_band(
        k, t, step, shared, m, band, pivots, parent, best, count, us, vs, keys, rows, *source
    ):
        at, lane, i, base = t // warp * np.uint64(words), t % warp, t, k * tile
        last, queue, waiting = min(tile, np.uint64(m) - base), at + TWO, ZERO
        lanes = min(warp, step)
        while i - lane < last:
            kept = i < last and within(base + i, band, pivots, *source)
            before, more = ballot_rank(kept)
            if kept:
                shared[queue + waiting + np.uint64(before)] = np.uint32(i)
            waiting += np.uint64(more)
            warp_sync()
            if waiting >= lanes:
                waiting -= lanes
                e = base + np.uint64(shared[queue + waiting + lane])
                keep(True, e, shared, at, parent, best, count, us, vs, keys, rows, *source)
            i += step
        if waiting > ZERO:
            e, valid = base, lane < waiting
            if valid:
                e += np.uint64(shared[queue + lane])
            keep(valid, e, shared, at, parent, best, count, us, vs, keys, rows, *source)

    return collect_band


def lower_row(on: Any) -> Any:
    """Lower the least rows of the roots of a candidate that has their least key."""
    lower = lessen(on)

    @on.device
    def lower_row(i, us, vs, keys, rows, best, best_row):
        u, v, key, row = us[i], vs[i], keys[i], rows[i]
        if key == best[u]:
            lower(best_row, u, row)
        if key == best[v]:
            lower(best_row, v, row)

    return lower_row


def lower_rows(on: Any) -> Any:
    """Find the least row among the candidates with the least key of each root."""
    lower = lower_row(on)

    @on.elementwise
    def lower_rows(i, count, us, vs, keys, rows, best, best_row):
        if i < count[0] and count[0] <= np.uint64(us.size):
            lower(i, us, vs, keys, rows, best, best_row)

    return lower_rows


def hook(on: Any, link: Any) -> Any:
    """Hook the larger of two roots under the smaller; climb if it is no longer a root."""
    cas = on.atomic_cas

    @on.device
    def hook(parent, aux, u, v):
        if u < v:
            u, v = v, u
        if cas(parent, u, u, v) != u:
            link(parent, aux, u, v)

    return hook


def take(on: Any, load_row: Any, takes: Any, hook: Any) -> Any:
    """Link the two trees of a candidate that one of them takes, or both, and note its row.

    A candidate is an edge of its own, and those that are taken have no cycle: each links two trees.
    It joins nothing any more, and has the smaller root twice from then on: the larger is hooked, so
    so its choice is not read again.
    """
    mark = to_set(on)

    @on.device
    def take(i, us, vs, keys, rows, best, best_row, parent, aux, chosen):
        u, v, key = us[i], vs[i], keys[i]
        row = load_row(key, rows, i)
        if takes(best, best_row, u, key, row) or takes(best, best_row, v, key, row):
            hook(parent, aux, u, v)
            mark(chosen, row)
            us[i] = vs[i] = min(u, v)

    return take


def link_taken(on: Any, take: Any) -> Any:
    """Link the two trees of each candidate that one of them takes.

    None if some are not listed. The host need not know how many there are: it launches this for as
    many as there may be.
    """

    @on.elementwise
    def link_taken(i, count, us, vs, keys, rows, best, best_row, parent, aux, chosen):
        if i < count[0] and count[0] <= np.uint64(us.size):
            take(i, us, vs, keys, rows, best, best_row, parent, aux, chosen)

    return link_taken


def forget_taken(on: Any, forget: Any) -> Any:
    """Forget what the roots of candidates take."""

    @on.elementwise
    def forget_taken(i, us, vs, best, best_row):
        forget(best, best_row, us[i])
        forget(best, best_row, vs[i])

    return forget_taken


def finish(on: Any, wide_keys: bool, take: Any, forget: Any, find: Any) -> Any:
    """Run all rounds that are left over a few candidates, in one launch.

    What they take may be linked already. The candidates stay in their places, and one that joins
    nothing any more has the same root twice. The phases are those of rounds that are launched one
    by one; between two of them all threads wait for each other. ``words`` are that of the barrier,
    and whether some candidate is left: it is cleared while no thread reads it, two barriers before
    it is read.

    Each tree with a candidate takes one, so that a round leaves half of these trees at most. Should
    a fault keep them, ``out_of_range`` says so after ``MOST_ROUNDS``. ``wide_keys`` do not
    contain the rows.
    """
    lower, lower_rows, grid_sync = lower_both(on), lower_row(on), on.grid_sync

    @on.cooperative
    def finish(
        t, k, step, us, vs, keys, rows, best, best_row, parent, aux, chosen, words, out_of_range
    ):
        rounds, left = ZERO, True
        while left and rounds < MOST_ROUNDS:
            i = t
            if wide_keys:
                while i < k:
                    if us[i] != vs[i]:
                        lower_rows(i, us, vs, keys, rows, best, best_row)
                    i += step
                grid_sync(words, BARRIER)
                i = t
            while i < k:
                if us[i] != vs[i]:
                    take(i, us, vs, keys, rows, best, best_row, parent, aux, chosen)
                i += step
            grid_sync(words, BARRIER)
            if t == ZERO:
                words[LEFT] = ZERO
            i = t
            while i < k:
                forget(best, best_row, us[i])
                forget(best, best_row, vs[i])
                i += step
            grid_sync(words, BARRIER)
            i = t
            while i < k:
                if us[i] != vs[i]:
                    u, v, key = find(parent, us[i]), find(parent, vs[i]), keys[i]
                    us[i], vs[i] = u, v
                    if u != v:
                        lower(best, u, v, key)
                        words[LEFT] = ONE
                i += step
            grid_sync(words, BARRIER)
            left = words[LEFT] != ZERO
            rounds += ONE
        if left and t == ZERO:
            out_of_range[0] = 1

    return finish
