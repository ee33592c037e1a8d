"""Trees that are flattened and counted when they are first asked for."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

import cc_rapids
from cc_rapids import backends, oracle
from cc_rapids.graph.forest import LATER, Forest

N = 3000
EDGES = np.random.default_rng(4).integers(0, N, (2, 2 * N))
WEIGHTS = np.random.default_rng(5).random(2 * N)


@pytest.fixture
def found():
    answer = cc_rapids.components(tuple(EDGES), weight=WEIGHTS, forest="min", num_vertices=N)
    assert not set(LATER) & set(vars(answer.answer.forest))
    return answer


def check(answer):
    labels = answer.labels().labels
    assert np.array_equal(labels, oracle.union_find(*EDGES, N))
    assert len(answer) == len(np.unique(labels))


def test_a_forest_of_edges_needs_no_count(found):
    assert len(found.forest().row) == N - len(cc_rapids.components(tuple(EDGES), num_vertices=N))
    assert not set(LATER) & set(vars(found.answer.forest))
    check(found)
    assert set(LATER) < set(vars(found.answer.forest))


def test_a_copy_is_counted(found):
    check(pickle.loads(pickle.dumps(found)))
    check(found)


def test_many_threads_may_ask_first(found, monkeypatch):
    asked, counts, barrier = 8, [], Barrier(8)
    count = Forest.count
    monkeypatch.setattr(Forest, "count", lambda self: (counts.append(1), count(self)))

    def ask(k):
        barrier.wait()
        return len(found) if k % 2 else found.answer.forest.parent.copy()

    with ThreadPoolExecutor(asked) as pool:
        answers = list(pool.map(ask, range(asked)))
    assert counts == [1]
    expected = oracle.union_find(*EDGES, N)
    for k, answer in enumerate(answers):
        assert answer == len(np.unique(expected)) if k % 2 else np.array_equal(answer, expected)


def test_another_thread_may_have_counted_meanwhile(found):
    """It is asked for after the name was not found, and before it is known that it is made."""
    forest = found.answer.forest
    expected = forest.components
    assert forest.__getattr__("components") == expected


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
def test_a_count_that_was_interrupted_is_made_anew(found, monkeypatch, error):
    def fail(*given):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(type(found.answer.backend), "synchronize", fail)  # once they are counted
        with pytest.raises((cc_rapids.CapacityError, error)):
            len(found)
    check(found)


def test_a_forest_alike_has_arrays_of_its_own(found):
    forest = found.answer.forest
    other = forest.empty_like().copy_from(forest)
    assert not np.shares_memory(other.parent, forest.parent)
    assert np.array_equal(other.parent, forest.parent)
    assert (other.vertices, other.components) == (forest.vertices, forest.components)


def test_what_is_missing_otherwise_is_an_error():
    with pytest.raises(AttributeError, match="a forest has no 'parents'"):
        _ = Forest(backends.get("threads"), 3).parents
