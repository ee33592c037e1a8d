"""Removal and expiry on the GPU: frames of cuDF, and the labels of solving what is left anew."""

import numpy as np
import pytest

import cc_rapids

cudf = pytest.importorskip("cudf")

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
