"""Batches whose ids are vertices: the host waits for a look at the ids, not for the trees."""

import numpy as np
import pytest

import cc_rapids
from cc_rapids import InputError, UnknownVertexError, oracle
from cc_rapids.backends.base import Kernel
from cc_rapids.backends.threads import Threads


@pytest.fixture
def steps(monkeypatch):
    """What is launched and waited for, on an engine whose host goes on."""
    seen, call = [], Kernel.__call__
    monkeypatch.setattr(Threads, "in_caller_order", True)

    def launched(kernel, n, *arguments):
        seen.append(kernel.part.function.__name__)
        call(kernel, n, *arguments)

    def begun(self, array):
        seen.append("copy")
        return lambda: seen.append("wait") or array

    monkeypatch.setattr(Kernel, "__call__", launched)
    monkeypatch.setattr(Threads, "read_async", begun)
    monkeypatch.setattr(Threads, "to_host", lambda self, array: seen.append("host") or array)
    return seen


def test_the_host_waits_for_the_look_at_the_ids_alone(steps):
    seen = cc_rapids.Connectivity(num_vertices=9, engine="threads")
    del steps[:]
    seen.insert((np.array([0, 4]), np.array([1, 5], np.int32)))
    first = ["note_strays", "copy"]
    assert steps[:2] == first
    assert steps[-1] == "wait"
    assert "host" not in steps
    assert len(steps) > len(first) + 1
    assert seen.components().labels().labels.tolist() == [0, 0, 2, 3, 4, 4, 6, 7, 8]


@pytest.mark.parametrize("stray", [-1, 9, 2**40, -(2**63)])
@pytest.mark.parametrize("side", [0, 1])
def test_a_batch_with_a_stray_changes_nothing(steps, stray, side):
    seen = cc_rapids.Connectivity(num_vertices=9).insert(([1], [2]))
    ends = [np.array([3, 4]), np.array([5, 6])]
    ends[side][1] = stray
    with pytest.raises(InputError, match=f"holds the id {stray}, outside 0..8"):
        seen.insert(tuple(ends))
    assert seen.components().labels().labels.tolist() == [0, 1, 1, 3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64, np.uint8])
def test_random_batches_and_questions(steps, dtype):
    random = np.random.default_rng(3)
    seen, n = cc_rapids.Connectivity(num_vertices=200), 200
    rows = random.integers(0, n, (2, 150)).astype(dtype)
    for k in range(0, 150, 30):
        seen.insert(tuple(rows[:, k : k + 30]))
        least = oracle.union_find(*rows[:, : k + 30].astype(np.int64), n)
        pairs = random.integers(0, n, (2, 90)).astype(dtype)
        asked = seen.connected(tuple(pairs))
        assert asked.dtype == bool
        np.testing.assert_array_equal(asked, least[pairs[0]] == least[pairs[1]])
        np.testing.assert_array_equal(seen.components().labels().labels, least)


def test_questions_about_strays_name_them(steps):
    seen = cc_rapids.Connectivity(num_vertices=9).insert(([1], [2]))
    pairs = np.array([1, 1, -1]), np.array([2, 9, 4])
    with pytest.raises(UnknownVertexError, match="1 of 3 ids in 'src' is not a vertex so far: -1"):
        seen.connected(pairs)
    assert seen.connected(pairs, missing="false").tolist() == [True, False, False]


def test_questions_take_one_launch(steps):
    seen = cc_rapids.Connectivity(num_vertices=9).insert(([1], [2]))
    del steps[:]
    assert seen.connected((np.array([1]), np.array([2]))).tolist() == [True]
    assert steps == ["ask_ids", "copy", "wait"]
    assert seen.connected((np.array([], int), np.array([], int))).tolist() == []
