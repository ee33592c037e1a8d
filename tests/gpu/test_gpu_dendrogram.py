"""Dendrograms on the GPU: the cuts, merges and splits of threads, and SciPy's flat clusters."""

import numpy as np
import pytest
from scipy.cluster import hierarchy

import cc_rapids
from cc_rapids import generators

cudf = pytest.importorskip("cudf")
cupy = pytest.importorskip("cupy")

pytestmark = pytest.mark.gpu

TYPES = ["i1", "i8", "u4", "u8", "f2", "f4", "f8"]
LEVELS = [80, 50.5, 20, -1]
GRAPHS = {
    "skewed": lambda: generators.rmat(12, 90_000, 0.57, 0.19, 0.19),
    "grid": lambda: generators.grid(200, 300, 0.6),
    "loops": lambda: generators.self_loops(333),
}


def lists(frame):
    """The columns of a frame on any device."""
    return [getattr(column, "get", lambda own=column: own)().tolist() for column in frame]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("which", ["min", "max"])
def test_it_is_that_of_threads(graph, dtype, which):
    made = GRAPHS[graph]()
    src, dst = made.src.astype(np.int64), made.dst.astype(np.int64)
    weights = np.random.default_rng(1).integers(0, 100, src.size).astype(dtype)
    there = cc_rapids.components((src, dst), weight=weights, forest=which).dendrogram()
    given = cupy.asarray(src), cupy.asarray(dst)
    found = cc_rapids.components(given, weight=cupy.asarray(weights), forest=which)
    tree = found.dendrogram()
    assert isinstance(tree.labels(50).labels, cupy.ndarray)
    assert tree.cuts(LEVELS) == there.cuts(LEVELS)
    direction = {"max": "at_least", "min": "at_most"}[which]
    options = {"weight": cupy.asarray(weights), "thresholds": LEVELS, "direction": direction}
    assert tree.cuts(LEVELS) == cc_rapids.components_at(given, **options)
    assert lists(tree.merges()) == lists(there.merges())
    assert lists(tree.merges(LEVELS)) == lists(there.merges(LEVELS))
    far = (lambda w: 100.0 - w) if which == "max" else None
    assert np.array_equal(tree.linkage(far), there.linkage(far))
    assert lists(tree.curve()) == lists(there.curve())
    label = there.components.labels().labels[0]
    one, other = (each.linkage(far, component=label) for each in (tree, there))
    assert np.array_equal(one, other)
    for size in (1, 30):
        own, other = tree.split(size), there.split(size)
        assert own.parts == other.parts
        for one, two in zip(lists(own.cuts), lists(other.cuts), strict=True):
            assert np.array_equal(one, two, equal_nan=True)


@pytest.mark.parametrize("spell", [lambda v: v, lambda v: v * 10**12, lambda v: v.astype(str)])
def test_frames_of_cudf(spell):
    random = np.random.default_rng(3)
    ends = random.integers(0, 300, (2, 500))
    frame = cudf.DataFrame({"src": ends[0], "dst": ends[1], "w": random.random(500)})
    frame["src"], frame["dst"] = spell(frame["src"]), spell(frame["dst"])
    tree = cc_rapids.components(frame, weight="w", forest="max").dendrogram()
    parts, cuts = tree.split(20)
    for own in (tree.labels(0.5), tree.sizes(0.5), tree.merges(), cuts):
        assert isinstance(own, cudf.DataFrame)
    assert list(cuts.columns)[3:6] == ["largest", "oversized", "edges_cut"]
    assert cuts["oversized"].to_arrow().to_pylist() == [False] * len(cuts)
    assert int(parts.sizes()["size"].max()) <= 20
    flat = hierarchy.fcluster(tree.linkage(lambda w: 1 - w), 0.5, "distance")
    labels = tree.at(0.5).labels("dense")["labels"].to_numpy()
    assert len(np.unique(np.stack([flat, labels]), axis=1).T) == len(np.unique(flat))
    assert tree.audit(frame, weight="w").merges == len(tree)


def test_null_weights_of_a_frame():
    frame = cudf.DataFrame({"src": [1, 2, 7], "dst": [2, 3, 8], "w": [5, 5, 9]})
    cuts = cc_rapids.components(frame, weight="w", forest="max").dendrogram().split(1).cuts
    assert cuts["oversized"].to_arrow().to_pylist() == [True, False]
    assert cuts["weakest_cut"].to_arrow().to_pylist() == [None, 9]
    assert cuts["edges_cut"].to_arrow().to_pylist() == [0, 1]
