"""Answers and states on the GPU that are pickled, copied, saved, shared and gone on with."""

import copy
import os
import pickle
import shutil
from concurrent.futures import ThreadPoolExecutor

import cloudpickle
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.stream_inputs import same, table, words

from cc_rapids import (
    ChangedFileError,
    CheckpointError,
    Connectivity,
    InputError,
    UnknownVertexError,
    components,
    components_at,
    oracle,
)

pytestmark = pytest.mark.gpu

WAYS = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "cloudpickle": lambda thing: pickle.loads(cloudpickle.dumps(thing)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}
WORDS = {"src": ["b", "b", "d"], "dst": ["a", "c\0", "d"]}
KINDS = ["arrays", "integers", "far", "many", "strings", "categories", "several"]


def edges_of(kind, cudf):
    """Edges of cuDF or CuPy, and the names of their columns."""
    import cupy

    many = np.random.default_rng(1).integers(0, 3000, (2, 5000))
    if kind == "arrays":
        return (cupy.array([5, 2, 9]), cupy.array([2, 7, 9])), ()
    if kind == "several":
        frame = cudf.DataFrame({"a": ["x", "y"], "b": [1, 2], "c": ["y", "z"], "d": [2, 3]})
        return frame, (["a", "b"], ["c", "d"])
    frame = {
        "integers": {"src": [5, 2, 9], "dst": [2, 7, 9]},
        "far": {"src": [5, 2**62, -(2**62)], "dst": [2, 5, -(2**62)]},
        "many": {"src": many[0], "dst": many[1]},
    }.get(kind, WORDS)
    made = cudf.DataFrame(frame)
    return (made.astype("category") if kind == "categories" else made), ()


def lists(frame):
    """A frame, or a tuple of arrays, as lists of the host."""
    if isinstance(frame, tuple):
        return [type(frame), *(column.tolist() for column in frame)]
    return [type(frame), frame.dtypes.astype(str).tolist(), frame.to_arrow().to_pylist()]


def check_same(found, other):
    for kind in ("min", "max", "dense", "size"):
        assert lists(found.labels(kind)) == lists(other.labels(kind))
    assert lists(found.sizes()) == lists(other.sizes())
    assert lists(found.members()) == lists(other.members())
    assert repr(found) == repr(other)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("engine", ["cuda", "threads"])
def test_an_answer_is_copied_whole(kind, engine, cudf):
    edges, sides = edges_of(kind, cudf)
    found = components(edges, *sides, engine=engine)
    noted = components(edges, *sides, engine=engine, forest=True)
    for way in WAYS.values():
        other = way(found)
        check_same(found, other)
        assert str(other.audit(edges, *sides)) == str(found.audit(edges, *sides))
        assert lists(way(noted).forest()) == lists(noted.forest())
        assert way(found.answer.backend) is found.answer.backend


@pytest.mark.parametrize("kind", KINDS)
def test_a_connectivity_is_copied_saved_and_loaded(kind, cudf, tmp_path):
    edges, sides = edges_of(kind, cudf)
    seen = Connectivity().insert(edges, *sides)
    assert "on cuda>" in repr(seen)
    want = seen.components()
    for way in WAYS.values():
        check_same(want, way(seen).components())
    seen.save(tmp_path / "seen")
    for engine in ("cuda", "threads"):
        loaded = Connectivity.load(tmp_path / "seen", engine=engine)
        assert lists(loaded.components().labels()) == lists(want.labels())
        loaded.insert(edges, *sides)
        assert len(loaded) == len(seen)


def test_cuts_are_copied(cudf):
    edges = cudf.DataFrame({"src": [1, 2, 3], "dst": [2, 3, 4], "weight": [0.9, 0.7, 0.8]})
    cuts = components_at(edges, thresholds=[0.9, 0.8, 0.7])
    for way in WAYS.values():
        other = way(cuts)
        assert lists(other.merges()) == lists(cuts.merges())
        check_same(cuts.at(0.8), other.at(0.8))


@pytest.mark.parametrize("many", [False, True])
def test_threads_share_one(many, cudf):
    seen = Connectivity(engine="cuda")

    def work(own):
        batches = [
            cudf.DataFrame({"src": [10 * k, 10 * k + 1], "dst": [10 * k + 1, 10 * k + 2]})
            for k in range(own * 20, own * 20 + 20)
        ]
        if many:
            seen.insert(iter(batches))
        for batch in batches if not many else []:
            seen.insert(batch)
            assert seen.connected(batch).all()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert (len(seen), seen.num_vertices) == (80, 240)
    assert "240 vertices; 160 edges in 80 batches" in repr(seen)
    assert seen.ledger.items() >= {"given": 160, "linked": 160}.items()


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_columns_may_be_written_on_the_default_stream_once_a_batch_is_inserted(dtype, cudf):
    """Otherwise nobody may, before an answer: a batch on a stream of its own is waited for."""
    import cupy

    n = 1 << 20
    ids = cupy.arange(n, dtype=dtype)
    for stream in (cupy.cuda.Stream.null, cupy.cuda.Stream(non_blocking=True)):
        seen = Connectivity(num_vertices=n, engine="cuda")
        for bit in range(4):
            frame = cudf.DataFrame({"src": ids.copy(), "dst": ids ^ (1 << bit)})
            cupy.cuda.runtime.deviceSynchronize()
            with stream:
                seen.insert(frame)
            frame["src"].values[:] = n - 1
            assert len(seen) == n >> bit + 1
        assert bool((seen.components().labels()["labels"].values == ids >> 4 << 4).all())


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_trees_in_arrays_of_earlier_ones_are_those_of_their_own_batches(dtype, cudf):
    """Copies keep the trees of their time, and answers on another stream are of theirs."""
    import cupy

    n, m, random = 50_000, 1500, np.random.default_rng(6)
    rows = random.integers(0, n, (2, 30 * m)).astype(dtype)
    pairs = random.integers(0, n, (2, 4000))
    on_device = tuple(map(cupy.asarray, pairs))
    aside = cupy.cuda.Stream(non_blocking=True)
    seen, held, answers = Connectivity(num_vertices=n), {}, {}
    for k in range(1, 31):
        src, dst = rows[:, (k - 1) * m : k * m]
        seen.insert(cudf.DataFrame({"src": src, "dst": dst}))
        if k % 4 == 0:
            held[k] = copy.copy(seen)
        if k % 3 == 0:
            cupy.cuda.Stream.null.synchronize()
            with aside:
                answers[k] = seen.connected(on_device)
    for k in sorted({*held, *answers}):
        least = oracle.union_find(*rows[:, : k * m].astype(np.int64), n)
        if k in held:
            labels = held[k].components().labels()["labels"]
            np.testing.assert_array_equal(labels.to_numpy(), least)
        if k in answers:
            expected = least[pairs[0]] == least[pairs[1]]
            np.testing.assert_array_equal(answers[k].get(), expected)


def test_a_batch_with_a_stray_changes_nothing_and_the_next_one_is_inserted(cudf):
    n = 1 << 20
    seen = Connectivity(num_vertices=n, engine="cuda")
    good = cudf.DataFrame({"src": range(0, n, 2), "dst": range(1, n, 2)}, dtype="int64")
    bad = good.copy()
    bad.loc[n // 4, "dst"] = n
    for k in range(3):
        with pytest.raises(InputError, match=f"'dst' holds the id {n}, outside 0..{n - 1}"):
            seen.insert(bad)
        with pytest.raises(
            UnknownVertexError, match=f"1 of {n // 2:,} ids in 'dst' is not a vertex"
        ):
            seen.connected(bad)
        assert len(seen) == (n if k == 0 else n // 2)
        assert len(seen.insert(good)) == n // 2
        assert bool(seen.connected(good).all())


@pytest.mark.parametrize("kind", ["integers", "words"])
def test_items_of_a_checkpoint_are_compared(kind, cudf, tmp_path):
    edges = words(table()) if kind == "words" else table()
    frame = cudf.DataFrame.from_arrow(edges)
    items = [frame[at : at + 1000] for at in range(0, 9000, 1000)]
    far = {"checkpoint": tmp_path / "far", "checkpoint_every": 0}
    first = components(iter(items[:6]), engine="cuda", **far)
    assert isinstance(first.labels(), cudf.DataFrame)
    found = components(iter(items), engine="cuda", **far)
    assert found.summary()["edges"] == 9000
    assert "3,000 edges more" in found.summary()["resumed"]
    assert len(found) == len(components(edges))
    with pytest.raises(CheckpointError, match="item 2, of 1,000 rows, now holds other ids"):
        components(iter([*items[:2], items[3], *items[3:]]), engine="cuda", **far)
    seen = Connectivity.load(tmp_path / "far")
    assert isinstance(seen.components().labels(), cudf.DataFrame)


def test_a_file_that_changes_while_cudf_reads_it(cudf, tmp_path, tuned):
    edges, path = table(edges=300_000), tmp_path / "a.parquet"  # more than is read ahead
    pq.write_table(edges, path, row_group_size=1000)
    tuned(progress_call_seconds=0.0)

    def replace(facts):
        shutil.copy2(path, tmp_path / "b")
        os.replace(tmp_path / "b", path)

    options = {"engine": "cuda", "num_vertices": 5000, "memory_limit": "40MiB"}
    same(components([path], **options), edges, num_vertices=5000)
    with pytest.raises(ChangedFileError, match="another file now has its name"):
        components([path], progress=replace, **options)
    assert isinstance(components([path], **options).labels(), pa.Table)
