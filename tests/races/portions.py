"""How much of all scenes a test goes through: a part of them, or all if the environment says so."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import product
from random import Random
from typing import Any

import pytest
from support.choices import EXTENDED

from . import explore, memory, scenes

DEEP = os.environ.get("CC_RAPIDS_DEEP_RACES", "0") not in ("", "0")
RULES = scenes.rules()
DEAR = 4  # times as many states have links with locks as those without

# The weak memory allows all that the others do, which `make test` leaves out.
on_each_memory = pytest.mark.parametrize(
    "model",
    [
        pytest.param(memory.STRONG, marks=EXTENDED, id="strong"),
        pytest.param(memory.STALE, marks=EXTENDED, id="stale"),
        pytest.param(memory.WEAK, id="weak"),
    ],
)
for_each_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


def for_rules_in_turn(turn: int) -> Any:
    """Each third rule by default: of three tests, each takes others."""
    rules = [
        pytest.param(rule, id=name, marks=() if k % 3 == turn else EXTENDED)
        for k, (name, rule) in enumerate(RULES.items())
    ]
    return pytest.mark.parametrize("rule", rules)


def scenes_of(*sizes: tuple[int, tuple[int, ...], int]) -> Any:
    """Vertices, edges of each thread, and how many such scenes are enough by default."""
    names = [f"{n} vertices {'+'.join(map(str, shape))} edges" for n, shape, _ in sizes]
    return pytest.mark.parametrize(("n", "shape", "most"), sizes, ids=names)


def some(most: int, rule: scenes.LinkRule, *axes: Iterable[Any]) -> list[Any]:
    """All combinations, or by default so many of them, always the same."""
    cases = list(product(*axes))
    if DEEP:
        return cases
    most = max(1, most // DEAR if rule.waits else most)
    return Random(len(cases)).sample(cases, min(most, len(cases)))


def one_in(every: int, deep: int = 1) -> int:
    """Of how many scenes one is gone through by default, and if all are to be that can be."""
    return deep if DEEP else every


def explore_all(races: Iterable[explore.Race], model: memory.Memory) -> None:
    found = explore.Found()
    for race in races:
        found += explore.every_schedule(race, model)
    assert found.races
    print(found)  # pytest -s, or -rP, shows it
