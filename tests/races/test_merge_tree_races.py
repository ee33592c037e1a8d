"""The kernels of merge trees whose threads race, under every schedule of two or three threads.

Threads lower the lightest edges of nodes by atomic minima, after reads that may be stale. Threads
move pointers that other threads read: each value on the way leads to the same end.
"""

from functools import partial
from itertools import permutations, product
from random import Random

import numpy as np
import pytest

from cc_rapids.kernels import dendrogram as kernels
from races import explore, memory, phases
from races.engine import Interleaver as On
from races.explore import Race
from races.portions import DEEP, explore_all, on_each_memory

NONE = (1 << 32) - 1
SHORT = np.uint64(1)  # hops of a thread, so that it falls short on small graphs


def lowering(edges, n):
    """Threads of one edge each, which lower the lightest edge of its endpoints."""
    lightest = [NONE] * (2 * n)
    for k, ends in enumerate(edges):
        for v in ends if len(set(ends)) == 2 else ():
            lightest[2 * v] = min(lightest[2 * v], k)
    src, dst = phases.columns(edges)

    def calls(tape, shared):
        kernel = kernels.lower_lightest(On, np.uint32)
        given = src, dst, np.zeros(0, np.uint32), shared["nodes"]
        return [[partial(kernel, np.uint64(i), *given)] for i in range(len(edges))]

    def verdict(arrays, notes):
        found = arrays["nodes"]
        return None if found == tuple(lightest) else f"nodes are {found}, not {lightest}"

    arrays, kinds = {"nodes": [NONE] * (2 * n)}, {"nodes": np.uint32}
    return Race(f"edges {edges}", arrays, calls, falls, verdict, False, kinds)


def falls(name, i, old, new):
    return None if new < old else f"{name}[{i}] rises from {old} to {new}"


def ends_of(pointers, is_end):
    """The end that each pointer leads to."""
    ends = list(pointers)
    while not all(map(is_end, ends)):
        ends = [end if is_end(end) else pointers[end] for end in ends]
    return ends


def jumping(pointers, first):
    """Threads of one node each, which move its pointer; those from ``first`` on are at the end."""
    ends = ends_of(pointers, lambda end: end >= first)
    nodes = [word for pointer in pointers for word in (7, pointer)]

    def calls(tape, shared):
        kernel = kernels.jump(On, np.uint32)
        given = 0, first, shared["nodes"], 1, shared["flag"]
        return [[partial(kernel, np.uint64(i), *given)] for i in range(len(pointers))]

    def verdict(arrays, notes):
        found, (short,) = arrays["nodes"][1::2], arrays["flag"]
        if ends_of(found, lambda end: end >= first) != ends:
            return f"pointers {found} lead elsewhere than {pointers}"
        if short == 0 and list(found) != ends:
            return f"pointers {found} fall short of {ends}, and no flag is set"
        return None

    arrays, kinds = {"nodes": nodes, "flag": [0]}, {"nodes": np.uint32, "flag": np.uint64}
    return Race(f"pointers {pointers}", arrays, calls, lambda *_: None, verdict, False, kinds)


def climbing(above):
    """Threads of one edge each, which move its pointer towards the last edge."""
    ends = ends_of(above, lambda k: above[k] == k)

    def calls(tape, shared):
        kernel = kernels.climb_step(On)
        given = shared["above"], 1, shared["flag"]
        return [[partial(kernel, np.uint64(i), *given)] for i in range(len(above))]

    def verdict(arrays, notes):
        found, (short,) = arrays["above"], arrays["flag"]
        if ends_of(found, lambda k: above[k] == k) != ends:
            return f"pointers {found} lead elsewhere than {above}"
        if short == 0 and list(found) != ends:
            return f"pointers {found} fall short of {ends}, and no flag is set"
        return None

    arrays, kinds = {"above": list(above), "flag": [0]}, {"above": np.uint32, "flag": np.uint64}
    return Race(f"pointers {above}", arrays, calls, lambda *_: None, verdict, False, kinds)


LISTS = [
    [(0, 1), (0, 1)],
    [(0, 1), (1, 2)],
    [(1, 2), (0, 1), (1, 3)],
    [(0, 0), (0, 1), (1, 0)],
]
PATHS = [[1, 3, 1], [3, 0, 1], [2, 0, 4]]
STEPS = [[1, 2, 2], [0, 2, 2], [2, 2, 2], [0, 1, 2]]


@on_each_memory
def test_lightest_edges(model):
    lists = [order for edges in LISTS for order in (permutations(edges) if DEEP else [edges])]
    explore_all((lowering(list(edges), 4) for edges in lists), model)


@on_each_memory
@pytest.mark.parametrize("hops", [SHORT, kernels.HOPS])
def test_pointers_to_supervertices(hops, model, monkeypatch):
    monkeypatch.setattr(kernels, "HOPS", hops)
    explore_all((jumping(pointers, 3) for pointers in PATHS), model)


@on_each_memory
@pytest.mark.parametrize("hops", [SHORT, kernels.HOPS])
def test_pointers_to_last_edges(hops, model, monkeypatch):
    monkeypatch.setattr(kernels, "HOPS", hops)
    explore_all(map(climbing, STEPS), model)


@pytest.mark.parametrize("model", [memory.STRONG, memory.WEAK], ids=["strong", "weak"])
def test_random_schedules(model, monkeypatch):
    monkeypatch.setattr(kernels, "HOPS", SHORT)
    for seed, n in product(range(100 if DEEP else 10), (4, 6)):
        random = Random(seed)
        edges = [tuple(random.choices(range(n), k=2)) for _ in range(n)]
        pointers = [random.choice([*range(k), n]) for k in range(n)]
        above = [random.randint(k, n - 1) for k in range(n)]
        for race in (lowering(edges, n), jumping(pointers, n), climbing(above)):
            explore.random_schedules(race, model, Random(seed), 10)


def test_a_lightest_edge_that_is_stored_instead_of_lowered_is_found(monkeypatch):
    def stored(on):
        def lessen(values, i, value):
            if value < values[i]:
                values[i] = value

        return lessen

    monkeypatch.setattr(kernels, "lessen", stored)
    with pytest.raises(explore.RaceError):
        explore_all((lowering(edges, 4) for edges in LISTS), memory.STRONG)


def test_a_pointer_that_falls_short_without_a_flag_is_found(monkeypatch):
    monkeypatch.setattr(kernels, "HOPS", np.uint64(0))
    race = climbing([1, 2, 3, 3])
    race.verdict = without_flag(race.verdict)
    with pytest.raises(explore.RaceError, match="no flag is set"):
        explore_all([race], memory.STRONG)


def without_flag(verdict):
    return lambda arrays, notes: verdict({**arrays, "flag": (0,)}, notes)
