"""The kernels of spanning forests by weight under every schedule of two or three threads.

A round has two launches, or three: edges between two trees are collected while nothing is linked,
and trees are linked while nothing is collected, unless some candidates have found no room. The
allowed race is that of ``best``: what a thread reads may be too great, and then its atomic
operation finds the less of both. Rounds end as each tree with an edge takes one, and all edges that
are taken have no cycle.
"""

from dataclasses import replace
from functools import partial
from itertools import product
from random import Random

import numpy as np
import pytest

from cc_rapids.kernels import boruvka, find, union
from cc_rapids.kernels import edges as reading
from races import explore, memory, phases, scenes
from races.engine import Interleaver
from races.explore import Race
from races.portions import DEEP, explore_all, on_each_memory

ALL = (1 << 64) - 1
KEYS = {"keys with rows": boruvka.Keys, "rows beside": boruvka.WideKeys}
for_each_key = pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)


class Lanes(Interleaver):
    """Warps of a single thread, so that no thread waits for another one."""

    warp_size = 1

    @staticmethod
    def warp_ballot_rank(flag):
        return 0, int(flag)

    @staticmethod
    def warp_sync():
        return None

    @staticmethod
    def block_kernel(shared_words):
        return lambda function: function


def key_of(keys, weight, row):
    return int(keys.key(Lanes)(np.uint64(weight), np.uint64(row)))


def counted(edges):
    return np.array([len(edges)], np.uint64)


def collecting(keys, n, edges, weights):
    """Two threads that collect every other edge; the forest before are ``n`` trees."""
    roots = [0 if v == n - 1 else v for v in range(n)]  # the last vertex hangs from the first
    joining = [
        (roots[u], roots[v], row) for row, (u, v) in enumerate(edges) if roots[u] != roots[v]
    ]
    size, m = len(edges), np.uint64(len(edges))
    best = [ALL] * n
    for u, v, row in joining:
        key = key_of(keys, weights[row], row)
        best[u], best[v] = min(best[u], key), min(best[v], key)
    listed = sorted((u, v, key_of(keys, weights[row], row)) for u, v, row in joining)
    src, dst = phases.columns(edges)

    def calls(tape, shared):
        on, vertex = Lanes, np.uint32
        read = reading.edge_of_list(on, vertex)

        def ends(e, src, dst, low, n, present, out_of_range):
            return read(e, src, dst, low, n)

        weigh = boruvka.listed_weight(on, boruvka.unsigned_order(on, 32))
        listed = boruvka.load_listed_edge(on, weigh, keys.key(on), ends)
        keep = boruvka.append_candidate(on, vertex, listed, find.halve(on), keys.store_row(on))
        collect = boruvka.collect_band(on, boruvka.within(on, weigh), keep)
        names = ("parent", "best", "count", "us", "vs", "keys", "rows")
        parent, best, count, *lists = (shared[name] for name in names)
        bounds = np.array([ALL, ALL], np.uint64)
        ends = np.array(weights, np.uint32), None, src, dst, 0, n, None, None
        own = np.zeros(8, np.uint32)
        given = np.uint64(2), own, m, 0, bounds, parent, best, count, *lists, *ends
        return [[partial(collect, np.uint64(0), np.uint64(t), *given)] for t in range(2)]

    def verdict(arrays, notes):
        if arrays["best"] != tuple(best):
            return f"best is {arrays['best']}, not {best}"
        (count,) = arrays["count"]
        if count != len(listed):
            return f"{count} edges listed, not {len(listed)}"
        found = zip(arrays["us"], arrays["vs"], arrays["keys"], strict=True)
        if sorted(list(found)[:count]) != listed:
            return f"{arrays} where {listed} are right"
        return None

    arrays = {"parent": roots, "best": [ALL] * n, "count": [0]}
    arrays |= {name: [0] * size for name in ("us", "vs", "keys", "rows")}
    kinds = dict.fromkeys(("best", "count", "keys", "rows"), np.uint64)
    kinds |= dict.fromkeys(("parent", "us", "vs"), np.uint32)
    title = f"edges {edges} of weights {weights}"
    return Race(title, arrays, calls, scenes.climbing, verdict, False, kinds)


def lowering(edges, weights, n):
    """Threads of one candidate each, which find the least row of the least key of both ends."""
    keys, rows = np.array(weights, np.uint64), np.arange(len(edges), dtype=np.uint64)
    best, wanted = np.full(n, ALL, np.uint64), [ALL] * n
    for (u, v), key in zip(edges, keys, strict=True):
        best[u], best[v] = min(best[u], key), min(best[v], key)
    for row in reversed(range(len(edges))):
        for end in edges[row]:
            if keys[row] == best[end]:
                wanted[end] = row
    us, vs = phases.columns(edges)

    def calls(tape, shared):
        lower = boruvka.lower_rows(Lanes)
        given = counted(edges), us, vs, keys, rows, best, shared["best_row"]
        return [[partial(lower, np.uint64(i), *given)] for i in range(len(edges))]

    def verdict(arrays, notes):
        found = arrays["best_row"]
        return None if found == tuple(wanted) else f"best_row is {found}, not {wanted}"

    kinds = {"best_row": np.uint64}
    title = f"candidates {edges} of weights {weights}"
    return Race(title, {"best_row": [ALL] * n}, calls, lambda *_: None, verdict, False, kinds)


def linking(keys, n, edges, weights, threads):
    """Threads that link the trees of some candidates each, and note those that a tree takes.

    What a vertex takes is forgotten by the ends of candidates: one that is a root still is an end.
    """
    order = sorted(range(len(edges)), key=lambda row: (weights[row], row))
    takes = {}
    for row in order:
        for end in edges[row]:
            takes.setdefault(end, row)
    chosen = sorted(set(takes.values()))
    expected = scenes.components(n, [edges[row] for row in chosen])
    best = [key_of(keys, weights[takes[v]], takes[v]) if v in takes else ALL for v in range(n)]
    best_row = np.array([takes.get(v, ALL) for v in range(n)], np.uint64)
    listed = np.array([key_of(keys, weights[row], row) for row in range(len(edges))], np.uint64)
    us, vs = phases.columns(edges)

    def calls(tape, shared):
        on, rows = Lanes, np.arange(len(edges), dtype=np.uint64)
        hook = boruvka.hook(on, union.asynchronous(on, np.uint32, find.halve(on)))
        run = boruvka.link_selected(
            on, boruvka.link_candidate(on, keys.load_row(on), keys.selects(on), hook)
        )
        candidates = shared["us"], shared["vs"], listed, rows, shared["best"], best_row
        given = counted(edges), *candidates, shared["parent"], None, shared["chosen"]
        shares = (range(t, len(edges), threads) for t in range(threads))
        return [[partial(run, np.uint64(i), *given) for i in share] for share in shares]

    def verdict(arrays, notes):
        parent, (noted,) = arrays["parent"], arrays["chosen"]
        rows = [row for row in range(len(edges)) if noted >> row & 1]
        if rows != chosen:
            return f"edges {rows} noted, and {chosen} taken"
        if scenes.components(n, enumerate(parent)) != expected:
            return f"the trees {parent} are not the components {expected}"
        if len(chosen) != n - len(set(expected)):
            return f"edges {chosen} close a cycle"
        left = {v for v in takes if parent[v] == v}
        if left - {*arrays["us"], *arrays["vs"]}:
            return f"of {left} not all are ends of {arrays['us']} and {arrays['vs']}"
        return None

    arrays = {"parent": list(range(n)), "best": best, "chosen": [0]}
    arrays |= {"us": us.tolist(), "vs": vs.tolist()}
    kinds = dict.fromkeys(("parent", "us", "vs", "chosen"), np.uint32) | {"best": np.uint64}
    title = f"edges {edges} of weights {weights}"
    return Race(title, arrays, calls, scenes.climbing, verdict, False, kinds)


LISTS = [
    ([(0, 1)], [1]),
    ([(0, 1), (1, 0)], [1, 1]),
    ([(0, 1), (1, 2)], [2, 1]),
    ([(1, 2), (0, 2)], [1, 1]),
    ([(0, 1), (1, 2), (2, 0)], [1, 2, 3]),
    ([(0, 1), (1, 2), (2, 0)], [1, 1, 1]),
]


def random_lists(seeds):
    for seed in range(seeds):
        random = Random(seed)
        n, m = random.randint(2, 5), random.randint(1, 4)
        edges = [tuple(random.sample(range(n), 2)) for _ in range(m)]
        yield n, edges, [random.randint(0, 2) for _ in edges]


@on_each_memory
@for_each_key
def test_collecting(keys, model):
    explore_all((collecting(keys, 4, *case) for case in LISTS[: None if DEEP else 4]), model)


@on_each_memory
def test_lowering_rows(model):
    explore_all((lowering(*case, 3) for case in LISTS), model)


@on_each_memory
@for_each_key
def test_linking(keys, model):
    cases = product(LISTS, (2, 3) if DEEP else (2,))
    explore_all((linking(keys, 3, *case, threads) for case, threads in cases), model)


@pytest.mark.parametrize("model", [memory.STRONG, memory.WEAK], ids=["strong", "weak"])
@for_each_key
def test_random_schedules(keys, model):
    for seed, (n, edges, weights) in enumerate(random_lists(500 if DEEP else 20)):
        for race in (
            collecting(keys, n, edges, weights),
            lowering(edges, weights, n),
            linking(keys, n, edges, weights, 3),
        ):
            explore.random_schedules(race, model, Random(seed), 10)


def test_nothing_is_linked_if_some_candidates_are_not_listed(monkeypatch):
    race = linking(boruvka.Keys, 3, *LISTS[4], 2)
    monkeypatch.setitem(globals(), "counted", lambda edges: np.array([len(edges) + 1], np.uint64))
    with pytest.raises(explore.RaceError, match=r"edges \[\] noted"):
        explore_all([race], memory.STRONG)


def test_an_order_with_ties_would_close_a_cycle():
    """Three trees may take three edges of one weight, if rows do not tell them apart."""
    race = linking(boruvka.Keys, 3, *LISTS[5], 2)
    taken = {"best": [key_of(boruvka.Keys, 1, row) for row in (0, 1, 2)]}
    with pytest.raises(explore.RaceError, match="noted, and"):
        explore_all([replace(race, arrays=race.arrays | taken)], memory.STRONG)


def test_a_key_that_is_stored_instead_of_lowered_is_found(monkeypatch):
    def stored(on):
        def lessen(words, *places_and_value):
            *places, value = places_and_value
            for i in places:
                if value < words[i]:
                    words[i] = value

        return lessen

    for name in ("lessen", "lower_both"):
        monkeypatch.setattr(boruvka, name, stored)
    with pytest.raises(explore.RaceError, match="best is"):
        explore_all([collecting(boruvka.Keys, 4, *LISTS[3])], memory.STRONG)
    with pytest.raises(explore.RaceError, match="best_row is"):
        explore_all([lowering(*LISTS[3], 3)], memory.STRONG)
