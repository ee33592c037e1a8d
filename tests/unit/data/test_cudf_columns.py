"""How columns and frames of cuDF are read and made, on stand-ins for its classes."""

import numpy as np
import pytest
from support import fake_cudf
from support.fake_cudf import Array, ColumnAccessor, DataFrame, Series, strings

from cc_rapids.data import adapters, cudf_columns
from cc_rapids.data.edge_input import ReadRequest
from cc_rapids.errors import NullsError


@pytest.fixture(autouse=True)
def _cudf():
    with fake_cudf.installed():
        yield


@pytest.mark.parametrize("count", [0, 3])
def test_frames_of_arrays_share_their_memory(count):
    vertex = np.arange(count).view(Array)
    columns = {"vertex": vertex, "size": cudf_columns.WithoutNan(np.ones(count).view(Array))}
    made = cudf_columns.make_frame(DataFrame, columns)
    assert list(made) == ["vertex", "size"]
    assert len(made) == count
    assert made["size"].dtype == np.float64
    assert not count or np.shares_memory(made["vertex"]._column.values, vertex)


def test_frames_of_other_columns_are_made_by_the_constructor():
    columns = {
        "labels": np.array([3, 3, 9], np.int32).view(Array),
        "size": Series(np.array([1, 2, 3], np.uint8)),
        "every other": np.arange(6)[::2].view(Array),
    }
    made = cudf_columns.make_frame(DataFrame, columns)
    assert {name: made[name]._column.values.tolist() for name in made} == {
        "labels": [3, 3, 9],
        "size": [1, 2, 3],
        "every other": [0, 2, 4],
    }


def test_frames_are_of_the_requested_class():
    class Named(DataFrame):
        @classmethod
        def _from_data(cls, data):
            made = super()._from_data(data)
            vars(made)["source"] = "a list"
            return made

    made = cudf_columns.make_frame(Named, {"labels": np.arange(3).view(Array)})
    assert made.source == "a list"
    assert made["labels"]._column.values.tolist() == [0, 1, 2]


def test_numbers_are_read_in_place():
    frame = DataFrame({"src": np.arange(9), "dst": np.empty(0, np.int32)})
    column = frame._data["src"]
    column.plain.at, column.plain.rows, column.size = 2, 4, 4
    with cudf_columns.borrow_numbers(frame["src"]) as array:
        assert array.tolist() == [2, 3, 4, 5]
        assert np.shares_memory(array, column.plain.held.array)
    with cudf_columns.borrow_numbers(frame["dst"]) as array:
        assert (array.size, array.dtype) == (0, np.int32)


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_strings_are_read_in_place(kind):
    series = strings(["a", "", "bcd", "é"], 1, kind)
    octets, offsets = cudf_columns.borrow_strings(series)
    assert bytes(octets) == b"abcd\xc3\xa9"
    assert offsets.tolist() == [1, 1, 4, 6]
    assert offsets.dtype == kind
    octets, offsets = cudf_columns.borrow_strings(strings(["", ""]))
    assert octets.size == 0
    assert offsets.tolist() == [0, 0, 0]


def test_frames_are_read():
    read, request = adapters.CUDF_FRAMES.read, ReadRequest("a", "b")
    before = ColumnAccessor.indices
    given = read(DataFrame({"a": [5, 2], "b": [2, 7]}), request)
    assert ColumnAccessor.indices == before, "an index of names takes .1 ms"
    with given.src.borrow() as src, given.dst.borrow() as dst:
        assert (src.tolist(), dst.tolist()) == ([5, 2], [2, 7])
    answer = given.make_frame({"vertex": np.array([2, 5, 7]).view(Array)})
    assert answer._data["vertex"].values.tolist() == [2, 5, 7]
    holes = DataFrame({"a": [5, 2], "b": [2, 7]})
    holes._data["b"].null_count = holes._data["b"].plain.nulls = 1
    with pytest.raises(NullsError, match="column 'b' has 1 null in 2 rows"):
        read(holes, request)


@pytest.mark.parametrize(
    ("dtype", "columns", "series_made"), [(np.int64, 3, 0), (np.uint16, 3, 2), (np.int64, 20, 2)]
)
def test_columns_of_int64_are_read_without_series(dtype, columns, series_made):
    frame = DataFrame({f"c{k}": np.arange(k, k + 3, dtype=dtype) for k in range(columns)})
    before = DataFrame.series_made
    given = adapters.CUDF_FRAMES.read(frame, ReadRequest("c2", "c1"))
    with given.src.borrow() as src, given.dst.borrow() as dst:
        assert (src.tolist(), dst.tolist()) == ([2, 3, 4], [1, 2, 3])
        assert np.shares_memory(src, frame._data["c2"].plain.held.array)
    assert DataFrame.series_made - before == series_made


def test_weights_are_read_without_series():
    frame = DataFrame({"weight": np.array([0.5, 0.25], np.float32), "code": np.arange(2)})
    before = DataFrame.series_made
    assert cudf_columns.numbers_in(frame, "weight").tolist() == [0.5, 0.25]
    assert DataFrame.series_made == before
