"""Borůvka's algorithm: in each round every tree is linked by its lightest outgoing edge.

Edges are ordered by weight, and edges of equal weight by row. The order is total, so the selected
edges contain no cycle and the forest is the same in every run.

weights : (m,) unsigned integers, the bits of the caller's weights. The device function ``weigh``
          returns the code of an edge's weight; it may also depend on the edge's endpoints.
key     : uint64. For weights of up to 32 bits, a key has an order-preserving code of the weight in
          the upper half and the row in the lower half. For wider weights, a key is the code of the
          weight alone; the rows are then a separate list.
us, vs, keys, rows : (k,) arrays, the candidates: edges between two trees. ``us`` and ``vs`` are the
          roots of the endpoints when the candidate was collected. ``rows`` is empty if the keys
          contain the rows.
count   : (1,) uint64, the number of candidates; more than k if the lists are too short.
best    : (n,) uint64, the least key of each root's candidates; all bits set for none.
best_row : (n,) uint64, for wide weights the least row among the candidates with that key.
pivots  : (2 k,) uint64. The edges, in the order of weights, are divided into k bands; for each
          band, the weight code and the row of its last edge.
chosen  : a bit for each row of the edge list; set for edges of the forest.

No tree is linked while candidates are collected, and no candidate is collected while trees are
linked. Allowed race: a stale ``best`` is too great and costs one more atomic operation. ``best``
does not change while trees are linked and is reset afterwards.

Borůvka, "O jistém problému minimálním", 1926.
"""

from typing import Any

import numpy as np

from . import primitives
from .primitives import lessen, none_of

TILE = 1 << 12  # candidates per block of threads
BAND_TILE = 1 << 13  # edges of the list per block of threads
HALF, LOW = np.uint64(32), np.uint64((1 << 32) - 1)
NONE = none_of(np.uint64)
ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)
MAX_THREADS = 1024  # of a block
MAX_ROUNDS = np.uint64(64)  # each round at least halves the number of trees
BARRIER, LEFT = 0, 1  # indices into ``words``: the barrier, and whether candidates are left


def unsigned_order(on: Any, width: int) -> Any:
    """Return the order-preserving code of an unsigned weight, of any ``width``: the weight."""

    @on.device
    def order(bits):
        return np.uint64(bits)

    return order


def signed_order(on: Any, width: int) -> Any:
    """Return the order-preserving code of a signed weight of ``width`` bits."""
    sign = np.uint64(1 << (width - 1))

    @on.device
    def order(bits):
        return np.uint64(bits) ^ sign

    return order


def float_order(on: Any, width: int) -> Any:
    """Return the order-preserving code of a float of ``width`` bits; -0.0 equals 0.0."""
    sign, all_bits = np.uint64(1 << (width - 1)), np.uint64((1 << width) - 1)

    @on.device
    def order(bits):
        pattern = np.uint64(bits)
        if pattern == sign:
            pattern = ZERO
        if pattern & sign != ZERO:
            return all_bits ^ pattern
        return pattern | sign

    return order


def reversed_order(on: Any, width: int, order: Any) -> Any:
    """Return a code in the opposite order, for a maximum spanning forest."""
    all_bits = np.uint64((1 << width) - 1)

    @on.device
    def reversed_order(bits):
        return all_bits ^ order(bits)

    return reversed_order


def listed_weight(on: Any, order: Any) -> Any:
    """Return the code of the weight of edge e, which is ``weights[e]``."""

    @on.device
    def weigh(e, weights, src, dst, n):
        return order(weights[e])

    return weigh


def weigh_sample(on: Any, weigh: Any) -> Any:
    """Write the codes of the weights in rows 0, ``every``, 2 * ``every`` and so on."""

    @on.elementwise
    def weigh_sample(i, every, weights, src, dst, n, codes):
        codes[i] = weigh(i * np.uint64(every), weights, src, dst, n)

    return weigh_sample


def pick_pivots(on: Any) -> Any:
    """Write the last edge of each of ``bands`` bands, estimated from a sample of the m weights.

    Weight i of the sample is in row ``i * every``; equal weights are ordered by row. The first band
    has ``light`` edges, and each further band ends at twice the position of the previous end.
    Thread i counts the weights of the sample before weight i. If a band ends at this position of
    the sample, the thread writes weight i as the pivot of the band.
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
            end_in_sample = min(end * size // np.uint64(m), size - ONE)
            if before == end_in_sample:
                pivots[k << ONE], pivots[(k << ONE) + ONE] = pivot, i * np.uint64(every)
            end <<= ONE
            k += ONE

    return pick_pivots


class Keys:
    """Device functions for keys that contain the row, for weights of up to 32 bits."""

    separate_rows = False  # whether rows are stored separately from the keys

    @staticmethod
    def key(on: Any) -> Any:
        """Return the key of an edge: the weight's code in the upper half, the row in the lower."""

        @on.device
        def key(weight, row):
            return weight << HALF | row

        return key

    @staticmethod
    def load_row(on: Any) -> Any:
        """Return the row of candidate i: the lower half of its key."""

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
    def selects(on: Any) -> Any:
        """Return whether root r selects an edge, which is the candidate of r with the least key."""

        @on.device
        def selects(best, best_row, r, key, row):
            return best[r] == key

        return selects

    @staticmethod
    def reset_best(on: Any) -> Any:
        """Reset the selection of a root."""

        @on.device
        def reset_best(best, best_row, r):
            best[r] = NONE

        return reset_best


class WideKeys(Keys):
    """Device functions for keys without the row, for weights of more than 32 bits."""

    separate_rows = True

    @staticmethod
    def key(on: Any) -> Any:
        """Return the key of an edge: the code of its weight."""

        @on.device
        def key(weight, row):
            return weight

        return key

    @staticmethod
    def load_row(on: Any) -> Any:
        """Return the row of candidate i, which is stored in ``rows``."""

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
    def selects(on: Any) -> Any:
        """Return whether root r selects an edge: of the least key, and then of the least row."""

        @on.device
        def selects(best, best_row, r, key, row):
            return best[r] == key and best_row[r] == row

        return selects

    @staticmethod
    def reset_best(on: Any) -> Any:
        """Reset the selection of a root and its row."""

        @on.device
        def reset_best(best, best_row, r):
            best[r], best_row[r] = NONE, NONE

        return reset_best


def after(on: Any) -> Any:
    """Return whether an edge comes after the last edge of a band, by weight and then by row."""

    @on.device
    def is_after(weight, row, last_weight, last_row):
        return weight > last_weight or (weight == last_weight and row > last_row)

    return is_after


def within(on: Any, weigh: Any) -> Any:
    """Return whether edge e is in a band: after the previous band's end, but not after its own."""
    is_after = after(on)

    @on.device
    def within(e, band, pivots, weights, in_giant, src, dst, low, n, *flags):
        weight, k = weigh(e, weights, src, dst, n), np.uint64(band) << ONE
        begun = k == ZERO or is_after(weight, e, pivots[k - TWO], pivots[k - ONE])
        return begun and not is_after(weight, e, pivots[k], pivots[k + ONE])

    return within


def outside_giant(on: Any, vertex: type, wide: type, within: Any, load_edge: Any) -> Any:
    """Return whether an edge is in a band and not inside the giant component.

    ``in_giant`` is the bit set of the giant component's vertices. Its bits reject most edges of a
    later band without a find, and stay in a cache when the parents do not. No tree changes while
    edges are read. Self-loops and invalid edges return True, so that a later phase flags them.
    """
    has = primitives.has(on)

    @on.device
    def outside(e, band, pivots, weights, in_giant, src, dst, low, n, *flags):
        if not within(e, band, pivots, weights, in_giant, src, dst, low, n):
            return False
        u, v = load_edge(e, src, dst, low, n)
        if u == v or max(u, v) >= wide(n):
            return True
        return not (has(in_giant, vertex(u)) and has(in_giant, vertex(v)))

    return outside


def singleton_root(on: Any) -> Any:
    """Return the vertex itself as its root, for the first round, in which nothing is linked."""

    @on.device
    def singleton_root(parent, v):
        return v

    return singleton_root


def load_listed_edge(on: Any, weigh: Any, key: Any, read: Any) -> Any:
    """Return the endpoints, the key and the row of edge e of the list.

    ``read`` loads the endpoints; it flags invalid edges and self-loops.
    """

    @on.device
    def load_listed_edge(e, weights, in_giant, src, dst, low, n, *flags):
        u, v = read(e, src, dst, low, n, *flags)
        return u, v, key(weigh(e, weights, src, dst, n), e), e

    return load_listed_edge


def load_candidate(on: Any, load_row: Any) -> Any:
    """Return the endpoints, the key and the row of candidate i of the previous round."""

    @on.device
    def load_candidate(i, us, vs, keys, rows):
        key = keys[i]
        return us[i], vs[i], key, load_row(key, rows, i)

    return load_candidate


def reserve_position(on: Any) -> Any:
    """Return a new position in a list for each thread of a warp that has an element (``kept``).

    The first of these threads adds their number to ``count``, the length of the list, in one atomic
    operation. It passes the old length to the other threads in shared words ``at`` and ``at + 1``.
    """
    add, ballot_rank, warp_sync = on.atomic_add, on.warp_ballot_rank, on.warp_sync

    @on.device
    def reserve_position(kept, count, shared, at):
        rank, kept_count = ballot_rank(kept)
        if kept and rank == 0:
            start = np.uint64(add(count, 0, np.uint64(kept_count)))
            shared[at], shared[at + ONE] = (np.uint32(start & LOW), np.uint32(start >> HALF))
        warp_sync()
        start_of_warp = np.uint64(shared[at + ONE]) << HALF | np.uint64(shared[at])
        warp_sync()
        return start_of_warp + np.uint64(rank)

    return reserve_position


def lower_both(on: Any) -> Any:
    """Lower ``best`` of two roots to a key; both are loaded before either is written."""
    atomic_min = on.atomic_min

    @on.device
    def lower_both(best, u, v, key):
        best_of_u, best_of_v = best[u], best[v]
        if key < best_of_u:
            atomic_min(best, u, key)
        if key < best_of_v:
            atomic_min(best, v, key)

    return lower_both


def append_candidate(on: Any, vertex: type, load: Any, find: Any, store_row: Any) -> Any:
    """Append an edge between two trees to the candidates, and lower ``best`` of both roots.

    ``load`` returns the endpoints, key and row of edge e of ``source``. All threads of a warp call
    this together, some without an edge (``valid`` is false). Candidates beyond the capacity of the
    lists are counted but not stored. ``shared`` and ``at`` are as in :func:`reserve_position`.
    """
    lower, reserve = lower_both(on), reserve_position(on)

    @on.device
    def append_candidate(valid, e, shared, at, parent, best, count, us, vs, keys, rows, *source):
        u, v, key, row, kept = vertex(0), vertex(0), ZERO, ZERO, False
        if valid:
            u, v, key, row = load(e, *source)
            if u != v:
                u, v = find(parent, u), find(parent, v)
                kept = u != v
        place = reserve(kept, count, shared, at)
        if kept:
            lower(best, u, v, key)
            if place < np.uint64(us.size):
                us[place], vs[place], keys[place] = u, v, key
                store_row(rows, place, row)

    return append_candidate


def collect(on: Any, append_candidate: Any) -> Any:
    """Append the candidates of the previous round that still join two trees."""
    warp, tile = np.uint64(on.warp_size), np.uint64(TILE)
    words = 2  # of shared memory per warp, for ``reserve_position``

    @on.block_kernel(words * MAX_THREADS // on.warp_size)
    def collect(block, thread, step, shared, m, *lists):
        at, lane = thread // warp * np.uint64(words), thread % warp
        i, base = thread, block * tile
        last = min(tile, np.uint64(m) - base)
        while i - lane < last:  # whole warps, because all threads of a warp append together
            append_candidate(i < last, base + i, shared, at, *lists)
            i += step

    return collect


def collect_band(on: Any, within: Any, append_candidate: Any) -> Any:
    """Append the edges of a band that join two trees to the candidates.

    Only some edges are in the band, and a warp takes as long for one edge as for one per lane. So
    each warp queues its edges in shared memory until there is an edge for every lane. This also
    needs fewer atomic operations on ``count``.
    """
    warp, tile = np.uint64(on.warp_size), np.uint64(BAND_TILE)
    # Per warp: two words for ``reserve_position``, and a queue. Before each pass, fewer edges than
    # lanes wait, and a pass adds up to one edge per lane.
    words, ballot_rank, warp_sync = 2 + 2 * on.warp_size, on.warp_ballot_rank, on.warp_sync

    @on.block_kernel(words * MAX_THREADS // on.warp_size)
    def collect_band(
        k, t, step, shared, m, band, pivots, parent, best, count, us, vs, keys, rows, *source
    ):
        at, lane, i, base = t // warp * np.uint64(words), t % warp, t, k * tile
        last, queue, waiting = min(tile, np.uint64(m) - base), at + TWO, ZERO
        lanes = min(warp, step)  # ``step`` is the size of the block, which may be less than a warp
        while i - lane < last:  # whole warps, because ``ballot_rank`` needs all lanes
            in_band = i < last and within(base + i, band, pivots, *source)
            rank, added = ballot_rank(in_band)
            if in_band:
                shared[queue + waiting + np.uint64(rank)] = np.uint32(i)
            waiting += np.uint64(added)
            warp_sync()
            if waiting >= lanes:  # an edge for every lane: append them
                waiting -= lanes
                e = base + np.uint64(shared[queue + waiting + lane])
                append_candidate(
                    True, e, shared, at, parent, best, count, us, vs, keys, rows, *source
                )
            i += step
        if waiting > ZERO:
            e, valid = base, lane < waiting  # without an edge, ``e`` is not used
            if valid:
                e += np.uint64(shared[queue + lane])
            append_candidate(valid, e, shared, at, parent, best, count, us, vs, keys, rows, *source)

    return collect_band


def lower_row(on: Any) -> Any:
    """Lower ``best_row[r]`` to the row of candidate i, for each root r whose least key it has."""
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
    """Compute, for each root, the least row among the candidates with its least key."""
    lower = lower_row(on)

    @on.elementwise
    def lower_rows(i, count, us, vs, keys, rows, best, best_row):
        if i < count[0] and count[0] <= np.uint64(us.size):
            lower(i, us, vs, keys, rows, best, best_row)

    return lower_rows


def hook(on: Any, link: Any) -> Any:
    """Hook the larger of two roots under the smaller; if it has been hooked already, ``link``."""
    cas = on.atomic_cas

    @on.device
    def hook(parent, aux, u, v):
        if u < v:
            u, v = v, u
        if cas(parent, u, u, v) != u:
            link(parent, aux, u, v)

    return hook


def link_candidate(on: Any, load_row: Any, selects: Any, hook: Any) -> Any:
    """If one of the two trees of a candidate selects it, link the trees and mark its row.

    The selected edges contain no cycle, so each selected edge links two trees. Both endpoints of
    the candidate are then set to the smaller root, which marks the candidate as done. The selection
    of the larger root is not reset, because only the selections of roots are read.
    """
    mark = primitives.mark(on)

    @on.device
    def link_candidate(i, us, vs, keys, rows, best, best_row, parent, aux, chosen):
        u, v, key = us[i], vs[i], keys[i]
        row = load_row(key, rows, i)
        if selects(best, best_row, u, key, row) or selects(best, best_row, v, key, row):
            hook(parent, aux, u, v)
            mark(chosen, row)
            us[i] = vs[i] = min(u, v)

    return link_candidate


def link_selected(on: Any, link_candidate: Any) -> Any:
    """Link the trees of all selected candidates; do nothing if the lists were too short.

    The host launches this for the capacity of the lists, because it does not know ``count``.
    """

    @on.elementwise
    def link_selected(i, count, us, vs, keys, rows, best, best_row, parent, aux, chosen):
        if i < count[0] and count[0] <= np.uint64(us.size):
            link_candidate(i, us, vs, keys, rows, best, best_row, parent, aux, chosen)

    return link_selected


def reset_selections(on: Any, reset_best: Any) -> Any:
    """Reset the selections of the roots of candidates."""

    @on.elementwise
    def reset_selections(i, us, vs, best, best_row):
        reset_best(best, best_row, us[i])
        reset_best(best, best_row, vs[i])

    return reset_selections


def finish(on: Any, wide_keys: bool, link_candidate: Any, reset_best: Any, find: Any) -> Any:
    """Run all remaining rounds over a few candidates in one launch.

    The candidates stay in place; a candidate whose endpoints have one root is ignored. Earlier
    launches may have linked the candidates that are selected at first. The phases are as in
    separately launched rounds, with a grid-wide barrier between them. ``k`` is the number of
    candidates, and ``words`` are the barrier and a flag: whether a candidate is left. No thread
    reads or sets the flag in the phase that clears it. ``wide_keys``: as ``Keys.separate_rows``.

    Each tree with a candidate selects one, so every round at least halves the number of these trees
    and the loop ends. If a fault prevents this, the loop stops after ``MAX_ROUNDS`` and sets
    ``out_of_range``.
    """
    lower, lower_rows, grid_sync = lower_both(on), lower_row(on), on.grid_sync

    @on.cooperative
    def finish(
        t, k, step, us, vs, keys, rows, best, best_row, parent, aux, chosen, words, out_of_range
    ):
        rounds, left = ZERO, True
        while left and rounds < MAX_ROUNDS:
            i = t
            if wide_keys:  # of equal keys, the least row is selected
                while i < k:
                    if us[i] != vs[i]:
                        lower_rows(i, us, vs, keys, rows, best, best_row)
                    i += step
                grid_sync(words, BARRIER)
                i = t
            while i < k:
                if us[i] != vs[i]:
                    link_candidate(i, us, vs, keys, rows, best, best_row, parent, aux, chosen)
                i += step
            grid_sync(words, BARRIER)
            if t == ZERO:
                words[LEFT] = ZERO
            i = t
            while i < k:
                reset_best(best, best_row, us[i])
                reset_best(best, best_row, vs[i])
                i += step
            grid_sync(words, BARRIER)
            i = t
            while i < k:  # select the least keys of the next round
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
