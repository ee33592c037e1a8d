"""Whole runs of the designs on small graphs, each launch under every schedule of two threads.

The answer has to be right, and the edges noted a spanning forest, after every outcome of every
launch. CC_RAPIDS_DEEP_RACES=1 takes all designs on all graphs, and weaker memories.
"""

from dataclasses import replace
from functools import cache
from random import Random

import pytest

from cc_rapids.algorithms.design import Design, designs
from cc_rapids.algorithms.literature import search, thrifty
from cc_rapids.kernels import edges as reading
from cc_rapids.kernels.spec import CHOICES
from races import memory, plants, whole
from races.portions import DEEP
from races.runs import Outcomes

SAMPLES = list(CHOICES["sample"])
WHOLE = [name for name, link in CHOICES["link"].items() if link.standalone and link.iterative]
CONTOURS = [f"contour(orders={word})" for word in ("1", "m", "syn")]
SWITCHED = ("soman(hooks=down)", "multi-jump(order=descending, writes=last)")
STAGED = ("stages+rem-parallel", "stages+graft-shortcut-update", "stages+jtb+naive")
GRAPHS = {
    "path": (3, [(2, 1), (1, 0)]),
    "loop": (3, [(2, 2), (0, 1)]),
    "star": (4, [(3, 2), (1, 0), (3, 1)]),
    "twice": (4, [(1, 3), (3, 1), (0, 2)]),
}
OPTIONS = (
    "none(tiles=2)+async+halve",
    "none(tiles=2)+jtb+naive",
    "none(tiles=1)+rem-cas+splice",
    "none(order=partitioned)+rem-cas+splice",
    "strided(every=2, order=partitioned)+async+halve",
    "kout(coalesce=off, reorganise=off)+async+halve",
    "kout(k=1, reorganise=off)+rem-cas+split-one",
    "kout(gather=off)+rem-cas+splice",
    "kout(k=1, gather=off)+early+full",
    "hook(n=1, gather=off)+hooks+split",
    "hook(n=1)+jtb+two-try-split",
    "bfs(gather=off)+rem-lock+halve-one",
)


@pytest.fixture(autouse=True)
def small(monkeypatch, tuned):
    """Probes and blocks for graphs so small."""
    tuned(giant_probes=whole.PROBES, frequent_root_vertices=0)
    monkeypatch.setattr(reading, "SAMPLE_BLOCK", 1)


def check(names, graph, model=memory.STRONG, both_ways=True, group=1):
    n, edges = GRAPHS[graph] if isinstance(graph, str) else graph
    runs = races = 0
    for design in map(Design.parse, names):
        backend = Outcomes(model, group=group, waits="lock" in design.link)
        entries = whole.symmetric_rows(n, edges) if both_ways else whole.rows_of(n, edges)
        rows = whole.adjacency(entries, both_ways) if design.takes_rows else None
        wrong = next(whole.wrong(design, backend, n, edges, rows), None)
        assert wrong is None, wrong
        runs, races = runs + backend.runs, races + backend.found.races
    assert races
    print(f"{runs} runs of {len(names)} designs, {races} launches")


def test_a_planted_fault_is_found_in_a_whole_run(monkeypatch):
    def no_retry(on, vertex, find):
        return plants.no_retry(on, find)

    planted = replace(CHOICES["link"]["async"], make=no_retry)
    monkeypatch.setitem(CHOICES["link"], "async", planted)
    check(["async+halve"], (3, [(2, 0), (1, 1)]))
    with pytest.raises(AssertionError, match="is right, outcomes"):
        check(["async+halve"], (3, [(2, 0), (2, 1)]))


every_design = cache(designs)  # listing them takes longer than most tests


def some(names, most):
    return names if DEEP else Random(len(names)).sample(names, min(most, len(names)))


def of(word):
    """The designs with a sample, which leaves every second edge if it is one of the list."""
    names = (str(design) for design in every_design() if design.words[0].spec.name == word)
    return [name.replace("strided+", "strided(every=2)+") for name in names]


@pytest.mark.parametrize("word", SAMPLES)
@pytest.mark.parametrize(("graph", "most"), [("path", 6), ("loop", 2), ("star", 1), ("twice", 1)])
def test_designs(word, graph, most):
    check(some(of(word), most), graph)


@pytest.mark.parametrize("word", SAMPLES)
def test_designs_on_a_weak_memory(word):
    check(some([name for name in of(word) if "lock" not in name], 2), "path", memory.WEAK)


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("both_ways", [True, False])
def test_options_of_samples(name, both_ways):
    check([name], "path", both_ways=both_ways)
    check([name], "twice", both_ways=both_ways)


@pytest.mark.parametrize("name", ["bfs-cc", "bfs+async+halve", "bfs+stergiou"])
@pytest.mark.parametrize("alpha", [1, search.ALPHA])  # from above alone, and from below as well
@pytest.mark.parametrize("group", [1, 2])
def test_searches(name, alpha, group, tuned):
    """Two rows of a depth that share a neighbour, and two threads that share a row."""
    tuned(bfs_alpha=alpha)
    model = memory.WEAK if name == "bfs-cc" else memory.STRONG
    check([name], (4, [(0, 1), (0, 2), (1, 3), (2, 3)]), model, group=group)


@pytest.mark.parametrize("name", [*WHOLE, *SWITCHED, *CONTOURS, "owner", *STAGED])
def test_algorithms_of_their_own(name):
    """A path whose middle is its greatest vertices: roots are hooked twice, and stars are left."""
    for graph in GRAPHS:
        check([name], graph, memory.WEAK if graph == "path" else memory.STRONG)
    check([name], (4, [(2, 3), (1, 3), (0, 2)]), memory.WEAK)


@pytest.mark.parametrize("group", [1, 2])
def test_thrifty_pushes(group, monkeypatch):
    """One pull, and then pushes, in which two threads may share a row or a neighbour."""
    monkeypatch.setattr(thrifty, "DENSITY", 9.0)
    check(["thrifty"], (5, [(0, 1), (0, 2), (1, 3), (2, 4), (3, 4)]), memory.WEAK, group=group)


@pytest.mark.parametrize("graph", ["path", "loop", "twice"])
def test_lists_of_owners(graph):
    """Threads share none of them; larger graphs have as many schedules, and nothing more to see."""
    check(["owner(output=lists)"], graph)
