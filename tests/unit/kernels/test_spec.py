"""The registry: what a choice says of itself, how it is registered, and the state of its runs."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import cc_rapids
from cc_rapids import Design, backends, oracle
from cc_rapids.algorithms import run
from cc_rapids.algorithms.compiled import build
from cc_rapids.graph.edges import Edges, rows_of
from cc_rapids.graph.forest import Forest
from cc_rapids.kernels import FINDS, find_rule, union_rule
from cc_rapids.kernels.spec import (
    CHOICES,
    standalone_algorithm,
)
from cc_rapids.kernels.union import asynchronous


@pytest.fixture
def registry(monkeypatch):
    """A copy of the registry, which a test may add to."""
    for axis, known in CHOICES.items():
        monkeypatch.setitem(CHOICES, axis, dict(known))
    return CHOICES


def test_a_union_rule_is_a_design_by_its_name(registry):
    union_rule("mine", finds=FINDS, requires=("find",), paper="here")(asynchronous)
    src, dst = np.array([1, 5, 9, 9]), np.array([5, 1, 12, 9])
    found = cc_rapids.components((src, dst), num_vertices=13, design="strided+mine+halve")
    np.testing.assert_array_equal(found.labels().labels, oracle.union_find(src, dst, 13))
    assert [spec.name for spec in registry["link"].values()][-1] == "mine"


def untold(on, vertex):
    return None


def test_what_would_fail_later_is_refused_at_once(registry):
    with pytest.raises(ValueError, match="'mine' requires 'fnd', but only find, step, comp"):
        union_rule("mine", requires=("fnd",), paper="here")(asynchronous)
    with pytest.raises(ValueError, match="link 'async' is registered already"):
        union_rule("async", paper="here")(asynchronous)
    with pytest.raises(ValueError, match="'mine' has no docstring"):
        find_rule("mine", paper="here")(untold)
    with pytest.raises(TypeError, match="one_step"):
        standalone_algorithm("mine", one_step=True, paper="here")(asynchronous)


def states(on):
    """The state of a run of each design, with a forest and without, on a list and on rows."""
    src, dst = np.array([1, 5, 9, 9], np.int32), np.array([5, 1, 12, 9], np.int32)
    edges = Edges(src, dst, 0)
    blocks, bits = "none(tiles=4)+async+halve", "strided(bits=shared)+async+halve"
    ordered = "none(order=partitioned)+async+halve"
    for design in [*cc_rapids.designs(), *map(Design.parse, (blocks, bits, ordered))]:
        for recorded in {False, design.makes_forests}:
            for reads_csr in {design.takes_rows, True}:
                forest = Forest(on, 13)
                rows = rows_of(edges, forest) if reads_csr else None
                hook_edge = on.fill(on.empty(13, np.uint64), 0xFF) if recorded else None
                compiled = build(design, on, np.uint32, np.uint32, reads_csr, recorded)
                yield design, run.prepare(compiled, edges, forest, rows, hook_edge), forest


def test_no_two_arrays_of_a_run_share_memory():
    on = backends.get("threads")
    seen = set()
    for design, state, forest in states(on):
        arrays = {**state.trees._asdict(), **state.flags._asdict()}
        arrays |= vars(state.giant) if state.giant else {}
        arrays |= {"offsets": state.blocks.offsets} if state.blocks else {}
        for (one, a), (other, b) in combinations(arrays.items(), 2):
            assert not np.shares_memory(a, b), f"{design}: {one} and {other}"
        own = ("parent", "present", "out_of_range")
        assert state.extra_bytes == sum(a.nbytes for k, a in arrays.items() if k not in own)
        assert state.trees.parent is forest.parent
        assert arrays["aux"].dtype == (np.uint64 if design.words[1].spec.packed else np.uint32)
        seen |= {name for name, array in arrays.items() if array.size}
    assert seen == {
        "parent", "aux", "hook_edge", "present", "out_of_range", "offsets",
        "root_word", "in_giant", "probed", "warp_queues", "outside", "outside_count",
    }  # fmt: skip


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64, np.int64])
def test_an_unused_array_is_made_once(engine, dtype):
    on = backends.get(engine)
    empty = on.unused(dtype)
    assert empty is on.unused(dtype)
    assert empty.size == 0
    assert empty.dtype == dtype
    assert empty.strides == (np.dtype(dtype).itemsize,)  # machine code depends on it


def test_a_state_is_made_ready_to_run_again():
    on, n = backends.get("threads"), 13
    edges = Edges(np.array([1, 5, 9, 9]), np.array([5, 1, 12, 9]), 0)
    forest = Forest(on, n, all_present=True)
    for name in ("strided+async+halve", "none+async+halve", "liu-tarjan(PRF)"):
        compiled = build(Design.parse(name), on, np.uint32, np.uint64, False, False)
        state = run.prepare(compiled, edges, forest)
        for _ in range(2):
            state.reset()
            run.run(compiled, state)
            expected = oracle.union_find(edges.src, edges.dst, n)
            np.testing.assert_array_equal(forest.parent, expected)


def test_a_spec_is_not_changed_but_replaced():
    spec = CHOICES["link"]["async"]
    with pytest.raises(AttributeError):
        spec.name = "other"
    assert replace(spec, name="other").make is spec.make
