"""Reports of real cuDF frames and CuPy arrays: those of threads."""

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


@pytest.mark.parametrize("many", [8_000, 30_000, 200_000])
@pytest.mark.parametrize("kind", KINDS)
def test_reports_are_those_of_threads(cudf, kind, many):
    rng = np.random.default_rng(many)
    ends, weights = rng.integers(0, 30_000, (2, many)), rng.random(many)
    pairs = pd.DataFrame({"src": KINDS[kind](ends[0]), "dst": KINDS[kind](ends[1]), "w": weights})
    right = cc_rapids.components(pairs).report(pairs, weight="w")
    there = cudf.from_pandas(pairs)
    found = cc_rapids.components(there).report(there, weight="w")
    assert type(found.components()).__module__.startswith("cudf")
    for one, other in (
        (found.components(), right.components()),
        (found.overall(), right.overall()),
    ):
        pd.testing.assert_frame_equal(one.to_pandas(), other, check_dtype=False)
    assert found._repr_html_() == right._repr_html_()


def test_lists_without_edges_or_links(cudf):
    import cupy

    for ids in (cupy.zeros(0, np.int64), cupy.arange(3)):
        report = cc_rapids.components((ids, ids)).report((ids, ids), weight=cupy.ones(ids.size))
        assert report.components().weakest_row.tolist() == [-1] * ids.size
        assert report.overall().self_loops.tolist() == [ids.size]
        assert report._repr_html_()
