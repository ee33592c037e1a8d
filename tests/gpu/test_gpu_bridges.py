"""Bridges, classes and articulation points of cuDF frames and CuPy arrays: those of threads."""

import numpy as np
import pandas as pd
import pytest

import cc_rapids
from cc_rapids import VerificationError

pytestmark = pytest.mark.gpu

KINDS = {
    "near": lambda v: v.astype(np.int32),
    "far": lambda v: v.astype(np.int64) * 2**40,
    "words": lambda v: np.array([f"doc {k} é" for k in v], object),
}


@pytest.mark.parametrize("many", [8_000, 30_000, 200_000])
@pytest.mark.parametrize("kind", KINDS)
def test_bridges_are_those_of_threads(cudf, kind, many):
    ends = np.random.default_rng(many).integers(0, 30_000, (2, many))
    pairs = pd.DataFrame({"src": KINDS[kind](ends[0]), "dst": KINDS[kind](ends[1])})
    found = cc_rapids.bridges(cudf.from_pandas(pairs))
    assert type(found).__module__.startswith("cudf")
    pd.testing.assert_frame_equal(found.to_pandas(), cc_rapids.bridges(pairs))
    cc_rapids.oracle.certify_bridges(found, pairs)


@pytest.mark.parametrize("many", [8_000, 30_000, 200_000])
@pytest.mark.parametrize("kind", KINDS)
def test_bridges_are_proved_where_they_lie(cudf, kind, many):
    ends = np.random.default_rng(many).integers(0, 30_000, (2, many))
    pairs = pd.DataFrame({"src": KINDS[kind](ends[0]), "dst": KINDS[kind](ends[1])})
    given = cudf.from_pandas(pairs)
    found, right = cc_rapids.components(given), cc_rapids.bridges(given)
    found.audit(given, bridges=right)
    if len(right):
        with pytest.raises(VerificationError, match="is a bridge, which is missing"):
            found.audit(given, bridges=right.iloc[1:])
        wrong = right.copy()
        wrong["source"] = wrong["destination"]
        with pytest.raises(VerificationError, match="has different ends in the edges"):
            found.audit(given, bridges=wrong)


def test_bridges_are_proved_without_the_rows_that_have_nulls(cudf):
    given = cudf.DataFrame({"src": [0, None, 1, 2], "dst": [1, 5, 2, 1]})
    right = cc_rapids.bridges(given, nulls="drop")
    assert right["row"].to_pandas().tolist() == [0]
    cc_rapids.components(given, nulls="drop").audit(given, nulls="drop", bridges=right)


@pytest.mark.parametrize("many", [8_000, 30_000, 60_000, 200_000])
@pytest.mark.parametrize("kind", KINDS)
def test_classes_and_articulation_points_are_those_of_threads(cudf, kind, many):
    ends = np.random.default_rng(many).integers(0, 30_000, (2, many))
    pairs = pd.DataFrame({"src": KINDS[kind](ends[0]), "dst": KINDS[kind](ends[1])})
    given = cudf.from_pandas(pairs)
    points = cc_rapids.articulation_points(given)
    assert type(points).__module__.startswith("cudf")
    pd.testing.assert_frame_equal(points.to_pandas(), cc_rapids.articulation_points(pairs))
    cc_rapids.oracle.certify_articulation_points(points, given)
    blocks = cc_rapids.biconnected_component_edges(given)
    expected = cc_rapids.biconnected_component_edges(pairs)
    pd.testing.assert_frame_equal(blocks.to_pandas(), expected)
    cc_rapids.oracle.certify_biconnected_component_edges(blocks, pairs)
    found = cc_rapids.two_edge_connected_components(given)
    assert found == cc_rapids.two_edge_connected_components(pairs)


@pytest.mark.parametrize("many", [0, 1, 10_000_000])
def test_paths_stars_and_rings_of_arrays(cudf, many):
    import cupy

    ids = cupy.arange(many)
    for ends in ((ids, ids + 1), (cupy.zeros_like(ids), ids + 1)):
        assert (cc_rapids.bridges(ends).row == ids).all()
        assert len(cc_rapids.bridges(ends).row) == many
        assert len(cc_rapids.two_edge_connected_components(ends)) == (many + 1 if many else 0)
    path = cc_rapids.articulation_points((ids, ids + 1)).vertex
    assert (path == ids[1:]).all()
    assert len(path) == max(many - 1, 0)
    if many > 2:
        ring = ids, cupy.roll(ids, -1)
        assert not len(cc_rapids.bridges(ring).row)
        cc_rapids.components(ring).audit(ring, bridges=cc_rapids.bridges(ring))
