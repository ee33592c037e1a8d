"""Several files in one, as cat and appending writers make them: all rows are read, or none."""

import io

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
    with pytest.raises(FormatError, match=r"e\.\w+( is several|: the array| goes on behind)"):
        find(path)
    if write is parquet:
        with pytest.raises(FormatError, match="several files"):
            find(ds.dataset(path))


def test_a_file_of_no_batches_is_one(tmp_path):
    pl.from_arrow(FIRST[:0]).write_ipc(tmp_path / "e.arrow")
    assert read_edges(tmp_path / "e.arrow").table.num_rows == 0
