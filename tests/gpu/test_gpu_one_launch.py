"""Lists in one launch, whose blocks of threads wait for each other, and what it takes."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import cc_rapids
from cc_rapids import backends, oracle
from cc_rapids.algorithms.auto import ONE_LAUNCH_RULE
from cc_rapids.errors import InputError
from cc_rapids.solver import one_launch

pytestmark = pytest.mark.gpu
SIZES = 1, 1024, 1025, one_launch.FEW, one_launch.FEW + 1, 135_168, 135_169, 1_000_000


@pytest.fixture
def launched(monkeypatch):
    """The names of the kernels that run."""
    backend, names = type(backends.get("cuda")), []
    launch = backend.launch

    def noted(self, kernel, n, arguments):
        names.append(kernel.part.function.__name__)
        launch(self, kernel, n, arguments)

    monkeypatch.setattr(backend, "launch", noted)
    return names


def shapes(m, seed):
    """Sources, destinations and how many ids there are: random, skewed, paths, stars, a clique."""
    random = np.random.default_rng(seed)
    n = max(m // 4, 1)
    yield *random.integers(0, n, (2, m)), n
    yield *(n * random.random((2, m)) ** 3).astype(int), n
    path = np.arange(m)
    yield path, path + 1, m + 1
    yield path[::-1] + 1, path[::-1], m + 1
    shuffled = random.permutation(m + 1)
    yield shuffled[path], shuffled[path + 1], m + 1
    yield path, np.full(m, m), m + 1
    yield shuffled[path], np.full(m, shuffled[m]), m + 1
    few = int(m**0.5) + 1
    yield *random.integers(0, few, (2, m)), few


def check(labels, src, dst, n, low=0):
    seen = np.unique([src, dst])
    assert np.array_equal(labels.vertex.get(), seen + low)
    assert np.array_equal(labels.labels.get(), oracle.union_find(src, dst, n)[seen] + low)


@pytest.mark.parametrize("m", SIZES)
def test_labels(launched, m):
    import cupy

    for seed, (src, dst, n) in enumerate(shapes(m, m)):
        low, dtype = ((0, np.int32), (-7, np.int64), (1 << 63, np.uint64))[seed % 3]
        ends = (cupy.asarray(side.astype(dtype) + dtype(low)) for side in (src, dst))
        del launched[:]
        labels = cc_rapids.connected_components(tuple(ends))
        few = max(m, np.unique([src, dst]).size) <= one_launch.FEW
        assert launched == (["solve"] if few else ["solve", "gather"])
        check(labels, src, dst, n, dtype(low))


def test_a_hundred_runs_have_one_answer():
    import cupy

    for src, dst, n in shapes(200_000, 5):
        ends = cupy.asarray(src), cupy.asarray(dst)
        wanted = cupy.asarray(oracle.union_find(src, dst, n))
        for _ in range(100):
            found = cc_rapids.connected_components(ends, num_vertices=n)
            assert bool((found.labels == wanted).all())


def test_launches_on_many_streams_wait_for_their_turn():
    """Each takes all of the device: two halves that waited for each other would never end."""
    import cupy

    lists = [edges for m in (3000, 140_000, 1_000_000) for edges in shapes(m, m)][::3]
    wanted = [cupy.asarray(oracle.union_find(*edges)) for edges in lists]

    def work(k):
        with cupy.cuda.Stream(non_blocking=True) as stream:
            src, dst, n = lists[k % len(lists)]
            ends = cupy.asarray(src), cupy.asarray(dst)
            found = cc_rapids.connected_components(ends, num_vertices=n).labels
            stream.synchronize()
            return bool((found == wanted[k % len(lists)]).all())

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(200)))


def test_ids_beyond_the_vertices():
    import cupy

    src = cupy.arange(300_000)
    with pytest.raises(InputError, match="holds the id 300000, outside"):
        cc_rapids.components((src, src + 1), num_vertices=300_000)


def test_ids_that_lie_far_apart(launched):
    import cupy

    src = np.arange(0, 3_000_000, 10)
    found = cc_rapids.components((cupy.asarray(src), cupy.asarray(src + 10))).labels()
    assert launched[0] == "solve"
    assert "find_bounds" not in launched
    assert not found.labels.any()


def test_memory_stays_in_bounds():
    cudf = pytest.importorskip("cudf")
    import rmm.statistics

    n, m = 1_000_000, ONE_LAUNCH_RULE.most_edges
    src, dst = np.random.default_rng(1).integers(0, n, (2, m)).astype(np.int32)
    frame = cudf.DataFrame({"src": src, "dst": dst})
    before = rmm.mr.get_current_device_resource()
    rmm.statistics.enable_statistics()
    try:
        with rmm.statistics.statistics():
            planned = cc_rapids.components(frame, explain=True)
            assert planned.design == str(ONE_LAUNCH_RULE.design)
            labels = cc_rapids.connected_components(frame)
            peak = rmm.statistics.get_statistics().peak_bytes
    finally:
        rmm.mr.set_current_device_resource(before)
    assert len(labels) <= n
    assert peak <= planned.bytes
    assert peak <= cc_rapids.memory_bound(n, 8 * len(labels), m)
