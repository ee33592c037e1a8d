"""Graph files of NetworkX, SciPy and NumPy: the components, vertices and rows that these read."""

import random

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
import scipy.io
import scipy.sparse as sp
from support.edge_files import read_edges
from support.matrix_market import read_by_scipy

import cc_rapids
from cc_rapids.data.files.formats import FORMATS, IN_PIECES
from cc_rapids.data.files.write import EdgeList, write_edges

NAMED = {
    "graphml": (nx.write_graphml, nx.read_graphml),
    "gml": (nx.write_gml, nx.read_gml),
    "gexf": (nx.write_gexf, nx.read_gexf),
    "pajek": (nx.write_pajek, nx.read_pajek),
}
pytestmark = pytest.mark.filterwarnings("ignore:.* no edges")
KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]


def random_graph(seed):
    chance = random.Random(seed)
    graph, n = KINDS[seed % 4](), chance.randint(1, 15)
    graph.add_nodes_from(chance.choice([f"v {k}", f"é{k}", f"{k:03}"]) for k in range(n))
    nodes = list(graph)
    for _ in range(chance.randint(0, 15)):
        graph.add_edge(chance.choice(nodes), chance.choice(nodes), weight=chance.choice([1, 2.5]))
    return graph


def groups(found):
    rows = found.labels().to_pydict()
    members = {}
    for vertex, label in zip(rows["vertex"], rows["labels"], strict=True):
        members.setdefault(label, set()).add(vertex)
    return {frozenset(one) for one in members.values()}


def expected(graph):
    ways = nx.weakly_connected_components if graph.is_directed() else nx.connected_components
    return {frozenset(one) for one in ways(graph)}


@pytest.mark.parametrize("kind", NAMED)
@pytest.mark.parametrize("by", [cc_rapids.components, cc_rapids.stream_components])
def test_graphs_with_names(tmp_path, kind, by):
    write, read = NAMED[kind]
    for seed in range(20):
        graph, path = random_graph(seed), tmp_path / f"g{FORMATS[kind].suffixes[0]}"
        write(graph, path)
        found, read_back = by(path), read(path)
        assert groups(found) == expected(read_back)
        assert found.ledger["given"] == found.ledger["linked"] == graph.number_of_edges()
        if graph.number_of_edges():
            weights = read_edges(path, weights=True).table["weight"].to_pylist()
            assert sorted(weights) == sorted(w for *_, w in graph.edges(data="weight"))


def matrices(count):
    for seed in range(count):
        chance = np.random.default_rng(seed)
        n = int(chance.integers(1, 15))
        matrix = sp.random(n, n, 0.15, random_state=seed, format="coo")
        yield n, matrix + matrix.T if seed % 2 else matrix


@pytest.mark.parametrize("form", ["general", "symmetric", "skew-symmetric", "array", "npz", "npy"])
def test_matrices(tmp_path, form):
    for n, matrix in matrices(20):
        path = tmp_path / f"m.{form if form in ('npz', 'npy') else 'mtx'}"
        if form == "npz":
            sp.save_npz(path, matrix)
        elif form == "npy":
            np.save(path, np.stack(matrix.tocoo().coords).T)
        elif form == "array":
            scipy.io.mmwrite(path, matrix.toarray(), symmetry="general")
        else:
            flip = {"symmetric": 1, "skew-symmetric": -1}.get(form, 0)
            whole = matrix.toarray()
            whole = whole + flip * whole.T
            matrix = sp.coo_array(whole)
            scipy.io.mmwrite(path, matrix, symmetry=form)
        found = cc_rapids.components(path)
        count, _ = sp.csgraph.connected_components(matrix)
        alone = n - len({*matrix.tocoo().coords[0], *matrix.tocoo().coords[1]})
        assert len(found) == count - (alone if form == "npy" else 0)
        assert found.ledger["given"] == found.ledger["linked"]


@pytest.mark.parametrize(("kind", "values"), [("symmetric", 11_325), ("skew-symmetric", 11_175)])
def test_an_array_of_one_triangle(tmp_path, kind, values):
    path = tmp_path / "m.mtx"
    banner = f"%%MatrixMarket matrix array integer {kind}\n150 150\n"
    path.write_text(banner + "1\n" * values)
    assert cc_rapids.components(path).sizes()["size"].to_pylist() == [150]
    path.write_text(banner.replace("150", "999") + "1\n")
    with pytest.raises(cc_rapids.errors.FormatError, match="declares 498501 entries"):
        cc_rapids.components(path)


@pytest.mark.parametrize("kind", ["mtx", "npz"])
def test_scipy_reads_what_is_written(tmp_path, kind):
    for n, matrix in matrices(20):
        coo, path = matrix.tocoo(), tmp_path / f"m.{kind}"
        table = pa.table({"src": coo.row, "dst": coo.col, "weight": coo.data})
        write_edges(EdgeList([table], len(table), range(n), table.schema), path)
        read = read_by_scipy if kind == "mtx" else sp.load_npz
        np.testing.assert_array_equal(read(path).toarray(), matrix.toarray())


def test_every_format_has_a_reader_or_is_read_in_pieces():
    assert all(one.read or one.pieces for one in FORMATS.values())
    assert {*IN_PIECES} == {"csv", "tsv", "snap", "arrow", "parquet"}
