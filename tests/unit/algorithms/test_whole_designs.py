"""Algorithms that take all edges themselves, and the stages that call others: names and options."""

import math
import types

import numpy as np
import pytest
from support.design_graphs import GRAPHS, check, rows_of

import cc_rapids
from cc_rapids import Design
from cc_rapids.algorithms.literature import stages, sutton
from cc_rapids.errors import DesignError


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("adaptive(segments=auto)", "adaptive"),
        ("none+adaptive(segments=7)", "adaptive(segments=7)"),
        ("soman(hooks=down)", "soman(hooks=down)"),
        ("stages(q=1)+async+halve", "stages+async+halve"),
        ("stages(q=2)+graft-shortcut", "stages(q=2)+graft-shortcut"),
        ("stages(q=3)+rem-cas+halve", "stages(q=3)+rem-cas(find=halve)+halve-one"),
    ],
)
def test_names(given, name):
    assert str(Design.parse(given)) == name
    assert str(Design.parse(name)) == name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("kout+soman", "links all edges"),
        ("adaptive(segments=0)", "unknown segments of link adaptive '0'.* one of a count from 1"),
        ("adaptive(segments=a count from 1 on)", "unknown segments of link adaptive"),
        ("stages+tvrdik", "calls only union-find and the grafting rules"),
        ("stages+liu-tarjan(PRF)", "calls only union-find and the grafting rules"),
        ("stages+bfs-cc", "searches every component"),
    ],
)
def test_what_is_no_design_says_why(name, words):
    with pytest.raises(DesignError, match=words):
        Design.parse(name)


@pytest.mark.parametrize("name", ["soman", "stages+async+halve"])
def test_neither_batches_nor_forests(name):
    assert not Design.parse(name).makes_forests
    with pytest.raises(DesignError, match="does not record the edges"):
        cc_rapids.components(([1], [2]), design=name, forest=True)
    with pytest.raises(DesignError, match="batches"):
        cc_rapids.Connectivity(design=name)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "soman(hooks=down)",
        "multi-jump(hooks=down)",
        "multi-jump(order=descending, writes=last)",
        "adaptive(segments=3)",
        "adaptive(segments=99)",
        "contour(orders=1)",
        "contour(orders=m)",
        "contour(orders=11mm)",
        "contour(orders=1m1m)",
        "contour(orders=syn)",
        "rem-parallel(prefetch=on)",
        "stages+rem-parallel(prefetch=on)",
        "stages(q=2)+jtb+two-try-split",
        "stages(q=2)+sv-1982-update",
    ],
)
def test_options(engine, name):
    for src, dst, n in GRAPHS.values():
        found = cc_rapids.components((src, dst), num_vertices=n, design=name, engine=engine)
        check(found, src, dst, n, False)
        rows = rows_of(src, dst, n, True)
        check(cc_rapids.components(rows, design=name, engine=engine), src, dst, n, False)


@pytest.mark.parametrize(
    "name",
    ["soman", "adaptive", "graft-shortcut-update", "rem-parallel", "stages+sv-1982", "thrifty"],
)
def test_strays_are_told_and_self_loops_occur(engine, name):
    with pytest.raises(cc_rapids.InputError, match=r"holds the id 30, outside 0\.\.4"):
        cc_rapids.components(([0, 1, 2], [1, 2, 30]), num_vertices=5, design=name, engine=engine)
    found = cc_rapids.components(([7, 9, 4], [7, 4, 9]), design=name, engine=engine)
    labels = found.labels()
    np.testing.assert_array_equal(np.asarray(labels.vertex), [4, 7, 9])
    np.testing.assert_array_equal(np.asarray(labels.labels), [4, 7, 4])


@pytest.mark.parametrize(
    ("options", "stores"),
    [
        ({}, [0, 1, 1, 1, 1]),
        ({"writes": "last"}, [0, 1, 1, 1, 1]),
        ({"order": "descending"}, [0, 1, 2, 3, 4]),
        ({"order": "descending", "writes": "last"}, [0, 1, 1, 1, 1]),
    ],
)
def test_multi_jump_in_both_orders(options, stores):
    """A path, by one thread: from the top each vertex jumps once, from the bottom all the way."""

    class Path:
        """Parents of a path of six vertices, which count the stores to each."""

        size = 6

        def __init__(self):
            self.parents, self.stores = [0, 0, 1, 2, 3, 4], [0] * 6

        def __getitem__(self, v):
            return self.parents[int(v)]

        def __setitem__(self, v, p):
            self.parents[int(v)] = int(p)
            self.stores[int(v)] += 1

    class Sequential:
        """An engine that runs a kernel as plain Python, one index after the other."""

        def elementwise(self, kernel):
            return lambda n, *arrays: [kernel(np.uint64(i), *arrays) for i in range(n)]

    path = Path()
    trees = types.SimpleNamespace(parent=path)
    sutton.multi_jumps(Sequential(), **options)(types.SimpleNamespace(n=6, trees=trees))
    assert path.parents == [0] * 6
    assert path.stores == [0, *stores]


@pytest.mark.parametrize("c", [1, 2, 4])
def test_groups_of_stages_have_the_giant_component_of_theorem_3(c):
    """Cong and Muzio's footnote 2: f(c) = 1 - sum of k^(k-1) / k! (2c e^-2c)^k over k, / 2c."""
    log = math.log(2 * c) - 2 * c
    terms = (math.exp((k - 1) * math.log(k) - math.lgamma(k + 1) + k * log) for k in range(1, 500))
    graph = cc_rapids.generators.uniform(20_000, c * 20_000, seed=1)
    found = cc_rapids.components(graph.edges, num_vertices=20_000, design="stages+graft-shortcut")
    share = found.summary()["largest"] / 20_000
    assert share == pytest.approx(1 - sum(terms) / (2 * c), abs=0.01)


@pytest.mark.parametrize("m", [1, 2, 3, 64, 65, 1000])
def test_random_order_is_a_permutation(m):
    from cc_rapids import backends

    on = backends.get("threads")
    place = stages.shuffled(on)

    @on.elementwise
    def fill(i, m, half, out):
        out[i] = place(i, m, half)

    out = np.zeros(m, np.int64)
    fill(m, m, stages.half_bits(m), out)
    np.testing.assert_array_equal(np.sort(out), np.arange(m))
    assert m < 64 or np.count_nonzero(np.diff(out) == 1) < m / 8
