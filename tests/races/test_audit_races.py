"""The trees of the audit under every schedule: they join what edges do, and nothing else, ever."""

from functools import cmp_to_key, partial

import numpy as np
import pytest

from cc_rapids.kernels import audit
from races import explore, memory, phases, scenes
from races.engine import Interleaver
from races.portions import explore_all, on_each_memory, one_in

# How two trees are joined, and the order that parents come in.
ORDERS = {
    audit.join_parents: audit.is_longer(Interleaver),
    audit.join_roots: audit.is_greater(Interleaver),
}


def joins(join, parents, threads):
    """For each thread a call for each of its edges, which reads the parents when it runs."""

    def one(u, v):
        join(parents, u, v, parents[u], parents[v])

    return [[partial(one, *map(np.uint32, edge)) for edge in thread] for thread in threads]


def race(make, before, threads):
    """Threads that join one edge after the other, in trees that are there already."""
    edges = [edge for thread in threads for edge in thread]
    paths = [*enumerate(before), *edges]
    expected = scenes.components(len(before), paths)

    def calls(tape, shared):
        return joins(make(Interleaver), shared["trees"], threads)

    def guard(name, v, old, new):
        """At no time does a pointer go back, or join what no path does: soundness needs no end."""
        if not ORDERS[make](v, new):
            return f"trees[{v}] = {new} does not come after it"
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


def pass_over(hold, make, before, giant, threads, cut=None):
    """Threads that hold edges against the labels, when those of the giant's tree have bits; the
    labels are what they were without the edge ``cut``.
    """
    edges = [edge for thread in threads for edge in thread]
    src, dst = phases.columns(edges)
    kept = [edge for row, edge in enumerate(edges) if row != cut]
    least = scenes.components(len(before), [*enumerate(before), *kept])
    wrong = int(cut is not None and least[edges[cut][0]] != least[edges[cut][1]])
    labels = [giant if label == least[giant] else label for label in least]
    within = scenes.components(len(before), enumerate(before))
    in_giant = [v for v, label in enumerate(within) if label == within[giant]]

    def calls(tape, shared):
        kind = Interleaver, np.uint32
        same = audit.same_label(*kind, True)
        right = audit.examine(*kind, np.uint32, hold(Interleaver, same, make(Interleaver)))
        read = audit.pair_of_columns(*kind)
        alike = np.array(
            [phases.bits(v for v, own in enumerate(labels) if own == giant)], np.uint32
        )
        held = np.array(labels, np.uint32), alike, shared["in_giant"], shared["trees"]

        def one(i):
            u, v = read(i, src, dst, 0, len(before))
            if not right(u, v, len(before), np.uint32(giant), *held, shared["named"]):
                shared["wrong"][0] = 1

        return phases.rows(threads, lambda i: partial(one, i))

    def guard(name, v, old, new):
        """Trees as above; a bit is never set for a vertex of another component."""
        if name == "trees" and (not ORDERS[make](v, new) or labels[new] != labels[v]):
            return f"trees[{v}] = {new}"
        wrong = [u for u in range(len(before)) if new >> u & 1 and labels[u] != labels[giant]]
        return f"{wrong} have bits" if name == "in_giant" and wrong else None

    def verdict(arrays, notes):
        if scenes.components(len(before), enumerate(arrays["trees"])) != least:
            return f"the trees {arrays['trees']} are not the components {least}"
        return f"wrong is {arrays['wrong']}" if arrays["wrong"] != (wrong,) else None

    arrays = {"in_giant": [phases.bits(in_giant)], "trees": before, "named": [0], "wrong": [0]}
    title = f"trees {list(before)}, giant {giant}, edges {list(map(list, threads))}"
    return explore.Race(title, arrays, calls, guard, verdict)


WAYS = pytest.mark.parametrize(
    "way",
    [(audit.hold_outside, audit.join_parents), (audit.hold_apart, audit.join_roots)],
    ids=["by bits", "by parents"],
)


@on_each_memory
@WAYS
def test_an_edge_is_left_out_only_if_its_ends_are_joined_in_the_end(way, model):
    """For two bits, which are set by who joins, or for one parent."""
    first = ORDERS[way[1]]
    last = max(range(4), key=cmp_to_key(lambda u, v: 1 if first(v, u) else -1))
    flat = [last if v in (last, (last + 1) % 4) else v for v in range(4)]
    cases = [*scenes.splits(4, (1, 1)), *list(scenes.splits(4, (2, 1)))[:: one_in(11, 7)]]
    explore_all((pass_over(*way, flat, last, case) for case in cases), model)


@on_each_memory
@WAYS
def test_an_edge_between_two_labels_is_found(way, model):
    """Whatever is joined meanwhile."""
    cases = list(scenes.splits(4, (2, 1)))[:: one_in(23, 12)]
    explore_all(
        (pass_over(*way, range(4), 3, case, cut) for case in cases for cut in range(3)), model
    )


@on_each_memory
@pytest.mark.parametrize(
    ("n", "shape", "each"),
    [(4, (1, 1), 1), (4, (2, 1), one_in(3)), (4, (2, 2), one_in(61, 40)), (4, (1, 1, 1), 9)],
)
@pytest.mark.parametrize("make", ORDERS)
def test_a_few_threads(make, n, shape, each, model):
    explore_all(
        (race(make, range(n), case) for case in list(scenes.splits(n, shape))[::each]), model
    )


@on_each_memory
@pytest.mark.parametrize("make", ORDERS)
def test_in_every_forest(make, model):
    """Deeper trees than so few joins make, each parent after its children in the order."""
    first = ORDERS[make]
    order = sorted(range(4), key=cmp_to_key(lambda u, v: -1 if first(v, u) else 1))
    forests = []
    for forest in scenes.forests(4):  # a parent of place p in the order is at most its child's
        places = {order[child]: order[parent] for child, parent in enumerate(forest)}
        forests.append([places[v] for v in range(4)])
    cases = list(scenes.splits(4, (1, 1)))
    explore_all((race(make, forest, case) for forest in forests for case in cases), model)


def race_in_a_tile(edges):
    """Two threads that join every other edge of a tile of 4 vertices from 8 on."""
    n, base, two = 4, np.uint64(8), np.uint64(2)
    src, dst = phases.columns([(u + int(base), v + int(base)) for u, v in edges])
    expected = scenes.components(n, edges)

    def calls(tape, shared):
        on = Interleaver
        near = audit.join_in_block(on, audit.join_roots(on))
        share = audit.join_share(on, audit.pair_of_columns(on, np.uint32), near)
        rest = np.uint64(len(edges)), two, base, np.uint64(n), shared["trees"], src, dst, 0, 99
        return [[partial(share, np.uint64(t), *rest)] for t in range(2)]

    def guard(name, v, old, new):
        """A parent is less than its child, at any time, and a path of edges joins the two."""
        return None if new < v and expected[new] == expected[v] else f"trees[{v}] = {new}"

    def verdict(arrays, notes):
        if scenes.components(n, enumerate(arrays["trees"])) != expected:
            return f"the trees {arrays['trees']} are not the components {expected}"
        return None

    return explore.Race(f"{edges}", {"trees": range(n)}, calls, guard, verdict)


@on_each_memory
def test_two_threads_of_a_tile(model):
    cases = [first + second for first, second in scenes.splits(4, (1, 1))]
    cases += [first + second for first, second in list(scenes.splits(4, (2, 1)))[::9]]
    explore_all(map(race_in_a_tile, cases), model)


@pytest.mark.parametrize("make", ORDERS)
def test_a_join_without_compare_and_swap_is_found_out(make):
    """The check can fail: a plain store in its place loses a hook under some schedule."""

    class Plain(Interleaver):
        """A backend whose swap looks first, and stores without looking again."""

    def careless(array, i, old, new):
        held = array[i]
        if held == old:
            array[i] = new
        return held

    Plain.atomic_cas = staticmethod(careless)
    plain = make(Plain)

    def calls(tape, shared):
        return joins(plain, shared["trees"], [[(0, 2)], [(1, 2)]])

    wrong = race(make, range(3), [[(0, 2)], [(1, 2)]])
    wrong.calls = calls
    with pytest.raises(explore.RaceError):
        explore.every_schedule(wrong, memory.STRONG)
