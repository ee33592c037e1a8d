"""What designs that splice or hook upwards may not do, and the schedules that show why."""

import pytest

from cc_rapids.algorithms.design import Design, designs
from cc_rapids.kernels import FINDS, none_of, union_rule
from cc_rapids.kernels import find as compress
from cc_rapids.kernels.spec import CHOICES
from races import explore, memory, phases, scenes
from races.portions import DEEP

links = pytest.mark.parametrize("link", ["rem-cas", "rem-lock"])
MODEL = memory.WEAK if DEEP else memory.STRONG


@links
@pytest.mark.parametrize("find", ["", "(find=halve)", "(find=split)"])
def test_the_edges_that_a_splice_notes_may_have_a_cycle(link, find):
    """2 is moved under 0 while 1 and 0 are still apart: the edge (1, 2) then joins them again."""
    rule = scenes.rule(link + find, "splice", waits=link == "rem-lock")
    race = scenes.links(rule, range(3), [[(1, 2), (0, 2)], [(1, 2)]])
    with pytest.raises(explore.RaceError, match=r"\[\(1, 2\), \(1, 2\)\] noted are no spanning"):
        explore.every_schedule(race, memory.STRONG)


def test_designs_that_splice_make_no_forests():
    assert not any(d.makes_forests for d in designs() if d.compress == "splice")


def test_a_query_beside_a_splice_is_wrong():
    """3 has left the tree of 2 for that of 0, and the two are not joined yet."""
    rule = scenes.rule("rem-cas", "splice", forests=False)
    race = phases.mixed_batch(rule, [0, 0, 2, 2], [[(0, 3)], [(2, 3)]], [[False], [True]])
    with pytest.raises(explore.RaceError, match="whether 2 and 3 are joined is answered by 0"):
        explore.every_schedule(race, memory.STRONG)


def test_queries_wait_for_designs_that_splice():
    assert all(design.phased for design in designs() if design.compress == "splice")


def full_and_splice(link, **facts):
    facts = {"forests": False, "waits": link == "rem-lock"} | facts
    return scenes.rule(f"{link}(find=full)", "splice", **facts)


@links
def test_full_compression_beside_a_splice_stores_to_a_root(link):
    """The path of 3 was spliced to that of 1: its root is hooked by a store that nobody is told."""
    race = scenes.links(full_and_splice(link), range(4), [[(1, 3), (2, 0)], [(2, 3)]])
    with pytest.raises(explore.RaceError, match=r"hooks of \[2, 3\] told, \[1, 2, 3\] made"):
        explore.every_schedule(race, memory.STRONG)


THREE = [[(2, 4), (3, 1)], [(3, 4)], [(2, 0)]]


def test_full_compression_beside_a_splice_loses_an_edge():
    """The same store overwrites the hook of 2 under 0, which another thread has just made."""
    race = scenes.links(full_and_splice("rem-cas", told=False), range(5), THREE)
    with pytest.raises(explore.RaceError, match="are not the components"):
        explore.every_schedule(race, memory.STRONG)


def full_below_roots(on):
    """As full, but it ends at a root, whichever it is."""
    climb = compress.naive(on)

    @on.device
    def find(parent, v):
        r, p = climb(parent, v), parent[v]
        while r < p and p != v:
            parent[v] = r
            v, p = p, parent[p]
        return r

    return find


def test_full_compression_that_ends_at_a_root_is_right_beside_a_splice(monkeypatch):
    monkeypatch.setitem(compress.AFTER_UNION, "full", full_below_roots)
    rule = full_and_splice("rem-cas")
    cases = scenes.splits(4, (2, 1))[:: 1 if DEEP else 24]
    for threads in cases:
        explore.every_schedule(scenes.links(rule, range(4), threads), MODEL)
    explore.every_schedule(scenes.links(rule, range(5), THREE), memory.STRONG)


def test_full_compression_and_splice_are_excluded():
    with pytest.raises(ValueError, match="full compression"):
        Design("none", "rem-cas(find=full)", "splice")


def upwards(on, vertex, find):
    """Hook the smaller root under the greater by compare-and-swap; if it fails, find again."""
    cas, none = on.atomic_cas, none_of(vertex)

    @on.device
    def link(parent, aux, u, v):
        u, v = find(parent, u), find(parent, v)
        while u != v:
            u, v = min(u, v), max(u, v)
            current = cas(parent, u, u, v)
            if current == u:
                return u
            u, v = find(parent, current), find(parent, v)
        return none

    return link


def test_full_compression_needs_roots_that_are_least(monkeypatch):
    """It overwrites the hook of 1 under 2, which another thread has just made."""
    monkeypatch.setitem(CHOICES, "link", dict(CHOICES["link"]))
    facts = {"finds": FINDS, "requires": ("find",), "root_is_min": False}
    union_rule("upwards", paper="", **facts)(upwards)
    threads = [[(0, 1), (0, 2)], [(1, 2)]]
    rules = scenes.rules()
    assert {name for name in rules if "upwards" in name} == {
        f"upwards+{find}" for find in FINDS if find != "full"
    }
    explore.every_schedule(scenes.links(rules["upwards+halve"], range(3), threads), MODEL)
    race = scenes.links(scenes.rule("upwards", "full", ordered=False), range(3), threads)
    with pytest.raises(explore.RaceError, match=r"hooks of \[0, 1\] told, \[0, 2\] made"):
        explore.every_schedule(race, memory.STRONG)
    with pytest.raises(ValueError, match=r"root_is_min=False\); use halve, split or naive"):
        Design.parse("strided+upwards+full")
