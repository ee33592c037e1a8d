"""Link rules and the kernels around them under every schedule of a few threads.

CC_RAPIDS_DEEP_RACES=1 takes all scenes where the default takes a part, and more random ones.
"""

import os
from itertools import product
from random import Random

import pytest
from races import explore, memory, phases, scenes

from cc_rapids.kernels import forest

DEEP = os.environ.get("CC_RAPIDS_DEEP_RACES", "0") not in ("", "0")
RULES = scenes.rules()

on_each_memory = pytest.mark.parametrize(
    "model", [memory.STRONG, memory.WEAK], ids=["strong", "weak"]
)


def scenes_of(*sizes):
    """Vertices, edges of each thread, and how many such scenes are enough by default."""
    names = [f"{n} vertices {'+'.join(map(str, shape))} edges" for n, shape, _ in sizes]
    return pytest.mark.parametrize(("n", "shape", "most"), sizes, ids=names)


for_each_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


def some(most, *axes):
    """All combinations, or by default so many of them, always the same; fewer of many rules."""
    cases = list(product(*axes))
    if DEEP or most is None:
        return cases
    most = max(1, min(most, 2 * most // len(RULES), len(cases)))
    return Random(len(cases)).sample(cases, most)


def explore_all(races, model):
    found = explore.Found()
    for race in races:
        found += explore.every_schedule(race, model)
    assert found.races
    print(found)  # pytest -s, or -rP, shows it


@on_each_memory
@for_each_rule
@scenes_of(
    (4, (1, 1), None),
    (4, (2, 1), None),
    (4, (1, 1, 1), 100),
    (4, (2, 2), 60),
    (4, (3, 1), 60),
    (3, (2, 1, 1), 15),
    (3, (1, 1, 1, 1), 5),
)
def test_links_of_single_vertices(rule, n, shape, most, model):
    """On up to four vertices, all lists of two or three edges in two threads; of more, a part."""
    cases = some(most, scenes.splits(n, shape))
    explore_all((scenes.links(rule, range(n), *case) for case in cases), model)


@on_each_memory
@for_each_rule
@scenes_of(
    (4, (1, 1), 400),
    (5, (1, 1), 400),
    (4, (2, 1), 200),
    (4, (1, 1, 1), 20),
)
def test_links_in_every_forest(rule, n, shape, most, model):
    """Deeper trees than so few links make: what many threads may have left so far."""
    cases = some(most, scenes.forests(n), scenes.splits(n, shape))
    explore_all((scenes.links(rule, *case) for case in cases), model)


@on_each_memory
@for_each_rule
def test_random_schedules_of_three_threads(rule, model):
    found = explore.Found()
    for seed in range(5000 if DEEP else 50):
        random = Random(seed)
        n = random.randint(3, 8)
        start = [random.choice((v, random.randint(0, v))) for v in range(n)]
        threads = [
            [tuple(random.sample(range(n), 2)) for _ in range(random.randint(1, 4))]
            for _ in range(3)
        ]
        found += explore.random_schedules(scenes.links(rule, start, threads), model, random, 20)
    print(found)


@on_each_memory
@for_each_rule
@pytest.mark.parametrize("begin", [forest.from_vertex, forest.from_parent])
def test_rows_of_edges(rule, begin, model):
    """The kernel of the first phase; self-loops are noted beside the edges that race."""
    with_loops = [[[(3, 3)], [(0, 3), (2, 2)]], [[(1, 1), (1, 2)], [(1, 1), (0, 2)]]]
    lists = [*scenes.splits(4, (1, 1)), *with_loops]
    cases = some(150, scenes.forests(4), lists) + some(60, [range(4)], scenes.splits(4, (2, 1)))
    explore_all((phases.first_phase(rule, *case, begin) for case in cases), model)


def beside_a_giant(n, shape, most):
    """Flat forests with one of their trees as the giant, and edges of the threads."""
    flat = [(p, root) for p in scenes.forests(n) if all(p[q] == q for q in p) for root in {*p}]
    return [(*start, threads) for start, threads in some(most, flat, scenes.splits(n, shape))]


@on_each_memory
@for_each_rule
@scenes_of(
    (4, (1, 1), 120),
    (4, (2, 1), 50),
    (4, (1, 1, 1), 6),
)
def test_rows_beside_a_giant(rule, n, shape, most, model):
    cases = beside_a_giant(n, shape, most)
    explore_all((phases.second_phase(rule, *case) for case in cases), model)


@on_each_memory
@pytest.mark.parametrize("threads", [[[0, 2, 4], [1, 3]], [[4, 3, 2], [1, 0]], [[4, 2], [3, 1, 0]]])
def test_flattening(threads, model):
    explore_all((phases.flattening(start, threads) for start in scenes.forests(5)), model)


@on_each_memory
def test_marking_the_vertices_of_a_giant(model):
    random = Random(0)
    starts = [[0, *(max(0, v - random.randint(0, 4)) for v in range(1, 11))] for _ in range(20)]
    explore_all((phases.marking(start, 0) for start in starts[: 20 if DEEP else 2]), model)
