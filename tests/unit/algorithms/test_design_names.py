"""Names of designs: what they parse to, what is refused and why, and what auto chooses."""

from itertools import product

import numpy as np
import pytest
from support import design_pairs

import cc_rapids
from cc_rapids import Design, oracle
from cc_rapids.algorithms.design import EXCLUDED, _product
from cc_rapids.errors import DesignError
from cc_rapids.kernels.spec import CHOICES


def test_names_are_parsed_back():
    found = cc_rapids.designs()
    assert len(found) == len(set(map(str, found))) == len(set(found))
    for design in found:
        assert Design.parse(str(design)) == design
        assert Design.parse(design) is design


def test_the_needs_of_a_design_include_rows_if_it_takes_them():
    found = cc_rapids.designs()
    takes_rows = [design for design in found if "48 bytes per edge" in design.needs]
    assert takes_rows == [design for design in found if design.takes_rows]
    assert Design.parse("ecl-cc") in takes_rows
    assert Design.parse("none+async+halve") not in takes_rows


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("async+halve", "none+async+halve"),
        ("none+ecl", "ecl"),
        ("kout(k=3)+ecl", "kout(k=3)+ecl"),
        (" kout( k = 2 ) + async + halve ", "kout+async+halve"),
        ("hook(n=9)+rem-cas+halve", "hook(n=9)+rem-cas(find=halve)+halve-one"),
        ("rem-lock+naive", "none+rem-lock+halve-one"),
        ("rem-cas(find=full)+full", "none+rem-cas(find=full)+halve-one"),
        ("kout(gather=off)+liu-tarjan(PRF)", "kout(gather=off)+liu-tarjan(PRF)"),
        (
            "kout(coalesce=off, reorganise=off)+async+halve",
            "kout(coalesce=off, reorganise=off)+async+halve",
        ),
    ],
)
def test_names_may_be_shorter(given, name):
    assert str(Design.parse(given)) == name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("none+asynk+halve", "unknown link 'asynk': did you mean 'async'"),
        ("kuot+async+halve", "unknown design 'kuot.async.halve'|unknown link|unknown sample"),
        ("kout(l=3)+async+halve", "unknown option of sample kout 'l=3'.* one of coalesce, gather"),
        ("kout(k=0)+async+halve", "k of sample kout must be a count of at least 1, not '0'"),
        ("kout(pick=last)+ecl", "unknown pick of sample kout 'last'"),
        ("liu-tarjan", "needs one of"),
        ("liu-tarjan(PRZ)", "unknown rule of link liu-tarjan 'PRZ'"),
        ("none+async", "needs a find"),
        ("none+ecl+halve", "leave out the find"),
        ("none+async+splice", "single steps for Rem's rules"),
        ("none+jtb+halve", "jtb is published with"),
        ("none+async+two-try-split", "works on jtb's words"),
        ("none+rem-cas(find=full)+splice", "would store to another root"),
        ("rem-cas(find=full)+halve", "names two finds, full and halve: leave out one"),
        ("kout+bfs-cc", "searches every component"),
        ("kout(coalesce=off)+async+halve", "also needs reorganise=off"),
    ],
)
def test_what_is_no_design_says_why(name, words):
    with pytest.raises(DesignError, match=words):
        Design.parse(name)


def refusal(words):
    """Why there is no such design; None if there is one."""
    try:
        Design(*words)
    except DesignError as error:
        return str(error)
    return None


def test_every_combination_is_a_design_or_has_a_reason():
    refused = [reason for reason in map(refusal, _product()) if reason]
    assert all(any(row.reason in reason for row in EXCLUDED) for reason in refused)
    assert len(refused) == len(list(_product())) - len(cc_rapids.designs())


@pytest.mark.parametrize(("which", "most"), [("each", 1 / 10), ("pairs", 2 / 5)])
def test_few_designs_hold_every_choice_and_every_two_that_meet(which, most):
    every = cc_rapids.designs()
    few = design_pairs.selected(which)
    assert len(few) < len(every) * most

    def met(designs):
        sets = map(design_pairs.choices, designs)
        size = design_pairs.TOGETHER[which]
        return {frozenset(some) for made in sets for some in product(made, repeat=size)}

    assert met(few) == met(every)


def test_all_choices_are_in_some_design():
    names = " ".join(map(str, cc_rapids.designs()))
    for choices in CHOICES.values():
        assert all(name in names for name in choices)


@pytest.mark.parametrize(
    ("src", "dst", "n", "name", "words"),
    [
        ([0, 1], [1, 2], 9, "none+async+halve", "0.4 entries per vertex, fewer than 4: no sample"),
        ([0] * 30, range(1, 31), 5, None, ""),
        ([0] * 99, range(1, 100), 100, "none+async+halve", "2.0 entries per vertex"),
        ([*range(99)] * 3, [*range(1, 100)] * 3, 100, "hook+ecl", "first hooks cover 100%"),
        (
            [v for v in range(0, 100, 5) for _ in range(20)],
            [v + k for v in range(0, 100, 5) for _ in range(5) for k in (1, 2, 3, 4)],
            100,
            "kout+async+halve",
            "of the probed vertices, less than 95%",
        ),
    ],
)
def test_auto_by_the_papers_tree(src, dst, n, name, words, caplog):
    if name is None:
        with pytest.raises(cc_rapids.InputError, match=r"holds the id 30, outside 0\.\.4"):
            cc_rapids.components((list(src), list(dst)), num_vertices=n, design="auto(rule=paper)")
        return
    edges = np.array(src), np.array(list(dst))
    with caplog.at_level("DEBUG", "cc_rapids"):
        found = cc_rapids.components(edges, num_vertices=n, design='auto(rule="paper")')
    assert found.summary()["design"] == name
    assert words in caplog.text
    expected = oracle.union_find(*edges, n)
    np.testing.assert_array_equal(found.labels().labels, expected)
    plan = cc_rapids.components(edges, num_vertices=n, design="auto(rule=paper)", explain=True)
    assert "Hong et al. 2020, 4.7" in plan.design_why
    assert plan.design == ("kout+async+halve" if name == "hook+ecl" else name)


def test_auto_has_two_rules():
    assert Design.parse("auto(rule=measured)") is None
    with pytest.raises(DesignError, match="unknown rule of auto 'rule=mine'"):
        cc_rapids.components(([1], [2]), design="auto(rule=mine)")
