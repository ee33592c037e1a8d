"""Weights: read where they are asked for, and what is said of those that are none."""

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse
from support.edge_files import read_edges

from cc_rapids.data.files.formats import COUNTED, WEIGHTED, WRITTEN
from cc_rapids.data.files.write import EdgeList, write_edges
from cc_rapids.errors import FormatError, InputError, MissingColumnError

TABLE = pa.table({"src": [0, 2, 3], "dst": [1, 1, 0], "weight": [7, -8, 9]})
REAL = TABLE.set_column(2, "weight", pa.array([0.5, 2.0, 1e300]))
WHOLE = ("gr", "metis", "egr")


def written(path, table, kind):
    write_edges(EdgeList([table], len(table), range(5), table.schema), path, format=kind)
    options = {"header": False, "weight": "col2"} if kind == "snap" else {}
    return read_edges(path, format=kind, weights=True, **options)


@pytest.mark.parametrize("block", [16 << 20, 64])
@pytest.mark.parametrize("kind", WEIGHTED)
def test_what_is_written_is_read_back(tmp_path, tuned, kind, block):
    tuned(text_block_bytes=block)
    for table in [TABLE] if kind in WHOLE else [TABLE, REAL]:
        file = written(tmp_path / "e", table, kind)
        assert file.table.column_names == ["src", "dst", "weight"]
        assert file.table["weight"].type == table["weight"].type
        first = COUNTED.get(kind, 0)
        rows = {
            (u - first, v - first, w)
            for u, v, w in zip(*file.table.to_pydict().values(), strict=True)
        }
        expected = {*zip(*table.to_pydict().values(), strict=True)}
        if kind in ("metis", "egr"):
            expected |= {(v, u, w) for u, v, w in expected}
        assert rows == expected
        assert read_edges(tmp_path / "e", format=kind).table.num_columns == 2


@pytest.mark.parametrize("kind", WRITTEN)
def test_no_weights_to_read(tmp_path, kind):
    table = TABLE.select(["src", "dst"])
    write_edges(EdgeList([table], 3, range(5), table.schema), tmp_path / "e", format=kind)
    file = read_edges(tmp_path / "e", format=kind, weights=True)
    has_ones = kind in ("he", "gr")
    assert file.table.num_columns == 2 + has_ones
    assert not has_ones or file.table["weight"].to_pylist() == [1, 1, 1]


@pytest.mark.parametrize("kind", WHOLE)
def test_some_formats_have_whole_weights(tmp_path, kind):
    with pytest.raises(
        FormatError, match=f"{kind} has integer weights, but some of these are not integers"
    ):
        written(tmp_path / "e", REAL, kind)
    assert list(tmp_path.iterdir()) == []


def test_values_of_matrices(tmp_path):
    matrix = scipy.sparse.coo_array(([0.5, 2], ([0, 1], [2, 2])), (3, 3))
    scipy.sparse.save_npz(tmp_path / "m.npz", matrix)
    assert read_edges(tmp_path / "m.npz", weights=True).table["weight"].to_pylist() == [0.5, 2]
    head = "%%MatrixMarket matrix coordinate complex general\n3 3 1\n1 2 5 6\n"
    (tmp_path / "m.mtx").write_text(head)
    assert read_edges(tmp_path / "m.mtx", weights=True).table.num_columns == 2


def test_a_column_without_a_name_is_not_the_column_named_weight(read):
    text = "src,dst,weight,\n1,2,3,4\n"
    assert read("a.csv", text, weights=True, weight="")[0] == [(1, 2, 4)]


def test_the_ends_may_be_swapped(tmp_path):
    for kind in WEIGHTED:
        write_edges(EdgeList([TABLE], 3, range(5), TABLE.schema), tmp_path / "e", format=kind)
        if kind != "snap":
            file = read_edges(tmp_path / "e", format=kind, weights=True, source="dst")
            plain = read_edges(tmp_path / "e", format=kind, weights=True)
            assert file.table[0].equals(plain.table[1])
            assert file.table["weight"].equals(plain.table["weight"])


@pytest.mark.parametrize(
    ("name", "content", "line", "text"),
    [
        ("a.csv", "src,dst,weight\n1,2,3\n1,2,x\n", 3, "in field 3, found 'x' in '1,2,x'"),
        ("a.csv", "src,dst,weight\n1,2,3\n\n1,2,\n", 4, "in field 3, found '' in '1,2,'"),
        ("a.he", "H 3 2 1\nE 0 1 5\nE 1 2 y\n", 3, "in field 4, found 'y' in 'E 1 2 y'"),
        ("a.he", "H 3 2 1\nE 0 1 5\nE 1 2\n", 3, "'E 1 2'"),
        ("a.gr", "p sp 3 2\na 1 2 5\nc\na 1 2 y\n", 4, "in field 4, found 'y' in 'a 1 2 y'"),
    ],
)
@pytest.mark.usefixtures("blocks")
def test_what_is_no_weight(refusal, name, content, line, text):
    said = refusal(name, content, weights=True)
    assert f"line {line}:" in said
    assert text in said


def test_columns_that_are_no_weights(tmp_path, refusal):
    content = "src,dst,c\n1,2,3\n"
    said = refusal("a.csv", content, MissingColumnError, weights=True, weight="price")
    assert "it has src, dst, c" in said
    said = refusal("a.csv", content, InputError, weights=True, weight="dst")
    assert "column 'dst' is an end of the edges" in said
    content = "p edge 3 1\ne 1 2\n"
    said = refusal("a.col", content, MissingColumnError, weights=True, weight="weight")
    assert said.endswith("it has src, dst")
    said = refusal("a.col", content, InputError, weights=True, weight="src")
    assert "column 'src' is an end of the edges" in said
    table = pa.table({"src": [1], "dst": [2], "weight": ["x"]})
    write_edges(EdgeList([table], 1, None, table.schema), tmp_path / "e.parquet")
    with pytest.raises(FormatError, match="column 'weight' holds string"):
        read_edges(tmp_path / "e.parquet", weights=True)
    table = pa.table({"src": [1, 2], "dst": [2, 2], "weight": [1, None]})
    write_edges(EdgeList([table], 2, None, table.schema), tmp_path / "e.arrow")
    with pytest.raises(FormatError, match="1 null; weights must be numbers"):
        read_edges(tmp_path / "e.arrow", weights=True)


def test_arrays_of_one_length(tmp_path):
    np.savez(tmp_path / "e.npz", src=[1, 2], dst=[2, 3], weight=[1])
    with pytest.raises(FormatError, match="src 2, dst 2, weight 1"):
        read_edges(tmp_path / "e.npz", weights=True)


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_weight_that_is_named_has_to_be_there(tmp_path, kind):
    table = TABLE.select(["src", "dst"])
    write_edges(EdgeList([table], 3, range(5), table.schema), tmp_path / "e", format=kind)
    with pytest.raises(MissingColumnError, match=r"no column 'price'.*it has src, dst"):
        read_edges(tmp_path / "e", format=kind, weights=True, weight="price")
    if kind not in ("he", "gr"):  # which have ones
        with pytest.raises(MissingColumnError, match=r"no column 'weight'; it has src, dst$"):
            read_edges(tmp_path / "e", format=kind, weights=True, weight="weight")


@pytest.mark.parametrize("kind", ["csv", "tsv", "snap", "mtx", "he", "gr", "metis"])
def test_no_edges_have_any_weight(tmp_path, kind):
    table = TABLE.slice(0, 0).select(["src", "dst"])
    write_edges(EdgeList([table], 0, range(1, 1), table.schema), tmp_path / "e", format=kind)
    if kind in ("csv", "tsv"):
        (tmp_path / "e").write_text("")
    file = read_edges(tmp_path / "e", format=kind, weights=True, weight="weight")
    assert file.table.column_names == ["src", "dst", "weight"]
    assert file.table.schema.types[:2] == [pa.int64(), pa.int64()]


@pytest.mark.parametrize("number", ["0x10", "0X10", " 0x10"])
def test_hexadecimal_weights_are_refused(tmp_path, number):
    (tmp_path / "e.csv").write_text(f"src,dst,weight\n1,2,3\n2,3,{number}\n")
    with pytest.raises(FormatError, match=r"line 3: expected a number as weight.*'2,3, ?0[xX]10'"):
        read_edges(tmp_path / "e.csv", weights=True)
