"""Spanning forests by weight on the GPU: the rows of Kruskal's, as on threads."""

import numpy as np
import pytest
from scipy.sparse import csgraph

import cc_rapids
import cc_rapids.scipy
from cc_rapids import errors, generators, oracle
from cc_rapids.algorithms import boruvka
from cc_rapids.graph import chosen_edges
from cc_rapids.graph.chosen_edges import ChosenEdges

cudf = pytest.importorskip("cudf")
cupy = pytest.importorskip("cupy")
sparse = pytest.importorskip("cupyx.scipy.sparse")

pytestmark = pytest.mark.gpu

FUNCTIONS = {False: cc_rapids.minimum_spanning_forest, True: cc_rapids.maximum_spanning_forest}
TYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
GRAPHS = {
    "skewed": lambda: generators.rmat(12, 90_000, 0.57, 0.19, 0.19),
    "star": lambda: generators.star(30_000),
    "grid": lambda: generators.grid(200, 300, 0.6),
    "loops": lambda: generators.self_loops(333),
}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize(
    ("light", "bands", "last"), [(1, 1, 0), (1, 3, 500), (2, 1, 1 << 19), (1000, 1, 1 << 19)]
)
def test_rows_are_those_of_kruskal(graph, dtype, light, bands, last, tuned, monkeypatch):
    tuned(light_edges_per_vertex=light, light_bands=bands)
    monkeypatch.setattr(boruvka, "ONE_LAUNCH_CANDIDATES", last)
    made = GRAPHS[graph]()
    src, dst, n = made.src.astype(np.int64), made.dst.astype(np.int64), made.num_vertices
    weights = np.random.default_rng(1).integers(0, 100, src.size).astype(dtype)
    edges = cupy.asarray(src), cupy.asarray(dst)
    for greatest, function in FUNCTIONS.items():
        expected = oracle.kruskal(src, dst, n, weights, greatest)
        found = function(edges, weight=cupy.asarray(weights))
        assert isinstance(found.row, cupy.ndarray)
        assert np.array_equal(found.row.get(), expected)
        assert np.array_equal(found.weight.get(), weights[expected])


@pytest.mark.parametrize("spell", [lambda v: v, lambda v: v * 10**12, lambda v: v.astype(str)])
@pytest.mark.parametrize("n", [50, 300, 5000])
def test_columns_that_are_gathered_ahead_are_given_away_once(n, spell):
    """Also of a list in one band, whose columns are not gathered ahead."""
    random = np.random.default_rng(n)
    ends, weight = random.integers(0, n, (2, 2000)), random.random(2000)
    frame = cudf.DataFrame({"src": ends[0], "dst": ends[1], "w": weight})
    frame["src"], frame["dst"] = spell(frame["src"]), spell(frame["dst"])
    found = cc_rapids.components(frame, weight="w", forest="min")
    rows = oracle.kruskal(*ends, n, weight, False)
    first, second = found.forest(), found.forest()
    expected = frame.iloc[rows]
    for forest in (first, second):
        assert forest["row"].to_numpy().tolist() == rows.tolist()
        for name, column in {"source": "src", "destination": "dst", "weight": "w"}.items():
            assert (forest[name].to_pandas().array == expected[column].to_pandas().array).all()
    first["row"] = -1
    assert found.forest()["row"].to_numpy().tolist() == rows.tolist()


def test_too_little_memory_for_columns_ahead(monkeypatch):
    """They are gathered once their number is known."""
    ends = cupy.asarray(np.random.default_rng(1).integers(0, 300, (2, 2000)))
    edges, weight = tuple(ends), cupy.arange(2000)
    right = cc_rapids.minimum_spanning_forest(edges, weight=weight)
    refused = []

    def refuse(columns, size, backend):
        monkeypatch.undo()
        refused.append(size)
        raise MemoryError

    monkeypatch.setattr(chosen_edges, "_allocate_columns", refuse)
    found = cc_rapids.minimum_spanning_forest(edges, weight=weight)
    assert refused == [299]
    for own, other in zip(found, right, strict=True):
        assert cupy.array_equal(own, other)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_the_forest_is_that_of_threads(dtype):
    graph = generators.reference("kron21", 17, dtype=np.int32)
    weights = np.random.default_rng(2).random(graph.num_edges).astype(dtype)
    on_host = cc_rapids.minimum_spanning_forest(graph.edges, weight=weights)
    edges = tuple(map(cupy.asarray, graph.edges))
    for _ in range(3):
        found = cc_rapids.minimum_spanning_forest(edges, weight=cupy.asarray(weights))
        assert np.array_equal(found.row.get(), on_host.row)
        asked = {"weight": cupy.asarray(weights), "forest": "min"}
        assert cc_rapids.components(edges, **asked).audit(edges, **asked).edges == weights.size
    brought = cc_rapids.minimum_spanning_forest(graph.edges, weight=weights, engine="cuda")
    assert np.array_equal(brought.row, on_host.row)


@pytest.mark.parametrize("spell", [lambda v: v, lambda v: v * 10**12, lambda v: v.astype(str)])
def test_frames_of_cudf(spell):
    random = np.random.default_rng(3)
    ends = random.integers(0, 300, (2, 2000))
    frame = cudf.DataFrame({"src": ends[0], "dst": ends[1], "w": random.random(2000)})
    frame["src"], frame["dst"] = spell(frame["src"]), spell(frame["dst"])
    found = cc_rapids.components(frame, weight="w", forest="max")
    forest = found.forest()
    assert isinstance(forest, cudf.DataFrame)
    assert list(forest.columns) == ["row", "source", "destination", "weight"]
    assert len(forest) == found.num_vertices - len(found)
    found.audit(frame, weight="w", forest="max")
    oracle.certify_spanning_forest(forest, frame, weight="w", greatest=True)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("word", ["min", "max"])
@pytest.mark.parametrize("graph", GRAPHS)
def test_right_forests_pass_the_audit_and_others_do_not(graph, word, dtype):
    made = GRAPHS[graph]()
    weights = np.random.default_rng(5).integers(0, 100, made.num_edges).astype(dtype)
    edges = tuple(cupy.asarray(end) for end in made.edges)
    asked = {"weight": cupy.asarray(weights), "forest": word}
    found = cc_rapids.components(edges, **asked)
    found.audit(edges, **asked)
    rows = found.forest().row
    if not rows.size:
        return
    found.answer.forest_edges = ChosenEdges(found.answer.backend, rows[1:])
    with pytest.raises(errors.VerificationError, match="joins two trees of the forest"):
        found.audit(edges, **asked)
    others = np.setdiff1d(np.arange(weights.size), rows.get())
    if others.size:
        more = cupy.asarray(np.sort(np.append(rows.get(), others[0])))
        found.answer.forest_edges = ChosenEdges(found.answer.backend, more)
        with pytest.raises(errors.VerificationError, match="forest close 1 cycle"):
            found.audit(edges, **asked)


def test_weights_that_are_missing():
    frame = cudf.DataFrame({"src": [1, 2, 3], "dst": [2, 3, 4], "w": [1.5, None, 2.5]})
    with pytest.raises(errors.NullsError, match="1 of 3 weights 'w' is null or nan, the first"):
        cc_rapids.minimum_spanning_forest(frame, weight="w")
    found = cc_rapids.components(frame, weight="w", forest="min", nulls="drop")
    assert found.forest()["row"].to_arrow().to_pylist() == [0, 2]
    assert len(found) == 2


def test_trees_of_matrices():
    random = np.random.default_rng(4)
    dense = np.where(random.random((60, 60)) < 0.2, random.integers(1, 9, (60, 60)), 0.0)
    listed = sparse.csr_matrix(cupy.asarray(dense))  # in an order that tells ties apart
    for matrix, same in ((listed, listed.get()), (cupy.asarray(dense), dense)):
        expected = csgraph.minimum_spanning_tree(same)
        found = cc_rapids.scipy.minimum_spanning_tree(matrix).get()
        for name in ("data", "indices", "indptr"):
            assert np.array_equal(getattr(found, name), getattr(expected, name))
