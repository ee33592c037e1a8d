"""The kernels around the links, under every schedule of a few threads.

CC_RAPIDS_DEEP_RACES=1 takes all scenes where the default takes a part.
"""

from itertools import combinations, permutations
from random import Random

import pytest

from cc_rapids.kernels import edges
from races import memory, phases, scenes
from races.portions import (
    DEEP,
    RULES,
    explore_all,
    for_each_rule,
    on_each_memory,
    one_in,
    scenes_of,
    some,
)

EDGES = list(combinations(range(4), 2))


@for_each_rule
@pytest.mark.parametrize("begin", [edges.from_vertex, edges.from_parent])
def test_rows_of_edges(rule, begin):
    """The kernel of the first phase; self-loops are noted beside the edges that race."""
    with_loops = [[[(3, 3)], [(0, 3), (2, 2)]], [[(1, 1), (1, 2)], [(1, 1), (0, 2)]]]
    lists = [*scenes.splits(4, (1, 1)), *with_loops]
    cases = some(2, rule, scenes.forests(4), lists)
    cases += some(1, rule, [range(4)], scenes.splits(4, (2, 1)))
    explore_all((phases.first_phase(rule, *case, begin) for case in cases), memory.WEAK)


@pytest.mark.parametrize(
    "rule",
    [pytest.param(rule, id=name) for name, rule in RULES.items() if "splice" not in name],
)
def test_queries_among_insertions(rule):
    """Two ends joined before are never apart, and two that the batch leaves apart never joined."""
    shapes = {(1, 1): [[[False], [True]]], (2, 1): [[[False, False], [True]]]}
    shapes[1, 2] = [[[False], [True, False]], [[False], [False, True]]]
    for shape, asks in shapes.items():
        threads = ([e[: shape[0]], e[shape[0] :]] for e in permutations(EDGES, sum(shape)))
        cases = some(3, rule, [range(4), [0, 0, 2, 2], [0, 0, 1, 2]], threads, asks)
        races = (phases.mixed_batch(rule, *case) for case in cases)
        explore_all(races, memory.STRONG if rule.waits else memory.WEAK)


def beside_a_giant(n, shape, most, rule):
    """Flat forests with one of their trees as the giant, and edges of the threads."""
    flat = [(p, root) for p in scenes.forests(n) if all(p[q] == q for q in p) for root in {*p}]
    return [(*start, threads) for start, threads in some(most, rule, flat, scenes.splits(n, shape))]


@for_each_rule
@scenes_of(
    (4, (1, 1), 4),
    (4, (2, 1), 2),
)
def test_rows_beside_a_giant(rule, n, shape, most):
    cases = beside_a_giant(n, shape, most, rule)
    explore_all((phases.second_phase(rule, *case) for case in cases), memory.WEAK)


@on_each_memory
@pytest.mark.parametrize("steps", [1, 2, 16])
@pytest.mark.parametrize(
    "threads",
    [[[0, 2, 4], [1, 3]], [[4, 3, 2], [1, 0]], [[4, 2], [3, 1, 0]], [[4], [3], [2, 1, 0]]],
)
def test_flattening(threads, steps, model):
    """By so many steps a leap: of one step, what is stored may be no root."""
    every = one_in(41 if len(threads) > 2 else 17) if model is memory.WEAK else one_in(2)
    starts = scenes.forests(5)[::every]  # three threads with late stores have a million states
    explore_all((phases.flattening(start, threads, steps) for start in starts), model)


@on_each_memory
@pytest.mark.parametrize(("threads", "steps"), [([[1, 3], [2]], 1), ([[3], [2, 1]], 16)])
def test_noting_what_a_cut_has_hooked(threads, steps, model):
    """Of the roots of a stricter cut: every other vertex is its own there, or hooked already."""
    every = one_in(7 if model is memory.WEAK else 3)
    pairs = [
        (strict, loose)
        for loose in scenes.forests(4)[::every]
        for strict in (list(range(4)), [v if v % 2 else p for v, p in enumerate(loose)])
    ]
    explore_all((phases.noting(*pair, threads, steps) for pair in pairs), model)


@on_each_memory
def test_marking_the_vertices_of_a_giant(model):
    random = Random(0)
    starts = [[0, *(max(0, v - random.randint(0, 4)) for v in range(1, 11))] for _ in range(20)]
    explore_all((phases.marking(start, 0) for start in starts[: 20 if DEEP else 2]), model)
