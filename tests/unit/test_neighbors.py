"""Components of neighbour arrays: against edges listed one by one, and a sequential DBSCAN."""

import pickle
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from support.choices import some

import cc_rapids
from cc_rapids import Design, components_of_neighbors, errors
from cc_rapids.solver.choose import FixedDesign


def random_neighbors(seed, n=60, k=5):
    """Neighbours with missing ones, loops and repeated ones, and few different distances."""
    rng = np.random.default_rng(seed)
    indices = rng.integers(-1, n, (n, k))
    near = rng.random((n, k)) < 0.6
    steps = np.arange(n)[:, None] + rng.integers(-3, 4, (n, k))
    indices = np.where(near, steps % n, indices)
    distances = rng.integers(0, 8, (n, k)) / 4.0
    distances[rng.random((n, k)) < 0.05] = np.nan
    return indices, distances


def listed_edges(indices, distances=None, at_most=None, mutual=False):
    """The edges as triples (row, neighbour, distance), by plain loops."""
    edges = []
    for i, row in enumerate(indices.tolist()):
        for j, other in enumerate(row):
            distance = 0.0 if distances is None else float(distances[i, j])
            within = distance == distance and (at_most is None or distance <= at_most)
            if other not in (-1, i) and within:
                edges.append((i, other, distance))
    if mutual:
        ends = {edge[:2] for edge in edges}
        edges = [edge for edge in edges if (edge[1], edge[0]) in ends]
    return edges


def least_labels(n, edges):
    src, dst = (np.array([edge[end] for edge in edges], int) for end in (0, 1))
    label = connected_components(sp.coo_array((np.ones(src.size), (src, dst)), (n, n)), False)[1]
    least = np.full(n, n)
    np.minimum.at(least, label, np.arange(n))
    return least[label]


def dbscan(n, edges, min_samples):
    """The labels of scikit-learn's loop: depth-first from each core point in order."""
    neighbors = [[] for _ in range(n)]
    for i, j, _ in edges:
        neighbors[i].append(j)
    core = [len(row) + 1 >= min_samples for row in neighbors]
    labels, count = np.full(n, -1), 0
    for i in range(n):
        if labels[i] != -1 or not core[i]:
            continue
        stack = [i]
        while stack:
            v = stack.pop()
            if labels[v] == -1:
                labels[v] = count
                stack += neighbors[v] if core[v] else []
        count += 1
    return labels, np.array(core)


def symmetric_matrix(n, edges):
    """The matrix of the least distance of each pair of points, in both directions."""
    ends = {}
    for i, j, distance in edges:
        ends[i, j] = ends[j, i] = min(distance, ends.get((i, j), distance))
    i, j = (np.array([pair[end] for pair in ends], int) for end in (0, 1))
    return sp.csr_array((np.array(list(ends.values()), float), (i, j)), (n, n))


RULES = (
    {},
    {"at_most": 1.0},
    {"mutual": True},
    {"at_most": 1.0, "mutual": True},
)


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_components_are_those_of_the_listed_edges(seed, rules, engine):
    indices, distances = random_neighbors(seed)
    given = distances if "at_most" in rules else None
    edges = listed_edges(indices, given, **rules)
    found = components_of_neighbors(indices, given, **rules, engine=engine)
    assert found.labels().labels.tolist() == least_labels(60, edges).tolist()
    assert found.labels().vertex.tolist() == list(range(60))
    assert found.ledger["linked"] == len(edges)
    assert found.ledger["missing"] == (indices == -1).sum()
    assert found.ledger["self"] == (indices == np.arange(60)[:, None]).sum()
    assert sum(found.ledger.values()) == 2 * indices.size
    assert found.audit(indices, given).edges == len(edges)


LAYOUTS = {
    "C": lambda a: a,
    "Fortran": np.asfortranarray,
    "columns of a wider array": lambda a: np.hstack([a[:, :1], a])[:, 1:],
    "rows of a longer array": lambda a: np.repeat(a, 2, axis=0)[::2],
    "reversed": lambda a: np.ascontiguousarray(a[::-1, ::-1])[::-1, ::-1],
    "big-endian": lambda a: a.astype(a.dtype.newbyteorder(">")),
    "unaligned": lambda a: np.frombuffer(b"x" + a.tobytes(), a.dtype, offset=1).reshape(a.shape),
    "read-only": lambda a: np.frombuffer(a.tobytes(), a.dtype).reshape(a.shape),
    "masked": lambda a: np.ma.masked_equal(np.where(a == -1, 999, a), 999),
    "lists": lambda a: a.tolist(),
}


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same(layout, mixed, engine):
    indices, distances = random_neighbors(5)
    indices = indices.astype(np.int32)
    expected = components_of_neighbors(indices, distances, at_most=1, mutual=True, engine=engine)
    of_distances = (lambda a: a) if mixed or layout == "masked" else LAYOUTS[layout]
    given = LAYOUTS[layout](indices), of_distances(distances)
    found = components_of_neighbors(*given, at_most=1, mutual=True, engine=engine)
    assert found.labels().labels.tolist() == expected.labels().labels.tolist()
    assert found.ledger == expected.ledger
    found.audit(*given)


@some(
    "dtype",
    [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)],
    usual=["int8", "int32", "int64", "uint16", "uint64"],
)
def test_every_type_has_its_missing_value(dtype, engine):
    indices = random_neighbors(6)[0]
    expected = components_of_neighbors(indices, engine=engine)
    given = indices.astype(dtype)  # -1 wraps around to the greatest value
    found = components_of_neighbors(given, engine=engine)
    assert found.labels().labels.tolist() == expected.labels().labels.tolist()
    assert found.ledger == expected.ledger
    kept = dtype in ("int32", "int64")
    assert found.labels().vertex.dtype == (dtype if kept else "int64")
    found.audit(given)


@some(
    "dtype",
    ["float16", "float32", "longdouble", "int8", "uint8", "uint64"],
    usual=["float16", "longdouble", "int8", "uint64"],
)
def test_bounds_are_exact_in_every_type_of_distances(dtype):
    indices, distances = np.array([[1], [2], [3], [0]]), np.array([[0], [1], [2], [3]], dtype)
    for at_most, linked in ((-1, 0), (0, 1), (1.5, 2), (1e30, 4), (float("inf"), 4)):
        found = components_of_neighbors(indices, distances, at_most=at_most)
        assert found.ledger["linked"] == linked
        found.audit(indices, distances)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble"])
def test_bounds_are_rounded_to_the_type_of_distances_as_in_numpy(dtype):
    indices, distances = np.array([[1], [0], [1]]), np.array([[0.1], [0.3], [0.7]], dtype)
    for at_most in (0.1, 0.3, 0.7):
        found = components_of_neighbors(indices, distances, at_most=at_most)
        assert found.ledger["linked"] == (distances <= at_most).sum()
        found.audit(indices, distances)


@pytest.mark.parametrize("min_samples", [1, 2, 4, 6])
@pytest.mark.parametrize("seed", range(4))
def test_clusters_of_radius_graphs_are_those_of_the_sequential_loop(seed, min_samples, engine):
    indices, distances = random_neighbors(seed, 80, 3)
    matrix = symmetric_matrix(80, listed_edges(indices, distances))
    entries = matrix.tocoo()
    entries = zip(entries.row.tolist(), entries.col.tolist(), entries.data, strict=True)
    edges = [entry for entry in entries if entry[2] <= 1]
    labels, core = dbscan(80, edges, min_samples)
    options = {"min_samples": min_samples, "engine": engine}
    found = components_of_neighbors(matrix, at_most=1.0, **options)
    assert found.labels().labels.tolist() == labels.tolist()
    assert len(found) == labels.max() + 1
    assert found.num_noise == (labels == -1).sum()
    assert found.sizes().size.sum() == (labels >= 0).sum()
    assert found.labels("min").labels[labels == -1].tolist() == [-1] * found.num_noise
    border = (labels >= 0) & ~core
    between = sum(core[i] and core[j] for i, j, _ in edges)
    assert found.ledger["linked"] == between + border.sum()
    found.audit(matrix)


@pytest.mark.parametrize("border", ["first", "nearest"])
@pytest.mark.parametrize("seed", range(4))
def test_borders_join_the_first_cluster_or_the_nearest_core_point(seed, border, engine):
    n, indices, distances = 60, *random_neighbors(seed)
    edges = listed_edges(indices, distances, 1.25)
    core = np.bincount([i for i, _, _ in edges], minlength=n) + 1 >= 4
    least = least_labels(n, [edge for edge in edges if core[edge[0]] and core[edge[1]]])
    expected = [int(least[v]) if core[v] else -1 for v in range(n)]
    for v in np.flatnonzero(~core):
        listing = [(d if border == "nearest" else least[i], i) for i, j, d in edges if j == v]
        listing = [one for one in listing if core[one[1]]]
        expected[v] = int(least[min(listing)[1]]) if listing else -1
    names = np.unique(expected)
    numbers = np.searchsorted(names[names >= 0], expected) - (np.array(expected) < 0)
    found = components_of_neighbors(
        indices, distances, 1.25, min_samples=4, border=border, engine=engine
    )
    assert found.labels().labels.tolist() == numbers.tolist()
    found.audit(indices, distances)


def test_clusters_are_those_of_scikit_learn():
    cluster = pytest.importorskip("sklearn.cluster")
    graphs = pytest.importorskip("sklearn.neighbors")
    points = np.random.default_rng(0).normal(size=(500, 2)).astype(np.float32)
    for eps, min_samples in ((0.1, 3), (0.15, 5), (0.3, 20)):
        graph = graphs.radius_neighbors_graph(points, 2 * eps, mode="distance")
        options = {"eps": eps, "min_samples": min_samples, "metric": "precomputed"}
        labels = cluster.dbscan(graph, **options)[1]
        found = components_of_neighbors(graph, at_most=eps, min_samples=min_samples)
        assert found.labels().labels.tolist() == labels.tolist()
        graph = graphs.kneighbors_graph(points, 6, mode="distance")
        graph = graph.minimum(graph.T)  # the neighbours that list each other
        labels = cluster.dbscan(graph, **options)[1]
        found = components_of_neighbors(graph, at_most=eps, min_samples=min_samples)
        assert found.labels().labels.tolist() == labels.tolist()


@pytest.mark.parametrize("bits", ["cached", "shared"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_designs_of_long_arrays_find_the_same(bits, order, engine, monkeypatch):
    design = Design(f"strided(every=2, bits={bits})", "rem-cas", "splice")
    monkeypatch.setattr("cc_rapids.solver.neighbors.MEASURED", FixedDesign(design))
    indices, distances = random_neighbors(8, 300, 8)
    given = [np.asarray(array, order=order) for array in (indices, distances)]
    for rules in ({}, {"at_most": 0.75}):
        found = components_of_neighbors(*given, **rules, engine=engine)
        edges = listed_edges(indices, distances, **rules)
        assert found.summary()["design"] == str(design)
        assert found.labels().labels.tolist() == least_labels(300, edges).tolist()


class Tensor:
    """An array of another library, which only shares its memory."""

    def __init__(self, array):
        self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__


def test_tensors_and_frames_are_arrays():
    import pandas as pd

    indices, distances = random_neighbors(7)
    expected = components_of_neighbors(indices, distances, at_most=1)
    for kind in (Tensor, pd.DataFrame):
        found = components_of_neighbors(kind(indices), kind(distances), at_most=1)
        assert found.labels().labels.tolist() == expected.labels().labels.tolist()
        found.audit(kind(indices), kind(distances))


def test_matrices_are_their_arrays():
    indices = np.array([[1, 2], [0, 2], [0, 3], [2, 0]])
    distances = np.array([[0.5, 0.25], [0.5, 1], [0.25, 2], [2, 3.0]])
    offsets = np.arange(0, 10, 2)
    matrix = sp.csr_array((distances.ravel(), indices.ravel(), offsets), (4, 4))
    for given in (matrix, sp.csr_matrix(matrix), matrix.tocoo(), matrix.tocsc()):
        found = components_of_neighbors(given, at_most=0.5)
        assert found.labels().labels.tolist() == [0, 0, 0, 3]
        assert found.ledger == {"given": 8, "linked": 4, "out_of_bounds": 4}
    connectivity = sp.csr_array((np.ones(8, bool), indices.ravel(), offsets), (4, 4))
    assert len(components_of_neighbors(connectivity)) == 1
    with pytest.raises(errors.InputError, match="at_most=1 bounds distances"):
        components_of_neighbors(connectivity, at_most=1)
    with pytest.raises(errors.InputError, match="leave out distances="):
        components_of_neighbors(matrix, distances)
    with pytest.raises(errors.InputError, match=r"\(n, n\)"):
        components_of_neighbors(matrix[:2])


@pytest.mark.parametrize(
    ("indices", "message"),
    [
        ([[1, 0], [0, 2]], r"indices\[1, 1\] is 2, but neighbours among 2 points"),
        ([[1, 0], [-2, 0]], r"indices\[1, 0\] is -2, .* or -1 if missing"),
        (np.array([[1, 0], [0, 2**31 - 1]], np.uint32), r"is 2,147,483,647, .* or 4,294,967,295"),
        (np.asfortranarray([[0, 7], [0, 1]]), r"indices\[0, 1\] is 7"),
        ([1, 0], r"shape \(2,\)"),
        ([[1], [0, 2]], "pad rows of unequal length"),
        ([[1.0], [0.0]], "must be integers, not float64"),
        (np.ma.array([[1.0], [0.0]], mask=[[1], [0]]), "must be integers, not float64"),
        ([["a"], ["b"]], "must be integers"),
        ([[True]], "must be integers, not bool"),
        (sp.csr_array(([1.0], [9], [0, 1]), shape=(1, 1)), r"indices\[0, 0\] is 9"),
    ],
    ids=range(11),
)
def test_wrong_indices_are_refused(indices, message):
    with pytest.raises((errors.InputError, errors.ColumnTypeError), match=message):
        components_of_neighbors(indices)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"at_most": 1}, "at_most=1 bounds distances: pass distances="),
        ({"at_most": "1", "distances": [[0.0], [0.0]]}, "at_most= must be a number"),
        ({"at_most": float("nan"), "distances": [[0.0], [0.0]]}, "at_most= must be a number"),
        ({"distances": [0.0, 1.0]}, r"shape \(2,\), but indices have the shape \(2, 1\)"),
        ({"distances": [["a"], ["b"]]}, "distances must be numbers"),
        ({"min_samples": 0}, "min_samples= must be a count of at least 1"),
        ({"min_samples": 2, "border": "last"}, "border"),
        ({"min_samples": 2, "border": "nearest"}, "border='nearest' compares distances"),
        ({"border": "nearest"}, "pass min_samples="),
        ({"mutual": "yes"}, "mutual= must be True or False"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(errors.CcRapidsError, match=message):
        components_of_neighbors([[1], [0]], **options)


@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray])
def test_arrays_of_one_row_or_column(layout, engine):
    one_row = layout(np.array([[0, -1, 0]]))
    found = components_of_neighbors(one_row, one_row / 2, at_most=1, engine=engine)
    assert found.ledger == {"given": 3, "linked": 0, "missing": 1, "self": 2}
    one_column = layout(np.array([[1], [3], [-1], [3]]))
    found = components_of_neighbors(one_column, mutual=False, engine=engine)
    assert found.labels().labels.tolist() == [0, 0, 2, 0]


@pytest.mark.parametrize("shape", [(0, 0), (0, 4), (50, 0)])
def test_arrays_without_entries(shape):
    indices = np.zeros(shape, np.int32)
    found = components_of_neighbors(indices)
    assert found.labels().labels.tolist() == list(range(shape[0]))
    assert components_of_neighbors(np.zeros(shape), np.zeros(shape), at_most=1).num_vertices == len(
        indices
    )
    clusters = components_of_neighbors(indices, min_samples=2)
    assert (len(clusters), clusters.labels().labels.tolist()) == (0, [-1] * shape[0])
    found.audit(indices)
    clusters.audit(indices)


def test_noise_has_the_label_minus_one_wherever_labels_are():
    import pandas as pd

    indices = np.array([[1], [0], [2], [-1], [5], [4]])
    found = components_of_neighbors(indices, min_samples=2)
    assert len(found) == 2
    assert found.labels("size").labels.tolist() == [0, 0, -1, -1, 1, 1]
    assert found.labels("max").labels.tolist() == [1, 1, -1, -1, 5, 5]
    assert found.labels("fingerprint").labels[2] == 2**64 - 1
    assert found.component_of([5, 3]).tolist() == [1, -1]
    assert found.component_of(2) == -1
    points = pd.DataFrame({"vertex": [3, 4], "name": ["a", "b"]})
    assert found.attach(points)["labels"].tolist() == [-1, 1]
    with pytest.raises(errors.UnknownVertexError):
        found.component_of(6)
    assert found.members().vertex.tolist() == [0, 1, 4, 5]
    assert found.subset(1).tolist() == [4, 5]
    assert found.summary()["noise"] == 2
    assert pickle.loads(pickle.dumps(found)).labels().labels.tolist() == [0, 0, -1, -1, 1, 1]
    with pytest.raises(errors.InputError, match="does not store noise"):
        found.save("unused")


def test_neighbors_are_not_read_as_edges():
    import pandas as pd

    indices = np.array([[1, 2], [0, 0], [0, 0]])
    found = components_of_neighbors(indices)
    ends = np.repeat(np.arange(3), 2), indices.ravel()
    for given in (indices, indices.tolist(), indices[:, :1], indices[:, [0, 1, 1]]):
        for call in (
            lambda given: found.path(1, 2, given),
            lambda given: found.path(1, 2, given, shortest=True),
            lambda given: found.edges(0, given),
            lambda given: found.explain_pair(1, 2, given),
            found.report,
            lambda given: found.plot("component", given),
        ):
            with pytest.raises(errors.InputError, match=r"np\.repeat\(np\.arange\(n\), [123]\)"):
                call(given)
    assert len(found.path(1, 2, ends, shortest=True).row) == 2
    edges = pd.DataFrame({"src": ends[0], "dst": ends[1], "metres": 5})
    assert found.explain_pair(1, 2, edges).frame["metres"].tolist() == [5, 5]
    matrix = sp.csr_array((np.ones(6), ends), (3, 3))
    assert len(found.path(1, 2, matrix, shortest=True).row) == 2


def test_labels_of_clusters_keep_their_type_in_frames():
    import pandas as pd

    points = pd.DataFrame({"vertex": [0, 3]})
    for indices in ([[1], [0], [2], [-1]], [[1], [0], [3], [2]]):
        found = components_of_neighbors(indices, min_samples=2, labels="fingerprint")
        assert found.attach(points)["labels"].dtype == np.uint64
        with pytest.raises(errors.InputError, match="pass missing='null'"):
            found.attach(points, missing="self")
    found = components_of_neighbors([[1], [0], [2], [-1]], labels="fingerprint")
    assert found.attach(points, missing="self")["labels"].dtype == np.uint64


def test_noise_is_not_unknown():
    import pandas as pd

    found = components_of_neighbors([[1], [0], [2], [-1]], min_samples=2)
    assert not found.same_component(0, 2)
    assert found.connected(([0, 0, 3], [1, 2, 2])).tolist() == [True, False, False]
    points = pd.DataFrame({"vertex": [0, 2, 3]})
    lists = r"noise, which is in no cluster \(np.flatnonzero\(found.labels\('dense'\).labels < 0\)"
    with pytest.raises(errors.UnknownVertexError, match=f"2 of 3 ids in 'vertex' are {lists}"):
        found.deduplicate(points, missing="raise")
    with pytest.raises(errors.InputError, match=lists):
        found.subset(-1)
    assert np.flatnonzero(found.labels("dense").labels < 0).tolist() == [2, 3]
    for call in (found.component_of, lambda vertex: found.same_component(0, vertex)):
        with pytest.raises(errors.UnknownVertexError, match=r"vertex .*: 4; points are 0 \.\. 3"):
            call(4)


@pytest.mark.parametrize("seed", range(3))
def test_core_points_have_enough_neighbors(seed, engine):
    indices, distances = random_neighbors(seed)
    counts = np.bincount([i for i, _, _ in listed_edges(indices, distances, 1.0)], minlength=60)
    found = components_of_neighbors(indices, distances, 1.0, min_samples=4, engine=engine)
    assert found.core().tolist() == (counts + 1 >= 4).tolist()
    assert pickle.loads(pickle.dumps(found)).core().tolist() == found.core().tolist()
    with pytest.raises(errors.InputError, match="pass min_samples="):
        components_of_neighbors(indices).core()


def test_bounds_that_leave_out_every_edge_are_doubted():
    indices, distances = [[1], [0]], [[0.4], [0.5]]
    with pytest.warns(errors.CcRapidsWarning, match=r"every edge \(2\): is the bound on the scale"):
        components_of_neighbors(indices, distances, at_most=0.3, min_samples=2)
    matrix = sp.csr_array(([1.0, 1.0], ([0, 1], [1, 0])), (2, 2))
    with pytest.warns(errors.CcRapidsWarning, match="pass one of mode='distance'"):
        components_of_neighbors(matrix, at_most=0.3)
    with pytest.raises(errors.InputError, match="pass the graph of mode='distance'"):
        components_of_neighbors(matrix.astype(bool), at_most=0.3)


def test_rows_of_unequal_length_name_the_graph():
    rows = np.array([np.array([1]), np.array([0, 1])], object)
    for arguments in ((rows,), ([[1], [0]], rows)):
        with pytest.raises(errors.InputError, match=r"radius_neighbors_graph\(mode='distance'\)"):
            components_of_neighbors(*arguments)


def test_answers_without_clusters_are_saved_as_components(tmp_path):
    found = components_of_neighbors([[1], [0], [-1]])
    found.save(tmp_path / "found")
    assert cc_rapids.Components.load(tmp_path / "found") == found
    with pytest.raises(errors.InputError, match="keeps no forest"):
        found.forest()


def test_audits_find_wrong_labels_and_other_neighbors():
    indices = np.array([[1], [0], [3], [2], [-1]])
    found = components_of_neighbors(indices)
    with pytest.raises(errors.VerificationError, match="edge 1 joins 1 and 2"):
        found.audit(np.array([[1], [2], [3], [2], [-1]]))
    with pytest.raises(errors.VerificationError, match="no path"):
        found.audit(np.array([[1], [0], [-1], [-1], [-1]]))
    bounded = components_of_neighbors(indices, indices / 4, at_most=1)
    with pytest.raises(errors.InputError, match="pass distances="):
        bounded.audit(indices)
    with pytest.raises(errors.InputError, match="5 points, but indices have 2 rows"):
        found.audit(indices[:2])
    clusters = components_of_neighbors(indices, min_samples=2)
    with pytest.raises(errors.VerificationError, match=r"point 4 has the label -1"):
        clusters.audit(np.array([[1, -1], [0, -1], [3, 4], [2, -1], [-1, -1]]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "bytes_per_point"),
    [
        ({}, 4),
        ({"at_most": 0.5}, 4 + 16 / 8),
        ({"mutual": True}, 4 + 16 / 8),
        ({"min_samples": 3}, 12 + 2 * 16 / 8),
        ({"at_most": 0.5, "rows": "unequal"}, 4 + 16 / 8 + 16),
    ],
)
def test_no_list_is_built(given, bytes_per_point):
    n, k = 200_000, 16
    rng = np.random.default_rng(0)
    indices, distances = rng.integers(0, n, (n, k), np.int32), rng.random((n, k), np.float32)
    given = dict(given)
    arrays = (indices, distances) if "at_most" in given else (indices,)
    if given.pop("rows", ""):
        offsets = np.arange(0, k * n + 1, k, dtype=np.int32)
        offsets[1:-1] += rng.integers(0, k, n - 1, np.int32)
        matrix = sp.csr_array((distances.ravel(), indices.ravel(), offsets), (n, n))
        arrays = (matrix,)
    components_of_neighbors(*arrays, **given).labels("min")  # compile
    tracemalloc.start()
    found = components_of_neighbors(*arrays, **given)
    run = tracemalloc.get_traced_memory()[1]
    kept = tracemalloc.get_traced_memory()[0]
    labels = found.labels("min")
    total = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    answer = labels.vertex.nbytes + labels.labels.nbytes
    assert run < bytes_per_point * n + n // 8 + 400_000
    assert kept < 4 * n + n // 8 + 400_000
    if "min_samples" not in given:
        assert total < max(bytes_per_point * n, 4 * n + answer) + n // 8 + 400_000
