"""Lists in one launch, whose blocks of threads wait for each other, and what it takes."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import cc_rapids
from cc_rapids import backends, oracle
from cc_rapids.algorithms.auto import ONE_LAUNCH_RULE
from cc_rapids.errors import InputError
from cc_rapids.ids.encode import SMALL_RANGE
from cc_rapids.solver import one_launch
from cc_rapids.solver.choose import HASHED_AT_ONCE

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


SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd, so that products are as different as the numbers


@pytest.mark.parametrize("m", SIZES)
def test_ids_spread_over_all_integers(launched, m):
    """Two launches at most, and none for their order: each shape, signed and not."""
    import cupy

    for seed, (src, dst, _) in enumerate(shapes(m, m)):
        dtype = (np.int64, np.uint64)[seed % 2]
        ends = [(np.asarray(side).astype(np.uint64) * SPREAD).astype(dtype) for side in (src, dst)]
        vertex = np.unique(ends)
        numbers = [np.searchsorted(vertex, side) for side in ends]
        del launched[:]
        found = cc_rapids.components(tuple(map(cupy.asarray, ends)))
        wide = int(vertex[-1]) - int(vertex[0]) >= max(SMALL_RANGE, 128 * m)
        at_once = m <= HASHED_AT_ONCE
        if wide:
            assert launched == ["solve"] * (1 if at_once else 2)
            assert found.summary()["ids"] == "hash slots"
        labels = found.labels()
        assert np.array_equal(labels.vertex.get(), vertex)
        least = vertex[oracle.union_find(*numbers, vertex.size)]
        assert np.array_equal(labels.labels.get(), least)
        assert len(found) == np.unique(least).size


@pytest.mark.parametrize("m", [2000, 300_000])
def test_ids_in_bunches_are_sorted_afterwards(m):
    import cupy

    random = np.random.default_rng(m)
    ends = random.integers(0, m // 2, (2, m)) + (random.integers(0, 3, (2, m)) << 40)
    vertex = np.unique(ends)
    found = cc_rapids.components(tuple(map(cupy.asarray, ends))).labels()
    least = vertex[oracle.union_find(*np.searchsorted(vertex, ends), vertex.size)]
    assert np.array_equal(found.vertex.get(), vertex)
    assert np.array_equal(found.labels.get(), least)


def test_a_hundred_runs_of_hashed_ids_have_one_answer():
    import cupy

    for src, dst, n in shapes(20_000, 5):
        numbers = np.arange(n, dtype=np.uint64) * SPREAD
        order = np.argsort(numbers.view(np.int64))
        ends = [cupy.asarray(numbers.view(np.int64)[side]) for side in (src, dst)]
        first = cc_rapids.connected_components(tuple(ends))
        assert np.array_equal(
            first.vertex.get(), numbers.view(np.int64)[order][np.isin(order, [src, dst])]
        )
        for _ in range(100):
            again = cc_rapids.connected_components(tuple(ends))
            assert bool((again.labels == first.labels).all())


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
