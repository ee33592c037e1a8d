"""Columns of every type that a library has: a right answer, or an error of ours."""

import datetime
import decimal
import re
import uuid
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cc_rapids
from cc_rapids import Connectivity, components, components_at, errors, stream_components

if int(pa.__version__.partition(".")[0]) < 26:
    pytest.skip("before 26 PyArrow ends the process on some of these", allow_module_level=True)

DAY, NOON = datetime.date(2026, 1, 1), datetime.datetime(2026, 1, 1, 12)
TWO = decimal.Decimal(2)
WORDS = {"string", "large_string", "string_view"}
TYPES = {
    **{f"{sign}int{bits}": [1, 2] for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{name: ["a", "b"] for name in sorted(WORDS)},
    **{name: [b"a", b"b"] for name in ("binary", "large_binary", "binary_view")},
    **{f"float{bits}": [np.float16(1), np.float16(2)] for bits in (16, 32, 64)},
    **{f"date{bits}": [DAY, DAY] for bits in (32, 64)},
    "null": [None, None],
    "bool_": [True, False],
    "month_day_nano_interval": [(1, 2, 3), (1, 2, 4)],
}
OTHERS = {
    pa.decimal32(5, 0): [TWO, TWO],
    pa.decimal128(5, 0): [TWO, TWO],
    pa.decimal256(50, 0): [TWO, TWO],
    pa.timestamp("us"): [NOON, NOON],
    pa.timestamp("ns", "UTC"): [NOON, NOON],
    pa.time32("s"): [NOON.time()] * 2,
    pa.duration("us"): [datetime.timedelta(1)] * 2,
    pa.binary(1): [b"a", b"b"],
    pa.list_(pa.int64()): [[1], [2]],
    pa.list_(pa.int64(), 1): [[1], [2]],
    pa.list_view(pa.int64()): [[1], [2]],
    pa.struct({"x": pa.int64()}): [{"x": 1}, {"x": 2}],
    pa.map_(pa.string(), pa.int64()): [[("a", 1)], [("b", 2)]],
}
STORED = {
    "uuid": (pa.uuid, pa.array([b"a" * 16] * 2, pa.binary(16))),
    "json": (pa.json_, pa.array(["1", "2"])),
    "bool8": (pa.bool8, pa.array([1, 0], pa.int8())),
    "opaque": (lambda: pa.opaque(pa.int64(), "kind", "vendor"), pa.array([1, 2])),
}


def encodings(array):
    """An array as it is, with nulls, without rows, in dictionaries and in runs."""
    kind = array.type
    yield "", array
    yield "chunks of ", pa.chunked_array([array, array])
    yield "no ", array[:0]
    yield "no chunks of ", pa.chunked_array([], kind)
    yield "half null ", pa.array([array[0].as_py(), None], kind)
    yield "null ", pa.nulls(2, kind)
    indices = pa.array([0, 1], pa.int8())
    words = pa.DictionaryArray.from_arrays(indices, array)
    yield "dictionary of ", words
    yield "half null dictionary of ", pa.DictionaryArray.from_arrays(pa.array([0, None]), array)
    yield "no dictionary of ", words[:0]
    yield "dictionaries of ", pa.DictionaryArray.from_arrays(indices, words)
    yield "runs of ", pa.RunEndEncodedArray.from_arrays(pa.array([1, 2], pa.int32()), array)


def arrow_columns():
    kinds = {getattr(pa, name)(): values for name, values in TYPES.items()} | OTHERS
    for kind, values in kinds.items():
        for name, array in encodings(pa.array(values, kind)):
            yield f"{name}{kind}", array
    for name, (kind, storage) in STORED.items():
        yield name, pa.ExtensionArray.from_storage(kind(), storage)
    sides = [pa.array([1, 2]), pa.array(["a", "b"])]
    yield "union", pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), sides)


def in_pandas(array):
    return pd.Series(
        pd.arrays.ArrowExtensionArray(
            array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
        )
    )


OBJECTS = {
    "mixed": [1, "a"],
    "mixed, one missing": [1, "a", None],
    "integers": [1, 2],
    "strings": ["a", "b"],
    **{f"strings and {gap!r}": ["a", gap] for gap in (None, np.nan, pd.NA, pd.NaT)},
    **{f"integers and {gap!r}": [1, gap] for gap in (None, np.nan, pd.NA)},
    **{f"only {gap!r}": [gap, gap] for gap in (None, np.nan, pd.NA, pd.NaT)},
    "lists": [[1], [2]],
    "arrays": ["a", np.array([3, 4])],
    "series": ["a", pd.Series([1, 2])],
    "decimals": [TWO, decimal.Decimal("nan")],
    "what cannot be compared": ["a", decimal.Decimal("sNaN")],
    "uuids": [uuid.UUID(int=1), uuid.UUID(int=2)],
    "beyond 64 bits": [2**70, 1],
    "half a surrogate pair": ["\ud800", "b"],
    "ends in NUL": ["a\0", "a"],
    "bytes": [b"a", b"b"],
    "dates": [DAY, DAY],
    "masked": ["a", np.ma.masked],
    "types": [int, str],
}
CATEGORIES = {
    "integers": [1, 2],
    "of 64 bits": np.array([1, 2**64 - 1], np.uint64),
    "floats": [1.0, 2.0],
    "mixed": pd.Index([1, "a"], dtype=object),
    "dates": pd.date_range("2026", "2027", periods=2),
    "zones": pd.date_range("2026", "2027", periods=2, tz="UTC"),
    "durations": pd.to_timedelta([1, 2]),
    "periods": pd.period_range("2026", "2027", freq="Y"),
    "intervals": pd.interval_range(0, 2),
    "strings": ["a", "b"],
    "bytes": [b"a", b"b"],
    "nullable": pd.array([1, 2], "Int64"),
    "PyArrow's": pd.array(["a", "b"], "string[pyarrow]"),
    "tuples": [(1, 2), (1, 3)],
    "half a surrogate pair": pd.Index(["\ud800", "b"], dtype=object),
    "none": [],
}


def objects(values):
    series = pd.Series(index=range(len(values)), dtype=object)
    for row, value in enumerate(values):
        series.iat[row] = value
    return series


def pandas_columns():
    for name, array in arrow_columns():
        if "union" not in name and name != "opaque":
            yield f"PyArrow's {name}", in_pandas(array)
    for kind in ("Int8", "UInt64", "Float64", "boolean", "string"):
        values = ["a", None] if kind == "string" else [1, None]
        for rows in (values, values[:1], [None, None], []):
            yield f"{kind} of {rows}", pd.Series(rows, dtype=kind)
    for name, values in OBJECTS.items():
        yield f"objects: {name}", objects(values)
        yield f"no objects: {name}", objects(values)[:0]
    for name, values in CATEGORIES.items():
        rows = [0, 1] if len(values) else [-1, -1]
        for codes in (rows, [rows[0], -1], []):
            yield f"categories: {name}", pd.Series(pd.Categorical.from_codes(codes, values))
    yield "sparse", pd.Series(pd.arrays.SparseArray([1, 2]))
    yield "periods", pd.Series(pd.period_range("2026", "2027", freq="Y"))
    yield "intervals", pd.Series(pd.interval_range(0, 2))
    yield "plain bytes", pd.Series(np.zeros(2, "V8"))


POLARS = ["Int8", "Int16", "Int32", "Int64", "Int128", "UInt8", "UInt16", "UInt32", "UInt64"]
POLARS += ["UInt128", "Float32", "Float64", "Boolean", "Duration", "Null"]


def polars_columns():
    for name in POLARS:
        if hasattr(pl, name):  # not in every release
            for rows in ([1, 2], [1, None], [None, None], []):
                rows = [None] * len(rows) if name == "Null" else rows
                yield f"{name} of {rows}", pl.Series(rows, dtype=getattr(pl, name), strict=False)
    for kind in (pl.String, pl.Categorical, pl.Enum(["b", "a"])):
        for rows in (["a", "b"], ["a", None], [None, None], []):
            yield f"{kind} of {rows}", pl.Series(rows, dtype=kind)
    for rows in ([b"a", b"b"], [DAY, DAY], [NOON, NOON], [[1], [2]], [{"x": 1}, {"x": 2}]):
        yield f"{type(rows[0])}", pl.Series(rows)
    yield "objects", pl.Series([object(), object()], dtype=pl.Object)
    yield "arrays", pl.Series([[1], [2]], dtype=pl.Array(pl.Int64, 1))
    yield "decimals", pl.Series([TWO, TWO])


def numpy_columns():
    for code in np.typecodes["All"]:
        zeros = np.zeros(2, code)
        for array in (zeros, zeros[:0], zeros.astype(zeros.dtype.newbyteorder())):
            yield f"{array.dtype} of {array.size}", array
        yield f"masked {zeros.dtype}", np.ma.array(zeros, mask=[0, 1])
    yield "records", np.zeros(2, [("a", int)])
    yield "masked records", np.ma.array([(1, 2), (3, 4)], dtype=[("a", int), ("b", int)])
    yield "strings of 1", np.array(["a", "b"])
    yield "strings with half a surrogate pair", np.array(["\ud800", "b"])
    for gap in (None, np.nan, pd.NA):
        kind = np.dtypes.StringDType(na_object=gap)
        yield f"strings and {gap!r}", np.array(["a", gap], kind)
    for name, values in OBJECTS.items():
        yield f"list: {name}", values
    for values in ([np.array([1]), np.array([2, 3])], [[1], [2, 3]], [float("nan"), "a"], [1j, 1]):
        yield f"list: {values}", values
    yield "index", pd.Index([1, 2])
    yield "levels", pd.MultiIndex.from_tuples([(1, 2), (3, 4)])
    yield "nullable", pd.array([1, None], "Int64")
    yield "categories", pd.Categorical(["a", "b"])
    for thing in (range(2), "ab", b"ab", {1, 2}, {1: 2}, 3, None, pa.scalar(1)):
        yield repr(thing), thing


COLUMNS = {
    f"{library} {name} {number}": column
    for library, columns in {
        "pyarrow": arrow_columns,
        "pandas": pandas_columns,
        "polars": polars_columns,
        "numpy": numpy_columns,
    }.items()
    for number, (name, column) in enumerate(columns())
}
NUMBERS, TEXT = ([1, 2], [2, 1]), (["a", "b"], ["b", "a"])
WEIGHTED = {"weight": [1, 2], "thresholds": [1, 2]}


def framed(column):
    if isinstance(column, pd.Series):
        return pd.DataFrame({"src": column, "dst": column})
    if isinstance(column, pl.Series):
        return pl.DataFrame({"src": column, "dst": column})
    if isinstance(column, pa.Array | pa.ChunkedArray):
        return pa.table({"src": column, "dst": column})
    return column, column


def scored(column):
    """A frame of documents that has the column; nothing of arrays."""
    if not hasattr(column, "__len__"):
        return column
    ids = np.arange(1, len(column) + 1)
    if isinstance(column, pd.Series):
        return pd.DataFrame({"vertex": pd.Series(ids, column.index), "what": column})
    if isinstance(column, pl.Series):
        return pl.DataFrame({"vertex": ids, "what": column})
    if isinstance(column, pa.Array | pa.ChunkedArray):
        return pa.table({"vertex": ids, "what": column})
    return column


def cuts_of(column):
    return components_at((column, column), **WEIGHTED, nulls="drop").merges()


JOBS = {
    "pair": lambda c: components((c, c)),
    "beside integers": lambda c: components((c, np.arange(2))),
    "drop": lambda c: components((c, c), nulls="drop").sizes(),
    "frame": lambda c: components(framed(c), nulls="drop", labels="max").labels(),
    "vertices": lambda c: components(([], []), vertices=c).labels(),
    "component_of": lambda c: [components(e).component_of(c) for e in (NUMBERS, TEXT)],
    "attach": lambda c: components(NUMBERS).attach(framed(c), on="src", missing="null"),
    "attach to words": lambda c: components(TEXT).attach(framed(c), on="src", missing="null"),
    "subset": lambda c: components(NUMBERS).subset(c),
    "scores": lambda c: components(NUMBERS).representatives(by=([1, 2], c)),
    "of scores": lambda c: components(NUMBERS).representatives(by=(c, [1, 2])),
    "deduplicate": lambda c: components(NUMBERS).deduplicate(framed(c), on="src", missing="drop"),
    "best": lambda c: components(NUMBERS).deduplicate(scored(c), by="what"),
    "per": lambda c: components(NUMBERS).deduplicate(scored(c), per="what"),
    "batches": lambda c: Connectivity().insert(framed(c), nulls="drop").components().labels(),
    "asked": lambda c: Connectivity().insert(NUMBERS).connected((c, c), missing="false"),
    "process": lambda c: Connectivity().process((c, c), query=np.array([True, False])),
    "query": lambda c: Connectivity().process(NUMBERS, query=c),
    "stream": lambda c: stream_components(iter([framed(c)]), nulls="drop").labels(),
    "cuts": cuts_of,
    "weights": lambda c: components_at(NUMBERS, weight=c, thresholds=[1], nulls="drop").merges(),
    "thresholds": lambda c: components_at(NUMBERS, weight=[1, 2], thresholds=c),
    "num_vertices": lambda c: components(NUMBERS, num_vertices=c),
    "forest": lambda c: cc_rapids.spanning_forest(framed(c), nulls="drop"),
}


SOME = 12  # of so many columns a job takes one, unless all are asked for
NARROW = re.compile(r"\bu?[Ii]nt(8|16|32)\b")  # each a kernel of its own, in each job


@pytest.mark.slow
@pytest.mark.parametrize("job", JOBS)
def test_every_column_has_an_answer_or_an_error_of_ours(job, pytestconfig, request):
    if job != "pair":
        request.getfixturevalue("uncompiled")
    every = job == "pair" or pytestconfig.getoption("--designs") == "all"
    taken = slice(None) if every else slice(list(JOBS).index(job) % SOME, None, SOME)
    others = [name for name in COLUMNS if every or not NARROW.search(name)]
    raw = {}
    for name in others[taken]:
        column = COLUMNS[name]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.filterwarnings("ignore", ".* yields no edges")  # columns without rows
                warnings.filterwarnings("ignore", ".* contains no score|no id in")  # and of nulls
                JOBS[job](column)
        except errors.CcRapidsError as error:
            if len(str(error)) > errors.LONGEST or "\n" in str(error):
                raw[name] = error
        except Exception as error:
            raw[name] = repr(error)
    assert not raw


def plain(column):
    if isinstance(column, pa.ChunkedArray | pa.Array):
        return [str(value) for value in column.to_pylist()]
    return [str(value) for value in (column if isinstance(column, np.ndarray) else list(column))]


IDS = [
    (name, values, array)
    for name, values in TYPES.items()
    if ("int" in name and name != "month_day_nano_interval") or name in WORDS
    for encoding, array in encodings(pa.array(values, getattr(pa, name)()))
    if "no " not in encoding and encoding != "null "
]


@pytest.mark.slow
@pytest.mark.parametrize("wrap", [lambda array: array, in_pandas], ids=["pyarrow", "pandas"])
@pytest.mark.parametrize("nulls", ["raise", "drop"])
def test_columns_of_ids_are_read_right(wrap, nulls):
    for name, values, array in IDS:
        column = wrap(array)
        present = values[: 1 if _missing(array) else 2]
        if nulls == "raise" and _missing(array):
            with pytest.raises(errors.NullsError, match="1 null in 2 rows"):
                components(framed(column))
            continue
        found = components(framed(column), nulls=nulls)
        labels = found.labels()
        assert plain(labels["vertex"]) == plain(labels["labels"]) == list(map(str, present)), name
        assert found.summary()["dropped"] == _missing(array), name


def _missing(array):
    return sum(value is None for value in array.to_pylist())


def test_one_long_word_in_a_list_makes_no_room_for_as_many_as_that():
    words = ["z" * 10**6, *map(str, range(20_000))]  # 80 GB, if each were as wide as the longest
    found = components((words, ["q"] * len(words)))
    assert len(found) == 1
    assert sorted(found.labels().vertex) == sorted([*words, "q"])
    assert len(components((["a"], ["b"]), vertices=words)) == len(words) + 1
    assert len(components(([None, *words], [*words, "q"]), nulls="drop")) == 1
    same = components((["aa", "b"], ["b", "c"])).labels().vertex
    assert same.dtype == "<U2"
