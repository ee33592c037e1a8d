"""cuGraph's contract: graphs in whatever state, matrices of every kind, and the words of errors."""

import logging
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import peers
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import cc_rapids
from cc_rapids import components, errors
from cc_rapids.data.adapters import Csr
from cc_rapids.integrations import cugraph as ours
from cc_rapids.integrations import pylibcugraph as plc

FORMATS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
FRAME = pd.DataFrame({"src": [5, 2, 9], "dst": [2, 7, 9], "weight": [1.0, 2.0, 3.0]})
WORDS = pd.DataFrame({"src": ["pear", "fig", "kiwi"], "dst": ["apple", "date", "kiwi"]})


def columns(frame):
    return {name: frame[name].tolist() for name in frame.columns}


def random_matrix(n=80, m=50, seed=3):
    rng = np.random.default_rng(seed)
    at = rng.integers(0, n - 5, m), rng.integers(0, n - 5, m)
    return sp.coo_array((np.ones(m, np.float32), at), shape=(n, n))


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("format", FORMATS)
def test_matrices_of_every_format_answer_with_scipys_labels(format, kind):
    made = getattr(sp, f"{format}_{kind}")(random_matrix().asformat(format))
    count, expected = csgraph.connected_components(made, directed=False)
    for call in (cc_rapids.weakly_connected_components, ours.connected_components):
        found, labels = call(made)
        assert type(found) is int
        assert found == count
        assert type(labels) is np.ndarray
        assert labels.dtype == np.int32
        assert np.array_equal(labels, expected)
        assert call(made, directed=False, return_labels=False) == count


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integer_graphs_have_the_least_vertex_as_label(graph, dtype):
    frame = FRAME.astype({"src": dtype, "dst": dtype})
    answer = cc_rapids.weakly_connected_components(graph(frame))
    assert columns(answer) == {"vertex": [2, 5, 7, 9], "labels": [2, 2, 2, 9]}
    assert answer.dtypes.tolist() == [dtype, dtype]
    assert type(answer) is pd.DataFrame


def test_vertices_without_edges_stay(graph):
    named = graph(FRAME, vertices=[9, 7, 5, 2, 11, 1])
    assert columns(cc_rapids.weakly_connected_components(named)) == {
        "vertex": [1, 2, 5, 7, 9, 11],
        "labels": [1, 2, 2, 2, 9, 11],
    }
    everyone = cc_rapids.weakly_connected_components(graph(FRAME, renumber=False))
    assert everyone["vertex"].tolist() == list(range(10))
    assert everyone["labels"].tolist() == [0, 1, 2, 3, 4, 2, 6, 2, 8, 9]


def in_order(answer):
    """The rows in the order of the vertices, labels counted as they appear there; they have been
    the number of each component's first vertex in cuGraph's order before.
    """
    first = answer.groupby("labels", sort=False).head(1)
    assert first["labels"].tolist() == first.index.tolist()
    rows = answer.sort_values(list(answer.columns[:-1]), ignore_index=True)
    rows["labels"] = rows["labels"].factorize()[0].astype(answer["labels"].dtype)
    return rows


def test_strings_have_the_number_of_the_first_of_their_component(graph):
    answer = in_order(cc_rapids.weakly_connected_components(graph(WORDS)))
    assert columns(answer) == {
        "vertex": ["apple", "date", "fig", "kiwi", "pear"],
        "labels": [0, 1, 1, 2, 0],
    }
    assert answer["labels"].dtype == np.int32


def test_several_columns_come_back_as_cugraph_names_them(graph):
    frame = pd.DataFrame(
        {"a": ["x", "x", "y"], "b": [2, 1, 0], "c": ["x", "z", "y"], "d": [1, 5, 0]}
    )
    answer = in_order(cc_rapids.weakly_connected_components(graph(frame, ["a", "b"], ["c", "d"])))
    assert columns(answer) == {
        "0_vertex": ["x", "x", "y", "z"],
        "1_vertex": [1, 2, 0, 5],
        "labels": [0, 0, 1, 0],
    }


def test_unsigned_integers_are_numbered_by_cugraph(graph):
    unsigned = graph(FRAME.astype({"src": "u4", "dst": "u4"}))
    answer = in_order(cc_rapids.weakly_connected_components(unsigned))
    assert columns(answer) == {"vertex": [2, 5, 7, 9], "labels": [0, 0, 0, 1]}
    assert answer.dtypes.tolist() == [np.uint32, np.int32]


def test_adjacency_lists_name_all_vertices(peer):
    held = peers.Graph()
    held.from_adjlist(
        pd.Series([0, 1, 1, 3, 3, 4], dtype="i4"), pd.Series([4, 0, 2, 0], dtype="i4")
    )
    answer = cc_rapids.weakly_connected_components(held)
    assert columns(answer) == {"vertex": [0, 1, 2, 3, 4], "labels": [0, 1, 0, 3, 0]}
    assert answer.dtypes.tolist() == [np.int32, np.int32]


def test_adjacency_lists_with_more_links_than_rows_say_are_refused():
    with pytest.raises(errors.InputError, match=r"offsets\[2\] is 1, where .* are 2 indices"):
        components(Csr(np.array([0, 1, 1]), np.array([0, 1])))
    assert len(components(Csr(np.array([0]), np.array([], np.int64)))) == 0


def test_a_deleted_edge_list_is_drawn_from_pylibcugraph(graph, monkeypatch):
    monkeypatch.setitem(sys.modules, "cudf", SimpleNamespace(DataFrame=pd.DataFrame))
    numbers, words = graph(FRAME, vertices=[2, 5, 7, 9, 20]), graph(WORDS)
    for held in (numbers, words):
        held.delete_edge_list()
        # a graph of a frame may hold an adjacency list too, whose rows are not all vertices
        held._Impl.adjlist = SimpleNamespace(offsets=None, indices=None)
    answer = cc_rapids.weakly_connected_components(numbers)
    assert columns(answer) == {"vertex": [2, 5, 7, 9, 20], "labels": [2, 2, 2, 9, 20]}
    answer = in_order(cc_rapids.weakly_connected_components(words))
    assert answer["labels"].tolist() == [0, 1, 1, 2, 0]


def test_edges_that_are_lost_where_a_graph_is_read(graph, monkeypatch):
    monkeypatch.setitem(sys.modules, "cudf", SimpleNamespace(DataFrame=pd.DataFrame))
    held, plc = graph(FRAME), sys.modules["pylibcugraph"]
    held.delete_edge_list()
    assert components(held).ledger == {"given": 2 * len(FRAME), "linked": 2 * len(FRAME)}
    read = plc.decompress_to_edgelist
    monkeypatch.setattr(
        plc, "decompress_to_edgelist", lambda *given: [end[:-1] for end in read(*given)[:2]]
    )
    with pytest.raises(errors.LedgerError, match="1 lost"):
        components(held)


def test_components_takes_graphs_too(graph):
    found = components(graph(FRAME, vertices=[2, 5, 7, 9, 20]))
    assert len(found) == 3
    assert columns(found.sizes()) == {"labels": [2, 9, 20], "size": [3, 1, 1]}
    named = components(graph(WORDS)).labels()
    assert named["labels"].tolist() == ["apple", "date", "date", "kiwi", "apple"]
    directed = graph(FRAME, directed=True)
    assert len(components(directed)) == 2
    with pytest.raises(errors.InputError, match="a graph has its own vertices"):
        components(directed, num_vertices=10)
    undirected = graph(WORDS)
    undirected._Impl.input_df = None
    with pytest.raises(errors.GraphStateError, match="no longer has the frame"):
        components(undirected)


def test_the_public_function_serves_both_contracts(graph):
    matrix = random_matrix()
    count, expected = csgraph.connected_components(matrix, directed=False)
    found, labels = cc_rapids.connected_components(matrix, directed=False)
    assert found == count
    assert np.array_equal(labels, expected)
    assert cc_rapids.connected_components(matrix, return_labels=False) == count
    assert cc_rapids.connected_components(matrix, connection="weak")[0] == count
    handed = cc_rapids.connected_components(matrix, True, "strong")
    assert handed == ("strong", True, "strong", None)
    assert cc_rapids.connected_components(matrix, False, "weak", False) == count
    with pytest.raises(errors.ArgumentTypeError, match="'directed' is passed twice: True by"):
        cc_rapids.connected_components(matrix, True, directed=False)
    assert cc_rapids.connected_components(matrix).vertex.tolist() == list(range(80))
    answer = in_order(cc_rapids.connected_components(graph(WORDS)))
    assert answer["labels"].tolist() == [0, 1, 1, 2, 0]


def test_nulls_are_refused_with_their_count(graph):
    gaps = pd.DataFrame({"src": pd.array([1, None], "Int64"), "dst": pd.array([2, 3], "Int64")})
    held = graph(FRAME)
    held._Impl.edgelist.edgelist_df = gaps
    with pytest.raises(errors.NullsError, match="'src' has 1 null in 2 rows"):
        cc_rapids.weakly_connected_components(held)
    assert cc_rapids.components(held, nulls="drop").labels()["vertex"].tolist() == [1, 2]


@pytest.mark.parametrize("call", [cc_rapids.weakly_connected_components, ours.connected_components])
def test_what_does_not_go_with_a_graph_is_refused_in_cugraphs_words(graph, call):
    for option in ("directed", "return_labels"):
        words = f"^'{option}' cannot be specified for a Graph-type input$"
        with pytest.raises(TypeError, match=words):
            call(graph(FRAME), **{option: False})
    with pytest.raises(ValueError, match=r"^input graph must be undirected$"):
        call(graph(FRAME, directed=True))
    assert len(call(graph(FRAME), connection="weak")) == 4


def test_connections_are_refused_in_cugraphs_words(graph):
    matrix = sp.coo_array((3, 3))
    for held in (graph(FRAME), matrix):
        words = r"^'connection' must be 'weak' for weakly_connected_components\(\)$"
        with pytest.raises(TypeError, match=words):
            cc_rapids.weakly_connected_components(held, connection="strong")
        words = "^invalid connection type: other, must be either 'strong' or 'weak'$"
        with pytest.raises(ValueError, match=words):
            ours.connected_components(held, connection="other")
    with pytest.raises(TypeError, match=r"^obj of type <class 'list'> is not supported.$"):
        cc_rapids.weakly_connected_components([[0, 1], [0, 0]])
    with pytest.raises(ValueError, match=r"shape \(n, n\), not \(2, 3\)"):
        cc_rapids.weakly_connected_components(sp.coo_array((2, 3)))


def test_graphs_that_cannot_be_read_say_who_can(graph, monkeypatch):
    with pytest.raises(errors.GraphStateError, match="has no edges yet"):
        cc_rapids.weakly_connected_components(peers.Graph())
    spread = graph(FRAME)
    monkeypatch.setattr(spread, "is_multi_gpu", lambda: True)
    with pytest.raises(errors.GraphStateError, match=r"cc_rapids\.dask\.weakly_connected"):
        cc_rapids.weakly_connected_components(spread)
    monkeypatch.delattr(sys.modules["pylibcugraph"], "extract_vertex_list")
    with pytest.raises(errors.GraphStateError, match="no extract_vertex_list"):
        cc_rapids.components(graph(FRAME))


def test_strong_components_are_handed_on_with_one_line(graph, caplog):
    caplog.set_level(logging.INFO)
    handed = ours.connected_components(graph(FRAME), connection="strong")
    assert handed == ("strong", None, "strong", None)
    assert caplog.messages == ["strong components: passed to cugraph.strongly_connected_components"]


def test_strong_components_without_cugraph_are_scipys_or_refused(caplog):
    caplog.set_level(logging.INFO)
    matrix = sp.coo_array(([1, 1, 1], ([0, 1, 1], [1, 0, 2])), shape=(3, 3))
    count, labels = cc_rapids.connected_components(matrix, connection="strong")
    assert count == 2
    assert labels[0] == labels[1] != labels[2]
    (line,) = caplog.messages
    assert "passed to scipy.sparse.csgraph" in line
    with pytest.raises(errors.EngineError, match="pip install cugraph"):
        ours.connected_components(object(), connection="strong")


OFFSETS, INDICES = np.array([0, 1, 1, 3, 3, 4], np.int32), np.array([4, 0, 2, 0], np.int32)


def test_pylibcugraph_reads_adjacency_lists():
    vertices, labels = plc.weakly_connected_components(
        None, None, OFFSETS, INDICES, weights=None, labels=None, do_expensive_check=False
    )
    assert vertices.tolist() == [0, 1, 2, 3, 4]
    assert labels.tolist() == [0, 1, 0, 3, 0]
    assert vertices.dtype == labels.dtype == np.int32


def test_pylibcugraph_writes_labels_where_it_is_told():
    out = np.full(5, -1, np.int32)
    done = plc.weakly_connected_components(None, None, OFFSETS, INDICES, None, out, False)
    assert done is None
    assert out.tolist() == [0, 1, 0, 3, 0]
    for wrong in (np.empty(5, np.int64), np.empty(4, np.int32)):
        with pytest.raises(errors.GraphStateError, match=r"labels= has [45] items of int"):
            plc.weakly_connected_components(None, None, OFFSETS, INDICES, None, wrong, False)


def test_pylibcugraph_draws_edges_from_a_graph(peer):
    held = peers.SGGraph([5, 2, 9], [2, 7, 9], [2, 5, 7, 9, 20])
    for handle in (None, peers.ResourceHandle()):
        answer = plc.weakly_connected_components(handle, held, None, None, None, None, False)
        vertices, labels = answer
        assert vertices.tolist() == [2, 5, 7, 9, 20]
        assert labels.tolist() == [2, 2, 2, 9, 20]


def test_pylibcugraph_leaves_what_it_cannot_read_to_the_original(peer):
    spread, single, other = peers.MGGraph([1], [2]), peers.SGGraph([1], [2]), object()
    for graph, offsets, weights, words in (
        (None, None, None, "pass either a graph, or offsets and indices"),
        (single, OFFSETS, None, "pass either a graph, or offsets and indices"),
        (single, None, OFFSETS, "pass either a graph, or offsets and indices"),
        (other, None, None, "the edges of a object cannot be read"),
    ):
        with pytest.raises(errors.GraphStateError, match=words):
            plc.weakly_connected_components(None, graph, offsets, None, weights, None, False)
    with pytest.raises(errors.GraphStateError, match="labels= is for adjacency lists"):
        plc.weakly_connected_components(None, spread, None, None, None, OFFSETS, False)
