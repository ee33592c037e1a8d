"""What a run promises of memory and of copies, held on a real GPU."""

from contextlib import contextmanager
from functools import partial

import numpy as np
import pandas as pd
import pytest

import cc_rapids
from cc_rapids import backends, generators, memory_bound
from cc_rapids.tools import bench

pytestmark = pytest.mark.gpu

GRAPHS = "kron21", "social22", "road", "uniform25M", "rmat24"
WIDTHS = np.int32, np.int64


@pytest.fixture(scope="module")
def cupy():
    return pytest.importorskip("cupy")


@pytest.fixture(scope="module")
def reference():
    """A reference graph at full size; one is held at a time."""
    held = {}

    def made(name):
        if name not in held:
            held.clear()
            held[name] = generators.reference(name, engine="cuda")
        return held[name]

    yield made
    held.clear()


def kept_to(frame, solve=cc_rapids.connected_components):
    """The labels of a frame, of a run that took no more than the bound, and no less than it has to.

    That memory is counted at all shows where the answer has to be among it.
    """
    backend = backends.get("cuda")
    labels, peak = bench.with_peak(backend, lambda: solve(frame))
    ends = [int(edge) for name in frame for edge in (frame[name].min(), frame[name].max())]
    ids, width = max(ends) - min(ends) + 1, frame["src"].dtype.itemsize
    answer = 2 * width * len(labels)
    bound = memory_bound(ids, answer, len(frame))
    assert answer + 4 * len(labels) <= peak
    assert peak <= bound, f"{peak:,} bytes of {bound:,} for {ids:,} ids, {len(labels):,} vertices"
    return labels


@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize("name", GRAPHS)
def test_the_reference_graphs_stay_within_the_bound(cudf, cupy, reference, name, dtype):
    graph = reference(name)
    frame = cudf.DataFrame({"src": graph.src.astype(dtype), "dst": graph.dst.astype(dtype)})
    cupy.get_default_memory_pool().free_all_blocks()
    first = kept_to(frame)
    again = kept_to(frame, lambda frame: cc_rapids.components(frame).labels())
    for column in ("vertex", "labels"):
        assert bool((first[column] == again[column]).all())


@pytest.mark.parametrize("dtype", WIDTHS)
@pytest.mark.parametrize("low", [0, -(10**9)])
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 1])
@pytest.mark.parametrize(
    ("n", "m"),
    [
        (5_000, 6_000),
        (300_000, 400_000),
        (2_000_000, 3_900_000),
        (2_000_000, 4_300_000),
        (2_000_000, 60_000_000),
        (6_000_000, 30_000_000),
        (6_000_000, 60_000_000),
        (20_000_000, 9_000_000),
        (20_000_000, 90_000_000),
        (60_000_000, 60_000_000),
    ],
)
def test_random_lists_stay_within_the_bound(cudf, cupy, n, m, part, low, dtype):
    """Of which a part of the ids occurs, from 0 on or not, by each design that "auto" takes."""
    random = cupy.random.default_rng(n)
    ids = cupy.flatnonzero(random.random(n, dtype=cupy.float32) < part).astype(dtype)
    ids[-1] = n - 1
    ids += dtype(low)
    columns = [ids[random.integers(0, ids.size, m, dtype=cupy.uint32)] for _ in range(2)]
    frame = cudf.DataFrame(dict(zip(("src", "dst"), columns, strict=True)))
    del columns
    cupy.get_default_memory_pool().free_all_blocks()
    plan = cc_rapids.components(frame, explain=True)
    if plan.ids not in ("as they are", "offset"):
        return
    labels = kept_to(frame)
    assert bool((labels["labels"] <= labels["vertex"]).all())


# What reads an array of the device on the host, or writes one from there.
TO_HOST = "get", "item", "tolist", "__int__", "__index__", "__bool__", "__float__"
TO_DEVICE = ("set",)


@contextmanager
def copies(cupy, monkeypatch):
    """The bytes of each copy from or to the device that the package, or CuPy for it, makes."""
    made, depth = [], [0]

    def noted(method, size):
        def call(*arguments, **options):
            depth[0] += 1
            try:
                result = method(*arguments, **options)
            finally:
                depth[0] -= 1
            if not depth[0] and size(*arguments):
                made.append(size(*arguments))
            return result

        return call

    def of_host(array, *_):
        given = not isinstance(array, cupy.ndarray) and not hasattr(
            array, "__cuda_array_interface__"
        )
        return np.asarray(array).nbytes if given else 0

    with monkeypatch.context() as patch:
        for name in filter(partial(hasattr, cupy.ndarray), (*TO_HOST, *TO_DEVICE)):
            method = getattr(cupy.ndarray, name)
            patch.setattr(cupy.ndarray, name, noted(method, lambda array, *_: array.nbytes))
        for name in ("asarray", "array"):
            patch.setattr(cupy, name, noted(getattr(cupy, name), of_host))
        runtime = cupy.cuda.runtime
        for name in ("memcpy", "memcpyAsync"):
            method = getattr(runtime, name)
            patch.setattr(runtime, name, noted(method, lambda to, of, size, *_: size))
        yield made


KINDS = {
    "as they are": lambda ends: ends,
    "offset": lambda ends: ends + 10**12,
    "bit map": lambda ends: ends * 200,
    "hash slots": lambda ends: ends * 10**12,
}
SKETCH = {"hash slots": 1 << 16}  # bytes, of counters by which it is known how many ids there are


def test_copies_are_seen(cupy, monkeypatch):
    array = cupy.arange(8, dtype=np.int64)
    with copies(cupy, monkeypatch) as made:
        cupy.asnumpy(array), int(array[0]), array.tolist(), cupy.asarray(np.zeros(2))
        backends.get("cuda").to_host(array)
    assert made == [64, 8, 64, 16, 64]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("m", [60_000, 4_200_000])
def test_nothing_visits_the_host_but_counts(cudf, cupy, monkeypatch, kind, m):
    """As few bytes and copies for ten times the edges, whatever the ids are."""
    random, found = np.random.default_rng(m), []
    for times in (1, 2):
        ends = KINDS[kind](random.integers(0, times * m // 4, (2, times * m)))
        frame = cudf.DataFrame({"src": ends[0], "dst": ends[1]})
        plan = cc_rapids.components(frame, explain=True)
        assert plan.ids == kind
        cc_rapids.connected_components(frame)
        with copies(cupy, monkeypatch) as made:
            cc_rapids.connected_components(frame)
        found.append(made)
    for made in found:
        assert 1 <= len(made) <= 12
        assert sum(made) <= 1024 + SKETCH.get(kind, 0)
    assert len(found[1]) <= len(found[0]) + 2


@pytest.mark.parametrize("kind", ["strings", "several columns"])
def test_other_ids_stay_on_the_device(cudf, cupy, monkeypatch, kind):
    random, found = np.random.default_rng(0), []
    for m in (20_000, 80_000):
        ends = random.integers(0, m, (2, m))
        names = ("src", "dst")
        host = pd.DataFrame(dict(zip(names, ends, strict=True)))
        if kind == "strings":
            host = "v" + host.astype(str)
        else:
            host, names = host.assign(of=host["src"] % 3, to=1), (["src", "of"], ["dst", "to"])
        frame = cudf.from_pandas(host)
        cc_rapids.connected_components(frame, *names)
        with copies(cupy, monkeypatch) as made:
            cc_rapids.connected_components(frame, *names)
        found.append(made)
    most = 16_384 + (SKETCH["hash slots"] if kind == "strings" else 0)
    assert max(map(sum, found)) <= most < frame.memory_usage().sum()
    assert len(found[1]) <= len(found[0]) + 4


@pytest.mark.parametrize("spread", [1, 10**12], ids=["near", "far"])
def test_no_column_of_cuts_visits_the_host(cudf, cupy, monkeypatch, spread):
    """As few bytes and copies for four times the edges, with and without nulls."""
    random, found = np.random.default_rng(0), []
    for m in (50_000, 200_000):
        ends, weight = random.integers(0, m // 4, (2, m)) * spread, random.random(m)
        frame = cudf.DataFrame({"src": ends[0], "dst": ends[1], "weight": weight})
        frame["weight"] = frame["weight"].where(frame["weight"] > 0.01)
        for given, nulls in ((frame.dropna(), "raise"), (frame, "drop")):
            options = {"thresholds": [0.9, 0.5, 0.1], "nulls": nulls}
            cc_rapids.components_at(given, **options).merges()
            with copies(cupy, monkeypatch) as made:
                cc_rapids.components_at(given, **options).merges()
            found.append(made)
    assert max(map(sum, found)) <= 2048
    assert len(found[2]) <= len(found[0]) + 4
    assert len(found[3]) <= len(found[1]) + 4


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("word", ["min", "max"])
@pytest.mark.parametrize(
    ("n", "m"), [(300_000, 400_000), (2_000_000, 8_000_000), (1_000_000, 60_000_000)]
)
def test_forests_by_weight_stay_within_their_plan(cudf, cupy, n, m, word, dtype):
    """The run and its label frame; the frame of the forest is made when it is asked for."""
    random = cupy.random.default_rng(3)
    ends = random.integers(0, n, (2, m), np.int32)
    frame = cudf.DataFrame({"src": ends[0], "dst": ends[1]})
    frame["weight"] = random.random(m, np.float32).astype(dtype)
    asked = {"weight": "weight", "forest": word}
    plan = cc_rapids.components(frame, **asked, explain=True)
    cupy.get_default_memory_pool().free_all_blocks()
    backend = backends.get("cuda")
    for _ in range(2):
        _, peak = bench.with_peak(backend, lambda: cc_rapids.components(frame, **asked).labels())
        assert 16 * n <= peak <= plan.bytes, f"{peak:,} bytes of {plan.bytes:,}"
