"""Paths along forests of real cuDF frames and CuPy arrays: those of threads."""

import numpy as np
import pandas as pd
import pytest

import cc_rapids

pytestmark = pytest.mark.gpu

KINDS = {
    "near": lambda v: v.astype(np.int32),
    "far": lambda v: v.astype(np.int64) * 2**40,
    "words": lambda v: np.array([f"doc {k} é" for k in v], object),
}


@pytest.mark.parametrize("forest", ["min", "max"])
@pytest.mark.parametrize("dtype", ["i1", "u8", "f4", "f8"])
@pytest.mark.parametrize("kind", KINDS)
def test_paths_are_those_of_threads(cudf, kind, dtype, forest):
    random = np.random.default_rng(7)
    ends = KINDS[kind](np.arange(5_000))[random.integers(0, 5_000, (2, 6_000))]
    weights = random.integers(0, 50, 6_000).astype(dtype)
    edges = pd.DataFrame({"src": ends[0], "dst": ends[1], "w": weights})
    pairs = pd.DataFrame({"src": ends[0][::-1], "dst": ends[1]})
    on_gpu = cc_rapids.components(cudf.from_pandas(edges), weight="w", forest=forest)
    found = on_gpu.paths(cudf.from_pandas(pairs))
    assert type(found).__module__.startswith("cudf")
    right = cc_rapids.components(edges, weight="w", forest=forest)
    pd.testing.assert_frame_equal(found.to_pandas(), right.paths(pairs))
    steps = on_gpu.paths(cudf.from_pandas(pairs), rows=True)
    pd.testing.assert_frame_equal(steps.to_pandas(), right.paths(pairs, rows=True))
    asked = cudf.from_pandas(pairs), cudf.from_pandas(edges)
    for rows in (None, steps):
        proof = on_gpu.audit_paths(found, *asked, rows=rows, weight="w")
        assert (proof.pairs, proof.path_edges) == (len(pairs), len(steps))
    for frame, name in ((found, "length"), (found, "weakest_row"), (steps, "row")):
        wrong = frame.copy()
        wrong[name] = wrong[name] + 1
        claim = (wrong, steps) if frame is found else (found, wrong)
        with pytest.raises(cc_rapids.errors.VerificationError):
            on_gpu.audit_paths(claim[0], *asked, rows=claim[1], weight="w")


@pytest.mark.parametrize("kind", KINDS)
def test_one_path_is_that_of_threads(cudf, kind):
    spelled = KINDS[kind](np.arange(5_000))
    places = np.random.default_rng(8).integers(0, 5_000, (2, 9_000))
    edges = pd.DataFrame({"src": spelled[places[0]], "dst": spelled[places[1]]})
    on_host, on_gpu = (
        cc_rapids.components(one, weight=np.arange(9_000), forest="min")
        for one in (edges, cudf.from_pandas(edges))
    )
    largest = on_host.largest()["vertex"]
    first, second = largest.iloc[0], largest.iloc[-1]
    found = on_gpu.path(first, second)
    assert type(found).__module__.startswith("cudf")
    pd.testing.assert_frame_equal(found.to_pandas(), on_host.path(first, second))
    for shortest in (False, True):
        found = on_gpu.path(first, second, cudf.from_pandas(edges), shortest=shortest)
        right = on_host.path(first, second, edges, shortest=shortest)
        pd.testing.assert_frame_equal(found.to_pandas(), right)


def test_a_deep_tree_of_arrays(cudf):
    import cupy

    n = 1_000_000
    ids = cupy.arange(n)
    found = cc_rapids.components((ids, ids + 1), weight=ids % 1000, forest="max")
    answer = found.paths((ids[:3], cupy.array([n, n - 1, 2])))
    assert answer.length.tolist() == [n, n - 2, 0]
    assert answer.weakest_row.tolist() == [0, 1000, -1]
