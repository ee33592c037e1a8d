"""Several files in one, as cat and appending writers make them: all rows are read, or none."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from support.edge_files import read_edges

from cc_rapids import FormatError, components, stream_components

FIRST, SECOND = pa.table({"src": [1, 3], "dst": [2, 4]}), pa.table({"src": [5, 7], "dst": [6, 8]})


def parquet(table):
    pq.write_table(table, sink := io.BytesIO(), write_page_index=True)
    return sink.getvalue()


def arrow(table, new=pa.ipc.new_file):
    with new(sink := io.BytesIO(), table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def arrow_stream(table):
    return arrow(table, pa.ipc.new_stream)


def npy(table):
    np.save(sink := io.BytesIO(), np.column_stack(list(table.to_pydict().values())))
    return sink.getvalue()


@pytest.mark.parametrize("find", [components, stream_components])
@pytest.mark.parametrize("other", [SECOND, SECOND[:0]], ids=["same size", "no rows"])
@pytest.mark.parametrize("write", [parquet, arrow, arrow_stream, npy])
def test_binary_files_in_a_row_are_refused(tmp_path, write, other, find):
    path = tmp_path / f"e.{'arrow' if write is arrow_stream else write.__name__}"
    path.write_bytes(write(FIRST))
    assert find(path).num_vertices == 4
    path.write_bytes(write(FIRST) + write(other))
    with pytest.raises(FormatError, match=r"e\.\w+( is several|: the array| has bytes after)"):
        find(path)
    if write is parquet:
        with pytest.raises(FormatError, match="several concatenated files"):
            find(ds.dataset(path))


def test_a_file_of_no_batches_is_one(tmp_path):
    pl.from_arrow(FIRST[:0]).write_ipc(tmp_path / "e.arrow")
    assert read_edges(tmp_path / "e.arrow").table.num_rows == 0


def test_files_of_polars_within_a_memory_limit(tmp_path):
    """They begin with a schema that is no message, and hold strings as views."""
    path = tmp_path / "e.arrow"
    pl.DataFrame({"src": ["a", "b"], "dst": ["b", "c"]}).write_ipc(path)
    assert stream_components(path, memory_limit="200MB").num_vertices == 3
    assert components([path, path]).num_vertices == 3


def test_names_that_are_not_utf8(tmp_path):
    (tmp_path / "e.arrow").write_bytes(arrow(FIRST).replace(b"src", b"\xffrc"))
    with pytest.raises(FormatError, match="cannot be read as Arrow: 'utf-8' codec"):
        stream_components(tmp_path / "e.arrow", memory_limit="200MB")


PACKED = {"bz2": bz2.compress, "gz": gzip.compress, "xz": lzma.compress}


@pytest.mark.parametrize("find", [components, stream_components])
@pytest.mark.parametrize("suffix", PACKED)
def test_compressed_streams_in_a_row_are_read_with_zeros_between_them(tmp_path, suffix, find):
    path, pack = tmp_path / f"e.csv.{suffix}", PACKED[suffix]
    parts = [pack(b"src,dst\n1,2\n"), bytes(8), pack(b""), pack(b"3,4\n"), bytes(1 << 17)]
    path.write_bytes(b"".join(parts))
    assert find(path).num_vertices == 4
    for tail in (b"3,4\n", bytes(4) + b"3,4\n", pack(b"3,4\n")[:-1]):
        path.write_bytes(parts[0] + tail)
        with pytest.raises(FormatError, match="cannot be read to its end"):
            find(path)


def zipped(name, content):
    with zipfile.ZipFile(sink := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return sink.getvalue()


def tarred(name, content):
    info = tarfile.TarInfo(name)
    info.size = len(content)
    with tarfile.open(fileobj=(sink := io.BytesIO()), mode="w") as archive:
        archive.addfile(info, io.BytesIO(content))
    return sink.getvalue()


@pytest.mark.parametrize("write", [zipped, tarred])
def test_archives_in_a_row_are_refused(tmp_path, write):
    path = tmp_path / "e"
    path.write_bytes(write("a.csv", b"src,dst\n1,2\n") + write("b.csv", b"src,dst\n3,4\n"))
    with pytest.raises(FormatError, match="holds more files than its directory lists"):
        components(path)


def test_a_tar_in_bz2_is_read_back_and_forth(tmp_path):
    path, pairs = tmp_path / "e.tar.bz2", b"".join(b"%d,%d\n" % (k, k + 1) for k in range(99999))
    path.write_bytes(bz2.compress(tarred("a.csv", b"src,dst\n" + pairs)))
    assert components(path).num_vertices == 100000


def test_a_damaged_member_of_a_zip_is_refused(tmp_path):
    content = bytearray(zipped("a.csv", b"src,dst\n" + b"".join(b"%d,7\n" % k for k in range(99))))
    content[60:70] = bytes(10)
    (tmp_path / "e.zip").write_bytes(content)
    with pytest.raises(FormatError, match=r"e\.zip cannot be read"):
        components(tmp_path / "e.zip")


def test_files_that_are_left_out_of_an_archive_are_told(tmp_path, caplog):
    with zipfile.ZipFile(tmp_path / "e.zip", "w") as archive:
        archive.writestr("a.csv", "src,dst\n1,2\n")
        archive.writestr("b.dat", "src,dst\n2,3\n")
    assert components(tmp_path / "e.zip").num_vertices == 2
    assert "left out 1 file in" in caplog.text
    assert "b.dat" in caplog.text


@pytest.mark.parametrize("header", ["src,dst\n", ""])
def test_text_files_with_marks_in_a_row_are_refused(tmp_path, header, blocks):
    file = f"\ufeff{header}1,2\n2,3\n".encode()
    (tmp_path / "e.csv").write_bytes(file)
    assert components(tmp_path / "e.csv").num_vertices == 3
    (tmp_path / "e.csv").write_bytes(file * 9)
    line = file.count(b"\n") + 1
    with pytest.raises(FormatError, match=f"line {line}: a second byte order mark"):
        components(tmp_path / "e.csv")
