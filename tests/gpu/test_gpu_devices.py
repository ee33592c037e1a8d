"""Several real GPUs of one machine, by ``devices=``."""

import contextlib
import gc
import sys

import numpy as np
import pytest

import cc_rapids
from cc_rapids import backends, generators

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def cupy():
    return pytest.importorskip("cupy")


@pytest.fixture(scope="module")
def numbers(cupy):
    """The numbers of all GPUs, of which there are two or more."""
    count = cupy.cuda.runtime.getDeviceCount()
    if count < 2:
        pytest.skip("this machine has one GPU, and the test is about several")
    return list(range(count))


@pytest.fixture
def nothing_left(cupy, numbers):
    """Nothing of a test is left in the pools of CuPy and of RMM, on any GPU."""
    cc_rapids.release_memory()
    before = [used(cupy, number) for number in numbers]
    yield
    gc.collect()
    cc_rapids.release_memory()
    assert [used(cupy, number) for number in numbers] == before


def used(cupy, number):
    with cupy.cuda.Device(number):
        return cupy.get_default_memory_pool().used_bytes()


def parts_of(cupy, numbers, edges):
    """Equal parts of edges, one on each GPU."""
    rows = np.array_split(np.arange(edges[0].size), len(numbers))
    parts = []
    for number, own in zip(numbers, rows, strict=True):
        with cupy.cuda.Device(number):
            parts.append(tuple(cupy.asarray(side[own]) for side in edges))
    return parts


def rows_of(cupy, frames):
    """The columns of all label frames on the host."""
    columns = []
    for name in ("vertex", "labels"):
        sides = [getattr(frame, name) for frame in frames]
        columns.append(np.concatenate([cupy.asnumpy(getattr(s, "values", s)) for s in sides]))
    return columns


@contextlib.contextmanager
def little_memory(cupy, number):
    """Let a GPU allocate a MiB more, from the pool that runs take their memory from."""
    if "cudf" not in sys.modules:
        with cupy.cuda.Device(number):
            pool = cupy.get_default_memory_pool()
            pool.free_all_blocks()
            pool.set_limit(pool.total_bytes() + (1 << 20))
        try:
            yield
        finally:
            with cupy.cuda.Device(number):
                pool.set_limit(0)
        return
    from rmm import mr

    before = mr.get_per_device_resource(number)
    mr.set_per_device_resource(number, mr.LimitingResourceAdaptor(before, 1 << 20))
    try:
        yield
    finally:
        mr.set_per_device_resource(number, before)


LISTS = {
    "uniform": lambda: generators.uniform(3_000_000, 5_000_000, dtype=np.int32),
    "rmat": lambda: generators.rmat(20, 8_000_000, 0.57, 0.19, 0.19, dtype=np.int64),
    "path": lambda: generators.permuted(generators.path(1_000_000), seed=3),
    "large": lambda: generators.uniform(20_000_000, 60_000_000, dtype=np.int32),
}


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("name", LISTS)
def test_parts_on_gpus_have_the_labels_of_the_whole(cupy, numbers, name):
    edges = LISTS[name]().edges
    whole = cc_rapids.components(edges, engine="threads")
    parts = parts_of(cupy, numbers, edges)
    found = cc_rapids.components(parts, devices="all")
    assert len(found) == len(whole)
    expected = whole.labels()
    ids, labels = rows_of(cupy, found.labels())
    assert (ids == expected.vertex).all()
    assert (labels == expected.labels).all()
    for number, frame in zip(numbers, found.frames, strict=True):
        assert frame.vertex.device.id == number
    last = numbers[-1]
    with cupy.cuda.Device(last):
        assert (
            cupy.asnumpy(found.gather(last).labels("dense").labels) == whole.labels("dense").labels
        ).all()


@pytest.mark.usefixtures("nothing_left")
def test_edges_of_the_host_are_uploaded_by_each_gpu(cupy, numbers):
    edges = LISTS["uniform"]().edges
    whole = cc_rapids.components(edges, engine="threads")
    found = cc_rapids.components(edges, engine="cuda", devices=numbers)
    ids, labels = rows_of(cupy, found.labels())
    assert (labels == whole.labels().labels).all()
    assert (ids == whole.labels().vertex).all()


@pytest.mark.usefixtures("nothing_left")
def test_edges_of_one_gpu_may_be_spread(cupy, numbers, monkeypatch):
    from cc_rapids import several_gpus
    from cc_rapids.solver.spreading import Spreading

    monkeypatch.setattr(
        several_gpus, "spreading", lambda *given: Spreading(len(numbers), "as a test says so")
    )
    edges = LISTS["uniform"]().edges
    whole = cc_rapids.components(edges, engine="threads")
    with cupy.cuda.Device(numbers[-1]):
        held = tuple(map(cupy.asarray, edges))
        found = cc_rapids.components(held, devices=numbers)
    assert (rows_of(cupy, found.labels())[1] == whole.labels().labels).all()
    strided = cupy.asarray(np.stack(edges, 1))
    found = cc_rapids.components(strided, devices=numbers)
    assert (rows_of(cupy, found.labels())[1] == whole.labels().labels).all()


@pytest.mark.usefixtures("nothing_left")
def test_a_gpu_without_memory_is_named_and_all_are_released(cupy, numbers):
    edges = LISTS["large"]().edges
    parts = parts_of(cupy, numbers, edges)
    with (
        little_memory(cupy, numbers[1]),
        pytest.raises(cc_rapids.errors.CapacityError, match="GPU 1"),
    ):
        cc_rapids.components(parts, devices=numbers)
    gc.collect()
    assert cc_rapids.components(parts, devices=numbers).vertices


class Unconnected:
    """CuPy's runtime on a machine whose GPUs do not read each other's memory."""

    def __init__(self, runtime):
        self.runtime = runtime

    def __getattr__(self, name):
        return getattr(self.runtime, name)

    def deviceCanAccessPeer(self, own, other):  # noqa: N802
        return 0


@pytest.mark.usefixtures("nothing_left")
def test_gpus_that_are_not_connected_copy_by_way_of_the_host(cupy, numbers, monkeypatch, caplog):
    backend = backends.get("cuda")
    monkeypatch.setattr(backend._peers, "connected", {})
    monkeypatch.setattr(backend._peers, "runtime", Unconnected(backend.xp.cuda.runtime))
    edges = LISTS["uniform"]().edges
    whole = cc_rapids.components(edges, engine="threads")
    found = cc_rapids.components(parts_of(cupy, numbers, edges), devices=numbers)
    assert (rows_of(cupy, found.labels())[1] == whole.labels().labels).all()
    assert "through the host" in caplog.text


def test_frames_stay_on_their_gpus(cupy, numbers):
    cudf = pytest.importorskip("cudf")
    edges = LISTS["uniform"]().edges
    whole = cc_rapids.components(edges, engine="threads")
    frames = []
    for number, part in zip(numbers, parts_of(cupy, numbers, edges), strict=True):
        with cupy.cuda.Device(number):
            frames.append(cudf.DataFrame(dict(zip(("src", "dst"), part, strict=True))))
    found = cc_rapids.components(frames, devices=numbers)
    with contextlib.ExitStack() as stack:
        labels = []
        for number, frame in zip(numbers, found.frames, strict=True):
            stack.enter_context(cupy.cuda.Device(number))
            assert isinstance(frame, cudf.DataFrame)
            labels.append(cupy.asnumpy(frame["labels"].values))
    assert (np.concatenate(labels) == whole.labels().labels).all()


def test_a_gpu_that_is_not_there_is_named(numbers):
    with pytest.raises(cc_rapids.InputError, match="this machine has"):
        cc_rapids.components(([0], [1]), engine="cuda", devices=[len(numbers)])


@pytest.mark.parametrize("counted", [True, False])
def test_each_gpu_reads_row_groups_of_files(cudf, cupy, numbers, tmp_path, counted):
    import pyarrow as pa
    import pyarrow.parquet as pq

    graph = LISTS["uniform"]()
    for number in range(8):
        part = (side[number::8] for side in graph.edges)
        table = pa.table(dict(zip(("src", "dst"), part, strict=True)))
        pq.write_table(table, tmp_path / f"{number}.parquet", row_group_size=100_000)
    options = {"num_vertices": graph.num_vertices} if counted else {}
    found = cc_rapids.stream_components(
        str(tmp_path), engine="cuda", devices="all", memory_limit="1GiB", **options
    )
    one = cc_rapids.stream_components(str(tmp_path), engine="threads", **options)
    with cupy.cuda.Device(numbers[0]):
        assert found.labels().equals(one.labels())
