"""Sizes at which runs take another way: set for a while, and no part of an answer."""

import numpy as np
import pytest
from support import sizes

import cc_rapids
from cc_rapids import backends, oracle
from cc_rapids.algorithms import boruvka
from cc_rapids.algorithms.auto import PARTITIONED, in_stages
from cc_rapids.backends.threads import Threads
from cc_rapids.ids import encode
from cc_rapids.kernels import giant
from cc_rapids.options import Options


def test_a_fixture_sets_sizes_until_the_end_of_a_test(tuned):
    tuned(order_probes=3)
    tuned(order_probes=4, giant_probes=5)
    assert (encode.ORDER_PROBES, giant.PROBES) == (4, 5)


@pytest.mark.slow
def test_answers_are_the_same_by_the_least_sizes(tuned):
    src, dst = np.random.default_rng(5).integers(0, 300, (2, 400))
    expected = oracle.union_find(src, dst, 300)
    tuned(**dict.fromkeys(sizes.CONSTANTS, 1))
    for design in ("auto", "strided+jtb+naive", "dense", "liu-tarjan(PRF)", "parent-check+halve"):
        found = cc_rapids.components((src, dst), num_vertices=300, design=design, engine="threads")
        np.testing.assert_array_equal(found.labels().labels, expected, design)
        found.audit((src, dst), num_vertices=300)


def fast_paths(launched):
    """Which fast paths are taken, of those that are no part of a plan for few integers."""
    many, words = np.arange(1 << 17), cc_rapids.components((["a"], ["b"]), explain=True)
    launched.clear()
    cc_rapids.components((many, many), num_vertices=many.size, design="none+async+halve")
    order = encode.order_of(many[::-1].copy(), many, backends.get("threads"))
    return {
        "spelled strings": "factorised" not in words.ids,
        "a list read backwards": order.descending,
        "stages on devices": in_stages(PARTITIONED, 1000, 10_000),
        "rows gathered ahead": Options.check(wants_labels=True).speculates,
        "bands by weight": bool(boruvka.band_ends(1000, 1_000_000)),
        "frequent roots": "mark_frequent" in launched,
    }


@pytest.mark.slow
def test_each_fast_path_can_be_switched_off(tuned, monkeypatch):
    launched, launch = set(), Threads.launch

    def noted(self, kernel, n, arguments):
        launched.add(kernel.part.function.__name__)
        launch(self, kernel, n, arguments)

    monkeypatch.setattr(Threads, "launch", noted)
    tuned(library_strings=0, sampled_scan_edges=1000)
    assert {path for path, taken in fast_paths(launched).items() if not taken} == set()
    tuned(**sizes.WITHOUT_FAST_PATHS | {"sampled_scan_edges": 1000})
    assert {path for path, taken in fast_paths(launched).items() if taken} == set()
