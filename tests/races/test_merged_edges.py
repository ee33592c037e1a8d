"""Edges merged into a forest of what lasts longest, under every schedule of two or three threads.

The allowed race is that of the slots: what a thread reads may be an older link, by which fewer
edges are climbed, and then a compare-and-swap finds out. An edge that a thread carries is in no
slot meanwhile; other threads may pass where it was, or be sent on by what has taken its place.
"""

from functools import partial
from itertools import permutations
from random import Random

import numpy as np
import pytest

from cc_rapids.kernels import lasting
from cc_rapids.kernels.id_hash import mix
from races import explore, phases, scenes
from races.engine import Interleaver
from races.explore import Race
from races.portions import DEEP, explore_all, on_each_memory

ALL = (1 << 64) - 1

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")  # by a hash, as it is to


def expected(n, edges, until):
    """The rows of the forest of what lasts longest, by Kruskal's."""
    rows, chosen = sorted(range(len(edges)), key=lambda row: (-until[row], row)), []
    for row in rows:
        label = scenes.components(n, [edges[one] for one in chosen])
        if label[edges[row][0]] != label[edges[row][1]]:
            chosen.append(row)
    return set(chosen)


def slots_of(n, edges, until):
    """The slots after the edges have been merged in turn, by one thread."""
    slots, evicted = np.full(n, ALL, np.uint64), np.zeros(len(edges), np.uint64)
    merge = lasting.merge(Alone)
    for i in range(len(edges)):
        merge(np.uint64(i), 0, *phases.columns(edges), *times_of(until), slots, evicted)
    return slots


def times_of(until):
    """The times at which edges expire, and their order."""
    return np.array(until), np.arange(len(until))


class Alone:
    """A backend of one thread."""

    @staticmethod
    def atomic_cas(array, i, old, new):
        held = array[i]
        if held == old:
            array[i] = new
        return held

    @staticmethod
    def device(function):
        return function

    elementwise = device


def merging(n, before, edges, until):
    """Threads that merge an edge each into the forest of those before."""
    every, first = [*before, *edges], len(before)
    src, dst = phases.columns(every)
    rows = expected(n, every, until)

    def calls(tape, shared):
        merge = lasting.merge(Interleaver)
        given = first, src, dst, *times_of(until), shared["slots"], shared["evicted"]
        return [[partial(merge, np.uint64(i), *given)] for i in range(len(edges))]

    def rises(name, v, old, new):
        if name == "slots" and new != ALL and hashed(new >> 32) >= hashed(v):
            return f"the link of {v} leads down, to {new >> 32}"
        return None

    def verdict(arrays, notes):
        slots, evicted = arrays["slots"], arrays["evicted"]
        held = [word & 0xFFFFFFFF for word in slots if word != ALL]
        gone = [row for row in evicted if row != ALL]
        if sorted([*held, *gone]) != sorted(rows_before | set(range(first, len(every)))):
            return f"rows {held} are held, and {gone} go"
        if set(held) != rows:
            return f"rows {sorted(held)} are held, not {sorted(rows)}"
        for time in set(until):
            links = [(v, word >> 32) for v, word in enumerate(slots) if word != ALL]
            lasts = [until[word & 0xFFFFFFFF] >= time for word in slots if word != ALL]
            lasting_links = [link for link, own in zip(links, lasts, strict=True) if own]
            left = [edge for edge, own in zip(every, until, strict=True) if own >= time]
            if scenes.components(n, lasting_links) != scenes.components(n, left):
                return f"links from {time} on do not join what edges do: {slots}"
        return None

    rows_before = expected(n, before, until[:first])
    arrays = {"slots": slots_of(n, before, until).tolist(), "evicted": [0] * len(edges)}
    title = f"edges {edges} into {before}, until {until}"
    kinds = dict.fromkeys(arrays, np.uint64)
    return Race(title, arrays, calls, rises, verdict, False, kinds)


def hashed(v):
    return int(mix(Alone)(np.uint64(v)))


def cases(seeds):
    """A cycle of two edges and of three, a path that is closed, and random ones."""
    for times in permutations(range(3)):
        yield 3, [], [(0, 1), (1, 2), (2, 0)], times
        yield 3, [(0, 1)], [(1, 0), (1, 2)], times
    for seed in range(seeds):
        random = Random(seed)
        n, old, new = random.randint(2, 5), random.randint(0, 4), random.randint(2, 3)
        edges = [tuple(random.sample(range(n), 2)) for _ in range(old + new)]
        yield n, edges[:old], edges[old:], [random.randint(0, 3) for _ in edges]


@on_each_memory
def test_merging(model):
    two = [case for case in cases(200 if DEEP else 40) if len(case[2]) == 2]
    explore_all((merging(*case) for case in two), model)


@on_each_memory
def test_merging_by_three(model):
    some = [case for case in cases(200) if len(case[2]) == 3][: None if DEEP else 8]
    found = explore.Found()
    for case in some:
        found += explore.random_schedules(merging(*case), model, Random(0), 200)
    assert found.races
