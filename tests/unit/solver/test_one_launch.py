"""Lists in one launch: the same answers as by the usual way, and no more launches."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.as_lists import columns
from support.choices import each

from cc_rapids import components, oracle
from cc_rapids.algorithms.auto import ONE_LAUNCH_RULE
from cc_rapids.errors import InputError
from cc_rapids.solver import choose, one_launch


@pytest.fixture(autouse=True)
def no_table(launched, monkeypatch):
    """No hash table in the launch, for which there is test_one_launch_hashed.py."""
    monkeypatch.setattr(choose, "HASHED_AT_ONCE", 0)


def edges(n, m, seed=0):
    return np.random.default_rng(seed).integers(0, n, (2, m))


def shifted(ends, low, dtype):
    """The same edges with ids from ``low`` on."""
    return tuple(np.array([int(v) + low for v in side], dtype) for side in ends)


@each(
    ids=[
        (0, np.int32),
        (-3, np.int8),
        (5, np.uint8),
        (-(2**63), np.int64),
        (2**64 - 60, np.uint64),
    ],
    m=[1, 7, 40, 300],
)
def test_labels_are_those_of_the_usual_way(launched, ids, m):
    low, dtype = ids
    ends = shifted(edges(50, m), low, dtype)
    found = components(ends)
    first, again = found.labels(), found.labels()
    assert launched == ["solve", "gather"]
    for mine, theirs in zip(first, again, strict=True):
        np.testing.assert_array_equal(mine, theirs)
        assert not np.shares_memory(mine, theirs)
    usual = components(ends, design=ONE_LAUNCH_RULE.design)
    for kind in ("min", "max", "dense", "size"):
        for mine, theirs in zip(found.labels(kind), usual.labels(kind), strict=True):
            np.testing.assert_array_equal(mine, theirs)
            assert mine.dtype == theirs.dtype
    same = "design", "ids", "vertices", "edges", "components", "largest"
    assert [found.summary()[k] for k in same] == [usual.summary()[k] for k in same]


def test_the_arrays_of_a_forest_are_made_when_they_are_looked_at():
    src, dst = edges(50, 40)
    found = components((src, dst))
    found.labels()
    forest = found.answer.forest
    assert not {"parent", "present", "out_of_range"} & vars(forest).keys()
    assert not hasattr(forest, "children")
    assert forest.parent.size == forest.n
    assert forest.parent is forest.parent
    assert {"parent", "present", "out_of_range"} <= vars(forest).keys()
    usual = components((src, dst), design=ONE_LAUNCH_RULE.design).answer.forest
    with pytest.raises(AttributeError, match="no 'children'"):
        _ = usual.children


def test_what_is_looked_up_is_counted_from_its_own_end():
    """The rows that the launch has left are those of the labels, and of nothing else."""
    ends = np.array([50, 20, 90]), np.array([20, 70, 90])
    found = components(ends)
    assert found.component_of(np.array([90, 50])).tolist() == [90, 20]
    assert found.labels().vertex.tolist() == [20, 50, 70, 90]
    assert found.labels("max").labels.tolist() == [70, 70, 70, 90]
    assert found.labels().labels.tolist() == [20, 20, 20, 90]


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=1, max_size=60),
    st.booleans(),
)
def test_any_small_list(pairs, strided):
    ends = [np.repeat([v for v, _ in pairs], 2), np.repeat([v for _, v in pairs], 2)]
    columns = tuple(side[::2] if strided else side for side in ends)
    found = components(columns)
    vertex, labels = found.labels()
    np.testing.assert_array_equal(vertex, np.unique(columns))
    least = oracle.union_find(*(np.searchsorted(vertex, side) for side in columns), vertex.size)
    np.testing.assert_array_equal(labels, vertex[least])


@pytest.mark.parametrize("reach", [one_launch.FEW - 1, one_launch.FEW, 2**40, 2**64 - 1])
def test_ids_that_lie_further_apart_take_the_usual_way(launched, reach):
    low = -(2**63) if reach > 2**62 else 0
    src = np.array([low, low + reach])
    found = components((src, src[::-1].copy()))
    assert launched.count("solve") == (2 if reach > one_launch.FEW else 1)  # the last one hashes
    assert (len(launched) > 1) == (reach >= one_launch.FEW)
    assert "find_bounds" not in launched
    np.testing.assert_array_equal(found.labels().labels, [low, low])


@pytest.mark.parametrize(
    "how",
    [
        {"design": ONE_LAUNCH_RULE.design},
        {"design": "auto(rule=paper)"},
        {"num_vertices": 20_000},
        {"vertices": [70]},
        {"forest": True},
        {"memory": "zero-copy"},
    ],
)
def test_what_is_asked_for_by_name_is_what_runs(launched, how):
    components((np.array([1, 2]), np.array([2, 3])), **how)
    assert "solve" not in launched


@pytest.mark.parametrize(
    "columns",
    [
        (["a" * 70, "b"], ["b", "c"]),
        ([], []),
        (np.array([-1]), np.array([1], np.uint64)),
        (np.arange(ONE_LAUNCH_RULE.most_edges + 1),) * 2,
    ],
    ids=["long strings", "none", "two kinds of integers", "too many"],
)
def test_other_lists_take_the_usual_way(launched, columns):
    components(columns)
    assert "solve" not in launched


def test_strings_that_are_numbers_are_solved_at_once(launched):
    found = components((["b1", "c22"], ["c22", "a333"]))
    assert columns(found.labels()) == [["a333", "b1", "c22"], ["a333"] * 3]
    assert launched[:4] == ["note_letters", "note_letters", "write_codes", "write_codes"]
    assert launched[4] == "solve"


@pytest.mark.parametrize("m", [3, 5000, one_launch.FEW, 20_000])
@pytest.mark.parametrize("reach", [5000, one_launch.FEW, one_launch.FEW + 1, 40_000, 40_001])
def test_lists_of_thousands(launched, m, reach):
    ends = edges(reach, m)
    ends[:, 0] = 0, reach - 1
    found = components(tuple(ends.astype(np.int32)))
    fits = reach <= max(one_launch.FEW, 2 * m)
    vertex, labels = found.labels()
    np.testing.assert_array_equal(vertex, np.unique(ends))
    np.testing.assert_array_equal(labels, oracle.union_find(*ends, reach)[vertex])
    at_once = ["solve"] if m <= one_launch.FEW else ["solve", "gather"]
    assert (launched == at_once) == fits


@pytest.mark.parametrize("m", [1, 2, 40, 500, one_launch.FEW, 70_000])
def test_paths_in_order(m):
    """A vertex is as many steps from its root as its number says, after the links."""
    found = components((np.arange(m), np.arange(1, m + 1)))
    assert not found.labels().labels.any()
    back = components((np.arange(1, m + 1)[::-1].copy(), np.arange(m)[::-1].copy()))
    assert len(back) == 1


@pytest.mark.parametrize("n", [300, 301, 900, one_launch.FEW])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64])
def test_vertices_that_are_counted(launched, n, dtype):
    """Those without edges are there, too."""
    ends = tuple(edges(300, 250).astype(dtype))
    found = components(ends, num_vertices=n)
    vertex, labels = found.labels()
    assert launched == ["solve"]
    np.testing.assert_array_equal(vertex, np.arange(n))
    np.testing.assert_array_equal(labels, oracle.union_find(*ends, n))
    assert vertex.dtype == labels.dtype == dtype
    usual = components(ends, num_vertices=n, design=ONE_LAUNCH_RULE.design)
    for kind in ("max", "dense", "size"):
        np.testing.assert_array_equal(found.labels(kind).labels, usual.labels(kind).labels)


@pytest.mark.parametrize("stray", [-1, 9, 2**40])
def test_ids_beyond_those_that_are_counted(launched, stray):
    with pytest.raises(InputError, match=f"'dst' holds the id {stray}, outside 0..8"):
        components((np.array([1, 2]), np.array([3, stray])), num_vertices=9)
    assert launched[0] == "solve"


def test_types_that_do_not_hold_all_vertices(launched):
    found = components((np.array([1], np.int8), np.array([2], np.int8)), num_vertices=200)
    assert "solve" not in launched
    assert found.labels().vertex[-1] == 199


def test_what_is_foreseen(launched):
    """By the plan, too, whatever the span of the ids turns out to be."""
    near, wide, far = (tuple(side * by for side in edges(250, 300)) for by in (1, 10**3, 10**6))
    for ends, ids in ((near, "as they are"), (wide, "as they are"), (far, "hash slots")):
        planned = components(ends, explain=True)
        assert (planned.design == str(ONE_LAUNCH_RULE.design)) == (ends is not wide)
        assert planned.ids == ids
        assert planned.bytes > one_launch.bytes_for(300, has_table=False)
        del launched[:]
        assert components(ends).summary()["design"] == planned.design
    assert "at most 3,999,999 edges" in str(ONE_LAUNCH_RULE)
