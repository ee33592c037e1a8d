"""Owners, adjacency matrices and kinds of memory on a real GPU, for every kind of input."""

import numpy as np
import pytest

import cc_rapids
from cc_rapids import backends, generators, oracle
from cc_rapids.backends import MEMORY
from cc_rapids.data.adapters import Csr

pytestmark = pytest.mark.gpu

NAMES = ("owner", "owner(output=lists)", "dense", "matrix-fixpoint")
LISTED = ("auto", "none+async+halve", "strided+async+halve", "soman", "liu-tarjan(PRF)")
ROWS = ("kout+rem-cas+splice", "hook+ecl", "bfs-cc")
GRAPHS = {
    "no edges": lambda seed: generators.isolated(50),
    "star": lambda seed: generators.permuted(generators.star(4000), seed),
    "path": lambda seed: generators.path(600, shuffle=seed),
    "clique": lambda seed: generators.permuted(generators.cliques([500]), seed),
    "cliques": lambda seed: generators.permuted(generators.cliques([1, 2, 3, 60] * 20), seed),
    "one edge": lambda seed: generators.duplicated(generators.path(2), 100_000, seed),
    "duplicates": lambda seed: generators.duplicated(generators.path(300, shuffle=seed), 50, seed),
    "rmat": lambda seed: generators.rmat(12, 10_000, 0.57, 0.19, 0.19, seed),
    "grid": lambda seed: generators.grid(50, 50, 0.6, seed),
}


@pytest.fixture(scope="module")
def cupy():
    return pytest.importorskip("cupy")


@pytest.fixture(scope="module")
def graph():
    made = generators.rmat(11, 6000, 0.57, 0.19, 0.19, 3)
    src, dst = (np.asarray(column).astype(np.int32) for column in made.edges)
    return src, dst, oracle.union_find(src, dst, 1 << 11)


def type_of(cupy, array):
    """What the driver says of the memory of an array: 1 for pages of the host, 2 for its own."""
    return cupy.cuda.runtime.pointerGetAttributes(array.data.ptr).type


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("memory", MEMORY)
def test_contended_graphs(cupy, name, memory):
    for what, make in GRAPHS.items():
        for seed in range(5 if memory == "device" else 1):
            made = make(seed)
            src, dst = map(np.asarray, made.edges)
            n = made.num_vertices
            expected = oracle.union_find(src, dst, n)
            options = {"num_vertices": n, "design": name, "memory": memory}
            found = cc_rapids.components((cupy.asarray(src), cupy.asarray(dst)), **options)
            labels = cupy.asnumpy(found.labels().labels)
            np.testing.assert_array_equal(labels, expected, f"{name} on {what}, seed {seed}")


def inputs(cupy, src, dst):
    """The same edges as each kind of caller has them."""
    cupyx = pytest.importorskip("cupyx")
    pinned = [cupyx.empty_pinned(src.size, src.dtype) for _ in range(2)]
    pinned[0][:], pinned[1][:] = src, dst
    yield "NumPy", (src, dst)
    yield "strided", (np.repeat(src, 2)[::2], np.repeat(dst, 2)[::2])
    yield "NumPy, locked", tuple(pinned)
    yield "CuPy", (cupy.asarray(src), cupy.asarray(dst))
    yield "int64", (cupy.asarray(src, np.int64), cupy.asarray(dst, np.int64))


@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("name", [*LISTED, *ROWS, *NAMES])
def test_arrays_of_each_kind(cupy, graph, name, memory):
    src, dst, expected = graph
    for what, edges in inputs(cupy, src, dst):
        before = [column.copy() for column in edges]
        options = {"num_vertices": expected.size, "design": name, "memory": memory}
        found = cc_rapids.components(edges, engine="cuda", **options)
        labels = found.labels().labels
        assert isinstance(labels, type(edges[0])), what
        np.testing.assert_array_equal(cupy.asnumpy(labels), expected, f"{name}, {what}")
        assert all(bool((a == b).all()) for a, b in zip(edges, before, strict=True))
        copied = what not in ("CuPy", "int64") or memory == "zero-copy"
        assert (found.summary()["seconds"]["copy"] is not None) == copied


@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("name", ["auto", *ROWS[:1], *NAMES])
def test_frames_of_cudf(graph, name, memory):
    cudf = pytest.importorskip("cudf")
    src, dst, _ = graph
    frame = cudf.DataFrame({"src": src, "dst": dst})
    expected = cc_rapids.connected_components((src, dst), engine="threads")
    for factor, kind in ((1, "int32"), (10**9, "int64"), (1, "str")):
        given = (frame.astype("int64") * factor).astype(kind)
        labels = cc_rapids.connected_components(given, design=name, memory=memory)
        assert isinstance(labels, cudf.DataFrame)
        if kind == "str":
            assert labels["labels"].nunique() == np.unique(expected.labels).size
            continue
        host = labels.to_pandas()
        np.testing.assert_array_equal(host["vertex"], expected.vertex.astype(np.int64) * factor)
        np.testing.assert_array_equal(host["labels"], expected.labels.astype(np.int64) * factor)
        np.testing.assert_array_equal(frame["src"].to_numpy(), src)


@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("both", [True, False])
def test_rows(cupy, graph, memory, both):
    from support.design_graphs import rows_of

    src, dst, expected = graph
    rows = rows_of(src, dst, expected.size, both)
    on_device = Csr(cupy.asarray(rows.offsets), cupy.asarray(rows.indices), both)
    for given in (rows, on_device):
        for name in ("none+async+halve", *ROWS, *NAMES):
            found = cc_rapids.components(given, design=name, engine="cuda", memory=memory)
            np.testing.assert_array_equal(cupy.asnumpy(found.labels().labels), expected, name)


def test_where_arrays_lie(cupy):
    """The kernels are handed pages of the host for zero copies, and memory of the device else."""
    cupyx = pytest.importorskip("cupyx")
    backend = backends.get("cuda")
    array, own = np.arange(100, dtype=np.int32), cupyx.empty_pinned(100, np.int32)
    own[:] = array
    for given in (array, own, cupy.asarray(array)):
        for memory, kind in zip(MEMORY, (2, 2, 1), strict=True):
            placed = backend.placed(given, memory)
            assert type_of(cupy, placed) == kind
            np.testing.assert_array_equal(cupy.asnumpy(placed), array)
            assert bool((placed + 1 == cupy.arange(1, 101)).all())
    assert backend.placed(own, "zero-copy").data.ptr == own.ctypes.data
    for memory, kind in zip(MEMORY, (2, 2, 1), strict=True):
        cells = backend.written(memory, 64, np.uint8, lambda cells: backend.fill(cells, 7))
        assert type_of(cupy, cells) == kind
        assert cupy.asnumpy(cells).tolist() == [7] * 64


def test_zero_copies_take_no_memory_of_the_device():
    pytest.importorskip("cudf")
    import rmm
    import rmm.statistics

    n, m = 200_000, 10_000_000
    rng = np.random.default_rng(1)
    edges = tuple(rng.integers(0, n, (2, m)).astype(np.int32))
    before, peaks = rmm.mr.get_current_device_resource(), {}
    rmm.statistics.enable_statistics()
    try:
        for memory in MEMORY:
            with rmm.statistics.statistics():
                found = cc_rapids.components(edges, engine="cuda", memory=memory)
                assert len(found) == 1
                del found
                peaks[memory] = rmm.statistics.get_statistics().peak_bytes
    finally:
        rmm.mr.set_current_device_resource(before)
    assert peaks["zero-copy"] < 4 * m < min(peaks["device"], peaks["pinned"])


@pytest.mark.parametrize("memory", MEMORY)
@pytest.mark.parametrize("name", NAMES)
def test_what_does_not_fit_is_refused(cupy, name, memory):
    edges = cupy.array([0, 1]), cupy.array([1, 2])
    with pytest.raises(cc_rapids.CapacityError, match=",000,000,000,000 bytes for 100,000,000"):
        cc_rapids.components(edges, num_vertices=10**8, design=name, memory=memory)
