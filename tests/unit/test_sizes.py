"""Sizes at which runs take another way: set for a while, and no part of an answer."""

import numpy as np
from support import sizes

import cc_rapids
from cc_rapids import oracle
from cc_rapids.ids import range as spans
from cc_rapids.kernels import giant


def test_a_fixture_sets_sizes_until_the_end_of_a_test(tuned):
    tuned(order_probes=3)
    tuned(order_probes=4, giant_probes=5)
    assert (spans.ORDER_PROBES, giant.PROBES) == (4, 5)


def test_answers_are_the_same_by_the_least_sizes(tuned):
    src, dst = np.random.default_rng(5).integers(0, 300, (2, 400))
    expected = oracle.union_find(src, dst, 300)
    tuned(**dict.fromkeys(sizes.CONSTANTS, 1))
    for design in ("auto", "strided+jtb+naive", "dense", "liu-tarjan(PRF)", "parent-check+halve"):
        found = cc_rapids.components((src, dst), num_vertices=300, design=design, engine="threads")
        np.testing.assert_array_equal(found.labels().labels, expected, design)
        found.audit((src, dst), num_vertices=300)
