"""Files as public collections have them: what each is read as, and what is refused."""

import gzip
import io
import tarfile

import numpy as np
import pytest
from support.edge_files import read_edges

import cc_rapids
from cc_rapids.errors import FormatError

BANNER = "MatrixMarket matrix coordinate pattern symmetric\n"
GEXF = """<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2"
 xmlns:viz="http://www.gexf.net/1.2draft/viz">
<meta><creator>Gephi 0.9</creator></meta><graph defaultedgetype="undirected" mode="static">
<nodes><node id="1" label="A"><viz:size value="4"/></node><node id="2" label="B"/>
<node id="3" label="C"/></nodes>
<edges><edge id="0" source="1" target="2" weight="2.0"/></edges></graph></gexf>
"""
GRAPHML = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="w" for="edge" attr.name="weight" attr.type="double"><default>5</default></key>
<graph edgedefault="undirected"><node id="a"/>
"""


MANY_DIGITS = "9" * 5000  # more than int() takes


def npz(**arrays):
    held = io.BytesIO()
    np.savez(held, **arrays)
    return held.getvalue()


def npy(array):
    held = io.BytesIO()
    np.save(held, array)
    return held.getvalue()


PAIRS = [(1, 2), (2, 3)]
INDEX = np.array(PAIRS).T
FILES = {  # the name and content, and the pairs and number of vertices that are listed
    "networkrepository.mtx": ("%" + BANNER + "3 3 2\n2 1\n3 2\n", [(2, 1), (3, 2)], 3),
    "out.moreno": ("% sym unweighted\n% 2 3 3\n1 2\n2 3\n", PAIRS, None),
    "a.gr": ("c x\np sp 4 2\na 1 2 7\na 2 3 8\n", PAIRS, 4),
    "flow.max": ("p max 4 2\nn 1 s\nn 4 t\na 1 2 7\na 2 3 8\n", PAIRS, 4),
    "pace.gr": ("c x\np tw 4 2\n1 2\n2 3\n", PAIRS, 4),
    "queen.col": ("c x\np edge 4 2\nn 1 5\ne 1 2\ne 2 3\n", PAIRS, 4),
    "miles.col": ("p edge 4 1\ne 1 2\ne 2 1\n", [(1, 2), (2, 1)], 4),
    "johnson.clq": ("p col 4 2\ne 1 2\ne 2 3\n", PAIRS, 4),
    "weights.graph": ("3 1 011 1\n5 2 7\n6 1 7\n9\n", [(1, 2), (2, 1)], 3),
    "sizes.graph": ("% c\n3 1 100\n5 2\n6 1\n9\n", [(1, 2), (2, 1)], 3),
    "edge.csv.gz": (gzip.compress(b"1,2\n2,3\n"), PAIRS, None),
    "edge_index.npy": (npy(INDEX), PAIRS, None),
    "rows.npy": (npy(np.array([*PAIRS, (3, 4)])), [*PAIRS, (3, 4)], None),
    "pyg.npz": (npz(edge_index=np.c_[INDEX, [0, 0]], num_nodes=9), [*PAIRS, (0, 0)], 9),
    "a.gexf": (GEXF, [("1", "2")], 3),
    "gephi10.gexf": (GEXF.replace("/1.2draft", "/1.3"), [("1", "2")], 3),
    "bare.gexf": (GEXF.replace(' xmlns="http://www.gexf.net/1.2draft"', ""), [("1", "2")], 3),
    "wide.gexf": (GEXF.replace("UTF-8", "UTF-16").encode("utf-16"), [("1", "2")], 3),
    "wide.net": ('*Vertices 2\n1 "\xe9"\n2 b\n*Edges\n1 2\n'.encode("utf-16"), [("\xe9", "b")], 2),
    "wide.jsonl": ('{"src": "\xe9", "dst": "b"}\n'.encode("utf-16"), [("\xe9", "b")], None),
    "least.dimacs": ("p min 4 2\nn 1 1\na 1 2 0 4 7\na 2 3 0 4 8\n", PAIRS, 4),
    "polblogs.gml": (
        'Creator "x"\ngraph [\n node [ id 1 label "a b" ]\n node [ id 2 label "edge [" ]\n'
        ' node [ id 3 label "c" ]\n edge [ source 1 target 2 ]\n edge [ source 1 target 2 ]\n]\n',
        [("a b", "edge [")] * 2,
        3,
    ),
    "same.gml": (
        'graph [\n node [ id 1 label "a" ]\n node [ id 2 label "a" ]\n'
        " edge [ source 1 target 2 ] ]",
        [(1, 2)],
        2,
    ),
    "gephi.gml": (
        'graph [ node [ id 1 label "Zoë" ] node [ id 2 label "b" ] edge [ source 1 target 2 ] ]',
        [("Zoë", "b")],
        2,
    ),
    "a.net": (
        '*Vertices 4\n1 "New York" 0.1\n2 b\n3 c\n4 d\n*Arcs :1 "knows"\n1 2 1\n*Edges\n3 4 2\n',
        [("New York", "b"), ("c", "d")],
        4,
    ),
    "lists.net": ("*Vertices 4\n*Edgeslist\n1 2 3\n", [(1, 2), (1, 3)], 4),
    "matrix.net": ("% c\n*Vertices 3\n*Matrix\n0 1 0\n0 0 1\n0 0 0\n", PAIRS, 3),
    "two-mode.net": ("*Vertices 3 1\n*Matrix\n0 1\n", [(1, 3)], 3),
    "dates.ndjson": (
        '{"id1": "2020-01-01", "id2": "2020-01-02"}\n',
        [("2020-01-01", "2020-01-02")],
        None,
    ),
    "lines.jsonl": ('{"src": 1, "dst": 2}\n\n{"src": 2, "dst": 3}\n', PAIRS, None),
}


@pytest.mark.parametrize("name", FILES)
def test_what_is_read(tmp_path, name):
    content, pairs, vertices = FILES[name]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    file = read_edges(path)
    assert [*zip(*file.table.to_pydict().values(), strict=True)] == pairs
    assert (None if file.vertices is None else len(file.vertices)) == vertices
    found = cc_rapids.components(path)
    assert found.ledger["linked"] == len(pairs)
    streamed = cc_rapids.stream_components(path)
    assert streamed.labels().equals(found.labels())


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("out.brunson", "% bip unweighted\n1 1\n2 1\n", "is bipartite"),
        ("a.mtx", "%%" + BANNER.replace("symmetric", "general") + "2 3 1\n1 3\n", "block_array"),
        ("a.net", "*Vertices 2\n*Edges\n1 3\n", "line 3, found '1 3': expected vertices from 1"),
        ("a.net", "*Vertices 2\n*Edges\n1 2\n*Vertices 2\n", "expected one '*Vertices <n>'"),
        ("a.net", '*Vertices 2\n1 "\xe9"\n*Edges\n1 2\n'.encode("latin-1"), "line 2: not UTF-8"),
        ("a.net", "*Vertices 2\n*Matrix\n0 1\n", "expected 2 rows in each *matrix, found 1"),
        ("a.net", "*Vertices 2\n*Matrix\n1\n1\n", "expected 2 values in each row of *matrix"),
        ("a.net", "*Vertices 2\n*Links\n1 2\n", "line 2, found '*Links': expected one of"),
        ("a.gml", 'graph [\nnode [ id 0 label "\xe9" ]\n]'.encode("latin-1"), "line 2: not UTF-8"),
        (
            "a.mtx",
            f"%%MatrixMarket matrix array real general\n{2**62} {2**62}\n1\n",
            "has 83 bytes",
        ),
        ("a.feather", b"FEA1\0\0\0\0", "pyarrow.feather.read_table(path)"),
        ("a.adjlist", "1 2 3\n4 5 6\n", "pass networkx.read_adjlist(path)"),
        ("a.graphml", "<graphml><graph", "cannot be read as GraphML"),
        ("a.graphml", GRAPHML + '<edge source="a"/></graph></graphml>', "an edge lacks an end"),
        ("comments", "<!-- x -->\n" * 60 + "<html>", "this may be an edge"),  # at once
        ("a.graphml", "<graphml " + "<!--" * 50_000, "cannot be read as GraphML"),  # at once
        ("a.net", "*V".encode("utf-16") + b"x", "not text in utf-16"),
        ("a.graphml", GRAPHML + "</graph><graph></graph></graphml>", "holds 2 graphs"),
        ("a.graphml", GRAPHML + '<node id="b"><graph/></node></graph></graphml>', "2 graphs"),
        ("a.gexf", GEXF.replace("</gexf>", "<graph></graph></gexf>"), "holds 2 graphs"),
        ("a.gml", "graph [ node [ id 1 graph [ node [ id 2 ] ] ] ]", "holds 2 graphs"),
        ("a.jsonl", '{"src": 1, "dst": 2}\n{"src"', "cannot be read as JSON lines"),
        ("a.jsonl", '{"src": "a", "dst": "\xe9"}\n'.encode("latin-1"), "line 1: not UTF-8"),
        ("a.net", f"*Vertices {MANY_DIGITS}\n", "expected one '*Vertices <n>'"),
        ("a.net", "*Vertices 20\n*Edges\n1_0 2\n", "vertices from 1 to 20"),
        ("a.npy", npy(np.zeros((3, 2))), "expected integers of shape (2, edges) or (edges, 2)"),
        ("a.npy", npy(INDEX)[:-8], "but it has 24"),
        ("a.col", "p edge 4 3\ne 1 2\n", "declares 3 edges, but the file has 1"),
    ],
)
def test_what_is_refused(tmp_path, name, content, text):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(FormatError) as refused:
        read_edges(path)
    assert text in str(refused.value)
    assert str(path) in str(refused.value)


def test_costs_of_arcs_are_weights_by_their_names(tmp_path):
    (tmp_path / "a.min").write_text("p min 4 2\na 1 2 0 4 7\na 2 3 0 4 8\n")
    found = cc_rapids.components(tmp_path / "a.min", weight="cost", at_least=8)
    assert found.ledger["linked"] == 1
    with pytest.raises(cc_rapids.MissingColumnError, match="it has src, dst, low, capacity, cost"):
        cc_rapids.components(tmp_path / "a.min", weight="weight", at_least=8)


def test_weights_of_json_beyond_int64_are_exact(tmp_path):
    rows = "".join(f'{{"src": {k}, "dst": {k + 10}, "w": {2**64 - k}}}\n' for k in (1, 2))
    (tmp_path / "a.jsonl").write_text(rows)
    found = cc_rapids.components(tmp_path / "a.jsonl", weight="w", at_least=2**64 - 1)
    assert found.labels()["vertex"].to_pylist() == [1, 11]


def test_weights_that_graphml_gives_by_default(tmp_path):
    edges = """<edge source="a" target="b"/>
    <edge source="b" target="c"><data key="w">1</data></edge></graph></graphml>"""
    (tmp_path / "a.graphml").write_text(GRAPHML + edges)
    found = cc_rapids.components(tmp_path / "a.graphml", weight="weight", at_least=2)
    assert found.ledger["linked"] == 1


def test_a_matrix_of_suitesparse_with_others_beside_it(tmp_path):
    with tarfile.open(tmp_path / "Zachary.tar.gz", "w:gz") as archive:
        for name, text in {
            "karate/karate.mtx": "%%" + BANNER + "3 3 1\n2 1\n",
            "karate/karate_b.mtx": "%%MatrixMarket matrix array real general\n3 1\n1\n1\n1\n",
        }.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    assert len(cc_rapids.components(tmp_path / "Zachary.tar.gz")) == 2


def test_networkx_is_named_where_it_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "networkx", None)
    (tmp_path / "a.gexf").write_text(GEXF)
    with pytest.raises(cc_rapids.CcRapidsError, match="pip install networkx"):
        read_edges(tmp_path / "a.gexf")
