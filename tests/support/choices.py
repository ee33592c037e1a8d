"""Which parameters of a test are part of ``make test``; ``make test-all`` runs all of them."""

from collections import defaultdict
from itertools import combinations, product

import pytest

from cc_rapids.ids.range import EdgeOrder
from cc_rapids.solver.choose import MEASURED, Counted, Facts, Machine
from support.cover import cover
from support.machine import SIMULATED

EXTENDED = pytest.mark.extended
FEW_CASES = 6  # of a test: all of them run


def on_simulator(test):
    """A test whose cases ``make test`` runs on the simulator only, which needs no compiler."""
    return test if SIMULATED else EXTENDED(test)


def pairs(**choices):
    """Parametrize a test by all combinations; in ``make test`` each two choices meet once."""
    return _parametrize(choices, 2)


def each(compiled=None, **choices):
    """Parametrize a test by all combinations; ``make test`` runs some with each choice.

    ``compiled`` holds, by name, the choices for threads, if others need kernels of their own; the
    simulator, which compiles none, takes every choice.
    """
    return _parametrize(choices, 1, {} if SIMULATED else compiled or {})


def some(name, values, usual, ids=None):
    """Parametrize a test by values; ``make test`` runs the usual ones."""
    values = list(values)
    assert all(value in values for value in usual), f"{usual} of {values}"
    return pytest.mark.parametrize(
        name,
        [
            pytest.param(
                *(value if isinstance(name, tuple) else (value,)),
                marks=() if value in usual else EXTENDED,
            )
            for value in values
        ],
        ids=ids,
    )


def few_of_products(items):
    """Leave most cases of a product of parameters to ``make test-all``.

    ``make test`` runs cases in which each value of each parameter occurs. A table of cases is one
    parameter.
    """
    families = defaultdict(list)
    for item in items:
        if hasattr(item, "callspec") and "extended" not in item.keywords:
            families[item.nodeid.partition("[")[0]].append(item)
    for family in families.values():
        if len(family) > FEW_CASES:
            usual = set(cover({item: _choices(item) for item in family}))
            for item in family:
                if item not in usual:
                    item.add_marker(EXTENDED)


def _choices(item):
    """The values of each parameter of a test, those that are set together as one."""
    params = dict(item.callspec.params)
    for mark in item.iter_markers("parametrize"):
        names = mark.args[0].split(",") if isinstance(mark.args[0], str) else mark.args[0]
        yield tuple((name, id(params.pop(name.strip(), None))) for name in names)
    yield from ((name, id(value)) for name, value in params.items())


def _parametrize(choices, size, only=None):
    only = only or {}
    names = list(choices)
    lists = [list(values) for values in choices.values()]
    every = list(product(*(range(len(values)) for values in lists)))
    some = [
        places
        for places in every
        if all(choices[name][places[names.index(name)]] in only[name] for name in only)
    ]
    usual = set(cover({places: combinations(enumerate(places), size) for places in some}))
    return pytest.mark.parametrize(
        names,
        [
            pytest.param(
                *(values[k] for values, k in zip(lists, places, strict=True)),
                marks=() if places in usual else EXTENDED,
            )
            for places in every
        ],
    )


def rule_for(on, n, m, locality=0.0, **facts):
    """The rule by which "auto" runs m edges between n vertices on a backend."""
    counted = Counted(n, n, order=EdgeOrder(locality))
    return MEASURED.decide(Facts(Machine.of(on), m, **facts), counted)[1]
