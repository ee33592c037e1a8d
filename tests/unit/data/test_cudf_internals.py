"""What is read and written of cuDF: privately and publicly the same, on stand-ins for its classes.

tests/gpu compares the same two ways with cuDF's own.
"""

import runpy

import numpy as np
import pytest
from support import fake_cudf
from support.fake_cudf import Array, ColumnAccessor, DataFrame, Series, strings

from cc_rapids.data import adapters, cudf_internals
from cc_rapids.data.edge_input import ReadRequest
from cc_rapids.errors import NullsError

WAYS = pytest.mark.parametrize("private", [True, False], ids=["private", "public"])


@pytest.fixture(autouse=True)
def _cudf():
    with fake_cudf.installed():
        yield


@pytest.fixture
def way(monkeypatch, private):
    monkeypatch.setattr(cudf_internals, "PRIVATE", private)


def shown(frame):
    """All that a frame is made of."""
    return {
        "type": type(frame),
        "columns": {name: (c.dtype, c.values.tolist()) for name, c in frame._data.items()},
        "parts": {name: type(part) for name, part in vars(frame).items()},
        "index": list(frame._index),
        "flags": frame._flags.allows_duplicate_labels,
    }


def test_both_ways_make_the_same_frames(monkeypatch):
    columns = {
        "vertex": np.array([3, 5, 9]).view(Array),
        "labels": np.array([3, 3, 9], np.int32).view(Array),
        "size": Series(np.array([1, 2, 3], np.uint8)),
        "every other": np.arange(6)[::2].view(Array),
    }
    assert cudf_internals._framing(DataFrame).__name__ == "framed"
    frames = []
    for private in (True, False):
        monkeypatch.setattr(cudf_internals, "PRIVATE", private)
        frames.append(shown(cudf_internals.make_frame(DataFrame, columns)))
        none = cudf_internals.make_frame(DataFrame, {"vertex": np.empty(0, int).view(Array)})
        assert len(none) == 0
    assert frames[0] == frames[1]


def test_frames_with_other_attributes_are_made_in_their_own_way():
    class Named(DataFrame):
        @classmethod
        def _from_data(cls, data):
            made = super()._from_data(data)
            vars(made)["source"] = "a list"
            return made

    made = cudf_internals.make_frame(Named, {"labels": np.arange(3).view(Array)})
    assert made.source == "a list"
    assert made._data["labels"].values.tolist() == [0, 1, 2]


@WAYS
def test_columns_are_lent_as_they_lie(way, private):
    frame = DataFrame({"src": np.arange(9), "dst": np.empty(0, np.int32)})
    frame._data["src"].offset, frame._data["src"].size = 2, 4
    handle = cudf_internals.handles_in(frame)["src"]
    assert handle.dtype == np.int64
    assert handle.size == 4
    with cudf_internals.Lent(handle, handle.dtype, handle.size) as array:
        assert frame._data["src"].data.readers == int(private)
        assert array.tolist() == [2, 3, 4, 5]
        assert np.shares_memory(array, frame._data["src"].data.array)
    assert frame._data["src"].data.readers == 0
    handle = cudf_internals.handles_in(frame)["dst"]
    with cudf_internals.Lent(handle, handle.dtype, handle.size) as array:
        assert (array.size, array.dtype) == (0, np.int32)


@WAYS
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_strings_are_lent_as_they_lie(way, private, kind):
    series = strings(["a", "", "bcd", "é"], 1, kind)
    with cudf_internals.lend_strings(series) as (octets, offsets):
        assert bytes(octets) == b"abcd\xc3\xa9"
        assert offsets.tolist() == [1, 1, 4, 6]
        assert offsets.dtype == kind
        assert series._column.data.readers == int(private)
    with cudf_internals.lend_strings(strings(["", ""])) as (octets, offsets):
        assert octets.size == 0
        assert offsets.tolist() == [0, 0, 0]


@WAYS
def test_frames_are_read(way, private):
    read, request = adapters.CUDF_FRAMES.read, ReadRequest("a", "b")
    before = ColumnAccessor.indices
    given = read(DataFrame({"a": [5, 2], "b": [2, 7]}), request)
    assert ColumnAccessor.indices == before, "an index of names takes .1 ms"
    with given.src.borrow() as src, given.dst.borrow() as dst:
        assert (src.tolist(), dst.tolist()) == ([5, 2], [2, 7])
    answer = given.make_frame({"vertex": np.array([2, 5, 7]).view(Array)})
    assert answer._data["vertex"].values.tolist() == [2, 5, 7]
    holes = DataFrame({"a": [5, 2], "b": [2, 7]})
    holes._data["b"].null_count = 1
    with pytest.raises(NullsError, match="column 'b' has 1 nulls in 2 rows"):
        read(holes, request)


@pytest.mark.parametrize(("said", "private"), [(None, True), ("1", True), ("0", False)])
def test_the_environment_says_which_way(monkeypatch, said, private):
    monkeypatch.delenv("CC_RAPIDS_CUDF_INTERNALS", raising=False)
    if said is not None:
        monkeypatch.setenv("CC_RAPIDS_CUDF_INTERNALS", said)
    assert runpy.run_path(cudf_internals.__file__)["PRIVATE"] is private
