"""Algorithms that are whole in one file make the trees that their composed parts make."""

import numpy as np
import pytest

from cc_rapids import Design, backends
from cc_rapids.algorithms import run
from cc_rapids.algorithms.compiled import build
from cc_rapids.algorithms.literature import afforest
from cc_rapids.graph.edges import Edges, rows_of
from cc_rapids.graph.forest import Forest

ID = np.uint32
SIZES = [(n, m) for n in (1, 2, 40, 300) for m in (0, n // 2, n, 3 * n, 30 * n)]  # twenty graphs


def state_of(name, n, edges):
    """A run of a design over rows that hold both directions, ready to begin."""
    on = backends.get("threads")
    forest = Forest(on, n, all_present=True)
    compiled = build(Design.parse(name), on, ID, ID, True, False)
    return compiled, run.prepare(compiled, edges, forest, rows_of(edges, forest))


def random_edges(n, m):
    src, dst = np.random.default_rng(n + m).integers(0, n, (2, m)).astype(ID)
    return Edges(src, dst, 0)


@pytest.mark.parametrize(("n", "m"), SIZES)
def test_afforest_after_each_phase(n, m):
    edges = random_edges(n, m)
    parts = "kout(coalesce=off, reorganise=off, gather=off)+afforest"
    compiled, composed = state_of(parts, n, edges)
    start, whole = state_of("afforest-2018", n, edges)
    start.init_singletons(whole.n, whole.trees.parent)
    sample, finish = afforest.phases(backends.get("threads"), ID, 2)
    run.sample(compiled, composed)
    sample(whole)
    np.testing.assert_array_equal(whole.trees.parent, composed.trees.parent)
    run.connect_rest(compiled, composed)
    finish(whole)
    np.testing.assert_array_equal(whole.trees.parent, composed.trees.parent)


@pytest.mark.parametrize(("n", "m"), SIZES)
def test_ecl_cc_in_the_end(n, m):
    edges = random_edges(n, m)
    compiled, composed = state_of("none+ecl", n, edges)
    run.run(compiled, composed)
    compiled, whole = state_of("ecl-cc", n, edges)
    run.run(compiled, whole)
    np.testing.assert_array_equal(whole.trees.parent, composed.trees.parent)
