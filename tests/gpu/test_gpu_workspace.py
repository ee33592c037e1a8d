"""The blocks that runs leave for others, where memory comes from the driver without a pool."""

import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import cc_rapids
from cc_rapids import backends, oracle

pytestmark = pytest.mark.gpu
N, M = 2_000_000, 5_000_000  # more than are solved in one launch


@pytest.fixture
def rmm():
    rmm = pytest.importorskip("rmm")
    pytest.importorskip("cudf")
    before = rmm.mr.get_current_device_resource()
    rmm.mr.set_current_device_resource(rmm.mr.CudaMemoryResource())
    gc.collect()  # what earlier tests have left in cycles
    cc_rapids.release_memory()
    yield rmm
    cc_rapids.release_memory()
    rmm.mr.set_current_device_resource(before)


def kept():
    gc.collect()  # what compiled a kernel, and the arrays that it was compiled for
    return sorted(block.size for block in backends.get("cuda")._workspace.cached)


def graph(seed, n=N, m=M):
    """A frame of edges, and the labels of its vertices."""
    import cudf

    src, dst = np.random.default_rng(seed).integers(0, n, (2, m)).astype(np.int32)
    return cudf.DataFrame({"src": src, "dst": dst}), oracle.union_find(src, dst, n)


def check(frame, expected):
    found = cc_rapids.connected_components(frame)
    ids = found["vertex"].to_numpy()
    assert np.array_equal(found["labels"].to_numpy(), expected[ids])


def test_the_same_blocks_serve_run_after_run(rmm):
    import cupy

    check(*graph(0))
    held = kept()
    assert 4 * N < sum(held) < 4 * N + N // 4 + (8 << 20)
    for seed in range(1, 4):
        check(*graph(seed))
        assert kept() == held
    check(*graph(5, n=10 * N))
    more = kept()
    assert set(held) < set(more)
    check(*graph(6))
    assert kept() == more
    before = cupy.cuda.runtime.memGetInfo()[0]
    cc_rapids.release_memory()
    assert cupy.cuda.runtime.memGetInfo()[0] - before >= sum(more)
    assert kept() == []


@pytest.mark.parametrize("kind", ["forest", "hashed", "thresholds"])
def test_of_a_second_run_the_answer_alone_is_allocated(rmm, kind, monkeypatch):
    """The runs of a kind that take the most memory beside their answers."""
    from cc_rapids.backends.memory import pool

    frame, _ = graph(1, 2 * N, 2 * M)
    frame["weight"] = np.random.default_rng(2).random(len(frame), np.float32)
    if kind == "hashed":
        for name in ("src", "dst"):
            spread = frame[name].to_cupy().astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
            frame[name] = spread.view(np.int64)
    run = {
        "forest": lambda: cc_rapids.minimum_spanning_forest(frame, weight="weight"),
        "hashed": lambda: cc_rapids.connected_components(frame),
        "thresholds": lambda: cc_rapids.components_at(frame, thresholds=[0.25, 0.5, 0.75]),
    }[kind]
    answer = run()
    first = kept()
    monkeypatch.setattr(pool, "_calls_driver", lambda: True)
    plain = rmm.mr.get_current_device_resource()
    counting = rmm.mr.StatisticsResourceAdaptor(plain)
    rmm.mr.set_current_device_resource(counting)
    again = run()
    rmm.mr.set_current_device_resource(plain)
    if kind == "thresholds":
        most = 48 * N  # the trees of all cuts, and what numbers the vertices
    else:
        assert len(again) == len(answer)
        most = sum(answer[name].dtype.itemsize for name in answer.columns) * len(again)
    assert counting.allocation_counts.total_bytes <= most + (2 << 20)
    del again
    cc_rapids.release_memory()
    assert first


def test_one_launch_takes_its_block_by_the_edges(rmm):
    for seed, n in enumerate((1000, N, N // 3)):
        check(*graph(seed, n, 1_500_000))
        assert len(kept()) == 1
        assert 8 * 1_500_000 < kept()[0] < 9 * 1_500_000


def test_answers_that_are_kept_hold_their_own(rmm):
    frames = [graph(seed) for seed in range(3)]
    found = [cc_rapids.components(frame) for frame, _ in frames]
    assert kept() == []
    for answer, (_, expected) in zip(found, frames, strict=True):
        rows = answer.labels()
        assert np.array_equal(rows["labels"].to_numpy(), expected[rows["vertex"].to_numpy()])


def test_threads_with_streams_of_their_own(rmm):
    import cupy

    frames = [graph(seed) for seed in range(4)]

    def work(k):
        with cupy.cuda.Stream(non_blocking=True):
            for turn in range(8):
                check(*frames[(k + turn) % 4])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))


def test_a_pool_ends_it(rmm):
    frame, expected = graph(1)
    check(frame, expected)
    assert len(kept()) == 1
    plain = rmm.mr.get_current_device_resource()
    rmm.mr.set_current_device_resource(rmm.mr.PoolMemoryResource(plain, 1 << 28, 1 << 32))
    check(frame, expected)
    assert kept() == []
