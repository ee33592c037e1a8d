"""What the search for races finds: outcomes that a memory allows, and faults that were planted."""

import re
from functools import partial
from math import comb
from random import Random

import numpy as np
import pytest

from cc_rapids.kernels import find as compress
from cc_rapids.kernels import union
from races import explore, memory, phases, plants, scenes
from races.engine import Interleaver

MEMORIES = {"strong": memory.STRONG, "stale": memory.STALE, "weak": memory.WEAK}
on_each_memory = pytest.mark.parametrize("model", MEMORIES.values(), ids=MEMORIES)


def outcomes(model, *threads):
    """What threads may note that share x and y, and in the end x and y."""
    found = set()

    def calls(tape, shared):
        def noting(thread):
            tape.notes.extend(thread(shared["x"], shared["y"]) or ())

        return [[partial(noting, thread)] for thread in threads]

    def verdict(arrays, notes):
        found.add((*notes, *arrays["x"], *arrays["y"]))

    race = explore.Race("x and y", {"x": [0], "y": [0]}, calls, lambda *_: None, verdict)
    return found, explore.every_schedule(race, model)


def put(x, y):
    x[0] = 1
    y[0] = 1


def look(x, y):
    seen = y[0]
    return [("y, x", seen, x[0])]


def look_twice(x, y):
    seen = x[0]
    return [("x, x", seen, x[0])]


def add_then_look(x, y):
    Interleaver.atomic_add(y, 0, 1)
    return [("y, x", y[0], x[0])]


def put_x_then_y(x, y):
    x[0], y[0] = 1, 2


def put_y_then_x(x, y):
    y[0], x[0] = 1, 2


@pytest.mark.parametrize("name", MEMORIES)
def test_what_a_memory_allows(name):
    allows = partial(outcomes, MEMORIES[name])
    told = {note for note, *_ in allows(put, look)[0]}
    assert (("y, x", 1, 0) in told) is (name != "strong")
    told = {note for note, *_ in allows(put, look_twice)[0]}
    assert told == {("x, x", 0, 0), ("x, x", 0, 1), ("x, x", 1, 1)}
    told = {note for note, *_ in allows(put, add_then_look)[0]}
    assert ("y, x", 0, 0) not in told
    assert ((1, 1) in allows(put_x_then_y, put_y_then_x)[0]) is (name == "weak")


def test_no_atomic_operation_is_lost():
    def count(x, y):
        Interleaver.atomic_add(x, 0, 1)
        y[0] = y[0] + 1

    for model in MEMORIES.values():
        found, _ = outcomes(model, count, count, count)
        assert {x for x, _ in found} == {3}
        assert {y for _, y in found} == {1, 2, 3}


def test_schedules_are_counted():
    def thrice(x, y):
        for _ in range(3):
            Interleaver.atomic_add(x, 0, 1)

    _, found = outcomes(memory.STRONG, thrice, thrice)
    assert found.schedules == comb(6, 3)


def rule(make, find=compress.halve, **more):
    return scenes.LinkRule(lambda on: make(on, find(on)), **more)


def asynchronous(on, find):
    return union.asynchronous(on, np.uint32, find)


hooks, locks = partial(rule, extra="hooks"), partial(rule, extra="locks")


LOST, TOLD = "are not the components", "hooks told|hooks of .* told"
PLANTS = {
    "lost hook": (rule(plants.plain_store), LOST),
    "greater parent": (rule(plants.unordered), "is greater"),
    "cycle": (rule(plants.unordered, compress.naive, ordered=False), "a cycle"),
    "no root": (rule(plants.hook_of_no_root), LOST),
    "no retry": (rule(plants.no_retry), LOST),
    "told twice": (rule(plants.told_again), TOLD),
    "root again": (rule(asynchronous, plants.store_to_root), "becomes a root again"),
    "root lost": (rule(asynchronous, plants.store_to_root, ordered=False), LOST),
    "wrong root told": (hooks(plants.wrong_root_told), TOLD),
    "waiting": (hooks(plants.waits_for_hook), "a call waits"),
}
EDGES = [threads for shape in ((1, 1), (2, 1)) for threads in scenes.splits(4, shape)]


def faults(search, races):
    """What is wrong with the races that fail, one after the other."""
    for race in races:
        try:
            search(race)
        except explore.RaceError as error:
            yield str(error)


@on_each_memory
@pytest.mark.parametrize(("planted", "fault"), PLANTS.values(), ids=PLANTS)
def test_planted_faults_are_found(planted, fault, model):
    races = (scenes.links(planted, range(4), threads) for threads in EDGES)
    found = faults(lambda race: explore.every_schedule(race, model), races)
    assert any(re.search(fault, text) for text in found)


@pytest.mark.parametrize(("planted", "fault"), PLANTS.values(), ids=PLANTS)
def test_planted_faults_are_found_by_chance(planted, fault):
    random = Random(0)
    found = faults(
        lambda race: explore.random_schedules(race, memory.STRONG, random, 50),
        (scenes.links(planted, range(8), random_edges(random)) for _ in range(500)),
    )
    assert any(re.search(fault, text) for text in found)


def random_edges(random):
    return [[tuple(random.sample(range(8), 2)) for _ in range(4)] for _ in range(3)]


WAITING = {
    "hooks": hooks(plants.waits_for_hook, waits=True),
    "locks": locks(plants.locks, waits=True),
}


@pytest.mark.parametrize("right", WAITING.values(), ids=WAITING)
def test_a_rule_that_waits(right):
    for threads in [*scenes.splits(4, (1, 1)), [[(0, 2), (2, 1)], [(1, 2)]]]:
        explore.every_schedule(scenes.links(right, range(4), threads), memory.STRONG)


@pytest.mark.parametrize("model", [memory.STALE, memory.WEAK], ids=["stale", "weak"])
def test_a_lock_that_only_a_weaker_memory_breaks(model):
    race = scenes.links(locks(plants.locks, waits=True), range(3), [[(2, 0)], [(2, 1)]])
    with pytest.raises(explore.RaceError, match=LOST):
        explore.every_schedule(race, model)
    explore.every_schedule(race, memory.STRONG)


def test_threads_that_wait_for_each_other():
    planted = locks(plants.locks_in_any_order, waits=True)
    with pytest.raises(explore.RaceError, match="no schedule ends"):
        explore.every_schedule(scenes.links(planted, [0, 1], [[(0, 1)], [(1, 0)]]), memory.STRONG)


@pytest.mark.parametrize("planted", [plants.plain_store, plants.no_retry])
def test_planted_faults_beside_a_giant(planted):
    edges = [[[(3, 0)], [(3, 2)]], [[(2, 3)], [(1, 3)]]]
    races = [phases.second_phase(rule(planted), [0, 0, 2, 3], 0, threads) for threads in edges]
    found = faults(lambda race: explore.every_schedule(race, memory.STRONG), races)
    assert any(LOST in text for text in found)


def test_a_planted_fault_of_the_kernel_beside_a_giant():
    make = plants.either_bit
    race = phases.second_phase(rule(asynchronous), [0, 0, 2], 0, [[(1, 2)], [(2, 0)]], make)
    with pytest.raises(explore.RaceError, match=LOST):
        explore.every_schedule(race, memory.STRONG)


def test_what_a_counter_example_says():
    planted = rule(plants.no_retry, compress.naive)
    race = scenes.links(planted, range(3), [[(2, 0)], [(2, 1)]])
    with pytest.raises(explore.RaceError) as error:
        explore.every_schedule(race, memory.STRONG)
    assert str(error.value).splitlines() == [
        "the trees (0, 1, 0) are not the components [0, 0, 0]",
        "in forest [0, 1, 2], edges of the threads [[(2, 0)], [(2, 1)]], "
        "Memory(stale=0, late=False)",
        "threads 0 0 1 0 1 1",
        "  thread 0: parent[2] is 2",
        "  thread 0: parent[0] is 0",
        "  thread 1: parent[2] is 2",
        "  thread 0: cas(parent, 2, 2, 0) returns 2",
        "  thread 1: parent[1] is 1",
        "  thread 1: cas(parent, 2, 2, 1) returns 0",
    ]
