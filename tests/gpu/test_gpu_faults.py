"""Faults and load on the GPU: allocations that fail, callers at once, forks, a thousand runs."""

import gc
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from support.machine import with_package
from support.trials import TRIALS

from cc_rapids import CapacityError, Connectivity, components, generators, oracle
from cc_rapids.algorithms.auto import AUTO

pytestmark = pytest.mark.gpu

N, M = 30_000, 40_000


class Limited:
    """Memory that ends at each of some sizes, by RMM's own limit: its callbacks in Python leave
    their error behind, where cuDF allocates.
    """

    def __init__(self, rmm):
        self.mr, self.below = rmm.mr, rmm.mr.get_current_device_resource()

    def resource(self, limit):
        found = self.mr.LimitingResourceAdaptor(self.below, limit)
        self.mr.set_current_device_resource(found)
        return found

    def peak(self, work):
        """The most bytes that some work has at once."""
        counted = self.mr.StatisticsResourceAdaptor(self.below)
        self.mr.set_current_device_resource(counted)
        work()
        gc.collect()
        assert counted.allocation_counts.current_bytes == 0
        return counted.allocation_counts.peak_bytes

    def each(self, work, steps=12):
        """Let the memory end at some sizes below the peak; gives how many they are."""
        work()
        peak = self.peak(work)
        for step in range(steps):
            limited = self.resource(step * peak // steps)
            with pytest.raises(CapacityError, match=r"engine 'cuda' ran out of memory \("):
                work()
            gc.collect()
            assert limited.get_allocated_bytes() == 0
        self.resource(2 * peak)
        work()
        self.mr.set_current_device_resource(self.below)
        return steps


@pytest.fixture
def failing(cudf):
    import rmm

    found = Limited(rmm)
    yield found
    rmm.mr.set_current_device_resource(found.below)


def edge_lists(cudf):
    src, dst = np.random.default_rng(0).integers(0, N, (2, M))
    plain = cudf.DataFrame({"src": src, "dst": dst})
    far = plain * 0x9E3779B97F4A7C1
    words = cudf.DataFrame({name: "v" + plain[name].astype("str") for name in ("src", "dst")})
    return plain, far, words


def test_memory_may_end_at_any_size(cudf, failing):
    import cupy

    plain, far, words = edges = edge_lists(cudf)
    before = [frame.to_pandas() for frame in edges]
    pool = cupy.get_default_memory_pool().used_bytes()
    runs = [
        lambda: components(plain).labels(),
        lambda: components(plain, design="strided+rem-cas+splice").sizes(),
        lambda: components(plain, design="kout+jtb+naive"),
        lambda: components(plain, forest=True).forest(),
        lambda: components(far).labels("dense"),
        lambda: components(words).largest(),
        lambda: components(plain).audit(plain),
        lambda: components(far).audit(far),
        lambda: Connectivity().insert(plain).components(),
    ]
    assert sum(map(failing.each, runs)) >= TRIALS["gpu allocations"].times
    assert cupy.get_default_memory_pool().used_bytes() == pool
    for frame, old in zip(edges, before, strict=True):
        assert frame.to_pandas().equals(old)


def test_callers_on_streams_of_their_own():
    import cupy

    def call(seed):
        src, dst = np.random.default_rng(seed).integers(0, 3000, (2, 2500))
        with cupy.cuda.Stream(non_blocking=True) as stream:
            pair = cupy.asarray(src), cupy.asarray(dst)
            found = components(pair, num_vertices=3000)
            found.audit(pair, num_vertices=3000)
            labels = found.labels().labels
            stream.synchronize()
        return bool((labels.get() == oracle.union_find(src, dst, 3000)).all())

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(call, range(TRIALS["gpu streams"].times)))


GRAPHS = {
    "star": lambda: generators.permuted(generators.star(1_000_000, engine="cuda"), 1),
    "path": lambda: generators.path(500_000, shuffle=2, engine="cuda"),
    "clique": lambda: generators.permuted(generators.cliques([1500], engine="cuda"), 3),
    "one edge": lambda: generators.duplicated(generators.path(2, engine="cuda"), 1_000_000, 4),
}
DESIGNS = [str(rule.design) for rule in AUTO]


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
def test_a_thousand_runs_have_one_answer(graph):
    import cupy

    made = graph()
    src, dst = (cupy.asarray(end) for end in made.edges)
    n = made.num_vertices
    wanted = cupy.asarray(oracle.union_find(src.get(), dst.get(), n))
    for design in DESIGNS:
        for _ in range(-(-TRIALS["gpu runs"].times // (len(GRAPHS) * len(DESIGNS)))):
            labels = components((src, dst), num_vertices=n, design=design).labels().labels
            assert bool((labels == wanted).all()), design


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_gpu_does_not_survive_a_fork(method):
    script = Path(__file__).parents[1] / "support" / "process_work.py"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", script, method, "2", "cuda"],
        env=with_package(os.environ),
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr
    right = "True" if method == "spawn" else "a GPU cannot be used in a process forked"
    assert all(line.startswith(right) for line in done.stdout.splitlines()), done.stdout


def test_more_memory_than_a_gpu_has_is_an_error_of_ours(cudf):
    far = cudf.DataFrame({"src": [0], "dst": [2**40]})
    with pytest.raises(CapacityError, match=r"GiB are free"):
        components(far, num_vertices=2**41)
    with pytest.raises(CapacityError, match=r"but engine 'cuda' has .* GiB free"):
        Connectivity(2**41, engine="cuda")
    assert components(far).labels()["labels"].to_arrow().to_pylist() == [0, 0]
