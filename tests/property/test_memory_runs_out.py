"""Allocations that fail, each in turn: a clear error, nothing changed, and nothing kept."""

import gc
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from support.choices import some
from support.trials import TRIALS

import cc_rapids
from cc_rapids import CapacityError, Connectivity, components, oracle
from cc_rapids.backends.threads import Threads

N, M = 3000, 4000
EDGES = tuple(np.random.default_rng(0).integers(0, N, (2, M)))
FAR = EDGES[0] * 2**40, EDGES[1] * 2**40
WORDS = tuple(np.array([f"v{v}" for v in end]) for end in EDGES)
DOCS = pd.DataFrame({"vertex": np.arange(5000), "score": np.arange(5000) % 7})
KEPT = 1 << 16  # bytes that an error itself may hold: frames of its traceback, compiled kernels


class Failing:
    """Lets the k-th allocation fail, and counts them."""

    def __init__(self, patch):
        self.count, self.k = 0, 0
        patch.setattr(Threads, "empty", self.wrapped(Threads.empty))

    def wrapped(self, empty):
        def allocate(engine, n, dtype):
            self.count += 1
            if self.count == self.k:
                raise MemoryError(f"{n:,} of {np.dtype(dtype)}")
            return empty(engine, n, dtype)

        return allocate

    def each(self, work, most=100):
        """Let each allocation of some work fail in turn; gives how many there are."""
        work()  # compiles
        for k in range(1, most):
            self.count, self.k, said = 0, k, None
            try:
                work()
            except CapacityError as error:
                said = str(error)
            if said is None:
                assert self.count < k
                self.k = 0
                return k - 1
            assert "engine 'threads' ran out of memory (" in said
        raise AssertionError(f"{most} allocations")


@pytest.fixture
def failing(monkeypatch):
    return Failing(monkeypatch)


def rows():
    return cc_rapids.Csr(np.array([0, 2, 3, 4]), np.array([1, 2, 0, 0]), symmetric=True)


RUNS = {
    "plain": lambda: components(EDGES).labels(),
    "sampled": lambda: components(EDGES, design="strided+rem-cas+splice").labels("size"),
    "rows": lambda: components(EDGES, design="kout+jtb+naive"),
    "given rows": lambda: components(rows(), design="hook+ecl"),
    "rounds": lambda: components(EDGES, design="liu-tarjan(PRF)"),
    "search": lambda: components(EDGES, design="bfs+async+halve"),
    "forest": lambda: components(EDGES, forest=True).forest(),
    "hashed": lambda: components(FAR).sizes(),
    "strings": lambda: components(WORDS).largest(),
    "named": lambda: components(EDGES, vertices=np.arange(9)).representatives(),
    "best": lambda: components(EDGES).deduplicate(DOCS, by="score", per="score"),
    "audit": lambda: components(EDGES).audit(EDGES),
    "audit of hashed": lambda: components(FAR).audit(FAR),
    "stream": lambda: cc_rapids.stream_components(iter([EDGES, FAR])),
    "thresholds": lambda: cc_rapids.components_at(
        EDGES, weight=np.arange(M), thresholds=[10, 2000]
    ),
}


def test_each_allocation_may_fail(failing, tuned):
    tuned(small_id_range=100)
    before = [end.copy() for end in (*EDGES, *FAR, *WORDS)]
    failed = {name: failing.each(run) for name, run in RUNS.items()}
    assert all(failed.values())
    assert sum(failed.values()) >= TRIALS["allocations"].times
    for end, old in zip((*EDGES, *FAR, *WORDS), before, strict=True):
        np.testing.assert_array_equal(end, old)


def test_a_batch_that_fails_changes_nothing(failing):
    seen = Connectivity().insert((EDGES[0][: M // 2], EDGES[1][: M // 2]))
    labels = seen.components().labels()
    batch = EDGES[0][M // 2 :], EDGES[1][M // 2 :]

    for k in range(1, 100):
        failing.count, failing.k = 0, k
        try:
            seen.insert(batch)
        except CapacityError:
            np.testing.assert_array_equal(seen.components().labels(), labels)
        else:
            break
    assert 1 < k < 99
    failing.k = 0
    oracle.certify_components(seen.components(), EDGES)


@some("name", ["plain", "hashed", "audit", "forest"], usual=["audit"])
def test_failures_give_their_memory_back(failing, tuned, name):
    tuned(small_id_range=100)
    failing.each(RUNS[name])
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(3):
            failing.each(RUNS[name])
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < KEPT
    finally:
        tracemalloc.stop()


def test_more_than_there_are_addresses_is_too_much_memory():
    with pytest.raises(
        CapacityError, match=r"would take 68,719,476,736.0 GiB, but engine .threads. has"
    ):
        Connectivity(num_vertices=2**62 + 1)
