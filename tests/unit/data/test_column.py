"""Columns of ids: nulls are counted, and types that cannot name vertices are refused."""

import datetime
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from support.refusals import refused
from support.releases import before

from cc_rapids import Connectivity, Csr, components, components_at, errors, stream_components
from cc_rapids.verify.audit import audit_labels

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
ONE = np.array([1])


NULLS = {
    "pandas Int64": lambda ids: pd.DataFrame(ids, dtype="Int64"),
    "pandas PyArrow": lambda ids: pd.DataFrame(ids, dtype="int64[pyarrow]"),
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "pyarrow": pa.table,
}
IDS = {"src": [1, None, None, 4], "dst": [2, 3, None, 5]}
WORDS = {"src": ["a", None, None, "d"], "dst": ["b", "c", None, "e"]}


@pytest.mark.parametrize("make", NULLS.values(), ids=NULLS)
def test_nulls_are_counted_and_refused_or_dropped(make):
    refused(errors.NullsError, make(IDS), "column 'src' has 2 nulls in 4 rows", "nulls='drop'")
    found = components(make(IDS), nulls="drop")
    assert (found.summary()["dropped"], found.summary()["edges"]) == (2, 2)
    assert pl.DataFrame(found.labels()).rows() == [(1, 1), (2, 1), (4, 4), (5, 4)]


@pytest.mark.parametrize(
    "make",
    [pd.DataFrame, pl.DataFrame, pa.table, "object"],
    ids=["pandas", "polars", "pyarrow", "object"],
)
def test_nulls_among_strings_are_counted_and_refused_or_dropped(make):
    edges = pd.DataFrame(WORDS, dtype=object) if make == "object" else make(WORDS)
    refused(errors.NullsError, edges, "column 'src' has 2 nulls in 4 rows", "nulls='drop'")
    found = components(edges, nulls="drop")
    assert found.summary()["dropped"] == 2
    labels = pl.DataFrame(found.labels()).rows()
    assert labels == [("a", "a"), ("b", "a"), ("d", "d"), ("e", "d")]


def test_dropped_edges_are_logged(caplog):
    caplog.set_level("INFO", "cc_rapids")
    components(pl.DataFrame(IDS), nulls="drop")
    assert "2 edges with a null end were left out" in caplog.text


def test_nulls_in_other_columns_are_none_of_our_business():
    edges = pl.DataFrame({"src": [1, 2], "dst": [2, 3], "w": [None, 0.5]})
    assert components(edges, nulls="drop").summary()["dropped"] == 0


def test_nulls_in_pairs_of_series_name_the_side():
    pair = pd.Series([1, 2], dtype="Int64"), pd.Series([None, 2], dtype="Int64")
    refused(errors.NullsError, pair, "column 'dst' has 1 null in 2 rows")
    assert components(pair, nulls="drop").summary()["dropped"] == 1


def test_masked_ids_of_numpy_are_nulls():
    masked = np.ma.array([1, 2, 3], mask=[0, 1, 1])
    refused(errors.NullsError, (masked, masked.data), "column 'src' has 2 nulls in 3 rows")


def test_none_among_strings_of_a_list_is_a_null():
    refused(errors.NullsError, (["a", None], ["b", "c"]), "column 'src' has 1 null in 2 rows")


def test_none_among_integers_of_a_list_is_counted():
    with pytest.raises(errors.InputError, match=r"column 'src' .*\b1 (null|of them missing)"):
        components(([1, None, 3], [2, 3, 4]))


@pytest.mark.parametrize("nulls", ["raise", "drop"])
def test_nulls_among_vertices_are_refused(nulls):
    vertices = pd.Series([7, None], dtype="Int64")
    refused(
        errors.NullsError,
        (ONE, ONE),
        "vertices= has 1 null in 2 rows",
        vertices=vertices,
        nulls=nulls,
    )


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("nulls", ["raise", "drop"])
def test_floats_are_refused_though_they_are_whole(make, nulls):
    edges = make({"src": [1, 2], "dst": [2.0, 3.0]})
    message = refused(errors.ColumnTypeError, edges, "(2 values)", "cast it", nulls=nulls)
    assert re.match(r"column 'dst' is (float64|Float64|double) ", message)


def test_missing_floats_are_counted_once():
    nan = {"src": [1.0, np.nan, 3.0], "dst": [2, 3, 4]}
    says = "column 'src' is float64 (3 values, 1 of them missing)"
    refused(errors.ColumnTypeError, pd.DataFrame(nan), says, ".astype('Int64')")
    refused(errors.ColumnTypeError, (np.array(nan["src"]), np.array(nan["dst"])), says)
    polars = pl.DataFrame({"src": [1.0, None, np.nan], "dst": [2, 3, 4]})
    refused(errors.ColumnTypeError, polars, "Float64 (3 values, 2 of them missing)")


DAY = datetime.date(2026, 1, 1)
OTHERS = {
    "booleans": ([True], "bool"),
    "dates": ([DAY], "date"),
    "bytes": ([b"a"], "binary|object"),
    "mixed": ([1, "a"], "object"),
    "objects": ([object()], "object"),
}


@pytest.mark.parametrize(
    ("make", "values", "dtype"),
    [
        pytest.param(make, *OTHERS[name], id=f"{name} in {kind}")
        for kind, make in FRAMES.items()
        for name in OTHERS
        if kind == "pandas" or name in ("booleans", "dates", "bytes")
    ],
)
def test_columns_of_other_types_are_refused(make, values, dtype):
    if make is pd.DataFrame and dtype != "bool":
        values = pd.Series(values, dtype=object)
    edges = make({"a": values, "b": list(range(len(values)))})
    message = refused(errors.ColumnTypeError, edges, "cast it", source="a", destination="b")
    assert re.match(
        rf"column 'a' is \S*({dtype}|object)\S*( of [\w, ]+)? \({len(values)} values\)",
        message,
        re.I,
    )


ARRAYS = {
    "bool": np.array([True, False]),
    "datetime64": np.array(["2026-01-01"], "M8[D]"),
    "bytes": np.array([b"a"]),
    "complex": np.array([1j]),
    "integers as objects": np.array([1, 2], dtype=object),
    "integers beyond 64 bits": [2**64, 1],
    "strings and integers": ["a", 1],
}


@pytest.mark.parametrize("values", ARRAYS.values(), ids=ARRAYS)
def test_arrays_of_other_types_are_refused(values):
    refused(errors.ColumnTypeError, (values, values), "column 'src' is ", f"({len(values)} values")


def test_integers_wider_than_64_bits_are_refused():
    edges = pl.DataFrame({"src": [1], "dst": [2]}, schema={"src": pl.Int128, "dst": pl.Int64})
    refused(errors.ColumnTypeError, edges, "column 'src' is Int128 (1 values)", "cast it")


def test_strings_on_one_side_only_are_refused():
    edges = pd.DataFrame({"src": ["a"], "dst": [1]})
    says = f"column 'src' is {edges['src'].dtype}, column 'dst' is int64"  # str, or object
    refused(errors.ColumnTypeError, edges, says, "cast one of them")
    refused(errors.ColumnTypeError, (ONE, np.array(["a"])), "column 'src' is int64")


def test_strings_and_integers_do_not_meet_among_vertices():
    refused(errors.ColumnTypeError, (ONE, ONE), "vertices are <U1", "int64", vertices=["a"])
    words = pd.DataFrame({"src": ["a"], "dst": ["b"]})
    says = "vertices are int64", f"'src' is {words['src'].dtype}"
    refused(errors.ColumnTypeError, words, *says, vertices=[1])
    refused(errors.InputError, words, "column 'src' holds strings", vertices=range(3))
    refused(errors.InputError, words, "num_vertices= does not apply", num_vertices=3)


def of_dictionary(indices, values):
    return pa.DictionaryArray.from_arrays(indices, values)


def in_pandas(array):
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([array])), index=[3, 3, 3])


HALF_NULL = {
    "strings": of_dictionary([0, 1, 0], ["", None]),
    "integers": of_dictionary([0, 1, 0], [7, None]),
    "encoded": pc.dictionary_encode(pa.array(["a", None, "a"]), null_encoding="encode"),
    "index and category": of_dictionary(pa.array([0, None, 0]), ["", None]),
    "chunks": pa.chunked_array([of_dictionary([0], ["a"]), of_dictionary([0, 1], [None, "a"])]),
    "pandas": in_pandas(of_dictionary([0, 1, 0], ["", None])),
    "pandas integers": in_pandas(of_dictionary([0, 1, 0], [7, None])),
}


def beside(side):
    """A frame of the column and of others of its kind."""
    words = any(isinstance(value, str) for value in pa.array(side).to_pylist())
    other = ["x", "y", "x"] if words else [1, 2, 1]
    if isinstance(side, pd.Series):
        return pd.DataFrame({"src": side, "dst": pd.Series(other, index=side.index)})
    return pa.table({"src": side, "dst": other})


@pytest.mark.parametrize("side", HALF_NULL.values(), ids=HALF_NULL)
def test_a_null_category_is_a_null(engine, side):
    edges, says = beside(side), "column 'src' has 1 null in 3 rows"
    refused(errors.NullsError, edges, says, "nulls='drop'")
    found = components(edges, nulls="drop", engine=engine)
    assert (len(found.labels()), found.summary()["dropped"]) == (2, 1)
    streamed = stream_components(iter([edges]), nulls="drop")
    assert streamed.summary()["dropped"] == 1
    with pytest.raises(errors.NullsError, match=says):
        stream_components(iter([edges]))
    refused(errors.NullsError, ([], []), "vertices= has 1 null in 3 rows", vertices=side)


@pytest.mark.parametrize("ids", [["", "x"], [7, 8]], ids=["strings", "integers"])
def test_a_null_category_of_no_row_is_no_null(ids):
    edges = pa.table({"src": of_dictionary([0, 0], [ids[0], None]), "dst": [ids[1]] * 2})
    assert components(edges).labels()["vertex"].to_pylist() == ids
    assert components(edges, nulls="drop").summary()["dropped"] == 0


@pytest.mark.parametrize(
    ("ids", "dtype"),
    [
        ([2**63, 1], np.uint64),
        ((2**64 - 1, 0), np.uint64),
        ([np.uint64(5), -3], np.int64),
        ([np.int64(5), np.uint64(2**63)], np.uint64),
    ],
    ids=str,
)
def test_integers_of_a_list_stay_integers(engine, ids, dtype):
    found = components((ids, list(ids)), engine=engine).labels()
    assert found.vertex.dtype == dtype
    assert found.vertex.tolist() == sorted(map(int, ids))


@pytest.mark.parametrize("ids", [[2**63, -1], [2**64, 0], [-(2**63) - 1, 1], [2**64]], ids=str)
def test_integers_of_a_list_that_no_type_holds_are_refused(ids):
    says = f"from {min(ids)} to {max(ids)}", "no 64-bit integer type holds them all"
    refused(errors.ColumnTypeError, (ids, [1] * len(ids)), "column 'src' is a list", *says)


@pytest.mark.parametrize("ids", [[True, 5], [5, True], (True, 2.0), [np.True_, 2**63]], ids=str)
def test_booleans_among_integers_of_a_list_are_refused(ids):
    refused(errors.ColumnTypeError, (ids, [1, 2]), "column 'src' is", "booleans", "(2 values)")


@pytest.mark.parametrize("side", [["a\0"], ("a\0",)], ids=str)
@pytest.mark.parametrize("options", [{}, {"vertices": ["b\0"]}], ids=str)
def test_strings_of_a_list_keep_what_ends_in_nul(engine, side, options):
    for pair in ((side, ["a"]), (["a"], side)):
        found = components(pair, engine=engine, **options)
        known = ["a", "a\0", *options.get("vertices", [])]
        assert found.labels().vertex.tolist() == known
        assert len(found) == len(known) - 1


ARRAYS_WITH_NULLS = {
    "masked": np.ma.array([1, 2], mask=[0, 1]),
    "objects": np.array(["a", None], object),
    "list": ["a", None],
    "integers": [1, None],
    "integers and nan": [1, float("nan")],
    "pandas' NA": ["a", pd.NA],
    "NumPy's strings": np.array(["a", None], np.dtypes.StringDType(na_object=None)),
    "masked strings": np.ma.array(["a", "b"], mask=[0, 1]),
    "masked value": [1, np.ma.masked],
    "nullable": pd.array([1, None], "Int64"),
}


@pytest.mark.parametrize("side", ARRAYS_WITH_NULLS.values(), ids=ARRAYS_WITH_NULLS)
def test_nulls_of_arrays_and_lists_are_refused_or_dropped(side):
    says = "column 'src' has 1 null in 2 rows: nulls='drop' drops"
    refused(errors.NullsError, (side, side), says)
    found = components((side, side), nulls="drop")
    assert (len(found.labels().vertex), found.summary()["dropped"]) == (1, 1)


@pytest.mark.parametrize("side", ARRAYS_WITH_NULLS.values(), ids=ARRAYS_WITH_NULLS)
@pytest.mark.parametrize("nulls", ["raise", "drop"])
def test_what_drops_no_nulls_is_not_advised_to(side, nulls):
    says = "has 1 null in 2 rows: fill or drop them first"
    message = refused(errors.NullsError, ([], []), says, nulls=nulls, vertices=side)
    assert "nulls=" not in message


DOORS_WITHOUT_NULLS = {
    "Connectivity": lambda side, one: Connectivity(vertices=side),
    "stream": lambda side, one: stream_components(iter([(one, one)]), vertices=side, nulls="drop"),
    "cuts": lambda side, one: components_at(
        (one, one), weight=[1], thresholds=[1], vertices=side, nulls="drop"
    ),
    "audit of a stream": lambda side, one: components((one, one)).audit(
        iter([(one, one)]), vertices=side, nulls="drop"
    ),
    "connected": lambda side, one: Connectivity(vertices=one).connected((side, side)),
    "process": lambda side, one: Connectivity().process((side, side), query=np.array([True] * 2)),
    "labels": lambda side, one: audit_labels((side, side), (one, one)),
    "rows": lambda side, one: components(Csr(np.array([0, 2]), side), nulls="drop"),
    "ids to look up": lambda side, one: components((one, one)).component_of(side),
}


@pytest.mark.parametrize("door", DOORS_WITHOUT_NULLS.values(), ids=DOORS_WITHOUT_NULLS)
@pytest.mark.parametrize("side", ARRAYS_WITH_NULLS.values(), ids=ARRAYS_WITH_NULLS)
def test_what_cannot_be_dropped_is_not_advised_to_be(side, door):
    one = ["a"] if isinstance(side[0], str) else [1]
    with pytest.raises(errors.NullsError, match=r"has 1 null in 2 rows: fill or drop them first$"):
        door(side, one)


@pytest.mark.parametrize("make", NULLS.values(), ids=NULLS)
def test_pairs_of_frames_cannot_be_dropped(make):
    pairs = make({"src": [1, None], "dst": [2, 3]})
    with pytest.raises(errors.NullsError, match=r"'src' has 1 null in 2 rows: fill or drop them"):
        Connectivity().connected(pairs)


@pytest.mark.skipif(before("narwhals", "2.24"), reason="narwhals knows no categories with names")
def test_categories_of_polars_are_kept_without_reading_them_all(monkeypatch):
    categories = pl.Categories("of these tests", "cc_rapids")
    kind = pl.Categorical(categories)
    edges = pl.DataFrame({"src": ["b", "d"], "dst": ["a", "c"]}, schema={"src": kind, "dst": kind})

    def read(self, *key):
        raise AssertionError("Polars 1.32 has no end of them")

    for name in ("__getitem__", "__iter__"):
        monkeypatch.setattr(pl.Categories, name, read, raising=False)
    found = components(edges).labels()
    assert found["vertex"].dtype == found["labels"].dtype == kind
    assert found["labels"].cast(pl.String).to_list() == ["a", "a", "c", "c"]


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["str", "string[pyarrow]", "large_string[pyarrow]"])
def test_nulls_of_concatenated_strings_are_dropped(dtype):
    """Frames made by pd.concat have columns of several chunks."""
    kind = pd.ArrowDtype(pa.large_string()) if dtype.startswith("large") else dtype
    frame = pd.DataFrame({"src": ["a", None, "c"], "dst": ["b", "c", "d"]}, dtype=kind)
    frames = pd.concat([frame, frame], ignore_index=True)
    found = components(frames, nulls="drop")
    assert found.labels()["labels"].tolist() == ["a", "a", "c", "c"]
    assert found.attach(frames, on="src", nulls="null", name="x")["x"].isna().sum() == 2
    assert found.audit(frames, nulls="drop").edges == 4
