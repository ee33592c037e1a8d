"""Parquet files that a library of frames reads, as cuDF does for a GPU: here pandas stands in."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.stream_inputs import parts, same, table, words

import cc_rapids
from cc_rapids import stream_components
from cc_rapids.data import memory_budget, streams
from cc_rapids.data.files import read as formats
from cc_rapids.data.files.input_file import ColumnRequest
from cc_rapids.incremental import stream


@pytest.fixture
def read(monkeypatch):
    """The row groups of each call, as pandas frames."""
    calls = []

    def read_groups(path, columns, groups):
        calls.append((path, groups))
        return pq.ParquetFile(path).read_row_groups(groups, columns).to_pandas()

    monkeypatch.setattr("cc_rapids.incremental.stream.row_group_reader", lambda device: read_groups)
    return calls


@pytest.mark.parametrize("kind", ["integers", "words"])
def test_frames_give_what_tables_give(read, tmp_path, kind):
    edges = table() if kind == "integers" else words(table())
    paths = parts(edges, tmp_path)
    same(stream_components(paths), edges)
    assert {path for path, _ in read} == set(paths)


def test_as_many_row_groups_at_once_as_there_is_room_for(read, tmp_path):
    edges, path = table(), str(tmp_path / "a.parquet")
    pq.write_table(edges, path, row_group_size=1000)
    sizes = [1000] * (len(edges) // 1000) + [len(edges) % 1000] * (len(edges) % 1000 > 0)
    with streams.opened(path) as file:
        wanted = ColumnRequest(None, None, "parquet")
        read_groups = stream.row_group_reader(None)
        for start, done in ((0, 0), (2, 300)):
            place = formats.Place(start, done, lambda: 2500, read_groups=read_groups)
            found = list(formats.read_pieces(file, wanted, place))
            rows = [len(piece.load()) for piece in found]
            assert sum(rows) == sum(sizes[start:]) - done
            assert max(rows) <= 2000
            assert [piece.group for piece in found][-1] == len(sizes) - 1
            assert all(piece.whole for piece in found)
        place = formats.Place(0, 0, lambda: 999, read_groups=read_groups)
        few = list(formats.read_pieces(file, wanted, place))
    assert all(isinstance(piece.table, pa.Table) and len(piece.table) <= 999 for piece in few)


def test_a_stray_id_is_told_as_by_tables(read, tmp_path):
    edges = table(ids=100)
    paths = parts(edges, tmp_path)
    with pytest.raises(cc_rapids.InputError, match=r"outside 0\.\.49 of num_vertices=50"):
        stream_components(paths, num_vertices=50)


def test_a_plan_counts_the_chunks_of_both_readers(tmp_path, request):
    path = str(tmp_path / "a.parquet")
    pq.write_table(table(), path)
    one = cc_rapids.components([path], num_vertices=5000, explain=True)
    request.getfixturevalue("read")
    two = cc_rapids.components([path], num_vertices=5000, explain=True)
    rows = len(table())
    assert two.bytes - one.bytes == rows * memory_budget.EDGE["range"] // 2
