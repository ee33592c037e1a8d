"""Sizes at which runs take another way: documented, set for a while, and no part of an answer."""

import dataclasses
import inspect
import re

import numpy as np
import pytest
from support import sizes

import cc_rapids
from cc_rapids import oracle
from cc_rapids.ids import range as spans
from cc_rapids.kernels import giant
from cc_rapids.tuning import Tuning, tuning


def test_each_size_is_documented_once_with_its_type():
    lines = re.findall(r"^([\w, ]+) : (int|float)$", inspect.getdoc(Tuning), re.MULTILINE)
    told = [(name, kind) for names, kind in lines for name in names.split(", ")]
    assert told == [(field.name, field.type) for field in dataclasses.fields(Tuning)]


def test_an_override_ends_with_its_context_whatever_happens():
    before = dataclasses.asdict(tuning)
    with tuning.override(blocked_ids=7, estimated_ids=1):
        assert (tuning.blocked_ids, tuning.estimated_ids) == (7, 1)
        with pytest.raises(ZeroDivisionError), tuning.override(blocked_ids=8):
            _ = 1 / (tuning.blocked_ids - 8)
        assert tuning.blocked_ids == 7
    assert dataclasses.asdict(tuning) == before


def test_a_size_that_there_is_not_changes_nothing():
    before = dataclasses.asdict(tuning)
    message = "there is no tuning of chunk"
    with pytest.raises(TypeError, match=message), tuning.override(blocked_ids=7, chunk=1):
        pass
    assert dataclasses.asdict(tuning) == before


def test_a_fixture_sets_sizes_until_the_end_of_a_test(tuned):
    tuned(order_probes=3)
    tuned(order_probes=4, giant_probes=5)
    assert (spans.ORDER_PROBES, giant.PROBES) == (4, 5)


def test_answers_are_the_same_by_the_least_sizes(tuned):
    src, dst = np.random.default_rng(5).integers(0, 300, (2, 400))
    expected = oracle.union_find(src, dst, 300)
    tuned(**dict.fromkeys([*vars(tuning), *sizes.CONSTANTS], 1))
    for design in ("auto", "strided+jtb+naive", "dense", "liu-tarjan(PRF)", "parent-check+halve"):
        found = cc_rapids.components((src, dst), num_vertices=300, design=design, engine="threads")
        np.testing.assert_array_equal(found.labels().labels, expected, design)
        found.audit((src, dst), num_vertices=300)
