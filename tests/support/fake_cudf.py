"""Stand-ins for cuDF's classes and CuPy's, on the memory of the host.

They have what is read and written of the two.
"""

import ctypes
import sys
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from cc_rapids.data import cudf_internals

KINDS = "BOOL8", "INT32", "INT64", "UINT8", "STRING"
# what is made once of cuDF's classes
KEPT = cudf_internals._framing, cudf_internals._wrapping, cudf_internals._creates_unchecked


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
        try:
            yield
        finally:
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
    def __init__(self, values, index=None, name=None):
        self._column = as_column(values)
        self.dtype, self.size = self._column.dtype, self._column.size
        self.index, self.name = index, name

    @classmethod
    def _from_column(cls, column, *, name=None, index=None):
        return cls(column, index, name)

    @classmethod
    def from_pylibcudf(cls, plain):
        return cls(Column(plain, object))

    def astype(self, dtype):
        assert dtype == self.dtype
        return self

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

    @property
    def to_pandas_index(self):
        """The names as cuDF's frames ask for them, which takes as long as a small list."""
        ColumnAccessor.indices += 1
        return list(self)

    indices = 0


class RangeIndex(tuple):
    def __new__(cls, size):
        return super().__new__(cls, range(size))

    def equals(self, other):
        return self == other


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
        return Series(self._data[name], self._index, name)

    @property
    def index(self):
        return self._index

    def __contains__(self, name):
        return name in self._data.to_pandas_index

    def __iter__(self):
        return iter(self.columns)

    def __len__(self):
        return self._data.nrows

    @property
    def columns(self):
        return tuple(self._data.to_pandas_index)


DataFrame.__module__ = "cudf"


@contextmanager
def installed():
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
            "TypeId": SimpleNamespace(**{name: name for name in KINDS}),
            "gpumemoryview": Buffer,
        },
        "cupy": {
            "asarray": lambda thing: thing._column.values if isinstance(thing, Series) else thing,
            "empty": lambda size, dtype: np.empty(size, dtype).view(Array),
            "ndarray": array_at,
            "cuda": SimpleNamespace(
                UnownedMemory=lambda *words: words, MemoryPointer=lambda *words: words
            ),
        },
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, parts in made.items():
            module = ModuleType(name)
            vars(module).update(parts)
            patch.setitem(sys.modules, name, module)
        for cached in KEPT:
            cached.cache_clear()
        yield
        for cached in KEPT:
            cached.cache_clear()
