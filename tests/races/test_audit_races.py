"""The trees of the audit under every schedule: they join what edges do, and nothing else, ever."""

from functools import partial

import numpy as np
import pytest

from cc_rapids.kernels import audit
from races import explore, memory, phases, scenes
from races.engine import Interleaver
from races.portions import explore_all, on_each_memory, one_in


def joins(join, parents, threads):
    """For each thread a call for each of its edges, which reads the parents when it runs."""

    def one(u, v):
        join(parents, u, v, parents[u], parents[v])

    return [[partial(one, *map(np.uint32, edge)) for edge in thread] for thread in threads]


def race(before, threads, join=None):
    """Threads that join one edge after the other, in trees that are there already."""
    edges = [edge for thread in threads for edge in thread]
    paths = [*enumerate(before), *edges]
    expected = scenes.components(len(before), paths)

    def calls(tape, shared):
        return joins(join or audit.join_roots(Interleaver), shared["trees"], threads)

    def guard(name, v, old, new):
        """At no time does a pointer go back, or join what no path does: soundness needs no end."""
        if new >= v:
            return f"trees[{v}] = {new} is not smaller"
        if expected[new] != expected[v]:
            return f"trees[{v}] = {new}, but no path joins the two"
        return None

    def verdict(arrays, notes):
        made = arrays["trees"]
        if scenes.components(len(made), enumerate(made)) != expected:
            return f"the trees {made} are not the components {expected}"
        return None

    title = f"trees {list(before)}, edges of the threads {list(map(list, threads))}"
    return explore.Race(title, {"trees": before}, calls, guard, verdict)


def pass_over(before, threads, cut=None):
    """Threads that examine edges; the labels are what they were without the edge ``cut``."""
    edges = [edge for thread in threads for edge in thread]
    src, dst = phases.columns(edges)
    kept = [edge for row, edge in enumerate(edges) if row != cut]
    labels = scenes.components(len(before), [*enumerate(before), *kept])
    wrong = int(cut is not None and labels[edges[cut][0]] != labels[edges[cut][1]])

    def calls(tape, shared):
        kind = Interleaver, np.uint32
        right = audit.examine(*kind, np.uint32, audit.join_roots(Interleaver))
        read = audit.pair_of_columns(*kind)
        own = np.array(labels, np.uint32)

        def one(i):
            u, v = read(i, src, dst, 0, len(before))
            if not right(u, v, len(before), own, shared["trees"], shared["named"]):
                shared["wrong"][0] = 1

        return phases.rows(threads, lambda i: partial(one, i))

    def guard(name, v, old, new):
        """A parent is smaller than its child, and of the same component, at any time."""
        if name == "trees" and (new >= v or labels[new] != labels[v]):
            return f"trees[{v}] = {new}"
        return None

    def verdict(arrays, notes):
        if scenes.components(len(before), enumerate(arrays["trees"])) != labels:
            return f"the trees {arrays['trees']} are not the components {labels}"
        return f"wrong is {arrays['wrong']}" if arrays["wrong"] != (wrong,) else None

    arrays = {"trees": before, "named": [0], "wrong": [0]}
    title = f"trees {list(before)}, edges {list(map(list, threads))}"
    return explore.Race(title, arrays, calls, guard, verdict)


@on_each_memory
def test_an_edge_is_left_out_only_if_its_ends_are_joined_in_the_end(model):
    """For one parent of both."""
    flat = [0, 0, 2, 3]
    cases = [*scenes.splits(4, (1, 1)), *scenes.splits(4, (2, 1))[:: one_in(11, 7)]]
    explore_all((pass_over(flat, case) for case in cases), model)


@on_each_memory
def test_an_edge_between_two_labels_is_found(model):
    """Whatever is joined meanwhile."""
    cases = scenes.splits(4, (2, 1))[:: one_in(23, 12)]
    explore_all((pass_over(range(4), case, cut) for case in cases for cut in range(3)), model)


@on_each_memory
@pytest.mark.parametrize(
    ("n", "shape", "each"),
    [
        (4, (1, 1), 1),
        (4, (2, 1), one_in(3)),
        (4, (2, 2), one_in(122, 40)),
        (4, (1, 1, 1), one_in(18, 9)),
    ],
)
def test_a_few_threads(n, shape, each, model):
    explore_all((race(range(n), case) for case in scenes.splits(n, shape)[::each]), model)


@on_each_memory
def test_in_every_forest(model):
    """Deeper trees than so few joins make."""
    cases = scenes.splits(4, (1, 1))
    explore_all((race(forest, case) for forest in scenes.forests(4) for case in cases), model)


def test_a_join_without_compare_and_swap_is_found_out():
    """The check can fail: a plain store in its place loses a hook under some schedule."""

    class Plain(Interleaver):
        """A backend whose swap looks first, and stores without looking again."""

    def careless(array, i, old, new):
        held = array[i]
        if held == old:
            array[i] = new
        return held

    Plain.atomic_cas = staticmethod(careless)
    wrong = race(range(3), [[(0, 2)], [(1, 2)]], audit.join_roots(Plain))
    with pytest.raises(explore.RaceError):
        explore.every_schedule(wrong, memory.STRONG)
