"""Algorithms that are whole in one file, step by step: the trees and labels of each phase.

Afforest and ECL-CC make the trees that their composed parts make. The synchronous ones make the
labels of their papers' steps in NumPy. Thrifty reads the rows that its paper lets it read.
"""

import numpy as np
import pytest

from cc_rapids import Design, backends, oracle
from cc_rapids.algorithms import run
from cc_rapids.algorithms.compiled import build
from cc_rapids.algorithms.literature import afforest, balduzzi, contour, fastsv, thrifty
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


def recorded(module, name, edges, n, monkeypatch):
    """Return the parents after each round of a design, and of the whole run."""
    rounds, changes = [], module.changes

    def counted(state, *given):
        changed = changes(state, *given)
        rounds.append(state.trees.parent.copy())
        return changed

    monkeypatch.setattr(module, "changes", counted)
    compiled = build(Design.parse(name), backends.get("threads"), ID, ID, False, False)
    state = run.prepare(compiled, edges, Forest(backends.get("threads"), n, all_present=True))
    run.run(compiled, state)
    return [*rounds, state.trees.parent]


@pytest.mark.parametrize(("n", "m"), SIZES)
def test_fastsv_after_each_round(n, m, monkeypatch):
    """The three steps in NumPy, with both directions of each edge, and every hook."""
    edges = random_edges(n, m)
    us, vs = np.concatenate([[edges.src, edges.dst], [edges.dst, edges.src]], axis=1)
    f, expected, changed = np.arange(n, dtype=ID), [], True
    grand = f[f]
    while changed:
        after = f.copy()
        np.minimum.at(after, f[us], grand[vs])
        np.minimum.at(after, us, grand[vs])
        f = np.minimum(after, grand)
        changed = bool((f[f] != grand).any())
        grand = f[f]
        expected.append(f)
    found = recorded(fastsv, "fastsv", edges, n, monkeypatch)
    np.testing.assert_array_equal(found, [*expected, f])


@pytest.mark.parametrize(("n", "m"), SIZES)
def test_contour_after_each_synchronous_round(n, m, monkeypatch):
    """The operator of order two: the least L[L[x]] of an edge to x, L[x], y and L[y]."""
    edges = random_edges(n, m)
    label, expected, changed = np.arange(n, dtype=ID), [], True
    while changed:
        us, vs = edges.src, edges.dst
        z, after = np.minimum(label[label[us]], label[label[vs]]), label.copy()
        for targets in (us, vs, label[us], label[vs]):
            np.minimum.at(after, targets, z)
        changed = bool((after != label).any())
        label = after
        expected.append(label)
    found = recorded(contour, "contour(orders=syn)", edges, n, monkeypatch)
    np.testing.assert_array_equal(found, [*expected, label])


def test_tvrdik_joins_a_star_in_one_round(monkeypatch):
    """The centre hooks to one leaf; in the same round, all other leaves hook to their tree."""
    edges = Edges(np.full(40, 40, ID), np.arange(40, dtype=ID), 0)
    rounds = recorded(balduzzi, "tvrdik", edges, 41, monkeypatch)
    assert len(set(rounds[1].tolist())) == 1
    assert len(rounds) == 3  # with the round that changes nothing, and the whole run


def test_thrifty_plants_at_the_hub(monkeypatch):
    """The push of the hub reaches its 39 neighbours, and later rounds only the other vertices."""
    sizes, to_host = [], backends.get("threads").to_host
    n, hub = 50, 30
    leaves = np.setdiff1d(np.arange(40), [hub])
    src, dst = np.r_[leaves, 40, 41, 39, 48], np.r_[[hub] * 39, 41, 42, 42, 49]
    compiled, state = state_of("thrifty", n, Edges(src.astype(ID), dst.astype(ID), 0))

    def counted(self, array):
        sizes.append(to_host(array).tolist())
        return to_host(array)

    monkeypatch.setattr(type(state.backend), "to_host", counted)
    run.run(compiled, state)
    expected = np.arange(n)
    expected[:43], expected[49] = 0, 48
    np.testing.assert_array_equal(state.trees.parent, expected)
    assert sizes[0] == [39, 0]
    assert all(vertices <= 4 for vertices, _ in sizes[1:])  # 40, 41, 42 and 49


@pytest.mark.parametrize("density", [0.0, 0.01, 99.0])
@pytest.mark.parametrize(("n", "m"), SIZES)
def test_thrifty_by_pulls_and_by_pushes(n, m, density, monkeypatch):
    monkeypatch.setattr(thrifty, "DENSITY", density)
    edges = random_edges(n, m)
    compiled, state = state_of("thrifty", n, edges)
    run.run(compiled, state)
    np.testing.assert_array_equal(state.trees.parent, oracle.union_find(edges.src, edges.dst, n))
