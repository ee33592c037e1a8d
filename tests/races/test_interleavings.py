"""Every link of the catalog with every find, under every schedule of a few threads.

CC_RAPIDS_DEEP_RACES=1 takes all scenes where the default takes a part, and more random ones.
"""

from random import Random

import pytest

from races import explore, memory, scenes
from races.portions import (
    DEEP,
    explore_all,
    for_each_rule,
    for_rules_in_turn,
    on_each_memory,
    scenes_of,
    some,
)


@on_each_memory
@for_each_rule
def test_two_edges(rule, model):
    """On up to four vertices, all pairs of edges, one a thread."""
    explore_all((scenes.links(rule, range(4), case) for case in scenes.splits(4, (1, 1))), model)


@for_each_rule
@scenes_of((4, (2, 1), 2), (4, (2, 2), 1), (4, (3, 1), 1))
def test_two_threads(rule, n, shape, most):
    """The weak memory allows all that the others do."""
    cases = some(most, rule, scenes.splits(n, shape))
    explore_all((scenes.links(rule, range(n), *case) for case in cases), memory.WEAK)


@for_rules_in_turn(0)
@scenes_of((4, (1, 1, 1), 1), (3, (2, 1, 1), 1), *[(3, (1, 1, 1, 1), 1)] * DEEP)
def test_more_threads(rule, n, shape, most):
    cases = some(most, rule, scenes.splits(n, shape))
    model = memory.WEAK if DEEP and not rule.waits else memory.STRONG
    explore_all((scenes.links(rule, range(n), *case) for case in cases), model)


@for_rules_in_turn(1)
@scenes_of((4, (1, 1), 4), (5, (1, 1), 4), (4, (2, 1), 1), *[(4, (1, 1, 1), 1)] * DEEP)
def test_links_in_every_forest(rule, n, shape, most):
    """Deeper trees than so few links make: what many threads may have left so far."""
    cases = some(most, rule, scenes.forests(n), scenes.splits(n, shape))
    model = memory.STRONG if len(shape) > 2 and rule.waits else memory.WEAK
    explore_all((scenes.links(rule, *case) for case in cases), model)


@pytest.mark.parametrize("model", [memory.STRONG, memory.WEAK], ids=["strong", "weak"])
@for_rules_in_turn(2)
def test_random_schedules_of_three_threads(rule, model):
    for seed in range(2000 if DEEP else 2):
        random = Random(seed)
        n = random.randint(3, 8)
        start = [random.choice((v, random.randint(0, v))) for v in range(n)]
        threads = [
            [tuple(random.sample(range(n), 2)) for _ in range(random.randint(1, 4))]
            for _ in range(3)
        ]
        explore.random_schedules(scenes.links(rule, start, threads), model, random, 10)


@pytest.mark.parametrize("name", ["async+halve", "early+full", "hooks+split", "rem-cas+splice"])
@pytest.mark.parametrize("model", [memory.STRONG, memory.WEAK], ids=["strong", "weak"])
def test_no_schedule_is_lost_where_ways_to_one_access_are_one(name, model, monkeypatch):
    """There are as many schedules where each way is a node of its own."""
    rule, cases = scenes.rules()[name], scenes.splits(4, (2, 1))[::180]
    races = [scenes.links(rule, range(4), case) for case in cases]
    merged = [explore.every_schedule(race, model) for race in races]
    monkeypatch.setattr("races.engine.pending", lambda past, where: [s.value for s in past])
    apart = [explore.every_schedule(race, model) for race in races]
    assert [found.schedules for found in merged] == [found.schedules for found in apart]
    assert sum(found.states for found in merged) <= sum(found.states for found in apart)
