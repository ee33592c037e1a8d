"""Stand-ins for cuDF's classes and CuPy's, on the memory of the host.

They have what is read and written of the two.
"""

import ctypes
import sys
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from cc_rapids.data import cudf_columns

INTEGERS = [f"{kind}INT{bits}" for kind in ("", "U") for bits in (8, 16, 32, 64)]
KINDS = "BOOL8", "FLOAT32", "FLOAT64", "STRING", *INTEGERS


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
    """The memory of a column: a span of bytes."""

    def __init__(self, array):
        self.array = np.ascontiguousarray(array)
        self.ptr, self.size = self.array.ctypes.data, self.array.nbytes


class Plain:
    """The column of pylibcudf's."""

    def __init__(self, kind, size, data, mask, null_count, offset, children):
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

    def null_count(self):
        return self.nulls

    def child(self, k):
        return self.children[k]


class Column:
    def __init__(self, plc_column, dtype):
        self.plain, self.dtype = plc_column, np.dtype(dtype)
        self.size, self.null_count = plc_column.rows, plc_column.nulls

    @staticmethod
    def of(plain):
        names = {"STRING": "object", "BOOL8": "bool"}
        return Column(plain, names.get(plain.kind, plain.kind.lower()))

    @property
    def values(self):
        plain = self.plain
        values = plain.held.array.view(self.dtype)[plain.at : plain.at + plain.rows]
        return values.view(Array)


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
    def from_pylibcudf(cls, plain, metadata=None):
        return cls(Column.of(plain), **(metadata or {}))

    @property
    def null_count(self):
        return self._column.null_count

    def astype(self, dtype):
        assert dtype == self.dtype
        return self

    def reset_index(self, drop):
        return Series(self._column)

    def to_pylibcudf(self):
        return self._column.plain, None


class ColumnAccessor(dict):
    @property
    def nrows(self):
        return next((column.size for column in self.values()), 0)

    @property
    def to_pandas_index(self):
        """The names as cuDF's frames list them, which takes as long as a small list."""
        ColumnAccessor.indices += 1
        return list(self)

    indices = 0


class RangeIndex(tuple):
    nlevels = 1

    def __new__(cls, size):
        return super().__new__(cls, range(size))

    def equals(self, other):
        return self == other


class Flags:
    def __init__(self, frame, *, allows_duplicate_labels):
        self.allows_duplicate_labels = allows_duplicate_labels


class DataFrame:
    series_made = 0

    def __init__(self, columns):
        vars(self).update(vars(self._from_data({k: as_column(v) for k, v in columns.items()})))

    @classmethod
    def _from_data(cls, data):
        frame, data = cls.__new__(cls), ColumnAccessor(data)
        flags = Flags(frame, allows_duplicate_labels=True)
        vars(frame).update(_data=data, _index=RangeIndex(data.nrows), _attrs={}, _flags=flags)
        return frame

    @classmethod
    def from_pylibcudf(cls, table, metadata):
        columns = map(Column.of, table)
        return cls._from_data(dict(zip(metadata["columns"], columns, strict=True)))

    def to_pylibcudf(self):
        plain = [column.plain for column in self._data.values()]
        return SimpleNamespace(columns=lambda: plain), {"columns": list(self._data)}

    def __getitem__(self, name):
        DataFrame.series_made += 1
        return Series(self._data[name], self._index, name)

    @property
    def index(self):
        return self._index

    def __contains__(self, name):
        return name in self._data.to_pandas_index

    def __iter__(self):
        return iter(self._data)

    def __len__(self):
        return self._data.nrows

    @property
    def columns(self):
        return tuple(self._data.to_pandas_index)


DataFrame.__module__ = "cudf"


@contextmanager
def installed():
    """The stand-ins as modules, and nothing kept of what was made of them."""
    made = {
        "cudf": {
            "DataFrame": DataFrame,
            "RangeIndex": RangeIndex,
            "Series": Series,
            "CategoricalDtype": type("CategoricalDtype", (), {}),
            "get_option": {"spill": False}.get,
            "api": SimpleNamespace(
                types=SimpleNamespace(is_string_dtype=lambda dtype: dtype.kind == "O")
            ),
        },
        "pylibcudf": {
            "Column": Plain,
            "Table": list,
            "DataType": lambda name: name,
            "TypeId": SimpleNamespace(**{name: name for name in KINDS}),
            "gpumemoryview": Buffer,
        },
        "cupy": {
            "asarray": lambda thing: thing.view(Array),
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
        cudf_columns._type_ids.cache_clear()
        yield
        cudf_columns._type_ids.cache_clear()
