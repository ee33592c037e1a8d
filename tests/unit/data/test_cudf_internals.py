"""What is read and written of cuDF: privately and publicly the same, on stand-ins for its classes.

The stand-ins have what is read of cuDF and CuPy, on the memory of the host; tests/gpu compares the
same two ways with cuDF's own.
"""

import ctypes
import runpy
import sys
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from cc_rapids.data import adapters, cudf_internals
from cc_rapids.data.edge_input import ReadRequest
from cc_rapids.errors import NullsError

WAYS = pytest.mark.parametrize("private", [True, False], ids=["private", "public"])


class Array(np.ndarray):
    """CuPy's array."""


Array.__module__ = "cupy"


def array_at(shape, dtype, pointer):
    memory, offset = pointer
    address, _, owner = memory
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    held = np.frombuffer((ctypes.c_byte * size).from_address(address + offset), dtype).view(Array)
    held.owner = owner
    return held


class Buffer:
    """The memory of a column, which knows who reads it."""

    def __init__(self, array):
        self.array, self.readers = np.ascontiguousarray(array), 0
        self.ptr, self.size = self.array.ctypes.data, self.array.nbytes
        self.nbytes = self.size

    @contextmanager
    def access(self, *, mode, scope):
        assert (mode, scope) == ("read", "internal")
        self.readers += 1
        yield
        self.readers -= 1


class Plain:
    """The column of pylibcudf's."""

    def __init__(self, kind, size, data, mask, null_count, offset, children, validate=True):
        self.kind, self.rows, self.held, self.nulls = kind, size, data, null_count
        self.at, self.children = offset, children

    def type(self):
        return SimpleNamespace(id=lambda: SimpleNamespace(name=self.kind))

    def data(self):
        return self.held

    def offset(self):
        return self.at

    def size(self):
        return self.rows

    def child(self, k):
        return self.children[k]


class Column:
    def __init__(self, plc_column, dtype):
        self.plc_column, self.dtype = plc_column, np.dtype(dtype)
        self.data, self.offset, self.size = plc_column.held, plc_column.at, plc_column.rows
        self.null_count = plc_column.nulls

    @staticmethod
    def create(plain, dtype, validate=True):
        return Column(plain, dtype)

    def access(self, **how):
        return self.data.access(**how)

    @property
    def values(self):
        held = self.data.array.view(self.dtype)[self.offset : self.offset + self.size]
        return held.view(Array)


def as_column(values):
    if isinstance(values, Series):
        return values._column
    if isinstance(values, Column):
        return values
    array = np.asarray(values)
    return Column(
        Plain(array.dtype.name.upper(), array.size, Buffer(array), None, 0, 0, []), array.dtype
    )


def strings(words, start=0, kind=np.int32):
    octets = [word.encode() for word in words]
    offsets = np.cumsum([0, *map(len, octets)]).astype(kind)
    name = np.dtype(kind).name.upper()
    child = Plain(name, offsets.size, Buffer(offsets), None, 0, 0, [])
    data = Buffer(np.frombuffer(b"".join(octets), np.uint8))
    rows = len(words) - start
    return Series(Column(Plain("STRING", rows, data, None, 0, start, [child]), object))


class Series:
    def __init__(self, values):
        self._column = as_column(values)
        self.dtype, self.size = self._column.dtype, self._column.size

    def isna(self):
        return np.arange(self.size) < self._column.null_count

    def reset_index(self, drop):
        return Series(self._column)

    def to_pylibcudf(self):
        return self._column.plc_column, None


class ColumnAccessor(dict):
    @property
    def nrows(self):
        return next((column.size for column in self.values()), 0)


class RangeIndex(tuple):
    def __new__(cls, size):
        return super().__new__(cls, range(size))


class Flags:
    def __init__(self, frame, *, allows_duplicate_labels):
        self.allows_duplicate_labels = allows_duplicate_labels


class DataFrame:
    def __init__(self, columns):
        vars(self).update(vars(self._from_data({k: as_column(v) for k, v in columns.items()})))

    @classmethod
    def _from_data(cls, data):
        frame, data = cls.__new__(cls), ColumnAccessor(data)
        flags = Flags(frame, allows_duplicate_labels=True)
        vars(frame).update(_data=data, _index=RangeIndex(data.nrows), _attrs={}, _flags=flags)
        return frame

    def __getitem__(self, name):
        return Series(self._data[name])

    def __len__(self):
        return self._data.nrows

    @property
    def columns(self):
        return tuple(self._data)

    @property
    def _column_names(self):
        return tuple(self._data)


DataFrame.__module__ = "cudf"


@pytest.fixture(autouse=True)
def cudf(monkeypatch):
    """The stand-ins as modules, and nothing kept of what was made of them."""
    core = {"core.column": {"ColumnBase": Column, "as_column": as_column}}
    core |= {"core.buffer": {"as_buffer": Buffer}, "core": {}}
    core |= {"core.column_accessor": {"ColumnAccessor": ColumnAccessor}}
    made = {f"cudf.{name}": parts for name, parts in core.items()} | {
        "cudf": {
            "DataFrame": DataFrame,
            "RangeIndex": RangeIndex,
            "Series": Series,
            "CategoricalDtype": type("CategoricalDtype", (), {}),
            "api": SimpleNamespace(
                types=SimpleNamespace(is_string_dtype=lambda dtype: dtype.kind == "O")
            ),
        },
        "pylibcudf": {
            "Column": Plain,
            "DataType": lambda name: name,
            "TypeId": SimpleNamespace(INT32="INT32", INT64="INT64", UINT8="UINT8"),
        },
        "cupy": {
            "asarray": lambda thing: thing._column.values,
            "empty": lambda size, dtype: np.empty(size, dtype).view(Array),
            "ndarray": array_at,
            "cuda": SimpleNamespace(
                UnownedMemory=lambda *words: words, MemoryPointer=lambda *words: words
            ),
        },
    }
    for name, parts in made.items():
        module = ModuleType(name)
        vars(module).update(parts)
        monkeypatch.setitem(sys.modules, name, module)
    for cached in (cudf_internals._framing, cudf_internals._wrapping):
        cached.cache_clear()
    yield sys.modules["cudf"]
    for cached in (cudf_internals._framing, cudf_internals._wrapping):
        cached.cache_clear()


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
    handle = cudf_internals.handle_in(frame, "src")
    assert handle.dtype == np.int64
    assert handle.size == 4
    assert cudf_internals.names_of(frame) == ["src", "dst"]
    with cudf_internals.lend(handle) as array:
        assert frame._data["src"].data.readers == int(private)
        assert array.tolist() == [2, 3, 4, 5]
        assert np.shares_memory(array, frame._data["src"].data.array)
    assert frame._data["src"].data.readers == 0
    with cudf_internals.lend(cudf_internals.handle_in(frame, "dst")) as array:
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
    given = read(DataFrame({"a": [5, 2], "b": [2, 7]}), request)
    with given.src.lend() as src, given.dst.lend() as dst:
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
