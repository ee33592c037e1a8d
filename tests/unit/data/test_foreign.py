"""Graphs, matrices with weights, and objects of other libraries, against NetworkX and SciPy."""

import uuid

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import cc_rapids
from cc_rapids import InputError, components

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
FORMATS = ["csr", "csc", "coo", "bsr", "dia", "dok", "lil"]


def graph_of(kind, name=int, seed=0):
    """Return a graph with weights, parallel edges, loops, and vertices without an edge."""
    rng = np.random.default_rng(seed)
    graph = kind()
    graph.add_nodes_from(map(name, range(60)))
    for u, v, w in zip(*rng.integers(0, 50, (2, 45)).tolist(), rng.random(45), strict=True):
        graph.add_edge(name(u), name(v), weight=w, other="x")
    return graph


def groups(found):
    """Return the sets of vertices of an answer, from its labels."""
    labels = found.labels()
    sets = {}
    for vertex, label in zip(labels.vertex.tolist(), labels.labels.tolist(), strict=True):
        sets.setdefault(label, set()).add(vertex)
    return sorted(sets.values(), key=min)


def by_networkx(graph):
    return sorted(nx.connected_components(nx.Graph(graph)), key=min)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [int, str])
def test_graphs_of_networkx(kind, name):
    graph = graph_of(kind, name)
    found = components(graph)
    assert groups(found) == by_networkx(graph)
    assert found.ledger == {"given": graph.number_of_edges(), "linked": graph.number_of_edges()}
    assert groups(cc_rapids.Connectivity().insert(graph).components()) == by_networkx(graph)
    assert found.audit(graph).vertices == 60
    bounded = nx.Graph()
    bounded.add_nodes_from(graph)
    bounded.add_edges_from((u, v) for u, v, w in graph.edges(data="weight") if w >= 0.5)
    assert groups(components(graph, weight="weight", at_least=0.5)) == by_networkx(bounded)
    cuts = cc_rapids.components_at(graph, thresholds=[0.5])
    assert groups(cuts.at(0.5)) == by_networkx(bounded)
    forest = cc_rapids.minimum_spanning_forest(graph)
    tree = nx.minimum_spanning_edges(nx.MultiGraph(graph), data=True)
    assert np.sort(forest.weight) == pytest.approx(sorted(data["weight"] for *_, data in tree))
    ends = list(graph.edges())
    rows = [ends[row] for row in forest.row.tolist()]
    assert rows == list(zip(forest.source.tolist(), forest.destination.tolist(), strict=True))


@pytest.mark.parametrize("named", [False, True])
def test_graphs_of_igraph(named):
    rng = np.random.default_rng(1)
    edges, weights = rng.integers(0, 80, (70, 2)).tolist(), rng.random(70).tolist()
    graph = igraph.Graph(n=100, edges=edges, edge_attrs={"weight": weights})
    names = [f"v{k:03}" for k in range(100)] if named else list(range(100))
    if named:
        graph.vs["name"] = names
    found = components(graph)
    right = sorted(({names[v] for v in part} for part in graph.connected_components()), key=min)
    assert groups(found) == right
    assert cc_rapids.bridges(graph).row.tolist() == sorted(graph.bridges())
    points = [names[v] for v in graph.articulation_points()]
    assert cc_rapids.articulation_points(graph).vertex.tolist() == sorted(points)
    blocks = cc_rapids.biconnected_component_edges(graph)
    assert len({*blocks.labels.tolist()}) == len(graph.biconnected_components())
    tree = graph.spanning_tree(weights="weight")
    assert cc_rapids.minimum_spanning_forest(graph).weight.sum() == pytest.approx(
        sum(tree.es["weight"])
    )
    rows = found.edges(found.component_of(names[edges[0][0]]), graph)
    assert {"src", "dst", "weight"} == set(rows)
    assert len(found.report(graph)) == len(right)


def test_names_in_files_of_igraph(tmp_path):
    path = str(tmp_path / "graph.graphml")
    igraph.Graph([(0, 1), (2, 2)], vertex_attrs={"name": ["b", "a", "c"]}).write(path)
    assert components(path).labels()["vertex"].to_pylist() == ["n0", "n1", "n2"]
    named = components(igraph.Graph.Read(path)).labels()
    assert (named.vertex.tolist(), named.labels.tolist()) == (["a", "b", "c"], ["a", "a", "c"])


def test_tuples_are_ids_of_several_columns():
    graph = nx.grid_2d_graph(3, 4)
    graph.remove_nodes_from((1, k) for k in range(4))
    graph.add_node((9, 9))
    assert len(components(graph)) == 3
    assert components(graph, labels="min").component_of((2, 3)) == (2, 0)


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (nx.Graph([(1, "a")]), "convert_node_labels_to_integers"),
        (nx.Graph([(1.5, 2.5)]), "convert_node_labels_to_integers"),
        (nx.path_graph(3).edges, r"list\(G.edges\(\)\)"),
        (igraph.Graph(n=2, vertex_attrs={"name": ["a", "a"]}), "1 different name of 2 vertices"),
        (igraph.Graph(n=2, vertex_attrs={"name": ["a", None]}), "del graph.vs"),
        (igraph.Graph(n=2, edges=[(0, 1)], edge_attrs={"src": [1]}), "rename it"),
    ],
)
def test_graphs_that_hold_no_ids_are_refused_with_the_way_out(graph, words):
    for door in (components, cc_rapids.bridges, cc_rapids.Connectivity().insert):
        with pytest.raises(InputError, match=words):
            door(graph)


def test_graphs_have_their_own_vertices_and_are_not_read_in_chunks():
    with pytest.raises(InputError, match="own vertices"):
        components(nx.path_graph(3), vertices=[7])
    for options in ({"memory_limit": "64MB"}, {"checkpoint": "run"}):
        with pytest.raises(InputError, match="not read in chunks"):
            components(nx.path_graph(3), **options)
    with pytest.raises(InputError, match="pass it alone"):
        components(iter([nx.path_graph(3)]))
    with pytest.raises(cc_rapids.NullsError, match="1 of 2 weights"):
        cc_rapids.minimum_spanning_forest(nx.Graph([(1, 2, {"weight": 1}), (2, 3)]))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("symmetric", [False, True])
def test_forests_of_matrices_weigh_what_those_of_scipy_do(form, symmetric):
    dense = sp.random_array((40, 40), density=0.04, rng=np.random.default_rng(3))
    matrix = (dense + dense.T if symmetric else dense).asformat(form)
    right = csgraph.minimum_spanning_tree(matrix)
    forest = cc_rapids.minimum_spanning_forest(matrix)
    assert forest.weight.sum() == pytest.approx(right.sum())
    assert len(forest.row) == right.nnz
    coo = matrix.tocoo()
    assert coo.data[forest.row].tolist() == forest.weight.tolist()
    given = cc_rapids.minimum_spanning_forest(matrix, weight=coo.data)
    assert given.row.tolist() == forest.row.tolist()
    kept = matrix.tocsr() * (matrix.tocsr() >= 0.5)
    kept.eliminate_zeros()
    count, labels = csgraph.connected_components(kept, directed=False)
    for options in ({}, {"weight": coo.data}):
        found = components(matrix, at_least=0.5, **options)
        assert len(found) == count
        cc_rapids.oracle.against_scipy(
            kept.tocoo().row, kept.tocoo().col, 40, found.labels("dense").labels
        )
    assert len(cc_rapids.components_at(matrix, thresholds=[0.5]).at(0.5)) == count
    assert labels.size == 40


def test_entries_that_are_stored_twice_are_as_in_scipy():
    places = np.array([0, 0, 1]), np.array([1, 1, 2])
    values = np.array([5.0, 1.0, 2.0])
    coo = sp.coo_array((values, places), shape=(3, 3))
    csr = sp.csr_array((values, places[1], np.array([0, 2, 3, 3])), shape=(3, 3))
    for matrix in (coo, csr):
        weight = cc_rapids.minimum_spanning_forest(matrix).weight.sum()
        assert weight == csgraph.minimum_spanning_tree(matrix).sum()
    assert cc_rapids.minimum_spanning_forest(coo, weight=values).weight.tolist() == [1, 2]
    assert coo.nnz == 3


def lending(word, thing):
    """Return an object of a class that has one protocol alone."""
    kind = type("Lent", (), {word: lambda self, *given, **more: getattr(thing, word)(*given)})
    return kind()


BATCH = pa.record_batch({"src": [1, 2, 5], "dst": [2, 3, 5], "weight": [0.5, 1.0, 2.0]})
COLUMN = pa.chunked_array([[1, 2]])


@pytest.mark.parametrize(
    ("word", "frame", "column"),
    [
        ("__arrow_c_stream__", pa.table(BATCH), COLUMN),
        ("__arrow_c_array__", BATCH, COLUMN.chunk(0)),
        ("__arrow_c_device_array__", BATCH, COLUMN.chunk(0)),
    ],
)
def test_objects_with_a_protocol_of_arrow_alone(word, frame, column):
    edges, ids = lending(word, frame), lending(word, column)
    right = components(BATCH).labels()
    assert components(edges).labels() == right
    assert cc_rapids.stream_components(edges).labels() == right
    assert cc_rapids.Connectivity().insert(edges).components().labels() == right
    assert cc_rapids.minimum_spanning_forest(edges, weight="weight").num_rows == 2
    assert components((ids, ids), vertices=ids).labels()["vertex"].to_pylist() == [1, 2]
    assert cc_rapids.link_records(edges, keys=["src"]).num_components == 3
    assert components(BATCH).attach(edges, on="src").num_rows == 3
    with pytest.raises(cc_rapids.MissingColumnError, match="which two columns"):
        components(lending(word, BATCH.rename_columns(["a", "b", "w"])))


def test_what_lies_on_a_device_needs_cudf(monkeypatch):
    class OnDevice:
        def __arrow_c_device_array__(self, requested_schema=None):
            raise NotImplementedError("device type 2")

    with pytest.raises(InputError, match=r"device type 2.* cuDF is not installed"):
        components(OnDevice())
    with pytest.raises(InputError, match="cuDF is not installed"):
        components((OnDevice(), OnDevice()))


@pytest.mark.parametrize("door", [components, cc_rapids.bridges, cc_rapids.spanning_forest])
def test_readers_whose_columns_have_other_names(door):
    table = pa.table({"id": [0], "payer": [1], "payee": [2]})
    with pytest.raises(cc_rapids.MissingColumnError, match="id, payer, payee"):
        door(table.to_reader())
    assert len(components(table.to_reader(), "payer", "payee")) == 1


ONE = {"id": [1, 2, 9]}
FRAMES = [
    pd.DataFrame(ONE),
    pl.DataFrame(ONE),
    pl.LazyFrame(ONE),
    pa.table(ONE),
    pa.record_batch(ONE),
]


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: type(frame).__module__)
def test_a_frame_of_one_column_is_a_column(frame):
    edges = pd.DataFrame({"src": [1], "dst": [2]})
    for door in (components, cc_rapids.stream_components):
        assert door(edges, vertices=frame).labels()["vertex"].tolist() == [1, 2, 9]
    seen = cc_rapids.Connectivity(vertices=frame).insert(edges)
    assert len(seen) == 2
    assert len(components(edges, vertices=frame).component_of(frame)) == 3
    with pytest.raises(InputError, match=r"of 2 columns \('src', 'dst'\)"):
        components(edges, vertices=edges)


def test_an_index_of_pairs_is_edges_or_vertices_of_two_columns():
    pairs = [(1, 2), (2, 3), (8, 8)]
    index = pd.MultiIndex.from_tuples(pairs)
    found = components(index)
    assert found.labels()["labels"].tolist() == [1, 1, 1, 8]
    assert found.audit(index)
    named = index.set_names(["a", "b"])
    assert components(named, "a", "b").labels().equals(found.labels())
    keyed = pd.DataFrame({"a": [1], "b": [2], "c": [3], "d": [4]})
    found = components(keyed, ["a", "b"], ["c", "d"], vertices=index)
    assert found.num_vertices == 4
    assert len(found.component_of(index)) == 3


def test_the_fields_of_a_structured_array_are_columns():
    array = np.array([(1, 2, 0.5), (2, 3, 0.1)], [("src", "i8"), ("dst", "i8"), ("w", "f4")])
    assert components(array).labels().labels.tolist() == [1, 1, 1]
    assert cc_rapids.minimum_spanning_forest(array, weight="w").row.tolist() == [0, 1]


@pytest.mark.parametrize("encode", [pc.dictionary_encode, pc.run_end_encode])
def test_encoded_weights_are_numbers(encode):
    weights = pa.array([0.5, 0.5, 2.0])
    plain = pa.table({"src": [1, 2, 8], "dst": [2, 3, 9], "w": weights})
    table = plain.set_column(2, "w", encode(weights))
    for frame in (table, table.to_pandas(types_mapper=pd.ArrowDtype)):
        for weight in ("w", frame["w"]):
            found = components(frame, weight=weight, at_least=1)
            assert found.labels()["vertex"].to_numpy().tolist() == [8, 9]
            forest = cc_rapids.minimum_spanning_forest(frame, weight=weight)
            assert forest["weight"].to_numpy().tolist() == [0.5, 0.5, 2.0]


@pytest.mark.parametrize("make", [list, lambda ids: np.array(ids, object), pd.Series])
def test_objects_that_are_no_ids_are_named(make):
    ids = make([uuid.UUID(int=1), None, 7])
    says = r"object of UUID, int \(3 values, 1 of them missing\)"
    with pytest.raises(cc_rapids.ColumnTypeError, match=says):
        components((ids, ids), nulls="drop")
