"""Matrix Market and Parquet."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.edge_files import read_edges
from support.matrix_market import read_by_scipy

from cc_rapids.errors import FormatError, MissingColumnError

BANNER = "%%MatrixMarket matrix coordinate real general\n"


class TestMatrixMarket:
    pytestmark = pytest.mark.usefixtures("blocks")

    @pytest.mark.parametrize("field", ["real", "integer", "pattern", "complex"])
    @pytest.mark.parametrize("symmetry", ["general", "symmetric"])
    def test_as_scipy_reads_it(self, tmp_path, field, symmetry):
        sparse, scipy_io = pytest.importorskip("scipy.sparse"), pytest.importorskip("scipy.io")
        matrix = sparse.random(30, 30, 0.05, random_state=0)
        matrix = matrix + matrix.T if symmetry == "symmetric" else matrix
        stored = (matrix * 100).astype(complex if field == "complex" else int).tocoo()
        path = tmp_path / "m.mtx"
        scipy_io.mmwrite(path, stored, "a comment", field, symmetry=symmetry)
        file = read_edges(path)
        expected = read_by_scipy(path)
        ends = [np.asarray(column) - 1 for column in file.table.columns]
        mine = sparse.coo_array((np.ones(len(ends[0])), ends), (30, 30)).toarray()
        if symmetry == "symmetric":
            mine = mine + mine.T
        assert ((mine > 0) == (sparse.coo_array(expected).toarray() != 0)).all()
        assert file.vertices == range(1, 31)
        assert file.table.schema.types == [pa.int64(), pa.int64()]

    def test_no_entries(self, read):
        pairs, types, file = read("m.mtx", BANNER + "% c\n4 4 0\n")
        assert pairs == []
        assert types == ["int64", "int64"]
        assert file.vertices == range(1, 5)

    @pytest.mark.parametrize(
        ("content", "text"),
        [
            ("", "line 1: Not a Matrix Market file"),
            ("4 4 1\n1 2\n", "line 1: Not a Matrix Market file. Missing banner., in '4 4 1'"),
            (BANNER, "Invalid MatrixMarket header: Premature EOF"),
            (BANNER + "%\n4 4\n", "cannot be read as Matrix Market"),
            (BANNER + "4 5 1\n1 2 1\n", "shape (4, 5): if its rows and columns are different"),
            (BANNER + "4 4 2\n1 2 1\n", "Truncated file. Expected another 1 lines"),
            (BANNER + "4 4 1\n1 2 1\n1 3 1", "line 4: Too many lines"),
            (BANNER + "4 4 2\n1 2 1\n\n5 1 1\n", "line 5: Row index out of bounds, in '5 1 1'"),
            (BANNER + "4 4 2\n1 2 1\n0 1 1\n", "line 4: Row index out of bounds, in '0 1 1'"),
            (BANNER + "4 4 2\n1 2 1\n1\n", "line 4: Invalid integer value., in '1'"),
            (BANNER + "4 4 1\n1 2 5 ", None),
            (BANNER.replace("real", "integer") + "% .\n4 4 1\n1 2 5.5\n", "line 4: a value that"),
            (BANNER + "4 4 1\n1 2 5\0\n", "line 3: a NUL, in "),
            (BANNER + "9 9 4611686018427387904\n", "declares 4611686018427387904 entries, but has"),
        ],
    )
    def test_malformed(self, read, refusal, content, text):
        if text is None:  # SciPy alone reads beyond the end of such a file
            assert read("m.mtx", content)[0] == [(1, 2)]
        else:
            assert text in refusal("m.mtx", content)

    @pytest.mark.parametrize("percent", ["%", "%%"])
    def test_dense_and_with_one_percent_sign(self, read, percent):
        dense = percent + "MatrixMarket matrix array real general\n3 3\n0\n2\n0\n0\n0\n0\n0\n5\n0\n"
        pairs, _, file = read("m.mtx", dense)
        assert (pairs, file.vertices) == ([(2, 1), (2, 3)], range(1, 4))

    def test_has_the_columns_src_and_dst(self, read, refusal):
        content = BANNER + "4 4 1\n3 2 1\n"
        assert read("m.mtx", content, source="dst")[0] == [(2, 3)]
        refusal("m.mtx", content, MissingColumnError, source="row")


class TestParquet:
    def test_two_columns_as_they_are_stored(self, tmp_path):
        path = tmp_path / "e.parquet"
        columns = {"w": [0.5, 1.5], "dst": pa.array([3, None], pa.int16()), "src": ["x", "y"]}
        pq.write_table(pa.table(columns), path)
        seen = []
        file = read_edges(path, on_progress=lambda *args: seen.append(args))
        assert file.table.schema.equals(pa.schema({"src": pa.string(), "dst": pa.int16()}))
        assert file.table.to_pydict() == {"src": ["x", "y"], "dst": [3, None]}
        assert (file.source_format.format, file.vertices) == ("parquet", None)
        assert seen[-1] == (path.stat().st_size,) * 2

    def test_many_row_groups_and_none(self, tmp_path):
        table = pa.table({"a": range(1000), "b": range(1000)})
        pq.write_table(table, tmp_path / "e.pq", row_group_size=100)
        assert read_edges(tmp_path / "e.pq").table.equals(table)
        pq.write_table(table.slice(0, 0), tmp_path / "e.pq")
        assert read_edges(tmp_path / "e.pq").table.equals(table.slice(0, 0))

    @pytest.mark.parametrize("content", [b"", b"PAR1", b"not parquet at all"])
    def test_malformed(self, refusal, content):
        assert "cannot be read as Parquet" in refusal("e.parquet", content)

    def test_too_few_columns(self, tmp_path):
        pq.write_table(pa.table({"a": [1]}), tmp_path / "e.parquet")
        with pytest.raises(FormatError, match=r"two are needed, but it has a$"):
            read_edges(tmp_path / "e.parquet")
