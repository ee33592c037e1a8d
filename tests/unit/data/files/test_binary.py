"""Arrow, npz and egr: what others wrote is read, and damage is named."""

import gzip
import io

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
import scipy.sparse
from support.edge_files import read_edges

import cc_rapids
from cc_rapids import components
from cc_rapids.errors import FormatError, MissingColumnError

TABLE = pa.table({"w": [0.5, 1.5], "dst": pa.array([3, None], pa.int16()), "src": ["x", "y"]})


class TestArrow:
    def test_feather(self, tmp_path):
        pa.feather.write_feather(TABLE, tmp_path / "e.feather")
        self.check(tmp_path / "e.feather")

    @pytest.mark.parametrize("make", [pa.ipc.new_file, pa.ipc.new_stream])
    def test_files_and_streams(self, tmp_path, make):
        with make(tmp_path / "e.arrow", TABLE.schema) as writer:
            writer.write_table(TABLE, max_chunksize=1)
        self.check(tmp_path / "e.arrow")

    def check(self, path):
        seen = []
        file = read_edges(path, on_progress=lambda *args: seen.append(args))
        assert file.table.schema.equals(pa.schema({"src": pa.string(), "dst": pa.int16()}))
        assert file.table.to_pydict() == {"src": ["x", "y"], "dst": [3, None]}
        assert (file.source_format.format, file.vertices) == ("arrow", None)
        assert seen[-1] == (path.stat().st_size,) * 2

    @pytest.mark.parametrize("content", [b"", b"ARROW1", b"not arrow at all"])
    def test_malformed(self, refusal, content):
        assert "cannot be read as Arrow" in refusal("e.arrow", content)

    def test_cut_off(self, tmp_path, refusal):
        pa.feather.write_feather(TABLE, tmp_path / "whole.arrow")
        content = (tmp_path / "whole.arrow").read_bytes()
        assert "cannot be read as Arrow" in refusal("e.arrow", content[: len(content) // 2])

    def test_an_offset_of_text_beyond_its_end(self, refusal, tmp_path):
        table = pa.table({"src": ["a", "b"], "dst": ["c", "d"]})
        pa.feather.write_feather(table, tmp_path / "e.arrow", compression="uncompressed")
        content = (tmp_path / "e.arrow").read_bytes()
        offsets, bent = (np.array([0, k, 2], np.int32).tobytes() for k in (1, 1 << 20))
        assert content.count(offsets) == 2
        assert "cannot be read as Arrow" in refusal("e.arrow", content.replace(offsets, bent, 1))

    def test_too_few_columns(self, tmp_path):
        pa.feather.write_feather(TABLE.select(["src"]), tmp_path / "e.arrow")
        with pytest.raises(FormatError, match=r"two are needed, but it has src$"):
            read_edges(tmp_path / "e.arrow")


def npz(**arrays):
    held = io.BytesIO()
    np.savez(held, **arrays)
    return held.getvalue()


class TestNpz:
    @pytest.mark.parametrize("dtype", [np.uint8, np.int64, ">i4"])
    def test_arrays(self, read, dtype):
        ends = {"src": np.array([5, 2], dtype), "dst": np.array([2, 7], dtype)}
        pairs, types, file = read("e.npz", npz(**ends))
        assert pairs == [(5, 2), (2, 7)]
        assert types == [str(np.dtype(dtype).newbyteorder("="))] * 2
        assert file.vertices is None
        assert read("e.npz", npz(**ends, num_vertices=9))[2].vertices == range(9)
        assert read("e.npz", npz(**ends), source="dst")[0] == [(2, 5), (7, 2)]

    @pytest.mark.parametrize("kind", ["coo", "csr", "csc", "bsr", "dia"])
    def test_scipy(self, tmp_path, kind):
        matrix = scipy.sparse.random(30, 30, 0.05, random_state=0, format="coo").asformat(kind)
        scipy.sparse.save_npz(tmp_path / "m.npz", matrix)
        file = read_edges(tmp_path / "m.npz")
        mine = {*zip(*(column.to_pylist() for column in file.table.columns), strict=True)}
        assert {*zip(*(end.tolist() for end in matrix.toarray().nonzero()), strict=True)} <= mine
        assert file.vertices == range(30)

    @pytest.mark.parametrize(
        ("content", "part"),
        [
            (b"", "cannot be read as npz"),
            (b"PK\x03\x04 not a zip file", "cannot be read as npz"),
            (npz(src=[1], dst=[2])[:-30], "cannot be read as npz"),
            (npz(a=[1], b=[2]), "the arrays a, b: expected src and dst"),
            (npz(src=[1.5], dst=[2]), "src is float64 of shape (1,)"),
            (npz(src=[1], dst=[[2]]), "dst is int64 of shape (1, 1)"),
            (npz(src=[1], dst=[2, 3]), "different lengths: src 1, dst 2"),
            (npz(src=[1, 2], dst=[2, 4], num_vertices=4), "edge 1 has dst 4"),
            (npz(src=[-1], dst=[2], num_vertices=4), "edge 0 has src -1"),
            (npz(src=np.array([{}]), dst=[2]), "cannot be read as npz"),
        ],
    )
    def test_malformed(self, refusal, content, part):
        assert part in refusal("e.npz", content)

    def test_a_graph_is_a_square_matrix(self, tmp_path):
        scipy.sparse.save_npz(tmp_path / "m.npz", scipy.sparse.csr_array((2, 3)))
        with pytest.raises(FormatError, match=r"has shape \(2, 3\)"):
            read_edges(tmp_path / "m.npz")


def words(*numbers):
    return np.array(numbers, "<i4").tobytes()


class TestEgr:
    """The path 0 - 1 - 2, and 3 by itself: n, m, nindex of 5, nlist of 4."""

    path = (4, 4, 0, 1, 3, 4, 4, 1, 0, 2, 1)

    @pytest.mark.parametrize("weights", [(), (7, 7, 8, 8)])
    def test_edges_are_listed_at_both_ends(self, read, weights):
        pairs, types, file = read("a.egr", words(*self.path, *weights))
        assert pairs == [(0, 1), (1, 0), (1, 2), (2, 1)]
        assert types == ["int32", "int32"]
        assert (file.source_format.format, file.vertices) == ("egr", range(4))

    def test_no_edges(self, read):
        assert read("a.egr", words(0, 0, 0))[2].vertices == range(0)
        assert read("a.egr", words(2, 0, 0, 0, 0))[2].vertices == range(2)

    def test_the_columns_are_src_and_dst(self, read, refusal):
        assert read("a.egr", words(*self.path), source="dst")[0][2] == (2, 1)
        refusal("a.egr", words(*self.path), MissingColumnError, source="from")

    @pytest.mark.parametrize(
        ("content", "part"),
        [
            (b"", "truncated: it has 0 bytes"),
            (
                words(*path)[:-4],
                "which take 44 bytes, or 60 bytes with weights, but the file has 40 bytes",
            ),
            (words(*path)[:-1], "but the file has 43 bytes"),
            (words(*path, 7), "but the file has 48 bytes"),
            (words(-2, 4, 0), "declares -2 vertices"),
            (
                words(4, 4, 1, 1, 3, 4, 4, 1, 0, 2, 1),
                "nindex[0] is 1, but must be 0",
            ),
            (
                words(4, 4, 0, 1, 3, 4, 3, 1, 0, 2, 1),
                "nindex[4] is 3, where row 3 ends, and begins at 4",
            ),
            (
                words(4, 4, 0, 3, 1, 4, 4, 1, 0, 2, 1),
                "nindex[2] is 1, where row 1 ends, and",
            ),
            (words(4, 4, 0, 1, 3, 4, 4, 1, 0, 4, 1), "edge 2 has dst 4, but the vertices are 0 to"),
            (b"H 4 1 1\nE 0 1 1\n", "cannot be read as egr: it begins like he"),
        ],
    )
    def test_malformed(self, refusal, content, part):
        assert part in refusal("a.egr", content)


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_a_file_of_one_column_lacks_the_one_that_is_named(suffix, tmp_path):
    path = tmp_path / f"edges.{suffix}"
    write = pq.write_table if suffix == "parquet" else pyarrow.feather.write_feather
    write(pa.table({"src": [1]}), path)
    with pytest.raises(MissingColumnError, match=r"has no column 'to'; it has src$"):
        components(path, "src", "to")


@pytest.mark.parametrize("compression", [None, "zstd"])
@pytest.mark.parametrize("packs", [False, True])
@pytest.mark.parametrize("find", [components, cc_rapids.stream_components])
def test_a_stream_of_arrow_that_was_cut_between_two_batches_is_told(
    find, packs, compression, tmp_path
):
    sink, table = io.BytesIO(), pa.table({"src": [1, 2], "dst": [2, 5]})
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table[:1])
        end = sink.tell()
        writer.write_table(table[1:])
    path, whole = tmp_path / f"a.arrow{'.gz' * packs}", sink.getvalue()
    for content, rows in ((whole[:end], 1), (whole[:-8], 2)):
        path.write_bytes(gzip.compress(content) if packs else content)
        for edges in (path, io.BytesIO(content)):
            with pytest.warns(cc_rapids.CcRapidsWarning, match="no marker at its end: it was cut"):
                assert find(edges).ledger["given"] == rows
    assert find(io.BytesIO(whole)).ledger["given"] == 2


@pytest.mark.parametrize("opened", ["[", '{"a":'])
def test_json_lines_nested_too_deep_for_the_parser(tmp_path, opened):
    """PyArrow's parser would overflow the stack, which ends the process."""
    closed = {"[": "]", '{"a":': "}"}[opened]
    nested = f'{{"src": 1, "dst": 2, "x": {opened * 2000}1{closed * 2000}}}\n'
    (tmp_path / "a.jsonl").write_text(nested)
    with pytest.raises(FormatError, match="nests values more than 1,000 deep"):
        cc_rapids.components(tmp_path / "a.jsonl")
    brackets = '"' + "[" * 2000 + r"\"" + '"'
    (tmp_path / "b.jsonl").write_text(f'{{"src": 1, "dst": 2, "x": {brackets}}}\n')
    assert len(cc_rapids.components(tmp_path / "b.jsonl")) == 1
