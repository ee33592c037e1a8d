"""Edge lists to files of every format, and back."""

import gzip
import itertools
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from support.edge_files import read_edges
from support.matrix_market import read_by_scipy

from cc_rapids import components
from cc_rapids.data.files.formats import COUNTED, WEIGHTED, WRITTEN
from cc_rapids.data.files.write import EdgeList, write_edges
from cc_rapids.errors import FormatError, InputError

RANDOM = np.random.default_rng(0)
SRC, DST = RANDOM.integers(0, 50, (2, 200))
WEIGHT = SRC * DST % 50  # the same in both directions, as METIS and ECL store an edge once
EDGES = {*zip(SRC.tolist(), DST.tolist(), strict=True)}
SIMPLE = {pair for u, v in EDGES for pair in ((u, v), (v, u)) if u != v}


def edge_list(first=0, weights=False, pieces=2, n=60):
    columns = {"src": SRC + first, "dst": DST + first}
    table = pa.table(columns | ({"weight": WEIGHT} if weights else {}))
    cuts = [len(table) * i // pieces for i in range(pieces + 1)]
    parts = [table.slice(a, b - a) for a, b in itertools.pairwise(cuts)]
    return EdgeList(parts, len(table), range(first, first + n), table.schema)


def pairs(file):
    return {*zip(*(column.to_pylist() for column in file.table.columns), strict=True)}


@pytest.mark.parametrize("packed", ["", ".gz", ".zst"])
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("kind", WRITTEN)
def test_what_is_written_is_read_back(tmp_path, kind, weights, packed):
    path = tmp_path / f"e{WRITTEN[kind].suffixes[-1]}{packed}"
    write_edges(edge_list(weights=weights and kind in WEIGHTED), path)
    file = read_edges(path)
    first = COUNTED.get(kind, 0)
    expected = SIMPLE if kind in ("metis", "egr") else EDGES
    assert pairs(file) == {(u + first, v + first) for u, v in expected}
    assert file.vertices == (range(first, first + 60) if kind in COUNTED else None)
    assert [path.name for path in tmp_path.iterdir()] == [path.name]
    assert bool(packed) == (path.read_bytes()[:2] in (b"\x1f\x8b", b"\x28\xb5"))


@pytest.mark.parametrize("kind", COUNTED)
@pytest.mark.parametrize("first", [0, 1])
def test_vertices_keep_their_places(tmp_path, kind, first):
    write_edges(edge_list(first), tmp_path / "e", format=kind)
    file = read_edges(tmp_path / "e", format=kind)
    moved = COUNTED.get(kind, 0)
    assert file.vertices == range(moved, moved + 60)
    assert {(u - moved, v - moved) for u, v in pairs(file)} in (EDGES, SIMPLE)


@pytest.mark.parametrize("kind", WRITTEN)
def test_no_edges(tmp_path, kind):
    schema = pa.schema({"src": pa.int64(), "dst": pa.int64()})
    write_edges(EdgeList([], 0, range(3), schema), tmp_path / "e", format=kind)
    file = read_edges(tmp_path / "e", format=kind)
    assert pairs(file) == set()
    assert kind not in COUNTED or len(file.vertices) == 3


def test_weights_are_written(tmp_path):
    table = pa.table({"src": [1, 0, 2], "dst": [0, 1, 2], "weight": [7, 8, 9]})
    edges = EdgeList([table], 3, range(3), table.schema, keeps_first_weight=True)
    written = {}
    for kind in ("csv", "snap", "he", "gr", "mtx", "metis"):
        write_edges(edges, tmp_path / "e", format=kind)
        written[kind] = (tmp_path / "e").read_text()
    assert written == {
        "csv": '"src","dst","weight"\n1,0,7\n0,1,8\n2,2,9\n',
        "snap": "# src\tdst\tweight\n1\t0\t7\n0\t1\t8\n2\t2\t9\n",
        "he": "H 3 3 1\nE 1 0 7\nE 0 1 8\nE 2 2 9\n",
        "gr": "p sp 3 3\na 2 1 7\na 1 2 8\na 3 3 9\n",
        "mtx": "%%MatrixMarket matrix coordinate integer general\n3 3 3\n2 1 7\n1 2 8\n3 3 9\n",
        "metis": "3 1 001\n2 7\n1 7\n\n",
    }
    write_edges(edges, tmp_path / "e.egr")
    assert np.fromfile(tmp_path / "e.egr", "<i4").tolist() == [3, 2, 0, 1, 2, 2, 1, 0, 7, 7]


@pytest.mark.parametrize("kind", ["metis", "egr"])
def test_simple_graphs_count_what_they_leave_out(tmp_path, kind):
    def written(weights):
        ends = {"src": [1, 0, 2, 1, 2], "dst": [0, 1, 2, 0, 1]}
        table = pa.table(ends | {"weight": weights} if weights else ends)
        return write_edges(
            EdgeList([table], 5, range(3), table.schema), tmp_path / "e", format=kind
        )

    assert written(None) == written([7, 7, 9, 7, 8]) == {"self_loop": 1, "duplicate": 2}
    before = (tmp_path / "e").read_bytes()
    with pytest.raises(FormatError, match=r"edge . - . has the weights 7 and 6, but"):
        written([7, 7, 9, 6, 8])
    assert (tmp_path / "e").read_bytes() == before


@pytest.mark.parametrize(
    ("kind", "weight"), [("mtx", 2**64 - 1), ("npz", 2**64 - 1), ("jsonl", np.inf), ("he", 2**63)]
)
def test_weights_that_a_format_cannot_hold_are_refused(tmp_path, kind, weight):
    table = pa.table({"src": [0, 1], "dst": [1, 2], "weight": np.array([weight, weight])})
    with pytest.raises(FormatError, match=r"cannot write .*(9223372036854775807|weight inf)"):
        write_edges(EdgeList([table], 2, range(3), table.schema), tmp_path / "e", format=kind)


def test_a_format_of_edges_only_has_no_weights(tmp_path, monkeypatch):
    monkeypatch.setitem(WRITTEN, "snap", replace(WRITTEN["snap"], edges_only=True))
    assert not WRITTEN["snap"].holds_tables
    write_edges(edge_list(), tmp_path / "e.txt")
    with pytest.raises(FormatError, match="snap has no weights; leave them out, or write csv"):
        write_edges(edge_list(weights=True), tmp_path / "e.txt")


def test_scipy_reads_what_is_written(tmp_path):
    write_edges(edge_list(weights=True), tmp_path / "e.mtx")
    matrix = read_by_scipy(tmp_path / "e.mtx")
    assert {*zip(matrix.row.tolist(), matrix.col.tolist(), strict=True)} == EDGES


def test_numpy_reads_what_is_written(tmp_path):
    write_edges(edge_list(), tmp_path / "e.npz")
    with np.load(tmp_path / "e.npz") as stored:
        assert stored["shape"].tolist() == [60, 60]
        np.testing.assert_array_equal(stored["row"], SRC)


def test_the_same_edges_make_the_same_packed_file(tmp_path):
    for name in ("a.csv.gz", "b.csv.gz"):
        write_edges(edge_list(), tmp_path / name)
    contents = {path.read_bytes() for path in tmp_path.iterdir()}
    assert len(contents) == 1
    assert gzip.decompress(contents.pop()).startswith(b'"src","dst"\n')


def test_ids_as_they_are(tmp_path):
    table = pa.table({"src": ["a", "b"], "dst": ["b", "é"]})
    edges = EdgeList([table], 2, None, table.schema)
    for kind in ("csv", "tsv", "snap", "arrow", "parquet"):
        write_edges(edges, tmp_path / "e", format=kind)
        assert pairs(read_edges(tmp_path / "e", format=kind)) == {("a", "b"), ("b", "é")}
    for kind in COUNTED:
        with pytest.raises(FormatError, match="these ids have type string; write csv"):
            write_edges(edges, tmp_path / "e", format=kind)


class TestNothingIsLeft:
    def refused(self, tmp_path, edges, name, part):
        with pytest.raises(InputError, match=part):
            write_edges(edges, tmp_path / name)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("name", ["e.he", "e.csv", "e.npz", "e.parquet", "e.arrow"])
    def test_of_a_list_that_is_not_as_long_as_promised(self, tmp_path, name):
        whole = edge_list()
        edges = EdgeList(whole.pieces, 201, whole.vertices, whole.schema)
        says = "the list should have 201 edges, but its pieces have 200"
        self.refused(tmp_path, edges, name, says)

    @pytest.mark.parametrize("name", ["e.he", "e.metis.gz", "e.npz"])
    def test_of_a_vertex_out_of_range(self, tmp_path, name):
        self.refused(tmp_path, edge_list(n=10), name, "is not one of the vertices 0 to 9")

    def test_of_a_null(self, tmp_path):
        table = pa.table({"src": [1, None], "dst": [1, 1]})
        edges = EdgeList([table], 2, range(3), table.schema)
        self.refused(tmp_path, edges, "e.gr", "src None is not one of the vertices")

    def test_of_a_weight_that_does_not_fit(self, tmp_path):
        table = pa.table({"src": [1], "dst": [2], "weight": [1 << 40]})
        edges = EdgeList([table], 1, range(3), table.schema)
        self.refused(tmp_path, edges, "e.egr", "weights from 1099511627776")

    def test_of_an_interrupted_write(self, tmp_path):
        def pieces():
            yield edge_list().pieces[0]
            raise KeyboardInterrupt

        whole = edge_list()
        for kind in WRITTEN:
            edges = EdgeList(pieces(), 200, whole.vertices, whole.schema)
            with pytest.raises(KeyboardInterrupt):
                write_edges(edges, tmp_path / f"e{WRITTEN[kind].suffixes[0]}.zst")
        assert list(tmp_path.iterdir()) == []

    def test_of_an_unknown_format_or_place(self, tmp_path):
        self.refused(tmp_path, edge_list(), "e.cvs", "did you mean '.csv'")
        self.refused(tmp_path, edge_list(), "no/e.csv", "there is no directory")


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_file_cut_off_while_packed(tmp_path, kind):
    path = tmp_path / f"e{WRITTEN[kind].suffixes[0]}.zst"
    write_edges(edge_list(), path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(FormatError, match="cannot be read to its end"):
        read_edges(path)


def test_text_of_many_blocks(tmp_path, tuned):
    tuned(text_block_bytes=64)
    for kind in ("he", "gr", "metis"):
        write_edges(edge_list(), tmp_path / "e.gz", format=kind)
        first = COUNTED.get(kind, 0)
        found = {
            (u - first, v - first) for u, v in pairs(read_edges(tmp_path / "e.gz", format=kind))
        }
        assert found == (SIMPLE if kind == "metis" else EDGES)


@pytest.mark.parametrize("kind", WRITTEN)
def test_components_takes_the_path(tmp_path, kind):
    path = tmp_path / f"e{WRITTEN[kind].suffixes[0]}.gz"
    table = pa.table({"src": [3, 1], "dst": [1, 4]})
    write_edges(EdgeList([table], 2, range(6), table.schema), path)
    found = components(path)
    first = COUNTED.get(kind, 0)
    assert len(found) == (4 if kind in COUNTED else 1)
    labels = found.labels().to_pydict()
    known = dict(zip(labels["vertex"], labels["labels"], strict=True))
    assert [known[v + first] for v in (1, 3, 4)] == [1 + first] * 3
