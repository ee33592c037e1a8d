"""Removal and expiry on the GPU: frames of cuDF, and the labels of solving what is left anew."""

import numpy as np
import pytest

import cc_rapids
from cc_rapids.incremental import forgetting

cudf = pytest.importorskip("cudf")
cupy = pytest.importorskip("cupy")

pytestmark = pytest.mark.gpu
N, M = 30_000, 40_000


def edges():
    rng = np.random.default_rng(0)
    src, dst = rng.integers(0, N, (2, M))
    return cudf.DataFrame({"src": src, "dst": dst, "until": rng.integers(0, 100, M)})


def check(seen, left, vertices):
    found = seen.components().labels()
    assert isinstance(found, cudf.DataFrame)
    expected = cc_rapids.components(left[["src", "dst"]], vertices=vertices).labels()
    for name in ("vertex", "labels"):
        assert np.array_equal(found[name].to_numpy(), expected[name].to_numpy())


def kept_edges(seen):
    """The ids of both ends, as an id's number depends on the row that claims it, and the times."""
    held, ids = seen._state.kept, seen._state.index.arrived
    return [cupy.asnumpy(column) for column in (ids[held.src], ids[held.dst], held.until)]


@pytest.mark.parametrize("keep", [False, True])
def test_pairs_and_vertices_go(keep, tmp_path):
    frame = edges()
    every = np.unique(frame[["src", "dst"]].to_numpy())
    seen = cc_rapids.Connectivity(keep_forest=keep).insert(frame[["src", "dst"]])
    left = frame[500:]
    keys = (left["src"] * N + left["dst"]).to_numpy(), (left["dst"] * N + left["src"]).to_numpy()
    gone = (frame["src"] * N + frame["dst"]).to_numpy()[:500]
    left = left[cudf.Series(~(np.isin(keys[0], gone) | np.isin(keys[1], gone)), index=left.index)]
    seen.remove(frame[:500][["src", "dst"]], remaining=frame)
    check(seen, left, every)
    seen.remove_vertices(cudf.Series(every[:300]), remaining=left)
    left = left[(left["src"] > every[299]) & (left["dst"] > every[299])]
    seen.save(tmp_path / "seen")
    check(seen, left, every[300:])
    check(cc_rapids.Connectivity.load(tmp_path / "seen"), left, every[300:])


@pytest.mark.parametrize("dtype", ["int64", "float64", "datetime64[us]"])
def test_edges_expire(dtype):
    frame = edges()
    frame["until"] = frame["until"].astype(dtype)
    seen = cc_rapids.Connectivity(expiry="until")
    for k in range(0, M, M // 4):
        seen.insert(frame[k : k + M // 4])
    before = np.datetime64(50, "us") if dtype.startswith("datetime") else 50
    seen.expire(before)
    every = np.unique(frame[["src", "dst"]].to_numpy())
    check(seen, frame[frame["until"] >= before], every)


@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_batches_are_merged_into_what_expires_last(dtype):
    """The edges that are kept are those on threads, whatever order the lanes took."""
    frame = edges()
    frame["until"] = frame["until"].astype(dtype)
    every = np.unique(frame[["src", "dst"]].to_numpy())
    seen = [cc_rapids.Connectivity(expiry="until", engine=one) for one in ("cuda", "threads")]
    for k, step in enumerate(range(0, M, M // 20)):
        batch = frame[step : step + M // 20]
        seen[0].insert(batch).expire(2 * k)
        seen[1].insert(batch.to_pandas()).expire(2 * k)
        for ours, theirs in zip(*map(kept_edges, seen), strict=True):
            assert np.array_equal(ours, theirs)
    assert seen[0]._state.kept.links is not None
    check(seen[0], frame[frame["until"] >= 2 * k], every)


@pytest.mark.parametrize("dense", [0, 4, 100])
@pytest.mark.parametrize("factor", [1, 10**9])
def test_pairs_go_from_small_components(factor, dense, monkeypatch):
    """Few vertices are touched, and ids are near each other or far apart."""
    monkeypatch.setattr(forgetting, "DENSE", dense)
    frame = edges()[["src", "dst"]]
    frame["dst"] = frame["src"] // 8 * 8 + frame["dst"] % 8
    frame = frame * factor
    every = np.unique(frame.to_numpy())
    seen = cc_rapids.Connectivity().insert(frame)
    gone = frame["src"] < 500 * factor
    seen.remove(frame[gone], remaining=frame)
    check(seen, frame[~gone], every)
