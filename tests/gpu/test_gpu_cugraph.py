"""Real graphs of cuGraph in every state, and its own function as oracle."""

import numpy as np
import pytest
import scipy.sparse as sp
from gpu_graphs import ran, random_frame, symmetric
from scipy.sparse import csgraph

import cc_rapids
from cc_rapids import errors, oracle

pytestmark = pytest.mark.gpu


def check_least(answer):
    least = answer.groupby("labels", sort=True)["vertex"].min().reset_index()
    assert (least["labels"] == least["vertex"]).all()
    assert (answer["vertex"].diff().iloc[1:] > 0).all()


OPTIONS = {
    "as it comes": {},
    "renumber=False": {"renumber": False},
    "weighted": {"edge_attr": "weight"},
    "transposed": {"store_transposed": True},
    "already symmetric": {"symmetrize": False},
}


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integer_graphs(cudf, cugraph, make, dtype, option):
    frame = random_frame(cudf, 5000, 3000, dtype)
    if option == "already symmetric":
        turned = frame.rename(columns={"src": "dst", "dst": "src"})
        frame = cudf.concat([frame, turned[frame.columns]]).drop_duplicates(["src", "dst"])
    graph = make(frame, **OPTIONS[option])
    ours, theirs = (module.weakly_connected_components(graph) for module in (cc_rapids, cugraph))
    assert type(ours) is cudf.DataFrame
    assert list(ours.columns) == list(theirs.columns)
    assert dict(ours.dtypes) == dict(theirs.dtypes)
    oracle.same_partition(ours, theirs)
    check_least(ours)


def test_far_ids(cudf, cugraph, make):
    frame = random_frame(cudf, 2000, 1500, np.int64)
    for end in ("src", "dst"):
        frame[end] = frame[end] * (1 << 45) + 7
    graph = make(frame)
    ours = cc_rapids.weakly_connected_components(graph)
    oracle.same_partition(ours, cugraph.weakly_connected_components(graph))
    check_least(ours)


def test_vertices_without_edges_stay(cudf, cugraph, make):
    frame = cudf.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 9]}).astype("int32")
    vertices = cudf.Series([2, 5, 7, 9, 11, 20], dtype="int32")
    graph = make(frame, vertices=vertices)
    ours = cc_rapids.weakly_connected_components(graph)
    assert ours["vertex"].to_arrow().to_pylist() == [2, 5, 7, 9, 11, 20]
    assert ours["labels"].to_arrow().to_pylist() == [2, 2, 2, 9, 11, 20]
    oracle.same_partition(ours, cugraph.weakly_connected_components(graph))
    whole = make(frame, renumber=False)
    ours = cc_rapids.weakly_connected_components(whole)
    assert ours["vertex"].to_arrow().to_pylist() == list(range(10))
    oracle.same_partition(ours, cugraph.weakly_connected_components(whole))


def check_firsts(answer):
    """The label of a component is the row of its first vertex."""
    labels = answer["labels"].to_numpy()
    assert (labels[labels] == labels).all()
    assert (labels <= np.arange(len(labels))).all()


def test_strings(cudf, cugraph, make):
    frame = random_frame(cudf, 400, 300)
    for end in ("src", "dst"):
        frame[end] = "v" + frame[end].astype("str")
    graph = make(frame)
    ours, theirs = (module.weakly_connected_components(graph) for module in (cc_rapids, cugraph))
    assert dict(ours.dtypes) == dict(theirs.dtypes)
    oracle.same_partition(ours, theirs)
    words = cc_rapids.connected_components(frame)
    assert sorted(ours["vertex"].to_arrow().to_pylist()) == words["vertex"].to_arrow().to_pylist()
    check_firsts(ours)
    again = cc_rapids.components(graph).labels()
    assert again["labels"].to_arrow().to_pylist() == words["labels"].to_arrow().to_pylist()


def test_several_columns(cudf, cugraph, make):
    frame = random_frame(cudf, 300, 200)
    frame = cudf.DataFrame(
        {
            "a": frame["src"] % 7,
            "b": "w" + (frame["src"] // 7).astype("str"),
            "c": frame["dst"] % 7,
            "d": "w" + (frame["dst"] // 7).astype("str"),
        }
    )
    graph = make(frame, ["a", "b"], ["c", "d"])
    ours, theirs = (module.weakly_connected_components(graph) for module in (cc_rapids, cugraph))
    assert sorted(ours.columns) == sorted(theirs.columns) == ["0_vertex", "1_vertex", "labels"]
    assert dict(ours.dtypes) == dict(theirs.dtypes)
    keys = ["0_vertex", "1_vertex"]
    both = ours.merge(theirs, on=keys, suffixes=("", "_theirs"))
    assert len(both) == len(ours) == len(theirs)
    pairs = both[["labels", "labels_theirs"]].drop_duplicates()
    assert len(pairs) == both["labels"].nunique() == both["labels_theirs"].nunique()
    check_firsts(ours)


def test_unsigned_integers(cudf, cugraph, make):
    graph = make(random_frame(cudf, 400, 300, np.uint32))
    ours, theirs = (module.weakly_connected_components(graph) for module in (cc_rapids, cugraph))
    assert dict(ours.dtypes) == dict(theirs.dtypes)
    oracle.same_partition(ours, theirs)


def test_adjacency_lists(cudf, cugraph):
    matrix = symmetric()
    graph = cugraph.Graph()
    graph.from_cudf_adjlist(cudf.Series(matrix.indptr), cudf.Series(matrix.indices), None)
    ours = cc_rapids.weakly_connected_components(graph)
    _, dense = csgraph.connected_components(matrix, directed=False)
    _, first = np.unique(dense, return_index=True)
    assert ours["vertex"].to_numpy().tolist() == list(range(300))
    assert ours["labels"].to_numpy().tolist() == first[dense].tolist()
    assert ours.dtypes.tolist() == [np.int32, np.int32]


def test_graphs_without_their_edge_list(cudf, cugraph, make):
    numbers = random_frame(cudf, 400, 300)
    words = cudf.DataFrame({end: "v" + numbers[end].astype("str") for end in ("src", "dst")})
    for frame in (numbers, words):
        graph = make(frame)
        before = cc_rapids.weakly_connected_components(graph)
        graph.view_adj_list()
        graph.delete_edge_list()
        after = cc_rapids.weakly_connected_components(graph)
        assert type(after) is cudf.DataFrame
        assert after.to_arrow().equals(before.to_arrow())


def test_pandas_and_dense_graphs(cudf, cugraph):
    import pandas as pd

    graph = cugraph.Graph()
    graph.from_pandas_edgelist(pd.DataFrame({"src": [1, 4], "dst": [2, 5]}), "src", "dst")
    ours = cc_rapids.weakly_connected_components(graph)
    assert ours["labels"].to_numpy().tolist() == [1, 1, 4, 4]
    graph = cugraph.Graph()
    graph.from_numpy_array(np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1]], np.float32))
    ours = cc_rapids.weakly_connected_components(graph)
    assert ours["labels"].to_numpy().tolist() == [0, 0, 2]


def test_a_graph_is_read_in_place(cudf, make):
    import rmm
    import rmm.statistics

    graph = make(random_frame(cudf, 100_000, 20_000_000))
    cc_rapids.weakly_connected_components(graph)
    before = rmm.mr.get_current_device_resource()
    rmm.statistics.enable_statistics()
    try:
        with rmm.statistics.statistics():
            cc_rapids.weakly_connected_components(graph)
            peak = rmm.statistics.get_statistics().peak_bytes
    finally:
        rmm.mr.set_current_device_resource(before)
    assert peak < 20_000_000


def test_refusals(cudf, cugraph, make):
    frame = random_frame(cudf, 40, 30)
    directed, graph = make(frame, directed=True), make(frame)
    for call in (cc_rapids.weakly_connected_components, cugraph.weakly_connected_components):
        with pytest.raises(ValueError, match="input graph must be undirected"):
            call(directed)
        for option in ("directed", "return_labels"):
            with pytest.raises(TypeError, match=f"'{option}' cannot be specified for a Graph-type"):
                call(graph, **{option: False})
        with pytest.raises(TypeError, match="'connection' must be 'weak' for weakly_connected"):
            call(graph, connection="strong")
        with pytest.raises(TypeError, match="obj of type <class 'list'> is not supported"):
            call([[0]])
    for call in (cc_rapids.connected_components, cugraph.connected_components):
        with pytest.raises(ValueError, match="invalid connection type: x, must be either 'strong'"):
            call(graph, connection="x")
    with pytest.raises(errors.GraphStateError, match="has no edges yet"):
        cc_rapids.weakly_connected_components(cugraph.Graph())


def test_cupy_matrices(calls):
    cupy = pytest.importorskip("cupy")
    import cupyx.scipy.sparse as sparse

    matrix = symmetric()
    count, expected = csgraph.connected_components(matrix, directed=False)
    for kind in (sparse.coo_matrix, sparse.csr_matrix, sparse.csc_matrix):
        held = kind(sparse.csr_matrix(matrix))
        for call in (cc_rapids.weakly_connected_components, cc_rapids.scipy.connected_components):
            found, labels = call(held)
            assert type(found) is int
            assert found == count
            assert isinstance(labels, cupy.ndarray)
            assert labels.dtype == np.int32
            assert labels.get().tolist() == expected.tolist()
            assert call(held, return_labels=False) == count
        assert (held.get().tocsr() != matrix).nnz == 0
    dense = matrix.toarray().astype(np.float64)
    dense[297, 298], dense[298, 299] = np.nan, np.inf
    found, labels = cc_rapids.scipy.connected_components(cupy.asarray(dense))
    assert found == count
    assert labels.get().tolist() == expected.tolist()
    for shape in ((2, 3), (3,)):
        with pytest.raises(ValueError, match="compressed-sparse graph must be"):
            cc_rapids.scipy.connected_components(cupy.zeros(shape))


def test_strong_components_are_handed_on(cudf, cugraph, make, calls):
    cupy, sparse = (pytest.importorskip(name) for name in ("cupy", "cupyx.scipy.sparse"))
    matrix = sp.csr_matrix(np.array([[0, 1, 0], [1, 0, 1], [0, 0, 0]], np.float32))
    held = sparse.csr_matrix(matrix)
    for call in (cc_rapids.connected_components, cc_rapids.scipy.connected_components):
        count, labels = call(held, connection="strong")
        assert count == 2
        assert isinstance(labels, cupy.ndarray)
    graph = make(cudf.DataFrame({"src": [0, 1, 1], "dst": [1, 0, 2]}), directed=True)
    answer = cc_rapids.connected_components(graph, connection="strong")
    assert answer["labels"].nunique() == 2
    assert ran(calls) == 0
    assert sum("passed to" in line for line in calls.messages) == 3
